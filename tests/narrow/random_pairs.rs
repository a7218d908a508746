//! 100,000 seeded pairs of convex bodies against the oracle.
//!
//! Each test is a family of bodies; each pair is put apart, in touch (a gap within +-1e-9) or into
//! overlap on purpose, and the shares that really came about are asserted. A failure prints seed,
//! pair and all inputs in full.

#![allow(clippy::print_stderr)] // the statistics are for whoever runs the tests

use clearsweep_narrow::{Method, Status};
use clearsweep_testing::bridge::{Checked, Solid, check};
use clearsweep_testing::oracle::families::{self, Random, Recipe, Regime, place};

/// Gaps up to this many metres count as touching.
const TOUCH: f64 = 2e-9;

/// Results of a family of pairs.
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
fn run(family: &str, seed: u64, pairs: usize, bodies: usize, make: fn(&mut Random, usize) -> Recipe) {
    let mut random = Random(seed);
    let pool: Vec<Solid> = (0..bodies).map(|i| Solid::from_recipe(make(&mut random, i))).collect();
    let mut tally = Tally::default();
    for number in 0..pairs {
        let (a, b) = (&pool[random.below(bodies)], &pool[random.below(bodies)]);
        let regime = [Regime::Separated, Regime::Touching, Regime::Overlapping][number % 3];
        let (pa, pb) = place(&mut random, &a.body, &b.body, regime);
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

#[test]
fn boxes_and_small_hulls_1() {
    run("boxes and small hulls 1", 101, 12_500, 200, families::compact);
}

#[test]
fn boxes_and_small_hulls_2() {
    run("boxes and small hulls 2", 102, 12_500, 200, families::compact);
}

#[test]
fn slivers() {
    run("slivers", 201, 14_000, 200, families::sliver);
}

#[test]
fn ties() {
    run("ties", 301, 14_000, 200, families::tied);
}

#[test]
fn disks_thick_and_thin() {
    run("disks", 401, 10_000, 100, families::disks);
}

#[test]
fn flat_bodies() {
    run("flat bodies", 501, 12_500, 200, families::flat);
}

#[test]
fn rounded_bodies() {
    run("rounded bodies", 601, 12_500, 200, families::round);
}

#[test]
fn mixed_bodies() {
    run("mixed bodies", 701, 8_000, 160, families::mixed);
}

#[test]
fn medium_hulls() {
    run("medium hulls", 801, 3_500, 60, families::medium);
}

#[test]
fn large_hulls() {
    run("large hulls", 901, 500, 24, families::large);
}
