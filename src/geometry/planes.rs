//! The planes between the Voronoi regions of neighbouring features of a polyhedron, formed once (Mirtich 1997,
//! section 2.1).
//!
//! Every plane is four numbers: a unit normal and an offset, `side(x) = normal . x - offset`, the signed distance. Each
//! feature sees it from its own side, positive where the feature's region lies, and both hold the same numbers up to
//! their sign: what one calls beyond its region the other one never does too.
//!
//! ```text
//! vertex   for each neighbour: the plane through the vertex, orthogonal to the edge       side by side, in rows
//! edge     those of its two vertices; those along it, orthogonal to its faces             four lanes
//! face     for each edge: the plane along it, orthogonal to the face; the face's own      side by side, in rows
//! ```
//!
//! *Rows*: the x components of all planes of the feature, then y, z and the offsets, each in the order of the lists
//! `neighbours` and `face_vertices`: what a loop over the planes reads lies in one piece, and eight planes are one step
//! of it. A vertex has a fifth row, the offsets of the parallel planes at the neighbours, so that the way from vertex to
//! vertex reads nothing else. The rows are not padded; the last step of a row reads into the next one, and those lanes
//! are left out.
//!
//! *Rounding*, in units of 2^-53 (a test holds them to it against double-double): normals are off by up to 8 at
//! vertices, 16 along edges; offsets by up to 16 and 24 times the polyhedron's radius.
//!
//! Only V-Clip asks for them, and they take three to four times the memory of the rest of a polyhedron (about 880 bytes
//! a vertex where faces are triangles). So they are formed when they are first asked for, and a copy of a polyhedron
//! comes without them.

use super::polyhedron::{LANES, NO_FACE, Polyhedron};
use super::vec3::Vec3;
use std::fmt;
use std::sync::OnceLock;

/// The planes of all features of a polyhedron.
#[derive(Debug)]
pub struct Planes {
    /// Vertex `v` has its rows from `5 * neighbour_start[v]`.
    stars: Vec<f64>,
    /// By edge.
    edges: Vec<EdgePlanes>,
    /// Face `f` has its rows from `4 * face_start[f]`.
    sides: Vec<f64>,
    /// By face: its own plane, positive outside.
    supports: Vec<Plane>,
}

/// A plane: positive on the side of the feature that holds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Unit normal.
    pub normal: Vec3<f64>,
    /// Its distance from the origin along the normal, metres.
    pub offset: f64,
}

/// The planes around an edge, in lanes: at `v[0]`, at `v[1]`, along `f[0]`, along `f[1]` (see
/// [`super::Edge`]). Where there is no face, the plane is everywhere positive.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct EdgePlanes {
    normal: [[f64; 4]; 3],
    offset: [f64; 4],
}

/// The planes of a vertex or a face, in rows.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The rows, and at least [`LANES`] numbers more.
    numbers: &'a [f64],
    count: usize,
}

impl Plane {
    /// Where nothing is beyond.
    const NONE: Self = Self { normal: Vec3 { x: 0.0, y: 0.0, z: 0.0 }, offset: -1.0 };

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

impl EdgePlanes {
    fn new(planes: [Plane; 4]) -> Self {
        let row = |k: usize| planes.map(|p| p.normal[k]);
        Self { normal: [row(0), row(1), row(2)], offset: planes.map(|p| p.offset) }
    }

    /// The plane of a lane.
    #[inline(always)]
    pub fn plane(&self, lane: usize) -> Plane {
        let [x, y, z] = &self.normal;
        Plane { normal: Vec3 { x: x[lane], y: y[lane], z: z[lane] }, offset: self.offset[lane] }
    }

    /// The rows of normals, and the offsets.
    #[inline(always)]
    pub fn lanes(&self) -> (&[[f64; 4]; 3], &[f64; 4]) {
        (&self.normal, &self.offset)
    }

    /// The signed distance from each plane: that of [`Plane::side`].
    #[inline(always)]
    pub fn sides(&self, x: Vec3<f64>) -> [f64; 4] {
        let n = &self.normal;
        std::array::from_fn(|i| n[0][i] * x.x + n[1][i] * x.y + n[2][i] * x.z - self.offset[i])
    }
}

impl<'a> Rows<'a> {
    #[inline(always)]
    fn of(all: &'a [f64], rows: usize, start: &[u32], feature: u32) -> Self {
        let f = feature as usize;
        let (from, to) = (start[f] as usize, start[f + 1] as usize);
        let count = to - from;
        Self { numbers: &all[rows * from..rows * to + LANES], count }
    }

    /// How many planes.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Plane `i`.
    #[inline(always)]
    pub fn plane(&self, i: usize) -> Plane {
        let at = |row: usize| self.numbers[row * self.count + i];
        Plane { normal: Vec3 { x: at(0), y: at(1), z: at(2) }, offset: at(3) }
    }

    /// [`LANES`] numbers of each row, from plane `first` on: x, y, z, offset. Behind the last plane they mean nothing.
    #[inline(always)]
    pub fn step(&self, first: usize) -> [&'a [f64; LANES]; 4] {
        std::array::from_fn(|row| self.row(row, first))
    }

    /// Of a vertex, the same for the offsets of the planes at its neighbours, whose normals are those of its own planes:
    /// beyond them from the edges.
    #[inline(always)]
    pub fn far(&self, first: usize) -> &'a [f64; LANES] {
        self.row(4, first)
    }

    #[inline(always)]
    fn row(&self, row: usize, first: usize) -> &'a [f64; LANES] {
        let at = row * self.count + first;
        self.numbers[at..at + LANES].first_chunk().expect("as long")
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
        let edges = (0..p.edges.len() as u32).map(|e| {
            let [tail, head] = pair(e);
            EdgePlanes::new([tail, head, inward(e, 0).flipped(), inward(e, 1).flipped()])
        });
        let star = |v: u32, i: usize| {
            let [tail, head] = pair(p.neighbour_edges[i]);
            let (own, far) = if v < p.neighbours[i] { (tail, head) } else { (head, tail) };
            let Plane { normal, offset } = own.flipped();
            [normal.x, normal.y, normal.z, offset, far.offset]
        };
        let side = |f: u32, i: usize| {
            let e = p.face_edges[i];
            let Plane { normal, offset } = inward(e, usize::from(p.edges[e as usize].f[0] != f));
            [normal.x, normal.y, normal.z, offset]
        };
        let supports =
            (0..p.face_count() as u32).map(|f| Plane::through(p.vertex(p.face(f)[0]), p.normals[f as usize]));
        Self {
            edges: edges.collect(),
            supports: supports.collect(),
            stars: rows(&p.neighbour_start, star),
            sides: rows(&p.face_start, side),
        }
    }

    /// The planes of vertex `v`, in the order of its neighbours.
    #[inline(always)]
    pub fn star(&self, p: &Polyhedron, v: u32) -> Rows<'_> {
        Rows::of(&self.stars, 5, &p.neighbour_start, v)
    }

    /// The planes around edge `e`.
    #[inline(always)]
    pub fn edge(&self, e: u32) -> &EdgePlanes {
        &self.edges[e as usize]
    }

    /// The planes along the edges of face `f`, in its order.
    #[inline(always)]
    pub fn sides(&self, p: &Polyhedron, f: u32) -> Rows<'_> {
        Rows::of(&self.sides, 4, &p.face_start, f)
    }

    /// The plane of face `f`, positive outside.
    #[inline(always)]
    pub fn support(&self, f: u32) -> &Plane {
        &self.supports[f as usize]
    }
}

/// The rows of features whose lists begin at `start`; `plane(feature, place in the list)`: the number of each row.
fn rows<const ROWS: usize>(start: &[u32], plane: impl Fn(u32, usize) -> [f64; ROWS]) -> Vec<f64> {
    let total = start.last().map_or(0, |&end| end as usize);
    let mut out = vec![0.0; ROWS * total + LANES];
    for (f, ends) in start.windows(2).enumerate() {
        let (from, count) = (ends[0] as usize, (ends[1] - ends[0]) as usize);
        for i in 0..count {
            for (row, number) in plane(f as u32, from + i).into_iter().enumerate() {
                out[ROWS * from + row * count + i] = number;
            }
        }
    }
    out
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
