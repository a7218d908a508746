//! Verification in eight samples against the certificate of each alone.

use super::*;
use crate::BodyPoses as Given;
use crate::answer::Answer;
use crate::cache::PieceCache;
use crate::certificate::random_bodies::{self as draw, RandomBodies, block, options, rows};
use crate::certificate::{claim, local};
use crate::epa::Polytope;
use crate::feature::FeatureKind::{Edge, Face, Vertex};
use crate::pair::Pair;
use crate::pair_solver::{PairSolver, Parts, SearchMethod, solve};
use crate::relative::{RelativeLanes, RelativePoses};
use crate::resolver;
use crate::solve_outcome::SolveOutcome;
use crate::solver_stats::SolverStats;
use clearsweep_model::SAMPLES;

#[test]
fn what_eight_lanes_accept_is_accepted_alone_with_the_same_bits() {
    let mut draw = RandomBodies(5);
    let (mut kinds, mut accepted, mut alone) = ([0; 6], 0, 0);
    for case in 0..1500 {
        let (a, b) = (draw.body(case % 5), draw.body(case / 5 % 5));
        let (moving, fixed) = block(&mut draw);
        let poses = [Given::Fixed(&fixed), Given::Moving(&moving)];
        let mut clearance = RelativeLanes::default();
        let relative = RelativePoses::new(poses[0], poses[1], u64::MAX, &mut clearance);
        let options = options(case);
        let radii = if case % 3 == 0 { [0.004, 0.006] } else { [0.0; 2] };
        let of = PairBlock { rows: rows([&a, &b], radii, &options), poses: relative.lanes.expect("64 samples") };
        let growth = of.rows.growth();
        let start = case % (SAMPLES - WIDTH);
        let world = (poses[0].at(start), poses[1].at(start));
        let pair = Pair::new(&a, &b, relative.at(start), growth);
        let answer = resolver::resolve(&pair, growth, (&world.0, &world.1), &mut SolverStats::default());
        let features = answer.features;
        let kind = match (features.a.kind, features.b.kind) {
            (Vertex, Vertex) => 0,
            (Edge, Vertex) => 1,
            (Vertex, Edge) => 2,
            (Edge, Edge) => 3,
            (Face, _) => 4,
            _ => 5,
        };
        let mut eight = Verified::default();
        eight.verify(&of, &features, (None, None), start);
        for sample in start..start + WIDTH {
            assert!(eight.covers(sample));
            let pair = Pair::new(&a, &b, relative.at(sample), growth);
            let single = local(&pair, &features).filter(|s| s.closest.distance > 0.0);
            alone += u32::from(single.is_some());
            let outcome = eight.ready.outcome(sample);
            if !matches!(outcome, SolveOutcome::Undecided) {
                let single = single.unwrap_or_else(|| panic!("case {case}: {features:?} only in lanes"));
                let expected = of.rows.row(&Answer::certified(&single), sample, &of.extents(sample));
                assert_eq!(draw::bits(&outcome), draw::bits(&expected), "case {case}, {features:?}");
                accepted += 1;
                kinds[kind] += 1;
            }
        }
    }
    assert!(kinds.iter().all(|&n| n > 100), "not representative: {kinds:?}");
    assert!(accepted == alone && alone > 3000, "{accepted} of {alone} in lanes");
}

#[test]
fn what_a_surface_proves_in_eight_lanes_it_proves_alone() {
    let mut draw = RandomBodies(9);
    let (mut accepted, mut alone) = (0, 0);
    let mut polytope = Polytope::default();
    for case in 0..600 {
        let bodies = [draw.body([0, 2, 4][case % 3]), draw.body([2, 3, 4][case / 3 % 3])];
        let [a, b] = bodies.each_ref();
        let (mut moving, fixed) = block(&mut draw);
        // From beside each other into each other.
        moving[..3].iter_mut().flat_map(|lane| &mut lane.0).for_each(|x| *x *= 0.3);
        let poses = [Given::Fixed(&fixed), Given::Moving(&moving)];
        let mut clearance = RelativeLanes::default();
        let relative = RelativePoses::new(poses[0], poses[1], u64::MAX, &mut clearance);
        let options = options(case);
        let rows = rows([a, b], [0.0; 2], &options);
        let of = PairBlock { rows, poses: relative.lanes.expect("64 samples") };
        let start = case % (SAMPLES - WIDTH);
        let (pose_a, pose_b) = (poses[0].at(start), poses[1].at(start));
        let parts =
            Parts { cores: [a, b], growth: 0.0, pose_a: &pose_a, pose_b: &pose_b, relative: &relative.at(start) };
        let mut cache = PieceCache::default();
        let mut solver =
            PairSolver { search: SearchMethod::Auto, single: false, polytope: &mut polytope, overlap: None };
        solve(&parts, f64::INFINITY, &mut cache, &mut solver, &mut SolverStats::default());
        let Some(features) = cache.features() else { continue };
        let Some(surface) = cache.surface() else { continue };
        let mut eight = Verified::default();
        eight.verify(&of, &features, (Some(surface), None), start);
        for sample in start..start + WIDTH {
            let pair = Pair::new(a, b, relative.at(sample), 0.0);
            let single = local(&pair, &features).filter(|s| {
                let points: Vec<_> = surface.pairs().iter().map(|&vertices| pair.difference(vertices)).collect();
                let facet = |t: &[VertexPair; 3]| epa::is_of_facet([pair.a, pair.b], &features, t);
                !s.in_contact_band() && surface.proves(&points, &claim(s), facet)
            });
            alone += u32::from(single.is_some());
            let outcome = eight.ready.outcome(sample);
            if eight.ready.deep >> (sample - start) & 1 == 1 && !matches!(outcome, SolveOutcome::Undecided) {
                let single = single.unwrap_or_else(|| panic!("case {case}: {features:?} only in lanes"));
                let expected = of.rows.row(&Answer::certified(&single), sample, &of.extents(sample));
                assert_eq!(draw::bits(&outcome), draw::bits(&expected), "case {case}, {features:?}");
                accepted += 1;
            }
        }
    }
    assert!(accepted * 100 >= alone * 95 && accepted > 1000, "{accepted} of {alone} in lanes");
}
