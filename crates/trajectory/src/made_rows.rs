//! Values that a sweep or splines give at frames, as a source of rows: they are made when they are
//! read.

use super::group::Group;
use super::source::Source;
use super::splines::ReadSplines;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use clearsweep_base::error::{Error, Result};
use clearsweep_kinematics::{JointSplines, SweepRuns};
use clearsweep_model::{BetweenFrames, Scene, SceneJoints};
use std::sync::Arc;

/// Samples of a group: runs that lie together, or frames of one long run.
const SAMPLES: u64 = 1 << 16;

/// Columns before those of values.
const KEYS: usize = 3;

/// Source of values.
#[derive(Debug, Clone)]
pub(super) enum MadeValues {
    /// Sweeps: steps without times.
    Sweeps(SweepRuns),
    /// Splines.
    Splines(Arc<JointSplines>),
}

impl MadeValues {
    /// The name of the rows in messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Sweeps(_) => "the sweep",
            Self::Splines(_) => "the splines",
        }
    }

    fn runs(&self) -> u64 {
        match self {
            Self::Sweeps(runs) => runs.runs(),
            Self::Splines(splines) => splines.runs().len() as u64,
        }
    }

    /// The key of a run, by its place.
    fn key(&self, run: u64) -> i64 {
        match self {
            Self::Sweeps(_) => run as i64,
            Self::Splines(splines) => splines.runs()[run as usize].run,
        }
    }

    fn frames(&self, run: u64) -> u64 {
        match self {
            Self::Sweeps(runs) => runs.of_run(run).0.frames(),
            Self::Splines(splines) => splines.runs()[run as usize].times().len() as u64,
        }
    }

    /// Sets the values of a frame, by column; its time, seconds.
    fn values(&self, run: u64, frame: u64, values: &mut [f64]) -> Option<f64> {
        match self {
            Self::Sweeps(runs) => {
                let (sweep, own) = runs.of_run(run);
                sweep.values(own, frame, values);
                None
            }
            Self::Splines(splines) => {
                let motion = &splines.runs()[run as usize];
                motion.values(frame as usize, values);
                Some(motion.times()[frame as usize])
            }
        }
    }

    /// Goes on by this number of samples.
    fn skip(&self, run: &mut u64, frame: &mut u64, samples: u64) {
        *frame += samples;
        while *run < self.runs() && *frame >= self.frames(*run) {
            *frame -= self.frames(*run);
            *run += 1;
        }
    }
}

/// A source of made rows, with the splines that they come from.
pub(super) struct Made {
    pub(super) source: Source,
    pub(super) splines: Option<ReadSplines>,
}

impl Made {
    /// The rows of the sweeps of a scene; `None`: it has none.
    pub(super) fn of_sweep(joints: &SceneJoints) -> Option<Result<Self>> {
        let source = Source::of_made(joints, MadeValues::Sweeps(joints.sweeps.clone()?));
        Some(source.map(|source| Self { source, splines: None }))
    }

    /// The rows of splines.
    ///
    /// # Errors
    /// The columns do not fit.
    pub(super) fn of_splines(joints: &SceneJoints, read: ReadSplines) -> Result<Self> {
        let source = Source::of_made(joints, MadeValues::Splines(Arc::clone(&read.splines)))?;
        Ok(Self { source, splines: Some(read) })
    }

    /// The rows of splines whose pieces are handed over as batches; `None`: the batches hold
    /// something else.
    ///
    /// # Errors
    /// A piece does not fit.
    pub(super) fn of_batches(scene: &Scene, batches: &[Source]) -> Result<Option<Self>> {
        match scene.joints.as_ref().filter(|_| scene.motion.between == BetweenFrames::Spline) {
            Some(joints) => Self::of_splines(joints, ReadSplines::of_batches(scene, joints, batches)?).map(Some),
            None => Ok(None),
        }
    }
}

/// Made rows of values.
#[derive(Debug, Clone)]
pub(super) struct MadeRows {
    values: MadeValues,
    schema: SchemaRef,
    /// First run (by its place) and frame of each group.
    firsts: Arc<[(u64, u64)]>,
}

impl MadeRows {
    /// The rows of values of the joints, with their groups.
    pub(super) fn new(joints: &SceneJoints, values: MadeValues) -> (Self, SchemaRef, Vec<Group>) {
        let keys = ["run", "frame"].map(|name| Field::new(name, DataType::Int64, false));
        let time = matches!(values, MadeValues::Splines(_)).then(|| Field::new("time_s", DataType::Float64, false));
        let columns = joints.tree.columns().map(|joint| Field::new(&joint.name, DataType::Float64, false));
        let schema = Arc::new(Schema::new(keys.into_iter().chain(time).chain(columns).collect::<Vec<_>>()));
        let (mut groups, mut firsts) = (Vec::new(), Vec::new());
        let mut first_row = 0;
        let mut run = 0;
        let keys = |first: u64, last: u64| [values.key(first), values.key(last)];
        while run < values.runs() {
            let frames = values.frames(run);
            if frames > SAMPLES {
                for frame in (0..frames).step_by(SAMPLES as usize) {
                    let last = (frame + SAMPLES).min(frames) - 1;
                    firsts.push((run, frame));
                    groups.push(group(groups.len(), first_row, keys(run, run), [frame, last], last + 1 - frame));
                    first_row += last + 1 - frame;
                }
                run += 1;
                continue;
            }
            let first = run;
            let (mut rows, mut most) = (0, 0);
            while run < values.runs() && rows + values.frames(run) <= SAMPLES {
                rows += values.frames(run);
                most = most.max(values.frames(run));
                run += 1;
            }
            firsts.push((first, 0));
            groups.push(group(groups.len(), first_row, keys(first, run - 1), [0, most - 1], rows));
            first_row += rows;
        }
        let rows = Self { values, schema: Arc::clone(&schema), firsts: firsts.into() };
        (rows, schema, groups)
    }

    /// A bound of the magnitude of the values of a column.
    pub(super) fn largest(&self, column: usize) -> f64 {
        match &self.values {
            MadeValues::Sweeps(runs) => runs.largest(column as u32),
            MadeValues::Splines(splines) => splines.largest(column),
        }
    }

    /// The columns `projection` of some rows of a group.
    ///
    /// # Errors
    /// The columns do not fit together.
    pub(super) fn batch(&self, group: usize, from: u64, rows: usize, projection: &[usize]) -> Result<RecordBatch> {
        let internal = |error: arrow_schema::ArrowError| Error::internal(self.values.name(), error);
        let (mut run, mut frame) = self.firsts[group];
        self.values.skip(&mut run, &mut frame, from);
        let has_times = matches!(self.values, MadeValues::Splines(_));
        let width = self.schema.fields().len() - if has_times { KEYS } else { KEYS - 1 };
        let (mut keys, mut times) = ([Vec::with_capacity(rows), Vec::with_capacity(rows)], Vec::new());
        let mut columns = vec![Vec::with_capacity(rows); width];
        let mut values = vec![0.0; width];
        for _ in 0..rows {
            times.extend(self.values.values(run, frame, &mut values));
            keys[0].push(self.values.key(run));
            keys[1].push(frame as i64);
            columns.iter_mut().zip(&values).for_each(|(column, &value)| column.push(value));
            self.values.skip(&mut run, &mut frame, 1);
        }
        let keys = keys.map(|keys| -> ArrayRef { Arc::new(Int64Array::from(keys)) });
        let columns = has_times.then_some(times).into_iter().chain(columns);
        let columns = columns.map(|column| -> ArrayRef { Arc::new(Float64Array::from(column)) });
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), keys.into_iter().chain(columns).collect())
            .map_err(internal)?;
        batch.project(projection).map_err(internal)
    }
}

fn group(index: usize, first_row: u64, runs: [i64; 2], frames: [u64; 2], rows: u64) -> Group {
    let [low, high] = frames.map(|frame| frame as i64);
    Group { index, first_row, rows, runs: Some((runs[0], runs[1])), frames: Some((low, high)) }
}
