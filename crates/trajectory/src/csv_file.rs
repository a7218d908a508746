//! One CSV file of the input: its columns by the line of names, and its rows, parsed batch by
//! batch.
//!
//! An empty cell is a null, so that it is reported like one of Parquet. What does not parse ends
//! the rows, and is reported after those before it.

use super::column_format::ColumnFormat;
use super::columns::Columns;
use super::input_bytes::{InputBytes, OpenBytes};
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_cast::parse::string_to_timestamp_nanos;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use clearsweep_base::error::{Error, Result};
use clearsweep_input_guard::csv_cells::{self, KeptBytes};
use clearsweep_input_guard::csv_header::{self, CsvLines};
use clearsweep_input_guard::gzip::TextBytes;
use clearsweep_model::TimeUnit;
use csv::ByteRecord;
use std::path::Path;
use std::sync::Arc;

/// Longest text of a cell, bytes: the texts of a batch of rows lie in one array, which holds less
/// than 2^31.
const MAX_TEXT: usize = 1 << 16;

type CsvParser = csv::Reader<KeptBytes<TextBytes<OpenBytes>>>;

/// A checked file.
pub(super) struct CsvFile {
    bytes: InputBytes,
    schema: SchemaRef,
    /// The root index of the column of times, and their unit.
    time: Option<(usize, TimeUnit)>,
    /// Whether the time of the first row is a date.
    pub(super) has_dates: bool,
}

impl CsvFile {
    /// Opens a file and counts its rows; with its schema, its columns, and the number of its rows.
    ///
    /// # Errors
    /// The file is unreadable, not CSV, separated by something else than commas, or its columns do
    /// not fit.
    pub(super) fn open(bytes: InputBytes, format: &ColumnFormat) -> Result<(Self, SchemaRef, Columns, u64)> {
        let path = &*bytes.path;
        let mut reader = open(&bytes)?;
        let header = reader.byte_headers().map_err(|error| CsvLines::not_csv(None, path, &error))?.clone();
        let lines = CsvLines::after_names(&reader);
        let mut names = Vec::with_capacity(header.len());
        for name in &header {
            let name = std::str::from_utf8(name).map_err(|_| not_text(path, 1))?;
            names.push(name.trim_start_matches('\u{feff}').trim());
        }
        let kinds = Columns::csv_types(&names, format);
        let fields: Vec<Field> = names.iter().zip(kinds).map(|(name, kind)| Field::new(*name, kind, true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let mut columns = Columns::resolve(path, &schema, format)
            .map_err(|error| csv_header::other_separator(path, &names).unwrap_or(error))?;
        let mut record = ByteRecord::new();
        let (mut rows, mut has_dates) = (0, false);
        while next_record(&mut reader, &mut record).map_err(|error| CsvLines::not_csv(Some(lines), path, &error))? {
            if rows == 0 {
                let cell = columns.time.as_ref().and_then(|column| record.get(column.index));
                let cell = cell.and_then(|cell| std::str::from_utf8(cell).ok()).unwrap_or_default().trim();
                has_dates = cell.parse::<f64>().is_err() && date(cell).is_some();
            }
            rows += 1;
        }
        // Cells become seconds where they are parsed: whole numbers of a finer unit have more
        // digits than an `f64`.
        let unit = std::mem::replace(&mut columns.time_unit, TimeUnit::Seconds);
        let time = columns.time.as_ref().map(|column| (column.index, unit));
        Ok((Self { schema: Arc::clone(&schema), time, has_dates, bytes }, schema, columns, rows))
    }

    /// Begins to parse columns (root indices, ascending).
    ///
    /// # Errors
    /// The file cannot be opened any more.
    pub(super) fn read(&self, columns: &[usize], batch_rows: usize) -> Result<CsvReader> {
        let path = &self.bytes.path;
        let mut reader = open(&self.bytes)?;
        reader.byte_headers().map_err(|error| CsvLines::not_csv(None, path, &error))?;
        let lines = CsvLines::after_names(&reader);
        let schema = self.schema.project(columns).map_err(|error| Error::internal(path.display(), error))?;
        Ok(CsvReader {
            path: Arc::clone(path),
            reader,
            lines,
            record: ByteRecord::new(),
            schema: Arc::new(schema),
            columns: columns.to_vec(),
            time: self.time,
            most: batch_rows.max(1),
            defect: None,
        })
    }
}

fn open(bytes: &InputBytes) -> Result<CsvParser> {
    bytes.prefetch_all();
    Ok(csv_cells::parser(TextBytes::new(&bytes.path, bytes.open()?.0), 1 << 16))
}

/// Reads the next record; whether there was one.
fn next_record(reader: &mut CsvParser, record: &mut ByteRecord) -> csv::Result<bool> {
    csv_cells::begin(reader);
    reader.read_byte_record(record)
}

/// The line on which a row of a file begins, from 1: the file is read again up to it. `None` if it
/// no longer has that row.
pub(super) fn line_of(bytes: &InputBytes, row: u64) -> Option<u64> {
    let mut reader = open(bytes).ok()?;
    reader.byte_headers().ok()?;
    let (lines, mut record) = (CsvLines::after_names(&reader), ByteRecord::new());
    for _ in 0..=row {
        if !reader.read_byte_record(&mut record).ok()? {
            return None;
        }
    }
    record.position().map(|position| lines.line(position))
}

fn not_text(path: &Path, line: u64) -> Error {
    Error::input(format!("{}:{line}", path.display()), "is not UTF-8", "save the file as UTF-8 text")
}

/// Parses a file in batches.
pub(super) struct CsvReader {
    path: Arc<Path>,
    reader: CsvParser,
    lines: CsvLines,
    record: ByteRecord,
    /// Schema of the columns that are parsed.
    schema: SchemaRef,
    /// Their root indices.
    columns: Vec<usize>,
    /// The root index of the column of times, which may be dates, and their unit.
    time: Option<(usize, TimeUnit)>,
    /// Rows of a batch.
    most: usize,
    /// The error in the row after those given out.
    defect: Option<Error>,
}

impl CsvReader {
    /// The next rows.
    ///
    /// # Errors
    /// A line is not CSV, or a cell does not parse.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        if let Some(error) = self.defect.take() {
            return Err(error);
        }
        let mut cells: Vec<Cells> = self.schema.fields().iter().map(|field| Cells::new(field.data_type())).collect();
        let mut rows = 0;
        while rows < self.most {
            match self.row(&mut cells) {
                Ok(true) => rows += 1,
                Ok(false) => break,
                Err(error) if rows == 0 => return Err(error),
                Err(error) => {
                    self.defect = Some(error);
                    break;
                }
            }
        }
        if rows == 0 {
            return Ok(None);
        }
        // The row with the defect has filled some of the columns.
        let arrays = cells.into_iter().map(|cells| cells.finish().slice(0, rows)).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options);
        batch.map(Some).map_err(|error| Error::internal(self.path.display(), error))
    }

    /// Takes the next row; whether there was one.
    fn row(&mut self, cells: &mut [Cells]) -> Result<bool> {
        let Self { path, reader, lines, record, schema, columns, time, .. } = self;
        if !next_record(reader, record).map_err(|error| CsvLines::not_csv(Some(*lines), path, &error))? {
            return Ok(false);
        }
        let line = record.position().map_or(0, |position| lines.line(position));
        for ((cells, &column), field) in cells.iter_mut().zip(&*columns).zip(schema.fields()) {
            let text = std::str::from_utf8(record.get(column).unwrap_or(b"")).map_err(|_| not_text(path, line))?;
            let text = match cells {
                Cells::Texts(_) => csv_cells::text(reader, record.position(), (column, text)),
                _ => text.trim(),
            };
            let unit = time.filter(|(time, _)| *time == column).map(|(_, unit)| unit);
            cells.take(text, unit).map_err(|wanted| {
                let shown: String = text.chars().take(40).collect();
                let problem = format!("column `{}` holds `{shown}`, which is not {wanted}", field.name());
                Error::input(format!("{}:{line}", path.display()), problem, format!("give {wanted}"))
            })?;
        }
        Ok(true)
    }
}

/// The cells of a column.
enum Cells {
    Integers(Int64Builder),
    Numbers(Float64Builder),
    Texts(StringBuilder),
}

impl Cells {
    fn new(kind: &DataType) -> Self {
        match kind {
            DataType::Int64 => Self::Integers(Int64Builder::new()),
            DataType::Float64 => Self::Numbers(Float64Builder::new()),
            _ => Self::Texts(StringBuilder::new()),
        }
    }

    /// Takes a cell, which is a time if it has a unit; what it should be if it is not.
    fn take(&mut self, text: &str, time: Option<TimeUnit>) -> std::result::Result<(), &'static str> {
        match self {
            Self::Texts(_) if text.len() > MAX_TEXT => return Err("a text of at most 65,536 bytes"),
            Self::Texts(texts) => texts.append_option((!text.is_empty()).then_some(text)),
            Self::Integers(integers) if text.is_empty() => integers.append_null(),
            Self::Numbers(numbers) if text.is_empty() => numbers.append_null(),
            Self::Integers(integers) => integers.append_value(integer(text).ok_or("a whole number")?),
            Self::Numbers(numbers) => match time {
                Some(unit) => numbers.append_value(seconds(text, unit).ok_or("a time in seconds, or a timestamp")?),
                None => numbers.append_value(text.parse().map_err(|_| "a number")?),
            },
        }
        Ok(())
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Integers(mut integers) => Arc::new(integers.finish()),
            Self::Numbers(mut numbers) => Arc::new(numbers.finish()),
            Self::Texts(mut texts) => Arc::new(texts.finish()),
        }
    }
}

/// A whole number, which some programs write with a point.
fn integer(text: &str) -> Option<i64> {
    /// Beyond this not every integer is an `f64`.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Ok(integer) = text.parse() {
        return Some(integer);
    }
    let number: f64 = text.parse().ok()?;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// Seconds of a number in a unit, or of a timestamp.
fn seconds(text: &str, unit: TimeUnit) -> Option<f64> {
    let ticks = text.parse().ok().filter(|_| unit != TimeUnit::Seconds).map(|ticks| unit.seconds_of_ticks(ticks));
    ticks.or_else(|| text.parse().ok().map(|number| unit.seconds(number))).or_else(|| date(text))
}

/// Seconds from 1970-01-01 00:00 UTC to a timestamp such as `2026-03-01T12:00:00.25Z`.
fn date(text: &str) -> Option<f64> {
    string_to_timestamp_nanos(text).ok().map(|ticks| TimeUnit::Nanoseconds.seconds_of_ticks(ticks))
}
