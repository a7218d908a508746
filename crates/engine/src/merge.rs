//! The result of a job from those of its shards.

use super::cancel::CancelToken;
use super::earlier_issues;
use super::identity::{self, job_digest};
use super::merged_manifest::ShardFacts;
use super::options::{DEFAULT_MEMORY, JobOptions, ShardPosition, pool};
use super::progress::{Advance, Progress};
use super::remote::{self, RemoteResult};
use super::shard::{is_state, shard_folder};
use super::verify::digests;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{BaselineAt, BaselinePair, Baselines, Scene, SceneOverrides};
use clearsweep_records::manifest::{Manifest, Overrides, Shard, Span};
use clearsweep_store::{MANIFEST, RemoteFolder, local};
use clearsweep_tables::{DistanceColumns, FileChecksums, JobInputs, StoredShard, TableMerger, TableOptions};
use clearsweep_trajectory::ReadPart;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Missing shards that an error names.
const MISSING_TOLD: usize = 8;

/// How shards are merged.
#[derive(Debug, Clone)]
pub struct MergeOptions {
    /// The output directory.
    pub out: PathBuf,
    /// Whether an earlier result there is replaced.
    pub force: bool,
    /// Whether parts of tables are linked or copied as they are. Their rows are the same; files and
    /// row groups are divided otherwise.
    pub fast: bool,
    /// The scene file; `None`: the one that the shards name.
    pub scene: Option<PathBuf>,
    /// The earlier result whose issues keep their ids.
    pub previous: Option<PathBuf>,
    /// The directory for copies of shards in an object store, and of a result that goes there;
    /// `None`: that of the system.
    pub temp: Option<PathBuf>,
    /// Bytes that summaries may take.
    pub memory: u64,
    /// Threads of the pool; `None`: all cores.
    pub threads: Option<usize>,
}

impl MergeOptions {
    /// A merge into a directory that is new or empty.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self {
            out: out.into(),
            force: false,
            fast: false,
            scene: None,
            previous: None,
            temp: None,
            memory: DEFAULT_MEMORY,
            threads: None,
        }
    }
}

/// A merged result.
#[derive(Debug)]
pub struct Merged {
    /// The JSON object of `manifest.json`.
    pub manifest: Value,
    /// Shards.
    pub shards: usize,
}

/// Puts the shards of a job in the directory `from` together. The tables are those of an execution
/// that was not divided, byte for byte, unless they are merged `fast`. `from` and the output may be
/// addresses of object stores: one shard at a time is copied to this machine then. `scene`: that of
/// the job, if it was built in code. `token` is asked before each shard.
///
/// # Errors
/// A shard is missing, is damaged or of another job; the scene is not that of the job; the output
/// cannot be written; the merge is cancelled.
pub fn merge(
    from: &Path,
    scene: Option<&Scene>,
    options: &MergeOptions,
    progress: &dyn Progress,
    token: &CancelToken,
) -> Result<Merged> {
    let remote = RemoteResult::prepare(&options.out, options.temp.as_deref(), options.force)?;
    let out = remote.as_ref().map_or_else(|| local(&options.out), |remote| Ok(remote.dir()))?;
    let options = &MergeOptions { out, ..options.clone() };
    let shards = Shards::find(from, options.temp.as_deref())?;
    let (facts, states) = shards.survey()?;
    let loaded = match scene {
        Some(_) => None,
        None => Some(load(&facts.first, options, from)?),
    };
    let Some(scene) = scene.or(loaded.as_ref()) else { return Err(Error::internal(from.display(), "no scene")) };
    let following =
        options.previous.as_deref().map(|previous| earlier_issues::following(scene, previous)).transpose()?;
    let scene = following.as_ref().unwrap_or(scene);
    let merged = pool(options.threads)?.install(|| shards.merge(scene, facts, states, options, (progress, token)))?;
    remote.map_or(Ok(()), |remote| remote.publish(token))?;
    Ok(merged)
}

/// The directories of all shards of a job, in order.
struct Shards {
    folders: Vec<PathBuf>,
    /// The shards in an object store, of which the directories are copies.
    remote: Option<RemoteShards>,
}

/// Shards in an object store.
struct RemoteShards {
    folders: Vec<RemoteFolder>,
    /// Holds the copies.
    _temporary: TempDir,
}

/// The facts that the states of the shards add up to.
#[derive(Default)]
struct ShardStates {
    job: String,
    pose_steps: Option<clearsweep_model::PoseSteps>,
    baselines: Vec<(BaselineAt, Vec<BaselinePair>)>,
    /// The first shard with a sample.
    first_with_samples: Option<usize>,
}

impl Shards {
    /// Finds the shards in a directory.
    fn find(from: &Path, temp: Option<&Path>) -> Result<Self> {
        let remote = RemoteFolder::at(from)?;
        let names = match &remote {
            Some(folder) => whole_shards(folder)?,
            None => names_in(&local(from)?)?,
        };
        let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for name in names {
            let position = position(&name);
            if let Some(ShardPosition { index, count }) = position.filter(|position| position.index < position.count) {
                found.entry(count).or_default().push(index);
            }
        }
        let mut counts = found.keys();
        let (Some(&count), None) = (counts.next(), counts.next()) else {
            let problem = match found.is_empty() {
                true => "holds no shard".to_owned(),
                false => {
                    format!("holds shards of several plans: {}", words(found.keys().map(|count| format!("of {count}"))))
                }
            };
            let remedy = "give the directory that `run --shard I/N --out` wrote to, with the shards of one plan";
            return Err(Error::input(from.display(), problem, remedy));
        };
        let there = &found[&count];
        let missing: Vec<u32> = (0..count).filter(|index| !there.contains(index)).collect();
        if !missing.is_empty() {
            let named = missing.iter().take(MISSING_TOLD).map(|index| format!("{index}/{count}"));
            let more = if missing.len() > MISSING_TOLD { ", ..." } else { "" };
            let problem = format!("lacks {} of {count} shards: {}{more}", missing.len(), words(named));
            return Err(Error::input(from.display(), problem, "run these shards: `run SCENE --shard I/N --out DIR`"));
        }
        let names: Vec<String> = (0..count).map(|index| shard_folder(ShardPosition { index, count })).collect();
        let within = |dir: &Path| names.iter().map(|name| dir.join(name)).collect();
        let Some(folder) = remote else { return Ok(Self { folders: within(&local(from)?), remote: None }) };
        let temporary = remote::temporary(temp)?;
        let folders = names.iter().map(|name| folder.folder(name)).collect();
        Ok(Self { folders: within(temporary.path()), remote: Some(RemoteShards { folders, _temporary: temporary }) })
    }

    /// Copies the files of a shard that are `wanted` to its directory, if it is in a store.
    fn fetch(&self, index: usize, wanted: &dyn Fn(&str) -> bool) -> Result<()> {
        let (Some(remote), Some(dir)) = (&self.remote, self.folders.get(index)) else { return Ok(()) };
        fs::create_dir_all(dir).map_err(|error| Error::unwritable(dir, &error))?;
        let folder = &remote.folders[index];
        match folder.copy_attempt(dir, wanted)? {
            true => Ok(()),
            false => Err(Error::input(folder.address(), "is gone", AGAIN)),
        }
    }

    /// Removes the copy of a shard, if it is one.
    fn release(&self, index: usize) {
        if let (Some(_), Some(dir)) = (&self.remote, self.folders.get(index)) {
            // What stays goes with the directory of all copies.
            let _ = fs::remove_dir_all(dir);
        }
    }

    /// Checks that all are shards of one job, and cover it once.
    fn survey(&self) -> Result<(ShardFacts, ShardStates)> {
        let (mut facts, mut states) = (ShardFacts::default(), ShardStates::default());
        let mut last: Option<(ReadPart, &Path)> = None;
        let mut ends: Option<(i64, i64)> = None;
        for (index, folder) in self.folders.iter().enumerate() {
            self.fetch(index, &is_state)?;
            let manifest = read_manifest(folder)?;
            let stored = StoredShard::open(folder, Vec::new(), FileChecksums::new())?;
            let Some(shard) = manifest.shard.as_ref().filter(|shard| shard.job == job_digest(&stored.job)) else {
                return Err(Error::input(folder.display(), "has the manifest of another shard", AGAIN));
            };
            let part = part(shard);
            if index == 0 {
                states.job.clone_from(&stored.job);
                states.pose_steps = stored.pose_steps;
            } else if stored.job != states.job {
                return Err(other_job(folder, &self.folders[0], [&stored.job, &states.job]));
            }
            if !part.is_nothing() {
                let meets = last.as_ref().map_or(part.is_first(), |(before, _)| before.meets(&part));
                if !meets {
                    return Err(not_end_to_end(folder, last.as_ref().map(|(_, before)| *before)));
                }
                last = Some((part, folder));
            }
            if states.first_with_samples.is_none() && stored.samples > 0 {
                states.first_with_samples = Some(index);
            }
            let intervals = manifest.summary.intervals.as_ref();
            let is_far = |(before, next): ((i64, i64), (i64, i64))| {
                before.0 == next.0 && intervals.is_some_and(|of| before.1.abs_diff(next.1) > of.max_gap.unsigned_abs())
            };
            if ends.zip(stored.ends.map(|[first, _]| first)).is_some_and(is_far) {
                facts.skip();
            }
            ends = stored.ends.map(|[_, last]| last).or(ends);
            states.add_baselines(stored.baselines);
            facts.add(manifest);
            self.release(index);
        }
        match last {
            Some((part, _)) if part.is_last() => Ok((facts, states)),
            last => Err(not_end_to_end(&self.folders[self.folders.len() - 1], last.map(|(_, folder)| folder))),
        }
    }

    /// A shard with the digests of its tables.
    fn open(&self, index: usize) -> Option<Result<StoredShard>> {
        let folder = self.folders.get(index)?;
        let fetched = self.fetch(index, &|_| true);
        Some(
            fetched
                .and_then(|()| read_manifest(folder))
                .and_then(|manifest| StoredShard::open(folder, digests(&manifest), manifest.checksums())),
        )
    }

    fn merge(
        &self,
        scene: &Scene,
        facts: ShardFacts,
        states: ShardStates,
        options: &MergeOptions,
        (progress, token): (&dyn Progress, &CancelToken),
    ) -> Result<Merged> {
        let columns = match facts.first.options.columns.as_str() {
            "distance" => DistanceColumns::Distance,
            _ => DistanceColumns::All,
        };
        let of_job = JobOptions { columns, ..JobOptions::default() };
        let differing = identity::differences(&states.job, scene, &of_job);
        if !differing.is_empty() {
            let problem = format!(
                "is not the scene that the shards were computed with, which differs in {}",
                differing.join(", ")
            );
            return Err(Error::input(
                scene.path.display(),
                problem,
                "give the same files and version, or run the shards again",
            ));
        }
        if scene.query.static_pairs && states.first_with_samples.is_some_and(|first| first > 0) {
            let problem = "its first shard has no frame, so that no shard asked about the pairs of static bodies";
            return Err(Error::input(self.folders[0].display(), problem, "divide the job into fewer shards"));
        }
        let scene = Scene { baselines: Arc::new(states.baselines()), ..scene.clone() };
        let table_options = TableOptions {
            out: options.out.clone(),
            columns,
            force: options.force,
            memory: options.memory,
            resume: false,
            job: None,
            shard: None,
            inputs: JobInputs {
                files: self.folders.iter().map(|folder| folder.join(MANIFEST)).collect(),
                trajectories: None,
            },
            pose_steps: states.pose_steps,
        };
        let mut merger = TableMerger::create(&scene, &table_options, options.fast)?;
        let mut advance = Advance::default();
        for index in 0..self.folders.len() {
            token.check()?;
            if let Some(shard) = self.open(index) {
                merger.append(&shard?)?;
            }
            self.release(index);
            let [samples, rows] = facts.counts(index);
            advance.samples += samples;
            advance.rows += rows;
            advance.read = (index + 1) as f64 / self.folders.len() as f64;
            progress.advance(&advance);
        }
        token.check()?;
        let tables = merger.finish(&|index| self.open(index))?.wait()?;
        let manifest = facts.manifest(&scene, &tables.totals, options.fast).to_json()?;
        tables.write_manifest(&manifest)?;
        Ok(Merged { manifest, shards: self.folders.len() })
    }
}

impl ShardStates {
    fn add_baselines(&mut self, later: Vec<(BaselineAt, Vec<BaselinePair>)>) {
        for (at, pairs) in later {
            match self.baselines.iter_mut().find(|(known, _)| *known == at) {
                Some((_, known)) => known.extend(pairs),
                None => self.baselines.push((at, pairs)),
            }
        }
    }

    /// The pairs of all shards: those of a run that several have, and those at rest, once.
    fn baselines(&self) -> Baselines {
        let mut all = Baselines::default();
        for (at, pairs) in &self.baselines {
            let key = |pair: &BaselinePair| (pair.run, pair.a, pair.b);
            let mut pairs = pairs.clone();
            pairs.sort_by_key(key);
            pairs.dedup_by_key(|pair| key(pair));
            all.add(*at, pairs);
        }
        all
    }
}

/// The remedy for a shard that cannot be used.
const AGAIN: &str = "remove its directory, and run the shard again";

/// The names in a directory.
fn names_in(dir: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(dir).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| {
        Error::input(
            dir.display(),
            format!("cannot be read ({error})"),
            "give the directory that `run --shard I/N --out` wrote to",
        )
    })?;
    Ok(entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// The names of the whole shards in a folder of a store.
fn whole_shards(folder: &RemoteFolder) -> Result<Vec<String>> {
    let objects = folder.list()?;
    Ok(objects
        .iter()
        .filter_map(|(name, _)| Some(name.strip_suffix(MANIFEST)?.strip_suffix('/')?.to_owned()))
        .collect())
}

/// Reads the manifest of a shard.
fn read_manifest(folder: &Path) -> Result<Manifest> {
    let path = folder.join(MANIFEST);
    let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::input(path.display(), "is missing: the shard is not whole", AGAIN),
        _ => Error::unreadable(&path, &error),
    })?;
    let manifest: Manifest = serde_json::from_str(&text)
        .map_err(|error| Error::input(path.display(), format!("is damaged ({error})"), AGAIN))?;
    match manifest {
        Manifest { shard: None, .. } => Err(Error::input(path.display(), "is not that of a shard", AGAIN)),
        Manifest { version, .. } if version != env!("CARGO_PKG_VERSION") => {
            let problem = format!("is of version {version} of the program, and this is {}", env!("CARGO_PKG_VERSION"));
            Err(Error::input(path.display(), problem, "merge with the version that ran the shards"))
        }
        manifest => Ok(manifest),
    }
}

/// The part of the input that a shard took.
fn part(shard: &Shard) -> ReadPart {
    match shard.runs {
        Some(runs) => ReadPart { runs: runs.range(), frames: shard.frames.map(Span::range), follow: 0 },
        None => ReadPart::NOTHING,
    }
}

/// The position that the name of a directory says.
fn position(name: &str) -> Option<ShardPosition> {
    let (index, count) = name.strip_prefix("shard-")?.split_once("-of-")?;
    let number = |digits: &str| (digits.len() >= 5).then(|| digits.parse().ok()).flatten();
    Some(ShardPosition { index: number(index)?, count: number(count)? })
}

fn words(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

fn other_job(folder: &Path, first: &Path, [job, of_first]: [&str; 2]) -> Error {
    let [job, of_first] = [job, of_first].map(|text| serde_json::from_str::<Value>(text).unwrap_or_default());
    let keys = of_first.as_object().into_iter().flat_map(|object| object.keys());
    let other = words(keys.filter(|key| job.get(key) != of_first.get(key)).cloned());
    let problem = format!("is a shard of another job than {}, which differs in {other}", first.display());
    Error::input(folder.display(), problem, "run all shards with the same program, scene, trajectories and options")
}

fn not_end_to_end(folder: &Path, before: Option<&Path>) -> Error {
    let problem = match before {
        Some(before) => format!("does not begin where {} ends: they are of different plans", before.display()),
        None => "does not begin where the job does: it is of another plan".to_owned(),
    };
    Error::input(folder.display(), problem, "run all shards again on the same trajectories")
}

/// Loads the scene that the first shard names.
fn load(manifest: &Manifest, options: &MergeOptions, from: &Path) -> Result<Scene> {
    let given = manifest.shard.as_ref().map(|shard| shard.overrides.clone()).unwrap_or_default();
    let Overrides { trajectories, within, require, direction, between, answer, contacts, accepted, max_input } = given;
    let overrides = SceneOverrides {
        trajectories: trajectories.map(PathBuf::from),
        within,
        require,
        direction,
        between,
        answer,
        contacts,
        accepted: accepted.map(PathBuf::from),
        threads: options.threads,
        max_input,
        for_audit: false,
        poses_follow: false,
    };
    let named = &manifest.scene.path;
    let path = options.scene.clone().unwrap_or_else(|| PathBuf::from(named));
    if !path.exists() {
        let problem = format!("the scene of the shards, `{named}`, is not there");
        let remedy = "start the program where the shards were started, or name the scene: --scene FILE; a scene that was built in code has to be \
                      handed to the merge";
        return Err(Error::input(from.display(), problem, remedy));
    }
    clearsweep_scene::load_scene(&path, &overrides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_directories_say_the_position() {
        let some = |index, count| Some(ShardPosition { index, count });
        assert_eq!(position("shard-00007-of-00100"), some(7, 100));
        assert_eq!(position("shard-123456-of-200000"), some(123_456, 200_000));
        for name in ["shard-7-of-100", ".shard-00007-of-00100.x", "shard-00007-of-00100.old", "shard-00007", "pairs"] {
            assert_eq!(position(name), None, "{name}");
        }
    }
}
