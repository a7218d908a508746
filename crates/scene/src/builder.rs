//! A scene built in code.
//!
//! The builder lowers its values to what a scene file is lowered to, by the same checks of each
//! key. Places in errors name the key instead of a line.

use super::body_spec::{BodySpec, GeometrySpec, body};
use super::digest::sha256;
use super::each::MadeOfFiles;
use super::file::{BodyList, Head, Query, SceneFile, WorkList, frame_rate, query};
use super::ignore::IgnoreSpec;
use super::joints::JointSpecs;
use super::keys::{Keys, SceneSource};
use super::load::{IN_CODE, assemble, load_scene};
use super::motion_spec::{MotionSpec, tolerance};
use super::rules::{self, RuleSpec};
use super::selectors::Selector;
use super::values::Value;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::Inside;
use clearsweep_geometry::Vec3;
use clearsweep_model::{
    AnswerKind, BetweenFrames, Expected, LengthUnit, Missing, Model, Pivot, Scene, SceneOverrides, SearchOptions,
    Shape, TrajectoryColumns,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;
use toml::de::DeValue;

/// A scene in code: bodies, ignore rules and query options, with the meaning of the same keys of a
/// scene file.
///
/// Lengths are in [`SceneBuilder::length_unit`], metres unless it is called; so are positions of
/// trajectories without a unit of their own, and geometry files that have none.
#[derive(Debug, Clone)]
#[must_use]
pub struct SceneBuilder {
    name: Option<String>,
    unit: LengthUnit,
    trajectories: Option<PathBuf>,
    /// Role, name and unit of columns.
    columns: Vec<(String, String, Option<String>)>,
    missing: Missing,
    frame_rate: Option<f64>,
    within: f64,
    require: Option<f64>,
    /// `None`: the default of a scene file, which is in metres, whatever the unit.
    touch: Option<f64>,
    answer: AnswerKind,
    contacts: bool,
    /// The tolerance in the unit of the scene.
    motion: MotionSpec,
    static_pairs: bool,
    direction: Option<[f64; 3]>,
    search: SearchOptions,
    bodies: Vec<BodyBuilder>,
    ignores: Vec<(String, Option<String>)>,
    rules: Vec<RuleOfCode>,
    max_input: Option<u64>,
}

/// A rule in code.
#[derive(Debug, Clone)]
struct RuleOfCode {
    name: String,
    a: String,
    b: Option<String>,
    require: f64,
    severity: Option<String>,
    /// The direction and the footprint.
    free_length: Option<([f64; 3], f64)>,
    /// The moment, and by how much a pair has to be nearer than there.
    baseline: Option<(String, Option<f64>)>,
}

/// The geometry of a body in code.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Geometry {
    /// A box about the body's origin: full side lengths along x, y, z.
    Box([f64; 3]),
    /// A sphere about the body's origin: its radius.
    Sphere(f64),
    /// A segment along z through the body's origin, inflated by a radius.
    Capsule {
        /// Radius.
        radius: f64,
        /// Length of the segment, without the caps.
        length: f64,
    },
    /// A prism about z that contains the circular cylinder.
    Cylinder {
        /// Radius of the circular cylinder.
        radius: f64,
        /// Full height.
        height: f64,
        /// Sides of the polygon, 3 to 4096.
        sides: u32,
    },
    /// A shape of any kind as the text of `shape` in a scene file, such as `{ cone = [2, 1, 3] }`
    /// or `{ torus = [1, 0.1], angle = "90deg" }`. Lengths without a unit are in that of the scene.
    Shape(String),
    /// The convex hull of points.
    Points(Vec<[f64; 3]>),
    /// Convex pieces: the hull of each list of points. Vertices are numbered through all lists.
    Pieces(Vec<Vec<[f64; 3]>>),
    /// A geometry file, as the key `geometry` of a scene file.
    File {
        /// The path, relative to the working directory.
        path: PathBuf,
        /// Model of the file; `None`: the hull of a convex mesh, the triangles of any other mesh.
        model: Option<Model>,
        /// The unit of its lengths; `None`: its own where the format has one, else that of the
        /// scene.
        unit: Option<LengthUnit>,
        /// A factor on its coordinates; 1 unless it is to be scaled.
        scale: f64,
        /// Whether y is up in the file.
        y_up: bool,
    },
}

impl Geometry {
    /// A geometry file in its own unit, z up; `model` says how it is understood.
    pub fn file(path: impl Into<PathBuf>, model: Option<Model>) -> Self {
        Self::File { path: path.into(), model, unit: None, scale: 1.0, y_up: false }
    }

    /// The shape that a body of this geometry would have, inflated by `offset`; lengths in metres.
    ///
    /// # Errors
    /// As for [`SceneBuilder::build`].
    pub fn shape(self, offset: f64) -> Result<Arc<Shape>> {
        let body = BodyBuilder::new("shape", self).offset(offset).fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        let scene = SceneBuilder::new(0.0).body(body).build()?;
        let body = scene.bodies.first().ok_or_else(|| Error::internal(IN_CODE, "a body was lost"))?;
        Ok(Arc::clone(&body.shape))
    }
}

/// A body of a [`SceneBuilder`]; dynamic unless it is [`BodyBuilder::fixed`].
#[derive(Debug, Clone)]
#[must_use]
pub struct BodyBuilder {
    name: String,
    geometry: Geometry,
    offset: f64,
    deviation: Option<f64>,
    deviation_source: Option<String>,
    matrix: Option<[[f64; 3]; 3]>,
    pivot: Pivot,
    inside: Option<Inside>,
    groups: Vec<String>,
    id: Option<i128>,
    pose: Option<([f64; 3], [f64; 4])>,
}

impl BodyBuilder {
    /// A dynamic body of a unique name.
    pub fn new(name: impl Into<String>, geometry: Geometry) -> Self {
        Self {
            name: name.into(),
            geometry,
            offset: 0.0,
            deviation: None,
            deviation_source: None,
            matrix: None,
            pivot: Pivot::Origin,
            inside: None,
            groups: Vec::new(),
            id: None,
            pose: None,
        }
    }

    /// Grows the body by a length of 0 or more.
    pub fn offset(self, offset: f64) -> Self {
        Self { offset, ..self }
    }

    /// Says how far the true surface may lie from the geometry, a length of 0 or more: as the
    /// tessellation of a curved surface does. It widens every bracket of the body.
    pub fn deviation(self, deviation: f64) -> Self {
        Self { deviation: Some(deviation), ..self }
    }

    /// Says where the deviation comes from: `exact`, `proven` or `declared`, as the key of a scene
    /// file. Left out, a shape is exact, a deviation is declared, and that of a geometry file is
    /// unknown without one.
    pub fn deviation_source(self, word: impl Into<String>) -> Self {
        Self { deviation_source: Some(word.into()), ..self }
    }

    /// Maps the shape by a matrix (its rows) before the body is placed; not a geometry file.
    pub fn matrix(self, rows: [[f64; 3]; 3]) -> Self {
        Self { matrix: Some(rows), ..self }
    }

    /// Between frames the middle of the body's geometry moves on a line, and not the origin of its
    /// own frame.
    pub fn pivot_at_centre(self) -> Self {
        Self { pivot: Pivot::Centre, ..self }
    }

    /// States the inside of a geometry file: [`Inside::Surface`] declares a sheet, which has none;
    /// [`Inside::Solid`] refuses a mesh that does not close up. Left out, and with
    /// [`Inside::Winding`], the winding number decides if a mesh is open.
    pub fn inside(self, inside: Inside) -> Self {
        Self { inside: Some(inside), ..self }
    }

    /// Adds the body to a group, for ignore rules.
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.groups.push(group.into());
        self
    }

    /// The integer that may stand for the name in trajectories.
    pub fn id(self, id: impl Into<i128>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// Makes the body static, at a position and a unit quaternion w, x, y, z.
    pub fn fixed(self, position: [f64; 3], quaternion: [f64; 4]) -> Self {
        Self { pose: Some((position, quaternion)), ..self }
    }

    /// Lowers the body, which is the one of this number.
    fn lower(&self, source: &SceneSource<'_>, number: usize, unit: LengthUnit) -> Result<BodySpec> {
        let mut keys = vec![("name", Value::Text(&self.name)), ("group", Value::Texts(&self.groups))];
        keys.push(("offset", Value::Number(self.offset)));
        keys.extend(self.deviation.map(|deviation| ("deviation", Value::Number(deviation))));
        keys.extend(self.deviation_source.as_deref().map(|word| ("deviation_source", Value::Text(word))));
        keys.extend(self.id.map(|id| ("id", Value::Integer(id))));
        keys.extend((self.pivot == Pivot::Centre).then_some(("pivot", Value::Text("centre"))));
        keys.extend(self.inside.map(|inside| ("inside", Value::Text(inside.name()))));
        let numbers = match self.geometry {
            Geometry::Box(sides) => sides,
            Geometry::Capsule { radius, length } => [radius, length, 0.0],
            Geometry::Cylinder { radius, height, sides } => [radius, height, f64::from(sides)],
            _ => [0.0; 3],
        };
        let written = match &self.geometry {
            Geometry::Shape(text) => Some(DeValue::parse(text).map(Spanned::into_inner).map_err(|error| {
                let problem = format!("the shape `{text}` is not valid TOML: {}", error.message());
                Error::input(IN_CODE, problem, "write it as in a scene file, such as `{ cylinder = [1, 2] }`")
            })?),
            _ => None,
        };
        // A file is the key `geometry`; a kind of shape is a key within `shape`.
        let geometry = match &self.geometry {
            Geometry::Box(_) => vec![("box", Value::Numbers(&numbers))],
            Geometry::Sphere(radius) => vec![("sphere", Value::Number(*radius))],
            Geometry::Capsule { .. } => vec![("capsule", Value::Numbers(&numbers[..2]))],
            Geometry::Cylinder { .. } => vec![("cylinder", Value::Numbers(&numbers))],
            Geometry::Shape(_) => Vec::new(),
            Geometry::Points(points) => vec![("points", Value::Points(points))],
            Geometry::Pieces(lists) => vec![("pieces", Value::PointLists(lists))],
            Geometry::File { path, model, unit, scale, y_up } => {
                keys.extend(model.map(|model| ("model", Value::Text(model.name()))));
                keys.extend(unit.map(|unit| ("unit", Value::Text(unit.word))));
                keys.extend([("scale", Value::Number(*scale)), ("up", Value::Text(if *y_up { "y" } else { "z" }))]);
                let problem = || format!("the path {} is not UTF-8", path.display());
                let remedy = "give the geometry file a name in UTF-8";
                let path = path.to_str().ok_or_else(|| Error::input(IN_CODE, problem(), remedy))?;
                vec![("geometry", Value::Text(path))]
            }
        };
        keys.push(match (&written, &geometry[..]) {
            (Some(shape), _) => ("shape", Value::of(shape)),
            (None, [file @ ("geometry", _)]) => *file,
            (None, shape) => ("shape", Value::Table(shape)),
        });
        keys.extend(self.matrix.as_ref().map(|rows| ("matrix", Value::Points(rows))));
        let quaternion;
        if let Some((position, q)) = &self.pose {
            let [w, x, y, z] = q.map(Value::Number);
            quaternion = [("qw", w), ("qx", x), ("qy", y), ("qz", z)];
            keys.extend([("static", Value::Bool(true)), ("position", Value::Numbers(position))]);
            keys.push(("orientation", Value::Table(&quaternion)));
        }
        body(Keys::new(source, format!("[[body]] number {number}"), Value::Table(&keys), 0), unit)
    }
}

impl SceneBuilder {
    /// A scene without bodies, in metres. A row is reported for every pair within the distance
    /// `within`.
    pub fn new(within: f64) -> Self {
        Self {
            name: None,
            unit: LengthUnit::ALL[0],
            trajectories: None,
            columns: Vec::new(),
            missing: Missing::Error,
            frame_rate: None,
            within,
            require: None,
            touch: None,
            answer: AnswerKind::default(),
            contacts: false,
            motion: MotionSpec::default(),
            static_pairs: false,
            direction: None,
            search: SearchOptions::default(),
            bodies: Vec::new(),
            ignores: Vec::new(),
            rules: Vec::new(),
            max_input: None,
        }
    }

    /// The name of the scene.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The unit of all lengths of the scene, those given before this call too.
    pub fn length_unit(self, unit: LengthUnit) -> Self {
        Self { unit, ..self }
    }

    /// Adds a body. Bodies are numbered in the order in which they are added.
    pub fn body(mut self, body: BodyBuilder) -> Self {
        self.bodies.push(body);
        self
    }

    /// Never reports pairs of a body that the selector `a` names with one that `b` names (`None`:
    /// with any other). A selector is a name, `group:NAME`, or a glob over names.
    pub fn ignore<'s>(mut self, a: impl Into<String>, b: impl Into<Option<&'s str>>) -> Self {
        self.ignores.push((a.into(), b.into().map(str::to_owned)));
        self
    }

    /// Requires another clearance, at most `within`, of pairs of a body that the selector `a` names
    /// with one that `b` names (`None`: with any other); negative: an overlap up to that depth is
    /// allowed. The first rule that matches a pair counts. `name` is unique, and not `default`;
    /// `severity` is info, minor, major (`None`) or critical.
    pub fn rule<'s>(
        mut self,
        name: impl Into<String>,
        a: impl Into<String>,
        b: impl Into<Option<&'s str>>,
        require: f64,
        severity: impl Into<Option<&'s str>>,
    ) -> Self {
        let [b, severity] = [b.into(), severity.into()].map(|text: Option<&str>| text.map(str::to_owned));
        self.rules.push(RuleOfCode {
            name: name.into(),
            a: a.into(),
            b,
            require,
            severity,
            free_length: None,
            baseline: None,
        });
        self
    }

    /// Makes the rule that was added last require a free length: how far bodies of `a` move along a
    /// direction of the world until they touch the others. `footprint`: radius by which they grow
    /// across it first, in the scene's unit.
    pub fn free_length(mut self, direction: [f64; 3], footprint: f64) -> Self {
        self.rules.last_mut().into_iter().for_each(|rule| rule.free_length = Some((direction, footprint)));
        self
    }

    /// The baseline of the rule that was added last: `rest`, `first` or `frame:N`. A pair that is
    /// nearer than required at the baseline counts only when it is nearer than there by more than
    /// `worse_by` (`None`: `touch`).
    pub fn baseline(mut self, at: impl Into<String>, worse_by: impl Into<Option<f64>>) -> Self {
        let baseline = (at.into(), worse_by.into());
        self.rules.last_mut().into_iter().for_each(|rule| rule.baseline = Some(baseline.clone()));
        self
    }

    /// The clearance required of pairs that no [`SceneBuilder::rule`] matches, at most `within`: a
    /// row violates it where the upper bound of its distance is less.
    pub fn require(self, require: f64) -> Self {
        Self { require: Some(require), ..self }
    }

    /// Distances from `-touch` to `touch` count as touching; a micrometre unless it is set.
    pub fn touch(self, touch: f64) -> Self {
        Self { touch: Some(touch), ..self }
    }

    /// How the narrow phase `gjk` searches, and the cells of the broad phases `hash` and
    /// `coherent-hash`. No row depends on it.
    pub fn search(self, search: SearchOptions) -> Self {
        Self { search, ..self }
    }

    /// Sets what is computed of each pair. With [`AnswerKind::Overlap`] the distance of
    /// [`Self::new`] is not used: only bodies that touch or overlap have rows.
    pub fn answer(self, answer: AnswerKind) -> Self {
        Self { answer, ..self }
    }

    /// Whether every region in which two bodies touch or overlap has a row in the table `contacts`.
    pub fn contacts(self, contacts: bool) -> Self {
        Self { contacts, ..self }
    }

    /// Asks about the motion between frames too, and says how bodies move there.
    pub fn between(self, between: BetweenFrames) -> Self {
        Self { motion: MotionSpec { between, ..self.motion }, ..self }
    }

    /// Sets the acceleration of bodies that fall between frames ([`BetweenFrames::Ballistic`]),
    /// m/s^2. Default: 9.81 along -z.
    pub fn gravity(self, gravity: [f64; 3]) -> Self {
        let [x, y, z] = gravity;
        Self { motion: MotionSpec { gravity: Some(Vec3::new(x, y, z)), ..self.motion }, ..self }
    }

    /// Sets how wide the bracket of the least distance between frames may be. Default: a tenth of a
    /// millimetre, or a tenth of the clearance required if that is less.
    pub fn between_tolerance(self, tolerance: f64) -> Self {
        Self { motion: MotionSpec { tolerance: Some(tolerance), ..self.motion }, ..self }
    }

    /// Whether two static bodies are a pair too; always so if nothing moves.
    pub fn static_pairs(self, static_pairs: bool) -> Self {
        Self { static_pairs, ..self }
    }

    /// Also asks how far body b of each row is from body a along this vector of the world, of any
    /// length but zero.
    pub fn direction(self, direction: [f64; 3]) -> Self {
        Self { direction: Some(direction), ..self }
    }

    /// The trajectories: a file, a directory or a glob, relative to the working directory. Not
    /// needed where the poses are handed to the job.
    pub fn trajectories(self, path: impl Into<PathBuf>) -> Self {
        Self { trajectories: Some(path.into()), ..self }
    }

    /// Names a column of the trajectories, with its unit, as a key of `[columns]` in a scene file
    /// does: `("time_s", "stamp", "ns")`, `("body", "entity_id", None)`,
    /// `("orientation", "none", None)`.
    pub fn column<'s>(mut self, role: &str, name: &str, unit: impl Into<Option<&'s str>>) -> Self {
        self.columns.push((role.to_owned(), name.to_owned(), unit.into().map(str::to_owned)));
        self
    }

    /// Sets the treatment of a dynamic body without a pose in a frame; an error unless it is set.
    pub fn missing(self, missing: Missing) -> Self {
        Self { missing, ..self }
    }

    /// Frames a second, for poses that come without times.
    pub fn frame_rate(self, frame_rate: f64) -> Self {
        Self { frame_rate: Some(frame_rate), ..self }
    }

    /// Bytes that a geometry file may have; 16 GiB unless it is set.
    pub fn max_input(self, bytes: u64) -> Self {
        Self { max_input: Some(bytes), ..self }
    }

    /// Loads a scene file, and every geometry file that it names, all checked and in metres.
    ///
    /// Trajectories are resolved (relative to the scene file) but not opened.
    ///
    /// # Errors
    /// The first thing that does not fit the contract, with its file, line and key (of rules and
    /// geometry files: all); [`clearsweep_base::ErrorKind::Usage`] for an override.
    pub fn load(path: &Path, overrides: &SceneOverrides) -> Result<Scene> {
        load_scene(path, overrides)
    }

    /// The scene, checked as a scene file is, with its geometry files read and its shapes built.
    ///
    /// # Errors
    /// The first thing that does not fit (of ignore rules and geometry: all), with its body and
    /// key.
    pub fn build(&self) -> Result<Scene> {
        let source = SceneSource::in_code(Path::new(IN_CODE), "");
        let (trajectories, max_input) = (self.trajectories.clone(), self.max_input);
        let overrides = SceneOverrides { trajectories, max_input, ..SceneOverrides::default() };
        let file = self.lower(&source)?;
        let digest = digest(&file);
        Ok(Scene { builder_digest: Some(digest), ..assemble(&source, file, Vec::new(), &overrides)? })
    }

    fn lower(&self, source: &SceneSource<'_>) -> Result<SceneFile> {
        let (head, query) = (self.head(source)?, Query { search: self.search, ..self.query(source)? });
        let keys = Keys::new(source, "[motion]", Value::Table(&[]), 0);
        let given = |length| tolerance(&keys.given("tolerance", Value::Number(length)), self.unit);
        let motion = MotionSpec { tolerance: self.motion.tolerance.map(given).transpose()?, ..self.motion };
        let mut bodies = BodyList::default();
        for (body, number) in self.bodies.iter().zip(1..) {
            bodies.add(source, body.lower(source, number, self.unit)?)?;
        }
        let ignores = self.ignores.iter().zip(1..).map(|((a, b), number)| {
            let keys = Keys::new(source, format!("[[ignore]] number {number}"), Value::Table(&[]), 0);
            let selector = |key, text| Selector::of(keys.given(key, Value::Text(text)));
            let b = b.as_ref().map(|b| selector("b", b)).transpose()?;
            Ok(IgnoreSpec { a: Some(selector("a", a)?), b, same: None, reason: None, at: 0 })
        });
        let (bodies, ignores) = (bodies.finish(source)?, ignores.collect::<Result<_>>()?);
        let (rules, tables, made) = (self.rules(source)?, Vec::new(), MadeOfFiles::default());
        let (joints, work, motion) = (JointSpecs::default(), WorkList::default(), Some(motion));
        Ok(SceneFile {
            head,
            query,
            motion,
            bodies,
            joints,
            ignores,
            rules,
            work,
            expected: Expected::default(),
            tables,
            made,
        })
    }

    fn rules(&self, source: &SceneSource<'_>) -> Result<Vec<RuleSpec>> {
        let tables = self.rules.iter().map(|RuleOfCode { name, a, b, require, severity, free_length, baseline }| {
            let mut keys =
                vec![("name", Value::Text(name)), ("a", Value::Text(a)), ("require", Value::Number(*require))];
            keys.extend(b.as_ref().map(|b| ("b", Value::Text(b))));
            keys.extend(severity.as_ref().map(|severity| ("severity", Value::Text(severity))));
            if let Some((direction, footprint)) = free_length {
                keys.push(("direction", Value::Numbers(direction)));
                keys.push(("footprint", Value::Number(*footprint)));
            }
            if let Some((at, worse_by)) = baseline {
                keys.push(("baseline", Value::Text(at)));
                keys.extend(worse_by.map(|worse_by| ("worse_by", Value::Number(worse_by))));
            }
            keys
        });
        let tables: Vec<_> = tables.collect();
        let keys = tables
            .iter()
            .zip(1..)
            .map(|(table, number)| Keys::new(source, rules::owner(number), Value::Table(table), 0));
        rules::of_keys(source, keys, self.unit)
    }

    fn head(&self, source: &SceneSource<'_>) -> Result<Head> {
        let keys = Keys::new(source, "[scene]", Value::Table(&[]), 0);
        let name = self.name.as_ref().map(|name| Ok(keys.given("name", Value::Text(name)).text()?.to_owned()));
        let rate = self.frame_rate.map(|rate| frame_rate(&keys.given("frame_rate", Value::Number(rate))));
        let (name, frame_rate) = (name.transpose()?, rate.transpose()?);
        let named = self.columns.iter().map(|(role, name, unit)| (&**role, &**name, unit.as_deref()));
        let columns = TrajectoryColumns::of(named).map_err(|error| keys.error(error.to_string(), error.remedy))?;
        let missing = self.missing;
        Ok(Head { name, unit: self.unit, trajectories: None, joints: None, missing, rest: None, frame_rate, columns })
    }

    fn query(&self, source: &SceneSource<'_>) -> Result<Query> {
        let word = if self.contacts { "all" } else { "none" };
        let mut keys = vec![
            ("static_pairs", Value::Bool(self.static_pairs)),
            ("answer", Value::Text(self.answer.name())),
            ("contacts", Value::Text(word)),
        ];
        keys.extend((self.answer != AnswerKind::Overlap).then_some(("within", Value::Number(self.within))));
        keys.extend(self.require.map(|require| ("require", Value::Number(require))));
        keys.extend(self.touch.map(|touch| ("touch", Value::Number(touch))));
        keys.extend(self.direction.as_ref().map(|direction| ("direction", Value::Numbers(direction))));
        query(&Keys::new(source, "[query]", Value::Table(&keys), 0), self.unit)
    }
}

/// SHA-256 of the name, the bodies and the rules; numbers count by their bits.
fn digest(file: &SceneFile) -> String {
    let mut text = format!("{:?}{:?}{:?}", file.head.name, file.ignores, file.rules);
    for body in &file.bodies {
        let BodySpec { name, geometry, growth, deviation_source, groups, pose, pivot, bounds, id, .. } = body;
        let geometry = match geometry {
            GeometrySpec::Shape(shape) => {
                sha256(&shape.identity().into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
            }
            file => format!("{file:?}"),
        };
        text += &format!("{:?}", (name, geometry, growth, deviation_source, groups, pose, pivot, bounds, id));
    }
    sha256(text.as_bytes())
}

#[cfg(test)]
mod tests;
