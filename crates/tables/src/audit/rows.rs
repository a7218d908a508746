//! Rows of `distances` and `intervals`, frame by frame.

use super::super::export::files;
use super::super::report::{CheckedBatch, SummaryReader};
use clearsweep_base::error::Result;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// A run and a frame.
pub(super) type FrameKey = (i64, i64);

/// The columns that both tables begin with.
const KEYS: [&str; 4] = ["run", "frame", "a_index", "b_index"];

/// A row of `distances`.
#[derive(Debug, Clone, Copy)]
pub(super) struct DistanceRow {
    /// Bodies, by their indices.
    pub(super) bodies: [u32; 2],
    /// Time of the frame, seconds.
    pub(super) time_s: Option<f64>,
    /// Bracket of the distance, metres; an end is `None` where it is not proven.
    pub(super) bracket_m: [Option<f64>; 2],
}

/// A row of `intervals`.
#[derive(Debug, Clone, Copy)]
pub(super) struct IntervalRow {
    /// Bodies, by their indices.
    pub(super) bodies: [u32; 2],
    /// Frame at the end.
    pub(super) frame_next: i64,
    /// Times at both ends, seconds.
    pub(super) times_s: [Option<f64>; 2],
    /// Bracket of the least distance, metres; an end is `None` where it is not proven.
    pub(super) bracket_m: [Option<f64>; 2],
    /// First contact, as shares; `None`: none is proven.
    pub(super) contact: Option<[f64; 2]>,
    /// Whether the motion is not defined, or the work limit was reached.
    pub(super) is_limited: bool,
}

/// A table that is read batch after batch.
struct TableCursor {
    paths: VecDeque<PathBuf>,
    numbers: Vec<&'static str>,
    floats: &'static [&'static str],
    texts: &'static [&'static str],
    reader: Option<SummaryReader>,
    batch: Option<CheckedBatch>,
    row: usize,
}

impl TableCursor {
    fn open(
        dir: &Path,
        table: &str,
        numbers: &[&'static str],
        floats: &'static [&'static str],
        texts: &'static [&'static str],
    ) -> Result<Self> {
        let (paths, numbers) = (files(dir, table)?.into(), [&KEYS, numbers].concat());
        Ok(Self { paths, numbers, floats, texts, reader: None, batch: None, row: 0 })
    }

    /// The batch that holds the next row, and the row in it.
    fn next(&mut self) -> Result<Option<(&CheckedBatch, usize)>> {
        while self.batch.as_ref().is_none_or(|batch| self.row >= batch.rows) {
            self.row = 0;
            self.batch = match &mut self.reader {
                Some(reader) => reader.next()?,
                None => None,
            };
            if self.batch.is_none() {
                let Some(path) = self.paths.pop_front() else { return Ok(None) };
                self.reader = Some(SummaryReader::open(path, &self.numbers, self.floats, self.texts)?);
            }
        }
        Ok(self.batch.as_ref().map(|batch| (batch, self.row)))
    }

    fn key(&mut self) -> Result<Option<FrameKey>> {
        Ok(self.next()?.map(|(batch, row)| (batch.number(0, row), batch.number(1, row))))
    }

    /// Hands the rows of a frame, which are the next ones if it has any, to `each`.
    fn take(&mut self, key: FrameKey, mut each: impl FnMut(&CheckedBatch, usize) -> Result<()>) -> Result<()> {
        while let Some((batch, row)) = self.next()? {
            if (batch.number(0, row), batch.number(1, row)) != key {
                break;
            }
            each(batch, row)?;
            self.row += 1;
        }
        Ok(())
    }
}

fn bodies(batch: &CheckedBatch, row: usize) -> [u32; 2] {
    [2, 3].map(|column| batch.number(column, row) as u32)
}

/// The rows of `distances`.
pub(super) struct DistanceRows(TableCursor);

impl DistanceRows {
    pub(super) fn open(dir: &Path) -> Result<Self> {
        TableCursor::open(dir, "distances", &[], &["time_s", "lower_m", "upper_m"], &[]).map(Self)
    }

    /// Run and frame of the next row.
    pub(super) fn key(&mut self) -> Result<Option<FrameKey>> {
        self.0.key()
    }

    /// Puts the rows of a frame into `rows`, in place of others.
    pub(super) fn take(&mut self, key: FrameKey, rows: &mut Vec<DistanceRow>) -> Result<()> {
        rows.clear();
        self.0.take(key, |batch, row| {
            let [time_s, lower, upper] = [0, 1, 2].map(|column| batch.optional_float(column, row));
            rows.push(DistanceRow { bodies: bodies(batch, row), time_s, bracket_m: [lower, upper] });
            Ok(())
        })
    }
}

/// The rows of `intervals`.
pub(super) struct IntervalRows(TableCursor);

impl IntervalRows {
    pub(super) fn open(dir: &Path) -> Result<Self> {
        const FLOATS: [&str; 6] = ["time_s", "time_next_s", "lower_m", "upper_m", "contact_lo", "contact_hi"];
        TableCursor::open(dir, "intervals", &["frame_next"], &FLOATS, &["method"]).map(Self)
    }

    /// Run and frame of the next row.
    pub(super) fn key(&mut self) -> Result<Option<FrameKey>> {
        self.0.key()
    }

    /// Puts the rows of a frame into `rows`, in place of others.
    pub(super) fn take(&mut self, key: FrameKey, rows: &mut Vec<IntervalRow>) -> Result<()> {
        rows.clear();
        self.0.take(key, |batch, row| {
            let [time, time_next, lower, upper, from, to] =
                [0, 1, 2, 3, 4, 5].map(|column| batch.optional_float(column, row));
            let contact = from.zip(to).map(|(from, to)| [from, to]);
            rows.push(IntervalRow {
                bodies: bodies(batch, row),
                frame_next: batch.number(4, row),
                times_s: [time, time_next],
                bracket_m: [lower, upper],
                contact,
                // A text is decoded where it matters alone: contacts outnumber what is undecided.
                is_limited: contact.is_none() && batch.text(0, row)? == "limit",
            });
            Ok(())
        })
    }
}
