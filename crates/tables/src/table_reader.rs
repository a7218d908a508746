//! A table of a finished execution as record batches, row group by row group, from its files or
//! from their bytes in memory.

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use clearsweep_base::error::{Error, Result};
use clearsweep_records::file::{guard, open};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of a batch.
const BATCH_ROWS: usize = 65_536;

/// A table that can be read any number of times, from several threads at once.
#[derive(Debug, Clone)]
pub struct StoredTable {
    parts: Arc<[TablePart]>,
    schema: SchemaRef,
    rows: u64,
}

/// A Parquet file.
#[derive(Debug, Clone)]
struct TablePart {
    path: PathBuf,
    /// Its bytes; `None`: they are read from the file.
    bytes: Option<Bytes>,
}

impl StoredTable {
    /// Opens a table of the output directory `dir`, one of
    /// [`CATALOGUE`](clearsweep_records::CATALOGUE).
    ///
    /// # Errors
    /// The table is missing, or clearsweep did not write it.
    pub fn open(dir: &Path, table: &str) -> Result<Self> {
        let (mut parts, mut schema, mut rows) = (Vec::new(), None, 0);
        for path in clearsweep_records::table(table)?.files(dir)? {
            let builder = open(&path, BATCH_ROWS)?;
            rows += builder.metadata().file_metadata().num_rows().unsigned_abs();
            schema.get_or_insert_with(|| Arc::clone(builder.schema()));
            parts.push(TablePart { path, bytes: None });
        }
        let schema = schema.ok_or_else(|| Error::internal(dir.display(), "a table without files"))?;
        Ok(Self { parts: parts.into(), schema, rows })
    }

    /// The same table with the bytes of its files in memory; the files are needed no more.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn in_memory(&self) -> Result<Self> {
        let read = |part: &TablePart| {
            let bytes = std::fs::read(&part.path).map_err(|error| Error::unreadable(&part.path, &error))?;
            Ok(TablePart { path: part.path.clone(), bytes: Some(bytes.into()) })
        };
        let parts = self.parts.iter().map(read).collect::<Result<Vec<_>>>()?;
        Ok(Self { parts: parts.into(), ..self.clone() })
    }

    /// Its columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Number of its rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Reads it from its first row on.
    pub fn read(&self) -> TableReader {
        TableReader { table: self.clone(), next: 0, current: None }
    }
}

/// The rows of a [`StoredTable`].
pub struct TableReader {
    table: StoredTable,
    /// The part to be read after the current one.
    next: usize,
    current: Option<ParquetRecordBatchReader>,
}

impl TableReader {
    /// The next batch.
    ///
    /// # Errors
    /// It cannot be decoded.
    pub(super) fn advance(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let path = |at: usize| self.table.parts[at].path.as_path();
            if let Some(reader) = &mut self.current
                && let Some(batch) = guard(path(self.next - 1), || reader.next().transpose())?
            {
                return Ok(Some(batch));
            }
            let Some(TablePart { path, bytes }) = self.table.parts.get(self.next) else { return Ok(None) };
            self.next += 1;
            self.current = Some(match bytes {
                None => {
                    let builder = open(path, BATCH_ROWS)?;
                    guard(path, || Ok(builder.build()?))?
                }
                Some(bytes) => guard(path, || {
                    Ok(ParquetRecordBatchReaderBuilder::try_new(bytes.clone())?.with_batch_size(BATCH_ROWS).build()?)
                })?,
            });
        }
    }
}

impl Iterator for TableReader {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance().map_err(|error| ArrowError::ComputeError(format!("{error}; {}", error.remedy))).transpose()
    }
}

impl RecordBatchReader for TableReader {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }
}
