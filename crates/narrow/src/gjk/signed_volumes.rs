//! The distance sub-algorithm by signed volumes.
//!
//! Source: Montanari, Petrinic, Barbieri 2017, section 4, Algorithms 2-5 (S3D, S2D, S1D). The signs
//! are derived here, since the printed ones of Algorithms 4 and 5 do not hold: a sub-simplex
//! carries the point of minimum norm only if the origin's projection lies on the inner side of each
//! of its facets, that is, if replacing a vertex by the projection keeps the sign of the signed
//! volume. Only facets whose sign differs are searched.
//!
//! Departure: the paper leaves out the faces without the newest vertex beforehand (section 4.1,
//! Figure 10). Here every facet and side whose sign differs is searched, since a remembered simplex
//! has no newest vertex.

use super::simplex_point::{DistanceSubAlgorithm, SimplexPoint};
use clearsweep_geometry::{Real, Scalar, Vec3};

/// The sub-algorithm by signed volumes. It always finds a point.
pub(super) struct SignedVolumes;

impl DistanceSubAlgorithm for SignedVolumes {
    #[inline(always)]
    fn nearest<T: Real>(s: &[Vec3<T>; 4], count: usize) -> Option<SimplexPoint<T>> {
        Some(nearest(s, count))
    }
}

/// The nearest point of the simplex of the first `count` (1 to 4) points of `s`.
#[inline]
pub(crate) fn nearest<T: Real>(s: &[Vec3<T>; 4], count: usize) -> SimplexPoint<T> {
    match count {
        4 => tetrahedron(s),
        3 => triangle(s, [0, 1, 2]),
        2 => segment(s, [0, 1]),
        _ => SimplexPoint::vertex(s, 0),
    }
}

/// S3D (Algorithm 3).
fn tetrahedron<T: Real>(s: &[Vec3<T>; 4]) -> SimplexPoint<T> {
    let [a, b, c, d] = *s;
    // Six times the signed volumes of the tetrahedra in which the origin replaces a vertex; they
    // sum to the whole.
    let volumes = [b.dot(c.cross(d)), -a.dot(c.cross(d)), a.dot(b.cross(d)), -a.dot(b.cross(c))];
    let whole = (b - a).dot((c - a).cross(d - a));
    let same = |v: T| (whole > T::ZERO && v > T::ZERO) || (whole < T::ZERO && v < T::ZERO);
    if volumes.into_iter().all(same) {
        return SimplexPoint { point: Vec3::ZERO, kept: [0, 1, 2, 3], count: 4 };
    }
    const OPPOSITE: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];
    let mut best: Option<SimplexPoint<T>> = None;
    for (facet, volume) in OPPOSITE.into_iter().zip(volumes) {
        if !same(volume) {
            let found = triangle(s, facet);
            best = Some(best.map_or(found, |b| b.nearer(found)));
        }
    }
    best.unwrap_or_else(|| triangle(s, [0, 1, 2]))
}

/// S2D (Algorithm 4).
fn triangle<T: Real>(s: &[Vec3<T>; 4], at: [usize; 3]) -> SimplexPoint<T> {
    let [a, b, c] = at.map(|i| s[i]);
    let normal = (b - a).cross(c - a);
    let n2 = normal.length2();
    if n2.partial_cmp(&T::ZERO) != Some(std::cmp::Ordering::Greater) {
        // A degenerate triangle: the nearest point is on a side.
        return segment(s, [at[0], at[1]]).nearer(segment(s, [at[0], at[2]])).nearer(segment(s, [at[1], at[2]]));
    }
    let foot = normal.scale(a.dot(normal) / n2);
    // Areas in the coordinate plane in which the triangle's projection is largest.
    let size = normal.to_array().map(Scalar::abs);
    let (i, j, whole) = if size[0] >= size[1] && size[0] >= size[2] {
        (1, 2, normal.x)
    } else if size[1] >= size[2] {
        (2, 0, normal.y)
    } else {
        (0, 1, normal.z)
    };
    let area = |p: Vec3<T>, q: Vec3<T>| (p[i] - foot[i]) * (q[j] - foot[j]) - (p[j] - foot[j]) * (q[i] - foot[i]);
    let areas = [area(b, c), area(c, a), area(a, b)];
    let same = |v: T| (whole > T::ZERO && v > T::ZERO) || (whole < T::ZERO && v < T::ZERO);
    if areas.into_iter().all(same) {
        let point = (a.scale(areas[0]) + b.scale(areas[1]) + c.scale(areas[2])).scale(T::ONE / whole);
        return SimplexPoint { point, kept: [at[0], at[1], at[2], 0], count: 3 };
    }
    const OPPOSITE: [[usize; 2]; 3] = [[1, 2], [0, 2], [0, 1]];
    let mut best: Option<SimplexPoint<T>> = None;
    for (side, area) in OPPOSITE.into_iter().zip(areas) {
        if !same(area) {
            let found = segment(s, side.map(|k| at[k]));
            best = Some(best.map_or(found, |b| b.nearer(found)));
        }
    }
    best.unwrap_or_else(|| segment(s, [at[0], at[1]]))
}

/// S1D (Algorithm 5).
fn segment<T: Real>(s: &[Vec3<T>; 4], at: [usize; 2]) -> SimplexPoint<T> {
    let [a, b] = at.map(|i| s[i]);
    let along = b - a;
    let l2 = along.length2();
    if l2.partial_cmp(&T::ZERO) != Some(std::cmp::Ordering::Greater) {
        return SimplexPoint::vertex(s, at[0]);
    }
    // Signed lengths along the segment from the foot of the origin to each end, times the segment's
    // length.
    let to_b = b.dot(along);
    let from_a = -a.dot(along);
    if from_a.partial_cmp(&T::ZERO) != Some(std::cmp::Ordering::Greater) {
        return SimplexPoint::vertex(s, at[0]);
    }
    if to_b.partial_cmp(&T::ZERO) != Some(std::cmp::Ordering::Greater) {
        return SimplexPoint::vertex(s, at[1]);
    }
    let point = (a.scale(to_b) + b.scale(from_a)).scale(T::ONE / l2);
    SimplexPoint { point, kept: [at[0], at[1], 0, 0], count: 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
        Vec3::new(x, y, z)
    }

    /// The least norm over a grid of barycentric coordinates of each sub-simplex: an upper bound of
    /// the distance.
    fn by_enumeration(s: &[Vec3<f64>], out: &mut f64) {
        for mask in 1_usize..1 << s.len() {
            let chosen: Vec<_> = (0..s.len()).filter(|i| mask >> i & 1 == 1).map(|i| s[i]).collect();
            // A grid shares no code with the algorithm under test and is fine enough for an upper
            // bound.
            let n = chosen.len();
            let steps = if n <= 2 { 4000 } else { 60 };
            let mut weights = vec![0_usize; n];
            walk(&chosen, &mut weights, 0, steps, steps, out);
        }
    }

    fn walk(s: &[Vec3<f64>], w: &mut Vec<usize>, at: usize, left: usize, steps: usize, out: &mut f64) {
        if at + 1 == s.len() {
            w[at] = left;
            let mut p = Vec3::ZERO;
            for (k, &i) in w.iter().enumerate() {
                p = p + s[k].scale(i as f64 / steps as f64);
            }
            *out = out.min(p.length());
            return;
        }
        for k in 0..=left {
            w[at] = k;
            walk(s, w, at + 1, left - k, steps, out);
        }
    }

    #[test]
    fn random_simplices_agree_with_a_grid_search() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut counts = [0; 5];
        for case in 0..400 {
            // Half of the tetrahedra lie about the origin, or few would contain it.
            let offset = v(next(), next(), next()).scale(if case % 8 == 3 { 0.05 } else { 1.0 });
            let mut s = [Vec3::ZERO; 4];
            for p in &mut s {
                *p = v(next(), next(), next()) + offset;
            }
            let n = 1 + case % 4;
            let found = nearest(&s, n);
            counts[found.count] += 1;
            let mut grid = f64::INFINITY;
            by_enumeration(&s[..n], &mut grid);
            let d = found.point.length();
            assert!(d <= grid + 1e-12, "case {case}: {d} above {grid}");
            assert!(d >= grid - 0.05, "case {case}: {d} far below {grid}");
            // Optimality: no vertex of the simplex lies nearer along the direction found.
            for p in &s[..n] {
                assert!(found.point.dot(*p) >= found.point.length2() - 1e-12);
            }
        }
        assert!(counts[1..].iter().all(|&c| c >= 8), "not representative: {counts:?}");
    }

    #[test]
    fn flat_simplices_have_answers() {
        let line = [v(1.0, 1.0, 0.0), v(2.0, 1.0, 0.0), v(-1.0, 1.0, 0.0), v(0.5, 1.0, 0.0)];
        for n in 1..=4 {
            assert!(nearest(&line, n).point.is_finite());
        }
        assert!((nearest(&line, 4).point.length() - 1.0).abs() < 1e-15);
        let same = [v(1.0, 2.0, 2.0); 4];
        assert_eq!(nearest(&same, 4).point.length(), 3.0);
    }
}
