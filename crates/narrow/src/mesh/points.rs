//! Points against one mesh: the nearest triangle, and whether a point is inside.

use super::bounds::{IntervalCache, OpenNode};
use super::point_bounds;
use super::triangle_pair::face_normal;
use crate::branch_and_bound::DepthFirst;
use clearsweep_geometry::mesh::{Child, NodeId, SearchFrame, TriangleMesh, WIDTH};
use clearsweep_geometry::triangle_tree::offset;
use clearsweep_geometry::{Pose, Vec3};
use robust::{Coord, Coord3D, orient2d, orient3d};
use std::cmp::Reverse;

/// Half a unit in the last place of 1, times what sums of a few products of coordinates gather.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// How often a point is moved until no ray from it passes through an edge.
const NUDGES: usize = 8;

/// Working memory of queries of points; what it knows of a mesh lasts until [`PointMemory::begin`].
#[derive(Debug, Default)]
pub(super) struct PointMemory {
    intervals: IntervalCache,
    nearest_first: DepthFirst<OpenNode<Reverse<NodeId>>>,
    /// Nodes whose boxes a ray meets.
    on_ray: Vec<NodeId>,
}

/// The distance of a point from a surface.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointDistance {
    /// Proven: no point of the surface is nearer, metres.
    pub lower: f64,
    /// Distance of the nearest triangle, as computed: less than the true one by rounding, metres.
    pub distance: f64,
    /// Vector from the nearest point of the surface to the point.
    pub offset: Vec3<f64>,
    /// The nearest triangle.
    pub triangle: u32,
}

impl PointDistance {
    /// Whether a part of the surface that is at least `bound` (metres) away is farther than this
    /// one, rounding included. If it is, the lower end accounts for it.
    #[inline(always)]
    fn leaves_out(&mut self, bound: f64, rounding: f64) -> bool {
        let is_farther = bound > self.distance + rounding;
        if is_farther {
            self.lower = self.lower.min(bound - rounding);
        }
        is_farther
    }
}

/// A mesh that points are compared with, in its own frame.
pub(super) struct PointQueries<'a> {
    pub mesh: &'a TriangleMesh,
    memory: &'a mut PointMemory,
    frame: SearchFrame,
    /// The nearest triangle of the last point: likely near the next one's.
    last: Option<u32>,
}

impl<'a> PointQueries<'a> {
    /// Forgets what `memory` knows of another mesh.
    pub(super) fn new(mesh: &'a TriangleMesh, memory: &'a mut PointMemory) -> Self {
        memory.intervals.clear(mesh);
        let [x, y, z] = clearsweep_geometry::pose::rotation(Pose::IDENTITY.q);
        Self { mesh, memory, frame: SearchFrame { axes: [x, y, z], shift: [0.0; 3] }, last: None }
    }

    /// The nearest triangle; `None` if one is no farther than `least`, metres.
    pub(super) fn nearest_beyond(&mut self, p: Vec3<f64>, least: f64) -> Option<PointDistance> {
        let nearest = self.nearest_or_within(p, least);
        (nearest.distance > least).then_some(nearest)
    }

    /// The nearest triangle.
    pub(super) fn nearest(&mut self, p: Vec3<f64>) -> PointDistance {
        self.nearest_or_within(p, f64::NEG_INFINITY)
    }

    /// Upper distance of the surface: that of the triangle nearest to the last point, metres.
    pub(super) fn at_most(&self, p: Vec3<f64>) -> f64 {
        self.last.map_or(f64::INFINITY, |triangle| offset(p, &self.mesh.corners(triangle)).length())
    }

    /// Returns the distance of a point outside of the box of the mesh, metres; 0 inside.
    pub(super) fn outside_box(&self, p: Vec3<f64>) -> f64 {
        let (from, half) = (p - self.mesh.middle(), self.mesh.extent());
        let beyond = |x: f64, half: f64| (x.abs() - half).max(0.0);
        Vec3::new(beyond(from.x, half.x), beyond(from.y, half.y), beyond(from.z, half.z)).length()
    }

    /// The nearest triangle, or one that is no farther than `least`, metres.
    fn nearest_or_within(&mut self, p: Vec3<f64>, least: f64) -> PointDistance {
        let rounding = ROUNDING * (self.mesh.radius() + p.length());
        let none =
            PointDistance { lower: f64::INFINITY, distance: f64::INFINITY, offset: Vec3::ZERO, triangle: u32::MAX };
        let mut best = self.last.map_or(none, |triangle| self.one(p, triangle, rounding));
        let (mesh, open) = (self.mesh, &mut self.memory.nearest_first);
        open.begin(OpenNode { rank: 0.0, tie: Reverse(mesh.root()), node: mesh.root() });
        while let Some(part) = self.memory.nearest_first.next_unless(|part| best.leaves_out(-part.rank, rounding)) {
            if best.distance <= least {
                break;
            }
            match part.node.get() {
                Child::Inner(index) => {
                    let bounds = point_bounds::of_boxes(mesh.node(index), p);
                    let bounds = bounds.into_iter().zip(mesh.node(index).children);
                    for (bound, node) in bounds.filter(|(bound, _)| bound.is_finite()) {
                        let part = OpenNode { rank: -bound, tie: Reverse(node), node };
                        self.memory.nearest_first.push(part);
                    }
                }
                Child::Leaf(index) => {
                    let bounds = point_bounds::of_triangles(mesh, index, p);
                    for (triangle, bound) in mesh.leaf(index).zip(bounds) {
                        if best.leaves_out(bound, rounding) {
                            continue;
                        }
                        let next = self.one(p, triangle, rounding);
                        let lower = best.lower.min(next.lower);
                        if (next.distance, triangle) < (best.distance, best.triangle) {
                            best = next;
                        }
                        best.lower = lower;
                    }
                }
            }
        }
        self.last = Some(best.triangle);
        PointDistance { lower: best.lower.max(0.0), ..best }
    }

    /// The distance from a triangle; proven by the plane across the line to it. If the point is
    /// close, the direction of that line has few digits: then planes along the triangle, or along
    /// one of its edges, may prove more.
    fn one(&self, p: Vec3<f64>, triangle: u32, rounding: f64) -> PointDistance {
        let corners = self.mesh.corners(triangle);
        let offset = offset(p, &corners);
        let distance = offset.length();
        let n = offset.scale(1.0 / distance);
        let beyond = |n: Vec3<f64>| {
            let gap = |c: Vec3<f64>| (p - c).dot(n);
            gap(corners[0]).min(gap(corners[1])).min(gap(corners[2])) - rounding
        };
        let mut lower = if n.is_finite() { beyond(n) } else { 0.0 };
        if distance - lower > 4.0 * rounding && n.is_finite() {
            let face = face_normal(&corners).normalized();
            let across = |from: usize| {
                let along = (corners[(from + 1) % 3] - corners[from]).normalized();
                (n - along.scale(n.dot(along))).normalized()
            };
            let others = [face, -face, across(0), across(1), across(2)];
            lower = others.into_iter().filter(|n| n.is_finite()).map(beyond).fold(lower, f64::max);
        }
        PointDistance { lower, distance, offset, triangle }
    }

    /// How often the surface winds around a point: above 0 inside of a solid. The point is not on
    /// the surface: it may be moved by `free` (metres) without passing through it. `None` if no ray
    /// was found that avoids all edges.
    pub(super) fn winding(&mut self, p: Vec3<f64>, free: f64) -> Option<i64> {
        let mut at = p;
        for nudge in 0..=NUDGES {
            for axis in 0..3 {
                if let Some(winding) = self.crossings(at, axis) {
                    return Some(winding);
                }
            }
            // Any small step will do; those of a low-discrepancy sequence avoid one another.
            let step = |k: usize| ((nudge + 1) as f64 * [0.754_877_7, 0.569_840_3, 0.437_042_1][k]).fract() - 0.5;
            at = p + Vec3::new(step(0), step(1), step(2)).scale(0.9 * free);
        }
        None
    }

    /// Signed crossings of the ray from a point upward along an axis: 1 where it leaves, -1 where
    /// it enters. Exact; `None` where the ray meets an edge.
    fn crossings(&mut self, p: Vec3<f64>, axis: usize) -> Option<i64> {
        let rounding = ROUNDING * (self.mesh.radius() + p.length());
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut winding = 0;
        self.memory.on_ray.clear();
        self.memory.on_ray.push(self.mesh.root());
        while let Some(node) = self.memory.on_ray.pop() {
            let place = self.memory.intervals.meet(self.mesh, node, &self.frame);
            let lanes = &self.memory.intervals.at(place).lanes;
            let met: [bool; WIDTH] = std::array::from_fn(|i| {
                let holds = |k: usize| lanes.low[k][i] - rounding <= p[k] && p[k] <= lanes.high[k][i] + rounding;
                holds(u) && holds(v) && p[axis] <= lanes.high[axis][i] + rounding
            });
            match node.get() {
                Child::Inner(index) => {
                    let children = self.mesh.node(index).children.iter().zip(met);
                    self.memory.on_ray.extend(children.filter(|(_, met)| *met).map(|(child, _)| child));
                }
                Child::Leaf(index) => {
                    for (triangle, _) in self.mesh.leaf(index).zip(met).filter(|(_, met)| *met) {
                        winding += crossing(&self.mesh.corners(triangle), p, [axis, u, v])?;
                    }
                }
            }
        }
        Some(winding)
    }
}

/// How the ray from `p` upward along an axis crosses a triangle: 1, -1 or 0; `None` where it meets
/// an edge or the triangle holds `p`. Exact predicates (Shewchuk 1997).
fn crossing(corners: &[Vec3<f64>; 3], p: Vec3<f64>, [axis, u, v]: [usize; 3]) -> Option<i64> {
    let flat = |q: &Vec3<f64>| Coord { x: q[u], y: q[v] };
    let at = flat(&p);
    let [a, b, c] = [&corners[0], &corners[1], &corners[2]].map(flat);
    let sides = [orient2d(a, b, at), orient2d(b, c, at), orient2d(c, a, at)];
    if sides.iter().any(|&s| s > 0.0) && sides.iter().any(|&s| s < 0.0) {
        return Some(0);
    }
    if sides.contains(&0.0) {
        // The ray meets an edge, unless the triangle ends below the point.
        return corners.iter().all(|q| q[axis] < p[axis]).then_some(0);
    }
    let leaves = sides[0] > 0.0;
    let solid = |q: &Vec3<f64>| Coord3D { x: q.x, y: q.y, z: q.z };
    // Positive if `p` lies below the plane, seen with counter-clockwise corners.
    let below = orient3d(solid(&corners[0]), solid(&corners[1]), solid(&corners[2]), solid(&p));
    match below {
        0.0 => None,
        side if (side > 0.0) == leaves => Some(if leaves { 1 } else { -1 }),
        _ => Some(0),
    }
}
