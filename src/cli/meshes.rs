//! Text about mesh bodies: the triangles that were found, and the changes made to them.

use super::text::{count, visible};
use clearsweep_engine::MeshFound;
use clearsweep_geometry::Inside;
use clearsweep_model::{MeshCondition, Scene, Shape};
use serde_json::{Value, json};

/// Meshes that are named before the rest is summed up.
const LISTED: usize = 5;

/// Lines about the meshes of a scene; none where there are none.
pub(crate) fn of_scene(scene: &Scene, meshes: &[MeshFound]) -> Vec<String> {
    if meshes.is_empty() {
        return Vec::new();
    }
    let bodies: usize = meshes.iter().map(|mesh| mesh.bodies.len()).sum();
    let of = |inside: Inside| -> usize {
        meshes.iter().filter(|mesh| mesh.inside == inside).map(|mesh| mesh.bodies.len()).sum()
    };
    let others =
        [(Inside::Winding, "not closed"), (Inside::Surface, "of sheet")].map(|(inside, what)| (of(inside), what));
    let others = others.iter().filter(|(bodies, _)| *bodies > 0);
    let others: String = others.map(|(bodies, what)| format!(", {} {what}", count(*bodies as u64))).collect();
    let triangles: u64 = meshes.iter().map(|mesh| mesh.triangles).sum();
    let mut lines = vec![format!(
        "{} of {} bodies: exact triangles, {} in {}; {} solid{others}",
        count(bodies as u64),
        count(scene.bodies.len() as u64),
        count(triangles),
        if meshes.len() == 1 { "1 mesh".to_owned() } else { format!("{} meshes", count(meshes.len() as u64)) },
        if others.is_empty() { "all".to_owned() } else { count(of(Inside::Solid) as u64) }
    )];
    let notable: Vec<(&MeshFound, Vec<String>)> = meshes
        .iter()
        .map(|mesh| (mesh, remarks(mesh.triangles, &mesh.condition)))
        .filter(|(_, remarks)| !remarks.is_empty())
        .collect();
    lines.extend(notable.iter().take(LISTED).map(|(mesh, remarks)| {
        let name = visible(&scene.bodies[mesh.bodies[0] as usize].name);
        let others = match mesh.bodies.len() {
            1 => String::new(),
            n => format!(" (and {} of the same mesh)", count(n as u64 - 1)),
        };
        format!("{name}{others}: {}", remarks.join(", "))
    }));
    if notable.len() > LISTED {
        let all = notable.iter().fold(MeshCondition::default(), |sum, (mesh, _)| added(sum, &mesh.condition));
        let sum = counts(&all).join(", ");
        lines.push(format!("and {} more such meshes; in all: {sum}", count((notable.len() - LISTED) as u64)));
    }
    lines
}

/// Returns the remarks on a mesh; empty if all is well.
fn remarks(triangles: u64, found: &MeshCondition) -> Vec<String> {
    let mut remarks = Vec::new();
    if !found.is_solid() {
        let why = if found.boundary_edges > 0 { "open" } else { "without a clear outside" };
        remarks.push(why.to_owned());
    }
    remarks.extend(counts(found));
    // A format that lists the corners of each triangle has each vertex several times: that alone is no remark.
    let only_welded = remarks.len() == 1 && found.welded_vertices > 0 && found.is_solid();
    if only_welded && found.welded_vertices >= 2 * triangles {
        remarks.clear();
    }
    remarks
}

/// Returns the counts as text.
fn counts(found: &MeshCondition) -> Vec<String> {
    let several =
        |n: u64, one: &str, many: &str| (n > 0).then(|| format!("{} {}", count(n), if n == 1 { one } else { many }));
    let at_least = if found.self_contacts_at_least { "at least " } else { "" };
    let contacts = match found.self_contacts {
        0 if !found.self_contacts_at_least => None,
        1 => Some(format!("{at_least}1 pair of triangles that touch or cross")),
        n => Some(format!("{at_least}{} pairs of triangles that touch or cross", count(n))),
    };
    [
        several(found.boundary_edges, "edge of one triangle", "edges of one triangle"),
        several(found.nonmanifold_edges, "edge of more than two triangles", "edges of more than two triangles"),
        contacts,
        several(found.degenerate_triangles, "triangle without area left out", "triangles without area left out"),
        several(found.duplicate_triangles, "duplicate triangle left out", "duplicate triangles left out"),
        several(found.turned_triangles, "triangle turned outward", "triangles turned outward"),
        several(found.unused_vertices, "vertex of no triangle left out", "vertices of no triangle left out"),
        several(found.welded_vertices, "vertex welded", "vertices welded"),
        (found.weld_shift > 0.0).then(|| format!("cracks closed by moving vertices up to {:.1e} m", found.weld_shift)),
        several(
            found.warped_triangles,
            "triangle of a polygon that is not flat",
            "triangles of polygons that are not flat",
        )
        .map(|counted| format!("{counted} (up to {:.1e} m)", found.polygon_warp)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn added(sum: MeshCondition, other: &MeshCondition) -> MeshCondition {
    MeshCondition {
        welded_vertices: sum.welded_vertices + other.welded_vertices,
        weld_shift: sum.weld_shift.max(other.weld_shift),
        warped_triangles: sum.warped_triangles + other.warped_triangles,
        polygon_warp: sum.polygon_warp.max(other.polygon_warp),
        unused_vertices: sum.unused_vertices + other.unused_vertices,
        degenerate_triangles: sum.degenerate_triangles + other.degenerate_triangles,
        duplicate_triangles: sum.duplicate_triangles + other.duplicate_triangles,
        turned_triangles: sum.turned_triangles + other.turned_triangles,
        boundary_edges: sum.boundary_edges + other.boundary_edges,
        nonmanifold_edges: sum.nonmanifold_edges + other.nonmanifold_edges,
        components: sum.components + other.components,
        self_contacts: sum.self_contacts + other.self_contacts,
        self_contacts_at_least: sum.self_contacts_at_least || other.self_contacts_at_least,
        volume: None,
    }
}

/// Returns the text about a body of a pair; `None` unless it is a mesh with remarks.
pub(crate) fn of_shape(name: &str, shape: &Shape) -> Option<String> {
    let triangles = shape.mesh.as_ref()?.triangles().len() as u64;
    let remarks = remarks(triangles, shape.condition.as_ref()?);
    (!remarks.is_empty()).then(|| format!("{name}: {}", remarks.join(", ")))
}

/// The meshes of a scene, one by one.
pub(crate) fn scene_json(scene: &Scene, meshes: &[MeshFound]) -> Vec<Value> {
    let of = |mesh: &MeshFound| {
        let bodies: Vec<&str> = mesh.bodies.iter().map(|&body| scene.bodies[body as usize].name.as_str()).collect();
        let mut object = as_json(mesh.triangles, mesh.inside, &mesh.condition);
        object["bodies"] = json!(bodies);
        object
    };
    meshes.iter().map(of).collect()
}

/// The mesh of a body of a pair; null where it is none.
pub(crate) fn shape_json(shape: &Shape) -> Value {
    match (&shape.mesh, &shape.condition) {
        (Some(mesh), Some(condition)) => as_json(mesh.triangles().len() as u64, mesh.inside(), condition),
        _ => Value::Null,
    }
}

fn as_json(triangles: u64, inside: Inside, found: &MeshCondition) -> Value {
    json!({
        "triangles": triangles,
        "solid": found.is_solid(),
        "inside": inside.name(),
        "mesh_volume_m3": found.volume,
        "components": found.components,
        "boundary_edges": found.boundary_edges,
        "nonmanifold_edges": found.nonmanifold_edges,
        "welded_vertices": found.welded_vertices,
        "weld_shift_m": found.weld_shift,
        "unused_vertices": found.unused_vertices,
        "degenerate_triangles": found.degenerate_triangles,
        "duplicate_triangles": found.duplicate_triangles,
        "turned_triangles": found.turned_triangles,
        "self_contacts": found.self_contacts,
        "self_contacts_at_least": found.self_contacts_at_least,
        "warped_triangles": found.warped_triangles,
        "polygon_warp_m": found.polygon_warp,
    })
}
