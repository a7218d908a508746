//! The first feature pair, by the published rule, that carries witness points along a direction: signs of integers.

use super::lift::Lifted;
use super::vector::Vector;
use crate::geometry::Polyhedron;
use crate::narrow::feature::{Feature, FeaturePair};
use crate::narrow::proximity::FeatureKind::{Edge, Face, Vertex};
use crate::narrow::resolver::planes::Plane;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

/// Both cores with what they show along a direction.
pub(super) struct Shown<'a> {
    pub(super) a: &'a Polyhedron,
    pub(super) b: &'a Polyhedron,
    pub(super) lifted: &'a Lifted,
    /// From A to B, times a positive number.
    pub(super) direction: Vector,
    pub(super) plane: Plane,
}

/// A point of A: `numerator / denominator`, in lifted coordinates.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) numerator: Vector,
    pub(super) denominator: BigInt,
}

impl Point {
    fn whole(v: &Vector) -> Self {
        Self { numerator: v.clone(), denominator: BigInt::from(1) }
    }
}

impl<'a> Shown<'a> {
    pub(super) fn new(a: &'a Polyhedron, b: &'a Polyhedron, lifted: &'a Lifted, direction: Vector) -> Self {
        let top = |points: &[Vector], d: &Vector| -> Vec<u32> {
            let heights: Vec<BigInt> = points.iter().map(|p| p.dot(d)).collect();
            let most = heights.iter().max();
            (0..).zip(&heights).filter(|(_, h)| Some(*h) == most).map(|(v, _)| v).collect()
        };
        let on = [top(&lifted.a, &direction), top(&lifted.b, &direction.negated())];
        let plane = Plane::of((a, b), on);
        Self { a, b, lifted, direction, plane }
    }

    /// `min over B - max over A` along the direction, times its length.
    pub(super) fn gap(&self) -> BigInt {
        let [i, j] = self.plane.first();
        (&self.lifted.b[j as usize] - &self.lifted.a[i as usize]).dot(&self.direction)
    }

    /// The point of A's feature that lies over a point of B's along the direction, if there is one.
    pub(super) fn witness(&self, features: &FeaturePair) -> Option<Point> {
        let (i, j) = (features.a.index, features.b.index);
        let (va, vb) = (|v: u32| &self.lifted.a[v as usize], |v: u32| &self.lifted.b[v as usize]);
        match (features.a.kind, features.b.kind) {
            (Vertex, Vertex) => (vb(j) - va(i)).cross(&self.direction).is_zero().then(|| Point::whole(va(i))),
            (Edge, Vertex) => {
                let [from, to] = self.a.edges[i as usize].v.map(va);
                self.on_edge(from, to, vb(j)).map(|(s, e2)| along(from, to, &s, e2))
            }
            (Vertex, Edge) => {
                let [from, to] = self.b.edges[j as usize].v.map(vb);
                self.on_edge(from, to, va(i)).map(|_| Point::whole(va(i)))
            }
            (Edge, Edge) => {
                let [a, b] = [self.a.edges[i as usize].v.map(va), self.b.edges[j as usize].v.map(vb)];
                self.crossing(a, b)
            }
            (Face, Vertex) => {
                let ring: Vec<&Vector> = self.a.face(i).iter().map(|&v| va(v)).collect();
                self.over_face(&ring, vb(j), &self.direction).then(|| self.drop_onto(ring[0], vb(j)))
            }
            (Vertex, Face) => {
                let ring: Vec<&Vector> = self.b.face(j).iter().map(|&v| vb(v)).collect();
                self.over_face(&ring, va(i), &self.direction.negated()).then(|| Point::whole(va(i)))
            }
            _ => None,
        }
    }

    /// Where a point lies over a segment across the direction: its part, as a fraction of `e . e`.
    fn on_edge(&self, from: &Vector, to: &Vector, p: &Vector) -> Option<(BigInt, BigInt)> {
        let (e, w) = (to - from, p - from);
        let (s, e2) = (w.dot(&e), e.dot(&e));
        let over = w.dot(&e.cross(&self.direction)).sign() == Sign::NoSign;
        (over && within(&s, &e2)).then_some((s, e2))
    }

    /// Where two segments cross, seen along the direction; parallel ones do not.
    fn crossing(&self, [a, a_end]: [&Vector; 2], [b, b_end]: [&Vector; 2]) -> Option<Point> {
        let (ea, eb, w) = (a_end - a, b_end - b, b - a);
        let cross = ea.cross(&eb);
        let c2 = cross.dot(&cross);
        if c2.sign() == Sign::NoSign {
            return None;
        }
        let (s, t) = (w.cross(&eb).dot(&cross), w.cross(&ea).dot(&cross));
        (within(&s, &c2) && within(&t, &c2)).then(|| along(a, a_end, &s, c2))
    }

    /// Whether a point lies over a face with this outward direction.
    fn over_face(&self, ring: &[&Vector], p: &Vector, outward: &Vector) -> bool {
        (0..ring.len()).all(|k| {
            let (from, to) = (ring[k], ring[(k + 1) % ring.len()]);
            (to - from).cross(&(p - from)).dot(outward).sign() != Sign::Minus
        })
    }

    /// The foot of `p` on the plane across the direction through `on`.
    fn drop_onto(&self, on: &Vector, p: &Vector) -> Point {
        let n2 = self.direction.dot(&self.direction);
        let height = (p - on).dot(&self.direction);
        Point { numerator: &p.scale(&n2) - &self.direction.scale(&height), denominator: n2 }
    }
}

/// `from + (to - from) s / whole`.
fn along(from: &Vector, to: &Vector, s: &BigInt, whole: BigInt) -> Point {
    Point { numerator: from.scale(&whole).plus(&(to - from).scale(s)), denominator: whole }
}

/// Whether `0 <= s <= whole`.
fn within(s: &BigInt, whole: &BigInt) -> bool {
    s.sign() != Sign::Minus && s.cmp(whole) != Ordering::Greater
}

/// In the order of the rule: what a direction is the normal of.
pub(super) fn rank(plane: &Plane) -> (u8, u32, u32) {
    let first = |kinds: usize| plane.candidates(kinds).next().map(|f: FeaturePair| (f.a, f.b));
    let index = |f: Feature| f.index;
    match (first(0), first(1), first(2)) {
        (Some((a, _)), ..) => (0, index(a), 0),
        (_, Some((_, b)), _) => (1, index(b), 0),
        (.., Some((a, b))) => (2, index(a), index(b)),
        _ => (3, 0, 0),
    }
}
