//! Results on stdout. A reader that has seen enough (`| head`) closes the pipe; that is no failure.

use clearsweep::{Error, Result};
use std::io::{ErrorKind, Write};

/// Prints text.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::output("stdout", format!("cannot be written ({error})"), "check where the output goes"))
        }
        _ => Ok(()),
    }
}

/// Prints a JSON object.
pub(crate) fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&format!("{value:#}\n"))
}
