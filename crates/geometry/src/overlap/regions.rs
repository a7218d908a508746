//! Proven bounds of a body within a cell.
//!
//! A *cell* is a box in the near frame. For each body two parts of it, cut by planes, are known to
//! lie inside and outside.
//!
//! - *A convex piece with a radius.* Its signed distance is a convex function `f`. Outside: all
//!   that lies beyond a supporting plane. Inside: let `t` be the least of `n x - f(x)` over the
//!   corners of the cell. The affine function `n x - t` is at least `f` at each corner, so at each
//!   point of the cell (Jensen's inequality, with the weights of trilinear interpolation), and if
//!   it is at most 0, so is `f`.
//! - *A mesh.* The heights of its triangles in the cell along a direction span an interval. Nothing
//!   but triangles separates inside from outside, so each of the two parts beyond that interval
//!   lies inside or outside as a whole, as one of its corners does.

use super::aabb::Aabb;
use super::frame::{Frames, HalfSpace, flushed};
use super::half_cell::{heights, share_below};
use crate::hausdorff_solids::{TriangleSolid, below};
use crate::mesh::fans;
use crate::triangle_tree::{Corners, TriangleTree, bounds, offset};
use crate::{Polyhedron, TriangleMesh, Vec3};

/// Opening of a cell for triangles, and of their heights, units: more than triangles are off
/// (`MOVED`), and than six cuts and a product round.
const OPENED: f64 = 1024.0;

/// Bound on the error of a distance, a height or a support, in units. Points of a cell are within 4
/// S of all points of both bodies, as the cell lies in both boxes. A height errs by less than 52 u
/// of that and by `MOVED`; a distance by less than 40 u of that and by `MOVED`.
const OFF: f64 = 1024.0;

/// Most triangles of a cell that are tested; a cell that meets more stays undecided.
const TRIANGLES: usize = 512;

/// Bound on the rounding of a share of a cell.
const SHARE: f64 = 64.0 * f64::EPSILON;

/// Proven bounds of a body in a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Bounds of the share of the cell's volume that lies in the body.
    pub(super) share: [f64; 2],
    /// Whether no point of the cell is in the body.
    pub(super) is_outside: bool,
}

impl Part {
    const OUTSIDE: Self = Self { share: [0.0; 2], is_outside: true };
    const INSIDE: Self = Self { share: [1.0; 2], is_outside: false };
    const UNKNOWN: Self = Self { share: [0.0, 1.0], is_outside: false };

    fn of_shares(lower: f64, upper: f64) -> Self {
        let upper = (upper + SHARE).min(1.0);
        Self { share: [(lower - SHARE).clamp(0.0, upper), upper], is_outside: false }
    }
}

/// A body in the near frame.
pub(super) enum Region {
    /// A union of grown convex pieces.
    Pieces(Vec<GrownPiece>),
    /// The solid of a closed mesh.
    Mesh(TriangleSolid),
}

/// A convex piece with a radius, in the near frame.
pub(super) struct GrownPiece {
    bounds: Aabb,
    radius: f64,
    vertices: Vec<Vec3<f64>>,
    /// Half-spaces of the faces; none if it has no volume.
    faces: Vec<HalfSpace>,
    surface: TriangleTree,
}

impl Region {
    /// Bounds the part of the body in a cell.
    pub(super) fn within(&self, cell: &Aabb, unit: f64) -> Part {
        match self {
            Self::Mesh(solid) => of_solid(solid, cell, unit),
            Self::Pieces(pieces) => {
                let mut all = Part::OUTSIDE;
                for piece in pieces.iter().filter(|piece| piece.bounds.meet(cell).is_some()) {
                    let part = piece.within(cell, unit);
                    let upper = (all.share[1] + part.share[1]).min(1.0);
                    let is_outside = all.is_outside && part.is_outside;
                    all = Part { share: [all.share[0].max(part.share[0]), upper], is_outside };
                    if all.share[0] == 1.0 {
                        break;
                    }
                }
                all
            }
        }
    }

    /// The solid of a closed mesh of body `body`.
    pub(super) fn of_mesh(frames: &Frames, body: usize, mesh: &TriangleMesh) -> Self {
        let pose = &frames.near_from[body];
        let at: Vec<Vec3<f64>> = mesh.vertices().iter().map(|&v| flushed(pose.point(v))).collect();
        Self::Mesh(TriangleSolid::new(mesh.triangles().iter().map(|t| t.map(|v| at[v as usize])).collect()))
    }

    /// A union of pieces of body `body`.
    pub(super) fn of_pieces(frames: &Frames, body: usize, pieces: &[(&Polyhedron, f64)]) -> Self {
        Self::Pieces(pieces.iter().map(|&(core, growth)| GrownPiece::new(frames, body, core, growth)).collect())
    }
}

impl GrownPiece {
    fn new(frames: &Frames, body: usize, core: &Polyhedron, radius: f64) -> Self {
        let pose = &frames.near_from[body];
        let vertices: Vec<Vec3<f64>> = (0..core.count as u32).map(|v| pose.point(core.vertex(v))).collect();
        // A polyhedron without faces is as near as its first vertex, at most.
        let first = (core.dimension == 3 && core.face_count() == 0).then(|| [vertices[0]; 3]);
        let surface = fans(core).map(|(_, fan)| fan.map(|v| vertices[v as usize])).chain(first);
        let surface = TriangleTree::new(surface.collect());
        let faces = if core.dimension == 3 { HalfSpace::of_faces(core, pose).collect() } else { Vec::new() };
        Self { bounds: frames.bounds(body, core, radius), radius, vertices, faces, surface }
    }

    /// Bounds the part of the piece in a cell.
    fn within(&self, cell: &Aabb, unit: f64) -> Part {
        let middle = cell.middle();
        let (at_middle, n) = self.signed_distance(middle, unit);
        let corners = cell.corners();
        let reach = corners.iter().map(|&c| (c - middle).length2()).fold(0.0, f64::max).sqrt() * (1.0 + 1e-15);
        if at_middle + reach + OFF * unit <= 0.0 {
            return Part::INSIDE;
        }
        let along = heights(cell, n);
        let support = self.vertices.iter().map(|&v| n.dot(v)).fold(f64::NEG_INFINITY, f64::max);
        let beyond = support + self.radius + OFF * unit;
        if along.iter().all(|&height| height > beyond) {
            return Part::OUTSIDE;
        }
        if self.radius == 0.0 && self.faces.is_empty() {
            return Part { share: [0.0; 2], is_outside: false };
        }
        let distances = corners.map(|corner| self.signed_distance(corner, unit).0);
        if distances.iter().all(|&distance| distance <= 0.0) {
            return Part::INSIDE;
        }
        let inside = along.iter().zip(&distances).map(|(height, distance)| height - distance);
        let inside = inside.fold(f64::INFINITY, f64::min) - OFF * unit;
        let share = |t: f64| share_below(&along.map(|height| height - t));
        Part::of_shares(share(inside), share(beyond))
    }

    /// An upper bound of the signed distance of a point, metres, and a direction outward: unit but
    /// for rounding.
    fn signed_distance(&self, p: Vec3<f64>, unit: f64) -> (f64, Vec3<f64>) {
        let mut face = (f64::NEG_INFINITY, Vec3::ZERO);
        for half_space in &self.faces {
            let height = half_space.height(p);
            if height > face.0 {
                face = (height, half_space.normal());
            }
        }
        if face.0 < 0.0 && !self.faces.is_empty() {
            return (face.0 - self.radius + OFF * unit, face.1);
        }
        let nearest = self.surface.nearest(p, usize::MAX);
        let n = offset(p, self.surface.triangle(nearest.triangle)).normalized();
        let other = if self.faces.is_empty() { Vec3::new(1.0, 0.0, 0.0) } else { face.1 };
        let is_near = nearest.d2.sqrt() <= OFF * unit || !n.is_finite();
        (nearest.d2.sqrt() - self.radius + OFF * unit, if is_near { other } else { n })
    }
}

/// Bounds the part of the solid of a mesh in a cell.
fn of_solid(solid: &TriangleSolid, cell: &Aabb, unit: f64) -> Part {
    let opened = cell.opened(OPENED * unit);
    let mut pieces: Vec<Vec<Vec3<f64>>> = Vec::new();
    let (_, all) = solid.tree.in_box((opened.low, opened.high), usize::MAX, |triangle| {
        let clipped = clipped(solid.tree.triangle(triangle), &opened);
        if !clipped.is_empty() {
            pieces.push(clipped);
        }
        pieces.len() <= TRIANGLES
    });
    if !all {
        return Part::UNKNOWN;
    }
    if pieces.is_empty() {
        return if solid.contains(flushed(cell.middle())).0 { Part::INSIDE } else { Part::OUTSIDE };
    }
    let normal = pieces.iter().fold(Vec3::ZERO, |sum, polygon| sum + area_vector(polygon));
    let n = if normal.normalized().is_finite() { normal.normalized() } else { Vec3::new(1.0, 0.0, 0.0) };
    let of_triangles = pieces.iter().flatten().map(|&p| n.dot(p));
    let span = of_triangles.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)]);
    let (low, high) = (span[0] - OPENED * unit, span[1] + OPENED * unit);
    let (corners, along) = (cell.corners(), heights(cell, n));
    let end = |sign: f64| (0..8).fold(0, |best, i| if sign * along[i] > sign * along[best] { i } else { best });
    let is_inside = |corner: usize| solid.contains(flushed(corners[corner])).0;
    let (mut lower, mut upper) = (0.0, 1.0);
    let mut count = |share: f64, corner: usize| match is_inside(corner) {
        true => lower += (share - SHARE).max(0.0),
        false => upper -= (share - SHARE).max(0.0),
    };
    let (bottom, top) = (end(-1.0), end(1.0));
    if along[bottom] < low {
        count(share_below(&along.map(|height| height - low)), bottom);
    }
    if along[top] > high {
        count(share_below(&along.map(|height| high - height)), top);
    }
    Part::of_shares(lower, upper)
}

/// The part of a triangle in a box.
fn clipped(triangle: &Corners, cell: &Aabb) -> Vec<Vec3<f64>> {
    let (low, high) = bounds(triangle.iter().copied());
    if (0..3).any(|k| low[k] > cell.high[k] || high[k] < cell.low[k]) {
        return Vec::new();
    }
    let mut polygon = triangle.to_vec();
    for axis in 0..3 {
        for (sign, end) in [(-1.0, cell.low[axis]), (1.0, cell.high[axis])] {
            if polygon.iter().all(|p| sign * (p[axis] - end) <= 0.0) {
                continue;
            }
            polygon = below(&polygon, |p| sign * (p[axis] - end));
        }
    }
    polygon
}

fn area_vector(polygon: &[Vec3<f64>]) -> Vec3<f64> {
    let fan = polygon.windows(2).skip(1).map(|pair| (pair[0] - polygon[0]).cross(pair[1] - polygon[0]));
    fan.fold(Vec3::ZERO, |sum, area| sum + area)
}
