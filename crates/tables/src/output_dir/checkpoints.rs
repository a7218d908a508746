//! The folder of checkpoints: what an execution keeps for another one that goes on where it was
//! killed.

use super::checkpoint_names::{FOLDER, is_known};
use super::{OutputDir, WrittenFile, guard, locate};
use crate::folder::{EntryKind, Folder};
use clearsweep_base::error::Result;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

impl OutputDir {
    /// The folder of checkpoints, which is created if it is missing.
    pub(crate) fn checkpoints(&self) -> io::Result<Arc<Folder>> {
        let mut checkpoints = guard(&self.checkpoints);
        if let Some(folder) = &*checkpoints {
            return Ok(Arc::clone(folder));
        }
        match self.target().make_folder(FOLDER) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        Ok(Arc::clone(checkpoints.insert(Arc::new(self.target().folder(FOLDER)?))))
    }

    /// Whether this file of the execution is complete.
    pub(crate) fn has(&self, name: &str) -> bool {
        let parts = guard(&self.parts);
        let (folder, file) = locate(self.target(), &parts, name);
        guard(&self.files).contains_key(name) && folder.about(file).is_ok_and(|about| about.is_some())
    }

    /// Whether an execution that was killed left something here that is not taken over yet.
    pub(crate) fn has_left(&self) -> bool {
        guard(&self.left).is_some()
    }

    /// The folder of checkpoints that it left.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(crate) fn left_checkpoints(&self) -> io::Result<Option<Arc<Folder>>> {
        match self.target().about(FOLDER)? {
            Some(about) if about.kind == EntryKind::Folder => self.checkpoints().map(Some),
            _ => Ok(None),
        }
    }

    /// Whether it left this file, by its name relative to the directory.
    pub(crate) fn left_has(&self, name: &str) -> bool {
        guard(&self.left).as_ref().is_some_and(|left| left.file(name).is_some())
    }

    /// Takes over files that it left: parts of tables, by their names relative to the directory,
    /// and files in the folder of checkpoints. All others are removed.
    ///
    /// # Errors
    /// The disk failed.
    pub(crate) fn adopt(&self, parts: &[String], checkpoints: &[String]) -> Result<()> {
        let Some(left) = guard(&self.left).take() else { return Ok(()) };
        let failed = |error: io::Error| self.error(self.root(), &error);
        for name in parts {
            let Some(about) = left.file(name) else { continue };
            if let Some((folder, _)) = name.split_once('/')
                && !guard(&self.parts).contains_key(folder)
            {
                let opened = self.target().folder(folder).map_err(failed)?;
                guard(&self.parts).insert(folder.to_owned(), Arc::new(opened));
            }
            let written = WrittenFile { identity: about.identity, state: Some(about.state), checksum: None };
            if guard(&self.files).insert(name.clone(), written).is_none() {
                self.bytes.fetch_add(about.state.size, Ordering::Relaxed);
            }
        }
        let is_kept = |name: &str| match name.split_once('/') {
            Some((FOLDER, file)) => checkpoints.iter().any(|kept| kept == file),
            _ => parts.iter().any(|kept| kept == name),
        };
        if checkpoints.is_empty() {
            // The folder goes, too.
            *guard(&self.checkpoints) = None;
        }
        left.remove_others(self.target(), &is_kept)
    }

    /// Whether this checkpoint is there.
    pub(crate) fn has_checkpoint(&self, name: &str) -> bool {
        let checkpoints = guard(&self.checkpoints);
        checkpoints.as_ref().is_some_and(|folder| folder.about(name).is_ok_and(|about| about.is_some()))
    }

    /// Whether the files of this execution stay where it does not complete, as it is once the last
    /// owner of this value is gone.
    pub(crate) fn kept(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.kept)
    }

    /// Lets the files of this execution stay when it fails, so that another one can go on. What is
    /// not complete goes.
    pub(crate) fn keep(&self) {
        self.kept.store(true, Ordering::Relaxed);
    }

    /// Removes the checkpoints: the tables are whole.
    pub(super) fn remove_checkpoints(&self) {
        let Some(folder) = guard(&self.checkpoints).take() else { return };
        for name in folder.entries().unwrap_or_default() {
            if name.to_str().is_some_and(is_known) {
                let _ = folder.remove_file(name);
            }
        }
        let _ = self.target().remove_folder(FOLDER);
    }
}
