//! A place at which a new result is written while the old one stays, and the exchange of both.
//!
//! The new result is written to a directory beside the old one, and both are exchanged in one step.
//! If the file system cannot do that (another file system is mounted there, nothing may be written
//! beside the directory), it is written to a directory inside, and entries are moved one by one:
//! the old manifest away first, the new one in last. Both results are whole on the disk until
//! then, and no state in between has a manifest.

use super::earlier::EarlierResult;
use super::fault;
use super::lock::{DirectoryLock, LOCK, LockFault};
use super::names::{MANIFEST, STAGING, beside};
use super::place::LockedPlace;
use crate::folder::{EntryKind, FileIdentity, Folder};
use clearsweep_base::error::{Error, Result};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

/// A directory for a new result.
#[derive(Debug)]
pub(super) struct StagedResult {
    /// Open directory.
    pub(super) folder: Folder,
    lock: DirectoryLock,
    name: OsString,
    /// Beside the output directory, not in it.
    is_beside: bool,
}

impl StagedResult {
    /// Creates the directory.
    ///
    /// # Errors
    /// It cannot be created, beside the output directory and inside.
    pub(super) fn create(place: &LockedPlace) -> Result<Self> {
        if let Some((parent, name)) = place.parent.as_ref().filter(|(parent, _)| can_be_beside(place, parent)) {
            let name = beside(name);
            if let Ok(staged) = Self::new(parent, &name, true, &place.folder) {
                return Ok(staged);
            }
        }
        let path = place.root.join(STAGING[0]);
        Self::new(&place.folder, STAGING[0].as_ref(), false, &place.folder)
            .map_err(|error| fault::failed(&path, &error))
    }

    fn new(holder: &Folder, name: &OsStr, is_beside: bool, like: &Folder) -> io::Result<Self> {
        holder.make_folder(name)?;
        let opened = holder.folder(name).and_then(|folder| {
            folder.take_after(like)?;
            let lock = DirectoryLock::acquire(&folder, false).map_err(|fault| match fault {
                LockFault::Failed(error) => error,
                _ => io::ErrorKind::AlreadyExists.into(),
            })?;
            Ok(Self { folder, lock, name: name.to_owned(), is_beside })
        });
        if opened.is_err() {
            let _ = holder.remove_folder(name);
        }
        opened
    }

    /// The directory that an execution left which was killed, with what it holds, if another one
    /// can go on with that. `earlier`: the whole result, which loses what lies inside.
    ///
    /// # Errors
    /// Something there is not clearsweep's, or is in use.
    pub(super) fn left_behind(
        place: &LockedPlace,
        earlier: &mut EarlierResult,
    ) -> Result<Option<(Self, EarlierResult)>> {
        let outside = place.parent.as_ref().map(|(parent, name)| (parent, beside(name), true));
        let inside = (&place.folder, OsString::from(STAGING[0]), false);
        for (holder, name, is_beside) in outside.into_iter().chain([inside]) {
            let Some((folder, lock)) = lock_left(holder, &name)? else { continue };
            let left = EarlierResult::in_locked(&folder, folder.path(), true)?;
            if left.has_checkpoints() && !left.is_whole() {
                if !is_beside {
                    earlier.take_out(STAGING[0]);
                }
                return Ok(Some((Self { folder, lock, name, is_beside }, left)));
            }
            lock.release(&folder).map_err(|error| fault::failed(folder.path(), &error))?;
        }
        Ok(None)
    }

    /// The directory that holds this one.
    fn holder<'p>(&self, place: &'p LockedPlace) -> &'p Folder {
        match &place.parent {
            Some((parent, _)) if self.is_beside => parent,
            _ => &place.folder,
        }
    }

    /// Puts the new result, which is whole, in the place of the old one, and removes the old one.
    /// `is_intact`: whether the new result is as it was written, and holds nothing of another
    /// execution.
    ///
    /// # Errors
    /// The disk failed, or another process has changed the directory; the old result is in its
    /// place then.
    pub(super) fn publish(
        &self,
        place: &LockedPlace,
        earlier: &EarlierResult,
        is_intact: &dyn Fn() -> bool,
    ) -> Result<()> {
        place.check_held()?;
        // The result appears without a lock file. The lock of the output directory guards both.
        self.lock
            .release(&self.folder)
            .and_then(|()| self.folder.sync())
            .map_err(|e| fault::failed(&place.root, &e))?;
        if self.is_beside
            && let Some((parent, name)) = &place.parent
            && parent.exchange(&self.name, name).is_ok()
        {
            let is_sound = place.lock.is_held(&place.folder).unwrap_or(false) && is_intact();
            let disturbed = |problem: &str| Err(fault::disturbed(&place.root, problem));
            // Without locks another execution may exchange the two once more, back or for its own.
            if !self.is_in_place(parent, name) || place.folder.identity().ok() != identity_at(parent, &self.name) {
                return disturbed("it was exchanged for another one");
            }
            if !is_sound {
                let back = parent.exchange(&self.name, name);
                back.map_err(|error| fault::failed(&place.root, &error))?;
                return disturbed("its lock or a table was replaced");
            }
            // The result is in its place. What fails from here on is left to the next execution
            // with `--force`. The old result stays until the disk has the exchange.
            if parent.sync().is_ok() {
                self.remove_old(place, earlier, parent);
            }
            return if self.is_in_place(parent, name) { Ok(()) } else { disturbed("it was exchanged for another one") };
        }
        self.move_entries(place, earlier)
    }

    /// Whether this is the directory of that name.
    fn is_in_place(&self, parent: &Folder, name: &OsStr) -> bool {
        self.folder.identity().is_ok_and(|own| Some(own) == identity_at(parent, name))
    }

    /// Removes the old result, which is in the place of the new one.
    fn remove_old(&self, place: &LockedPlace, earlier: &EarlierResult, parent: &Folder) {
        let old = &place.folder;
        // What someone has put there meanwhile goes along.
        for name in old.entries().unwrap_or_default() {
            if name != LOCK && !earlier.holds(&name) {
                let _ = old.rename_new(&name, &self.folder, &name);
            }
        }
        if earlier.remove(old).is_ok() {
            let _ = place.lock.release(old);
            let _ = parent.remove_folder(&self.name);
        }
    }

    /// Moves the old entries away and the new ones in. A failure moves them back.
    fn move_entries(&self, place: &LockedPlace, earlier: &EarlierResult) -> Result<()> {
        let (folder, old_name) = (&place.folder, STAGING[1]);
        let failed = |error: io::Error| fault::failed(&place.root, &error);
        folder.make_folder(old_name).map_err(failed)?;
        let old = folder.folder(old_name).map_err(|error| {
            let _ = folder.remove_folder(old_name);
            failed(error)
        })?;
        let mut moves = EntryMoves::default();
        let done = self.move_all(folder, &old, earlier, &mut moves).map_err(failed).and_then(|()| {
            // What a process that was delayed has moved meanwhile shows here.
            if place.lock.is_held(folder).unwrap_or(false) { Ok(()) } else { Err(lost(&place.root)) }
        });
        if let Err(error) = done {
            moves.undo();
            let _ = folder.remove_folder(old_name);
            return Err(error);
        }
        // The result is in its place. What fails from here on is left to the next execution with
        // `--force`.
        let _ = earlier.remove(&old).and_then(|()| folder.remove_folder(old_name).map_err(failed));
        let _ = self.holder(place).remove_folder(&self.name);
        Ok(())
    }

    fn move_all<'f>(
        &'f self,
        folder: &'f Folder,
        old: &'f Folder,
        earlier: &EarlierResult,
        moves: &mut EntryMoves<'f>,
    ) -> io::Result<()> {
        for name in earlier.names() {
            moves.add(folder, old, name)?;
            if name == MANIFEST {
                folder.sync()?;
            }
        }
        let names = self.folder.entries()?;
        for name in names.iter().filter(|name| *name != MANIFEST) {
            moves.add(&self.folder, folder, name)?;
        }
        folder.sync()?;
        moves.add(&self.folder, folder, MANIFEST.as_ref())?;
        folder.sync()
    }

    /// Ends as a process that is killed does.
    pub(super) fn die(&self) {
        self.lock.let_go();
    }

    /// Releases the lock, and removes the directory, whose files are gone.
    pub(super) fn abandon(&self, place: &LockedPlace) {
        let _ = self.lock.release(&self.folder);
        let _ = self.holder(place).remove_folder(&self.name);
    }
}

/// Returns the identity of the entry with this name in a directory.
fn identity_at(folder: &Folder, name: &OsStr) -> Option<FileIdentity> {
    folder.about(name).ok().flatten().map(|about| about.identity)
}

/// Entries that were moved from one directory to another, in order.
#[derive(Default)]
struct EntryMoves<'f>(Vec<(&'f Folder, &'f Folder, OsString)>);

impl<'f> EntryMoves<'f> {
    fn add(&mut self, from: &'f Folder, to: &'f Folder, name: &OsStr) -> io::Result<()> {
        from.rename_new(name, to, name)?;
        self.0.push((from, to, name.to_owned()));
        Ok(())
    }

    /// Moves all entries back, the last first: the old manifest, which was moved first, comes back
    /// last.
    fn undo(self) {
        for (from, to, name) in self.0.into_iter().rev() {
            let _ = to.rename_new(&name, from, &name);
        }
    }
}

fn lost(root: &Path) -> Error {
    fault::disturbed(root, &format!("{LOCK} was replaced"))
}

/// Whether directories in `parent` can take the place of the output directory.
fn can_be_beside(place: &LockedPlace, parent: &Folder) -> bool {
    let device = |folder: &Folder| folder.identity().ok().map(|identity| identity.device);
    // A process whose working directory is exchanged finds itself in one that is removed.
    let is_working = || {
        let real = [Path::new(".").canonicalize(), place.root.canonicalize()];
        matches!(&real, [Ok(working), Ok(root)] if working.starts_with(root))
    };
    Folder::CAN_EXCHANGE && device(parent) == device(&place.folder) && !is_working()
}

/// Removes what an execution that was killed left beside the output directory.
///
/// # Errors
/// Something there is not clearsweep's, is in use, or cannot be removed.
pub(super) fn remove_left(place: &LockedPlace) -> Result<()> {
    let Some((parent, name)) = &place.parent else { return Ok(()) };
    let name = beside(name);
    let Some((folder, lock)) = lock_left(parent, &name)? else { return Ok(()) };
    let failed = |error: io::Error| fault::failed(folder.path(), &error);
    // Its name is proof enough for files under temporary names.
    let removed = EarlierResult::in_locked(&folder, folder.path(), true).and_then(|left| left.remove(&folder));
    lock.release(&folder).map_err(failed)?;
    removed.and_then(|()| parent.remove_folder(&name).map_err(failed))
}

/// Opens and locks a directory that an execution left which was killed; `None` if it is not there.
fn lock_left(holder: &Folder, name: &OsStr) -> Result<Option<(Folder, DirectoryLock)>> {
    // A name that is too long for the file system was never given.
    let Ok(Some(about)) = holder.about(name) else { return Ok(None) };
    let path = holder.path().join(name);
    if about.kind != EntryKind::Folder {
        return Err(fault::foreign(holder.path(), &path));
    }
    let failed = |error: io::Error| fault::failed(&path, &error);
    let folder = holder.folder(name).map_err(failed)?;
    let lock = DirectoryLock::acquire(&folder, true).map_err(|fault| match fault {
        LockFault::Foreign => fault::foreign(&path, &path.join(LOCK)),
        LockFault::Failed(error) => failed(error),
        _ => fault::in_use(&path),
    })?;
    Ok(Some((folder, lock)))
}
