//! Exclusive prefix sums of any length: sums within blocks, prefix sums of the blocks' sums, and
//! these added to the blocks.

use super::Kernel;
use super::failure::DeviceFailure;
use super::machine::KernelMachine;
use super::records::{ItemParams, SCAN_ITEMS, SCAN_THREADS};

/// The buffers for the sums of each level.
#[derive(Debug)]
pub(super) struct PrefixSum<B> {
    /// Most values, and the sums of the blocks of each level.
    most: u32,
    sums: Vec<B>,
}

impl<B> PrefixSum<B> {
    /// Creates the buffers for up to `most` values.
    pub(super) fn new(machine: &mut impl KernelMachine<Buffer = B>, most: u32) -> Result<Self, DeviceFailure> {
        let (mut sums, mut count) = (Vec::new(), most);
        loop {
            count = count.div_ceil(SCAN_ITEMS).max(1);
            sums.push(machine.buffer(4 * u64::from(count))?);
            if count == 1 {
                return Ok(Self { most, sums });
            }
        }
    }

    /// Most values.
    pub(super) fn most(&self) -> u32 {
        self.most
    }

    /// Replaces the first values of a buffer by the sums of those before each. Sums beyond 32 bits
    /// are `u32::MAX`.
    pub(super) fn run(&self, machine: &mut impl KernelMachine<Buffer = B>, values: &B, items: u32) {
        debug_assert!(items <= self.most);
        let mut levels = vec![(values, items)];
        for sums in &self.sums {
            let &(values, items) = levels.last().expect("the values are a level");
            let groups = items.div_ceil(SCAN_ITEMS);
            machine.run(Kernel::ScanBlocks, &ItemParams { items }, &[values, sums], groups);
            if groups <= 1 {
                break;
            }
            levels.push((sums, groups));
        }
        for (&(values, items), &(sums, _)) in levels.iter().zip(&levels[1..]).rev() {
            machine.run(Kernel::AddBlockSums, &ItemParams { items }, &[values, sums], items.div_ceil(SCAN_THREADS));
        }
    }
}
