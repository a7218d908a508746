//! The tree: sixteen children per node, no pointers.
//!
//! The boxes are sorted by size and position (`hilbert`). Sixteen consecutive boxes make a leaf,
//! the bounds of sixteen consecutive leaves make a node, and so on: the structure follows from the
//! order. This is a packed Hilbert R-tree (Kamel and Faloutsos 1993, "On packing R-trees").

use super::super::box_kernel::BoxKernel;
use super::super::box_set::BoxSet;
use super::super::box16::{Box16, Box16Columns, WIDTH};
use super::hilbert::hilbert_order;
use clearsweep_base::simd::Level;
use rayon::prelude::*;
use std::sync::OnceLock;

/// The number of bits of a lane index.
const LANE_BITS: u32 = WIDTH.ilog2();
/// The capacity of the traversal stack: fewer than sixteen nodes on each of at most seven levels.
const STACK: usize = 8 * WIDTH;

/// A tree of boxes.
#[derive(Debug, Default)]
pub(in super::super) struct PackedTree {
    /// The identifiers of the boxes in the order of the leaves, one for each lane.
    ids: Vec<u32>,
    /// `levels[0]` are the leaves, which hold the boxes. Lane `c` of node `k` of level `l + 1`
    /// bounds node `16 k + c` of level `l`. The last level is the root, a single node above the
    /// leaves. There are no levels if there are no boxes.
    levels: Vec<Vec<Box16>>,
}

/// The tree of a job's fixed boxes, built when it is first needed.
///
/// It is built on one thread. With rayon, the building thread could steal a task that asks for the
/// tree, and wait for itself.
#[derive(Debug, Default)]
pub(in super::super) struct FixedTree(OnceLock<PackedTree>);

impl FixedTree {
    /// The tree of `set`, which must be the same set in every call.
    pub(in super::super) fn get(&self, simd: Level, set: &BoxSet) -> &PackedTree {
        self.0.get_or_init(|| PackedTree::build(simd, set, false))
    }
}

impl PackedTree {
    /// Builds the tree of a set, on rayon's current pool if `parallel`.
    pub(super) fn build(simd: Level, set: &BoxSet, parallel: bool) -> Self {
        if set.is_empty() {
            return Self::default();
        }
        let parallel = parallel && rayon::current_num_threads() > 1;
        let order = hilbert_order(simd, set, parallel);
        let places: Vec<&[u32]> = order.chunks(WIDTH).collect();
        let leaf = |places: &&[u32]| {
            let mut node = Box16::EMPTY;
            places.iter().enumerate().for_each(|(lane, &i)| node.set(lane, &set.get(i as usize)));
            node
        };
        let mut levels: Vec<Vec<Box16>> = vec![if parallel {
            places.par_iter().with_min_len(256).map(leaf).collect()
        } else {
            places.iter().map(leaf).collect()
        }];
        let above = |nodes: &[Box16]| {
            let mut node = Box16::EMPTY;
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
        debug_assert!(levels.iter().all(|level| level.len() < 1 << (u32::BITS - LANE_BITS)));
        Self { ids, levels }
    }

    /// The number of leaves.
    pub(super) fn leaves(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    /// Replaces `leaves` by the leaves from index `from` on whose bounds overlap `one`.
    ///
    /// It returns a list instead of calling a closure, because a closure is not compiled for the
    /// instruction set of its caller.
    #[inline(always)]
    pub(super) fn overlapping_leaves<K: BoxKernel>(&self, one: &K::Broadcast, from: usize, leaves: &mut Vec<u32>) {
        leaves.clear();
        let mut stack = [(0_u32, 0_u32); STACK];
        let mut count = 1;
        stack[0] = (self.levels.len() as u32 - 1, 0);
        while count > 0 {
            count -= 1;
            let (level, index) = stack[count];
            let node = &self.levels[level as usize][index as usize];
            let first = index << LANE_BITS;
            // Children that end before leaf `from` are masked out.
            let skipped = ((from >> (LANE_BITS * (level - 1))) as u32).saturating_sub(first).min(u32::BITS - 1);
            let mut hits = K::overlap_mask(one, node.view()) & u32::MAX << skipped;
            while hits != 0 {
                let child = first | hits.trailing_zeros();
                hits &= hits - 1;
                if level == 1 {
                    leaves.push(child);
                } else {
                    stack[count] = (level - 1, child);
                    count += 1;
                }
            }
        }
    }

    /// The identifiers of the boxes of a leaf; identifiers in unused lanes have no meaning.
    #[inline(always)]
    pub(super) fn ids(&self, leaf: usize) -> &[u32; WIDTH] {
        self.ids[leaf * WIDTH..].first_chunk().expect("there is an identifier for each lane")
    }

    /// The boxes of a leaf.
    #[inline(always)]
    pub(super) fn leaf(&self, leaf: usize) -> Box16Columns<'_> {
        self.levels[0][leaf].view()
    }

    /// The bounds of a leaf.
    #[inline(always)]
    pub(super) fn bounds<K: BoxKernel>(&self, leaf: usize) -> K::Broadcast {
        K::broadcast_lane(self.levels[1][leaf / WIDTH].view(), leaf % WIDTH)
    }
}
