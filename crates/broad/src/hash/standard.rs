//! Standard hashing: the table is rebuilt for each search, by sorting, over boxes swept over many
//! samples.

use super::super::box_set::BoxSet;
use super::super::brute::BruteForce;
use super::super::fixed_boxes::FixedBoxes;
use super::super::pair_search::{PairSearch, PairVisitor, SearchResult, search_chunks};
use super::level::{LEVELS, coarser_levels, level_of};
use super::table::CellTable;
use clearsweep_base::simd::Level;
use clearsweep_model::CellSizes;

/// With fewer boxes than this, a search runs on one thread.
const PARALLEL_THRESHOLD: usize = 2048;
/// The number of boxes or cells per task.
const CHUNK: usize = 512;
/// Most fixed boxes that are compared with every moving box by brute force.
const BRUTE_FORCE_FIXED: usize = 128;

/// The search by hierarchical spatial hashing.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct SpatialHash {
    pub(in super::super) cells: CellSizes,
}

impl SpatialHash {
    /// Large cells give fewer entries, and comparisons by sixteens are cheap.
    pub(in super::super) const DEFAULT: Self = Self { cells: CellSizes::WIDE };
}

impl PairSearch for SpatialHash {
    fn name(&self) -> &'static str {
        "hash"
    }

    fn cost(&self, moving: usize, _fixed: usize) -> f64 {
        300.0 * moving as f64
    }

    fn within(&self, simd: Level, set: &BoxSet, visitor: &impl PairVisitor) -> SearchResult {
        let parallel = set.len() > PARALLEL_THRESHOLD;
        let table = CellTable::new(set, parallel, self.cells);
        let mut found = search_chunks(parallel, table.runs.len(), CHUNK, |range, found| {
            for run in &table.runs[range] {
                table.pairs_of_run(simd, *run, |i, j| visitor.visit(i, j, found));
                if found.stopped {
                    return;
                }
            }
        });
        if table.levels.count_ones() > 1 && !found.stopped {
            found.append(search_chunks(parallel, set.len(), CHUNK, |range, found| {
                for i in range {
                    let one = set.get(i);
                    coarser_levels(table.levels, level_of(&one, self.cells), |level| {
                        table.lookup(simd, &one, level, |j| visitor.visit(set.ids[i], j, found));
                    });
                    if found.stopped {
                        return;
                    }
                }
            }));
        }
        found
    }

    fn against_fixed(
        &self,
        simd: Level,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        visitor: &impl PairVisitor,
    ) -> SearchResult {
        let set = &fixed.set;
        if set.len() <= BRUTE_FORCE_FIXED {
            return BruteForce.against_fixed(simd, moving, fixed, visitor);
        }
        let own = fixed.tables.own(set, self.cells);
        let cells = own.cells;
        // The tables are built before the tasks, which only read them.
        let levels = (0..moving.len()).fold(0_u64, |levels, i| levels | 1 << level_of(&moving.get(i), cells));
        let mut gathered: [Option<&CellTable>; LEVELS] = [None; LEVELS];
        for level in (0..LEVELS as u32).filter(|level| levels >> level & 1 == 1) {
            gathered[level as usize] = Some(fixed.tables.gathered(set, level, cells));
        }
        search_chunks(moving.len() > PARALLEL_THRESHOLD, moving.len(), CHUNK, |range, found| {
            for i in range {
                let one = moving.get(i);
                let level = level_of(&one, cells);
                if let Some(table) = gathered[level as usize] {
                    table.lookup(simd, &one, level, |k| visitor.visit(moving.ids[i], k, found));
                }
                coarser_levels(own.levels, level, |coarse| {
                    own.lookup(simd, &one, coarse, |k| visitor.visit(moving.ids[i], k, found));
                });
                if found.stopped {
                    return;
                }
            }
        })
    }
}
