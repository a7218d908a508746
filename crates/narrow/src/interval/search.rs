//! Best-first division of an interval: the part of the least bound is divided next.
//!
//! A part is a pair of convex pieces, or of nodes of the trees over them, between two times. The
//! result depends on the bodies, their motion and the options alone: parts are ordered by their
//! bounds.

use super::beyond::separated;
use super::bodies::{IntervalBodies, Leaf};
use super::node::Node;
use super::options::{IntervalOptions, PartDivision};
use super::pair_path::PairPath;
use super::relative_motion::{FixedIn, GapBound, RelativeMotion};
use super::sought_times::SoughtTimes;
use super::surfaces::SurfaceParts;
use super::two_directions::HullsBetween;
use crate::branch_and_bound::{BestFirst, Part};
use crate::cache::PieceCache;
use crate::solve_outcome::PROMISE;
use crate::solver_stats::SolverStats;
use crate::workspace::Workspace;
use clearsweep_model::{AnswerKind, IntervalMethod};
use std::cmp::Ordering;

/// Width of a bracket around the required clearance or the cut-off that is not narrowed any
/// further, in sizes of the pair. While bodies stay there, the number of divisions is as the
/// square root of its inverse.
const AT_LIMIT: f64 = 1e-10;

/// Shares of an interval that are not divided any further.
const LEAST_SHARE: f64 = 1.0 / (1_u64 << 44) as f64;

/// Shares of a part at its ends in which it is not divided.
const NEAREST: f64 = 0.05;

/// A part that is more than this share of its parent is divided in the middle, so that two
/// divisions leave no more than this share of any part.
const UNEVEN: f64 = 0.8;

/// Pair of nodes, or leaf, that a part belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PartOf {
    /// Two nodes of the trees over the pieces.
    Nodes([u32; 2]),
    /// A leaf, between two of its nodes.
    Leaf { leaf: u32, from: u32, to: u32 },
    /// Two nodes of the trees over surfaces.
    Surfaces(u32),
}

/// A part of the interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct IntervalPart {
    /// Proven lower bound of the signed distance, metres.
    pub(super) lower: f64,
    pub(super) start: f64,
    pub(super) end: f64,
    /// A bound over the part, its ends at 0 and 1; none of nodes of trees.
    pub(super) bound: GapBound,
    pub(super) of: PartOf,
    /// Time at which the distance is likely least, as a share of the part.
    pub(super) least_at: f64,
}

impl Part for IntervalPart {
    /// The part of the least bound comes first, and of equal ones the earliest.
    fn order(&self, other: &Self) -> Ordering {
        let by_bound = other.lower.total_cmp(&self.lower);
        by_bound.then(other.start.total_cmp(&self.start)).then(other.of.cmp(&self.of))
    }
}

/// A search under way.
pub(super) struct IntervalSearch<'a, 'w> {
    pub(super) bodies: IntervalBodies<'a>,
    pub(super) path: PairPath<'a>,
    pub(super) motion: RelativeMotion,
    pub(super) options: IntervalOptions,
    pub(super) division: PartDivision,
    /// The bodies as a whole at both ends, with their rows.
    pub(super) ends: [Node; 2],
    /// Memory of two convex bodies at both ends.
    pub(super) cache: PieceCache,
    pub(super) work: &'w mut Workspace,
    pub(super) stats: &'w mut SolverStats,
    pub(super) leaves: Vec<Leaf<'a>>,
    pub(super) open: BestFirst<IntervalPart>,
    /// Surfaces of the bodies, if one is a mesh, once their hulls prove too little.
    pub(super) surfaces: Option<Box<SurfaceParts<'a>>>,
    /// Proven upper end of the least distance, metres.
    pub(super) upper: f64,
    /// Distances computed.
    pub(super) computed: u32,
    /// Whether a part was divided, and whether one is bounded by the speed of the bodies.
    pub(super) divided: bool,
    pub(super) by_speed: bool,
    /// The levels that bound the times of least distance, once the bracket is known.
    pub(super) sought: Option<SoughtTimes>,
}

/// End of the bisection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bisected {
    /// The bodies are proven to be beyond the cut-off throughout.
    Beyond,
    /// The bracket decides what is asked, or cannot be narrower than rounding.
    Decided,
    /// The work limit was reached.
    Limit,
}

/// The lesser of two upper ends, the first of equal ones.
pub(super) fn least(one: f64, other: f64) -> f64 {
    if other < one { other } else { one }
}

impl<'a, 'w> IntervalSearch<'a, 'w> {
    /// Creates a search without parts. `ends`: the bodies as a whole at both ends, with their rows.
    pub(super) fn new(
        bodies: IntervalBodies<'a>,
        path: PairPath<'a>,
        motion: RelativeMotion,
        options: &IntervalOptions,
        division: PartDivision,
        ends: [Node; 2],
        cache: PieceCache,
        work: &'w mut Workspace,
        stats: &'w mut SolverStats,
    ) -> Self {
        Self {
            bodies,
            path,
            motion,
            options: *options,
            division,
            upper: least(ends[0].upper, ends[1].upper),
            ends,
            cache,
            work,
            stats,
            leaves: Vec::new(),
            open: BestFirst::default(),
            surfaces: None,
            computed: 2,
            divided: false,
            by_speed: false,
            sought: None,
        }
    }

    /// Divides parts until the bracket decides.
    pub(super) fn run(&mut self) -> Bisected {
        while let Some(part) = self.open.first() {
            if part.lower > self.options.within {
                break;
            }
            if self.decides(part.lower) || self.is_final(&part) {
                return Bisected::Decided;
            }
            if self.computed >= self.options.work {
                return Bisected::Limit;
            }
            self.open.next_unless(|_| false);
            self.divide(&part);
        }
        Bisected::Beyond
    }

    /// Whether a bracket from `lower` to the upper end found decides what is asked.
    fn decides(&self, lower: f64) -> bool {
        // The depth of bodies that are not convex is a bracket of its own.
        let is_depth_sought = self.bodies.is_convex() && self.options.answer == AnswerKind::Depth;
        let is_deep = self.upper <= self.options.touch && !is_depth_sought;
        is_deep || self.is_decided(lower)
    }

    /// Whether a bracket from `lower` to the upper end found decides what is asked but for limits
    /// to which it has come as near as is worth while.
    fn is_decided(&self, lower: f64) -> bool {
        let (options, upper) = (&self.options, self.upper);
        let width = AT_LIMIT * self.bodies.size(&self.ends[0]) + 2.0 * self.bodies.deviation();
        let is_near = |limit: f64| lower <= limit && limit <= upper && upper - lower <= width;
        let require = options.require.filter(|&require| !is_near(require));
        let within = if is_near(options.within) { upper } else { options.within };
        IntervalOptions { require, within, ..*options }.is_decided(lower, upper)
    }

    /// Whether dividing the part of the least bound raises the bound by rounding only, or decides
    /// nothing that the deviations leave open.
    fn is_final(&self, part: &IntervalPart) -> bool {
        if let PartOf::Surfaces(of) = part.of {
            return self.is_final_of_surfaces(of);
        }
        let PartOf::Leaf { leaf, from, to } = part.of else { return false };
        let nodes = &self.leaves[leaf as usize].nodes;
        let [from, to] = [&nodes[from as usize], &nodes[to as usize]];
        let rounding = 4.0 * (PROMISE * self.bodies.size(from) + self.motion.error);
        let most = from.lower.min(to.lower);
        let reached = most - part.lower <= rounding;
        let is_narrow = self.upper - part.lower <= self.options.tolerance;
        let least_upper = part.lower + 2.0 * self.bodies.deviation();
        let stays_open = is_narrow && self.options.decide_alike([part.lower, self.upper], [most, least_upper]);
        // The speed bound proves nothing while the bodies overlap.
        let is_overlap = !self.bodies.is_convex() && from.upper.max(to.upper) <= 0.0;
        reached || stays_open || is_overlap || part.end - part.start <= LEAST_SHARE
    }

    /// Replaces a part by its parts.
    pub(super) fn divide(&mut self, part: &IntervalPart) {
        match part.of {
            PartOf::Nodes(nodes) => {
                if let Some(pieces) = self.bodies.pieces(nodes) {
                    self.begin_leaf(pieces, part.lower);
                    return;
                }
                for nodes in self.bodies.children(nodes).into_iter().flatten() {
                    self.push_nodes(nodes, part.lower);
                }
            }
            PartOf::Surfaces(of) => self.divide_surfaces(of),
            PartOf::Leaf { .. } if self.has_surfaces() => self.begin_surfaces(part),
            PartOf::Leaf { leaf, from, to } => {
                if self.divide_sector(leaf, part) {
                    return;
                }
                self.divided = true;
                let share = self.division_of(part);
                let between = self.evaluate(leaf, part.start + share * (part.end - part.start));
                self.push(leaf, [from, between], part.lower, share <= UNEVEN);
                self.push(leaf, [between, to], part.lower, 1.0 - share <= UNEVEN);
            }
        }
    }

    /// Replaces a part of a leaf by those of both halves of a sector of a torus, over the same
    /// time, where the hull of the sector bounds it by more than the motion. Returns false
    /// elsewhere.
    pub(super) fn divide_sector(&mut self, leaf: u32, part: &IntervalPart) -> bool {
        if !self.is_bounded_by_sector(part) {
            return false;
        }
        let Some(halves) = self.leaves[leaf as usize].halves(&self.bodies) else { return false };
        self.divided = true;
        for half in halves {
            let leaf = self.leaves.len() as u32;
            self.leaves.push(half);
            let nodes = [part.start, part.end].map(|share| self.evaluate(leaf, share));
            self.push(leaf, nodes, part.lower, true);
        }
        true
    }

    /// Whether the bound of a part is below the distances at its ends by the hull of a sector of a
    /// torus rather than by the motion.
    fn is_bounded_by_sector(&self, part: &IntervalPart) -> bool {
        let PartOf::Leaf { leaf, from, to } = part.of else { return false };
        let leaf = &self.leaves[leaf as usize];
        if !leaf.has_sector() || part.bound.first.is_infinite() {
            return false;
        }
        let ends = [from, to].map(|node| &leaf.nodes[node as usize]);
        let nearer = ends[usize::from(ends[1].lower < ends[0].lower)];
        let Some(&normal) = nearer.normals().first() else { return false };
        let by_hulls = nearer.lower - leaf.hulls.gap_at(nearer, normal);
        2.0 * by_hulls > nearer.lower - part.bound.least()
    }

    /// Returns the time at which a part is divided, as a share of it.
    fn division_of(&self, part: &IntervalPart) -> f64 {
        let share = match self.division {
            PartDivision::Middle => 0.5,
            PartDivision::Least => part.least_at,
            PartDivision::Advancement => part.bound.where_below(self.upper - self.options.tolerance)[0],
        };
        // At an end the distance is known already.
        if share > 0.0 && share < 1.0 { share.clamp(NEAREST, 1.0 - NEAREST) } else { 0.5 }
    }

    /// Adds two nodes of the trees over the whole interval; `at_least`: what is proven of nodes
    /// that contain them. Their balls bound them, and where these are near, supporting planes:
    /// along the line between the middles, and along the normals of the rows.
    pub(super) fn push_nodes(&mut self, nodes: [u32; 2], at_least: f64) {
        let lower = self.bodies.ball_gap(nodes, &self.path, &self.motion).max(at_least);
        let (start, end, of) = (0.0, 1.0, PartOf::Nodes(nodes));
        let (sought, ends) = (self.sought, [&self.ends[0], &self.ends[1]]);
        let upper = sought.map_or(self.upper, |sought| sought.level);
        let hulls = self.bodies.hulls_of_nodes(nodes).filter(|_| lower <= upper);
        let bound = hulls.map_or(GapBound::NONE, |hulls| {
            let between = self.bodies.between_middles(nodes, ends[0]);
            let along = hulls.bound_along(ends, between, FixedIn::World, &self.motion);
            if along.least() > upper {
                return along;
            }
            let is_enough = |least: f64| least > upper || (sought.is_none() && self.is_decided(least));
            let best = hulls.best_between(ends, &self.motion, |bound| is_enough(bound.least()));
            let best = if best.least() < along.least() { along } else { best };
            if is_enough(best.least()) {
                return best;
            }
            let apart = separated(&hulls, ends, &self.motion, upper);
            if apart.least() > best.least() { apart } else { best }
        });
        let by_planes = bound.least();
        let lower = if by_planes > lower { by_planes } else { lower };
        self.open.push(IntervalPart { lower, start, end, bound, of, least_at: 0.5 });
    }

    /// A pair of pieces over the whole interval.
    pub(super) fn begin_leaf(&mut self, pieces: [u32; 2], lower: f64) {
        let leaf = self.leaves.len() as u32;
        let cache = if self.bodies.is_convex() { std::mem::take(&mut self.cache) } else { PieceCache::default() };
        self.leaves.push(Leaf::new(&self.bodies, pieces, cache, self.ends[0].lower > 0.0));
        let [from, to] = [0.0, 1.0].map(|share| self.evaluate(leaf, share));
        self.push(leaf, [from, to], lower, true);
    }

    /// The distance at a time; the index of its node.
    pub(super) fn evaluate(&mut self, leaf: u32, share: f64) -> u32 {
        self.computed += 1;
        let mut node = Node::at(share, &self.path);
        node.error = if share > 0.0 && share < 1.0 { self.motion.error } else { self.path.error_at_ends() };
        let of = &mut self.leaves[leaf as usize];
        let known = match share {
            0.0 => Some(&self.ends[0]),
            1.0 => Some(&self.ends[1]),
            _ => None,
        };
        of.measure(&self.bodies, &mut node, known, self.work, self.stats);
        self.upper = if node.upper < self.upper { node.upper } else { self.upper };
        self.add_node(leaf, node)
    }

    /// Adds a node to a leaf; its index.
    pub(super) fn add_node(&mut self, leaf: u32, node: Node) -> u32 {
        let nodes = &mut self.leaves[leaf as usize].nodes;
        nodes.push(node);
        nodes.len() as u32 - 1
    }

    /// Adds the part between two nodes; `at_least`: what is proven of a part that contains it;
    /// `at_choice`: whether it may be divided elsewhere than in the middle.
    pub(super) fn push(&mut self, leaf: u32, [from, to]: [u32; 2], at_least: f64, at_choice: bool) {
        let of = &self.leaves[leaf as usize];
        let [one, other] = [&of.nodes[from as usize], &of.nodes[to as usize]];
        let motion = self.path.relative_over(&self.motion, [one.share, other.share]);
        let is_enough = |least: f64| match self.sought {
            Some(sought) => least > sought.level,
            None => least > self.options.within || self.is_decided(least.max(at_least)),
        };
        let (mut bound, least_at) = match self.bodies.is_convex_leaf() {
            true => HullsBetween::new(&of.hulls, [one, other], &motion).best(is_enough),
            false => {
                let is_enough = |bound: &GapBound| is_enough(bound.least());
                (of.hulls.best_between([one, other], &motion, is_enough), 0.5)
            }
        };
        let least_at = if at_choice { least_at } else { 0.5 };
        let mut lower = bound.least();
        if !self.bodies.is_convex_leaf() {
            // While the bodies are apart no two points come nearer than by the speed.
            let by_speed = 0.5 * (one.lower + other.lower - motion.speed * (other.share - one.share));
            if by_speed > lower && by_speed > 0.0 && one.lower > 0.0 && other.lower > 0.0 {
                lower = by_speed;
                bound = GapBound::NONE;
                self.by_speed = true;
            }
        }
        let lower = if lower > at_least { lower } else { at_least };
        let (start, end) = (one.share, other.share);
        self.open.push(IntervalPart { lower, start, end, bound, of: PartOf::Leaf { leaf, from, to }, least_at });
    }

    /// The class of proof of a lower end.
    pub(super) fn method(&self, end: Bisected, least: f64) -> IntervalMethod {
        // Bounds of surfaces that are above that of the speed stand in its place.
        let is_by_speed = self.by_speed && self.surfaces.as_ref().is_none_or(|surfaces| least <= surfaces.begun_at);
        match end {
            Bisected::Limit => IntervalMethod::Limit,
            _ if is_by_speed => IntervalMethod::Motion,
            _ if self.divided => IntervalMethod::Bisection,
            _ => IntervalMethod::Direction,
        }
    }
}
