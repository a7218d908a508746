//! Values on the command line that have a syntax of their own.

use std::ops::Range;
use std::str::FromStr;

/// `A..B`: half-open, either end may be left out; or one value. An end of `i64::MAX` is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) Range<i64>);

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shape = || "give A..B with whole numbers, for example 0..100, 50.. or ..10, or one number".to_owned();
        let Some((low, high)) = text.split_once("..") else {
            let one: i64 = text.trim().parse().map_err(|_| shape())?;
            // The greatest of all numbers as an end means that there is none.
            return Ok(Self(one..one.saturating_add(1)));
        };
        let end = |text: &str, open: i64| match text.trim() {
            "" => Ok(open),
            number => number.parse().map_err(|_| shape()),
        };
        let (low, high) = (end(low, i64::MIN)?, end(high, i64::MAX)?);
        if low >= high && high != i64::MAX {
            return Err(format!("the range is empty: it is half-open, so {low}.. ends before {high}"));
        }
        Ok(Self(low..high))
    }
}

/// A number of bytes, such as 500MB (decimal), 2GiB or 2G (binary), or 1048576.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) u64);

/// Units of bytes, in lower case. A letter alone is binary, as with `ulimit`, `docker` and
/// `systemd`.
const BYTE_UNITS: [(&str, u64); 14] = [
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("kb", 1_000),
    ("kib", 1 << 10),
    ("m", 1 << 20),
    ("mb", 1_000_000),
    ("mib", 1 << 20),
    ("g", 1 << 30),
    ("gb", 1_000_000_000),
    ("gib", 1 << 30),
    ("t", 1 << 40),
    ("tb", 1_000_000_000_000),
    ("tib", 1 << 40),
];

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shape = || "give a number of bytes, for example 500MB, 2GiB or 1048576".to_owned();
        let text = text.trim().to_ascii_lowercase();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unit = BYTE_UNITS.iter().find(|(word, _)| *word == unit.trim()).ok_or_else(shape)?.1;
        let bytes = match number.parse::<u64>() {
            Ok(whole) => whole.checked_mul(unit).ok_or_else(shape)?,
            Err(_) => (number.parse::<f64>().map_err(|_| shape())? * unit as f64) as u64,
        };
        match bytes {
            0 => Err("zero bytes are too few; give for example 500MB".to_owned()),
            _ => Ok(Self(bytes)),
        }
    }
}

/// A number of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Threads(pub(crate) usize);

/// More threads than this are a slip of the keyboard, not a machine.
const MOST_THREADS: usize = 4096;

impl FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(threads) if (1..=MOST_THREADS).contains(&threads) => Ok(Self(threads)),
            _ => Err(format!("give a number of threads from 1 to {MOST_THREADS}, or leave it out for all cores")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_half_open_and_may_lack_an_end() {
        let span = |text: &str| text.parse::<Span>().map(|span| span.0);
        assert_eq!(span("0..100"), Ok(0..100));
        assert_eq!(span("-5..10"), Ok(-5..10));
        assert_eq!(span("..-3"), Ok(i64::MIN..-3));
        assert_eq!(span("7.."), Ok(7..i64::MAX));
        assert_eq!(span(".."), Ok(i64::MIN..i64::MAX));
        assert_eq!((span("5"), span("-3")), (Ok(5..6), Ok(-3..-2)));
        assert_eq!(span("9223372036854775807"), Ok(i64::MAX..i64::MAX), "no end");
        for wrong in
            ["", "9223372036854775808", "5..5", "9..2", "a..b", "1..2..3", "1.5..2", "1:2", "99999999999999999999.."]
        {
            assert!(span(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bytes_have_decimal_and_binary_units() {
        let bytes = |text: &str| text.parse::<Bytes>().map(|bytes| bytes.0);
        assert_eq!(bytes("500MB"), Ok(500_000_000));
        assert_eq!(bytes("2GiB"), Ok(2 << 30));
        assert_eq!(bytes("2g"), Ok(2 << 30));
        assert_eq!(bytes("1.5 GiB"), Ok(3 << 29));
        assert_eq!(bytes("1048576"), Ok(1 << 20));
        for wrong in ["", "GB", "0", "-1", "1XB", "1..5MB", "99999999999TB", "nan"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn threads_are_one_or_more() {
        assert_eq!("8".parse(), Ok(Threads(8)));
        for wrong in ["0", "-1", "many", "100000"] {
            assert!(wrong.parse::<Threads>().is_err(), "{wrong}");
        }
    }
}
