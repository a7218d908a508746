//! The verifier's own hull: facets by wrapping a plane around the points, edge by edge.
//!
//! Slow and plain, once for each shape. Signs are taken in `f64` where they are beyond doubt and in
//! [`Wide`] elsewhere; points within `ZERO` of a plane count as on it, which is far below
//! anything the verifier can tell.

use std::collections::BTreeMap;

use crate::number::{Number, Vector, Wide, cross, dot, norm, sub, unit, values, wide};

/// Below this share of the largest possible value a determinant counts as zero.
const ZERO: f64 = 1e-26;

/// No facet: beside the edge of a segment.
pub const NONE: usize = usize::MAX;

/// A facet: its plane, and its corners counter-clockwise seen from outside.
pub struct Facet {
    pub normal: Vector<Wide>,
    pub rough: Vector<f64>,
    pub corners: Vec<usize>,
}

/// An edge and the facets beside it.
pub struct Edge {
    pub ends: [usize; 2],
    pub facets: [usize; 2],
}

/// Facets ordered by their sorted corners, edges by their (low, high) ends: the published order.
#[derive(Default)]
pub struct Hull {
    pub facets: Vec<Facet>,
    pub edges: Vec<Edge>,
}

/// The points being wrapped; `kept`: the first of equal ones.
struct Points<'a> {
    all: &'a [Vector<f64>],
    kept: Vec<usize>,
    reach: f64,
}

impl Hull {
    /// Returns the hull of any points; `None` where the structure found is no polyhedron: points
    /// are too near to a plane for the verifier to tell.
    pub fn new(points: &[Vector<f64>]) -> Option<Self> {
        let mut kept: Vec<usize> = Vec::new();
        for (i, p) in points.iter().enumerate() {
            if !kept.iter().any(|&k| points[k] == *p) {
                kept.push(i);
            }
        }
        let reach = points.iter().map(|&p| norm(p)).fold(f64::MIN_POSITIVE, f64::max);
        let points = Points { all: points, kept, reach };
        let Some([i, j]) = points.farthest() else { return Some(Self::default()) };
        let Some(k) = points.widest(i, j) else {
            let edge = Edge { ends: [i.min(j), i.max(j)], facets: [NONE; 2] };
            return Some(Self { facets: Vec::new(), edges: vec![edge] });
        };
        let flat = points.kept.iter().all(|&l| points.side([i, j, k], l) == 0);
        let mut hull = if flat { points.polygon_twice([i, j, k])? } else { points.wrap()? };
        hull.number()?;
        (flat || points.holds(&hull)).then_some(hull)
    }

    /// Sorts facets and finds the edges with the facets beside them; `None` where an edge does not
    /// lie between two.
    fn number(&mut self) -> Option<()> {
        let sorted = |f: &Facet| {
            let mut corners = f.corners.clone();
            corners.sort_unstable();
            corners
        };
        self.facets.sort_by_key(sorted);
        let mut beside: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
        for (f, facet) in self.facets.iter().enumerate() {
            for [i, j] in sides(&facet.corners) {
                beside.entry([i.min(j), i.max(j)]).or_default().push(f);
            }
        }
        self.edges = beside
            .into_iter()
            .map(|(ends, facets)| Some(Edge { ends, facets: facets.try_into().ok()? }))
            .collect::<Option<_>>()?;
        Some(())
    }
}

/// The directed sides of a polygon.
pub fn sides(corners: &[usize]) -> impl Iterator<Item = [usize; 2]> + '_ {
    (0..corners.len()).map(|k| [corners[k], corners[(k + 1) % corners.len()]])
}

impl Points<'_> {
    fn w(&self, i: usize) -> Vector<Wide> {
        wide(self.all[i])
    }

    /// Two points far apart; `None` if there is only one.
    fn farthest(&self) -> Option<[usize; 2]> {
        let from = |o: usize| {
            let far = |i: &usize| norm(sub(self.all[*i], self.all[o]));
            self.kept.iter().copied().max_by(|i, j| far(i).total_cmp(&far(j)))
        };
        let i = from(*self.kept.first()?)?;
        let j = from(i)?;
        (i != j).then_some([i, j])
    }

    /// The point farthest from the line through two; `None` where all lie on it.
    fn widest(&self, i: usize, j: usize) -> Option<usize> {
        let along = sub(self.w(j), self.w(i));
        let off = |k: usize| norm(cross(along, sub(self.w(k), self.w(i)))).0;
        let k = self.kept.iter().copied().max_by(|&k, &l| off(k).total_cmp(&off(l)))?;
        (off(k) > ZERO * norm(along).0 * self.reach).then_some(k)
    }

    /// On which side of the plane through three points a fourth one lies: 1 above
    /// (counter-clockwise is outside).
    fn side(&self, [i, j, k]: [usize; 3], l: usize) -> i32 {
        let p = self.all[i];
        let (u, v, d) = (sub(self.all[j], p), sub(self.all[k], p), sub(self.all[l], p));
        let det = dot(cross(u, v), d);
        let size = norm(u) * norm(v);
        // A difference of two numbers is rounded once: its error is relative to itself.
        if det.abs() > 4e-15 * size * norm(d) {
            return if det > 0.0 { 1 } else { -1 };
        }
        let p = self.w(i);
        let (u, v, d) = (sub(self.w(j), p), sub(self.w(k), p), sub(self.w(l), p));
        sign(dot(cross(u, v), d).value(), ZERO * size * self.reach)
    }

    /// Whether a third point turns left off the line through two, seen along a facet's normal from
    /// outside.
    fn turn(&self, normal: Vector<Wide>, [i, j]: [usize; 2], l: usize) -> i32 {
        let (u, d) = (sub(self.all[j], self.all[i]), sub(self.all[l], self.all[i]));
        let det = dot(values(normal), cross(u, d));
        if det.abs() > 4e-15 * norm(u) * norm(d) {
            return if det > 0.0 { 1 } else { -1 };
        }
        let (u, d) = (sub(self.w(j), self.w(i)), sub(self.w(l), self.w(i)));
        sign(dot(normal, cross(u, d)).value(), ZERO * norm(u).0 * self.reach)
    }

    /// The facet in the plane through three points, whose normal points out.
    fn facet(&self, triple: [usize; 3]) -> Option<Facet> {
        let on: Vec<usize> = self.kept.iter().copied().filter(|&l| self.side(triple, l) == 0).collect();
        // A well-shaped triangle gives the normal.
        let i = triple[0];
        let far = |k: &usize| norm(sub(self.all[*k], self.all[i]));
        let j = on.iter().copied().max_by(|a, b| far(a).total_cmp(&far(b)))?;
        let off = |k: usize| norm(cross(sub(self.all[j], self.all[i]), sub(self.all[k], self.all[i])));
        let k = on.iter().copied().max_by(|&a, &b| off(a).total_cmp(&off(b)))?;
        let along = |[i, j, k]: [usize; 3]| cross(sub(self.w(j), self.w(i)), sub(self.w(k), self.w(i)));
        let outward = along(triple);
        let normal = unit(along([i, j, k]));
        let normal = if dot(normal, outward).0 < 0.0 { normal.map(|c| -c) } else { normal };
        Some(Facet { normal, rough: values(normal), corners: self.corners(normal, &on)? })
    }

    /// The corners of the convex hull of points in a plane, counter-clockwise.
    fn corners(&self, normal: Vector<Wide>, on: &[usize]) -> Option<Vec<usize>> {
        let far = |i: usize, j: usize| norm(sub(self.all[j], self.all[i]));
        let lowest = |a: &&usize, b: &&usize| {
            let (a, b) = (self.all[**a], self.all[**b]);
            a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
        };
        let start = *on.iter().min_by(lowest)?;
        let mut corners = vec![start];
        loop {
            let at = corners[corners.len() - 1];
            let mut next = None;
            for &l in on.iter().filter(|&&l| l != at) {
                let Some(n) = next else {
                    next = Some(l);
                    continue;
                };
                let turn = self.turn(normal, [at, n], l);
                if turn < 0 || turn == 0 && far(at, l) > far(at, n) {
                    next = Some(l);
                }
            }
            let next = next?;
            if next == start {
                return Some(corners);
            }
            corners.push(next);
            // The walk around a facet closes.
            if corners.len() > on.len() {
                return None;
            }
        }
    }

    /// The two faces of a polygon.
    fn polygon_twice(&self, [i, j, k]: [usize; 3]) -> Option<Hull> {
        Some(Hull { facets: vec![self.facet([i, j, k])?, self.facet([i, k, j])?], edges: Vec::new() })
    }

    /// A first facet, then the facet on the far side of each side found.
    fn wrap(&self) -> Option<Hull> {
        let mut facets = vec![self.facet(self.first()?)?];
        let mut known: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        let mut at = 0;
        known.extend(sides(&facets[0].corners).map(|side| (side, 0)));
        while at < facets.len() {
            for [i, j] in sides(&facets[at].corners).collect::<Vec<_>>() {
                if known.contains_key(&[j, i]) {
                    continue;
                }
                let facet = self.facet([j, i, self.pivot(j, i)?])?;
                for side in sides(&facet.corners) {
                    // A side belongs to one facet.
                    if known.insert(side, facets.len()).is_some() {
                        return None;
                    }
                }
                // The facet has the side that it was found from.
                known.get(&[j, i])?;
                facets.push(facet);
            }
            at += 1;
        }
        Some(Hull { facets, edges: Vec::new() })
    }

    /// Three points whose plane has all others below it or on it.
    fn first(&self) -> Option<[usize; 3]> {
        let lowest =
            |a: &&usize, b: &&usize| self.all[**a].partial_cmp(&self.all[**b]).unwrap_or(std::cmp::Ordering::Equal);
        let i = *self.kept.iter().min_by(lowest)?;
        for &j in self.kept.iter().filter(|&&j| j != i) {
            for &k in self.kept.iter().filter(|&&k| k != i && k != j) {
                let along = cross(sub(self.w(j), self.w(i)), sub(self.w(k), self.w(i)));
                let in_line = norm(along).0 <= ZERO * self.reach * norm(sub(self.all[j], self.all[i]));
                if !in_line && self.kept.iter().all(|&l| self.side([i, j, k], l) <= 0) {
                    return Some([i, j, k]);
                }
            }
        }
        None
    }

    /// The point whose plane with the directed edge has no point above it.
    fn pivot(&self, i: usize, j: usize) -> Option<usize> {
        let along = sub(self.w(j), self.w(i));
        let length = norm(along).0;
        let in_line = |k: usize| {
            let d = sub(self.all[k], self.all[i]);
            let rough = norm(cross(values(along), d));
            rough <= 1e-12 * length * self.reach
                && norm(cross(along, sub(self.w(k), self.w(i)))).0 <= ZERO * length * self.reach
        };
        let mut best = None;
        for &l in self.kept.iter().filter(|&&l| l != i && l != j) {
            match best {
                None if !in_line(l) => best = Some(l),
                Some(k) if self.side([i, j, k], l) > 0 => best = Some(l),
                _ => {}
            }
        }
        best
    }

    /// Whether all points are below all facets, and Euler's formula holds.
    fn holds(&self, hull: &Hull) -> bool {
        let mut corners: Vec<usize> = hull.facets.iter().flat_map(|f| f.corners.iter().copied()).collect();
        corners.sort_unstable();
        corners.dedup();
        let is_below = |facet: &Facet, l: usize| {
            let rough = dot(facet.rough, sub(self.all[l], self.all[facet.corners[0]]));
            rough <= -1e-14 * self.reach
                || dot(facet.normal, sub(self.w(l), self.w(facet.corners[0]))).value() <= 1e-24 * self.reach
        };
        corners.len() + hull.facets.len() == hull.edges.len() + 2
            && hull.facets.iter().all(|facet| self.kept.iter().all(|&l| is_below(facet, l)))
    }
}

fn sign(x: f64, zero: f64) -> i32 {
    i32::from(x > zero) - i32::from(x < -zero)
}
