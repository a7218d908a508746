//! Bodies at rest: where the relative pose of a pair is bit for bit that of the sample before, so
//! is the answer.
//!
//! A row that was proven in `f64` is a function of the relative pose. Rows of the rungs below read
//! the poses in the world, so these have to repeat for them. The memory of a pair at rest is
//! compared with the poses in the world, too.

use crate::cache::{RestingAnswer, RestingPoses};
use crate::culling::in_turn;
use crate::query::PairQuery;
use crate::relative::RelativePoses;
use crate::solver_stats::SolverStats;
use clearsweep_geometry::Pose;
use clearsweep_model::QueryOptions;
use clearsweep_model::{Method, Proximity};

/// The samples of a query in which nothing moves.
pub(crate) struct AtRest<'a> {
    query: &'a PairQuery<'a>,
    options: &'a QueryOptions,
    /// Bit `s`: the relative pose of sample `s` is that of sample `s - 1`.
    repeats: u64,
    /// The last sample that was settled, and its row if it has one.
    last: Option<(usize, Option<Proximity>)>,
}

/// The bits of a pose.
fn bits(pose: &Pose) -> [u64; 10] {
    let ([x, y, z], [u, v, w], [a, b, c, d]) = (pose.position.to_array(), pose.rest.to_array(), pose.q);
    [x, y, z, u, v, w, a, b, c, d].map(f64::to_bits)
}

/// The poses of both bodies in a sample.
fn poses(query: &PairQuery<'_>, sample: usize) -> RestingPoses {
    [bits(&query.poses_a.at(sample)), bits(&query.poses_b.at(sample))]
}

impl<'a> AtRest<'a> {
    pub(crate) fn new(query: &'a PairQuery<'a>, options: &'a QueryOptions, relative: &RelativePoses<'_>) -> Self {
        let repeats = relative.lanes.map_or(0, |lanes| lanes.repeats());
        Self { query, options, repeats, last: None }
    }

    /// Answers the first of the samples `left` and those that repeat it from what is remembered:
    /// which of them.
    #[inline]
    pub(crate) fn resume(
        &mut self,
        remembered: Option<&RestingAnswer>,
        left: u64,
        stats: &mut SolverStats,
        out: &mut Vec<Proximity>,
    ) -> u64 {
        let sample = left.trailing_zeros() as usize;
        let is_same = |answer: &&RestingAnswer| {
            left != 0 && answer.poses == poses(self.query, sample) && self.is_asked_for(&answer.of)
        };
        let Some(answer) = remembered.filter(is_same) else { return 0 };
        let first = left & left.wrapping_neg();
        out.extend(answer.row.map(|row| Proximity { sample: sample as u8, ..row }));
        stats.repeated += 1;
        first | self.repeated(sample, answer.row, left & !first, stats, out)
    }

    /// Whether these are the bodies and the options.
    fn is_asked_for(&self, (bodies, options): &([[u64; 2]; 2], QueryOptions)) -> bool {
        options == self.options && self.bodies() == *bodies
    }

    /// Returns the identities of the hulls and the bits of their radii: they tell the bodies apart
    /// from all others.
    fn bodies(&self) -> [[u64; 2]; 2] {
        [self.query.a, self.query.b].map(|body| [body.hull().core.identity(), body.hull().radius.to_bits()])
    }

    /// Records the row of a sample, or that it has none, and answers the samples in turn after it,
    /// of the samples `left`, that repeat it: which of them.
    #[inline]
    pub(crate) fn repeated(
        &mut self,
        sample: usize,
        row: Option<Proximity>,
        left: u64,
        stats: &mut SolverStats,
        out: &mut Vec<Proximity>,
    ) -> u64 {
        self.last = Some((sample, row));
        if left & self.repeats & 2_u64.wrapping_shl(sample as u32) == 0 {
            return 0;
        }
        self.copy(sample, row, left, stats, out)
    }

    #[inline(never)]
    fn copy(
        &mut self,
        sample: usize,
        row: Option<Proximity>,
        left: u64,
        stats: &mut SolverStats,
        out: &mut Vec<Proximity>,
    ) -> u64 {
        let mut run = in_turn(left, self.repeats);
        if row.is_some_and(|row| row.method != Method::Strict) {
            let at = poses(self.query, sample);
            let rests = |s: &usize| run >> s & 1 == 0 || poses(self.query, *s) == at;
            let end = (sample + 1..64).find(|s| !rests(s)).unwrap_or(64);
            run &= ((1_u128 << end) - 1) as u64;
        }
        let mut samples = run;
        while samples != 0 {
            let s = samples.trailing_zeros() as usize;
            samples &= samples - 1;
            out.extend(row.map(|row| Proximity { sample: s as u8, ..row }));
            self.last = Some((s, row));
        }
        stats.repeated += u64::from(run.count_ones());
        run
    }

    /// Remembers the answer of the last sample if the bodies came to rest there; else forgets.
    pub(crate) fn remember(self, memory: &mut Option<Box<RestingAnswer>>) {
        let end = 63 - self.query.samples.leading_zeros() as usize % 64;
        let answer = match self.last {
            Some((sample, row)) if sample == end && self.repeats >> sample & 1 == 1 => {
                RestingAnswer { of: (self.bodies(), *self.options), poses: poses(self.query, sample), row }
            }
            _ => {
                *memory = None;
                return;
            }
        };
        match memory {
            Some(memory) => **memory = answer,
            None => *memory = Some(Box::new(answer)),
        }
    }
}
