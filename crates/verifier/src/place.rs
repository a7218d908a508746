//! The verifier's relative pose, and the gap of supporting planes over all points: in `f64`, and in
//! [`Wide`].

use crate::convex_core::ConvexCore;
use crate::number::{Number, Vector, Wide, dot, norm, sub, times, unit, values, wide};
use crate::placement::Placement;

/// Bound on the error of the filters in `f64`, in sizes of the pair: 64 units of rounding. A point
/// of B in A's frame is off by less than 20 (the pose is rounded from [`Wide`] once), a product
/// with a unit vector by 4 more, for each body.
pub const FILTER: f64 = 64.0 * f64::EPSILON / 2.0;

/// Bound on the error of [`Wide`], in sizes of the pair: 2^-94, a thousand of its own units.
pub const FINE: f64 = 1.0 / (1_u128 << 94) as f64;

/// B's frame in A's: rows of the rotation and the translation, metres.
pub struct Place {
    rows: [Vector<Wide>; 3],
    shift: Vector<Wide>,
    pub rough_rows: [Vector<f64>; 3],
    pub rough_shift: Vector<f64>,
}

/// The rows of the rotation of a quaternion, whatever its norm:
/// `1 + 2 (w [u] + u u^T - u.u) / |q|^2`.
fn rotation(q: [f64; 4]) -> [Vector<Wide>; 3] {
    let [w, x, y, z] = q.map(Wide::of);
    let (xx, yy, zz) = (x * x, y * y, z * z);
    let scale = Wide::of(2.0) / (w * w + xx + (yy + zz));
    let one = Wide::of(1.0);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    let (xy, yz, zx) = (x * y, y * z, z * x);
    [
        [one - scale * (yy + zz), scale * (xy - wz), scale * (zx + wy)],
        [scale * (xy + wz), one - scale * (zz + xx), scale * (yz - wx)],
        [scale * (zx - wy), scale * (yz + wx), one - scale * (xx + yy)],
    ]
}

impl Place {
    pub fn new(a: &Placement, b: &Placement) -> Self {
        let (ra, rb) = (rotation(a.q), rotation(b.q));
        let away =
            [0, 1, 2].map(|k: usize| Wide::sum(b.position[k], -a.position[k]) + Wide::sum(b.rest[k], -a.rest[k]));
        let column = |m: &[Vector<Wide>; 3], k: usize| [m[0][k], m[1][k], m[2][k]];
        // Rows of the transpose of A's rotation are its columns.
        let from_world = [0, 1, 2].map(|k: usize| column(&ra, k));
        let rows = from_world.map(|row| [0, 1, 2].map(|k: usize| dot(row, column(&rb, k))));
        let shift = from_world.map(|row| dot(row, away));
        Self { rough_rows: rows.map(values), rough_shift: values(shift), rows, shift }
    }

    /// The same place, with B moved by a vector of A's frame, metres.
    pub fn moved(&self, by: Vector<Wide>) -> Self {
        let shift = [0, 1, 2].map(|k: usize| self.shift[k] + by[k]);
        Self { rows: self.rows, shift, rough_rows: self.rough_rows, rough_shift: values(shift) }
    }

    /// A point of B in A's frame, in `f64`.
    pub fn rough(&self, p: Vector<f64>) -> Vector<f64> {
        let [x, y, z] = self.rough_rows.map(|row| dot(row, p));
        [x + self.rough_shift[0], y + self.rough_shift[1], z + self.rough_shift[2]]
    }

    /// A direction of B in A's frame, in `f64`.
    pub fn rough_vector(&self, v: Vector<f64>) -> Vector<f64> {
        self.rough_rows.map(|row| dot(row, v))
    }

    /// A direction of A's frame in B's, in `f64`.
    pub fn rough_back(&self, v: Vector<f64>) -> Vector<f64> {
        let [r, s, t] = self.rough_rows;
        [0, 1, 2].map(|k: usize| r[k] * v[0] + s[k] * v[1] + t[k] * v[2])
    }

    pub fn point(&self, p: Vector<f64>) -> Vector<Wide> {
        let turned = self.vector(wide(p));
        [0, 1, 2].map(|k: usize| turned[k] + self.shift[k])
    }

    pub fn vector(&self, v: Vector<Wide>) -> Vector<Wide> {
        self.rows.map(|row| dot(row, v))
    }

    /// A direction of A's frame in B's.
    pub fn back(&self, v: Vector<Wide>) -> Vector<Wide> {
        let [r, s, t] = self.rows;
        [0, 1, 2].map(|k: usize| r[k] * v[0] + s[k] * v[1] + t[k] * v[2])
    }
}

/// Two bodies at a relative pose.
pub struct Pair<'a> {
    pub a: &'a ConvexCore,
    pub b: &'a ConvexCore,
    pub place: Place,
    /// Both radii about the origins and the distance of the origins, metres.
    pub size: f64,
}

impl<'a> Pair<'a> {
    pub fn new(a: &'a ConvexCore, pa: &Placement, b: &'a ConvexCore, pb: &Placement) -> Self {
        let place = Place::new(pa, pb);
        let size = a.radius() + b.radius() + norm(place.rough_shift);
        Self { a, b, place, size }
    }

    /// Both growths, exactly.
    pub fn growth(&self) -> Wide {
        Wide::sum(self.a.growth, self.b.growth)
    }

    /// `min over B of n.x - max over A of n.x` of the cores, `n` a unit vector: off by [`FILTER`]
    /// at most.
    pub fn rough_gap(&self, n: Vector<f64>) -> f64 {
        let m = self.place.rough_back(n).map(|c| -c);
        dot(n, self.place.rough_shift) - highest(&self.b.by_axis, m) - highest(&self.a.by_axis, n)
    }

    /// Returns the gap in [`Wide`]; `n` of any length.
    pub fn gap(&self, n: Vector<Wide>) -> Wide {
        self.supports(n).gap
    }

    /// Returns the supporting points along a direction of any length, and the gap between their
    /// planes in [`Wide`].
    pub fn supports(&self, n: Vector<Wide>) -> Supports {
        let n = unit(n);
        let m = self.place.back(n).map(|c| -c);
        let (a, b) = (self.top(self.a, n), self.top(self.b, m));
        Supports { points: [a.0, b.0], gap: dot(n, self.place.shift) - b.1 - a.1 }
    }

    /// The largest `n.x` over all points of a body, and the point: those that `f64` cannot exclude
    /// are measured.
    fn top(&self, body: &ConvexCore, n: Vector<Wide>) -> (usize, Wide) {
        let rough = values(n);
        let floor = highest(&body.by_axis, rough) - FILTER * self.size;
        let mut best: Option<(usize, Wide)> = None;
        for (k, p) in body.points.iter().enumerate().filter(|&(_, &p)| dot(rough, p) >= floor) {
            let height = dot(n, wide(*p));
            if best.is_none_or(|(_, b)| height > b) {
                best = Some((k, height));
            }
        }
        best.expect("a body has a point")
    }

    /// The supporting points along a unit direction, in `f64`.
    pub fn rough_supports(&self, n: Vector<f64>) -> [usize; 2] {
        let m = self.place.rough_back(n).map(|c| -c);
        [farthest(&self.a.by_axis, n), farthest(&self.b.by_axis, m)]
    }

    /// The edge of A between two points, in A's frame.
    pub fn edge_a(&self, [i, j]: [usize; 2]) -> Vector<Wide> {
        sub(wide(self.a.points[j]), wide(self.a.points[i]))
    }

    /// The edge of B between two points, in A's frame.
    pub fn edge_b(&self, [i, j]: [usize; 2]) -> Vector<Wide> {
        self.place.vector(sub(wide(self.b.points[j]), wide(self.b.points[i])))
    }

    /// The outward normal of a facet of B in A's frame, reversed: it points from A to B.
    pub fn facet_b(&self, facet: usize) -> Vector<Wide> {
        times(self.place.vector(self.b.hull().facets[facet].normal), Wide::of(-1.0))
    }
}

/// Supporting points of A and B along a direction.
pub struct Supports {
    /// Indices of the points.
    pub points: [usize; 2],
    /// `min over B of n.x - max over A of n.x`, metres.
    pub gap: Wide,
}

/// The first point of largest `n.x`.
fn farthest([x, y, z]: &[Vec<f64>; 3], n: Vector<f64>) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (k, ((x, y), z)) in x.iter().zip(y).zip(z).enumerate() {
        let height = n[0] * x + n[1] * y + n[2] * z;
        best = if height > best.0 { (height, k) } else { best };
    }
    best.1
}

/// The largest `n.x` over points given by coordinate.
fn highest([x, y, z]: &[Vec<f64>; 3], n: Vector<f64>) -> f64 {
    let mut lanes = [f64::NEG_INFINITY; 4];
    let whole = x.len() / 4 * 4;
    let (y, z) = (&y[..x.len()], &z[..x.len()]);
    for at in (0..whole).step_by(4) {
        for k in 0..4 {
            let height = n[0] * x[at + k] + n[1] * y[at + k] + n[2] * z[at + k];
            lanes[k] = if height > lanes[k] { height } else { lanes[k] };
        }
    }
    for k in whole..x.len() {
        let height = n[0] * x[k] + n[1] * y[k] + n[2] * z[k];
        lanes[0] = if height > lanes[0] { height } else { lanes[0] };
    }
    lanes.into_iter().fold(f64::NEG_INFINITY, f64::max)
}
