//! Dictionary encoding: the distinct values of a column in a row group, in the order of their first
//! occurrence.

use super::vocabularies::Vocabularies;
use clearsweep_records::Words;
use rustc_hash::FxHashMap;

/// Marks a code without an index.
const NONE: u32 = u32::MAX;

/// A map from values to dictionary indices.
#[derive(Debug)]
pub(super) enum Dictionary {
    /// Small non-negative codes: body indices and codes of strings. `index` is a direct-address
    /// table.
    Codes { index: Vec<u32>, codes: Vec<i32> },
    /// Any integers. Consecutive values are often equal, so `last` caches the most recent entry.
    Numbers { index: FxHashMap<i64, u32>, numbers: Vec<i64>, last: Option<(i64, u32)> },
}

impl Dictionary {
    /// Creates an empty dictionary of codes.
    pub(super) fn of_codes() -> Self {
        Self::Codes { index: Vec::new(), codes: Vec::new() }
    }

    /// Creates an empty dictionary of integers.
    pub(super) fn of_numbers() -> Self {
        Self::Numbers { index: FxHashMap::default(), numbers: Vec::new(), last: None }
    }

    /// Number of distinct values.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Codes { codes, .. } => codes.len(),
            Self::Numbers { numbers, .. } => numbers.len(),
        }
    }

    /// Appends the index of each code to `indices`. Only for dictionaries of codes.
    pub(super) fn encode_codes(&mut self, values: impl Iterator<Item = i32>, indices: &mut Vec<u32>) {
        let Self::Codes { index, codes } = self else { unreachable!("codes go into a dictionary of codes") };
        indices.extend(values.map(|code| {
            debug_assert!(code >= 0, "codes are not negative");
            let at = code as usize;
            match index.get(at) {
                Some(&known) if known != NONE => known,
                _ => {
                    if index.len() <= at {
                        index.resize((at + 1).next_power_of_two(), NONE);
                    }
                    index[at] = codes.len() as u32;
                    codes.push(code);
                    index[at]
                }
            }
        }));
    }

    /// Appends the index of each integer to `indices`. Only for dictionaries of integers.
    pub(super) fn encode_numbers(&mut self, values: impl Iterator<Item = i64>, indices: &mut Vec<u32>) {
        let Self::Numbers { index, numbers, last } = self else {
            unreachable!("numbers go into a dictionary of numbers")
        };
        indices.extend(values.map(|value| match last {
            Some((number, at)) if *number == value => *at,
            _ => {
                let at = *index.entry(value).or_insert_with(|| {
                    numbers.push(value);
                    numbers.len() as u32 - 1
                });
                *last = Some((value, at));
                at
            }
        }));
    }

    /// Empties the dictionary and returns its values.
    pub(super) fn take(&mut self) -> DictionaryValues {
        match self {
            Self::Codes { index, codes } => {
                codes.iter().for_each(|&code| index[code as usize] = NONE);
                DictionaryValues::Codes(std::mem::take(codes))
            }
            Self::Numbers { index, numbers, last } => {
                index.clear();
                *last = None;
                DictionaryValues::Numbers(std::mem::take(numbers))
            }
        }
    }
}

/// The distinct values of a row group, in the order of their indices.
#[derive(Debug)]
pub(super) enum DictionaryValues {
    Codes(Vec<i32>),
    Numbers(Vec<i64>),
}

impl DictionaryValues {
    /// Number of values.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Codes(codes) => codes.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }

    /// Replaces `out` by the values in PLAIN encoding. With `strings`, the string of each code is
    /// written instead.
    pub(super) fn encode_plain(&self, strings: Option<(&Vocabularies, Words)>, out: &mut Vec<u8>) {
        out.clear();
        match (self, strings) {
            (Self::Codes(codes), Some((strings, words))) => codes.iter().for_each(|&code| {
                let string = strings.text(words, code);
                out.extend_from_slice(&(string.len() as u32).to_le_bytes());
                out.extend_from_slice(string.as_bytes());
            }),
            (Self::Codes(codes), None) => codes.iter().for_each(|code| out.extend_from_slice(&code.to_le_bytes())),
            (Self::Numbers(all), _) => all.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_get_indices_in_the_order_of_their_first_row() {
        let (mut codes, mut numbers) = (Dictionary::of_codes(), Dictionary::of_numbers());
        for _row_group in 0..2 {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            let values = [7, 7, 0, 900, 7, 3, 900];
            codes.encode_codes(values.into_iter(), &mut a);
            numbers.encode_numbers(values.into_iter().map(|v| i64::from(v) - (1 << 40)), &mut b);
            assert_eq!(a, [0, 0, 1, 2, 0, 3, 2]);
            assert_eq!((&a, codes.len()), (&b, numbers.len()));
            let mut bytes = Vec::new();
            assert_eq!(codes.take().len(), 4);
            numbers.take().encode_plain(None, &mut bytes);
            assert_eq!(bytes[8..16], (-(1_i64 << 40)).to_le_bytes());
            assert_eq!((codes.len(), numbers.len()), (0, 0));
        }
    }

    #[test]
    fn codes_are_written_as_their_strings() {
        let strings = Vocabularies::new(["one", "two", "three"].into_iter(), std::iter::empty());
        let mut bytes = Vec::new();
        DictionaryValues::Codes(vec![2, 0]).encode_plain(Some((&strings, Words::Bodies)), &mut bytes);
        assert_eq!(bytes, b"\x05\0\0\0three\x03\0\0\0one");
    }
}
