//! The scene of an execution, read again, with the digests of its files compared.

use crate::data::EarlierDecisions;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{InputDigest, Scene, SceneOverrides};
use clearsweep_records::manifest::{Input, Manifest, Span};
use clearsweep_scene::dispositions::{DispositionRow, read_rows};
use clearsweep_trajectory::{InputFile, ReadOptions, Trajectory};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Remedy where a file is not what the execution read.
const CHANGED: &str = "run the scene again, or leave geometry out of the report (--no-views)";

/// The scene of an execution, and which runs and frames it took.
#[derive(Debug)]
pub(crate) struct ReportScene {
    pub(crate) scene: Scene,
    /// `--runs` and `--frames` of the execution.
    chosen: [Option<Range<i64>>; 2],
}

/// Loads the scene that a manifest names.
///
/// # Errors
/// The scene is of a program, its poses came from memory or a stream, a file cannot be read, or a
/// file is not what the execution read.
pub(crate) fn load(manifest: &Manifest) -> Result<ReportScene> {
    let Manifest { scene, options, .. } = manifest;
    let path = scene.path.as_str();
    let inputs: Vec<InputDigest> = manifest.inputs.iter().filter_map(digest).collect();
    if !inputs.iter().any(|input| input.path == Path::new(path)) {
        let problem = "was made by a program: there is no file to read its geometry from";
        return Err(Error::input(
            format!("the scene `{path}`"),
            problem,
            "leave geometry out of the report (--no-views)",
        ));
    }
    let trajectories = options.trajectories.as_ref().map(Into::into);
    let is_moving = manifest.summary.moves();
    if is_moving && !options.sweep && (trajectories.is_none() || manifest.spooled_bytes != Some(0)) {
        let problem = "its poses came from a program or a stream, and cannot be read again";
        return Err(Error::input(
            path,
            problem,
            "leave geometry out of the report (--no-views), or run the scene with files",
        ));
    }
    if !Path::new(path).exists() {
        let remedy = "start the program where the run was started, since paths in the manifest are relative to that folder; or leave geometry out \
                      (--no-views)";
        return Err(Error::input(path, "the scene of the manifest is not there", remedy));
    }
    // Only geometry and poses are read: tables of an audit may be of a scene without `within`.
    let overrides = SceneOverrides { trajectories, for_audit: true, ..SceneOverrides::default() };
    let scene = clearsweep_scene::load_scene(Path::new(path), &overrides)?;
    let chosen = [options.runs, options.frames].map(|span| span.map(Span::range));
    let scene = ReportScene { scene, chosen };
    let marks: Vec<(PathBuf, String)> = manifest.inputs.iter().filter_map(mark).collect();
    scene.compare(&inputs, &marks)?;
    Ok(scene)
}

/// The rows of the file of decisions that a scene names, as it is now; `None`: it names none.
pub(super) fn decisions(scene: &Scene) -> Result<Option<EarlierDecisions>> {
    let is_read = !scene.dispositions.day.is_empty();
    let Some(InputDigest { path, .. }) = scene.inputs.last().filter(|_| is_read) else { return Ok(None) };
    let bytes = std::fs::read(path).map_err(|error| Error::unreadable(path, &error))?;
    let cells = |row: DispositionRow| {
        let [a, b] = row.bodies;
        let accepted = row.accepted.map(|(_, written)| written);
        let [accepted, until, by, reason] = [accepted, row.until, row.by, row.reason].map(Option::unwrap_or_default);
        [row.rule, a, b, accepted, until, by, reason]
    };
    let rows = read_rows(path, &bytes, scene.unit)?.into_iter().map(cells).collect();
    Ok(Some(EarlierDecisions { path: path.display().to_string(), rows }))
}

/// A file of trajectories that no shard has read as a whole, with its mark.
fn mark(input: &Input) -> Option<(PathBuf, String)> {
    Some((PathBuf::from(&input.path), input.mark.clone()?))
}

fn digest(input: &Input) -> Option<InputDigest> {
    Some(InputDigest { path: PathBuf::from(&input.path), bytes: input.bytes, sha256: input.sha256.clone()? })
}

impl ReportScene {
    /// The trajectories at these runs and frames at most, of those that the execution took.
    pub(crate) fn open(&self, [runs, frames]: [Option<Range<i64>>; 2]) -> Result<Trajectory> {
        let both = |a: &Option<Range<i64>>, b: Option<Range<i64>>| match (a, b) {
            (Some(a), Some(b)) => Some(a.start.max(b.start)..a.end.min(b.end)),
            (a, b) => a.clone().or(b),
        };
        let [runs, frames] = [both(&self.chosen[0], runs), both(&self.chosen[1], frames)];
        Trajectory::open(&self.scene, &ReadOptions { runs, frames, ..ReadOptions::default() })
    }

    /// Compares the files of the scene with the digests of a manifest, and trajectories with their
    /// `marks` where a merged result has these. A file of accepted pairs may have changed: it has
    /// no part in geometry.
    fn compare(&self, inputs: &[InputDigest], marks: &[(PathBuf, String)]) -> Result<()> {
        let mut read = self.scene.inputs.clone();
        if !self.scene.dispositions.day.is_empty() {
            read.pop(); // the file of accepted pairs is read last
        }
        if !self.scene.dynamic.is_empty() {
            let trajectories = self.open([None, None])?.inputs;
            if marks.is_empty() {
                read.extend(trajectories.digests()?);
            } else {
                check_marks(trajectories.list(), marks)?;
            }
        }
        let changed = read.iter().filter(|file| {
            let is_known = |known: &InputDigest| known.path == file.path;
            inputs.iter().any(is_known) && !inputs.iter().any(|known| is_known(known) && known.sha256 == file.sha256)
        });
        let unknown = read.iter().filter(|file| !inputs.iter().any(|known| known.path == file.path));
        let errors =
            |problem: &'static str| move |file: &InputDigest| Error::input(file.path.display(), problem, CHANGED);
        let mut all: Vec<Error> = changed.map(errors("has changed since the execution read it")).collect();
        all.extend(unknown.map(errors("was not read by the execution")));
        match all.is_empty() {
            true => Ok(()),
            false => Err(Error::several(self.scene.path.display(), all)),
        }
    }
}

/// Compares files of trajectories with the marks of a merged result.
fn check_marks(files: &[InputFile], marks: &[(PathBuf, String)]) -> Result<()> {
    for file in files {
        let problem = match marks.iter().find(|(path, _)| *path == file.path) {
            None => "was not read by the execution",
            Some((_, mark)) if *mark != file.mark()? => "has changed since the execution read it",
            Some(_) => continue,
        };
        return Err(Error::input(file.path.display(), problem, CHANGED));
    }
    Ok(())
}
