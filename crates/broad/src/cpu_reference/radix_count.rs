//! CPU reference of `kernels/radix_count.wgsl`.

use super::super::kernel::records::{DIGITS, RadixParams};

/// The digit of a key.
pub(super) fn digit(key: u32, shift: u32) -> usize {
    (key >> shift & (DIGITS - 1)) as usize
}

/// Counts the occurrences of each digit among the keys of each group.
pub(super) fn radix_count(params: &RadixParams, keys: &[u32], counts: &mut [u32]) {
    let groups = params.groups as usize;
    counts[..groups * DIGITS as usize].fill(0);
    for (group, keys) in keys[..params.items as usize].chunks(DIGITS as usize).enumerate() {
        keys.iter().for_each(|&key| counts[digit(key, params.shift) * groups + group] += 1);
    }
}
