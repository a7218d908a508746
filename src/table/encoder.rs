//! Rows to Parquet: pages of fixed size, their columns encoded in parallel, row groups handed to the disk.
//!
//! Pages are cut at fixed rows of the row group, so that they, and with them every byte, do not depend on how rows
//! arrive or on who encodes which column. A page of all columns fits into the second-level cache, so it is encoded as
//! soon as it is full.

use super::chunk::{ClosedChunk, ColumnChunk, EncodedColumn};
use super::columns::{Column, Words};
use super::output_dir::{OutputDir, WholeFile};
use super::packer::{Packer, Packers};
use super::parts::{Naming, Parts, Queue};
use super::schema::{Kind, TableSpec, Vocabulary};
use super::{Sizes, TILE};
use crate::error::{Error, Result};
use parquet::arrow::ArrowSchemaConverter;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnDescPtr;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

/// Encodes one table.
pub(super) struct TableEncoder {
    /// The page being filled: all columns but the names of bodies.
    columns: Vec<Column>,
    in_page: usize,
    rows: u64,
    /// Full pages that wait, and how many may.
    waiting: VecDeque<(usize, Vec<Column>)>,
    may_wait: usize,
    encoder: GroupEncoder,
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
        let described = ArrowSchemaConverter::new().convert(&schema).map_err(|e| Error::internal(spec.name, e))?;
        let parts = Parts::new(naming, described.root_schema_ptr(), properties, sizes.groups_per_part, Arc::clone(out));
        let mut own = 0;
        let mut positions = Vec::new();
        let mut outputs = Vec::new();
        let (mut columns, mut chunks) = (Vec::new(), Vec::new());
        for (at, column) in spec.columns.iter().enumerate() {
            let words = match column.kind {
                Kind::Words(vocabulary) => Some(vocabulary),
                _ => None,
            };
            let chunk = match spec.index_of_names(column) {
                Some(index) => positions[index],
                None => {
                    columns.push(Column::new(column));
                    chunks.push(ColumnChunk::new(column));
                    own += 1;
                    own - 1
                }
            };
            positions.push(chunk);
            outputs.push(Output { column: described.column(at), chunk, words });
        }
        let encoder = GroupEncoder {
            name: spec.name,
            page_rows: sizes.page,
            group_rows: sizes.row_group,
            words: words.clone(),
            chunks,
            outputs,
            packers: Packers::default(),
            in_group: 0,
            queue: Queue::new(parts),
        };
        Ok(Self { columns, in_page: 0, rows: 0, waiting: VecDeque::new(), may_wait: 0, encoder })
    }

    /// Lets so many pages wait: if they are the last ones, until the disk has got another table to take.
    pub(super) fn let_wait(self, pages: usize) -> Self {
        Self { may_wait: pages, ..self }
    }

    /// Appends rows; `fill` puts a slice of them into the columns. Full pages are encoded in rayon's current pool.
    pub(super) fn extend<T>(&mut self, rows: &[T], fill: impl Fn(&mut [Column], &[T])) -> Result<()> {
        self.rows += rows.len() as u64;
        let mut rest = rows;
        while !rest.is_empty() {
            let (head, later) = rest.split_at(rest.len().min(self.encoder.page_rows - self.in_page));
            rest = later;
            head.chunks(TILE).for_each(|part| fill(&mut self.columns, part));
            self.in_page += head.len();
            if self.in_page == self.encoder.page_rows {
                self.encode_page()?;
            }
        }
        Ok(())
    }

    fn encode_page(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.in_page);
        if self.may_wait == 0 {
            return self.encoder.encode_page(&mut self.columns, rows);
        }
        self.waiting.push_back((rows, self.columns.iter_mut().map(Column::take).collect()));
        if self.waiting.len() > self.may_wait { self.encode_waiting() } else { Ok(()) }
    }

    /// Encodes the first page that waits.
    fn encode_waiting(&mut self) -> Result<()> {
        let Some((rows, mut page)) = self.waiting.pop_front() else { return Ok(()) };
        self.encoder.encode_page(&mut page, rows)
    }

    /// Rows so far.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Encodes what is left. The files become whole meanwhile: [`Finishing::wait`].
    pub(super) fn finish(mut self) -> Result<Finishing> {
        if self.in_page > 0 {
            self.encode_page()?;
        }
        while !self.waiting.is_empty() {
            self.encode_waiting()?;
        }
        self.encoder.finish()
    }
}

/// A table that is encoded, on its way to the disk.
#[must_use]
pub(super) struct Finishing(Queue);

impl Finishing {
    /// Waits until every file is whole.
    pub(super) fn wait(self) -> Result<()> {
        self.0.finish()
    }
}

/// A column of the file.
struct Output {
    column: ColumnDescPtr,
    /// The chunk that holds its pages.
    chunk: usize,
    /// What numbers stand for.
    words: Option<Vocabulary>,
}

/// Encodes pages into row groups.
struct GroupEncoder {
    name: &'static str,
    page_rows: usize,
    group_rows: usize,
    words: Words,
    /// Of the row group in progress: all columns but the names of bodies, which are the indices in other words.
    chunks: Vec<ColumnChunk>,
    outputs: Vec<Output>,
    packers: Packers,
    in_group: usize,
    queue: Queue,
}

impl GroupEncoder {
    /// Encodes a page of so many rows, column beside column; the columns are empty afterwards.
    fn encode_page(&mut self, columns: &mut [Column], rows: usize) -> Result<()> {
        let Self { name, chunks, packers, .. } = self;
        chunks
            .par_iter_mut()
            .zip(columns)
            .with_max_len(1)
            .try_for_each(|(chunk, column)| with(packers, name, |packer| chunk.page(column, packer)))?;
        self.in_group += rows;
        if self.in_group == self.group_rows { self.close_group() } else { Ok(()) }
    }

    fn finish(mut self) -> Result<Finishing> {
        if self.in_group > 0 {
            self.close_group()?;
        }
        self.queue.end();
        Ok(Finishing(self.queue))
    }

    fn close_group(&mut self) -> Result<()> {
        let Self { name, chunks, outputs, packers, words, .. } = self;
        let name: &str = name;
        let closed = chunks.iter_mut().map(|chunk| chunk.close().map_err(|e| Error::internal(name, e)));
        let mut closed: Vec<ClosedChunk> = closed.collect::<Result<_>>()?;
        let mut encoded: Vec<EncodedColumn> = Vec::with_capacity(outputs.len());
        for output in outputs {
            let words = output.words.map(|vocabulary| (&*words, vocabulary));
            let chunk = &mut closed[output.chunk];
            encoded.push(with(packers, name, |packer| chunk.column(&output.column, words, packer))?);
        }
        self.in_group = 0;
        self.queue.push(encoded)
    }
}

/// Does `work`, which may fail, with a packer.
fn with<T>(packers: &Packers, name: &str, work: impl FnOnce(&mut Packer) -> parquet::errors::Result<T>) -> Result<T> {
    let done = packers.with(work).map_err(|e| Error::internal(name, e))?;
    done.map_err(|e| Error::internal(name, e))
}

/// The file that Parquet is written to.
pub(super) type ParquetFile = SerializedFileWriter<WholeFile>;
