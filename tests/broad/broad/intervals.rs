//! Candidates of intervals: all methods return those of the boxes, which contain the bodies at
//! every time in between.

use super::{NAMES, method};
use crate::oracle::{interval_oracle, oracle};
use clearsweep_broad::BroadScene;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::MotionBounds;
use clearsweep_scene::block::Sample;
use clearsweep_scene::{BetweenFrames, Body, Candidate, FrameBlock, Motion, NextSample, Pivot, SAMPLES, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::scenes::{BASE, Recipe, Setup, block, cuboid, generate};
use std::sync::Arc;

const ASSUMED: [BetweenFrames; 3] = [BetweenFrames::Linear, BetweenFrames::Screw, BetweenFrames::Hold];

/// Compares all methods with the oracle, twice, since methods learn how to split blocks; returns
/// the candidates.
fn check(what: &str, setup: &Setup, block: &FrameBlock) -> Vec<Candidate> {
    let job = setup.job();
    let expected = interval_oracle(setup, &job, block);
    for name in NAMES {
        let mut method = method(name);
        for round in 0..3 {
            // Methods that keep state do not mix up the boxes of samples and those of intervals.
            let samples = method.candidates(&job, &setup.scene, block);
            let found = method.interval_candidates(&job, &setup.scene, block);
            let counts = (found.len(), expected.len());
            assert!(found == expected, "{what}: {name} finds {counts:?} in round {round}");
            contains_both_ends(what, setup, block, &samples, &found);
        }
    }
    #[cfg(feature = "gpu")]
    super::devices::check_intervals(what, setup, &job, block, &expected);
    expected
}

/// The candidates of both samples of an interval that exists for both bodies are candidates of it.
fn contains_both_ends(what: &str, setup: &Setup, block: &FrameBlock, samples: &[Candidate], found: &[Candidate]) {
    let exists = |body: u32| match setup.scene.bodies[body as usize].motion {
        Motion::Static(_) => u64::MAX,
        Motion::Dynamic { slot } => block.present_at_both_ends(slot as usize),
    };
    let is_static = |body: u32| matches!(setup.scene.bodies[body as usize].motion, Motion::Static(_));
    let of_samples = match setup.scene.motion.between {
        BetweenFrames::None => 0,
        _ => block.intervals(setup.scene.motion.max_gap)[0],
    };
    for c in samples.iter().filter(|c| !(is_static(c.a) && is_static(c.b))) {
        let wanted = (c.samples | c.samples >> 1) & of_samples & exists(c.a) & exists(c.b);
        let own = found.iter().find(|own| (own.a, own.b) == (c.a, c.b)).map_or(0, |own| own.samples);
        assert!(wanted & !own == 0, "{what}: bodies {} and {}, {wanted:b}, {own:b}", c.a, c.b);
    }
}

/// Lets the block be followed by a sample in which the bodies of every second slot move on by so
/// many metres a slot.
fn follow(block: &mut FrameBlock, step: f64) {
    let last = block.samples.len() - 1;
    let Sample { run, frame, time_s } = block.samples[last];
    let pose = |slot: usize| {
        let mut pose = (block.present[slot] >> last & 1 == 1).then(|| block.pose(slot, last))?;
        pose.position.x += step * (slot % 2) as f64;
        (slot % 17 != 5).then_some(pose)
    };
    let poses = (0..block.present.len()).map(pose).collect();
    block.following =
        Some(Box::new(NextSample { sample: Sample { run, frame: frame + 1, time_s }, poses, joints: Vec::new() }));
}

#[test]
fn all_methods_equal_the_oracle_on_intervals() {
    let recipes = [
        BASE,
        Recipe { name: "sparse", space: [40.0; 3], ..BASE },
        Recipe { name: "sizes 1:1000", ratio: 1e3, space: [3e3; 3], bodies: 400, ..BASE },
        Recipe { name: "far away", offset: 1e9, bodies: 100, ..BASE },
        Recipe { name: "tiny", scale: 1e-9, bodies: 100, ..BASE },
        Recipe { name: "absent", absent: 0.3, ..BASE },
        Recipe { name: "mostly absent", absent: 0.9, ..BASE },
        Recipe { name: "runs of 7", run_length: 7, ..BASE },
        Recipe { name: "runs of 1", run_length: 1, step: 0.1, ..BASE },
        Recipe { name: "short block", samples: 5, ..BASE },
        Recipe { name: "one sample", samples: 1, ..BASE },
        Recipe { name: "ignore classes", classes: 3, ..BASE },
        Recipe { name: "fast", step: 2.0, ..BASE },
        Recipe { name: "very fast, in runs", step: 20.0, run_length: 10, absent: 0.1, space: [30.0; 3], ..BASE },
        Recipe { name: "at rest", step: 0.0, ..BASE },
        Recipe { name: "mostly static", fixed: 0.9, bodies: 800, space: [14.0; 3], ratio: 30.0, ..BASE },
    ];
    let mut at_the_end = 0;
    for recipe in &recipes {
        let (mut setup, mut block) = generate(recipe);
        for between in ASSUMED {
            setup.scene.motion.between = between;
            block.following = None;
            let inside = check(recipe.name, &setup, &block);
            let last = 1_u64 << (recipe.samples - 1);
            assert!(inside.iter().all(|c| c.samples & (last | block.starts_run >> 1) == 0), "{}", recipe.name);
            assert!(recipe.run_length == 1 || recipe.samples == 1 || inside.len() >= 10, "{}", recipe.name);
            follow(&mut block, 2.0 * recipe.step * recipe.scale);
            let all = check(recipe.name, &setup, &block);
            at_the_end += all.iter().filter(|c| c.samples & last != 0).count();
            let before: Vec<Candidate> = all.iter().map(|c| Candidate { samples: c.samples & !last, ..*c }).collect();
            assert!(before.iter().filter(|c| c.samples != 0).eq(&inside), "{}", recipe.name);
        }
        setup.scene.motion.between = BetweenFrames::None;
        assert!(check(recipe.name, &setup, &block).is_empty(), "{}: nothing is assumed", recipe.name);
    }
    assert!(at_the_end > 1000, "{at_the_end} pairs are near after the last sample");
}

#[test]
fn gaps_of_frames_end_intervals_and_static_pairs_have_none() {
    let (mut setup, mut block) = generate(&Recipe { run_length: 20, fixed: 0.5, ratio: 4.0, ..BASE });
    setup.scene.query.static_pairs = true;
    setup.scene.motion.between = BetweenFrames::Linear;
    block.index = 0;
    let whole = check("whole", &setup, &block);
    let is_static = |body: u32| matches!(setup.scene.bodies[body as usize].motion, Motion::Static(_));
    assert!(whole.iter().all(|c| !(is_static(c.a) && is_static(c.b))) && whole.len() > 100);
    block.samples.iter_mut().filter(|sample| sample.frame >= 10).for_each(|sample| sample.frame += 1);
    let gaps = (0..3).fold(0_u64, |mask, run| mask | 1 << (20 * run + 9));
    assert_eq!(block.intervals(1)[1], gaps);
    let broken = check("gaps", &setup, &block);
    let expected: Vec<Candidate> =
        whole.iter().map(|c| Candidate { samples: c.samples & !gaps, ..*c }).filter(|c| c.samples != 0).collect();
    assert!(broken == expected && broken != whole);
    setup.scene.motion.max_gap = 2;
    assert!(check("wide gaps", &setup, &block) == whole);
}

#[test]
fn poses_that_are_wrong_or_out_of_bounds_lose_nothing() {
    let (mut setup, mut block) = generate(&Recipe { name: "saturating", step: 3.0, bodies: 100, ..BASE });
    setup.bounds = None;
    block.set(3, 7, &Pose::new([f64::NAN; 3], [1.0, 0.0, 0.0, 0.0]));
    block.set(4, 9, &Pose::new([0.0; 3], [0.0; 4]));
    block.set(5, 11, &Pose::new([1e308; 3], [1.0, 0.0, 0.0, 0.0]));
    follow(&mut block, 1.0);
    for between in ASSUMED {
        setup.scene.motion.between = between;
        let found = check("wrong", &setup, &block);
        for (slot, sample) in [(3, 7), (4, 9)] {
            let body = setup.scene.dynamic[slot];
            let near = found.iter().filter(|c| c.a == body || c.b == body);
            let both = near.filter(|c| c.samples >> (sample - 1) & 0b11 == 0b11).count();
            assert!(both > 50, "{between:?}: slot {slot} has {both}");
        }
    }
}

// ------------------------------------------------------------------------------------------ times in between

type V = [f64; 3];

fn sum(a: V, b: V) -> V {
    std::array::from_fn(|k| a[k] + b[k])
}

fn times(a: V, s: f64) -> V {
    a.map(|c| c * s)
}

fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The Hamilton product.
fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let (u, v) = ([a[1], a[2], a[3]], [b[1], b[2], b[3]]);
    let w = sum(sum(times(v, a[0]), times(u, b[0])), cross(u, v));
    [a[0] * b[0] - dot(u, v), w[0], w[1], w[2]]
}

fn conjugate(q: [f64; 4]) -> [f64; 4] {
    [q[0], -q[1], -q[2], -q[3]]
}

fn turned(q: [f64; 4], p: V) -> V {
    let r = product(product(q, [0.0, p[0], p[1], p[2]]), conjugate(q));
    times([r[1], r[2], r[3]], 1.0 / q.iter().map(|c| c * c).sum::<f64>())
}

/// The shortest rotation from `a` to `b` as a world axis and an angle.
fn axis_and_angle(a: [f64; 4], b: [f64; 4]) -> (V, f64) {
    let d = product(b, conjugate(a));
    let d = if d[0] < 0.0 { d.map(|c| -c) } else { d };
    let v = [d[1], d[2], d[3]];
    let length = dot(v, v).sqrt();
    (if length > 0.0 { times(v, 1.0 / length) } else { [1.0, 0.0, 0.0] }, 2.0 * length.atan2(d[0]))
}

fn about(axis: V, angle: f64) -> [f64; 4] {
    let v = times(axis, (0.5 * angle).sin());
    [(0.5 * angle).cos(), v[0], v[1], v[2]]
}

/// The pose of the recentred frame at a share of an interval.
fn between(assumed: BetweenFrames, ends: &[Pose; 2], pivot: V, share: f64) -> Pose {
    let [p0, p1] = ends.each_ref().map(|pose| pose.position.to_array());
    let (axis, angle) = axis_and_angle(ends[0].q, ends[1].q);
    let q = product(about(axis, share * angle), ends[0].q);
    let moved = sum(p1, times(p0, -1.0));
    let at = match assumed {
        BetweenFrames::Linear | BetweenFrames::Ballistic | BetweenFrames::Bounded => {
            let [c0, c1] = [0, 1].map(|end| sum([p0, p1][end], turned(ends[end].q, pivot)));
            let c = sum(times(c0, 1.0 - share), times(c1, share));
            sum(c, times(turned(q, pivot), -1.0))
        }
        BetweenFrames::Screw if angle > 1e-9 => {
            let along = times(axis, dot(axis, moved));
            let across = sum(moved, times(along, -1.0));
            let to_axis = sum(times(across, 0.5), times(cross(axis, across), 0.5 / (0.5 * angle).tan()));
            let arm = turned(about(axis, share * angle), times(to_axis, -1.0));
            sum(sum(sum(p0, to_axis), arm), times(along, share))
        }
        BetweenFrames::Screw => sum(p0, times(moved, share)),
        BetweenFrames::Hold | BetweenFrames::None | BetweenFrames::Joint | BetweenFrames::Spline => {
            return ends[usize::from(share >= 1.0)];
        }
    };
    Pose::new(at, q)
}

/// A thin plate, a needle, a cube, or a cube whose own origin is 5 km away.
fn body(kind: usize) -> Arc<Shape> {
    let shape = cuboid([[2.0, 2.0, 1e-3], [1e-3, 3.0, 1e-3], [1.0; 3], [1.0; 3]][kind % 4]);
    let center = if kind % 4 == 3 { Vec3::new(3000.0, 4000.0, 0.0) } else { Vec3::new(0.3, 0.0, -0.2) };
    Arc::new(Shape { center, ..Shape::clone(&shape) })
}

/// Time between two samples: a body that falls leaves its line by 1.2 m.
const SECONDS: f64 = 1.0;

/// Bodies that move by a few sizes and turn by up to `turn` between two samples, some about a pivot
/// 5 km away.
fn two_samples(r: &mut Random, turn: f64) -> (Setup, FrameBlock) {
    let mut setup = Setup::new(0.01);
    let (mut b, dynamic) = (block(1, 60, 2, 2), 60);
    b.samples.iter_mut().zip([0.0, SECONDS]).for_each(|(sample, time)| sample.time_s = Some(time));
    for slot in 0..dynamic {
        setup.add(body(slot), None);
        let index = setup.scene.bodies.len() - 1;
        setup.scene.bodies[index].pivot = if slot % 8 < 5 { Pivot::Origin } else { Pivot::Centre };
        let (at, q) = (r.in_cube(7.0), r.turn());
        let far = slot % 8 == 3;
        let axis = r.vector();
        let axis = times(axis, 1.0 / dot(axis, axis).sqrt());
        let angle = if far { 1e-3 } else { r.between(0.0, turn) };
        b.set(slot, 0, &Pose::new(at, q));
        let to = Pose::new(sum(at, r.in_cube(4.0)), product(about(axis, angle), q).map(|c| -c));
        b.set(slot, 1, &to);
        let pivot = setup.scene.bodies[index].pivot.of(&setup.scene.bodies[index].shape).to_array();
        let way = sum(sum(to.position.to_array(), turned(to.q, pivot)), times(sum(at, turned(q, pivot)), -1.0));
        let speed = (dot(way, way).sqrt() * 1.02 + 0.1) / SECONDS;
        setup.scene.bodies[index].bounds =
            MotionBounds { speed: Some(speed), turn: Some(angle / SECONDS + 1e-6), ..MotionBounds::default() };
        if slot % 6 == 0 {
            setup.add(body(slot), Some(Pose::new(r.in_cube(7.0), r.turn())));
        }
    }
    setup.bound(&b);
    (setup, b)
}

/// The farthest way off the chord, across it, at a share of an interval, that a pivot has time for.
fn departed(body: &Body, ends: &[Pose; 2], pivot: V, share: f64) -> V {
    let [from, to] = ends.each_ref().map(|pose| sum(pose.position.to_array(), turned(pose.q, pivot)));
    let chord = sum(to, times(from, -1.0));
    let way = body.bounds.speed.expect("a bound") * SECONDS;
    let off = share.min(1.0 - share) * (way * way - dot(chord, chord)).max(0.0).sqrt();
    let across = cross(chord, [0.3, -0.2, 0.9]);
    times(across, off / dot(across, across).sqrt().max(1e-300))
}

/// The samples of a block at 64 times in the interval of a block of two samples.
fn dense(assumed: BetweenFrames, setup: &Setup, of: &FrameBlock) -> FrameBlock {
    let mut b = block(1, setup.scene.dynamic.len(), SAMPLES, SAMPLES);
    for (slot, &body) in setup.scene.dynamic.iter().enumerate() {
        let body = &setup.scene.bodies[body as usize];
        let pivot = body.pivot.of(&body.shape).to_array();
        let ends = [of.pose(slot, 0), of.pose(slot, 1)];
        // 9.81 m/s^2 over the time of `two_samples`.
        let fall = if assumed == BetweenFrames::Ballistic { 9.81 * SECONDS * SECONDS } else { 0.0 };
        for s in 0..SAMPLES {
            let share = s as f64 / (SAMPLES - 1) as f64;
            let mut pose = between(assumed, &ends, pivot, share);
            pose.position.z += 0.5 * fall * share * (1.0 - share);
            if assumed == BetweenFrames::Bounded {
                let off = departed(body, &ends, pivot, share);
                pose.position = pose.position + Vec3::from(off);
            }
            b.set(slot, s, &pose);
        }
    }
    b
}

/// The pairs that are near at one of 64 times between two samples, and how many of them are so at
/// neither end.
fn compare_with_dense(assumed: BetweenFrames, setup: &Setup, of: &FrameBlock) -> [usize; 3] {
    let job: BroadScene = setup.job();
    let found = check("between", setup, of);
    let ends = oracle(setup, &job, of);
    let near = oracle(setup, &job, &dense(assumed, setup, of));
    let has = |list: &[Candidate], c: &Candidate| list.binary_search_by_key(&(c.a, c.b), |o| (o.a, o.b)).is_ok();
    for c in &near {
        assert!(has(&found, c), "{assumed:?}: bodies {} and {} are near at {:b}", c.a, c.b, c.samples);
    }
    [found.len(), near.len(), near.iter().filter(|c| !has(&ends, c)).count()]
}

#[test]
fn no_pair_that_is_near_in_between_is_lost() {
    let r = &mut Random(31);
    for assumed in ASSUMED.into_iter().chain([BetweenFrames::Ballistic, BetweenFrames::Bounded]) {
        let mut counts = [0; 3];
        for case in 0..12 {
            let turn = [0.01, 0.3, 1.5, 3.12][case % 4];
            let (mut setup, of) = two_samples(r, turn);
            setup.scene.motion.between = assumed;
            let found = compare_with_dense(assumed, &setup, &of);
            counts.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
        }
        let [found, near, only_between] = counts;
        eprintln!("{assumed:?}: {found} candidates, {near} are near, {only_between} of them only in between");
        assert!(near > 300, "{assumed:?}: {near}");
        assert_eq!(only_between > 100, assumed != BetweenFrames::Hold, "{assumed:?}: {only_between}");
        // Bodies that depart, and turn about pivots 5 km away, may be nearly anywhere.
        let most = if assumed == BetweenFrames::Bounded { 20 } else { 6 };
        assert!(found <= most * near, "{assumed:?}: {found} candidates for {near}");
    }
}

#[test]
fn a_needle_that_flies_through_a_plate_is_a_candidate_of_the_interval_alone() {
    let mut setup = Setup::new(1e-3);
    setup.scene.motion.between = BetweenFrames::Linear;
    setup.add(cuboid([10.0, 10.0, 1e-6]), Some(Pose::IDENTITY));
    setup.add(cuboid([1e-6, 1e-6, 0.1]), None);
    let mut b = block(1, 1, 2, 2);
    b.set(0, 0, &Pose::new([0.0, 0.0, -4.0], [1.0, 0.0, 0.0, 0.0]));
    b.set(0, 1, &Pose::new([0.0, 0.0, 4.0], [1.0, 0.0, 0.0, 0.0]));
    setup.bound(&b);
    assert!(oracle(&setup, &setup.job(), &b).is_empty());
    assert_eq!(check("needle", &setup, &b), [Candidate { a: 0, b: 1, samples: 1 }]);
}

#[test]
fn a_half_turn_has_the_box_of_the_ball_around_the_pivot() {
    let mut setup = Setup::new(0.0);
    setup.scene.motion.between = BetweenFrames::Linear;
    setup.add(cuboid([0.1; 3]), None);
    let shape = Arc::clone(&setup.scene.bodies[0].shape);
    setup.scene.bodies[0].shape = Arc::new(Shape { center: Vec3::new(2.0, 0.0, 0.0), ..Shape::clone(&shape) });
    let mut b = block(1, 1, 2, 2);
    b.set(0, 0, &Pose::new([2.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
    b.set(0, 1, &Pose::new([-2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]));
    setup.bound(&b);
    let job = setup.job();
    let lattice = job.lattice();
    let found = job.interval_boxes(&b, 0).get(0);
    let radius = 2.0 + shape.radius;
    for k in 0..3 {
        let cell = |c: u32| lattice.origin[k] + f64::from(c) * lattice.spacing;
        assert!(cell(found.min[k]) <= -radius && cell(found.max[k]) >= radius, "axis {k}");
    }
}
