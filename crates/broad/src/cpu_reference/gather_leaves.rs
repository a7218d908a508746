//! CPU reference of `kernels/gather_leaves.wgsl`.

use super::super::kernel::records::{DeviceBox, ItemParams};

/// The leaves in sorted order.
pub(super) fn gather_leaves(params: &ItemParams, sweeps: &[DeviceBox], order: &[u32], nodes: &mut [DeviceBox]) {
    for leaf in 0..params.items as usize {
        nodes[leaf] = sweeps[order[leaf] as usize];
    }
}
