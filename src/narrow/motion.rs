//! A gap that was proven at one pose outlasts the motion: which samples it rules out, eight at a time.

use super::PairQuery;
use super::relative::{RelativeLanes, RelativePoses};
use super::simd::{Lane, Simd, V, WIDTH, dispatch};
use super::walk;
use crate::geometry::{RelativePose, Vec3};
use crate::scene::{QueryOptions, SAMPLES};

/// A gap proven at a relative pose: it holds, less the motion, at all poses near by. The mask's order plays no part,
/// and no row is lost: what is ruled out is beyond `within` on every way (docs/numerics.md).
#[derive(Debug, Clone, Copy)]
pub(super) struct ProvenGap {
    gap: f64,
    at: RelativePose<f64>,
    /// The circumradii of both bodies together, metres.
    radii: f64,
    /// The circumradius of B, metres.
    radius: f64,
    within: f64,
    /// Bit by bit: the samples looked at so far, and those of them that are ruled out.
    seen: u64,
    out: u64,
}

impl ProvenGap {
    /// `gap` metres between the bodies at a relative pose.
    pub(super) fn new(gap: f64, at: RelativePose<f64>, query: &PairQuery<'_>, options: &QueryOptions) -> Self {
        let (radii, radius) = (query.a.radius + query.b.radius, query.b.radius);
        Self { gap, at, radii, radius, within: options.within, seen: 0, out: 0 }
    }

    /// The first of the samples, and those in turn after it that are known to be like it: ruled out, or not.
    pub(super) fn stretch(&mut self, samples: u64, poses: &RelativePoses<'_>) -> (u64, bool) {
        let first = samples & samples.wrapping_neg();
        let sample = first.trailing_zeros() as usize % SAMPLES;
        let Some(lanes) = poses.lanes else { return (first, self.rules_out(&poses.at(sample))) };
        if first & !self.seen != 0 {
            self.look(sample / WIDTH * WIDTH, lanes);
        }
        let out = first & self.out != 0;
        let alike = if out { self.out } else { self.seen & !self.out };
        (in_turn(samples, alike), out)
    }

    /// Which of the samples it rules out.
    pub(super) fn rules_out_of(&mut self, samples: u64, lanes: &RelativeLanes) -> u64 {
        for start in (0..SAMPLES).step_by(WIDTH) {
            if samples & !self.seen & 0xff << start != 0 {
                self.look(start, lanes);
            }
        }
        samples & self.out
    }

    /// Looks at eight samples.
    fn look(&mut self, start: usize, lanes: &RelativeLanes) {
        self.seen |= 0xff << start;
        self.out |= u64::from(ruled_out(self, start, lanes)) << start;
    }

    #[inline]
    fn rules_out(&self, pose: &RelativePose<f64>) -> bool {
        let (left, needed) = self.left_at(pose, pose.t.length());
        left > needed
    }

    /// What the motion leaves of the gap at a pose, and above what it rules that out, metres; `reach`: the length of the pose's
    /// translation, metres.
    #[inline(always)]
    fn left_at(&self, pose: &RelativePose<f64>, reach: f64) -> (f64, f64) {
        let size = self.radii + reach;
        // The rounding of the motion is far below what the promised width leaves.
        (self.gap - pose.motion(&self.at, self.radius), walk::beyond(self.within, 2.0 * size))
    }
}

/// Of a set of samples, those before the first that is not in `wanted`.
#[inline(always)]
pub(super) fn in_turn(samples: u64, wanted: u64) -> u64 {
    let open = samples & !wanted;
    samples & (open & open.wrapping_neg()).wrapping_sub(1)
}

#[inline(always)]
fn ruled_out_body<S: Simd>(gap: &ProvenGap, start: usize, lanes: &RelativeLanes) -> u8 {
    let c: [Lane; 12] = std::array::from_fn(|k| lanes.chunk(k, start));
    let reach: Lane = lanes.reaches(start);
    let (mut left, mut needed) = ([0.0; WIDTH], [0.0; WIDTH]);
    for k in 0..WIDTH {
        let row = |i: usize| Vec3 { x: c[i][k], y: c[i + 1][k], z: c[i + 2][k] };
        let pose = RelativePose { r: [row(0), row(3), row(6)], t: row(9) };
        (left[k], needed[k]) = gap.left_at(&pose, reach[k]);
    }
    V::<S>::load(&left).gt(V::load(&needed)).bits()
}

dispatch!(ruled_out, ruled_out_body, (gap: &ProvenGap, start: usize, lanes: &RelativeLanes) -> u8);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Pose;
    use crate::narrow::Poses;
    use crate::scene::{Lanes, Model, Shape};

    fn ball(radius: f64) -> Shape {
        let (center, model) = (Vec3::ZERO, Model::Hull);
        Shape { model, pieces: vec![], hull: None, center, radius, vertices: 0, triangles: 0, watertight: None }
    }

    #[test]
    fn what_eight_lanes_rule_out_is_what_one_pose_does() {
        let mut state = 29_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (mut out, mut kept) = (0, 0);
        for case in 0..400 {
            // B drifts and turns; some samples are not asked for, one is no number.
            let (drift, turn) = (0.02 * next(), 0.02 * next());
            let mut moving = vec![Lanes([0.0; SAMPLES]); 10];
            for s in 0..SAMPLES {
                let at = s as f64 + 0.2 * next();
                let values = [3.0 + drift * at, 0.1, 0.2, 1.0, turn * at, 0.3, 0.1, 0.0, 0.0, 0.0];
                moving.iter_mut().zip(values).for_each(|(lane, value)| lane.0[s] = value);
            }
            moving[1].0[case % SAMPLES] = if case % 3 == 0 { f64::NAN } else { 0.3 };
            let fixed = Pose::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
            let samples = (next().to_bits() << 12) | next().to_bits() >> 40 | 1;
            let mut room = RelativeLanes::default();
            let poses = RelativePoses::new(Poses::Fixed(&fixed), Poses::Moving(&moving), samples, &mut room);
            let lanes = poses.lanes.expect("many samples");
            let (a, b) = (ball(1.0), ball(0.7));
            let (of_a, of_b) = (Poses::Fixed(&fixed), Poses::Moving(&moving));
            let query = PairQuery { a: &a, b: &b, poses_a: of_a, poses_b: of_b, samples };
            let options = QueryOptions { within: 0.5, require: None, touch: 0.0, static_pairs: false };
            let mut gap = ProvenGap::new(1.0 + 0.3 * next(), poses.at(0), &query, &options);
            let alone = (0..SAMPLES).fold(0, |set, s| set | u64::from(gap.rules_out(&poses.at(s))) << s) & samples;
            let (mut left, mut by_stretches) = (samples, 0);
            while left != 0 {
                let (stretch, ruled_out) = gap.stretch(left, &poses);
                assert!(stretch & left & left.wrapping_neg() != 0 && stretch & !left == 0, "case {case}");
                by_stretches |= if ruled_out { stretch } else { 0 };
                left &= !stretch;
            }
            assert_eq!(by_stretches, alone, "case {case}");
            let mut gap = ProvenGap { seen: 0, out: 0, ..gap };
            assert_eq!(gap.rules_out_of(samples, lanes), alone, "case {case}");
            (out, kept) = (out + alone.count_ones(), kept + (samples & !alone).count_ones());
        }
        assert!(out > 2000 && kept > 2000, "{out} ruled out, {kept} not");
    }
}
