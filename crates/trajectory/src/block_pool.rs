//! Blocks that are filled again.

use clearsweep_model::FrameBlock;
use std::sync::{Arc, Mutex, PoisonError};

/// Blocks that are kept, at most.
const KEPT: usize = 3;

/// Bytes of a block above which it is not kept.
const LARGE: usize = 8 << 20;

/// Blocks that their consumer has done with, for their memory: to fill fresh pages costs more than
/// to read into them.
#[derive(Debug, Clone, Default)]
pub struct BlockPool(Arc<Mutex<Vec<FrameBlock>>>);

impl BlockPool {
    /// Takes a block that is no longer needed. Few are kept, and no large ones: they would add to
    /// the memory in use.
    pub fn give(&self, block: FrameBlock) {
        let mut list = self.list();
        if list.len() < KEPT && size_of_val(block.lanes.as_slice()) <= LARGE {
            list.push(block);
        }
    }

    /// An empty block of so many slots.
    pub(super) fn block(&self, index: u64, slots: usize) -> FrameBlock {
        let spare = self.list().pop().filter(|block| block.present.len() == slots);
        spare.map_or_else(|| FrameBlock::new(index, slots), |block| block.renewed(index))
    }

    /// A poisoned list is still a list of blocks.
    fn list(&self) -> std::sync::MutexGuard<'_, Vec<FrameBlock>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
