//! Messages for an output directory that cannot be used.

use super::lock::LOCK;
use clearsweep_base::error::Error;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The error for a failed operation on `path`, with a remedy.
pub(super) fn failed(path: &Path, error: &io::Error) -> Error {
    let remedy = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free space on that disk, or choose another with --out",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "check the permissions of the output directory, or choose another with --out"
        }
        _ if is_open_files(error) => "raise the limit of open files (`ulimit -n`)",
        _ => "check the disk of the output directory, or choose another with --out",
    };
    Error::output(path.display(), format!("cannot be written ({error})"), remedy)
}

/// Whether the process or the system has too many files open (EMFILE, ENFILE).
fn is_open_files(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// The error for an output directory that cannot be opened or created.
pub(super) fn unusable(path: &Path, problem: &str) -> Error {
    Error::output(path.display(), problem, "give --out a directory that can be created or written")
}

/// The error for a directory of a running execution. `--force` does not override it: two executions
/// would remove each other's files.
pub(super) fn in_use(root: &Path) -> Error {
    let remedy = "wait until it has ended, or choose another directory";
    Error::output(root.display(), format!("another execution is writing here ({LOCK} is held)"), remedy)
}

/// The error for a lock file that nobody is known to hold. `killed`: certainly nobody holds it.
pub(super) fn left_behind(root: &Path, killed: bool) -> Error {
    let (problem, remedy) = if killed {
        (
            "an execution was interrupted here",
            "go on with --resume, remove what it left with --force, or choose another directory",
        )
    } else {
        (
            "another execution is writing here, or one was interrupted",
            "wait for it, or choose another directory; if none is running, --resume goes on, and --force removes \
             what it left",
        )
    };
    Error::output(root.display(), format!("{problem}: {LOCK} exists"), remedy)
}

/// The error for a directory that is not empty, without `--force`.
pub(super) fn not_empty(root: &Path, name: &OsStr) -> Error {
    Error::output(
        root.display(),
        format!("the directory is not empty (it holds {:?})", name.to_string_lossy()),
        "choose another directory, or replace what an earlier execution wrote with --force",
    )
}

/// The error for a whole result that is to be gone on with.
pub(super) fn is_whole(root: &Path) -> Error {
    Error::output(
        root.display(),
        "the directory holds a whole result: there is nothing to resume",
        "choose another directory, or replace the result with --force",
    )
}

/// The error for an entry that nothing proves to be clearsweep's.
pub(super) fn foreign(root: &Path, entry: &Path) -> Error {
    let name = entry.strip_prefix(root).unwrap_or(entry);
    Error::output(
        root.display(),
        format!("the directory holds {:?}, which clearsweep did not write", name.display().to_string()),
        "--force removes only what clearsweep wrote: move that away, or choose another directory",
    )
}

/// The error for a directory whose files or whose lock another process has changed meanwhile.
pub(super) fn disturbed(root: &Path, problem: &str) -> Error {
    let remedy = "let one execution at a time write to a directory, and run it again";
    Error::output(root.display(), format!("was changed by another process while it was written ({problem})"), remedy)
}
