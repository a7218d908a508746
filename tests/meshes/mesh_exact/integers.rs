//! Numbers of the oracle of meshes: integers, and fractions of them. Nothing is rounded but what is
//! printed.

use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

/// A point in integers.
pub(crate) type Point = [BigInt; 3];

/// The exponent of the lowest bit of a finite number; `None` of zero.
pub(crate) fn lowest_bit(x: f64) -> Option<i64> {
    assert!(x.is_finite(), "{x} is no number of a test");
    let (bits, fraction) = (x.to_bits(), x.to_bits() & ((1 << 52) - 1));
    let biased = (bits >> 52 & 0x7FF) as i64;
    let (integer, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    (integer != 0).then(|| exponent + i64::from(integer.trailing_zeros()))
}

/// `x * 2^up`, which must be an integer.
pub(crate) fn integer(x: f64, up: i64) -> BigInt {
    let Some(low) = lowest_bit(x) else { return BigInt::from(0) };
    assert!(low + up >= 0, "{x} * 2^{up} is no integer");
    let (fraction, biased) = (x.to_bits() & ((1 << 52) - 1), (x.to_bits() >> 52 & 0x7FF) as i64);
    let (size, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    let odd = BigInt::from(size >> (low - exponent)) << (low + up) as u64;
    if x < 0.0 { -odd } else { odd }
}

/// `n / d` for `d > 0`, to a relative 2^-52.
pub(crate) fn nearest_f64(n: &BigInt, d: &BigInt) -> f64 {
    if n.sign() == Sign::NoSign {
        return 0.0;
    }
    let shift = 100 + d.bits() as i64 - n.bits() as i64;
    let quotient = if shift >= 0 { (n << shift as u64) / d } else { n / (d << (-shift) as u64) };
    let size = i128::try_from(quotient).expect("101 bits") as f64;
    // In two steps: the power itself may be no number of its own.
    let half = shift / 2;
    size * 2.0_f64.powi(-half as i32) * 2.0_f64.powi(-(shift - half) as i32)
}

pub(crate) fn sub(p: &Point, q: &Point) -> Point {
    std::array::from_fn(|k| &p[k] - &q[k])
}

pub(crate) fn dot(p: &Point, q: &Point) -> BigInt {
    &p[0] * &q[0] + &p[1] * &q[1] + &p[2] * &q[2]
}

pub(crate) fn cross(p: &Point, q: &Point) -> Point {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j): (usize, usize)| &p[i] * &q[j] - &p[j] * &q[i])
}

/// -1, 0 or 1.
pub(crate) fn sign(x: &BigInt) -> i32 {
    match x.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// A fraction that is not negative; not in lowest terms.
#[derive(Debug, Clone)]
pub(crate) struct Fraction {
    pub(crate) above: BigInt,
    /// Positive.
    pub(crate) below: BigInt,
}

impl Fraction {
    pub(crate) fn whole(above: BigInt) -> Self {
        Self { above, below: BigInt::from(1) }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.above.sign() == Sign::NoSign
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        (&self.above * &other.below).cmp(&(&other.above * &self.below))
    }

    /// Returns the smaller one of two.
    pub(crate) fn min(self, other: Self) -> Self {
        if other.compare(&self).is_lt() { other } else { self }
    }
}

/// The square of the distance of two triangles; 0 where they meet. Any triangles: degenerate ones
/// are segments and points.
///
/// Closest points are two vertices; a vertex and a point inside an edge or a face; or points inside
/// two edges. Each of them is taken where it exists. Where an edge passes through a face the
/// triangles meet.
pub(crate) fn triangle_distance2(a: [&Point; 3], b: [&Point; 3]) -> Fraction {
    let edges = |t: [&Point; 3]| [0, 1, 2].map(|i| sub(t[(i + 1) % 3], t[i]));
    let (ea, eb) = (edges(a), edges(b));
    let mut best = Fraction::whole({
        let r = sub(a[0], b[0]);
        dot(&r, &r)
    });
    for (own, other, edges) in [(a, b, &eb), (b, a, &ea)] {
        for p in own {
            for (q, e) in other.iter().zip(edges) {
                best = best.min(vertex_edge(p, q, e));
            }
        }
    }
    for (p, e) in a.iter().zip(&ea) {
        for (q, f) in b.iter().zip(&eb) {
            if let Some(found) = inner_edges((p, e), (q, f)) {
                best = best.min(found);
            }
        }
    }
    for (own, own_edges, other, edges) in [(a, &ea, b, &eb), (b, &eb, a, &ea)] {
        let n = cross(&edges[0], &edges[1]);
        let n2 = dot(&n, &n);
        if sign(&n2) == 0 {
            continue;
        }
        let heights = own.map(|p| dot(&sub(p, other[0]), &n));
        for i in 0..3 {
            let inside = |p: &Point| (0..3).all(|k| sign(&dot(&cross(&edges[k], &sub(p, other[k])), &n)) >= 0);
            if inside(own[i]) {
                best = best.min(Fraction { above: &heights[i] * &heights[i], below: n2.clone() });
            }
            if sign(&heights[i]) * sign(&heights[(i + 1) % 3]) < 0 && passes((own[i], &own_edges[i]), other) {
                return Fraction::whole(BigInt::from(0));
            }
        }
    }
    best
}

/// A vertex, and the inside of an edge or its start.
fn vertex_edge(p: &Point, q: &Point, e: &Point) -> Fraction {
    let r = sub(p, q);
    let (along, length2, r2) = (dot(&r, e), dot(e, e), dot(&r, &r));
    if sign(&along) > 0 && along < length2 {
        return Fraction { above: r2 * &length2 - &along * &along, below: length2 };
    }
    Fraction::whole(r2)
}

/// Two edges (start and direction) whose closest points lie inside of both; parallel ones have
/// others.
fn inner_edges((p, e): (&Point, &Point), (q, f): (&Point, &Point)) -> Option<Fraction> {
    let n = cross(e, f);
    let n2 = dot(&n, &n);
    if sign(&n2) == 0 {
        return None;
    }
    let r = sub(q, p);
    let is_inner = |x: &BigInt| sign(x) >= 0 && x <= &n2;
    if !is_inner(&dot(&cross(&r, f), &n)) || !is_inner(&dot(&cross(&r, e), &n)) {
        return None;
    }
    let gap = dot(&r, &n);
    Some(Fraction { above: &gap * &gap, below: n2 })
}

/// Whether an edge (start and direction) whose ends lie on both sides of the plane of a triangle
/// passes through it.
fn passes((p, e): (&Point, &Point), t: [&Point; 3]) -> bool {
    let c = t.map(|q| sub(q, p));
    let volumes = [0, 1, 2].map(|i| sign(&dot(e, &cross(&c[i], &c[(i + 1) % 3]))));
    volumes.iter().all(|&s| s >= 0) || volumes.iter().all(|&s| s <= 0)
}
