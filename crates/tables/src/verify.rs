//! Whether the tables of an output directory hold the rows that were written.

use super::TABLE_NAMES;
use super::export::has_table;
use super::report::invalid;
use super::rows_digest::{ReadColumns, RowsDigester, TableDigest};
use super::stored_rows::StoredRows;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, RecordBatch, StringArray};
use clearsweep_base::error::Result;
use std::path::Path;

/// Reads a table of the output directory `dir`, and digests its rows.
///
/// # Errors
/// It cannot be read, or has columns that no table has.
pub fn digest_of(dir: &Path, table: &str) -> Result<TableDigest> {
    read(dir, table, &mut |_, _| Ok(()))
}

fn read(dir: &Path, table: &str, each: &mut dyn FnMut(&RecordBatch, &Path) -> Result<()>) -> Result<TableDigest> {
    let mut rows = StoredRows::open(dir, table)?;
    let mut digester = RowsDigester::default();
    let mut next = rows.next()?;
    while let Some(batch) = next.take() {
        let columns = ReadColumns::of(&batch);
        let columns = columns.ok_or_else(|| invalid(rows.path(), "has columns of other types".to_owned()))?;
        each(&batch, rows.path())?;
        let full = digester.take(&columns, batch.num_rows());
        // The next rows are decoded beside the hashing.
        let (decoded, hashed) = rayon::join(|| rows.next(), || full.hash());
        digester.add(hashed);
        next = decoded?;
    }
    Ok(digester.finish())
}

/// The tables of the output directory `dir`.
pub fn tables_of(dir: &Path) -> impl Iterator<Item = &'static str> {
    TABLE_NAMES.into_iter().filter(move |table| has_table(dir, table))
}

/// Reads every table of the output directory `dir`, and digests its rows; names of bodies are compared with their indices.
///
/// # Errors
/// A table cannot be read, or a name is not that of its index.
pub fn digest_all(dir: &Path) -> Result<Vec<(String, TableDigest)>> {
    let mut names: Vec<String> = Vec::new();
    let bodies = read(dir, "bodies", &mut |batch, _| {
        let column = batch.column_by_name("body").and_then(|column| column.as_string_opt::<i32>());
        names.extend(column.into_iter().flatten().map(|name| name.unwrap_or_default().to_owned()));
        Ok(())
    })?;
    let mut all = Vec::new();
    for table in tables_of(dir).filter(|table| *table != "bodies") {
        let digest = read(dir, table, &mut |batch, path| check_names(batch, &names, path))?;
        all.push((table.to_owned(), digest));
    }
    all.push(("bodies".to_owned(), bodies));
    Ok(all)
}

/// Fails if a name of a body is not that of its index.
fn check_names(batch: &RecordBatch, names: &[String], path: &Path) -> Result<()> {
    let columns = [
        ("body_a", "a_index"),
        ("body_b", "b_index"),
        ("contact_body_a", "contact_a_index"),
        ("contact_body_b", "contact_b_index"),
    ];
    for (name, index) in columns {
        let (Some(texts), Some(indices)) = (batch.column_by_name(name), batch.column_by_name(index)) else { continue };
        let wrong = || invalid(path, format!("has names in `{name}` that are not those of `{index}`"));
        let texts = texts.as_dictionary_opt::<Int32Type>().ok_or_else(wrong)?;
        let indices = indices.as_primitive_opt::<Int32Type>().ok_or_else(wrong)?;
        let words: &StringArray = texts.values().as_string_opt().ok_or_else(wrong)?;
        // The index that each word was seen with.
        let mut known: Vec<Option<i32>> = vec![None; words.len()];
        for row in 0..batch.num_rows() {
            if texts.is_null(row) != indices.is_null(row) {
                return Err(wrong());
            }
            if texts.is_null(row) {
                continue;
            }
            let (word, index) = (texts.keys().value(row) as usize, indices.value(row));
            let seen = known.get_mut(word).ok_or_else(wrong)?;
            if *seen != Some(index) {
                if names.get(index as usize).map(String::as_str) != Some(words.value(word)) {
                    return Err(wrong());
                }
                *seen = Some(index);
            }
        }
    }
    Ok(())
}
