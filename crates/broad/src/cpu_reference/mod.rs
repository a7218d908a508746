//! The kernels' CPU reference: what each of them computes, as plain loops over the same buffers.
//!
//! They are the oracle of the kernels, and a [`KernelMachine`] on their own, so that everything
//! around the kernels is tested without a GPU.

mod add_block_sums;
mod brute_pairs;
mod build_level;
mod compact_pairs;
mod fixed_pairs;
mod gather_leaves;
mod mask_pairs;
mod morton_codes;
mod radix_count;
mod radix_scatter;
mod scan_blocks;
mod sweep_boxes;
mod tree;
mod tree_pairs;
mod window_places;

use super::kernel::{
    DeviceFailure, DeviceFaults, DeviceMemory, DeviceUse, Kernel, KernelMachine, Pieces, Region, TakenMemory,
};
use bytemuck::Pod;
use std::cell::{RefCell, RefMut};
use std::sync::Arc;
use std::time::Duration;

/// Executes the CPU reference.
#[derive(Debug, Default)]
pub(crate) struct CpuReferenceMachine {
    memory: Arc<DeviceMemory>,
    /// Fetches after which it fails or no longer answers, to see what becomes of the rest.
    lost_after: Option<u64>,
    stalls_after: Option<u64>,
    fetches: u64,
}

impl CpuReferenceMachine {
    /// A machine with faults.
    pub(crate) fn with_faults(faults: &DeviceFaults) -> Self {
        let own = Self { lost_after: faults.lost_after, stalls_after: faults.stalls_after, ..Self::default() };
        faults.memory_bytes.into_iter().for_each(|bytes| own.memory.limit(bytes));
        own
    }
}

/// Words of memory.
#[derive(Debug)]
pub(crate) struct CpuReferenceBuffer {
    words: RefCell<Vec<u32>>,
    _taken: TakenMemory,
}

impl CpuReferenceBuffer {
    /// The words as records.
    fn records<T: Pod>(&self) -> RefMut<'_, [T]> {
        let words = self.words.borrow_mut();
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

impl KernelMachine for CpuReferenceMachine {
    type Buffer = CpuReferenceBuffer;
    type Fetch = Result<Vec<u32>, DeviceFailure>;

    fn most_bytes(&self) -> u64 {
        128 << 20
    }

    fn memory(&self) -> &Arc<DeviceMemory> {
        &self.memory
    }

    fn buffer(&mut self, bytes: u64) -> Result<CpuReferenceBuffer, DeviceFailure> {
        // Like a GPU's buffer, it holds at least the largest record, even if nothing is stored in
        // it.
        let words = (bytes as usize / 4).max(64);
        Ok(CpuReferenceBuffer { _taken: self.memory.take(4 * words as u64)?, words: RefCell::new(vec![0; words]) })
    }

    fn write(&mut self, buffer: &CpuReferenceBuffer, from: u64, bytes: &[u8]) {
        let mut words = buffer.words.borrow_mut();
        bytemuck::cast_slice_mut::<u32, u8>(&mut words)[from as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    fn write_with(&mut self, buffer: &CpuReferenceBuffer, bytes: u64, pieces: &mut Pieces<'_>) {
        let mut at = 0;
        pieces(&mut |piece| {
            self.write(buffer, at, piece);
            at += piece.len() as u64;
        });
        debug_assert_eq!(at, bytes);
    }

    fn clear(&mut self, buffer: &CpuReferenceBuffer, bytes: u64) {
        buffer.words.borrow_mut()[..bytes as usize / 4].fill(0);
    }

    fn run<P: Pod>(&mut self, kernel: Kernel, given: &P, buffers: &[&CpuReferenceBuffer], _: u32) {
        debug_assert_eq!(buffers.len(), kernel.bindings().len());
        execute(kernel, bytemuck::bytes_of(given), buffers);
    }

    fn fetch(&mut self, regions: &[Region<'_, CpuReferenceBuffer>]) -> Self::Fetch {
        self.fetches += 1;
        if self.lost_after.is_some_and(|after| self.fetches > after) {
            return Err(DeviceFailure::Lost("as it was told to".to_owned()));
        }
        if self.stalls_after.is_some_and(|after| self.fetches > after) {
            return Err(DeviceFailure::Lost(DeviceFailure::no_answer(Duration::ZERO)));
        }
        let part = |region: &Region<'_, CpuReferenceBuffer>| {
            let words = region.buffer.words.borrow();
            words[region.from as usize / 4..][..region.bytes as usize / 4].to_vec()
        };
        Ok(regions.iter().flat_map(part).collect())
    }

    fn receive(&mut self, fetch: Self::Fetch) -> Result<Vec<u32>, DeviceFailure> {
        fetch
    }

    fn usage(&self) -> DeviceUse {
        DeviceUse { most_bytes: self.memory.most(), fetches: self.fetches, ..DeviceUse::default() }
    }
}

/// Executes a kernel.
fn execute(kernel: Kernel, given: &[u8], b: &[&CpuReferenceBuffer]) {
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
        Kernel::RadixCount => radix_count::radix_count(&params(given), &b[0].records(), &mut b[1].records()),
        Kernel::RadixScatter => {
            let (keys, values, starts) = (b[0].records(), b[1].records(), b[2].records());
            let (mut to_keys, mut to_values) = (b[3].records(), b[4].records());
            radix_scatter::radix_scatter(&params(given), &keys, &values, &starts, &mut to_keys, &mut to_values);
        }
        Kernel::ScanBlocks => scan_blocks::scan_blocks(&params(given), &mut b[0].records(), &mut b[1].records()),
        Kernel::AddBlockSums => add_block_sums::add_block_sums(&params(given), &mut b[0].records(), &b[1].records()),
        Kernel::GatherLeaves => {
            gather_leaves::gather_leaves(&params(given), &b[0].records(), &b[1].records(), &mut b[2].records());
        }
        Kernel::BuildLevel => build_level::build_level(&params(given), &mut b[0].records()),
        _ => execute_pairs(kernel, given, b),
    }
}

/// Executes a kernel that finds or tests pairs.
fn execute_pairs(kernel: Kernel, given: &[u8], b: &[&CpuReferenceBuffer]) {
    match kernel {
        Kernel::CountBrute | Kernel::FillBrute => {
            let run = if kernel == Kernel::CountBrute { brute_pairs::count } else { brute_pairs::fill };
            run(&params(given), &b[0].records(), &mut b[1].records(), &mut b[2].records());
        }
        Kernel::CountTree | Kernel::FillTree => {
            let run = if kernel == Kernel::CountTree { tree_pairs::count } else { tree_pairs::fill };
            run(&params(given), &b[0].records(), &b[1].records(), &mut b[2].records(), &mut b[3].records());
        }
        Kernel::CountFixed | Kernel::FillFixed => {
            let run = if kernel == Kernel::CountFixed { fixed_pairs::count } else { fixed_pairs::fill };
            let (nodes, order, sweeps) = (b[0].records(), b[1].records(), b[4].records());
            run(&params(given), &nodes, &order, &mut b[2].records(), &mut b[3].records(), &sweeps);
        }
        Kernel::MaskPairs => {
            let (boxes, worlds, fixed, rules) = (b[0].records(), b[1].records(), b[2].records(), b[5].records());
            let inputs = mask_pairs::MaskInputs { boxes: &boxes, worlds: &worlds, fixed: &fixed, rules: &rules };
            let (counts, found) = (b[3].records(), b[4].records());
            mask_pairs::mask_pairs(&params(given), &inputs, &counts, &found, &mut b[6].records(), &mut b[7].records());
        }
        Kernel::CompactPairs => {
            let (found, masks, places) = (b[0].records(), b[1].records(), b[2].records());
            compact_pairs::compact_pairs(&params(given), &found, &masks, &places, &mut b[3].records());
        }
        _ => unreachable!("{kernel:?} finds no pairs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn each_kernel_has_a_reference_file_of_its_name() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cpu_reference");
        for kernel in Kernel::ALL {
            assert!(folder.join(kernel.file()).with_extension("rs").is_file(), "{kernel:?}");
        }
    }
}
