//! Distinct shapes: bodies of one file share theirs.

use clearsweep_model::{Scene, Shape};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The address of a shape: equal for bodies that share it.
pub(crate) type ShapeKey = usize;

/// The number of each shape's mesh.
pub(crate) type MeshNumbers = FxHashMap<ShapeKey, usize>;

/// Returns the key of a shape.
pub(crate) fn shape_key(shape: &Arc<Shape>) -> ShapeKey {
    Arc::as_ptr(shape) as usize
}

/// The distinct shapes of some bodies, in the order of their first body, and their numbers.
pub(crate) fn distinct_shapes(scene: &Scene, bodies: impl Iterator<Item = u32>) -> (Vec<&Shape>, MeshNumbers) {
    let (mut shapes, mut numbers) = (Vec::new(), MeshNumbers::default());
    for body in bodies {
        let shape = &scene.bodies[body as usize].shape;
        numbers.entry(shape_key(shape)).or_insert_with(|| {
            shapes.push(&**shape);
            shapes.len() - 1
        });
    }
    (shapes, numbers)
}
