//! Which columns of a file are which, by the names of the contract and their aliases.

use arrow_schema::{DataType, Field, Schema};
use clearsweep_base::error::{Error, Result, nearest};
use clearsweep_scene::model::LengthUnit;
use std::path::Path;

/// A column of the contract, with all names it goes by.
struct ColumnAliases(&'static [&'static str]);

const RUN: ColumnAliases = ColumnAliases(&["run", "run_id"]);
const FRAME: ColumnAliases = ColumnAliases(&["frame", "frame_index"]);
const TIME: ColumnAliases = ColumnAliases(&["time_s", "t", "time", "timestamp"]);
const BODY: ColumnAliases = ColumnAliases(&["body", "body_id"]);

/// The components of a pose, in the order of [`Columns::pose`].
const POSE: [ColumnAliases; 7] = [
    ColumnAliases(&["x", "tx"]),
    ColumnAliases(&["y", "ty"]),
    ColumnAliases(&["z", "tz"]),
    ColumnAliases(&["qw"]),
    ColumnAliases(&["qx"]),
    ColumnAliases(&["qy"]),
    ColumnAliases(&["qz"]),
];

/// All names that a column of the format goes by.
fn names_of_the_format() -> impl Iterator<Item = &'static str> {
    [&RUN, &FRAME, &TIME, &BODY].into_iter().chain(&POSE).flat_map(|names| names.0.iter().copied())
}

/// Indices of the columns in the schema of a file, with their names there.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    /// Any integer; a file without it has one run.
    pub(super) run: Option<Column>,
    /// Any integer.
    pub(super) frame: Column,
    /// Seconds, a duration, or a timestamp.
    pub(super) time: Option<Column>,
    /// Strings or a dictionary of them.
    pub(super) body: Column,
    /// x, y, z, qw, qx, qy, qz: `f64` or `f32`.
    pub(super) pose: [Column; 7],
    /// Units of x, y, z.
    pub(super) units: [LengthUnit; 3],
}

/// A column of a file.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// Its index among the root fields of the schema.
    pub(super) index: usize,
    /// Its name in the file.
    pub(super) name: String,
}

impl Columns {
    /// Finds the columns in the schema of `file`; lengths are in `unit` unless a field says otherwise.
    ///
    /// # Errors
    /// A column is missing, there twice, of the wrong type, or in an unknown unit.
    pub(super) fn resolve(file: &Path, schema: &Schema, unit: LengthUnit) -> Result<Self> {
        let table = Table { file, schema };
        let time = table.optional(&TIME, is_time, "float64 (seconds), or as a timestamp")?;
        if let Some(column) = &time {
            table.check_seconds(column)?;
        }
        let mut pose = Vec::with_capacity(POSE.len());
        for names in &POSE {
            pose.push(table.required(names, is_float, "float64 or float32")?);
        }
        let pose: [Column; 7] =
            pose.try_into().map_err(|_| Error::internal(file.display(), "a pose has seven components"))?;
        let mut units = [unit; 3];
        for (unit, column) in units.iter_mut().zip(&pose) {
            *unit = table.unit(column, *unit)?;
        }
        Ok(Self {
            run: table.optional(&RUN, is_integer, "an integer type")?,
            frame: table.required(&FRAME, is_integer, "an integer type")?,
            time,
            body: table.required(&BODY, is_string, "a string or a dictionary of strings")?,
            pose,
            units,
        })
    }

    /// The type that the cells of a column of CSV are parsed as, by its name.
    pub(super) fn csv_type(name: &str) -> DataType {
        let is_one_of = |names: &[&ColumnAliases]| names.iter().any(|names| names.0.contains(&name));
        if is_one_of(&[&RUN, &FRAME]) {
            DataType::Int64
        } else if is_one_of(&[&TIME]) || POSE.iter().any(|names| names.0.contains(&name)) {
            DataType::Float64
        } else {
            DataType::Utf8
        }
    }

    /// The columns, ascending by index.
    pub(super) fn all(&self) -> Vec<usize> {
        let columns = self.pose.iter().chain(&self.run).chain(&self.time).chain([&self.frame, &self.body]);
        ascending(columns)
    }

    /// The columns that make a key, ascending by index.
    pub(super) fn keys(&self) -> Vec<usize> {
        ascending(self.run.iter().chain([&self.frame]))
    }

    /// x, y, z, ascending by index.
    pub(super) fn positions(&self) -> Vec<usize> {
        ascending(&self.pose[..3])
    }
}

fn ascending<'a>(columns: impl IntoIterator<Item = &'a Column>) -> Vec<usize> {
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

fn is_time(kind: &DataType) -> bool {
    is_float(kind) || matches!(kind, DataType::Timestamp(..) | DataType::Duration(_))
}

fn is_string(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_string(values),
        kind => matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
    }
}

/// A schema with the file it is of, for messages.
struct Table<'a> {
    file: &'a Path,
    schema: &'a Schema,
}

impl Table<'_> {
    fn error(&self, problem: String, remedy: impl std::fmt::Display) -> Error {
        Error::input(self.file.display(), problem, remedy)
    }

    /// The one column that goes by any of `names`.
    fn optional(&self, names: &ColumnAliases, fits: fn(&DataType) -> bool, wanted: &str) -> Result<Option<Column>> {
        let mut found: Option<(usize, &Field)> = None;
        for (index, field) in self.schema.fields().iter().enumerate() {
            if !names.0.contains(&field.name().as_str()) {
                continue;
            }
            if let Some((_, earlier)) = found {
                return Err(self.error(
                    format!("columns `{}` and `{}` both are `{}`", earlier.name(), field.name(), names.0[0]),
                    format!("keep one of them; `{}` is the name of the format", names.0[0]),
                ));
            }
            found = Some((index, field));
        }
        let Some((index, field)) = found else { return Ok(None) };
        if !fits(field.data_type()) {
            return Err(self.error(
                format!("column `{}` has the type {}", field.name(), field.data_type()),
                format!("write it as {wanted}"),
            ));
        }
        Ok(Some(Column { index, name: field.name().clone() }))
    }

    fn required(&self, names: &ColumnAliases, fits: fn(&DataType) -> bool, wanted: &str) -> Result<Column> {
        self.optional(names, fits, wanted)?.ok_or_else(|| {
            let all = || self.schema.fields().iter().map(|field| field.name().as_str());
            let there: Vec<&str> = all().take(20).collect();
            // A column of the format is no misspelt other one.
            let other = || all().filter(|name| !names_of_the_format().any(|known| known == *name));
            if self.is_index_of_pandas(names) {
                let problem = format!("`{}` is the index of a pandas frame, and no column", names.0[0]);
                return self.error(problem, "write the frame with `df.reset_index().to_parquet(...)`");
            }
            let remedy = match names.0.iter().find_map(|name| nearest(name, other())) {
                Some(near) => format!("rename the column `{near}` to `{}`, if it is that: {wanted}", names.0[0]),
                None => format!(
                    "trajectories need the columns frame, body, x, y, z, qw, qx, qy, qz; `{}` is {wanted}",
                    names.0[0]
                ),
            };
            self.error(format!("has no column `{}` (its columns: {})", names.0[0], there.join(", ")), remedy)
        })
    }

    /// Whether pandas has a column in its index alone, which it keeps in the metadata of the schema.
    fn is_index_of_pandas(&self, names: &ColumnAliases) -> bool {
        let Some(text) = self.schema.metadata().get("pandas") else { return false };
        let said: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let indices = said["index_columns"].as_array().into_iter().flatten();
        indices.filter_map(|index| index["name"].as_str()).any(|name| names.0.contains(&name))
    }

    /// The unit that the field's metadata names, else `default`.
    fn unit(&self, column: &Column, default: LengthUnit) -> Result<LengthUnit> {
        let Some(word) = self.schema.field(column.index).metadata().get("unit") else { return Ok(default) };
        LengthUnit::parse(word).ok_or_else(|| {
            self.error(
                format!("column `{}` is in the unknown unit `{word}`", column.name),
                "the metadata `unit` of a length is one of m, mm, cm, km, in, ft",
            )
        })
    }

    fn check_seconds(&self, column: &Column) -> Result<()> {
        match self.schema.field(column.index).metadata().get("unit").map(String::as_str) {
            None | Some("s") => Ok(()),
            Some(word) => {
                Err(self
                    .error(format!("column `{}` is in the unit `{word}`", column.name), "convert the times to seconds"))
            }
        }
    }
}
