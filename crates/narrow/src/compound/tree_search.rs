//! The pairs of pieces that may be near: the trees of both bodies are descended together, and what
//! a gap of two nodes proves to be beyond the cut-off is left out with all its parts (two-phase
//! paper, section 3.4).
//!
//! A pair is left out if it is farther than the cut-off by more than the promised width of a
//! bracket, so that it would have no part in the row: which pairs are visited, and in which order,
//! changes no row.

use crate::bodies::Bodies;
use crate::branch_and_bound::{DepthFirst, Part};
use crate::cache::TreeMemory;
use crate::gjk::{self, Simplex};
use crate::pair::{Pair, bound_of};
use crate::piece_trees::PieceTrees;
use crate::search::SearchEnd;
use crate::solve_outcome::beyond;
use crate::solver_stats::SolverStats;
use clearsweep_geometry::piece_tree::PieceNode;
use clearsweep_geometry::{Polyhedron, Vec3};
use clearsweep_model::Shape;
use std::cmp::Ordering;

/// Two nodes that are to be compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenNodes {
    nodes: [u32; 2],
    /// They are at least this far apart, metres: that of their balls.
    gap: f64,
}

impl Part for OpenNodes {
    /// Nearer balls come first.
    fn order(&self, other: &Self) -> Ordering {
        other.gap.partial_cmp(&self.gap).unwrap_or(Ordering::Equal)
    }
}

/// Two nodes that are proven to be beyond the cut-off.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeGap {
    /// They are at least this far apart, metres.
    pub(super) gap: f64,
    /// The direction along which they are, in A's frame.
    pub(super) normal: Vec3<f64>,
}

/// A search under way.
pub(super) struct PieceSearch<'a, 'm> {
    bodies: &'a Bodies<'a>,
    trees: PieceTrees<'a>,
    pub(super) memory: &'m mut TreeMemory,
    open: &'m mut DepthFirst<OpenNodes>,
    /// Distance beyond which pairs are of no interest, metres.
    pub(super) cutoff: f64,
    /// The least gap that was proven of what is left out, metres.
    pub(super) gap: f64,
}

impl<'a, 'm> PieceSearch<'a, 'm> {
    /// A sample begins.
    pub(super) fn new(
        bodies: &'a Bodies<'a>,
        cutoff: f64,
        memory: &'m mut TreeMemory,
        open: &'m mut DepthFirst<OpenNodes>,
    ) -> Self {
        let trees = PieceTrees::new([bodies.a, bodies.b]);
        memory.pieces.begin();
        memory.nodes.begin();
        open.begin(OpenNodes { nodes: [0, 0], gap: f64::NEG_INFINITY });
        Self { bodies, trees, memory, open, cutoff, gap: f64::INFINITY }
    }

    /// The next two pieces (indices) that may be nearer than the cut-off, nearest balls first.
    pub(super) fn next(&mut self, stats: &mut SolverStats) -> Option<[u32; 2]> {
        loop {
            let (reach, left_out) = (beyond(self.cutoff, self.bodies.size()), &mut self.gap);
            let OpenNodes { nodes, .. } = self.open.next_unless(|part| {
                *left_out = if part.gap > reach { left_out.min(part.gap) } else { *left_out };
                part.gap > reach
            })?;
            if let Some(pieces) = self.trees.pieces(nodes) {
                stats.piece_pairs += 1;
                return Some(pieces);
            }
            match self.separates(nodes, stats) {
                Some(apart) => self.leave_out(apart.gap),
                None => self.open_children(nodes),
            }
        }
    }

    /// Records that all skipped pairs are at least `gap` apart, metres.
    pub(super) fn leave_out(&mut self, gap: f64) {
        self.gap = self.gap.min(gap);
    }

    /// The proof that two nodes are beyond the cut-off: a search from the last one's end.
    pub(super) fn separates(&mut self, nodes: [u32; 2], stats: &mut SolverStats) -> Option<NodeGap> {
        let Bodies { a, b, relative, .. } = *self.bodies;
        let [of_a, of_b] = self.trees.nodes(nodes);
        let growth = of_a.growth + of_b.growth;
        let pair = Pair::new(hull(of_a, a)?, hull(of_b, b)?, relative, growth);
        let beyond = beyond(self.cutoff, self.bodies.size().max(pair.size)) + growth;
        if !beyond.is_finite() {
            return None;
        }
        stats.node_pairs += 1;
        let memory = self.memory.nodes.at(nodes);
        // Indices of other bodies mean nothing here.
        let is_known = |&[i, j]: &[u32; 2]| (i as usize) < pair.a.count && (j as usize) < pair.b.count;
        let start = if memory.as_slice().iter().all(is_known) { *memory } else { Simplex::default() };
        let result = gjk::search_while_apart(&pair, &start, beyond, beyond);
        stats.search_iterations += u64::from(result.iterations);
        *memory = result.simplex;
        if result.end != SearchEnd::Beyond {
            return None;
        }
        let normal = -result.point.normalized();
        // A support found by climbing is no proof.
        let gap = if pair.climbs() { pair.gap(normal) } else { result.gap };
        let lower = gap - pair.bound();
        (lower > beyond).then_some(NodeGap { gap: lower - growth, normal })
    }

    /// Opens the parts of the larger of two nodes.
    fn open_children(&mut self, nodes: [u32; 2]) {
        // The last pushed is taken first if both are as near.
        for nodes in self.trees.children(nodes).into_iter().flatten().rev() {
            let gap = self.ball_gap(nodes);
            self.open.push(OpenNodes { nodes, gap });
        }
    }

    /// The balls of two nodes are at least this far apart, metres: rounding included.
    fn ball_gap(&self, nodes: [u32; 2]) -> f64 {
        let [a, b] = self.trees.nodes(nodes);
        let between = a.middle - self.bodies.relative.point(b.middle);
        between.length() - (a.radius + b.radius) - bound_of::<f64>(self.bodies.size())
    }
}

/// The hull of a node of the tree of a body.
fn hull<'a>(node: &'a PieceNode, body: &'a Shape) -> Option<&'a Polyhedron> {
    node.hull(|piece| &body.pieces[piece as usize].core)
}
