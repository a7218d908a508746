//! The kinds of primitives, and their exact shapes.
//!
//! Lengths are those of the file, which are millimetres; the matrix of a primitive turns them into
//! metres. Angles of the file are radians.

use super::plant::Fields;
use crate::round_shape::RoundShape;
use crate::shapes::ShapeSpec;
use std::f64::consts::TAU;

/// A size below this, millimetres, is no size; squares of it would leave the range of `f64`.
const SMALLEST: f64 = 1e-20;

/// Full turns of single precision are longer than a full turn.
const FULL_TURN: f64 = TAU * (1.0 + f32::EPSILON as f64);

/// The kind of a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A frustum of a rectangle, also flat or pointed.
    Pyramid,
    /// A box.
    Box,
    /// A rectangle about an axis.
    RectangularTorus,
    /// A bent tube.
    CircularTorus,
    /// Half an ellipsoid.
    EllipticalDish,
    /// A cap of a sphere.
    SphericalDish,
    /// A cone frustum, also skewed or with inclined ends.
    Snout,
    /// A cylinder.
    Cylinder,
    /// A sphere.
    Sphere,
    /// A drawing aid.
    Line,
    /// Polygons.
    FacetGroup,
    /// A number that is no known kind.
    Unknown(u32),
}

impl Kind {
    /// By the numbers of the format.
    const NUMBERED: [Self; 11] = [
        Self::Pyramid,
        Self::Box,
        Self::RectangularTorus,
        Self::CircularTorus,
        Self::EllipticalDish,
        Self::SphericalDish,
        Self::Snout,
        Self::Cylinder,
        Self::Sphere,
        Self::Line,
        Self::FacetGroup,
    ];

    pub(super) fn of(number: u32) -> Self {
        let index = (number as usize).checked_sub(1);
        index.and_then(|index| Self::NUMBERED.get(index)).copied().unwrap_or(Self::Unknown(number))
    }

    /// The word in names and messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pyramid => "pyramid",
            Self::Box => "box",
            Self::RectangularTorus => "rectangular-torus",
            Self::CircularTorus => "circular-torus",
            Self::EllipticalDish => "elliptical-dish",
            Self::SphericalDish => "spherical-dish",
            Self::Snout => "snout",
            Self::Cylinder => "cylinder",
            Self::Sphere => "sphere",
            Self::Line => "line",
            Self::FacetGroup => "facets",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Numbers of its parameters; 0 of polygons and of unknown kinds.
    fn count(self) -> usize {
        match self {
            Self::Pyramid => 7,
            Self::Box | Self::CircularTorus => 3,
            Self::RectangularTorus => 4,
            Self::EllipticalDish | Self::SphericalDish | Self::Cylinder | Self::Line => 2,
            Self::Snout => 9,
            Self::Sphere => 1,
            Self::FacetGroup | Self::Unknown(_) => 0,
        }
    }

    /// Passes over its parameters; `None`: the chunk ends before them.
    pub(super) fn skip_numbers(self, fields: &mut Fields<'_>) -> Option<()> {
        match self {
            Self::FacetGroup => {
                for _ in 0..fields.word()? {
                    for _ in 0..fields.word()? {
                        fields.skip_items(24)?;
                    }
                }
            }
            Self::Unknown(_) => fields.at = fields.bytes.len(),
            _ => drop(fields.bytes(4 * self.count())?),
        }
        Some(())
    }

    /// The exact shape of a primitive in its own frame, and a length that reaches beyond it; `None`:
    /// its numbers end too early.
    ///
    /// # Errors
    /// Its numbers are none of a solid; the reason.
    pub(super) fn shape(self, fields: &mut Fields<'_>) -> Option<Result<(ShapeSpec, f64), String>> {
        let mut numbers = [0.0; 9];
        for number in &mut numbers[..self.count()] {
            *number = fields.float()?;
        }
        let numbers = &numbers[..self.count()];
        if let Some(wrong) = numbers.iter().find(|number| !number.is_finite()) {
            return Some(Err(format!("a size is {wrong}")));
        }
        if let Some(wrong) = numbers.iter().find(|number| **number != 0.0 && number.abs() < SMALLEST) {
            return Some(Err(format!("a size is {wrong:e} mm")));
        }
        Some(self.solid(numbers).map(|shape| (shape, reach(numbers))))
    }

    /// The shape of a number of parameters that are finite.
    fn solid(self, numbers: &[f64]) -> Result<ShapeSpec, String> {
        let round = |shape: RoundShape| match shape.problem() {
            None => Ok(ShapeSpec::Round(shape)),
            Some((problem, _)) => Err(problem),
        };
        match *numbers {
            [bottom_x, bottom_y, top_x, top_y, x, y, height] => {
                check_sides(&[bottom_x, bottom_y, top_x, top_y, height])?;
                Ok(pyramid([bottom_x, bottom_y, top_x, top_y], [x, y, height]))
            }
            [x, y, z] if self == Self::Box => {
                check_sides(&[x, y, z])?;
                Ok(ShapeSpec::Box([x, y, z]))
            }
            [radius, tube, turn] => {
                check_positive(&[("radius", radius), ("radius of the tube", tube)])?;
                if tube > radius {
                    return Err("its tube passes its axis".to_owned());
                }
                round(RoundShape::Torus { radius, tube, angle: angle(turn)? })
            }
            [inner, outer, height, turn] => {
                check_positive(&[("outer radius", outer)])?;
                check_sides(&[inner, outer, height])?;
                if inner >= outer {
                    return Err("its inner radius is not less than its outer one".to_owned());
                }
                round(RoundShape::RectangularTorus { inner, outer, height, angle: angle(turn)? })
            }
            [radius, height] => {
                check_positive(&[("radius", radius), ("height", height)])?;
                let is_elliptical = self == Self::EllipticalDish;
                round(match self {
                    Self::Cylinder => RoundShape::Cylinder { radius, height },
                    _ => RoundShape::Dish { radius, height, is_elliptical },
                })
            }
            [bottom, top, height, x, y, bottom_x, bottom_y, top_x, top_y] => {
                check_positive(&[("height", height)])?;
                check_sides(&[bottom, top])?;
                let degrees = |angles: [f64; 2]| angles.map(f64::to_degrees);
                let (bottom_shear, top_shear) = (degrees([bottom_x, bottom_y]), degrees([top_x, top_y]));
                round(RoundShape::Cone { bottom, top, height, offset: [x, y], bottom_shear, top_shear })
            }
            [diameter] => {
                check_positive(&[("diameter", diameter)])?;
                Ok(ShapeSpec::Sphere(0.5 * diameter))
            }
            _ => Err("it is no solid".to_owned()),
        }
    }
}

/// A length that no point of a shape is farther from its origin than.
fn reach(numbers: &[f64]) -> f64 {
    // Behind the sizes of a snout stand the angles of its ends.
    let (sizes, shears) = numbers.split_at(if numbers.len() == 9 { 5 } else { numbers.len() });
    let slope: f64 = shears.iter().map(|angle| libm::tan(*angle).abs()).sum();
    sizes.iter().map(|size| size.abs()).sum::<f64>() * (1.0 + slope)
}

/// Refuses a size that is not above 0.
fn check_positive(sizes: &[(&str, f64)]) -> Result<(), String> {
    sizes.iter().find(|(_, size)| *size <= 0.0).map_or(Ok(()), |(what, size)| Err(format!("its {what} is {size} mm")))
}

/// Refuses sides of which one is negative, or all are 0: plates and edges are bodies, points are
/// not.
fn check_sides(sides: &[f64]) -> Result<(), String> {
    match sides.iter().find(|side| **side < 0.0) {
        Some(side) => Err(format!("one of its sizes is {side} mm")),
        None if sides.iter().all(|side| *side == 0.0) => Err("all its sizes are 0 mm".to_owned()),
        None => Ok(()),
    }
}

/// An angle in degrees: above 0, a full turn at most.
fn angle(radians: f64) -> Result<f64, String> {
    match radians {
        turn if turn > 0.0 && turn < TAU => Ok(turn.to_degrees().min(360.0)),
        turn if (TAU..=FULL_TURN).contains(&turn) => Ok(360.0),
        turn => Err(format!("its angle is {turn} radians")),
    }
}

/// The corners of a pyramid: the rectangle below, then that above.
fn pyramid([bottom_x, bottom_y, top_x, top_y]: [f64; 4], [x, y, height]: [f64; 3]) -> ShapeSpec {
    let rectangle = |sides: [f64; 2], share: f64| {
        [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]
            .map(|[right, back]: [f64; 2]| [right * sides[0] + share * x, back * sides[1] + share * y, share * height])
    };
    ShapeSpec::Points([rectangle([bottom_x, bottom_y], -0.5), rectangle([top_x, top_y], 0.5)].concat())
}
