//! Who is in which cell: the labels of the coherent variant, kept up to date cell by cell.
//!
//! Source: Mirtich 1997, section 2.2. An item's label stands in every cell that it touches at its own level and at each
//! coarser level in use. Two items meet in a cell where it is the *own* level of one of them, the coarser one; so a
//! cell keeps the labels of its own level apart from those of finer ones, and an item that enters a cell of a coarser
//! level meets the first list only.
//!
//! A label is taken off in constant time however many there are: each moving item knows the position of each of its
//! labels. It touches at most two cells along an axis, and neighbouring cells differ in parity, so the parities of a
//! cell's coordinates name one of eight places at each level.

use super::super::boxes::LatticeBox;
use super::level::{LEVELS, cell_range};
use rustc_hash::FxHashMap;

/// A label of a moving item.
#[derive(Debug, Clone, Copy)]
struct Label {
    item: u32,
    /// Index into [`Labels::places`].
    place: u32,
}

/// Where a label stands.
#[derive(Debug, Clone, Copy, Default)]
struct LabelPlace {
    bucket: u32,
    position: u32,
}

/// The labels in a cell.
#[derive(Debug, Default)]
struct Bucket {
    /// Of moving items: those of this level, and finer ones.
    own: Vec<Label>,
    finer: Vec<Label>,
    /// Of fixed items, which never leave.
    own_fixed: Vec<u32>,
    finer_fixed: Vec<u32>,
}

impl Bucket {
    fn is_empty(&self) -> bool {
        self.own.is_empty() && self.finer.is_empty() && self.own_fixed.is_empty() && self.finer_fixed.is_empty()
    }
}

/// A cell, known exactly: the level and the coordinates in two words.
type CellKey = (u64, u64);

#[inline]
fn cell(level: u32, [x, y, z]: [u32; 3]) -> CellKey {
    (u64::from(x) | u64::from(y) << 32, u64::from(z) | u64::from(level) << 32)
}

/// The cells in use. Items are the moving ones, from 0, and then fixed ones.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// The level of each moving item.
    levels: Vec<u32>,
    /// Bit `l`: an item is stored at level `l` as its own.
    in_use: u64,
    /// Of each moving item: its first place.
    first: Vec<u32>,
    /// Eight for each level of each moving item.
    places: Vec<LabelPlace>,
    /// To buckets.
    cells: FxHashMap<CellKey, u32>,
    buckets: Vec<Bucket>,
    /// Empty buckets.
    free: Vec<u32>,
    /// Labels written and taken off, for experiments.
    pub(super) touched: u64,
}

impl Labels {
    /// No moving item anywhere yet; `levels` are theirs. Fixed items `(item, box, level)` are in their cells.
    pub(super) fn new(levels: Vec<u32>, fixed: &[(u32, LatticeBox, u32)]) -> Self {
        let mask = |levels: &mut dyn Iterator<Item = u32>| levels.fold(0_u64, |mask, level| mask | 1 << level);
        let moving = mask(&mut levels.iter().copied());
        let in_use = moving | mask(&mut fixed.iter().map(|f| f.2));
        let mut labels = Self { in_use, ..Self::default() };
        let mut places = 0_usize;
        for &level in &levels {
            labels.first.push(u32::try_from(places).expect("fewer than 2^32 places: each takes memory"));
            places += 8 * (in_use >> level).count_ones() as usize;
        }
        labels.places = vec![LabelPlace::default(); places];
        labels.levels = levels;
        for (item, b, level) in fixed {
            // Two fixed items never meet: coarser than its own level, only moving items look for it.
            let at = 1 << level | moving & (u64::MAX << level);
            for l in (0..LEVELS as u32).filter(|l| at >> l & 1 == 1) {
                for_cells(cell_range(b, l), |at| {
                    let bucket = labels.bucket(cell(l, at));
                    let bucket = &mut labels.buckets[bucket as usize];
                    if l == *level { &mut bucket.own_fixed } else { &mut bucket.finer_fixed }.push(*item);
                });
            }
        }
        labels
    }

    /// The level of a moving item.
    #[inline]
    pub(super) fn level(&self, item: u32) -> u32 {
        self.levels[item as usize]
    }

    /// The levels of all moving items.
    pub(super) fn into_levels(self) -> Vec<u32> {
        self.levels
    }

    /// Moves an item from one box to another; either may be empty. `held` are the boxes by which all labels stand.
    /// `observer` is told of every item that it leaves in a cell or finds in one, at the coarser level of the two.
    pub(super) fn update(
        &mut self,
        item: u32,
        from: &LatticeBox,
        to: &LatticeBox,
        held: &[LatticeBox],
        observer: &mut impl CellObserver,
    ) {
        let own = self.level(item);
        let mut first = self.first[item as usize];
        let mut levels = self.in_use & (u64::MAX << own);
        while levels != 0 {
            let level = levels.trailing_zeros();
            levels &= levels - 1;
            let old = (!from.is_empty()).then(|| cell_range(from, level));
            let new = (!to.is_empty()).then(|| cell_range(to, level));
            if old == new {
                return; // so are all coarser ones
            }
            for_cells_outside(old, new, |at| {
                self.leave(level, at, first, level == own, |other| observer.part(item, other));
            });
            for_cells_outside(new, old, |at| {
                let step = CellEntry { item, level, cell: at, old, new: new.unwrap_or_default() };
                self.enter(level, at, item, first, level == own, |other| observer.meet(&step, other, held));
            });
            first += 8;
        }
    }

    fn enter(&mut self, level: u32, at: [u32; 3], item: u32, first: u32, own: bool, meet: impl FnMut(u32)) {
        self.touched += 1;
        let index = self.bucket(cell(level, at));
        let bucket = &mut self.buckets[index as usize];
        others(bucket, own, meet);
        let place = first + corner(at);
        let list = if own { &mut bucket.own } else { &mut bucket.finer };
        self.places[place as usize] = LabelPlace { bucket: index, position: list.len() as u32 };
        list.push(Label { item, place });
    }

    fn leave(&mut self, level: u32, at: [u32; 3], first: u32, own: bool, part: impl FnMut(u32)) {
        self.touched += 1;
        let LabelPlace { bucket: index, position } = self.places[(first + corner(at)) as usize];
        let bucket = &mut self.buckets[index as usize];
        let list = if own { &mut bucket.own } else { &mut bucket.finer };
        list.swap_remove(position as usize);
        if let Some(moved) = list.get(position as usize) {
            self.places[moved.place as usize].position = position;
        }
        others(bucket, own, part);
        if bucket.is_empty() {
            self.cells.remove(&cell(level, at));
            self.free.push(index);
        }
    }

    /// The bucket of a cell, a new one if it has none.
    #[inline]
    fn bucket(&mut self, cell: CellKey) -> u32 {
        let (buckets, free) = (&mut self.buckets, &mut self.free);
        *self.cells.entry(cell).or_insert_with(|| {
            free.pop().unwrap_or_else(|| {
                buckets.push(Bucket::default());
                buckets.len() as u32 - 1
            })
        })
    }
}

/// Lowest and highest cell along each axis.
pub(super) type CellRange = [[u32; 3]; 2];

/// A moving item enters a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellEntry {
    pub(super) item: u32,
    pub(super) level: u32,
    pub(super) cell: [u32; 3],
    /// Its cells at this level before, if it was anywhere, and now.
    pub(super) old: Option<CellRange>,
    pub(super) new: CellRange,
}

/// Who wants to know which items come to share cells, or share them no more.
pub(super) trait CellObserver {
    /// The item of `step` finds another one in the cell. `held`: the boxes of the moving items by which their labels
    /// stand, that of the item in question the new one already.
    fn meet(&mut self, step: &CellEntry, other: u32, held: &[LatticeBox]);
    /// The item leaves another one behind in a cell.
    fn part(&mut self, item: u32, other: u32);
    /// All items are about to be taken out of all cells, without a word, and put back.
    fn restart(&mut self);
}

/// Which of the eight places of a level belongs to a cell.
#[inline]
fn corner([x, y, z]: [u32; 3]) -> u32 {
    x & 1 | (y & 1) << 1 | (z & 1) << 2
}

/// Calls `each` with the items that an item meets in a bucket, which does not hold its own label.
#[inline]
fn others(bucket: &Bucket, own: bool, mut each: impl FnMut(u32)) {
    bucket.own.iter().for_each(|label| each(label.item));
    bucket.own_fixed.iter().for_each(|&item| each(item));
    if own {
        bucket.finer.iter().for_each(|label| each(label.item));
        bucket.finer_fixed.iter().for_each(|&item| each(item));
    }
}

#[inline]
fn for_cells([from, to]: CellRange, mut each: impl FnMut([u32; 3])) {
    for z in from[2]..=to[2] {
        for y in from[1]..=to[1] {
            for x in from[0]..=to[0] {
                each([x, y, z]);
            }
        }
    }
}

/// The cells of one range that are not in the other.
#[inline]
fn for_cells_outside(range: Option<CellRange>, other: Option<CellRange>, mut each: impl FnMut([u32; 3])) {
    let Some(range) = range else { return };
    for_cells(range, |at| {
        let inside = other.is_some_and(|[from, to]| (0..3).all(|k| from[k] <= at[k] && at[k] <= to[k]));
        if !inside {
            each(at);
        }
    });
}
