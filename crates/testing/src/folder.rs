//! The files of a folder, to be compared.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder, hidden ones too, by their path there; none if it is not there. What is
/// no regular file counts as empty, and links to folders are not followed.
pub fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else {
                let bytes = if path.is_file() { fs::read(&path).expect("a file") } else { Vec::new() };
                found.insert(path.strip_prefix(dir).expect("below").to_owned(), bytes);
            }
        }
    }
    found
}

/// The tables of a result: its files but the manifest, which differs between executions, and the
/// lock.
pub fn tables(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = files(dir);
    assert!(found.remove(Path::new("manifest.json")).is_some(), "a manifest in {}", dir.display());
    found.remove(Path::new(".clearsweep.lock"));
    found
}
