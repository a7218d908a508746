//! CPU reference of `kernels/radix_scatter.wgsl`.

use super::super::kernel::records::{DIGITS, RadixParams};
use super::radix_count::digit;

/// Keys and values at their places.
pub(super) fn radix_scatter(
    params: &RadixParams,
    keys: &[u32],
    values: &[u32],
    starts: &[u32],
    sorted_keys: &mut [u32],
    sorted_values: &mut [u32],
) {
    let groups = params.groups as usize;
    let mut next = starts.to_vec();
    for at in 0..params.items as usize {
        let place = &mut next[digit(keys[at], params.shift) * groups + at / DIGITS as usize];
        sorted_keys[*place as usize] = keys[at];
        sorted_values[*place as usize] = values[at];
        *place += 1;
    }
}
