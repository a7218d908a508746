//! Bodies of many convex pieces: the search through their trees against all pairs of pieces, asked
//! one by one and cold.

use clearsweep_geometry::Pose;
use clearsweep_narrow::{
    Auto, BodyPoses, Gjk, LinCanny, Method, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Status, VClip,
    Workspace, query_one,
};
use clearsweep_scene::{Model, QueryOptions, Shape};
use clearsweep_testing::bridge::{EVERYTHING, bits, pose, shape};
use clearsweep_testing::oracle::families::{Random, cuboid};
use clearsweep_testing::oracle::number::{Vector, add, times};
use clearsweep_testing::oracle::{self, Placement};

/// A body, and its pieces as bodies of their own.
struct Compound {
    whole: Shape,
    alone: Vec<Shape>,
}

impl Compound {
    fn new(pieces: &[Vec<Vector<f64>>]) -> Self {
        let alone: Vec<Shape> = pieces.iter().map(|points| shape(points, 0.0)).collect();
        let mut whole = shape(&pieces.concat(), 0.0);
        if alone.len() > 1 {
            whole.hull = whole.pieces.pop().map(Box::new);
            whole.pieces = alone.iter().map(|piece| piece.pieces[0].clone()).collect();
            whole.model = Model::Pieces;
        }
        Self { whole, alone }
    }
}

fn block(random: &mut Random, center: Vector<f64>, half: [f64; 3]) -> Vec<Vector<f64>> {
    let q = Placement::new(center, random.turn());
    cuboid(half).into_iter().map(|p| add(center, oracle::out_of_frame(&q, p))).collect()
}

/// Kinds of bodies: a heap of boxes, a chain along a curve, a grid of flush boxes, pieces of one
/// point, many identical pieces, round pieces of many vertices, a single piece.
fn compound(random: &mut Random, kind: usize) -> Compound {
    let pieces = match kind % 7 {
        0 => (0..30)
            .map(|_| {
                let center = [0; 3].map(|_| random.between(-1.0, 1.0));
                let half = [0; 3].map(|_| random.between(0.02, 0.15));
                block(random, center, half)
            })
            .collect(),
        1 => (0..48)
            .map(|k| f64::from(k) / 8.0)
            .map(|t| block(random, [t.cos(), t.sin(), 0.3 * t - 0.9], [0.06, 0.05, 0.04]))
            .collect(),
        2 => (0..27)
            .map(|k| [k % 3, k / 3 % 3, k / 9].map(|c| 0.5 * f64::from(c) - 0.5))
            .map(|c| cuboid([0.25; 3]).into_iter().map(|p| add(c, p)).collect())
            .collect(),
        3 => (0..40).map(|_| vec![[0; 3].map(|_| random.between(-1.0, 1.0))]).collect(),
        4 => vec![cuboid([0.5, 0.25, 0.125]).to_vec(); 20],
        5 => (0..12)
            .map(|_| {
                let center = times(random.direction(), 0.8);
                (0..90).map(|_| add(center, times(random.direction(), 0.3))).collect()
            })
            .collect(),
        _ => vec![cuboid([0.4, 0.3, 0.2]).to_vec()],
    };
    Compound::new(&pieces)
}

/// The rows of all pairs of pieces, in order, each asked cold.
fn all_pairs(a: &Compound, b: &Compound, pa: &Pose, pb: &Pose) -> Vec<Proximity> {
    let pairs = (0..a.alone.len()).flat_map(|i| (0..b.alone.len()).map(move |j| [i, j]));
    pairs
        .map(|at| {
            let row = query_one(&a.alone[at[0]], &b.alone[at[1]], pa, pb, &EVERYTHING);
            Proximity { part: at.map(|piece| piece as i32), ..row }
        })
        .collect()
}

fn walk(
    method: &dyn NarrowPhase,
    (a, b): (&Shape, &Shape),
    (pa, pb): (&Pose, &Pose),
    within: f64,
    cache: &mut PairCache,
    stats: &mut SolverStats,
) -> Option<Proximity> {
    let query = PairQuery { a, b, poses_a: BodyPoses::Fixed(pa), poses_b: BodyPoses::Fixed(pb), samples: 1 };
    let (options, mut out) = (QueryOptions { within, ..EVERYTHING }, Vec::new());
    method.walk(&query, &options, cache, &mut Workspace::default(), stats, &mut out);
    out.pop()
}

/// The row that all pairs give where no pieces overlap; else its upper end and nearest pieces.
fn check(row: &Proximity, all: &[Proximity]) -> Result<(), String> {
    let least = all.iter().reduce(|x, y| if y.distance < x.distance { y } else { x }).expect("there are pieces");
    let lower = all.iter().fold(f64::INFINITY, |least, row| least.min(row.lower));
    let upper = all.iter().fold(f64::INFINITY, |least, row| least.min(row.upper));
    if row.part != least.part || row.upper.to_bits() != upper.to_bits() {
        return Err(format!("row {row:?}, nearest pair {least:?}"));
    }
    if least.distance >= 0.0 {
        let expected = Proximity { lower, upper, status: row.status, ..*least };
        return if bits(row) == bits(&expected) { Ok(()) } else { Err(format!("row {row:?}, expected {expected:?}")) };
    }
    let holds = row.method == Method::Bound && row.lower <= row.distance && row.distance <= lower;
    if holds { Ok(()) } else { Err(format!("row {row:?} of an overlap by {lower}")) }
}

#[test]
fn trees_find_what_all_pairs_give() {
    let mut random = Random(11);
    let mut statuses = [0; 4];
    let (mut looked, mut pairs) = (0, 0);
    for number in 0..140 {
        let (a, b) = (compound(&mut random, number), compound(&mut random, number / 7));
        let aligned = random.chance(0.3);
        let turn = |random: &mut Random| if aligned { random.quarter_turn() } else { random.turn() };
        let pa = Placement::new([0.0; 3], turn(&mut random));
        let reach = a.whole.radius + b.whole.radius;
        let mut t = times(random.direction(), random.between(0.2, 1.6) * reach);
        if aligned {
            t = t.map(|x| (x * 4.0).round() / 4.0); // parallel faces and equal coordinates
        }
        let pb = Placement::new(t, turn(&mut random));
        let all = all_pairs(&a, &b, &pose(&pa), &pose(&pb));
        let mut stats = SolverStats::default();
        let shapes = (&a.whole, &b.whole);
        let place = (&pose(&pa), &pose(&pb));
        let cold = walk(&Auto, shapes, place, f64::INFINITY, &mut PairCache::default(), &mut stats).expect("a row");
        if a.alone.len() > 1 || b.alone.len() > 1 {
            check(&cold, &all).unwrap_or_else(|why| panic!("case {number}: {why}"));
        }
        statuses[cold.status as usize] += 1;
        if cold.status == Status::Separated && all.len() > 500 {
            (looked, pairs) = (looked + stats.piece_pairs, pairs + all.len() as u64);
        }
        // Other methods, thresholds and memories: the same row.
        let mut foreign = PairCache::default();
        let other = compound(&mut random, number + 3);
        walk(&Auto, (&other.whole, &a.whole), place, f64::INFINITY, &mut foreign, &mut stats);
        for method in [&Gjk::DEFAULT as &dyn NarrowPhase, &VClip, &LinCanny, &Auto] {
            for within in [f64::INFINITY, cold.distance.max(0.0) + 0.1, cold.lower.max(0.0)] {
                let row = walk(method, shapes, place, within, &mut foreign, &mut stats)
                    .unwrap_or_else(|| panic!("case {number}, {} within {within}: no row, {cold:?}", method.name()));
                assert_eq!(bits(&row), bits(&cold), "case {number}, {} within {within}", method.name());
            }
            if cold.lower > 1e-9 {
                let none = walk(method, shapes, place, cold.lower * 0.999, &mut foreign, &mut stats);
                assert!(none.is_none(), "case {number}: {none:?}");
            }
        }
    }
    let [apart, overlapping] = [Status::Separated, Status::Penetrating].map(|status| statuses[status as usize]);
    assert!(apart > 40 && overlapping > 30, "not representative: {statuses:?}");
    assert!(pairs > 20_000 && 20 * looked < pairs, "{looked} of {pairs} pairs were compared");
}

#[test]
fn a_walk_visits_few_pairs_and_gives_the_cold_rows() {
    let mut random = Random(12);
    let (a, b) = (compound(&mut random, 1), compound(&mut random, 0));
    let (mut cache, mut stats) = (PairCache::default(), SolverStats::default());
    let (mut apart, mut overlapping, mut changes, mut last) = (0, 0, 0, [0; 2]);
    let turn = random.turn();
    let samples = 400;
    for k in 0..samples {
        let share = f64::from(k) / f64::from(samples);
        let (pa, pb) = (
            Placement::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]),
            Placement::new([4.0 - 7.0 * share, 0.6 * share, 0.1], turn),
        );
        let place = (&pose(&pa), &pose(&pb));
        let shapes = (&a.whole, &b.whole);
        let warm = walk(&Auto, shapes, place, f64::INFINITY, &mut cache, &mut stats).expect("a row");
        let cold = walk(&Auto, shapes, place, f64::INFINITY, &mut PairCache::default(), &mut SolverStats::default())
            .expect("a row");
        assert_eq!(bits(&warm), bits(&cold), "sample {k}");
        apart += u32::from(warm.status == Status::Separated);
        overlapping += u32::from(warm.status == Status::Penetrating);
        changes += u32::from(std::mem::replace(&mut last, warm.part) != warm.part);
    }
    assert!(apart > 100 && overlapping > 20 && changes > 10, "{apart} apart, {overlapping} overlap, {changes} changes");
    let (mut visits, mut of_walk) = (SolverStats::default(), PairCache::default());
    for k in 0..100 {
        let pb = Pose::new([3.0 - 0.002 * f64::from(k), 0.0, 0.1], turn);
        walk(&Auto, (&a.whole, &b.whole), (&Pose::IDENTITY, &pb), f64::INFINITY, &mut of_walk, &mut visits);
    }
    let all = (a.alone.len() * b.alone.len()) as u64;
    assert!(visits.piece_pairs < 100 * all / 100, "{} of {} pairs", visits.piece_pairs, 100 * all);
    assert!(of_walk.bytes() < 40_000, "{} bytes for {all} pairs", of_walk.bytes());
}

#[test]
fn bodies_of_ten_thousand_pieces_are_answered() {
    let half = [0.5, 0.1, 0.1];
    let row = |count: i32| {
        let at = |k: i32| cuboid(half).into_iter().map(|p| add([f64::from(k), 0.0, 0.0], p)).collect::<Vec<_>>();
        Compound::new(&(0..count).map(at).collect::<Vec<_>>())
    };
    let (long, short) = (row(10_000), row(3));
    let mut stats = SolverStats::default();
    let place = Pose::new([7000.0, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0]);
    let shapes = (&long.whole, &short.whole);
    let found = walk(&Auto, shapes, (&Pose::IDENTITY, &place), f64::INFINITY, &mut PairCache::default(), &mut stats);
    let found = found.expect("a row");
    assert!((found.distance - 0.3).abs() < 1e-9, "{found:?}");
    assert!((6999..=7003).contains(&found.part[0]), "{found:?}");
    assert!(stats.piece_pairs < 100, "{stats:?}");
    let through = walk(
        &Auto,
        shapes,
        (&Pose::IDENTITY, &Pose::new([5000.0, 0.15, 0.0], [1.0, 0.0, 0.0, 0.0])),
        0.0,
        &mut PairCache::default(),
        &mut stats,
    );
    let through = through.expect("a row");
    assert!((through.distance + 0.05).abs() < 1e-6 && through.method == Method::Bound, "{through:?}");
}
