//! Identity of a job: the properties that two executions must share, so that one can continue the
//! tables of the other.

use super::options::JobOptions;
use clearsweep_base::error::Result;
use clearsweep_model::{BetweenFrames, ColumnRole, ColumnUnit, Missing, Pivot, Scene, TrajectoryColumns};
use clearsweep_records::manifest::SCHEMA_VERSION;
use clearsweep_tables::DistanceColumns;
use clearsweep_trajectory::InputFile;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A file of the trajectories with a digest that needs little reading.
#[derive(Debug, Clone)]
pub(super) struct MarkedFile {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    pub(super) levels: Vec<String>,
    pub(super) mark: String,
}

impl MarkedFile {
    pub(super) fn of(file: &InputFile) -> Result<Self> {
        Ok(Self { path: file.path.clone(), bytes: file.bytes, levels: file.levels.clone(), mark: file.mark()? })
    }
}

/// The job as JSON text, which is equal for equal jobs. Scene and geometry count by their digests,
/// trajectories by size, time of change, and the run that a directory level supplies. What a
/// program may have set in a scene after it was read counts by its value.
///
/// # Errors
/// A file cannot be looked at.
pub(super) fn of_job(scene: &Scene, options: &JobOptions, trajectories: &[InputFile]) -> Result<String> {
    let trajectories: Vec<Value> = trajectories.iter().map(of_file).collect::<Result<_>>()?;
    let mut job = of(scene, options, trajectories);
    // The tables of a shard have no issues that count: only a whole job has an earlier result.
    job["previous"] = json!(scene.earlier_issues.as_ref().map(|earlier| job_digest(&format!("{:?}", earlier.issues))));
    Ok(job.to_string())
}

/// The job that this one is a shard of, likewise: trajectories count by size, contents and run, so
/// that their copies on several machines are the same.
pub(super) fn of_divided(scene: &Scene, options: &JobOptions, trajectories: &[MarkedFile]) -> String {
    let trajectories = trajectories.iter().map(|file| json!([file.bytes, file.mark, file.levels])).collect();
    of(scene, options, trajectories).to_string()
}

/// The digest of a job in words.
pub(super) fn job_digest(job: &str) -> String {
    blake3::hash(job.as_bytes()).to_hex().to_string()
}

/// The keys in which a scene and options, read again, differ from a job that [`of_divided`] told;
/// what is read of trajectories is not compared.
pub(super) fn differences(job: &str, scene: &Scene, options: &JobOptions) -> Vec<String> {
    let (before, now) = (serde_json::from_str::<Value>(job).unwrap_or_default(), of(scene, options, Vec::new()));
    let keys = now.as_object().into_iter().flat_map(|object| object.keys());
    let is_compared = |key: &&String| !OF_READING.contains(&key.as_str());
    keys.filter(is_compared).filter(|key| before.get(key) != now.get(key)).cloned().collect()
}

/// Keys of what is read of trajectories.
const OF_READING: [&str; 4] = ["trajectories", "trajectory_columns", "runs", "frames"];

fn of(scene: &Scene, options: &JobOptions, trajectories: Vec<Value>) -> Value {
    let (query, motion) = (&scene.query, &scene.motion);
    let bits = |value: f64| value.to_bits();
    let own = match motion.between {
        BetweenFrames::Spline => Some(json!(motion.spline_frames.to_string())),
        BetweenFrames::Ballistic => Some(json!(motion.gravity.to_array().map(bits))),
        _ => None,
    };
    let scene_files: Vec<Value> = scene.inputs.iter().map(|input| json!([input.bytes, input.sha256])).collect();
    json!({
        "program": [env!("CARGO_PKG_VERSION"), SCHEMA_VERSION],
        "scene": [json!(scene.builder_digest), json!(scene_files)],
        "length_unit": scene.unit.word,
        "frame_rate": scene.frame_rate.map(bits),
        "trajectories": trajectories,
        "trajectory_columns": named_columns(options.read.columns.as_ref().unwrap_or(&scene.columns)),
        "runs": options.read.runs.as_ref().map(|range| [range.start, range.end]),
        "frames": options.read.frames.as_ref().map(|range| [range.start, range.end]),
        "within": bits(query.within),
        "require": query.require.map(bits),
        "expired": expired(scene),
        "touch": bits(query.touch),
        "static_pairs": query.static_pairs,
        "answer": query.answer.name(),
        "contacts": query.contacts,
        "direction": scene.direction.map(|direction| direction.to_array().map(bits)),
        "motion": (motion.between != BetweenFrames::None)
            .then(|| json!([motion.between.name(), bits(motion.tolerance), motion.work, motion.max_gap, motion.max_gap_s.map(bits), motion.wraps, pivots(scene), own])),
        "missing": match scene.missing {
            Missing::Error => "error",
            Missing::Absent => "absent",
            Missing::Hold => "hold",
        },
        "rest": scene.hierarchy.rest_orientation.name(),
        "columns": match options.columns {
            DistanceColumns::All => "all",
            DistanceColumns::Distance => "distance",
        },
    })
}

/// The pairs whose acceptance is over: what is expired depends on the day, and all else of
/// decisions on their file.
fn expired(scene: &Scene) -> Vec<(u32, u32, u32)> {
    let over = scene.dispositions.by_pair.iter().filter(|(_, of)| of.is_expired);
    let mut pairs: Vec<_> = over.map(|(pair, _)| *pair).collect();
    pairs.sort_unstable();
    pairs
}

/// The columns that are given names or units.
fn named_columns(columns: &TrajectoryColumns) -> Value {
    let given = |role: ColumnRole| {
        let column = columns.get(role)?;
        Some(json!([role.name(), column.name, column.unit.map(ColumnUnit::word)]))
    };
    json!([columns.is_unturned(), ColumnRole::ALL.into_iter().filter_map(given).collect::<Vec<_>>()])
}

/// How many bodies in turn have the same pivot, the origin first.
fn pivots(scene: &Scene) -> Vec<u64> {
    let (mut turns, mut last) = (vec![0], Pivot::Origin);
    for body in &scene.bodies {
        if body.pivot != last {
            last = body.pivot;
            turns.push(0);
        }
        if let Some(count) = turns.last_mut() {
            *count += 1;
        }
    }
    turns
}

/// A file by its size, its state, and the columns that its place supplies.
fn of_file(file: &InputFile) -> Result<Value> {
    Ok(json!([file.bytes, file.state()?, file.levels]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder};

    #[test]
    fn pivots_count_by_their_turns() {
        let mut scene = SceneBuilder::new(1.0);
        for body in 0..5 {
            scene = scene.body(BodyBuilder::new(format!("b{body}"), Geometry::Sphere(1.0)));
        }
        let mut scene = scene.build().expect("a scene");
        assert_eq!(pivots(&scene), [5]);
        for (body, expected) in [(0, vec![0, 1, 4]), (3, vec![0, 1, 2, 1, 1])] {
            scene.bodies[body].pivot = Pivot::Centre;
            assert_eq!(pivots(&scene), expected);
        }
    }
}
