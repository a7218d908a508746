//! Files that the program writes beside the tables: each appears whole or not at all.

use clearsweep::{Error, Result};
use std::io::Write;
use std::path::Path;
use tempfile::NamedTempFile;

/// Fails if a target lies in an output directory: a later run would refuse to replace what it did
/// not write.
pub(super) fn check_beside(target: &Path, dir: &Path) -> Result<()> {
    let existing = target.ancestors().find(|above| above.exists());
    let existing = existing.filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (existing.canonicalize(), dir.canonicalize()) {
        (Ok(existing), Ok(dir)) if existing.starts_with(&dir) => {
            let problem = "is in the output directory, which holds its tables only";
            Err(Error::usage(target.display(), problem, "name a place outside of it"))
        }
        _ => Ok(()),
    }
}

/// Fails if a file is there already; with `force`, if something other than a regular file is.
pub(super) fn check_target(target: &Path, force: bool) -> Result<()> {
    match target.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(about) if force && about.is_file() => Ok(()),
        Ok(_) if force => {
            let remedy = "move it away, or choose another place";
            Err(Error::output(target.display(), "is no regular file: --force replaces nothing else", remedy))
        }
        Ok(_) => {
            let remedy = "choose another place, or replace the file with --force";
            Err(Error::output(target.display(), "exists already", remedy))
        }
    }
}

/// A temporary file in the folder of a target, with the permissions of any new file.
pub(super) fn temporary(target: &Path) -> std::io::Result<NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".clearsweep-").suffix(".tmp");
    #[cfg(unix)]
    // As any new file: what the process' mask leaves of it.
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Gives a temporary file, written, the name of its target.
pub(super) fn keep(file: NamedTempFile, target: &Path, force: bool) -> Result<()> {
    let kept = if force { file.persist(target) } else { file.persist_noclobber(target) };
    kept.map(|_| ()).map_err(|error| Error::unwritable(target, &error.error))
}

/// Writes a file whole.
pub(super) fn write_whole(target: &Path, bytes: &[u8], force: bool) -> Result<()> {
    let unwritable = |error: std::io::Error| Error::unwritable(target, &error);
    let mut file = temporary(target).map_err(unwritable)?;
    file.write_all(bytes).map_err(unwritable)?;
    file.as_file().sync_all().map_err(unwritable)?;
    keep(file, target, force)
}
