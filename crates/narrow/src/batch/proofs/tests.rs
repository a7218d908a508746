//! Answers proven together against those proven alone.

use super::*;
use crate::BodyPoses as Given;
use crate::certificate::local;
use crate::certificate::random_bodies::{RandomBodies, bits, block, options, rows};
use crate::relative::{RelativeLanes, RelativePoses};
use crate::resolver;
use crate::solve_outcome::SolveOutcome;
use crate::solver_stats::SolverStats;
use clearsweep_model::SAMPLES;

#[test]
fn answers_proven_together_are_those_proven_alone() {
    let mut draw = RandomBodies(21);
    let (mut kinds, mut refused, mut alone, mut held) = ([0; FormulaKind::ALL.len()], 0, 0, 0);
    let mut outcomes = [0; 3];
    for case in 0..700 {
        let cores = [draw.body(case % 5), draw.body(case / 5 % 5)];
        let (moving, fixed) = block(&mut draw);
        let given = [Given::Fixed(&fixed), Given::Moving(&moving)];
        let mut clearance = RelativeLanes::default();
        let relative = RelativePoses::new(given[0], given[1], u64::MAX, &mut clearance);
        let poses = relative.lanes.expect("64 samples");
        let (mut prover, mut out, mut asked) = (Prover::default(), ReadyRows::<SAMPLES>::default(), [None; SAMPLES]);
        let (refs, options) = ([&cores[0], &cores[1]], options(case));
        let of = PairBlock { rows: rows(refs, [[0.0; 2], [0.02, 0.01]][case / 8 % 2], &options), poses };
        let growth = of.rows.growth();
        // Planes that were formed, and planes that were not.
        if case % 3 > 0 {
            refs.iter().for_each(|core| _ = core.planes());
        }
        for s in (0..SAMPLES).step_by(3) {
            let pair = Pair::new(refs[0], refs[1], poses.at(s), growth);
            // The features of this sample, or those of another: mostly wrong.
            let other = if s % 2 == 0 { s } else { (s * 7) % SAMPLES };
            let there = Pair::new(refs[0], refs[1], poses.at(other), growth);
            let world = (given[0].at(other), given[1].at(other));
            let features =
                resolver::resolve(&there, growth, (&world.0, &world.1), &mut SolverStats::default()).features;
            asked[s] = Some((pair, features));
            prover.push(of, s, features, &mut out);
        }
        prover.finish(of, &mut out);
        for s in 0..SAMPLES {
            let Some((pair, features)) = &asked[s] else {
                assert!(matches!(out.outcome(s), SolveOutcome::Undecided));
                continue;
            };
            let single = local(pair, features).filter(|strict| strict.closest.distance > 0.0);
            alone += u32::from(single.is_some());
            let outcome = out.outcome(s);
            if matches!(outcome, SolveOutcome::Undecided) {
                refused += u32::from(single.is_none());
                continue;
            }
            let single = single.unwrap_or_else(|| panic!("case {case}: {features:?} only together"));
            let expected = of.rows.row(&Answer::certified(&single), s, &of.extents(s));
            assert_eq!(bits(&outcome), bits(&expected), "case {case}, {features:?}");
            outcomes[match outcome {
                SolveOutcome::Answered(Some(_)) => 0,
                SolveOutcome::Answered(None) | SolveOutcome::Undecided => 1,
                SolveOutcome::Beyond { .. } => 2,
            }] += 1;
            kinds[FormulaKind::of(features).expect("kinds with a formula") as usize] += 1;
            held += 1;
        }
    }
    assert!(kinds.iter().all(|&n| n > 100) && refused > 1000, "not representative: {kinds:?}, {refused} refused");
    assert!(outcomes[0] > 1000 && outcomes[2] > 1000, "not representative: {outcomes:?}");
    assert_eq!(held, alone, "what is certified alone is certified in lanes");
}
