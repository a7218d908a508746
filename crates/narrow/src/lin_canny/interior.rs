//! The interior of a polyhedron, divided into pseudo-Voronoi regions (Lin's survey, section 5.1): a
//! cone for each face, with the mean of the vertices as its apex. Neighbouring cones share the
//! plane through the apex and the edge between their faces. The planes are formed where they are
//! tested and not stored.
//!
//! The cones of all faces fill space. The cone that holds a point `x` is that of the face `f` with
//! the greatest ratio `g_f(x) = n_f . (x - c) / n_f . (p_f - c)`, with the apex `c`, the face's
//! normal `n_f` and a point `p_f` of the face: the greatest ratio is the gauge of the polyhedron,
//! and it is at most 1 inside. The plane between two neighbouring cones is where their ratios are
//! equal. So a walk from face to face across planes that `x` lies beyond raises the ratio at each
//! step, and no face comes back. The gauge is convex, so the walk ends only where the cone holds
//! `x`.

use clearsweep_geometry::{Polyhedron, Vec3};

/// The face across the plane of the cone of face `f` that `x` lies beyond most; `None` if the cone
/// holds `x`.
///
/// No tolerance: both faces of an edge compare the same number with 0, so `x` never lies beyond the
/// plane for both.
pub(super) fn beyond_cone(p: &Polyhedron, f: u32, x: Vec3<f64>) -> Option<u32> {
    let ring = p.face_start[f as usize] as usize..p.face_start[f as usize + 1] as usize;
    let mut most = (0.0, None);
    for &e in &p.face_edges[ring] {
        let edge = &p.edges[e as usize];
        let [tail, head] = edge.v.map(|v| p.vertex(v) - p.mean);
        // Positive on the side of the face to the left of the edge.
        let normal = tail.cross(head);
        let left = normal.dot(x - p.mean) / normal.length();
        let is_left = edge.f[0] == f;
        let side = if is_left { left } else { -left };
        if side < most.0 {
            most = (side, Some(edge.f[usize::from(is_left)]));
        }
    }
    most.1
}
