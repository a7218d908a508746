//! The planes between the Voronoi regions of neighbouring features of a polyhedron, formed once (Mirtich 1997,
//! section 2.1).
//!
//! Every plane is four numbers: a unit normal and an offset, `side(x) = normal . x - offset`, the signed distance. Each
//! feature sees it from its own side, positive where the feature's region lies, and both hold the same numbers up to
//! their sign: what one calls beyond its region the other one never does too.
//!
//! ```text
//! vertex   for each neighbour: the plane through the vertex, orthogonal to the edge       eight at a time
//! edge     those of its two vertices; those along it, orthogonal to its faces             four
//! face     for each edge: the plane along it, orthogonal to the face; the face's own      four at a time
//! ```
//!
//! Planes lie side by side, each component in a row of its own, so that one load of a register is one component of four or
//! eight planes; in the order of the lists `neighbours` and `face_vertices`. What fills a row up is a plane that
//! everything lies inside of. A vertex has a fifth row, the offsets of the parallel planes at the neighbours, so that the
//! way from vertex to vertex reads nothing else. (FourPlanes along a face, not eight: most faces are triangles, and the two ends
//! of an edge are asked at once.)
//!
//! *Rounding*, in units of 2^-53 (a test holds them to it against double-double): normals are off by up to 8 at
//! vertices, 16 along edges; offsets by up to 16 and 24 times the polyhedron's radius.
//!
//! Only V-Clip asks for them, and they take four to five times the memory of the rest of a polyhedron (about 1,100 bytes
//! a vertex where faces are triangles). So they are formed when they are first asked for, and a copy of a polyhedron
//! comes without them.

use super::polyhedron::{Edge, LANES, NO_FACE, Polyhedron};
use super::real::Scalar;
use super::vec3::Vec3;
use std::fmt;
use std::sync::OnceLock;

/// The planes of all features of a polyhedron.
#[derive(Debug)]
pub struct Planes {
    /// The vertices: x, y, z and the clearance around each (see [`Planes::point`]).
    points: Vec<[f64; 4]>,
    /// Vertex `v` has `vertex_planes[vertex_start[v]..vertex_start[v + 1]]`.
    vertex_planes: Vec<VertexPlanes>,
    vertex_start: Vec<u32>,
    /// By edge: at `v[0]`, at `v[1]`, along `f[0]`, along `f[1]` (see [`super::Edge`]). Where there is no face, the plane is
    /// everywhere positive.
    edges: Vec<FourPlanes>,
    /// Face `f` has `side_planes[side_start[f]..side_start[f + 1]]`.
    side_planes: Vec<FourPlanes>,
    side_start: Vec<u32>,
    /// By face: its own plane, positive outside: the normal, and the offset.
    supports: Vec<[f64; 4]>,
    /// By edge: see [`Planes::edge_clearance`].
    edge_clearances: Vec<[f64; 2]>,
    /// By face: see [`Planes::face_clearance`].
    face_clearances: Vec<f64>,
}

/// A plane: positive on the side of the feature that holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Unit normal.
    pub normal: Vec3<f64>,
    /// Its distance from the origin along the normal, metres.
    pub offset: f64,
}

/// FourPlanes planes side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct FourPlanes {
    /// x, y, z of the unit normals.
    pub normals: [[f64; 4]; 3],
    /// Offsets, metres.
    pub offsets: [f64; 4],
}

/// Eight planes of a vertex side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct VertexPlanes {
    /// x, y, z of the unit normals.
    pub normals: [[f64; LANES]; 3],
    /// Offsets, metres.
    pub offsets: [f64; LANES],
    /// Offsets of the planes at the neighbours, which have the same normals: beyond them from the edges.
    pub far: [f64; LANES],
}

impl Plane {
    /// Where nothing is beyond.
    const NONE: Self = Self { normal: Vec3 { x: 0.0, y: 0.0, z: 0.0 }, offset: f64::NEG_INFINITY };

    /// Signed distance, metres.
    #[inline(always)] // as all that V-Clip calls: into code for wider registers
    pub fn side(&self, x: Vec3<f64>) -> f64 {
        self.normal.dot(x) - self.offset
    }

    /// The plane through a point.
    fn through(point: Vec3<f64>, normal: Vec3<f64>) -> Self {
        Self { normal, offset: normal.dot(point) }
    }

    /// As seen from the other side.
    fn flipped(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }
}

impl FourPlanes {
    const NONE: Self = Self { normals: [[0.0; 4]; 3], offsets: [f64::NEG_INFINITY; 4] };

    /// The plane of a lane.
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
    const NONE: Self =
        Self { normals: [[0.0; LANES]; 3], offsets: [f64::NEG_INFINITY; LANES], far: [f64::NEG_INFINITY; LANES] };

    /// The plane of a lane.
    #[inline(always)]
    pub fn plane(&self, lane: usize) -> Plane {
        let [x, y, z] = &self.normals;
        Plane { normal: Vec3 { x: x[lane], y: y[lane], z: z[lane] }, offset: self.offsets[lane] }
    }

    fn set(&mut self, lane: usize, plane: &Plane, far: f64) {
        let [x, y, z] = &mut self.normals;
        (x[lane], y[lane], z[lane]) = (plane.normal.x, plane.normal.y, plane.normal.z);
        (self.offsets[lane], self.far[lane]) = (plane.offset, far);
    }
}

impl Planes {
    /// Forms the planes.
    pub fn new(p: &Polyhedron) -> Self {
        let pair = |e: u32| {
            let [tail, head] = p.edges[e as usize].v.map(|v| p.vertex(v));
            let along = unit(head - tail);
            [Plane::through(tail, along), Plane::through(head, -along)]
        };
        // Along edge `e`, positive inside of its face `f[side]`: by the numbers of `f[0]` the face lies to the left.
        let inward = |e: u32, side: usize| {
            let edge = &p.edges[e as usize];
            if edge.f[side] == NO_FACE {
                return Plane::NONE.flipped();
            }
            let [tail, head] = edge.v.map(|v| p.vertex(v));
            let left = p.normals[edge.f[side] as usize].cross(unit(head - tail));
            Plane::through(tail, if side == 0 { left } else { -left })
        };
        // Each plane once: what others hold of it are the same numbers.
        let around = |e: u32| {
            let [tail, head] = pair(e);
            let mut four = FourPlanes::NONE;
            let planes = [tail, head, inward(e, 0).flipped(), inward(e, 1).flipped()];
            planes.iter().enumerate().for_each(|(lane, plane)| four.set(lane, plane));
            four
        };
        let edges: Vec<FourPlanes> = (0..p.edges.len() as u32).map(around).collect();
        let (mut vertex_planes, mut vertex_start) = (Vec::new(), vec![0]);
        for v in 0..p.count as u32 {
            let start = p.neighbour_start[v as usize] as usize;
            let first = vertex_planes.len();
            vertex_planes.resize(first + p.neighbours_of(v).len().div_ceil(LANES), VertexPlanes::NONE);
            for (i, &w) in p.neighbours_of(v).iter().enumerate() {
                let edge = &edges[p.neighbour_edges[start + i] as usize];
                let (own, far) = if v < w { (0, 1) } else { (1, 0) };
                vertex_planes[first + i / LANES].set(i % LANES, &edge.plane(own).flipped(), edge.offsets[far]);
            }
            vertex_start.push(vertex_planes.len() as u32);
        }
        let (mut side_planes, mut side_start) = (Vec::new(), vec![0]);
        for f in 0..p.face_count() as u32 {
            let ring = p.face_start[f as usize] as usize..p.face_start[f as usize + 1] as usize;
            let first = side_planes.len();
            side_planes.resize(first + ring.len().div_ceil(4), FourPlanes::NONE);
            for (i, &e) in p.face_edges[ring].iter().enumerate() {
                let side = usize::from(p.edges[e as usize].f[0] != f);
                side_planes[first + i / 4].set(i % 4, &edges[e as usize].plane(2 + side).flipped());
            }
            side_start.push(side_planes.len() as u32);
        }
        let face_clearances: Vec<f64> = (0..p.face_count() as u32).map(|f| below(p, f)).collect();
        let edge_clearances = p.edges.iter().map(|edge| beside(p, edge, &face_clearances)).collect();
        let point = |v: u32| {
            let Vec3 { x, y, z } = p.vertex(v);
            [x, y, z, around_vertex(p, v)]
        };
        let support = |f: u32| Plane::through(p.vertex(p.face(f)[0]), p.normals[f as usize]);
        let row = |plane: Plane| [plane.normal.x, plane.normal.y, plane.normal.z, plane.offset];
        Self {
            points: (0..p.count as u32).map(point).collect(),
            vertex_planes,
            vertex_start,
            edges,
            side_planes,
            side_start,
            supports: (0..p.face_count() as u32).map(|f| row(support(f))).collect(),
            edge_clearances,
            face_clearances,
        }
    }

    /// Vertex `v`: x, y, z, and how far away its nearest neighbour is, at least, metres.
    #[inline(always)]
    pub fn point(&self, v: u32) -> &[f64; 4] {
        &self.points[v as usize]
    }

    /// The planes of vertex `v`, in the order of its neighbours, eight at a time.
    #[inline(always)]
    pub fn vertex_planes(&self, v: u32) -> &[VertexPlanes] {
        let v = v as usize;
        &self.vertex_planes[self.vertex_start[v] as usize..self.vertex_start[v + 1] as usize]
    }

    /// The planes around edge `e`.
    #[inline(always)]
    pub fn edge(&self, e: u32) -> &FourPlanes {
        &self.edges[e as usize]
    }

    /// The planes along the edges of face `f`, in its order, four at a time.
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

    /// How far below the plane of face `f` all vertices are that are not its own, at least, metres.
    #[inline(always)]
    pub fn face_clearance(&self, f: u32) -> f64 {
        self.face_clearances[f as usize]
    }

    /// For a unit direction `d` out of edge `e`, orthogonal to it and between the normals of its faces: all vertices that are
    /// not the edge's stay below its support plane by at least the lesser of `clearance[0] (d . c[2])` and `clearance[1] (d . c[3])`,
    /// `c` the normals of lanes 2 and 3 of [`Planes::edge`].
    ///
    /// For `d = a m + b n`, `m` and `n` the normals of the faces, a vertex is `a` times its clearance below the one and `b` times
    /// its clearance below the other lower than the edge; one of the clearances may be nothing, but not both. And `d . c[2]` is `b`
    /// times the sine of the angle between the faces, `d . c[3]` is `a` times that.
    #[inline(always)]
    pub fn edge_clearance(&self, e: u32) -> &[f64; 2] {
        &self.edge_clearances[e as usize]
    }
}

/// Units of 2^-53 of the radius by which a height over a face may be off.
const HEIGHT: f64 = 32.0;

/// The clearance around vertex `v`: less than the distance of its nearest neighbour, by more than rounding.
fn around_vertex(p: &Polyhedron, v: u32) -> f64 {
    let squares = p.neighbours_of(v).iter().map(|&w| (p.vertex(w) - p.vertex(v)).length2());
    squares.fold(f64::INFINITY, f64::min).sqrt() * (1.0 - HEIGHT * f64::UNIT)
}

/// The clearance below face `f`: what is next below it is a neighbour of one of its vertices, since from every vertex a path along
/// edges climbs to the face.
fn below(p: &Polyhedron, f: u32) -> f64 {
    let (own, normal) = (p.face(f), p.normals[f as usize]);
    let top = normal.dot(p.vertex(own[0]));
    let mut clearance = f64::INFINITY;
    for w in own.iter().flat_map(|&v| p.neighbours_of(v)) {
        let depth = top - normal.dot(p.vertex(*w));
        if depth < clearance && !own.contains(w) {
            clearance = depth;
        }
    }
    clearance - HEIGHT * f64::UNIT * p.radius
}

/// The clearances beside an edge; none where the faces are too flat towards each other for their angle to be known.
fn beside(p: &Polyhedron, edge: &Edge, clearances: &[f64]) -> [f64; 2] {
    const FLAT: f64 = 1e-5;
    if edge.f.contains(&NO_FACE) {
        return [0.0; 2];
    }
    let [left, right] = edge.f.map(|f| f as usize);
    let sine = p.normals[left].cross(p.normals[right]).length();
    if sine > FLAT { [clearances[right] / sine, clearances[left] / sine] } else { [0.0; 2] }
}

/// `v` at unit length, however long it is.
fn unit(v: Vec3<f64>) -> Vec3<f64> {
    let most = v.x.abs().max(v.y.abs()).max(v.z.abs());
    let scaled = Vec3 { x: v.x / most, y: v.y / most, z: v.z / most };
    let length = scaled.length();
    Vec3 { x: scaled.x / length, y: scaled.y / length, z: scaled.z / length }
}

/// The planes of a polyhedron, formed when they are first asked for. They follow from the rest of it, so they play no
/// part in what it equals, and are not copied.
#[derive(Default)]
pub struct Formed(OnceLock<Box<Planes>>);

impl Formed {
    #[inline(always)]
    pub(super) fn of(&self, p: &Polyhedron) -> &Planes {
        self.0.get_or_init(|| Box::new(Planes::new(p)))
    }

    #[inline(always)]
    pub(super) fn get(&self) -> Option<&Planes> {
        self.0.get().map(|planes| &**planes)
    }
}

impl Clone for Formed {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Formed {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Formed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "formed" } else { "not formed" })
    }
}

#[cfg(test)]
mod tests;
