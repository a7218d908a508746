//! Values of cells: how each type is appended to a column, and decoded from one.

use super::column::{Column, ColumnType, Words};
use super::words::Word;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use std::sync::Arc;

/// A text of a table that is read; rows share it.
pub type Text = Arc<str>;

/// A text of a table that is written: its position among the column's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code(pub i32);

/// A column that takes values. NaN stands for null in a nullable column of numbers.
pub trait ColumnSink {
    /// Appends values without nulls.
    fn extend_i64(&mut self, values: impl Iterator<Item = i64>);
    /// Appends values without nulls.
    fn extend_i32(&mut self, values: impl Iterator<Item = i32>);
    /// Appends values.
    fn extend_f64(&mut self, values: impl Iterator<Item = f64>);
    /// Appends values without nulls.
    fn extend_bool(&mut self, values: impl Iterator<Item = bool>);
    /// Appends values to a nullable column.
    fn extend_optional_i64(&mut self, values: impl Iterator<Item = Option<i64>> + Clone);
    /// Appends values to a nullable column.
    fn extend_optional_i32(&mut self, values: impl Iterator<Item = Option<i32>> + Clone);
    /// Appends values to a nullable column.
    fn extend_optional_bool(&mut self, values: impl Iterator<Item = Option<bool>> + Clone);
    /// Appends `value` `count` times.
    fn repeat_i64(&mut self, value: i64, count: usize);
    /// Appends `value` `count` times.
    fn repeat_f64(&mut self, value: f64, count: usize);
}

/// A value that can be appended to a column.
pub(crate) trait WrittenCell: Copy {
    /// Type of the column.
    const KIND: ColumnType;

    /// Appends values; `nullable`: whether the column may hold nulls.
    fn extend(values: impl Iterator<Item = Self> + Clone, nullable: bool, to: &mut impl ColumnSink);

    /// Appends a value several times; values of a type that never repeats are appended one by one.
    #[inline]
    fn repeat(value: Self, count: usize, nullable: bool, to: &mut impl ColumnSink) {
        Self::extend(std::iter::repeat_n(value, count), nullable, to);
    }

    /// Whether two values have the same representation.
    fn is_same(self, other: Self) -> bool;
}

/// A value that can be decoded from a column.
pub(crate) trait StoredCell: Sized {
    /// Decodes a column; `None`: it has another type, or a null that the type does not have.
    fn decode(array: &ArrayRef) -> Option<Vec<Self>>;

    /// The value of a column that the result lacks; `None`: it has to be there.
    fn absent() -> Option<Self> {
        None
    }
}

impl WrittenCell for i64 {
    const KIND: ColumnType = ColumnType::Int64;

    #[inline]
    fn extend(values: impl Iterator<Item = Self> + Clone, _: bool, to: &mut impl ColumnSink) {
        to.extend_i64(values);
    }

    #[inline]
    fn repeat(value: Self, count: usize, _: bool, to: &mut impl ColumnSink) {
        to.repeat_i64(value, count);
    }

    #[inline]
    fn is_same(self, other: Self) -> bool {
        self == other
    }
}

impl WrittenCell for i32 {
    const KIND: ColumnType = ColumnType::Int32;

    #[inline]
    fn extend(values: impl Iterator<Item = Self> + Clone, _: bool, to: &mut impl ColumnSink) {
        to.extend_i32(values);
    }

    #[inline]
    fn is_same(self, other: Self) -> bool {
        self == other
    }
}

impl WrittenCell for f64 {
    const KIND: ColumnType = ColumnType::Float64;

    #[inline]
    fn extend(values: impl Iterator<Item = Self> + Clone, _: bool, to: &mut impl ColumnSink) {
        to.extend_f64(values);
    }

    #[inline]
    fn repeat(value: Self, count: usize, _: bool, to: &mut impl ColumnSink) {
        to.repeat_f64(value, count);
    }

    #[inline]
    fn is_same(self, other: Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl WrittenCell for bool {
    const KIND: ColumnType = ColumnType::Boolean;

    #[inline]
    fn extend(values: impl Iterator<Item = Self> + Clone, _: bool, to: &mut impl ColumnSink) {
        to.extend_bool(values);
    }

    #[inline]
    fn is_same(self, other: Self) -> bool {
        self == other
    }
}

impl WrittenCell for Code {
    // The declaration of the column names the words.
    const KIND: ColumnType = ColumnType::Text(Words::Fixed(&[]));

    #[inline]
    fn extend(values: impl Iterator<Item = Self> + Clone, _: bool, to: &mut impl ColumnSink) {
        to.extend_i32(values.map(|code| code.0));
    }

    #[inline]
    fn is_same(self, other: Self) -> bool {
        self == other
    }
}

impl<W: Word> WrittenCell for W {
    const KIND: ColumnType = ColumnType::Text(Words::Fixed(W::NAMES));

    #[inline]
    fn extend(values: impl Iterator<Item = Self> + Clone, _: bool, to: &mut impl ColumnSink) {
        to.extend_i32(values.map(Word::code));
    }

    #[inline]
    fn is_same(self, other: Self) -> bool {
        self.code() == other.code()
    }
}

impl WrittenCell for Option<f64> {
    const KIND: ColumnType = ColumnType::Float64;

    #[inline]
    fn extend(values: impl Iterator<Item = Self> + Clone, _: bool, to: &mut impl ColumnSink) {
        to.extend_f64(values.map(|value| value.unwrap_or(f64::NAN)));
    }

    #[inline]
    fn repeat(value: Self, count: usize, _: bool, to: &mut impl ColumnSink) {
        to.repeat_f64(value.unwrap_or(f64::NAN), count);
    }

    #[inline]
    fn is_same(self, other: Self) -> bool {
        self.map(f64::to_bits) == other.map(f64::to_bits)
    }
}

macro_rules! optional_cells {
    ($($type:ty: $value:ident => $word:expr, $some:ident, $optional:ident;)*) => {
        $(impl WrittenCell for Option<$type> {
            const KIND: ColumnType = <$type as WrittenCell>::KIND;

            #[inline]
            fn extend(values: impl Iterator<Item = Self> + Clone, nullable: bool, to: &mut impl ColumnSink) {
                let values = values.map(|value| value.map(|$value| $word));
                if nullable { to.$optional(values) } else { to.$some(values.map(Option::unwrap_or_default)) }
            }

            #[inline]
            fn is_same(self, other: Self) -> bool {
                self == other
            }
        })*
    };
}

optional_cells! {
    i64: value => value, extend_i64, extend_optional_i64;
    i32: value => value, extend_i32, extend_optional_i32;
    bool: value => value, extend_bool, extend_optional_bool;
    Code: code => code.0, extend_i32, extend_optional_i32;
    clearsweep_model::DirectionalRelation: word => word as i32, extend_i32, extend_optional_i32;
    clearsweep_model::FeatureKind: word => word as i32, extend_i32, extend_optional_i32;
    clearsweep_model::Method: word => word as i32, extend_i32, extend_optional_i32;
    super::words::EventKind: word => word as i32, extend_i32, extend_optional_i32;
}

/// Appends one column of rows.
#[inline]
pub(crate) fn extend_column<S, V: WrittenCell>(
    column: &Column,
    nullable: bool,
    rows: &[S],
    value: impl Fn(&S) -> V + Copy,
    to: &mut impl ColumnSink,
) {
    if !column.repeats {
        return V::extend(rows.iter().map(value), nullable, to);
    }
    for equal in rows.chunk_by(|row, next| value(row).is_same(value(next))) {
        V::repeat(value(&equal[0]), equal.len(), nullable, to);
    }
}

macro_rules! stored_primitives {
    ($($value:ty: $arrow:ty;)*) => {
        $(impl StoredCell for $value {
            fn decode(array: &ArrayRef) -> Option<Vec<Self>> {
                let values = array.as_primitive_opt::<$arrow>()?;
                (values.null_count() == 0).then(|| values.values().to_vec())
            }
        }

        impl StoredCell for Option<$value> {
            fn decode(array: &ArrayRef) -> Option<Vec<Self>> {
                Some(array.as_primitive_opt::<$arrow>()?.iter().collect())
            }

            fn absent() -> Option<Self> {
                Some(None)
            }
        })*
    };
}

stored_primitives! {
    i64: Int64Type;
    i32: Int32Type;
    f64: Float64Type;
}

impl StoredCell for bool {
    fn decode(array: &ArrayRef) -> Option<Vec<Self>> {
        array.as_boolean_opt()?.iter().collect()
    }
}

impl StoredCell for Option<bool> {
    fn decode(array: &ArrayRef) -> Option<Vec<Self>> {
        Some(array.as_boolean_opt()?.iter().collect())
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// Decodes texts, each of a dictionary once; `None` in a row is a null.
fn decode_texts<V: Clone>(array: &ArrayRef, value: impl Fn(&str) -> Option<V>) -> Option<Vec<Option<V>>> {
    if let Some(plain) = array.as_string_opt::<i32>() {
        return plain.iter().map(|text| text.map_or(Some(None), |text| value(text).map(Some))).collect();
    }
    let texts = array.as_dictionary_opt::<Int32Type>()?;
    let words: Vec<Option<V>> =
        texts.values().as_string_opt::<i32>()?.iter().map(|word| word.and_then(&value)).collect();
    let keys = texts.keys();
    let cell = |row: usize| match keys.is_valid(row) {
        true => words.get(keys.value(row) as usize)?.clone().map(Some),
        false => Some(None),
    };
    (0..texts.len()).map(cell).collect()
}

impl StoredCell for Text {
    fn decode(array: &ArrayRef) -> Option<Vec<Self>> {
        decode_texts(array, |text| Some(Text::from(text)))?.into_iter().collect()
    }
}

impl StoredCell for Option<Text> {
    fn decode(array: &ArrayRef) -> Option<Vec<Self>> {
        decode_texts(array, |text| Some(Text::from(text)))
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// A list of texts; one that the result lacks is empty.
pub(crate) struct Texts(pub(crate) Vec<Text>);

impl StoredCell for Texts {
    fn decode(array: &ArrayRef) -> Option<Vec<Self>> {
        let lists = array.as_list_opt::<i32>()?;
        let texts: Vec<Text> = StoredCell::decode(lists.values())?;
        let list = |ends: &[i32]| Some(Self(texts.get(ends[0] as usize..ends[1] as usize)?.to_vec()));
        lists.value_offsets().windows(2).map(list).collect()
    }

    fn absent() -> Option<Self> {
        Some(Self(Vec::new()))
    }
}

fn word_of<W: Word>(text: &str) -> Option<W> {
    W::NAMES.iter().position(|name| *name == text).map(|at| W::ALL[at])
}

impl<W: Word> StoredCell for W {
    fn decode(array: &ArrayRef) -> Option<Vec<Self>> {
        decode_texts(array, word_of)?.into_iter().collect()
    }
}

macro_rules! optional_words {
    ($($word:ty),*) => {
        $(impl StoredCell for Option<$word> {
            fn decode(array: &ArrayRef) -> Option<Vec<Self>> {
                decode_texts(array, word_of)
            }

            fn absent() -> Option<Self> {
                Some(None)
            }
        })*
    };
}

optional_words!(
    clearsweep_model::DirectionalRelation,
    clearsweep_model::FeatureKind,
    clearsweep_model::Method,
    super::words::EventKind
);
