//! The files of an earlier execution, each with the proof that clearsweep wrote it.

use super::checkpoint_names as checkpoints;
use super::fault;
use super::lock::{LOCK, is_lock_file};
use super::names::{MANIFEST, SHARD_HEAD, SHARD_STATE, STAGING, is_part, of_temporary, table_of_file};
use crate::background_io::DeferredClose;
use crate::folder::{EntryAbout, EntryKind, FileIdentity, Folder};
use clearsweep_base::error::Result;
use clearsweep_input_guard::{guarded, parquet_footer};
use clearsweep_records::CATALOGUE;
use parquet::file::metadata::ParquetMetaDataReader;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The entries that an earlier execution left in a directory.
#[derive(Debug, Default)]
pub(super) struct EarlierResult {
    files: Vec<(OsString, EntryAbout)>,
    folders: Vec<(OsString, FileIdentity, EarlierResult)>,
    /// Files under temporary names, which only what lies beside them proves.
    temporary: Vec<OsString>,
    /// Whether something in the directory proves that clearsweep wrote to it.
    proven: bool,
}

/// Which names are expected in a directory.
#[derive(Debug, Clone, Copy)]
enum Holds {
    /// All tables and the manifest; staged results, too, unless it is one.
    Result { staged: bool },
    /// Parts of a table.
    Parts(&'static str),
    /// Checkpoints and journals.
    Checkpoints,
}

impl EarlierResult {
    /// Looks through an output directory whose lock this execution holds. `was_locked`: the lock
    /// file was left by an execution that was killed.
    ///
    /// # Errors
    /// The directory holds something that nothing proves to be clearsweep's.
    pub(super) fn in_locked(folder: &Folder, root: &Path, was_locked: bool) -> Result<Self> {
        let found = Self::survey(folder, root, Holds::Result { staged: false })?;
        found.check_temporary(folder, root, was_locked)?;
        Ok(found)
    }

    fn survey(folder: &Folder, root: &Path, holds: Holds) -> Result<Self> {
        let failed = |error: io::Error| fault::failed(folder.path(), &error);
        let mut found = Self::default();
        let own_lock = |name: &OsString| matches!(holds, Holds::Result { staged: false }) && name == LOCK;
        for name in folder.entries().map_err(failed)?.into_iter().filter(|name| !own_lock(name)) {
            // What is gone meanwhile needs no proof.
            let Some(about) = folder.about(&name).map_err(failed)? else { continue };
            let known = match about.kind {
                EntryKind::File => found.take_file(folder, &name, about, holds),
                EntryKind::Folder => found.take_folder(folder, root, (&name, about.identity), holds)?,
                EntryKind::Other => false,
            };
            if !known {
                return Err(fault::foreign(root, &folder.path().join(&name)));
            }
        }
        Ok(found)
    }

    /// Adds a file; `false` if nothing proves it.
    fn take_file(&mut self, folder: &Folder, name: &OsStr, about: EntryAbout, holds: Holds) -> bool {
        let text = name.to_str().unwrap_or_default();
        let is_known = |text: &str| match holds {
            Holds::Result { .. } => text == MANIFEST || text == SHARD_STATE || table_of_file(text).is_some(),
            Holds::Parts(_) => is_part(text),
            Holds::Checkpoints => checkpoints::is_known(text),
        };
        let proven = match holds {
            _ if of_temporary(text).is_some_and(is_known) => {
                self.temporary.push(name.to_owned());
                self.files.push((name.to_owned(), about));
                return true;
            }
            Holds::Result { .. } if text == LOCK => is_lock_file(folder),
            Holds::Result { .. } if text == MANIFEST => is_manifest(folder, name),
            Holds::Result { .. } if text == SHARD_STATE => is_shard_state(folder, name),
            Holds::Result { .. } => table_of_file(text).is_some_and(|table| is_table(folder, name, table.name)),
            Holds::Parts(table) => is_part(text) && is_table(folder, name, table),
            Holds::Checkpoints => checkpoints::is_known(text) && checkpoints::is_ours(folder, name),
        };
        self.proven |= proven;
        self.files.push((name.to_owned(), about));
        proven
    }

    /// Adds a directory with what it holds; `false` if it is none of clearsweep's.
    fn take_folder(
        &mut self,
        folder: &Folder,
        root: &Path,
        (name, identity): (&OsStr, FileIdentity),
        holds: Holds,
    ) -> Result<bool> {
        let Holds::Result { staged } = holds else { return Ok(false) };
        let parts =
            CATALOGUE.iter().find(|table| table.has_parts && name == table.name).map(|table| Holds::Parts(table.name));
        let stages = (!staged && STAGING.iter().any(|stage| name == *stage)).then_some(Holds::Result { staged: true });
        let checkpoints = (name == checkpoints::FOLDER).then_some(Holds::Checkpoints);
        let Some(inner_holds) = parts.or(stages).or(checkpoints) else { return Ok(false) };
        let inner = folder.folder(name).map_err(|error| fault::failed(&folder.path().join(name), &error))?;
        let found = Self::survey(&inner, root, inner_holds)?;
        // The name of a staged result is proof enough for files under temporary names.
        self.proven |= found.proven || stages.is_some();
        self.folders.push((name.to_owned(), identity, found));
        Ok(true)
    }

    /// Fails at the first temporary name if nothing proves that clearsweep wrote to the directory.
    fn check_temporary(&self, folder: &Folder, root: &Path, was_locked: bool) -> Result<()> {
        let own = self.temporary.iter().map(PathBuf::from);
        let inner = self
            .folders
            .iter()
            .flat_map(|(name, _, inner)| inner.temporary.iter().map(move |file| Path::new(name).join(file)));
        match own.chain(inner).next() {
            Some(name) if !was_locked && !self.proven => Err(fault::foreign(root, &folder.path().join(name))),
            _ => Ok(()),
        }
    }

    /// Whether it is a whole result: the manifest is written last, and removed first.
    pub(super) fn is_whole(&self) -> bool {
        self.files.iter().any(|(name, _)| name == MANIFEST)
    }

    /// Removes staged results, which an execution that was killed left inside.
    ///
    /// # Errors
    /// The first entry that cannot be removed.
    pub(super) fn remove_stages(&mut self, folder: &Folder) -> Result<()> {
        let is_stage = |name: &OsString| STAGING.iter().any(|stage| name == stage);
        let (stages, rest) = std::mem::take(&mut self.folders).into_iter().partition(|(name, ..)| is_stage(name));
        self.folders = rest;
        Self { folders: stages, ..Self::default() }.remove(folder)
    }

    /// Whether staged results, which an execution that was killed left, lie inside.
    pub(super) fn has_stages(&self) -> bool {
        self.folders.iter().any(|(name, ..)| STAGING.iter().any(|stage| name == stage))
    }

    /// Whether another execution may go on with it.
    pub(super) fn has_checkpoints(&self) -> bool {
        self.folders.iter().any(|(name, ..)| name == checkpoints::FOLDER)
    }

    /// Takes out what lies in a directory inside.
    pub(super) fn take_out(&mut self, name: &str) -> Option<Self> {
        let at = self.folders.iter().position(|(own, ..)| own == name)?;
        Some(self.folders.swap_remove(at).2)
    }

    /// A file, by its name relative to the directory, with at most one folder.
    pub(super) fn file(&self, name: &str) -> Option<EntryAbout> {
        if let Some((folder, file)) = name.split_once('/') {
            return self.folders.iter().find(|(own, ..)| own == folder)?.2.file(file);
        }
        self.files.iter().find(|(own, _)| own == name).map(|(_, about)| *about)
    }

    /// Removes all of it but the files for whose names, relative to the directory, `is_kept` holds,
    /// and their folders.
    ///
    /// # Errors
    /// The first entry that cannot be removed.
    pub(super) fn remove_others(mut self, folder: &Folder, is_kept: &dyn Fn(&str) -> bool) -> Result<()> {
        let text = |name: &OsStr| name.to_string_lossy().into_owned();
        self.files.retain(|(name, _)| !is_kept(&text(name)));
        for (name, identity, inner) in std::mem::take(&mut self.folders) {
            let in_folder = |file: &OsStr| format!("{}/{}", text(&name), text(file));
            let keeps = inner.files.iter().any(|(file, _)| is_kept(&in_folder(file)));
            if !keeps {
                self.folders.push((name, identity, inner));
            } else if let Some(opened) =
                open_same(folder, &name, identity).map_err(|e| fault::failed(folder.path(), &e))?
            {
                inner.remove_others(&opened, &|file| is_kept(&in_folder(OsStr::new(file))))?;
            }
        }
        self.remove(folder)
    }

    /// Whether an entry of the directory belongs to it.
    pub(super) fn holds(&self, name: &OsStr) -> bool {
        self.names().any(|own| own == name)
    }

    /// Its entries, the manifest first.
    pub(super) fn names(&self) -> impl Iterator<Item = &OsStr> {
        let files = || self.files.iter().map(|(name, _)| name.as_os_str());
        let rest = files().filter(|name| *name != MANIFEST);
        let folders = self.folders.iter().map(|(name, ..)| name.as_os_str());
        files().filter(|name| *name == MANIFEST).chain(rest).chain(folders)
    }

    /// Removes all of it from its directory, the manifest first: without it the remaining files
    /// cannot be mistaken for a whole result. A file that another one has replaced since it was
    /// found stays.
    ///
    /// # Errors
    /// The first entry that cannot be removed.
    pub(super) fn remove(&self, folder: &Folder) -> Result<()> {
        let mut removed = DeferredClose::default();
        self.remove_files(folder, &mut removed)
    }

    fn remove_files(&self, folder: &Folder, removed: &mut DeferredClose) -> Result<()> {
        let failed = |name: &OsStr, error: io::Error| fault::failed(&folder.path().join(name), &error);
        let of_manifest = |is: bool| self.files.iter().filter(move |(name, _)| (name == MANIFEST) == is);
        for (name, found) in of_manifest(true).chain(of_manifest(false)) {
            let about = folder.about(name).map_err(|error| failed(name, error))?;
            if about == Some(*found) {
                removed.hold(|| folder.open_file(name));
                folder.remove_file(name).map_err(|error| failed(name, error))?;
            }
            if name == MANIFEST {
                folder.sync().map_err(|error| failed(name, error))?;
            }
        }
        for (name, identity, found) in &self.folders {
            // Opened by its name here: since it was found, it may have been moved along with what
            // holds it.
            if let Some(inner) = open_same(folder, name, *identity).map_err(|error| failed(name, error))? {
                found.remove_files(&inner, removed)?;
            }
            match folder.remove_folder(name) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(name, error)),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Opens a directory that was found earlier; `None` if another one, or none, has its name.
fn open_same(folder: &Folder, name: &OsStr, identity: FileIdentity) -> io::Result<Option<Folder>> {
    match folder.about(name)? {
        Some(about) if about.identity == identity => folder.folder(name).map(Some),
        _ => Ok(None),
    }
}

/// Whether a file begins as the state of a shard does.
fn is_shard_state(folder: &Folder, name: &OsStr) -> bool {
    let mut head = [0; SHARD_HEAD.len()];
    folder.open_file(name).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *SHARD_HEAD
}

/// Whether a file is a manifest of clearsweep: its object begins with program, version and schema
/// version.
fn is_manifest(folder: &Folder, name: &OsStr) -> bool {
    /// More than the three values take, with any indentation.
    const HEAD: u64 = 4096;
    let mut head = Vec::new();
    if folder.open_file(name).and_then(|file| file.take(HEAD).read_to_end(&mut head)).is_err() {
        return false;
    }
    let text: String = String::from_utf8_lossy(&head).chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let version = text.strip_prefix(r#"{"program":"clearsweep","version":""#);
    let schema = version.and_then(|rest| rest.split_once(r#"","schema_version":"#)).map(|(_, rest)| rest);
    schema.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether the footer of a file names this table of clearsweep.
fn is_table(folder: &Folder, name: &OsStr, table: &str) -> bool {
    let Ok(file) = folder.open_file(name) else { return false };
    let bytes = file.metadata().map_or(0, |about| about.len());
    if parquet_footer::check(&folder.path().join(name), &file, bytes).is_err() {
        return false;
    }
    let Some(Ok(metadata)) = guarded(|| ParquetMetaDataReader::new().parse_and_finish(&file)) else { return false };
    let entries = metadata.file_metadata().key_value_metadata();
    entries.is_some_and(|entries| {
        entries.iter().any(|entry| entry.key == "clearsweep.table" && entry.value.as_deref() == Some(table))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_known_by_its_first_keys() {
        let dir = tempfile::tempdir().expect("scratch");
        let folder = Folder::open(dir.path()).expect("opened");
        for (text, is_ours) in [
            (
                "{\n  \"program\": \"clearsweep\",\n  \"version\": \"0.1.0\",\n  \"schema_version\": 1,\n  \"x\": 2\n}",
                true,
            ),
            (r#"{"program":"clearsweep","version":"0.1.0","schema_version":12}"#, true),
            (r#"{"name":"My web app","icons":[],"start_url":"/"}"#, false),
            (r#"{"program":"other","version":"0.1.0","schema_version":1}"#, false),
            (r#"{"program":"clearsweep"}"#, false),
            ("", false),
        ] {
            std::fs::write(dir.path().join(MANIFEST), text).expect("written");
            assert_eq!(is_manifest(&folder, OsStr::new(MANIFEST)), is_ours, "{text}");
        }
        assert!(!is_table(&folder, OsStr::new(MANIFEST), "pairs") && !is_manifest(&folder, OsStr::new("none")));
    }
}
