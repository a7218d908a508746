//! A data set on disk: a scene, its geometry and its trajectories, whole or not at all.

use clearsweep_base::error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Name of the trajectories in a data set.
pub(super) const TRAJECTORIES: &str = "trajectories.parquet";
/// Name of the scene in a data set.
pub(super) const SCENE: &str = "scene.toml";

/// A directory being filled. Everything is written into a hidden directory inside it and moved up
/// at the end, the scene last; dropped before that, it leaves nothing.
pub struct Dataset {
    out: PathBuf,
    work: tempfile::TempDir,
    /// Whether `out` was made here, and is to be removed on failure.
    made: bool,
    names: Vec<String>,
}

/// Set by [`Dataset::stop`].
static STOPPED: AtomicBool = AtomicBool::new(false);

/// An error once data sets are to stop.
fn go_on() -> Result<()> {
    if STOPPED.load(Ordering::Relaxed) { Err(Error::cancelled()) } else { Ok(()) }
}

impl Dataset {
    /// Lets every data set of this process end with [`clearsweep_base::ErrorKind::Cancelled`]
    /// before its next file, or before its files are moved to their place; then nothing of it is
    /// left. For the program, which writes one data set and ends.
    pub fn stop() {
        STOPPED.store(true, Ordering::Relaxed);
    }

    /// Takes [`Self::stop`] back, for a process that goes on.
    pub fn go_on() {
        STOPPED.store(false, Ordering::Relaxed);
    }

    /// Claims `out`, which must not exist or be empty.
    ///
    /// # Errors
    /// It is not empty, not a directory, or cannot be written.
    pub(super) fn create(out: &Path) -> Result<Self> {
        let made = match fs::read_dir(out).map(|mut entries| entries.next().is_none()) {
            Ok(true) => false,
            Ok(false) => {
                let remedy = "choose a new directory, or empty this one first (hidden files count)";
                return Err(Error::output(out.display(), "is not empty", remedy));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                fs::create_dir_all(out).map_err(|error| Error::unwritable(out, &error))?;
                true
            }
            Err(error) => return Err(Error::unwritable(out, &error)),
        };
        match tempfile::Builder::new().prefix(".clearsweep-").tempdir_in(out) {
            Ok(work) => Ok(Self { out: out.to_owned(), work, made, names: Vec::new() }),
            Err(error) => {
                if made {
                    let _ = fs::remove_dir(out); // the error to report is the first one
                }
                Err(Error::unwritable(out, &error))
            }
        }
    }

    /// Returns the path at which a file of this name is to be written; `folder/name` is made a
    /// folder of its own.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub(super) fn path(&mut self, name: &str) -> Result<PathBuf> {
        go_on()?;
        let path = self.work.path().join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| Error::unwritable(&self.out.join(name), &error))?;
        }
        self.names.push(name.to_owned());
        Ok(path)
    }

    /// Writes a file.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&mut self, name: &str, bytes: impl AsRef<[u8]>) -> Result<()> {
        let path = self.path(name)?;
        fs::write(&path, bytes).map_err(|error| Error::unwritable(&self.out.join(name), &error))
    }

    /// Moves all files to their place, in the order in which they were written. Returns their
    /// paths.
    ///
    /// # Errors
    /// A file cannot be moved.
    pub(super) fn finish(mut self) -> Result<Vec<PathBuf>> {
        go_on()?;
        let mut paths = Vec::with_capacity(self.names.len());
        let mut folders = Vec::new();
        for name in std::mem::take(&mut self.names) {
            let to = self.out.join(&name);
            if let Err(error) = self.move_up(&name, &to, &mut folders) {
                // The error to report is the first one.
                paths.iter().for_each(|path| drop(fs::remove_file(path)));
                folders.iter().rev().for_each(|folder| drop(fs::remove_dir(folder)));
                return Err(Error::unwritable(&to, &error));
            }
            paths.push(to);
        }
        self.made = false;
        Ok(paths)
    }

    /// Moves a file to its place, and notes the folder made for it.
    fn move_up(&self, name: &str, to: &Path, folders: &mut Vec<PathBuf>) -> std::io::Result<()> {
        if let Some(folder) = to.parent().filter(|folder| !folder.exists()) {
            fs::create_dir(folder)?;
            folders.push(folder.to_owned());
        }
        fs::rename(self.work.path().join(name), to)
    }
}

impl Drop for Dataset {
    fn drop(&mut self) {
        if self.made {
            let _ = fs::remove_dir_all(self.work.path());
            let _ = fs::remove_dir(&self.out); // fails, rightly, if somebody put a file there
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_set_appears_whole_or_not_at_all() {
        let dir = tempfile::tempdir().expect("scratch");
        let out = dir.path().join("new").join("set");
        let mut set = Dataset::create(&out).expect("a new directory");
        set.write("a.txt", "one").expect("written");
        assert!(!out.join("a.txt").exists(), "nothing is visible before the end");
        drop(set);
        assert!(!out.exists(), "a directory made for a failed data set is removed");

        let mut set = Dataset::create(&out).expect("a new directory");
        set.write("a.txt", "one").expect("written");
        set.write("parts/b.txt", "two").expect("written");
        set.write("parts/c.txt", "three").expect("written");
        let expected = ["a.txt", "parts/b.txt", "parts/c.txt"].map(|name| out.join(name));
        assert_eq!(set.finish().expect("moved"), expected);
        assert_eq!(fs::read_dir(&out).expect("listed").count(), 2, "no scratch is left");
        assert_eq!(fs::read(&expected[2]).expect("a file"), b"three");

        let error = Dataset::create(&out).err().expect("refused");
        assert!(error.problem.contains("not empty"), "{error}");
    }

    #[test]
    fn an_empty_directory_survives_a_failure() {
        let dir = tempfile::tempdir().expect("scratch");
        drop(Dataset::create(dir.path()).expect("an empty directory"));
        assert!(dir.path().exists());
        assert!(Dataset::create(&dir.path().join("file")).is_ok());
    }
}
