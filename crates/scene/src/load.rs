//! A scene file to a [`Scene`].

use super::body_spec::BodySpec;
use super::build::{BuiltShapes, Failure, build};
use super::digest::{DEFAULT_MAX_INPUT, InputReader, sha256};
use super::file::{self, Head, Query, SceneFile};
use super::foreign;
use super::ignore;
use super::joints::found::{self, FoundJoints};
use super::keys::{Keys, SceneSource};
use super::motion_spec::MotionSpec;
use super::overrides::QueryOverrides;
use super::same_ancestor::Families;
use super::values::Value;
use super::{dispositions, motion_spec, readers, rest, rules, sections, within};
use clearsweep_base::error::{Error, LARGE_INPUT, Result};
use clearsweep_base::text::shell_word;
use clearsweep_model::{
    AnswerKind, BetweenFrames, Body, InputDigest, LengthUnit, Motion, MotionBounds, NodeHierarchy, Pivot, QueryOptions,
    Scene, SceneHeader, SceneOverrides, Shape, TrajectoryColumns,
};
use clearsweep_store::{Location, location};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes that a file may have.
pub(super) fn max_input(overrides: &SceneOverrides) -> u64 {
    overrides.max_input.unwrap_or(DEFAULT_MAX_INPUT)
}

/// The facts about the trajectories that the head of a scene tells.
fn header(path: &Path, head: &Head, overrides: &SceneOverrides) -> SceneHeader {
    let written = head.trajectories.as_ref().map(|(text, _)| folder(path).join(text));
    let trajectories = overrides.trajectories.clone().or(written);
    SceneHeader { trajectories, unit: head.unit, missing: head.missing, columns: head.columns.clone() }
}

/// Loads a scene file, and every geometry file that it names, all checked and in metres.
///
/// Trajectories are resolved (relative to the scene file) but not opened.
///
/// # Errors
/// The first thing that does not fit the contract, with its file, line and key (of rules and
/// geometry files: all); [`clearsweep_base::ErrorKind::Usage`] for an override.
pub fn load_scene(path: &Path, overrides: &SceneOverrides) -> Result<Scene> {
    load_scene_and_tell(path, overrides, |_| {})
}

/// As [`load_scene`]; `tell` hears of trajectories of poses as soon as they are known, once at
/// most, so that somebody may begin to read them. The scene may turn out to be wrong afterwards.
///
/// # Errors
/// As [`load_scene`].
#[doc(hidden)]
pub fn load_scene_and_tell(path: &Path, overrides: &SceneOverrides, tell: impl FnOnce(&SceneHeader)) -> Result<Scene> {
    let max_input = max_input(overrides);
    let mut input = InputReader::new(max_input);
    let bytes = read(path, &mut input)?;
    let text = text(path, &bytes)?;
    let source = SceneSource::new(path, text).with_threads(overrides.threads);
    // Values of joints are read once the joints are known.
    let mut tell = Some(tell).filter(|_| !["joint", "robot"].iter().any(|word| text.contains(word)));
    let mut outline = |head: &Head| {
        if let Some(tell) = tell.take() {
            tell(&header(path, head, overrides));
        }
    };
    let file = match sections::parse(path, text, overrides.threads, &mut outline) {
        Some(file) => file,
        None => file::parse(&source, max_input)?,
    };
    outline(&file.head);
    assemble(&source, file, input.digests, overrides)
}

/// Builds the scene that `text` describes as a scene file does, in the name of a program: messages
/// name no line, and paths are relative to the working directory. Trajectories may be left out, and
/// a shape may be `pieces`.
///
/// # Errors
/// As [`load_scene`].
#[doc(hidden)]
pub fn scene_of_text(text: &str, overrides: &SceneOverrides) -> Result<Scene> {
    scene_beside(Path::new(IN_CODE), text, overrides)
}

/// As [`scene_of_text`], in the name of a file: paths are relative to its folder.
///
/// # Errors
/// As [`load_scene`].
#[doc(hidden)]
pub fn scene_beside(path: &Path, text: &str, overrides: &SceneOverrides) -> Result<Scene> {
    let source = SceneSource::in_code(path, text).with_threads(overrides.threads);
    let file = file::parse(&source, max_input(overrides))?;
    let digest = sha256(text.as_bytes());
    Ok(Scene { builder_digest: Some(digest), ..assemble(&source, file, Vec::new(), overrides)? })
}

/// Name of a scene that no file holds, in messages.
pub(super) const IN_CODE: &str = "scene in code";

/// Reads `[columns]` of a scene file, and no other part of it.
///
/// # Errors
/// The file is no scene, or the section does not fit.
pub fn columns_of(path: &Path) -> Result<TrajectoryColumns> {
    let bytes = read(path, &mut InputReader::new(DEFAULT_MAX_INPUT))?;
    let source = SceneSource::new(path, text(path, &bytes)?);
    let document = source.parse()?;
    file::named_columns(&Keys::new(&source, "the scene file", Value::Keys(document.get_ref()), 0))
}

/// The bytes of a scene file.
fn read(path: &Path, input: &mut InputReader) -> Result<Vec<u8>> {
    if readers::check_extension(path).is_ok() && path.is_file() {
        let remedy = format!("write a scene for it: `clearsweep init {} --out scene.toml`", shell_word(path));
        return Err(Error::input(path.display(), "is a geometry file, and no scene", remedy));
    }
    input.read(path).map_err(|error| {
        let remedy = match error.kind() {
            ErrorKind::FileTooLarge => LARGE_INPUT,
            _ => "check the path of the scene",
        };
        Error::input(path.display(), format!("the scene file cannot be read ({error})"), remedy)
    })
}

/// The scene of a lowered scene file, with its geometry built; `read_first`: the files read for
/// that.
///
/// # Errors
/// As for [`load_scene`].
pub(super) fn assemble(
    source: &SceneSource<'_>,
    mut file: SceneFile,
    read_first: Vec<InputDigest>,
    overrides: &SceneOverrides,
) -> Result<Scene> {
    let path = source.path();
    let rest = rest::check(source, &file)?;
    let robots = file.joints.robots();
    let mut joints = found::find(source, &mut file)?;
    let sweeps = joints.as_ref().is_some_and(FoundJoints::moves_between_frames);
    if let Some(joints) = &mut joints {
        let is_named = file.head.joints.is_some() || source.is_in_code() || overrides.poses_follow;
        joints.choose_values(overrides.trajectories.is_some(), is_named);
    }
    let trajectories = trajectories(source, &file, joints.as_ref(), overrides)?;
    let command_line = QueryOverrides::lower(overrides, file.head.unit)?;
    let direction = command_line.direction.or(file.query.direction);
    let search = file.query.search;
    let mut query = query(source, &file, &command_line, overrides.for_audit)?;
    let require_unit = required_unit(&command_line, &file);
    query.static_pairs |= file.bodies.iter().all(|body| body.pose.is_some());
    let ignored = ignore::lower(source, &file.bodies, &file.made.trees, &file.ignores);
    let rules = rules::lower(source, &file.bodies, joints.is_some(), file.rules, file.query.touch);
    let built = build(folder(path), &file.bodies, overrides.threads, max_input(overrides));
    let ((ignored, ignore_rules), rules, BuiltShapes { shapes, inputs: read, notes }) = match (ignored, rules, built) {
        (Ok(ignored), Ok(rules), Ok(built)) => (ignored, rules, built),
        (ignored, rules, built) => {
            let failures = built.err().unwrap_or_default().into_iter();
            let failures = failures.map(|failure| place(source, &file.bodies, failure));
            let of_rules = [ignored.err(), rules.err()].into_iter().flatten().flatten();
            return Err(Error::several(path.display(), of_rules.chain(failures).collect()));
        }
    };
    let required = rules.all().iter().map(|rule| rule.require).chain(query.require).filter(|&require| require > 0.0);
    // Sweeps are checked between the samples, too, unless the scene says otherwise.
    let by_default = if sweeps { BetweenFrames::Joint } else { BetweenFrames::None };
    let motion_spec = file.motion.unwrap_or(MotionSpec { between: by_default, ..MotionSpec::default() });
    let motion = motion_spec::rule(&motion_spec, command_line.between, required.reduce(f64::min));
    let motion = if overrides.for_audit { motion_spec::for_audit(motion, joints.is_some()) } else { motion };
    if motion.between.is_by_joints() && joints.is_none() {
        let problem = format!("between = \"{}\" needs joints, and the scene has none", motion.between.name());
        let remedy = "add a `[[joint]]` for each joint, or write \"linear\" or \"screw\"";
        return Err(Error::input(path.display(), problem, remedy));
    }
    if motion.between.needs_times() && joints.is_some() {
        let word = motion.between.name();
        let problem = format!("between = \"{word}\" is of bodies that move alone, and joints carry those of the scene");
        return Err(Error::input(path.display(), problem, "write \"joint\", or remove the joints"));
    }
    check_bounds(source, &file.bodies, [motion.between, motion_spec.between])?;
    if motion.between == BetweenFrames::Spline && joints.as_ref().is_some_and(FoundJoints::has_sweep) {
        let problem = "between = \"spline\" needs the pieces of the joints' motions, and a [[sweep]] or [posture] gives the values";
        let remedy = "write `joints = \"FILE\"` in [scene] in place of the [[sweep]], or `between = \"joint\"`";
        return Err(Error::input(path.display(), problem, remedy));
    }
    let parents = Families::new(&file.made.trees).parents(&file.bodies);
    let (bodies, dynamic) = bodies(file.bodies, shapes, motion_spec.pivot);
    let slots = dynamic.iter().map(|&body| (body, Arc::clone(&bodies[body as usize].shape)));
    let joints = joints.map(|joints| joints.build(path, motion.wraps, slots).map(Arc::new)).transpose()?;
    let name = file.head.name.unwrap_or_else(|| stem(path));
    let (missing, frame_rate, unit) = (file.head.missing, file.head.frame_rate, file.head.unit);
    let inputs: Vec<InputDigest> = read_first.into_iter().chain(file.tables).chain(read).collect();
    let written = file.work.accepted.map(|text| folder(path).join(text));
    let accepted = overrides.accepted.clone().or(written);
    let path = path.to_path_buf();
    let slot_of = |body: u32| match bodies[body as usize].motion {
        Motion::Dynamic { slot } => Some(slot),
        Motion::Static(_) => None,
    };
    let still = file.made.still.into_iter().map(|(name, _)| name).collect();
    let hierarchy = NodeHierarchy::new(file.made.moving, still, dynamic.len(), slot_of);
    let trees = file.made.trees;
    let notes = file.made.notes.into_iter().chain(notes).collect();
    let mut scene = Scene {
        path,
        name,
        unit,
        require_unit,
        bodies,
        dynamic,
        trajectories,
        columns: file.head.columns,
        missing,
        frame_rate,
        query,
        direction,
        search,
        motion,
        ignored,
        ignore_rules,
        rules: Arc::new(rules),
        baselines: Arc::default(),
        dispositions: Arc::default(),
        earlier_issues: None,
        issue_group: file.work.group,
        expected: file.expected,
        parents,
        inputs,
        builder_digest: None,
        overrides: overrides.clone(),
        joints,
        robots,
        hierarchy,
        trees,
        notes,
    };
    if let Some(accepted) = accepted {
        dispositions::load(&accepted, &mut scene, max_input(overrides))?;
    }
    Ok({
        let mut scene = scene;
        scene.hierarchy.rest_orientation = rest;
        scene
    })
}

/// The folder of the scene file, which its paths are relative to.
fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The text of a scene file, without a byte order mark.
fn text<'b>(path: &Path, bytes: &'b [u8]) -> Result<&'b str> {
    let marked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Some(foreign) = foreign::format(marked, "toml") {
        let problem = format!("the scene file is {}, and no scene", foreign.name);
        return Err(Error::input(path.display(), problem, format!("give a scene: a TOML file. {}", foreign.remedy)));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&b| b == b'\n').count();
        let place = format!("{}:{line}", path.display());
        Error::input(place, "the scene file is not UTF-8", "save it as UTF-8 text; a scene is a TOML file")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(Error::input(
            path.display(),
            "the scene file is empty",
            "begin it with `[scene]`, a `length_unit` and a `[query]`",
        ));
    }
    Ok(text)
}

const MOVERS_OF_COMMAND: &str = "leave --trajectories out, or remove `static = true` from the bodies that move (of a file \
    with `each`: name the nodes that move in `moving`)";
const MOVERS_OF_SCENE: &str = "remove `trajectories`, or remove `static = true` from the bodies that move (of a file with \
    `each`: name the nodes that move in `moving`)";

/// Returns the trajectories: there are some exactly if something moves.
fn trajectories(
    source: &SceneSource<'_>,
    file: &SceneFile,
    joints: Option<&FoundJoints>,
    overrides: &SceneOverrides,
) -> Result<Option<PathBuf>> {
    let moving = file.bodies.iter().find(|body| body.pose.is_none());
    let (key, written) = written(source, file, joints)?;
    if joints.is_some_and(FoundJoints::has_sweep) {
        return Ok(None);
    }
    match (moving, &overrides.trajectories, written) {
        (None, None, None) => Ok(None),
        (Some(_), Some(path), _) => Ok(Some(path.clone())),
        (Some(_), None, Some((path, at))) => match location(Path::new(path)) {
            Ok(Location::Local(path)) => Ok(Some(folder(source.path()).join(path))),
            Ok(Location::Remote(_)) => Ok(Some(PathBuf::from(path))),
            Err(error) => Err(Error { place: format!("{}, key `{key}` of [scene]", source.place(*at)), ..error }),
        },
        // The poses may be handed to the job.
        (Some(_), None, None) if source.is_in_code() || overrides.poses_follow => Ok(None),
        (Some(_), None, None) if joints.is_some() => Err(Error::input(
            source.place(0),
            "the scene has joints, but nothing says their values",
            "add a `[[sweep]]` over their ranges, `joints = \"FILE\"` to [scene] (or --trajectories), or a [posture] that stands",
        )),
        (Some(body), None, None) => Err(Error::input(
            body.at.place(source),
            format!("the body `{}` is dynamic, but the scene names no trajectories", body.name),
            "add `trajectories = \"FILE\"` to [scene] (or --trajectories), or `static = true` to the body",
        )),
        (None, Some(path), _) => Err(Error::usage(
            "--trajectories",
            format!("{} is given, but every body of the scene is static: nothing moves", path.display()),
            MOVERS_OF_COMMAND,
        )),
        (None, None, Some((_, at))) => Err(Error::input(
            format!("{}, key `{key}` of [scene]", source.place(*at)),
            "trajectories are given, but every body is static: nothing moves",
            MOVERS_OF_SCENE,
        )),
    }
}

/// The file of poses or of joint values that the scene names, with its key.
fn written<'f>(
    source: &SceneSource<'_>,
    file: &'f SceneFile,
    joints: Option<&FoundJoints>,
) -> Result<(&'static str, Option<&'f (String, usize)>)> {
    let Head { trajectories, joints: values, .. } = &file.head;
    let stray = |key: &str, at: usize, problem: &str, remedy: &str| {
        Err(Error::input(format!("{}, key `{key}` of [scene]", source.place(at)), problem, remedy))
    };
    match (joints, trajectories, values) {
        (None, trajectories, None) => Ok(("trajectories", trajectories.as_ref())),
        (None, _, Some((_, at))) => stray(
            "joints",
            *at,
            "values of joints are given, and the scene has none",
            "add a `[[joint]]` for each, or remove `joints`",
        ),
        (Some(_), Some((_, at)), _) => {
            let remedy = "remove `trajectories` (values of joints are named by `joints`), or remove the joints";
            stray("trajectories", *at, "poses are given, but joints carry the bodies", remedy)
        }
        (Some(found), None, Some((_, at))) if found.has_sweep() => {
            stray("joints", *at, "values of joints are given, but a `[[sweep]]` gives them", "remove one of them")
        }
        (Some(_), None, values) => Ok(("joints", values.as_ref())),
    }
}

/// `[query]` with what the command line says instead, checked as a whole.
fn query(
    source: &SceneSource<'_>,
    file: &SceneFile,
    command_line: &QueryOverrides,
    is_for_audit: bool,
) -> Result<QueryOptions> {
    let Query { require, touch, static_pairs, .. } = file.query;
    let answer = command_line.answer.unwrap_or(file.query.answer);
    let contacts = command_line.contacts.unwrap_or(file.query.contacts);
    let (require, place) = match (command_line.require, require) {
        (Some(require), _) => (Some(require), "--require".to_owned()),
        (None, Some((require, at))) => (Some(require), format!("{}, key `require` of [query]", source.place(at))),
        (None, None) => (None, String::new()),
    };
    let (within, within_from_require) = match answer {
        AnswerKind::Overlap => (within::of_overlaps(source, file, command_line)?, false),
        AnswerKind::Distance | AnswerKind::Depth => {
            within::of_distances(source, file, command_line, require, is_for_audit)?
        }
    };
    let unit = required_unit(command_line, file);
    let by_rules = file.rules.iter().map(|rule| (rule.reach(), rule.require_place(source)));
    let largest = require.map(|require| (require, place)).into_iter().chain(by_rules);
    let largest = largest.reduce(|largest, next| if next.0 > largest.0 { next } else { largest });
    if let Some((require, place)) = largest.filter(|&(require, _)| require > within) {
        let [required, near] = [require, within].map(|metres| format!("{} {}", unit.number(metres), unit.word));
        let [problem, remedy] = match answer {
            AnswerKind::Overlap => [
                format!(
                    "`require` ({required}) needs distances, and `answer = \"overlap\"` computes none beyond `touch`"
                ),
                match file.query.answer {
                    // Only a scene of overlaps has no `within`.
                    AnswerKind::Overlap => {
                        "require 0, or say `answer = \"distance\"`, and `within = LENGTH` in [query]"
                    }
                    _ => "require 0, or leave --answer out",
                }
                .to_owned(),
            ],
            AnswerKind::Distance | AnswerKind::Depth => [
                format!("`require` ({required}) is larger than `within` ({near}): violations would be missed"),
                "make `within` at least as large as `require`".to_owned(),
            ],
        };
        return Err(match command_line.require.is_some() || command_line.within.is_some() {
            true => Error::usage(place, problem, remedy),
            false => Error::input(place, problem, remedy),
        });
    }
    Ok(QueryOptions { within, within_from_require, require, touch, static_pairs, answer, contacts })
}

/// The unit that the clearance required is written in: of `[query]`, else that of the first rule
/// that names one.
fn required_unit(command_line: &QueryOverrides, file: &SceneFile) -> LengthUnit {
    let written = match command_line.require {
        Some(_) => command_line.require_unit,
        None => file.query.require_unit.or_else(|| file.rules.iter().find_map(|rule| rule.unit)),
    };
    written.unwrap_or(file.head.unit)
}

/// An error of a body's geometry, with the file and line it lies in and the body that uses it.
fn place(source: &SceneSource<'_>, bodies: &[BodySpec], failure: Failure) -> Error {
    let body = &bodies[failure.body];
    let used = body.geometry_at.place(source);
    let owner = body.owner(source);
    let place = match (failure.file, failure.fault.line) {
        (None, _) => format!("{used}, key `shape` of {owner}"),
        (Some(file), None) => format!("{} (`geometry` of {owner}, {used})", file.display()),
        (Some(file), Some(line)) => format!("{}:{line} (`geometry` of {owner}, {used})", file.display()),
    };
    Error::input(place, failure.fault.problem, failure.fault.remedy)
}

/// Whether the bodies say what the motion needs of them, and nothing that neither the motion of
/// the job nor that of the scene file asks about, which are given in this order.
fn check_bounds(source: &SceneSource<'_>, bodies: &[BodySpec], between: [BetweenFrames; 2]) -> Result<()> {
    let fault = |body: &BodySpec, problem: &str, remedy: &str| {
        Err(Error::input(format!("{}, {}", body.at.place(source), body.owner(source)), problem, remedy))
    };
    let is_asked = between.contains(&BetweenFrames::Bounded);
    if let Some(body) = bodies.iter().find(|body| body.bounds != MotionBounds::default() && !is_asked) {
        let problem = "`max_speed`, `max_acceleration` or `max_turn` bounds its motion, and nothing asks about that";
        return fault(body, problem, "remove it, or write `between = \"bounded\"` in [motion]");
    }
    let is_unbounded = |body: &&BodySpec| body.pose.is_none() && !body.bounds.bound_the_pivot();
    if between[0] == BetweenFrames::Bounded
        && let Some(body) = bodies.iter().find(is_unbounded)
    {
        let problem = "states no bound of its motion, which `between = \"bounded\"` needs";
        return fault(body, problem, "write `max_speed = \"2m/s\"`, or `max_acceleration`");
    }
    Ok(())
}

/// The bodies with their shapes, and the indices of the dynamic ones: the slots.
fn bodies(specs: Vec<BodySpec>, shapes: Vec<Arc<Shape>>, pivot: Pivot) -> (Vec<Body>, Vec<u32>) {
    let mut dynamic = Vec::new();
    let mut bodies = Vec::with_capacity(specs.len());
    for ((spec, shape), index) in specs.into_iter().zip(shapes).zip(0..) {
        let motion = match spec.pose {
            Some(pose) => Motion::Static(shape.recentring().place(&pose)),
            None => {
                dynamic.push(index);
                Motion::Dynamic { slot: dynamic.len() as u32 - 1 }
            }
        };
        bodies.push(Body {
            deviation_source: spec.source_of_deviation(),
            name: spec.name,
            shape,
            motion,
            pivot: spec.pivot.unwrap_or(pivot),
            bounds: spec.bounds,
            groups: spec.groups,
            pose_steps: spec.pose_steps,
            id: spec.id,
        });
    }
    (bodies, dynamic)
}
