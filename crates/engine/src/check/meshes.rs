//! Mesh bodies: what was found in their triangles.

use super::super::warning::Warning;
use clearsweep_geometry::{Inside, TriangleMesh};
use clearsweep_model::{Body, MeshCondition, Scene};
use clearsweep_tables::{Totals, ViolatingPair};
use std::collections::HashMap;
use std::sync::Arc;

/// Pairs that a warning names.
const LISTED: usize = 3;

/// Remedy for a mesh whose inside is not known.
const REMEDY: &str = "mend the mesh; or write `inside = \"surface\"` for a sheet: nothing lies inside of it";

/// A mesh of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFound {
    /// The bodies (indices) that share it, ascending.
    pub bodies: Vec<u32>,
    /// Its triangles, without those that were left out.
    pub triangles: u64,
    /// The defects found in it, and the changes made to it.
    pub condition: MeshCondition,
    /// How far its inside is known.
    pub inside: Inside,
}

/// The meshes of a scene, in order of their first bodies.
pub(super) fn meshes(scene: &Scene) -> Vec<MeshFound> {
    let mut known: HashMap<*const TriangleMesh, usize> = HashMap::new();
    let mut found: Vec<MeshFound> = Vec::new();
    for (body, index) in scene.bodies.iter().zip(0..) {
        let (Some(mesh), Some(condition)) = (&body.shape.mesh, body.shape.condition) else { continue };
        let at = *known.entry(Arc::as_ptr(mesh)).or_insert(found.len());
        match found.get_mut(at) {
            Some(one) => one.bodies.push(index),
            None => {
                let (triangles, inside) = (mesh.triangles().len() as u64, mesh.inside());
                found.push(MeshFound { bodies: vec![index], triangles, condition, inside });
            }
        }
    }
    found
}

/// Meshes of which the inside is not known.
pub(super) fn warnings(meshes: &[MeshFound]) -> Vec<Warning> {
    let of = |is_meant: fn(&MeshCondition) -> bool| {
        let mut bodies: Vec<u32> = meshes
            .iter()
            .filter(|mesh| mesh.inside == Inside::Winding && is_meant(&mesh.condition))
            .flat_map(|mesh| mesh.bodies.iter().copied())
            .collect();
        bodies.sort_unstable();
        bodies
    };
    let open = of(|found| found.boundary_edges > 0);
    let unclear = of(|found| found.boundary_edges == 0);
    let kinds = [
        ("open", open, "the triangles do not close up, so that the winding number decides what lies inside"),
        (
            "unclear",
            unclear,
            "the triangles have no clear outside, so that the winding number decides what lies inside",
        ),
    ];
    let kinds = kinds.into_iter().filter(|(_, bodies, _)| !bodies.is_empty());
    kinds.map(|(kind, bodies, problem)| Warning::new(kind, bodies, problem, REMEDY)).collect()
}

/// The open meshes of a run, and the pairs for which that mattered.
pub(crate) fn open_meshes_of_run(scene: &Scene, totals: &Totals) -> Option<Warning> {
    let bodies = open_bodies(scene);
    if bodies.is_empty() {
        return None;
    }
    let pair = |pair: &ViolatingPair| format!("{} and {}", pair.body_a, pair.body_b);
    let named: Vec<String> = totals.winding_pairs.iter().take(LISTED).map(pair).collect();
    let mattered = match totals.pairs_winding {
        0 => "nothing lies inside".to_owned(),
        n => {
            let more = n - named.len() as u64;
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            let (are, pairs) = if n == 1 { ("is", "1 pair".to_owned()) } else { ("are", format!("{n} pairs")) };
            format!("{pairs} {are} undecided: {}{more}", named.join("; "))
        }
    };
    let problem = format!("not closed: by the winding number {mattered}");
    Some(Warning::new("open", bodies, problem, REMEDY))
}

/// The bodies of which the winding number decides the inside, ascending.
pub(crate) fn open_bodies(scene: &Scene) -> Vec<u32> {
    let is_open = |(body, _): &(&Body, u32)| body.shape.inside() == Inside::Winding;
    scene.bodies.iter().zip(0..).filter(is_open).map(|(_, index)| index).collect()
}
