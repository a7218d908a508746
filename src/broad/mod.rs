//! BROAD: the pairs whose lattice boxes overlap, and in which samples of a block.
//!
//! The candidate set is defined by its value (equal lattice-box overlaps), not by an algorithm: every method returns
//! it equal, sorted by (a, b).
//!
//! A block is searched in two steps. A pair search finds the pairs whose boxes *swept over* a range of samples overlap
//! (`brute`, `hash`, `tree`, `grid`); each such pair is then tested sample by sample with SIMD into a mask, unless its sweeps prove
//! that it overlaps throughout. Swept boxes contain every box, so nothing is lost. `cut` decides into how many ranges
//! a block is cut.
//!
//! Incremental methods (`coherent-hash`, `sweep`) follow the samples one by one instead and keep what they know from
//! sample to sample: see `incremental`.
//!
//! *Architecture invariant*: integers decide. Boxes become integers in `boxes`, nowhere else, and no method compares
//! anything but those.

mod auto;
#[doc(hidden)]
pub mod bare;
mod block;
mod blockwise;
pub mod boxes;
mod brute;
mod cost;
mod cut;
mod grid;
mod hash;
mod incremental;
pub mod lattice;
#[doc(hidden)]
pub mod measure;
mod overlap;
mod set;
mod simd;
mod sixteen;
mod sweep;
mod tree;

use crate::scene::{Candidate, FrameBlock, Lanes, Motion, SAMPLES, Scene, Shape, block::COMPONENTS};
use crate::trajectory::Bounds;
use auto::Auto;
use blockwise::Blockwise;
use boxes::{Boxes64, LatticeBox, Maker, Support};
use brute::Brute;
use grid::Grid;
use hash::Hash;
use lattice::Lattice;
use set::BoxSet;
use simd::Simd;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use tree::Tree;

/// The boxes of the static bodies.
#[derive(Debug, Default)]
struct FixedBoxes {
    /// The static bodies (indices into `scene.bodies`), ascending.
    bodies: Vec<u32>,
    /// Their boxes; a box is named by its position here.
    set: BoxSet,
    /// Hash tables of them, built when first needed.
    tables: hash::FixedTables,
    /// A tree of them, likewise.
    tree: tree::FixedTree,
    /// And a grid.
    grid: grid::FixedGrid,
    /// [`BoxSet::sides`], when first needed.
    sides: std::sync::OnceLock<(u32, u32)>,
}

/// What every method shares for a job: the lattice, and the static bodies boxed once.
#[derive(Debug)]
pub struct BroadScene {
    lattice: Lattice,
    /// Of each distinct shape.
    supports: Vec<Support>,
    /// Of each slot: its support, and its growth in metres.
    slots: Vec<(u32, f64)>,
    fixed: FixedBoxes,
    /// No other job of this process has it: by this a method knows whether what it remembers is of this job.
    serial: u64,
}

/// The number of jobs so far.
static JOBS: AtomicU64 = AtomicU64::new(0);

impl BroadScene {
    /// Chooses the lattice and boxes the static bodies. `within`: metres. Positions outside of `bounds` (metres) are
    /// treated correctly; far outside they cost candidates that are none.
    pub fn new(scene: &Scene, bounds: Option<Bounds>, within: f64) -> Self {
        let lattice = Lattice::new(scene, bounds.as_ref(), within);
        let mut supports = Vec::new();
        let mut known: HashMap<*const Shape, u32> = HashMap::new();
        let mut support_of = |shape: &std::sync::Arc<Shape>| {
            *known.entry(std::sync::Arc::as_ptr(shape)).or_insert_with(|| {
                supports.push(Support::new(&shape.hull().core));
                supports.len() as u32 - 1
            })
        };
        let mut slots = vec![(0, 0.0); scene.dynamic.len()];
        let (mut bodies, mut hows) = (Vec::new(), Vec::new());
        for (body, index) in scene.bodies.iter().zip(0_u32..) {
            let how = (support_of(&body.shape), body.shape.hull().radius + 0.5 * within);
            match &body.motion {
                Motion::Dynamic { slot } => slots[*slot as usize] = how,
                Motion::Static(_) => {
                    bodies.push(index);
                    hows.push(how);
                }
            }
        }
        let fixed = fixed_boxes(scene, &lattice, &supports, &bodies, &hows);
        let set = BoxSet::new((0..).zip(fixed));
        let fixed = FixedBoxes { bodies, set, ..FixedBoxes::default() };
        Self { lattice, supports, slots, fixed, serial: JOBS.fetch_add(1, Ordering::Relaxed) }
    }

    /// The lattice of the job.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The static bodies (indices into `scene.bodies`, ascending) with their boxes.
    pub fn fixed_boxes(&self) -> impl Iterator<Item = (u32, LatticeBox)> + '_ {
        self.fixed.bodies.iter().enumerate().map(|(k, &body)| (body, self.fixed.set.get(k)))
    }

    /// The boxes of a slot of a block in its samples; empty where the body is absent.
    pub fn boxes(&self, block: &FrameBlock, slot: usize) -> Boxes64 {
        let mut boxes = Boxes64::EMPTY;
        let present = block.present[slot] & block.all_samples();
        self.maker(slot).make(Simd::detect(), block.slot(slot), present, block.samples.len(), &mut boxes);
        boxes
    }

    fn slots(&self) -> usize {
        self.slots.len()
    }

    fn maker(&self, slot: usize) -> Maker<'_> {
        let (support, grow) = self.slots[slot];
        Maker { lattice: &self.lattice, support: &self.supports[support as usize], grow }
    }
}

/// The boxes of the static bodies `bodies`, each with its support and growth in `hows`. Those alike are boxed 64 at a
/// time, in the lanes that else hold the samples of one body.
fn fixed_boxes(
    scene: &Scene,
    lattice: &Lattice,
    supports: &[Support],
    bodies: &[u32],
    hows: &[(u32, f64)],
) -> Vec<LatticeBox> {
    let alike = |i: usize| (hows[i].0, hows[i].1.to_bits());
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_by_key(|&i| alike(i));
    let simd = Simd::detect();
    let mut lanes = [Lanes::default(); COMPONENTS];
    let mut made = Boxes64::EMPTY;
    let mut boxes = vec![LatticeBox::EMPTY; bodies.len()];
    for part in order.chunk_by(|&i, &j| alike(i) == alike(j)).flat_map(|same| same.chunks(SAMPLES)) {
        for (lane, &i) in part.iter().enumerate() {
            let Motion::Static(pose) = &scene.bodies[bodies[i] as usize].motion else { continue };
            let values = pose.position.to_array().into_iter().chain(pose.q).chain(pose.rest.to_array());
            lanes.iter_mut().zip(values).for_each(|(component, value)| component.0[lane] = value);
        }
        let (support, grow) = hows[part[0]];
        let maker = Maker { lattice, support: &supports[support as usize], grow };
        maker.make(simd, &lanes, u64::MAX >> (SAMPLES - part.len()), part.len(), &mut made);
        part.iter().enumerate().for_each(|(lane, &i)| boxes[i] = made.get(lane));
    }
    boxes
}

/// A broad phase. All methods return equal candidates.
pub trait BroadPhase: Send {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// The candidates of a block, sorted by (a, b). Static pairs (if the query asks for them, or if no body is
    /// dynamic) carry only the sample bit 0 of block 0. Uses rayon's current pool where that pays; the result is the
    /// same for any number of threads. A method remembers from block to block what helps it to be quick; `job` must
    /// be made from `scene`.
    fn candidates(&mut self, job: &BroadScene, scene: &Scene, block: &FrameBlock) -> Vec<Candidate>;

    /// As [`Self::candidates`] from boxes that are given, one entry for each slot, where the method can. For
    /// measurements: no poses are read.
    #[doc(hidden)]
    fn candidates_of_boxes(
        &mut self,
        _job: &BroadScene,
        _scene: &Scene,
        _block: &FrameBlock,
        _boxes: &mut Vec<Boxes64>,
    ) -> Option<Vec<Candidate>> {
        None
    }

    /// What it has done so far, for experiments.
    #[doc(hidden)]
    fn operations(&self) -> measure::Operations {
        measure::Operations::default()
    }
}

/// Why a name gives no method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unavailable {
    /// No method has this name.
    Unknown,
    /// The name is reserved for a method that this version does not have.
    NotInThisVersion,
}

/// The names of the methods that this version has; the first is the default.
pub const NAMES: [&str; 7] = ["auto", "brute", "hash", "tree", "grid", "coherent-hash", "sweep"];
/// Names that the command line knows for methods to come.
pub const RESERVED: [&str; 1] = ["gpu"];

/// The method of a name: see [`NAMES`].
///
/// # Errors
/// [`Unavailable`]: the name is not known, or reserved.
pub fn by_name(name: &str) -> Result<Box<dyn BroadPhase>, Unavailable> {
    match name {
        "auto" => Ok(Box::new(Blockwise::new(Auto))),
        "brute" => Ok(Box::new(Blockwise::new(Brute))),
        "hash" => Ok(Box::new(Blockwise::new(Hash))),
        "tree" => Ok(Box::new(Blockwise::new(Tree))),
        "grid" => Ok(Box::new(Blockwise::new(Grid))),
        "coherent-hash" => Ok(Box::new(hash::Coherent::new())),
        "sweep" => Ok(Box::new(sweep::SweepAndPrune::new())),
        _ if RESERVED.contains(&name) => Err(Unavailable::NotInThisVersion),
        _ => Err(Unavailable::Unknown),
    }
}
