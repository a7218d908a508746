//! The rows of a slice in the order of the tables.

use clearsweep_model::SAMPLES;
use clearsweep_tables::{ContactRow, IntervalRow, Row};

/// The rows of a slice. They stay where they were found, as a row is two cache lines; only their
/// order is found.
#[derive(Debug, Default)]
pub(super) struct SliceRows {
    /// Rows of samples, by (a, b) of their candidates.
    pub(super) chunks: Vec<ChunkRows<Row>>,
    /// Rows of intervals, likewise.
    pub(super) intervals: Vec<ChunkRows<IntervalRow>>,
    /// Contacts, likewise.
    pub(super) contacts: Vec<ChunkRows<ContactRow>>,
}

impl SliceRows {
    /// Number of rows of samples.
    pub(super) fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.rows.len()).sum()
    }

    /// The rows of samples by (sample, a, b).
    pub(super) fn sorted(&self) -> Vec<&Row> {
        sorted(&self.chunks)
    }

    /// The rows of intervals by (sample, a, b).
    pub(super) fn sorted_intervals(&self) -> Vec<&IntervalRow> {
        sorted(&self.intervals)
    }

    /// Contacts by (sample, a, b), in the order in which they were found.
    pub(super) fn sorted_contacts(&self) -> Vec<&ContactRow> {
        sorted(&self.contacts)
    }
}

/// The rows of chunks that follow each other by (a, b): those of a sample are those of the chunks
/// one after the other.
fn sorted<T>(chunks: &[ChunkRows<T>]) -> Vec<&T> {
    let mut sorted = Vec::with_capacity(chunks.iter().map(|chunk| chunk.rows.len()).sum());
    if sorted.capacity() == 0 {
        return sorted;
    }
    for sample in 0..SAMPLES {
        for ChunkRows { rows, order, start } in chunks {
            let here = &order[start[sample] as usize..start[sample + 1] as usize];
            sorted.extend(here.iter().map(|&row| &rows[row as usize]));
        }
    }
    sorted
}

/// The rows of a task's candidates.
#[derive(Debug)]
pub(super) struct ChunkRows<T> {
    /// Rows as found: by (a, b, sample).
    rows: Vec<T>,
    /// Indices into `rows`, by (sample, a, b); those of sample `s` are `order[start[s]..start[s +
    /// 1]]`.
    order: Vec<u32>,
    /// See `order`.
    start: [u32; SAMPLES + 1],
}

impl<T> ChunkRows<T> {
    /// Rows as found, by (a, b, sample), and their samples.
    pub(super) fn new(mut rows: Vec<T>, samples: &[u8]) -> Self {
        let (order, start) = by_sample(samples);
        // Most candidates may have been too far apart; what is left over serves the next task.
        rows.shrink_to_fit();
        Self { rows, order, start }
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// A stable counting sort by sample: rows, of these samples, come in by (a, b, sample), their
/// indices leave by (sample, a, b).
fn by_sample(rows: &[u8]) -> (Vec<u32>, [u32; SAMPLES + 1]) {
    let mut start = [0_u32; SAMPLES + 1];
    for &sample in rows {
        start[usize::from(sample) + 1] += 1;
    }
    for sample in 0..SAMPLES {
        start[sample + 1] += start[sample];
    }
    let mut next = start;
    let mut order = vec![0; rows.len()];
    for (index, &sample) in rows.iter().enumerate() {
        let at = &mut next[usize::from(sample)];
        order[*at as usize] = index as u32;
        *at += 1;
    }
    (order, start)
}
