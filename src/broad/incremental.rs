//! What the incremental methods share: pairs with a memory, and boxes sample by sample.
//!
//! An incremental method follows the samples one by one and keeps its structures from sample to sample and from block
//! to block. It knows bodies as *items*: the slots first, then the job's fixed boxes.

use super::BroadScene;
use super::boxes::{Boxes64, LatticeBox};
use crate::scene::{Candidate, Scene};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// What is remembered of pairs of items, by [`pair_key`]. Iteration goes by insertion and removal, not by hash.
pub(super) type Pairs<T> = IndexMap<u64, T, FxBuildHasher>;

/// A pair of items in either order as one number.
#[inline]
pub(super) fn pair_key(i: u32, j: u32) -> u64 {
    u64::from(i.min(j)) << 32 | u64::from(i.max(j))
}

/// The items of a key, the lower one first.
#[inline]
pub(super) fn items_of(key: u64) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

/// The body (index into `scene.bodies`) of an item.
#[inline]
pub(super) fn body_of(job: &BroadScene, scene: &Scene, item: u32) -> u32 {
    let slots = job.slots();
    match (item as usize).checked_sub(slots) {
        None => scene.dynamic[item as usize],
        Some(k) => job.fixed.bodies[k],
    }
}

/// Whether the pair of two items is ignored.
#[inline]
pub(super) fn is_ignored(job: &BroadScene, scene: &Scene, i: u32, j: u32) -> bool {
    !scene.ignored.class.is_empty() && scene.ignored.contains(body_of(job, scene, i), body_of(job, scene, j))
}

/// The candidate of two items.
#[inline]
pub(super) fn candidate(job: &BroadScene, scene: &Scene, (i, j): (u32, u32), samples: u64) -> Candidate {
    let (a, b) = (body_of(job, scene, i), body_of(job, scene, j));
    Candidate { a: a.min(b), b: a.max(b), samples }
}

/// The boxes of all items sample by sample: what a method wants that looks at one sample at a time.
///
/// A slot's boxes lie side by side by sample. They are turned round sixteen samples at once, which is what a cache line
/// of a column holds.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// `[sample % ROWS][item]`.
    rows: Vec<Vec<LatticeBox>>,
}

/// Samples that are turned round at once.
const ROWS: usize = 16;

impl Rows {
    /// Rows for a job: the fixed boxes stand in each for good.
    pub(super) fn new(job: &BroadScene) -> Self {
        let set = &job.fixed.set;
        let row: Vec<_> =
            std::iter::repeat_n(LatticeBox::EMPTY, job.slots()).chain((0..set.len()).map(|k| set.get(k))).collect();
        Self { rows: vec![row; ROWS] }
    }

    /// The boxes of all items in a sample; samples are asked for in ascending order from 0.
    pub(super) fn at(&mut self, boxes: &[Boxes64], sample: usize) -> &[LatticeBox] {
        if sample.is_multiple_of(ROWS) {
            for (slot, boxes) in boxes.iter().enumerate() {
                for (s, row) in self.rows.iter_mut().enumerate() {
                    row[slot] = boxes.get(sample + s);
                }
            }
        }
        &self.rows[sample % ROWS]
    }
}

/// What a method has done since it was made: for experiments. Each counts what its algorithm is usually judged by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operations {
    /// Hashing: labels written and taken off, and cells looked up.
    pub cells: u64,
    /// Coherent hashing: how often a body found another one in a cell that it entered; as published, also how often it
    /// left one behind (the changes of close counters).
    pub meetings: u64,
    /// Pairs of boxes that were tested.
    pub tests: u64,
    /// Sweep and prune: exchanges of neighbouring end points.
    pub swaps: u64,
    /// Sweep and prune: samples that were sorted afresh.
    pub sorts: u64,
}
