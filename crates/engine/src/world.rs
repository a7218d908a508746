//! From A's recentred frame, in which the narrow phase answers, to the world of the tables.

use clearsweep_base::simd::dispatch;
use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{SAMPLES, SampleColumn};
use clearsweep_narrow::{BodyPoses, Proximity};

/// Samples whose axes are found together.
const EIGHT: usize = 8;

/// A body's frame in the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    r: [Vec3<f64>; 3],
    position: Vec3<f64>,
    rest: Vec3<f64>,
}

impl Frame {
    fn of(pose: &Pose) -> Self {
        Self { r: rotation(pose.q), position: pose.position, rest: pose.rest }
    }

    /// The answer in the world: both witness points are transformed on their own, so that neither
    /// inherits the rounding of the other (`b = a + distance * n` to 1e-12 of the pair's size and 4
    /// ulp of the coordinates).
    #[inline]
    pub(super) fn in_world(&self, answer: &Proximity) -> Proximity {
        let vector = |v: Vec3<f64>| Vec3::new(self.r[0].dot(v), self.r[1].dot(v), self.r[2].dot(v));
        // The small parts are added first: the position may be thousands of kilometres.
        let point = |p: Vec3<f64>| self.position + (vector(p) + self.rest);
        Proximity {
            point_a: point(answer.point_a),
            point_b: point(answer.point_b),
            normal: vector(answer.normal),
            ..*answer
        }
    }
}

/// An answer in the world.
pub(super) fn in_world(answer: Proximity, world_from_a: &Pose) -> Proximity {
    Frame::of(world_from_a).in_world(&answer)
}

/// The frames of one body over the samples of a block. Its axes are found eight samples at a time,
/// when the first of them is asked for: candidates one after the other often have the same first
/// body.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The body, while it is the same block.
    of: Option<u32>,
    /// Bit by bit: whether the axes are found in eight samples.
    found: u8,
    /// The entries of the rotation by rows.
    r: [SampleColumn; 9],
}

impl Frames {
    /// Forgets the block.
    pub(super) fn clear(&mut self) {
        self.of = None;
    }

    /// Returns the frames of this body, whose poses these are.
    pub(super) fn of<'a>(&'a mut self, body: u32, poses: &BodyPoses<'a>) -> FramesOf<'a> {
        match *poses {
            BodyPoses::Fixed(pose) => FramesOf::Fixed(Frame::of(pose)),
            BodyPoses::Moving(components) => {
                if self.of != Some(body) {
                    (self.of, self.found) = (Some(body), 0);
                }
                FramesOf::Moving(self, components)
            }
        }
    }
}

/// See [`Frames::of`].
pub(super) enum FramesOf<'a> {
    Fixed(Frame),
    Moving(&'a mut Frames, &'a [SampleColumn]),
}

impl FramesOf<'_> {
    /// In one sample.
    #[inline]
    pub(super) fn at(&mut self, sample: usize) -> Frame {
        match self {
            Self::Fixed(frame) => *frame,
            Self::Moving(frames, components) => {
                let (c, s) = (*components, sample % SAMPLES);
                if frames.found >> (s / EIGHT) & 1 == 0 {
                    frames.found |= 1 << (s / EIGHT);
                    axes(&c[3..7], s / EIGHT * EIGHT, &mut frames.r);
                }
                let row = |k: usize| Vec3::new(frames.r[k].0[s], frames.r[k + 1].0[s], frames.r[k + 2].0[s]);
                let at = |k: usize| Vec3::new(c[k].0[s], c[k + 1].0[s], c[k + 2].0[s]);
                Frame { r: [row(0), row(3), row(6)], position: at(0), rest: at(7) }
            }
        }
    }
}

#[inline(always)]
fn axes_body(q: &[SampleColumn], start: usize, out: &mut [SampleColumn; 9]) {
    let [w, x, y, z] = [0, 1, 2, 3].map(|k| &q[k].0);
    for s in start..start + EIGHT {
        for (row, r) in rotation([w[s], x[s], y[s], z[s]]).iter().enumerate() {
            (out[3 * row].0[s], out[3 * row + 1].0[s], out[3 * row + 2].0[s]) = (r.x, r.y, r.z);
        }
    }
}

// The axes in eight samples from `start`, from the components of the quaternion: the bits of
// `rotation`.
dispatch!(loops axes, axes_body, (q: &[SampleColumn], start: usize, out: &mut [SampleColumn; 9]) -> ());

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_narrow::{FeatureKind, Method, Status};

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
            protrusion: f64::NAN,
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

    #[test]
    fn frames_of_eight_samples_are_those_of_each() {
        let mut state = 3_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut slot =
            || -> [SampleColumn; 10] { std::array::from_fn(|_| SampleColumn(std::array::from_fn(|_| next()))) };
        let (first, second) = (slot(), slot());
        let fixed = BodyPoses::Moving(&first).at(5);
        let mut frames = Frames::default();
        for (body, poses) in
            [(0, BodyPoses::Moving(&first)), (1, BodyPoses::Moving(&second)), (2, BodyPoses::Fixed(&fixed))]
        {
            for sample in [63, 0, 7, 8, 9, 31, 32, 63] {
                let (frame, alone) = (frames.of(body, &poses).at(sample), Frame::of(&poses.at(sample)));
                assert_eq!((frame.r, frame.position, frame.rest), (alone.r, alone.position, alone.rest), "{sample}");
            }
        }
        frames.clear();
        let frame = frames.of(1, &BodyPoses::Moving(&first)).at(8);
        assert_eq!(frame.r, rotation(BodyPoses::Moving(&first).at(8).q), "of another block");
    }
}
