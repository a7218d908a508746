//! The table `intervals`.

use super::encoder::{EncoderState, PendingTable, TableEncoder};
use super::fill::{self, JobColumns};
use super::layout::TILE_ROWS;
use super::output_dir::OutputDir;
use super::row::IntervalRow;
use super::stored_rows::StoredRows;
use clearsweep_base::error::{Error, Result};
use clearsweep_scene::FrameBlock;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;

/// Sort key of an interval: run, frame, a, b.
type IntervalKey = (i64, i64, u32, u32);

/// The state of the table at the start of a block, beside its journal.
#[derive(Serialize, Deserialize)]
pub(super) struct IntervalTableState {
    pub(super) encoder: EncoderState,
    last: Option<IntervalKey>,
}

/// Writes rows to `intervals`.
pub(super) struct IntervalTable {
    encoder: TableEncoder,
    columns: JobColumns,
    /// Number of bodies.
    bodies: usize,
    /// Key of the last row.
    last: Option<IntervalKey>,
    /// A contiguous copy of a tile of rows, kept for its memory.
    tile: Vec<IntervalRow>,
}

impl IntervalTable {
    /// An empty table of a scene of so many bodies.
    pub(super) fn new(encoder: TableEncoder, bodies: usize, columns: JobColumns) -> Self {
        Self { encoder, columns, bodies, last: None, tile: Vec::new() }
    }

    /// Appends rows of `block`, sorted by (sample, a, b).
    ///
    /// # Errors
    /// A write failed, or rows are out of order.
    pub(super) fn write(&mut self, rows: &[&IntervalRow], block: &FrameBlock) -> Result<()> {
        for part in rows.chunks(TILE_ROWS) {
            self.tile.clear();
            self.tile.extend(part.iter().map(|row| **row));
            self.check_order(block)?;
            let job = &self.columns;
            self.encoder.extend(&self.tile, |columns, rows| fill::intervals(columns, rows, block, job))?;
        }
        Ok(())
    }

    /// Checks the order of the tile, which the metadata of the files declare.
    fn check_order(&mut self, block: &FrameBlock) -> Result<()> {
        for row in &self.tile {
            let key = row.ends(block).map(|[first, _]| (first.run, first.frame, row.a, row.b));
            if key.is_none() || key <= self.last || row.a >= row.b || row.b as usize >= self.bodies {
                let place = format!("intervals, row {:?}", (block.index, row.interval.sample, row.a, row.b));
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
    pub(super) fn state(&self) -> io::Result<(IntervalTableState, Option<File>)> {
        let (encoder, handle) = self.encoder.state()?;
        Ok((IntervalTableState { encoder, last: self.last }, handle))
    }

    /// Goes on from a state and the journal that belongs to it.
    ///
    /// # Errors
    /// The disk failed, or the journal does not fit the table.
    pub(super) fn restore(&mut self, state: &IntervalTableState, out: &OutputDir) -> Result<()> {
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
