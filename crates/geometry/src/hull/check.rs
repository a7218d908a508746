//! Proves a finished hull to be a convex polyhedron, exactly, in every build: one test per vertex
//! of each face, a few per cent of the time of the hull.
//!
//! A closed surface of Euler characteristic 2 of flat, strictly convex faces that is strictly
//! convex along every edge is the boundary of a convex polyhedron.

use super::exact::{side, turn};
use super::inexact::Inexact;
use crate::polyhedron::Boundary;

/// Checks a polygon or solid (points and segments pass).
pub(super) fn convex(hull: &Boundary) -> Result<(), Inexact> {
    if hull.dimension < 2 {
        return Ok(());
    }
    // Every edge has two faces: assembly has seen to that.
    if hull.count + hull.face_count() != hull.edges.len() + 2 {
        return Err(Inexact { point: hull.source[0] });
    }
    (0..hull.face_count() as u32).try_for_each(|f| flat_and_convex(hull, f))?;
    if hull.dimension == 3 { bent_at_edges(hull) } else { Ok(()) }
}

/// A face lies in one plane, and its polygon turns left at every vertex, once around.
fn flat_and_convex(hull: &Boundary, f: u32) -> Result<(), Inexact> {
    let ring = hull.face(f);
    let at = |i: usize| hull.vertex(ring[i % ring.len()]);
    let normal = hull.normals[f as usize].to_array();
    let axis = (0..3).fold(0, |best, axis| if normal[axis].abs() > normal[best].abs() { axis } else { best });
    let left = |i: usize, j: usize, k: usize| turn(at(i), at(j), at(k), axis) * normal[axis].signum() > 0.0;
    for i in 0..ring.len() {
        let fan = i == 0 || i + 1 >= ring.len();
        let convex = left(i, i + 1, i + 2) && (fan || left(0, i, i + 1));
        // The first three span the plane: an exact zero is what costs most to find.
        if !convex || (i > 2 && side(at(0), at(1), at(2), at(i)) != 0.0) {
            return Err(Inexact { point: hull.source[ring[i] as usize] });
        }
    }
    Ok(())
}

/// At every edge, the face to its right goes strictly below the plane of the face to its left.
fn bent_at_edges(hull: &Boundary) -> Result<(), Inexact> {
    for edge in &hull.edges {
        let (left, right) = (hull.face(edge.f[0]), hull.face(edge.f[1]));
        let [a, b, c] = [0, 1, 2].map(|i| hull.vertex(left[i]));
        let off = right.iter().find(|v| !edge.v.contains(v));
        if off.is_none_or(|&v| side(a, b, c, hull.vertex(v)) >= 0.0) {
            return Err(Inexact { point: hull.source[edge.v[0] as usize] });
        }
    }
    Ok(())
}
