//! Bodies that overlap by more than `touch`, if nobody asks how deep: `[query] answer = "overlap"`
//! or `"distance"`.
//!
//! A pair counts as overlapping once anything proves a depth beyond [`OverlapDepths`]: a
//! tetrahedron of the Minkowski difference around the origin, a pair of pieces, triangles that
//! cross. The proof may depend on the memory, so the row does not: its upper end is the depth asked
//! for, its lower end the overlap of the supporting planes of the hulls along a fixed direction. A
//! depth that is not proven so is searched for as ever, and where it is beyond [`OverlapDepths`],
//! the same row stands in its place.

use super::answer::Answer;
use super::bodies::Bodies;
use super::deviation::Deviation;
use super::duality::{self, DifferenceFace};
use super::feature::{Feature, FeaturePair};
use super::gjk::Simplex;
use super::pair::Pair;
use super::solve_outcome::PROMISE;
use clearsweep_geometry::Vec3;
use clearsweep_model::{AnswerKind, FeatureKind, Method, Proximity, QueryOptions, Status};

/// The depths beyond which a pair counts as overlapping, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverlapDepths {
    /// Depth of two cores.
    pub cores: f64,
    /// Depth of two bodies; less than `cores` by more than the growth of a row rounds.
    pub bodies: f64,
    /// Whether the supporting planes along the axes of both frames are compared too.
    along_axes: bool,
}

impl OverlapDepths {
    /// Returns the depths that prove an overlap of these bodies; `None` if their depth is asked
    /// for.
    #[inline]
    pub(super) fn of(bodies: &Bodies<'_>, options: &QueryOptions) -> Option<Self> {
        let along_axes = match options.answer {
            AnswerKind::Depth => return None,
            AnswerKind::Distance => true,
            AnswerKind::Overlap => false,
        };
        // A deviation is added to the upper end, which stays below `-touch`.
        let least = (options.touch + Deviation::of(bodies.a, bodies.b).by) * (1.0 + 8.0 * f64::EPSILON);
        let width = PROMISE * bodies.size();
        Some(Self { cores: least + width, bodies: least + 0.5 * width, along_axes })
    }

    /// Whether the points of a simplex prove that cores overlap by more than this.
    pub(super) fn are_proven_by(&self, pair: &Pair<'_, f64>, simplex: &Simplex) -> bool {
        is_known(pair, simplex) && self.is_within(inner_radius(pair, simplex.points(pair)), pair)
    }

    /// Whether a face of the difference proves the same: with the inner point from which CD-Dual
    /// looks through the origin it spans tetrahedra, and one of them holds the origin.
    pub(super) fn are_proven_by_face(&self, pair: &Pair<'_, f64>, face: &DifferenceFace) -> bool {
        let inner = duality::inner_point(pair);
        let corners = face.corners(pair);
        let [first, rest @ ..] = &corners[..] else { return false };
        let fan = rest.windows(2).map(|side| inner_radius(pair, [*first, side[0], side[1], inner]));
        self.is_within(fan.fold(f64::NEG_INFINITY, f64::max), pair)
    }

    /// Whether a ball of this radius around the origin, metres, lies deep enough in the difference.
    fn is_within(&self, radius: f64, pair: &Pair<'_, f64>) -> bool {
        // The brackets of the searches are narrower than the width promised, so they say the same.
        radius > self.cores + 2.0 * PROMISE * pair.size
    }

    /// Returns the answer about cores that overlap by more than this.
    pub(super) fn answer(&self, pair: &Pair<'_, f64>) -> Answer {
        let (overlap, n) = self.hull_overlap(pair);
        let middle = Vec3::<f64>::from_f64(pair.a.mean);
        let to_plane = super::support::max_dot(pair.a, n) - n.dot(middle);
        Answer {
            features: FeaturePair { a: Feature::vertex(0), b: Feature::vertex(0) },
            normal: n,
            distance: -overlap,
            point_a: middle + n.scale(to_plane),
            lower: -overlap,
            upper: -self.cores,
            method: Method::Bound,
        }
    }

    /// Returns the row of bodies that overlap by more than this, as they are stored.
    pub(super) fn row(&self, bodies: &Bodies<'_>) -> Proximity {
        let [a, b] = [bodies.a.hull(), bodies.b.hull()];
        let pair = Pair::new(&a.core, &b.core, bodies.relative, a.radius + b.radius);
        let answer = self.answer(&pair);
        let growth = a.radius + b.radius;
        let distance = (answer.distance - growth - f64::EPSILON * bodies.size()).next_down();
        let point_a = answer.point_a + answer.normal.scale(a.radius);
        Proximity {
            sample: 0,
            status: Status::Penetrating,
            method: Method::Bound,
            feature_kind: [FeatureKind::Face; 2],
            feature: [NOT_SOUGHT; 2],
            part: [NOT_SOUGHT; 2],
            distance,
            lower: distance,
            upper: -self.bodies,
            point_a,
            point_b: point_a + answer.normal.scale(distance),
            normal: answer.normal,
            protrusion: f64::NAN,
        }
    }

    /// Returns the overlap of the supporting planes of cores, rounded up, metres, and its unit
    /// direction in A's frame: along the line between the means of their vertices; if asked for,
    /// along the axes of both frames too, the least of them.
    fn hull_overlap(&self, pair: &Pair<'_, f64>) -> (f64, Vec3<f64>) {
        let line = pair.pose.point(pair.b.mean) - Vec3::<f64>::from_f64(pair.a.mean);
        let unit = [0, 1, 2].map(|k| Vec3::from(std::array::from_fn(|i| f64::from(u8::from(i == k)))));
        let first = Some(line.normalized()).filter(|n| n.is_finite()).unwrap_or(unit[0]);
        let others = unit.into_iter().chain(unit.map(|axis| pair.pose.vector(axis)));
        let others = others.filter(|_| self.along_axes).map(|n| if n.dot(line) < 0.0 { -n } else { n });
        let overlap = |n: Vec3<f64>| (pair.bound() - pair.gap(n)).next_up();
        let least = |best: (f64, Vec3<f64>), n: Vec3<f64>| {
            let next = (overlap(n), n);
            if next.0 < best.0 { next } else { best }
        };
        others.fold((overlap(first), first), least)
    }
}

/// The number of a feature or part that is not looked for.
pub(super) const NOT_SOUGHT: i32 = -1;

/// Whether a simplex has four vertices, all of them of this pair.
fn is_known(pair: &Pair<'_, f64>, simplex: &Simplex) -> bool {
    let counts = [pair.a.count, pair.b.count];
    let is_of_pair = |&[i, j]: &[u32; 2]| (i as usize) < counts[0] && (j as usize) < counts[1];
    simplex.count == 4 && simplex.as_slice().iter().all(is_of_pair)
}

/// Radius, metres, of a ball around the origin that the tetrahedron of four points of the
/// difference is proven to hold, each point within the rounding bound; negative infinity if
/// nothing is proven.
fn inner_radius(pair: &Pair<'_, f64>, points: [Vec3<f64>; 4]) -> f64 {
    const NOTHING: f64 = f64::NEG_INFINITY;
    let (bound, size) = (pair.bound(), pair.size);
    let mut least = f64::INFINITY;
    for k in 0..4 {
        let [p, q, r, apex] = [0, 1, 2, 3].map(|i: usize| points[(k + i) % 4]);
        let normal = (q - p).cross(r - p);
        let length = normal.length();
        // The points are off by less than `bound`, so the normal is off by less than 16 bounds
        // times the size, and turns by that over its length.
        let error = bound * (1.0 + 16.0 * size * size / length);
        let n = normal.scale(1.0 / length);
        let (of_apex, of_origin) = (n.dot(apex - p), -n.dot(p));
        let inner = if of_apex > 0.0 { of_origin } else { -of_origin };
        let is_on_its_side = of_apex.abs() > error && inner > error;
        if !is_on_its_side {
            return NOTHING;
        }
        least = least.min(inner - error);
    }
    least
}
