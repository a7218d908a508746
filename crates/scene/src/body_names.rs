//! Which names the bodies of a scene have so far.

use super::body_spec::BodySpec;
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;

/// The names of a list of bodies. A name is held by its body, and here only its hash is.
#[derive(Default)]
pub(super) struct BodyNames {
    /// Hashes names with a key of its own, so that no file can make its names meet.
    hasher: RandomState,
    /// The index of the first body by the hash of its name.
    by_hash: FxHashMap<u64, usize>,
    /// Indices of the bodies whose name has the same hash as another name.
    others: HashMap<String, usize>,
}

impl BodyNames {
    /// Adds the name of the body that is to follow `bodies`, whose names were all added before; the
    /// index of the body that has it already.
    pub(super) fn add(&mut self, name: &str, bodies: &[BodySpec]) -> Option<usize> {
        let hash = self.hasher.hash_one(name);
        self.add_hashed(hash, name, bodies.len(), |body| bodies[body].name.as_str())
    }

    fn add_hashed<'b>(
        &mut self,
        hash: u64,
        name: &str,
        next: usize,
        name_of: impl Fn(usize) -> &'b str,
    ) -> Option<usize> {
        match self.by_hash.entry(hash) {
            Entry::Vacant(entry) => {
                entry.insert(next);
                None
            }
            Entry::Occupied(first) if name_of(*first.get()) == name => Some(*first.get()),
            Entry::Occupied(_) => match self.others.entry(name.to_owned()) {
                Entry::Vacant(entry) => {
                    entry.insert(next);
                    None
                }
                Entry::Occupied(first) => Some(*first.get()),
            },
        }
    }

    /// Whether one of `bodies`, whose names were all added, has a name.
    pub(super) fn has(&self, name: &str, bodies: &[BodySpec]) -> bool {
        let first = self.by_hash.get(&self.hasher.hash_one(name));
        first.is_some_and(|&body| bodies[body].name == name) || self.others.contains_key(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_hash_are_told_apart() {
        let names = ["a", "b", "c", "b", "a", "c"];
        let mut seen = BodyNames::default();
        let found = (0..names.len()).map(|next| seen.add_hashed(7, names[next], next, |body| names[body]));
        assert_eq!(found.collect::<Vec<_>>(), [None, None, None, Some(1), Some(0), Some(2)]);
    }
}
