//! Bounds of speed, acceleration and jerk of points that a chain of joints carries.
//!
//! A point behind the joints 1 to n has, by the product of exponentials, the derivatives
//! `w_i x (w_j x ... (dp / dq_k))` for i <= j <= ... <= k: a joint that turns adds a factor of at
//! most 1, one that slides makes the derivative zero unless it is the last. With the rate `v_k` of
//! each joint, its acceleration `a_k` and jerk `j_k` (0 if its value moves on a line), `r_k` the
//! distance of the point from its axis, `s_k` its slide, `m_k = r_k + s_k`, and `W_k` and `A_k` the
//! sums of the rates and of the accelerations of the joints before it that turn:
//! - speed: the sum of `v_k m_k`;
//! - acceleration: the sum of `v_k^2 r_k + 2 W_k v_k m_k + a_k m_k`;
//! - jerk: the sum of `v_k^3 r_k + 3 W_k v_k^2 r_k + 3 W_k^2 v_k m_k + 3 a_k v_k r_k + 3 (A_k v_k +
//!   W_k a_k) m_k + j_k m_k`.
//!
//! (`r_k` is 0 for a joint that slides only.) All of them are bounds over the interval. No point
//! is farther from an axis than at the start by more than the joints behind move it, nor farther
//! than the links between are long.

use clearsweep_geometry::Vec3;
use smallvec::SmallVec;

/// Relative margin of what is computed here.
const MARGIN: f64 = 1.0 + 1e-9;

/// Bound on the error of a distance from an axis, relative to the lengths that it comes from.
const CANCELLATION: f64 = 256.0 * f64::EPSILON;

/// A joint that moves, at the start of an interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hinge {
    /// Bound of the rate of its value: on a line its change over the interval; not negative.
    pub(crate) rate: f64,
    /// Bounds of the second and third derivative of its value; 0 on a line.
    pub(crate) bends: [f64; 2],
    pub(crate) turns: bool,
    /// Way along the axis with each unit of the value; not negative.
    pub(crate) slide: f64,
    /// A point of the axis.
    pub(crate) origin: Vec3<f64>,
    /// Unit.
    pub(crate) axis: Vec3<f64>,
}

/// Bounds of the derivatives of a point's place, metres over powers of the interval.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Derivatives {
    /// First.
    pub speed: f64,
    /// Second.
    pub bend: f64,
    /// Third.
    pub jerk: f64,
}

/// The joints that move the points of a body, from the frame in which they are seen on.
#[derive(Debug, Clone)]
pub struct ChainBounds {
    /// In the recentred frame of the body at the start.
    hinges: SmallVec<[Hinge; 8]>,
    /// Bound on the distance of each joint's origin from the last joint's origin.
    lengths: SmallVec<[f64; 8]>,
}

impl ChainBounds {
    pub(crate) fn new(hinges: SmallVec<[Hinge; 8]>) -> Self {
        let mut lengths = SmallVec::from_elem(0.0, hinges.len());
        let mut length = 0.0;
        for k in (0..hinges.len()).rev() {
            let next = hinges.get(k + 1).map_or(0.0, |next| (next.origin - hinges[k].origin).length());
            length += next + hinges[k].slide * hinges[k].rate;
            lengths[k] = length;
        }
        Self { hinges, lengths }
    }

    /// Whether nothing moves.
    pub fn is_still(&self) -> bool {
        self.hinges.is_empty()
    }

    /// The sum of the rates of the joints that turn, radians over the interval.
    pub fn turning(&self) -> f64 {
        self.hinges.iter().filter(|hinge| hinge.turns).map(|hinge| hinge.rate).sum::<f64>() * MARGIN
    }

    /// Bounds for all points of a ball: its middle in the recentred frame of the body, and its
    /// radius, metres.
    pub fn of_ball(&self, middle: Vec3<f64>, radius: f64) -> Derivatives {
        let Some(last) = self.hinges.last() else { return Derivatives::default() };
        let to_last = (middle - last.origin).length() + radius;
        let mut reaches: SmallVec<[f64; 8]> = SmallVec::from_elem(0.0, self.hinges.len());
        let mut speed = 0.0;
        for (k, hinge) in self.hinges.iter().enumerate().rev() {
            let mut moved = hinge.slide;
            if hinge.turns {
                let away = middle - hinge.origin;
                let noise = CANCELLATION * (middle.length() + hinge.origin.length());
                let by_start = away.cross(hinge.axis).length() + radius + speed;
                reaches[k] = by_start.min(self.lengths[k] + to_last) + noise;
                moved += reaches[k];
            }
            speed += hinge.rate * moved;
        }
        let (mut bend, mut jerk, mut before, mut bent_before) = (0.0, 0.0, 0.0, 0.0);
        for (hinge, &reach) in self.hinges.iter().zip(&reaches) {
            let Hinge { rate, slide, bends: [bent, jerked], .. } = *hinge;
            let lever = reach + slide;
            let moved = rate * lever;
            bend += rate * rate * reach + 2.0 * before * moved + bent * lever;
            jerk += rate * rate * reach * (rate + 3.0 * before) + 3.0 * before * before * moved;
            jerk += 3.0 * bent * rate * reach + (3.0 * (bent_before * rate + before * bent) + jerked) * lever;
            before += if hinge.turns { rate } else { 0.0 };
            bent_before += if hinge.turns { bent } else { 0.0 };
        }
        Derivatives { speed: speed * MARGIN, bend: bend * MARGIN, jerk: jerk * MARGIN }
    }
}
