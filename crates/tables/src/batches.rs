//! Rows to record batches with the schemas of the Parquet tables: the same fillers of columns, and Arrow arrays instead
//! of pages.

use super::column_buffer::{ColumnBuffer, ColumnValues};
use super::fill::{self, JobColumns};
use super::layout::TILE_ROWS;
use super::options::DistanceColumns;
use super::row::{ContactRow, IntervalRow, Row};
use super::schema::{self, ColumnSpec, ColumnType, TableSpec};
use super::vocabulary::Vocabulary;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, SchemaRef};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{
    ContactKind, DirectionalRelation, FeatureKind, FrameBlock, IntervalMethod, IntervalStatus, Method, Sample, Scene,
    Status,
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
    bodies: ArrayRef,
    rules: ArrayRef,
    status: ArrayRef,
    feature: ArrayRef,
    method: ArrayRef,
    directional: ArrayRef,
    interval_status: ArrayRef,
    interval_method: ArrayRef,
    contact_kind: ArrayRef,
}

#[derive(Debug)]
struct BatchTable {
    spec: TableSpec,
    schema: SchemaRef,
}

impl BatchTable {
    fn new(spec: TableSpec) -> Self {
        Self { schema: spec.schema(), spec }
    }
}

impl BatchMaker {
    /// Returns the maker for a job on this scene.
    pub fn new(scene: &Scene, columns: DistanceColumns) -> Self {
        let words = |list: &[&str]| -> ArrayRef { Arc::new(StringArray::from_iter_values(list)) };
        let job = JobColumns::of(scene);
        let rules = (0..job.requirements.count()).map(|rule| job.requirements.name(rule));
        Self {
            distances: BatchTable::new(schema::distances(columns, job.kind)),
            penetrations: BatchTable::new(schema::penetrations()),
            intervals: BatchTable::new(schema::intervals(job.kind)),
            contacts: BatchTable::new(schema::contacts()),
            bodies: Arc::new(StringArray::from_iter_values(scene.bodies.iter().map(|body| &body.name))),
            rules: Arc::new(StringArray::from_iter_values(rules)),
            job,
            status: words(&Status::NAMES),
            feature: words(&FeatureKind::NAMES),
            method: words(&Method::NAMES),
            directional: words(&DirectionalRelation::NAMES),
            interval_status: words(&IntervalStatus::NAMES),
            interval_method: words(&IntervalMethod::NAMES),
            contact_kind: words(&ContactKind::NAMES),
        }
    }

    pub(super) fn distances_schema(&self) -> SchemaRef {
        Arc::clone(&self.distances.schema)
    }

    pub(super) fn penetrations_schema(&self) -> SchemaRef {
        Arc::clone(&self.penetrations.schema)
    }

    /// `None` where the job says nothing about intervals.
    pub(super) fn intervals_schema(&self) -> Option<SchemaRef> {
        self.job.kind.intervals.then(|| Arc::clone(&self.intervals.schema))
    }

    /// `None` where contacts are not asked for.
    pub(super) fn contacts_schema(&self) -> Option<SchemaRef> {
        self.job.kind.contacts.then(|| Arc::clone(&self.contacts.schema))
    }

    /// A batch of `distances`.
    pub(super) fn distances(&self, rows: &[&Row], samples: &[Sample]) -> Result<RecordBatch> {
        let fill = |columns: &mut [ColumnBuffer], rows: &[Row]| fill::distances(columns, rows, samples, &self.job);
        self.batch(&self.distances, rows.iter().copied(), fill)
    }

    /// A batch of `penetrations`, of those rows that penetrate.
    pub(super) fn penetrations(&self, rows: &[&Row], samples: &[Sample]) -> Result<RecordBatch> {
        let penetrating = rows.iter().copied().filter(|row| row.proximity.status == Status::Penetrating);
        self.batch(&self.penetrations, penetrating, |columns, rows| fill::penetrations(columns, rows, samples))
    }

    /// A batch of `intervals`.
    pub(super) fn intervals(&self, rows: &[&IntervalRow], block: &FrameBlock) -> Result<RecordBatch> {
        let fill =
            |columns: &mut [ColumnBuffer], rows: &[IntervalRow]| fill::intervals(columns, rows, block, &self.job);
        self.batch(&self.intervals, rows.iter().copied(), fill)
    }

    /// A batch of `contacts`.
    pub(super) fn contacts(&self, rows: &[&ContactRow], samples: &[Sample]) -> Result<RecordBatch> {
        let fill = |columns: &mut [ColumnBuffer], rows: &[ContactRow]| fill::contacts(columns, rows, samples);
        self.batch(&self.contacts, rows.iter().copied(), fill)
    }

    fn batch<'r, R: Copy + 'r>(
        &self,
        table: &BatchTable,
        mut rows: impl Iterator<Item = &'r R>,
        fill: impl Fn(&mut [ColumnBuffer], &[R]),
    ) -> Result<RecordBatch> {
        let BatchTable { spec, schema } = table;
        // The names of bodies are their indices in other words, and are not filled.
        let own: Vec<&ColumnSpec> =
            spec.columns.iter().filter(|column| spec.body_index_column(column).is_none()).collect();
        let mut columns: Vec<ColumnBuffer> = own.iter().map(|column| ColumnBuffer::new(column)).collect();
        let mut tile = Vec::with_capacity(TILE_ROWS);
        loop {
            tile.clear();
            tile.extend(rows.by_ref().take(TILE_ROWS));
            if tile.is_empty() {
                break;
            }
            fill(&mut columns, &tile);
        }
        let filled: Vec<ArrayRef> = own.iter().zip(columns).map(|(spec, column)| array(spec, column)).collect();
        let find = |name: &str| own.iter().position(|column| column.name == name).and_then(|at| filled.get(at));
        let finish = |column: &ColumnSpec| {
            let name = spec.body_index_column(column).map_or(column.name, |index| spec.columns[index].name);
            let values = find(name).ok_or_else(|| Error::internal(spec.name, "a column was not filled"))?;
            match column.kind {
                ColumnType::String(vocabulary) => {
                    self.words(values, vocabulary).map_err(|error| Error::internal(spec.name, error))
                }
                _ => Ok(Arc::clone(values)),
            }
        };
        let arrays = spec.columns.iter().map(finish).collect::<Result<Vec<_>>>()?;
        RecordBatch::try_new(Arc::clone(schema), arrays).map_err(|error| Error::internal(spec.name, error))
    }

    /// Numbers as the words they stand for.
    fn words(&self, codes: &ArrayRef, vocabulary: Vocabulary) -> std::result::Result<ArrayRef, ArrowError> {
        let words = match vocabulary {
            Vocabulary::Bodies => &self.bodies,
            Vocabulary::Rules => &self.rules,
            Vocabulary::Severity | Vocabulary::EventKind | Vocabulary::EventState | Vocabulary::Issues => {
                return Err(ArrowError::CastError("no rows of this table are handed on as batches".to_owned()));
            }
            Vocabulary::Status => &self.status,
            Vocabulary::Feature => &self.feature,
            Vocabulary::Method => &self.method,
            Vocabulary::Directional => &self.directional,
            Vocabulary::IntervalStatus => &self.interval_status,
            Vocabulary::IntervalMethod => &self.interval_method,
            Vocabulary::ContactKind => &self.contact_kind,
        };
        let codes = codes.as_any().downcast_ref::<Int32Array>().cloned();
        let codes = codes.ok_or_else(|| ArrowError::CastError("words are numbered by 32-bit integers".to_owned()))?;
        Ok(Arc::new(DictionaryArray::try_new(codes, Arc::clone(words))?))
    }
}

/// The values of a column; NaN is null where values may be missing.
fn array(spec: &ColumnSpec, column: ColumnBuffer) -> ArrayRef {
    match column.values {
        ColumnValues::Int64(values) => Arc::new(Int64Array::new(ScalarBuffer::from(values), None)),
        ColumnValues::Int32(values) => Arc::new(Int32Array::new(ScalarBuffer::from(values), None)),
        ColumnValues::Boolean(values) => Arc::new(BooleanArray::from(values)),
        ColumnValues::Float64(values) => {
            let missing = spec.nullable && values.iter().any(|value| value.is_nan());
            let there = missing.then(|| NullBuffer::from_iter(values.iter().map(|value| !value.is_nan())));
            Arc::new(Float64Array::new(ScalarBuffer::from(values.to_vec()), there))
        }
    }
}
