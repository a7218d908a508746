//! The search that collects a front: pairs of leaves that the next motion may bring near.

use super::front::{FEW_PAIRS, MOST_PAIRS, MeshFront, identities};
use super::line_gap::leaf_gap;
use super::search::{MeshSearch, OpenPair};
use clearsweep_geometry::mesh::TriangleMesh;

/// A short step, in sizes of a leaf.
const SHORT: f64 = 0.5;

/// The least motion of a front, in sizes of a leaf: also bodies at rest move by rounding.
const LEAST: f64 = 1e-3;

/// Comparisons that a front may cost, in those of a search.
const COST_RATIO: usize = 2;

impl MeshSearch<'_> {
    /// Collects the pairs of leaves that the motion `ahead` (to the next sample, and at most in all
    /// to come, metres) may bring within reach, nearest first, as far as memory goes and
    /// comparisons pay.
    pub(super) fn collect(&mut self, front: &mut MeshFront, [step, ahead]: [f64; 2]) {
        // Bounds tell leaves apart by about their size: larger steps leave nothing to rule out.
        let size = |mesh: &TriangleMesh| mesh.radius() / (mesh.node_counts()[1] as f64).sqrt();
        let size = size(self.place.a).max(size(self.place.b));
        // The limit may grow by the motion, and what is left out come nearer by it. At the end of a
        // block the next one is likely alike.
        let skin = (2.0 * ahead).max(0.5 * front.skin).max(LEAST * size);
        if step.is_nan() || step >= SHORT * size || skin == f64::INFINITY {
            front.at = None;
            return;
        }
        // One motion without bounds is not that of all to come.
        front.skin = skin;
        let needed = self.nearest.reach();
        self.nearest.limit += front.skin;
        (front.of, front.used) = (identities(self.place), 0);
        front.reach = self.nearest.reach();
        front.pairs.clear();
        self.capped = false;
        let most = front.cost.clamp(FEW_PAIRS, MOST_PAIRS);
        let last = self.memory.counts[1] + COST_RATIO * front.cost;
        self.begin_nearest_first();
        while let Some(OpenPair { bound2, nodes }) = self.next_leaves(last) {
            let gap = leaf_gap(self.place, &self.frames, &mut self.memory.intervals, nodes);
            front.pairs.push((bound2.sqrt().max(gap), nodes));
            if front.pairs.len() == most {
                break;
            }
        }
        if let Some(farther) = self.memory.open.first() {
            front.reach = front.reach.min(farther.bound2.sqrt());
        }
        let reach = front.reach;
        front.pairs.retain(|pair| pair.0 <= reach);
        front.pairs.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        front.at = (front.reach > needed).then(|| (self.place.pose, self.place.error()));
    }
}
