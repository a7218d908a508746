//! Boxes and triangles projected to three axes: what two trees are compared by.
//!
//! The axes are those of the search, not of the boxes: where one of them is the normal of the
//! contact, thin boxes along a surface are as far apart along it as their triangles are.

use super::TriangleMesh;
use super::node::{LEAF_TRIANGLES, MeshNode, WIDTH};
use crate::{RelativePose, Vec3};
use clearsweep_base::simd::dispatch;

/// Three axes at right angles, as directions in the frame of a mesh, and by how much coordinates
/// along them are shifted, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchFrame {
    /// Unit, but for rounding.
    pub axes: [Vec3<f64>; 3],
    /// Metres, along each axis.
    pub shift: [f64; 3],
}

impl SearchFrame {
    /// Creates a frame with `normal` (unit) as the first axis.
    pub fn along(normal: Vec3<f64>) -> Self {
        let [x, y, z] = normal.to_array().map(f64::abs);
        let least = if x <= y && x <= z {
            Vec3::new(1.0, 0.0, 0.0)
        } else if y <= z {
            Vec3::new(0.0, 1.0, 0.0)
        } else {
            Vec3::new(0.0, 0.0, 1.0)
        };
        let second = normal.cross(least).normalized();
        Self { axes: [normal, second, normal.cross(second)], shift: [0.0; 3] }
    }

    /// Returns the axes as directions in B's frame; coordinates are measured in A's.
    pub fn in_b(&self, a_from_b: &RelativePose<f64>) -> Self {
        Self { axes: self.axes.map(|f| a_from_b.inverse_vector(f)), shift: self.axes.map(|f| f.dot(a_from_b.t)) }
    }
}

/// Intervals along three axes, of up to eight boxes or triangles side by side, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intervals {
    /// Lower ends by axis.
    pub low: [[f64; WIDTH]; 3],
    /// Upper ends by axis.
    pub high: [[f64; WIDTH]; 3],
}

impl Intervals {
    /// Intervals of nothing: infinitely far from everything.
    pub const NONE: Self = Self { low: [[f64::INFINITY; WIDTH]; 3], high: [[f64::NEG_INFINITY; WIDTH]; 3] };

    /// Counts the lanes that hold something.
    pub fn count(&self) -> usize {
        self.low[0].iter().take_while(|&&low| low < f64::INFINITY).count()
    }

    /// The middle of interval `i` along axis `k`.
    #[inline(always)]
    pub fn middle(&self, k: usize, i: usize) -> f64 {
        0.5 * (self.low[k][i] + self.high[k][i])
    }

    /// Empties the lanes from `count` on.
    pub fn keep_first(&mut self, count: usize) {
        for k in 0..3 {
            for i in 0..WIDTH {
                let keeps = i < count;
                self.low[k][i] = if keeps { self.low[k][i] } else { f64::INFINITY };
                self.high[k][i] = if keeps { self.high[k][i] } else { f64::NEG_INFINITY };
            }
        }
    }

    /// Projects the boxes of a node's children; lanes beyond the last child mean nothing.
    pub fn of_node(&mut self, node: &MeshNode, frame: &SearchFrame) {
        project_boxes(node, frame, self);
    }

    /// Projects the boxes of a leaf's triangles; lanes beyond the last triangle mean nothing.
    pub fn of_leaf(&mut self, mesh: &TriangleMesh, leaf: u32, frame: &SearchFrame) {
        let mut corners = [[[0.0; LEAF_TRIANGLES]; 3]; 3];
        for (lane, t) in mesh.leaf(leaf).enumerate() {
            for (of, corner) in corners.iter_mut().zip(mesh.corners(t)) {
                (of[0][lane], of[1][lane], of[2][lane]) = (corner.x, corner.y, corner.z);
            }
        }
        project_corners(&corners, frame, self);
    }
}

/// Returns how high the children of a node reach along a direction, metres from the origin of the
/// mesh's frame. Lanes beyond the last child mean nothing.
pub fn heights_of_node(node: &MeshNode, direction: Vec3<f64>) -> [f64; WIDTH] {
    let mut heights = [0.0; WIDTH];
    raise_boxes(node, direction, &mut heights);
    heights
}

/// Returns how high each triangle of a leaf reaches along a direction, metres from the origin of
/// the mesh's frame. Lanes beyond the last triangle mean nothing.
pub fn heights_of_leaf(mesh: &TriangleMesh, leaf: u32, direction: Vec3<f64>) -> [f64; LEAF_TRIANGLES] {
    let mut heights = [f64::NEG_INFINITY; LEAF_TRIANGLES];
    for (height, t) in heights.iter_mut().zip(mesh.leaf(leaf)) {
        let [a, b, c] = mesh.corners(t).map(|p| p.dot(direction));
        let most = if a > b { a } else { b };
        *height = if c > most { c } else { most };
    }
    heights
}

dispatch!(loops raise_boxes, raise_boxes_in, (node: &MeshNode, f: Vec3<f64>, to: &mut [f64; WIDTH]) -> ());

#[inline(always)] // into code for wider registers
fn raise_boxes_in(node: &MeshNode, f: Vec3<f64>, to: &mut [f64; WIDTH]) {
    let origin = f.dot(node.origin);
    for i in 0..WIDTH {
        let [x, y] = [along(&node.halves[0], i, f).abs(), along(&node.halves[1], i, f).abs()];
        to[i] = origin + (along(&node.centers, i, f) + (x + y + along(&node.halves[2], i, f).abs()));
    }
}

dispatch!(loops project_boxes, project_boxes_in, (node: &MeshNode, frame: &SearchFrame, to: &mut Intervals) -> ());

#[inline(always)] // into code for wider registers
fn project_boxes_in(node: &MeshNode, frame: &SearchFrame, to: &mut Intervals) {
    for k in 0..3 {
        let f = frame.axes[k];
        let origin = f.dot(node.origin) + frame.shift[k];
        for i in 0..WIDTH {
            let center = along(&node.centers, i, f);
            let [x, y, z] = [0, 1, 2].map(|axis: usize| along(&node.halves[axis], i, f).abs());
            let reach = x + y + z;
            to.low[k][i] = origin + (center - reach);
            to.high[k][i] = origin + (center + reach);
        }
    }
}

/// The component of vector `i` along a direction.
#[inline(always)]
fn along(of: &[[f32; WIDTH]; 3], i: usize, f: Vec3<f64>) -> f64 {
    f64::from(of[0][i]) * f.x + f64::from(of[1][i]) * f.y + f64::from(of[2][i]) * f.z
}

dispatch!(loops project_corners, project_corners_in,
    (corners: &[[[f64; LEAF_TRIANGLES]; 3]; 3], frame: &SearchFrame, to: &mut Intervals) -> ());

#[inline(always)] // into code for wider registers
fn project_corners_in(corners: &[[[f64; LEAF_TRIANGLES]; 3]; 3], frame: &SearchFrame, to: &mut Intervals) {
    for k in 0..3 {
        let (f, shift) = (frame.axes[k], frame.shift[k]);
        for i in 0..LEAF_TRIANGLES {
            let at = |c: &[[f64; LEAF_TRIANGLES]; 3]| c[0][i] * f.x + c[1][i] * f.y + c[2][i] * f.z;
            let [p, q, r] = [at(&corners[0]), at(&corners[1]), at(&corners[2])];
            let (low, high) = (if p < q { p } else { q }, if p < q { q } else { p });
            to.low[k][i] = shift + if r < low { r } else { low };
            to.high[k][i] = shift + if r > high { r } else { high };
        }
    }
}
