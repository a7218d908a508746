//! Clipping an edge against planes of a Voronoi region, and where its nearest point lies then (Mirtich 1997,
//! Algorithms 1 and 2).
//!
//! A point of the edge is `e(lambda) = (1 - lambda) tail + lambda head`. Every function of `lambda` that is needed is
//! linear, so its values at both ends stand for it, and equal tests of two states give equal signs.

use super::super::simd::{Simd, V};
use super::lanes;
use super::regions::Segment;
use crate::geometry::Vec3;
use crate::geometry::planes::Rows;
use crate::geometry::polyhedron::LANES;

/// No plane.
pub(super) const NONE: u32 = u32::MAX;

/// The part of an edge that is left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clip {
    pub(super) low: f64,
    pub(super) high: f64,
    /// The plane that the edge enters by, as a place in the list or a lane; [`NONE`] at the tail.
    pub(super) entry: u32,
    /// The plane that it leaves by; [`NONE`] at the head.
    pub(super) exit: u32,
}

/// What planes leave of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cut {
    /// Nothing: both ends lie beyond this plane.
    Simple(u32),
    /// This; nothing if it leaves (`high`) before it enters (`low`).
    Part(Clip),
}

impl Clip {
    /// The whole edge.
    pub(super) const WHOLE: Self = Self { low: 0.0, high: 1.0, entry: NONE, exit: NONE };

    /// Whether nothing is left, by an entry and an exit together.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.low > self.high
    }

    /// Clips against plane `number` with the signed distances `tail` and `head` of the ends, negative beyond it, not
    /// both. The divisor is never smaller than the dividend.
    #[inline(always)]
    pub(super) fn cut(&mut self, (tail, head): (f64, f64), number: u32) {
        if tail < 0.0 {
            let at = tail / (tail - head);
            if at > self.low {
                (self.low, self.entry) = (at, number);
            }
        } else if head < 0.0 {
            let at = tail / (tail - head);
            if at < self.high {
                (self.high, self.exit) = (at, number);
            }
        }
    }
}

/// Algorithm 2, at an end of what is left: whether to go on to the feature beyond the plane that is crossed there, by
/// the derivative of the distance to it.
#[inline(always)]
pub(super) fn falls_beyond(slope: Slope, entry: bool) -> bool {
    matches!(slope, Slope::Of(slope) if (if entry { slope > 0.0 } else { slope < 0.0 }))
}

/// The plane that `x` lies farthest beyond, if it lies beyond one.
#[inline(always)]
pub(super) fn farthest_beyond<S: Simd>(planes: &Rows<'_>, x: Vec3<f64>) -> Option<u32> {
    let mut most = (0.0, NONE);
    for first in (0..planes.count()).step_by(LANES) {
        let sides: V<S> = lanes::sides(planes, first, x);
        let least = sides.min_lane();
        if least < most.0 {
            most = (least, first as u32 + lanes::place(sides, least));
        }
    }
    (most.1 != NONE).then_some(most.1)
}

/// As [`farthest_beyond`], of a vertex's planes, and whether `x` lies beyond the plane at the neighbour, too.
#[inline(always)]
pub(super) fn farthest_spoke<S: Simd>(star: &Rows<'_>, x: Vec3<f64>) -> Option<(u32, bool)> {
    let mut most = (0.0, NONE, false);
    for first in (0..star.count()).step_by(LANES) {
        let (along, sides): (V<S>, V<S>) = lanes::sides_along(star, first, x);
        let least = sides.min_lane();
        if least < most.0 {
            let lane = lanes::place(sides, least);
            let past = along.lt(V::load(star.far(first))).bits();
            most = (least, first as u32 + lane, past >> lane & 1 == 1);
        }
    }
    (most.1 != NONE).then_some((most.1, most.2))
}

/// Clips an edge against all planes of a vertex or a face. Of several planes beyond which all of it lies, that which it
/// comes least near to.
#[inline(always)]
pub(super) fn clip<S: Simd>(planes: &Rows<'_>, edge: &Segment) -> Cut {
    let mut clip = Clip::WHOLE;
    let mut beyond = (0.0, NONE);
    let (zero, one) = (V::<S>::splat(0.0), V::splat(1.0));
    for first in (0..planes.count()).step_by(LANES) {
        let (tail, head): (V<S>, V<S>) =
            (lanes::sides(planes, first, edge.tail), lanes::sides(planes, first, edge.head));
        let (enters, leaves) = (tail.lt(zero), head.lt(zero));
        let (entering, leaving) = (enters.bits(), leaves.bits());
        if entering | leaving == 0 {
            continue;
        }
        if entering & leaving != 0 {
            let nearer = tail.larger(head);
            let least = nearer.min_lane();
            if least < beyond.0 {
                beyond = (least, first as u32 + lanes::place(nearer, least));
            }
            continue;
        }
        let at = tail / (tail - head);
        let (entry, exit) = (enters.pick(zero - at, zero), leaves.pick(at, one));
        let (low, high) = (entry.min_lane(), exit.min_lane());
        if -low > clip.low {
            (clip.low, clip.entry) = (-low, first as u32 + lanes::place(entry, low));
        }
        if high < clip.high {
            (clip.high, clip.exit) = (high, first as u32 + lanes::place(exit, high));
        }
    }
    if beyond.1 == NONE { Cut::Part(clip) } else { Cut::Simple(beyond.1) }
}

/// The derivative of the distance to a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Slope {
    /// A number of its sign.
    Of(f64),
    /// The edge meets the feature there: the distance is zero and has no derivative.
    Touching,
}

/// Where an edge leads out of a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Out<T> {
    /// Nowhere: its nearest point lies within.
    No,
    /// To this.
    To(T),
    /// The edge meets a feature.
    Touching,
}

/// The value at `lambda` of a linear function of given values at the ends: of their sign if both have the same.
#[inline(always)]
pub(super) fn between(tail: f64, head: f64, lambda: f64) -> f64 {
    (1.0 - lambda) * tail + lambda * head
}

/// A number with the sign of the derivative of the distance to a vertex at `v` (Equation 2).
#[inline(always)]
pub(super) fn slope_to_vertex(v: Vec3<f64>, edge: &Segment, lambda: f64) -> Slope {
    let u = edge.head - edge.tail;
    let (tail, head) = (edge.tail - v, edge.head - v);
    let slope = between(u.dot(tail), u.dot(head), lambda);
    if slope == 0.0 && tail.scale(1.0 - lambda) + head.scale(lambda) == Vec3::ZERO {
        return Slope::Touching;
    }
    Slope::Of(slope)
}
