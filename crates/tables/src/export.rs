//! Tables of a finished execution as CSV.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use clearsweep_base::error::{Error, Result};
use clearsweep_base::text::marked;
use clearsweep_records::file::{guard, invalid, open};
use clearsweep_records::table;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 8192;

/// The outcome of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exported {
    /// So many rows were written.
    Rows(u64),
    /// `go_on` said no.
    Stopped,
}

/// Writes a table of the output directory `dir`, one of the catalogue, as CSV with a line of column names: numbers as
/// the shortest text that reads back as the same number, nulls as empty cells, lists with `;` between their items (quoted where
/// they hold one). Unless `is_raw`, a text that a spreadsheet program would take for a formula has `'` before it.
///
/// `go_on` is asked after every few thousand rows.
///
/// # Errors
/// The table is missing, or clearsweep did not write it; `out` cannot be written.
pub fn export_csv(
    dir: &Path,
    table: &str,
    is_raw: bool,
    out: &mut dyn Write,
    go_on: &dyn Fn() -> bool,
) -> Result<Exported> {
    let mut writer = csv::Writer::from_writer(out);
    let mut header: Option<SchemaRef> = None;
    let mut rows = 0;
    for path in self::table(table)?.files(dir)? {
        let builder = open(&path, BATCH_ROWS)?;
        let mut reader = guard(&path, || Ok(builder.build()?))?;
        let schema = parquet_schema(&reader);
        match &header {
            None => {
                write(&mut writer, schema.fields().iter().map(|field| field.name().as_str()))?;
                header = Some(schema);
            }
            Some(first) if first.fields() != schema.fields() => {
                return Err(invalid(&path, "has other columns than the part before it".to_owned()));
            }
            Some(_) => {}
        }
        while let Some(batch) = guard(&path, || reader.next().transpose())? {
            write_rows(&path, &batch, is_raw, &mut writer)?;
            rows += batch.num_rows() as u64;
            if !go_on() {
                return Ok(Exported::Stopped);
            }
        }
    }
    writer.flush().map_err(|error| unwritable(&error))?;
    Ok(Exported::Rows(rows))
}

fn parquet_schema(reader: &ParquetRecordBatchReader) -> SchemaRef {
    arrow_array::RecordBatchReader::schema(reader)
}

/// The rows of a batch.
fn write_rows<W: Write>(path: &Path, batch: &RecordBatch, is_raw: bool, writer: &mut csv::Writer<W>) -> Result<()> {
    let options = FormatOptions::default();
    let columns = batch.columns().iter().map(|array| CellWriter::of(array, &options));
    let columns =
        columns.collect::<std::result::Result<Vec<_>, _>>().map_err(|error| invalid(path, error.to_string()))?;
    let mut cells: Vec<String> = vec![String::new(); columns.len()];
    for row in 0..batch.num_rows() {
        for (cell, column) in cells.iter_mut().zip(&columns) {
            cell.clear();
            column.write(row, cell).map_err(|error| invalid(path, error.to_string()))?;
            if !is_raw
                && column.is_text
                && let Cow::Owned(text) = marked(cell)
            {
                *cell = text;
            }
        }
        write(writer, cells.iter().map(String::as_str))?;
    }
    Ok(())
}

fn write<'c, W: Write>(writer: &mut csv::Writer<W>, cells: impl Iterator<Item = &'c str>) -> Result<()> {
    writer.write_record(cells).map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) => unwritable(&error),
        kind => Error::internal("CSV", format!("{kind:?}")),
    })
}

/// A column as text.
struct CellWriter<'a> {
    /// Whether it holds texts, or lists of them.
    is_text: bool,
    cells: CellFormat<'a>,
}

enum CellFormat<'a> {
    Plain(ArrayFormatter<'a>),
    /// A list: where the items of each row begin and end.
    List(&'a ArrayRef, Vec<std::ops::Range<usize>>, ArrayFormatter<'a>),
}

impl<'a> CellWriter<'a> {
    fn of(array: &'a ArrayRef, options: &FormatOptions<'a>) -> std::result::Result<Self, ArrowError> {
        let is_text = !matches!(array.data_type(), DataType::Boolean) && !array.data_type().is_numeric();
        if !matches!(array.data_type(), DataType::List(_)) {
            let cells = CellFormat::Plain(ArrayFormatter::try_new(array.as_ref(), options)?);
            return Ok(Self { is_text, cells });
        }
        let list = array.as_list::<i32>();
        let items = ArrayFormatter::try_new(list.values().as_ref(), options)?;
        let ends = list.value_offsets().windows(2).map(|pair| pair[0] as usize..pair[1] as usize).collect();
        Ok(Self { is_text, cells: CellFormat::List(array, ends, items) })
    }

    fn write(&self, row: usize, cell: &mut String) -> std::result::Result<(), ArrowError> {
        match &self.cells {
            CellFormat::Plain(values) => {
                values.value(row).write(cell).map_err(|error| ArrowError::CastError(error.to_string()))
            }
            CellFormat::List(array, ..) if array.is_null(row) => Ok(()),
            CellFormat::List(_, ends, items) => {
                for (number, item) in ends[row].clone().enumerate() {
                    if number > 0 {
                        cell.push(';');
                    }
                    let item = items.value(item).try_to_string()?;
                    push_item(cell, &item);
                }
                Ok(())
            }
        }
    }
}

/// Appends an item of a list. One that could be taken for several, or for a quoted one, is quoted as CSV quotes cells.
fn push_item(cell: &mut String, item: &str) {
    if item.contains([';', '"']) {
        cell.extend(["\"", &item.replace('"', "\"\""), "\""]);
    } else {
        cell.push_str(item);
    }
}

/// Place in the error of a writer that does not take the text: the caller knows its file.
pub const CSV_PLACE: &str = "the CSV";

fn unwritable(error: &std::io::Error) -> Error {
    Error::output(CSV_PLACE, format!("cannot be written ({error})"), "check where it goes, and the free space")
}
