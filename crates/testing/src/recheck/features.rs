//! Closest points of two features: points of the bodies, so that their distance bounds the bodies'
//! from above.
//!
//! The features are those that a row names, looked up in the verifier's own hull. What is computed
//! here is valid whatever they are: shares are clamped into edges, and feet outside a face are
//! refused.

use clearsweep_narrow::{FeatureKind, Proximity};

use crate::oracle::number::{Number, Vector, Wide, add, cross, dot, norm, sub, times, wide};
use crate::recheck::hull::{Facet, sides};
use crate::recheck::place::{FILTER, FINE, Pair};
use clearsweep_verifier::ConvexCore;

/// A feature of a body, by indices of its points.
#[derive(Clone, Copy)]
pub enum Feature<'a> {
    Vertex(usize),
    Edge([usize; 2]),
    Face(usize, &'a Facet),
}

impl Feature<'_> {
    fn corners(&self) -> Vec<usize> {
        match self {
            Self::Vertex(k) => vec![*k],
            Self::Edge(ends) => ends.to_vec(),
            Self::Face(_, facet) => facet.corners.clone(),
        }
    }
}

/// The features that a row names; `None` where a body has no such feature.
pub fn named<'a>(pair: &Pair<'a>, row: &Proximity) -> Option<[Feature<'a>; 2]> {
    let of = |solid: &'a ConvexCore, side: usize| {
        let index = usize::try_from(row.feature[side]).ok()?;
        match row.feature_kind[side] {
            FeatureKind::Vertex => (index < solid.points.len()).then_some(Feature::Vertex(index)),
            FeatureKind::Edge => solid.hull().edges.get(index).map(|e| Feature::Edge(e.ends)),
            FeatureKind::Face => solid.hull().facets.get(index).map(|f| Feature::Face(index, f)),
            // No solid here is round.
            FeatureKind::Round => None,
        }
    };
    Some([of(pair.a, 0)?, of(pair.b, 1)?])
}

/// Points and normals of both bodies in A's frame, in some numbers.
trait Frame<T: Number> {
    fn a(&self, point: usize) -> Vector<T>;
    fn b(&self, point: usize) -> Vector<T>;
    fn normal_a(&self, facet: usize) -> Vector<T>;
    fn normal_b(&self, facet: usize) -> Vector<T>;
    /// Least distance of a foot from the border of its face, metres.
    fn inset(&self) -> T;
}

struct Rough<'a, 'b>(&'b Pair<'a>);
struct Fine<'a, 'b>(&'b Pair<'a>);

impl Frame<f64> for Rough<'_, '_> {
    fn a(&self, point: usize) -> Vector<f64> {
        self.0.a.points[point]
    }
    fn b(&self, point: usize) -> Vector<f64> {
        self.0.place.rough(self.0.b.points[point])
    }
    fn normal_a(&self, facet: usize) -> Vector<f64> {
        self.0.a.hull().facets[facet].rough
    }
    fn normal_b(&self, facet: usize) -> Vector<f64> {
        self.0.place.rough_vector(self.0.b.hull().facets[facet].rough)
    }
    fn inset(&self) -> f64 {
        FILTER * self.0.size
    }
}

impl Frame<Wide> for Fine<'_, '_> {
    fn a(&self, point: usize) -> Vector<Wide> {
        wide(self.0.a.points[point])
    }
    fn b(&self, point: usize) -> Vector<Wide> {
        self.0.place.point(self.0.b.points[point])
    }
    fn normal_a(&self, facet: usize) -> Vector<Wide> {
        self.0.a.hull().facets[facet].normal
    }
    fn normal_b(&self, facet: usize) -> Vector<Wide> {
        self.0.place.vector(self.0.b.hull().facets[facet].normal)
    }
    fn inset(&self) -> Wide {
        Wide::of(-FINE * self.0.size)
    }
}

/// The distance of the closest points of two features in `f64`, off by [`FILTER`] at most; `None`
/// where rounding leaves open whether a foot lies in its face. Of parallel features: of the points
/// next to `near`, in A's frame.
pub fn rough_distance(pair: &Pair<'_>, features: [Feature<'_>; 2], near: Vector<f64>) -> Option<f64> {
    closest(&Rough(pair), features, near).map(norm)
}

/// Computes [`rough_distance`] in [`Wide`].
pub fn fine_distance(pair: &Pair<'_>, features: [Feature<'_>; 2], near: Vector<f64>) -> Option<Wide> {
    closest(&Fine(pair), features, wide(near)).map(norm)
}

/// Whether two parallel features have points that are no farther apart than `upper` metres: corners
/// of one over the other, or points of their sides, in [`Wide`]. Closest points of parallel
/// polygons are always among these.
pub fn parts_reach(pair: &Pair<'_>, features: [Feature<'_>; 2], upper: Wide) -> bool {
    let fine = Fine(pair);
    let corners = features.map(|f| f.corners());
    let a: Vec<_> = corners[0].iter().map(|&k| fine.a(k)).collect();
    let b: Vec<_> = corners[1].iter().map(|&k| fine.b(k)).collect();
    let near = |d: Vector<Wide>| (norm(d) - upper).value() <= FINE * pair.size;
    let over = |p: Vector<Wide>, n, face: &[Vector<Wide>]| {
        let all: Vec<usize> = (0..face.len()).collect();
        to_face(p, n, &all, |k| face[k], fine.inset()).is_some_and(near)
    };
    if let Feature::Face(f, _) = features[1]
        && a.iter().any(|&p| over(p, fine.normal_b(f), &b))
    {
        return true;
    }
    if let Feature::Face(f, _) = features[0]
        && b.iter().any(|&p| over(p, fine.normal_a(f), &a))
    {
        return true;
    }
    let side = |points: &[Vector<Wide>], k: usize| [points[k], points[(k + 1) % points.len()]];
    (0..a.len()).any(|i| (0..b.len()).any(|j| near(edges(side(&a, i), side(&b, j)))))
}

/// The vector from A's closest point to B's; of parallel features from A's point next to `near` to
/// its foot on B's, or the other way round.
fn closest<T: Number>(frame: &impl Frame<T>, features: [Feature<'_>; 2], near: Vector<T>) -> Option<Vector<T>> {
    use Feature::{Edge, Face, Vertex};
    let minus = |v: Vector<T>| v.map(|c| -c);
    let (face_a, face_b) = (
        |p, f, facet: &Facet| to_face(p, frame.normal_a(f), &facet.corners, |k| frame.a(k), frame.inset()),
        |p, f, facet: &Facet| to_face(p, frame.normal_b(f), &facet.corners, |k| frame.b(k), frame.inset()),
    );
    match features {
        [Vertex(i), Vertex(j)] => Some(sub(frame.b(j), frame.a(i))),
        [Vertex(i), Edge(e)] => Some(to_edge(frame.a(i), e.map(|k| frame.b(k)))),
        [Edge(e), Vertex(j)] => Some(minus(to_edge(frame.b(j), e.map(|k| frame.a(k))))),
        [Edge(e), Edge(f)] => Some(edges(e.map(|k| frame.a(k)), f.map(|k| frame.b(k)))),
        [Vertex(i), Face(f, facet)] => face_b(frame.a(i), f, facet),
        [Face(f, facet), Vertex(j)] => face_a(frame.b(j), f, facet).map(minus),
        [Edge(e), Face(f, facet)] => face_b(add(near, to_edge(near, e.map(|k| frame.a(k)))), f, facet),
        [Face(f, facet), Edge(e)] => face_a(add(near, to_edge(near, e.map(|k| frame.b(k)))), f, facet).map(minus),
        [Face(f, facet), Face(g, other)] => {
            let foot = add(near, face_a(near, f, facet)?);
            face_b(foot, g, other)
        }
    }
}

fn clamped<T: Number>(share: T) -> T {
    if share < T::of(0.0) {
        T::of(0.0)
    } else if share > T::of(1.0) {
        T::of(1.0)
    } else {
        share
    }
}

/// From a point to its nearest point of an edge.
fn to_edge<T: Number>(p: Vector<T>, [q, r]: [Vector<T>; 2]) -> Vector<T> {
    let (along, d) = (sub(r, q), sub(q, p));
    let share = clamped(-dot(d, along) / dot(along, along));
    add(d, times(along, share))
}

/// Between two edges: by the product of their directions, then each foot moved to where it is
/// nearest.
fn edges<T: Number>([p, p1]: [Vector<T>; 2], [q, q1]: [Vector<T>; 2]) -> Vector<T> {
    let (u, v, d) = (sub(p1, p), sub(q1, q), sub(q, p));
    let n = cross(u, v);
    let square = dot(n, n);
    let share = dot(cross(d, v), n) / square;
    let mut s = if square > T::of(0.0) { clamped(share) } else { T::of(0.5) };
    let mut t = T::of(0.0);
    for _ in 0..2 {
        t = clamped(dot(sub(times(u, s), d), v) / dot(v, v));
        s = clamped(dot(add(d, times(v, t)), u) / dot(u, u));
    }
    sub(add(d, times(v, t)), times(u, s))
}

/// From a point to its foot in a face.
fn to_face<T: Number>(
    p: Vector<T>,
    normal: Vector<T>,
    corners: &[usize],
    at: impl Fn(usize) -> Vector<T>,
    inset: T,
) -> Option<Vector<T>> {
    let height = dot(normal, sub(at(corners[0]), p));
    let within = sides(corners).all(|[i, j]| {
        let (start, end) = (at(i), at(j));
        let side = sub(end, start);
        dot(cross(normal, side), sub(p, start)) >= inset * norm(side)
    });
    within.then(|| times(normal, height))
}

/// Directions that two features may be apart along, in [`Wide`], of any length, on the side of
/// `hint`; `near`: as for their distance. Edges that are hardly parallel have three: they are
/// nearest where a corner of one has its foot in the other, or where they cross, and each direction
/// has no part along one of them.
pub fn directions(
    pair: &Pair<'_>,
    features: [Feature<'_>; 2],
    near: Vector<f64>,
    hint: Vector<f64>,
) -> Vec<Vector<Wide>> {
    use Feature::{Edge, Face};
    let fine = Fine(pair);
    let towards = |n: Vector<Wide>| {
        if dot(n, wide(hint)).0 < 0.0 { n.map(|c| -c) } else { n }
    };
    let between = || {
        let found = closest(&fine, features, wide(near)).filter(|d| norm(*d).0 > FINE * pair.size);
        found.unwrap_or(wide(hint))
    };
    let found = match features {
        [Face(f, _), _] => vec![fine.normal_a(f)],
        [_, Face(f, _)] => vec![fine.normal_b(f)],
        [Edge(e), Edge(f)] => {
            let (u, v) = (pair.edge_a(e), pair.edge_b(f));
            let n = cross(u, v);
            let lengths = norm(u).0 * norm(v).0;
            let product = (norm(n).0 > 1e-24 * lengths).then(|| across(n, u));
            let parallel = norm(n).0 <= 1e-12 * lengths;
            let feet = parallel.then(|| [u, v].map(|edge| across(between(), edge)));
            feet.into_iter().flatten().chain(product).collect()
        }
        [Edge(e), _] => vec![across(between(), pair.edge_a(e))],
        [_, Edge(f)] => vec![across(between(), pair.edge_b(f))],
        _ => vec![between()],
    };
    found.into_iter().map(towards).collect()
}

/// A direction without its part along an edge; twice, for what rounding leaves.
fn across(v: Vector<Wide>, edge: Vector<Wide>) -> Vector<Wide> {
    let once = |v: Vector<Wide>| sub(v, times(edge, dot(v, edge) / dot(edge, edge)));
    let v = once(v);
    once(times(v, Wide::of(1.0) / norm(v)))
}

/// Larger distance of two points of A's frame from the features of A and of B, in `f64`.
pub fn off(pair: &Pair<'_>, features: [Feature<'_>; 2], points: [Vector<f64>; 2]) -> f64 {
    let frame = Rough(pair);
    let a = off_feature(features[0], points[0], |f| frame.normal_a(f), |k| frame.a(k));
    let b = off_feature(features[1], points[1], |f| frame.normal_b(f), |k| frame.b(k));
    a.max(b)
}

fn off_feature(
    feature: Feature<'_>,
    p: Vector<f64>,
    normal: impl Fn(usize) -> Vector<f64>,
    at: impl Fn(usize) -> Vector<f64>,
) -> f64 {
    match feature {
        Feature::Vertex(i) => norm(sub(at(i), p)),
        Feature::Edge(e) => norm(to_edge(p, e.map(at))),
        Feature::Face(f, facet) => {
            let n = normal(f);
            let is_over = |[i, j]: [usize; 2]| dot(cross(n, sub(at(j), at(i))), sub(p, at(i))) >= 0.0;
            if sides(&facet.corners).all(is_over) {
                return dot(n, sub(p, at(facet.corners[0]))).abs();
            }
            sides(&facet.corners).map(|side| norm(to_edge(p, side.map(&at)))).fold(f64::INFINITY, f64::min)
        }
    }
}
