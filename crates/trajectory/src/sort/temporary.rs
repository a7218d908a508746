//! The file to be written until it is whole: under a temporary name beside its own, which a lock
//! marks as in use.
//!
//! The system releases the lock when the process ends in any way, so a file of such a name without
//! a lock was left by a sort that was killed. The next sort to the same file removes it.

use clearsweep_base::open_file::is_at;
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use tempfile::NamedTempFile;

/// Text that follows the name of the file in its temporary name `.NAME.clearsweep-XXXXXX.tmp`.
const MARK: &str = ".clearsweep-";
const SUFFIX: &str = ".tmp";
/// Attempts to create a file that no other sort takes for one that was left.
const ATTEMPTS: usize = 16;

/// A file under its temporary name. Dropped before it is kept, it is gone.
pub(super) struct TemporaryOutput(NamedTempFile);

impl TemporaryOutput {
    /// A new file in `folder` that is to get a name; removes those that were left there for the
    /// same name.
    ///
    /// # Errors
    /// It cannot be created.
    pub(super) fn create(folder: &Path, name: &OsStr) -> io::Result<Self> {
        remove_left(folder, name);
        let prefix = prefix(name);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX);
        #[cfg(unix)]
        // As any new file: what the process' mask leaves of it.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        for _ in 0..ATTEMPTS {
            let file = builder.tempfile_in(folder)?;
            // Between its creation and its lock another sort may take it for one that was left, and
            // remove it.
            let is_taken = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
            if !is_taken && is_at(file.as_file(), file.path()) {
                return Ok(Self(file));
            }
        }
        Err(io::Error::other("other processes remove its temporary files"))
    }

    /// The file.
    pub(super) fn as_file(&self) -> &File {
        self.0.as_file()
    }

    /// Gives the file its name; `replace`: also if a file has it.
    ///
    /// # Errors
    /// It cannot be renamed, or a file has the name.
    pub(super) fn keep(self, path: &Path, replace: bool) -> io::Result<()> {
        let folder = self.0.path().parent().map(Path::to_owned);
        let kept = if replace { self.0.persist(path) } else { self.0.persist_noclobber(path) };
        kept.map_err(|error| error.error)?;
        if cfg!(unix) {
            // The name is on the disk when the folder is. Not every file system can be asked to do
            // that.
            let _ = folder.map(|folder| File::open(folder).and_then(|folder| folder.sync_all()));
        }
        Ok(())
    }
}

/// Returns the beginning of the temporary names of a file. It has only the beginning of a long
/// name, since a name has at most 255 bytes.
fn prefix(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    let end = (0..=name.len().min(128)).rev().find(|&end| name.is_char_boundary(end)).unwrap_or(0);
    format!(".{}{MARK}", &name[..end])
}

/// Removes the temporary files of sorts that were killed. What cannot be removed stays: it is in no
/// one's way.
fn remove_left(folder: &Path, name: &OsStr) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if !is_temporary(&entry.file_name(), name) || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // On a file system without locks nobody knows whether its sort still runs.
        let Ok(file) = File::open(&path) else { continue };
        if file.try_lock().is_ok() && is_at(&file, &path) {
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// Whether a name is a temporary one of the file `of`.
fn is_temporary(name: &OsStr, of: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let random = name.strip_prefix(&prefix(of)).and_then(|rest| rest.strip_suffix(SUFFIX));
    random.is_some_and(|random| !random.is_empty() && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_killed_sort_left_is_removed() {
        let dir = tempfile::tempdir().expect("scratch");
        let at = |name: &str| dir.path().join(name);
        let strangers = [".other.parquet.clearsweep-abc123.tmp", ".out.parquet.clearsweep-.tmp", ".out.parquet.tmp"];
        for name in strangers.iter().chain(&[".out.parquet.clearsweep-abc123.tmp"]) {
            std::fs::write(at(name), "rows").expect("written");
        }
        let busy = TemporaryOutput::create(dir.path(), OsStr::new("out.parquet")).expect("created");
        assert!(!at(".out.parquet.clearsweep-abc123.tmp").exists());
        let other = TemporaryOutput::create(dir.path(), OsStr::new("out.parquet")).expect("created");
        assert!(busy.0.path().exists() && strangers.iter().all(|name| at(name).exists()));
        busy.keep(&at("out.parquet"), false).expect("kept");
        let other_path = other.0.path().to_owned();
        assert!(other.keep(&at("out.parquet"), false).is_err() && !other_path.exists());
        assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), strangers.len() + 1);
    }
}
