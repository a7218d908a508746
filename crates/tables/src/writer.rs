//! The writer of all tables of an execution.

use super::bodies;
use super::checkpoint_taker::CheckpointTaker;
use super::checksums::FileChecksums;
use super::finished_tables::{FinishedTables, PendingTables};
use super::issue_tables::IssueTables;
use super::layout::{TILE_ROWS, TableLayout};
use super::options::TableOptions;
use super::output_dir::{ClaimMode, OutputDir};
use super::part_tables::{PartTableState, PartTables, out_of_order};
use super::part_writer::part_name;
use super::resume::checkpoint::{CheckpointNeeds, CheckpointStore, FoundCheckpoint, FoundLists};
use super::row::{ContactRow, IntervalRow, Row, SortedRows};
use super::rows_digest::TableDigest;
use super::samples::{self, SamplesTable};
use super::shard_state::ShardState;
use super::sources::{ContactSource, IntervalSource, JobColumns, SampleSource, sample_sources};
use super::stored_rows::StoredRows;
use super::summary::{CallResults, ShardSummary, SummaryState, SummaryWriter};
use super::vocabularies::Vocabularies;
use arrow_array::RecordBatch;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{Baselines, Candidate, FrameBlock, PoseSteps, Sample, Scene, Status};
use clearsweep_records::{Code, Contact, Distance, Interval, Penetration, StoredRecord};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The state of the writer at the start of a block, without lists.
#[derive(Serialize, Deserialize)]
struct WriterState {
    /// Index of the block.
    block: u64,
    /// Rows of the first table before it.
    rows: u64,
    tables: Vec<PartTableState>,
    summary: SummaryState,
}

/// Writes the tables of one execution. If it is dropped before it is finished, it removes
/// everything that it wrote, but what another execution can go on with.
pub struct TableWriter {
    // Fields drop in order: the encoders' threads must close their files before the checkpoints
    // look for whole parts, and before `out` removes the files.
    pub(super) tables: PartTables,
    pub(super) summary: SummaryWriter,
    /// `None` where no joints carry bodies.
    samples: Option<SamplesTable>,
    columns: JobColumns,
    bodies: RecordBatch,
    names: Vec<String>,
    /// The scene, for what is known at the end only; `None` where nothing is required.
    scene: Option<Box<Scene>>,
    strings: Vocabularies,
    memory: u64,
    layout: TableLayout,
    /// A contiguous copy of a tile of rows, kept for its memory.
    tile: Vec<Row>,
    checkpoints: Option<CheckpointTaker>,
    /// `None` unless the job is a shard.
    shard: Option<ShardNote>,
    /// Index of the first block that is expected: an execution that was killed has written the rows
    /// before it.
    pub(super) first_block: u64,
    pub(super) out: Arc<OutputDir>,
}

/// The facts about the whole job that the state of a shard holds.
struct ShardNote {
    job: String,
    /// First and last sample.
    ends: Option<[Sample; 2]>,
    pose_steps: Option<PoseSteps>,
    baselines: Arc<Baselines>,
}

impl TableWriter {
    /// Claims the output directory. No file has its final name yet.
    ///
    /// # Errors
    /// The directory is in use, holds foreign files, or is not writable.
    pub fn create(scene: &Scene, options: &TableOptions) -> Result<Self> {
        Self::with_layout(scene, options, TableLayout::CONTRACT)
    }

    /// Lets the disk count as full after so many more bytes, for tests.
    #[doc(hidden)]
    pub fn limit_space(&self, bytes: u64) {
        self.out.limit_space(bytes);
    }

    /// Ends as a process that is killed does, for tests: nothing is removed, and the locks are
    /// released.
    #[doc(hidden)]
    pub fn die(&self) {
        self.out.die();
    }

    #[cfg(test)]
    pub(super) fn has_no_slow_pages(&mut self) -> bool {
        self.tables.leading().slow_state().expect("no disk is needed").is_none()
    }

    pub(super) fn with_layout(scene: &Scene, options: &TableOptions, layout: TableLayout) -> Result<Self> {
        let mode = ClaimMode { force: options.force, resume: options.resume };
        let out = OutputDir::claim(&options.out, mode, &options.inputs)?;
        let strings = Vocabularies::of_scene(scene);
        let columns = JobColumns::of(scene, options.columns);
        let bodies = bodies::record_batch(scene, options.pose_steps, &columns.contents)?;
        let tables = PartTables::new(&columns, scene.bodies.len(), options, &strings, layout, &out)?;
        let mut summary = SummaryWriter::new(scene, &columns, &strings, options.memory, layout, &out)?;
        if options.job.is_some() {
            summary = summary.keep_pages(&out);
        }
        let part_rows = (layout.groups_per_part * layout.row_group) as u64;
        let taker = |job| CheckpointTaker::new(CheckpointStore::new(&out, job), part_rows, layout.checkpoint_after);
        let writer = Self {
            tables,
            columns,
            scene: scene.requirements().is_something().then(|| Box::new(scene.clone())),
            strings,
            memory: options.memory,
            summary,
            samples: None,
            bodies,
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            layout,
            tile: Vec::with_capacity(TILE_ROWS),
            checkpoints: options.job.clone().map(taker),
            shard: options.shard.clone().map(|job| ShardNote {
                job,
                ends: None,
                pose_steps: options.pose_steps,
                baselines: Arc::clone(&scene.baselines),
            }),
            first_block: 0,
            out,
        };
        let mut writer = writer.resume()?;
        // It is written anew, once what a killed execution left under its name is gone.
        let samples = scene.joints.as_ref().map(|joints| SamplesTable::create(joints, &layout, &writer.out));
        writer.samples = samples.transpose()?;
        Ok(writer)
    }

    /// Goes on with what an execution of the same job left that was killed, if there is something.
    fn resume(mut self) -> Result<Self> {
        let Some(taker) = &mut self.checkpoints else {
            return if self.out.has_left() { Err(not_from_files(&self.out)) } else { Ok(self) };
        };
        let leading = <Distance>::TABLE;
        let Some(found) = taker.store.take_over::<WriterState>(|part| part_name(leading, part))? else {
            return Ok(self);
        };
        let FoundCheckpoint { state, number, whole_parts, mut lists } = found;
        let WriterState { block, rows, tables, summary } = state;
        (taker.block_rows, taker.count) = (rows, number);
        if self.tables.restore(tables, rows, whole_parts, &self.out)? {
            taker.taken = Some(rows / taker.part_rows);
        }
        self.summary.restore(summary, &mut lists, &self.out)?;
        self.first_block = block;
        Ok(self)
    }

    /// Takes a checkpoint before a block, if it may fill a part of `distances`, or if that is
    /// filled slowly and it is time.
    fn checkpoint(&mut self, block: u64) -> Result<()> {
        let Self { checkpoints: Some(taker), tables, summary, .. } = self else { return Ok(()) };
        let (rows, begun) = (tables.leading_rows(), Instant::now());
        let part = taker.due(rows);
        if part.is_none() && begun < taker.next {
            return Ok(());
        }
        // The part in progress is whole later, or its pages are in the journal.
        let leading_parts = part.map(|_| rows.div_ceil(taker.part_rows));
        let Some(state) = tables.state(leading_parts, &self.out)? else {
            taker.put_off(Duration::ZERO);
            return Ok(());
        };
        taker.taken = part.or(taker.taken);
        let (of_summary, mut journals) = summary.state()?;
        let marks = of_summary.marks().map(|(table, mark)| (table.to_owned(), mark));
        let needs = CheckpointNeeds { parts: state.parts, journals: marks.chain(state.marks).collect() };
        let writer = WriterState { block, rows, tables: state.tables, summary: of_summary };
        journals.extend(state.journals);
        let encoded = taker.store.encode(&needs, writer)?;
        taker.count += 1;
        taker.store.write(taker.count, needs, &encoded, summary.lists(), journals)?;
        taker.put_off(begun.elapsed());
        Ok(())
    }

    /// Writes the results of the next block: `rows` sorted by (sample, a, b), `candidates` sorted
    /// by (a, b). Columns are encoded in rayon's current pool before this call returns; it may be
    /// called from inside the pool.
    ///
    /// The results of one block may come in several calls of ascending samples. The masks of
    /// `candidates` then hold only the samples of their call. The tables do not depend on how rows
    /// are divided into calls.
    ///
    /// # Errors
    /// A write failed, now or since the last call, or rows are out of order.
    pub fn write(&mut self, block: &FrameBlock, candidates: &[Candidate], rows: Vec<Row>) -> Result<()> {
        let rows: Vec<&Row> = rows.iter().collect();
        self.write_sorted(block, candidates, SortedRows { rows: &rows, ..SortedRows::default() })
    }

    /// Writes like [`Self::write`] from references to rows, which need not be contiguous in memory,
    /// with the intervals after the samples of the call, and the contacts in them.
    ///
    /// # Errors
    /// As for [`Self::write`].
    pub fn write_sorted(&mut self, block: &FrameBlock, candidates: &[Candidate], sorted: SortedRows<'_>) -> Result<()> {
        let SortedRows { rows, intervals, contacts } = sorted;
        if self.summary.is_new(block) {
            self.checkpoint(block.index)?;
            if let (Some(shard), [first, ..], Some(last)) = (&mut self.shard, &*block.samples, block.samples.last()) {
                shard.ends = Some([shard.ends.map_or(*first, |[first, _]| first), *last]);
            }
        }
        let Self { tables, summary, columns: job, tile, .. } = self;
        let (call, samples) = (CallResults { block, candidates, intervals }, &block.samples);
        write_intervals(tables, intervals, block, job)?;
        write_contacts(tables, contacts, block)?;
        debug_assert!(candidates.is_sorted_by(|one, next| (one.a, one.b) < (next.a, next.b)), "one entry per pair");
        summary.begin(block)?;
        // Tile by tile, so that each row is loaded from memory once for all tables.
        for part in rows.chunks(TILE_ROWS) {
            // One loop that only copies lets the cache misses of several rows overlap.
            tile.clear();
            tile.extend(part.iter().map(|row| **row));
            let sources = sample_sources(tile, samples, job);
            let sources = sources.ok_or_else(|| out_of_block(<Distance>::TABLE, block))?;
            let is_penetrating = |source: &&SampleSource<'_>| source.status() == Status::Penetrating;
            let penetrating: Vec<SampleSource<'_>> = sources.iter().filter(is_penetrating).copied().collect();
            tables.extend::<Distance<Code>, _>(&sources)?;
            tables.extend::<Penetration<Code>, _>(&penetrating)?;
            summary.count(&call, tile)?;
        }
        summary.end(&call)
    }

    /// Closes all tables but the manifest and waits until they have their final names.
    ///
    /// # Errors
    /// A write failed.
    pub fn finish(self) -> Result<FinishedTables> {
        self.end()?.wait()
    }

    /// Encodes the rest of all tables but the manifest. Writing to the disk may go on:
    /// `PendingTables::wait`.
    ///
    /// # Errors
    /// A write failed.
    pub fn end(self) -> Result<PendingTables> {
        self.end_with(None)
    }

    /// Ends as [`Self::end`]; `linked`: the digests of tables whose parts were linked.
    pub(super) fn end_with(mut self, linked: Option<Vec<(&'static str, TableDigest)>>) -> Result<PendingTables> {
        self.store_shard()?;
        let Self { tables, summary, samples, columns, bodies, names, layout, checkpoints, out, .. } = self;
        let (scene, strings, memory) = (self.scene, self.strings, self.memory);
        let contacts = tables.rows().find(|(table, _)| *table == <Contact>::TABLE).map(|(_, rows)| rows);
        let (mut pending, names_linked) = tables.finish()?;
        let at = scene.as_ref().map(|scene| IssueTables {
            scene,
            columns: &columns,
            strings: &strings,
            layout,
            memory,
            out: &out,
        });
        let (mut totals, summaries) = summary.finish(&names, at.as_ref())?;
        let linked: Vec<(&'static str, TableDigest)> =
            linked.into_iter().flatten().filter(|(table, _)| names_linked.contains(table)).collect();
        let rows_linked = linked.iter().find(|(table, _)| *table == <Contact>::TABLE).map(|(_, digest)| digest.rows());
        totals.contacts = rows_linked.or(contacts).unwrap_or(0);
        totals.penetrations = totals.by_status[Status::Penetrating as usize];
        pending.extend(summaries);
        Ok(PendingTables { tables: pending, linked, samples, bodies, layout, totals, checkpoints, out })
    }

    /// Stores what the merge needs, if the job is a shard.
    fn store_shard(&mut self) -> Result<()> {
        let Self { shard: Some(shard), tables, summary, out, .. } = self else { return Ok(()) };
        let ShardNote { job, ends, pose_steps, baselines } = shard;
        let rows = tables.rows().map(|(table, rows)| (table.to_owned(), rows)).collect();
        let summaries = summary.of_shard(ends.map(|[first, _]| first.run))?;
        let state = ShardState::new(std::mem::take(job), *ends, rows, *pose_steps, baselines, summaries);
        state.write(summary.lists(), out)
    }

    /// Appends the first rows of a stored table of parts.
    pub(super) fn append_rows(&mut self, table: &str, stored: StoredRows, rows: u64) -> Result<()> {
        self.tables.append(table, stored, rows)
    }

    /// Adds the values of joints in the samples of a block.
    ///
    /// # Errors
    /// A write failed.
    pub(super) fn add_samples(&mut self, block: &FrameBlock) -> Result<()> {
        self.samples.as_mut().map_or(Ok(()), |samples| samples.add(block))
    }

    /// Appends the joint samples of a finished shard.
    pub(super) fn append_samples(&mut self, dir: &Path) -> Result<()> {
        self.samples.as_mut().map_or(Ok(()), |samples| samples.append(&dir.join(samples::FILE)))
    }

    /// Takes over the files of a stored table of parts: by a link, or as a copy.
    /// `checksums`: those of all files of the directory, as they were written.
    pub(super) fn link(&mut self, dir: &Path, table: &str, rows: u64, checksums: &FileChecksums) -> Result<()> {
        self.tables.link(dir, table, rows, checksums, &self.out)
    }

    /// Appends what a shard accumulated; `offset`: samples before it.
    pub(super) fn append_summary(
        &mut self,
        summary: ShardSummary,
        lists: &mut FoundLists,
        dir: &Path,
        offset: u64,
    ) -> Result<()> {
        self.summary.append(summary, lists, (dir, &self.out), offset)
    }
}

/// The error for a job that cannot be compared with the one that left something.
fn not_from_files(out: &OutputDir) -> Error {
    Error::output(
        out.root().display(),
        "an execution was interrupted here, and only a job that reads its trajectories from files can go on with it",
        "start over with `force`, or choose another directory",
    )
}

/// The error for a row whose sample is not in its block.
fn out_of_block(table: &str, block: &FrameBlock) -> Error {
    out_of_order(table, format!("of a sample that block {} lacks", block.index))
}

/// Appends to `intervals`.
fn write_intervals(tables: &mut PartTables, rows: &[&IntervalRow], block: &FrameBlock, job: &JobColumns) -> Result<()> {
    for tile in rows.chunks(TILE_ROWS) {
        let sources: Option<Vec<IntervalSource<'_>>> =
            tile.iter().map(|row| IntervalSource::new(row, block, job)).collect();
        tables.extend::<Interval<Code>, _>(&sources.ok_or_else(|| out_of_block(<Interval>::TABLE, block))?)?;
    }
    Ok(())
}

/// Appends to `contacts`.
fn write_contacts(tables: &mut PartTables, rows: &[&ContactRow], block: &FrameBlock) -> Result<()> {
    for tile in rows.chunks(TILE_ROWS) {
        let sources: Option<Vec<ContactSource<'_>>> =
            tile.iter().map(|row| ContactSource::new(row, &block.samples)).collect();
        tables.extend::<Contact<Code>, _>(&sources.ok_or_else(|| out_of_block(<Contact>::TABLE, block))?)?;
    }
    Ok(())
}
