//! The motion of a body between two frames, as the scene states it: placements at a share of the
//! interval, and bounds on the speed.

use clearsweep_model::{BetweenFrames, MotionBounds};

use crate::oracle::number::{Number, Vector, Wide, add, cross, dot, norm, sub, times};
use crate::placement::Placement;

/// Cosine of half an angle below which no rotation is the shortest.
const LEAST_COSINE: f64 = 1e-6;

/// The motion of a body over an interval; times are shares of it.
pub trait Motion {
    /// The placement at a share of the interval.
    fn at(&self, share: f64) -> Placement;

    /// Bound on the distance of any point of the body from the chord between its places at two
    /// shares that are `step` apart, metres.
    fn sagitta(&self, step: f64) -> f64;

    /// Mean velocity of the point that moves on a line or falls, metres over the interval; zero if
    /// none does.
    fn velocity(&self) -> Vector<f64>;

    /// Acceleration of that point, metres over the square of the interval.
    fn fall(&self) -> Vector<f64> {
        [0.0; 3]
    }

    /// Bound on the speed of all points of the body relative to that point, metres over the
    /// interval.
    fn spin(&self) -> f64;

    /// Bound on the error of any point's place, beyond rounding, metres.
    fn error(&self) -> f64 {
        0.0
    }
}

/// The motion of a body that nothing carries, in a frame whose axes are those of the world.
pub struct FreeMotion {
    between: BetweenFrames,
    ends: [Placement; 2],
    /// Origins of the body at both ends, relative to the frame's, metres.
    origins: [Vector<f64>; 2],
    /// Unit axis of the rotation, world.
    axis: Vector<f64>,
    /// The rotation, radians.
    angle: f64,
    /// Vector from the origin of the body to the point that moves on a line, at the start.
    arm: Vector<f64>,
    /// The part of the translation across the axis, metres; `None` unless a screw turns.
    across: Option<Vector<f64>>,
    /// Mean velocity of that point, metres over the interval.
    velocity: Vector<f64>,
    /// Acceleration of that point, metres over the square of the interval.
    fall: Vector<f64>,
    /// Bound on the speed of all points of the body relative to that point, metres over the
    /// interval.
    spin: f64,
}

/// The product of two quaternions, `p` after `q`.
fn product([a, b, c, d]: [f64; 4], [w, x, y, z]: [f64; 4]) -> [f64; 4] {
    [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]
}

/// A vector turned about a unit axis (Rodrigues).
fn turned(v: Vector<f64>, axis: Vector<f64>, angle: f64) -> Vector<f64> {
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    add(add(times(v, cos), times(cross(axis, v), sin)), times(axis, dot(axis, v) * (1.0 - cos)))
}

impl FreeMotion {
    /// Creates the motion from one placement to another; `None` if the shortest rotation is not
    /// defined. `pivot`: the point that moves on a line, in the body's frame, or falls with the
    /// acceleration `fall`, metres over the square of the interval. `reach`: no point of the body
    /// is farther from its origin. `around`: the frame's origin.
    pub fn new(
        between: BetweenFrames,
        ends: [Placement; 2],
        (pivot, fall): (Vector<f64>, Vector<f64>),
        reach: f64,
        around: &Placement,
    ) -> Option<Self> {
        let origins = ends.map(|end| {
            [0, 1, 2].map(|k: usize| {
                (Wide::sum(end.position[k], -around.position[k]) + Wide::sum(end.rest[k], -around.rest[k])).value()
            })
        });
        let length = |q: [f64; 4]| q.iter().map(|c| c * c).sum::<f64>().sqrt();
        let [p, q] = ends.map(|end| end.q.map(|c| c / length(end.q)));
        let [w, x, y, z] = product(q, [p[0], -p[1], -p[2], -p[3]]);
        let (w, v) = if w < 0.0 { (-w, [-x, -y, -z]) } else { (w, [x, y, z]) };
        let sine = norm(v);
        if w < LEAST_COSINE {
            return None;
        }
        let angle = 2.0 * libm::atan2(sine, w);
        let axis = if sine > 0.0 { times(v, 1.0 / sine) } else { [0.0, 0.0, 1.0] };
        let shift = sub(origins[1], origins[0]);
        let columns = ends[0].columns();
        let start = [0, 1, 2].map(|k: usize| (0..3).map(|m| columns[m][k].value() * pivot[m]).sum::<f64>());
        let mut across_axis = None;
        let (arm, velocity) = match between {
            BetweenFrames::Screw if angle > 0.0 => {
                let along = times(axis, dot(axis, shift));
                let across = sub(shift, along);
                across_axis = Some(across);
                let arm = add(times(across, 0.5), times(cross(axis, across), 0.5 * w / sine));
                (arm, along)
            }
            BetweenFrames::Screw => ([0.0; 3], shift),
            _ => (start, add(shift, sub(turned(start, axis, angle), start))),
        };
        let spin = angle * (reach + norm(arm)) * (1.0 + 1e-9) + 1e-12 * norm(shift);
        Some(Self { between, ends, origins, axis, angle, arm, across: across_axis, velocity, fall, spin })
    }
}

impl Motion for FreeMotion {
    fn sagitta(&self, step: f64) -> f64 {
        match self.between {
            // The pose jumps at the end.
            BetweenFrames::Hold => f64::INFINITY,
            _ => 0.125 * (self.spin * self.angle + norm(self.fall)) * step * step * (1.0 + 1e-9),
        }
    }

    /// Relative to the frame's origin: at both ends the stored placement but for the origin's
    /// rounding.
    fn at(&self, t: f64) -> Placement {
        let end = |k: usize| Placement { position: self.origins[k], rest: [0.0; 3], q: self.ends[k].q };
        match t {
            ..=0.0 => return end(0),
            1.0.. => return end(1),
            _ if self.between == BetweenFrames::Hold => return end(0),
            _ => {}
        }
        let moved = add(times(self.velocity, t), times(self.fall, -0.5 * t * (1.0 - t)));
        let middle = add(self.origins[0], add(self.arm, moved));
        let half = 0.5 * self.angle * t;
        let (sin, cos) = (libm::sin(half), libm::cos(half));
        let turn = [cos, self.axis[0] * sin, self.axis[1] * sin, self.axis[2] * sin];
        let q = self.ends[0].q;
        let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        let position = match self.across {
            // The arm is as long as the angle is small: its shares are divided before they cancel.
            Some(across) => {
                let (squared, slope) = (sin * sin, libm::tan(0.5 * self.angle));
                let [of_across, of_normal] = [squared + sin * cos / slope, squared / slope - sin * cos];
                let moved = add(times(across, of_across), times(cross(self.axis, across), of_normal));
                add(self.origins[0], add(moved, times(self.velocity, t)))
            }
            None => sub(middle, turned(self.arm, self.axis, self.angle * t)),
        };
        Placement::new(position, product(turn, q.map(|c| c / length)))
    }

    fn velocity(&self) -> Vector<f64> {
        self.velocity
    }

    fn fall(&self) -> Vector<f64> {
        self.fall
    }

    fn spin(&self) -> f64 {
        self.spin
    }
}

/// Bound on how far any point of a body may be from where a linear motion has it, metres, if only
/// bounds of its motion over `seconds` are known. `pivot` and `reach`: as of [`FreeMotion::new`].
///
/// At full speed, by way of a point that lies `a` from the first and `b` from the last place of the
/// pivot, `a + b = way`, it is farthest from the chord `c` half way, by `sqrt(way^2 - c^2) / 2`. A
/// point that is turned by `x` moves by at most `x` times its radius, and at most twice the radius.
pub fn departure(bounds: &MotionBounds, ends: &[Placement; 2], seconds: f64, pivot: Vector<f64>, reach: f64) -> f64 {
    let place = |end: &Placement| {
        let columns = end.columns();
        [0, 1, 2].map(|k: usize| {
            let turned: f64 = (0..3).map(|m| columns[m][k].value() * pivot[m]).sum();
            (Wide::sum(end.position[k], turned) + Wide::of(end.rest[k])).value()
        })
    };
    let [from, to] = ends.each_ref().map(place);
    let chord = norm(sub(to, from)) - 1e-13 * (norm(from) + norm(to));
    let by_speed = bounds.speed.map(|speed| {
        let way = speed * seconds.abs();
        0.5 * (way * way - chord * chord.abs()).max(0.0).sqrt()
    });
    let by_acceleration = bounds.acceleration.map(|most| most * seconds * seconds / 8.0);
    let of_pivot = by_speed.unwrap_or(f64::INFINITY).min(by_acceleration.unwrap_or(f64::INFINITY));
    let [p, q] = ends.each_ref().map(|end| end.q);
    let length = |q: [f64; 4]| q.iter().map(|c| c * c).sum::<f64>().sqrt();
    let cosine = (0..4).map(|k| p[k] * q[k]).sum::<f64>().abs() / (length(p) * length(q));
    let turned = 2.0 * libm::acos(cosine.min(1.0));
    let turn = bounds.turn.map_or(2.0, |turn| (0.5 * (turn * seconds.abs() + turned)).min(2.0));
    (of_pivot + turn * (reach + norm(pivot))) * (1.0 + 1e-9)
}

/// Bound on the speed of any two points of the bodies against each other, metres over the interval.
pub fn speed([a, b]: [&dyn Motion; 2]) -> f64 {
    let parting = 0.5 * norm(sub(a.fall(), b.fall()));
    (norm(sub(a.velocity(), b.velocity())) + parting + a.spin() + b.spin()) * (1.0 + 1e-9)
}
