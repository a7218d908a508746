//! Two convex pieces, of which one moves along a line: the signed distance as a function of the
//! length, and its supporting planes.

use crate::cache::PieceCache;
use crate::epa::Polytope;
use crate::feature::FeaturePair;
use crate::pair::{Pair, bound_of};
use crate::pair_solver::{PairSolver, Parts, SearchMethod, solve};
use crate::round::is_round;
use crate::solver_stats::SolverStats;
use clearsweep_geometry::pose::rotation;
use clearsweep_geometry::{Pose, RelativePose, Vec3};
use clearsweep_model::Piece;

/// Half a unit in the last place of 1.
pub(super) const UNIT: f64 = f64::EPSILON / 2.0;

/// Units by which the product of a unit normal and the direction may be off.
pub(super) const COSINE: f64 = 64.0;

/// Units of the length by which B may be off its place: the direction, its product with the length,
/// and a sum (docs/reference/numerics.md).
const PLACED: f64 = 16.0;

/// Two bodies of which B moves along a unit direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineOfMotion {
    pub(super) pose_a: Pose,
    pub(super) pose_b: Pose,
    /// Unit, world.
    pub(super) world: Vec3<f64>,
    /// Unit, A's frame.
    pub(super) along: Vec3<f64>,
    /// B's frame in A's, before the motion.
    pub(super) relative: RelativePose<f64>,
}

impl LineOfMotion {
    /// `None` if the direction has no length, or a number is not finite.
    pub(super) fn new(pose_a: &Pose, pose_b: &Pose, direction: Vec3<f64>) -> Option<Self> {
        let most = direction.x.abs().max(direction.y.abs()).max(direction.z.abs());
        // Scaled first, so that no square over- or underflows.
        let world = direction.scale(1.0 / most).normalized();
        let [x, y, z] = rotation(pose_a.q);
        let along = (x.scale(world.x) + y.scale(world.y) + z.scale(world.z)).normalized();
        let relative = RelativePose::between(pose_a, pose_b);
        let is_finite = along.is_finite() && relative.r.iter().chain([&relative.t]).all(|row| row.is_finite());
        is_finite.then_some(Self { pose_a: *pose_a, pose_b: *pose_b, world, along, relative })
    }

    /// The pose of B moved by a length, metres.
    pub(super) fn moved(&self, length: f64) -> Pose {
        if length == 0.0 {
            return self.pose_b;
        }
        // Into the rest, so that a position far from the origin does not swallow it.
        Pose { rest: self.pose_b.rest + self.world.scale(length), ..self.pose_b }
    }
}

/// The signed distance of two inflated pieces at a length.
#[derive(Debug, Clone, Copy)]
pub(super) struct GapAtLength {
    /// Proven ends, metres.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// Unit, from A to B, in A's frame.
    pub(super) normal: Vec3<f64>,
    pub(super) features: FeaturePair,
}

/// Working memory of the queries along a line.
#[derive(Debug, Default)]
pub(super) struct LineMemory {
    pub(super) polytope: Polytope,
    pub(super) stats: SolverStats,
}

/// Two pieces on a line.
pub(super) struct PiecesOnLine<'a> {
    pub(super) line: &'a LineOfMotion,
    a: &'a Piece,
    b: &'a Piece,
    /// The cores before the motion.
    pub(super) pair: Pair<'a, f64>,
    cache: PieceCache,
    memory: &'a mut LineMemory,
}

impl<'a> PiecesOnLine<'a> {
    pub(super) fn new(line: &'a LineOfMotion, a: &'a Piece, b: &'a Piece, memory: &'a mut LineMemory) -> Self {
        let pair = Pair::new(&a.core, &b.core, line.relative, a.radius + b.radius);
        Self { line, a, b, pair, cache: PieceCache::default(), memory }
    }

    /// Returns the growth of both pieces together, metres.
    pub(super) fn growth(&self) -> f64 {
        self.a.radius + self.b.radius
    }

    /// Whether one of both is round, so that no features span the difference.
    pub(super) fn are_round(&self) -> bool {
        is_round(self.pair.a, self.pair.b)
    }

    /// Whether both are convex; a sector of a torus is not.
    pub(super) fn are_convex(&self) -> bool {
        [self.pair.a, self.pair.b].iter().all(|core| core.round.as_ref().is_none_or(|round| round.body.is_convex()))
    }

    /// The rounding bound of the pair where B is moved by a length, metres.
    pub(super) fn bound_at(&self, length: f64) -> f64 {
        bound_of::<f64>(self.pair.size + length.abs())
    }

    /// The signed distance of the pieces where B is moved by a length, metres; `None` without a
    /// proof.
    pub(super) fn gap_at(&mut self, length: f64) -> Option<GapAtLength> {
        let pose_b = self.line.moved(length);
        let relative = RelativePose::between(&self.line.pose_a, &pose_b);
        let (cores, growth) = ([&self.a.core, &self.b.core], self.growth());
        let parts = Parts { cores, growth, pose_a: &self.line.pose_a, pose_b: &pose_b, relative: &relative };
        let mut solver = PairSolver {
            search: SearchMethod::Auto,
            single: false,
            polytope: &mut self.memory.polytope,
            overlap: None,
        };
        let answer = solve(&parts, f64::INFINITY, &mut self.cache, &mut solver, &mut self.memory.stats).answered()?;
        // B is off its place, and where the pieces grow the differences round.
        let rounded = if self.growth() == 0.0 { 0.0 } else { 2.0 * self.pair.size };
        let slack = UNIT * (PLACED * length.abs() + rounded);
        let [lower, upper] = [answer.lower - self.growth() - slack, answer.upper - self.growth() + slack];
        (!lower.is_nan() && !upper.is_nan()).then_some(GapAtLength {
            lower,
            upper,
            normal: answer.normal,
            features: answer.features,
        })
    }

    /// Returns the gap of the supporting planes across a unit direction before the motion, metres;
    /// rounding is not taken off.
    pub(super) fn support_gap(&self, n: Vec3<f64>) -> f64 {
        self.pair.gap(n) - self.growth()
    }
}
