//! One Parquet file of the input: its metadata, checked at opening, and its row groups, decoded one by one.

use super::columns::Columns;
use super::decode::{self, Defects};
use super::files::{Found, HiveRun};
use super::footer;
use crate::error::{Error, Result};
use crate::scene::model::LengthUnit;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::statistics::Statistics;
use std::fs::File;
use std::io::BufReader;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

/// Rows decoded at a time: their pose columns stay in the second-level cache until they are laid out.
pub(super) const BATCH_ROWS: usize = 16_384;

/// What the Parquet decoder says.
type Decoded<T> = std::result::Result<T, ParquetError>;

/// A checked file.
pub(super) struct Source {
    /// Its path, as found.
    pub(super) path: Arc<Path>,
    /// The run that a directory level supplies.
    pub(super) run: Option<HiveRun>,
    /// Which column is which.
    pub(super) columns: Columns,
    /// Its row groups that have rows, in order.
    pub(super) groups: Vec<Group>,
    /// Rows.
    pub(super) rows: u64,
    /// Size, bytes.
    pub(super) bytes: u64,
    /// Reads names as strings.
    plain: ArrowReaderMetadata,
    /// Reads names as a dictionary: only for chunks that are stored as one.
    dictionary: ArrowReaderMetadata,
}

/// A row group.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// Its number in the file.
    pub(super) index: usize,
    /// The row of the file it begins with.
    pub(super) first_row: u64,
    /// Its rows; never 0.
    pub(super) rows: u64,
    /// Least and greatest run, where the file says so.
    pub(super) runs: Option<(i64, i64)>,
    /// Least and greatest frame, where the file says so.
    pub(super) frames: Option<(i64, i64)>,
}

impl Source {
    /// Opens and checks a file. Lengths are in `unit` unless a field says otherwise.
    ///
    /// # Errors
    /// The file is unreadable, no Parquet file, or its columns do not fit.
    pub(super) fn open(found: &Found, unit: LengthUnit) -> Result<Self> {
        let path: Arc<Path> = Arc::from(found.path.as_path());
        let file = BoundedFile::open(&path)?;
        footer::check(&path, &file.file, file.bytes)?;
        let inferred = guard(&path, None, || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))?;
        let columns = Columns::resolve(&path, inferred.schema(), unit)?;
        let keyed = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let plain = with_names_as(&path, &inferred, columns.body.index, DataType::Utf8)?;
        let dictionary = with_names_as(&path, &inferred, columns.body.index, keyed)?;
        let groups = groups(&path, &inferred, &columns)?;
        Ok(Self {
            rows: groups.iter().map(|group| group.rows).sum(),
            bytes: file.bytes,
            run: found.run.filter(|run| run.inside || columns.run.is_none()),
            path,
            columns,
            groups,
            plain,
            dictionary,
        })
    }

    /// Begins to decode columns (root indices, ascending) of a row group.
    ///
    /// # Errors
    /// The file cannot be opened any more, or the row group does not decode.
    pub(super) fn read(&self, group: &Group, columns: &[usize], batch_rows: usize) -> Result<GroupReader<'_>> {
        let file = BoundedFile::open(&self.path)?;
        let keyed = self.chunk(group, self.columns.body.index).is_some_and(|chunk| {
            // A chunk without a dictionary page would be hashed into one, name by name.
            chunk.dictionary_page_offset().is_some()
        });
        let metadata = if keyed { &self.dictionary } else { &self.plain };
        let rows = usize::try_from(group.rows).unwrap_or(usize::MAX);
        let reader = guard(&self.path, Some(group.index), || {
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
                .with_projection(ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied()))
                .with_row_groups(vec![group.index])
                .with_batch_size(batch_rows.min(rows))
                .build()
        })?;
        Ok(GroupReader { path: &self.path, group: group.index, left: group.rows, row: group.first_row, reader })
    }

    /// The chunk of a root column in a row group; `None` if it is nested.
    pub(super) fn chunk(&self, group: &Group, root: usize) -> Option<&ColumnChunkMetaData> {
        chunk(&self.plain, group.index, root)
    }

    /// The key (run, frame) of the first row; `None` where there are no rows.
    ///
    /// # Errors
    /// The first row group does not decode, or its first key is none.
    pub(super) fn first_key(&self) -> Result<Option<(i64, i64)>> {
        let Some(group) = self.groups.first() else { return Ok(None) };
        let columns = self.columns.keys();
        let mut reader = self.read(group, &columns, 1)?;
        let Some((row, batch)) = reader.next()? else { return Ok(None) };
        let mut defects = Defects::new(&self.path, row, batch.num_rows());
        let run = decode::runs(self, &columns, &batch, &mut defects)?;
        let frame = decode::frames(self, &columns, &batch, &mut defects)?;
        match defects.into_error() {
            Some(error) => Err(error),
            None => Ok(frame.first().map(|&frame| (run.at(0), frame))),
        }
    }
}

/// The row groups that have rows.
fn groups(path: &Path, metadata: &ArrowReaderMetadata, columns: &Columns) -> Result<Vec<Group>> {
    let range = |index: usize, root: usize| {
        let field: &Field = metadata.schema().field(root);
        integer_range(chunk(metadata, index, root)?, is_unsigned(field.data_type()))
    };
    let mut first_row = 0_u64;
    let mut groups = Vec::new();
    for (index, group) in metadata.metadata().row_groups().iter().enumerate() {
        let rows = u64::try_from(group.num_rows()).ok().filter(|&rows| rows <= i64::MAX as u64 - first_row);
        let rows = rows.ok_or_else(|| {
            Error::input(in_group(path, index), format!("claims to hold {} rows", group.num_rows()), DAMAGED)
        })?;
        if rows > 0 {
            let runs = columns.run.as_ref().and_then(|column| range(index, column.index));
            groups.push(Group { index, first_row, rows, runs, frames: range(index, columns.frame.index) });
        }
        first_row += rows;
    }
    Ok(groups)
}

fn is_unsigned(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => values.is_unsigned_integer(),
        kind => kind.is_unsigned_integer(),
    }
}

/// Least and greatest value of a chunk of integers, where it says so and both are an `i64`.
fn integer_range(chunk: &ColumnChunkMetaData, unsigned: bool) -> Option<(i64, i64)> {
    let statistics = chunk.statistics()?;
    // The deprecated statistics order all integers as signed ones.
    if unsigned && statistics.is_min_max_deprecated() {
        return None;
    }
    let (min, max) = match statistics {
        Statistics::Int32(s) if unsigned => {
            (i64::from(s.min_opt()?.cast_unsigned()), i64::from(s.max_opt()?.cast_unsigned()))
        }
        Statistics::Int32(s) => (i64::from(*s.min_opt()?), i64::from(*s.max_opt()?)),
        Statistics::Int64(s) => (*s.min_opt()?, *s.max_opt()?),
        _ => return None,
    };
    // An unsigned value beyond i64 reads as a negative one here.
    (min <= max && !(unsigned && min < 0)).then_some((min, max))
}

/// The chunk of a root column that is not nested.
fn chunk(metadata: &ArrowReaderMetadata, group: usize, root: usize) -> Option<&ColumnChunkMetaData> {
    let schema = metadata.parquet_schema();
    let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == root)?;
    metadata.metadata().row_groups().get(group)?.columns().get(leaf)
}

/// The same file, but with the root column `names` read as `kind`.
fn with_names_as(
    path: &Path,
    inferred: &ArrowReaderMetadata,
    names: usize,
    kind: DataType,
) -> Result<ArrowReaderMetadata> {
    let mut fields: Vec<_> = inferred.schema().fields().iter().cloned().collect();
    let Some(field) = fields.get_mut(names) else { return Ok(inferred.clone()) };
    *field = Arc::new(field.as_ref().clone().with_data_type(kind));
    let schema = Arc::new(Schema::new_with_metadata(fields, inferred.schema().metadata().clone()));
    guard(path, None, || {
        ArrowReaderMetadata::try_new(Arc::clone(inferred.metadata()), ArrowReaderOptions::new().with_schema(schema))
    })
}

/// Decodes a row group in batches.
pub(super) struct GroupReader<'a> {
    path: &'a Path,
    group: usize,
    left: u64,
    row: u64,
    reader: ParquetRecordBatchReader,
}

impl GroupReader<'_> {
    /// The next batch, with the row of the file it begins with.
    ///
    /// # Errors
    /// The row group does not decode, or holds another number of rows than its metadata says.
    pub(super) fn next(&mut self) -> Result<Option<(u64, RecordBatch)>> {
        let batch = guard(self.path, Some(self.group), || self.reader.next().transpose().map_err(ParquetError::from))?;
        let rows = batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
        if rows > self.left || (batch.is_none() && self.left > 0) {
            return Err(Error::input(
                in_group(self.path, self.group),
                "does not hold as many rows as its metadata says",
                DAMAGED,
            ));
        }
        let first = self.row;
        self.left -= rows;
        self.row += rows;
        Ok(batch.map(|batch| (first, batch)))
    }
}

const DAMAGED: &str = "the file is damaged: write it again";

/// The place of a row group, for messages.
fn in_group(path: &Path, group: usize) -> String {
    format!("{}, row group {group}", path.display())
}

/// Runs the Parquet decoder. Should it panic on hostile bytes, that is an error too.
fn guard<T>(path: &Path, group: Option<usize>, run: impl FnOnce() -> Decoded<T>) -> Result<T> {
    let place = || group.map_or_else(|| path.display().to_string(), |group| in_group(path, group));
    match std::panic::catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(Error::input(place(), format!("cannot be decoded ({error})"), DAMAGED)),
        Err(_) => Err(Error::input(place(), "cannot be decoded (the Parquet decoder gave up)", DAMAGED)),
    }
}

/// A file that refuses to read past its end before anything is allocated for it.
struct BoundedFile {
    file: File,
    bytes: u64,
}

impl BoundedFile {
    fn open(path: &Path) -> Result<Self> {
        let unreadable = |error| Error::unreadable(path, &error);
        let file = File::open(path).map_err(unreadable)?;
        let bytes = file.metadata().map_err(unreadable)?.len();
        Ok(Self { file, bytes })
    }
}

impl Length for BoundedFile {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for BoundedFile {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> Decoded<Self::T> {
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Decoded<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.bytes) {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} lie beyond the end of the file")));
        }
        self.file.get_bytes(start, length)
    }
}
