//! The convex polyhedron: what a query needs, laid out for it.

mod deferred;

use super::hull::length_rounded_up;
pub use super::planes::LANES;
use super::planes::{LazyPlanes, Planes};
use super::round::RoundCore;
use super::triangle_tree::bounds;
use super::vec3::Vec3;
pub use deferred::{LazyBoundary, PointSource};
use std::ops::Deref;
use std::sync::Arc;

/// An edge of a polyhedron.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The two vertices, lower index first.
    pub v: [u32; 2],
    /// The two faces beside it: walking from `v[0]` to `v[1]` with the outside towards the eye,
    /// `f[0]` lies to the left and `f[1]` to the right. A segment's edge has no faces:
    /// `[NO_FACE; 2]`.
    pub f: [u32; 2],
}

/// No face: the sides of the edge of a segment.
pub const NO_FACE: u32 = u32::MAX;

/// Vertices up to which the coordinates of neighbours are kept side by side
/// ([`Boundary::neighbour_blocks`]).
pub const MAX_TABLED_VERTICES: usize = 1 << 16;

/// The least radius of a recentred piece, growth included, in distances of its recentred origin
/// from that of its body's own frame.
const LEAST_SHARE: f64 = 1.0 / (1_u64 << 49) as f64;

/// The least radius of a recentred piece, growth included, metres: 2^-23, so that positions to 10^9
/// m are told apart.
const LEAST_RADIUS: f64 = 1.0 / (1_u64 << 23) as f64;

/// A convex polyhedron, polygon, segment or point: the hull of its `f64` vertices, which *are* the
/// truth, or the polyhedron around a round body.
///
/// All coordinates are metres in the body's recentred frame. It dereferences to its [`Boundary`]:
/// that of a hull of points is known from the start, that around round bodies is built when first
/// asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Polyhedron {
    /// No vertex is farther from the recentred origin, metres: the largest distance, rounded up; of
    /// a recentred body no less than what `Polyhedron::recentred` asks for.
    pub radius: f64,
    /// Distance of the recentred origin from the origin of the body's own frame, rounded up,
    /// metres; 0 if they are one.
    pub away: f64,
    /// See [`Polyhedron::planes`].
    pub planes: LazyPlanes,
    /// The round body that this polyhedron lies around, and in whose place it stands where a proof
    /// may be coarse; `None`: the polyhedron is the body.
    pub round: Option<Arc<RoundCore>>,
    /// See [`Boundary`].
    #[doc(hidden)]
    pub boundary: LazyBoundary,
}

/// The vertices, edges and faces of a polyhedron.
///
/// Vertices are ordered by `source`; edges by their (low, high) vertices; faces by their sorted
/// vertex lists (so that indices are the published feature numbers). A polygon (`dimension` 2) has
/// two faces, its front and its back; a segment one edge and no face; a point neither.
#[derive(Debug, Clone, PartialEq)]
pub struct Boundary {
    /// 0 point, 1 segment, 2 flat polygon, 3 solid.
    pub dimension: u8,
    /// Number of vertices.
    pub count: usize,
    /// Coordinates, structure of arrays, `count` rounded up to a multiple of `LANES`; the padding
    /// repeats vertex 0.
    pub x: Vec<f64>,
    /// See `x`.
    pub y: Vec<f64>,
    /// See `x`.
    pub z: Vec<f64>,
    /// Index of each vertex in the file as read (the first of duplicates). Ascending.
    pub source: Vec<u32>,
    /// The edges, ordered by (low, high).
    pub edges: Vec<Edge>,
    /// Face `f` has the vertices `face_vertices[face_start[f]..face_start[f + 1]]`,
    /// counter-clockwise seen from outside, starting with its lowest; exactly coplanar triangles
    /// are merged.
    pub face_start: Vec<u32>,
    /// See `face_start`.
    pub face_vertices: Vec<u32>,
    /// Edge from each vertex of `face_vertices` to the next one of the face.
    pub face_edges: Vec<u32>,
    /// Outward unit normals of the faces, each component to within 2 ulp of the exact plane's.
    pub normals: Vec<Vec3<f64>>,
    /// Vertex `v` has the neighbours `neighbours[neighbour_start[v]..neighbour_start[v + 1]]`.
    pub neighbour_start: Vec<u32>,
    /// See `neighbour_start`; ascending for each vertex.
    pub neighbours: Vec<u32>,
    /// The edge to each of `neighbours`.
    pub neighbour_edges: Vec<u32>,
    /// The coordinates of the neighbours, vertex by vertex in blocks of `LANES`: x, y, z of eight
    /// neighbours each, in the order of `neighbours`; the padding repeats the vertex itself. Empty
    /// above `MAX_TABLED_VERTICES` vertices, where it would cost more memory than the walk along
    /// edges is worth.
    pub neighbour_blocks: Vec<[[f64; LANES]; 3]>,
    /// Vertex `v` has the blocks
    /// `neighbour_blocks[neighbour_block_start[v]..neighbour_block_start[v + 1]]`.
    pub neighbour_block_start: Vec<u32>,
    /// Start vertices of climbs: for each cell of a grid on the faces of a cube around the
    /// directions, a vertex farthest along its middle. `6 * start_side^2` cells; empty on small
    /// polyhedra and above `MAX_TABLED_VERTICES` vertices.
    pub starts: Vec<u32>,
    /// Cells along a side of a face of that cube.
    pub start_side: u32,
    /// The mean of the vertices: a point of the relative interior.
    pub mean: Vec3<f64>,
    /// Representatives of the edge directions of a polygon or a segment, up to sign and exact
    /// parallelism: indices of edges. Empty for a solid.
    pub distinct_edges: Vec<u32>,
}

impl Polyhedron {
    /// The same, its frame's origin at `center` (metres) of the body's own frame; `growth`: that of
    /// the piece, metres.
    ///
    /// The radius is such that the bounds of rounding cover what a pose of the recentred frame may
    /// be off (docs/reference/numerics.md, "Recentring"). Only that of a point or a speck grows.
    pub fn recentred(self, center: Vec3<f64>, growth: f64) -> Self {
        if center == Vec3::ZERO {
            return self;
        }
        let away = center.length() * (1.0 + 4.0 * f64::EPSILON);
        let least = LEAST_RADIUS.max(LEAST_SHARE * away);
        Self { radius: self.radius.max(least - growth), away, ..self }
    }

    /// How far the polyhedron may lie outside of the round body that it stands for, metres; 0: it
    /// is the body.
    #[inline]
    pub fn excess(&self) -> f64 {
        self.round.as_ref().map_or(0.0, |round| round.excess)
    }

    /// The least and the greatest coordinates of the body, metres: of the round one where there is
    /// one.
    pub fn bounds(&self) -> [Vec3<f64>; 2] {
        if let Some(round) = &self.round {
            return round.body.bounds();
        }
        if let LazyBoundary::Deferred { sources, .. } = &self.boundary {
            return bounds(sources.iter().flat_map(PointSource::bounds)).into();
        }
        bounds((0..self.count as u32).map(|v| self.vertex(v))).into()
    }

    /// A number that no other polyhedron of the process has, clones included: what tells memories
    /// of polyhedra apart.
    #[inline(always)]
    pub fn identity(&self) -> u64 {
        self.planes.identity()
    }

    /// The planes, if they were formed.
    #[inline(always)]
    pub fn formed_planes(&self) -> Option<&Planes> {
        self.planes.get()
    }

    /// The numbers of its vertices, to be changed; they stay ascending.
    pub fn source_mut(&mut self) -> &mut [u32] {
        &mut self.boundary.get_mut().source
    }

    /// A polyhedron of these vertices, edges and faces.
    pub fn of(boundary: Boundary) -> Self {
        let vertices = (0..boundary.count as u32).map(|v| boundary.vertex(v));
        let radius = vertices.fold(0.0, |radius, vertex| length_rounded_up(vertex).max(radius));
        let boundary = LazyBoundary::Built(boundary);
        Self { radius, away: 0.0, planes: LazyPlanes::default(), round: None, boundary }
    }
}

impl Deref for Polyhedron {
    type Target = Boundary;

    #[inline(always)]
    fn deref(&self) -> &Boundary {
        self.boundary.get()
    }
}

impl Boundary {
    /// Vertex `i`.
    #[inline]
    pub fn vertex(&self, i: u32) -> Vec3<f64> {
        let i = i as usize;
        Vec3 { x: self.x[i], y: self.y[i], z: self.z[i] }
    }

    /// The vertices of face `f`, counter-clockwise seen from outside.
    #[inline]
    pub fn face(&self, f: u32) -> &[u32] {
        let f = f as usize;
        &self.face_vertices[self.face_start[f] as usize..self.face_start[f + 1] as usize]
    }

    /// Number of faces.
    #[inline]
    pub fn face_count(&self) -> usize {
        self.normals.len()
    }

    /// The neighbours of vertex `v`, ascending.
    #[inline]
    pub fn neighbours_of(&self, v: u32) -> &[u32] {
        let v = v as usize;
        &self.neighbours[self.neighbour_start[v] as usize..self.neighbour_start[v + 1] as usize]
    }

    /// The neighbours' coordinates of vertex `v`: see `neighbour_blocks`. Empty where they are not
    /// kept.
    #[inline]
    pub fn neighbour_blocks_of(&self, v: u32) -> &[[[f64; LANES]; 3]] {
        let v = v as usize;
        match self.neighbour_block_start.get(v..v + 2) {
            Some(&[from, to]) => &self.neighbour_blocks[from as usize..to as usize],
            _ => &[],
        }
    }

    /// A vertex that is far along `d`, and most likely near the farthest; `None` without a table.
    #[inline]
    pub fn near(&self, d: Vec3<f64>) -> Option<u32> {
        let (x, y, z) = (d.x.abs(), d.y.abs(), d.z.abs());
        let (face, largest, u, v) = if x >= y && x >= z {
            (u32::from(d.x < 0.0), x, d.y, d.z)
        } else if y >= z {
            (2 + u32::from(d.y < 0.0), y, d.z, d.x)
        } else {
            (4 + u32::from(d.z < 0.0), z, d.x, d.y)
        };
        let side = self.start_side;
        let scale = 0.5 * f64::from(side);
        // A cast saturates, and takes NaN to 0.
        let cell = |u: f64| ((scale + scale * (u / largest)) as u32).min(side.saturating_sub(1));
        self.starts.get(((face * side + cell(u)) * side + cell(v)) as usize).copied()
    }

    /// The edge between two vertices, if there is one.
    #[inline]
    pub fn edge_between(&self, a: u32, b: u32) -> Option<u32> {
        let start = self.neighbour_start[a as usize] as usize;
        let at = self.neighbours_of(a).iter().position(|&n| n == b)?;
        Some(self.neighbour_edges[start + at])
    }

    /// The faces of vertex `v`, each once, in the order of its neighbours.
    pub fn faces_of(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.neighbour_start[v as usize] as usize;
        let edges = &self.neighbour_edges[start..start + self.neighbours_of(v).len()];
        // The face to the left, going out from the vertex.
        let left = move |&e: &u32| self.edges[e as usize].f[usize::from(self.edges[e as usize].v[0] != v)];
        edges.iter().map(left).filter(|&f| f != NO_FACE)
    }

    /// The lowest face that has all of `vertices`, if there is one.
    pub fn face_containing(&self, vertices: &[u32]) -> Option<u32> {
        let (&first, rest) = vertices.split_first()?;
        if let Some((&second, rest)) = rest.split_first()
            && let Some(edge) = self.edge_between(first, second)
        {
            // A face with both ends of an edge has the edge.
            let [left, right] = self.edges[edge as usize].f;
            let has_all = |f: &u32| *f != NO_FACE && rest.iter().all(|v| self.face(*f).contains(v));
            return [left.min(right), left.max(right)].into_iter().find(has_all);
        }
        let start = self.neighbour_start[first as usize] as usize;
        let mut found: Option<u32> = None;
        for i in 0..self.neighbours_of(first).len() {
            // The face to the left, going out from the vertex: each of its faces once.
            let edge = &self.edges[self.neighbour_edges[start + i] as usize];
            let f = edge.f[usize::from(edge.v[0] != first)];
            if f != NO_FACE && found.is_none_or(|best| f < best) && rest.iter().all(|v| self.face(f).contains(v)) {
                found = Some(f);
            }
        }
        found
    }
}
