//! Bodies far from their own origins, as parts in the coordinates of a plant are: the engine
//! recentres them, the verifier takes the numbers of the input.

use crate::oracle::Placement;
use crate::oracle::families::{self as bodies, Random, Recipe, rounded};
use crate::oracle::number::{add, times};
use crate::recheck::families::{Walk, product};
use crate::recheck::solid::Solid;

/// Places of the drawings, metres: far along one, two or three axes. On the grid of their lattices.
const OFFSETS: [[f64; 3]; 3] = [[6_000.0, 0.125, -0.5], [-12.25, 0.0, 3_000.625], [700.5, -40.0, -900.0]];

/// Returns body `i`: a body of a lattice, whose faces lie in common planes, or any body. Successive
/// bodies belong to the drawings in turn.
pub fn drawn(random: &mut Random, i: usize) -> Recipe {
    let within = i / OFFSETS.len();
    let recipe =
        if within.is_multiple_of(3) { bodies::compact(random, within / 3) } else { bodies::tied(random, within) };
    let place = [0; 3].map(|_| random.below(7) as f64 * 0.125 - 0.375);
    let offset = add(OFFSETS[i % OFFSETS.len()], place);
    Recipe { points: recipe.points.iter().map(|&p| add(p, offset)).collect(), ..recipe }
}

/// Two bodies of one drawing at a sequence of poses; in one sample of three B has moved by a
/// little.
pub fn carried(random: &mut Random, pool: &[Solid]) -> Walk {
    let first = random.below(pool.len());
    let others = pool.len() / OFFSETS.len();
    let bodies = [first, first % OFFSETS.len() + OFFSETS.len() * random.below(others)];
    let samples = (0..64).map(|s| {
        let q = if random.chance(0.4) { random.quarter_turn() } else { random.turn() };
        let far = [0.0, 10.0, 1e5][random.below(3)];
        let pa = Placement::new([0; 3].map(|_| random.between(-far, far)), q);
        if s % 3 > 0 {
            return (pa, pa);
        }
        let step = times(random.direction(), random.scale(1e-17, 0.3));
        let nudge = times(random.direction(), random.scale(1e-20, 1e-6));
        let q = product(q, [1.0, nudge[0], nudge[1], nudge[2]]);
        (pa, rounded(Placement::new(add(pa.position, step), q)))
    });
    Walk { bodies, samples: samples.collect(), known: Vec::new(), within: f64::INFINITY }
}
