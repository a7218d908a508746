//! The data sets of the repository in a folder of their own.

use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A folder with `datasets/`, as a clone has it.
pub fn clone() -> TempDir {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder") {
            let (from, to) = entry.map(|entry| (entry.path(), to.join(entry.file_name()))).expect("an entry");
            if from.is_dir() {
                copy(&from, &to);
            } else {
                fs::copy(&from, &to).expect("copied");
            }
        }
    }
    let dir = tempfile::tempdir().expect("scratch");
    copy(&crate::data::repository().join("datasets"), &dir.path().join("datasets"));
    dir
}
