//! The solid that closed, oriented triangles enclose.

use super::tetrahedron::Tetrahedron;
use crate::Vec3;
use crate::ray::{RayCrossing, crossing};
use crate::triangle_tree::{Corners, NearestTriangle, TriangleTree, bounds};

/// Boxes of triangles that any search may look at.
const VISITS_LEAST: usize = 256;

/// Triangles that close up and face outward: the solid is what they wind around, and the triangles
/// themselves.
#[derive(Debug)]
pub struct TriangleSolid {
    pub(crate) tree: TriangleTree,
    pub(super) low: Vec3<f64>,
    pub(super) high: Vec3<f64>,
}

/// A solid with the work that may still be done on it.
pub(super) struct SolidQueries<'a> {
    pub(super) solid: &'a TriangleSolid,
    /// Boxes of triangles that may still be visited.
    pub(super) visits: usize,
    /// Largest magnitude of a coordinate of anything that is compared.
    pub(super) scale: f64,
}

impl TriangleSolid {
    /// Creates the solid of triangles: finite, at least one, fewer than 2^32.
    pub fn new(triangles: Vec<Corners>) -> Self {
        let (low, high) = bounds(triangles.iter().flatten().copied());
        Self { tree: TriangleTree::new(triangles), low, high }
    }

    /// Triangles.
    pub(super) fn triangles(&self) -> impl Iterator<Item = &Corners> {
        (0..self.tree.len() as u32).map(|t| self.tree.triangle(t))
    }

    /// Whether a point lies inside or on a triangle (exact), and the number of boxes visited.
    pub(crate) fn contains(&self, p: Vec3<f64>) -> (bool, usize) {
        let (mut winding, mut is_on) = (0, false);
        let visits = self.tree.above(p, usize::MAX, |triangle| match crossing(p, self.tree.triangle(triangle)) {
            RayCrossing::None => {}
            RayCrossing::Through(sign) => winding += sign,
            RayCrossing::At => is_on = true,
        });
        (is_on || winding > 0, visits)
    }
}

impl SolidQueries<'_> {
    /// Whether a point lies inside or on a triangle.
    pub(super) fn contains(&mut self, p: Vec3<f64>) -> bool {
        let (inside, visits) = self.solid.contains(p);
        self.visits = self.visits.saturating_sub(visits);
        inside
    }

    /// The triangle nearest to a point, or one near by once the work is used up.
    pub(super) fn nearest(&mut self, p: Vec3<f64>) -> NearestTriangle {
        let found = self.solid.tree.nearest(p, self.visits.max(VISITS_LEAST));
        self.visits = self.visits.saturating_sub(found.visits);
        found
    }

    /// Returns the triangles that may come within `margin` of a cell; `None`: there are more than
    /// `most`.
    pub(super) fn meeting(&mut self, cell: &Tetrahedron, margin: f64, most: usize) -> Option<Vec<u32>> {
        let (low, high) = cell.bounds();
        let wide = Vec3::new(margin, margin, margin).scale(1.0 + 4.0 * f64::EPSILON);
        let mut found = Vec::new();
        let (visits, all) =
            self.solid.tree.in_box((low - wide, high + wide), self.visits.max(VISITS_LEAST), |triangle| {
                if cell.may_meet(self.solid.tree.triangle(triangle), margin, self.scale) {
                    found.push(triangle);
                }
                found.len() <= most
            });
        self.visits = self.visits.saturating_sub(visits);
        all.then_some(found)
    }

    /// Whether all of a cell is proven to lie inside.
    pub(super) fn holds(&mut self, cell: &Tetrahedron) -> bool {
        self.meeting(cell, 0.0, 0).is_some() && self.contains(cell.center())
    }
}
