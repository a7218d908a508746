//! All bodies as boxes, for the overview.

use super::motion::placement;
use super::neighbours::{Boxes, LocalBox};
use super::shapes::shape_key;
use crate::data::{Moment, Plant, PlantBox};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{Motion, Scene};

/// Boxes that are shown; smaller ones are left out.
const MOST_BOXES: usize = 10_000;

/// The bodies of a scene: those at rest, and those that move at `poses`, by slot, of a moment.
pub(super) fn plant(
    scene: &Scene,
    boxes: &Boxes,
    (moment, poses): (Option<(i64, Moment)>, &[Option<Pose>]),
    violating: impl Fn(u32) -> bool,
) -> Plant {
    let placed = |index: usize| {
        let body = &scene.bodies[index];
        let pose = match body.motion {
            Motion::Static(pose) => pose,
            Motion::Dynamic { slot } => (*poses.get(slot as usize)?)?,
        };
        let local: &LocalBox = &boxes[&shape_key(&body.shape)];
        let (centre, half_m) = local.middle();
        let centred = Pose { position: pose.apply(centre), rest: Vec3::ZERO, q: pose.q };
        let is_finite = centred.position.is_finite() && half_m.iter().all(|side| side.is_finite());
        is_finite.then_some((index as u32, centred, half_m))
    };
    let mut all: Vec<(u32, Pose, [f64; 3])> = (0..scene.bodies.len()).filter_map(placed).collect();
    let unlisted = all.len().saturating_sub(MOST_BOXES) as u64;
    if unlisted > 0 {
        let size = |half: [f64; 3]| half.iter().map(|side| side * side).sum::<f64>();
        all.sort_by(|a, b| {
            violating(b.0).cmp(&violating(a.0)).then(size(b.2).total_cmp(&size(a.2))).then(a.0.cmp(&b.0))
        });
        all.truncate(MOST_BOXES);
        all.sort_by_key(|(body, ..)| *body);
    }
    let origin = all.first().map_or([0.0; 3], |(_, pose, _)| pose.position.to_array());
    let boxes =
        all.into_iter().map(|(body, pose, half_m)| PlantBox { body, placement: placement(&pose, origin), half_m });
    Plant { origin, boxes: boxes.collect(), unlisted, moment }
}
