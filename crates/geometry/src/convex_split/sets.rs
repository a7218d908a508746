//! Disjoint sets whose members know whether they agree with the first member of their set.

/// Numbers from 0 in sets (Tarjan 1975, with halving of paths). The leader of a set is its least
/// member.
pub struct ParitySets {
    leader: Vec<u32>,
    /// Whether a member differs from the one that `leader` names.
    differs: Vec<bool>,
}

impl ParitySets {
    /// Returns `count` sets of one member each.
    pub fn new(count: usize) -> Self {
        Self { leader: (0..count as u32).collect(), differs: vec![false; count] }
    }

    /// Joins the set of `a` and the set of `b`. `differ`: whether `a` and `b` have different
    /// parities. Returns whether that agrees with what was stated before.
    pub fn join(&mut self, a: u32, b: u32, differ: bool) -> bool {
        let ((a, of_a), (b, of_b)) = (self.find(a), self.find(b));
        let differ = of_a ^ of_b ^ differ;
        if a == b {
            return !differ;
        }
        let later = a.max(b) as usize;
        (self.leader[later], self.differs[later]) = (a.min(b), differ);
        true
    }

    /// For each member the number of its set, in order of their first members, and whether it
    /// differs from the first.
    pub fn numbered(mut self) -> (Vec<u32>, Vec<bool>) {
        let mut number = vec![0; self.leader.len()];
        let mut count = 0;
        for member in 0..number.len() {
            let (first, differs) = self.find(member as u32);
            let is_first = first as usize == member;
            number[member] = if is_first { count } else { number[first as usize] };
            count += u32::from(is_first);
            // All later members find the leader through their own entries.
            (self.leader[member], self.differs[member]) = (first, differs);
        }
        (number, self.differs)
    }

    fn find(&mut self, member: u32) -> (u32, bool) {
        let (mut at, mut differs) = (member as usize, false);
        while self.leader[at] as usize != at {
            let above = self.leader[at] as usize;
            self.differs[at] ^= self.differs[above];
            self.leader[at] = self.leader[above];
            differs ^= self.differs[at];
            at = self.leader[at] as usize;
        }
        (at as u32, differs)
    }
}

#[cfg(test)]
mod tests {
    use super::ParitySets;

    #[test]
    fn members_agree_with_the_first_of_their_set_or_differ() {
        let mut sets = ParitySets::new(7);
        assert!(sets.join(6, 4, true) && sets.join(4, 2, true) && sets.join(3, 5, false));
        assert!(sets.join(6, 2, false) && !sets.join(6, 2, true), "two differences are none");
        let (numbers, differs) = sets.numbered();
        assert_eq!(numbers, [0, 1, 2, 3, 2, 3, 2]);
        assert_eq!(differs, [false, false, false, false, true, false, false]);
    }
}
