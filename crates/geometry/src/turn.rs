//! Upper bounds of the angle and of the length of the translation from one pose of a body to
//! another.
//!
//! The rotation is the shorter one of the two that lead from one orientation to the other: `q` and
//! `-q` are the same rotation. Every formula adds a bound of its rounding error, so that the result
//! is never below the exact value.

use super::pose::Pose;

/// Relative bound of the rounding errors of one formula, with a margin. It also bounds the absolute
/// error of an angle that [`relative_turn`] leads to: the vector part suffers cancellation, its
/// error is a few ulp of the norms, and those are 1 to within 1e-3.
pub const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The quaternion `conj(a) b`: its scalar part, and the length of its vector part.
#[inline(always)]
pub fn relative_turn(a: [f64; 4], b: [f64; 4]) -> (f64, f64) {
    let w = a[0] * b[0] + a[1] * b[1] + (a[2] * b[2] + a[3] * b[3]);
    let x = a[0] * b[1] - a[1] * b[0] + (a[3] * b[2] - a[2] * b[3]);
    let y = a[0] * b[2] - a[2] * b[0] + (a[1] * b[3] - a[3] * b[1]);
    let z = a[0] * b[3] - a[3] * b[0] + (a[2] * b[1] - a[1] * b[2]);
    (w, (x * x + y * y + z * z).sqrt())
}

/// Upper bound of the angle between two rotations, radians. Exactly 0 for quaternions that are
/// equal up to sign.
pub fn angle(a: [f64; 4], b: [f64; 4]) -> f64 {
    if a == b || a == b.map(|c| -c) {
        return 0.0;
    }
    let (w, v) = relative_turn(a, b);
    2.0 * libm::atan2(v, w.abs()) + ROUNDING
}

/// Returns an upper bound of the angle, radians, at most 0.9 percent and [`ROUNDING`] above it, by
/// arithmetic alone: loops over it vectorise. NaN for a quaternion that is 0 or NaN.
///
/// A quarter of the angle has the sine s = v / sqrt(2 n (n + |w|)) with n the norm of the relative
/// quaternion, and s <= sqrt(1/2). On that range (asin s - s) / s^3 increases to 0.22145.
#[inline(always)]
pub fn angle_at_most(a: [f64; 4], b: [f64; 4]) -> f64 {
    let (w, v) = relative_turn(a, b);
    let norm = (w * w + v * v).sqrt();
    let sine = v / (2.0 * norm * (norm + w.abs())).sqrt();
    4.0 * (sine + 0.2215 * sine * sine * sine) * (1.0 + ROUNDING) + ROUNDING
}

/// Upper bound of the length of the translation between two poses, metres.
#[inline(always)]
pub fn translation(a: &Pose, b: &Pose) -> f64 {
    let component = |p0: f64, r0: f64, p1: f64, r1: f64| {
        let (lead, rest) = (p1 - p0, r1 - r0);
        (lead + rest).abs() + ROUNDING * (lead.abs() + rest.abs())
    };
    let x = component(a.position.x, a.rest.x, b.position.x, b.rest.x);
    let y = component(a.position.y, a.rest.y, b.position.y, b.rest.y);
    let z = component(a.position.z, a.rest.z, b.position.z, b.rest.z);
    (x * x + y * y + z * z).sqrt() * (1.0 + ROUNDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bounds_of_an_angle_hold_and_are_tight() {
        let axis = [0.48, -0.6, 0.64];
        for step in 0..=3000 {
            let angle_of = std::f64::consts::PI * f64::from(step) / 3000.0;
            for scale in [1.0, -1.0, 0.9995, -1.0005] {
                let (sin, cos) = libm::sincos(0.5 * angle_of);
                let start = [0.5, 0.5, -0.5, 0.5];
                // The product of the start and of the turn.
                let turn = [cos, sin * axis[0], sin * axis[1], sin * axis[2]].map(|c| c * scale);
                let [a, b, c, d] = start;
                let end = [
                    a * turn[0] - b * turn[1] - c * turn[2] - d * turn[3],
                    a * turn[1] + b * turn[0] + c * turn[3] - d * turn[2],
                    a * turn[2] - b * turn[3] + c * turn[0] + d * turn[1],
                    a * turn[3] + b * turn[2] - c * turn[1] + d * turn[0],
                ];
                let (exact, loose) = (angle(start, end), angle_at_most(start, end));
                assert!(exact >= angle_of - 1e-15 && exact <= angle_of + 1e-14, "{exact} {angle_of}");
                assert!(loose >= exact - 1e-15 && loose <= 1.009 * angle_of + 1e-14, "{loose} {angle_of}");
            }
        }
        assert_eq!(angle([0.5; 4], [-0.5; 4]), 0.0);
        assert!(angle_at_most([0.0; 4], [0.5; 4]).is_nan() && angle_at_most([f64::NAN; 4], [0.5; 4]).is_nan());
    }

    #[test]
    fn the_rest_belongs_to_the_translation() {
        let mut a = Pose::new([1e6, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]);
        let mut b = a;
        (a.rest.x, b.rest.x) = (-3e-12, 4e-12);
        let length = translation(&a, &b);
        assert!((7e-12..7.0001e-12).contains(&length), "{length}");
    }
}
