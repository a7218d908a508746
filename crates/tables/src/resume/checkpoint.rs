//! A checkpoint: what the writer of the tables holds at the start of a block, in a file.
//!
//! ```text
//! HEAD | length of the state, u64 | the state (postcard) | lists of entries, each after their number, u64 | CRC-32 of all, u32
//! ```

use super::entries::{StoredEntries, read_entries};
use super::journal::{self, JournalMark};
use crate::folder::Folder;
use crate::output_dir::{OutputDir, checkpoint_names as checkpoints};
use crate::spill::SpillEntry;
use clearsweep_base::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Bytes that are read or written at a time.
const CHUNK: usize = 1 << 20;

/// The files that a checkpoint needs besides itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CheckpointNeeds {
    /// Whole parts, by their names relative to the output directory.
    pub parts: Vec<String>,
    /// Journals: the table, and how far.
    pub journals: Vec<(String, JournalMark)>,
}

impl CheckpointNeeds {
    fn journal_names(&self) -> impl Iterator<Item = String> {
        self.journals.iter().filter(|(_, mark)| mark.pages > 0).map(|(table, mark)| journal::name(table, mark.part))
    }
}

/// The beginning of a checkpoint file.
#[derive(Serialize, Deserialize)]
struct CheckpointHeader<S> {
    /// The job, in words that are equal for equal jobs.
    job: String,
    needs: CheckpointNeeds,
    state: S,
}

/// Writes the checkpoints of an execution, and finds those of an earlier one.
pub(crate) struct CheckpointStore {
    out: Arc<OutputDir>,
    job: String,
    /// Names of the checkpoints that may be needed, the newest last.
    kept: Vec<(String, CheckpointNeeds)>,
    /// The thread that waits for the disk.
    pending: Option<JoinHandle<io::Result<()>>>,
}

/// A checkpoint of an earlier execution.
pub(crate) struct FoundCheckpoint<S> {
    /// The stored state.
    pub state: S,
    /// Number of the checkpoint.
    pub number: u64,
    /// Number of parts of `distances` that are whole, counted from the first.
    pub whole_parts: u64,
    /// The lists of entries.
    pub lists: FoundLists,
}

/// The lists of entries of a checkpoint, which are read in their order.
pub(crate) struct FoundLists(BufReader<File>);

impl CheckpointStore {
    /// Returns the store for a job, described in words that are equal for equal jobs.
    pub(crate) fn new(out: &Arc<OutputDir>, job: String) -> Self {
        Self { out: Arc::clone(out), job, kept: Vec::new(), pending: None }
    }

    /// A state as it is stored.
    ///
    /// # Errors
    /// None that the data can cause.
    pub(crate) fn encode<S: Serialize>(&self, needs: &CheckpointNeeds, state: S) -> Result<Vec<u8>> {
        let header = CheckpointHeader { job: self.job.clone(), needs: needs.clone(), state };
        postcard::to_stdvec(&header).map_err(|error| Error::internal("a checkpoint", error))
    }

    /// Writes a checkpoint of a state from [`Self::encode`], and removes those that are needed no
    /// more. `journals`: handles to the journals. Another thread waits for the disk.
    ///
    /// # Errors
    /// This checkpoint or the one before cannot be written.
    pub(crate) fn write(
        &mut self,
        number: u64,
        needs: CheckpointNeeds,
        state: &[u8],
        lists: Vec<&mut dyn StoredEntries>,
        journals: Vec<File>,
    ) -> Result<()> {
        self.wait()?;
        let name = format!("{}{number:05}", checkpoints::STATE);
        let failed = |error: io::Error| self.out.error(self.out.root(), &error);
        let folder = self.out.checkpoints().map_err(failed)?;
        let temporary = checkpoints::temporary(&name);
        let _ = folder.remove_file(&temporary);
        let file = folder
            .create_file(&temporary)
            .and_then(|file| write_state(file, checkpoints::STATE_HEAD, state, lists))
            .map_err(failed)?;
        self.kept.push((name.clone(), needs));
        self.prune(&folder);
        let finish = move || {
            journals.iter().try_for_each(File::sync_data)?;
            file.sync_all()?;
            drop(file);
            let _ = folder.remove_file(&name);
            folder.rename_new(&temporary, &folder, &name)?;
            folder.sync()
        };
        let thread = std::thread::Builder::new().name("clearsweep-checkpoint".to_owned()).spawn(finish);
        self.pending = Some(thread.map_err(|error| self.out.error(self.out.root(), &error))?);
        Ok(())
    }

    /// Waits until the last checkpoint is on the disk.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn wait(&mut self) -> Result<()> {
        let Some(thread) = self.pending.take() else { return Ok(()) };
        let done = thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread of the checkpoint panicked")));
        done.map_err(|error| {
            self.kept.pop();
            self.out.error(self.out.root(), &error)
        })
    }

    /// Whether a checkpoint with all that it needs is there.
    fn has_whole(&mut self) -> bool {
        // Without the last one those before may do.
        let _ = self.wait();
        self.kept.iter().any(|(name, needs)| self.is_whole(needs) && self.out.has_checkpoint(name))
    }

    fn is_whole(&self, needs: &CheckpointNeeds) -> bool {
        needs.parts.iter().all(|part| self.out.has(part))
    }

    /// Removes checkpoints before the newest whole one, and journals that none needs. What cannot
    /// be removed stays until the tables are whole.
    fn prune(&mut self, folder: &Folder) {
        let newest = self.kept.iter().rposition(|(_, needs)| self.is_whole(needs)).unwrap_or(0);
        for (name, _) in self.kept.drain(..newest) {
            let _ = folder.remove_file(name);
        }
        let least = |table: &str| {
            let parts = self.kept.iter().flat_map(|(_, needs)| &needs.journals).filter(|(of, _)| of == table);
            parts.map(|(_, mark)| mark.part).min().unwrap_or(0)
        };
        for name in folder.entries().unwrap_or_default().iter().filter_map(|name| name.to_str()) {
            let Some((table, part)) = name.strip_suffix(checkpoints::PAGES).and_then(|name| name.rsplit_once('-'))
            else {
                continue;
            };
            if part.parse::<u64>().is_ok_and(|part| part < least(table)) {
                let _ = folder.remove_file(name);
            }
        }
    }

    /// Finds the newest checkpoint of an earlier execution of the same job whose parts and journals
    /// are whole, and keeps in the output directory what it needs. `part_of`: the name of a part of
    /// `distances`.
    ///
    /// # Errors
    /// The earlier execution was of another job, or the disk failed.
    pub(crate) fn take_over<S: DeserializeOwned>(
        &mut self,
        part_of: impl Fn(u64) -> String,
    ) -> Result<Option<FoundCheckpoint<S>>> {
        let out = Arc::clone(&self.out);
        let failed = |error: io::Error| out.error(out.root(), &error);
        if !out.has_left() {
            return Ok(None);
        }
        let folder = out.left_checkpoints().map_err(failed)?;
        let mut names: Vec<String> = match &folder {
            Some(folder) => {
                folder.entries().map_err(failed)?.iter().map(|n| n.to_string_lossy().into_owned()).collect()
            }
            None => Vec::new(),
        };
        names.retain(|name| name.starts_with(checkpoints::STATE));
        names.sort_unstable_by_key(|name| std::cmp::Reverse((name.len(), name.clone())));
        for name in names {
            let Some(folder) = &folder else { continue };
            let Ok((header, lists)) = open::<S>(folder, &name) else { continue };
            if header.job != self.job {
                return Err(other_job(&out, &header.job, &self.job));
            }
            let is_intact = |(table, mark): &(String, JournalMark)| journal::is_intact(folder, table, *mark);
            let needs = header.needs;
            if !needs.parts.iter().all(|part| out.left_has(part))
                || !needs.journals.iter().all(|j| is_intact(j).unwrap_or(false))
            {
                continue;
            }
            let whole_parts = (0..).find(|&part| !out.left_has(&part_of(part))).unwrap_or(0);
            let kept: Vec<String> = needs.journal_names().chain([name.clone()]).collect();
            let parts: Vec<String> = (0..whole_parts).map(&part_of).chain(needs.parts.iter().cloned()).collect();
            out.adopt(&parts, &kept)?;
            let number = name.strip_prefix(checkpoints::STATE).and_then(|digits| digits.parse().ok()).unwrap_or(0);
            self.kept = vec![(name, needs)];
            return Ok(Some(FoundCheckpoint { state: header.state, number, whole_parts, lists }));
        }
        out.adopt(&[], &[])?;
        Ok(None)
    }
}

impl Drop for CheckpointStore {
    /// Lets what is written stay if the tables do not become whole and another execution can go on
    /// with it. This holds wherever the execution ends: also while the last tables are being
    /// written, and before the manifest is.
    fn drop(&mut self) {
        // `has_whole` waits for the thread, which must be done with the folder before the output
        // directory removes it.
        if self.has_whole() {
            self.out.keep();
        }
    }
}

impl FoundLists {
    /// Returns the lists of a file.
    #[cfg(test)]
    pub(crate) fn of(file: File) -> Self {
        Self(BufReader::new(file))
    }

    /// Hands the next list to `each`, in pieces.
    ///
    /// # Errors
    /// The disk failed, or `each` does.
    pub(crate) fn read<E: SpillEntry>(
        &mut self,
        out: &OutputDir,
        each: &mut dyn FnMut(&[E]) -> Result<()>,
    ) -> Result<()> {
        read_entries(&mut self.0, each).unwrap_or_else(|error| Err(out.error(out.root(), &error)))
    }
}

/// A writer that counts what passes into a checksum.
struct ChecksumWriter<W> {
    to: W,
    checksum: crc32fast::Hasher,
}

impl<W: Write> Write for ChecksumWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.checksum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Writes a state with its lists, as a checkpoint has them; `head`: the first bytes of the file.
pub(crate) fn write_state<W: Write>(
    to: W,
    head: &[u8],
    state: &[u8],
    lists: Vec<&mut dyn StoredEntries>,
) -> io::Result<W> {
    let mut file = ChecksumWriter { to: BufWriter::with_capacity(CHUNK, to), checksum: crc32fast::Hasher::new() };
    file.write_all(head)?;
    file.write_all(&(state.len() as u64).to_le_bytes())?;
    file.write_all(state)?;
    for list in lists {
        file.write_all(&list.count().to_le_bytes())?;
        list.store(&mut file)?;
    }
    let ChecksumWriter { mut to, checksum } = file;
    to.write_all(&checksum.finalize().to_le_bytes())?;
    to.into_inner().map_err(io::IntoInnerError::into_error)
}

/// Opens a checkpoint file.
fn open<S: DeserializeOwned>(folder: &Folder, name: &str) -> io::Result<(CheckpointHeader<S>, FoundLists)> {
    open_state(folder.open_file(name)?, checkpoints::STATE_HEAD)
}

/// Opens a file that [`write_state`] wrote, which is read once for its checksum.
///
/// # Errors
/// It cannot be read, or is damaged (`InvalidData`).
pub(crate) fn open_state<S: DeserializeOwned>(file: File, head: &[u8]) -> io::Result<(S, FoundLists)> {
    let broken = || io::Error::from(io::ErrorKind::InvalidData);
    let mut file = BufReader::with_capacity(CHUNK, file);
    let bytes = file.get_ref().metadata()?.len();
    let mut rest = bytes.checked_sub(4).ok_or_else(broken)?;
    let (mut checksum, mut chunk) = (crc32fast::Hasher::new(), vec![0; CHUNK]);
    while rest > 0 {
        let part = &mut chunk[..rest.min(CHUNK as u64) as usize];
        file.read_exact(part)?;
        checksum.update(part);
        rest -= part.len() as u64;
    }
    let mut sum = [0; 4];
    file.read_exact(&mut sum)?;
    if u32::from_le_bytes(sum) != checksum.finalize() {
        return Err(broken());
    }
    file.seek(SeekFrom::Start(0))?;
    let mut own_head = vec![0; head.len()];
    file.read_exact(&mut own_head)?;
    if own_head != head {
        return Err(broken());
    }
    let mut word = [0; 8];
    file.read_exact(&mut word)?;
    let length = u64::from_le_bytes(word);
    let mut state = vec![0; if length <= bytes { length as usize } else { return Err(broken()) }];
    file.read_exact(&mut state)?;
    Ok((postcard::from_bytes(&state).map_err(|_| broken())?, FoundLists(file)))
}

/// The error for a checkpoint of another job. Both are JSON objects with a key for each thing that
/// makes a job.
fn other_job(out: &OutputDir, before: &str, now: &str) -> Error {
    let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
    let (before, now) = (parsed(before), parsed(now));
    let keys = now.as_object().into_iter().flat_map(|object| object.keys());
    let other: Vec<&str> = keys.filter(|key| before.get(key) != now.get(key)).map(String::as_str).collect();
    Error::output(
        out.root().display(),
        format!("the execution that was interrupted here was another job: {} differ", other.join(", ")),
        "resume with the same program, scene, trajectories and options, or start over with --force",
    )
}
