//! The distance of two triangles, with a direction that proves it.
//!
//! Closest points lie on two edges, or at a vertex of one and inside the other (Ericson, *Real-Time
//! Collision Detection*, 5.1.9 and 5.1.10). Where an edge passes through the other triangle the
//! distance is 0. A triangle whose corners are collinear or equal is a segment or a point: its
//! edges answer for it. So do the edges of a needle whose computed normal is tilted by rounding.

use clearsweep_geometry::{Real, Vec3};

/// The heights of a triangle's own corners along its computed normal, in lengths of its longest
/// edge, up to which the normal counts.
const FLAT: f64 = 16.0 * f64::EPSILON;

/// The corners of a triangle.
pub(crate) type TriangleCorners<T> = [Vec3<T>; 3];

/// A feature of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TriangleFeature {
    /// Corner `i`.
    Vertex(u8),
    /// The edge from corner `i` to the next.
    Edge(u8),
    /// The interior.
    Face,
}

/// The closest points of two triangles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClosestPoints<T> {
    /// Square of the distance, square metres; 0 where they cross.
    pub distance2: T,
    /// Closest point on A.
    pub point_a: Vec3<T>,
    /// Closest point on B.
    pub point_b: Vec3<T>,
    /// Closest features of A and of B.
    pub features: [TriangleFeature; 2],
    /// Whether an edge passes through the other triangle, as computed.
    pub crosses: bool,
}

/// A triangle with what several tests need of it.
struct Prepared<'a, T> {
    corners: &'a TriangleCorners<T>,
    edges: [Vec3<T>; 3],
    lengths2: [T; 3],
    /// Normal, as long as twice the area; zero if rounding tilts it.
    normal: Vec3<T>,
    normal2: T,
}

/// The edges of a triangle, from each corner to the next.
#[inline(always)]
fn edges_of<T: Real>(corners: &TriangleCorners<T>) -> [Vec3<T>; 3] {
    [corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]]
}

/// The normal of a triangle, of the length of twice its area, and its square: the first product of
/// two edges along which the corners are at one height. Zero where there is none.
#[inline(always)]
fn flat_normal<T: Real>(edges: &[Vec3<T>; 3], lengths2: &[T; 3]) -> (Vec3<T>, T) {
    let longest2 = lengths2[0].larger(lengths2[1]).larger(lengths2[2]);
    for k in 0..3 {
        let normal = edges[k].cross(edges[(k + 1) % 3]);
        let normal2 = normal.length2();
        let most2 = T::from_f64(FLAT * FLAT) * (normal2 * longest2);
        let [from, to] = [edges[0].dot(normal), edges[2].dot(normal)];
        if from * from <= most2 && to * to <= most2 {
            return (normal, normal2);
        }
    }
    (Vec3::ZERO, T::ZERO)
}

/// The normal of a triangle, of the length of twice its area; zero where rounding tilts it, and of
/// a triangle without area.
pub(crate) fn face_normal<T: Real>(corners: &TriangleCorners<T>) -> Vec3<T> {
    let edges = edges_of(corners);
    flat_normal(&edges, &edges.map(|e| e.length2())).0
}

impl<'a, T: Real> Prepared<'a, T> {
    #[inline(always)]
    fn new(corners: &'a TriangleCorners<T>) -> Self {
        let edges = edges_of(corners);
        let lengths2 = edges.map(|e| e.length2());
        let (normal, normal2) = flat_normal(&edges, &lengths2);
        Self { corners, edges, lengths2, normal, normal2 }
    }

    /// Whether the projection of `p` to the plane lies in the triangle, its border included.
    #[inline(always)]
    fn contains(&self, p: Vec3<T>) -> bool {
        (0..3).all(|i| self.edges[i].cross(p - self.corners[i]).dot(self.normal) >= T::ZERO)
    }

    /// The distances of points from the plane, times the length of the normal.
    #[inline(always)]
    fn heights(&self, points: &TriangleCorners<T>) -> [T; 3] {
        points.map(|p| (p - self.corners[0]).dot(self.normal))
    }
}

/// The closest points of two triangles in one frame: they lie on the triangles but for rounding, so
/// that no distance is too short. Rounding can make it too long where edges are nearly parallel,
/// and of needles; [`separation`] shows whether it did.
pub(crate) fn closest_points<T: Real>(a: &TriangleCorners<T>, b: &TriangleCorners<T>) -> ClosestPoints<T> {
    let (pa, pb) = (Prepared::new(a), Prepared::new(b));
    let mut best = edge_pairs(&pa, &pb);
    for (own, other, swapped) in [(&pa, &pb, false), (&pb, &pa, true)] {
        if other.normal2 > T::ZERO {
            vertices_on_face(own, other, swapped, &mut best);
        }
    }
    best
}

/// The closest points of all pairs of edges; the first of equal ones.
#[inline(always)]
fn edge_pairs<T: Real>(a: &Prepared<'_, T>, b: &Prepared<'_, T>) -> ClosestPoints<T> {
    let mut best: Option<(T, [T; 2], [usize; 2])> = None;
    for i in 0..3 {
        for j in 0..3 {
            let r = a.corners[i] - b.corners[j];
            let [s, t] = closest_parameters((a.edges[i], a.lengths2[i]), (b.edges[j], b.lengths2[j]), r);
            let distance2 = (r + a.edges[i].scale(s) - b.edges[j].scale(t)).length2();
            if best.is_none_or(|(least, ..)| distance2 < least) {
                best = Some((distance2, [s, t], [i, j]));
            }
        }
    }
    let (distance2, [s, t], [i, j]) = best.expect("nine pairs of edges");
    ClosestPoints {
        distance2,
        point_a: along(a, i, s),
        point_b: along(b, j, t),
        features: [on_edge(i, s), on_edge(j, t)],
        crosses: false,
    }
}

/// The point of edge `i` at `s`; its ends exactly.
#[inline(always)]
fn along<T: Real>(of: &Prepared<'_, T>, i: usize, s: T) -> Vec3<T> {
    if s >= T::ONE { of.corners[(i + 1) % 3] } else { of.corners[i] + of.edges[i].scale(s) }
}

/// The feature that the point of edge `i` at `s` lies on.
#[inline(always)]
fn on_edge<T: Real>(i: usize, s: T) -> TriangleFeature {
    if s <= T::ZERO {
        TriangleFeature::Vertex(i as u8)
    } else if s >= T::ONE {
        TriangleFeature::Vertex((i as u8 + 1) % 3)
    } else {
        TriangleFeature::Edge(i as u8)
    }
}

/// Finds the parameters of the closest points on two segments, from 0 to 1. A segment is its
/// direction and the square of its length. `r`: from the start of the second to that of the first.
/// Source: Ericson, 5.1.9.
#[inline(always)]
fn closest_parameters<T: Real>((d1, a): (Vec3<T>, T), (d2, e): (Vec3<T>, T), r: Vec3<T>) -> [T; 2] {
    let clamp = |x: T| if x > T::ZERO { if x < T::ONE { x } else { T::ONE } } else { T::ZERO };
    let (c, f) = (d1.dot(r), d2.dot(r));
    if a <= T::ZERO || e <= T::ZERO {
        // A point at one end, or two.
        let s = if a > T::ZERO { clamp(-c / a) } else { T::ZERO };
        let t = if e > T::ZERO { clamp(f / e) } else { T::ZERO };
        return [s, t];
    }
    let b = d1.dot(d2);
    let determinant = a * e - b * b;
    let s = if determinant > T::ZERO { clamp((b * f - c * e) / determinant) } else { T::ZERO };
    let t = (b * s + f) / e;
    if t < T::ZERO {
        [clamp(-c / a), T::ZERO]
    } else if t > T::ONE {
        [clamp((b - c) / a), T::ONE]
    } else {
        [s, t]
    }
}

/// Calls `each` with the distance and the points of A and of B, for each pair of edges and each
/// corner over the other face that is no farther away than `reach`, metres. If the triangles lie in
/// one plane, these are the corners of their overlap.
pub(crate) fn near_points(
    a: &TriangleCorners<f64>,
    b: &TriangleCorners<f64>,
    reach: f64,
    mut each: impl FnMut(f64, [Vec3<f64>; 2]),
) {
    let (pa, pb) = (Prepared::new(a), Prepared::new(b));
    let mut put = |p: Vec3<f64>, q: Vec3<f64>| {
        let distance = (q - p).length();
        if distance <= reach {
            each(distance, [p, q]);
        }
    };
    for i in 0..3 {
        for j in 0..3 {
            let r = a[i] - b[j];
            let [s, t] = closest_parameters((pa.edges[i], pa.lengths2[i]), (pb.edges[j], pb.lengths2[j]), r);
            put(along(&pa, i, s), along(&pb, j, t));
        }
    }
    for (own, other, is_swapped) in [(&pa, &pb, false), (&pb, &pa, true)] {
        if other.normal2 <= 0.0 {
            continue;
        }
        for (&p, h) in own.corners.iter().zip(other.heights(own.corners)) {
            if other.contains(p) {
                let foot = p - other.normal.scale(h / other.normal2);
                let [p, q] = if is_swapped { [foot, p] } else { [p, foot] };
                put(p, q);
            }
        }
    }
}

/// Takes the corners of `own` over the inside of `other`, and the edges of `own` that pass through
/// it, where they are nearer. `swapped`: `own` is B.
#[inline(always)]
fn vertices_on_face<T: Real>(
    own: &Prepared<'_, T>,
    other: &Prepared<'_, T>,
    swapped: bool,
    best: &mut ClosestPoints<T>,
) {
    let heights = other.heights(own.corners);
    let put = |distance2: T, p: Vec3<T>, q: Vec3<T>, feature: TriangleFeature, crosses: bool| {
        let [(point_a, fa), (point_b, fb)] = if swapped {
            [(q, TriangleFeature::Face), (p, feature)]
        } else {
            [(p, feature), (q, TriangleFeature::Face)]
        };
        ClosestPoints { distance2, point_a, point_b, features: [fa, fb], crosses }
    };
    for i in 0..3 {
        let (p, h) = (own.corners[i], heights[i]);
        let distance2 = h * h / other.normal2;
        if distance2 < best.distance2 && other.contains(p) {
            let foot = p - other.normal.scale(h / other.normal2);
            *best = put(distance2, p, foot, TriangleFeature::Vertex(i as u8), false);
        }
        let next = heights[(i + 1) % 3];
        if (h < T::ZERO) != (next < T::ZERO) && h != next && !best.crosses {
            let through = p + own.edges[i].scale(h / (h - next));
            if other.contains(through) {
                *best = put(T::ZERO, through, through, TriangleFeature::Edge(i as u8), true);
            }
        }
    }
}

/// A unit direction from A to B along which the triangles are likely farthest apart, from their
/// features and closest points: the normal of the face, the cross product of the edges, else the
/// line between the points, at right angles to an edge. `None` where they coincide or cross.
pub(crate) fn direction<T: Real>(
    a: &TriangleCorners<T>,
    b: &TriangleCorners<T>,
    closest: &ClosestPoints<T>,
) -> Option<Vec3<T>> {
    let line = closest.point_b - closest.point_a;
    let edge = |of: &TriangleCorners<T>, i: u8| of[(i as usize + 1) % 3] - of[i as usize];
    let across = |e: Vec3<T>| line - e.scale(line.dot(e) / e.length2());
    let n = match closest.features {
        [TriangleFeature::Face, _] => face_normal(a),
        [_, TriangleFeature::Face] => face_normal(b),
        [TriangleFeature::Edge(i), TriangleFeature::Edge(j)] => edge(a, i).cross(edge(b, j)),
        [TriangleFeature::Edge(i), _] => across(edge(a, i)),
        [_, TriangleFeature::Edge(j)] => across(edge(b, j)),
        _ => line,
    };
    if closest.crosses { None } else { unit_along(n, line) }
}

/// Returns a direction or its opposite, whichever points along the line, as a unit vector; `None`
/// if they are at right angles, or zero.
#[inline(always)]
fn unit_along<T: Real>(n: Vec3<T>, line: Vec3<T>) -> Option<Vec3<T>> {
    let along = n.dot(line);
    let n = if along < T::ZERO { -n } else { n };
    let length = n.length();
    (along != T::ZERO && length > T::ZERO).then(|| n.scale(T::ONE / length))
}

/// A unit direction from A to B and how far the triangles are apart along it, metres: the
/// [`direction`] of their features. Edges that are nearly parallel have no such direction: where it
/// shows less than `enough` (metres), the line between the closest points, at right angles to both
/// edges, is tried too. `None` where the triangles cross or their closest points coincide.
#[inline(always)]
pub(crate) fn separating<T: Real>(
    a: &TriangleCorners<T>,
    b: &TriangleCorners<T>,
    closest: &ClosestPoints<T>,
    enough: T,
) -> Option<(Vec3<T>, T)> {
    let along = |n: Vec3<T>| (n, separation(a, b, n));
    let first = direction(a, b, closest).map(along);
    let [TriangleFeature::Edge(i), TriangleFeature::Edge(j)] = closest.features else { return first };
    if closest.crosses || first.is_some_and(|(_, gap)| gap >= enough) {
        return first;
    }
    let line = closest.point_b - closest.point_a;
    let [e, f] = [edges_of(a)[i as usize], edges_of(b)[j as usize]];
    let across = |n: Vec3<T>, e: Vec3<T>| n - e.scale(n.dot(e) / e.length2());
    let second = unit_along(across(across(across(line, e), f), e), line).map(along);
    match (first, second) {
        (Some(first), Some(second)) => Some(if second.1 > first.1 { second } else { first }),
        (first, second) => first.or(second),
    }
}

/// Returns the gap of the supporting planes of two triangles along a unit direction, metres. No
/// distance of theirs is below it, whatever the direction.
#[inline(always)]
pub(crate) fn separation<T: Real>(a: &TriangleCorners<T>, b: &TriangleCorners<T>, n: Vec3<T>) -> T {
    let [a, b] = [a, b].map(|t| t.map(|p| p.dot(n)));
    let least = b[0].smaller(b[1]).smaller(b[2]);
    let most = a[0].larger(a[1]).larger(a[2]);
    least - most
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_geometry::{Dd, Scalar};

    fn draw(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Random triangles: general, slivers, segments and points; on a grid, so that many are
    /// parallel or touch.
    fn triangle(state: &mut u64, kind: u64) -> TriangleCorners<f64> {
        let mut point = |size: f64| Vec3::new(size * draw(state), size * draw(state), size * draw(state));
        let at = point(0.6);
        let round =
            |v: Vec3<f64>| Vec3::new((4.0 * v.x).round() / 4.0, (4.0 * v.y).round() / 4.0, (4.0 * v.z).round() / 4.0);
        let (p, q) = (at + point(1.0), at + point(1.0));
        match kind % 5 {
            0 | 1 => [at, p, q],
            2 => [at, p, p + point(1e-9)],
            3 => [round(at), round(p), round(q)],
            _ => [at, p, if kind.is_multiple_of(2) { p } else { at }],
        }
    }

    /// The least distance found by alternating projections from many starts: an upper bound that
    /// shares no formula.
    fn by_projection(a: &TriangleCorners<f64>, b: &TriangleCorners<f64>) -> f64 {
        use clearsweep_geometry::triangle_tree::offset;
        let mut least = f64::INFINITY;
        for i in 0..=8 {
            for j in 0..=(8 - i) {
                let (s, t) = (i as f64 / 8.0, j as f64 / 8.0);
                let mut p = a[0].scale(1.0 - s - t) + a[1].scale(s) + a[2].scale(t);
                for _ in 0..200 {
                    let q = p - offset(p, b);
                    let next = q - offset(q, a);
                    least = least.min((next - q).length());
                    if (next - p).length() < 1e-15 {
                        break;
                    }
                    p = next;
                }
            }
        }
        least
    }

    /// Whether an edge of `own` passes through `other`, by exact predicates.
    fn crosses_exactly(own: &TriangleCorners<f64>, other: &TriangleCorners<f64>) -> bool {
        let side = |p: &Vec3<f64>, q: &Vec3<f64>, r: &Vec3<f64>, s: &Vec3<f64>| {
            let [p, q, r, s] = [p, q, r, s].map(|v| robust::Coord3D { x: v.x, y: v.y, z: v.z });
            robust::orient3d(p, q, r, s)
        };
        (0..3).any(|i| {
            let (p, q) = (&own[i], &own[(i + 1) % 3]);
            let [a, b, c] = [&other[0], &other[1], &other[2]];
            let ends = [side(a, b, c, p), side(a, b, c, q)];
            let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
            ends[0] * ends[1] < 0.0 && (around.iter().all(|&s| s > 0.0) || around.iter().all(|&s| s < 0.0))
        })
    }

    #[test]
    fn distances_are_proven_and_no_point_pair_is_nearer() {
        let mut state = 11_u64;
        let (mut crossing, mut proven, mut kinds) = (0, 0, [0; 4]);
        for number in 0..4_000_u64 {
            let (a, b) = (triangle(&mut state, number), triangle(&mut state, number / 5));
            let c = closest_points(&a, &b);
            let distance = c.distance2.sqrt();
            if matches!(number % 5, 0 | 1) && matches!(number / 5 % 5, 0 | 1) {
                assert_eq!(c.crosses, crosses_exactly(&a, &b) || crosses_exactly(&b, &a), "{number}: {a:?} {b:?}");
            }
            if c.crosses {
                crossing += 1;
                continue;
            }
            assert!(((c.point_a - c.point_b).length() - distance).abs() < 1e-14);
            assert!(by_projection(&a, &b) >= distance - 1e-12, "{number}: {a:?} {b:?}");
            let kind = c.features.iter().filter(|f| **f == TriangleFeature::Face).count()
                + 2 * usize::from(c.features.iter().all(|f| matches!(f, TriangleFeature::Edge(_))));
            kinds[kind] += 1;
            let Some(n) = direction(&a, &b, &c) else { continue };
            let gap = separation(&a, &b, n);
            assert!(gap <= distance + 1e-14);
            let (wide_a, wide_b) = (a.map(Vec3::<Dd>::from_f64), b.map(Vec3::<Dd>::from_f64));
            let wide = closest_points(&wide_a, &wide_b);
            assert!((wide.distance2.sqrt().to_f64() - distance).abs() < 1e-7);
            proven += usize::from(distance - gap < 1e-13);
            let n = direction(&wide_a, &wide_b, &wide).expect("not in touch");
            let gap = separation(&wide_a, &wide_b, n).to_f64();
            assert!((wide.distance2.sqrt().to_f64() - gap).abs() < 1e-15 * 64.0, "{number}: {gap} {distance}");
        }
        assert!(crossing > 150 && proven > 3_000, "not representative: {crossing} {proven}");
        assert!(kinds[0] > 500 && kinds[1] > 200 && kinds[2] > 500, "not representative: {kinds:?}");
    }
}
