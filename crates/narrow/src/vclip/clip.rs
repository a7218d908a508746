//! Clipping of an edge against the planes of a Voronoi region, and the signs of the distance's
//! derivative at the crossings (Mirtich 1997, Algorithms 1 and 2).
//!
//! A point of the edge is `e(lambda) = (1 - lambda) tail + lambda head`. Every function of `lambda`
//! that is needed is linear, so its values at both ends represent it, and equal tests of two states
//! give equal signs.

use super::plane_distances::{ends_to_four, lane_of_least, to_side_planes, to_vertex_planes};
use super::regions::Segment;
use clearsweep_base::simd::{Mask, Simd, V};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::planes::{FourPlanes, VertexPlanes};
use clearsweep_geometry::polyhedron::LANES;

/// No plane.
pub(super) const NONE: u32 = u32::MAX;

/// The part of an edge within the planes so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clip {
    pub(super) low: f64,
    pub(super) high: f64,
    /// The plane through which the edge enters, by its place or lane; [`NONE`] if the part begins
    /// at the tail.
    pub(super) entry: u32,
    /// The plane through which it leaves; [`NONE`] if the part ends at the head.
    pub(super) exit: u32,
}

/// The result of clipping an edge.
#[derive(Debug, Clone, Copy)]
pub(super) enum ClipResult {
    /// Simple exclusion: both ends lie beyond this plane.
    Excluded(u32),
    /// The part within the planes; empty (compound exclusion) if it leaves (`high`) before it
    /// enters (`low`).
    Part(Clip),
}

impl Clip {
    /// The whole edge.
    pub(super) const WHOLE: Self = Self { low: 0.0, high: 1.0, entry: NONE, exit: NONE };

    /// Compound exclusion: an entry after an exit leaves nothing.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.low > self.high
    }

    /// Clips against plane `number`, given the signed distances of the ends, negative beyond the
    /// plane, not both. The divisor is never smaller than the dividend.
    #[inline(always)]
    pub(super) fn cut(&mut self, (tail, head): (f64, f64), number: u32) {
        debug_assert!(!(tail < 0.0 && head < 0.0), "simple exclusion comes first");
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

/// Algorithm 2 at an end of the clipped part: whether the distance falls beyond the plane that is
/// crossed there, so that the search goes on to the feature beyond it.
#[inline(always)]
pub(super) fn falls_beyond(slope: Slope, entry: bool) -> bool {
    matches!(slope, Slope::Of(slope) if (if entry { slope > 0.0 } else { slope < 0.0 }))
}

/// The side plane of a face that a point (in both halves of `x`) violates most, if it violates one.
#[inline(always)]
pub(super) fn most_violated_side<S: Simd>(side_planes: &[FourPlanes], x: V<S>) -> Option<u32> {
    let x = Vec3::spread(x);
    let mut most = (0.0, NONE);
    let mut first = 0;
    while first < side_planes.len() {
        let two = &side_planes[first..side_planes.len().min(first + 2)];
        let sides = to_side_planes(two, x);
        if sides.lt(V::splat(0.0)).bits() != 0 {
            let least = sides.min_lane();
            if least < most.0 {
                // A single block of four planes fills both halves: its first lane is the plane's
                // place.
                most = (least, 4 * first as u32 + lane_of_least(sides, least));
            }
        }
        first += 2;
    }
    (most.1 != NONE).then_some(most.1)
}

/// The plane of a vertex that a point (in both halves of `x`) violates most, by the place of its
/// incident edge, and whether the point also violates the parallel plane at the neighbour. `None`
/// if it violates none.
#[inline(always)]
pub(super) fn most_violated_incident_edge<S: Simd>(planes: &[VertexPlanes], x: V<S>) -> Option<(u32, bool)> {
    let x = Vec3::spread(x);
    let mut most = (0.0, NONE, false);
    let mut first = 0;
    for eight in planes {
        let (height, sides) = to_vertex_planes(eight, x);
        if sides.lt(V::splat(0.0)).bits() != 0 {
            let least = sides.min_lane();
            if least < most.0 {
                let lane = lane_of_least(sides, least);
                let past = height.lt(V::load(&eight.neighbour_offsets)).bits();
                most = (least, first + lane, past >> lane & 1 == 1);
            }
        }
        first += LANES as u32;
    }
    (most.1 != NONE).then_some((most.1, most.2))
}

/// The state of clipping an edge against planes, four or eight at a time. Of several planes that
/// exclude the whole edge, the one from which it stays farthest is kept.
struct Clipping {
    clip: Clip,
    excluded: (f64, u32),
}

impl Clipping {
    const WHOLE: Self = Self { clip: Clip::WHOLE, excluded: (0.0, NONE) };

    /// Clips against the planes from number `first` on, in the lanes of `used`; `tail` and `head`:
    /// their signed distances.
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
            if least < self.excluded.0 {
                self.excluded = (least, first + lane_of_least(nearer, least));
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
                (self.clip.high, self.clip.exit) = (high, first + lane_of_least(exit, high));
            }
        }
    }

    #[inline(always)]
    fn end(self) -> ClipResult {
        if self.excluded.1 == NONE { ClipResult::Part(self.clip) } else { ClipResult::Excluded(self.excluded.1) }
    }
}

/// Clips an edge against all planes of a vertex.
#[inline(always)]
pub(super) fn clip_by_vertex<S: Simd>(planes: &[VertexPlanes], edge: &Segment<S>) -> ClipResult {
    let (tail, head) = (Vec3::spread(edge.0.low()), Vec3::spread(edge.0.high()));
    let mut clipping = Clipping::WHOLE;
    let mut first = 0;
    for eight in planes {
        clipping.cut((to_vertex_planes(eight, tail).1, to_vertex_planes(eight, head).1), 0xff, first);
        first += LANES as u32;
    }
    clipping.end()
}

/// Clips an edge against all side planes of a face.
#[inline(always)]
pub(super) fn clip_by_side_planes<S: Simd>(side_planes: &[FourPlanes], edge: &Segment<S>) -> ClipResult {
    let mut clipping = Clipping::WHOLE;
    let mut first = 0;
    for four in side_planes {
        let sides = ends_to_four(four, edge);
        clipping.cut((sides.low(), sides.high()), 0x0f, first);
        first += 4;
    }
    clipping.end()
}

/// The derivative of the distance from an edge's point to a feature, along the edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Slope {
    /// A number with its sign.
    Of(f64),
    /// The edge meets the feature there: the distance is zero and not differentiable.
    Touching,
}

/// The test of an edge against a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RegionExit<T> {
    /// Its nearest point lies in the region.
    Inside,
    /// The nearest point lies outside; go on to this neighbour.
    To(T),
    /// The edge meets a feature: the distance is zero.
    Touching,
}

/// The value at `lambda` of the linear function with these values at the ends; it has their sign if
/// both agree.
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
