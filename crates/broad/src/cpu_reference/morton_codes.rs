//! CPU reference of `kernels/morton_codes.wgsl`.

use super::super::kernel::records::{DeviceBox, ItemParams};

/// The code of each item, and the item.
pub(super) fn morton_codes(
    params: &ItemParams,
    sweeps: &[DeviceBox],
    extent: &DeviceBox,
    codes: &mut [u32],
    order: &mut [u32],
) {
    for item in 0..params.items as usize {
        codes[item] = code(&sweeps[item], extent);
        order[item] = item as u32;
    }
}

/// Ten bits of each coordinate of the centre, x lowest; all ones for an empty box.
fn code(own: &DeviceBox, extent: &DeviceBox) -> u32 {
    if own.is_empty() {
        return u32::MAX;
    }
    let widest = (0..3).map(|k| extent.max[k] - extent.min[k]).max().unwrap_or(0);
    let shift = (u32::BITS - widest.leading_zeros()).max(10) - 10;
    let cell = |k: usize| (own.min[k] + (own.max[k] - own.min[k]) / 2 - extent.min[k]) >> shift;
    (0..30).fold(0, |code, bit| code | (cell(bit % 3) >> (bit / 3) & 1) << bit)
}
