//! Disjoint sets with halved paths (Tarjan and van Leeuwen 1984).

use rustc_hash::FxHashMap;

/// Disjoint sets of the numbers below a count.
pub(super) struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// Creates a set for each number.
    pub(super) fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// Returns the root of the set of a number.
    pub(super) fn root(&mut self, mut number: u32) -> u32 {
        while self.0[number as usize] != number {
            let above = self.0[self.0[number as usize] as usize];
            self.0[number as usize] = above;
            number = above;
        }
        number
    }

    /// Unites two sets; the lower root stays.
    pub(super) fn unite(&mut self, first: u32, second: u32) {
        let (first, second) = (self.root(first), self.root(second));
        self.0[first.max(second) as usize] = first.min(second);
    }

    /// Returns the sets by their first numbers, the numbers of each ascending.
    pub(super) fn classes(mut self) -> Vec<Vec<u32>> {
        let mut classes: Vec<Vec<u32>> = Vec::new();
        let mut of_root: FxHashMap<u32, usize> = FxHashMap::default();
        for i in 0..self.0.len() as u32 {
            let at = *of_root.entry(self.root(i)).or_insert(classes.len());
            if at == classes.len() {
                classes.push(Vec::new());
            }
            classes[at].push(i);
        }
        classes
    }
}
