//! Branch and bound: the open parts of all searches, their order and their limit.
//!
//! A part is a node of a tree, a pair of nodes of two trees, or a span of time. A search takes one
//! open part after the other: `while let Some(part) = open.next_unless(is_beyond)`. It replaces the
//! part by its parts, or solves a leaf (Land and Doig 1960).
//!
//! Descents without an order stay plain loops over a stack: rays, passages of edges, pairs in the
//! order of the trees, and covers of separated nodes. A sweep has two orders that take turns.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A part of a search.
pub(crate) trait Part: Copy {
    /// The greater of two parts is taken first.
    fn order(&self, other: &Self) -> Ordering;
}

/// A heap: the greatest of all open parts is taken first.
#[derive(Debug)]
pub(crate) struct BestFirst<P: Part>(BinaryHeap<Ranked<P>>);

/// A part, compared by [`Part::order`].
#[derive(Debug)]
struct Ranked<P>(P);

impl<P: Part> Ord for Ranked<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

impl<P: Part> PartialOrd for Ranked<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P: Part> PartialEq for Ranked<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<P: Part> Eq for Ranked<P> {}

impl<P: Part> Default for BestFirst<P> {
    fn default() -> Self {
        Self(BinaryHeap::new())
    }
}

impl<P: Part> BestFirst<P> {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn push(&mut self, part: P) {
        self.0.push(Ranked(part));
    }

    /// The part that is taken next.
    pub(crate) fn first(&self) -> Option<P> {
        self.0.peek().map(|ranked| ranked.0)
    }

    /// Takes the first part out, unless it is beyond the limit: all others are so, too, and stay.
    pub(crate) fn next_unless(&mut self, is_beyond: impl FnOnce(&P) -> bool) -> Option<P> {
        let part = self.first().filter(|part| !is_beyond(part))?;
        self.0.pop();
        Some(part)
    }

    /// The parts, in the order of the heap's memory.
    pub(crate) fn iter(&self) -> impl Iterator<Item = P> {
        self.0.iter().map(|ranked| ranked.0)
    }

    /// Takes all parts out, in the order of the heap's memory.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = P> {
        self.0.drain().map(|ranked| ranked.0)
    }
}

/// A stack: the parts that were pushed last come first, the greatest of them before the others.
#[derive(Debug)]
pub(crate) struct DepthFirst<P> {
    parts: Vec<P>,
    /// Parts that are in order.
    arranged: usize,
}

impl<P> Default for DepthFirst<P> {
    fn default() -> Self {
        Self { parts: Vec::new(), arranged: 0 }
    }
}

impl<P: Part> DepthFirst<P> {
    /// Begins a search from one part.
    pub(crate) fn begin(&mut self, root: P) {
        self.parts.clear();
        self.parts.push(root);
        self.arranged = 0;
    }

    pub(crate) fn push(&mut self, part: P) {
        self.parts.push(part);
    }

    /// Takes the first part out that is not beyond the limit; those before it are left out.
    pub(crate) fn next_unless(&mut self, mut is_beyond: impl FnMut(&P) -> bool) -> Option<P> {
        self.parts[self.arranged..].sort_by(P::order);
        while let Some(part) = self.parts.pop() {
            self.arranged = self.parts.len();
            if !is_beyond(&part) {
                return Some(part);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Part for u32 {
        fn order(&self, other: &Self) -> Ordering {
            self.cmp(other)
        }
    }

    /// The numbers below 15 in the order in which a search takes them; `n` has the parts `2 n + 1`
    /// and `2 n + 2`.
    fn taken(mut next: impl FnMut(&[u32]) -> Option<u32>) -> Vec<u32> {
        let mut taken = Vec::new();
        let mut parts = vec![0];
        while let Some(number) = next(&parts) {
            taken.push(number);
            parts = [2 * number + 1, 2 * number + 2].into_iter().filter(|&part| part < 15).collect();
        }
        taken
    }

    #[test]
    fn a_heap_takes_the_greatest_and_ends_at_the_limit() {
        let of_limit = |least: u32| {
            let mut open = BestFirst::default();
            taken(|parts| {
                parts.iter().for_each(|&part| open.push(part));
                open.next_unless(|&part| 0 < part && part < least)
            })
        };
        assert_eq!(of_limit(0), [0, 2, 6, 14, 13, 5, 12, 11, 1, 4, 10, 9, 3, 8, 7]);
        assert_eq!(of_limit(6), [0]);
    }

    #[test]
    fn a_stack_goes_down_first_and_leaves_out_what_is_beyond_the_limit() {
        let of_limit = |least: u32| {
            let mut open = DepthFirst::default();
            taken(|parts| {
                parts.iter().for_each(|&part| open.push(part));
                open.next_unless(|&part| 0 < part && part < least)
            })
        };
        assert_eq!(of_limit(0), [0, 2, 6, 14, 13, 5, 12, 11, 1, 4, 10, 9, 3, 8, 7]);
        assert_eq!(of_limit(2), [0, 2, 6, 14, 13, 5, 12, 11]);
    }
}
