//! Tetrahedra: the cells of the branch and bound.

use crate::Vec3;
use crate::hull::SMALLEST_COORDINATE;
use crate::triangle_tree::{Corners, bounds};

/// The hull of four points; it may be flat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tetrahedron(pub(super) [Vec3<f64>; 4]);

/// The edges, as pairs of corners.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

impl Tetrahedron {
    /// Five that fill a box.
    pub(super) fn of_box(low: Vec3<f64>, high: Vec3<f64>) -> [Self; 5] {
        let at = |x: usize, y: usize, z: usize| {
            let pick = |k: usize, up: usize| if up == 1 { high[k] } else { low[k] };
            Vec3::new(pick(0, x), pick(1, y), pick(2, z))
        };
        let [a, b, c, d] = [at(0, 0, 0), at(1, 1, 0), at(1, 0, 1), at(0, 1, 1)];
        let beside = [at(1, 0, 0), at(0, 1, 0), at(0, 0, 1), at(1, 1, 1)];
        [
            Self([a, b, c, d]),
            Self([beside[0], a, b, c]),
            Self([beside[1], a, b, d]),
            Self([beside[2], a, c, d]),
            Self([beside[3], b, c, d]),
        ]
    }

    /// The mean of the corners.
    pub(super) fn center(&self) -> Vec3<f64> {
        let [a, b, c, d] = self.0;
        ((a + b) + (c + d)).scale(0.25)
    }

    /// No point of it is farther from `p`, but for rounding.
    pub(super) fn radius_about(&self, p: Vec3<f64>) -> f64 {
        self.0.iter().map(|&corner| (corner - p).length2()).fold(0.0, f64::max).sqrt()
    }

    /// Box.
    pub(super) fn bounds(&self) -> (Vec3<f64>, Vec3<f64>) {
        bounds(self.0.into_iter())
    }

    /// The same, moved.
    pub(super) fn moved(&self, by: Vec3<f64>) -> Self {
        Self(self.0.map(|corner| corner + by))
    }

    /// Planes of the faces (outward unit normal, and a point) that no corner is farther outside of
    /// than `slack`; planes of faces nearly without area may be missing.
    pub(super) fn planes(&self, slack: f64) -> impl Iterator<Item = (Vec3<f64>, Vec3<f64>)> {
        let c = self.0;
        let planes =
            [[1, 2, 3, 0], [0, 2, 3, 1], [0, 1, 3, 2], [0, 1, 2, 3]].into_iter().map(move |[i, j, k, apex]| {
                let n = (c[j] - c[i]).cross(c[k] - c[i]).normalized();
                (if n.dot(c[apex] - c[i]) > 0.0 { -n } else { n }, c[i])
            });
        planes.filter(move |&(n, at)| n.is_finite() && c.iter().all(|&p| n.dot(p - at) <= slack))
    }

    /// Both halves across the middle of the longest edge; `None` if it is no longer than `least`.
    pub(super) fn halves(&self, least: f64) -> Option<[Self; 2]> {
        let c = &self.0;
        let length2 = |&[i, j]: &[usize; 2]| (c[i] - c[j]).length2();
        // The first of equal ones.
        let [i, j] = EDGES.into_iter().reduce(|x, y| if length2(&y) > length2(&x) { y } else { x })?;
        if length2(&[i, j]) <= least * least {
            return None;
        }
        let middle = flushed((c[i] + c[j]).scale(0.5));
        let with = |at: usize| {
            let mut corners = *c;
            corners[at] = middle;
            Self(corners)
        };
        Some([with(j), with(i)])
    }

    /// Cut where a linear function of these values at the corners is zero: the parts below, then
    /// those beyond. Together they are the whole. Both have a corner where the function is not
    /// zero.
    pub(super) fn cut(&self, values: [f64; 4], parts: &mut Vec<Self>) {
        let (mut below, mut beyond): (Vec<usize>, Vec<usize>) = (0..4).partition(|&i| values[i] <= 0.0);
        let crossing = |i: usize, j: usize| {
            let (p, q) = (self.0[i], self.0[j]);
            flushed(p + (q - p).scale(values[i] / (values[i] - values[j])))
        };
        // One corner on its own side comes first.
        let (one, other) = if beyond.len() == 1 { (&mut beyond, &mut below) } else { (&mut below, &mut beyond) };
        let c = |i: usize| self.0[i];
        match (&one[..], &other[..]) {
            (&[n], &[p, q, r]) => {
                let cut = [crossing(n, p), crossing(n, q), crossing(n, r)];
                push(parts, [c(n), cut[0], cut[1], cut[2]]);
                prism(parts, cut, [c(p), c(q), c(r)]);
            }
            (&[m, n], &[p, q]) => {
                let [mp, mq, np, nq] = [crossing(m, p), crossing(m, q), crossing(n, p), crossing(n, q)];
                prism(parts, [c(m), mp, mq], [c(n), np, nq]);
                prism(parts, [c(p), mp, np], [c(q), mq, nq]);
            }
            _ => parts.push(*self),
        }
    }

    /// Whether it comes within `margin` of a triangle; false only if a plane leaves this much
    /// between them, rounding of the products (coordinates up to `scale`) included.
    pub(super) fn may_meet(&self, triangle: &Corners, margin: f64, scale: f64) -> bool {
        let c = &self.0;
        let sides = [triangle[1] - triangle[0], triangle[2] - triangle[0], triangle[2] - triangle[1]];
        let parts = |axis: Vec3<f64>| {
            let along = |list: &[Vec3<f64>]| {
                list.iter()
                    .map(|&p| axis.dot(p))
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
            };
            let (own, other) = (along(c), along(triangle));
            let gap = (other.0 - own.1).max(own.0 - other.1);
            // Each product is off by less than 4 u |axis| scale.
            gap > (margin + 8.0 * f64::EPSILON * scale) * axis.length() * (1.0 + 8.0 * f64::EPSILON)
        };
        if parts(sides[0].cross(sides[1])) {
            return false;
        }
        let edges = EDGES.map(|[i, j]| c[j] - c[i]);
        let faces =
            [edges[0].cross(edges[1]), edges[0].cross(edges[2]), edges[1].cross(edges[2]), edges[3].cross(edges[4])];
        !(faces.into_iter().any(parts) || edges.iter().any(|e| sides.iter().any(|s| parts(e.cross(*s)))))
    }
}

/// Coordinates below the range of exact predicates become zero: far less than rounding.
fn flushed(p: Vec3<f64>) -> Vec3<f64> {
    Vec3::from(p.to_array().map(|c| if c.abs() < SMALLEST_COORDINATE { 0.0 } else { c }))
}

/// Three that fill the prism between two triangles.
fn prism(parts: &mut Vec<Tetrahedron>, [a, b, c]: Corners, [d, e, f]: Corners) {
    push(parts, [a, b, c, f]);
    push(parts, [a, b, e, f]);
    push(parts, [a, d, e, f]);
}

/// Adds one unless it has two equal corners: the others beside it hold its points.
fn push(parts: &mut Vec<Tetrahedron>, corners: [Vec3<f64>; 4]) {
    if EDGES.iter().all(|&[i, j]| corners[i] != corners[j]) {
        parts.push(Tetrahedron(corners));
    }
}
