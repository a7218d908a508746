//! Columns as they are declared, and what decides which of them a job writes.

use arrow_schema::{DataType, Field};
use clearsweep_model::{BetweenFrames, Scene};
use std::collections::HashMap;
use std::sync::Arc;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Signed 64-bit integers.
    Int64,
    /// Signed 32-bit integers.
    Int32,
    /// Double precision numbers.
    Float64,
    /// True or false.
    Boolean,
    /// Texts, dictionary encoded.
    Text(Words),
    /// Texts without a dictionary.
    PlainText,
    /// Lists of texts.
    TextList,
}

impl ColumnType {
    /// The word for the type in the reference.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int64 => "int64",
            Self::Int32 => "int32",
            Self::Float64 => "float64",
            Self::Boolean => "boolean",
            Self::Text(_) => "dictionary",
            Self::PlainText => "string",
            Self::TextList => "list of string",
        }
    }
}

/// The texts that the codes of a text column stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Names of the bodies, by body index.
    Bodies,
    /// Names of the rules, the default last.
    Rules,
    /// Texts of issues, which are known at the end of a job.
    Issues,
    /// The words of an enumeration.
    Fixed(&'static [&'static str]),
}

/// Which columns of `distances` are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DistanceColumns {
    /// All columns.
    #[default]
    All,
    /// Keys, bodies, distance, bracket, status.
    Distance,
}

/// The properties of a job that decide which tables and columns its result has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents {
    /// Whether `distances` has witness points and features.
    pub witnesses: bool,
    /// Whether distances along a direction are asked.
    pub directional: bool,
    /// Whether rules require free lengths: rows of other pairs may have none.
    pub free_lengths: bool,
    /// Whether the job says something about intervals.
    pub intervals: bool,
    /// Whether the scene has rules.
    pub rules: bool,
    /// Whether something is required.
    pub requirements: bool,
    /// Whether pairs are known from before: a file of accepted pairs, or an earlier result.
    pub known_pairs: bool,
    /// Whether all contacts are asked for.
    pub contacts: bool,
    /// Whether joints carry bodies.
    pub joints: bool,
    /// Whether joints are swept over their ranges.
    pub sweeps: bool,
}

impl Contents {
    /// Two jobs that differ in everything on which the nulls of a column depend.
    pub(crate) fn extremes() -> [Self; 2] {
        [true, false].map(|flag| Self {
            witnesses: true,
            directional: true,
            free_lengths: flag,
            intervals: flag,
            rules: true,
            requirements: true,
            known_pairs: true,
            contacts: true,
            joints: true,
            sweeps: true,
        })
    }

    /// Returns the contents of a job on `scene`.
    pub fn new(scene: &Scene, columns: DistanceColumns) -> Self {
        let free_lengths = scene.rules.all().iter().any(|rule| rule.free_length.is_some());
        Self {
            witnesses: columns == DistanceColumns::All,
            directional: scene.direction.is_some() || free_lengths,
            free_lengths,
            intervals: scene.motion.between != BetweenFrames::None,
            rules: !scene.rules.all().is_empty(),
            requirements: scene.requirements().is_something(),
            known_pairs: !scene.dispositions.day.is_empty() || scene.earlier_issues.is_some(),
            contacts: scene.query.contacts,
            joints: scene.joints.is_some(),
            sweeps: scene.joints.as_ref().is_some_and(|joints| joints.sweeps.is_some()),
        }
    }
}

/// A property of a job on which a table, a column or its nulls depend.
pub(crate) type Condition = fn(&Contents) -> bool;

/// The declaration of a column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Name. It ends in the unit if the column has a length or a time.
    pub name: &'static str,
    /// Type of the values.
    pub kind: ColumnType,
    /// Field metadata `unit`; `None` for columns without a unit.
    pub unit: Option<&'static str>,
    /// Meaning, for the reference.
    pub meaning: &'static str,
    /// Whether values may be null, in the table of a job; `false` in a declaration.
    pub nullable: bool,
    /// Whether this is an integer key, which is dictionary encoded.
    pub is_key: bool,
    /// For names of bodies: the column of their indices, whose data pages serve both.
    pub index: Option<&'static str>,
    /// Whether neighbouring rows usually have equal values.
    pub(crate) repeats: bool,
    nulls: Option<Condition>,
    exists: Option<Condition>,
}

impl Column {
    /// A column without nulls and unit. `meaning`: for the reference.
    pub const fn new(name: &'static str, kind: ColumnType, meaning: &'static str) -> Self {
        Self {
            name,
            kind,
            unit: None,
            meaning,
            nullable: false,
            is_key: false,
            index: None,
            repeats: false,
            nulls: None,
            exists: None,
        }
    }

    pub(crate) const fn unit(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// The same column as an integer key.
    pub const fn key(self) -> Self {
        Self { is_key: true, ..self }
    }

    pub(crate) const fn repeats(self) -> Self {
        Self { repeats: true, ..self }
    }

    pub(crate) const fn null(self) -> Self {
        self.null_if(|_| true)
    }

    pub(crate) const fn null_if(self, condition: Condition) -> Self {
        Self { nulls: Some(condition), ..self }
    }

    pub(crate) const fn only_if(self, condition: Condition) -> Self {
        Self { exists: Some(condition), ..self }
    }

    pub(crate) const fn texts(self, words: Words) -> Self {
        Self { kind: ColumnType::Text(words), ..self }
    }

    pub(crate) const fn name_of(self, index: &'static str) -> Self {
        Self { index: Some(index), ..self.texts(Words::Bodies) }
    }

    /// Whether the table of a job has the column.
    pub fn exists(&self, contents: &Contents) -> bool {
        self.exists.is_none_or(|condition| condition(contents))
    }

    /// Whether some results lack the column.
    pub const fn is_optional(&self) -> bool {
        self.exists.is_some()
    }

    /// Whether values may be null in the table of a job.
    pub(crate) fn is_nullable(&self, contents: &Contents) -> bool {
        self.nulls.is_some_and(|condition| condition(contents))
    }

    /// Returns the column with nulls if it has some in the table of any job.
    pub(crate) fn in_any_job(&self) -> Self {
        Self { nullable: Contents::extremes().iter().any(|job| self.is_nullable(job)), ..*self }
    }

    /// Returns the column of a job's table.
    fn in_job(&self, contents: &Contents) -> Self {
        Self { nullable: self.is_nullable(contents), ..*self }
    }
}

/// The table of a job: its columns in the order of the file.
#[derive(Debug, Clone)]
pub struct TableSchema {
    /// Name of the table.
    pub name: &'static str,
    /// Columns in the order of the file.
    pub columns: Vec<Column>,
    /// Names of the columns by which rows are sorted, most significant first.
    pub sorted_by: &'static [&'static str],
}

impl TableSchema {
    /// Returns the table of a job.
    pub(crate) fn new(
        name: &'static str,
        columns: &[Column],
        sorted_by: &'static [&'static str],
        contents: &Contents,
    ) -> Self {
        let columns = columns.iter().filter(|column| column.exists(contents));
        Self { name, columns: columns.map(|column| column.in_job(contents)).collect(), sorted_by }
    }

    /// Returns the Arrow fields of the columns.
    pub fn fields(&self) -> Vec<Field> {
        self.columns.iter().map(field).collect()
    }

    /// Returns the position of a column.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Returns the columns with values of their own: all but the names of bodies.
    pub fn filled(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.index.is_none())
    }
}

fn field(column: &Column) -> Field {
    let data_type = match column.kind {
        ColumnType::Int64 => DataType::Int64,
        ColumnType::Int32 => DataType::Int32,
        ColumnType::Float64 => DataType::Float64,
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::Text(_) => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        ColumnType::PlainText => DataType::Utf8,
        // The Parquet specification (LogicalTypes.md, "Lists") prescribes the name.
        ColumnType::TextList => DataType::List(Arc::new(Field::new("element", DataType::Utf8, false))),
    };
    // The map has at most one entry, so its order cannot reach the file.
    let unit = column.unit.map(|unit| ("unit".to_owned(), unit.to_owned()));
    Field::new(column.name, data_type, column.nullable).with_metadata(HashMap::from_iter(unit))
}
