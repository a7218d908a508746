//! Lower bounds of the distances between the triangles of two leaves, eight side by side: surfaces
//! that conform are as near everywhere as their boxes can tell, and only planes along the triangles
//! themselves tell which ones are nearest.

use clearsweep_base::simd::dispatch;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{TriangleMesh, WIDTH};

/// A number for each triangle of a leaf.
pub(super) type Lanes = [f64; WIDTH];

/// The triangles of a leaf, in A's frame. Lanes beyond its triangles repeat the last one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeafTriangles {
    /// Corners by component, metres.
    corners: [[Lanes; 3]; 3],
    /// Unit normals by component; zero for a triangle without area.
    normals: [Lanes; 3],
    /// Middles by component, metres.
    middles: [Lanes; 3],
    /// The least and the greatest height of a triangle's own corners along its normal, metres.
    heights: [Lanes; 2],
}

/// The triangles of two leaves that may be near.
#[derive(Debug, Default)]
pub(super) struct LeafGaps {
    /// Bit `j` of row `i`: triangle `i` of A and `j` of B are not proven to be beyond reach.
    pub(super) near: [u8; WIDTH],
    /// The least bound of those that are, by triangle of B, metres.
    far: Lanes,
}

impl LeafTriangles {
    const NONE: Self = Self {
        corners: [[[0.0; WIDTH]; 3]; 3],
        normals: [[0.0; WIDTH]; 3],
        middles: [[0.0; WIDTH]; 3],
        heights: [[0.0; WIDTH]; 2],
    };

    /// Component `k` of corner `c` of the triangle in a lane, metres.
    #[inline(always)]
    pub(super) fn corner(&self, c: usize, k: usize, lane: usize) -> f64 {
        self.corners[c][k][lane]
    }

    /// The triangles moved: points by `place`, directions by `turn`.
    pub(crate) fn moved(&self, place: impl Fn(Vec3<f64>) -> Vec3<f64>, turn: impl Fn(Vec3<f64>) -> Vec3<f64>) -> Self {
        let mut moved = Self::NONE;
        for j in 0..WIDTH {
            let normal = turn(lane(&self.normals, j).into());
            let corners = self.corners.each_ref().map(|corner| place(lane(corner, j).into()));
            let heights = corners.map(|corner| normal.dot(corner));
            for k in 0..3 {
                moved.normals[k][j] = normal[k];
                (0..3).for_each(|c| moved.corners[c][k][j] = corners[c][k]);
            }
            moved.heights[0][j] = lesser(lesser(heights[0], heights[1]), heights[2]);
            moved.heights[1][j] = greater(greater(heights[0], heights[1]), heights[2]);
        }
        moved
    }

    /// The triangles of leaf `index` of a mesh, their corners as `place` puts them into A's frame.
    pub(crate) fn new(mesh: &TriangleMesh, index: u32, place: impl Fn(Vec3<f64>) -> Vec3<f64>) -> Self {
        let mut leaf = Self::NONE;
        let triangles = mesh.leaf(index);
        for lane in 0..WIDTH {
            let t = (triangles.start + lane as u32).min(triangles.end - 1);
            for (corner, p) in mesh.corners(t).into_iter().enumerate() {
                let p = place(p);
                for k in 0..3 {
                    leaf.corners[corner][k][lane] = p[k];
                }
            }
        }
        finish(&mut leaf);
        leaf
    }
}

dispatch!(loops finish, finish_in, (of: &mut LeafTriangles) -> ());

/// Normals, middles and heights of triangles of which the corners are known.
#[inline(always)] // into code for wider registers
fn finish_in(of: &mut LeafTriangles) {
    let [p, q, r] = &of.corners;
    for j in 0..WIDTH {
        let (p, q, r) = (lane(p, j), lane(q, j), lane(r, j));
        let (u, v) = (sub(q, p), sub(r, p));
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let length2 = dot(n, n);
        // A normal so short that rounding of its square shows would be no unit vector.
        let scale = if length2 > 1e-200 { 1.0 / length2.sqrt() } else { 0.0 };
        let n = [n[0] * scale, n[1] * scale, n[2] * scale];
        let [a, b, c] = [dot(n, p), dot(n, q), dot(n, r)];
        for k in 0..3 {
            of.normals[k][j] = n[k];
            of.middles[k][j] = (p[k] + q[k] + r[k]) * (1.0 / 3.0);
        }
        of.heights[0][j] = lesser(lesser(a, b), c);
        of.heights[1][j] = greater(greater(a, b), c);
    }
}

impl LeafGaps {
    /// Bounds the distances of the triangles of A and of B whose bits are set in `of` (`j` of row
    /// `i`): along the normals of both, along the line between their middles, and along `axis`
    /// (unit, from A to B; or zero). Those up to `reach` (metres) apart are near.
    pub(super) fn compare(&mut self, [a, b]: [&LeafTriangles; 2], of: [u8; WIDTH], axis: Vec3<f64>, reach: f64) {
        self.near = of;
        self.far = [f64::INFINITY; WIDTH];
        compare(self, a, b, axis.to_array(), reach);
    }

    /// The lanes of A and of B that are near, in their order.
    pub(super) fn near(&self) -> impl Iterator<Item = [usize; 2]> + Clone + use<> {
        let mut left = u64::from_le_bytes(self.near);
        std::iter::from_fn(move || {
            let at = left.trailing_zeros() as usize;
            let is_left = left != 0;
            left &= left.wrapping_sub(1);
            is_left.then_some([at / WIDTH, at % WIDTH])
        })
    }

    /// The least bound of the pairs that were compared and are not near, metres.
    pub(super) fn far(&self) -> f64 {
        self.far.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// Leaves out the pairs of triangles whose bits are set in `near` that a plane of one of them
/// proves to be beyond `limit` (metres) throughout a motion of B's: `b` has its triangles at the
/// start and at the end, in A's frame. `off`: how much less than at the nearer end the distance
/// from a plane of A and from one of B may be between, metres.
pub(crate) fn rule_out_moving(
    near: &mut [u8; WIDTH],
    a: &LeafTriangles,
    b: &[LeafTriangles; 2],
    off: [f64; 2],
    limit: f64,
) {
    moving(near, a, b, off, limit);
}

dispatch!(loops moving, moving_in, (near: &mut [u8; WIDTH], a: &LeafTriangles, b: &[LeafTriangles; 2], off: [f64; 2], limit: f64) -> ());

#[inline(always)] // into code for wider registers
fn moving_in(near: &mut [u8; WIDTH], a: &LeafTriangles, b: &[LeafTriangles; 2], off: [f64; 2], limit: f64) {
    for (i, row) in near.iter_mut().enumerate().filter(|(_, row)| **row != 0) {
        let own = [lane(&a.corners[0], i), lane(&a.corners[1], i), lane(&a.corners[2], i)];
        let n = lane(&a.normals, i);
        let (low, high) = (a.heights[0][i], a.heights[1][i]);
        let mut far = 0;
        for j in 0..WIDTH {
            let [mut above, mut below, mut over, mut under] = [f64::INFINITY; 4];
            for at in b {
                let [p, q, r] = [lane(&at.corners[0], j), lane(&at.corners[1], j), lane(&at.corners[2], j)];
                let [x, y, z] = [dot(n, p), dot(n, q), dot(n, r)];
                above = lesser(above, lesser(lesser(x, y), z) - high);
                below = lesser(below, low - greater(greater(x, y), z));
                let m = lane(&at.normals, j);
                let [x, y, z] = [dot(m, own[0]), dot(m, own[1]), dot(m, own[2])];
                over = lesser(over, lesser(lesser(x, y), z) - at.heights[1][j]);
                under = lesser(under, at.heights[0][j] - greater(greater(x, y), z));
            }
            let gap = greater(greater(above, below) - off[0], greater(over, under) - off[1]);
            far |= u8::from(gap > limit && gap < f64::INFINITY) << j;
        }
        *row &= !far;
    }
}

dispatch!(loops compare, compare_in,
    (to: &mut LeafGaps, a: &LeafTriangles, b: &LeafTriangles, axis: [f64; 3], reach: f64) -> ());

/// Returns the numbers of a lane.
#[inline(always)]
fn lane(of: &[Lanes; 3], j: usize) -> [f64; 3] {
    [of[0][j], of[1][j], of[2][j]]
}

#[inline(always)]
fn dot(x: [f64; 3], y: [f64; 3]) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

#[inline(always)]
fn sub(x: [f64; 3], y: [f64; 3]) -> [f64; 3] {
    [x[0] - y[0], x[1] - y[1], x[2] - y[2]]
}

#[inline(always)]
fn lesser(x: f64, y: f64) -> f64 {
    if y < x { y } else { x }
}

#[inline(always)]
fn greater(x: f64, y: f64) -> f64 {
    if y > x { y } else { x }
}

#[inline(always)] // into code for wider registers
fn compare_in(to: &mut LeafGaps, a: &LeafTriangles, b: &LeafTriangles, axis: [f64; 3], reach: f64) {
    let mut along = [0.0; WIDTH];
    for j in 0..WIDTH {
        let [p, q, r] = [lane(&b.corners[0], j), lane(&b.corners[1], j), lane(&b.corners[2], j)];
        along[j] = lesser(lesser(dot(axis, p), dot(axis, q)), dot(axis, r));
    }
    for (i, row) in to.near.iter_mut().enumerate().filter(|(_, row)| **row != 0) {
        let own = [lane(&a.corners[0], i), lane(&a.corners[1], i), lane(&a.corners[2], i)];
        let (n, m) = (lane(&a.normals, i), lane(&a.middles, i));
        let (low, high) = (a.heights[0][i], a.heights[1][i]);
        let mut gaps = [0.0; WIDTH];
        let top = greater(greater(dot(axis, own[0]), dot(axis, own[1])), dot(axis, own[2]));
        let mut is_decided = true;
        for j in 0..WIDTH {
            let [p, q, r] = [lane(&b.corners[0], j), lane(&b.corners[1], j), lane(&b.corners[2], j)];
            let [x, y, z] = [dot(n, p), dot(n, q), dot(n, r)];
            let (above, below) = (lesser(lesser(x, y), z) - high, low - greater(greater(x, y), z));
            let gap = greater(greater(above, below), along[j] - top);
            let n = lane(&b.normals, j);
            let [x, y, z] = [dot(n, own[0]), dot(n, own[1]), dot(n, own[2])];
            let above = lesser(lesser(x, y), z) - b.heights[1][j];
            gaps[j] = greater(gap, greater(above, b.heights[0][j] - greater(greater(x, y), z)));
            is_decided &= gaps[j] > reach;
        }
        // Roots and quotients take most of the time: where planes decide there is no need of them.
        for j in 0..if is_decided { 0 } else { WIDTH } {
            let [p, q, r] = [lane(&b.corners[0], j), lane(&b.corners[1], j), lane(&b.corners[2], j)];
            let n = sub(lane(&b.middles, j), m);
            let length = dot(n, n).sqrt();
            let [x, y, z] = [dot(n, own[0]), dot(n, own[1]), dot(n, own[2])];
            let ahead = lesser(lesser(dot(n, p), dot(n, q)), dot(n, r)) - greater(greater(x, y), z);
            gaps[j] = greater(gaps[j], ahead / length);
        }
        let mut far = 0;
        for j in 0..WIDTH {
            let is_far = gaps[j] > reach;
            far |= u8::from(is_far) << j;
            to.far[j] = if is_far { lesser(to.far[j], gaps[j]) } else { to.far[j] };
        }
        *row &= !far;
    }
}
