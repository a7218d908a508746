//! When the writer of an execution takes checkpoints.

use super::resume::checkpoint::CheckpointStore;
use std::time::{Duration, Instant};

/// A checkpoint is taken before a block that may fill a part of `distances`: a block may have this
/// many times the rows of the block before it.
const ROWS_AHEAD: u64 = 2;

/// Decides when checkpoints are due, and holds the store that takes them.
pub(super) struct CheckpointTaker {
    pub(super) store: CheckpointStore,
    /// Rows of a part of `distances`.
    pub(super) part_rows: u64,
    /// Rows of `distances` at the start of the block in progress.
    pub(super) block_rows: u64,
    /// The part before whose end the last checkpoint was taken.
    pub(super) taken: Option<u64>,
    /// Checkpoints so far, those of earlier executions included.
    pub(super) count: u64,
    /// When the next one is to be taken, whatever the rows.
    pub(super) next: Instant,
    after: Duration,
}

/// The next checkpoint is due after at least this many times the duration of the last one...
const CHECKPOINT_SHARE: u32 = 20;

/// ...but at the latest after this many times `after`.
const MOST_PUT_OFF: u32 = 100;

impl CheckpointTaker {
    pub(super) fn new(store: CheckpointStore, part_rows: u64, after: Duration) -> Self {
        Self { store, part_rows, block_rows: 0, taken: None, count: 0, next: Instant::now() + after, after }
    }

    /// Puts off the next checkpoint, after one that took `took`.
    pub(super) fn put_off(&mut self, took: Duration) {
        self.next = Instant::now() + self.after.max(took * CHECKPOINT_SHARE).min(self.after * MOST_PUT_OFF);
    }

    /// Returns the part that the next block may fill, if a checkpoint is due. `rows`: rows of
    /// `distances` so far.
    pub(super) fn due(&mut self, rows: u64) -> Option<u64> {
        let ahead = ROWS_AHEAD * (rows - self.block_rows);
        self.block_rows = rows;
        let part = rows / self.part_rows;
        let is_due = rows > 0 && self.taken != Some(part) && rows + ahead >= (part + 1) * self.part_rows;
        is_due.then_some(part)
    }
}
