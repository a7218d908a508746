//! The choice of what is read, and the data that the reading thread needs for it.

use super::block_pool::BlockPool;
use super::body_index::BodyIndex;
use super::files::is_pipe;
use super::read_part::ReadPart;
use super::source::Source;
use super::spool::InputStream;
use clearsweep_base::error::{Error, Result};
use clearsweep_kinematics::SweepRuns;
use clearsweep_model::{Missing, MotionRule, Scene, SceneJoints, TrajectoryColumns};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The choice of what to read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Overrides the trajectories of the scene.
    pub path: Option<PathBuf>,
    /// Read in place of all files. It is copied to a temporary file first, since rows are read
    /// twice.
    pub stream: Option<InputStream>,
    /// The directory for that file; `None`: that of the system.
    pub temp: Option<PathBuf>,
    /// Overrides the names and units that the scene gives for columns.
    #[doc(hidden)]
    pub columns: Option<TrajectoryColumns>,
    /// Only these runs (key values). A range that ends at `i64::MAX` has no end: it holds that
    /// value too.
    pub runs: Option<Range<i64>>,
    /// Only these frames (key values), likewise.
    pub frames: Option<Range<i64>>,
    /// Only the first frame of each run.
    #[doc(hidden)]
    pub first_frames: bool,
    /// Only what a shard takes of all that.
    #[doc(hidden)]
    pub part: Option<ReadPart>,
}

impl ReadOptions {
    /// Whether what is read is gone afterwards: a stream, or a pipe in place of files.
    /// `trajectories`: those of the scene.
    #[doc(hidden)]
    pub fn is_read_once(&self, trajectories: Option<&Path>) -> bool {
        let path = self.path.as_deref().or(trajectories);
        let about = path.and_then(|path| std::fs::metadata(path).ok());
        self.stream.is_some() || about.is_some_and(|about| is_pipe(about.file_type()))
    }

    /// The joints of a scene whose values its sweeps give.
    ///
    /// # Errors
    /// Values are named or handed over beside a sweep; `are_handed`: in memory.
    pub(super) fn swept<'s>(&self, scene: &'s Scene, are_handed: bool) -> Result<Option<&'s Arc<SceneJoints>>> {
        let Some(joints) = scene.joints.as_ref().filter(|joints| joints.sweeps.is_some()) else { return Ok(None) };
        if !are_handed && self.path.is_none() && self.stream.is_none() {
            return Ok(Some(joints));
        }
        if joints.sweeps.iter().flat_map(SweepRuns::sweeps).all(|sweep| sweep.joints.is_empty()) {
            // A posture that stands for want of values.
            return Ok(None);
        }
        let problem = "values of joints are handed to the job, but the scene gives them by a [[sweep]]";
        Err(Error::usage(scene.path.display(), problem, "remove the [[sweep]], or hand nothing over"))
    }

    /// Reads a stream of bytes, Arrow IPC or Parquet, in place of all files; messages call it by
    /// `name`.
    #[must_use]
    pub fn with_stream(self, name: impl Into<PathBuf>, reader: impl Read + Send + 'static) -> Self {
        Self { stream: Some(InputStream::new(name, reader)), ..self }
    }

    /// Overrides the names and units that the scene gives for columns: the role, the name and the
    /// unit of each, as in `[columns]`.
    ///
    /// # Errors
    /// A role or a unit is not known, or two of them contradict each other.
    pub fn with_columns<'n>(
        self,
        named: impl IntoIterator<Item = (&'n str, &'n str, Option<&'n str>)>,
    ) -> Result<Self> {
        Ok(Self { columns: Some(TrajectoryColumns::of(named)?), ..self })
    }
}

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
    pub(super) frame_rate: Option<f64>,
    /// Which steps are gaps.
    pub(super) motion: MotionRule,
    pub(super) choice: Choice,
    /// No input and no dynamic body: one sample (0, 0).
    pub(super) single_sample: bool,
    pub(super) block_pool: BlockPool,
    /// Set once rows come without an orientation, if the scene does not say so.
    pub(super) unturned: Arc<AtomicBool>,
}

/// Whether `range` (all values, if there is none) holds `value`.
pub(super) fn contains(range: Option<&Range<i64>>, value: i64) -> bool {
    range.is_none_or(|range| range.start <= value && !is_beyond(range, value))
}

/// Whether a value lies at the end of a range or after it. The greatest of all values is no end:
/// nothing lies after it.
pub(super) fn is_beyond(range: &Range<i64>, value: i64) -> bool {
    value >= range.end && range.end != i64::MAX
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_key_is_no_end() {
        let chosen = |range: Range<i64>, value: i64| contains(Some(&range), value);
        assert!(chosen(5..7, 5) && chosen(5..7, 6) && !chosen(5..7, 7) && !chosen(5..7, 4));
        assert!(chosen(5..i64::MAX, i64::MAX) && !chosen(5..i64::MAX, 4) && chosen(i64::MAX..i64::MAX, i64::MAX));
        assert!(!is_beyond(&(5..i64::MAX), i64::MAX) && is_beyond(&(5..7), 7));
    }
}
