//! Runs, frames and times of the samples of an array.

use arrow_array::{ArrayRef, Float64Array, Int64Array};
use arrow_schema::{DataType, Field};
use std::ops::Range;
use std::sync::Arc;

/// The keys of the samples of an array. Samples without keys are the frames 0, 1, 2, ... of the
/// runs 0, 1, 2, ...
#[derive(Debug, Clone)]
pub(super) struct SampleKeys {
    /// The run of each sample.
    pub(super) runs: Option<Vec<i64>>,
    /// The frame of each sample.
    pub(super) frames: Option<Vec<i64>>,
    /// The time of each sample, seconds.
    pub(super) times: Option<Vec<f64>>,
    /// Whether the array has an axis of runs.
    pub(super) has_runs: bool,
}

impl SampleKeys {
    /// No keys, of an array that has an axis of runs or not.
    pub(super) fn new(has_runs: bool) -> Self {
        Self { runs: None, frames: None, times: None, has_runs }
    }

    /// Says which keys are not as many as there are samples, if any.
    pub(super) fn unfit(&self, samples: usize) -> Option<String> {
        let lengths = [
            ("runs", self.runs.as_ref().map(Vec::len)),
            ("frames", self.frames.as_ref().map(Vec::len)),
            ("times", self.times.as_ref().map(Vec::len)),
        ];
        let unfit = lengths.into_iter().find_map(|(what, length)| Some((what, length.filter(|&n| n != samples)?)));
        unfit.map(|(what, length)| format!("{length} {what} are given"))
    }

    /// The fields of the keys in batches.
    pub(super) fn fields(&self) -> Vec<Field> {
        let field = |name: &str, data_type| Field::new(name, data_type, false);
        let mut fields = vec![field("run", DataType::Int64), field("frame", DataType::Int64)];
        fields.extend(self.times.as_ref().map(|_| field("time_s", DataType::Float64)));
        fields
    }

    /// The keys of some samples, so many rows each, of an array with so many frames a run.
    pub(super) fn columns(&self, samples: Range<usize>, frames: usize, rows: usize) -> Vec<ArrayRef> {
        let keys = |given: &Option<Vec<i64>>, of: &dyn Fn(usize) -> i64| -> ArrayRef {
            let key = |sample: usize| given.as_ref().map_or_else(|| of(sample), |keys| keys[sample]);
            let each = samples.clone().flat_map(|sample| std::iter::repeat_n(key(sample), rows));
            Arc::new(Int64Array::from_iter_values(each))
        };
        let mut columns = vec![
            keys(&self.runs, &|sample| (sample / frames) as i64),
            keys(&self.frames, &|sample| (sample % frames) as i64),
        ];
        if let Some(times) = &self.times {
            let each = samples.clone().flat_map(|sample| std::iter::repeat_n(times[sample], rows));
            columns.push(Arc::new(Float64Array::from_iter_values(each)));
        }
        columns
    }

    /// Parts of some samples that lie in one run each, of an array with so many frames a run: the
    /// run, and its frames.
    pub(super) fn parts(samples: Range<usize>, frames: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
        let runs = if samples.is_empty() { 0..0 } else { samples.start / frames..(samples.end - 1) / frames + 1 };
        runs.map(move |run| {
            let first = run * frames;
            (run, samples.start.max(first) - first..samples.end.min(first + frames) - first)
        })
    }
}
