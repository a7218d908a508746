//! The values of one column of one page, before they are encoded.

use super::f64_page::F64Page;
use super::min_max::MinMax;
use arrow_buffer::ToByteSlice;
use clearsweep_records::{Column, ColumnSink, ColumnType};
use std::borrow::Cow;

/// The values of a column.
#[derive(Debug)]
pub(super) enum ColumnValues {
    Int64(Vec<i64>),
    /// Integers, or codes of strings.
    Int32(Vec<i32>),
    /// In a nullable column NaN stands for null.
    Float64(F64Page),
    Boolean(Vec<bool>),
}

impl ColumnValues {
    /// Number of values.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Int64(values) => values.len(),
            Self::Int32(values) => values.len(),
            Self::Float64(values) => values.len(),
            Self::Boolean(values) => values.len(),
        }
    }

    /// The values in Parquet's PLAIN encoding (Encodings.md): little-endian, without gaps; booleans
    /// as bits, the first the lowest.
    pub(super) fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Int64(values) => Cow::Borrowed(values.to_byte_slice()),
            Self::Int32(values) => Cow::Borrowed(values.to_byte_slice()),
            Self::Float64(values) => Cow::Borrowed(values.to_byte_slice()),
            Self::Boolean(values) => {
                let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
                Cow::Owned(values.chunks(8).map(byte).collect())
            }
        }
    }
}

/// A column of a page that is being filled.
#[derive(Debug)]
pub(super) struct ColumnBuffer {
    pub(super) values: ColumnValues,
    /// Validity of each value in a nullable column of integers or booleans; otherwise empty.
    valid: Vec<bool>,
    /// Minimum and maximum, updated tile by tile while the values are in the first-level cache.
    /// `None` without `tracks_min_max`.
    min_max: Option<MinMax>,
    /// False for strings and for nullable integers, where placeholders of nulls lie among the
    /// values.
    tracks_min_max: bool,
    nullable: bool,
    /// Whether a nullable column of f64 holds a NaN.
    has_nan: bool,
}

impl ColumnBuffer {
    /// Creates an empty column.
    pub(super) fn new(spec: &Column) -> Self {
        let values = match spec.kind {
            ColumnType::Int64 => ColumnValues::Int64(Vec::new()),
            // Texts are codes; those without a dictionary are in no column of this kind.
            ColumnType::Int32 | ColumnType::Text(_) | ColumnType::PlainText | ColumnType::TextList => {
                ColumnValues::Int32(Vec::new())
            }
            ColumnType::Float64 => ColumnValues::Float64(F64Page::with_capacity(0)),
            ColumnType::Boolean => ColumnValues::Boolean(Vec::new()),
        };
        let is_float = matches!(values, ColumnValues::Float64(_));
        let has_min_max = !matches!(spec.kind, ColumnType::Text(_) | ColumnType::Boolean);
        let tracks_min_max = has_min_max && (is_float || !spec.nullable);
        Self { values, valid: Vec::new(), min_max: None, tracks_min_max, nullable: spec.nullable, has_nan: false }
    }

    /// Appends all values to `out`, with the marks of nulls: little-endian, one byte for a boolean
    /// or a mark.
    pub(super) fn append_raw(&self, out: &mut Vec<u8>) {
        match &self.values {
            ColumnValues::Boolean(values) => out.extend(values.iter().map(|&value| u8::from(value))),
            values => out.extend_from_slice(&values.bytes()),
        }
        out.extend(self.valid.iter().map(|&valid| u8::from(valid)));
    }

    /// Appends `rows` values that [`Self::append_raw`] wrote, and returns the bytes after them;
    /// `None` if there are too few.
    pub(super) fn extend_raw<'b>(&mut self, raw: &'b [u8], rows: usize) -> Option<&'b [u8]> {
        let width = match &self.values {
            ColumnValues::Int64(_) | ColumnValues::Float64(_) => 8,
            ColumnValues::Int32(_) => 4,
            ColumnValues::Boolean(_) => 1,
        };
        let (values, mut rest) = raw.split_at_checked(rows * width)?;
        let words = values.as_chunks::<8>().0;
        match &mut self.values {
            ColumnValues::Int64(_) => self.extend_i64(words.iter().map(|word| i64::from_le_bytes(*word))),
            ColumnValues::Float64(_) => self.extend_f64(words.iter().map(|word| f64::from_le_bytes(*word))),
            ColumnValues::Int32(_) => {
                self.extend_i32(values.as_chunks::<4>().0.iter().map(|word| i32::from_le_bytes(*word)));
            }
            ColumnValues::Boolean(all) => all.extend(values.iter().map(|&byte| byte != 0)),
        }
        if self.nullable && !matches!(self.values, ColumnValues::Float64(_)) {
            let marks;
            (marks, rest) = rest.split_at_checked(rows)?;
            self.valid.extend(marks.iter().map(|&byte| byte != 0));
        }
        Some(rest)
    }

    /// Whether each value is there, in a nullable column of integers or booleans; otherwise empty.
    pub(super) fn validity(&self) -> &[bool] {
        &self.valid
    }

    /// Whether a NaN is among the values of a nullable column of numbers.
    pub(super) fn has_null_number(&self) -> bool {
        self.has_nan
    }

    /// Removes all values and keeps the allocation.
    pub(super) fn clear(&mut self) {
        self.valid.clear();
        (self.min_max, self.has_nan) = (None, false);
        match &mut self.values {
            ColumnValues::Int64(values) => values.clear(),
            ColumnValues::Int32(values) => values.clear(),
            ColumnValues::Float64(values) => values.clear(),
            ColumnValues::Boolean(values) => values.clear(),
        }
    }

    /// Moves the values out. `self` becomes an empty column of the same type and capacity.
    pub(super) fn take(&mut self) -> Self {
        let values = match &self.values {
            ColumnValues::Int64(values) => ColumnValues::Int64(Vec::with_capacity(values.len())),
            ColumnValues::Int32(values) => ColumnValues::Int32(Vec::with_capacity(values.len())),
            ColumnValues::Float64(values) => ColumnValues::Float64(F64Page::with_capacity(values.len())),
            ColumnValues::Boolean(values) => ColumnValues::Boolean(Vec::with_capacity(values.len())),
        };
        let Self { tracks_min_max, nullable, .. } = *self;
        let empty = Self { values, valid: Vec::new(), min_max: None, tracks_min_max, nullable, has_nan: false };
        std::mem::replace(self, empty)
    }

    /// Minimum and maximum; `None` without values. In a nullable column [`Self::remove_nulls`]
    /// comes first.
    pub(super) fn min_max(&self) -> Option<MinMax> {
        if self.tracks_min_max { self.min_max } else { self.min_max_from(0) }
    }

    /// Minimum and maximum of the values from index `first` on.
    fn min_max_from(&self, first: usize) -> Option<MinMax> {
        match &self.values {
            ColumnValues::Int64(values) => MinMax::of_int64(&values[first..]),
            ColumnValues::Int32(values) => MinMax::of_int32(&values[first..]),
            ColumnValues::Float64(values) => MinMax::of_float64(&values[first..]),
            ColumnValues::Boolean(_) => None,
        }
    }

    /// Updates the statistics with the values from index `first` on.
    fn update_statistics(&mut self, first: usize) {
        if !self.tracks_min_max {
            return;
        }
        self.widen(self.min_max_from(first));
        if let ColumnValues::Float64(values) = &self.values
            && self.nullable
        {
            self.has_nan |= values[first..].iter().fold(false, |nan, value| nan | value.is_nan());
        }
    }

    /// Extends minimum and maximum by those of new values.
    fn widen(&mut self, new: Option<MinMax>) {
        self.min_max = match (self.min_max, new) {
            (Some(min_max), Some(new)) => Some(min_max.union(new)),
            (min_max, new) => min_max.or(new),
        };
    }

    /// A column of these values. NaN stands for null where `spec` is nullable.
    #[cfg(test)]
    pub(super) fn of(spec: &Column, values: ColumnValues) -> Self {
        let mut column = Self { values, ..Self::new(spec) };
        column.update_statistics(0);
        column
    }

    /// Removes the nulls of a nullable column. Returns the validity of each value that was there;
    /// `None` if all are valid.
    pub(super) fn remove_nulls(&mut self) -> Option<Vec<bool>> {
        debug_assert!(self.nullable);
        let mut present = std::mem::take(&mut self.valid);
        if let ColumnValues::Float64(values) = &self.values
            && self.has_nan
        {
            present = values.iter().map(|value| !value.is_nan()).collect();
        }
        if present.iter().all(|&valid| valid) {
            return None;
        }
        debug_assert_eq!(present.len(), self.values.len());
        let mut validity = present.iter();
        let mut is_valid = || *validity.next().expect("a mark for each value");
        match &mut self.values {
            ColumnValues::Int64(values) => values.retain(|_| is_valid()),
            ColumnValues::Int32(values) => values.retain(|_| is_valid()),
            ColumnValues::Float64(values) => values.retain(is_valid),
            ColumnValues::Boolean(values) => values.retain(|_| is_valid()),
        }
        Some(present)
    }
}

impl ColumnSink for ColumnBuffer {
    /// Appends values to an i64 column.
    fn extend_i64(&mut self, values: impl Iterator<Item = i64>) {
        let ColumnValues::Int64(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        let first = v.len();
        v.extend(values);
        self.update_statistics(first);
    }

    /// Appends values to an i32 column.
    fn extend_i32(&mut self, values: impl Iterator<Item = i32>) {
        let ColumnValues::Int32(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        let first = v.len();
        v.extend(values);
        self.update_statistics(first);
    }

    /// Appends values to a column of booleans.
    fn extend_bool(&mut self, values: impl Iterator<Item = bool>) {
        let ColumnValues::Boolean(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        v.extend(values);
    }

    /// Appends values to an f64 column.
    fn extend_f64(&mut self, values: impl Iterator<Item = f64>) {
        let ColumnValues::Float64(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        let first = v.len();
        v.extend(values);
        self.update_statistics(first);
    }

    /// Appends `value` `count` times to an i64 column without nulls.
    fn repeat_i64(&mut self, value: i64, count: usize) {
        let ColumnValues::Int64(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        v.resize(v.len() + count, value);
        self.widen(MinMax::of_int64(&[value]));
    }

    /// Appends `value` `count` times to an f64 column. In a nullable column NaN stands for null.
    fn repeat_f64(&mut self, value: f64, count: usize) {
        let ColumnValues::Float64(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        v.repeat(value, count);
        self.has_nan |= value.is_nan();
        self.widen(MinMax::of_float64(&[value]));
    }

    /// Appends values to a nullable i64 column. A null is held as a zero until
    /// [`Self::remove_nulls`].
    fn extend_optional_i64(&mut self, values: impl Iterator<Item = Option<i64>> + Clone) {
        self.valid.extend(values.clone().map(|v| v.is_some()));
        self.extend_i64(values.map(Option::unwrap_or_default));
    }

    /// Appends values to a nullable boolean column. See [`Self::extend_optional_i64`].
    fn extend_optional_bool(&mut self, values: impl Iterator<Item = Option<bool>> + Clone) {
        let ColumnValues::Boolean(v) = &mut self.values else { unreachable!("the filler follows the schema") };
        self.valid.extend(values.clone().map(|v| v.is_some()));
        v.extend(values.map(Option::unwrap_or_default));
    }

    /// Appends values to a nullable i32 column. See [`Self::extend_optional_i64`].
    fn extend_optional_i32(&mut self, values: impl Iterator<Item = Option<i32>> + Clone) {
        self.valid.extend(values.clone().map(|v| v.is_some()));
        self.extend_i32(values.map(Option::unwrap_or_default));
    }
}
