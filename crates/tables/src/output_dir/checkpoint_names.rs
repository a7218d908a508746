//! The names and the first bytes of checkpoints and journals.

use super::names::{self, of_temporary};
use crate::folder::Folder;
use std::ffi::OsStr;
use std::io::Read;

/// Name of the folder in the directory where tables are written.
pub(super) const FOLDER: &str = ".clearsweep-resume";
/// Names of checkpoints begin so.
pub(crate) const STATE: &str = "state-";
/// Names of journals end so.
pub(crate) const PAGES: &str = ".pages";
/// First bytes of checkpoints.
pub(crate) const STATE_HEAD: &[u8; 19] = b"clearsweep state 1\n";
/// First bytes of journals.
pub(crate) const PAGES_HEAD: &[u8; 19] = b"clearsweep pages 1\n";

/// The temporary name of a checkpoint.
pub(crate) fn temporary(name: &str) -> String {
    names::temporary(name)
}

/// Whether clearsweep gives this name to a checkpoint or a journal.
pub(super) fn is_known(name: &str) -> bool {
    let number = |text: &str| text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let of_journal = |name: &str| name.rsplit_once('-').is_some_and(|(table, part)| !table.is_empty() && number(part));
    let state = of_temporary(name).unwrap_or(name).strip_prefix(STATE);
    state.is_some_and(number) || name.strip_suffix(PAGES).is_some_and(of_journal)
}

/// Whether a file begins as a checkpoint or a journal does. One that a killed process had just
/// created is empty.
pub(super) fn is_ours(folder: &Folder, name: &OsStr) -> bool {
    let mut head = Vec::new();
    let read = folder.open_file(name).and_then(|file| file.take(STATE_HEAD.len() as u64).read_to_end(&mut head));
    read.is_ok() && [STATE_HEAD, PAGES_HEAD].iter().any(|own| own.starts_with(&head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_and_journals_are_known_by_name_and_head() {
        for name in ["state-00001", ".state-00012.tmp", "pairs-00000.pages", "penetrations-123456.pages"] {
            assert!(is_known(name), "{name}");
        }
        for name in ["state-1", "state-", "pairs.pages", "-00001.pages", "notes.txt", "state-00001.pages.bak"] {
            assert!(!is_known(name), "{name}");
        }
        let dir = tempfile::tempdir().expect("scratch");
        let folder = Folder::open(dir.path()).expect("opened");
        for (text, ours) in
            [("", true), ("clearsweep pages 1\nxyz", true), ("clearsweep state 1\n", true), ("mine", false)]
        {
            std::fs::write(dir.path().join("state-00001"), text).expect("written");
            assert_eq!(is_ours(&folder, "state-00001".as_ref()), ours, "{text:?}");
        }
    }
}
