//! CPU reference of `kernels/mask_pairs.wgsl`.

use super::super::kernel::records::{DeviceBox, ItemPair, MaskParams, World};

/// Data that a pair is tested against.
pub(super) struct MaskInputs<'a> {
    pub(super) boxes: &'a [u32],
    pub(super) worlds: &'a [World],
    pub(super) fixed: &'a [DeviceBox],
    pub(super) rules: &'a [u32],
}

impl MaskInputs<'_> {
    /// The box of a slot in a sample of a part.
    fn box_at(&self, params: &MaskParams, part: u32, slot: u32, sample: u32) -> DeviceBox {
        let own = ((part * params.slots + slot) * 6 * params.stride + sample) as usize;
        let column = |k: usize| self.boxes[own + k * params.stride as usize];
        DeviceBox { min: [0, 1, 2].map(column), max: [3, 4, 5].map(column) }
    }

    /// Whether the rules ignore a pair.
    fn is_ignored(&self, params: &MaskParams, a: u32, b: u32) -> bool {
        let class = |body: u32| self.rules[1 + body as usize];
        params.classes > 0 && {
            let bit = class(a) * params.classes + class(b);
            self.rules[(self.rules[0] + bit / 32) as usize] >> (bit % 32) & 1 == 1
        }
    }

    /// The samples in which a pair overlaps.
    fn mask(&self, params: &MaskParams, ItemPair { item, other }: ItemPair) -> u64 {
        let World { part, first, samples, .. } = self.worlds[(item / params.slots) as usize];
        let slot = item % params.slots;
        if self.is_ignored(params, slot, other) {
            return 0;
        }
        let overlaps = |sample: &u32| {
            let own = self.box_at(params, part, slot, *sample);
            own.overlaps(&match other.checked_sub(params.slots) {
                None => self.box_at(params, part, other, *sample),
                Some(fixed) => self.fixed[fixed as usize],
            })
        };
        (first..first + samples).filter(overlaps).fold(0, |mask, sample| mask | 1 << sample)
    }
}

/// The masks of the pairs of a window, and which are not zero.
pub(super) fn mask_pairs(
    params: &MaskParams,
    inputs: &MaskInputs<'_>,
    counts: &[u32],
    pairs: &[ItemPair],
    masks: &mut [[u32; 2]],
    kept: &mut [u32],
) {
    let left = counts[params.total_at as usize].saturating_sub(params.window_start);
    for at in 0..left.min(params.window_size) as usize {
        let mask = inputs.mask(params, pairs[at]);
        masks[at] = [mask as u32, (mask >> 32) as u32];
        kept[at] = u32::from(mask != 0);
    }
}
