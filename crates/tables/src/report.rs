//! Reading of the summaries of a finished execution: its worst pairs and its worst runs.

use super::chosen_rows::RunPair;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType};
use clearsweep_base::error::{Error, Result};
use clearsweep_input_guard::parquet_pages::{self, PageClaims};
use clearsweep_input_guard::{guarded, parquet_footer, regular_file};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The smallest distance of a pair of bodies over all runs.
#[derive(Debug, Clone, PartialEq)]
pub struct WorstPair {
    /// Body A.
    pub body_a: String,
    /// Body B.
    pub body_b: String,
    /// Smallest distance, metres; NaN if all rows of the pair are uncertified.
    pub min_distance_m: f64,
    /// Its run.
    pub run: i64,
    /// Its frame.
    pub frame: i64,
    /// Frames of that run with a distance of at most `within`.
    pub frames_within: i64,
    /// Frames of that run in which the bodies penetrate.
    pub frames_penetrating: i64,
}

/// The summary of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunLine {
    /// The run.
    pub run: i64,
    /// Existing frames.
    pub frames: i64,
    /// Rows of `distances`.
    pub rows: i64,
    /// Rows that violate `require`.
    pub violated: i64,
    /// Intervals that violate `require`; 0 where the execution says nothing about intervals.
    pub intervals_violated: i64,
    /// Smallest distance in metres, its bodies and its frame; `None` in a run without rows.
    pub worst: Option<(f64, String, String, i64)>,
}

/// The `count` worst pairs, least proven upper end first, from `pairs.parquet` in the output directory `dir`.
///
/// # Errors
/// The table is missing, or clearsweep did not write it.
pub fn worst_pairs(dir: &Path, count: usize) -> Result<Vec<WorstPair>> {
    let numbers = ["run", "frames_within", "frames_penetrating", "frame_of_min"];
    let mut table = SummaryReader::open(
        dir.join("pairs.parquet"),
        &numbers,
        &["min_distance_m", "upper_m"],
        &["body_a", "body_b"],
    )?;
    // With what each is ranked by.
    let mut worst: Vec<(f64, WorstPair)> = Vec::with_capacity(count + 1);
    while let Some(batch) = table.next()? {
        let distances = batch.float(0);
        // A pair that comes near between frames only has no distance.
        for row in (0..batch.rows).filter(|&row| distances.is_valid(row)) {
            let distance = distances.value(row);
            let rank = if batch.float(1).is_valid(row) { batch.float(1).value(row) } else { distance };
            let last = if worst.len() < count { None } else { worst.last() };
            if count == 0 || last.is_some_and(|last| !is_nearer(rank, last.0)) {
                continue;
            }
            let (body_a, body_b) = (batch.text(0, row)?, batch.text(1, row)?);
            let known = worst.iter().position(|(_, pair)| pair.body_a == body_a && pair.body_b == body_b);
            if let Some(known) = known {
                if !is_nearer(rank, worst[known].0) {
                    continue;
                }
                worst.remove(known);
            }
            let [run, frames_within, frames_penetrating, frame] = [0, 1, 2, 3].map(|k| batch.number(k, row));
            let at = worst.partition_point(|other| !is_nearer(rank, other.0));
            let pair =
                WorstPair { body_a, body_b, min_distance_m: distance, run, frame, frames_within, frames_penetrating };
            worst.insert(at, (rank, pair));
            worst.truncate(count);
        }
    }
    Ok(worst.into_iter().map(|(_, pair)| pair).collect())
}

/// The least distance of a pair of bodies between frames, over all runs.
#[derive(Debug, Clone, PartialEq)]
pub struct PairBetween {
    /// Body A.
    pub body_a: String,
    /// Body B.
    pub body_b: String,
    /// Lower end, metres; `None` where nothing is proven.
    pub lower_m: Option<f64>,
    /// Upper end, metres; `None` where nothing is proven.
    pub upper_m: Option<f64>,
    /// Its run.
    pub run: i64,
    /// The frame before the interval of the least upper end.
    pub frame: i64,
    /// The frame after which the first contact of that run lies; `None` without contact.
    pub contact_frame: Option<i64>,
}

/// The `count` pairs of least distance between frames, nearest first by the upper end, from `pairs.parquet` in the output
/// directory `dir` of an execution with motion.
///
/// # Errors
/// Those of [`worst_pairs`]; or the execution has no intervals.
pub fn nearest_between(dir: &Path, count: usize) -> Result<Vec<PairBetween>> {
    let numbers = ["run", "frame_of_min_between", "contact_frame"];
    let distances = ["min_between_lower_m", "min_between_upper_m"];
    let mut table = SummaryReader::open(dir.join("pairs.parquet"), &numbers, &distances, &["body_a", "body_b"])?;
    let mut nearest: Vec<PairBetween> = Vec::with_capacity(count + 1);
    let upper = |pair: &PairBetween| pair.upper_m.unwrap_or(f64::NAN);
    while let Some(batch) = table.next()? {
        for row in (0..batch.rows).filter(|&row| batch.numbers[1].is_valid(row)) {
            let is_full = nearest.len() == count;
            let last = nearest.last().filter(|_| is_full).map(upper);
            let here = if batch.float(1).is_valid(row) { batch.float(1).value(row) } else { f64::NAN };
            if count == 0 || last.is_some_and(|last| !is_nearer(here, last)) {
                continue;
            }
            let [lower_m, upper_m] = [0, 1].map(|k| batch.float(k).is_valid(row).then(|| batch.float(k).value(row)));
            let [run, frame, contact] = [0, 1, 2].map(|k| batch.number(k, row));
            let contact_frame = batch.numbers[2].is_valid(row).then_some(contact);
            let (body_a, body_b) = (batch.text(0, row)?, batch.text(1, row)?);
            let this = PairBetween { body_a, body_b, lower_m, upper_m, run, frame, contact_frame };
            let is_same = |pair: &PairBetween| pair.body_a == this.body_a && pair.body_b == this.body_b;
            match nearest.iter().position(is_same) {
                Some(known) if !is_nearer(upper(&this), upper(&nearest[known])) => continue,
                Some(known) => drop(nearest.remove(known)),
                None => {}
            }
            let at = nearest.partition_point(|pair| !is_nearer(upper(&this), upper(pair)));
            nearest.insert(at, this);
            nearest.truncate(count);
        }
    }
    Ok(nearest)
}

/// The least distance of a pair of bodies in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairOfRun {
    /// Run, and the indices of the bodies in the scene.
    pub pair: RunPair,
    /// Smallest signed distance over the samples, metres; `None` if the pair comes near between frames only.
    pub distance_m: Option<f64>,
    /// Upper end of the least distance over samples and intervals, metres; `None` where nothing is proven.
    pub upper_m: Option<f64>,
}

/// Hands each row of `pairs.parquet` in the output directory `dir` to `each`, in the order of the table.
///
/// # Errors
/// As for [`worst_pairs`].
pub fn read_pairs(dir: &Path, mut each: impl FnMut(PairOfRun)) -> Result<()> {
    let path = dir.join("pairs.parquet");
    let between = "min_between_upper_m";
    let has_intervals = open(&path)?.schema().index_of(between).is_ok();
    let mut distances = vec!["min_distance_m", "upper_m"];
    distances.extend(has_intervals.then_some(between));
    let mut table = SummaryReader::open(path, &["run", "a_index", "b_index"], &distances, &[])?;
    while let Some(batch) = table.next()? {
        for row in 0..batch.rows {
            let [a, b] = [1, 2].map(|column| batch.number(column, row) as i32);
            let float = |column: usize| batch.optional_float(column, row);
            let between = if has_intervals { float(2) } else { None };
            let uppers = [float(1), between].into_iter().flatten();
            each(PairOfRun {
                pair: RunPair { run: batch.number(0, row), a, b },
                distance_m: float(0),
                upper_m: uppers.reduce(f64::min),
            });
        }
    }
    Ok(())
}

/// The `count` worst runs, from `runs.parquet` in `dir`: by number of violations, then by distance, then in the order
/// of the table.
///
/// # Errors
/// As for [`worst_pairs`].
pub fn worst_runs(dir: &Path, count: usize) -> Result<Vec<RunLine>> {
    let path = dir.join("runs.parquet");
    let of_intervals = "intervals_violated";
    let has_intervals = open(&path)?.schema().index_of(of_intervals).is_ok();
    let mut numbers = vec!["run", "frames", "rows", "violated", "frame_of_min"];
    numbers.extend(has_intervals.then_some(of_intervals));
    let mut table = SummaryReader::open(path, &numbers, &["min_distance_m"], &["body_a", "body_b"])?;
    let mut runs: Vec<RunLine> = Vec::with_capacity(count + 1);
    let worse = |a: &RunLine, b: &RunLine| {
        let distance = |line: &RunLine| line.worst.as_ref().map_or(f64::INFINITY, |worst| worst.0);
        let violated = |line: &RunLine| line.violated + line.intervals_violated;
        violated(a) > violated(b) || (violated(a) == violated(b) && is_nearer(distance(a), distance(b)))
    };
    while let Some(batch) = table.next()? {
        let distances = batch.float(0);
        for row in 0..batch.rows {
            let [run, frames, rows, violated, frame] = [0, 1, 2, 3, 4].map(|k| batch.number(k, row));
            let worst = if distances.is_null(row) {
                None
            } else {
                Some((distances.value(row), batch.text(0, row)?, batch.text(1, row)?, frame))
            };
            let intervals_violated = if has_intervals { batch.number(5, row) } else { 0 };
            let line = RunLine { run, frames, rows, violated, intervals_violated, worst };
            let at = runs.partition_point(|other| !worse(&line, other));
            runs.insert(at, line);
            runs.truncate(count);
        }
    }
    Ok(runs)
}

/// Whether distance `a` is less than `b`. NaN counts as greater than every number.
fn is_nearer(a: f64, b: f64) -> bool {
    a < b || (b.is_nan() && !a.is_nan())
}

/// Reads selected columns of a summary table, batch by batch.
pub(super) struct SummaryReader {
    path: PathBuf,
    reader: ParquetRecordBatchReader,
    /// Names of the integer, distance and text columns.
    names: [Vec<&'static str>; 3],
}

impl SummaryReader {
    pub(super) fn open(
        path: PathBuf,
        numbers: &[&'static str],
        distances: &[&'static str],
        texts: &[&'static str],
    ) -> Result<Self> {
        let builder = open(&path)?;
        let wanted = [numbers, distances, texts].concat();
        let mut roots = Vec::with_capacity(wanted.len());
        for name in &wanted {
            let root = builder.schema().index_of(name);
            roots.push(root.map_err(|_| invalid(&path, format!("has no column `{name}`")))?);
        }
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let reader = guard(&path, || Ok(builder.with_projection(mask).build()?))?;
        Ok(Self { path, reader, names: [numbers.to_vec(), distances.to_vec(), texts.to_vec()] })
    }

    pub(super) fn next(&mut self) -> Result<Option<CheckedBatch>> {
        let Some(batch) = guard(&self.path, || self.reader.next().transpose())? else { return Ok(None) };
        let columns = |names: &[&str], fits: fn(&DataType) -> bool| {
            let found = names.iter().map(|name| batch.column_by_name(name).filter(|c| fits(c.data_type())).cloned());
            found.collect::<Option<Vec<ArrayRef>>>()
        };
        let is_text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::Dictionary(..));
        let [numbers, distances, texts] = &self.names;
        let numbers = columns(numbers, |kind| matches!(kind, DataType::Int64 | DataType::Int32));
        let distances = columns(distances, |kind| *kind == DataType::Float64);
        match (numbers, distances, columns(texts, is_text)) {
            (Some(numbers), Some(distances), Some(texts)) => {
                Ok(Some(CheckedBatch { rows: batch.num_rows(), numbers, distances, texts, path: self.path.clone() }))
            }
            _ => Err(invalid(&self.path, "has columns of other types".to_owned())),
        }
    }
}

/// The selected columns of a batch, with checked types.
pub(super) struct CheckedBatch {
    pub(super) rows: usize,
    numbers: Vec<ArrayRef>,
    distances: Vec<ArrayRef>,
    texts: Vec<ArrayRef>,
    path: PathBuf,
}

impl CheckedBatch {
    pub(super) fn number(&self, column: usize, row: usize) -> i64 {
        match self.numbers[column].as_primitive_opt::<Int32Type>() {
            Some(narrow) => narrow.value(row).into(),
            None => self.numbers[column].as_primitive::<Int64Type>().value(row),
        }
    }

    pub(super) fn optional_number(&self, column: usize, row: usize) -> Option<i64> {
        self.numbers[column].is_valid(row).then(|| self.number(column, row))
    }

    /// A finite number; `None` of a null.
    pub(super) fn optional_float(&self, column: usize, row: usize) -> Option<f64> {
        let floats = self.float(column);
        floats.is_valid(row).then(|| floats.value(row)).filter(|value| value.is_finite())
    }

    pub(super) fn float(&self, column: usize) -> &arrow_array::Float64Array {
        self.distances[column].as_primitive::<Float64Type>()
    }

    pub(super) fn text(&self, column: usize, row: usize) -> Result<String> {
        let one = arrow_cast::cast(&self.texts[column].slice(row, 1), &DataType::Utf8)
            .map_err(|error| invalid(&self.path, format!("cannot be decoded ({error})")))?;
        let one = one.as_string::<i32>();
        Ok(if one.is_null(0) { String::new() } else { one.value(0).to_owned() })
    }
}

/// Opens a table of a finished execution, its footer and its pages checked.
///
/// # Errors
/// It is no regular file, or no table that clearsweep wrote.
pub(super) fn open(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    /// Rows decoded at a time.
    const BATCH_ROWS: usize = 8192;
    open_with(path, BATCH_ROWS)
}

/// Opens a table as [`open`] does, to be decoded in batches of at most so many rows.
///
/// # Errors
/// Those of [`open`].
pub(super) fn open_with(path: &Path, batch_rows: usize) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let (file, bytes) = regular_file::open(path).map_err(|error| invalid(path, format!("cannot be read ({error})")))?;
    parquet_footer::check(path, &file, bytes)?;
    let again = file.try_clone().map_err(|error| Error::unreadable(path, &error))?;
    let builder = guard(path, || Ok(ParquetRecordBatchReaderBuilder::try_new(file)?))?;
    let roots: Vec<usize> = (0..builder.schema().fields().len()).collect();
    parquet_pages::check_rows(path, builder.metadata())?;
    let mut claims = PageClaims::default();
    for group in 0..builder.metadata().num_row_groups() {
        claims.add(&parquet_pages::check(path, &again, builder.metadata(), group, &roots)?);
    }
    Ok(builder.with_batch_size(claims.batch_rows(batch_rows)))
}

/// Rows of a Parquet file, by its footer.
///
/// # Errors
/// It cannot be read.
pub(super) fn rows_of(path: &Path) -> Result<u64> {
    let (file, bytes) = regular_file::open(path).map_err(|error| invalid(path, format!("cannot be read ({error})")))?;
    parquet_footer::check(path, &file, bytes)?;
    let builder = guard(path, || Ok(ParquetRecordBatchReaderBuilder::try_new(file)?))?;
    Ok(builder.metadata().file_metadata().num_rows().unsigned_abs())
}

/// Runs the decoder. Should it panic on damaged bytes, that is an error too.
pub(super) fn guard<T>(path: &Path, run: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    match guarded(run) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(invalid(path, format!("cannot be decoded ({error})"))),
        None => Err(invalid(path, "cannot be decoded (the Parquet decoder gave up)".to_owned())),
    }
}

/// The error for a file that is not a summary of clearsweep.
pub(super) fn invalid(path: &Path, problem: String) -> Error {
    Error::input(path.display(), problem, "give the output directory of a finished `clearsweep run`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_without_a_value_come_last() {
        assert!(is_nearer(-1.0, 0.0) && is_nearer(3.0, f64::NAN));
        assert!(!is_nearer(f64::NAN, 3.0) && !is_nearer(f64::NAN, f64::NAN) && !is_nearer(0.0, 0.0));
    }
}
