//! Checked rows of a batch, and the first defect among them.

use super::row_label::RowLabel;
use super::source::Source;
use arrow_array::Array;
use arrow_buffer::ScalarBuffer;
use clearsweep_base::error::Error;

/// Checked rows of one file, in the order of the file.
pub(super) struct Rows<V> {
    pub(super) keys: RowKeys,
    pub(super) values: V,
}

/// Keys of the rows of a batch; all columns have `len` rows or more.
pub(super) struct RowKeys {
    /// The file.
    pub(super) label: RowLabel,
    /// Row of the file that the batch begins with.
    pub(super) first_row: u64,
    /// Good rows: those before the defect.
    pub(super) len: usize,
    pub(super) run: Runs,
    pub(super) frame: ScalarBuffer<i64>,
    /// Seconds.
    pub(super) time: Option<ScalarBuffer<f64>>,
    /// The error in the row after the good ones.
    pub(super) defect: Option<Error>,
}

/// Poses of rows.
pub(super) struct PoseValues {
    /// Slots of the bodies.
    pub(super) slots: Vec<u32>,
    /// x, y, z in metres, qw, qx, qy, qz.
    pub(super) pose: [ScalarBuffer<f64>; 7],
}

/// Runs of the rows.
pub(super) enum Runs {
    /// All rows are of one run.
    One(i64),
    /// A value for each row.
    Each(ScalarBuffer<i64>),
}

impl Runs {
    /// The run of a row of the batch.
    #[inline]
    pub(super) fn at(&self, row: usize) -> i64 {
        match self {
            Self::One(run) => *run,
            Self::Each(runs) => runs[row],
        }
    }
}

impl RowKeys {
    /// Returns the keys of the rows before the first defect.
    pub(super) fn until(self, defects: Defects<'_>) -> Self {
        Self { len: defects.row, defect: defects.error, ..self }
    }

    /// Returns the time of a row, seconds: that of its column, or by the frame rate.
    #[inline]
    pub(super) fn time_s(&self, row: usize, frame_rate: Option<f64>) -> Option<f64> {
        match &self.time {
            Some(times) => Some(times[row]),
            None => frame_rate.map(|rate| self.frame[row] as f64 / rate),
        }
    }

    /// The end of the rows that have the key of row `start`.
    pub(super) fn end_of_sample(&self, start: usize) -> usize {
        let frame = self.frame[start];
        let same = self.frame[start..self.len].iter().position(|&other| other != frame);
        let end = same.map_or(self.len, |count| start + count);
        match &self.run {
            Runs::One(_) => end,
            Runs::Each(runs) => {
                let same = runs[start..end].iter().position(|&other| other != runs[start]);
                same.map_or(end, |count| start + count)
            }
        }
    }

    /// An error in a row of the batch.
    pub(super) fn error(&self, row: usize, problem: impl std::fmt::Display, remedy: impl std::fmt::Display) -> Error {
        at_row(&self.label, self.first_row + row as u64, problem, remedy)
    }
}

/// An error in a row of a file, counted from 0.
fn at_row(label: &RowLabel, row: u64, problem: impl std::fmt::Display, remedy: impl std::fmt::Display) -> Error {
    Error::input(label.row(row), problem, remedy)
}

/// The first defect of a batch: the defect in the lowest row; within a row, the one noted first.
pub(super) struct Defects<'a> {
    pub(super) source: &'a Source,
    pub(super) first_row: u64,
    row: usize,
    error: Option<Error>,
}

impl<'a> Defects<'a> {
    pub(super) fn new(source: &'a Source, first_row: u64, rows: usize) -> Self {
        Self { source, first_row, row: rows, error: None }
    }

    /// Returns the defect, if there is any.
    pub(super) fn into_error(self) -> Option<Error> {
        self.error
    }

    /// Notes a defect in the first row for which `bad` holds, if there is one.
    pub(super) fn note(&mut self, bad: impl Fn(usize) -> bool, message: impl FnOnce(usize) -> (String, String)) {
        if let Some(row) = (0..self.row).find(|&row| bad(row)) {
            let (problem, remedy) = message(row);
            self.error = Some(at_row(&self.source.label(), self.first_row + row as u64, problem, remedy));
            self.row = row;
        }
    }

    pub(super) fn nulls(&mut self, array: &dyn Array, name: &str) {
        if array.null_count() > 0 {
            // pandas writes what it shows as NaN as null.
            let remedy = "fill in the value, or leave out the row; NaN of pandas is null in the file";
            let message = |_| (format!("column `{name}` is null"), remedy.to_owned());
            self.note(|row| array.is_null(row), message);
        }
    }

    pub(super) fn not_finite(&mut self, values: &[f64], name: &str) {
        if !values.iter().fold(true, |finite, value| finite & value.is_finite()) {
            let message =
                |row| (format!("column `{name}` is {}", values[row]), "every value must be a finite number".to_owned());
            self.note(|row| !values[row].is_finite(), message);
        }
    }
}
