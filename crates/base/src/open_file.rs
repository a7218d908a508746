//! Open files and their paths.

use std::fs::File;
use std::path::Path;

/// Whether a path still leads to an open file.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |about: std::fs::Metadata| (about.dev(), about.ino());
    let own = file.metadata().map(identity);
    own.is_ok_and(|own| path.symlink_metadata().map(identity).is_ok_and(|at| at == own))
}

/// Whether a path still leads to an open file: here a file that is open keeps its name.
#[cfg(not(unix))]
pub fn is_at(_: &File, path: &Path) -> bool {
    path.is_file()
}
