//! Bodies for the engine and for the oracle.

use super::oracle::Solid;
use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder, Shape};
use std::sync::Arc;

/// A body for the engine and for the oracle.
pub(crate) struct Body {
    pub(crate) shape: Arc<Shape>,
    pub(crate) solid: Solid,
}

/// Makes a body of this geometry.
pub(crate) fn body(geometry: Geometry) -> Body {
    let identity = [1.0, 0.0, 0.0, 0.0];
    let scene = SceneBuilder::new(1.0)
        .body(BodyBuilder::new("a", geometry).fixed([0.0; 3], identity))
        .body(BodyBuilder::new("b", Geometry::Sphere(1.0)).fixed([9.0; 3], identity))
        .build()
        .expect("a scene");
    let shape = Arc::clone(&scene.bodies[0].shape);
    let hull = shape.hull();
    let solid = Solid::new(&hull.core, shape.center.to_array(), hull.radius);
    Body { shape, solid }
}
