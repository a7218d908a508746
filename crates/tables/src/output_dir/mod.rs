//! The output directory: its lock, the files of an earlier execution, and removal of everything
//! after a failure.
//!
//! `place` opens and locks the directory (`lock`) after `inputs` has made sure that it holds
//! nothing that the job reads. `earlier` finds what an earlier execution left, by its names
//! (`names`) and by proofs in the files themselves. A whole result stays until the new one is
//! whole, which is written to a directory of its own meanwhile (`staging`). What an execution keeps
//! for another one that goes on after it was killed is in a folder of its own (`checkpoints`,
//! `checkpoint_names`). `fault` words the errors.

pub(super) mod checkpoint_names;
mod checkpoints;
mod earlier;
mod fault;
mod inputs;
mod lock;
pub(super) mod names;
mod place;
mod staging;
#[cfg(test)]
mod tests;

use super::checksums::{FileChecksums, checksum};
use super::folder::{EntryAbout, FileIdentity, FileState, Folder};
use clearsweep_base::error::{Error, Result};
use earlier::EarlierResult;
pub use inputs::JobInputs;
use lock::LOCK;
pub use names::{is_part_table, is_result_file};
use place::LockedPlace;
use staging::StagedResult;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The output directory of this execution. If it is dropped before [`OutputDir::complete`], it
/// removes everything that this execution wrote.
#[derive(Debug)]
pub(super) struct OutputDir {
    place: LockedPlace,
    /// Staged result that files are written to, if not to the place itself: it holds `earlier`.
    staged: Option<StagedResult>,
    /// The whole result that the new one replaces.
    earlier: EarlierResult,
    /// Directories of parts, by name.
    parts: Mutex<BTreeMap<String, Arc<Folder>>>,
    /// Files that this execution wrote, by name relative to the directory, temporary names
    /// included.
    files: Mutex<BTreeMap<String, WrittenFile>>,
    /// Bytes of complete files.
    bytes: AtomicU64,
    /// The first write that failed, with its path. The parquet crate does not pass the cause
    /// through in its errors.
    failure: Mutex<Option<(PathBuf, io::Error)>>,
    completed: AtomicBool,
    /// Entries that a killed execution left here, until they are taken over or removed.
    left: Mutex<Option<EarlierResult>>,
    /// The folder of checkpoints, once there is one.
    checkpoints: Mutex<Option<Arc<Folder>>>,
    /// Whether files stay when the execution fails.
    kept: Arc<AtomicBool>,
    /// Bytes that may still be written before the disk counts as full; tests lower it.
    space: AtomicU64,
}

/// A file that this execution wrote.
#[derive(Debug, Clone, Copy)]
struct WrittenFile {
    identity: FileIdentity,
    /// Once it is complete.
    state: Option<FileState>,
    /// The CRC-32 of its bytes, once it is complete, if this execution saw them all.
    checksum: Option<u32>,
}

impl WrittenFile {
    /// Whether an entry is this file, of this size.
    fn is(&self, about: EntryAbout) -> bool {
        about.identity == self.identity && self.state.is_none_or(|state| state.size == about.state.size)
    }

    /// Whether an entry is this file, unchanged.
    fn is_unchanged(&self, about: EntryAbout) -> bool {
        self.is(about) && self.state.is_none_or(|state| state == about.state)
    }
}

/// A file that is being written.
#[derive(Debug)]
pub(super) struct OutputFile {
    /// The directory of parts that it belongs to.
    part_of: Option<Arc<Folder>>,
    /// Its name relative to the output directory.
    name: String,
    /// The path that it gets when it is complete.
    pub(super) path: PathBuf,
}

impl OutputDir {
    /// Creates the directory if it is missing, and locks it. With `force` the files of an earlier
    /// execution make room: those of a whole result when the new one is whole, others at once. With
    /// `resume` those of one that was killed stay where they are, until [`Self::adopt`]. An
    /// execution that is still running is never disturbed.
    ///
    /// # Errors
    /// The path is a file or a link; the directory holds or lies in `inputs`, is in use, not empty
    /// (without `force`), holds foreign files, or cannot be written.
    pub(super) fn claim(root: &Path, claim: ClaimMode, inputs: &JobInputs) -> Result<Arc<Self>> {
        check_local(root)?;
        inputs.check_place(root)?;
        let takes_over = claim.force || claim.resume;
        let place = LockedPlace::claim(root, takes_over, inputs)?;
        let prepared =
            if takes_over { make_room(&place, claim) } else { check_empty(&place).map(|()| PreparedPlace::default()) };
        if prepared.is_err() && !place.lock.was_left {
            place.abandon();
        }
        let PreparedPlace { earlier, staged, left } = prepared?;
        Ok(Arc::new(Self {
            place,
            staged,
            earlier,
            parts: Mutex::default(),
            files: Mutex::default(),
            bytes: AtomicU64::new(0),
            failure: Mutex::default(),
            completed: AtomicBool::new(false),
            left: Mutex::new(left),
            checkpoints: Mutex::default(),
            kept: Arc::default(),
            space: AtomicU64::new(u64::MAX),
        }))
    }

    /// The path of the directory.
    pub(super) fn root(&self) -> &Path {
        &self.place.root
    }

    /// Bytes of all complete files.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The path of the directory that files are written to.
    pub(super) fn target_path(&self) -> &Path {
        self.target().path()
    }

    /// Returns the folder that files are written to.
    fn target(&self) -> &Folder {
        self.staged.as_ref().map_or(&self.place.folder, |staged| &staged.folder)
    }

    /// Waits until the names of all files are on the disk, and makes sure that they are those of
    /// this execution alone. The manifest comes after this.
    ///
    /// # Errors
    /// The disk failed, or another process has changed the directory.
    pub(super) fn seal(&self) -> Result<()> {
        let synced = guard(&self.parts).values().try_for_each(|part| part.sync()).and_then(|()| self.target().sync());
        synced.map_err(|error| self.error(self.root(), &error))?;
        self.place.check_held()?;
        match self.is_intact() {
            Ok(true) => Ok(()),
            Ok(false) => Err(fault::disturbed(self.root(), "a table is missing, or is another one")),
            Err(error) => Err(self.error(self.root(), &error)),
        }
    }

    /// Declares the output complete: it takes its place, the lock is removed, and dropping removes
    /// nothing.
    ///
    /// # Errors
    /// The disk failed, or another process has changed the directory.
    pub(super) fn complete(&self) -> Result<()> {
        self.remove_checkpoints();
        self.target().sync().map_err(|error| self.error(self.root(), &error))?;
        let Self { place, staged, earlier, .. } = self;
        if let Some(staged) = staged {
            staged.publish(place, earlier, &|| self.is_intact().unwrap_or(false))?;
            self.completed.store(true, Ordering::Relaxed);
            // A lock file that stays is taken over by the next execution.
            let _ = place.lock.release(&place.folder);
            return Ok(());
        }
        // An execution that cannot see the lock replaces the lock file before it looks for a
        // manifest.
        place.check_held()?;
        place.sync_made();
        place.lock.release(&place.folder).map_err(|error| self.error(&self.root().join(LOCK), &error))?;
        self.completed.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Creates a file under a temporary name. `name` is relative to the directory, with at most one
    /// folder, which is created if it is missing.
    pub(super) fn create(&self, name: &str) -> Result<(File, OutputFile)> {
        let path = self.root().join(name);
        let part_of = match name.split_once('/') {
            Some((folder, _)) => Some(self.part_folder(folder)?),
            None => None,
        };
        let file = OutputFile { part_of, name: name.to_owned(), path };
        let (folder, temporary) = (file.folder(self), names::temporary(file.file_name()));
        let opened = folder.create_file(&temporary).map_err(|error| self.taken(&file.path, error))?;
        let identity = Folder::identity_of(&opened).map_err(|error| {
            let _ = folder.remove_file(&temporary); // nothing would know it later
            self.error(&file.path, &error)
        })?;
        guard(&self.files).insert(file.beside(&temporary), WrittenFile { identity, state: None, checksum: None });
        Ok((opened, file))
    }

    /// The folder of the parts of a table.
    fn part_folder(&self, name: &str) -> Result<Arc<Folder>> {
        let mut parts = guard(&self.parts);
        if let Some(folder) = parts.get(name) {
            return Ok(Arc::clone(folder));
        }
        let taken = |error| self.taken(&self.root().join(name), error);
        self.target().make_folder(name).map_err(taken)?;
        let folder = self.target().folder(name).map_err(|error| {
            let _ = self.target().remove_folder(name); // nothing would know it later
            taken(error)
        })?;
        let folder = Arc::new(folder);
        parts.insert(name.to_owned(), Arc::clone(&folder));
        Ok(folder)
    }

    /// Gives a complete file of `bytes` bytes its final name. `checksum`: their CRC-32, if it is
    /// known.
    pub(super) fn rename(&self, file: &OutputFile, bytes: u64, checksum: Option<u32>) -> Result<()> {
        let (folder, temporary) = (file.folder(self), names::temporary(file.file_name()));
        let key = file.beside(&temporary);
        let about = folder.about(&temporary).map_err(|error| self.error(&file.path, &error))?;
        let written = guard(&self.files).get(&key).copied().zip(about).filter(|(written, about)| written.is(*about));
        let Some((written, about)) = written else {
            return Err(self.taken(&file.path, ErrorKind::NotFound.into()));
        };
        // Registered before it exists, so that a failure at any point leaves nothing behind.
        let written = WrittenFile { state: Some(about.state), checksum, ..written };
        guard(&self.files).insert(file.name.clone(), written);
        let renamed = folder.rename_new(&temporary, folder, file.file_name());
        renamed.map_err(|error| self.taken(&file.path, error))?;
        guard(&self.files).remove(&key);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Takes over a file of another directory under a name: by a link, or as a copy where the file
    /// system has none. `checksum`: the CRC-32 of its bytes as they were written, if it is known.
    ///
    /// # Errors
    /// The file cannot be read, or the disk failed.
    pub(super) fn link(&self, from: &Path, name: &str, checksum: Option<u32>) -> Result<()> {
        let path = self.root().join(name);
        let failed = |error: &io::Error| self.error(&path, error);
        let part_of = name.split_once('/').map(|(folder, _)| self.part_folder(folder)).transpose()?;
        let file = OutputFile { part_of, name: name.to_owned(), path: path.clone() };
        let (folder, temporary) = (file.folder(self), names::temporary(file.file_name()));
        if std::fs::hard_link(from, folder.path().join(&temporary)).is_ok() {
            let linked = folder
                .open_file(&temporary)
                .and_then(|linked| Ok((Folder::identity_of(&linked)?, linked.metadata()?.len())));
            let (identity, bytes) = linked.map_err(|error| failed(&error))?;
            guard(&self.files).insert(file.beside(&temporary), WrittenFile { identity, state: None, checksum: None });
            return self.rename(&file, bytes, checksum);
        }
        let mut source = File::open(from).map_err(|error| Error::unreadable(from, &error))?;
        let (mut copy, file) = self.create(name)?;
        let bytes = io::copy(&mut source, &mut copy).and_then(|bytes| copy.sync_all().map(|()| bytes));
        self.rename(&file, bytes.map_err(|error| failed(&error))?, checksum)
    }

    /// The checksums of all complete files. Those whose bytes this execution did not see are read.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn checksums(&self) -> Result<FileChecksums> {
        let (files, parts, target) = (guard(&self.files), guard(&self.parts), self.target());
        let of = |(name, written): (&String, &WrittenFile)| {
            let read = || {
                let (folder, file) = locate(target, &parts, name);
                let found = folder.open_file(file).and_then(checksum);
                found.map_err(|error| Error::unreadable(&self.root().join(name), &error))
            };
            Ok((name.clone(), written.checksum.map_or_else(read, Ok)?))
        };
        files.iter().filter(|(_, written)| written.state.is_some()).map(of).collect()
    }

    /// A file for what does not fit in memory; it vanishes with its handle.
    pub(super) fn spill_file(&self) -> io::Result<File> {
        self.target().unnamed_file(names::SPILL)
    }

    /// Whether all files of this execution are there, and none of the same names but from another
    /// execution.
    fn is_intact(&self) -> io::Result<bool> {
        let (files, parts, target) = (guard(&self.files), guard(&self.parts), self.target());
        for (name, written) in files.iter() {
            let (folder, file) = locate(target, &parts, name);
            if !folder.about(file)?.is_some_and(|about| written.is(about)) {
                return Ok(false);
            }
        }
        for (name, part) in parts.iter() {
            if target.about(name)?.map(|about| about.identity) != Some(part.identity()?) {
                return Ok(false);
            }
        }
        let is_strange = |name: &str| names::is_known(name) && !files.contains_key(name) && !parts.contains_key(name);
        let mut names: Vec<String> = target.entries()?.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        for (folder, part) in parts.iter() {
            names.extend(part.entries()?.iter().map(|name| format!("{folder}/{}", name.to_string_lossy())));
        }
        Ok(!names.iter().any(|name| is_strange(name)))
    }

    /// Remembers the first write that failed: [`Self::failure`].
    pub(super) fn record_failure(&self, path: &Path, error: io::Error) {
        guard(&self.failure).get_or_insert((path.to_owned(), error));
    }

    /// The error for a failed operation on `path`, with a remedy.
    pub(super) fn error(&self, path: &Path, error: &io::Error) -> Error {
        fault::failed(path, error)
    }

    /// The error for a name that cannot be given to a file.
    fn taken(&self, path: &Path, error: io::Error) -> Error {
        match error.kind() {
            // Names are free when the directory is claimed, and a file of this execution keeps its
            // own.
            ErrorKind::AlreadyExists | ErrorKind::NotFound => {
                fault::disturbed(self.root(), &format!("{}: {error}", path.display()))
            }
            _ => self.error(path, &error),
        }
    }

    /// The error for the first write that failed.
    pub(super) fn failure(&self) -> Option<Error> {
        guard(&self.failure).as_ref().map(|(path, error)| self.error(path, error))
    }

    /// Lets the disk count as full after so many more bytes, for tests.
    pub(super) fn limit_space(&self, bytes: u64) {
        self.space.store(bytes, Ordering::Relaxed);
    }

    /// Takes space for so many bytes.
    ///
    /// # Errors
    /// The limit of [`Self::limit_space`] is reached.
    pub(super) fn take_space(&self, bytes: u64) -> io::Result<()> {
        if self.space.fetch_sub(bytes, Ordering::Relaxed) < bytes {
            self.space.store(0, Ordering::Relaxed);
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    /// Ends as a process that is killed does: nothing is removed, and the system releases the
    /// locks. For tests.
    pub(super) fn die(&self) {
        self.place.lock.let_go();
        self.staged.iter().for_each(StagedResult::die);
        self.completed.store(true, Ordering::Relaxed);
    }
}

impl OutputFile {
    fn folder<'f>(&'f self, out: &'f OutputDir) -> &'f Folder {
        self.part_of.as_deref().unwrap_or_else(|| out.target())
    }

    /// The name within its folder.
    fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// The name, relative to the output directory, of another file in its folder.
    fn beside(&self, file_name: &str) -> String {
        match self.name.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{file_name}"),
            None => file_name.to_owned(),
        }
    }
}

/// The directory of a file and its name there, from its name relative to the output directory.
fn locate<'f, 'n>(
    target: &'f Folder,
    parts: &'f BTreeMap<String, Arc<Folder>>,
    name: &'n str,
) -> (&'f Folder, &'n str) {
    let split = name.split_once('/').and_then(|(folder, file)| Some((parts.get(folder)?.as_ref(), file)));
    split.unwrap_or((target, name))
}

/// Fails if a path is the address of an object store or the like.
///
/// # Errors
/// It is.
pub fn check_local(path: &Path) -> Result<()> {
    let text = path.to_string_lossy();
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    if scheme.is_empty() || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(());
    }
    let problem = format!("is an address ({scheme}://), and tables are written to directories");
    Err(Error::usage(path.display(), problem, "give a directory, and copy it afterwards"))
}

/// Fails unless the directory holds nothing but the lock file.
fn check_empty(place: &LockedPlace) -> Result<()> {
    let names = place.folder.entries().map_err(|error| fault::failed(&place.root, &error))?;
    match names.iter().find(|name| *name != LOCK) {
        Some(name) => Err(fault::not_empty(&place.root, name)),
        None => Ok(()),
    }
}

/// The mode in which a directory is claimed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ClaimMode {
    /// Whether the files of an earlier execution are replaced.
    pub(super) force: bool,
    /// Whether the result of a killed execution is continued.
    pub(super) resume: bool,
}

/// A directory that is ready to be written to.
#[derive(Default)]
struct PreparedPlace {
    earlier: EarlierResult,
    staged: Option<StagedResult>,
    /// Result of an earlier execution that is to be continued.
    left: Option<EarlierResult>,
}

/// Removes what an execution left that did not end, unless it is to be gone on with, and prepares a
/// directory beside a whole result.
fn make_room(place: &LockedPlace, claim: ClaimMode) -> Result<PreparedPlace> {
    let mut earlier = EarlierResult::in_locked(&place.folder, &place.root, place.lock.was_left)?;
    if !claim.force {
        match earlier.names().next() {
            Some(_) if earlier.is_whole() => return Err(fault::is_whole(&place.root)),
            Some(name) if !place.lock.was_left || earlier.has_stages() => {
                return Err(fault::not_empty(&place.root, name));
            }
            _ => {}
        }
    }
    if !earlier.is_whole() {
        if claim.resume && earlier.has_checkpoints() {
            return Ok(PreparedPlace { left: Some(earlier), ..PreparedPlace::default() });
        }
        if claim.force {
            staging::remove_left(place)?;
        }
        earlier.remove(&place.folder)?;
        return Ok(PreparedPlace::default());
    }
    if claim.resume
        && let Some((staged, left)) = StagedResult::left_behind(place, &mut earlier)?
    {
        return Ok(PreparedPlace { earlier, staged: Some(staged), left: Some(left) });
    }
    staging::remove_left(place)?;
    earlier.remove_stages(&place.folder)?;
    let staged = StagedResult::create(place)?;
    Ok(PreparedPlace { earlier, staged: Some(staged), left: None })
}

impl Drop for OutputDir {
    fn drop(&mut self) {
        if self.completed.load(Ordering::Relaxed) {
            return;
        }
        // Failures are ignored: the error that led here is reported instead. Files that another
        // execution has put in the place of these stay. The lock file goes last, before its folder.
        let (mut files, parts) = (std::mem::take(&mut *guard(&self.files)), std::mem::take(&mut *guard(&self.parts)));
        let is_kept = self.kept.load(Ordering::Relaxed) || guard(&self.left).is_some();
        if is_kept {
            files.retain(|_, written| written.state.is_none());
        } else {
            self.remove_checkpoints();
        }
        let mut is_clean = true;
        for (name, written) in &files {
            let (folder, file) = locate(self.target(), &parts, name);
            is_clean &= match folder.about(file) {
                Ok(Some(about)) if written.is_unchanged(about) => folder.remove_file(file).is_ok(),
                Ok(_) => true,
                Err(_) => false,
            };
        }
        if is_kept {
            // The lock file of what is kept stays, as where a process is killed.
            if self.staged.is_some() {
                self.place.abandon();
            }
            // Closed alone, it would be held by a child that another thread is just starting.
            self.place.lock.let_go();
            return;
        }
        for name in parts.keys() {
            let _ = self.target().remove_folder(name);
        }
        if let Some(staged) = &self.staged {
            staged.abandon(&self.place);
        }
        // The lock file stays as the proof of what could not be removed.
        if is_clean || self.staged.is_some() {
            self.place.abandon();
        }
    }
}

/// Locks a mutex. A poisoned list remains a valid list of files.
fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
