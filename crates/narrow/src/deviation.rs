//! Deviations of the true surfaces of bodies from the stored ones, and brackets that are wider by them.

use clearsweep_model::Shape;

/// The deviations of two bodies together, rounded up, metres.
pub fn deviation_of(a: &Shape, b: &Shape) -> f64 {
    match (a.deviation, b.deviation) {
        (0.0, alone) | (alone, 0.0) => alone,
        (one, other) => (one + other).next_up(),
    }
}

/// A bracket that reaches farther at each end by so many metres, rounded outward.
pub fn widened([lower, upper]: [f64; 2], by: f64) -> [f64; 2] {
    if by == 0.0 { [lower, upper] } else { [(lower - by).next_down(), (upper + by).next_up()] }
}

/// The lower end, at most, of a bracket that is at most `within` when it is widened.
pub(super) fn reached(within: f64, by: f64) -> f64 {
    // The sum and the widening round by far less.
    (within + by) * (1.0 + 8.0 * f64::EPSILON)
}

/// An upper end as far as the stored bodies prove it of the true ones: of bodies of which one is a decomposition, overlapping pieces
/// prove no more than that the surfaces meet, but for the growth of both ([`Shape::proven_depth`]).
pub fn proven_upper(a: &Shape, b: &Shape, upper: f64) -> f64 {
    not_below(upper, -a.proven_depth(b))
}

/// The larger one; an end without a proof stays so.
pub(super) fn not_below(upper: f64, least: f64) -> f64 {
    if upper < least { least } else { upper }
}
