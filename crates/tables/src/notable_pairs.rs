//! Pairs that a summary names: those that violate the requirement, and those that a winding number leaves undecided.

use super::fill::RunRow;
use super::output_dir::OutputDir;
use super::resume::checkpoint::FoundLists;
use super::resume::entries::StoredEntries;
use super::row::Row;
use super::row_counts::count_rows;
use super::totals::Totals;
use super::violations::{ViolatingRuns, Violations};
use clearsweep_base::error::Result;
use clearsweep_model::{Method, Proximity};
use clearsweep_scene::Sample;
use std::sync::Arc;

/// The part of the memory for violating pairs which those of winding numbers may take beside.
const WINDINGS_PART: u64 = 8;

/// Collects the pairs of rows, in order of (run, frame).
#[derive(Debug)]
pub(super) struct NotablePairs {
    /// The required distance, metres. NaN if none is required; every comparison with it is then false.
    require: f64,
    violations: Violations,
    windings: Violations,
}

impl NotablePairs {
    /// Returns a collector of any number of pairs.
    pub(super) fn unbounded(require: Option<f64>) -> Self {
        let (violations, windings) = (Violations::unbounded(), Violations::unbounded());
        Self { require: require.unwrap_or(f64::NAN), violations, windings }
    }

    /// Returns a collector whose pairs take about `memory` bytes of memory, and beyond that files in `out`.
    pub(super) fn within(require: Option<f64>, memory: u64, out: &Arc<OutputDir>) -> Self {
        let (violations, windings) = (Violations::within(memory, out), Violations::within(memory / WINDINGS_PART, out));
        Self { violations, windings, ..Self::unbounded(require) }
    }

    /// Whether a distance is required.
    pub(super) fn requires(&self) -> bool {
        !self.require.is_nan()
    }

    /// Counts a tile of rows, and adds its pairs. `position` is the number of the first of `samples`, counted over the whole input.
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
        let require = self.require;
        let [violated, by_winding] = count_rows(run, totals, rows, samples, require);
        if violated > 0 {
            self.violations.add(rows, samples, position, |row| row.upper < require)?;
        }
        if by_winding > 0 {
            self.windings.add(rows, samples, position, |row: &Proximity| row.method == Method::Winding)?;
        }
        Ok(())
    }

    /// Adds all to the totals. `names`: the names of the bodies.
    ///
    /// # Errors
    /// The spilled pairs cannot be read.
    pub(super) fn finish(self, totals: &mut Totals, names: &[String]) -> Result<()> {
        (_, totals.pairs_violated, totals.violating_pairs) = self.violations.finish(names)?;
        (_, totals.pairs_winding, totals.winding_pairs) = self.windings.finish(names)?;
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
}
