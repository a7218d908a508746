//! Pairs that are never reported.

use crate::body::{Body, Motion};

/// Which pairs are never reported, made for a question per pair in the innermost search loop.
///
/// Bodies that every rule treats alike share a class; a bit matrix over the classes answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IgnoredPairs {
    /// Class of each body; empty where nothing is ignored.
    pub class: Vec<u32>,
    /// Number of classes.
    pub classes: usize,
    /// Bit `c * classes + d`: pairs of class `c` and `d` are ignored (symmetric).
    pub matrix: Vec<u64>,
}

impl IgnoredPairs {
    /// Whether the pair is ignored.
    #[inline]
    pub fn contains(&self, a: u32, b: u32) -> bool {
        if self.class.is_empty() {
            return false;
        }
        let bit = self.class[a as usize] as usize * self.classes + self.class[b as usize] as usize;
        self.matrix[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Number of ignored pairs of the bodies that are counted, by classes and not one by one; pairs
    /// of two static bodies count with `static_pairs`.
    pub fn count_ignored(&self, bodies: &[Body], static_pairs: bool, is_counted: impl Fn(&Body) -> bool) -> u64 {
        if self.class.is_empty() {
            return 0;
        }
        let mut members = vec![[0_u64; 2]; self.classes];
        for (body, &class) in bodies.iter().zip(&self.class).filter(|(body, _)| is_counted(body)) {
            members[class as usize][usize::from(matches!(body.motion, Motion::Static(_)))] += 1;
        }
        let mut count = 0;
        for c in 0..self.classes {
            for d in c..self.classes {
                let bit = c * self.classes + d;
                if self.matrix[bit / 64] >> (bit % 64) & 1 == 0 {
                    continue;
                }
                let ([dc, sc], [dd, sd]) = (members[c], members[d]);
                count += match c == d {
                    true => own_pairs(dc, sc, static_pairs),
                    false => dc * dd + dc * sd + sc * dd + if static_pairs { sc * sd } else { 0 },
                };
            }
        }
        count
    }

    /// Lets pairs of a body of class `c` and one of class `d`, in this order, be ignored.
    pub fn mark(&mut self, c: usize, d: usize) {
        let bit = c * self.classes + d;
        self.matrix[bit / 64] |= 1 << (bit % 64);
    }
}

/// Pairs among so many dynamic and static bodies.
pub fn own_pairs(dynamic: u64, fixed: u64, static_pairs: bool) -> u64 {
    let choose_two = |n: u64| n * n.saturating_sub(1) / 2;
    choose_two(dynamic) + dynamic * fixed + if static_pairs { choose_two(fixed) } else { 0 }
}
