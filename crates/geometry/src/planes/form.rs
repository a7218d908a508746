//! Computes the Voronoi planes of a polyhedron, with their clearances.

use super::{FourPlanes, LANES, LazyPlanes, Plane, Planes, VertexPlanes};
use crate::polyhedron::{Edge, NO_FACE, Polyhedron};
use crate::real::Scalar;
use crate::vec3::Vec3;

impl Polyhedron {
    /// The planes between the Voronoi regions of its features, computed at the first call.
    #[inline(always)]
    pub fn planes(&self) -> &Planes {
        self.planes.get_or_compute(self)
    }
}

impl LazyPlanes {
    /// Returns the planes of `p`, and computes them at the first call.
    #[inline(always)]
    fn get_or_compute(&self, p: &Polyhedron) -> &Planes {
        self.planes.get_or_init(|| Box::new(Planes::new(p)))
    }
}

impl Planes {
    /// Computes the planes of a polyhedron.
    pub fn new(p: &Polyhedron) -> Self {
        // At the two vertices of edge `e`, positive towards the edge.
        let at_vertices = |e: u32| {
            let [tail, head] = p.edges[e as usize].v.map(|v| p.vertex(v));
            let along = unit(head - tail);
            [Plane::through(tail, along), Plane::through(head, -along)]
        };
        // Along edge `e`, positive towards the inside of its face `f[side]`; face `f[0]` lies to
        // the left of the edge.
        let inward = |e: u32, side: usize| {
            let edge = &p.edges[e as usize];
            if edge.f[side] == NO_FACE {
                return Plane::NONE.flipped();
            }
            let [tail, head] = edge.v.map(|v| p.vertex(v));
            let left = p.normals[edge.f[side] as usize].cross(unit(head - tail));
            Plane::through(tail, if side == 0 { left } else { -left })
        };
        // Each plane is computed once; the vertices and faces copy the numbers.
        let around = |e: u32| {
            let [tail, head] = at_vertices(e);
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
                let (own, other) = if v < w { (0, 1) } else { (1, 0) };
                vertex_planes[first + i / LANES].set(i % LANES, &edge.plane(own).flipped(), edge.offsets[other]);
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
        let face_clearances: Vec<f64> = (0..p.face_count() as u32).map(|f| face_clearance(p, f)).collect();
        let edge_clearances = p.edges.iter().map(|edge| edge_clearance(p, edge, &face_clearances)).collect();
        let point = |v: u32| {
            let Vec3 { x, y, z } = p.vertex(v);
            [x, y, z, vertex_clearance(p, v)]
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
}

/// Bound of the rounding of a height over a face, in units of 2^-53 of the radius.
const HEIGHT_ROUNDING: f64 = 32.0;

/// The clearance of vertex `v`: the distance of its nearest neighbour, less rounding.
fn vertex_clearance(p: &Polyhedron, v: u32) -> f64 {
    let squares = p.neighbours_of(v).iter().map(|&w| (p.vertex(w) - p.vertex(v)).length2());
    squares.fold(f64::INFINITY, f64::min).sqrt() * (1.0 - HEIGHT_ROUNDING * f64::UNIT)
}

/// The clearance of face `f`. The vertex next below it is a neighbour of one of its vertices, since
/// from every vertex a path along edges climbs to the face.
fn face_clearance(p: &Polyhedron, f: u32) -> f64 {
    let (own, normal) = (p.face(f), p.normals[f as usize]);
    let top = normal.dot(p.vertex(own[0]));
    let mut clearance = f64::INFINITY;
    for w in own.iter().flat_map(|&v| p.neighbours_of(v)) {
        let depth = top - normal.dot(p.vertex(*w));
        if depth < clearance && !own.contains(w) {
            clearance = depth;
        }
    }
    clearance - HEIGHT_ROUNDING * f64::UNIT * p.radius
}

/// The clearances of an edge; zero where the angle between the faces is too small to be known.
fn edge_clearance(p: &Polyhedron, edge: &Edge, clearances: &[f64]) -> [f64; 2] {
    const FLAT: f64 = 1e-5;
    if edge.f.contains(&NO_FACE) {
        return [0.0; 2];
    }
    let [left, right] = edge.f.map(|f| f as usize);
    let sine = p.normals[left].cross(p.normals[right]).length();
    if sine > FLAT { [clearances[right] / sine, clearances[left] / sine] } else { [0.0; 2] }
}

/// `v` at unit length, without overflow or underflow.
fn unit(v: Vec3<f64>) -> Vec3<f64> {
    let most = v.x.abs().max(v.y.abs()).max(v.z.abs());
    let scaled = Vec3 { x: v.x / most, y: v.y / most, z: v.z / most };
    let length = scaled.length();
    Vec3 { x: scaled.x / length, y: scaled.y / length, z: scaled.z / length }
}
