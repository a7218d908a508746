//! Values of joints along splines, as planners write them: polynomials, and control values over
//! knots.
//!
//! The motion that is meant is the exact spline of the stored numbers. An interval between two
//! frames lies within one piece of each joint, and its control values are those of the polynomial
//! on that interval: values of its *blossom* (Ramshaw 1989, "Blossoms are polar forms"). They are
//! computed in double-double and rounded once.

use crate::curve::{Controls, MOST_DEGREE, ValueCurve};
use crate::sweep::MOST_SAMPLES;
use clearsweep_geometry::{Dd, Real, Scalar};
use smallvec::SmallVec;

/// Times that are no farther apart than this are the same, seconds: half a step of the times of
/// ROS.
pub const TIME_SLACK_S: f64 = 5e-10;

/// Values that differ by no more than this, relative to the greater of 1 and the value, go on
/// without a jump. The difference counts as an error of the motion.
pub const VALUE_SLACK: f64 = 1e-9;

/// Bound on the rounding of a control value in double-double, relative to the sizes of the terms.
const DOUBLE_UNITS: f64 = 1.0 / (1_u128 << 92) as f64;

/// One polynomial of a joint's motion.
#[derive(Debug, Clone, PartialEq)]
pub struct SplinePiece {
    /// Its first and last time, seconds.
    pub span: [f64; 2],
    form: PieceForm,
}

#[derive(Debug, Clone, PartialEq)]
enum PieceForm {
    /// Coefficients in the time since the start, constant first.
    Powers { start: f64, coefficients: Controls },
    /// Control values, and the knots about the span: twice the degree.
    Knots { knots: SmallVec<[f64; 2 * MOST_DEGREE]>, control: Controls },
}

impl SplinePiece {
    /// Creates the polynomial of these coefficients, constant first, in the time since `span[0]`;
    /// at least one of them.
    pub fn of_powers(span: [f64; 2], coefficients: &[f64]) -> Self {
        let count = coefficients.iter().rposition(|&c| c != 0.0).map_or(1, |last| last + 1);
        let coefficients = Controls::from_slice(&coefficients[..count.min(coefficients.len())]);
        Self { span, form: PieceForm::Powers { start: span[0], coefficients } }
    }

    /// Creates the pieces of a B-spline of these knots, which do not decrease: one for each pair of
    /// different neighbours among the knots `degree` to `control.len()`. There are
    /// `control.len() + degree + 1` knots.
    pub fn of_knots(degree: usize, knots: &[f64], control: &[f64]) -> Vec<Self> {
        let spans = (degree..control.len()).filter(|&k| knots[k] < knots[k + 1]);
        let piece = |k: usize| Self {
            span: [knots[k], knots[k + 1]],
            form: PieceForm::Knots {
                knots: knots[k + 1 - degree..k + 1 + degree].into(),
                control: control[k - degree..=k].into(),
            },
        };
        spans.map(piece).collect()
    }

    /// The polynomial between two times of the span; slightly beyond it if another piece begins
    /// there.
    pub fn curve(&self, times: [f64; 2]) -> ValueCurve {
        let (control, size) = match &self.form {
            PieceForm::Powers { start, coefficients } => of_powers(*start, coefficients, times),
            PieceForm::Knots { knots, control } => of_knots(knots, control, times),
        };
        let rounded: Controls = control.iter().map(|value| value.to_f64()).collect();
        let largest = rounded.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        // What is constant or on a line has no higher degree.
        let is_constant = rounded.iter().all(|value| *value == rounded[0]);
        let rounded = if is_constant { &rounded[..1] } else { &rounded[..] };
        ValueCurve::new(rounded, 0.5 * f64::EPSILON * largest + DOUBLE_UNITS * size)
    }
}

/// The time from one instant to another, exactly.
fn since(start: f64, time: f64) -> Dd {
    Dd::sum(time, -start)
}

/// Control values between two times of a polynomial, and the sum of the sizes of its terms.
fn of_powers(start: f64, coefficients: &[f64], times: [f64; 2]) -> (SmallVec<[Dd; MOST_DEGREE + 1]>, f64) {
    let [from, width] = [since(start, times[0]), since(times[0], times[1])];
    // Taylor's coefficients at the first time, in shares of the interval.
    let mut taylor: SmallVec<[Dd; MOST_DEGREE + 1]> = coefficients.iter().map(|&c| Dd::from_f64(c)).collect();
    let degree = taylor.len() - 1;
    for done in 0..degree {
        for k in (done..degree).rev() {
            taylor[k] = taylor[k] + from * taylor[k + 1];
        }
    }
    let mut power = Dd::ONE;
    for term in &mut taylor {
        *term = *term * power;
        power = power * width;
    }
    let reach = from.to_f64().abs() + width.to_f64().abs();
    let size = coefficients.iter().rev().fold(0.0, |sum, c| sum * reach + c.abs());
    // b_i = sum of C(i, k) / C(n, k) t_k.
    let control = (0..=degree).map(|i| {
        let (mut ratio, mut sum) = (Dd::ONE, Dd::ZERO);
        for (k, term) in taylor.iter().enumerate().take(i + 1) {
            sum += ratio * *term;
            ratio = ratio * Dd::from_f64((i - k) as f64) / Dd::from_f64((degree - k).max(1) as f64);
        }
        sum
    });
    (control.collect(), size)
}

/// Control values between two times of a piece of a B-spline: values of its blossom at the
/// two times, from the first time alone to the second alone (de Boor). With them the largest of its
/// control values.
fn of_knots(knots: &[f64], control: &[f64], times: [f64; 2]) -> (SmallVec<[Dd; MOST_DEGREE + 1]>, f64) {
    let degree = control.len() - 1;
    let blossom = |second: usize| {
        let mut value: SmallVec<[Dd; MOST_DEGREE + 1]> = control.iter().map(|&c| Dd::from_f64(c)).collect();
        for level in 0..degree {
            let time = times[usize::from(level < second)];
            for k in 0..degree - level {
                let [low, high] = [knots[k + level], knots[k + degree]];
                let share = since(low, time) / since(low, high);
                value[k] = value[k] + share * (value[k + 1] - value[k]);
            }
        }
        value[0]
    };
    let size = control.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    // Beyond the span the averages leave the hull by little.
    ((0..=degree).map(blossom).collect(), 16.0 * size)
}

/// The motion of one joint in one run: pieces one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct JointSpline {
    pieces: Vec<SplinePiece>,
}

impl JointSpline {
    /// Creates the motion of pieces in the order of time, at least one. A piece holds until the
    /// next one begins.
    pub fn new(pieces: Vec<SplinePiece>) -> Self {
        Self { pieces }
    }

    /// The first and the last time, seconds.
    pub fn span(&self) -> [f64; 2] {
        [self.pieces[0].span[0], self.pieces[self.pieces.len() - 1].span[1]]
    }

    /// The times at which pieces begin, and at which the last one ends.
    fn knots(&self) -> impl Iterator<Item = f64> + '_ {
        self.pieces.iter().map(|piece| piece.span[0]).chain([self.span()[1]])
    }

    /// The piece that holds from a time on.
    fn at(&self, time: f64) -> &SplinePiece {
        let after = self.pieces.partition_point(|piece| piece.span[0] <= time);
        &self.pieces[after.saturating_sub(1)]
    }
}

/// The motion of all joints in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSplines {
    /// Its key.
    pub run: i64,
    /// By column; `None`: the joint stands.
    joints: Vec<Option<JointSpline>>,
    /// By column: values of joints that stand.
    rest: Vec<f64>,
    /// Times of the frames, seconds.
    times: Vec<f64>,
}

/// Where frames stand within a run; they also stand wherever a piece begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum FrameTimes {
    /// At the ends of the pieces alone.
    #[default]
    Knots,
    /// This number of seconds apart, from the start of the run.
    Step(f64),
    /// At the ends of this number of equal parts of the run.
    Parts(u32),
}

impl std::fmt::Display for FrameTimes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Knots => write!(f, "knots"),
            Self::Step(step) => write!(f, "step_s = {step}"),
            Self::Parts(parts) => write!(f, "samples = {parts}"),
        }
    }
}

impl RunSplines {
    /// Creates the motion of a run; `rest`: values of joints without a spline, by column. `None`:
    /// nothing moves, or there are more frames than [`MOST_SAMPLES`].
    pub fn new(run: i64, joints: Vec<Option<JointSpline>>, rest: Vec<f64>, frames: FrameTimes) -> Option<Self> {
        let mut times: Vec<f64> = joints.iter().flatten().flat_map(JointSpline::knots).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        let [first, last] = [*times.first()?, *times.last()?];
        let (step, count) = match frames {
            FrameTimes::Knots => (0.0, 1.0),
            FrameTimes::Step(step) => (step, ((last - first) / step).ceil()),
            FrameTimes::Parts(parts) => ((last - first) / f64::from(parts), f64::from(parts)),
        };
        if count + times.len() as f64 > MOST_SAMPLES as f64 {
            return None;
        }
        let knots = times.clone();
        let is_apart = |time: f64| {
            let next = knots.partition_point(|&knot| knot < time);
            let near = knots[next.saturating_sub(1)..].iter().take(2);
            near.copied().all(|knot| (knot - time).abs() > TIME_SLACK_S)
        };
        let between = (1..count as u64).map(|k| first + k as f64 * step).filter(|&time| time < last && is_apart(time));
        times.extend(between);
        times.sort_unstable_by(f64::total_cmp);
        Some(Self { run, joints, rest, times })
    }

    /// The times of its frames, seconds.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Sets the values of all joints in a frame, by column.
    pub fn values(&self, frame: usize, values: &mut [f64]) {
        for (column, value) in values.iter_mut().enumerate() {
            *value = self.value(frame, column);
        }
    }

    fn value(&self, frame: usize, column: usize) -> f64 {
        let Some(joint) = &self.joints[column] else { return self.rest[column] };
        let time = self.times[frame];
        let is_last = frame + 1 == self.times.len();
        let piece = if is_last { &joint.pieces[joint.pieces.len() - 1] } else { joint.at(time) };
        piece.curve([time, time]).ends()[0]
    }

    /// The values of a joint from a frame to the next one; `None`: it is the last.
    pub fn curve(&self, frame: usize, column: usize) -> Option<ValueCurve> {
        let times = [*self.times.get(frame)?, *self.times.get(frame + 1)?];
        let Some(joint) = &self.joints[column] else { return Some(ValueCurve::new(&[self.rest[column]], 0.0)) };
        let curve = joint.at(times[0]).curve(times);
        // The next frame has the value of the next piece.
        let jump = (curve.ends()[1] - self.value(frame + 1, column)).abs();
        Some(if jump > 0.0 { curve.with_error(jump * (1.0 + f64::EPSILON)) } else { curve })
    }

    /// A bound of the magnitude of a joint's value.
    pub fn largest(&self, column: usize) -> f64 {
        let Some(joint) = &self.joints[column] else { return self.rest[column].abs() };
        let of = |piece: &SplinePiece| piece.curve(piece.span);
        joint.pieces.iter().map(of).fold(0.0, |most, curve| most.max(curve.most[0] + curve.error))
    }
}

/// The motions of joints in all runs, by ascending run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JointSplines {
    runs: Vec<RunSplines>,
}

impl JointSplines {
    /// Creates the motions of runs, by ascending run; `None`: there are more frames than
    /// [`MOST_SAMPLES`].
    pub fn new(runs: Vec<RunSplines>) -> Option<Self> {
        let frames: u64 = runs.iter().map(|run| run.times.len() as u64).sum();
        (frames <= MOST_SAMPLES).then_some(Self { runs })
    }

    /// The runs.
    pub fn runs(&self) -> &[RunSplines] {
        &self.runs
    }

    /// The motion of a run.
    pub fn of_run(&self, run: i64) -> Option<&RunSplines> {
        let at = self.runs.binary_search_by_key(&run, |splines| splines.run).ok()?;
        self.runs.get(at)
    }

    /// A bound of the magnitude of a joint's value in all runs.
    pub fn largest(&self, column: usize) -> f64 {
        self.runs.iter().map(|run| run.largest(column)).fold(0.0, f64::max)
    }
}
