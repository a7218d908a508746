//! Which samples and row groups are read, and the data that the reading thread needs for it.

use super::block_pool::BlockPool;
use super::body_index::BodyIndex;
use super::read_options::ReadOptions;
use super::read_part::{ReadPart, contains, is_beyond};
use super::source::Source;
use super::stated_bounds::StatedBounds;
use clearsweep_kinematics::JointSplines;
use clearsweep_model::{Missing, MotionRule, SceneJoints};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Which samples are read, and which rows they need.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Choice {
    pub(super) missing: Missing,
    pub(super) runs: Option<Range<i64>>,
    pub(super) frames: Option<Range<i64>>,
    /// Only the first frame of each run.
    pub(super) first_frames: bool,
    pub(super) part: Option<ReadPart>,
}

impl Choice {
    pub(super) fn new(missing: Missing, options: &ReadOptions) -> Self {
        let ReadOptions { runs, frames, first_frames, part, .. } = options.clone();
        Self { missing, runs, frames, first_frames, part }
    }

    /// Whether a sample is chosen by its key; `is_first`: it is the first of its run.
    pub(super) fn has(&self, run: i64, frame: i64, is_first: bool) -> bool {
        self.is_asked(run, frame, is_first) && self.part.as_ref().is_none_or(|part| part.has(run, frame))
    }

    /// Whether a sample is behind the part that is read, and may end its last interval.
    pub(super) fn is_followed_by(&self, run: i64, frame: i64, is_first: bool) -> bool {
        self.is_asked(run, frame, is_first) && self.part.as_ref().is_some_and(|part| part.is_followed_by(run, frame))
    }

    fn is_asked(&self, run: i64, frame: i64, is_first: bool) -> bool {
        contains(self.runs.as_ref(), run) && contains(self.frames.as_ref(), frame) && (is_first || !self.first_frames)
    }
}

/// The data that the reading thread needs, independent of the scene's lifetime.
pub(super) struct Plan {
    pub(super) sources: Arc<[Source]>,
    /// The command that sorts the input; `None`: it is in memory.
    pub(super) sort_command: Option<String>,
    pub(super) body_index: Arc<BodyIndex>,
    /// Joints that pose the bodies.
    pub(super) joints: Option<Arc<SceneJoints>>,
    /// Splines that the joints move along between frames.
    pub(super) splines: Option<Arc<JointSplines>>,
    pub(super) frame_rate: Option<f64>,
    /// Which steps are gaps.
    pub(super) motion: MotionRule,
    /// Bounds that bodies state of their motion, where nothing else is known of it.
    pub(super) bounds: Option<StatedBounds>,
    pub(super) choice: Choice,
    /// No input and no dynamic body: one sample (0, 0).
    pub(super) single_sample: bool,
    pub(super) block_pool: BlockPool,
    /// Set once rows come without an orientation, if the scene does not say so.
    pub(super) unturned: Arc<AtomicBool>,
    /// Set once rows come without a frame.
    pub(super) numbered: Arc<AtomicBool>,
}

/// Whether a row group can hold rows that matter, by the least and greatest keys of its rows, if
/// they are known.
pub(super) fn matters(choice: &Choice, runs: Option<(i64, i64)>, frames: Option<(i64, i64)>) -> bool {
    let beyond = |range: Option<&Range<i64>>, keys: Option<(i64, i64)>| match (range, keys) {
        (Some(range), Some((least, _))) => is_beyond(range, least),
        _ => false,
    };
    let before = |range: Option<&Range<i64>>, keys: Option<(i64, i64)>| match (range, keys) {
        (Some(range), Some((_, greatest))) => greatest < range.start,
        _ => false,
    };
    let holds = choice.missing == Missing::Hold;
    let is_outside = |chosen_runs: Option<&Range<i64>>, chosen_frames: Option<&Range<i64>>| {
        beyond(chosen_runs, runs)
            || before(chosen_runs, runs)
            || beyond(chosen_frames, frames)
            // Poses before the frames asked for are held into them.
            || (before(chosen_frames, frames) && !holds)
    };
    let part = choice.part.as_ref();
    let of_part = part.and_then(ReadPart::frames_read);
    !(is_outside(choice.runs.as_ref(), choice.frames.as_ref())
        || part.is_some_and(|part| is_outside(Some(&part.runs), of_part.as_ref())))
}
