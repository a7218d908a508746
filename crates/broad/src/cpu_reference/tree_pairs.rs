//! CPU reference of `kernels/tree_pairs.wgsl`.

use super::super::kernel::records::{DeviceBox, ItemPair, TreeParams};
use super::tree::visit;
use super::window_places::WindowPlaces;

/// Counts the leaves behind each leaf that it overlaps.
pub(super) fn count(params: &TreeParams, nodes: &[DeviceBox], _: &[u32], counts: &mut [u32], _: &mut [ItemPair]) {
    for at in 0..params.count {
        let (leaf, mut found) = (params.first + at, 0);
        visit(&params.tree, nodes, &nodes[leaf as usize], leaf + 1, &mut |_| found += 1);
        counts[at as usize] = found;
    }
}

/// The pairs of the window.
pub(super) fn fill(
    params: &TreeParams,
    nodes: &[DeviceBox],
    order: &[u32],
    counts: &mut [u32],
    pairs: &mut [ItemPair],
) {
    let mut window = WindowPlaces { start: params.window_start, size: params.window_size, pairs };
    for at in 0..params.count {
        let (leaf, mut place) = (params.first + at, counts[at as usize]);
        visit(&params.tree, nodes, &nodes[leaf as usize], leaf + 1, &mut |other| {
            window.put(place, ItemPair { item: order[leaf as usize], other: order[other as usize] });
            place += 1;
        });
    }
}
