//! Which files an input consists of: a file, a directory of files, or a glob; and the runs that
//! hive levels supply.

use super::walk;
use clearsweep_base::error::{Error, Result};
use clearsweep_store::TableFormat;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// A file of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Its path, as found from the path given.
    pub(super) path: PathBuf,
    /// The run that a directory level `run=7` supplies.
    pub(super) run: Option<HiveRun>,
    /// Whether it is a pipe, which can be read once.
    pub(super) is_pipe: bool,
}

/// A run supplied by a directory level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HiveRun {
    /// The key value.
    pub(super) value: i64,
    /// Whether the level lies below the path given. One level at or above it (`--trajectories
    /// data/run=7`) counts only for files without a column of runs: where a data set lies says
    /// nothing against what is in it.
    pub(super) inside: bool,
}

/// The files of `path`, sorted by path.
///
/// # Errors
/// Nothing is there; a hive level is not an integer.
pub(super) fn find(path: &Path) -> Result<Vec<Found>> {
    let text = path.to_string_lossy();
    let (root, mut paths) = match std::fs::metadata(path) {
        Ok(about) if about.is_dir() => (path.to_path_buf(), walk::files_below(path)?),
        Ok(about) if is_pipe(about.file_type()) => {
            return Ok(vec![Found { path: path.to_path_buf(), run: None, is_pipe: true }]);
        }
        Ok(_) => (path.parent().map(Path::to_path_buf).unwrap_or_default(), vec![path.to_path_buf()]),
        Err(_) if text.contains(['*', '?', '[']) => walk::matches(path, &text)?,
        Err(error) => return Err(Error::unreadable(path, &error)),
    };
    if paths.is_empty() {
        return Err(Error::input(
            path.display(),
            "holds no Parquet, Arrow IPC or CSV file",
            "give a Parquet, Arrow IPC or CSV file, a directory of them, or a glob (names that begin with . or _ are skipped)",
        ));
    }
    paths.sort();
    paths.dedup();
    if paths != [path] {
        refuse_tables(&root, &paths)?;
    }
    for path in &paths {
        let about = std::fs::metadata(path).map_err(|error| Error::unreadable(path, &error))?;
        if !about.is_file() {
            // Opening a pipe would wait for a writer that may never come.
            let remedy = "give a regular file, which is read twice, or one pipe by its name";
            return Err(Error::input(path.display(), "is a pipe or a device", remedy));
        }
    }
    paths.into_iter().map(|path| Ok(Found { run: hive_run(&root, &path)?, path, is_pipe: false })).collect()
}

/// Refuses files of a folder that is a table with a log: some of them are not its rows.
fn refuse_tables(root: &Path, paths: &[PathBuf]) -> Result<()> {
    let folders = |path: &'_ PathBuf| -> Vec<PathBuf> {
        let above = path.ancestors().skip(1).take_while(|folder| folder.starts_with(root));
        above.map(Path::to_path_buf).collect()
    };
    let folders: BTreeSet<PathBuf> = paths.iter().flat_map(folders).collect();
    for folder in folders {
        let entries = |folder: &Path| {
            let named = |entry: std::io::Result<std::fs::DirEntry>| {
                Some(entry.ok()?.file_name().to_string_lossy().into_owned())
            };
            std::fs::read_dir(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
                .into_iter()
                .flatten()
                .filter_map(named)
                .collect::<Vec<String>>()
        };
        let metadata = entries(&folder.join("metadata")).into_iter().map(|name| format!("metadata/{name}"));
        let mut names = entries(&folder).into_iter().chain(metadata);
        if let Some(format) = names.find_map(|name| TableFormat::of_entry(&name)) {
            return Err(format.refused(if folder.as_os_str().is_empty() {
                ".".into()
            } else {
                folder.to_string_lossy()
            }));
        }
    }
    Ok(())
}

/// Whether it is a pipe or a socket: it ends, but cannot be read again.
#[cfg(unix)]
pub(super) fn is_pipe(kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_fifo() || kind.is_socket()
}

/// Whether it is a pipe: those of other systems are no files.
#[cfg(not(unix))]
pub(super) fn is_pipe(_: std::fs::FileType) -> bool {
    false
}

/// The path without its `.` components.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

/// The run of the directory level `run=VALUE` of `path`, below `root` or at its end.
pub(super) fn hive_run(root: &Path, path: &Path) -> Result<Option<HiveRun>> {
    let (root, path_plain) = (plain(root), plain(path));
    let below = path_plain.parent().and_then(|parent| parent.strip_prefix(&root).ok());
    let mut found: Option<HiveRun> = None;
    let levels = root.file_name().into_iter().map(|name| (name, false));
    let levels = levels.chain(below.into_iter().flat_map(Path::iter).map(|name| (name, true)));
    for (level, inside) in levels {
        let level = level.to_string_lossy();
        let Some(word) = level.strip_prefix("run=").or_else(|| level.strip_prefix("run_id=")) else { continue };
        let value = word.parse().map_err(|_| {
            Error::input(
                path.display(),
                format!("the directory level `{level}` is not an integer run"),
                "name the directories run=0, run=1, ...",
            )
        })?;
        if found.is_some_and(|earlier| earlier.inside && inside) {
            return Err(Error::input(
                path.display(),
                "lies below two directory levels that supply a run",
                "keep one level run=N",
            ));
        }
        found = Some(HiveRun { value, inside });
    }
    Ok(found)
}
