//! The searches from feature to feature, V-Clip and Lin-Canny, behind one call: the pair solver and
//! the batches use either.

use super::feature::FeaturePair;
use super::lin_canny::{self, LinCannyResult};
use super::pair::Pair;
use super::search::SearchEnd;
use super::solver_stats::SolverStats;
use super::vclip::{self, VClipResult};
use clearsweep_base::simd::Simd;
use clearsweep_geometry::planes::Planes;
use clearsweep_geometry::{Polyhedron, RelativePose};

/// Method of a search from feature to feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FeatureSearch {
    /// V-Clip.
    VClip,
    /// Lin-Canny.
    LinCanny,
}

/// Result of a search from feature to feature.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundFeatures {
    /// End of the search.
    pub(super) end: SearchEnd,
    /// The features at the end.
    pub(super) features: FeaturePair,
    /// States visited.
    iterations: u32,
}

impl FeatureSearch {
    /// Searches from `start`, and counts.
    #[inline(always)]
    pub(super) fn search(self, pair: &Pair<'_, f64>, start: FeaturePair, stats: &mut SolverStats) -> FoundFeatures {
        let found = match self {
            Self::VClip => vclip::search(pair, start).into(),
            Self::LinCanny => lin_canny::search(pair, start).into(),
        };
        self.count(&found, stats);
        found
    }

    /// [`Self::search`], inlined into code that was compiled for a level; of cores with their
    /// planes at a relative pose.
    #[inline(always)]
    pub(super) fn search_at<S: Simd>(
        self,
        cores: [&Polyhedron; 2],
        planes: [&Planes; 2],
        pose: &RelativePose<f64>,
        start: FeaturePair,
        stats: &mut SolverStats,
    ) -> FoundFeatures {
        let found = match self {
            Self::VClip => vclip::search_at::<S>(cores, planes, pose, start).into(),
            Self::LinCanny => lin_canny::search_at(cores, planes, pose, start).into(),
        };
        self.count(&found, stats);
        found
    }

    #[inline(always)]
    fn count(self, found: &FoundFeatures, stats: &mut SolverStats) {
        let steps = match self {
            Self::VClip => &mut stats.vclip_steps,
            Self::LinCanny => &mut stats.lin_canny_steps,
        };
        *steps += u64::from(found.iterations);
        stats.cycles += u64::from(found.end == SearchEnd::Cycle);
    }

    /// The steps counted so far.
    #[inline(always)]
    pub(super) fn steps(self, stats: &SolverStats) -> u64 {
        match self {
            Self::VClip => stats.vclip_steps,
            Self::LinCanny => stats.lin_canny_steps,
        }
    }
}

impl From<VClipResult> for FoundFeatures {
    #[inline(always)]
    fn from(found: VClipResult) -> Self {
        let VClipResult { end, features, iterations } = found;
        Self { end, features, iterations }
    }
}

impl From<LinCannyResult> for FoundFeatures {
    fn from(found: LinCannyResult) -> Self {
        let LinCannyResult { end, features, iterations, .. } = found;
        Self { end, features, iterations }
    }
}
