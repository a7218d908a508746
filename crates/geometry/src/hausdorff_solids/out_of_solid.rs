//! The reach of convex pieces from a solid.
//!
//! A cell is a part of one piece. No point of it is farther from the solid than the least of
//!
//! - its middle is, plus the distance from the middle to the farthest corner: distances change no
//!   faster than points move;
//! - its farthest corner is from *one* triangle: that distance is a convex function;
//! - `|v|`, if the cell moved by `v` meets no triangle and a point of it then lies inside: nothing
//!   but triangles separates inside from outside, so all of the moved cell is inside. With `v`
//!   towards the middle of the piece, a face of the piece that lies on the surface of the solid, or
//!   a little beyond it, is settled as a whole, however it is triangulated.

use super::pieces::PieceUnion;
use super::search::{Known, ReachCell, Reaching, rounding};
use super::solid::SolidQueries;
use super::tetrahedron::Tetrahedron;
use crate::Vec3;
use crate::mesh::fans;
use crate::triangle_tree::distance2;

pub(super) struct OutOfSolid<'a, 'p> {
    pub(super) pieces: &'a PieceUnion<'p>,
    pub(super) queries: SolidQueries<'a>,
}

impl OutOfSolid<'_, '_> {
    /// Cells that fill a piece: between its middle and the triangles of its faces.
    pub(super) fn fans(&self, piece: u32) -> impl Iterator<Item = Tetrahedron> {
        let core = self.pieces.core(piece);
        fans(core).map(move |(_, [a, b, c])| Tetrahedron([core.mean, core.vertex(a), core.vertex(b), core.vertex(c)]))
    }

    /// The distance of a point of a piece, which it tells of.
    fn point(&mut self, p: Vec3<f64>, known: &mut Known) -> f64 {
        let nearest = self.queries.nearest(p);
        let distance = nearest.d2.sqrt();
        if self.queries.contains(p) {
            return 0.0;
        }
        if nearest.is_nearest {
            known.point(distance);
        }
        distance
    }

    /// Whether the cell, moved by `by` along one of the directions that lead inward, is proven to
    /// lie inside.
    fn is_inside_when_moved(&mut self, body: &Tetrahedron, source: u32, by: f64) -> bool {
        let center = body.center();
        let inward = self.pieces.core(source).mean - center;
        let nearest = self.queries.nearest(center).triangle;
        let [a, b, c] = *self.queries.solid.tree.triangle(nearest);
        [inward, (c - a).cross(b - a)].into_iter().any(|direction| {
            // No longer than asked for, whatever rounds.
            let step = direction.normalized().scale(by * (1.0 - 8.0 * f64::EPSILON));
            step.is_finite() && self.queries.holds(&body.moved(step))
        })
    }
}

impl Reaching for OutOfSolid<'_, '_> {
    fn bound(&mut self, body: &Tetrahedron, source: u32, cuts: u32, known: &mut Known) -> Option<f64> {
        let center = body.center();
        let radius = body.radius_about(center);
        let nearest = self.queries.nearest(center);
        let rounding = rounding(self.queries.scale, cuts);
        let distance = nearest.d2.sqrt();
        let inside = self.queries.contains(center);
        if inside && nearest.is_nearest && distance > radius + rounding {
            return Some(rounding);
        }
        if !inside && nearest.is_nearest {
            known.point(distance);
        }
        let triangle = *self.queries.solid.tree.triangle(nearest.triangle);
        let by_middle = if inside { radius } else { distance + radius };
        let by_corners = body.0.iter().map(|&corner| distance2(corner, &triangle)).fold(0.0, f64::max).sqrt();
        let upper = by_middle.min(by_corners) + rounding;
        if upper <= known.threshold() {
            return Some(upper);
        }
        for corner in body.0 {
            self.point(corner, known);
        }
        let threshold = known.threshold();
        // Moving rounds by less than the rounding of the cell.
        let step = threshold - 2.0 * rounding;
        if upper > threshold && step > 0.0 && self.is_inside_when_moved(body, source, step) {
            return Some(threshold);
        }
        if inside && self.queries.holds(body) { Some(rounding) } else { Some(upper) }
    }

    fn split(&mut self, cell: &ReachCell, parts: &mut Vec<Tetrahedron>) {
        parts.extend(cell.body.halves(rounding(self.queries.scale, 0)).into_iter().flatten());
    }

    fn is_exhausted(&self) -> bool {
        self.queries.visits == 0
    }
}
