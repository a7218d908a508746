//! Shards: parts of a job that machines compute each for itself, and that a merge puts together.
//!
//! Whoever schedules them (a queue, a cluster, a person) may start a shard as often as it likes:
//! its directory appears whole, by one rename, or not at all, and the first one stays. In an object
//! store, where nothing can be renamed, its manifest does that: it is written last.

use super::cancel::CancelToken;
use super::identity::job_digest;
use super::job::Job;
use super::options::{JobOptions, ShardPosition};
use super::progress::Progress;
use super::running::Outcome;
use super::shard_note::ShardNote;
use super::{identity, remote};
use clearsweep_base::error::{Error, ErrorKind, Result};
use clearsweep_model::Scene;
use clearsweep_records::manifest::{Manifest, Shard};
use clearsweep_store::{MANIFEST, RemoteFolder, local, publish_attempt, remove_attempts};
use clearsweep_tables::{FileChecksums, ParquetTables, StoredShard};
use clearsweep_trajectory::plan_shards;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The outcome of [`run_shard`].
#[derive(Debug)]
pub enum StoodOrWritten {
    /// A whole shard of the same job stood there: its manifest.
    Stood(Value),
    /// The shard was computed and written.
    Written(Box<Outcome>),
}

impl StoodOrWritten {
    /// The manifest of the shard, and whether it stood there already.
    pub fn manifest(&self) -> (&Value, bool) {
        match self {
            Self::Stood(manifest) => (manifest, true),
            Self::Written(outcome) => (&outcome.manifest, false),
        }
    }
}

/// The name of the directory of a shard.
pub fn shard_folder(ShardPosition { index, count }: ShardPosition) -> String {
    format!("shard-{index:05}-of-{count:05}")
}

/// Computes a shard of the job on `scene`, and writes its tables to the directory [`shard_folder`]
/// in `into`, which may be the address of an object store. Where a whole shard of the same job
/// stands there, nothing is computed; where several compute the same one, the first to be done
/// wins.
///
/// # Errors
/// A shard of another job stands there; those of [`Job::run`]; the directory cannot be written.
pub fn run_shard(
    scene: &Scene,
    mut options: JobOptions,
    position: ShardPosition,
    into: &Path,
    progress: &dyn Progress,
    token: &CancelToken,
) -> Result<StoodOrWritten> {
    let place = ShardPlace::of(into, position)?;
    let plan = plan_shards(scene, &options.read, position.count)?;
    let Some(shard) = plan.shards.get(position.index as usize) else {
        let problem = format!("there is no shard {} of {}", position.index, position.count);
        return Err(Error::usage("shard", problem, "shards are numbered from 0: give I/N with I below N"));
    };
    (options.read.part, options.shard) = (Some(shard.part.clone()), Some(position));
    let note = ShardNote::new(position, scene, &options, &plan.files)?;
    if let Some(manifest) = place.standing(&note, scene, &options)? {
        place.remove_left(None);
        return Ok(StoodOrWritten::Stood(manifest));
    }
    let temporary = place.temporary(options.read.temp.as_deref())?;
    let tables = temporary.path().join("tables");
    let ran =
        Job::new(scene).options(options.clone()).progress(progress).cancel(token).run(&mut ParquetTables::new(&tables));
    let committed = match ran {
        Ok(outcome) => place.commit(&tables, token).map(|is_first| is_first.then_some(outcome)),
        Err(error) => Err(error),
    };
    let error = match committed {
        Ok(Some(outcome)) => {
            place.remove_left(Some(temporary.path()));
            return Ok(StoodOrWritten::Written(Box::new(outcome)));
        }
        Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
        Ok(None) => {
            Error::output(place.shown().display(), "was taken by another worker and is gone", "run the shard again")
        }
        Err(error) => error,
    };
    // Another worker may have been faster.
    place.standing(&note, scene, &options)?.map(StoodOrWritten::Stood).ok_or(error)
}

/// The place of a shard.
enum ShardPlace {
    /// A directory, which gets its name by one rename.
    Directory {
        /// The directory of all shards.
        into: PathBuf,
        target: PathBuf,
        /// The names of what is not whole begin with this.
        prefix: String,
    },
    /// A folder of an object store, where the manifest is written last.
    Remote(RemoteFolder),
}

impl ShardPlace {
    fn of(into: &Path, position: ShardPosition) -> Result<Self> {
        let name = shard_folder(position);
        Ok(match RemoteFolder::at(into)? {
            Some(folder) => Self::Remote(folder.folder(&name)),
            None => {
                let into = local(into)?;
                Self::Directory { target: into.join(&name), into, prefix: format!(".{name}.") }
            }
        })
    }

    /// The place in messages.
    fn shown(&self) -> PathBuf {
        match self {
            Self::Directory { target, .. } => target.clone(),
            Self::Remote(folder) => folder.address().to_path(),
        }
    }

    /// A directory for the tables until they are whole. `temp`: that for a result which goes to a
    /// store.
    fn temporary(&self, temp: Option<&Path>) -> Result<TempDir> {
        match self {
            Self::Remote(_) => remote::temporary(temp),
            Self::Directory { into, prefix, .. } => {
                let made =
                    fs::create_dir_all(into).and_then(|()| tempfile::Builder::new().prefix(prefix).tempdir_in(into));
                made.map_err(|error| Error::unwritable(into, &error))
            }
        }
    }

    /// The manifest of the whole shard of the same job that stands there; `None`: there is none.
    fn standing(&self, note: &ShardNote, scene: &Scene, options: &JobOptions) -> Result<Option<Value>> {
        let Some(json) = self.manifest()? else { return Ok(None) };
        let shown = self.shown();
        let shard = Manifest::of_json(&json).ok().and_then(|manifest| manifest.shard);
        if let Some(Shard { index, of, .. }) = shard.filter(|shard| shard.job == job_digest(&note.job)) {
            if (ShardPosition { index, count: of }) == note.position {
                return Ok(Some(json));
            }
            let problem = format!("holds the shard {index}/{of} under another name");
            return Err(Error::output(shown.display(), problem, "remove it"));
        }
        let mut keys = self.job().map_or_else(|_| Vec::new(), |job| identity::differences(&job, scene, options));
        if keys.is_empty() {
            keys.push("trajectories".to_owned());
        }
        let problem = format!("holds a shard of another job, which differs in {}", keys.join(", "));
        let remedy = "remove it, or choose another directory for the shards of this job";
        Err(Error::output(shown.display(), problem, remedy))
    }

    /// The manifest of the shard that stands there.
    fn manifest(&self) -> Result<Option<Value>> {
        let text = match self {
            Self::Remote(folder) => folder.read(MANIFEST)?,
            Self::Directory { target, .. } => {
                let path = target.join(MANIFEST);
                match fs::read(&path) {
                    Ok(text) => Some(text),
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound && !target.exists() => None,
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                        let problem = "stands there without a manifest: it is no shard";
                        return Err(Error::output(target.display(), problem, "remove it, or choose another directory"));
                    }
                    Err(error) => return Err(Error::unreadable(&path, &error)),
                }
            }
        };
        Ok(text.map(|text| serde_json::from_slice(&text).unwrap_or_default()))
    }

    /// The job of the shard that stands there, in words.
    fn job(&self) -> Result<String> {
        match self {
            Self::Directory { target, .. } => Ok(StoredShard::open(target, Vec::new(), FileChecksums::new())?.job),
            Self::Remote(folder) => {
                let temporary = remote::temporary(None)?;
                folder.copy_attempt(temporary.path(), &is_state)?;
                Ok(StoredShard::open(temporary.path(), Vec::new(), FileChecksums::new())?.job)
            }
        }
    }

    /// Gives whole tables their place. Returns false if another worker was faster, where that is no
    /// error.
    fn commit(&self, tables: &Path, token: &CancelToken) -> Result<bool> {
        match self {
            Self::Remote(folder) => publish_attempt(folder, tables, &|| token.check()),
            Self::Directory { target, .. } => commit(tables, target).map(|()| true),
        }
    }

    /// Removes what workers on the same shard left that were killed, or that come too late.
    fn remove_left(&self, own: Option<&Path>) {
        match self {
            // What stays takes space, and nothing else.
            Self::Remote(folder) => drop(remove_attempts(folder)),
            Self::Directory { into, prefix, .. } => remove_left(into, prefix, own),
        }
    }
}

/// Whether a file of a shard tells its job.
pub(super) fn is_state(name: &str) -> bool {
    name == "shard.state"
}

/// Gives a whole result its place by one rename.
fn commit(tables: &Path, target: &Path) -> Result<()> {
    fs::rename(tables, target).map_err(|error| Error::unwritable(target, &error))?;
    // The name of the directory has to outlive a loss of power.
    #[cfg(unix)]
    if let Some(above) = target.parent() {
        let synced = fs::File::open(above).and_then(|folder| folder.sync_all());
        synced.map_err(|error| Error::unwritable(above, &error))?;
    }
    Ok(())
}

/// Removes what workers on the same shard left that were killed, or that come too late.
fn remove_left(into: &Path, prefix: &str, own: Option<&Path>) {
    for entry in fs::read_dir(into).into_iter().flatten().flatten() {
        let path = entry.path();
        if Some(path.as_path()) != own && entry.file_name().to_string_lossy().starts_with(prefix) {
            let _ = fs::remove_dir_all(path);
        }
    }
}
