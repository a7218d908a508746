//! Bounds of many pairs of triangles: by the plane of one of them, still in its body's frame.

use super::acceleration_bounds::PairBends;
use super::body_poses::{FixedDirection, PairMoment};
use super::bound::{BoundedNode, is_proof};
use super::volume::SurfaceNode;
use crate::interval::relative_motion::GapBound;
use crate::mesh::{LeafTriangles, MeshBall, NearPairs, NodeCache, rule_out_moving};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{TriangleMesh, WIDTH};

/// A triangle of a body, with its bounds and its corners in the other body's frame.
#[derive(Debug, Clone)]
pub(super) struct MetTriangle {
    pub(super) node: BoundedNode,
    /// Unit normal in the body's frame, and the least and greatest height along it, metres.
    plane: Option<(Vec3<f64>, [f64; 2])>,
    /// The corners in the other body's frame, by coordinate, metres: three at the start, three at
    /// the end, each with one of them again.
    there: [[f64; 8]; 3],
}

impl MetTriangle {
    /// The bound of the distance of another triangle from this one by its plane over the part, less
    /// `off`, metres, and whether the other one is below the plane; none of slivers. `bend`: of the
    /// second derivative of the other one's points in this body's frame, over the part.
    #[inline]
    pub(super) fn gap(&self, other: &Self, bend: f64, off: f64) -> Option<(GapBound, bool)> {
        let (normal, [low, high]) = self.plane?;
        let [x, y, z] = &other.there;
        let mut heights = [0.0; 8];
        for (k, height) in heights.iter_mut().enumerate() {
            *height = normal.x * x[k] + normal.y * y[k] + normal.z * z[k];
        }
        let [p, q, r, s, t, u, v, w] = heights;
        let above = [p.min(q).min(r.min(s)) - high, t.min(u).min(v.min(w)) - high];
        let below = [low - p.max(q).max(r.max(s)), low - t.max(u).max(v.max(w))];
        let is_below = above[0] + above[1] <= below[0] + below[1];
        let [first, last] = if is_below { below } else { above };
        let bound = GapBound { first: first - off, last: last - off, bend };
        is_proof(&bound).then_some((bound, is_below))
    }

    /// Component `k` of corner `c` in the other body's frame at an end (0 or 1), metres.
    #[inline(always)]
    pub(super) fn corner_there(&self, end: usize, c: usize, k: usize) -> f64 {
        self.there[k][4 * end + c]
    }

    /// The direction from A to B along the normal. `is_below`: the other triangle is below.
    pub(super) fn direction(&self, body: usize, is_below: bool) -> Option<FixedDirection> {
        let (normal, _) = self.plane?;
        FixedDirection::of_body(body, if is_below == (body == 0) { -normal } else { normal })
    }
}

/// Working memory of the pairs of triangles that may come near: it changes no answer.
#[derive(Debug, Default)]
pub(crate) struct FacingMemory {
    /// The pairs.
    pub(super) near: Vec<[u32; 2]>,
    /// The triangles of both bodies that were met.
    pub(super) met: [NodeCache<MetTriangle>; 2],
    /// The leaves of B that were met, at both ends in A's frame.
    pub(super) leaves: NodeCache<[LeafTriangles; 2]>,
}

/// Leaves of B whose triangles are kept, at most: 18 MB.
const MOST_LEAVES: usize = 1 << 13;

/// The pairs of triangles that may be of interest at some time of a part: those that are so near in
/// its middle that the motion to either end may bring them within reach, and that no plane of
/// theirs rules out over the part.
pub(super) struct SweptPairs<'s> {
    pub(super) meshes: [&'s TriangleMesh; 2],
    pub(super) bends: &'s PairBends,
    /// Moments of both ends of the part, and of its middle.
    pub(super) ends: [&'s PairMoment; 2],
    pub(super) middle: &'s PairMoment,
    pub(super) leaves: &'s mut NodeCache<[LeafTriangles; 2]>,
    /// Distance beyond which triangles are of no interest, with growth and rounding, metres.
    pub(super) beyond: f64,
    /// Bound on the rounding of the poses in the middle, metres.
    pub(super) slack: f64,
}

impl NearPairs for SweptPairs<'_> {
    fn reach(&self, balls: [MeshBall; 2]) -> f64 {
        let half = 0.5 * (self.ends[1].share - self.ends[0].share);
        self.beyond + self.slack + self.bends.way(balls, self.middle, half)
    }

    fn rule_out(&mut self, [_, b]: [u32; 2], balls: [MeshBall; 2], of_a: &LeafTriangles, near: &mut [u8; WIDTH]) {
        let share = self.ends[1].share - self.ends[0].share;
        let off = [0, 1].map(|body: usize| {
            let (middle, radius) = balls[1 - body];
            0.125 * share * share * self.bends.in_frame(body, &self.bends.reach_of_ball(1 - body, middle, radius))
        });
        self.leaves.keep_fewer_than(MOST_LEAVES);
        let place = self.leaves.place(b as usize, || {
            let leaf = LeafTriangles::new(self.meshes[1], b, |p| p);
            self.ends.map(|at| {
                let turned = |v| at.to_body(0, at.to_world(1, v));
                leaf.moved(|p| at.to_body(0, at.between + at.to_world(1, p)), turned)
            })
        });
        rule_out_moving(near, of_a, self.leaves.at(place), off, self.beyond);
    }
}

impl MetTriangle {
    /// A triangle of a body. `ends`: of the part.
    pub(super) fn new(
        own: usize,
        mesh: &TriangleMesh,
        triangle: u32,
        ends: [&PairMoment; 2],
        bends: &PairBends,
    ) -> Self {
        let corners = mesh.corners(triangle);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
        let [p, q, r] = corners.map(|corner| corner.dot(normal));
        let heights = [p.min(q).min(r), p.max(q).max(r)];
        let other = 1 - own;
        let mut there = [[0.0; 8]; 3];
        for (end, at) in ends.into_iter().enumerate() {
            // From the other body's origin to this one's.
            let between = if own == 0 { -at.between } else { at.between };
            for (c, corner) in [corners[0], corners[1], corners[2], corners[2]].into_iter().enumerate() {
                let corner = at.to_body(other, between + at.to_world(own, corner));
                for (k, coordinates) in there.iter_mut().enumerate() {
                    coordinates[4 * end + c] = corner[k];
                }
            }
        }
        Self {
            node: BoundedNode::new(own, mesh, SurfaceNode::Triangle(triangle), bends),
            plane: (normal.is_finite() && p.is_finite()).then_some((normal, heights)),
            there,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bound::tests::{Random, path, vector};
    use super::super::node_pairs::{SurfaceAim, SurfaceParts};
    use super::*;
    use crate::exact;
    use crate::interval::pair_path::PairPath;
    use crate::mesh::MeshMemory;
    use clearsweep_base::workers::Workers;
    use clearsweep_geometry::mesh::InsideOf;

    /// Triangles side by side that bend a little, needles and flat ones among them.
    fn surface(random: &mut Random, triangles: u32) -> TriangleMesh {
        let (sides, mut vertices) = ([vector(random, 0.2), vector(random, 0.2)], Vec::new());
        for number in 0..triangles {
            let at = sides[0].scale(f64::from(number % 6)) + sides[1].scale(f64::from(number / 6));
            let corner = |random: &mut Random, side: Vec3<f64>| at + side + vector(random, 0.02);
            let last = if number % 7 == 0 { sides[0].scale(0.5) } else { sides[1] };
            vertices.extend([corner(random, Vec3::ZERO), corner(random, sides[0]), corner(random, last)]);
        }
        let faces: Vec<[u32; 3]> = (0..triangles).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let [of_vertices, of_triangles] = [3 * triangles, triangles].map(|count| (0..count).collect());
        TriangleMesh::new(vertices, faces, of_vertices, of_triangles, InsideOf::Surface, &Workers::none())
    }

    fn distance(meshes: [&TriangleMesh; 2], [a, b]: [u32; 2], paths: &PairPath<'_>, share: f64) -> f64 {
        let (poses, corners) = (paths.poses(share), [meshes[0].corners(a), meshes[1].corners(b)]);
        let found = exact::closest_hull_points([&corners[0], &corners[1]], (&poses[0], &poses[1]));
        found.map_or(0.0, |found| found.distance)
    }

    #[test]
    fn triangles_that_are_left_out_of_a_part_are_beyond_what_is_of_interest_throughout() {
        let mut random = Random(17);
        let (mut out, mut left, mut between, mut slow) = ([0; 2], 0, 0, 0);
        for round in 0..96 {
            let turn = [0.02, 0.2, 0.6][round / 4 % 3];
            let paths = PairPath::Free([path(&mut random, round, turn), path(&mut random, round / 2 + 1, turn)]);
            let [a, b] = [24, 21].map(|count| surface(&mut random, count));
            let span = if round % 4 == 0 { [0.0, 1.0] } else { [0.3, 0.4] };
            let beyond = [0.05, 0.3, 0.8][round % 3];
            let mut parts = SurfaceParts::new([&a, &b], paths.clone(), [0.0, 0.0], 4.0);
            let aim = SurfaceAim { needed: beyond, beyond };
            let mut facing = FacingMemory::default();
            let Some(kept) = parts.pairs(span, aim, &mut MeshMemory::default(), &mut facing) else { continue };
            slow += 1;
            let is_kept = |pair: [u32; 2]| kept.iter().any(|part| part.nodes == pair.map(SurfaceNode::Triangle));
            for (s, t) in (0..24).flat_map(|s| (0..21).map(move |t| (s, t))) {
                let is_near = facing.near.contains(&[s, t]);
                left += usize::from(is_kept([s, t]));
                if is_kept([s, t]) {
                    continue;
                }
                out[usize::from(is_near)] += 1;
                let ends = span.map(|share| distance([&a, &b], [s, t], &paths, share));
                for k in 0..=4 {
                    let share = span[0] + (span[1] - span[0]) * f64::from(k) / 4.0;
                    let at = distance([&a, &b], [s, t], &paths, share);
                    assert!(at > beyond - 1e-12, "{round}: {s} {t} at {share}: {at}, {beyond}");
                    between += usize::from(at < ends[0].min(ends[1]));
                }
            }
        }
        let counts = [slow, out[0], out[1], left, between];
        let least = [50, 20_000, 20, 200, 500];
        assert!(counts.iter().zip(least).all(|(&count, least)| count > least), "{counts:?}");
    }
}
