//! A row is a function of geometry, relative pose and options: not of the cache, the block or the mask.
//!
//! Random walks of pairs through blocks of 64 samples; the rows of the walk with its own warm cache must equal, bit
//! for bit, those of every sample alone with a cold cache, those of a walk with a cache from elsewhere, and those by V-Clip.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

#[path = "oracle/bridge.rs"]
mod bridge;
#[path = "oracle/mod.rs"]
mod oracle;

use bridge::{EVERYTHING, Solid, bits, pose};
use clearsweep::narrow::{
    Auto, BodyPoses, Gjk, NarrowPhase, PairCache, PairQuery, Proximity, Routes, Status, VClip, Workspace,
};
use clearsweep::scene::{FrameBlock, QueryOptions, SAMPLES};
use oracle::Placement;
use oracle::families::{self, Random, Recipe};
use oracle::number::{add, norm, times};

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

/// Where B lies on top of A, mostly flush: the sum of their half heights along z, and off to a side by eighths.
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
    walk_by(&Gjk, a, b, block, samples, options, cache)
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
    method.walk(&query, options, cache, &mut Workspace::default(), &mut Routes::default(), &mut rows);
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

/// Walks pairs of a family; `foreign` caches come from the walk before (another pair, another motion).
fn run(family: &str, seed: u64, walks: usize, motions: &[Motion], make: fn(&mut Random, usize) -> Recipe) {
    let mut random = Random(seed);
    let pool: Vec<Solid> = (0..60).map(|i| Solid::from_recipe(make(&mut random, i))).collect();
    let mut foreign = PairCache::default();
    let mut statuses = [0_usize; 4];
    for number in 0..walks {
        let (a, b) = (&pool[random.below(pool.len())], &pool[random.below(pool.len())]);
        let path = path(&mut random, motions[number % motions.len()], a, b);
        let [mut warm, mut clipped, mut both] = [(); 3].map(|()| PairCache::default());
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
