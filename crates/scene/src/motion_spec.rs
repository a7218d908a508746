//! `[motion]`, as a scene file and the command line say it.

use super::keys::{Field, Keys};
use super::length::{parse_angle, parse_length};
use clearsweep_base::error::Result;
use clearsweep_geometry::Vec3;
use clearsweep_kinematics::FrameTimes;
use clearsweep_model::{BetweenFrames, LengthUnit, MotionBounds, MotionRule, Pivot};

/// The tolerance where neither the scene nor the clearance required says more, metres.
const DEFAULT_TOLERANCE_M: f64 = 1e-4;

/// The finest tolerance, metres: brackets are not narrower than rounding.
const FINEST_TOLERANCE_M: f64 = 1e-9;

/// The share of the clearance required that the tolerance is at most, unless it is given.
const SHARE_OF_REQUIRED: f64 = 0.1;

/// The most distances an interval that may be asked for: of two meshes they take 2 GB on each
/// thread.
const MOST_WORK: u32 = 100_000;

/// The largest acceleration of bodies that fall, m/s^2: about that of a neutron star.
const MOST_GRAVITY: f64 = 1e13;

/// `[motion]`, lengths in metres.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct MotionSpec {
    pub(super) between: BetweenFrames,
    /// Pivot of the bodies that state none themselves.
    pub(super) pivot: Pivot,
    pub(super) tolerance: Option<f64>,
    pub(super) work: Option<u32>,
    pub(super) max_gap: Option<i64>,
    pub(super) max_gap_s: Option<f64>,
    /// Whether joints that turn without limits take the shortest turn.
    pub(super) wraps: bool,
    /// Times of the frames along splines.
    pub(super) spline_frames: FrameTimes,
    /// Acceleration of the pivots that fall, m/s^2.
    pub(super) gravity: Option<Vec3<f64>>,
}

/// Lowers `[motion]`.
pub(super) fn motion(keys: &Keys<'_>, unit: LengthUnit, has_joints: bool) -> Result<MotionSpec> {
    keys.only(&[
        "between",
        "pivot",
        "tolerance",
        "work",
        "max_gap",
        "max_gap_s",
        "wrap",
        "step_s",
        "samples",
        "gravity",
    ])?;
    let words = BetweenFrames::ALL.map(|between| (between.name(), between));
    let between = keys
        .required(
            "between",
            "say how bodies move between frames: none, linear, screw, hold, joint, spline, ballistic or bounded",
        )?
        .choice(&words)?;
    let wrap = keys.get("wrap");
    if let Some(stray) = wrap.as_ref().filter(|_| between != BetweenFrames::Joint) {
        let remedy = match has_joints {
            true => "remove `wrap`, or write `between = \"joint\"`",
            false => "remove `wrap`: the scene has no joints",
        };
        return Err(stray.error("only joints wrap", remedy));
    }
    let of_falling = keys.get("gravity");
    if let Some(stray) = of_falling.as_ref().filter(|_| between != BetweenFrames::Ballistic) {
        return Err(stray.error("only bodies that fall accelerate", "remove it, or write `between = \"ballistic\"`"));
    }
    let of_splines = ["step_s", "samples"].map(|key| keys.get(key));
    let of_rows = ["max_gap", "max_gap_s"].map(|key| keys.get(key));
    if between != BetweenFrames::Spline {
        if let Some(stray) = of_splines.iter().flatten().next() {
            let remedy = "remove it, or write `between = \"spline\"`: the frames are those of the input";
            return Err(stray.error("places frames along splines", remedy));
        }
    } else if let Some(stray) = of_rows.iter().flatten().next() {
        let remedy = "remove it: pieces of a spline follow each other, and no interval along one is a gap";
        return Err(stray.error("is about rows that are missing", remedy));
    }
    Ok(MotionSpec {
        between,
        spline_frames: spline_frames(of_splines)?,
        gravity: of_falling.map(|field| gravity(&field)).transpose()?,
        pivot: keys.get("pivot").map(|word| pivot(&word)).transpose()?.unwrap_or_default(),
        tolerance: keys.get("tolerance").map(|field| tolerance(&field, unit)).transpose()?,
        work: keys.get("work").map(|field| work(&field)).transpose()?,
        max_gap: keys.get("max_gap").map(|field| max_gap(&field)).transpose()?,
        max_gap_s: keys.get("max_gap_s").map(|field| max_gap_s(&field)).transpose()?,
        wraps: wrap
            .map(|word| word.choice(&[("as-given", false), ("shortest", true)]))
            .transpose()?
            .unwrap_or_default(),
    })
}

/// `pivot`.
pub(super) fn pivot(word: &Field<'_>) -> Result<Pivot> {
    word.choice(&[("origin", Pivot::Origin), ("centre", Pivot::Centre)])
}

/// `max_speed`, `max_acceleration` and `max_turn` of a body.
pub(super) fn bounds(keys: &Keys<'_>, unit: LengthUnit) -> Result<MotionBounds> {
    let [speed, acceleration, turn] = ["max_speed", "max_acceleration", "max_turn"].map(|key| keys.get(key));
    let length = |text: &str| parse_length(text, unit);
    let speed = speed.map(|field| rate(&field, ["/s", "\"2m/s\""], length, Some(unit))).transpose()?;
    let acceleration =
        acceleration.map(|field| rate(&field, ["/s^2", "\"3m/s^2\""], length, Some(unit))).transpose()?;
    let turn = turn.map(|field| rate(&field, ["/s", "\"30deg/s\""], parse_angle, None)).transpose()?;
    Ok(MotionBounds { speed, acceleration, turn })
}

/// A length or an angle for each second, or its square: a text that ends so, with an example, or a
/// number of the scene's `unit`, which angles do not have.
fn rate(
    field: &Field<'_>,
    [end, example]: [&str; 2],
    parse: impl Fn(&str) -> std::result::Result<f64, String>,
    unit: Option<LengthUnit>,
) -> Result<f64> {
    let remedy = format!("write it with its unit, such as {example}");
    let value = match (field.text(), unit) {
        (Ok(text), _) => {
            let Some(number) = text.trim().strip_suffix(end) else {
                return Err(field.error(format!("`{text}` does not end in `{end}`"), remedy));
            };
            parse(number.trim()).map_err(|problem| field.error(problem, &remedy))?
        }
        (Err(_), Some(unit)) => field.length(unit)?,
        (Err(_), None) => return Err(field.error("the angle names no unit", remedy)),
    };
    if (0.0..1e12).contains(&value) {
        return Ok(value);
    }
    Err(field.error(format!("{value} is no bound of a motion"), "give a number of 0 or more"))
}

/// `tolerance`.
pub(super) fn tolerance(field: &Field<'_>, unit: LengthUnit) -> Result<f64> {
    let metres = field.length_from_zero(unit)?;
    if metres >= FINEST_TOLERANCE_M {
        return Ok(metres);
    }
    let remedy = format!("give a length of {FINEST_TOLERANCE_M:e} m or more");
    Err(field.error(format!("a bracket cannot be made as narrow as {metres:e} m"), remedy))
}

/// `step_s` and `samples`.
fn spline_frames([step, samples]: [Option<Field<'_>>; 2]) -> Result<FrameTimes> {
    match (step, samples) {
        (Some(_), Some(samples)) => Err(samples.error("stands beside `step_s`", "keep one of them")),
        (Some(step), None) => match step.number()? {
            seconds if seconds > 0.0 && seconds.is_finite() => Ok(FrameTimes::Step(seconds)),
            seconds => Err(step.error(format!("{seconds} is no time between frames"), "give seconds, more than 0")),
        },
        (None, Some(samples)) => match samples.number()? {
            parts if parts.fract() == 0.0 && (1.0..=1e9).contains(&parts) => Ok(FrameTimes::Parts(parts as u32)),
            parts => {
                let remedy = "give a whole number from 1 to 1,000,000,000";
                Err(samples.error(format!("{parts} is no number of equal parts of a run"), remedy))
            }
        },
        (None, None) => Ok(FrameTimes::Knots),
    }
}

/// `gravity`: any unit of length of the scene leaves it in metres.
fn gravity(field: &Field<'_>) -> Result<Vec3<f64>> {
    let numbers = field.numbers(3)?;
    let gravity = Vec3::new(numbers[0], numbers[1], numbers[2]);
    if gravity.length() <= MOST_GRAVITY {
        return Ok(gravity);
    }
    let remedy = format!("give x, y and z in m/s^2, together at most {MOST_GRAVITY:e}");
    Err(field.error(format!("{numbers:?} is no acceleration of falling bodies"), remedy))
}

/// `work`.
fn work(field: &Field<'_>) -> Result<u32> {
    let distances = field.number()?;
    if distances.fract() == 0.0 && (1.0..=f64::from(MOST_WORK)).contains(&distances) {
        return Ok(distances as u32);
    }
    let remedy = format!("give a whole number from 1 to {MOST_WORK}");
    Err(field.error(format!("{distances} is no number of distances"), remedy))
}

fn max_gap(field: &Field<'_>) -> Result<i64> {
    let frames = field.number()?;
    if frames.fract() == 0.0 && (1.0..=9e15).contains(&frames) {
        return Ok(frames as i64);
    }
    Err(field.error(format!("{frames} is no number of frames"), "give a whole number of frames, 1 or more"))
}

/// A time, seconds, or `"none"`: no step is too long.
fn max_gap_s(field: &Field<'_>) -> Result<f64> {
    if field.text().is_ok() {
        return field.choice(&[("none", f64::INFINITY)]);
    }
    let seconds = field.number()?;
    let remedy = "give the longest time between neighbouring frames in seconds, more than 0, or \"none\"";
    if seconds > 0.0 { Ok(seconds) } else { Err(field.error(format!("{seconds} is no longest time"), remedy)) }
}

/// Returns the rule of a scene: what its file says, or `between` of the command line instead.
pub(super) fn rule(spec: &MotionSpec, between: Option<BetweenFrames>, require: Option<f64>) -> MotionRule {
    let between = between.unwrap_or(spec.between);
    let of_required = require.filter(|&require| require > 0.0).map_or(f64::INFINITY, |r| SHARE_OF_REQUIRED * r);
    let tolerance = spec.tolerance.unwrap_or_else(|| DEFAULT_TOLERANCE_M.min(of_required).max(FINEST_TOLERANCE_M));
    let MotionRule { work, max_gap, .. } = MotionRule::default();
    let (work, max_gap) = (spec.work.unwrap_or(work), spec.max_gap.unwrap_or(max_gap));
    // Along a spline nothing is missing, however long an interval takes.
    let max_gap_s = if between == BetweenFrames::Spline { Some(f64::INFINITY) } else { spec.max_gap_s };
    let gravity = spec.gravity.unwrap_or(MotionRule::EARTH);
    let MotionSpec { wraps, spline_frames, .. } = *spec;
    MotionRule { between, tolerance, work, max_gap, max_gap_s, wraps, spline_frames, gravity }
}

/// The rule with a motion between frames where the scene says none.
pub(super) fn for_audit(rule: MotionRule, has_joints: bool) -> MotionRule {
    let between = match rule.between {
        BetweenFrames::None if has_joints => BetweenFrames::Joint,
        BetweenFrames::None => BetweenFrames::Screw,
        between => between,
    };
    MotionRule { between, ..rule }
}
