//! Tori: a section in a half plane of an axis, turned about it.

use super::sets::{Affine, Convex, Set};

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

    /// The section at an angle, a flat set.
    pub fn at(&self, angle: f64) -> Convex {
        Convex::new(vec![self.of_section(self.section, angle)], 0.0)
    }

    /// A set around the part between two angles: a point of an arc is no farther from its chord
    /// than the sagitta.
    pub fn around(&self, [from, to]: [f64; 2]) -> Convex {
        let outer = match self.section {
            Section::Disc { arc, radius } => arc + radius,
            Section::Rectangle { outer, .. } => outer,
        };
        let sagitta = outer * missing(0.5 * (to - from)) * self.map.stretch();
        Convex::new([from, to].map(|angle| self.of_section(self.section, angle)).to_vec(), sagitta)
    }

    /// A convex set within the part between two angles, if the section is not too thin: the chords
    /// of a smaller one are nearer to the axis than its arcs by the sagitta.
    pub fn within(&self, [from, to]: [f64; 2]) -> Option<Convex> {
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
