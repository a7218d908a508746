//! Sources of deviations, and the number of pairs that rest on each.

use super::body::{Body, Motion};
use super::ignored_pairs::own_pairs;
use super::scene::Scene;

/// The source of a body's deviation, from the strongest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviationSource {
    /// The geometry is the body: a shape, or triangles that are stated to be the surface.
    Exact,
    /// A converter held the triangles against the faces that they stand for.
    Proven,
    /// Somebody stated a tolerance.
    Declared,
    /// Nobody stated how far the triangles of a file may lie from the true surface.
    Unknown,
}

impl DeviationSource {
    /// All of them, the strongest first.
    pub const ALL: [Self; 4] = [Self::Exact, Self::Proven, Self::Declared, Self::Unknown];

    /// The word of the scene file and of `bodies.parquet`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Proven => "proven",
            Self::Declared => "declared",
            Self::Unknown => "unknown",
        }
    }
}

impl Scene {
    /// Counts the pairs that are not ignored by the weaker source of both bodies, in the order of
    /// [`DeviationSource::ALL`]; pairs of static bodies count if they are looked at.
    #[doc(hidden)]
    pub fn pairs_by_deviation_source(&self) -> [u64; 4] {
        let static_pairs = self.query.static_pairs || self.dynamic.is_empty();
        let mut bodies = [[0_u64; 2]; 4];
        for body in &self.bodies {
            bodies[body.deviation_source as usize][usize::from(matches!(body.motion, Motion::Static(_)))] += 1;
        }
        // Pairs of bodies that are no weaker than a source, less those of stronger ones.
        let (mut pairs, mut stronger, mut members) = ([0; 4], 0, [0; 2]);
        for source in DeviationSource::ALL {
            let [dynamic, fixed] = bodies[source as usize];
            if dynamic + fixed == 0 {
                continue;
            }
            members = [members[0] + dynamic, members[1] + fixed];
            let is_counted = |body: &Body| body.deviation_source <= source;
            let ignored = self.ignored.count_ignored(&self.bodies, static_pairs, is_counted);
            let looked_at = own_pairs(members[0], members[1], static_pairs) - ignored;
            pairs[source as usize] = looked_at - stronger;
            stronger = looked_at;
        }
        pairs
    }
}
