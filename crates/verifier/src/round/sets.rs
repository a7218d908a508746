//! Convex sets by their parametrization.

use super::local::Bend;
use super::sweep::Arc;
use crate::number::{Vector, add, cross, dot, norm, sub, times};

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
    /// The hull of a part of a torus.
    Arc(Arc),
}

/// A part of a surface, around the point farthest along a direction.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    pub point: Vector<f64>,
    /// How the point moves if the direction turns, metres: the second derivative of the height.
    pub bend: Bend,
}

impl Patch {
    pub fn point(point: Vector<f64>) -> Self {
        Self { point, bend: Bend::default() }
    }
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
            Self::Arc(arc) => arc.farthest(n),
        }
    }

    /// The pieces around the unit vector `n`; `basis`: of the tangent plane.
    fn pieces(&self, n: Vector<f64>, basis: [Vector<f64>; 2], out: &mut Vec<Patch>) {
        match self {
            Self::Points(points) => out.extend(points.iter().copied().map(Patch::point)),
            Self::Ellipse { middle, half } => ellipse(*middle, half, n, basis, out),
            Self::Ellipsoid { middle, half } => {
                let (shares, bend) = curvature(half, n, basis);
                out.push(Patch { point: sum(*middle, half, shares), bend });
                // A flat one turns over.
                let flipped = |k: usize| [0, 1, 2].map(|m| if m == k { -shares[m] } else { shares[m] });
                out.extend((0..3).map(|k| Patch::point(sum(*middle, half, flipped(k)))));
            }
            Self::Dome { radius, height, map } => {
                let [x, y, z] = map.columns.map(|c| dot(n, c));
                let rim = 2.0 * libm::atan2(*height, *radius);
                if libm::atan2((x * x + y * y).sqrt(), z) < rim {
                    let sphere = (radius * radius + height * height) / (2.0 * height);
                    let (_, bend) = curvature(&map.columns.map(|c| times(c, sphere)), n, basis);
                    out.push(Patch { point: map.point(on_dome(*radius, *height, [x, y, z])), bend });
                } else {
                    ellipse(map.shift, &[0, 1].map(|k: usize| times(map.columns[k], *radius)), n, basis, out);
                }
            }
            Self::Bowl { radius, height, map } => {
                let [x, y, z] =
                    [times(map.columns[0], *radius), times(map.columns[1], *radius), times(map.columns[2], *height)];
                if dot(n, z) > 0.0 {
                    let (shares, bend) = curvature(&[x, y, z], n, basis);
                    out.push(Patch { point: sum(map.shift, &[x, y, z], shares), bend });
                } else {
                    ellipse(map.shift, &[x, y], n, basis, out);
                }
            }
            Self::Arc(arc) => arc.pieces(n, basis, out),
        }
    }

    /// Axes along which a set may reach least or most.
    fn axes(&self) -> Vec<Vector<f64>> {
        match self {
            Self::Points(_) => Vec::new(),
            Self::Ellipse { half: [x, y], .. } => vec![cross(*x, *y), *x, *y],
            Self::Ellipsoid { half, .. } => half.to_vec(),
            Self::Dome { map, .. } | Self::Bowl { map, .. } => map.columns.to_vec(),
            Self::Arc(arc) => arc.map.columns.to_vec(),
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
            Self::Arc(arc) => Self::Arc(Arc { map: map.after(&arc.map), ..*arc }),
        }
    }
}

/// Shares of half axes at the point of an ellipsoid farthest along `n`, and how it bends there.
pub fn curvature<const N: usize>(half: &[Vector<f64>; N], n: Vector<f64>, basis: [Vector<f64>; 2]) -> ([f64; N], Bend) {
    let along = half.map(|h| dot(n, h));
    let length = along.iter().map(|c| c * c).sum::<f64>().sqrt();
    if length == 0.0 {
        return ([0.0; N], Bend::default());
    }
    let shares = along.map(|c| c / length);
    let sides = basis.map(|e| half.map(|h| dot(e, h)));
    let product = |a: &[f64; N], b: &[f64; N]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let tilt = [0, 1].map(|k: usize| product(&sides[k], &shares));
    let of = |i: usize, k: usize| (product(&sides[i], &sides[k]) - tilt[i] * tilt[k]) / length;
    (shares, Bend { xx: of(0, 0), xy: of(0, 1), yy: of(1, 1) })
}

/// The pieces of an ellipse: the point of the rim, and three others, since it turns over where `n`
/// passes its axis.
pub fn ellipse(
    middle: Vector<f64>,
    half: &[Vector<f64>; 2],
    n: Vector<f64>,
    basis: [Vector<f64>; 2],
    out: &mut Vec<Patch>,
) {
    let widest = half.iter().map(|h| dot(*h, *h)).fold(0.0, f64::max).sqrt();
    if widest == 0.0 {
        out.push(Patch::point(middle));
        return;
    }
    let (mut shares, mut bend) = curvature(half, n, basis);
    if half.iter().all(|h| dot(n, *h).abs() <= 1e-13 * widest) {
        (shares, bend) = ([1.0, 0.0], Bend::default());
    }
    let [x, y] = shares;
    out.push(Patch { point: sum(middle, half, shares), bend });
    out.extend([[-x, -y], [-y, x], [y, -x]].map(|shares| Patch::point(sum(middle, half, shares))));
}

pub fn sum<const N: usize>(middle: Vector<f64>, half: &[Vector<f64>; N], shares: [f64; N]) -> Vector<f64> {
    half.iter().zip(shares).fold(middle, |sum, (h, share)| add(sum, times(*h, share)))
}

pub fn unit_or_zero<const N: usize>(v: [f64; N]) -> [f64; N] {
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

    /// The pieces of all sets around the unit vector `n`; `basis`: of the tangent plane.
    pub fn pieces(&self, n: Vector<f64>, basis: [Vector<f64>; 2], out: &mut Vec<Patch>) {
        self.sets.iter().for_each(|set| set.pieces(n, basis, out));
    }

    pub fn axes(&self) -> impl Iterator<Item = Vector<f64>> {
        self.sets.iter().flat_map(Set::axes)
    }

    /// The gap of the supporting planes of the core of `a` and of this one along the unit vector `n`.
    pub fn gap_from(&self, a: &Self, n: Vector<f64>) -> f64 {
        dot(n, sub(self.farthest(times(n, -1.0)), a.farthest(n)))
    }

    /// Under a map of the core.
    pub fn mapped(&self, map: &Affine) -> Self {
        Self::new(self.sets.iter().map(|set| set.mapped(map)).collect(), self.growth)
    }
}
