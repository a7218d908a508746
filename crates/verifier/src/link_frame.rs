//! Frames of links in wide numbers: rotations by Rodrigues' formula, and the product down a chain.

use crate::oracle::number::{Number, Vector, Wide, add, cross, dot, times, values, wide};
use crate::placement::Placement;

/// A frame in another one: the images of the unit vectors, and the origin, metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkFrame {
    columns: [Vector<Wide>; 3],
    pub(crate) origin: Vector<Wide>,
}

impl From<&Placement> for LinkFrame {
    fn from(placement: &Placement) -> Self {
        let origin = [0, 1, 2].map(|k: usize| Wide::sum(placement.position[k], placement.rest[k]));
        Self { columns: placement.columns(), origin }
    }
}

impl LinkFrame {
    /// The frame itself.
    pub(crate) fn identity() -> Self {
        let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(wide);
        Self { columns, origin: wide([0.0; 3]) }
    }

    /// A direction of this frame in the frame around it.
    pub(crate) fn direction(&self, v: Vector<Wide>) -> Vector<Wide> {
        let [x, y, z] = self.columns;
        add(add(times(x, v[0]), times(y, v[1])), times(z, v[2]))
    }

    /// A frame that stands in this one, in the frame around it.
    pub(crate) fn then(&self, inner: &Self) -> Self {
        Self {
            columns: inner.columns.map(|column| self.direction(column)),
            origin: add(self.origin, self.direction(inner.origin)),
        }
    }

    /// Moves the origin by a vector of the frame around this one.
    pub(crate) fn moved(self, by: Vector<Wide>) -> Self {
        Self { origin: add(self.origin, by), ..self }
    }

    /// Turns the frame about an axis through its origin: a unit vector of the frame around it.
    /// Rodrigues: `v cos + (axis x v) sin + axis (axis . v) (1 - cos)`.
    pub(crate) fn turned(self, axis: Vector<Wide>, angle: Wide) -> Self {
        let [sine, cosine] = sine_cosine(angle);
        let rest = Wide::of(1.0) - cosine;
        let turn = |v: Vector<Wide>| {
            let across = add(times(v, cosine), times(cross(axis, v), sine));
            add(across, times(axis, dot(axis, v) * rest))
        };
        Self { columns: self.columns.map(turn), ..self }
    }

    /// The placement, with positions counted from a point.
    pub(crate) fn placement(&self, around: Vector<Wide>) -> Placement {
        let position = [0, 1, 2].map(|k: usize| self.origin[k] - around[k]);
        Placement { position: position.map(|c| c.0), rest: position.map(|c| c.1), q: self.quaternion() }
    }

    /// The quaternion w, x, y, z of the rotation, not of unit length: the row of the matrix
    /// `4 q q^T` with the largest diagonal (Shepperd 1978), rounded once.
    fn quaternion(&self) -> [f64; 4] {
        let [x, y, z] = self.columns;
        let one = Wide::of(1.0);
        let rows = [
            [one + x[0] + y[1] + z[2], y[2] - z[1], z[0] - x[2], x[1] - y[0]],
            [y[2] - z[1], one + x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2]],
            [z[0] - x[2], x[1] + y[0], one - x[0] + y[1] - z[2], y[2] + z[1]],
            [x[1] - y[0], z[0] + x[2], y[2] + z[1], one - x[0] - y[1] + z[2]],
        ];
        let largest = (1..4).fold(0, |best: usize, k| if rows[k][k] > rows[best][best] { k } else { best });
        rows[largest].map(Number::value)
    }

    /// The origin in `f64`, metres.
    pub(crate) fn rough_origin(&self) -> Vector<f64> {
        values(self.origin)
    }
}

/// Terms of each series: on an eighth of a turn the next term is below 2^-90.
const TERMS: u32 = 12;

/// Sine and cosine of an angle, radians: by their series after whole quarters of a turn are taken
/// off.
fn sine_cosine(angle: Wide) -> [Wide; 2] {
    // A quarter of a turn as the sum of two numbers.
    let quarter = Wide(std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17);
    let quarters = (angle.value() / quarter.0).round();
    let x = angle - quarter * Wide::of(quarters);
    let (square, one) = (x * x, Wide::of(1.0));
    let (mut sine, mut cosine) = (one, one);
    for k in (1..=TERMS).rev().map(|k| 2.0 * f64::from(k)) {
        cosine = one - square * cosine / Wide::of(k * (k - 1.0));
        sine = one - square * sine / Wide::of(k * (k + 1.0));
    }
    sine = x * sine;
    match quarters.rem_euclid(4.0) as u8 {
        0 => [sine, cosine],
        1 => [cosine, -sine],
        2 => [-sine, -cosine],
        _ => [-cosine, sine],
    }
}
