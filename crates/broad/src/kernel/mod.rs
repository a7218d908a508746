//! The broad phase as kernels: what they are called, what they bind, and the order in which they
//! search a batch of blocks.
//!
//! A [`KernelMachine`] executes them: a GPU (`broad/gpu`), or the CPU reference
//! (`broad/cpu_reference`), which the tests compare with it.

mod batch;
mod device_broad;
mod failure;
mod job_buffers;
mod limits;
mod machine;
mod memory;
mod open_batch;
mod pair_window;
mod prefix_sum;
mod radix_sort;
pub(crate) mod records;
mod search;
mod tree_build;

pub(crate) use device_broad::DeviceBroadPhase;
pub(crate) use failure::DeviceFailure;
pub use limits::{DeviceFaults, DeviceLimits};
pub(crate) use machine::{DeviceUse, KernelMachine, Pieces, Region};
pub(crate) use memory::{DeviceMemory, TakenMemory};

/// Use of a buffer by a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reads it.
    Read,
    /// Reads and writes it.
    Write,
}

use Access::{Read, Write};

/// An entry point of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    SweepBoxes,
    MortonCodes,
    RadixCount,
    RadixScatter,
    ScanBlocks,
    AddBlockSums,
    GatherLeaves,
    BuildLevel,
    CountBrute,
    FillBrute,
    CountTree,
    FillTree,
    CountFixed,
    FillFixed,
    MaskPairs,
    CompactPairs,
}

/// The text of a WGSL file of `kernels/`, whose folder `build.rs` finds.
macro_rules! wgsl {
    ($name:literal) => {
        include_str!(concat!(env!("CLEARSWEEP_KERNELS"), "/", $name, ".wgsl"))
    };
}

impl Kernel {
    /// All of them.
    pub(crate) const ALL: [Self; 16] = [
        Self::SweepBoxes,
        Self::MortonCodes,
        Self::RadixCount,
        Self::RadixScatter,
        Self::ScanBlocks,
        Self::AddBlockSums,
        Self::GatherLeaves,
        Self::BuildLevel,
        Self::CountBrute,
        Self::FillBrute,
        Self::CountTree,
        Self::FillTree,
        Self::CountFixed,
        Self::FillFixed,
        Self::MaskPairs,
        Self::CompactPairs,
    ];

    /// The file without its ending, its text, and the entry point.
    fn parts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::SweepBoxes => ("sweep_boxes", wgsl!("sweep_boxes"), "main"),
            Self::MortonCodes => ("morton_codes", wgsl!("morton_codes"), "main"),
            Self::RadixCount => ("radix_count", wgsl!("radix_count"), "main"),
            Self::RadixScatter => ("radix_scatter", wgsl!("radix_scatter"), "main"),
            Self::ScanBlocks => ("scan_blocks", wgsl!("scan_blocks"), "main"),
            Self::AddBlockSums => ("add_block_sums", wgsl!("add_block_sums"), "main"),
            Self::GatherLeaves => ("gather_leaves", wgsl!("gather_leaves"), "main"),
            Self::BuildLevel => ("build_level", wgsl!("build_level"), "main"),
            Self::CountBrute => ("brute_pairs", wgsl!("brute_pairs"), "count"),
            Self::FillBrute => ("brute_pairs", wgsl!("brute_pairs"), "fill"),
            Self::CountTree => ("tree_pairs", wgsl!("tree_pairs"), "count"),
            Self::FillTree => ("tree_pairs", wgsl!("tree_pairs"), "fill"),
            Self::CountFixed => ("fixed_pairs", wgsl!("fixed_pairs"), "count"),
            Self::FillFixed => ("fixed_pairs", wgsl!("fixed_pairs"), "fill"),
            Self::MaskPairs => ("mask_pairs", wgsl!("mask_pairs"), "main"),
            Self::CompactPairs => ("compact_pairs", wgsl!("compact_pairs"), "main"),
        }
    }

    /// The name of its file, without the ending.
    pub(crate) fn file(self) -> &'static str {
        self.parts().0
    }

    /// Entry point.
    pub(crate) fn entry(self) -> &'static str {
        self.parts().2
    }

    /// The whole text of its module.
    pub(crate) fn source(self) -> String {
        let tree = match self {
            Self::CountTree | Self::FillTree | Self::CountFixed | Self::FillFixed => wgsl!("tree"),
            _ => "",
        };
        [&records::constants(), wgsl!("common"), tree, self.parts().1].join("\n")
    }

    /// Buffers: bindings 1, 2, ...; binding 0 is the parameters.
    pub(crate) fn bindings(self) -> &'static [Access] {
        match self {
            Self::SweepBoxes => &[Read, Read, Write, Write],
            Self::MortonCodes => &[Read, Read, Write, Write],
            Self::RadixCount => &[Read, Write],
            Self::RadixScatter => &[Read, Read, Read, Write, Write],
            Self::ScanBlocks => &[Write, Write],
            Self::AddBlockSums => &[Write, Read],
            Self::GatherLeaves => &[Read, Read, Write],
            Self::BuildLevel => &[Write],
            Self::CountBrute | Self::FillBrute => &[Read, Write, Write],
            Self::CountTree | Self::FillTree => &[Read, Read, Write, Write],
            Self::CountFixed | Self::FillFixed => &[Read, Read, Write, Write, Read],
            Self::MaskPairs => &[Read, Read, Read, Read, Read, Read, Write, Write],
            Self::CompactPairs => &[Read, Read, Read, Write],
        }
    }
}
