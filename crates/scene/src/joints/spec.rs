//! `[[joint]]` and `[[sweep]]`, key by key, in SI units.

use super::wide;
use crate::body_spec::positive;
use crate::keys::{Field, Keys, SceneSource};
use crate::length::parse_angle;
use crate::values::Value;
use clearsweep_base::error::Result;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_kinematics::{JointKind, SweepPath};
use clearsweep_model::LengthUnit;
use std::f64::consts::{PI, TAU};
use toml::de::DeValue;

/// Remedy for an angle without a unit.
const ANGLE: &str = "write an angle with its unit, such as \"90deg\" or \"1.57rad\"";

/// A joint, as it is written; frames are called by name.
#[derive(Debug, Clone)]
pub(in crate::joints) struct JointSpec {
    pub(in crate::joints) name: String,
    pub(in crate::joints) kind: JointKind,
    /// The name of what carries it, and where it is written; `None`: the world.
    pub(in crate::joints) parent: Option<(String, usize)>,
    pub(in crate::joints) child: (String, usize),
    /// Pose of its frame in the parent's frame, metres.
    pub(in crate::joints) place: Pose,
    /// Unit.
    pub(in crate::joints) axis: Vec3<f64>,
    pub(in crate::joints) range: Option<[f64; 2]>,
    /// Whether values outside of the range are refused: a continuous joint has a range for sweeps
    /// alone.
    pub(in crate::joints) is_limited: bool,
    pub(in crate::joints) mimic: Option<MimicSpec>,
    /// Whether the frame behind it is the child's own frame: a link of a robot.
    pub(in crate::joints) is_link: bool,
    /// Its place in the chain that stands for a joint of several values, if it is of one.
    pub(in crate::joints) link: Option<wide::Link>,
    /// Its value where neither the scene nor a table gives one.
    pub(in crate::joints) home: Option<f64>,
    /// Place of its section in the text.
    pub(in crate::joints) at: usize,
}

impl JointSpec {
    /// The name as it is written: that of the joint of several values, if it is one of these.
    pub(in crate::joints) fn written_name(&self) -> &str {
        let whole = self.link.and_then(|_| self.name.rsplit_once('/'));
        whole.map_or(&self.name, |(name, _)| name)
    }
}

/// `mimic`.
#[derive(Debug, Clone)]
pub(in crate::joints) struct MimicSpec {
    pub(in crate::joints) joint: String,
    pub(in crate::joints) ratio: f64,
    pub(in crate::joints) offset: f64,
    /// Place of the key in the text.
    pub(in crate::joints) at: usize,
}

/// `[[sweep]]`.
#[derive(Debug, Clone)]
pub(in crate::joints) struct SweepSpec {
    /// Names with their places; `None`: all joints that have a range.
    pub(in crate::joints) joints: Option<Vec<(String, usize)>>,
    pub(in crate::joints) path: SweepPath,
    pub(in crate::joints) steps: Option<u32>,
    /// Least and greatest value of joints, each in place of the joint's range.
    pub(in crate::joints) ranges: Vec<[PostureSpec; 2]>,
    pub(in crate::joints) at: usize,
}

/// The joints of a scene file.
///
/// # Errors
/// A key that does not fit.
pub(in crate::joints) fn joints(source: &SceneSource<'_>, top: &Keys<'_>, unit: LengthUnit) -> Result<Vec<JointSpec>> {
    let tables = top.tables("joint")?.into_iter().zip(1..);
    let mut all = Vec::new();
    for ((at, table), n) in tables {
        all.extend(joint(Keys::new(source, format!("[[joint]] number {n}"), table, at), unit)?);
    }
    Ok(all)
}

/// A joint, or the joints that stand for one of several values.
fn joint(mut keys: Keys<'_>, unit: LengthUnit) -> Result<Vec<JointSpec>> {
    let name = keys.required("name", "give the joint a unique `name`")?.text()?.to_owned();
    keys.owner = format!("[[joint]] `{name}`");
    keys.only(&["name", "type", "parent", "child", "origin", "axis", "range", "pitch", "mimic"])?;
    const WORDS: [&str; 7] = ["revolute", "continuous", "prismatic", "screw", "fixed", "planar", "floating"];
    let (moves, words) = ("say how it moves: revolute, continuous, prismatic, screw, fixed, planar or floating", WORDS);
    let word = keys.required("type", moves)?.choice(&words.map(|word| (word, word)))?;
    let kind = match word {
        "fixed" | "planar" | "floating" => JointKind::Fixed,
        "prismatic" => JointKind::Prismatic,
        "screw" => {
            let pitch =
                keys.required("pitch", "give the way along the axis with each turn, such as `pitch = \"5mm\"`")?;
            JointKind::Screw { lead: pitch.length(unit)? / TAU }
        }
        _ => JointKind::Revolute,
    };
    if let Some(stray) = keys.get("pitch").filter(|_| word != "screw") {
        return Err(stray.error("only a screw has a pitch", "remove `pitch`, or write `type = \"screw\"`"));
    }
    let strays = match word {
        "fixed" | "floating" => &["axis", "range", "mimic"][..],
        "planar" => &["range", "mimic"],
        _ => &[],
    };
    if let Some((key, stray)) = strays.iter().find_map(|key| Some((key, keys.get(key)?))) {
        return Err(stray.error(format!("a {word} joint has no `{key}`"), format!("remove `{key}`")));
    }
    let text = |field: Field<'_>| Ok::<_, clearsweep_base::Error>((field.text()?.to_owned(), field.at));
    let origin = keys.get("origin").map(|field| field.lengths::<3>(unit)).transpose()?.unwrap_or([0.0; 3]);
    let spec = JointSpec {
        kind,
        parent: keys.get("parent").map(text).transpose()?,
        child: text(keys.required("child", "name the body or the node that it moves")?)?,
        place: Pose::new(origin, Pose::IDENTITY.q),
        axis: match word {
            "fixed" | "floating" => Vec3::new(0.0, 0.0, 1.0),
            _ => axis(
                &keys.required("axis", "give the direction of the axis in the parent's frame, such as [0, 0, 1]")?,
            )?,
        },
        range: match keys.get("range") {
            Some(field) if word == "continuous" => {
                return Err(
                    field.error("a continuous joint has no range", "remove `range`, or write `type = \"revolute\"`")
                );
            }
            field => field.map(|field| range(&field, kind, unit)).transpose()?,
        }
        .or((word == "continuous").then_some([-PI, PI])),
        is_limited: word != "continuous",
        mimic: keys.get("mimic").map(|field| mimic(&field, kind, unit)).transpose()?,
        is_link: false,
        link: None,
        home: None,
        at: keys.at,
        name,
    };
    Ok(match word {
        "planar" => wide::planar(&spec),
        "floating" => wide::floating(&spec, None),
        _ => vec![spec],
    })
}

fn axis(field: &Field<'_>) -> Result<Vec3<f64>> {
    let numbers = field.numbers(3)?;
    let axis = Vec3::new(numbers[0], numbers[1], numbers[2]);
    let largest = numbers.iter().fold(0.0_f64, |largest, number| largest.max(number.abs()));
    let unit = axis.scale(1.0 / largest).normalized();
    if largest > 0.0 && unit.is_finite() {
        // An axis along a coordinate axis stays so, bit by bit.
        return Ok(Vec3::new(unit.x + 0.0, unit.y + 0.0, unit.z + 0.0));
    }
    Err(field.error("the axis has no direction", "give a vector other than zero, such as [0, 0, 1]"))
}

/// A value of a joint: an angle in radians, or a length in metres.
fn value(field: &Field<'_>, kind: JointKind, unit: LengthUnit) -> Result<f64> {
    if !kind.turns() {
        return field.length(unit);
    }
    if !matches!(field.value, Value::Text(_) | Value::Toml(DeValue::String(_))) {
        return Err(field.error("the angle names no unit", ANGLE));
    }
    let text = field.text()?.trim();
    let angle = parse_angle(text).map_err(|problem| field.error(problem, ANGLE))?;
    let most = kind.largest_value();
    match angle.is_nan() {
        false if angle.abs() <= most => Ok(angle),
        false => Err(field.error(format!("`{text}` is beyond {most:e} rad"), "give a smaller angle")),
        true => Err(field.error(format!("`{text}` is no number"), ANGLE)),
    }
}

fn range(field: &Field<'_>, kind: JointKind, unit: LengthUnit) -> Result<[f64; 2]> {
    let items = field.items(Some(2), "values [least, greatest]")?;
    let [least, greatest] = [value(&items[0], kind, unit)?, value(&items[1], kind, unit)?];
    if least > greatest {
        return Err(field.error("the range ends before it begins", "give the least value first, then the greatest"));
    }
    Ok([least, greatest])
}

fn mimic(field: &Field<'_>, kind: JointKind, unit: LengthUnit) -> Result<MimicSpec> {
    let keys = field.table()?;
    keys.only(&["joint", "ratio", "offset"])?;
    Ok(MimicSpec {
        joint: keys.required("joint", "name the joint that it follows")?.text()?.to_owned(),
        ratio: keys.get("ratio").map(|ratio| ratio.number()).transpose()?.unwrap_or(1.0),
        offset: keys.get("offset").map(|offset| value(&offset, kind, unit)).transpose()?.unwrap_or(0.0),
        at: field.at,
    })
}

/// The sweeps of a scene file.
///
/// # Errors
/// A key that does not fit.
pub(in crate::joints) fn sweeps(source: &SceneSource<'_>, top: &Keys<'_>, unit: LengthUnit) -> Result<Vec<SweepSpec>> {
    let tables = top.tables("sweep")?.into_iter().zip(1..);
    tables.map(|((at, table), n)| sweep(&Keys::new(source, format!("[[sweep]] number {n}"), table, at), unit)).collect()
}

fn sweep(keys: &Keys<'_>, unit: LengthUnit) -> Result<SweepSpec> {
    keys.only(&["joints", "path", "steps", "ranges", "samples", "seed"])?;
    let joints = keys.get("joints").map(|field| {
        let items = field.items(None, "names of joints")?;
        if items.is_empty() {
            return Err(
                field.error("no joint is named", "name joints, or remove `joints` to sweep all that have a range")
            );
        }
        items.iter().map(|item| Ok((item.text()?.to_owned(), field.at))).collect::<Result<Vec<_>>>()
    });
    Ok(SweepSpec {
        joints: joints.transpose()?,
        path: path(keys)?,
        steps: keys.get("steps").map(|field| steps(&field)).transpose()?,
        ranges: keys.get("ranges").map(|field| ranges(&field, unit)).transpose()?.unwrap_or_default(),
        at: keys.at,
    })
}

/// The path of a sweep, with the keys that one path alone has.
fn path(keys: &Keys<'_>) -> Result<SweepPath> {
    let path = keys.get("path").map(|word| word.choice(&SweepPath::WORDS)).transpose()?.unwrap_or_default();
    let is_random = matches!(path, SweepPath::Random { .. });
    let strays = if is_random { &["steps"][..] } else { &["samples", "seed"] };
    if let Some((key, stray)) = strays.iter().find_map(|key| Some((key, keys.get(key)?))) {
        let problem = match is_random {
            true => format!("a random sweep draws values: it has no `{key}`"),
            false => format!("a sweep that is not random has no `{key}`"),
        };
        return Err(stray.error(problem, format!("remove `{key}`, or choose another `path`")));
    }
    if !is_random {
        return Ok(path);
    }
    let samples = keys.required("samples", "give the number of draws, each of them a run")?;
    let seed = keys.get("seed").map(|seed| whole(&seed, [0.0, LARGEST_SEED], "seed")).transpose()?.unwrap_or(0);
    Ok(SweepPath::Random { samples: whole(&samples, [1.0, 1e9], "number of draws")?, seed })
}

/// Largest seed: every whole number up to it is exact.
const LARGEST_SEED: f64 = (1_u64 << 53) as f64;

/// A whole number in a range.
fn whole(field: &Field<'_>, [least, greatest]: [f64; 2], what: &str) -> Result<u64> {
    let number = field.number()?;
    if number.fract() == 0.0 && (least..=greatest).contains(&number) {
        return Ok(number as u64);
    }
    Err(field.error(format!("{number} is no {what}"), format!("give a whole number from {least} to {greatest}")))
}

/// `ranges` of a sweep.
fn ranges(field: &Field<'_>, unit: LengthUnit) -> Result<Vec<[PostureSpec; 2]>> {
    let keys = field.table()?;
    let names: Vec<String> = keys.names().map(str::to_owned).collect();
    let range_of = |name: String| {
        let field = keys.required(&name, "give its least and its greatest value")?;
        let ends = field.items(Some(2), "values [least, greatest]")?;
        Ok([posture_value(&name, &ends[0], unit)?, posture_value(&name, &ends[1], unit)?])
    };
    names.into_iter().map(range_of).collect()
}

/// The key and the value of each joint of `[posture]`, which is not yet known to turn or to slide.
///
/// # Errors
/// A value that is neither an angle with its unit nor a length.
pub(in crate::joints) fn posture(top: &Keys<'_>, unit: LengthUnit) -> Result<Vec<PostureSpec>> {
    let Some(field) = top.get("posture") else { return Ok(Vec::new()) };
    let keys = field.table()?;
    let names: Vec<String> = keys.names().map(str::to_owned).collect();
    let value_of = |name: String| posture_value(&name, &keys.required(&name, "give its value")?, unit);
    names.into_iter().map(value_of).collect()
}

/// A value of a joint that is not yet known to turn or to slide.
fn posture_value(name: &str, field: &Field<'_>, unit: LengthUnit) -> Result<PostureSpec> {
    let text = field.text().map_or("", str::trim);
    let turns = text.ends_with("deg") || text.ends_with("rad");
    let kind = if turns { JointKind::Revolute } else { JointKind::Prismatic };
    let (value, is_plain, at) = (value(field, kind, unit)?, text.is_empty(), field.at);
    Ok(PostureSpec { name: name.to_owned(), turns, is_plain, value, at })
}

/// A value of `[posture]`.
#[derive(Debug, Clone)]
pub(in crate::joints) struct PostureSpec {
    /// The joint.
    pub(in crate::joints) name: String,
    /// Whether the value is an angle.
    pub(in crate::joints) turns: bool,
    /// Whether it is a number without a unit.
    pub(in crate::joints) is_plain: bool,
    /// Radians or metres.
    pub(in crate::joints) value: f64,
    pub(in crate::joints) at: usize,
}

fn steps(field: &Field<'_>) -> Result<u32> {
    let steps = positive(field)?;
    if steps.fract() == 0.0 && steps <= 1e9 {
        return Ok(steps as u32);
    }
    Err(field.error(format!("{steps} is no number of steps"), "give a whole number from 1 to 1e9"))
}
