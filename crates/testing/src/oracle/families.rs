//! Families of random bodies, and poses that put a pair apart, in touch or into overlap.

use std::f64::consts::TAU;
use std::ops::Range;

use super::number::{Number, Vector, Wide, add, cross, times};
use super::{Body, Placement, signed_distance};
pub use crate::random::Random;

/// Intended relation of a pair.
#[derive(Clone, Copy, PartialEq)]
pub enum Regime {
    Separated,
    Touching,
    Overlapping,
}

/// A body before anyone made a hull of it.
pub struct Recipe {
    pub name: &'static str,
    pub points: Vec<Vector<f64>>,
    pub growth: f64,
}

impl Recipe {
    pub fn new(name: &'static str, points: Vec<Vector<f64>>, growth: f64) -> Self {
        Self { name, points, growth }
    }
}

/// The corners of a box.
pub fn cuboid(half: [f64; 3]) -> Vec<Vector<f64>> {
    let sign = |bit: usize| if bit == 0 { -1.0 } else { 1.0 };
    (0..8).map(|i: usize| [sign(i & 1) * half[0], sign(i >> 1 & 1) * half[1], sign(i >> 2) * half[2]]).collect()
}

/// The placement moved by a vector of the world; the position keeps what does not fit in its
/// leading part.
pub fn moved(p: &Placement, by: Vector<f64>) -> Placement {
    let parts = [0, 1, 2].map(|k: usize| Wide::sum(p.position[k], p.rest[k]) + Wide::of(by[k]));
    Placement { position: parts.map(|w| w.0), rest: parts.map(|w| w.1), q: p.q }
}

/// Poses of a pair in a regime.
pub fn place(random: &mut Random, a: &Body, b: &Body, regime: Regime) -> (Placement, Placement) {
    let aligned = random.chance(0.2); // parallel faces and edges: ties
    let turn = |random: &mut Random| if aligned { random.quarter_turn() } else { random.turn() };
    let reach = (a.reach + b.reach).max(1e-3);
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
        // Twice: the second step mends the rounding of the first, and a normal that changed on the
        // way.
        for _ in 0..2 {
            let truth = signed_distance(a, &pa, b, &pb);
            let step = (Wide(gap, 0.0) - truth.distance).0;
            pb = rounded(moved(&pb, times(truth.normal, step)));
        }
    }
    if random.chance(0.1) {
        let far = [1e3, 1e6, 6.4e6][random.below(3)];
        let far = times(random.direction(), far);
        (pa, pb) = (moved(&pa, far), moved(&pb, far));
    }
    (pa, pb)
}

/// The signed distance to be reached, if it is not left to chance.
pub fn gap(random: &mut Random, regime: Regime, reach: f64) -> Option<f64> {
    match regime {
        Regime::Separated => Some(random.scale(1e-6, 1.0) * reach),
        Regime::Touching if random.chance(0.1) => Some(0.0),
        Regime::Touching => Some(random.scale(1e-12, 1e-9) * if random.chance(0.5) { 1.0 } else { -1.0 }),
        Regime::Overlapping if random.chance(0.3) => Some(-random.scale(1e-6, 1e-2) * reach),
        Regime::Overlapping => None,
    }
}

/// The placement without the rest of its position, as a file would give it.
pub fn rounded(p: Placement) -> Placement {
    Placement { rest: [0.0; 3], ..p }
}

pub fn ellipsoid(random: &mut Random, points: usize, axes: [f64; 3]) -> Vec<Vector<f64>> {
    (0..points).map(|_| random.direction()).map(|d| [d[0] * axes[0], d[1] * axes[1], d[2] * axes[2]]).collect()
}

/// Points of a small lattice: coplanar and collinear ones, inner ones, duplicates; exact ties.
pub fn lattice(random: &mut Random, points: usize) -> Vec<Vector<f64>> {
    (0..points).map(|_| [0; 3].map(|_| random.below(5) as f64 * 0.125 - 0.25)).collect()
}

/// A prism over a regular polygon; the lids are exactly flat.
pub fn disk(random: &mut Random, corners: Range<usize>, half_height: f64) -> Vec<Vector<f64>> {
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
pub fn polygon(random: &mut Random) -> Vec<Vector<f64>> {
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
pub fn compact(random: &mut Random, i: usize) -> Recipe {
    if i.is_multiple_of(2) {
        return Recipe::new("box", cuboid([0; 3].map(|_| random.between(0.05, 0.5))), 0.0);
    }
    let (count, axes) = (4 + random.below(13), [0; 3].map(|_| random.between(0.1, 0.6)));
    Recipe::new("hull", ellipsoid(random, count, axes), 0.0)
}

/// Hulls of 17 to 48 points.
pub fn medium(random: &mut Random, _: usize) -> Recipe {
    let (count, axes) = (17 + random.below(32), [0; 3].map(|_| random.between(0.1, 0.6)));
    Recipe::new("hull", ellipsoid(random, count, axes), 0.0)
}

/// Hulls of 49 to 128 points.
pub fn large(random: &mut Random, _: usize) -> Recipe {
    let (count, axes) = (49 + random.below(80), [0; 3].map(|_| random.between(0.1, 0.6)));
    Recipe::new("hull", ellipsoid(random, count, axes), 0.0)
}

/// Boxes and hulls up to a thousand times as long as thin.
pub fn sliver(random: &mut Random, i: usize) -> Recipe {
    let mut axes = [0.5, random.scale(5e-4, 0.5), random.scale(5e-4, 0.5)];
    axes.rotate_left(random.below(3));
    if i.is_multiple_of(2) {
        return Recipe::new("long box", cuboid(axes), 0.0);
    }
    let count = 4 + random.below(13);
    Recipe::new("sliver", ellipsoid(random, count, axes), 0.0)
}

/// Points of a small lattice and boxes on it.
pub fn tied(random: &mut Random, i: usize) -> Recipe {
    if i.is_multiple_of(3) {
        return Recipe::new("box", cuboid([0; 3].map(|_| (1 + random.below(4)) as f64 * 0.125)), 0.0);
    }
    let count = 5 + random.below(16);
    Recipe::new("lattice hull", lattice(random, count), 0.0)
}

/// Disks, thick and thin.
pub fn disks(random: &mut Random, _: usize) -> Recipe {
    let half_height = random.scale(1e-3, 0.5);
    Recipe::new("disk", disk(random, 5..17, half_height), 0.0)
}

/// Polygons, segments and points, among solids that they can penetrate.
pub fn flat(random: &mut Random, i: usize) -> Recipe {
    match i % 10 {
        0..=2 => Recipe::new("polygon", polygon(random), 0.0),
        3 => Recipe::new("segment", ellipsoid(random, 2, [0.5; 3]), 0.0),
        4 => Recipe::new("point", ellipsoid(random, 1, [0.1; 3]), 0.0),
        _ => compact(random, i),
    }
}

/// Spheres, capsules, and anything inflated.
pub fn round(random: &mut Random, i: usize) -> Recipe {
    let growth = random.scale(1e-3, 0.3);
    match i % 6 {
        0 => Recipe::new("sphere", vec![[0.0; 3]], growth),
        1 => {
            let half = random.between(0.01, 0.6);
            Recipe::new("capsule", vec![[0.0, 0.0, -half], [0.0, 0.0, half]], growth)
        }
        2 => Recipe::new("grown polygon", polygon(random), growth),
        3 => Recipe::new("grown box", cuboid([0; 3].map(|_| random.between(0.05, 0.5))), growth),
        4 => Recipe::new("grown hull", ellipsoid(random, 12, [0.4, 0.3, 0.2]), growth),
        _ => compact(random, 1),
    }
}

/// One body of each family.
pub fn mixed(random: &mut Random, i: usize) -> Recipe {
    let families = [compact, sliver, tied, disks, flat, round, compact, medium];
    families[i % families.len()](random, i / families.len())
}
