//! A tree of boxes without pointers: sixteen children a node, leaves in spatial order, rebuilt for each search.
//!
//! `order` sorts the boxes by size and place; then sixteen in a row make a leaf, the boxes of sixteen leaves in a row a
//! node, and so on: the structure is the order (a packed Hilbert tree, Kamel and Faloutsos 1993, "On packing
//! R-trees"). A search takes a leaf at a time, not a box: it walks the tree once for the box of the
//! leaf, and in every leaf that it meets compares each of its own boxes that comes near with sixteen others at once.

mod order;

use super::FixedBoxes;
use super::set::{BoxSet, Found, PairSearch, Visit, over_chunks};
use super::simd::Simd;
use super::sixteen::{Join, Kernel, Node, Pairs, Sixteen, WIDTH, run};
use rayon::prelude::*;
use std::sync::OnceLock;

/// Below so many boxes a search stays on its thread.
const WORTH_THREADS: usize = 2048;
/// Leaves that a task takes on.
const CHUNK: usize = 16;
/// Where a moving box comes with more fixed ones than this, the moving ones are few.
const FEW: usize = 8;
/// Bits of a lane.
const LANE: u32 = WIDTH.ilog2();
/// Nodes that wait at most: fewer than sixteen on each of the at most seven levels.
const WAITING: usize = 8 * WIDTH;

/// The tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tree;

/// Boxes in a tree.
#[derive(Debug, Default)]
pub(super) struct Packed {
    /// Names of the boxes, in the order of the leaves; as many as lanes.
    ids: Vec<u32>,
    /// `levels[0]`: the boxes; lane `c` of node `k` of level `l + 1` bounds node `16 k + c` of level `l`. The last
    /// level is one node, and never the leaves. Empty if there is no box.
    levels: Vec<Vec<Node>>,
}

/// The tree of a job's fixed boxes, built when first needed and kept for the job; without rayon, because a task stolen
/// while it is being built could ask for it.
#[derive(Debug, Default)]
pub(super) struct FixedTree(OnceLock<Packed>);

impl FixedTree {
    fn get(&self, simd: Simd, set: &BoxSet) -> &Packed {
        self.0.get_or_init(|| Packed::build(simd, set, false))
    }
}

impl Packed {
    fn build(simd: Simd, set: &BoxSet, parallel: bool) -> Self {
        if set.is_empty() {
            return Self::default();
        }
        let parallel = parallel && rayon::current_num_threads() > 1;
        let order = order::order(simd, set, parallel);
        let places: Vec<&[u32]> = order.chunks(WIDTH).collect();
        let leaf = |places: &&[u32]| {
            let mut node = Node::EMPTY;
            places.iter().enumerate().for_each(|(lane, &i)| node.set(lane, &set.get(i as usize)));
            node
        };
        let mut levels: Vec<Vec<Node>> = vec![if parallel {
            places.par_iter().with_min_len(256).map(leaf).collect()
        } else {
            places.iter().map(leaf).collect()
        }];
        let above = |nodes: &[Node]| {
            let mut node = Node::EMPTY;
            nodes.iter().enumerate().for_each(|(lane, below)| node.set(lane, &below.bounds()));
            node
        };
        while levels.len() == 1 || levels.last().is_some_and(|level| level.len() > 1) {
            let below = &levels[levels.len() - 1];
            levels.push(if parallel {
                below.par_chunks(WIDTH).with_min_len(16).map(above).collect()
            } else {
                below.chunks(WIDTH).map(above).collect()
            });
        }
        let mut ids: Vec<u32> = order.into_iter().map(|i| set.ids[i as usize]).collect();
        ids.resize(ids.len().next_multiple_of(WIDTH), 0);
        Self { ids, levels }
    }

    fn leaves(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    /// Lists every leaf from number `from` on whose box overlaps `one`. `leaves` is emptied first.
    ///
    /// A list and no callback: the instruction set of the caller would not reach into a closure.
    #[inline(always)]
    fn overlapping<K: Kernel>(&self, k: K, one: &K::One, from: usize, leaves: &mut Vec<u32>) {
        leaves.clear();
        let mut waiting = [(0_u32, 0_u32); WAITING];
        let mut count = 1;
        waiting[0] = (self.levels.len() as u32 - 1, 0);
        while count > 0 {
            count -= 1;
            let (level, index) = waiting[count];
            let node = &self.levels[level as usize][index as usize];
            let first = index << LANE;
            // Without children that end before leaf `from`.
            let passed = ((from >> (LANE * (level - 1))) as u32).saturating_sub(first).min(u32::BITS - 1);
            let mut hits = k.hits(one, node.view()) & u32::MAX << passed;
            while hits != 0 {
                let child = first | hits.trailing_zeros();
                hits &= hits - 1;
                if level == 1 {
                    leaves.push(child);
                } else {
                    waiting[count] = (level - 1, child);
                    count += 1;
                }
            }
        }
    }

    /// The names of the boxes of a leaf; those of free lanes mean nothing.
    #[inline(always)]
    fn ids(&self, leaf: usize) -> &[u32; WIDTH] {
        self.ids[leaf * WIDTH..].first_chunk().expect("as many names as lanes")
    }

    /// The box of a leaf.
    #[inline(always)]
    fn bounds<K: Kernel>(&self, k: K, leaf: usize) -> K::One {
        k.one(self.levels[1][leaf / WIDTH].view(), leaf % WIDTH)
    }

    /// Pairs of the boxes in some leaves with those that come after them.
    #[inline(always)]
    fn join_within<K: Kernel>(&self, k: K, leaves: std::ops::Range<usize>, visit: &impl Visit, found: &mut Found) {
        let (mut near, mut pairs) = (Vec::with_capacity(64), Pairs::new());
        for g in leaves {
            let (own, ids) = (self.levels[0][g].view(), self.ids(g));
            for lane in 0..WIDTH {
                let hits = k.hits(&k.one(own, lane), own) & (u32::MAX << 1) << lane;
                k.push(&mut pairs, ids[lane], ids, hits);
                if pairs.is_full() {
                    pairs.hand_on(|first, second| visit.pair(first, second, found));
                }
            }
            self.overlapping(k, &self.bounds(k, g), g + 1, &mut near);
            self.leaf_pairs(k, (own, ids), &near, &mut pairs, visit, found);
            if found.stopped {
                return;
            }
        }
        pairs.hand_on(|first, second| visit.pair(first, second, found));
    }

    /// Pairs of the boxes in some leaves of `moving` with the boxes of this tree.
    #[inline(always)]
    fn join_other<K: Kernel>(
        &self,
        k: K,
        moving: &Self,
        leaves: std::ops::Range<usize>,
        visit: &impl Visit,
        found: &mut Found,
    ) {
        let (mut near, mut pairs) = (Vec::with_capacity(64), Pairs::new());
        for g in leaves {
            self.overlapping(k, &moving.bounds(k, g), 0, &mut near);
            self.leaf_pairs(k, (moving.levels[0][g].view(), moving.ids(g)), &near, &mut pairs, visit, found);
            if found.stopped {
                return;
            }
        }
        pairs.hand_on(|first, second| visit.pair(first, second, found));
    }

    /// Pairs of some boxes of `moving` with the boxes of this tree, which is walked for each of them.
    #[inline(always)]
    fn join_boxes<K: Kernel>(
        &self,
        k: K,
        moving: &BoxSet,
        boxes: std::ops::Range<usize>,
        visit: &impl Visit,
        found: &mut Found,
    ) {
        let (mut near, mut pairs) = (Vec::with_capacity(64), Pairs::new());
        let mut single = Node::EMPTY;
        for i in boxes {
            single.set(0, &moving.get(i));
            let one = k.one(single.view(), 0);
            self.overlapping(k, &one, 0, &mut near);
            for &h in &near {
                let h = h as usize;
                k.push(&mut pairs, moving.ids[i], self.ids(h), k.hits(&one, self.levels[0][h].view()));
                if pairs.is_full() {
                    pairs.hand_on(|first, second| visit.pair(first, second, found));
                }
            }
            if found.stopped {
                return;
            }
        }
        pairs.hand_on(|first, second| visit.pair(first, second, found));
    }

    /// Pairs of the boxes of a leaf, `own` with their names, with those of the leaves `near` of this tree.
    #[inline(always)]
    fn leaf_pairs<K: Kernel>(
        &self,
        k: K,
        (own, own_ids): (Sixteen<'_>, &[u32; WIDTH]),
        near: &[u32],
        pairs: &mut Pairs,
        visit: &impl Visit,
        found: &mut Found,
    ) {
        for &h in near {
            let h = h as usize;
            let (other, ids) = (self.levels[0][h].view(), self.ids(h));
            let mut lanes = k.hits(&self.bounds(k, h), own);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize % WIDTH;
                lanes &= lanes - 1;
                k.push(pairs, own_ids[lane], ids, k.hits(&k.one(own, lane), other));
                if pairs.is_full() {
                    pairs.hand_on(|first, second| visit.pair(first, second, found));
                }
            }
        }
    }
}

struct Within<'a, V>(&'a Packed, &'a V);

impl<V: Visit> Join for Within<'_, V> {
    #[inline(always)]
    fn run<K: Kernel>(&self, k: K, leaves: std::ops::Range<usize>, found: &mut Found) {
        self.0.join_within(k, leaves, self.1, found);
    }
}

struct Against<'a, V> {
    moving: &'a Packed,
    fixed: &'a Packed,
    visit: &'a V,
}

impl<V: Visit> Join for Against<'_, V> {
    #[inline(always)]
    fn run<K: Kernel>(&self, k: K, leaves: std::ops::Range<usize>, found: &mut Found) {
        self.fixed.join_other(k, self.moving, leaves, self.visit, found);
    }
}

struct BoxesAgainst<'a, V> {
    moving: &'a BoxSet,
    fixed: &'a Packed,
    visit: &'a V,
}

impl<V: Visit> Join for BoxesAgainst<'_, V> {
    #[inline(always)]
    fn run<K: Kernel>(&self, k: K, range: std::ops::Range<usize>, found: &mut Found) {
        self.fixed.join_boxes(k, self.moving, range, self.visit, found);
    }
}

fn join(simd: Simd, join: &(impl Join + Sync), leaves: usize) -> Found {
    over_chunks(leaves * WIDTH > WORTH_THREADS, leaves, CHUNK, |range, found| run(simd, join, range, found))
}

/// So many boxes are a single leaf: they are compared without a tree.
pub(super) fn is_leaf(boxes: usize) -> bool {
    boxes <= WIDTH
}

/// Few moving boxes lie so far apart that the box of a leaf of them would meet most of the fixed ones: each is looked
/// up on its own.
pub(super) fn are_few(moving: usize, fixed: usize) -> bool {
    FEW * moving < fixed
}

impl Tree {
    fn packed(simd: Simd, set: &BoxSet) -> Packed {
        Packed::build(simd, set, set.len() > WORTH_THREADS)
    }

    /// Pairs of a moving and a fixed box, there being moving boxes, few of them.
    fn few_against_fixed(simd: Simd, moving: &BoxSet, fixed: &FixedBoxes, visit: &impl Visit) -> Found {
        let fixed = fixed.tree.get(simd, &fixed.set);
        let join = BoxesAgainst { moving, fixed, visit };
        let parallel = moving.len() > WORTH_THREADS;
        over_chunks(parallel, moving.len(), CHUNK * WIDTH, |range, found| run(simd, &join, range, found))
    }
}

impl PairSearch for Tree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn cost(&self, moving: usize, fixed: usize) -> f64 {
        super::cost::tree(moving, fixed)
    }

    fn within(&self, simd: Simd, set: &BoxSet, visit: &impl Visit) -> Found {
        if is_leaf(set.len()) {
            return super::brute::Brute.within(simd, set, visit);
        }
        let tree = Self::packed(simd, set);
        join(simd, &Within(&tree, visit), tree.leaves())
    }

    fn against_fixed(&self, simd: Simd, moving: &BoxSet, fixed: &FixedBoxes, visit: &impl Visit) -> Found {
        if moving.is_empty() || fixed.set.is_empty() {
            return Found::default();
        }
        if are_few(moving.len(), fixed.set.len()) {
            return Self::few_against_fixed(simd, moving, fixed, visit);
        }
        let moving = Self::packed(simd, moving);
        let fixed = fixed.tree.get(simd, &fixed.set);
        join(simd, &Against { moving: &moving, fixed, visit }, moving.leaves())
    }

    fn both(
        &self,
        simd: Simd,
        moving: &BoxSet,
        fixed: &FixedBoxes,
        pairs: &impl Visit,
        fixed_pairs: &impl Visit,
    ) -> Found {
        if is_leaf(moving.len()) || fixed.set.is_empty() || are_few(moving.len(), fixed.set.len()) {
            let mut found = self.within(simd, moving, pairs);
            if !found.stopped {
                found.append(self.against_fixed(simd, moving, fixed, fixed_pairs));
            }
            return found;
        }
        let tree = Self::packed(simd, moving);
        let mut found = join(simd, &Within(&tree, pairs), tree.leaves());
        if !found.stopped {
            let fixed = fixed.tree.get(simd, &fixed.set);
            found.append(join(simd, &Against { moving: &tree, fixed, visit: fixed_pairs }, tree.leaves()));
        }
        found
    }
}
