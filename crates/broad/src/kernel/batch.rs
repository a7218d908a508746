//! How blocks become uploads, and uploads searches.
//!
//! An upload holds the boxes of consecutive parts: whole blocks, or ranges of samples of one where
//! a block is more than a binding holds. Small worlds of all its parts are searched together, all
//! against all; a large one alone, by a tree.

use super::super::block_split::split_point;
use super::super::boxes::Boxes64;
use super::limits::DeviceLimits;
use super::records::{DeviceBox, World};
use super::search::{ITEM_BYTES, PairMethod};
use clearsweep_model::{FrameBlock, SAMPLES};
use rayon::prelude::*;
use std::ops::Range;

/// Most items of a search of several worlds.
const SEARCH_ITEMS: u64 = 1 << 20;
/// Boxes whose samples are gathered at a time.
const GATHERED_BOXES: usize = 1 << 13;

/// The plan of one upload: samples of a batch's blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UploadPlan {
    /// Samples of each part.
    pub(super) stride: u32,
    /// The block of each part, in the batch, and its first sample there.
    pub(super) parts: Vec<(usize, usize)>,
    /// Worlds that are searched together, with the method of the search.
    pub(super) searches: Vec<(PairMethod, Vec<World>)>,
}

/// Plans the uploads of a batch. `depth`: how often each block is halved.
pub(super) fn plan(
    blocks: &[&FrameBlock],
    slots: u32,
    fixed: u32,
    depth: usize,
    limits: &DeviceLimits,
) -> Vec<UploadPlan> {
    let stride = stride(slots, limits.part_bytes());
    let (method, together) = method(slots, fixed, limits);
    let part_bytes = part_bytes(slots, stride);
    let most = (limits.upload_bytes() / part_bytes.max(1)).max(1) as usize;
    let most = if stride as usize == SAMPLES { most } else { 1 };
    let mut parts = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let ranges = ranges(block, depth);
        for first in (0..block.samples.len()).step_by(stride as usize) {
            let own = ranges.iter().map(|r| r.start.max(first)..r.end.min(first + stride as usize));
            parts.push(Part { block: index, first, ranges: own.filter(|r| !r.is_empty()).collect() });
        }
    }
    parts.chunks(most).map(|parts| upload(parts, stride, method, together)).collect()
}

/// Samples of a block that are uploaded together.
struct Part {
    /// In the batch.
    block: usize,
    /// First sample.
    first: usize,
    /// Ranges of the block's samples; each range is swept together.
    ranges: Vec<Range<usize>>,
}

/// The plan of an upload of these parts.
fn upload(parts: &[Part], stride: u32, method: PairMethod, together: usize) -> UploadPlan {
    let mut worlds = Vec::new();
    for (part, own) in (0..).zip(parts) {
        worlds.extend(own.ranges.iter().map(|range| World {
            part,
            first: (range.start - own.first) as u32,
            samples: range.len() as u32,
            unused: 0,
        }));
    }
    let searches = worlds.chunks(together).map(|worlds| (method, worlds.to_vec())).collect();
    UploadPlan { stride, parts: parts.iter().map(|part| (part.block, part.first)).collect(), searches }
}

/// Bytes of the boxes of a part.
pub(super) fn part_bytes(slots: u32, stride: u32) -> u64 {
    u64::from(slots) * u64::from(stride) * (size_of::<Boxes64>() / SAMPLES) as u64
}

/// Samples of a part: all of a block, or as many as a binding holds, halved until they do.
fn stride(slots: u32, most_bytes: u64) -> u32 {
    let mut stride = SAMPLES as u32;
    while stride > 1 && part_bytes(slots, stride) > most_bytes {
        stride /= 2;
    }
    stride
}

/// Whether the device cannot hold `slots` bodies.
pub(super) fn is_too_large(slots: u32, limits: &DeviceLimits) -> bool {
    let sweeps = u64::from(slots) * size_of::<DeviceBox>() as u64;
    part_bytes(slots, stride(slots, limits.most_bytes)).max(sweeps) > limits.most_bytes
}

/// Returns the method that finds the pairs of a world, and the number of worlds that are searched
/// together: few enough for 32 bits to count their pairs.
fn method(slots: u32, fixed: u32, limits: &DeviceLimits) -> (PairMethod, usize) {
    let (slots64, fixed) = (u64::from(slots), u64::from(fixed));
    let pairs = slots64 * (slots64 / 2 + fixed + 1);
    if slots > limits.brute_slots || pairs >= u64::from(u32::MAX) {
        return (PairMethod::Tree, 1);
    }
    let by_pairs = u64::from(u32::MAX - 1) / pairs.max(1);
    let bytes = (limits.most_bytes / size_of::<DeviceBox>() as u64).min(limits.room_bytes() / ITEM_BYTES);
    let by_items = SEARCH_ITEMS.min(bytes) / slots64.max(1);
    (PairMethod::Brute, by_pairs.min(by_items).clamp(1, 1 << 20) as usize)
}

/// The ranges of samples of a block that are swept: its runs, each halved `depth` times.
fn ranges(block: &FrameBlock, depth: usize) -> Vec<Range<usize>> {
    let count = block.samples.len();
    let starts: Vec<usize> = (0..count).filter(|&s| s == 0 || block.starts_run >> s & 1 == 1).collect();
    let ends = starts.iter().skip(1).copied().chain([count]);
    let mut open: Vec<(Range<usize>, usize)> = starts.iter().zip(ends).map(|(&s, e)| (s..e, depth)).collect();
    let mut all = Vec::new();
    while let Some((range, depth)) = open.pop() {
        if depth == 0 || range.len() <= 1 {
            all.push(range);
            continue;
        }
        let at = split_point(block, range.clone());
        open.push((range.start..at, depth - 1));
        open.push((at..range.end, depth - 1));
    }
    all.retain(|range| !range.is_empty());
    all.sort_unstable_by_key(|range| range.start);
    all
}

/// Appends the boxes of a part as bytes: whole blocks as they lie, else the samples of the part,
/// which all threads gather from some thousand boxes at a time.
pub(super) fn append_part(append: &mut dyn FnMut(&[u8]), boxes: &[Boxes64], first: usize, stride: u32) {
    let stride = stride as usize;
    if stride == SAMPLES {
        return append(bytemuck::cast_slice(boxes));
    }
    let mut gathered = vec![0_u32; 6 * stride * boxes.len().min(GATHERED_BOXES)];
    for boxes in boxes.chunks(GATHERED_BOXES) {
        let gathered = &mut gathered[..6 * stride * boxes.len()];
        let each = gathered.par_chunks_exact_mut(6 * stride).zip(boxes).with_min_len(256);
        each.for_each(|(to, own)| {
            for (to, column) in to.chunks_exact_mut(stride).zip(&own.columns) {
                to.copy_from_slice(&column[first..][..stride]);
            }
        });
        append(bytemuck::cast_slice(gathered));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_model::Sample;

    fn block(samples: usize, starts_run: u64) -> FrameBlock {
        let mut block = FrameBlock::new(0, 0);
        block.samples = (0..samples).map(|s| Sample { run: 0, frame: s as i64, time_s: None }).collect();
        block.starts_run = starts_run;
        block
    }

    #[test]
    fn every_sample_belongs_to_one_world() {
        let blocks = [block(64, 1), block(64, 1 << 10 | 1 << 60), block(17, u64::MAX), block(1, 1), block(0, 0)];
        let blocks: Vec<&FrameBlock> = blocks.iter().collect();
        let mut seen_methods = [false; 2];
        for (slots, most_bytes) in [(3, 1 << 27), (20, 40_000), (20, 2_000), (1, 24), (5000, 1 << 27), (100, 1)] {
            for depth in 0..4 {
                let limits = DeviceLimits { most_bytes, brute_slots: 1000, ..DeviceLimits::default() };
                let mut covered = vec![0_u64; blocks.len()];
                for UploadPlan { stride, parts, searches } in plan(&blocks, slots, 7, depth, &limits) {
                    let bytes = part_bytes(slots, stride) * parts.len() as u64;
                    assert!(bytes <= most_bytes || stride == 1, "{slots} slots: {bytes} of {most_bytes} bytes");
                    for (method, worlds) in searches {
                        seen_methods[usize::from(method == PairMethod::Tree)] = true;
                        assert!(method == PairMethod::Brute || worlds.len() == 1);
                        for world in worlds {
                            let (block, first) = parts[world.part as usize];
                            assert!(world.first + world.samples <= stride && world.samples > 0);
                            for sample in world.first..world.first + world.samples {
                                let bit = 1 << (first + sample as usize);
                                assert_eq!(covered[block] & bit, 0, "a sample twice");
                                covered[block] |= bit;
                            }
                        }
                    }
                }
                let all: Vec<u64> = blocks.iter().map(|block| block.all_samples()).collect();
                assert_eq!(covered, all, "{slots} slots, {most_bytes} bytes, depth {depth}");
            }
        }
        assert_eq!(seen_methods, [true; 2]);
    }
}
