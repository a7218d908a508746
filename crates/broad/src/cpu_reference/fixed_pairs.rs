//! CPU reference of `kernels/fixed_pairs.wgsl`.

use super::super::kernel::records::{DeviceBox, FixedParams, ItemPair};
use super::tree::visit;
use super::window_places::WindowPlaces;

/// Counts the fixed boxes that each item overlaps.
pub(super) fn count(
    params: &FixedParams,
    nodes: &[DeviceBox],
    _: &[u32],
    counts: &mut [u32],
    _: &mut [ItemPair],
    sweeps: &[DeviceBox],
) {
    for at in 0..params.count {
        let mut found = 0;
        let own = &sweeps[(params.first + at) as usize];
        visit(&params.tree, nodes, own, 0, &mut |_| found += 1);
        counts[(params.base + at) as usize] = found;
    }
}

/// The pairs of the window.
pub(super) fn fill(
    params: &FixedParams,
    nodes: &[DeviceBox],
    order: &[u32],
    counts: &mut [u32],
    pairs: &mut [ItemPair],
    sweeps: &[DeviceBox],
) {
    let mut window = WindowPlaces { start: params.window_start, size: params.window_size, pairs };
    for at in 0..params.count {
        let (item, mut place) = (params.first + at, counts[(params.base + at) as usize]);
        visit(&params.tree, nodes, &sweeps[item as usize], 0, &mut |leaf| {
            window.put(place, ItemPair { item, other: params.slots + order[leaf as usize] });
            place += 1;
        });
    }
}
