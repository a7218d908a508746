//! Which bodies of a finished execution stand for meshes that are not convex.

use super::report::{guard, invalid, open};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use clearsweep_base::error::Result;
use parquet::arrow::ProjectionMask;
use std::collections::HashSet;
use std::path::Path;

/// The names of the bodies whose figures are of hulls, from `bodies.parquet` in the output directory `dir`. Empty for
/// an execution from before the column `convex`.
///
/// # Errors
/// The table is missing, or clearsweep did not write it.
pub fn filled_bodies(dir: &Path) -> Result<HashSet<String>> {
    let path = dir.join("bodies.parquet");
    let builder = open(&path)?;
    let columns = ["body", "convex"].map(|name| builder.schema().index_of(name));
    let [Ok(body), convex] = columns else { return Err(invalid(&path, "has no column `body`".to_owned())) };
    let Ok(convex) = convex else { return Ok(HashSet::new()) };
    let mask = ProjectionMask::roots(builder.parquet_schema(), [body, convex]);
    let mut found = HashSet::new();
    let mut reader = guard(&path, || Ok(builder.with_projection(mask).build()?))?;
    while let Some(batch) = guard(&path, || reader.next().transpose())? {
        let columns = (batch.column_by_name("body"), batch.column_by_name("convex"));
        let (Some(body), Some(convex)) = columns else { continue };
        if (body.data_type(), convex.data_type()) != (&DataType::Utf8, &DataType::Boolean) {
            return Err(invalid(&path, "has columns of other types".to_owned()));
        }
        let (body, convex) = (body.as_string::<i32>(), convex.as_boolean());
        let filled = (0..batch.num_rows()).filter(|&row| convex.is_valid(row) && !convex.value(row));
        found.extend(filled.map(|row| body.value(row).to_owned()));
    }
    Ok(found)
}
