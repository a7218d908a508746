//! The tables of many parts, into which blocks bring rows: those of the catalogue that a job
//! writes.

use super::checksums::FileChecksums;
use super::encoder::{EncoderState, PendingTable, TableEncoder};
use super::layout::TableLayout;
use super::options::TableOptions;
use super::output_dir::OutputDir;
use super::part_writer::part_name;
use super::resume::journal::JournalMark;
use super::sources::{JobColumns, RowKey, RowSource};
use super::stored_rows::StoredRows;
use super::vocabularies::Vocabularies;
use clearsweep_base::error::{Error, Result};
use clearsweep_records::file::{invalid, rows_of};
use clearsweep_records::{CATALOGUE, Contents, Record, TableInfo};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Bytes of a row of a deferred table in columns, rounded up.
const DEFERRED_ROW_BYTES: u64 = 96;

/// Number of pages that may be held back unencoded: up to 32 MB, or 1/32 of `memory` if that is
/// less.
///
/// At the end of the execution the disk is busy with the first table and the processors are idle,
/// so these pages are encoded then.
pub(super) fn deferred_pages(memory: u64, layout: TableLayout) -> usize {
    ((memory / 32).min(32 << 20) / (DEFERRED_ROW_BYTES * layout.page as u64)) as usize
}

/// The state of a table at the start of a block.
#[derive(Serialize, Deserialize)]
pub(super) struct PartTableState {
    table: String,
    /// `None` if the parts that are whole hold its rows.
    encoder: Option<EncoderState>,
    last: Option<RowKey>,
}

/// The state of all tables, and what has to be on the disk for it.
pub(super) struct PartTablesState {
    pub(super) tables: Vec<PartTableState>,
    /// Whole parts, by their names relative to the output directory.
    pub(super) parts: Vec<String>,
    /// How far the journals were written, by the name of the table.
    pub(super) marks: Vec<(String, JournalMark)>,
    /// Handles to the journals.
    pub(super) journals: Vec<File>,
}

/// A table of parts.
struct PartTable {
    info: &'static TableInfo,
    encoder: TableEncoder,
    /// Key of the last row.
    last: Option<RowKey>,
    /// Parts of shards that were linked.
    linked: u64,
}

/// All tables of parts of a job, in the order of the catalogue. The first one has most rows:
/// checkpoints follow its parts, and only its last part is in a journal.
pub(super) struct PartTables {
    tables: Vec<PartTable>,
    contents: Contents,
    /// Number of bodies.
    bodies: usize,
}

impl PartTables {
    /// Creates the tables. No file is created before its first row group is complete.
    ///
    /// # Errors
    /// None that the data can cause.
    pub(super) fn new(
        job: &JobColumns,
        bodies: usize,
        options: &TableOptions,
        strings: &Vocabularies,
        layout: TableLayout,
        out: &Arc<OutputDir>,
    ) -> Result<Self> {
        let contents = job.contents;
        let mut tables = Vec::new();
        for info in CATALOGUE.iter().filter(|info| info.has_parts && info.exists(&contents)) {
            let mut encoder = TableEncoder::new(info, &contents, strings, layout, out)?.within(options.memory, out);
            if info.is_deferred {
                encoder = encoder.defer_pages(deferred_pages(options.memory, layout));
            }
            if options.job.is_some() {
                encoder = match tables.is_empty() {
                    true => encoder.keep_slow_pages(layout.fast_page, out),
                    false => encoder.keep_pages(out),
                };
            }
            tables.push(PartTable { info, encoder, last: None, linked: 0 });
        }
        Ok(Self { tables, contents, bodies })
    }

    fn get(&mut self, name: &str) -> Result<&mut PartTable> {
        let table = self.tables.iter_mut().find(|table| table.info.name == name);
        table.ok_or_else(|| Error::internal(name, "rows of a table that the job does not have"))
    }

    /// Appends rows of a block, sorted by their keys.
    ///
    /// # Errors
    /// A write failed, rows are out of order, or the job does not have the table.
    pub(super) fn extend<R: Record, S: RowSource<R>>(&mut self, rows: &[S]) -> Result<()> {
        let (contents, bodies) = (self.contents, self.bodies);
        if rows.is_empty() {
            return Ok(());
        }
        let PartTable { encoder, last, .. } = self.get(R::TABLE)?;
        let mut previous = *last;
        for row in rows {
            let key = row.key();
            let (.., a, b, _) = key;
            if previous.is_some_and(|previous| key <= previous) || a >= b || b as usize >= bodies {
                return Err(out_of_order(R::TABLE, format!("{key:?}")));
            }
            previous = Some(key);
        }
        *last = previous;
        encoder.extend(rows, |columns, rows| R::extend(rows, S::record, &contents, columns))
    }

    /// Number of rows of the first table.
    pub(super) fn leading_rows(&self) -> u64 {
        self.tables[0].encoder.rows()
    }

    /// Names of the tables and numbers of their rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.tables.iter().map(|table| (table.info.name, table.encoder.rows()))
    }

    /// Returns the state at the start of a block. `leading_parts`: the parts of the first table
    /// that are whole or become so later; `None`: its pages are kept as long as they come slowly.
    /// `None`: they do not.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn state(&mut self, leading_parts: Option<u64>, out: &OutputDir) -> Result<Option<PartTablesState>> {
        let failed = |error| out.error(out.root(), &error);
        let mut all =
            PartTablesState { tables: Vec::new(), parts: Vec::new(), marks: Vec::new(), journals: Vec::new() };
        for (at, PartTable { info, encoder, last, .. }) in self.tables.iter_mut().enumerate() {
            let state = match leading_parts {
                Some(_) if at == 0 => None,
                None if at == 0 => match encoder.slow_state()? {
                    Some((state, journal)) => Some((state, journal.map_err(failed)?)),
                    None => return Ok(None),
                },
                _ => Some(encoder.state().map_err(failed)?),
            };
            let (encoder, journal) = state.unzip();
            let parts = encoder.as_ref().map(|state| state.journal.part).or(leading_parts).unwrap_or(0);
            all.parts.extend((0..parts).map(|part| part_name(info.name, part)));
            all.marks.extend(encoder.as_ref().map(|state| (info.name.to_owned(), state.journal)));
            all.journals.extend(journal.flatten());
            all.tables.push(PartTableState { table: info.name.to_owned(), encoder, last: *last });
        }
        Ok(Some(all))
    }

    /// Goes on from a state and the journals that belong to it. `rows` and `whole_parts`: of the
    /// first table. Returns whether it goes on after its whole parts.
    ///
    /// # Errors
    /// The disk failed, or a journal does not fit its table.
    pub(super) fn restore(
        &mut self,
        states: Vec<PartTableState>,
        rows: u64,
        whole_parts: u64,
        out: &OutputDir,
    ) -> Result<bool> {
        let mut follows_parts = false;
        for (at, PartTableState { table, encoder, last }) in states.into_iter().enumerate() {
            let known = self.get(&table)?;
            known.last = last;
            match encoder.filter(|state| at > 0 || state.journal.part >= whole_parts) {
                Some(state) => known.encoder.restore(&state, out)?,
                None => {
                    known.encoder.begin_after(rows, whole_parts, out)?;
                    follows_parts = true;
                }
            }
        }
        Ok(follows_parts)
    }

    /// Appends the first rows of a stored table.
    ///
    /// # Errors
    /// It has fewer rows, or cannot be decoded; a write failed.
    pub(super) fn append(&mut self, table: &str, stored: StoredRows, rows: u64) -> Result<()> {
        self.get(table)?.encoder.append(stored, rows)
    }

    /// Takes over the files of a stored table of `dir`: by a link, or as a copy. `checksums`: those
    /// of all files of the directory, as they were written.
    ///
    /// # Errors
    /// The table has other than `rows` rows; the files cannot be linked or copied.
    pub(super) fn link(
        &mut self,
        dir: &Path,
        table: &str,
        rows: u64,
        checksums: &FileChecksums,
        out: &OutputDir,
    ) -> Result<()> {
        let PartTable { info, linked, .. } = self.get(table)?;
        let mut sum = 0;
        for path in info.files(dir)? {
            let stored = rows_of(&path)?;
            sum += stored;
            if stored > 0 {
                let name = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy();
                out.link(&path, &part_name(info.name, *linked), checksums.get(&*name).copied())?;
                *linked += 1;
            }
        }
        if sum == rows { Ok(()) } else { Err(invalid(&dir.join(table), format!("has {sum} rows instead of {rows}"))) }
    }

    /// Encodes the remaining rows of the tables that were not linked, the first one first: the
    /// others are encoded while the disk takes it. Returns the names of the linked ones, too.
    ///
    /// # Errors
    /// A write failed.
    pub(super) fn finish(self) -> Result<(Vec<PendingTable>, Vec<&'static str>)> {
        let (linked, mut own): (Vec<_>, Vec<_>) = self.tables.into_iter().partition(|table| table.linked > 0);
        // Deferred pages come last.
        own.sort_by_key(|table| table.info.is_deferred);
        let pending = own.into_iter().map(|table| table.encoder.finish()).collect::<Result<_>>()?;
        Ok((pending, linked.iter().map(|table| table.info.name).collect()))
    }

    /// The encoder of the first table.
    #[cfg(test)]
    pub(super) fn leading(&mut self) -> &mut TableEncoder {
        &mut self.tables[0].encoder
    }
}

/// The error for rows that are not in the order that the metadata of the files declare.
pub(super) fn out_of_order(table: &str, row: String) -> Error {
    Error::internal(format!("{table}, row {row}"), "rows are out of order")
}
