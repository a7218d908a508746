//! The two bodies of a search, each with its Voronoi planes and the transform of the other body
//! into its frame.
//!
//! *Rounding.* The planes are stored with the polyhedron (`geometry::planes`) and rounded: a signed distance is off by
//! a few dozen units of 2^-53 of the sizes of the body and of the point. Every test of a state is
//! the sign of such a distance, of a derivative, or of a difference of heights. A sign is wrong
//! only for a point that near to the plane, and there the features on both sides of the plane are
//! equally near up to such a length. So an argument for exact planes (the next feature is nearer
//! than the present one) holds up to that length. A wrong sign costs a detour, or ends the search
//! at a feature pair that near to the best, which the certificate accepts or rejects. Cycles of
//! detours are detected. Neighbouring features hold the same rounded numbers of the plane between
//! them, so they never contradict each other.
use crate::feature::Feature;
use crate::pair::Pair;
use clearsweep_base::simd::{Mask, Simd, V};
use clearsweep_geometry::planes::{FourPlanes, Plane, Planes, VertexPlanes};
use clearsweep_geometry::{Polyhedron, RelativePose, Vec3};

/// Hundreds of times the rounding of a closest point, as a fraction of the pair's size.
const CLEAR: f64 = 1.0 / (1_u64 << 34) as f64;

/// One body of a search.
#[derive(Clone, Copy)]
pub(super) struct BodyView<'a, S: Simd> {
    pub(super) polyhedron: &'a Polyhedron,
    pub(super) planes: &'a Planes,
    /// The transform from the other body's frame into this one: the columns of the rotation, and
    /// the translation; each in both halves of a register.
    columns: [V<S>; 3],
    origin: V<S>,
    /// Distance beyond a plane, metres, from which on rounding cannot have changed the side.
    pub(super) clear: f64,
}

/// A directed edge of the other body, in the frame of the body at home: its tail in lanes 0 to 2,
/// its head in lanes 4 to 6.
#[derive(Clone, Copy)]
pub(super) struct Segment<S: Simd>(pub(super) V<S>);

impl<S: Simd> Segment<S> {
    /// The point at `lambda`, 0 at the tail and 1 at the head, in both halves.
    #[inline(always)]
    fn at(&self, lambda: f64) -> V<S> {
        self.0.low().scaled(1.0 - lambda) + self.0.high().scaled(lambda)
    }

    /// The part from the tail to `lambda`.
    #[inline(always)]
    pub(super) fn before(&self, lambda: f64) -> Self {
        Self(Mask::from_bits(0x0f).pick(self.0, self.at(lambda)))
    }

    /// The part from `lambda` to the head.
    #[inline(always)]
    pub(super) fn behind(&self, lambda: f64) -> Self {
        Self(Mask::from_bits(0x0f).pick(self.at(lambda), self.0))
    }

    /// Tail and head.
    #[inline(always)]
    pub(super) fn ends(&self) -> [Vec3<f64>; 2] {
        let [x, y, z, _, u, v, w, _] = self.0.lanes();
        [Vec3 { x, y, z }, Vec3 { x: u, y: v, z: w }]
    }
}

/// A point in both halves of a register.
#[inline(always)]
pub(super) fn point<S: Simd>(x: Vec3<f64>) -> V<S> {
    V::quad([x.x, x.y, x.z, 0.0])
}

/// The two bodies of a pair, A first.
#[inline(always)] // as everything below: into code for wider registers
pub(super) fn bodies<'a, S: Simd>(pair: &Pair<'a, f64>) -> [BodyView<'a, S>; 2] {
    bodies_at(pair.a, pair.b, [pair.a.planes(), pair.b.planes()], &pair.pose)
}

/// Two cores with their planes at a relative pose, A first.
#[inline(always)]
pub(super) fn bodies_at<'a, S: Simd>(
    a: &'a Polyhedron,
    b: &'a Polyhedron,
    planes: [&'a Planes; 2],
    pose: &RelativePose<f64>,
) -> [BodyView<'a, S>; 2] {
    let [x, y, z] = pose.r;
    let columns = [V::quad([x.x, y.x, z.x, 0.0]), V::quad([x.y, y.y, z.y, 0.0]), V::quad([x.z, y.z, z.z, 0.0])];
    let rows = [x, y, z].map(point::<S>);
    let t = pose.t;
    let clear = CLEAR * (a.radius + b.radius + (t.x.abs() + t.y.abs() + t.z.abs()));
    let back = rows[0].scaled(t.x) + rows[1].scaled(t.y) + rows[2].scaled(t.z);
    [
        BodyView { polyhedron: a, planes: planes[0], columns, origin: point(t), clear },
        BodyView { polyhedron: b, planes: planes[1], columns: rows, origin: V::splat(0.0) - back, clear },
    ]
}

impl<'a, S: Simd> BodyView<'a, S> {
    #[inline(always)]
    fn rotated(&self, v: Vec3<V<S>>) -> V<S> {
        self.columns[0] * v.x + self.columns[1] * v.y + self.columns[2] * v.z
    }

    /// A point of the other body (each component in all lanes of a half), transformed into this
    /// frame.
    #[inline(always)]
    pub(super) fn transformed(&self, x: Vec3<V<S>>) -> V<S> {
        self.rotated(x) + self.origin
    }

    /// A direction of the other body, in this frame, in both halves.
    #[inline(always)]
    pub(super) fn direction(&self, v: Vec3<f64>) -> V<S> {
        self.rotated(Vec3::from_f64(v))
    }

    /// A vertex of the other body, in this frame, in both halves.
    #[inline(always)]
    pub(super) fn vertex_of(&self, other: &Self, v: u32) -> V<S> {
        self.transformed(Vec3::spread(V::twice(other.planes.point(v))))
    }

    /// An edge of the other body, in this frame.
    #[inline(always)]
    pub(super) fn edge_of(&self, other: &Self, e: u32) -> Segment<S> {
        let [tail, head] = other.ends(e);
        Segment(self.transformed(Vec3::spread(V::join(other.planes.point(tail), other.planes.point(head)))))
    }

    /// The tail of edge `e`, in its own body's frame.
    #[inline(always)]
    pub(super) fn tail(&self, e: u32) -> Vec3<f64> {
        let [x, y, z, _] = *self.planes.point(self.ends(e)[0]);
        Vec3 { x, y, z }
    }

    /// The unit vector along edge `e`, in its own body's frame.
    #[inline(always)]
    pub(super) fn along(&self, e: u32) -> Vec3<f64> {
        self.edge_planes(e).plane(0).normal
    }

    /// The planes of vertex `v`, in the order of [`Self::incident_edges`].
    #[inline(always)]
    pub(super) fn vertex_planes(&self, v: u32) -> &'a [VertexPlanes] {
        self.planes.vertex_planes(v)
    }

    /// The four planes of edge `e`: at its vertices, and along its faces.
    #[inline(always)]
    pub(super) fn edge_planes(&self, e: u32) -> &'a FourPlanes {
        self.planes.edge(e)
    }

    /// The side planes of face `f`, in the order of [`Self::boundary`].
    #[inline(always)]
    pub(super) fn side_planes(&self, f: u32) -> &'a [FourPlanes] {
        self.planes.side_planes(f)
    }

    /// The plane of face `f`, positive outside.
    #[inline(always)]
    pub(super) fn support(&self, f: u32) -> Plane {
        self.planes.support(f)
    }

    /// The incident edges of vertex `v`.
    #[inline(always)]
    pub(super) fn incident_edges(&self, v: u32) -> &'a [u32] {
        let (p, v) = (self.polyhedron, v as usize);
        &p.neighbour_edges[p.neighbour_start[v] as usize..p.neighbour_start[v + 1] as usize]
    }

    /// The incident edge of vertex `v` at a place.
    #[inline(always)]
    pub(super) fn incident_edge(&self, v: u32, at: u32) -> Feature {
        Feature::edge(self.incident_edges(v)[at as usize])
    }

    /// The boundary edges of face `f`, in its order.
    #[inline(always)]
    pub(super) fn boundary(&self, f: u32) -> &'a [u32] {
        let (p, f) = (self.polyhedron, f as usize);
        &p.face_edges[p.face_start[f] as usize..p.face_start[f + 1] as usize]
    }

    /// The ends of edge `e`.
    #[inline(always)]
    pub(super) fn ends(&self, e: u32) -> [u32; 2] {
        self.polyhedron.edges[e as usize].v
    }

    /// The two faces of edge `e`, in the order of lanes 2 and 3 of its planes.
    #[inline(always)]
    pub(super) fn faces(&self, e: u32) -> [u32; 2] {
        self.polyhedron.edges[e as usize].f
    }
}
