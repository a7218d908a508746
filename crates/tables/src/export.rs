//! Tables of a finished execution as CSV or NDJSON.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use clearsweep_base::error::{Error, Result};
use clearsweep_base::text::marked;
use clearsweep_records::file::{guard, invalid, open};
use clearsweep_records::table;
use flate2::Compression;
use flate2::write::GzEncoder;
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

/// A text format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// CSV (RFC 4180) with a line of column names: nulls are empty cells, lists have `;` between their items (quoted where they
    /// hold one). Unless `is_raw`, a text that a spreadsheet program would take for a formula has `'` before it.
    Csv {
        /// Whether texts stay as they are.
        is_raw: bool,
    },
    /// A JSON object for each row, on a line of its own.
    Ndjson,
}

impl ExportFormat {
    /// The extension of its files, without `.gz`.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv { .. } => "csv",
            Self::Ndjson => "ndjson",
        }
    }
}

/// Writes a table of the output directory `dir`, one of the catalogue, as text: numbers as the shortest text that reads back as the
/// same number. `is_compressed`: with gzip.
///
/// `go_on` is asked after every few thousand rows.
///
/// # Errors
/// The table is missing, or clearsweep did not write it; `out` cannot be written.
pub fn export(
    dir: &Path,
    table: &str,
    (format, is_compressed): (ExportFormat, bool),
    out: &mut dyn Write,
    go_on: &dyn Fn() -> bool,
) -> Result<Exported> {
    if !is_compressed {
        return write_table(dir, table, &mut RowWriter::new(format, out), go_on);
    }
    // Without a time of the file, so that the same rows give the same bytes.
    let mut encoder = GzEncoder::new(out, Compression::default());
    let exported = write_table(dir, table, &mut RowWriter::new(format, &mut encoder), go_on)?;
    encoder.finish().map_err(|error| unwritable(&error))?;
    Ok(exported)
}

fn write_table(dir: &Path, table: &str, writer: &mut RowWriter<'_>, go_on: &dyn Fn() -> bool) -> Result<Exported> {
    let mut header: Option<SchemaRef> = None;
    let mut rows = 0;
    for path in self::table(table)?.files(dir)? {
        let builder = open(&path, BATCH_ROWS)?;
        let mut reader = guard(&path, || Ok(builder.build()?))?;
        let schema = parquet_schema(&reader);
        match &header {
            None => {
                writer.names(schema.fields().iter().map(|field| field.name().as_str()))?;
                header = Some(schema);
            }
            Some(first) if first.fields() != schema.fields() => {
                return Err(invalid(&path, "has other columns than the part before it".to_owned()));
            }
            Some(_) => {}
        }
        while let Some(batch) = guard(&path, || reader.next().transpose())? {
            write_rows(&path, &batch, writer)?;
            rows += batch.num_rows() as u64;
            if !go_on() {
                return Ok(Exported::Stopped);
            }
        }
    }
    writer.flush()?;
    Ok(Exported::Rows(rows))
}

fn parquet_schema(reader: &ParquetRecordBatchReader) -> SchemaRef {
    arrow_array::RecordBatchReader::schema(reader)
}

/// The rows of a batch.
fn write_rows(path: &Path, batch: &RecordBatch, writer: &mut RowWriter<'_>) -> Result<()> {
    let options = FormatOptions::default();
    let columns = batch.columns().iter().map(|array| CellWriter::of(array, &options));
    let columns =
        columns.collect::<std::result::Result<Vec<_>, _>>().map_err(|error| invalid(path, error.to_string()))?;
    let mut cells: Vec<String> = vec![String::new(); columns.len()];
    for row in 0..batch.num_rows() {
        for (cell, column) in cells.iter_mut().zip(&columns) {
            cell.clear();
            writer.cell(column, row, cell).map_err(|error| invalid(path, error.to_string()))?;
        }
        writer.row(&cells)?;
    }
    Ok(())
}

/// Writes rows of cells in a format.
enum RowWriter<'w> {
    Csv {
        writer: Box<csv::Writer<&'w mut dyn Write>>,
        is_raw: bool,
    },
    /// `names`: the keys of the columns, each with its colon.
    Ndjson {
        out: &'w mut dyn Write,
        names: Vec<String>,
        line: String,
    },
}

impl<'w> RowWriter<'w> {
    fn new(format: ExportFormat, out: &'w mut dyn Write) -> Self {
        match format {
            ExportFormat::Csv { is_raw } => Self::Csv { writer: Box::new(csv::Writer::from_writer(out)), is_raw },
            ExportFormat::Ndjson => Self::Ndjson { out, names: Vec::new(), line: String::new() },
        }
    }

    /// Takes the names of the columns.
    fn names<'c>(&mut self, columns: impl Iterator<Item = &'c str>) -> Result<()> {
        match self {
            Self::Csv { writer, .. } => writer.write_record(columns).map_err(not_written),
            Self::Ndjson { names, .. } => {
                *names = columns.map(|column| json_text(column) + ":").collect();
                Ok(())
            }
        }
    }

    /// Appends the cell of a row to `cell`.
    fn cell(&self, column: &CellWriter<'_>, row: usize, cell: &mut String) -> std::result::Result<(), ArrowError> {
        match self {
            Self::Ndjson { .. } => column.write_json(row, cell),
            Self::Csv { is_raw, .. } => {
                column.write(row, cell)?;
                if !is_raw
                    && column.is_text
                    && let Cow::Owned(text) = marked(cell)
                {
                    *cell = text;
                }
                Ok(())
            }
        }
    }

    fn row(&mut self, cells: &[String]) -> Result<()> {
        match self {
            Self::Csv { writer, .. } => writer.write_record(cells).map_err(not_written),
            Self::Ndjson { out, names, line } => {
                line.clear();
                for (index, (name, cell)) in names.iter().zip(cells).enumerate() {
                    line.extend([if index == 0 { "{" } else { "," }, name, cell]);
                }
                line.push_str("}\n");
                out.write_all(line.as_bytes()).map_err(|error| unwritable(&error))
            }
        }
    }

    fn flush(&mut self) -> Result<()> {
        let flushed = match self {
            Self::Csv { writer, .. } => writer.flush(),
            Self::Ndjson { out, .. } => out.flush(),
        };
        flushed.map_err(|error| unwritable(&error))
    }
}

fn not_written(error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => unwritable(&error),
        kind => Error::internal("CSV", format!("{kind:?}")),
    }
}

/// A text in JSON.
fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A column as text.
struct CellWriter<'a> {
    /// Whether it holds texts, or lists of them.
    is_text: bool,
    cells: CellFormat<'a>,
}

enum CellFormat<'a> {
    Plain(&'a ArrayRef, ArrayFormatter<'a>),
    /// A list: where the items of each row begin and end.
    List(&'a ArrayRef, Vec<std::ops::Range<usize>>, ArrayFormatter<'a>),
}

impl<'a> CellWriter<'a> {
    fn of(array: &'a ArrayRef, options: &FormatOptions<'a>) -> std::result::Result<Self, ArrowError> {
        let is_text = !matches!(array.data_type(), DataType::Boolean) && !array.data_type().is_numeric();
        if !matches!(array.data_type(), DataType::List(_)) {
            let cells = CellFormat::Plain(array, ArrayFormatter::try_new(array.as_ref(), options)?);
            return Ok(Self { is_text, cells });
        }
        let list = array.as_list::<i32>();
        let items = ArrayFormatter::try_new(list.values().as_ref(), options)?;
        let ends = list.value_offsets().windows(2).map(|pair| pair[0] as usize..pair[1] as usize).collect();
        Ok(Self { is_text, cells: CellFormat::List(array, ends, items) })
    }

    fn write(&self, row: usize, cell: &mut String) -> std::result::Result<(), ArrowError> {
        match &self.cells {
            CellFormat::Plain(_, values) => {
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

    /// Appends a cell as JSON. Numbers that JSON does not have are texts.
    fn write_json(&self, row: usize, cell: &mut String) -> std::result::Result<(), ArrowError> {
        match &self.cells {
            CellFormat::Plain(array, _) if array.is_null(row) => cell.push_str("null"),
            CellFormat::List(array, ..) if array.is_null(row) => cell.push_str("null"),
            CellFormat::Plain(_, values) => {
                let text = values.value(row).try_to_string()?;
                let is_json = !self.is_text && serde_json::from_str::<serde_json::Value>(&text).is_ok();
                cell.push_str(&if is_json { text } else { json_text(&text) });
            }
            CellFormat::List(_, ends, items) => {
                let texts = ends[row].clone().map(|item| Ok(json_text(&items.value(item).try_to_string()?)));
                let texts = texts.collect::<std::result::Result<Vec<_>, ArrowError>>()?;
                cell.extend(["[", &texts.join(","), "]"]);
            }
        }
        Ok(())
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
pub const EXPORT_PLACE: &str = "the export";

fn unwritable(error: &std::io::Error) -> Error {
    Error::output(EXPORT_PLACE, format!("cannot be written ({error})"), "check where it goes, and the free space")
}
