//! The curves in which two surfaces cross.
//!
//! An edge of one body that passes through a triangle of the other is an end of a segment, and of
//! exactly two segments where the surfaces are closed: ends are joined by their edge and triangle,
//! not by their places. Edges that meet edges, and corners on faces, would be ends of none or of
//! many. So B is turned and moved by a trifle first, after which no edge meets an edge but by
//! chance: 1e-10 of the size of the pair, which is how exact the curves are.

use super::disjoint_sets::DisjointSets;
use super::place::MeshPlace;
use clearsweep_geometry::{Pose, RelativePose, Vec3};
use rustc_hash::FxHashMap;

/// Displacement of B, in sizes of the pair, and its turn, in radians.
pub(super) const TRIFLE: f64 = 1e-10;

/// A segment in which two triangles cross.
#[derive(Debug, Clone, Copy)]
pub(super) struct CrossingSegment {
    /// In A's frame.
    pub(super) ends: [Vec3<f64>; 2],
    /// Triangle of A and of B.
    pub(super) triangles: [u32; 2],
}

/// A connected curve of segments.
#[derive(Debug, Clone)]
pub(super) struct CrossingCurve {
    pub(super) segments: Vec<CrossingSegment>,
    pub(super) is_closed: bool,
}

/// An edge of one body through a triangle of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Piercing {
    /// 0: the edge is of A.
    side: u8,
    /// Vertices of the edge, ascending.
    edge: [u32; 2],
    triangle: u32,
}

/// The curves in which some pairs of triangles cross, in the order of their first pairs.
pub(super) fn curves(place: &MeshPlace<'_>, pairs: &[[u32; 2]]) -> Vec<CrossingCurve> {
    let moved = Moved::new(place);
    let mut segments: Vec<(CrossingSegment, [Option<Piercing>; 2])> = Vec::new();
    for &pair in pairs {
        let piercings = moved.piercings(pair);
        match piercings[..] {
            [] | [_] => {}
            [(p, one), (q, other)] => {
                segments.push((CrossingSegment { ends: [p, q], triangles: pair }, [Some(one), Some(other)]));
            }
            // Rounding says so where edges meet all the same: ends that are joined to none.
            [(p, _), (q, _), ..] => segments.push((CrossingSegment { ends: [p, q], triangles: pair }, [None; 2])),
        }
    }
    let mut at: FxHashMap<Piercing, Vec<u32>> = FxHashMap::default();
    for (i, (_, ends)) in (0..).zip(&segments) {
        ends.iter().flatten().for_each(|end| at.entry(*end).or_default().push(i));
    }
    let mut sets = DisjointSets::new(segments.len());
    for joined in at.values() {
        joined.windows(2).for_each(|two| sets.unite(two[0], two[1]));
    }
    let is_joined = |end: &Option<Piercing>| end.is_some_and(|end| at[&end].len() == 2);
    let classes = sets.classes().into_iter().map(|class| {
        let is_closed = class.iter().all(|&i| segments[i as usize].1.iter().all(is_joined));
        CrossingCurve { segments: class.iter().map(|&i| segments[i as usize].0).collect(), is_closed }
    });
    classes.collect()
}

/// Both meshes, B moved by a trifle.
struct Moved<'p, 'a> {
    place: &'p MeshPlace<'a>,
    pose: RelativePose<f64>,
}

impl<'p, 'a> Moved<'p, 'a> {
    fn new(place: &'p MeshPlace<'a>) -> Self {
        // Directions that no part is likely to be aligned with.
        let shift = Vec3::new(0.561_803_398, -0.732_050_807, 0.414_213_562).scale(TRIFLE * place.size);
        let turn = Pose::new([0.0; 3], [1.0, 0.324_717_957 * TRIFLE, 0.445_041_867 * TRIFLE, -0.236_067_977 * TRIFLE]);
        let turned = RelativePose::between(&Pose::IDENTITY, &turn);
        let rows = place.pose.r.map(|row| turned.inverse_vector(row));
        Self { place, pose: RelativePose { r: rows, t: place.pose.t + shift } }
    }

    fn vertex(&self, side: usize, v: u32) -> Vec3<f64> {
        match side {
            0 => self.place.a.vertices()[v as usize],
            _ => self.pose.point(self.place.b.vertices()[v as usize]),
        }
    }

    /// The edges of two triangles that pass through the other one, and where they do.
    fn piercings(&self, [s, t]: [u32; 2]) -> Vec<(Vec3<f64>, Piercing)> {
        let of = [self.place.a.triangles()[s as usize], self.place.b.triangles()[t as usize]];
        let mut piercings = Vec::new();
        for side in 0..2 {
            let (own, other, triangle) = (of[side], of[1 - side], [t, s][side]);
            let corners = other.map(|v| self.vertex(1 - side, v));
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let heights = own.map(|v| (self.vertex(side, v) - corners[0]).dot(normal));
            for k in 0..3 {
                let ends = [k, (k + 1) % 3];
                let [i, j] = if own[ends[0]] < own[ends[1]] { ends } else { [ends[1], ends[0]] };
                if (heights[i] < 0.0) == (heights[j] < 0.0) || !self.passes_through(side, [own[i], own[j]], other) {
                    continue;
                }
                let (p, q) = (self.vertex(side, own[i]), self.vertex(side, own[j]));
                let at = p + (q - p).scale(heights[i] / (heights[i] - heights[j]));
                piercings.push((at, Piercing { side: side as u8, edge: [own[i], own[j]], triangle }));
            }
        }
        piercings
    }

    /// Whether the line of an edge passes through a triangle of the other body. An edge of that
    /// body that two triangles share has one sign for both, so that the line passes through one of
    /// them.
    fn passes_through(&self, side: usize, edge: [u32; 2], triangle: [u32; 3]) -> bool {
        let [p, q] = edge.map(|v| self.vertex(side, v));
        let is_left = |k: usize| {
            let (u, v) = (triangle[k], triangle[(k + 1) % 3]);
            let [from, to] = [u.min(v), u.max(v)].map(|w| self.vertex(1 - side, w));
            ((q - p).cross(to - from).dot(from - p) < 0.0) != (u > v)
        };
        let first = is_left(0);
        is_left(1) == first && is_left(2) == first
    }
}
