//! Encoding of a table: rows to pages, columns of a page in parallel, row groups to the part
//! writer.
//!
//! Pages are cut at fixed row numbers of the row group. Therefore pages, and with them every byte,
//! do not depend on how rows arrive or on which thread encodes a column. A page of all columns fits
//! into the second-level cache and is encoded as soon as it is full.

use super::chunk::{ClosedChunk, ColumnChunk, EncodedColumn};
use super::column_buffer::ColumnBuffer;
use super::layout::{TILE_ROWS, TableLayout};
use super::output_dir::OutputDir;
use super::page_compressor::{CompressorPool, PageCompressor};
use super::page_spill::ParkingFile;
use super::part_writer::{PartWriter, RowGroupQueue, part_name};
use super::resume::journal::{JournalMark, PageJournal};
use super::resume::part_journal::PartJournal;
use super::rows_digest::{ReadColumns, RowsDigester, TableDigest, WrittenColumns};
use super::stored_rows::{StoredColumns, StoredRows};
use super::vocabularies::Vocabularies;
use super::writer_properties::of_table;
use arrow_schema::Schema;
use clearsweep_base::error::{Error, Result};
use clearsweep_records::file::{guard, invalid, open};
use clearsweep_records::{ColumnType, Contents, TableInfo, TableSchema, Words};
use parquet::arrow::ArrowSchemaConverter;
use parquet::schema::types::ColumnDescPtr;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Memory limit, bytes, below which the pages of a row group wait in a file: four row groups of
/// `distances`, of which one is filled while another is written.
const PARK_BELOW: u64 = 512 << 20;

/// Pages of a row group that stay in memory even then.
const KEPT_PAGES: usize = 4;

/// The state of a table's encoder, beside its journal.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EncoderState {
    rows: u64,
    /// How far the journal was written.
    pub(super) journal: JournalMark,
    /// The page that is being filled, as [`ColumnBuffer::append_raw`] writes its columns.
    page: Vec<u8>,
}

/// The encoder of one table.
pub(super) struct TableEncoder {
    /// The page that is being filled: all columns but the names of bodies.
    columns: Vec<ColumnBuffer>,
    /// Rows of that page.
    in_page: usize,
    /// All rows so far.
    rows: u64,
    /// Rows that are in files already, and are left out.
    to_skip: u64,
    /// Full pages of a part; all, where the table has one file.
    part_pages: u64,
    /// Full pages so far.
    pages: u64,
    /// Journal that keeps full pages until their file is whole.
    journal: Option<PageJournal>,
    /// Journal that keeps those of a part that is filled slowly.
    part_journal: Option<PartJournal>,
    /// Full pages, with their numbers of rows, whose encoding is deferred; at most `most_deferred`.
    deferred: VecDeque<(usize, Vec<ColumnBuffer>)>,
    most_deferred: usize,
    written: WrittenColumns,
    schema: TableSchema,
    digester: RowsDigester,
    encoder: RowGroupEncoder,
}

impl TableEncoder {
    /// Creates an encoder. It creates no file before the first row group is complete.
    pub(super) fn new(
        info: &TableInfo,
        contents: &Contents,
        strings: &Vocabularies,
        layout: TableLayout,
        out: &Arc<OutputDir>,
    ) -> Result<Self> {
        let part_pages = match info.has_parts {
            true => (layout.groups_per_part * layout.row_group / layout.page) as u64,
            false => u64::MAX,
        };
        let schema = info.schema(contents);
        let arrow = Schema::new(schema.fields());
        let properties = Arc::new(of_table(&schema, &arrow, &layout));
        let described = ArrowSchemaConverter::new().convert(&arrow).map_err(|e| Error::internal(info.name, e))?;
        let root = described.root_schema_ptr();
        let parts = PartWriter::new(*info, root, properties, layout.groups_per_part, Arc::clone(out));
        let mut positions = Vec::new();
        let mut outputs = Vec::new();
        let (mut columns, mut chunks) = (Vec::new(), Vec::new());
        for (at, column) in schema.columns.iter().enumerate() {
            let words = match column.kind {
                ColumnType::Text(words) => Some(words),
                _ => None,
            };
            let chunk = match column.index.and_then(|index| schema.position(index)) {
                Some(index) => positions[index],
                None => {
                    columns.push(ColumnBuffer::new(column));
                    chunks.push(ColumnChunk::new(column));
                    chunks.len() - 1
                }
            };
            positions.push(chunk);
            outputs.push(OutputColumn { column: described.column(at), chunk, words });
        }
        let encoder = RowGroupEncoder {
            name: info.name,
            page_rows: layout.page,
            group_rows: layout.row_group,
            strings: strings.clone(),
            chunks,
            outputs,
            pool: CompressorPool::default(),
            in_group: 0,
            parks_in: None,
            queue: RowGroupQueue::new(parts),
        };
        Ok(Self {
            columns,
            in_page: 0,
            rows: 0,
            to_skip: 0,
            part_pages,
            pages: 0,
            journal: None,
            part_journal: None,
            deferred: VecDeque::new(),
            most_deferred: 0,
            written: WrittenColumns::new(&schema, strings),
            schema,
            digester: RowsDigester::default(),
            encoder,
        })
    }

    /// Keeps full pages in a journal, so that a checkpoint needs only the rest.
    pub(super) fn keep_pages(self, out: &Arc<OutputDir>) -> Self {
        let journal = PageJournal::new(self.encoder.name, out);
        Self { journal: Some(journal), ..self }
    }

    /// Keeps full pages in a journal as long as they come slowly: fewer than one in `fast`.
    pub(super) fn keep_slow_pages(self, fast: Duration, out: &Arc<OutputDir>) -> Self {
        let journal = PartJournal::new(self.encoder.name, fast, out);
        Self { part_journal: Some(journal), ..self }
    }

    /// Returns the state to be stored of a table whose pages are kept as long as they come slowly,
    /// and a handle to the journal; `None`: they do not.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn slow_state(&mut self) -> Result<Option<(EncoderState, io::Result<Option<File>>)>> {
        if self.to_skip > 0 {
            return Ok(None); // what is in files already is no page of the part in progress
        }
        let Some(marked) = self.part_journal.as_mut().map(PartJournal::mark).transpose()?.flatten() else {
            return Ok(None);
        };
        let (journal, handle) = marked;
        let mut page = Vec::new();
        self.columns.iter().for_each(|column| column.append_raw(&mut page));
        Ok(Some((EncoderState { rows: self.rows, journal, page }, handle)))
    }

    /// Returns the state to be stored of a table with a journal, and a handle to the journal.
    ///
    /// # Errors
    /// The system gives no handle.
    pub(super) fn state(&self) -> io::Result<(EncoderState, Option<File>)> {
        let mut page = Vec::new();
        self.columns.iter().for_each(|column| column.append_raw(&mut page));
        let journal = self.journal.as_ref().map(PageJournal::mark).unwrap_or_default();
        let handle = self.journal.as_ref().map(PageJournal::handle).transpose()?.flatten();
        Ok((EncoderState { rows: self.rows, journal, page }, handle))
    }

    /// Goes on from a state and the journal that belongs to it. Pages are encoded in rayon's
    /// current pool.
    ///
    /// # Errors
    /// The disk failed, or the journal does not fit the table.
    pub(super) fn restore(&mut self, state: &EncoderState, out: &OutputDir) -> Result<()> {
        self.digest_parts(state.journal.part, out)?;
        let (page_rows, name) = (self.encoder.page_rows, self.encoder.name);
        let broken = || Error::internal(name, "a journal holds other columns");
        self.encoder.queue.begin_at(state.journal.part);
        // Taken, so that pages that are encoded again are not kept again.
        let (mut journal, mut part_journal) = (self.journal.take(), self.part_journal.take());
        let mut encode = |page: &[u8]| {
            fill_raw(&mut self.columns, page, page_rows).ok_or_else(broken)?;
            self.in_page = page_rows;
            self.encode_page()
        };
        if let Some(journal) = &mut journal {
            journal.resume(state.journal, &mut encode)?;
        }
        if let Some(journal) = &mut part_journal {
            journal.resume(state.journal, &mut encode)?;
        }
        (self.journal, self.part_journal) = (journal, part_journal);
        self.in_page = (state.rows % page_rows as u64) as usize;
        fill_raw(&mut self.columns, &state.page, self.in_page).ok_or_else(broken)?;
        (self.rows, self.pages) = (state.rows, state.rows / page_rows as u64);
        Ok(())
    }

    /// Goes on after `rows` rows, of a table without a journal that has `parts` whole parts.
    ///
    /// # Errors
    /// A part cannot be read.
    pub(super) fn begin_after(&mut self, rows: u64, parts: u64, out: &OutputDir) -> Result<()> {
        self.digest_parts(parts, out)?;
        let part_rows = self.part_pages * self.encoder.page_rows as u64;
        self.encoder.queue.begin_at(parts);
        (self.rows, self.to_skip) = (rows, (parts * part_rows).saturating_sub(rows));
        self.pages = parts * self.part_pages;
        self.part_journal.iter_mut().for_each(|journal| journal.begin(parts));
        Ok(())
    }

    /// Reads the whole parts of the table for its digest.
    fn digest_parts(&mut self, parts: u64, out: &OutputDir) -> Result<()> {
        for part in 0..parts {
            let path = out.target_path().join(part_name(self.encoder.name, part));
            let reader = open(&path, self.encoder.page_rows)?;
            let mut reader = guard(&path, || Ok(reader.build()?))?;
            while let Some(batch) = guard(&path, || reader.next().transpose())? {
                let columns = ReadColumns::of(&batch);
                let columns = columns.ok_or_else(|| invalid(&path, "has columns of other types".to_owned()))?;
                let full = self.digester.take(&columns, batch.num_rows());
                self.digester.add(full.hash());
            }
        }
        Ok(())
    }

    /// Allows the encoding of up to `pages` full pages to be deferred. The last pages are encoded
    /// in [`Self::finish`], when the disk is busy with another table.
    pub(super) fn defer_pages(self, pages: usize) -> Self {
        Self { most_deferred: pages, ..self }
    }

    /// Parks pages in unnamed files in `out` where no more memory than this may be taken and it is
    /// too little.
    pub(super) fn within(mut self, memory: u64, out: &Arc<OutputDir>) -> Self {
        self.encoder.parks_in = (memory < PARK_BELOW).then(|| Arc::clone(out));
        self
    }

    /// Appends rows. `fill` copies a slice of rows into the columns. Full pages are encoded in
    /// rayon's current pool.
    pub(super) fn extend<T>(&mut self, rows: &[T], fill: impl Fn(&mut [ColumnBuffer], &[T])) -> Result<()> {
        self.rows += rows.len() as u64;
        let skipped = self.to_skip.min(rows.len() as u64);
        self.to_skip -= skipped;
        let mut rest = &rows[skipped as usize..];
        while !rest.is_empty() {
            let (head, later) = rest.split_at(rest.len().min(self.encoder.page_rows - self.in_page));
            rest = later;
            head.chunks(TILE_ROWS).for_each(|part| fill(&mut self.columns, part));
            self.in_page += head.len();
            if self.in_page == self.encoder.page_rows {
                self.encode_page()?;
            }
        }
        Ok(())
    }

    /// Appends the first `rows` rows of a stored table of the same columns. The next ones are
    /// decoded beside the encoding.
    ///
    /// # Errors
    /// It has fewer rows, or cannot be decoded; a write failed.
    pub(super) fn append(&mut self, mut table: StoredRows, rows: u64) -> Result<()> {
        if table.rows < rows {
            let problem = format!("has {} rows instead of {rows} or more", table.rows);
            return Err(invalid(table.path(), problem));
        }
        let columns = StoredColumns::new(&self.schema, &self.encoder.strings);
        let (mut left, mut next) = (rows, if rows > 0 { table.next()? } else { None });
        while let Some(batch) = next.take() {
            let taken = left.min(batch.num_rows() as u64);
            left -= taken;
            let batch = columns.of(&batch.slice(0, taken as usize), table.path())?;
            let ahead = || if left > 0 { table.next() } else { Ok(None) };
            let write = || self.extend(&batch.numbers(), |columns, numbers| batch.fill(columns, numbers));
            let (decoded, written) = rayon::join(ahead, write);
            written?;
            next = decoded?;
        }
        if left == 0 { Ok(()) } else { Err(invalid(table.path(), format!("lacks {left} of its {rows} rows"))) }
    }

    fn encode_page(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.in_page);
        if rows == self.encoder.page_rows {
            self.keep_page()?;
        }
        let full = self.digester.take(&self.written.of(&self.columns), rows);
        if self.most_deferred == 0 {
            let Self { encoder, columns, .. } = self;
            let (encoded, hashed) = rayon::join(|| encoder.encode_page(columns, rows), || full.hash());
            self.digester.add(hashed);
            return encoded;
        }
        self.digester.add(full.hash());
        self.deferred.push_back((rows, self.columns.iter_mut().map(ColumnBuffer::take).collect()));
        if self.deferred.len() > self.most_deferred { self.encode_deferred() } else { Ok(()) }
    }

    /// Appends the full page to the journal, which begins anew with each part.
    fn keep_page(&mut self) -> Result<()> {
        let Self { journal, part_journal, columns, .. } = self;
        journal.iter_mut().try_for_each(|journal| journal.append(columns))?;
        part_journal.iter_mut().try_for_each(|journal| journal.append(columns))?;
        self.pages += 1;
        if self.pages.is_multiple_of(self.part_pages) {
            let part = self.pages / self.part_pages;
            self.journal.iter_mut().for_each(|journal| journal.begin(part));
            self.part_journal.iter_mut().for_each(|journal| journal.begin(part));
        }
        Ok(())
    }

    /// Encodes the earliest deferred page.
    fn encode_deferred(&mut self) -> Result<()> {
        let Some((rows, mut page)) = self.deferred.pop_front() else { return Ok(()) };
        self.encoder.encode_page(&mut page, rows)
    }

    /// Number of rows appended so far.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Encodes the remaining rows. The files are written in the background: [`PendingTable::wait`].
    pub(super) fn finish(mut self) -> Result<PendingTable> {
        if self.in_page > 0 {
            self.encode_page()?;
        }
        while !self.deferred.is_empty() {
            self.encode_deferred()?;
        }
        let (table, digest) = (self.encoder.name, self.digester.finish());
        Ok(PendingTable { queue: self.encoder.finish()?, table, digest })
    }
}

/// Appends `rows` rows to all columns; `None` if these are not their bytes.
fn fill_raw(columns: &mut [ColumnBuffer], raw: &[u8], rows: usize) -> Option<()> {
    let rest = columns.iter_mut().try_fold(raw, |rest, column| column.extend_raw(rest, rows))?;
    rest.is_empty().then_some(())
}

/// An encoded table whose files are still being written.
#[must_use]
pub(super) struct PendingTable {
    queue: RowGroupQueue,
    table: &'static str,
    digest: TableDigest,
}

impl PendingTable {
    /// The digest of its rows, if it is the table of this name.
    pub(super) fn digest_of(&self, table: &str) -> Option<&TableDigest> {
        (self.table == table).then_some(&self.digest)
    }

    /// Waits until every file is complete and has its name. Returns the name of the table and its
    /// digest.
    pub(super) fn wait(self) -> Result<(&'static str, TableDigest)> {
        self.queue.finish()?;
        Ok((self.table, self.digest))
    }
}

/// A column of the file.
struct OutputColumn {
    column: ColumnDescPtr,
    /// Position in [`RowGroupEncoder::chunks`] of the chunk that holds its data pages.
    chunk: usize,
    /// The strings that its codes stand for.
    words: Option<Words>,
}

/// Encodes pages into row groups.
struct RowGroupEncoder {
    name: &'static str,
    page_rows: usize,
    group_rows: usize,
    strings: Vocabularies,
    /// The chunks of the row group in progress: all columns but the names of bodies, which share
    /// the data pages of the body indices.
    chunks: Vec<ColumnChunk>,
    outputs: Vec<OutputColumn>,
    pool: CompressorPool,
    /// Rows of the row group in progress.
    in_group: usize,
    /// Directory in which its pages are parked once there are enough of them.
    parks_in: Option<Arc<OutputDir>>,
    queue: RowGroupQueue,
}

impl RowGroupEncoder {
    /// Encodes a page of `rows` rows, its columns in parallel, and empties the columns.
    fn encode_page(&mut self, columns: &mut [ColumnBuffer], rows: usize) -> Result<()> {
        debug_assert!(columns.iter().all(|column| column.values.len() == rows));
        debug_assert_eq!(columns.len(), self.chunks.len());
        if self.in_group == KEPT_PAGES * self.page_rows {
            self.park()?;
        }
        let Self { name, chunks, pool, .. } = self;
        let encoded = chunks.par_iter_mut().zip(columns).with_max_len(1).try_for_each(|(chunk, column)| {
            with_compressor(pool, name, |compressor| chunk.encode_page(column, compressor))
        });
        encoded.map_err(|error| self.cause_of(error))?;
        self.in_group += rows;
        if self.in_group == self.group_rows { self.close_group() } else { Ok(()) }
    }

    /// Parks further pages of the row group, where memory is short.
    fn park(&mut self) -> Result<()> {
        if let Some(out) = &self.parks_in {
            let file = Arc::new(ParkingFile::create(out)?);
            self.chunks.iter_mut().for_each(|chunk| chunk.park_in(&file));
        }
        Ok(())
    }

    /// The error of a failed encoding: that of the disk, if parking failed.
    fn cause_of(&self, error: Error) -> Error {
        self.parks_in.as_ref().and_then(|out| out.failure()).unwrap_or(error)
    }

    fn finish(mut self) -> Result<RowGroupQueue> {
        if self.in_group > 0 {
            self.close_group()?;
        }
        self.queue.end();
        Ok(self.queue)
    }

    /// Ends the row group and hands its columns to the part writer.
    fn close_group(&mut self) -> Result<()> {
        let Self { name, chunks, .. } = self;
        let name: &str = name;
        let closed = chunks.iter_mut().map(|chunk| chunk.close().map_err(|e| Error::internal(name, e)));
        let closed = closed.collect::<Result<Vec<ClosedChunk>>>();
        let mut closed = closed.map_err(|error| self.cause_of(error))?;
        let Self { name, outputs, pool, strings, .. } = self;
        let mut encoded: Vec<EncodedColumn> = Vec::with_capacity(outputs.len());
        for output in outputs {
            let strings = output.words.map(|words| (&*strings, words));
            let chunk = &mut closed[output.chunk];
            encoded.push(with_compressor(pool, name, |compressor| {
                chunk.encode_column(&output.column, strings, compressor)
            })?);
        }
        self.in_group = 0;
        self.queue.push(encoded)
    }
}

/// Calls `work` with a compressor of the pool and adds the name of the table to errors.
fn with_compressor<T>(
    pool: &CompressorPool,
    name: &str,
    work: impl FnOnce(&mut PageCompressor) -> parquet::errors::Result<T>,
) -> Result<T> {
    let done = pool.with(work).map_err(|e| Error::internal(name, e))?;
    done.map_err(|e| Error::internal(name, e))
}
