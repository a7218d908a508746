//! Counts of the contacts and crossings of a mesh with itself: its tree is searched against itself.
//!
//! Boxes here are those of the coordinates themselves, not the boxes of the nodes, so that nothing
//! is rounded and what is left out has no point in common. Leaves are taken in blocks, each block
//! by one thread, and each leaf is searched for among those behind it.
//!
//! Work is bounded: where counting ends does not depend on threads, as it ends at the first place,
//! in the order of leaves, where the blocks before have found or taken too much.

use super::TriangleMesh;
use super::node::{Child, LEAF_TRIANGLES, MeshNode, NodeId};
use crate::Vec3;
use crate::triangle_contact::{SeenTriangle, in_contact};
use crate::triangle_tree::bounds;
use clearsweep_base::workers::Workers;
use std::sync::atomic::{AtomicU64, Ordering};

/// Contacts that are counted.
const MOST: u64 = 1 << 20;

/// Most pairs of triangles with a common point of their boxes that are tested: for each triangle,
/// and in addition for any mesh.
const PAIRS_EACH: u64 = 64;
const PAIRS: u64 = 1 << 22;

/// Leaves of a block.
const BLOCK: usize = 128;

/// Blocks that make a thread worth its start.
const BLOCKS_PER_THREAD: usize = 4;

/// The pairs of triangles of a mesh that touch or cross each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SelfContacts {
    /// Number of pairs.
    pub count: u64,
    /// Whether counting ended early: there are at least `count` pairs.
    pub at_least: bool,
}

/// Counts the pairs of triangles that have a point in common that is no common corner and on no
/// common side ([`in_contact`]). Vertices have to be in the range of
/// [`check_range`](crate::hull::check_range).
pub fn self_contacts(mesh: &TriangleMesh, workers: &Workers) -> SelfContacts {
    within(mesh, workers, MOST, PAIRS + PAIRS_EACH * mesh.triangles().len() as u64)
}

/// Counts like [`self_contacts`], up to `most` contacts and looking at about `pairs` pairs.
fn within(mesh: &TriangleMesh, workers: &Workers, most: u64, pairs: u64) -> SelfContacts {
    let boxes = TreeBoxes::of(mesh);
    let limits = Counted { contacts: most, pairs };
    let blocks = boxes.leaves.len().div_ceil(BLOCK);
    // Sums over the blocks that were counted. All of them come before any block that is left out.
    let (contacts, tested) = (AtomicU64::new(0), AtomicU64::new(0));
    let counted = workers.each(blocks, BLOCKS_PER_THREAD, |block| {
        let so_far = Counted { contacts: contacts.load(Ordering::Relaxed), pairs: tested.load(Ordering::Relaxed) };
        if so_far.exceeds(&limits) {
            return None;
        }
        let mut search =
            LeafSearch { mesh, boxes: &boxes, limits: &limits, found: Counted::default(), open: Vec::new() };
        let first = block * BLOCK;
        (first..boxes.leaves.len().min(first + BLOCK)).for_each(|leaf| search.leaf(leaf as u32));
        contacts.fetch_add(search.found.contacts, Ordering::Relaxed);
        tested.fetch_add(search.found.pairs, Ordering::Relaxed);
        Some(search.found)
    });
    let mut sum = Counted::default();
    for block in counted.into_iter().flatten() {
        sum.contacts += block.contacts;
        sum.pairs += block.pairs;
        if sum.exceeds(&limits) {
            return SelfContacts { count: sum.contacts.min(most), at_least: true };
        }
    }
    SelfContacts { count: sum.contacts, at_least: false }
}

/// Numbers of contacts found and of pairs of triangles tested.
#[derive(Debug, Clone, Copy, Default)]
struct Counted {
    contacts: u64,
    pairs: u64,
}

impl Counted {
    fn exceeds(&self, limits: &Self) -> bool {
        self.contacts > limits.contacts || self.pairs > limits.pairs
    }
}

/// Lowest and highest coordinates.
#[derive(Debug, Clone, Copy)]
struct TriangleBox {
    low: Vec3<f64>,
    high: Vec3<f64>,
}

impl TriangleBox {
    fn of(corners: impl Iterator<Item = Vec3<f64>>) -> Self {
        let (low, high) = bounds(corners);
        Self { low, high }
    }

    fn with(self, other: Self) -> Self {
        // That of nothing is inside out.
        let low = Vec3::new(self.low.x.min(other.low.x), self.low.y.min(other.low.y), self.low.z.min(other.low.z));
        let high =
            Vec3::new(self.high.x.max(other.high.x), self.high.y.max(other.high.y), self.high.z.max(other.high.z));
        Self { low, high }
    }

    /// Whether they have a point in common.
    #[inline(always)]
    fn meets(&self, other: &Self) -> bool {
        // Without a branch for each axis.
        (self.low.x <= other.high.x)
            & (other.low.x <= self.high.x)
            & (self.low.y <= other.high.y)
            & (other.low.y <= self.high.y)
            & (self.low.z <= other.high.z)
            & (other.low.z <= self.high.z)
    }
}

/// The boxes of the nodes and leaves of a mesh along the axes of its frame.
struct TreeBoxes {
    nodes: Vec<TriangleBox>,
    /// The last leaf below each node.
    last: Vec<u32>,
    leaves: Vec<TriangleBox>,
}

impl TreeBoxes {
    fn of(mesh: &TriangleMesh) -> Self {
        let [nodes, leaves] = mesh.node_counts();
        let of_leaf = |leaf: usize| TriangleBox::of(mesh.leaf(leaf as u32).flat_map(|t| mesh.corners(t)));
        let leaves: Vec<TriangleBox> = (0..leaves).map(of_leaf).collect();
        let none = TriangleBox::of(std::iter::empty());
        let (mut boxes, mut last) = (vec![none; nodes], vec![0; nodes]);
        // Children have higher numbers than their nodes.
        for index in (0..nodes).rev() {
            for child in children(mesh.node(index as u32)) {
                let (span, end) = match child.get() {
                    Child::Leaf(leaf) => (leaves[leaf as usize], leaf),
                    Child::Inner(node) => (boxes[node as usize], last[node as usize]),
                };
                boxes[index] = boxes[index].with(span);
                last[index] = last[index].max(end);
            }
        }
        Self { nodes: boxes, last, leaves }
    }
}

fn children(node: &MeshNode) -> impl Iterator<Item = NodeId> + '_ {
    node.children[..usize::from(node.count)].iter().copied()
}

/// A triangle of a leaf that is searched for, and its box.
type BoxedTriangle = (TriangleBox, SeenTriangle);

/// A search of leaves for what they touch among the leaves behind them.
struct LeafSearch<'a> {
    mesh: &'a TriangleMesh,
    boxes: &'a TreeBoxes,
    limits: &'a Counted,
    found: Counted,
    open: Vec<NodeId>,
}

impl LeafSearch<'_> {
    fn leaf(&mut self, leaf: u32) {
        let mut own: Vec<BoxedTriangle> = Vec::with_capacity(LEAF_TRIANGLES);
        for t in self.mesh.leaf(leaf) {
            let corners = self.mesh.corners(t);
            own.push((
                TriangleBox::of(corners.into_iter()),
                SeenTriangle::new(corners, self.mesh.triangles()[t as usize]),
            ));
        }
        for (k, one) in own.iter().enumerate() {
            own[k + 1..].iter().for_each(|other| self.pair(one, other));
        }
        let span = self.boxes.leaves[leaf as usize];
        self.open.push(self.mesh.root());
        while let Some(node) = self.open.pop() {
            if self.found.exceeds(self.limits) {
                self.open.clear();
                return;
            }
            match node.get() {
                Child::Leaf(other) if other > leaf => self.against(&own, span, other),
                Child::Leaf(_) => {}
                Child::Inner(index) => {
                    for child in children(self.mesh.node(index)) {
                        let (other, last) = match child.get() {
                            Child::Leaf(other) => (&self.boxes.leaves[other as usize], other),
                            Child::Inner(node) => (&self.boxes.nodes[node as usize], self.boxes.last[node as usize]),
                        };
                        if last > leaf && span.meets(other) {
                            self.open.push(child);
                        }
                    }
                }
            }
        }
    }

    /// Tests all triangles of one leaf against the triangles of another.
    fn against(&mut self, own: &[BoxedTriangle], span: TriangleBox, other: u32) {
        for t in self.mesh.leaf(other) {
            let corners = self.mesh.corners(t);
            let around = TriangleBox::of(corners.into_iter());
            if !around.meets(&span) {
                continue;
            }
            let near = own.iter().filter(|(own, _)| own.meets(&around));
            let mut seen = None;
            for one in near {
                let triangle =
                    seen.get_or_insert_with(|| SeenTriangle::new(corners, self.mesh.triangles()[t as usize]));
                self.found.pairs += 1;
                self.found.contacts += u64::from(in_contact(&one.1, triangle));
            }
        }
    }

    /// Two triangles of one leaf.
    fn pair(&mut self, (one_span, one): &BoxedTriangle, (other_span, other): &BoxedTriangle) {
        if one_span.meets(other_span) {
            self.found.pairs += 1;
            self.found.contacts += u64::from(in_contact(one, other));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::InsideOf;

    /// Triangles of random corners in a cube, moved by up to `spread` sides of it.
    fn soup(count: u32, spread: f64) -> TriangleMesh {
        let mut state = 7_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut vertices = Vec::new();
        for _ in 0..count {
            let at = Vec3::new(spread * next(), spread * next(), spread * next());
            vertices.extend([0; 3].map(|_| at + Vec3::new(next(), next(), next())));
        }
        let triangles: Vec<[u32; 3]> = (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        TriangleMesh::new(
            vertices,
            triangles,
            (0..3 * count).collect(),
            (0..count).collect(),
            InsideOf::Surface,
            &Workers::none(),
        )
    }

    fn all_pairs(mesh: &TriangleMesh) -> u64 {
        let seen = |t: usize| SeenTriangle::new(mesh.corners(t as u32), mesh.triangles()[t]);
        let seen: Vec<SeenTriangle> = (0..mesh.triangles().len()).map(seen).collect();
        let behind = |t: usize| seen[t + 1..].iter().filter(|other| in_contact(&seen[t], other)).count() as u64;
        (0..seen.len()).map(behind).sum()
    }

    #[test]
    fn the_tree_finds_what_all_pairs_have() {
        for (count, spread) in [(1, 0.0), (8, 0.0), (9, 0.0), (300, 0.0), (3000, 9.0), (3000, 12.0)] {
            let mesh = soup(count, spread);
            let expected = all_pairs(&mesh);
            assert!(count < 300 || expected > u64::from(count) / 20, "not representative: {expected} of {count}");
            for threads in [1, 2, 5] {
                let found = self_contacts(&mesh, &Workers::new(Some(threads)));
                assert_eq!(found, SelfContacts { count: expected, at_least: false }, "{count} {spread} {threads}");
            }
        }
    }

    #[test]
    fn counting_ends_at_its_bounds_and_says_so_for_any_number_of_threads() {
        let mesh = soup(8000, 3.0);
        let all = within(&mesh, &Workers::none(), u64::MAX, u64::MAX);
        assert!(all.count > 100_000 && !all.at_least, "{all:?}");
        for (most, pairs) in
            [(1000, u64::MAX), (u64::MAX, 5000), (all.count - 1, u64::MAX), (90_000, 1_000_000), (0, 0)]
        {
            let expected = within(&mesh, &Workers::none(), most, pairs);
            assert!(expected.at_least && expected.count <= most.min(all.count), "{expected:?}");
            assert!(pairs < u64::MAX || expected.count == most, "{expected:?}");
            for threads in [2, 3, 5] {
                assert_eq!(within(&mesh, &Workers::new(Some(threads)), most, pairs), expected, "{most} {pairs}");
            }
        }
        assert_eq!(within(&mesh, &Workers::none(), all.count, u64::MAX), all);
    }
}
