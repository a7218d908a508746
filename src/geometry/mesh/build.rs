//! Builds the tree: each node's triangles are cut in two three times, along the longest axis of what is cut.

use super::node::{LEAF_TRIANGLES, MeshNode, NodeId, WIDTH};
use crate::geometry::Vec3;

/// Triangles in the order of the tree, their order before, the inner nodes, and the starts of the leaves.
pub(super) type BuiltTree = (Vec<[u32; 3]>, Vec<u32>, Vec<MeshNode>, Vec<u32>);

/// The tree over triangles: at least one, fewer than 2^31. The same for the same triangles, always.
pub(super) fn build(vertices: &[Vec3<f64>], triangles: Vec<[u32; 3]>) -> BuiltTree {
    let mut builder = Builder { vertices, triangles: &triangles, nodes: Vec::new(), leaf_start: Vec::new() };
    let mut items: Vec<Item> = (0..)
        .zip(&triangles)
        .map(|(index, t)| {
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            Item { center: a + b + c, index }
        })
        .collect();
    builder.subtree(&mut items, 0);
    let Builder { nodes, mut leaf_start, .. } = builder;
    leaf_start.push(items.len() as u32);
    let order: Vec<u32> = items.into_iter().map(|item| item.index).collect();
    let sorted = order.iter().map(|&t| triangles[t as usize]).collect();
    (sorted, order, nodes, leaf_start)
}

/// A triangle.
#[derive(Debug, Clone, Copy)]
struct Item {
    /// The sum of its corners.
    center: Vec3<f64>,
    index: u32,
}

struct Builder<'a> {
    vertices: &'a [Vec3<f64>],
    triangles: &'a [[u32; 3]],
    nodes: Vec<MeshNode>,
    leaf_start: Vec<u32>,
}

impl Builder<'_> {
    /// Over items that begin at `start` of all.
    fn subtree(&mut self, items: &mut [Item], start: usize) -> NodeId {
        if items.len() <= LEAF_TRIANGLES {
            self.leaf_start.push(start as u32);
            return NodeId::leaf(self.leaf_start.len() as u32 - 1);
        }
        let groups = groups(items);
        let origin = items.iter().fold(Vec3::ZERO, |sum, i| sum + i.center).scale(1.0 / (3.0 * items.len() as f64));
        let index = self.nodes.len();
        let mut node = MeshNode {
            origin,
            centers: [[0.0; WIDTH]; 3],
            halves: [[[0.0; WIDTH]; 3]; 3],
            children: [NodeId::leaf(0); WIDTH],
            count: groups.len() as u8,
        };
        for (lane, &(from, to)) in groups.iter().enumerate() {
            self.fit(&items[from..to], &mut node, lane);
        }
        self.nodes.push(node);
        for (lane, &(from, to)) in groups.iter().enumerate() {
            let child = self.subtree(&mut items[from..to], start + from);
            self.nodes[index].children[lane] = child;
        }
        NodeId::inner(index as u32)
    }

    /// Fits an oriented box to items: child `lane` of the node.
    ///
    /// For a unit direction f the sizes of the components of f along three axes at right angles add up to 1 or more, so that what f
    /// sees too little of the rounded centre and sides is made up for by `slack` at each side.
    fn fit(&self, items: &[Item], node: &mut MeshNode, lane: usize) {
        let axes = self.principal_axes(items);
        let ends = self.bounds(items, node.origin, &axes);
        let halves = ends.map(|(low, high)| 0.5 * (high - low));
        let middle = ends.map(|(low, high)| 0.5 * (low + high));
        let center = axes[0].scale(middle[0]) + axes[1].scale(middle[1]) + axes[2].scale(middle[2]);
        let [cx, cy, cz] = center.to_array().map(f64::abs);
        let slack = 4.0 * f64::from(f32::EPSILON) * (halves[0] + halves[1] + halves[2] + cx + cy + cz)
            + 64.0 * f64::EPSILON * (node.origin.x.abs() + node.origin.y.abs() + node.origin.z.abs())
            + f64::from(f32::MIN_POSITIVE);
        for (k, c) in center.to_array().into_iter().enumerate() {
            node.centers[k][lane] = c as f32;
        }
        for (axis, half) in halves.into_iter().enumerate() {
            for (k, c) in axes[axis].to_array().into_iter().enumerate() {
                node.halves[axis][k][lane] = (c * (half + slack)) as f32;
            }
        }
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

    /// The principal axes of the corners, those of the largest triangles first: the directions in which a flat patch is long, and
    /// its normal.
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

/// Sorts items into two halves along the longest side of the box of their centres; returns where the second begins. Whole leaves go to the
/// first.
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
