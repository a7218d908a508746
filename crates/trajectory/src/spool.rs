//! Streams that can be read once only, copied to a temporary file: bounds are taken before poses,
//! so that rows are read twice.
//!
//! The file has no name: it vanishes with the process, however that ends.

use super::input_bytes::InputBytes;
use clearsweep_base::error::{Error, Result};
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Bytes read from a stream at a time, and how many such pieces may wait to be written.
const PIECE: usize = 1 << 18;
const WAITING: usize = 4;

/// How often somebody is asked whether the stream is still wanted, while nothing comes.
const ASK: Duration = Duration::from_millis(20);

type Reader = Box<dyn Read + Send>;

/// A stream of bytes in place of the files of trajectories: Arrow IPC or Parquet. Clones share it,
/// and one of them reads it.
#[derive(Clone)]
pub struct InputStream {
    name: Arc<Path>,
    reader: Arc<Mutex<Option<Reader>>>,
}

impl InputStream {
    /// A stream that messages and the manifest call by this name.
    pub fn new(name: impl Into<PathBuf>, reader: impl Read + Send + 'static) -> Self {
        Self { name: Arc::from(name.into()), reader: Arc::new(Mutex::new(Some(Box::new(reader)))) }
    }

    /// Copies the stream to a temporary file in `folder`, as long as somebody `wants` it.
    ///
    /// # Errors
    /// It cannot be read, or was read before; the file cannot be written; nobody wants it.
    pub(super) fn spool(&self, folder: Option<&Path>, wants: &dyn Fn() -> bool) -> Result<InputBytes> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        let reader = reader.ok_or_else(|| {
            Error::usage(self.name.display(), "was read already", "a stream can be read once: give it again")
        })?;
        spool(&self.name, move || Ok(reader), folder, wants)
    }
}

impl PartialEq for InputStream {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.reader, &other.reader)
    }
}

impl fmt::Debug for InputStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InputStream").field(&self.name).finish()
    }
}

/// Copies a pipe at a path, as [`InputStream::spool`] does.
///
/// # Errors
/// As for that.
pub(super) fn spool_pipe(path: &Path, folder: Option<&Path>, wants: &dyn Fn() -> bool) -> Result<InputBytes> {
    let name: Arc<Path> = Arc::from(path);
    let pipe = Arc::clone(&name);
    spool(&name, move || Ok(Box::new(File::open(pipe)?) as Reader), folder, wants)
}

/// Copies what `open` opens. A thread of its own reads, since a pipe may keep it waiting for ever:
/// whoever wants the stream no longer leaves the thread to itself, and it ends with the next piece.
fn spool(
    name: &Arc<Path>,
    open: impl FnOnce() -> io::Result<Reader> + Send + 'static,
    folder: Option<&Path>,
    wants: &dyn Fn() -> bool,
) -> Result<InputBytes> {
    let mut file = temporary(folder)?;
    let (sender, pieces) = bounded(WAITING);
    let copier = std::thread::Builder::new().name("clearsweep-spool".to_owned());
    copier.spawn(move || read(open, &sender)).map_err(|error| Error::no_thread(&error))?;
    loop {
        match pieces.recv_timeout(ASK) {
            Ok(Ok(piece)) if piece.is_empty() => return Ok(InputBytes::of_spool(Arc::clone(name), file)),
            Ok(Ok(piece)) => file.write_all(&piece).map_err(|error| unwritable(folder, &error))?,
            Ok(Err(error)) => return Err(Error::unreadable(name, &error)),
            Err(RecvTimeoutError::Disconnected) => return Err(Error::internal(name.display(), "its reader panicked")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if !wants() {
            return Err(Error::cancelled());
        }
    }
}

/// Sends the stream in pieces, an empty one last, or the error that ends it.
fn read(open: impl FnOnce() -> io::Result<Reader>, pieces: &Sender<io::Result<Vec<u8>>>) {
    let mut reader = match open() {
        Ok(reader) => reader,
        Err(error) => return drop(pieces.send(Err(error))),
    };
    loop {
        let mut piece = vec![0; PIECE];
        let goes_on = match reader.read(&mut piece) {
            Ok(count) => {
                piece.truncate(count);
                pieces.send(Ok(piece)).is_ok() && count > 0
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return drop(pieces.send(Err(error))),
        };
        if !goes_on {
            return;
        }
    }
}

/// A new temporary file without a name.
fn temporary(folder: Option<&Path>) -> Result<File> {
    folder.map_or_else(tempfile::tempfile, tempfile::tempfile_in).map_err(|error| unwritable(folder, &error))
}

fn unwritable(folder: Option<&Path>, error: &io::Error) -> Error {
    let folder =
        folder.map_or_else(|| "the system's directory of temporary files".to_owned(), |f| f.display().to_string());
    Error::output(
        format!("{folder}, a temporary file"),
        format!("cannot be written ({error})"),
        "free space on that disk (about the size of the stream), or choose another with --temp DIR",
    )
}
