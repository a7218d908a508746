//! Deviations of the true surfaces of bodies from the stored ones: the door between answers about
//! the stored bodies and answers about the true ones.
//!
//! If at no point the signed distance to a true body differs from that to the stored one by more
//! than `d`, in sum over both bodies, the true signed distance of convex bodies differs from that
//! of the stored ones by at most `d` (docs/guide/bracket.md). A decomposition of one piece may fill
//! a hole of the true body: then the upper end of bodies that overlap is `d`. The lower end of
//! bodies of pieces and meshes that overlap needs a translation that separates the bodies inflated
//! by `d`: their narrow phases search for it.
//!
//! | answer | door | what comes in |
//! | --- | --- | --- |
//! | row | `Deviation::row`, called by `driver.rs` and `directional/meshes.rs` | `StoredRow`, and the search for the inflated bodies |
//! | bracket at one time of an interval | `Deviation::bracket`, called by `interval/bodies.rs` | the bracket of two pieces |
//! | bound over an interval | `interval/support_gap.rs`, `Hulls::reach`; `interval/surfaces/node_pairs.rs`, `SurfaceParts::off` | the gap of the cores |
//! | interval of a direction | `Deviation::margins`, called by `directional/` | margins of pieces on a line |

use super::answer::with_bracket;
use clearsweep_geometry::Vec3;
use clearsweep_model::{Proximity, QueryOptions, Shape, Status};

/// How far the true surfaces of two bodies may be off the stored ones.
#[derive(Debug, Clone, Copy)]
pub struct Deviation {
    /// The deviations of both bodies together, rounded up, metres.
    pub by: f64,
    /// An overlap of the stored bodies proves no larger depth of the true ones, metres
    /// ([`Shape::proven_depth`]).
    proven_depth: f64,
}

/// A row about the stored bodies.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredRow {
    pub(super) row: Proximity,
    /// The upper end, proven without surfaces that cross: these say nothing of surfaces near to
    /// them. Metres.
    pub(super) upper: f64,
    /// The value if the bodies touch, metres: the end of the bracket near 0; `None`: that of the
    /// row.
    pub(super) near_zero: Option<f64>,
}

impl StoredRow {
    /// A row whose proof rests on no surfaces that cross.
    pub(super) fn new(row: Proximity) -> Self {
        Self { row, upper: row.upper, near_zero: None }
    }

    /// A row that says no more than that the stored bodies overlap. Decompositions may touch all
    /// the same.
    pub(super) fn of_overlap(row: Proximity) -> Self {
        Self { near_zero: Some(0.0), ..Self::new(row) }
    }
}

impl Deviation {
    /// The bodies are known exactly.
    pub(super) const NONE: Self = Self { by: 0.0, proven_depth: f64::INFINITY };

    /// The deviation of two bodies.
    pub fn of(a: &Shape, b: &Shape) -> Self {
        Self { by: deviation_of(a, b), proven_depth: a.proven_depth(b) }
    }

    /// The cut-off for the stored bodies: no true bodies within the cut-off are farther apart.
    /// Metres.
    pub(super) fn cutoff(&self, within: f64) -> f64 {
        // The sum and the widening round by far less.
        if self.by == 0.0 { within } else { (within + self.by) * (1.0 + 8.0 * f64::EPSILON) }
    }

    /// The bracket of the true bodies, from that of the stored ones. Decompositions that overlap
    /// prove no more than that the surfaces meet, but for the growth of both.
    pub fn bracket(&self, [lower, upper]: [f64; 2]) -> [f64; 2] {
        if self.by == 0.0 {
            return [lower, upper];
        }
        // An end without a proof stays so.
        let upper = if upper < -self.proven_depth { -self.proven_depth } else { upper };
        widened([lower, upper], self.by)
    }

    /// The row about the true bodies. `inflated`: finds a lower end for the stored bodies inflated
    /// by a length together (metres), and the direction of its translation; `None` if the widened
    /// one stands, as it does for convex bodies.
    pub(super) fn row(
        &self,
        stored: StoredRow,
        options: &QueryOptions,
        inflated: impl FnOnce(f64) -> Option<(f64, Vec3<f64>)>,
    ) -> Proximity {
        let mut row = stored.row;
        if self.by > 0.0 {
            let [mut lower, upper] = self.bracket([row.lower, stored.upper]);
            // A translation that separates the stored bodies may press the inflated ones together
            // elsewhere.
            if lower < 0.0
                && let Some((end, normal)) = inflated(self.by)
            {
                lower = end;
                // It may be found along another, better direction.
                if row.distance < end {
                    (row.distance, row.normal) = (end, normal);
                }
            }
            row = with_bracket(row, [lower, upper], options);
        }
        match stored.near_zero {
            // A depth that is hardly proven, or not at all.
            Some(distance) if row.status == Status::Touching => Proximity { distance: distance.min(row.upper), ..row },
            _ => row,
        }
    }

    /// Margins of two pieces on a line, metres: added to the growth for the ends at which the
    /// bodies may meet, and for those at which they are proven to. `are_convex`: both bodies.
    /// Pieces that overlap prove nothing of true bodies that may have holes there.
    pub(super) fn margins(&self, are_convex: bool) -> [f64; 2] {
        let proves = self.by == 0.0 || (are_convex && self.proven_depth == f64::INFINITY);
        [self.by, if proves { -self.by } else { f64::NEG_INFINITY }]
    }
}

/// The deviations of two bodies together, rounded up, metres.
pub(super) fn deviation_of(a: &Shape, b: &Shape) -> f64 {
    let sum = |one: f64, other: f64| match (one, other) {
        (0.0, alone) | (alone, 0.0) => alone,
        (one, other) => (one + other).next_up(),
    };
    // Rounded pieces of different radii are polyhedra beside a mesh.
    let stored = |one: &Shape, other: &Shape| sum(one.deviation, one.surface_excess(other));
    sum(stored(a, b), stored(b, a))
}

/// A bracket wider by `by` metres at each end, rounded outward.
pub fn widened([lower, upper]: [f64; 2], by: f64) -> [f64; 2] {
    if by == 0.0 { [lower, upper] } else { [(lower - by).next_down(), (upper + by).next_up()] }
}
