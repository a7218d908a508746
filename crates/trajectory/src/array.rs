//! Poses from an array of a simulation.

use super::array_view::{COMPONENTS, NotRigid, PoseLayout, PoseNumbers};
use super::row_label::ArrayRows;
use super::sample_keys::SampleKeys;
use super::stream_batch::{BATCH_ROWS, StreamBatch};
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{Bounds, LengthUnit};
use ndarray::{ArrayView3, Axis};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// Name of the array in messages.
const PLACE: &str = "array of poses";

/// The components along the last axis.
const NAMES: [&str; COMPONENTS] = ["x", "y", "z", "qw", "qx", "qy", "qz"];

/// Poses in the memory of a simulation: `(sample, body, component)`, the components being x, y, z
/// (in the unit of the scene), qw, qx, qy, qz. The memory is borrowed and may have any strides.
#[derive(Debug, Clone)]
pub struct PoseArray<'a> {
    numbers: PoseNumbers<'a>,
    layout: PoseLayout,
    bodies: Arc<[String]>,
    keys: SampleKeys,
}

impl<'a> PoseArray<'a> {
    /// An array whose second axis is that of `bodies`. Samples are the frames 0, 1, 2, ... of run 0
    /// unless they are given keys.
    pub fn new<S: AsRef<str>>(view: ArrayView3<'a, f64>, bodies: impl IntoIterator<Item = S>) -> Self {
        let numbers = PoseNumbers::F64(view.insert_axis(Axis(0)).insert_axis(Axis(4)));
        Self::of_numbers(numbers, PoseLayout::Wxyz, bodies).with_runs(false)
    }

    /// An array with an axis of runs, in another precision or layout. Samples are the frames 0, 1,
    /// 2, ... of the runs 0, 1, 2, ...
    #[doc(hidden)]
    pub fn of_numbers<S: AsRef<str>>(
        numbers: PoseNumbers<'a>,
        layout: PoseLayout,
        bodies: impl IntoIterator<Item = S>,
    ) -> Self {
        let bodies = bodies.into_iter().map(|name| name.as_ref().to_owned()).collect();
        Self { numbers, layout, bodies, keys: SampleKeys::new(true) }
    }

    /// The same array; messages name no run if it `has_runs` not.
    #[doc(hidden)]
    #[must_use]
    pub fn with_runs(mut self, has_runs: bool) -> Self {
        self.keys.has_runs = has_runs;
        self
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

    /// Refuses an array whose shape does not fit what it is said to hold.
    pub(super) fn check(&self) -> Result<()> {
        let (runs, frames, bodies, rows, columns) = self.numbers.dim();
        let wrong = |problem: String, remedy: &str| Err(Error::input(PLACE, problem, remedy));
        let shape = format!("its shape is {}", self.shape());
        if (rows, columns) != self.layout.lengths() {
            let problem = format!("{shape}: {rows} components instead of 7");
            return wrong(problem, "the last axis holds x, y, z, qw, qx, qy, qz");
        }
        if bodies != self.bodies.len() {
            let named = self.bodies.len();
            let axis = if self.keys.has_runs { 2 } else { 1 };
            return wrong(
                format!("{shape}, but {named} bodies are named"),
                &format!("name the body of each index of axis {axis}"),
            );
        }
        if let Some(unfit) = self.keys.unfit(runs * frames) {
            return wrong(format!("{shape}, but {unfit}"), "give one for each sample of axis 0");
        }
        let mut seen = HashSet::new();
        match self.bodies.iter().find(|name| !seen.insert(name.as_str())) {
            Some(twice) => wrong(format!("the body `{twice}` is named twice"), "name each body once"),
            None => Ok(()),
        }
    }

    /// The shape as the caller gave it.
    fn shape(&self) -> String {
        let (runs, frames, bodies, rows, columns) = self.numbers.dim();
        let runs = if self.keys.has_runs { format!("{runs}, ") } else { String::new() };
        let columns = if self.layout == PoseLayout::Matrix { format!(", {columns}") } else { String::new() };
        format!("({runs}{frames}, {bodies}, {rows}{columns})")
    }

    /// Bounds of all finite positions, metres.
    pub(super) fn bounds(&self, unit: LengthUnit) -> Option<Bounds> {
        let mut bounds = Bounds { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };
        self.numbers.positions(self.layout, &mut |axis, value| {
            let metres = unit.metres(value);
            if metres.is_finite() {
                bounds.min[axis] = bounds.min[axis].min(metres);
                bounds.max[axis] = bounds.max[axis].max(metres);
            }
        });
        (0..3).all(|axis| bounds.min[axis] <= bounds.max[axis]).then_some(bounds)
    }

    /// The rows of the array in batches of whole samples.
    pub(super) fn chunks(self) -> impl Iterator<Item = Result<StreamBatch>> + Send + use<'a> {
        let (runs, frames, ..) = self.numbers.dim();
        let samples = runs * frames;
        let step = (BATCH_ROWS / self.bodies.len().max(1)).max(1);
        let names: ArrayRef = Arc::new(StringArray::from_iter_values(self.bodies.iter()));
        let schema = self.schema();
        let name: Arc<str> = Arc::from(PLACE);
        let rows = ArrayRows { bodies: Arc::clone(&self.bodies), frames: self.keys.has_runs.then_some(frames as u64) };
        (0..samples).step_by(step).map(move |first| {
            let batch = self.batch(first..(first + step).min(samples), &schema, &names)?;
            let first_row = first as u64 * self.bodies.len() as u64;
            Ok(StreamBatch { first_row, name: Arc::clone(&name), rows: Some(rows.clone()), batch })
        })
    }

    fn schema(&self) -> Arc<Schema> {
        let field = |name: &str, data_type| Field::new(name, data_type, false);
        let mut fields = self.keys.fields();
        fields.push(field("body", DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))));
        fields.extend(NAMES.map(|name| field(name, DataType::Float64)));
        Arc::new(Schema::new(fields))
    }

    /// The rows of some samples.
    fn batch(&self, samples: Range<usize>, schema: &Arc<Schema>, names: &ArrayRef) -> Result<RecordBatch> {
        let bodies = self.bodies.len();
        let (_, frames, ..) = self.numbers.dim();
        let mut columns = self.keys.columns(samples.clone(), frames, bodies);
        let internal = |error| Error::internal(PLACE, error);
        let codes = Int32Array::from_iter_values(samples.clone().flat_map(|_| 0..bodies as i32));
        columns.push(Arc::new(DictionaryArray::try_new(codes, Arc::clone(names)).map_err(internal)?));
        let poses = self.components(samples)?;
        columns.extend(poses.map(|values| -> ArrayRef { Arc::new(Float64Array::from(values)) }));
        RecordBatch::try_new(Arc::clone(schema), columns).map_err(internal)
    }

    /// The components of all bodies in some samples, in the order of trajectories.
    fn components(&self, samples: Range<usize>) -> Result<[Vec<f64>; COMPONENTS]> {
        let (_, frames, ..) = self.numbers.dim();
        let mut columns = [(); COMPONENTS].map(|()| Vec::with_capacity(samples.len() * self.bodies.len()));
        for (run, within) in SampleKeys::parts(samples, frames) {
            let read = self.numbers.read(self.layout, run, within.clone(), &mut columns);
            read.map_err(|NotRigid { frame, body, problem }| {
                let run = if self.keys.has_runs { format!("run {run}, ") } else { String::new() };
                let place =
                    format!("{PLACE}, {run}frame {} (from 0), body `{}`", within.start + frame, self.bodies[body]);
                Error::input(place, problem, "give rigid transforms: a rotation and a position, last row 0, 0, 0, 1")
            })?;
        }
        Ok(columns)
    }

    /// All poses in order of run, frame, body: x, y, z in the unit of the array, qw, qx, qy, qz.
    ///
    /// # Errors
    /// The shape does not fit, or a matrix is no rigid transform.
    #[doc(hidden)]
    pub fn to_components(&self) -> Result<[Vec<f64>; COMPONENTS]> {
        self.check()?;
        let (runs, frames, ..) = self.numbers.dim();
        self.components(0..runs * frames)
    }
}
