//! Batches of rows that are handed over in memory.

use super::row_label::ArrayRows;
use arrow_array::RecordBatch;
use clearsweep_base::error::Result;
use std::sync::Arc;

/// Rows decoded at a time: their pose columns stay in the second-level cache until they are laid
/// out.
pub(super) const BATCH_ROWS: usize = 16_384;

/// Returns the name of a batch in messages: its number, from 0.
pub(super) fn batch_name(number: u64) -> String {
    format!("batch {number}")
}

/// A batch that is handed over, or the error that ends the stream. `None`: no more come. A channel
/// that closes without it was left by a panic of the iterator.
pub(super) type StreamMessage = Option<Result<StreamBatch>>;

/// A batch that is handed over.
pub(super) struct StreamBatch {
    /// The row it begins with, as messages count.
    pub(super) first_row: u64,
    /// Its name in messages.
    pub(super) name: Arc<str>,
    /// The rows of an array, which messages name by sample and body.
    pub(super) rows: Option<ArrayRows>,
    pub(super) batch: RecordBatch,
}
