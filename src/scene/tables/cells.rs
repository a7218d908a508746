//! A table of bodies, Parquet or CSV, as rows of cells. Nothing is believed of its bytes.
//!
//! *Architecture invariant*: the only file of the scene that names arrow or parquet.

use crate::error::{Error, Result, nearest};
use crate::preflight::csv_header::{self, CsvLines, WORKBOOK, WORKBOOK_REMEDY};
use crate::preflight::{guarded, parquet_footer, parquet_pages};
use crate::scene::row_place::RowPlace;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

/// Rows of Parquet decoded at a time.
const BATCH_ROWS: usize = 1024;

/// A value of a table. What is null or empty is not there.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Text(String),
    Number(f64),
    Bool(bool),
    List(Vec<String>),
}

/// Takes the rows of a table: where each is, and its cells by the number of their column among those known.
pub(super) type Take<'a> = dyn FnMut(RowPlace, Vec<(usize, Cell)>) -> Result<()> + 'a;

/// Reads a table; `known` are the columns that matter, each with all names it goes by.
///
/// # Errors
/// The file is no such table, a column is there twice or nearly goes by a known name, or the first error of `take`.
pub(super) fn read(path: &Arc<Path>, bytes: Vec<u8>, known: &[&[&str]], take: &mut Take<'_>) -> Result<()> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "parquet" | "pq" => read_parquet(path, bytes, known, take),
        "csv" => read_csv(path, &bytes, known, take),
        "xlsx" | "xlsm" | "xls" | "ods" => Err(Error::input(path.display(), WORKBOOK, WORKBOOK_REMEDY)),
        _ => Err(Error::input(path.display(), "is no known type of table", "give a .parquet or a .csv file")),
    }
}

/// The columns that are known, as (column of the file, number of the known one); others are of no concern, unless they
/// look misspelt.
fn resolve(path: &Path, names: &[&str], known: &[&[&str]]) -> Result<Vec<(usize, usize)>> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (column, name) in names.iter().enumerate() {
        if let Some(number) = known.iter().position(|names| names.contains(name)) {
            if let Some(&(earlier, _)) = found.iter().find(|(_, other)| *other == number) {
                let problem = format!("columns `{}` and `{name}` both are `{}`", names[earlier], known[number][0]);
                return Err(Error::input(path.display(), problem, "keep one of them"));
            }
            found.push((column, number));
        } else if let Some(near) = misspelt(name, known).filter(|near| !names.contains(near)) {
            let remedy =
                format!("did you mean `{near}`? Columns that are not meant for clearsweep may have any other name");
            return Err(Error::input(path.display(), format!("unknown column `{name}`"), remedy));
        }
    }
    Ok(found)
}

/// The known column that a name most likely means: one or two letters away, and long enough to tell.
fn misspelt<'k>(name: &str, known: &[&[&'k str]]) -> Option<&'k str> {
    let candidates = known.iter().flat_map(|names| names.iter().copied()).filter(|known| known.len() > 3);
    let near = nearest(name.trim(), candidates)?;
    let most = if near.len() > 6 { 2 } else { 1 };
    (strsim::damerau_levenshtein(&name.trim().to_lowercase(), near) <= most).then_some(near)
}

fn read_csv(path: &Arc<Path>, bytes: &[u8], known: &[&[&str]], take: &mut Take<'_>) -> Result<()> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let names = reader.headers().map_err(|error| CsvLines::not_csv(None, path, &error))?.clone();
    let lines = CsvLines::after_names(&reader);
    let columns = resolve(path, &names.iter().collect::<Vec<_>>(), known)?;
    let all: Vec<&str> = names.iter().collect();
    check_columns(path, &columns, &all).map_err(|error| csv_header::other_separator(path, &all).unwrap_or(error))?;
    let mut record = csv::StringRecord::new();
    let mut row = 0;
    while reader.read_record(&mut record).map_err(|error| CsvLines::not_csv(Some(lines), path, &error))? {
        let cell = |&(column, number): &(usize, usize)| {
            let text = record.get(column).filter(|text| !text.is_empty())?;
            Some((number, Cell::Text(text.to_owned())))
        };
        let line = record.position().map(|position| lines.line(position));
        take(RowPlace { table: Arc::clone(path), row, line }, columns.iter().filter_map(cell).collect())?;
        row += 1;
    }
    Ok(())
}

/// Every table needs the first known column.
fn check_columns(path: &Path, columns: &[(usize, usize)], names: &[&str]) -> Result<()> {
    if columns.iter().any(|&(_, number)| number == 0) {
        return Ok(());
    }
    let there: Vec<&str> = names.iter().copied().take(20).collect();
    let problem = format!("has no column `body` (its columns: {})", there.join(", "));
    Err(Error::input(path.display(), problem, "a table of bodies names each in the column `body`"))
}

fn read_parquet(path: &Arc<Path>, bytes: Vec<u8>, known: &[&[&str]], take: &mut Take<'_>) -> Result<()> {
    parquet_footer::check(path, Cursor::new(&bytes), bytes.len() as u64)?;
    let bytes = Bytes::from(bytes);
    let builder = guard(path, || Ok(ParquetRecordBatchReaderBuilder::try_new(bytes.clone())?))?;
    let schema = Arc::clone(builder.schema());
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut columns = resolve(path, &names, known)?;
    check_columns(path, &columns, &names)?;
    columns.sort_unstable();
    for &(column, _) in &columns {
        let field = schema.field(column);
        if !is_known(field.data_type()) {
            let problem = format!("column `{}` has the type {}", field.name(), field.data_type());
            return Err(Error::input(path.display(), problem, "write texts, numbers, truth values or lists of texts"));
        }
    }
    let roots: Vec<usize> = columns.iter().map(|&(column, _)| column).collect();
    for group in 0..builder.metadata().num_row_groups() {
        parquet_pages::check(path, Cursor::new(&bytes), builder.metadata(), group, &roots)?;
    }
    let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().map(|&(column, _)| column));
    let mut reader = guard(path, || Ok(builder.with_projection(mask).with_batch_size(BATCH_ROWS).build()?))?;
    let mut row = 0;
    while let Some(batch) = guard(path, || reader.next().transpose())? {
        let cells = guard(path, || cells_of(&batch))?;
        if cells.len() != columns.len() {
            return Err(Error::internal(path.display(), "columns were not decoded"));
        }
        for index in 0..batch.num_rows() {
            let cell = |(at, &(_, number)): (usize, &(usize, usize))| Some((number, cells[at][index].clone()?));
            let found = columns.iter().enumerate().filter_map(cell).collect();
            take(RowPlace { table: Arc::clone(path), row, line: None }, found)?;
            row += 1;
        }
    }
    Ok(())
}

fn is_texts(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_texts(values),
        kind => matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
    }
}

/// Whether a column of a type can be read.
fn is_known(kind: &DataType) -> bool {
    match kind {
        DataType::List(item) | DataType::LargeList(item) => is_texts(item.data_type()),
        DataType::Null | DataType::Boolean => true,
        kind => kind.is_numeric() || is_texts(kind),
    }
}

/// The cells of each column of a batch, all of types that are known.
fn cells_of(batch: &RecordBatch) -> std::result::Result<Vec<Vec<Option<Cell>>>, ArrowError> {
    batch.columns().iter().map(cells).collect()
}

fn cells(array: &ArrayRef) -> std::result::Result<Vec<Option<Cell>>, ArrowError> {
    Ok(match array.data_type() {
        DataType::Null => vec![None; array.len()],
        DataType::Boolean => array.as_boolean().iter().map(|value| value.map(Cell::Bool)).collect(),
        DataType::List(_) | DataType::LargeList(_) => lists(array)?,
        kind if kind.is_numeric() => {
            let numbers = arrow_cast::cast(array, &DataType::Float64)?;
            numbers.as_primitive::<Float64Type>().iter().map(|value| value.map(Cell::Number)).collect()
        }
        _ => texts(array)?.into_iter().map(|text| text.map(Cell::Text)).collect(),
    })
}

fn lists(array: &ArrayRef) -> std::result::Result<Vec<Option<Cell>>, ArrowError> {
    let list = |row: usize| {
        if array.is_null(row) {
            return Ok(None);
        }
        let values = match array.as_list_opt::<i32>() {
            Some(lists) => lists.value(row),
            None => array.as_list::<i64>().value(row),
        };
        Ok(Some(Cell::List(texts(&values)?.into_iter().flatten().collect())))
    };
    (0..array.len()).map(list).collect()
}

/// Texts of any kind; an empty one is as good as none.
fn texts(array: &ArrayRef) -> std::result::Result<Vec<Option<String>>, ArrowError> {
    let texts = arrow_cast::cast(array, &DataType::Utf8)?;
    let text = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    Ok(texts.as_string::<i32>().iter().map(text).collect())
}

/// Runs the Parquet decoder. Should it panic on hostile bytes, that is an error too.
fn guard<T>(path: &Path, run: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    let remedy = "the table is damaged, or of another kind than it should be: write it again";
    match guarded(run) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(Error::input(path.display(), format!("cannot be decoded ({error})"), remedy)),
        None => Err(Error::input(path.display(), "cannot be decoded (the Parquet decoder gave up)", remedy)),
    }
}
