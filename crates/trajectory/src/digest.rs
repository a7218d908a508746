//! Digests of the input files, found while they are being read.

use super::input_bytes::InputBytes;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::InputDigest;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::UNIX_EPOCH;

/// Bytes hashed at a time.
const CHUNK: usize = 1 << 18;

/// Bytes that are hashed in a fraction of a second: not while every processor has other work.
const FEW: u64 = 32 << 20;

/// A file of the input, as it was when it was opened.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// The file as it was named.
    pub path: PathBuf,
    /// Its length, bytes.
    pub bytes: u64,
    /// Directory levels that supply columns, such as `run=7`.
    pub levels: Vec<String>,
    pub(super) source: InputBytes,
}

impl InputFile {
    /// Whether its bytes are the copy of a stream.
    pub fn is_spooled(&self) -> bool {
        self.source.is_spooled()
    }

    /// A text that changes with its contents: the time of its last change, or the version of an
    /// object.
    ///
    /// # Errors
    /// The file is not there any more.
    pub fn state(&self) -> Result<String> {
        if let Some(version) = self.source.version() {
            return version.map_or_else(|| self.mark(), |version| Ok(version.to_owned()));
        }
        let modified = self.path.metadata().and_then(|about| about.modified());
        let modified = modified.map_err(|error| Error::unreadable(&self.path, &error))?;
        // A time before 1970 counts as 1970.
        let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(format!("{}.{:09}", since.as_secs(), since.subsec_nanos()))
    }

    /// A digest that is equal for copies of the file on several machines, without reading all of it
    /// where that can be helped: of Parquet, BLAKE3 of the footer, which holds the place and the
    /// statistics of all data; else of the whole file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn mark(&self) -> Result<String> {
        let failed = |error: io::Error| Error::unreadable(&self.path, &error);
        let (mut file, bytes) = self.source.open()?;
        let mut tail = [0; 8];
        let has_tail = bytes >= 8;
        if has_tail {
            file.seek(SeekFrom::End(-8)).and_then(|_| file.read_exact(&mut tail)).map_err(failed)?;
        }
        let [a, b, c, d, magic @ ..] = tail;
        let footer = u64::from(u32::from_le_bytes([a, b, c, d])) + 8;
        let start = if has_tail && magic == *b"PAR1" && footer <= bytes { bytes - footer } else { 0 };
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file).map_err(failed)?;
        Ok(hasher.finalize().to_hex().to_string())
    }
}

/// A handle to the input files and their digests; clones share one result.
#[derive(Clone)]
pub struct Inputs {
    shared: Arc<Shared>,
}

struct Shared {
    /// In reading order.
    files: Vec<InputFile>,
    digests: OnceLock<Result<Vec<InputDigest>>>,
    begun: AtomicBool,
}

impl Inputs {
    pub(super) fn new(files: Vec<InputFile>) -> Self {
        Self { shared: Arc::new(Shared { files, digests: OnceLock::new(), begun: AtomicBool::new(false) }) }
    }

    /// The files in reading order, with their sizes in bytes.
    pub fn files(&self) -> impl Iterator<Item = (&Path, u64)> {
        self.list().iter().map(|file| (file.path.as_path(), file.bytes))
    }

    /// The files in reading order.
    pub fn list(&self) -> &[InputFile] {
        &self.shared.files
    }

    /// The digests, in reading order. Waits for the hashing that was begun; hashes otherwise.
    ///
    /// # Errors
    /// A file cannot be read any more, or changed its size since it was opened.
    pub fn digests(&self) -> Result<Vec<InputDigest>> {
        let found = self.shared.digests.get_or_init(|| hash_all(&self.shared.files, &|| false));
        found.as_ref().cloned().map_err(copy)
    }

    /// Begins to hash what takes long; see [`Self::begin`].
    pub fn begin_early(&self) {
        if self.files().map(|(_, bytes)| bytes).sum::<u64>() > FEW {
            self.begin();
        }
    }

    /// Begins to hash in the background, if that is not begun: small files, when only the disk has
    /// work left. Gives up once nobody is left who could ask for the result.
    pub fn begin(&self) {
        if self.shared.begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let hash = move || {
            let lonely = || Arc::strong_count(&shared) == 1;
            let _ = shared.digests.get_or_init(|| hash_all(&shared.files, &lonely));
        };
        // Without a thread, `digests` hashes when it is asked.
        let _ = std::thread::Builder::new().name("clearsweep-hash".to_owned()).spawn(hash);
    }
}

/// Errors are not cloned elsewhere: the parts are public.
fn copy(error: &Error) -> Error {
    let Error { kind, place, problem, remedy } = error;
    Error { kind: *kind, place: place.clone(), problem: problem.clone(), remedy: remedy.clone() }
}

fn hash_all(files: &[InputFile], give_up: &dyn Fn() -> bool) -> Result<Vec<InputDigest>> {
    files.iter().map(|file| hash(&file.source, file.bytes, give_up)).collect()
}

/// Hashes a file of so many bytes in chunks.
fn hash(source: &InputBytes, expected: u64, give_up: &dyn Fn() -> bool) -> Result<InputDigest> {
    let path = &*source.path;
    source.prefetch_all();
    let mut file = source.open()?.0;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    let mut bytes = 0_u64;
    loop {
        let count = match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::unreadable(path, &error)),
        };
        hasher.update(&chunk[..count]);
        bytes += count as u64;
        if give_up() {
            return Err(Error::internal(path.display(), "hashing was abandoned"));
        }
    }
    if bytes != expected {
        return Err(Error::input(
            path.display(),
            format!("changed while it was read ({expected} bytes when opened, {bytes} now)"),
            "keep the trajectories unchanged while they are read",
        ));
    }
    let mut sha256 = String::with_capacity(64);
    for byte in hasher.finalize() {
        // Writing into a string cannot fail.
        let _ = write!(sha256, "{byte:02x}");
    }
    Ok(InputDigest { path: path.to_path_buf(), bytes, sha256 })
}
