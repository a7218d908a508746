//! The facets of the Minkowski difference nearest to the origin inside it, exactly: the expanding polytope algorithm in
//! integers. Visibility is a sign and distances are compared as fractions, so that the polytope stays convex and all
//! equal depths are found.

use super::lift::Lifted;
use super::vector::Vector;
use crate::narrow::pair::VertexPair;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Triangles after which the search is given up: a limit on everything.
const LIMIT: usize = 50_000;

/// Outward directions (each times a positive number) of all facets that are nearest.
#[derive(Debug)]
pub(super) enum Deepest {
    /// Of a difference with a volume.
    Facets(Vec<Vector>),
    /// Of one without: the origin is on it, and both sides are as near.
    Flat(Vector),
}

struct Triangle {
    v: [usize; 3],
    /// Outward, times a positive number.
    normal: Vector,
    /// `normal . v`.
    offset: BigInt,
    n2: BigInt,
    alive: bool,
    /// Known to lie on the boundary of the difference.
    facet: bool,
}

impl Triangle {
    /// Compares the signed distances of two triangles' planes from the origin.
    fn compare(&self, other: &Self) -> Ordering {
        let signed = |t: &Self, n2: &BigInt| &t.offset * BigInt::from(t.offset.magnitude().clone()) * n2;
        signed(self, &other.n2).cmp(&signed(other, &self.n2))
    }
}

struct Polytope<'a> {
    lifted: &'a Lifted,
    points: Vec<Vector>,
    triangles: Vec<Triangle>,
}

/// The nearest facets of a difference that holds the origin; `simplex`: some of its vertices. `None` at the limit.
pub(super) fn deepest(lifted: &Lifted, simplex: &[VertexPair]) -> Option<Deepest> {
    let start = match tetrahedron(lifted, simplex) {
        Ok(start) => start,
        Err(direction) => return Some(Deepest::Flat(direction)),
    };
    let mut polytope = Polytope { lifted, points: start.to_vec(), triangles: Vec::new() };
    let [a, b, c, d] = &start;
    let up = (b - a).cross(&(c - a)).dot(&(d - a)).sign() == Sign::Plus;
    let faces =
        if up { [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] } else { [[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]] };
    faces.into_iter().for_each(|v| polytope.push(v));
    while polytope.triangles.len() < LIMIT {
        let facets: Vec<usize> = polytope.living().filter(|&t| polytope.triangles[t].facet).collect();
        // The nearest is opened first, so the first facet is a nearest one.
        let least = facets.first().map(|&t| &polytope.triangles[t]);
        let open = polytope.living().filter(|&t| !polytope.triangles[t].facet);
        let next = open.min_by(|&t, &u| polytope.triangles[t].compare(&polytope.triangles[u]));
        match next {
            Some(t) if least.is_none_or(|l| polytope.triangles[t].compare(l).is_le()) => polytope.open(t),
            _ => return Some(Deepest::Facets(polytope.directions(&facets))),
        }
    }
    None
}

impl Polytope<'_> {
    fn living(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.triangles.len()).filter(|&t| self.triangles[t].alive)
    }

    fn push(&mut self, v: [usize; 3]) {
        let [a, b, c] = v.map(|i| &self.points[i]);
        let normal = (b - a).cross(&(c - a));
        let (offset, n2) = (normal.dot(a), normal.dot(&normal));
        self.triangles.push(Triangle { v, normal, offset, n2, alive: true, facet: false });
    }

    /// Looks beyond a triangle: it is a facet, or gives way to what lies there.
    fn open(&mut self, t: usize) {
        let point = self.lifted.difference(self.lifted.support(&self.triangles[t].normal));
        if self.triangles[t].normal.dot(&point) == self.triangles[t].offset {
            self.triangles[t].facet = true;
            return;
        }
        // What the point sees is one patch, since the polytope is convex; its horizon runs once around.
        let mut horizon = BTreeSet::new();
        for triangle in &mut self.triangles {
            if triangle.alive && triangle.normal.dot(&point) > triangle.offset {
                triangle.alive = false;
                for k in 0..3 {
                    let (from, to) = (triangle.v[k], triangle.v[(k + 1) % 3]);
                    if !horizon.remove(&(to, from)) {
                        horizon.insert((from, to));
                    }
                }
            }
        }
        let apex = self.points.len();
        self.points.push(point);
        for (from, to) in horizon {
            self.push([from, to, apex]);
        }
    }

    /// The directions of the nearest of these facets, each once.
    fn directions(&self, facets: &[usize]) -> Vec<Vector> {
        let facets = facets.iter().map(|&t| &self.triangles[t]);
        let Some(least) = facets.clone().min_by(|t, u| t.compare(u)) else { return Vec::new() };
        let mut found: Vec<Vector> = Vec::new();
        for t in facets.filter(|t| t.compare(least).is_eq()) {
            let known = |n: &Vector| n.cross(&t.normal).is_zero() && n.dot(&t.normal).sign() == Sign::Plus;
            if !found.iter().any(known) {
                found.push(t.normal.clone());
            }
        }
        found
    }
}

fn axes() -> [Vector; 3] {
    std::array::from_fn(|k| Vector(std::array::from_fn(|i| BigInt::from(i32::from(i == k)))))
}

/// FourPlanes vertices of the difference that span a volume, or a direction across the flat difference.
fn tetrahedron(lifted: &Lifted, simplex: &[VertexPair]) -> Result<[Vector; 4], Vector> {
    let first = lifted.difference(simplex[0]);
    // Of the simplex, then of the supports along both signs of each direction: the first that spans one more dimension.
    let find = |directions: &[Vector], spans: &dyn Fn(&Vector) -> bool| {
        let simplex = simplex.iter().copied();
        let supports = directions.iter().flat_map(|d| [lifted.support(d), lifted.support(&d.negated())]);
        simplex.chain(supports).map(|p| lifted.difference(p)).find(|p| spans(p))
    };
    let [x, y, z] = axes();
    let axes = [x, y, z];
    let Some(second) = find(&axes, &|p| *p != first) else {
        let [x, ..] = axes;
        return Err(x);
    };
    let along = &second - &first;
    let across: Vec<Vector> = axes.iter().map(|axis| along.cross(axis)).filter(|d| !d.is_zero()).collect();
    let Some(third) = find(&across, &|p| !(p - &first).cross(&along).is_zero()) else {
        return Err(across.into_iter().next().unwrap_or_else(Vector::zero));
    };
    let normal = along.cross(&(&third - &first));
    match find(std::slice::from_ref(&normal), &|p| (p - &first).dot(&normal).sign() != Sign::NoSign) {
        Some(fourth) => Ok([first, second, third, fourth]),
        None => Err(normal),
    }
}
