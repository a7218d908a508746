//! A union of convex pieces.

use crate::hull::side;
use crate::mesh::fans;
use crate::triangle_tree::{TriangleTree, bounds};
use crate::{Polyhedron, Vec3};

/// Convex pieces with a volume.
pub struct PieceUnion<'a> {
    pieces: Vec<OnePiece<'a>>,
}

struct OnePiece<'a> {
    core: &'a Polyhedron,
    surface: TriangleTree,
    low: Vec3<f64>,
    high: Vec3<f64>,
}

impl<'a> PieceUnion<'a> {
    /// Creates the union of polyhedra of dimension 3.
    pub fn new(pieces: &'a [Polyhedron]) -> Self {
        let one = |core: &'a Polyhedron| {
            debug_assert_eq!(core.dimension, 3, "a piece has a volume");
            let surface = TriangleTree::new(fans(core).map(|(_, fan)| fan.map(|v| core.vertex(v))).collect());
            let (low, high) = bounds((0..core.count as u32).map(|v| core.vertex(v)));
            OnePiece { core, surface, low, high }
        };
        Self { pieces: pieces.iter().map(one).collect() }
    }

    /// Number of pieces.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// A piece.
    pub(super) fn core(&self, piece: u32) -> &'a Polyhedron {
        self.pieces[piece as usize].core
    }

    /// The triangles of the faces of all pieces.
    pub(super) fn triangles(&self) -> usize {
        self.pieces.iter().map(|piece| piece.surface.len()).sum()
    }

    /// The distance of a point from a piece, 0 inside of it: exact there, as computed elsewhere.
    pub(super) fn distance(&self, piece: u32, p: Vec3<f64>) -> f64 {
        let OnePiece { core, surface, .. } = &self.pieces[piece as usize];
        let is_outside = |f: u32| match *core.face(f) {
            [a, b, c, ..] => side(core.vertex(a), core.vertex(b), core.vertex(c), p) > 0.0,
            _ => true,
        };
        match (0..core.face_count() as u32).any(is_outside) {
            true => surface.nearest(p, usize::MAX).d2.sqrt(),
            false => 0.0,
        }
    }

    /// The pieces nearest to a point, `most` of them or all there are, the nearest first, with
    /// their distances.
    pub(super) fn nearest(&self, p: Vec3<f64>, most: usize) -> Vec<(f64, u32)> {
        let mut by_box: Vec<(f64, u32)> = self.pieces.iter().map(|piece| box_distance(p, piece)).zip(0..).collect();
        by_box.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        let mut found: Vec<(f64, u32)> = Vec::with_capacity(most + 1);
        for (bound, piece) in by_box {
            if found.len() == most && bound > found[most - 1].0 {
                break;
            }
            found.push((self.distance(piece, p), piece));
            found.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            found.truncate(most);
        }
        found
    }

    /// The plane of the face of a piece beyond which a point lies farthest: unit normal, and a
    /// corner.
    pub(super) fn plane_below(&self, piece: u32, p: Vec3<f64>) -> (Vec3<f64>, Vec3<f64>) {
        let core = self.core(piece);
        let plane = |f: usize| (core.normals[f], core.vertex(core.face(f as u32)[0]));
        let beyond = |f: usize| {
            let (n, at) = plane(f);
            n.dot(p - at)
        };
        let best = (1..core.face_count()).fold(0, |best, f| if beyond(f) > beyond(best) { f } else { best });
        plane(best)
    }
}

fn box_distance(p: Vec3<f64>, piece: &OnePiece<'_>) -> f64 {
    let beside = |k: usize| (piece.low[k] - p[k]).max(p[k] - piece.high[k]).max(0.0);
    Vec3::new(beside(0), beside(1), beside(2)).length()
}
