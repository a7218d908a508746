//! Motion bounds: proven upper bounds of how far any point of a body moves between neighbouring
//! samples.
//!
//! A point at most `radius` from the recentred origin moves by at most `|p' - p| + angle * radius`:
//! the translation plus the arc of the rotation. Every formula adds a bound of its rounding error,
//! so the result is never below the exact value. If the distance of two bodies is greater than the
//! sum of their bounds, they do not touch between the samples.

use clearsweep_geometry::turn::{ROUNDING, angle, relative_turn, translation};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{FrameBlock, SAMPLES, block::COMPONENTS};
use rayon::prelude::*;

/// The motion of the dynamic bodies between samples.
#[derive(Debug)]
pub(super) struct MotionBounds {
    slots: Vec<SlotMotion>,
}

/// The motion of one dynamic body.
#[derive(Debug, Clone, Copy)]
struct SlotMotion {
    /// Radius of the shape about its recentred origin, metres.
    radius: f64,
    /// The first pose in the current run; `None` before it.
    first: Option<Pose>,
    /// The latest one.
    last: Option<Pose>,
}

/// Poses of bodies by slot, as they are stored.
pub(super) type StoredPoses = Vec<Option<[f64; COMPONENTS]>>;

impl MotionBounds {
    /// Takes the radii of the dynamic bodies, by slot, metres.
    pub(super) fn new(radii: impl Iterator<Item = f64>) -> Self {
        Self { slots: radii.map(|radius| SlotMotion { radius, first: None, last: None }).collect() }
    }

    /// Number of slots.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The latest poses, by slot: what is to be stored.
    pub(super) fn state(&self) -> StoredPoses {
        self.slots.iter().map(|slot| slot.last.as_ref().map(components)).collect()
    }

    /// The first poses in the current run, likewise.
    pub(super) fn first_poses(&self) -> StoredPoses {
        self.slots.iter().map(|slot| slot.first.as_ref().map(components)).collect()
    }

    /// Goes on with a later part of the current run, from its first and its last poses. Returns the
    /// motion bound of each slot between this part and that one, metres.
    pub(super) fn go_on(&mut self, firsts: &StoredPoses, lasts: &StoredPoses) -> Vec<f64> {
        let joined = self.slots.iter_mut().zip(firsts.iter().zip(lasts));
        let step = |(slot, (first, last)): (&mut SlotMotion, (&Option<_>, &Option<_>))| {
            let step = match (slot.last, first) {
                (Some(from), Some(to)) => {
                    let mut poses: PoseSequence = [[0.0; SAMPLES + 1]; COMPONENTS];
                    let ends = components(&from).into_iter().zip(*to);
                    poses.iter_mut().zip(ends).for_each(|(lane, (from, to))| (lane[0], lane[1]) = (from, to));
                    largest_step(&poses, 1, slot.radius)
                }
                _ => 0.0,
            };
            slot.last = last.map(pose_of).or(slot.last);
            step
        };
        joined.map(step).collect()
    }

    /// Takes over the latest poses.
    pub(super) fn restore(&mut self, state: &[Option<[f64; COMPONENTS]>]) {
        self.slots.iter_mut().zip(state).for_each(|(slot, values)| slot.last = values.map(pose_of));
    }

    /// The motion bounds of each segment of the next block, metres: for each segment, and in it for
    /// each slot, the largest over all steps that end in it. A segment is (mask of its samples,
    /// whether a run begins with it).
    pub(super) fn advance(&mut self, block: &FrameBlock, segments: &[(u64, bool)]) -> Vec<Vec<f64>> {
        let slots = self.slots.len();
        let mut steps = vec![0.0; slots * segments.len()];
        let per_slot = steps.par_chunks_mut(segments.len().max(1)).zip(&mut self.slots);
        per_slot.enumerate().with_min_len(64).for_each(|(index, (steps, slot))| {
            for (step, &(mask, begins)) in steps.iter_mut().zip(segments) {
                if begins {
                    (slot.first, slot.last) = (None, None);
                }
                *step = slot.advance(block, index, mask & block.present[index]);
            }
        });
        (0..segments.len()).map(|k| steps.iter().skip(k).step_by(segments.len()).copied().collect()).collect()
    }
}

/// Consecutive poses, component by component: the pose before a block, and those of its samples.
type PoseSequence = [[f64; SAMPLES + 1]; COMPONENTS];

impl SlotMotion {
    /// The largest step between the last pose and the samples in `mask`, one after the other.
    fn advance(&mut self, block: &FrameBlock, index: usize, mask: u64) -> f64 {
        if mask == 0 {
            return 0.0;
        }
        let mut poses: PoseSequence = [[0.0; SAMPLES + 1]; COMPONENTS];
        let end = usize::from(self.last.is_some());
        if let Some(last) = self.last {
            poses.iter_mut().zip(components(&last)).for_each(|(to, value)| to[0] = value);
        }
        let (first, count) = (mask.trailing_zeros() as usize, mask.count_ones() as usize);
        let is_contiguous = mask >> first == u64::MAX >> (SAMPLES - count);
        for (to, lane) in poses.iter_mut().zip(block.slot(index)) {
            if is_contiguous {
                to[end..end + count].copy_from_slice(&lane.0[first..first + count]);
            } else {
                let present = (first..SAMPLES).filter(|s| mask >> s & 1 == 1);
                to[end..].iter_mut().zip(present).for_each(|(to, s)| *to = lane.0[s]);
            }
        }
        let begin = end;
        let end = end + count;
        self.first = self.first.or_else(|| Some(pose(&poses, begin)));
        self.last = Some(pose(&poses, end - 1));
        largest_step(&poses, end - 1, self.radius)
    }
}

/// The components of a pose, in the order of a block.
fn components(pose: &Pose) -> [f64; COMPONENTS] {
    let ([x, y, z], [w, a, b, c], [u, v, t]) = (pose.position.to_array(), pose.q, pose.rest.to_array());
    [x, y, z, w, a, b, c, u, v, t]
}

/// The pose of these components.
fn pose_of(v: [f64; COMPONENTS]) -> Pose {
    Pose { position: Vec3::new(v[0], v[1], v[2]), q: [v[3], v[4], v[5], v[6]], rest: Vec3::new(v[7], v[8], v[9]) }
}

/// One pose of a sequence.
fn pose(poses: &PoseSequence, at: usize) -> Pose {
    pose_of(std::array::from_fn(|component| poses[component][at]))
}

/// The largest motion bound of the first `steps` steps of a sequence.
fn largest_step(poses: &PoseSequence, steps: usize, radius: f64) -> f64 {
    let mut translations = [0.0; SAMPLES];
    let mut bounds = [0.0; SAMPLES];
    for i in 0..steps.min(SAMPLES) {
        let (a, b) = (pose(poses, i), pose(poses, i + 1));
        let half_sine = half_angle_sine(&a, &b);
        // The exact angle costs ten times as much as the rest, so it is computed only if an upper
        // bound of it exceeds the largest step so far. asin s <= s + (pi/2 - 1) s^3 on [0, 1],
        // because (asin s - s) / s^3 increases.
        let at_most = 2.0 * (half_sine + 0.571 * half_sine * half_sine * half_sine) * (1.0 + ROUNDING) + ROUNDING;
        translations[i] = translation(&a, &b);
        bounds[i] = translations[i] + at_most * radius;
    }
    let mut largest = 0.0;
    for i in 0..steps {
        if bounds[i] > largest {
            let step = translations[i] + angle(pose(poses, i).q, pose(poses, i + 1).q) * radius;
            largest = step.max(largest);
        }
    }
    largest * (1.0 + ROUNDING)
}

/// Sine of half the angle between two rotations, with an absolute error of a few ulp of 1.
#[inline(always)]
fn half_angle_sine(a: &Pose, b: &Pose) -> f64 {
    let (w, v) = relative_turn(a.q, b.q);
    v / (w * w + v * v).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_model::Sample;

    fn turned(angle: f64, sign: f64, x: f64) -> Pose {
        let (s, c) = libm::sincos(angle / 2.0);
        Pose::new([x, 0.0, 0.0], [sign * c, 0.0, 0.0, sign * s])
    }

    fn block(poses: &[Option<Pose>]) -> FrameBlock {
        let mut block = FrameBlock::new(0, 1);
        for (s, pose) in poses.iter().enumerate() {
            block.samples.push(Sample { run: 0, frame: s as i64, time_s: None });
            if let Some(pose) = pose {
                block.set(0, s, pose);
            }
        }
        block
    }

    #[test]
    fn small_and_large_turns_of_either_sign_are_bounded_tightly() {
        for (turn, radius) in [(1e-12, 2.0), (1e-3, 2.0), (0.5, 1.0), (3.0, 1.0), (std::f64::consts::PI, 0.5)] {
            for sign in [1.0, -1.0] {
                let mut motion = MotionBounds::new([radius].into_iter());
                let b = block(&[Some(turned(0.1, 1.0, 1.0)), Some(turned(0.1 + turn, sign, 1.25))]);
                let step = motion.advance(&b, &[(0b11, true)])[0][0];
                let truth = 0.25 + turn * radius;
                assert!(step >= truth && step <= truth * (1.0 + 1e-13) + 1e-14, "{step} {truth}");
            }
        }
    }

    #[test]
    fn steps_span_blocks_and_absences_but_not_runs() {
        let at = |x: f64| Some(Pose::new([x, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
        let mut motion = MotionBounds::new([1.0].into_iter());
        let first = motion.advance(&block(&[at(0.0), None, at(1.0)]), &[(0b111, true)]);
        assert!((first[0][0] - 1.0).abs() < 1e-12);
        // Into the block, 2; a new run at sample 1; inside it, 0.5.
        let second = motion.advance(&block(&[at(3.0), at(50.0), at(50.5)]), &[(0b001, false), (0b110, true)]);
        assert!((second[0][0] - 2.0).abs() < 1e-12 && (second[1][0] - 0.5).abs() < 1e-12, "{second:?}");
        let still = motion.advance(&block(&[at(50.5), at(50.5)]), &[(0b11, false)]);
        assert_eq!(still[0][0], 0.0);
    }
}
