//! The transposition: rows come frame by frame, lanes lie body by body.
//!
//! Writing each value to its lane would touch a cache line of its own per value, 512 bytes from the
//! next. So the columns of [`TILE`] samples are gathered in slot order first (sequential copies),
//! and then written lane by lane in whole cache lines of eight samples; meanwhile every cache line
//! read serves eight slots in turn. Measured against [`FrameBlock::set`] row by row: 1.7 times as
//! fast with 200 bodies, 3 times with 2,000, 4 times with 20,000.

use clearsweep_geometry::Pose;
use clearsweep_geometry::pose::Recentring;
use clearsweep_model::{FrameBlock, block::COMPONENTS};

/// Samples gathered before they are laid out: the eight `f64` of a cache line.
pub(super) const TILE: usize = 8;

/// Components of a pose as read: x, y, z, qw, qx, qy, qz.
pub(super) const READ: usize = 7;

/// The identity pose, by component.
const IDENTITY: [f64; READ] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

/// The poses of up to [`TILE`] samples, `(sample, component, slot)`.
pub(super) struct Stage {
    slots: usize,
    /// Values between rows: an odd number of cache lines, so that the rows do not meet in the same
    /// cache sets.
    stride: usize,
    values: Vec<f64>,
}

impl Stage {
    pub(super) fn new(slots: usize) -> Self {
        let stride = (slots.div_ceil(8) | 1) * 8;
        Self { slots, stride, values: vec![0.0; TILE * READ * stride] }
    }

    /// A component of all slots in a sample of the tile.
    #[inline]
    pub(super) fn row(&self, sample: usize, component: usize) -> &[f64] {
        let start = (sample * READ + component) * self.stride;
        &self.values[start..start + self.slots]
    }

    /// See [`Self::row`].
    #[inline]
    pub(super) fn row_mut(&mut self, sample: usize, component: usize) -> &mut [f64] {
        let start = (sample * READ + component) * self.stride;
        &mut self.values[start..start + self.slots]
    }

    /// Gives a slot the identity in a sample of the tile.
    pub(super) fn set_identity(&mut self, sample: usize, slot: usize) {
        for (component, value) in IDENTITY.into_iter().enumerate() {
            self.row_mut(sample, component)[slot] = value;
        }
    }

    /// Lays out the first `count` samples of the tile from sample `first` of the block on.
    pub(super) fn lay_out(&self, block: &mut FrameBlock, first: usize, count: usize) {
        let full = count == TILE;
        // Behind the slots of the block there may be nodes that only carry bodies.
        for slot in 0..block.present.len().min(self.slots) {
            for component in 0..READ {
                let lane = &mut block.lanes[slot * COMPONENTS + component].0[first..first + count];
                let value = |sample: usize| self.values[(sample * READ + component) * self.stride + slot];
                if full {
                    lane.copy_from_slice(&std::array::from_fn::<f64, TILE, _>(value));
                } else {
                    lane.iter_mut().enumerate().for_each(|(sample, lane)| *lane = value(sample));
                }
            }
        }
    }

    /// Moves the poses of one slot to its recentred frame, `to` of the frame read, in the samples
    /// of `mask` (bits of the block) among `first..first + count`.
    pub(super) fn recentre(
        &self,
        block: &mut FrameBlock,
        slot: usize,
        to: &Recentring,
        mask: u64,
        first: usize,
        count: usize,
    ) {
        let lanes = &mut block.lanes[slot * COMPONENTS..(slot + 1) * COMPONENTS];
        for sample in first..first + count {
            if mask >> sample & 1 == 0 {
                continue;
            }
            let v = |component: usize| self.row(sample - first, component)[slot];
            let pose = to.place(&Pose::new([v(0), v(1), v(2)], [v(3), v(4), v(5), v(6)]));
            let (position, rest) = (pose.position.to_array(), pose.rest.to_array());
            for axis in 0..3 {
                lanes[axis].0[sample] = position[axis];
                lanes[READ + axis].0[sample] = rest[axis];
            }
        }
    }
}
