//! The transitions of each state on a cube, and the descent along a face's boundary against brute
//! force.

use super::*;
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Polyhedron, RelativePose};

type Point = [f64; 3];

/// The cube of half side 1: vertex `i` is at +1 along x, y, z where bit 0, 1, 2 of `i` is set.
fn cube() -> Polyhedron {
    hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(|i: u32| [0, 1, 2].map(|k| f64::from(i >> k & 1) * 2.0 - 1.0)))
}

fn hull(points: &[Point]) -> Polyhedron {
    convex_hull(&points.iter().map(|&p| p.into()).collect::<Vec<_>>()).expect("a hull")
}

fn next(a: &Polyhedron, b: &Polyhedron, features: (Feature, Feature)) -> Result<FeaturePair, SearchEnd> {
    let axis = |x, y, z| Vec3::new(x, y, z);
    let pose = RelativePose { r: [axis(1.0, 0.0, 0.0), axis(0.0, 1.0, 0.0), axis(0.0, 0.0, 1.0)], t: Vec3::ZERO };
    advance::<Portable>(&regions::bodies(&Pair::new(a, b, pose, 0.0)), &FeaturePair { a: features.0, b: features.1 })
}

/// A state of the cube and the segment between two points: the features of the next state, or the
/// end. With the bodies exchanged the result must be the same.
#[track_caller]
fn step(cube_feature: Feature, from: Point, to: Point, other: Feature) -> Result<(Feature, Feature), SearchEnd> {
    let (cube, segment) = (cube(), hull(&[from, to]));
    let there = next(&cube, &segment, (cube_feature, other)).map(|f| (f.a, f.b));
    let back = next(&segment, &cube, (other, cube_feature)).map(|f| (f.b, f.a));
    assert_eq!(there, back, "the states are symmetric in A and B");
    there
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
    assert_eq!(step(vertex(7), [3.0; 3], [4.0, 5.0, 4.5], TAIL), Err(SearchEnd::Converged));
    assert_eq!(step(vertex(7), [3.0, 3.0, 0.5], [4.0; 3], TAIL), Ok((edge(3, 7), TAIL)), "below the corner");
    assert_eq!(step(vertex(7), [3.0; 3], [0.0, 2.9, 3.0], TAIL), Ok((vertex(7), ROD)), "the rod leads past it");
    assert_eq!(step(vertex(7), [3.0; 3], [2.0, 2.0, 1.5], TAIL), Ok((vertex(7), HEAD)), "its other end is in front");
    assert_eq!(step(vertex(0), [3.0; 3], [4.0; 3], TAIL), Ok((vertex(7), TAIL)), "three edges on");
    let both = step(vertex(6), [3.0, 3.0, 0.5], [-9.0, 2.9, 0.6], TAIL);
    assert_eq!(both, Ok((vertex(7), TAIL)), "vertices before edges");
}

#[test]
fn edge_and_vertex() {
    let e = edge(3, 7);
    assert_eq!(step(e, [3.0, 3.0, 0.5], [4.0, 4.0, 0.5], TAIL), Err(SearchEnd::Converged));
    assert_eq!(step(e, [3.0, 3.0, -1.5], [4.0; 3], TAIL), Ok((vertex(3), TAIL)));
    assert_eq!(step(e, [3.0, 3.0, 1.5], [4.0; 3], TAIL), Ok((vertex(7), TAIL)));
    assert_eq!(step(e, [0.5, 3.0, 0.0], [0.5, 4.0, 0.0], TAIL), Ok((face(1, true), TAIL)));
    assert_eq!(step(e, [3.0, 0.5, 0.0], [4.0, 0.5, 0.0], TAIL), Ok((face(0, true), TAIL)));
    let both = [0.5, 3.0, 1.5];
    assert_eq!(step(e, both, [0.5, 4.0, 2.0], TAIL), Ok((vertex(7), TAIL)), "planes of vertices come first");
    assert_eq!(step(e, [3.0, 3.0, 0.0], [2.0, 2.0, 0.1], TAIL), Ok((e, ROD)), "all of the edge beyond the plane");
    // The edge crosses the plane of the rod's end: nearest where it is beyond, or before.
    assert_eq!(step(e, [2.0, 2.0, 0.9], [2.5, 2.5, -2.0], TAIL), Err(SearchEnd::Converged));
    assert_eq!(step(e, [2.0, 2.0, 0.9], [1.9, 1.9, -2.0], TAIL), Ok((e, ROD)));
    assert_eq!(step(e, [1.0, 1.0, 0.5], [1.0, 1.0, 1.5], TAIL), Err(SearchEnd::Overlap), "the vertex on the edge");
}

#[test]
fn face_and_vertex() {
    let f = face(0, true);
    assert_eq!(step(f, [3.0, 0.0, 0.0], [4.0, 0.5, 0.0], TAIL), Err(SearchEnd::Converged));
    assert_eq!(step(f, [3.0, 0.0, 0.0], [2.0, 0.1, 0.0], TAIL), Ok((f, ROD)), "the rod leads to it");
    assert_eq!(step(f, [1.5, 0.0, 0.0], [-1.0, 0.0, 0.0], TAIL), Ok((f, ROD)), "farther beyond than before");
    assert_eq!(step(f, [3.0, 2.0, 1.5], [4.0; 3], TAIL), Ok((edge(3, 7), TAIL)), "the farthest beyond");
    assert_eq!(step(f, [3.0, 1.5, 2.0], [4.0; 3], TAIL), Ok((edge(5, 7), TAIL)));
    assert_eq!(step(f, [-2.0, 0.0, 0.0], [-3.0, 0.0, 0.0], TAIL), Ok((face(0, false), TAIL)), "out of a local minimum");
    assert_eq!(step(f, [0.5, 0.0, 0.0], [0.4, 0.0, 0.0], TAIL), Err(SearchEnd::Overlap), "inside");
    assert_eq!(step(f, [0.5, 0.0, 0.0], [0.6, 0.0, 0.0], TAIL), Ok((f, ROD)), "from inside towards it");
    assert_eq!(step(f, [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], TAIL), Err(SearchEnd::Overlap), "on it");
}

#[test]
fn edge_and_edge() {
    let e = edge(3, 7);
    assert_eq!(step(e, [3.0, 1.5, 0.2], [1.5, 3.0, -0.2], ROD), Err(SearchEnd::Converged));
    assert_eq!(step(e, [3.0, 1.5, 2.0], [1.5, 3.0, 1.5], ROD), Ok((vertex(7), ROD)), "all beyond the upper end");
    assert_eq!(step(e, [3.0, 1.5, -2.0], [1.5, 3.0, -1.5], ROD), Ok((vertex(3), ROD)));
    assert_eq!(step(e, [3.0, 3.0, 0.0], [1.5, 1.5, 3.0], ROD), Ok((vertex(7), ROD)), "nearest beyond the upper end");
    assert_eq!(step(e, [3.0, 3.0, 3.0], [1.2, 1.2, 0.5], ROD), Ok((e, HEAD)), "nearest at the rod's end");
    assert_eq!(step(e, [0.0, 1.5, 0.0], [0.9, 3.0, 0.1], ROD), Ok((face(1, true), ROD)), "all beside a face");
    assert_eq!(step(e, [3.0, 1.1, 0.0], [0.0, 1.2, 0.1], ROD), Err(SearchEnd::Converged));
    assert_eq!(step(e, [3.0, 1.2, 0.0], [0.0, 1.1, 0.1], ROD), Ok((face(1, true), ROD)), "nearest beside a face");
    assert_eq!(step(e, [2.0, 0.0, 0.25], [0.0, 2.0, 0.25], ROD), Err(SearchEnd::Overlap), "through the edge");
}

#[test]
fn an_edge_beneath_an_edge_goes_on_to_a_face() {
    // The nearest point of a line that cuts the corner lies beneath both faces, so that either one
    // is nearer.
    for to in [[2.0, -0.5, 0.0], [2.0, 0.5, 0.0], [3.0, -3.0, 0.0]] {
        let (next, other) = step(edge(3, 7), [-0.5, 1.6, 0.0], to, ROD).expect("a step");
        assert_eq!(other, ROD);
        assert!([face(0, true), face(1, true)].contains(&next), "{next:?}");
    }
}

#[test]
fn face_and_edge() {
    let f = face(0, true);
    assert_eq!(step(f, [2.0, 0.0, 0.0], [0.0, 0.1, 0.1], ROD), Err(SearchEnd::Overlap));
    assert_eq!(step(f, [2.0, 0.0, 0.0], [3.0, 0.1, 0.0], ROD), Ok((f, TAIL)));
    assert_eq!(step(f, [3.0, 0.0, 0.0], [2.0, 0.1, 0.0], ROD), Ok((f, HEAD)));
    assert_eq!(step(f, [0.5, 0.0, 0.0], [0.2, 0.1, 0.0], ROD), Ok((f, TAIL)), "nearest from inside, too");
    assert_eq!(step(f, [2.0, 0.0, 0.0], [1.5, 3.0, 0.0], ROD), Ok((edge(3, 7), ROD)), "leaves towards it");
    assert_eq!(step(f, [1.5, 3.0, 0.0], [2.0, 0.0, 0.0], ROD), Ok((edge(3, 7), ROD)), "enters");
    assert_eq!(step(f, [2.0, 0.0, 0.0], [2.0, 3.0, 0.0], ROD), Ok((f, TAIL)), "parallel: one of many");
    assert_eq!(step(f, [2.0, 2.0, 0.0], [2.0, 3.0, 0.5], ROD), Ok((edge(3, 7), ROD)), "all beyond an edge");
    assert_eq!(step(f, [2.0; 3], [3.0; 3], ROD), Ok((vertex(7), ROD)), "all beyond two edges");
    assert_eq!(step(f, [2.0, 0.0, 2.5], [2.0, 2.5, 0.0], ROD), Ok((vertex(7), ROD)), "past a corner");
}

#[test]
fn faces_and_flat_bodies_are_starts() {
    let a = hull(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let b = hull(&[[0.1, 0.1, -1.0], [1.0, 0.2, -2.0], [0.2, 1.0, -2.0]]);
    let pose = RelativePose::between(&clearsweep_geometry::Pose::IDENTITY, &clearsweep_geometry::Pose::IDENTITY);
    let pair = Pair::new(&a, &b, pose, 0.0);
    for (f, g) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let found = search(&pair, FeaturePair { a: Feature::face(f), b: Feature::face(g) });
        assert_eq!(found.end, SearchEnd::Converged);
        assert_eq!((found.features.a.kind, found.features.b), (Face, Feature::vertex(0)));
        assert!(a.normals[found.features.a.index as usize].z < 0.0, "the side that B is on");
    }
}

/// The distance of two segments: the least of the distance at their crossing, if that lies within
/// both, and of the distances of each end from the other segment.
fn segment_distance([p, q]: [Vec3<f64>; 2], [r, s]: [Vec3<f64>; 2]) -> f64 {
    let point = |x: Vec3<f64>, p: Vec3<f64>, q: Vec3<f64>| {
        let d = q - p;
        let at = if d.length2() > 0.0 { ((x - p).dot(d) / d.length2()).clamp(0.0, 1.0) } else { 0.0 };
        (x - p - d.scale(at)).length()
    };
    let ends = point(p, r, s).min(point(q, r, s)).min(point(r, p, q)).min(point(s, p, q));
    let (d, e, w) = (q - p, s - r, r - p);
    let n = d.cross(e);
    let (at, to) = (w.cross(e).dot(n) / n.length2(), w.cross(d).dot(n) / n.length2());
    let crossing = (0.0..=1.0).contains(&at) && (0.0..=1.0).contains(&to);
    if crossing { ends.min(n.dot(w).abs() / n.length()) } else { ends }
}

#[test]
fn the_descent_along_a_boundary_ends_nearest() {
    let mut state = 1_u64;
    let mut random = move |low: f64, high: f64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * ((state >> 11) as f64 / 9_007_199_254_740_992.0)
    };
    let (mut walked, mut corners) = (0, 0);
    for _ in 0..400 {
        // Polygons, most of them long and thin, of up to 40 corners.
        let (n, thin) = (random(3.0, 40.0) as u32, 10_f64.powf(random(-2.0, 0.0)));
        let corner = |_| {
            let angle = random(0.0, std::f64::consts::TAU);
            [libm::cos(angle), libm::sin(angle) * thin, 0.0]
        };
        let polygon = hull(&(0..n).map(corner).collect::<Vec<_>>());
        if polygon.dimension != 2 {
            continue;
        }
        for _ in 0..200 {
            let mut end = || [random(-3.0, 3.0), random(-3.0, 3.0) * thin, random(-1.0, 1.0) * random(0.0, 10.0)];
            let rod = hull(&[end(), end()]);
            let [r, s] = [rod.vertex(0), rod.vertex(1)];
            let from = |v: u32, w: u32| segment_distance([polygon.vertex(v), polygon.vertex(w)], [r, s]);
            let Ok(next) = next(&polygon, &rod, (Feature::face(0), ROD)) else { continue };
            let reached = match next.a.kind {
                Vertex => from(next.a.index, next.a.index),
                Edge => from(polygon.edges[next.a.index as usize].v[0], polygon.edges[next.a.index as usize].v[1]),
                Face => continue,
            };
            let least = polygon.edges.iter().map(|e| from(e.v[0], e.v[1])).fold(f64::INFINITY, f64::min);
            assert!(
                reached <= least * (1.0 + 1e-12) + 1e-12,
                "{reached} {least}: {next:?} of {polygon:?}, {r:?} {s:?}"
            );
            walked += 1;
            corners += usize::from(next.a.kind == Vertex);
        }
    }
    assert!(walked > 20_000 && corners > 2000, "not representative: {walked}, {corners}");
}

dispatch!(at search_at_level, search_in, (pair: &Pair<'_, f64>, start: FeaturePair) -> VClipResult);

#[test]
fn all_registers_take_the_same_steps() {
    let mut state = 7_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut ends = [0; 3];
    for case in 0..300 {
        // Vertices and faces with few edges and with many; some vertices exactly collinear.
        let mut point = || [random(), random(), random()];
        let points: Vec<Point> = match case % 3 {
            0 => (0..30).map(|_| point()).collect(),
            1 => (0..40).map(|_| point().map(|c| (2.0 * c).round())).collect(),
            _ => (0..40)
                .map(|k| [libm::cos(0.15 * f64::from(k)), libm::sin(0.15 * f64::from(k)), 0.2])
                .chain([[0.0; 3]])
                .collect(),
        };
        let body = hull(&points);
        for _ in 0..20 {
            let q = [random(), random(), random(), random()];
            let at = [random(), random(), random()].map(|c| 4.0 * c);
            let pose =
                RelativePose::between(&clearsweep_geometry::Pose::IDENTITY, &clearsweep_geometry::Pose::new(at, q));
            let pair = Pair::new(&body, &body, pose, 0.0);
            let start = FeaturePair { a: Feature::edge(case % body.edges.len() as u32), b: Feature::vertex(0) };
            let mut states = 0;
            let plain = search_observed(&pair, start, |_| states += 1);
            let native = search(&pair, start);
            assert_eq!((plain.end, plain.features, plain.iterations), (native.end, native.features, native.iterations));
            assert_eq!(states, plain.iterations);
            for level in clearsweep_base::simd::Level::available() {
                let at = search_at_level(level, &pair, start);
                assert_eq!((at.end, at.features, at.iterations), (plain.end, plain.features, plain.iterations));
            }
            ends[match plain.end {
                SearchEnd::Converged => 0,
                SearchEnd::Overlap => 1,
                SearchEnd::Cycle | SearchEnd::Stalled => 2,
                SearchEnd::Beyond => unreachable!("V-Clip knows no cut-off"),
            }] += 1;
        }
    }
    assert!(ends[0] > 1000 && ends[1] > 500, "not representative: {ends:?}");
}
