//! Caches of a pair from sample to sample: remembered indices, and apart from them values learned
//! for speed (`learned.rs`). No row depends on either.

use super::epa::Surface;
use super::feature::FeaturePair;
use super::gjk::Simplex;
use super::learned::Learned;
use super::mesh::MeshPairMemory;
use super::pair::Pair;
use super::visited_pairs::VisitedPairs;
use clearsweep_geometry::Polyhedron;
use clearsweep_model::Proximity;
use clearsweep_model::QueryOptions;

/// Cache of a pair of bodies: one for their hulls, and one for each pair of pieces that was visited
/// lately.
#[derive(Debug, Clone, Default)]
pub struct PairCache {
    pub(super) hulls: PieceCache,
    /// Memory of the pieces, if one of the bodies has several.
    pub(super) compound: Option<Box<CompoundMemory>>,
    /// Memory of the surfaces, if one of the bodies is a mesh.
    pub(super) meshes: Option<Box<MeshPairMemory>>,
    /// Answer of the bodies, if they were at rest when last asked.
    pub(super) resting: Option<Box<RestingAnswer>>,
}

impl PairCache {
    /// Bytes that it takes, with what it points to.
    pub fn bytes(&self) -> usize {
        let resting = self.resting.as_ref().map_or(0, |_| size_of::<RestingAnswer>());
        let compound = self
            .compound
            .as_ref()
            .map_or(0, |memory| size_of::<CompoundMemory>() + memory.here.bytes() + memory.moved.bytes());
        let meshes = self.meshes.as_ref().map_or(0, |memory| memory.bytes());
        size_of::<Self>() + self.hulls.surface_bytes() + compound + meshes + resting
    }
}

/// Memory of a pair of bodies of several pieces.
#[derive(Debug, Clone, Default)]
pub(super) struct CompoundMemory {
    /// Memory of the bodies at their poses.
    pub(super) here: TreeMemory,
    /// Memory of the bodies moved apart, to bound a depth.
    pub(super) moved: TreeMemory,
    /// The nearest pieces.
    pub(super) nearest: Option<[u32; 2]>,
    /// The least gap that the last search proved of what it left out, metres.
    pub(super) gap: f64,
    /// Whether the bodies were beyond the cut-off when last asked.
    pub(super) apart: bool,
}

/// Memory of the pairs that a search through the trees of two bodies visits.
#[derive(Debug, Clone, Default)]
pub(super) struct TreeMemory {
    /// Caches of pairs of pieces.
    pub(super) pieces: VisitedPairs<PieceCache>,
    /// Simplices at which the search for a gap of the hulls of two nodes ended.
    pub(super) nodes: VisitedPairs<Simplex>,
}

impl TreeMemory {
    fn bytes(&self) -> usize {
        self.pieces.bytes(PieceCache::surface_bytes) + self.nodes.bytes(|_| 0)
    }
}

/// The bits of the poses of two bodies.
pub(super) type RestingPoses = [[u64; 10]; 2];

/// The answer of a pair of bodies that rest.
#[derive(Debug, Clone)]
pub(super) struct RestingAnswer {
    /// Identity of the bodies ([`Polyhedron::identity`] of their hulls, and the bits of the radii),
    /// and the options asked with.
    pub(super) of: ([[u64; 2]; 2], QueryOptions),
    /// The poses at which they rest.
    pub(super) poses: RestingPoses,
    /// The row; none where they are farther apart than the cut-off by less than what would prove
    /// that.
    pub(super) row: Option<Proximity>,
}

/// Cache of a pair of pieces.
#[derive(Debug, Clone, Default)]
pub struct PieceCache {
    memory: FeatureMemory,
    /// Values learned for speed.
    pub(super) learned: Learned,
}

/// Memory of a pair of pieces: indices only.
#[derive(Debug, Clone, Default)]
struct FeatureMemory {
    /// Vertices, edges and faces of both cores: a memory of other geometry is dropped, its indices
    /// mean nothing here.
    of: [u32; 6],
    features: Option<FeaturePair>,
    simplex: Simplex,
    surface: Option<Box<Surface>>,
    /// Features of a second facet of the surface at the depth of the first.
    rival: Option<FeaturePair>,
}

impl PieceCache {
    /// Bytes of the remembered surface.
    fn surface_bytes(&self) -> usize {
        self.memory.surface.as_ref().map_or(0, |_| size_of::<Surface>())
    }

    /// Forgets what was remembered of cores of other counts.
    #[inline]
    pub(super) fn belong_to(&mut self, a: &Polyhedron, b: &Polyhedron) {
        let of = counts(a, b);
        // Element-wise: a wide load right after narrow stores defeats store forwarding.
        if (0..of.len()).any(|i| self.memory.of[i] != of[i]) {
            *self = Self { memory: FeatureMemory { of, ..FeatureMemory::default() }, ..Self::default() };
        }
    }

    /// The remembered features of the cores it belongs to.
    #[inline]
    pub(super) fn features(&self) -> Option<FeaturePair> {
        self.memory.features
    }

    /// Remembers features, or forgets them.
    #[inline]
    pub(super) fn set_features(&mut self, features: Option<FeaturePair>) {
        self.memory.features = features;
    }

    /// Returns the simplex from which a search would start.
    #[inline]
    pub(super) fn simplex(&self) -> &Simplex {
        &self.memory.simplex
    }

    /// Remembers the end of a search.
    #[inline]
    pub(super) fn set_simplex(&mut self, simplex: Simplex) {
        self.memory.simplex = simplex;
    }

    /// Remembers features that were tracked; a search that is not V-Clip would start from a vertex
    /// of each.
    #[inline]
    pub(super) fn follow(&mut self, a: &Polyhedron, b: &Polyhedron, features: FeaturePair) {
        self.memory.features = Some(features);
        self.memory.simplex.pairs[0] = [features.a.first_vertex(a), features.b.first_vertex(b)];
        self.memory.simplex.count = 1;
    }

    /// Remembers what V-Clip found from `start`.
    #[inline]
    pub(super) fn found(&mut self, pair: &Pair<'_, f64>, start: FeaturePair, found: FeaturePair) {
        self.learned.features_changed = found != start;
        self.follow(pair.a, pair.b, found);
    }

    /// Whether a search from feature to feature comes before the proof of the remembered features:
    /// it left them in the last query, or nothing was remembered (`cold`). Features left once are
    /// likely to be left again, and V-Clip tells so at less than half the price of their proof.
    /// Asked once.
    #[inline]
    pub(super) fn is_searched_first(&mut self, cold: bool) -> bool {
        (self.learned.take_features_changed() || cold) && self.memory.surface.is_none()
    }

    /// The remembered surface around an overlap.
    #[inline]
    pub(super) fn surface(&self) -> Option<&Surface> {
        self.memory.surface.as_deref()
    }

    /// Takes the remembered surface out.
    #[inline]
    pub(super) fn take_surface(&mut self) -> Option<Box<Surface>> {
        self.memory.surface.take()
    }

    /// Remembers a surface, and the features of a second facet at the depth of the first.
    #[inline]
    pub(super) fn set_surface(&mut self, surface: Box<Surface>, rival: Option<FeaturePair>) {
        (self.memory.surface, self.memory.rival) = (Some(surface), rival);
    }

    /// The features of a second facet at the depth of the first, as the surface was made.
    #[inline]
    pub(super) fn rival(&self) -> Option<FeaturePair> {
        self.memory.rival.filter(|_| self.memory.surface.is_some())
    }

    /// Remembers which of two facets at equal depths is the second.
    #[inline]
    pub(super) fn set_rival(&mut self, rival: FeaturePair) {
        self.memory.rival = Some(rival);
    }
}

/// Counts of vertices, edges and faces of both cores.
#[inline]
fn counts(a: &Polyhedron, b: &Polyhedron) -> [u32; 6] {
    let counts = |p: &Polyhedron| [p.count as u32, p.edges.len() as u32, p.face_count() as u32];
    let ([a, b, c], [d, e, f]) = (counts(a), counts(b));
    [a, b, c, d, e, f]
}
