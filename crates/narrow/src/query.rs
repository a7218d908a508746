//! The query of the narrow phase: one pair in the samples of a block.

use clearsweep_geometry::Pose;
use clearsweep_model::{SampleColumn, Shape};

/// The poses of one body over the samples of a block.
#[derive(Debug, Clone, Copy)]
pub enum BodyPoses<'a> {
    /// One pose, the same in every sample.
    Fixed(&'a Pose),
    /// The ten components of a slot of a block (`FrameBlock::slot`).
    Moving(&'a [SampleColumn]),
}

impl BodyPoses<'_> {
    /// The pose in `sample`.
    #[inline]
    pub fn at(&self, sample: usize) -> Pose {
        match self {
            Self::Fixed(pose) => **pose,
            Self::Moving(c) => Pose {
                position: [c[0].0[sample], c[1].0[sample], c[2].0[sample]].into(),
                q: [c[3].0[sample], c[4].0[sample], c[5].0[sample], c[6].0[sample]],
                rest: [c[7].0[sample], c[8].0[sample], c[9].0[sample]].into(),
            },
        }
    }
}

/// One pair in the samples of a mask.
#[derive(Debug, Clone, Copy)]
pub struct PairQuery<'a> {
    /// Body A.
    pub a: &'a Shape,
    /// Body B.
    pub b: &'a Shape,
    /// Poses of A.
    pub poses_a: BodyPoses<'a>,
    /// Poses of B.
    pub poses_b: BodyPoses<'a>,
    /// Bit `s`: answer for sample `s`.
    pub samples: u64,
}
