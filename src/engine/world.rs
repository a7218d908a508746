//! From A's recentred frame, in which the narrow phase answers, to the world of the tables.

use crate::geometry::pose::rotation;
use crate::geometry::{Pose, Vec3};
use crate::narrow::Proximity;

/// The answer in the world: both witness points are transformed on their own, so that neither inherits the rounding
/// of the other (`b = a + distance * n` to 1e-12 of the pair's size and 4 ulp of the coordinates).
pub(super) fn in_world(mut answer: Proximity, world_from_a: &Pose) -> Proximity {
    let r = rotation(world_from_a.q);
    let vector = |v: Vec3<f64>| Vec3::new(r[0].dot(v), r[1].dot(v), r[2].dot(v));
    // The small parts are added first: the position may be thousands of kilometres.
    let point = |p: Vec3<f64>| world_from_a.position + (vector(p) + world_from_a.rest);
    answer.point_a = point(answer.point_a);
    answer.point_b = point(answer.point_b);
    answer.normal = vector(answer.normal);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::{FeatureKind, Method, Status};

    #[test]
    fn witnesses_agree_with_the_distance_far_from_the_origin() {
        let answer = Proximity {
            sample: 3,
            status: Status::Separated,
            method: Method::Strict,
            feature_kind: [FeatureKind::Vertex, FeatureKind::Face],
            feature: [1, 2],
            part: [0, 0],
            distance: 0.25,
            lower: 0.25,
            upper: 0.25,
            point_a: Vec3::new(0.3, -0.2, 0.7),
            point_b: Vec3::new(0.3, -0.2, 0.95),
            normal: Vec3::new(0.0, 0.0, 1.0),
        };
        let mut pose = Pose::new([4_812_345.678, -2_345.5, 0.1], [0.9, -0.1, 0.35, 0.2]);
        pose.rest = Vec3::new(3e-11, -1e-14, 2e-19);
        let world = in_world(answer, &pose);
        let ulp = |x: f64| (f64::from_bits(x.abs().to_bits() + 1) - x.abs()).max(1e-16);
        for axis in 0..3 {
            let off = world.point_b[axis] - (world.point_a[axis] + world.distance * world.normal[axis]);
            assert!(off.abs() <= 4.0 * ulp(world.point_a[axis]) + 1e-12, "axis {axis}: off by {off:e}");
        }
        assert!((world.normal.length() - 1.0).abs() < 1e-15);
        assert!(world.normal.x != 0.0 && world.normal.y != 0.0, "the pose is to turn the normal");
        assert_eq!((world.sample, world.feature, world.lower), (3, [1, 2], 0.25));
        assert_eq!(in_world(answer, &Pose::IDENTITY), answer);
    }
}
