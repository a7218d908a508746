//! Twins of `kernels/gather_leaves.wgsl`, `kernels/build_level.wgsl`, and of the walk in `kernels/tree.wgsl`.

use super::super::kernel::records::{DeviceBox, ItemParams, LevelParams, SweptBox, Tree, WIDTH_BITS};

/// The leaves in sorted order.
pub(super) fn gather_leaves(params: &ItemParams, sweeps: &[SweptBox], order: &[u32], nodes: &mut [DeviceBox]) {
    for leaf in 0..params.items as usize {
        nodes[leaf] = sweeps[order[leaf] as usize].around;
    }
}

/// One level: bounds of the children of each node.
pub(super) fn build_level(params: &LevelParams, nodes: &mut [DeviceBox]) {
    let LevelParams { child_start, children, start, count } = *params;
    for node in 0..count {
        let first = node << WIDTH_BITS;
        let end = (first + (1 << WIDTH_BITS)).min(children);
        let children = &nodes[(child_start + first) as usize..(child_start + end) as usize];
        let bounds = children.iter().copied().reduce(|all, own| DeviceBox {
            min: std::array::from_fn(|k| all.min[k].min(own.min[k])),
            max: std::array::from_fn(|k| all.max[k].max(own.max[k])),
        });
        nodes[(start + node) as usize] = bounds.unwrap_or(DeviceBox::EMPTY);
    }
}

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
