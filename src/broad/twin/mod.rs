//! The kernels' CPU twins: what each of them computes, as plain loops over the same buffers.
//!
//! They are the oracle of the kernels, and a [`KernelMachine`] on their own, so that everything around the kernels is
//! tested without a GPU.

mod masks;
mod morton_codes;
mod pairs;
mod prefix_sums;
mod radix;
mod sweep_boxes;
mod tree;

use super::kernel::{DeviceFailure, Kernel, KernelMachine, Region};
use bytemuck::Pod;
use std::cell::{RefCell, RefMut};

/// Executes the twins.
#[derive(Debug, Default)]
pub(crate) struct TwinMachine {
    /// Fetches after which it fails, to see what becomes of the rest.
    fails_after: Option<u64>,
    fetches: u64,
}

impl TwinMachine {
    /// A machine that fails after so many fetches, if it is to.
    pub(crate) fn failing_after(fails_after: Option<u64>) -> Self {
        Self { fails_after, fetches: 0 }
    }
}

/// Words of memory.
#[derive(Debug)]
pub(crate) struct TwinBuffer(RefCell<Vec<u32>>);

impl TwinBuffer {
    /// The words as records.
    fn records<T: Pod>(&self) -> RefMut<'_, [T]> {
        let words = self.0.borrow_mut();
        RefMut::map(words, |words| {
            let each = size_of::<T>() / 4;
            let whole = words.len() / each * each;
            bytemuck::cast_slice_mut(&mut words[..whole])
        })
    }
}

/// The parameters as what a kernel takes.
fn params<T: Pod>(bytes: &[u8]) -> T {
    bytemuck::pod_read_unaligned(bytes)
}

impl KernelMachine for TwinMachine {
    type Buffer = TwinBuffer;
    type Fetch = Result<Vec<u8>, DeviceFailure>;

    fn most_bytes(&self) -> u64 {
        128 << 20
    }

    fn buffer(&mut self, bytes: u64) -> Result<TwinBuffer, DeviceFailure> {
        // As a GPU's, it has room for the largest record even if nothing is to be in it.
        Ok(TwinBuffer(RefCell::new(vec![0; (bytes as usize / 4).max(64)])))
    }

    fn write(&mut self, buffer: &TwinBuffer, from: u64, bytes: &[u8]) {
        let mut words = buffer.0.borrow_mut();
        bytemuck::cast_slice_mut::<u32, u8>(&mut words)[from as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    fn clear(&mut self, buffer: &TwinBuffer, bytes: u64) {
        buffer.0.borrow_mut()[..bytes as usize / 4].fill(0);
    }

    fn run<P: Pod>(&mut self, kernel: Kernel, given: &P, buffers: &[&TwinBuffer], _: u32) {
        debug_assert_eq!(buffers.len(), kernel.bindings().len());
        execute(kernel, bytemuck::bytes_of(given), buffers);
    }

    fn fetch(&mut self, regions: &[Region<'_, TwinBuffer>]) -> Self::Fetch {
        self.fetches += 1;
        if self.fails_after.is_some_and(|after| self.fetches > after) {
            return Err(DeviceFailure::Lost("as it was told to".to_owned()));
        }
        let part = |region: &Region<'_, TwinBuffer>| {
            let words = region.buffer.0.borrow();
            bytemuck::cast_slice::<u32, u8>(&words)[region.from as usize..][..region.bytes as usize].to_vec()
        };
        Ok(regions.iter().flat_map(part).collect())
    }

    fn receive(&mut self, fetch: Self::Fetch) -> Result<Vec<u8>, DeviceFailure> {
        fetch
    }
}

/// Executes a kernel.
fn execute(kernel: Kernel, given: &[u8], b: &[&TwinBuffer]) {
    match kernel {
        Kernel::SweepBoxes => {
            let mut extent = b[3].records();
            let (boxes, worlds) = (b[0].records(), b[1].records());
            sweep_boxes::sweep_boxes(&params(given), &boxes, &worlds, &mut b[2].records(), &mut extent[0]);
        }
        Kernel::MortonCodes => {
            let (sweeps, extent) = (b[0].records(), b[1].records());
            let (mut codes, mut order) = (b[2].records(), b[3].records());
            morton_codes::morton_codes(&params(given), &sweeps, &extent[0], &mut codes, &mut order);
        }
        Kernel::RadixCount => radix::radix_count(&params(given), &b[0].records(), &mut b[1].records()),
        Kernel::RadixScatter => {
            let (keys, values, starts) = (b[0].records(), b[1].records(), b[2].records());
            let (mut to_keys, mut to_values) = (b[3].records(), b[4].records());
            radix::radix_scatter(&params(given), &keys, &values, &starts, &mut to_keys, &mut to_values);
        }
        Kernel::ScanBlocks => prefix_sums::scan_blocks(&params(given), &mut b[0].records(), &mut b[1].records()),
        Kernel::AddBlockSums => prefix_sums::add_block_sums(&params(given), &mut b[0].records(), &b[1].records()),
        Kernel::GatherLeaves => {
            tree::gather_leaves(&params(given), &b[0].records(), &b[1].records(), &mut b[2].records());
        }
        Kernel::BuildLevel => tree::build_level(&params(given), &mut b[0].records()),
        _ => execute_pairs(kernel, given, b),
    }
}

/// Executes a kernel that finds or tests pairs.
fn execute_pairs(kernel: Kernel, given: &[u8], b: &[&TwinBuffer]) {
    match kernel {
        Kernel::CountBrute | Kernel::FillBrute => {
            let run = if kernel == Kernel::CountBrute { pairs::count_brute } else { pairs::fill_brute };
            run(&params(given), &b[0].records(), &mut b[1].records(), &mut b[2].records());
        }
        Kernel::CountTree | Kernel::FillTree => {
            let run = if kernel == Kernel::CountTree { pairs::count_tree } else { pairs::fill_tree };
            run(&params(given), &b[0].records(), &b[1].records(), &mut b[2].records(), &mut b[3].records());
        }
        Kernel::CountFixed | Kernel::FillFixed => {
            let run = if kernel == Kernel::CountFixed { pairs::count_fixed } else { pairs::fill_fixed };
            let (nodes, order, sweeps) = (b[0].records(), b[1].records(), b[4].records());
            run(&params(given), &nodes, &order, &mut b[2].records(), &mut b[3].records(), &sweeps);
        }
        Kernel::MaskPairs => {
            let (boxes, worlds, fixed, rules) = (b[0].records(), b[1].records(), b[2].records(), b[5].records());
            let inputs = masks::MaskInputs { boxes: &boxes, worlds: &worlds, fixed: &fixed, rules: &rules };
            let (counts, found) = (b[3].records(), b[4].records());
            masks::mask_pairs(&params(given), &inputs, &counts, &found, &mut b[6].records(), &mut b[7].records());
        }
        Kernel::CompactPairs => {
            let (found, masks, places) = (b[0].records(), b[1].records(), b[2].records());
            masks::compact_pairs(&params(given), &found, &masks, &places, &mut b[3].records());
        }
        _ => unreachable!("{kernel:?} finds no pairs"),
    }
}
