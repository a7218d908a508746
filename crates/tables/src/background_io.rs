//! Slow operations of the file system on background threads.
//!
//! A row group is written at once when it is complete, so files grow in large steps. Without help
//! the system begins to write to the disk when the file is synchronised, after its last byte.
//! Removing the last name of a large file takes long as well, because the system frees its pages
//! one by one.

use std::fs::File;
use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Bytes between two synchronisations.
const STEP: u64 = 8 << 20;

/// Synchronises a file with the disk repeatedly while it is being written.
#[derive(Debug, Default)]
pub(super) struct BackgroundSync {
    /// Bytes of the file at the last request.
    requested: u64,
    thread: Option<SyncThread>,
}

/// The thread that synchronises a file.
#[derive(Debug)]
struct SyncThread {
    wake: SyncSender<()>,
    thread: JoinHandle<io::Result<()>>,
}

impl BackgroundSync {
    /// Reports that `bytes` bytes of `file` are written.
    pub(super) fn written(&mut self, file: &File, bytes: u64) {
        if bytes < self.requested + STEP {
            return;
        }
        self.requested = bytes;
        if self.thread.is_none() {
            self.thread = SyncThread::start(file);
        }
        if let Some(thread) = &self.thread {
            // If the channel is full, a synchronisation is pending that includes these bytes.
            let _ = thread.wake.try_send(());
        }
    }

    /// Waits for pending synchronisations.
    ///
    /// # Errors
    /// The disk failed. The system reports such a failure once per file, so a later synchronisation
    /// would succeed.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.join()
    }

    fn join(&mut self) -> io::Result<()> {
        let Some(SyncThread { wake, thread }) = self.thread.take() else { return Ok(()) };
        drop(wake);
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that synchronises a file panicked")))
    }
}

impl Drop for BackgroundSync {
    fn drop(&mut self) {
        // The file must be closed before it is removed.
        let _ = self.join();
    }
}

impl SyncThread {
    /// Starts the thread. `None` if that fails; the file is then synchronised at its end only.
    fn start(file: &File) -> Option<Self> {
        let file = file.try_clone().ok()?;
        let (wake, requests) = sync_channel(1);
        let sync = move || requests.iter().try_for_each(|()| file.sync_data());
        let thread = std::thread::Builder::new().name("clearsweep-sync".to_owned()).spawn(sync).ok()?;
        Some(Self { wake, thread })
    }
}

/// Open handles of files that are being removed. A removed file is freed when its last handle is
/// closed, which a background thread does when this value is dropped.
#[derive(Debug, Default)]
pub(super) struct DeferredClose(Vec<File>);

/// Largest number of files that are held open.
const MOST_HELD: usize = 64;

impl DeferredClose {
    /// Opens a file that is about to be removed.
    pub(super) fn hold(&mut self, open: impl FnOnce() -> io::Result<File>) {
        // On other systems an open file may keep its name until it is closed.
        if cfg!(unix) && self.0.len() < MOST_HELD {
            self.0.extend(open());
        }
    }
}

impl Drop for DeferredClose {
    fn drop(&mut self) {
        let files = std::mem::take(&mut self.0);
        if !files.is_empty() {
            // If no thread can be started, the closure is dropped, and with it the files.
            let _ = std::thread::Builder::new().name("clearsweep-close".to_owned()).spawn(move || drop(files));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn large_files_are_synchronised_while_they_are_written() {
        let mut file = tempfile::tempfile().expect("a file");
        let mut sync = BackgroundSync::default();
        let piece = vec![7_u8; 1 << 20];
        for written in 1..=20_u64 {
            file.write_all(&piece).expect("room");
            sync.written(&file, written << 20);
            assert_eq!(sync.thread.is_some(), written << 20 >= STEP);
        }
        assert_eq!(sync.requested, 2 * STEP);
        sync.end().expect("synchronised");
        assert_eq!(file.metadata().expect("a size").len(), 20 << 20);
        BackgroundSync::default().end().expect("nothing is pending");
    }

    #[test]
    fn a_file_that_is_held_loses_its_name_at_once() {
        let dir = tempfile::tempdir().expect("scratch");
        let path = dir.path().join("old");
        std::fs::write(&path, "text").expect("written");
        let mut deferred = DeferredClose::default();
        deferred.hold(|| File::open(&path));
        deferred.hold(|| File::open(dir.path().join("missing")));
        std::fs::remove_file(&path).expect("removed");
        assert!(!path.exists() && deferred.0.len() == usize::from(cfg!(unix)));
    }
}
