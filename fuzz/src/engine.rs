//! Rows: a small scene of the bytes is run, and all its rows are proven again.

use clearsweep_testing::trial::{Trial, carry_out};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Runs the scene that bytes stand for, and proves its rows again.
pub fn check(bytes: &[u8]) {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(crate::scratch);
    let Trial { scene, tally } = carry_out(folder, bytes);
    let wrong = tally.map(|tally| tally.wrong).unwrap_or_default();
    assert!(wrong.is_empty(), "{wrong:?}\n{scene}");
}
