//! The journal of the part of `distances` that is being filled, where that takes long.
//!
//! A part has 2.5 GB in pages, more than in its file: a job that fills parts in minutes has no use
//! for them.

use super::journal::{JournalMark, PageJournal};
use crate::column_buffer::ColumnBuffer;
use crate::output_dir::OutputDir;
use clearsweep_base::error::Result;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Pages of a part that are held in memory until it is known whether they come slowly.
const HELD: usize = 8;

/// Bytes of a part beyond which its journal is given up.
const MOST_BYTES: u64 = 1 << 30;

/// Keeps the pages of a part, if they come slowly.
pub(crate) struct PartJournal {
    journal: PageJournal,
    pages: PartPages,
    /// Time in which a page comes in a job that needs no journal.
    fast: Duration,
    begun: Instant,
}

/// The pages of the part so far.
enum PartPages {
    /// In memory.
    Held(Vec<Vec<u8>>),
    /// In the journal.
    Kept,
    /// Nowhere: they come fast.
    Dropped,
}

impl PartJournal {
    /// The journal of a table. A job of more pages than one in `fast` needs none.
    pub(crate) fn new(table: &'static str, fast: Duration, out: &Arc<OutputDir>) -> Self {
        Self { journal: PageJournal::new(table, out), pages: PartPages::Held(Vec::new()), fast, begun: Instant::now() }
    }

    /// Begins with the next part.
    pub(crate) fn begin(&mut self, part: u64) {
        self.journal.begin(part);
        (self.pages, self.begun) = (PartPages::Held(Vec::new()), Instant::now());
    }

    /// Takes the next full page.
    ///
    /// # Errors
    /// The disk failed.
    pub(crate) fn append(&mut self, columns: &[ColumnBuffer]) -> Result<()> {
        match &mut self.pages {
            PartPages::Held(held) => {
                let mut page = Vec::new();
                columns.iter().for_each(|column| column.append_raw(&mut page));
                held.push(page);
                if held.len() < HELD {
                    return Ok(());
                }
                if self.begun.elapsed() < self.fast * HELD as u32 {
                    self.pages = PartPages::Dropped;
                    return Ok(());
                }
                self.keep()
            }
            PartPages::Kept if self.journal.mark().bytes > MOST_BYTES => {
                self.pages = PartPages::Dropped;
                Ok(())
            }
            PartPages::Kept => self.journal.append(columns),
            PartPages::Dropped => Ok(()),
        }
    }

    /// Writes the pages that are held.
    fn keep(&mut self) -> Result<()> {
        let PartPages::Held(held) = std::mem::replace(&mut self.pages, PartPages::Kept) else { return Ok(()) };
        held.iter().try_for_each(|page| self.journal.append_raw(page))
    }

    /// How far the journal is, with all full pages of the part in it, and a handle to it; `None`:
    /// they are not kept.
    ///
    /// # Errors
    /// The disk failed.
    pub(crate) fn mark(&mut self) -> Result<Option<(JournalMark, io::Result<Option<File>>)>> {
        match &self.pages {
            PartPages::Dropped => return Ok(None),
            PartPages::Held(_) => self.keep()?,
            PartPages::Kept => {}
        }
        Ok(Some((self.journal.mark(), self.journal.handle())))
    }

    /// Goes on with the journal of an earlier execution, as [`PageJournal::resume`].
    ///
    /// # Errors
    /// The disk failed, or `each` does.
    pub(crate) fn resume(&mut self, mark: JournalMark, each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.pages = PartPages::Kept;
        self.journal.resume(mark, each)
    }
}
