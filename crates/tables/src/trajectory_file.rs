//! Trajectory files in the documented Parquet format, for generated data sets.

use super::writer_properties;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use clearsweep_base::error::{Error, Result};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows that are collected before they are encoded together.
const BATCH: usize = 1 << 16;
/// Rows of a row group.
const ROW_GROUP: usize = 1 << 20;
/// Names of the pose columns, in order: position, then components of the orientation.
const POSE: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];
/// Columns with repeated values, which are dictionary encoded. Values of pose columns hardly ever
/// repeat.
const KEYS: [&str; 4] = ["run", "frame", "time_s", "body"];

/// The pose of a body in a frame of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrajectoryRow {
    /// Run.
    pub run: i64,
    /// Frame.
    pub frame: i64,
    /// Time, seconds.
    pub time_s: f64,
    /// Index into the names that the file was created with.
    pub body: u32,
    /// Position, metres.
    pub position: [f64; 3],
    /// Orientation: unit quaternion w, x, y, z.
    pub q: [f64; 4],
}

/// Rows of the file that was written to last, of those that say how many rows come, and rows that
/// it will have.
static WRITTEN: AtomicU64 = AtomicU64::new(0);
static EXPECTED: AtomicU64 = AtomicU64::new(0);

/// Rows written so far to the trajectory file that was written to last, and all that will come; for
/// the program, which writes one file at a time.
pub fn rows_written() -> (u64, u64) {
    (WRITTEN.load(Ordering::Relaxed), EXPECTED.load(Ordering::Relaxed))
}

/// A trajectory file that is being written. Rows come sorted by run, then by frame.
pub struct TrajectoryFile {
    path: PathBuf,
    written: u64,
    expected: u64,
    writer: ArrowWriter<File>,
    schema: SchemaRef,
    names: ArrayRef,
    rows: Vec<TrajectoryRow>,
}

impl TrajectoryFile {
    /// Creates the file. `names` are the names of the bodies, to which [`TrajectoryRow::body`] is
    /// an index.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path, names: &[String]) -> Result<Self> {
        let file = File::create(path).map_err(|error| Error::unwritable(path, &error))?;
        let schema = schema();
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties()))
            .map_err(|error| Error::unwritable(path, &error))?;
        let names: ArrayRef = Arc::new(StringArray::from_iter_values(names));
        Ok(Self {
            path: path.to_owned(),
            writer,
            schema,
            names,
            rows: Vec::with_capacity(BATCH),
            written: 0,
            expected: 0,
        })
    }

    /// Says how many rows will come, for [`rows_written`].
    pub fn expecting(self, rows: u64) -> Self {
        Self { expected: rows, ..self }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn push(&mut self, row: &TrajectoryRow) -> Result<()> {
        self.rows.push(*row);
        if self.rows.len() == BATCH { self.encode() } else { Ok(()) }
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
        let batch = self.batch().map_err(|error| Error::internal(self.path.display(), error))?;
        self.writer.write(&batch).map_err(|error| Error::unwritable(&self.path, &error))?;
        self.written += self.rows.len() as u64;
        if self.expected > 0 {
            WRITTEN.store(self.written, Ordering::Relaxed);
            EXPECTED.store(self.expected, Ordering::Relaxed);
        }
        self.rows.clear();
        Ok(())
    }

    fn batch(&self) -> std::result::Result<RecordBatch, arrow_schema::ArrowError> {
        let rows = &self.rows;
        let bodies = Int32Array::from_iter_values(rows.iter().map(|row| row.body as i32));
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.run))),
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.frame))),
            Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.time_s))),
            Arc::new(DictionaryArray::try_new(bodies, Arc::clone(&self.names))?),
        ];
        for axis in 0..3 {
            columns.push(Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.position[axis]))));
        }
        for part in 0..4 {
            columns.push(Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.q[part]))));
        }
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}

fn schema() -> SchemaRef {
    let unit = |word: &str| HashMap::from([("unit".to_owned(), word.to_owned())]);
    let names = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let mut fields = vec![
        Field::new("run", DataType::Int64, false),
        Field::new("frame", DataType::Int64, false),
        Field::new("time_s", DataType::Float64, false).with_metadata(unit("s")),
        Field::new("body", names, false),
    ];
    for name in POSE {
        let field = Field::new(name, DataType::Float64, false);
        fields.push(if name.starts_with('q') { field } else { field.with_metadata(unit("m")) });
    }
    Arc::new(Schema::new(fields))
}

fn properties() -> WriterProperties {
    let mut builder =
        writer_properties::common().set_dictionary_enabled(false).set_max_row_group_row_count(Some(ROW_GROUP));
    for name in KEYS {
        builder = builder.set_column_dictionary_enabled(ColumnPath::from(name), true);
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    #[test]
    fn rows_read_back_and_bytes_repeat() {
        let dir = tempfile::tempdir().expect("scratch");
        let write = |name: &str| {
            let path = dir.path().join(name);
            let mut file = TrajectoryFile::create(&path, &["one".to_owned(), "two".to_owned()]).expect("created");
            for k in 0..BATCH as u32 + 10 {
                let x = f64::from(k) / 3.0;
                let row = TrajectoryRow {
                    run: -1,
                    frame: i64::from(k / 2),
                    time_s: f64::from(k / 2) * 0.5,
                    body: k % 2,
                    position: [x, -x, 1.0],
                    q: [1.0, 0.0, 0.0, 0.0],
                };
                file.push(&row).expect("written");
            }
            file.finish().expect("closed");
            path
        };
        let path = write("a.parquet");
        assert_eq!(std::fs::read(&path).expect("read"), std::fs::read(write("b.parquet")).expect("read"));

        let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).expect("opened")).expect("Parquet");
        assert_eq!(builder.schema().field_with_name("x").expect("x").metadata()["unit"], "m");
        let (mut count, mut last) = (0, (0, 0.0));
        for batch in builder.build().expect("a reader") {
            let batch = batch.expect("a batch");
            let n = batch.num_rows();
            count += n;
            let frame = batch.column_by_name("frame").expect("frame").as_primitive::<Int64Type>().value(n - 1);
            last = (frame, batch.column_by_name("x").expect("x").as_primitive::<Float64Type>().value(n - 1));
        }
        assert_eq!(count, BATCH + 10);
        assert_eq!(last, (((BATCH + 9) / 2) as i64, (BATCH + 9) as f64 / 3.0));
    }
}
