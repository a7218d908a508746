//! The features of both bodies on the supporting planes of a direction, and their pairs in the order of the tie rule.

use super::directions::{features_on_plane, near_plane};
use super::prefilter::Prefilter;
use crate::geometry::{Polyhedron, Vec3};
use crate::narrow::feature::{Feature, FeaturePair};
use crate::narrow::pair::Pair;

/// Vertices, edges and faces of A and of B near the planes, each ascending.
pub(in crate::narrow) struct Plane {
    pub(super) on: [Vec<u32>; 2],
    pub(super) edges: [Vec<u32>; 2],
    pub(super) faces: [Vec<u32>; 2],
}

impl Plane {
    /// The features within `tolerance` (metres) of the supporting planes along the unit vector `n`.
    pub(super) fn new(pair: &Pair<'_, f64>, n: Vec3<f64>, tolerance: f64) -> Self {
        let on_a = near_plane(pair.a, n, tolerance);
        let on_b = near_plane(pair.b, -pair.pose.inverse_vector(n), tolerance);
        Self::of((pair.a, pair.b), [on_a, on_b])
    }

    /// The features of both bodies among their vertices `on` the planes (each ascending).
    pub(in crate::narrow) fn of((a, b): (&Polyhedron, &Polyhedron), on: [Vec<u32>; 2]) -> Self {
        let (edges_a, faces_a) = features_on_plane(a, &on[0]);
        let (edges_b, faces_b) = features_on_plane(b, &on[1]);
        Self { on, edges: [edges_a, edges_b], faces: [faces_a, faces_b] }
    }

    /// The lowest vertex of each body.
    pub(in crate::narrow) fn first(&self) -> [u32; 2] {
        self.on.each_ref().map(|on| on.first().copied().unwrap_or(0))
    }

    /// Whether a single vertex of each body is near.
    pub(super) fn is_single(&self) -> bool {
        self.on[0].len() + self.on[1].len() <= 2
    }

    /// How many feature pairs there are of all kinds.
    pub(super) fn count(&self) -> usize {
        let [(v, e, f), (w, g, h)] = [0, 1].map(|k| (self.on[k].len(), self.edges[k].len(), self.faces[k].len()));
        f * w + v * h + e * g + e * w + v * g + v * w
    }

    /// Feature pairs of a kind, in the order of the tie rule: 0 FV, 1 VF, 2 EE, 3 EV, 4 VE, 5 VV.
    pub(in crate::narrow) fn candidates(&self, kinds: usize) -> impl Iterator<Item = FeaturePair> + '_ {
        let ((of_a, kind_a), (of_b, kind_b)) = self.lists(kinds);
        of_a.iter().flat_map(move |&i| of_b.iter().map(move |&j| FeaturePair { a: kind_a(i), b: kind_b(j) }))
    }

    /// As [`Self::candidates`], with what the prefilter says of each.
    pub(super) fn sieved<'s>(
        &'s self,
        prefilter: &'s Prefilter,
        kinds: usize,
    ) -> impl Iterator<Item = (FeaturePair, bool)> + 's {
        let ((of_a, kind_a), (of_b, kind_b)) = self.lists(kinds);
        let pairs = move |(i, &a): (usize, &'s u32)| {
            let one = move |(j, &b): (usize, &u32)| {
                (FeaturePair { a: kind_a(a), b: kind_b(b) }, prefilter.keeps(kinds, i, j))
            };
            of_b.iter().enumerate().map(one)
        };
        of_a.iter().enumerate().flat_map(pairs)
    }

    /// The features of A and of B that pairs of a kind are made of.
    fn lists(&self, kinds: usize) -> (Listed<'_>, Listed<'_>) {
        let of_a: Listed<'_> = match kinds {
            0 => (&self.faces[0], Feature::face),
            2 | 3 => (&self.edges[0], Feature::edge),
            _ => (&self.on[0], Feature::vertex),
        };
        let of_b: Listed<'_> = match kinds {
            1 => (&self.faces[1], Feature::face),
            2 | 4 => (&self.edges[1], Feature::edge),
            _ => (&self.on[1], Feature::vertex),
        };
        (of_a, of_b)
    }
}

/// Indices, and what they are indices of.
type Listed<'a> = (&'a [u32], fn(u32) -> Feature);
