//! `[[robot]]`: links and joints of a robot description as bodies, frames and joints of the scene.

use super::robot_files;
use super::robot_shapes::{largest, largest_length, primitive};
use super::spec::{JointSpec, MimicSpec};
use super::wide;
use crate::body_spec::{BodySpec, GeometryOptions, GeometrySpec, Growth, RestSpec, pose_at};
use crate::digest::InputReader;
use crate::ignore::IgnoreSpec;
use crate::keys::{Keys, SceneSource};
use crate::length::MAX_LENGTH_M;
use crate::readers;
use crate::selectors::Selector;
use crate::shapes::{ShapePart, ShapeSpec};
use clearsweep_base::error::{Error, Result};
use clearsweep_base::text::toml_text;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_input_guard::MAX_NAME;
use clearsweep_kinematics::JointKind;
use clearsweep_model::{DeviationSource, GeometryNote, LengthUnit, Model};
use clearsweep_robot::{Collision, CollisionShape, Line, PackageFolder, Robot};
use std::collections::{HashMap, HashSet};
use std::f64::consts::PI;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A link of a robot, as a frame.
#[derive(Debug, Clone)]
pub(in crate::joints) struct LinkFrame {
    pub(in crate::joints) name: String,
    /// In the world at rest, metres.
    pub(in crate::joints) rest: Pose,
    /// Whether no joint of the robot carries it.
    pub(in crate::joints) is_root: bool,
}

/// A body of a link.
#[derive(Debug, Clone)]
pub(in crate::joints) struct LinkBody {
    pub(in crate::joints) spec: BodySpec,
    /// The link, an index among all.
    pub(in crate::joints) link: usize,
    /// Pose of its frame in the link's frame, metres.
    pub(in crate::joints) place: Pose,
}

/// Facts about a robot for code that looks up its links.
#[derive(Debug)]
pub(super) struct RobotFacts {
    pub(super) name: String,
    pub(super) own_name: String,
    /// Names of its links in the description, and the index of the first among all.
    pub(super) links: (usize, Vec<String>),
    pub(super) joined: Vec<[usize; 2]>,
}

/// Everything that the robots of a scene add to it.
#[derive(Debug, Default)]
pub(super) struct Robots {
    pub(in crate::joints) links: Vec<LinkFrame>,
    pub(in crate::joints) bodies: Vec<LinkBody>,
    pub(in crate::joints) joints: Vec<JointSpec>,
    pub(super) facts: Vec<RobotFacts>,
    pub(super) ignores: Vec<IgnoreSpec>,
    pub(super) notes: Vec<(PathBuf, GeometryNote)>,
    /// Error of the first robot without collision geometry, if the scene has no body either.
    pub(super) bare: Option<Error>,
}

/// Reads the robots of a scene file.
///
/// # Errors
/// A key, a description or a file of it that does not fit.
pub(super) fn robots(
    source: &SceneSource<'_>,
    top: &Keys<'_>,
    unit: LengthUnit,
    inputs: &mut InputReader,
) -> Result<Robots> {
    let mut all = Robots::default();
    let mut names: HashSet<String> = HashSet::new();
    for ((at, table), number) in top.tables("robot")?.into_iter().zip(1..) {
        let keys = Keys::new(source, format!("[[robot]] number {number}"), table, at);
        let robot = RobotReader::new(&keys, unit, inputs)?;
        if names.contains(&robot.name) {
            let problem = format!("two robots are called `{}`", robot.name);
            return Err(keys.error(problem, "give each [[robot]] a `name` of its own"));
        }
        robot.add(&mut all, inputs)?;
        names.insert(robot.name);
    }
    Ok(all)
}

/// One robot while it is lowered.
struct RobotReader<'k> {
    keys: &'k Keys<'k>,
    path: PathBuf,
    robot: Robot,
    name: String,
    base: Pose,
    model: Option<Model>,
    packages: Vec<PackageFolder>,
    /// Pairs of links that are left out, with reasons.
    disabled: Vec<([usize; 2], String)>,
    /// Names in the SRDF that the robot does not have.
    srdf_notes: Vec<(PathBuf, GeometryNote)>,
    has_limits: bool,
    /// Whether bodies that move freely have six values each.
    has_free: bool,
}

impl<'k> RobotReader<'k> {
    fn new(keys: &'k Keys<'k>, unit: LengthUnit, inputs: &mut InputReader) -> Result<Self> {
        keys.only(&[
            "urdf",
            "mjcf",
            "srdf",
            "name",
            "position",
            "orientation",
            "packages",
            "model",
            "adjacent",
            "limits",
            "free",
        ])?;
        let (path, robot) = match (keys.get("urdf"), keys.get("mjcf")) {
            (Some(urdf), None) => {
                let (path, text) = robot_files::named(&urdf, inputs)?;
                let robot = clearsweep_robot::read_urdf(&path, &text)?;
                (path, robot)
            }
            (None, Some(mjcf)) => {
                let (path, text) = robot_files::named(&mjcf, inputs)?;
                let mut include = |file: &str| robot_files::included(&path.with_file_name(file), inputs);
                let robot = clearsweep_robot::read_mjcf(&path, &text, &mut include)?;
                (path, robot)
            }
            (Some(_), Some(mjcf)) => {
                return Err(mjcf.error("the robot has both a `urdf` and a `mjcf`", "remove one of them"));
            }
            (None, None) => {
                return Err(keys.error("the robot names no description", "add `urdf = \"FILE\"` or `mjcf = \"FILE\"`"));
            }
        };
        let name = keys
            .get("name")
            .map(|name| name.text().map(str::to_owned))
            .transpose()?
            .unwrap_or_else(|| robot.name.clone());
        let words = Model::ALL.map(|model| (model.name(), model));
        let flag = |key: &str, otherwise: bool| {
            keys.get(key).map(|word| word.boolean()).transpose().map(|word| word.unwrap_or(otherwise))
        };
        let folder = keys.source.path().parent().unwrap_or(Path::new(""));
        let packages = keys.get("packages").map(|field| field.texts()).transpose()?.unwrap_or_default();
        let mut disabled: Vec<([usize; 2], String)> = Vec::new();
        if flag("adjacent", true)? {
            let neighbours = robot.neighbours().ok_or_else(|| {
                let problem = format!("{}: more than a million pairs of links are neighbours", path.display());
                keys.error(problem, "add `adjacent = false`, and `[[ignore]]` for what touches by construction")
            })?;
            disabled.extend(neighbours.into_iter().map(|pair| (pair.links, pair.reason.to_owned())));
        }
        let index = |name: &str| robot.links.iter().position(|link| link.name == name);
        let excluded =
            robot.excluded.iter().filter_map(|pair| Some(([index(&pair.a)?, index(&pair.b)?], pair.reason.clone())));
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        disabled.extend(excluded.map(|(pair, reason)| (pair, because(&file, reason))));
        let mut srdf_notes = Vec::new();
        if let Some(field) = keys.get("srdf") {
            let (path, text) = robot_files::named(&field, inputs)?;
            let srdf = clearsweep_robot::read_srdf(&path, &text)?;
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let enabled = srdf.enabled_pairs(&robot);
            disabled.retain(|([a, b], _)| !enabled.contains(&[*a.min(b), *a.max(b)]));
            let (pairs, notes) = srdf.disabled_pairs(&robot);
            let remedy = "if the SRDF is another robot's, give that of this one";
            srdf_notes.extend(notes.into_iter().map(|note| {
                let problem = format!("line {}: {}", note.line, note.text);
                (path.clone(), GeometryNote { kind: "robot", problem, remedy })
            }));
            disabled.extend(pairs.into_iter().map(|pair| {
                let names = pair.map(|link| robot.links[link].name.as_str());
                let same =
                    |rule: &&clearsweep_robot::LinkPair| [[&*rule.a, &*rule.b], [&*rule.b, &*rule.a]].contains(&names);
                (pair, because(&file, srdf.disabled.iter().find(same).and_then(|rule| rule.reason.clone())))
            }));
        }
        Ok(Self {
            path,
            name,
            base: pose_at(keys, unit)?,
            model: keys.get("model").map(|word| word.choice(&words)).transpose()?,
            packages: packages.into_iter().map(|package| robot_files::package(folder.join(package), inputs)).collect(),
            disabled,
            srdf_notes,
            has_limits: flag("limits", true)?,
            has_free: flag("free", false)?,
            robot,
            keys,
        })
    }

    /// Refuses names and lengths that no scene may have.
    fn check(&self) -> Result<()> {
        let fault = |line: &Line, problem: String, remedy: String| Err(Error::input(line, problem, remedy));
        let (links, joints) = (&self.robot.links, &self.robot.joints);
        let named = links.iter().map(|link| (&link.line, &link.name));
        let mut named = named.chain(joints.iter().map(|joint| (&joint.line, &joint.name)));
        if let Some((line, name)) = named.find(|(_, name)| self.name.len() + 1 + name.len() > MAX_NAME) {
            let problem =
                format!("the name has {} bytes with that of the robot: `{name}`", self.name.len() + 1 + name.len());
            return fault(line, problem, format!("give it a name of at most {MAX_NAME} bytes with NAME/ before it"));
        }
        let collisions = links.iter().flat_map(|link| &link.collisions);
        let placed = collisions.map(|collision| (&collision.line, largest_length(collision)));
        let joints = joints.iter().map(|joint| (&joint.line, largest(&joint.place.position)));
        let roots = links.iter().map(|link| (&link.line, largest(&link.place.position)));
        match placed.chain(joints).chain(roots).find(|(_, length)| *length > MAX_LENGTH_M) {
            Some((line, length)) => {
                let problem = format!("a length is {length:e} m, more than {MAX_LENGTH_M:e} m");
                fault(line, problem, "correct the number: robot descriptions are in metres".to_owned())
            }
            None => Ok(()),
        }
    }

    /// Adds what it is to all robots.
    fn add(&self, all: &mut Robots, inputs: &mut InputReader) -> Result<()> {
        self.check()?;
        let first = all.links.len();
        let full = |name: &str| format!("{}/{name}", self.name);
        let rests = self.rests();
        let children: HashSet<usize> =
            self.robot.joints.iter().map(|joint| joint.child).chain(self.free().map(|(link, _)| link)).collect();
        for (index, link) in self.robot.links.iter().enumerate() {
            all.links.push(LinkFrame {
                name: full(&link.name),
                rest: rests[index],
                is_root: !children.contains(&index),
            });
        }
        let mut of_link: Vec<Vec<String>> = vec![Vec::new(); self.robot.links.len()];
        for (index, link) in self.robot.links.iter().enumerate() {
            for body in self.bodies(index, &full(&link.name), &rests[index], inputs, &mut all.notes)? {
                of_link[index].push(body.spec.name.clone());
                all.bodies.push(LinkBody { link: first + index, ..body });
            }
        }
        if of_link.iter().all(Vec::is_empty) && all.bare.is_none() {
            all.bare = Some(self.bare());
        }
        for joint in &self.robot.joints {
            let mimic = joint.mimic.map(|mimic| MimicSpec {
                joint: full(&self.robot.joints[mimic.joint].name),
                ratio: mimic.ratio,
                offset: mimic.offset,
                at: self.keys.at,
            });
            let kind = match joint.kind {
                clearsweep_robot::JointKind::Fixed => JointKind::Fixed,
                clearsweep_robot::JointKind::Prismatic => JointKind::Prismatic,
                _ => JointKind::Revolute,
            };
            let is_continuous = joint.kind == clearsweep_robot::JointKind::Continuous;
            // A continuous joint has a range for sweeps alone.
            let limits = joint.range.filter(|range| self.has_limits && are_limits(kind, *range));
            let spec = JointSpec {
                name: full(&joint.name),
                kind,
                parent: Some((full(&self.robot.links[joint.parent].name), self.keys.at)),
                child: (full(&self.robot.links[joint.child].name), self.keys.at),
                place: pose(&joint.place),
                axis: Vec3::from(joint.axis),
                range: limits.or(is_continuous.then_some([-PI, PI])),
                is_limited: !is_continuous,
                mimic,
                is_link: true,
                link: None,
                home: None,
                at: self.keys.at,
            };
            match joint.kind {
                clearsweep_robot::JointKind::Planar => all.joints.extend(wide::planar(&spec)),
                clearsweep_robot::JointKind::Floating => all.joints.extend(wide::floating(&spec, None)),
                _ => all.joints.push(spec),
            }
        }
        all.joints.extend(self.free().flat_map(|(link, name)| self.free_joint(link, name)));
        all.facts.push(RobotFacts {
            name: self.name.clone(),
            own_name: self.robot.name.clone(),
            links: (first, self.robot.links.iter().map(|link| link.name.clone()).collect()),
            joined: self.robot.joined(),
        });
        self.add_ignores(&of_link, all);
        self.note_degrees(all);
        let file = || self.path.clone();
        let remedy = "see the description of the robot";
        let note = |note: &clearsweep_robot::Note| {
            let problem = format!("line {}: {}", note.line, note.text);
            (file(), GeometryNote { kind: "robot", problem, remedy })
        };
        all.notes.extend(self.robot.notes.iter().map(note));
        all.notes.extend(self.held().map(|problem| (file(), GeometryNote { kind: "robot", problem, remedy })));
        all.notes.extend(self.srdf_notes.iter().cloned());
        Ok(())
    }

    /// Bodies that move freely and have values, each with the name of its joint.
    fn free(&self) -> impl Iterator<Item = (usize, &str)> {
        let links = self.robot.links.iter().enumerate().filter(|_| self.has_free);
        links.filter_map(|(index, link)| Some((index, link.free.as_deref()?)))
    }

    /// Notes on bodies that move freely and have no values.
    fn held(&self) -> impl Iterator<Item = String> {
        let links = self.robot.links.iter().filter(|link| link.free.is_some() && !self.has_free);
        links.map(|link| {
            format!(
                "line {}: body `{}` moves freely: it stays where the file puts it, unless `free = true` of the \
                 [[robot]] gives it six values, or a joint of the scene carries it",
                link.line.number, link.name
            )
        })
    }

    /// The six joints of a body that moves freely: its pose in the robot's frame.
    fn free_joint(&self, link: usize, name: &str) -> Vec<JointSpec> {
        let full = |name: &str| format!("{}/{name}", self.name);
        let (link, world) = (&self.robot.links[link], self.robot.world.unwrap_or(0));
        let spec = JointSpec {
            name: full(name),
            kind: JointKind::Fixed,
            parent: Some((full(&self.robot.links[world].name), self.keys.at)),
            child: (full(&link.name), self.keys.at),
            place: Pose::IDENTITY,
            axis: Vec3::new(0.0, 0.0, 1.0),
            range: None,
            is_limited: false,
            mimic: None,
            is_link: true,
            link: None,
            home: None,
            at: self.keys.at,
        };
        wide::floating(&spec, Some(&pose(&link.place)))
    }

    /// The error of a robot without collision geometry.
    fn bare(&self) -> Error {
        let problem = format!(
            "the scene has no bodies: the robot `{}` has no collision geometry, and visual geometry is not read",
            self.name
        );
        let link = self.robot.links.last().map_or("", |link| &link.name);
        let parent = toml_text(&format!("{}/{link}", self.name));
        let remedy = format!(
            "give its links collision geometry in {}, or add a `[[body]]`, and a `[[joint]]` whose `child` it is and \
             whose parent is a link, such as `parent = {parent}`",
            self.path.display()
        );
        self.keys.error(problem, remedy)
    }

    /// Notes a limit that looks like degrees in place of the radians of URDF.
    fn note_degrees(&self, all: &mut Robots) {
        // Four turns.
        const MOST: f64 = 8.0 * PI;
        if self.keys.get("urdf").is_none() || !self.has_limits {
            return;
        }
        let turns = |joint: &&clearsweep_robot::Joint| joint.kind == clearsweep_robot::JointKind::Revolute;
        for joint in self.robot.joints.iter().filter(turns) {
            let Some([least, greatest]) = joint.range.filter(|range| range.iter().any(|end| end.abs() > MOST)) else {
                continue;
            };
            let name = &joint.name;
            let limits = format!("the limits of the joint `{name}`, {least} to {greatest} rad, are");
            let [problem, remedy] = match are_limits(JointKind::Revolute, [least, greatest]) {
                true => [" more than four turns", "URDF has radians: correct the limits if these are degrees"],
                false => {
                    [" beyond all values, and count as none", "write `type=\"continuous\"` for a joint without limits"]
                }
            };
            let problem = limits + problem;
            all.notes.push((self.path.clone(), GeometryNote { kind: "robot", problem, remedy }));
        }
    }

    /// The rules for the pairs of links that are left out, each pair once.
    fn add_ignores(&self, of_link: &[Vec<String>], all: &mut Robots) {
        let mut seen: HashMap<[usize; 2], ()> = HashMap::new();
        for ([a, b], reason) in &self.disabled {
            let key = [*a.min(b), *a.max(b)];
            if a == b || seen.insert(key, ()).is_some() {
                continue;
            }
            for one in &of_link[*a] {
                for other in &of_link[*b] {
                    let selector = |name: &String| Some(Selector::of_text(name, self.keys.at));
                    let reason = Some(reason.clone());
                    all.ignores.push(IgnoreSpec {
                        a: selector(one),
                        b: selector(other),
                        same: None,
                        reason,
                        at: self.keys.at,
                    });
                }
            }
        }
    }

    /// The frames of the links in the world while all values are zero. A root is where the
    /// description puts it, unless it has values.
    fn rests(&self) -> Vec<Pose> {
        let mut rests: Vec<Option<Pose>> = vec![None; self.robot.links.len()];
        let parents: HashMap<usize, (usize, Pose)> =
            self.robot.joints.iter().map(|joint| (joint.child, (joint.parent, pose(&joint.place)))).collect();
        for link in 0..rests.len() {
            // From the link up to one that is known or a root, and down again.
            let (mut way, mut at) = (Vec::new(), link);
            while rests[at].is_none() {
                way.push(at);
                match parents.get(&at) {
                    Some(&(parent, _)) => at = parent,
                    None => break,
                }
            }
            for at in way.into_iter().rev() {
                rests[at] = Some(match parents.get(&at) {
                    Some(&(parent, place)) => rests[parent].unwrap_or(self.base).after(&place),
                    None if self.has_free && self.robot.links[at].free.is_some() => self.base,
                    None => self.base.after(&pose(&self.robot.links[at].place)),
                });
            }
        }
        rests.into_iter().map(|rest| rest.unwrap_or(self.base)).collect()
    }

    /// The bodies of a link: one of all its primitives, and one of each mesh.
    fn bodies(
        &self,
        link: usize,
        name: &str,
        rest: &Pose,
        inputs: &mut InputReader,
        notes: &mut Vec<(PathBuf, GeometryNote)>,
    ) -> Result<Vec<LinkBody>> {
        let mut bodies: Vec<LinkBody> = Vec::new();
        let mut parts = Vec::new();
        for collision in &self.robot.links[link].collisions {
            let place = pose(&collision.place);
            if let CollisionShape::Mesh { file, scale } = &collision.shape {
                let geometry = self.mesh(collision, file, *scale, inputs, notes)?;
                bodies.push(self.body(name, bodies.len(), (rest, place), geometry));
                continue;
            }
            parts.push(ShapePart { shape: primitive(&collision.shape), matrix: None, place });
        }
        if !parts.is_empty() {
            let (place, shape) = match parts.as_slice() {
                [ShapePart { shape, place, .. }] => (*place, shape.clone()),
                _ => (Pose::IDENTITY, ShapeSpec::Parts(parts)),
            };
            bodies.push(self.body(name, bodies.len(), (rest, place), GeometrySpec::Shape(Arc::new(shape))));
        }
        Ok(bodies)
    }

    fn body(&self, name: &str, number: usize, (rest, place): (&Pose, Pose), geometry: GeometrySpec) -> LinkBody {
        let at = self.keys.origin();
        let name = if number == 0 { name.to_owned() } else { format!("{name}/{number}") };
        let deviation_source = match geometry {
            GeometrySpec::Shape(_) => DeviationSource::Exact,
            _ => DeviationSource::Unknown,
        };
        let spec = BodySpec {
            name,
            at: at.clone(),
            geometry,
            geometry_at: at,
            growth: Growth { offset: 0.0, deviation: 0.0 },
            deviation_source,
            groups: vec![self.name.clone()].into(),
            pose: None,
            rest: Some(Box::new(RestSpec { pose: rest.after(&place), written: None, fault: None })),
            pose_steps: Default::default(),
            pivot: None,
            bounds: Default::default(),
            id: None,
            node: None,
        };
        LinkBody { spec, link: 0, place }
    }

    /// The geometry of a mesh; one that is scaled unevenly or mirrored is read here.
    fn mesh(
        &self,
        collision: &Collision,
        file: &str,
        scale: [f64; 3],
        inputs: &mut InputReader,
        notes: &mut Vec<(PathBuf, GeometryNote)>,
    ) -> Result<GeometrySpec> {
        let at_line = |error: Error| Error { place: collision.line.to_string(), ..error };
        let found = clearsweep_robot::resolve(file, &self.path, &self.packages).map_err(at_line)?;
        let reading =
            GeometryOptions { unit: LengthUnit::ALL[0], scale: 1.0, y_up: false, model: self.model, inside: None };
        if scale[0] > 0.0 && scale.iter().all(|&factor| factor == scale[0]) {
            let folder = self.keys.source.path().parent().unwrap_or(Path::new(""));
            // Paths of bodies are relative to the scene file.
            let path = match found.strip_prefix(folder) {
                Ok(below) if !folder.as_os_str().is_empty() => below.to_path_buf(),
                _ => std::path::absolute(&found).unwrap_or(found),
            };
            let path = path.to_string_lossy().into();
            return Ok(GeometrySpec::File {
                path,
                scene: None,
                reading: GeometryOptions { scale: scale[0], ..reading },
            });
        }
        let fault = |fault: readers::Fault| {
            let place =
                fault.line.map_or_else(|| found.display().to_string(), |line| format!("{}:{line}", found.display()));
            Error::input(format!("{place} (collision of {})", collision.line), fault.problem, fault.remedy)
        };
        readers::check_extension(&found).map_err(fault)?;
        let bytes = inputs.read(&found).map_err(|error| Error::unreadable(&found, &error))?;
        let (mut mesh, told) = readers::read_with_companions(&found, bytes, None, inputs).map_err(fault)?;
        // Links that share a file share its notes.
        let told = told.into_iter().map(|note| (found.clone(), note));
        let new: Vec<_> = told.filter(|note| !notes.contains(note)).collect();
        notes.extend(new);
        for vertex in &mut mesh.vertices {
            *vertex = std::array::from_fn(|axis| vertex[axis] * scale[axis]);
        }
        if scale.iter().product::<f64>() < 0.0 {
            mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let largest = scale.iter().fold(0.0_f64, |most, factor| most.max(factor.abs()));
        mesh.coordinate_step *= largest;
        mesh.warped.iter_mut().for_each(|(_, warp)| *warp *= largest);
        Ok(GeometrySpec::Part { mesh: Arc::new(mesh), file: Arc::from(found), reading })
    }
}

/// Whether ends of a range are values that a joint may have. A file that has none writes 1e16.
fn are_limits(kind: JointKind, range: [f64; 2]) -> bool {
    range.iter().all(|end| end.abs() <= kind.largest_value())
}

/// A place of a robot description.
fn pose(place: &clearsweep_robot::Place) -> Pose {
    Pose::new(place.position, place.orientation)
}

fn because(file: &str, reason: Option<String>) -> String {
    reason.map_or_else(|| format!("disabled by {file}"), |reason| format!("disabled by {file}: {reason}"))
}
