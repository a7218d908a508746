//! Parquet files of a result, opened with care: nothing is assumed of their bytes.

use arrow_schema::ArrowError;
use clearsweep_base::error::{Error, Result};
use clearsweep_input_guard::parquet_pages::{self, PageClaims};
use clearsweep_input_guard::{guarded, parquet_footer, regular_file};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::Path;

/// Opens a table of a finished result, its footer and its pages checked, to be decoded in batches
/// of at most `batch_rows` rows.
///
/// # Errors
/// It is no regular file, or no table that clearsweep wrote.
pub fn open(path: &Path, batch_rows: usize) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let (file, bytes) = regular_file::open(path).map_err(|error| invalid(path, format!("cannot be read ({error})")))?;
    parquet_footer::check(path, &file, bytes)?;
    let again = file.try_clone().map_err(|error| Error::unreadable(path, &error))?;
    let builder = guard(path, || Ok(ParquetRecordBatchReaderBuilder::try_new(file)?))?;
    let roots: Vec<usize> = (0..builder.schema().fields().len()).collect();
    parquet_pages::check_rows(path, builder.metadata())?;
    let mut claims = PageClaims::default();
    for group in 0..builder.metadata().num_row_groups() {
        claims.add(&parquet_pages::check(path, &again, builder.metadata(), group, &roots)?);
    }
    Ok(builder.with_batch_size(claims.batch_rows(batch_rows)))
}

/// Returns the rows of a Parquet file by its footer.
///
/// # Errors
/// It cannot be read.
pub fn rows_of(path: &Path) -> Result<u64> {
    let (file, bytes) = regular_file::open(path).map_err(|error| invalid(path, format!("cannot be read ({error})")))?;
    parquet_footer::check(path, &file, bytes)?;
    let builder = guard(path, || Ok(ParquetRecordBatchReaderBuilder::try_new(file)?))?;
    Ok(builder.metadata().file_metadata().num_rows().unsigned_abs())
}

/// Runs the decoder. A panic on damaged bytes is an error too.
///
/// # Errors
/// The decoder failed.
pub fn guard<T>(path: &Path, run: impl FnOnce() -> std::result::Result<T, ArrowError>) -> Result<T> {
    match guarded(run) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(invalid(path, format!("cannot be decoded ({error})"))),
        None => Err(invalid(path, "cannot be decoded (the Parquet decoder gave up)".to_owned())),
    }
}

/// Returns the error for a file that is no table of clearsweep.
pub fn invalid(path: &Path, problem: String) -> Error {
    Error::input(path.display(), problem, "give the output directory of a finished `clearsweep run`")
}
