//! Views: the poses of two bodies and their neighbours at the least distance, and around it.

use super::motion::{between, placement};
use super::neighbours::{Boxes, LocalBox, meeting_point};
use super::plant::plant;
use super::series::{MOST_SHOWN, WorstRows};
use super::shapes::{MeshNumbers, distinct_shapes, shape_key};
use super::thinned::Thinned;
use crate::data::{
    Camera, DisplayMesh, Fact, Finding, Issue, Moment, Plant, SolvedPair, TrackSample, View, ViewPart, own_colour,
};
use crate::display::display_mesh;
use crate::picture::choose_camera;
use clearsweep_base::error::Result;
use clearsweep_engine::{PairOptions, ProximityQuery};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{FrameBlock, Motion, Scene, Shape};
use clearsweep_verifier::StoredScene;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Neighbours in a view.
const MOST_NEIGHBOURS: usize = 8;

/// Views beside the first one of each issue.
const MORE_VIEWS: usize = 200;

/// Samples of all tracks together, and of one.
const ALL_TRACK_SAMPLES: usize = 12_000;
const MOST_TRACK_SAMPLES: usize = 60;

/// Triangles of all meshes together, and the least and the most that one may have.
const ALL_TRIANGLES: usize = 120_000;
const LEAST_TRIANGLES: usize = 100;
const MOST_TRIANGLES: usize = 2_000;

/// The window of a view without a track.
const NO_WINDOW: [i64; 2] = [1, 0];

/// A view that is being made.
struct Stage {
    /// Numbers of the issue and the finding.
    at: [usize; 2],
    bodies: [u32; 2],
    run: i64,
    frame: i64,
    /// Share of the interval after the frame.
    share: Option<f64>,
    /// Whether the pair is among those that are solved, and not a finding.
    is_solved: bool,
    /// Proven upper end of the distance, metres.
    upper: Option<f64>,
    /// First and last frame of the track; the first is the greater one if there is no track.
    window: [i64; 2],
    origin: Vec3<f64>,
    /// Witness points and normal at the moment shown, world frame, metres.
    witness: Option<[Vec3<f64>; 3]>,
    /// Bodies with their poses: A, B, neighbours; empty until the sample was read.
    parts: Vec<(u32, Pose)>,
    track: Thinned<(Moment, Vec<Option<Pose>>)>,
}

/// What views show beside their findings.
#[derive(Default)]
pub(super) struct Shown {
    /// The meshes.
    pub(super) meshes: Vec<DisplayMesh>,
    /// What they do not show.
    pub(super) facts: Vec<Fact>,
    /// All bodies in their places; `None` without a view.
    pub(super) plant: Option<Plant>,
}

/// The poses of all bodies that move, by slot, in the first view.
type FirstPoses = Option<((i64, Moment), Vec<Option<Pose>>)>;

/// Adds views to the findings of the first `in_full` issues, to the first finding of the others,
/// and to a solved pair of those without a finding; returns what they show.
pub(super) fn add(of: &StoredScene, issues: &mut [Issue], in_full: usize, rows: &WorstRows) -> Result<Shown> {
    let mut stages = stages(issues, in_full, rows);
    let first = first_sample(of, issues)?;
    stages.extend(first.into_iter().flat_map(|first| solved(&of.scene, issues, first)));
    if stages.is_empty() {
        return Ok(Shown::default());
    }
    let boxes = boxes(&of.scene);
    let poses = place(of, &mut stages, rows, &boxes)?;
    if let Some([run, frame]) = first {
        // The moment of the earlier result may be none of this one.
        let mut absent: Vec<Stage> = stages.extract_if(.., |stage| stage.is_solved && stage.parts.is_empty()).collect();
        absent.iter_mut().for_each(|stage| (stage.run, stage.frame) = (run, frame));
        place(of, &mut absent, rows, &boxes)?;
        stages.extend(absent);
    }
    let is_moving = !of.scene.dynamic.is_empty();
    let (moment, poses) = poses.filter(|_| is_moving).map_or((None, Vec::new()), |(at, poses)| (Some(at), poses));
    let violating = stages.iter().filter(|stage| !stage.is_solved).flat_map(|stage| stage.bodies);
    let violating: FxHashSet<u32> = violating.collect();
    let plant = plant(&of.scene, &boxes, (moment, &poses), |body| violating.contains(&body));
    stages.retain(|stage| !stage.parts.is_empty());
    if !of.scene.dynamic.is_empty() {
        follow(of, &mut stages)?;
    }
    let (meshes, numbers, facts) = meshes(&of.scene, &stages);
    let views: Vec<View> =
        stages.par_iter().map(|stage| view(&of.scene, stage, (&meshes, &numbers, &boxes), issues)).collect();
    for (stage, view) in stages.iter().zip(views) {
        let issue = &mut issues[stage.at[0]];
        match stage.is_solved {
            true => {
                issue.solved[stage.at[1]].view = Some(view);
                issue.solved.swap(0, stage.at[1]);
            }
            false => issue.findings[stage.at[1]].view = Some(view),
        }
    }
    Ok(Shown { meshes, facts, plant: Some(plant) })
}

/// The views to be made: of the first finding of each issue, then of others.
fn stages(issues: &[Issue], in_full: usize, rows: &WorstRows) -> Vec<Stage> {
    let all = |rank: usize| {
        issues.iter().enumerate().filter_map(move |(i, issue)| Some(([i, rank], issue.findings.get(rank)?)))
    };
    let first = all(0);
    let others = (1..MOST_SHOWN).flat_map(all).filter(|([issue, _], _)| *issue < in_full).take(MORE_VIEWS);
    let chosen: Vec<([usize; 2], &Finding)> = first.chain(others).collect();
    let tracks = chosen.iter().filter(|([issue, _], _)| *issue < in_full).count();
    let most = (ALL_TRACK_SAMPLES / tracks.max(1)).clamp(8, MOST_TRACK_SAMPLES) / 2;
    chosen
        .into_iter()
        .map(|(at, finding)| {
            let [begin, end] = finding.span.map(|moment| moment.frame);
            let margin = (end.saturating_sub(begin) / 4).max(8);
            Stage {
                at,
                bodies: finding.bodies,
                run: finding.run,
                frame: finding.least.frame,
                share: finding.share,
                is_solved: false,
                upper: finding.bracket_m[1],
                window: match at[0] < in_full {
                    true => [begin.saturating_sub(margin), end.saturating_add(margin)],
                    false => NO_WINDOW,
                },
                origin: Vec3::ZERO,
                witness: rows.witness.get(&at).filter(|_| !finding.is_between()).map(|rows| rows.map(Vec3::from)),
                parts: Vec::new(),
                track: Thinned::new(most),
            }
        })
        .collect()
}

/// The views of issues that have only solved pairs: of the first pair whose bodies are still there,
/// at the moment of the earlier result, or at `first`.
fn solved(scene: &Scene, issues: &[Issue], first: [i64; 2]) -> Vec<Stage> {
    let of_name = scene.bodies.iter().zip(0..).map(|(body, index)| (body.name.as_str(), index));
    let of_name: FxHashMap<&str, u32> = of_name.collect();
    let stage = |(i, issue): (usize, &Issue)| {
        let bodies = |names: &[String; 2]| {
            let [a, b] = names.each_ref().map(|name| of_name.get(name.as_str()).copied());
            Some([a?, b?])
        };
        let there = |(s, pair): (usize, &SolvedPair)| Some((s, pair.earlier, bodies(&pair.names)?));
        let (s, earlier, bodies) = issue.solved.iter().enumerate().find_map(there)?;
        let [run, frame] = earlier.unwrap_or(first);
        Some(Stage {
            at: [i, s],
            bodies,
            run,
            frame,
            share: None,
            is_solved: true,
            upper: None,
            window: NO_WINDOW,
            origin: Vec3::ZERO,
            witness: None,
            parts: Vec::new(),
            track: Thinned::new(1),
        })
    };
    issues.iter().enumerate().filter(|(_, issue)| issue.findings.is_empty()).filter_map(stage).collect()
}

/// Run and frame of the first sample; `None`: no view asks for it.
fn first_sample(of: &StoredScene, issues: &[Issue]) -> Result<Option<[i64; 2]>> {
    if issues.iter().all(|issue| !issue.findings.is_empty() || issue.solved.is_empty()) {
        return Ok(None);
    }
    let block = of.open([None, None])?.blocks().next().transpose()?;
    Ok(block.and_then(|block| block.samples.first().map(|sample| [sample.run, sample.frame])))
}

fn boxes(scene: &Scene) -> Boxes {
    let mut boxes = Boxes::default();
    for body in &scene.bodies {
        boxes.entry(shape_key(&body.shape)).or_insert_with(|| LocalBox::of(&body.shape));
    }
    boxes
}

/// The pose of a body in a sample, or at a share of the interval after it; `None`: it is absent.
fn pose(scene: &Scene, block: &FrameBlock, sample: usize, body: u32, share: Option<f64>) -> Option<Pose> {
    let of = &scene.bodies[body as usize];
    let slot = match of.motion {
        Motion::Static(pose) => return Some(pose),
        Motion::Dynamic { slot } => slot as usize,
    };
    if let Some(share) = share
        && let Some(ends) = block.ends(slot, sample)
    {
        return Some(between(of, ends, share));
    }
    (block.present[slot] >> sample & 1 == 1).then(|| block.pose(slot, sample))
}

/// Reads the samples of the least distances, and places bodies and their neighbours; returns the
/// poses of the first view.
fn place(of: &StoredScene, stages: &mut [Stage], rows: &WorstRows, boxes: &Boxes) -> Result<FirstPoses> {
    if stages.is_empty() {
        return Ok(None);
    }
    let mut first = None;
    let ends = |keys: &mut dyn Iterator<Item = i64>| {
        let (low, high) = keys.fold((i64::MAX, i64::MIN), |(low, high), key| (low.min(key), high.max(key)));
        low..high.saturating_add(1)
    };
    let runs = ends(&mut stages.iter().map(|stage| stage.run));
    let frames = ends(&mut stages.iter().map(|stage| stage.frame).chain(rows.next_frames.iter().copied()));
    let mut asked: FxHashMap<(i64, i64), Vec<usize>> = FxHashMap::default();
    stages.iter().enumerate().for_each(|(n, stage)| asked.entry((stage.run, stage.frame)).or_default().push(n));
    for block in of.open([Some(runs), Some(frames)])?.followed_blocks() {
        let block = block?;
        for (s, sample) in block.samples.iter().enumerate() {
            for &number in asked.get(&(sample.run, sample.frame)).into_iter().flatten() {
                if number == 0 {
                    let pose = |&body: &u32| pose(&of.scene, &block, s, body, None);
                    let at = Moment { frame: sample.frame, time_s: sample.time_s };
                    first = Some(((sample.run, at), of.scene.dynamic.iter().map(pose).collect()));
                }
                place_one(&of.scene, &mut stages[number], (&block, s), boxes);
            }
        }
    }
    Ok(first)
}

/// Places the bodies of a view, and chooses its neighbours.
fn place_one(scene: &Scene, stage: &mut Stage, (block, s): (&FrameBlock, usize), boxes: &Boxes) {
    let [a, b] = stage.bodies;
    let pose = |body: u32| pose(scene, block, s, body, stage.share);
    let (Some(pose_a), Some(pose_b)) = (pose(a), pose(b)) else { return };
    let box_of = |body: u32| &boxes[&shape_key(&scene.bodies[body as usize].shape)];
    let shapes = [a, b].map(|body| &*scene.bodies[body as usize].shape);
    stage.witness = stage.witness.or_else(|| nearest_points(shapes, [&pose_a, &pose_b]));
    stage.origin = match stage.witness {
        Some([on_a, on_b, _]) => on_a + (on_b - on_a).scale(0.5),
        None => meeting_point([(box_of(a), &pose_a), (box_of(b), &pose_b)], pose_b.position),
    };
    if stage.is_solved {
        stage.upper = stage.witness.map(|[on_a, on_b, _]| (on_b - on_a).length());
    }
    let reach = reach(stage.upper, [box_of(a), box_of(b)]);
    let origin = stage.origin;
    let mut near: Vec<(f64, u32, Pose)> = (0..scene.bodies.len() as u32)
        .filter(|&body| body != a && body != b)
        .filter_map(|body| Some((body, pose(body)?)))
        .map(|(body, pose)| (box_of(body).distance(&pose, origin), body, pose))
        .filter(|(distance, ..)| *distance <= reach)
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    near.truncate(MOST_NEIGHBOURS);
    stage.parts =
        [(a, pose_a), (b, pose_b)].into_iter().chain(near.into_iter().map(|(_, body, pose)| (body, pose))).collect();
}

/// Asks for the witness points and the normal at poses that the tables have no row of; `None`:
/// there is no answer.
fn nearest_points(shapes: [&Shape; 2], poses: [&Pose; 2]) -> Option<[Vec3<f64>; 3]> {
    let own = |at: usize| {
        let origin = poses[at].apply(-shapes[at].center);
        Pose { position: origin, rest: Vec3::ZERO, q: poses[at].q }
    };
    let mut query = ProximityQuery::new(shapes[0], shapes[1], &PairOptions::default()).ok()?;
    let found = query.proximity(&own(0), &own(1)).ok()??;
    let rows = [found.point_a, found.point_b, found.normal];
    rows.iter().all(|row| row.is_finite()).then_some(rows)
}

/// The radius that a picture shows: the gap or the overlap, and enough of both bodies to know them
/// by.
fn reach(upper: Option<f64>, boxes: [&LocalBox; 2]) -> f64 {
    let gap = upper.map_or(0.0, f64::abs);
    let [a, b] = boxes.map(LocalBox::sides);
    let largest = a[2].max(b[2]);
    let known = a[1].min(b[1]).max(0.1 * a[2].min(b[2]));
    (4.0 * gap).max(2.5 * known).min(0.75 * largest + gap).max(1e-6)
}

/// Reads the poses of the parts that move around the least distances.
fn follow(of: &StoredScene, stages: &mut [Stage]) -> Result<()> {
    let mut by_run: FxHashMap<i64, Vec<usize>> = FxHashMap::default();
    let followed = || stages.iter().filter(|stage| stage.window != NO_WINDOW);
    let numbered = stages.iter().enumerate().filter(|(_, stage)| stage.window != NO_WINDOW);
    numbered.for_each(|(number, stage)| by_run.entry(stage.run).or_default().push(number));
    let Some(first) = by_run.keys().min().copied() else { return Ok(()) };
    let last = by_run.keys().max().copied().unwrap_or(first);
    let from = followed().map(|stage| stage.window[0]).min().unwrap_or(i64::MIN);
    let to = followed().map(|stage| stage.window[1]).max().unwrap_or(i64::MAX);
    let chosen = [Some(first..last.saturating_add(1)), Some(from..to.saturating_add(1))];
    for block in of.open(chosen)?.blocks() {
        let block = block?;
        for (s, sample) in block.samples.iter().enumerate() {
            for &number in by_run.get(&sample.run).into_iter().flatten() {
                let stage = &mut stages[number];
                if sample.frame < stage.window[0] || sample.frame > stage.window[1] {
                    continue;
                }
                let moving = stage.parts.iter().filter(|(body, _)| is_moving(&of.scene, *body));
                let poses = moving.map(|(body, _)| pose(&of.scene, &block, s, *body, None)).collect();
                let (moment, least) = (Moment { frame: sample.frame, time_s: sample.time_s }, stage.frame);
                stage.track.push((moment, poses), |a, b| if b.0.frame == least { b } else { a });
            }
        }
    }
    Ok(())
}

fn is_moving(scene: &Scene, body: u32) -> bool {
    matches!(scene.bodies[body as usize].motion, Motion::Dynamic { .. })
}

/// The meshes of all parts, and what they do not show.
fn meshes(scene: &Scene, stages: &[Stage]) -> (Vec<DisplayMesh>, MeshNumbers, Vec<Fact>) {
    let (shapes, numbers) = distinct_shapes(scene, stages.iter().flat_map(|stage| &stage.parts).map(|(body, _)| *body));
    let most = (ALL_TRIANGLES / shapes.len().max(1)).clamp(LEAST_TRIANGLES, MOST_TRIANGLES);
    let made: Vec<_> = shapes.par_iter().map(|shape| display_mesh(shape, most)).collect();
    let reduced = made.iter().filter(|(_, told)| told.reduced_from.is_some()).count();
    let without = made.iter().filter(|(_, told)| told.without_growth).count();
    let mut facts = Vec::new();
    if reduced + without > 0 {
        let mut details = Vec::new();
        if reduced > 0 {
            details.push(format!("{reduced} of {} shapes are drawn with fewer triangles than they have", made.len()));
        }
        if without > 0 {
            details.push(format!("{without} of {} shapes are drawn without their offset", made.len()));
        }
        let text = "views are simplified for a screen; distances are of the exact geometry".to_owned();
        facts.push(Fact { name: "views".to_owned(), text, details });
    }
    (made.into_iter().map(|(mesh, _)| mesh).collect(), numbers, facts)
}

/// The view of a placed stage.
fn view(
    scene: &Scene,
    stage: &Stage,
    (meshes, numbers, boxes): (&[DisplayMesh], &MeshNumbers, &Boxes),
    issues: &[Issue],
) -> View {
    let (issue, origin) = (&issues[stage.at[0]], stage.origin.to_array());
    let shape = |body: u32| shape_key(&scene.bodies[body as usize].shape);
    let parts: Vec<ViewPart> = stage
        .parts
        .iter()
        .map(|&(body, pose)| ViewPart {
            body,
            name: scene.bodies[body as usize].name.clone(),
            mesh: numbers[&shape(body)],
            placement: placement(&pose, origin),
            moves: is_moving(scene, body),
            colour: own_colour(&scene.bodies[body as usize].groups),
        })
        .collect();
    let local = |point: [f64; 3]| [0, 1, 2].map(|axis| point[axis] - origin[axis]);
    let witness = stage.witness.map(|rows| rows.map(Vec3::to_array));
    let normal = witness.map(|rows| rows[2]);
    let reach = reach(stage.upper, stage.bodies.map(|body| &boxes[&shape(body)]));
    let overlaps = stage.upper.is_some_and(|upper| upper < 0.0);
    let overlap = issue.overlap_m.filter(|corners| {
        // The box of an issue is that of its deepest pair: it reaches into both bodies of this one.
        let [low, high] = corners.map(Vec3::from);
        let (middle, half) = (low + (high - low).scale(0.5), (high - low).length() / 2.0);
        overlaps && stage.parts[..2].iter().all(|(body, pose)| boxes[&shape(*body)].distance(pose, middle) <= half)
    });
    let sample = |(moment, poses): (Moment, Vec<Option<Pose>>)| TrackSample {
        moment,
        placements: poses.iter().map(|pose| pose.as_ref().map(|pose| placement(pose, origin))).collect(),
    };
    let camera: Camera = choose_camera(&parts, meshes, normal, reach);
    View {
        origin,
        camera,
        parts,
        witness: witness.map(|rows| [local(rows[0]), local(rows[1])]),
        // It separates nothing where the bodies overlap.
        normal: normal.filter(|_| !overlaps),
        overlap: overlap.map(|corners| corners.map(local)),
        reach,
        track: stage.track.clone().into_kept().into_iter().map(sample).collect(),
    }
}
