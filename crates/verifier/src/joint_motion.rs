//! The motion of a body that joints carry: its poses at shares of an interval, and bounds of how
//! its points move.
//!
//! Values of joints move on lines, or along polynomials in Bernstein form. The poses are products
//! of the frames of the joints in wide numbers. All motions of a pair are seen from the link that
//! carries both bodies, or from the world.
//!
//! **Bounds.** The frame behind a joint moves by the joint alone, seen from the frame before it.
//! Let `x` be a point of the body in the frame behind the joint, `r` a bound of its distance from
//! the joint's origin, `w` the unit axis, `q` the value, and `s` the slide along the axis with
//! each unit of the value. In the frame before, the point is at `p + R(q) x + s q w`: `p` is the
//! origin of the joint, `R(q)` the rotation about `w` by `q`. Its derivatives by the share of the
//! interval are
//!
//! ```text
//! R (x' + q' w x x) + s q' w
//! R (x'' + 2 q' w x x' + q'' w x x + q'^2 w x (w x x)) + s q'' w
//! ```
//!
//! Let `v` and `a` be bounds of `|x'|` and `|x''|`, and `m = r + |s|`. Then in the frame before
//!
//! ```text
//! speed        <= v + |q'| m
//! acceleration <= a + 2 |q'| v + q'^2 r + |q''| m
//! distance     <= r + |p| + |s q|      from the origin of that frame
//! ```
//!
//! A joint that does not turn has no terms in `w x`: `m = |s|`, and `2 |q'| v + q'^2 r` is 0.
//! The bounds begin with `v = a = 0` in the frame of the body, and go from its last joint to the
//! first. A value that is off by `e` moves a point by `e m` at most.
//!
//! If the acceleration of a point is at most `a`, it leaves the chord between its places at two
//! shares `step` apart by `a step^2 / 8` at most.

use clearsweep_kinematics::{Joint, JointKind, JointTree, JointValue};
use clearsweep_model::Motion as BodyMotion;

use crate::link_frame::LinkFrame;
use crate::motion::Motion;
use crate::oracle::number::{Number, Vector, Wide, norm, unit, wide};
use crate::placement::Placement;

/// Relative margin of the bounds, which are computed in `f64`.
const MARGIN: f64 = 1.0 + 1e-12;

/// Shares of a turn about half a turn within which the shortest way to a value is not told apart
/// from the other one.
const HALF_TURN: f64 = 1e-9;

/// The values of a column of joints over an interval.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnPath {
    /// On a line between the values at both ends.
    Line([f64; 2]),
    /// Along a polynomial.
    Spline {
        /// Bernstein coefficients over the interval.
        controls: Vec<f64>,
        /// Bound on the distance from the motion that is meant.
        error: f64,
    },
}

/// A polynomial of the share of an interval.
#[derive(Clone, Debug)]
struct Polynomial {
    /// Coefficients of the powers, constant first.
    powers: Vec<Wide>,
    /// Bounds of the magnitude of the value and of its first two derivatives.
    most: [f64; 3],
    /// Bound on the distance from the motion that is meant.
    error: f64,
}

impl Polynomial {
    /// The values of a joint, from those of its column; `None` if they go by the shortest turn,
    /// and that is half a turn.
    fn of_joint(path: &ColumnPath, [ratio, offset]: [f64; 2], wraps: bool) -> Option<Self> {
        let of = |value: Wide| Wide::of(ratio) * value + Wide::of(offset);
        match path {
            ColumnPath::Line([from, to]) => {
                let to = if wraps { nearest_turn(*from, *to)? } else { Wide::of(*to) };
                Some(Self::new(&[of(Wide::of(*from)), of(to)], 0.0))
            }
            ColumnPath::Spline { controls, error } => {
                let controls: Vec<Wide> = controls.iter().map(|&value| of(Wide::of(value))).collect();
                (!controls.is_empty()).then(|| Self::new(&controls, ratio.abs() * error))
            }
        }
    }

    /// Creates the polynomial of these Bernstein coefficients, at least one. The coefficient of
    /// the power `k` is the first of the differences of order `k`, times the binomial coefficient.
    /// The derivatives lie among the differences, times `n` and `n (n - 1)` for the degree `n`.
    fn new(controls: &[Wide], error: f64) -> Self {
        let degree = controls.len() - 1;
        let mut differences = controls.to_vec();
        let (mut powers, mut most, mut binomial) = (Vec::new(), [0.0; 3], 1.0);
        let mut factor = 1.0;
        for order in 0..=degree {
            if let Some(most) = most.get_mut(order) {
                let largest = differences.iter().fold(0.0_f64, |most, d| most.max(d.value().abs()));
                *most = factor * largest * MARGIN;
            }
            powers.push(Wide::of(binomial) * differences[0]);
            let left = (degree - order) as f64;
            binomial *= left / (order + 1) as f64;
            factor *= left;
            differences = differences.windows(2).map(|two| two[1] - two[0]).collect();
        }
        Self { powers, most, error }
    }

    /// The value at a share, by Horner's rule.
    fn at(&self, share: f64) -> Wide {
        self.powers.iter().rev().fold(Wide::of(0.0), |sum, &power| sum * Wide::of(share) + power)
    }
}

/// The angle nearest to `from` that differs from `to` by whole turns; `None` if it is half a turn
/// away.
fn nearest_turn(from: f64, to: f64) -> Option<Wide> {
    let turn = Wide(std::f64::consts::TAU, 2.449_293_598_294_706_4e-16);
    let turns = Wide::sum(to, -from) / turn;
    let whole = turns.value().round();
    let is_half = (turns - Wide::of(whole)).value().abs() > 0.5 - HALF_TURN;
    (!is_half).then(|| Wide::of(to) - Wide::of(whole) * turn)
}

/// A joint that moves.
#[derive(Clone, Debug)]
struct Step {
    /// The frame of the joint in that of the joint before it.
    place: LinkFrame,
    /// Unit, in the frame of the joint.
    axis: Vector<Wide>,
    turns: bool,
    /// Way along the axis with each unit of the value.
    slide: f64,
    value: Polynomial,
}

/// The motion of a body behind a chain of joints.
#[derive(Clone, Debug)]
pub struct JointMotion {
    /// From the link that carries both bodies, or from the world.
    steps: Vec<Step>,
    /// The body in the frame behind the last joint.
    last: LinkFrame,
    /// The point from which positions count.
    around: Vector<Wide>,
    /// Bound on the speed of all points of the body, metres over the interval.
    speed: f64,
    /// Bound on their acceleration.
    bend: f64,
    /// Bound on the error of their places by that of the values, metres.
    error: f64,
}

impl JointMotion {
    /// Creates the motions of two bodies, seen from the link that carries both, or from the world.
    /// `paths`: values by column. `reaches`: no point of each body is farther from its origin,
    /// metres. `None`: a joint turns by half a turn, or has no values.
    pub fn of_pair(
        tree: &JointTree,
        paths: &[ColumnPath],
        bodies: [&BodyMotion; 2],
        reaches: [f64; 2],
    ) -> Option<[Self; 2]> {
        let carried = [end_of(tree, bodies[0])?, end_of(tree, bodies[1])?];
        let ways = carried.each_ref().map(|(joint, _)| way(tree, *joint));
        let common = ways[0].iter().zip(&ways[1]).take_while(|(a, b)| a == b).count();
        let of = |k: usize| Self::new(tree.joints(), &ways[k][common..], &carried[k].1, reaches[k], paths);
        let [a, b] = [of(0)?, of(1)?];
        let around = a.frame(0.0).origin;
        Some([a, b].map(|motion| Self { around, ..motion }))
    }

    fn new(joints: &[Joint], way: &[u32], end: &Placement, reach: f64, paths: &[ColumnPath]) -> Option<Self> {
        let (mut steps, mut before) = (Vec::new(), LinkFrame::identity());
        for &joint in way {
            let joint = joints.get(joint as usize)?;
            before = before.then(&LinkFrame::from(&Placement::from(&joint.place)));
            let (turns, slide) = match joint.kind {
                JointKind::Fixed => continue,
                JointKind::Revolute => (true, 0.0),
                JointKind::Prismatic => (false, 1.0),
                JointKind::Screw { lead } => (true, lead),
            };
            let JointValue::Column { column, ratio, offset } = joint.value else { continue };
            let value = Polynomial::of_joint(paths.get(column as usize)?, [ratio, offset], joint.wraps)?;
            let axis = unit(wide(joint.axis.to_array()));
            let place = std::mem::replace(&mut before, LinkFrame::identity());
            steps.push(Step { place, axis, turns, slide, value });
        }
        let last = before.then(&LinkFrame::from(end));
        let motion = Self { steps, last, around: wide([0.0; 3]), speed: 0.0, bend: 0.0, error: 0.0 };
        Some(motion.bounded(reach))
    }

    /// Computes the bounds; see the module.
    fn bounded(self, reach: f64) -> Self {
        let (mut speed, mut bend, mut error) = (0.0, 0.0, 0.0);
        let mut reach = reach + norm(self.last.rough_origin());
        for Step { place, turns, slide, value, .. } in self.steps.iter().rev() {
            let ([largest, rate, bent], slide) = (value.most, slide.abs());
            let radius = if *turns { reach } else { 0.0 };
            let lever = radius + slide;
            bend += if *turns { 2.0 * rate * speed } else { 0.0 } + rate * rate * radius + bent * lever;
            speed += rate * lever;
            error += value.error * lever;
            reach += norm(place.rough_origin()) + slide * largest;
        }
        Self { speed: speed * MARGIN, bend: bend * MARGIN, error: error * MARGIN, ..self }
    }

    /// The frame of the body at a share of the interval.
    fn frame(&self, share: f64) -> LinkFrame {
        let behind = self.steps.iter().fold(LinkFrame::identity(), |before, step| {
            let frame = before.then(&step.place);
            let (axis, value) = (frame.direction(step.axis), step.value.at(share));
            let frame = if step.turns { frame.turned(axis, value) } else { frame };
            frame.moved(axis.map(|c| c * Wide::of(step.slide) * value))
        });
        behind.then(&self.last)
    }
}

impl Motion for JointMotion {
    fn at(&self, share: f64) -> Placement {
        self.frame(share).placement(self.around)
    }

    fn sagitta(&self, step: f64) -> f64 {
        0.125 * self.bend * step * step * MARGIN
    }

    fn velocity(&self) -> Vector<f64> {
        [0.0; 3]
    }

    fn spin(&self) -> f64 {
        self.speed
    }

    fn error(&self) -> f64 {
        self.error
    }
}

/// The joint that carries a body, with the body's frame in its link, or `None` with the frame in
/// the world.
fn end_of(tree: &JointTree, body: &BodyMotion) -> Option<(Option<u32>, Placement)> {
    match body {
        BodyMotion::Static(pose) => Some((None, Placement::from(pose))),
        BodyMotion::Dynamic { slot } => {
            let carried = tree.bodies().get(*slot as usize)?;
            Some((Some(carried.joint), Placement::from(&carried.place)))
        }
    }
}

/// The joints from the world to one of them.
fn way(tree: &JointTree, joint: Option<u32>) -> Vec<u32> {
    let parent = |&joint: &u32| tree.joints().get(joint as usize).and_then(|joint| joint.parent);
    let mut way: Vec<u32> = std::iter::successors(joint, parent).collect();
    way.reverse();
    way
}
