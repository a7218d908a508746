//! The bodies of an interval query: two bodies, as one pair of hulls or as pairs of convex pieces.

use super::node::Node;
use super::options::{BodyMotion, IntervalOptions};
use super::pair_path::PairPath;
use super::path::{PathTerms, displacement};
use super::relative_motion::RelativeMotion;
use super::support_gap::Hulls;
use crate::NarrowPhase;
use crate::bodies::Bodies;
use crate::cache::{PairCache, PieceCache};
use crate::deviation::Deviation;
use crate::methods::Auto;
use crate::overlap_proof::OverlapDepths;
use crate::pair::bound_of;
use crate::pair_solver::{PairSolver, Parts, SearchMethod, solve};
use crate::piece_trees::PieceTrees;
use crate::query::{BodyPoses, PairQuery};
use crate::solver_stats::SolverStats;
use crate::workspace::Workspace;
use clearsweep_geometry::mesh::TriangleMesh;
use clearsweep_geometry::piece_tree::PieceTree;
use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::{Polyhedron, RoundBody, RoundCore, Vec3};
use clearsweep_model::{AnswerKind, Proximity};
use clearsweep_model::{Piece, QueryOptions, Shape};

/// Far beyond every length, and still finite, so that no bound computed from it is infinite or NaN.
const ANY_DISTANCE: f64 = 1e300;

/// Division of two bodies.
#[derive(Debug, Clone, Copy)]
enum Division<'a> {
    /// They are one convex piece each.
    Convex,
    /// One of them is a mesh: they are solved as a whole, and node by node (`surfaces/`).
    Whole,
    /// One of them has several pieces.
    Pieces(PieceTrees<'a>),
}

/// Two bodies over an interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct IntervalBodies<'a> {
    shapes: [&'a Shape; 2],
    /// The axes of each body in the world at both ends.
    axes: [[[Vec3<f64>; 3]; 2]; 2],
    /// Vectors from A's recentred origin to B's at both ends, world, metres.
    between: [Vec3<f64>; 2],
    division: Division<'a>,
    deviation: Deviation,
    touch: f64,
    answer: AnswerKind,
}

impl<'a> IntervalBodies<'a> {
    pub(super) fn new(a: &BodyMotion<'a>, b: &BodyMotion<'a>, options: &IntervalOptions) -> Self {
        let shapes = [a.shape, b.shape];
        let IntervalOptions { touch, answer, .. } = *options;
        let division = match shapes {
            [a, b] if a.mesh.is_some() || b.mesh.is_some() => Division::Whole,
            [a, b] if a.only_piece().is_some() && b.only_piece().is_some() => Division::Convex,
            _ => Division::Pieces(PieceTrees::new(shapes)),
        };
        let axes = [a.ends, b.ends].map(|ends| ends.map(|pose| rotation(pose.q)));
        let between = [0, 1].map(|end| displacement(&(&a.ends[end]).into(), &(&b.ends[end]).into()));
        Self { shapes, axes, between, division, deviation: Deviation::of(a.shape, b.shape), touch, answer }
    }

    /// The hulls of both bodies alone, which contain them.
    pub(super) fn as_hulls(&self) -> Self {
        Self { division: Division::Convex, ..*self }
    }

    /// Whether both bodies are convex, so that a gap bounds the depth too.
    pub(super) fn is_convex(&self) -> bool {
        matches!(self.division, Division::Convex)
    }

    /// Whether the leaves are convex.
    pub(super) fn is_convex_leaf(&self) -> bool {
        !matches!(self.division, Division::Whole)
    }

    /// Whether there are trees to be descended.
    pub(super) fn has_trees(&self) -> bool {
        matches!(self.division, Division::Pieces(_))
    }

    /// The surfaces of bodies of which one is a mesh.
    pub(super) fn surfaces(&self) -> Option<[&'a TriangleMesh; 2]> {
        matches!(self.division, Division::Whole).then(|| self.shapes.map(Shape::surface))
    }

    /// The deviations of both bodies together, metres.
    pub(super) fn deviation(&self) -> f64 {
        self.deviation.by
    }

    /// Growth and deviation of the surfaces of both bodies together, metres.
    pub(super) fn growth_of_surfaces(&self) -> (f64, f64) {
        (self.shapes[0].surface_growth() + self.shapes[1].surface_growth(), self.deviation.by)
    }

    /// The hulls of both bodies.
    pub(super) fn hulls(&self) -> Hulls<'a> {
        LeafPieces::new(self.shapes.map(Shape::hull)).hulls(self)
    }

    /// The hulls of two nodes of the trees; of bodies without, those of the bodies.
    pub(super) fn hulls_of_nodes(&self, nodes: [u32; 2]) -> Option<Hulls<'a>> {
        let Some(trees) = self.trees() else { return Some(self.hulls()) };
        let of = trees.nodes(nodes);
        let core = |body: usize| {
            let shape: &'a Shape = self.shapes[body];
            of[body].hull(|piece| &shape.pieces[piece as usize].core)
        };
        Some(Hulls { cores: [core(0)?, core(1)?], growth: of[0].growth + of[1].growth, deviation: self.deviation.by })
    }

    /// The pairs of nodes with two pieces below them, from the roots down, with their hulls.
    pub(super) fn nodes_with(&self, pieces: [u32; 2]) -> Vec<([u32; 2], Hulls<'a>)> {
        let mut path = Vec::new();
        let Some(PieceTrees([a, b])) = self.trees() else { return path };
        let (Some(leaf_a), Some(leaf_b)) = (a.leaf(pieces[0]), b.leaf(pieces[1])) else { return path };
        let mut nodes = [0, 0];
        while let Some([first, second]) = self.children(nodes) {
            nodes = [
                PieceTree::part_towards([first[0], second[0]], leaf_a),
                PieceTree::part_towards([first[1], second[1]], leaf_b),
            ];
            let hulls = match self.pieces(nodes) {
                Some([i, j]) => {
                    let of = [&self.shapes[0].pieces[i as usize], &self.shapes[1].pieces[j as usize]];
                    Some(LeafPieces::new(of).hulls(self))
                }
                None => self.hulls_of_nodes(nodes),
            };
            path.extend(hulls.map(|hulls| (nodes, hulls)));
        }
        path
    }

    /// The middles of two nodes of the trees, or the origins, in recentred frames, metres.
    pub(super) fn middles(&self, nodes: [u32; 2]) -> [Vec3<f64>; 2] {
        match self.trees() {
            Some(trees) => trees.nodes(nodes).map(|node| node.middle),
            None => [Vec3::ZERO; 2],
        }
    }

    /// The direction between the middles of two nodes, in A's frame at a node of the interval.
    pub(super) fn between_middles(&self, nodes: [u32; 2], at: &Node) -> Vec3<f64> {
        let [a, b] = self.middles(nodes);
        (at.relative.point(b) - a).normalized()
    }

    /// The size of the pair at a node, metres.
    pub(super) fn size(&self, node: &Node) -> f64 {
        self.shapes[0].radius + self.shapes[1].radius + node.relative.t.length()
    }

    fn trees(&self) -> Option<PieceTrees<'a>> {
        match self.division {
            Division::Pieces(trees) => Some(trees),
            _ => None,
        }
    }

    /// The pieces of two leaves of the trees.
    pub(super) fn pieces(&self, nodes: [u32; 2]) -> Option<[u32; 2]> {
        self.trees()?.pieces(nodes)
    }

    /// The parts of two nodes of which one is no leaf: the larger gives way.
    pub(super) fn children(&self, nodes: [u32; 2]) -> Option<[[u32; 2]; 2]> {
        self.trees()?.children(nodes)
    }

    /// Gives a node the distance of the bodies there, and returns their row: `row` if it is known,
    /// else it is computed. `cache`: the memory of two convex bodies.
    pub(super) fn measure_bodies(
        &self,
        node: &mut Node,
        row: Option<&Proximity>,
        cache: &mut PieceCache,
        work: &mut Workspace,
        stats: &mut SolverStats,
    ) -> Option<Proximity> {
        let row = row.copied().or_else(|| match self.division {
            Division::Convex => {
                let of = LeafPieces::new(self.shapes.map(Shape::hull));
                of.row(self, node, self.answer, cache, work, stats)
            }
            _ => of_bodies(self, node, &mut PairCache::default(), work, stats),
        })?;
        node.take_row(&row);
        node.pieces = pieces_of(&row);
        Some(row)
    }

    /// The balls about the pivots that contain the bodies however they turn are at least this far
    /// apart while the pivots move on lines, and part with the acceleration `parting` (metres over
    /// the square of the interval), metres.
    pub(super) fn balls_of_pivots(&self, [a, b]: [PathTerms<f64>; 2], parting: Vec3<f64>) -> f64 {
        let start = self.between[0] + (b.arm - a.arm);
        let end = start + (b.velocity - a.velocity);
        let radii = (self.shapes[0].radius + a.arm.length()) + (self.shapes[1].radius + b.arm.length());
        let size = radii + a.velocity.length() + b.velocity.length() + start.length().max(end.length());
        let sag = 0.125 * parting.length() * (1.0 + 1e-9);
        distance_to_segment([start, end]) - sag - radii - self.deviation.by - 2.0 * bound_of::<f64>(size)
    }

    /// Returns the vectors from a point of A to one of B at both ends, world, metres.
    fn between_points(&self, points: [Vec3<f64>; 2]) -> [Vec3<f64>; 2] {
        let turned = |body: usize, end: usize| {
            let (rows, at) = (&self.axes[body][end], points[body]);
            Vec3::new(rows[0].dot(at), rows[1].dot(at), rows[2].dot(at))
        };
        [0, 1].map(|end| self.between[end] + (turned(1, end) - turned(0, end)))
    }

    /// The balls of two nodes of the trees are at least this far apart throughout, metres: their
    /// middles leave their chords by an eighth of their acceleration.
    pub(super) fn ball_gap(&self, nodes: [u32; 2], path: &PairPath<'_>, motion: &RelativeMotion) -> f64 {
        let Some(trees) = self.trees() else { return f64::NEG_INFINITY };
        let of = trees.nodes(nodes);
        let between = self.between_points(of.map(|node| node.middle));
        let bend = path.bend_of_points(of.map(|node| node.middle));
        let size = self.shapes[0].radius + self.shapes[1].radius + between[0].length().max(between[1].length());
        let rounding = bound_of::<f64>(size) + motion.error;
        distance_to_segment(between) - 0.125 * bend - (of[0].radius + of[1].radius) - self.deviation.by - rounding
    }
}

/// The pieces that a row is of, if it names them.
pub(super) fn pieces_of(row: &Proximity) -> Option<[u32; 2]> {
    let [a, b] = row.part.map(u32::try_from);
    Some([a.ok()?, b.ok()?])
}

/// The distance of the origin from a segment.
fn distance_to_segment([from, to]: [Vec3<f64>; 2]) -> f64 {
    let along = to - from;
    let length2 = along.length2();
    let share = if length2 > 0.0 { (-from.dot(along) / length2).clamp(0.0, 1.0) } else { 0.0 };
    (from + along.scale(share)).length()
}

/// Two pieces, or parts of sectors of tori.
#[derive(Debug, Clone, Copy)]
struct LeafPieces<'a> {
    cores: [&'a Polyhedron; 2],
    /// Growth of each, metres.
    radii: [f64; 2],
}

impl<'a> LeafPieces<'a> {
    fn new([a, b]: [&'a Piece; 2]) -> Self {
        Self { cores: [&a.core, &b.core], radii: [a.radius, b.radius] }
    }

    fn growth(&self) -> f64 {
        self.radii[0] + self.radii[1]
    }

    fn hulls(&self, bodies: &IntervalBodies<'_>) -> Hulls<'a> {
        Hulls { cores: self.cores, growth: self.growth(), deviation: bodies.deviation.by }
    }

    /// The pairs with both halves of a sector, the wider one, in its place. `None` where no hull
    /// is larger than its sector.
    fn halves(&self) -> Option<[Self; 2]> {
        let chord = |core: &Polyhedron| match core.round.as_deref() {
            Some(RoundCore { body: RoundBody::Sector(sector), .. }) => sector.chord(),
            _ => -1.0,
        };
        let [a, b] = self.cores.map(chord);
        let divided = usize::from(b > a);
        let [one, other] = self.cores[divided].round.as_ref()?.halves()?;
        Some([one, other].map(|half| {
            let mut cores = self.cores;
            cores[divided] = half;
            Self { cores, ..*self }
        }))
    }

    /// The row at a node, whatever the distance.
    fn row(
        &self,
        bodies: &IntervalBodies<'_>,
        node: &Node,
        answer: AnswerKind,
        cache: &mut PieceCache,
        work: &mut Workspace,
        stats: &mut SolverStats,
    ) -> Option<Proximity> {
        let [pose_a, pose_b] = &node.poses;
        let options = QueryOptions { answer, ..options(bodies) };
        let [of_a, of_b] = bodies.shapes;
        let posed = Bodies { a: of_a, b: of_b, pose_a: *pose_a, pose_b: *pose_b, relative: node.relative };
        let overlap = OverlapDepths::of(&posed, &options);
        let parts = Parts { cores: self.cores, growth: self.growth(), pose_a, pose_b, relative: &node.relative };
        let mut solver =
            PairSolver { search: SearchMethod::Auto, single: false, polytope: &mut work.polytope, overlap };
        let answer = solve(&parts, f64::INFINITY, cache, &mut solver, stats).answered()?;
        let ([a, b], [of_a, of_b]) = (self.cores, self.radii);
        let mut row = answer.inflated((a, of_a), (b, of_b), bodies.size(node), &options);
        [row.lower, row.upper] = bodies.deviation.bracket([row.lower, row.upper]);
        Some(row)
    }
}

/// A pair of hulls with its computed nodes.
#[derive(Debug)]
pub(super) struct Leaf<'a> {
    pieces: LeafPieces<'a>,
    /// Whether it is a part of sectors of tori, of which no row is known.
    is_part: bool,
    pub(super) hulls: Hulls<'a>,
    pub(super) nodes: Vec<Node>,
    /// Memory of the hulls or pieces from time to time.
    cache: PieceCache,
    /// Memory of bodies that are solved as a whole.
    whole: Option<Box<PairCache>>,
    /// Answer sought of the hulls of bodies that are solved as a whole.
    of_hulls: AnswerKind,
}

impl<'a> Leaf<'a> {
    /// Creates a leaf of the pieces of these indices, or of the hulls of whole bodies. `cache`:
    /// their memory. `is_apart`: whether the bodies are proven apart at the start.
    pub(super) fn new(bodies: &IntervalBodies<'a>, [i, j]: [u32; 2], cache: PieceCache, is_apart: bool) -> Self {
        let [a, b] = bodies.shapes;
        let pieces = match bodies.division {
            Division::Pieces(_) => [&a.pieces[i as usize], &b.pieces[j as usize]],
            _ => [a.hull(), b.hull()],
        };
        // If the surfaces are apart, the depth of the hulls bounds nothing.
        let of_hulls = if is_apart { AnswerKind::Distance } else { bodies.answer };
        Self::of(bodies, LeafPieces::new(pieces), cache, of_hulls)
    }

    fn of(bodies: &IntervalBodies<'_>, pieces: LeafPieces<'a>, cache: PieceCache, of_hulls: AnswerKind) -> Self {
        let (hulls, nodes) = (pieces.hulls(bodies), Vec::with_capacity(8));
        Self { pieces, is_part: false, hulls, nodes, cache, whole: None, of_hulls }
    }

    /// Whether a piece is a sector of a torus, whose hull is larger.
    pub(super) fn has_sector(&self) -> bool {
        let is_sector = |core: &&Polyhedron| core.round.as_ref().is_some_and(|round| !round.body.is_convex());
        self.pieces.cores.iter().any(is_sector)
    }

    /// The leaves of both halves of a sector of a torus, without nodes; `None` where no hull is
    /// larger than its sector.
    pub(super) fn halves(&self, bodies: &IntervalBodies<'_>) -> Option<[Self; 2]> {
        let half = |pieces| Self { is_part: true, ..Self::of(bodies, pieces, PieceCache::default(), self.of_hulls) };
        Some(self.pieces.halves()?.map(half))
    }

    /// Computes the distance at a node. `known`: the bodies as a whole there.
    pub(super) fn measure(
        &mut self,
        bodies: &IntervalBodies<'_>,
        node: &mut Node,
        known: Option<&Node>,
        work: &mut Workspace,
        stats: &mut SolverStats,
    ) {
        if let Some(known) = known.filter(|_| !bodies.has_trees() && !self.is_part) {
            node.clone_from(known);
            self.add_normal_of_hulls(bodies, node, work, stats);
            return;
        }
        let row = match bodies.division {
            Division::Whole => of_bodies(bodies, node, self.whole.get_or_insert_default(), work, stats),
            _ => self.pieces.row(bodies, node, bodies.answer, &mut self.cache, work, stats),
        };
        let Some(row) = row else { return };
        node.take_row(&row);
        self.add_normal_of_hulls(bodies, node, work, stats);
    }

    /// Adds the direction between the hulls of bodies of which one is a mesh.
    fn add_normal_of_hulls(
        &mut self,
        bodies: &IntervalBodies<'_>,
        node: &mut Node,
        work: &mut Workspace,
        stats: &mut SolverStats,
    ) {
        if matches!(bodies.division, Division::Whole)
            && let Some(of_hulls) = self.pieces.row(bodies, node, self.of_hulls, &mut self.cache, work, stats)
        {
            node.add_normal(of_hulls.normal);
        }
    }
}

/// The row of the bodies at a node, whatever their distance.
fn of_bodies(
    bodies: &IntervalBodies<'_>,
    node: &Node,
    cache: &mut PairCache,
    work: &mut Workspace,
    stats: &mut SolverStats,
) -> Option<Proximity> {
    let [a, b] = bodies.shapes;
    let [poses_a, poses_b] = [0, 1].map(|body| BodyPoses::Fixed(&node.poses[body]));
    let query = PairQuery { a, b, poses_a, poses_b, samples: 1 };
    let mut rows = Vec::with_capacity(1);
    Auto.walk(&query, &options(bodies), cache, work, stats, &mut rows);
    rows.pop()
}

fn options(bodies: &IntervalBodies<'_>) -> QueryOptions {
    let IntervalBodies { touch, answer, .. } = *bodies;
    QueryOptions { within: ANY_DISTANCE, touch, answer, ..QueryOptions::EVERYTHING }
}
