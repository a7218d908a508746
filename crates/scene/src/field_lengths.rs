//! Lengths in a scene: a number in the scene's unit, or a text with its own, such as `"50mm"`.

use super::keys::Field;
use super::length::{check_length, parse_length};
use super::values::Value;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::LengthUnit;
use toml::de::DeValue;

impl Field<'_> {
    /// A number in `unit`, or a text with a unit of its own; in metres.
    pub(super) fn length(&self, unit: LengthUnit) -> Result<f64> {
        match self.value {
            Value::Text(text) => parse_length(text, unit).map_err(|problem| {
                self.error(problem, "give a number, which is in the scene's `length_unit`, or a text such as \"50mm\"")
            }),
            Value::Length(_, own) => self.metres(self.number()?, own),
            Value::Number(_) | Value::Toml(DeValue::Integer(_) | DeValue::Float(_)) => {
                self.metres(self.number()?, unit)
            }
            value => {
                let problem = format!("a {} instead of a length", value.type_str());
                Err(self.error(problem, "give a length: a number, or a text with a unit such as \"50mm\""))
            }
        }
    }

    /// A length of this key that may not be negative, in metres.
    pub(super) fn length_from_zero(&self, unit: LengthUnit) -> Result<f64> {
        let metres = self.length(unit)?;
        if metres < 0.0 {
            return Err(self.error("the length is negative", "give a length of 0 or more"));
        }
        Ok(metres)
    }

    /// A length of this key that must be positive, in metres.
    pub(super) fn positive_length(&self, unit: LengthUnit) -> Result<f64> {
        let metres = self.length(unit)?;
        if metres <= 0.0 {
            let written = match self.value {
                Value::Text(text) => text.to_owned(),
                _ => self.number()?.to_string(),
            };
            return Err(
                self.error(format!("{written} is not a positive length"), "lengths of a shape must be positive")
            );
        }
        Ok(metres)
    }

    /// Returns the items of a list of `N` lengths, in metres.
    pub(super) fn lengths<const N: usize>(&self, unit: LengthUnit) -> Result<[f64; N]> {
        let mut metres = [0.0; N];
        for (to, item) in metres.iter_mut().zip(self.items(Some(N), "lengths")?) {
            *to = item.length(unit)?;
        }
        Ok(metres)
    }

    /// Lists of points, each as [`Self::points`].
    pub(super) fn point_lists(&self, unit: LengthUnit) -> Result<Vec<Vec<[f64; 3]>>> {
        self.items(None, "lists of points [x, y, z]")?.iter().map(|list| list.points(unit)).collect()
    }

    /// A list of points, in metres.
    pub(super) fn points(&self, unit: LengthUnit) -> Result<Vec<[f64; 3]>> {
        let wanted = "points [x, y, z]";
        let mut points = Vec::new();
        for item in self.items(None, wanted)? {
            let point = match plain_point(item.value) {
                Some(point) => point.map(|number| unit.metres(number)),
                None => item.lengths(unit).map_err(|error| {
                    let problem = format!("point {}: {}", points.len(), error.problem);
                    Error::input(&error.place, problem, format!("give a list of {wanted}"))
                })?,
            };
            for metres in point {
                check_length(metres).map_err(|problem| item.error(problem, "check the number and the length unit"))?;
            }
            points.push(point);
        }
        Ok(points)
    }

    /// A number of this key in `unit`, in metres.
    fn metres(&self, number: f64, unit: LengthUnit) -> Result<f64> {
        let metres = unit.metres(number);
        check_length(metres).map_err(|problem| self.error(problem, "check the number and the length unit"))?;
        Ok(metres)
    }
}

/// Three finite numbers, with a point or an exponent each in TOML: nearly all points are such, and
/// there may be very many.
fn plain_point(value: Value<'_>) -> Option<[f64; 3]> {
    let mut point = [0.0_f64; 3];
    match value {
        Value::Numbers(numbers) => point = numbers.try_into().ok()?,
        Value::Toml(DeValue::Array(array)) if array.len() == 3 => {
            for (to, item) in point.iter_mut().zip(array.iter()) {
                let DeValue::Float(float) = item.get_ref() else { return None };
                *to = float.as_str().parse().ok()?;
            }
        }
        _ => return None,
    }
    point.iter().all(|number| number.is_finite()).then_some(point)
}
