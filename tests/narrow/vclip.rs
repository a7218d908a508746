//! V-Clip: the same rows as GJK and Lin-Canny, bit for bit; and Mirtich's own tests of degeneracy
//! and coherence.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

mod bodies;

use bodies::{Solid, bodies_of_the_paper, cube, sphere642};
use clearsweep_geometry::{Pose, RelativePose, Vec3};
use clearsweep_narrow::feature::FeatureKind;
use clearsweep_narrow::feature::{Feature, FeaturePair};
use clearsweep_narrow::pair::Pair;
use clearsweep_narrow::search::SearchEnd;
use clearsweep_narrow::vclip::{self, VClipResult};
use clearsweep_narrow::{
    BodyPoses, Gjk, LinCanny, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, VClip, Workspace,
};
use clearsweep_scene::{FrameBlock, QueryOptions, SAMPLES};
use clearsweep_testing::bridge::{EVERYTHING, bits, pose};
use clearsweep_testing::oracle::Placement;
use clearsweep_testing::oracle::families::{self, Random, Recipe};
use clearsweep_testing::oracle::number::{add, norm, times};
use std::f64::consts::{PI, TAU};

/// Blocks of a walk.
const BLOCKS: usize = 2;

/// Kinds of feature pairs, A's and B's alike: the five states.
const STATES: [&str; 5] = ["V-V", "V-E", "V-F", "E-E", "E-F"];

fn state(features: &FeaturePair) -> usize {
    use FeatureKind::{Edge, Face, Vertex};
    match (features.a.kind, features.b.kind) {
        (Vertex, Vertex) => 0,
        (Vertex, Edge) | (Edge, Vertex) => 1,
        (Vertex, Face) | (Face, Vertex) => 2,
        (Edge, Edge) => 3,
        (Edge, Face) | (Face, Edge) => 4,
        (Face, Face) => panic!("no state: {features:?}"),
    }
}

/// How many searches ended how, and what they went through.
#[derive(Debug, Default)]
struct Tally {
    states: [u64; 5],
    ends: [u64; 4],
    steps: u64,
    most: u32,
}

impl Tally {
    fn search(&mut self, pair: &Pair<'_, f64>, start: FeaturePair) -> VClipResult {
        let found = vclip::search_observed(pair, start, |features| self.states[state(features)] += 1);
        let end = [SearchEnd::Converged, SearchEnd::Overlap, SearchEnd::Cycle, SearchEnd::Stalled]
            .iter()
            .position(|&e| e == found.end);
        self.ends[end.expect("an end")] += 1;
        self.steps += u64::from(found.iterations);
        self.most = self.most.max(found.iterations);
        found
    }

    fn report(&self, what: &str) {
        let searches = self.ends.iter().sum::<u64>();
        eprintln!(
            "{what}: {searches} searches, {:.3} states each, at most {}; converged, penetrating, cycles, stalled: {:?}; \
             {STATES:?}: {:?}",
            self.steps as f64 / searches as f64,
            self.most,
            self.ends,
            self.states
        );
    }
}

// The same rows.

/// A way to move B about A.
#[derive(Clone, Copy, Debug)]
enum Motion {
    /// Past each other and through each other, turning.
    Cross,
    /// Turning in place, mostly overlapping.
    Tumble,
    /// Anywhere in every sample.
    Jump,
    /// Flush on A's upper side, both aligned: ties in every sample.
    Slide,
}

fn path(random: &mut Random, motion: Motion, a: &Solid, b: &Solid) -> Vec<(Placement, Placement)> {
    let reach = a.reach + b.reach;
    let pa = Placement::new([0; 3].map(|_| random.between(-1.0, 1.0)), random.turn());
    let (from, to) = (times(random.direction(), 1.2 * reach), times(random.direction(), 1.2 * reach));
    let (start, turn) = (random.turn(), random.turn().map(|c| c * random.scale(1e-3, 3.0)));
    let top = |s: &Solid| s.points.iter().map(|p| p[2]).fold(f64::NEG_INFINITY, f64::max);
    let low = |s: &Solid| s.points.iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
    let lift = top(a) - low(b) + [0.0, 0.0, 0.25, -0.125, 0.0625][random.below(5)];
    let aside = random.below(9) as f64 * 0.125 - 0.5;
    let at = |k: usize| {
        let share = k as f64 / (BLOCKS * SAMPLES) as f64;
        let q = [0, 1, 2, 3].map(|c: usize| start[c] + share * turn[c]);
        match motion {
            Motion::Cross => {
                let t = add(times(from, 1.0 - 2.0 * share), times(to, 0.3 * share * (1.0 - share)));
                (pa, Placement::new(add(pa.position, t), q))
            }
            Motion::Tumble => (pa, Placement::new(add(pa.position, times(from, 0.3 * share)), q)),
            Motion::Jump => {
                let t = times(random.direction(), random.between(0.0, 1.5) * reach);
                (pa, Placement::new(add(pa.position, t), random.turn()))
            }
            Motion::Slide => {
                let aligned = Placement::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
                (aligned, Placement::new([(share * 64.0).floor() / 32.0 - 1.0, aside, lift], aligned.q))
            }
        }
    };
    (0..BLOCKS * SAMPLES).map(at).collect()
}

fn blocks(path: &[(Placement, Placement)]) -> Vec<FrameBlock> {
    let fill = |(index, samples): (usize, &[(Placement, Placement)])| {
        let mut block = FrameBlock::new(index as u64, 2);
        for (sample, (pa, pb)) in samples.iter().enumerate() {
            block.set(0, sample, &pose(pa));
            block.set(1, sample, &pose(pb));
        }
        block
    };
    path.chunks(SAMPLES).enumerate().map(fill).collect()
}

/// A method with what its pair remembers.
struct Walker {
    method: Box<dyn NarrowPhase>,
    cache: PairCache,
    work: Box<Workspace>,
    routes: SolverStats,
}

impl Walker {
    fn new(method: Box<dyn NarrowPhase>) -> Self {
        Self { method, cache: PairCache::default(), work: Box::default(), routes: SolverStats::default() }
    }

    fn rows(&mut self, a: &Solid, b: &Solid, block: &FrameBlock, mask: u64, options: &QueryOptions) -> Vec<Proximity> {
        let (poses_a, poses_b) = (BodyPoses::Moving(block.slot(0)), BodyPoses::Moving(block.slot(1)));
        let query = PairQuery { a: &a.shape, b: &b.shape, poses_a, poses_b, samples: mask };
        let mut rows = Vec::new();
        self.method.walk(&query, options, &mut self.cache, &mut self.work, &mut self.routes, &mut rows);
        rows
    }
}

/// Walks pairs of a pool by all three methods; returns V-Clip's routes.
fn same_rows(family: &str, seed: u64, walks: usize, motions: &[Motion], pool: &[Solid]) -> SolverStats {
    let mut random = Random(seed);
    let mut statuses = [0_usize; 4];
    let (mut total, mut by_points) = (SolverStats::default(), SolverStats::default());
    for number in 0..walks {
        let motion = motions[number % motions.len()];
        let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
        let path = path(&mut random, motion, a, b);
        let (mut gjk, mut warm) = (Walker::new(Box::new(Gjk::DEFAULT)), Walker::new(Box::new(VClip)));
        let mut lin_canny = Walker::new(Box::new(LinCanny));
        for (block, path) in blocks(&path).iter().zip(path.chunks(SAMPLES)) {
            let near = QueryOptions { within: random.between(0.0, 0.5) * (a.reach + b.reach), ..EVERYTHING };
            for (options, mask) in [(EVERYTHING, u64::MAX), (near, random.bits() | random.bits())] {
                let expected = gjk.rows(a, b, block, mask, &options);
                let samples = |rows: &[Proximity]| rows.iter().map(|r| r.sample).collect::<Vec<_>>();
                for walker in [&mut warm, &mut lin_canny] {
                    let rows = walker.rows(a, b, block, mask, &options);
                    let what = format!("{family}, walk {number}, {motion:?}, {}", walker.method.name());
                    assert_eq!(samples(&rows), samples(&expected), "{what}: other samples");
                    for (row, other) in rows.iter().zip(&expected) {
                        let what = format!("{what}, sample {} at {:?}", row.sample, &path[usize::from(row.sample)]);
                        assert_eq!(
                            bits(row),
                            bits(other),
                            "{what}\n{row:?}\n{other:?}\n{}\n{}",
                            a.recipe(),
                            b.recipe()
                        );
                        statuses[row.status as usize] += 1;
                    }
                }
            }
        }
        total.add(&warm.routes);
        by_points.add(&lin_canny.routes);
    }
    eprintln!("{family}: separated, touching, penetrating, uncertified {statuses:?}; {total:?}");
    eprintln!("{family}, Lin-Canny: {by_points:?}");
    assert_eq!(statuses[3], 0, "convex pairs are always certified");
    assert!(statuses[0] > 0 && statuses[2] > 0, "not representative: {statuses:?}");
    assert!(total.vclip_steps > 0 && total.lin_canny_steps == 0 && total.searched > 0, "V-Clip took no part");
    assert!(by_points.lin_canny_steps > 0 && by_points.vclip_steps == 0 && by_points.searched > 0, "nor did Lin-Canny");
    total
}

/// Makes the body of a number.
type Make = fn(&mut Random, usize) -> Recipe;

const FREE: [Motion; 3] = [Motion::Cross, Motion::Tumble, Motion::Jump];

fn pool(seed: u64, make: Make) -> Vec<Solid> {
    let mut random = Random(seed);
    (0..60).map(|i| Solid::from_recipe(make(&mut random, i))).collect()
}

#[test]
fn same_rows_for_the_bodies_of_the_paper() {
    same_rows("bodies of the paper", 1, 120, &FREE, &bodies_of_the_paper());
}

#[test]
fn same_rows_for_boxes_and_hulls() {
    same_rows("boxes and hulls", 2, 400, &FREE, &pool(2, families::compact));
    same_rows("medium hulls", 3, 90, &FREE, &pool(3, families::medium));
}

#[test]
fn same_rows_for_slivers_and_disks() {
    same_rows("slivers", 4, 300, &FREE, &pool(4, families::sliver));
    same_rows("disks", 5, 120, &FREE, &pool(5, families::disks));
}

#[test]
fn same_rows_for_flat_and_round_bodies() {
    same_rows("flat bodies", 6, 300, &FREE, &pool(6, families::flat));
    same_rows("rounded bodies", 7, 300, &FREE, &pool(7, families::round));
}

#[test]
fn same_rows_for_bodies_that_slide_flush() {
    let boxes = |random: &mut Random, _| {
        let half = [0; 3].map(|_| (1 + random.below(4)) as f64 * 0.125);
        Recipe::new("box", families::cuboid(half), 0.0)
    };
    same_rows("sliding boxes", 8, 200, &[Motion::Slide], &pool(8, boxes));
    same_rows("lattice hulls", 9, 200, &[Motion::Slide, Motion::Cross], &pool(9, families::tied));
    same_rows("sliding flat bodies", 10, 100, &[Motion::Slide], &pool(10, families::flat));
}

// The search alone.

fn core(solid: &Solid) -> &clearsweep_geometry::Polyhedron {
    &solid.shape.pieces[0].core
}

/// The distance of two features in A's frame, metres: what their closest points are, whatever the
/// kinds.
fn distance(pair: &Pair<'_, f64>, features: &FeaturePair) -> f64 {
    let points = |f: Feature, of_a: bool| -> Vec<Vec3<f64>> {
        let p = if of_a { pair.a } else { pair.b };
        let list = match f.kind {
            FeatureKind::Vertex => vec![f.index],
            FeatureKind::Edge => p.edges[f.index as usize].v.to_vec(),
            FeatureKind::Face => p.face(f.index).to_vec(),
        };
        list.into_iter().map(|v| if of_a { pair.vertex_a(v) } else { pair.vertex_b(v) }).collect()
    };
    let (a, b) = (points(features.a, true), points(features.b, false));
    match (a.as_slice(), b.as_slice()) {
        ([p], [q]) => (*q - *p).length(),
        ([p], [q, r]) | ([q, r], [p]) => point_segment(*p, *q, *r),
        ([p, q], [r, s]) => segment_segment([*p, *q], [*r, *s]),
        ([x], face) | (face, [x]) => {
            // The tests of the state place the point above the face.
            let n = (face[1] - face[0]).cross(face[2] - face[1]).normalized();
            n.dot(*x - face[0]).abs()
        }
        _ => panic!("no distance of {features:?}"),
    }
}

fn point_segment(x: Vec3<f64>, p: Vec3<f64>, q: Vec3<f64>) -> f64 {
    let d = q - p;
    let at = if d.length2() > 0.0 { ((x - p).dot(d) / d.length2()).clamp(0.0, 1.0) } else { 0.0 };
    (x - p - d.scale(at)).length()
}

fn segment_segment([p, q]: [Vec3<f64>; 2], [r, s]: [Vec3<f64>; 2]) -> f64 {
    let at_ends =
        point_segment(p, r, s).min(point_segment(q, r, s)).min(point_segment(r, p, q)).min(point_segment(s, p, q));
    let (d, e, w) = (q - p, s - r, r - p);
    let n = d.cross(e);
    let (at, to) = (w.cross(e).dot(n) / n.length2(), w.cross(d).dot(n) / n.length2());
    // Parallel to within rounding: the ends decide.
    let parallel = n.length2() <= 1e-24 * d.length2() * e.length2();
    let crossing = !parallel && (0.0..=1.0).contains(&at) && (0.0..=1.0).contains(&to);
    if crossing { at_ends.min((w + e.scale(to) - d.scale(at)).length()) } else { at_ends }
}

/// The row of GJK with its memory, always: what is proven of the distance.
fn proven(a: &Solid, pb: &Pose, cache: &mut PairCache) -> Proximity {
    let (poses_a, poses_b) = (BodyPoses::Fixed(&Pose::IDENTITY), BodyPoses::Fixed(pb));
    let query = PairQuery { a: &a.shape, b: &a.shape, poses_a, poses_b, samples: 1 };
    let mut rows = Vec::with_capacity(1);
    Gjk::DEFAULT.walk(&query, &EVERYTHING, cache, &mut Workspace::default(), &mut SolverStats::default(), &mut rows);
    rows.pop().expect("a row for every sample")
}

fn pair_at<'a>(a: &'a Solid, b: &'a Solid, pb: &Pose) -> Pair<'a, f64> {
    Pair::new(core(a), core(b), RelativePose::between(&Pose::IDENTITY, pb), 0.0)
}

/// Whether what a search found agrees with the proof: the distance within the bracket, but for the
/// rounding of [`distance`]; or overlap where the bracket allows it.
fn agrees(pair: &Pair<'_, f64>, found: &VClipResult, row: &Proximity) -> bool {
    match found.end {
        SearchEnd::Converged => {
            let d = distance(pair, &found.features);
            d >= row.lower - 1e-13 * pair.size && d <= row.upper.max(0.0) + 1e-13 * pair.size
        }
        SearchEnd::Overlap => row.lower <= 1e-12 * pair.size,
        SearchEnd::Cycle | SearchEnd::Stalled => true, // no answer, and counted
        SearchEnd::Beyond => false,                    // V-Clip knows no cut-off
    }
}

/// From any start, at any pose: the five states are visited, and what converges is nearest.
#[test]
fn every_state_is_visited_and_every_end_is_right() {
    let mut random = Random(20);
    let families: [(&str, Make); 4] = [
        ("compact", families::compact),
        ("medium", families::medium),
        ("disks", families::disks),
        ("lattice", families::tied),
    ];
    for (name, make) in families {
        let pool = pool(21, make);
        let mut tally = Tally::default();
        for _ in 0..1500 {
            let a = &pool[random.below(pool.len())];
            let away = times(random.direction(), random.between(0.0, 1.5) * 2.0 * a.reach);
            let pb = pose(&Placement::new(away, random.turn()));
            let (pair, row) = (pair_at(a, a, &pb), proven(a, &pb, &mut PairCache::default()));
            let mut any = || {
                let p = core(a);
                match random.below(3) {
                    0 => Feature::vertex(random.below(p.count) as u32),
                    1 => Feature::edge(random.below(p.edges.len()) as u32),
                    _ => Feature::face(random.below(p.face_count()) as u32),
                }
            };
            let mut starts = vec![vclip::cold_start(&pair)];
            for _ in 0..4 {
                let start = FeaturePair { a: any(), b: any() };
                if (start.a.kind, start.b.kind) != (FeatureKind::Face, FeatureKind::Face) {
                    starts.push(start);
                }
            }
            for start in starts {
                let found = tally.search(&pair, start);
                assert!(agrees(&pair, &found, &row), "{found:?}\n{row:?}\nat {pb:?}\n{}", a.recipe());
            }
        }
        tally.report(name);
        assert!(tally.states.iter().all(|&n| n > 100), "{name}: a state was not visited: {:?}", tally.states);
        assert!(tally.ends[0] > 500 && tally.ends[1] > 500, "not representative: {:?}", tally.ends);
        assert_eq!(tally.ends[2..], [0, 0], "{name}: cycles or stalls at random poses");
    }
}

/// A fifth of the paper's trials.
#[test]
fn degeneracy() {
    degenerate(20_000);
}

/// As many trials as in the paper: `cargo test --release --test narrow -- --ignored --nocapture
/// vclip::all_trials`.
#[test]
#[ignore = "minutes"]
fn all_trials_of_the_degeneracy_test() {
    degenerate(100_000);
}

/// Mirtich 1997, Algorithm 10: two cubes of two units a side; bisection between two poses, nearly
/// aligned most of the time, down to where the features change.
fn degenerate(trials: usize) {
    let mut random = Random(1997);
    let solid = cube(1.0);
    let (mut tally, mut wrong, mut widest, mut narrowed) = (Tally::default(), 0_u64, 0.0_f64, 0);
    let mut uncertified = 0;
    for _ in 0..trials {
        let mut place = || {
            let position = [random.between(-4.0, 4.0), random.between(-4.0, 4.0), 4.0];
            let (axis, angle) = (random.direction(), (-random.between(0.0, 20.0)).exp());
            let [x, y, z] = times(axis, (angle / 2.0).sin());
            (position, [(angle / 2.0).cos(), x, y, z])
        };
        let (mut low, mut high) = (place(), place());
        let mut cache = PairCache::default();
        let mut last: Option<FeaturePair> = None;
        let mut query = |at: &([f64; 3], [f64; 4])| {
            let pb = Pose::new(at.0, at.1);
            let pair = pair_at(&solid, &solid, &pb);
            let found = tally.search(&pair, last.unwrap_or_else(|| vclip::cold_start(&pair)));
            last = Some(found.features);
            let row = proven(&solid, &pb, &mut cache);
            if row.lower.is_nan() {
                uncertified += 1;
                return found.features;
            }
            assert!(row.lower > 0.53, "the cubes never come nearer than 4 - 2 sqrt 3: {row:?} at {at:?}");
            if found.end == SearchEnd::Converged {
                widest = widest.max((distance(&pair, &found.features) - row.distance).abs());
            }
            wrong += u64::from(!agrees(&pair, &found, &row));
            found.features
        };
        let first = query(&low);
        loop {
            let middle = (
                [0, 1, 2].map(|k: usize| 0.5 * (low.0[k] + high.0[k])),
                [0, 1, 2, 3].map(|k: usize| 0.5 * (low.1[k] + high.1[k])),
            );
            if middle == low || middle == high {
                narrowed += 1;
                break;
            }
            if query(&middle) == first { low = middle } else { high = middle }
        }
    }
    tally.report("degeneracy");
    eprintln!("{trials} trials: {wrong} wrong, farthest off {widest:.2e}, {uncertified} uncertified");
    assert_eq!(narrowed, trials);
    assert!(tally.states.iter().all(|&n| n > 1000), "not representative: {:?}", tally.states);
    assert_eq!(
        (wrong, tally.ends[1], tally.ends[2], tally.ends[3]),
        (0, 0, 0, 0),
        "wrong, penetrating, cycles, stalled"
    );
    assert_eq!(uncertified, 0, "convex pairs are always certified");
}

/// States a query at one degree a frame, cube first, as V-Clip took when it formed each plane where
/// it needed it and went from feature to feature without passing any by.
const NEARLY_COHERENT: [f64; 4] = [1.0824, 1.1165, 1.6686, 1.9189];

/// Mirtich 1997, Algorithm 9: states a query while one body revolves around the other one.
#[test]
fn coherence() {
    for (solid, before) in bodies_of_the_paper().into_iter().zip(NEARLY_COHERENT) {
        let mut means = Vec::new();
        for omega in [0.0_f64, 1.0, 5.0, 25.0] {
            let mut random = Random(9);
            let (mut tally, mut converged) = (Tally::default(), 0);
            for _ in 0..10 {
                let (phases, axis) = draw(&mut random);
                let mut last: Option<FeaturePair> = None;
                let mut cache = PairCache::default();
                for i in 1..=1000 {
                    let theta = omega.to_radians() * f64::from(i);
                    let [x, y, z] = times(axis, (theta / 2.0).sin());
                    let pb = Pose::new(phases.map(|p: f64| 3.2 * (theta + p).cos()), [(theta / 2.0).cos(), x, y, z]);
                    let pair = pair_at(&solid, &solid, &pb);
                    let found = tally.search(&pair, last.unwrap_or_else(|| vclip::cold_start(&pair)));
                    // At rest and aligned, two faces of the spheres are parallel: below.
                    assert!(found.end == SearchEnd::Converged || omega == 0.0, "{found:?}");
                    let row = proven(&solid, &pb, &mut cache);
                    assert!(agrees(&pair, &found, &row), "{found:?}\n{row:?}");
                    converged += if found.end == SearchEnd::Converged { found.iterations } else { 0 };
                    last = Some(found.features);
                }
            }
            tally.report(&format!("{} at omega {omega}", solid.name));
            means.push(converged as f64 / tally.ends[0] as f64);
        }
        assert!(means[0] < 1.01, "at rest the features stay: {means:?}");
        assert!(means.windows(2).all(|m| m[0] < m[1]), "less coherence, more states: {means:?}");
        assert!((means[1] / before - 1.0).abs() < 0.1, "nearly coherent: {means:?}, {before} before");
    }
}

/// Phases and an axis for which two bodies of circumradius 1 stay clear of each other.
fn draw(random: &mut Random) -> ([f64; 3], [f64; 3]) {
    loop {
        let phases = [0; 3].map(|_| random.between(0.0, TAU));
        let at = |k: u32| norm(phases.map(|p: f64| 3.2 * (PI * f64::from(k) / 360.0 + p).cos()));
        if (0..720).map(at).fold(f64::INFINITY, f64::min) > 2.1 {
            return (phases, random.direction());
        }
    }
}

/// Faces that lie on each other hold infinitely many closest points, and which side each vertex is
/// on is all rounding: a state comes back, and the next rung gives the row.
#[test]
fn a_state_that_comes_back_is_recognised() {
    let solid = Solid::new("sphere", sphere642(), 0.0);
    let mut random = Random(30);
    let (mut tally, mut routes) = (Tally::default(), SolverStats::default());
    let mut gjk_rows = Vec::new();
    let mut rows = Vec::new();
    for _ in 0..60 {
        // Centrally symmetric and not turned: every face has a parallel one, here at the same
        // height.
        let p = core(&solid);
        let f = random.below(p.face_count());
        let (n, on_face) = (p.normals[f], p.vertex(p.face(f as u32)[0]));
        let at = times(n.to_array(), 2.0 * n.dot(on_face));
        let pb = Pose::new(add(at, times(random.direction(), random.scale(1e-17, 1e-14))), [1.0, 0.0, 0.0, 0.0]);
        let pair = pair_at(&solid, &solid, &pb);
        let found = tally.search(&pair, vclip::cold_start(&pair));
        let (poses_a, poses_b) = (BodyPoses::Fixed(&Pose::IDENTITY), BodyPoses::Fixed(&pb));
        let query = PairQuery { a: &solid.shape, b: &solid.shape, poses_a, poses_b, samples: 1 };
        VClip.walk(&query, &EVERYTHING, &mut PairCache::default(), &mut Workspace::default(), &mut routes, &mut rows);
        gjk_rows.push(proven(&solid, &pb, &mut PairCache::default()));
        assert!(agrees(&pair, &found, &gjk_rows[gjk_rows.len() - 1]));
    }
    tally.report("spheres face on face");
    assert_eq!(rows.iter().map(bits).collect::<Vec<_>>(), gjk_rows.iter().map(bits).collect::<Vec<_>>());
    assert!(tally.ends[2] > 0, "not representative: {:?}", tally.ends);
    assert_eq!((routes.cycles, tally.ends[3]), (tally.ends[2], 0));
    assert!(tally.most < 200, "a state that comes back is recognised soon: {}", tally.most);
}
