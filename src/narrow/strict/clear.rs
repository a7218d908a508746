//! What the stored planes of a polyhedron prove at once: that a foot lies inside a face, that all other vertices stay below a
//! support plane.
//!
//! Each answer is *sufficient*: where it is yes, the test over the vertices, with all its rounding, says yes, too (the slacks
//! below are above what both may be off together); where it is no, that test is made. So whether planes were formed
//! changes no row.

use crate::geometry::planes::{Four, Planes};
use crate::geometry::{Polyhedron, Real, Vec3};
use crate::narrow::feature::Feature;
use crate::narrow::proximity::FeatureKind::{Edge, Face, Vertex};

/// By how much a foot's depth below a side of a face may differ from that by the stored plane, in shares of the
/// pair's size, 2^-53 times: 40 for the plane, 16 for the formula, and as much again.
const DEPTH: f64 = 128.0 * f64::UNIT;

/// By how much the heights of two vertices along a direction may be off together, in shares of the radius.
const HEIGHTS: f64 = 64.0 * f64::UNIT;

/// By how much the product of a direction and a stored normal may be off.
const NORMAL: f64 = 32.0 * f64::UNIT;

/// By how much a depth by the stored planes may be more than that of the formula, metres; `size`: that of the pair.
#[inline(always)]
pub(super) fn rounding(size: f64) -> f64 {
    DEPTH * size
}

/// The least depth of a foot inside of a face, less what may be rounding, metres; `size`: that of the pair.
#[inline(always)]
pub(super) fn depth(planes: &Planes, face: u32, foot: Vec3<f64>, size: f64) -> f64 {
    let mut least = [f64::INFINITY; 4];
    for four in planes.walls(face) {
        for (lane, least) in least.iter_mut().enumerate() {
            let side = four.plane(lane).side(foot);
            *least = if side < *least { side } else { *least };
        }
    }
    let [a, b, c, d] = least;
    smaller(smaller(a, b), smaller(c, d)) - rounding(size)
}

#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// What is stored about the surroundings of a feature.
#[derive(Clone, Copy)]
pub(super) enum Around<'a> {
    Face(BelowFace),
    Edge(BesideEdge<'a>),
    Unknown,
}

/// The normal of a face, and the room below it.
#[derive(Clone, Copy)]
pub(super) struct BelowFace(Vec3<f64>, f64);

/// The planes around an edge, and the rooms beside it.
#[derive(Clone, Copy)]
pub(super) struct BesideEdge<'a>(&'a Four, &'a [f64; 2]);

impl<'a> Around<'a> {
    #[inline(always)]
    pub(super) fn of(p: &'a Polyhedron, feature: Feature) -> Self {
        let Some(planes) = p.formed_planes() else { return Self::Unknown };
        match feature.kind {
            Vertex => Self::Unknown,
            Edge => Self::Edge(BesideEdge(planes.edge(feature.index), planes.edge_room(feature.index))),
            Face => Self::Face(BelowFace(p.normals[feature.index as usize], planes.face_room(feature.index))),
        }
    }

    /// Whether it is certain that all other vertices stay below the support plane along the unit vector `d` by more than
    /// `margin`, metres, in a body of this `radius`.
    #[inline(always)]
    pub(super) fn is_clear(&self, d: Vec3<f64>, margin: f64, radius: f64) -> bool {
        match self {
            Self::Face(face) => face.is_clear(d, margin, radius),
            Self::Edge(edge) => edge.is_clear(d, margin, radius),
            Self::Unknown => false,
        }
    }
}

impl BelowFace {
    /// See [`Around::is_clear`].
    #[inline(always)]
    pub(super) fn is_clear(&self, d: Vec3<f64>, margin: f64, radius: f64) -> bool {
        let Self(normal, room) = self;
        // How much a vertex may rise where the direction is not quite the normal.
        let off = (d.x - normal.x).abs() + (d.y - normal.y).abs() + (d.z - normal.z).abs();
        *room > margin + radius * (2.0 * off + HEIGHTS)
    }
}

impl BesideEdge<'_> {
    /// See [`Around::is_clear`].
    #[inline(always)]
    pub(super) fn is_clear(&self, d: Vec3<f64>, margin: f64, radius: f64) -> bool {
        let Self(planes, room) = self;
        let along = d.dot(planes.plane(0).normal).abs() + NORMAL;
        // All twice, which is far more than the relative error of the rooms.
        let needed = 2.0 * (margin + radius * (2.0 * along + HEIGHTS));
        let left = (d.dot(planes.plane(2).normal) - NORMAL) * room[0];
        let right = (d.dot(planes.plane(3).normal) - NORMAL) * room[1];
        (left > needed) & (right > needed)
    }
}
