//! What is known of an entry of a directory.

/// Which file a name leads to: equal for all names of one file, and for all handles of it.
///
/// On systems that do not tell, all identities are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::table) struct FileIdentity {
    /// The file system.
    pub(in crate::table) device: u64,
    /// The number of the file in it (inode).
    pub(in crate::table) number: u64,
}

/// What an entry is; links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::table) enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Folder,
    /// A link, a pipe, a socket or a device.
    Other,
}

/// What a file holds, as far as its directory tells. The number of a file that was removed may be given to a new one,
/// which differs by this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::table) struct FileState {
    /// Bytes.
    pub(in crate::table) size: u64,
    /// When it was last changed: seconds and nanoseconds since 1970.
    pub(in crate::table) modified: (i64, i64),
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::table) struct EntryAbout {
    /// What it is.
    pub(in crate::table) kind: EntryKind,
    /// Which file it is.
    pub(in crate::table) identity: FileIdentity,
    /// What it holds.
    pub(in crate::table) state: FileState,
}
