//! Events: maximal stretches of samples and intervals of a run in which a pair violates what is
//! required of it.

use super::output_dir::OutputDir;
use super::overlaps;
use super::pair_stats::{JoinedEntry, PairAccumulator, rank};
use super::resume::checkpoint::FoundLists;
use super::resume::entries::{StoredEntries, read_entries, store_entries};
use super::row::{IntervalRow, Row};
use super::spill::{SpillEntry, pair_of, pair_word, put_words, words};
use clearsweep_base::error::Result;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{
    FrameBlock, IntervalStatus, Method, Motion, Requirements, SAMPLES, Sample, Scene, Shape, Status,
};
use clearsweep_records::{EventKind, Word};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

/// Events that stay in memory even if less may be taken, and that are handed on at a time.
const LEAST_LOGGED: usize = 1024;

/// The kind of clash that a row shows.
fn kind_of_row(row: &Row) -> EventKind {
    match (row.proximity.status, row.proximity.method) {
        (Status::Penetrating, Method::Winding) => EventKind::Inside,
        (Status::Penetrating, _) => EventKind::Crossing,
        (Status::Touching, _) => EventKind::Touching,
        (Status::Separated | Status::Uncertified, _) => EventKind::Near,
    }
}

/// The kind of clash that an interval shows.
fn kind_of_interval(row: &IntervalRow) -> EventKind {
    if row.interval.status == IntervalStatus::Contact { EventKind::Touching } else { EventKind::Near }
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
    /// Positions of its first and its last sample or interval. The position of a sample is twice
    /// its number, counted over the whole input; that of an interval is one more than that of its
    /// first sample.
    span: [u64; 2],
    /// The first moment, and the last: of samples, or, where there are only intervals, of both
    /// sides of these.
    pub(super) ends: [Moment; 2],
    /// Samples that violate.
    pub(super) samples: u64,
    /// Intervals that violate.
    pub(super) intervals: u64,
    /// Bracket of the least distance, metres: least lower and least upper end; a lower end that is
    /// not proven is minus infinity.
    pub(super) lower: f64,
    /// See `lower`.
    pub(super) upper: f64,
    /// When the least upper end is reached; of an interval, the frame before it, and the first time
    /// at which it may be.
    pub(super) least: Moment,
    /// The worst rank of a sample, metres (NaN: no sample violates), and the middle of its witness
    /// points, world frame, metres.
    rank: f64,
    /// See `rank`.
    pub(super) place: [f64; 3],
    /// The poses of A and B in that sample, of their recentred frames in the world; `NO_POSE`
    /// without one.
    pub(super) poses: [Pose; 2],
    /// The worst.
    pub(super) kind: EventKind,
}

impl Event {
    /// The indices of its bodies.
    pub(super) fn pair_indices(&self) -> (u32, u32) {
        (self.a, self.b)
    }

    /// The same where the input begins with `offset` samples more.
    fn moved(self, offset: u64) -> Self {
        Self { span: self.span.map(|at| at + 2 * offset), ..self }
    }

    /// `lower`, `upper`: the bracket that violates the rule, metres.
    fn of_row(row: &Row, [lower, upper]: [f64; 2], sample: &Sample, position: u64, poses: [Pose; 2]) -> Self {
        let (p, moment) = (&row.proximity, moment(sample));
        Self {
            a: row.a,
            b: row.b,
            span: [2 * position; 2],
            ends: [moment; 2],
            samples: 1,
            intervals: 0,
            lower,
            upper,
            least: moment,
            rank: if upper == p.upper { rank(p) } else { upper },
            place: (p.point_a + (p.point_b - p.point_a).scale(0.5)).to_array(),
            poses,
            kind: kind_of_row(row),
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
            poses: [NO_POSE; 2],
            kind: kind_of_interval(row),
        }
    }
}

/// The pose of no sample.
const NO_POSE: Pose = Pose { position: NO_POINT, rest: NO_POINT, q: [f64::NAN; 4] };
const NO_POINT: Vec3<f64> = Vec3 { x: f64::NAN, y: f64::NAN, z: f64::NAN };

/// Numbers of a pose.
const POSE_NUMBERS: usize = 10;

fn numbers(pose: &Pose) -> [f64; POSE_NUMBERS] {
    let ([x, y, z], [w, i, j, k], [rx, ry, rz]) = (pose.position.to_array(), pose.q, pose.rest.to_array());
    [x, y, z, w, i, j, k, rx, ry, rz]
}

fn pose([x, y, z, w, i, j, k, rx, ry, rz]: [f64; POSE_NUMBERS]) -> Pose {
    Pose { position: Vec3::new(x, y, z), q: [w, i, j, k], rest: Vec3::new(rx, ry, rz) }
}

fn moment(sample: &Sample) -> Moment {
    (sample.frame, sample.time_s.unwrap_or(f64::NAN))
}

impl JoinedEntry for Event {
    /// Neighbours are a sample and an interval that it ends, and two samples without another one
    /// between them: an interval that was not looked at, or is undecided, does not end what both of
    /// its ends go on with.
    fn goes_on(&self, later: &Self) -> bool {
        let (last, first) = (self.span[1], later.span[0]);
        first <= last + 1 || (first == last + 2 && last % 2 == 0)
    }

    /// Adds a later part. Of equal ends the earlier is kept.
    fn add(&mut self, later: &Self) {
        self.span[1] = later.span[1];
        // An interval violates wherever one of its ends does: it says when only of an event without
        // samples.
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
            (self.rank, self.place, self.poses) = (later.rank, later.place, later.poses);
        }
        self.kind = self.kind.max(later.kind);
    }
}

impl SpillEntry for Event {
    const BYTES: usize = 144 + 2 * 8 * POSE_NUMBERS;

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
        self.poses.iter().for_each(|pose| put_words(&numbers(pose).map(f64::to_bits), bytes));
    }

    fn read(bytes: &[u8]) -> Self {
        let [pair, first, last, rest @ ..]: [u64; Self::BYTES / 8] = words(bytes);
        let [from, from_s, to, to_s, least, least_s, samples, intervals, kind, numbers @ ..] = rest;
        let [lower, upper, rank, x, y, z, of_both @ ..] = numbers.map(f64::from_bits);
        let (of_poses, _) = of_both.as_chunks::<POSE_NUMBERS>();
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
            poses: [pose(of_poses[0]), pose(of_poses[1])],
            kind: <EventKind as Word>::ALL[kind as usize % <EventKind as Word>::ALL.len()],
        }
    }
}

/// Collects the events of a job, run by run.
pub(super) struct Events {
    requirements: Requirements,
    /// The shape of each body, and how it moves.
    bodies: Vec<(Arc<Shape>, Motion)>,
    /// Up to which distance bodies touch, metres.
    touch: f64,
    /// Parts of events of the run in progress, by rule.
    of_run: Vec<PairAccumulator<Event>>,
    /// Parts of the segment in progress, in no order.
    of_segment: Vec<Event>,
    /// The events of the runs before.
    pub(super) log: EventLog,
}

impl Events {
    /// Returns a collector that takes about `memory` bytes, and beyond that files in `out`;
    /// `least`: events of a rule that stay in memory in any case.
    pub(super) fn new(scene: &Scene, memory: u64, least: usize, out: &Arc<OutputDir>) -> Self {
        let requirements = scene.requirements();
        let bodies = scene.bodies.iter().map(|body| (Arc::clone(&body.shape), body.motion)).collect();
        let share = memory / 2 / size_of::<Event>() as u64 / requirements.count() as u64;
        let limit = usize::try_from(share).unwrap_or(usize::MAX).max(least);
        let of_run = (0..requirements.count()).map(|_| PairAccumulator::new(limit, Arc::clone(out))).collect();
        let (touch, log) = (scene.query.touch, EventLog::new(memory / 2, out));
        Self { requirements, bodies, touch, of_run, of_segment: Vec::new(), log }
    }

    /// Adds those rows of a segment of `block` that violate.
    pub(super) fn add_rows(&mut self, rows: &[Row], block: &FrameBlock) {
        let Self { requirements, bodies, of_segment, .. } = self;
        for row in rows {
            let at = usize::from(row.proximity.sample);
            let sample = &block.samples[at];
            let rule = requirements.rule(row.a, row.b);
            let measured = row.measured(requirements, rule);
            if measured[1] < row.required(requirements, rule, sample.run) {
                let poses = [row.a, row.b].map(|body| match bodies[body as usize].1 {
                    Motion::Static(pose) => pose,
                    Motion::Dynamic { slot } => block.pose(slot as usize, at),
                });
                let position = block.index * SAMPLES as u64 + at as u64;
                of_segment.push(Event::of_row(row, measured, sample, position, poses));
            }
        }
    }

    /// Adds those intervals of a segment that violate.
    pub(super) fn add_intervals(&mut self, rows: &[&IntervalRow], block: &FrameBlock) {
        for row in rows {
            if let Some(ends) = row.ends(block)
                && row.interval.upper < row.required(&self.requirements, ends[0].run)
            {
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
        // Events are large: they move once.
        self.of_segment.sort_by_cached_key(|event| (rule(event), event.pair(), event.span[0]));
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
            let (mut drain, mut some) = (events.drain(), Vec::new());
            loop {
                let event = drain.next()?;
                let is_last = event.is_none();
                some.extend(event.map(|event| LoggedEvent { run, rule: rule as u32, event }));
                if is_last || some.len() == LEAST_LOGGED {
                    name_kinds(&mut some, &self.bodies, self.touch);
                    some.drain(..).try_for_each(|event| self.log.push(event))?;
                }
                if is_last {
                    break;
                }
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

impl Events {
    /// Adds the lists of a later part of the job, which begins at sample `offset` of the whole
    /// input; those of its last run are parts of events.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn append(&mut self, lists: &mut FoundLists, out: &OutputDir, offset: u64) -> Result<()> {
        for events in &mut self.of_run {
            lists.read(out, &mut |entries: &[Event]| {
                events.extend(&entries.iter().map(|event| event.moved(offset)).collect::<Vec<_>>())
            })?;
        }
        let log = &mut self.log;
        lists.read(out, &mut |entries: &[LoggedEvent]| {
            entries.iter().try_for_each(|&logged| log.push(LoggedEvent { event: logged.event.moved(offset), ..logged }))
        })
    }
}

/// Tells overlaps apart whose surfaces cross, and those of which one body lies inside of the other
/// or is there twice.
fn name_kinds(events: &mut [LoggedEvent], bodies: &[(Arc<Shape>, Motion)], touch: f64) {
    let name = |LoggedEvent { event, .. }: &mut LoggedEvent| {
        let shapes = [event.a, event.b].map(|body| &bodies[body as usize].0);
        if event.kind >= EventKind::Touching && overlaps::are_one(shapes, &event.poses, touch) {
            event.kind = EventKind::Coincident;
        } else if event.kind == EventKind::Crossing && overlaps::one_is_inside(shapes.map(Arc::as_ref), &event.poses) {
            event.kind = EventKind::Inside;
        }
    };
    events.par_iter_mut().for_each(name);
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

/// Events in the order of (run, rule, pair, time): in memory, and beyond a limit in an unnamed
/// file.
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
