//! The values of a sweep as a source of rows: they are made when they are read.

use super::group::Group;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use clearsweep_base::error::{Error, Result};
use clearsweep_kinematics::SweepRuns;
use clearsweep_model::SceneJoints;
use std::sync::Arc;

/// Samples of a group: runs that lie together, or frames of one long run.
const SAMPLES: u64 = 1 << 16;

/// A sweep as rows of values.
#[derive(Debug, Clone)]
pub(super) struct SweepRows {
    joints: Arc<SceneJoints>,
    schema: SchemaRef,
    /// First run and frame of each group.
    firsts: Arc<[(u64, u64)]>,
}

impl SweepRows {
    /// The rows of the sweeps of a scene, with their groups; `None`: it has none.
    pub(super) fn new(joints: &Arc<SceneJoints>) -> Option<(Self, SchemaRef, Vec<Group>)> {
        let runs = joints.sweeps.as_ref()?;
        let keys = ["run", "frame"].map(|name| Field::new(name, DataType::Int64, false));
        let values = joints.tree.columns().map(|joint| Field::new(&joint.name, DataType::Float64, false));
        let schema = Arc::new(Schema::new(keys.into_iter().chain(values).collect::<Vec<_>>()));
        let (mut groups, mut firsts) = (Vec::new(), Vec::new());
        let mut first_row = 0;
        let mut run = 0;
        while run < runs.runs() {
            let frames = runs.of_run(run).0.frames();
            if frames > SAMPLES {
                for frame in (0..frames).step_by(SAMPLES as usize) {
                    let last = (frame + SAMPLES).min(frames) - 1;
                    firsts.push((run, frame));
                    groups.push(group(groups.len(), first_row, [run, run], [frame, last], last + 1 - frame));
                    first_row += last + 1 - frame;
                }
                run += 1;
                continue;
            }
            let first = run;
            let (mut rows, mut most) = (0, 0);
            while run < runs.runs() && rows + runs.of_run(run).0.frames() <= SAMPLES {
                rows += runs.of_run(run).0.frames();
                most = most.max(runs.of_run(run).0.frames());
                run += 1;
            }
            firsts.push((first, 0));
            groups.push(group(groups.len(), first_row, [first, run - 1], [0, most - 1], rows));
            first_row += rows;
        }
        let rows = Self { joints: Arc::clone(joints), schema: Arc::clone(&schema), firsts: firsts.into() };
        Some((rows, schema, groups))
    }

    /// The columns `projection` of some rows of a group.
    ///
    /// # Errors
    /// The columns do not fit together.
    pub(super) fn batch(&self, group: usize, from: u64, rows: usize, projection: &[usize]) -> Result<RecordBatch> {
        let internal = |error: arrow_schema::ArrowError| Error::internal("the rows of a sweep", error);
        let Some(runs) = &self.joints.sweeps else {
            return Err(Error::internal("the rows of a sweep", "there is none"));
        };
        let (mut run, mut frame) = self.firsts[group];
        skip(runs, &mut run, &mut frame, from);
        let width = self.schema.fields().len() - 2;
        let (mut keys, mut columns) =
            ([Vec::with_capacity(rows), Vec::with_capacity(rows)], vec![Vec::with_capacity(rows); width]);
        let mut values = vec![0.0; width];
        for _ in 0..rows {
            let (sweep, own) = runs.of_run(run);
            sweep.values(own, frame, &mut values);
            keys[0].push(run as i64);
            keys[1].push(frame as i64);
            columns.iter_mut().zip(&values).for_each(|(column, &value)| column.push(value));
            skip(runs, &mut run, &mut frame, 1);
        }
        let keys = keys.map(|keys| -> ArrayRef { Arc::new(Int64Array::from(keys)) });
        let columns = columns.into_iter().map(|column| -> ArrayRef { Arc::new(Float64Array::from(column)) });
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), keys.into_iter().chain(columns).collect())
            .map_err(internal)?;
        batch.project(projection).map_err(internal)
    }
}

fn group(index: usize, first_row: u64, runs: [u64; 2], frames: [u64; 2], rows: u64) -> Group {
    let pair = |[low, high]: [u64; 2]| Some((low as i64, high as i64));
    Group { index, first_row, rows, runs: pair(runs), frames: pair(frames) }
}

/// Goes on by so many samples.
fn skip(runs: &SweepRuns, run: &mut u64, frame: &mut u64, samples: u64) {
    *frame += samples;
    while *run < runs.runs() && *frame >= runs.of_run(*run).0.frames() {
        *frame -= runs.of_run(*run).0.frames();
        *run += 1;
    }
}
