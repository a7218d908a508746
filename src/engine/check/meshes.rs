//! Mesh bodies: what was found in their triangles.

use super::warning::Warning;
use crate::geometry::TriangleMesh;
use crate::scene::{MeshCondition, Scene};
use std::collections::HashMap;
use std::sync::Arc;

/// A mesh of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFound {
    /// The bodies (indices) that share it, ascending.
    pub bodies: Vec<u32>,
    /// Its triangles, without those that were left out.
    pub triangles: u64,
    /// What was found in it, and done to it.
    pub condition: MeshCondition,
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
            None => found.push(MeshFound { bodies: vec![index], triangles: mesh.triangles().len() as u64, condition }),
        }
    }
    found
}

/// Meshes of which the inside is not known.
pub(super) fn warnings(meshes: &[MeshFound]) -> Vec<Warning> {
    let of = |is_meant: fn(&MeshCondition) -> bool| {
        let mut bodies: Vec<u32> = meshes
            .iter()
            .filter(|mesh| is_meant(&mesh.condition))
            .flat_map(|mesh| mesh.bodies.iter().copied())
            .collect();
        bodies.sort_unstable();
        bodies
    };
    let remedy = "mend the mesh; or model = \"hull\" or \"piece-hulls\" fills it";
    let open = of(|found| !found.is_solid() && found.boundary_edges > 0);
    let unclear = of(|found| !found.is_solid() && found.boundary_edges == 0);
    let kinds = [
        ("open", open, "the triangles do not close up, so that nothing can be found inside"),
        ("unclear", unclear, "the triangles have no clear outside, so that nothing can be found inside"),
    ];
    let kinds = kinds.into_iter().filter(|(_, bodies, _)| !bodies.is_empty());
    kinds.map(|(kind, bodies, problem)| Warning::new(kind, bodies, problem, remedy)).collect()
}
