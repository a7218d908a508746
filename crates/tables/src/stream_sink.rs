//! A sink that writes `distances` as one Arrow IPC stream: to a pipe, or whatever takes bytes.

use super::sink::{RowBlock, RowSink, SinkContext};
use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;
use clearsweep_base::error::{Error, Result};
use std::io::{BufWriter, Write};

/// Rows of a batch of the stream, or a block of 64 samples more: messages have some kilobytes of
/// their own.
const BATCH_ROWS: usize = 1 << 14;

/// Bytes that are written together.
const WRITE: usize = 1 << 18;

/// A sink that writes the rows of `distances` as an Arrow IPC stream. No other table is written. A
/// writer that takes no more bytes holds the job up, so that memory stays bounded.
///
/// The stream has its end marker only if the job ended well.
pub struct DistanceStream<W: Write + Send> {
    /// `None` once the stream is begun.
    target: Option<W>,
    stream: Option<StreamWriter<BufWriter<W>>>,
    schema: Option<SchemaRef>,
    /// Batches that wait to become one.
    waiting: Vec<RecordBatch>,
    rows: usize,
}

impl<W: Write + Send> DistanceStream<W> {
    /// A stream to `target`, for one job.
    pub fn new(target: W) -> Self {
        Self { target: Some(target), stream: None, schema: None, waiting: Vec::new(), rows: 0 }
    }

    fn open(&mut self) -> Result<&mut StreamWriter<BufWriter<W>>> {
        self.stream.as_mut().ok_or_else(|| Error::internal("stream of distances", "the sink was called out of turn"))
    }

    /// Writes the rows that wait as one batch.
    fn flush(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        self.rows = 0;
        let Some(schema) = self.schema.clone().filter(|_| !waiting.is_empty()) else { return Ok(()) };
        let batch = concat_batches(&schema, &waiting).map_err(|error| failed(&error))?;
        self.open()?.write(&batch).map_err(|error| failed(&error))
    }
}

fn failed(error: &ArrowError) -> Error {
    let remedy = "see where the stream goes: what reads it may have stopped, or the disk may be full";
    Error::output("stream of distances", format!("cannot be written ({error})"), remedy)
}

impl<W: Write + Send> RowSink for DistanceStream<W> {
    fn begin(&mut self, context: &SinkContext<'_>) -> Result<()> {
        let target = self
            .target
            .take()
            .ok_or_else(|| Error::usage("stream of distances", "was written already", "make a sink for each job"))?;
        let (schema, buffered) = (context.distances_schema(), BufWriter::with_capacity(WRITE, target));
        let mut stream = StreamWriter::try_new(buffered, &schema).map_err(|error| failed(&error))?;
        // Whoever reads learns the columns before the first row.
        stream.flush().map_err(|error| failed(&error))?;
        (self.stream, self.schema) = (Some(stream), Some(schema));
        Ok(())
    }

    fn rows(&mut self, rows: &RowBlock<'_>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        self.rows += rows.len();
        self.waiting.push(rows.distances()?);
        if self.rows >= BATCH_ROWS { self.flush() } else { Ok(()) }
    }

    fn end(&mut self) -> Result<()> {
        self.flush()?;
        self.open()?.finish().map_err(|error| failed(&error))
    }

    fn abort(&mut self) {
        self.waiting.clear();
    }
}
