//! A body for the verifier: its triangles, and which of them close a solid. A convex body is the solid of its triangles too.

use std::ops::Range;

use super::gap::inside;
use crate::hull::Hull;
use crate::oracle::number::{Vector, add, cross, norm, sub, times};

/// Points and triangles of a core, and the radius by which it is grown.
#[derive(Clone, Default)]
pub(crate) struct Body {
    pub(crate) points: Vec<Vector<f64>>,
    /// Outward, where they close a solid. A segment or a point is a triangle with equal corners.
    pub(crate) triangles: Vec<[usize; 3]>,
    /// Triangles that close a solid, cavities included.
    pub(crate) solids: Vec<Range<usize>>,
    /// A point of each connected part of the surface.
    pub(crate) starts: Vec<usize>,
    pub(crate) growth: f64,
    pub(crate) is_convex: bool,
    /// Triangles that close a solid with its cavities filled, if the body encloses a cavity; its middle is the origin.
    pub(crate) filled: Vec<[usize; 3]>,
    /// Points inside the solids, beneath the middle of each triangle.
    pub(crate) probes: Vec<Vector<f64>>,
    /// Largest distance of a point from the origin, metres.
    pub(crate) reach: f64,
}

impl Body {
    /// A closed or open surface. `is_closed`: all triangles together close a solid.
    pub(crate) fn surface(points: Vec<Vector<f64>>, triangles: Vec<[usize; 3]>, is_closed: bool) -> Self {
        let solids = if is_closed { vec![Range { start: 0, end: triangles.len() }] } else { Vec::new() };
        let mut body = Self { points, triangles, solids, ..Self::default() };
        body.finish();
        body
    }

    /// The hull of points that do not lie in a plane.
    pub(crate) fn hull(points: Vec<Vector<f64>>) -> Self {
        let hull = Hull::new(&points);
        let fan = |c: &[usize]| (1..c.len() - 1).map(|k| [c[0], c[k], c[k + 1]]).collect::<Vec<_>>();
        let triangles = hull.facets.iter().flat_map(|f| fan(&f.corners)).collect();
        Self { is_convex: true, ..Self::surface(points, triangles, true) }
    }

    /// A convex polygon in a plane, a segment or a point: no solid.
    pub(crate) fn flat(points: Vec<Vector<f64>>) -> Self {
        let last = points.len() - 1;
        let triangles = (1..last.max(2)).map(|k| [0, k.min(last), (k + 1).min(last)]).collect();
        Self { is_convex: true, ..Self::surface(points, triangles, false) }
    }

    /// Several solids as one body.
    pub(crate) fn union(parts: &[Self]) -> Self {
        let mut all = Self::default();
        for part in parts {
            let (points, triangles) = (all.points.len(), all.triangles.len());
            all.points.extend(&part.points);
            all.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + points)));
            all.solids.extend(part.solids.iter().map(|r| r.start + triangles..r.end + triangles));
        }
        all.finish();
        all
    }

    pub(crate) fn corners(&self, triangle: [usize; 3]) -> [Vector<f64>; 3] {
        triangle.map(|v| self.points[v])
    }

    fn finish(&mut self) {
        self.reach = self.points.iter().map(|&p| norm(p)).fold(0.0, f64::max);
        let mut root: Vec<usize> = (0..self.points.len()).collect();
        let find = |root: &[usize], mut v: usize| {
            while root[v] != v {
                v = root[v];
            }
            v
        };
        for t in &self.triangles {
            for k in 1..3 {
                let (i, j) = (find(&root, t[0]), find(&root, t[k]));
                root[i.max(j)] = i.min(j);
            }
        }
        let is_used = |v: usize| self.triangles.iter().any(|t| t.contains(&v));
        self.starts = (0..self.points.len()).filter(|&v| root[v] == v && is_used(v)).collect();
        for solid in self.solids.clone() {
            for t in &self.triangles[solid.clone()] {
                let [a, b, c] = self.corners(*t);
                let normal = cross(sub(b, a), sub(c, a));
                let (area, size) = (norm(normal), norm(sub(b, a)));
                let middle = times(add(a, add(b, c)), 1.0 / 3.0);
                let probe = sub(middle, times(normal, 1e-3 * size / area));
                if inside(self, &|t| self.corners(t), probe) {
                    self.probes.push(probe);
                }
            }
        }
    }
}
