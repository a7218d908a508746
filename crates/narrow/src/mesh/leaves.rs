//! The triangles of two leaves in a search: planes rule out most pairs, bounds of eight at a time
//! most others, and what is left is compared one by one.

use super::leaf_gaps::LeafTriangles;
use super::search::{MeshSearch, MeshSearchMemory};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{Child, NodeId, WIDTH};

/// Pairs of triangles so few that their bounds cost more than they save.
const FEW: usize = 1;

/// Leaves of a mesh whose triangles are kept, at most: 18 MB.
const MOST_LEAVES: usize = 1 << 14;

/// Two leaves that were met: their places in memory, and their first triangles.
#[derive(Debug, Clone, Copy)]
struct MetLeaves {
    places: [u32; 2],
    starts: [u32; 2],
}

impl MetLeaves {
    /// The triangles in two lanes.
    fn triangles(&self, lanes: [usize; 2]) -> [u32; 2] {
        [0, 1].map(|k: usize| self.starts[k] + lanes[k] as u32)
    }
}

impl MeshSearch<'_> {
    /// Compares the triangles of two leaves. Pairs that no plane rules out wait until eight fill
    /// the SIMD lanes, unless they are likely nearer than all before.
    pub(super) fn compare_leaves(&mut self, leaves: [NodeId; 2]) {
        let Some(met) = self.bound_leaves(leaves, |_, _| ()) else { return };
        for lanes in self.memory.gaps.near() {
            let MeshSearchMemory { leaves: [of_a, of_b], pending, .. } = &mut *self.memory;
            pending.push([of_a.at(met.places[0]), of_b.at(met.places[1])], lanes, met.triangles(lanes));
            if pending.is_full() {
                self.compare_pending();
            }
        }
        if self.is_improving {
            self.compare_pending();
        }
    }

    /// Finds the triangles of two leaves that neither `rule_out` (bit `j` of row `i`, from the
    /// triangles of A's leaf) nor planes rule out, in the order of the trees.
    pub(super) fn near_triangles<F>(
        &mut self,
        leaves: [NodeId; 2],
        rule_out: F,
    ) -> impl Iterator<Item = [u32; 2]> + use<F>
    where
        F: FnOnce(&LeafTriangles, &mut [u8; WIDTH]),
    {
        let met = self.bound_leaves(leaves, rule_out);
        let near = self.memory.gaps.near();
        met.into_iter().flat_map(move |met| near.clone().map(move |lanes| met.triangles(lanes)))
    }

    /// Bounds the distances of the triangles of two leaves that `rule_out` leaves by their planes;
    /// `None` if one is no leaf, or none is left.
    fn bound_leaves(
        &mut self,
        leaves: [NodeId; 2],
        rule_out: impl FnOnce(&LeafTriangles, &mut [u8; WIDTH]),
    ) -> Option<MetLeaves> {
        let [Child::Leaf(a), Child::Leaf(b)] = leaves.map(NodeId::get) else { return None };
        let (place, reach) = (self.place, self.nearest.reach());
        let ranges = [place.a.leaf(a), place.b.leaf(b)];
        let lanes = if self.capped { self.lanes(leaves) } else { [u8::MAX; 2] };
        let [rows, columns] = [0, 1].map(|k: usize| lanes[k] & (u8::MAX >> (WIDTH - ranges[k].len())));
        let mut near = [0; WIDTH];
        near.iter_mut().enumerate().for_each(|(row, near)| *near = if rows >> row & 1 == 1 { columns } else { 0 });
        let axis = self.nearest.pair.as_ref().map_or(Vec3::ZERO, |best| best.normal);
        let MeshSearchMemory { leaves: [of_a, of_b], gaps, counts, .. } = &mut *self.memory;
        counts[1] += 1;
        of_a.keep_fewer_than(MOST_LEAVES);
        of_b.keep_fewer_than(MOST_LEAVES);
        let place_a = of_a.place(a as usize, || LeafTriangles::new(place.a, a, |p| p));
        rule_out(of_a.at(place_a), &mut near);
        if near == [0; WIDTH] {
            return None;
        }
        let place_b = of_b.place(b as usize, || LeafTriangles::new(place.b, b, |p| place.pose.point(p)));
        gaps.compare([of_a.at(place_a), of_b.at(place_b)], near, axis, reach);
        self.nearest.leave_out(gaps.far());
        Some(MetLeaves { places: [place_a, place_b], starts: ranges.map(|range| range.start) })
    }

    /// Compares the triangles that wait: those whose bounds do not rule them out.
    pub(super) fn compare_pending(&mut self) {
        let pending = std::mem::take(&mut self.memory.pending.count);
        if pending == 0 {
            return;
        }
        let before = self.nearest.limit;
        let bounds = if pending > FEW { self.memory.pending.bounds() } else { [f64::NAN; WIDTH] };
        for (bound, [a, b]) in bounds.into_iter().zip(self.memory.pending.triangles).take(pending) {
            if bound > self.nearest.reach() {
                self.nearest.leave_out(bound);
            } else if self.nearest.touching.is_none() {
                self.nearest.compare(a, b);
            }
        }
        self.is_improving = self.nearest.limit < before;
    }
}
