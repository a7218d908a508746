//! The distance of two surfaces by all pairs of triangles, with nothing of the engine's code.
//!
//! The distance of two triangles is that of the origin from their Minkowski difference, the hull of
//! nine points. Its nearest point lies inside a face of one, two or three of them: all are tried.
//! Pairs whose balls are farther apart than the best are left out.

use clearsweep_geometry::{Pose, Vec3};
use clearsweep_testing::solids::Solid;

/// The corners of a triangle.
pub(crate) type Corners = [Vec3<f64>; 3];

/// A bracket of the distance of two surfaces, metres; its lower end is 0 where they cross or come
/// very near.
pub(crate) fn surface_distance(a: &Solid, b: &Solid, pose: &Pose) -> [f64; 2] {
    let (a, b) = (a.corners(), b.corners());
    let b: Vec<Corners> = b.into_iter().map(|t| t.map(|p| pose.apply(p))).collect();
    let ball = |t: &Corners| {
        let middle = (t[0] + t[1] + t[2]) * (1.0 / 3.0);
        (middle, t.iter().map(|p| (*p - middle).length()).fold(0.0, f64::max))
    };
    let (balls_a, balls_b): (Vec<_>, Vec<_>) = (a.iter().map(ball).collect(), b.iter().map(ball).collect());
    let mut best = [f64::INFINITY; 2];
    for (ta, (ma, ra)) in a.iter().zip(&balls_a) {
        for (tb, (mb, rb)) in b.iter().zip(&balls_b) {
            if (*mb - *ma).length() - ra - rb <= best[1] {
                let [lower, upper] = triangle_bracket(ta, tb);
                best = [best[0].min(lower), best[1].min(upper)];
            }
        }
    }
    best
}

/// A bracket of the distance of two triangles; its lower end is that of the plane across the line
/// to the nearest point, or 0.
pub(crate) fn triangle_bracket(a: &Corners, b: &Corners) -> [f64; 2] {
    let points: Vec<Vec3<f64>> = b.iter().flat_map(|q| a.iter().map(move |p| *q - *p)).collect();
    let mut best: Option<Vec3<f64>> = None;
    let mut take = |x: Vec3<f64>| {
        if best.is_none_or(|y| x.length2() < y.length2()) {
            best = Some(x);
        }
    };
    for i in 0..9 {
        take(points[i]);
        for j in 0..i {
            on_segment(points[i], points[j]).into_iter().for_each(&mut take);
            for k in 0..j {
                on_triangle(points[i], points[j], points[k]).into_iter().for_each(&mut take);
            }
        }
    }
    let nearest = best.expect("nine points");
    let distance = nearest.length();
    if distance == 0.0 {
        return [0.0; 2];
    }
    let lower = points.iter().map(|p| p.dot(nearest) / distance).fold(f64::INFINITY, f64::min);
    // Not proven: the origin is inside, or nearly.
    [if lower > 0.0 { lower - 1e-14 } else { 0.0 }, if lower > 0.0 { distance + 1e-14 } else { distance }]
}

/// The point of the line nearest to the origin, if it lies between.
fn on_segment(p: Vec3<f64>, q: Vec3<f64>) -> Option<Vec3<f64>> {
    let d = q - p;
    let s = -p.dot(d) / d.length2();
    (s > 0.0 && s < 1.0).then(|| p + d * s)
}

/// The point of the plane nearest to the origin, if it lies inside.
fn on_triangle(p: Vec3<f64>, q: Vec3<f64>, r: Vec3<f64>) -> Option<Vec3<f64>> {
    let n = (q - p).cross(r - p);
    let foot = n * (p.dot(n) / n.length2());
    let inside = |u: Vec3<f64>, v: Vec3<f64>| (v - u).cross(foot - u).dot(n) > 0.0;
    (n.length2() > 0.0 && inside(p, q) && inside(q, r) && inside(r, p)).then_some(foot)
}
