//! The tree of swept boxes: sorted along a Morton curve, then bounded level by level.

use super::Kernel;
use super::failure::DeviceFailure;
use super::machine::KernelMachine;
use super::radix_sort::RadixSort;
use super::records::{DeviceBox, ItemParams, LANES, LevelParams, Tree};

/// A tree and the buffers to build it.
#[derive(Debug)]
pub(super) struct TreeBuild<B> {
    most: u32,
    sort: RadixSort<B>,
    /// Bounds of all items: min x, y, z, max x, y, z.
    pub(super) extent: B,
    pub(super) nodes: B,
}

impl<B> TreeBuild<B> {
    /// Creates the buffers for up to `most` items.
    pub(super) fn new(machine: &mut impl KernelMachine<Buffer = B>, most: u32) -> Result<Self, DeviceFailure> {
        let (_, nodes) = Tree::of(most);
        let bytes = size_of::<DeviceBox>() as u64 * u64::from(nodes.max(1));
        Ok(Self {
            most,
            sort: RadixSort::new(machine, most)?,
            extent: machine.buffer(size_of::<DeviceBox>() as u64)?,
            nodes: machine.buffer(bytes)?,
        })
    }

    /// Most items.
    pub(super) fn most(&self) -> u32 {
        self.most
    }

    /// The item of each leaf.
    pub(super) fn order(&self) -> &B {
        &self.sort.values
    }

    /// Makes the extent ready to be measured.
    pub(super) fn begin(&self, machine: &mut impl KernelMachine<Buffer = B>) {
        machine.write(&self.extent, 0, bytemuck::bytes_of(&DeviceBox::EMPTY));
    }

    /// Builds the tree of the first `items` items of `sweeps`, whose extent was measured.
    pub(super) fn run(&self, machine: &mut impl KernelMachine<Buffer = B>, sweeps: &B, items: u32) -> Tree {
        let (tree, _) = Tree::of(items);
        let Self { sort, extent, nodes, .. } = self;
        let (params, groups) = (ItemParams { items }, items.div_ceil(LANES));
        machine.run(Kernel::MortonCodes, &params, &[sweeps, extent, &sort.keys, &sort.values], groups);
        sort.run(machine, items);
        machine.run(Kernel::GatherLeaves, &params, &[sweeps, &sort.values, nodes], groups);
        for level in 1..=tree.top {
            let params = LevelParams {
                child_start: tree.starts[level as usize - 1],
                children: tree.count(level - 1),
                start: tree.starts[level as usize],
                count: tree.count(level),
            };
            machine.run(Kernel::BuildLevel, &params, &[nodes], params.count.div_ceil(LANES));
        }
        tree
    }
}
