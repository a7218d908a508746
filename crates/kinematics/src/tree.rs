//! All joints of a scene, and the bodies that they carry.

use crate::chain::PairChain;
use crate::curve::ValueCurve;
use crate::joint::{Joint, JointKind, JointValue, Step, nearest_turn, placed};
use clearsweep_geometry::Pose;
use smallvec::SmallVec;

/// A body that a joint carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CarriedBody {
    /// The joint whose link it belongs to.
    pub joint: u32,
    /// Recentred frame in that link, metres.
    pub place: Pose,
    /// No point of it is farther from the origin of that frame, metres.
    pub reach: f64,
}

/// Joints, each after the one that carries it, and the bodies that they carry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JointTree {
    joints: Vec<Joint>,
    /// The joint that each column of values is of.
    columns: Vec<u32>,
    /// By slot.
    bodies: Vec<CarriedBody>,
    /// The way of each body from the world, for bounds.
    ways: Vec<Vec<WayStep>>,
}

/// A joint on the way of a body from the world.
#[derive(Debug, Clone, PartialEq)]
struct WayStep {
    kind: JointKind,
    column: u32,
    ratio: f64,
    offset: f64,
    wraps: bool,
    /// No point of the body is farther from the joint's origin, but for what slides, metres.
    reach: f64,
}

/// Bounds of the motion of a joint over an interval, in its own units.
struct StepMotion {
    /// Of its value.
    largest: f64,
    rate: f64,
    /// Of the second derivative of its value.
    bent: f64,
    /// Of the error of its value.
    error: f64,
}

impl JointTree {
    /// Creates a tree. Joints must follow their parents. `columns[i]`: joint driven by value column
    /// `i`; `bodies`: by slot.
    pub fn new(joints: Vec<Joint>, columns: Vec<u32>, bodies: Vec<CarriedBody>) -> Self {
        let mut tree = Self { joints, columns, bodies, ways: Vec::new() };
        tree.ways = tree.bodies.iter().map(|body| tree.way_of(body)).collect();
        tree
    }

    /// The joints, each after the one that carries it.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The joint that each column of values is of.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &Joint> {
        self.columns.iter().map(|&joint| &self.joints[joint as usize])
    }

    /// The bodies, by slot.
    pub fn bodies(&self) -> &[CarriedBody] {
        &self.bodies
    }

    /// Joints that move, with their values; `values`: by column.
    pub fn values<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = (&'a Joint, f64)> {
        self.joints.iter().filter_map(|joint| match joint.value {
            JointValue::None => None,
            JointValue::Column { column, ratio, offset } => Some((joint, ratio * values[column as usize] + offset)),
        })
    }

    /// The joints from the world to one of them.
    fn way(&self, joint: u32) -> SmallVec<[u32; 16]> {
        let up = std::iter::successors(Some(joint), |&joint| self.joints[joint as usize].parent);
        let mut way: SmallVec<[u32; 16]> = up.collect();
        way.reverse();
        way
    }

    /// Sets `poses` to the frames behind all joints in the world; `values`: by column.
    pub fn links(&self, values: &[f64], poses: &mut Vec<Pose>) {
        poses.clear();
        for joint in &self.joints {
            let before = joint.parent.map_or(Pose::IDENTITY, |parent| poses[parent as usize]);
            poses.push(match Step::new(joint, joint.place) {
                Some(step) => step.after(&before, step.value(values[step.column as usize])),
                None => placed(&before, &joint.place),
            });
        }
    }

    /// The pose of the recentred frame of a slot's body in the world; `links`: see [`Self::links`].
    pub fn body(&self, slot: usize, links: &[Pose]) -> Pose {
        let body = &self.bodies[slot];
        placed(&links[body.joint as usize], &body.place)
    }

    /// The joints between two bodies: slots, or poses of recentred frames of bodies that stand in
    /// the world. `reaches`: no point of each body is farther from the origin of that frame,
    /// metres.
    pub fn chain(&self, bodies: [Result<usize, Pose>; 2], reaches: [f64; 2]) -> PairChain {
        let ways = bodies.map(|body| body.map_or(SmallVec::new(), |slot| self.way(self.bodies[slot].joint)));
        let common = ways[0].iter().zip(&ways[1]).take_while(|(a, b)| a == b).count();
        let steps = [0, 1].map(|body| {
            let (mut steps, mut fixed) = (Vec::new(), Pose::IDENTITY);
            for &joint in &ways[body][common..] {
                let joint = &self.joints[joint as usize];
                fixed = placed(&fixed, &joint.place);
                if let Some(step) = Step::new(joint, fixed) {
                    steps.push(step);
                    fixed = Pose::IDENTITY;
                }
            }
            let end = match bodies[body] {
                Ok(slot) => placed(&fixed, &self.bodies[slot].place),
                Err(pose) => pose,
            };
            (steps, end)
        });
        PairChain::new(steps, reaches)
    }

    /// The columns of values on which the pose of one body in the other depends, each once: bodies
    /// are slots, or `None` if they stand in the world.
    pub fn columns_between(&self, bodies: [Option<usize>; 2]) -> SmallVec<[u32; 8]> {
        let ways = bodies.map(|body| body.map_or(SmallVec::new(), |slot| self.way(self.bodies[slot].joint)));
        let common = ways[0].iter().zip(&ways[1]).take_while(|(a, b)| a == b).count();
        let apart = ways.iter().flat_map(|way| &way[common..]);
        let mut columns: SmallVec<[u32; 8]> = apart
            .filter_map(|&joint| match self.joints[joint as usize].value {
                JointValue::Column { column, .. } => Some(column),
                JointValue::None => None,
            })
            .collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The way of a body from the world.
    fn way_of(&self, body: &CarriedBody) -> Vec<WayStep> {
        let mut reach = body.reach + (body.place.position + body.place.rest).length();
        let mut way = Vec::new();
        for &joint in self.way(body.joint).iter().rev() {
            let joint = &self.joints[joint as usize];
            if let JointValue::Column { column, ratio, offset } = joint.value {
                way.push(WayStep { kind: joint.kind, column, ratio, offset, wraps: joint.wraps, reach });
            }
            if joint.parent.is_some() {
                reach += joint.place.position.length();
            }
        }
        way
    }

    /// A bound of how far any point of a slot's body leaves the chord between two samples while the
    /// values move on lines, metres. `values`: by column, at both.
    pub fn sagitta(&self, slot: usize, values: [&dyn Fn(u32) -> f64; 2]) -> f64 {
        self.off_chord(slot, |step| {
            let [from, to] = values.map(|values| values(step.column));
            let to = if step.wraps { nearest_turn(from, to) } else { to };
            let at = [from, to].map(|value| step.ratio * value + step.offset);
            let largest = at[0].abs().max(at[1].abs());
            StepMotion { largest, rate: (at[1] - at[0]).abs(), bent: 0.0, error: 0.0 }
        })
    }

    /// As [`Self::sagitta`] while the values move along curves, whose errors are included.
    pub fn sagitta_along<'c>(&self, slot: usize, curve: &dyn Fn(u32) -> &'c ValueCurve) -> f64 {
        self.off_chord(slot, |step| {
            let curve = curve(step.column);
            let [largest, rate, bent, error] =
                [curve.most[0], curve.most[1], curve.most[2], curve.error].map(|of| step.ratio.abs() * of);
            StepMotion { largest: largest + step.offset.abs(), rate, bent, error }
        })
    }

    fn off_chord(&self, slot: usize, motion: impl Fn(&WayStep) -> StepMotion) -> f64 {
        // From the body to the world: what slides beyond a joint lengthens its reach.
        let (mut slides, mut bend, mut moved, mut off) = (0.0, 0.0, 0.0, 0.0);
        for step in &self.ways[slot] {
            let StepMotion { largest, rate, bent, error } = motion(step);
            let (reach, slide) = (step.reach + slides, step.kind.slide().abs());
            let mut lever = slide;
            if step.kind.turns() {
                // Each joint bends with itself and with all that it carries; `moved`: how far the
                // latter move a point.
                bend += rate * (rate * reach + 2.0 * moved);
                lever += reach;
            }
            bend += bent * lever;
            moved += rate * lever;
            // Both ends of the chord are off as well.
            off += 2.0 * error * lever;
            slides += slide * largest;
        }
        (0.125 * bend + off) * (1.0 + 1e-9)
    }

    /// The ball that contains the origins of a slot's body while no value is larger than `largest`
    /// by column: its middle and radius, metres.
    pub fn origins(&self, slot: usize, largest: &dyn Fn(u32) -> f64) -> ([f64; 3], f64) {
        let body = &self.bodies[slot];
        let root = self.way(body.joint).first().map_or(Pose::IDENTITY, |&root| self.joints[root as usize].place);
        let links = self.way(body.joint).into_iter().skip(1);
        let links: f64 = links.map(|joint| self.joints[joint as usize].place.position.length()).sum();
        let reach = links + (body.place.position + body.place.rest).length();
        let slide =
            |step: &WayStep| step.kind.slide().abs() * (step.ratio.abs() * largest(step.column) + step.offset.abs());
        (root.position.to_array(), reach + self.ways[slot].iter().map(slide).sum::<f64>())
    }

    /// A bound on the rounding of the poses of a slot's body while no value is larger than
    /// `largest` by column: of any of its points, metres, and of its orientation, radians.
    pub fn rounding(&self, slot: usize, largest: &dyn Fn(u32) -> f64) -> [f64; 2] {
        let (_, length) = self.origins(slot, largest);
        let way = &self.ways[slot];
        let turns = way.iter().filter(|step| step.kind.turns());
        let angles: f64 = turns.map(|step| step.ratio.abs() * largest(step.column) + step.offset.abs()).sum();
        let units = crate::motion::units(way.len(), angles);
        [units * (length + self.bodies[slot].reach), units]
    }
}
