//! A scene built in code.
//!
//! The builder lowers its values to what a scene file is lowered to, by the same checks of each key. Places in errors name
//! the key instead of a line.

use super::between::{BetweenFrames, Pivot};
use super::body_spec::{BodySpec, GeometryOptions, GeometrySpec, Growth, inside_of, of_file, positive, sorted_texts};
use super::digest::sha256;
use super::each::MadeOfFiles;
use super::file::{BodyList, Head, IgnoreSpec, Query, SceneFile, direction, frame_rate};
use super::ignore::IgnoreRule;
use super::keys::{Keys, TomlSource};
use super::load::{SceneOverrides, assemble};
use super::model::{DEFAULT_TOUCH_M, LengthUnit, Missing, Model, Scene, Shape};
use super::motion_spec::{MotionSpec, tolerance};
use super::orientation::orientation;
use super::readers::own_unit;
use super::shapes::ShapeSpec;
use super::steps::PoseSteps;
use super::values::Value;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::{Inside, Pose};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of a scene that no file holds, in messages.
const PLACE: &str = "scene in code";

/// A scene in code: bodies, ignore rules and query options, with the meaning of the same keys of a scene file.
///
/// Lengths are in [`SceneBuilder::length_unit`], metres unless it is called; so are positions of trajectories without
/// a unit of their own, and geometry files that have none.
#[derive(Debug, Clone)]
#[must_use]
pub struct SceneBuilder {
    name: Option<String>,
    unit: LengthUnit,
    trajectories: Option<PathBuf>,
    missing: Missing,
    frame_rate: Option<f64>,
    within: f64,
    require: Option<f64>,
    /// `None`: the default of a scene file, which is in metres, whatever the unit.
    touch: Option<f64>,
    /// The tolerance in the unit of the scene.
    motion: MotionSpec,
    static_pairs: bool,
    direction: Option<[f64; 3]>,
    bodies: Vec<BodyBuilder>,
    ignores: Vec<(String, Option<String>)>,
    max_input: Option<u64>,
}

/// The geometry of a body in code.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Geometry {
    /// A box about the body's origin: full side lengths along x, y, z.
    Box([f64; 3]),
    /// A sphere about the body's origin: its radius.
    Sphere(f64),
    /// A segment along z through the body's origin, grown by a radius.
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
    /// The convex hull of points.
    Points(Vec<[f64; 3]>),
    /// Convex pieces: the hull of each list of points. Vertices are numbered through all lists.
    Pieces(Vec<Vec<[f64; 3]>>),
    /// A geometry file, as the key `geometry` of a scene file.
    File {
        /// The path, relative to the working directory.
        path: PathBuf,
        /// How the file is understood; `None`: the hull of a convex mesh, the triangles of any other.
        model: Option<Model>,
        /// The unit of its lengths; `None`: its own where the format has one, else that of the scene.
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

    /// The shape that a body of this geometry would have, grown by `offset`; lengths in metres.
    ///
    /// # Errors
    /// As for [`SceneBuilder::build`].
    pub fn shape(self, offset: f64) -> Result<Arc<Shape>> {
        let body = BodyBuilder::new("shape", self).offset(offset).fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        let scene = SceneBuilder::new(0.0).body(body).build()?;
        let body = scene.bodies.first().ok_or_else(|| Error::internal(PLACE, "a body was lost"))?;
        Ok(Arc::clone(&body.shape))
    }

    /// Lowers the geometry of the body that has these keys.
    fn lower(&self, keys: &Keys<'_>, inside: Option<Inside>, unit: LengthUnit) -> Result<GeometrySpec> {
        let stated = keys.given("inside", Value::Text(""));
        if inside.is_some() && !matches!(self, Self::File { .. }) {
            return Err(of_file(&stated));
        }
        let part = Keys::in_code(keys.source, format!("`shape` of {}", keys.owner));
        let shape = |kind, value| {
            let shape = ShapeSpec::from_field(&part.given(kind, value), unit)?;
            Ok(GeometrySpec::Shape(Arc::new(shape)))
        };
        match self {
            Self::Box(sides) => shape("box", Value::Numbers(sides)),
            Self::Sphere(radius) => shape("sphere", Value::Number(*radius)),
            Self::Capsule { radius, length } => shape("capsule", Value::Numbers(&[*radius, *length])),
            Self::Cylinder { radius, height, sides } => {
                shape("cylinder", Value::Numbers(&[*radius, *height, f64::from(*sides)]))
            }
            Self::Points(points) => shape("points", Value::Points(points)),
            Self::Pieces(lists) => shape("pieces", Value::PointLists(lists)),
            Self::File { path, model, unit: own, scale, y_up } => {
                let path = path.to_str().ok_or_else(|| {
                    let problem = format!("the path {} is not UTF-8", path.display());
                    Error::input(PLACE, problem, "give the geometry file a name in UTF-8")
                })?;
                let path = keys.given("geometry", Value::Text(path)).text()?;
                let (inside, model) = match inside {
                    Some(inside) => inside_of(&stated, inside, *model)?,
                    None => (None, *model),
                };
                let unit = own.or(own_unit(Path::new(path))).unwrap_or(unit);
                let scale = positive(&keys.given("scale", Value::Number(*scale)))?;
                let reading = GeometryOptions { unit, scale, y_up: *y_up, model, inside };
                Ok(GeometrySpec::File { path: path.into(), scene: None, reading })
            }
        }
    }
}

/// A body of a [`SceneBuilder`]; dynamic unless it is [`BodyBuilder::fixed`].
#[derive(Debug, Clone)]
#[must_use]
pub struct BodyBuilder {
    name: String,
    geometry: Geometry,
    offset: f64,
    deviation: f64,
    pivot: Pivot,
    inside: Option<Inside>,
    groups: Vec<String>,
    pose: Option<([f64; 3], [f64; 4])>,
}

impl BodyBuilder {
    /// A dynamic body of a unique name.
    pub fn new(name: impl Into<String>, geometry: Geometry) -> Self {
        Self {
            name: name.into(),
            geometry,
            offset: 0.0,
            deviation: 0.0,
            pivot: Pivot::Origin,
            inside: None,
            groups: Vec::new(),
            pose: None,
        }
    }

    /// Grows the body by a length of 0 or more.
    pub fn offset(self, offset: f64) -> Self {
        Self { offset, ..self }
    }

    /// Says how far the true surface may lie from the geometry, a length of 0 or more: as the tessellation of a curved surface
    /// does. It widens every bracket of the body.
    pub fn deviation(self, deviation: f64) -> Self {
        Self { deviation, ..self }
    }

    /// Between frames the middle of the body's geometry moves on a line, and not the origin of its own frame.
    pub fn pivot_at_centre(self) -> Self {
        Self { pivot: Pivot::Centre, ..self }
    }

    /// Says what the inside of a geometry file is: [`Inside::Surface`] of a sheet, inside of which nothing lies; [`Inside::Solid`]
    /// refuses a mesh that does not close up. Left out, and with [`Inside::Winding`], the winding number decides where a mesh is open.
    pub fn inside(self, inside: Inside) -> Self {
        Self { inside: Some(inside), ..self }
    }

    /// Adds the body to a group, for ignore rules.
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.groups.push(group.into());
        self
    }

    /// Makes the body static, at a position and a unit quaternion w, x, y, z.
    pub fn fixed(self, position: [f64; 3], quaternion: [f64; 4]) -> Self {
        Self { pose: Some((position, quaternion)), ..self }
    }

    /// Lowers the body, which is the one of this number.
    fn lower(&self, source: &TomlSource<'_>, number: usize, unit: LengthUnit) -> Result<BodySpec> {
        let unnamed = Keys::in_code(source, format!("[[body]] number {number}"));
        let name = unnamed.given("name", Value::Text(&self.name)).text()?;
        let keys = Keys::in_code(source, format!("body `{name}`"));
        let length = |key, value| keys.given(key, Value::Number(value)).length_from_zero(unit);
        Ok(BodySpec {
            name: name.to_owned(),
            at: keys.origin(),
            geometry: self.geometry.lower(&keys, self.inside, unit)?,
            geometry_at: keys.origin(),
            growth: Growth { offset: length("offset", self.offset)?, deviation: length("deviation", self.deviation)? },
            groups: sorted_texts(&keys.given("group", Value::Texts(&self.groups)))?,
            pose: self.pose.as_ref().map(|pose| lower_pose(&keys, pose, unit)).transpose()?,
            pose_steps: PoseSteps::default(),
            pivot: (self.pivot == Pivot::Centre).then_some(self.pivot),
        })
    }
}

/// Lowers the position and the quaternion of the body that has these keys.
fn lower_pose(keys: &Keys<'_>, (position, q): &([f64; 3], [f64; 4]), unit: LengthUnit) -> Result<Pose> {
    let [w, x, y, z] = q.map(Value::Number);
    let position = keys.given("position", Value::Numbers(position)).lengths(unit)?;
    let q = Value::Table(&[("qw", w), ("qx", x), ("qy", y), ("qz", z)]);
    Ok(Pose::new(position, orientation(&keys.given("orientation", q))?))
}

impl SceneBuilder {
    /// A scene without bodies, in metres. A row is reported for every pair within the distance `within`.
    pub fn new(within: f64) -> Self {
        Self {
            name: None,
            unit: LengthUnit::ALL[0],
            trajectories: None,
            missing: Missing::Error,
            frame_rate: None,
            within,
            require: None,
            touch: None,
            motion: MotionSpec::default(),
            static_pairs: false,
            direction: None,
            bodies: Vec::new(),
            ignores: Vec::new(),
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

    /// Never reports pairs of a body that the selector `a` names with one that `b` names (`None`: with any other).
    /// A selector is a name, `group:NAME`, or a glob over names.
    pub fn ignore<'s>(mut self, a: impl Into<String>, b: impl Into<Option<&'s str>>) -> Self {
        self.ignores.push((a.into(), b.into().map(str::to_owned)));
        self
    }

    /// The clearance required, at most `within`: a row violates it where the upper bound of its distance is less.
    pub fn require(self, require: f64) -> Self {
        Self { require: Some(require), ..self }
    }

    /// Distances from `-touch` to `touch` count as touching; a micrometre unless it is set.
    pub fn touch(self, touch: f64) -> Self {
        Self { touch: Some(touch), ..self }
    }

    /// Asks about the motion between frames too, and says how bodies move there.
    pub fn between(self, between: BetweenFrames) -> Self {
        Self { motion: MotionSpec { between, ..self.motion }, ..self }
    }

    /// How wide the bracket of the least distance between frames may be; a tenth of a millimetre unless it is set, and a tenth of the
    /// clearance required at most.
    pub fn between_tolerance(self, tolerance: f64) -> Self {
        Self { motion: MotionSpec { tolerance: Some(tolerance), ..self.motion }, ..self }
    }

    /// Whether two static bodies are a pair too; always so where nothing moves.
    pub fn static_pairs(self, static_pairs: bool) -> Self {
        Self { static_pairs, ..self }
    }

    /// Also asks how far body b of each row is from body a along this vector of the world, of any length but zero.
    pub fn direction(self, direction: [f64; 3]) -> Self {
        Self { direction: Some(direction), ..self }
    }

    /// The trajectories: a file, a directory or a glob, relative to the working directory. Not needed where the poses
    /// are handed to the job.
    pub fn trajectories(self, path: impl Into<PathBuf>) -> Self {
        Self { trajectories: Some(path.into()), ..self }
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

    /// The scene, checked as a scene file is, with its geometry files read and its shapes built.
    ///
    /// # Errors
    /// The first thing that does not fit (of ignore rules and geometry: all), with its body and key.
    pub fn build(&self) -> Result<Scene> {
        self.build_with_rules().map(|(scene, _)| scene)
    }

    fn build_with_rules(&self) -> Result<(Scene, Vec<IgnoreRule>)> {
        let source = TomlSource::in_code(Path::new(PLACE));
        let (trajectories, max_input) = (self.trajectories.clone(), self.max_input);
        let overrides = SceneOverrides { trajectories, max_input, ..SceneOverrides::default() };
        let file = self.lower(&source)?;
        let digest = digest(&file);
        let (scene, rules) = assemble(&source, file, Vec::new(), &overrides)?;
        Ok((Scene { builder_digest: Some(digest), ..scene }, rules))
    }

    fn lower(&self, source: &TomlSource<'_>) -> Result<SceneFile> {
        let (head, query, motion) = (self.head(source)?, self.query(source)?, self.motion(source)?);
        let mut bodies = BodyList::new(source);
        for (body, number) in self.bodies.iter().zip(1..) {
            bodies.add(body.lower(source, number, self.unit)?)?;
        }
        let ignores = self.ignores.iter().zip(1..).map(|((a, b), number)| {
            let keys = Keys::in_code(source, format!("[[ignore]] number {number}"));
            let selector = |key, text| Ok(keys.given(key, Value::Text(text)).text()?.to_owned());
            let b = b.as_ref().map(|b| Ok((selector("b", b)?, 0))).transpose()?;
            Ok(IgnoreSpec { a: selector("a", a)?, a_at: 0, b, reason: None, at: 0 })
        });
        let (bodies, ignores) = (bodies.finish()?, ignores.collect::<Result<_>>()?);
        Ok(SceneFile { head, query, motion, bodies, ignores, tables: Vec::new(), made: MadeOfFiles::default() })
    }

    fn head(&self, source: &TomlSource<'_>) -> Result<Head> {
        let keys = Keys::in_code(source, "[scene]");
        let name = self.name.as_ref().map(|name| Ok(keys.given("name", Value::Text(name)).text()?.to_owned()));
        let rate = self.frame_rate.map(|rate| frame_rate(&keys.given("frame_rate", Value::Number(rate))));
        Ok(Head {
            name: name.transpose()?,
            unit: self.unit,
            trajectories: None,
            missing: self.missing,
            frame_rate: rate.transpose()?,
        })
    }

    fn query(&self, source: &TomlSource<'_>) -> Result<Query> {
        let keys = Keys::in_code(source, "[query]");
        let length = |key, value| keys.given(key, Value::Number(value)).length_from_zero(self.unit);
        Ok(Query {
            within: Some(length("within", self.within)?),
            require: self.require.map(|require| Ok((length("require", require)?, 0))).transpose()?,
            touch: self.touch.map_or(Ok(DEFAULT_TOUCH_M), |touch| length("touch", touch))?,
            static_pairs: self.static_pairs,
            direction: self.direction.map(|d| direction(&keys.given("direction", Value::Numbers(&d)))).transpose()?,
            ..Query::default()
        })
    }

    fn motion(&self, source: &TomlSource<'_>) -> Result<MotionSpec> {
        let keys = Keys::in_code(source, "[motion]");
        let given = |length| tolerance(&keys.given("tolerance", Value::Number(length)), self.unit);
        Ok(MotionSpec { tolerance: self.motion.tolerance.map(given).transpose()?, ..self.motion })
    }
}

/// SHA-256 of the name, the bodies and the rules; numbers count by their bits.
fn digest(file: &SceneFile) -> String {
    let mut text = format!("{:?}{:?}", file.head.name, file.ignores);
    for body in &file.bodies {
        let BodySpec { name, geometry, growth, groups, pose, pivot, .. } = body;
        let geometry = match geometry {
            GeometrySpec::Shape(shape) => {
                sha256(&shape.identity().into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
            }
            file => format!("{file:?}"),
        };
        text += &format!("{:?}", (name, geometry, growth, groups, pose, pivot));
    }
    sha256(text.as_bytes())
}

#[cfg(test)]
mod tests;
