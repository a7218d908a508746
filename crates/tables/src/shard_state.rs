//! The file `shard.state`: all that a merge needs of a shard beside its tables.
//!
//! It has the form of a checkpoint (`resume`): a state, the lists of the summaries, and a checksum.

use super::atomic_file::AtomicFile;
use super::folder::Folder;
use super::output_dir::OutputDir;
use super::output_dir::names::{SHARD_HEAD, SHARD_STATE};
use super::resume::checkpoint::{FoundLists, open_state, write_state};
use super::resume::entries::StoredEntries;
use super::summary::ShardSummary;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{BaselineAt, BaselinePair, Baselines, PoseSteps, Sample};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// The remedy for a shard that is not as it was written.
pub(super) const RUN_AGAIN: &str = "remove its directory, and run the shard again";

/// The state of a shard at its end.
#[derive(Serialize, Deserialize)]
pub(super) struct ShardState {
    /// The job, in words that are equal for equal jobs.
    pub(super) job: String,
    /// (run, frame) of its first and of its last sample.
    pub(super) ends: Option<[(i64, i64); 2]>,
    /// Rows of the tables of parts, by name.
    pub(super) rows: Vec<(String, u64)>,
    /// Rounding steps of poses: position, metres, and turn, radians.
    pose_steps: Option<(f64, f64)>,
    baselines: StoredBaselines,
    pub(super) summary: ShardSummary,
}

/// A pose as it is stored: position, quaternion, rest.
type StoredPose = ([f64; 3], [f64; 4], [f64; 3]);

/// A pair of a baseline, as it is stored: run, bodies, requirement, poses.
type StoredPair = (i64, u32, u32, f64, Option<[StoredPose; 2]>);

/// Baselines, as they are stored: the frame (rest, first, or a number) with its pairs.
type StoredBaselines = Vec<(StoredMoment, Vec<StoredPair>)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum StoredMoment {
    Rest,
    First,
    Frame(i64),
}

impl ShardState {
    pub(super) fn new(
        job: String,
        ends: Option<[Sample; 2]>,
        rows: Vec<(String, u64)>,
        pose_steps: Option<PoseSteps>,
        baselines: &Baselines,
        summary: ShardSummary,
    ) -> Self {
        Self {
            job,
            ends: ends.map(|ends| ends.map(|end| (end.run, end.frame))),
            rows,
            pose_steps: pose_steps.map(|steps| (steps.position_m, steps.turn_rad)),
            baselines: baselines
                .moments()
                .map(|(at, pairs)| (of_moment(at), pairs.iter().map(of_pair).collect()))
                .collect(),
            summary,
        }
    }

    /// Writes the file, with the lists of the summaries.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn write(&self, lists: Vec<&mut dyn StoredEntries>, out: &Arc<OutputDir>) -> Result<()> {
        let state = postcard::to_stdvec(self).map_err(|error| Error::internal(SHARD_STATE, error))?;
        let file = AtomicFile::create(out, SHARD_STATE)?;
        let path = file.target().to_owned();
        write_state(file, SHARD_HEAD, &state, lists).map_err(|error| out.error(&path, &error))?.finish()
    }

    /// Reads the file in the directory of a shard, with the lists.
    ///
    /// # Errors
    /// It is missing or damaged.
    pub(super) fn read(dir: &Path) -> Result<(Self, FoundLists)> {
        let path = dir.join(SHARD_STATE);
        let file = Folder::open(dir).and_then(|folder| folder.open_file(SHARD_STATE));
        file.and_then(|file| open_state(file, SHARD_HEAD)).map_err(|error| {
            let problem = match error.kind() {
                std::io::ErrorKind::NotFound => "is missing".to_owned(),
                std::io::ErrorKind::InvalidData | std::io::ErrorKind::UnexpectedEof => "is damaged".to_owned(),
                _ => format!("cannot be read ({error})"),
            };
            Error::input(path.display(), problem, RUN_AGAIN)
        })
    }

    /// Rounding steps of the poses of moving bodies.
    pub(super) fn pose_steps(&self) -> Option<PoseSteps> {
        self.pose_steps.map(|(position_m, turn_rad)| PoseSteps { position_m, turn_rad })
    }

    /// The pairs of each moment that is a baseline.
    pub(super) fn baselines(&self) -> impl Iterator<Item = (BaselineAt, Vec<BaselinePair>)> {
        self.baselines.iter().map(|(moment, pairs)| (moment.at(), pairs.iter().map(pair).collect()))
    }
}

fn of_moment(at: BaselineAt) -> StoredMoment {
    match at {
        BaselineAt::Rest => StoredMoment::Rest,
        BaselineAt::First => StoredMoment::First,
        BaselineAt::Frame(frame) => StoredMoment::Frame(frame),
    }
}

impl StoredMoment {
    fn at(self) -> BaselineAt {
        match self {
            Self::Rest => BaselineAt::Rest,
            Self::First => BaselineAt::First,
            Self::Frame(frame) => BaselineAt::Frame(frame),
        }
    }
}

fn of_pair(pair: &BaselinePair) -> StoredPair {
    let stored = |pose: &Pose| (pose.position.to_array(), pose.q, pose.rest.to_array());
    (pair.run, pair.a, pair.b, pair.required, pair.poses.as_ref().map(|poses| [stored(&poses[0]), stored(&poses[1])]))
}

fn pair(&(run, a, b, required, poses): &StoredPair) -> BaselinePair {
    let vector = |[x, y, z]: [f64; 3]| Vec3::new(x, y, z);
    let pose = |(position, q, rest): StoredPose| Pose { position: vector(position), q, rest: vector(rest) };
    BaselinePair { run, a, b, required, poses: poses.map(|poses| Box::new(poses.map(pose))) }
}
