//! The Voronoi planes of a polyhedron: the planes between the Voronoi regions of neighbouring
//! features, computed once (Mirtich 1997, section 2.1).
//!
//! A plane is a unit normal and an offset; `side(x) = normal . x - offset` is the signed distance
//! of a point. Each of the two features that share a plane holds it with the positive side towards
//! its own region. Both hold the same numbers up to the sign, so rounding never puts a point beyond
//! the plane for both of them.
//!
//! ```text
//! vertex   per neighbour: the plane through the vertex, orthogonal to the edge                 blocks of eight
//! edge     the planes of its two vertices; its side planes, orthogonal to its faces            one block of four
//! face     per edge: the side plane along it, orthogonal to the face; the face's own plane     blocks of four
//! ```
//!
//! A block holds each component of its planes in a row of its own, so one load fills a register
//! with a component of four or eight planes. Their order is that of the lists `neighbours` and
//! `face_vertices`. The padding of the last block is a plane that no point lies beyond. A vertex
//! block has a fifth row, the offsets of the parallel planes at the neighbours, so that a walk from
//! vertex to vertex reads nothing else. Face blocks hold four planes and not eight because most
//! faces are triangles, and both ends of an edge are tested at once.
//!
//! *Rounding*, in units of 2^-53 (a test compares with double-double): normals are off by up to 8
//! at vertices and 16 along edges, offsets by up to 16 and 24 times the polyhedron's radius.
//!
//! Only V-Clip and Lin-Canny require the planes, and they take four to five times the memory of the
//! rest of a polyhedron (about 1,100 bytes per vertex where faces are triangles). So they are
//! computed on first use, and a clone of a polyhedron starts without them.

mod form;

use super::vec3::Vec3;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Planes in a vertex block, and vertices that a scan reads at a time.
pub const LANES: usize = 8;

/// The Voronoi planes of all features of a polyhedron.
#[derive(Debug)]
pub struct Planes {
    /// Points of vertices: x, y, z and the clearance (see [`Planes::point`]).
    points: Vec<[f64; 4]>,
    /// Vertex `v` has `vertex_planes[vertex_start[v]..vertex_start[v + 1]]`.
    vertex_planes: Vec<VertexPlanes>,
    vertex_start: Vec<u32>,
    /// By edge: at `v[0]`, at `v[1]`, along `f[0]`, along `f[1]` (see [`super::Edge`]). Where there
    /// is no face, no point lies beyond the plane.
    edges: Vec<FourPlanes>,
    /// Face `f` has `side_planes[side_start[f]..side_start[f + 1]]`.
    side_planes: Vec<FourPlanes>,
    side_start: Vec<u32>,
    /// Planes of faces, positive outside, as the normal and the offset.
    supports: Vec<[f64; 4]>,
    /// Clearances of edges: see [`Planes::edge_clearance`].
    edge_clearances: Vec<[f64; 2]>,
    /// Clearances of faces: see [`Planes::face_clearance`].
    face_clearances: Vec<f64>,
}

/// A plane: positive on the side of the feature that holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Unit normal.
    pub normal: Vec3<f64>,
    /// Distance from the origin along the normal, metres.
    pub offset: f64,
}

/// Four planes side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct FourPlanes {
    /// x, y, z of the unit normals.
    pub normals: [[f64; 4]; 3],
    /// Offsets, metres.
    pub offsets: [f64; 4],
}

/// Eight planes of a vertex, side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct VertexPlanes {
    /// x, y, z of the unit normals.
    pub normals: [[f64; LANES]; 3],
    /// Offsets, metres.
    pub offsets: [f64; LANES],
    /// Offsets of the parallel planes at the neighbours, along the same normals: a point whose
    /// height is below one lies beyond the edge, in front of the neighbour.
    pub neighbour_offsets: [f64; LANES],
}

impl Plane {
    /// The plane that no point lies beyond.
    const NONE: Self = Self { normal: Vec3 { x: 0.0, y: 0.0, z: 0.0 }, offset: f64::NEG_INFINITY };

    /// The signed distance of a point, metres.
    #[inline(always)] // as everything that V-Clip calls: into code for wider registers
    pub fn side(&self, x: Vec3<f64>) -> f64 {
        self.normal.dot(x) - self.offset
    }

    /// The plane through a point.
    fn through(point: Vec3<f64>, normal: Vec3<f64>) -> Self {
        Self { normal, offset: normal.dot(point) }
    }

    /// Returns the plane with the other side positive.
    fn flipped(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }
}

impl FourPlanes {
    const NONE: Self = Self { normals: [[0.0; 4]; 3], offsets: [f64::NEG_INFINITY; 4] };

    /// The plane in a lane.
    #[inline(always)]
    pub fn plane(&self, lane: usize) -> Plane {
        let [x, y, z] = &self.normals;
        Plane { normal: Vec3 { x: x[lane], y: y[lane], z: z[lane] }, offset: self.offsets[lane] }
    }

    fn set(&mut self, lane: usize, plane: &Plane) {
        let [x, y, z] = &mut self.normals;
        (x[lane], y[lane], z[lane]) = (plane.normal.x, plane.normal.y, plane.normal.z);
        self.offsets[lane] = plane.offset;
    }
}

impl VertexPlanes {
    const NONE: Self = Self {
        normals: [[0.0; LANES]; 3],
        offsets: [f64::NEG_INFINITY; LANES],
        neighbour_offsets: [f64::NEG_INFINITY; LANES],
    };

    /// The plane in a lane.
    #[inline(always)]
    pub fn plane(&self, lane: usize) -> Plane {
        let [x, y, z] = &self.normals;
        Plane { normal: Vec3 { x: x[lane], y: y[lane], z: z[lane] }, offset: self.offsets[lane] }
    }

    fn set(&mut self, lane: usize, plane: &Plane, neighbour_offset: f64) {
        let [x, y, z] = &mut self.normals;
        (x[lane], y[lane], z[lane]) = (plane.normal.x, plane.normal.y, plane.normal.z);
        (self.offsets[lane], self.neighbour_offsets[lane]) = (plane.offset, neighbour_offset);
    }
}

impl Planes {
    /// Vertex `v`: x, y, z, and a lower bound of the distance to its nearest neighbour, metres.
    #[inline(always)]
    pub fn point(&self, v: u32) -> &[f64; 4] {
        &self.points[v as usize]
    }

    /// The planes of vertex `v` in the order of its neighbours, eight at a time.
    #[inline(always)]
    pub fn vertex_planes(&self, v: u32) -> &[VertexPlanes] {
        let v = v as usize;
        &self.vertex_planes[self.vertex_start[v] as usize..self.vertex_start[v + 1] as usize]
    }

    /// The planes of edge `e`: at its vertices in lanes 0 and 1, along its faces in lanes 2 and 3.
    #[inline(always)]
    pub fn edge(&self, e: u32) -> &FourPlanes {
        &self.edges[e as usize]
    }

    /// The side planes of face `f` in the order of its edges, four at a time.
    #[inline(always)]
    pub fn side_planes(&self, f: u32) -> &[FourPlanes] {
        let f = f as usize;
        &self.side_planes[self.side_start[f] as usize..self.side_start[f + 1] as usize]
    }

    /// The plane of face `f`, positive outside.
    #[inline(always)]
    pub fn support(&self, f: u32) -> Plane {
        let [x, y, z, offset] = *self.support_row(f);
        Plane { normal: Vec3 { x, y, z }, offset }
    }

    /// The plane of face `f`, positive outside: the unit normal, and the offset, metres.
    #[inline(always)]
    pub fn support_row(&self, f: u32) -> &[f64; 4] {
        &self.supports[f as usize]
    }

    /// The clearance of face `f`: a lower bound of the depths below its plane of all vertices that
    /// are not its own, metres.
    #[inline(always)]
    pub fn face_clearance(&self, f: u32) -> f64 {
        self.face_clearances[f as usize]
    }

    /// The clearances of edge `e`. For a unit direction `d` orthogonal to the edge and between the
    /// normals of its faces: all vertices that are not the edge's stay below its support plane
    /// along `d` by at least the lesser of `clearance[0] (d . c[2])` and `clearance[1] (d . c[3])`,
    /// where `c[i]` is the normal in lane `i` of [`Planes::edge`].
    ///
    /// Derivation: let `d = a m + b n` with the normals `m` and `n` of the faces. A vertex whose
    /// depths below the two faces are `h` and `k` lies `a h + b k` below the edge; one of the
    /// depths may be zero, but not both. With the angle `w` between the faces, `d . c[2] = b sin w`
    /// and `d . c[3] = a sin w`.
    #[inline(always)]
    pub fn edge_clearance(&self, e: u32) -> &[f64; 2] {
        &self.edge_clearances[e as usize]
    }
}

/// The planes of a polyhedron, computed on first use. They follow from the rest of the polyhedron,
/// so they are ignored in comparisons and not cloned.
#[derive(Default)]
pub struct LazyPlanes {
    planes: OnceLock<Box<Planes>>,
    identity: Identity,
}

/// A number that no other polyhedron of the process has.
struct Identity(u64);

impl Default for Identity {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl LazyPlanes {
    /// Returns the identity of the polyhedron that the planes belong to.
    #[inline(always)]
    pub(super) fn identity(&self) -> u64 {
        self.identity.0
    }

    #[inline(always)]
    pub(super) fn get(&self) -> Option<&Planes> {
        self.planes.get().map(|planes| &**planes)
    }
}

impl Clone for LazyPlanes {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for LazyPlanes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for LazyPlanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.planes.get().is_some() { "computed" } else { "not computed" })
    }
}

#[cfg(test)]
mod tests;
