//! `samples.parquet`: the values of all joints in each sample; and the values of a sweep of one
//! joint at times of it.

use super::atomic_file::AtomicFile;
use super::layout::TableLayout;
use super::output_dir::OutputDir;
use super::part_writer::parquet_error;
use super::rows_digest::{ReadColumns, RowsDigester, TableDigest};
use super::writer_properties::base_properties;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use clearsweep_base::error::{Error, Result};
use clearsweep_kinematics::{Joint, JointValue};
use clearsweep_model::{FrameBlock, Scene, SceneJoints};
use clearsweep_records::file::open;
use parquet::arrow::ArrowWriter;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The file.
pub(super) const FILE: &str = "samples.parquet";

/// Values of a row group, which is in memory until it is whole: 16 MiB.
const GROUP_VALUES: usize = 1 << 21;

/// Rows that are encoded together, where a row group has as many.
const BATCH: usize = 1 << 14;

/// Rows of a row group of so many columns. They depend on nothing else, so that the bytes of the
/// table do not depend on the job's memory.
fn group_rows(columns: usize, layout: &TableLayout) -> usize {
    (GROUP_VALUES / columns).clamp(1, layout.row_group)
}

/// The table of samples while it is written.
pub(super) struct SamplesTable {
    joints: Arc<SceneJoints>,
    writer: ArrowWriter<AtomicFile>,
    schema: SchemaRef,
    out: Arc<OutputDir>,
    run: Vec<i64>,
    frame: Vec<i64>,
    time: Vec<Option<f64>>,
    /// By joint that moves.
    values: Vec<Vec<f64>>,
    /// Rows that are encoded together.
    batch: usize,
    digester: RowsDigester,
}

/// The joints that have columns: those that move.
fn moving(joints: &SceneJoints) -> impl Iterator<Item = &Joint> {
    joints.tree.joints().iter().filter(|joint| joint.value != JointValue::None)
}

impl SamplesTable {
    /// Creates the file under its temporary name.
    ///
    /// # Errors
    /// It cannot be created.
    pub(super) fn create(joints: &Arc<SceneJoints>, layout: &TableLayout, out: &Arc<OutputDir>) -> Result<Self> {
        let unit = |unit: &str| HashMap::from([("unit".to_owned(), unit.to_owned())]);
        let mut fields = ["run", "frame"].map(|name| Field::new(name, DataType::Int64, false)).to_vec();
        fields.push(Field::new("time_s", DataType::Float64, true).with_metadata(unit("s")));
        fields.extend(moving(joints).map(|joint| {
            let word = if joint.kind.turns() { "rad" } else { "m" };
            Field::new(&joint.name, DataType::Float64, false).with_metadata(unit(word))
        }));
        let schema = Arc::new(Schema::new(fields));
        let file = AtomicFile::create(out, FILE)?;
        let path = file.target().to_owned();
        let group = group_rows(schema.fields().len(), layout);
        let properties = base_properties("samples", &schema, layout).set_max_row_group_row_count(Some(group)).build();
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties));
        let writer = writer.map_err(|error| parquet_error(out, &path, error))?;
        let values = vec![Vec::new(); moving(joints).count()];
        let (run, frame, time, digester) = (Vec::new(), Vec::new(), Vec::new(), RowsDigester::default());
        let (joints, out, batch) = (Arc::clone(joints), Arc::clone(out), BATCH.min(group));
        Ok(Self { joints, writer, schema, out, run, frame, time, values, batch, digester })
    }

    /// Adds the samples of a block.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn add(&mut self, block: &FrameBlock) -> Result<()> {
        let mut columns = vec![0.0; block.joints.len()];
        for (at, sample) in block.samples.iter().enumerate() {
            columns.iter_mut().zip(&block.joints).for_each(|(value, column)| *value = column.0[at]);
            self.run.push(sample.run);
            self.frame.push(sample.frame);
            self.time.push(sample.time_s);
            let values = self.joints.tree.values(&columns);
            self.values.iter_mut().zip(values).for_each(|(column, (_, value))| column.push(value));
            if self.run.len() == self.batch {
                self.encode()?;
            }
        }
        Ok(())
    }

    /// Adds the rows of a stored table.
    ///
    /// # Errors
    /// It cannot be read, has other columns, or the file cannot be written.
    pub(super) fn append(&mut self, stored: &Path) -> Result<()> {
        let wrong = || Error::input(stored.display(), "is no table of these joints' values", "run the shard again");
        let rows = open(stored, BATCH)?
            .build()
            .map_err(|error| Error::input(stored.display(), error, "run the shard again"))?;
        for batch in rows {
            let batch = batch.map_err(|error| Error::input(stored.display(), error, "run the shard again"))?;
            if batch.num_columns() != self.values.len() + 3 {
                return Err(wrong());
            }
            let integers = |at: usize| Some(batch.column(at).as_primitive_opt::<Int64Type>()?.values().clone());
            let [run, frame] = [integers(0).ok_or_else(wrong)?, integers(1).ok_or_else(wrong)?];
            let time = batch.column(2).as_primitive_opt::<Float64Type>().ok_or_else(wrong)?;
            for row in 0..batch.num_rows() {
                self.run.push(run[row]);
                self.frame.push(frame[row]);
                self.time.push(arrow_array::Array::is_valid(time, row).then(|| time.value(row)));
                for (at, column) in self.values.iter_mut().enumerate() {
                    let values = batch.column(at + 3).as_primitive_opt::<Float64Type>().ok_or_else(wrong)?;
                    column.push(values.value(row));
                }
                if self.run.len() == self.batch {
                    self.encode()?;
                }
            }
        }
        Ok(())
    }

    fn encode(&mut self) -> Result<()> {
        let keys = [std::mem::take(&mut self.run), std::mem::take(&mut self.frame)];
        let mut columns: Vec<ArrayRef> = keys.map(|keys| -> ArrayRef { Arc::new(Int64Array::from(keys)) }).to_vec();
        columns.push(Arc::new(Float64Array::from(std::mem::take(&mut self.time))));
        columns.extend(
            self.values.iter_mut().map(|values| -> ArrayRef { Arc::new(Float64Array::from(std::mem::take(values))) }),
        );
        let internal = |error: &dyn std::fmt::Display| Error::internal(FILE, error);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(|error| internal(&error))?;
        let read = ReadColumns::of(&batch).ok_or_else(|| internal(&"columns of other types"))?;
        let full = self.digester.take(&read, batch.num_rows());
        self.digester.add(full.hash());
        self.writer.write(&batch).map_err(|error| parquet_error(&self.out, Path::new(FILE), error))
    }

    /// Gives the file its name; the digest of its rows.
    ///
    /// # Errors
    /// A write failed.
    pub(super) fn finish(mut self) -> Result<TableDigest> {
        if !self.run.is_empty() {
            self.encode()?;
        }
        let file = self.writer.into_inner().map_err(|error| parquet_error(&self.out, Path::new(FILE), error))?;
        file.finish()?;
        Ok(self.digester.finish())
    }
}

/// The joint that is swept alone in a run, and its values at two shares of the step behind a frame;
/// `None` where several joints move, or none.
pub fn swept_span(scene: &Scene, at: (i64, i64), shares: [f64; 2]) -> Option<(&Joint, [f64; 2])> {
    let joints = scene.joints.as_deref()?;
    let values = shares.map(|share| swept_value(joints, at, share));
    let runs = joints.sweeps.as_ref()?;
    let (sweep, own) = runs.of_run(u64::try_from(at.0).ok().filter(|&run| run < runs.runs())?);
    let column = sweep.only_joint(own)?.column as usize;
    let joint = joints.tree.columns().nth(column)?;
    values.iter().all(|value| value.is_finite()).then_some((joint, values))
}

/// The value of the joint that a sweep moves alone, at a share of the step behind a frame; NaN
/// where several move, or none.
pub(super) fn swept_value(joints: &SceneJoints, (run, frame): (i64, i64), share: f64) -> f64 {
    let Some(runs) = &joints.sweeps else { return f64::NAN };
    let Some(number) = u64::try_from(run).ok().filter(|&run| run < runs.runs()) else { return f64::NAN };
    let (sweep, own) = runs.of_run(number);
    let (Some(joint), Ok(frame)) = (sweep.only_joint(own), u64::try_from(frame)) else { return f64::NAN };
    if frame >= sweep.frames() || share.is_nan() {
        return f64::NAN;
    }
    let at = |frame: u64| joint.at(frame, sweep.steps);
    let from = at(frame);
    if share <= 0.0 || frame + 1 == sweep.frames() {
        return from;
    }
    let to = at(frame + 1);
    if share >= 1.0 { to } else { from + share * (to - from) }
}
