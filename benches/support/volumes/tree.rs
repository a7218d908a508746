//! A tree over triangles that are in the order of the library's tree: the nodes are the same.

use clearsweep_geometry::Vec3;

/// The corners of a triangle.
pub(crate) type Corners = [Vec3<f64>; 3];

/// Triangles of a leaf, at most.
pub(crate) const LEAF: usize = 8;

/// A rigid motion: of B's frame to A's, or none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion {
    /// Rows.
    pub(crate) r: [Vec3<f64>; 3],
    pub(crate) t: Vec3<f64>,
}

impl Motion {
    pub(crate) const NONE: Self = Self {
        r: [Vec3 { x: 1.0, y: 0.0, z: 0.0 }, Vec3 { x: 0.0, y: 1.0, z: 0.0 }, Vec3 { x: 0.0, y: 0.0, z: 1.0 }],
        t: Vec3 { x: 0.0, y: 0.0, z: 0.0 },
    };

    #[inline(always)]
    pub(crate) fn vector(&self, v: Vec3<f64>) -> Vec3<f64> {
        Vec3::new(self.r[0].dot(v), self.r[1].dot(v), self.r[2].dot(v))
    }

    #[inline(always)]
    pub(crate) fn point(&self, p: Vec3<f64>) -> Vec3<f64> {
        self.vector(p) + self.t
    }

    /// A direction of A's frame in the body's.
    #[inline(always)]
    pub(crate) fn back(&self, v: Vec3<f64>) -> Vec3<f64> {
        self.r[0] * v.x + self.r[1] * v.y + self.r[2] * v.z
    }

    /// Vectors or points side by side.
    #[inline(always)]
    pub(crate) fn turn_all<const W: usize>(&self, of: &[[f32; W]; 3], moved: bool) -> [[f64; W]; 3] {
        let mut to = [[0.0; W]; 3];
        for (k, row) in self.r.iter().enumerate() {
            let shift = if moved { self.t[k] } else { 0.0 };
            for j in 0..W {
                to[k][j] =
                    f64::from(of[0][j]) * row.x + f64::from(of[1][j]) * row.y + f64::from(of[2][j]) * row.z + shift;
            }
        }
        to
    }
}

/// A kind of bounding volume, of up to `W` children side by side.
pub(crate) trait Volumes<const W: usize> {
    /// Name in tables.
    const NAME: &'static str;
    /// Whether placed volumes depend on the axes of the search.
    const TURNS: bool;
    /// Volumes that the tree keeps.
    type Stored;
    /// In A's frame.
    type Placed;
    /// View of a body in a search.
    type View;

    /// Around the triangles of each child, in the mesh's frame.
    fn store(children: &[&[Corners]]) -> Self::Stored;
    /// Returns the view of a body at its place; `axes`: those of the search, in A's frame.
    fn view(motion: &Motion, axes: &[Vec3<f64>; 3]) -> Self::View;
    fn place(stored: &Self::Stored, view: &Self::View) -> Self::Placed;
    /// Squares of lower bounds of the distances between child `lane` of one node and all of
    /// another; beyond their children anything.
    fn row(one: &Self::Placed, lane: usize, all: &Self::Placed, to: &mut [f64; W]);
}

/// An inner node or a leaf.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Node {
    Inner(u32),
    Leaf(u32),
}

/// Data common to all kinds of volumes.
#[derive(Debug, Clone)]
pub(crate) struct Inner<const W: usize> {
    pub(crate) children: [Node; W],
    pub(crate) count: usize,
    /// A point in the middle of each child.
    pub(crate) centers: [Vec3<f64>; W],
    /// Half the diagonal of the box of each.
    pub(crate) sizes: [f64; W],
}

/// Node 0 has one child, the root.
pub(crate) struct Tree<V: Volumes<W>, const W: usize> {
    pub(crate) corners: Vec<Corners>,
    pub(crate) inner: Vec<Inner<W>>,
    pub(crate) stored: Vec<V::Stored>,
    /// First and last but one of each leaf.
    pub(crate) leaves: Vec<(usize, usize)>,
    pub(crate) radius: f64,
}

impl<V: Volumes<W>, const W: usize> Tree<V, W> {
    /// Over triangles in the order of the library's tree.
    pub(crate) fn new(corners: Vec<Corners>) -> Self {
        let radius = corners.iter().flatten().map(|p| p.length()).fold(0.0, f64::max);
        let mut tree = Self { corners, inner: Vec::new(), stored: Vec::new(), leaves: Vec::new(), radius };
        let all = tree.corners.len();
        tree.node(&[(0, all)]);
        tree.inner[0].children[0] = tree.subtree(0, all);
        tree
    }

    fn node(&mut self, groups: &[(usize, usize)]) -> usize {
        let mut node =
            Inner { children: [Node::Leaf(0); W], count: groups.len(), centers: [Vec3::ZERO; W], sizes: [0.0; W] };
        for (lane, &(from, to)) in groups.iter().enumerate() {
            let (low, high) = ends(self.corners[from..to].iter().flatten().copied(), &Motion::NONE.r);
            node.centers[lane] = Vec3::from([0, 1, 2].map(|k: usize| 0.5 * (low[k] + high[k])));
            node.sizes[lane] = 0.5 * Vec3::from([0, 1, 2].map(|k: usize| high[k] - low[k])).length();
        }
        let children: Vec<&[Corners]> = groups.iter().map(|&(from, to)| &self.corners[from..to]).collect();
        self.stored.push(V::store(&children));
        self.inner.push(node);
        self.inner.len() - 1
    }

    fn subtree(&mut self, from: usize, to: usize) -> Node {
        if to - from <= LEAF {
            self.leaves.push((from, to));
            return Node::Leaf(self.leaves.len() as u32 - 1);
        }
        let groups = groups::<W>(from, to);
        let index = self.node(&groups);
        for (lane, &(from, to)) in groups.iter().enumerate() {
            self.inner[index].children[lane] = self.subtree(from, to);
        }
        Node::Inner(index as u32)
    }

    /// Returns the bytes of the volumes, and four bytes for each child, per triangle.
    pub(crate) fn bytes_per_triangle(&self) -> f64 {
        (self.stored.len() * (size_of::<V::Stored>() + 4 * W)) as f64 / self.corners.len() as f64
    }
}

/// The children of a node over a run of triangles: the longest is halved, to whole leaves, until
/// there are `W`.
fn groups<const W: usize>(from: usize, to: usize) -> Vec<(usize, usize)> {
    let mut runs = vec![(from, to)];
    while runs.len() < W {
        let longest = (0..runs.len())
            .filter(|&i| runs[i].1 - runs[i].0 > LEAF)
            .min_by_key(|&i| std::cmp::Reverse(runs[i].1 - runs[i].0));
        let Some(at) = longest else { break };
        let (from, to) = runs[at];
        let count = to - from;
        let middle = from + (count / 2).next_multiple_of(LEAF).min(count - 1);
        runs[at] = (from, middle);
        runs.insert(at + 1, (middle, to));
    }
    runs
}

/// The lowest and the highest coordinate of points along each axis.
pub(crate) fn ends(points: impl Iterator<Item = Vec3<f64>>, axes: &[Vec3<f64>]) -> (Vec<f64>, Vec<f64>) {
    let mut ends = (vec![f64::INFINITY; axes.len()], vec![f64::NEG_INFINITY; axes.len()]);
    for p in points {
        for (k, axis) in axes.iter().enumerate() {
            let c = axis.dot(p);
            ends.0[k] = ends.0[k].min(c);
            ends.1[k] = ends.1[k].max(c);
        }
    }
    ends
}

/// The principal axes of triangles by their areas, the one of the least spread last. Jacobi's
/// rotations.
pub(crate) fn principal_axes(triangles: &[Corners]) -> [Vec3<f64>; 3] {
    let near = triangles[0][0];
    let (mut m, mut mean, mut weight) = ([[0.0; 3]; 3], Vec3::ZERO, 0.0);
    for t in triangles {
        let t = t.map(|p| p - near);
        let area = (t[1] - t[0]).cross(t[2] - t[0]).length();
        weight += area;
        for p in t {
            mean = mean + p * (area / 3.0);
            for i in 0..3 {
                for j in 0..3 {
                    m[i][j] += area / 3.0 * p[i] * p[j];
                }
            }
        }
    }
    let mean = mean * (1.0 / weight);
    for i in 0..3 {
        for j in 0..3 {
            m[i][j] = m[i][j] / weight - mean[i] * mean[j];
        }
    }
    let mut axes = Motion::NONE.r;
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = if theta.is_finite() { theta.signum() / (theta.abs() + theta.hypot(1.0)) } else { 0.0 };
            let c = 1.0 / t.hypot(1.0);
            let s = t * c;
            for k in 0..3 {
                (m[p][k], m[q][k]) = (c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]);
            }
            for row in &mut m {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            (axes[p], axes[q]) = (axes[p] * c - axes[q] * s, axes[p] * s + axes[q] * c);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| m[j][j].total_cmp(&m[i][i]));
    let [u, v, _] = order.map(|k| axes[k]);
    let u = u.normalized();
    let v = (v - u * u.dot(v)).normalized();
    let axes = [u, v, u.cross(v)];
    if axes.iter().all(|a| a.is_finite()) { axes } else { Motion::NONE.r }
}

/// Rounded up to single precision.
pub(crate) fn up(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y) < x { y.next_up() } else { y }
}

/// Rounded down to single precision.
pub(crate) fn down(x: f64) -> f32 {
    -up(-x)
}

/// Relative, what rounding a vector to single precision may take, with room.
pub(crate) const SINGLE: f64 = 4.0 * f32::EPSILON as f64;
