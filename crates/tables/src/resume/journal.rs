//! The journal of a table: its full pages before they are encoded, in the order of the rows.
//!
//! A table of parts begins a new journal with each part, since a whole part needs none.

use crate::column_buffer::ColumnBuffer;
use crate::folder::Folder;
use crate::output_dir::{OutputDir, checkpoint_names as checkpoints};
use clearsweep_base::error::Result;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

/// How far a journal was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JournalMark {
    /// The part that its pages belong to.
    pub part: u64,
    /// Number of pages.
    pub pages: u64,
    /// Bytes of these pages.
    pub bytes: u64,
    /// Their checksum (CRC-32).
    checksum: u32,
}

/// A journal that is being written.
#[derive(Debug)]
pub(crate) struct PageJournal {
    out: Arc<OutputDir>,
    table: &'static str,
    mark: JournalMark,
    /// `None` before the first page.
    file: Option<File>,
    checksum: crc32fast::Hasher,
    page: Vec<u8>,
}

/// The name of a journal in the folder of checkpoints.
pub(crate) fn name(table: &str, part: u64) -> String {
    format!("{table}-{part:05}{}", checkpoints::PAGES)
}

impl PageJournal {
    /// A journal without pages.
    pub(crate) fn new(table: &'static str, out: &Arc<OutputDir>) -> Self {
        let checksum = crc32fast::Hasher::new();
        Self { out: Arc::clone(out), table, mark: JournalMark::default(), file: None, checksum, page: Vec::new() }
    }

    /// How far it is written.
    pub(crate) fn mark(&self) -> JournalMark {
        self.mark
    }

    /// Another handle to its file, for whoever waits for the disk.
    pub(crate) fn handle(&self) -> io::Result<Option<File>> {
        self.file.as_ref().map(File::try_clone).transpose()
    }

    /// Begins the journal of a part.
    pub(crate) fn begin(&mut self, part: u64) {
        (self.file, self.checksum) = (None, crc32fast::Hasher::new());
        self.mark = JournalMark { part, ..JournalMark::default() };
    }

    /// Appends a page: all columns, all values.
    ///
    /// # Errors
    /// The disk failed.
    pub(crate) fn append(&mut self, columns: &[ColumnBuffer]) -> Result<()> {
        self.page.clear();
        columns.iter().for_each(|column| column.append_raw(&mut self.page));
        self.write_page().map_err(|error| self.out.error(self.out.root(), &error))
    }

    /// Appends a page as [`ColumnBuffer::append_raw`] wrote its columns.
    ///
    /// # Errors
    /// The disk failed.
    pub(crate) fn append_raw(&mut self, page: &[u8]) -> Result<()> {
        self.page.clear();
        self.page.extend_from_slice(page);
        self.write_page().map_err(|error| self.out.error(self.out.root(), &error))
    }

    fn write_page(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let mut file = self.out.checkpoints()?.create_file(name(self.table, self.mark.part))?;
                file.write_all(checkpoints::PAGES_HEAD)?;
                none.insert(file)
            }
        };
        file.write_all(&self.page)?;
        self.checksum.update(&self.page);
        self.mark.pages += 1;
        self.mark.bytes += self.page.len() as u64;
        self.mark.checksum = self.checksum.clone().finalize();
        Ok(())
    }

    /// Goes on with the journal of an earlier execution, whose pages up to `mark` are handed to
    /// `each`, one by one, and cuts off what follows them.
    ///
    /// # Errors
    /// The disk failed, or `each` does.
    pub(crate) fn resume(&mut self, mark: JournalMark, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.begin(mark.part);
        if mark.pages == 0 {
            return Ok(());
        }
        let out = Arc::clone(&self.out);
        let failed = |error: io::Error| out.error(out.root(), &error);
        let file = out.checkpoints().and_then(|folder| folder.open_to_change(name(self.table, mark.part)));
        let mut file = file.map_err(failed)?;
        file.seek(SeekFrom::Start(checkpoints::PAGES_HEAD.len() as u64)).map_err(failed)?;
        self.page.resize((mark.bytes / mark.pages) as usize, 0);
        for _ in 0..mark.pages {
            file.read_exact(&mut self.page).map_err(failed)?;
            each(&self.page)?;
        }
        file.set_len(checkpoints::PAGES_HEAD.len() as u64 + mark.bytes).map_err(failed)?;
        self.checksum = crc32fast::Hasher::new_with_initial_len(mark.checksum, mark.bytes);
        (self.file, self.mark) = (Some(file), mark);
        Ok(())
    }
}

/// Whether the journal of a table holds what it held at `mark`.
pub(crate) fn is_intact(folder: &Folder, table: &str, mark: JournalMark) -> io::Result<bool> {
    if mark.pages == 0 {
        return Ok(true);
    }
    let mut file = BufReader::with_capacity(1 << 20, folder.open_file(name(table, mark.part))?);
    let mut head = [0; checkpoints::PAGES_HEAD.len()];
    file.read_exact(&mut head)?;
    let (mut rest, mut checksum, mut chunk) = (mark.bytes, crc32fast::Hasher::new(), vec![0; 1 << 20]);
    while rest > 0 {
        let part = &mut chunk[..rest.min(1 << 20) as usize];
        file.read_exact(part)?;
        checksum.update(part);
        rest -= part.len() as u64;
    }
    Ok(head == *checkpoints::PAGES_HEAD && checksum.finalize() == mark.checksum)
}
