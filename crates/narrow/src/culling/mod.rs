//! Culling: samples in which a pair is proven to be beyond the cut-off without a search, eight at a
//! time.
//!
//! - *Motion bound*: a gap that was proven at one pose, less how far the bodies can have moved
//!   towards each other since.
//! - *Axis*: the gap of the supporting planes along the direction that last showed one, turned
//!   along with the line between the origins. Such a gap is a proof whatever the direction.

use crate::pair::{bound_of, size_of};
use crate::query::PairQuery;
use crate::relative::{RelativeLanes, RelativePoses};
use crate::rows::RowTerms;
use crate::solve_outcome::beyond;
use crate::solver_stats::SolverStats;
use crate::support::max_dot_each;
use clearsweep_base::simd::{Simd, V, WIDTH, dispatch};
use clearsweep_geometry::{RelativePose, Scalar, Vec3};
use clearsweep_model::{QueryOptions, SAMPLES};

/// Vertices of both cores up to which eight gaps along a direction cost less than the questions
/// they save.
const VERTICES: usize = 400;

/// Square of a direction's length, before it is made a unit vector, below which it is not looked
/// along.
const CANCELLED: f64 = 1e-20;

/// Knowledge of the distance of a pair in the samples to come. Sets of them: bit `s` for sample
/// `s`.
///
/// The mask's order plays no part, and no row is lost: every sample ruled out is beyond `within` on
/// every way (docs/reference/numerics.md).
#[derive(Clone)]
pub(super) struct Culling<'a> {
    poses: &'a RelativePoses<'a>,
    /// The hulls of the bodies, which are the bodies if they are of one piece each.
    hulls: RowTerms<'a>,
    /// The circumradius of B, metres.
    radius: f64,
    /// A gap, metres, and the pose at which it was proven.
    proven: Option<Proven>,
    /// Direction to look along, less the unit vector between the origins, in A's frame.
    axis: Option<Vec3<f64>>,
    /// The samples looked at so far; those of them that the proven gap rules out, and those that a
    /// direction does.
    seen: u64,
    outlasted: u64,
    shown: u64,
}

/// A gap between the bodies, metres, and the pose at which it was proven.
type Proven = (f64, RelativePose<f64>);

/// Samples that are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stretch {
    /// Samples to be asked.
    Open(u64),
    /// Ruled out by a gap that outlasts the motion.
    Outlasted(u64),
    /// Ruled out by a gap along a direction.
    Shown(u64),
}

impl<'a> Culling<'a> {
    /// Before the first sample. `axis`: as remembered, if the bodies were apart.
    pub(super) fn new(
        query: &PairQuery<'a>,
        options: &'a QueryOptions,
        poses: &'a RelativePoses<'a>,
        axis: Option<Vec3<f64>>,
    ) -> Self {
        let hulls = RowTerms::new(query, query.a.hull(), query.b.hull(), options);
        let axis = axis.filter(|_| options.within < f64::INFINITY);
        Self { poses, hulls, radius: query.b.radius, proven: None, axis, seen: 0, outlasted: 0, shown: 0 }
    }

    /// Returns the axis worth remembering; `None` if the bodies are near.
    pub(super) fn axis(&self) -> Option<Vec3<f64>> {
        self.axis
    }

    /// Records a gap (metres) between the bodies at a pose, and its direction.
    pub(super) fn beyond(&mut self, gap: f64, at: RelativePose<f64>, normal: Option<Vec3<f64>>) {
        let axis = normal.map(|normal| normal - at.t.normalized());
        (self.proven, self.axis) = (Some((gap, at)), axis.or(self.axis).or(Some(Vec3::ZERO)));
        (self.seen, self.outlasted, self.shown) = (0, 0, 0);
    }

    /// Records that the bodies have a row.
    #[inline(always)]
    pub(super) fn near(&mut self) {
        (self.proven, self.axis) = (None, None);
    }

    /// The first of the samples and those in turn after it that are like it: to be asked, or
    /// (`Err`) ruled out, and counted.
    #[inline(always)]
    pub(super) fn next(&mut self, samples: u64, stats: &mut SolverStats) -> Result<u64, u64> {
        if self.proven.is_none() && self.axis.is_none() {
            return Ok(samples);
        }
        match self.stretch(samples) {
            Stretch::Open(stretch) => Ok(stretch),
            Stretch::Outlasted(stretch) => {
                stats.skipped += u64::from(stretch.count_ones());
                Err(stretch)
            }
            Stretch::Shown(stretch) => {
                stats.queries += u64::from(stretch.count_ones());
                stats.beyond += u64::from(stretch.count_ones());
                Err(stretch)
            }
        }
    }

    #[inline(never)]
    fn stretch(&mut self, samples: u64) -> Stretch {
        let first = samples & samples.wrapping_neg();
        let sample = first.trailing_zeros() as usize % SAMPLES;
        let Some(lanes) = self.poses.lanes else {
            let ruled_out = self.proven.is_some_and(|proven| {
                let pose = self.poses.at(sample);
                self.outlasts(&proven, &pose, pose.t.length())
            });
            return if ruled_out { Stretch::Outlasted(first) } else { Stretch::Open(first) };
        };
        if first & !self.seen != 0 {
            self.look(sample / WIDTH * WIDTH, samples, lanes);
        }
        match () {
            () if first & self.outlasted != 0 => Stretch::Outlasted(in_turn(samples, self.outlasted)),
            () if first & self.shown != 0 => Stretch::Shown(in_turn(samples, self.shown)),
            () => Stretch::Open(in_turn(samples, self.seen & !self.outlasted & !self.shown)),
        }
    }

    /// Returns those of the samples that are ruled out, if there are many.
    pub(super) fn rules_out(&mut self, samples: u64) -> u64 {
        let Some(lanes) = self.poses.lanes.filter(|_| self.proven.is_some() || self.axis.is_some()) else { return 0 };
        for start in (0..SAMPLES).step_by(WIDTH) {
            if samples & !self.seen & 0xff << start != 0 {
                self.look(start, samples, lanes);
            }
        }
        samples & (self.outlasted | self.shown)
    }

    /// Looks at eight samples, of which `samples` are asked for.
    fn look(&mut self, start: usize, samples: u64, lanes: &RelativeLanes) {
        self.seen |= 0xff << start;
        if let Some(proven) = &self.proven {
            self.outlasted |= u64::from(outlasted(self, proven, start, lanes)) << start;
        }
        let open = samples & !self.outlasted & 0xff << start;
        if let Some(axis) = self.axis
            && open != 0
            && self.hulls.cores.iter().map(|core| core.most_vertices()).sum::<usize>() <= VERTICES
        {
            self.shown |= u64::from(separated_along(&self.hulls, lanes, start, axis)) << start & open;
        }
    }

    /// Whether a proven gap, less the motion since, rules a pose out, in each lane. `reach`: the
    /// length of the pose's translation, metres.
    #[inline(always)]
    fn outlasts<T: Scalar>(&self, (gap, at): &Proven, pose: &RelativePose<T>, reach: T) -> T::Mask {
        let size = T::from_f64(self.hulls.extent) + reach;
        let left = T::from_f64(*gap) - pose.motion(&RelativePose::from_f64(at), self.radius);
        // The rounding of the motion is far below what the promised width leaves.
        left.gt(beyond(self.hulls.options.within, T::from_f64(2.0) * size))
    }
}

/// Returns those of a set of samples that come before the first not in `wanted`.
#[inline(always)]
pub(super) fn in_turn(samples: u64, wanted: u64) -> u64 {
    let open = samples & !wanted;
    samples & (open & open.wrapping_neg()).wrapping_sub(1)
}

/// Bit `i`: in sample `start + i` the proven gap outlasts the motion.
#[inline(always)]
fn outlasted_body<S: Simd>(culling: &Culling<'_>, proven: &Proven, start: usize, lanes: &RelativeLanes) -> u8 {
    let (r, t) = lanes.eight(start);
    let pose = RelativePose::<V<S>>::load(&r, &t);
    culling.outlasts(proven, &pose, V::load(&lanes.reaches(start))).bits()
}

dispatch!(outlasted, outlasted_body, (culling: &Culling<'_>, proven: &Proven, start: usize, lanes: &RelativeLanes) -> u8);

/// Bit `i`: in sample `start + i` the gap along the axis is proven to be beyond the cut-off on
/// every way.
#[inline(always)]
fn separated_along_body<S: Simd>(rows: &RowTerms<'_>, lanes: &RelativeLanes, start: usize, axis: Vec3<f64>) -> u8 {
    let (r, t) = lanes.eight(start);
    let pose = RelativePose::<V<S>>::load(&r, &t);
    let length = V::load(&lanes.reaches(start));
    let d = Vec3 { x: pose.t.x / length, y: pose.t.y / length, z: pose.t.z / length } + Vec3::from_f64(axis);
    let length2 = d.length2();
    let n = d.normalized();
    let [a, b] = rows.cores;
    let gap = n.dot(pose.t) - max_dot_each(b, -pose.inverse_vector(n)) - max_dot_each(a, n);
    let size = size_of(a, b, rows.growth(), length);
    let needed = rows.beyond(size) + bound_of::<V<S>>(size);
    // If vectors nearly cancel, the square may underflow: no unit vector results.
    (gap.gt(needed) & length2.gt(V::splat(CANCELLED))).bits()
}

dispatch!(separated_along, separated_along_body, (rows: &RowTerms<'_>, lanes: &RelativeLanes, start: usize, axis: Vec3<f64>) -> u8);

#[cfg(test)]
mod tests;
