//! The bytes of an input file, which are read several times: those at its path, or a copy of a stream.

use clearsweep_base::error::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Bytes that can be opened again and again.
#[derive(Debug, Clone)]
pub(super) struct InputBytes {
    /// The name in messages: the path, unless there is a copy.
    pub(super) path: Arc<Path>,
    /// The copy of a stream, in a temporary file without a name.
    spool: Option<Arc<File>>,
}

impl InputBytes {
    /// Those of a file.
    pub(super) fn of_file(path: &Path) -> Self {
        Self { path: Arc::from(path), spool: None }
    }

    /// Those of a stream of this name that was copied.
    pub(super) fn of_spool(name: Arc<Path>, spool: File) -> Self {
        Self { path: name, spool: Some(Arc::new(spool)) }
    }

    /// Whether they are the copy of a stream.
    pub(super) fn is_spooled(&self) -> bool {
        self.spool.is_some()
    }

    /// Opens them, at the first byte; with their number.
    ///
    /// # Errors
    /// The file is missing or unreadable.
    pub(super) fn open(&self) -> Result<(OpenBytes, u64)> {
        let unreadable = |error| Error::unreadable(&self.path, &error);
        let file = match &self.spool {
            Some(spool) => Arc::clone(spool),
            None => Arc::new(File::open(&self.path).map_err(unreadable)?),
        };
        let bytes = file.metadata().map_err(unreadable)?.len();
        Ok((OpenBytes { file, at: 0 }, bytes))
    }
}

/// An open file with a place of its own: clones, and others that read the file, do not move it.
#[derive(Debug, Clone)]
pub(super) struct OpenBytes {
    file: Arc<File>,
    at: u64,
}

impl OpenBytes {
    /// The same file from a byte on.
    pub(super) fn from(&self, at: u64) -> Self {
        Self { at, ..self.clone() }
    }
}

#[cfg(unix)]
fn read_at(file: &File, to: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, to, at)
}

#[cfg(windows)]
fn read_at(file: &File, to: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, to, at)
}

#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, to: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek(SeekFrom::Start(at))?;
    file.read(to)
}

impl Read for OpenBytes {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = read_at(&self.file, to, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for OpenBytes {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.len().checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a place before the file"))?;
        Ok(self.at)
    }
}
