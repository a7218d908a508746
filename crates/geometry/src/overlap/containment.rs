//! A proof that one body lies inside of another.

use super::aabb::Aabb;
use super::frame::{Frames, MOVED};
use super::{Solid, cells};
use crate::Pose;

/// Vertices of the inner body that are tested before cells.
const VERTICES: usize = 64;

/// Whether all of `inner` is proven to lie in `outer`, each at the pose of its recentred frame.
/// `budget`: most cells of an octree that are tested; each cell that `inner` may reach has to lie
/// in `outer` as a whole. Bodies without a known inside contain nothing and are in nothing.
///
/// If one sticks out of the other, a corner mostly shows it at once.
pub fn is_inside(inner: Solid<'_>, outer: Solid<'_>, pose_inner: &Pose, pose_outer: &Pose, budget: usize) -> bool {
    let Some(frames) = Frames::new([&inner, &outer], [pose_inner, pose_outer]).filter(|frames| frames.has_range) else {
        return false;
    };
    let Some((root, around)) = inner.bounds(&frames, 0).zip(outer.bounds(&frames, 1)) else { return false };
    if (0..3).any(|k| root.low[k] < around.low[k] || root.high[k] > around.high[k]) {
        return false;
    }
    let Some((inner_region, outer_region)) = inner.region(&frames, 0).zip(outer.region(&frames, 1)) else {
        return false;
    };
    let at = |point| Aabb::around([point], MOVED * frames.unit);
    let vertices = inner.hulls(&frames, 0).concat();
    let step = vertices.len().div_ceil(VERTICES).max(1);
    let sticks_out = |&vertex: &_| outer_region.within(&at(vertex), frames.unit).is_outside;
    if vertices.iter().step_by(step).any(sticks_out) {
        return false;
    }
    let (mut open, mut looked) = (vec![root], 0);
    while let Some(cell) = open.pop() {
        looked += 1;
        if looked > budget {
            return false;
        }
        if outer_region.within(&cell, frames.unit).share[0] < 1.0 && !inner_region.within(&cell, frames.unit).is_outside
        {
            open.extend(cells::octants(&cell));
        }
    }
    true
}
