//! Working memory of batches.

use super::many_pairs::ManyPairs;
use super::one_pair::OnePairMemory;

/// Working memory of batches.
#[derive(Debug, Default)]
pub(crate) struct BatchMemory {
    pub(crate) many_pairs: ManyPairs,
    pub(crate) one_pair: OnePairMemory,
}
