//! Text about bodies that are decompositions of solids: their pieces, and how far these may be from the solid.

use super::text::{Lengths, count, counted, visible};
use clearsweep_model::{Body, Scene, Shape};
use serde_json::{Value, json};

/// The decompositions of a scene; `None` where there are none.
pub(crate) fn of_scene(scene: &Scene) -> Option<String> {
    let all = || scene.bodies.iter().filter_map(|body| measured(&body.shape).map(|deviation| (deviation, body)));
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

/// Returns the text about a body of a pair; `None` unless it is a decomposition.
pub(crate) fn of_shape(name: &str, shape: &Shape, lengths: Lengths) -> Option<String> {
    let within = lengths.at_most(measured(shape)?);
    let pieces = counted(shape.pieces.len() as u64, "convex piece");
    Some(format!("{name}: {pieces}, within {within} of the solid; the bracket holds for the solid"))
}

/// The decompositions of a scene, one by one.
pub(crate) fn scene_json(scene: &Scene) -> Vec<Value> {
    let decomposed = scene.bodies.iter().filter(|body| measured(&body.shape).is_some());
    decomposed
        .map(|body| {
            let mut object = shape_json(&body.shape);
            object["body"] = json!(body.name);
            object
        })
        .collect()
}

/// The decomposition of a body; null where it is none.
pub(crate) fn shape_json(shape: &Shape) -> Value {
    measured(shape).map_or(Value::Null, |measured| {
        json!({
            "pieces": shape.pieces.len(),
            "decomposition_deviation_m": measured,
            "deviation_m": shape.deviation,
        })
    })
}

fn measured(shape: &Shape) -> Option<f64> {
    shape.decomposition_deviation
}
