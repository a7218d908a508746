//! The values behind the header, from either encoding, one after the other.

use super::super::mesh::Fault;
use super::header::REMEDY;
use super::header::{Element, PlyEncoding, PlyScalar, Property};
use clearsweep_model::single_step;

/// The values that are still to be read.
pub(super) struct Values<'a> {
    encoding: PlyEncoding,
    rest: &'a [u8],
    /// The line of the last value (ASCII).
    line: usize,
}

const CUT: &str = "is cut off: the file ends";

impl<'a> Values<'a> {
    pub(super) fn new(encoding: PlyEncoding, rest: &'a [u8], header_lines: usize) -> Self {
        Self { encoding, rest, line: header_lines + 1 }
    }

    /// A fault where reading stands.
    pub(super) fn fault(&self, problem: String) -> Fault {
        let line = (self.encoding == PlyEncoding::Ascii).then_some(self.line);
        Fault { line, problem, remedy: REMEDY.to_owned() }
    }

    /// Returns the count of an element, if the rest of the file can hold that number; 0 if it has
    /// no properties.
    pub(super) fn fits(&self, element: &Element) -> Result<usize, String> {
        let least = |property: &Property| match self.encoding {
            PlyEncoding::Ascii => 2, // a character, and a blank
            _ => property.length.unwrap_or(property.kind).size(),
        };
        let size: usize = element.properties.iter().map(least).sum();
        if size == 0 {
            return Ok(0);
        }
        let most = (self.rest.len() + 1) / size; // the last blank may be missing
        let count = usize::try_from(element.count).ok().filter(|&count| count <= most);
        count.ok_or_else(|| {
            format!(
                "the file is truncated: {} elements `{}` take {size} bytes or more each, and {} bytes are left",
                element.count,
                element.name,
                self.rest.len()
            )
        })
    }

    /// The rounding step of a coordinate of a type, up to a magnitude.
    pub(super) fn step(&self, kind: PlyScalar, magnitude: f64) -> f64 {
        match kind {
            _ if self.encoding == PlyEncoding::Ascii => 0.0,
            PlyScalar::F64 => 0.0,
            PlyScalar::F32 => single_step(magnitude),
            _ => 1.0,
        }
    }

    /// The next value. Every type of PLY fits a `f64`.
    pub(super) fn scalar(&mut self, kind: PlyScalar) -> Result<f64, String> {
        match self.encoding {
            PlyEncoding::Ascii => self.word(kind),
            PlyEncoding::LittleEndian => self.binary(kind, false),
            PlyEncoding::BigEndian => self.binary(kind, true),
        }
    }

    /// The length of a list (1 for a single value), once it is known that the rest of the file can
    /// hold it.
    pub(super) fn length(&mut self, property: &Property) -> Result<usize, String> {
        let Some(kind) = property.length else { return Ok(1) };
        let length = self.scalar(kind)?;
        let size = if self.encoding == PlyEncoding::Ascii { 2 } else { property.kind.size() };
        let most = (self.rest.len() + 1) / size;
        if (0.0..=most as f64).contains(&length) {
            Ok(length as usize)
        } else {
            Err(format!("has {length} values, which {CUT}"))
        }
    }

    /// Reads past a property.
    pub(super) fn skip(&mut self, property: &Property) -> Result<(), String> {
        let length = self.length(property)?;
        match self.encoding {
            PlyEncoding::Ascii => (0..length).try_for_each(|_| self.word(property.kind).map(|_| ())),
            _ => self.take(length * property.kind.size()).map(|_| ()),
        }
    }

    /// Returns the problem if anything but blanks is left.
    pub(super) fn rest(&mut self) -> Option<String> {
        let blanks = self.rest.trim_ascii_start();
        (!blanks.is_empty())
            .then(|| format!("the file does not end with its last element: {} bytes more", blanks.len()))
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (head, rest) = self.rest.split_at_checked(count).ok_or(CUT)?;
        self.rest = rest;
        Ok(head)
    }

    fn binary(&mut self, kind: PlyScalar, big: bool) -> Result<f64, String> {
        let bytes = self.take(kind.size())?;
        let mut word = [0; 8];
        // Little-endian, in the low bytes.
        for (to, from) in word.iter_mut().zip(0..bytes.len()) {
            *to = bytes[if big { bytes.len() - 1 - from } else { from }];
        }
        let bits = u64::from_le_bytes(word);
        Ok(match kind {
            PlyScalar::I8 => f64::from((bits as u8).cast_signed()),
            PlyScalar::U8 => f64::from(bits as u8),
            PlyScalar::I16 => f64::from((bits as u16).cast_signed()),
            PlyScalar::U16 => f64::from(bits as u16),
            PlyScalar::I32 => f64::from((bits as u32).cast_signed()),
            PlyScalar::U32 => f64::from(bits as u32),
            PlyScalar::F32 => f64::from(f32::from_bits(bits as u32)),
            PlyScalar::F64 => f64::from_bits(bits),
        })
    }

    /// The next word as a number of its declared type.
    fn word(&mut self, kind: PlyScalar) -> Result<f64, String> {
        let blanks = self.rest.iter().position(|b| !b.is_ascii_whitespace()).ok_or(CUT)?;
        let (skipped, rest) = self.rest.split_at(blanks);
        self.line += line_ends(skipped);
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        let text = std::str::from_utf8(word).unwrap_or_default();
        let whole = |low: i64, high: i64| -> Option<f64> {
            let value = text.parse::<i64>().ok().filter(|value| (low..=high).contains(value))?;
            Some(value as f64)
        };
        let value = match kind {
            PlyScalar::I8 => whole(i8::MIN.into(), i8::MAX.into()),
            PlyScalar::U8 => whole(0, u8::MAX.into()),
            PlyScalar::I16 => whole(i16::MIN.into(), i16::MAX.into()),
            PlyScalar::U16 => whole(0, u16::MAX.into()),
            PlyScalar::I32 => whole(i32::MIN.into(), i32::MAX.into()),
            PlyScalar::U32 => whole(0, u32::MAX.into()),
            // A decimal is what it says, whichever precision the header declares.
            PlyScalar::F32 | PlyScalar::F64 => text.parse().ok(),
        };
        value.ok_or_else(|| {
            let shown: String = String::from_utf8_lossy(word).chars().take(40).collect();
            format!("has `{shown}`, which is no number of its type ({kind:?})")
        })
    }
}

/// Ends of lines among blanks; CR LF is one.
fn line_ends(blanks: &[u8]) -> usize {
    let before = std::iter::once(&0).chain(blanks);
    before.zip(blanks).filter(|&(&last, &b)| b == b'\r' || b == b'\n' && last != b'\r').count()
}
