//! Reading of the rows of chosen pairs of bodies in chosen runs.

use super::export::files;
use super::report::{guard, invalid, open_with};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, Float64Array, PrimitiveArray, RecordBatch};
use clearsweep_base::error::Result;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::statistics::Statistics;
use rustc_hash::FxHashSet;
use std::fs::File;
use std::path::Path;

/// Rows decoded at a time.
const BATCH_ROWS: usize = 65_536;

/// A pair of bodies in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunPair {
    /// Run.
    pub run: i64,
    /// Index of body A in the scene.
    pub a: i32,
    /// Index of body B in the scene.
    pub b: i32,
}

/// A row of `distances`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceLine {
    /// Frame.
    pub frame: i64,
    /// Time, seconds.
    pub time_s: Option<f64>,
    /// Signed distance, metres.
    pub distance_m: f64,
    /// Proven bracket, metres; an end is `None` where it is not proven.
    pub bracket_m: [Option<f64>; 2],
    /// Distance along a direction and its bracket, metres; `None` where none was asked, or it has no end.
    pub directional_m: [Option<f64>; 3],
    /// Witness points on A and B and the unit normal, world frame, metres; `None` if the table has no such columns.
    pub witness: Option<[[f64; 3]; 3]>,
}

/// A row of `intervals`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalLine {
    /// Both frames.
    pub frames: [i64; 2],
    /// Their times, seconds.
    pub times_s: [Option<f64>; 2],
    /// Proven bracket of the least distance, metres; an end is `None` where it is not proven.
    pub bracket_m: [Option<f64>; 2],
    /// Shares of the interval between which all times of least distance lie.
    pub closest: [f64; 2],
}

/// Hands the rows of `distances` of the wanted pairs to `each`, in the order of the table. Row groups without such a run or body are not
/// decoded.
///
/// # Errors
/// The table is missing, clearsweep did not write it, or `each` fails.
pub fn read_distances(
    dir: &Path,
    wanted: &FxHashSet<RunPair>,
    mut each: impl FnMut(RunPair, DistanceLine) -> Result<()>,
) -> Result<()> {
    /// Columns that every table of distances has, then those that it may have.
    const COLUMNS: [&str; 17] = [
        "frame",
        "time_s",
        "distance_m",
        "lower_m",
        "upper_m",
        "directional_m",
        "directional_lower_m",
        "directional_upper_m",
        "a_x",
        "a_y",
        "a_z",
        "b_x",
        "b_y",
        "b_z",
        "n_x",
        "n_y",
        "n_z",
    ];
    read_rows(dir, "distances", &COLUMNS, wanted, |columns, pair, row| {
        let float = |name| columns.float(name, row);
        let triple = |names: [&str; 3]| {
            let [x, y, z] = names.map(|name| columns.float(name, row));
            Some([x?, y?, z?])
        };
        let witness =
            || Some([triple(["a_x", "a_y", "a_z"])?, triple(["b_x", "b_y", "b_z"])?, triple(["n_x", "n_y", "n_z"])?]);
        let line = DistanceLine {
            frame: columns.integer("frame", row)?,
            time_s: float("time_s"),
            distance_m: float("distance_m").unwrap_or(f64::NAN),
            bracket_m: [float("lower_m"), float("upper_m")],
            directional_m: ["directional_m", "directional_lower_m", "directional_upper_m"].map(float),
            witness: witness(),
        };
        each(pair, line)
    })
}

/// Hands the rows of `intervals` of the wanted pairs to `each`, as [`read_distances`] does.
///
/// # Errors
/// The table is missing (the execution says nothing about intervals), clearsweep did not write it, or `each` fails.
pub fn read_intervals(
    dir: &Path,
    wanted: &FxHashSet<RunPair>,
    mut each: impl FnMut(RunPair, IntervalLine) -> Result<()>,
) -> Result<()> {
    const COLUMNS: [&str; 8] =
        ["frame", "frame_next", "time_s", "time_next_s", "lower_m", "upper_m", "closest_lo", "closest_hi"];
    read_rows(dir, "intervals", &COLUMNS, wanted, |columns, pair, row| {
        let float = |name| columns.float(name, row);
        let line = IntervalLine {
            frames: [columns.integer("frame", row)?, columns.integer("frame_next", row)?],
            times_s: [float("time_s"), float("time_next_s")],
            bracket_m: [float("lower_m"), float("upper_m")],
            closest: [float("closest_lo").unwrap_or(0.0), float("closest_hi").unwrap_or(1.0)],
        };
        each(pair, line)
    })
}

/// Hands the rows of the wanted pairs to `each`, with the columns of `names` that the table has.
fn read_rows(
    dir: &Path,
    table: &str,
    names: &[&str],
    wanted: &FxHashSet<RunPair>,
    mut each: impl FnMut(&RowColumns<'_>, RunPair, usize) -> Result<()>,
) -> Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    let keys = WantedKeys::new(wanted);
    for path in files(dir, table)? {
        let builder = open_with(&path, BATCH_ROWS)?;
        let groups = keys.row_groups(&builder);
        if groups.is_empty() {
            continue;
        }
        let roots = ["run", "a_index", "b_index"].iter().chain(names);
        let roots: Vec<usize> = roots.filter_map(|name| builder.schema().index_of(name).ok()).collect();
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let mut reader = guard(&path, || Ok(builder.with_row_groups(groups).with_projection(mask).build()?))?;
        while let Some(batch) = guard(&path, || reader.next().transpose())? {
            let columns = RowColumns { batch: &batch, path: &path };
            let runs = columns.of::<Int64Type>("run")?;
            let [a, b] = [columns.of::<Int32Type>("a_index")?, columns.of::<Int32Type>("b_index")?];
            for row in 0..batch.num_rows() {
                let pair = RunPair { run: runs.value(row), a: a.value(row), b: b.value(row) };
                if wanted.contains(&pair) {
                    each(&columns, pair, row)?;
                }
            }
        }
    }
    Ok(())
}

/// The runs and first bodies of wanted pairs, ascending.
struct WantedKeys {
    runs: Vec<i64>,
    bodies: Vec<i64>,
}

impl WantedKeys {
    fn new(wanted: &FxHashSet<RunPair>) -> Self {
        let sorted = |mut keys: Vec<i64>| {
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        let (runs, bodies) = wanted.iter().map(|pair| (pair.run, i64::from(pair.a))).unzip();
        Self { runs: sorted(runs), bodies: sorted(bodies) }
    }

    /// The row groups that may hold a wanted pair, by their statistics.
    fn row_groups(&self, builder: &ParquetRecordBatchReaderBuilder<File>) -> Vec<usize> {
        let column = |name: &str| builder.schema().index_of(name).ok();
        let (run, body) = (column("run"), column("a_index"));
        let groups = builder.metadata().row_groups().iter().enumerate();
        groups
            .filter(|(_, group)| may_hold(group, run, &self.runs) && may_hold(group, body, &self.bodies))
            .map(|(index, _)| index)
            .collect()
    }
}

/// Whether a column of a row group may hold one of the sorted keys.
fn may_hold(group: &RowGroupMetaData, column: Option<usize>, keys: &[i64]) -> bool {
    let ends = |column: usize| match group.column(column).statistics()? {
        Statistics::Int32(of) => Some([i64::from(*of.min_opt()?), i64::from(*of.max_opt()?)]),
        Statistics::Int64(of) => Some([*of.min_opt()?, *of.max_opt()?]),
        _ => None,
    };
    let Some([least, greatest]) = column.and_then(ends) else { return true };
    keys.get(keys.partition_point(|&key| key < least)).is_some_and(|&key| key <= greatest)
}

/// The columns of a batch by their names.
struct RowColumns<'b> {
    batch: &'b RecordBatch,
    path: &'b Path,
}

impl RowColumns<'_> {
    fn of<T: arrow_array::ArrowPrimitiveType>(&self, name: &str) -> Result<&PrimitiveArray<T>> {
        let column = self.batch.column_by_name(name).and_then(|column| column.as_primitive_opt());
        column.ok_or_else(|| invalid(self.path, format!("has no column `{name}` of the right type")))
    }

    fn integer(&self, name: &str, row: usize) -> Result<i64> {
        Ok(self.of::<Int64Type>(name)?.value(row))
    }

    /// A finite number; `None` of a null, and where there is no such column.
    fn float(&self, name: &str, row: usize) -> Option<f64> {
        let column: &Float64Array = self.batch.column_by_name(name)?.as_primitive_opt::<Float64Type>()?;
        column.is_valid(row).then(|| column.value(row)).filter(|value| value.is_finite())
    }
}
