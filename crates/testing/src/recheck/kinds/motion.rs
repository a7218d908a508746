//! Placements and motions: at any place to each other, parallel to the axes, with headings or
//! turned, far away or not.

use super::body::Body;
use super::gap::Soups;
use super::judge::Place;
use super::make::Subject;
use super::round::placing;
use crate::oracle::Placement;
use crate::oracle::families::Random;
use crate::oracle::number::{Vector, add, dot, sub, times};
use crate::recheck::place::Place as Relative;

/// Motion from sample to sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// One sample, with what another pair left.
    Single,
    /// Small steps.
    Coherent,
    /// Anywhere from sample to sample.
    Fast,
}

impl Memory {
    pub const ALL: [Self; 3] = [Self::Single, Self::Coherent, Self::Fast];
}

/// Samples of a motion.
pub const SAMPLES: usize = 12;

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// Orientation of bodies.
#[derive(Clone, Copy)]
enum Turns {
    None,
    Quarters,
    Headings,
    Any,
}

fn turn(random: &mut Random, turns: Turns) -> [f64; 4] {
    match turns {
        Turns::None => STILL,
        Turns::Quarters => random.quarter_turn(),
        Turns::Headings => {
            let half = random.between(-std::f64::consts::PI, std::f64::consts::PI) / 2.0;
            [half.cos(), 0.0, 0.0, half.sin()]
        }
        Turns::Any => random.turn(),
    }
}

/// Poses of A and of B that are likely in a place.
pub fn samples(
    random: &mut Random,
    pair: [&Subject; 2],
    memory: Memory,
    aim: Place,
    scale: f64,
) -> Vec<[Placement; 2]> {
    let turns = [Turns::None, Turns::None, Turns::Quarters, Turns::Headings, Turns::Any, Turns::Any][random.below(6)];
    let far = [[0.0; 3], [0.0; 3], [0.0; 3], [5_000.0, -3_000.0, 40.0]][random.below(4)];
    let (a, b) = (&pair[0].body, &pair[1].body);
    let is_round = pair.iter().any(|subject| subject.round.is_some());
    let turned = |random: &mut Random| if is_round { placing::turn(random) } else { turn(random, turns) };
    let offset = |random: &mut Random, q: [f64; 4]| {
        let round = if is_round { placing::offset(random, pair, q, aim) } else { None };
        round.unwrap_or_else(|| offset(random, a, b, q, aim, scale))
    };
    // One pair in three is turned in the world as a whole.
    let whole = if random.chance(0.33) { turn(random, turns) } else { STILL };
    let at = |q: [f64; 4], offset: Vector<f64>| {
        [Placement::new(far, whole), Placement::new(add(far, rotated(whole, offset)), product(whole, q))]
    };
    match memory {
        Memory::Single => {
            let q = turned(random);
            vec![at(q, offset(random, q).0)]
        }
        Memory::Coherent => {
            let q = turned(random);
            let (start, out) = offset(random, q);
            let is_held = matches!(aim, Place::Inside | Place::Cavity);
            let mut step = times(random.direction(), scale * random.scale(1e-9, if is_held { 1e-3 } else { 0.03 }));
            let mut spin = if matches!(turns, Turns::Headings | Turns::Any) { random.scale(1e-8, 0.02) } else { 0.0 };
            // Two that touch slide along each other, every other time.
            if let (Some(out), Place::Touching, true) = (out, aim, random.chance(0.5)) {
                step = sub(step, times(out, dot(step, out)));
                spin = 0.0;
            }
            let from = random.below(SAMPLES) as f64;
            let sample = |k: usize| {
                let t = k as f64 - from;
                let [w, x, y, z] = q;
                let s = spin * t;
                at([w - s * z, x - s * y, y + s * x, z + s * w], add(start, times(step, t)))
            };
            (0..SAMPLES).map(sample).collect()
        }
        Memory::Fast => {
            let near: Vec<_> = (0..4)
                .map(|_| {
                    let q = turned(random);
                    (q, offset(random, q).0)
                })
                .collect();
            let sample = |_| {
                if random.chance(0.5) {
                    let (q, o) = near[random.below(near.len())];
                    return at(q, o);
                }
                let reach = 1.5 * (a.reach + a.growth + b.reach + b.growth);
                let q = turned(random);
                let direction = random.direction();
                let o = times(direction, reach * random.between(0.0, 1.0));
                at(q, snapped(random, o, scale))
            };
            (0..SAMPLES).map(sample).collect()
        }
    }
}

/// On the grid of the bodies, every other time.
fn snapped(random: &mut Random, p: Vector<f64>, scale: f64) -> Vector<f64> {
    let step = scale / 64.0;
    if random.chance(0.5) { p.map(|c| (c / step).round() * step) } else { p }
}

/// A position of B in A's frame that is likely in a place; of bodies that nearly touch also the
/// direction, parallel to an axis, along which B came. Unit, away from A.
fn offset(
    random: &mut Random,
    a: &Body,
    b: &Body,
    q: [f64; 4],
    aim: Place,
    scale: f64,
) -> (Vector<f64>, Option<Vector<f64>>) {
    let reach = a.reach + a.growth + b.reach + b.growth;
    let anywhere = |random: &mut Random, share: f64| {
        let p = times(random.direction(), share * reach * random.between(0.0, 1.0));
        snapped(random, p, scale)
    };
    match aim {
        Place::Cavity => (anywhere(random, 0.03), None),
        Place::Inside => {
            // The larger one holds the other in its middle, or where it is thick.
            let holder = if a.reach + a.growth >= b.reach + b.growth { a } else { b };
            let inner = if holder.inner().is_empty() || random.chance(0.2) {
                [0.0; 3]
            } else {
                holder.inner()[random.below(holder.inner().len())]
            };
            let inner = if std::ptr::eq(holder, a) { inner } else { times(rotated(q, inner), -1.0) };
            (add(inner, anywhere(random, 0.003)), None)
        }
        Place::Overlapping if random.chance(0.5) => (anywhere(random, 0.6), None),
        Place::Apart => {
            let p = times(random.direction(), reach * random.between(0.6, 3.0));
            (snapped(random, p, scale), None)
        }
        Place::Near | Place::Touching | Place::Overlapping => {
            let to = match aim {
                Place::Near if random.chance(0.5) => reach * random.scale(1e-13, 1e-3),
                Place::Near => reach * random.between(0.0, 0.02),
                Place::Overlapping => -reach * random.scale(1e-9, 0.2),
                _ => 0.0,
            };
            let axis = random.below(3);
            let axial = random.chance(0.5);
            let out = if axial { [0, 1, 2].map(|k| if k == axis { 1.0 } else { 0.0 }) } else { random.direction() };
            let aside = anywhere(random, 0.3);
            let contact = approach(a, b, q, out, aside, reach);
            let p = add(contact, times(out, to));
            (if axial && to == 0.0 { nearest_grid(p, axis, scale) } else { p }, axial.then_some(out))
        }
    }
}

fn nearest_grid(p: Vector<f64>, axis: usize, scale: f64) -> Vector<f64> {
    let step = scale / 64.0;
    let snapped = (p[axis] / step).round() * step;
    let is_on = (p[axis] - snapped).abs() <= 1e-9 * scale;
    [0, 1, 2].map(|k| if k == axis && is_on { snapped } else { p[k] })
}

/// The place where B, coming from far away along `-out`, first touches A; or where it passes A.
fn approach(a: &Body, b: &Body, q: [f64; 4], out: Vector<f64>, aside: Vector<f64>, reach: f64) -> Vector<f64> {
    let start = add(aside, times(out, 1.4 * reach));
    let place = Relative::new(&Placement::new([0.0; 3], STILL), &Placement::new(start, q));
    let soups = Soups::new(a, b, place);
    let growth = a.growth + b.growth;
    let mut moved = 0.0;
    for _ in 0..60 {
        let step = soups.gap(times(out, -moved)).lower - growth;
        if step <= 1e-15 * reach || moved > 3.0 * reach {
            break;
        }
        moved += step;
    }
    add(start, times(out, -moved))
}

/// A vector turned by a quaternion of unit length.
pub fn rotated(q: [f64; 4], v: Vector<f64>) -> Vector<f64> {
    let place = Relative::new(&Placement::new([0.0; 3], STILL), &Placement::new([0.0; 3], q));
    place.rough_vector(v)
}

/// First `q`, then `p`.
pub fn product(p: [f64; 4], q: [f64; 4]) -> [f64; 4] {
    let ([a, b, c, d], [w, x, y, z]) = (p, q);
    [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]
}
