//! Stretches to one: always the row of least key next, and of equal keys that of the earliest
//! stretch.

use super::spill::{SectionReader, Spill, SpillSection};
use super::unify::Unified;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_buffer::ScalarBuffer;
use arrow_select::interleave::interleave_record_batch;
use clearsweep_base::error::{Error, Result};
use clearsweep_input_guard::guarded;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The keys of a batch.
pub(super) struct SortKeys {
    run: Option<ScalarBuffer<i64>>,
    frame: ScalarBuffer<i64>,
}

impl SortKeys {
    /// Those of a batch of [`Unified::batch`].
    pub(super) fn of(unified: &Unified, batch: &RecordBatch) -> Self {
        let values = |column: usize| batch.column(column).as_primitive::<Int64Type>().values().clone();
        Self { run: unified.run.map(values), frame: values(unified.frame) }
    }

    /// Run (0 where there are none) and frame of a row.
    #[inline]
    pub(super) fn at(&self, row: usize) -> (i64, i64) {
        (self.run.as_ref().map_or(0, |run| run[row]), self.frame[row])
    }
}

/// The rows `(batch, row)` of some batches.
///
/// # Errors
/// Arrow cannot gather a column (text of more than 2 GiB in one batch, nested dictionaries of too
/// many values).
pub(super) fn interleave(batches: &[RecordBatch], rows: &[(usize, usize)]) -> Result<RecordBatch> {
    let batches: Vec<&RecordBatch> = batches.iter().collect();
    let failed = |why: &dyn std::fmt::Display| {
        let remedy = "give less --memory, or leave out columns of long texts and nested dictionaries";
        Error::input("sort", format!("rows cannot be gathered ({why})"), remedy)
    };
    // Gathering nested columns panics where their offsets or keys overflow.
    match guarded(|| interleave_record_batch(&batches, rows)) {
        Some(gathered) => gathered.map_err(|error| failed(&error)),
        None => Err(failed(&"a nested column overflows")),
    }
}

/// A stretch being read.
struct MergeCursor<'a> {
    reader: SectionReader<'a>,
    keys: SortKeys,
    at: usize,
}

/// Merges stretches.
pub(super) struct Merge<'a> {
    unified: &'a Unified,
    cursors: Vec<MergeCursor<'a>>,
    /// The batch of each cursor.
    batches: Vec<RecordBatch>,
    /// The next key of each cursor that has one.
    heap: BinaryHeap<Reverse<((i64, i64), usize)>>,
    /// The cursor whose batch is used up.
    empty: Option<usize>,
    /// Rows to be handed out, and how many at most.
    rows: Vec<(usize, usize)>,
    most: usize,
}

impl<'a> Merge<'a> {
    /// Merges `sections` of a file, `most` rows at a time.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn of(unified: &'a Unified, spill: &'a Spill, sections: &[SpillSection], most: usize) -> Result<Self> {
        let mut merge = Self {
            unified,
            cursors: Vec::with_capacity(sections.len()),
            batches: Vec::with_capacity(sections.len()),
            heap: BinaryHeap::with_capacity(sections.len()),
            empty: None,
            rows: Vec::with_capacity(most),
            most,
        };
        for &section in sections {
            let mut reader = spill.read(section)?;
            let Some(batch) = reader.next()? else { continue };
            let keys = SortKeys::of(unified, &batch);
            merge.heap.push(Reverse((keys.at(0), merge.cursors.len())));
            merge.cursors.push(MergeCursor { reader, keys, at: 0 });
            merge.batches.push(batch);
        }
        Ok(merge)
    }

    /// The next rows; `None` after the last.
    fn advance(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(index) = self.empty.take() {
            self.refill(index)?;
        }
        self.rows.clear();
        while self.rows.len() < self.most
            && let Some(Reverse((_, index))) = self.heap.pop()
        {
            self.take(index);
            let cursor = &self.cursors[index];
            if cursor.at == self.batches[index].num_rows() {
                // Its rows must be handed out before the batch is replaced.
                self.empty = Some(index);
                break;
            }
            self.heap.push(Reverse((cursor.keys.at(cursor.at), index)));
        }
        if self.rows.is_empty() { Ok(None) } else { interleave(&self.batches, &self.rows).map(Some) }
    }

    /// Takes rows of a cursor as long as no other has a row before them.
    fn take(&mut self, index: usize) {
        let next = self.heap.peek().map(|Reverse(next)| *next);
        let (cursor, len) = (&mut self.cursors[index], self.batches[index].num_rows());
        while cursor.at < len
            && self.rows.len() < self.most
            && next.is_none_or(|next| (cursor.keys.at(cursor.at), index) < next)
        {
            self.rows.push((index, cursor.at));
            cursor.at += 1;
        }
    }

    fn refill(&mut self, index: usize) -> Result<()> {
        let cursor = &mut self.cursors[index];
        match cursor.reader.next()? {
            Some(batch) => {
                cursor.keys = SortKeys::of(self.unified, &batch);
                cursor.at = 0;
                self.heap.push(Reverse((cursor.keys.at(0), index)));
                self.batches[index] = batch;
            }
            // Its last batch is let go.
            None => self.batches[index] = RecordBatch::new_empty(self.batches[index].schema()),
        }
        Ok(())
    }
}

impl Iterator for Merge<'_> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().transpose()
    }
}
