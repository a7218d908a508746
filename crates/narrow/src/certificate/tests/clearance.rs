//! Proofs by stored planes against every vertex, and against the formulas in double-double.

use super::*;
use crate::certificate::random_bodies::RandomBodies;
use crate::certificate::scan::scan_wide;
use crate::closest_points::inside_face;
use clearsweep_geometry::{Dd, Real};

#[test]
fn what_is_clear_by_the_stored_clearances_is_so_by_every_vertex() {
    let mut draw = RandomBodies(5);
    let (mut clear, mut missed, mut refused) = ([0; 3], 0, 0);
    for case in 0..400 {
        let p = draw.body(case % 5);
        if p.dimension < 3 {
            continue;
        }
        p.planes();
        let edges = (0..p.edges.len() as u32).map(Feature::edge);
        let vertices = (0..p.count as u32).map(Feature::vertex);
        for feature in vertices.chain(edges).chain((0..p.face_count() as u32).map(Feature::face)) {
            let d = draw.direction(&p, feature);
            let margin = p.radius * 10.0_f64.powf(-7.5 + 6.5 * draw.next());
            let sure = of_feature(&p, feature, d, margin);
            let mut few = [0; 2];
            let own = feature.vertices(&p, &mut few);
            let height = |v: u32| d.dot(p.vertex(v));
            let line = height(own[0]) - margin;
            let below = (0..p.count as u32).filter(|v| !own.contains(v)).all(|v| height(v) < line);
            match (sure, below) {
                (true, _) => {
                    assert!(below, "case {case}: {feature:?}, margin {margin:e}");
                    clear[feature.kind as usize] += 1;
                    let own_reach = own.iter().all(|&v| height(v) >= line);
                    assert_eq!(scan_wide(&p, feature, d, margin, f64::INFINITY).is_some(), own_reach);
                }
                (false, true) => missed += 1,
                (false, false) => refused += 1,
            }
        }
    }
    assert!(clear.iter().all(|&n| n > 3000) && refused > 3000, "not representative: {clear:?}, {refused}");
    assert!(missed < clear.iter().sum(), "{missed} were clear without being known to be: {clear:?}");
}

#[test]
fn a_depth_by_the_stored_planes_is_below_that_of_the_formula() {
    let mut draw = RandomBodies(6);
    let (mut inside, mut outside) = (0, 0);
    for case in 0..400 {
        let p = draw.body(case % 5);
        for f in 0..p.face_count() as u32 {
            let (ring, normal) = (p.face(f), p.normals[f as usize]);
            // A mixture of the corners, some with shares below zero.
            let shares: Vec<f64> = ring.iter().map(|_| 0.8 + draw.next()).collect();
            let sum: f64 = shares.iter().sum();
            let corners = ring.iter().zip(&shares).map(|(&v, share)| p.vertex(v).scale(share / sum));
            let foot = corners.fold(Vec3::ZERO, |sum, corner| sum + corner);
            let size = p.radius + foot.length();
            let stored = depth(p.planes(), f, foot, size);
            let formula = inside_face(&p, f, normal, foot);
            let exact = inside_face::<Dd>(&p, f, Vec3::from_f64(normal), Vec3::from_f64(foot)).to_f64();
            assert!(stored <= formula && stored <= exact, "case {case}, face {f}: {stored:e} {formula:e}");
            assert!(stored >= exact - 2.0 * rounding(size), "case {case}, face {f}: far too low");
            if exact > 0.0 { inside += 1 } else { outside += 1 }
        }
    }
    assert!(inside > 3000 && outside > 500, "not representative: {inside} inside, {outside} outside");
}
