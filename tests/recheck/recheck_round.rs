//! The oracle of round bodies against closed formulas, and rows of every pair of shapes against the
//! oracle.

use clearsweep_narrow::Proximity;
use clearsweep_testing::oracle::families::Random;
use clearsweep_testing::oracle::round::search::{Until, signed_distance};
use clearsweep_testing::oracle::round::sets::{Affine, Convex, Set};
use clearsweep_testing::oracle::round::sweep::{Section, Sweep};
use clearsweep_testing::oracle::round::union::{Piece, Union, bracket};
use clearsweep_testing::recheck::kinds;
use clearsweep_testing::recheck::kinds::gap::Soups;
use clearsweep_testing::recheck::kinds::judge::{Claim, Fault, Place};
use clearsweep_testing::recheck::kinds::make::{Kind, Subject, make};
use clearsweep_testing::recheck::kinds::motion::{self, Memory};
use clearsweep_testing::recheck::kinds::round::Truth;
use clearsweep_testing::recheck::kinds::round::make::{CONVEX, TORI, single};
use clearsweep_testing::recheck::place::Place as Relative;
use std::collections::BTreeMap;

fn convex(sets: Vec<Set>) -> Union {
    Union::new(vec![Piece::Convex(Convex::new(sets, 0.0))])
}

fn circle(x: f64, z: f64, radius: f64) -> Set {
    Set::Ellipse { middle: [x, 0.0, z], half: [[radius, 0.0, 0.0], [0.0, radius, 0.0]] }
}

fn cylinder(x: f64, z: f64) -> Union {
    convex(vec![circle(x, z - 1.0, 0.5), circle(x, z + 1.0, 0.5)])
}

fn ball(x: f64, z: f64, r: f64) -> Union {
    convex(vec![Set::Ellipsoid { middle: [x, 0.0, z], half: [[r, 0.0, 0.0], [0.0, r, 0.0], [0.0, 0.0, r]] }])
}

fn torus(angle: f64) -> Union {
    let section = Section::Disc { arc: 1.0, radius: 0.25 };
    Union::new(vec![Piece::Sweep(Sweep { section, angle, map: Affine::IDENTITY })])
}

#[test]
fn the_oracle_knows_distances_in_closed_form() {
    let full = std::f64::consts::TAU;
    let dome = |radius, height| convex(vec![Set::Dome { radius, height, map: Affine::IDENTITY }]);
    let bodies = [
        ("balls apart", ball(0.0, 0.0, 1.0), ball(3.0, 4.0, 0.5), 3.5, 1e-12),
        ("side by side", cylinder(0.0, 0.0), cylinder(1.25, 0.5), 0.25, 1e-12),
        ("touching", cylinder(0.0, 0.0), cylinder(1.0, 0.5), 0.0, 1e-12),
        ("end on end", cylinder(0.0, 0.0), cylinder(0.0, 2.5), 0.5, 1e-12),
        ("over a rim", cylinder(0.0, 0.0), ball(0.8, 1.4, 0.1), 0.4, 1e-12),
        ("overlapping aside", cylinder(0.0, 0.0), cylinder(0.75, 0.0), -0.25, 1e-12),
        ("overlapping along", cylinder(0.0, 0.0), cylinder(0.0, 1.75), -0.25, 1e-12),
        ("one axis, as deep all round", cylinder(0.0, 0.0), cylinder(0.0, 0.0), -1.0, 3e-3),
        ("above a shallow dish", dome(1.0, 1e-3), ball(0.0, 1.0, 0.5), 0.499, 1e-12),
        ("beside a shallow dish", dome(1.0, 1e-3), ball(2.0, 0.0, 0.5), 0.5, 1e-12),
        ("in the hole of a torus, as near all round", torus(full), ball(0.0, 0.0, 0.5), 0.25, 5e-3),
        ("off the middle of the hole", torus(full), ball(0.125, 0.0, 0.5), 0.125, 1e-9),
        ("beside a torus", torus(full), ball(2.0, 0.0, 0.5), 0.25, 1e-9),
        ("beside a flat end", torus(0.25 * full), ball(1.0, 0.0, 1e-9), -1e-9, 0.26),
    ];
    for (name, a, b, distance, room) in &bodies {
        let (found, is_convex) = (bracket(a, b, 4.0), a.is_convex() && b.is_convex());
        let is_held = found.lower <= distance + 1e-14 && distance - 1e-14 <= found.upper;
        // For convex bodies that overlap, the local search finds the value, and proves it roughly.
        let is_deep = is_convex && *distance < 0.0;
        let is_sharp = if is_deep { found.lower >= distance - 1e-12 } else { found.upper - found.lower <= *room };
        assert!(is_held && is_sharp, "{name}: {found:?} in place of {distance}");
        if is_convex {
            let until = Until { width: 1e-13, above: f64::INFINITY, cells: 6_000 };
            let found = signed_distance(a.hull(), b.hull(), until, None).bracket;
            let is_held = found.lower <= distance + 1e-14 && distance - 1e-14 <= found.upper;
            assert!(is_held && found.upper - found.lower <= *room, "{name}: {found:?} in place of {distance}");
        }
    }
}

/// A shape by its name: round, or one that stands beside round ones.
fn subject(name: &str, random: &mut Random) -> Subject {
    let size = if random.chance(0.1) { random.scale(1e-6, 1.0) } else { 1.0 };
    match name {
        "box" => make(Kind::Hull, random, size),
        "sphere" => make(Kind::Sphere, random, size),
        "capsule" => make(Kind::Capsule, random, size),
        name => single(name, random, size),
    }
}

/// Counts of rows.
#[derive(Default)]
struct Verdicts {
    rows: usize,
    /// Rows that are false.
    false_rows: usize,
    /// Rows that are true, and wider than promised.
    wide: usize,
}

/// Widest brackets of a pair of shapes, apart and overlapping, in sizes of the pair.
#[derive(Default)]
struct Widths {
    engine: [f64; 2],
    oracle: [f64; 2],
    rows: usize,
}

/// Rows of every pair of shapes, by pair: `rounds` poses of each, fewer with tori.
fn verdicts(seed: u64, rounds: usize) -> Verdicts {
    let names: Vec<&str> = CONVEX.into_iter().chain(TORI).chain(["box", "sphere", "capsule"]).collect();
    let mut random = Random(seed);
    let mut widths: BTreeMap<(&str, &str), Widths> = BTreeMap::new();
    let mut verdicts = Verdicts::default();
    for (i, &a) in names.iter().enumerate() {
        for &b in &names[..=i] {
            let has_torus = TORI.contains(&a) || TORI.contains(&b);
            for round in 0..if has_torus { rounds.div_ceil(4) } else { rounds } {
                let two = [subject(b, &mut random), subject(a, &mut random)];
                let pair = [&two[0], &two[1]];
                let aim = Place::ALL[(round + i) % 5];
                let samples = motion::samples(&mut random, pair, Memory::Single, aim, 1.0);
                let places = &samples[0];
                let Some(truth) = Truth::of(pair, places) else { continue };
                let row = kinds::cold(pair, places);
                let at = |p: clearsweep_geometry::Vec3<f64>| p + pair[0].shape.center;
                let row = Proximity { point_a: at(row.point_a), point_b: at(row.point_b), ..row };
                let soups = Soups::new(&pair[0].body, &pair[1].body, Relative::new(&places[0], &places[1]));
                let claim = Claim { soups: &soups, row: &row, slack: 0.0, has_protrusion: false };
                let found = truth.bracket([0.0; 3]);
                let faults = truth.faults(&claim, &found, &mut random);
                if !faults.is_empty() {
                    let [a, b] = pair.map(|subject| &subject.recipe);
                    eprintln!(
                        "{faults:?} {aim:?} size {:?}: {found:?}\n  {row:?}\n  A {a}\n  B {b}\n  at {places:?}",
                        truth.size
                    );
                    let is_true = faults.iter().all(|&fault| fault == Fault::Wide);
                    *(if is_true { &mut verdicts.wide } else { &mut verdicts.false_rows }) += 1;
                }
                verdicts.rows += 1;
                let entry = widths.entry((b, a)).or_default();
                entry.rows += 1;
                let kept = [(0, row.lower > 0.0), (1, row.upper < 0.0)];
                for (k, _) in kept.into_iter().filter(|(_, is_so)| *is_so) {
                    entry.engine[k] = entry.engine[k].max((row.upper - row.lower) / truth.size);
                    entry.oracle[k] = entry.oracle[k].max((found.upper - found.lower) / truth.size);
                }
            }
        }
    }
    eprintln!(
        "| shapes | rows | apart | overlapping | oracle apart | oracle overlapping |\n| --- | --- | --- | --- | --- | --- |"
    );
    for ((a, b), Widths { engine, oracle, rows: count }) in &widths {
        let [x, y, z, w] = [engine[0], engine[1], oracle[0], oracle[1]];
        eprintln!("| {a} - {b} | {count} | {x:.1e} | {y:.1e} | {z:.1e} | {w:.1e} |");
    }
    verdicts
}

#[test]
fn rows_of_every_pair_of_round_shapes_hold_the_truth() {
    // More by hand: rows of each pair of shapes, and the seed.
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u32>().ok());
    let rounds = number("CLEARSWEEP_ROUND_ROWS").unwrap_or(4) as usize;
    let Verdicts { rows, false_rows, wide } = verdicts(u64::from(number("CLEARSWEEP_ROUND_SEED").unwrap_or(1)), rounds);
    assert!(rows >= 250 && false_rows == 0, "{false_rows} of {rows} rows are false");
    // Bodies that nearly touch may have a wider one.
    assert!(50 * wide <= rows, "{wide} of {rows} rows are wide");
}

/// Ends that are off by little are refuted.
#[test]
fn the_oracle_refutes_false_ends() {
    let mut random = Random(3);
    let mut refuted = [0; 2];
    for name in CONVEX.into_iter().chain(TORI) {
        let two = [single(name, &mut random, 1.0), make(Kind::Hull, &mut random, 1.0)];
        let pair = [&two[0], &two[1]];
        for _ in 0..4 {
            let places = motion::samples(&mut random, pair, Memory::Single, Place::Apart, 1.0)[0];
            let truth = Truth::of(pair, &places).expect("one is round");
            let (found, row) = (truth.bracket([0.0; 3]), kinds::cold(pair, &places));
            if found.lower <= 1e-3 {
                continue;
            }
            let soups = Soups::new(&pair[0].body, &pair[1].body, Relative::new(&places[0], &places[1]));
            let step = 1e-10 * truth.size;
            let ends = [
                (found.upper + step, found.upper + 2.0 * step, Fault::Lower),
                (found.lower - 2.0 * step, found.lower - step, Fault::Upper),
            ];
            for (k, (lower, upper, fault)) in ends.into_iter().enumerate() {
                let row = Proximity { lower, upper, distance: lower, ..row };
                let claim = Claim { soups: &soups, row: &row, slack: 0.0, has_protrusion: false };
                assert!(truth.faults(&claim, &found, &mut random).contains(&fault), "{name}: {row:?} {found:?}");
                refuted[k] += 1;
            }
        }
    }
    assert!(refuted.iter().all(|&n| n >= 20), "not representative: {refuted:?}");
}
