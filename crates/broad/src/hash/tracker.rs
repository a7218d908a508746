//! Advances the labels of all bodies from sample to sample.

use super::super::block_boxes::BlockBoxes;
use super::super::boxes::{Boxes64, LatticeBox};
use super::super::broad_scene::BroadScene;
use super::labels::{CellObserver, Labels};
use super::level::{LEVELS, cell_range, level_for, level_of};
use clearsweep_model::{CellSizes, FrameBlock, Motion, SAMPLES, Scene};

/// The labels of a job's bodies, and what is needed to update them.
#[derive(Debug)]
pub(super) struct LabelTracker {
    cells: CellSizes,
    /// The serial number of the job whose bodies are stored.
    job: Option<u64>,
    pub(super) boxes: BlockBoxes,
    /// For each slot, bit `s` is set if its cells in sample `s` differ from those in the previous
    /// sample.
    pub(super) changes: Vec<u64>,
    /// For each slot, the box that its labels follow. It touches the same cells as the box of the
    /// last sample.
    held: Vec<LatticeBox>,
    labels: Labels,
    /// The slots that change cells, by sample.
    due: Vec<Vec<u32>>,
}

impl LabelTracker {
    pub(super) fn new(cells: CellSizes) -> Self {
        Self {
            cells,
            job: None,
            boxes: BlockBoxes::new(),
            changes: Vec::new(),
            held: Vec::new(),
            labels: Labels::default(),
            due: vec![Vec::new(); SAMPLES],
        }
    }

    /// Starts a job: adds the labels of its static bodies. Its dynamic bodies have none yet.
    fn start(&mut self, job: &BroadScene, scene: &Scene) {
        let mut levels = vec![0; job.slots()];
        for body in &scene.bodies {
            if let Motion::Dynamic { slot } = body.motion {
                // Rounding adds a few lattice spacings to the box; saturation only makes it
                // smaller.
                let side = (2.0 * body.shape.reach() + scene.query.within) / job.lattice().spacing + 6.0;
                levels[slot as usize] = level_for(side as u32, self.cells);
            }
        }
        self.held.clear();
        self.held.resize(job.slots(), LatticeBox::EMPTY);
        self.labels = with_fixed(job, levels, self.cells);
        self.job = Some(job.serial);
    }

    /// Makes the boxes of a block and lists the slots that change cells in each sample. Returns
    /// whether the job is a new one.
    pub(super) fn prepare(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> bool {
        let is_new = self.job != Some(job.serial);
        if is_new {
            self.start(job, scene);
        }
        let all = block.all_samples();
        let (held, labels) = (&self.held, &self.labels);
        let note = |slot: usize, boxes: &Boxes64| changes(boxes, &held[slot], labels.level(slot as u32)) & all;
        self.boxes.make(job, block, &mut self.changes, note);
        self.due.iter_mut().for_each(Vec::clear);
        for (&changes, slot) in self.changes.iter().zip(0_u32..) {
            let mut changes = changes;
            while changes != 0 {
                self.due[changes.trailing_zeros() as usize].push(slot);
                changes &= changes - 1;
            }
        }
        is_new
    }

    /// Updates the labels to a sample. The samples of a block must come in ascending order.
    pub(super) fn advance(&mut self, job: &BroadScene, sample: usize, observer: &mut impl CellObserver) {
        let due = std::mem::take(&mut self.due[sample]);
        for &slot in &due {
            let to = self.boxes.boxes[slot as usize].get(sample);
            let [low, high] = cell_range(&to, self.labels.level(slot));
            if !to.is_empty() && (0..3).any(|k| high[k] - low[k] > 1) {
                self.outgrow(job, slot, &to, observer);
            }
            let from = std::mem::replace(&mut self.held[slot as usize], to);
            self.labels.update(slot, &from, &to, &self.held, observer);
        }
        self.due[sample] = due;
    }

    /// Moves a body to the level of a box that is too large for its own level, and rebuilds all
    /// labels.
    fn outgrow(&mut self, job: &BroadScene, slot: u32, b: &LatticeBox, observer: &mut impl CellObserver) {
        let mut levels = std::mem::take(&mut self.labels).into_levels();
        levels[slot as usize] = level_of(b, self.cells);
        self.labels = with_fixed(job, levels, self.cells);
        self.held[slot as usize] = LatticeBox::EMPTY;
        observer.on_rebuild();
        for (held, other) in self.held.iter().zip(0_u32..).filter(|(held, _)| !held.is_empty()) {
            self.labels.update(other, &LatticeBox::EMPTY, held, &self.held, observer);
        }
    }

    /// Whether two items share a cell at the level of the coarser one; the first is a slot.
    #[inline]
    pub(super) fn is_close(&self, job: &BroadScene, i: u32, j: u32) -> bool {
        let one = self.held[i as usize];
        let (other, level) = match (j as usize).checked_sub(self.held.len()) {
            None => (self.held[j as usize], self.labels.level(j)),
            Some(k) => {
                let fixed = job.fixed.set.get(k);
                (fixed, level_of(&fixed, self.cells))
            }
        };
        let level = level.max(self.labels.level(i));
        let ([low, high], [from, to]) = (cell_range(&one, level), cell_range(&other, level));
        !one.is_empty() && !other.is_empty() && (0..3).all(|k| low[k] <= to[k] && from[k] <= high[k])
    }

    /// The number of labels added and removed since the job began.
    pub(super) fn labels_touched(&self) -> u64 {
        self.labels.touched
    }
}

/// The labels of the static bodies of a job, for dynamic bodies of the given levels.
fn with_fixed(job: &BroadScene, levels: Vec<u32>, cells: CellSizes) -> Labels {
    let set = &job.fixed.set;
    let fixed: Vec<_> = (0..set.len())
        .map(|k| {
            let b = set.get(k);
            ((job.slots() + k) as u32, b, level_of(&b, cells))
        })
        .collect();
    Labels::new(levels, &fixed)
}

/// The samples in which the cells of a body at a level differ from those in the previous sample;
/// `held` precedes sample 0. A body that is absent is in no cell.
fn changes(boxes: &Boxes64, held: &LatticeBox, level: u32) -> u64 {
    let ends = [held.min[0], held.min[1], held.min[2], held.max[0], held.max[1], held.max[2]];
    let mut differ = [0_u32; SAMPLES];
    for (column, end) in boxes.columns.iter().zip(ends) {
        differ[0] |= column[0] ^ end;
        for s in 1..SAMPLES {
            differ[s] |= column[s] ^ column[s - 1];
        }
    }
    if level as usize == LEVELS - 1 {
        // A single cell holds all boxes, so only presence matters. Only the empty box begins at
        // u32::MAX.
        let (mut bits, mut before) = (0, ends[0] == u32::MAX);
        for s in 0..SAMPLES {
            let absent = boxes.columns[0][s] == u32::MAX;
            bits |= u64::from(absent != before) << s;
            before = absent;
        }
        return bits;
    }
    (0..SAMPLES).fold(0, |bits, s| bits | u64::from(differ[s] >> level != 0) << s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_cells_are_found_for_all_samples_at_once() {
        let mut state = 11_u64;
        let mut next = |n: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(n)) as u32
        };
        let (mut changed, mut all) = (0, 0);
        for level in [0, 1, 5, 20, 31, 32] {
            for _ in 0..40 {
                let scale = 1_u32 << level.min(28);
                let mut boxes = Boxes64::EMPTY;
                let mut at = [5 * scale + 1; 3];
                let mut list = vec![LatticeBox::EMPTY; 1];
                for s in 0..SAMPLES {
                    at = at.map(|v| v + next(scale / 2 + 2) - scale / 4);
                    let b = LatticeBox { min: at, max: at.map(|v| v + scale) };
                    if next(10) > 0 {
                        for k in 0..3 {
                            (boxes.columns[k][s], boxes.columns[k + 3][s]) = (b.min[k], b.max[k]);
                        }
                    }
                    list.push(boxes.get(s));
                }
                let cells = |b: &LatticeBox| (!b.is_empty()).then(|| cell_range(b, level));
                let found = changes(&boxes, &list[0], level);
                for s in 0..SAMPLES {
                    assert_eq!(
                        found >> s & 1 == 1,
                        cells(&list[s]) != cells(&list[s + 1]),
                        "level {level}, sample {s}"
                    );
                }
                changed += found.count_ones();
                all += 64;
            }
        }
        assert!(changed > all / 5 && changed < all * 4 / 5, "{changed} of {all}");
    }
}
