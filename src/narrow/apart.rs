//! Samples that need no question, since the bodies are still apart: eight of them at a time.
//!
//! A gap that was proven at one pose outlasts the motion for a while. And where bodies are beyond the cut-off, the direction
//! that showed it, turned along with the line between them, mostly shows it again: a gap of supporting planes is a proof
//! whatever the direction.

use super::PairQuery;
use super::pair::{bound_of, size_of};
use super::relative::{RelativeLanes, RelativePoses};
use super::routes::Routes;
use super::rows::Rows;
use super::walk::{self, PROMISE};
use crate::geometry::{Polyhedron, RelativePose, Vec3};
use crate::scene::{QueryOptions, SAMPLES};
use crate::simd::{Lane, P3, Poses, Simd, V, WIDTH, dispatch};

/// Vertices of both cores up to which eight gaps along a direction cost less than the questions they save.
const VERTICES: usize = 400;

/// Square of a direction's length, before it is made a unit vector, below which it is not looked along.
const CANCELLED: f64 = 1e-20;

/// What is known of the distance of a pair in the samples to come. Sets of them: bit `s` for sample `s`.
///
/// The mask's order plays no part, and no row is lost: what is ruled out is beyond `within` on every way
/// (docs/numerics.md).
#[derive(Clone)]
pub(super) struct Apart<'a> {
    poses: &'a RelativePoses<'a>,
    /// The hulls of the bodies, which are the bodies if they are of one piece each.
    hulls: Rows<'a>,
    /// The circumradius of B, metres.
    radius: f64,
    /// A gap, metres, and the pose at which it was proven.
    proven: Option<Proven>,
    /// How far the direction to look along lies beside the unit vector between the origins, in A's frame.
    aside: Option<Vec3<f64>>,
    /// The samples looked at so far; those of them that the proven gap rules out, and those that a direction does.
    seen: u64,
    outlasted: u64,
    shown: u64,
}

/// A gap between the bodies, metres, and the pose at which it was proven.
type Proven = (f64, RelativePose<f64>);

/// Samples that are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stretch {
    /// To be asked.
    Open(u64),
    /// Ruled out by a gap that outlasts the motion.
    Outlasted(u64),
    /// Ruled out by a gap along a direction.
    Shown(u64),
}

impl<'a> Apart<'a> {
    /// Before the first sample. `aside`: as remembered, if the bodies were apart.
    pub(super) fn new(
        query: &PairQuery<'a>,
        options: &'a QueryOptions,
        poses: &'a RelativePoses<'a>,
        aside: Option<Vec3<f64>>,
    ) -> Self {
        let hulls = Rows::new(query, query.a.hull(), query.b.hull(), options);
        let aside = aside.filter(|_| options.within < f64::INFINITY);
        Self { poses, hulls, radius: query.b.radius, proven: None, aside, seen: 0, outlasted: 0, shown: 0 }
    }

    /// What is worth remembering: `None` where the bodies are near.
    pub(super) fn aside(&self) -> Option<Vec3<f64>> {
        self.aside
    }

    /// Takes note of a gap (metres) between the bodies at a pose, and of the direction along which it was found.
    pub(super) fn beyond(&mut self, gap: f64, at: RelativePose<f64>, normal: Option<Vec3<f64>>) {
        let aside = normal.map(|normal| normal - at.t.normalized());
        (self.proven, self.aside) = (Some((gap, at)), aside.or(self.aside).or(Some(Vec3::ZERO)));
        (self.seen, self.outlasted, self.shown) = (0, 0, 0);
    }

    /// Takes note of a row.
    #[inline(always)]
    pub(super) fn near(&mut self) {
        (self.proven, self.aside) = (None, None);
    }

    /// The first of the samples and those in turn after it that are like it: to be asked, or (`Err`) ruled out, and counted.
    #[inline(always)]
    pub(super) fn next(&mut self, samples: u64, routes: &mut Routes) -> Result<u64, u64> {
        if self.proven.is_none() && self.aside.is_none() {
            return Ok(samples);
        }
        match self.stretch(samples) {
            Stretch::Open(stretch) => Ok(stretch),
            Stretch::Outlasted(stretch) => {
                routes.skipped += u64::from(stretch.count_ones());
                Err(stretch)
            }
            Stretch::Shown(stretch) => {
                routes.queries += u64::from(stretch.count_ones());
                routes.beyond += u64::from(stretch.count_ones());
                Err(stretch)
            }
        }
    }

    #[inline(never)]
    fn stretch(&mut self, samples: u64) -> Stretch {
        let first = samples & samples.wrapping_neg();
        let sample = first.trailing_zeros() as usize % SAMPLES;
        let Some(lanes) = self.poses.lanes else {
            let ruled_out = self.proven.is_some_and(|proven| self.outlasts(&proven, &self.poses.at(sample)));
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

    /// Which of the samples are ruled out, where there are many.
    pub(super) fn rules_out(&mut self, samples: u64) -> u64 {
        let Some(lanes) = self.poses.lanes.filter(|_| self.proven.is_some() || self.aside.is_some()) else { return 0 };
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
        if let Some(aside) = self.aside
            && open != 0
            && self.hulls.cores.iter().map(|core| core.count).sum::<usize>() <= VERTICES
        {
            self.shown |= u64::from(shown(&self.hulls, lanes, start, aside)) << start & open;
        }
    }

    #[inline]
    fn outlasts(&self, proven: &Proven, pose: &RelativePose<f64>) -> bool {
        let (left, needed) = self.left_at(proven, pose, pose.t.length());
        left > needed
    }

    /// What the motion leaves of the gap at a pose, and above what it rules that out, metres; `reach`: the length of the pose's
    /// translation, metres.
    #[inline(always)]
    fn left_at(&self, (gap, at): &Proven, pose: &RelativePose<f64>, reach: f64) -> (f64, f64) {
        let size = self.hulls.extent + reach;
        // The rounding of the motion is far below what the promised width leaves.
        (gap - pose.motion(at, self.radius), walk::beyond(self.hulls.options.within, 2.0 * size))
    }
}

/// Of a set of samples, those before the first that is not in `wanted`.
#[inline(always)]
pub(super) fn in_turn(samples: u64, wanted: u64) -> u64 {
    let open = samples & !wanted;
    samples & (open & open.wrapping_neg()).wrapping_sub(1)
}

#[inline(always)]
fn outlasted_body<S: Simd>(apart: &Apart<'_>, proven: &Proven, start: usize, lanes: &RelativeLanes) -> u8 {
    let c: [Lane; 12] = std::array::from_fn(|k| lanes.chunk(k, start));
    let reach: Lane = lanes.reaches(start);
    let (mut left, mut needed) = ([0.0; WIDTH], [0.0; WIDTH]);
    for k in 0..WIDTH {
        let row = |i: usize| Vec3 { x: c[i][k], y: c[i + 1][k], z: c[i + 2][k] };
        let pose = RelativePose { r: [row(0), row(3), row(6)], t: row(9) };
        (left[k], needed[k]) = apart.left_at(proven, &pose, reach[k]);
    }
    V::<S>::load(&left).gt(V::load(&needed)).bits()
}

dispatch!(outlasted, outlasted_body, (apart: &Apart<'_>, proven: &Proven, start: usize, lanes: &RelativeLanes) -> u8);

/// Bit `i`: in sample `start + i` the gap along the direction is proven to be beyond the cut-off on every way.
#[inline(always)]
fn shown_body<S: Simd>(rows: &Rows<'_>, lanes: &RelativeLanes, start: usize, aside: Vec3<f64>) -> u8 {
    let r: [Lane; 9] = std::array::from_fn(|k| lanes.chunk(k, start));
    let t: [Lane; 3] = std::array::from_fn(|k| lanes.chunk(9 + k, start));
    let pose = Poses::<S>::load(&r, &t);
    let reach: Lane = lanes.reaches(start);
    let length = V::load(&reach);
    let beside = P3::splat(aside);
    let d = P3 { x: pose.t.x / length, y: pose.t.y / length, z: pose.t.z / length } + beside;
    let length2 = d.dot(d);
    let n = d.scale(V::splat(1.0) / length2.sqrt());
    let [a, b] = rows.cores;
    let gap = n.dot(pose.t) - farthest(b, pose.inverse_vector(n).opposite()) - farthest(a, n);
    let (growth, mut needed) = (rows.growth(), [0.0; WIDTH]);
    for k in 0..WIDTH {
        let size = size_of(a, b, growth, reach[k]);
        needed[k] = rows.options.within + PROMISE * size + growth + bound_of::<f64>(size);
    }
    // Of vectors that nearly cancel the square may underflow, and then the direction is no unit vector.
    (gap.gt(V::load(&needed)) & length2.gt(V::splat(CANCELLED))).bits()
}

/// The largest `d . v` over all vertices.
#[inline(always)]
fn farthest<S: Simd>(p: &Polyhedron, d: P3<S>) -> V<S> {
    let mut most = V::splat(f64::NEG_INFINITY);
    for ((&x, &y), &z) in p.x.iter().zip(&p.y).zip(&p.z).take(p.count) {
        most = P3::splat(Vec3 { x, y, z }).dot(d).larger(most);
    }
    most
}

dispatch!(shown, shown_body, (rows: &Rows<'_>, lanes: &RelativeLanes, start: usize, aside: Vec3<f64>) -> u8);

#[cfg(test)]
mod tests;
