//! Numbers of an array of poses (double or single precision, as positions with quaternions or as
//! matrices) or of joint values.

use clearsweep_geometry::angles::from_rotation;
use ndarray::{ArrayView5, Axis, s};
use std::ops::Range;

/// Components of a pose in the order of trajectories: x, y, z, qw, qx, qy, qz.
pub(super) const COMPONENTS: usize = 7;

/// Largest deviation of a rotation matrix times its transpose from the identity, and of its last
/// row from 0, 0, 0, 1.
const RIGID_TOLERANCE: f64 = 1e-5;

/// The numbers of an array of poses, `(run, frame, body, row, column)`; a pose is a row vector of 7
/// as `(7, 1)`, or a matrix `(4, 4)`. Joint values are `(run, frame, joint, 1, 1)`.
#[derive(Debug, Clone)]
pub enum PoseNumbers<'a> {
    /// Double precision.
    F64(ArrayView5<'a, f64>),
    /// Single precision; each number is widened when it is read.
    F32(ArrayView5<'a, f32>),
}

/// The meaning of the last axes of [`PoseNumbers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoseLayout {
    /// x, y, z, qw, qx, qy, qz.
    Wxyz,
    /// x, y, z, qx, qy, qz, qw.
    Xyzw,
    /// A rigid transform: rotation and position, last row 0, 0, 0, 1.
    Matrix,
}

impl PoseLayout {
    /// Length of the last two axes.
    pub(super) fn lengths(self) -> (usize, usize) {
        if self == Self::Matrix { (4, 4) } else { (COMPONENTS, 1) }
    }

    /// Places of x, y, z, qw, qx, qy, qz.
    fn order(self) -> [usize; COMPONENTS] {
        if self == Self::Xyzw { [0, 1, 2, 6, 3, 4, 5] } else { [0, 1, 2, 3, 4, 5, 6] }
    }
}

/// A matrix that is no rigid transform: its place, counted from the first frame asked for, and what
/// is wrong.
pub(super) struct NotRigid {
    pub(super) frame: usize,
    pub(super) body: usize,
    pub(super) problem: String,
}

impl PoseNumbers<'_> {
    /// Runs, frames, bodies, and the lengths of the last two axes.
    pub(super) fn dim(&self) -> (usize, usize, usize, usize, usize) {
        match self {
            Self::F64(view) => view.dim(),
            Self::F32(view) => view.dim(),
        }
    }

    /// Appends the components of all bodies in some frames of a run to `columns`.
    ///
    /// # Errors
    /// The first matrix that is no rigid transform.
    pub(super) fn read(
        &self,
        layout: PoseLayout,
        run: usize,
        frames: Range<usize>,
        columns: &mut [Vec<f64>; COMPONENTS],
    ) -> Result<(), NotRigid> {
        match self {
            Self::F64(view) => read(view, layout, run, frames, columns),
            Self::F32(view) => read(view, layout, run, frames, columns),
        }
    }

    /// Calls `take` with each position component: the axis, and the number.
    pub(super) fn positions(&self, layout: PoseLayout, take: &mut dyn FnMut(usize, f64)) {
        match self {
            Self::F64(view) => positions(view, layout, take),
            Self::F32(view) => positions(view, layout, take),
        }
    }

    /// Appends the values of a joint in some frames of a run.
    pub(super) fn values(&self, run: usize, frames: Range<usize>, joint: usize, to: &mut Vec<f64>) {
        match self {
            Self::F64(view) => to.extend(view.slice(s![run, frames, joint, 0, 0])),
            Self::F32(view) => to.extend(view.slice(s![run, frames, joint, 0, 0]).iter().copied().map(f64::from)),
        }
    }

    /// The greatest magnitude among the finite values of a joint; 0 if there is none.
    pub(super) fn greatest(&self, joint: usize) -> f64 {
        fn of(values: impl Iterator<Item = f64>) -> f64 {
            values.map(f64::abs).filter(|value| value.is_finite()).fold(0.0, f64::max)
        }
        match self {
            Self::F64(view) => of(view.slice(s![.., .., joint, 0, 0]).iter().copied()),
            Self::F32(view) => of(view.slice(s![.., .., joint, 0, 0]).iter().copied().map(f64::from)),
        }
    }
}

fn read<T: Copy + Into<f64>>(
    view: &ArrayView5<'_, T>,
    layout: PoseLayout,
    run: usize,
    frames: Range<usize>,
    columns: &mut [Vec<f64>; COMPONENTS],
) -> Result<(), NotRigid> {
    let view = view.slice(s![run, frames, .., .., ..]);
    if layout != PoseLayout::Matrix {
        for (column, place) in columns.iter_mut().zip(layout.order()) {
            column.extend(view.slice(s![.., .., place, 0]).iter().map(|&value| value.into()));
        }
        return Ok(());
    }
    for (frame, bodies) in view.axis_iter(Axis(0)).enumerate() {
        for (body, matrix) in bodies.axis_iter(Axis(0)).enumerate() {
            let m: [[f64; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| matrix[[i, j]].into()));
            let pose = pose_of_matrix(&m).map_err(|problem| NotRigid { frame, body, problem })?;
            columns.iter_mut().zip(pose).for_each(|(column, value)| column.push(value));
        }
    }
    Ok(())
}

fn positions<T: Copy + Into<f64>>(view: &ArrayView5<'_, T>, layout: PoseLayout, take: &mut dyn FnMut(usize, f64)) {
    for axis in 0..3 {
        let (row, column) = if layout == PoseLayout::Matrix { (axis, 3) } else { (axis, 0) };
        view.slice(s![.., .., .., row, column]).iter().for_each(|&value| take(axis, value.into()));
    }
}

/// Returns position and unit quaternion of a rigid transform, or what is wrong with it.
fn pose_of_matrix(m: &[[f64; 4]; 4]) -> Result<[f64; COMPONENTS], String> {
    let r: [[f64; 3]; 3] = std::array::from_fn(|i| [m[i][0], m[i][1], m[i][2]]);
    let mut deviation = 0.0_f64;
    for i in 0..3 {
        for j in 0..3 {
            let product = (0..3).map(|k| r[i][k] * r[j][k]).sum::<f64>();
            deviation = worse(deviation, (product - f64::from(u8::from(i == j))).abs());
        }
    }
    let last = [0.0, 0.0, 0.0, 1.0].iter().zip(&m[3]).map(|(wanted, found)| (wanted - found).abs()).fold(0.0, worse);
    if last.is_nan() || last > RIGID_TOLERANCE {
        return Err(format!("the last row of the matrix is off 0, 0, 0, 1 by {last:.3e}"));
    }
    if deviation.is_nan() || deviation > RIGID_TOLERANCE {
        return Err(format!(
            "the matrix is no rotation: its rows are off unit length or right angles by {deviation:.3e}"
        ));
    }
    let cross =
        |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
    if cross(r[0], r[1]).iter().zip(r[2]).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
        return Err("the matrix mirrors: its determinant is -1".to_owned());
    }
    let [qw, qx, qy, qz] = from_rotation(r);
    Ok([m[0][3], m[1][3], m[2][3], qw, qx, qy, qz])
}

/// The larger number; NaN is larger than every other.
fn worse(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array5;

    #[test]
    fn matrices_that_are_not_rigid_are_refused() {
        let identity = [[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0], [0.0, 0.0, 0.0, 1.0]];
        assert_eq!(pose_of_matrix(&identity), Ok([5.0, 6.0, 7.0, 1.0, 0.0, 0.0, 0.0]));
        let changed = |i: usize, j: usize, value: f64| {
            let mut m = identity;
            m[i][j] = value;
            pose_of_matrix(&m).expect_err("not rigid")
        };
        assert!(changed(0, 0, 1.01).contains("2.010e-2"), "{}", changed(0, 0, 1.01));
        assert!(changed(1, 2, 0.001).contains("no rotation"));
        assert!(changed(2, 2, -1.0).contains("mirrors"));
        assert!(changed(3, 0, 0.1).contains("last row"));
        assert!(changed(0, 0, f64::NAN).contains("NaN"));
    }

    #[test]
    fn orders_and_strides_are_read_in_place() {
        let numbers =
            Array5::from_shape_fn((2, 3, 2, 7, 1), |(r, f, b, c, _)| (1000 * r + 100 * f + 10 * b + c) as f64);
        let mut columns = [const { Vec::new() }; COMPONENTS];
        let mut view = numbers.view();
        view.invert_axis(Axis(1));
        assert!(PoseNumbers::F64(view).read(PoseLayout::Xyzw, 1, 0..2, &mut columns).is_ok());
        assert_eq!(columns[0], [1200.0, 1210.0, 1100.0, 1110.0]);
        assert_eq!(columns[3], [1206.0, 1216.0, 1106.0, 1116.0]);
        assert_eq!(columns[4], [1203.0, 1213.0, 1103.0, 1113.0]);
    }
}
