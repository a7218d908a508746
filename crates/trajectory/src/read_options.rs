//! The choice of what to read, as the caller makes it.

use super::files::is_pipe;
use super::made_rows::Made;
use super::read_part::ReadPart;
use super::splines::ReadSplines;
use super::spool::InputStream;
use clearsweep_base::error::{Error, Result};
use clearsweep_kinematics::SweepRuns;
use clearsweep_model::{BetweenFrames, Scene, SceneJoints, TrajectoryColumns};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

    /// The rows that a sweep of a scene, or the splines of its joints, make; `None`: rows are read.
    ///
    /// # Errors
    /// As for [`Self::swept`]; splines cannot be read.
    pub(super) fn made(&self, scene: &Scene) -> Result<Option<Made>> {
        if let Some(joints) = self.swept(scene, false)? {
            return Made::of_sweep(joints).transpose();
        }
        match scene.joints.as_ref().filter(|_| scene.motion.between == BetweenFrames::Spline) {
            Some(joints) => Made::of_splines(joints, ReadSplines::of_files(scene, joints, self)?).map(Some),
            None => Ok(None),
        }
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
