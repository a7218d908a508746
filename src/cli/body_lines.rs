//! Lines of `check` and `query` about bodies, in the order in which they are printed: hulls,
//! decompositions, meshes, joints.

use super::text::{Lengths, count, counted, visible};
use clearsweep_engine::MeshFound;
use clearsweep_geometry::Inside;
use clearsweep_kinematics::{Joint, JointKind, JointValue};
use clearsweep_model::{Body, HullFit, MeshCondition, Scene, Shape};
use serde_json::{Value, json};

/// Meshes that are named before the rest is summed up.
const MESHES: usize = 5;

/// Joints that are listed.
const JOINTS: usize = 20;

/// Mark of a figure of a hull.
pub(super) const OF_HULLS: &str = "of the hulls";

/// Returns the line of `check` about hulls of meshes that are not convex; `None` if there are none.
pub(super) fn hulls(scene: &Scene) -> Option<String> {
    let filled = || scene.bodies.iter().filter(|body| body.shape.is_filled());
    let excess = |body: &Body| body.shape.fit.map_or(0.0, |fit| fit.excess);
    let farthest = filled().max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
    let bodies = [filled().count(), scene.bodies.len()].map(|bodies| bodies as u64);
    Some(hull_line(bodies, excess(farthest), &farthest.name, Lengths::of(scene.unit)))
}

/// Returns the text about the hulls among all bodies. `excess_m`: how far the hull of the body
/// `farthest` reaches beyond its mesh, which is most.
pub(super) fn hull_line([hulls, bodies]: [u64; 2], excess_m: f64, farthest: &str, lengths: Lengths) -> String {
    let (noun, beyond) = match hulls {
        1 => ("the hull of a mesh that is not convex", "it"),
        _ => ("hulls of meshes that are not convex", "them"),
    };
    let (hulls, bodies, excess) = (count(hulls), count(bodies), lengths.at_most(excess_m));
    format!("{hulls} of {bodies} bodies: {noun}, up to {excess} beyond {beyond} ({})", visible(farthest))
}

/// Returns the text of `query` about a body; `None` unless its figures are those of its hull.
pub(super) fn hull(name: &str, shape: &Shape, lengths: Lengths) -> Option<String> {
    let HullFit { excess, hull_volume, mesh_volume, .. } = shape.fit.filter(|_| shape.is_filled())?;
    let volume = match mesh_volume {
        Some(mesh) if mesh > 0.0 => format!("; its volume is {:.3} times that of the mesh", hull_volume / mesh),
        _ => "; its volume cannot be compared, as the mesh does not close up".to_owned(),
    };
    let hull = if shape.pieces.len() > 1 { "the hulls of its objects reach" } else { "its hull reaches" };
    Some(format!("{name} is not convex: {hull} up to {} beyond its surface{volume}", lengths.at_most(excess)))
}

/// Returns an object for each body that is a hull.
pub(super) fn hulls_json(scene: &Scene) -> Vec<Value> {
    bodies_json(scene, Shape::is_filled, hull_json)
}

/// Returns the known fit of a hull; null if there is no mesh.
pub(super) fn hull_json(shape: &Shape) -> Value {
    shape.fit.map_or(Value::Null, |fit| {
        json!({
            "convex": fit.convex,
            "hull_excess_m": fit.excess,
            "hull_volume_m3": fit.hull_volume,
            "mesh_volume_m3": fit.mesh_volume,
        })
    })
}

/// Returns the objects of the bodies whose shape `is_listed`, each with the name of its body.
fn bodies_json(scene: &Scene, is_listed: fn(&Shape) -> bool, as_json: fn(&Shape) -> Value) -> Vec<Value> {
    let named = |body: &Body| {
        let mut object = as_json(&body.shape);
        object["body"] = json!(body.name);
        object
    };
    scene.bodies.iter().filter(|body| is_listed(&body.shape)).map(named).collect()
}

/// Returns the line of `check` about decompositions; `None` if there are none.
pub(super) fn decompositions(scene: &Scene) -> Option<String> {
    let all = || scene.bodies.iter().filter_map(|body| Some((body.shape.decomposition_deviation?, body)));
    let (deviation, worst): (f64, &Body) = all().max_by(|x, y| x.0.total_cmp(&y.0))?;
    let pieces: usize = all().map(|(_, body)| body.shape.pieces.len()).sum();
    let within = Lengths::of(scene.unit).at_most(deviation);
    Some(format!(
        "{} of {} bodies: {} for their solids, each within {within} of them ({})",
        count(all().count() as u64),
        count(scene.bodies.len() as u64),
        counted(pieces as u64, "convex piece"),
        visible(&worst.name)
    ))
}

/// Returns the text of `query` about a body; `None` unless it is a decomposition.
pub(super) fn decomposition(name: &str, shape: &Shape, lengths: Lengths) -> Option<String> {
    let within = lengths.at_most(shape.decomposition_deviation?);
    let pieces = counted(shape.pieces.len() as u64, "convex piece");
    Some(format!("{name}: {pieces}, within {within} of the solid; the bracket holds for the solid"))
}

/// Returns an object for each body that is a decomposition.
pub(super) fn decompositions_json(scene: &Scene) -> Vec<Value> {
    bodies_json(scene, |shape| shape.decomposition_deviation.is_some(), decomposition_json)
}

/// Returns the decomposition of a body; null if it is none.
pub(super) fn decomposition_json(shape: &Shape) -> Value {
    shape.decomposition_deviation.map_or(Value::Null, |deviation| {
        json!({
            "pieces": shape.pieces.len(),
            "decomposition_deviation_m": deviation,
            "deviation_m": shape.deviation,
        })
    })
}

/// Returns the lines of `check` about meshes; none if there is no mesh.
pub(super) fn meshes(scene: &Scene, meshes: &[MeshFound]) -> Vec<String> {
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
        .map(|mesh| (mesh, mesh_remarks(mesh.triangles, &mesh.condition)))
        .filter(|(_, remarks)| !remarks.is_empty())
        .collect();
    lines.extend(notable.iter().take(MESHES).map(|(mesh, remarks)| {
        let name = visible(&scene.bodies[mesh.bodies[0] as usize].name);
        let others = match mesh.bodies.len() {
            1 => String::new(),
            n => format!(" (and {} of the same mesh)", count(n as u64 - 1)),
        };
        format!("{name}{others}: {}", remarks.join(", "))
    }));
    if notable.len() > MESHES {
        let all = notable.iter().fold(MeshCondition::default(), |sum, (mesh, _)| added(sum, &mesh.condition));
        let sum = defects(&all).join(", ");
        lines.push(format!("and {} more such meshes; in all: {sum}", count((notable.len() - MESHES) as u64)));
    }
    lines
}

/// Returns the remarks on a mesh; empty if all is well.
fn mesh_remarks(triangles: u64, found: &MeshCondition) -> Vec<String> {
    let mut remarks = Vec::new();
    if !found.is_solid() {
        let why = if found.boundary_edges > 0 { "open" } else { "without a clear outside" };
        remarks.push(why.to_owned());
    }
    remarks.extend(defects(found));
    // A format that lists the corners of each triangle has each vertex several times: that alone is
    // no remark.
    let only_welded = remarks.len() == 1 && found.welded_vertices > 0 && found.is_solid();
    if only_welded && found.welded_vertices >= 2 * triangles {
        remarks.clear();
    }
    remarks
}

/// Returns the counts of defects and changes as text.
fn defects(found: &MeshCondition) -> Vec<String> {
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

/// Returns the text of `query` about a body; `None` unless it is a mesh with remarks.
pub(super) fn mesh(name: &str, shape: &Shape) -> Option<String> {
    let triangles = shape.mesh.as_ref()?.triangles().len() as u64;
    let remarks = mesh_remarks(triangles, shape.condition.as_ref()?);
    (!remarks.is_empty()).then(|| format!("{name}: {}", remarks.join(", ")))
}

/// Returns an object for each mesh of a scene.
pub(super) fn meshes_json(scene: &Scene, meshes: &[MeshFound]) -> Vec<Value> {
    let of = |mesh: &MeshFound| {
        let bodies: Vec<&str> = mesh.bodies.iter().map(|&body| scene.bodies[body as usize].name.as_str()).collect();
        let mut object = condition_json(mesh.triangles, mesh.inside, &mesh.condition);
        object["bodies"] = json!(bodies);
        object
    };
    meshes.iter().map(of).collect()
}

/// Returns the mesh of a body; null if it is none.
pub(super) fn mesh_json(shape: &Shape) -> Value {
    match (&shape.mesh, &shape.condition) {
        (Some(mesh), Some(condition)) => condition_json(mesh.triangles().len() as u64, mesh.inside(), condition),
        _ => Value::Null,
    }
}

fn condition_json(triangles: u64, inside: Inside, found: &MeshCondition) -> Value {
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

/// Returns a line of `check` for each joint that moves, in the order of the scene's tree.
pub(super) fn joints(scene: &Scene) -> Vec<String> {
    let Some(joints) = &scene.joints else { return Vec::new() };
    let moving: Vec<&Joint> = joints.tree.joints().iter().filter(|joint| joint.value != JointValue::None).collect();
    let columns: Vec<&Joint> = joints.tree.columns().collect();
    let lengths = Lengths::of(scene.unit);
    let line = |joint: &&Joint| joint_line(joint, &columns, lengths);
    let mut lines: Vec<String> = moving.iter().take(JOINTS).map(line).collect();
    if moving.len() > JOINTS {
        lines.push(format!("and {} more joints", count((moving.len() - JOINTS) as u64)));
    }
    lines
}

/// `columns`: the joint of each column of values.
fn joint_line(joint: &Joint, columns: &[&Joint], lengths: Lengths) -> String {
    let value = |value: f64| match joint.kind.turns() {
        true => format!("{} deg", round(value.to_degrees())),
        false => lengths.text(value),
    };
    let kind = match joint.kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute => "turns",
        JointKind::Prismatic => "slides",
        JointKind::Screw { .. } => "screws",
    };
    let range = joint.range.map_or(String::new(), |[least, most]| format!(", {} to {}", value(least), value(most)));
    let follows = match joint.value {
        JointValue::Column { column, ratio, offset } if columns[column as usize].name != joint.name => {
            let leader = &columns[column as usize].name;
            format!(", {} times {} and {}", round(ratio), visible(leader), value(offset))
        }
        _ => String::new(),
    };
    format!("{}: {kind}{range}{follows}", visible(&joint.name))
}

/// Rounds a number to six decimals.
fn round(value: f64) -> f64 {
    (value * 1e6).round() / 1e6 + 0.0
}
