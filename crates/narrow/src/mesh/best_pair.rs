//! The nearest pair of triangles so far, and the bound of the skipped pairs.

use super::pair_distance::{NearestTriangles, PairDistance, pair_distance};
use super::place::MeshPlace;

/// Result of a search.
#[derive(Debug, Clone, Copy)]
pub(super) enum SurfaceDistance {
    /// The surfaces are farther apart than the cut-off, at least by this, metres.
    Beyond(f64),
    /// They are apart.
    Apart(NearestTriangles),
    /// They cross, or are within [`MeshPlace::contact`]; with a pair of triangles that shows it.
    Touching([u32; 2]),
}

impl SurfaceDistance {
    /// The nearest triangles of surfaces that are apart, and not beyond the cut-off.
    pub(super) fn nearest(&self) -> Option<NearestTriangles> {
        if let Self::Apart(nearest) = self { Some(*nearest) } else { None }
    }

    /// No two points of the surfaces are nearer, metres.
    pub(super) fn lower(&self) -> f64 {
        match self {
            Self::Beyond(gap) => *gap,
            Self::Apart(nearest) => nearest.lower,
            Self::Touching(_) => 0.0,
        }
    }
}

/// The nearest pair of triangles of those compared.
pub(super) struct BestPair<'a> {
    place: &'a MeshPlace<'a>,
    /// Pairs farther apart are of no interest, metres.
    pub(super) limit: f64,
    pub(super) pair: Option<NearestTriangles>,
    /// All skipped pairs are at least this far apart, metres.
    pub(super) gap: f64,
    pub(super) touching: Option<[u32; 2]>,
    /// Number of pairs compared.
    pub(super) compared: usize,
}

impl<'a> BestPair<'a> {
    /// Creates a search without a pair. `cutoff`: metres; triangles that touch are found anyway.
    pub(super) fn new(place: &'a MeshPlace<'a>, cutoff: f64) -> Self {
        let limit = cutoff.max(place.contact());
        Self { place, limit, pair: None, gap: f64::INFINITY, touching: None, compared: 0 }
    }

    /// The distance beyond which pairs are left out, metres.
    #[inline(always)]
    pub(super) fn reach(&self) -> f64 {
        self.limit + self.place.slack()
    }

    /// Records that all skipped pairs are at least `gap` apart, metres.
    #[inline(always)]
    pub(super) fn leave_out(&mut self, gap: f64) {
        self.gap = self.gap.min(gap);
    }

    /// Compares two triangles.
    pub(super) fn compare(&mut self, a: u32, b: u32) {
        let far = self.reach();
        self.compared += 1;
        match pair_distance(self.place, [a, b], far) {
            PairDistance::Beyond(gap) => self.leave_out(gap),
            PairDistance::Touching => self.touching = Some([a, b]),
            PairDistance::Apart(pair) if pair.distance <= self.limit => self.take(pair),
            // Its planes are as far apart, less the width of a sharp bracket.
            PairDistance::Apart(pair) => self.leave_out(pair.distance - self.place.sharp()),
        }
    }

    /// Keeps the nearest pair, and of equally near ones the first by parts.
    fn take(&mut self, pair: NearestTriangles) {
        let parts = |[a, b]: [u32; 2]| [self.place.a.labels().part(a), self.place.b.labels().part(b)];
        let nearer = |best: &NearestTriangles| match pair.distance.total_cmp(&best.distance) {
            std::cmp::Ordering::Equal => {
                (parts(pair.triangles), pair.triangles) < (parts(best.triangles), best.triangles)
            }
            order => order.is_lt(),
        };
        if self.pair.as_ref().is_none_or(nearer) {
            self.limit = pair.distance;
            self.pair = Some(pair);
        }
    }

    /// The answer, its bracket as wide as a pair of triangles may leave it.
    pub(super) fn finish(&self, cutoff: f64) -> SurfaceDistance {
        let error = self.place.error();
        if let Some(triangles) = self.touching {
            return SurfaceDistance::Touching(triangles);
        }
        match self.pair {
            None => SurfaceDistance::Beyond((self.gap - error).max(0.0)),
            Some(best) => {
                debug_assert!(best.distance <= cutoff);
                let lower = best.distance - self.place.sharp() - error;
                SurfaceDistance::Apart(NearestTriangles { lower, upper: best.distance + error, ..best })
            }
        }
    }
}
