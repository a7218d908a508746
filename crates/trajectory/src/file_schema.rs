//! The schema of a file: its columns, and the types that a role allows.

use arrow_schema::{DataType, Schema};
use clearsweep_base::error::Error;
use clearsweep_model::{ColumnRole, TrajectoryColumns};
use std::path::Path;

/// The schema of a file, with the names that `[columns]` gives; `file` is for messages.
pub(super) struct Table<'a> {
    pub(super) file: &'a Path,
    pub(super) schema: &'a Schema,
    pub(super) names: &'a TrajectoryColumns,
}

/// A column of a file.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// Its index among the root fields of the schema.
    pub(super) index: usize,
    /// Its name in the file.
    pub(super) name: String,
}

impl Table<'_> {
    pub(super) fn error(&self, problem: String, remedy: impl std::fmt::Display) -> Error {
        Error::input(self.file.display(), problem, remedy)
    }

    /// The names of the first columns, for messages.
    pub(super) fn columns(&self) -> String {
        const SHOWN: usize = 20;
        let names: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).take(SHOWN).collect();
        let more = self.schema.fields().len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("its columns: {}{more}", names.join(", "))
    }

    /// Whether a column has a role. The name that `[columns]` gives for the role decides. Without
    /// one, a name of the format decides, unless `[columns]` gives that name to another role.
    pub(super) fn is_of(&self, role: ColumnRole, name: &str) -> bool {
        match self.names.get(role) {
            Some(given) => given.name == name,
            None => role.names().contains(&name) && self.names.role_of(name).is_none(),
        }
    }
}

/// Indices of columns, ascending.
pub(super) fn ascending<'a>(columns: impl IntoIterator<Item = &'a Column>) -> Vec<usize> {
    let mut indices: Vec<usize> = columns.into_iter().map(|column| column.index).collect();
    indices.sort_unstable();
    indices
}

fn is_integer(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => values.is_integer(),
        kind => kind.is_integer(),
    }
}

fn is_float(kind: &DataType) -> bool {
    matches!(kind, DataType::Float64 | DataType::Float32)
}

/// Whether values of joints can have the type.
pub(super) fn is_number(kind: &DataType) -> bool {
    is_float(kind) || kind.is_integer()
}

fn is_time(kind: &DataType) -> bool {
    is_number(kind) || matches!(kind, DataType::Timestamp(..) | DataType::Duration(_))
}

pub(super) fn is_string(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_string(values),
        kind => matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
    }
}

/// Whether a column of this type can have a role.
pub(super) fn fits(role: ColumnRole, kind: &DataType) -> bool {
    match role {
        ColumnRole::Run | ColumnRole::Frame => is_integer(kind),
        ColumnRole::Time => is_time(kind),
        ColumnRole::Body => is_string(kind) || is_integer(kind),
        _ => is_float(kind),
    }
}

/// The types that fit, for messages.
pub(super) fn wanted(role: ColumnRole) -> &'static str {
    match role {
        ColumnRole::Run | ColumnRole::Frame => "an integer type",
        ColumnRole::Time => "float64 (seconds), or as a timestamp",
        ColumnRole::Body => "a string, a dictionary of strings, or an integer",
        _ => "float64 or float32",
    }
}
