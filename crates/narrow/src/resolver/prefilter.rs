//! The feature pairs on two supporting planes that are certain to be rejected, and need not be
//! tried.
//!
//! Two faces of n sides have about 3 n^2 pairs of features, and nearly all of them do not lie over
//! each other. A few products show that, with tolerances far above any rounding; the others are
//! computed in full. So the filter changes no answer, and a tie between the ends of two pipes costs
//! microseconds instead of hundreds.

use crate::feature::FeaturePair;
use crate::pair::Pair;
use crate::support_planes::SupportPlanes;
use clearsweep_geometry::{Polyhedron, Vec3};

/// Tolerance of all comparisons here, in sizes of the pair: above all rounding.
const TOLERANCE: f64 = 1e-8;

/// Sine of the angle of two edges below which the place of their crossing is not trusted.
const FLAT: f64 = 1e-3;

/// Sine below which the closest-point formula is certain to reject two edges as parallel (it does
/// below 2^-45).
const PARALLEL: f64 = 1e-14;

/// An edge, in A's frame.
struct EdgeLine {
    /// Its tail.
    from: Vec3<f64>,
    along: Vec3<f64>,
    length2: f64,
}

/// The side plane of a face along one of its edges, in A's frame.
struct SidePlane {
    /// Normal into the face, not normalised.
    inward: Vec3<f64>,
    /// A point of the plane.
    from: Vec3<f64>,
}

/// The features on two supporting planes, in A's frame.
pub(super) struct Prefilter {
    points: [Vec<Vec3<f64>>; 2],
    edges: [Vec<EdgeLine>; 2],
    faces: [Vec<Vec<SidePlane>>; 2],
    /// An upper bound of the distance of the cores, metres.
    upper: f64,
    size: f64,
    bound: f64,
}

impl Prefilter {
    /// Prepares the features on `planes`, for cores that are at most `upper` apart (metres, up to a
    /// few rounding bounds).
    pub(super) fn new(pair: &Pair<'_, f64>, planes: &SupportPlanes, upper: f64) -> Self {
        let a = |v: u32| pair.vertex_a(v);
        let b = |v: u32| pair.vertex_b(v);
        let rotated = |n: Vec3<f64>| pair.pose.vector(n);
        Self {
            points: [
                planes.vertices[0].iter().map(|&v| a(v)).collect(),
                planes.vertices[1].iter().map(|&v| b(v)).collect(),
            ],
            edges: [edge_lines(pair.a, &planes.edges[0], a), edge_lines(pair.b, &planes.edges[1], b)],
            faces: [side_planes(pair.a, &planes.faces[0], a, |n| n), side_planes(pair.b, &planes.faces[1], b, rotated)],
            upper,
            size: pair.size,
            bound: pair.bound(),
        }
    }

    /// The feature pairs of two kinds, as [`SupportPlanes::candidates`] of the same planes gives
    /// them, and whether each may be accepted.
    pub(super) fn candidates<'s>(
        &'s self,
        planes: &'s SupportPlanes,
        kinds: usize,
    ) -> impl Iterator<Item = (FeaturePair, bool)> + 's {
        let ((of_a, kind_a), (of_b, kind_b)) = planes.lists(kinds);
        let pairs = move |(i, &a): (usize, &'s u32)| {
            let one =
                move |(j, &b): (usize, &u32)| (FeaturePair { a: kind_a(a), b: kind_b(b) }, self.keeps(kinds, i, j));
            of_b.iter().enumerate().map(one)
        };
        of_a.iter().enumerate().flat_map(pairs)
    }

    /// Whether the `i`-th feature of A and the `j`-th of B, of these kinds
    /// ([`SupportPlanes::candidates`]), may be accepted.
    fn keeps(&self, kinds: usize, i: usize, j: usize) -> bool {
        match kinds {
            0 => self.over_face(&self.faces[0][i], self.points[1][j]),
            1 => self.over_face(&self.faces[1][j], self.points[0][i]),
            2 => self.may_cross(&self.edges[0][i], &self.edges[1][j]),
            3 => self.over_edge(&self.edges[0][i], self.points[1][j]),
            4 => self.over_edge(&self.edges[1][j], self.points[0][i]),
            _ => self.is_near((self.points[1][j] - self.points[0][i]).length2()),
        }
    }

    /// Whether features at this squared distance may have a narrow bracket: its lower end is at
    /// most the distance of the cores.
    fn is_near(&self, distance2: f64) -> bool {
        let limit = self.upper + TOLERANCE * self.size;
        distance2 <= limit * limit
    }

    /// Whether a point may lie over a face, by each side plane.
    fn over_face(&self, side_planes: &[SidePlane], x: Vec3<f64>) -> bool {
        let out = -TOLERANCE * self.size;
        side_planes.iter().all(|side_plane| {
            let depth = side_plane.inward.dot(x - side_plane.from);
            depth >= 0.0 || depth * depth <= out * out * side_plane.inward.length2()
        })
    }

    /// Whether a point may lie over an edge, and near enough to it.
    fn over_edge(&self, edge: &EdgeLine, x: Vec3<f64>) -> bool {
        let w = x - edge.from;
        let s = w.dot(edge.along) / edge.length2;
        let distance2 = (w - edge.along.scale(s)).length2();
        // The rounding of the foot, and twice the tolerance of what counts as inside.
        let out = TOLERANCE * self.size + 8.0 * self.bound * (1.0 + self.size / distance2.sqrt());
        let outside = s.min(1.0 - s) * edge.length2.sqrt() < -out;
        !outside && self.is_near(distance2)
    }

    /// Whether two edges may cross, seen along their common normal.
    fn may_cross(&self, a: &EdgeLine, b: &EdgeLine) -> bool {
        let cross = a.along.cross(b.along);
        let sine2 = cross.length2() / (a.length2 * b.length2);
        if sine2 < PARALLEL * PARALLEL {
            return false;
        }
        if sine2.partial_cmp(&(FLAT * FLAT)) != Some(std::cmp::Ordering::Greater) {
            return true;
        }
        let w = b.from - a.from;
        let s = w.cross(b.along).dot(cross) / cross.length2();
        let t = w.cross(a.along).dot(cross) / cross.length2();
        let out = TOLERANCE * self.size + 8.0 * self.bound / sine2.sqrt();
        s.min(1.0 - s) * a.length2.sqrt() >= -out && t.min(1.0 - t) * b.length2.sqrt() >= -out
    }
}

fn edge_lines(p: &Polyhedron, edges: &[u32], at: impl Fn(u32) -> Vec3<f64>) -> Vec<EdgeLine> {
    let side = |&e: &u32| {
        let [from, to] = p.edges[e as usize].v.map(&at);
        let along = to - from;
        EdgeLine { from, along, length2: along.length2() }
    };
    edges.iter().map(side).collect()
}

fn side_planes(
    p: &Polyhedron,
    faces: &[u32],
    at: impl Fn(u32) -> Vec3<f64>,
    rotated: impl Fn(Vec3<f64>) -> Vec3<f64>,
) -> Vec<Vec<SidePlane>> {
    let of = |&f: &u32| {
        let (ring, normal) = (p.face(f), rotated(p.normals[f as usize]));
        let points: Vec<_> = ring.iter().map(|&v| at(v)).collect();
        let next = points.iter().cycle().skip(1);
        points.iter().zip(next).map(|(&from, &to)| SidePlane { inward: normal.cross(to - from), from }).collect()
    };
    faces.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{separated, tie_break};
    use super::*;
    use clearsweep_geometry::hull::convex_hull;
    use clearsweep_geometry::{Dd, Pose, RelativePose};

    /// A prism of `n` sides and height 1 below (or above) the plane z = 0.
    fn prism(n: usize, radius: f64, phase: f64, above: bool) -> Polyhedron {
        let ring = |z: f64| {
            (0..n).map(move |k| {
                let (s, c) = (std::f64::consts::TAU * (k as f64 + phase) / n as f64).sin_cos();
                Vec3::new(radius * c, radius * s, z)
            })
        };
        let height = if above { 1.0 } else { -1.0 };
        convex_hull(&ring(0.0).chain(ring(height)).collect::<Vec<_>>()).expect("finite points")
    }

    #[test]
    fn pairs_that_are_left_out_would_be_rejected_in_either_precision() {
        let mut state = 23_u64;
        let mut draw = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let (mut kept, mut left_out, mut accepted) = (0, [0; 6], 0);
        for case in 0..400 {
            let sides = [3, 4, 4, 6, 12, 24];
            let phase = [0.0, 0.5, 0.123];
            let a = prism(sides[draw(6)], 1.0, phase[draw(3)], false);
            let b = prism(sides[draw(6)], [1.0, 0.3, 2.0][draw(3)], phase[draw(3)], true);
            // Faces over each other, beside each other, corner over corner; near and far; rotated
            // in the world, which tilts them by rounding.
            let gap = [1e-9, 1e-3, 0.4, 7.0][draw(4)];
            let [x, y] = [0, 1].map(|_| [0.0, 0.25, 0.5, 1.0, 1.3][draw(5)]);
            let q = [[1.0, 0.0, 0.0, 0.0], [0.3, -0.4, 0.5, 0.7]][draw(2)];
            let pose_a = Pose::new([1.0, 2.0, 3.0], q);
            let shift = clearsweep_geometry::pose::rotation(pose_a.q).map(|row| row.dot(Vec3::new(x, y, gap)));
            let pose_b = Pose::new([1.0 + shift[0], 2.0 + shift[1], 3.0 + shift[2]], q);
            let pair = Pair::new(&a, &b, RelativePose::<f64>::between(&pose_a, &pose_b), 0.0);
            let wide = Pair::<Dd>::new(&a, &b, RelativePose::between(&pose_a, &pose_b), 0.0);
            let n = Vec3::new(0.0, 0.0, 1.0);
            let upper = tie_break::tests::distance(&pair);
            let planes = SupportPlanes::new(&pair, n, 1e-9 * pair.size);
            let prefilter = Prefilter::new(&pair, &planes, upper);
            for kinds in 0..6 {
                for (features, keeps) in prefilter.candidates(&planes, kinds) {
                    let either =
                        tie_break::tests::may_count(&pair, &features) || separated::tests::may_count(&wide, &features);
                    assert!(keeps || !either, "case {case}: {features:?}");
                    accepted += u32::from(either);
                    if keeps { kept += 1 } else { left_out[kinds] += 1 }
                }
            }
        }
        assert!(left_out.iter().all(|&n| n > 1000) && accepted > 1000, "{left_out:?}, {accepted} accepted");
        assert!(4 * kept < left_out.iter().sum::<i32>(), "{kept} kept, {left_out:?} left out");
    }
}
