//! Pairs that a summary names: those that violate the requirement, and those that a winding number
//! leaves undecided.

use super::output_dir::OutputDir;
use super::resume::checkpoint::FoundLists;
use super::resume::entries::StoredEntries;
use super::row::Row;
use super::row_counts::{count_by_rule, count_rows};
use super::sources::RunRow;
use super::totals::Totals;
use super::violations::{ViolatingRuns, Violations};
use clearsweep_base::error::Result;
use clearsweep_model::{Dispositions, Method, Requirements, Sample, Scene};
use std::sync::Arc;

/// The part of the memory for violating pairs which those of winding numbers may take beside.
const WINDINGS_PART: u64 = 8;

/// Collects the pairs of rows, in order of (run, frame).
#[derive(Debug)]
pub(super) struct NotablePairs {
    requirements: Requirements,
    dispositions: Arc<Dispositions>,
    violations: Violations,
    windings: Violations,
}

impl NotablePairs {
    /// Returns a collector of any number of pairs.
    pub(super) fn unbounded(scene: &Scene) -> Self {
        let (violations, windings) = (Violations::unbounded(), Violations::unbounded());
        let (requirements, dispositions) = (scene.requirements(), Arc::clone(&scene.dispositions));
        Self { requirements, dispositions, violations, windings }
    }

    /// Returns a collector whose pairs take about `memory` bytes of memory, and beyond that files
    /// in `out`.
    pub(super) fn within(scene: &Scene, memory: u64, out: &Arc<OutputDir>) -> Self {
        let (violations, windings) = (Violations::within(memory, out), Violations::within(memory / WINDINGS_PART, out));
        Self { violations, windings, ..Self::unbounded(scene) }
    }

    /// Whether a distance is required.
    pub(super) fn requires(&self) -> bool {
        self.requirements.is_something()
    }

    /// Counts a tile of rows, and adds its pairs. `position` is the number of the first of
    /// `samples`, counted over the whole input.
    ///
    /// # Errors
    /// A spill file cannot be written.
    pub(super) fn count(
        &mut self,
        run: &mut RunRow,
        totals: &mut Totals,
        rows: &[Row],
        samples: &[Sample],
        position: u64,
    ) -> Result<()> {
        let (requirements, of) = (&self.requirements, run.run);
        let [violated, by_winding] = match requirements.uniform() {
            Some(required) => {
                count_rows(run, totals, rows, samples, |row| ([row.proximity.lower, row.proximity.upper], required))
            }
            None => {
                count_by_rule(&mut totals.by_rule, of, rows, requirements);
                let judged = |row: &Row| {
                    let rule = requirements.rule(row.a, row.b);
                    (row.measured(requirements, rule), row.required(requirements, rule, of))
                };
                count_rows(run, totals, rows, samples, judged)
            }
        };
        if violated > 0 {
            let dispositions = &self.dispositions;
            let open = |row: &Row| {
                let rule = requirements.rule(row.a, row.b);
                let [lower, upper] = row.measured(requirements, rule);
                let state = || dispositions.state(rule as u32, row.a, row.b, lower);
                let violates = upper < row.required(requirements, rule, of);
                (violates && (dispositions.is_empty() || state().is_open())).then_some([lower, upper])
            };
            totals.open += rows.iter().filter_map(open).count() as u64;
            self.violations.add(rows, samples, position, open)?;
        }
        if by_winding > 0 {
            let bracket = |row: &Row| [row.proximity.lower, row.proximity.upper];
            let of_winding = |row: &Row| (row.proximity.method == Method::Winding).then(|| bracket(row));
            self.windings.add(rows, samples, position, of_winding)?;
        }
        Ok(())
    }

    /// Adds all to the totals. `names`: the names of the bodies.
    ///
    /// # Errors
    /// The spilled pairs cannot be read.
    pub(super) fn finish(self, totals: &mut Totals, names: &[String]) -> Result<()> {
        let requirements = &self.requirements;
        let of_rule = |totals: &mut Totals, (a, b)| {
            if requirements.uniform().is_none() {
                totals.rule(requirements.rule(a, b)).pairs_violated += 1;
            }
        };
        (_, totals.pairs_violated, totals.violating_pairs) =
            self.violations.finish(names, |pair| of_rule(totals, pair))?;
        (_, totals.pairs_winding, totals.winding_pairs) = self.windings.finish(names, |_| {})?;
        Ok(())
    }

    /// The lists that belong to [`Self::state`], in their order.
    pub(super) fn lists(&mut self) -> [&mut dyn StoredEntries; 2] {
        [&mut self.violations, &mut self.windings]
    }

    /// Returns the state to be stored.
    pub(super) fn state(&self) -> [ViolatingRuns; 2] {
        [self.violations.state(), self.windings.state()]
    }

    /// Goes on from a state and the lists that belong to it.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn restore(
        &mut self,
        [violations, windings]: [ViolatingRuns; 2],
        lists: &mut FoundLists,
        out: &OutputDir,
    ) -> Result<()> {
        self.violations.restore(violations, lists, out)?;
        self.windings.restore(windings, lists, out)
    }

    /// Adds the state and the lists of a later part of the job, which begins at sample `offset` of
    /// the whole input.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn append(
        &mut self,
        [violations, windings]: [ViolatingRuns; 2],
        lists: &mut FoundLists,
        out: &OutputDir,
        offset: u64,
    ) -> Result<()> {
        self.violations.append(violations, lists, out, offset)?;
        self.windings.append(windings, lists, out, offset)
    }
}
