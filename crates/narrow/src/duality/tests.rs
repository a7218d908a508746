//! Arcs and ends of searches against all faces of Minkowski differences, found by scans over all
//! vertices.

use super::arcs::{ArcCrossing, GaussArc, crossing};
use super::difference::{Difference, FaceOwner};
use super::guide::Guide;
use super::{DualityResult, Phase, overlap_test, overlap_test_until, pierced_face};
use crate::feature::FeaturePair;
use crate::pair::Pair;
use crate::search::SearchEnd;
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::{Polyhedron, Pose, RelativePose, Vec3};

/// Uniform numbers in -1..1.
struct Draw(u64);

impl Draw {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self) -> Vec3<f64> {
        Vec3::new(self.number(), self.number(), self.number())
    }
    fn hull(&mut self, points: usize, axes: [f64; 3]) -> Polyhedron {
        let mut point = || {
            let d = self.vector().normalized();
            Vec3::new(d.x * axes[0], d.y * axes[1], d.z * axes[2])
        };
        convex_hull(&(0..points).map(|_| point()).collect::<Vec<_>>()).expect("finite points have a hull")
    }
    fn pose(&mut self, distance: f64) -> RelativePose<f64> {
        let away = self.vector().normalized().scale(distance);
        let q = [self.number(), self.number(), self.number(), self.number()];
        RelativePose::between(&Pose::IDENTITY, &Pose::new(away.to_array(), q))
    }
}

/// Returns the reach of the difference along a direction.
fn reach(pair: &Pair<'_, f64>, n: Vec3<f64>) -> f64 {
    -pair.gap(n)
}

/// The normals of all faces of a difference, with their heights: of edge pairs those whose ends
/// support it.
fn all_faces(pair: &Pair<'_, f64>) -> Vec<(Vec3<f64>, f64)> {
    let of_a = pair.a.normals.iter().copied();
    let of_b = pair.b.normals.iter().map(|&n| -pair.pose.vector(n));
    let mut found: Vec<_> = of_a.chain(of_b).map(|n| (n, reach(pair, n))).collect();
    for i in 0..pair.a.edges.len() as u32 {
        for j in 0..pair.b.edges.len() as u32 {
            let [u, w] = [GaussArc::of(pair.a, i).edge, pair.pose.vector(GaussArc::of(pair.b, j).edge)];
            let across = w.cross(u).normalized();
            let at = pair.difference([pair.a.edges[i as usize].v[0], pair.b.edges[j as usize].v[0]]);
            for n in [across, -across] {
                if n.is_finite() && n.dot(at) >= reach(pair, n) - 1e-12 {
                    found.push((n, n.dot(at)));
                }
            }
        }
    }
    found
}

#[test]
fn arcs_cross_where_the_edges_span_a_face_of_the_difference() {
    let mut draw = Draw(1);
    let (mut spanning, mut others) = (0, 0);
    for round in 0..80 {
        let (a, b) = (draw.hull(6 + round % 9, [1.0, 0.8, 0.5]), draw.hull(5 + round % 7, [0.7, 0.9, 0.4]));
        let pair = Pair::new(&a, &b, draw.pose(1.0), 0.0);
        for i in 0..a.edges.len() as u32 {
            for j in 0..b.edges.len() as u32 {
                let of_a = GaussArc::of(&a, i);
                let of_b = GaussArc::of(&b, j).mirrored().turned(|v| pair.pose.vector(v));
                let across = of_b.edge.cross(of_a.edge).normalized();
                let at = pair.difference([a.edges[i as usize].v[0], b.edges[j as usize].v[0]]);
                let spans = [across, -across].into_iter().find(|&n| n.dot(at) >= reach(&pair, n) - 1e-13);
                match (spans, crossing(&of_a, &of_b)) {
                    (Some(n), ArcCrossing::At(found)) => {
                        assert!((found.normalized() - n).length() < 1e-9, "{found:?} {n:?}");
                        spanning += 1;
                    }
                    (None, ArcCrossing::None) => others += 1,
                    (spans, found) => panic!("edges {i}, {j}: {spans:?} {found:?}"),
                }
            }
        }
    }
    assert!(spanning > 1_000 && others > 5_000, "not representative: {spanning} {others}");
}

/// The largest signed distance of all faces.
fn best_of_all(pair: &Pair<'_, f64>, guide: &Guide) -> f64 {
    let rated = all_faces(pair).into_iter().map(|(n, height)| guide.signed_distance(n, height));
    rated.fold(f64::NEG_INFINITY, f64::max)
}

fn inner(pair: &Pair<'_, f64>) -> Vec3<f64> {
    pair.a.mean - pair.pose.point(pair.b.mean)
}

#[test]
fn the_end_is_the_best_of_all_faces_from_any_start() {
    let mut draw = Draw(2);
    let (mut overlapping, mut apart, mut of_edges) = (0, 0, 0);
    for round in 0..400 {
        let axes = [[1.0, 1.0, 1.0], [2.0, 1.0, 0.5], [1.0, 0.1, 1.0]][round % 3];
        let (a, b) = (draw.hull(5 + round % 20, axes), draw.hull(4 + round % 13, axes));
        let distance = 1.2 + draw.number();
        let pair = Pair::new(&a, &b, draw.pose(distance), 0.0);
        let best = best_of_all(&pair, &Guide::Point(inner(&pair)));
        let mut start: Option<FeaturePair> = None;
        for _ in 0..3 {
            let found = overlap_test(&pair, start);
            let face = found.face.expect("solids");
            match found.end {
                SearchEnd::Overlap => {
                    overlapping += 1;
                    assert!((face.signed_distance - best).abs() <= 1e-9 * (1.0 + best.abs()), "{face:?} {best}");
                    of_edges += usize::from(face.features.a.kind == face.features.b.kind);
                }
                SearchEnd::Beyond => {
                    apart += 1;
                    assert!(best > 0.0 && pair.gap(face.normal.normalized()) > 0.0, "{face:?} {best}");
                }
                end => panic!("{end:?}"),
            }
            // From features that belong to another pose.
            let other = Pair::new(&a, &b, draw.pose(1.0), 0.0);
            start = overlap_test(&other, None).face.map(|face| face.features);
        }
    }
    assert!(overlapping > 300 && apart > 300 && of_edges > 100, "{overlapping} {apart} {of_edges}");
}

#[test]
fn the_face_that_a_line_pierces_is_found() {
    let mut draw = Draw(3);
    let (mut hits, mut misses) = (0, 0);
    for round in 0..600 {
        let (a, b) = (draw.hull(5 + round % 17, [1.0, 0.7, 0.4]), draw.hull(4 + round % 11, [0.5, 0.9, 0.6]));
        let pair = Pair::new(&a, &b, draw.pose(2.5), 0.0);
        let aside = draw.vector().scale(1.5);
        let along = inner(&pair) + aside;
        let d = along.scale(if round % 2 == 0 { 1.0 } else { -1.0 } / along.length());
        let guide = Guide::Direction(d);
        let found = pierced_face(&pair, d, None);
        // A line that misses the difference has a direction across it with a gap.
        let (exit, entry) = (best_of_all(&pair, &guide), best_of_all(&pair, &Guide::Direction(-d)));
        if -exit < entry {
            misses += 1;
            continue;
        }
        hits += 1;
        let face = found.face.expect("solids");
        assert_eq!(found.end, SearchEnd::Converged);
        assert!((face.signed_distance - exit).abs() < 1e-9 * (1.0 + exit.abs()), "{face:?} {exit}");
    }
    assert!(hits > 150 && misses > 50, "not representative: {hits} {misses}");
}

/// Boxes that are not turned: every face is parallel to one of the other, every edge to four.
#[test]
fn parallel_faces_and_edges_do_not_stop_the_search() {
    let corner = |i: usize| Vec3::from([0, 1, 2].map(|k| if i >> k & 1 == 0 { -1.0 } else { 1.0 }));
    let cube = convex_hull(&(0..8).map(corner).collect::<Vec<_>>()).expect("a cube");
    let half = 0.5_f64.sqrt();
    let mut draw = Draw(4);
    let [mut overlapping, mut apart, mut missed] = [0; 3];
    for round in 0..3_000 {
        let q = [[1.0, 0.0, 0.0, 0.0], [half, 0.0, half, 0.0], [0.9, 0.1, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]][round % 4];
        let away = draw.vector().scale(4.0);
        let pose = RelativePose::between(&Pose::IDENTITY, &Pose::new(away.to_array(), q));
        let pair = Pair::new(&cube, &cube, pose, 0.0);
        let found = overlap_test(&pair, None);
        let largest =
            all_faces(&pair).into_iter().map(|(n, height)| -height / n.length()).fold(f64::NEG_INFINITY, f64::max);
        match found.end {
            SearchEnd::Beyond => apart += usize::from(largest > 0.0),
            SearchEnd::Overlap if largest <= 0.0 => overlapping += 1,
            _ => missed += 1,
        }
    }
    assert!(overlapping > 100 && apart > 1_000, "not representative: {overlapping} {apart}");
    assert_eq!(missed, 0);
}

#[test]
fn points_have_faces_of_one_kind_and_segments_are_handed_over() {
    let mut draw = Draw(5);
    let solid = draw.hull(30, [1.0, 1.0, 1.0]);
    let point = convex_hull(&[Vec3::new(0.1, 0.0, 0.0)]).expect("a point");
    let segment = convex_hull(&[Vec3::ZERO, Vec3::new(0.1, 0.0, 0.0)]).expect("a segment");
    let (mut inside, mut outside) = (0, 0);
    for round in 0..400 {
        let distance = 1.0 + 0.9 * draw.number();
        let pose = draw.pose(distance);
        let pair =
            if round % 2 == 0 { Pair::new(&solid, &point, pose, 0.0) } else { Pair::new(&point, &solid, pose, 0.0) };
        let largest = all_faces(&pair).into_iter().map(|(_, height)| -height).fold(f64::NEG_INFINITY, f64::max);
        let DualityResult { end, counts, .. } = overlap_test(&pair, None);
        assert_eq!(end == SearchEnd::Beyond, largest > 0.0);
        assert_eq!(counts[2], 0);
        if largest > 0.0 {
            outside += 1
        } else {
            inside += 1
        }
        let handed = Pair::new(&solid, &segment, pose, 0.0);
        assert_eq!(overlap_test(&handed, None).end, SearchEnd::Stalled);
        assert_eq!(overlap_test(&Pair::new(&point, &point, pose, 0.0), None).end, SearchEnd::Stalled);
    }
    assert!(inside > 80 && outside > 80, "not representative: {inside} {outside}");
}

#[test]
fn searches_end_where_they_are_told_to() {
    let mut draw = Draw(6);
    let (a, b) = (draw.hull(40, [1.0, 1.0, 1.0]), draw.hull(40, [1.0, 1.0, 1.0]));
    let pair = Pair::new(&a, &b, draw.pose(0.3), 0.0);
    let counts = [Phase::FaceVertex, Phase::VertexFace, Phase::EdgeEdge]
        .map(|last| overlap_test_until(&pair, None, last).counts);
    assert!(counts[0][0] > 0 && counts[0][1..] == [0, 0], "{counts:?}");
    assert!(counts[1][1] > 0 && counts[1][2] == 0 && counts[2][2] > 0, "{counts:?}");
    let difference = Difference { pair: &pair, guide: Guide::Direction(Vec3::new(1.0, 0.0, 0.0)) };
    assert_eq!(difference.bodies(FaceOwner::B)[0].count, b.count);
}
