//! Pairs that are nearer than required by design: their distances at the baseline of their rule,
//! found before a job begins.
//!
//! A job like any other finds them, of one frame of each run or of the bodies at rest. The found
//! distances then relax the rules of these pairs.

use super::cancel::CancelToken;
use super::options::{Device, JobOptions};
use super::progress::Silent;
use super::running::{JobSources, Running};
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::Pose;
use clearsweep_model::{
    BaselineAt, BaselinePair, BetweenFrames, Body, Motion, MotionRule, NodeHierarchy, QueryOptions, Requirements, Scene,
};
use clearsweep_tables::{RowBlock, RowSink};
use clearsweep_trajectory::{PoseSource, ReadOptions, ReadPart};
use std::sync::Arc;
use std::time::Instant;

/// Part of a job's memory that the pairs of baselines may take.
const MEMORY_PART: u64 = 4;

/// Bytes that the pairs of baselines may take in any case.
const LEAST_BYTES: u64 = 1 << 18;

/// A scene that knows its baselines.
pub(super) struct Compared {
    pub(super) scene: Scene,
    /// Frames that are a baseline, with the number of runs that have them.
    pub(super) runs_with: Vec<(BaselineAt, u64)>,
}

/// Finds the baselines of the rules of a scene; `None` if no rule has one. The poses are handed
/// back to be read again.
///
/// # Errors
/// Poses that cannot be read twice, a frame that no run has, more pairs than fit into memory, or
/// what the job of the baseline reports.
pub(super) fn find<'a>(
    scene: &Scene,
    mut poses: PoseSource<'a>,
    options: &JobOptions,
    cancel: &CancelToken,
) -> Result<(Option<Compared>, PoseSource<'a>)> {
    let moments = moments(scene);
    if moments.is_empty() {
        return Ok((None, poses));
    }
    let (mut baselines, mut runs_with) = (scene.baselines.as_ref().clone(), Vec::new());
    let options = of_baseline(options);
    let run = |asked: &Scene, read: ReadOptions, poses: PoseSource<'_>, rows: &mut BaselineRows<'_>| {
        let options = &JobOptions { read, ..options.clone() };
        let (from_files, progress, begun) = (poses.is_files(), &Silent, Instant::now());
        let job = Running { scene: asked, whole: scene, options, from_files, progress, cancel, begun, runs_with: None };
        job.start(JobSources::new(poses), rows).map(drop)
    };
    for (rule, at) in moments {
        let still = (at == BaselineAt::Rest || scene.dynamic.is_empty()).then(|| at_rest(scene));
        let mut rows = BaselineRows::new([scene, still.as_ref().unwrap_or(scene)], at, options.memory);
        if let Some(still) = &still {
            run(still, ReadOptions::default(), PoseSource::files(), &mut rows)?;
        } else {
            if options.read.is_read_once(scene.trajectories.as_deref()) {
                let problem = format!("baseline = \"{at}\" reads the trajectories twice, and a stream is read once");
                return Err(Error::input(place(scene, rule), problem, "write them to a file, and give that"));
            }
            let [once, again] = poses.twice()?;
            poses = again;
            let sampled = of_shard(at_samples(scene), &options.read);
            run(&sampled, read(&options.read, at), once, &mut rows)
                .map_err(|error| no_frame(error, scene, (rule, at)))?;
            runs_with.push((at, rows.runs));
        }
        baselines.add(at, rows.pairs);
    }
    Ok((Some(Compared { scene: Scene { baselines: Arc::new(baselines), ..scene.clone() }, runs_with }), poses))
}

/// Returns the moments that are a baseline, each with the first rule that names it.
fn moments(scene: &Scene) -> Vec<(&String, BaselineAt)> {
    let mut moments: Vec<(&String, BaselineAt)> = Vec::new();
    for rule in scene.rules.all() {
        let Some(baseline) = rule.baseline else { continue };
        if moments.iter().all(|(_, known)| *known != baseline.at) {
            moments.push((&rule.name, baseline.at));
        }
    }
    moments
}

/// Returns the options of the job that finds a baseline.
fn of_baseline(options: &JobOptions) -> JobOptions {
    let (broad, adapter) = ("auto".to_owned(), None);
    JobOptions { broad, adapter, device: Device::Cpu, allow_empty: true, peak_memory: None, ..options.clone() }
}

/// Says of a frame that no run has which rule asks for it.
fn no_frame(error: Error, scene: &Scene, (rule, at): (&str, BaselineAt)) -> Error {
    match at {
        BaselineAt::Frame(_) if error.place.contains("--frames") => Error {
            place: format!("{}, baseline = \"{at}\"", place(scene, rule)),
            remedy: "name a frame that runs have, or compare with `baseline = \"first\"`".to_owned(),
            ..error
        },
        _ => error,
    }
}

fn place(scene: &Scene, rule: &str) -> String {
    format!("{}, [[rule]] `{rule}`", scene.path.display())
}

/// Returns the scene as a baseline asks about it: at samples only, without a direction.
fn at_samples(scene: &Scene) -> Scene {
    let motion = MotionRule { between: BetweenFrames::None, ..scene.motion };
    Scene { motion, direction: None, ..scene.clone() }
}

/// Returns the scene as a shard asks about it: pairs of static bodies belong to the first sample of
/// the whole job.
pub(super) fn of_shard(scene: Scene, read: &ReadOptions) -> Scene {
    let static_pairs = scene.query.static_pairs && read.part.as_ref().is_none_or(ReadPart::is_first);
    Scene { query: QueryOptions { static_pairs, ..scene.query }, ..scene }
}

/// The scene with all bodies where its files place them.
fn at_rest(scene: &Scene) -> Scene {
    let (mut still, within) = (at_samples(scene), scene.query.within);
    for rest in &scene.hierarchy.rest {
        if let Some(&body) = scene.dynamic.get(rest.input as usize) {
            let body = &mut still.bodies[body as usize];
            body.motion = Motion::Static(body.shape.recentring().place(&rest.pose));
        }
    }
    if let Some(joints) = &scene.joints {
        let mut links = Vec::new();
        joints.tree.links(&vec![0.0; joints.tree.columns().len()], &mut links);
        for (slot, &body) in scene.dynamic.iter().enumerate() {
            still.bodies[body as usize].motion = Motion::Static(joints.tree.body(slot, &links));
        }
    }
    let reach = |body: &Body| match body.motion {
        Motion::Static(pose) => pose.position.length() + body.shape.reach(),
        Motion::Dynamic { .. } => body.shape.reach(),
    };
    // A body that no file places is under no rule that compares with its rest: it stands apart from
    // all others.
    let mut apart = still.bodies.iter().map(reach).fold(within, f64::max);
    let spacing = 2.0 * (within + still.bodies.iter().map(|body| body.shape.reach()).fold(0.0, f64::max));
    for body in still.bodies.iter_mut().filter(|body| matches!(body.motion, Motion::Dynamic { .. })) {
        apart += spacing;
        body.motion = Motion::Static(Pose::new([apart, 0.0, 0.0], Pose::IDENTITY.q));
    }
    let query = QueryOptions { static_pairs: true, ..still.query };
    Scene { query, dynamic: Vec::new(), trajectories: None, hierarchy: NodeHierarchy::default(), joints: None, ..still }
}

/// Returns the options to read the frames of a baseline.
fn read(of_job: &ReadOptions, at: BaselineAt) -> ReadOptions {
    let frames = if let BaselineAt::Frame(frame) = at { Some(frame..frame.saturating_add(1)) } else { None };
    // The baseline of a run may be in a frame that another shard takes.
    let part = of_job.part.as_ref().map(ReadPart::of_whole_runs);
    ReadOptions { frames, first_frames: at == BaselineAt::First, part, ..of_job.clone() }
}

/// Takes the rows of a baseline.
struct BaselineRows<'a> {
    scene: &'a Scene,
    /// The scene with its bodies as they are placed at the baseline.
    placed: &'a Scene,
    requirements: Requirements,
    at: BaselineAt,
    pairs: Vec<BaselinePair>,
    /// Bytes of the pairs, and the limit.
    bytes: u64,
    limit: u64,
    /// Runs so far, and the last one.
    runs: u64,
    last_run: Option<i64>,
}

impl<'a> BaselineRows<'a> {
    fn new([scene, placed]: [&'a Scene; 2], at: BaselineAt, memory: u64) -> Self {
        let requirements = scene.requirements();
        let limit = (memory / MEMORY_PART).max(LEAST_BYTES);
        Self { scene, placed, requirements, at, pairs: Vec::new(), bytes: 0, limit, runs: 0, last_run: None }
    }

    /// Adds a pair that is nearer than required. It has poses if its bracket contains the distance
    /// required of it afterwards.
    fn add(&mut self, pair: BaselinePair) {
        self.bytes +=
            size_of::<BaselinePair>() as u64 + pair.poses.as_ref().map_or(0, |poses| size_of_val(&**poses) as u64);
        self.pairs.push(pair);
    }

    fn is_still(&self, body: u32) -> bool {
        matches!(self.scene.bodies[body as usize].motion, Motion::Static(_))
    }
}

impl RowSink for BaselineRows<'_> {
    fn rows(&mut self, rows: &RowBlock<'_>) -> Result<()> {
        // Rows of a block may come in several parts.
        for run in rows.block().samples.iter().map(|sample| sample.run) {
            if self.last_run.is_none_or(|last| last < run) {
                self.runs += 1;
                self.last_run = Some(run);
            }
        }
        for (sample, row) in rows.iter() {
            let rule = self.requirements.rule(row.a, row.b);
            let baseline = self.requirements.rules().get(rule).and_then(|rule| rule.baseline);
            let Some(baseline) = baseline.filter(|baseline| baseline.at == self.at) else { continue };
            // Whatever is not proven to be nearer than required is left to the rule.
            let [lower, upper] = row.measured(&self.requirements, rule);
            if upper < self.requirements.by(rule) {
                let is_still = self.is_still(row.a) && self.is_still(row.b);
                let required = if is_still { f64::NAN } else { upper - baseline.worse_by };
                let run = if self.at == BaselineAt::Rest { 0 } else { sample.run };
                let poses = || {
                    let at = usize::from(row.proximity.sample);
                    Box::new([row.a, row.b].map(|body| match self.placed.bodies[body as usize].motion {
                        Motion::Static(pose) => pose,
                        Motion::Dynamic { slot } => rows.block().pose(slot as usize, at),
                    }))
                };
                let poses = (lower < required).then(poses);
                self.add(BaselinePair { run, a: row.a, b: row.b, required, poses });
            }
        }
        if self.bytes <= self.limit {
            return Ok(());
        }
        let count = self.pairs.len() - 1;
        let problem = format!("more than {count} pairs are nearer than required at the baseline of a rule");
        Err(Error::usage("--memory", problem, "give the job more memory, or fewer runs at a time"))
    }
}
