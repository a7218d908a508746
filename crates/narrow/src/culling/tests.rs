//! Samples that are ruled out side by side, against each sample alone.

use super::*;
use crate::certificate::random_bodies::{RandomBodies, block};
use crate::resolver;
use crate::solver_stats::SolverStats;
use crate::{BodyPoses as Given, pair::Pair};
use clearsweep_geometry::{LazyPieceTree, LazySurface, Polyhedron, Pose};
use clearsweep_model::{Model, Piece, SampleColumn, Shape};

/// A body of one piece: a core, inflated.
fn body(core: Polyhedron, inflated: f64) -> Shape {
    let (center, model, radius) = (Vec3::ZERO, Model::Hull, core.radius + inflated);
    let pieces = vec![Piece { core, radius: inflated }];
    let (hull, watertight, fit, mesh, condition) = (None, None, None, None, None);
    let (deviation, vertices, triangles) = (0.0, 0, 0);
    Shape {
        model,
        pieces,
        hull,
        center,
        middle: Vec3::ZERO,
        radius,
        deviation,
        decomposition_deviation: None,
        uneven: None,
        coordinate_step: 0.0,
        vertices,
        triangles,
        watertight,
        fit,
        mesh,
        faces: LazySurface::default(),
        tree: LazyPieceTree::default(),
        parts: Default::default(),
        condition,
    }
}

/// A body of two pieces, of which only the hull is looked at.
fn of_two(core: Polyhedron, inflated: f64) -> Shape {
    let mut of_two = body(core, inflated);
    of_two.pieces.extend(of_two.pieces.clone());
    of_two.hull = of_two.pieces.first().cloned().map(Box::new);
    of_two
}

fn options(within: f64) -> QueryOptions {
    QueryOptions { within, ..QueryOptions::EVERYTHING }
}

/// The samples that stretches rule out, each by a gap that outlasts the motion or along a
/// direction.
fn by_stretches(apart: &mut Culling<'_>, samples: u64) -> [u64; 2] {
    let (mut left, mut out) = (samples, [0; 2]);
    while left != 0 {
        let stretch = match apart.stretch(left) {
            Stretch::Open(stretch) => stretch,
            Stretch::Outlasted(stretch) => {
                out[0] |= stretch;
                stretch
            }
            Stretch::Shown(stretch) => {
                out[1] |= stretch;
                stretch
            }
        };
        assert!(stretch & left & left.wrapping_neg() != 0 && stretch & !left == 0);
        left &= !stretch;
    }
    out
}

#[test]
fn what_eight_lanes_rule_out_by_motion_is_what_one_pose_does() {
    let mut draw = RandomBodies(29);
    let (mut out, mut kept) = (0, 0);
    for case in 0..400 {
        // B drifts and turns; some samples are not asked for, one is no number.
        let (drift, turn) = (0.02 * draw.next(), 0.02 * draw.next());
        let mut moving = vec![SampleColumn([0.0; SAMPLES]); 10];
        for s in 0..SAMPLES {
            let at = s as f64 + 0.2 * draw.next();
            let values = [3.0 + drift * at, 0.1, 0.2, 1.0, turn * at, 0.3, 0.1, 0.0, 0.0, 0.0];
            moving.iter_mut().zip(values).for_each(|(lane, value)| lane.0[s] = value);
        }
        moving[1].0[case % SAMPLES] = if case % 3 == 0 { f64::NAN } else { 0.3 };
        let fixed = Pose::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        let samples = (draw.next().to_bits() << 12) | draw.next().to_bits() >> 40 | 1;
        let mut clearance = RelativeLanes::default();
        let [of_a, of_b] = [Given::Fixed(&fixed), Given::Moving(&moving)];
        let poses = RelativePoses::new(of_a, of_b, samples, &mut clearance);
        let [a, b] = [draw.body(0), draw.body(4)].map(|core| body(core, 0.0));
        let options = options(0.1);
        let query = PairQuery { a: &a, b: &b, poses_a: of_a, poses_b: of_b, samples };
        let mut apart = Culling::new(&query, &options, &poses, None);

        let proven = (1.0 + 0.3 * draw.next(), poses.at(0));
        apart.beyond(proven.0, proven.1, None);
        apart.axis = None;
        let alone = (0..SAMPLES)
            .fold(0, |set, s| set | u64::from(apart.outlasts(&proven, &poses.at(s), poses.at(s).t.length())) << s);
        assert_eq!(by_stretches(&mut apart, samples), [alone & samples, 0], "case {case}");
        (out, kept) = (out + (alone & samples).count_ones(), kept + (samples & !alone).count_ones());
    }
    assert!(out > 2000 && kept > 2000, "{out} ruled out, {kept} not");
}

#[test]
fn what_a_direction_rules_out_is_beyond_the_cut_off() {
    let mut draw = RandomBodies(31);
    let (mut out, mut near, mut missed) = (0, 0, 0);
    for case in 0..300 {
        let cores = [draw.body(case % 5), draw.body(case / 5 % 5)];
        let (mut moving, fixed) = block(&mut draw);
        if case % 7 == 0 {
            moving[2].0[case % SAMPLES] = f64::NAN;
        }
        let [of_a, of_b] = [Given::Fixed(&fixed), Given::Moving(&moving)];
        let mut clearance = RelativeLanes::default();
        let relative = RelativePoses::new(of_a, of_b, u64::MAX, &mut clearance);
        let poses = relative.lanes.expect("64 samples");
        let radii = [[0.0; 2], [0.05, 0.1]][case / 2 % 2];
        let options = options(0.3 + 0.3 * draw.next());
        let growth: f64 = radii.iter().sum();
        let make = if case % 4 < 2 { body } else { of_two };
        let [a, b] = [0, 1].map(|side| make(cores[side].clone(), radii[side]));
        let samples = draw.next().to_bits() | 1;
        let query = PairQuery { a: &a, b: &b, poses_a: of_a, poses_b: of_b, samples };
        // Beside the line of the origins by nothing, by little, or by far.
        let axis = Vec3::new(draw.next(), draw.next(), 0.1).scale([0.0, 0.1, 1.0][case % 3]);
        // Or so that nothing is left of the direction in one sample.
        let axis = if case % 11 == 0 { -poses.at(5).t.normalized() } else { axis };
        let mut apart = Culling::new(&query, &options, &relative, Some(axis));
        let [outlasted, shown] = by_stretches(&mut apart, samples);
        let mut again = Culling { seen: 0, shown: 0, ..apart };
        assert_eq!((outlasted, again.rules_out(samples)), (0, shown), "case {case}");
        for s in (0..SAMPLES).filter(|s| samples >> s & 1 == 1) {
            let pair = Pair::new(&cores[0], &cores[1], poses.at(s), growth);
            if !pair.size.is_finite() {
                assert!(shown >> s & 1 == 0);
                continue;
            }
            let answer = resolver::resolve(&pair, growth, (&of_a.at(s), &of_b.at(s)), &mut SolverStats::default());
            let beyond = answer.lower > beyond(options.within, pair.size) + growth;
            match (shown >> s & 1 == 1, beyond) {
                (true, _) => {
                    assert!(beyond, "case {case}, sample {s}: {} m", answer.distance);
                    out += 1;
                }
                (false, true) => missed += 1,
                (false, false) => near += 1,
            }
        }
    }
    assert!(out > 1000 && near > 1000 && out > missed / 4, "{out} ruled out, {missed} missed, {near} near");
}
