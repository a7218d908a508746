//! Planar and floating joints: joints of one value each, one behind the other, with nothing between
//! them.

use super::spec::JointSpec;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_kinematics::JointKind;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Values of a planar joint, in the order in which they move the child.
const PLANAR: [&str; 3] = ["x", "y", "theta"];

/// Values of a floating joint, likewise: behind yaw comes pitch, then roll, so that all three turn
/// about the fixed axes of the joint's frame in the order roll, pitch, yaw (URDF, `origin`).
const FLOATING: [&str; 6] = ["x", "y", "z", "yaw", "pitch", "roll"];

/// The place of a joint in the chain that stands for a joint of several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::joints) struct Link {
    /// Whether its parent is that of the whole; else the joint before it.
    pub(in crate::joints) is_first: bool,
    /// Whether its child is that of the whole; else the joint behind it.
    pub(in crate::joints) is_last: bool,
}

/// The joints of a planar joint: `x` and `y` in the plane across the axis, `theta` about the axis.
pub(in crate::joints) fn planar(spec: &JointSpec) -> Vec<JointSpec> {
    let [x, y] = across(spec.axis);
    chain(spec, &PLANAR, &[x, y, spec.axis], None)
}

/// The joints of a floating joint. `home`: pose of the child in the joint's frame while nothing
/// gives values.
pub(in crate::joints) fn floating(spec: &JointSpec, home: Option<&Pose>) -> Vec<JointSpec> {
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec3::from);
    let home = home.map(|home| {
        let ([x, y, z], [roll, pitch, yaw]) = (home.position.to_array(), roll_pitch_yaw(home.q));
        [x, y, z, yaw, pitch, roll]
    });
    chain(spec, &FLOATING, &[x, y, z, z, y, x], home.as_ref().map(<[f64; 6]>::as_slice))
}

/// The joints of the values `names`, one behind the other, with the axis and the home of each.
fn chain(spec: &JointSpec, names: &[&str], axes: &[Vec3<f64>], home: Option<&[f64]>) -> Vec<JointSpec> {
    let part = |(at, (name, &axis)): (usize, (&&str, &Vec3<f64>))| JointSpec {
        name: format!("{}/{name}", spec.name),
        kind: if ["x", "y", "z"].contains(name) { JointKind::Prismatic } else { JointKind::Revolute },
        place: if at == 0 { spec.place } else { Pose::IDENTITY },
        axis,
        range: None,
        is_limited: false,
        mimic: None,
        link: Some(Link { is_first: at == 0, is_last: at + 1 == names.len() }),
        home: home.map(|home| home[at]),
        ..spec.clone()
    };
    names.iter().zip(axes).enumerate().map(part).collect()
}

/// The directions of x and y after the least rotation that takes z to a unit vector; about x if
/// that is -z.
fn across(axis: Vec3<f64>) -> [Vec3<f64>; 2] {
    let Vec3 { x, y, z } = axis;
    let beside = x * x + y * y;
    if z < 0.0 && beside == 0.0 {
        return [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, -1.0, 0.0)];
    }
    // 1 / (1 + z) without cancellation.
    let factor = if z < 0.0 { (1.0 - z) / beside } else { 1.0 / (1.0 + z) };
    let unit = |v: Vec3<f64>| {
        let v = v.normalized();
        Vec3::new(v.x + 0.0, v.y + 0.0, v.z + 0.0)
    };
    [
        unit(Vec3::new(1.0 - factor * x * x, -factor * x * y, -x)),
        unit(Vec3::new(-factor * x * y, 1.0 - factor * y * y, -y)),
    ]
}

/// Roll, pitch and yaw of a unit quaternion, each at most half a turn. Sums and differences of the
/// components are products of the half angles, so that nothing is lost where the pitch is near a
/// right angle.
fn roll_pitch_yaw([w, x, y, z]: [f64; 4]) -> [f64; 3] {
    let (sum, difference) = (libm::atan2(x + z, w - y), libm::atan2(z - x, w + y));
    let pitch = FRAC_PI_2 - 2.0 * libm::atan2(libm::hypot(w - y, x + z), libm::hypot(w + y, z - x));
    let wrapped = |angle: f64| if angle.abs() > PI { angle - TAU.copysign(angle) } else { angle };
    [wrapped(sum - difference), pitch, wrapped(sum + difference)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_across_an_axis_are_orthonormal_and_right_handed() {
        let axes = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.6, 0.0, -0.8], [1e-9, 0.0, -1.0]];
        for axis in axes.map(|axis| Vec3::from(axis).normalized()) {
            let [x, y] = across(axis);
            assert!((x.cross(y) - axis).length() < 1e-15 && x.dot(y).abs() < 1e-15, "{axis:?}: {x:?} {y:?}");
        }
        assert_eq!(across(Vec3::new(0.0, 0.0, 1.0)), [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)]);
    }

    #[test]
    fn roll_pitch_and_yaw_make_the_quaternion_again() {
        let pitches = [0.0, 0.7, -1.4, FRAC_PI_2, -FRAC_PI_2, FRAC_PI_2 - 1e-9];
        for (pitch, turn) in pitches.into_iter().flat_map(|pitch| (-6..=6).map(move |turn| (pitch, turn))) {
            let made = quaternion([0.5 * f64::from(turn), pitch, 2.9 - 0.3 * f64::from(turn)]);
            let again = quaternion(roll_pitch_yaw(made));
            let same: f64 = made.iter().zip(again).map(|(a, b)| a * b).sum();
            let off = made.iter().zip(again).map(|(a, b)| (a - b * same.signum()).abs()).fold(0.0, f64::max);
            assert!(off < 4e-16 * 4.0, "{pitch} {turn}: {off:e}");
        }
    }

    fn quaternion([roll, pitch, yaw]: [f64; 3]) -> [f64; 4] {
        let [(sr, cr), (sp, cp), (sy, cy)] = [roll, pitch, yaw].map(|angle| (0.5 * angle).sin_cos());
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ]
    }
}
