//! Finds the bodies and nodes that `[[joint]]` names, and the joints that `[[sweep]]`, `[posture]`
//! and `[columns]` name.

use super::JointSpecs;
use super::frames::Frames;
use super::place::{self, Placed, Tree};
use super::spec::{PostureSpec, SweepSpec};
use crate::body_spec::BodySpec;
use crate::file::SceneFile;
use crate::ignore::IgnoreSpec;
use crate::keys::SceneSource;
use crate::selectors::Selector;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::Pose;
use clearsweep_kinematics::{
    CarriedBody, Joint, JointKind, JointTree, JointValue, MOST_SAMPLES, Sweep, SweepPath, SweepRuns, SweptJoint,
};
use clearsweep_model::{GeometryNote, SceneJoints, Shape};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Joints on the ways of all bodies together, at most: 200 MB.
const MOST_STEPS: u64 = 4_000_000;

/// The joints of a scene, found in it.
pub(crate) struct FoundJoints {
    joints: Vec<Joint>,
    /// The joint of each column of values.
    columns: Vec<u32>,
    sweeps: Option<SweepRuns>,
    posture: Vec<Option<f64>>,
    allowed: Vec<[f64; 2]>,
    /// Values of joints that nothing moves, by column.
    rest: Vec<f64>,
    /// By body: the joint that carries it, and its frame in that link.
    carried: Vec<Option<(u32, Pose)>>,
}

/// Finds what the joints of a scene file carry: bodies that no joint moves become static, and pairs
/// that no joint moves relative to each other are ignored unless static pairs are asked for.
/// `None`: there are no joints.
///
/// # Errors
/// A name that is not there or stands twice, a closed loop, a body that nothing carries, or a sweep
/// that does not fit.
pub(crate) fn find(source: &SceneSource<'_>, file: &mut SceneFile) -> Result<Option<FoundJoints>> {
    let specs = std::mem::take(&mut file.joints);
    if specs.is_empty() {
        check_stray_poses(&file.bodies)?;
        return Ok(None);
    }
    if let Some([place, problem, remedy]) = file.bodies.iter().find_map(|body| body.rest.as_ref()?.fault.as_ref()) {
        return Err(Error::input(place, problem, remedy));
    }
    let carried = specs.joints.iter().map(|joint| &*joint.child.0).collect();
    let links = (&specs.robots.links[..], &specs.robots.bodies[..], &specs.link_bodies[..]);
    let frames = Frames::new(&file.bodies, &file.made, links, &carried);
    let tree = Tree::new(source, &specs.joints, frames)?;
    let placed = tree.placed(source)?;
    file.made.notes.extend(narrowed(source, &placed));
    let posture = posture(source, &specs, &placed)?;
    check_columns(source, &placed, file)?;
    let rest = rest(&placed, &posture);
    let sweeps = sweeps(source, &specs, &placed, &rest)?;
    let mut carried = Vec::with_capacity(file.bodies.len());
    for (index, body) in file.bodies.iter_mut().enumerate() {
        carried.push(carry(source, body, placed.body(index as u32), &placed)?);
    }
    if placed.columns.is_empty() {
        check_stray_poses(&file.bodies)?;
        return Ok(None);
    }
    if !file.query.static_pairs {
        ignore_rigid(&placed, &carried, file);
    }
    let place::PlacedJoints { joints, columns, allowed, .. } = placed;
    Ok(Some(FoundJoints { joints, columns, sweeps, posture, allowed, rest, carried }))
}

impl FoundJoints {
    /// The joints with the bodies by slot; `slots`: the body of each, with its shape. `wraps`:
    /// joints that turn without limits go from value to value by the shortest turn, but for sweeps,
    /// whose steps are as they are written.
    ///
    /// # Errors
    /// `wraps`, and a joint follows one that turns without limits, and whole turns of that
    /// one are no whole turns of its own.
    pub(crate) fn build(
        mut self,
        path: &Path,
        wraps: bool,
        slots: impl Iterator<Item = (u32, Arc<Shape>)>,
    ) -> Result<SceneJoints> {
        let wraps = wraps && self.sweeps.is_none();
        self.joints.iter_mut().for_each(|joint| joint.wraps &= wraps);
        if let Some(joint) = self.joints.iter().find(|joint| joint.wraps && !follows_turns(joint)) {
            let problem = format!(
                "wrap = \"shortest\": a whole turn of the joint that `{}` follows is no whole turn of its own",
                joint.name
            );
            let remedy = "write values that go on beyond half a turn, and `wrap = \"as-given\"`";
            return Err(Error::input(path.display(), problem, remedy));
        }
        let slots: Vec<(u32, Arc<Shape>)> = slots.collect();
        self.check_length(path, slots.iter().map(|(body, _)| *body))?;
        let carried = slots.into_iter().map(|(body, shape)| {
            let (joint, place) = self.carried[body as usize]
                .ok_or_else(|| Error::internal("joints", "a body that moves is carried by no joint"))?;
            Ok(CarriedBody { joint, place: shape.recentring().place(&place), reach: shape.reach() })
        });
        let tree = JointTree::new(self.joints, self.columns, carried.collect::<Result<_>>()?);
        Ok(SceneJoints { tree, sweeps: self.sweeps, posture: self.posture, allowed: self.allowed })
    }

    /// Refuses chains so long that the ways of all bodies would fill the memory.
    fn check_length(&self, path: &Path, bodies: impl Iterator<Item = u32>) -> Result<()> {
        // Each joint comes after the one that carries it.
        let mut depths = vec![1_u64; self.joints.len()];
        for (joint, of) in self.joints.iter().enumerate() {
            depths[joint] = of.parent.map_or(1, |parent| depths[parent as usize] + 1);
        }
        let joint = |body: u32| self.carried[body as usize].map_or(0, |(joint, _)| depths[joint as usize]);
        let steps: u64 = bodies.map(joint).sum();
        if steps <= MOST_STEPS {
            return Ok(());
        }
        let problem =
            format!("the ways from the world to all bodies have {steps} joints together, at most {MOST_STEPS}");
        Err(Error::input(path.display(), problem, "weld what does not move, or give poses as trajectories"))
    }

    /// Drops the sweeps if the command line names values in their place (`is_replaced`). Without a
    /// sweep and without values that the scene names or a caller may hand over (`is_named`), a
    /// posture is one sample.
    pub(crate) fn choose_values(&mut self, is_replaced: bool, is_named: bool) {
        if is_replaced {
            self.sweeps = None;
        } else if self.sweeps.is_none() && !is_named && self.posture.iter().any(Option::is_some) {
            self.sweeps = SweepRuns::new(vec![Sweep::standing(self.rest.clone())]);
        }
    }

    /// Whether a sweep moves joints from frame to frame; draws are runs of one frame.
    pub(crate) fn moves_between_frames(&self) -> bool {
        self.sweeps.iter().flat_map(SweepRuns::sweeps).any(|sweep| sweep.frames() > 1)
    }

    /// Whether a sweep gives the values.
    pub(crate) fn has_sweep(&self) -> bool {
        self.sweeps.is_some()
    }
}

/// Whether whole turns of the joint that it follows, if it does, leave a joint where it is.
fn follows_turns(joint: &Joint) -> bool {
    match joint.value {
        JointValue::None => true,
        JointValue::Column { ratio, .. } => joint.kind == JointKind::Revolute && ratio.fract() == 0.0,
    }
}

/// Refuses poses of bodies that neither stand nor hang on a joint.
fn check_stray_poses(bodies: &[BodySpec]) -> Result<()> {
    let stray = |body: &BodySpec| body.rest.as_ref().filter(|_| body.pose.is_none())?.written.clone();
    let Some((key, place)) = bodies.iter().find_map(stray) else { return Ok(()) };
    let remedy = "add `static = true`, or remove the key: poses of a dynamic body are in the trajectories, or a `[[joint]]` carries it";
    Err(Error::input(place, format!("a dynamic body has no `{key}` in the scene"), remedy))
}

/// The joint that carries a body, and its frame in that link; a body that no joint moves becomes
/// static.
fn carry(
    source: &SceneSource<'_>,
    body: &mut BodySpec,
    place: Placed,
    placed: &place::PlacedJoints,
) -> Result<Option<(u32, Pose)>> {
    if body.pose.is_some() {
        return Ok(None);
    }
    match place.joint {
        Some(joint) if placed.moves(joint) => Ok(Some((joint, place.in_link))),
        Some(_) => {
            body.pose = Some(place.rest);
            Ok(None)
        }
        None if place.stands => {
            body.pose = Some(place.rest);
            Ok(None)
        }
        // Trajectories may move it, if no joint moves anything.
        None if placed.columns.is_empty() => Ok(None),
        None => {
            let problem = format!("the body `{}` is dynamic, and no joint carries it", body.name);
            let remedy = "add a `[[joint]]` whose `child` it is, or `static = true` to the body";
            Err(Error::input(body.at.place(source), problem, remedy))
        }
    }
}

/// Groups of the bodies that one joint moves, and rules that leave out their pairs: these stand
/// still relative to each other.
fn ignore_rigid(placed: &place::PlacedJoints, carried: &[Option<(u32, Pose)>], file: &mut SceneFile) {
    let mut together: HashMap<u32, Vec<usize>> = HashMap::new();
    for (body, carried) in carried.iter().enumerate() {
        if let Some((joint, _)) = carried {
            together.entry(placed.moved_with(*joint)).or_default().push(body);
        }
    }
    let mut together: Vec<(u32, Vec<usize>)> = together.into_iter().filter(|(_, bodies)| bodies.len() > 1).collect();
    together.sort_unstable();
    for (joint, bodies) in together {
        let group = format!("joint:{}", placed.written[joint as usize]);
        for body in bodies {
            let body = &mut file.bodies[body];
            let mut groups = body.groups.to_vec();
            groups.push(group.clone());
            groups.sort();
            groups.dedup();
            body.groups = groups.into();
        }
        let selector = Some(Selector::of_text(format!("group:{group}"), 0));
        let reason = Some("no joint moves them relative to each other (static_pairs asks for such pairs)".to_owned());
        file.ignores.push(IgnoreSpec { a: selector.clone(), b: selector, same: None, reason, at: 0 });
    }
}

/// The values of `[posture]`, by column.
fn posture(source: &SceneSource<'_>, specs: &JointSpecs, placed: &place::PlacedJoints) -> Result<Vec<Option<f64>>> {
    let mut values = vec![None; placed.columns.len()];
    for spec in &specs.posture {
        let error = |problem: String, remedy: &str| {
            Err(Error::input(format!("{}, key `{}` of [posture]", source.place(spec.at), spec.name), problem, remedy))
        };
        let joint = match column_of(placed, spec) {
            Ok(joint) => &placed.joints[joint as usize],
            Err([problem, remedy]) => return error(problem, &remedy),
        };
        let Some(column) = placed.column(joint) else { continue };
        let [least, greatest] = placed.allowed[column as usize];
        if spec.value < least || spec.value > greatest {
            let [value, least, greatest] = [spec.value, least, greatest].map(|value| shown(joint.kind, value));
            let problem = format!("{value} is outside of the joint's range, {least} to {greatest}");
            return error(problem, "give a value in its range");
        }
        if values[column as usize].replace(spec.value).is_some() {
            return error("the joint is named twice".to_owned(), "keep one of its values");
        }
    }
    values.iter_mut().zip(&placed.homes).for_each(|(value, home)| *value = value.or(*home));
    Ok(values)
}

/// Refuses columns that `[columns]` gives for joints that are not there; short names become whole
/// ones.
fn check_columns(source: &SceneSource<'_>, placed: &place::PlacedJoints, file: &mut SceneFile) -> Result<()> {
    const OTHER_KEYS: [&str; 5] = ["run", "frame", "time_s", "angles", "lengths"];
    let error = |name: &str, problem: String, remedy: String| {
        Err(Error::input(format!("{}, key `{name}` of [columns]", source.path().display()), problem, remedy))
    };
    let columns = &mut file.head.columns;
    if let Some(stray) = columns.of_poses() {
        let remedy = "name columns of joints, run, frame and time_s alone".to_owned();
        return error(stray, "joints carry the bodies, so no table has their poses".to_owned(), remedy);
    }
    let unknown =
        columns.joints().find_map(|name| Some((name.to_owned(), placed.column_named(name, Some(&OTHER_KEYS)).err()?)));
    if let Some((name, (problem, remedy))) = unknown {
        let others = "other keys are run, frame, time_s, and `angles` and `lengths` for the units of all joints";
        return error(&name, problem, format!("{remedy}; {others}"));
    }
    columns.rename_joints(|name| {
        placed
            .column_named(name, None)
            .map_or_else(|_| name.to_owned(), |joint| placed.joints[joint as usize].name.clone())
    });
    Ok(())
}

/// A note for each joint whose limits narrow the values of the one that it follows.
fn narrowed(source: &SceneSource<'_>, placed: &place::PlacedJoints) -> Vec<(PathBuf, GeometryNote)> {
    let note = |&[follower, leader]: &[u32; 2]| {
        let [follower, leader] = [follower, leader].map(|joint| &placed.joints[joint as usize]);
        let allowed = placed.column(leader).map_or([0.0; 2], |column| placed.allowed[column as usize]);
        let [least, greatest] = allowed.map(|value| shown(leader.kind, value));
        let problem = format!(
            "the limits of the joint `{}`, which follows `{}`, leave the latter {least} to {greatest} of its range",
            follower.name, leader.name
        );
        let remedy = "sweeps keep to that, and other values are refused; correct the limits if it is more";
        (source.path().to_path_buf(), GeometryNote { kind: "joint", problem, remedy })
    };
    placed.narrowed.iter().map(note).collect()
}

/// A value of a joint in the units of messages.
fn shown(kind: JointKind, value: f64) -> String {
    let (value, unit) = if kind.turns() { (value.to_degrees(), "deg") } else { (value, "m") };
    match value.abs() {
        1e-3..1e7 | 0.0 => format!("{} {unit}", (value * 1e6).round() / 1e6),
        _ => format!("{value:e} {unit}"),
    }
}

/// The values of the sweeps.
fn sweeps(
    source: &SceneSource<'_>,
    specs: &JointSpecs,
    placed: &place::PlacedJoints,
    rest: &[f64],
) -> Result<Option<SweepRuns>> {
    if specs.sweeps.is_empty() {
        return Ok(None);
    }
    let mut sweeps = Vec::with_capacity(specs.sweeps.len());
    for spec in &specs.sweeps {
        sweeps.push(sweep(source, spec, placed, rest)?);
    }
    let remedy = "sweep fewer joints in a grid, or give fewer `steps` or `samples`";
    let runs = SweepRuns::new(sweeps);
    runs.map(Some).ok_or_else(|| {
        let problem = format!("the sweeps have more than {MOST_SAMPLES:e} samples");
        Error::input(source.place(specs.sweeps[0].at), problem, remedy)
    })
}

fn sweep(source: &SceneSource<'_>, spec: &SweepSpec, placed: &place::PlacedJoints, rest: &[f64]) -> Result<Sweep> {
    let error = |at: usize, problem: String, remedy: &str| Error::input(source.place(at), problem, remedy);
    let stated = stated_ranges(source, spec, placed)?;
    let range_of = |joint: u32| {
        let stated = stated.iter().find(|(named, ..)| *named == joint).map(|&(_, range, _)| range);
        stated.or_else(|| placed.sweep_range(&placed.joints[joint as usize]))
    };
    let named: Vec<(u32, usize)> = match &spec.joints {
        Some(names) => {
            let find = |(name, at): &(String, usize)| {
                let found =
                    placed.column_named(name, None).map_err(|(problem, remedy)| error(*at, problem, &remedy))?;
                Ok((found, *at))
            };
            names.iter().map(find).collect::<Result<_>>()?
        }
        None => {
            placed.columns.iter().filter(|&&joint| range_of(joint).is_some()).map(|&joint| (joint, spec.at)).collect()
        }
    };
    let mut joints: Vec<SweptJoint> = Vec::with_capacity(named.len());
    if let Some((stray, _, at)) = stated.iter().find(|(joint, ..)| named.iter().all(|(swept, _)| swept != joint)) {
        let problem =
            format!("`ranges` has a range of the joint `{}`, which is not swept", placed.joints[*stray as usize].name);
        return Err(error(*at, problem, "name the joint in `joints`, or remove its range"));
    }
    for (joint, at) in named {
        let range = range_of(joint);
        let joint = &placed.joints[joint as usize];
        let Some(range) = range else {
            let problem = format!("the joint `{}` has no range to be swept", joint.name);
            let remedy = "give its `range` in [[joint]] or in `ranges` of the sweep, or name other joints";
            return Err(error(at, problem, remedy));
        };
        let column = placed.column(joint).unwrap_or(0);
        if joints.iter().any(|known| known.column == column) {
            return Err(error(at, format!("the joint `{}` is swept twice", joint.name), "name each joint once"));
        }
        joints.push(SweptJoint { column, range, turns: joint.kind.turns() });
    }
    if joints.is_empty() {
        return Err(error(spec.at, "no joint has a range to be swept".to_owned(), "give a `range` in [[joint]]"));
    }
    let steps = match spec.path {
        SweepPath::Random { .. } => 0,
        _ => spec.steps.unwrap_or_else(|| Sweep::fine_steps(&joints)),
    };
    Ok(Sweep { joints, path: spec.path, steps, rest: rest.to_vec() })
}

/// The ranges that a sweep states, each with its joint and its place in the text.
fn stated_ranges(
    source: &SceneSource<'_>,
    spec: &SweepSpec,
    placed: &place::PlacedJoints,
) -> Result<Vec<(u32, [f64; 2], usize)>> {
    let mut stated: Vec<(u32, [f64; 2], usize)> = Vec::with_capacity(spec.ranges.len());
    for [least, greatest] in &spec.ranges {
        let place = format!("{}, key `{}` of `ranges`", source.place(least.at), least.name);
        let joint = column_of(placed, least).and_then(|joint| column_of(placed, greatest).map(|_| joint));
        let joint = joint.map_err(|[problem, remedy]| Error::input(&place, problem, remedy))?;
        let of = &placed.joints[joint as usize];
        let allowed = placed.column(of).map_or([0.0; 2], |column| placed.allowed[column as usize]);
        let range = [least.value, greatest.value];
        let shown = |range: [f64; 2]| range.map(|value| shown(of.kind, value)).join(" to ");
        if range[0] > range[1] {
            let remedy = "give the least value first, then the greatest";
            return Err(Error::input(place, "the range ends before it begins", remedy));
        }
        if range[0] < allowed[0] || range[1] > allowed[1] {
            let problem = format!("{} goes beyond the joint's range, {}", shown(range), shown(allowed));
            return Err(Error::input(place, problem, "give a range within it"));
        }
        if stated.iter().any(|(known, ..)| *known == joint) {
            return Err(Error::input(place, "the joint is named twice", "keep one of its ranges"));
        }
        stated.push((joint, range, least.at));
    }
    Ok(stated)
}

/// The joint of a value in the scene, or what is wrong and the remedy.
fn column_of(placed: &place::PlacedJoints, spec: &PostureSpec) -> std::result::Result<u32, [String; 2]> {
    let joint = placed.column_named(&spec.name, Some(&[])).map_err(|(problem, remedy)| [problem, remedy])?;
    let turns = placed.joints[joint as usize].kind.turns();
    if turns == spec.turns {
        return Ok(joint);
    }
    let [problem, remedy] = match turns {
        true => [
            if spec.is_plain {
                "the joint turns, and the value names no unit"
            } else {
                "the joint turns, and the value is a length"
            },
            "write an angle with its unit, such as \"90deg\"",
        ],
        false => ["the joint slides, and the value is an angle", "write a length, such as \"40mm\""],
    };
    Err([problem, remedy].map(str::to_owned))
}

/// The values of joints that nothing moves, by column: as the posture says, else 0, or the value of
/// the range that is nearest to 0.
fn rest(placed: &place::PlacedJoints, posture: &[Option<f64>]) -> Vec<f64> {
    let of = |(&joint, posture): (&u32, &Option<f64>)| {
        let nearest = |[least, greatest]: [f64; 2]| 0.0_f64.clamp(least, greatest);
        posture.unwrap_or_else(|| placed.sweep_range(&placed.joints[joint as usize]).map_or(0.0, nearest))
    };
    placed.columns.iter().zip(posture).map(of).collect()
}
