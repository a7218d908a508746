//! Twins of `kernels/radix_count.wgsl` and `kernels/radix_scatter.wgsl`.

use super::super::kernel::records::{DIGITS, RadixParams};

/// The digit of a key.
fn digit(key: u32, shift: u32) -> usize {
    (key >> shift & (DIGITS - 1)) as usize
}

/// How often each digit occurs among the keys of each group.
pub(super) fn radix_count(params: &RadixParams, keys: &[u32], counts: &mut [u32]) {
    let groups = params.groups as usize;
    counts[..groups * DIGITS as usize].fill(0);
    for (group, keys) in keys[..params.items as usize].chunks(DIGITS as usize).enumerate() {
        keys.iter().for_each(|&key| counts[digit(key, params.shift) * groups + group] += 1);
    }
}

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
