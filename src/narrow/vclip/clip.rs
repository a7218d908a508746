//! Clipping an edge against planes of a Voronoi region, and where its nearest point lies then (Mirtich 1997,
//! Algorithms 1 and 2).
//!
//! A point of the edge is `e(lambda) = (1 - lambda) tail + lambda head`. Every function of `lambda` that is needed is
//! linear, so its values at both ends stand for it, and equal tests of two states give equal signs.

use super::lanes;
use super::regions::Segment;
use crate::geometry::Vec3;
use crate::geometry::planes::{FourPlanes, VertexPlanes};
use crate::geometry::polyhedron::LANES;
use crate::simd::{Mask, Simd, V};

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

/// The plane of a face that a point (in both halves of `x`) lies farthest beyond, if it lies beyond one.
#[inline(always)]
pub(super) fn farthest_beyond<S: Simd>(side_planes: &[FourPlanes], x: V<S>) -> Option<u32> {
    let x = x.spread();
    let mut most = (0.0, NONE);
    let mut first = 0;
    while first < side_planes.len() {
        let two = &side_planes[first..side_planes.len().min(first + 2)];
        let sides = lanes::of_side_planes(two, x);
        if sides.lt(V::splat(0.0)).bits() != 0 {
            let least = sides.min_lane();
            if least < most.0 {
                // FourPlanes planes alone fill both halves: the first lane is the one that counts.
                most = (least, 4 * first as u32 + lanes::place(sides, least));
            }
        }
        first += 2;
    }
    (most.1 != NONE).then_some(most.1)
}

/// The plane of a vertex that a point (in both halves of `x`) lies farthest beyond, if it lies beyond one, and whether it lies
/// beyond the plane at the neighbour, too.
#[inline(always)]
pub(super) fn farthest_incident_edge<S: Simd>(planes_of_vertex: &[VertexPlanes], x: V<S>) -> Option<(u32, bool)> {
    let x = x.spread();
    let mut most = (0.0, NONE, false);
    let mut first = 0;
    for eight in planes_of_vertex {
        let (along, sides) = lanes::of_vertex(eight, x);
        if sides.lt(V::splat(0.0)).bits() != 0 {
            let least = sides.min_lane();
            if least < most.0 {
                let lane = lanes::place(sides, least);
                let past = along.lt(V::load(&eight.far)).bits();
                most = (least, first + lane, past >> lane & 1 == 1);
            }
        }
        first += LANES as u32;
    }
    (most.1 != NONE).then_some((most.1, most.2))
}

/// Clips an edge against planes, four or eight at a time. Of several planes beyond which all of it lies, that which it
/// comes least near to.
struct Clipping {
    clip: Clip,
    beyond: (f64, u32),
}

impl Clipping {
    const WHOLE: Self = Self { clip: Clip::WHOLE, beyond: (0.0, NONE) };

    /// By the planes from `first` on, the lanes in `used`: how far the tail and the head are from them.
    #[inline(always)]
    fn cut<S: Simd>(&mut self, (tail, head): (V<S>, V<S>), used: u8, first: u32) {
        let (zero, one) = (V::<S>::splat(0.0), V::splat(1.0));
        let (entering, leaving) = (tail.lt(zero).bits() & used, head.lt(zero).bits() & used);
        if entering | leaving == 0 {
            return;
        }
        if entering & leaving != 0 {
            let nearer = head.larger(tail);
            let least = nearer.min_lane();
            if least < self.beyond.0 {
                self.beyond = (least, first + lanes::place(nearer, least));
            }
            return;
        }
        let at = tail / (tail - head);
        if entering != 0 {
            let entry = Mask::from_bits(entering).pick(at, zero);
            let low = entry.max_lane();
            if low > self.clip.low {
                let lane = entry.ge(V::splat(low)).bits().trailing_zeros();
                (self.clip.low, self.clip.entry) = (low, first + (lane & 7));
            }
        }
        if leaving != 0 {
            let exit = Mask::from_bits(leaving).pick(at, one);
            let high = exit.min_lane();
            if high < self.clip.high {
                (self.clip.high, self.clip.exit) = (high, first + lanes::place(exit, high));
            }
        }
    }

    #[inline(always)]
    fn end(self) -> Cut {
        if self.beyond.1 == NONE { Cut::Part(self.clip) } else { Cut::Simple(self.beyond.1) }
    }
}

/// Clips an edge against all planes of a vertex.
#[inline(always)]
pub(super) fn clip_by_vertex<S: Simd>(planes_of_vertex: &[VertexPlanes], edge: &Segment<S>) -> Cut {
    let (tail, head) = (edge.0.low().spread(), edge.0.high().spread());
    let mut clipping = Clipping::WHOLE;
    let mut first = 0;
    for eight in planes_of_vertex {
        clipping.cut((lanes::of_vertex(eight, tail).1, lanes::of_vertex(eight, head).1), 0xff, first);
        first += LANES as u32;
    }
    clipping.end()
}

/// Clips an edge against all planes along the edges of a face.
#[inline(always)]
pub(super) fn clip_by_walls<S: Simd>(side_planes: &[FourPlanes], edge: &Segment<S>) -> Cut {
    let mut clipping = Clipping::WHOLE;
    let mut first = 0;
    for four in side_planes {
        let sides = lanes::of_ends(four, edge);
        clipping.cut((sides.low(), sides.high()), 0x0f, first);
        first += 4;
    }
    clipping.end()
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
pub(super) fn slope_to_vertex<S: Simd>(v: Vec3<f64>, edge: &Segment<S>, lambda: f64) -> Slope {
    let [tail, head] = edge.ends();
    let u = head - tail;
    let (tail, head) = (tail - v, head - v);
    let slope = between(u.dot(tail), u.dot(head), lambda);
    if slope == 0.0 && tail.scale(1.0 - lambda) + head.scale(lambda) == Vec3::ZERO {
        return Slope::Touching;
    }
    Slope::Of(slope)
}
