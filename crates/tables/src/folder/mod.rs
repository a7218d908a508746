//! A directory whose entries are reached from one opened handle.
//!
//! A path is looked up anew at each use, so a directory that is replaced by a link while the
//! program works would lead it elsewhere. Names relative to a handle stay in the directory that was
//! opened (`unix`: POSIX `openat` and its kin). Other systems get the same operations on paths
//! (`portable`).

mod entry;
#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

pub(super) use entry::{EntryAbout, EntryKind, FileIdentity, FileState};
#[cfg(not(unix))]
pub(super) use portable::PathFolder as Folder;
#[cfg(unix)]
pub(super) use unix::HeldFolder as Folder;

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::{ErrorKind, Write};

    #[test]
    fn a_file_is_created_once_and_renamed_to_a_free_name_only() {
        let dir = tempfile::tempdir().expect("scratch");
        let folder = Folder::open(dir.path()).expect("opened");
        folder.create_file("a").expect("created").write_all(b"text").expect("written");
        assert_eq!(folder.create_file("a").map(|_| ()).map_err(|e| e.kind()), Err(ErrorKind::AlreadyExists));
        folder.make_folder("sub").expect("made");
        let sub = folder.folder("sub").expect("opened");
        folder.rename_new("a", &sub, "b").expect("renamed");
        folder.create_file("c").expect("created");
        assert_eq!(folder.rename_new("c", &sub, "b").map_err(|e| e.kind()), Err(ErrorKind::AlreadyExists));
        assert_eq!(fs::read(dir.path().join("sub/b")).expect("there"), b"text");
        assert_eq!(folder.entries().expect("listed"), ["c", "sub"]);
        assert!(folder.about("sub").expect("asked").is_some_and(|about| about.kind == EntryKind::Folder));
        assert!(folder.about("none").expect("asked").is_none());
        folder.sync().expect("synchronised");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().expect("scratch");
        let folder = Folder::open(dir.path()).expect("opened");
        fs::create_dir(dir.path().join("real")).expect("made");
        fs::write(dir.path().join("file"), "text").expect("written");
        for (target, link) in [("real", "to-folder"), ("file", "to-file")] {
            std::os::unix::fs::symlink(target, dir.path().join(link)).expect("linked");
            assert!(folder.folder(link).is_err() && folder.open_file(link).is_err(), "{link}");
            assert!(folder.about(link).expect("asked").is_some_and(|about| about.kind == EntryKind::Other));
        }
        // The handle stays with the directory that was opened, whatever has its name.
        let held = folder.folder("real").expect("opened");
        fs::rename(dir.path().join("real"), dir.path().join("moved")).expect("renamed");
        std::os::unix::fs::symlink(".", dir.path().join("real")).expect("linked");
        held.create_file("new").expect("created");
        assert!(dir.path().join("moved/new").exists() && !dir.path().join("new").exists());
    }
}
