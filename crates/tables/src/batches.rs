//! Rows to record batches with the schemas of the Parquet tables: the same columns, as Arrow arrays
//! instead of pages.

use super::column_buffer::{ColumnBuffer, ColumnValues};
use super::layout::TILE_ROWS;
use super::row::{ContactRow, IntervalRow, Row};
use super::sources::{ContactSource, IntervalSource, JobColumns, RowSource, SampleSource};
use super::vocabularies::Vocabularies;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{Schema, SchemaRef};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{FrameBlock, Sample, Scene, Status};
use clearsweep_records::{
    Code, Column, ColumnType, Contact, Distance, DistanceColumns, Interval, Penetration, Record, TableSchema,
};
use std::sync::Arc;

/// Makes the batches of a job; the dictionaries are shared by all of them.
#[derive(Debug)]
pub struct BatchMaker {
    distances: BatchTable,
    penetrations: BatchTable,
    intervals: BatchTable,
    contacts: BatchTable,
    job: JobColumns,
}

/// A table of a job.
#[derive(Debug)]
struct BatchTable {
    schema: TableSchema,
    arrow: SchemaRef,
    /// The texts of each column.
    texts: Vec<Option<ArrayRef>>,
}

impl BatchTable {
    fn new<R: Record>(job: &JobColumns, strings: &Vocabularies) -> Self {
        let schema = R::schema(&job.contents);
        let texts = |column: &Column| match column.kind {
            ColumnType::Text(words) => {
                let texts: ArrayRef = Arc::new(StringArray::from_iter_values(strings.texts(words)));
                Some(texts)
            }
            _ => None,
        };
        let texts = schema.columns.iter().map(texts).collect();
        Self { arrow: Arc::new(Schema::new(schema.fields())), schema, texts }
    }
}

impl BatchMaker {
    /// Returns the maker for a job on this scene.
    pub fn new(scene: &Scene, columns: DistanceColumns) -> Self {
        let (job, strings) = (JobColumns::of(scene, columns), Vocabularies::of_scene(scene));
        Self {
            distances: BatchTable::new::<Distance<Code>>(&job, &strings),
            penetrations: BatchTable::new::<Penetration<Code>>(&job, &strings),
            intervals: BatchTable::new::<Interval<Code>>(&job, &strings),
            contacts: BatchTable::new::<Contact<Code>>(&job, &strings),
            job,
        }
    }

    pub(super) fn distances_schema(&self) -> SchemaRef {
        Arc::clone(&self.distances.arrow)
    }

    pub(super) fn penetrations_schema(&self) -> SchemaRef {
        Arc::clone(&self.penetrations.arrow)
    }

    /// `None` if the job says nothing about intervals.
    pub(super) fn intervals_schema(&self) -> Option<SchemaRef> {
        self.job.contents.intervals.then(|| Arc::clone(&self.intervals.arrow))
    }

    /// `None` if contacts are not asked for.
    pub(super) fn contacts_schema(&self) -> Option<SchemaRef> {
        self.job.contents.contacts.then(|| Arc::clone(&self.contacts.arrow))
    }

    /// A batch of `distances`.
    pub(super) fn distances(&self, rows: &[&Row], samples: &[Sample]) -> Result<RecordBatch> {
        let sources = rows.iter().map(|row| self.source(row, samples));
        self.batch::<Distance<Code>, _>(&self.distances, sources.collect())
    }

    /// A batch of `penetrations`, of those rows that penetrate.
    pub(super) fn penetrations(&self, rows: &[&Row], samples: &[Sample]) -> Result<RecordBatch> {
        let penetrating = rows.iter().filter(|row| row.proximity.status == Status::Penetrating);
        let sources = penetrating.map(|row| self.source(row, samples));
        self.batch::<Penetration<Code>, _>(&self.penetrations, sources.collect())
    }

    fn source<'r>(&self, row: &'r Row, samples: &'r [Sample]) -> Option<SampleSource<'r>> {
        Some(SampleSource::new(row, samples.get(usize::from(row.proximity.sample))?, &self.job))
    }

    /// A batch of `intervals`.
    pub(super) fn intervals(&self, rows: &[&IntervalRow], block: &FrameBlock) -> Result<RecordBatch> {
        let sources = rows.iter().map(|row| IntervalSource::new(row, block, &self.job));
        self.batch::<Interval<Code>, _>(&self.intervals, sources.collect())
    }

    /// A batch of `contacts`.
    pub(super) fn contacts(&self, rows: &[&ContactRow], samples: &[Sample]) -> Result<RecordBatch> {
        let sources = rows.iter().map(|row| ContactSource::new(row, samples));
        self.batch::<Contact<Code>, _>(&self.contacts, sources.collect())
    }

    /// `sources`: `None` if a row is not of its block.
    fn batch<R: Record, S: RowSource<R>>(&self, table: &BatchTable, sources: Option<Vec<S>>) -> Result<RecordBatch> {
        let BatchTable { schema, arrow, texts } = table;
        let sources = sources.ok_or_else(|| Error::internal(schema.name, "a row of another block"))?;
        let mut columns: Vec<ColumnBuffer> = schema.filled().map(ColumnBuffer::new).collect();
        for tile in sources.chunks(TILE_ROWS) {
            R::extend(tile, S::record, &self.job.contents, &mut columns);
        }
        // The names of bodies are their indices in other words, and are not filled.
        let filled: Vec<(&str, ArrayRef)> =
            schema.filled().zip(columns).map(|(column, values)| (column.name, array(column, values))).collect();
        let finish = |(column, texts): (&Column, &Option<ArrayRef>)| {
            let name = column.index.unwrap_or(column.name);
            let values = filled.iter().find(|(filled, _)| *filled == name).map(|(_, values)| values);
            let values = values.ok_or_else(|| Error::internal(schema.name, "a column was not filled"))?;
            match texts {
                Some(texts) => self::texts(values, texts).map_err(|error| Error::internal(schema.name, error)),
                None => Ok(Arc::clone(values)),
            }
        };
        let arrays = schema.columns.iter().zip(texts).map(finish).collect::<Result<Vec<_>>>()?;
        RecordBatch::try_new(Arc::clone(arrow), arrays).map_err(|error| Error::internal(schema.name, error))
    }
}

/// Codes as the texts that they stand for.
fn texts(codes: &ArrayRef, texts: &ArrayRef) -> std::result::Result<ArrayRef, arrow_schema::ArrowError> {
    let codes = arrow_array::cast::as_primitive_array(codes).clone();
    Ok(Arc::new(DictionaryArray::<arrow_array::types::Int32Type>::try_new(codes, Arc::clone(texts))?))
}

/// The values of a column; NaN is null where values may be missing.
fn array(column: &Column, buffer: ColumnBuffer) -> ArrayRef {
    match buffer.values {
        ColumnValues::Int64(values) => Arc::new(Int64Array::new(ScalarBuffer::from(values), None)),
        ColumnValues::Int32(values) => Arc::new(Int32Array::new(ScalarBuffer::from(values), None)),
        ColumnValues::Boolean(values) => Arc::new(BooleanArray::from(values)),
        ColumnValues::Float64(values) => {
            let missing = column.nullable && values.iter().any(|value| value.is_nan());
            let there = missing.then(|| NullBuffer::from_iter(values.iter().map(|value| !value.is_nan())));
            Arc::new(Float64Array::new(ScalarBuffer::from(values.to_vec()), there))
        }
    }
}
