//! Text about bodies whose figures are those of hulls.

use super::text::{Lengths, count, visible};
use clearsweep_model::{HullFit, Scene, Shape};
use clearsweep_records::manifest::{Hulls, Summary};
use serde_json::{Value, json};

/// Behind a figure of a hull.
pub(crate) const OF_HULLS: &str = "of the hulls";

/// The bodies of which figures are of hulls, of a manifest's summary; `None` where there are none.
pub(crate) fn of_summary(summary: &Summary, lengths: Lengths) -> Option<String> {
    let Hulls { bodies, hull_excess_m, body } = summary.hulls.as_ref().filter(|hulls| hulls.bodies > 0)?;
    // Without the number of all bodies it is at least that of the hulls.
    let line = line(*bodies, summary.bodies.max(*bodies), ((*hull_excess_m)?, body), lengths);
    Some(format!("{line}; figures of such bodies are {OF_HULLS}"))
}

/// The bodies of a scene that are hulls of meshes that are not convex; `None` where there are none.
pub(crate) fn of_scene(scene: &Scene) -> Option<String> {
    let filled = || scene.bodies.iter().filter(|body| body.shape.is_filled());
    let most = filled().max_by(|a, b| excess(&a.shape).total_cmp(&excess(&b.shape)))?;
    Some(line(
        filled().count() as u64,
        scene.bodies.len() as u64,
        (excess(&most.shape), &most.name),
        Lengths::of(scene.unit),
    ))
}

fn line(bodies: u64, all: u64, (excess, body): (f64, &str), lengths: Lengths) -> String {
    let (hulls, beyond) = match bodies {
        1 => ("the hull of a mesh that is not convex", "it"),
        _ => ("hulls of meshes that are not convex", "them"),
    };
    let (bodies, all, excess) = (count(bodies), count(all), lengths.at_most(excess));
    format!("{bodies} of {all} bodies: {hulls}, up to {excess} beyond {beyond} ({})", visible(body))
}

/// The bodies of a scene that are hulls, one by one.
pub(crate) fn scene_json(scene: &Scene) -> Vec<Value> {
    let filled = scene.bodies.iter().filter(|body| body.shape.is_filled());
    filled
        .map(|body| {
            let mut object = shape_json(&body.shape);
            object["body"] = json!(body.name);
            object
        })
        .collect()
}

/// Returns the known fit of a hull; null if there is no mesh.
pub(crate) fn shape_json(shape: &Shape) -> Value {
    shape.fit.map_or(Value::Null, |fit| {
        json!({
            "convex": fit.convex,
            "hull_excess_m": fit.excess,
            "hull_volume_m3": fit.hull_volume,
            "mesh_volume_m3": fit.mesh_volume,
        })
    })
}

/// Returns the text about a body of a pair; `None` unless figures are those of its hull.
pub(crate) fn of_shape(name: &str, shape: &Shape, lengths: Lengths) -> Option<String> {
    let HullFit { excess, hull_volume, mesh_volume, .. } = shape.fit.filter(|_| shape.is_filled())?;
    let volume = match mesh_volume {
        Some(mesh) if mesh > 0.0 => format!("; its volume is {:.3} times that of the mesh", hull_volume / mesh),
        _ => "; its volume cannot be compared, as the mesh does not close up".to_owned(),
    };
    let hull = if shape.pieces.len() > 1 { "the hulls of its objects reach" } else { "its hull reaches" };
    Some(format!("{name} is not convex: {hull} up to {} beyond its surface{volume}", lengths.at_most(excess)))
}

fn excess(shape: &Shape) -> f64 {
    shape.fit.map_or(0.0, |fit| fit.excess)
}
