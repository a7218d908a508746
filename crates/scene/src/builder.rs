//! A scene built in code.
//!
//! The builder writes the text of a scene file in memory and hands it to the reader of scene files, so that both ways
//! share one validation and one construction of shapes. Places in errors name the key instead of a line.

use super::between::{BetweenFrames, Pivot};
use super::digest::sha256;
use super::file;
use super::ignore::IgnoreRule;
use super::keys::TomlSource;
use super::load::{SceneOverrides, assemble};
use super::model::{LengthUnit, Missing, Model, Scene, Shape};
use super::motion_spec::MotionSpec;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::Inside;
use std::fmt::{Display, Write};
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
    motion: Option<MotionSpec>,
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

    /// Writes the keys of a `[[body]]`.
    fn write(&self, text: &mut String) -> Result<()> {
        let (kind, value) = match self {
            Self::Box(sides) => ("box", numbers(sides)),
            Self::Sphere(radius) => ("sphere", number(*radius)),
            Self::Capsule { radius, length } => ("capsule", numbers(&[*radius, *length])),
            Self::Cylinder { radius, height, sides } => ("cylinder", numbers(&[*radius, *height, f64::from(*sides)])),
            Self::Points(list) => ("points", points(list)),
            Self::Pieces(lists) => {
                let lists: Vec<String> = lists.iter().map(|list| points(list)).collect();
                ("pieces", format!("[{}]", lists.join(", ")))
            }
            Self::File { path, model, unit, scale, y_up } => {
                let path = path.to_str().ok_or_else(|| {
                    let problem = format!("the path {} is not UTF-8", path.display());
                    Error::input(PLACE, problem, "give the geometry file a name in UTF-8")
                })?;
                line(text, "geometry", quoted(path));
                if let Some(model) = model {
                    line(text, "model", quoted(model.name()));
                }
                if let Some(unit) = unit {
                    line(text, "unit", quoted(unit.word));
                }
                line(text, "scale", number(*scale));
                line(text, "up", quoted(if *y_up { "y" } else { "z" }));
                return Ok(());
            }
        };
        line(text, "shape", format_args!("{{ {kind} = {value} }}"));
        Ok(())
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

    fn write(&self, text: &mut String) -> Result<()> {
        text.push_str("[[body]]\n");
        line(text, "name", quoted(&self.name));
        self.geometry.write(text)?;
        line(text, "offset", number(self.offset));
        line(text, "deviation", number(self.deviation));
        if self.pivot == Pivot::Centre {
            line(text, "pivot", quoted("centre"));
        }
        if let Some(inside) = self.inside {
            line(text, "inside", quoted(inside.name()));
        }
        let groups: Vec<String> = self.groups.iter().map(|group| quoted(group)).collect();
        line(text, "group", format_args!("[{}]", groups.join(", ")));
        if let Some((position, q)) = &self.pose {
            let [w, x, y, z] = q.map(number);
            line(text, "static", true);
            line(text, "position", numbers(position));
            line(text, "orientation", format_args!("{{ qw = {w}, qx = {x}, qy = {y}, qz = {z} }}"));
        }
        Ok(())
    }
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
            motion: None,
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
        Self { motion: Some(MotionSpec { between, ..self.motion.unwrap_or_default() }), ..self }
    }

    /// How wide the bracket of the least distance between frames may be; a tenth of a millimetre unless it is set, and a tenth of the
    /// clearance required at most.
    pub fn between_tolerance(self, tolerance: f64) -> Self {
        Self { motion: Some(MotionSpec { tolerance: Some(tolerance), ..self.motion.unwrap_or_default() }), ..self }
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
        let text = self.text()?;
        let source = TomlSource::in_code(Path::new(PLACE), &text);
        let (trajectories, max_input) = (self.trajectories.clone(), self.max_input);
        let overrides = SceneOverrides { trajectories, max_input, ..SceneOverrides::default() };
        let file = file::parse(&source, overrides.max_input())?;
        let (scene, rules) = assemble(&source, file, Vec::new(), &overrides)?;
        Ok((Scene { builder_digest: Some(sha256(text.as_bytes())), ..scene }, rules))
    }

    /// The text of the scene file that says the same.
    fn text(&self) -> Result<String> {
        let mut text = "[scene]\n".to_owned();
        line(&mut text, "length_unit", quoted(self.unit.word));
        let missing = match self.missing {
            Missing::Error => "error",
            Missing::Absent => "absent",
            Missing::Hold => "hold",
        };
        line(&mut text, "missing", quoted(missing));
        if let Some(name) = &self.name {
            line(&mut text, "name", quoted(name));
        }
        if let Some(rate) = self.frame_rate {
            line(&mut text, "frame_rate", number(rate));
        }
        text.push_str("[query]\n");
        line(&mut text, "within", number(self.within));
        if let Some(touch) = self.touch {
            line(&mut text, "touch", number(touch));
        }
        line(&mut text, "static_pairs", self.static_pairs);
        if let Some(require) = self.require {
            line(&mut text, "require", number(require));
        }
        if let Some(direction) = self.direction {
            line(&mut text, "direction", numbers(&direction));
        }
        if let Some(MotionSpec { between, tolerance, .. }) = self.motion {
            text.push_str("[motion]\n");
            line(&mut text, "between", quoted(between.name()));
            if let Some(tolerance) = tolerance {
                line(&mut text, "tolerance", number(tolerance));
            }
        }
        for body in &self.bodies {
            body.write(&mut text)?;
        }
        for (a, b) in &self.ignores {
            text.push_str("[[ignore]]\n");
            line(&mut text, "a", quoted(a));
            if let Some(b) = b {
                line(&mut text, "b", quoted(b));
            }
        }
        Ok(text)
    }
}

/// Writes a key.
fn line(text: &mut String, key: &str, value: impl Display) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{key} = {value}");
}

/// A string as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A number as TOML writes it; `Debug` of f64 is the shortest text that reads back as the same number.
fn number(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { format!("{value:?}") }
}

fn numbers(values: &[f64]) -> String {
    let texts: Vec<String> = values.iter().map(|&value| number(value)).collect();
    format!("[{}]", texts.join(", "))
}

fn points(list: &[[f64; 3]]) -> String {
    let texts: Vec<String> = list.iter().map(|point| numbers(point)).collect();
    format!("[{}]", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(geometry: Geometry) -> Result<Scene> {
        SceneBuilder::new(1.0).body(BodyBuilder::new("part", geometry)).build()
    }

    #[test]
    fn errors_name_the_body_the_key_and_the_remedy() {
        let error = one(Geometry::Sphere(-1.0)).expect_err("negative");
        assert_eq!(error.place, "scene in code, key `sphere` of `shape` of body `part`");
        assert_eq!(error.remedy, "lengths of a shape must be positive");
        let error = one(Geometry::Box([1.0, f64::NAN, 1.0])).expect_err("not a number");
        assert!(error.place.contains("key `box`") && error.problem.contains("NaN"), "{error}");
        let error = one(Geometry::Points(vec![])).expect_err("no points");
        assert!(error.place.contains("key `points`"), "{error}");
        for lists in [vec![], vec![vec![]], vec![vec![[0.0; 3]], vec![[f64::INFINITY, 0.0, 0.0]]]] {
            let error = one(Geometry::Pieces(lists)).expect_err("no pieces");
            assert!(error.place.contains("key `pieces` of `shape` of body `part`"), "{error}");
        }
        let error = one(Geometry::file("nowhere.obj", Some(Model::Hull))).expect_err("no file");
        assert!(error.place.contains("nowhere.obj") && error.place.contains("body `part`"), "{error}");
        let body = BodyBuilder::new("part", Geometry::Sphere(1.0));
        let error = SceneBuilder::new(1.0).body(body.clone()).body(body.clone()).build().expect_err("twice");
        assert!(error.problem.contains("`part` was used before"), "{error}");
        let error = SceneBuilder::new(1.0).body(body.clone().fixed([0.0; 3], [2.0, 0.0, 0.0, 0.0])).build();
        assert!(error.expect_err("not a rotation").place.contains("`orientation` of body `part`"));
        let error = SceneBuilder::new(f64::NAN).body(body.clone()).build().expect_err("no distance");
        assert!(error.place.contains("key `within` of [query]"), "{error}");
        let error = SceneBuilder::new(1.0).body(body).ignore("part", "prat").build().expect_err("no such body");
        assert!(error.place.contains("[[ignore]] number 1") && error.remedy.contains("`part`"), "{error}");
    }

    #[test]
    fn names_of_any_text_are_kept() {
        for name in ["a\nb", "\"quoted\"", "é\\", "'", "'''", "\u{7}"] {
            let body = BodyBuilder::new(name, Geometry::Sphere(1.0)).group(name);
            let scene = SceneBuilder::new(1.0).name(name).body(body).build().expect(name);
            assert_eq!((scene.bodies[0].name.as_str(), scene.name.as_str()), (name, name));
            assert_eq!(scene.bodies[0].groups, [name]);
        }
        assert!(SceneBuilder::new(1.0).body(BodyBuilder::new("", Geometry::Sphere(1.0))).build().is_err());
    }
}
