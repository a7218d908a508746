//! What a scene file says, key by key, in SI units: the shape of the contract, before any geometry is read.

use super::keys::{Field, Keys, Origin, TomlSource};
use super::model::{InputDigest, LengthUnit, Missing, Model};
use super::readers;
use super::shapes::ShapeSpec;
use super::tables;
use crate::error::{Error, Result};
use crate::geometry::Pose;
use std::collections::HashMap;
use std::path::Path;

/// A scene file, lowered but not loaded.
#[derive(Debug)]
pub(super) struct SceneFile {
    pub(super) head: Head,
    pub(super) query: Query,
    pub(super) bodies: Vec<BodySpec>,
    pub(super) ignores: Vec<IgnoreSpec>,
    /// The tables of bodies that were read.
    pub(super) tables: Vec<InputDigest>,
}

/// `[scene]`.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) name: Option<String>,
    pub(super) unit: LengthUnit,
    /// The path as written, and where.
    pub(super) trajectories: Option<(String, usize)>,
    pub(super) missing: Missing,
    pub(super) frame_rate: Option<f64>,
}

/// `[query]`, lengths in metres; the place of `require` for the check against `within`.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) at: usize,
    pub(super) within: Option<f64>,
    pub(super) require: Option<(f64, usize)>,
    pub(super) touch: f64,
    pub(super) static_pairs: bool,
}

/// `[[body]]`.
#[derive(Debug)]
pub(super) struct BodySpec {
    pub(super) name: String,
    /// Where the body begins.
    pub(super) at: Origin,
    pub(super) geometry: GeometrySpec,
    /// Where `geometry` or `shape` is.
    pub(super) geometry_at: Origin,
    /// Growth, metres.
    pub(super) offset: f64,
    /// Sorted, without duplicates.
    pub(super) groups: Vec<String>,
    /// The pose of a static body (not recentred); `None`: it is dynamic.
    pub(super) pose: Option<Pose>,
}

impl BodySpec {
    /// What messages call the body.
    pub(super) fn owner(&self, scene: &TomlSource<'_>) -> String {
        owner(&self.name, scene.is_in_code() || matches!(self.at, Origin::Row(_)))
    }
}

/// What messages call a body; `plain`: it is no `[[body]]` of a file.
fn owner(name: &str, plain: bool) -> String {
    if plain { format!("body `{name}`") } else { format!("[[body]] `{name}`") }
}

/// Where the geometry of a body comes from.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum GeometrySpec {
    /// A file, as written.
    File { path: String, reading: GeometryOptions },
    /// A shape, lengths in metres.
    Shape(ShapeSpec),
}

/// How a geometry file is turned into a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GeometryOptions {
    pub(super) unit: LengthUnit,
    pub(super) scale: f64,
    pub(super) y_up: bool,
    /// `None`: left out.
    pub(super) model: Option<Model>,
}

/// `[[ignore]]`.
#[derive(Debug)]
pub(super) struct IgnoreSpec {
    pub(super) a: String,
    pub(super) a_at: usize,
    pub(super) b: Option<(String, usize)>,
    pub(super) reason: Option<String>,
    pub(super) at: usize,
}

/// The keys of a `[[body]]`.
pub(super) const BODY_KEYS: [&str; 12] = [
    "name",
    "geometry",
    "shape",
    "model",
    "unit",
    "scale",
    "up",
    "offset",
    "group",
    "static",
    "position",
    "orientation",
];

/// Lowers a scene file.
///
/// # Errors
/// The first key, in the order of the contract's tables, that does not fit.
pub(super) fn parse(source: &TomlSource<'_>) -> Result<SceneFile> {
    let document = source.parse()?;
    let top = Keys::new(source, "the scene file", document.get_ref(), 0);
    top.only(&["scene", "query", "body", "bodies", "ignore", "rule"])?;
    if let Some(rule) = top.get("rule") {
        let remedy = "remove it; `require` in [query] sets one clearance for all pairs";
        return Err(rule.error("`[[rule]]` is reserved for clearances per pair or group", remedy));
    }
    let head = head(&top)?;
    let query = match top.get("query") {
        None => Query::default(),
        Some(field) => query(&field.table()?, head.unit)?,
    };
    let mut tables = Vec::new();
    let bodies = bodies(source, &top, head.unit, &mut tables)?;
    Ok(SceneFile { bodies, ignores: ignores(source, &top)?, head, query, tables })
}

/// What a part of a scene file holds.
#[derive(Debug)]
pub(super) struct SceneSection {
    pub(super) head: Option<Head>,
    pub(super) query: Option<Query>,
    pub(super) bodies: Vec<BodySpec>,
    pub(super) ignores: Option<Vec<IgnoreSpec>>,
}

/// Lowers a part of a scene file; lengths are in `unit`, unless the part says in which. `None`: something in it is wrong,
/// or is for [`parse`].
pub(super) fn section(source: &TomlSource<'_>, unit: Option<LengthUnit>) -> Option<SceneSection> {
    let document = source.parse().ok()?;
    let top = Keys::new(source, "the scene file", document.get_ref(), 0);
    top.only(&["scene", "query", "body", "ignore"]).ok()?;
    let head = top.get("scene").map(|_| head(&top).ok());
    let head = head.map_or(Some(None), |head| head.map(Some))?;
    let unit = unit.or(head.as_ref().map(|head| head.unit))?;
    let query = match top.get("query") {
        None => None,
        Some(field) => Some(query(&field.table().ok()?, unit).ok()?),
    };
    let tables = top.tables("body").ok()?.into_iter();
    let bodies = tables.map(|(at, table)| body(Keys::new(source, String::new(), table, at), unit).ok());
    let bodies = bodies.collect::<Option<Vec<_>>>()?;
    let ignores = match top.get("ignore") {
        None => None,
        Some(_) => Some(ignores(source, &top).ok()?),
    };
    Some(SceneSection { head, query, bodies, ignores })
}

fn head(top: &Keys<'_>) -> Result<Head> {
    let field = top.required("scene", "begin the file with `[scene]` and a `length_unit`")?;
    let keys = field.table()?;
    keys.only(&["name", "length_unit", "trajectories", "missing", "frame_rate"])?;
    let unit = keys.required("length_unit", "say in which unit lengths are, such as `length_unit = \"m\"`")?.unit()?;
    let words = [("error", Missing::Error), ("absent", Missing::Absent), ("hold", Missing::Hold)];
    Ok(Head {
        name: keys.get("name").map(|name| name.text()).transpose()?.map(str::to_owned),
        unit,
        trajectories: match keys.get("trajectories") {
            None => None,
            Some(path) => Some((path.text()?.to_owned(), path.at)),
        },
        missing: keys.get("missing").map(|word| word.choice(&words)).transpose()?.unwrap_or_default(),
        frame_rate: keys.get("frame_rate").map(|rate| positive(&rate)).transpose()?,
    })
}

/// A number above zero.
fn positive(field: &Field<'_>) -> Result<f64> {
    let number = field.number()?;
    if number > 0.0 {
        Ok(number)
    } else {
        Err(field.error(format!("{number} is not positive"), "give a number above 0"))
    }
}

fn query(keys: &Keys<'_>, unit: LengthUnit) -> Result<Query> {
    keys.only(&["within", "require", "touch", "static_pairs"])?;
    let length = |key| keys.get(key).map(|field| Ok((field.length_from_zero(unit)?, field.at))).transpose();
    Ok(Query {
        at: keys.at,
        within: length("within")?.map(|(within, _)| within),
        require: length("require")?,
        touch: length("touch")?.map_or(0.0, |(touch, _)| touch),
        static_pairs: keys.get("static_pairs").map(|word| word.boolean()).transpose()?.unwrap_or(false),
    })
}

/// All `[[body]]` in file order, then the rows of the `[[bodies]]` tables.
fn bodies(
    source: &TomlSource<'_>,
    top: &Keys<'_>,
    unit: LengthUnit,
    tables: &mut Vec<InputDigest>,
) -> Result<Vec<BodySpec>> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut bodies: Vec<BodySpec> = Vec::new();
    let mut add = |body: BodySpec| {
        if let Some(first) = seen.insert(body.name.clone(), bodies.len()) {
            let first = match &bodies[first].at {
                Origin::Scene(_) if source.is_in_code() => "in the same scene".to_owned(),
                Origin::Scene(at) => format!("on line {}", source.line(*at)),
                Origin::Row(row) => format!("in {row}"),
            };
            let problem = format!("the body name `{}` was used before, {first}", body.name);
            return Err(Error::input(body.at.place(source), problem, "give each body a name of its own"));
        }
        if bodies.len() >= i32::MAX as usize {
            return Err(top.error("the scene has more than 2^31 - 1 bodies", "split it into several scenes"));
        }
        bodies.push(body);
        Ok(())
    };
    for (index, (at, table)) in top.tables("body")?.into_iter().enumerate() {
        add(body(Keys::new(source, format!("[[body]] number {}", index + 1), table, at), unit)?)?;
    }
    tables::lower(source, top, unit, tables, &mut add)?;
    if bodies.is_empty() {
        return Err(top.error("the scene has no bodies", "add a `[[body]]` table for each body"));
    }
    Ok(bodies)
}

/// Lowers one body: a `[[body]]`, or a row of a table with its defaults.
pub(super) fn body(mut keys: Keys<'_>, unit: LengthUnit) -> Result<BodySpec> {
    let name = keys.required("name", "give the body a unique `name`")?.text()?.to_owned();
    keys.owner = owner(&name, keys.source.is_row() || keys.source.is_in_code());
    keys.only(&BODY_KEYS)?;
    let (file, shape_key) = match (keys.get("geometry"), keys.get("shape")) {
        // What a row says holds, whichever of the two the defaults say.
        (Some(file), Some(shape)) if file.is_of(&keys) && !shape.is_of(&keys) => (Some(file), None),
        (Some(file), Some(shape)) if shape.is_of(&keys) && !file.is_of(&keys) => (None, Some(shape)),
        both => both,
    };
    let (geometry, geometry_at) = match (file, shape_key) {
        (Some(_), Some(shape)) => {
            return Err(shape.error("the body has both a `geometry` and a `shape`", "remove one of them"));
        }
        (None, None) => {
            let problem = format!("{} has neither a `geometry` nor a `shape`", keys.owner);
            return Err(keys.error(problem, "add `geometry = \"FILE\"`, or `shape = { box = [...] }`"));
        }
        (Some(file), None) => (
            GeometrySpec::File { path: file.text()?.to_owned(), reading: reading(&keys, file.text()?, unit)? },
            file.origin(),
        ),
        (None, Some(field)) => (GeometrySpec::Shape(shape(&keys, &field, unit)?), field.origin()),
    };
    Ok(BodySpec {
        geometry,
        geometry_at,
        offset: keys.get("offset").map(|offset| offset.length_from_zero(unit)).transpose()?.unwrap_or(0.0),
        groups: groups(&keys)?,
        pose: pose(&keys, unit)?,
        at: keys.origin(),
        name,
    })
}

/// `model`, `unit`, `scale` and `up` of a geometry file.
fn reading(keys: &Keys<'_>, file: &str, unit: LengthUnit) -> Result<GeometryOptions> {
    let words = [("hull", Some(Model::Hull)), ("pieces", Some(Model::Pieces)), ("mesh", None)];
    let mut model = None;
    if let Some(field) = keys.get("model") {
        model = field.choice(&words)?;
        if model.is_none() {
            let remedy = "use \"hull\" (the convex hull contains the body: distances are lower bounds) or \"pieces\"";
            return Err(field.error("model = \"mesh\" is not supported in this version yet", remedy));
        }
    }
    Ok(GeometryOptions {
        unit: match keys.get("unit") {
            Some(word) => word.unit()?,
            None => readers::own_unit(Path::new(file)).unwrap_or(unit),
        },
        scale: keys.get("scale").map(|scale| positive(&scale)).transpose()?.unwrap_or(1.0),
        y_up: keys.get("up").map(|up| up.choice(&[("y", true), ("z", false)])).transpose()?.unwrap_or(false),
        model,
    })
}

fn shape(keys: &Keys<'_>, field: &Field<'_>, unit: LengthUnit) -> Result<ShapeSpec> {
    for key in ["unit", "scale", "up"] {
        if let Some(stray) = keys.get(key) {
            let remedy = format!("remove `{key}`; lengths of a shape are in the scene's `length_unit`");
            return Err(stray.error(format!("`{key}` belongs to a `geometry` file, not to a `shape`"), remedy));
        }
    }
    if let Some(model) = keys.get("model").filter(|model| model.text().ok() != Some("hull")) {
        return Err(model.error("a shape is always convex", "remove `model`, or write \"hull\""));
    }
    let table = field.table()?;
    // Files hold pieces as the objects of a mesh; only a scene in code lists their points.
    let kinds = ["box", "sphere", "capsule", "cylinder", "points", "pieces"];
    let kinds = if keys.source.is_in_code() { &kinds[..] } else { &kinds[..5] };
    table.only(kinds)?;
    let given: Vec<Field<'_>> = kinds.iter().filter_map(|kind| table.get(kind)).collect();
    let [only] = given.as_slice() else {
        let remedy = format!("name exactly one of {}", kinds.join(", "));
        return Err(field.error(format!("{} kinds of shape instead of one", given.len()), remedy));
    };
    ShapeSpec::from_field(only, unit)
}

fn groups(keys: &Keys<'_>) -> Result<Vec<String>> {
    let mut groups = keys.get("group").map(|field| field.texts()).transpose()?.unwrap_or_default();
    groups.sort();
    groups.dedup();
    Ok(groups)
}

/// The pose of a static body; dynamic bodies may not have one.
fn pose(keys: &Keys<'_>, unit: LengthUnit) -> Result<Option<Pose>> {
    let is_static = keys.get("static").map(|word| word.boolean()).transpose()?.unwrap_or(false);
    if !is_static {
        for key in ["position", "orientation"] {
            if let Some(stray) = keys.get(key) {
                let remedy = "add `static = true`, or remove the key: poses of a dynamic body are in the trajectories";
                return Err(stray.error(format!("a dynamic body has no `{key}` in the scene"), remedy));
            }
        }
        return Ok(None);
    }
    let mut position = [0.0; 3];
    if let Some(field) = keys.get("position") {
        for (to, number) in position.iter_mut().zip(field.numbers(Some(3))?) {
            *to = field.metres(number, unit)?;
        }
    }
    let q = keys.get("orientation").map(|field| orientation(&field)).transpose()?.unwrap_or(Pose::IDENTITY.q);
    Ok(Some(Pose::new(position, q)))
}

/// A quaternion by named components, of norm 1 within 1e-3; kept as written, since the rotation is that of the
/// quaternion normalised.
fn orientation(field: &Field<'_>) -> Result<[f64; 4]> {
    let names = ["qw", "qx", "qy", "qz"];
    let table = field.table()?;
    table.only(&names)?;
    let mut q = [0.0; 4];
    for (component, name) in q.iter_mut().zip(names) {
        *component = table.required(name, "give all of qw, qx, qy, qz")?.number()?;
    }
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    if (norm - 1.0).abs() <= 1e-3 {
        return Ok(q);
    }
    let remedy = "give a unit quaternion (qw is the scalar part)";
    Err(field.error(format!("the quaternion has the norm {norm}, not 1 within 1e-3"), remedy))
}

fn ignores(source: &TomlSource<'_>, top: &Keys<'_>) -> Result<Vec<IgnoreSpec>> {
    let mut ignores = Vec::new();
    for (index, (at, table)) in top.tables("ignore")?.into_iter().enumerate() {
        let keys = Keys::new(source, format!("[[ignore]] number {}", index + 1), table, at);
        keys.only(&["a", "b", "reason"])?;
        let a = keys.required("a", "name a body, `group:NAME` or a glob over names")?;
        let b = keys.get("b");
        ignores.push(IgnoreSpec {
            a: a.text()?.to_owned(),
            a_at: a.at,
            b: b.map(|b| Ok((b.text()?.to_owned(), b.at))).transpose()?,
            reason: keys.get("reason").map(|reason| reason.text()).transpose()?.map(str::to_owned),
            at,
        });
    }
    Ok(ignores)
}
