//! The facets of the Minkowski difference nearest to an origin inside it: the expanding polytope
//! algorithm in integers. Visibility is an exact sign and distances are compared as fractions, so
//! the polytope stays convex and all equal depths are found.

use super::integer_pair::IntegerPair;
use super::integer_vec3::IntegerVec3;
use crate::pair::VertexPair;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Triangles after which the expansion is given up: a limit for degenerate input.
const LIMIT: usize = 50_000;

/// The outward normals of all nearest facets, each times a positive number.
#[derive(Debug)]
pub(super) enum ExactFacets {
    /// Normals of a difference with a volume.
    Facets(Vec<IntegerVec3>),
    /// Normal of a flat difference: the origin lies on it, and both sides are equally near.
    Flat(IntegerVec3),
}

/// A triangle of the polytope.
struct IntegerTriangle {
    /// Its vertices, counter-clockwise seen from outside.
    v: [usize; 3],
    /// The outward normal times a positive number.
    normal: IntegerVec3,
    /// `normal . v`.
    offset: BigInt,
    /// `normal . normal`.
    n2: BigInt,
    alive: bool,
    /// Whether it is known to lie on the boundary of the difference.
    facet: bool,
}

impl IntegerTriangle {
    /// Compares the signed distances of two triangles' planes from the origin.
    fn compare(&self, other: &Self) -> Ordering {
        let signed = |t: &Self, n2: &BigInt| &t.offset * BigInt::from(t.offset.magnitude().clone()) * n2;
        signed(self, &other.n2).cmp(&signed(other, &self.n2))
    }
}

/// The expanding polytope.
struct IntegerPolytope<'a> {
    pair: &'a IntegerPair,
    points: Vec<IntegerVec3>,
    triangles: Vec<IntegerTriangle>,
}

/// The nearest facets of a difference that contains the origin; `simplex`: some of its vertices.
/// `None` at the limit.
pub(super) fn exact_facets(pair: &IntegerPair, simplex: &[VertexPair]) -> Option<ExactFacets> {
    let start = match tetrahedron(pair, simplex) {
        Ok(start) => start,
        Err(direction) => return Some(ExactFacets::Flat(direction)),
    };
    let mut polytope = IntegerPolytope { pair, points: start.to_vec(), triangles: Vec::new() };
    let [a, b, c, d] = &start;
    let up = (b - a).cross(&(c - a)).dot(&(d - a)).sign() == Sign::Plus;
    let faces =
        if up { [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] } else { [[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]] };
    faces.into_iter().for_each(|v| polytope.push(v));
    while polytope.triangles.len() < LIMIT {
        let facets: Vec<usize> = polytope.alive().filter(|&t| polytope.triangles[t].facet).collect();
        // The nearest triangle is expanded first, so the first facet is a nearest one.
        let least = facets.first().map(|&t| &polytope.triangles[t]);
        let open = polytope.alive().filter(|&t| !polytope.triangles[t].facet);
        let next = open.min_by(|&t, &u| polytope.triangles[t].compare(&polytope.triangles[u]));
        match next {
            Some(t) if least.is_none_or(|l| polytope.triangles[t].compare(l).is_le()) => polytope.expand(t),
            _ => return Some(ExactFacets::Facets(polytope.directions(&facets))),
        }
    }
    None
}

impl IntegerPolytope<'_> {
    fn alive(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.triangles.len()).filter(|&t| self.triangles[t].alive)
    }

    fn push(&mut self, v: [usize; 3]) {
        let [a, b, c] = v.map(|i| &self.points[i]);
        let normal = (b - a).cross(&(c - a));
        let (offset, n2) = (normal.dot(a), normal.dot(&normal));
        self.triangles.push(IntegerTriangle { v, normal, offset, n2, alive: true, facet: false });
    }

    /// Expands a triangle by the support along its normal, or marks it as a facet if nothing lies
    /// beyond it.
    fn expand(&mut self, t: usize) {
        let point = self.pair.difference(self.pair.support(&self.triangles[t].normal));
        if self.triangles[t].normal.dot(&point) == self.triangles[t].offset {
            self.triangles[t].facet = true;
            return;
        }
        // The polytope is convex, so the visible triangles are connected and their horizon is one
        // loop.
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

    /// The distinct normals of the nearest of these facets.
    fn directions(&self, facets: &[usize]) -> Vec<IntegerVec3> {
        let facets = facets.iter().map(|&t| &self.triangles[t]);
        let Some(least) = facets.clone().min_by(|t, u| t.compare(u)) else { return Vec::new() };
        let mut found: Vec<IntegerVec3> = Vec::new();
        for t in facets.filter(|t| t.compare(least).is_eq()) {
            let known = |n: &IntegerVec3| n.cross(&t.normal).is_zero() && n.dot(&t.normal).sign() == Sign::Plus;
            if !found.iter().any(known) {
                found.push(t.normal.clone());
            }
        }
        found
    }
}

fn axes() -> [IntegerVec3; 3] {
    std::array::from_fn(|k| IntegerVec3(std::array::from_fn(|i| BigInt::from(i32::from(i == k)))))
}

/// Four vertices of the difference that span a volume, or a normal of the flat difference.
fn tetrahedron(pair: &IntegerPair, simplex: &[VertexPair]) -> Result<[IntegerVec3; 4], IntegerVec3> {
    let first = pair.difference(simplex[0]);
    // The first vertex, of the simplex and then of the supports along both signs of each direction,
    // that spans one more dimension.
    let find = |directions: &[IntegerVec3], spans: &dyn Fn(&IntegerVec3) -> bool| {
        let simplex = simplex.iter().copied();
        let supports = directions.iter().flat_map(|d| [pair.support(d), pair.support(&d.negated())]);
        simplex.chain(supports).map(|p| pair.difference(p)).find(|p| spans(p))
    };
    let [x, y, z] = axes();
    let axes = [x, y, z];
    let Some(second) = find(&axes, &|p| *p != first) else {
        let [x, ..] = axes;
        return Err(x);
    };
    let along = &second - &first;
    let across: Vec<IntegerVec3> = axes.iter().map(|axis| along.cross(axis)).filter(|d| !d.is_zero()).collect();
    let Some(third) = find(&across, &|p| !(p - &first).cross(&along).is_zero()) else {
        return Err(across.into_iter().next().unwrap_or_else(IntegerVec3::zero));
    };
    let normal = along.cross(&(&third - &first));
    match find(std::slice::from_ref(&normal), &|p| (p - &first).dot(&normal).sign() != Sign::NoSign) {
        Some(fourth) => Ok([first, second, third, fourth]),
        None => Err(normal),
    }
}
