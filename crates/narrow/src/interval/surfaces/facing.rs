//! Bounds of many pairs of triangles at once: by the plane of one of them, which stands still in the frame of its body.

use super::acceleration_bounds::PairBends;
use super::body_poses::{FixedDirection, PairMoment};
use super::bound::{BoundedNode, is_proof};
use super::volume::SurfaceNode;
use crate::interval::relative_motion::GapBound;
use clearsweep_geometry::Vec3;
use clearsweep_geometry::mesh::TriangleMesh;

/// A triangle of a body, with what bounds it and where it is in the other body's frame at both ends of a part.
#[derive(Debug, Clone)]
pub(super) struct MetTriangle {
    pub(super) node: BoundedNode,
    /// Unit normal in the body's frame, and the least and the greatest height of the corners along it, metres; none of slivers.
    plane: Option<(Vec3<f64>, [f64; 2])>,
    /// The corners in the other body's frame, by coordinate, metres: three at the start, three at the end, each with one of them again.
    there: [[f64; 8]; 3],
}

impl MetTriangle {
    /// The bound of the distance of another triangle from this one by its plane over the part, less `off`, metres, and whether the other one is below
    /// the plane; none of slivers. `bend`: of the second derivative of the other one's points in this body's frame, over the part.
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

    /// Component `k` of corner `c` in the other body's frame at the start of the part (`end` 0) or at its end (1), metres.
    #[inline(always)]
    pub(super) fn corner_there(&self, end: usize, c: usize, k: usize) -> f64 {
        self.there[k][4 * end + c]
    }

    /// The direction from body A to body B along the normal. `is_below`: whether the other triangle is below the plane.
    pub(super) fn direction(&self, body: usize, is_below: bool) -> Option<FixedDirection> {
        let (normal, _) = self.plane?;
        FixedDirection::of_body(body, if is_below == (body == 0) { -normal } else { normal })
    }
}

/// The triangles of a body that were met.
pub(super) struct MetTriangles<'m> {
    body: usize,
    mesh: &'m TriangleMesh,
    /// 1 + the place of each triangle; 0: not met.
    places: Vec<u32>,
    pub(super) known: Vec<MetTriangle>,
}

impl<'m> MetTriangles<'m> {
    pub(super) fn new(body: usize, mesh: &'m TriangleMesh) -> Self {
        Self { body, mesh, places: vec![0; mesh.triangles().len()], known: Vec::new() }
    }

    /// The place of a triangle. `ends`: of the part.
    #[inline]
    pub(super) fn meet(&mut self, triangle: u32, ends: [&PairMoment; 2], bends: &PairBends) -> usize {
        let place = &mut self.places[triangle as usize];
        if *place == 0 {
            let corners = self.mesh.corners(triangle);
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
            let [p, q, r] = corners.map(|corner| corner.dot(normal));
            let heights = [p.min(q).min(r), p.max(q).max(r)];
            let (own, other) = (self.body, 1 - self.body);
            let [start, end] = ends.map(|at| {
                // From the other body's origin to this one's.
                let between = if own == 0 { -at.between } else { at.between };
                corners.map(|corner| at.to_body(other, between + at.to_world(own, corner)))
            });
            let all = [start[0], start[1], start[2], start[2], end[0], end[1], end[2], end[2]];
            let there = [0, 1, 2].map(|axis: usize| all.map(|corner| corner[axis]));
            self.known.push(MetTriangle {
                node: BoundedNode::new(own, self.mesh, SurfaceNode::Triangle(triangle), bends),
                plane: (normal.is_finite() && p.is_finite()).then_some((normal, heights)),
                there,
            });
            *place = self.known.len() as u32;
        }
        *place as usize - 1
    }
}
