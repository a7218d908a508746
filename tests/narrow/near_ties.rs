//! Nearly parallel, nearly symmetric, nearly flat: where optima are all but equal, rows must hold
//! and repeat.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

use clearsweep_narrow::{PairCache, query_one};
use clearsweep_testing::bridge::{self, EVERYTHING, Solid, bits, check, pose};
use clearsweep_testing::invariants::walk_once;
use clearsweep_testing::oracle::Placement;
use clearsweep_testing::oracle::families::{self, Random, Regime, cuboid, moved, place};
use clearsweep_testing::oracle::number::times;
use clearsweep_testing::survey::survey;

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// A turn by 1e-17 to 1e-6 rad about a random axis or one of the coordinates'.
fn tiny_turn(random: &mut Random) -> [f64; 4] {
    let angle = random.scale(1e-17, 1e-6);
    let any = random.direction();
    let axis =
        if random.chance(0.5) { any } else { [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]][random.below(3)] };
    [1.0, axis[0] * angle, axis[1] * angle, axis[2] * angle]
}

fn product([aw, ax, ay, az]: [f64; 4], [bw, bx, by, bz]: [f64; 4]) -> [f64; 4] {
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

fn any_box(random: &mut Random) -> Solid {
    Solid::cuboid([0; 3].map(|_| random.between(0.1, 0.5)))
}

/// Boxes parallel but for rounding, flush along one axis: shelves, stacks, rows of parts.
#[test]
fn flush_boxes_nearly_parallel() {
    survey("flush boxes", 77, 20_000, [0.5, 0.1], |r, _| {
        let (a, b) = (any_box(r), any_box(r));
        let axis = r.below(3);
        let mut t = [0; 3].map(|_| r.between(-1.0, 1.0));
        t[axis] =
            a.points[7][axis] + b.points[7][axis] + [0.0, r.scale(1e-16, 1e-3), -r.scale(1e-16, 1e-3)][r.below(3)];
        let turn = tiny_turn(r);
        (a, Placement::new([0.0; 3], STILL), b, Placement::new(t, turn))
    });
}

/// The same, both turned, anywhere.
#[test]
fn turned_boxes_nearly_parallel() {
    survey("turned boxes", 77, 20_000, [0.2, 0.2], |r, _| {
        let (a, b) = (any_box(r), any_box(r));
        let (q, t) = (r.turn(), times(r.direction(), r.between(0.0, 1.2)));
        let turn = product(q, tiny_turn(r));
        (a, Placement::new([0.0; 3], q), b, Placement::new(t, turn))
    });
}

/// Boxes and hulls up to a million times as long as thin.
#[test]
fn slivers_of_one_to_a_million() {
    survey("slivers", 77, 10_000, [0.3, 0.2], |r, _| {
        let sliver = |r: &mut Random| {
            let mut axes = [0.5, r.scale(5e-7, 0.5), r.scale(5e-7, 0.5)];
            axes.rotate_left(r.below(3));
            let count = 4 + r.below(13);
            let points = if r.chance(0.5) { cuboid(axes) } else { families::ellipsoid(r, count, axes) };
            Solid::new("sliver", points, 0.0)
        };
        let (a, b) = (sliver(r), sliver(r));
        let regime = [Regime::Separated, Regime::Touching, Regime::Overlapping][r.below(3)];
        let (pa, pb) = place(r, &a.body, &b.body, regime);
        (a, pa, b, pb)
    });
}

/// A body and its copy, in one place or nearly, turned by symmetries, by rounding, or anyhow.
#[test]
fn identical_bodies() {
    survey("identical", 77, 3_000, [0.0, 0.5], |r, k| {
        let makers = [families::compact, families::tied, families::disks, families::flat, families::round];
        let mut made = makers[k % makers.len()](r, k / makers.len());
        if made.points.len() < 3 {
            made = families::compact(r, k); // the oracle cannot judge two segments that are parallel but for 1e-16
        }
        let b = Solid::new("same", made.points.clone(), made.growth);
        let q = if r.chance(0.5) { r.turn() } else { r.quarter_turn() };
        let other = match r.below(4) {
            0 => q,
            1 => product(q, tiny_turn(r)),
            2 => product(q, r.quarter_turn()),
            _ => r.turn(),
        };
        let t = [0.0, r.scale(1e-17, 1e-9), r.scale(1e-9, 0.3)][r.below(3)];
        (Solid::from_recipe(made), Placement::new([0.0; 3], q), b, Placement::new(times(r.direction(), t), other))
    });
}

/// A point or a needle in a wedge where it is a few rounding bounds thick: two faces are as near as
/// can be told.
#[test]
fn points_in_the_edge_of_a_wedge() {
    survey("wedge", 1, 2_000, [0.0, 0.2], |r, k| {
        let slope = r.scale(1e-10, 1e-4);
        let back = [[1.0, 0.5, slope], [1.0, -0.5, slope], [1.0, 0.5, -slope], [1.0, -0.5, -slope]];
        let a = Solid::new("wedge", [&[[0.0, 0.5, 0.0], [0.0, -0.5, 0.0]], &back[..]].concat(), 0.0);
        let points = [[0.0; 3], [0.3, 0.01, 1e-3], [0.3, -0.01, 1e-3]];
        let b = Solid::new("needle", points[..if k % 2 == 0 { 1 } else { 3 }].to_vec(), 0.0);
        let half = r.scale(2e-14, 1e-12).min(0.9 * slope);
        let t = [half / slope, 0.0, r.between(-1.5, 1.5) * half];
        (a, Placement::new([0.0; 3], STILL), b, Placement::new(t, STILL))
    });
}

/// Bodies that are their own mirror images, nearly concentric: facets on opposite sides are nearly
/// as near.
#[test]
fn symmetric_bodies_nearly_concentric() {
    survey("symmetric", 20, 400, [0.0, 0.9], |r, _| {
        let solid = |r: &mut Random| {
            let half: Vec<_> = (0..10).map(|_| r.direction()).collect();
            Solid::new("symmetric", half.iter().flat_map(|&d| [d, d.map(|c| -c)]).collect(), 0.0)
        };
        let (a, b) = (solid(r), solid(r));
        let t = times(r.direction(), r.scale(1e-14, 1e-11));
        let (qa, qb) = (r.turn(), r.turn());
        (a, Placement::new([0.0; 3], qa), b, Placement::new(t, qb))
    });
}

/// Lengths times a power of two: every number of the row is multiplied by it, warm and cold.
#[test]
fn scales_change_nothing() {
    for exponent in [-225, -180, -100, -30, 30, 100, 175, 200, 245] {
        let scale = 2.0_f64.powi(exponent);
        let scaled = |p: &Placement| Placement {
            position: p.position.map(|c| c * scale),
            rest: p.rest.map(|c| c * scale),
            q: p.q,
        };
        let mut random = Random(9);
        for number in 0..300 {
            let [a, b] = [0; 2].map(|_| {
                let recipe = families::compact(&mut random, number);
                Solid::new(
                    "small",
                    recipe.points.iter().map(|p| p.map(|c| (c * 65536.0).round() / 65536.0)).collect(),
                    0.0,
                )
            });
            let regime = [Regime::Separated, Regime::Touching, Regime::Overlapping][number % 3];
            let (pa, pb) = place(&mut random, &a.body, &b.body, regime);
            let [big_a, big_b] = [&a, &b]
                .map(|s| bridge::shape(&s.points.iter().map(|p| p.map(|c| c * scale)).collect::<Vec<_>>(), 0.0));
            let one = query_one(&a.shape, &b.shape, &pose(&pa), &pose(&pb), &EVERYTHING);
            let (qa, qb) = (scaled(&pa), scaled(&pb));
            let two = query_one(&big_a, &big_b, &pose(&qa), &pose(&qb), &EVERYTHING);
            let same = [(one.lower, two.lower), (one.distance, two.distance), (one.upper, two.upper)];
            assert!(same.iter().all(|(x, y)| x * scale == *y), "2^{exponent}, case {number}: {one:?}\n{two:?}");
            let from = scaled(&moved(&pb, times(random.direction(), 0.1)));
            let mut cache = PairCache::default();
            walk_once(&big_a, &qa, &big_b, &from, &mut cache);
            let warm = walk_once(&big_a, &qa, &big_b, &qb, &mut cache);
            assert_eq!(bits(&warm), bits(&two), "2^{exponent}, case {number}");
        }
    }
}

#[test]
fn witnesses_of_plates_thinner_than_rounding() {
    let a = Solid::cuboid([0.4060626983076214, 0.3814154142857968, 2.4023635178893293e-13]);
    let b = Solid::cuboid([0.8223900102430568, 0.23876800550178878, 8.127381664467335e-14]);
    let here = Placement::new([0.0; 3], STILL);
    let there = Placement::new(
        [-0.9879007199115879, -0.13863385455631327, 8.156309366167916e-14],
        [1.0, -4.4570598589894836e-14, -1.5252344926368012e-13, -1.127942134633485e-13],
    );
    if let Err(report) = check(&a, &here, &b, &there) {
        panic!("{report}");
    }
}
