//! Lower bounds of distances between the children of two nodes, eight by eight, and the intervals that they are made of.

use crate::geometry::mesh::{Child, Intervals, NodeId, SearchFrame, TriangleMesh, WIDTH};
use crate::simd::dispatch;

/// Squares of lower bounds, square metres: row `i` has child `i` of A against each child of B.
pub(crate) type Bounds2 = [[f64; WIDTH]; WIDTH];

/// Intervals of a node's children or a leaf's triangles, and of all of them together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeIntervals {
    /// By child or triangle.
    pub(crate) lanes: Intervals,
    /// Of the whole, in lane 0.
    pub(crate) whole: Intervals,
    /// The longest side of the whole, metres.
    pub(crate) extent: f64,
}

/// The intervals of the nodes that a search has met, in one frame.
#[derive(Debug, Default)]
pub(crate) struct IntervalCache {
    /// For each inner node, then for each leaf: 1 + its place in `known`; 0: not met.
    place: Vec<u32>,
    met: Vec<u32>,
    known: Vec<NodeIntervals>,
}

impl IntervalCache {
    /// Nothing is known of `mesh`.
    pub(crate) fn clear(&mut self, mesh: &TriangleMesh) {
        for &node in &self.met {
            self.place[node as usize] = 0;
        }
        self.met.clear();
        self.known.clear();
        let nodes = mesh.node_counts().iter().sum();
        if self.place.len() < nodes {
            self.place.resize(nodes, 0);
        }
    }

    /// The place of a node's intervals, which are computed when it is first met.
    #[inline]
    pub(crate) fn meet(&mut self, mesh: &TriangleMesh, node: NodeId, frame: &SearchFrame) -> u32 {
        let key = match node.get() {
            Child::Inner(index) => index as usize,
            Child::Leaf(index) => mesh.node_counts()[0] + index as usize,
        };
        if self.place[key] == 0 {
            self.known.push(NodeIntervals::new(mesh, node, frame));
            self.met.push(key as u32);
            self.place[key] = self.known.len() as u32;
        }
        self.place[key] - 1
    }

    /// The intervals at a place.
    #[inline]
    pub(crate) fn at(&self, place: u32) -> &NodeIntervals {
        &self.known[place as usize]
    }
}

impl NodeIntervals {
    fn new(mesh: &TriangleMesh, node: NodeId, frame: &SearchFrame) -> Self {
        let (lanes, count) = match node.get() {
            Child::Inner(index) => (Intervals::of_node(mesh.node(index), frame), mesh.node(index).count.into()),
            Child::Leaf(index) => (Intervals::of_leaf(mesh, index, frame), mesh.leaf(index).len()),
        };
        let mut whole = Intervals::NONE;
        let mut extent = 0.0_f64;
        for k in 0..3 {
            let low = lanes.low[k][..count].iter().copied().fold(f64::INFINITY, f64::min);
            let high = lanes.high[k][..count].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (whole.low[k][0], whole.high[k][0]) = (low, high);
            extent = extent.max(high - low);
        }
        Self { lanes: lanes.first(count), whole, extent }
    }
}

/// Fills in the bounds of the first `rows` of A against all of B; infinite where there is no child.
#[inline]
pub(crate) fn bounds(a: &Intervals, b: &Intervals, rows: usize, to: &mut Bounds2) {
    fill(a, b, rows, to);
}

dispatch!(loops fill, fill_in, (a: &Intervals, b: &Intervals, rows: usize, to: &mut Bounds2) -> ());

#[inline(always)] // into code for wider registers
fn fill_in(a: &Intervals, b: &Intervals, rows: usize, to: &mut Bounds2) {
    for (i, row) in to.iter_mut().enumerate().take(rows) {
        let mut sum = [0.0; WIDTH];
        for k in 0..3 {
            let (low, high) = (a.low[k][i], a.high[k][i]);
            for j in 0..WIDTH {
                let (after, before) = (b.low[k][j] - high, low - b.high[k][j]);
                let gap = if after > before { after } else { before };
                let gap = if gap > 0.0 { gap } else { 0.0 };
                sum[j] += gap * gap;
            }
        }
        *row = sum;
    }
}
