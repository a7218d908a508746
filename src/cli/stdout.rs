//! Results on stdout. A reader that has seen enough (`| head`) closes the pipe; that is no failure.

use super::embed;
use clearsweep::{Error, Result};
use std::io::{ErrorKind, Write};

/// Prints text; its colours only where they are wanted.
pub(crate) fn print(text: &str) -> Result<()> {
    checked(|| {
        let mut out = anstream::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush())
    })
}

/// Prints text to stderr. If stderr is gone, there is nobody left to tell.
pub(crate) fn print_to_stderr(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Prints a JSON object.
pub(crate) fn print_json(value: &serde_json::Value) -> Result<()> {
    if embed::take_json(value) { Ok(()) } else { print_bytes(format!("{value:#}\n").as_bytes()) }
}

/// Prints bytes as they are.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<()> {
    checked(|| {
        let mut out = std::io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush())
    })
}

fn checked(write: impl FnOnce() -> std::io::Result<()>) -> Result<()> {
    match write() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::output("stdout", format!("cannot be written ({error})"), "check where the output goes"))
        }
        _ => Ok(()),
    }
}
