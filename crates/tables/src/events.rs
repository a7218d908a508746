//! Events: maximal stretches of samples and intervals of a run in which a pair violates what is required of it.

use super::output_dir::OutputDir;
use super::pair_stats::{JoinedEntry, PairAccumulator, rank};
use super::resume::checkpoint::FoundLists;
use super::resume::entries::{StoredEntries, read_entries, store_entries};
use super::row::{IntervalRow, Row};
use super::spill::{SpillEntry, pair_of, pair_word, put_words, words};
use clearsweep_base::error::Result;
use clearsweep_model::{IntervalStatus, Method, Requirements, Status};
use clearsweep_scene::{FrameBlock, SAMPLES, Sample};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

/// Events that stay in memory even if less may be taken, and that are handed on at a time.
const LEAST_LOGGED: usize = 1024;

/// How two bodies clash, the worse later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EventKind {
    /// They are apart, and nearer than required.
    Near,
    /// They touch.
    Touching,
    /// They overlap.
    Crossing,
    /// One lies inside of the other, and their surfaces do not touch.
    Inside,
    /// They are at rest at the same place and have the same shape: one of them is there twice. No row says so: `issues.rs` finds them.
    Coincident,
}

impl EventKind {
    /// The words of the contract.
    pub(super) const NAMES: [&'static str; 5] = ["near", "touching", "crossing", "inside", "coincident"];

    const ALL: [Self; 5] = [Self::Near, Self::Touching, Self::Crossing, Self::Inside, Self::Coincident];

    fn of_row(row: &Row) -> Self {
        match (row.proximity.status, row.proximity.method) {
            (Status::Penetrating, Method::Winding) => Self::Inside,
            (Status::Penetrating, _) => Self::Crossing,
            (Status::Touching, _) => Self::Touching,
            (Status::Separated | Status::Uncertified, _) => Self::Near,
        }
    }

    fn of_interval(row: &IntervalRow) -> Self {
        if row.interval.status == IntervalStatus::Contact { Self::Touching } else { Self::Near }
    }
}

/// A frame with its time in seconds (NaN: the input has none).
pub(super) type Moment = (i64, f64);

/// An event, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Event {
    /// Body A.
    pub(super) a: u32,
    /// Body B.
    pub(super) b: u32,
    /// Where its first and its last sample or interval are: a sample has twice its number, counted over the whole input; an interval is behind
    /// its first sample, by one.
    span: [u64; 2],
    /// The first moment, and the last: of samples, or, where there are only intervals, of both sides of these.
    pub(super) ends: [Moment; 2],
    /// Samples that violate.
    pub(super) samples: u64,
    /// Intervals that violate.
    pub(super) intervals: u64,
    /// Bracket of the least distance, metres: least lower and least upper end; a lower end that is not proven is minus infinity.
    pub(super) lower: f64,
    /// See `lower`.
    pub(super) upper: f64,
    /// When the least upper end is reached; of an interval, the frame before it, and the first time at which it may be.
    pub(super) least: Moment,
    /// The worst rank of a sample, metres (NaN: no sample violates), and the middle of its witness points, world frame, metres.
    rank: f64,
    /// See `rank`.
    pub(super) place: [f64; 3],
    /// The worst.
    pub(super) kind: EventKind,
}

impl Event {
    /// The indices of its bodies.
    pub(super) fn pair_indices(&self) -> (u32, u32) {
        (self.a, self.b)
    }

    fn of_row(row: &Row, sample: &Sample, position: u64) -> Self {
        let (p, moment) = (&row.proximity, moment(sample));
        Self {
            a: row.a,
            b: row.b,
            span: [2 * position; 2],
            ends: [moment; 2],
            samples: 1,
            intervals: 0,
            lower: p.lower,
            upper: p.upper,
            least: moment,
            rank: rank(p),
            place: (p.point_a + (p.point_b - p.point_a).scale(0.5)).to_array(),
            kind: EventKind::of_row(row),
        }
    }

    fn of_interval(row: &IntervalRow, ends: [&Sample; 2], position: u64) -> Self {
        let p = &row.interval;
        let [(frame, from), (_, to)] = ends.map(moment);
        Self {
            a: row.a,
            b: row.b,
            span: [2 * position + 1; 2],
            ends: ends.map(moment),
            samples: 0,
            intervals: 1,
            lower: p.lower,
            upper: p.upper,
            least: (frame, from + p.closest[0] * (to - from)),
            rank: f64::NAN,
            place: [f64::NAN; 3],
            kind: EventKind::of_interval(row),
        }
    }
}

fn moment(sample: &Sample) -> Moment {
    (sample.frame, sample.time_s.unwrap_or(f64::NAN))
}

impl JoinedEntry for Event {
    /// Neighbours are a sample and an interval that it ends, and two samples without another one between them: an interval that was not looked at,
    /// or is undecided, does not end what both of its ends go on with.
    fn goes_on(&self, later: &Self) -> bool {
        let (last, first) = (self.span[1], later.span[0]);
        first <= last + 1 || (first == last + 2 && last % 2 == 0)
    }

    /// Adds a later part. Of equal ends the earlier is kept.
    fn add(&mut self, later: &Self) {
        self.span[1] = later.span[1];
        // An interval violates wherever one of its ends does: it says when only of an event without samples.
        match (self.samples > 0, later.samples > 0) {
            (true, true) | (false, false) => self.ends[1] = later.ends[1],
            (false, true) => self.ends = later.ends,
            (true, false) => {}
        }
        self.samples += later.samples;
        self.intervals += later.intervals;
        self.lower = self.lower.min(later.lower);
        if later.upper < self.upper {
            (self.upper, self.least) = (later.upper, later.least);
        }
        if later.rank < self.rank || self.rank.is_nan() {
            (self.rank, self.place) = (later.rank, later.place);
        }
        self.kind = self.kind.max(later.kind);
    }
}

impl SpillEntry for Event {
    const BYTES: usize = 144;

    fn pair(&self) -> (u32, u32) {
        (self.a, self.b)
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        let [begin, end] = self.ends;
        let [begin, end, least] = [begin, end, self.least].map(|(frame, time)| [frame as u64, time.to_bits()]);
        put_words(&[pair_word(self.pair()), self.span[0], self.span[1]], bytes);
        put_words([begin, end, least].as_flattened(), bytes);
        put_words(&[self.samples, self.intervals, self.kind as u64], bytes);
        put_words(&[self.lower, self.upper, self.rank].map(f64::to_bits), bytes);
        put_words(&self.place.map(f64::to_bits), bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        let [pair, first, last, rest @ ..]: [u64; Self::BYTES / 8] = words(bytes);
        let [from, from_s, to, to_s, least, least_s, samples, intervals, kind, numbers @ ..] = rest;
        let [lower, upper, rank, x, y, z] = numbers.map(f64::from_bits);
        let (a, b) = pair_of(pair);
        let moment = |frame: u64, time: u64| (frame as i64, f64::from_bits(time));
        Self {
            a,
            b,
            span: [first, last],
            ends: [moment(from, from_s), moment(to, to_s)],
            samples,
            intervals,
            lower,
            upper,
            least: moment(least, least_s),
            rank,
            place: [x, y, z],
            kind: EventKind::ALL[kind as usize % EventKind::ALL.len()],
        }
    }
}

/// Collects the events of a job, run by run.
pub(super) struct Events {
    requirements: Requirements,
    /// Parts of events of the run in progress, by rule.
    of_run: Vec<PairAccumulator<Event>>,
    /// Parts of the segment in progress, in no order.
    of_segment: Vec<Event>,
    /// The events of the runs before.
    pub(super) log: EventLog,
}

impl Events {
    /// Returns a collector that takes about `memory` bytes, and beyond that files in `out`; `least`: events of a rule that stay in memory in
    /// any case.
    pub(super) fn new(requirements: Requirements, memory: u64, least: usize, out: &Arc<OutputDir>) -> Self {
        let share = memory / 2 / size_of::<Event>() as u64 / requirements.count() as u64;
        let limit = usize::try_from(share).unwrap_or(usize::MAX).max(least);
        let of_run = (0..requirements.count()).map(|_| PairAccumulator::new(limit, Arc::clone(out))).collect();
        Self { requirements, of_run, of_segment: Vec::new(), log: EventLog::new(memory / 2, out) }
    }

    /// Adds those rows of a segment that violate. `position` is the number of the first of `samples`, counted over the whole input.
    pub(super) fn add_rows(&mut self, rows: &[Row], samples: &[Sample], position: u64) {
        let violating = rows.iter().filter(|row| row.proximity.upper < self.requirements.of(row.a, row.b));
        self.of_segment.extend(violating.map(|row| {
            let sample = usize::from(row.proximity.sample);
            Event::of_row(row, &samples[sample], position + sample as u64)
        }));
    }

    /// Adds those intervals of a segment that violate.
    pub(super) fn add_intervals(&mut self, rows: &[&IntervalRow], block: &FrameBlock) {
        for row in rows.iter().filter(|row| row.interval.upper < self.requirements.of(row.a, row.b)) {
            if let Some(ends) = row.ends(block) {
                let position = block.index * SAMPLES as u64 + u64::from(row.interval.sample);
                self.of_segment.push(Event::of_interval(row, ends, position));
            }
        }
    }

    /// Ends a segment: consecutive samples of one run, with the intervals behind them.
    ///
    /// # Errors
    /// A spill file cannot be written.
    pub(super) fn end_segment(&mut self) -> Result<()> {
        let rule = |event: &Event| self.requirements.rule(event.a, event.b);
        self.of_segment.sort_unstable_by_key(|event| (rule(event), event.pair(), event.span[0]));
        let parts = self.of_segment.chunk_by(|one, next| rule(one) == rule(next));
        parts.map(|parts| (rule(&parts[0]), parts)).try_for_each(|(rule, parts)| self.of_run[rule].extend(parts))?;
        self.of_segment.clear();
        Ok(())
    }

    /// Ends a run.
    ///
    /// # Errors
    /// A spill file cannot be read or written.
    pub(super) fn end_run(&mut self, run: i64) -> Result<()> {
        for (rule, events) in self.of_run.iter_mut().enumerate() {
            let mut drain = events.drain();
            while let Some(event) = drain.next()? {
                self.log.push(LoggedEvent { run, rule: rule as u32, event })?;
            }
        }
        Ok(())
    }

    /// The lists that a checkpoint takes down, in their order.
    pub(super) fn lists(&mut self) -> impl Iterator<Item = &mut dyn StoredEntries> {
        let of_run = self.of_run.iter_mut().map(|events| events as &mut dyn StoredEntries);
        of_run.chain([&mut self.log as &mut dyn StoredEntries])
    }

    /// Goes on from the lists of a checkpoint.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn restore(&mut self, lists: &mut FoundLists, out: &OutputDir) -> Result<()> {
        for events in &mut self.of_run {
            lists.read(out, &mut |entries| events.extend(entries))?;
        }
        let log = &mut self.log;
        lists.read(out, &mut |entries: &[LoggedEvent]| entries.iter().try_for_each(|&event| log.push(event)))
    }
}

/// An event with its run and its rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LoggedEvent {
    /// Run.
    pub(super) run: i64,
    /// Index of the rule.
    pub(super) rule: u32,
    /// The whole event.
    pub(super) event: Event,
}

impl SpillEntry for LoggedEvent {
    const BYTES: usize = Event::BYTES + 16;

    fn pair(&self) -> (u32, u32) {
        self.event.pair()
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        put_words(&[self.run as u64, u64::from(self.rule)], bytes);
        self.event.write(bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        let [run, rule] = words(&bytes[..16]);
        Self { run: run as i64, rule: rule as u32, event: Event::read(&bytes[16..]) }
    }
}

/// Events in the order of (run, rule, pair, time): in memory, and beyond a limit in an unnamed file.
pub(super) struct EventLog {
    recent: Vec<LoggedEvent>,
    /// Events that may stay in memory.
    limit: usize,
    /// Those before, with their number.
    file: Option<(File, u64)>,
    out: Arc<OutputDir>,
}

impl EventLog {
    fn new(memory: u64, out: &Arc<OutputDir>) -> Self {
        let limit = usize::try_from(memory / size_of::<LoggedEvent>() as u64).unwrap_or(usize::MAX).max(LEAST_LOGGED);
        Self { recent: Vec::new(), limit, file: None, out: Arc::clone(out) }
    }

    fn push(&mut self, event: LoggedEvent) -> Result<()> {
        if self.recent.len() >= self.limit {
            self.spill().map_err(|error| self.out.error(self.out.root(), &error))?;
        }
        self.recent.push(event);
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some((self.out.spill_file()?, 0));
        }
        if let Some((file, count)) = &mut self.file {
            file.seek(SeekFrom::End(0))?;
            store_entries(self.recent.iter().copied(), file)?;
            *count += self.recent.len() as u64;
        }
        self.recent.clear();
        Ok(())
    }

    /// Number of events.
    pub(super) fn len(&self) -> u64 {
        self.file.as_ref().map_or(0, |(_, count)| *count) + self.recent.len() as u64
    }

    /// Hands all events to `each`, in order, some at a time.
    ///
    /// # Errors
    /// The file cannot be read, or `each` fails.
    pub(super) fn read(&mut self, each: &mut dyn FnMut(&[LoggedEvent]) -> Result<()>) -> Result<()> {
        let failed = |error| self.out.error(self.out.root(), &error);
        if let Some((file, count)) = &mut self.file {
            file.seek(SeekFrom::Start(0)).map_err(failed)?;
            let count = count.to_le_bytes();
            let mut counted = count.chain(file);
            read_entries(&mut counted, each).map_err(failed)??;
        }
        self.recent.chunks(LEAST_LOGGED).try_for_each(each)
    }
}

impl StoredEntries for EventLog {
    fn count(&mut self) -> u64 {
        self.len()
    }

    fn store(&mut self, to: &mut dyn Write) -> io::Result<()> {
        if let Some((file, _)) = &mut self.file {
            file.seek(SeekFrom::Start(0))?;
            io::copy(file, to)?;
        }
        store_entries(self.recent.iter().copied(), to)
    }
}
