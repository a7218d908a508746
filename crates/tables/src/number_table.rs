//! A Parquet table of an integer key and numbers with units, for the parameters of generated runs.

use super::writer_properties;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use clearsweep_base::error::{Error, Result};
use parquet::arrow::ArrowWriter;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows that are collected before they are encoded together.
const BATCH: usize = 1 << 12;

/// A table that is being written.
pub struct NumberTable {
    path: PathBuf,
    writer: ArrowWriter<File>,
    schema: SchemaRef,
    keys: Vec<i64>,
    /// The values of each column.
    values: Vec<Vec<f64>>,
}

impl NumberTable {
    /// Creates the file: an int64 column `key`, then float64 columns given as (name, unit). An
    /// empty unit stands for a dimensionless number.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path, key: &str, columns: &[(&str, &str)]) -> Result<Self> {
        let file = File::create(path).map_err(|error| Error::unwritable(path, &error))?;
        let mut fields = vec![Field::new(key, DataType::Int64, false)];
        fields.extend(columns.iter().map(|&(name, unit)| {
            let field = Field::new(name, DataType::Float64, false);
            if unit.is_empty() {
                return field;
            }
            field.with_metadata(HashMap::from([("unit".to_owned(), unit.to_owned())]))
        }));
        let schema = Arc::new(Schema::new(fields));
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(writer_properties::common().build()))
            .map_err(|error| Error::unwritable(path, &error))?;
        Ok(Self { path: path.to_owned(), writer, schema, keys: Vec::new(), values: vec![Vec::new(); columns.len()] })
    }

    /// Appends a row. `values` are in the order of the columns.
    ///
    /// # Errors
    /// The number of values differs from the number of columns, or the file cannot be written.
    pub fn push(&mut self, key: i64, values: &[f64]) -> Result<()> {
        if values.len() != self.values.len() {
            let problem = format!("{} values for {} columns", values.len(), self.values.len());
            return Err(Error::internal(self.path.display(), problem));
        }
        self.keys.push(key);
        self.values.iter_mut().zip(values).for_each(|(column, &value)| column.push(value));
        if self.keys.len() == BATCH { self.encode() } else { Ok(()) }
    }

    /// Encodes the remaining rows and closes the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.encode()?;
        self.writer.close().map_err(|error| Error::unwritable(&self.path, &error))?;
        Ok(())
    }

    fn encode(&mut self) -> Result<()> {
        let mut columns: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(std::mem::take(&mut self.keys)))];
        columns.extend(self.values.iter_mut().map(|values| {
            let column: ArrayRef = Arc::new(Float64Array::from(std::mem::take(values)));
            column
        }));
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .map_err(|error| Error::internal(self.path.display(), error))?;
        self.writer.write(&batch).map_err(|error| Error::unwritable(&self.path, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    #[test]
    fn rows_read_back_with_their_units() {
        let dir = tempfile::tempdir().expect("scratch");
        let path = dir.path().join("t.parquet");
        let mut table = NumberTable::create(&path, "run", &[("mass_kg", "kg"), ("ratio", "")]).expect("created");
        for run in 0..BATCH as i64 + 3 {
            table.push(run, &[run as f64 / 3.0, -1.0]).expect("written");
        }
        assert!(table.push(0, &[1.0]).is_err(), "a value is missing");
        table.finish().expect("closed");
        let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).expect("opened")).expect("Parquet");
        let schema = Arc::clone(builder.schema());
        assert_eq!(schema.field(1).metadata()["unit"], "kg");
        assert!(schema.field(2).metadata().is_empty() && schema.fields().len() == 3);
        let batches: Vec<RecordBatch> =
            builder.with_batch_size(1 << 16).build().expect("a reader").map(|b| b.expect("a batch")).collect();
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), BATCH + 3);
        let last = &batches[batches.len() - 1];
        let row = last.num_rows() - 1;
        assert_eq!(last.column(0).as_primitive::<Int64Type>().value(row), BATCH as i64 + 2);
        assert_eq!(last.column(1).as_primitive::<Float64Type>().value(row), (BATCH + 2) as f64 / 3.0);
    }
}
