//! Questions about a triangle mesh: does it close up, and is it the surface of its hull?

use crate::geometry::{Polyhedron, Vec3};

/// How the triangles of a mesh meet at their edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Closure {
    /// Every edge belongs to exactly two triangles.
    pub(super) closed: bool,
    /// And those two run through it in opposite directions.
    pub(super) oriented: bool,
}

impl Closure {
    /// Of triangles over vertices of which equal positions have equal indices. A triangle with a repeated vertex has
    /// no inside and two edges that cancel: it is left out.
    pub(super) fn of(triangles: &[[u32; 3]]) -> Self {
        let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * triangles.len());
        for &[a, b, c] in triangles {
            if a != b && b != c && c != a {
                edges.extend([(a, b), (b, c), (c, a)].map(|(p, q)| (p.min(q), p.max(q), p < q)));
            }
        }
        edges.sort_unstable();
        let mut found = Self { closed: !edges.is_empty(), oriented: true };
        for same in edges.chunk_by(|e, f| (e.0, e.1) == (f.0, f.1)) {
            found.closed &= same.len() == 2;
            found.oriented &= same.len() == 2 && same[0].2 != same[1].2;
        }
        found.oriented &= found.closed;
        found
    }
}

/// Why a mesh is not the surface of its hull.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotConvex {
    /// Its triangles do not close up.
    Open,
    /// A triangle (its index) lies inside the hull.
    Inside(usize),
    /// Its triangles lie on the hull, but do not cover it.
    Uncovered,
}

/// Whether a mesh is the surface of its hull within `tolerance` (a length).
///
/// Every triangle must lie within the tolerance of one face of the hull: nearly always the three vertices share a face
/// by topology, and only a triangle that spans almost coplanar faces is measured against all of them. `triangles` are
/// indices into `points`, whose hull is `hull` (`source` = index into `points`).
pub(super) fn is_convex(
    points: &[Vec3<f64>],
    triangles: &[[u32; 3]],
    hull: &Polyhedron,
    tolerance: f64,
) -> Result<(), NotConvex> {
    if !Closure::of(triangles).closed {
        return Err(NotConvex::Open);
    }
    let mut on_hull = vec![u32::MAX; points.len()];
    for (vertex, &source) in hull.source.iter().enumerate() {
        on_hull[source as usize] = vertex as u32;
    }
    let mut area = 0.0;
    for (index, triangle) in triangles.iter().enumerate() {
        let corners = triangle.map(|v| points[v as usize]);
        area += double_area(corners);
        let vertices = triangle.map(|v| on_hull[v as usize]);
        let shared = vertices.iter().all(|&v| v != u32::MAX) && hull.face_containing(&vertices).is_some();
        if !shared && !near_a_face(hull, corners, tolerance) {
            return Err(NotConvex::Inside(index));
        }
    }
    // A closed surface on the hull covers it, unless it is folded flat on itself.
    if area < surface(hull) * (1.0 - 1e-6) { Err(NotConvex::Uncovered) } else { Ok(()) }
}

/// Whether three points lie within the tolerance of the plane of one face; none lies outside of the hull.
fn near_a_face(hull: &Polyhedron, corners: [Vec3<f64>; 3], tolerance: f64) -> bool {
    (0..hull.face_count()).any(|f| {
        let on_plane = hull.vertex(hull.face(f as u32)[0]);
        corners.iter().all(|&p| hull.normals[f].dot(p - on_plane) >= -tolerance)
    })
}

fn double_area([a, b, c]: [Vec3<f64>; 3]) -> f64 {
    (b - a).cross(c - a).length()
}

/// Twice the area of a polyhedron.
fn surface(hull: &Polyhedron) -> f64 {
    let face = |f: usize| {
        let corners = hull.face(f as u32);
        let fan = corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]].map(|v| hull.vertex(v)));
        fan.map(double_area).sum::<f64>()
    };
    (0..hull.face_count()).map(face).sum()
}

#[cfg(test)]
mod tests {
    use super::Closure;

    #[test]
    fn closure_counts_edges_and_directions() {
        let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        assert_eq!(Closure::of(&tetrahedron), Closure { closed: true, oriented: true });
        let mut flipped = tetrahedron;
        flipped[0].swap(0, 1);
        assert_eq!(Closure::of(&flipped), Closure { closed: true, oriented: false });
        assert_eq!(Closure::of(&tetrahedron[1..]), Closure { closed: false, oriented: false });
        let with_sliver = [&tetrahedron[..], &[[1, 1, 2]]].concat();
        assert_eq!(Closure::of(&with_sliver), Closure { closed: true, oriented: true });
        assert!(!Closure::of(&[[0, 0, 0]]).closed);
    }
}
