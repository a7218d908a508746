//! The steps of each state on a cube, the closest points against sampling, and the cones of the
//! interior.

use super::closest::{NearestOnFace, of_edges, of_face_and_edge};
use super::interior::beyond_cone;
use super::*;
use crate::feature::Feature;
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Pose, Vec3};

type Point = [f64; 3];

/// The cube of half side 1: vertex `i` is at +1 along x, y, z where bit 0, 1, 2 of `i` is set.
fn cube() -> Polyhedron {
    hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(|i: u32| [0, 1, 2].map(|k| f64::from(i >> k & 1) * 2.0 - 1.0)))
}

fn hull(points: &[Point]) -> Polyhedron {
    convex_hull(&points.iter().map(|&p| p.into()).collect::<Vec<_>>()).expect("a hull")
}

fn next(a: &Polyhedron, b: &Polyhedron, features: (Feature, Feature)) -> Result<FeaturePair, (SearchEnd, f64)> {
    let pose = RelativePose::between(&Pose::IDENTITY, &Pose::IDENTITY);
    let bodies = regions::bodies([a, b], [a.planes(), b.planes()], &pose, TOLERANCE);
    advance(&bodies, &FeaturePair { a: features.0, b: features.1 })
}

/// A state of the cube and the segment between two points: the features of the next state, or the
/// end and the distance (0 for an overlap). With the bodies exchanged the result must be the same.
#[track_caller]
fn step(cube_feature: Feature, from: Point, to: Point, other: Feature) -> Result<(Feature, Feature), (SearchEnd, f64)> {
    let (cube, segment) = (cube(), hull(&[from, to]));
    let measured = |(end, distance): (SearchEnd, f64)| (end, if distance.is_nan() { 0.0 } else { distance });
    let there = next(&cube, &segment, (cube_feature, other)).map(|f| (f.a, f.b)).map_err(measured);
    let back = next(&segment, &cube, (other, cube_feature)).map(|f| (f.b, f.a)).map_err(measured);
    if (cube_feature.kind, other.kind) != (Vertex, Vertex) && (cube_feature.kind, other.kind) != (Edge, Edge) {
        assert_eq!(there, back, "the states are symmetric in A and B");
    }
    there
}

const OVERLAP: Result<(Feature, Feature), (SearchEnd, f64)> = Err((SearchEnd::Overlap, 0.0));

fn apart(distance: f64) -> Result<(Feature, Feature), (SearchEnd, f64)> {
    Err((SearchEnd::Converged, distance))
}

fn vertex(v: u32) -> Feature {
    Feature::vertex(v)
}

fn edge(v: u32, w: u32) -> Feature {
    Feature::edge(cube().edge_between(v, w).expect("an edge"))
}

/// The face at the positive (`true`) or negative end of an axis.
fn face(axis: usize, positive: bool) -> Feature {
    let on = (0..8).filter(|v| (v >> axis & 1 == 1) == positive).collect::<Vec<u32>>();
    Feature::face(cube().face_containing(&on).expect("a face"))
}

/// The segment's own features.
const TAIL: Feature = Feature { kind: Vertex, index: 0 };
const HEAD: Feature = Feature { kind: Vertex, index: 1 };
const ROD: Feature = Feature { kind: Edge, index: 0 };

#[test]
fn vertex_and_vertex() {
    assert_eq!(step(vertex(7), [3.0, 1.0, 1.0], [4.0, 5.0, 4.5], TAIL), apart(2.0));
    assert_eq!(step(vertex(7), [3.0, 3.0, 0.5], [4.0; 3], TAIL), Ok((edge(3, 7), TAIL)), "below the corner");
    assert_eq!(step(vertex(0), [2.0, 3.0, 2.5], [4.0; 3], TAIL), Ok((edge(0, 2), TAIL)), "the plane violated most");
    assert_eq!(step(vertex(7), [3.0; 3], [0.0, 2.9, 3.0], TAIL), Ok((vertex(7), ROD)), "the rod leads past it");
    assert_eq!(step(vertex(7), [1.0; 3], [2.0; 3], TAIL), OVERLAP, "on each other");
}

#[test]
fn edge_and_vertex() {
    let e = edge(3, 7);
    assert_eq!(step(e, [4.0, 1.0, 0.5], [5.0, 1.0, 0.5], TAIL), apart(3.0));
    assert_eq!(step(e, [3.0, 3.0, -1.5], [4.0; 3], TAIL), Ok((vertex(3), TAIL)));
    assert_eq!(step(e, [3.0, 3.0, 1.5], [4.0; 3], TAIL), Ok((vertex(7), TAIL)));
    assert_eq!(step(e, [0.5, 3.0, 0.0], [0.5, 4.0, 0.0], TAIL), Ok((face(1, true), TAIL)));
    assert_eq!(step(e, [3.0, 0.5, 0.0], [4.0, 0.5, 0.0], TAIL), Ok((face(0, true), TAIL)));
    let both = [0.5, 3.0, 1.5];
    assert_eq!(step(e, both, [0.5, 4.0, 2.0], TAIL), Ok((vertex(7), TAIL)), "planes of vertices come first");
    assert_eq!(step(e, [3.0, 3.0, 0.0], [2.0, 2.0, 0.1], TAIL), Ok((e, ROD)), "the rod leads to the edge");
    assert_eq!(step(e, [1.0, 1.0, 0.5], [1.0, 1.0, 1.5], TAIL), OVERLAP, "the vertex on the edge");
}

#[test]
fn edge_and_edge() {
    let e = edge(3, 7);
    assert_eq!(step(e, [4.0, 3.0, 0.0], [4.0, -1.0, 0.0], ROD), apart(3.0));
    assert_eq!(step(e, [3.0, 1.5, 2.0], [1.5, 3.0, 1.5], ROD), Ok((vertex(7), ROD)), "all beyond the upper end");
    assert_eq!(step(e, [3.0, 3.0, 3.0], [1.2, 1.2, 0.5], ROD), Ok((e, HEAD)), "nearest at the rod's end");
    assert_eq!(step(e, [0.0, 1.5, 0.0], [0.9, 3.0, 0.1], ROD), Ok((face(1, true), ROD)), "beside a face");
    assert_eq!(step(e, [2.0, 0.0, 0.25], [0.0, 2.0, 0.25], ROD), OVERLAP, "through the edge");
    let (beneath, rod) = step(e, [-0.5, 1.6, 0.0], [2.0, -0.5, 0.0], ROD).expect("a step");
    assert_eq!(rod, ROD);
    assert!([face(0, true), face(1, true)].contains(&beneath), "beneath the edge, to a face: {beneath:?}");
}

#[test]
fn face_and_vertex() {
    let f = face(0, true);
    assert_eq!(step(f, [3.0, 0.0, 0.0], [4.0, 0.5, 0.0], TAIL), apart(2.0));
    assert_eq!(step(f, [3.0, 0.0, 0.0], [2.0, 0.1, 0.0], TAIL), Ok((f, ROD)), "the rod leads to it");
    assert_eq!(step(f, [3.0, 2.0, 1.5], [4.0; 3], TAIL), Ok((edge(3, 7), TAIL)), "beyond a side plane");
    assert_eq!(step(f, [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], TAIL), OVERLAP, "on it");
    assert_eq!(step(f, [0.5, 0.0, 0.0], [0.6, 0.0, 0.0], TAIL), OVERLAP, "in its cone");
    assert_eq!(step(f, [0.5, 0.7, 0.0], [0.6, 0.0, 0.0], TAIL), Ok((face(1, true), TAIL)), "in its neighbour's cone");
    assert_eq!(step(f, [-2.0, 0.1, 0.0], [-3.0, 0.0, 0.0], TAIL), Ok((face(1, true), TAIL)), "behind the body");
}

#[test]
fn face_and_edge() {
    let f = face(0, true);
    assert_eq!(step(f, [2.0, 0.0, 0.0], [0.0, 0.1, 0.1], ROD), OVERLAP, "through it");
    assert_eq!(step(f, [2.0, 0.0, 0.0], [3.0, 0.1, 0.0], ROD), Ok((f, TAIL)));
    assert_eq!(step(f, [3.0, 0.0, 0.0], [2.0, 0.1, 0.0], ROD), Ok((f, HEAD)));
    assert_eq!(step(f, [0.5, 0.0, 0.0], [0.2, 0.1, 0.0], ROD), Ok((f, TAIL)), "nearest from inside, too");
    assert_eq!(step(f, [2.0, 0.0, 0.0], [1.5, 3.0, 0.0], ROD), Ok((edge(3, 7), ROD)), "leaves towards it");
    assert_eq!(step(f, [1.5, 3.0, 0.0], [2.0, 0.0, 0.0], ROD), Ok((edge(3, 7), ROD)), "enters");
    assert_eq!(step(f, [2.0, 0.0, 0.0], [2.0, 3.0, 0.0], ROD), Ok((f, TAIL)), "parallel: one of many");
    assert_eq!(step(f, [2.0, 2.0, 0.0], [2.0, 3.0, 0.5], ROD), Ok((edge(3, 7), ROD)), "all beyond an edge");
}

#[test]
fn face_and_face() {
    let (a, b) =
        (hull(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), [[0.1, 0.1, -1.0], [1.0, 0.2, -2.0], [0.2, 1.0, -2.0]]);
    let (b, shifted) = (hull(&b), hull(&b.map(|[x, y, z]| [x, y, z + 1.5])));
    let pose = RelativePose::between(&Pose::IDENTITY, &Pose::IDENTITY);
    for (f, g) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let start = FeaturePair { a: Feature::face(f), b: Feature::face(g) };
        let found = search(&Pair::new(&a, &b, pose, 0.0), start);
        assert_eq!((found.end, found.distance), (SearchEnd::Converged, 1.0));
        assert_eq!((found.features.a.kind, found.features.b), (Face, Feature::vertex(0)));
        assert!(a.normals[found.features.a.index as usize].z < 0.0, "the side that B is on");
        assert_eq!(search(&Pair::new(&a, &shifted, pose, 0.0), start).end, SearchEnd::Overlap, "they cross");
    }
}

/// Numbers from -1 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> Vec3<f64> {
        Vec3::new(self.next(), self.next(), self.next())
    }

    fn hull(&mut self, count: usize) -> Polyhedron {
        hull(&(0..count).map(|_| self.point().to_array()).collect::<Vec<_>>())
    }
}

/// The least of a convex function on 0 to 1, by ternary search.
fn least(mut at: impl FnMut(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..32 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(left) <= at(right) { high = right } else { low = left }
    }
    at(0.5 * (low + high)).min(at(0.0)).min(at(1.0))
}

fn segment_distance(x: Vec3<f64>, [p, q]: [Vec3<f64>; 2]) -> f64 {
    least(|s| (p + (q - p).scale(s) - x).length())
}

#[test]
fn closest_points_of_edges_are_closest() {
    let mut random = Random(3);
    let mut inside = 0;
    for case in 0..2000 {
        let a = [random.point(), random.point()];
        let mut b = [random.point(), random.point()];
        if case % 4 == 0 {
            // Parallel up to rounding, and nearly so.
            let off = if case % 8 == 0 { 0.0 } else { 1e-9 };
            b[1] = b[0] + (a[1] - a[0]).scale(random.next()) + random.point().scale(off);
        }
        let [on_a, on_b] = of_edges(a, b);
        let found = (on_b - on_a).length();
        let expected = least(|s| segment_distance(b[0] + (b[1] - b[0]).scale(s), a));
        assert!((found - expected).abs() < 1e-4 && found <= expected + 1e-12, "{found} {expected}: {a:?} {b:?}");
        inside += usize::from(![a[0], a[1]].contains(&on_a) && ![b[0], b[1]].contains(&on_b));
    }
    assert!((100..1500).contains(&inside), "not representative: {inside}");
}

#[test]
fn the_nearest_part_of_a_face_is_nearest() {
    let mut random = Random(4);
    let mut kinds = [0; 3];
    for _ in 0..300 {
        let body = random.hull(12);
        let f = (random.next().abs() * body.face_count() as f64) as u32;
        let [v0, v1, v2] = [0, 1, 2].map(|k| body.vertex(body.face(f)[k]));
        let middle = (v0 + v1 + v2).scale(1.0 / 3.0);
        let ends = [0, 1].map(|_| middle + random.point().scale(0.7));
        let identity = RelativePose::between(&Pose::IDENTITY, &Pose::IDENTITY);
        let [home, _] = regions::bodies([&body, &body], [body.planes(), body.planes()], &identity, TOLERANCE);
        let (nearest, found) = of_face_and_edge(&home, f, ends);
        // The faces of a hull of random points are triangles: a fan of segments from one corner.
        let from = |x: Vec3<f64>| least(|s| segment_distance(x, [v0, v1 + (v2 - v1).scale(s)]));
        let expected = least(|s| from(ends[0] + (ends[1] - ends[0]).scale(s)));
        assert!((found - expected).abs() < 1e-4 && found <= expected + 1e-12, "{found} {expected} {nearest:?}");
        kinds[match nearest {
            NearestOnFace::Meets => 0,
            NearestOnFace::End(_) => 1,
            NearestOnFace::Boundary(_) => 2,
        }] += 1;
    }
    assert!(kinds.iter().all(|&n| n > 5), "not representative: {kinds:?}");
}

/// The ratio of a point's distance from the mean along a face's normal to that of the face: the
/// greatest over all faces is that of the face whose cone holds the point.
fn ratio(p: &Polyhedron, f: u32, x: Vec3<f64>) -> f64 {
    let n = p.normals[f as usize];
    n.dot(x - p.mean) / n.dot(p.vertex(p.face(f)[0]) - p.mean)
}

#[test]
fn each_point_lies_in_one_cone_and_the_walk_ends_there() {
    let mut random = Random(5);
    let (mut inner, mut outer, mut steps) = (0, 0, 0);
    for case in 0..200 {
        let body = if case % 3 == 0 { cube() } else { random.hull(5 + case % 60) };
        for _ in 0..20 {
            let x = random.point().scale(1.5);
            let faces = 0..body.face_count() as u32;
            let holding: Vec<u32> = faces.clone().filter(|&f| beyond_cone(&body, f, x).is_none()).collect();
            assert_eq!(holding.len(), 1, "{x:?} lies in the cones {holding:?}");
            let greatest = faces.clone().map(|f| ratio(&body, f, x)).fold(f64::NEG_INFINITY, f64::max);
            assert!((ratio(&body, holding[0], x) - greatest).abs() < 1e-9, "the gauge tells the cone");
            for start in faces {
                let (mut at, mut last) = (start, ratio(&body, start, x));
                while let Some(next) = beyond_cone(&body, at, x) {
                    let here = ratio(&body, next, x);
                    assert!(here > last - 1e-9, "the ratio rises from face to face: {last} {here}");
                    (at, last, steps) = (next, here, steps + 1);
                }
                assert_eq!(at, holding[0]);
            }
            *(if greatest < 1.0 { &mut inner } else { &mut outer }) += 1;
        }
    }
    assert!(inner > 300 && outer > 300 && steps > 10_000, "not representative: {inner} {outer} {steps}");
}

#[test]
fn a_search_from_behind_a_face_tells_inside_from_outside() {
    let mut random = Random(6);
    let point = hull(&[[0.0; 3]]);
    let (mut inside, mut outside, mut walked) = (0, 0, 0);
    for _ in 0..300 {
        let body = random.hull(30);
        let x = random.point().scale(1.3);
        let pose = RelativePose::between(&Pose::IDENTITY, &Pose::new(x.to_array(), [1.0, 0.0, 0.0, 0.0]));
        let pair = Pair::new(&body, &point, pose, 0.0);
        let height = (0..body.face_count() as u32).map(|f| body.planes().support(f).side(x)).fold(f64::MIN, f64::max);
        for f in 0..body.face_count() as u32 {
            let found = search(&pair, FeaturePair { a: Feature::face(f), b: Feature::vertex(0) });
            if height < 0.0 {
                assert_eq!(found.end, SearchEnd::Overlap, "{x:?}");
                inside += 1;
            } else {
                assert_eq!(found.end, SearchEnd::Converged, "{x:?}");
                assert!(found.distance >= height - 1e-12, "no nearer than the plane it is in front of");
                outside += 1;
                walked += usize::from(body.planes().support(f).side(x) < 0.0);
            }
        }
    }
    assert!(inside > 1000 && outside > 1000 && walked > 500, "not representative: {inside} {outside} {walked}");
}
