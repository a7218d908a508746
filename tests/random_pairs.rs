//! 100,000 seeded pairs of convex bodies against the oracle.
//!
//! Each test is a family of bodies; each pair is put apart, in touch (a gap within +-1e-9) or into overlap on purpose,
//! and the shares that really came about are asserted. A failure prints seed, pair and all inputs in full.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

#[path = "oracle/bridge.rs"]
mod bridge;
#[path = "oracle/mod.rs"]
mod oracle;

use std::f64::consts::TAU;
use std::ops::Range;

use bridge::{Checked, Random, Solid, check, cuboid};
use clearsweep::narrow::{Method, Status};
use oracle::Placement;
use oracle::number::{Vector, Wide, add, cross, times};

/// Gaps up to this many metres count as touching.
const TOUCH: f64 = 2e-9;

#[derive(Clone, Copy, PartialEq)]
enum Regime {
    Separated,
    Touching,
    Overlapping,
}

/// What a family of pairs came to.
#[derive(Default)]
struct Tally {
    pairs: usize,
    regimes: [usize; 3],
    methods: [usize; 6],
    statuses: [usize; 4],
    worst_error: f64,
    widest_bracket: f64,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, checked: &Checked) {
        self.pairs += 1;
        let regime = if checked.truth.abs() <= TOUCH {
            Regime::Touching
        } else if checked.truth > 0.0 {
            Regime::Separated
        } else {
            Regime::Overlapping
        };
        self.regimes[regime as usize] += 1;
        self.methods[checked.row.method as usize] += 1;
        self.statuses[checked.row.status as usize] += 1;
        self.worst_error = self.worst_error.max(checked.error);
        self.widest_bracket = self.widest_bracket.max(checked.bracket);
    }

    fn report(&self, family: &str) {
        let shares = |counts: &[usize], names: &[&str]| {
            let share = |(c, n): (&usize, &&str)| format!("{n} {:.1} %", 100.0 * *c as f64 / self.pairs.max(1) as f64);
            counts.iter().zip(names).filter(|(c, _)| **c > 0).map(share).collect::<Vec<_>>().join(", ")
        };
        eprintln!(
            "{family}: {} pairs, {} failed; worst error {:.2e} S, widest bracket {:.2e} S\n  {}\n  status: {}\n  method: {}",
            self.pairs + self.failures.len(),
            self.failures.len(),
            self.worst_error,
            self.widest_bracket,
            shares(&self.regimes, &["separated", "touching", "overlapping"]),
            shares(&self.statuses, &Status::NAMES),
            shares(&self.methods, &Method::NAMES),
        );
        for failure in self.failures.iter().take(5) {
            eprintln!("{failure}\n");
        }
    }
}

/// Checks `pairs` random pairs of a pool of bodies.
fn run(family: &str, seed: u64, pairs: usize, bodies: usize, make: fn(&mut Random, usize) -> Solid) {
    let mut random = Random(seed);
    let pool: Vec<Solid> = (0..bodies).map(|i| make(&mut random, i)).collect();
    let mut tally = Tally::default();
    for number in 0..pairs {
        let (a, b) = (&pool[random.below(bodies)], &pool[random.below(bodies)]);
        let regime = [Regime::Separated, Regime::Touching, Regime::Overlapping][number % 3];
        let (pa, pb) = place(&mut random, a, b, regime);
        match check(a, &pa, b, &pb) {
            Ok(checked) => tally.add(&checked),
            Err(report) => tally.failures.push(format!("{family}, seed {seed}, pair {number}: {report}")),
        }
    }
    tally.report(family);
    assert!(
        tally.failures.is_empty(),
        "{} of {pairs} pairs failed, the first: {}",
        tally.failures.len(),
        tally.failures[0]
    );
    for count in tally.regimes {
        let share = count as f64 / pairs as f64;
        assert!((0.20..=0.60).contains(&share), "not representative: regimes {:?}", tally.regimes);
    }
}

/// Poses of a pair in a regime.
fn place(random: &mut Random, a: &Solid, b: &Solid, regime: Regime) -> (Placement, Placement) {
    let aligned = random.chance(0.2); // parallel faces and edges: ties
    let turn = |random: &mut Random| if aligned { random.quarter_turn() } else { random.turn() };
    let reach = (a.body.reach + b.body.reach).max(1e-3);
    let distance =
        reach * if regime == Regime::Overlapping { random.between(0.0, 0.3) } else { random.between(0.2, 2.0) };
    let mut t = times(random.direction(), distance);
    if aligned {
        t = t.map(|x| (x * 64.0).round() / 64.0);
    }
    let start = [0; 3].map(|_| random.between(-1.0, 1.0));
    let (mut qa, mut qb) = (turn(random), turn(random));
    if random.chance(0.1) {
        qa = qa.map(|c| c * 1.0005); // off norm: the rotation is that of the quaternion normalised
        qb = qb.map(|c| c * 0.9995);
    }
    let mut pa = Placement::new(start, qa);
    let mut pb = Placement::new(add(start, t), qb);
    if let Some(gap) = gap(random, regime, reach) {
        // Twice: the second step mends the rounding of the first, and a normal that changed on the way.
        for _ in 0..2 {
            let truth = oracle::signed_distance(&a.body, &pa, &b.body, &pb);
            let step = (Wide(gap, 0.0) - truth.distance).0;
            pb = rounded(bridge::moved(&pb, times(truth.normal, step)));
        }
    }
    if random.chance(0.1) {
        let far = [1e3, 1e6, 6.4e6][random.below(3)];
        let far = times(random.direction(), far);
        (pa, pb) = (bridge::moved(&pa, far), bridge::moved(&pb, far));
    }
    (pa, pb)
}

/// The signed distance to be reached, if it is not left to chance.
fn gap(random: &mut Random, regime: Regime, reach: f64) -> Option<f64> {
    match regime {
        Regime::Separated => Some(random.scale(1e-6, 1.0) * reach),
        Regime::Touching if random.chance(0.1) => Some(0.0),
        Regime::Touching => Some(random.scale(1e-12, 1e-9) * if random.chance(0.5) { 1.0 } else { -1.0 }),
        Regime::Overlapping if random.chance(0.3) => Some(-random.scale(1e-6, 1e-2) * reach),
        Regime::Overlapping => None,
    }
}

/// The placement without the rest of its position, as a file would give it.
fn rounded(p: Placement) -> Placement {
    Placement { rest: [0.0; 3], ..p }
}

fn ellipsoid(random: &mut Random, points: usize, axes: [f64; 3]) -> Vec<Vector<f64>> {
    (0..points).map(|_| random.direction()).map(|d| [d[0] * axes[0], d[1] * axes[1], d[2] * axes[2]]).collect()
}

/// Points of a small lattice: coplanar and collinear ones, inner ones, duplicates; exact ties.
fn lattice(random: &mut Random, points: usize) -> Vec<Vector<f64>> {
    (0..points).map(|_| [0; 3].map(|_| random.below(5) as f64 * 0.125 - 0.25)).collect()
}

/// A prism over a regular polygon; the lids are exactly flat.
fn disk(random: &mut Random, corners: Range<usize>, half_height: f64) -> Vec<Vector<f64>> {
    let corners = corners.start + random.below(corners.len());
    let radius = random.between(0.1, 0.6);
    let mut points = Vec::new();
    for k in 0..corners {
        let angle = TAU * k as f64 / corners as f64;
        let (x, y) = (radius * libm::cos(angle), radius * libm::sin(angle));
        points.extend([[x, y, half_height], [x, y, -half_height]]);
    }
    points
}

/// A polygon in a plane spanned by short dyadic vectors, so that its vertices are exactly coplanar.
fn polygon(random: &mut Random) -> Vec<Vector<f64>> {
    let small = |random: &mut Random| [0; 3].map(|_| random.below(9) as f64 * 0.25 - 1.0);
    loop {
        let (u, v) = (small(random), small(random));
        if cross(u, v) == [0.0; 3] {
            continue;
        }
        let count = 3 + random.below(8);
        let share = |random: &mut Random| (random.between(-1.0, 1.0) * 65536.0).round() / 65536.0;
        return (0..count).map(|_| add(times(u, share(random)), times(v, share(random)))).collect();
    }
}

/// Boxes and hulls of 4 to 16 points.
fn compact(random: &mut Random, i: usize) -> Solid {
    if i.is_multiple_of(2) {
        return Solid::cuboid([0; 3].map(|_| random.between(0.05, 0.5)));
    }
    let (count, axes) = (4 + random.below(13), [0; 3].map(|_| random.between(0.1, 0.6)));
    Solid::new("hull", ellipsoid(random, count, axes), 0.0)
}

/// Hulls of 17 to 48 points.
fn medium(random: &mut Random, _: usize) -> Solid {
    let (count, axes) = (17 + random.below(32), [0; 3].map(|_| random.between(0.1, 0.6)));
    Solid::new("hull", ellipsoid(random, count, axes), 0.0)
}

/// Hulls of 49 to 128 points.
fn large(random: &mut Random, _: usize) -> Solid {
    let (count, axes) = (49 + random.below(80), [0; 3].map(|_| random.between(0.1, 0.6)));
    Solid::new("hull", ellipsoid(random, count, axes), 0.0)
}

/// Boxes and hulls up to a thousand times as long as thin.
fn sliver(random: &mut Random, i: usize) -> Solid {
    let mut axes = [0.5, random.scale(5e-4, 0.5), random.scale(5e-4, 0.5)];
    axes.rotate_left(random.below(3));
    if i.is_multiple_of(2) {
        return Solid::new("long box", cuboid(axes), 0.0);
    }
    let count = 4 + random.below(13);
    Solid::new("sliver", ellipsoid(random, count, axes), 0.0)
}

/// Points of a small lattice and boxes on it.
fn tied(random: &mut Random, i: usize) -> Solid {
    if i.is_multiple_of(3) {
        return Solid::cuboid([0; 3].map(|_| (1 + random.below(4)) as f64 * 0.125));
    }
    let count = 5 + random.below(16);
    Solid::new("lattice hull", lattice(random, count), 0.0)
}

/// Disks, thick and thin.
fn disks(random: &mut Random, _: usize) -> Solid {
    let half_height = random.scale(1e-3, 0.5);
    Solid::new("disk", disk(random, 5..17, half_height), 0.0)
}

/// Polygons, segments and points, among solids that they can penetrate.
fn flat(random: &mut Random, i: usize) -> Solid {
    match i % 8 {
        0..=2 => Solid::new("polygon", polygon(random), 0.0),
        3 => Solid::new("segment", ellipsoid(random, 2, [0.5; 3]), 0.0),
        4 => Solid::new("point", ellipsoid(random, 1, [0.1; 3]), 0.0),
        _ => compact(random, i),
    }
}

/// Spheres, capsules, and anything grown.
fn round(random: &mut Random, i: usize) -> Solid {
    let growth = random.scale(1e-3, 0.3);
    match i % 6 {
        0 => Solid::sphere(growth),
        1 => Solid::capsule(growth, random.between(0.01, 0.6)),
        2 => Solid::new("grown polygon", polygon(random), growth),
        3 => Solid::new("grown box", cuboid([0; 3].map(|_| random.between(0.05, 0.5))), growth),
        4 => Solid::new("grown hull", ellipsoid(random, 12, [0.4, 0.3, 0.2]), growth),
        _ => compact(random, 2 * random.below(2) + 1),
    }
}

/// One body of each family.
fn mixed(random: &mut Random, i: usize) -> Solid {
    let families = [compact, sliver, tied, disks, flat, round, compact, medium];
    families[i % families.len()](random, i / families.len())
}

#[test]
fn boxes_and_small_hulls_1() {
    run("boxes and small hulls 1", 101, 12_500, 200, compact);
}

#[test]
fn boxes_and_small_hulls_2() {
    run("boxes and small hulls 2", 102, 12_500, 200, compact);
}

#[test]
fn slivers() {
    run("slivers", 201, 14_000, 200, sliver);
}

#[test]
fn ties() {
    run("ties", 301, 14_000, 200, tied);
}

#[test]
fn disks_thick_and_thin() {
    run("disks", 401, 10_000, 100, disks);
}

#[test]
fn flat_bodies() {
    run("flat bodies", 501, 12_500, 200, flat);
}

#[test]
fn rounded_bodies() {
    run("rounded bodies", 601, 12_500, 200, round);
}

#[test]
fn mixed_bodies() {
    run("mixed bodies", 701, 8_000, 160, mixed);
}

#[test]
fn medium_hulls() {
    run("medium hulls", 801, 3_500, 60, medium);
}

#[test]
fn large_hulls() {
    run("large hulls", 901, 500, 24, large);
}
