//! The features of both bodies on the supporting planes of a direction, and their pairs in the
//! order of the tie rule.

use super::closest_points::{distance_to_edge, inside_face};
use super::feature::{Feature, FeaturePair};
use super::pair::Pair;
use super::solve_outcome::PROMISE;
use super::support::{self, FeatureIndices};
use crate::feature::FeatureKind;
use clearsweep_geometry::polyhedron::NO_FACE;
use clearsweep_geometry::{Polyhedron, Vec3};

/// Distance of witness points from the features that are named, at most, in shares of the promise:
/// the rest is left to rounding.
const WITNESS: f64 = 0.75;

/// The vertices of A and of B on (or near) the supporting planes of a direction, each list
/// ascending.
pub(super) struct VerticesOnPlanes {
    /// The direction in the frame of each body, outward.
    directions: [Vec3<f64>; 2],
    of: [FeatureIndices; 2],
}

impl VerticesOnPlanes {
    /// The vertices within `tolerance` (metres) of the supporting planes along the unit vector `n`.
    pub(super) fn new(pair: &Pair<'_, f64>, n: Vec3<f64>, tolerance: f64) -> Self {
        let directions = [n, -pair.pose.inverse_vector(n)];
        let near_plane = |p, d| support::reaching(p, d, support::max_dot(p, d) - tolerance);
        Self { directions, of: [near_plane(pair.a, directions[0]), near_plane(pair.b, directions[1])] }
    }

    /// The vertices of each body.
    pub(super) fn lists(&self) -> [&[u32]; 2] {
        self.of.each_ref().map(|list| &list[..])
    }

    /// Returns for each body the feature that its vertices stand for: a vertex, an edge or a face.
    /// The face is the lowest one whose vertices all lie near the plane, else the one that has the
    /// vertices. `None` if there is no such feature.
    pub(super) fn largest_features(&self, pair: &Pair<'_, f64>) -> Option<FeaturePair> {
        Some(FeaturePair { a: self.largest(0, pair.a)?, b: self.largest(1, pair.b)? })
    }

    fn largest(&self, k: usize, p: &Polyhedron) -> Option<Feature> {
        match self.of[k][..] {
            [] => None,
            [v] => Some(Feature::vertex(v)),
            [v, w] => p.edge_between(v, w).map(Feature::edge),
            ref vertices => {
                let around = p.face_containing(vertices);
                // No other face of a solid has three of its vertices.
                let only = around.filter(|_| p.dimension == 3);
                only.or_else(|| faces_on_plane(p, self.directions[k], vertices).1.first().copied().or(around))
                    .map(Feature::face)
            }
        }
    }

    /// The features `largest`, and where a body has several faces that are coplanar but for
    /// rounding, the first that has the witness point to within `level`, metres. The points of A
    /// and of B are given in A's frame. `None` if a witness point is off all of them by more than
    /// is promised: of a body that is hardly larger than rounding, vertices support it that belong
    /// to no face together, and all vertices of a face across the plane do.
    pub(super) fn features_at(
        &self,
        pair: &Pair<'_, f64>,
        largest: FeaturePair,
        [a, b]: [Vec3<f64>; 2],
        level: f64,
    ) -> Option<FeaturePair> {
        let b = pair.pose.inverse_vector(b - pair.pose.t);
        let most = WITNESS * PROMISE * pair.size;
        let at = |k: usize, p: &Polyhedron, largest: Feature, x: Vec3<f64>| {
            let holds = |f: &Feature| distance_to_feature(p, *f, x) <= most;
            if self.are_of_one(k, p) {
                return Some(largest).filter(holds);
            }
            // Three vertices or more, so that `largest` is a face.
            let faces = faces_on_plane(p, self.directions[k], &self.of[k]).1;
            let over = |f: &&u32| inside_face(p, **f, p.normals[**f as usize], x) >= -level;
            let of = |f: &u32| Some(Feature::face(*f)).filter(holds);
            let nearest = if faces.len() > 1 { faces.iter().filter(over).find_map(of) } else { None };
            nearest.or_else(|| Some(largest).filter(holds)).or_else(|| faces.iter().find_map(of))
        };
        Some(FeaturePair { a: at(0, pair.a, largest.a, a)?, b: at(1, pair.b, largest.b, b)? })
    }

    /// Whether the vertices are those of a single vertex, edge or face of a solid.
    fn are_of_one(&self, k: usize, p: &Polyhedron) -> bool {
        let vertices = &self.of[k];
        vertices.len() < 3 || p.dimension == 3 && p.face_containing(vertices).is_some()
    }
}

/// The vertices, edges and faces of A and of B on (or near) their supporting planes, each list
/// ascending.
pub(super) struct SupportPlanes {
    pub(super) vertices: [FeatureIndices; 2],
    pub(super) edges: [FeatureIndices; 2],
    pub(super) faces: [FeatureIndices; 2],
}

impl SupportPlanes {
    /// The features within `tolerance` (metres) of the supporting planes along the unit vector `n`.
    pub(super) fn new(pair: &Pair<'_, f64>, n: Vec3<f64>, tolerance: f64) -> Self {
        let VerticesOnPlanes { directions, of } = VerticesOnPlanes::new(pair, n, tolerance);
        let (edges_a, faces_a) = faces_on_plane(pair.a, directions[0], &of[0]);
        let (edges_b, faces_b) = faces_on_plane(pair.b, directions[1], &of[1]);
        Self { vertices: of, edges: [edges_a, edges_b], faces: [faces_a, faces_b] }
    }

    /// The features of both bodies whose vertices all are among `vertices` (each list ascending).
    pub(super) fn from_vertices((a, b): (&Polyhedron, &Polyhedron), vertices: [FeatureIndices; 2]) -> Self {
        debug_assert!(vertices.iter().all(|list| list.is_sorted()));
        let (edges_a, faces_a) = features_on_plane(a, &vertices[0]);
        let (edges_b, faces_b) = features_on_plane(b, &vertices[1]);
        Self { vertices, edges: [edges_a, edges_b], faces: [faces_a, faces_b] }
    }

    /// The lowest vertex of each body.
    pub(super) fn first_vertices(&self) -> [u32; 2] {
        self.vertices.each_ref().map(|list| list.first().copied().unwrap_or(0))
    }

    /// The faces of each body.
    pub(super) fn faces(&self) -> [&[u32]; 2] {
        self.faces.each_ref().map(|list| &list[..])
    }

    /// Whether each plane has a single vertex.
    pub(super) fn is_single(&self) -> bool {
        self.vertices[0].len() + self.vertices[1].len() <= 2
    }

    /// The number of feature pairs of all kinds.
    pub(super) fn pair_count(&self) -> usize {
        let [(v, e, f), (w, g, h)] = [0, 1].map(|k| (self.vertices[k].len(), self.edges[k].len(), self.faces[k].len()));
        f * w + v * h + e * g + e * w + v * g + v * w
    }

    /// The feature pairs of two kinds in the order of the tie rule; `kinds`: 0 FV, 1 VF, 2 EE, 3
    /// EV, 4 VE, 5 VV.
    pub(super) fn candidates(&self, kinds: usize) -> impl Iterator<Item = FeaturePair> + '_ {
        let ((of_a, kind_a), (of_b, kind_b)) = self.lists(kinds);
        of_a.iter().flat_map(move |&i| of_b.iter().map(move |&j| FeaturePair { a: kind_a(i), b: kind_b(j) }))
    }

    /// The features of A and of B of these kinds.
    pub(super) fn lists(&self, kinds: usize) -> (FeatureList<'_>, FeatureList<'_>) {
        let of_a: FeatureList<'_> = match kinds {
            0 => (&self.faces[0], Feature::face),
            2 | 3 => (&self.edges[0], Feature::edge),
            _ => (&self.vertices[0], Feature::vertex),
        };
        let of_b: FeatureList<'_> = match kinds {
            1 => (&self.faces[1], Feature::face),
            2 | 4 => (&self.edges[1], Feature::edge),
            _ => (&self.vertices[1], Feature::vertex),
        };
        (of_a, of_b)
    }
}

/// The distance of a point, in the body's frame, from a feature, metres.
fn distance_to_feature(p: &Polyhedron, feature: Feature, x: Vec3<f64>) -> f64 {
    match feature.kind {
        FeatureKind::Vertex => (x - p.vertex(feature.index)).length(),
        FeatureKind::Edge => distance_to_edge(x, p.edges[feature.index as usize].v.map(|v| p.vertex(v))),
        FeatureKind::Face => {
            let (ring, normal) = (p.face(feature.index), p.normals[feature.index as usize]);
            let height = normal.dot(x - p.vertex(ring[0]));
            if inside_face(p, feature.index, normal, x - normal.scale(height)) >= 0.0 {
                return height.abs();
            }
            let sides = ring.iter().zip(ring.iter().cycle().skip(1));
            let to_sides = sides.map(|(&v, &w)| distance_to_edge(x, [v, w].map(|v| p.vertex(v))));
            to_sides.fold(f64::INFINITY, f64::min)
        }
    }
}

/// FeatureIndices, and the constructor of their features.
pub(super) type FeatureList<'a> = (&'a [u32], fn(u32) -> Feature);

/// Finds edges and faces like [`features_on_plane`], along the outward direction `d`: of the two
/// faces of a flat body, the one on that side.
fn faces_on_plane(p: &Polyhedron, d: Vec3<f64>, vertices: &[u32]) -> (FeatureIndices, FeatureIndices) {
    let (edges, mut faces) = features_on_plane(p, vertices);
    if p.dimension < 3 {
        faces.retain(|&mut f| p.normals[f as usize].dot(d) > 0.0);
    }
    (edges, faces)
}

/// The edges and faces whose vertices all are in `vertices` (ascending); both lists ascending.
fn features_on_plane(p: &Polyhedron, vertices: &[u32]) -> (FeatureIndices, FeatureIndices) {
    let has = |v: &u32| vertices.binary_search(v).is_ok();
    let (mut edges, mut faces) = (FeatureIndices::new(), FeatureIndices::new());
    for &v in vertices {
        let start = p.neighbour_start[v as usize] as usize;
        for (k, n) in p.neighbours_of(v).iter().enumerate() {
            if *n > v && has(n) {
                edges.push(p.neighbour_edges[start + k]);
            }
        }
    }
    edges.sort_unstable();
    for &e in &edges {
        faces.extend(p.edges[e as usize].f.into_iter().filter(|&f| f != NO_FACE && p.face(f).iter().all(has)));
    }
    faces.sort_unstable();
    faces.dedup();
    (edges, faces)
}
