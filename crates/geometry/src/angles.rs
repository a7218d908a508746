//! Quaternions of orientations that are given as angles.

use std::f64::consts::FRAC_1_SQRT_2;

/// The unit of an angle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AngleUnit {
    /// Radians.
    Radians,
    /// Degrees.
    Degrees,
}

/// Bound on the angle between the rotation by roll, pitch and yaw and that of
/// [`from_roll_pitch_yaw`], radians (docs/reference/numerics.md, "Angles in place of a
/// quaternion").
pub const ANGLES_ROUNDING_RAD: f64 = 1.0 / (1_u64 << 48) as f64;

impl AngleUnit {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Radians, Self::Degrees];

    /// The word: rad, deg.
    pub fn word(self) -> &'static str {
        match self {
            Self::Radians => "rad",
            Self::Degrees => "deg",
        }
    }

    /// The unit of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.word() == word)
    }

    /// An angle of this unit in radians.
    pub fn radians(self, angle: f64) -> f64 {
        match self {
            Self::Radians => angle,
            Self::Degrees => angle.to_radians(),
        }
    }

    /// Cosine and sine of half an angle of this unit.
    pub fn cos_sin_of_half(self, angle: f64) -> (f64, f64) {
        let half = angle / 2.0;
        match self {
            Self::Radians => (libm::cos(half), libm::sin(half)),
            Self::Degrees => cos_sin_degrees(half),
        }
    }
}

/// The unit quaternion `w, x, y, z` of `Rz(yaw) Ry(pitch) Rx(roll)`: turns about the fixed axes x,
/// y, z in this order, as in URDF, or about z, y', x'' of the body. `half`: cosine and sine of half
/// of each angle, roll first.
pub fn from_roll_pitch_yaw(half: [(f64, f64); 3]) -> [f64; 4] {
    let [(cr, sr), (cp, sp), (cy, sy)] = half;
    [cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy]
}

/// Cosine and sine of an angle in degrees, exact at multiples of 45 degrees but for the rounding of
/// the root.
pub fn cos_sin_degrees(angle: f64) -> (f64, f64) {
    let angle = angle % 360.0; // exact
    let quarters = (angle / 90.0).round();
    let rest = angle - 90.0 * quarters;
    let (cos, sin) = match rest.abs() == 45.0 {
        true => (FRAC_1_SQRT_2, FRAC_1_SQRT_2.copysign(rest)),
        false => (libm::cos(rest.to_radians()), libm::sin(rest.to_radians())),
    };
    match (quarters as i64).rem_euclid(4) {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    }
}

/// The unit quaternion w, x, y, z of a rotation, by its largest component, which loses nothing
/// (Shepperd).
pub fn from_rotation(m: [[f64; 3]; 3]) -> [f64; 4] {
    let trace = m[0][0] + m[1][1] + m[2][2];
    // Four times the square of each component.
    let squares = [1.0 + trace, 1.0 + 2.0 * m[0][0] - trace, 1.0 + 2.0 * m[1][1] - trace, 1.0 + 2.0 * m[2][2] - trace];
    let largest = (1..4).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
    let [wx, wy, wz] = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
    let [xy, yz, zx] = [m[1][0] + m[0][1], m[2][1] + m[1][2], m[0][2] + m[2][0]];
    let four = squares[largest];
    let q = match largest {
        0 => [four, wx, wy, wz],
        1 => [wx, four, xy, zx],
        2 => [wy, xy, four, yz],
        _ => [wz, zx, yz, four],
    };
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    q.map(|c| c / norm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pose, Vec3};

    fn of_degrees(angles: [f64; 3]) -> [f64; 4] {
        from_roll_pitch_yaw(angles.map(|angle| AngleUnit::Degrees.cos_sin_of_half(angle)))
    }

    #[test]
    fn quarter_turns_are_exact() {
        let half = FRAC_1_SQRT_2;
        assert_eq!(of_degrees([0.0, 0.0, 90.0]), [half, 0.0, 0.0, half]);
        assert_eq!(of_degrees([180.0, 0.0, 0.0]), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(of_degrees([0.0, -90.0, 0.0]), [half, 0.0, -half, 0.0]);
        for (angle, expected) in [(0.0, (1.0, 0.0)), (90.0, (0.0, 1.0)), (-450.0, (0.0, -1.0)), (1980.0, (-1.0, 0.0))] {
            let (cos, sin) = cos_sin_degrees(angle);
            assert_eq!((cos + 0.0, sin + 0.0), expected, "{angle}");
        }
    }

    #[test]
    fn roll_pitch_and_yaw_turn_about_fixed_axes_in_this_order() {
        // Roll takes y to z, pitch takes z to x, yaw takes x to y.
        let q = of_degrees([90.0, 90.0, 90.0]);
        let p = Pose::new([0.0; 3], q).apply(Vec3::new(0.0, 1.0, 0.0)).to_array();
        assert!((p[0]).abs() < 1e-15 && (p[1] - 1.0).abs() < 1e-15 && p[2].abs() < 1e-15, "{p:?}");
        let q = of_degrees([30.0, -20.0, 110.0]);
        let [x, y, z] = [(0, 30.0), (1, -20.0), (2, 110.0)].map(|(axis, angle): (usize, f64)| {
            let (cos, sin) = cos_sin_degrees(angle / 2.0);
            let mut q = [cos, 0.0, 0.0, 0.0];
            q[axis + 1] = sin;
            q
        });
        let v = Vec3::new(0.3, -1.2, 0.7);
        let turn = |q: [f64; 4], v: Vec3<f64>| Pose::new([0.0; 3], q).apply(v);
        let difference = turn(q, v) - turn(z, turn(y, turn(x, v)));
        assert!(difference.length() < 1e-14);
    }

    fn close(a: [f64; 4], b: [f64; 4]) -> bool {
        let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        (dot.abs() - 1.0).abs() < 1e-14
    }

    #[test]
    fn a_matrix_gives_back_its_quaternion() {
        let halves = [[0.5, 0.5, 0.5, 0.5], [0.1, 0.9, -0.3, 0.3], [-0.01, 0.0, 1.0, 0.02], [0.0, 0.0, 0.0, 1.0]];
        for q in halves {
            let norm = q.iter().map(|c: &f64| c * c).sum::<f64>().sqrt();
            let q = q.map(|c| c / norm);
            let m = crate::pose::rotation(q).map(|row| row.to_array());
            assert!(close(from_rotation(m), q), "{q:?}");
        }
    }
}
