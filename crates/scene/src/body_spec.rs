//! One body as a scene file, a row of a table or a program says it, key by key, in SI units: what
//! bodies are made of.

use super::keys::{Field, Keys, Origin, SceneSource};
use super::motion_spec::{bounds, pivot};
use super::orientation::orientation;
use super::readers::{self, Mesh, SceneChoice};
use super::round_shape;
use super::shapes::{ShapePart, ShapeSpec, spans_space};
use super::values::Value;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::{Inside, Pose};
use clearsweep_model::{DeviationSource, LengthUnit, Model, MotionBounds, Pivot, PoseSteps};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use toml::de::DeValue;

/// `[[body]]`.
#[derive(Debug, Clone)]
pub(super) struct BodySpec {
    pub(super) name: String,
    /// Place where the body begins.
    pub(super) at: Origin,
    pub(super) geometry: GeometrySpec,
    /// Place of `geometry` or `shape`.
    pub(super) geometry_at: Origin,
    pub(super) growth: Growth,
    /// Source of `deviation`.
    pub(super) deviation_source: DeviationSource,
    /// Sorted, without duplicates.
    pub(super) groups: Arc<[String]>,
    /// The pose of a static body (not recentred); `None`: it is dynamic.
    pub(super) pose: Option<Pose>,
    /// The pose at rest of a body that moves, if something says it.
    pub(super) rest: Option<Box<RestSpec>>,
    /// The rounding steps of that pose as a table stores it.
    pub(super) pose_steps: PoseSteps,
    /// The point that moves on a line between frames, if the body states it.
    pub(super) pivot: Option<Pivot>,
    /// All that the body states about its motion between frames.
    pub(super) bounds: MotionBounds,
    /// The integer that stands for its name in trajectories.
    pub(super) id: Option<i128>,
    /// The tree that it is a node of, and the index of that node; `None`: it was made of no tree.
    pub(super) node: Option<[u32; 2]>,
}

impl BodySpec {
    /// Whether it is made of the primitives of a whole RVM file.
    fn is_whole_plant(&self) -> bool {
        matches!(&self.geometry, GeometrySpec::File { path, .. } if readers::is_plant(Path::new(&**path)))
    }

    /// The source of its deviation: an RVM file that is one body holds exact shapes only.
    pub(super) fn source_of_deviation(&self) -> DeviationSource {
        match self.deviation_source {
            DeviationSource::Unknown if self.is_whole_plant() => DeviationSource::Exact,
            source => source,
        }
    }

    /// Returns the name of the body in messages.
    pub(super) fn owner(&self, scene: &SceneSource<'_>) -> String {
        let is_part = self.node.is_some() || matches!(self.geometry, GeometrySpec::Part { .. });
        owner(&self.name, is_part || scene.is_in_code() || matches!(self.at, Origin::Row(_)))
    }
}

/// Returns the name of a body in messages; `plain`: it is not a `[[body]]` of a file.
fn owner(name: &str, plain: bool) -> String {
    if plain { format!("body `{name}`") } else { format!("[[body]] `{name}`") }
}

/// The pose at rest of a body that moves.
#[derive(Debug, Clone)]
pub(super) struct RestSpec {
    /// In the world, metres.
    pub(super) pose: Pose,
    /// The key that says it, and its place in messages; `None`: a geometry file does.
    pub(super) written: Option<(String, String)>,
    /// Fault of the written pose: place, problem and remedy.
    pub(super) fault: Option<[String; 3]>,
}

/// Source of the geometry of a body. Bodies of a table share what their section says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum GeometrySpec {
    /// A file, as written; `scene`: the scene of a glTF file.
    File { path: Arc<str>, scene: Option<SceneChoice>, reading: GeometryOptions },
    /// A part of a file that was read already; bodies of one mesh share it.
    Part { mesh: Arc<Mesh>, file: Arc<Path>, reading: GeometryOptions },
    /// A shape, lengths in metres.
    Shape(Arc<ShapeSpec>),
}

/// The growth of a geometry, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Growth {
    /// Growth of the body (`offset`).
    pub(super) offset: f64,
    /// Bound on the distance of the true surface from the inflated geometry.
    pub(super) deviation: f64,
}

impl Growth {
    /// Equal exactly for equal growths.
    pub(super) fn bits(self) -> [u64; 2] {
        [self.offset, self.deviation].map(f64::to_bits)
    }
}

/// Keys that turn a geometry file into a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GeometryOptions {
    pub(super) unit: LengthUnit,
    pub(super) scale: f64,
    pub(super) y_up: bool,
    /// `None`: left out.
    pub(super) model: Option<Model>,
    /// The inside that the body states; `None`: it states none.
    pub(super) inside: Option<Inside>,
}

impl GeometryOptions {
    /// The options as they hold for a mesh: a file may say that it is a sheet, which is a mesh.
    pub(super) fn of_mesh(&self, mesh: &Mesh) -> Self {
        let takes_over = mesh.is_sheet && self.inside.is_none() && matches!(self.model, None | Some(Model::Mesh));
        match takes_over {
            true => Self { model: Some(Model::Mesh), inside: Some(Inside::Surface), ..*self },
            false => *self,
        }
    }

    /// A length of the file in metres, rounded up.
    pub(super) fn metres_rounded_up(&self, length: f64) -> f64 {
        self.unit.metres(length * self.scale) * (1.0 + 8.0 * f64::EPSILON)
    }
}

/// The keys of a `[[body]]`.
pub(super) const BODY_KEYS: [&str; 25] = [
    "name",
    "geometry",
    "shape",
    "parts",
    "matrix",
    "model",
    "inside",
    "unit",
    "scale",
    "up",
    "scene",
    "offset",
    "deviation",
    "deviation_source",
    "pivot",
    "max_speed",
    "max_acceleration",
    "max_turn",
    "group",
    "class",
    "level",
    "static",
    "id",
    "position",
    "orientation",
];

/// Lowers one body: a `[[body]]`.
pub(super) fn body(keys: Keys<'_>, unit: LengthUnit) -> Result<BodySpec> {
    body_of_row(keys, unit, &LoweredDefaults::default())
}

/// Lowers one body: a row of a table. `defaults`: what the keys of its section were lowered to.
pub(super) fn body_of_row(mut keys: Keys<'_>, unit: LengthUnit, defaults: &LoweredDefaults) -> Result<BodySpec> {
    let name = keys.required("name", "give the body a unique `name`")?.text()?.to_owned();
    keys.owner = owner(&name, keys.source.is_row() || keys.source.is_in_code());
    keys.only(&BODY_KEYS)?;
    let shape_of_body = match (keys.get("shape"), keys.get("parts")) {
        (Some(_), Some(parts)) => {
            return Err(parts.error("the body has both a `shape` and `parts`", "remove one of them"));
        }
        (shape, parts) => shape.or(parts),
    };
    let (file, shape_key) = match (keys.get("geometry"), shape_of_body) {
        // The key of a row holds, whichever of the two keys the defaults have.
        (Some(file), Some(shape)) if file.is_of(&keys) && !shape.is_of(&keys) => (Some(file), None),
        (Some(file), Some(shape)) if shape.is_of(&keys) && !file.is_of(&keys) => (None, Some(shape)),
        both => both,
    };
    let (geometry, geometry_at) = match (file, shape_key) {
        (Some(_), Some(shape)) => {
            let problem = format!("the body has both a `geometry` and a `{}`", shape.key());
            return Err(shape.error(problem, "remove one of them"));
        }
        (None, None) => {
            let problem = format!("{} has neither a `geometry` nor a `shape`", keys.owner);
            return Err(keys.error(problem, "add `geometry = \"FILE\"`, or `shape = { box = [...] }`"));
        }
        (Some(_), None) if keys.get("matrix").is_some_and(|matrix| matrix.is_of(&keys)) => {
            let problem = "`matrix` stands beside a `geometry` file";
            return Err(keys.error(problem, "`matrix` maps a `shape`; files take `scale` and `up`"));
        }
        (Some(file), None) => (
            GeometrySpec::File {
                path: lowered((&keys, &file), &defaults.path, || Ok(file.text()?.into()))?,
                scene: scene_choice(&keys, &file)?,
                reading: reading(&keys, file.text()?, unit)?,
            },
            file.origin(),
        ),
        (None, Some(field)) => (GeometrySpec::Shape(shape(&keys, &field, unit, &defaults.shape)?), field.origin()),
    };
    let length = |key| keys.get(key).map(|length| length.length_from_zero(unit)).transpose();
    let deviation = length("deviation")?;
    let deviation_source = deviation_source(&keys, deviation, &geometry)?;
    let growth = Growth { offset: length("offset")?.unwrap_or(0.0), deviation: deviation.unwrap_or(0.0) };
    let (pose, rest) = poses(&keys, unit)?;
    Ok(BodySpec {
        geometry,
        geometry_at,
        growth,
        deviation_source,
        groups: groups(&keys, &defaults.groups)?,
        pose,
        rest,
        pose_steps: PoseSteps::default(),
        pivot: keys.get("pivot").map(|word| pivot(&word)).transpose()?,
        bounds: bounds(&keys, unit)?,
        id: keys.get("id").map(|number| number.integer()).transpose()?,
        node: None,
        at: keys.origin(),
        name,
    })
}

/// Reads `deviation_source`; `deviation`: of the body, if it has one.
fn deviation_source(keys: &Keys<'_>, deviation: Option<f64>, geometry: &GeometrySpec) -> Result<DeviationSource> {
    let Some(field) = keys.get("deviation_source") else {
        let is_shape = matches!(geometry, GeometrySpec::Shape(_));
        return Ok(match deviation {
            None if is_shape => DeviationSource::Exact,
            Some(0.0) if is_shape => DeviationSource::Exact,
            None => DeviationSource::Unknown,
            Some(_) => DeviationSource::Declared,
        });
    };
    let words = [DeviationSource::Exact, DeviationSource::Proven, DeviationSource::Declared];
    let source = field.choice(&words.map(|source| (source.name(), source)))?;
    let stated = format!("the deviation is said to be {}", source.name());
    match (source, deviation) {
        (DeviationSource::Exact, Some(deviation)) if deviation > 0.0 => {
            Err(field.error(format!("{stated}, but the body has a `deviation`"), "remove one of them"))
        }
        (DeviationSource::Proven | DeviationSource::Declared, None) => {
            let remedy = "write the tolerance, such as `deviation = \"0.1mm\"`, or remove `deviation_source`";
            Err(field.error(format!("{stated}, but the body has no `deviation`"), remedy))
        }
        _ => Ok(source),
    }
}

/// `model`, `unit`, `scale` and `up` of a geometry file.
fn reading(keys: &Keys<'_>, file: &str, unit: LengthUnit) -> Result<GeometryOptions> {
    let words = Model::ALL.map(|model| (model.name(), model));
    let model = keys.get("model").map(|field| field.choice(&words)).transpose()?;
    let (inside, model) = inside(keys, model)?;
    Ok(GeometryOptions {
        unit: match keys.get("unit") {
            Some(word) => word.unit()?,
            None => readers::own_unit(Path::new(file)).unwrap_or(unit),
        },
        scale: keys.get("scale").map(|scale| positive(&scale)).transpose()?.unwrap_or(1.0),
        y_up: keys.get("up").map(|up| up.choice(&[("y", true), ("z", false)])).transpose()?.unwrap_or(false),
        model,
        inside,
    })
}

/// The scene of a glTF file that is to be taken.
fn scene_choice(keys: &Keys<'_>, file: &Field<'_>) -> Result<Option<SceneChoice>> {
    let Some(field) = keys.get("scene") else { return Ok(None) };
    if !readers::has_scenes(Path::new(file.text()?)) {
        // A default that is meant for the glTF files of other rows does not concern this one.
        if !field.is_of(keys) && file.is_of(keys) {
            return Ok(None);
        }
        return Err(field.error("only glTF files have scenes", "remove `scene`"));
    }
    if let Value::Toml(DeValue::Integer(_)) = field.value {
        let number = field.number()?;
        let wrong = || field.error(format!("{number} is no number of a scene"), "scenes are counted from 0");
        let index = Some(number as usize).filter(|&index| index as f64 == number).ok_or_else(wrong)?;
        return Ok(Some(SceneChoice::Index(index)));
    }
    Ok(Some(SceneChoice::Name(field.text()?.into())))
}

/// Reads `inside`, and returns it with the model: a sheet is a mesh. A default does not concern a
/// row of another model.
fn inside(keys: &Keys<'_>, model: Option<Model>) -> Result<(Option<Inside>, Option<Model>)> {
    let Some(field) = keys.get("inside") else { return Ok((None, model)) };
    let said = field.choice(&Inside::ALL.map(|inside| (inside.name(), inside)))?;
    match model.filter(|&model| model != Model::Mesh) {
        None if said == Inside::Surface => Ok((Some(said), Some(Model::Mesh))),
        Some(model) if said != Inside::Solid => {
            let is_own = field.is_of(keys) || keys.get("model").is_none_or(|model| !model.is_of(keys));
            if !is_own {
                return Ok((None, Some(model)));
            }
            let problem = format!("inside = \"{}\", but model = \"{}\" is solid", said.name(), model.name());
            Err(field.error(problem, "write `model = \"mesh\"`, or remove `inside`"))
        }
        _ => Ok((Some(said), model)),
    }
}

/// The lowered keys of a section of `[[bodies]]`: each is lowered once, however many rows it holds
/// for.
#[derive(Debug, Default)]
pub(super) struct LoweredDefaults {
    path: OnceLock<Arc<str>>,
    shape: OnceLock<Arc<ShapeSpec>>,
    groups: OnceLock<Arc<[String]>>,
}

/// Lowers a key; `known`: its lowered value from before, if it is a default.
fn lowered<T: ?Sized>(
    (keys, field): (&Keys<'_>, &Field<'_>),
    known: &OnceLock<Arc<T>>,
    lower: impl FnOnce() -> Result<Arc<T>>,
) -> Result<Arc<T>> {
    match known.get() {
        _ if field.is_of(keys) => lower(),
        Some(known) => Ok(Arc::clone(known)),
        None => lower().map(|value| Arc::clone(known.get_or_init(|| value))),
    }
}

fn shape(
    keys: &Keys<'_>,
    field: &Field<'_>,
    unit: LengthUnit,
    known: &OnceLock<Arc<ShapeSpec>>,
) -> Result<Arc<ShapeSpec>> {
    // Defaults that are meant for the geometry files of other rows do not concern a row's own
    // shape.
    let concerns = |stray: &Field<'_>| stray.is_of(keys) || !field.is_of(keys);
    for key in ["unit", "scale", "up", "scene", "inside"] {
        if let Some(stray) = keys.get(key).filter(concerns) {
            let remedy = match key {
                "inside" => "remove `inside`: a shape is solid".to_owned(),
                _ => format!("remove `{key}`; lengths of a shape are in the scene's `length_unit`"),
            };
            return Err(stray.error(format!("`{key}` belongs to a `geometry` file, not to a `shape`"), remedy));
        }
    }
    if let Some(model) = keys.get("model").filter(concerns).filter(|model| model.text().ok() != Some("hull")) {
        return Err(model.error("a shape is convex, or of convex parts", "remove `model`"));
    }
    let lower = || one_shape(keys, field, unit).map(Arc::new);
    match keys.get("matrix") {
        // A default shape under the matrix of a row.
        Some(matrix) if matrix.is_of(keys) => lower(),
        _ => lowered((keys, field), known, lower),
    }
}

/// Returns the shape whose kind a key names, under the `matrix` of the body.
fn one_shape(keys: &Keys<'_>, field: &Field<'_>, unit: LengthUnit) -> Result<ShapeSpec> {
    let own_matrix = keys.get("matrix");
    if field.key() == "parts" {
        return match own_matrix {
            None => parts(field, unit),
            Some(stray) => Err(stray.error("`matrix` stands beside `parts`", "give each part its own `matrix`")),
        };
    }
    let shape = shape_of(&field.table()?, &[], |problem, remedy| field.error(problem, remedy), unit)?;
    let Some(matrix) = own_matrix else { return Ok(shape) };
    let part = ShapePart { shape, matrix: Some(linear_map(&matrix)?), place: Pose::IDENTITY };
    Ok(ShapeSpec::Parts(vec![part]))
}

/// Returns the shape whose kind a key of a table names. `others`: further keys of the table.
fn shape_of(
    table: &Keys<'_>,
    others: &[&str],
    fault: impl FnOnce(String, String) -> Error,
    unit: LengthUnit,
) -> Result<ShapeSpec> {
    // Files hold pieces as the objects of a mesh; only a scene in code lists their points.
    let in_code: &[&str] = if table.source.is_in_code() && others.is_empty() { &["pieces"] } else { &[] };
    let kinds = [&["box", "sphere", "capsule", "cylinder", "points"], &round_shape::KINDS[..], in_code].concat();
    let given: Vec<Field<'_>> = kinds.iter().filter_map(|kind| table.get(kind)).collect();
    let beside = given.iter().flat_map(|kind| round_shape::keys_beside(kind.key())).copied();
    table.only(&kinds.iter().copied().chain(others.iter().copied()).chain(beside).collect::<Vec<_>>())?;
    let [only] = given.as_slice() else {
        let each = if others.is_empty() { "" } else { " in each part" };
        let remedy = format!("name exactly one of {}{each}", kinds.join(", "));
        return Err(fault(format!("{} kinds of shape instead of one", given.len()), remedy));
    };
    ShapeSpec::from_field(only, table, unit)
}

/// `parts`: shapes in places of their own.
fn parts(field: &Field<'_>, unit: LengthUnit) -> Result<ShapeSpec> {
    let wanted = "tables such as { box = [1, 1, 2], position = [0, 0, 1] }";
    let items = field.items(None, wanted)?;
    if items.is_empty() {
        return Err(field.error("the body has no part", format!("give {wanted}")));
    }
    let part = |item: &Field<'_>| {
        let table = item.table()?;
        let keys = ["matrix", "position", "orientation"];
        let shape = shape_of(&table, &keys, |problem, remedy| item.error(problem, remedy), unit)?;
        let matrix = table.get("matrix").map(|matrix| linear_map(&matrix)).transpose()?;
        Ok(ShapePart { shape, matrix, place: pose_at(&table, unit)? })
    };
    Ok(ShapeSpec::Parts(items.iter().map(part).collect::<Result<_>>()?))
}

/// `matrix`: three rows of a linear map that is not singular.
fn linear_map(field: &Field<'_>) -> Result<[[f64; 3]; 3]> {
    let mut matrix = [[0.0; 3]; 3];
    for (row, item) in matrix.iter_mut().zip(field.items(Some(3), "rows of 3 numbers")?) {
        let numbers = item.numbers(3)?;
        row.copy_from_slice(&numbers);
    }
    if spans_space(matrix) {
        return Ok(matrix);
    }
    Err(field.error(
        "the matrix is singular, or nearly so",
        "give three rows that span space, such as [[1, 0, 0], [0, 1, 0], [0, 0, 2]]",
    ))
}

fn groups(keys: &Keys<'_>, known: &OnceLock<Arc<[String]>>) -> Result<Arc<[String]>> {
    let sorted = |mut groups: Vec<String>| {
        groups.sort();
        groups.dedup();
        groups.into()
    };
    let groups = match keys.get("group") {
        Some(field) => lowered((keys, &field), known, || Ok(sorted(field.texts()?)))?,
        None => Arc::default(),
    };
    let kinds = ["class", "level"].into_iter().filter_map(|kind| Some((kind, keys.get(kind)?)));
    let kinds: Vec<String> = kinds.map(|(kind, field)| Ok(kind_group(kind, field.text()?))).collect::<Result<_>>()?;
    Ok(if kinds.is_empty() { groups } else { sorted(groups.iter().cloned().chain(kinds).collect()) })
}

/// The group of the bodies of a class or a level, which selectors call by the same text:
/// `class:IfcWall`.
fn kind_group(kind: &str, name: &str) -> String {
    format!("{kind}:{name}")
}

/// The pose of a static body, or that of a dynamic one at rest, which only joints carry from there.
fn poses(keys: &Keys<'_>, unit: LengthUnit) -> Result<(Option<Pose>, Option<Box<RestSpec>>)> {
    if keys.get("static").map(|word| word.boolean()).transpose()?.unwrap_or(false) {
        return pose_at(keys, unit).map(|pose| (Some(pose), None));
    }
    let written = ["position", "orientation"].into_iter().find_map(|key| Some((key, keys.get(key)?)));
    let rest = written.map(|(key, field)| {
        // Without joints it is wrong to have one at all, whatever it is.
        let (pose, fault) = match pose_at(keys, unit) {
            Ok(pose) => (pose, None),
            Err(error) => (Pose::IDENTITY, Some([error.place, error.problem, error.remedy])),
        };
        Box::new(RestSpec { pose, written: Some((key.to_owned(), field.place())), fault })
    });
    Ok((None, rest))
}

/// Returns the pose of `position` and `orientation`; the identity if they are left out.
pub(super) fn pose_at(keys: &Keys<'_>, unit: LengthUnit) -> Result<Pose> {
    let position = keys.get("position").map(|field| field.lengths(unit)).transpose()?.unwrap_or([0.0; 3]);
    let q = keys.get("orientation").map(|field| orientation(&field)).transpose()?.unwrap_or(Pose::IDENTITY.q);
    Ok(Pose::new(position, q))
}

/// A number above zero.
pub(super) fn positive(field: &Field<'_>) -> Result<f64> {
    let number = field.number()?;
    if number > 0.0 {
        Ok(number)
    } else {
        Err(field.error(format!("{number} is not positive"), "give a number above 0"))
    }
}
