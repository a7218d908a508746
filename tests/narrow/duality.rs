//! CD-Dual against the oracle, and its rows against those of the other methods.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

use clearsweep_geometry::{Pose, RelativePose};
use clearsweep_narrow::duality::overlap_test;
use clearsweep_narrow::feature::FeaturePair;
use clearsweep_narrow::pair::Pair;
use clearsweep_narrow::search::SearchEnd;
use clearsweep_narrow::{
    BodyPoses, CdDual, Gjk, NarrowPhase, PairCache, PairQuery, SolverStats, Status, VClip, Workspace, by_name,
};
use clearsweep_scene::{AnswerKind, FrameBlock, QueryOptions, SAMPLES};
use clearsweep_testing::bridge::{EVERYTHING, Solid, bits, pose, recipe};
use clearsweep_testing::oracle::families::{self, Random, Recipe, Regime, place};
use clearsweep_testing::oracle::number::{add, times};
use clearsweep_testing::oracle::{signed_distance, size};

type Make = fn(&mut Random, usize) -> Recipe;

fn pool(seed: u64, count: usize, make: Make) -> Vec<Solid> {
    let mut random = Random(seed);
    (0..count).map(|i| Solid::from_recipe(make(&mut random, i))).collect()
}

/// The cores apart by more than rounding, or overlapping by more: what the test must say. Warm
/// starts are from the pair before.
#[test]
fn overlap_is_that_of_the_oracle_cold_and_warm() {
    let families: [(&str, Make, usize); 5] = [
        ("compact", families::compact, 1_500),
        ("slivers", families::sliver, 1_000),
        ("ties", families::tied, 1_500),
        ("disks", families::disks, 600),
        ("medium", families::medium, 300),
    ];
    for (name, make, pairs) in families {
        let pool = pool(41, 24, make);
        let mut random = Random(42);
        let (mut ends, mut handed, mut stuck, mut returns) = ([0; 2], 0, 0, 0);
        let mut last: Option<(usize, usize, FeaturePair)> = None;
        for number in 0..pairs {
            let same = last.filter(|_| number % 2 == 1);
            let (i, j) = same.map_or((random.below(pool.len()), random.below(pool.len())), |(i, j, _)| (i, j));
            let (a, b) = (&pool[i], &pool[j]);
            let regime = [Regime::Separated, Regime::Touching, Regime::Overlapping][number % 3];
            let (pa, pb) = place(&mut random, &a.body, &b.body, regime);
            let [core_a, core_b] = [&a.shape.pieces[0].core, &b.shape.pieces[0].core];
            let pair = Pair::new(core_a, core_b, RelativePose::between(&pose(&pa), &pose(&pb)), 0.0);
            let truth = signed_distance(&a.body, &pa, &b.body, &pb).distance.0 + a.growth + b.growth;
            let s = size(&a.body, &pa, &b.body, &pb);
            let found = overlap_test(&pair, same.map(|(_, _, features)| features));
            last = found.face.map(|face| (i, j, face.features));
            returns += found.returns;
            if truth.abs() < 1e-12 * s {
                continue;
            }
            match found.end {
                SearchEnd::Beyond => {
                    assert!(truth > 0.0, "{truth:e} {found:?}\n{}", recipe(a, &pa, b, &pb));
                    ends[0] += 1;
                }
                SearchEnd::Overlap if truth < 0.0 => ends[1] += 1,
                SearchEnd::Overlap => stuck += 1,
                _ => handed += 1,
            }
        }
        eprintln!(
            "{name}: {ends:?} apart and overlapping, {handed} handed over, {stuck} not found apart, {returns} returns"
        );
        assert!(ends.iter().all(|&n| 5 * n > pairs), "not representative: {ends:?}");
        assert_eq!(stuck, 0, "{name}: a face that separates the cores was not found");
    }
}

/// Random walks of 64 samples: the rows of CD-Dual are those of GJK and of V-Clip, bit for bit.
#[test]
fn rows_are_those_of_the_other_methods() {
    let families: [(&str, Make); 5] = [
        ("compact", families::compact),
        ("ties", families::tied),
        ("round", families::round),
        ("flat", families::flat),
        ("disks", families::disks),
    ];
    let near = QueryOptions { within: 0.2, ..EVERYTHING };
    let (mut rows, mut overlaps, mut stats) = (0, 0, SolverStats::default());
    for (name, make) in families {
        let pool = pool(51, 12, make);
        let mut random = Random(52);
        for walk in 0..24 {
            let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
            let reach = a.body.reach + b.body.reach;
            let aligned = walk % 4 == 0;
            let (start, turn) = (random.turn(), random.turn());
            let (from, to) = (times(random.direction(), reach), times(random.direction(), reach));
            let mut block = FrameBlock::new(0, 1);
            for k in 0..SAMPLES {
                let share = k as f64 / SAMPLES as f64;
                let q =
                    if aligned { [1.0, 0.0, 0.0, 0.0] } else { [0, 1, 2, 3].map(|c| start[c] + 0.5 * share * turn[c]) };
                let position = add(times(from, 1.0 - share), times(to, share));
                block.set(0, k, &Pose::new(position, q));
            }
            let still = Pose::IDENTITY;
            let poses_b = BodyPoses::Moving(block.slot(0));
            let query =
                PairQuery { a: &a.shape, b: &b.shape, poses_a: BodyPoses::Fixed(&still), poses_b, samples: u64::MAX };
            for options in [&EVERYTHING, &near] {
                let ask = |method: &dyn NarrowPhase, stats: &mut SolverStats| {
                    let mut out = Vec::new();
                    let (mut cache, mut work) = (PairCache::default(), Workspace::default());
                    method.walk(&query, options, &mut cache, &mut work, stats, &mut out);
                    out
                };
                let own = ask(&CdDual, &mut stats);
                for other in [&Gjk::DEFAULT as &dyn NarrowPhase, &VClip] {
                    let rows = ask(other, &mut SolverStats::default());
                    let equal = rows.iter().map(|r| (r.sample, bits(r))).eq(own.iter().map(|r| (r.sample, bits(r))));
                    assert!(equal, "{name}, walk {walk}, {}\n{}\n{}", other.name(), a.recipe(), b.recipe());
                }
                rows += own.len();
                overlaps += own.iter().filter(|row| row.upper < 0.0).count();
            }
        }
    }
    assert!(rows > 8_000 && overlaps > 800, "not representative: {rows} {overlaps}");
    assert!(stats.verified > 0 && stats.searched > 0 && stats.expanded > 0 && stats.beyond > 0, "{stats:?}");
}

/// Nobody asks how deep: the test stops at its own proof, never grows a polytope, and begins at the
/// face of the sample before. The rows are those of the other methods.
#[test]
fn an_overlap_that_is_not_measured_needs_no_polytope() {
    let overlap = QueryOptions { within: 0.0, answer: AnswerKind::Overlap, touch: 1e-6, ..EVERYTHING };
    let (mut overlaps, mut warm, mut cold) = (0, SolverStats::default(), SolverStats::default());
    for (name, make) in
        [("compact", families::compact as Make), ("medium", families::medium), ("disks", families::disks)]
    {
        let pool = pool(61, 12, make);
        let mut random = Random(62);
        for walk in 0..16 {
            let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
            let reach = 0.3 * (a.body.reach + b.body.reach);
            let (q, from, to) = (random.turn(), times(random.direction(), reach), times(random.direction(), reach));
            let mut block = FrameBlock::new(0, 1);
            for k in 0..SAMPLES {
                let share = k as f64 / SAMPLES as f64;
                block.set(0, k, &Pose::new(add(times(from, 1.0 - share), times(to, share)), q));
            }
            let still = Pose::IDENTITY;
            let ask = |method: &dyn NarrowPhase, samples: u64, stats: &mut SolverStats| {
                let (poses_a, poses_b) = (BodyPoses::Fixed(&still), BodyPoses::Moving(block.slot(0)));
                let query = PairQuery { a: &a.shape, b: &b.shape, poses_a, poses_b, samples };
                let (mut cache, mut work, mut out) = (PairCache::default(), Workspace::default(), Vec::new());
                method.walk(&query, &overlap, &mut cache, &mut work, stats, &mut out);
                out
            };
            let own = ask(&CdDual, u64::MAX, &mut warm);
            let other = ask(&Gjk::DEFAULT, u64::MAX, &mut SolverStats::default());
            let equal = other.iter().map(|r| (r.sample, bits(r))).eq(own.iter().map(|r| (r.sample, bits(r))));
            assert!(equal, "{name}, walk {walk}\n{}\n{}", a.recipe(), b.recipe());
            overlaps += own.iter().filter(|row| row.status == Status::Penetrating).count();
            let alone = (0..SAMPLES).flat_map(|sample| ask(&CdDual, 1 << sample, &mut cold));
            assert!(alone.map(|r| bits(&r)).eq(own.iter().map(bits)), "{name}, walk {walk}: a row depends on memory");
        }
    }
    assert!(overlaps > 1_500, "not representative: {overlaps}");
    let polytopes = |stats: &SolverStats| stats.expanded + stats.surface_grown + stats.surface_verified;
    eprintln!("{overlaps} overlaps; in order {warm:?}; alone {cold:?}");
    assert!(100 * polytopes(&warm) <= warm.queries, "overlaps that are proven need no polytope: {warm:?}");
    let faces = |stats: &SolverStats| stats.duality_faces_a + stats.duality_faces_b + stats.duality_arcs;
    assert!(faces(&warm) * cold.queries < faces(&cold) * warm.queries, "the face of the last sample is of use");
}

#[test]
fn the_method_has_a_name() {
    assert_eq!(by_name("cd-dual").expect("a method").name(), "cd-dual");
}
