//! The signed distance of two convex sets: the largest gap of supporting planes over all unit
//! directions, whether they are apart or overlap.
//!
//! The sphere is divided into cells, the squares of a cube's faces. Every vector `s` from a point
//! of A to a point of B bounds the gap along each direction `n`: it is at most `n . s`. So the gap
//! within a cell is at most the largest `n . s` over its directions, for any such `s`, and for
//! means of several. The gap along the middle of a cell is an end from below.

use std::collections::BinaryHeap;

use super::sets::Convex;
use super::{Bracket, Keyed};
use crate::number::{Vector, add, cross, dot, norm, sub, times};

/// Width at which the search ends, metres.
#[derive(Clone, Copy, Debug)]
pub struct Until {
    /// The width of the bracket.
    pub width: f64,
    /// The gap is above this, or proven to be below it by `width` at least: nothing else matters.
    pub above: f64,
    /// Most cells.
    pub cells: usize,
}

/// Bracket that the search found of two sets, growth included.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub bracket: Bracket,
    /// The unit direction of the lower end.
    pub normal: Vector<f64>,
}

/// A face of the cube: one of its axes, and the sign.
#[derive(Clone, Copy)]
struct CubeFace {
    axis: usize,
    sign: f64,
}

struct Cell {
    face: CubeFace,
    /// The middle on the face, and half the side.
    at: [f64; 2],
    half: f64,
    upper: f64,
    /// The vector that bounds it.
    mean: Vector<f64>,
}

/// Axes of the cube: none is near to those of bodies, so that the best direction is no corner of
/// cells, which would be as many as touch it at every size.
const AXES: [Vector<f64>; 3] =
    [[6.0 / 7.0, 3.0 / 7.0, -2.0 / 7.0], [-2.0 / 7.0, 6.0 / 7.0, 3.0 / 7.0], [3.0 / 7.0, -2.0 / 7.0, 6.0 / 7.0]];

fn direction(CubeFace { axis, sign }: CubeFace, at: [f64; 2]) -> Vector<f64> {
    let side = add(times(AXES[(axis + 1) % 3], at[0]), times(AXES[(axis + 2) % 3], at[1]));
    let d = add(times(AXES[axis], sign), side);
    times(d, 1.0 / norm(d))
}

/// An angle of up to a quarter turn.
#[derive(Clone, Copy)]
struct Angle {
    sine: f64,
    cosine: f64,
}

/// The largest `m . s` over the unit directions `m` that are at most an angle from `n`.
fn most(n: Vector<f64>, s: Vector<f64>, Angle { sine, cosine }: Angle) -> f64 {
    let along = dot(n, s);
    let across = norm(sub(s, times(n, along)));
    // Whether s itself is within the angle.
    if along > 0.0 && across * cosine <= along * sine {
        return (along * along + across * across).sqrt();
    }
    along * cosine + across * sine
}

struct Search<'a> {
    a: &'a Convex,
    b: &'a Convex,
    best: (f64, Vector<f64>),
}

impl Search<'_> {
    /// A vector from A to B whose height along `n` is the gap.
    fn nearest(&mut self, n: Vector<f64>) -> Vector<f64> {
        let s = sub(self.b.farthest(times(n, -1.0)), self.a.farthest(n));
        let gap = dot(n, s);
        if gap > self.best.0 {
            self.best = (gap, n);
        }
        s
    }

    /// `before`: a vector that bounds the whole cell.
    fn cell(&mut self, face: CubeFace, at: [f64; 2], half: f64, before: Option<Vector<f64>>) -> Cell {
        let n = direction(face, at);
        let mut list = [self.nearest(n); 6];
        // Beside an edge or a face the vectors of the corners lean to all sides.
        for (k, (x, y)) in [(-half, -half), (-half, half), (half, half), (half, -half)].into_iter().enumerate() {
            list[k + 1] = self.nearest(direction(face, [at[0] + x, at[1] + y]));
        }
        if let Some(before) = before {
            list[5] = before;
        }
        // The angle to a corner is at most its distance on the face.
        let angle = 2.0_f64.sqrt() * half * (1.0 + 1e-14);
        let turn = match angle < 1.5 {
            true => Angle { sine: libm::sin(angle), cosine: libm::cos(angle) },
            false => Angle { sine: 1.0, cosine: 0.0 },
        };
        let mut best = (f64::INFINITY, list[0]);
        let mut visit = |s: Vector<f64>| {
            let upper = most(n, s, turn);
            if upper < best.0 {
                best = (upper, s);
            }
        };
        // The means that lean least to the side: of one, of two, and of three vectors around n.
        let across = list.map(|s| sub(s, times(n, dot(n, s))));
        for i in 0..6 {
            visit(list[i]);
            for k in 0..i {
                let along = sub(across[k], across[i]);
                let share = -dot(across[i], along) / dot(along, along);
                if share > 0.0 && share < 1.0 {
                    visit(add(list[i], times(sub(list[k], list[i]), share)));
                }
                for m in 0..k {
                    let turn = |p: usize, q: usize| dot(n, cross(across[p], across[q]));
                    let [x, y, z] = [turn(k, m), turn(m, i), turn(i, k)];
                    let whole = x + y + z;
                    if whole != 0.0 && [x, y, z].iter().all(|w| w / whole >= 0.0) {
                        let mean = add(times(list[i], x / whole), times(list[k], y / whole));
                        visit(add(mean, times(list[m], z / whole)));
                    }
                }
            }
        }
        let (upper, mean) = best;
        let length = norm(mean);
        if length > 0.0 {
            self.nearest(times(mean, 1.0 / length));
        }
        Cell { face, at, half, upper, mean }
    }
}

/// The signed distance of two sets. Both ends are off by rounding: a few units in the last place of
/// the coordinates.
/// `hint`: a unit vector along which the gap may be large.
pub fn signed_distance(a: &Convex, b: &Convex, until: Until, hint: Option<Vector<f64>>) -> Found {
    let growth = a.growth + b.growth;
    let mut search = Search { a, b, best: (f64::NEG_INFINITY, [1.0, 0.0, 0.0]) };
    let between = sub(b.middle, a.middle);
    let length = norm(between);
    if length > 0.0 {
        search.nearest(times(between, 1.0 / length));
    }
    if let Some(hint) = hint {
        search.nearest(hint);
    }
    let mut cells = BinaryHeap::new();
    let keyed = |cell: Cell| Keyed { key: cell.upper, value: cell };
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            cells.push(keyed(search.cell(CubeFace { axis, sign }, [0.0; 2], 1.0, None)));
        }
    }
    let (mut made, above, mut upper) = (6, until.above + growth, f64::INFINITY);
    while let Some(Keyed { value: top, .. }) = cells.pop() {
        upper = top.upper.max(search.best.0);
        let is_told = search.best.0 > above || made >= until.cells;
        if is_told || upper - search.best.0 <= until.width || top.half < 1e-15 {
            break;
        }
        let quarter = 0.5 * top.half;
        for (i, k) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            let at = [top.at[0] + i * quarter, top.at[1] + k * quarter];
            let cell = search.cell(top.face, at, quarter, Some(top.mean));
            // A part has no larger gap than the whole.
            cells.push(keyed(Cell { upper: cell.upper.min(top.upper), ..cell }));
        }
        made += 4;
    }
    let (lower, normal) = search.best;
    Found { bracket: Bracket { lower: lower - growth, upper: upper.max(lower) - growth }, normal }
}
