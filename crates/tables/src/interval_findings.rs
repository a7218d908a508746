//! Findings of a job between the samples: counts, violations, the least distance and the first
//! contact.

use super::interval_stats::{IntervalStat, PairContact, RunIntervals};
use super::output_dir::OutputDir;
use super::resume::checkpoint::FoundLists;
use super::resume::entries::StoredEntries;
use super::row::IntervalRow;
use super::totals::{FirstContact, LeastBetween, Totals, UndecidedRow};
use super::violations::{ViolatingRuns, Violations};
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{Dispositions, FrameBlock, Requirements, SAMPLES, Scene};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The state of the findings at the start of a block, without the list of violating pairs.
#[derive(Serialize, Deserialize)]
pub(super) struct FindingsState {
    least: Option<(i64, IntervalStat)>,
    first_contact: Option<(i64, PairContact)>,
    violations: ViolatingRuns,
}

/// Collects what is found in the intervals of all runs.
pub(super) struct IntervalFindings {
    requirements: Requirements,
    dispositions: Arc<Dispositions>,
    /// Up to which distance bodies touch, metres.
    touch: f64,
    violations: Violations,
    /// The pair of the least upper end in one of the finished runs, with that run.
    least: Option<(i64, IntervalStat)>,
    /// The first contact in the first of the finished runs that has one, with that run.
    first_contact: Option<(i64, PairContact)>,
}

impl IntervalFindings {
    /// Returns the findings of a job on this scene, before the first interval. `violations`: empty.
    pub(super) fn new(scene: &Scene, violations: Violations) -> Self {
        Self {
            requirements: scene.requirements(),
            dispositions: Arc::clone(&scene.dispositions),
            touch: scene.query.touch,
            violations,
            least: None,
            first_contact: None,
        }
    }

    /// Counts the next intervals of a run: those of `block`, by (sample, a, b). `each` is handed
    /// what is known of the pair.
    ///
    /// # Errors
    /// A spill file cannot be written; an interval ends in no sample of the run.
    pub(super) fn count(
        &mut self,
        run: &mut RunIntervals,
        totals: &mut Totals,
        rows: &[&IntervalRow],
        block: &FrameBlock,
        mut each: impl FnMut(IntervalStat),
    ) -> Result<()> {
        for row in rows {
            let Some(ends) = row.ends(block) else {
                return Err(Error::internal("intervals", "an interval ends in no sample of its run"));
            };
            let judged = run.add(row, ends, row.required(&self.requirements, ends[0].run));
            if judged.1 {
                let (lower, upper) = (row.interval.lower, row.interval.upper);
                totals.undecided_interval.add(UndecidedRow {
                    run: ends[0].run,
                    frames: ends.map(|end| end.frame),
                    bodies: [row.a, row.b],
                    bracket_m: [lower, upper],
                    required_m: row.required(&self.requirements, ends[0].run),
                });
            }
            totals.by_interval_status[row.interval.status as usize] += 1;
            totals.by_interval_method[row.interval.method as usize] += 1;
            if self.requirements.uniform().is_none() {
                totals.rule(self.requirements.rule(row.a, row.b)).add_interval(judged);
            }
            let rule = self.requirements.rule(row.a, row.b) as u32;
            let state = || self.dispositions.state(rule, row.a, row.b, row.interval.lower);
            if judged.0 && (self.dispositions.is_empty() || state().is_open()) {
                totals.intervals_open += 1;
                let position = block.index * SAMPLES as u64 + u64::from(row.interval.sample);
                let (lower, upper) = (row.interval.lower, row.interval.upper);
                let least = ([upper; 2], [lower, upper]);
                self.violations.add_one((row.a, row.b), least, ends.map(|end| *end), position)?;
            }
            each(IntervalStat::of(row, ends));
        }
        totals.intervals += rows.len() as u64;
        Ok(())
    }

    /// Counts a row of `pairs` of a run: whether the bodies touch in an interval, and only there,
    /// and whether they are the pair that is proven to come nearest. `is_apart`: whether they are
    /// separated wherever they have a row, by what distance bodies touch. Runs come one after the
    /// other, their pairs in any order.
    pub(super) fn count_pair(
        &mut self,
        (run, between): (i64, Option<&IntervalStat>),
        is_apart: impl Fn(f64) -> bool,
        totals: &mut Totals,
    ) {
        let Some(of) = between else { return };
        let is_least = self.least.is_none_or(|(at, least)| {
            let is_before = at == run && (of.a, of.b) < (least.a, least.b);
            of.upper < least.upper || (of.upper == least.upper && is_before)
        });
        if is_least {
            self.least = Some((run, *of));
        }
        if of.contact.is_some() {
            totals.between.pairs_contact += 1;
            totals.between.pairs_contact_only += u64::from(is_apart(self.touch));
        }
    }

    /// Takes a finished run.
    pub(super) fn end_run(&mut self, run: i64, of: &RunIntervals, totals: &mut Totals) {
        totals.intervals_violated += of.violated;
        totals.intervals_undecided += of.undecided;
        self.first_contact = self.first_contact.or(of.first_contact.map(|first| (run, first)));
    }

    /// Adds all to the totals. `names`: the names of the bodies.
    ///
    /// # Errors
    /// The spilled pairs cannot be read.
    pub(super) fn finish(self, totals: &mut Totals, names: &[String]) -> Result<()> {
        let name = |body: u32| names[body as usize].clone();
        totals.between.least = self.least.map(|(run, IntervalStat { lower, upper, a, b, frames, .. })| LeastBetween {
            lower_m: lower,
            upper_m: upper,
            run,
            frames,
            body_a: name(a),
            body_b: name(b),
        });
        totals.between.first_contact = self.first_contact.map(|(run, PairContact { a, b, contact })| FirstContact {
            run,
            frames: contact.frames,
            shares: contact.shares,
            times_s: Some(contact.times).filter(|times| !times[0].is_nan()),
            body_a: name(a),
            body_b: name(b),
        });
        let requirements = self.requirements;
        let of_rule = |(a, b)| {
            if requirements.uniform().is_none() {
                totals.rule(requirements.rule(a, b)).pairs_violated_between += 1;
            }
        };
        let (_, pairs, worst) = self.violations.finish(names, of_rule)?;
        (totals.between.pairs_violated, totals.between.violating_pairs) = (pairs, worst);
        Ok(())
    }

    /// The list that belongs to [`Self::state`].
    pub(super) fn list(&mut self) -> &mut dyn StoredEntries {
        &mut self.violations
    }

    /// Returns the state to be stored.
    pub(super) fn state(&self) -> FindingsState {
        let Self { least, first_contact, .. } = *self;
        FindingsState { least, first_contact, violations: self.violations.state() }
    }

    /// Goes on from a state and the list that belongs to it.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn restore(&mut self, state: FindingsState, lists: &mut FoundLists, out: &OutputDir) -> Result<()> {
        (self.least, self.first_contact) = (state.least, state.first_contact);
        self.violations.restore(state.violations, lists, out)
    }

    /// Adds the state and the list of a later part of the job, which begins at sample `offset` of
    /// the whole input.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn append(
        &mut self,
        state: FindingsState,
        lists: &mut FoundLists,
        out: &OutputDir,
        offset: u64,
    ) -> Result<()> {
        if let Some((run, later)) = state.least
            && self.least.is_none_or(|(_, least)| later.upper < least.upper)
        {
            self.least = Some((run, later));
        }
        self.first_contact = self.first_contact.or(state.first_contact);
        self.violations.append(state.violations, lists, out, offset)
    }
}
