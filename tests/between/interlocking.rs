//! A pin with corners that turns within a bore with corners: surfaces that are equally near all
//! around, whose distance is known at every time.

use super::interval_pieces::{Motion, about, asked, mesh, product, turned};
use clearsweep::Shape;
use clearsweep_narrow::interval::{IntervalMethod, IntervalStatus};
use clearsweep_testing::random::Random;
use std::f64::consts::PI;
use std::path::Path;
use std::sync::Arc;

/// Corners of a regular polygon at a height.
fn ring(corners: usize, radius: f64, z: f64) -> impl Iterator<Item = [f64; 3]> {
    (0..corners).map(move |k| {
        let (sine, cosine) = (2.0 * PI * k as f64 / corners as f64).sin_cos();
        [radius * cosine, radius * sine, z]
    })
}

/// Two triangles for each side between two rings, which begin at these vertices.
fn wall(corners: usize, [low, high]: [usize; 2]) -> impl Iterator<Item = [usize; 3]> {
    (0..corners).flat_map(move |k| {
        let next = (k + 1) % corners;
        [[low + k, low + next, high + next], [low + k, high + next, high + k]]
    })
}

fn pin(dir: &Path, corners: usize, radius: f64) -> Arc<Shape> {
    let vertices: Vec<_> = ring(corners, radius, -1.0).chain(ring(corners, radius, 1.0)).collect();
    let caps = (1..corners - 1).flat_map(|k| [[0, k + 1, k], [corners, corners + k, corners + k + 1]]);
    mesh(dir, &vertices, &wall(corners, [0, corners]).chain(caps).collect::<Vec<_>>())
}

/// A bore through a plate of one metre.
fn bore(dir: &Path, corners: usize, radius: f64) -> Arc<Shape> {
    let vertices: Vec<_> = [(radius, -0.5), (radius, 0.5), (1.5, -0.5), (1.5, 0.5)]
        .into_iter()
        .flat_map(|(r, z)| ring(corners, r, z))
        .collect();
    let rings = |from: usize, to: usize| wall(corners, [from * corners, to * corners]);
    let triangles = rings(1, 0).chain(rings(2, 3)).chain(rings(0, 2)).chain(rings(3, 1));
    mesh(dir, &vertices, &triangles.collect::<Vec<_>>())
}

/// The distance of a pin within a bore, or less than 0: of each corner from the side that it faces.
fn distance([corners, sides]: [usize; 2], [radius, bore]: [f64; 2], at: [f64; 2], turn: f64) -> f64 {
    let step = 2.0 * PI / sides as f64;
    let height = bore * (0.5 * step).cos();
    let of = |k: usize| {
        let (sine, cosine) = (turn + 2.0 * PI * k as f64 / corners as f64).sin_cos();
        let (x, y) = (at[0] + radius * cosine, at[1] + radius * sine);
        let beside = (y.atan2(x) / step).rem_euclid(1.0) - 0.5;
        height - x.hypot(y) * (beside * step).cos()
    };
    (0..corners).map(of).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_pin_that_turns_within_a_bore_is_as_far_as_its_corners() {
    let dir = tempfile::tempdir().expect("scratch");
    let mut random = Random(31);
    // By status; by corners that are few or many; by turns that are small or large.
    let mut counts = [[[0; 2]; 2]; 2];
    for case in 0..120 {
        let is_many = case % 6 == 5;
        let many = |random: &mut Random| if is_many { 150 + random.below(100) } else { 3 + random.below(40) };
        let corners = [many(&mut random), many(&mut random)];
        let play = [1e-3, 1e-2, 5e-2][case % 3];
        let radii = [0.6, (0.6 + play) / (PI / corners[1] as f64).cos()];
        let (pin, bore) = (pin(dir.path(), corners[0], radii[0]), bore(dir.path(), corners[1], radii[1]));
        let is_large = case % 4 == 3;
        let most = if is_large { 0.6 } else { 0.03 };
        // In the bore's frame: where the pin is, and how both turn.
        let places = [0, 1].map(|_| [0, 1].map(|_| 1.1 * play * random.signed()));
        let turns = [0, 1].map(|_| [0.5 * random.signed(), most * random.signed()]);
        let slide = [0, 1].map(|_| 0.2 * random.signed());
        // All of it is turned and moved, the case at the origin among them.
        let (q, at) = match case % 5 {
            0 => ([1.0, 0.0, 0.0, 0.0], [0.0; 3]),
            _ => (turned(&mut random, [1.0, 0.0, 0.0, 0.0], 1.0), random.in_cube(100.0)),
        };
        let placed = |[x, y]: [f64; 2], z: f64| -> [f64; 3] {
            let [_, i, j, k] = product(product(q, [0.0, x, y, z]), [q[0], -q[1], -q[2], -q[3]]);
            [at[0] + i, at[1] + j, at[2] + k]
        };
        let turn = |[from, by]: [f64; 2]| [from, from + by].map(|angle| product(q, about(2, angle)));
        let still: Motion = ([at, at], turn(turns[1]));
        let moving: Motion = ([placed(places[0], slide[0]), placed(places[1], slide[1])], turn(turns[0]));
        let found = if case % 2 == 0 {
            asked([&bore, &pin], [&still, &moving])
        } else {
            asked([&pin, &bore], [&moving, &still])
        };
        let times = 20_000;
        let exact = |k: usize| {
            let t = k as f64 / times as f64;
            let [x, y] = [0, 1].map(|axis| places[0][axis] + t * (places[1][axis] - places[0][axis]));
            let own = turns[1][0] + t * turns[1][1];
            let (sine, cosine) = own.sin_cos();
            let in_bore = [cosine * x + sine * y, cosine * y - sine * x];
            distance(corners, radii, in_bore, turns[0][0] + t * turns[0][1] - own)
        };
        let all: Vec<f64> = (0..=times).map(exact).collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let between = (1.3 * (turns[0][1].abs() + turns[1][1].abs()) + 4.0 * play) / times as f64;
        let say = || format!("{case}: {corners:?} {found:?}, sampled {least} within {between}");
        assert!(found.status != IntervalStatus::Undecided && found.method != IntervalMethod::Limit, "{}", say());
        let is_contact = found.status == IntervalStatus::Contact;
        counts[usize::from(is_contact)][usize::from(is_many)][usize::from(is_large)] += 1;
        // Coordinates of the file have all digits, but poses a hundred metres away have not.
        let noise = 1e-12;
        if is_contact {
            assert!(least - between <= 1e-6 + noise, "{}", say());
            let first = all.iter().position(|&gap| gap <= 1e-6 - noise).map_or(1.0, |k| k as f64 / times as f64);
            let [clear, contact] = found.contact;
            assert!(clear <= first && contact <= first + 2.0 / times as f64, "{} {first}", say());
            let earlier = all.iter().take((clear * times as f64) as usize).copied().fold(f64::INFINITY, f64::min);
            assert!(earlier > 1e-6 - noise, "{}: {earlier} before the first contact", say());
        } else {
            assert!(least > 1e-6 - noise, "{}", say());
            assert!(found.lower <= least + noise && found.upper >= least - between - noise, "{}", say());
            assert!(found.upper - found.lower <= 1e-4 + noise, "{}", say());
            let [from, to] = found.closest.map(|t| t * times as f64);
            let outside = all.iter().enumerate().filter(|(k, _)| (*k as f64) < from - 1.0 || *k as f64 > to + 1.0);
            let nearest = outside.map(|(_, &gap)| gap).fold(f64::INFINITY, f64::min);
            assert!(nearest >= found.upper - between - noise, "{}: {nearest} at another time", say());
        }
    }
    let kinds = || counts.iter().flatten().flatten();
    assert!(kinds().all(|&count| count > 1), "not representative: {counts:?}");
}
