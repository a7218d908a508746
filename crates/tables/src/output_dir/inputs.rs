//! Inputs of a job, which its output must not touch.

use super::fault;
use super::names::MANIFEST;
use crate::folder::{EntryKind, FileIdentity, Folder};
use crate::part_writer::part_name;
use clearsweep_base::error::{Error, Result};
use clearsweep_records::{CATALOGUE, TableInfo};
use clearsweep_store::glob_overlap;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The inputs of a job.
#[derive(Debug, Clone, Default)]
pub struct JobInputs {
    /// Scene, geometry, tables and trajectories: every file by the path under which it is read.
    pub files: Vec<PathBuf>,
    /// The trajectories as they were given: a file, a directory or a glob.
    pub trajectories: Option<PathBuf>,
}

impl JobInputs {
    /// Checks that tables in `root`, which need not exist, would not be read as trajectories the
    /// next time.
    ///
    /// # Errors
    /// The directory lies in that of the trajectories, or their glob matches its files.
    pub(super) fn check_place(&self, root: &Path) -> Result<()> {
        let Some(trajectories) = &self.trajectories else { return Ok(()) };
        // Files as the next job would find them.
        let first = |table: &TableInfo| if table.has_parts { part_name(table.name, 0) } else { table.file_name() };
        let mut names = CATALOGUE.iter().map(first).chain([MANIFEST.to_owned()]);
        if !names.any(|name| glob_overlap::is_reached(trajectories, &root.join(name))) {
            return Ok(());
        }
        Err(Error::output(
            root.display(),
            format!(
                "lies in the trajectories {:?}: its tables would be read with them",
                trajectories.display().to_string()
            ),
            "choose an output directory outside of the trajectories",
        ))
    }

    /// Checks that no input lies in an output directory, by any path or link.
    ///
    /// # Errors
    /// One does.
    pub(super) fn check_outside(&self, folder: &Folder, root: &Path) -> Result<()> {
        let held = files_of(folder).map_err(|error| fault::failed(root, &error))?;
        let root_real = root.canonicalize().map_err(|error| fault::failed(root, &error))?;
        let mut parents: HashMap<&Path, bool> = HashMap::new();
        for input in &self.files {
            // All links on the way are followed, but not the last: a link that lies in the
            // directory would be lost.
            let parent = input.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let below = |path: &Path| path.canonicalize().is_ok_and(|real| real.starts_with(&root_real));
            let lies_in = *parents.entry(parent).or_insert_with(|| below(parent))
                || input.symlink_metadata().is_ok_and(|about| about.is_symlink()) && below(input)
                || !held.is_empty() && Folder::identity_at(input).is_ok_and(|identity| held.contains(&identity));
            if lies_in {
                return Err(Error::output(
                    root.display(),
                    format!("the directory holds {:?}, which this job reads", input.display().to_string()),
                    "choose another directory: output never replaces what a job reads, with --force neither",
                ));
            }
        }
        Ok(())
    }
}

/// The identities of the files in a directory and in the directories in it.
fn files_of(folder: &Folder) -> io::Result<BTreeSet<FileIdentity>> {
    let mut found = BTreeSet::new();
    let mut add = |folder: &Folder, name: &OsString| -> io::Result<bool> {
        let about = folder.about(name)?;
        found.extend(about.filter(|about| about.kind == EntryKind::File).map(|about| about.identity));
        Ok(about.is_some_and(|about| about.kind == EntryKind::Folder))
    };
    for name in folder.entries()? {
        if add(folder, &name)? {
            // What cannot be opened cannot be replaced either.
            let Ok(inner) = folder.folder(&name) else { continue };
            for name in inner.entries()? {
                add(&inner, &name)?;
            }
        }
    }
    Ok(found)
}
