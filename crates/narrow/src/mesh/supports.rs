//! Heights of two meshes towards each other along one direction, and the triangles above them.
//!
//! Let `top` be the largest height of A along a direction, and `bottom` the least of B. A point of
//! A below `bottom - reach` is farther than `reach` from all of B, and a point of B above `top +
//! reach` from all of A (support mapping: van den Bergen, *Collision Detection in Interactive 3D
//! Environments*, 4.3). Along the normal of the nearest points, what is left of bodies that a plane
//! separates is a few triangles.

use super::bounds::OpenNode;
use crate::branch_and_bound::DepthFirst;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{
    Child, Intervals, NodeId, SearchFrame, TriangleMesh, WIDTH, heights_of_leaf, heights_of_node,
};

/// The heights of both meshes along the first axis of a frame, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct Supports {
    /// No point of A is higher, but for rounding.
    pub(super) top: f64,
    /// No point of B is lower, but for rounding.
    pub(super) bottom: f64,
}

impl Supports {
    /// Heights of meshes that have not been looked at: nothing is ruled out.
    pub(super) const UNKNOWN: Self = Self { top: f64::INFINITY, bottom: f64::NEG_INFINITY };

    /// Finds the heights along the first axis. `starts`: triangles likely highest in A, lowest in
    /// B.
    pub(super) fn new(
        meshes: [&TriangleMesh; 2],
        frames: &[SearchFrame; 2],
        starts: Option<[u32; 2]>,
        open: &mut DepthFirst<OpenNode<()>>,
    ) -> Self {
        let [a, b] = [frames[0].axes[0], -frames[1].axes[0]];
        let top = highest(meshes[0], a, starts.map(|s| s[0]), open) + frames[0].shift[0];
        let bottom = frames[1].shift[0] - highest(meshes[1], b, starts.map(|s| s[1]), open);
        Self { top, bottom }
    }

    /// The gap between supporting planes, metres; negative where they leave none.
    #[inline(always)]
    pub(super) fn gap(&self) -> f64 {
        self.bottom - self.top
    }
}

impl Supports {
    /// Returns the children of two nodes that may be within `reach` (metres) of the other mesh: bit
    /// `i` for lane `i`. Also returns how far the others are from it at least, metres. `whole`: of
    /// the node itself, in lane 0.
    #[inline]
    pub(super) fn keep(&self, [a, b]: [&Intervals; 2], whole: [bool; 2], reach: f64) -> ([u8; 2], f64) {
        let lanes = whole.map(|whole| if whole { 1 } else { u8::MAX });
        let (floor, ceiling) = (self.bottom - reach, self.top + reach);
        let (mut kept, mut highest, mut lowest) = ([0; 2], f64::NEG_INFINITY, f64::INFINITY);
        for i in 0..WIDTH {
            let (high, low) = (a.high[0][i], b.low[0][i]);
            let out = [high < floor, low > ceiling];
            kept = [kept[0] | u8::from(!out[0]) << i, kept[1] | u8::from(!out[1]) << i];
            highest = if out[0] && high > highest { high } else { highest };
            lowest = if out[1] && low < lowest { low } else { lowest };
        }
        ([kept[0] & lanes[0], kept[1] & lanes[1]], (self.bottom - highest).min(lowest - self.top))
    }
}

/// The largest height of a mesh along a direction, by branch and bound, highest boxes first.
fn highest(mesh: &TriangleMesh, direction: Vec3<f64>, start: Option<u32>, open: &mut DepthFirst<OpenNode<()>>) -> f64 {
    let mut best = start.map_or(f64::NEG_INFINITY, |t| {
        mesh.corners(t).iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max)
    });
    open.begin(OpenNode { rank: f64::INFINITY, tie: (), node: mesh.root() });
    while let Some(part) = open.next_unless(|part| part.rank <= best) {
        match part.node.get() {
            Child::Leaf(leaf) => best = heights_of_leaf(mesh, leaf, direction).into_iter().fold(best, f64::max),
            Child::Inner(index) => {
                let inner = mesh.node(index);
                let heights = heights_of_node(inner, direction);
                for i in 0..usize::from(inner.count).min(WIDTH) {
                    if heights[i] > best {
                        open.push(OpenNode { rank: heights[i], tie: (), node: inner.children[i] });
                    }
                }
            }
        }
    }
    best
}

/// The triangles of a mesh that reach above a height, and the nodes over them.
#[derive(Debug, Default)]
pub(super) struct Cap {
    /// For each inner node, then for each leaf: bit `i` for child or triangle `i`.
    lanes: Vec<u8>,
    /// Indices in `lanes` at which bits are set.
    met: Vec<u32>,
    /// Leaves that may still be looked at.
    budget: usize,
    /// No triangle outside of the cap is higher, metres.
    pub(super) below: f64,
}

impl Cap {
    /// Collects the triangles that reach `floor` (metres from the origin of the mesh's frame) along
    /// a direction; returns whether that is less than `most` leaves.
    pub(super) fn collect(&mut self, mesh: &TriangleMesh, direction: Vec3<f64>, floor: f64, most: usize) -> bool {
        self.met.drain(..).for_each(|node| self.lanes[node as usize] = 0);
        let nodes = mesh.node_counts().iter().sum();
        if self.lanes.len() < nodes {
            self.lanes.resize(nodes, 0);
        }
        (self.budget, self.below) = (most, f64::NEG_INFINITY);
        self.add(mesh, mesh.root(), direction, floor);
        self.budget > 0
    }

    /// Adds the triangles below a node, if any: a recursion, as children come before the node.
    fn add(&mut self, mesh: &TriangleMesh, node: NodeId, direction: Vec3<f64>, floor: f64) -> bool {
        let mut kept = 0;
        match node.get() {
            Child::Leaf(leaf) => {
                self.budget = self.budget.saturating_sub(1);
                let heights = heights_of_leaf(mesh, leaf, direction);
                for (i, height) in heights.into_iter().enumerate() {
                    if height >= floor {
                        kept |= 1 << i;
                    } else {
                        self.below = self.below.max(height);
                    }
                }
            }
            Child::Inner(index) => {
                let inner = mesh.node(index);
                let heights = heights_of_node(inner, direction);
                for i in 0..usize::from(inner.count).min(WIDTH) {
                    if heights[i] < floor {
                        self.below = self.below.max(heights[i]);
                    } else if self.budget > 0 && self.add(mesh, inner.children[i], direction, floor) {
                        kept |= 1 << i;
                    }
                }
            }
        }
        if kept != 0 {
            let key = key(mesh, node);
            self.lanes[key] = kept;
            self.met.push(key as u32);
        }
        kept != 0
    }

    /// The children of a node, or the triangles of a leaf, that are in it.
    #[inline(always)]
    pub(super) fn of(&self, mesh: &TriangleMesh, node: NodeId) -> u8 {
        self.lanes[key(mesh, node)]
    }
}

/// The place of a node among inner nodes, then leaves.
#[inline(always)]
fn key(mesh: &TriangleMesh, node: NodeId) -> usize {
    match node.get() {
        Child::Inner(index) => index as usize,
        Child::Leaf(index) => mesh.node_counts()[0] + index as usize,
    }
}

/// Result of turning a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// It was not turned.
    Stays,
    /// It was turned.
    Turns,
    /// It was turned to a direction along which the bodies are apart, and much is ruled out.
    Separates,
}
