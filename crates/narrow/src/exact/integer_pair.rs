//! Two cores at their poses, in integers.
//!
//! Every `f64` is an integer times a power of two, and the rotation matrix of a quaternion `q` is
//! the integer matrix `M(q)` divided by `|q|^2`. So at a common scale, all vertices in A's frame
//! are integers, and nothing is rounded.

use super::integer_vec3::IntegerVec3;
use crate::pair::VertexPair;
use clearsweep_geometry::{Polyhedron, Pose, Vec3};
use num_bigint::BigInt;

/// Both cores in A's frame: a coordinate `value` is `value * 2^exponent / scale` metres.
#[derive(Debug)]
pub(super) struct IntegerPair {
    /// The vertices of A.
    pub(super) a: Vec<IntegerVec3>,
    /// The vertices of B.
    pub(super) b: Vec<IntegerVec3>,
    pub(super) scale: BigInt,
    pub(super) exponent: i64,
}

/// `(mantissa, exponent)` of a finite number: `mantissa * 2^exponent`.
fn split(x: f64) -> (i64, i64) {
    let bits = x.to_bits();
    let (biased, fraction) = ((bits >> 52 & 0x7FF) as i64, (bits & ((1 << 52) - 1)) as i64);
    let (mantissa, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent)
}

/// The exponent of a number's lowest set bit; `None` for zero.
fn lowest(x: f64) -> Option<i64> {
    let (mantissa, exponent) = split(x);
    (mantissa != 0).then(|| exponent + i64::from(mantissa.trailing_zeros()))
}

/// `x / 2^exponent`, `exponent` not above the exponent of its lowest bit.
fn integer(x: f64, exponent: i64) -> BigInt {
    let (mantissa, own) = split(x);
    let shift = own - exponent;
    if shift >= 0 { BigInt::from(mantissa) << shift as u64 } else { BigInt::from(mantissa >> (-shift).min(63)) }
}

fn vector(v: Vec3<f64>, exponent: i64) -> IntegerVec3 {
    IntegerVec3(v.to_array().map(|c| integer(c, exponent)))
}

/// The rows of `M(q)`, and `|q|^2`, of the quaternion scaled to integers.
fn rotation(q: [f64; 4]) -> ([IntegerVec3; 3], BigInt) {
    let exponent = q.into_iter().filter_map(lowest).min().unwrap_or(0);
    let [w, x, y, z] = q.map(|c| integer(c, exponent));
    let (ww, xx, yy, zz) = (&w * &w, &x * &x, &y * &y, &z * &z);
    let twice = |v: BigInt| v * 2;
    let rows = [
        IntegerVec3([&ww + &xx - &yy - &zz, twice(&x * &y - &w * &z), twice(&x * &z + &w * &y)]),
        IntegerVec3([twice(&x * &y + &w * &z), &ww + &yy - &xx - &zz, twice(&y * &z - &w * &x)]),
        IntegerVec3([twice(&x * &z - &w * &y), twice(&y * &z + &w * &x), &ww + &zz - &xx - &yy]),
    ];
    (rows, ww + xx + yy + zz)
}

/// The matrix times a vector.
fn apply(rows: &[IntegerVec3; 3], v: &IntegerVec3) -> IntegerVec3 {
    IntegerVec3(rows.each_ref().map(|row| row.dot(v)))
}

/// The transposed matrix times a vector.
fn apply_transposed(rows: &[IntegerVec3; 3], v: &IntegerVec3) -> IntegerVec3 {
    let [x, y, z] = &v.0;
    rows[0].scale(x).plus(&rows[1].scale(y)).plus(&rows[2].scale(z))
}

impl IntegerPair {
    /// Converts two cores at their poses in the world. All numbers must be finite, and no
    /// quaternion zero.
    pub(super) fn new(a: &Polyhedron, b: &Polyhedron, poses: (&Pose, &Pose)) -> Self {
        let vertices = |p: &Polyhedron| (0..p.count as u32).map(|v| p.vertex(v)).collect::<Vec<_>>();
        Self::of_points(&vertices(a), &vertices(b), poses)
    }

    /// Converts points of two frames at their poses in the world. All numbers must be finite, and
    /// no quaternion zero.
    pub(super) fn of_points(va: &[Vec3<f64>], vb: &[Vec3<f64>], (pose_a, pose_b): (&Pose, &Pose)) -> Self {
        debug_assert!([pose_a, pose_b].iter().all(|pose| pose.q.iter().any(|&c| c != 0.0)), "a zero quaternion");
        let places = [pose_a.position, pose_a.rest, pose_b.position, pose_b.rest];
        let all = va.iter().chain(vb).chain(&places).flat_map(|v| v.to_array());
        let exponent = all.filter_map(lowest).min().unwrap_or(0);
        let [at_a, rest_a, at_b, rest_b] = places.map(|v| vector(v, exponent));
        let apart = &at_b.plus(&rest_b) - &at_a.plus(&rest_a);
        let ((rows_a, norm_a), (rows_b, norm_b)) = (rotation(pose_a.q), rotation(pose_b.q));
        let scale = &norm_a * &norm_b;
        let shift = apart.scale(&norm_b);
        Self {
            a: va.iter().map(|&v| vector(v, exponent).scale(&scale)).collect(),
            b: vb
                .iter()
                .map(|&v| apply_transposed(&rows_a, &apply(&rows_b, &vector(v, exponent)).plus(&shift)))
                .collect(),
            scale,
            exponent,
        }
    }

    /// The point `a - b` of the Minkowski difference.
    pub(super) fn difference(&self, [i, j]: VertexPair) -> IntegerVec3 {
        &self.a[i as usize] - &self.b[j as usize]
    }

    /// The vertex of the Minkowski difference farthest along `d`; of equals the lowest.
    pub(super) fn support(&self, d: &IntegerVec3) -> VertexPair {
        let most = |points: &[IntegerVec3], d: &IntegerVec3| {
            let mut best: Option<(u32, BigInt)> = None;
            for (p, v) in points.iter().zip(0..) {
                let reach = p.dot(d);
                if best.as_ref().is_none_or(|(_, b)| reach > *b) {
                    best = Some((v, reach));
                }
            }
            best.map_or(0, |(v, _)| v)
        };
        [most(&self.a, d), most(&self.b, &d.negated())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_split_and_joined_without_loss() {
        for x in [0.0, 1.0, -1.5, 1e300, -5e-324, 2.2e-308, 0.1, f64::MAX] {
            let (mantissa, exponent) = split(x);
            assert_eq!(
                mantissa as f64 * 2_f64.powi((exponent / 2) as i32) * 2_f64.powi((exponent - exponent / 2) as i32),
                x
            );
            let at = lowest(x).unwrap_or(0);
            assert_eq!(integer(x, at - 3), integer(x, at) * 8, "{x}");
        }
        assert_eq!(integer(0.75, -2), BigInt::from(3));
        assert_eq!((lowest(0.75), lowest(-8.0), lowest(0.0)), (Some(-2), Some(3), None));
    }
}
