//! One pair of shapes, at one pose after another.

use super::methods;
use super::world::in_world;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{AnswerKind, DEFAULT_TOUCH_M, QueryOptions, SearchOptions, Shape};
use clearsweep_narrow::answer::status;
use clearsweep_narrow::deviation::widened;
use clearsweep_narrow::pose_rounding::sum_error;
use clearsweep_narrow::{
    BodyPoses, DirectionalDistance, NarrowPhase, PairCache, PairQuery, Proximity, SolverStats, Workspace,
    directional_distance,
};
use clearsweep_scene::direction::{DIRECTION_REMEDY, unit_direction};

/// Far beyond every length, and still finite, so that no bound computed from it is infinite or NaN.
const ANY_DISTANCE: f64 = 1e300;

/// Quaternions may be off norm by this much, as in trajectories.
const NORM_TOLERANCE: f64 = 1e-3;

/// Options of a [`ProximityQuery`].
#[derive(Debug, Clone, PartialEq)]
pub struct PairOptions {
    /// Beyond this distance (metres) there is no answer, and proving so is cheap; `None`: every
    /// pose has one.
    pub within: Option<f64>,
    /// Distances from `-touch` to `touch` (metres) count as touching; a micrometre by default.
    pub touch: f64,
    /// The numbers that are computed; the depth by default. With [`AnswerKind::Overlap`], poses at
    /// which the bodies neither touch nor overlap have no answer.
    pub answer: AnswerKind,
    /// The narrow phase by its name on the command line; the answer does not depend on it.
    pub narrow: String,
}

impl Default for PairOptions {
    fn default() -> Self {
        Self { within: None, touch: DEFAULT_TOUCH_M, answer: AnswerKind::Depth, narrow: "auto".to_owned() }
    }
}

impl PairOptions {
    /// The distance beyond which there is no answer, metres.
    pub(super) fn cutoff(&self) -> Option<f64> {
        if self.answer == AnswerKind::Overlap { Some(self.touch) } else { self.within }
    }

    /// Whether all lengths are such.
    pub(super) fn check(&self) -> Result<()> {
        for (name, length) in [("within", self.within.unwrap_or(0.0)), ("touch", self.touch)] {
            if !(length >= 0.0 && length.is_finite()) {
                let problem = format!("`{name}` is {length}");
                return Err(Error::usage("options of a pair", problem, "give a finite length of 0 or more, in metres"));
            }
        }
        Ok(())
    }
}

/// Answers one pair of shapes at one pose after another, and keeps what helps with the next:
/// neighbouring poses are answered from the features of the last one. An answer does not depend on
/// the poses asked before.
pub struct ProximityQuery<'a> {
    shapes: [&'a Shape; 2],
    options: QueryOptions,
    narrow: Box<dyn NarrowPhase>,
    cache: PairCache,
    workspace: Workspace,
    stats: SolverStats,
    answers: Vec<Proximity>,
}

impl<'a> ProximityQuery<'a> {
    /// A query of the pair (a, b).
    ///
    /// # Errors
    /// A length of the options is negative or not finite, or there is no such narrow phase.
    pub fn new(a: &'a Shape, b: &'a Shape, options: &PairOptions) -> Result<Self> {
        options.check()?;
        let within = options.cutoff().unwrap_or(ANY_DISTANCE);
        Ok(Self {
            shapes: [a, b],
            options: QueryOptions { within, touch: options.touch, answer: options.answer, ..QueryOptions::EVERYTHING },
            narrow: methods::narrow(&options.narrow, &SearchOptions::default())?,
            cache: PairCache::default(),
            workspace: Workspace::default(),
            stats: SolverStats::default(),
            answers: Vec::with_capacity(1),
        })
    }

    /// The signed distance of the bodies at these poses (of their own frames in the world), with
    /// its bracket, the witness points and the normal in the world; `None` where it is proven to be
    /// beyond `within`.
    ///
    /// # Errors
    /// A pose is not finite, or its quaternion is not of length 1 within 1e-3.
    pub fn proximity(&mut self, a: &Pose, b: &Pose) -> Result<Option<Proximity>> {
        for (name, pose) in [("A", a), ("B", b)] {
            check_pose(name, pose)?;
        }
        let [shape_a, shape_b] = self.shapes;
        let given = [a, b];
        let (a, b) = (shape_a.recentring().place(a), shape_b.recentring().place(b));
        let summing: f64 = [(shape_a, given[0], &a), (shape_b, given[1], &b)]
            .into_iter()
            .filter(|(shape, given, _)| shape.center != Vec3::ZERO && given.rest != Vec3::ZERO)
            .map(|(_, _, placed)| sum_error(placed))
            .sum();
        let asked = PairQuery {
            a: shape_a,
            b: shape_b,
            poses_a: BodyPoses::Fixed(&a),
            poses_b: BodyPoses::Fixed(&b),
            samples: 1,
        };
        self.answers.clear();
        self.narrow.walk(
            &asked,
            &self.options,
            &mut self.cache,
            &mut self.workspace,
            &mut self.stats,
            &mut self.answers,
        );
        let answer = self.answers.pop().map(|answer| in_world(self.opened(answer, summing), &a));
        if answer.is_none() && self.options.within == ANY_DISTANCE {
            return Err(Error::internal("proximity of a pair", "the narrow phase gave no answer"));
        }
        Ok(answer)
    }

    /// How far B moves along a vector of the world, of any length but zero, until it touches A, or
    /// if they overlap until it leaves A. The bodies are at these poses (of their own frames in the
    /// world).
    ///
    /// # Errors
    /// Those of [`Self::proximity`]; or the vector has no direction.
    pub fn directional(&mut self, a: &Pose, b: &Pose, direction: [f64; 3]) -> Result<DirectionalDistance> {
        for (name, pose) in [("A", a), ("B", b)] {
            check_pose(name, pose)?;
        }
        let along = unit_direction(direction)
            .ok_or_else(|| Error::usage("direction", format!("{direction:?} has no direction"), DIRECTION_REMEDY))?;
        let [shape_a, shape_b] = self.shapes;
        let (a, b) = (shape_a.recentring().place(a), shape_b.recentring().place(b));
        Ok(directional_distance(shape_a, shape_b, &a, &b, along, &self.options, &mut self.workspace))
    }

    /// The answer with a bracket that reaches farther by so many metres at each end.
    fn opened(&self, answer: Proximity, by: f64) -> Proximity {
        if by == 0.0 {
            return answer;
        }
        let [lower, upper] = widened([answer.lower, answer.upper], by);
        Proximity { lower, upper, status: status(lower, upper, &self.options), ..answer }
    }
}

/// Whether a pose of the body of this name is one.
pub(super) fn check_pose(name: &str, pose: &Pose) -> Result<()> {
    let place = || format!("pose of body {name}");
    let numbers = pose.position.to_array().into_iter().chain(pose.rest.to_array()).chain(pose.q);
    if let Some(wrong) = numbers.into_iter().find(|number| !number.is_finite()) {
        return Err(Error::input(
            place(),
            format!("a component is {wrong}"),
            "every component must be a finite number",
        ));
    }
    let norm = pose.q.iter().map(|c| c * c).sum::<f64>().sqrt();
    if (norm - 1.0).abs() > NORM_TOLERANCE {
        let problem = format!("the quaternion's norm is {norm}, off 1 by more than {NORM_TOLERANCE}");
        return Err(Error::input(place(), problem, "give a unit quaternion w, x, y, z"));
    }
    Ok(())
}
