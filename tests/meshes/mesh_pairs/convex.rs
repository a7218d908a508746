//! Meshes that are convex: where they overlap, they are as deep as their hulls.

use super::{ask, at};
use clearsweep_geometry::Vec3;
use clearsweep_scene::{Model, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;

/// Both orders of two bodies, and the pose of the second in each: neither is turned.
fn both_orders<'a>(a: &'a Shape, b: &'a Shape, offset: Vec3<f64>) -> [(&'a Shape, &'a Shape, Vec3<f64>); 2] {
    [(a, b, offset), (b, a, -offset)]
}

#[test]
fn boxes_that_cross_in_a_corner_an_edge_or_a_face_are_as_deep_as_their_sides_tell() {
    let mut random = Random(29);
    let mut crossing = [0; 4];
    for number in 0..600 {
        // One in three is small.
        let shrink = [1.0, 1.0, 0.2][number % 3];
        let sides = [1.0, shrink].map(|by| ((random.vec3() + Vec3::new(1.5, 1.5, 1.5)) * by).to_array());
        let [a, b] = sides.map(|half| Solid::cuboid(half, 1 + number % 3));
        let offset = Vec3::from([0, 1, 2].map(|k| (sides[0][k] + sides[1][k]) * random.signed()));
        // The shortest way out of axis-parallel boxes is along an axis.
        let overlap = (0..3).map(|k| sides[0][k] + sides[1][k] - offset[k].abs()).fold(f64::INFINITY, f64::min);
        let cornered = (0..3).filter(|&k| offset[k].abs() > (sides[0][k] - sides[1][k]).abs()).count();
        let models = [(Model::Mesh, Model::Mesh), (Model::Mesh, Model::Hull)];
        let (first, second) = models[number % 2];
        let (x, y) = (a.shape(first, 0.0), b.shape(second, 0.0));
        for (x, y, offset) in both_orders(&x, &y, offset) {
            let row = ask(x, y, &at(offset.x, offset.y, offset.z));
            assert!(row.lower <= -overlap && -overlap <= row.upper, "{row:?} {overlap}");
            assert!(row.upper - row.lower < 1e-11, "{row:?} {overlap}");
        }
        crossing[cornered] += 1;
    }
    assert!(crossing.iter().all(|&n| n > 20), "not representative: {crossing:?}");
}
