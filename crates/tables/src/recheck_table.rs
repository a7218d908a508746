//! `recheck.parquet`: what `clearsweep recheck` proved again.

use super::layout::TableLayout;
use super::vocabularies::Vocabularies;
use super::writer_properties::of_table;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::Schema;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::Scene;
use clearsweep_records::{
    Code, Contents, DistanceColumns, RECHECK, Recheck, RecheckOutcome, RecheckTable, RecheckWhat, Word,
};
use parquet::arrow::ArrowWriter;
use std::io::Write;
use std::sync::Arc;

/// Rows that are encoded together.
const BATCH: usize = 1 << 16;

/// Writes the table of statements about the bodies of a scene.
///
/// # Errors
/// The file cannot be written.
pub fn write_recheck(scene: &Scene, rows: &[Recheck<Code>], file: impl Write + Send) -> Result<()> {
    let schema = RECHECK.schema(&Contents::new(scene, DistanceColumns::All));
    let arrow = Arc::new(Schema::new(schema.fields()));
    let failed = |error: &dyn std::fmt::Display| {
        Error::output("recheck.parquet", format!("cannot be written ({error})"), "check the disk")
    };
    let properties = of_table(&schema, &arrow, &TableLayout::CONTRACT);
    let mut writer =
        ArrowWriter::try_new(file, Arc::clone(&arrow), Some(properties)).map_err(|error| failed(&error))?;
    let names = Vocabularies::of_scene(scene);
    let bodies: ArrayRef = Arc::new(StringArray::from_iter_values(names.texts(clearsweep_records::Words::Bodies)));
    for rows in rows.chunks(BATCH) {
        let words = |codes: Vec<i32>, texts: &[&str]| {
            texts_of(codes.into_iter().map(Some).collect(), Arc::new(StringArray::from_iter_values(texts)))
        };
        let code =
            |value: fn(&Recheck<Code>) -> Option<Code>| rows.iter().map(|row| value(row).map(|code| code.0)).collect();
        let integers = |value: fn(&Recheck<Code>) -> Option<i64>| -> ArrayRef {
            Arc::new(Int64Array::from_iter(rows.iter().map(value)))
        };
        let numbers = |value: fn(&Recheck<Code>) -> Option<f64>| -> ArrayRef {
            Arc::new(Float64Array::from_iter(rows.iter().map(value)))
        };
        let columns = vec![
            words(rows.iter().map(|row| row.table.code()).collect(), &RecheckTable::NAMES)?,
            integers(|row| row.run),
            integers(|row| row.frame),
            texts_of(code(|row| row.a), Arc::clone(&bodies))?,
            texts_of(code(|row| row.b), Arc::clone(&bodies))?,
            words(rows.iter().map(|row| row.what.code()).collect(), &RecheckWhat::NAMES)?,
            words(rows.iter().map(|row| row.outcome.code()).collect(), &RecheckOutcome::NAMES)?,
            numbers(|row| row.lower_m),
            numbers(|row| row.upper_m),
        ];
        let batch =
            RecordBatch::try_new(Arc::clone(&arrow), columns).map_err(|error| Error::internal("recheck", error))?;
        writer.write(&batch).map_err(|error| failed(&error))?;
    }
    writer.close().map_err(|error| failed(&error))?;
    Ok(())
}

fn texts_of(codes: Vec<Option<i32>>, texts: ArrayRef) -> Result<ArrayRef> {
    let made = DictionaryArray::<arrow_array::types::Int32Type>::try_new(Int32Array::from(codes), texts);
    Ok(Arc::new(made.map_err(|error| Error::internal("recheck", error))?))
}
