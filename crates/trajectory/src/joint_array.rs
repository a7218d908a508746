//! Values of joints from an array of a simulation.

use super::array_view::PoseNumbers;
use super::column_format::ColumnFormat;
use super::columns::Columns;
use super::joint_columns::{JointColumns, JointSource};
use super::row_label::ArrayRows;
use super::sample_keys::SampleKeys;
use super::stream_batch::{BATCH_ROWS, StreamBatch};
use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use clearsweep_base::error::{Error, Result, nearest};
use ndarray::{ArrayView2, Axis};
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Name of the array in messages.
const PLACE: &str = "array of joint values";

/// Values of joints in the memory of a simulation: `(sample, joint)`, radians and metres unless
/// `[columns]` of the scene gives joints other units. The memory is borrowed and may have any
/// strides.
#[derive(Debug, Clone)]
pub struct JointArray<'a> {
    /// `(run, frame, joint, 1, 1)`.
    numbers: PoseNumbers<'a>,
    joints: Arc<[String]>,
    keys: SampleKeys,
}

impl<'a> JointArray<'a> {
    /// An array whose second axis is that of `joints`: names as the columns of a table of joint
    /// values have them. Samples are the frames 0, 1, 2, ... of run 0 unless they are given keys.
    pub fn new<S: AsRef<str>>(view: ArrayView2<'a, f64>, joints: impl IntoIterator<Item = S>) -> Self {
        let numbers = PoseNumbers::F64(view.insert_axis(Axis(0)).insert_axis(Axis(3)).insert_axis(Axis(4)));
        Self { keys: SampleKeys::new(false), ..Self::of_numbers(numbers, joints, false) }
    }

    /// Numbers `(run, frame, joint, 1, 1)`; messages name no run if it `has_runs` not.
    #[doc(hidden)]
    pub fn of_numbers<S: AsRef<str>>(
        numbers: PoseNumbers<'a>,
        joints: impl IntoIterator<Item = S>,
        has_runs: bool,
    ) -> Self {
        let joints = joints.into_iter().map(|name| name.as_ref().to_owned()).collect();
        Self { numbers, joints, keys: SampleKeys::new(has_runs) }
    }

    /// The run of each sample.
    #[must_use]
    pub fn runs(mut self, runs: impl Into<Vec<i64>>) -> Self {
        self.keys.runs = Some(runs.into());
        self
    }

    /// The frame of each sample.
    #[must_use]
    pub fn frames(mut self, frames: impl Into<Vec<i64>>) -> Self {
        self.keys.frames = Some(frames.into());
        self
    }

    /// The time of each sample, seconds.
    #[must_use]
    pub fn times(mut self, times: impl Into<Vec<f64>>) -> Self {
        self.keys.times = Some(times.into());
        self
    }

    /// The greatest magnitude of each joint of `format` over all samples, radians and metres: of
    /// those that are finite.
    ///
    /// # Errors
    /// The shape does not fit what the array is said to hold, or a name is not that of a joint.
    pub(super) fn greatest(&self, format: &ColumnFormat) -> Result<Vec<f64>> {
        self.check()?;
        let columns = Columns::resolve(Path::new(PLACE), &self.schema(), format)?;
        let Some(JointColumns::Wide(sources)) = columns.joints() else {
            let problem = "its axis is named as the columns of a table that has a row for each joint";
            return Err(Error::input(PLACE, problem, "name the joint of each index of its last axis"));
        };
        let first = self.keys.fields().len();
        let mut is_used = vec![false; self.joints.len()];
        let greatest = sources.iter().map(|source| match source {
            JointSource::Posture(value) => Ok(value.abs()),
            JointSource::Column(column, factor) => {
                let Some(joint) = column.index.checked_sub(first) else {
                    let problem = format!("the joint `{0}` is called as the column `{0}` of samples", column.name);
                    return Err(Error::input(PLACE, problem, "give it another column in [columns]"));
                };
                is_used[joint] = true;
                Ok(self.numbers.greatest(joint) * factor)
            }
        });
        let greatest: Vec<f64> = greatest.collect::<Result<_>>()?;
        match self.joints.iter().zip(is_used).find(|(_, is_used)| !is_used) {
            None => Ok(greatest),
            Some((name, _)) => {
                let known = format.joints.iter().flat_map(|joints| joints.iter()).map(|joint| &*joint.name);
                let remedy = match nearest(name, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "name joints of the scene that have values of their own".to_owned(),
                };
                Err(Error::input(PLACE, format!("`{name}` is no joint"), remedy))
            }
        }
    }

    /// Refuses an array whose shape does not fit what it is said to hold.
    fn check(&self) -> Result<()> {
        let (runs, frames, joints, ..) = self.numbers.dim();
        let lead = if self.keys.has_runs { format!("{runs}, ") } else { String::new() };
        let shape = format!("its shape is ({lead}{frames}, {joints})");
        if joints != self.joints.len() {
            let axis = if self.keys.has_runs { 2 } else { 1 };
            return Err(Error::input(
                PLACE,
                format!("{shape}, but {} joints are named", self.joints.len()),
                format!("name the joint of each index of axis {axis}"),
            ));
        }
        if let Some(unfit) = self.keys.unfit(runs * frames) {
            return Err(Error::input(PLACE, format!("{shape}, but {unfit}"), "give one for each sample"));
        }
        let keys = self.keys.fields();
        let mut seen: HashSet<&str> = keys.iter().map(|field| field.name().as_str()).collect();
        match self.joints.iter().find(|name| !seen.insert(name.as_str())) {
            Some(twice) => {
                Err(Error::input(PLACE, format!("the joint `{twice}` is named twice"), "name each joint once"))
            }
            None => Ok(()),
        }
    }

    fn schema(&self) -> Arc<Schema> {
        let mut fields = self.keys.fields();
        fields.extend(self.joints.iter().map(|name| Field::new(name, DataType::Float64, false)));
        Arc::new(Schema::new(fields))
    }

    /// The rows of the array in batches.
    pub(super) fn chunks(self) -> impl Iterator<Item = Result<StreamBatch>> + Send + use<'a> {
        let (runs, frames, ..) = self.numbers.dim();
        let samples = runs * frames;
        let (schema, name): (_, Arc<str>) = (self.schema(), Arc::from(PLACE));
        let rows = ArrayRows { bodies: Arc::default(), frames: self.keys.has_runs.then_some(frames as u64) };
        (0..samples).step_by(BATCH_ROWS).map(move |first| {
            let batch = self.batch(first..(first + BATCH_ROWS).min(samples), &schema)?;
            Ok(StreamBatch { first_row: first as u64, name: Arc::clone(&name), rows: Some(rows.clone()), batch })
        })
    }

    /// The rows of some samples.
    fn batch(&self, samples: Range<usize>, schema: &Arc<Schema>) -> Result<RecordBatch> {
        let (_, frames, ..) = self.numbers.dim();
        let mut columns = self.keys.columns(samples.clone(), frames, 1);
        columns.extend((0..self.joints.len()).map(|joint| -> ArrayRef {
            let mut values = Vec::with_capacity(samples.len());
            for (run, frames) in SampleKeys::parts(samples.clone(), frames) {
                self.numbers.values(run, frames, joint, &mut values);
            }
            Arc::new(Float64Array::from(values))
        }));
        RecordBatch::try_new(Arc::clone(schema), columns).map_err(|error| Error::internal(PLACE, error))
    }
}
