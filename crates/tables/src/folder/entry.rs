//! Facts about an entry of a directory.

/// Which file a name leads to: equal for all names of one file, and for all handles of it.
///
/// On systems that do not tell, all identities are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileIdentity {
    /// The file system.
    pub device: u64,
    /// The number of the file in it (inode).
    pub number: u64,
}

/// The kind of an entry; links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Folder,
    /// A link, a pipe, a socket or a device.
    Other,
}

/// The contents of a file, as far as its directory tells. The number of a removed file may be given
/// to a new one, which differs by this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileState {
    /// Bytes.
    pub size: u64,
    /// When it was last changed: seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EntryAbout {
    /// Its kind.
    pub kind: EntryKind,
    /// Which file it is.
    pub identity: FileIdentity,
    /// The state of its contents.
    pub state: FileState,
}
