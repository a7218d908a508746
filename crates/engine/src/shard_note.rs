//! The entry of a manifest about a shard.

use super::identity::{self, MarkedFile, job_digest};
use super::options::{JobOptions, ShardPosition};
use clearsweep_base::error::Result;
use clearsweep_model::{Scene, SceneOverrides};
use clearsweep_records::manifest::{Input, Overrides, Shard};
use clearsweep_trajectory::{InputFile, ReadPart};
use std::path::Path;

/// The entry of a manifest about a shard.
#[derive(Debug)]
pub(super) struct ShardNote {
    pub(super) position: ShardPosition,
    part: ReadPart,
    /// The whole job, in words that are equal for all of its shards.
    pub(super) job: String,
    trajectories: Vec<MarkedFile>,
    overrides: SceneOverrides,
}

impl ShardNote {
    pub(super) fn new(
        position: ShardPosition,
        scene: &Scene,
        options: &JobOptions,
        trajectories: &[InputFile],
    ) -> Result<Self> {
        let trajectories = trajectories.iter().map(MarkedFile::of).collect::<Result<Vec<_>>>()?;
        Ok(Self {
            position,
            part: options.read.part.clone().unwrap_or(ReadPart::NOTHING),
            job: identity::of_divided(scene, options, &trajectories),
            trajectories,
            overrides: scene.overrides.clone(),
        })
    }

    /// Returns the entry of the manifest.
    pub(super) fn entry(&self) -> Shard {
        let Self { position, part, overrides, .. } = self;
        let SceneOverrides { trajectories, within, require, direction, between, answer, contacts, accepted, .. } =
            overrides.clone();
        Shard {
            index: position.index,
            of: position.count,
            job: job_digest(&self.job),
            runs: (!part.is_nothing()).then(|| (&part.runs).into()),
            frames: part.frames.as_ref().map(Into::into),
            overrides: Overrides {
                trajectories: trajectories.as_deref().map(shown),
                within,
                require,
                direction,
                between,
                answer,
                contacts,
                accepted: accepted.as_deref().map(shown),
                max_input: overrides.max_input,
            },
        }
    }

    /// Returns the trajectories as inputs of the manifest. They have a mark, and no digest of the
    /// whole file.
    pub(super) fn inputs(&self) -> impl Iterator<Item = Input> {
        self.trajectories.iter().map(|file| Input {
            path: shown(&file.path),
            bytes: file.bytes,
            sha256: None,
            mark: Some(file.mark.clone()),
        })
    }
}

/// Returns a path as text.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}
