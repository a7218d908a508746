//! The window that the CPU reference fills with pairs.

use super::super::kernel::records::ItemPair;

/// A window of the places of pairs.
pub(super) struct WindowPlaces<'a> {
    pub(super) start: u32,
    pub(super) size: u32,
    pub(super) pairs: &'a mut [ItemPair],
}

impl WindowPlaces<'_> {
    /// Puts a pair to its place, if it is in the window.
    pub(super) fn put(&mut self, place: u32, pair: ItemPair) {
        if let Some(at) = place.checked_sub(self.start).filter(|&at| at < self.size) {
            self.pairs[at as usize] = pair;
        }
    }
}
