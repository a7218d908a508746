//! The pairs of pieces of two bodies.

use crate::answer::Answer;
use crate::bodies::Bodies;
use crate::pair_solver::Parts;
use clearsweep_model::Piece;
use clearsweep_model::Proximity;

/// A pair of pieces with its answer.
#[derive(Debug)]
pub(super) struct PieceAnswer {
    /// Their indices.
    pub(super) at: [u32; 2],
    /// About the cores.
    pub(super) answer: Answer,
    /// About the inflated pieces.
    pub(super) row: Proximity,
}

impl<'a> Bodies<'a> {
    pub(super) fn parts(&self, a: &'a Piece, b: &'a Piece) -> Parts<'_> {
        let (cores, growth) = ([&a.core, &b.core], a.radius + b.radius);
        Parts { cores, growth, pose_a: &self.pose_a, pose_b: &self.pose_b, relative: &self.relative }
    }

    /// The pieces of these indices.
    pub(super) fn pieces(&self, [i, j]: [u32; 2]) -> [&'a Piece; 2] {
        [&self.a.pieces[i as usize], &self.b.pieces[j as usize]]
    }
}
