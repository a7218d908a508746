//! The output directory in its place: opened once, created if it is missing, and locked.

use super::fault;
use super::inputs::JobInputs;
use super::lock::{DirectoryLock, LOCK, LockFault};
use crate::folder::Folder;
use clearsweep_base::error::Result;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Attempts to lock a directory that other executions remove or exchange meanwhile.
const ATTEMPTS: usize = 16;

/// An output directory that this execution has locked.
#[derive(Debug)]
pub(super) struct LockedPlace {
    /// The path as it was given, without a slash at its end.
    pub(super) root: PathBuf,
    /// The directory that holds it, and its name there; `None` where the path ends without a name
    /// (`.`, `..`, `/`) or that directory cannot be opened.
    pub(super) parent: Option<(Folder, OsString)>,
    /// The directory itself.
    pub(super) folder: Folder,
    pub(super) lock: DirectoryLock,
    /// Directories that this execution created, outermost first.
    pub(super) made: Vec<PathBuf>,
}

impl LockedPlace {
    /// Opens and locks a directory, which is created if it is missing. `take_over`: also if an
    /// execution that was killed left its lock.
    ///
    /// # Errors
    /// It is a file or a link, cannot be created, holds an input of the job, or is in use.
    pub(super) fn claim(path: &Path, take_over: bool, inputs: &JobInputs) -> Result<Self> {
        // The system would follow a link in `link/`: the slash is dropped.
        let root: PathBuf = path.components().collect();
        for _ in 0..ATTEMPTS {
            let made = make_directories(&root)?;
            let claimed = Self::open(&root, take_over, inputs);
            if !matches!(claimed, Ok(Some(_))) {
                // Another execution that uses them meanwhile keeps them from being removed.
                made.iter().rev().for_each(|path| drop(fs::remove_dir(path)));
            }
            if let Some(place) = claimed? {
                return Ok(Self { made, ..place });
            }
        }
        Err(fault::in_use(&root))
    }

    /// `None` if the directory lost its place before it was locked.
    fn open(root: &Path, take_over: bool, inputs: &JobInputs) -> Result<Option<Self>> {
        let parent = root.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
        let parent = root.file_name().zip(parent.and_then(|parent| Folder::open(parent).ok()));
        let opened = match &parent {
            Some((name, parent)) => parent.folder(name),
            None => Folder::open(root),
        };
        let folder = match opened {
            Ok(folder) => folder,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fault::unusable(root, &format!("cannot be used ({error})"))),
        };
        inputs.check_outside(&folder, root)?;
        let lock = match DirectoryLock::acquire(&folder, take_over) {
            Ok(lock) => lock,
            Err(LockFault::Vanished) => return Ok(None),
            Err(LockFault::InUse) => return Err(fault::in_use(root)),
            Err(LockFault::LeftBehind { killed }) => return Err(fault::left_behind(root, killed)),
            Err(LockFault::Foreign) => return Err(fault::foreign(root, &root.join(LOCK))),
            Err(LockFault::Failed(error)) => return Err(fault::failed(root, &error)),
        };
        let parent = parent.map(|(name, parent)| (parent, name.to_owned()));
        let place = Self { root: root.to_owned(), parent, folder, lock, made: Vec::new() };
        if place.is_at_its_path() {
            return Ok(Some(place));
        }
        // Its execution has exchanged it for a new result since it was opened.
        let _ = place.lock.release(&place.folder);
        Ok(None)
    }

    /// Whether the path still leads to this directory.
    pub(super) fn is_at_its_path(&self) -> bool {
        let Ok(own) = self.folder.identity() else { return false };
        let is_folder = fs::symlink_metadata(&self.root).is_ok_and(|about| about.is_dir());
        // Only some systems tell which directory a path leads to.
        let is_own = cfg!(not(unix)) || Folder::identity_at(&self.root).is_ok_and(|identity| identity == own);
        let in_parent = |(parent, name): &(Folder, OsString)| {
            parent.about(name).is_ok_and(|about| about.is_some_and(|about| about.identity == own))
        };
        is_folder && is_own && self.parent.as_ref().is_none_or(in_parent)
    }

    /// Fails if another process has taken the directory over or away.
    ///
    /// # Errors
    /// The lock file or the directory is another one.
    pub(super) fn check_held(&self) -> Result<()> {
        if !self.lock.is_held(&self.folder).map_err(|error| fault::failed(&self.root, &error))? {
            return Err(fault::disturbed(&self.root, &format!("{LOCK} is no longer that of this execution")));
        }
        if !self.is_at_its_path() {
            return Err(fault::disturbed(&self.root, "the directory was moved or replaced"));
        }
        Ok(())
    }

    /// Waits until the names of the directories that were created are on the disk.
    pub(super) fn sync_made(&self) {
        // Not every directory above may be opened; the tables themselves are safe.
        for parent in self.made.iter().filter_map(|path| path.parent()) {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            let _ = Folder::open(parent).and_then(|parent| parent.sync());
        }
    }

    /// Releases the lock, and removes the directories that were created if they are empty.
    pub(super) fn abandon(&self) {
        let _ = self.lock.release(&self.folder);
        self.made.iter().rev().for_each(|path| drop(fs::remove_dir(path)));
    }
}

/// Creates `root` and its missing ancestors. Returns the directories that were created, outermost
/// first.
fn make_directories(root: &Path) -> Result<Vec<PathBuf>> {
    match fs::symlink_metadata(root) {
        Ok(m) if m.is_dir() => return Ok(Vec::new()),
        Ok(m) if m.is_symlink() => return Err(fault::unusable(root, "is a symbolic link, not a directory")),
        Ok(_) => return Err(fault::unusable(root, "is a file, not a directory")),
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(fault::unusable(root, &format!("cannot be used ({e})"))),
    }
    let missing: Vec<_> = root.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists()).collect();
    let mut made = Vec::new();
    for path in missing.into_iter().rev() {
        match fs::create_dir(path) {
            Ok(()) => made.push(path.to_owned()),
            Err(e) if e.kind() == ErrorKind::AlreadyExists && is_directory(path) => {}
            Err(e) => {
                made.iter().rev().for_each(|path| drop(fs::remove_dir(path)));
                return Err(fault::unusable(path, &format!("cannot be created ({e})")));
            }
        }
    }
    Ok(made)
}

fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|m| m.is_dir())
}
