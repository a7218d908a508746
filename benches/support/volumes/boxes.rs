//! Boxes, compared by their projections to three axes: those of the search, or of A's frame.

use super::tree::{Corners, Motion, SINGLE, Volumes, ends, principal_axes};
use clearsweep_geometry::Vec3;

/// Middle and half sides as vectors.
pub(crate) struct Oriented<const W: usize> {
    centers: [[f32; W]; 3],
    halves: [[[f32; W]; 3]; 3],
}

/// Middle and half sides along the axes of the body.
pub(crate) struct Aligned<const W: usize> {
    centers: [[f32; W]; 3],
    halves: [[f32; W]; 3],
}

/// By axis.
pub(crate) struct Intervals<const W: usize> {
    low: [[f64; W]; 3],
    high: [[f64; W]; 3],
}

/// Three axes as directions in a body's frame, and by how much coordinates are shifted.
pub(crate) struct AxesView {
    axes: [Vec3<f64>; 3],
    shift: [f64; 3],
}

impl AxesView {
    fn new(motion: &Motion, axes: &[Vec3<f64>; 3]) -> Self {
        Self { axes: axes.map(|f| motion.back(f)), shift: axes.map(|f| f.dot(motion.t)) }
    }
}

#[inline(always)]
fn row<const W: usize>(one: &Intervals<W>, lane: usize, all: &Intervals<W>, to: &mut [f64; W]) {
    let mut sum = [0.0; W];
    for k in 0..3 {
        let (low, high) = (one.low[k][lane], one.high[k][lane]);
        for j in 0..W {
            let (after, before) = (all.low[k][j] - high, low - all.high[k][j]);
            let gap = if after > before { after } else { before };
            let gap = if gap > 0.0 { gap } else { 0.0 };
            sum[j] += gap * gap;
        }
    }
    *to = sum;
}

/// Oriented boxes (Gottschalk, Lin, Manocha 1996) along the axes of the search, the first of which
/// is the normal of the best pair.
pub(crate) struct OrientedBoxes;

impl<const W: usize> Volumes<W> for OrientedBoxes {
    const NAME: &'static str = "oriented boxes, axes of the contact";
    const TURNS: bool = true;
    type Stored = Oriented<W>;
    type Placed = Intervals<W>;
    type View = AxesView;

    fn store(children: &[&[Corners]]) -> Oriented<W> {
        let mut to = Oriented { centers: [[0.0; W]; 3], halves: [[[0.0; W]; 3]; 3] };
        for (lane, triangles) in children.iter().enumerate() {
            let axes = principal_axes(triangles);
            let (low, high) = ends(triangles.iter().flatten().copied(), &axes);
            let center = (0..3).fold(Vec3::ZERO, |sum, k| sum + axes[k] * (0.5 * (low[k] + high[k])));
            let halves = [0, 1, 2].map(|k: usize| 0.5 * (high[k] - low[k]));
            let slack = SINGLE * (halves.iter().sum::<f64>() + center.length() * 2.0);
            for k in 0..3 {
                to.centers[k][lane] = center[k] as f32;
                for axis in 0..3 {
                    to.halves[axis][k][lane] = (axes[axis][k] * (halves[axis] + slack)) as f32;
                }
            }
        }
        to
    }

    fn view(motion: &Motion, axes: &[Vec3<f64>; 3]) -> AxesView {
        AxesView::new(motion, axes)
    }

    #[inline(always)]
    fn place(stored: &Oriented<W>, view: &AxesView) -> Intervals<W> {
        let mut to = Intervals { low: [[0.0; W]; 3], high: [[0.0; W]; 3] };
        for k in 0..3 {
            let (f, shift) = (view.axes[k], view.shift[k]);
            for j in 0..W {
                let along = |of: &[[f32; W]; 3]| {
                    f64::from(of[0][j]) * f.x + f64::from(of[1][j]) * f.y + f64::from(of[2][j]) * f.z
                };
                let center = along(&stored.centers) + shift;
                let reach =
                    along(&stored.halves[0]).abs() + along(&stored.halves[1]).abs() + along(&stored.halves[2]).abs();
                (to.low[k][j], to.high[k][j]) = (center - reach, center + reach);
            }
        }
        to
    }

    #[inline(always)]
    fn row(one: &Intervals<W>, lane: usize, all: &Intervals<W>, to: &mut [f64; W]) {
        row(one, lane, all, to);
    }
}

/// Boxes along the axes of the body; `TURNED`: compared along the axes of the search, else along
/// those of A.
pub(crate) struct AlignedBoxes<const TURNED: bool>;

impl<const W: usize, const TURNED: bool> Volumes<W> for AlignedBoxes<TURNED> {
    const NAME: &'static str = if TURNED {
        "boxes of the body's axes, axes of the contact"
    } else {
        "boxes of the body's axes, B's turned into A's"
    };
    const TURNS: bool = TURNED;
    type Stored = Aligned<W>;
    type Placed = Intervals<W>;
    type View = AxesView;

    fn store(children: &[&[Corners]]) -> Aligned<W> {
        let mut to = Aligned { centers: [[0.0; W]; 3], halves: [[0.0; W]; 3] };
        for (lane, triangles) in children.iter().enumerate() {
            let (low, high) = ends(triangles.iter().flatten().copied(), &Motion::NONE.r);
            for k in 0..3 {
                let center = 0.5 * (low[k] + high[k]);
                to.centers[k][lane] = center as f32;
                to.halves[k][lane] = (0.5 * (high[k] - low[k]) * (1.0 + SINGLE) + SINGLE * center.abs()) as f32;
            }
        }
        to
    }

    fn view(motion: &Motion, axes: &[Vec3<f64>; 3]) -> AxesView {
        AxesView::new(motion, if TURNED { axes } else { &Motion::NONE.r })
    }

    #[inline(always)]
    fn place(stored: &Aligned<W>, view: &AxesView) -> Intervals<W> {
        let mut to = Intervals { low: [[0.0; W]; 3], high: [[0.0; W]; 3] };
        for k in 0..3 {
            let (f, shift) = (view.axes[k], view.shift[k]);
            let [x, y, z] = f.to_array().map(f64::abs);
            for j in 0..W {
                let [c, h] = [&stored.centers, &stored.halves].map(|of| [0, 1, 2].map(|i: usize| f64::from(of[i][j])));
                let center = c[0] * f.x + c[1] * f.y + c[2] * f.z + shift;
                let reach = h[0] * x + h[1] * y + h[2] * z;
                (to.low[k][j], to.high[k][j]) = (center - reach, center + reach);
            }
        }
        to
    }

    #[inline(always)]
    fn row(one: &Intervals<W>, lane: usize, all: &Intervals<W>, to: &mut [f64; W]) {
        row(one, lane, all, to);
    }
}
