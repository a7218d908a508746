//! `[[bodies]]` with `each`: a body of every node, object or component of a geometry file.

use super::body_spec::{BodySpec, GeometryOptions, GeometrySpec, RestSpec};
use super::glob::glob_matches;
use super::keys::{Field, Keys};
use super::readers::{self, Each, FileParts, MAX_PATHS, PartGeometry, PartNode, PlantClass, PlantOptions};
use super::row_place::RowPlace;
use clearsweep_base::error::{Error, Result, nearest};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{BodyTree, DeviationSource, GeometryNote, MovingNode, PoseSteps, TreeNode};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The keys of a section with `each` that are no keys of its bodies.
pub(super) const OWN_KEYS: [&str; 9] =
    ["each", "table", "columns", "include", "exclude", "moving", "name", "attributes", "classes"];

/// The results for the nodes of files: moving nodes, still nodes, trees and notes.
#[derive(Debug, Default)]
pub(super) struct MadeOfFiles {
    pub(super) moving: Vec<MovingNode>,
    /// Nodes that are no bodies and stand still, with their poses in the scene, metres.
    pub(super) still: Vec<(String, Pose)>,
    /// Names of what joints carry: nodes of these names move.
    pub(super) carried: HashSet<String>,
    pub(super) trees: Vec<BodyTree>,
    /// Notes on the parts left out of files: the file, and the note.
    pub(super) notes: Vec<(PathBuf, GeometryNote)>,
}

/// A row of the table that says in what some bodies differ.
pub(super) struct OverrideRow {
    pub(super) place: RowPlace,
    /// The body of the row, with the section's keys as defaults.
    pub(super) spec: BodySpec,
    /// Whether the row itself has a `geometry` or a `shape`.
    pub(super) has_geometry: bool,
    pub(super) has_position: bool,
    pub(super) has_orientation: bool,
    /// `static`, if the row says it.
    pub(super) is_static: Option<bool>,
}

/// A section, lowered but for its file.
pub(super) struct EachSection<'k> {
    pub(super) keys: &'k Keys<'k>,
    pub(super) each: Each,
    /// Before all names, with a slash.
    prefix: String,
    include: Option<Field<'k>>,
    exclude: Option<Field<'k>>,
    moving: Option<Field<'k>>,
    is_static: Option<bool>,
    /// Pose of the whole file.
    pub(super) stands: Option<Pose>,
}

/// The line `each` that fits the `geometry` of a section; `None`: there is no such file.
pub(super) fn fitting(keys: &Keys<'_>) -> Option<String> {
    let geometry = keys.get("geometry")?;
    let each = Each::of_file(Path::new(geometry.text().ok()?))?;
    Some(format!("`each = \"{}\"`", each.word()))
}

impl<'k> EachSection<'k> {
    /// The keys of the section; `None`: it has no `each`.
    pub(super) fn of(keys: &'k Keys<'k>) -> Result<Option<Self>> {
        let Some(each) = keys.get("each") else {
            if let Some(stray) =
                ["include", "exclude", "moving", "attributes", "classes"].into_iter().find_map(|key| keys.get(key))
            {
                let remedy = match fitting(keys) {
                    Some(each) => format!("add {each}, or remove the key"),
                    None => "add a `geometry` and `each`, or remove the key".to_owned(),
                };
                return Err(stray.error("the key belongs to a section with `each`", remedy));
            }
            return Ok(None);
        };
        let each = each.choice(&Each::WORDS)?;
        if let Some(shape) = keys.get("shape") {
            return Err(shape.error("`each` makes bodies of a `geometry` file, not of a `shape`", "remove `shape`"));
        }
        let prefix = keys.get("name").map(|name| Ok(format!("{}/", name.text()?))).transpose()?.unwrap_or_default();
        Ok(Some(Self {
            keys,
            each,
            prefix,
            include: keys.get("include"),
            exclude: keys.get("exclude"),
            moving: keys.get("moving"),
            is_static: keys.get("static").map(|word| word.boolean()).transpose()?,
            stands: None,
        }))
    }
}

/// Keys of a section about an RVM file.
///
/// # Errors
/// The file is another one, a class is unknown, or a key would turn or scale the plant, which has
/// its own unit and axes.
pub(super) fn plant_options(keys: &Keys<'_>, geometry: &Field<'_>) -> Result<PlantOptions> {
    let is_plant = readers::is_plant(Path::new(geometry.text()?));
    let strays: &[&str] = if is_plant { &["unit", "scale", "up"] } else { &["attributes", "classes"] };
    if let Some(stray) = strays.iter().find_map(|key| keys.get(key)) {
        return Err(match is_plant {
            true => stray.error("an RVM file says its own unit and axes", format!("remove `{}`", stray.key())),
            false => stray.error("the key belongs to an .rvm file", format!("remove `{}`", stray.key())),
        });
    }
    let mut options = PlantOptions::default();
    if let Some(field) = keys.get("attributes") {
        options.attributes = Some(field.scene().parent().unwrap_or(Path::new("")).join(field.text()?));
    }
    if let Some(field) = keys.get("classes") {
        options.classes.clear();
        for word in field.texts()? {
            let Some((_, classes)) = PlantClass::WORDS.iter().find(|(known, _)| *known == word) else {
                let known = PlantClass::WORDS.map(|(word, _)| word).join(", ");
                return Err(
                    field.error(format!("`{word}` is no class of an RVM file"), format!("name some of {known}"))
                );
            };
            options.classes.extend_from_slice(classes);
        }
    }
    Ok(options)
}

/// The nodes of a file while bodies are made of them.
struct Lowering<'s> {
    section: &'s EachSection<'s>,
    path: &'s Arc<Path>,
    file: &'s FileParts,
    /// Names with the prefix.
    names: Vec<String>,
    rows: HashMap<String, OverrideRow>,
    /// Bytes of the names of the groups of all bodies; those of a shared list once.
    group_bytes: usize,
    /// The groups of the body before.
    known_groups: Option<KnownGroups>,
    /// The geometries of the file that bodies have.
    used: HashSet<u32>,
}

/// The groups of a body, and what they follow from.
struct KnownGroups {
    /// The node above.
    parent: Option<u32>,
    /// Groups of the part in the file.
    of_part: Arc<[Arc<str>]>,
    /// Groups of the section or row.
    others: Arc<[String]>,
    groups: Arc<[String]>,
}

/// Makes bodies of the parts of a file and hands them to `take`, which says their indices.
/// `template`: a body with the section's keys; `reading`: what it says of geometry.
///
/// # Errors
/// A glob that matches nothing, a row without a part, or the first error of `take`.
pub(super) fn lower(
    section: &EachSection<'_>,
    (path, file): (&Arc<Path>, &FileParts),
    (template, reading): (&BodySpec, GeometryOptions),
    rows: HashMap<String, OverrideRow>,
    made: &mut MadeOfFiles,
    take: &mut dyn FnMut(BodySpec) -> Result<u32>,
) -> Result<()> {
    check_names(section, path, file)?;
    let names = file.nodes.iter().map(|node| format!("{}{}", section.prefix, node.name)).collect();
    let mut all =
        Lowering { section, path, file, names, rows, group_bytes: 0, known_groups: None, used: HashSet::new() };
    all.check_rows()?;
    let chosen = all.chosen()?;
    let moves = all.moves(&made.carried)?;
    all.check_skins(&chosen, &moves)?;
    let stands = section.stands.unwrap_or(Pose::IDENTITY);
    let first_moving = made.moving.len();
    let mut carried_by: Vec<Option<usize>> = Vec::with_capacity(file.nodes.len());
    let mut tree = Vec::with_capacity(file.nodes.len());
    for (index, node) in file.nodes.iter().enumerate() {
        let carrier = node.parent.and_then(|parent| carried_by[parent as usize]);
        let place = stands.after(&in_scene(&node.place, &reading));
        let name = all.names[index].clone();
        let body = match node.geometry.filter(|_| chosen[index]) {
            None => None,
            Some(_) => {
                let spec = all.body(index, node, (template, reading), (moves[index], place))?;
                let spec = BodySpec { node: Some([made.trees.len() as u32, index as u32]), ..spec };
                let is_static = spec.pose.is_some();
                Some((take(spec).map_err(|error| all.taken(error))?, is_static))
            }
        };
        let input = moves[index] && !matches!(body, Some((_, true)));
        if input {
            let body = body.map(|(body, _)| body);
            made.moving.push(MovingNode { name: name.clone(), body, carrier, place });
        } else if body.is_none() {
            made.still.push((name.clone(), place));
        }
        carried_by.push(if input { Some(made.moving.len() - 1) } else { carrier });
        let depth = node.parent.map_or(0, |parent| tree_depth(&tree, parent) + 1);
        tree.push(TreeNode { name, depth, is_body: body.is_some(), moves: input, bodies: u64::from(body.is_some()) });
    }
    count(&mut tree, &file.nodes);
    if tree.iter().all(|node| !node.is_body) {
        let problem = format!("no part of {} is left by `include` and `exclude`", path.display());
        return Err(section.keys.error(problem, "name parts as `clearsweep check` lists them without these keys"));
    }
    if let Some(moving) = &section.moving
        && made.moving[first_moving..].iter().all(|node| node.body.is_none())
    {
        return Err(
            moving.error("no body is moved by these nodes", "name a node that is a body or has bodies below it")
        );
    }
    made.notes.extend(file.notes.iter().map(|note| (path.to_path_buf(), note.clone())));
    made.trees.push(BodyTree {
        file: path.to_path_buf(),
        each: section.each.word(),
        geometries: all.used.len(),
        renamed: file.renamed.iter().map(|&node| all.names[node as usize].clone()).collect(),
        left_out: (0..file.nodes.len()).filter(|&n| file.nodes[n].geometry.is_some() && !chosen[n]).count() as u64,
        empty: file.empty,
        nodes: tree,
    });
    Ok(())
}

/// Refuses a `name` that would fill the memory: it is put before the names of all nodes.
fn check_names(section: &EachSection<'_>, path: &Path, file: &FileParts) -> Result<()> {
    let bytes = file.nodes.iter().fold(0_usize, |bytes, node| bytes + section.prefix.len() + node.name.len());
    if bytes <= MAX_PATHS {
        return Ok(());
    }
    let problem = format!("the names of the nodes of {} take more than {} MiB", path.display(), MAX_PATHS >> 20);
    Err(section.keys.error(problem, "give the section a shorter `name`"))
}

fn tree_depth(tree: &[TreeNode], node: u32) -> u32 {
    tree[node as usize].depth
}

/// Adds up the bodies below each node.
fn count(tree: &mut [TreeNode], nodes: &[PartNode]) {
    for index in (0..tree.len()).rev() {
        if let Some(parent) = nodes[index].parent {
            tree[parent as usize].bodies += tree[index].bodies;
        }
    }
}

/// A place of a file in metres, z up: turned as the geometry is.
fn in_scene(place: &Pose, reading: &GeometryOptions) -> Pose {
    let [x, y, z] = place.position.to_array().map(|c| reading.unit.metres(c * reading.scale));
    let [qw, qx, qy, qz] = place.q;
    if reading.y_up { Pose::new([x, -z, y], [qw, qx, -qz, qy]) } else { Pose::new([x, y, z], place.q) }
}

impl Lowering<'_> {
    /// The body of a node that may move or not, and stands at a place.
    fn body(
        &mut self,
        index: usize,
        node: &PartNode,
        (template, reading): (&BodySpec, GeometryOptions),
        (moves, place): (bool, Pose),
    ) -> Result<BodySpec> {
        let row = self.rows.remove(&self.names[index]);
        let mut pose = place;
        let mut is_static = !moves;
        let mut own_geometry = false;
        let mut spec = match row {
            None => template.clone(),
            Some(row) => {
                is_static = row.is_static.unwrap_or(is_static);
                if !is_static && (row.has_position || row.has_orientation) {
                    let problem = format!("body `{}` moves, so it has no pose in the scene", self.names[index]);
                    return Err(Error::input(
                        &row.place,
                        problem,
                        "empty the cells of its pose, or set `static` to true",
                    ));
                }
                let given = row.spec.pose.unwrap_or(Pose::IDENTITY);
                if row.has_position {
                    pose.position = given.position;
                }
                if row.has_orientation {
                    pose.q = given.q;
                }
                own_geometry = row.has_geometry;
                row.spec
            }
        };
        if !own_geometry {
            let reading = match spec.geometry {
                GeometrySpec::File { reading, .. } => reading,
                _ => reading,
            };
            let geometry = node.geometry.and_then(|geometry| self.file.geometries.get(geometry as usize));
            match geometry.ok_or_else(|| Error::internal(self.path.display(), "a part lost its geometry"))? {
                PartGeometry::Mesh(mesh) => {
                    let (mesh, file) = (Arc::clone(mesh), Arc::clone(self.path));
                    spec.geometry = GeometrySpec::Part { mesh, file, reading };
                }
                PartGeometry::Shape { shape, step } => {
                    spec.geometry = GeometrySpec::Shape(Arc::clone(shape));
                    let stored = PoseSteps { position_m: *step, turn_rad: PoseSteps::TURN_RAD };
                    spec.pose_steps = spec.pose_steps.max(stored);
                    // A file counts as triangles until one of its parts has none.
                    if spec.deviation_source == DeviationSource::Unknown {
                        spec.deviation_source = DeviationSource::Exact;
                    }
                }
            }
            self.used.extend(node.geometry);
        }
        check_place(&pose).map_err(|problem| {
            let problem = format!("`{}`: {problem}", self.names[index]);
            Error::input(self.path.display(), problem, "check the `unit` and the `scale` of the section")
        })?;
        spec.pose = is_static.then_some(pose);
        spec.rest = (!is_static).then(|| Box::new(RestSpec { pose, written: None, fault: None }));
        spec.name.clone_from(&self.names[index]);
        spec.groups = self.groups(node, &spec.groups);
        if self.group_bytes > MAX_PATHS {
            let problem = format!(
                "the groups of its parts, one for each node above and material, take more than {} MiB",
                MAX_PATHS >> 20
            );
            let remedy = "nest its nodes less deeply, or give them, their materials and `group` shorter names";
            return Err(Error::input(self.path.display(), problem, remedy));
        }
        Ok(spec)
    }

    /// The groups of the body of a node, beside those of its section or row. Siblings with the
    /// same groups in the file share a list.
    fn groups(&mut self, node: &PartNode, others: &Arc<[String]>) -> Arc<[String]> {
        let is_same = |known: &&KnownGroups| {
            known.parent == node.parent
                && Arc::ptr_eq(&known.of_part, &node.groups)
                && Arc::ptr_eq(&known.others, others)
        };
        if let Some(known) = self.known_groups.as_ref().filter(is_same) {
            return Arc::clone(&known.groups);
        }
        let mut groups = others.to_vec();
        groups.extend(self.ancestors(node).map(|above| self.names[above].clone()));
        groups.extend(node.groups.iter().map(|group| String::from(&**group)));
        self.group_bytes += groups.iter().map(String::len).sum::<usize>();
        groups.sort();
        groups.dedup();
        let groups: Arc<[String]> = groups.into();
        let (of_part, others) = (Arc::clone(&node.groups), Arc::clone(others));
        self.known_groups = Some(KnownGroups { parent: node.parent, of_part, others, groups: Arc::clone(&groups) });
        groups
    }

    /// The nodes above one, from below.
    fn ancestors(&self, node: &PartNode) -> impl Iterator<Item = usize> {
        let above = |index: usize| self.file.nodes[index].parent.map(|parent| parent as usize);
        std::iter::successors(node.parent.map(|parent| parent as usize), move |&index| above(index))
    }

    /// An error about a body whose name is taken.
    fn taken(&self, error: Error) -> Error {
        let remedy =
            "write `name = \"...\"` in this `[[bodies]]`: it is put before the names of the file, with a slash";
        Error { remedy: remedy.to_owned(), ..error }
    }

    /// Refuses rows that name no part.
    fn check_rows(&self) -> Result<()> {
        let parts: HashMap<&str, &PartNode> = self.names.iter().map(String::as_str).zip(&self.file.nodes).collect();
        let wrong = self.rows.iter().filter_map(|(name, row)| match parts.get(name.as_str()) {
            Some(part) if part.geometry.is_some() => None,
            found => Some((row.place.row, name, row, found)),
        });
        let Some((_, name, row, node)) = wrong.min_by_key(|wrong| wrong.0) else { return Ok(()) };
        let file = self.path.display();
        if node.is_some_and(|node| node.hidden) {
            let problem = format!("`{name}` is hidden in {file}, and so no body");
            return Err(Error::input(&row.place, problem, "remove the row, or show the node in the file"));
        }
        if node.is_some() {
            let problem = format!("`{name}` is a node of {file} without triangles, and so no body");
            return Err(Error::input(&row.place, problem, "name the bodies below it, a row each"));
        }
        let problem = format!("`{name}` is no part of {file}");
        Err(Error::input(&row.place, problem, self.suggestion(name, |node| node.geometry.is_some())))
    }

    /// Remedy for a name that no part has; `fits`: nodes that may be meant.
    fn suggestion(&self, name: &str, fits: impl Fn(&PartNode) -> bool) -> String {
        let fitting = self.names.iter().zip(&self.file.nodes).filter(|(_, node)| fits(node));
        match nearest(name, fitting.map(|(name, _)| name.as_str())) {
            Some(near) => format!("did you mean `{near}`? `clearsweep check` lists the parts of the file"),
            None => format!(
                "`clearsweep check` lists the parts of the file, such as `{}`",
                self.names
                    .iter()
                    .zip(&self.file.nodes)
                    .find(|(_, node)| node.geometry.is_some())
                    .map_or("", |found| found.0)
            ),
        }
    }

    /// Refuses skins that trajectories would bend: joints place them, at the rest pose of the file
    /// only.
    fn check_skins(&self, chosen: &[bool], moves: &[bool]) -> Result<()> {
        let nodes = self.file.nodes.iter().enumerate();
        // Nodes of one skin share the list of its joints.
        let mut known: HashMap<*const u32, bool> = HashMap::new();
        for (index, node) in nodes.filter(|(index, node)| chosen[*index] && !node.joints.is_empty()) {
            let bends = || node.joints.iter().any(|&joint| moves[joint as usize]);
            if moves[index] || *known.entry(node.joints.as_ptr()).or_insert_with(bends) {
                let problem = format!(
                    "`{}` of {} is placed by the joints of a skin, so no row of a trajectory can move it",
                    self.names[index],
                    self.path.display()
                );
                let remedy = "leave it out by `exclude`, export it with the skin applied, or make one body of the whole file by                     a `[[body]]`";
                return Err(self.section.keys.error(problem, remedy));
            }
        }
        Ok(())
    }

    /// Returns, by node, whether `include` chooses it and `exclude` does not leave it out.
    fn chosen(&self) -> Result<Vec<bool>> {
        let included = match &self.section.include {
            Some(field) => self.matched(field)?,
            None => vec![true; self.names.len()],
        };
        let excluded = match &self.section.exclude {
            Some(field) => self.matched(field)?,
            None => vec![false; self.names.len()],
        };
        Ok(included.into_iter().zip(excluded).map(|(included, excluded)| included && !excluded).collect())
    }

    /// Returns, by node, whether trajectories may move it: nodes that are named or carried by
    /// joints, and all below them.
    fn moves(&self, carried: &HashSet<String>) -> Result<Vec<bool>> {
        let mut moves = match &self.section.moving {
            Some(field) => self.matched(field)?,
            None => vec![self.section.is_static == Some(false); self.names.len()],
        };
        for index in 0..moves.len() {
            let row = self.rows.get(&self.names[index]).and_then(|row| row.is_static);
            let above = self.file.nodes[index].parent.is_some_and(|parent| moves[parent as usize]);
            moves[index] |= above || row == Some(false) || carried.contains(&self.names[index]);
        }
        Ok(moves)
    }

    /// The nodes that a glob of the field matches, and all below them.
    fn matched(&self, field: &Field<'_>) -> Result<Vec<bool>> {
        let mut matched = vec![false; self.names.len()];
        for glob in field.texts()? {
            let mut any = false;
            for (name, matched) in self.names.iter().zip(&mut matched) {
                let fits = *name == glob || glob_matches(&glob, name);
                *matched |= fits;
                any |= fits;
            }
            if !any {
                let problem = format!("`{glob}` matches no node of {}", self.path.display());
                return Err(field.error(problem, self.suggestion(&glob, |_| true)));
            }
        }
        for index in 0..matched.len() {
            matched[index] |= self.file.nodes[index].parent.is_some_and(|parent| matched[parent as usize]);
        }
        Ok(matched)
    }
}

fn check_place(pose: &Pose) -> std::result::Result<(), String> {
    let Vec3 { x, y, z } = pose.position;
    [x, y, z].into_iter().try_for_each(super::length::check_length)
}
