//! How bodies move between frames, and how time goes on: what gives away a wrong unit or a wrong
//! order of columns.

use super::super::warning::Warning;
use super::joints::{JointSteps, LargestJointStep};
use super::quaternion_order::OrderEvidence;
use super::rest::TippedBodies;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{FrameBlock, Sample, Scene};

/// Steps that are reported.
const REPORTED: usize = 5;
/// A step of so many sizes of the body is a jump.
const JUMP: f64 = 10.0;
/// Frames of a recording are not so far apart, seconds (11.6 days). A millisecond in nanoseconds
/// is.
const LONG_STEP: f64 = 1e6;
/// A turn between neighbouring frames that no longer tells its direction, radians (120 degrees).
const TURN: f64 = 2.0 * std::f64::consts::FRAC_PI_3;

/// The largest step of a body between neighbouring frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LargestStep {
    /// The body.
    pub body: u32,
    /// How far a point of it moved at most, metres.
    pub step_m: f64,
    /// How far it turned, radians.
    pub angle_rad: f64,
    /// The longest side of its box, metres.
    pub size_m: f64,
    /// The run.
    pub run: i64,
    /// The frame before the step.
    pub from_frame: i64,
    /// The frame after it.
    pub to_frame: i64,
}

impl LargestStep {
    /// The step in sizes of the body; 0 for a point.
    fn sizes(&self) -> f64 {
        if self.size_m > 0.0 { self.step_m / self.size_m } else { 0.0 }
    }
}

/// The motion seen of a slot.
struct Slot {
    first: Option<Pose>,
    /// The latest pose in the current run, and its frame.
    last: Option<(Pose, i64)>,
    moved: bool,
    seen: u64,
    /// Sums of |qw| and |qz| of the unit quaternions.
    upright: f64,
    turned: f64,
    largest: Option<LargestStep>,
    /// The longest side of the body's box, metres.
    size: f64,
}

/// How the dynamic bodies move.
pub(super) struct Motions<'a> {
    scene: &'a Scene,
    slots: Vec<Slot>,
    order: OrderEvidence,
    joints: JointSteps<'a>,
}

impl<'a> Motions<'a> {
    pub(super) fn new(scene: &'a Scene) -> Self {
        let slot = |&body: &u32| {
            let size = scene.bodies[body as usize].shape.size();
            Slot { first: None, last: None, moved: false, seen: 0, upright: 0.0, turned: 0.0, largest: None, size }
        };
        Self {
            scene,
            slots: scene.dynamic.iter().map(slot).collect(),
            order: OrderEvidence::new(scene),
            joints: JointSteps::new(scene),
        }
    }

    /// Takes the next block.
    pub(super) fn look(&mut self, block: &FrameBlock) {
        self.order.look(block);
        self.joints.look(block);
        for (index, slot) in self.slots.iter_mut().enumerate() {
            let body = self.scene.dynamic[index];
            let radius = self.scene.bodies[body as usize].shape.radius;
            for (at, sample) in block.samples.iter().enumerate() {
                if block.starts_run >> at & 1 == 1 {
                    slot.last = None;
                }
                if block.present[index] >> at & 1 == 1 {
                    slot.step(body, radius, block.pose(index, at), sample);
                }
            }
        }
    }

    /// The largest steps of all, by the size of the body.
    pub(super) fn largest(&self) -> Vec<LargestStep> {
        let mut all: Vec<LargestStep> = self.slots.iter().filter_map(|slot| slot.largest).collect();
        all.sort_by(|a, b| b.sizes().total_cmp(&a.sizes()));
        all.truncate(REPORTED);
        all
    }

    /// The largest step of a joint that turns.
    pub(super) fn largest_of_joints(&self) -> Option<LargestJointStep> {
        self.joints.largest()
    }

    /// The bodies whose first poses tip them over.
    pub(super) fn tipped(&self) -> TippedBodies {
        TippedBodies::new(self.scene, |slot| self.slots.get(slot as usize)?.first)
    }

    pub(super) fn warnings(&self, samples: u64) -> Vec<Warning> {
        let of = |holds: &dyn Fn(&Slot) -> bool| -> Vec<u32> {
            let slots = self.slots.iter().zip(&self.scene.dynamic);
            slots.filter(|(slot, _)| holds(slot)).map(|(_, &body)| body).collect()
        };
        let largest = |slot: &Slot, holds: fn(&LargestStep) -> bool| slot.largest.as_ref().is_some_and(holds);
        // Values of joints have no quaternions.
        let by_joints = self.scene.joints.is_some();
        let mut warnings = Vec::new();
        let mut warn = |kind, bodies: Vec<u32>, problem: &str, remedy: &str| {
            if !bodies.is_empty() {
                warnings.push(Warning::new(kind, bodies, problem, remedy));
            }
        };
        if samples > 0 {
            warn(
                "absent",
                of(&|slot| slot.seen == 0),
                "has no row in the frames chosen",
                "check its name in the trajectories, or remove it from the scene",
            );
        }
        warn(
            "motionless",
            of(&|slot| slot.seen > 1 && !slot.moved),
            "never moves",
            match by_joints {
                true => "a range or a column of values may be another joint's: check them",
                false => {
                    "a body at rest is faster with `static = true` and its pose in the scene, and no rows in the trajectories"
                }
            },
        );
        warn(
            "jump",
            of(&|slot| largest(slot, |step| step.sizes() > JUMP)),
            "moves by more than ten times its own size from one frame to the next",
            "check the length unit of the trajectories, and for frames that are missing",
        );
        warn(
            "turn",
            of(&|slot| largest(slot, |step| step.angle_rad > TURN)),
            "turns by more than 120 degrees from one frame to the next",
            match by_joints {
                true => "give a sweep more `steps`, and check the values for frames that are missing",
                false => "check the order of qw, qx, qy, qz, and for frames that are missing",
            },
        );
        warnings.extend(self.joints.warnings());
        if !by_joints {
            warnings.extend(self.order_of_quaternions());
        }
        warnings.extend(self.tipped().warning(self.scene));
        warnings
    }

    /// Poses from quaternions whose numbers stand in another order.
    fn order_of_quaternions(&self) -> Option<Warning> {
        let seen: u64 = self.slots.iter().map(|slot| slot.seen).sum();
        let mean = |of: fn(&Slot) -> f64| self.slots.iter().map(of).sum::<f64>() / seen.max(1) as f64;
        self.order.warning(self.scene).or_else(|| {
            let is_turned = seen > 0 && mean(|slot| slot.turned) > 0.9 && mean(|slot| slot.upright) < 0.3;
            is_turned.then(|| {
                let problem = "nearly all poses are turned by about 180 degrees about z";
                let remedy = "were the quaternions written in the order x, y, z, w? The columns go by their names: qw is the \
                    scalar part";
                Warning::new("quaternions", [], problem, remedy)
            })
        })
    }
}

impl Slot {
    fn step(&mut self, body: u32, radius: f64, pose: Pose, sample: &Sample) {
        self.seen += 1;
        let length = norm(pose.q);
        if length > 0.0 {
            self.upright += pose.q[0].abs() / length;
            self.turned += pose.q[3].abs() / length;
        }
        let first = *self.first.get_or_insert(pose);
        self.moved |= pose != first;
        let Some((last, from_frame)) = self.last.replace((pose, sample.frame)) else { return };
        let shift_m = shift(&last, &pose);
        if self.largest.is_some_and(|largest| shift_m + most_angle(&last, &pose) * radius <= largest.step_m) {
            return;
        }
        let angle_rad = angle(&last, &pose);
        let step_m = shift_m + angle_rad * radius;
        if self.largest.is_none_or(|largest| step_m > largest.step_m) {
            let (run, to_frame) = (sample.run, sample.frame);
            self.largest = Some(LargestStep { body, step_m, angle_rad, size_m: self.size, run, from_frame, to_frame });
        }
    }
}

fn norm(q: [f64; 4]) -> f64 {
    q.iter().map(|c| c * c).sum::<f64>().sqrt()
}

fn shift(a: &Pose, b: &Pose) -> f64 {
    let step: Vec3<f64> = (b.position - a.position) + (b.rest - a.rest);
    step.length()
}

/// The angle between two orientations, 0 to pi; good to 1e-8, which is enough to look at.
fn angle(a: &Pose, b: &Pose) -> f64 {
    let dot: f64 = a.q.iter().zip(b.q).map(|(a, b)| a * b).sum();
    let cosine = dot.abs() / (norm(a.q) * norm(b.q));
    if a.q == b.q { 0.0 } else { 2.0 * cosine.min(1.0).acos() }
}

/// A number that is at least the angle between two orientations, without the inverse cosine.
fn most_angle(a: &Pose, b: &Pose) -> f64 {
    let dot: f64 = a.q.iter().zip(b.q).map(|(a, b)| a * b).sum();
    let cosine = (dot.abs() / (norm(a.q) * norm(b.q))).min(1.0);
    // 2 acos(c) <= pi sqrt(1 - c); the margin is for rounding.
    std::f64::consts::PI * (1.0 - cosine).sqrt() + 1e-7
}

/// How time goes on.
#[derive(Default)]
pub(super) struct Clock {
    /// Least and greatest time, seconds.
    pub(super) times: Option<(f64, f64)>,
    /// Least and greatest step of time within a run, seconds.
    pub(super) steps: Option<(f64, f64)>,
    last: Option<f64>,
    /// The first sample whose time is not after that of the one before.
    back: Option<(i64, i64)>,
}

impl Clock {
    /// Takes the next sample; whether a run begins with it.
    pub(super) fn tick(&mut self, sample: &Sample, begins: bool) {
        let Some(time) = sample.time_s else { return };
        let widen = |range: Option<(f64, f64)>, value: f64| {
            range.map_or((value, value), |(low, high)| (low.min(value), high.max(value)))
        };
        self.times = Some(widen(self.times, time));
        if let Some(last) = self.last.replace(time).filter(|_| !begins) {
            self.steps = Some(widen(self.steps, time - last));
            if time <= last && self.back.is_none() {
                self.back = Some((sample.run, sample.frame));
            }
        }
    }

    pub(super) fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if let Some((run, frame)) = self.back {
            warnings.push(Warning::new(
                "time",
                [],
                format!("the time does not increase at run {run}, frame {frame}"),
                "check the column `time_s`: seconds, the same in all rows of a frame",
            ));
        }
        if let Some((least, _)) = self.steps.filter(|(least, _)| *least >= LONG_STEP) {
            let days = least / 86_400.0;
            warnings.push(Warning::new(
                "time",
                [],
                format!("neighbouring frames are at least {least} s ({days:.1} days) apart"),
                "times are in seconds: if these are nanoseconds or microseconds, divide them by 1e9 or 1e6",
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_the_shift_and_the_turn() {
        let half = 0.5_f64.sqrt();
        let a = Pose::new([1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]);
        let b = Pose::new([1.0, 3.0, 4.0], [-half, 0.0, 0.0, -half]);
        assert_eq!(shift(&a, &b), 5.0);
        assert!((angle(&a, &b) - std::f64::consts::FRAC_PI_2).abs() < 1e-8, "q and -q are one orientation");
        assert_eq!(angle(&b, &b), 0.0);
        for k in 0..=1000 {
            let half = std::f64::consts::FRAC_PI_2 * f64::from(k) / 1000.0;
            let turned = Pose::new([0.0; 3], [half.cos(), half.sin(), 0.0, 0.0]);
            assert!(most_angle(&Pose::IDENTITY, &turned) >= angle(&Pose::IDENTITY, &turned), "{half}");
        }
    }

    #[test]
    fn time_that_stands_still_is_seen_within_a_run_only() {
        let sample = |run, frame, time| Sample { run, frame, time_s: Some(time) };
        let mut clock = Clock::default();
        for (at, begins) in [(sample(0, 0, 0.0), true), (sample(0, 1, 0.5), false), (sample(1, 0, 0.0), true)] {
            clock.tick(&at, begins);
        }
        assert!(clock.warnings().is_empty());
        clock.tick(&sample(1, 1, 0.0), false);
        assert!(matches!(&clock.warnings()[..], [warning] if warning.problem.contains("run 1, frame 1")));
        assert_eq!((clock.times, clock.steps), (Some((0.0, 0.5)), Some((0.0, 0.5))));
    }

    #[test]
    fn frames_that_are_days_apart_are_told() {
        for (step, told) in [(1.0, 0), (86_400.0, 0), (999_999.0, 0), (1e6, 1), (33_333_333.0, 1)] {
            let mut clock = Clock::default();
            for frame in 0..3 {
                let time_s = Some(step * frame as f64);
                clock.tick(&Sample { run: 0, frame, time_s }, frame == 0);
            }
            assert_eq!(clock.warnings().len(), told, "{step}");
        }
    }
}
