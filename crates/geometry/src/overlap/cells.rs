//! The octree over the box of the overlap.

use super::Local;
use super::aabb::Aabb;
use super::regions::Region;
use crate::Vec3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A cell and what is proven of the overlap in it.
struct Cell {
    bounds: Aabb,
    /// Bounds of the volume of the overlap in it, cubic metres.
    volume: [f64; 2],
    /// Number of the cell: of equal ones the earlier comes first.
    number: usize,
}

impl Cell {
    fn undecided(&self) -> f64 {
        self.volume[1] - self.volume[0]
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.undecided().total_cmp(&other.undecided()).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

/// Bounds the overlap of two regions in `root`, which contains it: the cell of largest undecided
/// volume is cut into eight, until `budget` cells have been tested.
pub(super) fn search(regions: [&Region; 2], root: &Aabb, unit: f64, budget: usize) -> Local {
    let mut open = BinaryHeap::new();
    let mut looked = 0;
    let mut look = |bounds: Aabb, open: &mut BinaryHeap<Cell>| {
        looked += 1;
        if let Some(volume) = in_cell(regions, &bounds, unit) {
            open.push(Cell { bounds, volume, number: looked });
        }
        looked
    };
    if budget == 0 {
        return Local { bounds: Some(*root), volume: [0.0, root.volume()] };
    }
    let mut used = look(*root, &mut open);
    while used + 8 <= budget {
        // A cell without volume, or all of whose volume is known, is not worth cutting.
        let Some(cell) = open.pop() else { break };
        if cell.undecided() <= 1e-12 * cell.volume[0] || cell.undecided() <= f64::EPSILON * root.volume() {
            open.push(cell);
            break;
        }
        for part in octants(&cell.bounds) {
            used = look(part, &mut open);
        }
    }
    let sum = |end: usize| open.iter().map(|cell| cell.volume[end]).sum::<f64>();
    let rounding = 1.0 + f64::EPSILON * (open.len() as f64 + 1.0);
    let bounds = open.iter().map(|cell| cell.bounds).reduce(|all, cell| all.with(&cell));
    Local { bounds, volume: [sum(0) / rounding, sum(1) * rounding] }
}

/// Bounds the volume of the overlap in a cell; `None`: there is none.
fn in_cell(regions: [&Region; 2], cell: &Aabb, unit: f64) -> Option<[f64; 2]> {
    let of_first = regions[0].within(cell, unit);
    if of_first.is_outside {
        return None;
    }
    let of_second = regions[1].within(cell, unit);
    if of_second.is_outside {
        return None;
    }
    let (a, b) = (of_first.share, of_second.share);
    let volume = cell.volume();
    // The share of the cell that lies in neither of the two outer parts.
    let lower = (a[0] + b[0] - 1.0 - 4.0 * f64::EPSILON).max(0.0) * (1.0 - 16.0 * f64::EPSILON);
    let lower = if a[0] == 1.0 && b[0] == 1.0 { 1.0 - 16.0 * f64::EPSILON } else { lower };
    Some([volume * lower, volume * a[1].min(b[1])])
}

/// The eight parts of a cell.
pub(super) fn octants(cell: &Aabb) -> [Aabb; 8] {
    let middle = cell.middle();
    cell.corners().map(|corner| {
        let low = Vec3::new(corner.x.min(middle.x), corner.y.min(middle.y), corner.z.min(middle.z));
        let high = Vec3::new(corner.x.max(middle.x), corner.y.max(middle.y), corner.z.max(middle.z));
        Aabb { low, high }
    })
}
