//! Arrays of poses or of joint values through the buffer protocol, read in place.
#![allow(unsafe_code, reason = "a view borrows the memory of the exporter, which the buffer keeps alive and in place")]

use crate::error::raised;
use clearsweep::Error;
use clearsweep_trajectory::{PoseLayout, PoseNumbers};
use ndarray::{ArrayView5, Axis, ShapeBuilder};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::prelude::*;

const PLACE: &str = "array of poses";
const SHAPES: &str =
    "give (frames, bodies, 7), (runs, frames, bodies, 7), (frames, bodies, 4, 4) or (runs, frames, bodies, 4, 4)";

/// An array of poses or of joint values that stays where it is until this value is dropped.
pub(crate) struct HeldArray {
    numbers: HeldNumbers,
    /// That of poses.
    pub(crate) layout: PoseLayout,
    /// Whether the array has an axis of runs.
    pub(crate) has_runs: bool,
    /// Runs, frames, bodies or joints, and the lengths of the last two axes: 1 of joint values.
    dim: [usize; 5],
}

enum HeldNumbers {
    F64(PyBuffer<f64>),
    F32(PyBuffer<f32>),
    /// A copy without gaps, of a layout that has no strides in whole numbers.
    Copy(Vec<f64>),
}

impl HeldNumbers {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        Ok(if let Ok(buffer) = PyBuffer::<f64>::get(object) {
            if has_whole_strides(&buffer) { Self::F64(buffer) } else { Self::Copy(buffer.to_vec(py)?) }
        } else if let Ok(buffer) = PyBuffer::<f32>::get(object) {
            match has_whole_strides(&buffer) {
                true => Self::F32(buffer),
                false => Self::Copy(buffer.to_vec(py)?.into_iter().map(f64::from).collect()),
            }
        } else {
            let problem = format!(
                "an object of type {} is neither an array of float64 or float32 nor Arrow data",
                object.get_type().name()?
            );
            return Err(raised(
                py,
                Error::input("poses", problem, "give a path, an array, or a table or stream of Arrow data"),
            ));
        })
    }
}

impl HeldArray {
    /// Takes an array of `float64` or `float32`. `outer`: which axes are before the pose; `order`:
    /// of the components of a pose.
    pub(crate) fn new(object: &Bound<'_, PyAny>, order: Option<&str>) -> PyResult<Self> {
        let py = object.py();
        let numbers = HeldNumbers::new(object)?;
        let shape: Vec<usize> = object.getattr("shape")?.extract()?;
        let wrong = |problem: String| raised(py, Error::input(PLACE, problem, SHAPES));
        let is_matrix = shape.len() >= 4 && shape.ends_with(&[4, 4]);
        let (outer, inner) = shape.split_at(shape.len().saturating_sub(if is_matrix { 2 } else { 1 }));
        let (runs, frames, bodies) = match *outer {
            [frames, bodies] => (1, frames, bodies),
            [runs, frames, bodies] => (runs, frames, bodies),
            _ => return Err(wrong(format!("its shape {shape:?} has {} axes", shape.len()))),
        };
        let layout = match (order, is_matrix) {
            (None, true) => PoseLayout::Matrix,
            (None | Some("xyz_wxyz"), false) => PoseLayout::Wxyz,
            (Some("xyz_xyzw"), false) => PoseLayout::Xyzw,
            (Some(_), true) => return Err(wrong("matrices have no order of components: leave `order` out".to_owned())),
            (Some(other), false) => {
                let help = "give \"xyz_wxyz\" or \"xyz_xyzw\"";
                return Err(raised(py, Error::usage("order", format!("`{other}` is no order of components"), help)));
            }
        };
        let last = inner.first().copied().unwrap_or(0);
        let dim = [runs, frames, bodies, last, if is_matrix { 4 } else { 1 }];
        Ok(Self { numbers, layout, has_runs: outer.len() == 3, dim })
    }

    /// Takes an array of joint values, of `float64` or `float32`.
    pub(crate) fn of_joints(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let numbers = HeldNumbers::new(object)?;
        let shape: Vec<usize> = object.getattr("shape")?.extract()?;
        let (runs, frames, joints) = match *shape {
            [frames, joints] => (1, frames, joints),
            [runs, frames, joints] => (runs, frames, joints),
            _ => {
                let problem = format!("its shape {shape:?} has {} axes", shape.len());
                let help = "give (frames, joints) or (runs, frames, joints)";
                return Err(raised(object.py(), Error::input("array of joint values", problem, help)));
            }
        };
        let dim = [runs, frames, joints, 1, 1];
        Ok(Self { numbers, layout: PoseLayout::Wxyz, has_runs: shape.len() == 3, dim })
    }

    /// The time of each sample; the times of one run hold for all.
    pub(crate) fn times(&self, times: &[f64]) -> Vec<f64> {
        times.repeat(if times.len() == self.dim[1] { self.dim[0] } else { 1 })
    }

    /// Number of bodies.
    pub(crate) fn bodies(&self) -> usize {
        self.dim[2]
    }

    /// The numbers where they lie.
    pub(crate) fn numbers(&self) -> PoseNumbers<'_> {
        match &self.numbers {
            HeldNumbers::F64(buffer) => PoseNumbers::F64(self.view(buffer)),
            HeldNumbers::F32(buffer) => PoseNumbers::F32(self.view(buffer)),
            HeldNumbers::Copy(values) => {
                // SAFETY: the vector holds as many numbers as the shape says, without gaps.
                PoseNumbers::F64(unsafe { ArrayView5::from_shape_ptr(self.dim, values.as_ptr()) })
            }
        }
    }

    fn view<T: Element>(&self, buffer: &PyBuffer<T>) -> ArrayView5<'_, T> {
        let size = size_of::<T>() as isize;
        let given: Vec<isize> = buffer.strides().iter().map(|bytes| bytes / size).collect();
        let mut strides = [0_isize; 5];
        let first = usize::from(!self.has_runs);
        strides[first..first + given.len()].copy_from_slice(&given);
        let mut start = buffer.buf_ptr().cast::<T>().cast_const();
        let mut backward = Vec::new();
        for axis in 0..5 {
            if strides[axis] < 0 && self.dim[axis] > 0 {
                // SAFETY: this is the address of the last item along the axis, which the exporter
                // holds.
                start = unsafe { start.offset(strides[axis] * (self.dim[axis] as isize - 1)) };
                backward.push(axis);
            }
        }
        let steps = strides.map(isize::unsigned_abs);
        if self.dim.contains(&0) {
            start = std::ptr::NonNull::dangling().as_ptr();
        }
        // SAFETY: every index within the shape is an aligned number that the exporter keeps in
        // place while the buffer is held.
        let mut view = unsafe { ArrayView5::from_shape_ptr(self.dim.strides(steps), start) };
        backward.into_iter().for_each(|axis| view.invert_axis(Axis(axis)));
        view
    }
}

/// Whether all steps between numbers are whole multiples of their size, at aligned addresses.
fn has_whole_strides<T: Element>(buffer: &PyBuffer<T>) -> bool {
    let is_aligned = buffer.buf_ptr().cast::<T>().is_aligned();
    is_aligned
        && buffer.suboffsets().is_none()
        && buffer.strides().iter().all(|bytes| bytes % size_of::<T>() as isize == 0)
}
