//! Reading of what the bodies of a finished execution are.

use super::report::{guard, invalid, open};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use clearsweep_base::error::Result;
use parquet::arrow::ProjectionMask;
use std::collections::HashSet;
use std::path::Path;

/// A body as its table has it.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyLine {
    /// Its name.
    pub name: String,
    /// Whether its mesh, or each of its pieces, is convex; `None` if no hull stands for a mesh.
    pub is_convex: Option<bool>,
    /// How far the true surface may lie from the geometry, metres.
    pub deviation_m: Option<f64>,
    /// The word of its inside: `solid`, `winding` or `surface`.
    pub inside: Option<String>,
}

/// Reads the bodies of the output directory `dir`, in the order of the scene. Columns that an earlier version did not write are `None`.
///
/// # Errors
/// The table is missing, or clearsweep did not write it.
pub fn read_bodies(dir: &Path) -> Result<Vec<BodyLine>> {
    let path = dir.join("bodies.parquet");
    let builder = open(&path)?;
    let wanted = ["body", "convex", "deviation_m", "inside"];
    let roots: Vec<usize> = wanted.iter().filter_map(|name| builder.schema().index_of(name).ok()).collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
    let mut found = Vec::new();
    let mut reader = guard(&path, || Ok(builder.with_projection(mask).build()?))?;
    while let Some(batch) = guard(&path, || reader.next().transpose())? {
        let lines = lines(&batch).ok_or_else(|| invalid(&path, "has columns of other types".to_owned()))?;
        found.extend(lines);
    }
    Ok(found)
}

/// The bodies of a batch; `None` if a column is of another type, or there are no names.
fn lines(batch: &RecordBatch) -> Option<Vec<BodyLine>> {
    let column = |name: &str, kind: DataType| match batch.column_by_name(name) {
        Some(column) if *column.data_type() == kind => Some(Some(column)),
        Some(_) => None,
        None => Some(None),
    };
    let names = column("body", DataType::Utf8)??.as_string::<i32>();
    let convex = column("convex", DataType::Boolean)?.map(|column| column.as_boolean());
    let deviation = column("deviation_m", DataType::Float64)?.map(|column| column.as_primitive::<Float64Type>());
    let inside = column("inside", DataType::Utf8)?.map(|column| column.as_string::<i32>());
    let line = |row: usize| BodyLine {
        name: names.value(row).to_owned(),
        is_convex: convex.filter(|of| of.is_valid(row)).map(|of| of.value(row)),
        deviation_m: deviation.filter(|of| of.is_valid(row)).map(|of| of.value(row)),
        inside: inside.filter(|of| of.is_valid(row)).map(|of| of.value(row).to_owned()),
    };
    Some((0..batch.num_rows()).map(line).collect())
}

/// The names of the bodies whose figures are of hulls, from the output directory `dir`. Empty for an execution from before the column
/// `convex`.
///
/// # Errors
/// The table is missing, or clearsweep did not write it.
pub fn filled_bodies(dir: &Path) -> Result<HashSet<String>> {
    let filled = read_bodies(dir)?.into_iter().filter(|body| body.is_convex == Some(false));
    Ok(filled.map(|body| body.name).collect())
}
