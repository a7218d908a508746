//! Rows of a finished table, read to be written again.

use super::column_buffer::ColumnBuffer;
use super::table_reader::{StoredTable, TableReader};
use super::vocabularies::Vocabularies;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use clearsweep_base::error::Result;
use clearsweep_records::file::invalid;
use clearsweep_records::{ColumnSink, ColumnType, TableSchema};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The rows of a table, batch by batch.
pub(crate) struct StoredRows {
    path: PathBuf,
    /// Rows of the whole table.
    pub(crate) rows: u64,
    reader: TableReader,
}

impl StoredRows {
    /// Opens a table of the directory `dir`.
    ///
    /// # Errors
    /// It is missing, or no table.
    pub(crate) fn open(dir: &Path, table: &str) -> Result<Self> {
        let stored = StoredTable::open(dir, table)?;
        Ok(Self { path: dir.join(table), rows: stored.rows(), reader: stored.read() })
    }

    /// The next rows.
    ///
    /// # Errors
    /// They cannot be decoded.
    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>> {
        self.reader.advance()
    }

    /// The table, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// The code of each text of a vocabulary.
type TextCodes = FxHashMap<Box<str>, i32>;

/// How the columns of a stored table become those of one that is written: all but the names of
/// bodies.
#[derive(Debug)]
pub(super) struct StoredColumns {
    /// Name and nullability, and the codes of texts.
    columns: Vec<(&'static str, bool, Option<TextCodes>)>,
}

impl StoredColumns {
    pub(super) fn new(schema: &TableSchema, strings: &Vocabularies) -> Self {
        let codes = |kind: ColumnType| match kind {
            ColumnType::Text(words) => {
                // The first of equal words: both stand for the same text.
                let mut codes = TextCodes::default();
                strings.texts(words).zip(0..).for_each(|(word, code)| {
                    codes.entry(Box::from(word)).or_insert(code);
                });
                Some(codes)
            }
            _ => None,
        };
        Self { columns: schema.filled().map(|column| (column.name, column.nullable, codes(column.kind))).collect() }
    }

    /// The values of a batch; `path`: its table, for messages.
    ///
    /// # Errors
    /// A column is missing, of another type, or has a text that is not known.
    pub(super) fn of(&self, batch: &RecordBatch, path: &Path) -> Result<StoredBatch> {
        let columns = self.columns.iter().map(|(name, nullable, codes)| {
            let array = batch.column_by_name(name).cloned();
            let array = array.ok_or_else(|| invalid(path, format!("has no column `{name}`")))?;
            let codes = match codes {
                Some(codes) => Some(
                    self::codes(&array, codes)
                        .ok_or_else(|| invalid(path, format!("has texts in `{name}` that are not known")))?,
                ),
                None => None,
            };
            let column = StoredColumn { array, nullable: *nullable, codes };
            if column.fits() { Ok(column) } else { Err(invalid(path, format!("has other values in `{name}`"))) }
        });
        Ok(StoredBatch { columns: columns.collect::<Result<_>>()?, rows: batch.num_rows() })
    }
}

/// The code of each text of a dictionary; `None` if one that is used is not known.
fn codes(array: &ArrayRef, codes: &TextCodes) -> Option<Vec<i32>> {
    let texts = array.as_dictionary_opt::<Int32Type>()?;
    let words = texts.values().as_string_opt::<i32>()?;
    let known: Vec<Option<i32>> = words.iter().map(|word| codes.get(word?).copied()).collect();
    let of_row = |row: usize| match texts.is_valid(row) {
        true => *known.get(texts.keys().value(row) as usize)?,
        false => Some(0),
    };
    (0..texts.len()).map(of_row).collect()
}

/// A column of a batch.
struct StoredColumn {
    array: ArrayRef,
    nullable: bool,
    /// The code of each row, of a column of texts.
    codes: Option<Vec<i32>>,
}

/// A batch of rows.
pub(super) struct StoredBatch {
    columns: Vec<StoredColumn>,
    rows: usize,
}

impl StoredBatch {
    /// The numbers of its rows.
    pub(super) fn numbers(&self) -> Vec<usize> {
        (0..self.rows).collect()
    }

    /// Appends rows with consecutive numbers to the columns of a table.
    pub(super) fn fill(&self, columns: &mut [ColumnBuffer], numbers: &[usize]) {
        let Some(&first) = numbers.first() else { return };
        for (to, column) in columns.iter_mut().zip(&self.columns) {
            column.fill(to, first..first + numbers.len());
        }
    }
}

impl StoredColumn {
    /// Whether the array has a type that tables have, and no null where none may be.
    fn fits(&self) -> bool {
        let array = &self.array;
        let is_known = self.codes.is_some()
            || array.as_primitive_opt::<Int64Type>().is_some()
            || array.as_primitive_opt::<Int32Type>().is_some()
            || array.as_primitive_opt::<Float64Type>().is_some()
            || array.as_boolean_opt().is_some();
        is_known && (self.nullable || array.null_count() == 0)
    }

    fn fill(&self, to: &mut ColumnBuffer, rows: Range<usize>) {
        let (array, nullable) = (&self.array, self.nullable);
        let is_there = |row: usize| array.is_valid(row);
        if let Some(codes) = &self.codes {
            let values = rows.clone().zip(&codes[rows]);
            return match nullable {
                true => to.extend_optional_i32(values.map(|(row, &code)| is_there(row).then_some(code))),
                false => to.extend_i32(values.map(|(_, &code)| code)),
            };
        }
        if let Some(values) = array.as_primitive_opt::<Float64Type>() {
            let numbers = &values.values()[rows.clone()];
            match array.null_count() {
                0 => to.extend_f64(numbers.iter().copied()),
                _ => to.extend_f64(rows.zip(numbers).map(|(row, &value)| if is_there(row) { value } else { f64::NAN })),
            }
        } else if let Some(values) = array.as_primitive_opt::<Int64Type>() {
            let numbers = rows.clone().zip(&values.values()[rows]);
            match nullable {
                true => to.extend_optional_i64(numbers.map(|(row, &value)| is_there(row).then_some(value))),
                false => to.extend_i64(numbers.map(|(_, &value)| value)),
            }
        } else if let Some(values) = array.as_primitive_opt::<Int32Type>() {
            let numbers = rows.clone().zip(&values.values()[rows]);
            match nullable {
                true => to.extend_optional_i32(numbers.map(|(row, &value)| is_there(row).then_some(value))),
                false => to.extend_i32(numbers.map(|(_, &value)| value)),
            }
        } else if let Some(values) = array.as_boolean_opt() {
            to.extend_optional_bool(rows.map(|row| is_there(row).then_some(values.value(row))));
        }
    }
}
