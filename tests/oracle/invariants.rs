//! The invariants of HARD_CASES: what must hold of every pair beyond the single answer.
#![allow(dead_code, missing_docs, unreachable_pub)] // each test uses its part of this module

use clearsweep::narrow::{Gjk, NarrowPhase, PairCache, PairQuery, Poses, Proximity, Routes, Status, query_one};
use clearsweep::scene::Shape;

use crate::bridge::{Checked, EVERYTHING, Solid, bits, check, pose, recipe};
use crate::oracle::families::{Random, moved};
use crate::oracle::number::{Number, Vector, norm, times};
use crate::oracle::{self, Placement};

/// One sample through `walk`, with whatever the cache remembers.
pub fn walk_once(a: &Shape, pa: &Placement, b: &Shape, pb: &Placement, cache: &mut PairCache) -> Proximity {
    let (pose_a, pose_b) = (pose(pa), pose(pb));
    let query = PairQuery { a, b, poses_a: Poses::Fixed(&pose_a), poses_b: Poses::Fixed(&pose_b), samples: 1 };
    let mut rows = Vec::new();
    Gjk.walk(&query, &EVERYTHING, cache, &mut Routes::default(), &mut rows);
    assert_eq!(rows.len(), 1, "one sample, no threshold: one row");
    rows[0]
}

/// Checks one answer (see [`check`]) and: rigid motion, warm = cold, and that the depth separates.
#[track_caller]
pub fn check_invariants(a: &Solid, pa: &Placement, b: &Solid, pb: &Placement) -> Checked {
    let checked = match check(a, pa, b, pb) {
        Ok(checked) => checked,
        Err(report) => panic!("{report}"),
    };
    rigid_motion(a, pa, b, pb, &checked);
    warm_is_cold(a, pa, b, pb);
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
