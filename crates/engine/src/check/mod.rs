//! Validating everything without running, and saying what is allowed but looks wrong.

mod bodies;
mod contacts;
mod files;
mod joints;
mod meshes;
mod motion;
mod quaternion_order;
mod rest;
mod rules;
mod watch;

use super::coverage::{Coverage, NothingChecked};
use super::methods;
use super::options::{JobOptions, pool};
use super::warning::Warning;
use clearsweep_base::error::Result;
use clearsweep_broad::{BroadPhase, BroadScene};
use clearsweep_model::{FrameBlock, PairCounts, Scene};
use clearsweep_narrow::NarrowPhase;
use clearsweep_trajectory::{Bounds, Trajectory};
use contacts::Contacts;
pub use contacts::LastingContact;
pub use joints::LargestJointStep;
pub use meshes::MeshFound;
pub(super) use meshes::{open_bodies, open_meshes_of_run};
pub use motion::LargestStep;
pub use rest::{REST_COLUMNS, input_name, rest_row};
pub use rules::GroupFound;
pub(super) use rules::{of_baselines, of_rules, pairs_by_rule};
pub use rules::{rule_terms, words as ignore_words};
use std::sync::atomic::Ordering;
pub(super) use watch::TrajectoryWatch;

/// The result of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Runs chosen.
    pub runs: u64,
    /// Existing (run, frame) samples chosen.
    pub samples: u64,
    /// Rows in all trajectory files, chosen or not.
    pub rows: u64,
    /// Trajectory files.
    pub files: usize,
    /// Bytes of streams that were copied to a temporary file.
    pub spooled_bytes: u64,
    /// Least and greatest run (key values) of the samples chosen; `None` where there are none.
    pub run_keys: Option<(i64, i64)>,
    /// First and last frame (key values) of the samples chosen, over all runs; `None` where there
    /// are none.
    pub frames: Option<(i64, i64)>,
    /// Least and greatest time of the samples chosen, seconds; `None` where there are no times.
    pub times_s: Option<(f64, f64)>,
    /// Least and greatest time between neighbouring samples of a run, seconds.
    pub time_steps_s: Option<(f64, f64)>,
    /// Bounds of the whole input, metres.
    pub bounds: Option<Bounds>,
    /// Pairs of bodies that a run asks about, ignored ones included.
    pub pairs_possible: u64,
    /// Pairs among them that the scene's rules ignore.
    pub pairs_ignored: u64,
    /// Pairs under each rule of what is required, ignored ones left out; at last under none.
    pub pairs_by_rule: Vec<u64>,
    /// The groups, by name.
    pub groups: Vec<GroupFound>,
    /// Bodies (indices) whose boxes never overlap that of another body, inflated by `within`, in
    /// the samples chosen; ignored pairs do not count.
    pub never_near: Vec<u32>,
    /// The largest steps of bodies between neighbouring frames, measured in sizes of the body,
    /// largest first.
    pub largest_steps: Vec<LargestStep>,
    /// The largest step of a joint that turns, between neighbouring frames.
    pub largest_joint_step: Option<LargestJointStep>,
    /// Bodies (indices) whose triangles do not close up.
    pub open_meshes: Vec<u32>,
    /// The meshes of bodies that are exact triangles.
    pub meshes: Vec<MeshFound>,
    /// Pairs that touch or overlap in nearly all frames, by (a, b). Frames are looked at evenly
    /// over the samples chosen.
    pub lasting_contacts: Vec<LastingContact>,
    /// The `[[ignore]]` tables that would cover these pairs, but for those of bodies that their
    /// first poses tip over.
    pub ignore_rules: String,
    /// Warnings about data that is allowed but looks wrong.
    pub warnings: Vec<Warning>,
}

/// Reads the whole input once, searches it for near bodies, and counts; writes nothing.
///
/// # Errors
/// The first thing in the input or the options that a run would refuse.
pub fn check(scene: &Scene, options: &JobOptions) -> Result<Checked> {
    super::device::check_device(options)?;
    let broad = if options.broad == clearsweep_broad::ON_DEVICE { "auto" } else { &options.broad };
    let broad = methods::broad(broad, &scene.search)?;
    let narrow = methods::narrow(&options.narrow, &scene.search)?;
    pool(options.threads)?.install(|| check_in_pool(scene, options, broad, narrow))
}

fn check_in_pool(
    scene: &Scene,
    options: &JobOptions,
    mut broad: Box<dyn BroadPhase>,
    narrow: Box<dyn NarrowPhase>,
) -> Result<Checked> {
    let trajectory = Trajectory::open(scene, &options.read)?;
    trajectory.check_expected(scene)?;
    let PairCounts { possible, ignored } = scene.pair_counts();
    let (rows, files, bounds) = (trajectory.rows, trajectory.inputs.files().count(), trajectory.bounds);
    let (pose_steps, spooled_bytes) = (trajectory.pose_steps, trajectory.spooled_bytes);
    let (unturned, numbered) = (trajectory.unturned(), trajectory.numbered());
    let boxes = BroadScene::new(scene, bounds, scene.query.within);
    let mut seen = Seen {
        scene,
        runs: 0,
        run_keys: None,
        frames: None,
        near: vec![false; scene.bodies.len()],
        watch: TrajectoryWatch::new(scene),
        coverage: Coverage::new(scene),
    };
    let mut contacts = Contacts::new(scene, narrow);
    for block in trajectory.blocks() {
        let block = block?;
        seen.look(&block);
        let candidates = broad.candidates(&boxes, scene, &block);
        contacts.look(&block, &candidates);
        for candidate in candidates {
            seen.near[candidate.a as usize] = true;
            seen.near[candidate.b as usize] = true;
        }
    }
    let (watch, lasting_contacts) = (&seen.watch, contacts.lasting());
    let tipped = watch.motions.tipped().bodies;
    let designed = contacts::not_among(&lasting_contacts, &tipped);
    let never_near = indices(scene, |body| !seen.near[body]);
    let mut checked = Checked {
        runs: seen.runs,
        samples: watch.samples,
        rows,
        files,
        spooled_bytes,
        run_keys: seen.run_keys,
        frames: seen.frames,
        times_s: watch.clock.times,
        time_steps_s: watch.clock.steps,
        bounds,
        pairs_possible: possible,
        pairs_ignored: ignored,
        pairs_by_rule: rules::pairs_by_rule(scene),
        groups: rules::groups(scene),
        never_near,
        largest_steps: watch.motions.largest(),
        largest_joint_step: watch.motions.largest_of_joints(),
        open_meshes: indices(scene, |body| scene.bodies[body].shape.watertight == Some(false)),
        meshes: meshes::meshes(scene),
        ignore_rules: contacts::ignore_rules(scene, &designed),
        lasting_contacts,
        warnings: Vec::new(),
    };
    let mut warnings = rules::warnings(scene);
    warnings.extend(rules::of_rules(scene));
    warnings.extend(files::warnings(scene, pose_steps));
    warnings.extend(unturned.load(Ordering::Relaxed).then(Warning::of_unturned));
    warnings.extend(numbered.load(Ordering::Relaxed).then(Warning::of_numbered));
    warnings.extend(bodies::warnings(scene));
    warnings.extend(meshes::warnings(&checked.meshes));
    warnings.extend(watch.motions.warnings(watch.samples));
    warnings.extend(watch.clock.warnings());
    warnings.extend(contacts::warning(scene, &designed));
    warnings.extend(far(scene, &checked));
    warnings.extend(Warning::of_empty(checked.samples));
    warnings.extend(seen.coverage.nothing().and_then(|nothing| unchecked(scene, nothing)));
    checked.warnings = warnings;
    Ok(checked)
}

/// The bodies of which `holds` is true.
fn indices(scene: &Scene, holds: impl Fn(usize) -> bool) -> Vec<u32> {
    (0..scene.bodies.len()).filter(|&body| holds(body)).map(|body| body as u32).collect()
}

/// Data collected block after block.
struct Seen<'a> {
    scene: &'a Scene,
    runs: u64,
    run_keys: Option<(i64, i64)>,
    frames: Option<(i64, i64)>,
    near: Vec<bool>,
    watch: TrajectoryWatch<'a>,
    coverage: Coverage,
}

impl Seen<'_> {
    fn look(&mut self, block: &FrameBlock) {
        self.coverage.look(self.scene, block);
        self.watch.look(block);
        self.runs += u64::from(block.starts_run.count_ones());
        let widen = |range: &mut Option<(i64, i64)>, key: i64| {
            let (low, high) = range.unwrap_or((key, key));
            *range = Some((low.min(key), high.max(key)));
        };
        for sample in &block.samples {
            widen(&mut self.run_keys, sample.run);
            widen(&mut self.frames, sample.frame);
        }
    }
}

/// A requirement that nothing is held against.
fn unchecked(scene: &Scene, nothing: NothingChecked) -> Option<Warning> {
    scene.requirements().is_something().then(|| {
        Warning::new(
            "unchecked",
            [],
            format!("a clearance is required, but {}: the verdict of a run would be nothing-checked", nothing.reason()),
            "mend the scene or its trajectories; `clearsweep run --allow-empty` takes it for clear all the same",
        )
    })
}

/// Nothing comes near anything: more likely a wrong unit than a finding.
fn far(scene: &Scene, checked: &Checked) -> Option<Warning> {
    let asked = checked.samples > 0 && checked.pairs_possible > checked.pairs_ignored;
    (asked && checked.never_near.len() == scene.bodies.len()).then(|| {
        Warning::new(
            "far",
            [],
            "no two bodies ever come near each other: a run would give no row",
            "check the length units of the scene, the geometry and the trajectories, and `within`",
        )
    })
}
