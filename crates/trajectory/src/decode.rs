//! From a batch of decoded columns to keys, slots, and poses in metres, every value checked.
//!
//! Checks run over whole columns (they vectorise); only when one fails is the first bad row looked
//! for. The rows before it are still good: the defect is reported when they have been used, so that
//! the message does not depend on where batches are cut.

use super::body_column::BodyColumns;
use super::body_index::BodyIndex;
use super::column_remedies::assignment;
use super::columns::of_arrow;
use super::file_schema::Column;
use super::pose_columns::Orientation;
use super::rows::{Defects, PoseValues, RowKeys, Rows, Runs};
use super::source::Source;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::angles::{AngleUnit, from_roll_pitch_yaw};
use clearsweep_model::{ColumnRole, LengthUnit, TimeUnit};
use std::path::Path;

/// Quaternions may be off norm by this much.
const NORM_TOLERANCE: f64 = 1e-3;

/// Largest time, seconds (the year 5138 where they count from 1970). Milliseconds since 1970 are
/// beyond it.
const LATEST: f64 = 1e11;

impl RowKeys {
    /// Decodes the keys of a batch.
    ///
    /// # Errors
    /// A column cannot be understood at all; bad rows are in `defects`.
    pub(super) fn decode(projection: &[usize], batch: &RecordBatch, defects: &mut Defects<'_>) -> Result<Self> {
        let source = defects.source;
        let run = runs(source, projection, batch, defects)?;
        let frame = frames(source, projection, batch, defects)?;
        let time = time(source, projection, batch, defects)?;
        Ok(Self { label: source.label(), first_row: defects.first_row, len: 0, run, frame, time, defect: None })
    }
}

/// The column of a batch that decoded the root columns `projection` (ascending).
pub(super) fn column<'b>(
    column: &Column,
    projection: &[usize],
    batch: &'b RecordBatch,
    path: &Path,
) -> Result<&'b ArrayRef> {
    let found = projection.binary_search(&column.index).ok().and_then(|at| batch.columns().get(at));
    found.ok_or_else(|| Error::internal(path.display(), format!("column `{}` was not decoded", column.name)))
}

/// Integers of any type as `i64`.
fn integers(array: &ArrayRef, name: &str, defects: &mut Defects<'_>) -> Result<ScalarBuffer<i64>> {
    defects.nulls(array, name);
    if let Some(array) = array.as_primitive_opt::<Int64Type>() {
        return Ok(array.values().clone());
    }
    // A value that does not fit becomes a null.
    let cast = arrow_cast::cast(array, &DataType::Int64).map_err(|error| {
        Error::input(defects.source.path.display(), format!("column `{name}`: {error}"), "write integers")
    })?;
    if cast.null_count() > array.null_count() {
        let message =
            |_| (format!("column `{name}` is beyond the range of int64"), "numbers are signed integers".to_owned());
        defects.note(|row| cast.is_null(row), message);
    }
    Ok(cast.as_primitive::<Int64Type>().values().clone())
}

/// The runs of a batch: its column, the directory level, or 0.
pub(super) fn runs(
    source: &Source,
    projection: &[usize],
    batch: &RecordBatch,
    defects: &mut Defects<'_>,
) -> Result<Runs> {
    let Some(names) = &source.columns.run else {
        return Ok(Runs::One(source.run.map_or(0, |run| run.value)));
    };
    let runs = integers(column(names, projection, batch, &source.path)?, &names.name, defects)?;
    if let Some(level) = source.run {
        let message = |row: usize| {
            (
                format!("column `{}` is {}, but the directory level says {}", names.name, runs[row], level.value),
                "move the file below the directory of its run, or drop the column".to_owned(),
            )
        };
        defects.note(|row| runs[row] != level.value, message);
    }
    Ok(Runs::Each(runs))
}

/// The frames of a batch: its column, or the numbers of its rows.
pub(super) fn frames(
    source: &Source,
    projection: &[usize],
    batch: &RecordBatch,
    defects: &mut Defects<'_>,
) -> Result<ScalarBuffer<i64>> {
    let Some(names) = &source.columns.frame else {
        return source.numbered_frames(defects.first_row, batch.num_rows());
    };
    integers(column(names, projection, batch, &source.path)?, &names.name, defects)
}

/// Floating-point numbers as `f64`, finite.
fn floats(array: &ArrayRef, name: &str, defects: &mut Defects<'_>) -> Result<ScalarBuffer<f64>> {
    defects.nulls(array, name);
    let values = if let Some(array) = array.as_primitive_opt::<Float64Type>() {
        array.values().clone()
    } else if let Some(array) = array.as_primitive_opt::<Float32Type>() {
        array.values().iter().map(|&value| f64::from(value)).collect()
    } else if let Some(values) = whole(array) {
        values
    } else {
        return Err(Error::internal(
            defects.source.path.display(),
            format!("column `{name}` has type {}", array.data_type()),
        ));
    };
    defects.not_finite(&values, name);
    Ok(values)
}

/// Whole numbers as floats; `None`: the array holds others.
fn whole(array: &ArrayRef) -> Option<ScalarBuffer<f64>> {
    let floats = arrow_cast::cast(array, &DataType::Float64).ok().filter(|_| array.data_type().is_integer())?;
    Some(floats.as_primitive::<Float64Type>().values().clone())
}

/// Times in seconds, within what seconds can be: numbers, durations, or timestamps, which count
/// from 1970-01-01 00:00 UTC.
fn times(array: &ArrayRef, name: &str, unit: TimeUnit, defects: &mut Defects<'_>) -> Result<ScalarBuffer<f64>> {
    let seconds = seconds(array, name, unit, defects)?;
    if !seconds.iter().fold(true, |fine, time| fine & (time.abs() <= LATEST)) {
        let message = |row: usize| {
            let time = seconds[row];
            // The greatest unit that makes the time plausible is the likeliest.
            let units = [("ms", 1e3), ("us", 1e6), ("ns", 1e9)];
            let plausible = units.iter().filter(|(_, factor)| time.abs() / factor <= LATEST).map(|(word, _)| *word);
            let words = plausible.collect::<Vec<_>>().join(" or ");
            let problem =
                format!("column `{name}` is {time}, which is no plausible time in seconds (at most {LATEST:e})");
            let said = match &*words {
                "" => String::new(),
                words => {
                    let line = assignment(ColumnRole::Time.name(), name, Some("UNIT"));
                    format!("say their unit: write `{line}` in [columns] of the scene (UNIT is {words}), or ")
                }
            };
            let remedy = format!("{said}write a timestamp or a duration (in CSV a text like 2026-03-01T12:00:00.25Z)");
            (problem, remedy)
        };
        defects.note(|row| seconds[row].abs() > LATEST, message);
    }
    Ok(seconds)
}

/// The times of a batch, seconds; `None`: it has none.
pub(super) fn time(
    source: &Source,
    projection: &[usize],
    batch: &RecordBatch,
    defects: &mut Defects<'_>,
) -> Result<Option<ScalarBuffer<f64>>> {
    let Some(names) = &source.columns.time else { return Ok(None) };
    times(column(names, projection, batch, &source.path)?, &names.name, source.columns.time_unit, defects).map(Some)
}

/// As [`times`], whatever the numbers; numbers are in `unit`.
fn seconds(array: &ArrayRef, name: &str, unit: TimeUnit, defects: &mut Defects<'_>) -> Result<ScalarBuffer<f64>> {
    let ticks = match array.data_type() {
        DataType::Timestamp(own, _) | DataType::Duration(own) => {
            let ticks = arrow_cast::cast(array, &DataType::Int64).map_err(|error| {
                let problem = format!("column `{name}`: {error}");
                Error::input(defects.source.path.display(), problem, "write seconds as float64")
            })?;
            (integers(&ticks, name, defects)?, of_arrow(own))
        }
        kind if kind.is_integer() => (integers(array, name, defects)?, unit),
        _ if unit == TimeUnit::Seconds => return floats(array, name, defects),
        _ => return Ok(floats(array, name, defects)?.iter().map(|&time| unit.seconds(time)).collect()),
    };
    let (ticks, unit) = ticks;
    Ok(ticks.iter().map(|&ticks| unit.seconds_of_ticks(ticks)).collect())
}

/// Lengths in metres, finite.
fn lengths(array: &ArrayRef, name: &str, unit: LengthUnit, defects: &mut Defects<'_>) -> Result<ScalarBuffer<f64>> {
    let values = floats(array, name, defects)?;
    if unit.numerator == 1.0 && unit.denominator == 1.0 {
        return Ok(values);
    }
    let metres: ScalarBuffer<f64> = values.iter().map(|&value| unit.metres(value)).collect();
    defects.not_finite(&metres, name);
    Ok(metres)
}

/// x, y, z of a batch, metres.
pub(super) fn positions(
    source: &Source,
    projection: &[usize],
    batch: &RecordBatch,
    defects: &mut Defects<'_>,
) -> Result<[ScalarBuffer<f64>; 3]> {
    let columns = source.columns.poses()?;
    let mut positions: [ScalarBuffer<f64>; 3] = std::array::from_fn(|_| ScalarBuffer::from(Vec::new()));
    for (axis, values) in positions.iter_mut().enumerate() {
        let names = &columns.position[axis];
        let array = column(names, projection, batch, &source.path)?;
        *values = lengths(array, &names.name, columns.units[axis], defects)?;
    }
    Ok(positions)
}

/// The floating-point numbers of a column of a batch, finite.
pub(super) fn numbers(
    source: &Source,
    projection: &[usize],
    batch: &RecordBatch,
    names: &Column,
    defects: &mut Defects<'_>,
) -> Result<ScalarBuffer<f64>> {
    floats(column(names, projection, batch, &source.path)?, &names.name, defects)
}

/// qw, qx, qy, qz of a batch: its columns, those of its angles, or no turn.
fn quaternions(
    source: &Source,
    projection: &[usize],
    batch: &RecordBatch,
    defects: &mut Defects<'_>,
) -> Result<[ScalarBuffer<f64>; 4]> {
    let rows = batch.num_rows();
    let mut q: [ScalarBuffer<f64>; 4] = std::array::from_fn(|_| ScalarBuffer::from(Vec::new()));
    match &source.columns.poses()?.orientation {
        Orientation::Quaternion(columns) => {
            for (values, names) in q.iter_mut().zip(columns) {
                *values = numbers(source, projection, batch, names, defects)?;
            }
            check_norms([&q[0], &q[1], &q[2], &q[3]], defects);
        }
        Orientation::Angles(columns) => {
            let mut halves = [None, None, None];
            for (half, angle) in halves.iter_mut().zip(columns) {
                let Some(angle) = angle else { continue };
                let values = numbers(source, projection, batch, &angle.column, defects)?;
                *half = Some((values, angle.unit));
            }
            let half = |of: &Option<(ScalarBuffer<f64>, AngleUnit)>, row: usize| {
                of.as_ref().map_or((1.0, 0.0), |(values, unit)| unit.cos_sin_of_half(values[row]))
            };
            let mut columns: [Vec<f64>; 4] = std::array::from_fn(|_| Vec::with_capacity(rows));
            for row in 0..rows {
                let turn = from_roll_pitch_yaw(std::array::from_fn(|axis| half(&halves[axis], row)));
                columns.iter_mut().zip(turn).for_each(|(column, component)| column.push(component + 0.0));
            }
            q = columns.map(ScalarBuffer::from);
        }
        Orientation::None { .. } => {
            let zeros = ScalarBuffer::from(vec![0.0; rows]);
            q = [vec![1.0; rows].into(), zeros.clone(), zeros.clone(), zeros];
        }
    }
    Ok(q)
}

/// Refuses quaternions that are off norm.
fn check_norms(q: [&[f64]; 4], defects: &mut Defects<'_>) {
    let squared = |row: usize| {
        let [w, x, y, z] = q.map(|component| component[row]);
        (w * w + x * x) + (y * y + z * z)
    };
    let off = |row: usize| {
        let off = (squared(row).sqrt() - 1.0).abs();
        // NaN is off too.
        !matches!(off.partial_cmp(&NORM_TOLERANCE), Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal))
    };
    // Within a narrower band of the square, no root is needed.
    let (low, high) = (1.0 - 1.9 * NORM_TOLERANCE, 1.0 + 1.9 * NORM_TOLERANCE);
    let rows = q.iter().map(|component| component.len()).min().unwrap_or(0);
    let fine = (0..rows).fold(true, |fine, row| {
        let n = squared(row);
        fine & (n > low) & (n < high)
    });
    if !fine {
        let message = |row: usize| {
            (
                format!("the quaternion's norm is {}, off 1 by more than {NORM_TOLERANCE}", squared(row).sqrt()),
                "write unit quaternions (check the order of qw, qx, qy, qz)".to_owned(),
            )
        };
        defects.note(off, message);
    }
}

/// Decodes batches of the files of an input.
pub(super) struct Decoder<'a> {
    bodies: BodyColumns<'a>,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(body_index: &'a BodyIndex) -> Self {
        Self { bodies: BodyColumns::new(body_index) }
    }

    /// The rows of a batch that decoded all columns of the contract (root indices `projection`,
    /// ascending).
    ///
    /// # Errors
    /// A column cannot be understood at all; bad rows are in [`RowKeys::defect`].
    pub(super) fn rows(
        &mut self,
        source: &Source,
        projection: &[usize],
        first_row: u64,
        batch: &RecordBatch,
    ) -> Result<Rows<PoseValues>> {
        let columns = source.columns.poses()?;
        let of = |names: &Column| column(names, projection, batch, &source.path);
        let mut defects = Defects::new(source, first_row, batch.num_rows());
        let keys = RowKeys::decode(projection, batch, &mut defects)?;
        let slots = self.bodies.slots(of(&columns.body)?, &columns.body.name, &mut defects)?;
        let [x, y, z] = positions(source, projection, batch, &mut defects)?;
        let [qw, qx, qy, qz] = quaternions(source, projection, batch, &mut defects)?;
        let values = PoseValues { slots, pose: [x, y, z, qw, qx, qy, qz] };
        Ok(Rows { keys: keys.until(defects), values })
    }
}
