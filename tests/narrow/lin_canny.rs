//! Lin-Canny: its closest features against the oracle, V-Clip and GJK, from any start; and what its
//! tolerance is for.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

use clearsweep_geometry::{Polyhedron, Pose, RelativePose};
use clearsweep_narrow::feature::{Feature, FeaturePair};
use clearsweep_narrow::lin_canny::{self, LinCannyResult, TOLERANCE};
use clearsweep_narrow::pair::Pair;
use clearsweep_narrow::search::SearchEnd;
use clearsweep_narrow::{
    BodyPoses, Gjk, LinCanny, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Workspace, gjk, vclip,
};
use clearsweep_testing::bridge::{self, EVERYTHING, Solid, bits, pose};
use clearsweep_testing::oracle::families::{self, Random, Recipe};
use clearsweep_testing::oracle::number::times;
use clearsweep_testing::oracle::{self, Placement};

/// Makes the body of a number.
type Make = fn(&mut Random, usize) -> Recipe;

fn core(solid: &Solid) -> &Polyhedron {
    &solid.shape.pieces[0].core
}

fn pair<'a>(a: &'a Solid, b: &'a Solid, (pa, pb): (&Placement, &Placement)) -> Pair<'a, f64> {
    Pair::new(core(a), core(b), RelativePose::between(&pose(pa), &pose(pb)), 0.0)
}

/// How many searches ended how, and at which kinds of features.
#[derive(Debug, Default)]
struct Tally {
    /// Converged, overlap, cycle, stalled.
    ends: [u64; 4],
    /// Visited, by the sum of the dimensions of both features: V-V, V-E, V-F and E-E, E-F, F-F.
    states: [u64; 5],
    /// Features at which searches converged: V-V, V-E, E-E, V-F.
    kinds: [u64; 4],
    steps: u64,
    most: u32,
    farthest_off: f64,
}

impl Tally {
    fn search(&mut self, pair: &Pair<'_, f64>, start: FeaturePair) -> LinCannyResult {
        let found = lin_canny::search_observed(pair, start, TOLERANCE, |f| {
            self.states[f.a.kind as usize + f.b.kind as usize] += 1;
        });
        let ends = [SearchEnd::Converged, SearchEnd::Overlap, SearchEnd::Cycle, SearchEnd::Stalled];
        self.ends[ends.iter().position(|&end| end == found.end).expect("Lin-Canny knows no cut-off")] += 1;
        self.steps += u64::from(found.iterations);
        self.most = self.most.max(found.iterations);
        if found.end == SearchEnd::Converged {
            use clearsweep_narrow::feature::FeatureKind::{Edge, Face, Vertex};
            self.kinds[match (found.features.a.kind, found.features.b.kind) {
                (Vertex, Vertex) => 0,
                (Vertex, Edge) | (Edge, Vertex) => 1,
                (Edge, Edge) => 2,
                (Vertex, Face) | (Face, Vertex) => 3,
                (Edge, Face) | (Face, Edge) | (Face, Face) => panic!("no formula: {found:?}"),
            }] += 1;
        }
        found
    }

    /// Checks an end against the signed distance.
    #[track_caller]
    fn check(&mut self, found: &LinCannyResult, truth: f64, size: f64, what: &str) {
        match found.end {
            SearchEnd::Converged => {
                let off = (found.distance - truth).abs() / size;
                assert!(off < 1e-9, "{} instead of {truth}: {found:?}\n{what}", found.distance);
                self.farthest_off = self.farthest_off.max(off);
            }
            SearchEnd::Overlap => assert!(truth <= 1e-12 * size, "{truth} is no overlap: {found:?}\n{what}"),
            _ => {}
        }
    }

    fn report(&self, what: &str) {
        let searches = self.ends.iter().sum::<u64>();
        eprintln!("{what}: {searches} searches, {:.2} steps each; {self:?}", self.steps as f64 / searches as f64);
    }
}

/// Any feature of a body.
fn any_feature(random: &mut Random, p: &Polyhedron) -> Feature {
    match random.below(3) {
        1 if !p.edges.is_empty() => Feature::edge(random.below(p.edges.len()) as u32),
        2 if p.face_count() > 0 => Feature::face(random.below(p.face_count()) as u32),
        _ => Feature::vertex(random.below(p.count) as u32),
    }
}

/// The vertices that face away from each other.
fn far_side(pair: &Pair<'_, f64>) -> FeaturePair {
    FeaturePair::of_vertices(pair.support(-pair.pose.t, [0, 0]).0)
}

/// Compares a family with the oracle: random pairs at random poses, from the near side, the far
/// side and four random pairs of features.
fn against_the_oracle(family: &str, seed: u64, cases: usize, make: Make) -> Tally {
    let mut random = Random(seed);
    let pool: Vec<Solid> = (0..40).map(|i| Solid::from_recipe(make(&mut random, i))).collect();
    let mut tally = Tally::default();
    for _ in 0..cases {
        let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
        let reach = a.body.reach + b.body.reach;
        let (pa, at) =
            (Placement::new([0.0; 3], random.turn()), times(random.direction(), random.between(0.0, 1.5) * reach));
        let pb = Placement::new(at, random.turn());
        let truth = oracle::signed_distance(&a.body, &pa, &b.body, &pb).distance.0;
        let pair = pair(a, b, (&pa, &pb));
        let mut starts = vec![vclip::cold_start(&pair), far_side(&pair)];
        starts.extend(
            (0..4).map(|_| FeaturePair { a: any_feature(&mut random, pair.a), b: any_feature(&mut random, pair.b) }),
        );
        for start in starts {
            let found = tally.search(&pair, start);
            tally.check(&found, truth, pair.size, &format!("from {start:?}\n{}", bridge::recipe(a, &pa, b, &pb)));
        }
    }
    tally.report(family);
    tally
}

#[test]
fn from_any_start_the_closest_features_are_found() {
    let families: [(&str, u64, usize, Make); 5] = [
        ("compact", 1, 1000, families::compact),
        ("medium", 2, 300, families::medium),
        ("large", 3, 60, families::large),
        ("disks", 4, 400, families::disks),
        ("lattice", 5, 600, families::tied),
    ];
    for (name, seed, cases, make) in families {
        let tally = against_the_oracle(name, seed, cases, make);
        assert!(tally.states.iter().all(|&n| n > 20), "{name}: a state was not visited: {tally:?}");
        assert!(tally.kinds.iter().all(|&n| n > 5), "{name}: not representative: {tally:?}");
        assert!(tally.ends[0] > 100 && tally.ends[1] > 100, "{name}: not representative: {tally:?}");
        assert_eq!(tally.ends[2..], [0, 0], "{name}: cycles or stalls at random poses");
    }
}

#[test]
fn slivers_and_flat_bodies() {
    for (name, seed, make) in [("slivers", 6, families::sliver as Make), ("flat bodies", 7, families::flat)] {
        let tally = against_the_oracle(name, seed, 600, make);
        assert!(tally.ends[0] > 1000 && tally.ends[1] > 50, "{name}: not representative: {tally:?}");
    }
}

/// A pair that moves a little from sample to sample, from the features of the sample before: by
/// Lin-Canny, V-Clip and warm GJK the distance is the same.
#[test]
fn along_a_path_all_searches_find_the_same_distance() {
    let mut random = Random(8);
    let pool: Vec<Solid> = (0..40).map(|i| Solid::from_recipe(families::medium(&mut random, i))).collect();
    let (mut tally, mut clipped) = (Tally::default(), 0);
    for _ in 0..60 {
        let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
        let (pa, start, turn) = (Placement::new([0.0; 3], random.turn()), random.turn(), random.turn());
        let (from, to) = ([0; 2].map(|_| times(random.direction(), a.body.reach + b.body.reach))).into();
        let mut last: Option<(FeaturePair, FeaturePair)> = None;
        let mut simplex = gjk::Simplex::default();
        for k in 0..100 {
            let share = f64::from(k) / 100.0;
            let at = [0, 1, 2].map(|i: usize| (1.0 - share) * from[i] + share * to[i]);
            let pb = Placement::new(at, [0, 1, 2, 3].map(|i: usize| start[i] + 0.3 * share * turn[i]));
            let pair = pair(a, b, (&pa, &pb));
            let cold = vclip::cold_start(&pair);
            let (by_points, by_clipping) = last.unwrap_or((cold, cold));
            let found = tally.search(&pair, by_points);
            let other = vclip::search(&pair, by_clipping);
            let third = gjk::search(&pair, &simplex, f64::INFINITY);
            simplex = third.simplex;
            assert_eq!(found.end, other.end, "{}", bridge::recipe(a, &pa, b, &pb));
            assert_eq!(found.end == SearchEnd::Overlap, third.end == SearchEnd::Overlap);
            if found.end == SearchEnd::Converged {
                let off = (found.distance - third.point.length()).abs();
                assert!(off < 1e-11, "{off}: {}", bridge::recipe(a, &pa, b, &pb));
                clipped += usize::from(found.features == other.features);
            }
            last = Some((found.features, other.features));
        }
    }
    tally.report("paths");
    assert_eq!(tally.ends[2..], [0, 0]);
    assert!(tally.ends[0] > 2000 && tally.ends[1] > 100, "not representative: {tally:?}");
    assert_eq!(clipped as u64, tally.ends[0], "the closest features are unique at random poses");
}

/// One sample by a method from a cold cache.
fn row(method: &dyn NarrowPhase, solids: [&Solid; 2], pb: &Pose, stats: &mut SolverStats) -> Proximity {
    row_from(method, solids, pb, &mut PairCache::default(), stats)
}

/// One sample by a method, from what is remembered.
fn row_from(
    method: &dyn NarrowPhase,
    solids: [&Solid; 2],
    pb: &Pose,
    cache: &mut PairCache,
    stats: &mut SolverStats,
) -> Proximity {
    let (poses_a, poses_b) = (BodyPoses::Fixed(&Pose::IDENTITY), BodyPoses::Fixed(pb));
    let query = PairQuery { a: &solids[0].shape, b: &solids[1].shape, poses_a, poses_b, samples: 1 };
    let mut rows = Vec::with_capacity(1);
    method.walk(&query, &EVERYTHING, cache, &mut Workspace::default(), stats, &mut rows);
    rows.pop().expect("a row for every sample")
}

/// Boxes that are nearly aligned: without tolerance states come back, with it they are rare; and
/// the rows are those of GJK.
#[test]
fn without_tolerance_nearly_parallel_features_cycle() {
    let mut random = Random(9);
    let solid = Solid::cuboid([1.0; 3]);
    let (mut cycles, mut stats, mut searches) = ([0_u32; 2], SolverStats::default(), 0);
    for case in 0..4000 {
        let angle = libm::exp(-random.between(10.0, 40.0)) * 0.5;
        let [x, y, z] = times(random.direction(), libm::sin(angle));
        let pb = Pose::new([random.between(-2.0, 2.0), random.between(-2.0, 2.0), 4.0], [libm::cos(angle), x, y, z]);
        let pair = Pair::new(core(&solid), core(&solid), RelativePose::between(&Pose::IDENTITY, &pb), 0.0);
        let start = FeaturePair { a: any_feature(&mut random, pair.a), b: any_feature(&mut random, pair.b) };
        for (tolerance, cycles) in [0.0, TOLERANCE].into_iter().zip(&mut cycles) {
            let found = lin_canny::search_observed(&pair, start, tolerance, |_| {});
            *cycles += u32::from(found.end == SearchEnd::Cycle);
            assert!(matches!(found.end, SearchEnd::Converged | SearchEnd::Cycle), "{found:?} from {start:?} at {pb:?}");
            searches += 1;
        }
        if case % 10 == 0 {
            let found = row(&LinCanny, [&solid, &solid], &pb, &mut stats);
            assert_eq!(
                bits(&found),
                bits(&row(&Gjk::DEFAULT, [&solid, &solid], &pb, &mut SolverStats::default())),
                "at {pb:?}"
            );
        }
    }
    eprintln!("{searches} searches of nearly aligned cubes; cycles without and with tolerance: {cycles:?}; {stats:?}");
    assert!(cycles[0] > 0 && cycles[1] * 10 <= cycles[0], "cycles without and with tolerance: {cycles:?}");
    assert!(stats.lin_canny_steps > 0 && stats.vclip_steps == 0, "Lin-Canny took no part: {stats:?}");
}

/// Mirtich 1997 (V-Clip), Algorithm 10, with two cubes: bisection between two nearly aligned poses
/// down to where the features change. A few searches cycle, also with the tolerance; each is
/// counted and handed over, and the rows are those of GJK.
#[test]
fn a_search_that_cycles_is_counted_and_handed_over() {
    let mut random = Random(10);
    let solid = Solid::cuboid([1.0; 3]);
    let (mut stats, mut tally, mut rows) = (SolverStats::default(), Tally::default(), 0);
    for _ in 0..4000 {
        let mut place = || {
            let half = libm::exp(-random.between(15.0, 20.0)) / 2.0;
            let [x, y, z] = times(random.direction(), libm::sin(half));
            ([random.between(-4.0, 4.0), random.between(-4.0, 4.0), 4.0], [libm::cos(half), x, y, z])
        };
        let (mut low, mut high) = (place(), place());
        let mut caches = [(); 2].map(|()| PairCache::default());
        let mut last: Option<FeaturePair> = None;
        let mut ask = |at: &([f64; 3], [f64; 4])| {
            let pb = Pose::new(at.0, at.1);
            let pair = Pair::new(core(&solid), core(&solid), RelativePose::between(&Pose::IDENTITY, &pb), 0.0);
            let found = tally.search(&pair, last.unwrap_or_else(|| vclip::cold_start(&pair)));
            let row = row_from(&LinCanny, [&solid, &solid], &pb, &mut caches[0], &mut stats);
            let expected = row_from(&Gjk::DEFAULT, [&solid, &solid], &pb, &mut caches[1], &mut SolverStats::default());
            assert_eq!(bits(&row), bits(&expected), "at {pb:?}");
            tally.check(&found, row.distance, pair.size, "nearly aligned cubes");
            (last, rows) = (Some(found.features), rows + 1);
            found.features
        };
        let first = ask(&low);
        loop {
            let middle = (
                [0, 1, 2].map(|k: usize| 0.5 * (low.0[k] + high.0[k])),
                [0, 1, 2, 3].map(|k: usize| 0.5 * (low.1[k] + high.1[k])),
            );
            if middle == low || middle == high {
                break;
            }
            if ask(&middle) == first { low = middle } else { high = middle }
        }
    }
    tally.report("bisection of nearly aligned cubes");
    eprintln!("{rows} rows: {stats:?}");
    assert!(tally.ends[2] > 0 && stats.cycles > 0, "not representative: {tally:?} {stats:?}");
    assert!(tally.ends[2] * 100 < tally.ends[0] && tally.ends[1] + tally.ends[3] == 0, "cycles are rare: {tally:?}");
    assert_eq!(stats.uncertified, 0);
}
