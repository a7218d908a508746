//! Data of a pair that violates the requirement: in one run, in all, and as it is spilled.

use super::spill::{SpillEntry, pair_of, pair_word, put_words, words};
use clearsweep_model::Sample;

/// The violations of a pair in one run.
#[derive(Debug, Clone, Copy)]
pub(super) struct InRun {
    /// Value that the worst row is ranked by, metres.
    pub(super) rank: f64,
    pub(super) distance: f64,
    /// Bracket of the least distance, or of the least free length, metres: least lower and least
    /// upper end. A lower end that is not proven is negative infinity.
    pub(super) bracket: [f64; 2],
    pub(super) nearest: i64,
    pub(super) spans: u64,
    pub(super) first: Sample,
    pub(super) last: Sample,
    /// Numbers of the first and of the last sample, counted over the whole input.
    pub(super) first_position: u64,
    pub(super) position: u64,
}

impl InRun {
    /// Adds what follows in the same run. Of equal ranks the earlier frame is kept.
    pub(super) fn add(&mut self, later: &Self) {
        if later.rank < self.rank {
            (self.rank, self.distance, self.nearest) = (later.rank, later.distance, later.nearest);
        }
        self.widen(later.bracket);
        self.spans += later.spans - u64::from(later.first_position <= self.position + 1);
        (self.last, self.position) = (later.last, later.position);
    }
}

impl InRun {
    /// Adds the ends of other violations of the pair.
    fn widen(&mut self, [lower, upper]: [f64; 2]) {
        self.bracket = [self.bracket[0].min(lower), self.bracket[1].min(upper)];
    }
}

/// The violations of a pair.
#[derive(Debug)]
pub(super) struct OfPair {
    pub(super) rows: u64,
    pub(super) runs: u64,
    /// The run of the worst row, among those before the current one. Apart, because most pairs have
    /// one run.
    pub(super) worst: Option<Box<InRun>>,
    pub(super) current: InRun,
}

impl OfPair {
    /// The run of the worst row, with the bracket of all runs. Of equal ranks the earlier run is
    /// kept.
    pub(super) fn worst(&self) -> InRun {
        let worst = self.worst.as_deref().filter(|worst| worst.rank <= self.current.rank);
        let mut worst = *worst.unwrap_or(&self.current);
        self.worst.as_deref().into_iter().chain([&self.current]).for_each(|run| worst.widen(run.bracket));
        worst
    }

    /// Adds later violations of the pair.
    pub(super) fn add(&mut self, later: &ViolationStretch) {
        self.rows += later.rows;
        if self.current.last.run == later.worst.last.run {
            self.current.add(&later.worst);
        } else {
            self.runs += later.runs;
            let before = self.worst();
            match &mut self.worst {
                Some(worst) => **worst = before,
                none => *none = Some(Box::new(before)),
            }
            self.current = later.worst;
        }
    }

    /// Returns the stretches of time, in order: the runs before the current one, and that one.
    pub(super) fn stretches(&self, (a, b): (u32, u32)) -> impl Iterator<Item = ViolationStretch> {
        let before = self.worst.as_deref().map(|&worst| ViolationStretch { a, b, rows: 0, runs: self.runs - 1, worst });
        let runs = if before.is_some() { 1 } else { self.runs };
        before.into_iter().chain([ViolationStretch { a, b, rows: self.rows, runs, worst: self.current }])
    }
}

/// Violations of a pair in a part of one run, or in several whole runs; as it is spilled.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViolationStretch {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) rows: u64,
    pub(super) runs: u64,
    /// The run of the worst row.
    pub(super) worst: InRun,
}

impl ViolationStretch {
    /// The same with positions that begin at `offset`.
    pub(super) fn moved(self, offset: u64) -> Self {
        let first_position = self.worst.first_position + offset;
        let worst = InRun { first_position, position: self.worst.position + offset, ..self.worst };
        Self { worst, ..self }
    }
}

impl SpillEntry for ViolationStretch {
    const BYTES: usize = 128;

    fn pair(&self) -> (u32, u32) {
        (self.a, self.b)
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        let Self { rows, runs, worst, .. } = *self;
        let InRun { rank, distance, bracket, nearest, spans, first, last, first_position, position } = worst;
        // NaN: the input has no time.
        let time = |sample: Sample| sample.time_s.unwrap_or(f64::NAN).to_bits();
        let run =
            [rank.to_bits(), distance.to_bits(), nearest as u64, spans, first_position, position, last.run as u64];
        put_words(&[pair_word(self.pair()), rows, runs], bytes);
        put_words(&run, bytes);
        put_words(&bracket.map(f64::to_bits), bytes);
        put_words(&[first.frame as u64, time(first), last.frame as u64, time(last)], bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        let [
            pair,
            rows,
            runs,
            rank,
            distance,
            nearest,
            spans,
            first_position,
            position,
            run,
            lower,
            upper,
            from,
            from_time,
            to,
            to_time,
        ] = words(bytes);
        let sample = |frame: u64, time: u64| {
            let time_s = Some(f64::from_bits(time)).filter(|time| !time.is_nan());
            Sample { run: run as i64, frame: frame as i64, time_s }
        };
        let (first, last) = (sample(from, from_time), sample(to, to_time));
        let (rank, distance, nearest) = (f64::from_bits(rank), f64::from_bits(distance), nearest as i64);
        let bracket = [lower, upper].map(f64::from_bits);
        let (a, b) = pair_of(pair);
        Self {
            a,
            b,
            rows,
            runs,
            worst: InRun { rank, distance, bracket, nearest, spans, first, last, first_position, position },
        }
    }
}
