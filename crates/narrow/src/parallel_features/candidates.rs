//! Finds, for a direction, the parallel features that support both bodies along it.

use super::closest::closest;
use crate::certificate::{self, Certificate};
use crate::closest_points::edges_are_parallel;
use crate::feature::FeatureKind::{Face, Vertex};
use crate::kind::ParallelKind;
use crate::pair::Pair;
use crate::support_planes::{SupportPlanes, VerticesOnPlanes};
use clearsweep_geometry::Vec3;

/// Height below the supporting plane at which a vertex of a parallel feature may lie, in bounds E:
/// far more than those that a certificate accepts, and far less than it demands of all other
/// vertices.
const LEVEL: f64 = 16.0;

/// Height below the supporting plane along the end of a search at which a vertex may lie, in sizes
/// of the pair: far above the rounding of such directions.
const NEAR: f64 = 1e-10;

/// The certificate of the parallel features that support both cores along the unit vector `n` from
/// A to B, if they alone do, locally where the cores overlap. `amplification`: by how many bounds E
/// the direction may be off.
pub(crate) fn along(pair: &Pair<'_, f64>, n: Vec3<f64>, amplification: f64) -> Option<Certificate> {
    let planes = VerticesOnPlanes::new(pair, n, LEVEL * amplification * pair.bound());
    let features = planes.largest_features(pair).filter(|f| f.a.kind != Vertex && f.b.kind != Vertex)?;
    certificate::local(pair, &features)
}

/// Finds the certificate of parallel features near a direction that a search ended with: as by
/// [`along`], those of the largest gap. Pairs of edges beside a face are left to the resolver.
pub(crate) fn near(pair: &Pair<'_, f64>, n: Vec3<f64>) -> Option<Certificate> {
    let planes = SupportPlanes::new(pair, n, NEAR * pair.size);
    let mut best: Option<Certificate> = None;
    let least = pair.gap(n) - NEAR * pair.size;
    let faces = face_directions(pair, planes.faces());
    let edges = if faces.is_empty() { Some(directions(pair, &planes)) } else { None };
    for n in faces.into_iter().chain(edges.into_iter().flatten()) {
        let Some(found) = along(pair, n, 1.0) else { continue };
        // Two faces are the same along either normal, and no edges beside them.
        let is_near = found.closest.distance >= least;
        if is_near && (found.features.a.kind, found.features.b.kind) == (Face, Face) {
            return Some(found);
        }
        if best.as_ref().is_none_or(|best| found.closest.distance > best.closest.distance) {
            best = Some(found);
        }
    }
    best
}

/// The directions that parallel features among those on supporting planes have: normals of faces of
/// A and of B, then those of pairs of parallel edges.
pub(crate) fn directions<'s>(
    pair: &'s Pair<'_, f64>,
    planes: &'s SupportPlanes,
) -> impl Iterator<Item = Vec3<f64>> + 's {
    let edges = planes.candidates(2).filter(|features| edges_are_parallel(pair, features)).map(|features| {
        let edges = [(pair.a, features.a.index), (pair.b, features.b.index)];
        closest(ParallelKind::EdgeEdge, edges, &pair.pose, pair.size).normal
    });
    face_directions(pair, planes.faces()).into_iter().chain(edges.filter(|n| n.is_finite()))
}

/// The normals of faces of A, and those of faces of B turned round; of those that are the same but
/// for rounding the first.
pub(crate) fn face_directions(pair: &Pair<'_, f64>, [of_a, of_b]: [&[u32]; 2]) -> Vec<Vec3<f64>> {
    let mut directions: Vec<Vec3<f64>> = Vec::with_capacity(of_a.len() + of_b.len());
    directions.extend(of_a.iter().map(|&f| pair.a.normals[f as usize]));
    let same = pair.bound() / pair.size;
    for &f in of_b {
        let n = -pair.pose.vector(pair.b.normals[f as usize]);
        let is_new = |m: &Vec3<f64>| (*m - n).to_array().map(f64::abs).iter().sum::<f64>() > same;
        if directions[..of_a.len()].iter().all(is_new) {
            directions.push(n);
        }
    }
    directions
}
