//! Copies the fields of rows into the columns of each table.
//!
//! Each function follows the order of its table in `schema`, without the string columns `body_a` and `body_b`: these
//! share the codes of `a_index` and `b_index`.

use super::column_buffer::ColumnBuffer;
use super::interval_stats::{IntervalStat, RunIntervals};
use super::pair_stats::{PairStat, is_smaller};
use super::row::{ContactRow, IntervalRow, Row};
use super::samples::swept_value;
use super::schema::TableKind;
use clearsweep_model::{
    Contact, DirectionalDistance, FrameBlock, IntervalProximity, Requirements, Sample, Scene, SceneJoints, Status,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Columns of the full form of `distances`, string columns of bodies excluded; the short form has fewer, whatever follows.
const FULL_COLUMNS: usize = 25;

/// Columns of `runs` without those of intervals, likewise.
const RUN_COLUMNS: usize = 14;

/// What the columns of a job depend on, and what fills those of rules.
#[derive(Debug, Clone)]
pub(super) struct JobColumns {
    pub(super) kind: TableKind,
    pub(super) requirements: Requirements,
    /// Joints that are swept over their ranges.
    pub(super) swept: Option<Arc<SceneJoints>>,
}

impl JobColumns {
    pub(super) fn of(scene: &Scene) -> Self {
        let kind = TableKind::of(scene);
        let swept = scene.joints.clone().filter(|_| kind.sweeps);
        Self { kind, requirements: scene.requirements(), swept }
    }
}

/// An iterator over the columns of a table that panics at the end: fillers and schema have the same number of columns.
pub(super) struct ColumnCursor<'a>(std::slice::IterMut<'a, ColumnBuffer>);

impl<'a> ColumnCursor<'a> {
    pub(super) fn new(columns: &'a mut [ColumnBuffer]) -> Self {
        Self(columns.iter_mut())
    }

    pub(super) fn next(&mut self) -> &'a mut ColumnBuffer {
        self.0.next().expect("the filler follows the schema")
    }

    /// Checks that all columns were filled.
    pub(super) fn finish(self) {
        debug_assert_eq!(self.0.len(), 0, "the filler follows the schema");
    }
}

/// Fills the key columns: run, frame, time_s, a_index, b_index.
fn keys(c: &mut ColumnCursor<'_>, rows: &[Row], samples: &[Sample]) {
    let [run, frame, time] = [c.next(), c.next(), c.next()];
    // Rows are sorted by sample, and most tiles hold one or two samples.
    for part in rows.chunk_by(|one, next| one.proximity.sample == next.proximity.sample) {
        let sample = &samples[usize::from(part[0].proximity.sample)];
        run.repeat_i64(sample.run, part.len());
        frame.repeat_i64(sample.frame, part.len());
        time.repeat_f64(sample.time_s.unwrap_or(f64::NAN), part.len());
    }
    c.next().extend_i32(rows.iter().map(|r| r.a as i32));
    c.next().extend_i32(rows.iter().map(|r| r.b as i32));
}

/// Appends rows to the columns of `distances`, all of them or the short form.
pub(super) fn distances(columns: &mut [ColumnBuffer], rows: &[Row], samples: &[Sample], job: &JobColumns) {
    let all_columns = columns.len() >= FULL_COLUMNS;
    let mut c = ColumnCursor::new(columns);
    keys(&mut c, rows, samples);
    let p = || rows.iter().map(|r| &r.proximity);
    debug_assert!(p().all(|p| in_order([p.lower, p.upper])), "ends of a row are out of order");
    c.next().extend_f64(p().map(|p| p.distance));
    c.next().extend_f64(p().map(|p| p.lower));
    c.next().extend_f64(p().map(|p| p.upper));
    c.next().extend_i32(p().map(|p| p.status as i32));
    if all_columns {
        witnesses_and_features(&mut c, rows);
    }
    if job.kind.directional {
        distances_along(&mut c, rows, job.kind.free_lengths);
    }
    if job.kind.rules {
        let run = |row: &Row| samples[usize::from(row.proximity.sample)].run;
        rules(&mut c, || {
            rows.iter().map(|row| {
                let rule = job.requirements.rule(row.a, row.b);
                (rule, row.required(&job.requirements, rule, run(row)))
            })
        });
    }
    c.finish();
}

/// Fills the columns of rules: the index of the rule, and what is required, metres.
fn rules<I: ExactSizeIterator<Item = (usize, f64)>>(c: &mut ColumnCursor<'_>, rows: impl Fn() -> I) {
    c.next().extend_i32(rows().map(|(rule, _)| rule as i32));
    c.next().extend_f64(rows().map(|(_, required)| required));
}

/// Fills the columns that only the full form has.
fn witnesses_and_features(c: &mut ColumnCursor<'_>, rows: &[Row]) {
    let p = || rows.iter().map(|r| &r.proximity);
    for axis in 0..3 {
        c.next().extend_f64(p().map(|p| p.point_a[axis]));
    }
    for axis in 0..3 {
        c.next().extend_f64(p().map(|p| p.point_b[axis]));
    }
    for axis in 0..3 {
        c.next().extend_f64(p().map(|p| p.normal[axis]));
    }
    for side in 0..2 {
        c.next().extend_i32(p().map(|p| p.part[side]));
    }
    for side in 0..2 {
        c.next().extend_i32(p().map(|p| p.feature[side]));
    }
    for side in 0..2 {
        c.next().extend_i32(p().map(|p| p.feature_kind[side] as i32));
    }
    c.next().extend_i32(p().map(|p| p.method as i32));
}

/// Fills the columns of the distance along a direction; what is infinite or not proven is null.
fn distances_along(c: &mut ColumnCursor<'_>, rows: &[Row], are_optional: bool) {
    let finite = |value: f64| if value.is_finite() { value } else { f64::NAN };
    let d = || rows.iter().map(|r| r.directional.unwrap_or(DirectionalDistance::UNPROVEN));
    debug_assert!(d().all(|d| in_order([d.lower, d.upper])), "ends along a direction are out of order");
    c.next().extend_f64(d().map(|d| d.value.unwrap_or(f64::NAN)));
    c.next().extend_f64(d().map(|d| finite(d.lower)));
    c.next().extend_f64(d().map(|d| finite(d.upper)));
    match are_optional {
        true => c.next().extend_optional_i32(rows.iter().map(|row| Some(row.directional?.relation as i32))),
        false => c.next().extend_i32(d().map(|d| d.relation as i32)),
    }
}

/// Appends penetrating rows to the columns of `penetrations`.
pub(super) fn penetrations(columns: &mut [ColumnBuffer], rows: &[Row], samples: &[Sample]) {
    debug_assert!(rows.iter().all(|row| row.proximity.status == Status::Penetrating));
    let mut c = ColumnCursor::new(columns);
    keys(&mut c, rows, samples);
    let p = || rows.iter().map(|r| &r.proximity);
    debug_assert!(p().all(|p| in_order([(-p.upper).max(0.0), -p.lower])), "ends of a depth are out of order");
    c.next().extend_f64(p().map(|p| -p.distance));
    c.next().extend_f64(p().map(|p| (-p.upper).max(0.0)));
    c.next().extend_f64(p().map(|p| -p.lower));
    for axis in 0..3 {
        c.next().extend_f64(p().map(|p| p.normal[axis]));
    }
    c.next().extend_f64(p().map(|p| p.protrusion));
    c.finish();
}

/// Appends rows to the columns of `contacts`. The order of the rows was checked.
pub(super) fn contacts(columns: &mut [ColumnBuffer], rows: &[ContactRow], samples: &[Sample]) {
    let mut c = ColumnCursor::new(columns);
    let [run, frame, time] = [c.next(), c.next(), c.next()];
    for part in rows.chunk_by(|one, next| one.contact.sample == next.contact.sample) {
        let sample = &samples[usize::from(part[0].contact.sample)];
        run.repeat_i64(sample.run, part.len());
        frame.repeat_i64(sample.frame, part.len());
        time.repeat_f64(sample.time_s.unwrap_or(f64::NAN), part.len());
    }
    c.next().extend_i32(rows.iter().map(|r| r.a as i32));
    c.next().extend_i32(rows.iter().map(|r| r.b as i32));
    c.next().extend_i32(rows.iter().map(|r| r.number as i32));
    let p = || rows.iter().map(|r| &r.contact);
    c.next().extend_i32(p().map(|p| p.kind as i32));
    for side in 0..2 {
        c.next().extend_i32(p().map(|p| p.part[side]));
    }
    for of in [|p: &Contact| p.point, |p: &Contact| p.low, |p: &Contact| p.high] {
        for axis in 0..3 {
            c.next().extend_f64(p().map(|p| of(p).to_array()[axis]));
        }
    }
    c.next().extend_f64(p().map(|p| p.length));
    c.next().extend_bool(p().map(|p| p.is_closed));
    c.finish();
}

/// Appends rows to the columns of `intervals`. The order of the rows was checked: their intervals end in `block`, or behind it.
pub(super) fn intervals(columns: &mut [ColumnBuffer], rows: &[IntervalRow], block: &FrameBlock, job: &JobColumns) {
    let mut c = ColumnCursor::new(columns);
    let [run, frame, frame_next, time, time_next] = [c.next(), c.next(), c.next(), c.next(), c.next()];
    for part in rows.chunk_by(|one, next| one.interval.sample == next.interval.sample) {
        let [first, next] = part[0].ends(block).expect("an interval has two ends");
        run.repeat_i64(first.run, part.len());
        frame.repeat_i64(first.frame, part.len());
        frame_next.repeat_i64(next.frame, part.len());
        time.repeat_f64(first.time_s.unwrap_or(f64::NAN), part.len());
        time_next.repeat_f64(next.time_s.unwrap_or(f64::NAN), part.len());
    }
    c.next().extend_i32(rows.iter().map(|r| r.a as i32));
    c.next().extend_i32(rows.iter().map(|r| r.b as i32));
    let p = || rows.iter().map(|r| &r.interval);
    debug_assert!(p().all(IntervalProximity::is_in_order), "ends of an interval are out of order");
    c.next().extend_f64(p().map(|p| finite(p.lower)));
    c.next().extend_f64(p().map(|p| finite(p.upper)));
    for end in 0..2 {
        c.next().extend_f64(p().map(|p| p.closest[end]));
    }
    for end in 0..2 {
        c.next().extend_f64(p().map(|p| p.contact[end]));
    }
    c.next().extend_i32(p().map(|p| p.status as i32));
    c.next().extend_i32(p().map(|p| p.method as i32));
    if job.kind.rules {
        let run = |row: &IntervalRow| block.samples[usize::from(row.interval.sample)].run;
        let of = &job.requirements;
        rules(&mut c, || rows.iter().map(|row| (of.rule(row.a, row.b), row.required(of, run(row)))));
    }
    if let Some(joints) = &job.swept {
        for end in 0..2 {
            let value = |row: &IntervalRow| {
                let sample = &block.samples[usize::from(row.interval.sample)];
                swept_value(joints, (sample.run, sample.frame), row.interval.contact[end])
            };
            c.next().extend_f64(rows.iter().map(value));
        }
    }
    c.finish();
}

/// Whether two ends are in order; one that is not proven is.
fn in_order([lower, upper]: [f64; 2]) -> bool {
    lower <= upper || lower.is_nan() || upper.is_nan()
}

/// A bound as a nullable column has it: NaN where it is infinite.
pub(super) fn finite(bound: f64) -> f64 {
    if bound.is_finite() { bound } else { f64::NAN }
}

/// A row of `pairs`.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairRow {
    /// Run.
    pub(super) run: i64,
    /// Counts and smallest distance of the pair in that run.
    pub(super) stat: PairStat,
    /// Upper bound of the relative motion of the two bodies between neighbouring samples, metres.
    pub(super) max_step: f64,
    /// Statistics of the pair over intervals; `None` without a row of `intervals`.
    pub(super) between: Option<IntervalStat>,
}

/// Appends rows to the columns of `pairs`.
pub(super) fn pairs(columns: &mut [ColumnBuffer], rows: &[PairRow], job: &JobColumns) {
    let with_intervals = job.kind.intervals;
    let mut c = ColumnCursor::new(columns);
    let s = || rows.iter().map(|r| &r.stat);
    debug_assert!(s().all(|s| in_order([s.lower, s.upper])), "ends of a pair are out of order");
    c.next().extend_i64(rows.iter().map(|r| r.run));
    c.next().extend_i32(s().map(|s| s.a as i32));
    c.next().extend_i32(s().map(|s| s.b as i32));
    c.next().extend_i64(s().map(|s| s.candidate as i64));
    c.next().extend_i64(s().map(|s| s.within as i64));
    c.next().extend_i64(s().map(|s| s.penetrating as i64));
    c.next().extend_f64(s().map(|s| s.distance));
    c.next().extend_f64(s().map(|s| s.lower));
    c.next().extend_f64(s().map(|s| s.upper));
    match with_intervals {
        true => c.next().extend_optional_i64(s().map(|s| (s.within > 0).then_some(s.frame))),
        false => c.next().extend_i64(s().map(|s| s.frame)),
    }
    c.next().extend_f64(s().map(|s| s.time));
    for axis in 0..3 {
        c.next().extend_f64(s().map(|s| s.place[axis]));
    }
    c.next().extend_f64(rows.iter().map(|r| r.max_step));
    if with_intervals {
        let between = || rows.iter().map(|r| r.between);
        let contact = || between().map(|of| of?.contact);
        debug_assert!(
            between().flatten().all(|of| in_order([of.lower, of.upper])
                && of.contact.is_none_or(|contact| in_order(contact.shares) && in_order(contact.times))),
            "ends of a pair between frames are out of order"
        );
        c.next().extend_f64(between().map(|of| of.map_or(f64::NAN, |of| finite(of.lower))));
        c.next().extend_f64(between().map(|of| of.map_or(f64::NAN, |of| finite(of.upper))));
        c.next().extend_optional_i64(between().map(|of| Some(of?.frames[0])));
        c.next().extend_optional_i64(contact().map(|contact| Some(contact?.frames[0])));
        for end in 0..2 {
            c.next().extend_f64(contact().map(|contact| contact.map_or(f64::NAN, |contact| contact.shares[end])));
        }
        for end in 0..2 {
            c.next().extend_f64(contact().map(|contact| contact.map_or(f64::NAN, |contact| contact.times[end])));
        }
    }
    if job.kind.rules {
        let of = &job.requirements;
        rules(&mut c, || rows.iter().map(|r| (of.rule(r.stat.a, r.stat.b), of.of_distance(r.run, r.stat.a, r.stat.b))));
    }
    c.finish();
}

/// A row of `runs`.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct RunRow {
    /// Run.
    pub(super) run: i64,
    /// Existing samples.
    pub(super) frames: u64,
    /// Rows of `distances`.
    pub(super) rows: u64,
    /// Pairs of bodies that could be near, ignored pairs included.
    pub(super) pairs_possible: u64,
    /// The part of `pairs_possible` that the rules of the scene ignore.
    pub(super) pairs_ignored: u64,
    /// Pairs that the broad phase found in some sample.
    pub(super) pairs_candidate: u64,
    /// The worst row; `None` without rows.
    pub(super) worst: Option<WorstRow>,
    /// Rows with `upper < require`.
    pub(super) violated: u64,
    /// Whether a clearance is required.
    pub(super) required: bool,
    /// Rows with `lower < require <= upper`.
    pub(super) undecided: u64,
    /// Rows of status uncertified.
    pub(super) uncertified: u64,
    /// Its intervals; nothing without motion.
    pub(super) between: RunIntervals,
}

impl RunRow {
    /// Adds what a later part of the same run has. Of equal ranks the earlier row is kept.
    pub(super) fn join(&mut self, later: &Self) {
        self.frames += later.frames;
        self.rows += later.rows;
        self.pairs_candidate += later.pairs_candidate;
        self.violated += later.violated;
        self.undecided += later.undecided;
        self.uncertified += later.uncertified;
        self.between.join(&later.between);
        if let Some(worst) = later.worst
            && self.worst.is_none_or(|own| is_smaller(worst.rank, own.rank))
        {
            self.worst = Some(worst);
        }
    }

    /// Whether a row or an interval violates the requirement.
    pub(super) fn violates(&self) -> bool {
        self.violated > 0 || self.between.violated > 0
    }
}

/// The worst row of a run: that of the least rank.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct WorstRow {
    /// Value that the row is ranked by, metres.
    pub(super) rank: f64,
    /// Distance, metres.
    pub(super) distance: f64,
    /// Body A.
    pub(super) a: u32,
    /// Body B.
    pub(super) b: u32,
    /// Frame.
    pub(super) frame: i64,
}

/// Appends rows to the columns of `runs`.
pub(super) fn runs(columns: &mut [ColumnBuffer], rows: &[RunRow]) {
    let with_intervals = columns.len() > RUN_COLUMNS;
    let mut c = ColumnCursor::new(columns);
    c.next().extend_i64(rows.iter().map(|r| r.run));
    c.next().extend_i64(rows.iter().map(|r| r.frames as i64));
    c.next().extend_i64(rows.iter().map(|r| r.rows as i64));
    c.next().extend_i64(rows.iter().map(|r| r.pairs_possible as i64));
    c.next().extend_i64(rows.iter().map(|r| r.pairs_ignored as i64));
    c.next().extend_i64(rows.iter().map(|r| r.pairs_candidate as i64));
    let w = || rows.iter().map(|r| r.worst);
    c.next().extend_f64(w().map(|w| w.map_or(f64::NAN, |w| w.distance)));
    c.next().extend_optional_i32(w().map(|w| Some(w?.a as i32)));
    c.next().extend_optional_i32(w().map(|w| Some(w?.b as i32)));
    c.next().extend_optional_i64(w().map(|w| Some(w?.frame)));
    c.next().extend_i64(rows.iter().map(|r| r.violated as i64));
    c.next().extend_optional_bool(rows.iter().map(|r| r.required.then_some(r.violates())));
    c.next().extend_i64(rows.iter().map(|r| r.undecided as i64));
    c.next().extend_i64(rows.iter().map(|r| r.uncertified as i64));
    if with_intervals {
        run_intervals(&mut c, rows);
    }
    c.finish();
}

/// Fills the columns of `runs` about intervals.
fn run_intervals(c: &mut ColumnCursor<'_>, rows: &[RunRow]) {
    let of = || rows.iter().map(|r| &r.between);
    debug_assert!(of().all(|of| of.least.is_none_or(in_order)), "ends of a run are out of order");
    c.next().extend_f64(of().map(|of| of.least.map_or(f64::NAN, |least| finite(least[0]))));
    c.next().extend_f64(of().map(|of| of.least.map_or(f64::NAN, |least| finite(least[1]))));
    c.next().extend_i64(of().map(|of| of.rows as i64));
    c.next().extend_i64(of().map(|of| of.contact as i64));
    c.next().extend_i64(of().map(|of| of.undecided as i64));
    c.next().extend_i64(of().map(|of| of.violated as i64));
    let first = || of().map(|of| of.first_contact);
    c.next().extend_optional_i64(first().map(|first| Some(first?.contact.frames[0])));
    c.next().extend_optional_i32(first().map(|first| Some(first?.a as i32)));
    c.next().extend_optional_i32(first().map(|first| Some(first?.b as i32)));
}
