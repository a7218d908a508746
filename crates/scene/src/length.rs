//! Lengths as text, with or without a unit of their own.

use clearsweep_model::LengthUnit;
use std::f64::consts::PI;

/// The largest length, coordinate or size that a scene may name, metres: about a hundred light
/// years.
///
/// Far beyond any plant or orbit, and far below where squares and cubes of lengths leave the range
/// of `f64`.
pub const MAX_LENGTH_M: f64 = 1e18;

/// Reads an angle with its unit, radians: `"90deg"`, `"1.57rad"`.
///
/// # Errors
/// The text is no number with `deg` or `rad` behind it.
pub(super) fn parse_angle(text: &str) -> Result<f64, String> {
    let (number, per_unit) = match (text.strip_suffix("deg"), text.strip_suffix("rad")) {
        (Some(number), _) => (number, PI / 180.0),
        (_, Some(number)) => (number, 1.0),
        _ => return Err(format!("`{text}` names no unit of angles")),
    };
    number.trim().parse().map(|angle: f64| angle * per_unit).map_err(|_| format!("`{text}` is no angle"))
}

/// A length in metres: `0.2` in the given unit, or `50mm`, `1.5 ft` in its own.
///
/// # Errors
/// Text that is no finite number with an optional unit, or a length beyond [`MAX_LENGTH_M`]; the
/// message says what is wrong with it.
pub fn parse_length(text: &str, unit: LengthUnit) -> Result<f64, String> {
    let text = text.trim();
    let number = text.trim_end_matches(|c: char| c.is_alphabetic());
    let word = &text[number.len()..];
    let not_a_length = || format!("`{text}` is not a length like 0.2 or 50mm");
    if number.trim().is_empty() {
        return Err(not_a_length());
    }
    let unit = match word {
        "" => unit,
        _ => LengthUnit::parse(word)
            .ok_or_else(|| format!("`{text}`: `{word}` is no length unit ({})", LengthUnit::words()))?,
    };
    let value: f64 = number.trim_end().parse().map_err(|_| not_a_length())?;
    let metres = unit.metres(value);
    check_length(metres).map_err(|problem| format!("`{text}`: {problem}"))?;
    Ok(metres)
}

/// The unit that a text such as `50mm` is written in; `None`: it names none.
pub(super) fn unit_of(text: &str) -> Option<LengthUnit> {
    let text = text.trim();
    LengthUnit::parse(&text[text.trim_end_matches(|c: char| c.is_alphabetic()).len()..])
}

/// Whether a length (metres) is one that a scene may name.
pub(super) fn check_length(metres: f64) -> Result<(), String> {
    if !metres.is_finite() {
        Err("the length is not a finite number".into())
    } else if metres.abs() > MAX_LENGTH_M {
        Err(format!("the length is beyond {MAX_LENGTH_M:e} m"))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_take_their_own_unit_or_the_default() {
        let inch = LengthUnit::parse("in").expect("a unit");
        assert_eq!(parse_length("0.5", inch), Ok(0.0127));
        assert_eq!(parse_length("50mm", inch), Ok(0.05));
        assert_eq!(parse_length(" 1.5 ft ", inch), Ok(0.4572));
        assert_eq!(parse_length("1e3mm", inch), Ok(1.0));
        assert_eq!(parse_length("-2km", inch), Ok(-2000.0));
    }

    #[test]
    fn what_is_no_length_is_refused() {
        let metre = LengthUnit::parse("m").expect("a unit");
        for text in ["", "mm", "nan", "inf", "1 furlong", "1,5m", "1e400", "1e300", "5 5", "0x10", "5µm", "1 M"] {
            let problem = parse_length(text, metre).expect_err(text);
            assert!(!problem.is_empty());
        }
        assert!(parse_length("3 parsec", metre).expect_err("no unit").contains("m, mm, cm, km, in, ft"));
    }
}
