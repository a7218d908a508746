//! Standard hashing as published, one search a sample: the yardstick of the experiments, not a method for users.

use super::super::incremental::{BlockBoxes, Operations, Rows, candidate, is_ignored};
use super::super::set::{BoxSet, Found, PairSearch, Visit};
use super::super::{BroadPhase, BroadScene};
use super::Hash;
use super::table::{cells_of, level_of};
use crate::scene::{Candidate, FrameBlock, Scene};

/// Standard hierarchical hashing, rebuilt for every sample.
#[derive(Debug)]
pub struct EachSample {
    job: Option<u64>,
    boxes: BlockBoxes,
    rows: Rows,
    moving: BoxSet,
    count_cells: bool,
    operations: Operations,
}

impl EachSample {
    /// `count_cells`: also counts the cells that each search touches, which takes time of its own.
    pub fn new(count_cells: bool) -> Self {
        let (boxes, rows, moving) = (BlockBoxes::new(), Rows::default(), BoxSet::default());
        Self { job: None, boxes, rows, moving, count_cells, operations: Operations::default() }
    }

    /// The overlapping pairs of each sample with a dynamic body, in no order, a candidate for each sample.
    pub fn search(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        if self.job != Some(job.serial) {
            (self.job, self.rows) = (Some(job.serial), Rows::new(job));
        }
        self.boxes.make(job, block, &mut Vec::<()>::new(), |_, _| ());
        let (simd, slots) = (self.boxes.simd, job.slots());
        let mut all = Vec::new();
        for sample in 0..block.samples.len() {
            let row = &self.rows.at(&self.boxes.boxes, sample)[..slots];
            self.moving.fill((0..).zip(row.iter().copied()).filter(|(_, b)| !b.is_empty()));
            let visit = |fixed| Overlaps { job, scene, sample, second: if fixed { slots as u32 } else { 0 } };
            let mut found = Hash.within(simd, &self.moving, &visit(false));
            if !job.fixed.set.is_empty() {
                found.append(Hash.against_fixed(simd, &self.moving, &job.fixed, &visit(true)));
            }
            self.operations.tests += found.tests;
            all.append(&mut found.candidates);
            if self.count_cells {
                self.operations.cells += cells_touched(&self.moving, job);
            }
        }
        all
    }
}

/// The cells in which a search stores or looks up the boxes of a set: at their own level, and at coarser ones in use.
fn cells_touched(moving: &BoxSet, job: &BroadScene) -> u64 {
    let fixed = &job.fixed.set;
    let levels = |set: &BoxSet| (0..set.len()).fold(0_u64, |levels, i| levels | 1 << level_of(&set.get(i)));
    let in_use = levels(moving) | levels(fixed);
    let mut cells = 0;
    for i in 0..moving.len() {
        let b = moving.get(i);
        let own = level_of(&b);
        cells_of(&b, own, |_| cells += 1);
        super::coarser(in_use, own, |level| cells_of(&b, level, |_| cells += 1));
    }
    cells
}

/// Takes down pairs as they are: their boxes are those of the sample.
struct Overlaps<'a> {
    job: &'a BroadScene,
    scene: &'a Scene,
    sample: usize,
    /// The item of name 0 of the second kind.
    second: u32,
}

impl Visit for Overlaps<'_> {
    #[inline]
    fn pair(&self, first: u32, second: u32, found: &mut Found) {
        let items = (first, self.second + second);
        found.tests += 1;
        if !is_ignored(self.job, self.scene, items.0, items.1) {
            found.candidates.push(candidate(self.job, self.scene, items, 1 << self.sample));
        }
    }
}

impl BroadPhase for EachSample {
    fn name(&self) -> &'static str {
        "hash-each-sample"
    }

    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate> {
        let mut all = super::super::incremental::static_pairs(self.boxes.simd, job, scene, block);
        all.append(&mut self.search(job, scene, block));
        all.sort_unstable();
        all.dedup_by(|next, kept| {
            let same = (next.a, next.b) == (kept.a, kept.b);
            if same {
                kept.samples |= next.samples;
            }
            same
        });
        all
    }

    fn operations(&self) -> Operations {
        self.operations
    }
}
