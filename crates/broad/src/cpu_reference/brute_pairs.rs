//! CPU reference of `kernels/brute_pairs.wgsl`.

use super::super::kernel::records::{BruteParams, DeviceBox, ItemPair};
use super::window_places::WindowPlaces;

/// Shows the pairs of one item of a small world.
fn brute(params: &BruteParams, sweeps: &[DeviceBox], item: u32, show: &mut impl FnMut(ItemPair)) {
    let world = item / params.slots * params.slots;
    let own = sweeps[item as usize];
    for other in item + 1 - world..params.slots {
        if own.overlaps(&sweeps[(world + other) as usize]) {
            show(ItemPair { item, other });
        }
    }
}

/// Counts the pairs of each item.
pub(super) fn count(params: &BruteParams, sweeps: &[DeviceBox], counts: &mut [u32], _: &mut [ItemPair]) {
    for item in 0..params.slots * params.worlds {
        let mut found = 0;
        brute(params, sweeps, item, &mut |_| found += 1);
        counts[item as usize] = found;
    }
}

/// The pairs of the window.
pub(super) fn fill(params: &BruteParams, sweeps: &[DeviceBox], counts: &mut [u32], pairs: &mut [ItemPair]) {
    let mut window = WindowPlaces { start: params.window_start, size: params.window_size, pairs };
    for item in 0..params.slots * params.worlds {
        let mut place = counts[item as usize];
        brute(params, sweeps, item, &mut |pair| {
            window.put(place, pair);
            place += 1;
        });
    }
}
