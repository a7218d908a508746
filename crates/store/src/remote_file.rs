//! A copy of an object in a temporary file, filled on demand.
//!
//! Each byte is asked for at most once, however often it is read. Ranges that are needed soon may
//! be announced: threads fetch them meanwhile.

use super::address::Address;
use super::blocks::{AT_A_TIME, BLOCK, REQUEST, block_count, copy_blocks, read_at};
use super::store::{ObjectAbout, Store};
use clearsweep_base::error::{Error, Result};
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The state of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Absent,
    /// Somebody fetches it.
    Coming,
    Present,
}

/// An object of a store, read as a file.
#[derive(Debug)]
pub struct RemoteFile {
    address: Address,
    store: Arc<dyn Store>,
    object: ObjectAbout,
    /// A file as long as the object, with zeros in blocks that were not read.
    copy: File,
    blocks: Mutex<Vec<Block>>,
    /// Told when a block has come, or could not be fetched.
    came: Condvar,
}

impl RemoteFile {
    /// The object as a file. `temp`: the directory for its copy; `None`: that of the system.
    ///
    /// # Errors
    /// The temporary file cannot be made.
    pub(crate) fn new(
        address: Address,
        store: Arc<dyn Store>,
        object: ObjectAbout,
        temp: Option<&Path>,
    ) -> Result<Self> {
        let copy = temp.map_or_else(tempfile::tempfile, tempfile::tempfile_in);
        let copy = copy.and_then(|file| file.set_len(object.bytes).map(|()| file)).map_err(|error| {
            let problem = format!("its copy in a temporary file cannot be made ({error})");
            Error::output(&address, problem, "free space on that disk, or choose another with --temp DIR")
        })?;
        let blocks = Mutex::new(vec![Block::Absent; block_count(&object) as usize]);
        Ok(Self { address, store, object, copy, blocks, came: Condvar::new() })
    }

    /// Address.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Length, bytes.
    pub fn bytes(&self) -> u64 {
        self.object.bytes
    }

    /// Version; `None`: the store tells none.
    pub fn version(&self) -> Option<&str> {
        self.object.version.as_deref()
    }

    /// Reads bytes from a place on; fewer than asked for where a block ends.
    ///
    /// # Errors
    /// The store does not give them any more, or the temporary file cannot be written.
    pub fn read_at(&self, to: &mut [u8], at: u64) -> io::Result<usize> {
        if to.is_empty() || at >= self.object.bytes {
            return Ok(0);
        }
        let block = at / BLOCK;
        self.need(block)?;
        let end = ((block + 1) * BLOCK).min(self.object.bytes);
        let most = (end - at).min(to.len() as u64) as usize;
        read_at(&self.copy, &mut to[..most], at)
    }

    /// Has ranges fetched that will be read soon. Their errors are told by the read.
    pub fn prefetch(self: &Arc<Self>, ranges: impl IntoIterator<Item = Range<u64>>) {
        let asked = Arc::new(Mutex::new(self.claim(ranges)));
        let threads = guard(&asked).len().min(AT_A_TIME);
        for _ in 0..threads {
            let (file, queue) = (Arc::clone(self), Arc::clone(&asked));
            let fetch = move || {
                while let Some(run) = pop(&queue) {
                    // The reader asks again, and has the error.
                    let _ = file.fetch(run);
                }
            };
            // Without a thread the others take its requests; without any, the reader asks.
            let _ = std::thread::Builder::new().name("clearsweep-fetch".to_owned()).spawn(fetch);
        }
        if threads > 0 && Arc::strong_count(&asked) == 1 {
            while let Some(run) = pop(&asked) {
                self.set(&run, Block::Absent);
            }
        }
    }

    /// Marks the blocks of ranges that nobody has asked for as coming; returns them in runs, one
    /// request each.
    fn claim(&self, ranges: impl IntoIterator<Item = Range<u64>>) -> VecDeque<Range<u64>> {
        let mut asked: VecDeque<Range<u64>> = VecDeque::new();
        let mut blocks = guard(&self.blocks);
        for range in ranges {
            let end = range.end.min(self.object.bytes).div_ceil(BLOCK);
            for block in range.start / BLOCK..end {
                let Some(state @ Block::Absent) = blocks.get_mut(block as usize) else { continue };
                *state = Block::Coming;
                match asked.back_mut() {
                    Some(run) if run.end == block && run.end - run.start < REQUEST => run.end += 1,
                    _ => asked.push_back(block..block + 1),
                }
            }
        }
        asked
    }

    /// Waits for a block, or fetches it.
    fn need(&self, block: u64) -> io::Result<()> {
        let at = block as usize;
        let mut blocks = guard(&self.blocks);
        while blocks.get(at) == Some(&Block::Coming) {
            blocks = self.came.wait(blocks).unwrap_or_else(PoisonError::into_inner);
        }
        match blocks.get_mut(at) {
            Some(state @ Block::Absent) => *state = Block::Coming,
            _ => return Ok(()),
        }
        drop(blocks);
        self.fetch(block..block + 1)
    }

    /// Fetches blocks that are coming.
    fn fetch(&self, blocks: Range<u64>) -> io::Result<()> {
        let mut coming = ComingBlocks { file: self, blocks, state: Block::Absent };
        copy_blocks(&*self.store, &self.object, &coming.blocks, &self.copy)?;
        coming.state = Block::Present;
        Ok(())
    }

    fn set(&self, run: &Range<u64>, state: Block) {
        let mut blocks = guard(&self.blocks);
        if let Some(known) = blocks.get_mut(run.start as usize..run.end as usize) {
            known.fill(state);
        }
        self.came.notify_all();
    }
}

/// Blocks that are being fetched: however that ends, whoever waits for them is told.
struct ComingBlocks<'a> {
    file: &'a RemoteFile,
    blocks: Range<u64>,
    state: Block,
}

impl Drop for ComingBlocks<'_> {
    fn drop(&mut self) {
        self.file.set(&self.blocks, self.state);
    }
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pop(queue: &Mutex<VecDeque<Range<u64>>>) -> Option<Range<u64>> {
    guard(queue).pop_front()
}
