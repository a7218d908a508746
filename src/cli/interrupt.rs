//! Ctrl-C and requests to end (SIGINT, SIGTERM): the first lets the work stop and remove its
//! temporary files, the second ends the program at once.

use super::embed;
use super::exit::INTERRUPTED;
use std::sync::atomic::{AtomicBool, Ordering};

/// Calls `stop` at the first interrupt. To be called once; without a handler an interrupt ends the
/// program at once.
pub(super) fn at_first(stop: impl Fn() + Send + 'static) {
    let Some(stop) = embed::take_stop(stop) else { return };
    let asked = AtomicBool::new(false);
    // If the system gives no handler, the program ends as any other does, and may leave a temporary
    // file.
    let _ = ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
        stop();
    });
}
