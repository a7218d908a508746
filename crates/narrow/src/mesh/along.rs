//! Two meshes of which one moves along a line: the meetings of triangles, and the way out.

use super::depth::{self, MeshMemory};
use super::place::MeshPlace;
use super::sweep::{MeetingOrder, Sweep};
use crate::pair::Pair;
use clearsweep_geometry::{Polyhedron, Pose, RelativePose, Vec3};
use clearsweep_model::Shape;

/// Two bodies as meshes, B moving along a unit direction.
pub(crate) struct MeshesOnLine<'a> {
    place: MeshPlace<'a>,
    hulls: [&'a Polyhedron; 2],
    /// Unit, A's frame.
    n: Vec3<f64>,
}

impl<'a> MeshesOnLine<'a> {
    /// `margin`: by how much the bodies grow beyond their radii together, metres.
    pub(crate) fn new(
        [a, b]: [&'a Shape; 2],
        poses: [Pose; 2],
        relative: RelativePose<f64>,
        n: Vec3<f64>,
        margin: f64,
    ) -> Self {
        let growth = (a.surface_growth() + b.surface_growth() + margin).next_up();
        let place = MeshPlace::new([a.surface(), b.surface()], poses, relative, growth);
        Self { place, hulls: [a.surface_hull(), b.surface_hull()], n }
    }

    /// From this length on the hulls are apart, metres.
    pub(crate) fn far(&self) -> f64 {
        let pair = Pair::new(self.hulls[0], self.hulls[1], self.place.pose, self.place.growth);
        let overlap = self.place.growth - pair.gap(self.n);
        overlap + 1e-12 * (self.place.size + overlap.abs())
    }

    /// Triangles that are not proven apart, in the order of the lengths from `from` on at which
    /// they first are not. `each` is given the triangles of A and of B and that length, metres, and
    /// says up to which length others are of interest.
    pub(crate) fn meetings(&self, from: f64, memory: &mut MeshMemory, mut each: impl FnMut([u32; 2], f64) -> f64) {
        let limit = self.far().max(from);
        let (lengths, order) = ([from, limit.next_up()], MeetingOrder::LastEndFirst);
        let mut sweep = Sweep::new(&self.place, self.n, lengths, order, &mut memory.sweep);
        let mut last = limit;
        while let Some((triangles, at)) = sweep.first_meeting(last) {
            last = last.min(each(triangles, at));
        }
    }

    /// The first length that is proven to take the bodies apart, but for rounding, metres.
    pub(crate) fn way_out(&self, memory: &mut MeshMemory) -> f64 {
        depth::way_out_along(&self.place, self.hulls, self.n, memory).unwrap_or_else(|| self.far())
    }
}
