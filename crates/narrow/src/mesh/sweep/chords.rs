//! Lengths of overlap that one point shows: a lower bound of the way out along a direction.
//!
//! From a point of both bodies, A holds the segment forward along the direction until its surface,
//! and B the segment backward until its own. Moved by any length up to the sum of the two, B still
//! holds a point of A. A ray in each tree thus stands for the sweep of all that meets before.

use super::{Sweep, TriangleCorners};
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::{Child, WIDTH};

/// Rounding of coordinates in the frame of a sweep, in sizes of the pair.
const ROUNDING: f64 = 1e-12;

/// A point of two solid bodies.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct SharedPoint {
    /// In A's frame.
    pub point: Vec3<f64>,
    /// Whether it lies inside of A, and of B: on the surface otherwise.
    pub is_inside: [bool; 2],
}

impl Sweep<'_> {
    /// Goes on to the greatest length up to which one of the points shows that the bodies overlap,
    /// but for rounding, and returns it, metres.
    pub(in super::super) fn skip_overlap(&mut self, points: &[SharedPoint]) -> f64 {
        for shared in points {
            if self.at >= self.limit {
                break;
            }
            let mut length = -self.reach - ROUNDING * self.place.size;
            for side in (0..2).filter(|&side| shared.is_inside[side]) {
                length += self.exit(side, shared.point, self.limit - length);
            }
            self.skip_to(length);
        }
        self.at
    }

    /// The length from a point inside of a body to its surface, forward in A, backward in B,
    /// metres.
    fn exit(&mut self, side: usize, from: Vec3<f64>, most: f64) -> f64 {
        let (mesh, frame) = ([self.place.a, self.place.b][side], self.frames[side]);
        let ahead = [1.0, -1.0][side];
        let [height, u, v] = self.frames[0].axes.map(|axis| axis.dot(from));
        let near = ROUNDING * self.place.size;
        let mut first = most;
        let mut open = std::mem::take(&mut self.memory.open);
        open.push(mesh.root());
        while let Some(node) = open.pop() {
            let place = self.memory.intervals[side].meet(mesh, node, &frame);
            let lanes = self.memory.intervals[side].at(place).lanes;
            for lane in 0..WIDTH {
                let holds =
                    |axis: usize, x: f64| lanes.low[axis][lane] - near <= x && x <= lanes.high[axis][lane] + near;
                let ends = [lanes.low[0][lane] - height, lanes.high[0][lane] - height].map(|end| ahead * end);
                if !holds(1, u) || !holds(2, v) || ends[0].max(ends[1]) < 0.0 || ends[0].min(ends[1]) > first {
                    continue;
                }
                match node.get() {
                    Child::Inner(index) => open.push(mesh.node(index).children[lane]),
                    Child::Leaf(index) => {
                        let triangle = mesh.leaf(index).start + lane as u32;
                        let corners = if side == 0 { mesh.corners(triangle) } else { self.place.corners_b(triangle) };
                        first = first.min(self.hit(&corners, [height, u, v], ahead));
                    }
                }
            }
        }
        self.memory.open = open;
        first
    }

    /// The length of the ray ahead of a point, given by its coordinates in the frame of the sweep,
    /// up to a triangle across it, metres; infinite where it meets none. A grazed triangle lies as
    /// near as the nearest of its points.
    fn hit(&self, corners: &TriangleCorners<f64>, [height, u, v]: [f64; 3], ahead: f64) -> f64 {
        let axes = &self.frames[0].axes;
        let heights = corners.map(|p| ahead * (axes[0].dot(p) - height));
        let flat = corners.map(|p| [axes[1].dot(p) - u, axes[2].dot(p) - v]);
        let twice = |i: usize, j: usize| flat[i][0] * flat[j][1] - flat[i][1] * flat[j][0];
        let areas = [twice(1, 2), twice(2, 0), twice(0, 1)];
        let long = flat.iter().flatten().fold(0.0, |long: f64, x| long.max(x.abs()));
        let near = ROUNDING * self.place.size * (long + ROUNDING * self.place.size);
        if areas.iter().any(|&area| area > near) && areas.iter().any(|&area| area < -near) {
            return f64::INFINITY;
        }
        let whole: f64 = areas.iter().sum();
        let least = heights[0].min(heights[1]).min(heights[2]);
        let at = if whole.abs() > 8.0 * near {
            (areas[0] * heights[0] + areas[1] * heights[1] + areas[2] * heights[2]) / whole
        } else {
            let is_behind = heights.iter().all(|&height| height < 0.0);
            if is_behind { f64::NEG_INFINITY } else { least.max(0.0) }
        };
        if at < -ROUNDING * self.place.size { f64::INFINITY } else { at.max(least.max(0.0)) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MeetingOrder, SweepMemory};
    use super::*;
    use crate::mesh::place::MeshPlace;
    use crate::mesh::point_bounds::tests::Draw;
    use crate::mesh::points::{PointMemory, PointQueries};
    use clearsweep_base::workers::Workers;
    use clearsweep_geometry::mesh::{InsideOf, TriangleMesh};
    use clearsweep_geometry::{Pose, RelativePose};

    /// A closed L profile of 20 triangles, or a box of 12 in which all rays along axes meet edges
    /// of the triangulation.
    fn profile(is_bent: bool, [leg, thick, width]: [f64; 3]) -> TriangleMesh {
        let outline = if is_bent {
            vec![[0.0, 0.0], [leg, 0.0], [leg, thick], [thick, thick], [thick, leg], [0.0, leg]]
        } else {
            vec![[0.0, 0.0], [leg, 0.0], [leg, thick], [0.0, thick]]
        };
        let n = outline.len() as u32;
        let ends = [-0.5 * width, 0.5 * width];
        let vertices: Vec<_> =
            ends.iter().flat_map(|&z| outline.iter().map(move |p| Vec3::new(p[0], p[1], z))).collect();
        let caps = (1..n - 1).flat_map(|k| [[0, k + 1, k], [n, n + k, n + k + 1]]);
        let sides = (0..n).flat_map(|k| {
            let l = (k + 1) % n;
            [[k, l, l + n], [k, l + n, k + n]]
        });
        let triangles: Vec<[u32; 3]> = caps.chain(sides).collect();
        let (corners, numbers) = ((0..2 * n).collect(), (0..triangles.len() as u32).collect());
        TriangleMesh::new(vertices, triangles, corners, numbers, InsideOf::Solid, &Workers::none())
    }

    fn holds(mesh: &TriangleMesh, p: Vec3<f64>) -> bool {
        PointQueries::new(mesh, &mut PointMemory::default()).winding(p, 0.0).is_some_and(|winding| winding > 0)
    }

    #[test]
    fn bodies_share_a_point_at_all_shorter_lengths_and_leave_it_at_the_end() {
        let mut draw = Draw(41);
        let (mut checked, mut bent, mut long) = (0, 0, 0);
        for number in 0..12_000 {
            let is_bent = [number % 2 == 0, number % 3 == 0];
            let meshes = is_bent.map(|is_bent| profile(is_bent, [1.0, 0.3, 0.8]));
            let axis = [0.0, 0.5 * draw.next(), draw.next()];
            let q = if number % 5 == 0 { Pose::IDENTITY.q } else { [1.0, axis[0], axis[1], axis[2]] };
            let poses = [Pose::IDENTITY, Pose::new(draw.point(0.5).to_array(), q)];
            let place =
                MeshPlace::new([&meshes[0], &meshes[1]], poses, RelativePose::between(&poses[0], &poses[1]), 0.0);
            let point = draw.point(0.6);
            let n = if number % 7 == 0 { Vec3::new(0.0, 1.0, 0.0) } else { draw.point(1.0).normalized() };
            if !holds(place.a, point) || !holds(place.b, place.in_b(point)) {
                continue;
            }
            let mut memory = SweepMemory::default();
            let mut sweep = Sweep::new(&place, n, [0.0, 9.0], MeetingOrder::SmallestFirst, &mut memory);
            let own = [0, 1].map(|side| sweep.exit(side, point, 9.0));
            let length = sweep.skip_overlap(&[SharedPoint { point, is_inside: [true; 2] }]);
            assert!((length - own[0] - own[1]).abs() < 1e-9, "{number}: {length} {own:?}");
            for step in 0..200 {
                let share = (f64::from(step) + 0.5) / 200.0;
                assert!(holds(place.a, point + n.scale(share * own[0])), "{number} {step}");
                assert!(holds(place.b, place.in_b(point - n.scale(share * own[1]))), "{number} {step}");
            }
            assert!(!holds(place.a, point + n.scale(own[0] + 1e-9)), "{number}: the ray goes on in A");
            assert!(!holds(place.b, place.in_b(point - n.scale(own[1] + 1e-9))), "{number}: the ray goes on in B");
            checked += 1;
            bent += usize::from(is_bent[0]);
            long += usize::from(length > 0.5);
        }
        assert!(checked > 100 && bent > 50 && long > 50, "not representative: {checked} {bent} {long}");
    }
}
