//! A body for the verifier: its triangles, and which of them close a solid. A convex body is the
//! solid of its triangles too.

use std::ops::Range;
use std::sync::OnceLock;

use crate::gap::{inside, on_triangle};
use crate::hull::Hull;
use crate::number::{Vector, add, cross, dot, norm, sub, times};

/// Points and triangles of a core, and the radius by which it is inflated.
#[derive(Clone, Default)]
pub struct Body {
    pub points: Vec<Vector<f64>>,
    /// Outward, where they close a solid. A segment or a point is a triangle with equal corners.
    pub triangles: Vec<[usize; 3]>,
    /// Triangles that close a solid, cavities included.
    pub solids: Vec<Range<usize>>,
    /// A point of each connected part of the surface.
    pub starts: Vec<usize>,
    /// The connected part of each triangle: its place among `starts`.
    pub parts: Vec<usize>,
    pub growth: f64,
    pub is_convex: bool,
    /// Triangles that close a solid with its cavities filled, if the body encloses a cavity; its
    /// middle is the origin.
    pub filled: Vec<[usize; 3]>,
    /// Largest distance of a point from the origin, metres.
    pub reach: f64,
    /// See [`Self::probes`].
    pub lazy_probes: OnceLock<Vec<Vector<f64>>>,
    /// See [`Self::inner`].
    pub lazy_inner: OnceLock<Vec<Vector<f64>>>,
}

impl Body {
    /// A closed or open surface. `is_closed`: all triangles together close a solid.
    pub fn surface(points: Vec<Vector<f64>>, triangles: Vec<[usize; 3]>, is_closed: bool) -> Self {
        let solids = if is_closed { vec![Range { start: 0, end: triangles.len() }] } else { Vec::new() };
        let mut body = Self { points, triangles, solids, ..Self::default() };
        body.finish();
        body
    }

    /// The hull of points that do not lie in a plane.
    pub fn hull(points: Vec<Vector<f64>>) -> Self {
        let hull = Hull::new(&points).expect("a body of the campaign is a polyhedron");
        let fan = |c: &[usize]| (1..c.len() - 1).map(|k| [c[0], c[k], c[k + 1]]).collect::<Vec<_>>();
        let triangles = hull.facets.iter().flat_map(|f| fan(&f.corners)).collect();
        Self { is_convex: true, ..Self::surface(points, triangles, true) }
    }

    /// A convex polygon in a plane, a segment or a point: no solid.
    pub fn flat(points: Vec<Vector<f64>>) -> Self {
        let last = points.len() - 1;
        let triangles = (1..last.max(2)).map(|k| [0, k.min(last), (k + 1).min(last)]).collect();
        Self { is_convex: true, ..Self::surface(points, triangles, false) }
    }

    /// Several solids as one body.
    pub fn union(parts: &[Self]) -> Self {
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

    /// Whether it is a surface whose inside the winding number tells.
    pub fn is_open(&self) -> bool {
        !self.is_convex && self.solids.is_empty()
    }

    pub fn corners(&self, triangle: [usize; 3]) -> [Vector<f64>; 3] {
        triangle.map(|v| self.points[v])
    }

    fn finish(&mut self) {
        self.reach = self.points.iter().map(|&p| norm(p)).fold(0.0, f64::max);
        let mut root: Vec<usize> = (0..self.points.len()).collect();
        let find = |root: &mut [usize], mut v: usize| {
            while root[v] != v {
                root[v] = root[root[v]];
                v = root[v];
            }
            v
        };
        let mut is_used = vec![false; self.points.len()];
        for t in &self.triangles {
            t.iter().for_each(|&v| is_used[v] = true);
            for k in 1..3 {
                let (i, j) = (find(&mut root, t[0]), find(&mut root, t[k]));
                root[i.max(j)] = i.min(j);
            }
        }
        self.starts = (0..self.points.len()).filter(|&v| root[v] == v && is_used[v]).collect();
        let starts = &self.starts;
        let mut part = |v: usize| starts.binary_search(&find(&mut root, v)).expect("the root of a triangle");
        self.parts = self.triangles.iter().map(|t| part(t[0])).collect();
    }

    /// Convex but for rounding, which a mesh may be, too.
    pub fn is_nearly_convex(&self) -> bool {
        self.is_convex || (self.solids.len() == 1 && self.triangles.iter().all(|&t| self.is_behind(t)))
    }

    /// Points inside the solids, beneath the middle of each triangle.
    pub fn probes(&self) -> &[Vector<f64>] {
        self.lazy_probes.get_or_init(|| {
            let probe = |t: &[usize; 3]| {
                let [a, b, c] = self.corners(*t);
                let normal = cross(sub(b, a), sub(c, a));
                let (area, size) = (norm(normal), norm(sub(b, a)));
                let middle = times(add(a, add(b, c)), 1.0 / 3.0);
                sub(middle, times(normal, 1e-3 * size / area))
            };
            let solids = self.solids.iter().flat_map(|solid| &self.triangles[solid.clone()]);
            solids.map(probe).filter(|&probe| inside(self, &|t| self.corners(t), probe)).collect()
        })
    }

    /// Points inside the solids, far from the surface: the farthest first.
    pub fn inner(&self) -> &[Vector<f64>] {
        self.lazy_inner.get_or_init(|| self.inner_points())
    }

    /// Whether all points are behind the plane of a triangle, but for rounding.
    fn is_behind(&self, triangle: [usize; 3]) -> bool {
        let [a, b, c] = self.corners(triangle);
        let normal = cross(sub(b, a), sub(c, a));
        let room = 1e-9 * self.reach * norm(normal);
        self.points.iter().all(|&p| dot(normal, sub(p, a)) <= room)
    }

    /// From beneath the middle of each triangle inward, halfway to what is opposite.
    fn inner_points(&self) -> Vec<Vector<f64>> {
        let clearance = |p: Vector<f64>| {
            let to = |t: &[usize; 3]| norm(sub(on_triangle(p, self.corners(*t)), p));
            self.triangles.iter().map(to).fold(f64::INFINITY, f64::min)
        };
        let mut found: Vec<(f64, Vector<f64>)> = Vec::new();
        for &probe in self.probes().iter().step_by(1 + self.probes().len() / 8) {
            // Away from the nearest point of the surface, as far as it stays the nearest.
            let nearest = |p: Vector<f64>| {
                let feet = self.triangles.iter().map(|&t| on_triangle(p, self.corners(t)));
                feet.min_by(|x, y| norm(sub(*x, p)).total_cmp(&norm(sub(*y, p)))).expect("triangles")
            };
            let foot = nearest(probe);
            let out = times(sub(probe, foot), 1.0 / norm(sub(probe, foot)));
            let (mut low, mut high) = (0.0, self.reach);
            for _ in 0..30 {
                let t = 0.5 * (low + high);
                let p = add(foot, times(out, t));
                if clearance(p) >= t * (1.0 - 1e-9) && inside(self, &|t| self.corners(t), p) {
                    low = t
                } else {
                    high = t
                }
            }
            found.push((low, add(foot, times(out, low))));
        }
        found.sort_by(|x, y| y.0.total_cmp(&x.0));
        found.into_iter().take(4).map(|(_, p)| p).collect()
    }
}
