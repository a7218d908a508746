//! The branch and bound over tetrahedra, whichever distance is bounded.

use super::tetrahedron::Tetrahedron;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The bound is at most this part above the distance of a point, unless the work is cut short.
pub(super) const EXCESS: f64 = 1.0 / 64.0;

/// Known bounds of the largest distance while it is searched for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// The largest distance of a point found.
    pub(super) found: f64,
    /// Distances up to this one are not told apart.
    pub(super) settled: f64,
}

impl Known {
    /// Returns the bound up to which cells are not refined.
    pub(super) fn threshold(&self) -> f64 {
        self.settled.max(self.found * (1.0 + EXCESS))
    }

    /// A point is so far away.
    pub(super) fn point(&mut self, distance: f64) {
        self.found = self.found.max(distance);
    }
}

/// A part of the set whose points are asked for their distances.
pub(super) struct ReachCell {
    /// No point of the cell that belongs to the set is farther.
    pub(super) upper: f64,
    pub(super) body: Tetrahedron,
    /// The piece it belongs to.
    pub(super) source: u32,
    /// Cuts that led to it.
    pub(super) cuts: u32,
    /// Number of the cell: of equal bounds the earlier one comes first.
    number: u64,
}

impl Ord for ReachCell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.upper.total_cmp(&other.upper).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for ReachCell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ReachCell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ReachCell {}

/// The distance that is bounded.
pub(super) trait Reaching {
    /// An upper bound of the distances of the points of a cell that belong to the set; `None`:
    /// there are none. Tells `known` of the points of the set that it tested.
    fn bound(&mut self, body: &Tetrahedron, source: u32, cuts: u32, known: &mut Known) -> Option<f64>;

    /// The cells that a cell is split into, together the whole of it; none if it is as small as
    /// rounding.
    fn split(&mut self, cell: &ReachCell, parts: &mut Vec<Tetrahedron>);

    /// Whether no more work may be done.
    fn is_exhausted(&self) -> bool;
}

/// An upper bound of the distances of all points of the set, which the cells cover; `steps`:
/// refinements at most.
pub(super) fn largest(
    reaching: &mut impl Reaching,
    cells: impl Iterator<Item = (Tetrahedron, u32)>,
    known: &mut Known,
    steps: usize,
) -> f64 {
    let mut open = BinaryHeap::new();
    let (mut settled, mut number) = (0.0_f64, 0);
    let mut add =
        |body: Tetrahedron, source, cuts, reaching: &mut _, known: &mut Known, open: &mut BinaryHeap<ReachCell>| {
            if let Some(upper) = Reaching::bound(reaching, &body, source, cuts, known) {
                number += 1;
                open.push(ReachCell { upper, body, source, cuts, number });
            }
        };
    for (body, source) in cells {
        add(body, source, 0, reaching, known, &mut open);
    }
    let mut parts = Vec::new();
    for step in 0..=steps {
        let Some(cell) = open.pop() else { break };
        if cell.upper <= known.threshold() || step == steps || reaching.is_exhausted() {
            // This cell has the largest bound of all open cells.
            settled = settled.max(cell.upper);
            break;
        }
        parts.clear();
        reaching.split(&cell, &mut parts);
        if parts.is_empty() {
            settled = settled.max(cell.upper);
        }
        for part in parts.drain(..) {
            add(part, cell.source, cell.cuts + 1, reaching, known, &mut open);
        }
    }
    settled.max(known.found)
}

/// Bound on the rounding of a distance from a cell after `cuts` cuts, with coordinates up to
/// `scale`. With u = 2^-53: a cut places a corner off the line by less than 5 u scale in each
/// coordinate, 9 u scale in all; the nearest point of a triangle, the difference and its length are
/// off by less than 40 u scale together. Both are rounded up.
pub(super) fn rounding(scale: f64, cuts: u32) -> f64 {
    (0.5 * f64::EPSILON * scale * (64.0 + 16.0 * f64::from(cuts))).next_up()
}
