//! Work begun on a machine and not finished yet: uploads, searches, and batches of blocks.

use super::super::block_split::BlockWork;
use super::super::broad_scene::BroadScene;
use super::machine::KernelMachine;
use super::records::{FoundPair, World};
use super::search::{SearchRoom, WorldSearch};
use clearsweep_model::{Candidate, Scene};
use rayon::prelude::*;
use std::sync::Arc;

/// The cost of searching an item, in the unit of [`BlockWork`]: about one and a half tests of a
/// pair.
const ITEM_COST: f64 = 60.0;

/// Pairs that a thread converts at a time.
const CONVERTED_PAIRS: usize = 1 << 14;

/// Uploaded boxes.
#[derive(Debug)]
pub(super) struct Upload<B> {
    pub(super) boxes: B,
    pub(super) bytes: u64,
    /// Searches that read them and are not done.
    pub(super) readers: usize,
}

/// A search that was begun, and where its pairs belong.
pub(super) struct OpenSearch<M: KernelMachine> {
    pub(super) search: WorldSearch<M::Fetch>,
    pub(super) room: SearchRoom<M::Buffer>,
    /// Index of the upload that it reads.
    pub(super) upload: usize,
    pub(super) stride: u32,
    /// The block of each part, in its batch, and its first sample.
    pub(super) parts: Arc<Vec<(usize, usize)>>,
    pub(super) batch: u64,
}

/// A batch of blocks that was begun.
#[derive(Debug, Default)]
pub(super) struct OpenBatch {
    pub(super) number: u64,
    /// For each block, what was found of it.
    pub(super) found: Vec<Vec<Vec<Candidate>>>,
    /// Searches that are not done.
    pub(super) open: usize,
    /// Whether its searches are on the machine, or done.
    pub(super) is_begun: bool,
    pub(super) depth: usize,
    pub(super) samples: usize,
    pub(super) work: BlockWork,
}

impl OpenBatch {
    /// Returns a batch of `blocks` blocks before any search.
    pub(super) fn new(number: u64, blocks: usize) -> Self {
        Self { number, found: vec![Vec::new(); blocks], ..Self::default() }
    }

    /// Takes what a search found that is done. `filters`: pairs are still to be held against the
    /// rules.
    pub(super) fn take<M: KernelMachine>(
        &mut self,
        open: &OpenSearch<M>,
        scene: &Scene,
        job: &BroadScene,
        filters: bool,
    ) {
        let search = &open.search;
        self.open -= 1;
        self.work.tests += search.tested;
        self.work.search += ITEM_COST * (search.worlds.len() * job.slots()) as f64;
        let (blocks, worlds, parts) = (self.found.len(), &search.worlds, &open.parts);
        let convert = |pairs: &[FoundPair]| {
            let mut found: Vec<Vec<Candidate>> = vec![Vec::new(); blocks];
            for pair in pairs {
                let (block, candidate) = candidate(pair, worlds, parts, scene, job);
                if !filters || !scene.ignored.contains(candidate.a, candidate.b) {
                    found[block].push(candidate);
                }
            }
            found
        };
        let chunks: Vec<&[FoundPair]> =
            search.found.iter().flat_map(|own| own.pairs().chunks(CONVERTED_PAIRS)).collect();
        // In the order of the chunks, whatever the number of threads.
        let converted: Vec<Vec<Vec<Candidate>>> = chunks.into_par_iter().map(convert).collect();
        for found in converted {
            let pairs = self.found.iter_mut().zip(found);
            pairs.filter(|(_, found)| !found.is_empty()).for_each(|(all, found)| all.push(found));
        }
    }
}

/// The block, in its batch, and the candidate that a pair of items is.
fn candidate(
    found: &FoundPair,
    worlds: &[World],
    parts: &[(usize, usize)],
    scene: &Scene,
    job: &BroadScene,
) -> (usize, Candidate) {
    let slots = job.slots() as u32;
    let FoundPair { pair, samples: [low, high] } = *found;
    let (block, first) = parts[worlds[(pair.item / slots) as usize].part as usize];
    let one = scene.dynamic[(pair.item % slots) as usize];
    let other = match pair.other.checked_sub(slots) {
        None => scene.dynamic[pair.other as usize],
        Some(fixed) => job.fixed.bodies[fixed as usize],
    };
    let samples = (u64::from(high) << 32 | u64::from(low)) << first;
    (block, Candidate { a: one.min(other), b: one.max(other), samples })
}
