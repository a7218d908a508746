//! Triangles that cross: how far one has to be moved at least until they do not.

use super::triangle_pair::{TriangleCorners, face_normal};
use clearsweep_geometry::Vec3;

/// Metres; 0 where no edge passes through the other triangle. While the ends of an edge stay on
/// both sides of the other's plane, and the point where it passes through stays inside, the
/// triangles cross. A translation of length t moves the ends by t, and that point in the plane by
/// at most t (1 + 1 / cos of the angle between edge and normal).
pub(super) fn least_translation(a: &TriangleCorners<f64>, b: &TriangleCorners<f64>) -> f64 {
    through(a, b).max(through(b, a))
}

/// Returns the [`least_translation`] that the edges of `own` through `other` prove, metres.
fn through(own: &TriangleCorners<f64>, other: &TriangleCorners<f64>) -> f64 {
    let normal = face_normal(other).normalized();
    if !normal.is_finite() {
        return 0.0;
    }
    let heights = own.map(|p| (p - other[0]).dot(normal));
    let mut least = 0.0_f64;
    for i in 0..3 {
        let (p, q, hp, hq) = (own[i], own[(i + 1) % 3], heights[i], heights[(i + 1) % 3]);
        if (hp < 0.0) == (hq < 0.0) {
            continue;
        }
        let at = p + (q - p).scale(hp / (hp - hq));
        let cosine = (hp - hq).abs() / (q - p).length();
        let inside =
            (0..3).map(|k| inside_edge(at, other[k], other[(k + 1) % 3], normal)).fold(f64::INFINITY, f64::min);
        least = least.max(hp.abs().min(hq.abs()).min(inside / (1.0 + 1.0 / cosine)));
    }
    least
}

/// Returns the distance of a point of the plane from an edge, positive on its inner side, metres.
fn inside_edge(p: Vec3<f64>, from: Vec3<f64>, to: Vec3<f64>, normal: Vec3<f64>) -> f64 {
    normal.cross(to - from).normalized().dot(p - from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::triangle_pair::closest_points;

    #[test]
    fn shorter_translations_leave_triangles_crossing() {
        let mut state = 3_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut point = |size: f64| Vec3::new(size * draw(), size * draw(), size * draw());
        let mut crossing = 0;
        for _ in 0..3_000 {
            let [a, b]: [TriangleCorners<f64>; 2] = std::array::from_fn(|_| std::array::from_fn(|_| point(1.0)));
            let least = least_translation(&a, &b);
            assert_eq!(least > 0.0, closest_points(&a, &b).crosses);
            crossing += u32::from(least > 0.0);
            for _ in 0..20 {
                let shift = point(1.0).normalized().scale(0.999 * least);
                assert!(
                    least == 0.0 || closest_points(&a, &b.map(|p| p + shift)).crosses,
                    "{a:?} {b:?} {least} {shift:?}"
                );
            }
        }
        assert!((300..2_700).contains(&crossing), "not representative: {crossing}");
    }
}
