//! A convex body of the oracle: its facets and edges by trying all triples of vertices.

use std::collections::BTreeMap;

use super::number::{Vector, Wide, cross, dot, norm, sub, times, unit, values, wide};

/// Below this share of the largest possible value a determinant counts as zero.
pub const ZERO: f64 = 1e-25;

/// A facet: a plane with all vertices on one side.
pub struct Facet {
    /// Outward unit normal.
    pub normal: Vector<Wide>,
    /// The vertices on the plane, ascending.
    pub vertices: Vec<usize>,
    /// The sides of the polygon, as pairs of vertices.
    pub sides: Vec<[usize; 2]>,
}

/// An edge of a facet (or a part of one, where vertices are collinear).
pub struct Edge {
    pub ends: [usize; 2],
    /// For each facet beside it, a vertex of that facet far from the edge.
    pub wings: Vec<usize>,
}

/// The hull of at most 128 points, inflated by a radius.
pub struct Body {
    pub vertices: Vec<Vector<f64>>,
    pub facets: Vec<Facet>,
    pub edges: Vec<Edge>,
    pub radius: f64,
    /// Largest distance of a vertex from the origin, and the radius.
    pub reach: f64,
}

impl Body {
    /// From points in any order, duplicates and inner points allowed.
    pub fn new(points: &[Vector<f64>], radius: f64) -> Self {
        let mut vertices: Vec<Vector<f64>> = Vec::new();
        for &p in points {
            if !vertices.contains(&p) {
                vertices.push(p);
            }
        }
        assert!((1..=128).contains(&vertices.len()), "the oracle takes 1 to 128 points");
        let reach = vertices.iter().map(|&v| norm(v)).fold(0.0, f64::max) + radius;
        let mut body = Self { vertices, facets: Vec::new(), edges: Vec::new(), radius, reach };
        match body.rank() {
            Rank::Point => {}
            Rank::Segment(ends) => body.edges.push(Edge { ends, wings: Vec::new() }),
            Rank::Wider => body.find_facets(),
        }
        body
    }

    /// Any number of points without facets or edges: enough for separations along given axes,
    /// nothing else.
    pub fn cloud(points: &[Vector<f64>], radius: f64) -> Self {
        let reach = points.iter().map(|&v| norm(v)).fold(0.0, f64::max) + radius;
        Self { vertices: points.to_vec(), facets: Vec::new(), edges: Vec::new(), radius, reach }
    }

    fn w(&self, i: usize) -> Vector<Wide> {
        wide(self.vertices[i])
    }

    fn rank(&self) -> Rank {
        let spread = |o: usize| {
            let far = |&i: &usize| norm(sub(self.vertices[i], self.vertices[o]));
            (0..self.vertices.len()).max_by(|i, j| far(i).total_cmp(&far(j))).unwrap_or(o)
        };
        if self.vertices.len() == 1 {
            return Rank::Point;
        }
        let start = spread(0);
        let end = spread(start);
        let direction = sub(self.w(end), self.w(start));
        let length = norm(direction).0;
        let wider = (0..self.vertices.len())
            .any(|i| norm(cross(direction, sub(self.w(i), self.w(start)))).0 > ZERO * length * length);
        if wider { Rank::Wider } else { Rank::Segment([start.min(end), start.max(end)]) }
    }

    /// Every plane through three vertices that has all others on one side or on it.
    fn find_facets(&mut self) {
        let n = self.vertices.len();
        let mut masks: Vec<u128> = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    let triple = 1_u128 << i | 1 << j | 1 << k;
                    if masks.iter().any(|m| m & triple == triple) {
                        continue;
                    }
                    if let Some((normal, mask, flat)) = self.supporting([i, j, k]) {
                        masks.push(mask);
                        self.push_facet(normal, mask);
                        if flat {
                            self.push_facet(times(normal, Wide(-1.0, 0.0)), mask);
                            return self.find_edges();
                        }
                    }
                }
            }
        }
        self.find_edges();
    }

    /// The outward normal of the plane through a triple, the mask of vertices on it, and whether
    /// they are all; `None` if vertices lie on both sides or the triple is collinear.
    fn supporting(&self, [i, j, k]: [usize; 3]) -> Option<(Vector<Wide>, u128, bool)> {
        let (o, u, v) =
            (self.vertices[i], sub(self.vertices[j], self.vertices[i]), sub(self.vertices[k], self.vertices[i]));
        // In f64 first: most triples have vertices far on both sides.
        let rough = cross(u, v);
        let size = norm(u) * norm(v);
        let (mut above, mut below) = (false, false);
        for &p in &self.vertices {
            let d = sub(p, o);
            let side = dot(rough, d);
            let doubt = 1e-14 * size * (norm(d) + 2.0 * self.reach);
            above |= side > doubt;
            below |= side < -doubt;
            if above && below {
                return None;
            }
        }
        let (u, v) = (sub(self.w(j), self.w(i)), sub(self.w(k), self.w(i)));
        let plane = cross(u, v);
        if norm(plane).0 <= ZERO * size {
            return None;
        }
        let (mut above, mut below, mut mask) = (false, false, 0_u128);
        for p in 0..self.vertices.len() {
            let d = sub(self.w(p), self.w(i));
            let side = dot(plane, d).0;
            let zero = ZERO * size * self.reach;
            above |= side > zero;
            below |= side < -zero;
            if side.abs() <= zero {
                mask |= 1 << p;
            }
        }
        match (above, below) {
            (true, true) => None,
            (true, false) => Some((times(unit(plane), Wide(-1.0, 0.0)), mask, false)),
            (_, below) => Some((unit(plane), mask, !below)),
        }
    }

    fn push_facet(&mut self, normal: Vector<Wide>, mask: u128) {
        let vertices: Vec<usize> = (0..self.vertices.len()).filter(|i| mask >> i & 1 == 1).collect();
        let mut sides = Vec::new();
        for (at, &i) in vertices.iter().enumerate() {
            for &j in &vertices[at + 1..] {
                let along = sub(self.w(j), self.w(i));
                let inward = cross(normal, along);
                let zero = ZERO * norm(along).0 * self.reach;
                let side = |k: &usize| dot(inward, sub(self.w(*k), self.w(i))).0;
                let (above, below) =
                    (vertices.iter().any(|k| side(k) > zero), vertices.iter().any(|k| side(k) < -zero));
                if !(above && below) {
                    sides.push(if above { [i, j] } else { [j, i] }); // counter-clockwise seen from outside
                }
            }
        }
        self.facets.push(Facet { normal, vertices, sides });
    }

    fn find_edges(&mut self) {
        let mut found: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
        for facet in &self.facets {
            for &[i, j] in &facet.sides {
                let along = sub(self.vertices[j], self.vertices[i]);
                let off = |&k: &usize| norm(cross(along, sub(self.vertices[k], self.vertices[i])));
                let wing = facet.vertices.iter().copied().max_by(|a, b| off(a).total_cmp(&off(b)));
                found.entry([i.min(j), i.max(j)]).or_default().extend(wing);
            }
        }
        self.edges = found.into_iter().map(|(ends, wings)| Edge { ends, wings }).collect();
    }

    /// Distance of a point of the body's own frame from its surface (of a flat body: from the
    /// body), in `f64`.
    pub fn off_surface(&self, p: Vector<f64>) -> f64 {
        let plane = |f: &Facet| dot(values(f.normal), sub(p, self.vertices[f.vertices[0]]));
        let highest = self.facets.iter().map(plane).fold(f64::NEG_INFINITY, f64::max);
        if self.facets.len() > 2 && highest <= 0.0 {
            return (highest.abs() + self.radius).abs(); // inside the core
        }
        let mut nearest = self.vertices.iter().map(|&v| norm(sub(p, v))).fold(f64::INFINITY, f64::min);
        for edge in &self.edges {
            let [a, b] = edge.ends.map(|i| self.vertices[i]);
            let along = sub(b, a);
            let share = (dot(sub(p, a), along) / dot(along, along)).clamp(0.0, 1.0);
            nearest = nearest.min(norm(sub(sub(p, a), times(along, share))));
        }
        for facet in &self.facets {
            if facet.sides.iter().all(|s| self.inside_side(facet, s, p)) {
                nearest = nearest.min(plane(facet).abs());
            }
        }
        (nearest - self.radius).abs()
    }

    fn inside_side(&self, facet: &Facet, &[i, j]: &[usize; 2], p: Vector<f64>) -> bool {
        let inward = cross(values(facet.normal), sub(self.vertices[j], self.vertices[i]));
        dot(inward, sub(p, self.vertices[i])) >= 0.0
    }
}

enum Rank {
    Point,
    Segment([usize; 2]),
    Wider,
}
