//! `pairs` and `runs`, accumulated block by block, and the totals of the execution.

use super::columns::{PairRow, RunRow, Words, WorstRow, fill_pairs, fill_runs};
use super::encoder::{Finishing, TableEncoder};
use super::motion::Motion;
use super::output_dir::OutputDir;
use super::pair_stats::{PairStat, PairStats, is_smaller};
use super::parts::Naming;
use super::possible::Possible;
use super::{Row, Sizes, TILE, Totals, Worst, schema};
use crate::error::{Error, Result};
use crate::narrow::Status;
use crate::scene::{Candidate, FrameBlock, Motion as BodyMotion, SAMPLES, Sample, Scene};
use std::sync::Arc;

/// No slot: a static body.
const STATIC: u32 = u32::MAX;

/// Candidates that are compared with a row at once: among those after the one of the row before it is most likely.
const AHEAD: usize = 8;

/// Accumulates the summaries.
pub(super) struct Summary {
    pairs: TableEncoder,
    runs: TableEncoder,
    /// Pairs of the run in progress.
    stats: PairStats,
    run: Option<RunState>,
    /// The block in progress, its stretches, and how many of them have begun.
    block: Option<u64>,
    stretches: Vec<Stretch>,
    begun: usize,
    /// Run of the last sample seen.
    last_run: Option<i64>,
    motion: Motion,
    /// Slot of each body, or `STATIC`.
    slot_of: Vec<u32>,
    /// NaN where nothing is required: no comparison with it holds.
    require: f64,
    possible: Possible,
    totals: Totals,
    worst: Option<(i64, WorstRow)>,
    counting: Counting,
}

/// The stretch being counted.
#[derive(Default)]
struct Counting {
    /// How many stretches of the block this call has passed, the one being counted included.
    passed: usize,
    /// Samples before this one belong to it.
    end: usize,
    /// An entry for each of its candidates, sorted by pair, and then those of rows without one.
    entries: Vec<PairStat>,
    /// The pairs of its candidates, and [`AHEAD`] that no row has.
    pairs: Vec<u64>,
    /// The entry of the last row, and its sample.
    at: usize,
    sample: u8,
}

/// The run in progress.
struct RunState {
    row: RunRow,
    /// Largest step of each slot, metres.
    steps: Vec<f64>,
}

/// Neighbouring samples of one run in a block.
struct Stretch {
    run: i64,
    /// Whether the run begins with it.
    begins: bool,
    first: usize,
    end: usize,
    /// Largest step of each slot, metres.
    steps: Vec<f64>,
}

impl Stretch {
    /// One bit for each of its samples.
    fn mask(&self) -> u64 {
        let below = |n: usize| if n >= SAMPLES { u64::MAX } else { (1_u64 << n) - 1 };
        below(self.end) & !below(self.first)
    }
}

impl Summary {
    /// Nothing counted yet. `memory`: bytes that the pairs of a run may take.
    pub(super) fn new(scene: &Scene, words: &Words, memory: u64, sizes: Sizes, out: &Arc<OutputDir>) -> Result<Self> {
        let table = |spec, name| TableEncoder::new(&spec, Naming::Single(name), words, sizes, out);
        let slot = |motion: &BodyMotion| match motion {
            BodyMotion::Static(_) => STATIC,
            BodyMotion::Dynamic { slot } => *slot,
        };
        // The stable sort needs half the entries again, and the list grows by doubling.
        let limit = usize::try_from(memory / (4 * size_of::<PairStat>() as u64)).unwrap_or(usize::MAX);
        let possible = Possible::of(scene);
        Ok(Self {
            pairs: table(schema::pairs(), "pairs.parquet")?,
            runs: table(schema::runs(), "runs.parquet")?,
            stats: PairStats::new(limit.max(sizes.least_pairs), Arc::clone(out)),
            run: None,
            block: None,
            stretches: Vec::new(),
            begun: 0,
            last_run: None,
            motion: Motion::new(scene.dynamic.iter().map(|&body| scene.bodies[body as usize].shape.radius)),
            slot_of: scene.bodies.iter().map(|body| slot(&body.motion)).collect(),
            require: scene.query.require.unwrap_or(f64::NAN),
            totals: Totals {
                pairs_possible: possible.first.all,
                pairs_ignored: possible.first.ignored,
                ..Totals::default()
            },
            possible,
            worst: None,
            counting: Counting::default(),
        })
    }

    /// Begins to count the results of a block, or of the next samples of the block before.
    pub(super) fn begin(&mut self, block: &FrameBlock) -> Result<()> {
        if self.block != Some(block.index) {
            self.begin_stretches(self.stretches.len())?;
            self.cut(block);
        }
        (self.counting.passed, self.counting.end) = (0, 0);
        Ok(())
    }

    /// Counts the next rows.
    pub(super) fn count(&mut self, samples: &[Sample], candidates: &[Candidate], rows: &[Row]) -> Result<()> {
        let mut rest = rows;
        while let Some(first) = rest.first() {
            let sample = usize::from(first.proximity.sample);
            if sample >= self.counting.end {
                let of = self.stretches.partition_point(|stretch| stretch.end <= sample);
                self.pass(of, candidates)?;
                self.open(of, candidates)?;
            }
            let end = self.counting.end;
            let here = match rest.last() {
                Some(last) if usize::from(last.proximity.sample) < end => rest.len(),
                _ => rest.partition_point(|row| usize::from(row.proximity.sample) < end),
            };
            self.count_here(samples, &rest[..here]);
            rest = &rest[here..];
        }
        Ok(())
    }

    /// All rows of these candidates were counted.
    pub(super) fn end(&mut self, candidates: &[Candidate]) -> Result<()> {
        self.pass(self.stretches.len(), candidates)?;
        self.close()
    }

    #[cfg(test)]
    pub(super) fn has_spilled(&self) -> bool {
        self.stats.has_spilled()
    }

    /// Finishes the last run and both tables; the totals, without those of other tables.
    pub(super) fn finish(mut self, names: &[String]) -> Result<(Totals, [Finishing; 2])> {
        self.begin_stretches(self.stretches.len())?;
        self.finish_run()?;
        self.totals.pairs = self.pairs.rows();
        self.totals.worst = self.worst.map(|(run, w)| Worst {
            distance_m: w.distance,
            run,
            frame: w.frame,
            body_a: names[w.a as usize].clone(),
            body_b: names[w.b as usize].clone(),
        });
        Ok((self.totals, [self.pairs.finish()?, self.runs.finish()?]))
    }

    /// Cuts a new block at the beginnings of runs.
    fn cut(&mut self, block: &FrameBlock) {
        self.block = Some(block.index);
        self.begun = 0;
        self.stretches.clear();
        for (s, sample) in block.samples.iter().enumerate() {
            let begins = self.last_run != Some(sample.run) || block.starts_run >> s & 1 == 1;
            match self.stretches.last_mut() {
                Some(stretch) if !begins => stretch.end = s + 1,
                _ => self.stretches.push(Stretch { run: sample.run, begins, first: s, end: s + 1, steps: Vec::new() }),
            }
            self.last_run = Some(sample.run);
        }
        let masks: Vec<_> = self.stretches.iter().map(|s| (s.mask(), s.begins)).collect();
        for (stretch, steps) in self.stretches.iter_mut().zip(self.motion.advance(block, &masks)) {
            stretch.steps = steps;
        }
    }

    /// Begins the stretches before `end`, and with them the runs.
    fn begin_stretches(&mut self, end: usize) -> Result<()> {
        while self.begun < end {
            let k = self.begun;
            self.begun += 1;
            if self.stretches[k].begins {
                self.finish_run()?;
                self.begin_run(self.stretches[k].run);
            }
            let stretch = &self.stretches[k];
            let frames = (stretch.end - stretch.first) as u64;
            self.totals.samples += frames;
            if let Some(run) = &mut self.run {
                run.row.frames += frames;
                for (largest, step) in run.steps.iter_mut().zip(&stretch.steps) {
                    *largest = largest.max(*step);
                }
            }
        }
        Ok(())
    }

    fn begin_run(&mut self, run: i64) {
        // Static pairs have their rows at the first sample of all: later runs cannot have any.
        let possible = if self.totals.runs == 0 { self.possible.first } else { self.possible.later };
        self.totals.runs += 1;
        let (pairs_possible, pairs_ignored) = (possible.all, possible.ignored);
        let row = RunRow { run, pairs_possible, pairs_ignored, ..RunRow::default() };
        self.run = Some(RunState { row, steps: vec![0.0; self.motion.slots()] });
    }

    fn finish_run(&mut self) -> Result<()> {
        let Some(mut state) = self.run.take() else { return Ok(()) };
        let step = |body: u32| match self.slot_of[body as usize] {
            STATIC => 0.0,
            slot => state.steps[slot as usize],
        };
        let mut ready = Vec::with_capacity(1024);
        let (run, pairs) = (state.row.run, &mut self.pairs);
        self.stats.drain(|stat| {
            state.row.pairs_candidate += 1;
            if stat.within > 0 {
                ready.push(PairRow { run, stat: *stat, max_step: sum_up(step(stat.a), step(stat.b)) });
                if ready.len() == ready.capacity() {
                    pairs.extend(&ready, fill_pairs)?;
                    ready.clear();
                }
            }
            Ok(())
        })?;
        pairs.extend(&ready, fill_pairs)?;
        let row = state.row;
        if let Some(worst) = row.worst
            && self.worst.is_none_or(|(_, least)| is_smaller(worst.distance, least.distance))
        {
            self.worst = Some((run, worst));
        }
        self.totals.violated += row.violated;
        self.totals.undecided += row.undecided;
        self.runs.extend(&[row], fill_runs)
    }

    /// Counts the candidates of the stretches before `end`: there are no more rows of theirs.
    fn pass(&mut self, end: usize, candidates: &[Candidate]) -> Result<()> {
        for k in self.counting.passed..end {
            let mask = self.stretches[k].mask();
            if candidates.iter().any(|c| c.samples & mask != 0) {
                self.open(k, candidates)?;
            }
        }
        Ok(())
    }

    /// All of the stretch that is open was counted, if one is.
    fn close(&mut self) -> Result<()> {
        self.stats.extend(&self.counting.entries)?;
        self.counting.entries.clear();
        Ok(())
    }

    /// Begins to count stretch `k`.
    fn open(&mut self, k: usize, candidates: &[Candidate]) -> Result<()> {
        self.close()?; // before the run it belongs to is finished
        self.begin_stretches(k + 1)?;
        if self.begun != k + 1 {
            return Err(Error::internal("pairs", "results of a run arrive after those of a later one"));
        }
        let Self { counting, stretches, .. } = self;
        let mask = stretches[k].mask();
        let of = |c: &Candidate| PairStat::new(c.a, c.b, u64::from((c.samples & mask).count_ones()));
        counting.entries.extend(candidates.iter().filter(|c| c.samples & mask != 0).map(of));
        counting.pairs.clear();
        counting.pairs.extend(counting.entries.iter().map(|entry| number(entry.a, entry.b)));
        counting.pairs.extend([u64::MAX; AHEAD]);
        (counting.passed, counting.end) = (k + 1, stretches[k].end);
        (counting.at, counting.sample) = (0, u8::MAX);
        Ok(())
    }

    /// Counts rows of the stretch that is open.
    fn count_here(&mut self, samples: &[Sample], rows: &[Row]) {
        let Self { counting, run, totals, require, .. } = self;
        let Counting { entries, pairs, at, sample, .. } = counting;
        if let Some(run) = run {
            rows.chunks(TILE).for_each(|rows| count_rows(&mut run.row, totals, rows, samples, *require));
        }
        // In every sample rows and candidates are both sorted by pair: the row's entry lies a little ahead.
        for row in rows {
            let key = &samples[usize::from(row.proximity.sample)];
            if row.proximity.sample != *sample {
                (*at, *sample) = (0, row.proximity.sample);
            }
            let pair = number(row.a, row.b);
            *at = seek(pairs, *at, pair);
            match entries.get_mut(*at) {
                Some(stat) if pairs.get(*at) == Some(&pair) => stat.add_row(row, key),
                _ => {
                    let mut stat = PairStat::new(row.a, row.b, 0);
                    stat.add_row(row, key);
                    entries.push(stat);
                }
            }
        }
    }
}

/// A sum of two lengths, at least its exact value.
fn sum_up(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { a + b } else { (a + b).next_up() }
}

/// A pair as a number; pairs are in the order of their numbers.
fn number(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// The first pair from `at` on that is not below `pair`: among the next ones without a branch that is hard to foresee, and
/// beyond them in steps that double. The last [`AHEAD`] pairs are above all.
fn seek(pairs: &[u64], at: usize, pair: u64) -> usize {
    let Some(next) = pairs.get(at..).and_then(|pairs| pairs.first_chunk::<AHEAD>()) else { return at };
    let mut low = at + next.iter().map(|&next| usize::from(next < pair)).sum::<usize>();
    let mut step = AHEAD;
    let below = |at: usize| pairs.get(at).is_some_and(|&next| next < pair);
    if low == at + AHEAD && below(low) {
        while below(low + step) {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(pairs.len());
        low += 1 + pairs[low + 1..high].partition_point(|&next| next < pair);
    }
    low
}

/// Counts a tile of rows for `runs` and the totals. Comparisons with NaN (nothing required, nothing proven) do not hold.
pub(super) fn count_rows(run: &mut RunRow, totals: &mut Totals, rows: &[Row], samples: &[Sample], require: f64) {
    /// Bits of a counter: several in a register, each of at most a tile.
    const BITS: usize = 10;
    const { assert!(TILE < 1 << BITS) };
    let (mut status, mut method, mut violated, mut undecided) = (0_u64, 0_u64, 0, 0);
    let mut worst = run.worst;
    for row in rows {
        let p = &row.proximity;
        status += 1 << (BITS * p.status as usize);
        method += 1 << (BITS * p.method as usize);
        violated += u64::from(p.upper < require);
        undecided += u64::from((p.lower < require) & (require <= p.upper));
        if worst.is_none_or(|worst| is_smaller(p.distance, worst.distance)) {
            let frame = samples[usize::from(p.sample)].frame;
            worst = Some(WorstRow { distance: p.distance, a: row.a, b: row.b, frame });
        }
    }
    let of = |counters: u64, k: usize| counters >> (BITS * k) & ((1 << BITS) - 1);
    totals.by_status.iter_mut().enumerate().for_each(|(k, all)| *all += of(status, k));
    totals.by_method.iter_mut().enumerate().for_each(|(k, all)| *all += of(method, k));
    totals.rows += rows.len() as u64;
    run.rows += rows.len() as u64;
    run.violated += violated;
    run.undecided += undecided;
    run.uncertified += of(status, Status::Uncertified as usize);
    run.worst = worst;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_found_wherever_it_lies_ahead() {
        for count in [0, 1, 7, 8, 9, 100] {
            let mut pairs: Vec<u64> = (0..count).map(|k| number(k / 7, 10 + 3 * k)).collect();
            pairs.sort_unstable();
            let sorted = pairs.clone();
            pairs.extend([u64::MAX; AHEAD]);
            for pair in sorted.iter().flat_map(|&pair| [pair - 1, pair, pair + 1]).chain([0, u64::MAX - 1]) {
                let place = sorted.partition_point(|&other| other < pair);
                for from in 0..=place {
                    assert_eq!(seek(&pairs, from, pair), place, "{pair} from {from} of {count}");
                }
            }
        }
    }
}
