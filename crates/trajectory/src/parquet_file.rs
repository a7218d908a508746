//! One Parquet file of the input: its metadata, checked at opening, and its row groups, decoded one
//! by one.

use super::column_format::ColumnFormat;
use super::columns::Columns;
use super::group::Group;
use super::input_bytes::{InputBytes, OpenBytes};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use clearsweep_base::error::{Error, Result};
use clearsweep_input_guard::{DAMAGED, guarded, parquet_footer, parquet_pages};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::statistics::Statistics;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// The result of the Parquet decoder.
type Decoded<T> = std::result::Result<T, ParquetError>;

/// A checked Parquet file.
pub(super) struct ParquetFile {
    bytes: InputBytes,
    /// Reads names as strings.
    plain: ArrowReaderMetadata,
    /// Reads names as a dictionary: only for chunks that have one.
    dictionary: ArrowReaderMetadata,
}

impl ParquetFile {
    /// Opens and checks a file; with its columns and its row groups.
    ///
    /// # Errors
    /// The file is unreadable, damaged, or its columns do not fit.
    pub(super) fn open(bytes: InputBytes, format: &ColumnFormat) -> Result<(Self, Columns, Vec<Group>)> {
        let path = &*bytes.path;
        let file = BoundedFile::open(&bytes)?;
        let encrypted = parquet_footer::check(path, file.open.clone(), file.bytes)?;
        let inferred = guard(path, None, || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))?;
        let columns = Columns::resolve(path, inferred.schema(), format)?;
        let own = columns.of_file(inferred.schema().fields().len());
        parquet_pages::refuse_encrypted(path, inferred.metadata(), &encrypted, &own)?;
        parquet_pages::check_codecs(path, inferred.metadata(), &own)?;
        let keyed = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let names = columns.poses().ok().map(|poses| poses.body.index).filter(|name| own.contains(name));
        let names = names.filter(|&names| !is_integer(inferred.schema().field(names).data_type()));
        let plain = with_names_as(path, &inferred, names, DataType::Utf8)?;
        let dictionary = with_names_as(path, &inferred, names, keyed)?;
        parquet_pages::check_rows(path, inferred.metadata())?;
        check_empty_groups(path, &file, inferred.metadata(), &own)?;
        let groups = groups(path, &inferred, &columns)?;
        Ok((Self { bytes, plain, dictionary }, columns, groups))
    }

    /// Its columns as they are decoded; names as strings or, row group by row group, as a
    /// dictionary of them.
    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(self.plain.schema())
    }

    /// Begins to decode columns (root indices, ascending) of a row group.
    ///
    /// # Errors
    /// The file cannot be opened any more, or the row group does not decode.
    pub(super) fn read(&self, group: &Group, columns: &[usize], batch_rows: usize) -> Result<RowGroupReader<'_>> {
        let path = &*self.bytes.path;
        self.bytes.prefetch(columns.iter().filter_map(|&root| {
            let (start, length) = self.chunk(group, root)?.byte_range();
            Some(start..start.saturating_add(length))
        }));
        let file = BoundedFile::open(&self.bytes)?;
        let claims = parquet_pages::check(path, file.open.clone(), self.plain.metadata(), group.index, columns)?;
        // A chunk without a dictionary page would be hashed into one, name by name. Names are the
        // only texts.
        let metadata = if claims.has_dictionary { &self.dictionary } else { &self.plain };
        let rows = usize::try_from(group.rows).unwrap_or(usize::MAX);
        let reader = guard(path, Some(group.index), || {
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
                .with_projection(ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied()))
                .with_row_groups(vec![group.index])
                .with_batch_size(claims.batch_rows(batch_rows.min(rows)))
                .build()
        })?;
        Ok(RowGroupReader { path, group: group.index, reader })
    }

    /// The chunk of a root column in a row group; `None` if it is nested.
    pub(super) fn chunk(&self, group: &Group, root: usize) -> Option<&ColumnChunkMetaData> {
        chunk(&self.plain, group.index, root)
    }
}

/// Checks that row groups that claim to have no rows, which are never read, have none.
fn check_empty_groups(path: &Path, file: &BoundedFile, metadata: &ParquetMetaData, columns: &[usize]) -> Result<()> {
    let mut empty = metadata.row_groups().iter().enumerate().filter(|(_, group)| group.num_rows() == 0);
    let check = |(index, _)| parquet_pages::check(path, file.open.clone(), metadata, index, columns).map(|_| ());
    empty.try_for_each(check)
}

/// The row groups that have rows.
fn groups(path: &Path, metadata: &ArrowReaderMetadata, columns: &Columns) -> Result<Vec<Group>> {
    let range = |index: usize, root: usize| {
        let field: &Field = metadata.schema().fields().get(root)?;
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
            let frames = columns.frame.as_ref().and_then(|column| range(index, column.index));
            groups.push(Group { index, first_row, rows, runs, frames });
        }
        first_row += rows;
    }
    Ok(groups)
}

fn is_integer(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => values.is_integer(),
        kind => kind.is_integer(),
    }
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

/// The same file, but with the root column `names`, if it is one of texts, read as `kind`.
fn with_names_as(
    path: &Path,
    inferred: &ArrowReaderMetadata,
    names: Option<usize>,
    kind: DataType,
) -> Result<ArrowReaderMetadata> {
    let mut fields: Vec<_> = inferred.schema().fields().iter().cloned().collect();
    let Some(field) = names.and_then(|names| fields.get_mut(names)) else { return Ok(inferred.clone()) };
    *field = Arc::new(field.as_ref().clone().with_data_type(kind));
    let schema = Arc::new(Schema::new_with_metadata(fields, inferred.schema().metadata().clone()));
    guard(path, None, || {
        ArrowReaderMetadata::try_new(Arc::clone(inferred.metadata()), ArrowReaderOptions::new().with_schema(schema))
    })
}

/// Decodes a row group in batches.
pub(super) struct RowGroupReader<'a> {
    path: &'a Path,
    group: usize,
    reader: ParquetRecordBatchReader,
}

impl RowGroupReader<'_> {
    /// The next batch.
    ///
    /// # Errors
    /// The row group does not decode.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        guard(self.path, Some(self.group), || self.reader.next().transpose().map_err(ParquetError::from))
    }
}

/// The place of a row group, for messages.
pub(super) fn in_group(path: &Path, group: usize) -> String {
    format!("{}, row group {group}", path.display())
}

/// Runs the Parquet decoder. Should it panic on hostile bytes, that is an error too.
fn guard<T>(path: &Path, group: Option<usize>, run: impl FnOnce() -> Decoded<T>) -> Result<T> {
    let place = || group.map_or_else(|| path.display().to_string(), |group| in_group(path, group));
    match guarded(run) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(Error::input(place(), format!("cannot be decoded ({error})"), DAMAGED)),
        None => Err(Error::input(place(), "cannot be decoded (the Parquet decoder gave up)", DAMAGED)),
    }
}

/// A file that refuses to read past its end before anything is allocated for it.
struct BoundedFile {
    open: OpenBytes,
    bytes: u64,
}

/// Bytes read for the header of a page: nearly all are shorter.
const HEADER: usize = 512;

impl BoundedFile {
    fn open(bytes: &InputBytes) -> Result<Self> {
        let (open, bytes) = bytes.open()?;
        Ok(Self { open, bytes })
    }
}

impl Length for BoundedFile {
    fn len(&self) -> u64 {
        self.bytes
    }
}

impl ChunkReader for BoundedFile {
    type T = BufReader<OpenBytes>;

    fn get_read(&self, start: u64) -> Decoded<Self::T> {
        Ok(BufReader::with_capacity(HEADER, self.open.from(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Decoded<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.bytes) {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} lie beyond the end of the file")));
        }
        let mut bytes = Vec::with_capacity(length);
        if self.open.from(start).take(length as u64).read_to_end(&mut bytes)? < length {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} are no longer there")));
        }
        Ok(bytes.into())
    }
}
