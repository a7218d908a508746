//! The lock file of a directory.
//!
//! The system releases a lock when the process that holds it ends in any way, so a lock file
//! without a lock was left by an execution that was killed. On a file system without locks the file
//! alone counts: whoever replaces it takes the directory over, and whoever wrote it before notices
//! ([`DirectoryLock::is_held`]).

use crate::folder::{EntryKind, FileIdentity, Folder};
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Seek, Write};

/// Name of the lock file.
pub(super) const LOCK: &str = ".clearsweep.lock";
/// Longest content of a lock file, bytes.
const MOST_BYTES: u64 = 256;
/// Attempts to take a lock that others create and remove meanwhile.
const ATTEMPTS: usize = 16;

/// Why a directory could not be locked.
#[derive(Debug)]
pub(super) enum LockFault {
    /// Another execution holds the lock.
    InUse,
    /// A lock file was left there, and it was not allowed to take it over. `killed`: certainly
    /// nobody holds it.
    LeftBehind { killed: bool },
    /// Something else has the name of the lock file.
    Foreign,
    /// The directory is gone.
    Vanished,
    /// The system refused.
    Failed(io::Error),
}

impl From<io::Error> for LockFault {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::NotFound { Self::Vanished } else { Self::Failed(error) }
    }
}

/// A lock file that this execution wrote.
#[derive(Debug)]
pub(super) struct DirectoryLock {
    file: File,
    identity: FileIdentity,
    content: String,
    /// Whether the system holds the lock, and not the file alone.
    by_system: bool,
    /// Whether an execution that was killed had left its lock file.
    pub(super) was_left: bool,
}

impl DirectoryLock {
    /// Locks a directory; `take_over`: also if an execution that was killed left more than its lock
    /// file.
    pub(super) fn acquire(folder: &Folder, take_over: bool) -> Result<Self, LockFault> {
        let mut was_left = false;
        for _ in 0..ATTEMPTS {
            let about = folder.about(LOCK)?;
            let taken = match about {
                None => Self::create(folder)?,
                Some(about) if about.kind == EntryKind::File => Self::take(folder, take_over, &mut was_left)?,
                Some(_) => return Err(LockFault::Foreign),
            };
            if let Some(lock) = taken {
                return Ok(Self { was_left, ..lock });
            }
        }
        Err(LockFault::InUse)
    }

    /// A new lock file; `None` if another one came first.
    fn create(folder: &Folder) -> Result<Option<Self>, LockFault> {
        let file = match folder.create_file(LOCK) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(LockFault::InUse),
            locked => Self::written(folder, file, locked.is_ok()).inspect_err(|_| drop(folder.remove_file(LOCK))),
        }
    }

    /// A lock file that is there; `None` if it is gone.
    fn take(folder: &Folder, take_over: bool, was_left: &mut bool) -> Result<Option<Self>, LockFault> {
        let mut file = match folder.open_to_change(LOCK) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let by_system = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => return Err(LockFault::InUse),
            Err(TryLockError::Error(_)) => false, // a file system without locks
        };
        let identity = Folder::identity_of(&file)?;
        if !is_at(folder, identity)? {
            return Ok(None); // its execution has removed it since it was opened
        }
        if !is_ours(&content(&mut file)?) {
            return Err(LockFault::Foreign);
        }
        // What a process left that was killed before it wrote anything else holds nothing to be
        // asked about.
        let is_alone = || io::Result::Ok(folder.entries()?.iter().all(|name| name == LOCK));
        if !(take_over || by_system && is_alone()?) {
            return Err(LockFault::LeftBehind { killed: by_system });
        }
        *was_left = true;
        if by_system {
            file.set_len(0).and_then(|()| file.rewind())?;
            return Self::written(folder, file, true);
        }
        // Without locks the new file tells an execution that still runs that it has lost the
        // directory.
        match folder.remove_file(LOCK) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(None),
        }
    }

    /// Writes into a lock file who holds it; `None` if it has lost its name meanwhile.
    fn written(folder: &Folder, mut file: File, by_system: bool) -> Result<Option<Self>, LockFault> {
        let identity = Folder::identity_of(&file)?;
        if !is_at(folder, identity)? {
            return Ok(None);
        }
        let process = std::process::id();
        let execution = RandomState::new().hash_one(process);
        let content = format!("process {process}\nexecution {execution:016x}\n");
        file.write_all(content.as_bytes()).map_err(LockFault::Failed)?;
        Ok(Some(Self { file, identity, content, by_system, was_left: false }))
    }

    /// Whether the lock file in `folder` is still the one that this execution wrote.
    pub(super) fn is_held(&self, folder: &Folder) -> io::Result<bool> {
        if !is_at(folder, self.identity)? {
            return Ok(false);
        }
        // On some systems the lock keeps its own process from reading the file by another handle.
        Ok(self.by_system || content(&mut folder.open_file(LOCK)?)? == self.content)
    }

    /// Removes the lock file if it is still this one.
    pub(super) fn release(&self, folder: &Folder) -> io::Result<()> {
        if self.is_held(folder)? {
            folder.remove_file(LOCK)?;
        }
        // The handle may live on in a value that is dropped later.
        let _ = self.file.unlock();
        Ok(())
    }

    /// Releases the lock, and leaves the file: as the system does when a process is killed.
    pub(super) fn let_go(&self) {
        let _ = self.file.unlock();
    }
}

/// Whether the lock file of a directory is this file.
fn is_at(folder: &Folder, identity: FileIdentity) -> io::Result<bool> {
    Ok(folder.about(LOCK)?.is_some_and(|about| about.kind == EntryKind::File && about.identity == identity))
}

fn content(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether clearsweep wrote a lock file of this content. A process may be killed before it writes
/// any.
fn is_ours(content: &str) -> bool {
    let process = content.lines().next().and_then(|line| line.strip_prefix("process "));
    content.is_empty() || process.is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether the lock file of a directory that nobody writes to is clearsweep's.
pub(super) fn is_lock_file(folder: &Folder) -> bool {
    folder.open_file(LOCK).and_then(|mut file| content(&mut file)).is_ok_and(|content| is_ours(&content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_lock_is_held_by_one_and_lost_to_whoever_replaces_the_file() {
        let dir = tempfile::tempdir().expect("scratch");
        let folder = Folder::open(dir.path()).expect("opened");
        let lock = DirectoryLock::acquire(&folder, false).expect("free");
        assert!(lock.is_held(&folder).expect("asked") && !lock.was_left);
        assert!(matches!(DirectoryLock::acquire(&folder, true), Err(LockFault::InUse)));
        // Another process that cannot see the lock replaces the file.
        fs::remove_file(dir.path().join(LOCK)).expect("removed");
        assert!(!lock.is_held(&folder).expect("asked"));
        fs::write(dir.path().join(LOCK), "process 7\n").expect("written");
        assert!(cfg!(not(unix)) || !lock.is_held(&folder).expect("asked"));
        lock.release(&folder).expect("released");
        assert!(cfg!(not(unix)) || dir.path().join(LOCK).exists(), "the file of the other stays");
    }

    #[test]
    fn a_lock_file_that_was_left_is_taken_over_if_it_is_ours() {
        let dir = tempfile::tempdir().expect("scratch");
        let folder = Folder::open(dir.path()).expect("opened");
        for (text, is_ours) in [("", true), ("process 12\n", true), ("process x\n", false), ("my lock", false)] {
            fs::write(dir.path().join(LOCK), text).expect("written");
            fs::write(dir.path().join("else"), "").expect("written");
            let refused = DirectoryLock::acquire(&folder, false).map(|_| ());
            let taken = DirectoryLock::acquire(&folder, true);
            if is_ours {
                assert!(matches!(refused, Err(LockFault::LeftBehind { killed: true })), "{text:?}");
                let lock = taken.expect("taken over");
                assert!(lock.was_left && lock.is_held(&folder).expect("asked"));
                lock.release(&folder).expect("released");
                assert!(!dir.path().join(LOCK).exists());
            } else {
                assert!(matches!(refused, Err(LockFault::Foreign)) && matches!(taken, Err(LockFault::Foreign)));
                assert_eq!(fs::read_to_string(dir.path().join(LOCK)).expect("there"), text);
            }
        }
        // With nothing beside it.
        fs::remove_file(dir.path().join("else")).expect("removed");
        for (text, is_ours) in [("process 12\n", true), ("my lock", false)] {
            fs::write(dir.path().join(LOCK), text).expect("written");
            assert_eq!(DirectoryLock::acquire(&folder, false).is_ok(), is_ours, "{text:?}");
        }
    }
}
