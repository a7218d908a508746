//! The entry of a manifest about a shard.

use super::identity::{self, MarkedFile, job_digest};
use super::options::{JobOptions, ShardPosition};
use clearsweep_base::error::Result;
use clearsweep_model::{Scene, SceneOverrides};
use clearsweep_trajectory::{InputFile, ReadPart};
use serde_json::{Value, json};
use std::ops::Range;
use std::path::PathBuf;

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

    pub(super) fn to_json(&self) -> Value {
        let Self { position, part, overrides, .. } = self;
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        json!({
            "index": position.index,
            "of": position.count,
            "job": job_digest(&self.job),
            "runs": (!part.is_nothing()).then(|| range(&part.runs)),
            "frames": part.frames.as_ref().map(range),
            "overrides": {
                "trajectories": path(&overrides.trajectories),
                "within": overrides.within,
                "require": overrides.require,
                "direction": overrides.direction,
                "between": overrides.between,
                "answer": overrides.answer,
                "contacts": overrides.contacts,
                "accepted": path(&overrides.accepted),
                "max_input": overrides.max_input,
            },
        })
    }

    /// The trajectories as inputs of the manifest: what was read of them has no digest of the whole
    /// file.
    pub(super) fn inputs(&self) -> impl Iterator<Item = Value> {
        self.trajectories.iter().map(|file| {
            json!({ "path": file.path.display().to_string(), "bytes": file.bytes, "sha256": null, "mark": file.mark })
        })
    }
}

/// Returns a range of keys as JSON; open ends are null.
pub(super) fn range(range: &Range<i64>) -> Value {
    json!([(range.start != i64::MIN).then_some(range.start), (range.end != i64::MAX).then_some(range.end)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_ends_of_a_range_are_null() {
        assert_eq!(range(&(i64::MIN..7)), json!([null, 7]));
        assert_eq!(range(&(-3..i64::MAX)), json!([-3, null]));
    }
}
