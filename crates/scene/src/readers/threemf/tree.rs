//! The build of a 3MF file, walked depth first: items, and the components of their objects.

use super::model::{Content, Item, ModelPart, Object, ObjectType};
use super::{Document, REMEDY, check_size, fault};
use crate::readers::components::without_unused;
use crate::readers::gltf::{Affine, Rigid};
use crate::readers::mesh::{Fault, Mesh, check_finite};
use crate::readers::notes::listed;
use crate::readers::parts::{FileParts, MAX_PATHS, PartGeometry, PartNode, too_deep};
use clearsweep_geometry::Pose;
use clearsweep_model::GeometryNote;
use std::collections::HashMap;
use std::sync::Arc;

/// Most items and components, those of shared objects counted each time: a short file may nest
/// objects so that their number doubles with each.
const MAX_NODES: usize = 1 << 21;

/// The node above an item or a component, with its transforms and its type.
#[derive(Clone, Copy)]
struct Above {
    node: Option<u32>,
    world: Affine,
    rigid: Rigid,
    kind: ObjectType,
}

/// An object where the build places it.
struct Placed<'d> {
    part: &'d ModelPart,
    object: &'d Object,
    name: String,
    above: Above,
}

impl Placed<'_> {
    /// Whether it is a body: a mesh that is no support, and that is printed.
    fn is_body(&self) -> bool {
        matches!(self.above.kind, ObjectType::Model | ObjectType::Surface)
    }
}

/// Walks the build; `visit` takes each object in its place, and returns the number of its node.
fn walk(document: &Document, mut visit: impl FnMut(&Placed<'_>) -> Result<u32, Fault>) -> Result<(), Fault> {
    let (world, rigid, kind) = (Affine::IDENTITY, Rigid::IDENTITY, ObjectType::Model);
    let top = Above { node: None, world, rigid, kind };
    let mut pending: Vec<(&ModelPart, &Item, Above)> =
        document.root.items.iter().rev().map(|item| (&document.root, item, top)).collect();
    let mut count = 0;
    while let Some((from, item, above)) = pending.pop() {
        count += 1;
        if count > MAX_NODES {
            let problem =
                format!("its build has more than {MAX_NODES} items and components, those of shared objects included");
            return Err(Fault::new(problem, "split the file"));
        }
        let (part, object) = document.object(from, &item.reference)?;
        let world = above.world.after(&item.transform);
        let rigid = above.rigid.after(&Rigid::of_matrix(&item.transform));
        let numbers = [world.columns.as_flattened(), &world.translation, rigid.stretch.as_flattened()].concat();
        if !numbers.iter().chain(&rigid.place.q).all(|number| number.is_finite()) {
            return Err(fault(format!("{}: object {} lies at a place that is not finite", part.name, object.id)));
        }
        let kind = match above.kind {
            ObjectType::Model | ObjectType::Surface => object.kind,
            left_out => left_out,
        };
        let own = object.name.as_ref().or(item.part_number.as_ref());
        let name = own.cloned().unwrap_or_else(|| format!("object-{}", object.id));
        let placed = Placed { part, object, name, above: Above { node: above.node, world, rigid, kind } };
        let node = Some(visit(&placed)?);
        if let Content::Components(components) = &object.content {
            pending.extend(components.iter().rev().map(|item| (part, item, Above { node, ..placed.above })));
        }
    }
    Ok(())
}

/// Adds the mesh of an object under a map, in metres, as a piece.
fn add(mesh: &mut Mesh, placed: &Placed<'_>, map: &Affine) -> Result<(), Fault> {
    let Content::Mesh { vertices, triangles } = &placed.object.content else { return Ok(()) };
    let first = mesh.vertices.len();
    check_size(first.saturating_add(vertices.len()).max(mesh.triangles.len().saturating_add(triangles.len())))?;
    for vertex in vertices {
        let position = map.apply(*vertex).map(|c| placed.part.unit.metres(c));
        let of_object = |problem: String| format!("object {}: {problem}", placed.object.id);
        check_finite(mesh.vertices.len() - first, position).map_err(|problem| fault(of_object(problem)))?;
        mesh.vertices.push(position);
    }
    let mirrors = map.mirrors();
    mesh.triangles.extend(triangles.iter().map(|&[a, b, c]| {
        let triangle = if mirrors { [a, c, b] } else { [a, b, c] };
        triangle.map(|corner| corner + first as u32)
    }));
    if !triangles.is_empty() {
        mesh.piece.resize(mesh.triangles.len(), mesh.pieces as u32); // at most one for each triangle
        mesh.pieces += 1;
        mesh.names.push(placed.name.clone());
    }
    Ok(())
}

/// The whole build as one mesh in metres.
pub(super) fn merged(document: &Document) -> Result<(Mesh, Vec<GeometryNote>), Fault> {
    let mut mesh = Mesh::default();
    let (mut sheets, mut solids, mut left_out) = (0, 0, LeftOut::default());
    walk(document, |placed| {
        if matches!(placed.object.content, Content::Mesh { .. }) {
            match placed.above.kind {
                ObjectType::Surface => sheets += 1,
                ObjectType::Model => solids += 1,
                _ => left_out.add(placed),
            }
            if placed.is_body() {
                add(&mut mesh, placed, &placed.above.world)?;
            }
        }
        Ok(0)
    })?;
    if sheets > 0 && solids > 0 {
        let problem = "the file has surfaces and solids, which are not one body";
        return Err(Fault::new(
            problem,
            "write [[bodies]] in place of [[body]], with `each` as \"node\": a body of each part",
        ));
    }
    if sheets + solids == 0 {
        return Err(Fault::new("no object of the build is a part: all are supports, or not printed", REMEDY));
    }
    mesh.is_sheet = sheets > 0;
    Ok((mesh, left_out.notes(document)))
}

/// The build as a tree, names not yet unique.
pub(super) fn parts(document: &Document) -> Result<FileParts, Fault> {
    let mut parts = FileParts::default();
    let mut known: HashMap<(*const Object, [u64; 9], ObjectType), Option<u32>> = HashMap::new();
    let (mut left_out, mut size, mut name_bytes) = (LeftOut::default(), 0_usize, 0_usize);
    walk(document, |placed| {
        name_bytes += placed.name.len();
        if name_bytes > MAX_PATHS {
            return Err(too_deep());
        }
        let is_mesh = matches!(placed.object.content, Content::Mesh { .. });
        let hidden = is_mesh && !placed.is_body();
        let mut geometry = None;
        if hidden {
            left_out.add(placed);
        } else if is_mesh {
            let stretch = placed.above.rigid.stretch;
            let bits = std::array::from_fn(|i| (stretch.as_flattened()[i] + 0.0).to_bits()); // -0 is 0
            let key = (std::ptr::from_ref(placed.object), bits, placed.above.kind);
            geometry = match known.get(&key) {
                Some(&known) => known,
                None => {
                    let is_sheet = placed.above.kind == ObjectType::Surface;
                    let mut mesh = Mesh { is_sheet, ..Mesh::default() };
                    add(&mut mesh, placed, &Affine { columns: stretch, translation: [0.0; 3] })?;
                    size += mesh.vertices.len().max(mesh.triangles.len());
                    check_size(size)?;
                    let geometry = (!mesh.triangles.is_empty()).then(|| {
                        parts.geometries.push(PartGeometry::Mesh(Arc::new(without_unused(mesh))));
                        parts.geometries.len() as u32 - 1
                    });
                    known.insert(key, geometry);
                    geometry
                }
            };
            parts.empty += u64::from(geometry.is_none());
        }
        let Pose { position, q, .. } = placed.above.rigid.place;
        let place = Pose::new(position.to_array().map(|c| placed.part.unit.metres(c)), q);
        let material = placed.object.material.and_then(|(group, index)| {
            placed.part.materials.get(&group)?.get(index as usize).filter(|name| !name.trim().is_empty())
        });
        let groups = material.map(|name| Arc::from(format!("material:{name}"))).into_iter().collect();
        let (name, parent, joints) = (placed.name.clone(), placed.above.node, Arc::default());
        parts.nodes.push(PartNode { name, parent, geometry, place, groups, joints, hidden });
        Ok(parts.nodes.len() as u32 - 1)
    })?;
    Ok(FileParts { notes: left_out.notes(document), ..parts })
}

/// Names of the objects that are no bodies, by the reason.
#[derive(Default)]
struct LeftOut {
    supports: Vec<String>,
    others: Vec<String>,
}

impl LeftOut {
    fn add(&mut self, placed: &Placed<'_>) {
        let names = if placed.above.kind == ObjectType::Support { &mut self.supports } else { &mut self.others };
        names.push(placed.name.clone());
    }

    /// Notes for people about the objects of the file that are left out.
    fn notes(self, document: &Document) -> Vec<GeometryNote> {
        let note = |names: &[String], [one, many]: [&str; 2]| {
            let what = if names.len() == 1 { format!("1 {one}") } else { format!("{} {many}", names.len()) };
            (!names.is_empty()).then(|| GeometryNote {
                kind: "hidden",
                problem: format!("{what}, and no part of any body: {}", listed(names.iter().map(String::as_str))),
                remedy: "if they are to be checked, export them as objects of the type `model`",
            })
        };
        let supports = [
            "object is a support, which is removed after printing",
            "objects are supports, which are removed after printing",
        ];
        let others = [
            "object is of the type `other`, which is not printed",
            "objects are of the type `other`, which is not printed",
        ];
        let notes = [note(&self.supports, supports), note(&self.others, others), document.extensions()];
        notes.into_iter().flatten().collect()
    }
}
