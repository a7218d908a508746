//! Data that kernels read and write: the constants and records that `kernels/*.wgsl` share with the
//! CPU.
//!
//! A test parses the WGSL and compares every layout.

use bytemuck::{Pod, Zeroable};

/// Invocations of most workgroups: one for each sample of a block.
pub(crate) const LANES: u32 = 64;
/// Invocations of a workgroup of the prefix sums.
pub(crate) const SCAN_THREADS: u32 = 256;
/// Values that a workgroup of the scan adds up.
pub(crate) const SCAN_ITEMS: u32 = 1024;
/// Digits of the radix sort, and invocations of its workgroups.
pub(crate) const DIGITS: u32 = 256;
/// A node of a tree has `1 << WIDTH_BITS` children.
pub(crate) const WIDTH_BITS: u32 = 3;
/// Most leaves of a tree, so that the highest level needs a shift of 30 bits.
pub(crate) const MOST_LEAVES: u32 = 1 << 30;
/// Levels of the largest tree.
const LEVELS: usize = 12;

/// The constants as WGSL.
pub(super) fn constants() -> String {
    let all = [
        ("LANES", LANES),
        ("SCAN_THREADS", SCAN_THREADS),
        ("SCAN_ITEMS", SCAN_ITEMS),
        ("DIGITS", DIGITS),
        ("WIDTH_BITS", WIDTH_BITS),
    ];
    all.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).collect()
}

/// A box on the lattice: [`super::super::boxes::LatticeBox`] in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct DeviceBox {
    pub min: [u32; 3],
    pub max: [u32; 3],
}

impl DeviceBox {
    /// The empty box, like [`super::super::boxes::LatticeBox::EMPTY`].
    pub(crate) const EMPTY: Self = Self { min: [u32::MAX; 3], max: [0; 3] };

    /// Whether two boxes share a lattice point.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Whether the box contains no lattice point.
    pub(crate) fn is_empty(&self) -> bool {
        (0..3).any(|k| self.min[k] > self.max[k])
    }
}

/// A range of samples of one part whose boxes are swept together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct World {
    pub part: u32,
    /// First sample, in the part.
    pub first: u32,
    pub samples: u32,
    pub unused: u32,
}

/// An item (`world * slots + slot`) and a slot of the same world, or `slots` + a fixed box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ItemPair {
    pub item: u32,
    pub other: u32,
}

/// A pair that overlaps in the samples of the two halves of the mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FoundPair {
    pub pair: ItemPair,
    pub samples: [u32; 2],
}

/// An implicit tree: level 0 holds the leaves, each node of the next level bounds `1 << WIDTH_BITS`
/// nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Tree {
    pub leaves: u32,
    /// The level of the root.
    pub top: u32,
    pub unused: [u32; 2],
    /// Index at which each level begins.
    pub starts: [u32; LEVELS],
}

impl Tree {
    /// Returns the tree of `leaves` leaves, at most [`MOST_LEAVES`], and its number of nodes.
    pub(crate) fn of(leaves: u32) -> (Self, u32) {
        debug_assert!(leaves <= MOST_LEAVES);
        let mut tree = Self { leaves, top: 0, unused: [0; 2], starts: [0; LEVELS] };
        let (mut count, mut nodes) = (leaves, leaves);
        while count > 1 {
            tree.top += 1;
            tree.starts[tree.top as usize] = nodes;
            count = count.div_ceil(1 << WIDTH_BITS);
            nodes += count;
        }
        (tree, nodes)
    }

    /// Number of nodes of a level.
    pub(crate) fn count(&self, level: u32) -> u32 {
        (0..level).fold(self.leaves, |count, _| count.div_ceil(1 << WIDTH_BITS))
    }
}

/// Parameters of `sweep_boxes`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SweepParams {
    pub slots: u32,
    pub items: u32,
    /// Samples of a part.
    pub stride: u32,
    /// 1: the extent is measured.
    pub measures: u32,
    /// Invocations of an item, see [`lanes`].
    pub lanes: u32,
}

impl SweepParams {
    /// Workgroups of it.
    pub(crate) fn groups(&self) -> u32 {
        self.items.div_ceil(LANES / self.lanes)
    }
}

/// Invocations that share an item or a pair: the least power of two that is no less than the
/// samples of any of these worlds.
pub(crate) fn lanes(worlds: &[World]) -> u32 {
    let samples = worlds.iter().map(|world| world.samples).max().unwrap_or(0);
    samples.clamp(1, LANES).next_power_of_two()
}

/// Parameters of kernels that go over items.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ItemParams {
    pub items: u32,
}

/// Parameters of `radix_count` and `radix_scatter`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RadixParams {
    pub items: u32,
    pub groups: u32,
    /// Position of the digit's lowest bit.
    pub shift: u32,
}

/// Parameters of `build_level`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LevelParams {
    pub child_start: u32,
    pub children: u32,
    pub start: u32,
    pub count: u32,
}

/// Parameters of `tree_pairs`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct TreeParams {
    pub tree: Tree,
    pub first: u32,
    pub count: u32,
    pub window_start: u32,
    pub window_size: u32,
}

/// Parameters of `fixed_pairs`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FixedParams {
    pub tree: Tree,
    pub first: u32,
    pub count: u32,
    pub window_start: u32,
    pub window_size: u32,
    /// Index at which the counts of the items begin.
    pub base: u32,
    pub slots: u32,
    pub unused: [u32; 2],
}

/// Parameters of `brute_pairs`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct BruteParams {
    pub slots: u32,
    pub worlds: u32,
    pub worlds_per_group: u32,
    pub groups_per_world: u32,
    pub window_start: u32,
    pub window_size: u32,
}

impl BruteParams {
    /// Returns the parameters for all pairs of `worlds` worlds, in a window.
    pub(crate) fn new(slots: u32, worlds: u32, window_start: u32, window_size: u32) -> Self {
        let worlds_per_group = (LANES / slots.max(1)).max(1);
        let groups_per_world = slots.div_ceil(LANES).max(1);
        Self { slots, worlds, worlds_per_group, groups_per_world, window_start, window_size }
    }

    /// Workgroups of it.
    pub(crate) fn groups(&self) -> u32 {
        self.worlds.div_ceil(self.worlds_per_group) * self.groups_per_world
    }
}

/// Parameters of `mask_pairs`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct MaskParams {
    pub slots: u32,
    pub stride: u32,
    /// Index of the sum of all counts.
    pub total_at: u32,
    pub window_start: u32,
    pub window_size: u32,
    /// Classes of bodies; 0: no rule ignores a pair.
    pub classes: u32,
    /// Invocations of a pair, see [`lanes`].
    pub lanes: u32,
}

impl MaskParams {
    /// Pairs that a workgroup holds at a time.
    pub(crate) fn pairs_per_group(&self) -> u32 {
        LANES / self.lanes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_have_a_root_and_levels_that_fit() {
        for leaves in [0, 1, 2, 7, 8, 9, 63, 64, 65, 1234, 1 << 20, MOST_LEAVES] {
            let (tree, nodes) = Tree::of(leaves);
            assert!(tree.top <= 10, "{leaves}");
            let levels: u32 = (0..=tree.top).map(|level| tree.count(level)).sum();
            assert_eq!(levels, nodes);
            assert!(leaves == 0 || tree.count(tree.top) == 1);
            for level in 0..tree.top {
                let level_end = tree.starts[level as usize] + tree.count(level);
                assert_eq!(tree.starts[level as usize + 1], level_end);
            }
        }
    }
}
