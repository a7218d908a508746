//! Round bodies: convex ones that are the hull of one or two *caps*, and sectors of tori.
//!
//! A cap is the affine image of the part of the unit ball above a height. Discs (flat caps), balls,
//! ellipsoids and dishes are one; cylinders, cones, skewed and mitred frusta are the hull of two
//! discs; a capsule that is scaled unequally is the hull of two balls. The farthest point along a
//! direction of an affine image `M` is that of the cap along `M^T d`, so no map is a special case.
//!
//! A sector of a torus is a section, a disc or a rectangle, swept about an axis by a small angle.
//! It is not convex on its inner side: its support is that of its convex hull.
//!
//! ```text
//! cap.rs         caps and their supports
//! sector.rs      sectors of tori, and their supports
//! revolution.rs  which hulls of caps are solids of revolution
//! cover.rs       a polyhedron around a round body, and how far it may lie outside
//! ```

mod cap;
mod cover;
mod revolution;
mod sector;
#[cfg(test)]
mod tests;

pub use cap::{Cap, Curvature};
pub use cover::{Cover, cover};
pub use revolution::Revolution;
pub use sector::{OnSector, Section, Sector};

use super::lazy::Lazy;
use super::polyhedron::Polyhedron;
use super::vec3::Vec3;

/// The exact geometry of a core whose polyhedron lies around it.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundCore {
    /// The body, in the frame of the polyhedron.
    pub body: RoundBody,
    /// No point of the polyhedron is farther from the body, metres.
    pub excess: f64,
    /// The halves of a sector with the polyhedra around them.
    halves: Lazy<Option<[Polyhedron; 2]>>,
}

impl RoundCore {
    /// A body, and how far its polyhedron reaches from it, metres.
    pub fn new(body: RoundBody, excess: f64) -> Self {
        Self { body, excess, halves: Lazy::default() }
    }

    /// Both halves of a sector, each with a smaller hull, built when they are first asked for.
    /// `None` of a convex body, and of a sector whose hull is it but for rounding.
    pub fn halves(&self) -> Option<&[Polyhedron; 2]> {
        /// Least sagitta of a sector that is divided, as a share of its radius.
        const LEAST_SAGITTA: f64 = 1e-13;
        let RoundBody::Sector(sector) = &self.body else { return None };
        let build = || {
            let [one, other] = sector.halves().map(|half| Polyhedron::around(RoundBody::Sector(half), 0).ok());
            Some([one?, other?])
        };
        if sector.sagitta() < LEAST_SAGITTA { None } else { self.halves.get_or_build(build).as_ref() }
    }
}

/// A round body, metres.
#[derive(Debug, Clone, PartialEq)]
pub enum RoundBody {
    /// The convex hull of caps: one or two.
    Caps {
        /// The caps.
        caps: Vec<Cap>,
        /// The same as a solid of revolution, where it is one of circles.
        revolution: Option<Revolution>,
    },
    /// A sector of a torus.
    Sector(Sector),
}

impl RoundBody {
    /// The convex hull of one or two caps.
    pub fn hull(caps: Vec<Cap>) -> Self {
        let revolution = Revolution::of(&caps);
        Self::Caps { caps, revolution }
    }

    /// Whether it is convex.
    pub fn is_convex(&self) -> bool {
        matches!(self, Self::Caps { .. })
    }

    /// A point of the body (of its convex hull) farthest along `d`.
    #[inline]
    pub fn support(&self, d: Vec3<f64>) -> Vec3<f64> {
        match self {
            Self::Caps { caps, .. } => cap::support(caps, d),
            Self::Sector(sector) => sector.support(d).point,
        }
    }

    /// How far the body reaches along `d`: `d . x` of its farthest point, to within a few roundings
    /// of its coordinates.
    #[inline]
    pub fn height(&self, d: Vec3<f64>) -> f64 {
        self.support(d).dot(d)
    }

    /// Its least and its greatest coordinates, metres, to within a few roundings.
    pub fn bounds(&self) -> [Vec3<f64>; 2] {
        let unit = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];
        [-1.0, 1.0].map(|sign: f64| Vec3::from(unit.map(|axis| sign * self.height(axis.scale(sign)))))
    }

    /// The body in a frame whose origin lies at `center` of this one's, metres.
    pub fn recentred(&self, center: Vec3<f64>) -> Self {
        match self {
            Self::Caps { caps, revolution } => Self::Caps {
                caps: caps.iter().map(|cap| Cap { middle: cap.middle - center, ..*cap }).collect(),
                revolution: revolution.map(|solid| Revolution { middle: solid.middle - center, ..solid }),
            },
            Self::Sector(sector) => Self::Sector(Sector { middle: sector.middle - center, ..*sector }),
        }
    }

    /// The body under a linear map, then moved by a vector, metres.
    pub fn mapped(&self, map: impl Fn(Vec3<f64>) -> Vec3<f64>, shift: Vec3<f64>) -> Self {
        match self {
            Self::Caps { caps, .. } => {
                let mapped = |cap: &Cap| Cap { middle: map(cap.middle) + shift, axes: cap.axes.map(&map), ..*cap };
                Self::hull(caps.iter().map(mapped).collect())
            }
            Self::Sector(sector) => {
                Self::Sector(Sector { middle: map(sector.middle) + shift, axes: sector.axes.map(&map), ..*sector })
            }
        }
    }
}
