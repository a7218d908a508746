//! A row is a function of geometry, relative pose and options: not of the cache, the block or the
//! mask.
//!
//! Random walks of pairs through blocks of 64 samples; the rows of the walk with its own warm cache
//! must equal, bit for bit, those of every sample alone with a cold cache, those of a walk with a
//! cache from elsewhere, and those by V-Clip and Lin-Canny.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

use clearsweep_narrow::{
    Auto, BodyPoses, Gjk, LinCanny, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Status, VClip, Workspace,
};
use clearsweep_scene::{FrameBlock, QueryOptions, SAMPLES};
use clearsweep_testing::bridge::{EVERYTHING, Solid, bits, pose};
use clearsweep_testing::oracle::Placement;
use clearsweep_testing::oracle::families::{self, Random, Recipe};
use clearsweep_testing::oracle::number::{add, norm, times};

/// Blocks of a walk.
const BLOCKS: usize = 3;

/// A way to move B about A.
#[derive(Clone, Copy)]
enum Motion {
    /// Slowly past each other and through each other.
    Cross,
    /// Flush on a face of A, both aligned: ties in every sample, also while it slips over an edge.
    Slide,
    /// Turning inside A or about it.
    Tumble,
    /// Anywhere in every sample.
    Jump,
    /// The same pose again and again, now and then another one.
    Still,
}

/// Placements of A and B over all samples of a walk.
fn path(random: &mut Random, motion: Motion, a: &Solid, b: &Solid) -> Vec<(Placement, Placement)> {
    let (ra, rb) = (a.body.reach.max(0.01), b.body.reach.max(0.01));
    let pa = Placement::new([0; 3].map(|_| random.between(-1.0, 1.0)), random.turn());
    let (from, to) = (times(random.direction(), 1.2 * (ra + rb)), times(random.direction(), 1.2 * (ra + rb)));
    let (start, turn) = (random.turn(), random.turn().map(|c| c * random.scale(1e-3, 3.0)));
    let side = slide(random, a, b);
    let mut last = times(random.direction(), random.between(0.0, 1.0) * (ra + rb));
    let at = |k: usize| {
        let share = k as f64 / (BLOCKS * SAMPLES) as f64;
        let q = unit([0, 1, 2, 3].map(|c: usize| start[c] + share * turn[c]));
        match motion {
            Motion::Cross => {
                let t = add(times(from, 1.0 - 2.0 * share), times(to, 0.3 * share * (1.0 - share)));
                (pa, Placement::new(add(pa.position, t), q))
            }
            Motion::Slide => {
                let turned = Placement::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
                (turned, Placement::new([side[0] + (share * 64.0).floor() / 32.0 - 1.0, side[1], side[2]], turned.q))
            }
            Motion::Tumble => (pa, Placement::new(add(pa.position, times(from, 0.1 * share)), q)),
            Motion::Jump => {
                let t = times(random.direction(), random.between(0.0, 1.5) * (ra + rb));
                (pa, Placement::new(add(pa.position, t), random.turn()))
            }
            Motion::Still => {
                if random.chance(0.1) {
                    last = times(random.direction(), random.between(0.0, 1.0) * (ra + rb));
                }
                (pa, Placement::new(add(pa.position, last), start))
            }
        }
    };
    (0..BLOCKS * SAMPLES).map(at).collect()
}

/// Places B on top of A, mostly flush: the sum of their half heights along z, and off to a side by
/// eighths.
fn slide(random: &mut Random, a: &Solid, b: &Solid) -> [f64; 3] {
    let top = |s: &Solid| s.points.iter().map(|p| p[2]).fold(f64::NEG_INFINITY, f64::max);
    let low = |s: &Solid| s.points.iter().map(|p| p[2]).fold(f64::INFINITY, f64::min);
    let lift = [0.0, 0.0, 0.0, -0.125, 0.0625][random.below(5)]; // mostly flush
    [0.0, random.below(9) as f64 * 0.125 - 0.5, top(a) + a.growth - low(b) + b.growth + lift]
}

fn unit(q: [f64; 4]) -> [f64; 4] {
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    if norm < 1e-3 { [1.0, 0.0, 0.0, 0.0] } else { q.map(|c| c / norm) }
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

/// The rows of a block by GJK, with a cache.
fn walk(
    a: &Solid,
    b: &Solid,
    block: &FrameBlock,
    samples: u64,
    options: &QueryOptions,
    cache: &mut PairCache,
) -> Vec<Proximity> {
    walk_by(&Gjk::DEFAULT, a, b, block, samples, options, cache)
}

/// The rows of a block by a method, with a cache.
fn walk_by(
    method: &dyn NarrowPhase,
    a: &Solid,
    b: &Solid,
    block: &FrameBlock,
    samples: u64,
    options: &QueryOptions,
    cache: &mut PairCache,
) -> Vec<Proximity> {
    let (poses_a, poses_b) = (BodyPoses::Moving(block.slot(0)), BodyPoses::Moving(block.slot(1)));
    let query = PairQuery { a: &a.shape, b: &b.shape, poses_a, poses_b, samples };
    let mut rows = Vec::new();
    method.walk(&query, options, cache, &mut Workspace::default(), &mut SolverStats::default(), &mut rows);
    rows
}

#[track_caller]
fn assert_same(what: &str, walk: usize, path: &[(Placement, Placement)], left: &[Proximity], right: &[Proximity]) {
    let samples = |rows: &[Proximity]| rows.iter().map(|r| r.sample).collect::<Vec<_>>();
    assert_eq!(samples(left), samples(right), "walk {walk}, {what}: rows in other samples");
    for (l, r) in left.iter().zip(right) {
        let place = path[usize::from(l.sample)];
        assert_eq!(bits(l), bits(r), "walk {walk}, {what}, sample {}:\n{l:?}\n{r:?}\nat {place:?}", l.sample);
    }
}

/// Walks pairs of a family; `foreign` caches come from the walk before (another pair, another
/// motion).
fn run(family: &str, seed: u64, walks: usize, motions: &[Motion], make: fn(&mut Random, usize) -> Recipe) {
    let mut random = Random(seed);
    let pool: Vec<Solid> = (0..60).map(|i| Solid::from_recipe(make(&mut random, i))).collect();
    let mut foreign = PairCache::default();
    let mut statuses = [0_usize; 4];
    for number in 0..walks {
        let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
        let path = path(&mut random, motions[number % motions.len()], a, b);
        let [mut warm, mut clipped, mut both, mut pointed] = [(); 4].map(|()| PairCache::default());
        for (block, path) in blocks(&path).iter().zip(path.chunks(SAMPLES)) {
            let rows = walk(a, b, block, u64::MAX, &EVERYTHING, &mut warm);
            let cold: Vec<Proximity> =
                (0..SAMPLES).flat_map(|s| walk(a, b, block, 1 << s, &EVERYTHING, &mut PairCache::default())).collect();
            assert_eq!(cold.len(), SAMPLES, "no threshold: a row for every sample");
            for row in &cold {
                statuses[row.status as usize] += 1;
                assert_eq!(row.lower.is_nan(), row.status == Status::Uncertified);
            }
            assert_same("warm and cold", number, path, &rows, &cold);
            let stale = walk(a, b, block, u64::MAX, &EVERYTHING, &mut foreign);
            assert_same("foreign cache and cold", number, path, &stale, &cold);
            // The memory that V-Clip gets is GJK's of this block, or its own of the block before.
            let memory = if number % 2 == 0 { &mut foreign } else { &mut clipped };
            let rows = walk_by(&VClip, a, b, block, u64::MAX, &EVERYTHING, memory);
            assert_same("V-Clip and cold", number, path, &rows, &cold);
            let memory = if number % 3 == 0 { &mut foreign } else { &mut both };
            let rows = walk_by(&Auto, a, b, block, u64::MAX, &EVERYTHING, memory);
            assert_same("both in turn and cold", number, path, &rows, &cold);
            let memory = if number % 5 == 0 { &mut foreign } else { &mut pointed };
            let rows = walk_by(&LinCanny, a, b, block, u64::MAX, &EVERYTHING, memory);
            assert_same("Lin-Canny and cold", number, path, &rows, &cold);
            thresholds(&mut random, number, a, b, block, path, &cold, &mut foreign);
        }
    }
    eprintln!("{family}: {walks} walks; separated, touching, penetrating, uncertified: {statuses:?}");
    assert_eq!(statuses[Status::Uncertified as usize], 0, "convex pairs are always certified");
    assert!(statuses[0] > 0 && statuses[2] > 0, "not representative: {statuses:?}");
}

/// A mask leaves out samples and a threshold leaves out rows; what is left is the same.
fn thresholds(
    random: &mut Random,
    number: usize,
    a: &Solid,
    b: &Solid,
    block: &FrameBlock,
    path: &[(Placement, Placement)],
    cold: &[Proximity],
    cache: &mut PairCache,
) {
    let mask = random.bits() & random.bits();
    let within = random.between(0.0, 0.5) * (a.body.reach + b.body.reach);
    let options = QueryOptions { within, ..EVERYTHING };
    let expected: Vec<Proximity> =
        cold.iter().filter(|r| mask >> r.sample & 1 == 1 && r.lower <= within).copied().collect();
    let rows = walk(a, b, block, mask, &options, cache);
    assert_same("mask and threshold", number, path, &rows, &expected);
}

const ALL: [Motion; 4] = [Motion::Cross, Motion::Tumble, Motion::Jump, Motion::Still];

#[test]
fn boxes_and_hulls() {
    run("boxes and hulls", 1, 600, &ALL, families::compact);
}

#[test]
fn medium_hulls() {
    run("medium hulls", 2, 200, &ALL, families::medium);
}

#[test]
fn flush_boxes_slide() {
    run("sliding boxes", 3, 400, &[Motion::Slide], |random, _| {
        Recipe::new("box", families::cuboid([0; 3].map(|_| (1 + random.below(4)) as f64 * 0.125)), 0.0)
    });
}

#[test]
fn ties_of_lattice_hulls() {
    run("lattice hulls", 4, 400, &[Motion::Slide, Motion::Cross, Motion::Still], families::tied);
}

#[test]
fn flat_bodies() {
    run("flat bodies", 5, 400, &ALL, families::flat);
}

#[test]
fn rounded_bodies() {
    run("rounded bodies", 6, 400, &ALL, families::round);
}

#[test]
fn slivers() {
    run("slivers", 7, 400, &ALL, families::sliver);
}

#[test]
fn small_inside_large() {
    run("containment", 8, 400, &[Motion::Tumble, Motion::Cross], |random, i| {
        let mut recipe = families::compact(random, i);
        let scale = if i.is_multiple_of(3) { 4.0 } else { 0.5 };
        recipe.points = recipe.points.iter().map(|&p| times(p, scale)).collect();
        assert!(recipe.points.iter().all(|&p| norm(p) < 10.0));
        recipe
    });
}

/// Boxes and a prism with nearly parallel faces, placed by `(A's half sides or points, A's
/// rotation, B's half sides, B's position, rest and rotation)`. They overlap by 10 to 350 rounding
/// bounds, where the searches in `f64` may take them for apart, or the crossing of two edges for a
/// facet of its own.
fn shallow_overlaps() -> Vec<[(Solid, Placement); 2]> {
    let place = |position, rest, q| Placement { position, rest, q };
    let at_origin = |q| place([0.0; 3], [0.0; 3], q);
    let identity = [1.0, 0.0, 0.0, 0.0];
    let cube = [0.31341231899479705, 0.20752943485132824, 0.2937517621888416];
    let brick = [0.18826644985792568, 0.29751352993849106, 0.3341091288003303];
    let (long, short, half) = (0.4692116655005175, 0.33178275048725, 0.2615635423879589);
    let octagon = [
        [long, 0.0],
        [short, 0.3317827504872499],
        [2.873092821389037e-17, long],
        [-0.3317827504872499, short],
        [-long, 5.746185642778074e-17],
        [-0.33178275048725003, -0.3317827504872499],
        [-8.61927846416711e-17, -long],
        [0.33178275048724987, -0.33178275048725003],
    ];
    let prism = octagon.iter().flat_map(|&[x, y]| [[x, y, half], [x, y, -half]]).collect();
    vec![
        [
            (Solid::cuboid([0.18725998554229922, 0.4162023716131734, 0.4286537044085358]), at_origin(identity)),
            (
                Solid::cuboid([0.14929299750673186, 0.47588646872140616, 0.22736191850148663]),
                place(
                    [-0.2686346923863949, 0.5654953692760838, 0.6789929487189965],
                    [0.0; 3],
                    [-0.500000000172592, 0.500000000172592, 0.49999999982740795, -0.49999999982740795],
                ),
            ),
        ],
        [
            (Solid::cuboid(cube), at_origin(identity)),
            (
                Solid::cuboid(cube),
                place(
                    [0.2338483630396424, -0.5012811985255039, -0.3055408028230538],
                    [0.0; 3],
                    [-0.4999999988146386, 0.5000000011853614, -0.5000000011853614, -0.4999999988146386],
                ),
            ),
        ],
        [
            (
                Solid::cuboid([0.25359718801732267, 0.43204723540252843, 0.3978035335332144]),
                at_origin([0.026425215851407682, 0.7010382835709552, 0.6545376898103896, 0.28182875217545467]),
            ),
            (
                Solid::cuboid([0.169312086951103, 0.4578566020259427, 0.1290543767186025]),
                place(
                    [0.2308480948582504, -0.5112639833274386, 0.159538038724393],
                    [1.734723475976807e-18, -5.551115123125783e-17, -6.938893903907228e-18],
                    [-0.026425215409006768, -0.7010382833804676, -0.6545376898282503, -0.28182875264928525],
                ),
            ),
        ],
        [
            (
                Solid::new("prism", prism, 0.0),
                at_origin([0.41069049274235, 0.31461463312673693, -0.5434211907112783, 0.6610933075440342]),
            ),
            (
                Solid::cuboid([0.43105319586253676, 0.2987930030584559, 0.2756579674873183]),
                place(
                    [0.2532477060359058, -0.5429399534787223, 0.0686018336048206],
                    [0.0; 3],
                    [0.6610933066931098, 0.5434211917464613, 0.31461463248365096, -0.41069049323499407],
                ),
            ),
        ],
        [
            (
                Solid::cuboid(brick),
                at_origin([-0.26979105912651435, -0.041177823401089636, -0.34722435429883547, -0.8971914060316778]),
            ),
            (
                Solid::cuboid(brick),
                place(
                    [0.12137647073300772, -0.7097289576575037, 0.16395329650495954],
                    [0.0; 3],
                    [-0.2746418100483054, -0.44363904206322097, 0.8251812128679783, -0.21640758411005487],
                ),
            ),
        ],
    ]
}

#[test]
fn faces_that_overlap_by_a_few_rounding_bounds() {
    let methods: [&dyn NarrowPhase; 4] = [&Gjk::DEFAULT, &VClip, &LinCanny, &Auto];
    for (number, [(a, pa), (b, pb)]) in shallow_overlaps().iter().enumerate() {
        let by = |share: f64| (*pa, Placement { position: times(pb.position, share), ..*pb });
        let here = (*pa, *pb);
        let before = [by(0.9), by(0.0), by(1.5), (*pa, Placement { q: pa.q, ..*pb }), here];
        let row = |method: &dyn NarrowPhase, places: (Placement, Placement), cache: &mut PairCache| {
            walk_by(method, a, b, &blocks(&[places])[0], 1, &EVERYTHING, cache)
        };
        let cold = row(&Gjk::DEFAULT, here, &mut PairCache::default());
        assert_eq!(cold[0].status, Status::Penetrating, "pair {number}: {:?}", cold[0]);
        for method in methods {
            let alone = row(method, here, &mut PairCache::default());
            assert_same(&format!("{}, cold", method.name()), number, &[here], &alone, &cold);
            for (first, before) in methods.into_iter().flat_map(|m| before.map(|place| (m, place))) {
                let mut cache = PairCache::default();
                row(first, before, &mut cache);
                let warm = row(method, here, &mut cache);
                let what = format!("{} after {} at {before:?}", method.name(), first.name());
                assert_same(&what, number, &[here], &warm, &cold);
            }
        }
    }
}
