//! Lower bounds of distances between the children of two nodes, eight by eight.

use super::place::MeshPlace;
use crate::branch_and_bound::Part;
use clearsweep_base::simd::dispatch;
use clearsweep_geometry::mesh::{Child, Intervals, NodeId, SearchFrame, TriangleMesh, WIDTH};
use std::cmp::Ordering;

/// How many times as large a box is before it alone is descended.
const LARGER: f64 = 4.0;

/// A node of one tree: greater ranks are taken first, and of equal ranks the greater tie.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenNode<T> {
    pub(super) rank: f64,
    pub(super) tie: T,
    pub(super) node: NodeId,
}

impl<T: Ord + Copy> Part for OpenNode<T> {
    #[inline]
    fn order(&self, other: &Self) -> Ordering {
        self.rank.total_cmp(&other.rank).then(self.tie.cmp(&other.tie))
    }
}

/// Bounds of the distances between the children of two nodes.
#[derive(Debug, Default)]
pub(super) struct ChildBounds {
    /// Squares of lower bounds, square metres: row `i` has child `i` of A against each child of B.
    pub bound2: [[f64; WIDTH]; WIDTH],
    /// Bit `j` of row `i`: these two are near.
    pub near: [u8; WIDTH],
    /// Square of the least distance of those that are not near, by child of B.
    far2: [f64; WIDTH],
}

/// Intervals of a node's children or a leaf's triangles, and of all of them together.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeIntervals {
    /// Intervals by child or triangle.
    pub lanes: Intervals,
    /// Intervals of the whole, in lane 0.
    pub whole: Intervals,
    /// The longest side of the whole, metres.
    pub extent: f64,
}

/// Memory of the nodes that a search has met.
#[derive(Debug)]
pub(crate) struct NodeCache<T> {
    /// 1 + the place in `known` of each node; 0: not met.
    place: Vec<u32>,
    met: Vec<u32>,
    known: Vec<T>,
}

/// The intervals of the nodes that a search has met, in one frame: inner nodes, then leaves.
pub(super) type IntervalCache = NodeCache<NodeIntervals>;

impl<T> Default for NodeCache<T> {
    fn default() -> Self {
        Self { place: Vec::new(), met: Vec::new(), known: Vec::new() }
    }
}

impl<T> NodeCache<T> {
    /// Forgets all, and makes room for `nodes` nodes.
    pub(crate) fn forget(&mut self, nodes: usize) {
        for &node in &self.met {
            self.place[node as usize] = 0;
        }
        self.met.clear();
        self.known.clear();
        if self.place.len() < nodes {
            self.place.resize(nodes, 0);
        }
    }

    /// Forgets all nodes if `most` were met.
    #[inline]
    pub(crate) fn keep_fewer_than(&mut self, most: usize) {
        if self.known.len() >= most {
            self.forget(0);
        }
    }

    /// The place of the memory of a node, which is made when it is first met.
    #[inline]
    pub(crate) fn place(&mut self, node: usize, make: impl FnOnce() -> T) -> u32 {
        if self.place[node] == 0 {
            self.known.push(make());
            self.met.push(node as u32);
            self.place[node] = self.known.len() as u32;
        }
        self.place[node] - 1
    }

    /// The memory at a place.
    #[inline]
    pub(crate) fn at(&self, place: u32) -> &T {
        &self.known[place as usize]
    }
}

impl IntervalCache {
    /// Forgets all, and makes room for the nodes of `mesh`.
    pub(super) fn clear(&mut self, mesh: &TriangleMesh) {
        self.forget(mesh.node_counts().iter().sum());
    }

    /// The place of a node's intervals, which are computed when it is first met.
    #[inline]
    pub(super) fn meet(&mut self, mesh: &TriangleMesh, node: NodeId, frame: &SearchFrame) -> u32 {
        let key = match node.get() {
            Child::Inner(index) => index as usize,
            Child::Leaf(index) => mesh.node_counts()[0] + index as usize,
        };
        self.place(key, || NodeIntervals::new(mesh, node, frame))
    }
}

impl NodeIntervals {
    fn new(mesh: &TriangleMesh, node: NodeId, frame: &SearchFrame) -> Self {
        let mut intervals = Self { lanes: Intervals::NONE, whole: Intervals::NONE, extent: 0.0 };
        let count = match node.get() {
            Child::Inner(index) => {
                intervals.lanes.of_node(mesh.node(index), frame);
                mesh.node(index).count.into()
            }
            Child::Leaf(index) => {
                intervals.lanes.of_leaf(mesh, index, frame);
                mesh.leaf(index).len()
            }
        };
        intervals.lanes.keep_first(count);
        unite(&mut intervals);
        intervals
    }
}

/// The intervals of the children of two nodes, or of a node that is taken whole, and which are
/// taken whole: a leaf, unless both are leaves, and a node that is much smaller than the other.
#[inline(always)]
pub(super) fn child_intervals<'m>(
    caches: &'m mut [IntervalCache; 2],
    place: &MeshPlace<'_>,
    frames: &[SearchFrame; 2],
    nodes: [NodeId; 2],
) -> ([&'m Intervals; 2], [bool; 2]) {
    let meshes = [place.a, place.b];
    let at = [0, 1].map(|k: usize| caches[k].meet(meshes[k], nodes[k], &frames[k]));
    let [a, b] = [caches[0].at(at[0]), caches[1].at(at[1])];
    let leaves = nodes.map(NodeId::is_leaf);
    let whole = if leaves == [true; 2] {
        [false; 2]
    } else {
        [
            leaves[0] || (!leaves[1] && LARGER * a.extent < b.extent),
            leaves[1] || (!leaves[0] && LARGER * b.extent < a.extent),
        ]
    };
    ([if whole[0] { &a.whole } else { &a.lanes }, if whole[1] { &b.whole } else { &b.lanes }], whole)
}

/// The children of two nodes in two lanes, or the nodes that are taken whole.
#[inline(always)]
pub(super) fn children(place: &MeshPlace<'_>, nodes: [NodeId; 2], whole: [bool; 2], lanes: [u8; 2]) -> [NodeId; 2] {
    let meshes = [place.a, place.b];
    [0, 1].map(|k: usize| match nodes[k].get() {
        Child::Inner(index) if !whole[k] => meshes[k].node(index).children[lanes[k] as usize],
        _ => nodes[k],
    })
}

dispatch!(loops unite, unite_in, (of: &mut NodeIntervals) -> ());

/// The whole of all lanes.
#[inline(always)] // into code for wider registers
fn unite_in(of: &mut NodeIntervals) {
    of.extent = 0.0;
    for k in 0..3 {
        let (mut low, mut high) = (of.lanes.low[k], of.lanes.high[k]);
        let mut half = WIDTH / 2;
        while half > 0 {
            for i in 0..half {
                low[i] = if low[i + half] < low[i] { low[i + half] } else { low[i] };
                high[i] = if high[i + half] > high[i] { high[i + half] } else { high[i] };
            }
            half /= 2;
        }
        (of.whole.low[k][0], of.whole.high[k][0]) = (low[0], high[0]);
        of.extent = if high[0] - low[0] > of.extent { high[0] - low[0] } else { of.extent };
    }
}

impl ChildBounds {
    /// Compares the children whose bits are set. Those up to `reach2` apart are near, square
    /// metres.
    #[inline]
    pub(super) fn compare(&mut self, [a, b]: [&Intervals; 2], kept: [u8; 2], reach2: f64) {
        self.far2 = [f64::INFINITY; WIDTH];
        compare(self, a, b, kept[0], reach2);
        self.near.iter_mut().for_each(|row| *row &= kept[1]);
    }

    /// The least squared distance of compared children that are not near, square metres.
    #[inline]
    pub(super) fn far2(&self) -> f64 {
        self.far2.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

dispatch!(loops compare, compare_in, (to: &mut ChildBounds, a: &Intervals, b: &Intervals, rows: u8, reach2: f64) -> ());

#[inline(always)] // into code for wider registers
fn compare_in(to: &mut ChildBounds, a: &Intervals, b: &Intervals, rows: u8, reach2: f64) {
    to.near = [0; WIDTH];
    let mut rows = rows;
    while rows != 0 {
        let i = rows.trailing_zeros() as usize % WIDTH;
        rows &= rows - 1;
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
        let mut near = 0;
        for j in 0..WIDTH {
            let is_near = sum[j] <= reach2 && sum[j] < f64::INFINITY;
            near |= u8::from(is_near) << j;
            let far = if is_near { f64::INFINITY } else { sum[j] };
            to.far2[j] = if far < to.far2[j] { far } else { to.far2[j] };
        }
        (to.bound2[i], to.near[i]) = (sum, near);
    }
}
