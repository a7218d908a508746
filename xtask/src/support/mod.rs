//! Code that the tools share: trajectories in the contract's columns, seeded numbers, and smooth
//! motion.

pub(crate) mod motion;

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// The result of a tool: any error is shown and ends it.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// Columns of `trajectories.parquet`, one entry per frame and body, sorted by frame.
#[derive(Default)]
pub(crate) struct Trajectories {
    frame: Vec<i64>,
    time_s: Vec<f64>,
    body: Vec<i32>,
    /// x, y, z, qw, qx, qy, qz.
    pose: [Vec<f64>; 7],
}

impl Trajectories {
    /// Appends a row: `body` is an index into the names given to [`Self::write`].
    pub(crate) fn push(&mut self, frame: i64, time_s: f64, body: i32, pose: [f64; 7]) {
        self.frame.push(frame);
        self.time_s.push(time_s);
        self.body.push(body);
        for (column, value) in self.pose.iter_mut().zip(pose) {
            column.push(value);
        }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.frame.len()
    }

    /// Writes the table, bodies as a dictionary of `names`, and replaces a file of that name.
    pub(crate) fn write(self, path: &Path, names: &[String]) -> Outcome<()> {
        if self.frame.windows(2).any(|w| w[0] > w[1]) {
            return Err("the rows are not sorted by frame".into());
        }
        let words: ArrayRef = Arc::new(StringArray::from_iter_values(names));
        let body = DictionaryArray::<Int32Type>::try_new(Int32Array::from(self.body), words)?;
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("frame", Arc::new(Int64Array::from(self.frame))),
            ("time_s", Arc::new(Float64Array::from(self.time_s))),
            ("body", Arc::new(body)),
        ];
        for (name, values) in ["x", "y", "z", "qw", "qx", "qy", "qz"].into_iter().zip(self.pose) {
            columns.push((name, Arc::new(Float64Array::from(values))));
        }
        let batch = RecordBatch::try_from_iter(columns)?;
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(Default::default())).build();
        let mut writer = ArrowWriter::try_new(File::create(path)?, batch.schema(), Some(properties))?;
        writer.write(&batch)?;
        writer.close()?;
        Ok(())
    }
}
