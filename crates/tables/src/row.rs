//! Rows of `distances` and of `intervals`.

use clearsweep_model::{DirectionalDistance, IntervalProximity, Proximity};
use clearsweep_scene::{FrameBlock, Sample};

/// A row of `distances` before it is encoded. Witness points and normal are in the world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Body of the lower index.
    pub a: u32,
    /// Body of the higher index.
    pub b: u32,
    /// The result of the query, in the world frame.
    pub proximity: Proximity,
    /// How far b is from a along the direction of the scene; `None` without one.
    pub directional: Option<DirectionalDistance>,
}

/// A row of `intervals` before it is encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalRow {
    /// Body of the lower index.
    pub a: u32,
    /// Body of the higher index.
    pub b: u32,
    /// The proven result for the interval.
    pub interval: IntervalProximity,
}

impl IntervalRow {
    /// The samples of `block` between which the interval lies; `None` if the second one is not there or of another run.
    pub(super) fn ends<'b>(&self, block: &'b FrameBlock) -> Option<[&'b Sample; 2]> {
        let at = usize::from(self.interval.sample);
        let first = block.samples.get(at)?;
        let next = match block.samples.get(at + 1) {
            None if at + 1 == block.samples.len() => block.following.as_ref().map(|following| &following.sample),
            next => next,
        };
        Some([first, next.filter(|next| next.run == first.run)?])
    }
}
