//! Contents of a scene file, key by key, in SI units: the shape of the contract, before any
//! geometry is read.

use super::body_names::BodyNames;
use super::body_spec::{BodySpec, body, positive};
use super::body_texts::BodyTexts;
use super::columns::columns;
use super::digest::InputReader;
use super::direction::direction;
use super::each::MadeOfFiles;
use super::expect::expected;
use super::ignore::{IgnoreSpec, ignores};
use super::joints::{self, JointSpecs};
use super::keys::{Field, Keys, Origin, SceneSource};
use super::length::unit_of;
use super::motion_spec::{MotionSpec, motion};
use super::rules::{RuleSpec, rules};
use super::tables;
use super::values::Value;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::Vec3;
use clearsweep_model::{
    AnswerKind, CellSizes, DEFAULT_TOUCH_M, Expected, GjkOptions, InputDigest, IssueGroup, LengthUnit, Missing,
    RestOrientation, SearchOptions, SubAlgorithm, SupportSearch, TrajectoryColumns,
};
use std::ops::RangeInclusive;

/// A scene file, lowered but not loaded.
#[derive(Debug)]
pub(super) struct SceneFile {
    pub(super) head: Head,
    pub(super) query: Query,
    /// `None`: nothing is said.
    pub(super) motion: Option<MotionSpec>,
    pub(super) bodies: Vec<BodySpec>,
    pub(super) joints: JointSpecs,
    pub(super) ignores: Vec<IgnoreSpec>,
    pub(super) rules: Vec<RuleSpec>,
    pub(super) work: WorkList,
    pub(super) expected: Expected,
    /// The tables of bodies that were read.
    pub(super) tables: Vec<InputDigest>,
    /// The results for the nodes of geometry files.
    pub(super) made: MadeOfFiles,
}

/// `[scene]` and `[columns]`.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) name: Option<String>,
    pub(super) unit: LengthUnit,
    /// Path of the trajectories as written, and its place in the text.
    pub(super) trajectories: Option<(String, usize)>,
    /// Path of the joint values as written, and its place in the text.
    pub(super) joints: Option<(String, usize)>,
    pub(super) missing: Missing,
    /// The place of `rest = "file"`; `None`: it is not asked for.
    pub(super) rest: Option<usize>,
    pub(super) frame_rate: Option<f64>,
    /// `[columns]`.
    pub(super) columns: TrajectoryColumns,
}

/// `[query]`, lengths in metres; the place of `require` for the check against `within`.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) at: usize,
    pub(super) within: Option<f64>,
    pub(super) require: Option<(f64, usize)>,
    /// The unit that `require` names.
    pub(super) require_unit: Option<LengthUnit>,
    pub(super) touch: f64,
    pub(super) answer: AnswerKind,
    pub(super) contacts: bool,
    pub(super) static_pairs: bool,
    pub(super) direction: Option<Vec3<f64>>,
    pub(super) search: SearchOptions,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            at: 0,
            within: None,
            require: None,
            require_unit: None,
            touch: DEFAULT_TOUCH_M,
            answer: AnswerKind::default(),
            contacts: false,
            static_pairs: false,
            direction: None,
            search: SearchOptions::default(),
        }
    }
}

/// `[dispositions]` and `[report]`.
#[derive(Debug, Default)]
pub(super) struct WorkList {
    /// The path of the accepted pairs, as written.
    pub(super) accepted: Option<String>,
    pub(super) group: IssueGroup,
}

/// Lowers a scene file; a file that it reads for that has at most `max_input` bytes.
///
/// # Errors
/// The first key, in the order of the contract's tables, that does not fit.
pub(super) fn parse(source: &SceneSource<'_>, max_input: u64) -> Result<SceneFile> {
    let document = source.parse()?;
    let top = Keys::new(source, "the scene file", Value::Keys(document.get_ref()), 0);
    top.only(&[
        "scene",
        "columns",
        "query",
        "motion",
        "body",
        "bodies",
        "joint",
        "robot",
        "sweep",
        "posture",
        "ignore",
        "rule",
        "dispositions",
        "report",
        "expect",
    ])?;
    let head = head(&top)?;
    let query = match top.get("query") {
        None => Query::default(),
        Some(field) => query(&field.table()?, head.unit)?,
    };
    let motion = top.get("motion").map(|field| motion(&field.table()?, head.unit, has_joints(&top))).transpose()?;
    let (mut tables, mut made) = (InputReader::new(max_input), MadeOfFiles::default());
    let mut joints = JointSpecs::of(source, &top, head.unit, &mut tables)?;
    joints::tell(&joints, &mut made);
    let bodies = bodies(source, &top, head.unit, (&mut tables, &mut joints), &mut made)?;
    let (mut ignores, rules) = (ignores(source, &top)?, rules(source, &top, head.unit)?);
    ignores.append(&mut joints.take_ignores());
    let (work, expected) = (work_list(&top)?, expected(&top, &bodies)?);
    Ok(SceneFile { bodies, ignores, rules, work, expected, head, query, motion, joints, tables: tables.digests, made })
}

/// The contents of a part of a scene file.
#[derive(Debug)]
pub(super) struct SceneSection {
    pub(super) head: Option<Head>,
    pub(super) query: Option<Query>,
    pub(super) motion: Option<MotionSpec>,
    pub(super) bodies: Vec<BodySpec>,
    pub(super) ignores: Option<Vec<IgnoreSpec>>,
    pub(super) rules: Option<Vec<RuleSpec>>,
}

/// Lowers a part of a scene file; lengths are in `unit`, unless the part says in which. `None`:
/// something in it is wrong, or is for [`parse`].
pub(super) fn section(source: &SceneSource<'_>, unit: Option<LengthUnit>) -> Option<SceneSection> {
    let document = source.parse().ok()?;
    let top = Keys::new(source, "the scene file", Value::Keys(document.get_ref()), 0);
    top.only(&["scene", "columns", "query", "motion", "body", "ignore", "rule"]).ok()?;
    // Whoever is told of the head begins to read by it.
    if top.get("columns").is_some() && top.get("scene").is_none() {
        return None;
    }
    let head = top.get("scene").map(|_| head(&top).ok());
    let head = head.map_or(Some(None), |head| head.map(Some))?;
    let unit = unit.or(head.as_ref().map(|head| head.unit))?;
    let query = match top.get("query") {
        None => None,
        Some(field) => Some(query(&field.table().ok()?, unit).ok()?),
    };
    let motion = match top.get("motion") {
        None => None,
        Some(field) => Some(motion(&field.table().ok()?, unit, false).ok()?),
    };
    let tables = top.tables("body").ok()?.into_iter();
    let bodies = tables.map(|(at, table)| body(Keys::new(source, String::new(), table, at), unit).ok());
    let bodies = bodies.collect::<Option<Vec<_>>>()?;
    let ignores = match top.get("ignore") {
        None => None,
        Some(_) => Some(ignores(source, &top).ok()?),
    };
    let rules = match top.get("rule") {
        None => None,
        Some(_) => Some(rules(source, &top, unit).ok()?),
    };
    Some(SceneSection { head, query, motion, bodies, ignores, rules })
}

fn head(top: &Keys<'_>) -> Result<Head> {
    let field = top.required("scene", "begin the file with `[scene]` and a `length_unit`")?;
    let keys = field.table()?;
    keys.only(&["name", "length_unit", "trajectories", "joints", "missing", "rest", "frame_rate"])?;
    let path = |key| keys.get(key).map(|path| Ok((path.text()?.to_owned(), path.at))).transpose();
    let unit = keys.required("length_unit", "say in which unit lengths are, such as `length_unit = \"m\"`")?.unit()?;
    let words = [("error", Missing::Error), ("absent", Missing::Absent), ("hold", Missing::Hold)];
    Ok(Head {
        name: keys.get("name").map(|name| name.text()).transpose()?.map(str::to_owned),
        unit,
        trajectories: path("trajectories")?,
        joints: path("joints")?,
        missing: keys.get("missing").map(|word| word.choice(&words)).transpose()?.unwrap_or_default(),
        rest: keys.get("rest").map(|word| place_of_rest(&word)).transpose()?.flatten(),
        frame_rate: keys.get("frame_rate").map(|rate| frame_rate(&rate)).transpose()?,
        columns: named_columns(top)?,
    })
}

/// Lowers `[columns]` of a scene file.
pub(super) fn named_columns(top: &Keys<'_>) -> Result<TrajectoryColumns> {
    top.get("columns").map(|field| columns(&field.table()?, has_joints(top))).transpose().map(Option::unwrap_or_default)
}

/// Whether a scene file describes joints.
fn has_joints(top: &Keys<'_>) -> bool {
    top.get("joint").is_some() || top.get("robot").is_some()
}

/// The place of `rest` of `[scene]`, if its word is `file`.
///
/// # Errors
/// It is another word.
fn place_of_rest(field: &Field<'_>) -> Result<Option<usize>> {
    let words = [RestOrientation::Identity, RestOrientation::File].map(|rest| (rest.name(), rest));
    Ok((field.choice(&words)? == RestOrientation::File).then_some(field.at))
}

/// Frames a second. Outside of the range it is a slip, and the times of frames would not be finite.
pub(super) fn frame_rate(field: &Field<'_>) -> Result<f64> {
    const RANGE: RangeInclusive<f64> = 1e-12..=1e12;
    let rate = positive(field)?;
    if RANGE.contains(&rate) {
        return Ok(rate);
    }
    let remedy = format!("give frames a second, from {:e} to {:e}", RANGE.start(), RANGE.end());
    Err(field.error(format!("{rate:e} frames a second are no rate"), remedy))
}

/// The words of `contacts`.
pub(super) const CONTACTS: [(&str, bool); 2] = [("none", false), ("all", true)];

/// Lowers `[query]`.
pub(super) fn query(keys: &Keys<'_>, unit: LengthUnit) -> Result<Query> {
    keys.only(&["within", "require", "touch", "answer", "contacts", "static_pairs", "direction", "gjk", "hash"])?;
    let answers = AnswerKind::ALL.map(|answer| (answer.name(), answer));
    let length = |key| keys.get(key).map(|field| Ok((field.length_from_zero(unit)?, field.at))).transpose();
    Ok(Query {
        at: keys.at,
        within: length("within")?.map(|(within, _)| within),
        require: keys.get("require").map(|field| Ok((field.length(unit)?, field.at))).transpose()?,
        require_unit: keys.get("require").and_then(|field| field.text().ok()).and_then(unit_of),
        touch: length("touch")?.map_or(DEFAULT_TOUCH_M, |(touch, _)| touch),
        answer: keys.get("answer").map(|word| word.choice(&answers)).transpose()?.unwrap_or_default(),
        contacts: keys.get("contacts").map(|word| word.choice(&CONTACTS)).transpose()?.unwrap_or(false),
        static_pairs: keys.get("static_pairs").map(|word| word.boolean()).transpose()?.unwrap_or(false),
        direction: keys.get("direction").map(|field| direction(&field)).transpose()?,
        search: SearchOptions {
            gjk: keys.get("gjk").map(|field| gjk(&field.table()?)).transpose()?,
            hash: keys.get("hash").map(|field| cell_sizes(&field)).transpose()?,
        },
    })
}

/// Lowers `gjk` of `[query]`.
fn gjk(keys: &Keys<'_>) -> Result<GjkOptions> {
    keys.only(&["sub_algorithm", "support", "start", "tolerance"])?;
    let by_default = GjkOptions::DEFAULT;
    let sub_algorithms = SubAlgorithm::ALL.map(|option| (option.name(), option));
    let supports = SupportSearch::ALL.map(|option| (option.name(), option));
    let of_tolerance = |field: Field<'_>| {
        match field.number()? {
        tolerance if (0.0..1.0).contains(&tolerance) && tolerance > 0.0 => Ok(tolerance),
        tolerance => Err(field.error(
            format!("{tolerance} is no tolerance of a search"),
            "give a ratio of lengths between 0 and 1, such as 1e-12, or leave it out: the search then ends at the bound of rounding",
        )),
    }
    };
    let word = |key| keys.get(key);
    Ok(GjkOptions {
        sub_algorithm: word("sub_algorithm")
            .map_or(Ok(by_default.sub_algorithm), |word| word.choice(&sub_algorithms))?,
        supports: word("support").map_or(Ok(by_default.supports), |word| word.choice(&supports))?,
        warm: word("start").map_or(Ok(by_default.warm), |word| word.choice(&GjkOptions::STARTS))?,
        tolerance: keys.get("tolerance").map(of_tolerance).transpose()?,
    })
}

/// Lowers `hash` of `[query]`.
fn cell_sizes(field: &Field<'_>) -> Result<CellSizes> {
    let keys = field.table()?;
    keys.only(&["alpha", "beta"])?;
    let remedy = "give beta as 1, 0.5, 0.25, 0.125 or 0.0625, and alpha as beta divided by 2, 4, 8 or 16: cells are powers of two, \
                  and no box lies in more than two cells along an axis";
    let [alpha, beta] = ["alpha", "beta"].map(|key| keys.required(key, remedy)?.number());
    let (alpha, beta) = (alpha?, beta?);
    let problem = || format!("alpha = {alpha} and beta = {beta} are no sizes of cells");
    CellSizes::new(alpha, beta).ok_or_else(|| field.error(problem(), remedy))
}

/// All `[[body]]` in file order, then the rows of the `[[bodies]]` tables.
fn bodies(
    source: &SceneSource<'_>,
    top: &Keys<'_>,
    unit: LengthUnit,
    (tables, joints): (&mut InputReader, &mut JointSpecs),
    made: &mut MadeOfFiles,
) -> Result<Vec<BodySpec>> {
    let mut list = BodyList::default();
    for (index, (at, table)) in top.tables("body")?.into_iter().enumerate() {
        list.add(source, body(Keys::new(source, format!("[[body]] number {}", index + 1), table, at), unit)?)?;
    }
    tables::lower(source, top, unit, (tables, made), &mut |body| list.add(source, body))?;
    joints.add_robots(made, |body| list.add(source, body))?;
    for node in made.moving.iter().filter(|node| node.body.is_none()) {
        // A row of a trajectory must say which of the two it moves.
        if list.names.has(&node.name, &list.bodies) {
            let problem = format!("`{}` names a body and a node that moves", node.name);
            return Err(top.error(problem, "write `name = \"...\"` in one of the `[[bodies]]`"));
        }
    }
    list.finish(source).map_err(|error| joints.bare_robot().unwrap_or(error))
}

/// The bodies of a scene so far.
#[derive(Default)]
pub(super) struct BodyList {
    bodies: Vec<BodySpec>,
    names: BodyNames,
    texts: BodyTexts,
}

impl BodyList {
    /// Adds a body, and returns its index.
    ///
    /// # Errors
    /// Its name was used before, or there are too many bodies or too long texts.
    pub(super) fn add(&mut self, source: &SceneSource<'_>, body: BodySpec) -> Result<u32> {
        let Self { bodies, names, texts } = self;
        if let Some(first) = names.add(&body.name, bodies) {
            let first = match &bodies[first].at {
                Origin::Scene(_) if source.is_in_code() => "in the same scene".to_owned(),
                Origin::Scene(at) => format!("on line {}", source.line(*at)),
                Origin::Row(row) => format!("in {row}"),
            };
            let problem = format!("the body name `{}` was used before, {first}", body.name);
            return Err(Error::input(body.at.place(source), problem, "give each body a name of its own"));
        }
        if bodies.len() >= i32::MAX as usize {
            let problem = "the scene has more than 2^31 - 1 bodies";
            return Err(Error::input(source.place(0), problem, "split it into several scenes"));
        }
        if let Some(which) = texts.add(&body) {
            let problem =
                format!("the {which} of the bodies up to `{}` take more than {} MiB", body.name, BodyTexts::MOST >> 20);
            let remedy = format!("give the bodies fewer or shorter {which}, or split the scene");
            return Err(Error::input(body.at.place(source), problem, remedy));
        }
        bodies.push(body);
        Ok(bodies.len() as u32 - 1)
    }

    /// Returns all bodies; a scene without bodies is an error.
    pub(super) fn finish(self, source: &SceneSource<'_>) -> Result<Vec<BodySpec>> {
        if self.bodies.is_empty() {
            let remedy = "add a `[[body]]` table for each body";
            return Err(Error::input(source.place(0), "the scene has no bodies", remedy));
        }
        Ok(self.bodies)
    }
}

fn work_list(top: &Keys<'_>) -> Result<WorkList> {
    let mut work = WorkList::default();
    if let Some(section) = top.get("dispositions") {
        let keys = section.table()?;
        keys.only(&["file"])?;
        let file = keys.required("file", "name the file of accepted pairs: `file = \"accepted.csv\"`")?;
        work.accepted = Some(file.text()?.to_owned());
    }
    if let Some(section) = top.get("report") {
        let keys = section.table()?;
        keys.only(&["group"])?;
        work.group = keys.get("group").map(|word| word.choice(&IssueGroup::WORDS)).transpose()?.unwrap_or_default();
    }
    Ok(work)
}
