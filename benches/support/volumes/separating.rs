//! Oriented boxes, compared along the fifteen axes of two boxes: the widest gap (Gottschalk, Lin,
//! Manocha 1996).

use super::tree::{Corners, Motion, SINGLE, Volumes, ends, principal_axes};
use clearsweep_geometry::Vec3;

/// Middles, unit axes and half sides.
pub(crate) struct Stored<const W: usize> {
    centers: [[f32; W]; 3],
    axes: [[[f32; W]; 3]; 3],
    halves: [[f32; W]; 3],
}

/// The same in A's frame.
pub(crate) struct Placed<const W: usize> {
    centers: [[f64; W]; 3],
    axes: [[[f64; W]; 3]; 3],
    halves: [[f64; W]; 3],
}

/// Share of a gap that counts, at most, along axes in single precision.
const SHARE: f64 = 1.0 - 2.0 * SINGLE;

/// Squares of sines of angles between sides below which their cross product is left out.
const PARALLEL2: f64 = 1e-2;

/// Rounding of a triple product over such a sine, by axes in single precision, which are at right
/// angles but for rounding. Unit: the lengths of the boxes and of the way between them.
const ROUNDING: f64 = 20.0 * SINGLE;

/// See above.
pub(crate) struct SeparatingAxes;

impl<const W: usize> Volumes<W> for SeparatingAxes {
    const NAME: &'static str = "oriented boxes, 15 axes";
    const TURNS: bool = false;
    type Stored = Stored<W>;
    type Placed = Placed<W>;
    type View = Motion;

    fn store(children: &[&[Corners]]) -> Stored<W> {
        let mut to = Stored { centers: [[0.0; W]; 3], axes: [[[0.0; W]; 3]; 3], halves: [[0.0; W]; 3] };
        for (lane, triangles) in children.iter().enumerate() {
            let axes = principal_axes(triangles);
            let (low, high) = ends(triangles.iter().flatten().copied(), &axes);
            let center = (0..3).fold(Vec3::ZERO, |sum, k| sum + axes[k] * (0.5 * (low[k] + high[k])));
            let halves = [0, 1, 2].map(|k: usize| 0.5 * (high[k] - low[k]));
            let slack = 2.0 * SINGLE * (halves.iter().sum::<f64>() + center.length() * 2.0);
            for k in 0..3 {
                to.centers[k][lane] = center[k] as f32;
                to.halves[k][lane] = (halves[k] + slack) as f32;
                for axis in 0..3 {
                    to.axes[axis][k][lane] = axes[axis][k] as f32;
                }
            }
        }
        to
    }

    fn view(motion: &Motion, _: &[Vec3<f64>; 3]) -> Motion {
        *motion
    }

    #[inline(always)]
    fn place(stored: &Stored<W>, view: &Motion) -> Placed<W> {
        Placed {
            centers: view.turn_all(&stored.centers, true),
            axes: [0, 1, 2].map(|k: usize| view.turn_all(&stored.axes[k], false)),
            halves: stored.halves.map(|h| h.map(f64::from)),
        }
    }

    #[inline(always)]
    fn row(one: &Placed<W>, lane: usize, all: &Placed<W>, to: &mut [f64; W]) {
        let at = |of: &[[f64; W]; 3]| [of[0][lane], of[1][lane], of[2][lane]];
        let (center, half) = (at(&one.centers), at(&one.halves));
        let axes = [at(&one.axes[0]), at(&one.axes[1]), at(&one.axes[2])];
        let larger = |x: f64, y: f64| if x > y { x } else { y };
        let mut widest = [0.0; W];
        for j in 0..W {
            let between = [0, 1, 2].map(|k: usize| all.centers[k][j] - center[k]);
            let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
            let other = [0, 1, 2].map(|i: usize| [0, 1, 2].map(|k: usize| all.axes[i][k][j]));
            let size = [0, 1, 2].map(|k: usize| all.halves[k][j]);
            let mut most = 0.0;
            let c = [0, 1, 2].map(|i: usize| [0, 1, 2].map(|k: usize| dot(axes[i], other[k])));
            let ta = [0, 1, 2].map(|i: usize| dot(between, axes[i]));
            let tb = [0, 1, 2].map(|i: usize| dot(between, other[i]));
            for i in 0..3 {
                let reach = size[0] * c[i][0].abs() + size[1] * c[i][1].abs() + size[2] * c[i][2].abs();
                most = larger(most, ta[i].abs() - half[i] - reach);
                let reach = half[0] * c[0][i].abs() + half[1] * c[1][i].abs() + half[2] * c[2][i].abs();
                most = larger(most, tb[i].abs() - size[i] - reach);
            }
            let lengths = |of: [f64; 3]| of[0].abs() + of[1].abs() + of[2].abs();
            let slack = ROUNDING * (lengths(ta) + lengths(half) + lengths(size));
            for i in 0..3 {
                let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
                for k in 0..3 {
                    let (k1, k2) = ((k + 1) % 3, (k + 2) % 3);
                    // The cross product of axis i of one and axis k of the other, by triple
                    // products.
                    let along = ta[i2] * c[i1][k] - ta[i1] * c[i2][k];
                    let reach = half[i1] * c[i2][k].abs()
                        + half[i2] * c[i1][k].abs()
                        + size[k1] * c[i][k2].abs()
                        + size[k2] * c[i][k1].abs();
                    let length2 = 1.0 - c[i][k] * c[i][k];
                    let gap = (along.abs() - reach - slack)
                        / if length2 > PARALLEL2 { length2.sqrt() } else { f64::INFINITY };
                    most = larger(most, gap);
                }
            }
            widest[j] = most * SHARE;
        }
        for j in 0..W {
            to[j] = widest[j] * widest[j];
        }
    }
}
