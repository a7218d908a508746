//! Bodies of exact triangles against all pairs of triangles in exact arithmetic.
//!
//! The oracle (`mesh_exact/`) takes the numbers of the input: the vertices of the file, and the
//! poses. It shares no code with the engine. `CLEARSWEEP_MESH_EXACT=N` asks N pairs of each family
//! (in every test run: 360).

#![allow(clippy::print_stdout, reason = "the figures of the record are for whoever runs the tests")]

mod cases;
mod hard;
mod integers;
mod oracle;

use crate::brute_force;
use cases::{Meshed, apart_by, asked, bodies, crossing, pair, poses, row, size_of, small_bodies};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{Proximity, Status};
use clearsweep_testing::random::Random;
use oracle::{Answer, Distance, Placed};
use std::cmp::Ordering;

/// How far a distance of meshes apart may be off, in sizes of the pair: `1e-13 + 256 * 2^-53`
/// (docs/reference/numerics.md, "Triangle meshes").
const PROMISED: f64 = 1e-13 + 256.0 * (f64::EPSILON / 2.0);

/// How wide its bracket may be: from `d - 1e-13 S - E` to `d + E`, and what its ends round by.
const WIDTH: f64 = 1e-13 + 512.0 * (f64::EPSILON / 2.0) + 4.0 * f64::EPSILON;

/// Gaps that are asked for, in radii of both bodies together.
const GAPS: [f64; 6] = [1e-9, 1e-6, 1e-3, 0.1, 1.0, 10.0];

/// Results of a family of pairs.
#[derive(Debug, Default)]
struct Shown {
    /// Apart by up to 3e-9, 3e-6, 3e-3, 0.3, 3 radii of both together, and by more.
    apart: [usize; 6],
    meeting: usize,
    holding: usize,
    /// Brackets that do not hold the truth.
    missed: usize,
    /// Rows of the wrong sign.
    wrong: usize,
    /// The largest error of a distance, in sizes of the pair.
    worst: f64,
    /// The widest bracket of surfaces apart, likewise.
    widest: f64,
}

impl Shown {
    /// A row against the truth.
    fn take(&mut self, found: &Proximity, truth: &Distance, size: f64, radii: f64) {
        let class = GAPS.iter().position(|gap| truth.metres() < 3.0 * gap * radii).unwrap_or(5);
        self.apart[class] += 1;
        let holds = truth.compare(found.lower) != Ordering::Less && truth.compare(found.upper) != Ordering::Greater;
        self.missed += usize::from(!holds);
        self.wrong += usize::from(found.status == Status::Penetrating || found.distance < 0.0);
        self.worst = self.worst.max(truth.excess(found.distance.max(0.0)).abs() / size);
        self.widest = self.widest.max((found.upper - found.lower) / size);
    }
}

/// Pairs of all bodies at all gaps; `far`: how far both lie from the origin of the world, metres.
fn family(seed: u64, far: f64, within_file: bool) -> Shown {
    let all = bodies(if within_file { far } else { 0.0 });
    let mut random = Random(seed);
    let mut shown = Shown::default();
    for number in 0..asked() {
        let (a, b) = pair(&mut random, &all, number);
        let (pa, mut pb) = poses(&mut random, if within_file { 0.0 } else { far }, a, b, number);
        apart_by(a, b, &pa, &mut pb, GAPS[number % GAPS.len()]);
        let found = row(a, b, &pa, &pb);
        let size = size_of(a, b, &pa, &pb);
        match Placed::new([&a.solid, &b.solid], [&pa, &pb], Vec3::ZERO).answer([a.closed, b.closed]) {
            Answer::Apart(truth) => shown.take(&found, &truth, size, a.shape.radius + b.shape.radius),
            Answer::Holds(_) => {
                shown.holding += 1;
                shown.wrong += usize::from(found.status != Status::Penetrating);
            }
            Answer::Meets => {
                shown.meeting += 1;
                shown.missed += usize::from(found.lower > 0.0);
            }
        }
    }
    println!("{far} m, {}: {shown:?}", if within_file { "geometry" } else { "poses" });
    assert_eq!((shown.missed, shown.wrong), (0, 0), "{shown:?}");
    assert!(shown.worst <= PROMISED && shown.widest <= WIDTH, "{shown:?}");
    let share = asked() / 12;
    assert!(shown.apart.iter().all(|&n| n >= share), "not representative: {shown:?}");
    shown
}

#[test]
fn distances_apart_are_those_of_all_pairs_in_exact_arithmetic() {
    family(1, 0.0, false);
}

#[test]
fn distances_at_positions_far_from_the_origin_are_exact_too() {
    family(2, 5_000.0, false);
    family(3, 5_000_000.0, false);
}

#[test]
fn distances_of_geometry_far_from_its_own_origin_are_exact_too() {
    family(4, 5_000.0, true);
    family(5, 5_000_000.0, true);
}

/// B moved by a vector (metres, world).
fn is_apart(a: &Meshed, b: &Meshed, poses: [&Pose; 2], shift: Vec3<f64>) -> bool {
    matches!(Placed::new([&a.solid, &b.solid], poses, shift).answer([a.closed, b.closed]), Answer::Apart(_))
}

#[test]
fn depths_are_bracketed_by_translations_in_exact_arithmetic() {
    let (all, small) = (bodies(0.0), small_bodies());
    let mut random = Random(6);
    let (mut overlapping, mut held, mut tried, mut sharp) = (0, 0, 0, 0);
    for number in 0..asked().div_ceil(2) {
        let (a, b) = pair(&mut random, &all, number);
        let far = [0.0, 5_000.0, 5_000_000.0][number % 3];
        // One in five is small, and in the middle of the other.
        let b = if number % 5 == 4 { &small[number / 5 % small.len()] } else { b };
        let (pa, pb) = crossing(&mut random, a, b, far, number);
        let found = row(a, b, &pa, &pb);
        let truth = Placed::new([&a.solid, &b.solid], [&pa, &pb], Vec3::ZERO).answer([a.closed, b.closed]);
        if let Answer::Apart(distance) = truth {
            assert!(
                distance.compare(found.lower).is_ge() && distance.compare(found.upper).is_le(),
                "{number}: {found:?}"
            );
            continue;
        }
        held += usize::from(matches!(truth, Answer::Holds(_)));
        overlapping += 1;
        assert!(found.lower <= 0.0 && found.distance <= 0.0, "{number}: overlapping bodies are not apart: {found:?}");
        // The normal is a direction of the world.
        let n = found.normal;
        assert!(is_apart(a, b, [&pa, &pb], n * -found.distance), "{number}: the depth does not separate: {found:?}");
        let depth = -found.upper;
        sharp += usize::from(depth >= 0.999 * -found.distance);
        if depth <= 0.0 {
            continue;
        }
        let axes = [0, 1, 2].map(|k| Vec3::from(std::array::from_fn(|i| f64::from(u8::from(i == k)))));
        let others = (0..3).map(|_| random.vec3().normalized());
        let directions = [n].into_iter().chain(axes.into_iter().flat_map(|x| [x, -x])).chain(others);
        for u in directions {
            tried += 1;
            let shift = u * (0.999 * depth);
            assert!(!is_apart(a, b, [&pa, &pb], shift), "{number}: a shorter translation separates: {u:?} {found:?}");
        }
    }
    println!("{overlapping} overlapping, {held} of them inside, {sharp} sharp, {tried} translations below a lower end");
    assert!(overlapping > asked() / 4 && tried > asked(), "not representative: {overlapping} {tried}");
    assert!(held > asked() / 60 && sharp > asked() / 60, "not representative: {held} {sharp}");
}

#[test]
fn the_oracle_agrees_with_brute_force_in_f64() {
    let all = bodies(0.0);
    let mut random = Random(7);
    let mut apart = 0;
    for number in 0..40 {
        let (a, b) = pair(&mut random, &all, number);
        let pb = random.pose(1.0 + 0.1 * number as f64);
        let [lower, upper] = brute_force::surface_distance(&a.solid, &b.solid, &pb);
        let placed = Placed::new([&a.solid, &b.solid], [&Pose::IDENTITY, &pb], Vec3::ZERO);
        match placed.answer([false; 2]) {
            Answer::Apart(truth) => {
                assert!(truth.metres() >= lower - 1e-13 && truth.metres() <= upper + 1e-13 || lower == 0.0, "{number}");
                apart += 1;
            }
            _ => assert!(lower < 1e-13, "{number}: {lower}"),
        }
    }
    assert!(apart > 15, "not representative: {apart}");
}
