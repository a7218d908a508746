//! CPU reference of `kernels/sweep_boxes.wgsl`.

use super::super::kernel::records::{DeviceBox, SweepParams, World};

/// The bounds of each item over the samples of its world, and of all items.
pub(super) fn sweep_boxes(
    params: &SweepParams,
    boxes: &[u32],
    worlds: &[World],
    sweeps: &mut [DeviceBox],
    extent: &mut DeviceBox,
) {
    let SweepParams { slots, items, stride, measures, .. } = *params;
    for item in 0..items {
        let World { part, first, samples, .. } = worlds[(item / slots) as usize];
        let own = ((part * slots + item % slots) * 6 * stride + first) as usize;
        let column = |column: u32| &boxes[own + (column * stride) as usize..][..samples as usize];
        let least = |c: u32| column(c).iter().fold(u32::MAX, |least, &v| least.min(v));
        let most = |c: u32| column(c).iter().fold(0, |most, &v| most.max(v));
        let around = DeviceBox { min: [0, 1, 2].map(least), max: [3, 4, 5].map(most) };
        sweeps[item as usize] = around;
        if measures == 1 && !around.is_empty() {
            for k in 0..3 {
                extent.min[k] = extent.min[k].min(around.min[k]);
                extent.max[k] = extent.max[k].max(around.max[k]);
            }
        }
    }
}
