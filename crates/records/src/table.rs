//! Rows of the tables of a finished result.

use super::body::Body;
use super::catalogue::table;
use super::cell::Text;
use super::file::{guard, invalid, open};
use super::record::{ColumnFault, StoredRecord};
use clearsweep_base::error::{Error, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::statistics::Statistics;
use rustc_hash::FxHashSet;
use std::collections::HashSet;
use std::fs::File;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 8192;

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

/// A row about a pair of bodies in a frame, or after it.
pub trait OfPair {
    /// The pair.
    fn pair(&self) -> RunPair;

    /// The frame.
    fn frame(&self) -> i64;

    /// Returns the bracket of the distance, metres; an end is `None` if it is not proven.
    fn bracket_m(&self) -> [Option<f64>; 2];

    /// Indices of the bodies.
    fn bodies(&self) -> [u32; 2] {
        let RunPair { a, b, .. } = self.pair();
        [a as u32, b as u32]
    }
}

macro_rules! of_pair {
    ($($record:ident),*) => {
        $(impl OfPair for super::$record {
            fn pair(&self) -> RunPair {
                RunPair { run: self.run, a: self.a_index, b: self.b_index }
            }

            fn frame(&self) -> i64 {
                self.frame
            }

            fn bracket_m(&self) -> [Option<f64>; 2] {
                [self.lower_m, self.upper_m].map(|end| end.filter(|end| end.is_finite()))
            }
        })*
    };
}

of_pair!(DistanceBracket, DistanceLine, IntervalContact, IntervalLine);

/// A stored table, of which the columns of `R` are read.
///
/// ```text
/// use clearsweep_records::{Table, WorstPair};
///
/// for pair in Table::<WorstPair>::open("results".as_ref())?.rows() {
///     println!("{:?}", pair?.min_distance_m);
/// }
/// ```
pub struct Table<R> {
    files: Vec<PathBuf>,
    record: PhantomData<R>,
}

impl<R: StoredRecord> Table<R> {
    /// Finds the table in the result `dir`.
    ///
    /// # Errors
    /// The table is missing.
    pub fn open(dir: &Path) -> Result<Self> {
        Ok(Self { files: table(R::TABLE)?.files(dir)?, record: PhantomData })
    }

    /// Reads all rows in their order. An item is an error if a file is missing or is no such table.
    pub fn rows(self) -> Rows<R> {
        Rows { files: self.files.into_iter(), keys: None, reader: None, rows: Vec::new().into_iter() }
    }

    /// Reads the rows of `wanted` pairs. Row groups without such a run or body are not decoded.
    pub fn of_pairs(self, wanted: &FxHashSet<RunPair>) -> impl Iterator<Item = Result<R>>
    where
        R: OfPair,
    {
        let files = if wanted.is_empty() { Vec::new() } else { self.files };
        let keys = Some(WantedKeys::new(wanted));
        let rows = Rows { files: files.into_iter(), keys, reader: None, rows: Vec::new().into_iter() };
        rows.filter(|row: &Result<R>| row.as_ref().map_or(true, |row| wanted.contains(&row.pair())))
    }
}

/// The rows of a stored table, file by file.
pub struct Rows<R> {
    files: std::vec::IntoIter<PathBuf>,
    /// Keys of the rows that are wanted; `None`: all.
    keys: Option<WantedKeys>,
    reader: Option<(PathBuf, ParquetRecordBatchReader)>,
    rows: std::vec::IntoIter<R>,
}

impl<R: StoredRecord> Rows<R> {
    /// Decodes the next batch; `false`: there is none.
    fn advance(&mut self) -> Result<bool> {
        if let Some((path, reader)) = &mut self.reader {
            if let Some(batch) = guard(path, || reader.next().transpose())? {
                self.rows = R::decode(&batch).map_err(|fault| faulty(path, fault))?.into_iter();
                return Ok(true);
            }
            self.reader = None;
        }
        let Some(path) = self.files.next() else { return Ok(false) };
        let mut builder = open(&path, BATCH_ROWS)?;
        let mut roots = Vec::with_capacity(R::COLUMNS.len());
        for &(name, is_optional) in R::COLUMNS {
            match builder.schema().index_of(name) {
                Ok(root) => roots.push(root),
                Err(_) if is_optional => {}
                Err(_) => return Err(faulty(&path, ColumnFault::Missing(name))),
            }
        }
        if let Some(keys) = &self.keys {
            let groups = keys.row_groups(&builder);
            builder = builder.with_row_groups(groups);
        }
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        self.reader = Some((path.clone(), guard(&path, || Ok(builder.with_projection(mask).build()?))?));
        Ok(true)
    }
}

impl<R: StoredRecord> Iterator for Rows<R> {
    type Item = Result<R>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.rows.next() {
                return Some(Ok(row));
            }
            match self.advance() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    (self.reader, self.files) = (None, Vec::new().into_iter());
                    return Some(Err(error));
                }
            }
        }
    }
}

fn faulty(path: &Path, fault: ColumnFault) -> Error {
    match fault {
        ColumnFault::Missing(name) => invalid(path, format!("has no column `{name}`")),
        ColumnFault::Type(name) => invalid(path, format!("has values of another type in its column `{name}`")),
    }
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

    /// Returns the row groups that may hold a wanted pair, by their statistics.
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

/// Returns the names of the bodies whose figures are of hulls, from the result `dir`. Empty for an
/// execution from before the column `convex`.
///
/// The table is missing, or clearsweep did not write it.
pub fn bodies_of_hulls(dir: &Path) -> Result<HashSet<Text>> {
    let bodies = Table::<Body>::open(dir)?.rows().collect::<Result<Vec<_>>>()?;
    Ok(bodies.into_iter().filter(|body| body.convex == Some(false)).map(|body| body.body).collect())
}
