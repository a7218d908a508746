//! How far the true surfaces of bodies may lie from the stored ones, and brackets that are wider by it.

use crate::scene::Shape;

/// The deviations of two bodies together, rounded up, metres.
pub(crate) fn deviation_of(a: &Shape, b: &Shape) -> f64 {
    match (a.deviation, b.deviation) {
        (0.0, alone) | (alone, 0.0) => alone,
        (one, other) => (one + other).next_up(),
    }
}

/// A bracket that reaches farther at each end by so many metres, rounded outward.
pub(crate) fn widened([lower, upper]: [f64; 2], by: f64) -> [f64; 2] {
    if by == 0.0 { [lower, upper] } else { [(lower - by).next_down(), (upper + by).next_up()] }
}
