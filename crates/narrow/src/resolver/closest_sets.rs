//! Ties that no certificate of parallel features accepts: the sets of closest points along a
//! direction, found with a tolerance of a few rounding bounds. The intersection may be a sliver, a
//! segment or a point, and the sets may be of several faces that are coplanar but for rounding.
//!
//! Published is the middle of the intersection, as for parallel features
//! (`parallel_features/closest.rs`). Since the cold resolver starts from the pose alone, so does
//! this choice, and only the bracket has to be proven.

use crate::answer::Answer;
use crate::certificate::Certificate;
use crate::feature::FeatureKind::Vertex;
use crate::feature::{Feature, FeaturePair};
use crate::pair::Pair;
use crate::parallel_features::equal_depths::{ROUNDING, between_means};
use crate::parallel_features::{self, PlanePoint};
use crate::solve_outcome::PROMISE;
use crate::support;
use crate::support_planes::VerticesOnPlanes;
use clearsweep_geometry::{Polyhedron, Vec3};
use clearsweep_model::Method;
use smallvec::SmallVec;

/// How far vertices may lie below the supporting planes, and points outside of a polygon, in bounds
/// E. The bracket opens by three times as much at most, and stays within its promise.
const LEVEL: f64 = 8.0;

/// How far the sets of closest points may miss each other by rounding, in shares of the level: the
/// least that lets them meet.
const ROOM: [f64; 3] = [1.0 / 128.0, 1.0 / 8.0, 1.0];

/// See [`ClosestSets::is_contact`], in bounds E: half of what certificates leave alone.
const CONTACT: f64 = 2.0;

/// Width below which an intersection counts as a segment or a point, in bounds E: its area is
/// rounding.
const SLIVER: f64 = 4096.0;

/// Vertices of an intersection, at most.
const MOST: usize = 4096;

/// The corners of a convex polygon, of a segment or a point.
type OutlineCorners = SmallVec<[PlanePoint<f64>; 12]>;

/// The sets of closest points along a direction.
pub(super) struct ClosestSets {
    pub(super) features: FeaturePair,
    pub(super) normal: Vec3<f64>,
    /// The gap of the supporting planes, metres.
    pub(super) gap: f64,
    point_a: Vec3<f64>,
    /// Bound on the distance of the witness points from the bodies, metres.
    pub(super) residual: f64,
}

impl ClosestSets {
    /// Finds the sets of parallel features along the unit vector `n`. `None` if the features that
    /// support the cores are not parallel, or have no point in common, seen along `n`.
    pub(super) fn new(pair: &Pair<'_, f64>, n: Vec3<f64>) -> Option<Self> {
        Self::of_any(pair, n).filter(|sets| sets.features.a.kind != Vertex && sets.features.b.kind != Vertex)
    }

    /// Finds the sets of any features: the set of closest points is a point if one is a vertex.
    pub(super) fn of_any(pair: &Pair<'_, f64>, n: Vec3<f64>) -> Option<Self> {
        let level = LEVEL * pair.bound();
        let planes = VerticesOnPlanes::new(pair, n, level);
        let features = planes.largest_features(pair)?;
        let [on_a, on_b] = planes.lists();
        if on_a.len() + on_b.len() > MOST {
            return None;
        }
        let axes = axes_across(n);
        let project = |x: Vec3<f64>| axes.map(|axis| axis.dot(x));
        let a = convex_outline(on_a.iter().map(|&v| project(pair.vertex_a(v))).collect());
        let b = convex_outline(on_b.iter().map(|&v| project(pair.vertex_b(v))).collect());
        if a.len() == 2 && b.len() == 2 && !are_parallel(&a, &b, level) {
            return None;
        }
        let common = ROOM.into_iter().find_map(|room| intersection(&a, &b, room * level))?;
        let middle = middle(&common, SLIVER * pair.bound());
        let [u, v] = axes;
        let point_a = u.scale(middle[0]) + v.scale(middle[1]) + n.scale(support::max_dot(pair.a, n));
        let gap = pair.gap(n);
        let spread = spread(on_a.iter().map(|&v| n.dot(pair.vertex_a(v))))
            + spread(on_b.iter().map(|&v| n.dot(pair.vertex_b(v))));
        let residual = spread + distance_to(&a, middle) + distance_to(&b, middle);
        let features = planes.features_at(pair, features, [point_a, point_a + n.scale(gap)], level)?;
        Some(Self { features, normal: n, gap, point_a, residual })
    }

    /// Whether the cores are in contact so closely that no certificate of a unique feature pair
    /// holds: it leaves contact alone.
    pub(super) fn is_contact(&self, pair: &Pair<'_, f64>) -> bool {
        self.gap.abs() + self.residual <= CONTACT * pair.bound()
    }

    /// Whether [`answer`](Self::answer) decides them without a proven depth: cores that are apart,
    /// or in contact. Of cores that overlap by more, a certificate may hold whose depth a surface
    /// proves.
    pub(super) fn needs_no_depth(&self, pair: &Pair<'_, f64>) -> bool {
        self.gap > 0.0 || self.is_contact(pair)
    }

    /// The answer, if its bracket is as narrow as promised. `upper`: a proven upper end of the
    /// signed distance where the cores overlap, metres.
    pub(super) fn answer(&self, pair: &Pair<'_, f64>, upper: Option<f64>) -> Option<Answer> {
        let (bound, lower) = (pair.bound(), self.gap - pair.bound());
        let upper = upper.unwrap_or(self.gap.abs() + self.residual + bound);
        (upper - lower <= PROMISE * pair.size).then_some(Answer {
            features: self.features,
            normal: self.normal,
            distance: self.gap,
            point_a: self.point_a,
            lower,
            upper,
            method: Method::Tie,
        })
    }
}

/// The answer of the parallel features along `n` if they alone support cores that do not overlap:
/// what every other way accepts.
pub(super) fn strict(pair: &Pair<'_, f64>, n: Vec3<f64>) -> Option<Answer> {
    parallel_features::along(pair, n, 1.0).filter(Certificate::in_contact_band).map(|tie| Answer::certified(&tie))
}

/// An answer of the rungs below with the middle of the sets of closest points as its witness
/// points, if they are more than a point. The answer of the parallel features themselves, if they
/// alone support the cores: every other way gives it.
pub(super) fn with_middle(pair: &Pair<'_, f64>, answer: Answer) -> Answer {
    if answer.method == Method::Strict || answer.lower.is_nan() {
        return answer;
    }
    if let Some(tie) = strict_around(pair, &answer) {
        return tie;
    }
    match ClosestSets::new(pair, answer.normal) {
        Some(sets) => Answer { features: sets.features, point_a: sets.point_a, method: Method::Tie, ..answer },
        None => answer,
    }
}

/// The answer of the parallel features that those of an `answer` belong to, if it has the same
/// depth or distance. The direction of the answer need not be theirs: edges of two parallel faces
/// that cross at an angle just above rounding have one of their own, which may be far off the
/// normals, and a facet that lies in that of the faces.
fn strict_around(pair: &Pair<'_, f64>, answer: &Answer) -> Option<Answer> {
    let along = |n: Vec3<f64>| {
        let tie = Answer::certified(&parallel_features::along(pair, n, 1.0)?);
        (tie.lower <= answer.lower && answer.upper <= tie.upper).then_some(tie)
    };
    let FeaturePair { a, b } = answer.features;
    let belong = |tie: &Answer| belongs_to(pair.a, a, tie.features.a) && belongs_to(pair.b, b, tie.features.b);
    along(answer.normal).or_else(|| {
        let faces = [faces_with(pair.a, a), faces_with(pair.b, b)];
        let mut directions = parallel_features::face_directions(pair, [&faces[0], &faces[1]]).into_iter();
        directions.find_map(|n| along(n).filter(belong))
    })
}

/// Whether all vertices of a feature are of another one.
fn belongs_to(p: &Polyhedron, part: Feature, whole: Feature) -> bool {
    part.vertices(p, &mut [0; 2]).iter().all(|&v| whole.has_vertex(p, v))
}

/// The faces that a feature belongs to, ascending.
fn faces_with(p: &Polyhedron, feature: Feature) -> Vec<u32> {
    let mut faces: Vec<u32> = p.faces_of(feature.first_vertex(p)).collect();
    faces.retain(|&f| belongs_to(p, feature, Feature::face(f)));
    faces.sort_unstable();
    faces.dedup();
    faces
}

/// The difference of the largest and the least of some heights.
fn spread(heights: impl Iterator<Item = f64>) -> f64 {
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
    high - low
}

/// Two unit vectors across a unit vector.
fn axes_across(n: Vec3<f64>) -> [Vec3<f64>; 2] {
    let [x, y, z] = n.to_array().map(f64::abs);
    let least = if x <= y && x <= z {
        0
    } else if y <= z {
        1
    } else {
        2
    };
    let axis = Vec3::from([0, 1, 2].map(|k| f64::from(u8::from(k == least))));
    let u = (axis - n.scale(axis.dot(n))).normalized();
    [u, n.cross(u)]
}

fn minus(a: PlanePoint<f64>, b: PlanePoint<f64>) -> PlanePoint<f64> {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: PlanePoint<f64>, b: PlanePoint<f64>) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

fn dot(a: PlanePoint<f64>, b: PlanePoint<f64>) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn length(a: PlanePoint<f64>) -> f64 {
    dot(a, a).sqrt()
}

/// The convex hull of points, counter-clockwise (Andrew's monotone chain); two points where they
/// lie on a line.
fn convex_outline(mut points: OutlineCorners) -> OutlineCorners {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let half = |points: &mut dyn Iterator<Item = &PlanePoint<f64>>| {
        let mut chain: OutlineCorners = OutlineCorners::new();
        for &x in points {
            while let [.., p, q] = chain[..]
                && cross(minus(q, p), minus(x, q)) <= 0.0
            {
                chain.pop();
            }
            chain.push(x);
        }
        chain.pop();
        chain
    };
    if points.len() < 3 {
        return points;
    }
    let mut outline = half(&mut points.iter());
    outline.extend(half(&mut points.iter().rev()));
    outline
}

/// Whether two segments are parallel: neither end is off the other's direction by more than
/// `level`.
fn are_parallel(a: &[PlanePoint<f64>], b: &[PlanePoint<f64>], level: f64) -> bool {
    let (along_a, along_b) = (minus(a[1], a[0]), minus(b[1], b[0]));
    cross(along_a, along_b).abs() <= level * length(along_a).max(length(along_b))
}

/// Intersects a polygon, segment or point `a` with `b`, whose sides are moved outward by `level`
/// (Sutherland and Hodgman 1974); `None` if nothing is left.
fn intersection(a: &[PlanePoint<f64>], b: &[PlanePoint<f64>], level: f64) -> Option<OutlineCorners> {
    let mut left = OutlineCorners::from_slice(a);
    for (i, &start) in b.iter().enumerate() {
        let side = minus(b[(i + 1) % b.len()], start);
        let least = -level * length(side);
        left = clipped(&left, |x| cross(side, minus(x, start)) - least);
    }
    if let [p, q] = *b {
        // The ends of a segment.
        let along = minus(q, p);
        let least = -level * length(along);
        left = clipped(&left, |x| dot(along, minus(x, p)) - least);
        left = clipped(&left, |x| dot(along, minus(q, x)) - least);
    }
    (!left.is_empty()).then_some(left)
}

/// The part of a polygon where a linear function is not negative.
fn clipped(polygon: &[PlanePoint<f64>], height: impl Fn(PlanePoint<f64>) -> f64) -> OutlineCorners {
    let mut left = OutlineCorners::new();
    for (i, &from) in polygon.iter().enumerate() {
        let to = polygon[(i + 1) % polygon.len()];
        let (here, next) = (height(from), height(to));
        if here >= 0.0 {
            left.push(from);
        }
        if (here >= 0.0) != (next >= 0.0) {
            let s = here / (here - next);
            left.push([from[0] + (to[0] - from[0]) * s, from[1] + (to[1] - from[1]) * s]);
        }
    }
    left
}

/// The centroid of a convex polygon; of one that is thinner than `sliver`, the middle of its
/// length.
fn middle(polygon: &[PlanePoint<f64>], sliver: f64) -> PlanePoint<f64> {
    let from = polygon[0];
    let far = |x: PlanePoint<f64>| {
        let farther =
            |a: PlanePoint<f64>, b: PlanePoint<f64>| if length(minus(b, x)) > length(minus(a, x)) { b } else { a };
        polygon.iter().copied().fold(x, farther)
    };
    let p = far(from);
    let q = far(p);
    let (mut area, mut moment) = (0.0, [0.0; 2]);
    for pair in polygon[1..].windows(2) {
        let (a, b) = (minus(pair[0], from), minus(pair[1], from));
        let triangle = cross(a, b);
        area += triangle;
        moment = [moment[0] + triangle * (a[0] + b[0]), moment[1] + triangle * (a[1] + b[1])];
    }
    if area <= sliver * length(minus(q, p)) {
        return [0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])];
    }
    [from[0] + moment[0] / (3.0 * area), from[1] + moment[1] / (3.0 * area)]
}

/// The distance of a point from a convex polygon, segment or point.
fn distance_to(polygon: &[PlanePoint<f64>], x: PlanePoint<f64>) -> f64 {
    let sides = polygon.iter().enumerate().map(|(i, &from)| (from, polygon[(i + 1) % polygon.len()]));
    let is_inside = polygon.len() > 2 && sides.clone().all(|(from, to)| cross(minus(to, from), minus(x, from)) >= 0.0);
    if is_inside {
        return 0.0;
    }
    let to_side = |(from, to): (PlanePoint<f64>, PlanePoint<f64>)| {
        let (along, w) = (minus(to, from), minus(x, from));
        let squared = dot(along, along);
        let s = if squared > 0.0 { (dot(w, along) / squared).clamp(0.0, 1.0) } else { 0.0 };
        length(minus(w, [along[0] * s, along[1] * s]))
    };
    sides.map(to_side).fold(f64::INFINITY, f64::min)
}

/// The place of the direction that the rule prefers among several that are equally good: of those
/// nearest to the line between the means of the vertices, up to rounding, the first.
pub(super) fn preferred(pair: &Pair<'_, f64>, directions: impl Iterator<Item = Vec3<f64>> + Clone) -> Option<usize> {
    let between = between_means([pair.a, pair.b], &pair.pose);
    let least = directions.clone().map(|n| n.dot(between)).reduce(f64::max)? - ROUNDING * pair.size;
    directions.clone().position(|n| n.dot(between) >= least)
}
