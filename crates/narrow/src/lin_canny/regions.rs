//! The two bodies of a search, each with its Voronoi planes, and the tests of a point against the
//! Voronoi region of a feature (Mirtich 1997, two-phase, section 3.1).
//!
//! The planes are those that are stored with the polyhedron (`geometry::planes`). A point is
//! *beyond* a plane if it lies on the far side by more than the tolerance. Of several such planes
//! the one violated most names the neighbour to step to.

use crate::feature::Feature;
use clearsweep_geometry::planes::Planes;
use clearsweep_geometry::polyhedron::LANES;
use clearsweep_geometry::{Polyhedron, RelativePose, Vec3};

/// One body of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct VoronoiBody<'a> {
    pub(super) polyhedron: &'a Polyhedron,
    pub(super) planes: &'a Planes,
    /// The other body's frame in this one.
    pub(super) other: RelativePose<f64>,
    /// How far a point may lie on the far side of a plane and still count as inside of a region,
    /// and how near two closest points count as one; metres.
    pub(super) tolerance: f64,
}

/// The two bodies of a pair at a relative pose, A first.
pub(super) fn bodies<'a>(
    [a, b]: [&'a Polyhedron; 2],
    planes: [&'a Planes; 2],
    pose: &RelativePose<f64>,
    tolerance: f64,
) -> [VoronoiBody<'a>; 2] {
    let [x, y, z] = pose.r;
    let columns = [Vec3::new(x.x, y.x, z.x), Vec3::new(x.y, y.y, z.y), Vec3::new(x.z, y.z, z.z)];
    let inverse = RelativePose { r: columns, t: -pose.inverse_vector(pose.t) };
    [
        VoronoiBody { polyhedron: a, planes: planes[0], other: *pose, tolerance },
        VoronoiBody { polyhedron: b, planes: planes[1], other: inverse, tolerance },
    ]
}

impl VoronoiBody<'_> {
    /// Vertex `v` of the other body in this frame.
    pub(super) fn vertex_of(&self, other: &Self, v: u32) -> Vec3<f64> {
        self.other.point(other.polyhedron.vertex(v))
    }

    /// The ends of edge `e` of the other body in this frame.
    pub(super) fn edge_of(&self, other: &Self, e: u32) -> [Vec3<f64>; 2] {
        other.ends(e).map(|end| self.other.point(end))
    }

    /// The ends of edge `e` in its own frame.
    pub(super) fn ends(&self, e: u32) -> [Vec3<f64>; 2] {
        self.polyhedron.edges[e as usize].v.map(|v| self.polyhedron.vertex(v))
    }

    /// The boundary edges of face `f`, in its order.
    pub(super) fn boundary(&self, f: u32) -> &[u32] {
        let (p, f) = (self.polyhedron, f as usize);
        &p.face_edges[p.face_start[f] as usize..p.face_start[f + 1] as usize]
    }

    /// The signed distances of a point from the side planes of face `f`, negative outside of its
    /// prism, in the order of [`Self::boundary`].
    pub(super) fn sides(&self, f: u32, x: Vec3<f64>) -> impl Iterator<Item = f64> {
        let (blocks, count) = (self.planes.side_planes(f), self.boundary(f).len());
        (0..count).map(move |i| blocks[i / 4].plane(i % 4).side(x))
    }

    /// The edge to step to where `x` lies beyond a plane of vertex `v`.
    pub(super) fn beyond_vertex(&self, v: u32, x: Vec3<f64>) -> Option<Feature> {
        let (p, blocks) = (self.polyhedron, self.planes.vertex_planes(v));
        let start = p.neighbour_start[v as usize] as usize;
        let sides = (0..p.neighbours_of(v).len()).map(|i| blocks[i / LANES].plane(i % LANES).side(x));
        let most = self.most_violated(sides)?;
        Some(Feature::edge(p.neighbour_edges[start + most]))
    }

    /// The vertex or the face to step to where `x` lies beyond a plane of edge `e`. Vertices come
    /// first: beyond a side plane the face is known to be nearer only between the vertex planes.
    pub(super) fn beyond_edge(&self, e: u32, x: Vec3<f64>) -> Option<Feature> {
        let (edge, planes) = (&self.polyhedron.edges[e as usize], self.planes.edge(e));
        let sides = |lanes: [usize; 2]| lanes.into_iter().map(|lane| planes.plane(lane).side(x));
        let vertex = self.most_violated(sides([0, 1])).map(|end| Feature::vertex(edge.v[end]));
        vertex.or_else(|| self.most_violated(sides([2, 3])).map(|side| Feature::face(edge.f[side])))
    }

    /// The boundary edge to step to where `x` lies beyond a side plane of face `f`.
    pub(super) fn beyond_sides(&self, f: u32, x: Vec3<f64>) -> Option<Feature> {
        let most = self.most_violated(self.sides(f, x))?;
        Some(Feature::edge(self.boundary(f)[most]))
    }

    /// The place of the least signed distance, if it lies below the tolerance.
    fn most_violated(&self, sides: impl Iterator<Item = f64>) -> Option<usize> {
        let mut most = (-self.tolerance, None);
        for (at, side) in sides.enumerate() {
            if side < most.0 {
                most = (side, Some(at));
            }
        }
        most.1
    }
}
