//! CPU reference of `kernels/compact_pairs.wgsl`.

use super::super::kernel::records::{FoundPair, ItemPair, ItemParams};

/// The pairs that are kept, one after the other.
pub(super) fn compact_pairs(
    params: &ItemParams,
    pairs: &[ItemPair],
    masks: &[[u32; 2]],
    places: &[u32],
    found: &mut [FoundPair],
) {
    for at in 0..params.items as usize {
        if places[at + 1] != places[at] {
            found[places[at] as usize] = FoundPair { pair: pairs[at], samples: masks[at] };
        }
    }
}
