//! Every variant of GJK: its distances against the oracle, its rows against those of the default
//! method.
//!
//! A variant is a sub-algorithm, a search for supports, a start and a tolerance. The search
//! proposes and the certificate decides, so rows are equal, byte for byte; but most of them must
//! come from the search itself, or the test would say nothing of it.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

use clearsweep_geometry::{RelativePose, real::Dd};
use clearsweep_narrow::gjk::{self, GjkOptions, GjkStep, Simplex, SubAlgorithm};
use clearsweep_narrow::pair::{Pair, SupportSearch};
use clearsweep_narrow::search::SearchEnd;
use clearsweep_narrow::{Auto, BodyPoses, Gjk, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Workspace};
use clearsweep_scene::{FrameBlock, SAMPLES, Shape};
use clearsweep_testing::bridge::{self, EVERYTHING, Solid, bits, pose};
use clearsweep_testing::oracle::families::{self, Random, Recipe, Regime, place};
use clearsweep_testing::oracle::number::{add, times};
use clearsweep_testing::oracle::{self, Placement};

const SUPPORTS: [SupportSearch; 3] = [SupportSearch::BySize, SupportSearch::Scan, SupportSearch::Climb];

/// All variants that search to rounding, and two tolerances of the paper.
fn variants() -> Vec<GjkOptions> {
    let mut all = Vec::new();
    for sub_algorithm in SubAlgorithm::ALL {
        for supports in SUPPORTS {
            all.extend([true, false].map(|warm| GjkOptions { sub_algorithm, supports, warm, tolerance: None }));
        }
        let tolerances = [1e-8, 1e-14].map(Some);
        all.extend(tolerances.map(|tolerance| GjkOptions { sub_algorithm, tolerance, ..GjkOptions::DEFAULT }));
    }
    all
}

fn pair<'a>(a: &'a Solid, pa: &Placement, b: &'a Solid, pb: &Placement) -> Pair<'a, f64> {
    let pose = RelativePose::between(&pose(pa), &pose(pb));
    Pair::new(&a.shape.pieces[0].core, &b.shape.pieces[0].core, pose, 0.0)
}

/// Results of the searches of one variant.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    converged: usize,
    overlap: usize,
    stalled: usize,
    iterations: u64,
    dot_products: u64,
    /// Distances of cores apart that are off by more than [`FAR_OFF`] of the size.
    off: usize,
    /// Cores apart of which an overlap is said, or the other way round; by more than [`FAR_OFF`] of
    /// the size.
    wrong: usize,
    /// The largest error of the others, in sizes.
    worst: f64,
}

/// An error of a distance, in sizes, that no search to rounding should make.
const FAR_OFF: f64 = 1e-12;

/// A body by the families in turn, without growth; some have a hundred vertices.
fn body(random: &mut Random, number: usize) -> Recipe {
    let recipe = if number % 8 == 7 { families::large(random, number) } else { families::mixed(random, number) };
    Recipe { growth: 0.0, ..recipe }
}

/// Pairs of which every variant finds the distance.
const PAIRS: usize = 4000;

/// Searches of every variant from nothing, and again from what it remembers of a pose nearby.
fn search_all(random: &mut Random, pool: &[Solid], variants: &[GjkOptions]) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); variants.len()];
    for number in 0..PAIRS {
        let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
        let regime = [Regime::Separated, Regime::Overlapping][number % 2];
        let (pa, pb) = place(random, &a.body, &b.body, regime);
        let nearby = Placement { position: add(pb.position, times(random.direction(), 0.02)), ..pb };
        let truth = oracle::signed_distance(&a.body, &pa, &b.body, &pb).distance.0;
        let (before, pair) = (pair(a, &pa, b, &nearby), pair(a, &pa, b, &pb));
        for (options, tally) in variants.iter().zip(&mut tallies) {
            let mut start = Simplex::default();
            if options.warm {
                start = gjk::search_by(&before, &start, f64::INFINITY, options).simplex;
            }
            let found = gjk::search_observed(&pair, &start, f64::INFINITY, options, |step| {
                if let GjkStep::Support { direction, start } = step {
                    tally.dot_products += u64::from(pair.dot_products(options.supports, *direction, *start));
                }
            });
            let same = gjk::search_by(&pair, &start, f64::INFINITY, options);
            assert_eq!((same.end, same.simplex, same.iterations), (found.end, found.simplex, found.iterations));
            tally.iterations += u64::from(found.iterations);
            tally.add(found.end, found.point.length(), truth, pair.size);
        }
    }
    tallies
}

impl Tally {
    fn add(&mut self, end: SearchEnd, distance: f64, truth: f64, size: f64) {
        match end {
            SearchEnd::Converged => self.converged += 1,
            SearchEnd::Overlap => self.overlap += 1,
            _ => self.stalled += 1,
        }
        if end == SearchEnd::Overlap {
            self.wrong += usize::from(truth > FAR_OFF * size);
            return;
        }
        let error = (distance - truth.max(0.0)).abs() / size;
        self.wrong += usize::from(truth < -FAR_OFF * size);
        if truth >= -FAR_OFF * size {
            self.off += usize::from(error > FAR_OFF);
            self.worst = if error > FAR_OFF { self.worst } else { self.worst.max(error) };
        }
    }
}

#[test]
fn every_search_finds_the_distance() {
    let mut random = Random(2201);
    let pool: Vec<Solid> = (0..64).map(|i| Solid::from_recipe(body(&mut random, i))).collect();
    let variants = variants();
    let tallies = search_all(&mut random, &pool, &variants);
    for (options, tally) in variants.iter().zip(&tallies) {
        eprintln!("{options:?}\n    {tally:?}");
        assert_eq!(tally.off, 0, "{options:?}: {tally:?}");
        assert!(tally.worst <= 1e-14, "{options:?}: {tally:?}");
        assert!(tally.stalled <= PAIRS / 10 && tally.overlap >= PAIRS / 4, "{options:?}: {tally:?}");
        // Noise in the cofactors of a flat tetrahedron puts the origin inside. The Backup procedure
        // alone compares lengths.
        let may_be_wrong = matches!(options.sub_algorithm, SubAlgorithm::Johnson | SubAlgorithm::JohnsonWithBackup);
        assert!(tally.wrong <= if may_be_wrong { PAIRS / 25 } else { 0 }, "{options:?}: {tally:?}");
    }
    let by = |options: GjkOptions| tallies[variants.iter().position(|&v| v == options).expect("a variant")];
    let plain = by(GjkOptions::DEFAULT);
    let cold = by(GjkOptions { warm: false, ..GjkOptions::DEFAULT });
    let climbing = by(GjkOptions { supports: SupportSearch::Climb, ..GjkOptions::DEFAULT });
    let johnson = by(GjkOptions { sub_algorithm: SubAlgorithm::Johnson, ..GjkOptions::DEFAULT });
    assert!(2 * plain.iterations < cold.iterations, "a warm start saves nothing: {plain:?} {cold:?}");
    assert!(2 * climbing.dot_products < plain.dot_products, "a climb saves nothing: {climbing:?} {plain:?}");
    assert!(johnson.wrong > 0, "not representative: no simplex is flat enough, {johnson:?}");
}

/// Rows of a block by a method, sample by sample with one memory, and what the routes were.
fn walk(method: &dyn NarrowPhase, [a, b]: [&Shape; 2], block: &FrameBlock) -> (Vec<Proximity>, SolverStats) {
    let (poses_a, poses_b) = (BodyPoses::Moving(block.slot(0)), BodyPoses::Moving(block.slot(1)));
    let (mut rows, mut stats, mut work) = (Vec::new(), SolverStats::default(), Workspace::default());
    let mut cache = PairCache::default();
    for sample in 0..SAMPLES {
        let query = PairQuery { a, b, poses_a, poses_b, samples: 1 << sample };
        method.walk(&query, &EVERYTHING, &mut cache, &mut work, &mut stats, &mut rows);
    }
    (rows, stats)
}

/// Placements of B that pass through A, or jump about it.
fn block(random: &mut Random, a: &Solid, b: &Solid, jumps: bool) -> FrameBlock {
    let mut block = FrameBlock::new(0, 2);
    let (pa, mut pb) = place(random, &a.body, &b.body, Regime::Separated);
    let step = times(add(pa.position, times(pb.position, -1.0)), 2.0 / SAMPLES as f64);
    for sample in 0..SAMPLES {
        if jumps {
            let regime = [Regime::Separated, Regime::Touching, Regime::Overlapping][random.below(3)];
            // The place of A is another one each time: only the relative pose matters.
            let (qa, qb) = place(random, &a.body, &b.body, regime);
            block.set(0, sample, &pose(&qa));
            block.set(1, sample, &pose(&qb));
        } else {
            block.set(0, sample, &pose(&pa));
            block.set(1, sample, &pose(&pb));
            pb.position = add(pb.position, step);
        }
    }
    block
}

/// Adds to `total` the routes of every variant over a block, whose rows are all those of the
/// default method.
fn rows_agree(name: &str, shapes: [&Shape; 2], block: &FrameBlock, total: &mut [SolverStats]) {
    let (expected, _) = walk(&Auto, shapes, block);
    assert_eq!(expected.len(), SAMPLES, "no threshold: a row for every sample");
    for (options, total) in variants().into_iter().zip(total) {
        let (rows, stats) = walk(&Gjk { options }, shapes, block);
        assert_eq!(rows.len(), expected.len());
        for (row, expected) in rows.iter().zip(&expected) {
            assert_eq!(bits(row), bits(expected), "{name}, {options:?}\n{row:?}\n{expected:?}");
        }
        total.add(&stats);
    }
}

/// [`rows_agree`] over walks of pairs of a family.
fn family_agrees(seed: u64, walks: usize, make: fn(&mut Random, usize) -> Recipe, total: &mut [SolverStats]) {
    let mut random = Random(seed);
    let pool: Vec<Solid> = (0..16).map(|i| Solid::from_recipe(make(&mut random, i))).collect();
    for number in 0..walks {
        let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
        let block = block(&mut random, a, b, number % 2 == 1);
        rows_agree(&format!("seed {seed}, walk {number}"), [&a.shape, &b.shape], &block, total);
    }
}

#[test]
fn every_variant_gives_the_same_rows() {
    type Make = fn(&mut Random, usize) -> Recipe;
    let families: [Make; 7] =
        [families::compact, families::sliver, families::tied, families::disks, families::flat, families::round, body];
    let variants = variants();
    let mut total = vec![SolverStats::default(); variants.len()];
    for (seed, make) in families.into_iter().enumerate() {
        family_agrees(3301 + seed as u64, 16, make, &mut total);
    }
    for (options, stats) in variants.iter().zip(&total) {
        let SolverStats { queries, searched, expanded, cold, search_iterations, .. } = stats;
        eprintln!(
            "{options:?}: {queries} queries, {searched} searched, {expanded} expanded, {cold} cold, {search_iterations} iterations"
        );
        assert!(10 * searched >= *queries && 10 * expanded >= *queries, "not representative: {options:?}, {stats:?}");
        assert!(*cold <= queries / 8, "not representative, most rows come from the resolver: {options:?}, {stats:?}");
    }
}

/// Bodies above the size from which supports are found by climbing, and above the oracle's.
#[test]
fn large_bodies_give_the_same_rows() {
    let mut random = Random(5501);
    let shapes: Vec<Shape> = [200, 400, 1500]
        .map(|count| bridge::shape(&families::ellipsoid(&mut random, count, [0.4, 0.3, 0.5]), 0.0))
        .into();
    let mut total = vec![SolverStats::default(); variants().len()];
    for number in 0..6 {
        let (a, b) = (&shapes[number % 3], &shapes[(number + 1 + number / 3) % 3]);
        let mut block = FrameBlock::new(0, 2);
        let (turn, from) = (random.turn(), times(random.direction(), 1.3));
        for sample in 0..SAMPLES {
            let share = 1.0 - 2.0 * sample as f64 / SAMPLES as f64;
            let [w, x, y, z] = turn;
            block.set(0, sample, &pose(&Placement::new([0.0; 3], [1.0, 0.0, 0.0, 0.0])));
            block.set(1, sample, &pose(&Placement::new(times(from, share), [w + 0.2 * share, x, y, z])));
        }
        rows_agree(&format!("walk {number}"), [a, b], &block, &mut total);
    }
    assert!(total.iter().all(|stats| stats.searched >= 40), "not representative: {total:?}");
}

#[test]
fn variants_search_in_extended_precision() {
    let mut random = Random(4401);
    let pool: Vec<Solid> = (0..16).map(|i| Solid::from_recipe(families::compact(&mut random, i))).collect();
    for _ in 0..40 {
        let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
        let (pa, pb) = place(&mut random, &a.body, &b.body, Regime::Separated);
        let truth = oracle::signed_distance(&a.body, &pa, &b.body, &pb).distance;
        let near = pair(a, &pa, b, &pb);
        let wide = Pair::<Dd>::new(near.a, near.b, RelativePose::from_f64(&near.pose), 0.0);
        for options in variants() {
            let found = gjk::search_by(&wide, &Simplex::default(), f64::INFINITY, &options);
            let error = (found.point.to_f64().length() - truth.0).abs() / wide.size;
            assert!(error <= 1e-12, "{options:?}: {error:e}");
        }
    }
}
