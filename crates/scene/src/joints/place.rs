//! The joints in order, with the places of the frames that they carry.

use super::frames::Frames;
use super::spec::JointSpec;
use crate::keys::SceneSource;
use clearsweep_base::error::{Error, Result, nearest};
use clearsweep_base::text::toml_text;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_kinematics::{Joint, JointKind, JointValue, RANGE_SLACK};
use clearsweep_model::ColumnRole;
use std::collections::HashMap;

/// Joints with the frames that they join.
pub(super) struct Tree<'s> {
    specs: &'s [JointSpec],
    frames: Frames,
    /// By joint: the frames of its parent and of its child.
    ends: Vec<(Option<usize>, usize)>,
    /// By frame: the joint whose child it is.
    carrier: HashMap<usize, usize>,
}

impl<'s> Tree<'s> {
    /// # Errors
    /// A name that is not there or stands twice, or two joints that carry one frame.
    pub(super) fn new(source: &SceneSource<'_>, specs: &'s [JointSpec], frames: Frames) -> Result<Self> {
        let mut tree = Self { specs, frames, ends: Vec::with_capacity(specs.len()), carrier: HashMap::new() };
        let mut names: HashMap<&str, usize> = HashMap::new();
        for (index, spec) in specs.iter().enumerate() {
            if [ColumnRole::Run, ColumnRole::Frame, ColumnRole::Time]
                .iter()
                .any(|role| role.names().contains(&&*spec.name))
            {
                let problem = format!("a joint cannot be called `{}`: tables have that column for samples", spec.name);
                return Err(Error::input(source.place(spec.at), problem, "give it another name"));
            }
            if let Some(first) = names.insert(&spec.name, index) {
                let problem =
                    format!("the joint name `{}` was used before, on line {}", spec.name, source.line(specs[first].at));
                return Err(Error::input(source.place(spec.at), problem, "give each joint a name of its own"));
            }
            let follows = spec.link.is_some_and(|link| !link.is_first);
            let parent = match tree.ends.last() {
                Some(&(_, before)) if follows => Some(before),
                _ => tree.frames.parent(source, spec)?,
            };
            let last = tree.frames.child(source, spec)?;
            let child = match spec.link {
                Some(link) if !link.is_last => {
                    let before = parent.map_or(Pose::IDENTITY, |parent| tree.frames.all[parent].rest);
                    tree.frames.add_between(in_frame(&before, &spec.place))
                }
                _ => last,
            };
            if parent == Some(last) {
                let problem =
                    format!("parent and child of the joint `{}` are both `{}`", spec.written_name(), spec.child.0);
                return Err(Error::input(source.place(spec.at), problem, "name another parent, or none: the world"));
            }
            if tree.frames.all[last].stands {
                let name = spec.written_name();
                let problem = format!("`{}` is static, so the joint `{name}` cannot move it", spec.child.0);
                return Err(Error::input(
                    source.place(spec.child.1),
                    problem,
                    "remove `static = true` from it, or name another child",
                ));
            }
            if let Some(first) = tree.carrier.insert(child, index) {
                let problem = format!(
                    "the joints `{}` and `{}` both carry `{}`: they close a loop",
                    specs[first].written_name(),
                    spec.written_name(),
                    spec.child.0
                );
                let remedy = "keep one of them: chains and trees of joints are followed, and no closed loops; give values that close the loop, or poses of the linkage as trajectories";
                return Err(Error::input(source.place(spec.child.1), problem, remedy));
            }
            tree.ends.push((parent, child));
        }
        Ok(tree)
    }

    /// The joint whose link a frame belongs to.
    fn joint_of(&self, mut frame: usize) -> Option<usize> {
        loop {
            if let Some(&joint) = self.carrier.get(&frame) {
                return Some(joint);
            }
            frame = self.frames.all[frame].above?;
        }
    }

    /// Whether a frame, or what takes it along, stands in the world.
    fn stands(&self, mut frame: usize) -> bool {
        loop {
            let of = &self.frames.all[frame];
            match of.above {
                _ if of.stands => return true,
                Some(above) => frame = above,
                None => return false,
            }
        }
    }

    /// The joint that carries a joint.
    fn before(&self, joint: usize) -> Option<usize> {
        self.ends[joint].0.and_then(|parent| self.joint_of(parent))
    }

    /// Joints in an order in which each comes after the one that carries it.
    fn order(&self, source: &SceneSource<'_>) -> Result<Vec<usize>> {
        let mut order = Vec::with_capacity(self.specs.len());
        let mut is_done = vec![false; self.specs.len()];
        for joint in 0..self.specs.len() {
            let mut way = Vec::new();
            let mut next = Some(joint);
            while let Some(at) = next.filter(|&at| !is_done[at]) {
                if way.len() > self.specs.len() {
                    let spec = &self.specs[joint];
                    let problem = format!("the joint `{}` carries itself, by others: they close a loop", spec.name);
                    return Err(Error::input(
                        source.place(spec.at),
                        problem,
                        "let one of them stand in the world: remove its `parent`",
                    ));
                }
                way.push(at);
                next = self.before(at);
            }
            for at in way.into_iter().rev() {
                if !std::mem::replace(&mut is_done[at], true) {
                    order.push(at);
                }
            }
        }
        Ok(order)
    }

    /// The joints in order, with the place of each frame.
    ///
    /// # Errors
    /// Joints that close a loop, a parent that nothing carries, or a `mimic` that does not fit.
    pub(super) fn placed(self, source: &SceneSource<'_>) -> Result<PlacedJoints> {
        let order = self.order(source)?;
        let mut index = vec![0_u32; self.specs.len()];
        order.iter().zip(0..).for_each(|(&joint, at)| index[joint] = at);
        let columns: Vec<usize> = (0..self.specs.len())
            .filter(|&j| self.specs[j].mimic.is_none() && self.specs[j].kind != JointKind::Fixed)
            .collect();
        let values = self.values(source, &columns)?;
        let mut joints: Vec<Joint> = Vec::with_capacity(order.len());
        // Frames of the joints in the world at rest.
        let mut rests: Vec<Pose> = Vec::with_capacity(order.len());
        for &joint in &order {
            let spec = &self.specs[joint];
            let (rest, parent) = match self.ends[joint].0 {
                None => (spec.place, None),
                Some(frame) => {
                    let parent = self.joint_of(frame);
                    let stands = self.stands(frame);
                    if parent.is_none() && !stands {
                        let name = &self.frames.all[frame].name;
                        let problem = format!(
                            "`{name}` is the parent of the joint `{}`, and moves, but no joint carries it",
                            spec.name
                        );
                        return Err(Error::input(
                            source.place(spec.at),
                            problem,
                            "add a joint whose `child` it is, or `static = true` to it",
                        ));
                    }
                    (in_frame(&self.frames.all[frame].rest, &spec.place), parent)
                }
            };
            let parent = parent.map(|parent| index[parent]);
            let place = parent.map_or(rest, |parent| relative(&rests[parent as usize], &rest));
            rests.push(rest);
            let value = values[joint];
            joints.push(Joint {
                name: spec.name.clone(),
                kind: spec.kind,
                parent,
                place,
                axis: spec.axis,
                range: spec.range,
                value,
                wraps: self.turns_freely(value, &columns),
            });
        }
        let mut places: Vec<Placed> = Vec::with_capacity(self.frames.all.len());
        for (frame, of) in self.frames.all.iter().enumerate() {
            let joint = self.joint_of(frame);
            let of_joint = |joint: usize| relative(&rests[index[joint] as usize], &of.rest);
            let in_link = match (joint, of.above.filter(|_| !self.carrier.contains_key(&frame))) {
                (Some(joint), None) if self.specs[joint].is_link => Pose::IDENTITY,
                // Frames come after those above them.
                (Some(joint), Some(above)) => match of.in_above {
                    Some(place) => places[above].in_link.after(&place),
                    None => of_joint(joint),
                },
                (Some(joint), None) => of_joint(joint),
                (None, _) => of.rest,
            };
            places.push(Placed {
                joint: joint.map(|joint| index[joint]),
                in_link,
                rest: of.rest,
                stands: self.stands(frame),
            });
        }
        let columns: Vec<u32> = columns.into_iter().map(|joint| index[joint]).collect();
        let AllowedValues { allowed, narrowed } = self.allowed(source, &order, &joints, &columns)?;
        let homes = columns.iter().map(|&joint| self.specs[order[joint as usize]].home).collect();
        let written = order.iter().map(|&joint| self.specs[joint].written_name().to_owned()).collect();
        let of_body = self.frames.of_body;
        Ok(PlacedJoints { joints, written, columns, homes, allowed, narrowed, places, of_body })
    }

    /// Least and greatest value of each column: in the range of its joint and of all that follow
    /// it, and such that none goes beyond what values may be. Returns the columns that followers
    /// narrow, as pairs of follower and leader.
    ///
    /// # Errors
    /// A range that goes beyond that, or ranges that have no value in common.
    fn allowed(
        &self,
        source: &SceneSource<'_>,
        order: &[usize],
        joints: &[Joint],
        columns: &[u32],
    ) -> Result<AllowedValues> {
        let beyond = |joint: usize, what: &str| {
            let (spec, most) = (&self.specs[order[joint]], joints[joint].kind.largest_value());
            let unit = if joints[joint].kind.turns() { "rad" } else { "m" };
            let problem = format!("{what} of the joint `{}` go beyond {most:e} {unit}", spec.name);
            Err(Error::input(source.place(spec.at), problem, "give a smaller range, or a smaller ratio of `mimic`"))
        };
        let of_column = |&own: &u32| {
            let (joint, most) = (&joints[own as usize], joints[own as usize].kind.largest_value());
            joint.range.filter(|_| self.specs[order[own as usize]].is_limited).unwrap_or([-most, most])
        };
        let mut allowed: Vec<[f64; 2]> = columns.iter().map(of_column).collect();
        let mut narrowed = Vec::new();
        // Each joint with a value, be it its own or that of another.
        for (at, joint) in joints.iter().enumerate() {
            let JointValue::Column { column, ratio, offset } = joint.value else { continue };
            let most = joint.kind.largest_value();
            if !(ratio.is_finite() && offset.abs() <= most) {
                return beyond(at, "values");
            }
            if ratio == 0.0 {
                continue;
            }
            let [least, greatest] = followed([-most, most], ratio, offset);
            let range = joints[columns[column as usize] as usize].range;
            if range.is_some_and(|range| range[0] < least || range[1] > greatest) {
                return beyond(at, "values in the range");
            }
            let leader = columns[column as usize];
            let of_column = &mut allowed[column as usize];
            *of_column = [of_column[0].max(least), of_column[1].min(greatest)];
            let own = joint.range.filter(|_| leader as usize != at && self.specs[order[at]].is_limited);
            let Some(limits) = own.map(|range| followed(range, ratio, offset)) else { continue };
            let slack = |end: f64| RANGE_SLACK * (1.0 + end.abs());
            if of_column[0] < limits[0] - slack(limits[0]) || of_column[1] > limits[1] + slack(limits[1]) {
                narrowed.push([at as u32, leader]);
                *of_column = [of_column[0].max(limits[0]), of_column[1].min(limits[1])];
            }
            if of_column[0] > of_column[1] {
                let (spec, leader) = (&self.specs[order[at]], &joints[leader as usize].name);
                let problem = format!("no value of `{leader}` leaves `{}`, which follows it, in its range", spec.name);
                let remedy = "correct the ranges of both, or the ratio and the offset of `mimic`";
                return Err(Error::input(source.place(spec.at), problem, remedy));
            }
        }
        Ok(AllowedValues { allowed, narrowed })
    }

    /// Whether a value belongs to a joint that turns without limits, or that follows one.
    fn turns_freely(&self, value: JointValue, columns: &[usize]) -> bool {
        let JointValue::Column { column, .. } = value else { return false };
        let leader = &self.specs[columns[column as usize]];
        leader.kind == JointKind::Revolute && !(leader.is_limited && leader.range.is_some())
    }

    /// Source of each joint's value: its own column, or that of the joint that it follows. Linear
    /// time.
    ///
    /// # Errors
    /// A `mimic` of what is no joint, is fixed, or follows in turn.
    fn values(&self, source: &SceneSource<'_>, columns: &[usize]) -> Result<Vec<JointValue>> {
        let numbers: HashMap<&str, usize> = self.specs.iter().map(|spec| &*spec.name).zip(0..).collect();
        let mut values: Vec<Option<JointValue>> = vec![None; self.specs.len()];
        for joint in (0..self.specs.len()).filter(|&joint| self.specs[joint].kind == JointKind::Fixed) {
            values[joint] = Some(JointValue::None);
        }
        for (&joint, column) in columns.iter().zip(0..) {
            values[joint] = Some(JointValue::Column { column, ratio: 1.0, offset: 0.0 });
        }
        for joint in 0..self.specs.len() {
            let (mut way, mut at) = (Vec::new(), joint);
            while values[at].is_none() {
                if way.len() > self.specs.len() {
                    return Err(self.follows_itself(source, joint));
                }
                way.push(at);
                at = self.leader(source, &numbers, at)?;
            }
            for at in way.into_iter().rev() {
                // Joints that follow no other one are known already.
                let Some(mimic) = &self.specs[at].mimic else { continue };
                values[at] = match values[numbers[&*mimic.joint]] {
                    Some(JointValue::Column { column, ratio, offset }) => Some(JointValue::Column {
                        column,
                        ratio: mimic.ratio * ratio,
                        offset: mimic.ratio * offset + mimic.offset,
                    }),
                    of_leader => of_leader,
                };
            }
        }
        let lost = || Error::internal("joints", "a joint lost its column");
        values.into_iter().map(|value| value.ok_or_else(lost)).collect()
    }

    /// The joint that a joint follows.
    fn leader(&self, source: &SceneSource<'_>, numbers: &HashMap<&str, usize>, joint: usize) -> Result<usize> {
        let lost = || Error::internal("joints", "a joint lost its column");
        let mimic = self.specs[joint].mimic.as_ref().ok_or_else(lost)?;
        let error = |problem: String, remedy: &str| Err(Error::input(source.place(mimic.at), problem, remedy));
        let Some(&leader) = numbers.get(&*mimic.joint) else {
            let others = self.specs.iter().zip(0..).filter(|&(spec, at)| at != joint && spec.kind != JointKind::Fixed);
            let remedy = match nearest(&mimic.joint, others.map(|(spec, _)| &*spec.name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "name a joint of the scene".to_owned(),
            };
            return error(format!("`{}` is no joint", mimic.joint), &remedy);
        };
        if self.specs[leader].kind == JointKind::Fixed {
            let problem = format!("`{}` is fixed, and has no value to be followed", mimic.joint);
            return error(problem, "name a joint that moves");
        }
        Ok(leader)
    }

    fn follows_itself(&self, source: &SceneSource<'_>, joint: usize) -> Error {
        let spec = &self.specs[joint];
        let at = spec.mimic.as_ref().map_or(spec.at, |mimic| mimic.at);
        let by = if spec.mimic.as_ref().is_some_and(|mimic| mimic.joint == spec.name) { "" } else { ", by others" };
        let problem = format!("the joint `{}` follows itself{by}", spec.name);
        Error::input(source.place(at), problem, "remove `mimic` from one of them")
    }
}

/// Values that the ranges of all joints leave.
struct AllowedValues {
    /// Least and greatest value, by column.
    allowed: Vec<[f64; 2]>,
    /// Followers whose limits narrow them, each with its leader.
    narrowed: Vec<[u32; 2]>,
}

/// Values of a leader that keep `ratio v + offset` in a range; `ratio` is not 0.
fn followed(range: [f64; 2], ratio: f64, offset: f64) -> [f64; 2] {
    let ends = range.map(|end| (end - offset) / ratio);
    [ends[0].min(ends[1]), ends[0].max(ends[1])]
}

/// The place of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    /// The joint whose link it belongs to; `None`: none carries it.
    pub(super) joint: Option<u32>,
    /// Pose in that link, metres.
    pub(super) in_link: Pose,
    /// Pose in the world at rest, metres.
    pub(super) rest: Pose,
    /// Whether it stands in the world.
    pub(super) stands: bool,
}

/// Joints in order, and where the frames are.
pub(super) struct PlacedJoints {
    pub(super) joints: Vec<Joint>,
    /// The name of each joint as it is written: one of several values is several joints here.
    pub(super) written: Vec<String>,
    /// The joint of each column of values.
    pub(super) columns: Vec<u32>,
    /// Value of each column where nothing else gives one.
    pub(super) homes: Vec<Option<f64>>,
    /// Least and greatest value of each column.
    pub(super) allowed: Vec<[f64; 2]>,
    /// Joints whose limits narrow the values of the one that they follow: each with that one.
    pub(super) narrowed: Vec<[u32; 2]>,
    places: Vec<Placed>,
    of_body: Vec<usize>,
}

impl PlacedJoints {
    /// The place of a body.
    pub(super) fn body(&self, body: u32) -> Placed {
        self.places[self.of_body[body as usize]]
    }

    /// Whether a joint or one that carries it moves.
    pub(super) fn moves(&self, joint: u32) -> bool {
        self.way(joint).any(|joint| joint.value != JointValue::None)
    }

    /// The nearest joint that moves, from a joint on towards the world; else the outermost.
    pub(super) fn moved_with(&self, joint: u32) -> u32 {
        let mut at = joint;
        while self.joints[at as usize].value == JointValue::None
            && let Some(parent) = self.joints[at as usize].parent
        {
            at = parent;
        }
        at
    }

    fn way(&self, joint: u32) -> impl Iterator<Item = &Joint> {
        std::iter::successors(Some(&self.joints[joint as usize]), |joint| Some(&self.joints[joint.parent? as usize]))
    }

    /// Least and greatest value over which a joint with a column is swept; `None`: it has no range.
    pub(super) fn sweep_range(&self, joint: &Joint) -> Option<[f64; 2]> {
        let (range, [least, greatest]) = (joint.range?, self.allowed[self.column(joint)? as usize]);
        Some([range[0].max(least), range[1].min(greatest)])
    }

    /// The column of a joint's own value.
    pub(super) fn column(&self, joint: &Joint) -> Option<u32> {
        match joint.value {
            JointValue::Column { column, .. } => Some(column),
            JointValue::None => None,
        }
    }

    /// The joint of a name that has a value of its own, or what is wrong and the remedy. `keys`:
    /// the other keys of a table in which the name is one; `None`: it is a value.
    pub(super) fn column_named(&self, name: &str, keys: Option<&[&str]>) -> std::result::Result<u32, (String, String)> {
        let of = |&joint: &u32| &*self.joints[joint as usize].name;
        if let Some(&found) = self.columns.iter().find(|joint| of(joint) == name) {
            return Ok(found);
        }
        // The last part of NAME/JOINT is enough if one joint has it.
        let ends = |joint: &&u32| of(joint).strip_suffix(name).is_some_and(|above| above.ends_with('/'));
        let mut short = self.columns.iter().filter(ends);
        if let (Some(&found), None) = (short.next(), short.next()) {
            return Ok(found);
        }
        if self.joints.iter().any(|joint| joint.name == name) {
            let remedy = "name the joint that it follows, or remove its `mimic`".to_owned();
            return Err((format!("`{name}` has no value of its own: it is fixed, or follows another joint"), remedy));
        }
        let known = self.columns.iter().map(of).chain(keys.into_iter().flatten().copied());
        let remedy = match nearest(name, known) {
            Some(near) if keys.is_some() => {
                const BETWEEN: &str = "` or `";
                let keys: Vec<String> = near.split(BETWEEN).map(as_key).collect();
                format!("did you mean `{}`?", keys.join(BETWEEN))
            }
            Some(near) => format!("did you mean `{near}`?"),
            None => "name a joint of the scene".to_owned(),
        };
        Err((format!("`{name}` is no joint"), remedy))
    }
}

/// A name as TOML writes it before `=`.
fn as_key(name: &str) -> String {
    let is_bare = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_bare { name.to_owned() } else { toml_text(name) }
}

/// A frame in the world from its place in another one; positions keep their low parts.
fn in_frame(world_from_frame: &Pose, place: &Pose) -> Pose {
    let turned = Pose { q: world_from_frame.q, ..Pose::IDENTITY }.after(place);
    let sum = Pose { position: world_from_frame.position, ..Pose::IDENTITY };
    Pose { position: sum.position + turned.position, rest: low_part(sum.position, turned.position), q: turned.q }
}

/// Returns the rounding error of the sum of two vectors (Knuth, TwoSum).
fn low_part(a: Vec3<f64>, b: Vec3<f64>) -> Vec3<f64> {
    let of = |a: f64, b: f64| {
        let sum = a + b;
        let from_b = sum - a;
        (a - (sum - from_b)) + (b - from_b)
    };
    Vec3::new(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z))
}

/// A frame in another one, both in the world: the difference of the positions comes first, so that
/// a common offset costs nothing.
fn relative(from: &Pose, to: &Pose) -> Pose {
    let away = (to.position - from.position) + (to.rest - from.rest);
    let back = Pose { q: from.q, ..Pose::IDENTITY }.inverse();
    back.after(&Pose { position: away, rest: Vec3::ZERO, q: to.q })
}
