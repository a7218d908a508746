//! Convex sets by their parametrization.

use crate::number::{Vector, add, dot, norm, sub, times};

/// A linear map and a shift: the images of the unit vectors, and of the origin.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    pub columns: [Vector<f64>; 3],
    pub shift: Vector<f64>,
}

impl Affine {
    pub const IDENTITY: Self = Self { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], shift: [0.0; 3] };

    /// The map whose matrix has these rows.
    pub fn of_rows(rows: [Vector<f64>; 3], shift: Vector<f64>) -> Self {
        Self { columns: [0, 1, 2].map(|k: usize| rows.map(|row| row[k])), shift }
    }

    pub fn vector(&self, v: Vector<f64>) -> Vector<f64> {
        let [x, y, z] = self.columns;
        add(add(times(x, v[0]), times(y, v[1])), times(z, v[2]))
    }

    pub fn point(&self, p: Vector<f64>) -> Vector<f64> {
        add(self.vector(p), self.shift)
    }

    /// First `inner`, then `self`.
    pub fn after(&self, inner: &Self) -> Self {
        Self { columns: inner.columns.map(|c| self.vector(c)), shift: self.point(inner.shift) }
    }

    /// No vector becomes longer by more than this factor.
    pub fn stretch(&self) -> f64 {
        self.columns.iter().map(|&c| dot(c, c)).sum::<f64>().sqrt() * (1.0 + 1e-15)
    }
}

/// A convex set.
#[derive(Clone, Debug)]
pub enum Set {
    Points(Vec<Vector<f64>>),
    /// `middle + x u + y v`, `x^2 + y^2 <= 1`.
    Ellipse {
        middle: Vector<f64>,
        half: [Vector<f64>; 2],
    },
    /// `middle + x u + y v + z w`, `x^2 + y^2 + z^2 <= 1`.
    Ellipsoid {
        middle: Vector<f64>,
        half: [Vector<f64>; 3],
    },
    /// The part above z = 0 of a sphere through the circle of `radius` in z = 0 and the point at
    /// `height`, under a map.
    Dome {
        radius: f64,
        height: f64,
        map: Affine,
    },
    /// The upper half of an ellipsoid, under a map.
    Bowl {
        radius: f64,
        height: f64,
        map: Affine,
    },
}

impl Set {
    /// A point farthest along `n`.
    fn farthest(&self, n: Vector<f64>) -> Vector<f64> {
        match self {
            Self::Points(points) => {
                let mut best = (f64::NEG_INFINITY, [0.0; 3]);
                for &p in points {
                    let height = dot(n, p);
                    if height > best.0 {
                        best = (height, p);
                    }
                }
                best.1
            }
            Self::Ellipse { middle, half } => sum(*middle, half, unit_or_zero(half.map(|h| dot(n, h)))),
            Self::Ellipsoid { middle, half } => sum(*middle, half, unit_or_zero(half.map(|h| dot(n, h)))),
            Self::Dome { radius, height, map } => map.point(on_dome(*radius, *height, map.columns.map(|c| dot(n, c)))),
            Self::Bowl { radius, height, map } => {
                let [x, y, z] = map.columns.map(|c| dot(n, c));
                let [x, y, z] = unit_or_zero([radius * x, radius * y, height * z.max(0.0)]);
                map.point([radius * x, radius * y, height * z])
            }
        }
    }

    fn mapped(&self, map: &Affine) -> Self {
        match self {
            Self::Points(points) => Self::Points(points.iter().map(|&p| map.point(p)).collect()),
            Self::Ellipse { middle, half } => {
                Self::Ellipse { middle: map.point(*middle), half: half.map(|h| map.vector(h)) }
            }
            Self::Ellipsoid { middle, half } => {
                Self::Ellipsoid { middle: map.point(*middle), half: half.map(|h| map.vector(h)) }
            }
            Self::Dome { radius, height, map: own } => {
                Self::Dome { radius: *radius, height: *height, map: map.after(own) }
            }
            Self::Bowl { radius, height, map: own } => {
                Self::Bowl { radius: *radius, height: *height, map: map.after(own) }
            }
        }
    }
}

fn sum<const N: usize>(middle: Vector<f64>, half: &[Vector<f64>; N], shares: [f64; N]) -> Vector<f64> {
    half.iter().zip(shares).fold(middle, |sum, (h, share)| add(sum, times(*h, share)))
}

fn unit_or_zero<const N: usize>(v: [f64; N]) -> [f64; N] {
    let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
    if length > 0.0 { v.map(|c| c / length) } else { v }
}

/// The point of a spherical dish farthest along `d`, by the angle from the top: half of that of the
/// rim has the tangent `height / radius`.
fn on_dome(radius: f64, height: f64, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let across = (x * x + y * y).sqrt();
    let [x, y] = unit_or_zero([x, y]);
    let (angle, rim) = (libm::atan2(across, z), 2.0 * libm::atan2(height, radius));
    if angle >= rim {
        return [radius * x, radius * y, 0.0];
    }
    let sphere = (radius * radius + height * height) / (2.0 * height);
    let (out, half) = (sphere * libm::sin(angle), libm::sin(0.5 * angle));
    [out * x, out * y, height - 2.0 * sphere * half * half]
}

/// The hull of sets, inflated by a radius.
#[derive(Clone, Debug)]
pub struct Convex {
    pub sets: Vec<Set>,
    pub growth: f64,
    /// The core lies in the ball about `middle`.
    pub middle: Vector<f64>,
    pub reach: f64,
}

impl Convex {
    pub fn new(sets: Vec<Set>, growth: f64) -> Self {
        let mut convex = Self { sets, growth, middle: [0.0; 3], reach: 0.0 };
        let axis = |k: usize, sign: f64| convex.farthest([0, 1, 2].map(|m| if m == k { sign } else { 0.0 }))[k];
        let (low, high) = ([0, 1, 2].map(|k| axis(k, -1.0)), [0, 1, 2].map(|k| axis(k, 1.0)));
        convex.middle = times(add(low, high), 0.5);
        convex.reach = 0.5 * norm(sub(high, low)) * (1.0 + 1e-14);
        convex
    }

    pub fn point(p: Vector<f64>) -> Self {
        Self { sets: vec![Set::Points(vec![p])], growth: 0.0, middle: p, reach: 0.0 }
    }

    /// A point of the core farthest along `n`.
    pub fn farthest(&self, n: Vector<f64>) -> Vector<f64> {
        let mut best = (f64::NEG_INFINITY, [0.0; 3]);
        for set in &self.sets {
            let p = set.farthest(n);
            let height = dot(n, p);
            if height > best.0 {
                best = (height, p);
            }
        }
        best.1
    }

    /// Under a map of the core.
    pub fn mapped(&self, map: &Affine) -> Self {
        Self::new(self.sets.iter().map(|set| set.mapped(map)).collect(), self.growth)
    }
}
