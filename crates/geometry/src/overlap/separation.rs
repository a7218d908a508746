//! A proof that two convex hulls are apart.

use crate::Vec3;

/// Directions that are tried.
const DIRECTIONS: usize = 32;

/// Whether the hulls of two sets of points are proven to be more than `gap` apart (metres). Each
/// direction is that of the point of a difference segment nearest to the origin (Gilbert 1966).
/// `margin`: more than the points and their products are off together.
pub(super) fn are_apart(a: &[Vec3<f64>], b: &[Vec3<f64>], gap: f64, margin: f64) -> bool {
    let (Some(&p), Some(&q)) = (a.first(), b.first()) else { return true };
    let mut nearest = q - p;
    for _ in 0..DIRECTIONS {
        let n = nearest.normalized();
        if !n.is_finite() {
            return false;
        }
        let corner = farthest(b, -n) - farthest(a, n);
        if n.dot(corner) > gap + margin {
            return true;
        }
        let step = corner - nearest;
        let share = (-nearest.dot(step) / step.length2()).clamp(0.0, 1.0);
        nearest = nearest + step.scale(share);
    }
    false
}

fn farthest(points: &[Vec3<f64>], n: Vec3<f64>) -> Vec3<f64> {
    let farther = |best: (f64, Vec3<f64>), &p: &Vec3<f64>| {
        let height = n.dot(p);
        if height > best.0 { (height, p) } else { best }
    };
    points.iter().fold((f64::NEG_INFINITY, points[0]), farther).1
}
