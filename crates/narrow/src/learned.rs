//! Values learned about a pair of pieces, and what they decide: which proposer of features comes
//! first. Every proposal is certified, so that no row depends on them.
//!
//! | decision | rule | asked by |
//! | --- | --- | --- |
//! | are the remembered features verified in several samples at once? | [`Learned::features_last`] | `batch/one_pair.rs` |
//! | are samples searched together before any is proven? | [`Learned::features_last_after`] | `batch/one_pair.rs` |
//! | does such a search start on the line between the origins? | [`Learned::starts_on_line`] | `batch/one_pair.rs` |
//! | does a search come before the proof of the remembered features? | [`Learned::take_features_changed`], by `PieceCache::is_searched_first` | `pair_solver.rs`, `batch/many_pairs.rs` |
//! | does the resolver come first? | [`Learned::take_depths_tie`] | `pair_solver.rs` |

use clearsweep_geometry::Vec3;

/// Samples through which features must stay optimal, on average, for their verification to cost
/// less than searches.
const LASTING: f32 = 3.0;

/// Mean number of samples for which features are taken to stay optimal before any change was seen.
const FIRST_LIFETIME: f32 = 8.0;

/// Weight of the last change in the mean.
const LAST_CHANGE: f32 = 0.25;

/// Steps of V-Clip a sample, from the features of the sample before, above which those from the
/// line may be fewer.
const MANY_STEPS: f32 = 2.8;

/// Cost of the start on the line, in steps of V-Clip.
const LINE: f32 = 0.4;

/// Factor by which a block reduces the steps last seen on the way not taken, so that this way is
/// tried again.
const FADING: f32 = 0.97;

/// Values learned about a pair of pieces, to choose the cheapest way to the same row.
#[derive(Debug, Clone)]
pub(super) struct Learned {
    /// Mean number of samples for which features stay optimal.
    mean_feature_lifetime: f32,
    /// Steps of V-Clip a sample, from the features of the sample before, and from the line between
    /// the bodies: as last seen, and less with each block since, so that the other way is tried
    /// again.
    vclip_steps: [f32; 2],
    /// Whether V-Clip left the remembered features in the last query.
    pub(super) features_changed: bool,
    /// Whether the cold resolver decided the last query as a tie of overlapping cores: it most
    /// likely decides the next, too.
    pub(super) depths_tie: bool,
    /// Axis along which a gap beyond the cut-off was last seen, less the unit vector between the
    /// origins, in A's frame; `None` if the bodies are near.
    pub(super) axis: Option<Vec3<f64>>,
}

impl Default for Learned {
    fn default() -> Self {
        Self {
            mean_feature_lifetime: FIRST_LIFETIME,
            vclip_steps: [0.0; 2],
            features_changed: false,
            depths_tie: false,
            axis: Some(Vec3::ZERO),
        }
    }
}

impl Learned {
    /// Whether features stay optimal for long.
    #[inline(always)]
    pub(super) fn features_last(&self) -> bool {
        self.mean_feature_lifetime > LASTING
    }

    /// Whether the mean lifetime is still long if the features change now, after `run` samples.
    #[inline(always)]
    pub(super) fn features_last_after(&self, run: f32) -> bool {
        self.lifetime_after(run) > LASTING
    }

    /// Records that the features change after `run` samples.
    #[inline(always)]
    pub(super) fn features_left(&mut self, run: f32) {
        self.mean_feature_lifetime = self.lifetime_after(run);
    }

    #[inline(always)]
    fn lifetime_after(&self, run: f32) -> f32 {
        (1.0 - LAST_CHANGE) * self.mean_feature_lifetime + LAST_CHANGE * run
    }

    /// Whether searches of many samples start on the line between the origins.
    #[inline(always)]
    pub(super) fn starts_on_line(&self) -> bool {
        let [by_features, by_line] = self.vclip_steps;
        by_features > MANY_STEPS && by_line + LINE < by_features
    }

    /// Records searches of many samples: their steps, and how often the features changed.
    #[inline(always)]
    pub(super) fn searched(&mut self, on_line: bool, steps: u64, samples: u32, changes: u16) {
        self.vclip_steps[usize::from(on_line)] = steps as f32 / samples.max(1) as f32;
        self.vclip_steps[usize::from(!on_line)] *= FADING;
        self.mean_feature_lifetime = samples as f32 / f32::from(changes.max(1));
    }

    /// Whether V-Clip left the remembered features in the last query: asked once.
    #[inline(always)]
    pub(super) fn take_features_changed(&mut self) -> bool {
        std::mem::take(&mut self.features_changed)
    }

    /// Whether the cold resolver decided the last query as a tie of overlapping cores: asked once.
    #[inline(always)]
    pub(super) fn take_depths_tie(&mut self) -> bool {
        std::mem::take(&mut self.depths_tie)
    }
}
