//! Feature pairs that carry witness points along a direction, decided by signs of integers.

use super::integer_pair::IntegerPair;
use super::integer_vec3::IntegerVec3;
use crate::feature::FeatureKind::{Edge, Face, Vertex};
use crate::feature::{Feature, FeaturePair};
use crate::support::FeatureIndices;
use crate::support_planes::SupportPlanes;
use clearsweep_geometry::Polyhedron;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

/// Both cores with the features on their supporting planes along a direction.
pub(super) struct SupportedDirection<'a> {
    pub(super) a: &'a Polyhedron,
    pub(super) b: &'a Polyhedron,
    pub(super) pair: &'a IntegerPair,
    /// Direction from A to B, times a positive number.
    pub(super) direction: IntegerVec3,
    pub(super) planes: SupportPlanes,
}

/// A point of A: `numerator / denominator`, in the coordinates of the integer pair.
#[derive(Debug)]
pub(super) struct RationalPoint {
    pub(super) numerator: IntegerVec3,
    pub(super) denominator: BigInt,
}

impl RationalPoint {
    fn integer(v: &IntegerVec3) -> Self {
        Self { numerator: v.clone(), denominator: BigInt::from(1) }
    }
}

impl<'a> SupportedDirection<'a> {
    pub(super) fn new(a: &'a Polyhedron, b: &'a Polyhedron, pair: &'a IntegerPair, direction: IntegerVec3) -> Self {
        let top = |points: &[IntegerVec3], d: &IntegerVec3| -> FeatureIndices {
            let heights: Vec<BigInt> = points.iter().map(|p| p.dot(d)).collect();
            let most = heights.iter().max();
            (0..).zip(&heights).filter(|(_, h)| Some(*h) == most).map(|(v, _)| v).collect()
        };
        let on = [top(&pair.a, &direction), top(&pair.b, &direction.negated())];
        let planes = SupportPlanes::from_vertices((a, b), on);
        Self { a, b, pair, direction, planes }
    }

    /// `min over B - max over A` of the heights along the direction, times its length.
    pub(super) fn gap(&self) -> BigInt {
        let [i, j] = self.planes.first_vertices();
        (&self.pair.b[j as usize] - &self.pair.a[i as usize]).dot(&self.direction)
    }

    /// A point of A's feature that lies over a point of B's along the direction, if there is one.
    pub(super) fn witness(&self, features: &FeaturePair) -> Option<RationalPoint> {
        let (i, j) = (features.a.index, features.b.index);
        let (va, vb) = (|v: u32| &self.pair.a[v as usize], |v: u32| &self.pair.b[v as usize]);
        match (features.a.kind, features.b.kind) {
            (Vertex, Vertex) => (vb(j) - va(i)).cross(&self.direction).is_zero().then(|| RationalPoint::integer(va(i))),
            (Edge, Vertex) => {
                let [from, to] = self.a.edges[i as usize].v.map(va);
                self.on_edge(from, to, vb(j)).map(|(s, e2)| along(from, to, &s, e2))
            }
            (Vertex, Edge) => {
                let [from, to] = self.b.edges[j as usize].v.map(vb);
                self.on_edge(from, to, va(i)).map(|_| RationalPoint::integer(va(i)))
            }
            (Edge, Edge) => {
                let [a, b] = [self.a.edges[i as usize].v.map(va), self.b.edges[j as usize].v.map(vb)];
                self.crossing(a, b)
            }
            (Face, Vertex) => {
                let ring: Vec<&IntegerVec3> = self.a.face(i).iter().map(|&v| va(v)).collect();
                self.over_face(&ring, vb(j), &self.direction).then(|| self.project_onto(ring[0], vb(j)))
            }
            (Vertex, Face) => {
                let ring: Vec<&IntegerVec3> = self.b.face(j).iter().map(|&v| vb(v)).collect();
                self.over_face(&ring, va(i), &self.direction.negated()).then(|| RationalPoint::integer(va(i)))
            }
            _ => None,
        }
    }

    /// If a point lies over a segment along the direction: its parameter on the segment as a
    /// fraction, numerator and `e . e`.
    fn on_edge(&self, from: &IntegerVec3, to: &IntegerVec3, p: &IntegerVec3) -> Option<(BigInt, BigInt)> {
        let (e, w) = (to - from, p - from);
        let (s, e2) = (w.dot(&e), e.dot(&e));
        let over = w.dot(&e.cross(&self.direction)).sign() == Sign::NoSign;
        (over && within(&s, &e2)).then_some((s, e2))
    }

    /// The point of the first segment where the two cross, seen along the direction; parallel
    /// segments do not cross.
    fn crossing(&self, [a, a_end]: [&IntegerVec3; 2], [b, b_end]: [&IntegerVec3; 2]) -> Option<RationalPoint> {
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
    fn over_face(&self, ring: &[&IntegerVec3], p: &IntegerVec3, outward: &IntegerVec3) -> bool {
        (0..ring.len()).all(|k| {
            let (from, to) = (ring[k], ring[(k + 1) % ring.len()]);
            (to - from).cross(&(p - from)).dot(outward).sign() != Sign::Minus
        })
    }

    /// The foot of `p` on the plane across the direction through `on`.
    fn project_onto(&self, on: &IntegerVec3, p: &IntegerVec3) -> RationalPoint {
        let n2 = self.direction.dot(&self.direction);
        let height = (p - on).dot(&self.direction);
        RationalPoint { numerator: &p.scale(&n2) - &self.direction.scale(&height), denominator: n2 }
    }
}

/// `from + (to - from) s / whole`.
fn along(from: &IntegerVec3, to: &IntegerVec3, s: &BigInt, whole: BigInt) -> RationalPoint {
    RationalPoint { numerator: from.scale(&whole).plus(&(to - from).scale(s)), denominator: whole }
}

/// Whether `0 <= s <= whole`.
fn within(s: &BigInt, whole: &BigInt) -> bool {
    s.sign() != Sign::Minus && s.cmp(whole) != Ordering::Greater
}

/// The place of a direction in the order of the rule: the kinds of the features that it is the
/// normal of, and their indices.
pub(super) fn rule_order(planes: &SupportPlanes) -> (u8, u32, u32) {
    let first = |kinds: usize| planes.candidates(kinds).next().map(|f: FeaturePair| (f.a, f.b));
    let index = |f: Feature| f.index;
    match (first(0), first(1), first(2)) {
        (Some((a, _)), ..) => (0, index(a), 0),
        (_, Some((_, b)), _) => (1, index(b), 0),
        (.., Some((a, b))) => (2, index(a), index(b)),
        _ => (3, 0, 0),
    }
}
