//! The totals of a job whose rows are not written to tables.

use super::interval_findings::IntervalFindings;
use super::interval_stats::IntervalStat;
use super::layout::TILE_ROWS;
use super::notable_pairs::NotablePairs;
use super::pair_counts::PairCountsByRun;
use super::pair_stats::{JoinedEntry, PairStat};
use super::row::{IntervalRow, Row};
use super::sink::RowBlock;
use super::sources::{RunRow, WorstOfRuns};
use super::totals::Totals;
use super::violations::Violations;
use clearsweep_base::error::Result;
use clearsweep_model::{BetweenFrames, SAMPLES, Sample, Scene, Status};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Counts rows block by block.
pub struct RowCounter {
    totals: Totals,
    /// The run of the last row, and its pairs that have a row.
    run: Option<RunRow>,
    pairs: FxHashSet<(u32, u32)>,
    /// The block counted last, and the run of its last sample.
    block: Option<u64>,
    last_run: Option<i64>,
    worst: WorstOfRuns,
    /// Kept for its memory.
    tile: Vec<Row>,
    notable: NotablePairs,
    /// `None` where the job says nothing about intervals.
    between: Option<IntervalCounter>,
    names: Arc<[String]>,
}

/// Counts intervals, and what the pairs of the run have of rows and of intervals.
struct IntervalCounter {
    findings: IntervalFindings,
    pairs: PairsOfRun,
}

/// The pairs of a run: what is known of their rows and of their intervals.
type PairsOfRun = FxHashMap<(u32, u32), (PairStat, Option<IntervalStat>)>;

fn pair_of(pairs: &mut PairsOfRun, a: u32, b: u32) -> &mut (PairStat, Option<IntervalStat>) {
    pairs.entry((a, b)).or_insert_with(|| (PairStat::new(a, b, 0), None))
}

impl IntervalCounter {
    /// Adds rows to their pairs.
    fn add_rows(&mut self, rows: &[Row], samples: &[Sample]) {
        for row in rows {
            let (stat, _) = pair_of(&mut self.pairs, row.a, row.b);
            stat.add_row(row, &samples[usize::from(row.proximity.sample)]);
        }
    }

    /// Counts intervals of one run.
    fn add(
        &mut self,
        rows: &[&IntervalRow],
        block: &RowBlock<'_>,
        run: &mut RunRow,
        totals: &mut Totals,
    ) -> Result<()> {
        let Self { findings, pairs } = self;
        findings.count(&mut run.between, totals, rows, block.block(), |entry| {
            let (_, of) = pair_of(pairs, entry.a, entry.b);
            match of {
                Some(of) => of.add(&entry),
                none => *none = Some(entry),
            }
        })
    }

    /// Ends a run. Returns the number of its pairs.
    fn end_run(&mut self, run: &RunRow, totals: &mut Totals) -> u64 {
        let Self { findings, pairs } = self;
        for (stat, between) in pairs.values() {
            findings.count_pair((run.run, between.as_ref()), |touch| stat.is_apart(touch), totals);
        }
        findings.end_run(run.run, &run.between, totals);
        pairs.drain().len() as u64
    }
}

impl RowCounter {
    /// Nothing counted yet.
    pub fn new(scene: &Scene) -> Self {
        let pairs = PairCountsByRun::of(scene).first;
        Self {
            totals: Totals { pairs_possible: pairs.possible, pairs_ignored: pairs.ignored, ..Totals::default() },
            run: None,
            pairs: FxHashSet::default(),
            block: None,
            last_run: None,
            worst: WorstOfRuns::default(),
            tile: Vec::with_capacity(TILE_ROWS),
            notable: NotablePairs::unbounded(scene),
            between: (scene.motion.between != BetweenFrames::None).then(|| IntervalCounter {
                findings: IntervalFindings::new(scene, Violations::unbounded()),
                pairs: FxHashMap::default(),
            }),
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
        }
    }

    /// Counts rows; those of a block may come in several calls, of ascending samples.
    ///
    /// # Errors
    /// Those of `Violations::add`.
    pub fn add(&mut self, rows: &RowBlock<'_>) -> Result<()> {
        let block = rows.block();
        self.totals.contacts += rows.contact_rows().len() as u64;
        if self.block.replace(block.index) != Some(block.index) {
            self.totals.samples += block.samples.len() as u64;
            for sample in &block.samples {
                self.totals.runs += u64::from(self.last_run.replace(sample.run) != Some(sample.run));
            }
        }
        let run_of = |sample: u8| block.samples[usize::from(sample)].run;
        let mut intervals = rows.interval_rows();
        for of_run in rows.rows().chunk_by(|one, next| run_of(one.proximity.sample) == run_of(next.proximity.sample)) {
            let run = run_of(of_run[0].proximity.sample);
            let before = intervals.partition_point(|row| run_of(row.interval.sample) < run);
            self.add_intervals(&intervals[..before], rows)?;
            intervals = &intervals[before..];
            self.begin_run(run);
            for tile in of_run.chunks(TILE_ROWS) {
                self.tile.clear();
                self.tile.extend(tile.iter().map(|row| **row));
                match &mut self.between {
                    Some(between) => between.add_rows(&self.tile, &block.samples),
                    None => self.pairs.extend(self.tile.iter().map(|row| (row.a, row.b))),
                }
                let Some(current) = &mut self.run else { continue };
                let position = block.index * SAMPLES as u64;
                self.notable.count(current, &mut self.totals, &self.tile, &block.samples, position)?;
            }
        }
        self.add_intervals(intervals, rows)
    }

    /// Counts intervals, of one run or of several.
    fn add_intervals(&mut self, intervals: &[&IntervalRow], rows: &RowBlock<'_>) -> Result<()> {
        let run_of = |row: &IntervalRow| rows.block().samples[usize::from(row.interval.sample)].run;
        for of_run in intervals.chunk_by(|one, next| run_of(one) == run_of(next)) {
            self.begin_run(run_of(of_run[0]));
            if let (Some(between), Some(run)) = (&mut self.between, &mut self.run) {
                between.add(of_run, rows, run, &mut self.totals)?;
            }
        }
        Ok(())
    }

    /// The run of this number; another one is finished.
    fn begin_run(&mut self, run: i64) {
        if self.run.as_ref().is_none_or(|current| current.run != run) {
            self.finish_run();
            self.run = Some(RunRow { run, ..RunRow::default() });
        }
    }

    fn finish_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        self.totals.pairs += match &mut self.between {
            Some(between) => between.end_run(&run, &mut self.totals),
            None => self.pairs.drain().len() as u64,
        };
        run.add_to(&mut self.totals);
        self.worst.add(&run);
    }

    /// The totals of all rows.
    ///
    /// # Errors
    /// Those of `Violations::finish`.
    pub fn finish(mut self) -> Result<Totals> {
        self.finish_run();
        self.totals.worst = self.worst.named(&self.names);
        self.notable.finish(&mut self.totals, &self.names)?;
        if let Some(between) = self.between {
            between.findings.finish(&mut self.totals, &self.names)?;
        }
        self.totals.penetrations = self.totals.by_status[Status::Penetrating as usize];
        Ok(self.totals)
    }
}
