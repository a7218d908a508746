//! Time as a bit mask: a block of up to 64 samples, and the candidate pairs found in it.

use crate::between::MotionRule;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_kinematics::ValueCurve;

/// Samples in a full block: one bit each of a `u64`.
pub const SAMPLES: usize = 64;

/// One component of one body over the samples of a block, side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub struct SampleColumn(pub [f64; SAMPLES]);

impl Default for SampleColumn {
    fn default() -> Self {
        Self([0.0; SAMPLES])
    }
}

/// The key of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Run (key value of the input).
    pub run: i64,
    /// Frame (key value of the input).
    pub frame: i64,
    /// Time, seconds; `None` where the input has none.
    pub time_s: Option<f64>,
}

/// Components of a pose in a block, in this order: x, y, z (the leading part of the recentred
/// origin, metres), qw, qx, qy, qz, and what the leading part leaves of x, y, z.
pub const COMPONENTS: usize = 10;

/// Shards cut a run at frames whose number is a multiple of this.
pub const CUT_FRAMES: i64 = 64;

/// The poses of the dynamic bodies over up to 64 consecutive existing samples, in order of (run,
/// frame).
///
/// Storage is `(slot, component, sample)`; slot `k` is the body `scene.dynamic[k]`. SampleColumn of
/// absent bodies and those past the last sample hold the identity pose.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameBlock {
    /// 0 for the first block of the input, then 1, 2, ...
    pub index: u64,
    /// The samples, at most [`SAMPLES`].
    pub samples: Vec<Sample>,
    /// Bit `s`: sample `s` is the first of its run in the *input* (no motion leads into it).
    pub starts_run: u64,
    /// `[slot * COMPONENTS + component]`.
    pub lanes: Vec<SampleColumn>,
    /// For each slot, bit `s`: the body has a pose in sample `s`.
    pub present: Vec<u64>,
    /// Values of joints, by column: radians or metres; empty where none carry the bodies.
    pub joints: Vec<SampleColumn>,
    /// Values of joints from each sample to the next one, `[column * SAMPLES + sample]`; empty
    /// unless joints move along splines.
    pub curves: Vec<ValueCurve>,
    /// Bit `s`: the time from sample `s` to the next one is a gap; see [`Self::mark_gaps`].
    pub long: u64,
    /// The sample after the last one, if it is of the same run; `None` where motion between samples
    /// is not asked about.
    pub following: Option<Box<NextSample>>,
}

/// The first sample of the next block, where it goes on with the run.
#[derive(Debug, Clone, PartialEq)]
pub struct NextSample {
    /// Its key.
    pub sample: Sample,
    /// The pose of each slot; `None` where the body is absent.
    pub poses: Vec<Option<Pose>>,
    /// Values of joints, by column.
    pub joints: Vec<f64>,
}

impl FrameBlock {
    /// An empty block for so many slots; every lane holds the identity.
    pub fn new(index: u64, slots: usize) -> Self {
        let mut lanes = vec![SampleColumn::default(); slots * COMPONENTS];
        for slot in 0..slots {
            lanes[slot * COMPONENTS + 3] = SampleColumn([1.0; SAMPLES]);
        }
        Self {
            index,
            samples: Vec::with_capacity(SAMPLES),
            starts_run: 0,
            lanes,
            present: vec![0; slots],
            joints: Vec::new(),
            curves: Vec::new(),
            long: 0,
            following: None,
        }
    }

    /// An empty block, as [`Self::new`], in the memory of one that is no longer needed.
    pub fn renewed(mut self, index: u64) -> Self {
        self.lanes.fill(SampleColumn::default());
        self.lanes.iter_mut().skip(3).step_by(COMPONENTS).for_each(|lanes| *lanes = SampleColumn([1.0; SAMPLES]));
        self.samples.clear();
        self.joints.clear();
        self.curves.clear();
        self.present.fill(0);
        Self { index, starts_run: 0, long: 0, following: None, ..self }
    }

    /// The ten components of a slot.
    #[inline]
    pub fn slot(&self, slot: usize) -> &[SampleColumn] {
        &self.lanes[slot * COMPONENTS..(slot + 1) * COMPONENTS]
    }

    /// Sets the pose of `slot` in `sample` and marks it present.
    #[inline]
    pub fn set(&mut self, slot: usize, sample: usize, pose: &Pose) {
        let lanes = &mut self.lanes[slot * COMPONENTS..(slot + 1) * COMPONENTS];
        let values = pose.position.to_array().into_iter().chain(pose.q).chain(pose.rest.to_array());
        for (lane, value) in lanes.iter_mut().zip(values) {
            lane.0[sample] = value;
        }
        self.present[slot] |= 1 << sample;
    }

    /// The pose of `slot` in `sample`.
    #[inline]
    pub fn pose(&self, slot: usize, sample: usize) -> Pose {
        let c = self.slot(slot);
        let v = |i: usize| c[i].0[sample];
        Pose { position: Vec3::new(v(0), v(1), v(2)), q: [v(3), v(4), v(5), v(6)], rest: Vec3::new(v(7), v(8), v(9)) }
    }

    /// The sample after sample `sample`, if it is of the same run: the next one of the block, or
    /// the one that follows the block.
    fn sample_after(&self, sample: usize) -> Option<&Sample> {
        match self.samples.get(sample + 1) {
            Some(next) => (self.starts_run >> (sample + 1) & 1 == 0).then_some(next),
            None => self.following.as_ref().map(|following| &following.sample),
        }
    }

    /// Seconds of the interval after sample `sample`; `None` where none begins there, or the input
    /// has no times.
    pub fn seconds_after(&self, sample: usize) -> Option<f64> {
        let [from, to] = [self.samples.get(sample), self.sample_after(sample)].map(|sample| sample?.time_s);
        Some(to? - from?)
    }

    /// Acceleration of the pivots of bodies that fall in the interval after sample `sample`, metres
    /// over the square of the interval; zero where none begins there, or nothing falls.
    pub fn fall_after(&self, sample: usize, rule: &MotionRule) -> Vec3<f64> {
        self.seconds_after(sample).map_or(Vec3::ZERO, |seconds| rule.fall(seconds))
    }

    /// The intervals after the samples, by the keys of the samples alone. An interval lies between
    /// a sample and the next one of the same run. The first mask has the intervals of which the
    /// frames are at most `max_gap` apart and the times are no gap, the second one all others.
    pub fn intervals(&self, max_gap: i64) -> [u64; 2] {
        let mut masks = [0; 2];
        for (s, sample) in self.samples.iter().enumerate() {
            if let Some(next) = self.sample_after(s) {
                let is_far = next.frame.abs_diff(sample.frame) > max_gap.unsigned_abs() || self.long >> s & 1 == 1;
                masks[usize::from(is_far)] |= 1 << s;
            }
        }
        masks
    }

    /// Marks the intervals that are gaps in time. `before`: the last sample before the block,
    /// `behind`: the one after [`Self::following`].
    ///
    /// Neighbours in another stretch of [`CUT_FRAMES`] frames do not count, so that a part of a run
    /// tells as much as all of it.
    pub fn mark_gaps(&mut self, rule: &MotionRule, before: Option<Sample>, behind: Option<Sample>) {
        let mut long = 0;
        for (s, &sample) in self.samples.iter().enumerate() {
            let Some(&next) = self.sample_after(s) else { continue };
            let is_long = match rule.max_gap_s {
                Some(most) => next.time_s.zip(sample.time_s).is_some_and(|(next, time)| next - time > most),
                None => {
                    let earlier = if s == 0 { before } else { Some(self.samples[s - 1]) };
                    let earlier = earlier.filter(|_| self.starts_run >> s & 1 == 0);
                    let later = if s + 1 < self.samples.len() { self.sample_after(s + 1).copied() } else { behind };
                    is_long([sample, next], [earlier, later], rule.max_gap)
                }
            };
            long |= u64::from(is_long) << s;
        }
        self.long = long;
    }

    /// Bit `s`: the body of `slot` has a pose in sample `s` and in the next one, of whatever run.
    #[inline]
    pub fn present_at_both_ends(&self, slot: usize) -> u64 {
        let present = self.present[slot] & self.all_samples();
        let follows = self.following.as_ref().is_some_and(|following| following.poses[slot].is_some());
        let last = self.samples.len().saturating_sub(1);
        present & (present >> 1 | u64::from(follows) << last)
    }

    /// The poses of `slot` at both ends of the interval after `sample`; `None` where one of them is
    /// not there.
    pub fn ends(&self, slot: usize, sample: usize) -> Option<[Pose; 2]> {
        let at = |s: usize| (self.present[slot] >> s & 1 == 1).then(|| self.pose(slot, s));
        let next = match sample + 1 < self.samples.len() {
            true => at(sample + 1),
            false => self.following.as_ref().and_then(|following| following.poses[slot]),
        };
        Some([at(sample)?, next?])
    }

    /// The first sample of the block, as what follows the block before; `None` where it starts a
    /// run.
    pub fn as_following(&self) -> Option<Box<NextSample>> {
        let sample = *self.samples.first()?;
        let pose = |slot: usize| (self.present[slot] & 1 == 1).then(|| self.pose(slot, 0));
        let poses = || (0..self.present.len()).map(pose).collect();
        let joints = || self.joints.iter().map(|column| column.0[0]).collect();
        (self.starts_run & 1 == 0).then(|| Box::new(NextSample { sample, poses: poses(), joints: joints() }))
    }

    /// One bit for each sample of the block.
    #[inline]
    pub fn all_samples(&self) -> u64 {
        match self.samples.len() {
            SAMPLES => u64::MAX,
            n => (1_u64 << n) - 1,
        }
    }
}

/// Whether a step takes many times as long as those beside it, each by the time a frame. `beside`:
/// the samples before and after it in its run.
fn is_long([from, to]: [Sample; 2], beside: [Option<Sample>; 2], max_gap: i64) -> bool {
    let time_a_frame = |a: Sample, b: Sample| {
        let frames = b.frame.abs_diff(a.frame);
        let time = b.time_s? - a.time_s?;
        (time > 0.0 && frames <= max_gap.unsigned_abs()).then(|| time / frames as f64)
    };
    let stretch = |sample: Sample| sample.frame.div_euclid(CUT_FRAMES);
    let earlier = beside[0].filter(|&earlier| stretch(earlier) == stretch(from)).and_then(|at| time_a_frame(at, from));
    let later = beside[1].filter(|_| stretch(from) == stretch(to)).and_then(|at| time_a_frame(to, at));
    let longest = earlier.into_iter().chain(later).reduce(f64::max);
    time_a_frame(from, to).zip(longest).is_some_and(|(time, beside)| time > MotionRule::MANY_TIMES * beside)
}

/// Bodies `a < b` (indices into `scene.bodies`) come near in the samples whose bits are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The body of lower index.
    pub a: u32,
    /// The body of higher index.
    pub b: u32,
    /// Bit `s`: their lattice boxes overlap in sample `s` of the block. Never 0.
    pub samples: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renewed_block_is_as_new() {
        let mut block = FrameBlock::new(3, 2);
        block.samples.push(Sample { run: 1, frame: 2, time_s: Some(0.5) });
        block.starts_run = 1;
        for sample in 0..SAMPLES {
            let mut pose = Pose::new([1.0, -2.0, 3.0], [0.5; 4]);
            pose.rest = Vec3::new(1e-20, 0.0, 1.0);
            block.set(sample % 2, sample, &pose);
        }
        assert!(block != FrameBlock::new(3, 2));
        block.following = block.as_following();
        assert_eq!(block.renewed(7), FrameBlock::new(7, 2));
    }

    /// A block of one body, with these (run, frame) and a pose where `present` has a bit.
    fn block(keys: &[(i64, i64)], present: u64) -> FrameBlock {
        let mut block = FrameBlock::new(0, 1);
        for (s, &(run, frame)) in keys.iter().enumerate() {
            block.samples.push(Sample { run, frame, time_s: None });
            block.starts_run |= u64::from(s > 0 && keys[s - 1].0 != run) << s;
            if present >> s & 1 == 1 {
                block.set(0, s, &Pose::new([s as f64, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
            }
        }
        block
    }

    #[test]
    fn intervals_end_at_runs_and_at_gaps() {
        let keys = [(0, 0), (0, 1), (0, 3), (0, 4), (1, 0), (1, 5), (2, i64::MIN), (2, i64::MAX)];
        let mut block = block(&keys, 0b1101_1111);
        assert_eq!(block.intervals(1), [0b0000_0101, 0b0101_0010]);
        assert_eq!(block.intervals(5), [0b0001_0111, 0b0100_0000]);
        assert_eq!(block.present_at_both_ends(0), 0b0100_1111);
        let next = FrameBlock { starts_run: 0, ..block.clone() };
        block.following = next.as_following();
        assert_eq!(block.intervals(1)[1] & 1 << 7, 1 << 7, "frame 0 is far from the last one");
        assert_eq!(block.present_at_both_ends(0), 0b1100_1111);
        let ends = block.ends(0, 7).expect("both are there");
        assert_eq!(ends.map(|pose| pose.position.x), [7.0, 0.0]);
        assert_eq!(block.ends(0, 2).map(|ends| ends[1].position.x), Some(3.0));
        assert!(block.ends(0, 4).is_none() && block.ends(0, 5).is_none());
        assert!(FrameBlock { starts_run: 1, ..next }.as_following().is_none());
    }

    /// The intervals that are gaps of a run with these frames and times, in blocks of `size`
    /// samples.
    fn gaps(samples: &[(i64, f64)], rule: &MotionRule, size: usize) -> Vec<bool> {
        let samples: Vec<Sample> =
            samples.iter().map(|&(frame, time)| Sample { run: 0, frame, time_s: Some(time) }).collect();
        let block = |first: usize| {
            let samples: Vec<Sample> = samples[first..].iter().take(size).copied().collect();
            FrameBlock { samples, starts_run: u64::from(first == 0), ..FrameBlock::new(0, 0) }
        };
        let mut found = Vec::new();
        for first in (0..samples.len()).step_by(size) {
            let mut of = block(first);
            let end = first + of.samples.len();
            of.following = if end < samples.len() { block(end).as_following() } else { None };
            of.mark_gaps(rule, first.checked_sub(1).map(|last| samples[last]), samples.get(end + 1).copied());
            found.extend((0..of.samples.len()).map(|s| of.long >> s & 1 == 1));
        }
        found
    }

    #[test]
    fn a_night_between_frames_is_a_gap_wherever_blocks_end() {
        let night = |f: i64| f as f64 * 0.5 + if f > 7 { 43_200.0 } else { 0.0 };
        let samples: Vec<(i64, f64)> = (0..20).map(|f| (f, night(f))).collect();
        for size in [1, 2, 3, 5, 7, 8, 9, 64] {
            for (rule, told) in [(None, true), (Some(43_200.0), true), (Some(43_201.0), false)] {
                let rule = MotionRule { max_gap_s: rule, ..MotionRule::default() };
                let found = gaps(&samples, &rule, size);
                let expected: Vec<bool> = (0..20).map(|f| told && f == 7).collect();
                assert_eq!(found, expected, "{rule:?}, blocks of {size}");
            }
        }
    }

    #[test]
    fn steps_that_others_explain_are_no_gaps() {
        let rule = MotionRule { max_gap: 500, ..MotionRule::default() };
        let none = |samples: &[(i64, f64)]| assert!(!gaps(samples, &rule, 4).contains(&true), "{samples:?}");
        // Frames that are missing, a clock that counts whole seconds, a slow log after a fast one,
        // one step alone.
        none(&[(0, 0.0), (1, 0.1), (2, 0.2), (402, 40.2), (403, 40.3)]);
        none(&[(0, 0.0), (1, 0.0), (2, 0.0), (3, 1.0), (4, 1.0), (5, 1.0)]);
        none(&[(0, 0.0), (1, 0.001), (2, 0.002), (3, 1.0), (4, 2.0), (5, 3.0)]);
        none(&[(0, 0.0), (1, 90_000.0)]);
        // Time that goes back, and none at all.
        none(&[(0, 5.0), (1, 4.0), (2, 4.1)]);
        none(&[(0, f64::NAN), (1, f64::NAN), (2, f64::NAN)]);
        assert_eq!(gaps(&[(0, 0.0), (1, 0.1), (2, 90.0)], &rule, 4), [false, true, false], "the last one of a run");
        assert_eq!(gaps(&[(0, 0.0), (1, 90.0), (2, 90.1)], &rule, 4), [true, false, false], "the first one");
        // Neighbours across a multiple of 64 frames belong to another shard.
        assert_eq!(gaps(&[(62, 0.0), (63, 0.1), (64, 90.0), (65, 90.1)], &rule, 4), [false, true, false, false]);
        assert_eq!(gaps(&[(63, 0.0), (64, 90.0), (65, 90.1)], &rule, 4), [false; 3]);
    }
}
