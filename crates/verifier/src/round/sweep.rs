//! Tori: a section in a half plane of an axis, turned about it.

use super::sets::{Affine, Convex, Patch, Set, curvature, ellipse, sum, unit_or_zero};
use super::symmetry::Axis;
use super::union::Piece;
use crate::number::{Vector, add, dot, norm, times};

/// A section, by the distance from the axis and the height along it.
#[derive(Clone, Copy, Debug)]
pub enum Section {
    Disc { arc: f64, radius: f64 },
    Rectangle { inner: f64, outer: f64, half_height: f64 },
}

/// A section turned about z from +x on, under a map.
#[derive(Clone, Debug)]
pub struct Sweep {
    pub section: Section,
    /// Radians.
    pub angle: f64,
    pub map: Affine,
}

/// The points of a sweep between two angles whose normals lie between them, too: the outer side. The
/// hull of the part is that of these points and of both ends, since a section reaches the farther
/// along a direction, the nearer its angle is to that of the direction.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    pub section: Section,
    /// Both angles, radians.
    pub range: [f64; 2],
    pub map: Affine,
}

impl Arc {
    /// The direction in the frame of the sweep, and the cosine and sine of its angle if that is in
    /// the range.
    fn facing(&self, n: Vector<f64>) -> (Vector<f64>, Option<[f64; 2]>) {
        let [x, y, z] = self.map.columns.map(|c| dot(n, c));
        let [from, to] = self.range;
        let turn = libm::atan2(y, x).rem_euclid(std::f64::consts::TAU);
        let is_within = (from..=to).contains(&turn) && (x, y) != (0.0, 0.0);
        ([x, y, z], is_within.then(|| unit_or_zero([x, y])))
    }

    /// A point of the sweep farthest along `n`, if that is none of an end; else one of the first.
    pub fn farthest(&self, n: Vector<f64>) -> Vector<f64> {
        let ([x, y, z], turn) = self.facing(n);
        let [cos, sin] = turn.unwrap_or([libm::cos(self.range[0]), libm::sin(self.range[0])]);
        let along = x * cos + y * sin;
        let (out, up) = match self.section {
            Section::Disc { arc, radius } => {
                let [a, b] = unit_or_zero([along, z]);
                (arc + radius * a, radius * b)
            }
            Section::Rectangle { outer, half_height, .. } => (outer, half_height.copysign(z)),
        };
        self.map.point([out * cos, out * sin, up])
    }

    /// The pieces around the unit vector `n`, if the outer side faces it.
    pub fn pieces(&self, n: Vector<f64>, basis: [Vector<f64>; 2], out: &mut Vec<Patch>) {
        let (_, Some(_)) = self.facing(n) else {
            out.push(Patch::point(self.farthest(n)));
            return;
        };
        let circle = |radius: f64| [0, 1].map(|k: usize| times(self.map.columns[k], radius));
        match self.section {
            Section::Disc { arc, radius } => {
                let ring = circle(arc);
                let ball = self.map.columns.map(|c| times(c, radius));
                let (ring_shares, bend) = curvature(&ring, n, basis);
                let (ball_shares, more) = curvature(&ball, n, basis);
                let point = sum(sum(self.map.shift, &ring, ring_shares), &ball, ball_shares);
                out.push(Patch { point, bend: bend.plus(more, 1.0) });
            }
            Section::Rectangle { outer, half_height, .. } => {
                for up in [half_height, -half_height] {
                    let middle = add(self.map.shift, times(self.map.columns[2], up));
                    let first = out.len();
                    ellipse(middle, &circle(outer), n, basis, out);
                    // The others may lie beyond both ends.
                    out.truncate(first + 1);
                }
            }
        }
    }
}

/// Shares of a half angle's cosine that are missing, rounded up: `1 - cos`.
fn missing(half: f64) -> f64 {
    let sine = libm::sin(0.5 * half);
    2.0 * sine * sine * (1.0 + 1e-15)
}

impl Sweep {
    fn of_section(&self, section: Section, angle: f64) -> Set {
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        let at = |out: f64, up: f64| self.map.point([out * cos, out * sin, up]);
        match section {
            Section::Disc { arc, radius } => Set::Ellipse {
                middle: at(arc, 0.0),
                half: [[radius * cos, radius * sin, 0.0], [0.0, 0.0, radius]].map(|v| self.map.vector(v)),
            },
            Section::Rectangle { inner, outer, half_height: h } => {
                Set::Points(vec![at(inner, -h), at(outer, -h), at(outer, h), at(inner, h)])
            }
        }
    }

    pub fn is_whole(&self) -> bool {
        self.angle >= std::f64::consts::TAU
    }

    /// No point is farther from the middle before the map, metres.
    pub fn size(&self) -> f64 {
        match self.section {
            Section::Disc { arc, radius } => arc + radius,
            Section::Rectangle { outer, half_height, .. } => outer + half_height,
        }
    }

    /// The axis, if turns about it map the sweep onto its own whole, and how far they are off that,
    /// metres.
    pub fn axis(&self) -> (Axis, f64) {
        let z = self.map.columns[2];
        let axis = Axis { point: self.map.shift, along: times(z, 1.0 / norm(z)) };
        let whole = Self { angle: std::f64::consts::TAU, ..self.clone() };
        (axis, axis.off(&Piece::Sweep(whole)))
    }

    /// The section at an angle, a flat set.
    pub fn at(&self, angle: f64) -> Convex {
        Convex::new(vec![self.of_section(self.section, angle)], 0.0)
    }

    /// The hull of the part between two angles.
    pub fn around(&self, range: [f64; 2]) -> Convex {
        let [from, to] = range.map(|angle| self.of_section(self.section, angle));
        Convex::new(vec![from, to, Set::Arc(Arc { section: self.section, range, map: self.map })], 0.0)
    }

    /// A convex set within the part between two angles, if these are near and the section is not too thin: the chords
    /// of a smaller one are nearer to the axis than its arcs by the sagitta.
    pub fn within(&self, [from, to]: [f64; 2]) -> Option<Convex> {
        if to - from > 1.0 {
            return None;
        }
        let share = missing(0.5 * (to - from));
        let section = match self.section {
            Section::Disc { arc, radius } => {
                let radius = radius - arc * share * (1.0 + 1e-14);
                (radius > 0.0).then_some(Section::Disc { arc, radius })
            }
            Section::Rectangle { inner, outer, half_height } => {
                let inner = inner / (1.0 - share) * (1.0 + 1e-14);
                (inner < outer).then_some(Section::Rectangle { inner, outer, half_height })
            }
        };
        let section = section?;
        Some(Convex::new([from, to].map(|angle| self.of_section(section, angle)).to_vec(), 0.0))
    }

    pub fn mapped(&self, map: &Affine) -> Self {
        Self { map: map.after(&self.map), ..*self }
    }
}
