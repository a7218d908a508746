//! Whether the components of quaternions were written in another order than their columns say.
//!
//! The orientations of one body alone do not tell: a cyclic permutation of the components turns a
//! rotation into another one of the same angle, so every order is equally continuous. What tells is
//! how orientations go together with positions, and where bodies lie that do not turn:
//!
//! - *Joints.* Where two neighbours hang together (a hinge, a ball, a grip), or a body turns about
//!   a point in the world, there are points `p` and `p'` of the two with `x + R p = x' + R' p'` in
//!   all frames. They are found by least squares under each order. In the right order the rest is
//!   nothing; in a wrong one the joint comes apart.
//! - *Turns about z.* A vehicle turns about z only. Written as x, y, z, w, all its poses are turned
//!   by exactly 180 degrees, about axes that change.
//! - *Rest.* A body at rest mostly has the orientation (1, 0, 0, 0): written as x, y, z, w, that is
//!   180 degrees about z. Machines may also stand with their backs to the origin. A body that is
//!   level in most frames speaks for the columns.

use super::super::warning::Warning;
use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{FrameBlock, LengthUnit, Scene};

/// Bodies that are looked at.
const BODIES: usize = 256;
/// Neighbours that are tried for each of them.
const NEIGHBOURS: usize = 2;
/// Blocks that are looked at; all samples of the first by steps, and so many of each other.
const BLOCKS: usize = 48;
const STEP_IN_FIRST: usize = 2;
const STEP_IN_OTHERS: usize = 32;
/// Fewest samples for a fit: each gives three equations for six unknowns.
const FEWEST: usize = 8;
/// A body that turns by less (radians) fits a straight line as well as a joint.
const TURNED: f64 = 0.5;
/// A joint holds if its rest is at most this part of the motion...
const HOLDS: f64 = 0.005;
/// ...and comes apart if it is more than this part.
const APART: f64 = 0.05;
/// A quaternion is of one component if that is beyond this.
const ALONE: f64 = 0.9999;
/// A body is level if its turn about x and y is less than that in a unit quaternion, two degrees.
const TILTED: f64 = 0.02;
/// Bound below which a component of a unit quaternion counts as zero.
const ZERO: f64 = 1e-6;

/// An order in which components may have been written to the columns qw, qx, qy, qz.
#[derive(Clone, Copy, PartialEq)]
enum ComponentOrder {
    /// The order that the columns say.
    Named,
    /// x, y, z, w.
    ScalarLast,
    /// w, x, y, z in columns that are in the order x, y, z, w.
    ScalarFirst,
}

const ORDERS: [ComponentOrder; 3] = [ComponentOrder::Named, ComponentOrder::ScalarLast, ComponentOrder::ScalarFirst];

impl ComponentOrder {
    /// w, x, y, z of what is in the columns qw, qx, qy, qz.
    fn read(self, [a, b, c, d]: [f64; 4]) -> [f64; 4] {
        match self {
            Self::Named => [a, b, c, d],
            Self::ScalarLast => [d, a, b, c],
            Self::ScalarFirst => [b, c, d, a],
        }
    }
}

type Matrix = [Vec3<f64>; 3];

/// A pair of neighbours, or a body and the world, that may be joined.
struct JointFit {
    slot: usize,
    /// `None`: the world.
    other: Option<usize>,
    samples: usize,
    /// For each order.
    sums: [JointSums; ORDERS.len()],
    d_sum: Vec3<f64>,
    d_squared: f64,
}

/// Sums over the samples; `d` leads from the body to the other.
#[derive(Clone, Copy)]
struct JointSums {
    /// Sum of `R^T R'`.
    product: [[f64; 3]; 3],
    /// Sum of `R^T d`.
    own: Vec3<f64>,
    /// Sum of `R'^T d`.
    theirs: Vec3<f64>,
}

/// The evidence about a body.
#[derive(Clone, Default)]
struct SlotEvidence {
    first: Option<(Vec3<f64>, [f64; 4])>,
    /// Largest turn from the first sample, radians.
    turned: f64,
    samples: u64,
    /// Samples whose pose is a turn by 180 degrees about an axis in the plane of y and z.
    half_turns: u64,
    /// Samples whose pose is a turn about z, but not by 180 degrees.
    level: u64,
    /// Whether its pose changed.
    moved: bool,
}

/// Collects what tells one order from another.
pub(super) struct OrderEvidence {
    /// Origins of the frames that poses are of, in the bodies' own frames.
    centers: Vec<Vec3<f64>>,
    /// Turns of the bodies that rows count from, as poses at the origin, inverted; `None`: rows
    /// count from no turn.
    unturns: Option<Vec<Pose>>,
    slots: Vec<SlotEvidence>,
    joints: Vec<JointFit>,
    blocks: usize,
}

impl OrderEvidence {
    pub(super) fn new(scene: &Scene) -> Self {
        let center = |&body: &u32| scene.bodies[body as usize].shape.center;
        let centers: Vec<Vec3<f64>> = scene.dynamic.iter().take(BODIES).map(center).collect();
        let inputs = scene.dynamic.len() + scene.hierarchy.frames.len();
        let unturn = |q: [f64; 4]| Pose::new([0.0; 3], q).inverse();
        let unturns = scene.hierarchy.row_turns(inputs).map(|turns| turns.into_iter().map(unturn).collect());
        let slots = vec![SlotEvidence::default(); centers.len()];
        Self { slots, centers, unturns, joints: Vec::new(), blocks: 0 }
    }

    /// Takes the next block.
    pub(super) fn look(&mut self, block: &FrameBlock) {
        if self.blocks >= BLOCKS || self.slots.is_empty() || block.samples.is_empty() {
            return;
        }
        if self.blocks == 0 {
            self.joints = joints(block, self.slots.len());
        }
        let step = if self.blocks == 0 { STEP_IN_FIRST } else { STEP_IN_OTHERS };
        self.blocks += 1;
        for at in (0..block.samples.len()).step_by(step) {
            self.sample(block, at);
        }
    }

    fn sample(&mut self, block: &FrameBlock, at: usize) {
        let poses: Vec<Option<(Vec3<f64>, [f64; 4])>> = (0..self.slots.len())
            .map(|slot| {
                let pose = (block.present[slot] >> at & 1 == 1).then(|| block.pose(slot, at))?;
                let norm = pose.q.iter().map(|c| c * c).sum::<f64>().sqrt();
                let q = pose.q.map(|c| c / norm);
                // The position as it was read: what is added to it by recentring depends on the
                // order.
                let away = turned(&rotation(q), self.centers[slot]);
                // The order is that of the rows. A turn of the body's own frame leaves joints as
                // they are.
                let q = match &self.unturns {
                    Some(unturns) => Pose::new([0.0; 3], q).after(&unturns[slot]).q,
                    None => q,
                };
                (norm > 0.0).then(|| (pose.position + pose.rest - away, q))
            })
            .collect();
        for (slot, pose) in self.slots.iter_mut().zip(&poses) {
            if let Some((position, q)) = pose {
                slot.take(*position, *q);
            }
        }
        let turns: Vec<Option<[Matrix; ORDERS.len()]>> =
            poses.iter().map(|pose| pose.map(|(_, q)| ORDERS.map(|order| rotation(order.read(q))))).collect();
        for joint in &mut self.joints {
            let Some((position, turn)) = poses[joint.slot].zip(turns[joint.slot]).map(|((x, _), turn)| (x, turn))
            else {
                continue;
            };
            match joint.other {
                None => {
                    let start = self.slots[joint.slot].first.map_or(position, |(start, _)| start);
                    joint.take(&turn, &[IDENTITY; ORDERS.len()], start - position);
                }
                Some(other) => {
                    if let Some(((there, _), other)) = poses[other].zip(turns[other]) {
                        joint.take(&turn, &other, there - position);
                    }
                }
            }
        }
    }

    /// The warning, if another order is much more likely than that of the columns.
    pub(super) fn warning(&self, scene: &Scene) -> Option<Warning> {
        let name = |slot: usize| scene.bodies[scene.dynamic[slot] as usize].name.as_str();
        let radius = |slot: usize| scene.bodies[scene.dynamic[slot] as usize].shape.radius;
        let votes: Vec<(&JointFit, Vote)> =
            self.joints.iter().filter_map(|joint| Some((joint, joint.vote(&self.slots, &radius)?))).collect();
        let count = |order| votes.iter().filter(|(_, vote)| vote.order == order).count();
        let rest = self.rest();
        let alternatives = ORDERS.into_iter().zip(rest).skip(1);
        let (order, resting) = alternatives.max_by_key(|&(order, resting)| (count(order), resting))?;
        let (joined, named) = (count(order), count(ComponentOrder::Named));
        // Bodies at rest as the columns say speak for the columns.
        let resting = if rest[0] == 0 { resting } else { 0 };
        let text = if joined >= 2 - usize::from(resting > 0) && joined > 10 * named {
            let first = votes.iter().find(|(_, vote)| vote.order == order)?;
            let other = first.0.other.map_or("the world".to_owned(), |other| format!("`{}`", name(other)));
            format!(
                "`{}` and {other} hang together to {} in the order {}, but come apart by {} in that of the \
                 columns; {joined} such joints, and {named} that hold in the order of the columns",
                name(first.0.slot),
                length(first.1.rest_m, scene.unit),
                order.words(),
                length(first.1.named_m, scene.unit),
            )
        } else if named == 0 && self.half_turns() {
            "nearly all poses are turned by exactly 180 degrees about axes that change; in the order x, y, z, w they are \
             turns about z"
                .to_owned()
        } else if named == 0 && resting >= 3 && !self.slots.iter().any(SlotEvidence::is_level) {
            let axis = if order == ComponentOrder::ScalarLast { "z" } else { "x" };
            format!(
                "{resting} bodies at rest are turned by 180 degrees about {axis}, and none is upright; in the order {} \
                 they are",
                order.words()
            )
        } else {
            return None;
        };
        Some(Warning::new("quaternions", [], text, order.remedy()))
    }

    /// How many bodies at rest are upright in each order.
    fn rest(&self) -> [usize; ORDERS.len()] {
        let upright = |order: ComponentOrder, slot: &&SlotEvidence| {
            slot.samples > 1 && !slot.moved && slot.first.is_some_and(|(_, q)| order.read(q)[0].abs() > ALONE)
        };
        ORDERS.map(|order| self.slots.iter().filter(|slot| upright(order, slot)).count())
    }

    /// Whether nearly all poses are half turns, about axes that change.
    fn half_turns(&self) -> bool {
        let sum = |of: fn(&SlotEvidence) -> u64| self.slots.iter().map(of).sum::<u64>();
        let (all, half) = (sum(|slot| slot.samples), sum(|slot| slot.half_turns));
        let turning = self.slots.iter().any(|slot| slot.turned > 0.02);
        all > 1 && turning && half as f64 > 0.95 * all as f64
    }
}

/// A length in the unit of the scene, to three digits.
fn length(metres: f64, unit: LengthUnit) -> String {
    let value = metres / unit.metres(1.0);
    let decimals = if value > 0.0 { (2.0 - value.log10().floor()).clamp(0.0, 6.0) as usize } else { 0 };
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text.as_str() };
    format!("{text} {}", unit.word)
}

impl ComponentOrder {
    fn words(self) -> &'static str {
        match self {
            Self::Named => "w, x, y, z",
            Self::ScalarLast => "x, y, z, w",
            Self::ScalarFirst => "w, x, y, z under the names qx, qy, qz, qw",
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Self::ScalarFirst => {
                "were the quaternions written scalar first into the columns qx, qy, qz, qw? The columns go by their \
                 names: qw is the scalar part"
            }
            _ => {
                "were the quaternions written in the order x, y, z, w? The columns go by their names: qw is the scalar part"
            }
        }
    }
}

impl SlotEvidence {
    /// Whether the body is level in most samples, as the columns say.
    fn is_level(&self) -> bool {
        2 * self.level > self.samples
    }

    fn take(&mut self, position: Vec3<f64>, q: [f64; 4]) {
        let (start, first) = *self.first.get_or_insert((position, q));
        self.samples += 1;
        self.half_turns += u64::from(q[0].abs() < ZERO && q[1].abs() < ZERO);
        self.level += u64::from(q[1].abs() < TILTED && q[2].abs() < TILTED && q[0].abs() > TILTED);
        self.moved |= start != position || first != q;
        let dot: f64 = first.iter().zip(q).map(|(a, b)| a * b).sum();
        self.turned = self.turned.max(2.0 * dot.abs().min(1.0).acos());
    }
}

const IDENTITY: Matrix =
    [Vec3 { x: 1.0, y: 0.0, z: 0.0 }, Vec3 { x: 0.0, y: 1.0, z: 0.0 }, Vec3 { x: 0.0, y: 0.0, z: 1.0 }];

/// Which bodies may be joined: each with the world, with the next in the scene, and with the
/// nearest ones in the first sample.
fn joints(block: &FrameBlock, slots: usize) -> Vec<JointFit> {
    let origins: Vec<Vec3<f64>> = (0..slots).map(|slot| block.pose(slot, 0).position).collect();
    let mut pairs = std::collections::BTreeSet::new();
    for slot in 0..slots {
        pairs.insert((slot, None));
        if slot + 1 < slots {
            pairs.insert((slot, Some(slot + 1)));
        }
        let away = |other: &usize| (origins[*other] - origins[slot]).length();
        let mut others: Vec<usize> = (0..slots).filter(|&other| other != slot).collect();
        let nearest = NEIGHBOURS.min(others.len());
        if nearest < others.len() {
            others.select_nth_unstable_by(nearest, |a, b| away(a).total_cmp(&away(b)).then(a.cmp(b)));
        }
        for &other in &others[..nearest] {
            pairs.insert((slot.min(other), Some(slot.max(other))));
        }
    }
    let joint = |(slot, other)| JointFit {
        slot,
        other,
        samples: 0,
        sums: [JointSums { product: [[0.0; 3]; 3], own: Vec3::ZERO, theirs: Vec3::ZERO }; ORDERS.len()],
        d_sum: Vec3::ZERO,
        d_squared: 0.0,
    };
    pairs.into_iter().map(joint).collect()
}

/// The vote of a joint: the one order in which it holds.
struct Vote {
    order: ComponentOrder,
    /// How far it comes apart in that order, metres (root of the mean square).
    rest_m: f64,
    /// How far in the order of the columns.
    named_m: f64,
}

/// `R v` for the rows of `R`.
fn turned(r: &Matrix, v: Vec3<f64>) -> Vec3<f64> {
    Vec3::new(r[0].dot(v), r[1].dot(v), r[2].dot(v))
}

/// `R^T v` for the rows of `R`.
fn transposed(r: &Matrix, v: Vec3<f64>) -> Vec3<f64> {
    r[0] * v.x + r[1] * v.y + r[2] * v.z
}

impl JointFit {
    fn take(&mut self, turns: &[Matrix; ORDERS.len()], others: &[Matrix; ORDERS.len()], d: Vec3<f64>) {
        self.samples += 1;
        self.d_sum = self.d_sum + d;
        self.d_squared += d.dot(d);
        for (sums, (r, other)) in self.sums.iter_mut().zip(turns.iter().zip(others)) {
            let JointSums { product, own, theirs } = sums;
            for (row, other_row) in r.iter().zip(other) {
                for (entries, a) in product.iter_mut().zip(row.to_array()) {
                    for (sum, b) in entries.iter_mut().zip(other_row.to_array()) {
                        *sum += a * b;
                    }
                }
            }
            *own = *own + transposed(r, d);
            *theirs = *theirs + transposed(other, d);
        }
    }

    /// The order in which the joint holds, if it is one, and if in no other it nearly does.
    fn vote(&self, slots: &[SlotEvidence], radius: &dyn Fn(usize) -> f64) -> Option<Vote> {
        let n = self.samples as f64;
        let turned = slots[self.slot].turned.max(self.other.map_or(0.0, |other| slots[other].turned));
        if self.samples < FEWEST || turned < TURNED {
            return None;
        }
        let spread = (self.d_squared / n - (self.d_sum * (1.0 / n)).dot(self.d_sum * (1.0 / n))).max(0.0).sqrt();
        let size = radius(self.slot) + self.other.map_or(0.0, radius);
        if spread <= 0.01 * size {
            return None;
        }
        let rests: Vec<f64> = (0..ORDERS.len()).map(|order| self.rest(order)).collect();
        let best = (0..ORDERS.len()).min_by(|&a, &b| rests[a].total_cmp(&rests[b]))?;
        let apart = (0..ORDERS.len()).all(|order| order == best || rests[order] > APART * spread);
        (rests[best] <= HOLDS * spread && apart).then(|| Vote {
            order: ORDERS[best],
            rest_m: rests[best],
            named_m: rests[0],
        })
    }

    /// Root of the mean square of `R p - R' p' - d` for the best `p` and `p'`.
    fn rest(&self, order: usize) -> f64 {
        /// Keeps the equations soluble where a joint leaves its points free along an axis.
        const RIDGE: f64 = 1e-6;
        let n = self.samples as f64;
        let JointSums { product, own, theirs } = &self.sums[order];
        let rows = product.map(Vec3::from);
        let times = |v: Vec3<f64>| turned(&rows, v);
        // p = (own + M p') / n, and (n - M^T M / n) p' = M^T own / n - theirs.
        let unit = |axis: usize| IDENTITY[axis];
        let column = |axis: usize| {
            let v = unit(axis);
            v * (n * (1.0 + RIDGE)) - transposed(&rows, times(v)) * (1.0 / n)
        };
        let right = transposed(&rows, *own) * (1.0 / n) - *theirs;
        let [a, b, c] = [column(0), column(1), column(2)];
        let determinant = a.dot(b.cross(c));
        let there = match determinant > 0.0 {
            true => {
                Vec3::new(right.dot(b.cross(c)), a.dot(right.cross(c)), a.dot(b.cross(right))) * (1.0 / determinant)
            }
            false => Vec3::ZERO,
        };
        let here = (*own + times(there)) * (1.0 / n);
        let squares = n * (here.dot(here) + there.dot(there)) + self.d_squared
            - 2.0 * here.dot(times(there))
            - 2.0 * here.dot(*own)
            + 2.0 * there.dot(*theirs);
        (squares.max(0.0) / n).sqrt()
    }
}
