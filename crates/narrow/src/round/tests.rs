//! The certificates against one-sided slow oracles: no sampled pair of points is nearer than the
//! lower end, and no sampled direction shows a larger gap than the upper end.

use super::*;
use clearsweep_geometry::hull::convex_hull;
use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::round::{Cap, Section, Sector, cover};
use clearsweep_geometry::{RelativePose, RoundCore};
use std::collections::BTreeMap;
use std::sync::Arc;

fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

/// Random numbers: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` to `high`.
    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    fn one_of(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    fn direction(&mut self) -> Vec3<f64> {
        loop {
            let p = v(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0));
            if p.length() > 0.1 && p.length() < 1.0 {
                return p.normalized();
            }
        }
    }

    fn turn(&mut self) -> [f64; 4] {
        let q: [f64; 4] = std::array::from_fn(|_| self.within(-1.0, 1.0));
        let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        q.map(|c| c / length)
    }
}

fn core_of(body: RoundBody) -> Polyhedron {
    let cover = cover(&body);
    let hull = convex_hull(&cover.points).expect("a hull");
    Polyhedron { round: Some(Arc::new(RoundCore::new(body, cover.excess))), ..hull }
}

const KINDS: [&str; 11] =
    ["cylinder", "cone", "skew", "ellipsoid", "dish", "cap", "balls", "tube", "duct", "box", "point"];

/// A body of a kind about the origin, of a size of about 1, and many points of it.
fn body(kind: &str, random: &mut Random) -> (Polyhedron, Vec<Vec3<f64>>) {
    let (r, h) = (random.within(0.1, 0.6), random.within(0.1, 1.5));
    let disc = |x: f64, z: f64, r: f64| Cap::disc(v(x, 0.0, z), [v(r, 0.0, 0.0), v(0.0, r, 0.0)]);
    let axes = [v(r, 0.0, 0.0), v(0.0, h, 0.0), v(0.0, 0.0, 0.4)];
    let cap = |height: f64| Cap { middle: v(0.0, 0.0, 0.0), axes, height };
    let body = match kind {
        "cylinder" => RoundBody::hull(vec![disc(0.0, -0.5 * h, r), disc(0.0, 0.5 * h, r)]),
        "cone" => RoundBody::hull(vec![disc(0.0, -0.5 * h, r), disc(0.0, 0.5 * h, 0.3 * r)]),
        "skew" => {
            let top = Cap::disc(v(0.2, 0.1, 0.5 * h), [v(0.5 * r, 0.0, 0.1 * r), v(0.0, 0.8 * r, 0.05)]);
            RoundBody::hull(vec![disc(0.0, -0.5 * h, r), top])
        }
        "ellipsoid" => RoundBody::hull(vec![cap(2.0)]),
        "dish" => RoundBody::hull(vec![cap(1.0)]),
        "cap" => RoundBody::hull(vec![Cap { axes: [v(r, 0.0, 0.0), v(0.0, r, 0.0), v(0.0, 0.0, r)], ..cap(0.5) }]),
        "balls" => {
            let ball = |z: f64| Cap { middle: v(0.0, 0.0, z), ..cap(2.0) };
            RoundBody::hull(vec![ball(-0.4), ball(0.4)])
        }
        "tube" | "duct" => {
            let section = match kind {
                "tube" => Section::Disc { arc: 0.7, radius: 0.7 * r },
                _ => Section::Rectangle { inner: 0.5, outer: 0.5 + r, half_height: 0.5 * h },
            };
            let (from, to) = ([1.0, 0.0], [0.2_f64.cos(), 0.2_f64.sin()]);
            let axes = [v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(0.0, 0.0, 1.0)];
            RoundBody::Sector(Sector { middle: v(-0.7, 0.0, 0.0), axes, section, from, to, is_chord: false })
        }
        "box" => {
            let corners: Vec<Vec3<f64>> =
                (0..8).map(|i| v([-r, r][i & 1], [-0.3, 0.3][i >> 1 & 1], [-0.5 * h, 0.5 * h][i >> 2])).collect();
            let points = corners.iter().flat_map(|&a| corners.iter().map(move |&b| (a + b).scale(0.5))).collect();
            return (convex_hull(&corners).expect("a box"), points);
        }
        _ => return (convex_hull(&[v(0.0, 0.0, 0.0)]).expect("a point"), vec![v(0.0, 0.0, 0.0)]),
    };
    let mut points = Vec::new();
    for _ in 0..300 {
        let d = random.direction();
        points.push(match &body {
            RoundBody::Caps { .. } => body.support(d),
            RoundBody::Sector(sector) => {
                let angle = random.within(0.0, 0.2);
                let at = sector.support(d).at;
                sector.point([angle.cos(), angle.sin()], at).point
            }
        });
    }
    (core_of(body), points)
}

fn pose(q: [f64; 4], t: Vec3<f64>) -> RelativePose<f64> {
    RelativePose { r: rotation(q), t }
}

/// How the axes of two bodies stand to each other.
fn placed(random: &mut Random, how: u64) -> [f64; 4] {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    match how {
        0 => [1.0, 0.0, 0.0, 0.0],
        1 => [half, half, 0.0, 0.0],
        2 => {
            let tilt = 10.0_f64.powf(random.within(-16.0, -2.0));
            [(1.0 - tilt * tilt).sqrt(), tilt, 0.0, 0.0]
        }
        _ => random.turn(),
    }
}

#[test]
fn brackets_hold_what_samples_show() {
    let mut random = Random(7);
    let mut widths: BTreeMap<(&str, &str, &str), f64> = BTreeMap::new();
    let mut wide = Vec::new();
    for kind_a in KINDS {
        for kind_b in KINDS {
            for case in 0..60 {
                let ((a, points_a), (b, points_b)) = (body(kind_a, &mut random), body(kind_b, &mut random));
                if !is_round(&a, &b) {
                    continue;
                }
                let q = placed(&mut random, case % 4);
                let far = [0.0, 0.3, 1.0, 2.5][random.one_of(4) as usize];
                let t = match case % 3 {
                    0 => v(0.0, 0.0, far),
                    1 => v(far, 0.0, random.within(-0.5, 0.5)),
                    _ => random.direction().scale(far),
                };
                let pair = Pair::new(&a, &b, pose(q, t), 0.0);
                let SolveOutcome::Answered(answer) = answer(&pair, f64::INFINITY) else { panic!("within all") };
                let name = format!("{kind_a} {kind_b} {case}: {answer:?}");
                assert!(answer.lower <= answer.upper, "{name}");
                assert!(answer.lower <= answer.distance && answer.distance <= answer.upper, "{name}");
                let placed: Vec<Vec3<f64>> = points_b.iter().map(|&p| pair.pose.point(p)).collect();
                let least = points_a
                    .iter()
                    .flat_map(|&p| placed.iter().map(move |&q| (p - q).length()))
                    .fold(f64::INFINITY, f64::min);
                assert!(least >= answer.lower, "{name}: {least}");
                let is_convex = |core: &Polyhedron| core.round.as_ref().is_none_or(|round| round.body.is_convex());
                if is_convex(&a) && is_convex(&b) {
                    for _ in 0..200 {
                        let gap = pair.gap(random.direction());
                        assert!(gap <= answer.upper + pair.bound(), "{name}: {gap}");
                    }
                }
                let state = if answer.upper < 0.0 { "overlap" } else { "apart" };
                let width = (answer.upper - answer.lower) / pair.size;
                let are_convex = is_convex(&a) && is_convex(&b);
                let entry = widths.entry((kind_a, kind_b, state)).or_default();
                *entry = entry.max(width);
                // If many directions are nearly as deep, the surface has too few points.
                let is_nearly_a_ring = [kind_a, kind_b].contains(&"skew");
                let promised = match (are_convex, answer.lower > 0.0) {
                    (true, true) => 1e-9,
                    (true, false) if is_nearly_a_ring => 2e-5,
                    (true, false) => 1e-6,
                    (false, true) => 1e-6,
                    (false, false) => 0.3,
                };
                if width > promised {
                    wide.push(format!("{width:.1e} {name}"));
                }
                // The witness points are of the bodies, but for the width.
                let b_point = answer.point_a + answer.normal.scale(answer.distance);
                for (core, point) in [(&a, answer.point_a), (&b, pair.pose.inverse_vector(b_point - pair.pose.t))] {
                    let off = (0..100)
                        .map(|_| random.direction())
                        .map(|d| point.dot(d) - crate::support::max_dot(core, d))
                        .fold(f64::NEG_INFINITY, f64::max);
                    let most = if state == "overlap" { 0.02 } else { 1e-7 };
                    assert!(off <= most * pair.size, "{name}: {point:?} is off by {off} of {:?}", core.bounds());
                }
            }
        }
    }
    assert!(widths.len() > 200, "{} cells", widths.len());
    assert!(wide.is_empty(), "{} brackets are wider than promised:\n{}", wide.len(), wide.join("\n"));
}

/// Dishes of all depths, below which a disc partly faces the flat end: the witness points lie on both.
#[test]
fn witnesses_of_flat_ends_lie_on_them() {
    for height in [0.3_f64, 0.8, 1.0, 1.3, 1.7] {
        let rim = (height * (2.0 - height)).sqrt();
        let lowest = (1.0 - height).min(0.0);
        let axes = [v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(0.0, 0.0, 1.0)];
        let dish = core_of(RoundBody::hull(vec![Cap { middle: Vec3::ZERO, axes, height }]));
        let disc = |z: f64| Cap::disc(v(0.0, 0.0, z), [v(0.4, 0.0, 0.0), v(0.0, 0.4, 0.0)]);
        let plate = core_of(RoundBody::hull(vec![disc(-0.1), disc(0.1)]));
        for beside in [0.0, 0.2, rim, rim + 0.3] {
            let below = v(0.6 * beside, 0.8 * beside, lowest - 0.6);
            for (a, b, t) in [(&dish, &plate, below), (&plate, &dish, -below)] {
                let pair = Pair::new(a, b, pose([1.0, 0.0, 0.0, 0.0], t), 0.0);
                let SolveOutcome::Answered(answer) = answer(&pair, f64::INFINITY) else { panic!("within all") };
                let name = format!("{height} {beside}: {answer:?}");
                assert!((answer.distance - 0.5).abs() < 1e-12, "{name}");
                let of_b = answer.point_a + answer.normal.scale(answer.distance) - t;
                let (on_dish, on_plate) = if t == below { (answer.point_a, of_b) } else { (of_b, answer.point_a) };
                assert!((on_dish.z - lowest).abs() < 1e-12 && on_dish.x.hypot(on_dish.y) < rim + 1e-12, "{name}");
                assert!((on_plate.z - 0.1).abs() < 1e-12 && on_plate.x.hypot(on_plate.y) < 0.4 + 1e-12, "{name}");
            }
        }
    }
}

/// A cylinder about z, a disc of no length, or a segment.
fn cylinder(random: &mut Random, kind: u64) -> Polyhedron {
    let (r, h) = (random.within(0.1, 1.0), random.within(0.1, 1.0));
    let disc = |z: f64| Cap::disc(v(0.0, 0.0, z), [v(r, 0.0, 0.0), v(0.0, r, 0.0)]);
    match kind {
        0 => core_of(RoundBody::hull(vec![disc(0.0)])),
        1 => convex_hull(&[v(0.0, 0.0, -h), v(0.0, 0.0, h)]).expect("a segment"),
        _ => core_of(RoundBody::hull(vec![disc(-0.3 * h), disc(h)])),
    }
}

#[test]
fn cylinders_across_each_other_are_answered_as_a_search_answers() {
    let (mut random, mut closed, mut seen) = (Random(91), 0, [0; 3]);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for case in 0..20_000_u64 {
        let kinds = [case % 4, if case % 8 == 0 { 2 } else { case / 4 % 4 }];
        if kinds == [1, 1] {
            continue;
        }
        let [a, b] = kinds.map(|kind| cylinder(&mut random, kind));
        // A quarter turn about x, then any turn about z, which leaves B's axis across A's.
        let turn = random.within(-3.2, 3.2);
        let (sine, cosine) = turn.sin_cos();
        let tilt = if case % 5 == 0 { 1e-9 } else { 0.0 };
        let q = [half * cosine, half * (cosine + tilt), half * sine, half * sine];
        let far = if case % 3 == 0 { 1e3 } else { 1.0 };
        let t = if case % 50 == 1 { v(0.0, 0.0, 0.0) } else { random.direction().scale(random.within(0.0, 2.0)) };
        let size = a.radius + b.radius + t.length() * far;
        let pair = Pair::new(&a, &b, pose(q, if case % 3 == 0 { t.scale(far) } else { t }), 0.0);
        let Some(found) = perpendicular::proven(&pair) else { continue };
        closed += 1;
        let sides = [pair.a, pair.b].map(Side::of);
        let between = ConvexPair { sides, pose: pair.pose, bound: pair.bound(), size: pair.size };
        let Ok(searched) = proven_of_convex(&between, f64::INFINITY) else { panic!("{case}: beyond everything") };
        assert!(found.lower <= searched.upper && searched.lower <= found.upper, "{case}: {found:?} {searched:?}");
        assert!(found.upper - found.lower <= 1e-12 * size, "{case}: {found:?}");
        // The direction shows the distance; the points lie on both bodies, and as far apart.
        let gap = pair.gap(found.normal);
        assert!((gap - found.distance).abs() <= 1e-12 * size, "{case}: {gap} {found:?}");
        let point_b = pair.pose.inverse_vector(found.point_a + found.normal.scale(found.distance) - pair.pose.t);
        for (core, point) in [(&a, found.point_a), (&b, point_b)] {
            let beyond = (0..30).map(|_| random.direction()).map(|d| d.dot(point) - support::max_dot(core, d));
            assert!(
                found.distance < 0.0 || beyond.fold(f64::NEG_INFINITY, f64::max) <= 1e-12 * size,
                "{case}: {found:?}"
            );
        }
        seen[if found.distance > 0.0 {
            0
        } else if found.normal.z.abs() > 0.9 {
            1
        } else {
            2
        }] += 1;
    }
    assert!(closed > 5_000 && seen.iter().all(|&count| count > 200), "{closed} of 20,000, {seen:?}");
}
