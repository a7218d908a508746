//! The distinct values of a column in a row group, in the order in which they first occur.

use super::columns::Words;
use super::schema::Vocabulary;
use rustc_hash::FxHashMap;

/// No index yet.
const NONE: u32 = u32::MAX;

/// Distinct values, and the index of each.
#[derive(Debug)]
pub(super) enum Dictionary {
    /// Small numbers that are not negative: body indices, and numbers of words. A table instead of a hash map.
    Codes { index: Vec<u32>, codes: Vec<i32> },
    /// Any numbers. Neighbours are often equal: the last one is looked at first.
    Numbers { index: FxHashMap<i64, u32>, numbers: Vec<i64>, last: Option<(i64, u32)> },
}

impl Dictionary {
    /// An empty dictionary of codes.
    pub(super) fn of_codes() -> Self {
        Self::Codes { index: Vec::new(), codes: Vec::new() }
    }

    /// An empty dictionary of numbers.
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

    /// Appends the indices of codes, which a dictionary of codes takes.
    pub(super) fn codes(&mut self, values: impl Iterator<Item = i32>, indices: &mut Vec<u32>) {
        let Self::Codes { index, codes } = self else { unreachable!("codes go into a dictionary of codes") };
        indices.extend(values.map(|code| {
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

    /// Appends the indices of numbers, which a dictionary of numbers takes.
    pub(super) fn numbers(&mut self, values: impl Iterator<Item = i64>, indices: &mut Vec<u32>) {
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

    /// Forgets all values; what they were.
    pub(super) fn take(&mut self) -> Distinct {
        match self {
            Self::Codes { index, codes } => {
                codes.iter().for_each(|&code| index[code as usize] = NONE);
                Distinct::Codes(std::mem::take(codes))
            }
            Self::Numbers { index, numbers, last } => {
                index.clear();
                *last = None;
                Distinct::Numbers(std::mem::take(numbers))
            }
        }
    }
}

/// The distinct values of a row group.
#[derive(Debug)]
pub(super) enum Distinct {
    Codes(Vec<i32>),
    Numbers(Vec<i64>),
}

impl Distinct {
    /// Number of values.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Codes(codes) => codes.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }

    /// The plain encoding of the values; of words, where codes stand for them.
    pub(super) fn plain(&self, words: Option<(&Words, Vocabulary)>, out: &mut Vec<u8>) {
        out.clear();
        match (self, words) {
            (Self::Codes(codes), Some((words, vocabulary))) => codes.iter().for_each(|&code| {
                let word = words.word(vocabulary, code);
                out.extend_from_slice(&(word.len() as u32).to_le_bytes());
                out.extend_from_slice(word.as_bytes());
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
            codes.codes(values.into_iter(), &mut a);
            numbers.numbers(values.into_iter().map(|v| i64::from(v) - (1 << 40)), &mut b);
            assert_eq!(a, [0, 0, 1, 2, 0, 3, 2]);
            assert_eq!((&a, codes.len()), (&b, numbers.len()));
            let mut bytes = Vec::new();
            assert_eq!(codes.take().len(), 4);
            numbers.take().plain(None, &mut bytes);
            assert_eq!(bytes[8..16], (-(1_i64 << 40)).to_le_bytes());
            assert_eq!((codes.len(), numbers.len()), (0, 0));
        }
    }

    #[test]
    fn words_stand_for_their_codes() {
        let words = Words::new(["one", "two", "three"].into_iter());
        let mut bytes = Vec::new();
        Distinct::Codes(vec![2, 0]).plain(Some((&words, Vocabulary::Bodies)), &mut bytes);
        assert_eq!(bytes, b"\x05\0\0\0three\x03\0\0\0one");
    }
}
