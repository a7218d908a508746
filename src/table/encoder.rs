//! Rows to Parquet: chunks of fixed size, their columns encoded in parallel, row groups handed to the disk.
//!
//! Column writers are fed chunks cut at fixed rows of the row group, so that pages, and with them every byte, do not
//! depend on how rows arrive or on who encodes which column.

use super::Sizes;
use super::columns::{Column, Words};
use super::output_dir::{OutputDir, WholeFile};
use super::parts::{Naming, Parts, Queue};
use super::schema::TableSpec;
use crate::error::{Error, Result};
use arrow_schema::{Field, SchemaRef};
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use rayon::prelude::*;
use std::sync::Arc;

/// Rows that are turned into columns at a time: as many as stay in the second-level cache while every column picks
/// its field out of them.
const FILL: usize = 1024;

/// Encodes one table: while a full chunk is encoded, the next one is filled.
pub(super) struct TableEncoder {
    filling: Chunk,
    /// A chunk to be encoded, or an empty one.
    full: Chunk,
    sizes: Sizes,
    rows: u64,
    encoder: GroupEncoder,
}

/// Rows as columns.
struct Chunk {
    columns: Vec<Column>,
    rows: usize,
}

impl Chunk {
    fn new(spec: &TableSpec, words: &Words) -> Self {
        Self { columns: spec.columns.iter().map(|c| Column::new(c, words)).collect(), rows: 0 }
    }

    fn fill<T>(&mut self, rows: &[T], fill: impl Fn(&mut [Column], &[T])) {
        if self.rows == 0 {
            self.columns.iter_mut().for_each(|c| c.reserve(rows.len()));
        }
        rows.chunks(FILL).for_each(|part| fill(&mut self.columns, part));
        self.rows += rows.len();
    }
}

impl TableEncoder {
    /// An encoder that has not touched the disk yet.
    pub(super) fn new(
        spec: &TableSpec,
        naming: Naming,
        words: &Words,
        sizes: Sizes,
        out: &Arc<OutputDir>,
    ) -> Result<Self> {
        let schema = spec.schema();
        let properties = Arc::new(spec.properties(&schema, &sizes));
        let fail = |e: ParquetError| Error::internal(spec.name, e);
        let parquet_schema = ArrowSchemaConverter::new().convert(&schema).map_err(fail)?;
        let root = parquet_schema.root_schema_ptr();
        // The factory asks a file writer for nothing but the schema and the properties: one without a file will do.
        let prototype = SerializedFileWriter::new(std::io::sink(), Arc::clone(&root), Arc::clone(&properties));
        let factory = ArrowRowGroupWriterFactory::new(&prototype.map_err(fail)?, Arc::clone(&schema));
        let queue = Queue::new(Parts::new(naming, root, properties, sizes.groups_per_part, Arc::clone(out)));
        let encoder = GroupEncoder {
            name: spec.name,
            schema,
            group_rows: sizes.row_group,
            factory,
            writers: Vec::new(),
            in_group: 0,
            queue,
        };
        Ok(Self { filling: Chunk::new(spec, words), full: Chunk::new(spec, words), sizes, rows: 0, encoder })
    }

    /// Appends rows; `fill` puts a slice of them into the columns. Full chunks are encoded in rayon's current pool.
    pub(super) fn extend<T: Sync>(&mut self, rows: &[T], fill: impl Fn(&mut [Column], &[T]) + Sync) -> Result<()> {
        self.rows += rows.len() as u64;
        let mut rest = rows;
        while !rest.is_empty() {
            let Self { filling, full, encoder, .. } = self;
            let (head, later) = rest.split_at(rest.len().min(self.sizes.chunk - filling.rows));
            rest = later;
            if full.rows > 0 {
                rayon::join(|| encoder.encode_chunk(full), || filling.fill(head, &fill)).0?;
            } else {
                filling.fill(head, &fill);
            }
            if filling.rows == self.sizes.chunk {
                std::mem::swap(filling, full);
            }
        }
        Ok(())
    }

    /// Rows so far.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes what is left and waits until every file is whole.
    pub(super) fn finish(mut self) -> Result<()> {
        self.encoder.encode_chunk(&mut self.full)?;
        self.encoder.encode_chunk(&mut self.filling)?;
        self.encoder.finish()
    }
}

/// Encodes chunks into row groups.
struct GroupEncoder {
    name: &'static str,
    schema: SchemaRef,
    group_rows: usize,
    factory: ArrowRowGroupWriterFactory,
    /// The writers of the row group in progress; empty before its first chunk.
    writers: Vec<ArrowColumnWriter>,
    in_group: usize,
    queue: Queue,
}

impl GroupEncoder {
    /// Encodes a chunk, which is empty afterwards, column beside column.
    fn encode_chunk(&mut self, chunk: &mut Chunk) -> Result<()> {
        if chunk.rows == 0 {
            return Ok(());
        }
        if self.writers.is_empty() {
            self.writers = self.factory.create_column_writers(0).map_err(|e| Error::internal(self.name, e))?;
        }
        let name = self.name;
        let fields = self.schema.fields().par_iter();
        fields.zip(&mut chunk.columns).zip(&mut self.writers).with_max_len(1).try_for_each(
            |((field, column), writer)| encode(field, column, writer).map_err(|e| Error::internal(name, e)),
        )?;
        self.in_group += std::mem::take(&mut chunk.rows);
        if self.in_group == self.group_rows { self.close_group() } else { Ok(()) }
    }

    fn finish(mut self) -> Result<()> {
        if self.in_group > 0 {
            self.close_group()?;
        }
        self.queue.finish()
    }

    fn close_group(&mut self) -> Result<()> {
        let name = self.name;
        let writers = std::mem::take(&mut self.writers).into_par_iter().with_max_len(1);
        let chunks = writers.map(|writer| writer.close().map_err(|e| Error::internal(name, e)));
        let chunks = chunks.collect::<Result<Vec<_>>>()?;
        self.in_group = 0;
        self.queue.push(chunks)
    }
}

/// Encodes what a column holds; its memory is used again.
fn encode(field: &Field, column: &mut Column, writer: &mut ArrowColumnWriter) -> parquet::errors::Result<()> {
    let array = column.take();
    for leaf in compute_leaves(field, &array)? {
        writer.write(&leaf)?;
    }
    column.reuse(array);
    Ok(())
}

/// The file that Parquet is written to.
pub(super) type ParquetFile = SerializedFileWriter<WholeFile>;
