//! Stdin and stdout as streams of Arrow IPC: `-` in place of a path.

use clearsweep::{Error, Result};
use clearsweep_trajectory::InputStream;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a path stands for stdin or stdout.
pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Stdin.
///
/// # Errors
/// It is a terminal.
pub(crate) fn stdin() -> Result<InputStream> {
    if io::stdin().is_terminal() {
        let remedy = "pipe a stream: `cat poses.arrows | clearsweep run scene.toml --trajectories - --out DIR`";
        return Err(Error::usage("--trajectories -", "stdin is a terminal, and no Arrow IPC stream", remedy));
    }
    Ok(InputStream::new("stdin", io::stdin()))
}

/// Stdout without the buffer for lines, and whether its reader has closed the pipe.
///
/// # Errors
/// It is a terminal, or closed.
pub(crate) fn stdout() -> Result<(impl Write + Send + use<>, impl Fn() -> bool + use<>)> {
    if io::stdout().is_terminal() {
        let remedy =
            "pipe the stream to a program that reads Arrow IPC, or write it to a file: `--out - > distances.arrows`";
        return Err(Error::usage("--out -", "stdout is a terminal, and an Arrow IPC stream is no text", remedy));
    }
    let target = owned().map_err(|error| {
        Error::output("stdout", format!("cannot be written ({error})"), "check where the output goes")
    })?;
    let is_broken = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_broken);
    Ok((Pipe { target, is_broken }, move || asked.load(Ordering::Relaxed)))
}

#[cfg(unix)]
fn owned() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn owned() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}

/// A file that remembers that nobody reads it any more.
struct Pipe {
    target: File,
    is_broken: Arc<AtomicBool>,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.target.write(bytes).inspect_err(|error| {
            if error.kind() == ErrorKind::BrokenPipe {
                self.is_broken.store(true, Ordering::Relaxed);
            }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.target.flush()
    }
}
