//! One schema for all files of an input.
//!
//! The rule: columns of the format come out under the format's names, unless others are given, keys
//! as `int64`, names of bodies as a dictionary of strings. Any other column keeps its name and its
//! type; where files differ in the width of a number or in how text is stored, it becomes `int64`,
//! `float64` or a plain string. What differs otherwise is an error.

use super::names::BodyNumbers;
use super::writable::can_hold;
use crate::columns::Columns;
use crate::decode;
use crate::rows::{Defects, Runs};
use crate::source::Source;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{ColumnRole, TrajectoryColumns};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The role of a column in the format; `Other`: none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Run,
    Frame,
    Time,
    Body,
    Pose,
    Other,
}

/// Schema metadata that describes the columns as they were, and would be wrong of the file written.
const STALE: [&str; 3] = ["pandas", "ARROW:schema", "org.apache.spark.sql.parquet.row.metadata"];

/// The one schema, and where its columns come from.
pub(super) struct Unified {
    /// Schema of the file written.
    pub(super) schema: SchemaRef,
    /// Schema of batches on their way: names are numbers.
    pub(super) inner: SchemaRef,
    /// The column of runs, if any file or directory level says runs.
    pub(super) run: Option<usize>,
    /// The column of frames.
    pub(super) frame: usize,
    /// The column of names.
    pub(super) body: usize,
    roles: Vec<Role>,
    /// For each source and column: its index among the root fields of the source.
    origins: Vec<Vec<Option<usize>>>,
}

/// A column while files are compared.
struct UnifiedColumn {
    name: String,
    role: Role,
    kind: DataType,
    nullable: bool,
    metadata: HashMap<String, String>,
    /// The first source that has it.
    first: usize,
    origins: Vec<Option<usize>>,
}

/// The role of a root column of a file, and its name in the file written: that of the format,
/// unless `names` give one.
fn role(columns: &Columns, names: &TrajectoryColumns, index: usize, name: &str) -> (Role, String) {
    let Some((role, _)) = columns.roles().into_iter().find(|(_, column)| column.index == index) else {
        return (Role::Other, name.to_owned());
    };
    let sorted = match role {
        ColumnRole::Run => Role::Run,
        ColumnRole::Frame => Role::Frame,
        ColumnRole::Time => Role::Time,
        ColumnRole::Body => Role::Body,
        _ => Role::Pose,
    };
    (sorted, if names.get(role).is_some() { name } else { role.name() }.to_owned())
}

/// The type of the values, whether or not they are stored as a dictionary.
fn plain(kind: &DataType) -> DataType {
    match kind {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        kind => kind.clone(),
    }
}

/// The type that holds the values of both.
fn common(a: &DataType, b: &DataType) -> Option<DataType> {
    let text = |kind: &DataType| matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    match () {
        () if a == b || *b == DataType::Null => Some(a.clone()),
        // A column without a value in its file.
        () if *a == DataType::Null => Some(b.clone()),
        () if a.is_integer() && b.is_integer() => Some(DataType::Int64),
        () if a.is_floating() && b.is_floating() => Some(DataType::Float64),
        () if text(a) && text(b) => Some(DataType::Utf8),
        () => None,
    }
}

impl Unified {
    /// Compares the columns of all files.
    ///
    /// # Errors
    /// Two columns of a file have one name; files differ in the type or the unit of a column, or
    /// some have times and others none.
    pub(super) fn of(sources: &[Source], names: &TrajectoryColumns) -> Result<Self> {
        let mut columns: Vec<UnifiedColumn> = Vec::new();
        let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
        for (index, source) in sources.iter().enumerate() {
            for (root, field) in source.schema.fields().iter().enumerate() {
                let (role, name) = role(&source.columns, names, root, field.name());
                match by_name.get(&name) {
                    None => {
                        by_name.insert(name.clone(), columns.len());
                        columns.push(UnifiedColumn::new(name, role, field, index, root));
                    }
                    Some(&at) => columns[at].meet(sources, index, root, field)?,
                }
            }
            columns.iter_mut().for_each(|column| column.origins.resize(index + 1, None));
        }
        check_times(sources, &columns)?;
        if let Some(column) = columns.iter().find(|column| !can_hold(&column.name, &column.kind)) {
            return Err(Error::input(
                sources[column.first].path.display(),
                format!("column `{}` has the type {}, which cannot be written to Parquet", column.name, column.kind),
                "leave the column out, or write it as another type",
            ));
        }
        let level = sources.iter().any(|source| source.columns.run.is_none() && source.run.is_some());
        if level && !by_name.contains_key("run") {
            let field = Field::new("run", DataType::Int64, false);
            columns.insert(0, UnifiedColumn::new("run".to_owned(), Role::Run, &field, 0, 0));
            columns[0].origins = vec![None; sources.len()];
        }
        let metadata = sources.first().map(|source| source.schema.metadata().clone()).unwrap_or_default();
        Self::lower(columns, metadata, sources.len())
    }

    fn lower(columns: Vec<UnifiedColumn>, mut metadata: HashMap<String, String>, sources: usize) -> Result<Self> {
        STALE.iter().for_each(|key| drop(metadata.remove(*key)));
        let position = |role| columns.iter().position(|column: &UnifiedColumn| column.role == role);
        let (Some(frame), Some(body)) = (position(Role::Frame), position(Role::Body)) else {
            return Err(Error::internal("sort", "a checked file has frames and bodies"));
        };
        let run = position(Role::Run);
        let field = |column: &UnifiedColumn, kind| {
            Field::new(&column.name, kind, column.nullable).with_metadata(column.metadata.clone())
        };
        let keyed = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let outer = |c: &UnifiedColumn| field(c, if c.role == Role::Body { keyed.clone() } else { c.kind.clone() });
        let inner = |c: &UnifiedColumn| field(c, if c.role == Role::Body { DataType::Int32 } else { c.kind.clone() });
        let origins = (0..sources).map(|source| columns.iter().map(|column| column.origins[source]).collect());
        Ok(Self {
            schema: Arc::new(Schema::new_with_metadata(columns.iter().map(outer).collect::<Vec<_>>(), metadata)),
            inner: Arc::new(Schema::new(columns.iter().map(inner).collect::<Vec<_>>())),
            run,
            frame,
            body,
            roles: columns.iter().map(|column| column.role).collect(),
            origins: origins.collect(),
        })
    }

    /// Columns of floating-point numbers of the format: they hardly ever repeat.
    pub(super) fn poses(&self) -> impl Iterator<Item = &str> {
        let fields = self.schema.fields().iter().zip(&self.roles);
        fields.filter(|(_, role)| **role == Role::Pose).map(|(field, _)| field.name().as_str())
    }

    /// Bytes of a row, with nothing in its columns of variable width; 1 or more.
    pub(super) fn least_row_bytes(&self) -> usize {
        let width = |field: &Arc<Field>| field.data_type().primitive_width().unwrap_or(8);
        self.inner.fields().iter().map(width).sum::<usize>().max(1)
    }

    /// A batch of all columns of a source (by its index), as the one schema says.
    ///
    /// # Errors
    /// A key is missing or no `int64`; a value does not fit the common type.
    pub(super) fn batch(
        &self,
        index: usize,
        source: &Source,
        first_row: u64,
        batch: &RecordBatch,
        names: &mut BodyNumbers,
    ) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        let projection: Vec<usize> = (0..batch.num_columns()).collect();
        let mut defects = Defects::new(source, first_row, rows);
        let runs = decode::runs(source, &projection, batch, &mut defects)?;
        let frames = decode::frames(source, &projection, batch, &mut defects)?;
        if let Some(error) = defects.into_error() {
            return Err(error);
        }
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.roles.len());
        for ((role, origin), field) in self.roles.iter().zip(&self.origins[index]).zip(self.inner.fields()) {
            let array = origin.map(|root| batch.column(root));
            columns.push(match (role, array) {
                (Role::Run, _) => match &runs {
                    Runs::One(run) => Arc::new(Int64Array::from_value(*run, rows)),
                    Runs::Each(runs) => Arc::new(Int64Array::new(runs.clone(), None)),
                },
                (Role::Frame, _) => Arc::new(Int64Array::new(frames.clone(), None)),
                (Role::Body, Some(array)) => Arc::new(names.column(array, &source.path)?),
                (_, Some(array)) => as_kind(array, field, source)?,
                (_, None) => new_null_array(field.data_type(), rows),
            });
        }
        RecordBatch::try_new(Arc::clone(&self.inner), columns).map_err(|error| {
            Error::input(source.path.display(), format!("cannot be decoded ({error})"), "write it again")
        })
    }
}

/// A column as the type of a field.
fn as_kind(array: &ArrayRef, field: &Field, source: &Source) -> Result<ArrayRef> {
    if array.data_type() == field.data_type() {
        return Ok(Arc::clone(array));
    }
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, field.data_type(), &strict).map_err(|error| {
        Error::input(
            source.path.display(),
            format!("column `{}` does not fit {}: {error}", field.name(), field.data_type()),
            "write the column with one type in all files",
        )
    })
}

impl UnifiedColumn {
    fn new(name: String, role: Role, field: &Field, source: usize, root: usize) -> Self {
        let kind = match role {
            Role::Run | Role::Frame => DataType::Int64,
            Role::Body => DataType::Utf8,
            _ => plain(field.data_type()),
        };
        let key = matches!(role, Role::Run | Role::Frame);
        let mut origins = vec![None; source];
        origins.push(Some(root));
        let (metadata, nullable) = (field.metadata().clone(), !key && (field.is_nullable() || source > 0));
        Self { name, role, kind, nullable, metadata, first: source, origins }
    }

    /// Takes a further file's column of this name into account.
    fn meet(&mut self, sources: &[Source], source: usize, root: usize, field: &Field) -> Result<()> {
        let path = |source: usize| sources[source].path.display();
        if self.origins.len() > source {
            return Err(Error::input(path(source), format!("has two columns `{}`", self.name), "rename one of them"));
        }
        if !matches!(self.role, Role::Run | Role::Frame | Role::Body) {
            let kind = plain(field.data_type());
            self.kind = common(&self.kind, &kind).ok_or_else(|| {
                Error::input(
                    path(source),
                    format!("column `{}` has the type {kind}, but {} in {}", field.name(), self.kind, path(self.first)),
                    "write the column with one type in all files, or sort them apart",
                )
            })?;
            self.nullable |= field.is_nullable();
        }
        let unit = |metadata: &HashMap<String, String>| match metadata.get("unit") {
            None if self.role == Role::Time => Some("s".to_owned()),
            unit => unit.cloned(),
        };
        let (here, before) = (unit(field.metadata()), unit(&self.metadata));
        if here != before {
            let word = |unit: Option<String>| unit.map_or("no unit".to_owned(), |unit| format!("the unit `{unit}`"));
            return Err(Error::input(
                path(source),
                format!("column `{}` has {}, but {} in {}", field.name(), word(here), word(before), path(self.first)),
                "give the column one unit in all files (field metadata `unit`)",
            ));
        }
        self.origins.resize(source, None);
        self.origins.push(Some(root));
        Ok(())
    }
}

/// Times are in all files or in none; other columns that some files lack are null there.
fn check_times(sources: &[Source], columns: &[UnifiedColumn]) -> Result<()> {
    let Some(time) = columns.iter().find(|column| column.role == Role::Time) else { return Ok(()) };
    match time.origins.iter().position(Option::is_none) {
        None => Ok(()),
        Some(lacking) => Err(Error::input(
            sources[lacking].path.display(),
            format!("has no column `time_s`, but {} has", sources[time.first].path.display()),
            "write the times in all files or in none",
        )),
    }
}
