//! The plane of a face with coordinates, and points of the other body in it.

use super::outline::{PlaneOutline, PlanePoint};
use clearsweep_geometry::{Polyhedron, RelativePose, Scalar, Vec3};

/// Body that a face belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    A,
    B,
}

/// A face's plane: an origin and axes in the frame of its body.
#[derive(Clone, Copy)]
pub(super) struct FacePlane<'a> {
    p: &'a Polyhedron,
    ring: &'a [u32],
    pub(super) origin: Vec3<f64>,
    /// Unit vectors: two in the plane, and the outward normal.
    pub(super) axes: [Vec3<f64>; 3],
}

/// The axes of a face's plane in the other body's frame, and the plane's coordinates of that
/// frame's origin.
pub(super) struct SeenFromOther<T> {
    pub(super) axes: [Vec3<T>; 3],
    shift: [T; 3],
}

impl<'a> FacePlane<'a> {
    /// Creates the plane of a face, whose first side gives the first axis.
    #[inline(always)]
    pub(super) fn new(p: &'a Polyhedron, face: u32) -> Self {
        let (ring, normal) = (p.face(face), p.normals[face as usize]);
        let origin = p.vertex(ring[0]);
        let side = p.vertex(ring[1]) - origin;
        let u = (side - normal.scale(side.dot(normal))).normalized();
        Self { p, ring, origin, axes: [u, normal.cross(u), normal] }
    }

    /// The number of vertices of the face.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.ring.len()
    }

    /// The face, counter-clockwise seen from outside.
    #[inline(always)]
    pub(super) fn outline<T: Scalar, const N: usize>(&self) -> PlaneOutline<T, N> {
        let mut outline = PlaneOutline::empty();
        for (i, &v) in self.ring.iter().enumerate() {
            let at = self.p.vertex(v);
            let from = at - self.origin;
            let vertex = [T::from_f64(from.dot(self.axes[0])), T::from_f64(from.dot(self.axes[1]))];
            outline.push(vertex, self.p.vertex(self.ring[(i + 1) % self.ring.len()]) - at);
        }
        outline
    }

    /// The plane as the other body sees it; `home`: whose face it is.
    #[inline(always)]
    pub(super) fn seen_from_other<T: Scalar>(&self, home: Home, pose: &RelativePose<T>) -> SeenFromOther<T> {
        let [u, v, n] = self.axes;
        let origin = Vec3::<T>::from_f64(self.origin);
        let (u, v, n) = (Vec3::<T>::from_f64(u), Vec3::<T>::from_f64(v), Vec3::<T>::from_f64(n));
        match home {
            Home::A => {
                let from = pose.t - origin;
                let axes = [pose.inverse_vector(u), pose.inverse_vector(v), pose.inverse_vector(n)];
                SeenFromOther { axes, shift: [from.dot(u), from.dot(v), from.dot(n)] }
            }
            Home::B => {
                let axes = [pose.vector(u), pose.vector(v), pose.vector(n)];
                let [p, q, r] = axes;
                let (t, o) = (pose.t, origin);
                SeenFromOther { axes, shift: [-(p.dot(t) + u.dot(o)), -(q.dot(t) + v.dot(o)), -(r.dot(t) + n.dot(o))] }
            }
        }
    }
}

impl<T: Scalar> SeenFromOther<T> {
    /// Projects a point of the other body onto the plane.
    #[inline(always)]
    pub(super) fn point(&self, x: Vec3<f64>) -> PlanePoint<T> {
        let x = Vec3::<T>::from_f64(x);
        [x.dot(self.axes[0]) + self.shift[0], x.dot(self.axes[1]) + self.shift[1]]
    }

    /// Returns its height over the plane, metres.
    #[inline(always)]
    pub(super) fn height(&self, x: Vec3<f64>) -> T {
        Vec3::<T>::from_f64(x).dot(self.axes[2]) + self.shift[2]
    }

    /// A face of the other body that looks towards the plane: its outline is turned round.
    #[inline(always)]
    pub(super) fn outline<const N: usize>(&self, p: &Polyhedron, face: u32) -> PlaneOutline<T, N> {
        let (ring, mut outline) = (p.face(face), PlaneOutline::empty());
        for i in (0..ring.len()).rev() {
            let at = p.vertex(ring[i]);
            outline.push(self.point(at), p.vertex(ring[if i > 0 { i - 1 } else { ring.len() - 1 }]) - at);
        }
        outline
    }

    /// An edge of the other body.
    #[inline(always)]
    pub(super) fn segment(&self, [from, to]: [Vec3<f64>; 2]) -> PlaneOutline<T, 2> {
        let mut outline = PlaneOutline::empty();
        outline.push(self.point(from), to - from);
        outline.push(self.point(to), from - to);
        outline
    }
}
