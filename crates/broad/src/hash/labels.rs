//! The labels of the coherent variant: which items are in which cells.
//!
//! Source: Mirtich 1997, section 2.2. An item has a label in every cell that it touches at its own
//! level and at each coarser level in use. Two items meet in a cell whose level is the *own* level
//! of one of them, the coarser one. So a cell keeps the labels of its own level apart from those of
//! finer levels, and an item that enters a cell of a coarser level meets only the former.
//!
//! A label is removed in constant time: each moving item stores the position of each of its labels.
//! An item touches at most two cells along an axis, and neighbouring cells differ in parity. So the
//! parities of a cell's coordinates select one of eight places at each level.

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

/// The position of a label.
#[derive(Debug, Clone, Copy, Default)]
struct LabelPlace {
    bucket: u32,
    position: u32,
}

/// The labels in a cell.
#[derive(Debug, Default)]
struct Bucket {
    /// The labels of moving items of this level.
    own: Vec<Label>,
    /// The labels of moving items of finer levels.
    finer: Vec<Label>,
    /// The fixed items of this level.
    own_fixed: Vec<u32>,
    /// The fixed items of finer levels.
    finer_fixed: Vec<u32>,
}

impl Bucket {
    fn is_empty(&self) -> bool {
        self.own.is_empty() && self.finer.is_empty() && self.own_fixed.is_empty() && self.finer_fixed.is_empty()
    }
}

/// The key of a cell: its level and its coordinates, exactly, in two words.
type CellKey = (u64, u64);

/// The key of the cell with these coordinates at a level.
#[inline]
fn cell_key(level: u32, [x, y, z]: [u32; 3]) -> CellKey {
    (u64::from(x) | u64::from(y) << 32, u64::from(z) | u64::from(level) << 32)
}

/// The labels in all cells. The moving items are numbered from 0, the fixed ones follow.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// The level of each moving item.
    levels: Vec<u32>,
    /// Bit `l` is set if level `l` is the own level of an item.
    in_use: u64,
    /// The index of the first place of each moving item.
    first: Vec<u32>,
    /// Eight places for each level of each moving item.
    places: Vec<LabelPlace>,
    /// The index of the bucket of each cell in use.
    cells: FxHashMap<CellKey, u32>,
    buckets: Vec<Bucket>,
    /// The indices of empty buckets.
    free: Vec<u32>,
    /// The number of labels added and removed, for experiments.
    pub(super) touched: u64,
}

impl Labels {
    /// The most items, moving and fixed together, whose labels and cells 32 bits can number: an
    /// item has at most eight labels, each in a cell of its own, at each level.
    pub(super) const MOST_ITEMS: usize = u32::MAX as usize / (8 * LEVELS);

    /// The labels of the fixed items `(item, box, level)`. The moving items, whose own levels are
    /// `levels`, have none yet. There are at most [`Self::MOST_ITEMS`] of both.
    pub(super) fn new(levels: Vec<u32>, fixed: &[(u32, LatticeBox, u32)]) -> Self {
        let mask = |levels: &mut dyn Iterator<Item = u32>| levels.fold(0_u64, |mask, level| mask | 1 << level);
        let moving = mask(&mut levels.iter().copied());
        let in_use = moving | mask(&mut fixed.iter().map(|f| f.2));
        let mut labels = Self { in_use, ..Self::default() };
        debug_assert!(levels.len() + fixed.len() <= Self::MOST_ITEMS, "32 bits number all labels");
        let mut places = 0;
        for &level in &levels {
            labels.first.push(places);
            places += 8 * (in_use >> level).count_ones();
        }
        labels.places = vec![LabelPlace::default(); places as usize];
        labels.levels = levels;
        for (item, b, level) in fixed {
            // Pairs of fixed items do not count, so above its own level a fixed item is stored only
            // where moving ones look.
            let at = 1 << level | moving & (u64::MAX << level);
            for l in (0..LEVELS as u32).filter(|l| at >> l & 1 == 1) {
                for_cells(cell_range(b, l), |at| {
                    let bucket = labels.bucket(cell_key(l, at));
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

    /// Moves the labels of an item from one box to another; either may be empty. `held` are the
    /// boxes that the labels of all moving items follow. `observer` is told of every item that it
    /// leaves or finds in a cell of the coarser level of the two.
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
                return; // the cells of all coarser levels are equal, too
            }
            for_cells_outside(old, new, |at| {
                self.leave(level, at, first, level == own, |other| observer.on_part(item, other));
            });
            for_cells_outside(new, old, |at| {
                let entry = CellEntry { item, level, cell: at, old, new: new.unwrap_or_default() };
                self.enter(level, at, item, first, level == own, |other| observer.on_meet(&entry, other, held));
            });
            first += 8;
        }
    }

    /// Adds the label of an item to a cell and calls `meet` with the items that it meets there.
    fn enter(&mut self, level: u32, at: [u32; 3], item: u32, first: u32, own: bool, meet: impl FnMut(u32)) {
        self.touched += 1;
        let index = self.bucket(cell_key(level, at));
        let bucket = &mut self.buckets[index as usize];
        others(bucket, own, meet);
        let place = first + corner(at);
        let list = if own { &mut bucket.own } else { &mut bucket.finer };
        self.places[place as usize] = LabelPlace { bucket: index, position: list.len() as u32 };
        list.push(Label { item, place });
    }

    /// Removes the label of an item from a cell and calls `part` with the items that it met there.
    fn leave(&mut self, level: u32, at: [u32; 3], first: u32, own: bool, part: impl FnMut(u32)) {
        self.touched += 1;
        let LabelPlace { bucket: index, position } = self.places[(first + corner(at)) as usize];
        let bucket = &mut self.buckets[index as usize];
        let list = if own { &mut bucket.own } else { &mut bucket.finer };
        debug_assert_eq!(list[position as usize].place, first + corner(at), "places and labels refer to each other");
        list.swap_remove(position as usize);
        if let Some(moved) = list.get(position as usize) {
            self.places[moved.place as usize].position = position;
        }
        others(bucket, own, part);
        if bucket.is_empty() {
            self.cells.remove(&cell_key(level, at));
            self.free.push(index);
        }
    }

    /// The index of the bucket of a cell, which is made if the cell has none.
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

/// The lowest and the highest cell along each axis.
pub(super) type CellRange = [[u32; 3]; 2];

/// The entry of a moving item into a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellEntry {
    pub(super) item: u32,
    pub(super) level: u32,
    pub(super) cell: [u32; 3],
    /// The cells of the item at this level before; none if it was absent.
    pub(super) old: Option<CellRange>,
    /// The cells of the item at this level now.
    pub(super) new: CellRange,
}

/// Is told which items come to share cells, and which share them no longer.
pub(super) trait CellObserver {
    /// The item of `entry` meets another one in the cell. `held` are the boxes that the labels of
    /// the moving items follow; that of the item itself is the new one already.
    fn on_meet(&mut self, entry: &CellEntry, other: u32, held: &[LatticeBox]);
    /// The item leaves a cell in which it met another one.
    fn on_part(&mut self, item: u32, other: u32);
    /// All labels of moving items are about to be removed without calls of `on_part`, and added
    /// again.
    fn on_rebuild(&mut self);
}

/// The place, of the eight of a level, that belongs to a cell.
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

/// Calls `each` with every cell of a range.
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

/// Calls `each` with every cell of one range that is not in the other.
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
