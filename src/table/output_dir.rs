//! The output directory: its lock, the files of an earlier execution, and removal of everything after a failure.

use super::background_io::DeferredClose;
use crate::error::{Error, Result};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The lock file of the execution that writes into the directory.
const LOCK: &str = ".clearsweep.lock";
/// Prefix and suffix of a file name until the file is complete: `.NAME.tmp`.
const TEMPORARY: (&str, &str) = (".", ".tmp");
/// Files in the directory itself.
const FILES: [&str; 4] = ["manifest.json", "bodies.parquet", "pairs.parquet", "runs.parquet"];
/// Subdirectories, which hold files `part-NNNNN.parquet`.
const PART_DIRECTORIES: [&str; 2] = ["distances", "penetrations"];

/// The output directory of this execution. If it is dropped before [`OutputDir::complete`], it removes everything that
/// this execution wrote.
#[derive(Debug)]
pub(super) struct OutputDir {
    root: PathBuf,
    /// Directories that this execution created, outermost first.
    made: Mutex<Vec<PathBuf>>,
    /// Files that this execution wrote, temporary names included.
    files: Mutex<BTreeSet<PathBuf>>,
    /// Bytes of complete files.
    bytes: AtomicU64,
    /// The locked lock file. The system releases the lock when the process ends in any way, so a lock file without a
    /// lock was left by an execution that was killed.
    lock_file: Mutex<Option<File>>,
    /// The first write that failed, with its path. The parquet crate does not pass the cause through in its errors.
    failure: Mutex<Option<(PathBuf, io::Error)>>,
    completed: AtomicBool,
    /// Bytes that may be written before a simulated full disk (tests).
    #[cfg(test)]
    pub(super) room: AtomicU64,
}

impl OutputDir {
    /// Creates the directory if it is missing, locks it, and with `force` removes the files of an earlier execution. An
    /// execution that is still running is never disturbed.
    ///
    /// # Errors
    /// The path is a file or a link, or the directory is in use, not empty (without `force`), holds foreign files, or
    /// cannot be written.
    pub(super) fn claim(root: &Path, force: bool) -> Result<Arc<Self>> {
        let made = make_directories(root)?;
        let out = Self {
            root: root.to_owned(),
            made: Mutex::new(made),
            files: Mutex::default(),
            bytes: AtomicU64::new(0),
            lock_file: Mutex::default(),
            failure: Mutex::default(),
            completed: AtomicBool::new(false),
            #[cfg(test)]
            room: AtomicU64::new(u64::MAX),
        };
        out.lock(force)?;
        let earlier = out.earlier_files(force)?;
        out.remove_earlier(&earlier)?;
        Ok(Arc::new(out))
    }

    /// The path of the directory.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Bytes of all complete files.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Declares the output complete: removes the lock, and dropping removes nothing.
    pub(super) fn complete(&self) -> Result<()> {
        let lock = self.root.join(LOCK);
        fs::remove_file(&lock).map_err(|e| self.error(&lock, &e))?;
        self.completed.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Prepares a new file: creates its folder and registers its temporary name for removal. `name` is relative to the
    /// directory, with at most one folder. Returns its temporary path and its final path.
    pub(super) fn reserve(&self, name: &str) -> Result<[PathBuf; 2]> {
        let target = self.root.join(name);
        if let Some(parent) = target.parent().filter(|p| *p != self.root) {
            match fs::create_dir(parent) {
                Ok(()) => guard(&self.made).push(parent.to_owned()),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                Err(e) => return Err(self.error(parent, &e)),
            }
        }
        let file_name = target.file_name().unwrap_or_default().to_string_lossy();
        let temporary = target.with_file_name(format!("{}{file_name}{}", TEMPORARY.0, TEMPORARY.1));
        guard(&self.files).insert(temporary.clone());
        Ok([temporary, target])
    }

    /// Gives a complete file of `bytes` bytes its final name.
    pub(super) fn rename(&self, temporary: &Path, target: PathBuf, bytes: u64) -> Result<()> {
        // Registered before it exists, so that a failure at any point leaves nothing behind.
        guard(&self.files).insert(target.clone());
        fs::rename(temporary, &target).map_err(|e| self.error(&target, &e))?;
        guard(&self.files).remove(temporary);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Remembers the first write that failed: [`Self::failure`].
    pub(super) fn record_failure(&self, path: &Path, error: io::Error) {
        guard(&self.failure).get_or_insert((path.to_owned(), error));
    }

    /// The error for a failed operation on `path`, with a remedy.
    pub(super) fn error(&self, path: &Path, error: &io::Error) -> Error {
        let remedy = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "free space on that disk, or choose another with --out; nothing was left behind"
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "check the permissions of the output directory, or choose another with --out"
            }
            _ => "check the disk of the output directory, or choose another with --out",
        };
        Error::output(path.display(), format!("cannot be written ({error})"), remedy)
    }

    /// The error for the first write that failed.
    pub(super) fn failure(&self) -> Option<Error> {
        guard(&self.failure).as_ref().map(|(path, error)| self.error(path, error))
    }

    /// Creates and locks the lock file. With `force`, a lock file that is not locked is replaced.
    fn lock(&self, force: bool) -> Result<()> {
        let path = self.root.join(LOCK);
        if fs::symlink_metadata(&path).is_ok_and(|m| m.is_file()) {
            let left = File::open(&path).map_err(|e| self.error(&path, &e))?;
            let killed = match left.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => return Err(self.in_use()),
                Err(TryLockError::Error(_)) => false, // a file system without locks
            };
            if !force {
                return Err(self.left_behind(killed));
            }
            fs::remove_file(&path).map_err(|e| self.error(&path, &e))?;
        }
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                    return Err(self.in_use());
                }
                guard(&self.files).insert(path.clone());
                writeln!(file, "process {}", std::process::id()).map_err(|e| self.error(&path, &e))?;
                *guard(&self.lock_file) = Some(file);
                Ok(())
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(self.in_use()),
            Err(e) => Err(self.error(&self.root, &e)),
        }
    }

    /// The error for a directory of a running execution. `--force` does not override it: two executions would remove
    /// each other's files.
    fn in_use(&self) -> Error {
        guard(&self.made).clear(); // directories of the other execution must not be removed
        let remedy = "wait until it has ended, or choose another directory";
        Error::output(self.root.display(), format!("another execution is writing here ({LOCK} is held)"), remedy)
    }

    /// The error for a lock file that nobody is known to hold. `killed`: certainly nobody holds it.
    fn left_behind(&self, killed: bool) -> Error {
        guard(&self.made).clear();
        let (problem, remedy) = if killed {
            ("an execution was interrupted here", "remove what it left with --force, or choose another directory")
        } else {
            (
                "another execution is writing here, or one was interrupted",
                "wait for it, or choose another directory; if none is running, --force removes what it left",
            )
        };
        Error::output(self.root.display(), format!("{problem}: {LOCK} exists"), remedy)
    }

    /// The files and folders that an earlier execution left.
    ///
    /// # Errors
    /// The directory is not empty (without `force`), or holds anything that clearsweep did not write.
    fn earlier_files(&self, force: bool) -> Result<Vec<PathBuf>> {
        let mut earlier = Vec::new();
        for (name, path) in self.entries(&self.root)? {
            if name == LOCK {
                continue;
            }
            if !force {
                return Err(Error::output(
                    self.root.display(),
                    format!("the directory is not empty (it holds {name:?})"),
                    "choose another directory, or replace what an earlier execution wrote with --force",
                ));
            }
            if PART_DIRECTORIES.contains(&name.as_str()) && is_directory(&path) {
                for (part, path) in self.entries(&path)? {
                    self.check_known(is_part(strip_temporary(&part)), &path)?;
                    earlier.push(path);
                }
                earlier.push(path);
            } else {
                self.check_known(FILES.contains(&strip_temporary(&name)), &path)?;
                earlier.push(path);
            }
        }
        Ok(earlier)
    }

    /// Fails unless `path` is a regular file with a `known` name.
    fn check_known(&self, known: bool, path: &Path) -> Result<()> {
        if known && fs::symlink_metadata(path).is_ok_and(|m| m.is_file()) {
            return Ok(());
        }
        let name = path.strip_prefix(&self.root).unwrap_or(path);
        Err(Error::output(
            self.root.display(),
            format!("the directory holds {:?}, which clearsweep did not write", name.display().to_string()),
            "--force removes only what clearsweep wrote: move that away, or choose another directory",
        ))
    }

    /// Removes the files and folders of an earlier execution.
    fn remove_earlier(&self, earlier: &[PathBuf]) -> Result<()> {
        // The manifest goes first: without it, the remaining files cannot be mistaken for a complete result.
        let manifest = self.root.join(FILES[0]);
        let first = earlier.iter().filter(|p| **p == manifest);
        let mut removed = DeferredClose::default();
        for path in first.chain(earlier.iter().filter(|p| **p != manifest)) {
            let done = if is_directory(path) {
                fs::remove_dir(path)
            } else {
                removed.hold(path);
                fs::remove_file(path)
            };
            done.map_err(|e| self.error(path, &e))?;
        }
        Ok(())
    }

    /// Names and paths of the entries of a directory, sorted by name.
    fn entries(&self, path: &Path) -> Result<Vec<(String, PathBuf)>> {
        let list = fs::read_dir(path).and_then(|entries| {
            entries.map(|e| e.map(|e| (e.file_name().to_string_lossy().into_owned(), e.path()))).collect()
        });
        let mut list: Vec<_> = list.map_err(|e| self.error(path, &e))?;
        list.sort();
        Ok(list)
    }
}

impl Drop for OutputDir {
    fn drop(&mut self) {
        if self.completed.load(Ordering::Relaxed) {
            return;
        }
        // Failures are ignored: the error that led here is reported instead. The lock file goes last, before its
        // folder.
        let lock = self.root.join(LOCK);
        let files = std::mem::take(&mut *guard(&self.files));
        for path in files.iter().filter(|p| **p != lock).chain(files.get(&lock)) {
            let _ = fs::remove_file(path);
        }
        for path in guard(&self.made).iter().rev() {
            let _ = fs::remove_dir(path);
        }
    }
}

/// Creates `root` and its missing ancestors. Returns the directories that were created, outermost first.
fn make_directories(root: &Path) -> Result<Vec<PathBuf>> {
    let fail = |path: &Path, problem: String| {
        Error::output(path.display(), problem, "give --out a directory that can be created or written")
    };
    match fs::symlink_metadata(root) {
        Ok(m) if m.is_dir() => return Ok(Vec::new()),
        Ok(m) if m.is_symlink() => return Err(fail(root, "is a symbolic link, not a directory".into())),
        Ok(_) => return Err(fail(root, "is a file, not a directory".into())),
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(fail(root, format!("cannot be used ({e})"))),
    }
    let missing: Vec<_> = root.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists()).collect();
    let mut made = Vec::new();
    for path in missing.into_iter().rev() {
        match fs::create_dir(path) {
            Ok(()) => made.push(path.to_owned()),
            Err(e) if e.kind() == ErrorKind::AlreadyExists && is_directory(path) => {}
            Err(e) => {
                made.iter().rev().for_each(|path| drop(fs::remove_dir(path)));
                return Err(fail(path, format!("cannot be created ({e})")));
            }
        }
    }
    Ok(made)
}

fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|m| m.is_dir())
}

fn strip_temporary(name: &str) -> &str {
    name.strip_prefix(TEMPORARY.0).and_then(|n| n.strip_suffix(TEMPORARY.1)).unwrap_or(name)
}

/// Whether a name is `part-NNNNN.parquet` with five or more digits.
fn is_part(name: &str) -> bool {
    let digits = name.strip_prefix("part-").and_then(|n| n.strip_suffix(".parquet"));
    digits.is_some_and(|d| d.len() >= 5 && d.bytes().all(|b| b.is_ascii_digit()))
}

/// Locks a mutex. A poisoned list remains a valid list of paths.
fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
