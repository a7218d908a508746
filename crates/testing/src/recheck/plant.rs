//! Families of whole installations: a crush of bodies that stay in each other, and the parts of a
//! plant.

use crate::oracle::families::{Random, Recipe, cuboid};
use crate::oracle::number::{Vector, dot};
use crate::oracle::{Placement, out_of_frame};
use crate::recheck::families::{Family, Walk, coherent_between, crowd, two};
use crate::recheck::solid::Solid;

/// The families of installations.
pub fn more() -> Vec<Family> {
    vec![
        Family::new("crush", 0.12, crowd, crush).least([4.0, 0.0, 40.0]),
        Family::new("plant", 0.14, parts, installed).least([35.0, 2.0, 12.0]),
    ]
}

/// Bodies of a crowd that move little and overlap most of the time.
fn crush(random: &mut Random, pool: &[Solid]) -> Walk {
    let bodies = two(random, pool);
    coherent_between(random, pool, bodies, [0.0, 0.6], [1e-3, 0.5])
}

/// Nominal outer radii of pipes, metres.
const PIPES: [f64; 8] = [0.01685, 0.03015, 0.05715, 0.08415, 0.10955, 0.13655, 0.1778, 0.2032];
/// Sections of beams, and thicknesses of plates, metres.
const BEAMS: [[f64; 2]; 4] = [[0.1, 0.1], [0.15, 0.3], [0.2, 0.2], [0.3, 0.6]];
const PLATES: [f64; 3] = [0.006, 0.012, 0.02];

/// A whole number of millimetres, in metres: what a drawing says, and no binary fraction.
fn millimetres(random: &mut Random, low: usize, high: usize) -> f64 {
    (low + random.below(high - low + 1)) as f64 / 1000.0
}

/// Returns a prism of `sides` sides about an axis (0, 1, 2).
fn prism(sides: usize, radius: f64, half: f64, axis: usize) -> Vec<Vector<f64>> {
    let mut points = Vec::with_capacity(2 * sides);
    for k in 0..sides {
        let angle = std::f64::consts::TAU * k as f64 / sides as f64;
        let (x, y) = (radius * libm::cos(angle), radius * libm::sin(angle));
        for z in [half, -half] {
            let mut p = [x, y, z];
            p.rotate_right((axis + 1) % 3);
            points.push(p);
        }
    }
    points
}

/// Pipes, flanges, vessels, beams, plates, and capsules as soft obstacles; a third as a file of
/// single precision gives them.
fn parts(random: &mut Random, i: usize) -> Recipe {
    let axis = random.below(3);
    let length = |random: &mut Random, low, high| millimetres(random, low, high) / 2.0;
    let mut recipe = match i % 8 {
        0..=2 => {
            let (sides, radius) = (8 + 4 * random.below(5), PIPES[random.below(PIPES.len())]);
            Recipe::new("pipe", prism(sides, radius, length(random, 200, 6000), axis), 0.0)
        }
        3 => {
            let radius = 1.6 * PIPES[random.below(PIPES.len())];
            Recipe::new("flange", prism(16, radius, length(random, 20, 60), axis), 0.0)
        }
        4 => {
            let radius = millimetres(random, 400, 2000);
            Recipe::new("vessel", prism(24 + 8 * random.below(3), radius, length(random, 500, 8000), axis), 0.0)
        }
        5 => {
            let [b, h] = BEAMS[random.below(BEAMS.len())];
            let mut half = [b / 2.0, h / 2.0, length(random, 1000, 12000)];
            half.rotate_right((axis + 1) % 3);
            Recipe::new("beam", cuboid(half), 0.0)
        }
        6 => {
            let thick = PLATES[random.below(PLATES.len())] / 2.0;
            let mut half = [length(random, 100, 4000), length(random, 100, 4000), thick];
            half.rotate_right((axis + 1) % 3);
            Recipe::new("plate", cuboid(half), 0.0)
        }
        _ => {
            let mut end = [0.0; 3];
            end[axis] = length(random, 200, 3000);
            Recipe::new("capsule", vec![end, end.map(|c| -c)], millimetres(random, 20, 300))
        }
    };
    if random.chance(0.33) {
        recipe.points.iter_mut().flatten().for_each(|c| *c = f64::from(*c as f32));
    }
    recipe
}

/// Returns the place of a part: in a hall, or in the coordinates of a site, millimetres as metres.
fn station(random: &mut Random) -> Vector<f64> {
    let reach = if random.chance(0.2) { 50_000_000 } else { 200_000 };
    [0; 3].map(|_| millimetres(random, 0, reach))
}

/// A part and its neighbours as they are mounted, or a part that is carried past another one.
fn installed(random: &mut Random, pool: &[Solid]) -> Walk {
    let bodies = two(random, pool);
    if random.chance(0.4) {
        return carried(random, pool, bodies);
    }
    let samples = (0..64).map(|_| mounted(random, bodies.map(|i| &pool[i])));
    Walk { bodies, samples: samples.collect(), known: Vec::new(), within: f64::INFINITY }
}

/// Both by quarter turns (or B by a heading), beside each other along an axis with a clearance in
/// millimetres.
fn mounted(random: &mut Random, [a, b]: [&Solid; 2]) -> (Placement, Placement) {
    let home = station(random);
    let qa = random.quarter_turn();
    let qb =
        if random.chance(0.2) { heading(random.between(0.0, std::f64::consts::TAU)) } else { random.quarter_turn() };
    let axis = random.below(3);
    let top = highest(a, qa, axis, 1.0) + highest(b, qb, axis, -1.0);
    // Flush, bolted with play, insulated, or driven into each other by a mistake of the drawing.
    let clearance = [0.0, 0.0, 0.001, 0.05, -0.001, -0.05][random.below(6)];
    let mut t = [0; 3].map(|_| millimetres(random, 0, 1000) - 0.5);
    t[axis] = top + clearance;
    let at = [0, 1, 2].map(|k: usize| home[k] + t[k]);
    (Placement::new(home, qa), Placement::new(at, qb))
}

/// Reach of a body along an axis of the world, or against it.
fn highest(body: &Solid, q: [f64; 4], axis: usize, sign: f64) -> f64 {
    let turned = Placement::new([0.0; 3], q);
    let row = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|e| out_of_frame(&turned, e)[axis]);
    let heights = body.points.iter().map(|&p| sign * dot(row, p));
    heights.fold(f64::NEG_INFINITY, f64::max) + body.growth
}

/// A turn about the vertical.
fn heading(angle: f64) -> [f64; 4] {
    [libm::cos(angle / 2.0), 0.0, 0.0, libm::sin(angle / 2.0)]
}

/// B on a straight path past A or through it, positions in millimetres, its heading turning.
fn carried(random: &mut Random, pool: &[Solid], bodies: [usize; 2]) -> Walk {
    let [a, b] = bodies.map(|i| &pool[i]);
    let reach = a.radius() + b.radius();
    let (home, qa) = (station(random), random.quarter_turn());
    let (way, aside) = (random.between(0.1, 2.0) * reach, random.between(0.0, 0.8) * reach);
    let (start, spin) = (random.between(0.0, std::f64::consts::TAU), random.between(-1.0, 1.0));
    let across = random.direction();
    let sample = |k: usize| {
        let share = k as f64 / 127.0 - 0.5;
        let [x, y, z] = [0, 1, 2].map(|axis: usize| aside * across[axis]);
        let t = [x + way * share, y, z].map(|c| (c * 1000.0).round() / 1000.0);
        let at = [0, 1, 2].map(|k: usize| home[k] + t[k]);
        (Placement::new(home, qa), Placement::new(at, heading(start + spin * share)))
    };
    let within = if random.chance(0.25) { random.between(0.0, 0.3) * reach } else { f64::INFINITY };
    Walk { bodies, samples: (0..128).map(sample).collect(), known: Vec::new(), within }
}
