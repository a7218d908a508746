//! A pair over an interval of values: its poses, and what bounds its motion.

use crate::bounds::{ChainBounds, Hinge};
use crate::chain::PairChain;
use crate::curve::ValueCurve;
use crate::joint::{Step, placed, turned};
use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::{Pose, Vec3};
use smallvec::SmallVec;

/// Bound on the rounding of a pose behind `joints` joints whose angles add up to `angles` radians,
/// relative to the length of the chain: the quaternion of each joint is two products and a sine,
/// its position a rotated vector, and its angle is off by a few units in its last place
/// (docs/reference/numerics.md, "Joints").
pub(crate) fn units(joints: usize, angles: f64) -> f64 {
    f64::EPSILON * (48.0 + 24.0 * joints as f64 + 8.0 * angles)
}

/// Values of the joints on both ways at one time.
type WayValues = [SmallVec<[f64; 8]>; 2];

/// The values of a joint's column along an interval, for each joint of both ways; empty if they
/// move on lines.
type WayCurves<'a> = [Vec<&'a ValueCurve>; 2];

/// Two bodies while the joints between them move on lines in their values, or along curves; times
/// are shares of the interval. All poses are in the frame of the link that carries both bodies, or
/// in the world.
#[derive(Debug, Clone)]
pub struct JointMotion<'a> {
    chain: &'a PairChain,
    from: WayValues,
    to: WayValues,
    curves: WayCurves<'a>,
    /// Bound on the error of any point's place in a pose of either body, both together, metres.
    pub error: f64,
    /// The same, relative to the length of the chain: bound on the error of any direction.
    pub tilt: f64,
}

/// The motion of a body that at most one joint moves: it turns about a fixed axis at a constant
/// rate and slides along it. Times are shares of the interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Twist {
    /// Angular velocity, radians.
    pub omega: Vec3<f64>,
    /// Vector from the recentred origin of the body to the axis at the start, metres; zero if it
    /// does not turn.
    pub arm: Vec3<f64>,
    /// Velocity along the axis, metres.
    pub velocity: Vec3<f64>,
}

impl Twist {
    /// No motion.
    const STILL: Self = Self { omega: Vec3::ZERO, arm: Vec3::ZERO, velocity: Vec3::ZERO };
}

impl<'a> JointMotion<'a> {
    /// Creates the motion over an interval; `values`: by column, at both ends.
    pub fn new(chain: &'a PairChain, values: [&dyn Fn(u32) -> f64; 2]) -> Self {
        let at = |end: usize| -> WayValues {
            [0, 1].map(|body| {
                let ends = |step: &Step| step.ends(values.map(|values| values(step.column)));
                chain.ways[body].iter().map(|step| ends(step)[end]).collect()
            })
        };
        let (from, to) = (at(0), at(1));
        let (mut angles, mut slides, mut joints) = (0.0, 0.0, 0);
        for body in 0..2 {
            for (step, k) in chain.ways[body].iter().zip(0..) {
                let largest = from[body][k].abs().max(to[body][k].abs());
                angles += if step.kind.turns() { largest } else { 0.0 };
                slides += step.kind.slide().abs() * largest;
                joints += 1;
            }
        }
        let tilt = units(joints, angles);
        Self { chain, from, to, curves: WayCurves::default(), error: tilt * (chain.length + slides), tilt }
    }

    /// Creates the motion over an interval of which each column has a curve of values.
    pub fn along(chain: &'a PairChain, curve: &dyn Fn(u32) -> &'a ValueCurve) -> Self {
        let of_ways = |ways: &[Vec<Step>; 2]| ways.each_ref().map(|way| way.iter().map(|s| curve(s.column)).collect());
        let curves: WayCurves<'a> = of_ways(&chain.ways);
        let at = |end: usize| -> WayValues {
            [0, 1].map(|body| {
                let steps = chain.ways[body].iter().zip(&curves[body]);
                steps.map(|(step, curve)| step.value(curve.ends()[end])).collect()
            })
        };
        let (from, to) = (at(0), at(1));
        let (mut angles, mut slides, mut joints) = (0.0, 0.0, 0);
        // Errors of the values: each moves what is behind it.
        let (mut tilt_off, mut slide_off) = (0.0, 0.0);
        for (step, curve) in chain.ways.iter().flatten().zip(curves.iter().flatten()) {
            let largest = step.rate(curve.most[0]) + step.offset.abs();
            let (turns, slide) = (step.kind.turns(), step.kind.slide().abs());
            angles += if turns { largest } else { 0.0 };
            slides += slide * largest;
            tilt_off += if turns { step.rate(curve.error) } else { 0.0 };
            slide_off += slide * step.rate(curve.error);
            joints += 1;
        }
        let tilt = units(joints, angles) + tilt_off;
        Self { chain, from, to, curves, error: tilt * (chain.length + slides) + slide_off, tilt }
    }

    /// Value of a joint of a way at a share.
    fn value(&self, body: usize, joint: usize, share: f64) -> f64 {
        let (from, to) = (self.from[body][joint], self.to[body][joint]);
        match (share, self.curves[body].get(joint)) {
            (..=0.0, _) => from,
            (1.0.., _) => to,
            (_, Some(curve)) if curve.controls().len() > 2 => self.chain.ways[body][joint].value(curve.at(share)),
            _ => from + share * (to - from),
        }
    }

    /// Bounds of the first three derivatives of a joint's value from one share of the interval to
    /// another one.
    fn rates(&self, body: usize, joint: usize, part: [f64; 2]) -> [f64; 3] {
        match self.curves[body].get(joint) {
            Some(curve) => {
                let [_, rates @ ..] = curve.most_over(part);
                rates.map(|rate| self.chain.ways[body][joint].rate(rate))
            }
            None => [(self.to[body][joint] - self.from[body][joint]).abs(), 0.0, 0.0],
        }
    }

    /// The poses of the recentred frames of both bodies at a share of the interval, within
    /// [`Self::error`].
    pub fn poses(&self, share: f64) -> [Pose; 2] {
        [0, 1].map(|body| {
            let way = self.chain.ways[body].iter().zip(0..);
            let last = way.fold(Pose::IDENTITY, |pose, (step, k)| step.after(&pose, self.value(body, k, share)));
            placed(&last, &self.chain.ends[body])
        })
    }

    /// Bounds of the motion of each body's points: in the frame of the link that carries both, and
    /// in that of the other body.
    pub fn bounds(&self) -> [[ChainBounds; 2]; 2] {
        self.bounds_over([0.0, 1.0])
    }

    /// Whether bounds over a part of the interval are tighter than those over all of it.
    pub fn is_curved(&self) -> bool {
        self.curves.iter().flatten().any(|curve| curve.controls().len() > 2)
    }

    /// As [`Self::bounds`], from one share of the interval to another one. Derivatives are by
    /// shares of the whole interval.
    pub fn bounds_over(&self, part: [f64; 2]) -> [[ChainBounds; 2]; 2] {
        let ways = [0, 1].map(|body| self.hinges(body, part));
        let poses = self.poses(part[0]);
        [0, 1].map(|body| {
            let (own, other) = (&ways[body], &ways[1 - body]);
            let pose = &poses[body];
            let rows = rotation(pose.q);
            let in_body = |(hinge, at): &(Hinge, Pose)| {
                // Leading parts first, so that a common offset cancels.
                let away = (at.position - pose.position) + (at.rest - pose.rest);
                let to_body = |v: Vec3<f64>| rows[0].scale(v.x) + rows[1].scale(v.y) + rows[2].scale(v.z);
                Hinge { origin: to_body(away), axis: to_body(hinge.axis), ..*hinge }
            };
            let through = other.iter().rev().chain(own).map(in_body).collect();
            [ChainBounds::new(own.iter().map(in_body).collect()), ChainBounds::new(through)]
        })
    }

    /// The motion of each body in the frame of the link that carries both; `None`: several joints
    /// move one of them, or one does along a curve. Places are within [`Self::error`], directions within [`Self::tilt`].
    pub fn twists(&self) -> Option<[Twist; 2]> {
        if self.is_curved() {
            return None;
        }
        let moving = [0, 1].map(|body| {
            let mut moving =
                self.from[body].iter().zip(&self.to[body]).enumerate().filter(|(_, (from, to))| from != to);
            (moving.next().map(|(joint, _)| joint), moving.next().is_some())
        });
        if moving.iter().any(|&(_, has_more)| has_more) {
            return None;
        }
        let poses = self.poses(0.0);
        Some([0, 1].map(|body| moving[body].0.map_or(Twist::STILL, |joint| self.twist(body, joint, &poses[body]))))
    }

    /// The motion of a body, at this pose at the start, that one joint of its way moves.
    fn twist(&self, body: usize, joint: usize, pose: &Pose) -> Twist {
        let way = &self.chain.ways[body];
        let before = way
            .iter()
            .zip(&self.from[body])
            .take(joint)
            .fold(Pose::IDENTITY, |at, (step, &from)| step.after(&at, from));
        let (step, by) = (&way[joint], self.to[body][joint] - self.from[body][joint]);
        let (Hinge { axis, turns, .. }, at) = Self::hinge(step, &before, [by.abs(), 0.0, 0.0]);
        let arm = (at.position - pose.position) + (at.rest - pose.rest);
        let [omega, arm] = if turns { [axis.scale(by), arm] } else { [Vec3::ZERO; 2] };
        Twist { omega, arm, velocity: axis.scale(step.kind.slide() * by) }
    }

    /// The joints of a way that move in a part of the interval, at its start, with their frames.
    fn hinges(&self, body: usize, part: [f64; 2]) -> SmallVec<[(Hinge, Pose); 8]> {
        let mut pose = Pose::IDENTITY;
        let mut hinges = SmallVec::new();
        for (step, k) in self.chain.ways[body].iter().zip(0..) {
            let rates = self.rates(body, k, part);
            if rates[0] > 0.0 {
                hinges.push(Self::hinge(step, &pose, rates));
            }
            pose = step.after(&pose, self.value(body, k, part[0]));
        }
        hinges
    }

    fn hinge(step: &Step, before: &Pose, [rate, bent, jerked]: [f64; 3]) -> (Hinge, Pose) {
        let (turns, slide) = (step.kind.turns(), step.kind.slide().abs());
        let axis = turned(&rotation(before.q), step.axis_before);
        let at = placed(before, &Pose { q: Pose::IDENTITY.q, ..step.place });
        (Hinge { rate, bends: [bent, jerked], turns, slide, origin: Vec3::ZERO, axis }, at)
    }
}

#[cfg(test)]
mod tests;
