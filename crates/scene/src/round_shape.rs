//! Round shapes of the scene file: cylinder, cone, ellipsoid, dish, torus, rectangular torus.

use super::keys::{Field, Keys};
use super::orientation::degrees;
use clearsweep_base::error::Result;
use clearsweep_geometry::angles::cos_sin_degrees;
use clearsweep_geometry::round::{Cap, Section, Sector};
use clearsweep_geometry::{RoundBody, Vec3};
use clearsweep_model::LengthUnit;
use std::f64::consts::PI;

/// A round shape about z. Lengths in metres, angles in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RoundShape {
    /// A circular cylinder about the origin.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Full height.
        height: f64,
    },
    /// A frustum about the origin: the hull of two circles that may lie beside each other, and
    /// whose planes may be sheared.
    Cone {
        /// Radius of the circle below; 0: a tip.
        bottom: f64,
        /// Radius of the circle above; 0: a tip.
        top: f64,
        /// Height between the middles of both.
        height: f64,
        /// Place of the middle of the circle above, seen from that below, along x and y.
        offset: [f64; 2],
        /// Angles by which the plane of the circle below rises along x and y.
        bottom_shear: [f64; 2],
        /// Angles by which the plane of the circle above rises along x and y.
        top_shear: [f64; 2],
    },
    /// An ellipsoid about the origin: half axes along x, y, z.
    Ellipsoid([f64; 3]),
    /// A dished end over a circle in z = 0.
    Dish {
        /// Radius of the circle.
        radius: f64,
        /// Height of the dish.
        height: f64,
        /// Whether it is half an ellipsoid; else a cap of a sphere.
        is_elliptical: bool,
    },
    /// A tube about an arc in z = 0 around the origin, with flat ends.
    Torus {
        /// Radius of the arc.
        radius: f64,
        /// Radius of the tube, at most that of the arc.
        tube: f64,
        /// Angle of the arc from +x towards +y, at most a full turn.
        angle: f64,
    },
    /// A rectangle turned about z, with flat ends.
    RectangularTorus {
        /// Least distance from the axis.
        inner: f64,
        /// Largest distance from the axis.
        outer: f64,
        /// Full height.
        height: f64,
        /// Angle from +x towards +y, at most a full turn.
        angle: f64,
    },
}

/// The keys of round shapes; a cylinder with sides is a prism.
pub(super) const KINDS: [&str; 5] = ["cone", "ellipsoid", "dish", "torus", "rectangular_torus"];

/// The keys that may stand beside one of [`KINDS`].
const BESIDE: [(&str, &[&str]); 4] = [
    ("cone", &["offset_xy", "bottom_shear", "top_shear"]),
    ("dish", &["kind"]),
    ("torus", &["angle"]),
    ("rectangular_torus", &["angle"]),
];

/// Words of the kinds of a dish, and whether each is elliptical.
const DISHES: [(&str, bool); 2] = [("spherical", false), ("elliptical", true)];

/// Sectors of a full turn; less than a full turn has a share of them, and at least two.
const SECTORS: f64 = 32.0;

/// The keys that may stand beside the key of a kind of shape.
pub(super) fn keys_beside(kind: &str) -> &'static [&'static str] {
    BESIDE.iter().find(|(of, _)| *of == kind).map_or(&[], |(_, keys)| keys)
}

impl RoundShape {
    /// Reads the value of a key of [`KINDS`], or of a cylinder without sides; `table`: the keys
    /// beside it.
    pub(super) fn from_field(field: &Field<'_>, table: &Keys<'_>, unit: LengthUnit) -> Result<Self> {
        let lengths = |count: usize, what: &str| field.items(Some(count), what);
        let positive = |item: &Field<'_>| item.positive_length(unit);
        let shape = match field.key() {
            "cylinder" => {
                let items = lengths(2, "lengths [radius, height]")?;
                Self::Cylinder { radius: positive(&items[0])?, height: positive(&items[1])? }
            }
            "cone" => {
                let items = lengths(3, "lengths [radius below, radius above, height]")?;
                let offset = table.get("offset_xy").map(|key| key.items(Some(2), "lengths [x, y]")).transpose()?;
                let offset = match offset.as_deref() {
                    Some([x, y]) => [x.length(unit)?, y.length(unit)?],
                    _ => [0.0; 2],
                };
                Self::Cone {
                    bottom: items[0].length_from_zero(unit)?,
                    top: items[1].length_from_zero(unit)?,
                    height: positive(&items[2])?,
                    offset,
                    bottom_shear: shear(table, "bottom_shear")?,
                    top_shear: shear(table, "top_shear")?,
                }
            }
            "ellipsoid" => {
                let items = lengths(3, "half axes [a, b, c]")?;
                Self::Ellipsoid([positive(&items[0])?, positive(&items[1])?, positive(&items[2])?])
            }
            "dish" => {
                let items = lengths(2, "lengths [radius, height]")?;
                let kind = table.required("kind", "add `kind = \"spherical\"` or `kind = \"elliptical\"`")?;
                let is_elliptical = kind.choice(&DISHES)?;
                Self::Dish { radius: positive(&items[0])?, height: positive(&items[1])?, is_elliptical }
            }
            "torus" => {
                let items = lengths(2, "lengths [radius of the arc, radius of the tube]")?;
                let (radius, tube, angle) = (positive(&items[0])?, positive(&items[1])?, angle(table)?);
                Self::Torus { radius, tube, angle }
            }
            _ => {
                let items = lengths(3, "lengths [inner radius, outer radius, height]")?;
                let (inner, outer) = (items[0].length_from_zero(unit)?, positive(&items[1])?);
                Self::RectangularTorus { inner, outer, height: positive(&items[2])?, angle: angle(table)? }
            }
        };
        match shape.problem() {
            Some((problem, remedy)) => Err(field.error(problem, remedy)),
            None => Ok(shape),
        }
    }

    /// Why the numbers are no shape, and the remedy.
    pub(super) fn problem(&self) -> Option<(String, &'static str)> {
        match *self {
            Self::Cone { bottom, top, .. } if bottom.max(top) == 0.0 => {
                Some(("both radii are 0".to_owned(), "give at least one of them a length above 0"))
            }
            Self::Cone { height, bottom, top, bottom_shear, top_shear, .. } => {
                let rise = |k: usize| top * tangent(top_shear[k]) - bottom * tangent(bottom_shear[k]);
                let most = rise(0).hypot(rise(1));
                let remedy = "lessen the shears or the radii, or give more height";
                (most >= height).then(|| ("the planes of both ends meet inside of the body".to_owned(), remedy))
            }
            Self::Torus { radius, tube, .. } if tube > radius => {
                let problem = format!("the radius of the tube, {tube} m, is larger than that of the arc, {radius} m");
                Some((problem, "give [radius of the arc, radius of the tube], the tube not the larger one"))
            }
            Self::RectangularTorus { inner, outer, .. } if inner >= outer => {
                let problem = format!("the inner radius, {inner} m, is not less than the outer one, {outer} m");
                Some((problem, "give [inner radius, outer radius, height]"))
            }
            _ => None,
        }
    }

    /// Its number among the kinds, and its own numbers.
    fn numbers(&self) -> (u64, Vec<f64>) {
        match *self {
            Self::Cylinder { radius, height } => (0, vec![radius, height]),
            Self::Cone { bottom, top, height, offset, bottom_shear, top_shear } => {
                (1, [&[bottom, top, height][..], &offset, &bottom_shear, &top_shear].concat())
            }
            Self::Ellipsoid(half_axes) => (2, half_axes.to_vec()),
            Self::Dish { radius, height, is_elliptical } => (3 + u64::from(is_elliptical), vec![radius, height]),
            Self::Torus { radius, tube, angle } => (5, vec![radius, tube, angle]),
            Self::RectangularTorus { inner, outer, height, angle } => (6, vec![inner, outer, height, angle]),
        }
    }

    /// Numbers that are equal, bit by bit, exactly for equal shapes.
    pub(super) fn identity(&self) -> Vec<u64> {
        let (kind, numbers) = self.numbers();
        std::iter::once(kind).chain(numbers.into_iter().map(f64::to_bits)).collect()
    }

    /// The bodies that the shape is the union of: one, or the sectors of a torus.
    pub(super) fn bodies(&self) -> Vec<RoundBody> {
        let disc = |[x, y, z]: [f64; 3], radius: f64, shear: [f64; 2]| {
            let half =
                |axis: [f64; 2], rise: f64| Vec3::new(radius * axis[0], radius * axis[1], radius * tangent(rise));
            Cap::disc(Vec3::new(x, y, z), [half([1.0, 0.0], shear[0]), half([0.0, 1.0], shear[1])])
        };
        let along = |[a, b, c]: [f64; 3]| [Vec3::new(a, 0.0, 0.0), Vec3::new(0.0, b, 0.0), Vec3::new(0.0, 0.0, c)];
        let cap = |middle: f64, half_axes: [f64; 3], height: f64| {
            vec![RoundBody::hull(vec![Cap { middle: Vec3::new(0.0, 0.0, middle), axes: along(half_axes), height }])]
        };
        match *self {
            Self::Cylinder { radius, height } => {
                let ends = [-0.5, 0.5].map(|share| disc([0.0, 0.0, share * height], radius, [0.0; 2]));
                vec![RoundBody::hull(ends.to_vec())]
            }
            Self::Cone { bottom, top, height, offset, bottom_shear, top_shear } => {
                let middle = |share: f64| [share * offset[0], share * offset[1], share * height];
                let ends = [disc(middle(-0.5), bottom, bottom_shear), disc(middle(0.5), top, top_shear)];
                vec![RoundBody::hull(ends.to_vec())]
            }
            Self::Ellipsoid(half_axes) => cap(0.0, half_axes, 2.0),
            Self::Dish { radius, height, is_elliptical: true } => cap(0.0, [radius, radius, height], 1.0),
            Self::Dish { radius, height, .. } => {
                // The sphere through the circle and the top.
                let sphere = 0.5 * (radius * (radius / height) + height);
                cap((height - sphere).max(0.0), [sphere; 3], (height / sphere).min(2.0))
            }
            Self::Torus { radius, tube, angle } => sectors(Section::Disc { arc: radius, radius: tube }, angle),
            Self::RectangularTorus { inner, outer, height, angle } => {
                sectors(Section::Rectangle { inner, outer, half_height: 0.5 * height }, angle)
            }
        }
    }
}

/// Two balls of one radius at both ends of a segment along z, and their hull, under a map; one ball
/// if the segment has no length.
pub(super) fn balls(radius: f64, length: f64, map: impl Fn(Vec3<f64>) -> Vec3<f64>) -> RoundBody {
    let ball = |z: f64| Cap {
        middle: Vec3::new(0.0, 0.0, z),
        axes: [Vec3::new(radius, 0.0, 0.0), Vec3::new(0.0, radius, 0.0), Vec3::new(0.0, 0.0, radius)],
        height: 2.0,
    };
    let ends = if length == 0.0 { vec![ball(0.0)] } else { vec![ball(-0.5 * length), ball(0.5 * length)] };
    RoundBody::hull(ends).mapped(map, Vec3::ZERO)
}

/// The sectors of a torus about z, from +x on.
fn sectors(section: Section, angle: f64) -> Vec<RoundBody> {
    let count = (SECTORS * angle / 360.0).ceil().max(2.0) as u32;
    let turn = |k: u32| {
        let (cos, sin) = cos_sin_degrees(angle * (f64::from(k) / f64::from(count)));
        [cos, sin]
    };
    let axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];
    let sector = |k: u32| {
        let (from, to) = (turn(k), turn(k + 1));
        RoundBody::Sector(Sector { middle: Vec3::ZERO, axes, section, from, to, is_chord: false })
    };
    (0..count).map(sector).collect()
}

/// The tangent of an angle in degrees.
fn tangent(degrees: f64) -> f64 {
    libm::tan(degrees * (PI / 180.0))
}

/// `angle`: above 0, a full turn at most.
fn angle(table: &Keys<'_>) -> Result<f64> {
    let Some(key) = table.get("angle") else { return Ok(360.0) };
    let angle = degrees(&key)?;
    if angle > 0.0 && angle <= 360.0 {
        return Ok(angle);
    }
    Err(key.error(format!("the angle is {angle} degrees"), "give an angle above 0, at most \"360deg\""))
}

/// The shear of an end: two angles of less than a quarter turn.
fn shear(table: &Keys<'_>, name: &str) -> Result<[f64; 2]> {
    let Some(key) = table.get(name) else { return Ok([0.0; 2]) };
    let items = key.items(Some(2), "angles along x and y")?;
    let mut shear = [0.0; 2];
    for (angle, item) in shear.iter_mut().zip(&items) {
        *angle = degrees(item)?;
        if angle.abs() >= 90.0 {
            return Err(key.error(format!("a shear is {angle} degrees"), "give angles between -90 and 90 degrees"));
        }
    }
    Ok(shear)
}
