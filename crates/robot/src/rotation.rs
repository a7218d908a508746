//! Quaternions `(w, x, y, z)` in f64, with the sine and cosine of libm: equal bits on every platform.

/// Rotation by `angle` radians about a unit axis.
pub(crate) fn about(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let (sine, cosine) = libm::sincos(0.5 * angle);
    [cosine, sine * axis[0], sine * axis[1], sine * axis[2]]
}

/// Product: the rotation `b`, then the rotation `a`.
pub(crate) fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([aw, ax, ay, az], [bw, bx, by, bz]) = (a, b);
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

/// Rotation about the fixed axes x, y, z by roll, pitch, yaw (URDF, `origin`): `qz * qy * qx`.
pub(crate) fn from_rpy([roll, pitch, yaw]: [f64; 3]) -> [f64; 4] {
    let [qx, qy, qz] = [([1.0, 0.0, 0.0], roll), ([0.0, 1.0, 0.0], pitch), ([0.0, 0.0, 1.0], yaw)]
        .map(|(axis, angle)| about(axis, angle));
    // The product of unit quaternions is of unit length but for rounding.
    unit(product(qz, product(qy, qx))).unwrap_or([1.0, 0.0, 0.0, 0.0])
}

/// The vector or quaternion scaled to length 1; `None` if it is 0 or not finite.
pub(crate) fn unit<const N: usize>(v: [f64; N]) -> Option<[f64; N]> {
    // The scale by the largest component keeps the squares from overflow and underflow.
    let largest = v.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if largest == 0.0 || !v.iter().all(|x| x.is_finite()) {
        return None;
    }
    let scaled = v.map(|x| x / largest);
    let length = libm::sqrt(scaled.iter().map(|x| x * x).sum());
    Some(scaled.map(|x| x / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roll_pitch_yaw_turn_about_fixed_axes() {
        let half = std::f64::consts::FRAC_PI_2;
        let rooted = std::f64::consts::FRAC_1_SQRT_2;
        let near = |a: [f64; 4], b: [f64; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
        assert!(near(from_rpy([half, 0.0, 0.0]), [rooted, rooted, 0.0, 0.0]));
        assert!(near(from_rpy([0.0, 0.0, half]), [rooted, 0.0, 0.0, rooted]));
        // Roll takes y to z, then yaw leaves z: about the axis (1, 1, 1) by 120 degrees.
        assert!(near(from_rpy([half, 0.0, half]), [0.5; 4]));
        assert_eq!(from_rpy([0.0; 3]), [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn lengths_far_from_1_become_1() {
        assert_eq!(unit([0.0, 3e-300, 4e-300]), Some([0.0, 0.6, 0.8]));
        assert_eq!(unit([0.0, -3e300, 4e300]), Some([0.0, -0.6, 0.8]));
        assert_eq!((unit([0.0; 3]), unit([f64::NAN, 1.0, 0.0]), unit([f64::INFINITY; 4])), (None, None, None));
    }
}
