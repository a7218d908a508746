//! Data that all broad phases share for a job.

use super::box_builder::{BoxBuilder, SupportVertices};
use super::box_set::BoxSet;
use super::boxes::{Boxes64, LatticeBox};
use super::fixed_boxes::FixedBoxes;
use super::interval_boxes::IntervalRule;
use super::lattice::Lattice;
use clearsweep_base::simd::level;
use clearsweep_geometry::Pose;
use clearsweep_model::{Bounds, FrameBlock, Motion, SAMPLES, SampleColumn, Scene, Shape, block::COMPONENTS};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Data that all broad phases share for a job: the lattice, the shapes, and the boxes of the static
/// bodies.
#[derive(Debug)]
pub struct BroadScene {
    lattice: Lattice,
    /// The support vertices of each distinct shape of dynamic bodies.
    supports: Vec<SupportVertices>,
    slots: Vec<BoxBuild>,
    pub(super) fixed: FixedBoxes,
    /// Rule for the motion assumed between samples; `None`: nothing is assumed.
    pub(super) intervals: Option<IntervalRule>,
    /// Which pairs of static bodies are candidates.
    pub(super) static_pairs: StaticPairs,
    /// A number that no other job of this process has. A method that keeps state compares it to
    /// detect a new job.
    pub(super) serial: u64,
}

/// Inputs for the boxes of a body: the index of its support vertices, and the margin of its boxes
/// in metres.
type BoxBuild = (u32, f64);

/// Which pairs of static bodies are candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StaticPairs {
    /// None.
    None,
    /// Pairs that come near, in the first block.
    InFirstBlock,
    /// Pairs that come near, if they are asked for apart from the blocks.
    Apart,
}

/// The number of jobs that this process has made.
static JOBS: AtomicU64 = AtomicU64::new(0);

impl BroadScene {
    /// Chooses the lattice and makes the boxes of the static bodies. `within` is in metres.
    /// `bounds` (metres): bounds of the positions of the dynamic bodies; a body outside of them is
    /// treated correctly, but far outside its boxes saturate and give superfluous candidates.
    pub fn new(scene: &Scene, bounds: Option<Bounds>, within: f64) -> Self {
        // Carried bodies have no rows, which the bounds are of.
        let reach = scene.hierarchy.reach;
        let bounds =
            bounds.map(|bounds| Bounds { min: bounds.min.map(|c| c - reach), max: bounds.max.map(|c| c + reach) });
        let lattice = Lattice::new(scene, bounds.as_ref(), within);
        // Those of static bodies are used once, and not kept.
        let (mut shapes, mut fixed_shapes) = (DistinctShapes::default(), DistinctShapes::default());
        let mut slots = vec![(0, 0.0); scene.dynamic.len()];
        let (mut bodies, mut placed) = (Vec::new(), Vec::new());
        for (body, index) in scene.bodies.iter().zip(0_u32..) {
            let margin = body.shape.hull().radius + body.shape.deviation + 0.5 * within;
            match &body.motion {
                Motion::Dynamic { slot } => slots[*slot as usize] = (shapes.index(&body.shape), margin),
                Motion::Static(pose) => {
                    bodies.push(index);
                    placed.push(((fixed_shapes.index(&body.shape), margin), *pose));
                }
            }
        }
        let support = |shape: &&Shape| SupportVertices::new(&shape.hull().core);
        let supports = shapes.list.iter().map(support).collect();
        let fixed_support = |shape: u32, poses: usize| {
            let core = &fixed_shapes.list[shape as usize].hull().core;
            Cow::Owned(if poses < FEW_POSES { SupportVertices::all(core) } else { SupportVertices::new(core) })
        };
        let fixed = boxes_of_poses(&lattice, fixed_support, &placed);
        let fixed = FixedBoxes::new(bodies, BoxSet::new((0..).zip(fixed)));
        let is_asked = scene.query.static_pairs || scene.dynamic.is_empty();
        let static_pairs = if is_asked { StaticPairs::InFirstBlock } else { StaticPairs::None };
        let intervals = IntervalRule::new(scene);
        Self { lattice, supports, slots, fixed, intervals, static_pairs, serial: JOBS.fetch_add(1, Ordering::Relaxed) }
    }

    /// Leaves the pairs of static bodies out of the first block: [`BroadPhase::static_candidates`]
    /// finds them range by range.
    ///
    /// [`BroadPhase::static_candidates`]: super::BroadPhase::static_candidates
    #[must_use]
    pub fn with_static_pairs_apart(mut self) -> Self {
        if self.static_pairs == StaticPairs::InFirstBlock {
            self.static_pairs = StaticPairs::Apart;
        }
        self
    }

    /// Whether pairs of static bodies are candidates.
    pub fn pairs_static_bodies(&self) -> bool {
        self.static_pairs != StaticPairs::None
    }

    /// The lattice of the job.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The static bodies (indices into `scene.bodies`, ascending) with their boxes.
    pub fn fixed_boxes(&self) -> impl Iterator<Item = (u32, LatticeBox)> + '_ {
        self.fixed.bodies.iter().enumerate().map(|(k, &body)| (body, self.fixed.set.get(k)))
    }

    /// The boxes of a slot in the samples of a block, empty where the body is absent.
    pub fn boxes(&self, block: &FrameBlock, slot: usize) -> Boxes64 {
        let mut boxes = Boxes64::EMPTY;
        let present = block.present[slot] & block.all_samples();
        self.box_builder(slot).make(level(), block.slot(slot), present, block.samples.len(), &mut boxes);
        boxes
    }

    /// The boxes of a slot in the intervals after the samples of a block; empty for a sample
    /// without an interval.
    pub fn interval_boxes(&self, block: &FrameBlock, slot: usize) -> Boxes64 {
        let Some(rule) = &self.intervals else { return Boxes64::EMPTY };
        let intervals = rule.intervals(block, rule.of_samples(block), slot);
        let after = self.boxes_after(block)[slot];
        let mut boxes = self.boxes(block, slot);
        rule.make((level(), &self.lattice), block, (slot, intervals), &after, &mut boxes);
        boxes
    }

    /// The box of each slot in the sample that follows a block; empty if the body is absent.
    pub(super) fn boxes_after(&self, block: &FrameBlock) -> Vec<LatticeBox> {
        let mut boxes = vec![LatticeBox::EMPTY; self.slots.len()];
        let Some(following) = &block.following else { return boxes };
        let present = (0..self.slots.len()).zip(&following.poses).filter_map(|(slot, pose)| Some((slot, (*pose)?)));
        let (slots, placed): (Vec<usize>, Vec<(BoxBuild, Pose)>) =
            present.map(|(slot, pose)| (slot, (self.slots[slot], pose))).unzip();
        let support = |index: u32, _: usize| Cow::Borrowed(&self.supports[index as usize]);
        let made = boxes_of_poses(&self.lattice, support, &placed);
        slots.into_iter().zip(made).for_each(|(slot, made)| boxes[slot] = made);
        boxes
    }

    /// The number of slots: one for each dynamic body.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The box builder of a slot.
    pub(super) fn box_builder(&self, slot: usize) -> BoxBuilder<'_> {
        let (support, margin) = self.slots[slot];
        BoxBuilder { lattice: &self.lattice, support: &self.supports[support as usize], margin }
    }
}

/// Shapes by their first use.
#[derive(Default)]
struct DistinctShapes<'a> {
    list: Vec<&'a Shape>,
    known: HashMap<*const Shape, u32>,
}

impl<'a> DistinctShapes<'a> {
    fn index(&mut self, shape: &'a Shape) -> u32 {
        *self.known.entry(std::ptr::from_ref(shape)).or_insert_with(|| {
            self.list.push(shape);
            self.list.len() as u32 - 1
        })
    }
}

/// Poses of a shape below which symmetries of its vertices are not looked for.
const FEW_POSES: usize = 8;

/// The boxes of bodies that have one pose each; `support`: the vertices of a shape, for a number
/// of poses. Bodies that are made from the same are boxed 64 at
/// a time, in the lanes that otherwise hold the samples of one body.
fn boxes_of_poses<'s>(
    lattice: &Lattice,
    support: impl Fn(u32, usize) -> Cow<'s, SupportVertices>,
    placed: &[(BoxBuild, Pose)],
) -> Vec<LatticeBox> {
    let build_key = |i: usize| (placed[i].0.0, placed[i].0.1.to_bits());
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by_key(|&i| build_key(i));
    let simd = level();
    let mut lanes = [SampleColumn::default(); COMPONENTS];
    let mut made = Boxes64::EMPTY;
    let mut boxes = vec![LatticeBox::EMPTY; placed.len()];
    for part in order.chunk_by(|&i, &j| build_key(i) == build_key(j)).flat_map(|same| same.chunks(SAMPLES)) {
        for (lane, &i) in part.iter().enumerate() {
            let pose = &placed[i].1;
            let values = pose.position.to_array().into_iter().chain(pose.q).chain(pose.rest.to_array());
            lanes.iter_mut().zip(values).for_each(|(component, value)| component.0[lane] = value);
        }
        let (shape, margin) = placed[part[0]].0;
        let support = support(shape, part.len());
        let builder = BoxBuilder { lattice, support: &support, margin };
        builder.make(simd, &lanes, u64::MAX >> (SAMPLES - part.len()), part.len(), &mut made);
        part.iter().enumerate().for_each(|(lane, &i)| boxes[i] = made.get(lane));
    }
    boxes
}
