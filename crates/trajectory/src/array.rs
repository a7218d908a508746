//! Poses from an array of a simulation.

use super::stream_batch::{BATCH_ROWS, StreamBatch};
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::Bounds;
use clearsweep_scene::model::LengthUnit;
use ndarray::{ArrayView3, s};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// Name of the array in messages.
const PLACE: &str = "array of poses";

/// The components along the last axis.
const COMPONENTS: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];

/// Poses in the memory of a simulation: `(sample, body, component)`, the components being x, y, z (in the unit of the
/// scene), qw, qx, qy, qz. The memory is borrowed and may have any strides.
#[derive(Debug, Clone)]
pub struct PoseArray<'a> {
    view: ArrayView3<'a, f64>,
    bodies: Arc<[String]>,
    runs: Option<Vec<i64>>,
    frames: Option<Vec<i64>>,
    times: Option<Vec<f64>>,
}

impl<'a> PoseArray<'a> {
    /// An array whose second axis is that of `bodies`. Samples are the frames 0, 1, 2, ... of run 0 unless they are
    /// given keys.
    pub fn new<S: AsRef<str>>(view: ArrayView3<'a, f64>, bodies: impl IntoIterator<Item = S>) -> Self {
        let bodies = bodies.into_iter().map(|name| name.as_ref().to_owned()).collect();
        Self { view, bodies, runs: None, frames: None, times: None }
    }

    /// The run of each sample.
    #[must_use]
    pub fn runs(self, runs: impl Into<Vec<i64>>) -> Self {
        Self { runs: Some(runs.into()), ..self }
    }

    /// The frame of each sample.
    #[must_use]
    pub fn frames(self, frames: impl Into<Vec<i64>>) -> Self {
        Self { frames: Some(frames.into()), ..self }
    }

    /// The time of each sample, seconds.
    #[must_use]
    pub fn times(self, times: impl Into<Vec<f64>>) -> Self {
        Self { times: Some(times.into()), ..self }
    }

    /// Refuses an array whose shape does not fit what it is said to hold.
    pub(super) fn check(&self) -> Result<()> {
        let (samples, bodies, components) = self.view.dim();
        let wrong = |problem: String, remedy: &str| Err(Error::input(PLACE, problem, remedy));
        let shape = format!("its shape is ({samples}, {bodies}, {components})");
        if components != COMPONENTS.len() {
            return wrong(
                format!("{shape}: {components} components instead of 7"),
                "the last axis holds x, y, z, qw, qx, qy, qz",
            );
        }
        if bodies != self.bodies.len() {
            let named = self.bodies.len();
            return wrong(format!("{shape}, but {named} bodies are named"), "name the body of each index of axis 1");
        }
        let lengths = [
            ("runs", self.runs.as_ref().map(Vec::len)),
            ("frames", self.frames.as_ref().map(Vec::len)),
            ("times", self.times.as_ref().map(Vec::len)),
        ];
        for (what, length) in lengths {
            if let Some(length) = length.filter(|&length| length != samples) {
                return wrong(format!("{shape}, but {length} {what} are given"), "give one for each sample of axis 0");
            }
        }
        let mut seen = HashSet::new();
        match self.bodies.iter().find(|name| !seen.insert(name.as_str())) {
            Some(twice) => wrong(format!("the body `{twice}` is named twice"), "name each body once"),
            None => Ok(()),
        }
    }

    /// Bounds of all finite positions, metres.
    pub(super) fn bounds(&self, unit: LengthUnit) -> Option<Bounds> {
        let mut bounds = Bounds { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };
        for axis in 0..3 {
            for &value in self.view.slice(s![.., .., axis]) {
                let metres = unit.metres(value);
                if metres.is_finite() {
                    bounds.min[axis] = bounds.min[axis].min(metres);
                    bounds.max[axis] = bounds.max[axis].max(metres);
                }
            }
        }
        (0..3).all(|axis| bounds.min[axis] <= bounds.max[axis]).then_some(bounds)
    }

    /// The rows of the array in batches of whole samples.
    pub(super) fn chunks(self) -> impl Iterator<Item = Result<StreamBatch>> + Send + use<'a> {
        let samples = self.view.dim().0;
        let step = (BATCH_ROWS / self.bodies.len().max(1)).max(1);
        let names: ArrayRef = Arc::new(StringArray::from_iter_values(self.bodies.iter()));
        let schema = self.schema();
        let name: Arc<str> = Arc::from(PLACE);
        (0..samples).step_by(step).map(move |first| {
            let batch = self.batch(first..(first + step).min(samples), &schema, &names);
            let batch = batch.map_err(|error| Error::internal(PLACE, error))?;
            let first_row = first as u64 * self.bodies.len() as u64;
            Ok(StreamBatch { first_row, name: Arc::clone(&name), bodies: Some(Arc::clone(&self.bodies)), batch })
        })
    }

    fn schema(&self) -> Arc<Schema> {
        let field = |name: &str, data_type| Field::new(name, data_type, false);
        let mut fields = vec![field("run", DataType::Int64), field("frame", DataType::Int64)];
        if self.times.is_some() {
            fields.push(field("time_s", DataType::Float64));
        }
        fields.push(field("body", DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))));
        fields.extend(COMPONENTS.map(|name| field(name, DataType::Float64)));
        Arc::new(Schema::new(fields))
    }

    /// The rows of some samples.
    fn batch(
        &self,
        samples: Range<usize>,
        schema: &Arc<Schema>,
        names: &ArrayRef,
    ) -> std::result::Result<RecordBatch, ArrowError> {
        let bodies = self.bodies.len();
        let keys = |of: &dyn Fn(usize) -> i64| -> ArrayRef {
            let each = samples.clone().flat_map(|sample| std::iter::repeat_n(of(sample), bodies));
            Arc::new(Int64Array::from_iter_values(each))
        };
        let mut columns = vec![
            keys(&|sample| self.runs.as_ref().map_or(0, |runs| runs[sample])),
            keys(&|sample| self.frames.as_ref().map_or(sample as i64, |frames| frames[sample])),
        ];
        if let Some(times) = &self.times {
            let each = samples.clone().flat_map(|sample| std::iter::repeat_n(times[sample], bodies));
            columns.push(Arc::new(Float64Array::from_iter_values(each)));
        }
        let codes = Int32Array::from_iter_values(samples.clone().flat_map(|_| 0..bodies as i32));
        columns.push(Arc::new(DictionaryArray::try_new(codes, Arc::clone(names))?));
        for component in 0..COMPONENTS.len() {
            let values = self.view.slice(s![samples.clone(), .., component]);
            columns.push(Arc::new(Float64Array::from_iter_values(values.iter().copied())));
        }
        RecordBatch::try_new(Arc::clone(schema), columns)
    }
}
