//! Data beside the repository. Tests that need missing data are skipped, and say so.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of times that this program missed data.
static SKIPPED: AtomicUsize = AtomicUsize::new(0);

/// Returns the root of the repository.
pub fn repository() -> &'static Path {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.find(|folder| folder.join("Cargo.lock").is_file()).expect("the repository has a lock file")
}

/// A folder of `../shared/data`. `None` if it is missing, which stderr says even of tests that
/// pass.
///
/// Panics instead if `CLEARSWEEP_REQUIRE_DATA` is set.
pub fn data(folder: &str) -> Option<PathBuf> {
    let path = repository().join("../shared/data").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var_os("CLEARSWEEP_REQUIRE_DATA").is_none(), "{} is missing, and required", path.display());
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Not by a macro, whose output is shown of failed tests alone.
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {} is missing (skipped so far: {count})", path.display());
    None
}
