//! Tables of a result with numbers that were changed: what a verifier has to find.

use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Writes a file of Parquet anew, with the number of a column changed in one row. Integers are cut.
///
/// # Panics
/// The file has no such column of numbers, no such row, or null there.
pub fn number(file: &Path, column: &str, row: usize, change: impl Fn(f64) -> f64) {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(file).expect("a file")).expect("Parquet");
    let schema = Arc::clone(reader.schema());
    let batches: Vec<RecordBatch> = reader.build().expect("rows").map(|batch| batch.expect("a batch")).collect();
    let mut writer =
        ArrowWriter::try_new(File::create(file).expect("a file"), Arc::clone(&schema), None).expect("a writer");
    let (mut first, mut is_changed) = (0, false);
    for batch in batches {
        let at = schema.index_of(column).expect("the column");
        let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
        if (first..first + batch.num_rows()).contains(&row) {
            columns[at] = changed(&columns[at], row - first, &change);
            is_changed = true;
        }
        first += batch.num_rows();
        writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns).expect("a batch")).expect("written");
    }
    writer.close().expect("written");
    assert!(is_changed, "{} has {first} rows", file.display());
}

fn changed(column: &ArrayRef, row: usize, change: impl Fn(f64) -> f64) -> ArrayRef {
    assert!(column.is_valid(row), "a number");
    if let Some(numbers) = column.as_any().downcast_ref::<Float64Array>() {
        let with = |(at, value): (usize, Option<f64>)| if at == row { value.map(&change) } else { value };
        return Arc::new(numbers.iter().enumerate().map(with).collect::<Float64Array>());
    }
    let integers = column.as_any().downcast_ref::<Int64Array>().expect("a column of numbers");
    let with =
        |(at, value): (usize, Option<i64>)| if at == row { value.map(|v| change(v as f64) as i64) } else { value };
    Arc::new(integers.iter().enumerate().map(with).collect::<Int64Array>())
}
