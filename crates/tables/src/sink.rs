//! The destination of rows: the trait, what it is given, and the Parquet tables as one of its
//! implementations.

use super::batches::BatchMaker;
use super::finished_tables::{FinishedTables, PendingTables};
use super::layout::TableLayout;
use super::options::TableOptions;
use super::output_dir::JobInputs;
use super::row::{ContactRow, IntervalRow, Row, SortedRows};
use super::totals::Totals;
use super::writer::TableWriter;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{Candidate, FrameBlock, PoseSteps, Sample, Scene};
use clearsweep_records::DistanceColumns;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Receives the rows of a job, in order of (run, frame, a, b).
///
/// The calls are [`begin`](Self::begin), [`rows`](Self::rows) for each block of rows,
/// [`end`](Self::end), [`totals`](Self::totals), [`summary`](Self::summary); after an error, of
/// whatever part of the job, or where it is cancelled, only [`abort`](Self::abort). The first error
/// of a sink stops the job, which returns it as it is.
///
/// A closure over `&RowBlock` is a sink of which only `rows` does anything.
pub trait RowSink: Send {
    /// The job begins.
    ///
    /// # Errors
    /// The sink cannot take rows.
    fn begin(&mut self, context: &SinkContext<'_>) -> Result<()> {
        let _ = context;
        Ok(())
    }

    /// Takes the next rows; called from one thread at a time, beside the computation of the rows
    /// after them.
    ///
    /// # Errors
    /// The sink cannot take them.
    fn rows(&mut self, rows: &RowBlock<'_>) -> Result<()>;

    /// Hears of the samples of each block, in order, also of those whose rows it has from an
    /// earlier execution: the values of joints.
    ///
    /// # Errors
    /// The sink cannot take them.
    #[doc(hidden)]
    fn samples(&mut self, block: &FrameBlock) -> Result<()> {
        let _ = block;
        Ok(())
    }

    /// No more rows come.
    ///
    /// # Errors
    /// The data that the sink still holds cannot be handed on.
    fn end(&mut self) -> Result<()> {
        Ok(())
    }

    /// Whether the sink counts rows itself while it takes them. Else the engine does.
    fn counts_rows(&self) -> bool {
        false
    }

    /// The totals of the job, once all rows are where they belong; `counted`: those of the engine.
    ///
    /// # Errors
    /// The rows did not get to where they belong.
    fn totals(&mut self, counted: Totals) -> Result<Totals> {
        Ok(counted)
    }

    /// The job is done; `summary` is the JSON object of `manifest.json`.
    ///
    /// # Errors
    /// The sink cannot take it.
    fn summary(&mut self, summary: &Value) -> Result<()> {
        let _ = summary;
        Ok(())
    }

    /// The job failed or was cancelled: the rows taken so far are void.
    fn abort(&mut self) {}

    /// After [`begin`](Self::begin): the index of the first block of 64 samples whose rows the sink
    /// takes. It has those before from an execution of the same job that was killed.
    #[doc(hidden)]
    fn resumes_at(&self) -> u64 {
        0
    }
}

impl<F: FnMut(&RowBlock<'_>) -> Result<()> + Send> RowSink for F {
    fn rows(&mut self, rows: &RowBlock<'_>) -> Result<()> {
        self(rows)
    }
}

/// The context that a sink learns before the first row.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SinkContext<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Which columns of `distances` the job gives out.
    pub columns: DistanceColumns,
    /// Bytes that a sink may take for summaries.
    pub memory: u64,
    maker: &'a BatchMaker,
    inputs: &'a JobInputs,
    job: Option<&'a str>,
    shard: Option<&'a str>,
    pose_steps: Option<PoseSteps>,
}

impl<'a> SinkContext<'a> {
    /// Returns the context of a job that reads `inputs`. `job`: the job in words that are equal for
    /// equal jobs, if it can be continued; `shard`: in words that are equal for all shards of it,
    /// if this is one. `pose_steps`: the steps of moving bodies' poses, if they are known.
    #[doc(hidden)]
    pub fn new(
        scene: &'a Scene,
        columns: DistanceColumns,
        memory: u64,
        maker: &'a BatchMaker,
        inputs: &'a JobInputs,
        [job, shard]: [Option<&'a str>; 2],
        pose_steps: Option<PoseSteps>,
    ) -> Self {
        Self { scene, columns, memory, maker, inputs, job, shard, pose_steps }
    }

    /// The schema of the batches of `distances`.
    pub fn distances_schema(&self) -> SchemaRef {
        self.maker.distances_schema()
    }

    /// The schema of the batches of `penetrations`.
    pub fn penetrations_schema(&self) -> SchemaRef {
        self.maker.penetrations_schema()
    }

    /// The schema of the batches of `intervals`; `None` where the scene does not say how bodies
    /// move between frames.
    pub fn intervals_schema(&self) -> Option<SchemaRef> {
        self.maker.intervals_schema()
    }

    /// The schema of the batches of `contacts`; `None` where the scene does not ask for them.
    pub fn contacts_schema(&self) -> Option<SchemaRef> {
        self.maker.contacts_schema()
    }
}

/// Consecutive rows of a job: those of up to 64 samples, or of a part of them.
#[derive(Clone, Copy)]
pub struct RowBlock<'a> {
    block: &'a FrameBlock,
    candidates: &'a [Candidate],
    sorted: SortedRows<'a>,
    maker: &'a BatchMaker,
}

impl<'a> RowBlock<'a> {
    /// Rows of `block`, and the candidates that they are of.
    #[doc(hidden)]
    pub fn new(
        block: &'a FrameBlock,
        candidates: &'a [Candidate],
        sorted: SortedRows<'a>,
        maker: &'a BatchMaker,
    ) -> Self {
        Self { block, candidates, sorted, maker }
    }

    /// Number of rows of `distances`.
    pub fn len(&self) -> usize {
        self.sorted.rows.len()
    }

    /// Whether there is no row of `distances`: no pair came near in these samples. It may have come
    /// near between them.
    pub fn is_empty(&self) -> bool {
        self.sorted.rows.is_empty()
    }

    /// The rows with the keys of their samples.
    pub fn iter(&self) -> impl Iterator<Item = (&'a Sample, &'a Row)> + use<'a> {
        let Self { block, sorted, .. } = *self;
        sorted.rows.iter().map(|&row| (&block.samples[usize::from(row.proximity.sample)], row))
    }

    /// The rows as a batch of the table `distances`.
    ///
    /// # Errors
    /// None that the data can cause.
    pub fn distances(&self) -> Result<RecordBatch> {
        self.maker.distances(self.sorted.rows, &self.block.samples)
    }

    /// The penetrating rows as a batch of the table `penetrations`.
    ///
    /// # Errors
    /// None that the data can cause.
    pub fn penetrations(&self) -> Result<RecordBatch> {
        self.maker.penetrations(self.sorted.rows, &self.block.samples)
    }

    /// The bodies of each interval row after these samples.
    #[doc(hidden)]
    pub fn interval_bodies(&self) -> impl Iterator<Item = [u32; 2]> + use<'a> {
        self.sorted.intervals.iter().map(|row| [row.a, row.b])
    }

    /// Returns the proven results for the intervals after these samples, as a batch of the table
    /// `intervals`. The batch is empty if the scene does not say how bodies move between frames.
    ///
    /// # Errors
    /// None that the data can cause.
    pub fn intervals(&self) -> Result<RecordBatch> {
        self.maker.intervals(self.sorted.intervals, self.block)
    }

    /// Returns the contacts in these samples, as a batch of the table `contacts`. The batch is
    /// empty if the scene does not ask for them.
    ///
    /// # Errors
    /// None that the data can cause.
    pub fn contacts(&self) -> Result<RecordBatch> {
        self.maker.contacts(self.sorted.contacts, &self.block.samples)
    }

    /// The block they are of.
    #[doc(hidden)]
    pub fn block(&self) -> &'a FrameBlock {
        self.block
    }

    /// The rows alone.
    #[doc(hidden)]
    pub fn rows(&self) -> &'a [&'a Row] {
        self.sorted.rows
    }

    /// The intervals alone.
    #[doc(hidden)]
    pub fn interval_rows(&self) -> &'a [&'a IntervalRow] {
        self.sorted.intervals
    }

    /// The contacts alone.
    pub(super) fn contact_rows(&self) -> &'a [&'a ContactRow] {
        self.sorted.contacts
    }
}

/// A sink that keeps all rows as record batches, none of them empty.
#[derive(Debug, Clone, Default)]
pub struct BatchCollector {
    /// Batches of `distances`, in order.
    pub distances: Vec<RecordBatch>,
    /// Batches of `penetrations`, in order.
    pub penetrations: Vec<RecordBatch>,
    /// Batches of `intervals`, in order.
    pub intervals: Vec<RecordBatch>,
    /// Batches of `contacts`, in order.
    pub contacts: Vec<RecordBatch>,
    /// The summary of the job, once it is done.
    pub summary: Option<Value>,
}

impl RowSink for BatchCollector {
    fn begin(&mut self, _: &SinkContext<'_>) -> Result<()> {
        self.abort();
        Ok(())
    }

    fn rows(&mut self, rows: &RowBlock<'_>) -> Result<()> {
        if !rows.sorted.intervals.is_empty() {
            self.intervals.push(rows.intervals()?);
        }
        if !rows.sorted.contacts.is_empty() {
            self.contacts.push(rows.contacts()?);
        }
        if rows.is_empty() {
            return Ok(());
        }
        self.distances.push(rows.distances()?);
        let penetrations = rows.penetrations()?;
        if penetrations.num_rows() > 0 {
            self.penetrations.push(penetrations);
        }
        Ok(())
    }

    fn summary(&mut self, summary: &Value) -> Result<()> {
        self.summary = Some(summary.clone());
        Ok(())
    }

    fn abort(&mut self) {
        *self = Self::default();
    }
}

/// A sink that writes the Parquet tables and the manifest to a directory. Files appear whole or not
/// at all. Where the job fails or is cancelled, none is left behind, unless
/// [`resume`](Self::resume) can go on with them: that takes a minute of work, or a whole part of
/// `distances`, 16,777,216 rows.
pub struct ParquetTables {
    out: PathBuf,
    force: bool,
    resume: bool,
    /// Set by the output directory of the last job where its files stay.
    kept: Arc<AtomicBool>,
    layout: TableLayout,
    state: TablesState,
}

/// How far the tables are.
enum TablesState {
    Idle,
    Open(Box<TableWriter>),
    Ending(Box<PendingTables>),
    Whole(Box<FinishedTables>),
}

impl ParquetTables {
    /// Tables in a directory that is new or empty.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self {
            out: out.into(),
            force: false,
            resume: false,
            kept: Arc::default(),
            layout: TableLayout::CONTRACT,
            state: TablesState::Idle,
        }
    }

    /// Whether to replace what an earlier job wrote there, once the new tables are whole. Files
    /// that do not prove to be clearsweep's, and inputs of the job, are never replaced.
    #[must_use]
    pub fn force(self, force: bool) -> Self {
        Self { force, ..self }
    }

    /// Whether to go on with what an execution of the same job left there that failed, was
    /// cancelled or was killed. The tables are then those of an execution that was not, byte for
    /// byte. Where nothing was left, the job begins at its start. The trajectories are read from
    /// their start in any case; only jobs that read them from files can be gone on with.
    #[must_use]
    pub fn resume(self, resume: bool) -> Self {
        Self { resume, ..self }
    }

    /// After a job that failed or was cancelled: whether what it had written stays, for
    /// [`Self::resume`].
    pub fn is_kept(&self) -> bool {
        self.kept.load(Ordering::Relaxed)
    }

    /// With smaller parts than those of the contract, for tests.
    #[doc(hidden)]
    pub fn with_layout(self, layout: TableLayout) -> Self {
        Self { layout, ..self }
    }

    /// The tables while rows are taken, for tests of interrupted jobs.
    #[doc(hidden)]
    pub fn writer(&self) -> Option<&TableWriter> {
        match &self.state {
            TablesState::Open(writer) => Some(writer),
            _ => None,
        }
    }

    fn out_of_turn<T>(&self) -> Result<T> {
        Err(Error::internal(self.out.display(), "the sink was called out of turn"))
    }
}

impl RowSink for ParquetTables {
    fn begin(&mut self, context: &SinkContext<'_>) -> Result<()> {
        self.abort();
        let SinkContext { scene, columns, memory, inputs, job, shard, pose_steps, .. } = *context;
        let options = TableOptions {
            out: self.out.clone(),
            columns,
            force: self.force,
            memory,
            resume: self.resume,
            job: job.map(str::to_owned),
            shard: shard.map(str::to_owned),
            inputs: inputs.clone(),
            pose_steps,
        };
        self.kept = Arc::default();
        let writer = TableWriter::with_layout(scene, &options, self.layout)?;
        self.kept = writer.out.kept();
        self.state = TablesState::Open(Box::new(writer));
        Ok(())
    }

    fn rows(&mut self, rows: &RowBlock<'_>) -> Result<()> {
        match &mut self.state {
            TablesState::Open(writer) => writer.write_sorted(rows.block, rows.candidates, rows.sorted),
            _ => self.out_of_turn(),
        }
    }

    fn samples(&mut self, block: &FrameBlock) -> Result<()> {
        match &mut self.state {
            TablesState::Open(writer) => writer.add_samples(block),
            _ => self.out_of_turn(),
        }
    }

    fn end(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.state, TablesState::Idle) {
            TablesState::Open(writer) => self.state = TablesState::Ending(Box::new(writer.end()?)),
            _ => return self.out_of_turn(),
        }
        Ok(())
    }

    fn counts_rows(&self) -> bool {
        true
    }

    fn totals(&mut self, _: Totals) -> Result<Totals> {
        match std::mem::replace(&mut self.state, TablesState::Idle) {
            TablesState::Ending(ending) => {
                let finished = ending.wait()?;
                let totals = finished.totals.clone();
                self.state = TablesState::Whole(Box::new(finished));
                Ok(totals)
            }
            _ => self.out_of_turn(),
        }
    }

    fn summary(&mut self, summary: &Value) -> Result<()> {
        match std::mem::replace(&mut self.state, TablesState::Idle) {
            TablesState::Whole(finished) => finished.write_manifest(summary),
            _ => self.out_of_turn(),
        }
    }

    fn abort(&mut self) {
        // Dropped before they are whole, the tables take back what was written, unless another
        // execution can go on with it.
        self.state = TablesState::Idle;
    }

    fn resumes_at(&self) -> u64 {
        match &self.state {
            TablesState::Open(writer) => writer.first_block,
            _ => 0,
        }
    }
}
