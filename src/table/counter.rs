//! The totals of a job whose rows are not written to tables.

use super::fill::RunRow;
use super::layout::TILE_ROWS;
use super::pair_counts::PairCountsByRun;
use super::pair_stats::is_smaller;
use super::row::Row;
use super::sink::RowBlock;
use super::summary::count_rows;
use super::totals::{Totals, Worst};
use super::violations::Violations;
use crate::error::Result;
use crate::narrow::Status;
use crate::scene::{SAMPLES, Scene};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Counts rows block by block.
pub(crate) struct RowCounter {
    totals: Totals,
    /// NaN where nothing is required: no comparison with it holds.
    require: f64,
    /// The run of the last row, and its pairs that have a row.
    run: Option<RunRow>,
    pairs: FxHashSet<(u32, u32)>,
    /// The block counted last, and the run of its last sample.
    block: Option<u64>,
    last_run: Option<i64>,
    /// Kept for its memory.
    tile: Vec<Row>,
    violations: Violations,
    names: Arc<[String]>,
}

impl RowCounter {
    /// Nothing counted yet.
    pub(crate) fn new(scene: &Scene) -> Self {
        let pairs = PairCountsByRun::of(scene).first;
        Self {
            totals: Totals { pairs_possible: pairs.possible, pairs_ignored: pairs.ignored, ..Totals::default() },
            require: scene.query.require.unwrap_or(f64::NAN),
            run: None,
            pairs: FxHashSet::default(),
            block: None,
            last_run: None,
            tile: Vec::with_capacity(TILE_ROWS),
            violations: Violations::unbounded(),
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
        }
    }

    /// Counts rows; those of a block may come in several calls, of ascending samples.
    ///
    /// # Errors
    /// Those of [`Violations::add`].
    pub(crate) fn add(&mut self, rows: &RowBlock<'_>) -> Result<()> {
        let block = rows.block();
        if self.block.replace(block.index) != Some(block.index) {
            self.totals.samples += block.samples.len() as u64;
            for sample in &block.samples {
                self.totals.runs += u64::from(self.last_run.replace(sample.run) != Some(sample.run));
            }
        }
        let run_of = |row: &Row| block.samples[usize::from(row.proximity.sample)].run;
        for of_run in rows.rows().chunk_by(|one, next| run_of(one) == run_of(next)) {
            let run = run_of(of_run[0]);
            if self.run.as_ref().is_none_or(|current| current.run != run) {
                self.finish_run();
            }
            let current = self.run.get_or_insert_with(|| RunRow { run, ..RunRow::default() });
            for tile in of_run.chunks(TILE_ROWS) {
                self.tile.clear();
                self.tile.extend(tile.iter().map(|row| **row));
                self.pairs.extend(self.tile.iter().map(|row| (row.a, row.b)));
                if count_rows(current, &mut self.totals, &self.tile, &block.samples, self.require) > 0 {
                    let position = block.index * SAMPLES as u64;
                    self.violations.add(&self.tile, &block.samples, position, self.require)?;
                }
            }
        }
        Ok(())
    }

    fn finish_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        self.totals.pairs += self.pairs.len() as u64;
        self.pairs.clear();
        self.totals.violated += run.violated;
        self.totals.undecided += run.undecided;
        if let Some(worst) = run.worst
            && self.totals.worst.as_ref().is_none_or(|least| is_smaller(worst.distance, least.distance_m))
        {
            self.totals.worst = Some(Worst {
                distance_m: worst.distance,
                run: run.run,
                frame: worst.frame,
                body_a: self.names[worst.a as usize].clone(),
                body_b: self.names[worst.b as usize].clone(),
            });
        }
    }

    /// The totals of all rows.
    ///
    /// # Errors
    /// Those of [`Violations::finish`].
    pub(crate) fn finish(mut self) -> Result<Totals> {
        self.finish_run();
        self.totals.add_violations(self.violations, &self.names)?;
        self.totals.penetrations = self.totals.by_status[Status::Penetrating as usize];
        Ok(self.totals)
    }
}
