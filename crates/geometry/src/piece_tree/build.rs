//! Builds the tree: pieces are cut in two along the longest side of the box of their middles; hulls
//! are joined on the way back.

use super::node::{NODE_VERTICES, PieceNode, PieceParts};
use super::outer::{OuterHull, around};
use crate::hull::vertices_only;
use crate::polyhedron::Polyhedron;
use crate::triangle_tree::bounds;
use crate::vec3::Vec3;

/// The nodes over pieces, the root first.
pub(super) fn build(pieces: &[(&Polyhedron, f64)]) -> Vec<PieceNode> {
    let middles = pieces.iter().map(|(core, _)| middle(core)).collect();
    let mut builder = PieceTreeBuilder { pieces, middles, nodes: Vec::with_capacity(2 * pieces.len()) };
    let mut order: Vec<u32> = (0..pieces.len() as u32).collect();
    builder.subtree(&mut order);
    builder.nodes
}

struct PieceTreeBuilder<'a> {
    pieces: &'a [(&'a Polyhedron, f64)],
    /// A point within each piece.
    middles: Vec<Vec3<f64>>,
    nodes: Vec<PieceNode>,
}

impl PieceTreeBuilder<'_> {
    /// Over some pieces: returns its node. Halves, so that the depth is logarithmic whatever the
    /// pieces are.
    fn subtree(&mut self, order: &mut [u32]) -> u32 {
        let index = self.nodes.len();
        if let [piece] = *order {
            let node = self.leaf(piece);
            self.nodes.push(node);
            return index as u32;
        }
        // Parents come before their children: the place is filled when these are known.
        let (parts, middle, radius) = (PieceParts::Nodes([0; 2]), Vec3::ZERO, f64::INFINITY);
        self.nodes.push(PieceNode { parts, hull: None, growth: 0.0, middle, radius });
        let middle = self.halve(order);
        let (first, second) = order.split_at_mut(middle);
        let children = [self.subtree(first), self.subtree(second)];
        self.nodes[index] = self.join(children);
        index as u32
    }

    /// Sorts pieces into two halves along the longest side of the box of their middles; returns
    /// where the second begins.
    fn halve(&self, order: &mut [u32]) -> usize {
        let middle = |piece: u32| self.middles[piece as usize];
        let (low, high) = bounds(order.iter().map(|&piece| middle(piece)));
        let (axis, half) = ((high - low).longest_axis(), order.len() / 2);
        order.select_nth_unstable_by(half, |&a, &b| {
            middle(a)[axis].total_cmp(&middle(b)[axis]).then(a.cmp(&b)) // no ties: the tree is the same for every run
        });
        half
    }

    fn leaf(&self, piece: u32) -> PieceNode {
        let (core, growth) = self.pieces[piece as usize];
        let points = core.corners();
        let parts = PieceParts::Piece(piece);
        if core.most_vertices() <= NODE_VERTICES {
            let (middle, radius) = ball(&points, growth);
            // The polyhedron around a round piece is not built for its vertices alone.
            let hull = core.round.is_some().then(|| Box::new(vertices_only(&points)));
            return PieceNode { parts, hull, growth, middle, radius };
        }
        node(parts, &points, growth)
    }

    /// The node of two others.
    fn join(&self, children: [u32; 2]) -> PieceNode {
        let mut points = Vec::new();
        let mut growth = 0.0_f64;
        for child in children.map(|child| &self.nodes[child as usize]) {
            if let Some(hull) = child.hull(|piece| self.pieces[piece as usize].0) {
                points.extend(hull.corners());
            }
            growth = growth.max(child.growth);
        }
        node(PieceParts::Nodes(children), &points, growth)
    }
}

/// A node around points that grow.
fn node(parts: PieceParts, points: &[Vec3<f64>], growth: f64) -> PieceNode {
    let (middle, radius) = ball(points, growth);
    let (hull, growth) = match around(points) {
        Ok(OuterHull { vertices, excess: 0.0 }) => (vertices_only(&vertices), growth),
        Ok(OuterHull { vertices, excess }) => (vertices_only(&vertices), (growth + excess).next_up()),
        // No hull of finite points of this range fails; the ball would do.
        Err(_) => (vertices_only(&[middle]), radius),
    };
    PieceNode { parts, hull: Some(Box::new(hull)), growth, middle, radius }
}

/// A ball around points that grow: its middle and its radius, rounded up, metres.
fn ball(points: &[Vec3<f64>], growth: f64) -> (Vec3<f64>, f64) {
    let (low, high) = bounds(points.iter().copied());
    let middle = (low + high).scale(0.5);
    let radius = points.iter().fold(0.0_f64, |radius, &p| radius.max((p - middle).length()));
    (middle, (radius + growth) * (1.0 + 8.0 * f64::EPSILON))
}

/// A point within a piece, by which pieces are sorted: of a round one the middle of its box.
fn middle(core: &Polyhedron) -> Vec3<f64> {
    match &core.round {
        Some(_) => {
            let [low, high] = core.bounds();
            (low + high).scale(0.5)
        }
        None => core.mean,
    }
}
