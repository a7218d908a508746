//! The point of a simplex nearest to the origin, in exact numbers, by enumeration of the sets of
//! its vertices.
//!
//! It shares no code with the engine: no recursion over cofactors and no signed volumes. For each
//! set of vertices, the normal equations of its edges are solved by Cramer's rule in integers.

use num_bigint::{BigInt, Sign};

/// A fraction with a positive denominator.
#[derive(Clone, Debug)]
pub(crate) struct Fraction {
    over: BigInt,
    under: BigInt,
}

impl Fraction {
    pub(crate) fn less(&self, other: &Self) -> bool {
        &self.over * &other.under < &other.over * &self.under
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        let over = &self.over * &other.under - &other.over * &self.under;
        Self { over, under: &self.under * &other.under }
    }

    /// The nearest number but for a few units in the last place.
    pub(crate) fn value(&self) -> f64 {
        let shift = 70 - (self.over.bits() as i64 - self.under.bits() as i64);
        let (over, under) = if shift >= 0 {
            (&self.over << shift as u64, self.under.clone())
        } else {
            (self.over.clone(), &self.under << (-shift) as u64)
        };
        let quotient = over / under;
        let size =
            quotient.magnitude().iter_u64_digits().rev().fold(0.0, |sum, digit| sum * 2.0_f64.powi(64) + digit as f64);
        let size = size * 2.0_f64.powi(-(shift / 2) as i32) * 2.0_f64.powi(-(shift - shift / 2) as i32);
        if quotient.sign() == Sign::Minus { -size } else { size }
    }
}

/// The exponent that makes integers of all numbers in use: they are multiples of `2^-SCALE`.
const SCALE: u32 = 300;

/// `x * 2^SCALE`.
fn integer(x: f64) -> BigInt {
    let bits = x.abs().to_bits();
    let exponent = (bits >> 52) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let shift = exponent + i64::from(SCALE);
    let size = BigInt::from(mantissa);
    let size = if shift >= 0 {
        size << shift as u64
    } else {
        assert!(mantissa == 0 || i64::from(mantissa.trailing_zeros()) >= -shift, "{x:e} is no multiple of the unit");
        size >> (-shift) as u64
    };
    if x < 0.0 { -size } else { size }
}

type Point = [BigInt; 3];

fn dot(a: &Point, b: &Point) -> BigInt {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn difference(a: &Point, b: &Point) -> Point {
    [0, 1, 2].map(|k: usize| &a[k] - &b[k])
}

/// By expansion along the first row.
fn determinant(m: &[Vec<BigInt>]) -> BigInt {
    if m.is_empty() {
        return BigInt::from(1);
    }
    let mut sum = BigInt::from(0);
    for column in 0..m.len() {
        let without = |row: &Vec<BigInt>| {
            let kept = row.iter().enumerate().filter(|(k, _)| *k != column);
            kept.map(|(_, x)| x.clone()).collect::<Vec<_>>()
        };
        let minor: Vec<_> = m[1..].iter().map(without).collect();
        let term = &m[0][column] * determinant(&minor);
        sum = if column % 2 == 0 { sum + term } else { sum - term };
    }
    sum
}

/// The foot of the origin on the affine hull of a set of vertices.
pub(crate) struct Foot {
    /// For each vertex of the set: its barycentric coordinate times the Gram determinant.
    pub(crate) cofactors: Vec<BigInt>,
    /// The square of the length of the foot; `None` where the edges are dependent.
    pub(crate) square: Option<Fraction>,
}

impl Foot {
    /// Whether it lies in the relative interior of the simplex of the set.
    pub(crate) fn is_inside(&self) -> bool {
        self.square.is_some() && self.cofactors.iter().all(|c| c.sign() == Sign::Plus)
    }

    /// The cofactor `k`, in the units of the input.
    pub(crate) fn cofactor(&self, k: usize) -> f64 {
        let under = BigInt::from(1) << (2 * u64::from(SCALE) * (self.cofactors.len() as u64 - 1));
        Fraction { over: self.cofactors[k].clone(), under }.value()
    }
}

/// The foot on the hull of these points.
pub(crate) fn foot(points: &[[f64; 3]]) -> Foot {
    let points: Vec<Point> = points.iter().map(|p| p.map(integer)).collect();
    let edges: Vec<Point> = points[1..].iter().map(|p| difference(p, &points[0])).collect();
    let matrix: Vec<Vec<BigInt>> = edges.iter().map(|e| edges.iter().map(|f| dot(e, f)).collect()).collect();
    let gram = determinant(&matrix);
    let solved = (0..edges.len()).map(|column| {
        let mut replaced = matrix.clone();
        for (row, edge) in replaced.iter_mut().zip(&edges) {
            row[column] = -dot(edge, &points[0]);
        }
        determinant(&replaced)
    });
    let mut cofactors: Vec<BigInt> = std::iter::once(gram.clone()).chain(solved).collect();
    for k in 1..cofactors.len() {
        let other = cofactors[k].clone();
        cofactors[0] -= other;
    }
    let mut sum = [0, 1, 2].map(|_| BigInt::from(0));
    for (point, weight) in points.iter().zip(&cofactors) {
        sum = [0, 1, 2].map(|k: usize| &sum[k] + &point[k] * weight);
    }
    let square = (gram.sign() == Sign::Plus)
        .then(|| Fraction { over: dot(&sum, &sum), under: (&gram * &gram) << (2 * u64::from(SCALE)) });
    Foot { cofactors, square }
}

/// The nearest point of a simplex.
pub(crate) struct Nearest {
    /// The set of vertices that carries it, as a bit mask.
    pub(crate) carrier: usize,
    /// The square of its distance from the origin.
    pub(crate) square: Fraction,
}

/// The nearest point of the simplex of these points: the nearest foot that lies inside its set.
pub(crate) fn nearest(points: &[[f64; 3]]) -> Nearest {
    let mut best: Option<Nearest> = None;
    for carrier in 1..1_usize << points.len() {
        let chosen: Vec<_> = (0..points.len()).filter(|k| carrier >> k & 1 == 1).map(|k| points[k]).collect();
        let foot = foot(&chosen);
        if foot.is_inside()
            && let Some(square) = foot.square
            && best.as_ref().is_none_or(|best| square.less(&best.square))
        {
            best = Some(Nearest { carrier, square });
        }
    }
    best.expect("each vertex is its own foot")
}

/// The square of the length of a vector.
pub(crate) fn square(v: [f64; 3]) -> Fraction {
    let v = v.map(integer);
    Fraction { over: dot(&v, &v), under: BigInt::from(1) << (2 * u64::from(SCALE)) }
}
