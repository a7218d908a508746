//! Poses of a job: files, Arrow data, Python iterators of Arrow data, or arrays.

use crate::arrow::{Reader, import};
use crate::buffer::HeldArray;
use crate::error::raised;
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use clearsweep::{Bounds, Error, JointArray, PoseArray, PoseSource};
use clearsweep_scene::TrajectoryColumns;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Bytes of a stream that are kept to find the bounds of its positions, unless they are given.
const KEPT: usize = 64 << 20;

/// The item `columns` of what is said about poses: the names of their columns, as (key of
/// `[columns]`, name, unit).
pub(crate) fn columns(about: &Bound<'_, PyDict>) -> PyResult<Option<TrajectoryColumns>> {
    let Some(named) = about.get_item("columns")?.filter(|named| !named.is_none()) else { return Ok(None) };
    let named: Vec<(String, String, Option<String>)> = named.extract()?;
    let named = named.iter().map(|(key, name, unit)| (key.as_str(), name.as_str(), unit.as_deref()));
    TrajectoryColumns::of(named).map(Some).map_err(|error| raised(about.py(), error))
}

/// Poses that outlive the call of Python.
pub(crate) enum Poses {
    /// Those that the scene names.
    OfScene,
    Path(PathBuf),
    Stream(Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>, Option<Bounds>),
    Array {
        array: HeldArray,
        bodies: Vec<String>,
        times: Option<Vec<f64>>,
    },
    /// Values of joints.
    JointArray {
        array: HeldArray,
        joints: Vec<String>,
        times: Option<Vec<f64>>,
    },
}

impl Poses {
    /// Takes poses, and a dict of what is said about them: `bodies`, `joints`, `order`, `times`,
    /// `bounds`, `columns`.
    pub(crate) fn new(poses: &Bound<'_, PyAny>, about: &Bound<'_, PyDict>) -> PyResult<Self> {
        let py = poses.py();
        let item = |key: &str| Ok::<_, PyErr>(about.get_item(key)?.filter(|item| !item.is_none()));
        let bounds = item("bounds")?.map(|bounds| bounds.extract::<[[f64; 3]; 2]>()).transpose()?;
        let bounds = bounds.map(|[min, max]| Bounds { min, max });
        let unfit = |key: &str| {
            let problem = format!("`{key}` belongs to another kind of poses");
            let help = "`bodies` and `order` belong to arrays of poses, `joints` to arrays of joint values, `times` to both, `bounds` to streams, `columns` to files, streams and joint values";
            Err(raised(py, Error::usage("poses", problem, help)))
        };
        let made = if poses.is_none() {
            Self::OfScene
        } else if let Ok(path) = poses.extract::<PathBuf>() {
            Self::Path(path)
        } else if let Some(reader) = import(poses)? {
            Self::Stream(reader, bounds)
        } else if let Ok(batches) = poses.call_method0("__next_batch_iterator__") {
            Self::Stream(Box::new(PythonBatches { batches: batches.unbind(), current: None }), bounds)
        } else if let Some(joints) = item("joints")? {
            let times = item("times")?.map(|times| times.extract()).transpose()?;
            Self::JointArray { array: HeldArray::of_joints(poses)?, joints: joints.extract()?, times }
        } else {
            let array =
                HeldArray::new(poses, item("order")?.map(|order| order.extract::<String>()).transpose()?.as_deref())?;
            let Some(bodies) = item("bodies")? else {
                let help = "give `bodies=[...]`, the name of each index of the axis of bodies, or `joints=[...]` if it holds joint values";
                return Err(raised(
                    py,
                    Error::usage("bodies", "an array of poses comes without names of bodies", help),
                ));
            };
            let times = item("times")?.map(|times| times.extract()).transpose()?;
            Self::Array { array, bodies: bodies.extract()?, times }
        };
        for key in ["bodies", "joints", "order", "times", "bounds", "columns"] {
            let fits = match &made {
                Self::Array { .. } => ["bodies", "order", "times"].contains(&key),
                Self::JointArray { .. } => ["joints", "times", "columns"].contains(&key),
                Self::Stream(..) => ["bounds", "columns"].contains(&key),
                Self::OfScene | Self::Path(_) => key == "columns",
            };
            if !fits && item(key)?.is_some() {
                return unfit(key);
            }
        }
        Ok(made)
    }

    /// The source for a job, and the path of files.
    pub(crate) fn source(&mut self) -> (PoseSource<'_>, Option<PathBuf>) {
        match self {
            Self::OfScene => (PoseSource::files(), None),
            Self::Path(path) => (PoseSource::files(), Some(path.clone())),
            Self::Stream(batches, bounds) => {
                let source = PoseSource::fallible_batches(batches);
                let source = match bounds {
                    Some(bounds) => source.bounded(*bounds),
                    None => source.keeping(KEPT),
                };
                (source, None)
            }
            Self::Array { array, bodies, times } => {
                let poses = PoseArray::of_numbers(array.numbers(), array.layout, &*bodies).with_runs(array.has_runs);
                let poses = match times {
                    Some(times) => poses.times(array.times(times)),
                    None => poses,
                };
                (PoseSource::array(poses), None)
            }
            Self::JointArray { array, joints, times } => {
                let values = JointArray::of_numbers(array.numbers(), &*joints, array.has_runs);
                let values = match times {
                    Some(times) => values.times(array.times(times)),
                    None => values,
                };
                (PoseSource::joint_array(values), None)
            }
        }
    }
}

/// Batches of a Python iterator, whose items hold Arrow data.
struct PythonBatches {
    batches: Py<PyAny>,
    current: Option<Reader>,
}

impl Iterator for PythonBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.current.as_mut().and_then(Iterator::next) {
                return Some(batch);
            }
            match self.advance() {
                Ok(Some(reader)) => self.current = Some(reader),
                Ok(None) => return None,
                Err(error) => return Some(Err(ArrowError::ExternalError(Box::new(error)))),
            }
        }
    }
}

impl PythonBatches {
    fn advance(&mut self) -> PyResult<Option<Reader>> {
        self.current = None;
        Python::attach(|py| match self.batches.bind(py).try_iter()?.next() {
            None => Ok(None),
            Some(item) => {
                Ok(Some(import(&item?)?.ok_or_else(|| {
                    pyo3::exceptions::PyTypeError::new_err("an iterator of poses gives no Arrow data")
                })?))
            }
        })
    }
}
