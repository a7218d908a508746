//! Relative poses of a pair over the samples of a block, computed side by side.

use super::pair::size_of;
use super::query::BodyPoses;
use clearsweep_base::simd::{Lane, WIDTH, dispatch};
use clearsweep_geometry::{Polyhedron, Pose, RelativePose, Vec3};
use clearsweep_model::{SAMPLES, SampleColumn};

/// Samples from which computing eight at once is cheaper than one after the other.
pub(super) const FEW: u32 = 3;

/// `a_from_b` in every sample.
#[derive(Debug)]
pub(super) struct RelativeLanes {
    /// Nine entries of the rotation by rows, then the translation.
    components: [[f64; SAMPLES]; 12],
    /// The length of the translation, metres.
    reach: [f64; SAMPLES],
    /// Bit by bit: whether all of a sample is finite.
    finite: u64,
    /// Bit by bit: whether a sample is the one before, in every bit; both were asked for.
    repeats: u64,
}

impl RelativeLanes {
    /// The poses of eight samples from `start`: the rotation by rows, and the translation.
    #[inline(always)]
    pub(super) fn eight(&self, start: usize) -> ([Lane; 9], [Lane; 3]) {
        (std::array::from_fn(|k| self.chunk(k, start)), std::array::from_fn(|k| self.chunk(9 + k, start)))
    }

    /// Component `k` in eight samples from `start`.
    #[inline(always)]
    fn chunk(&self, k: usize, start: usize) -> Lane {
        *self.components[k][start..].first_chunk().expect("eight samples of the block")
    }

    /// Returns the relative pose in one sample.
    #[inline]
    pub(super) fn at(&self, sample: usize) -> RelativePose<f64> {
        let c = |k: usize| self.components[k][sample % SAMPLES];
        RelativePose {
            r: [Vec3::new(c(0), c(1), c(2)), Vec3::new(c(3), c(4), c(5)), Vec3::new(c(6), c(7), c(8))],
            t: Vec3::new(c(9), c(10), c(11)),
        }
    }

    /// Copies a sample into a lane.
    #[inline(always)]
    pub(super) fn copy(&self, sample: usize, lane: usize, r: &mut [Lane; 9], t: &mut [Lane; 3]) {
        for (to, from) in r.iter_mut().chain(t).zip(&self.components) {
            to[lane % WIDTH] = from[sample % SAMPLES];
        }
    }

    /// The length of the translation in a sample, metres.
    #[inline]
    pub(super) fn reach(&self, s: usize) -> f64 {
        self.reach[s % SAMPLES]
    }

    /// [`Self::reach`] in eight samples from `start`.
    #[inline(always)]
    pub(super) fn reaches(&self, start: usize) -> Lane {
        *self.reach[start..].first_chunk().expect("eight samples of the block")
    }

    /// The size of a pair of cores in a sample, metres.
    #[inline]
    pub(super) fn size(&self, a: &Polyhedron, b: &Polyhedron, growth: f64, s: usize) -> f64 {
        size_of(a, b, growth, self.reach(s))
    }

    /// Returns those of the samples asked for that are the ones before them, in every bit.
    #[inline]
    pub(super) fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Returns those of the samples asked for that are finite in all components.
    #[inline]
    pub(super) fn finite(&self) -> u64 {
        self.finite
    }
}

impl Default for RelativeLanes {
    fn default() -> Self {
        Self { components: [[0.0; SAMPLES]; 12], reach: [0.0; SAMPLES], finite: 0, repeats: 0 }
    }
}

/// The relative poses of a walk: bit for bit those of [`RelativePose::between`].
pub(super) struct RelativePoses<'a> {
    poses: [BodyPoses<'a>; 2],
    pub(super) lanes: Option<&'a RelativeLanes>,
}

impl<'a> RelativePoses<'a> {
    /// Computes the poses of the set samples of a block; `lanes` is overwritten.
    pub(super) fn new(a: BodyPoses<'a>, b: BodyPoses<'a>, samples: u64, lanes: &'a mut RelativeLanes) -> Self {
        if samples.count_ones() < FEW {
            return Self { poses: [a, b], lanes: None };
        }
        match (a, b) {
            (BodyPoses::Moving(a), BodyPoses::Moving(b)) => fill(a, b, samples, lanes),
            (BodyPoses::Moving(a), BodyPoses::Fixed(b)) => fill(a, &spread(b), samples, lanes),
            (BodyPoses::Fixed(a), BodyPoses::Moving(b)) => fill(&spread(a), b, samples, lanes),
            (BodyPoses::Fixed(a), BodyPoses::Fixed(b)) => fill(&spread(a), &spread(b), samples, lanes),
        }
        Self { poses: [a, b], lanes: Some(lanes) }
    }

    /// Returns the relative pose in one sample.
    #[inline]
    pub(super) fn at(&self, sample: usize) -> RelativePose<f64> {
        match &self.lanes {
            Some(lanes) => lanes.at(sample),
            None => RelativePose::between(&self.poses[0].at(sample), &self.poses[1].at(sample)),
        }
    }

    /// How far a point of B within `radius` (metres) of its origin may move in A's frame from a
    /// sample to the next of `later`, and at most to any of them, metres; infinitely far to the
    /// next if there is none.
    pub(super) fn motions(&self, sample: usize, later: u64, radius: f64) -> [f64; 2] {
        let here = self.at(sample);
        let (mut left, mut next, mut most) = (later, None, 0.0_f64);
        while left != 0 {
            let motion = self.at(left.trailing_zeros() as usize).motion(&here, radius);
            left &= left - 1;
            next = next.or(Some(motion));
            most = most.max(motion);
        }
        [next.unwrap_or(f64::INFINITY), most]
    }
}

/// Spreads a pose to all lanes.
fn spread(pose: &Pose) -> [SampleColumn; 10] {
    let (p, q, r) = (pose.position, pose.q, pose.rest);
    [p.x, p.y, p.z, q[0], q[1], q[2], q[3], r.x, r.y, r.z].map(|value| SampleColumn([value; SAMPLES]))
}

/// The pose in a lane, from the components of a slot.
#[inline(always)]
pub(super) fn pose_of(c: &[Lane; 10], k: usize) -> Pose {
    Pose {
        position: Vec3 { x: c[0][k], y: c[1][k], z: c[2][k] },
        q: [c[3][k], c[4][k], c[5][k], c[6][k]],
        rest: Vec3 { x: c[7][k], y: c[8][k], z: c[9][k] },
    }
}

#[inline(always)]
fn fill_body(a: &[SampleColumn; 10], b: &[SampleColumn; 10], samples: u64, out: &mut RelativeLanes) {
    (out.finite, out.repeats) = (0, 0);
    for start in (0..SAMPLES).step_by(WIDTH) {
        if samples >> start & 0xff != 0 {
            fill_eight(a, b, start, out);
            out.repeats |= repeats(start, out);
        }
    }
    out.repeats &= samples & samples << 1;
}

/// Returns those of eight samples that are the ones before them, in every bit, if these are filled,
/// too.
#[inline(always)]
fn repeats(start: usize, out: &RelativeLanes) -> u64 {
    // Nothing repeats mostly, and one component shows that.
    let mut same = same_bits(&out.components[9], start);
    if same != 0 {
        for component in &out.components {
            same &= same_bits(component, start);
        }
    }
    same
}

/// Returns those of eight samples (bits) in which a component has the bits of the sample before.
#[inline(always)]
fn same_bits(component: &[f64; SAMPLES], start: usize) -> u64 {
    let mut same = 0;
    for s in start.max(1)..start + WIDTH {
        same |= u64::from(component[s].to_bits() == component[s - 1].to_bits()) << s;
    }
    same
}

#[inline(always)]
fn fill_eight(a: &[SampleColumn; 10], b: &[SampleColumn; 10], start: usize, out: &mut RelativeLanes) {
    let mut finite = [0_u64; WIDTH];
    for s in start..start + WIDTH {
        let pose = |c: &[SampleColumn; 10]| Pose {
            position: Vec3 { x: c[0].0[s], y: c[1].0[s], z: c[2].0[s] },
            q: [c[3].0[s], c[4].0[s], c[5].0[s], c[6].0[s]],
            rest: Vec3 { x: c[7].0[s], y: c[8].0[s], z: c[9].0[s] },
        };
        let relative = RelativePose::<f64>::between(&pose(a), &pose(b));
        for (row, r) in relative.r.iter().enumerate() {
            out.components[3 * row][s] = r.x;
            out.components[3 * row + 1][s] = r.y;
            out.components[3 * row + 2][s] = r.z;
        }
        out.components[9][s] = relative.t.x;
        out.components[10][s] = relative.t.y;
        out.components[11][s] = relative.t.z;
        out.reach[s] = relative.t.length();
        // Zero times a number that is not finite is NaN.
        let [x, y, z] = relative.r.map(|r| r.x * 0.0 + r.y * 0.0 + r.z * 0.0);
        let zero = x + y + z + (relative.t.x * 0.0 + relative.t.y * 0.0 + relative.t.z * 0.0);
        finite[s - start] = u64::from(zero == 0.0) << s;
    }
    for finite in finite {
        out.finite |= finite;
    }
}

dispatch!(loops fill_wide, fill_body, (a: &[SampleColumn; 10], b: &[SampleColumn; 10], samples: u64, out: &mut RelativeLanes) -> ());

/// The lanes of two slots (ten components each).
fn fill(a: &[SampleColumn], b: &[SampleColumn], samples: u64, out: &mut RelativeLanes) {
    let (Some(a), Some(b)) = (a.first_chunk(), b.first_chunk()) else { return };
    fill_wide(a, b, samples, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_the_single_poses_bit_for_bit() {
        let mut state = 3_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut slot =
            || -> [SampleColumn; 10] { std::array::from_fn(|_| SampleColumn(std::array::from_fn(|_| next()))) };
        let (a, b) = (slot(), slot());
        let fixed = BodyPoses::Moving(&b).at(5);
        for other in [BodyPoses::Moving(&b), BodyPoses::Fixed(&fixed)] {
            for (first, second) in [(BodyPoses::Moving(&a), other), (other, BodyPoses::Moving(&a))] {
                let mut lanes = RelativeLanes::default();
                let all = RelativePoses::new(first, second, u64::MAX, &mut lanes);
                assert!(all.lanes.is_some());
                for s in 0..SAMPLES {
                    let single = RelativePose::<f64>::between(&first.at(s), &second.at(s));
                    let bits =
                        |p: &RelativePose<f64>| [p.r[0], p.r[1], p.r[2], p.t].map(|v| v.to_array().map(f64::to_bits));
                    assert_eq!(bits(&all.at(s)), bits(&single), "sample {s}");
                }
            }
        }
    }
}
