//! The scene of a result, read again, with the digests of its files compared.

use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::Vec3;
use clearsweep_model::{BetweenFrames, InputDigest, Scene, SceneOverrides};
use clearsweep_records::manifest::{Input, Manifest, Options, Span};
use clearsweep_trajectory::{InputFile, ReadOptions, Trajectory};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The scene of a result, and which runs and frames it took.
#[derive(Debug)]
pub struct StoredScene {
    /// The scene, with the options of the execution.
    pub scene: Scene,
    /// `--runs` and `--frames` of the execution.
    chosen: [Option<Range<i64>>; 2],
    remedy: String,
}

/// Loads the scene that a manifest names. `instead`: the caller's remedy if its files cannot be
/// read.
///
/// # Errors
/// The scene is of a program, its poses came from memory or a stream, a file cannot be read, or a
/// file is not what the execution read.
pub fn load_scene(manifest: &Manifest, instead: Option<&str>) -> Result<StoredScene> {
    let Manifest { scene, options, .. } = manifest;
    let path = scene.path.as_str();
    let or = |remedy: &str| match instead {
        Some(instead) if remedy.is_empty() => instead.to_owned(),
        Some(instead) => format!("{remedy}, or {instead}"),
        None if remedy.is_empty() => "run a scene file".to_owned(),
        None => remedy.to_owned(),
    };
    let inputs: Vec<InputDigest> = manifest.inputs.iter().filter_map(digest).collect();
    if !inputs.iter().any(|input| input.path == Path::new(path)) {
        let problem = "was made by a program: there is no file to read its geometry from";
        return Err(Error::input(format!("the scene `{path}`"), problem, or("")));
    }
    let trajectories = options.trajectories.as_ref().map(Into::into);
    let is_moving = manifest.summary.moves();
    if is_moving && !options.sweep && (trajectories.is_none() || manifest.spooled_bytes != Some(0)) {
        let problem = "its poses came from a program or a stream, and cannot be read again";
        return Err(Error::input(path, problem, or("run the scene with files")));
    }
    if !Path::new(path).exists() {
        let remedy =
            or("start the program where the run was started, since paths in the manifest are relative to that folder");
        return Err(Error::input(path, "the scene of the manifest is not there", remedy));
    }
    // `within` and the motion are those of the manifest: tables of an audit may be of a scene
    // without either.
    let overrides = SceneOverrides { trajectories, for_audit: true, ..SceneOverrides::default() };
    let mut scene = clearsweep_scene::load_scene(Path::new(path), &overrides)?;
    take_options(&mut scene, options);
    let shard = manifest.shard.as_ref();
    let of_shard = [shard.and_then(|shard| shard.runs), shard.and_then(|shard| shard.frames)];
    let chosen = [both(span(options.runs), span(of_shard[0])), both(span(options.frames), span(of_shard[1]))];
    let scene = StoredScene { scene, chosen, remedy: or("run the scene again") };
    let marks: Vec<(PathBuf, String)> = manifest.inputs.iter().filter_map(mark).collect();
    scene.compare(&inputs, &marks)?;
    Ok(scene)
}

/// Gives a scene the options that its execution had.
fn take_options(scene: &mut Scene, options: &Options) {
    scene.query.within = options.within_m.unwrap_or(f64::INFINITY);
    scene.query.require = options.require_m;
    scene.query.touch = options.touch_m.unwrap_or(scene.query.touch);
    scene.query.static_pairs = options.static_pairs;
    let answer = clearsweep_model::AnswerKind::ALL.into_iter().find(|answer| answer.name() == options.answer);
    scene.query.answer = answer.unwrap_or_default();
    let between = BetweenFrames::ALL.into_iter().find(|between| between.name() == options.between);
    scene.motion.between = between.unwrap_or_default();
    scene.motion.gravity = options.gravity_m_s2.map_or(scene.motion.gravity, Vec3::from);
    scene.motion.max_gap = options.max_gap.unwrap_or(scene.motion.max_gap);
}

fn span(span: Option<Span>) -> Option<Range<i64>> {
    span.map(Span::range)
}

fn both(a: Option<Range<i64>>, b: Option<Range<i64>>) -> Option<Range<i64>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.start.max(b.start)..a.end.min(b.end)),
        (a, b) => a.or(b),
    }
}

/// A file of trajectories that no shard has read as a whole, with its mark.
fn mark(input: &Input) -> Option<(PathBuf, String)> {
    Some((PathBuf::from(&input.path), input.mark.clone()?))
}

fn digest(input: &Input) -> Option<InputDigest> {
    Some(InputDigest { path: PathBuf::from(&input.path), bytes: input.bytes, sha256: input.sha256.clone()? })
}

impl StoredScene {
    /// The trajectories at these runs and frames at most, of those that the execution took.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn open(&self, [runs, frames]: [Option<Range<i64>>; 2]) -> Result<Trajectory> {
        let [runs, frames] = [both(self.chosen[0].clone(), runs), both(self.chosen[1].clone(), frames)];
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
                self.check_marks(trajectories.list(), marks)?;
            }
        }
        let changed = read.iter().filter(|file| {
            let is_known = |known: &InputDigest| known.path == file.path;
            inputs.iter().any(is_known) && !inputs.iter().any(|known| is_known(known) && known.sha256 == file.sha256)
        });
        let unknown = read.iter().filter(|file| !inputs.iter().any(|known| known.path == file.path));
        let errors = |problem: &'static str| {
            move |file: &InputDigest| Error::input(file.path.display(), problem, self.remedy.clone())
        };
        let mut all: Vec<Error> = changed.map(errors("has changed since the execution read it")).collect();
        all.extend(unknown.map(errors("was not read by the execution")));
        match all.is_empty() {
            true => Ok(()),
            false => Err(Error::several(self.scene.path.display(), all)),
        }
    }

    /// Compares files of trajectories with the marks of a merged result.
    fn check_marks(&self, files: &[InputFile], marks: &[(PathBuf, String)]) -> Result<()> {
        for file in files {
            let problem = match marks.iter().find(|(path, _)| *path == file.path) {
                None => "was not read by the execution",
                Some((_, mark)) if *mark != file.mark()? => "has changed since the execution read it",
                Some(_) => continue,
            };
            return Err(Error::input(file.path.display(), problem, self.remedy.clone()));
        }
        Ok(())
    }
}
