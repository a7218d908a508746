//! Builds the tree: each node's triangles are cut in two three times, along the longest axis of
//! what is cut.

use super::node::{LEAF_TRIANGLES, MeshNode, NodeId, WIDTH};
use crate::Vec3;
use clearsweep_base::workers::Workers;

/// Triangles in the order of the tree, their order before, the inner nodes, and the starts of the
/// leaves.
pub(super) type BuiltTree = (Vec<[u32; 3]>, Vec<u32>, Vec<MeshNode>, Vec<u32>);

/// Successive cuts that make the children of a node.
const CUTS: u32 = WIDTH.ilog2();

/// Number of triangles from which the subtrees of a node are built in parallel.
const LARGE: usize = 1 << 14;

/// Triangles of a part of a pass over all of them.
const PART: usize = 1 << 16;

/// The tree over triangles: at least one, fewer than 2^31. The same for the same triangles, always.
pub(super) fn build(vertices: &[Vec3<f64>], triangles: Vec<[u32; 3]>, workers: &Workers) -> BuiltTree {
    let builder = Builder { vertices, triangles: &triangles, workers };
    let mut items = vec![Item { center: Vec3::ZERO, index: 0 }; triangles.len()];
    workers.map((0..).step_by(PART).zip(items.chunks_mut(PART)).collect(), |(first, part): (u32, &mut [Item])| {
        for (item, index) in part.iter_mut().zip(first..) {
            let [a, b, c] = triangles[index as usize].map(|v| vertices[v as usize]);
            *item = Item { center: a + b + c, index };
        }
    });
    let Subtree { nodes, mut leaf_start } = builder.tree(&mut items, 0);
    leaf_start.push(items.len() as u32);
    let order: Vec<u32> = items.into_iter().map(|item| item.index).collect();
    let sorted = order.iter().map(|&t| triangles[t as usize]).collect();
    (sorted, order, nodes, leaf_start)
}

/// A triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Item {
    /// The sum of its corners.
    center: Vec3<f64>,
    index: u32,
}

/// Nodes and leaves that are numbered from 0.
#[derive(Default)]
struct Subtree {
    nodes: Vec<MeshNode>,
    leaf_start: Vec<u32>,
}

struct Builder<'a> {
    vertices: &'a [Vec3<f64>],
    triangles: &'a [[u32; 3]],
    workers: &'a Workers,
}

impl Builder<'_> {
    /// Over items that begin at `start` of all: the subtrees of a large node are built in parallel
    /// and joined in order, as [`Self::subtree`] does.
    fn tree(&self, items: &mut [Item], start: usize) -> Subtree {
        let mut made = Subtree::default();
        if items.len() < LARGE {
            self.subtree(items, start, &mut made);
            return made;
        }
        let groups = halved(items, CUTS, self.workers);
        let mut node = empty_node(items, groups.len());
        let origin = node.origin;
        let mut parts = Vec::with_capacity(groups.len());
        let mut rest = items;
        for &(from, to) in &groups {
            let (part, behind) = rest.split_at_mut(to - from);
            parts.push((part, start + from));
            rest = behind;
        }
        let children = self.workers.map(parts, |(part, start)| (self.fit(part, origin), self.tree(part, start)));
        for (lane, (fitted, _)) in children.iter().enumerate() {
            fitted.put(&mut node, lane);
        }
        made.nodes.push(node);
        for (lane, (_, child)) in children.into_iter().enumerate() {
            let (nodes, leaves) = (made.nodes.len() as u32, made.leaf_start.len() as u32);
            made.nodes[0].children[lane] = NodeId::inner(nodes);
            made.nodes.extend(child.nodes.into_iter().map(|mut node| {
                node.children[..usize::from(node.count)].iter_mut().for_each(|id| *id = id.moved(nodes, leaves));
                node
            }));
            made.leaf_start.extend(child.leaf_start);
        }
        made
    }

    /// Over items that begin at `start` of all.
    fn subtree(&self, items: &mut [Item], start: usize, made: &mut Subtree) -> NodeId {
        if items.len() <= LEAF_TRIANGLES {
            made.leaf_start.push(start as u32);
            return NodeId::leaf(made.leaf_start.len() as u32 - 1);
        }
        let groups = groups(items);
        let mut node = empty_node(items, groups.len());
        for (lane, &(from, to)) in groups.iter().enumerate() {
            self.fit(&items[from..to], node.origin).put(&mut node, lane);
        }
        let index = made.nodes.len();
        made.nodes.push(node);
        for (lane, &(from, to)) in groups.iter().enumerate() {
            let child = self.subtree(&mut items[from..to], start + from, made);
            made.nodes[index].children[lane] = child;
        }
        NodeId::inner(index as u32)
    }

    /// Fits an oriented box to items of a node with this origin.
    ///
    /// For a unit direction f the sizes of the components of f along three axes at right angles add
    /// up to 1 or more, so that what f sees too little of the rounded centre and sides is made up
    /// for by `slack` at each side.
    fn fit(&self, items: &[Item], origin: Vec3<f64>) -> FittedBox {
        let axes = self.principal_axes(items);
        let ends = self.bounds(items, origin, &axes);
        let halves = ends.map(|(low, high)| 0.5 * (high - low));
        let middle = ends.map(|(low, high)| 0.5 * (low + high));
        let center = axes[0].scale(middle[0]) + axes[1].scale(middle[1]) + axes[2].scale(middle[2]);
        let [cx, cy, cz] = center.to_array().map(f64::abs);
        let slack = 4.0 * f64::from(f32::EPSILON) * (halves[0] + halves[1] + halves[2] + cx + cy + cz)
            + 64.0 * f64::EPSILON * (origin.x.abs() + origin.y.abs() + origin.z.abs())
            + f64::from(f32::MIN_POSITIVE);
        let half = |axis: usize| axes[axis].to_array().map(|c| (c * (halves[axis] + slack)) as f32);
        FittedBox { center: center.to_array().map(|c| c as f32), halves: [half(0), half(1), half(2)] }
    }

    /// The corners of the triangles of items.
    fn corners<'b>(&'b self, items: &'b [Item]) -> impl Iterator<Item = Vec3<f64>> + 'b {
        items.iter().flat_map(|item| self.triangles[item.index as usize]).map(|v| self.vertices[v as usize])
    }

    /// Along each axis, the lowest and the highest coordinate of the corners, from `origin`.
    fn bounds(&self, items: &[Item], origin: Vec3<f64>, axes: &[Vec3<f64>; 3]) -> [(f64, f64); 3] {
        let mut ends = [(f64::INFINITY, f64::NEG_INFINITY); 3];
        for p in self.corners(items) {
            for (end, axis) in ends.iter_mut().zip(axes) {
                let c = axis.dot(p - origin);
                *end = (end.0.min(c), end.1.max(c));
            }
        }
        ends
    }

    /// The principal axes of the corners, those of the largest triangles first: the directions in
    /// which a flat patch is long, and its normal.
    fn principal_axes(&self, items: &[Item]) -> [Vec3<f64>; 3] {
        let (mut weight, mut mean) = (0.0, Vec3::ZERO);
        let mut moments = [[0.0; 3]; 3];
        let near = items[0].center.scale(1.0 / 3.0);
        for item in items {
            let [a, b, c] = self.triangles[item.index as usize].map(|v| self.vertices[v as usize] - near);
            let area = (b - a).cross(c - a).length();
            weight += area;
            mean = mean + (a + b + c).scale(area / 3.0);
            for p in [a, b, c] {
                let p = p.to_array();
                for (row, &x) in moments.iter_mut().zip(&p) {
                    row.iter_mut().zip(&p).for_each(|(m, &y)| *m += area / 3.0 * x * y);
                }
            }
        }
        if weight > 0.0 && weight.is_finite() {
            let mean = mean.scale(1.0 / weight).to_array();
            for (row, &x) in moments.iter_mut().zip(&mean) {
                row.iter_mut().zip(&mean).for_each(|(m, &y)| *m = *m / weight - x * y);
            }
        }
        super::eigen::eigenvectors(moments)
    }
}

/// The box of a child: see [`MeshNode`].
struct FittedBox {
    center: [f32; 3],
    halves: [[f32; 3]; 3],
}

impl FittedBox {
    fn put(&self, node: &mut MeshNode, lane: usize) {
        for k in 0..3 {
            node.centers[k][lane] = self.center[k];
            for axis in 0..3 {
                node.halves[axis][k][lane] = self.halves[axis][k];
            }
        }
    }
}

/// Returns a node of `count` children, which are to be filled in.
fn empty_node(items: &[Item], count: usize) -> MeshNode {
    let origin = items.iter().fold(Vec3::ZERO, |sum, i| sum + i.center).scale(1.0 / (3.0 * items.len() as f64));
    MeshNode {
        origin,
        centers: [[0.0; WIDTH]; 3],
        halves: [[[0.0; WIDTH]; 3]; 3],
        children: [NodeId::leaf(0); WIDTH],
        count: count as u8,
    }
}

/// Cuts many items into groups like [`groups`], with the halves cut side by side. None of them is
/// ever a leaf, and all of one size are cut before any of their halves.
fn halved(items: &mut [Item], cuts: u32, workers: &Workers) -> Vec<(usize, usize)> {
    if cuts == 0 {
        return vec![(0, items.len())];
    }
    let middle = halve(items);
    let (first, second) = items.split_at_mut(middle);
    let (mut runs, behind) = workers.both(|| halved(first, cuts - 1, workers), || halved(second, cuts - 1, workers));
    runs.extend(behind.into_iter().map(|(from, to)| (from + middle, to + middle)));
    runs
}

/// Up to eight runs of items: halves of halves of halves.
fn groups(items: &mut [Item]) -> Vec<(usize, usize)> {
    let mut runs = vec![(0, items.len())];
    while runs.len() < WIDTH {
        // The longest run that is no leaf is cut, the first of equal ones.
        let Some(at) = (0..runs.len())
            .filter(|&i| runs[i].1 - runs[i].0 > LEAF_TRIANGLES)
            .min_by_key(|&i| std::cmp::Reverse(runs[i].1 - runs[i].0))
        else {
            break;
        };
        let (from, to) = runs[at];
        let middle = from + halve(&mut items[from..to]);
        runs[at] = (from, middle);
        runs.insert(at + 1, (middle, to));
    }
    runs
}

/// Sorts items into two halves along the longest side of the box of their centres; returns where
/// the second begins. Whole leaves go to the first.
fn halve(items: &mut [Item]) -> usize {
    let mut ends = [(f64::INFINITY, f64::NEG_INFINITY); 3];
    for item in items.iter() {
        for (end, c) in ends.iter_mut().zip(item.center.to_array()) {
            *end = (end.0.min(c), end.1.max(c));
        }
    }
    let axis = Vec3::from(ends.map(|(low, high)| high - low)).longest_axis();
    let middle = (items.len() / 2).next_multiple_of(LEAF_TRIANGLES).min(items.len() - 1);
    items.select_nth_unstable_by(middle, |a, b| {
        a.center[axis].total_cmp(&b.center[axis]).then(a.index.cmp(&b.index)) // no ties: the tree is the same for every run
    });
    middle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_tree_is_the_same_built_side_by_side() {
        let mut state = 3_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Many ties.
            (state >> 60) as f64
        };
        for count in [LARGE, LARGE + 1, 3 * LARGE + 7, 8 * LARGE + 8191] {
            let vertices: Vec<Vec3<f64>> = (0..999).map(|_| Vec3::new(next(), next(), 0.1 * next())).collect();
            let triangles: Vec<[u32; 3]> =
                (0..count).map(|_| [0; 3].map(|_| (61.0 * next() + next()) as u32)).collect();
            let builder = Builder { vertices: &vertices, triangles: &triangles, workers: &Workers::none() };
            let item = |(index, t): (u32, &[u32; 3])| {
                let [a, b, c] = t.map(|v| vertices[v as usize]);
                Item { center: a + b + c, index }
            };
            let mut items: Vec<Item> = (0..).zip(&triangles).map(item).collect();
            let mut made = Subtree::default();
            builder.subtree(&mut items, 0, &mut made);
            made.leaf_start.push(count as u32);
            let order: Vec<u32> = items.iter().map(|item| item.index).collect();
            for threads in [1, 2, 5] {
                let built = build(&vertices, triangles.clone(), &Workers::new(Some(threads)));
                assert!(built.1 == order && built.2 == made.nodes && built.3 == made.leaf_start, "{count} {threads}");
                assert!(built.0.iter().zip(&order).all(|(t, &index)| *t == triangles[index as usize]));
            }
        }
    }
}
