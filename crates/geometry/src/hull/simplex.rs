//! The dimension of points, decided exactly, and a large simplex of them to begin with.

use super::exact::{collinear, side};
use crate::vec3::Vec3;

/// The affine span of points, with vertices of a simplex of that dimension; each the first of the
/// points equal to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AffineSpan {
    /// All points are equal.
    Point(u32),
    /// All lie on a line; its extreme points.
    Line(u32, u32),
    /// All lie in a plane; three that are not collinear.
    Plane([u32; 3]),
    /// FourPlanes points that are not coplanar; the last lies below the plane of the others.
    Solid([u32; 4]),
}

/// Finds the affine span of `points` (at least one). The simplex is chosen large, by rounded sizes;
/// whether it is one is exact.
pub(super) fn span(points: &[Vec3<f64>]) -> AffineSpan {
    let at = |i: u32| points[i as usize];
    let a = lexicographic_extreme(points, |p, q| p < q);
    let origin = at(a);
    let b = largest(points, |p| max_norm(p - origin));
    if at(b) == origin {
        return AffineSpan::Point(a);
    }
    let along = at(b) - origin;
    let mut c = largest(points, |p| max_norm(along.cross(p - origin)));
    if collinear(origin, at(b), at(c)) {
        // The rounded areas say nothing: ask each point.
        match points.iter().position(|p| !collinear(origin, at(b), *p)) {
            Some(i) => c = i as u32,
            None => return AffineSpan::Line(a, lexicographic_extreme(points, |p, q| p > q)),
        }
    }
    let normal = along.cross(at(c) - origin);
    let mut d = largest(points, |p| normal.dot(p - origin).abs());
    if side(origin, at(b), at(c), at(d)) == 0.0 {
        match points.iter().position(|p| side(origin, at(b), at(c), *p) != 0.0) {
            Some(i) => d = i as u32,
            None => return AffineSpan::Plane([a, b, c]),
        }
    }
    if side(origin, at(b), at(c), at(d)) < 0.0 {
        AffineSpan::Solid([a, b, c, d])
    } else {
        AffineSpan::Solid([a, c, b, d])
    }
}

fn max_norm(v: Vec3<f64>) -> f64 {
    v.x.abs().max(v.y.abs()).max(v.z.abs())
}

/// The first point of the largest size.
fn largest(points: &[Vec3<f64>], size: impl Fn(Vec3<f64>) -> f64) -> u32 {
    let (mut best, mut best_size) = (0, f64::NEG_INFINITY);
    for (i, p) in points.iter().enumerate() {
        let s = size(*p);
        if s > best_size {
            (best, best_size) = (i as u32, s);
        }
    }
    best
}

/// The first point that comes `before` all others by x, then y, then z: on a line, one of its two
/// ends.
fn lexicographic_extreme(points: &[Vec3<f64>], before: impl Fn(&[f64; 3], &[f64; 3]) -> bool) -> u32 {
    let mut best = 0;
    for (i, p) in points.iter().enumerate() {
        if before(&p.to_array(), &points[best].to_array()) {
            best = i;
        }
    }
    best as u32
}
