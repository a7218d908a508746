//! CPU reference of `kernels/add_block_sums.wgsl`.

use super::super::kernel::records::{ItemParams, SCAN_ITEMS};

/// Adds the sums of the blocks before.
pub(super) fn add_block_sums(params: &ItemParams, values: &mut [u32], sums: &[u32]) {
    for (block, sum) in values[..params.items as usize].chunks_mut(SCAN_ITEMS as usize).zip(sums) {
        block.iter_mut().for_each(|value| *value = value.saturating_add(*sum));
    }
}
