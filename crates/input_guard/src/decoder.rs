//! Running a third-party decoder on untrusted bytes.
//!
//! Protects against panics: a decoder that panics on damaged bytes gives `None` or an error, and
//! the process goes on.

use arrow_schema::ArrowError;
use clearsweep_base::error::{Error, Result};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

/// Remedy for bytes that no writer makes.
pub const DAMAGED: &str = "the file is damaged: write it again";

thread_local! {
    /// Whether a decoder runs on this thread.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder; `None` if it panicked.
///
/// Such a panic is an answer about the bytes, which the caller turns into an error with its place
/// and remedy, so it is kept from the process' panic hook: the first call puts a hook before the
/// one that is set, which passes every other panic on.
pub fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let next = take_hook();
        set_hook(Box::new(move |about| {
            if !GUARDED.get() {
                next(about);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(outer);
    result.ok()
}

/// Runs the Arrow decoder on the file at `path`.
///
/// # Errors
/// The decoder returns an error or panics.
pub fn guarded_arrow<T>(path: &Path, run: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    match guarded(run) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(Error::input(path.display(), format!("cannot be decoded ({error})"), DAMAGED)),
        None => Err(Error::input(path.display(), "cannot be decoded (the Arrow decoder gave up)", DAMAGED)),
    }
}

#[cfg(test)]
mod tests {
    use super::{GUARDED, guarded};

    #[test]
    fn a_panic_is_none_and_guards_nest() {
        assert_eq!(guarded(|| 3), Some(3));
        assert_eq!(guarded(|| guarded(|| panic!("unheard")).map_or(GUARDED.get(), |()| false)), Some(true));
        assert_eq!(guarded(|| -> i32 { panic!("unheard") }), None);
        assert!(!GUARDED.get());
    }
}
