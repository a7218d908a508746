//! Scans against every vertex one by one, and lanes against scans, bit by bit.

use super::*;
use crate::certificate::FeaturePerLane;
use crate::certificate::random_bodies::RandomBodies;
use crate::certificate::scan::{scan_wide, scans};
use crate::feature::Feature;
use crate::feature::FeatureKind;
use crate::feature::FeatureKind::{Edge, Face, Vertex};
use clearsweep_base::simd::{Lane, Level, Mask, Portable};
use clearsweep_base::simd::{Simd, V, WIDTH, dispatch};
use clearsweep_geometry::Polyhedron;
use clearsweep_geometry::hull::convex_hull;

/// A point of the unit sphere, or one of a coarse lattice (faces of many sides, edges in line).
fn points(next: &mut impl FnMut() -> f64, sphere: bool) -> Vec<Vec3<f64>> {
    let mut point = || Vec3::new(next(), next(), next());
    let coarse = |v: Vec3<f64>| Vec3::new((2.0 * v.x).round(), (2.0 * v.y).round(), (2.0 * v.z).round());
    (0..120).map(|_| if sphere { point().normalized() } else { coarse(point()) }).collect()
}

#[test]
fn the_vertices_around_a_feature_decide_for_all() {
    let mut state = 11_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let (mut yes, mut no, mut around) = (0, 0, 0);
    for case in 0..400 {
        let p = convex_hull(&points(&mut next, case % 2 == 0)).expect("finite points");
        // Directions out of each feature, and some that tip over it by about the margin.
        let margin = 1e-3;
        let features = (0..p.count as u32).map(Feature::vertex);
        let features = features.chain((0..p.edges.len() as u32).map(Feature::edge));
        for feature in features.chain((0..p.face_count() as u32).map(Feature::face)) {
            let mut few = [0; 2];
            let own = feature.vertices(&p, &mut few);
            let mean = own.iter().fold(Vec3::ZERO, |sum, &v| sum + p.vertex(v));
            let tip = Vec3::new(next(), next(), next()).scale(if case % 3 == 0 { 0.0 } else { 0.05 });
            let normal = match feature.kind {
                FeatureKind::Face => p.normals[feature.index as usize],
                _ => (mean - p.mean.scale(own.len() as f64)).normalized(),
            };
            let d = (normal + tip).normalized();
            let at = d.dot(p.vertex(own[0]));
            let near: Vec<u32> = (0..p.count as u32).filter(|&v| d.dot(p.vertex(v)) >= at - margin).collect();
            let mut sorted = own.to_vec();
            sorted.sort_unstable();
            let found = scan_wide(&p, feature, d, margin, margin);
            let top = near.iter().map(|&v| d.dot(p.vertex(v))).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(found, (near == sorted && top - at <= margin).then_some(top), "case {case}, {feature:?}");
            around += u32::from(!scans(&p, feature));
            if found.is_some() { yes += 1 } else { no += 1 }
        }
    }
    assert!(yes > 10_000 && no > 10_000 && around > 10_000, "{yes} alone, {no} not, {around} by neighbours");
}

/// Eight features of one body, and what their planes are held against.
struct Case<'a> {
    p: &'a Polyhedron,
    features: [Feature; WIDTH],
    d: [Lane; 3],
    margin: Lane,
    bound: Lane,
}

#[inline(always)]
fn heights_body<S: Simd>(case: &Case<'_>) -> (Lane, u8, u8) {
    let own = FeaturePerLane::<S>::new(case.p, case.p.planes(), case.features[0].kind, &case.features);
    let (normal, margin, bound) = (Vec3::load(&case.d), V::load(&case.margin), V::load(&case.bound));
    let (max, good) = unique_support(&own, &SupportPlane { normal, margin, bound }, Mask::all(true));
    (max.lanes(), good.bits(), own.clear(normal, margin).bits())
}

dispatch!(at heights, heights_body, (case: &Case<'_>) -> (Lane, u8, u8));

#[test]
fn heights_in_lanes_are_those_of_one_feature_at_a_time() {
    let mut draw = RandomBodies(7);
    let (mut clear, mut asked, mut refused) = ([0; 3], [0; 3], [0; 3]);
    for case in 0..240 {
        let p = draw.body(case % 5);
        if p.dimension < 3 {
            continue;
        }
        let counts = [(Vertex, p.count), (Edge, p.edges.len()), (Face, p.face_count())];
        for (kind, count) in counts {
            let pick =
                |draw: &mut RandomBodies| ((0.5 * (draw.next() + 1.0) * count as f64) as u32).min(count as u32 - 1);
            for _ in 0..8 {
                let features = std::array::from_fn(|_| Feature { kind, index: pick(&mut draw) });
                let d = features.map(|feature| draw.direction(&p, feature));
                let margin = std::array::from_fn(|_| p.radius * 10.0_f64.powf(-7.5 + 6.5 * draw.next()));
                let bound = margin.map(|margin| margin / 4.0);
                let d = [d.map(|d| d.x), d.map(|d| d.y), d.map(|d| d.z)];
                let of = Case { p: &p, features, d, margin, bound };
                let (max, good, sure) = heights_body::<Portable>(&of);
                for level in Level::available() {
                    assert_eq!(heights(level, &of).1, good, "{level:?}");
                }
                for k in 0..WIDTH {
                    let d = Vec3::new(d[0][k], d[1][k], d[2][k]);
                    let alone = scan_wide(&p, features[k], d, margin[k], bound[k]);
                    let found = (good >> k & 1 == 1).then_some(max[k]);
                    assert_eq!(found.map(f64::to_bits), alone.map(f64::to_bits), "case {case}: {:?}", features[k]);
                    match (alone.is_some(), sure >> k & 1 == 1) {
                        (true, true) => clear[kind as usize] += 1,
                        (true, false) => asked[kind as usize] += 1,
                        _ => refused[kind as usize] += 1,
                    }
                }
            }
        }
    }
    let all = |seen: [i32; 3], least: i32| seen.iter().all(|&n| n > least);
    assert!(all(clear, 2000) && all(asked, 20) && all(refused, 1000), "{clear:?} {asked:?} {refused:?}");
}
