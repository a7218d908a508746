//! What the system would do while somebody waits for it, done beside the work instead.
//!
//! A table can only be written once its row group is whole, so much of it comes at once; the system would begin to
//! hand it to the disk when the file is synchronised, after the last byte. And removing the last name of a large file
//! gives its memory back piece by piece.

use std::fs::File;
use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Bytes after which the disk may begin.
const STEP: u64 = 8 << 20;

/// Hands a file to the disk while it is being written.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// Bytes written when the disk was last told.
    told: u64,
    worker: Option<Worker>,
}

#[derive(Debug)]
struct Worker {
    wake: SyncSender<()>,
    thread: JoinHandle<io::Result<()>>,
}

impl Ahead {
    /// So many bytes of `file` are written.
    pub(super) fn written(&mut self, file: &File, bytes: u64) {
        if bytes < self.told + STEP {
            return;
        }
        self.told = bytes;
        if self.worker.is_none() {
            self.worker = Worker::start(file);
        }
        if let Some(worker) = &self.worker {
            // One that is busy is told already, or will look again.
            let _ = worker.wake.try_send(());
        }
    }

    /// Waits for what was begun.
    ///
    /// # Errors
    /// The disk failed. The system says so once for a file, so whoever synchronises it afterwards would not hear of it.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.join()
    }

    fn join(&mut self) -> io::Result<()> {
        let Some(Worker { wake, thread }) = self.worker.take() else { return Ok(()) };
        drop(wake);
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that synchronises a file panicked")))
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        // Nobody may hold a file that is taken back.
        let _ = self.join();
    }
}

impl Worker {
    /// `None` where there is no thread to be had: then all is synchronised at the end.
    fn start(file: &File) -> Option<Self> {
        let file = file.try_clone().ok()?;
        let (wake, told) = sync_channel(1);
        let sync = move || told.iter().try_for_each(|()| file.sync_data());
        let thread = std::thread::Builder::new().name("clearsweep-sync".to_owned()).spawn(sync).ok()?;
        Some(Self { wake, thread })
    }
}

/// Files of which the last name is removed at once, and their memory given back beside the work.
#[derive(Debug, Default)]
pub(super) struct Removed(Vec<File>);

/// Most files that are held open.
const HELD: usize = 64;

impl Removed {
    /// Holds a file that is about to lose its name.
    pub(super) fn hold(&mut self, path: &std::path::Path) {
        // Elsewhere a name may stay until its file is closed.
        if cfg!(unix) && self.0.len() < HELD {
            self.0.extend(File::open(path));
        }
    }
}

impl Drop for Removed {
    fn drop(&mut self) {
        let files = std::mem::take(&mut self.0);
        if !files.is_empty() {
            // Without a thread they are closed here.
            let _ = std::thread::Builder::new().name("clearsweep-close".to_owned()).spawn(move || drop(files));
        }
    }
}
