//! Sectors of tori: a section swept about an axis by less than a quarter turn.

use crate::vec3::Vec3;

/// A section beside the axis, in the half plane of the distance from the axis and the height along
/// it. Lengths in units of the sector's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Section {
    /// A disc at height 0.
    Disc {
        /// Distance of its middle from the axis; no less than its radius.
        arc: f64,
        /// Its radius.
        radius: f64,
    },
    /// A rectangle about height 0.
    Rectangle {
        /// Least distance from the axis.
        inner: f64,
        /// Largest distance from the axis.
        outer: f64,
        /// Half its height.
        half_height: f64,
    },
}

/// A sector of a torus: the image of its section swept about z from one direction to another,
/// `middle + axes * (r cos, r sin, z)`, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sector {
    /// Image of the origin.
    pub middle: Vec3<f64>,
    /// Images of the unit vectors, less the middle.
    pub axes: [Vec3<f64>; 3],
    /// The section that is swept.
    pub section: Section,
    /// Cosine and sine of the angle at which it begins.
    pub from: [f64; 2],
    /// Cosine and sine of the angle at which it ends: less than a quarter turn later.
    pub to: [f64; 2],
    /// Whether it is no more than the hull of both end sections.
    pub is_chord: bool,
}

/// A point of a sector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnSector {
    /// The point, metres.
    pub point: Vec3<f64>,
    /// Cosine and sine of its angle.
    pub turn: [f64; 2],
    /// Its distance from the axis, and its height.
    pub at: [f64; 2],
}

impl Section {
    /// The point (distance from the axis, height) that is farthest along a direction.
    #[inline(always)]
    fn farthest(&self, out: f64, up: f64) -> [f64; 2] {
        match *self {
            Self::Disc { arc, radius } => {
                let length = (out * out + up * up).sqrt();
                if length == 0.0 { [arc, 0.0] } else { [arc + radius * (out / length), radius * (up / length)] }
            }
            Self::Rectangle { inner, outer, half_height } => {
                let height = match up {
                    up if up > 0.0 => half_height,
                    up if up < 0.0 => -half_height,
                    _ => 0.0,
                };
                [if out >= 0.0 { outer } else { inner }, height]
            }
        }
    }

    /// Least and largest distance from the axis, and half the height.
    pub fn extent(&self) -> [f64; 3] {
        match *self {
            Self::Disc { arc, radius } => [arc - radius, arc + radius, radius],
            Self::Rectangle { inner, outer, half_height } => [inner, outer, half_height],
        }
    }
}

impl Sector {
    /// The point at an angle (cosine and sine), a distance from the axis, and a height.
    #[inline(always)]
    pub fn point(&self, turn: [f64; 2], at: [f64; 2]) -> OnSector {
        let [x, y, z] = self.axes;
        let point = self.middle + (x.scale(at[0] * turn[0]) + y.scale(at[0] * turn[1]) + z.scale(at[1]));
        OnSector { point, turn, at }
    }

    /// The point of the sector farthest along `d`: of its hull, too. Every section reaches farther
    /// the more its direction faces `d`, since the section does not pass the axis.
    #[inline]
    pub fn support(&self, d: Vec3<f64>) -> OnSector {
        let [x, y, z] = self.axes.map(|axis| axis.dot(d));
        let along = |[cos, sin]: [f64; 2]| x * cos + y * sin;
        let length = (x * x + y * y).sqrt();
        // Between both ends: to the left of the first, and to the right of the last.
        let is_left = self.from[0] * y - self.from[1] * x >= 0.0;
        let is_right = x * self.to[1] - y * self.to[0] >= 0.0;
        let turn = match self.is_chord {
            false if is_left && is_right && length > 0.0 => [x / length, y / length],
            _ if along(self.to) > along(self.from) => self.to,
            _ => self.from,
        };
        self.point(turn, self.section.farthest(along(turn), z))
    }

    /// The direction in the middle of both ends: cosine and sine.
    pub fn middle_turn(&self) -> [f64; 2] {
        let [x, y] = [0, 1].map(|k| self.from[k] + self.to[k]);
        let length = (x * x + y * y).sqrt();
        [x / length, y / length]
    }

    /// The chord of the outermost circle from one end to the other, in the sector's own frame.
    pub fn chord(&self) -> f64 {
        let [x, y] = [0, 1].map(|k| self.to[k] - self.from[k]);
        x.hypot(y) * self.section.extent()[1]
    }

    /// Both halves.
    pub fn halves(&self) -> [Self; 2] {
        let turn = self.middle_turn();
        [Self { to: turn, ..*self }, Self { from: turn, ..*self }]
    }

    /// The point of the sector (not of its hull) below a mean of its points, whose weights sum to
    /// 1: at the angle of the mean, with the means of the distances from the axis and of the
    /// heights. It is off the mean by the distance from the axis times the sagitta at most.
    pub fn below_mean(&self, points: impl Iterator<Item = (OnSector, f64)>) -> OnSector {
        let (mut turn, mut at) = ([0.0; 2], [0.0; 2]);
        for (point, weight) in points {
            for k in 0..2 {
                turn[k] += weight * point.at[0] * point.turn[k];
                at[k] += weight * point.at[k];
            }
        }
        let length = (turn[0] * turn[0] + turn[1] * turn[1]).sqrt();
        let turn = if length > 0.0 { turn.map(|k| k / length) } else { self.middle_turn() };
        self.point(turn, at)
    }

    /// Half the angle: its sine, rounded up.
    fn half_sine(&self) -> f64 {
        let chord = ((self.to[0] - self.from[0]).powi(2) + (self.to[1] - self.from[1]).powi(2)).sqrt();
        0.5 * chord * (1.0 + 8.0 * f64::EPSILON)
    }

    /// How much less than 1 the cosine of half the angle is, rounded up.
    pub(super) fn sagitta(&self) -> f64 {
        let sine = self.half_sine();
        // 1 - cos = sin^2 / (1 + cos).
        sine * sine / (1.0 + (1.0 - sine * sine).max(0.0).sqrt()) * (1.0 + 8.0 * f64::EPSILON)
    }

    /// A convex part of the sector: the hull of both ends of a smaller section. `None` if the
    /// section is too thin for the angle.
    ///
    /// Every point of the hull of two discs is as near to the chord of their middles as their
    /// radius, and the chord is within the sagitta of the arc. The chord of two rectangles comes
    /// nearer to the axis than their inner side by the cosine of half the angle.
    pub fn inscribed(&self) -> Option<Self> {
        let sagitta = self.sagitta();
        let section = match self.section {
            Section::Disc { arc, radius } => {
                let smaller = radius - arc * sagitta * (1.0 + 8.0 * f64::EPSILON) - 8.0 * f64::EPSILON * arc;
                (smaller > 0.0).then_some(Section::Disc { arc, radius: smaller })
            }
            Section::Rectangle { inner, outer, half_height } => {
                let inner = inner / (1.0 - sagitta) * (1.0 + 8.0 * f64::EPSILON);
                (inner < outer).then_some(Section::Rectangle { inner, outer, half_height })
            }
        };
        section.map(|section| Self { section, is_chord: true, ..*self })
    }
}
