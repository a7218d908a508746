//! Hierarchical spatial hashing: near-linear for any mixture of sizes and any extent.
//!
//! Source: Mirtich 1997, "Efficient algorithms for two-phase collision detection", section 2.1 (after Overmars 1992).
//! Each box is stored at the resolution that fits its size and looked up there and at every coarser resolution in
//! use; so each pair is met at the level of its larger box. `level.rs` says which resolutions there are. Two variants:
//!
//! - *standard* (here, `hash`): the table is rebuilt for each search, by sorting, over boxes swept over many samples;
//! - *coherent* (`coherent.rs`, `coherent-hash`): labels and close pairs are kept from sample to sample.

mod coherent;
mod per_sample;
mod labels;
mod level;
mod table;
mod tracker;

pub(super) use coherent::CoherentHash;
pub use per_sample::PerSampleHash;

use super::FixedBoxes;
use super::box_set::{BoxSet, SearchResult, PairSearch, PairVisitor, search_chunks};
use super::simd::Simd;
use level::LEVELS;
use std::sync::OnceLock;
use table::{CellTable, level_of};

/// Below so many boxes a search stays on its thread.
const PARALLEL_THRESHOLD: usize = 2048;
/// Boxes or cells a task takes on.
const CHUNK: usize = 512;
/// Up to so many fixed boxes are simply compared with every moving one.
const FEW_FIXED: usize = 128;

/// Hierarchical spatial hashing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SpatialHash;

/// The tables of a job's fixed boxes, built when first needed and kept for the job.
///
/// They are built without rayon: a task stolen while a table is being initialised could ask for the same table.
#[derive(Debug)]
pub(super) struct FixedTables {
    /// Each box at its own level: found by smaller ones.
    own: OnceLock<CellTable>,
    /// For each level, all boxes of that level and finer ones in its cells: found by larger ones, which would touch
    /// too many cells of the finer levels.
    gathered: [OnceLock<CellTable>; LEVELS],
}

impl Default for FixedTables {
    fn default() -> Self {
        Self { own: OnceLock::new(), gathered: std::array::from_fn(|_| OnceLock::new()) }
    }
}

impl FixedTables {
    fn own(&self, set: &BoxSet) -> &CellTable {
        self.own.get_or_init(|| CellTable::build(set, false, |b| Some(level_of(b))))
    }

    fn gathered(&self, set: &BoxSet, level: u32) -> &CellTable {
        self.gathered[level as usize]
            .get_or_init(|| CellTable::build(set, false, |b| (level_of(b) <= level).then_some(level)))
    }
}

/// Calls `each` with every level above `level` whose bit is set.
#[inline]
fn coarser(levels: u64, level: u32, mut each: impl FnMut(u32)) {
    let mut rest = levels & (u64::MAX << (level + 1));
    while rest != 0 {
        each(rest.trailing_zeros());
        rest &= rest - 1;
    }
}

impl PairSearch for SpatialHash {
    fn name(&self) -> &'static str {
        "hash"
    }

    fn cost(&self, moving: usize, _fixed: usize) -> f64 {
        300.0 * moving as f64
    }

    fn within(&self, simd: Simd, set: &BoxSet, visit: &impl PairVisitor) -> SearchResult {
        let parallel = set.len() > PARALLEL_THRESHOLD;
        let table = CellTable::build(set, parallel, |b| Some(level_of(b)));
        let mut found = search_chunks(parallel, table.runs.len(), CHUNK, |range, found| {
            for run in &table.runs[range] {
                table.pairs_of_run(simd, *run, |i, j| visit.pair(i, j, found));
                if found.stopped {
                    return;
                }
            }
        });
        if table.levels.count_ones() > 1 && !found.stopped {
            found.append(search_chunks(parallel, set.len(), CHUNK, |range, found| {
                for i in range {
                    let one = set.get(i);
                    coarser(table.levels, level_of(&one), |level| {
                        table.lookup(simd, &one, level, |j| visit.pair(set.ids[i], j, found));
                    });
                    if found.stopped {
                        return;
                    }
                }
            }));
        }
        found
    }

    fn against_fixed(&self, simd: Simd, moving: &BoxSet, fixed: &FixedBoxes, visit: &impl PairVisitor) -> SearchResult {
        let set = &fixed.set;
        if set.len() <= FEW_FIXED {
            return super::brute::BruteForce.against_fixed(simd, moving, fixed, visit);
        }
        let own = fixed.tables.own(set);
        // Built here, before the tasks, which only read.
        let levels = (0..moving.len()).fold(0_u64, |levels, i| levels | 1 << level_of(&moving.get(i)));
        let mut gathered: [Option<&CellTable>; LEVELS] = [None; LEVELS];
        for level in (0..LEVELS as u32).filter(|level| levels >> level & 1 == 1) {
            gathered[level as usize] = Some(fixed.tables.gathered(set, level));
        }
        search_chunks(moving.len() > PARALLEL_THRESHOLD, moving.len(), CHUNK, |range, found| {
            for i in range {
                let one = moving.get(i);
                let level = level_of(&one);
                if let Some(table) = gathered[level as usize] {
                    table.lookup(simd, &one, level, |k| visit.pair(moving.ids[i], k, found));
                }
                coarser(own.levels, level, |coarse| {
                    own.lookup(simd, &one, coarse, |k| visit.pair(moving.ids[i], k, found));
                });
                if found.stopped {
                    return;
                }
            }
        })
    }
}
