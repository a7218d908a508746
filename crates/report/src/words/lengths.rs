//! Lengths in the unit of a scene. Bounds are rounded outward: a written bound holds wherever the
//! stored one does.

use super::{count, trimmed};
use clearsweep_model::LengthUnit;

/// Significant digits of a length.
const DIGITS: usize = 5;
/// Significant digits of the ends of a bracket.
const BRACKET_DIGITS: usize = 4;
/// Decimals at most, where fewer would hide that a bound differs from the requirement.
const MOST_DECIMALS: usize = 15;

/// Direction of rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Nearest,
    Down,
    Up,
}

/// Digits of a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Digits {
    /// All decimals of the unit, as in the terminal.
    All,
    /// Five significant digits, and at most the decimals of the unit, as in reports.
    Five,
}

/// Writes lengths in the unit of a scene, down to about a micrometre.
#[derive(Debug, Clone, Copy)]
pub struct Lengths {
    unit: LengthUnit,
    decimals: usize,
    digits: Digits,
}

impl Lengths {
    /// Writes lengths in this unit, with all its decimals.
    pub fn of(unit: LengthUnit) -> Self {
        Self { unit, decimals: unit.decimals(), digits: Digits::All }
    }

    /// Writes lengths in the unit of this word, with all its decimals; in metres if it is no unit.
    pub fn of_word(word: &str) -> Self {
        Self::of(LengthUnit::parse(word).unwrap_or(LengthUnit::ALL[0]))
    }

    /// Writes lengths in this unit to five digits.
    pub(crate) fn to_five_digits(unit: LengthUnit) -> Self {
        Self { digits: Digits::Five, ..Self::of(unit) }
    }

    /// Whether the unit is the metre.
    pub fn is_in_metres(self) -> bool {
        self.unit.word == "m"
    }

    /// The word of the unit.
    pub(crate) fn word(self) -> &'static str {
        self.unit.word
    }

    /// Returns a length in the unit.
    pub(crate) fn value(self, metres: f64) -> f64 {
        metres * self.unit.denominator / self.unit.numerator
    }

    /// Formats a length, without zeros at its end: `48.213 mm`. A length that is too small for the
    /// decimals has an exponent: it is not 0.
    pub fn text(self, metres: f64) -> String {
        self.nearest(metres, self.decimals_of(metres))
    }

    /// Formats two lengths that lie close together to a thousandth of the last decimal, rounded away
    /// from each other.
    pub fn fine_ends(self, [from, to]: [f64; 2]) -> [String; 2] {
        let ways = if to >= from { [Rounding::Down, Rounding::Up] } else { [Rounding::Up, Rounding::Down] };
        let text = |metres, way| self.with_unit(&self.rounded(metres, self.decimals + 3, way));
        [text(from, ways[0]), text(to, ways[1])]
    }

    /// Formats like [`Self::text`], with all decimals, so that columns line up.
    pub fn fixed(self, metres: f64) -> String {
        let (value, decimals) = (self.value(metres), self.decimals);
        self.with_unit(&match self.is_small(value) {
            true => format!("{value:.2e}"),
            // A zero has no sign.
            false => format!("{:.decimals$}", value + 0.0),
        })
    }

    /// A length that a user wrote, with the decimals that read back as that length, if nine do: `50
    /// mm`.
    pub(crate) fn required(self, metres: f64) -> String {
        let reads_back = |&decimals: &usize| {
            let text = format!("{:.decimals$}", self.value(metres));
            self.readings(&text).contains(&metres)
        };
        let decimals = (0..=9).find(reads_back).unwrap_or(self.decimals);
        self.nearest(metres, decimals)
    }

    /// Formats like [`Self::text`], rounded down: what is written, read as a length, is not above
    /// `metres`.
    pub fn at_least(self, metres: f64) -> String {
        self.with_unit(&self.rounded(metres, self.decimals_of(metres), Rounding::Down))
    }

    /// Formats like [`Self::text`], rounded up: what is written, read as a length, is not below
    /// `metres`.
    pub fn at_most(self, metres: f64) -> String {
        if self.digits == Digits::Five {
            return self.with_unit(&self.rounded(metres, self.decimals_of(metres), Rounding::Up));
        }
        // The last place that is written: rounding takes away half of it at most.
        let is_small = self.is_small(self.value(metres));
        let place = if is_small { 0.01 * metres } else { self.unit.metres(0.1_f64.powi(self.decimals as i32)) };
        let text = self.text(metres);
        let written = text.split(' ').next().and_then(|number| number.parse().ok());
        match written.map(|number| self.unit.metres(number)) {
            Some(written) if written < metres => self.text(metres + place),
            _ => text,
        }
    }

    /// Formats a requirement: `50 mm`, `1 mm of overlap allowed`.
    pub fn requirement(self, metres: f64) -> String {
        if metres < 0.0 { format!("{} of overlap allowed", self.text(-metres)) } else { self.text(metres) }
    }

    /// Returns both ends of a bracket as SQL, rounded outward as [`Self::proven`] rounds, from
    /// columns in metres, with names for the columns.
    pub fn sql_outward(self, lower: &str, upper: &str) -> String {
        let decimals = self.decimals as i32;
        let (factor, name) = match self.unit.word {
            "mm" => (format!("1e{}", decimals + 3), "mm"),
            "cm" => (format!("1e{}", decimals + 2), "cm"),
            "km" => (format!("1e{}", decimals - 3), "km"),
            "in" => (format!("1e{decimals} / 0.0254"), "inches"),
            "ft" => (format!("1e{decimals} / 0.3048"), "feet"),
            _ => (format!("1e{decimals}"), "m"),
        };
        format!(
            "floor({factor} * {lower}) / 1e{decimals} AS at_least_{name}, \
             ceil({factor} * {upper}) / 1e{decimals} AS at_most_{name}"
        )
    }

    /// Formats both ends of a bracket with all decimals, rounded outward, so that columns line up;
    /// `-` if an end is not proven.
    pub fn fixed_ends(self, ends: [Option<f64>; 2]) -> [String; 2] {
        let text = |metres: f64, rounding| {
            let text = self.rounded(metres, self.decimals, rounding);
            let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
            self.with_unit(&match text.contains('e') || self.decimals == 0 {
                true => text.clone(),
                false => format!("{whole}.{part:0<0$}", self.decimals),
            })
        };
        let end = |end: Option<f64>, rounding| end.map_or_else(|| "-".to_owned(), |metres| text(metres, rounding));
        [end(ends[0], Rounding::Down), end(ends[1], Rounding::Up)]
    }

    /// Formats like [`Self::text`], with the digits that show on which side of the requirement the
    /// length is.
    pub(crate) fn beside(self, metres: f64, required: f64) -> String {
        let least = self.decimals_of(metres);
        let order = |number: f64| number.partial_cmp(&required);
        let shows = |&decimals: &usize| {
            let text = self.rounded(metres, decimals, Rounding::Nearest);
            self.readings(&text).iter().any(|&read| order(read) == order(metres))
        };
        self.nearest(metres, (least..=MOST_DECIMALS).find(shows).unwrap_or(least))
    }

    /// A requirement and a proven bracket: `required 50 mm, proven at least 48.2 mm, at most 48.3
    /// mm`.
    ///
    /// A bracket below 0 is told as a depth of overlap. The digits suffice to see on which side of
    /// the requirement an end is.
    pub(crate) fn bracket_sentence(self, required: f64, lower: Option<f64>, upper: Option<f64>) -> String {
        let asked = if required < 0.0 {
            format!("up to {} of overlap allowed", self.required(-required))
        } else {
            format!("required {}", self.required(required))
        };
        let decimals = self.bracket_places(Some(required), lower, upper);
        let down = |metres: f64| self.with_unit(&self.rounded(metres, decimals, Rounding::Down));
        let up = |metres: f64| self.with_unit(&self.rounded(metres, decimals, Rounding::Up));
        let proven = match (lower.filter(|m| m.is_finite()), upper.filter(|m| m.is_finite())) {
            (None, None) => "distance not proven".to_owned(),
            (Some(lower), None) if lower < 0.0 => {
                format!("overlap of at most {}, upper bound not proven", up(-lower))
            }
            (Some(lower), None) => format!("proven at least {}, upper bound not proven", down(lower)),
            (None, Some(upper)) if upper < 0.0 => {
                format!("overlapping by at least {}, greatest depth not proven", down(-upper))
            }
            (None, Some(upper)) => format!("proven at most {}, lower bound not proven", up(upper)),
            (Some(lower), Some(upper)) if upper < 0.0 => {
                format!("overlapping by at least {}, at most {}", down(-upper), up(-lower))
            }
            (Some(lower), Some(upper)) if lower < 0.0 => {
                format!("proven at most {} apart, overlapping by at most {}", up(upper), up(-lower))
            }
            (Some(lower), Some(upper)) => format!("proven at least {}, at most {}", down(lower), up(upper)),
        };
        format!("{asked}, {proven}")
    }

    /// A proven bracket for a line of text: one number if both ends are the same to the last place
    /// that is written (`48.213 mm`), else [both ends](Self::proven_ends).
    pub fn proven(self, lower: Option<f64>, upper: Option<f64>) -> String {
        let nearest = |metres: f64| self.rounded(metres.abs(), self.decimals, Rounding::Nearest);
        match (lower, upper) {
            (Some(lower), Some(upper)) if nearest(lower) == nearest(upper) && nearest(lower) != "0" => match upper {
                _ if lower > 0.0 => self.with_unit(&nearest(lower)),
                _ if upper < 0.0 => self.with_unit(&nearest(lower)) + " deep",
                _ => self.proven_ends([Some(lower), Some(upper)]),
            },
            ends => self.proven_ends(ends.into()),
        }
    }

    /// Both ends of a proven bracket for a line of text, rounded outward: `48.212 to 48.213 mm`,
    /// `9.9 to 10.2 mm deep`.
    pub fn proven_ends(self, ends: [Option<f64>; 2]) -> String {
        let [lower, upper] = ends.map(|end| end.filter(|end| end.is_finite()));
        let down = |metres: f64| self.rounded(metres, self.decimals, Rounding::Down);
        let up = |metres: f64| self.rounded(metres, self.decimals, Rounding::Up);
        let range = |low: f64, high: f64| {
            let (low, high) = (down(low), up(high));
            self.with_unit(&if low == high { high } else { format!("{low} to {high}") })
        };
        let one = |number: String| self.with_unit(&number);
        // The last place that is written: bodies that touch are not told as an overlap.
        let place = self.unit.metres(0.1_f64.powi(self.decimals as i32));
        match (lower, upper) {
            (None, None) => "not proven".to_owned(),
            (None, Some(upper)) if upper < 0.0 => format!("at least {} deep", one(down(-upper))),
            (None, Some(upper)) => format!("at most {}", one(up(upper))),
            (Some(lower), None) if lower < 0.0 => format!("at most {} deep", one(up(-lower))),
            (Some(lower), None) => format!("at least {}", one(down(lower))),
            (Some(lower), Some(upper)) if lower >= 0.0 => range(lower, upper),
            (Some(lower), Some(upper)) if upper.max(-lower) <= place => {
                format!("touching, to {}", one(up(upper.max(-lower))))
            }
            (Some(lower), Some(upper)) if upper < 0.0 => range(-upper, -lower) + " deep",
            (Some(lower), Some(0.0)) => format!("at most {} deep", one(up(-lower))),
            (Some(lower), Some(upper)) => format!("{} deep to {} apart", one(up(-lower)), one(up(upper))),
        }
    }

    /// A proven bracket for a cell of a table, signed: `48.2 .. 48.3 mm`.
    pub(crate) fn bracket(self, required: Option<f64>, lower: Option<f64>, upper: Option<f64>) -> String {
        if lower.is_none() && upper.is_none() {
            return "not proven".to_owned();
        }
        let decimals = self.bracket_places(required, lower, upper);
        let end = |metres: Option<f64>, rounding| {
            metres.map_or_else(|| "not proven".to_owned(), |metres| self.rounded(metres, decimals, rounding))
        };
        let [lower, upper] = [end(lower, Rounding::Down), end(upper, Rounding::Up)];
        let text = if lower == upper { upper } else { format!("{lower} .. {upper}") };
        self.with_unit(&text)
    }

    /// The upper end of a bracket, with the digits that show on which side of the requirement it
    /// is.
    pub(crate) fn upper_end(self, required: Option<f64>, upper: f64) -> String {
        let decimals = self.bracket_places(required, None, Some(upper));
        self.with_unit(&self.rounded(upper, decimals, Rounding::Up))
    }

    /// The proven upper end as [`Self::bracket_sentence`] has it; of an overlap, the least depth.
    pub(crate) fn sentence_end(self, required: f64, [lower, upper]: [Option<f64>; 2]) -> String {
        let decimals = self.bracket_places(Some(required), lower, upper);
        let (length, rounding) = match upper.unwrap_or(f64::INFINITY) {
            upper if upper < 0.0 => (-upper, Rounding::Down),
            upper => (upper, Rounding::Up),
        };
        self.with_unit(&self.rounded(length, decimals, rounding))
    }

    /// A point, to a hundredth of a millimetre or a little less: `x 1250.5, y -20, z 300 mm`.
    pub(crate) fn place(self, metres: [f64; 3]) -> String {
        let decimals = self.decimals.saturating_sub(1);
        let [x, y, z] = metres.map(|metres| self.rounded(metres, decimals, Rounding::Nearest));
        format!("x {x}, y {y}, z {z} {}", self.unit.word)
    }

    /// The edges of a box between two corners, rounded up: `12 x 30 x 4.5 mm`.
    pub(crate) fn edges(self, corners: [[f64; 3]; 2]) -> String {
        let edges: Vec<f64> = (0..3).map(|axis| (corners[1][axis] - corners[0][axis]).abs()).collect();
        let longest = edges.iter().copied().fold(0.0, f64::max);
        let decimals = self.places(longest, BRACKET_DIGITS);
        let texts: Vec<String> = edges.iter().map(|&edge| self.rounded(edge, decimals, Rounding::Up)).collect();
        self.with_unit(&texts.join(" x "))
    }

    /// A bracket of a volume in cubic metres, rounded outward: `1,204 .. 1,206 mm^3`, with a
    /// superscript.
    pub(crate) fn volume(self, cubic_metres: [f64; 2]) -> String {
        let factor = (self.unit.denominator / self.unit.numerator).powi(3);
        // The product is off by a few units in the last place of a double; rounding outward starts
        // beyond that.
        let [lower, upper] = [cubic_metres[0] * factor * (1.0 - 1e-14), cubic_metres[1] * factor * (1.0 + 1e-14)];
        let digits = |value: f64| BRACKET_DIGITS as i32 - 1 - value.abs().log10().floor() as i32;
        let text = |value: f64, outward: fn(f64) -> f64| {
            if value == 0.0 || !value.is_finite() {
                return value.to_string();
            }
            let decimals = digits(value).clamp(-300, 300);
            let scale = 10_f64.powi(decimals.max(0));
            let number = outward(value * scale) / scale;
            match decimals {
                ..=0 if (0.0..1e15).contains(&number) => count(number as u64),
                ..=9 => trimmed(&format!("{number:.*}", decimals.max(0) as usize)).to_owned(),
                _ => format!("{number:.3e}"),
            }
        };
        let [lower, upper] = [text(lower, f64::floor), text(upper, f64::ceil)];
        let range = if lower == upper { upper } else { format!("{lower} .. {upper}") };
        format!("{range} {}\u{b3}", self.unit.word)
    }

    /// Decimals of a length.
    fn decimals_of(self, metres: f64) -> usize {
        match self.digits {
            Digits::All => self.decimals,
            Digits::Five => self.places(metres, DIGITS),
        }
    }

    /// Decimals of a number to `digits` significant digits, at most those of the unit.
    fn places(self, metres: f64, digits: usize) -> usize {
        let value = self.value(metres).abs();
        if value == 0.0 || !value.is_finite() {
            return 0;
        }
        let wanted = digits as i32 - 1 - value.log10().floor() as i32;
        wanted.clamp(0, self.decimals as i32) as usize
    }

    /// Decimals of both ends of a bracket: enough to see that an end meets or misses the
    /// requirement.
    fn bracket_places(self, required: Option<f64>, lower: Option<f64>, upper: Option<f64>) -> usize {
        let largest = lower.unwrap_or(0.0).abs().max(upper.unwrap_or(0.0).abs());
        let least = self.places(largest, BRACKET_DIGITS);
        let Some(required) = required.filter(|required| required.is_finite()) else {
            return least;
        };
        let readings = |metres: f64, decimals, rounding| self.readings(&self.rounded(metres, decimals, rounding));
        let keeps =
            |lower: f64, decimals| readings(lower, decimals, Rounding::Down).iter().any(|&read| read >= required);
        let misses = |upper: f64, decimals| readings(upper, decimals, Rounding::Up).iter().all(|&read| read < required);
        let shows = |&decimals: &usize| {
            lower.is_none_or(|lower| lower < required || keeps(lower, decimals))
                && upper.is_none_or(|upper| upper >= required || misses(upper, decimals))
        };
        (least..=MOST_DECIMALS).find(shows).unwrap_or(least)
    }

    /// Formats the nearest number of `decimals` decimals with its unit, or with an exponent if that
    /// would be 0.
    fn nearest(self, metres: f64, decimals: usize) -> String {
        let value = self.value(metres);
        if self.is_small(value) {
            return self.with_unit(&format!("{value:.2e}"));
        }
        self.with_unit(&self.rounded(metres, decimals, Rounding::Nearest))
    }

    /// Whether a value that is not zero would be written as zero.
    fn is_small(self, value: f64) -> bool {
        value != 0.0 && value.abs() < 0.5 * 0.1_f64.powi(self.decimals as i32)
    }

    /// Formats a number of `decimals` decimals without its unit. `Down` and `Up` hold for the
    /// number read back as a length of the unit.
    fn rounded(self, metres: f64, decimals: usize, rounding: Rounding) -> String {
        let value = self.value(metres);
        if !value.is_finite() {
            return value.to_string();
        }
        let holds = |text: &str| match rounding {
            Rounding::Nearest => true,
            Rounding::Down => self.readings(text).iter().any(|&read| read <= metres),
            Rounding::Up => self.readings(text).iter().any(|&read| read >= metres),
        };
        let step = match rounding {
            Rounding::Down => -(0.1_f64.powi(decimals as i32)),
            Rounding::Nearest | Rounding::Up => 0.1_f64.powi(decimals as i32),
        };
        let texts = (0..3).map(|steps| format!("{:.decimals$}", value + f64::from(steps) * step));
        // A number beyond the digits of a double: a step changes nothing.
        let beyond = (1..9).map(|factor| {
            let outward = f64::from(factor) * f64::EPSILON * value.abs();
            format!("{}", if rounding == Rounding::Down { value - outward } else { value + outward })
        });
        let text = texts.chain(beyond).find(|text| holds(text)).unwrap_or_else(|| value.to_string());
        trimmed(&text).to_owned()
    }

    /// A written number in metres: as a scene is read, and rounded once. Both differ in the last
    /// bit at most, and either may be the number that was written: `48.3mm` in a scene is the
    /// first, 0.0483 m in a trajectory the second.
    fn readings(self, text: &str) -> [f64; 2] {
        let as_scene = text.parse().map_or(f64::NAN, |number| self.unit.metres(number));
        let power = match self.unit.word {
            "m" => "",
            "mm" => "e-3",
            "cm" => "e-2",
            "km" => "e3",
            _ => return [as_scene; 2],
        };
        [as_scene, format!("{text}{power}").parse().unwrap_or(as_scene)]
    }

    fn with_unit(self, number: &str) -> String {
        format!("{number} {}", self.unit.word)
    }
}

#[cfg(test)]
mod tests;
