//! The distance of two triangles in `f64` (Ericson, *Real-Time Collision Detection*, 5.1.9 and
//! 5.1.10).

use super::tree::Corners;
use clearsweep_geometry::Vec3;

/// The square of the distance, and from the nearest point of A to that of B; 0 where they cross.
pub(crate) fn between(a: &Corners, b: &Corners) -> (f64, Vec3<f64>) {
    let mut best = (f64::INFINITY, Vec3::ZERO);
    let mut take = |line: Vec3<f64>| {
        if line.length2() < best.0 {
            best = (line.length2(), line);
        }
    };
    let edges = |t: &Corners| [0, 1, 2].map(|i| t[(i + 1) % 3] - t[i]);
    let (ea, eb) = (edges(a), edges(b));
    for (p, d) in a.iter().zip(ea) {
        for (q, e) in b.iter().zip(eb) {
            take(segments(*p, d, *q, e));
        }
    }
    let (na, nb) = (ea[0].cross(ea[1]), eb[0].cross(eb[1]));
    for (own, own_edges, other, edges, n, sign) in [(a, ea, b, eb, nb, 1.0), (b, eb, a, ea, na, -1.0)] {
        let n2 = n.length2();
        if n2 == 0.0 {
            continue;
        }
        let inside = |p: Vec3<f64>| (0..3).all(|i| edges[i].cross(p - other[i]).dot(n) >= 0.0);
        let heights = own.map(|p| (p - other[0]).dot(n));
        for i in 0..3 {
            let (h, next) = (heights[i], heights[(i + 1) % 3]);
            if inside(own[i]) {
                take(n * (-sign * h / n2));
            }
            if (h < 0.0) != (next < 0.0) && h != next && inside(own[i] + own_edges[i] * (h / (h - next))) {
                return (0.0, Vec3::ZERO);
            }
        }
    }
    best
}

/// From the nearest point of one segment (start and direction) to that of another.
#[inline(always)]
fn segments(p: Vec3<f64>, d: Vec3<f64>, q: Vec3<f64>, e: Vec3<f64>) -> Vec3<f64> {
    let r = p - q;
    let (a, c, b) = (d.length2(), d.dot(r), d.dot(e));
    let (g, f) = (e.length2(), e.dot(r));
    let determinant = a * g - b * b;
    let s = if determinant > 0.0 { ((b * f - c * g) / determinant).clamp(0.0, 1.0) } else { 0.0 };
    let t = (b * s + f) / g;
    let (s, t) = if t < 0.0 {
        ((-c / a).clamp(0.0, 1.0), 0.0)
    } else if t > 1.0 {
        (((b - c) / a).clamp(0.0, 1.0), 1.0)
    } else {
        (s, t)
    };
    e * t - d * s - r
}
