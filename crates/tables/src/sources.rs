//! The records that rows, pairs and runs stand for.
//!
//! An encoder asks a source for its record once a column and uses one field of it. Hence a record
//! is computed without look-ups: a source holds what the record needs.

use super::interval_stats::{IntervalStat, RunIntervals};
use super::pair_stats::{PairStat, is_smaller};
use super::row::{ContactRow, IntervalRow, Row};
use super::samples::swept_value;
use super::totals::{Totals, Worst};
use clearsweep_model::{
    DirectionalDistance, FrameBlock, IntervalProximity, Requirements, Sample, Scene, SceneJoints, Status,
};
use clearsweep_records::{
    Code, Contact, Contents, Distance, DistanceColumns, Interval, Pair, Penetration, Record, Run,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The contents of a job, which decide its columns, and the data for those of rules and sweeps.
#[derive(Debug, Clone)]
pub(super) struct JobColumns {
    pub(super) contents: Contents,
    pub(super) requirements: Requirements,
    /// Joints that are swept over their ranges.
    swept: Option<Arc<SceneJoints>>,
}

impl JobColumns {
    pub(super) fn of(scene: &Scene, columns: DistanceColumns) -> Self {
        let contents = Contents::new(scene, columns);
        let swept = scene.joints.clone().filter(|_| contents.sweeps);
        Self { contents, requirements: scene.requirements(), swept }
    }

    /// Returns the joint values at a frame and at two shares of the step behind it; `None` without
    /// a sweep.
    pub(super) fn swept_values(&self, frames: [(i64, i64); 2], shares: [f64; 2]) -> [Option<f64>; 2] {
        let value = |end: usize| self.swept.as_ref().map(|joints| swept_value(joints, frames[end], shares[end]));
        [value(0), value(1)]
    }

    fn rule(&self, requirement: impl FnOnce(&Requirements) -> (usize, f64)) -> (Option<Code>, Option<f64>) {
        let (rule, required) = if self.contents.rules { requirement(&self.requirements) } else { (0, f64::NAN) };
        (Some(Code(rule as i32)), Some(required))
    }
}

/// Sort key of a row: run, frame, a, b, and the number of a contact.
pub(super) type RowKey = (i64, i64, u32, u32, u32);

/// A row of a table of parts before it is encoded.
pub(super) trait RowSource<R: Record>: Sync {
    /// Sort key, which the metadata of the files declare.
    fn key(&self) -> RowKey;

    /// The record.
    fn record(&self) -> R;
}

/// Whether two ends are in order; one that is not proven is.
fn in_order([lower, upper]: [f64; 2]) -> bool {
    lower <= upper || lower.is_nan() || upper.is_nan()
}

/// The value of a nullable cell: an infinite bound is null.
pub(super) fn finite(bound: f64) -> Option<f64> {
    bound.is_finite().then_some(bound)
}

/// The code of a body.
fn name(body: u32) -> Code {
    Code(body as i32)
}

/// A row of `distances`, and of `penetrations` if the bodies penetrate.
#[derive(Clone, Copy)]
pub(super) struct SampleSource<'a> {
    row: &'a Row,
    sample: &'a Sample,
    rule: (Option<Code>, Option<f64>),
}

/// Returns the sources of rows that are sorted by sample; `None`: `samples`, those of their block,
/// lack one.
pub(super) fn sample_sources<'a>(
    rows: &'a [Row],
    samples: &'a [Sample],
    job: &JobColumns,
) -> Option<Vec<SampleSource<'a>>> {
    let mut sources = Vec::with_capacity(rows.len());
    for rows in rows.chunk_by(|row, next| row.proximity.sample == next.proximity.sample) {
        let sample = samples.get(usize::from(rows[0].proximity.sample))?;
        sources.extend(rows.iter().map(|row| SampleSource::new(row, sample, job)));
    }
    Some(sources)
}

impl<'a> SampleSource<'a> {
    /// Returns the source of a row in its sample.
    pub(super) fn new(row: &'a Row, sample: &'a Sample, job: &JobColumns) -> Self {
        debug_assert!(in_order([row.proximity.lower, row.proximity.upper]), "ends of a row are out of order");
        let rule = job.rule(|requirements| {
            let rule = requirements.rule(row.a, row.b);
            (rule, row.required(requirements, rule, sample.run))
        });
        Self { row, sample, rule }
    }

    /// Relation of the bodies.
    pub(super) fn status(&self) -> Status {
        self.row.proximity.status
    }
}

impl RowSource<Distance<Code>> for SampleSource<'_> {
    fn key(&self) -> RowKey {
        (self.sample.run, self.sample.frame, self.row.a, self.row.b, 0)
    }

    #[inline(always)]
    fn record(&self) -> Distance<Code> {
        let Self { row, sample, rule: (rule, required_m) } = *self;
        let p = &row.proximity;
        let directional = row.directional.unwrap_or(DirectionalDistance::UNPROVEN);
        Distance {
            run: sample.run,
            frame: sample.frame,
            time_s: sample.time_s,
            a_index: row.a as i32,
            b_index: row.b as i32,
            body_a: name(row.a),
            body_b: name(row.b),
            distance_m: p.distance,
            lower_m: Some(p.lower),
            upper_m: Some(p.upper),
            status: p.status,
            a_x: Some(p.point_a.x),
            a_y: Some(p.point_a.y),
            a_z: Some(p.point_a.z),
            b_x: Some(p.point_b.x),
            b_y: Some(p.point_b.y),
            b_z: Some(p.point_b.z),
            n_x: Some(p.normal.x),
            n_y: Some(p.normal.y),
            n_z: Some(p.normal.z),
            part_a: Some(p.part[0]),
            part_b: Some(p.part[1]),
            feature_a: Some(p.feature[0]),
            feature_b: Some(p.feature[1]),
            feature_a_kind: Some(p.feature_kind[0]),
            feature_b_kind: Some(p.feature_kind[1]),
            method: Some(p.method),
            directional_m: directional.value,
            directional_lower_m: finite(directional.lower),
            directional_upper_m: finite(directional.upper),
            directional_relation: row.directional.map(|directional| directional.relation),
            rule,
            required_m,
        }
    }
}

impl RowSource<Penetration<Code>> for SampleSource<'_> {
    fn key(&self) -> RowKey {
        RowSource::<Distance<Code>>::key(self)
    }

    #[inline(always)]
    fn record(&self) -> Penetration<Code> {
        let Self { row, sample, .. } = *self;
        let p = &row.proximity;
        Penetration {
            run: sample.run,
            frame: sample.frame,
            time_s: sample.time_s,
            a_index: row.a as i32,
            b_index: row.b as i32,
            body_a: name(row.a),
            body_b: name(row.b),
            depth_m: -p.distance,
            depth_lower_m: (-p.upper).max(0.0),
            depth_upper_m: -p.lower,
            d_x: p.normal.x,
            d_y: p.normal.y,
            d_z: p.normal.z,
            protrusion_m: Some(p.protrusion),
        }
    }
}

/// A row of `intervals`.
#[derive(Clone, Copy)]
pub(super) struct IntervalSource<'a> {
    row: &'a IntervalRow,
    ends: [&'a Sample; 2],
    rule: (Option<Code>, Option<f64>),
    joint: [Option<f64>; 2],
}

impl<'a> IntervalSource<'a> {
    /// Returns the source of `row`; `None`: the interval does not begin in `block`.
    pub(super) fn new(row: &'a IntervalRow, block: &'a FrameBlock, job: &JobColumns) -> Option<Self> {
        let ends = row.ends(block)?;
        debug_assert!(row.interval.is_in_order(), "ends of an interval are out of order");
        let (run, frame) = (ends[0].run, ends[0].frame);
        let rule = job.rule(|requirements| (requirements.rule(row.a, row.b), row.required(requirements, run)));
        Some(Self { row, ends, rule, joint: job.swept_values([(run, frame); 2], row.interval.contact) })
    }
}

impl RowSource<Interval<Code>> for IntervalSource<'_> {
    fn key(&self) -> RowKey {
        (self.ends[0].run, self.ends[0].frame, self.row.a, self.row.b, 0)
    }

    #[inline(always)]
    fn record(&self) -> Interval<Code> {
        let Self { row, ends: [first, next], rule: (rule, required_m), joint } = *self;
        let IntervalProximity { lower, upper, closest, contact, status, method, .. } = row.interval;
        Interval {
            run: first.run,
            frame: first.frame,
            frame_next: next.frame,
            time_s: first.time_s,
            time_next_s: next.time_s,
            a_index: row.a as i32,
            b_index: row.b as i32,
            body_a: name(row.a),
            body_b: name(row.b),
            lower_m: finite(lower),
            upper_m: finite(upper),
            closest_lo: closest[0],
            closest_hi: closest[1],
            contact_lo: Some(contact[0]),
            contact_hi: Some(contact[1]),
            status,
            method,
            rule,
            required_m,
            joint_lo: joint[0],
            joint_hi: joint[1],
        }
    }
}

/// A row of `contacts`.
#[derive(Clone, Copy)]
pub(super) struct ContactSource<'a> {
    row: &'a ContactRow,
    sample: &'a Sample,
}

impl<'a> ContactSource<'a> {
    /// Returns the source of `row`; `None`: `samples`, those of its block, lack its sample.
    pub(super) fn new(row: &'a ContactRow, samples: &'a [Sample]) -> Option<Self> {
        Some(Self { row, sample: samples.get(usize::from(row.contact.sample))? })
    }
}

impl RowSource<Contact<Code>> for ContactSource<'_> {
    fn key(&self) -> RowKey {
        (self.sample.run, self.sample.frame, self.row.a, self.row.b, self.row.number)
    }

    #[inline(always)]
    fn record(&self) -> Contact<Code> {
        let Self { row, sample } = *self;
        let contact = &row.contact;
        Contact {
            run: sample.run,
            frame: sample.frame,
            time_s: sample.time_s,
            a_index: row.a as i32,
            b_index: row.b as i32,
            body_a: name(row.a),
            body_b: name(row.b),
            contact: row.number as i32,
            kind: contact.kind,
            part_a: contact.part[0],
            part_b: contact.part[1],
            x: contact.point.x,
            y: contact.point.y,
            z: contact.point.z,
            min_x: contact.low.x,
            min_y: contact.low.y,
            min_z: contact.low.z,
            max_x: contact.high.x,
            max_y: contact.high.y,
            max_z: contact.high.z,
            length_m: Some(contact.length),
            closed: contact.is_closed,
        }
    }
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

impl PairRow {
    /// The record.
    pub(super) fn record(&self, job: &JobColumns) -> Pair<Code> {
        let Self { run, stat, max_step, between } = self;
        debug_assert!(in_order([stat.lower, stat.upper]), "ends of a pair are out of order");
        debug_assert!(
            between.is_none_or(|between| in_order([between.lower, between.upper])
                && between.contact.is_none_or(|contact| in_order(contact.shares) && in_order(contact.times))),
            "ends of a pair between frames are out of order"
        );
        let (rule, required_m) = job
            .rule(|requirements| (requirements.rule(stat.a, stat.b), requirements.of_distance(*run, stat.a, stat.b)));
        let contact = between.and_then(|between| between.contact);
        // Without intervals the column has no nulls, and every pair has a row.
        let has_frame = stat.within > 0 || !job.contents.intervals;
        Pair {
            run: *run,
            a_index: stat.a as i32,
            b_index: stat.b as i32,
            body_a: name(stat.a),
            body_b: name(stat.b),
            frames_candidate: stat.candidate as i64,
            frames_within: stat.within as i64,
            frames_penetrating: stat.penetrating as i64,
            min_distance_m: Some(stat.distance),
            lower_m: Some(stat.lower),
            upper_m: Some(stat.upper),
            frame_of_min: has_frame.then_some(stat.frame),
            time_of_min_s: Some(stat.time),
            place_x: Some(stat.place[0]),
            place_y: Some(stat.place[1]),
            place_z: Some(stat.place[2]),
            max_step_m: *max_step,
            min_between_lower_m: between.and_then(|between| finite(between.lower)),
            min_between_upper_m: between.and_then(|between| finite(between.upper)),
            frame_of_min_between: between.map(|between| between.frames[0]),
            contact_frame: contact.map(|contact| contact.frames[0]),
            contact_lo: contact.map(|contact| contact.shares[0]),
            contact_hi: contact.map(|contact| contact.shares[1]),
            contact_time_lo_s: contact.map(|contact| contact.times[0]),
            contact_time_hi_s: contact.map(|contact| contact.times[1]),
            rule,
            required_m,
        }
    }
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

/// The worst row of a run: that of the least rank.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct WorstRow {
    /// Value that the row is ranked by, metres.
    pub(super) rank: f64,
    /// Distance, metres.
    pub(super) distance: f64,
    /// Its bracket, metres.
    pub(super) bracket: [f64; 2],
    /// Body A.
    pub(super) a: u32,
    /// Body B.
    pub(super) b: u32,
    /// Frame.
    pub(super) frame: i64,
}

/// The worst row of several runs, with its run.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct WorstOfRuns(Option<(i64, WorstRow)>);

impl WorstOfRuns {
    /// Adds the worst row of a later run.
    pub(super) fn add(&mut self, run: &RunRow) {
        self.join(Self(run.worst.map(|worst| (run.run, worst))));
    }

    /// Adds the worst row of later runs. Of equal ranks the earlier row is kept.
    pub(super) fn join(&mut self, later: Self) {
        if let Some((_, worst)) = later.0
            && self.0.is_none_or(|(_, least)| is_smaller(worst.rank, least.rank))
        {
            *self = later;
        }
    }

    /// Returns the row with the names of its bodies.
    pub(super) fn named(self, names: &[String]) -> Option<Worst> {
        self.0.map(|(run, row)| Worst {
            rank: row.rank,
            distance_m: row.distance,
            bracket_m: row.bracket,
            run,
            frame: row.frame,
            body_a: names[row.a as usize].clone(),
            body_b: names[row.b as usize].clone(),
        })
    }
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

    /// Adds the finished run to the totals of the job.
    pub(super) fn add_to(&self, totals: &mut Totals) {
        totals.violated += self.violated;
        totals.undecided += self.undecided;
        totals.runs_violated += u64::from(self.violates());
    }

    /// The record.
    pub(super) fn record(&self) -> Run<Code> {
        let (worst, between) = (self.worst, &self.between);
        debug_assert!(between.least.is_none_or(in_order), "ends of a run are out of order");
        let first = between.first_contact;
        Run {
            run: self.run,
            frames: self.frames as i64,
            rows: self.rows as i64,
            pairs_possible: self.pairs_possible as i64,
            pairs_ignored: self.pairs_ignored as i64,
            pairs_candidate: self.pairs_candidate as i64,
            min_distance_m: worst.map(|worst| worst.distance),
            a_index: worst.map(|worst| worst.a as i32),
            b_index: worst.map(|worst| worst.b as i32),
            body_a: worst.map(|worst| name(worst.a)),
            body_b: worst.map(|worst| name(worst.b)),
            frame_of_min: worst.map(|worst| worst.frame),
            violated: self.violated as i64,
            violates: self.required.then_some(self.violates()),
            undecided: self.undecided as i64,
            uncertified: self.uncertified as i64,
            min_between_lower_m: between.least.and_then(|least| finite(least[0])),
            min_between_upper_m: between.least.and_then(|least| finite(least[1])),
            intervals: Some(between.rows as i64),
            intervals_contact: Some(between.contact as i64),
            intervals_undecided: Some(between.undecided as i64),
            intervals_violated: Some(between.violated as i64),
            contact_frame: first.map(|first| first.contact.frames[0]),
            contact_a_index: first.map(|first| first.a as i32),
            contact_b_index: first.map(|first| first.b as i32),
            contact_body_a: first.map(|first| name(first.a)),
            contact_body_b: first.map(|first| name(first.b)),
        }
    }
}
