//! The writer of all tables of an execution.

use super::block_table::{BlockTable, BlockTableState};
use super::checksums::FileChecksums;
use super::encoder::{EncoderState, TableEncoder};
use super::export::files;
use super::fill::JobColumns;
use super::finished_tables::{FinishedTables, PendingTables};
use super::issue_tables::IssueTables;
use super::layout::{TILE_ROWS, TableLayout};
use super::options::TableOptions;
use super::output_dir::{ClaimMode, OutputDir, PART_TABLES};
use super::part_writer::{FileNaming, part_name};
use super::report::{invalid, rows_of};
use super::resume::checkpoint::{CheckpointNeeds, CheckpointStore, FoundCheckpoint, FoundLists};
use super::row::{ContactRow, IntervalRow, Row};
use super::rows_digest::TableDigest;
use super::samples::{self, SamplesTable};
use super::schema::TableSpec;
use super::shard_state::ShardState;
use super::sink::SortedRows;
use super::stored_rows::StoredRows;
use super::summary::{CallResults, ShardSummary, SummaryState, SummaryWriter};
use super::vocabulary::Vocabularies;
use super::{bodies, fill, schema};
use arrow_array::RecordBatch;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{Baselines, Candidate, FrameBlock, PoseSteps, Sample, Scene, Status};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of a row of `penetrations` in columns, rounded up.
const PENETRATION_BYTES: u64 = 96;

/// Number of pages of `penetrations` that may be held back unencoded: up to 32 MB, or 1/32 of `memory` if that is less.
///
/// At the end of the execution the disk is busy with `distances` and the processors are idle, so these pages are
/// encoded then.
pub(super) fn deferred_pages(memory: u64, layout: TableLayout) -> usize {
    ((memory / 32).min(32 << 20) / (PENETRATION_BYTES * layout.page as u64)) as usize
}

/// Sort key of a row: run, frame, a, b.
type RowKey = (i64, i64, u32, u32);

/// A checkpoint is taken before a block if it may fill a part of `distances`: with so many times the rows of the block
/// before.
const ROWS_AHEAD: u64 = 2;

/// The state of the writer at the start of a block, without lists.
#[derive(Serialize, Deserialize)]
struct WriterState {
    /// Index of the block.
    block: u64,
    /// Rows of `distances` before it.
    rows: u64,
    last: Option<RowKey>,
    /// The part in progress of `distances`, if its pages are kept.
    distances: Option<EncoderState>,
    penetrations: EncoderState,
    intervals: Option<BlockTableState>,
    contacts: Option<BlockTableState>,
    summary: SummaryState,
}

/// Takes checkpoints.
pub(super) struct CheckpointTaker {
    store: CheckpointStore,
    /// Rows of a part of `distances`.
    part_rows: u64,
    /// Rows of `distances` at the start of the block in progress.
    block_rows: u64,
    /// The part before whose end the last checkpoint was taken.
    taken: Option<u64>,
    /// Checkpoints so far, those of earlier executions included.
    count: u64,
    /// When the next one is to be taken, whatever the rows.
    next: Instant,
    after: Duration,
}

/// A checkpoint is to take at most one in so many parts of the time...
const CHECKPOINT_SHARE: u32 = 20;

/// ...but is put off by at most so many times the time after which one is taken.
const MOST_PUT_OFF: u32 = 100;

impl CheckpointTaker {
    fn new(store: CheckpointStore, part_rows: u64, after: Duration) -> Self {
        Self { store, part_rows, block_rows: 0, taken: None, count: 0, next: Instant::now() + after, after }
    }

    /// Puts off the next checkpoint by time, after one that took so long.
    fn put_off(&mut self, took: Duration) {
        self.next = Instant::now() + self.after.max(took * CHECKPOINT_SHARE).min(self.after * MOST_PUT_OFF);
    }

    /// The part that the next block may fill, if a checkpoint is due. `rows`: of `distances` so far.
    fn due(&mut self, rows: u64) -> Option<u64> {
        let ahead = ROWS_AHEAD * (rows - self.block_rows);
        self.block_rows = rows;
        let part = rows / self.part_rows;
        let is_due = rows > 0 && self.taken != Some(part) && rows + ahead >= (part + 1) * self.part_rows;
        is_due.then_some(part)
    }
}

/// Writes the tables of one execution. If it is dropped before it is finished, it removes everything that it wrote, but
/// what another execution can go on with.
pub struct TableWriter {
    // Fields drop in order: the encoders' threads must close their files before the checkpoints look for whole parts, and
    // before `out` removes the files.
    distances: TableEncoder,
    penetrations: TableEncoder,
    /// `None` where the job says nothing about intervals.
    intervals: Option<BlockTable<IntervalRow>>,
    /// `None` where contacts are not asked for.
    contacts: Option<BlockTable<ContactRow>>,
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
    last: Option<RowKey>,
    tile: RowTile,
    checkpoints: Option<CheckpointTaker>,
    /// `None` unless the job is a shard.
    shard: Option<ShardNote>,
    /// Parts of each of [`PART_TABLES`] that were linked.
    linked: [u64; 4],
    /// Index of the first block that is expected: an execution that was killed has written the rows before it.
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

/// A contiguous copy of a tile of rows, and of the rows among them that penetrate. The buffers are reused.
#[derive(Default)]
struct RowTile {
    rows: Vec<Row>,
    penetrating: Vec<Row>,
}

impl RowTile {
    /// Copies scattered rows. One loop that only copies lets the cache misses of several rows overlap.
    fn gather(&mut self, rows: &[&Row]) {
        self.rows.clear();
        self.rows.extend(rows.iter().map(|row| **row));
        self.penetrating.clear();
        let penetrating = self.rows.iter().filter(|row| row.proximity.status == Status::Penetrating);
        self.penetrating.extend(penetrating.copied());
    }
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

    /// Ends as a process that is killed does, for tests: nothing is removed, and the locks are released.
    #[doc(hidden)]
    pub fn die(&self) {
        self.out.die();
    }

    #[cfg(test)]
    pub(super) fn has_no_slow_pages(&mut self) -> bool {
        self.distances.slow_state().expect("no disk is needed").is_none()
    }

    pub(super) fn with_layout(scene: &Scene, options: &TableOptions, layout: TableLayout) -> Result<Self> {
        let bodies = bodies::record_batch(scene, options.pose_steps)?;
        let mode = ClaimMode { force: options.force, resume: options.resume };
        let out = OutputDir::claim(&options.out, mode, &options.inputs)?;
        let (strings, columns) = (Vocabularies::of_scene(scene), JobColumns::of(scene));
        let kind = columns.kind;
        let table = |spec, name| TableEncoder::new(&spec, FileNaming::Parts(name), &strings, layout, &out);
        let deferred = deferred_pages(options.memory, layout);
        let mut penetrations =
            table(schema::penetrations(), "penetrations")?.within(options.memory, &out).defer_pages(deferred);
        let mut summary = SummaryWriter::new(scene, &strings, options.memory, layout, &out)?;
        let of_blocks = |is_asked: bool, spec: TableSpec, name| {
            let encoder = is_asked.then(|| table(spec, name)).transpose()?;
            Ok::<_, Error>(encoder.map(|encoder| encoder.within(options.memory, &out)))
        };
        let mut intervals = of_blocks(kind.intervals, schema::intervals(kind), "intervals")?;
        let mut contacts = of_blocks(kind.contacts, schema::contacts(), "contacts")?;
        let mut distances = table(schema::distances(options.columns, kind), "distances")?.within(options.memory, &out);
        if options.job.is_some() {
            distances = distances.keep_slow_pages(layout.fast_page, &out);
            (penetrations, summary) = (penetrations.keep_pages(&out), summary.keep_pages(&out));
            [intervals, contacts] = [intervals, contacts].map(|of| of.map(|encoder| encoder.keep_pages(&out)));
        }
        let part_rows = (layout.groups_per_part * layout.row_group) as u64;
        let taker = |job| CheckpointTaker::new(CheckpointStore::new(&out, job), part_rows, layout.checkpoint_after);
        let writer = Self {
            distances,
            penetrations,
            intervals: intervals.map(|encoder| BlockTable::new(encoder, scene.bodies.len(), columns.clone())),
            contacts: contacts.map(|encoder| BlockTable::new(encoder, scene.bodies.len(), columns.clone())),
            columns,
            scene: scene.requirements().is_something().then(|| Box::new(scene.clone())),
            strings,
            memory: options.memory,
            summary,
            samples: None,
            bodies,
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            layout,
            last: None,
            tile: RowTile::default(),
            checkpoints: options.job.clone().map(taker),
            shard: options.shard.clone().map(|job| ShardNote {
                job,
                ends: None,
                pose_steps: options.pose_steps,
                baselines: Arc::clone(&scene.baselines),
            }),
            linked: [0; 4],
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
        let Some(found) = taker.store.take_over::<WriterState>(|part| part_name("distances", part))? else {
            return Ok(self);
        };
        let FoundCheckpoint { state, number, whole_parts, mut lists } = found;
        let WriterState { block, rows, last, distances, penetrations, intervals, contacts, summary } = state;
        (taker.block_rows, taker.count) = (rows, number);
        match distances.filter(|state| state.journal.part >= whole_parts) {
            Some(state) => self.distances.restore(&state, &self.out)?,
            None => {
                taker.taken = Some(rows / taker.part_rows);
                self.distances.begin_after(rows, whole_parts, &self.out)?;
            }
        }
        self.penetrations.restore(&penetrations, &self.out)?;
        if let (Some(table), Some(state)) = (&mut self.intervals, intervals) {
            table.restore(&state, &self.out)?;
        }
        if let (Some(table), Some(state)) = (&mut self.contacts, contacts) {
            table.restore(&state, &self.out)?;
        }
        self.summary.restore(summary, &mut lists, &self.out)?;
        (self.last, self.first_block) = (last, block);
        Ok(self)
    }

    /// Takes a checkpoint before a block, if it may fill a part of `distances`, or if that is filled slowly and it is time.
    fn checkpoint(&mut self, block: u64) -> Result<()> {
        let Self { checkpoints: Some(taker), distances, penetrations, intervals, contacts, summary, last, .. } = self
        else {
            return Ok(());
        };
        let (rows, begun) = (distances.rows(), Instant::now());
        let part = taker.due(rows);
        let of_distances = match part {
            Some(part) => {
                taker.taken = Some(part);
                None
            }
            None if begun < taker.next => return Ok(()),
            None => match distances.slow_state()? {
                Some(state) => Some(state),
                None => {
                    taker.put_off(Duration::ZERO);
                    return Ok(());
                }
            },
        };
        let failed = |error| self.out.error(self.out.root(), &error);
        let (distances, distances_journal) =
            of_distances.map_or((None, None), |(state, handle)| (Some(state), Some(handle)));
        let distances_journal = distances_journal.transpose().map_err(failed)?.flatten();
        let (penetrations, journal) = penetrations.state().map_err(failed)?;
        let intervals = intervals.as_ref().map(BlockTable::state).transpose().map_err(failed)?;
        let (intervals, interval_journal) = intervals.map_or((None, None), |(state, journal)| (Some(state), journal));
        let contacts = contacts.as_ref().map(BlockTable::state).transpose().map_err(failed)?;
        let (contacts, contact_journal) = contacts.map_or((None, None), |(state, journal)| (Some(state), journal));
        let (summary_state, journals) = summary.state()?;
        let of_intervals = intervals.as_ref().map(|state| ("intervals", state.encoder.journal));
        let of_contacts = contacts.as_ref().map(|state| ("contacts", state.encoder.journal));
        let marks = [
            ("penetrations", penetrations.journal),
            ("pairs", summary_state.pairs.journal),
            ("runs", summary_state.runs.journal),
        ];
        let whole = |table: &'static str, parts: u64| (0..parts).map(move |part| part_name(table, part));
        // The part in progress is whole later, or its pages are in the journal.
        let parts = if part.is_some() { rows.div_ceil(taker.part_rows) } else { rows / taker.part_rows };
        let of_distances = distances.as_ref().map(|state| ("distances", state.journal));
        let needs = CheckpointNeeds {
            parts: whole("distances", parts)
                .chain(whole("penetrations", penetrations.journal.part))
                .chain(whole("intervals", of_intervals.map_or(0, |(_, mark)| mark.part)))
                .chain(whole("contacts", of_contacts.map_or(0, |(_, mark)| mark.part)))
                .collect(),
            journals: marks
                .into_iter()
                .chain(of_intervals)
                .chain(of_contacts)
                .chain(of_distances)
                .map(|(table, mark)| (table.to_owned(), mark))
                .collect(),
        };
        let last = *last;
        let summary_of = summary_state;
        let state =
            WriterState { block, rows, last, distances, penetrations, intervals, contacts, summary: summary_of };
        let state = taker.store.encode(&needs, state)?;
        let of_tables = [journal, interval_journal, contact_journal, distances_journal];
        let handles = journals.into_iter().chain(of_tables.into_iter().flatten()).collect();
        taker.count += 1;
        taker.store.write(taker.count, needs, &state, summary.lists(), handles)?;
        taker.put_off(begun.elapsed());
        Ok(())
    }

    /// Writes the results of the next block: `rows` sorted by (sample, a, b), `candidates` sorted by (a, b). Columns
    /// are encoded in rayon's current pool before this call returns; it may be called from inside the pool.
    ///
    /// The results of one block may come in several calls of ascending samples. The masks of `candidates` then hold
    /// only the samples of their call. The tables do not depend on how rows are divided into calls.
    ///
    /// # Errors
    /// A write failed, now or since the last call, or rows are out of order.
    pub fn write(&mut self, block: &FrameBlock, candidates: &[Candidate], rows: Vec<Row>) -> Result<()> {
        let rows: Vec<&Row> = rows.iter().collect();
        self.write_sorted(block, candidates, SortedRows { rows: &rows, ..SortedRows::default() })
    }

    /// Writes like [`Self::write`] from references to rows, which need not be contiguous in memory, with the intervals after the samples of the
    /// call, and the contacts in them.
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
        match &mut self.intervals {
            Some(table) => table.write(intervals, block)?,
            None if intervals.is_empty() => {}
            None => return Err(Error::internal("intervals", "rows of a job without motion")),
        }
        match &mut self.contacts {
            Some(table) => table.write(contacts, block)?,
            None if contacts.is_empty() => {}
            None => return Err(Error::internal("contacts", "rows of a job that asks for none")),
        }
        let Self { distances, penetrations, summary, columns: job, last, names, tile, .. } = self;
        let call = CallResults { block, candidates, intervals };
        let samples = &block.samples;
        debug_assert!(candidates.is_sorted_by(|one, next| (one.a, one.b) < (next.a, next.b)), "one entry per pair");
        summary.begin(block)?;
        // Tile by tile, so that each row is loaded from memory once for all tables.
        for part in rows.chunks(TILE_ROWS) {
            tile.gather(part);
            check_order(last, names.len(), block, &tile.rows)?;
            distances.extend(&tile.rows, |columns, rows| fill::distances(columns, rows, samples, job))?;
            penetrations.extend(&tile.penetrating, |columns, rows| fill::penetrations(columns, rows, samples))?;
            summary.count(&call, &tile.rows)?;
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

    /// Encodes the rest of all tables but the manifest. Writing to the disk may go on: `PendingTables::wait`.
    ///
    /// # Errors
    /// A write failed.
    pub fn end(self) -> Result<PendingTables> {
        self.end_with(None)
    }

    /// Ends as [`Self::end`]; `linked`: the digests of tables whose parts were linked.
    pub(super) fn end_with(mut self, linked: Option<Vec<(&'static str, TableDigest)>>) -> Result<PendingTables> {
        self.store_shard()?;
        let parts = self.linked;
        let Self {
            distances,
            penetrations,
            intervals,
            contacts,
            summary,
            samples,
            bodies,
            names,
            layout,
            checkpoints,
            out,
            ..
        } = self;
        let (scene, strings, memory) = (self.scene, self.strings, self.memory);
        // The largest table goes to the disk first; the others are encoded and written beside it.
        let distances = if parts[0] == 0 { Some(distances.finish()?) } else { None };
        let contact_rows = contacts.as_ref().map(BlockTable::rows);
        let intervals = intervals.filter(|_| parts[2] == 0).map(BlockTable::finish).transpose()?;
        let contacts = contacts.filter(|_| parts[3] == 0).map(BlockTable::finish).transpose()?;
        let penetrations = if parts[1] == 0 { Some(penetrations.finish()?) } else { None };
        let tables = [distances, intervals, contacts, penetrations];
        let at = scene.as_ref().map(|scene| IssueTables { scene, strings: &strings, layout, memory, out: &out });
        let (mut totals, summaries) = summary.finish(&names, at.as_ref())?;
        let of_linked =
            || linked.iter().flatten().find(|(table, _)| *table == "contacts").map(|(_, digest)| digest.rows());
        totals.contacts = of_linked().or(contact_rows).unwrap_or(0);
        totals.penetrations = totals.by_status[Status::Penetrating as usize];
        let tables = tables.into_iter().flatten().chain(summaries).collect();
        let is_linked =
            |(table, _): &(&str, TableDigest)| PART_TABLES.iter().zip(parts).any(|(name, n)| name == table && n > 0);
        let linked = linked.into_iter().flatten().filter(is_linked).collect();
        Ok(PendingTables { tables, linked, samples, bodies, layout, totals, checkpoints, out })
    }

    /// Stores what the merge needs, if the job is a shard.
    fn store_shard(&mut self) -> Result<()> {
        let Self { shard: Some(shard), penetrations, intervals, contacts, summary, out, .. } = self else {
            return Ok(());
        };
        let ShardNote { job, ends, pose_steps, baselines } = shard;
        let of_blocks = [intervals.as_ref().map_or(0, BlockTable::rows), contacts.as_ref().map_or(0, BlockTable::rows)];
        let rows = [penetrations.rows(), of_blocks[0], of_blocks[1]];
        let summaries = summary.of_shard(ends.map(|[first, _]| first.run))?;
        let state = ShardState::new(std::mem::take(job), *ends, rows, *pose_steps, baselines, summaries);
        state.write(summary.lists(), out)
    }

    /// Appends the first rows of a stored table, one of [`PART_TABLES`].
    pub(super) fn append_rows(&mut self, table: &str, stored: StoredRows, rows: u64) -> Result<()> {
        let Self { distances, penetrations, intervals, contacts, .. } = self;
        match (table, intervals, contacts) {
            ("distances", ..) => distances.append(stored, rows),
            ("penetrations", ..) => penetrations.append(stored, rows),
            ("intervals", Some(intervals), _) => intervals.append(stored, rows),
            ("contacts", _, Some(contacts)) => contacts.append(stored, rows),
            _ => Err(Error::internal(table, "rows of a table that the job does not have")),
        }
    }

    /// Adds the values of joints in the samples of a block.
    ///
    /// # Errors
    /// A write failed.
    pub(super) fn add_samples(&mut self, block: &FrameBlock) -> Result<()> {
        self.samples.as_mut().map_or(Ok(()), |samples| samples.add(block))
    }

    /// Adds those of a finished shard.
    pub(super) fn append_samples(&mut self, dir: &Path) -> Result<()> {
        self.samples.as_mut().map_or(Ok(()), |samples| samples.append(&dir.join(samples::FILE)))
    }

    /// Takes over the files of a stored table, one of [`PART_TABLES`]: by a link, or as a copy.
    /// `checksums`: those of all files of the directory, as they were written.
    pub(super) fn link(&mut self, dir: &Path, table: &str, rows: u64, checksums: &FileChecksums) -> Result<()> {
        let at = PART_TABLES.iter().position(|name| *name == table).unwrap_or_default();
        let mut found = 0;
        for path in files(dir, table)? {
            let stored = rows_of(&path)?;
            found += stored;
            if stored > 0 {
                let name = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy();
                let checksum = checksums.get(&*name).copied();
                self.out.link(&path, &part_name(PART_TABLES[at], self.linked[at]), checksum)?;
                self.linked[at] += 1;
            }
        }
        let problem = || format!("has {found} rows instead of {rows}");
        if found == rows { Ok(()) } else { Err(invalid(&dir.join(table), problem())) }
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

/// Checks the row order, which the metadata of the files declare. `last` is the key of the last row checked so far.
fn check_order(last: &mut Option<RowKey>, bodies: usize, block: &FrameBlock, rows: &[Row]) -> Result<()> {
    for row in rows {
        let sample = block.samples.get(usize::from(row.proximity.sample));
        let key = sample.map(|s| (s.run, s.frame, row.a, row.b));
        if key.is_none() || key <= *last || row.a >= row.b || row.b as usize >= bodies {
            let place = format!("distances, row {:?}", (block.index, row.proximity.sample, row.a, row.b));
            return Err(Error::internal(place, "rows are out of order"));
        }
        *last = key;
    }
    Ok(())
}
