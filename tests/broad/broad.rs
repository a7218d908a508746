//! The broad phase: every method returns the candidates that a scalar double loop finds, and boxes
//! contain bodies.
#![allow(clippy::print_stderr, reason = "tests say how representative their scenes are, and how long a block takes")]

#[cfg(feature = "gpu")]
mod devices;
mod intervals;

use crate::oracle::oracle;
use clearsweep_broad::{BroadPhase, NAMES, Unavailable};
use clearsweep_geometry::Pose;
use clearsweep_geometry::real::{Dd, Real, Scalar};
use clearsweep_scene::{Candidate, FrameBlock, Motion};
use clearsweep_testing::random::Random;
use clearsweep_testing::scenes::{BASE, Recipe, Setup, block, cuboid, generate, shape};
use clearsweep_trajectory::Bounds;
use proptest::prelude::*;

fn method(name: &str) -> Box<dyn BroadPhase> {
    clearsweep_broad::by_name(name).unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

/// Compares all methods with the oracle, several times, since methods learn how to split blocks;
/// returns the candidates.
fn check(what: &str, setup: &Setup, block: &FrameBlock) -> Vec<Candidate> {
    let job = setup.job();
    let expected = oracle(setup, &job, block);
    for name in NAMES {
        let mut method = method(name);
        assert_eq!(method.name(), name);
        for round in 0..4 {
            let found = method.candidates(&job, &setup.scene, block);
            assert!(
                found == expected,
                "{what}: {name} finds {} instead of {} in round {round}",
                found.len(),
                expected.len()
            );
        }
    }
    #[cfg(feature = "gpu")]
    devices::check(what, setup, &job, block, &expected);
    expected
}

/// The share of pair-samples that are candidates, among those of all pairs that can be candidates.
fn share(setup: &Setup, block: &FrameBlock, found: &[Candidate]) -> f64 {
    let hits: f64 = found.iter().map(|c| f64::from(c.samples.count_ones())).sum();
    let n = setup.scene.bodies.len() as f64;
    hits / (n * (n - 1.0) / 2.0 * block.samples.len() as f64)
}

// ---------------------------------------------------------------------------------------------------- equality

#[test]
fn all_methods_equal_the_oracle_in_many_kinds_of_scenes() {
    let recipes = [
        BASE,
        Recipe { name: "sparse", space: [40.0; 3], ..BASE },
        Recipe { name: "clustered", clusters: 6, space: [60.0; 3], ..BASE },
        Recipe { name: "sheet", space: [20.0, 20.0, 0.05], ..BASE },
        Recipe { name: "a crowd on a floor", fixed: 0.0, ratio: 1.5, bodies: 900, space: [60.0, 60.0, 0.2], ..BASE },
        Recipe { name: "line", space: [150.0, 0.0, 0.0], ..BASE },
        Recipe { name: "sizes 1:1000", ratio: 1e3, space: [3e3; 3], bodies: 600, ..BASE },
        Recipe { name: "sizes 1:1,000,000", fixed: 0.5, ratio: 1e6, space: [2e6; 3], bodies: 600, ..BASE },
        Recipe { name: "far away", offset: 1e9, ..BASE },
        Recipe { name: "large", scale: 1e9, ..BASE },
        Recipe { name: "tiny", scale: 1e-9, ..BASE },
        Recipe { name: "absent", absent: 0.3, ..BASE },
        Recipe { name: "mostly absent", absent: 0.97, ..BASE },
        Recipe { name: "runs of 7", run_length: 7, ..BASE },
        Recipe { name: "runs of 1", run_length: 1, step: 0.1, ..BASE },
        Recipe { name: "short block", samples: 5, ..BASE },
        Recipe { name: "one sample", samples: 1, ..BASE },
        Recipe { name: "ignore classes", classes: 3, ..BASE },
        Recipe { name: "fast", step: 2.0, ..BASE },
        Recipe {
            name: "very fast, absent, in runs",
            step: 20.0,
            run_length: 10,
            absent: 0.1,
            space: [30.0; 3],
            ..BASE
        },
        Recipe { name: "at rest", step: 0.0, ..BASE },
        Recipe { name: "all dynamic", fixed: 0.0, ..BASE },
        Recipe { name: "mostly static", fixed: 0.9, bodies: 800, space: [14.0; 3], ratio: 30.0, ..BASE },
        Recipe { name: "few among many static", fixed: 0.99, bodies: 4000, space: [16.0; 3], ratio: 4.0, ..BASE },
        Recipe { name: "few static", fixed: 0.02, bodies: 700, space: [12.0; 3], ratio: 2.0, ..BASE },
        Recipe { name: "clustered, sizes 1:100", clusters: 9, ratio: 100.0, space: [4e3; 3], bodies: 700, ..BASE },
        Recipe { name: "crowded", space: [2.0; 3], bodies: 150, ..BASE },
    ];
    for recipe in &recipes {
        let (setup, block) = generate(recipe);
        let found = check(recipe.name, &setup, &block);
        let share = share(&setup, &block, &found);
        eprintln!("{}: {} candidates, {:.4} of all", recipe.name, found.len(), share);
        assert!(found.len() >= 10, "{}: only {} candidates", recipe.name, found.len());
        assert!((1e-6..0.6).contains(&share), "{}: share {share}", recipe.name);
        if recipe.absent == 0.0 && recipe.step > 0.0 && recipe.samples > 1 {
            let partial = found.iter().filter(|c| c.samples != block.all_samples()).count();
            assert!(partial > 0, "{}: no pair comes or goes", recipe.name);
        }
    }
}

#[test]
fn all_methods_equal_the_oracle_for_every_number_of_bodies() {
    for n in (0..40).chain([63, 64, 65, 127, 128, 129, 500, 1000, 2000]) {
        let edge = (n as f64 * 2.0).cbrt().max(1.0);
        let recipe = Recipe { bodies: n, space: [edge; 3], seed: n as u64 + 9, ..BASE };
        let (setup, block) = generate(&recipe);
        let found = check("numbers", &setup, &block);
        assert!(n < 20 || !found.is_empty());
    }
}

#[test]
fn static_bodies_have_the_boxes_of_moving_ones() {
    let r = &mut Random(5);
    let kinds = [cuboid([1.0, 0.2, 0.3]), shape(&[[0.0; 3]], 0.4), shape(&[[0.1, 0.0, 0.0], [0.0, 2.0, 0.3]], 0.0)];
    let mut setup = Setup::new(0.1);
    let poses: Vec<Pose> = (0..400).map(|_| Pose::new(r.in_cube(20.0), r.turn())).collect();
    for (i, pose) in poses.iter().enumerate() {
        let kind = &kinds[i * i % 7 % 3];
        setup.add(kind.clone(), Some(*pose));
        setup.add(kind.clone(), None);
    }
    let mut b = block(0, poses.len(), 1, 1);
    poses.iter().enumerate().for_each(|(slot, pose)| b.set(slot, 0, pose));
    setup.bound(&b);
    let job = setup.job();
    let fixed: Vec<_> = job.fixed_boxes().collect();
    assert_eq!(fixed.len(), poses.len());
    for (slot, (body, fixed)) in fixed.into_iter().enumerate() {
        assert_eq!(body, 2 * slot as u32);
        assert_eq!(fixed, job.boxes(&b, slot).get(0), "body {body}");
    }
}

#[test]
fn equal_nested_and_touching_bodies() {
    let mut equal = Setup::new(0.0);
    let mut nested = Setup::new(0.0);
    let n = 60;
    for i in 0..n {
        equal.add(cuboid([1.0; 3]), None);
        nested.add(cuboid([1e3 * 0.8_f64.powi(i); 3]), None);
    }
    let mut b = block(0, n as usize, 3, 3);
    for slot in 0..n as usize {
        for s in 0..3 {
            b.set(slot, s, &Pose::new([5.0, -7.0, 0.25], [1.0, 0.0, 0.0, 0.0]));
        }
    }
    for mut setup in [equal, nested] {
        setup.bound(&b);
        let found = check("coincident", &setup, &b);
        assert_eq!(found.len(), (n * (n - 1) / 2) as usize);
        assert!(found.iter().all(|c| c.samples == 7));
    }

    // A row of unit boxes: neighbours touch exactly, others do not; a gap of 10 cells separates.
    let mut row = Setup::new(0.0);
    for _ in 0..50 {
        row.add(cuboid([1.0; 3]), None);
    }
    let mut b = block(0, 50, 2, 2);
    let fill = |b: &mut FrameBlock, gap: f64| {
        for slot in 0..50 {
            let x = slot as f64;
            b.set(slot, 0, &Pose::new([x, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
            b.set(slot, 1, &Pose::new([x * (1.0 + gap), 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
        }
    };
    fill(&mut b, 0.0);
    row.bound(&b);
    let gap = 10.0 * row.job().lattice().spacing;
    fill(&mut b, gap);
    let found = check("touching", &row, &b);
    assert_eq!(found.len(), 49);
    assert!(found.iter().all(|c| c.b == c.a + 1 && c.samples == 1));
}

#[test]
fn positions_beyond_the_bounds_saturate_and_lose_nothing() {
    let (mut setup, block) = generate(&Recipe { name: "saturating", space: [30.0; 3], ..BASE });
    for (low, high) in [(-1.0, 1.0), (1e3, 1e3), (-1e-3, 0.0), (1e-200, 1e-200)] {
        setup.bounds = Some(Bounds { min: [low; 3], max: [high; 3] });
        let found = check("saturating", &setup, &block);
        assert!(!found.is_empty());
    }
    // Without static bodies only the bounds determine the lattice, and nearly all bodies lie
    // outside of it.
    let (mut setup, block) =
        generate(&Recipe { name: "saturating", fixed: 0.0, step: 1e9, absent: 0.2, bodies: 100, ..BASE });
    setup.bounds = Some(Bounds { min: [0.0; 3], max: [1.0; 3] });
    let found = check("beyond", &setup, &block);
    assert!(found.len() > 500, "{}", found.len());
    setup.bounds = None;
    check("no bounds", &setup, &block);
}

#[test]
fn static_pairs_are_reported_once() {
    for (fixed, asked) in [(0.5, true), (0.5, false), (1.0, false)] {
        let (mut setup, mut block) = generate(&Recipe { fixed, bodies: 400, ratio: 20.0, space: [30.0; 3], ..BASE });
        setup.scene.query.static_pairs = asked;
        setup.ignore(5);
        let later = check("static pairs, later block", &setup, &block);
        block.index = 0;
        let first = check("static pairs, first block", &setup, &block);
        let of_statics = first.len() - later.len();
        assert_eq!(of_statics > 0, asked || fixed == 1.0);
        assert!(fixed < 1.0 || later.is_empty());
        let is_static = |i: u32| matches!(setup.scene.bodies[i as usize].motion, Motion::Static(_));
        assert_eq!(first.iter().filter(|c| is_static(c.a) && is_static(c.b)).count(), of_statics);
        assert!(first.iter().filter(|c| is_static(c.a) && is_static(c.b)).all(|c| c.samples == 1));
    }
    let setup = Setup::new(0.1);
    assert!(check("no body", &setup, &block(0, 0, 1, 1)).is_empty());
    assert!(check("no sample", &setup, &block(0, 0, 0, 1)).is_empty());
}

#[test]
fn ignored_pairs_never_appear_and_only_they_go() {
    let (mut setup, block) = generate(&BASE);
    let all = check("all", &setup, &block);
    setup.ignore(4);
    let some = check("some", &setup, &block);
    let kept: Vec<Candidate> = all.iter().copied().filter(|c| !setup.scene.ignored.contains(c.a, c.b)).collect();
    assert_eq!(some, kept);
    assert!(some.len() < all.len() && !some.is_empty());
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let recipe = Recipe { bodies: 6000, space: [30.0; 3], ratio: 8.0, step: 0.3, classes: 5, ..BASE };
    let (setup, block) = generate(&recipe);
    let job = setup.job();
    let run = |threads: usize, name: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut method = method(name);
            let first = method.candidates(&job, &setup.scene, &block);
            // Once more with what the method has kept.
            assert!(method.candidates(&job, &setup.scene, &block) == first);
            first
        })
    };
    let one = run(1, "hash");
    assert!(one.len() > 10_000, "{}", one.len());
    assert!(one.windows(2).all(|w| (w[0].a, w[0].b) < (w[1].a, w[1].b)), "sorted, without duplicates");
    let others = [(3, "hash"), (1, "brute"), (4, "brute"), (1, "tree"), (2, "tree"), (5, "tree"), (2, "auto")];
    let more = [(1, "grid"), (2, "grid"), (5, "grid"), (4, "coherent-hash"), (3, "sweep")];
    for (threads, name) in others.into_iter().chain(more) {
        assert!(run(threads, name) == one, "{name} on {threads} threads");
    }
}

#[test]
fn names_say_what_this_version_has() {
    assert!(NAMES.iter().all(|name| clearsweep_broad::by_name(name).is_ok()));
    assert_eq!(clearsweep_broad::by_name("gpu").err(), Some(Unavailable::NeedsDevice));
    assert_eq!(clearsweep_broad::by_name("octree").err(), Some(Unavailable::Unknown));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_small_scene(
        bodies in prop::collection::vec((-4_i32..4, -4_i32..4, -4_i32..4, 0_i32..20, any::<bool>()), 0..14),
        steps in prop::collection::vec(-3_i32..3, 14),
        present in prop::collection::vec(any::<u64>(), 14),
        samples in 1_usize..=64,
        run_length in 1_usize..70,
        statics in any::<bool>(),
    ) {
        let mut setup = Setup::new(0.25);
        setup.scene.query.static_pairs = statics;
        let mut poses = Vec::new();
        for &(x, y, z, exponent, fixed) in &bodies {
            let pose = Pose::new([f64::from(x), f64::from(y), f64::from(z)], [1.0, 0.0, 0.0, 0.0]);
            setup.add(cuboid([0.001 * 2_f64.powi(exponent); 3]), fixed.then_some(pose));
            if !fixed {
                poses.push(pose);
            }
        }
        let mut b = block(0, poses.len(), samples, run_length);
        for (slot, pose) in poses.iter().enumerate() {
            for s in (0..samples).filter(|s| present[slot] >> s & 1 == 1) {
                let mut moved = *pose;
                moved.position.x += f64::from(steps[slot]) * s as f64 * 0.3;
                b.set(slot, s, &moved);
            }
        }
        setup.bound(&b);
        check("proptest", &setup, &b);
    }
}

// ---------------------------------------------------------------------------------------------------- containment

/// Rotates `p` by `q` as the product q p conj(q) / |q|^2 in double-double arithmetic, unlike the
/// library.
fn turned(q: [f64; 4], p: [f64; 3]) -> [Dd; 3] {
    let product = |a: [Dd; 4], b: [Dd; 4]| {
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ]
    };
    let q = q.map(Dd::from_f64);
    let norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    let p = [Dd::ZERO, Dd::from_f64(p[0]), Dd::from_f64(p[1]), Dd::from_f64(p[2])];
    let t = product(product(q, p), [q[0], -q[1], -q[2], -q[3]]);
    [t[1] / norm, t[2] / norm, t[3] / norm]
}

#[test]
fn boxes_contain_their_bodies_tightly() {
    let r = &mut Random(77);
    let mut checked = 0;
    for (case, &(offset, size)) in
        [(0.0, 1.0), (5e6, 1.0), (1e9, 0.01), (-3e5, 1e4), (0.0, 1e-7), (0.0, 1e8)].iter().enumerate()
    {
        let mut setup = Setup::new(0.2 * size);
        let cloud: Vec<[f64; 3]> = (0..50).map(|_| r.in_cube(size)).collect();
        let tetrahedron: Vec<[f64; 3]> = (0..4).map(|_| r.in_cube(size)).collect();
        let growth = 0.3 * size;
        let kinds = [
            cuboid([size, 0.3 * size, 0.01 * size]),
            shape(&cloud, growth),
            shape(&tetrahedron, 0.0),
            shape(&[[0.0; 3]], growth),
            shape(&[[0.0, 0.0, size], [0.0, 0.0, -size]], growth),
        ];
        kinds.iter().for_each(|kind| setup.add(kind.clone(), None));
        let mut b = block(0, kinds.len(), 64, 64);
        for slot in 0..kinds.len() {
            for s in 0..64 {
                let at: [f64; 3] = r.in_cube(3.0 * size).map(|v| v + offset);
                let norm = r.between(0.9995, 1.0005);
                let mut pose = Pose::new(at, r.turn().map(|c| c * norm));
                pose.rest = r.in_cube(1e-16 * offset.abs()).into();
                b.set(slot, s, &pose);
            }
        }
        setup.bound(&b);
        let job = setup.job();
        let lattice = job.lattice();
        for (slot, kind) in kinds.iter().enumerate() {
            let grow = Dd::from_f64(kind.hull().radius) + Dd::from_f64(0.5 * setup.within);
            let boxes = job.boxes(&b, slot);
            for s in 0..64 {
                let pose = b.pose(slot, s);
                let core = &kind.hull().core;
                let mut ends = [[Dd::from_f64(f64::INFINITY), Dd::from_f64(f64::NEG_INFINITY)]; 3];
                for v in 0..core.count as u32 {
                    let p = turned(pose.q, core.vertex(v).to_array());
                    for k in 0..3 {
                        let at = p[k] + Dd::sum(pose.position.to_array()[k], pose.rest.to_array()[k]);
                        ends[k] = [ends[k][0].smaller(at), ends[k][1].larger(at)];
                    }
                }
                let found = boxes.get(s);
                for k in 0..3 {
                    let cell = |c: u32| Dd::from_f64(lattice.origin[k]) + Dd::from_f64(f64::from(c) * lattice.spacing);
                    let below = (ends[k][0] - grow - cell(found.min[k])).to_f64() / lattice.spacing;
                    let above = (cell(found.max[k]) - ends[k][1] - grow).to_f64() / lattice.spacing;
                    assert!((0.98..2.02).contains(&below), "case {case}, slot {slot}, sample {s}: {below} cells");
                    assert!((0.98..2.02).contains(&above), "case {case}, slot {slot}, sample {s}: {above} cells");
                    checked += 1;
                }
            }
        }
        // The lattice is fine: a body spans many cells unless it lies 2^40 sizes away.
        assert!(offset > 1e8 || size / lattice.spacing > 1e5, "case {case}: {} cells", size / lattice.spacing);
    }
    assert_eq!(checked, 6 * 5 * 64 * 3);
}

#[test]
fn wrong_poses_give_large_boxes_and_no_panic() {
    let mut setup = Setup::new(0.1);
    for _ in 0..4 {
        setup.add(cuboid([1.0; 3]), None);
    }
    let mut b = block(0, 4, 1, 1);
    b.set(0, 0, &Pose::new([f64::NAN; 3], [1.0, 0.0, 0.0, 0.0]));
    b.set(1, 0, &Pose::new([0.0; 3], [0.0; 4]));
    b.set(2, 0, &Pose::new([1e308; 3], [1.0, 0.0, 0.0, 0.0]));
    b.set(3, 0, &Pose::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]));
    let mut bounds = Bounds { min: [-1.0; 3], max: [1.0; 3] };
    for extreme in [1.0, f64::MAX, f64::INFINITY, f64::NAN, 0.0, f64::MIN_POSITIVE] {
        bounds.max[1] = extreme;
        setup.bounds = Some(bounds);
        let found = check("wrong", &setup, &b);
        assert!(found.iter().any(|c| (c.a, c.b) == (0, 3)) && found.iter().any(|c| (c.a, c.b) == (1, 3)));
    }
}

// ---------------------------------------------------------------------------------------------------- time

#[test]
#[ignore = "prints times: cargo test --release --test broad -- --ignored --nocapture"]
fn time_per_block() {
    for (n, step, names) in [
        (200, 0.01, &["brute", "hash", "tree", "auto"][..]),
        (200, 3.0, &["brute", "hash", "tree", "auto"]),
        (2_000, 0.01, &["brute", "hash", "tree", "auto"]),
        (10_000, 0.01, &["brute", "hash", "tree", "auto"]),
        (10_000, 0.5, &["hash", "tree"]),
        (100_000, 0.001, &["hash", "tree"]),
    ] {
        if n > 2_000 && cfg!(debug_assertions) {
            continue; // only in `cargo test --release`: it takes up to 700 MB
        }
        let edge = (n as f64 * 1.2).cbrt();
        let (setup, block) = generate(&Recipe { bodies: n, fixed: 0.0, space: [edge; 3], step, ..BASE });
        let job = setup.job();
        for name in names {
            let mut method = method(name);
            let mut found = method.candidates(&job, &setup.scene, &block);
            for _ in 0..4 {
                found = method.candidates(&job, &setup.scene, &block);
            }
            let mut best = f64::INFINITY;
            for _ in 0..(20_000 / n).clamp(5, 50) {
                let start = std::time::Instant::now();
                found = method.candidates(&job, &setup.scene, &block);
                best = best.min(start.elapsed().as_secs_f64());
            }
            let us = 1e6 * best;
            eprintln!("{n} bodies, step {step}, {name}: {us:.0} us a block, {} candidates", found.len());
        }
    }
}

// ---------------------------------------------------------------------------------------------------- devices

/// Blocks of one job, in batches that are begun before the ones before them are finished.
#[cfg(feature = "gpu")]
#[test]
fn batches_that_overlap_and_devices_that_fail_give_the_same_candidates() {
    use clearsweep_broad::internals::{DeviceFaults, DeviceLimits, cpu_reference, open_with};
    let recipe = Recipe { bodies: 150, space: [8.0; 3], run_length: 20, absent: 0.1, ..BASE };
    let (setup, first) = generate(&recipe);
    let blocks: Vec<FrameBlock> =
        (0..7).map(|index| FrameBlock { index, starts_run: first.starts_run | 1 << index, ..first.clone() }).collect();
    let job = setup.job();
    let expected: Vec<Vec<Candidate>> = blocks.iter().map(|block| oracle(&setup, &job, block)).collect();
    assert!(expected.iter().all(|found| found.len() > 100));
    // `fails`: why it is to fail; `halves`: whether it is to run out of memory.
    let check = |what: &str, mut device: Box<dyn BroadPhase>, fails: Option<&str>, halves: bool| {
        let batches: Vec<Vec<&FrameBlock>> = blocks.chunks(3).map(|batch| batch.iter().collect()).collect();
        let mut found = Vec::new();
        device.begin(&job, &setup.scene, &batches[0]);
        for (at, batch) in batches.iter().enumerate() {
            if let Some(next) = batches.get(at + 1) {
                device.begin(&job, &setup.scene, next);
            }
            found.extend(device.finish(&job, &setup.scene, batch));
        }
        assert!(found == expected, "{what}");
        let report = device.device_report().expect("a device");
        assert_eq!(report.failure.is_some(), report.fallback_blocks > 0, "{what}: {report:?}");
        let is_as_expected =
            report.failure.as_deref().map_or(fails.is_none(), |own| fails.is_some_and(|part| own.contains(part)));
        assert!(is_as_expected && (report.halvings > 0) == halves, "{what}: {report:?}");
        assert!(report.memory_bytes <= report.memory_limit_bytes.max(1 << 21), "{what}: {report:?}");
    };
    let whole = DeviceFaults::default;
    let small = DeviceLimits { window: 500, brute_slots: 10, ..DeviceLimits::default() };
    let lost = |fetches| DeviceFaults { lost_after: Some(fetches), ..whole() };
    let stalled = |fetches| DeviceFaults { stalls_after: Some(fetches), ..whole() };
    let forgetful = |bytes| DeviceFaults { memory_bytes: Some(bytes), ..whole() };
    check("CPU reference", cpu_reference(DeviceLimits::default(), &whole()), None, false);
    check("CPU reference, by trees", cpu_reference(small.clone(), &whole()), None, false);
    check("CPU reference within 2 MB", cpu_reference(DeviceLimits::within(Some(2 << 20)), &whole()), None, false);
    for after in [0, 1, 2, 5] {
        check("CPU reference that is lost", cpu_reference(small.clone(), &lost(after)), Some("lost"), false);
    }
    check("CPU reference that stalls", cpu_reference(small.clone(), &stalled(2)), Some("answer"), false);
    for limits in [DeviceLimits::default(), small.clone()] {
        check("CPU reference that runs out of memory", cpu_reference(limits.clone(), &forgetful(1 << 20)), None, true);
        check(
            "CPU reference with hardly any memory",
            cpu_reference(limits, &forgetful(5000)),
            Some("out of memory"),
            true,
        );
    }
    let Some(adapter) = devices::adapter() else {
        eprintln!("skipped: the GPU, as this machine has no graphics adapter");
        return;
    };
    let open = |limits, faults| open_with(Some(&adapter.name), limits, &faults).expect("it opens").0;
    check("GPU", open(DeviceLimits::default(), whole()), None, false);
    check("GPU, by trees", open(small.clone(), whole()), None, false);
    for after in [0, 3] {
        check("a GPU that is lost", open(small.clone(), lost(after)), Some("lost"), false);
    }
    check("a GPU that stalls", open(small.clone(), stalled(3)), Some("answer"), false);
    check("a GPU that runs out of memory", open(DeviceLimits::default(), forgetful(1 << 20)), None, true);
    check("a GPU with hardly any memory", open(small, forgetful(5000)), Some("out of memory"), true);
}
