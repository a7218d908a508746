//! Quaternions `(w, x, y, z)` in f64, with the sine and cosine of libm: equal bits on every
//! platform.

use crate::model::Place;

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

/// The vector turned by a unit quaternion.
pub(crate) fn rotate(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let [x, y, z, w] = [q[1], q[2], q[3], q[0]];
    let twice = cross([x, y, z], v).map(|component| 2.0 * component);
    let second = cross([x, y, z], twice);
    std::array::from_fn(|k| v[k] + w * twice[k] + second[k])
}

/// The pose of a frame in the outer frame, from its pose in the inner frame and that frame's pose.
pub(crate) fn compose(outer: &Place, inner: &Place) -> Place {
    let turned = rotate(outer.orientation, inner.position);
    let position = std::array::from_fn(|k| outer.position[k] + turned[k]);
    let orientation = product(outer.orientation, inner.orientation);
    Place { position, orientation: unit(orientation).unwrap_or(outer.orientation) }
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The least rotation that takes z to a unit vector; about x if that is -z.
pub(crate) fn from_z(to: [f64; 3]) -> [f64; 4] {
    let across = cross([0.0, 0.0, 1.0], to);
    let angle = libm::atan2(libm::sqrt(dot(across, across)), to[2]);
    about(unit(across).unwrap_or([1.0, 0.0, 0.0]), angle)
}

/// The rotation that takes x, y, z to three orthonormal vectors (Shepperd 1978: the largest
/// component first).
pub(crate) fn from_axes([x, y, z]: [[f64; 3]; 3]) -> [f64; 4] {
    let sums = [
        [1.0 + x[0] + y[1] + z[2], y[2] - z[1], z[0] - x[2], x[1] - y[0]],
        [y[2] - z[1], 1.0 + x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2]],
        [z[0] - x[2], x[1] + y[0], 1.0 - x[0] + y[1] - z[2], y[2] + z[1]],
        [x[1] - y[0], z[0] + x[2], y[2] + z[1], 1.0 - x[0] - y[1] + z[2]],
    ];
    let largest = (1..4).fold(0, |best, k| if sums[k][k] > sums[best][best] { k } else { best });
    unit(sums[largest]).unwrap_or([1.0, 0.0, 0.0, 0.0])
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
    fn axes_become_the_rotation_that_makes_them() {
        let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
        for q in [[0.5, 0.1, -0.2, 0.7], [0.1, 0.9, 0.2, -0.3], [0.0, 0.2, 1.0, 0.1], [-0.1, 0.2, 0.3, 0.9]] {
            let q = unit(q).expect("a quaternion");
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| rotate(q, axis));
            let same = from_axes(axes);
            for v in [[1.0, 2.0, 3.0], [-1.0, 0.5, 0.0]] {
                assert!(near(rotate(q, v), rotate(same, v)), "{q:?} {same:?}");
            }
            assert!(near(rotate(from_z(axes[2]), [0.0, 0.0, 1.0]), axes[2]));
        }
        assert!(near(rotate(from_z([0.0, 0.0, -1.0]), [0.0, 0.0, 1.0]), [0.0, 0.0, -1.0]));
    }

    #[test]
    fn lengths_far_from_1_become_1() {
        assert_eq!(unit([0.0, 3e-300, 4e-300]), Some([0.0, 0.6, 0.8]));
        assert_eq!(unit([0.0, -3e300, 4e300]), Some([0.0, -0.6, 0.8]));
        assert_eq!((unit([0.0; 3]), unit([f64::NAN, 1.0, 0.0]), unit([f64::INFINITY; 4])), (None, None, None));
    }
}
