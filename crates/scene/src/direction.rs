//! A direction of the world, as users give it.

use super::keys::Field;
use clearsweep_base::error;
use clearsweep_geometry::Vec3;

/// Remedy for numbers that give no direction.
pub const DIRECTION_REMEDY: &str = "give x, y and z of a vector that is not zero, for example 0,0,-1";

/// The unit vector along `[x, y, z]`; its components are rounded, and what is rounded is the
/// direction. `None` if one of the numbers is not finite, or all are zero.
pub fn unit_direction(components: [f64; 3]) -> Option<Vec3<f64>> {
    let largest = components.into_iter().fold(0.0, |most: f64, c| most.max(c.abs()));
    if largest == 0.0 || !components.iter().all(|c| c.is_finite()) {
        return None;
    }
    // Squares of the scaled components neither overflow nor vanish together.
    let [x, y, z] = components.map(|c| c / largest);
    Some(Vec3::new(x, y, z).normalized())
}

/// The unit vector along the three numbers of a key.
pub(super) fn direction(field: &Field<'_>) -> error::Result<Vec3<f64>> {
    let numbers = field.numbers(3)?;
    let unit = unit_direction([numbers[0], numbers[1], numbers[2]]);
    unit.ok_or_else(|| field.error("this vector has no direction", DIRECTION_REMEDY))
}

/// The unit vector of the text `X,Y,Z`.
///
/// # Errors
/// The text is not three numbers, or they are no direction; the message says what is wrong.
pub fn parse_direction(text: &str) -> Result<Vec3<f64>, String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let numbers = numbers.ok_or_else(|| format!("not all of these are numbers: `{text}`"))?;
    let components = <[f64; 3]>::try_from(numbers)
        .map_err(|numbers| format!("three numbers are needed, {} are given: `{text}`", numbers.len()))?;
    unit_direction(components).ok_or_else(|| format!("this vector has no direction: `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_have_length_one_whatever_their_size() {
        for scale in [1e-310, 1e-200, 1.0, 1e200, 1e308] {
            let found = unit_direction([0.0, 3e-1 * scale, -4e-1 * scale]).expect("a direction");
            assert!((found - Vec3::new(0.0, 0.6, -0.8)).length() < 1e-12, "{scale:e}: {found:?}");
        }
        assert_eq!(parse_direction(" 0, 0 ,-2"), Ok(Vec3::new(0.0, 0.0, -1.0)));
    }

    #[test]
    fn what_is_no_direction_is_refused() {
        for text in ["", "1,2", "1,2,3,4", "a,b,c", "0,0,0", "nan,0,1", "1,nan,1", "inf,0,0", "0,0,-inf", "1;2;3"] {
            assert!(parse_direction(text).is_err(), "{text}");
        }
    }
}
