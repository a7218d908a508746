//! Ctrl-C and requests to end (SIGINT, SIGTERM): the first lets the work stop and remove its temporary files, the second ends the
//! program at once.

use super::exit::INTERRUPTED;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Calls `stop` at the first interrupt. To be called once; without a handler an interrupt ends the program at once.
pub(super) fn at_first(stop: impl Fn() + Send + 'static) {
    let asked = AtomicBool::new(false);
    // If the system gives no handler, the program ends as any other does, and may leave a temporary file.
    let _ = ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
        stop();
    });
}

/// At an interrupt removes the folders of `dir` whose names begin with `prefix`, and `dir` itself if it is then empty and was not
/// there when this was called; then the program ends.
pub(super) fn remove_and_exit(dir: &Path, prefix: &'static str) {
    let (dir, made) = (dir.to_owned(), !dir.exists());
    at_first(move || {
        let entries = std::fs::read_dir(&dir).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix)) {
            // A file may be added while others are removed: tried again until the folder is gone.
            for _ in 0..100 {
                if std::fs::remove_dir_all(entry.path()).is_ok() || !entry.path().exists() {
                    break;
                }
            }
        }
        if made {
            let _ = std::fs::remove_dir(&dir); // not empty if something else came to be there
        }
        std::process::exit(i32::from(INTERRUPTED));
    });
}
