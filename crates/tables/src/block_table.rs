//! A table of rows that a block brings beside those of its samples: `intervals` or `contacts`.

use super::column_buffer::ColumnBuffer;
use super::encoder::{EncoderState, PendingTable, TableEncoder};
use super::fill::{self, JobColumns};
use super::layout::TILE_ROWS;
use super::output_dir::OutputDir;
use super::row::{ContactRow, IntervalRow};
use super::stored_rows::StoredRows;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::FrameBlock;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;

/// Sort key of a row: run, frame, a, b, and the number of a contact.
type BlockRowKey = (i64, i64, u32, u32, u32);

/// A row of such a table.
pub(super) trait BlockRow: Copy + Send + Sync {
    /// The name of the table.
    const TABLE: &'static str;

    /// The sort key; `None` if the row is not of the block.
    fn key(&self, block: &FrameBlock) -> Option<BlockRowKey>;

    /// Appends rows to the columns of the table.
    fn fill(columns: &mut [ColumnBuffer], rows: &[Self], block: &FrameBlock, job: &JobColumns);
}

impl BlockRow for IntervalRow {
    const TABLE: &'static str = "intervals";

    fn key(&self, block: &FrameBlock) -> Option<BlockRowKey> {
        self.ends(block).map(|[first, _]| (first.run, first.frame, self.a, self.b, 0))
    }

    fn fill(columns: &mut [ColumnBuffer], rows: &[Self], block: &FrameBlock, job: &JobColumns) {
        fill::intervals(columns, rows, block, job);
    }
}

impl BlockRow for ContactRow {
    const TABLE: &'static str = "contacts";

    fn key(&self, block: &FrameBlock) -> Option<BlockRowKey> {
        let sample = block.samples.get(usize::from(self.contact.sample))?;
        Some((sample.run, sample.frame, self.a, self.b, self.number))
    }

    fn fill(columns: &mut [ColumnBuffer], rows: &[Self], block: &FrameBlock, _: &JobColumns) {
        fill::contacts(columns, rows, &block.samples);
    }
}

/// The state of the table at the start of a block, beside its journal.
#[derive(Serialize, Deserialize)]
pub(super) struct BlockTableState {
    pub(super) encoder: EncoderState,
    last: Option<BlockRowKey>,
}

/// Writes the rows of the table.
pub(super) struct BlockTable<R> {
    encoder: TableEncoder,
    columns: JobColumns,
    /// Number of bodies.
    bodies: usize,
    /// Key of the last row.
    last: Option<BlockRowKey>,
    /// A contiguous copy of a tile of rows, kept for its memory.
    tile: Vec<R>,
}

impl<R: BlockRow> BlockTable<R> {
    /// An empty table of a scene of so many bodies.
    pub(super) fn new(encoder: TableEncoder, bodies: usize, columns: JobColumns) -> Self {
        Self { encoder, columns, bodies, last: None, tile: Vec::new() }
    }

    /// Appends rows of `block`, sorted by (sample, a, b).
    ///
    /// # Errors
    /// A write failed, or rows are out of order.
    pub(super) fn write(&mut self, rows: &[&R], block: &FrameBlock) -> Result<()> {
        for part in rows.chunks(TILE_ROWS) {
            self.tile.clear();
            self.tile.extend(part.iter().map(|row| **row));
            self.check_order(block)?;
            let job = &self.columns;
            self.encoder.extend(&self.tile, |columns, rows| R::fill(columns, rows, block, job))?;
        }
        Ok(())
    }

    /// Checks the order of the tile, which the metadata of the files declare.
    fn check_order(&mut self, block: &FrameBlock) -> Result<()> {
        for row in &self.tile {
            let key = row.key(block);
            let is_pair = |&(_, _, a, b, _): &BlockRowKey| a < b && (b as usize) < self.bodies;
            if !key.as_ref().is_some_and(is_pair) || key <= self.last {
                let place = format!("{}, row {key:?} of block {}", R::TABLE, block.index);
                return Err(Error::internal(place, "rows are out of order"));
            }
            self.last = key;
        }
        Ok(())
    }

    /// Returns the state to be stored, and a handle to the journal.
    ///
    /// # Errors
    /// The system gives no handle.
    pub(super) fn state(&self) -> io::Result<(BlockTableState, Option<File>)> {
        let (encoder, handle) = self.encoder.state()?;
        Ok((BlockTableState { encoder, last: self.last }, handle))
    }

    /// Goes on from a state and the journal that belongs to it.
    ///
    /// # Errors
    /// The disk failed, or the journal does not fit the table.
    pub(super) fn restore(&mut self, state: &BlockTableState, out: &OutputDir) -> Result<()> {
        self.last = state.last;
        self.encoder.restore(&state.encoder, out)
    }

    /// Number of rows so far.
    pub(super) fn rows(&self) -> u64 {
        self.encoder.rows()
    }

    /// Appends the first rows of a stored table.
    ///
    /// # Errors
    /// Those of `TableEncoder::append`.
    pub(super) fn append(&mut self, stored: StoredRows, rows: u64) -> Result<()> {
        self.encoder.append(stored, rows)
    }

    /// Encodes the remaining rows.
    ///
    /// # Errors
    /// A write failed.
    pub(super) fn finish(self) -> Result<PendingTable> {
        self.encoder.finish()
    }
}
