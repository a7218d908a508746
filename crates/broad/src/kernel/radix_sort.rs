//! A stable radix sort of keys of 32 bits with values, digit by digit.

use super::Kernel;
use super::failure::DeviceFailure;
use super::machine::KernelMachine;
use super::prefix_sum::PrefixSum;
use super::records::{DIGITS, RadixParams};

/// Keys and values, and room to sort them.
#[derive(Debug)]
pub(super) struct RadixSort<B> {
    /// Sorted keys come to lie here, where unsorted ones did.
    pub(super) keys: B,
    pub(super) values: B,
    other_keys: B,
    other_values: B,
    counts: B,
    sum: PrefixSum<B>,
}

impl<B> RadixSort<B> {
    /// Creates the buffers for up to `most` keys.
    pub(super) fn new(machine: &mut impl KernelMachine<Buffer = B>, most: u32) -> Result<Self, DeviceFailure> {
        let bytes = 4 * u64::from(most.max(1));
        let counts = most.div_ceil(DIGITS).max(1) * DIGITS;
        Ok(Self {
            keys: machine.buffer(bytes)?,
            values: machine.buffer(bytes)?,
            other_keys: machine.buffer(bytes)?,
            other_values: machine.buffer(bytes)?,
            counts: machine.buffer(4 * u64::from(counts))?,
            sum: PrefixSum::new(machine, counts)?,
        })
    }

    /// Sorts the first keys, with their values.
    pub(super) fn run(&self, machine: &mut impl KernelMachine<Buffer = B>, items: u32) {
        let groups = items.div_ceil(DIGITS);
        let Self { keys, values, other_keys, other_values, counts, sum } = self;
        let (mut from, mut to) = ((keys, values), (other_keys, other_values));
        for shift in (0..u32::BITS).step_by(DIGITS.ilog2() as usize) {
            let params = RadixParams { items, groups, shift };
            machine.run(Kernel::RadixCount, &params, &[from.0, counts], groups);
            sum.run(machine, counts, groups * DIGITS);
            machine.run(Kernel::RadixScatter, &params, &[from.0, from.1, counts, to.0, to.1], groups);
            std::mem::swap(&mut from, &mut to);
        }
    }
}
