//! Twins of `kernels/brute_pairs.wgsl`, `kernels/tree_pairs.wgsl` and `kernels/fixed_pairs.wgsl`.

use super::super::kernel::records::{BruteParams, DeviceBox, FixedParams, ItemPair, SweptBox, TreeParams};
use super::tree::visit;

/// Where pairs go: a window of their places.
struct Window<'a> {
    start: u32,
    size: u32,
    pairs: &'a mut [ItemPair],
}

impl Window<'_> {
    /// Puts a pair to its place, if it is in the window.
    fn put(&mut self, place: u32, pair: ItemPair) {
        if let Some(at) = place.checked_sub(self.start).filter(|&at| at < self.size) {
            self.pairs[at as usize] = pair;
        }
    }
}

/// Shows the pairs of one item of a small world.
fn brute(params: &BruteParams, sweeps: &[SweptBox], item: u32, show: &mut impl FnMut(ItemPair)) {
    let world = item / params.slots * params.slots;
    let own = sweeps[item as usize].around;
    for other in item + 1 - world..params.slots {
        if own.overlaps(&sweeps[(world + other) as usize].around) {
            show(ItemPair { item, other });
        }
    }
}

/// How many pairs each item has.
pub(super) fn count_brute(params: &BruteParams, sweeps: &[SweptBox], counts: &mut [u32], _: &mut [ItemPair]) {
    for item in 0..params.slots * params.worlds {
        let mut found = 0;
        brute(params, sweeps, item, &mut |_| found += 1);
        counts[item as usize] = found;
    }
}

/// The pairs of the window.
pub(super) fn fill_brute(params: &BruteParams, sweeps: &[SweptBox], counts: &mut [u32], pairs: &mut [ItemPair]) {
    let mut window = Window { start: params.window_start, size: params.window_size, pairs };
    for item in 0..params.slots * params.worlds {
        let mut place = counts[item as usize];
        brute(params, sweeps, item, &mut |pair| {
            window.put(place, pair);
            place += 1;
        });
    }
}

/// How many leaves after its own each leaf overlaps.
pub(super) fn count_tree(params: &TreeParams, nodes: &[DeviceBox], _: &[u32], counts: &mut [u32], _: &mut [ItemPair]) {
    for at in 0..params.count {
        let (leaf, mut found) = (params.first + at, 0);
        visit(&params.tree, nodes, &nodes[leaf as usize], leaf + 1, &mut |_| found += 1);
        counts[at as usize] = found;
    }
}

/// The pairs of the window.
pub(super) fn fill_tree(
    params: &TreeParams,
    nodes: &[DeviceBox],
    order: &[u32],
    counts: &mut [u32],
    pairs: &mut [ItemPair],
) {
    let mut window = Window { start: params.window_start, size: params.window_size, pairs };
    for at in 0..params.count {
        let (leaf, mut place) = (params.first + at, counts[at as usize]);
        visit(&params.tree, nodes, &nodes[leaf as usize], leaf + 1, &mut |other| {
            window.put(place, ItemPair { item: order[leaf as usize], other: order[other as usize] });
            place += 1;
        });
    }
}

/// How many fixed boxes each item overlaps.
pub(super) fn count_fixed(
    params: &FixedParams,
    nodes: &[DeviceBox],
    _: &[u32],
    counts: &mut [u32],
    _: &mut [ItemPair],
    sweeps: &[SweptBox],
) {
    for at in 0..params.count {
        let mut found = 0;
        let own = &sweeps[(params.first + at) as usize].around;
        visit(&params.tree, nodes, own, 0, &mut |_| found += 1);
        counts[(params.base + at) as usize] = found;
    }
}

/// The pairs of the window.
pub(super) fn fill_fixed(
    params: &FixedParams,
    nodes: &[DeviceBox],
    order: &[u32],
    counts: &mut [u32],
    pairs: &mut [ItemPair],
    sweeps: &[SweptBox],
) {
    let mut window = Window { start: params.window_start, size: params.window_size, pairs };
    for at in 0..params.count {
        let (item, mut place) = (params.first + at, counts[(params.base + at) as usize]);
        visit(&params.tree, nodes, &sweeps[item as usize].around, 0, &mut |leaf| {
            window.put(place, ItemPair { item, other: params.slots + order[leaf as usize] });
            place += 1;
        });
    }
}
