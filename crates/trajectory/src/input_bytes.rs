//! The bytes of an input file, which are read several times: those at its path, a copy of a stream,
//! or an object of a store.

use clearsweep_base::error::{Error, Result};
use clearsweep_store::{RemoteFile, read_at};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Bytes that can be opened again and again.
#[derive(Debug, Clone)]
pub(super) struct InputBytes {
    /// The name in messages: the path, unless there is a copy.
    pub(super) path: Arc<Path>,
    held: HeldBytes,
}

/// The place of bytes.
#[derive(Debug, Clone)]
enum HeldBytes {
    /// At the path.
    Path,
    /// In the copy of a stream, a temporary file without a name.
    Spool(Arc<File>),
    /// In a store; copied where they are read.
    Object(Arc<RemoteFile>),
}

impl InputBytes {
    /// Those of a file.
    pub(super) fn of_file(path: &Path) -> Self {
        Self { path: Arc::from(path), held: HeldBytes::Path }
    }

    /// Those of a stream of this name that was copied.
    pub(super) fn of_spool(name: Arc<Path>, spool: File) -> Self {
        Self { path: name, held: HeldBytes::Spool(Arc::new(spool)) }
    }

    /// Those of an object.
    pub(super) fn of_object(object: Arc<RemoteFile>) -> Self {
        Self { path: Arc::from(object.address().to_path()), held: HeldBytes::Object(object) }
    }

    /// Whether they are the copy of a stream.
    pub(super) fn is_spooled(&self) -> bool {
        matches!(self.held, HeldBytes::Spool(_))
    }

    /// The version of the object, if the store tells one; `None`: the bytes are those of no object.
    pub(super) fn version(&self) -> Option<Option<&str>> {
        match &self.held {
            HeldBytes::Object(object) => Some(object.version()),
            HeldBytes::Path | HeldBytes::Spool(_) => None,
        }
    }

    /// Has ranges fetched that will be read soon, if they come over a network.
    pub(super) fn prefetch(&self, ranges: impl IntoIterator<Item = Range<u64>>) {
        if let HeldBytes::Object(object) = &self.held {
            object.prefetch(ranges);
        }
    }

    /// Has all of them fetched, if they come over a network.
    pub(super) fn prefetch_all(&self) {
        self.prefetch(std::iter::once(0..u64::MAX));
    }

    /// Opens them, at the first byte; with their number.
    ///
    /// # Errors
    /// The file is missing or unreadable.
    pub(super) fn open(&self) -> Result<(OpenBytes, u64)> {
        let unreadable = |error| Error::unreadable(&self.path, &error);
        let file = match &self.held {
            HeldBytes::Path => Arc::new(File::open(&self.path).map_err(unreadable)?),
            HeldBytes::Spool(spool) => Arc::clone(spool),
            HeldBytes::Object(object) => {
                return Ok((OpenBytes { from: OpenFrom::Object(Arc::clone(object)), at: 0 }, object.bytes()));
            }
        };
        let bytes = file.metadata().map_err(unreadable)?.len();
        Ok((OpenBytes { from: OpenFrom::File(file), at: 0 }, bytes))
    }
}

/// An open file with a place of its own: clones, and others that read the file, do not move it.
#[derive(Debug, Clone)]
pub(super) struct OpenBytes {
    from: OpenFrom,
    at: u64,
}

#[derive(Debug, Clone)]
enum OpenFrom {
    File(Arc<File>),
    Object(Arc<RemoteFile>),
}

impl OpenBytes {
    /// The same file from a byte on.
    pub(super) fn from(&self, at: u64) -> Self {
        Self { at, ..self.clone() }
    }
}

impl Read for OpenBytes {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = match &self.from {
            OpenFrom::File(file) => read_at(file, to, self.at)?,
            OpenFrom::Object(object) => object.read_at(to, self.at)?,
        };
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for OpenBytes {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => {
                let bytes = match &self.from {
                    OpenFrom::File(file) => file.metadata()?.len(),
                    OpenFrom::Object(object) => object.bytes(),
                };
                bytes.checked_add_signed(by)
            }
        };
        self.at = at.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a place before the file"))?;
        Ok(self.at)
    }
}
