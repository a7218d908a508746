//! A directory by its path, for systems without names relative to a handle.

use super::entry::{EntryAbout, EntryKind, FileIdentity, FileState};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The standard library does not tell on these systems.
const UNKNOWN: FileIdentity = FileIdentity { device: 0, number: 0 };

/// A directory by its path.
#[derive(Debug)]
pub struct PathFolder {
    path: PathBuf,
}

impl PathFolder {
    /// Whether two directories can change places in one step.
    pub const CAN_EXCHANGE: bool = false;

    /// Opens a directory by its path; links are followed.
    pub fn open(path: &Path) -> io::Result<Self> {
        match fs::metadata(path)?.is_dir() {
            true => Ok(Self { path: path.to_owned() }),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Opens a directory in this one, unless its name is a link.
    pub fn folder(&self, name: impl AsRef<OsStr>) -> io::Result<Self> {
        let path = self.at(&name);
        match fs::symlink_metadata(&path)?.is_dir() {
            true => Ok(Self { path }),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn at(&self, name: &impl AsRef<OsStr>) -> PathBuf {
        self.path.join(name.as_ref())
    }

    /// The path by which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which directory it is.
    pub fn identity(&self) -> io::Result<FileIdentity> {
        Ok(UNKNOWN)
    }

    /// Which file a handle leads to.
    pub fn identity_of(_: &File) -> io::Result<FileIdentity> {
        Ok(UNKNOWN)
    }

    /// Which file a path leads to: on these systems none that could be compared.
    pub fn identity_at(_: &Path) -> io::Result<FileIdentity> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the facts about an entry; `None` if there is none. Links are not followed.
    pub fn about(&self, name: impl AsRef<OsStr>) -> io::Result<Option<EntryAbout>> {
        let about = match fs::symlink_metadata(self.at(&name)) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let kind = match about.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Folder,
            _ => EntryKind::Other,
        };
        let since = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let modified = (since.as_secs() as i64, i64::from(since.subsec_nanos()));
        Ok(Some(EntryAbout { kind, identity: UNKNOWN, state: FileState { size: about.len(), modified } }))
    }

    /// The names of all entries, sorted.
    pub fn entries(&self) -> io::Result<Vec<OsString>> {
        let mut names = fs::read_dir(&self.path)?.map(|e| e.map(|e| e.file_name())).collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    }

    /// Creates a file that is not there yet, to be written and read.
    pub fn create_file(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.at(&name))
    }

    /// Opens a regular file to be read.
    pub fn open_file(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_with(&name, OpenOptions::new().read(true))
    }

    /// Opens a file to be read and changed, as [`Self::open_file`] does.
    pub fn open_to_change(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_with(&name, OpenOptions::new().read(true).write(true))
    }

    fn open_with(&self, name: &impl AsRef<OsStr>, options: &OpenOptions) -> io::Result<File> {
        match self.about(name)? {
            Some(about) if about.kind == EntryKind::File => options.open(self.at(name)),
            Some(_) => Err(io::ErrorKind::InvalidInput.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// A file that vanishes with its handle.
    pub fn unnamed_file(&self, _: impl AsRef<OsStr>) -> io::Result<File> {
        tempfile::tempfile_in(&self.path)
    }

    /// Creates a directory that is not there yet.
    pub fn make_folder(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        fs::create_dir(self.at(&name))
    }

    /// Removes a file.
    pub fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        fs::remove_file(self.at(&name))
    }

    /// Removes an empty directory.
    pub fn remove_folder(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        fs::remove_dir(self.at(&name))
    }

    /// Moves an entry to a name that nothing has yet.
    pub fn rename_new(&self, name: impl AsRef<OsStr>, to: &Self, to_name: impl AsRef<OsStr>) -> io::Result<()> {
        match to.about(&to_name)? {
            Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
            None => fs::rename(self.at(&name), to.at(&to_name)),
        }
    }

    /// Not on these systems.
    pub fn exchange(&self, _: impl AsRef<OsStr>, _: impl AsRef<OsStr>) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Directories are not synchronised on these systems.
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Permissions are inherited on these systems.
    pub fn take_after(&self, _: &Self) -> io::Result<()> {
        Ok(())
    }
}
