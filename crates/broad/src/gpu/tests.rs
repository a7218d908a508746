//! Kernels against the CPU reference, buffer by buffer.
#![allow(clippy::print_stderr, reason = "a test that cannot run says so")]

use super::super::cpu_reference::CpuReferenceMachine;
use super::super::kernel::records::*;
use super::super::kernel::{Access, DeviceFaults, Kernel, KernelMachine, Region};
use super::GpuMachine;
use super::adapter::adapters;
use bytemuck::Pod;

mod failures;
mod layouts;
mod uploads;

/// Sizes at which workgroups are empty, full, or not quite full.
const SIZES: [u32; 9] = [0, 1, 63, 64, 65, 255, 257, 1234, 70_000];

/// A machine on any adapter, software too; `None` if there is no adapter. With
/// `CLEARSWEEP_REQUIRE_GPU` set, that is a failure.
#[allow(clippy::disallowed_methods)] // a test is told by its runner whether an adapter has to be there
pub(super) fn machine() -> Option<GpuMachine> {
    let first = adapters().into_iter().next();
    let required = std::env::var_os("CLEARSWEEP_REQUIRE_GPU").is_some();
    assert!(first.is_some() || !required, "CLEARSWEEP_REQUIRE_GPU is set, and there is no adapter");
    let Some(first) = first else {
        eprintln!("skipped: this machine has no graphics adapter");
        return None;
    };
    Some(GpuMachine::open(Some(&first.name)).expect("the adapter opens").0)
}

/// Returns the contents of all buffers after a kernel has run.
fn outputs<M: KernelMachine, P: Pod>(
    machine: &mut M,
    kernel: Kernel,
    params: &P,
    given: &[Vec<u32>],
    groups: u32,
) -> Vec<u32> {
    let buffers: Vec<M::Buffer> =
        given.iter().map(|words| machine.buffer(4 * words.len() as u64).expect("memory")).collect();
    for (buffer, words) in buffers.iter().zip(given) {
        machine.write(buffer, 0, bytemuck::cast_slice(words));
    }
    machine.run(kernel, params, &buffers.iter().collect::<Vec<_>>(), groups);
    let regions: Vec<_> = buffers
        .iter()
        .zip(given)
        .filter(|(_, words)| !words.is_empty())
        .map(|(buffer, words)| Region { buffer, from: 0, bytes: 4 * words.len() as u64 })
        .collect();
    if regions.is_empty() {
        return Vec::new();
    }
    let fetch = machine.fetch(&regions);
    machine.receive(fetch).expect("fetched")
}

/// Random words.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit) as u32
    }

    fn words(&mut self, count: u32, limit: u64) -> Vec<u32> {
        (0..count).map(|_| self.below(limit)).collect()
    }

    /// Boxes, some of which touch an end of the lattice, and some of which are empty.
    fn boxes(&mut self, count: u32) -> Vec<DeviceBox> {
        (0..count)
            .map(|k| {
                let origin = if k % 50 == 0 { u32::MAX - 4000 } else { 1 };
                let min = [0; 3].map(|_| origin + self.below(3000));
                let side = 1 + self.below(800);
                match k % 17 {
                    16 => DeviceBox::EMPTY,
                    _ => DeviceBox { min, max: min.map(|v| v.saturating_add(side).min(u32::MAX - 1)) },
                }
            })
            .collect()
    }
}

fn words<T: Pod>(records: &[T]) -> Vec<u32> {
    bytemuck::cast_slice(records).to_vec()
}

/// Runs a kernel on the GPU and by the CPU reference.
fn compare<P: Pod>(gpu: &mut GpuMachine, kernel: Kernel, params: &P, given: &[Vec<u32>], groups: u32) -> Vec<u32> {
    let expected = outputs(&mut CpuReferenceMachine::default(), kernel, params, given, groups);
    for round in 0..2 {
        let found = outputs(gpu, kernel, params, given, groups);
        assert!(found == expected, "{kernel:?} in round {round}: other bytes than the CPU reference");
    }
    expected
}

#[test]
fn sums_and_sorts_equal_the_cpu_reference() {
    let Some(mut gpu) = machine() else { return };
    let r = &mut Random(7);
    for items in SIZES {
        let limit = if items == 1234 { 1 << 32 } else { 1000 };
        let given = [r.words(items, limit), vec![0; items.div_ceil(SCAN_ITEMS) as usize]];
        let summed = compare(&mut gpu, Kernel::ScanBlocks, &ItemParams { items }, &given, items.div_ceil(SCAN_ITEMS));
        assert!(items != 1234 || summed.contains(&u32::MAX), "sums saturate");
        compare(&mut gpu, Kernel::AddBlockSums, &ItemParams { items }, &given, items.div_ceil(SCAN_THREADS));
        let groups = items.div_ceil(DIGITS);
        for shift in [0, 8, 24] {
            let params = RadixParams { items, groups, shift };
            let keys = r.words(items, 1 << 32);
            let counts = vec![0; (groups * DIGITS) as usize];
            compare(&mut gpu, Kernel::RadixCount, &params, &[keys.clone(), counts.clone()], groups);
            let counted = outputs(
                &mut CpuReferenceMachine::default(),
                Kernel::RadixCount,
                &params,
                &[keys.clone(), counts],
                groups,
            );
            let counts = &counted[items as usize..];
            let starts = counts.iter().scan(0, |sum, &own| Some(std::mem::replace(sum, *sum + own))).collect();
            let empty = vec![0; items as usize];
            let given = [keys, (0..items).collect(), starts, empty.clone(), empty];
            compare(&mut gpu, Kernel::RadixScatter, &params, &given, groups);
        }
    }
}

/// The boxes of items over `stride` samples, as they are uploaded.
fn columns(r: &mut Random, items: u32, stride: u32) -> Vec<u32> {
    let mut boxes = Vec::new();
    for _ in 0..items {
        let samples = r.boxes(stride);
        boxes.extend((0..6).flat_map(|c| samples.iter().map(move |b| if c < 3 { b.min[c] } else { b.max[c - 3] })));
    }
    boxes
}

/// Worlds of up to `run` samples that cover the samples of all parts but the first `skipped` of
/// each.
fn worlds_of(parts: u32, stride: u32, run: u32, skipped: u32) -> Vec<World> {
    let starts = |part| (skipped..stride).step_by(run as usize).map(move |first| (part, first));
    let world = |(part, first)| World { part, first, samples: run.min(stride - first), unused: 0 };
    (0..parts).flat_map(starts).map(world).collect()
}

#[test]
fn sweeps_equal_the_cpu_reference() {
    let Some(mut gpu) = machine() else { return };
    let r = &mut Random(11);
    let long = [(1, 1, 64, 21), (5, 3, 64, 43), (65, 2, 64, 64), (7, 1, 1, 1), (1234, 1, 2, 2), (3, 2, 16, 11)];
    // Several items a workgroup: 1, 63, 64, 65 and 1,234 items, and more.
    let short =
        [(1, 1, 1, 1), (63, 1, 1, 1), (1, 1, 64, 1), (13, 5, 1, 1), (617, 2, 1, 1), (20, 3, 64, 1), (12, 2, 64, 5)];
    for (slots, parts, stride, run) in long.into_iter().chain(short) {
        let boxes = columns(r, slots * parts, stride);
        let worlds = worlds_of(parts, stride, run, stride / 9);
        let items = worlds.len() as u32 * slots;
        let fewest = lanes(&worlds);
        assert!(fewest >= run.min(stride) && fewest < 2 * run, "{fewest} lanes for {run} samples");
        for (measures, lanes) in [(0, fewest), (1, fewest), (1, LANES)] {
            let params = SweepParams { slots, items, stride, measures, lanes };
            let sweeps = vec![0; 6 * items as usize];
            let given = [boxes.clone(), words(&worlds), sweeps, words(&[DeviceBox::EMPTY])];
            compare(&mut gpu, Kernel::SweepBoxes, &params, &given, params.groups());
        }
    }
}

#[test]
fn trees_equal_the_cpu_reference() {
    let Some(mut gpu) = machine() else { return };
    let r = &mut Random(12);
    for items in SIZES {
        let sweeps = r.boxes(items);
        let extent = DeviceBox { min: [1; 3], max: [u32::MAX - 1; 3] };
        let empty = vec![0; items as usize];
        let (params, groups) = (ItemParams { items }, items.div_ceil(LANES));
        let given = [words(&sweeps), words(&[extent]), empty.clone(), empty];
        compare(&mut gpu, Kernel::MortonCodes, &params, &given, groups);
        let (tree, nodes) = Tree::of(items);
        let order = (0..items).rev().collect();
        let given = [words(&sweeps), order, vec![0; 6 * nodes as usize]];
        compare(&mut gpu, Kernel::GatherLeaves, &params, &given, groups);
        for level in 1..=tree.top {
            let (start, count) = (tree.starts[level as usize], tree.count(level));
            let params = LevelParams {
                child_start: tree.starts[level as usize - 1],
                children: tree.count(level - 1),
                start,
                count,
            };
            compare(&mut gpu, Kernel::BuildLevel, &params, &[words(&r.boxes(nodes))], count.div_ceil(LANES));
        }
    }
}

/// The nodes of a tree with these leaves.
fn tree_of(leaves: &[DeviceBox]) -> (Tree, Vec<u32>) {
    let (tree, nodes) = Tree::of(leaves.len() as u32);
    let mut all = words(leaves);
    all.resize(6 * nodes as usize, 0);
    for level in 1..=tree.top {
        let (start, count) = (tree.starts[level as usize], tree.count(level));
        let child_start = tree.starts[level as usize - 1];
        let params = LevelParams { child_start, children: tree.count(level - 1), start, count };
        all = outputs(&mut CpuReferenceMachine::default(), Kernel::BuildLevel, &params, &[all], 1);
    }
    (tree, all)
}

/// Runs the counting kernel, sums its counts, and compares what is filled in three windows. Returns
/// the number of pairs.
fn count_and_fill<P: Pod>(
    gpu: &mut GpuMachine,
    [count, fill]: [Kernel; 2],
    params: impl Fn(u32, u32) -> P,
    mut given: Vec<Vec<u32>>,
    counts_at: usize,
    groups: u32,
) -> u32 {
    let found = compare(gpu, count, &params(0, 0), &given, groups);
    let before: usize = given[..counts_at].iter().map(Vec::len).sum();
    let counts = &found[before..][..given[counts_at].len()];
    given[counts_at] = counts.iter().scan(0, |sum, &own| Some(std::mem::replace(sum, *sum + own))).collect();
    let total = counts.iter().sum::<u32>();
    for (start, size) in [(0, total + 5), (0, total / 2), (total / 3, total / 3), (total, 9)] {
        given[counts_at + 1] = vec![0; 2 * size as usize];
        compare(gpu, fill, &params(start, size), &given, groups);
    }
    total
}

#[test]
fn pairs_equal_the_cpu_reference() {
    let Some(mut gpu) = machine() else { return };
    let r = &mut Random(13);
    let (mut brute, mut by_tree, mut with_fixed) = (0, 0, 0);
    for (slots, worlds) in [(1, 5), (2, 33), (20, 9), (32, 3), (33, 2), (64, 2), (65, 2), (300, 2)] {
        let params = |start, size| BruteParams::new(slots, worlds, start, size);
        let counts = vec![0; (slots * worlds + 1) as usize];
        let given = vec![words(&r.boxes(slots * worlds)), counts, vec![0; 2]];
        brute +=
            count_and_fill(&mut gpu, [Kernel::CountBrute, Kernel::FillBrute], params, given, 1, params(0, 0).groups());
    }
    for items in [1, 7, 63, 64, 65, 1234] {
        let (tree, nodes) = tree_of(&r.boxes(items));
        let order: Vec<u32> = (0..items).rev().collect();
        for (first, count) in [(0, items), (items / 2, items - items / 2)] {
            let params = |window_start, window_size| TreeParams { tree, first, count, window_start, window_size };
            let given = vec![nodes.clone(), order.clone(), vec![0; count as usize + 1], vec![0; 2]];
            by_tree += count_and_fill(
                &mut gpu,
                [Kernel::CountTree, Kernel::FillTree],
                params,
                given,
                2,
                count.div_ceil(LANES),
            );
            let (base, slots) = (3, 100);
            let sweeps = words(&r.boxes(items));
            let params = |window_start, window_size| FixedParams {
                tree,
                first,
                count,
                window_start,
                window_size,
                base,
                slots,
                unused: [0; 2],
            };
            let counts = vec![0; (base + count) as usize + 1];
            let given = vec![nodes.clone(), order.clone(), counts, vec![0; 2], sweeps];
            let kernels = [Kernel::CountFixed, Kernel::FillFixed];
            with_fixed += count_and_fill(&mut gpu, kernels, params, given, 2, count.div_ceil(LANES));
        }
    }
    assert!(brute > 500 && by_tree > 5000 && with_fixed > 5000, "{brute}, {by_tree}, {with_fixed} pairs");
}

#[test]
fn masks_equal_the_cpu_reference() {
    let Some(mut gpu) = machine() else { return };
    let r = &mut Random(17);
    let (slots, fixed, stride) = (9, 5, 64);
    let boxes = columns(r, slots * 2, stride);
    for (run, items) in [(64, 1), (64, 65), (55, 1234), (1, 1), (1, 63), (1, 64), (1, 1234), (5, 65), (20, 1234)] {
        let worlds = worlds_of(2, stride, run, 9);
        let pairs: Vec<ItemPair> = (0..items)
            .map(|_| ItemPair {
                item: r.below(worlds.len() as u64 * u64::from(slots)),
                other: r.below(u64::from(slots + fixed)),
            })
            .collect();
        for classes in [0, 3] {
            let mut rules = vec![1 + slots + fixed];
            rules.extend(r.words(slots + fixed, 3));
            rules.push(0b1_0001_0010);
            let (total_at, window_start, lanes) = (1, 7, lanes(&worlds));
            let params = MaskParams { slots, stride, total_at, window_start, window_size: items, classes, lanes };
            let (masks, kept) = (vec![0; 2 * items as usize], vec![0; items as usize + 1]);
            let sweeps = words(&r.boxes(fixed));
            // One pair fewer than the window holds.
            let counts = vec![0, window_start + items - 1];
            let given = [boxes.clone(), words(&worlds), sweeps, counts, words(&pairs), rules, masks, kept];
            let found = compare(&mut gpu, Kernel::MaskPairs, &params, &given, 16);
            let kept = &found[found.len() - (items as usize + 1)..];
            assert!(items < 1234 || (20..1220).contains(&kept.iter().sum::<u32>()), "{kept:?}");
            let places = kept.iter().scan(0, |sum, &own| Some(std::mem::replace(sum, *sum + own))).collect();
            let given = [words(&pairs), r.words(2 * items, 1 << 32), places, vec![0; 4 * items as usize]];
            compare(&mut gpu, Kernel::CompactPairs, &ItemParams { items }, &given, items.div_ceil(LANES));
        }
    }
}

#[test]
fn many_workgroups_take_several_rows() {
    let Some(mut gpu) = machine() else { return };
    let r = &mut Random(19);
    let items = 40_000;
    let given = [r.words(items, 1000), r.words(items.div_ceil(SCAN_ITEMS), 1000)];
    let params = ItemParams { items };
    let expected = outputs(&mut CpuReferenceMachine::default(), Kernel::AddBlockSums, &params, &given, 0);
    for groups in [65_535, 50, 7, 1] {
        gpu.simulate(&DeviceFaults { groups: Some(groups), ..DeviceFaults::default() });
        let found = outputs(&mut gpu, Kernel::AddBlockSums, &params, &given, items.div_ceil(SCAN_THREADS));
        assert!(found == expected, "{groups} groups a row");
    }
}
