//! Boxes of intervals, from the boxes of the samples at their ends.
//!
//! A point of a body that turns by the angle theta at constant speed, at the distance r from the
//! axis, has an acceleration of theta^2 r over the square of the interval. So it leaves the chord
//! between its two ends by at most theta^2 r / 8, and the chord lies in the union of the boxes of
//! both ends. The box of an interval is this union, inflated on all sides by the bound
//! ([`ArcBound`]), in cells rounded up, plus one cell.
//!
//! The bound of r is a constant of the body, as boxes need not be tight:
//! - `Linear`: the reach of the shape about the recentred origin, plus the distance of the pivot
//!   from there.
//! - `Screw`: the reach, plus the distance of the recentred origin from the axis of the screw,
//!   which is the part of its displacement across the axis, divided by 2 sin(theta / 2). The whole
//!   displacement stands for that part.
//! - `Hold`: 0.
//! - `Ballistic`: as `Linear`. Falling takes a pivot off its chord by up to an eighth of its
//!   acceleration, against it: there the box is longer by that.
//! - `Bounded`: as `Linear`, larger on all sides by the departure from it
//!   (`MotionBounds::departure`).
//!
//! If joints move a body, the bound comes from the joints, for each interval
//! (`JointTree::sagitta`, and along splines `JointTree::sagitta_along`).
//!
//! Turns within [`HALF_TURN_MARGIN`] of a half turn have no shortest way. The box of such an
//! interval contains the ball around the pivot (of a screw, around the nearest point of the axis)
//! that contains the body, at both ends: it is inflated by the diameter of that ball, since the box
//! of each end contains a point of the ball. This is more than the bound of an arc.
//!
//! The bound is `f64` arithmetic with its rounding errors added, and the same on all instruction
//! sets. So the box of an interval is defined by its value, too.

use super::boxes::{Boxes64, LatticeBox, SweptBounds};
use super::lattice::Lattice;
use clearsweep_base::simd::{Level, dispatch};
use clearsweep_geometry::turn::{ROUNDING, angle_at_most, translation};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_kinematics::JointTree;
use clearsweep_model::{
    BetweenFrames, FrameBlock, MotionBounds, MotionRule, SAMPLES, SampleColumn, Scene, SceneJoints, block::COMPONENTS,
};
use std::f64::consts::PI;
use std::sync::Arc;

/// Turns that are nearer to a half turn than this, radians, have no shortest way.
const HALF_TURN_MARGIN: f64 = 1e-6;

/// Bound on how far a point of a body may leave the chord between two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ArcBound {
    /// The distance of any point of the body from the pivot, at most, metres; of a screw, from the
    /// recentred origin.
    radius: f64,
    /// 1 for a screw, else 0: how much of the displacement of the recentred origin counts.
    displaced: f64,
}

impl ArcBound {
    /// Returns the bound for a shape with this reach (metres) and this pivot in the recentred
    /// frame.
    fn new(between: BetweenFrames, reach: f64, pivot: Vec3<f64>) -> Self {
        match between {
            BetweenFrames::Linear | BetweenFrames::Ballistic | BetweenFrames::Bounded => {
                Self { radius: (reach + pivot.length()) * (1.0 + ROUNDING), displaced: 0.0 }
            }
            BetweenFrames::Screw => Self { radius: reach, displaced: 1.0 },
            // Bounds of the joints are computed for each interval.
            BetweenFrames::Hold | BetweenFrames::None | BetweenFrames::Joint | BetweenFrames::Spline => {
                Self { radius: 0.0, displaced: 0.0 }
            }
        }
    }

    /// The growth of the box of an interval, metres, from upper bounds of the angle and of the
    /// displacement of the recentred origin. NaN if one of them is.
    ///
    /// For x = theta / 2 up to pi / 2, (x / sin x - 1) / x^2 increases to 0.23134.
    #[inline(always)]
    fn growth(self, angle: f64, displacement: f64) -> f64 {
        let displacement = self.displaced * displacement;
        let sine_ratio = 1.0 + 0.0579 * angle * angle;
        let arc = 0.125 * angle * (angle * self.radius + displacement * sine_ratio);
        let ball = 2.0 * self.radius + 1.001 * displacement;
        (if angle > PI - HALF_TURN_MARGIN { ball } else { arc }) * (1.0 + ROUNDING)
    }
}

/// Data from which the boxes of a job's intervals are made.
#[derive(Debug)]
pub(super) struct IntervalRule {
    /// The bound of each slot.
    arcs: Vec<ArcBound>,
    /// Joints that move the bodies between samples.
    joints: Option<Arc<SceneJoints>>,
    /// How bodies move between samples.
    motion: MotionRule,
    /// For each slot what is known of its motion, its reach about the recentred origin (metres),
    /// and its pivot; empty unless that is all.
    bounds: Vec<(MotionBounds, f64, Vec3<f64>)>,
}

impl IntervalRule {
    /// Returns the rule for a scene; `None` if nothing is assumed of the motion.
    pub(super) fn new(scene: &Scene) -> Option<Self> {
        let arc = |&body: &u32| {
            let body = &scene.bodies[body as usize];
            ArcBound::new(scene.motion.between, body.shape.reach(), body.pivot.of(&body.shape))
        };
        let is_asked = scene.motion.between != BetweenFrames::None;
        let joints = scene.joints.clone().filter(|_| scene.motion.between.is_by_joints());
        let bounded = if scene.motion.between == BetweenFrames::Bounded { &*scene.dynamic } else { &[] };
        let known = |&body: &u32| {
            let body = &scene.bodies[body as usize];
            (body.bounds, body.shape.reach(), body.pivot.of(&body.shape))
        };
        is_asked.then(|| Self {
            arcs: scene.dynamic.iter().map(arc).collect(),
            joints,
            motion: scene.motion,
            bounds: bounded.iter().map(known).collect(),
        })
    }

    /// The intervals of a block that exist for a slot, of those that its samples have.
    pub(super) fn intervals(&self, block: &FrameBlock, of_samples: u64, slot: usize) -> u64 {
        block.present.get(slot).map_or(0, |_| block.present_at_both_ends(slot)) & of_samples
    }

    /// The intervals that the samples of a block have.
    pub(super) fn of_samples(&self, block: &FrameBlock) -> u64 {
        block.intervals(self.motion.max_gap)[0]
    }

    /// Replaces the boxes of a slot in the samples of a block by the boxes of its `intervals`;
    /// empty in all other samples. `after` is the box in the sample that follows the block. Returns
    /// their bounds over the block.
    pub(super) fn make(
        &self,
        (simd, lattice): (Level, &Lattice),
        block: &FrameBlock,
        (slot, intervals): (usize, u64),
        after: &LatticeBox,
        boxes: &mut Boxes64,
    ) -> SweptBounds {
        if intervals == 0 {
            *boxes = Boxes64::EMPTY;
            return SweptBounds::EMPTY;
        }
        let last = block.samples.len() - 1;
        if let Some(joints) = &self.joints {
            inflate(&cells_by_joints(&joints.tree, lattice, block, slot), last, after, boxes);
            return Self::without_missing(simd, block, intervals, boxes);
        }
        let next = block.following.as_ref().and_then(|following| following.poses[slot]);
        let ends = SlotEnds { poses: block.slot(slot), after: next.unwrap_or(Pose::IDENTITY), last };
        widen_at(simd, self.arcs[slot], lattice, &ends, after, boxes);
        match self.motion.between {
            BetweenFrames::Ballistic => {
                (0..=last).for_each(|s| raise(block.fall_after(s, &self.motion), lattice, s, boxes));
            }
            BetweenFrames::Bounded => {
                let (bounds, reach, pivot) = &self.bounds[slot];
                for s in 0..=last {
                    let Some((ends, seconds)) = block.ends(slot, s).zip(block.seconds_after(s)) else { continue };
                    grow(boxes, s, lattice.cells(bounds.departure(&ends, seconds, *reach, *pivot)));
                }
            }
            _ => {}
        }
        Self::without_missing(simd, block, intervals, boxes)
    }

    /// Empties the boxes of all samples that are not in `intervals`; returns the bounds of the
    /// others.
    fn without_missing(simd: Level, block: &FrameBlock, intervals: u64, boxes: &mut Boxes64) -> SweptBounds {
        let mut missing = !intervals;
        while missing != 0 {
            boxes.clear(missing.trailing_zeros() as usize);
            missing &= missing - 1;
        }
        boxes.sweep_with(simd, 0..block.samples.len())
    }
}

/// The poses of a slot at both ends of each interval of a block.
struct SlotEnds<'a> {
    poses: &'a [SampleColumn],
    /// In the sample that follows the block.
    after: Pose,
    /// The last sample of the block.
    last: usize,
}

impl SlotEnds<'_> {
    /// The components at the second ends.
    #[inline(always)]
    fn shifted(&self) -> [SampleColumn; COMPONENTS] {
        let ([x, y, z], [w, a, b, c], [u, v, t]) =
            (self.after.position.to_array(), self.after.q, self.after.rest.to_array());
        let after = [x, y, z, w, a, b, c, u, v, t];
        let mut next = [SampleColumn::default(); COMPONENTS];
        for k in 0..COMPONENTS {
            next[k].0[..SAMPLES - 1].copy_from_slice(&self.poses[k].0[1..]);
            next[k].0[self.last] = after[k];
        }
        next
    }
}

/// One pose of a slot.
#[inline(always)]
fn pose(c: &[SampleColumn], s: usize) -> Pose {
    let v = |k: usize| c[k].0[s];
    Pose { position: Vec3::new(v(0), v(1), v(2)), q: [v(3), v(4), v(5), v(6)], rest: Vec3::new(v(7), v(8), v(9)) }
}

/// Replaces the box of each sample by the box of the interval after it.
#[inline(always)]
fn widen(arc: ArcBound, lattice: &Lattice, ends: &SlotEnds<'_>, after: &LatticeBox, boxes: &mut Boxes64) {
    let next = ends.shifted();
    let mut cells = [0_u32; SAMPLES];
    for s in 0..SAMPLES {
        let (from, to) = (pose(ends.poses, s), pose(&next, s));
        cells[s] = lattice.cells(arc.growth(angle_at_most(from.q, to.q), translation(&from, &to)));
    }
    inflate(&cells, ends.last, after, boxes);
}

/// Lengthens the box of an interval by the way that falling takes a body off its chord; `fall`:
/// the acceleration, metres over the square of the interval.
fn raise(fall: Vec3<f64>, lattice: &Lattice, s: usize, boxes: &mut Boxes64) {
    for (k, fall) in fall.to_array().into_iter().enumerate() {
        let cells = lattice.cells(0.125 * fall.abs() * (1.0 + ROUNDING));
        if fall > 0.0 {
            lower(boxes, s, k, cells);
        } else if fall < 0.0 {
            lift(boxes, s, k, cells);
        }
    }
}

/// Grows the box of an interval on all sides.
fn grow(boxes: &mut Boxes64, s: usize, cells: u32) {
    for k in 0..3 {
        lower(boxes, s, k, cells);
        lift(boxes, s, k, cells);
    }
}

/// Lowers the least coordinate along an axis.
fn lower(boxes: &mut Boxes64, s: usize, k: usize, cells: u32) {
    boxes.columns[k][s] = boxes.columns[k][s].saturating_sub(cells).max(1);
}

/// Lifts the greatest coordinate along an axis.
fn lift(boxes: &mut Boxes64, s: usize, k: usize, cells: u32) {
    boxes.columns[k + 3][s] = boxes.columns[k + 3][s].saturating_add(cells).min(u32::MAX - 1);
}

/// Cells by which the interval boxes of a slot grow, if joints move it.
fn cells_by_joints(tree: &JointTree, lattice: &Lattice, block: &FrameBlock, slot: usize) -> [u32; SAMPLES] {
    let mut cells = [0; SAMPLES];
    let last = block.samples.len() - 1;
    for (s, cells) in cells.iter_mut().enumerate().take(block.samples.len()) {
        if !block.curves.is_empty() {
            *cells = lattice.cells(tree.sagitta_along(slot, &|column| &block.curves[column as usize * SAMPLES + s]));
            continue;
        }
        let from = |column: u32| block.joints[column as usize].0[s];
        let to = |column: u32| match block.following.as_ref().filter(|_| s == last) {
            Some(following) => following.joints[column as usize],
            None => block.joints[column as usize].0[(s + 1) % SAMPLES],
        };
        *cells = lattice.cells(tree.sagitta(slot, [&from, &to]));
    }
    cells
}

/// Replaces the box of each sample up to `last` by the union with the next sample's box, inflated
/// by the sample's `cells`.
#[inline(always)] // into code for wider registers
fn inflate(cells: &[u32; SAMPLES], last: usize, after: &LatticeBox, boxes: &mut Boxes64) {
    for k in 0..3 {
        let (mut low, mut high) = ([u32::MAX; SAMPLES], [0; SAMPLES]);
        low[..SAMPLES - 1].copy_from_slice(&boxes.columns[k][1..]);
        high[..SAMPLES - 1].copy_from_slice(&boxes.columns[k + 3][1..]);
        (low[last], high[last]) = (after.min[k], after.max[k]);
        for s in 0..SAMPLES {
            let (least, most) = (boxes.columns[k][s].min(low[s]), boxes.columns[k + 3][s].max(high[s]));
            // No coordinate of a box is 0 or `u32::MAX`.
            boxes.columns[k][s] = least.saturating_sub(cells[s]).max(1);
            boxes.columns[k + 3][s] = most.saturating_add(cells[s]).min(u32::MAX - 1);
        }
    }
}

dispatch!(loops at widen_at, widen, (arc: ArcBound, lattice: &Lattice, ends: &SlotEnds<'_>, after: &LatticeBox, boxes: &mut Boxes64) -> ());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_growth_bounds_the_sagitta() {
        let (reach, pivot) = (0.75, Vec3::new(3.0, -4.0, 0.0));
        let linear = ArcBound::new(BetweenFrames::Linear, reach, pivot);
        let screw = ArcBound::new(BetweenFrames::Screw, reach, pivot);
        let hold = ArcBound::new(BetweenFrames::Hold, reach, pivot);
        for step in 0..1000 {
            let angle = PI * f64::from(step) / 1000.1;
            // The arc at its middle is r (1 - cos(angle / 2)) off the chord.
            let sagitta = |r: f64| r * (1.0 - (0.5 * angle).cos());
            let growth = linear.growth(angle, 9.0);
            assert!(growth >= sagitta(5.75) && growth <= 1.3 * sagitta(5.75) + 1e-15, "{angle}: {growth}");
            let across = 2.0;
            let distance = if step == 0 { 0.0 } else { across / (2.0 * (0.5 * angle).sin()) };
            let growth = screw.growth(angle, across);
            assert!(growth >= sagitta(reach + distance), "{angle}: {growth}");
            assert!(growth <= 1.4 * sagitta(reach + distance) + 1e-15, "{angle}: {growth}");
            assert_eq!(hold.growth(angle, 9.0), 0.0);
        }
        assert!(linear.growth(PI, 9.0) >= 11.5 && screw.growth(PI, 2.0) >= 2.0 * (reach + 1.0));
        assert!(linear.growth(f64::NAN, 0.0).is_nan());
    }
}
