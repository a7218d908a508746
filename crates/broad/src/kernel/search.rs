//! One search: the worlds of a batch, swept, paired and tested, window by window.

use super::Kernel;
use super::failure::DeviceFailure;
use super::job_buffers::JobBuffers;
use super::limits::DeviceLimits;
use super::machine::{KernelMachine, Region};
use super::pair_window::{FetchAhead, PairWindow};
use super::prefix_sum::PrefixSum;
use super::records::{
    BruteParams, DeviceBox, FixedParams, FoundPair, ItemPair, LANES, MaskParams, SweepParams, Tree, TreeParams, World,
    lanes,
};
use super::tree_build::TreeBuild;
use std::ops::Range;

/// The buffers that a search works in.
#[derive(Debug)]
pub(super) struct SearchRoom<B> {
    worlds: B,
    world_count: u32,
    sweeps: B,
    /// Pairs of each item with others, then with fixed boxes, then 0; then their sums.
    counts: B,
    sum: PrefixSum<B>,
    tree: TreeBuild<B>,
    window: PairWindow<B>,
}

impl<B> SearchRoom<B> {
    /// Room of this size.
    pub(super) fn new(machine: &mut impl KernelMachine<Buffer = B>, size: &RoomSize) -> Result<Self, DeviceFailure> {
        let RoomSize { worlds, items, window, tree } = *size;
        let counts = 2 * items + 1;
        Ok(Self {
            worlds: machine.buffer(u64::from(worlds) * size_of::<World>() as u64)?,
            world_count: worlds,
            sweeps: machine.buffer(u64::from(items) * size_of::<DeviceBox>() as u64)?,
            counts: machine.buffer(4 * u64::from(counts))?,
            sum: PrefixSum::new(machine, counts)?,
            tree: TreeBuild::new(machine, tree)?,
            window: PairWindow::new(machine, window)?,
        })
    }

    /// Whether a search fits in here.
    pub(super) fn holds(&self, size: &RoomSize) -> bool {
        let has_room = self.world_count >= size.worlds && self.sum.most() > 2 * size.items;
        has_room && self.window.capacity >= size.window && self.tree.most() >= size.tree
    }
}

/// Size of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RoomSize {
    pub(super) worlds: u32,
    pub(super) items: u32,
    /// Pairs that are tested at a time.
    pub(super) window: u32,
    /// Leaves of a tree of the items; 0 if none is built.
    pub(super) tree: u32,
}

impl RoomSize {
    /// Returns the size for `worlds` worlds of `slots` slots each, and `fixed` fixed boxes.
    pub(super) fn of(worlds: u32, slots: u32, fixed: u32, limits: &DeviceLimits) -> Self {
        let items = worlds * slots;
        // No larger than there can be pairs, as the whole window is gone through.
        let pairs = u64::from(items) * (u64::from(slots) / 2 + u64::from(fixed));
        let most = (limits.most_bytes / size_of::<FoundPair>() as u64).min(limits.room_bytes() / WINDOW_PAIR_BYTES);
        let window = most.min(u64::from(limits.window)).min(pairs).max(1) as u32;
        Self { worlds, items, window, tree: if worlds == 1 { slots } else { 0 } }
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        let Self { worlds, items, window, tree } = *self;
        let [worlds, items, window, tree] = [worlds, items, window, tree].map(u64::from);
        worlds * size_of::<World>() as u64 + items * ITEM_BYTES + window * WINDOW_PAIR_BYTES + tree * LEAF_BYTES
    }
}

/// Bytes of an item: bounds, and two counts.
pub(super) const ITEM_BYTES: u64 = size_of::<DeviceBox>() as u64 + 2 * 4;
/// Bytes of a pair in a window: itself, its mask, its place, and two copies if it is kept: one on
/// the device, one to be fetched.
const WINDOW_PAIR_BYTES: u64 = (size_of::<ItemPair>() + 8 + 4 + 2 * size_of::<FoundPair>()) as u64;
/// Words of a pair that is kept.
const PAIR_WORDS: usize = size_of::<FoundPair>() / 4;
/// Bytes of a leaf: two keys, two values and a count to be sorted, its box, and a share of the
/// nodes above.
const LEAF_BYTES: u64 = 5 * 4 + 2 * size_of::<DeviceBox>() as u64;

/// Method that finds the pairs of moving bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairMethod {
    /// All against all, in each world.
    Brute,
    /// By a tree; for a single world.
    Tree,
}

/// Boxes of a search.
#[derive(Debug)]
pub(super) struct BoxSource<'a, B> {
    pub(super) boxes: &'a B,
    /// Samples of a part.
    pub(super) stride: u32,
}

impl<B> Clone for BoxSource<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for BoxSource<'_, B> {}

/// Pairs as they were fetched.
#[derive(Debug)]
pub(super) struct FetchedPairs {
    words: Vec<u32>,
    /// Word at which the first pair begins.
    first: usize,
}

impl FetchedPairs {
    /// The pairs.
    pub(super) fn pairs(&self) -> &[FoundPair] {
        bytemuck::cast_slice(&self.words[self.first..])
    }
}

/// A search that was begun.
#[derive(Debug)]
pub(super) struct WorldSearch<F> {
    pub(super) worlds: Vec<World>,
    /// Invocations for the samples of a world.
    lanes: u32,
    method: PairMethod,
    tree: Tree,
    /// Items that are asked now; those that follow, last first.
    range: Range<u32>,
    later: Vec<Range<u32>>,
    window_start: u32,
    fetch: Option<F>,
    /// Pairs that are fetched with their number.
    ahead: FetchAhead,
    /// The pairs found.
    pub(super) found: Vec<FetchedPairs>,
    /// The most pairs that a window kept.
    pub(super) most_kept: u32,
    /// Pairs whose masks were found.
    pub(super) tested: u64,
}

impl<F: Send> WorldSearch<F> {
    /// Begins to search worlds.
    pub(super) fn begin<M: KernelMachine<Fetch = F>>(
        machine: &mut M,
        job: &JobBuffers<M::Buffer>,
        room: &SearchRoom<M::Buffer>,
        source: BoxSource<'_, M::Buffer>,
        worlds: Vec<World>,
        method: PairMethod,
        ahead: FetchAhead,
    ) -> Self {
        let items = worlds.len() as u32 * job.slots;
        machine.write(&room.worlds, 0, bytemuck::cast_slice(&worlds));
        let measures = u32::from(method == PairMethod::Tree);
        if method == PairMethod::Tree {
            room.tree.begin(machine);
        }
        let lanes = lanes(&worlds);
        let params = SweepParams { slots: job.slots, items, stride: source.stride, measures, lanes };
        let bound = [source.boxes, &room.worlds, &room.sweeps, &room.tree.extent];
        machine.run(Kernel::SweepBoxes, &params, &bound, params.groups());
        let tree = match method {
            PairMethod::Brute => Tree::of(0).0,
            PairMethod::Tree => room.tree.run(machine, &room.sweeps, items),
        };
        let (later, found) = (Vec::new(), Vec::new());
        let mut search = Self {
            worlds,
            lanes,
            method,
            tree,
            range: 0..items,
            later,
            window_start: 0,
            fetch: None,
            ahead,
            found,
            most_kept: 0,
            tested: 0,
        };
        search.count(machine, job, room, source);
        search
    }

    /// Method that finds the pairs of moving bodies.
    pub(super) fn method(&self) -> PairMethod {
        self.method
    }

    /// Goes on until all is found, window by window.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn finish<M: KernelMachine<Fetch = F>>(
        &mut self,
        machine: &mut M,
        job: &JobBuffers<M::Buffer>,
        room: &SearchRoom<M::Buffer>,
        source: BoxSource<'_, M::Buffer>,
    ) -> Result<(), DeviceFailure> {
        while let Some(fetch) = self.fetch.take() {
            let mut words = machine.receive(fetch)?;
            let (total, kept) = (words[0], words[1]);
            if total == u32::MAX {
                // More pairs than can be counted: half of the items at a time.
                let Range { start, end } = self.range;
                let middle = start + (end - start) / 2;
                self.later.push(middle..end);
                self.range = start..middle;
                self.count(machine, job, room, source);
                continue;
            }
            words.truncate(2 + PAIR_WORDS * kept as usize);
            self.found.push(FetchedPairs { words, first: 2 });
            if let Some(rest) = room.window.rest(kept, self.ahead) {
                let fetch = machine.fetch(&[rest]);
                self.found.push(FetchedPairs { words: machine.receive(fetch)?, first: 0 });
                self.ahead.learn(kept);
            }
            self.most_kept = self.most_kept.max(kept);
            let next = self.window_start.saturating_add(room.window.capacity);
            self.tested += u64::from(total.min(next) - self.window_start);
            if next < total {
                self.window(machine, job, room, source, next);
            } else if let Some(range) = self.later.pop() {
                self.range = range;
                self.count(machine, job, room, source);
            }
        }
        Ok(())
    }

    /// Counts the pairs of the items that are asked, and fills the first window.
    fn count<M: KernelMachine<Fetch = F>>(
        &mut self,
        machine: &mut M,
        job: &JobBuffers<M::Buffer>,
        room: &SearchRoom<M::Buffer>,
        source: BoxSource<'_, M::Buffer>,
    ) {
        machine.clear(&room.counts, 4 * u64::from(self.total_at(job) + 1));
        self.pairs(machine, job, room, [Kernel::CountBrute, Kernel::CountTree, Kernel::CountFixed], 0);
        room.sum.run(machine, &room.counts, self.total_at(job) + 1);
        self.window(machine, job, room, source, 0);
    }

    /// Fills a window, and fetches what it holds.
    fn window<M: KernelMachine<Fetch = F>>(
        &mut self,
        machine: &mut M,
        job: &JobBuffers<M::Buffer>,
        room: &SearchRoom<M::Buffer>,
        source: BoxSource<'_, M::Buffer>,
        window_start: u32,
    ) {
        self.window_start = window_start;
        self.pairs(machine, job, room, [Kernel::FillBrute, Kernel::FillTree, Kernel::FillFixed], window_start);
        let params = MaskParams {
            slots: job.slots,
            stride: source.stride,
            total_at: self.total_at(job),
            window_start,
            window_size: room.window.capacity,
            classes: job.classes,
            lanes: self.lanes,
        };
        let bound = [source.boxes, &room.worlds, &job.fixed_boxes, &room.counts, &job.rules];
        room.window.run(machine, &params, bound);
        let total = Region { buffer: &room.counts, from: 4 * u64::from(self.total_at(job)), bytes: 4 };
        let [kept, ahead] = room.window.ahead(self.ahead);
        self.fetch = Some(machine.fetch(&[total, kept, ahead]));
    }

    /// Returns the index of the sum of all counts.
    fn total_at(&self, job: &JobBuffers<impl Sized>) -> u32 {
        let asked = self.range.end - self.range.start;
        if job.fixed > 0 { 2 * asked } else { asked }
    }

    /// Counts pairs, or fills a window with them: by `brute` or `tree`, and by `fixed`.
    fn pairs<M: KernelMachine<Fetch = F>>(
        &self,
        machine: &mut M,
        job: &JobBuffers<M::Buffer>,
        room: &SearchRoom<M::Buffer>,
        [brute, tree, fixed]: [Kernel; 3],
        window_start: u32,
    ) {
        let (first, count) = (self.range.start, self.range.end - self.range.start);
        let window_size = room.window.capacity;
        let (counts, pairs) = (&room.counts, &room.window.pairs);
        match self.method {
            PairMethod::Brute => {
                let params = BruteParams::new(job.slots, self.worlds.len() as u32, window_start, window_size);
                machine.run(brute, &params, &[&room.sweeps, counts, pairs], params.groups());
            }
            PairMethod::Tree => {
                let params = TreeParams { tree: self.tree, first, count, window_start, window_size };
                let bound = [&room.tree.nodes, room.tree.order(), counts, pairs];
                machine.run(tree, &params, &bound, count.div_ceil(LANES));
            }
        }
        if job.fixed > 0 {
            let (tree, base, slots) = (job.tree, count, job.slots);
            let params = FixedParams { tree, first, count, window_start, window_size, base, slots, unused: [0; 2] };
            let bound = [&job.fixed_tree.nodes, job.fixed_tree.order(), counts, pairs, &room.sweeps];
            machine.run(fixed, &params, &bound, count.div_ceil(LANES));
        }
    }
}
