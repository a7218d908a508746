//! Axes: values to pixels, and ticks at round numbers.

use crate::words::trimmed;

/// Values beyond are drawn as this one.
const LARGEST: f64 = 1e15;

/// A linear axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    /// Pixels of `low` and of `high`.
    ends: [f64; 2],
}

/// A mark of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) text: String,
}

impl Axis {
    /// From `low` to `high`, widened if they are equal; numbers that are not finite count as 0.
    pub(super) fn new(low: f64, high: f64, ends: [f64; 2]) -> Self {
        let [low, high] = [low, high].map(bounded);
        let (low, high) = (low.min(high), low.max(high));
        let least = 1e-9 * low.abs().max(high.abs());
        if high - low > least {
            return Self { low, high, ends };
        }
        let half = least.max(if high == 0.0 { 0.5 } else { 0.0 }).max(0.5e-9);
        Self { low: low - half, high: high + half, ends }
    }

    /// The same axis with a margin at both ends, as a share of its length.
    pub(super) fn padded(self, share: f64) -> Self {
        let margin = share * (self.high - self.low);
        Self { low: self.low - margin, high: self.high + margin, ends: self.ends }
    }

    /// Its first and last value.
    pub(super) fn range(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// The pixel of a value, at most twenty lengths of the axis beyond its ends.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (bounded(value) - self.low) / (self.high - self.low);
        let [start, end] = self.ends;
        start + share.clamp(-20.0, 21.0) * (end - start)
    }

    /// Ticks at multiples of 1, 2 or 5 times a power of ten, at most `most`. `whole`: at integers
    /// only.
    pub(super) fn ticks(&self, most: usize, whole: bool) -> Vec<Tick> {
        let raw = (self.high - self.low) / most.max(1) as f64;
        let power = 10_f64.powi(raw.log10().floor() as i32);
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|&step| step >= raw);
        let step = step.unwrap_or(10.0 * power).max(if whole { 1.0 } else { 0.0 });
        let first = (self.low / step - 1e-9).ceil();
        let last = (self.high / step + 1e-9).floor();
        let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        (0..=most)
            .map(|index| first + index as f64)
            .take_while(|&multiple| multiple <= last)
            .map(|multiple| Tick { value: multiple * step, text: tick_text(multiple * step, decimals) })
            .collect()
    }
}

/// The number of a tick: with an exponent if it would be long.
fn tick_text(value: f64, decimals: usize) -> String {
    let plain = format!("{value:.decimals$}");
    let plain = if decimals == 0 && plain == "-0" { "0" } else { trimmed(&plain) };
    if plain.len() <= 10 { plain.to_owned() } else { format!("{value:.3e}") }
}

fn bounded(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(-LARGEST, LARGEST) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(low: f64, high: f64, most: usize, whole: bool) -> Vec<String> {
        Axis::new(low, high, [0.0, 100.0]).ticks(most, whole).into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts(0.0, 100.0, 6, false), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(texts(-0.2, 0.31, 6, false), ["-0.2", "-0.1", "0", "0.1", "0.2", "0.3"]);
        assert_eq!(texts(176.0, 178.0, 6, true), ["176", "177", "178"]);
        assert_eq!(texts(1.7e9, 1.7e9 + 10.0, 5, false).first().map(String::as_str), Some("1700000000"));
        assert_eq!(texts(0.0, 4e12, 4, false)[1], "1.000e12");
    }

    #[test]
    fn an_axis_is_finite_whatever_it_gets() {
        for low in [f64::NAN, f64::NEG_INFINITY, 0.0, 1e300, -1e-300] {
            for high in [f64::NAN, f64::INFINITY, 0.0, 1e300, 1e-300] {
                let axis = Axis::new(low, high, [10.0, 90.0]).padded(0.05);
                for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, 1.0, 1e300] {
                    assert!(axis.at(value).is_finite(), "{low} {high} {value}");
                }
                assert!(axis.ticks(6, false).len() <= 7);
                assert!(axis.ticks(6, true).iter().all(|tick| tick.value.is_finite()));
            }
        }
    }
}
