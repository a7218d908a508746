//! A directory held open: all names are relative to its handle.

use super::entry::{EntryAbout, EntryKind, FileIdentity, FileState};
use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A directory that stays the one that was opened, whatever its path comes to mean.
#[derive(Debug)]
pub(crate) struct HeldFolder {
    handle: File,
    /// The path by which it was opened, for messages.
    path: PathBuf,
}

impl HeldFolder {
    /// Whether two directories can change places in one step, on some file systems at least.
    pub(crate) const CAN_EXCHANGE: bool =
        cfg!(any(target_os = "linux", target_os = "android", target_os = "macos", target_os = "ios"));

    /// Opens a directory by its path; links are followed.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = File::from(fs::open(path, flags, Mode::empty())?);
        Ok(Self { handle, path: path.to_owned() })
    }

    /// Opens a directory in this one, unless its name is a link.
    pub(crate) fn folder(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        let name = name.as_ref();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = File::from(fs::openat(&self.handle, name, flags, Mode::empty())?);
        Ok(Self { handle, path: self.path.join(name) })
    }

    /// The path by which it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Which directory it is.
    pub(crate) fn identity(&self) -> io::Result<FileIdentity> {
        Self::identity_of(&self.handle)
    }

    /// Which file a handle leads to.
    pub(crate) fn identity_of(file: &File) -> io::Result<FileIdentity> {
        let about = file.metadata()?;
        Ok(FileIdentity { device: about.dev(), number: about.ino() })
    }

    /// Which file a path leads to; links are followed.
    pub(crate) fn identity_at(path: &Path) -> io::Result<FileIdentity> {
        let about = std::fs::metadata(path)?;
        Ok(FileIdentity { device: about.dev(), number: about.ino() })
    }

    /// Returns the facts about an entry; `None` if there is none. Links are not followed.
    pub(crate) fn about(&self, name: impl AsRef<OsStr>) -> io::Result<Option<EntryAbout>> {
        match fs::statat(&self.handle, name.as_ref(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(about(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The names of all entries, sorted.
    pub(crate) fn entries(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Creates a file that is not there yet, to be written and read.
    pub(crate) fn create_file(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // As any new file: what the mask of the process leaves of it.
        Ok(File::from(fs::openat(&self.handle, name.as_ref(), flags, Mode::from_raw_mode(0o666))?))
    }

    /// Opens a file to be read, unless its name is a link. Does not wait for the writer of a pipe.
    pub(crate) fn open_file(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_with(name.as_ref(), OFlags::RDONLY)
    }

    /// Opens a file to be read and changed, as [`Self::open_file`] does.
    pub(crate) fn open_to_change(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_with(name.as_ref(), OFlags::RDWR)
    }

    fn open_with(&self, name: &OsStr, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(File::from(fs::openat(&self.handle, name, flags, Mode::empty())?))
    }

    /// A file without a name, which vanishes with its handle; `name` is its name for a moment.
    pub(crate) fn unnamed_file(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let file = self.create_file(name.as_ref())?;
        self.remove_file(name)?;
        Ok(file)
    }

    /// Creates a directory that is not there yet.
    pub(crate) fn make_folder(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(fs::mkdirat(&self.handle, name.as_ref(), Mode::from_raw_mode(0o777))?)
    }

    /// Removes a file.
    pub(crate) fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(fs::unlinkat(&self.handle, name.as_ref(), AtFlags::empty())?)
    }

    /// Removes an empty directory.
    pub(crate) fn remove_folder(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(fs::unlinkat(&self.handle, name.as_ref(), AtFlags::REMOVEDIR)?)
    }

    /// Moves an entry to a name that nothing has yet.
    pub(crate) fn rename_new(&self, name: impl AsRef<OsStr>, to: &Self, to_name: impl AsRef<OsStr>) -> io::Result<()> {
        let (name, to_name) = (name.as_ref(), to_name.as_ref());
        match rename_with(&self.handle, name, &to.handle, to_name, RenameHow::New) {
            // Not on this file system: another process may come between the question and the
            // renaming.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => match to.about(to_name)? {
                Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
                None => Ok(fs::renameat(&self.handle, name, &to.handle, to_name)?),
            },
            done => Ok(done?),
        }
    }

    /// Lets two entries change places in one step.
    pub(crate) fn exchange(&self, one: impl AsRef<OsStr>, other: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(rename_with(&self.handle, one.as_ref(), &self.handle, other.as_ref(), RenameHow::Exchange)?)
    }

    /// Waits until the names in this directory are on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match fs::fsync(&self.handle) {
            // A file system on which directories cannot be synchronised.
            Err(Errno::INVAL | Errno::NOTSUP | Errno::BADF) => Ok(()),
            done => Ok(done?),
        }
    }

    /// Takes the owner and the permissions of another directory.
    pub(crate) fn take_after(&self, other: &Self) -> io::Result<()> {
        let (own, wanted) = (self.handle.metadata()?, other.handle.metadata()?);
        if (own.uid(), own.gid()) != (wanted.uid(), wanted.gid()) {
            std::os::unix::fs::fchown(&self.handle, Some(wanted.uid()), Some(wanted.gid()))?;
        }
        self.handle.set_permissions(wanted.permissions())
    }
}

#[allow(clippy::unnecessary_cast)] // the type of these fields depends on the system
fn about(stat: &Stat) -> EntryAbout {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        _ => EntryKind::Other,
    };
    let identity = FileIdentity { device: stat.st_dev as u64, number: stat.st_ino as u64 };
    let state = FileState { size: stat.st_size as u64, modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64) };
    EntryAbout { kind, identity, state }
}

/// The kind of a renaming beyond POSIX.
#[derive(Debug, Clone, Copy)]
enum RenameHow {
    New,
    Exchange,
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "macos", target_os = "ios"))]
fn rename_with(from: &File, name: &OsStr, to: &File, to_name: &OsStr, how: RenameHow) -> Result<(), Errno> {
    let flags = match how {
        RenameHow::New => fs::RenameFlags::NOREPLACE,
        RenameHow::Exchange => fs::RenameFlags::EXCHANGE,
    };
    fs::renameat_with(from, name, to, to_name, flags)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos", target_os = "ios")))]
fn rename_with(_: &File, _: &OsStr, _: &File, _: &OsStr, _: RenameHow) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}
