//! The directed Hausdorff distance of one surface from another, as a proven upper bound.
//!
//! `h(P, T) = max over p in P of min over q in T of |p - q|`, for convex polygons `P` and triangles
//! `T`. It is found by branch and bound. A polygon is bounded in two ways, and refined while its
//! bound is above that of a point found:
//!
//! - The distance to *one* triangle is a convex function. So no point of a polygon is farther from
//!   the triangle than its farthest corner.
//! - Distances change no faster than points move. So no point of a polygon is farther from `T` than
//!   its middle is, plus the distance from the middle to the farthest corner.
//!
//! A polygon is refined along the sides of its nearest triangle, if that settles the part above the
//! triangle: where triangles cover a polygon, each of them settles its own part, whatever the gaps
//! that rounding left between them. Else it is halved: across the direction in which its farthest
//! corner lies from the triangle, which splits a long slit along its middle; or across its longest
//! side, where the second bound is the smaller one. Every bound includes the rounding of the cuts
//! and of the distances.

use super::triangle_tree::{Corners, NearestTriangle, TriangleTree, bounds, distance2, offset};
use super::vec3::Vec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The bound is at most this part above the distance of a point, unless the work is cut short.
const EXCESS: f64 = 1.0 / 64.0;

/// Refinements for each polygon and triangle, and for any input.
const STEPS_EACH: usize = 16;
const STEPS: usize = 20_000;

/// Most boxes of triangles that are visited: for each polygon and triangle, and in addition for any
/// input. A search for the nearest triangle visits some tens of boxes, but all of them if they
/// overlap. Once the visits are used up, searches end at some triangle near by: bounds still hold.
const VISITS_EACH: usize = 2048;
const VISITS: usize = 1 << 24;

/// Boxes that any search may look at.
const VISITS_LEAST: usize = 256;

/// The corners of a convex polygon, in order.
type Polygon = Vec<Vec3<f64>>;

/// Reach of the first set from the second, in the unit of the coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceReach {
    /// No point of the first set is farther from the second: proven, rounding included.
    pub upper: f64,
    /// A point of the first set is so far away, but for rounding.
    pub lower: f64,
    /// The polygon of that point.
    pub polygon: usize,
}

/// Limits of a search of [`reach`], in the unit of the coordinates.
#[derive(Debug, Clone, Copy)]
pub struct ReachLimits {
    /// Distances up to this one are not told apart.
    pub settled: f64,
    /// The search ends once a point is farther than this.
    pub enough: f64,
}

/// Bounds the reach of convex polygons (of one corner and more) from triangles.
pub fn reach<'p>(
    polygons: impl Iterator<Item = &'p [Vec3<f64>]>,
    to: &TriangleTree,
    limits: ReachLimits,
) -> SurfaceReach {
    let polygons: Vec<&[Vec3<f64>]> = polygons.collect();
    let visits = VISITS + VISITS_EACH * (polygons.len() + to.len());
    reach_within(polygons.into_iter(), to, limits, visits)
}

/// Computes [`reach`], looking at `visits` boxes of triangles at most.
fn reach_within<'p>(
    polygons: impl Iterator<Item = &'p [Vec3<f64>]>,
    to: &TriangleTree,
    limits: ReachLimits,
    visits: usize,
) -> SurfaceReach {
    let polygons: Vec<&[Vec3<f64>]> = polygons.collect();
    let corners = polygons.iter().flat_map(|polygon| polygon.iter().copied());
    let (low, high) = bounds(corners.chain((0..to.len()).flat_map(|t| *to.triangle(t as u32))));
    let scale = low.to_array().into_iter().chain(high.to_array()).fold(0.0, |most: f64, c| most.max(c.abs()));
    let mut search = ReachSearch { to, scale, limits, found: (0.0, 0), settled: 0.0, visits, open: BinaryHeap::new() };
    for (source, polygon) in polygons.iter().enumerate() {
        search.add(polygon.to_vec(), source, 0);
    }
    let steps = STEPS + STEPS_EACH * (polygons.len() + to.len());
    let mut upper = search.settled;
    for step in 0..=steps {
        let Some(part) = search.open.pop() else {
            upper = search.settled;
            break;
        };
        if part.upper <= search.threshold() || search.found.0 > limits.enough || step == steps || search.visits == 0 {
            upper = part.upper.max(search.settled);
            break;
        }
        search.refine(part);
    }
    SurfaceReach { upper: upper.max(search.found.0), lower: search.found.0, polygon: search.found.1 }
}

/// A part of a polygon: the hull of its corners.
struct PolygonPart {
    upper: f64,
    corners: Vec<Vec3<f64>>,
    /// The triangle nearest to its middle.
    nearest: u32,
    source: usize,
    /// Cuts that led to it.
    cuts: u32,
    /// Vector from that triangle to its farthest corner; zero if the bound does not come from that
    /// distance.
    outward: Vec3<f64>,
}

/// The part of the largest bound comes first; of equal ones, that of the lowest polygon.
impl Ord for PolygonPart {
    fn cmp(&self, other: &Self) -> Ordering {
        self.upper.total_cmp(&other.upper).then(other.source.cmp(&self.source)).then(other.cuts.cmp(&self.cuts))
    }
}

impl PartialOrd for PolygonPart {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PolygonPart {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PolygonPart {}

struct ReachSearch<'t> {
    to: &'t TriangleTree,
    /// Largest magnitude of a coordinate.
    scale: f64,
    limits: ReachLimits,
    /// The largest distance of a point found, and its polygon.
    found: (f64, usize),
    /// The largest bound of a part that is not refined further.
    settled: f64,
    /// Boxes of triangles that may still be visited.
    visits: usize,
    open: BinaryHeap<PolygonPart>,
}

impl ReachSearch<'_> {
    /// Returns the bound up to which parts are not refined.
    fn threshold(&self) -> f64 {
        self.limits.settled.max(self.found.0 * (1.0 + EXCESS))
    }

    /// Bound on the rounding of a distance from a part after `cuts` cuts. With u = 2^-53 and
    /// coordinates up to the scale s: a cut places a corner off the line by less than 5 u s in each
    /// coordinate, 9 u s in all; the nearest point of a triangle, the difference and its length are
    /// off by less than 40 u s together. Both are rounded up.
    fn rounding(&self, cuts: u32) -> f64 {
        (0.5 * f64::EPSILON * self.scale * (64.0 + 16.0 * f64::from(cuts))).next_up()
    }

    /// The triangle nearest to a point of a polygon, or one near by, and the square of its
    /// distance.
    fn nearest(&mut self, p: Vec3<f64>, source: usize) -> (f64, u32) {
        let NearestTriangle { d2, triangle, visits, is_nearest } = self.to.nearest(p, self.visits.max(VISITS_LEAST));
        self.visits = self.visits.saturating_sub(visits);
        let distance = d2.sqrt();
        if is_nearest && distance > self.found.0 {
            self.found = (distance, source);
        }
        (d2, triangle)
    }

    /// Bounds a part, and keeps it unless it is settled.
    fn add(&mut self, corners: Vec<Vec3<f64>>, source: usize, cuts: u32) {
        let share = 1.0 / corners.len() as f64;
        let middle = corners.iter().fold(Vec3::ZERO, |sum, &corner| sum + corner).scale(share);
        let (d2, nearest) = self.nearest(middle, source);
        let round = |middle: Vec3<f64>| corners.iter().map(|&c| (c - middle).length2()).fold(0.0, f64::max).sqrt();
        let (farthest, by_corners) = farthest(&corners, self.to.triangle(nearest));
        let by_middle = d2.sqrt() + round(middle);
        let upper = by_corners.min(by_middle) + self.rounding(cuts);
        if upper > self.threshold() {
            self.nearest(corners[farthest], source);
        }
        if upper <= self.threshold() {
            self.settled = self.settled.max(upper);
        } else {
            let outward = match by_corners <= by_middle {
                true => offset(corners[farthest], self.to.triangle(nearest)),
                false => Vec3::ZERO,
            };
            self.open.push(PolygonPart { upper, corners, nearest, source, cuts, outward });
        }
    }

    fn refine(&mut self, part: PolygonPart) {
        let PolygonPart { upper, corners, nearest, source, cuts, outward } = part;
        let triangle = *self.to.triangle(nearest);
        if let Some((above, rest)) = self.cut_along(&corners, &triangle) {
            let bound = farthest(&above, &triangle).1 + self.rounding(cuts + 3);
            if bound <= self.threshold() {
                self.settled = self.settled.max(bound);
                rest.into_iter().for_each(|part| self.add(part, source, cuts + 3));
                return;
            }
        }
        let Some((below, beyond)) = self.halves(&corners, outward).or_else(|| self.halves(&corners, longest(&corners)))
        else {
            // As small as rounding.
            self.settled = self.settled.max(upper);
            return;
        };
        self.add(below, source, cuts + 1);
        self.add(beyond, source, cuts + 1);
    }

    /// A polygon halved across a direction; `None` if it is no wider than rounding.
    fn halves(&self, corners: &[Vec3<f64>], across: Vec3<f64>) -> Option<(Polygon, Polygon)> {
        let length = across.length();
        if length <= 0.0 {
            return None;
        }
        let along = across.scale(1.0 / length);
        let ends = corners.iter().map(|&p| along.dot(p));
        let (low, high) = (ends.clone().fold(f64::INFINITY, f64::min), ends.fold(f64::NEG_INFINITY, f64::max));
        let middle = low + 0.5 * (high - low);
        (high - low > self.rounding(0)).then(|| cut(corners, |p| along.dot(p) - middle))
    }

    /// The part of a polygon above (or below) a triangle, and the parts beyond its sides; `None` if
    /// there is nothing above it.
    fn cut_along(&self, corners: &[Vec3<f64>], triangle: &Corners) -> Option<(Polygon, Vec<Polygon>)> {
        let normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
        let mut above = corners.to_vec();
        let mut rest = Vec::new();
        for k in 0..3 {
            let (from, to) = (triangle[k], triangle[(k + 1) % 3]);
            let outward = (to - from).cross(normal);
            let length = outward.length();
            if length <= 0.0 || !length.is_finite() {
                return None;
            }
            // Corners nearly on the side count as on it: where a cut runs is free, and slivers cost
            // time.
            let on = 0.5 * self.rounding(0);
            let side = |p: Vec3<f64>| {
                let distance = outward.dot(p - from) / length;
                if distance.abs() <= on { 0.0 } else { distance }
            };
            let (inside, beyond) = cut(&above, side);
            // A part that only touches the prism over the triangle would come back whole.
            if !inside.iter().any(|&p| side(p) < 0.0) {
                return None;
            }
            if beyond.iter().any(|&p| side(p) > 0.0) {
                rest.push(beyond);
                above = inside;
            }
        }
        Some((above, rest))
    }
}

/// The axis along which a polygon is longest.
fn longest(corners: &[Vec3<f64>]) -> Vec3<f64> {
    let (low, high) = bounds(corners.iter().copied());
    let axis = (high - low).longest_axis();
    Vec3::from([0, 1, 2].map(|k| if k == axis { 1.0 } else { 0.0 }))
}

/// The corner farthest from a triangle, and its distance.
fn farthest(corners: &[Vec3<f64>], triangle: &Corners) -> (usize, f64) {
    let distances = corners.iter().map(|&corner| distance2(corner, triangle)).enumerate();
    let (index, d2) = distances.fold((0, 0.0), |most, next| if next.1 > most.1 { next } else { most });
    (index, d2.sqrt())
}

/// The parts of a polygon where a linear function is not above, and not below, zero; both keep the
/// corners at which it is zero. A part without a corner on its side is empty.
fn cut(corners: &[Vec3<f64>], function: impl Fn(Vec3<f64>) -> f64) -> (Polygon, Polygon) {
    let (mut below, mut beyond) = (Vec::with_capacity(corners.len() + 2), Vec::with_capacity(corners.len() + 2));
    for (k, &p) in corners.iter().enumerate() {
        let q = corners[(k + 1) % corners.len()];
        let (at_p, at_q) = (function(p), function(q));
        if at_p <= 0.0 {
            below.push(p);
        }
        if at_p >= 0.0 {
            beyond.push(p);
        }
        if (at_p < 0.0 && at_q > 0.0) || (at_p > 0.0 && at_q < 0.0) {
            let crossing = p + (q - p).scale(at_p / (at_p - at_q));
            below.push(crossing);
            beyond.push(crossing);
        }
    }
    (below, beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: ReachLimits = ReachLimits { settled: 1e-9, enough: f64::INFINITY };

    fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
        Vec3::new(x, y, z)
    }

    /// The square [0, 4] x [0, 4] of z = 0.
    fn square() -> Vec<Vec3<f64>> {
        vec![v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0), v(4.0, 4.0, 0.0), v(0.0, 4.0, 0.0)]
    }

    /// Triangles of the cells (their side is 4 / `cells`) for which `keep` is true, at a height
    /// each.
    fn cells(cells: usize, keep: impl Fn(usize, usize) -> bool, height: impl Fn(usize, usize) -> f64) -> Vec<Corners> {
        let side = 4.0 / cells as f64;
        let mut triangles = Vec::new();
        for (i, j) in (0..cells).flat_map(|i| (0..cells).map(move |j| (i, j))).filter(|&(i, j)| keep(i, j)) {
            let at = |i: usize, j: usize| v(i as f64 * side, j as f64 * side, height(i, j));
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend(if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
        triangles
    }

    fn of_square(triangles: Vec<Corners>) -> SurfaceReach {
        reach([&square()[..]].into_iter(), &TriangleTree::new(triangles), ALL)
    }

    #[test]
    fn a_polygon_that_is_covered_is_reached_but_for_rounding() {
        for n in [1, 2, 7, 40] {
            let found = of_square(cells(n, |_, _| true, |_, _| 0.0));
            assert!(found.upper < 1e-12, "{n} cells: {found:?}");
        }
        // Different triangulations on either side: no corner of one lies on a side of the other.
        let moved = cells(7, |_, _| true, |i, j| 1e-8 * ((3 * i + 5 * j) % 7) as f64);
        let found = of_square(moved);
        assert!(found.upper >= 6e-8 - 1e-9 && found.upper < 6.2e-8, "{found:?}");
    }

    #[test]
    fn a_hole_is_measured_to_its_middle() {
        // A hole of 2 x 2 in the middle: its middle is 1 away from the border.
        let found = of_square(cells(4, |i, j| !((1..3).contains(&i) && (1..3).contains(&j)), |_, _| 0.0));
        assert!(found.upper >= 1.0 && found.upper < 1.0 * (1.0 + EXCESS) + 1e-9 && found.lower <= 1.0, "{found:?}");
        // A narrow one at the border.
        let found = of_square(cells(40, |i, j| i > 0 || j != 20, |_, _| 0.0));
        assert!(found.upper >= 0.05 && found.upper < 0.052, "{found:?}");
        // One that is far narrower than the tolerance of a tessellation.
        let slit = |x: f64| {
            [[v(0.0, 0.0, 0.0), v(x, 0.0, 0.0), v(x, 4.0, 0.0)], [v(0.0, 0.0, 0.0), v(x, 4.0, 0.0), v(0.0, 4.0, 0.0)]]
        };
        let other = slit(2.0).map(|t| t.map(|p| v(4.0 - p.x, p.y, p.z)));
        let found = of_square([slit(2.0 - 2e-6), other].concat());
        assert!(found.upper >= 1e-6 && found.upper < 1.1e-6, "{found:?}");
    }

    #[test]
    fn bounds_hold_against_sampled_points() {
        let mut state = 9_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for round in 0..60 {
            let triangles: Vec<Corners> = (0..1 + round)
                .map(|_| [0; 3].map(|_| v(5.0 * next() - 0.5, 5.0 * next() - 0.5, 0.2 * next())))
                .collect();
            let found = of_square(triangles.clone());
            assert!(found.upper <= found.lower * (1.0 + EXCESS) + 1e-9, "round {round}: {found:?}");
            for _ in 0..300 {
                let p = v(4.0 * next(), 4.0 * next(), 0.0);
                let d = triangles.iter().map(|t| distance2(p, t)).fold(f64::INFINITY, f64::min).sqrt();
                assert!(d <= found.upper, "round {round}: {d} at {p:?}, but {found:?}");
            }
        }
    }

    #[test]
    fn triangles_whose_boxes_overlap_take_no_more_than_their_share_of_work() {
        let mut state = 3_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut point = || v(next(), next(), next());
        let triangles: Vec<Corners> = (0..3000).map(|_| [0; 3].map(|_| point())).collect();
        let polygons: Vec<Corners> = (0..3000).map(|_| [0; 3].map(|_| point())).collect();
        let tree = TriangleTree::new(triangles.clone());
        let limits = ReachLimits { settled: 1e-9, enough: f64::INFINITY };
        let whole = reach(polygons.iter().map(|p| &p[..]), &tree, limits);
        let cut = reach_within(polygons.iter().map(|p| &p[..]), &tree, limits, 10_000);
        assert!(cut.lower <= whole.upper && cut.upper >= whole.lower && cut.upper < 4.0, "{cut:?} {whole:?}");
        for corner in polygons.as_flattened() {
            let d = triangles.iter().map(|t| distance2(*corner, t)).fold(f64::INFINITY, f64::min).sqrt();
            assert!(d <= cut.upper, "{d} {cut:?}");
        }
    }

    #[test]
    fn segments_and_points_have_a_distance_too() {
        let tree = TriangleTree::new(vec![[v(0.0, 0.0, 1.0), v(4.0, 0.0, 1.0), v(0.0, 4.0, 1.0)]]);
        let segment = [v(0.0, 0.0, 0.0), v(1.0, 1.0, -2.0)];
        let found = reach([&segment[..], &segment[..1]].into_iter(), &tree, ALL);
        assert!(found.upper >= 3.0 && found.upper < 3.05 && found.polygon == 0, "{found:?}");
    }

    #[test]
    fn a_search_that_needs_no_number_ends_early() {
        let tree = TriangleTree::new(cells(1, |_, _| true, |_, _| 1.0));
        let found = reach([&square()[..]].into_iter(), &tree, ReachLimits { settled: 2.0, enough: 2.0 });
        assert!(found.upper >= 1.0 && found.upper <= 2.0, "{found:?}");
        let found = reach([&square()[..]].into_iter(), &tree, ReachLimits { settled: 0.1, enough: 0.5 });
        assert!(found.lower > 0.5 && found.upper >= 1.0, "{found:?}");
    }
}
