//! Warnings about what files leave unsaid: parts of them that are no bodies, and numbers that are
//! stored coarsely.

use super::super::warning::Warning;
use clearsweep_model::{GeometryNote, LengthUnit, PoseSteps, Scene};
use std::path::PathBuf;

/// Warns of parts left out of geometry files, and of coordinates too coarse for the query.
/// `pose_steps`: the steps of moving bodies' poses, if they are known.
pub(super) fn warnings(scene: &Scene, pose_steps: Option<PoseSteps>) -> Vec<Warning> {
    let of_note = |(file, note): &(PathBuf, GeometryNote)| {
        Warning::new(note.kind, [], format!("{}: {}", file.display(), note.problem), note.remedy)
    };
    scene.notes.iter().map(of_note).chain(coarse(scene, pose_steps)).collect()
}

/// Bodies whose coordinates are stored in steps larger than `touch`, or than a tenth of what is
/// required.
fn coarse(scene: &Scene, pose_steps: Option<PoseSteps>) -> Option<Warning> {
    // A requirement of 0 allows no step: it is left out, and `touch` decides the sign.
    let least = least_required(scene).filter(|&require| require > 0.0);
    let (touch, tenth) = (scene.query.touch, least.map(|require| require / 10.0));
    let is_coarse = |step: f64| step > touch || tenth.is_some_and(|tenth| step > tenth);
    let step = |body: u32| scene.bodies[body as usize].coordinate_step(pose_steps).unwrap_or(0.0);
    let mut bodies: Vec<u32> = (0..scene.bodies.len() as u32).filter(|&body| is_coarse(step(body))).collect();
    bodies.sort_by(|&a, &b| step(b).total_cmp(&step(a)).then(a.cmp(&b)));
    let (largest, least) = (step(*bodies.first()?), step(*bodies.last()?));
    let text = |metres: f64| length(metres, scene.unit);
    let range = if least < largest { format!("{} to {}", text(least), text(largest)) } else { text(largest) };
    let touched = (largest > touch).then(|| format!("`touch` ({})", text(touch)));
    let required = tenth.filter(|&tenth| largest > tenth).map(|_| "a tenth of `require`".to_owned());
    let limits: Vec<String> = touched.into_iter().chain(required).collect();
    let problem = format!(
        "coordinates are stored in single precision or as integers, in steps of {range}: more than {}",
        limits.join(" and ")
    );
    // GLB and STL hold single precision only.
    let coarser = if largest > touch { ", or let `touch` of [query] be more than the step" } else { "" };
    let remedy = format!(
        "export them nearer to their origin, or as decimal text (OBJ) or in double precision{coarser}; distances are those \
         of the numbers as stored (`coordinate_step_m` in bodies.parquet)"
    );
    Some(Warning::new("coarse", bodies, problem, remedy))
}

/// The least requirement that is no allowed overlap, metres.
fn least_required(scene: &Scene) -> Option<f64> {
    let requirements = scene.requirements();
    (0..requirements.count()).map(|rule| requirements.by(rule)).filter(|&require| require >= 0.0).reduce(f64::min)
}

/// A length to two digits, in a unit.
fn length(metres: f64, unit: LengthUnit) -> String {
    let value = metres / unit.metres(1.0);
    let rounded: f64 = format!("{value:.1e}").parse().unwrap_or(value);
    let is_plain = rounded == 0.0 || (1e-3..1e6).contains(&rounded);
    if is_plain { format!("{rounded} {}", unit.word) } else { format!("{rounded:e} {}", unit.word) }
}
