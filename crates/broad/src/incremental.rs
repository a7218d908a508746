//! Parts that the incremental methods share: maps of pairs, and boxes sample by sample.
//!
//! An incremental method advances sample by sample and keeps its structures from one sample to the
//! next and from one block to the next. It numbers bodies as *items*: the slots first, then the
//! fixed boxes of the job.

use super::boxes::{Boxes64, LatticeBox};
use super::broad_scene::BroadScene;
use clearsweep_model::{Candidate, Scene};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// A map from pairs of items ([`pair_key`]) to values. Its order of iteration follows from the
/// insertions and removals alone, not from hashes.
pub(super) type PairMap<T> = IndexMap<u64, T, FxBuildHasher>;

/// The key of a pair of items, the same in either order.
#[inline]
pub(super) fn pair_key(i: u32, j: u32) -> u64 {
    u64::from(i.min(j)) << 32 | u64::from(i.max(j))
}

/// The items of a pair key, the lower one first.
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

/// Whether the scene tells to ignore the pair of two items.
#[inline]
pub(super) fn is_ignored(job: &BroadScene, scene: &Scene, i: u32, j: u32) -> bool {
    !scene.ignored.class.is_empty() && scene.ignored.contains(body_of(job, scene, i), body_of(job, scene, j))
}

/// The candidate of two items with a mask of samples.
#[inline]
pub(super) fn candidate(job: &BroadScene, scene: &Scene, (i, j): (u32, u32), samples: u64) -> Candidate {
    let (a, b) = (body_of(job, scene, i), body_of(job, scene, j));
    Candidate { a: a.min(b), b: a.max(b), samples }
}

/// The boxes of all items in one sample after the other, for methods that look at one sample at a
/// time.
///
/// The boxes of a slot are stored sample by sample ([`Boxes64`]). They are transposed for sixteen
/// samples at once, since a cache line of a column holds sixteen values.
#[derive(Debug, Default)]
pub(super) struct SampleRows {
    /// Boxes by `[sample % ROWS][item]`.
    rows: Vec<Vec<LatticeBox>>,
}

/// The number of samples that are transposed at once.
const ROWS: usize = 16;

impl SampleRows {
    /// Rows for a job, which hold its fixed boxes.
    pub(super) fn new(job: &BroadScene) -> Self {
        let set = &job.fixed.set;
        let row: Vec<_> =
            std::iter::repeat_n(LatticeBox::EMPTY, job.slots()).chain((0..set.len()).map(|k| set.get(k))).collect();
        Self { rows: vec![row; ROWS] }
    }

    /// The boxes of all items in a sample. A block is read from sample 0 on, in ascending order.
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
