//! Placements of round bodies: axes parallel (half of them one axis), across each other, tilted by
//! little, or any.

use super::Truth;
use crate::oracle::Placement;
use crate::oracle::families::Random;
use crate::oracle::number::{Vector, add, times};
use crate::recheck::kinds::judge::Place;
use crate::recheck::kinds::make::Subject;
use crate::recheck::kinds::motion::{product, rotated};

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// A turn of B in A's frame.
pub fn turn(random: &mut Random) -> [f64; 4] {
    let spin = match random.below(3) {
        0 => STILL,
        1 => [[0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt()], [0.0, 0.0, 0.0, 1.0]][random.below(2)],
        _ => {
            let half = random.between(0.0, std::f64::consts::PI);
            [libm::cos(half), 0.0, 0.0, libm::sin(half)]
        }
    };
    let share = random.between(0.0, 1.0);
    let tip = match share {
        _ if share < 0.6 => [STILL, [0.0, 1.0, 0.0, 0.0]][random.below(2)],
        _ if share < 0.85 => [0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0, 0.0],
        _ if share < 0.9 => return random.turn(),
        _ => {
            let half = 0.5 * random.scale(1e-16, 1e-2);
            let about = random.between(0.0, std::f64::consts::TAU);
            [libm::cos(half), libm::sin(half) * libm::cos(about), libm::sin(half) * libm::sin(about), 0.0]
        }
    };
    product(tip, spin)
}

/// A position of B in A's frame at which the signed distance is about that of the place, and the
/// direction along which it came, if that is an axis.
pub fn offset(
    random: &mut Random,
    pair: [&Subject; 2],
    q: [f64; 4],
    aim: Place,
) -> Option<(Vector<f64>, Option<Vector<f64>>)> {
    let reach: f64 = pair.iter().map(|s| s.body.reach + s.body.growth).sum();
    let axis_of_b = rotated(q, [0.0, 0.0, 1.0]);
    let is_parallel = axis_of_b[2].abs() > 1.0 - 1e-4;
    let sign = [1.0, -1.0][random.below(2)];
    if !matches!(aim, Place::Near | Place::Touching | Place::Overlapping) {
        // On one axis, one in the other or beyond it.
        let share = match aim {
            Place::Apart => random.between(0.6, 3.0),
            Place::Inside => [0.0, random.between(0.0, 0.003)][random.below(2)],
            _ => return None,
        };
        let is_coaxial = is_parallel && random.chance(0.5);
        return is_coaxial.then_some(([0.0, 0.0, sign * share * reach], None));
    }
    let (aside, out) = match random.below(4) {
        // On one axis.
        0 | 1 if is_parallel => ([0.0; 3], [0.0, 0.0, sign]),
        // Side by side.
        2 if is_parallel => ([0.0, 0.0, reach * random.between(-0.2, 0.2)], [sign, 0.0, 0.0]),
        0 => ([0.0; 3], [[sign, 0.0, 0.0], [0.0, sign, 0.0], [0.0, 0.0, sign]][random.below(3)]),
        _ => (times(random.direction(), 0.2 * reach * random.between(0.0, 1.0)), random.direction()),
    };
    let smaller = pair.iter().map(|s| s.body.reach + s.body.growth).fold(f64::INFINITY, f64::min);
    let to = match aim {
        Place::Near => smaller * random.scale(1e-13, 1e-2),
        Place::Overlapping => -smaller * if random.chance(0.5) { random.scale(1e-9, 0.2) } else { 0.5 },
        _ => 0.0,
    };
    let start = Placement::new([0.0; 3], STILL);
    let truth = Truth::of(pair, &[start, Placement::new(aside, q)])?;
    let contact = contact(&truth, out, 1.05 * reach)?;
    Some((add(aside, times(out, contact + to)), (out.contains(&1.0) || out.contains(&-1.0)).then_some(out)))
}

/// How far along `out` B touches A, coming from `from`; `None` if it passes.
fn contact(truth: &Truth<'_>, out: Vector<f64>, from: f64) -> Option<f64> {
    let at = |t: f64| truth.likely(times(out, t));
    let (mut before, mut t) = (f64::NAN, from);
    let mut distance = at(t);
    let mut distance_before = f64::NAN;
    for _ in 0..16 {
        let room = if truth.has_torus() { 1e-11 } else { 1e-14 };
        if distance.abs() <= room * truth.size || t < -from {
            break;
        }
        let slope = (distance_before - distance) / (before - t);
        // The secant, if it is no worse than the distance itself.
        let step = if slope > 1e-3 && slope < 1.0 { distance / slope } else { distance };
        (before, distance_before) = (t, distance);
        t -= step;
        distance = at(t);
    }
    (distance.abs() <= 1e-6 * truth.size).then_some(t)
}
