//! Placements of bodies in views, and what lies between two of them on a screen.

use crate::data::Placement;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::Body;

/// The place of a pose relative to a world point.
pub(crate) fn placement(pose: &Pose, origin: [f64; 3]) -> Placement {
    let [position, rest] = [pose.position, pose.rest].map(Vec3::to_array);
    Placement { position: [0, 1, 2].map(|axis| (position[axis] - origin[axis]) + rest[axis]), q: pose.q }
}

/// The pose at a share of the way between two, for display: the pivot on a line, the shortest
/// rotation in equal steps of the chord.
pub(crate) fn between(body: &Body, [from, to]: [Pose; 2], share: f64) -> Pose {
    let pivot = body.pivot.of(&body.shape);
    let [start, end] = [from.apply(pivot), to.apply(pivot)];
    let dot: f64 = (0..4).map(|k| from.q[k] * to.q[k]).sum();
    let sign = if dot < 0.0 { -1.0 } else { 1.0 };
    let q = [0, 1, 2, 3].map(|k| from.q[k] + (sign * to.q[k] - from.q[k]) * share);
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    let q = if norm > 0.0 { q.map(|c| c / norm) } else { from.q };
    let turned = Pose::new([0.0; 3], q).apply(pivot);
    let position = start + (end - start).scale(share) - turned;
    Pose { position, rest: Vec3::ZERO, q }
}
