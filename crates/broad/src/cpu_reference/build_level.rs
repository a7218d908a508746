//! CPU reference of `kernels/build_level.wgsl`.

use super::super::kernel::records::{DeviceBox, LevelParams, WIDTH_BITS};

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
