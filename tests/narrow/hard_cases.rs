//! Situations in which published libraries have answered wrongly, thrown, cycled or returned NaN:
//! one named test each.
//!
//! The number in a name is the number of the case in HARD_CASES. Every pair is checked against the
//! oracle and for the invariants (`check_invariants`): finite, certified, witness identity, swap,
//! rigid motion, warm = cold, that the depth separates, and that every route of the pair solver
//! gives the same row (`every_route`).

mod contact;
mod proportions;
mod robustness;
mod shapes;

use clearsweep_testing::bridge;
use clearsweep_testing::oracle::{self, Placement};

/// No turn.
const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// A placement without a turn.
fn at(x: f64, y: f64, z: f64) -> Placement {
    Placement::new([x, y, z], STILL)
}

/// A placement turned by an angle (radians) about an axis that need not be of unit length.
fn turned(position: [f64; 3], axis: [f64; 3], angle: f64) -> Placement {
    let length = oracle::number::norm(axis);
    let (c, s) = (libm::cos(angle / 2.0), libm::sin(angle / 2.0) / length);
    Placement::new(position, [c, axis[0] * s, axis[1] * s, axis[2] * s])
}

/// The placement of B moved along the oracle's normal to the signed distance `gap`. The position
/// keeps its rest, so that gaps of 1e-12 are what they say.
fn brought_to(a: &bridge::Solid, pa: &Placement, b: &bridge::Solid, pb: &Placement, gap: f64) -> Placement {
    let truth = oracle::signed_distance(&a.body, pa, &b.body, pb);
    let step = (oracle::number::Wide(gap, 0.0) - truth.distance).0;
    oracle::families::moved(pb, oracle::number::times(truth.normal, step))
}
