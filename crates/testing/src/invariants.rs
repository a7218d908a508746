//! The invariants of HARD_CASES: what must hold of every pair beyond the single answer.

use clearsweep_geometry::RelativePose;
use clearsweep_model::{FrameBlock, SAMPLES, Shape};
use clearsweep_narrow::pair::Pair;
use clearsweep_narrow::{
    Auto, BodyPoses, Gjk, LinCanny, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Status, VClip,
    Workspace, exact, query_one, resolver,
};

use crate::bridge::{Checked, EVERYTHING, Solid, bits, check, pose, recipe, shape};
use crate::oracle::families::{Random, cuboid, moved};
use crate::oracle::number::{Number, Vector, norm, times};
use crate::oracle::{self, Placement};

/// Most vertices of both cores together for which the exact rung is asked: it takes milliseconds
/// where they are few.
const EXACT: usize = 32;

/// All methods.
const METHODS: [&dyn NarrowPhase; 4] = [&Auto, &Gjk::DEFAULT, &VClip, &LinCanny];

/// One sample through `walk`, with whatever the cache remembers.
pub fn walk_once(a: &Shape, pa: &Placement, b: &Shape, pb: &Placement, cache: &mut PairCache) -> Proximity {
    walk_by(&Gjk::DEFAULT, a, pa, b, pb, cache)
}

/// One sample through the `walk` of a method, with whatever the cache remembers.
pub fn walk_by(
    method: &dyn NarrowPhase,
    a: &Shape,
    pa: &Placement,
    b: &Shape,
    pb: &Placement,
    cache: &mut PairCache,
) -> Proximity {
    let (pose_a, pose_b) = (pose(pa), pose(pb));
    let query = PairQuery { a, b, poses_a: BodyPoses::Fixed(&pose_a), poses_b: BodyPoses::Fixed(&pose_b), samples: 1 };
    let mut rows = Vec::new();
    method.walk(&query, &EVERYTHING, cache, &mut Workspace::default(), &mut SolverStats::default(), &mut rows);
    assert_eq!(rows.len(), 1, "one sample, no threshold: one row");
    rows[0]
}

/// Checks one answer (see [`check`]) and: rigid motion, warm = cold, every route, and that the
/// depth separates.
#[track_caller]
pub fn check_invariants(a: &Solid, pa: &Placement, b: &Solid, pb: &Placement) -> Checked {
    let checked = match check(a, pa, b, pb) {
        Ok(checked) => checked,
        Err(report) => panic!("{report}"),
    };
    rigid_motion(a, pa, b, pb, &checked);
    warm_is_cold(a, pa, b, pb);
    every_route(&a.shape, pa, &b.shape, pb);
    depth_separates(a, pa, b, pb, &checked);
    checked
}

/// Turned and moved together, the bodies keep their distance, up to the rounding of the new poses.
#[track_caller]
fn rigid_motion(a: &Solid, pa: &Placement, b: &Solid, pb: &Placement, checked: &Checked) {
    let mut random = Random(7);
    for _ in 0..2 {
        let common = Placement::new([0; 3].map(|_| random.between(-2.0, 2.0)), random.turn());
        let both = [pa, pb].map(|p| compose(&common, p));
        let turned = match check(a, &both[0], b, &both[1]) {
            Ok(turned) => turned,
            Err(report) => panic!("after a rigid motion: {report}"),
        };
        let room = 1e-14 * (checked.size + norm(pa.position) + norm(pb.position) + 4.0);
        let change = (turned.row.distance - checked.row.distance).abs();
        let allowed = room + (turned.row.upper - turned.row.lower) + (checked.row.upper - checked.row.lower);
        assert!(change <= allowed, "a rigid motion changes the distance by {change:e}\n{}", recipe(a, pa, b, pb));
    }
}

/// The placement `p` seen from the world in which `common` places its world.
pub fn compose(common: &Placement, p: &Placement) -> Placement {
    let ([aw, ax, ay, az], [bw, bx, by, bz]) = (common.q, p.q);
    let q = [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ];
    let turned = moved(&Placement::new(common.position, q), oracle::out_of_frame(common, p.position));
    moved(&turned, oracle::out_of_frame(common, p.rest))
}

/// Whatever the cache remembers, the row is the cold one, bit for bit.
#[track_caller]
pub fn warm_is_cold(a: &Solid, pa: &Placement, b: &Solid, pb: &Placement) {
    let cold = query_one(&a.shape, &b.shape, &pose(pa), &pose(pb), &EVERYTHING);
    let mut random = Random(11);
    let mut cache = PairCache::default();
    let fresh = walk_once(&a.shape, pa, &b.shape, pb, &mut cache);
    assert_eq!(bits(&fresh), bits(&cold), "walk and query_one differ\n{fresh:?}\n{cold:?}\n{}", recipe(a, pa, b, pb));
    let reach = a.body.reach + b.body.reach;
    for step in 0..12 {
        // From the same pose, from near ones, from the opposite side, from inside out.
        let from = match step {
            0 => *pb,
            1..=4 => moved(pb, times(random.direction(), random.scale(1e-9, 0.2) * reach)),
            5..=7 => Placement { q: random.turn(), ..*pb },
            8 => Placement::new(pa.position, random.turn()),
            _ => Placement { q: random.turn(), ..moved(pa, times(random.direction(), 1.5 * reach)) },
        };
        walk_once(&a.shape, pa, &b.shape, &from, &mut cache);
        let warm = walk_once(&a.shape, pa, &b.shape, pb, &mut cache);
        assert_eq!(
            bits(&warm),
            bits(&cold),
            "warm (step {step}, from {from:?}) and cold differ\n{warm:?}\n{cold:?}\n{}",
            recipe(a, pa, b, pb)
        );
    }
}

/// The row by every route of the pair solver, bit for bit: GJK and V-Clip, cold, from stale and
/// foreign caches, at both ends of a walk of 64 samples, and the cold resolver itself; and the
/// exact rung, whose bracket meets the row's and whose sign is the row's. Returns the row.
#[track_caller]
pub fn every_route(a: &Shape, pa: &Placement, b: &Shape, pb: &Placement) -> Proximity {
    let cold = query_one(a, b, &pose(pa), &pose(pb), &EVERYTHING);
    let same = |what: &str, row: &Proximity| {
        assert_eq!(bits(row), bits(&cold), "{what}, the row differs\n{row:?}\ncold\n{cold:?}\nat {pa:?}\n{pb:?}");
    };
    let mut random = Random(13);
    let reach = a.radius + b.radius;
    let other = shape(&cuboid([0.3, 0.7, 0.2]), 0.0);
    let (like_a, like_b) = (squashed(a), squashed(b));
    for method in METHODS {
        let name = method.name();
        same(&format!("{name}, cold"), &walk_by(method, a, pa, b, pb, &mut PairCache::default()));
        let stale = [
            Placement { q: random.turn(), ..moved(pa, times(random.direction(), 1.5 * reach)) },
            Placement { q: random.turn(), ..*pa },
            moved(pb, times(random.direction(), 1e-6 * reach)),
        ];
        for from in &stale {
            let mut cache = PairCache::default();
            walk_by(method, a, pa, b, from, &mut cache);
            same(&format!("{name}, stale cache from {from:?}"), &walk_by(method, a, pa, b, pb, &mut cache));
        }
        for (what, a2, b2) in [("of like bodies", &like_a, &like_b), ("of other bodies", &other, &like_b)] {
            for from in [pb, &stale[0]] {
                let mut cache = PairCache::default();
                walk_by(method, a2, pa, b2, from, &mut cache);
                same(&format!("{name}, cache {what}"), &walk_by(method, a, pa, b, pb, &mut cache));
            }
        }
        for row in ends_of_walks(&mut random, method, a, pa, b, pb) {
            same(&format!("{name}, at the end of a walk"), &row);
        }
    }
    if let ([piece_a], [piece_b]) = (&a.pieces[..], &b.pieces[..])
        && cold.status != Status::Uncertified
    {
        let (pose_a, pose_b) = (pose(pa), pose(pb));
        let growth = piece_a.radius + piece_b.radius;
        let pair = Pair::new(&piece_a.core, &piece_b.core, RelativePose::between(&pose_a, &pose_b), growth);
        let answer = resolver::resolve(&pair, growth, (&pose_a, &pose_b), &mut SolverStats::default());
        let inflated = [(&piece_a.core, piece_a.radius), (&piece_b.core, piece_b.radius)];
        let row = answer.inflated(inflated[0], inflated[1], reach + pair.pose.t.length(), &EVERYTHING);
        same("the resolver", &row);
        if piece_a.core.count + piece_b.core.count <= EXACT {
            exactly(a, pa, b, pb, &cold);
        }
    }
    cold
}

/// A body of the same vertices, edges and faces and another form (so that its memory is not dropped
/// at sight): flat bodies stay flat, and coplanar corners coplanar, under factors that are powers
/// of two.
fn squashed(body: &Shape) -> Shape {
    let piece = &body.pieces[0];
    let corner = |v: u32| {
        let [x, y, z] = piece.core.vertex(v).to_array();
        [0.5 * x, z, 2.0 * y]
    };
    shape(&(0..piece.core.count as u32).map(corner).collect::<Vec<_>>(), piece.radius)
}

/// The rows at a pose in which a walk of 64 samples ends, and in which the next block, with the
/// same memory, begins to lead away again.
fn ends_of_walks(
    random: &mut Random,
    method: &dyn NarrowPhase,
    a: &Shape,
    pa: &Placement,
    b: &Shape,
    pb: &Placement,
) -> [Proximity; 2] {
    let reach = a.radius + b.radius;
    let way = times(random.direction(), random.scale(1e-6, 0.5) * reach);
    let turn = times(random.direction(), random.scale(1e-6, 0.5));
    let place = |share: f64| {
        let small = Placement::new([0.0; 3], [1.0, turn[0] * share, turn[1] * share, turn[2] * share]);
        let q = compose(&Placement { position: [0.0; 3], rest: [0.0; 3], q: pb.q }, &small).q;
        if share == 0.0 { *pb } else { Placement { q, ..moved(pb, times(way, share)) } }
    };
    let mut cache = PairCache::default();
    let mut rows = [0_usize, 1].map(|backward| {
        let mut block = FrameBlock::new(backward as u64, 2);
        for s in 0..SAMPLES {
            let steps = if backward == 0 { SAMPLES - 1 - s } else { s };
            block.set(0, s, &pose(pa));
            block.set(1, s, &pose(&place(steps as f64 / (SAMPLES - 1) as f64)));
        }
        let (poses_a, poses_b) = (BodyPoses::Moving(block.slot(0)), BodyPoses::Moving(block.slot(1)));
        let query = PairQuery { a, b, poses_a, poses_b, samples: u64::MAX };
        let mut rows = Vec::new();
        method.walk(&query, &EVERYTHING, &mut cache, &mut Workspace::default(), &mut SolverStats::default(), &mut rows);
        assert_eq!(rows.len(), SAMPLES, "no threshold: a row for every sample");
        rows
    });
    [rows[0].remove(SAMPLES - 1), rows[1].remove(0)]
}

/// The exact rung: its bracket meets the row's, and where the sign is proven by both it is the
/// same.
#[track_caller]
pub fn exactly(a: &Shape, pa: &Placement, b: &Shape, pb: &Placement, row: &Proximity) {
    let (piece_a, piece_b) = (&a.pieces[0], &b.pieces[0]);
    let answer = exact::resolve(&piece_a.core, &piece_b.core, (&pose(pa), &pose(pb)));
    let answer = answer.unwrap_or_else(|| panic!("the exact rung has no answer\nat {pa:?}\n{pb:?}"));
    let growth = piece_a.radius + piece_b.radius;
    let places = [pa, pb].map(|p| norm(p.position));
    // Growth is subtracted in f64; without it there is nothing to allow for.
    let off = if growth == 0.0 { 0.0 } else { 4.0 * f64::EPSILON * (a.radius + b.radius + places[0] + places[1]) };
    let (lower, upper) = (answer.lower - growth - off, answer.upper - growth + off);
    let case = || format!("{row:?}\nexactly\n{answer:?}\nat {pa:?}\n{pb:?}");
    assert!(row.lower <= upper && lower <= row.upper, "the brackets do not meet\n{}", case());
    let same_sign = match row.status {
        Status::Separated if off == 0.0 => lower > 0.0,
        Status::Separated => upper > 0.0,
        Status::Penetrating if off == 0.0 => upper < 0.0,
        Status::Penetrating => lower < 0.0,
        Status::Touching => true, // its bracket holds zero, and the distance as the brackets meet
        Status::Uncertified => false,
    };
    assert!(same_sign, "the signs differ\n{}", case());
}

/// Moving B by the depth along the normal, and by the promised gap more, separates the pair.
#[track_caller]
fn depth_separates(a: &Solid, pa: &Placement, b: &Solid, pb: &Placement, checked: &Checked) {
    if checked.row.status != Status::Penetrating {
        return;
    }
    let n: Vector<f64> = oracle::out_of_frame(pa, checked.row.normal.to_array());
    let apart = moved(pb, times(n, -checked.row.distance + 1e-12 * checked.size));
    let truth = oracle::signed_distance(&a.body, pa, &b.body, &apart).distance.value();
    assert!(truth >= 0.0, "moved by the depth they still overlap by {truth:e}\n{}", recipe(a, pa, b, pb));
    let row = query_one(&a.shape, &b.shape, &pose(pa), &pose(&apart), &EVERYTHING);
    assert!(row.status != Status::Penetrating && row.upper >= 0.0, "{row:?}\n{}", recipe(a, pa, b, pb));
}
