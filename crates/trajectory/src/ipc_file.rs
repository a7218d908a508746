//! One Arrow IPC file or stream of the input, decoded record batch by record batch.
//!
//! `clearsweep_input_guard::ipc_messages` has checked every length in it, so that the decoder
//! reserves no more than the file warrants. A record batch may be as large as its writer liked: it
//! is handed on in slices.

use super::column_format::ColumnFormat;
use super::columns::Columns;
use super::input_bytes::{InputBytes, OpenBytes};
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, SchemaRef};
use clearsweep_base::error::Result;
use clearsweep_input_guard::guarded_arrow;
use clearsweep_input_guard::ipc_messages::{self, IpcLayout};
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

/// A checked file.
pub(super) struct IpcFile {
    bytes: InputBytes,
    stream: bool,
}

impl IpcFile {
    /// Opens and checks a file; with its schema, its columns, and the number of its rows.
    ///
    /// # Errors
    /// The file is unreadable, damaged, or its columns do not fit.
    pub(super) fn open(
        bytes: InputBytes,
        stream: bool,
        format: &ColumnFormat,
    ) -> Result<(Self, SchemaRef, Columns, u64)> {
        let layout = match stream {
            false => IpcLayout::File,
            true if bytes.is_spooled() => IpcLayout::Pipe,
            true => IpcLayout::Stream,
        };
        bytes.prefetch_all();
        let (open, length) = bytes.open()?;
        let rows = ipc_messages::check(&bytes.path, open, length, layout)?;
        let file = Self { bytes, stream };
        let schema = file.reader(None)?.schema();
        let columns = Columns::resolve(&file.bytes.path, &schema, format)?;
        Ok((file, schema, columns, rows))
    }

    /// Begins to decode columns (root indices, ascending).
    ///
    /// # Errors
    /// The file cannot be opened any more, or does not decode.
    pub(super) fn read(&self, columns: &[usize], batch_rows: usize) -> Result<BatchReader> {
        let reader = self.reader(Some(columns.to_vec()))?;
        Ok(BatchReader { path: Arc::clone(&self.bytes.path), reader, rest: None, most: batch_rows.max(1) })
    }

    fn reader(&self, projection: Option<Vec<usize>>) -> Result<IpcReader> {
        let file = BufReader::new(self.bytes.open()?.0);
        guarded_arrow(&self.bytes.path, || {
            Ok(if self.stream {
                IpcReader::Stream(StreamReader::try_new(file, projection)?)
            } else {
                IpcReader::File(FileReader::try_new(file, projection)?)
            })
        })
    }
}

enum IpcReader {
    File(FileReader<BufReader<OpenBytes>>),
    Stream(StreamReader<BufReader<OpenBytes>>),
}

impl IpcReader {
    /// The schema of the whole file, whatever the projection.
    fn schema(&self) -> SchemaRef {
        match self {
            Self::File(reader) => reader.schema(),
            Self::Stream(reader) => reader.schema(),
        }
    }

    fn next(&mut self) -> Option<std::result::Result<RecordBatch, ArrowError>> {
        match self {
            Self::File(reader) => reader.next(),
            Self::Stream(reader) => reader.next(),
        }
    }
}

/// Decodes a file in slices of its record batches.
pub(super) struct BatchReader {
    path: Arc<Path>,
    reader: IpcReader,
    /// The rows left of the last record batch.
    rest: Option<RecordBatch>,
    /// Rows of a slice.
    most: usize,
}

impl BatchReader {
    /// The next rows.
    ///
    /// # Errors
    /// A record batch does not decode.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        while self.rest.as_ref().is_none_or(|rest| rest.num_rows() == 0) {
            self.rest = guarded_arrow(&self.path, || self.reader.next().transpose())?;
            if self.rest.is_none() {
                return Ok(None);
            }
        }
        let Some(rest) = self.rest.take() else { return Ok(None) };
        let count = rest.num_rows().min(self.most);
        self.rest = Some(rest.slice(count, rest.num_rows() - count));
        Ok(Some(rest.slice(0, count)))
    }
}
