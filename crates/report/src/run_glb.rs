//! The bodies of a scene at a moment, or over a run, as binary glTF.

use crate::data::own_colour;
use crate::data::{Finding, Report};
use crate::display::display_mesh;
use crate::glb::{GlbBody, GlbColor, GlbScene, GlbTrack, glb};
use crate::read::{WITHOUT_VIEWS, between, distinct_shapes, placement, shape_key};
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::Pose;
use clearsweep_model::{FrameBlock, Motion, Scene};
use clearsweep_records::manifest::Manifest;
use clearsweep_verifier::{StoredScene, load_scene};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// Triangles of a body.
const MOST_TRIANGLES: usize = 50_000;

/// Samples of an animation.
const MOST_SAMPLES: usize = 2_000;

/// Frames a second of an animation of a run without times.
const FRAME_RATE: f64 = 24.0;

/// The moment that a file shows.
#[derive(Debug, Clone, Copy)]
pub enum GlbMoment<'a> {
    /// The least distance of the first issue; of a scene without issues, its first frame.
    Worst,
    /// The least distance of the issue with this id.
    Issue(&'a str),
    /// A run, as an animation.
    Run(i64),
}

/// A sample of all bodies: time, seconds, and the pose of each; `None`: absent.
type AllPoses = (f64, Vec<Option<Pose>>);

/// Returns the bodies at a moment as a file, and notes on what it does not show. Coordinates are
/// relative to a point near the moment, which the file names.
///
/// # Errors
/// There is no such issue or run, or the scene cannot be read again.
pub fn run_glb(manifest: &Manifest, report: &Report, moment: GlbMoment<'_>) -> Result<(Vec<u8>, Vec<String>)> {
    let of = load_scene(manifest, Some(WITHOUT_VIEWS))?;
    let finding = finding(report, moment)?;
    let mut notes = Vec::new();
    let samples = match moment {
        GlbMoment::Run(run) => run_poses(&of, run, &mut notes)?,
        _ => vec![moment_poses(&of, finding)?],
    };
    let first = samples.first().ok_or_else(|| Error::internal("glb", "a moment without a sample"))?;
    let origin = finding.and_then(|finding| finding.place).unwrap_or_else(|| middle(&first.1)).map(f64::floor);
    let (shapes, numbers) = distinct_shapes(&of.scene, 0..of.scene.bodies.len() as u32);
    let meshes = shapes.par_iter().map(|shape| display_mesh(shape, MOST_TRIANGLES).0).collect();
    let colors = colors(report, finding.filter(|_| !matches!(moment, GlbMoment::Run(_))));
    let mut file = GlbScene {
        meshes,
        origin,
        generator: format!("clearsweep {}", report.version),
        extras: extras(report, finding),
        ..GlbScene::default()
    };
    let mut absent = 0;
    for (index, body) in of.scene.bodies.iter().enumerate() {
        let Some(pose) = samples.iter().find_map(|(_, poses)| poses[index]) else {
            absent += 1;
            continue;
        };
        let own = || own_colour(&body.groups).map_or(GlbColor::Neutral, GlbColor::Own);
        let color = colors.get(&(index as u32)).copied().unwrap_or_else(own);
        let mesh = numbers[&shape_key(&body.shape)];
        file.bodies.push(GlbBody { name: body.name.clone(), mesh, color, placement: placement(&pose, origin) });
        if samples.len() > 1 && matches!(body.motion, Motion::Dynamic { .. }) {
            let placements = samples.iter().map(|(_, poses)| poses[index].map(|pose| placement(&pose, origin)));
            let times_s = samples.iter().map(|(time, _)| *time).collect();
            file.tracks.push(GlbTrack { body: file.bodies.len() - 1, times_s, placements: placements.collect() });
        }
    }
    let made = glb(&file)?;
    notes.extend((absent > 0).then(|| format!("{absent} bodies are absent and left out")));
    notes.extend(
        (made.held > 0).then(|| format!("{} bodies are absent for a time and keep their last place", made.held)),
    );
    Ok((made.bytes, notes))
}

/// The pair whose moment is shown.
fn finding<'r>(report: &'r Report, moment: GlbMoment<'_>) -> Result<Option<&'r Finding>> {
    match moment {
        GlbMoment::Worst => Ok(report.issues.iter().find_map(|issue| issue.findings.first())),
        GlbMoment::Run(run) => {
            Ok(report.issues.iter().flat_map(|issue| &issue.findings).find(|finding| finding.run == run))
        }
        GlbMoment::Issue(id) => {
            let issue = report.issues.iter().find(|issue| issue.id == id);
            let found = issue.and_then(|issue| issue.findings.first());
            let problem = "there is no such issue with an event";
            found
                .map(Some)
                .ok_or_else(|| Error::usage(format!("--issue {id}"), problem, "take an id of issues.parquet"))
        }
    }
}

fn extras(report: &Report, finding: Option<&Finding>) -> serde_json::Map<String, Value> {
    let mut extras = serde_json::Map::new();
    extras.insert("scene".to_owned(), json!(report.name));
    if let Some(of) = finding {
        extras.insert("bodies".to_owned(), json!(of.names));
        extras.insert("run".to_owned(), json!(of.run));
        extras.insert("frame".to_owned(), json!(of.least.frame));
    }
    extras
}

/// Colours of bodies: the pair shown, and others by the state of their violations.
fn colors(report: &Report, shown: Option<&Finding>) -> FxHashMap<u32, GlbColor> {
    let mut colors = FxHashMap::default();
    for issue in &report.issues {
        for body in issue.findings.iter().flat_map(|finding| finding.bodies) {
            let color = colors.entry(body).or_insert(GlbColor::Accepted);
            if issue.is_open {
                *color = GlbColor::Violating;
            }
        }
    }
    if let Some(Finding { bodies: [a, b], .. }) = shown {
        colors.insert(*a, GlbColor::A);
        colors.insert(*b, GlbColor::B);
    }
    colors
}

/// The middle of all bodies.
fn middle(poses: &[Option<Pose>]) -> [f64; 3] {
    let places: Vec<[f64; 3]> = poses.iter().flatten().map(|pose| pose.position.to_array()).collect();
    let count = places.len().max(1) as f64;
    [0, 1, 2].map(|axis| places.iter().map(|place| place[axis] / count).sum())
}

/// The poses of all bodies in a sample.
fn poses(scene: &Scene, block: &FrameBlock, sample: usize) -> Vec<Option<Pose>> {
    let pose = |body: &clearsweep_model::Body| match body.motion {
        Motion::Static(pose) => Some(pose),
        Motion::Dynamic { slot } => {
            (block.present[slot as usize] >> sample & 1 == 1).then(|| block.pose(slot as usize, sample))
        }
    };
    scene.bodies.iter().map(pose).collect()
}

/// The poses at the moment of a pair; without one, in the first sample.
fn moment_poses(of: &StoredScene, finding: Option<&Finding>) -> Result<AllPoses> {
    let run = finding.map(|finding| finding.run..finding.run.saturating_add(1));
    let frame = finding.map(|finding| finding.least.frame);
    // The next frame may have any number.
    let frames = finding.map(|finding| match finding.is_between() {
        true => finding.least.frame..i64::MAX,
        false => finding.least.frame..finding.least.frame.saturating_add(1),
    });
    for block in of.open([run, frames])?.followed_blocks() {
        let block = block?;
        for (s, sample) in block.samples.iter().enumerate() {
            if frame.is_some_and(|frame| frame != sample.frame) {
                continue;
            }
            let mut poses = poses(&of.scene, &block, s);
            if let Some(share) = finding.and_then(|finding| finding.share) {
                for (pose, body) in poses.iter_mut().zip(&of.scene.bodies) {
                    if let Motion::Dynamic { slot } = body.motion
                        && let Some(ends) = block.ends(slot as usize, s)
                    {
                        *pose = Some(between(body, ends, share));
                    }
                }
            }
            return Ok((0.0, poses));
        }
    }
    let place = of.scene.path.display();
    Err(match finding {
        Some(_) => Error::input(place, "the trajectories have no such sample", "run the scene again"),
        None => Error::input(place, "has no frame: there is no moment to show", "leave --glb out"),
    })
}

/// The poses over a run, at most [`MOST_SAMPLES`].
fn run_poses(of: &StoredScene, run: i64, notes: &mut Vec<String>) -> Result<Vec<AllPoses>> {
    let (mut samples, mut stride, mut count) = (Vec::new(), 1_usize, 0_usize);
    let mut has_times = true;
    for block in of.open([Some(run..run.saturating_add(1)), None])?.blocks() {
        let block = block?;
        for (s, sample) in block.samples.iter().enumerate() {
            if count.is_multiple_of(stride) {
                has_times &= sample.time_s.is_some();
                let time = sample.time_s.unwrap_or(sample.frame as f64 / FRAME_RATE);
                samples.push((time, poses(&of.scene, &block, s)));
            }
            count += 1;
            if samples.len() > MOST_SAMPLES {
                let mut at = 0;
                samples.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                stride *= 2;
            }
        }
    }
    if samples.is_empty() {
        return Err(Error::usage(format!("--run {run}"), "there is no such run", "take a run of runs.parquet"));
    }
    notes.extend((stride > 1).then(|| format!("the animation has every {stride}th of {count} samples")));
    notes.extend((!has_times).then(|| format!("there are no times: the animation shows {FRAME_RATE} frames a second")));
    Ok(samples)
}
