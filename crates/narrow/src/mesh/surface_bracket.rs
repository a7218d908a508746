//! The distance of two surfaces at one time.

use super::ANY_DISTANCE;
use super::depth::MeshMemory;
use super::place::MeshPlace;
use super::search::{self, MeshPairMemory, SurfaceDistance};
use clearsweep_geometry::mesh::TriangleMesh;
use clearsweep_geometry::{Pose, RelativePose, Vec3};

/// A bracket of the distance of two surfaces, without growth, metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SurfaceBracket {
    /// Proven: some points are as near.
    pub(crate) upper: f64,
    /// The direction between them, unit, in A's frame; none of surfaces that touch.
    pub(crate) normal: Option<Vec3<f64>>,
}

/// The distance of two surfaces at their poses. `pair`: their memory; it changes no answer.
pub(crate) fn surface_bracket(
    meshes: [&TriangleMesh; 2],
    poses: [Pose; 2],
    relative: RelativePose<f64>,
    pair: &mut MeshPairMemory,
    memory: &mut MeshMemory,
) -> SurfaceBracket {
    let place = MeshPlace::new(meshes, poses, relative, 0.0);
    if !place.size.is_finite() {
        return SurfaceBracket { upper: f64::INFINITY, normal: None };
    }
    match search::nearest_again(&place, ANY_DISTANCE, pair, &mut memory.search, || [0.0; 2]) {
        SurfaceDistance::Apart(nearest) => SurfaceBracket { upper: nearest.upper, normal: Some(nearest.normal) },
        SurfaceDistance::Touching(_) => SurfaceBracket { upper: place.sharp() + place.error(), normal: None },
        SurfaceDistance::Beyond(_) => SurfaceBracket { upper: f64::INFINITY, normal: None },
    }
}
