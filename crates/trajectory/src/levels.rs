//! Directory levels that are columns: `body=arm` and `frame=7`, where the files below have none of
//! that name (the partitions of Hive, as Spark, pandas and Polars write them).

use super::column_format::ColumnFormat;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::ColumnRole;
use std::path::Path;
use std::sync::Arc;

/// The word of Hive for a null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// A column of one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LevelColumn {
    /// The level as it is written: `body=arm`.
    pub(super) level: String,
    name: String,
    value: LevelValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum LevelValue {
    Body(String),
    Frame(i64),
}

impl LevelColumn {
    /// The columns that the levels above a file supply.
    ///
    /// # Errors
    /// A level is no value of its column, or there are two of one column.
    pub(super) fn of(file: &Path, schema: &Schema, format: &ColumnFormat) -> Result<Vec<Self>> {
        let roles = [Some(ColumnRole::Frame), format.joints.is_none().then_some(ColumnRole::Body)];
        let columns = roles.into_iter().flatten().map(|role| Self::of_role(role, file, schema, format));
        columns.filter_map(Result::transpose).collect()
    }

    fn of_role(role: ColumnRole, file: &Path, schema: &Schema, format: &ColumnFormat) -> Result<Option<Self>> {
        let given = format.names.get(role).map(|column| column.name.as_str());
        let is_name = |name: &str| given.map_or_else(|| role.names().contains(&name), |given| given == name);
        if schema.fields().iter().any(|field| is_name(field.name())) {
            return Ok(None);
        }
        let levels = file.parent().into_iter().flat_map(Path::iter).filter_map(|level| level.to_str());
        let mut levels = levels.filter(|level| level.split_once('=').is_some_and(|(name, _)| is_name(name)));
        let Some((level, (name, text))) = levels.next().and_then(|level| Some((level, level.split_once('=')?))) else {
            return Ok(None);
        };
        let wrong = |problem: String, remedy: &str| Err(Error::input(file.display(), problem, remedy));
        if let Some(other) = levels.next() {
            return wrong(
                format!("lies below two directory levels of one column, `{level}` and `{other}`"),
                "keep one",
            );
        }
        let value = match (unescaped(text), role) {
            (Some(text), ColumnRole::Body) if text != NULL && !text.is_empty() => Some(LevelValue::Body(text)),
            (Some(text), ColumnRole::Frame) => text.parse().ok().map(LevelValue::Frame),
            _ => None,
        };
        match value {
            Some(value) => Ok(Some(Self { level: level.to_owned(), name: name.to_owned(), value })),
            None if role == ColumnRole::Frame => wrong(
                format!("the directory level `{level}` is not an integer frame"),
                "name the directories frame=0, frame=1, ...",
            ),
            None => {
                wrong(format!("the directory level `{level}` is no name of a body"), "name the directories body=NAME")
            }
        }
    }

    /// The schema of a file with the columns behind its own.
    pub(super) fn extend(schema: &SchemaRef, levels: &[Self]) -> SchemaRef {
        if levels.is_empty() {
            return Arc::clone(schema);
        }
        let fields = schema.fields().iter().map(|field| field.as_ref().clone()).chain(levels.iter().map(Self::field));
        Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()))
    }

    fn field(&self) -> Field {
        let kind = match self.value {
            LevelValue::Body(_) => DataType::Utf8,
            LevelValue::Frame(_) => DataType::Int64,
        };
        Field::new(&self.name, kind, false)
    }

    /// The frame, if it is a column of frames.
    pub(super) fn frame(&self) -> Option<i64> {
        match self.value {
            LevelValue::Frame(frame) => Some(frame),
            LevelValue::Body(_) => None,
        }
    }

    fn array(&self, rows: usize) -> ArrayRef {
        match &self.value {
            LevelValue::Body(name) => Arc::new(StringArray::from_iter_values(std::iter::repeat_n(name, rows))),
            LevelValue::Frame(frame) => Arc::new(Int64Array::from_value(*frame, rows)),
        }
    }

    /// A batch with these columns behind its own.
    ///
    /// # Errors
    /// None that the data can cause.
    pub(super) fn add<'l>(batch: &RecordBatch, levels: impl Iterator<Item = &'l Self> + Clone) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let fields = batch
            .schema()
            .fields()
            .iter()
            .map(|field| field.as_ref().clone())
            .chain(levels.clone().map(Self::field))
            .collect::<Vec<_>>();
        let columns = batch.columns().iter().cloned().chain(levels.map(|level| level.array(rows))).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
            .map_err(|error| Error::internal("a directory level", error))
    }
}

/// A text without the escapes of Hive: `%2F` is a slash; `None` if it is no UTF-8 then.
fn unescaped(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [byte, tail @ ..] = rest {
        let escaped =
            || std::str::from_utf8(tail.get(..2)?).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (byte, escaped()) {
            (b'%', Some(escaped)) => {
                bytes.push(escaped);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}
