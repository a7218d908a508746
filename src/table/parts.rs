//! Encoded row groups to files, on a thread of its own, so that the disk works beside the encoders.

use super::chunk::EncodedColumn;
use super::encoder::ParquetFile;
use super::output_dir::OutputDir;
use crate::error::{Error, Result};
use bytes::Bytes;
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

/// How the files of a table are called.
#[derive(Debug, Clone, Copy)]
pub(super) enum Naming {
    /// `NAME/part-NNNNN.parquet`, each of a fixed number of row groups.
    Parts(&'static str),
    /// One file of this name.
    Single(&'static str),
}

/// The columns of a row group, encoded.
type RowGroup = Vec<EncodedColumn>;

/// The files of a table, written one after the other.
pub(super) struct Parts {
    naming: Naming,
    schema: TypePtr,
    properties: Arc<WriterProperties>,
    groups_per_part: usize,
    out: Arc<OutputDir>,
    file: Option<ParquetFile>,
    groups: usize,
    parts: usize,
}

impl Parts {
    /// No file is opened before the first row group.
    pub(super) fn new(
        naming: Naming,
        schema: TypePtr,
        properties: Arc<WriterProperties>,
        groups_per_part: usize,
        out: Arc<OutputDir>,
    ) -> Self {
        Self { naming, schema, properties, groups_per_part, out, file: None, groups: 0, parts: 0 }
    }

    fn path(&self) -> String {
        match self.naming {
            Naming::Parts(directory) => format!("{directory}/part-{:05}.parquet", self.parts),
            Naming::Single(name) => name.to_owned(),
        }
    }

    fn open(&mut self) -> Result<()> {
        let target = self.out.create(&self.path())?;
        let opened = SerializedFileWriter::new(target, Arc::clone(&self.schema), Arc::clone(&self.properties));
        self.file = Some(opened.map_err(|e| self.failed(e))?);
        Ok(())
    }

    fn push(&mut self, group: RowGroup) -> Result<()> {
        if self.file.is_none() {
            self.open()?;
        }
        if let Some(file) = &mut self.file {
            append(file, group).map_err(|e| self.failed(e))?;
        }
        self.groups += 1;
        let full = matches!(self.naming, Naming::Parts(_)) && self.groups == self.groups_per_part;
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

    /// Closes the last file; a table without rows gets one empty file.
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

/// The library copies what it appends through a small buffer into its own. So the pages are written beside it, and it
/// is told of bytes that are there already.
fn append(file: &mut ParquetFile, group: RowGroup) -> parquet::errors::Result<()> {
    file.flush()?;
    let mut written = Vec::with_capacity(group.len());
    for EncodedColumn { bytes, close } in group {
        file.inner_mut().write_ahead(&bytes.segments)?;
        written.push((Written(bytes.size as u64), close));
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

/// So many bytes of a column chunk that the file has already.
#[derive(Debug, Clone, Copy)]
struct Written(u64);

impl Length for Written {
    fn len(&self) -> u64 {
        self.0
    }
}

impl ChunkReader for Written {
    type T = Self;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self> {
        Ok(Self(self.0 - start.min(self.0)))
    }

    fn get_bytes(&self, _start: u64, _length: usize) -> parquet::errors::Result<Bytes> {
        Err(ParquetError::General("these bytes are in the file".to_owned()))
    }
}

impl Read for Written {
    /// Counts, and leaves `to` as it is.
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = usize::try_from(self.0).unwrap_or(usize::MAX).min(to.len());
        self.0 -= count as u64;
        Ok(count)
    }
}

fn close(file: ParquetFile) -> parquet::errors::Result<Result<()>> {
    Ok(file.into_inner()?.finish())
}

/// A failed write: the user hears of the disk, not of Parquet.
pub(super) fn parquet_error(out: &OutputDir, path: &std::path::Path, error: ParquetError) -> Error {
    out.failure().unwrap_or_else(|| Error::internal(path.display(), error))
}

/// Row groups on their way to the disk: one is written while the next is encoded.
pub(super) struct Queue {
    /// Until the first row group is pushed.
    idle: Option<Parts>,
    worker: Option<Worker>,
}

/// The thread that writes.
struct Worker {
    /// Taken when all is sent.
    sender: Option<SyncSender<RowGroup>>,
    /// Set before the channel is closed; a channel that closes without it was abandoned.
    complete: Arc<AtomicBool>,
    thread: JoinHandle<Result<()>>,
}

impl Queue {
    /// Starts no thread yet.
    pub(super) fn new(parts: Parts) -> Self {
        Self { idle: Some(parts), worker: None }
    }

    /// Hands over a row group; waits while the one before is still being written.
    pub(super) fn push(&mut self, group: RowGroup) -> Result<()> {
        if let Some(parts) = self.idle.take() {
            let path = parts.path();
            // No buffer: at most one row group waits beside the one that is written.
            let (sender, receiver) = sync_channel(0);
            let complete = Arc::new(AtomicBool::new(false));
            let thread = std::thread::Builder::new().name(format!("write {path}"));
            let written = Arc::clone(&complete);
            let thread = thread.spawn(move || drain(parts, &receiver, &written));
            let thread = thread.map_err(|e| Error::output(path, e, "allow more threads"))?;
            self.worker = Some(Worker { sender: Some(sender), complete, thread });
        }
        let sender = self.worker.as_ref().and_then(|worker| worker.sender.as_ref());
        let sent = sender.is_some_and(|sender| sender.send(group).is_ok());
        // A receiver that is gone has failed: its thread says why.
        if sent { Ok(()) } else { self.join().and(Err(Error::internal("writing", "a file was abandoned"))) }
    }

    /// Says that all is sent, and waits for nothing.
    pub(super) fn end(&mut self) {
        if let Some(worker) = &mut self.worker {
            worker.complete.store(true, Ordering::Release);
            worker.sender = None;
        }
    }

    /// Waits until every file is whole; `end` came before.
    pub(super) fn finish(mut self) -> Result<()> {
        match self.idle.take() {
            Some(mut parts) => parts.finish(),
            None => self.join(),
        }
    }

    fn join(&mut self) -> Result<()> {
        let Some(Worker { sender, thread, .. }) = self.worker.take() else { return Ok(()) };
        drop(sender);
        thread.join().unwrap_or_else(|_| Err(Error::internal("writing", "the thread that writes files panicked")))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // The thread must have let go of its files before the output directory takes them back.
        let _ = self.join();
    }
}

fn drain(mut parts: Parts, groups: &Receiver<RowGroup>, complete: &AtomicBool) -> Result<()> {
    for group in groups {
        parts.push(group)?;
    }
    if complete.load(Ordering::Acquire) { parts.finish() } else { Ok(()) }
}
