//! The front of a search through two trees: the nearest pairs of leaves at one pose, each with a
//! bound. At a later pose the motion since rules out pairs without a test of boxes (generalized
//! front tracking: Ehmann and Lin 2001; docs/reference/numerics.md, "Triangle meshes").

use super::place::MeshPlace;
use clearsweep_geometry::RelativePose;
use clearsweep_geometry::mesh::NodeId;

/// Least and greatest number of remembered pairs of leaves; between, the nodes compared.
pub(super) const FEW_PAIRS: usize = 1 << 11;
pub(super) const MOST_PAIRS: usize = 1 << 15;

/// Pairs of nodes that a search compares before its front is worth collecting.
const MANY_NODES: usize = 512;

/// Searches that a front serves at least.
const FEW_USES: u32 = 4;

/// Most searches that pass before another front is collected, after useless ones.
const LONGEST_WAIT: u32 = 64;

/// A lower bound of the distance of a leaf of A and one of B, metres, and the leaves.
pub(super) type FrontPair = (f64, [NodeId; 2]);

/// Bounds that were proven of two meshes at one pose.
#[derive(Debug, Clone, Default)]
pub(super) struct MeshFront {
    /// Identities of the meshes.
    pub(super) of: [u64; 2],
    /// The pose, and what a computed distance may be off there, metres.
    pub(super) at: Option<(RelativePose<f64>, f64)>,
    /// Leaves of A and of B, and how far apart they are at least, metres: ascending.
    pub(super) pairs: Vec<FrontPair>,
    /// All other triangles are at least this far apart, metres.
    pub(super) reach: f64,
    /// Reach beyond the limit of the search, metres.
    pub(super) skin: f64,
    /// Pairs of nodes that a search from the roots compared.
    pub(super) cost: usize,
    /// Searches that began from it; pairs of the first one, and additional pairs of all others.
    pub(super) used: u32,
    first: usize,
    stale: usize,
    /// Searches to let pass before the next is collected, and how many it will be if that one is of
    /// no use.
    wait: [u32; 2],
}

impl MeshFront {
    /// Bytes that it points to.
    pub(super) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<FrontPair>()
    }

    /// Bounds the motion of any point of B in A's frame since, plus the rounding of a bound there
    /// and here, metres; `None` if nothing is known of these meshes.
    pub(super) fn motion(&self, place: &MeshPlace<'_>) -> Option<f64> {
        let (at, error) = self.at.as_ref().filter(|_| self.of == identities(place))?;
        let motion = place.pose.motion(at, place.b.radius());
        let motion = motion + error + 2.0 * place.error();
        motion.is_finite().then_some(motion)
    }

    /// The pairs that may be within `reach` (metres) after a motion, if the front holds all of
    /// them; and how far all others are apart at least, metres.
    pub(super) fn within(&self, reach: f64, motion: f64) -> Option<(&[FrontPair], f64)> {
        if self.reach - motion <= reach {
            return None;
        }
        let count = self.pairs.partition_point(|pair| pair.0 - motion <= reach);
        let next = self.pairs.get(count).map_or(self.reach, |pair| pair.0);
        Some((&self.pairs[..count], next - motion))
    }

    /// Whether to collect a new front. `compared`: pairs of nodes compared by the last search;
    /// `began`: pairs of this front that it began from, if it did.
    pub(super) fn is_wanted(&mut self, compared: usize, began: Option<usize>) -> bool {
        if let Some(began) = began {
            if self.used == 0 {
                (self.first, self.stale) = (began, 0);
            }
            self.used += 1;
            self.stale += began.saturating_sub(self.first);
            self.wait = [0, 1];
            // Another one costs as many comparisons as the motion since has cost.
            return self.stale > self.cost && self.used > FEW_USES;
        }
        self.cost = compared;
        if self.at.take().is_some() && self.used < FEW_USES {
            self.wait = [self.wait[1], (2 * self.wait[1]).clamp(1, LONGEST_WAIT)];
        }
        self.pairs.clear();
        let waits = self.wait[0] > 0;
        self.wait[0] = self.wait[0].saturating_sub(1);
        compared > MANY_NODES && !waits
    }
}

/// Returns the identities of the meshes, which tell them apart from all others.
pub(super) fn identities(place: &MeshPlace<'_>) -> [u64; 2] {
    [place.a.identity(), place.b.identity()]
}

#[cfg(test)]
mod tests;
