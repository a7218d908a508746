//! The tables `pairs` and `runs`, accumulated block by block, and the totals of the execution.
//!
//! A block is divided into segments: consecutive samples of one run. Each segment adds sorted
//! entries per pair to the pair statistics of its run; when the next run begins, the run is
//! written.

mod merge;

use super::encoder::{EncoderState, PendingTable, TableEncoder};
use super::events::Events;
use super::interval_findings::FindingsState;
use super::interval_summary::IntervalSummary;
use super::issue_tables::IssueTables;
use super::layout::{TILE_ROWS, TableLayout};
use super::motion_bound::{MotionBounds, StoredPoses};
use super::notable_pairs::NotablePairs;
use super::output_dir::OutputDir;
use super::pair_counts::PairCountsByRun;
use super::pair_keys::{LOOKAHEAD, lower_bound, pair_key};
use super::pair_stats::{PairAccumulator, PairStat, join};
use super::resume::checkpoint::FoundLists;
use super::resume::entries::StoredEntries;
use super::resume::journal::JournalMark;
use super::row::{IntervalRow, Row};
use super::sources::{JobColumns, PairRow, RunRow, WorstOfRuns};
use super::totals::{CountedRows, Totals};
use super::violations::ViolatingRuns;
use super::vocabularies::Vocabularies;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{Candidate, FrameBlock, Motion, SAMPLES, Scene};
use clearsweep_records::{Code, Pair, Record, Run, StoredRecord, table};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::sync::Arc;

pub(super) use merge::ShardSummary;

/// The slot of static bodies, which have no motion.
const STATIC: u32 = u32::MAX;

/// The share of the memory that violating pairs may take: an eighth.
const VIOLATIONS_SHARE: u64 = 8;

/// The results of a call: the block, what the broad phase found in it, and the intervals, sorted by
/// (sample, a, b).
pub(super) struct CallResults<'a> {
    pub(super) block: &'a FrameBlock,
    pub(super) candidates: &'a [Candidate],
    pub(super) intervals: &'a [&'a IntervalRow],
}

/// The state of the summaries at the start of a block, without their lists.
#[derive(Serialize, Deserialize)]
pub(super) struct SummaryState {
    pub(super) pairs: EncoderState,
    pub(super) runs: EncoderState,
    pub(super) accumulated: AccumulatedState,
}

impl SummaryState {
    /// Names of the tables, and how far their journals were written.
    pub(super) fn marks(&self) -> impl Iterator<Item = (&'static str, JournalMark)> {
        [(<Pair>::TABLE, self.pairs.journal), (<Run>::TABLE, self.runs.journal)].into_iter()
    }
}

/// The accumulated state at the start of a block, without lists: of finished runs, and of the run
/// in progress.
#[derive(Serialize, Deserialize)]
pub(super) struct AccumulatedState {
    run: Option<(RunRow, Vec<f64>)>,
    last_run: Option<i64>,
    motion: StoredPoses,
    pub(super) counted: CountedRows,
    notable: [ViolatingRuns; 2],
    worst: WorstOfRuns,
    between: Option<FindingsState>,
}

/// Writes the summaries.
pub(super) struct SummaryWriter {
    pairs: TableEncoder,
    runs: TableEncoder,
    columns: JobColumns,
    /// Statistics per pair of the run in progress.
    stats: PairAccumulator<PairStat>,
    run: Option<RunState>,
    /// Index of the block in progress.
    block: Option<u64>,
    /// Its segments.
    segments: Vec<RunSegment>,
    /// Number of segments that have begun.
    begun: usize,
    /// Run of the last sample of the last block.
    last_run: Option<i64>,
    motion: MotionBounds,
    /// Slot of each body, [`STATIC`] for static bodies.
    slot_of: Vec<u32>,
    /// Whether nothing moves. Then each pair is a candidate in one sample of the job at most.
    is_still: bool,
    pair_counts: PairCountsByRun,
    notable: NotablePairs,
    /// `None` where nothing is required.
    events: Option<Events>,
    totals: Totals,
    /// The row of smallest distance of the finished runs, with its run.
    worst: WorstOfRuns,
    /// `None` where the job says nothing about intervals.
    between: Option<IntervalSummary>,
    counter: SegmentCounter,
}

/// The statistics of the segment that is open.
#[derive(Default)]
struct SegmentCounter {
    /// Number of segments of the block that this call has finished or opened.
    passed: usize,
    /// End of the open segment: the sample after its last one. 0 before the first segment of a
    /// call.
    end: usize,
    /// An entry for each candidate of the segment, sorted by pair. Entries of rows without a
    /// candidate follow.
    entries: Vec<PairStat>,
    /// The sorted keys of the candidates ([`pair_key`]), and [`LOOKAHEAD`] sentinels above all
    /// keys.
    pairs: Vec<u64>,
    /// Position of the entry of the last row.
    at: usize,
    /// Sample of the last row.
    sample: u8,
}

/// The run in progress.
struct RunState {
    row: RunRow,
    /// Motion bound of each slot, metres.
    steps: Vec<f64>,
}

/// Consecutive samples of one run in a block.
struct RunSegment {
    run: i64,
    /// Whether the run begins with it.
    begins: bool,
    /// First sample.
    first: usize,
    /// The sample after the last one.
    end: usize,
    /// Motion bound of each slot, metres.
    steps: Vec<f64>,
}

impl RunSegment {
    /// A mask with a bit for each of its samples.
    fn mask(&self) -> u64 {
        let below = |n: usize| if n >= SAMPLES { u64::MAX } else { (1_u64 << n) - 1 };
        below(self.end) & !below(self.first)
    }
}

impl SummaryWriter {
    /// Creates the writer. `memory`: the bytes that a job may take, of which pairs get a share.
    pub(super) fn new(
        scene: &Scene,
        columns: &JobColumns,
        strings: &Vocabularies,
        memory: u64,
        layout: TableLayout,
        out: &Arc<OutputDir>,
    ) -> Result<Self> {
        let table = |name| TableEncoder::new(table(name)?, &columns.contents, strings, layout, out);
        let slot = |motion: &Motion| match motion {
            Motion::Static(_) => STATIC,
            Motion::Dynamic { slot } => *slot,
        };
        // Rows and intervals share the memory.
        let share = if columns.contents.intervals { memory / 2 } else { memory };
        // A quarter, of which the stable sort takes a third: it needs memory for half of the
        // entries.
        let (of_stats, of_violations) = (share / 6, share / VIOLATIONS_SHARE);
        let limit = usize::try_from(of_stats / size_of::<PairStat>() as u64).unwrap_or(usize::MAX);
        let pair_counts = PairCountsByRun::of(scene);
        Ok(Self {
            pairs: table(<Pair>::TABLE)?.within(memory, out),
            runs: table(<Run>::TABLE)?,
            stats: PairAccumulator::new(limit.max(layout.least_pairs), Arc::clone(out)),
            run: None,
            block: None,
            segments: Vec::new(),
            begun: 0,
            last_run: None,
            motion: MotionBounds::new(scene.dynamic.iter().map(|&body| scene.bodies[body as usize].shape.reach())),
            slot_of: scene.bodies.iter().map(|body| slot(&body.motion)).collect(),
            is_still: scene.dynamic.is_empty(),
            totals: Totals {
                pairs_possible: pair_counts.first.possible,
                pairs_ignored: pair_counts.first.ignored,
                ..Totals::default()
            },
            pair_counts,
            notable: NotablePairs::within(scene, of_violations, out),
            events: columns
                .requirements
                .is_something()
                .then(|| Events::new(scene, of_violations, layout.least_pairs, out)),
            columns: columns.clone(),
            worst: WorstOfRuns::default(),
            between: IntervalSummary::new(scene, [of_stats, of_violations], layout.least_pairs, out),
            counter: SegmentCounter::default(),
        })
    }

    /// Keeps full pages in journals.
    pub(super) fn keep_pages(self, out: &Arc<OutputDir>) -> Self {
        Self { pairs: self.pairs.keep_pages(out), runs: self.runs.keep_pages(out), ..self }
    }

    /// Whether a block is another one than that of the last call.
    pub(super) fn is_new(&self, block: &FrameBlock) -> bool {
        self.block != Some(block.index)
    }

    /// The lists that belong to [`Self::state`], in their order.
    pub(super) fn lists(&mut self) -> Vec<&mut dyn StoredEntries> {
        let mut lists: Vec<&mut dyn StoredEntries> = vec![&mut self.stats];
        lists.extend(self.notable.lists());
        lists.extend(self.between.iter_mut().flat_map(IntervalSummary::lists));
        lists.extend(self.events.iter_mut().flat_map(Events::lists));
        lists
    }

    /// Returns the state to be stored before a new block, without lists, and handles to the
    /// journals.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn state(&mut self) -> Result<(SummaryState, Vec<File>)> {
        self.begin_segments(self.segments.len())?;
        let failed = |error| Error::output("pairs", error, "close other programs that hold many files open");
        let (pairs, one) = self.pairs.state().map_err(failed)?;
        let (runs, other) = self.runs.state().map_err(failed)?;
        let state = SummaryState { pairs, runs, accumulated: self.accumulated() };
        Ok((state, one.into_iter().chain(other).collect()))
    }

    fn accumulated(&self) -> AccumulatedState {
        AccumulatedState {
            run: self.run.as_ref().map(|run| (run.row, run.steps.clone())),
            last_run: self.last_run,
            motion: self.motion.state(),
            counted: self.totals.counted(),
            notable: self.notable.state(),
            worst: self.worst,
            between: self.between.as_ref().map(IntervalSummary::state),
        }
    }

    /// Goes on from a state and the lists that belong to it.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn restore(&mut self, state: SummaryState, lists: &mut FoundLists, out: &OutputDir) -> Result<()> {
        self.pairs.restore(&state.pairs, out)?;
        self.runs.restore(&state.runs, out)?;
        let state = state.accumulated;
        self.run = state.run.map(|(row, steps)| RunState { row, steps });
        (self.last_run, self.worst) = (state.last_run, state.worst);
        self.motion.restore(&state.motion);
        self.totals.restore(&state.counted);
        lists.read(out, &mut |entries| self.stats.extend(entries))?;
        self.notable.restore(state.notable, lists, out)?;
        if let (Some(between), Some(state)) = (&mut self.between, state.between) {
            between.restore(state, lists, out)?;
        }
        self.events.as_mut().map_or(Ok(()), |events| events.restore(lists, out))
    }

    /// Begins a call: with the results of the next block, or of further samples of the block in
    /// progress.
    pub(super) fn begin(&mut self, block: &FrameBlock) -> Result<()> {
        if self.block != Some(block.index) {
            self.begin_segments(self.segments.len())?;
            self.divide(block);
        }
        (self.counter.passed, self.counter.end) = (0, 0);
        self.between.iter_mut().for_each(IntervalSummary::begin);
        Ok(())
    }

    /// Counts the next rows of a call.
    pub(super) fn count(&mut self, call: &CallResults<'_>, rows: &[Row]) -> Result<()> {
        let mut rest = rows;
        while let Some(first) = rest.first() {
            let sample = usize::from(first.proximity.sample);
            if sample >= self.counter.end {
                let k = self.segments.partition_point(|segment| segment.end <= sample);
                self.skip_to(k, call)?;
                self.open_segment(k, call)?;
            }
            let end = self.counter.end;
            let here = match rest.last() {
                Some(last) if usize::from(last.proximity.sample) < end => rest.len(),
                _ => rest.partition_point(|row| usize::from(row.proximity.sample) < end),
            };
            self.count_in_segment(call.block, &rest[..here])?;
            rest = &rest[here..];
        }
        Ok(())
    }

    /// Ends a call: all its rows were counted.
    pub(super) fn end(&mut self, call: &CallResults<'_>) -> Result<()> {
        self.skip_to(self.segments.len(), call)?;
        self.close_segment(call)
    }

    #[cfg(test)]
    pub(super) fn has_spilled(&self) -> bool {
        self.stats.has_spilled()
    }

    /// Finishes the last run and all tables. The totals lack `penetrations` and `bytes`.
    pub(super) fn finish(
        mut self,
        names: &[String],
        at: Option<&IssueTables<'_>>,
    ) -> Result<(Totals, Vec<PendingTable>)> {
        self.begin_segments(self.segments.len())?;
        self.finish_run()?;
        self.totals.pairs = self.pairs.rows();
        self.notable.finish(&mut self.totals, names)?;
        if let Some(between) = self.between {
            between.findings.finish(&mut self.totals, names)?;
        }
        self.totals.worst = self.worst.named(names);
        let mut tables = vec![self.pairs.finish()?, self.runs.finish()?];
        if let (Some(mut events), Some(at)) = (self.events, at) {
            let (pending, counts) = at.write(&mut events.log)?;
            tables.extend(pending);
            self.totals.issues = Some(counts);
        }
        Ok((self.totals, tables))
    }

    /// Divides a new block into segments and computes their motion bounds.
    fn divide(&mut self, block: &FrameBlock) {
        self.block = Some(block.index);
        self.begun = 0;
        self.segments.clear();
        for (s, sample) in block.samples.iter().enumerate() {
            let begins = self.last_run != Some(sample.run) || block.starts_run >> s & 1 == 1;
            match self.segments.last_mut() {
                Some(segment) if !begins => segment.end = s + 1,
                _ => {
                    self.segments.push(RunSegment { run: sample.run, begins, first: s, end: s + 1, steps: Vec::new() })
                }
            }
            self.last_run = Some(sample.run);
        }
        let masks: Vec<_> = self.segments.iter().map(|s| (s.mask(), s.begins)).collect();
        for (segment, steps) in self.segments.iter_mut().zip(self.motion.advance(block, &masks)) {
            segment.steps = steps;
        }
    }

    /// Begins the segments before number `end`, and finishes and begins runs accordingly.
    fn begin_segments(&mut self, end: usize) -> Result<()> {
        while self.begun < end {
            let k = self.begun;
            self.begun += 1;
            if self.segments[k].begins {
                self.finish_run()?;
                self.begin_run(self.segments[k].run);
            }
            let segment = &self.segments[k];
            let frames = (segment.end - segment.first) as u64;
            self.totals.samples += frames;
            if let Some(run) = &mut self.run {
                run.row.frames += frames;
                for (largest, step) in run.steps.iter_mut().zip(&segment.steps) {
                    *largest = largest.max(*step);
                }
            }
        }
        Ok(())
    }

    fn begin_run(&mut self, run: i64) {
        let counts = if self.totals.runs == 0 { self.pair_counts.first } else { self.pair_counts.later };
        self.totals.runs += 1;
        let (pairs_possible, pairs_ignored) = (counts.possible, counts.ignored);
        let required = self.notable.requires();
        let row = RunRow { run, pairs_possible, pairs_ignored, required, ..RunRow::default() };
        self.run = Some(RunState { row, steps: vec![0.0; self.motion.slots()] });
    }

    /// Writes the run in progress to both tables.
    fn finish_run(&mut self) -> Result<()> {
        let Some(mut state) = self.run.take() else { return Ok(()) };
        self.write_pairs(&mut state)?;
        let row = state.row;
        if let Some(events) = &mut self.events {
            events.end_run(row.run)?;
        }
        if let Some(between) = &mut self.between {
            between.findings.end_run(row.run, &row.between, &mut self.totals);
        }
        self.worst.add(&row);
        row.add_to(&mut self.totals);
        let contents = &self.columns.contents;
        self.runs.extend(&[row.record()], |columns, rows| Run::extend(rows, |row| *row, contents, columns))
    }

    /// Writes the pairs of a run that have a row or an interval, and counts all of them.
    fn write_pairs(&mut self, RunState { row, steps }: &mut RunState) -> Result<()> {
        let step = |body: u32| match self.slot_of[body as usize] {
            STATIC => 0.0,
            slot => steps[slot as usize],
        };
        let (pairs, totals, job) = (&mut self.pairs, &mut self.totals, &self.columns);
        let mut write = |rows: &[Pair<Code>]| {
            pairs.extend(rows, |columns, rows| Pair::extend(rows, |row| *row, &job.contents, columns))
        };
        let (intervals, mut findings) = match &mut self.between {
            Some(between) => (Some(between.stats.drain()), Some(&mut between.findings)),
            None => (None, None),
        };
        let mut rows = Vec::with_capacity(1024);
        join(self.stats.drain(), intervals, |stat, between| {
            row.pairs_candidate += u64::from(stat.is_some());
            if between.is_none() && stat.is_none_or(|stat| stat.within == 0) {
                return Ok(());
            }
            let without_rows = || between.map(|of| PairStat::new(of.a, of.b, 0));
            let Some(stat) = stat.copied().or_else(without_rows) else { return Ok(()) };
            if let Some(findings) = &mut findings {
                findings.count_pair((row.run, between), |touch| stat.is_apart(touch), totals);
            }
            let max_step = add_up(step(stat.a), step(stat.b));
            rows.push(PairRow { run: row.run, stat, max_step, between: between.copied() }.record(job));
            if rows.len() == rows.capacity() {
                write(&rows)?;
                rows.clear();
            }
            Ok(())
        })?;
        write(&rows)
    }

    /// Counts the candidates and the intervals of the segments before number `end`, which have no
    /// further rows.
    fn skip_to(&mut self, end: usize, call: &CallResults<'_>) -> Result<()> {
        for k in self.counter.passed..end {
            let RunSegment { first, end, .. } = self.segments[k];
            let mask = self.segments[k].mask();
            let has_interval = self.between.as_ref().is_some_and(|of| of.has_interval(call.intervals, first..end));
            if has_interval || call.candidates.iter().any(|c| c.samples & mask != 0) {
                self.open_segment(k, call)?;
            }
        }
        Ok(())
    }

    /// Closes the open segment, if there is one.
    fn close_segment(&mut self, call: &CallResults<'_>) -> Result<()> {
        if let (Some(between), Some(run)) = (&mut self.between, &mut self.run) {
            let here = between.count(call.intervals, self.counter.end, call.block, &mut run.row, &mut self.totals)?;
            if let Some(events) = &mut self.events {
                events.add_intervals(here, call.block);
            }
        }
        if let Some(events) = &mut self.events {
            events.end_segment()?;
        }
        if let Some(run) = self.run.as_mut().filter(|_| self.is_still) {
            // Nothing is to be added to a pair without rows: it counts, and need not be kept until
            // the run ends.
            let candidates = self.counter.entries.len();
            self.counter.entries.retain(|stat| stat.within > 0);
            run.row.pairs_candidate += (candidates - self.counter.entries.len()) as u64;
        }
        self.stats.extend(&self.counter.entries)?;
        self.counter.entries.clear();
        Ok(())
    }

    /// Opens segment `k`.
    fn open_segment(&mut self, k: usize, call: &CallResults<'_>) -> Result<()> {
        self.close_segment(call)?; // before its run is finished
        self.begin_segments(k + 1)?;
        if self.begun != k + 1 {
            return Err(Error::internal("pairs", "results of a run arrive after those of a later one"));
        }
        let Self { counter, segments, .. } = self;
        let mask = segments[k].mask();
        let entry = |c: &Candidate| PairStat::new(c.a, c.b, u64::from((c.samples & mask).count_ones()));
        counter.entries.extend(call.candidates.iter().filter(|c| c.samples & mask != 0).map(entry));
        counter.pairs.clear();
        counter.pairs.extend(counter.entries.iter().map(|entry| pair_key(entry.a, entry.b)));
        debug_assert!(counter.pairs.is_sorted_by(|one, next| one < next), "candidates are sorted by pair");
        counter.pairs.extend([u64::MAX; LOOKAHEAD]);
        (counter.passed, counter.end) = (k + 1, segments[k].end);
        (counter.at, counter.sample) = (0, u8::MAX);
        Ok(())
    }

    /// Counts rows of the open segment.
    fn count_in_segment(&mut self, block: &FrameBlock, rows: &[Row]) -> Result<()> {
        let samples = &block.samples;
        let Self { counter, run, totals, notable, events, .. } = self;
        let SegmentCounter { entries, pairs, at, sample, .. } = counter;
        if let Some(run) = run {
            let position = block.index * SAMPLES as u64;
            for rows in rows.chunks(TILE_ROWS) {
                notable.count(&mut run.row, totals, rows, samples, position)?;
                if let Some(events) = events {
                    events.add_rows(rows, block);
                }
            }
        }
        // Within a sample, rows and candidates are both sorted by pair, so the search continues
        // from the last entry.
        for row in rows {
            let of_row = &samples[usize::from(row.proximity.sample)];
            if row.proximity.sample != *sample {
                (*at, *sample) = (0, row.proximity.sample);
            }
            let pair = pair_key(row.a, row.b);
            *at = lower_bound(pairs, *at, pair);
            match entries.get_mut(*at) {
                Some(stat) if pairs.get(*at) == Some(&pair) => stat.add_row(row, of_row),
                _ => {
                    let mut stat = PairStat::new(row.a, row.b, 0);
                    stat.add_row(row, of_row);
                    entries.push(stat);
                }
            }
        }
        Ok(())
    }
}

/// Upper bound of a sum of two lengths. Exact if one is zero.
fn add_up(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { a + b } else { (a + b).next_up() }
}
