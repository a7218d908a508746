//! The distance of one pair of triangles: a function of the two and the pose alone, so that no row
//! depends on which pairs were compared before.
//!
//! There are three answers. Triangles are *apart* if a gap of supporting planes comes as near to
//! the distance of their closest points as a sharp bracket is wide; they are *touching* if points
//! of both are as near as rounding; and what neither `f64` nor double-double decides, integers do.
//! Nothing undecided counts as touching.

use super::place::MeshPlace;
use super::triangle_pair::{self, ClosestPoints, TriangleCorners, TriangleFeature};
use crate::exact;
use clearsweep_geometry::{Real, Scalar, Vec3};

/// The nearest triangles, and the proof.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearestTriangles {
    /// Triangle indices in A's tree and in B's tree.
    pub triangles: [u32; 2],
    /// Their closest points, in A's frame.
    pub closest: ClosestPoints<f64>,
    /// Unit, from A to B.
    pub normal: Vec3<f64>,
    /// Distance of the surfaces, metres.
    pub distance: f64,
    /// Proven: no two points are nearer, metres.
    pub lower: f64,
    /// Proven: some are as near, metres.
    pub upper: f64,
}

impl NearestTriangles {
    /// Creates the answer of one pair, proven within a sharp bracket, but for rounding.
    pub(super) fn of_pair(triangles: [u32; 2], closest: ClosestPoints<f64>, normal: Vec3<f64>, distance: f64) -> Self {
        Self { triangles, closest, normal, distance, lower: distance, upper: distance }
    }
}

/// Relation of two triangles.
#[derive(Debug, Clone, Copy)]
pub(super) enum PairDistance {
    /// They are beyond the cut-off: at least this far apart, metres.
    Beyond(f64),
    /// They are apart.
    Apart(NearestTriangles),
    /// They cross, or are no farther apart than [`MeshPlace::contact`].
    Touching,
}

/// The distance of two triangles. A pair proven beyond `far` (metres) may have none.
pub(super) fn pair_distance(place: &MeshPlace<'_>, triangles: [u32; 2], far: f64) -> PairDistance {
    let [a, b] = triangles;
    let corners = (place.a.corners(a), place.corners_b(b));
    let closest = triangle_pair::closest_points(&corners.0, &corners.1);
    match settled(place, triangles, (&corners.0, &corners.1), &closest, far) {
        Some(found) => found,
        None => wide(place, triangles),
    }
}

/// In double-double, where `f64` leaves too much open: edges that are nearly parallel, or needles.
#[cold]
fn wide(place: &MeshPlace<'_>, triangles: [u32; 2]) -> PairDistance {
    let [a, b] = place.wide(triangles[0], triangles[1]);
    let closest = triangle_pair::closest_points(&a, &b);
    settled(place, triangles, (&a, &b), &closest, f64::INFINITY).unwrap_or_else(|| in_integers(place, triangles))
}

/// The answer, if the closest points and a direction between them decide it.
#[inline(always)]
fn settled<T: Real>(
    place: &MeshPlace<'_>,
    triangles: [u32; 2],
    (a, b): (&TriangleCorners<T>, &TriangleCorners<T>),
    closest: &ClosestPoints<T>,
    far: f64,
) -> Option<PairDistance> {
    let distance = closest.distance2.sqrt().to_f64();
    if distance <= place.contact() {
        return Some(PairDistance::Touching);
    }
    let (normal, gap) = triangle_pair::separating(a, b, closest, T::from_f64(distance - place.sharp()))?;
    let gap = gap.to_f64();
    if gap > far {
        return Some(PairDistance::Beyond(gap));
    }
    let closest = ClosestPoints {
        distance2: closest.distance2.to_f64(),
        point_a: closest.point_a.to_f64(),
        point_b: closest.point_b.to_f64(),
        features: closest.features,
        crosses: false,
    };
    // False where a number is not finite.
    ((distance - gap).abs() <= place.sharp())
        .then(|| PairDistance::Apart(NearestTriangles::of_pair(triangles, closest, normal.to_f64(), distance)))
}

/// In integers, which decide every pair.
#[cold]
fn in_integers(place: &MeshPlace<'_>, triangles: [u32; 2]) -> PairDistance {
    let [a, b] = [place.a.corners(triangles[0]), place.b.corners(triangles[1])];
    let closest_pair = exact::closest_hull_points([&a, &b], (&place.poses[0], &place.poses[1]));
    let Some(closest_pair) = closest_pair.filter(|closest_pair| closest_pair.distance > place.contact()) else {
        return PairDistance::Touching;
    };
    let feature = |carriers: &[u32]| match *carriers {
        [i] => TriangleFeature::Vertex(i as u8),
        // From the last corner an edge leads to the first.
        [0, 2] => TriangleFeature::Edge(2),
        [i, _] => TriangleFeature::Edge(i as u8),
        _ => TriangleFeature::Face,
    };
    let closest = ClosestPoints {
        distance2: closest_pair.distance * closest_pair.distance,
        point_a: closest_pair.points[0],
        point_b: closest_pair.points[1],
        features: [feature(&closest_pair.carriers[0]), feature(&closest_pair.carriers[1])],
        crosses: false,
    };
    PairDistance::Apart(NearestTriangles::of_pair(triangles, closest, closest_pair.normal, closest_pair.distance))
}

/// Upper distance of two triangles that touch, metres, with rounding in double-double.
pub(super) fn contact_upper(place: &MeshPlace<'_>, [a, b]: [u32; 2]) -> f64 {
    let [ta, tb] = place.wide(a, b);
    let known = place.contact() + place.error();
    // The normal of a needle, and so the foot of a corner, has fewer digits than double-double.
    if is_needle(&place.a.corners(a)) || is_needle(&place.b.corners(b)) {
        return known;
    }
    let distance = triangle_pair::closest_points(&ta, &tb).distance2.sqrt().to_f64();
    let upper = (distance + place.error_wide() / THIN).next_up();
    if upper < known { upper } else { known }
}

/// Triangles thinner than this share of their longest side are needles.
const THIN: f64 = 1e-5;

/// Whether a triangle is thinner than a share of its longest side.
fn is_needle(corners: &TriangleCorners<f64>) -> bool {
    let longest2 = (0..3).map(|i| (corners[(i + 1) % 3] - corners[i]).length2()).fold(0.0, f64::max);
    triangle_pair::face_normal(corners).length() <= THIN * longest2
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::mesh::point_bounds::tests::{Draw, soup};
    use clearsweep_base::workers::Workers;
    use clearsweep_geometry::mesh::{InsideOf, TriangleMesh};
    use clearsweep_geometry::{Pose, RelativePose};

    fn mesh(corners: [Vec3<f64>; 3]) -> TriangleMesh {
        let vertices = corners.to_vec();
        TriangleMesh::new(vertices, vec![[0, 1, 2]], vec![0, 1, 2], vec![0], InsideOf::Surface, &Workers::none())
    }

    pub(in crate::mesh) fn place<'a>(a: &'a TriangleMesh, b: &'a TriangleMesh, pose: Pose) -> MeshPlace<'a> {
        let poses = [Pose::IDENTITY, pose];
        MeshPlace::new([a, b], poses, RelativePose::between(&poses[0], &poses[1]), 0.0)
    }

    /// A triangle with an edge along an axis, or a needle as thin as `width`.
    pub(in crate::mesh) fn hard(draw: &mut Draw, number: u32) -> [Vec3<f64>; 3] {
        let (at, size) = (draw.point(0.5), draw.next().abs() + 0.1);
        let axis = [Vec3::new(size, 0.0, 0.0), Vec3::new(0.0, 0.0, size), draw.point(size)][(number % 3) as usize];
        let width = [1.0, 1e-4, 1e-9, 1e-13, 1e-16][(number / 3 % 5) as usize];
        let share = [0.0, 0.5, draw.next().abs()][(number / 15 % 3) as usize];
        [at, at + axis, at + axis.scale(share) + draw.point(width)]
    }

    #[test]
    fn every_pair_is_settled_within_a_sharp_bracket_of_the_exact_distance() {
        let mut draw = Draw(41);
        let (mut apart, mut touching, mut parallel, mut cold) = (0, 0, 0, 0);
        for number in 0..12_000 {
            let (a, b) = (mesh(hard(&mut draw, number)), mesh(hard(&mut draw, number / 7)));
            let q = [[1.0, 0.0, 0.0, 0.0], [0.7, 0.0, 0.0, 0.4], [draw.next(), draw.next(), 0.2, 0.1]];
            let far = [0.0, 0.3, 3.0][(number / 5 % 3) as usize];
            let mut pose = Pose::new(draw.point(far).to_array(), q[(number / 11 % 3) as usize]);
            if number % 13 == 0 {
                // A corner of B lies on the middle of A, but for rounding.
                let [p, r, s] = a.corners(0);
                let relative = RelativePose::between(&Pose::IDENTITY, &pose);
                let middle = (p + r + s).scale(1.0 / 3.0);
                pose.position = pose.position + (middle - relative.point(b.corners(0)[0]));
            }
            let place = place(&a, &b, pose);
            let exact = exact::closest_hull_points([&a.corners(0), &b.corners(0)], (&place.poses[0], &place.poses[1]))
                .expect("two triangles");
            let in_integers = in_integers(&place, [0, 0]);
            match pair_distance(&place, [0, 0], f64::INFINITY) {
                PairDistance::Apart(found) => {
                    assert!(
                        (found.distance - exact.distance).abs() <= place.sharp() + place.error(),
                        "{number}: {found:?} {exact:?}"
                    );
                    assert!(
                        found.distance >= exact.distance - place.error(),
                        "too near: {number}: {found:?} {exact:?}"
                    );
                    let between = (found.closest.point_b - found.closest.point_a).length();
                    assert!((between - found.distance).abs() <= place.sharp(), "{number}: {found:?}");
                    let gap = triangle_pair::separation(&place.a.corners(0), &place.corners_b(0), found.normal);
                    assert!(found.distance - gap <= 3.0 * place.sharp(), "{number}: {found:?} {gap}");
                    let PairDistance::Apart(other) = in_integers else { panic!("{number}: {found:?} {in_integers:?}") };
                    let gap = triangle_pair::separation(&place.a.corners(0), &place.corners_b(0), other.normal);
                    assert!((other.distance - gap).abs() <= place.sharp(), "{number}: {other:?} {gap}");
                    let between = other.closest.point_b - other.closest.point_a;
                    assert!((between.length() - other.distance).abs() <= place.error(), "{number}: {other:?}");
                    let edges = other.closest.features.iter().all(|f| matches!(f, TriangleFeature::Edge(_)));
                    parallel += usize::from(edges);
                    apart += 1;
                }
                PairDistance::Touching => {
                    assert!(exact.distance <= contact_upper(&place, [0, 0]), "{number}: {exact:?}");
                    assert!(exact.distance <= place.contact() + place.error(), "{number}: {exact:?}");
                    cold += usize::from(matches!(in_integers, PairDistance::Apart(_)));
                    touching += 1;
                }
                PairDistance::Beyond(gap) => panic!("{number}: nothing is beyond infinity: {gap}"),
            }
        }
        assert!(
            apart > 9_000 && touching > 500 && parallel > 1_000,
            "not representative: {apart} {touching} {parallel}"
        );
        assert!(cold * 50 < touching, "contacts within rounding alone: {cold} of {touching}");
    }

    #[test]
    fn the_distance_of_a_pair_does_not_depend_on_what_is_asked() {
        let mut draw = Draw(43);
        let (a, b) = (soup(&mut draw, 60), soup(&mut draw, 60));
        let place = place(&a, &b, Pose::new([0.3, 0.2, 0.1], [1.0, 0.2, 0.1, 0.3]));
        let mut compared = 0;
        for (t, u) in (0..60).flat_map(|t| (0..60).map(move |u| (t, u))) {
            let PairDistance::Apart(free) = pair_distance(&place, [t, u], f64::INFINITY) else { continue };
            for far in [free.distance - place.slack(), free.distance, free.distance + place.slack()] {
                match pair_distance(&place, [t, u], far) {
                    PairDistance::Apart(found) => {
                        assert_eq!(format!("{found:?}"), format!("{free:?}"));
                        compared += 1;
                    }
                    PairDistance::Beyond(gap) => assert!(gap > far && gap <= free.distance + place.slack()),
                    PairDistance::Touching => panic!("apart: {free:?}"),
                }
            }
        }
        assert!(compared > 5_000, "not representative: {compared}");
    }
}
