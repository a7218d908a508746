//! Bodies that a turn about an axis leaves as they are.

use super::sets::{Convex, Set};
use super::union::Piece;
use crate::number::{Vector, dot, norm, sub, times};

/// An axis: a point, and a unit vector.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    pub point: Vector<f64>,
    pub along: Vector<f64>,
}

impl Axis {
    fn across(&self, v: Vector<f64>) -> f64 {
        norm(sub(v, times(self.along, dot(v, self.along))))
    }

    fn beside(&self, p: Vector<f64>) -> f64 {
        self.across(sub(p, self.point))
    }

    /// How far two half axes are from being equally long, and at right angles to each other and to the
    /// axis, metres.
    fn off_circle(&self, [x, y]: [Vector<f64>; 2]) -> f64 {
        let (a, b) = (norm(x), norm(y));
        let skew = if a > 0.0 { dot(x, y).abs() / a } else { b };
        (a - b).abs() + skew + dot(x, self.along).abs() + dot(y, self.along).abs()
    }

    /// How far a point of a set comes from the set at most if it is turned about the axis, but for a
    /// factor.
    fn off_set(&self, set: &Set) -> f64 {
        match set {
            Set::Points(points) => points.iter().map(|&p| self.beside(p)).fold(0.0, f64::max),
            Set::Ellipse { middle, half } => self.beside(*middle) + self.off_circle(*half),
            Set::Ellipsoid { middle, half: [x, y, z] } => {
                let ball = |u: Vector<f64>, v: Vector<f64>| {
                    (norm(u) - norm(v)).abs() + dot(u, v).abs() / norm(u).max(f64::MIN_POSITIVE)
                };
                let off = (ball(*x, *y) + ball(*y, *z) + ball(*z, *x)).min(self.off_circle([*x, *y]) + self.across(*z));
                self.beside(*middle) + off
            }
            Set::Dome { radius, height, map } | Set::Bowl { radius, height, map } => {
                let [x, y, z] = map.columns;
                self.beside(map.shift) + radius * self.off_circle([x, y]) + height * self.across(z)
            }
            Set::Arc(_) => f64::INFINITY,
        }
    }

    /// How far apart a convex set and its image by any turn about the axis are at most, metres.
    pub fn off(&self, piece: &Piece) -> f64 {
        match piece {
            Piece::Convex(Convex { sets, .. }) => 8.0 * sets.iter().map(|set| self.off_set(set)).fold(0.0, f64::max),
            Piece::Sweep(sweep) if sweep.is_whole() => {
                let [x, y, z] = sweep.map.columns;
                let size = sweep.size();
                8.0 * (self.beside(sweep.map.shift) + size * (self.off_circle([x, y]) + self.across(z)))
            }
            Piece::Sweep(_) => f64::INFINITY,
        }
    }
}
