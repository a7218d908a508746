//! Bounds on the error of the pose of a recentred frame against the pose that the input names.

use clearsweep_geometry::{Polyhedron, Pose};

/// 2^-102: four times what an operation of double-double errs by, so that divisions are covered,
/// too.
const ROUNDING: f64 = 1.0 / (1_u128 << 102) as f64;

/// Units of [`ROUNDING`] in `R c`, in lengths of `c`: an entry of `R` is off by 8 and a product
/// with `c` by 3 more.
const TURNED: f64 = 32.0;

/// Bounds the error of `position + rest` against the place that the pose read and the centre of a
/// core name, metres (docs/reference/numerics.md): double-double rounds their composition. 0 where
/// nothing is rounded, if the pose read has no rest.
pub fn pose_error(core: &Polyhedron, pose: &Pose) -> f64 {
    if core.away == 0.0 || permutes_axes(pose.q) {
        return 0.0;
    }
    // What underflows is below the least normal number.
    ROUNDING * TURNED * core.away + sum_error(pose) + f64::MIN_POSITIVE
}

/// Bounds the error of the last sum of a composition, metres: that of the position read and the
/// turned centre. It is part of [`pose_error`]. For rotations that take axes to axes it is the
/// whole, if the pose read has a rest of its own.
pub fn sum_error(pose: &Pose) -> f64 {
    let [x, y, z] = pose.position.to_array().map(f64::abs);
    ROUNDING * (x + y + z)
}

/// Whether the rotation of a quaternion takes axes to axes, and double-double computes it, and sums
/// with it, exactly: of the quaternions of length 1 those with one component, and those with four
/// halves.
fn permutes_axes(q: [f64; 4]) -> bool {
    let of = |size: f64| q.iter().filter(|c| c.abs() == size).count();
    of(0.5) == 4 || (of(1.0) == 1 && of(0.0) == 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_geometry::Vec3;
    use clearsweep_geometry::hull::convex_hull;
    use clearsweep_geometry::real::two_sum;
    use num_bigint::BigInt;

    /// A finite number times 2^1074.
    fn integer(x: f64) -> BigInt {
        let (bits, fraction) = (x.to_bits(), (x.to_bits() & ((1 << 52) - 1)) as i64);
        let biased = bits >> 52 & 0x7FF;
        let size = if biased == 0 { BigInt::from(fraction) } else { BigInt::from(fraction | 1 << 52) << (biased - 1) };
        if x < 0.0 { -size } else { size }
    }

    /// Whether a pose of the recentred frame is within `error` (metres) of the place named,
    /// component by component, in integers: `|q|^2 (position + rest - p) - M(q) c`.
    fn holds(named: &Pose, center: Vec3<f64>, stored: &Pose, error: f64) -> bool {
        let q = named.q.map(integer);
        let u = [&q[1], &q[2], &q[3]];
        let c = center.to_array().map(integer);
        let square: BigInt = q.iter().map(|c| c * c).sum();
        let cross = |a: [&BigInt; 3], b: [&BigInt; 3]| {
            [(1, 2), (2, 0), (0, 1)].map(|(i, j): (usize, usize)| a[i] * b[j] - a[j] * b[i])
        };
        let once = cross(u, c.each_ref());
        let twice = cross(u, once.each_ref());
        (0..3).all(|k| {
            let turned = &square * &c[k] + ((&q[0] * &once[k] + &twice[k]) << 1);
            let origin = integer(stored.position[k]) + integer(stored.rest[k]) - integer(named.position[k]);
            let off: BigInt = &square * origin - turned;
            off.magnitude() <= (&square * integer(error)).magnitude()
        })
    }

    #[test]
    fn the_error_holds_and_is_zero_where_nothing_is_rounded() {
        let mut state = 7_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let half = 0.5_f64.sqrt();
        let (mut exact, mut rounded) = (0, 0);
        for number in 0..3_000 {
            let scale = |d: f64| 10_f64.powf(6.0 * d);
            let [far, at] = [scale(draw()), scale(draw())];
            let center = Vec3::new(draw() * far, draw() * far, draw() * far);
            let any = [draw(), draw(), draw(), draw()];
            let q = [[1.0, 0.0, 0.0, 0.0], [-0.5, 0.5, 0.5, -0.5], [0.0, 0.0, -1.0, 0.0], [half, half, 0.0, 0.0], any];
            let place = Pose::new([draw() * at, draw() * at, draw() * at], q[number % q.len()]);
            let core = convex_hull(&[Vec3::ZERO]).expect("a point").recentred(center, 1.0);
            let stored = place.recentred(center);
            assert_eq!(two_sum(stored.position.x, stored.rest.x), (stored.position.x, stored.rest.x));
            let error = pose_error(&core, &stored);
            assert!(holds(&place, center, &stored, error), "{place:?} {center:?}");
            assert!(error <= 1e-28 * (core.away + stored.position.length()));
            if error == 0.0 { exact += 1 } else { rounded += usize::from(!holds(&place, center, &stored, 0.0)) }
        }
        assert!(exact > 1_500 && rounded > 500, "not representative: {exact} {rounded}");
    }
}
