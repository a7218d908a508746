//! CPU reference of `kernels/scan_blocks.wgsl`.

use super::super::kernel::records::{ItemParams, SCAN_ITEMS};

/// Sums of what comes before each value of a block, and of whole blocks.
pub(super) fn scan_blocks(params: &ItemParams, values: &mut [u32], sums: &mut [u32]) {
    for (block, sum) in values[..params.items as usize].chunks_mut(SCAN_ITEMS as usize).zip(sums) {
        *sum = block.iter_mut().fold(0, |before, value| before.saturating_add(std::mem::replace(value, before)));
    }
}
