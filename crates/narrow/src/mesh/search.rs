//! The nearest triangles of two meshes: both trees are descended together, nearest boxes first.
//! Pairs farther than the nearest so far are skipped (Larsen, Gottschalk, Lin, Manocha 1999: the
//! library PQP of Lin's survey, section 8).
//!
//! The caps that the supporting planes along the first axis leave of both meshes are found
//! beforehand, in each tree by itself (`supports.rs`).
//!
//! Each pair of triangles has one distance, so the answer does not depend on the order of the
//! search, on the memory, or on the axes along which boxes are compared.

use super::best_pair::BestPair;
pub(super) use super::best_pair::SurfaceDistance;
use super::bounds::{ChildBounds, IntervalCache, NodeCache, OpenNode, child_intervals, children};
use super::eight_pairs::EightPairs;
use super::front::MeshFront;
use super::leaf_gaps::{LeafGaps, LeafTriangles};
use super::line_gap::{leaf_gap, line_gap};
use super::pair_distance::NearestTriangles;
use super::place::MeshPlace;
use super::supports::{Cap, Supports, Turn};
use crate::branch_and_bound::{BestFirst, DepthFirst, Part};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{Child, NodeId, SearchFrame, WIDTH};
use std::cmp::Ordering;

/// Turns of the frame in a search, at most.
const TURNS: usize = 6;

/// Descents before the search, while the normal changes.
const DESCENTS: usize = 6;

/// Working memory of searches.
#[derive(Debug, Default)]
pub(super) struct MeshSearchMemory {
    pub(super) intervals: [IntervalCache; 2],
    pub(super) open: BestFirst<OpenPair>,
    bounds: ChildBounds,
    /// Triangles of the leaves of A and of B that the search has met.
    pub(super) leaves: [NodeCache<LeafTriangles>; 2],
    pub(super) gaps: LeafGaps,
    pub(super) pending: EightPairs,
    near: Vec<NearChildren>,
    pub(super) heights: DepthFirst<OpenNode<()>>,
    pub(super) caps: [Cap; 2],
    /// The direction that the last search looked along.
    axis: Option<Vec3<f64>>,
    /// Pairs of triangles looked at, and pairs of nodes: by the last search.
    pub counts: [usize; 2],
}

/// Two nodes whose triangles are to be compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenPair {
    /// Their boxes are at least this far apart, squared, square metres.
    pub(super) bound2: f64,
    pub(super) nodes: [NodeId; 2],
}

impl Part for OpenPair {
    /// Nearer boxes come first.
    fn order(&self, other: &Self) -> Ordering {
        other.bound2.total_cmp(&self.bound2).then(self.nodes.cmp(&other.nodes))
    }
}

/// Two children, or the nodes themselves.
#[derive(Debug, Clone, Copy)]
struct NearChildren {
    /// Their boxes are at least this far apart, squared, square metres.
    bound2: f64,
    lanes: [u8; 2],
}

impl MeshSearchMemory {
    /// The first axis of the last search, in A's frame: distant bodies are likely apart along it.
    pub(super) fn axis(&self) -> Vec3<f64> {
        self.axis.unwrap_or(Vec3::ZERO)
    }
}

/// A search under way.
pub(super) struct MeshSearch<'a> {
    pub(super) place: &'a MeshPlace<'a>,
    pub(super) memory: &'a mut MeshSearchMemory,
    pub(super) frames: [SearchFrame; 2],
    /// Heights along the first axis of the frames.
    pub(super) supports: Supports,
    /// Whether the caps of both are known along it.
    pub(super) capped: bool,
    pub(super) nearest: BestPair<'a>,
    /// Whether the last triangles were nearer than all before: then the next are compared at once.
    pub(super) is_improving: bool,
}

/// Start of a search. It does not change the answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchStart {
    /// Triangles that are likely near.
    pub triangles: [u32; 2],
    /// A unit direction, in A's frame, along which the bodies are likely apart.
    pub axis: Vec3<f64>,
}

/// Memory of a pair of meshes from sample to sample.
#[derive(Debug, Clone, Default)]
pub(crate) struct MeshPairMemory {
    /// End of the last search that found triangles.
    start: Option<SearchStart>,
    pub(super) front: MeshFront,
}

impl MeshPairMemory {
    /// Whether it holds anything.
    pub(crate) fn is_useful(&self) -> bool {
        self.start.is_some()
    }

    /// Bytes that it takes, with what it points to.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.front.bytes()
    }
}

/// The nearest triangles of two meshes, if they are not beyond `cutoff` (metres).
pub(super) fn nearest(
    place: &MeshPlace<'_>,
    cutoff: f64,
    start: Option<SearchStart>,
    memory: &mut MeshSearchMemory,
) -> SurfaceDistance {
    let mut search = MeshSearch::started(place, cutoff, start, memory);
    search.run(None);
    search.finish(cutoff)
}

/// Searches like [`nearest`], from the memory of a pair. `ahead`: how far B moves in A's frame to
/// the next sample, and at most in all samples to come, metres; called only if it is needed.
pub(super) fn nearest_again(
    place: &MeshPlace<'_>,
    cutoff: f64,
    pair: &mut MeshPairMemory,
    memory: &mut MeshSearchMemory,
    ahead: impl Fn() -> [f64; 2],
) -> SurfaceDistance {
    let mut search = MeshSearch::started(place, cutoff, pair.start, memory);
    let began = search.run(Some(&pair.front));
    let (distance, axis) = (search.finish(cutoff), search.frames[0].axes[0]);
    match distance {
        SurfaceDistance::Apart(NearestTriangles { triangles, .. }) | SurfaceDistance::Touching(triangles) => {
            pair.start = Some(SearchStart { triangles, axis });
        }
        SurfaceDistance::Beyond(_) => {}
    }
    let compared = search.memory.counts[1];
    let is_pointless = matches!(distance, SurfaceDistance::Touching(_)) || search.nearest.limit == f64::INFINITY;
    if pair.front.is_wanted(compared, began) && !is_pointless {
        search.collect(&mut pair.front, ahead());
    }
    distance
}

impl<'a> MeshSearch<'a> {
    /// Nothing is known.
    pub(super) fn new(
        place: &'a MeshPlace<'a>,
        cutoff: f64,
        axes: SearchFrame,
        memory: &'a mut MeshSearchMemory,
    ) -> Self {
        memory.counts = [0; 2];
        let frames = [axes, axes.in_b(&place.pose)];
        let mut search = Self {
            place,
            memory,
            frames,
            supports: Supports::UNKNOWN,
            capped: false,
            nearest: BestPair::new(place, cutoff),
            is_improving: true,
        };
        search.memory.pending.count = 0;
        for (of, mesh) in search.memory.leaves.iter_mut().zip([place.a, place.b]) {
            of.forget(mesh.node_counts()[1]);
        }
        search.forget();
        search
    }

    /// Starts from what is known of the pair, or by descending along the line between the bodies.
    pub(super) fn started(
        place: &'a MeshPlace<'a>,
        cutoff: f64,
        start: Option<SearchStart>,
        memory: &'a mut MeshSearchMemory,
    ) -> Self {
        let count = [place.a.triangles().len(), place.b.triangles().len()];
        let start = start.filter(|s| (0..2).all(|k| (s.triangles[k] as usize) < count[k]));
        let axis = start.map_or_else(|| place.line(), |s| s.axis);
        let mut search = Self::new(place, cutoff, SearchFrame::along(axis), memory);
        let frames = search.frames;
        search.supports = search.supports_of(&frames, start.map(|s| s.triangles));
        if let Some(SearchStart { triangles: [a, b], .. }) = start {
            search.nearest.compare(a, b);
            search.turn();
        }
        if start.is_none() || search.supports.gap() <= 0.0 {
            // Along the normal of a pair boxes tell apart what is near from what is nearest.
            for _ in 0..DESCENTS {
                search.descend();
                if search.turn() == Turn::Stays {
                    break;
                }
            }
        }
        search
    }

    /// Forgets what is known along other axes.
    pub(super) fn forget(&mut self) {
        let meshes = [self.place.a, self.place.b];
        self.memory.intervals.iter_mut().zip(meshes).for_each(|(cache, mesh)| cache.clear(mesh));
    }

    /// Descends to the boxes whose middles are nearest, down to two triangles: a first pair.
    fn descend(&mut self) {
        let mut nodes = self.roots();
        loop {
            let (whole, lanes) = self.nearest_middles(nodes);
            if let [Child::Leaf(a), Child::Leaf(b)] = nodes.map(NodeId::get) {
                let [a, b] = [self.place.a.leaf(a).start, self.place.b.leaf(b).start];
                return self.nearest.compare(a + u32::from(lanes[0]), b + u32::from(lanes[1]));
            }
            nodes = children(self.place, nodes, whole, lanes);
        }
    }

    /// Finds the children of two nodes with the nearest middles, and which nodes are taken whole.
    fn nearest_middles(&mut self, nodes: [NodeId; 2]) -> ([bool; 2], [u8; 2]) {
        let ([a, b], whole) = child_intervals(&mut self.memory.intervals, self.place, &self.frames, nodes);
        let mut least = (f64::INFINITY, [0; 2]);
        for i in 0..a.count() {
            for j in 0..b.count() {
                let between = Vec3::from([0, 1, 2].map(|k: usize| a.middle(k, i) - b.middle(k, j)));
                if between.length2() < least.0 {
                    least = (between.length2(), [i as u8, j as u8]);
                }
            }
        }
        (whole, least.1)
    }

    pub(super) fn roots(&self) -> [NodeId; 2] {
        [self.place.a.root(), self.place.b.root()]
    }

    /// Compares the nearest leaves, until none can be nearer than the nearest pair. Returns how
    /// many pairs of a front it began from, if it did.
    pub(super) fn run(&mut self, front: Option<&MeshFront>) -> Option<usize> {
        if self.nearest.touching.is_some() {
            return None;
        }
        if self.supports.gap() > self.nearest.reach() {
            self.nearest.leave_out(self.supports.gap());
            return None;
        }
        self.cap();
        if let Some(began) = front.and_then(|front| self.compare_front(front)) {
            return Some(began);
        }
        let (mut turns, mut turned_at) = (TURNS, self.nearest.limit);
        self.begin_nearest_first();
        while let Some(OpenPair { nodes, .. }) = self.next_leaves(usize::MAX) {
            if !self.capped {
                let gap = leaf_gap(self.place, &self.frames, &mut self.memory.intervals, nodes);
                if gap > self.nearest.reach() {
                    self.nearest.leave_out(gap);
                    continue;
                }
            }
            self.compare_leaves(nodes);
            if self.nearest.touching.is_some() {
                break;
            }
            if turns > 0 && self.nearest.limit < turned_at {
                turned_at = self.nearest.limit;
                let turn = self.turn();
                turns -= usize::from(turn != Turn::Stays);
                if turn == Turn::Separates {
                    self.cap();
                }
            }
        }
        if let Some(farther) = self.memory.open.first() {
            self.nearest.leave_out(farther.bound2.sqrt());
        }
        self.compare_pending();
        None
    }

    /// Opens the roots of both trees.
    pub(super) fn begin_nearest_first(&mut self) {
        self.memory.open.clear();
        self.memory.open.push(OpenPair { bound2: 0.0, nodes: self.roots() });
    }

    /// The next two leaves that are in the caps and within reach, nearest boxes first, while no
    /// more than `most` pairs of nodes were compared.
    #[inline]
    pub(super) fn next_leaves(&mut self, most: usize) -> Option<OpenPair> {
        loop {
            let (reach2, is_over) = (self.reach2(), self.memory.counts[1] > most);
            let pair = self.memory.open.next_unless(|pair| is_over || pair.bound2 > reach2)?;
            if self.capped && self.lanes(pair.nodes).contains(&0) {
                continue;
            }
            if pair.nodes.iter().all(|node| node.is_leaf()) {
                return Some(pair);
            }
            self.open_children(pair);
        }
    }

    /// Compares the pairs of a front that the motion since leaves, if it holds all near pairs and
    /// no plane rules out more. Returns their number.
    fn compare_front(&mut self, front: &MeshFront) -> Option<usize> {
        if self.capped {
            return None;
        }
        let motion = front.motion(self.place)?;
        let (pairs, gap) = front.within(self.nearest.reach(), motion)?;
        self.nearest.leave_out(gap);
        for &(bound, leaves) in pairs {
            if bound - motion > self.nearest.reach() {
                // All that are left are farther.
                self.nearest.leave_out(bound - motion);
                break;
            }
            if self.nearest.touching.is_some() {
                break;
            }
            self.compare_leaves(leaves);
        }
        self.compare_pending();
        Some(pairs.len())
    }

    /// Opens the near children of two nodes.
    #[inline]
    fn open_children(&mut self, OpenPair { bound2: of_parents, nodes }: OpenPair) {
        let whole = self.compare_boxes(nodes);
        let (reach, mut gap) = (self.nearest.reach(), f64::INFINITY);
        let MeshSearchMemory { near, open, .. } = &mut *self.memory;
        for near in near.iter() {
            let mut bound2 = near.bound2.max(of_parents);
            if let ([Child::Inner(a), Child::Inner(b)], [false, false]) = (nodes.map(NodeId::get), whole) {
                let along = line_gap(self.place, [a, b], near.lanes);
                if along > reach {
                    gap = gap.min(along);
                    continue;
                }
                bound2 = if along > 0.0 { bound2.max(along * along) } else { bound2 };
            }
            open.push(OpenPair { bound2, nodes: children(self.place, nodes, whole, near.lanes) });
        }
        self.nearest.leave_out(gap);
    }

    /// The children of two nodes that are in the caps.
    #[inline]
    pub(super) fn lanes(&self, nodes: [NodeId; 2]) -> [u8; 2] {
        let caps = &self.memory.caps;
        [caps[0].of(self.place.a, nodes[0]), caps[1].of(self.place.b, nodes[1])]
    }

    /// The square of the distance beyond which pairs are left out.
    #[inline(always)]
    fn reach2(&self) -> f64 {
        let reach = self.nearest.reach();
        reach * reach
    }

    /// The answer.
    fn finish(&mut self, cutoff: f64) -> SurfaceDistance {
        self.memory.axis = Some(self.frames[0].axes[0]);
        self.memory.counts[0] = self.nearest.compared;
        self.nearest.finish(cutoff)
    }

    /// Compares the children of two nodes, or those of one with the whole other: `near` gets those
    /// within reach. Returns which of the nodes are taken whole.
    pub(super) fn compare_boxes(&mut self, nodes: [NodeId; 2]) -> [bool; 2] {
        let (intervals, whole) = child_intervals(&mut self.memory.intervals, self.place, &self.frames, nodes);
        let (reach, bounds) = (self.nearest.reach(), &mut self.memory.bounds);
        let (mut kept, gap) = self.supports.keep(intervals, whole, reach);
        if self.capped {
            let caps = &self.memory.caps;
            let lanes = [caps[0].of(self.place.a, nodes[0]), caps[1].of(self.place.b, nodes[1])];
            for k in 0..2 {
                kept[k] &= if whole[k] { u8::from(lanes[k] != 0) } else { lanes[k] };
            }
        }
        bounds.compare(intervals, kept, reach * reach);
        let near = &mut self.memory.near;
        near.clear();
        for (i, (row, bound2)) in bounds.near.iter().zip(&bounds.bound2).enumerate() {
            let mut row = *row;
            while row != 0 {
                let j = row.trailing_zeros() as usize % WIDTH;
                row &= row - 1;
                near.push(NearChildren { bound2: bound2[j], lanes: [i as u8, j as u8] });
            }
        }
        self.nearest.leave_out(gap.min(bounds.far2().sqrt()));
        self.memory.counts[1] += 1;
        whole
    }

    /// The near children of two nodes that were compared, each pair with its lanes.
    pub(super) fn near_children(
        &self,
        nodes: [NodeId; 2],
        whole: [bool; 2],
    ) -> impl DoubleEndedIterator<Item = ([u8; 2], [NodeId; 2])> {
        self.memory.near.iter().map(move |near| (near.lanes, children(self.place, nodes, whole, near.lanes)))
    }
}
