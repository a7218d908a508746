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
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use rayon::prelude::*;
use std::sync::Arc;

/// Rows that are turned into columns at a time: as many as stay in the second-level cache while every column picks
/// its field out of them.
const FILL: usize = 1024;

/// Encodes one table.
pub(super) struct TableEncoder {
    name: &'static str,
    schema: SchemaRef,
    sizes: Sizes,
    factory: ArrowRowGroupWriterFactory,
    /// Rows of the chunk being filled.
    columns: Vec<Column>,
    in_chunk: usize,
    /// The writers of the row group in progress; empty before its first chunk.
    writers: Vec<ArrowColumnWriter>,
    in_group: usize,
    rows: u64,
    queue: Queue,
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
        Ok(Self {
            name: spec.name,
            columns: spec.columns.iter().map(|c| Column::new(c, words)).collect(),
            schema,
            sizes,
            factory,
            in_chunk: 0,
            writers: Vec::new(),
            in_group: 0,
            rows: 0,
            queue: Queue::new(Parts::new(naming, root, properties, sizes.groups_per_part, Arc::clone(out))),
        })
    }

    /// Appends rows; `fill` puts a slice of them into the columns. Full chunks are encoded in rayon's current pool.
    pub(super) fn extend<T>(&mut self, mut rows: &[T], fill: impl Fn(&mut [Column], &[T])) -> Result<()> {
        while !rows.is_empty() {
            if self.in_chunk == 0 {
                let expected = rows.len().min(self.sizes.chunk);
                self.columns.iter_mut().for_each(|c| c.reserve(expected));
            }
            let (head, rest) = rows.split_at(rows.len().min(FILL).min(self.sizes.chunk - self.in_chunk));
            fill(&mut self.columns, head);
            self.in_chunk += head.len();
            rows = rest;
            if self.in_chunk == self.sizes.chunk {
                self.encode_chunk()?;
            }
        }
        Ok(())
    }

    /// Rows so far.
    pub(super) fn rows(&self) -> u64 {
        self.rows + self.in_chunk as u64
    }

    /// Writes what is left and waits until every file is whole.
    pub(super) fn finish(mut self) -> Result<()> {
        if self.in_chunk > 0 {
            self.encode_chunk()?;
        }
        if self.in_group > 0 {
            self.close_group()?;
        }
        self.queue.finish()
    }

    fn encode_chunk(&mut self) -> Result<()> {
        if self.writers.is_empty() {
            self.writers = self.factory.create_column_writers(0).map_err(|e| Error::internal(self.name, e))?;
        }
        let name = self.name;
        let fields = self.schema.fields().par_iter();
        fields.zip(&mut self.columns).zip(&mut self.writers).with_max_len(1).try_for_each(
            |((field, column), writer)| {
                let leaves = compute_leaves(field, &column.take());
                leaves
                    .and_then(|l| l.iter().try_for_each(|leaf| writer.write(leaf)))
                    .map_err(|e| Error::internal(name, e))
            },
        )?;
        self.rows += self.in_chunk as u64;
        self.in_group += self.in_chunk;
        self.in_chunk = 0;
        if self.in_group == self.sizes.row_group { self.close_group() } else { Ok(()) }
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

/// The file that Parquet is written to.
pub(super) type ParquetFile = SerializedFileWriter<WholeFile>;
