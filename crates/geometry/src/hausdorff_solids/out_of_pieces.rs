//! The reach of a solid from convex pieces.
//!
//! A cell is a part of the box of the solid. The distance to *one* piece is a convex function, and
//! the largest value of a convex function over a compact set is that at an extreme point of its
//! hull. Of the part of the solid in a cell those are corners of the cell that lie inside, and
//! corners of what the cell cuts out of triangles: at any other point the set goes on to both sides
//! along some line. So no point of the solid in the cell is farther from the pieces than the
//! farthest of these corners is from one piece.
//!
//! A cell is cut along a face of the nearest piece, so that what lies in the piece is settled as a
//! whole and what lies beyond is left for the others; every other time it is halved.

use super::pieces::PieceUnion;
use super::search::{Known, ReachCell, Reaching, rounding};
use super::solid::SolidQueries;
use super::tetrahedron::Tetrahedron;
use crate::Vec3;
use crate::triangle_tree::Corners;

/// Pieces that a cell is bounded by: the nearest ones.
const PIECES: usize = 3;

/// Triangles of a cell that are cut to it; cells that meet more of them are bounded by their
/// corners.
const TRIANGLES: usize = 64;

/// Vertices of the solid that are tested first.
const VERTICES: usize = 4096;

pub(super) struct OutOfPieces<'a, 'p> {
    pub(super) pieces: &'a PieceUnion<'p>,
    pub(super) queries: SolidQueries<'a>,
}

impl OutOfPieces<'_, '_> {
    /// Tells of vertices of the solid.
    pub(super) fn look_at_vertices(&self, known: &mut Known) {
        let step = self.queries.solid.tree.len().div_ceil(VERTICES / 3);
        for &p in self.queries.solid.triangles().step_by(step).flatten() {
            known.point(self.pieces.nearest(p, 1)[0].0);
        }
    }

    /// The points among which the extreme points of the part of the solid in a cell are; `None`: it
    /// has none there.
    fn extreme_points(&mut self, body: &Tetrahedron, margin: f64) -> Option<Vec<Vec3<f64>>> {
        let corners = body.0.to_vec();
        let Some(triangles) = self.queries.meeting(body, margin, TRIANGLES) else { return Some(corners) };
        if triangles.is_empty() {
            // All of it is inside, or all of it is outside.
            return self.queries.contains(body.center()).then_some(corners);
        }
        let mut points: Vec<Vec3<f64>> =
            corners.into_iter().filter(|&corner| self.is_in_reach(corner, margin)).collect();
        let planes: Vec<_> = body.planes(margin).collect();
        for triangle in triangles {
            points.extend(clipped(self.queries.solid.tree.triangle(triangle), &planes, 3.0 * margin));
        }
        Some(points)
    }

    /// Whether a point is inside of the solid, or not proven to be farther from it than `margin`.
    fn is_in_reach(&mut self, p: Vec3<f64>, margin: f64) -> bool {
        let nearest = self.queries.nearest(p);
        !nearest.is_nearest || nearest.d2.sqrt() <= 2.0 * margin || self.queries.contains(p)
    }

    /// The largest distance of points from one piece.
    fn farthest(&self, points: &[Vec3<f64>], piece: u32) -> f64 {
        points.iter().map(|&p| self.pieces.distance(piece, p)).fold(0.0, f64::max)
    }
}

impl Reaching for OutOfPieces<'_, '_> {
    fn bound(&mut self, body: &Tetrahedron, _: u32, cuts: u32, known: &mut Known) -> Option<f64> {
        let margin = rounding(self.queries.scale, cuts);
        let center = body.center();
        let near = self.pieces.nearest(center, PIECES);
        let by_corners = near.iter().map(|&(_, piece)| self.farthest(&body.0, piece)).fold(f64::INFINITY, f64::min);
        if by_corners + margin <= known.threshold() {
            return Some(by_corners + margin);
        }
        let points = self.extreme_points(body, margin)?;
        if self.queries.contains(center) {
            known.point(near[0].0);
        }
        let by_points = near.iter().map(|&(_, piece)| self.farthest(&points, piece)).fold(by_corners, f64::min);
        Some(by_points + 2.0 * margin)
    }

    fn split(&mut self, cell: &ReachCell, parts: &mut Vec<Tetrahedron>) {
        let body = &cell.body;
        let least = rounding(self.queries.scale, cell.cuts);
        if cell.cuts.is_multiple_of(2) {
            let (_, piece) = self.pieces.nearest(body.center(), 1)[0];
            let far = body.0.map(|corner| self.pieces.distance(piece, corner));
            let most = (1..4).fold(0, |most, i| if far[i] > far[most] { i } else { most });
            let (n, at) = self.pieces.plane_below(piece, body.0[most]);
            // Corners nearly on the plane count as on it: where a cut runs is free, and slivers
            // cost time.
            let side = |p: Vec3<f64>| {
                let side = n.dot(p - at);
                if side.abs() <= 4.0 * least { 0.0 } else { side }
            };
            let values = body.0.map(side);
            if values.iter().any(|&v| v < 0.0) && values.iter().any(|&v| v > 0.0) {
                body.cut(values, parts);
                return;
            }
        }
        parts.extend(body.halves(least).into_iter().flatten());
    }

    fn is_exhausted(&self) -> bool {
        self.queries.visits == 0
    }
}

/// The part of a convex polygon where `side` is at most 0.
pub(crate) fn below(polygon: &[Vec3<f64>], side: impl Fn(Vec3<f64>) -> f64) -> Vec<Vec3<f64>> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, &p) in polygon.iter().enumerate() {
        let q = polygon[(k + 1) % polygon.len()];
        let (at_p, at_q) = (side(p), side(q));
        if at_p <= 0.0 {
            kept.push(p);
        }
        if (at_p < 0.0 && at_q > 0.0) || (at_p > 0.0 && at_q < 0.0) {
            kept.push(p + (q - p).scale(at_p / (at_p - at_q)));
        }
    }
    kept
}

/// The corners of the part of a triangle that lies no farther than `beyond` outside of planes.
fn clipped(triangle: &Corners, planes: &[(Vec3<f64>, Vec3<f64>)], beyond: f64) -> Vec<Vec3<f64>> {
    let mut polygon = triangle.to_vec();
    for &(n, at) in planes {
        polygon = below(&polygon, |p| n.dot(p - at) - beyond);
    }
    polygon
}
