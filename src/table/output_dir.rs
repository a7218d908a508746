//! Claiming the output directory, and files that appear whole or not at all.

use super::sync::{Ahead, Removed};
use crate::error::{Error, Result};
use bytes::Bytes;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, IoSlice, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Held by the execution that writes into the directory.
const LOCK: &str = ".clearsweep.lock";
/// What a file is called until it is whole: `.NAME.tmp`.
const TEMPORARY: (&str, &str) = (".", ".tmp");
const FILES: [&str; 4] = ["manifest.json", "bodies.parquet", "pairs.parquet", "runs.parquet"];
/// Directories of `part-NNNNN.parquet`.
const PARTED: [&str; 2] = ["distances", "penetrations"];

/// The output directory of this execution. Dropped before [`OutputDir::complete`], it takes back everything that
/// this execution wrote.
#[derive(Debug)]
pub(super) struct OutputDir {
    root: PathBuf,
    /// Directories that this execution made, outermost first.
    made: Mutex<Vec<PathBuf>>,
    /// Files that this execution wrote, temporary names included.
    files: Mutex<BTreeSet<PathBuf>>,
    bytes: AtomicU64,
    /// Keeps the lock of this execution held. The system lets it go with the process, however that ends: a lock file
    /// that nobody holds was left by an execution that was killed.
    held: Mutex<Option<File>>,
    /// The first write that failed, with its file: what lies between does not hand the cause through.
    failure: Mutex<Option<(PathBuf, io::Error)>>,
    completed: AtomicBool,
    /// Bytes that may still be written before the disk pretends to be full (tests).
    #[cfg(test)]
    pub(super) room: AtomicU64,
}

impl OutputDir {
    /// Creates the directory where it is missing, locks it, and (with `force`) removes what an earlier execution
    /// left there. One that is still running is never disturbed.
    ///
    /// # Errors
    /// It is a file or a link, in use, not empty (without `force`), holds foreign files, or cannot be written.
    pub(super) fn claim(root: &Path, force: bool) -> Result<Arc<Self>> {
        let made = make_directories(root)?;
        let out = Self {
            root: root.to_owned(),
            made: Mutex::new(made),
            files: Mutex::default(),
            bytes: AtomicU64::new(0),
            held: Mutex::default(),
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

    /// The directory.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Bytes of all files that are whole.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// All is written: nothing will be taken back. Removes the lock.
    pub(super) fn complete(&self) -> Result<()> {
        let lock = self.root.join(LOCK);
        fs::remove_file(&lock).map_err(|e| self.error(&lock, &e))?;
        self.completed.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// A file under a temporary name; `name` relative to the directory, one level of folders at most.
    pub(super) fn create(self: &Arc<Self>, name: &str) -> Result<WholeFile> {
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
        let file =
            OpenOptions::new().write(true).create_new(true).open(&temporary).map_err(|e| self.error(&temporary, &e))?;
        let unnamed = Unnamed { file, temporary, target, written: 0, ahead: Ahead::default(), out: Arc::clone(self) };
        Ok(WholeFile { gathered: BufWriter::with_capacity(PIECE, unnamed), passed: 0 })
    }

    /// A failed operation on `path` as the user should hear of it.
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

    /// The first write that failed, as the user should hear of it.
    pub(super) fn failure(&self) -> Option<Error> {
        guard(&self.failure).as_ref().map(|(path, error)| self.error(path, error))
    }

    fn lock(&self, force: bool) -> Result<()> {
        let path = self.root.join(LOCK);
        if fs::symlink_metadata(&path).is_ok_and(|m| m.is_file()) {
            let left = File::open(&path).map_err(|e| self.error(&path, &e))?;
            let killed = match left.try_lock() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => return Err(self.in_use()),
                Err(TryLockError::Error(_)) => false, // a file system without locks: nobody can tell
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
                *guard(&self.held) = Some(file);
                Ok(())
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(self.in_use()),
            Err(e) => Err(self.error(&self.root, &e)),
        }
    }

    /// Refused whatever the options: two executions would remove each other's files.
    fn in_use(&self) -> Error {
        guard(&self.made).clear(); // what the other execution owns is not ours to take back
        let remedy = "wait until it has ended, or choose another directory";
        Error::output(self.root.display(), format!("another execution is writing here ({LOCK} is held)"), remedy)
    }

    /// A lock that is not known to be held.
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

    /// What an earlier execution left; an error where that, or anything else, is in the way.
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
            if PARTED.contains(&name.as_str()) && is_directory(&path) {
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

    fn remove_earlier(&self, earlier: &[PathBuf]) -> Result<()> {
        // The manifest goes first: without it nobody takes the rest for a whole result.
        let manifest = self.root.join(FILES[0]);
        let first = earlier.iter().filter(|p| **p == manifest);
        let mut removed = Removed::default();
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

    /// Names and paths in a directory, by name.
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
        // Best effort: the error that led here is the one to report. The lock goes last, with its directory.
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

/// A file that gets its name when it is whole. What is written is gathered: the system takes large pieces faster.
#[derive(Debug)]
pub(super) struct WholeFile {
    gathered: BufWriter<Unnamed>,
    /// Bytes that were written from where they lay, and are not taken again when they come.
    passed: u64,
}

/// Bytes gathered before they are handed to the system.
const PIECE: usize = 64 << 10;

/// Bytes handed to the system at a time, from where they lie.
const MOST: usize = 1 << 20;

/// A file under its temporary name.
#[derive(Debug)]
struct Unnamed {
    file: File,
    temporary: PathBuf,
    target: PathBuf,
    written: u64,
    ahead: Ahead,
    out: Arc<OutputDir>,
}

impl WholeFile {
    /// The name that it will have.
    pub(super) fn target(&self) -> &Path {
        &self.gathered.get_ref().target
    }

    /// Writes what comes next, from where it lies. As many bytes that are written to this file afterwards are passed over:
    /// whoever writes them to it in the usual way copies them several times, so they are written here before, and need
    /// only be counted there.
    pub(super) fn write_ahead(&mut self, segments: &[Bytes]) -> io::Result<()> {
        self.gathered.flush()?;
        let mut rest = segments;
        while !rest.is_empty() {
            let mut bytes = 0;
            let most = rest.iter().take(SEGMENTS).take_while(|segment| {
                bytes += segment.len();
                bytes <= MOST
            });
            let (now, later) = rest.split_at(most.count().max(1));
            let mut slices: Vec<IoSlice<'_>> = now.iter().map(|segment| IoSlice::new(segment)).collect();
            write_all_vectored(self.gathered.get_mut(), &mut slices)?;
            self.passed += now.iter().map(|segment| segment.len() as u64).sum::<u64>();
            rest = later;
        }
        Ok(())
    }

    /// Bytes handed to the system; `None` while some that were written ahead are still to be passed over.
    pub(super) fn written(&self) -> Option<u64> {
        (self.passed == 0).then_some(self.gathered.get_ref().written)
    }

    /// Hands everything to the disk and gives the file its name.
    pub(super) fn finish(mut self) -> Result<()> {
        let flushed = self.gathered.flush();
        let (Unnamed { file, temporary, target, written, ahead, out }, _) = self.gathered.into_parts();
        let begun = ahead.end();
        flushed.and(begun).and_then(|()| file.sync_all()).map_err(|e| out.error(&target, &e))?;
        drop(file);
        guard(&out.files).insert(target.clone());
        fs::rename(&temporary, &target).map_err(|e| out.error(&target, &e))?;
        guard(&out.files).remove(&temporary);
        out.bytes.fetch_add(written, Ordering::Relaxed);
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.passed > 0 {
            let count = usize::try_from(self.passed).unwrap_or(usize::MAX).min(bytes.len());
            self.passed -= count as u64;
            return Ok(count);
        }
        self.gathered.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.gathered.flush()
    }
}

/// Most segments handed to the system at once: it takes no more.
const SEGMENTS: usize = 1024;

/// Writes all bytes of all slices.
fn write_all_vectored(to: &mut impl Write, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    IoSlice::advance_slices(&mut slices, 0); // empty ones at the front
    while !slices.is_empty() {
        match to.write_vectored(slices) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => IoSlice::advance_slices(&mut slices, count),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl Unnamed {
    #[cfg(not(test))]
    fn write_some(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.file.write_vectored(slices)
    }

    #[cfg(test)]
    fn write_some(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let need = slices.iter().map(|slice| slice.len() as u64).sum();
        if self.out.room.fetch_sub(need, Ordering::Relaxed) < need {
            self.out.room.store(0, Ordering::Relaxed);
            return Err(ErrorKind::StorageFull.into());
        }
        self.file.write_vectored(slices)
    }
}

impl Write for Unnamed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.write_some(slices) {
            Ok(n) => {
                self.written += n as u64;
                self.ahead.written(&self.file, self.written);
                Ok(n)
            }
            Err(error) => {
                if error.kind() != ErrorKind::Interrupted {
                    let copy = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
                    guard(&self.out.failure).get_or_insert((self.target.clone(), copy));
                }
                Err(error)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Makes `root` and what is missing above it; which directories that were, outermost first.
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

/// A poisoned list is still a list of what was written.
fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
