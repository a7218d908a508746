//! Rotations of motions between two frames, as quaternions (w, x, y, z).

/// The rotation by an angle (radians) about a unit vector.
pub fn about(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let (s, c) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
    [c, axis[0] * s, axis[1] * s, axis[2] * s]
}

/// The product of two quaternions.
pub fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}
