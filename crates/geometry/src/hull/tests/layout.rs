//! Conditions that every hull must satisfy, for all points.

use super::Point;
use crate::hull::exact::{Expansion, side, turn};
use crate::polyhedron::{LANES, NO_FACE, Polyhedron};
use std::collections::HashMap;

/// Checks the documented layout, exact convexity, and (as long as that is not too much work) that
/// every point is inside.
pub(super) fn check(hull: &Polyhedron, points: &[Point]) {
    vertices(hull, points);
    faces(hull);
    edges(hull);
    neighbours(hull);
    if hull.dimension == 3 {
        convex(hull, points);
    }
    if hull.dimension >= 2 {
        assert_eq!(hull.count + hull.face_count(), hull.edges.len() + 2, "Euler");
    }
}

fn vertices(hull: &Polyhedron, points: &[Point]) {
    assert_eq!(hull.source.len(), hull.count);
    assert!(hull.source.is_sorted_by(|a, b| a < b));
    let padded = hull.count.next_multiple_of(LANES);
    assert_eq!([hull.x.len(), hull.y.len(), hull.z.len()], [padded; 3]);
    for i in 0..padded as u32 {
        let v = if i < hull.count as u32 { i } else { 0 };
        assert_eq!(hull.vertex(i), points[hull.source[v as usize] as usize]);
    }
    let mut first = HashMap::new();
    for (i, q) in points.iter().enumerate() {
        first.entry((*q + Point::ZERO).to_array().map(f64::to_bits)).or_insert(i as u32);
    }
    for (v, source) in hull.source.iter().enumerate() {
        let q = hull.vertex(v as u32);
        assert_eq!(first[&q.to_array().map(f64::to_bits)], *source, "the first of equal points, without -0.0");
    }
    let lengths = (0..hull.count as u32).map(|v| hull.vertex(v));
    for v in lengths {
        // radius^2 >= x^2 + y^2 + z^2, exactly
        let mut slack = Expansion::<8>::ZERO;
        slack.add_product(hull.radius, hull.radius);
        for c in v.to_array() {
            slack.add_product(-c, c);
        }
        assert!(slack.sign() >= 0.0);
    }
    let largest = (0..hull.count as u32).fold(0.0_f64, |r, v| r.max(hull.vertex(v).length()));
    assert!(hull.radius <= largest * (1.0 + 4.0 * f64::EPSILON));
}

fn faces(hull: &Polyhedron) {
    let count = hull.face_count();
    assert_eq!(hull.face_start.len(), count + 1);
    assert_eq!(hull.face_start[count] as usize, hull.face_vertices.len());
    assert_eq!(hull.face_edges.len(), hull.face_vertices.len());
    let mut before: Vec<u32> = Vec::new();
    for f in 0..count as u32 {
        let ring = hull.face(f);
        assert!(ring.len() >= 3 && ring.iter().all(|v| *v >= ring[0]));
        let mut sorted = ring.to_vec();
        sorted.sort_unstable();
        assert!(before < sorted || hull.dimension == 2 && f == 1 && before == sorted);
        before = sorted;
        for (i, &from) in ring.iter().enumerate() {
            let to = ring[(i + 1) % ring.len()];
            let e = hull.face_edges[hull.face_start[f as usize] as usize + i];
            let edge = hull.edges[e as usize];
            assert_eq!(edge.v, [from.min(to), from.max(to)]);
            assert_eq!(edge.f[usize::from(from > to)], f, "left face walks the edge upwards");
        }
        assert!((hull.normals[f as usize].length() - 1.0).abs() < 4.0 * f64::EPSILON);
        for c in hull.normals[f as usize].to_array() {
            assert!(c != 0.0 || c.is_sign_positive());
        }
        left_turns(hull, f);
    }
}

/// The polygon turns left seen from the tip of its normal.
fn left_turns(hull: &Polyhedron, f: u32) {
    let (ring, n) = (hull.face(f), hull.normals[f as usize]);
    let axis = (0..3).max_by(|&i, &j| n[i].abs().total_cmp(&n[j].abs())).expect("three axes");
    let at = |i: usize| hull.vertex(ring[i % ring.len()]);
    for i in 0..ring.len() {
        assert!(turn(at(i), at(i + 1), at(i + 2), axis) * n[axis] > 0.0);
    }
}

fn edges(hull: &Polyhedron) {
    assert!(hull.edges.is_sorted_by(|a, b| a.v < b.v));
    for edge in &hull.edges {
        assert!(edge.v[0] < edge.v[1]);
        if hull.dimension == 1 {
            assert_eq!(edge.f, [NO_FACE; 2]);
        } else {
            assert!(edge.f.iter().all(|f| (*f as usize) < hull.face_count()) && edge.f[0] != edge.f[1]);
        }
    }
    assert_eq!(hull.face_edges.len(), if hull.dimension < 2 { 0 } else { 2 * hull.edges.len() });
}

fn neighbours(hull: &Polyhedron) {
    assert_eq!(hull.neighbour_start.len(), hull.count + 1);
    assert_eq!(hull.neighbours.len(), 2 * hull.edges.len());
    assert_eq!(hull.neighbour_edges.len(), 2 * hull.edges.len());
    for v in 0..hull.count as u32 {
        assert!(hull.neighbours_of(v).is_sorted_by(|a, b| a < b));
        let start = hull.neighbour_start[v as usize] as usize;
        for (i, &other) in hull.neighbours_of(v).iter().enumerate() {
            let edge = hull.edges[hull.neighbour_edges[start + i] as usize];
            assert_eq!(edge.v, [v.min(other), v.max(other)]);
        }
        assert!(hull.dimension < 3 || hull.neighbours_of(v).len() >= 3);
    }
}

fn convex(hull: &Polyhedron, points: &[Point]) {
    let vertices: Vec<Point> = (0..hull.count as u32).map(|v| hull.vertex(v)).collect();
    for f in 0..hull.face_count() as u32 {
        let ring = hull.face(f);
        let [a, b, c] = [0, 1, 2].map(|i| hull.vertex(ring[i]));
        if vertices.len() * hull.face_count() <= 4_000_000 {
            for (v, q) in vertices.iter().enumerate() {
                let s = side(a, b, c, *q);
                assert!(if ring.contains(&(v as u32)) { s == 0.0 } else { s < 0.0 });
            }
        }
        if points.len() * hull.face_count() <= 4_000_000 {
            assert!(points.iter().all(|q| side(a, b, c, *q) <= 0.0));
        }
        assert!(hull.normals[f as usize].dot(hull.mean - a) < 0.0 || hull.count > 4, "outward");
    }
}
