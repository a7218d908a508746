//! CPU reference of the walk in `kernels/tree.wgsl`.

use super::super::kernel::records::{DeviceBox, Tree, WIDTH_BITS};

/// Visits the leaves from `from` on that overlap a box, in order: recursively, unlike the kernel.
pub(super) fn visit(tree: &Tree, nodes: &[DeviceBox], own: &DeviceBox, from: u32, visit: &mut impl FnMut(u32)) {
    if tree.leaves > 0 {
        descend(tree, nodes, own, from, (tree.top, 0), visit);
    }
}

fn descend(
    tree: &Tree,
    nodes: &[DeviceBox],
    own: &DeviceBox,
    from: u32,
    (level, node): (u32, u32),
    visit: &mut impl FnMut(u32),
) {
    let is_before = (u64::from(node) + 1) << (WIDTH_BITS * level) <= u64::from(from);
    if is_before || !own.overlaps(&nodes[(tree.starts[level as usize] + node) as usize]) {
        return;
    }
    if level == 0 {
        return visit(node);
    }
    let first = node << WIDTH_BITS;
    for child in first..(first + (1 << WIDTH_BITS)).min(tree.count(level - 1)) {
        descend(tree, nodes, own, from, (level - 1, child), visit);
    }
}
