//! The groups or the primitives of a plant to the parts of a file.

use super::attributes::PlantAttributes;
use super::items::PlantItems;
use super::kind::Kind;
use super::plant::{Fields, Plant, PlantPrimitive};
use super::{PlantClass, facets, note};
use crate::length::check_length;
use crate::readers::mesh::{Fault, Mesh};
use crate::readers::notes::listed;
use crate::readers::parts::{FileParts, PartGeometry, PartNode};
use crate::shapes::{ShapePart, ShapeSpec};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{GeometryNote, single_step};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The parts of a plant, names not yet unique. `by_primitive`: every primitive is a body, else
/// those of a group are one. `classes`: those that become bodies.
///
/// # Errors
/// No primitive is left.
pub(super) fn parts(
    bytes: &[u8],
    plant: &Plant,
    attributes: Option<&PlantAttributes>,
    by_primitive: bool,
    classes: &[PlantClass],
) -> Result<FileParts, Fault> {
    let items = PlantItems::new(plant, attributes);
    let parts = FileParts::default();
    let mut making = Making { bytes, plant, items, by_primitive, classes, parts, left_out: LeftOut::default() };
    let mut of_group: Vec<Vec<u32>> = vec![Vec::new(); plant.groups.len()];
    for (primitive, index) in plant.primitives.iter().zip(0..) {
        of_group[primitive.group as usize].push(index);
    }
    // A group stands for itself and for its other bodies, which are nodes, too.
    let mut node_of: Vec<u32> = Vec::with_capacity(plant.groups.len());
    for (group, own) in (0..).zip(&of_group) {
        let parent = plant.groups[group as usize].parent.map(|parent| node_of[parent as usize]);
        node_of.push(making.group(group, parent, own));
    }
    making.finish()
}

/// Primitives that became no body.
#[derive(Default)]
struct LeftOut {
    /// The number of lines, and the names of their groups.
    lines: (u64, Vec<String>),
    /// Primitives that cannot be taken, with the reason.
    faulty: Vec<String>,
    /// Primitives of classes that are not asked for.
    classes: BTreeMap<PlantClass, u64>,
}

/// The solid parts of a body.
#[derive(Default)]
struct BodyParts {
    shapes: Vec<ShapePart>,
    mesh: Mesh,
    /// Origin of its frame, metres.
    origin: Option<Vec3<f64>>,
    /// The step of the coordinates of its origins as stored, metres.
    step: f64,
}

struct Making<'a> {
    bytes: &'a [u8],
    plant: &'a Plant,
    items: PlantItems<'a>,
    by_primitive: bool,
    classes: &'a [PlantClass],
    parts: FileParts,
    left_out: LeftOut,
}

impl Making<'_> {
    /// Adds a group and its bodies, and returns its node.
    fn group(&mut self, group: u32, parent: Option<u32>, primitives: &[u32]) -> u32 {
        let name = &self.plant.groups[group as usize].name;
        // Names begin with a slash, which parts the names of a path.
        let name = name.strip_prefix('/').unwrap_or(name).trim().to_owned();
        let at = self.add_node(name, parent);
        let mut bodies: BTreeMap<(PlantClass, bool), BodyParts> = BTreeMap::new();
        for (&index, number) in primitives.iter().zip(1_u32..) {
            let primitive = &self.plant.primitives[index as usize];
            let class = self.items.class(group, primitive.chunk);
            if !self.classes.contains(&class) {
                *self.left_out.classes.entry(class).or_default() += 1;
                continue;
            }
            let is_mesh = primitive.kind == Kind::FacetGroup;
            let mut alone = BodyParts::default();
            let body = match self.by_primitive {
                true => &mut alone,
                false => bodies.entry((class, is_mesh)).or_default(),
            };
            let label = || format!("{}-{number}", primitive.kind.word());
            match add(self.bytes, primitive, body) {
                Ok(true) if self.by_primitive => {
                    let node = self.add_node(label(), Some(at));
                    self.fill(node, group, class, alone);
                }
                Ok(true) if is_mesh => body.mesh.names.push(label()),
                Ok(true) => {}
                Ok(false) => {
                    self.left_out.lines.0 += 1;
                    let path = self.path(at);
                    if self.left_out.lines.1.last() != Some(&path) {
                        self.left_out.lines.1.push(path);
                    }
                }
                Err(problem) => self.left_out.faulty.push(format!("{}/{}: {problem}", self.path(at), label())),
            }
        }
        let bodies = bodies.into_iter().filter(|(_, body)| body.origin.is_some());
        for (number, ((class, is_mesh), body)) in bodies.enumerate() {
            // The group itself is the first body; a mesh beside exact shapes is a body of its own.
            let node = match number {
                0 => at,
                _ => self.add_node(part_name(class, is_mesh).to_owned(), Some(at)),
            };
            self.fill(node, group, class, body);
        }
        at
    }

    fn add_node(&mut self, name: String, parent: Option<u32>) -> u32 {
        let (groups, joints) = (Arc::default(), Arc::default());
        let node = PartNode { name, parent, geometry: None, place: Pose::IDENTITY, groups, joints, hidden: false };
        self.parts.nodes.push(node);
        self.parts.nodes.len() as u32 - 1
    }

    /// Makes a node a body.
    fn fill(&mut self, node: u32, group: u32, class: PlantClass, mut body: BodyParts) {
        // Most bodies have one part, and a list that grew has room for four.
        body.shapes.shrink_to_fit();
        let geometry = match body.shapes.is_empty() {
            true => PartGeometry::Mesh(Arc::new(body.mesh)),
            false => PartGeometry::Shape { shape: Arc::new(ShapeSpec::Parts(body.shapes)), step: body.step },
        };
        let groups = self.items.groups(group, class);
        let node = &mut self.parts.nodes[node as usize];
        node.geometry = Some(self.parts.geometries.len() as u32);
        node.groups = groups;
        node.place.position = body.origin.unwrap_or(Vec3::ZERO);
        self.parts.geometries.push(geometry);
    }

    /// The path of a node, for a message.
    fn path(&self, node: u32) -> String {
        let parent = |&node: &u32| self.parts.nodes[node as usize].parent;
        let names = std::iter::successors(Some(node), parent).map(|node| self.parts.nodes[node as usize].name.as_str());
        // The nearest names tell enough.
        let names: Vec<&str> = names.take(3).collect();
        names.into_iter().rev().collect::<Vec<_>>().join("/")
    }

    /// The parts, with notes on what became no body.
    fn finish(mut self) -> Result<FileParts, Fault> {
        let LeftOut { lines, faulty, classes } = &self.left_out;
        let of_classes: Vec<String> =
            classes.iter().map(|(class, count)| format!("{count} of {}", class.word())).collect();
        let mut notes: Vec<GeometryNote> = Vec::new();
        if !faulty.is_empty() {
            let problem = format!("primitives that cannot be taken: {}, {}", faulty.len(), named(faulty));
            notes.push(note(problem, "mend these items in the plant and export them again, if they matter"));
        }
        if !of_classes.is_empty() {
            let problem = format!("primitives of other classes left out: {}", of_classes.join(", "));
            notes.push(note(
                problem,
                "add their words to `classes` to make bodies of them: prim, obst-hard, obst-soft, insu",
            ));
        }
        if lines.0 > 0 {
            let problem = format!("lines are drawing aids and left out: {}, in {}", lines.0, named(&lines.1));
            notes.push(note(problem, "nothing, unless an item consists of lines only"));
        }
        let missing = self.items.without_item();
        if missing > 0 {
            let problem =
                format!("groups without an item in the attribute file: {missing} of {}", self.plant.groups.len());
            notes.push(note(
                problem,
                "export the attributes together with the RVM file; such bodies have no attributes",
            ));
        }
        if self.parts.geometries.is_empty() {
            let problem = match notes.first() {
                Some(first) => format!("no primitive of the file is left as a body; {}", first.problem),
                None => "the file has no primitives".to_owned(),
            };
            let remedy = notes.first().map_or("export the plant with its geometry", |first| first.remedy);
            return Err(Fault::new(problem, remedy));
        }
        self.parts.notes = notes;
        Ok(self.parts)
    }
}

/// Adds a primitive to a body; `false`: it is no solid.
///
/// # Errors
/// It cannot be taken; the reason.
fn add(bytes: &[u8], primitive: &PlantPrimitive, body: &mut BodyParts) -> Result<bool, String> {
    let mut fields = Fields { bytes: &bytes[..primitive.numbers.end], at: primitive.numbers.start };
    if primitive.kind == Kind::Line {
        return Ok(false);
    }
    if let Kind::Unknown(number) = primitive.kind {
        return Err(format!("its kind {number} is not known"));
    }
    let Some(placement) = &primitive.placement else {
        return Err("the place of its matrix among its numbers is not clear".to_owned());
    };
    if let Some(problem) = placement.problem() {
        return Err(problem.to_owned());
    }
    let own = placement.origin();
    let origin = body.origin.unwrap_or(own);
    if primitive.kind == Kind::FacetGroup {
        facets::add(&mut body.mesh, &mut fields, placement, origin)?;
    } else {
        let damaged = || "its numbers end too early".to_owned();
        let (shape, reach) = primitive.kind.shape(&mut fields).ok_or_else(damaged)??;
        if check_length(placement.longest() * reach + own.length()).is_err() {
            return Err("it reaches too far, or is too large".to_owned());
        }
        let place = Pose { position: own - origin, ..Pose::IDENTITY };
        body.shapes.push(ShapePart { shape, matrix: Some(placement.rows()), place });
    }
    let moved = placement.columns[3].iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    body.step = body.step.max(single_step(moved));
    body.origin = Some(origin);
    Ok(true)
}

/// The name of a body of a group beside its first one.
fn part_name(class: PlantClass, is_mesh: bool) -> &'static str {
    match (class, is_mesh) {
        (PlantClass::Prim, false) => "prim",
        (PlantClass::Prim, true) => "facets",
        (PlantClass::ObstHard | PlantClass::ObstSoft, false) => "obst",
        (PlantClass::ObstHard | PlantClass::ObstSoft, true) => "obst-facets",
        (PlantClass::Insu, false) => "insu",
        (PlantClass::Insu, true) => "insu-facets",
    }
}

fn named(names: &[String]) -> String {
    listed(names.iter().map(String::as_str))
}
