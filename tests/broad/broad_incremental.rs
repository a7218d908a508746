//! The incremental broad phases return the candidates of a scalar double loop under long motion of
//! many kinds. So does the published per-sample hashing, with which experiments compare them.
#![allow(clippy::print_stderr, reason = "tests say how representative their scenes are")]

mod scripted_motion;

use crate::oracle::oracle;
use clearsweep_broad::internals::{PerSampleHash, sweep_with_limit};
use clearsweep_broad::{BroadPhase, BroadScene};
use clearsweep_geometry::Pose;
use clearsweep_scene::{Candidate, FrameBlock};
use clearsweep_testing::random::Random;
use clearsweep_testing::scenes::{BASE, Recipe, Setup, block, cuboid, generate};
use clearsweep_trajectory::Bounds;
use proptest::prelude::*;
use scripted_motion::{Arranged, SCRIPT, Script, ScriptedMotion};

/// Every incremental method, and sweep and prune with two extreme limits: never sorted from
/// scratch, and always.
fn methods() -> Vec<(&'static str, Box<dyn BroadPhase>)> {
    let named = |name| (name, clearsweep_broad::by_name(name).unwrap_or_else(|e| panic!("{name}: {e:?}")));
    vec![
        named("coherent-hash"),
        named("sweep"),
        ("sweep, by insertion only", sweep_with_limit(1e9)),
        ("sweep, afresh", sweep_with_limit(0.0)),
        ("hash, each sample", Box::new(PerSampleHash::standard(None, true))),
        ("coherent hash, each sample", Box::new(PerSampleHash::coherent(None))),
    ]
}

/// Compares every method's candidates of a block with those of the oracle, which are returned.
fn compare(
    what: &str,
    methods: &mut [(&'static str, Box<dyn BroadPhase>)],
    setup: &Setup,
    job: &BroadScene,
    block: &FrameBlock,
) -> Vec<Candidate> {
    let expected = oracle(setup, job, block);
    for (name, method) in methods {
        let found = method.candidates(job, &setup.scene, block);
        if found != expected {
            let wrong = found.iter().find(|c| !expected.contains(c)).or(expected.iter().find(|c| !found.contains(c)));
            panic!(
                "{what}: {name}, block {}: {} candidates for {}: {wrong:x?}",
                block.index,
                found.len(),
                expected.len()
            );
        }
    }
    expected
}

/// Plays a whole motion. Returns the share of pair-samples that overlap, and the number of
/// candidates whose overlap begins or ends within a block.
fn play(script: Script) -> (f64, usize) {
    let mut motion = ScriptedMotion::new(script, 3);
    let job = motion.setup.job();
    let mut methods = methods();
    let (mut hits, mut partial, mut samples) = (0, 0, 0);
    while let Some(block) = motion.next(64) {
        let found = compare(script.name, &mut methods, &motion.setup, &job, &block);
        hits += found.iter().map(|c| u64::from(c.samples.count_ones())).sum::<u64>();
        partial += found.iter().filter(|c| c.samples != block.all_samples()).count();
        samples += block.samples.len();
    }
    assert_eq!(samples, script.frames);
    assert!(script.change == 0.0 || motion.changes > 100, "{}: {} come or go", script.name, motion.changes);
    assert!(script.run_length > script.frames || motion.jumps > 5, "{}: {} jumps", script.name, motion.jumps);
    let n = script.bodies as f64;
    let share = hits as f64 / (0.5 * n * (n - 1.0) * samples as f64);
    eprintln!("{}: {share:.5} of all pairs overlap, {partial} candidates come or go", script.name);
    (share, partial)
}

#[test]
fn a_thousand_frames_of_motion_equal_the_oracle() {
    let scripts = [
        SCRIPT,
        Script { name: "in clusters", arranged: Arranged::Clusters(5), space: [60.0; 3], ..SCRIPT },
        Script { name: "a sheet", space: [14.0, 14.0, 0.05], ..SCRIPT },
        Script { name: "fast", step: 1.5, ..SCRIPT },
        Script { name: "at rest", step: 0.0, frames: 200, ..SCRIPT },
        Script { name: "all dynamic", fixed: 0.0, ..SCRIPT },
        Script { name: "mostly static", fixed: 0.9, bodies: 300, space: [10.0; 3], ..SCRIPT },
        Script { name: "coming and going", change: 0.02, ..SCRIPT },
        Script { name: "flickering", change: 0.5, frames: 300, ..SCRIPT },
        Script { name: "runs of 150", run_length: 150, change: 0.01, ..SCRIPT },
        Script { name: "runs of 7", run_length: 7, frames: 400, ..SCRIPT },
        Script { name: "runs of 1", run_length: 1, frames: 130, ..SCRIPT },
        Script { name: "ignored pairs", classes: 3, ..SCRIPT },
        Script { name: "far away", offset: 1e9, ..SCRIPT },
        Script { name: "saturating", bounds: 1e-3, fixed: 0.0, ..SCRIPT },
        Script { name: "touching", arranged: Arranged::Touching, space: [8.0; 3], bounds: 4.0, ..SCRIPT },
    ];
    for script in scripts {
        let (share, partial) = play(script);
        assert!((1e-3..0.5).contains(&share), "{}: share {share}", script.name);
        assert!(partial > 100 || script.step == 0.0, "{}: {partial} come or go", script.name);
    }
}

#[test]
fn touching_scenes_have_boxes_that_share_one_plane_and_boxes_that_miss_by_one() {
    let mut motion = ScriptedMotion::new(
        Script { arranged: Arranged::Touching, space: [8.0; 3], bounds: 4.0, fixed: 0.0, frames: 64, ..SCRIPT },
        3,
    );
    let job = motion.setup.job();
    let block = motion.next(64).expect("a block");
    let boxes: Vec<_> = (0..SCRIPT.bodies).map(|slot| job.boxes(&block, slot)).collect();
    let (mut shared, mut missed) = (0, 0);
    for s in 0..64 {
        for a in &boxes {
            for b in &boxes {
                let (a, b) = (a.get(s), b.get(s));
                let cross = |k: usize| a.min[k] <= b.max[k] && b.min[k] <= a.max[k];
                let gap = a.max[0].abs_diff(b.min[0]);
                shared += usize::from(cross(1) && cross(2) && gap == 0);
                missed += usize::from(cross(1) && cross(2) && a.max[0] + 1 == b.min[0]);
            }
        }
    }
    assert!(shared > 500 && missed > 50, "{shared} share a plane, {missed} miss each other by one");
}

#[test]
fn sizes_from_one_to_a_million_equal_the_oracle() {
    let wide = Script { name: "sizes 1:1,000,000", ratio: 1e6, space: [2e6; 3], ..SCRIPT };
    // One huge static body, and tiny bodies that fly into its box and out of it.
    let crowd = Script { name: "a huge one", huge: Some(1e6), space: [2e6; 3], step: 3e3, bodies: 300, ..SCRIPT };
    // In a corner of it, where the tiny bodies overlap each other, too.
    let near = Script { name: "near a huge one", huge: Some(1e6), fixed: 0.0, bounds: 1e6, ..SCRIPT };
    for script in [wide, crowd, near] {
        let (share, partial) = play(Script { frames: 400, ..script });
        assert!((1e-4..0.5).contains(&share), "{}: share {share}", script.name);
        assert!(partial > 50, "{}: {partial} come or go", script.name);
    }
}

#[test]
fn coinciding_and_nested_bodies_equal_the_oracle() {
    let equal =
        Script { name: "all equal", bodies: 60, arranged: Arranged::Together, step: 1e-4, frames: 200, ..SCRIPT };
    let nested = Script { name: "nested", ratio: 1e5, ..equal };
    for script in [equal, nested] {
        let (share, _) = play(script);
        // The query does not ask for static pairs: with one static body in five, they are 1 in 25
        // pairs.
        assert!(share > 0.9, "{}: share {share}", script.name);
    }
}

#[test]
fn large_scenes_equal_the_oracle() {
    for (bodies, space, ratio, samples) in
        [(0, 1.0, 1.0, 3), (1, 1.0, 1.0, 3), (2, 1.5, 1.0, 64), (1500, 16.0, 4.0, 20), (5000, 25.0, 2.0, 3)]
    {
        let (setup, block) =
            generate(&Recipe { bodies, space: [space; 3], ratio, samples, absent: 0.05, classes: 4, ..BASE });
        let job = setup.job();
        let mut methods = methods();
        for _ in 0..2 {
            let found = compare("large", &mut methods, &setup, &job, &block);
            assert!(bodies < 1000 || found.len() > 4 * bodies, "{} candidates of {bodies} bodies", found.len());
        }
    }
}

#[test]
fn a_method_that_has_seen_one_job_serves_the_next() {
    let mut methods = methods();
    for (seed, script) in
        [(1, SCRIPT), (2, Script { fixed: 0.5, ..SCRIPT }), (1, SCRIPT), (3, Script { bodies: 7, ..SCRIPT })]
    {
        let mut motion = ScriptedMotion::new(Script { frames: 100, ..script }, seed);
        let job = motion.setup.job();
        while let Some(block) = motion.next(64) {
            compare("jobs in turn", &mut methods, &motion.setup, &job, &block);
        }
    }
}

#[test]
fn static_pairs_are_reported_once_by_incremental_methods_too() {
    for (fixed, asked) in [(0.5, true), (0.5, false), (1.0, false)] {
        let mut motion = ScriptedMotion::new(Script { fixed, space: [6.0; 3], frames: 100, classes: 4, ..SCRIPT }, 5);
        motion.setup.scene.query.static_pairs = asked;
        let job = motion.setup.job();
        let mut methods = methods();
        let first = motion.next(64).map(|b| compare("first", &mut methods, &motion.setup, &job, &b)).expect("a block");
        let later = motion.next(64).map(|b| compare("later", &mut methods, &motion.setup, &job, &b)).expect("a block");
        assert!(first.len() > 50 && (fixed < 1.0) != later.is_empty());
    }
}

#[test]
fn boxes_that_outgrow_their_level_and_poses_beyond_the_lattice_are_treated_correctly() {
    let mut setup = Setup::new(0.1);
    for i in 0..12 {
        setup.add(cuboid([1.0; 3]), (i % 4 == 0).then(|| Pose::new([f64::from(i), 0.0, 0.0], [1.0, 0.0, 0.0, 0.0])));
    }
    let mut b = block(0, 9, 64, 64);
    for slot in 0..9 {
        for s in 0..64 {
            let x = slot as f64 + 0.1 * s as f64;
            let pose = match (slot, s) {
                (1, 20..30) => Pose::new([f64::NAN; 3], [1.0, 0.0, 0.0, 0.0]),
                (2, 40) => Pose::new([x, 0.0, 0.0], [0.0; 4]),
                // A quaternion of length 100: not a rotation, but a file may contain it.
                (3, 10..50) => Pose::new([x, 0.0, 0.0], [1e-170, 0.0, 0.0, 1e-170]),
                (4, 5..9) => Pose::new([1e308, -1e308, 1e300], [1.0, 0.0, 0.0, 0.0]),
                _ => Pose::new([x, 0.3 * slot as f64, 0.0], [1.0, 0.0, 0.0, 0.0]),
            };
            b.set(slot, s, &pose);
        }
    }
    setup.bounds = Some(Bounds { min: [-1.0; 3], max: [20.0; 3] });
    let job = setup.job();
    let mut methods = methods();
    for _ in 0..3 {
        let found = compare("wrong poses", &mut methods, &setup, &job, &b);
        assert!(found.len() > 20, "{}", found.len());
    }
}

#[test]
fn what_does_not_move_costs_nothing() {
    let mut motion = ScriptedMotion::new(Script { step: 0.0, bodies: 400, ..SCRIPT }, 9);
    let job = motion.setup.job();
    let (mut coherent, mut sweep) = (methods().remove(0).1, methods().remove(1).1);
    let block = motion.next(64).expect("a block");
    let found = coherent.candidates(&job, &motion.setup.scene, &block);
    assert_eq!(sweep.candidates(&job, &motion.setup.scene, &block), found);
    let (labels, swaps) = (coherent.operations(), sweep.operations());
    assert!(labels.cells > 400 && swaps.sorts == 1 && swaps.swaps == 0, "{labels:?} {swaps:?}");
    let mut again = motion.next(64).expect("a block");
    again.starts_run = 0;
    coherent.candidates(&job, &motion.setup.scene, &again);
    sweep.candidates(&job, &motion.setup.scene, &again);
    assert_eq!(coherent.operations().cells, labels.cells);
    assert_eq!(coherent.operations().cell_meetings, labels.cell_meetings);
    assert_eq!((sweep.operations().swaps, sweep.operations().sorts), (0, 1));
}

#[test]
fn clustered_end_points_are_sorted_afresh_rather_than_exchanged() {
    // Flat bodies on a table: along z all intervals overlap, and the smallest motion reorders their
    // endpoints.
    let n = 1500;
    let mut setup = Setup::new(0.0);
    (0..n).for_each(|_| setup.add(cuboid([0.5; 3]), None));
    let mut random = Random(8);
    let mut b = block(0, n, 6, 64);
    for slot in 0..n {
        for s in 0..6 {
            let at = [(slot % 40) as f64, (slot / 40) as f64, random.between(-0.05, 0.05)];
            b.set(slot, s, &Pose::new(at, [1.0, 0.0, 0.0, 0.0]));
        }
    }
    setup.bound(&b);
    let job = setup.job();
    let mut bounded = clearsweep_broad::by_name("sweep").expect("a method");
    let mut unbounded = sweep_with_limit(1e9);
    assert_eq!(bounded.candidates(&job, &setup.scene, &b), oracle(&setup, &job, &b));
    assert_eq!(unbounded.candidates(&job, &setup.scene, &b), oracle(&setup, &job, &b));
    let (bounded, unbounded) = (bounded.operations(), unbounded.operations());
    assert_eq!((bounded.sorts, unbounded.sorts), (6, 1));
    // Half of the pairs of endpoints of 1,500 bodies, in five samples.
    assert!(unbounded.swaps > 5 * 1_000_000, "{unbounded:?}");
    assert!(bounded.swaps < unbounded.swaps / 10, "{bounded:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_short_motion(
        bodies in prop::collection::vec(
            ((-4_i32..4, -4_i32..4, -4_i32..4), 0_i32..20, any::<bool>(), (-2_i32..3, -2_i32..3, 1_usize..12), any::<u64>()),
            0..12,
        ),
        blocks in prop::collection::vec(1_usize..=64, 1..5),
        run_length in 1_usize..150,
        classes in 0_usize..4,
        statics in any::<bool>(),
    ) {
        let mut setup = Setup::new(0.25);
        setup.scene.query.static_pairs = statics;
        setup.bounds = Some(Bounds { min: [-9.0; 3], max: [9.0; 3] });
        let mut moving = Vec::new();
        for body in &bodies {
            let ((x, y, z), exponent, fixed, ..) = *body;
            let pose = Pose::new([f64::from(x), f64::from(y), f64::from(z)], [1.0, 0.0, 0.0, 0.0]);
            setup.add(cuboid([0.001 * 2_f64.powi(exponent); 3]), fixed.then_some(pose));
            if !fixed {
                moving.push((pose, body));
            }
        }
        if classes > 1 {
            setup.ignore(classes);
        }
        let job = setup.job();
        let mut methods = methods();
        let mut frame = 0;
        for (index, &samples) in blocks.iter().enumerate() {
            let mut b = block(index as u64, moving.len(), samples, usize::MAX);
            b.starts_run = 0;
            for s in 0..samples {
                let (run, t) = (frame / run_length, (frame % run_length) as f64);
                b.starts_run |= u64::from(frame % run_length == 0) << s;
                for (slot, (pose, (.., (vx, vy, still), present))) in moving.iter().enumerate() {
                    if present.rotate_left(frame as u32 / 5) & 3 == 3 {
                        continue;
                    }
                    // The body moves in steps, so that it also rests.
                    let steps = (t / *still as f64).floor() + run as f64;
                    let mut moved = *pose;
                    moved.position.x += 0.25 * f64::from(*vx) * steps;
                    moved.position.y += 0.125 * f64::from(*vy) * steps;
                    b.set(slot, s, &moved);
                }
                frame += 1;
            }
            compare("proptest", &mut methods, &setup, &job, &b);
        }
    }
}
