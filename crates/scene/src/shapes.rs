//! Shapes of the scene file: box, sphere, capsule, prism, points, and round ones. A shape is made
//! of convex solids (and sectors of tori), each a core of points or a round one, and a radius.

use super::keys::{Field, Keys};
use super::round_shape::{self, RoundShape};
use clearsweep_base::error::Result;
use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::round::{Cover, cover};
use clearsweep_geometry::{Pose, RoundBody, Vec3};
use clearsweep_model::LengthUnit;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};

/// Most sides of a cylinder.
pub const MAX_SIDES: u32 = 4096;

/// A shape, lengths in metres, centred on the body's origin (but for points).
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeSpec {
    /// Full side lengths along x, y, z.
    Box([f64; 3]),
    /// Radius.
    Sphere(f64),
    /// A segment along z, inflated by a radius.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length of the segment, without the caps.
        length: f64,
    },
    /// A prism about z, circumscribed about the circular cylinder so that it contains it.
    Cylinder {
        /// Radius of the circle inside.
        radius: f64,
        /// Full height.
        height: f64,
        /// Sides of the polygon.
        sides: u32,
    },
    /// A round shape, exact.
    Round(RoundShape),
    /// The hull of points.
    Points(Vec<[f64; 3]>),
    /// Convex pieces, each the hull of its points. Vertices are numbered through all of them.
    Pieces(Vec<Vec<[f64; 3]>>),
    /// Shapes in places of their own. Vertices are numbered through all of them.
    Parts(Vec<ShapePart>),
}

/// A shape that is a part of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapePart {
    /// No part of several parts.
    pub shape: ShapeSpec,
    /// Rows of the linear map of the shape before it is placed; `None`: it stays as it is.
    pub matrix: Option<[[f64; 3]; 3]>,
    /// Pose of its frame in the body's frame, metres.
    pub place: Pose,
}

/// A convex solid that a shape is made of, or a sector of a torus, in the frame of the body.
pub(super) struct Solid {
    /// The core.
    pub(super) core: SolidCore,
    /// The radius by which the core is inflated, metres.
    pub(super) radius: f64,
    /// How far rounding may have moved a point, metres.
    pub(super) rounding: f64,
}

/// The core of a solid.
pub(super) enum SolidCore {
    /// The hull of these points, metres.
    Points(Vec<Vec3<f64>>),
    /// A round body.
    Round(RoundBody),
}

impl Solid {
    fn of_points((points, radius): (Vec<Vec3<f64>>, f64)) -> Self {
        Self { core: SolidCore::Points(points), radius, rounding: 0.0 }
    }

    fn round(body: RoundBody) -> Self {
        Self { core: SolidCore::Round(body), radius: 0.0, rounding: 0.0 }
    }

    pub(super) fn is_round(&self) -> bool {
        matches!(self.core, SolidCore::Round(_))
    }

    /// The points whose hull is the core, or lies around the round one, metres. The latter are
    /// found anew each time, as they would take most of the memory of a plant.
    pub(super) fn points(&self) -> Cow<'_, [Vec3<f64>]> {
        match &self.core {
            SolidCore::Points(points) => Cow::Borrowed(points),
            SolidCore::Round(body) => Cow::Owned(cover(body).points),
        }
    }

    /// The polyhedron around a round core; `None` of another one.
    pub(super) fn cover(&self) -> Option<Cover> {
        match &self.core {
            SolidCore::Points(_) => None,
            SolidCore::Round(body) => Some(cover(body)),
        }
    }

    /// The core under a linear map, then moved by a vector; `rounding`: see [`Self::rounding`].
    fn mapped(self, map: impl Fn(Vec3<f64>) -> Vec3<f64>, shift: Vec3<f64>, rounding: f64) -> Self {
        let core = match self.core {
            SolidCore::Round(body) => SolidCore::Round(body.mapped(map, shift)),
            SolidCore::Points(points) => {
                SolidCore::Points(points.into_iter().map(|point| map(point) + shift).collect())
            }
        };
        Self { core, rounding, ..self }
    }

    /// No point of it is farther from the origin, metres.
    fn reach(&self) -> f64 {
        self.points().iter().map(|point| point.length()).fold(0.0, f64::max)
    }
}

impl ShapePart {
    /// The solids of the part.
    fn solids(&self) -> Vec<Solid> {
        let solids = match self.matrix {
            Some(rows) => self.shape.mapped(rows),
            None => self.shape.solids(),
        };
        let turns = self.place.q != Pose::IDENTITY.q;
        if self.place.position == Vec3::ZERO && !turns {
            return solids;
        }
        let rows = rotation(self.place.q);
        let turned = |v: Vec3<f64>| {
            if turns { Vec3::new(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v)) } else { v }
        };
        let place = |solid: Solid| {
            let reach = solid.reach();
            let rounding = f64::EPSILON * (self.place.position.length() + if turns { 16.0 * reach } else { reach });
            let rounding = solid.rounding + rounding;
            solid.mapped(turned, self.place.position, rounding)
        };
        solids.into_iter().map(place).collect()
    }
}

impl ShapeSpec {
    /// Reads the value of a key such as `box`; `table`: the keys beside it.
    pub(super) fn from_field(field: &Field<'_>, table: &Keys<'_>, unit: LengthUnit) -> Result<Self> {
        match field.key() {
            "box" => {
                let sides = field.items(Some(3), "lengths")?;
                Ok(Self::Box([
                    sides[0].positive_length(unit)?,
                    sides[1].positive_length(unit)?,
                    sides[2].positive_length(unit)?,
                ]))
            }
            "sphere" => Ok(Self::Sphere(field.positive_length(unit)?)),
            "capsule" => {
                let items = field.items(Some(2), "lengths")?;
                let radius = items[0].positive_length(unit)?;
                let length = items[1].length(unit)?;
                if length < 0.0 {
                    return Err(
                        field.error("the core segment is negative", "give [radius, length of the core segment]")
                    );
                }
                Ok(Self::Capsule { radius, length })
            }
            "cylinder" => {
                let items = field.items(None, "values [radius, height], or [radius, height, sides]")?;
                if items.len() != 3 {
                    return RoundShape::from_field(field, table, unit).map(Self::Round);
                }
                let (radius, height) = (items[0].positive_length(unit)?, items[1].positive_length(unit)?);
                Ok(Self::Cylinder { radius, height, sides: sides(field, items[2].number()?)? })
            }
            "pieces" => Self::pieces(field, unit),
            "points" => Self::points(field, unit),
            _ => RoundShape::from_field(field, table, unit).map(Self::Round),
        }
    }

    fn points(field: &Field<'_>, unit: LengthUnit) -> Result<Self> {
        let points = field.points(unit)?;
        if points.is_empty() {
            return Err(field.error("there are no points", "give at least one point [x, y, z]"));
        }
        Ok(Self::Points(points))
    }

    fn pieces(field: &Field<'_>, unit: LengthUnit) -> Result<Self> {
        let pieces = field.point_lists(unit)?;
        if pieces.is_empty() || pieces.iter().any(Vec::is_empty) {
            return Err(
                field.error("there is a piece without points, or no piece", "give each piece at least one point")
            );
        }
        Ok(Self::Pieces(pieces))
    }

    /// Numbers that are equal, bit by bit, exactly for equal shapes.
    pub(super) fn identity(&self) -> Vec<u64> {
        let (kind, numbers): (u64, &[f64]) = match self {
            Self::Pieces(pieces) => {
                // The length of each list tells lists of the same points apart.
                let list = |piece: &Vec<[f64; 3]>| {
                    let numbers = piece.as_flattened().iter().map(|number| number.to_bits());
                    std::iter::once(piece.len() as u64).chain(numbers).collect::<Vec<_>>()
                };
                return std::iter::once(5).chain(pieces.iter().flat_map(list)).collect();
            }
            Self::Parts(parts) => {
                let part = |part: &ShapePart| {
                    let place = part.place.position.to_array().into_iter().chain(part.place.q);
                    let place = place.chain(part.matrix.iter().flatten().flatten().copied());
                    let own = part.shape.identity();
                    std::iter::once(own.len() as u64).chain(own).chain(place.map(f64::to_bits)).collect::<Vec<_>>()
                };
                return std::iter::once(6).chain(parts.iter().flat_map(part)).collect();
            }
            Self::Round(shape) => return std::iter::once(7).chain(shape.identity()).collect(),
            Self::Box(sides) => (0, sides),
            Self::Sphere(radius) => (1, &[*radius]),
            Self::Capsule { radius, length } => (2, &[*radius, *length]),
            Self::Cylinder { radius, height, sides } => (3, &[*radius, *height, f64::from(*sides)]),
            Self::Points(points) => (4, points.as_flattened()),
        };
        std::iter::once(kind).chain(numbers.iter().map(|number| number.to_bits())).collect()
    }

    /// The points whose hull is the core, in published vertex order, and the radius; of round
    /// shapes those of the polyhedra around them.
    ///
    /// Box: vertex `i` lies at +x where bit 0 of `i` is set, at +y by bit 1, at +z by bit 2.
    /// Capsule: the end at -z, then +z. Cylinder: the polygon at -z, counter-clockwise from +x,
    /// then the one at +z.
    pub fn core(&self) -> (Vec<Vec3<f64>>, f64) {
        match self {
            Self::Box([x, y, z]) => {
                let side = |length: f64, bit: u32| if bit & 1 == 1 { length / 2.0 } else { -length / 2.0 };
                ((0..8).map(|i| Vec3::new(side(*x, i), side(*y, i >> 1), side(*z, i >> 2))).collect(), 0.0)
            }
            Self::Sphere(radius) => (vec![Vec3::ZERO], *radius),
            Self::Capsule { radius, length } => {
                ([-length / 2.0, length / 2.0].map(|z| Vec3::new(0.0, 0.0, z)).to_vec(), *radius)
            }
            Self::Cylinder { radius, height, sides } => {
                // A few ulp outwards, so that rounding never cuts into the circle.
                let outer = radius / libm::cos(PI / f64::from(*sides)) * (1.0 + 4.0 * f64::EPSILON);
                let ring = |z: f64| {
                    (0..*sides).map(move |i| {
                        let (cos, sin) = turn(i, *sides);
                        Vec3::new(outer * cos, outer * sin, z)
                    })
                };
                (ring(-height / 2.0).chain(ring(height / 2.0)).collect(), 0.0)
            }
            Self::Points(points) => (points.iter().map(|&p| p.into()).collect(), 0.0),
            Self::Pieces(_) | Self::Parts(_) | Self::Round(_) => {
                (self.solids().iter().flat_map(|solid| solid.points().into_owned()).collect(), 0.0)
            }
        }
    }

    /// The solids that it is made of: one, or the pieces of several.
    pub(super) fn solids(&self) -> Vec<Solid> {
        match self {
            Self::Parts(parts) => parts.iter().flat_map(ShapePart::solids).collect(),
            Self::Pieces(pieces) => pieces
                .iter()
                .map(|points| Solid::of_points((points.iter().map(|&point| point.into()).collect(), 0.0)))
                .collect(),
            Self::Round(shape) => shape.bodies().into_iter().map(Solid::round).collect(),
            _ => vec![Solid::of_points(self.core())],
        }
    }

    /// The solids of the shape under a linear map with these rows. A ball becomes an ellipsoid.
    fn mapped(&self, rows: [[f64; 3]; 3]) -> Vec<Solid> {
        let rows = rows.map(Vec3::from);
        let map = |v: Vec3<f64>| Vec3::new(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v));
        let most = rows.iter().map(|row| row.length()).fold(0.0, f64::max);
        let rounded = |solid: Solid| {
            let rounding = solid.rounding * 2.0 * most + 8.0 * f64::EPSILON * most * solid.reach();
            solid.mapped(map, Vec3::ZERO, rounding)
        };
        match *self {
            Self::Sphere(radius) => vec![Solid::round(round_shape::balls(radius, 0.0, map))],
            Self::Capsule { radius, length } => vec![Solid::round(round_shape::balls(radius, length, map))],
            _ => self.solids().into_iter().map(rounded).collect(),
        }
    }
}

/// Whether a linear map with these rows is not singular, nor nearly so: a map that flattens by more
/// leaves no digits to tell the sides of a body apart.
pub(super) fn spans_space(rows: [[f64; 3]; 3]) -> bool {
    let rows = rows.map(Vec3::from);
    let volume = rows[0].dot(rows[1].cross(rows[2])).abs();
    let box_of_rows = rows.iter().map(|row| row.length()).product::<f64>();
    volume.is_finite() && volume > 1e-9 * box_of_rows
}

fn sides(field: &Field<'_>, number: f64) -> Result<u32> {
    if number.fract() == 0.0 && (3.0..=f64::from(MAX_SIDES)).contains(&number) {
        return Ok(number as u32);
    }
    let remedy = format!("give [radius, height, sides] with 3 to {MAX_SIDES} sides");
    Err(field.error(format!("{number} is not a number of sides"), remedy))
}

/// Cosine and sine of `i / n` of a turn, `i < n`: reduced to the first octant, so that quarter
/// turns and mirror images are exact.
fn turn(i: u32, n: u32) -> (f64, f64) {
    let (quadrant, part) = (4 * i / n, 4 * i % n); // part / n of a quarter turn
    let quarter = |part: u32| FRAC_PI_2 * (f64::from(part) / f64::from(n));
    let (cos, sin) = match (2 * part).cmp(&n) {
        Ordering::Less => (libm::cos(quarter(part)), libm::sin(quarter(part))),
        Ordering::Equal => (FRAC_1_SQRT_2, FRAC_1_SQRT_2),
        Ordering::Greater => (libm::sin(quarter(n - part)), libm::cos(quarter(n - part))),
    };
    match quadrant {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_geometry::{Dd, Scalar};

    #[test]
    fn turns_are_exact_at_quarters_and_symmetric() {
        assert_eq!(
            (0..4).map(|i| turn(i, 4)).collect::<Vec<_>>(),
            [(1.0, 0.0), (-0.0, 1.0), (-1.0, -0.0), (0.0, -1.0)]
        );
        for n in 3..200 {
            for i in 0..n {
                let (cos, sin) = turn(i, n);
                let angle = std::f64::consts::TAU * f64::from(i) / f64::from(n);
                assert!((cos - angle.cos()).abs() < 1e-14 && (sin - angle.sin()).abs() < 1e-14, "{i}/{n}");
                if i > 0 {
                    assert_eq!(turn(n - i, n), (cos, -sin), "{i}/{n}");
                }
            }
        }
    }

    #[test]
    fn a_cylinder_contains_its_circle() {
        for sides in [3, 4, 5, 7, 12, 64, 1000, MAX_SIDES] {
            let (points, _) = ShapeSpec::Cylinder { radius: 0.3, height: 2.0, sides }.core();
            assert_eq!(points.len(), 2 * sides as usize);
            assert!(points[0].x > 0.3 && points[0].y == 0.0 && points[0].z == -1.0);
            for i in 0..sides as usize {
                let (a, b) = (points[i], points[(i + 1) % sides as usize]);
                // The line's distance from the axis, in double-double: the answer must not depend
                // on the test's rounding.
                let ([ax, ay], [bx, by]) = ([a.x, a.y].map(Dd::from_f64), [b.x, b.y].map(Dd::from_f64));
                let (dx, dy) = (bx - ax, by - ay);
                let apothem = (ax * by - ay * bx) / (dx * dx + dy * dy).sqrt();
                let (low, high) = (Dd::from_f64(0.3), Dd::from_f64(0.3 * (1.0 + 4e-15)));
                assert!(apothem >= low && apothem <= high, "{sides} sides, side {i}: {apothem:?}");
            }
        }
    }
}
