//! Whether the tables of an output directory hold the rows that were written.

use super::rows_digest::{ReadColumns, RowsDigester, TableDigest};
use super::stored_rows::StoredRows;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, RecordBatch, StringArray};
use clearsweep_base::error::Result;
use clearsweep_records::file::invalid;
use clearsweep_records::{Body, StoredRecord, TABLE_NAMES, Text, has_table, index_column};
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

/// Reads every table of the output directory `dir`, and digests its rows; names of bodies are
/// compared with their indices.
///
/// # Errors
/// A table cannot be read, or a name is not that of its index.
pub fn digest_all(dir: &Path) -> Result<Vec<(String, TableDigest)>> {
    let mut names: Vec<Text> = Vec::new();
    let bodies = read(dir, Body::TABLE, &mut |batch, path| {
        let rows = Body::decode(batch).map_err(|_| invalid(path, "has columns of other types".to_owned()))?;
        names.extend(rows.into_iter().map(|row| row.body));
        Ok(())
    })?;
    let mut all = Vec::new();
    for table in tables_of(dir).filter(|table| *table != Body::TABLE) {
        let digest = read(dir, table, &mut |batch, path| check_names(batch, &names, path))?;
        all.push((table.to_owned(), digest));
    }
    all.push((Body::TABLE.to_owned(), bodies));
    Ok(all)
}

/// Fails if a name of a body is not that of its index.
fn check_names(batch: &RecordBatch, names: &[Text], path: &Path) -> Result<()> {
    let schema = batch.schema();
    for (name, texts) in schema.fields().iter().map(|field| field.name()).zip(batch.columns()) {
        let Some(index) = index_column(name) else { continue };
        let Some(indices) = batch.column_by_name(index) else { continue };
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
                if names.get(index as usize).map(|name| &**name) != Some(words.value(word)) {
                    return Err(wrong());
                }
                *seen = Some(index);
            }
        }
    }
    Ok(())
}
