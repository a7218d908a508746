//! What the stored planes of a polyhedron prove at once: that a foot lies inside a face, that all other vertices stay below a
//! support plane.
//!
//! Each answer is *sufficient*: where it is yes, the test over the vertices, with all its rounding, says yes, too (the slacks
//! below are above what both may be off together); where it is no, that test is made. So whether planes were formed
//! changes no row.

use crate::geometry::planes::{FourPlanes, Planes, VertexPlanes};
use crate::geometry::polyhedron::LANES;
use crate::geometry::{Polyhedron, Scalar, Vec3};
use crate::narrow::feature::Feature;
use crate::narrow::proximity::FeatureKind::{Edge, Face, Vertex};

/// By how much a foot's depth below a side of a face may differ from that by the stored plane, in shares of the
/// pair's size, 2^-53 times: 40 for the plane, 16 for the formula, and as much again.
const DEPTH: f64 = 128.0 * f64::UNIT;

/// By how much the heights of two vertices along a direction may be off together, in shares of the radius.
pub(super) const HEIGHTS: f64 = 64.0 * f64::UNIT;

/// By how much the product of a direction and a stored normal may be off.
pub(super) const NORMAL: f64 = 32.0 * f64::UNIT;

/// By how much a depth by the stored planes may be more than that of the formula, metres; `size`: that of the pair.
#[inline(always)]
pub(super) fn rounding(size: f64) -> f64 {
    DEPTH * size
}

/// The least depth of a foot inside of a face, less what may be rounding, metres; `size`: that of the pair.
#[inline(always)]
pub(super) fn depth(planes: &Planes, face: u32, foot: Vec3<f64>, size: f64) -> f64 {
    let mut least = [f64::INFINITY; 4];
    for four in planes.side_planes(face) {
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
    Vertex(AroundVertex<'a>),
    Unknown,
}

/// The normal of a face, and the clearance below it.
#[derive(Clone, Copy)]
pub(super) struct BelowFace(Vec3<f64>, f64);

/// The planes around an edge, and the clearances beside it.
#[derive(Clone, Copy)]
pub(super) struct BesideEdge<'a>(&'a FourPlanes, &'a [f64; 2]);

/// The planes of a vertex, and the clearance around it.
#[derive(Clone, Copy)]
pub(super) struct AroundVertex<'a> {
    vertex_planes: &'a [VertexPlanes],
    /// How many planes there are.
    count: usize,
    clearance: f64,
}

impl<'a> Around<'a> {
    #[inline(always)]
    pub(super) fn of(p: &'a Polyhedron, feature: Feature) -> Self {
        let Some(planes) = p.formed_planes() else { return Self::Unknown };
        match feature.kind {
            Vertex => {
                let (vertex_planes, count) =
                    (planes.vertex_planes(feature.index), p.neighbours_of(feature.index).len());
                Self::Vertex(AroundVertex { vertex_planes, count, clearance: planes.point(feature.index)[3] })
            }
            Edge => Self::Edge(BesideEdge(planes.edge(feature.index), planes.edge_clearance(feature.index))),
            Face => Self::Face(BelowFace(p.normals[feature.index as usize], planes.face_clearance(feature.index))),
        }
    }

    /// Whether it is certain that all other vertices stay below the support plane along the unit vector `d` by more than
    /// `margin`, metres, in a body of this `radius`.
    #[inline(always)]
    pub(super) fn is_clear(&self, d: Vec3<f64>, margin: f64, radius: f64) -> bool {
        match self {
            Self::Face(face) => face.is_clear(d, margin, radius),
            Self::Edge(edge) => edge.is_clear(d, margin, radius),
            Self::Vertex(vertex) => {
                let needed = vertex.needed(margin, radius);
                vertex.normals().all(|normal| vertex.is_below(d, normal, needed))
            }
            Self::Unknown => false,
        }
    }
}

impl BelowFace {
    /// See [`Around::is_clear`].
    #[inline(always)]
    pub(super) fn is_clear(&self, d: Vec3<f64>, margin: f64, radius: f64) -> bool {
        let Self(normal, clearance) = self;
        // How much a vertex may rise where the direction is not quite the normal.
        let off = (d.x - normal.x).abs() + (d.y - normal.y).abs() + (d.z - normal.z).abs();
        *clearance > margin + radius * (2.0 * off + HEIGHTS)
    }
}

/// The way to each neighbour is as long as the clearance at least, and its direction is known: how far it leads down.
impl AroundVertex<'_> {
    /// From each neighbour to the vertex, unit.
    #[inline(always)]
    pub(super) fn normals(&self) -> impl Iterator<Item = Vec3<f64>> {
        (0..self.count).map(|i| self.vertex_planes[i / LANES].plane(i % LANES).normal)
    }

    /// What a neighbour must be lower by, at least: twice, which is far more than the relative error of the clearance.
    #[inline(always)]
    pub(super) fn needed(&self, margin: f64, radius: f64) -> f64 {
        2.0 * (margin + radius * HEIGHTS)
    }

    /// Whether it is certain that a neighbour is lower by as much.
    #[inline(always)]
    pub(super) fn is_below(&self, d: Vec3<f64>, normal: Vec3<f64>, needed: f64) -> bool {
        (d.dot(normal) - NORMAL) * self.clearance > needed
    }
}

impl BesideEdge<'_> {
    /// See [`Around::is_clear`].
    #[inline(always)]
    pub(super) fn is_clear(&self, d: Vec3<f64>, margin: f64, radius: f64) -> bool {
        let Self(planes, clearance) = self;
        let along = d.dot(planes.plane(0).normal).abs() + NORMAL;
        // All twice, which is far more than the relative error of the clearances.
        let needed = 2.0 * (margin + radius * (2.0 * along + HEIGHTS));
        let left = (d.dot(planes.plane(2).normal) - NORMAL) * clearance[0];
        let right = (d.dot(planes.plane(3).normal) - NORMAL) * clearance[1];
        (left > needed) & (right > needed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::alone;
    use super::super::draw::Draw;
    use super::*;
    use crate::geometry::{Dd, Real};
    use crate::narrow::closest_points::Side;

    #[test]
    fn what_is_clear_by_the_stored_rooms_is_so_by_every_vertex() {
        let mut draw = Draw(5);
        let (mut clear, mut missed, mut refused) = ([0; 3], 0, 0);
        for case in 0..400 {
            let p = draw.body(case % 5);
            if p.dimension < 3 {
                continue;
            }
            p.planes();
            let edges = (0..p.edges.len() as u32).map(Feature::edge);
            let vertices = (0..p.count as u32).map(Feature::vertex);
            for feature in vertices.chain(edges).chain((0..p.face_count() as u32).map(Feature::face)) {
                let d = draw.direction(&p, feature);
                let margin = p.radius * 10.0_f64.powf(-7.5 + 6.5 * draw.next());
                let sure = Around::of(&p, feature).is_clear(d, margin, p.radius);
                let mut few = [0; 2];
                let own = feature.vertices(&p, &mut few);
                let height = |v: u32| d.dot(p.vertex(v));
                let line = height(own[0]) - margin;
                let below = (0..p.count as u32).filter(|v| !own.contains(v)).all(|v| height(v) < line);
                match (sure, below) {
                    (true, _) => {
                        assert!(below, "case {case}: {feature:?}, margin {margin:e}");
                        clear[feature.kind as usize] += 1;
                        let own_reach = own.iter().all(|&v| height(v) >= line);
                        assert_eq!(alone(&p, feature, d, margin, f64::INFINITY).is_some(), own_reach);
                    }
                    (false, true) => missed += 1,
                    (false, false) => refused += 1,
                }
            }
        }
        assert!(clear.iter().all(|&n| n > 3000) && refused > 3000, "not representative: {clear:?}, {refused}");
        assert!(missed < clear.iter().sum(), "{missed} were clear without being known to be: {clear:?}");
    }

    #[test]
    fn a_depth_by_the_stored_planes_is_below_that_of_the_formula() {
        let mut draw = Draw(6);
        let (mut inside, mut outside) = (0, 0);
        for case in 0..400 {
            let p = draw.body(case % 5);
            for f in 0..p.face_count() as u32 {
                let (ring, normal) = (p.face(f), p.normals[f as usize]);
                // A mixture of the corners, some with shares below zero.
                let shares: Vec<f64> = ring.iter().map(|_| 0.8 + draw.next()).collect();
                let sum: f64 = shares.iter().sum();
                let corners = ring.iter().zip(&shares).map(|(&v, share)| p.vertex(v).scale(share / sum));
                let foot = corners.fold(Vec3::ZERO, |sum, corner| sum + corner);
                let size = p.radius + foot.length();
                let stored = depth(p.planes(), f, foot, size);
                let next = |i: usize| p.vertex(ring[(i + 1) % ring.len()]);
                let sides = (0..ring.len()).map(|i| Side::new(normal, p.vertex(ring[i]), next(i)).depth(foot));
                let formula = sides.fold(f64::INFINITY, f64::min);
                let wide = (0..ring.len()).map(|i| {
                    let side = Side::<Dd>::new(
                        Vec3::from_f64(normal),
                        Vec3::from_f64(p.vertex(ring[i])),
                        Vec3::from_f64(next(i)),
                    );
                    side.depth(Vec3::from_f64(foot)).to_f64()
                });
                let exact = wide.fold(f64::INFINITY, f64::min);
                assert!(stored <= formula && stored <= exact, "case {case}, face {f}: {stored:e} {formula:e}");
                assert!(stored >= exact - 2.0 * rounding(size), "case {case}, face {f}: far too low");
                if exact > 0.0 { inside += 1 } else { outside += 1 }
            }
        }
        assert!(inside > 3000 && outside > 500, "not representative: {inside} inside, {outside} outside");
    }
}
