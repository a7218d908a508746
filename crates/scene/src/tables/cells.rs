//! A table of bodies, Parquet or CSV, as rows of cells. Nothing is believed of its bytes.
//!
//! *Architecture invariant*: the only file of the scene that names arrow or parquet.

use super::columns::{ID, POSITION, TableColumns};
use crate::row_place::RowPlace;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float32Array, Float64Array, GenericListArray, Int64Array, OffsetSizeTrait,
    StringViewArray, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use clearsweep_base::error::{Error, LARGE_INPUT, Result, nearest_one};
use clearsweep_input_guard::csv_cells;
use clearsweep_input_guard::csv_header::{self, CsvLines, WORKBOOK, WORKBOOK_REMEDY};
use clearsweep_input_guard::parquet_pages::{self, PageClaims};
use clearsweep_input_guard::{DAMAGED, guarded, gzip, parquet_footer};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::ParquetMetaData;
use std::io::Cursor;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Rows of Parquet decoded at a time.
const BATCH_ROWS: usize = 1024;

/// Bytes that the texts of a list may have: a dictionary may hold a long one once for many uses.
const MAX_LIST: usize = 1 << 20;

/// A value of a table. What is null or empty is not there.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Text(String),
    Number(f64),
    Integer(i128),
    /// A number that is stored in single precision.
    Single(f64),
    Bool(bool),
    List(Vec<String>),
}

impl Cell {
    /// Number, also where a text table holds it.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) | Self::Single(number) => Some(*number),
            Self::Integer(integer) => Some(*integer as f64),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Bool(_) | Self::List(_) => None,
        }
    }

    /// Whole number. pandas makes floating-point numbers of integers beside missing ones.
    pub(super) fn integer(&self) -> Option<i128> {
        /// Beyond this not every integer is an `f64`.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self {
            Self::Integer(integer) => Some(*integer),
            Self::Number(number) | Self::Single(number) => {
                (number.fract() == 0.0 && number.abs() <= EXACT).then_some(*number as i128)
            }
            Self::Text(text) => text.trim().parse().ok(),
            Self::Bool(_) | Self::List(_) => None,
        }
    }

    /// Bytes of its texts.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::List(texts) => texts.iter().map(|text| text.len() as u64).sum(),
            Self::Number(_) | Self::Integer(_) | Self::Single(_) | Self::Bool(_) => 0,
        }
    }
}

/// Takes the rows of a table: where each is, and its cells by the number of their column among
/// those known.
pub(super) type Take<'a> = dyn FnMut(RowPlace, Vec<(usize, Cell)>) -> Result<()> + 'a;

/// Reads a table; `known` are the columns that matter; `limit`: bytes that it may hold when it is
/// decompressed.
///
/// # Errors
/// The file is no such table, a column is there twice or nearly goes by a known name, or the first
/// error of `take`.
pub(super) fn read(
    path: &Arc<Path>,
    (bytes, limit): (Vec<u8>, u64),
    known: &TableColumns,
    take: &mut Take<'_>,
) -> Result<()> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "parquet" | "pq" => read_parquet(path, (bytes, limit), known, take),
        "csv" => read_csv(path, &gzip::text(path, bytes, limit)?, known, take),
        "gz" if gzip::is_named(path) => read_csv(path, &gzip::text(path, bytes, limit)?, known, take),
        "xlsx" | "xlsm" | "xls" | "ods" => Err(Error::input(path.display(), WORKBOOK, WORKBOOK_REMEDY)),
        _ => Err(Error::input(path.display(), "is no known type of table", "give a .parquet, .csv or .csv.gz file")),
    }
}

/// The columns that are known, as (column of the file, number of the known one); others are of no
/// concern, unless they look misspelt.
fn resolve(path: &Path, names: &[&str], columns: &TableColumns) -> Result<Vec<(usize, usize)>> {
    let known = columns.names();
    let is_taken =
        |near: &str| known.iter().any(|all| all.contains(&near) && all.iter().any(|one| names.contains(one)));
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (column, name) in names.iter().enumerate() {
        if let Some(number) = known.iter().position(|names| names.contains(name)) {
            if let Some(&(earlier, _)) = found.iter().find(|(_, other)| *other == number) {
                let problem = format!("columns `{}` and `{name}` both are `{}`", names[earlier], known[number][0]);
                return Err(Error::input(path.display(), problem, "keep one of them"));
            }
            found.push((column, number));
        } else if let Some(near) = misspelt(name, &known).filter(|near| !is_taken(near)) {
            let remedy =
                format!("did you mean `{near}`? Columns that are not meant for clearsweep may have any other name");
            return Err(Error::input(path.display(), format!("unknown column `{name}`"), remedy));
        }
    }
    Ok(found)
}

/// The known column that a name most likely means: one or two letters away, and long enough to
/// tell.
fn misspelt<'k>(name: &str, known: &[Vec<&'k str>]) -> Option<&'k str> {
    let candidates = known.iter().flat_map(|names| names.iter().copied()).filter(|known| known.len() > 3);
    let near = nearest_one(name.trim(), candidates)?;
    let most = if near.len() > 6 { 2 } else { 1 };
    (strsim::damerau_levenshtein(&name.trim().to_lowercase(), near) <= most).then_some(near)
}

fn read_csv(path: &Arc<Path>, bytes: &[u8], known: &TableColumns, take: &mut Take<'_>) -> Result<()> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv_cells::parser(bytes, 1 << 13);
    let mut names = reader.headers().map_err(|error| CsvLines::not_csv(None, path, &error))?.clone();
    names.trim();
    let lines = CsvLines::after_names(&reader);
    let columns = resolve(path, &names.iter().collect::<Vec<_>>(), known)?;
    let all: Vec<&str> = names.iter().collect();
    check_columns(path, &columns, &all, known)
        .map_err(|error| csv_header::other_separator(path, &all).unwrap_or(error))?;
    let mut record = csv::StringRecord::new();
    let mut row = 0;
    loop {
        csv_cells::begin(&mut reader);
        if !reader.read_record(&mut record).map_err(|error| CsvLines::not_csv(Some(lines), path, &error))? {
            return Ok(());
        }
        let cell = |&(column, number): &(usize, usize)| {
            let text = csv_cells::text(&reader, record.position(), (column, record.get(column)?));
            let text = Some(text).filter(|text| !text.is_empty())?;
            // Numbers of the pose are most of a table: no text of theirs is kept.
            let pose = (number >= POSITION).then(|| text.trim().parse().ok()).flatten();
            Some((number, pose.map_or_else(|| Cell::Text(text.to_owned()), Cell::Number)))
        };
        let line = record.position().map(|position| lines.line(position));
        take(RowPlace { table: Arc::clone(path), row, line }, columns.iter().filter_map(cell).collect())?;
        row += 1;
    }
}

/// Every table needs the first known column, and those that its section names.
fn check_columns(path: &Path, columns: &[(usize, usize)], names: &[&str], known: &TableColumns) -> Result<()> {
    let is_there = |number: usize| columns.iter().any(|&(_, there)| there == number);
    let there = || names.iter().copied().take(20).collect::<Vec<_>>().join(", ");
    if let Some((_, name, key)) = known.named().find(|&(number, ..)| !is_there(number)) {
        let problem =
            format!("has no column `{name}`, the `{key}` of `columns` of the [[bodies]] (its columns: {})", there());
        return Err(Error::input(path.display(), problem, "name a column of the table, or leave the key out"));
    }
    if is_there(0) {
        return Ok(());
    }
    let problem = format!("has no column `body` (its columns: {})", there());
    let remedy = "a table of bodies names each in the column `body`, or in the one that is `body` of `columns` of the [[bodies]]";
    Err(Error::input(path.display(), problem, remedy))
}

fn read_parquet(
    path: &Arc<Path>,
    (bytes, limit): (Vec<u8>, u64),
    known: &TableColumns,
    take: &mut Take<'_>,
) -> Result<()> {
    let encrypted = parquet_footer::check(path, Cursor::new(&bytes), bytes.len() as u64)?;
    let bytes = Bytes::from(bytes);
    let builder = guard(path, || Ok(ParquetRecordBatchReaderBuilder::try_new(bytes.clone())?))?;
    let schema = Arc::clone(builder.schema());
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut columns = resolve(path, &names, known)?;
    check_columns(path, &columns, &names, known)?;
    // A column of ids that no number can be may be of any type.
    columns.retain(|&(column, number)| number != ID || is_known(schema.field(column).data_type()));
    columns.sort_unstable();
    for &(column, _) in &columns {
        let field = schema.field(column);
        if !is_known(field.data_type()) {
            let problem = format!("column `{}` has the type {}", field.name(), field.data_type());
            return Err(Error::input(path.display(), problem, "write texts, numbers, truth values or lists of texts"));
        }
    }
    let roots: Vec<usize> = columns.iter().map(|&(column, _)| column).collect();
    parquet_pages::refuse_encrypted(path, builder.metadata(), &encrypted, &roots)?;
    let (claimed_rows, claims) = check_claims(path, &bytes, builder.metadata(), &roots, limit)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().map(|&(column, _)| column));
    let options = ArrowReaderOptions::new().with_schema(with_shared_texts(&schema));
    let metadata = guard(path, || Ok(ArrowReaderMetadata::try_new(Arc::clone(builder.metadata()), options)?))?;
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, metadata);
    let builder = builder.with_projection(mask).with_batch_size(claims.batch_rows(BATCH_ROWS));
    let mut reader = guard(path, || Ok(builder.build()?))?;
    let (mut row, mut held) = (0, 0);
    while let Some(batch) = guard(path, || reader.next().transpose())? {
        let arrays = batch.columns().iter().map(|array| guard(path, || CellColumn::new(array)));
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        if arrays.len() != columns.len() {
            return Err(Error::internal(path.display(), "columns were not decoded"));
        }
        for index in 0..batch.num_rows() {
            let place = RowPlace { table: Arc::clone(path), row, line: None };
            let mut found = Vec::with_capacity(columns.len());
            for (array, &(_, number)) in arrays.iter().zip(&columns) {
                let cell = array.cell(index).map_err(|error| error.in_row(&place))?;
                held += cell.as_ref().map_or(0, Cell::bytes);
                found.extend(cell.map(|cell| (number, cell)));
            }
            if held > limit {
                let problem = format!("holds texts of {held} bytes or more, and the limit is {limit}");
                return Err(Error::input(path.display(), problem, LARGE_INPUT));
            }
            take(place, found)?;
            row += 1;
        }
    }
    if row == claimed_rows {
        return Ok(());
    }
    Err(Error::input(path.display(), format!("holds {row} rows, and claims to hold {claimed_rows}"), DAMAGED))
}

/// The same columns, but texts as views: those that rows share stay shared.
fn with_shared_texts(schema: &Schema) -> SchemaRef {
    let shared = |kind: &DataType| match kind {
        DataType::List(item) if is_texts(item.data_type()) => {
            DataType::List(Arc::new(item.as_ref().clone().with_data_type(DataType::Utf8View)))
        }
        DataType::LargeList(item) if is_texts(item.data_type()) => {
            DataType::LargeList(Arc::new(item.as_ref().clone().with_data_type(DataType::Utf8View)))
        }
        kind if is_texts(kind) => DataType::Utf8View,
        kind => kind.clone(),
    };
    let fields = schema.fields().iter().map(|field| field.as_ref().clone().with_data_type(shared(field.data_type())));
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<Field>>(), schema.metadata().clone()))
}

/// Checks what a file claims to hold: its rows, and the pages of these columns.
fn check_claims(
    path: &Path,
    bytes: &Bytes,
    metadata: &ParquetMetaData,
    roots: &[usize],
    limit: u64,
) -> Result<(u64, PageClaims)> {
    parquet_pages::check_rows(path, metadata)?;
    let mut claims = PageClaims::default();
    for group in 0..metadata.num_row_groups() {
        claims.add(&parquet_pages::check(path, Cursor::new(bytes), metadata, group, roots)?);
        if claims.bytes > limit {
            let problem = format!("claims to hold {} bytes or more, and the limit is {limit}", claims.bytes);
            return Err(Error::input(path.display(), problem, LARGE_INPUT));
        }
    }
    let rows = metadata.file_metadata().num_rows();
    let negative = |_| Error::input(path.display(), format!("claims to hold {rows} rows"), DAMAGED);
    Ok((u64::try_from(rows).map_err(negative)?, claims))
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

/// A column of a batch, of a type that is known. Its cells are made one by one.
enum CellColumn {
    Nulls,
    Bools(BooleanArray),
    Numbers(Float64Array),
    Integers(Int64Array),
    Unsigned(UInt64Array),
    /// Numbers that are stored in single precision.
    Singles(Float32Array),
    Texts(StringViewArray),
    /// Range of each row's list among the texts; no list: `None`.
    Lists(Vec<Option<Range<usize>>>, StringViewArray),
}

impl CellColumn {
    fn new(array: &ArrayRef) -> std::result::Result<Self, ArrowError> {
        Ok(match array.data_type() {
            DataType::Null => Self::Nulls,
            DataType::Boolean => Self::Bools(array.as_boolean().clone()),
            DataType::List(_) => {
                let lists = array.as_list::<i32>();
                Self::Lists(ranges(lists), texts(lists.values())?)
            }
            DataType::LargeList(_) => {
                let lists = array.as_list::<i64>();
                Self::Lists(ranges(lists), texts(lists.values())?)
            }
            DataType::Float32 => Self::Singles(array.as_primitive::<Float32Type>().clone()),
            DataType::UInt64 => Self::Unsigned(array.as_primitive::<UInt64Type>().clone()),
            kind if kind.is_integer() => {
                let integers = arrow_cast::cast(array, &DataType::Int64)?;
                Self::Integers(integers.as_primitive::<Int64Type>().clone())
            }
            kind if kind.is_numeric() => {
                let numbers = arrow_cast::cast(array, &DataType::Float64)?;
                Self::Numbers(numbers.as_primitive::<Float64Type>().clone())
            }
            _ => Self::Texts(texts(array)?),
        })
    }

    /// The cell of a row; an empty text is as good as none.
    fn cell(&self, row: usize) -> std::result::Result<Option<Cell>, LongList> {
        Ok(match self {
            Self::Nulls => None,
            Self::Bools(values) => values.is_valid(row).then(|| Cell::Bool(values.value(row))),
            Self::Numbers(values) => values.is_valid(row).then(|| Cell::Number(values.value(row))),
            Self::Integers(values) => values.is_valid(row).then(|| Cell::Integer(values.value(row).into())),
            Self::Unsigned(values) => values.is_valid(row).then(|| Cell::Integer(values.value(row).into())),
            Self::Singles(values) => values.is_valid(row).then(|| Cell::Single(f64::from(values.value(row)))),
            Self::Texts(texts) => text(texts, row).map(|text| Cell::Text(text.to_owned())),
            Self::Lists(lists, texts) => lists[row].clone().map(|list| list_of(list, texts)).transpose()?,
        })
    }
}

fn texts(array: &ArrayRef) -> std::result::Result<StringViewArray, ArrowError> {
    Ok(arrow_cast::cast(array, &DataType::Utf8View)?.as_string_view().clone())
}

/// Returns the range of each row's list among the values of all.
fn ranges<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> Vec<Option<Range<usize>>> {
    let range = |row: usize| lists.value_offsets()[row].as_usize()..lists.value_offsets()[row + 1].as_usize();
    (0..lists.len()).map(|row| lists.is_valid(row).then(|| range(row))).collect()
}

fn text(texts: &StringViewArray, row: usize) -> Option<&str> {
    texts.is_valid(row).then(|| texts.value(row).trim()).filter(|text| !text.is_empty())
}

fn list_of(list: Range<usize>, texts: &StringViewArray) -> std::result::Result<Cell, LongList> {
    let (mut found, mut bytes) = (Vec::new(), 0);
    for text in list.filter_map(|at| text(texts, at)) {
        bytes += text.len();
        if bytes > MAX_LIST {
            return Err(LongList);
        }
        found.push(text.to_owned());
    }
    Ok(Cell::List(found))
}

/// A list of too many bytes.
struct LongList;

impl LongList {
    fn in_row(&self, place: &RowPlace) -> Error {
        let problem = format!("has a list with texts of more than {MAX_LIST} bytes");
        Error::input(place, problem, "give fewer or shorter texts")
    }
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
