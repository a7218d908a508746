//! Writing of encoded row groups to files, on a thread of its own: the disk works in parallel with
//! the encoders.

use super::atomic_file::AtomicFile;
use super::chunk::EncodedColumn;
use super::output_dir::OutputDir;
use bytes::Bytes;
use clearsweep_base::error::{Error, Result};
use clearsweep_records::TableInfo;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::TypePtr;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// The name of a part of a table, relative to the output directory.
pub(super) fn part_name(table: &str, part: u64) -> String {
    format!("{table}/part-{part:05}.parquet")
}

/// The encoded columns of a row group.
type EncodedRowGroup = Vec<EncodedColumn>;

/// A Parquet file that is being written.
type TableFile = SerializedFileWriter<AtomicFile>;

/// Writes the files of a table, one after the other.
pub(super) struct PartWriter {
    info: TableInfo,
    schema: TypePtr,
    properties: Arc<WriterProperties>,
    groups_per_part: usize,
    out: Arc<OutputDir>,
    file: Option<TableFile>,
    /// Row groups in `file`.
    groups: usize,
    /// Files that are complete.
    parts: usize,
}

impl PartWriter {
    /// Creates the writer. It opens no file before the first row group.
    pub(super) fn new(
        info: TableInfo,
        schema: TypePtr,
        properties: Arc<WriterProperties>,
        groups_per_part: usize,
        out: Arc<OutputDir>,
    ) -> Self {
        Self { info, schema, properties, groups_per_part, out, file: None, groups: 0, parts: 0 }
    }

    fn path(&self) -> String {
        match self.info.has_parts {
            true => part_name(self.info.name, self.parts as u64),
            false => self.info.file_name(),
        }
    }

    fn open(&mut self) -> Result<()> {
        let target = AtomicFile::create(&self.out, &self.path())?;
        let opened = SerializedFileWriter::new(target, Arc::clone(&self.schema), Arc::clone(&self.properties));
        self.file = Some(opened.map_err(|e| self.failed(e))?);
        Ok(())
    }

    /// Writes a row group and closes the file if it is full.
    fn push(&mut self, group: EncodedRowGroup) -> Result<()> {
        if self.file.is_none() {
            self.open()?;
        }
        if let Some(file) = &mut self.file {
            append(file, group).map_err(|e| self.failed(e))?;
        }
        self.groups += 1;
        let full = self.info.has_parts && self.groups == self.groups_per_part;
        if full { self.close() } else { Ok(()) }
    }

    fn close(&mut self) -> Result<()> {
        if let Some(file) = self.file.take() {
            close(file).map_err(|e| self.failed(e))??;
        }
        self.groups = 0;
        self.parts += 1;
        Ok(())
    }

    /// Closes the last file. A table without rows gets one file without row groups.
    fn finish(&mut self) -> Result<()> {
        if self.parts == 0 && self.file.is_none() {
            self.open()?;
        }
        if self.file.is_some() { self.close() } else { Ok(()) }
    }

    fn failed(&self, error: ParquetError) -> Error {
        let path = self.out.root().join(self.path());
        parquet_error(&self.out, &path, error)
    }
}

/// Writes a row group. The parquet crate would copy appended bytes through two buffers. Therefore
/// the pages are written past it ([`AtomicFile::write_ahead`]), and the crate only counts them.
fn append(file: &mut TableFile, group: EncodedRowGroup) -> parquet::errors::Result<()> {
    file.flush()?;
    let mut written = Vec::with_capacity(group.len());
    for EncodedColumn { bytes, close } in group {
        file.inner_mut().write_ahead(&bytes.chunks)?;
        written.push((AlreadyWritten(bytes.size as u64), close));
    }
    let mut writer = file.next_row_group()?;
    for (bytes, close) in written {
        writer.append_column(&bytes, close)?;
    }
    writer.close()?;
    file.flush()?;
    if file.inner().written() == Some(file.bytes_written() as u64) {
        return Ok(());
    }
    Err(ParquetError::General("a file does not hold the bytes that were counted".to_owned()))
}

/// A placeholder for a number of bytes that the file holds already.
#[derive(Debug, Clone, Copy)]
struct AlreadyWritten(u64);

impl Length for AlreadyWritten {
    fn len(&self) -> u64 {
        self.0
    }
}

impl ChunkReader for AlreadyWritten {
    type T = Self;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self> {
        Ok(Self(self.0 - start.min(self.0)))
    }

    fn get_bytes(&self, _start: u64, _length: usize) -> parquet::errors::Result<Bytes> {
        Err(ParquetError::General("these bytes are in the file".to_owned()))
    }
}

impl Read for AlreadyWritten {
    /// Counts bytes and leaves `to` unchanged: [`AtomicFile`] skips what the crate copies from
    /// there.
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = usize::try_from(self.0).unwrap_or(usize::MAX).min(to.len());
        self.0 -= count as u64;
        Ok(count)
    }
}

/// Writes the footer and finishes the file.
fn close(file: TableFile) -> parquet::errors::Result<Result<()>> {
    Ok(file.into_inner()?.finish())
}

/// The error of a failed write. If the disk failed, it names that cause rather than the resulting
/// Parquet error.
pub(super) fn parquet_error(out: &OutputDir, path: &std::path::Path, error: ParquetError) -> Error {
    out.failure().unwrap_or_else(|| Error::internal(path.display(), error))
}

/// Hands row groups to a writer thread: one is written while the next is encoded.
pub(super) struct RowGroupQueue {
    /// The part writer until the first row group starts the thread.
    idle: Option<PartWriter>,
    thread: Option<WriterThread>,
}

/// The writer thread.
struct WriterThread {
    /// `None` after [`RowGroupQueue::end`].
    sender: Option<SyncSender<EncodedRowGroup>>,
    /// Set before the channel is closed. If the channel closes without it, the table was abandoned.
    complete: Arc<AtomicBool>,
    thread: JoinHandle<Result<()>>,
}

impl RowGroupQueue {
    /// Creates the queue. The first row group starts the thread.
    pub(super) fn new(parts: PartWriter) -> Self {
        Self { idle: Some(parts), thread: None }
    }

    /// Begins with this part: those before are whole. To be called before the first row group.
    pub(super) fn begin_at(&mut self, part: u64) {
        if let Some(parts) = &mut self.idle {
            parts.parts = part as usize;
        }
    }

    /// Hands over a row group. Waits while the previous one is being written.
    pub(super) fn push(&mut self, group: EncodedRowGroup) -> Result<()> {
        if let Some(parts) = self.idle.take() {
            let path = parts.path();
            // Capacity zero: at most one row group waits while another is written, which bounds the
            // memory.
            let (sender, receiver) = sync_channel(0);
            let complete = Arc::new(AtomicBool::new(false));
            let thread = std::thread::Builder::new().name(format!("write {path}"));
            let written = Arc::clone(&complete);
            let thread = thread.spawn(move || write_row_groups(parts, &receiver, &written));
            let thread = thread.map_err(|error| Error::no_thread(&error))?;
            self.thread = Some(WriterThread { sender: Some(sender), complete, thread });
        }
        let sender = self.thread.as_ref().and_then(|thread| thread.sender.as_ref());
        let sent = sender.is_some_and(|sender| sender.send(group).is_ok());
        // The receiver is gone only after a failure, which the thread returns.
        if sent { Ok(()) } else { self.join().and(Err(Error::internal("writing", "a file was abandoned"))) }
    }

    /// Declares the table complete. Does not wait.
    pub(super) fn end(&mut self) {
        if let Some(thread) = &mut self.thread {
            thread.complete.store(true, Ordering::Release);
            thread.sender = None;
        }
    }

    /// Waits until every file is complete. [`Self::end`] comes before.
    pub(super) fn finish(mut self) -> Result<()> {
        debug_assert!(self.thread.as_ref().is_none_or(|thread| thread.sender.is_none()), "`end` was called");
        match self.idle.take() {
            Some(mut parts) => parts.finish(),
            None => self.join(),
        }
    }

    fn join(&mut self) -> Result<()> {
        let Some(WriterThread { sender, thread, .. }) = self.thread.take() else { return Ok(()) };
        drop(sender);
        thread.join().unwrap_or_else(|_| Err(Error::internal("writing", "the thread that writes files panicked")))
    }
}

impl Drop for RowGroupQueue {
    fn drop(&mut self) {
        // The thread must close its files before the output directory removes them.
        let _ = self.join();
    }
}

/// The body of the writer thread.
fn write_row_groups(mut parts: PartWriter, groups: &Receiver<EncodedRowGroup>, complete: &AtomicBool) -> Result<()> {
    for group in groups {
        parts.push(group)?;
    }
    if complete.load(Ordering::Acquire) { parts.finish() } else { Ok(()) }
}
