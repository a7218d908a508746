//! Distances of meshes along directions, against brute force over all pairs of triangles at lengths
//! on the way.

use super::OPTIONS;
use super::depths::{is_apart, moved, solids};
use crate::brute_force::surface_distance;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{DirectionalDistance, DirectionalRelation, Workspace, directional_distance};
use clearsweep_scene::{Model, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;

fn along(a: &Shape, b: &Shape, pose: &Pose, d: Vec3<f64>) -> DirectionalDistance {
    directional_distance(a, b, &Pose::IDENTITY, pose, d, &OPTIONS, &mut Workspace::default())
}

/// Lengths between 0 and `end`, without it.
fn before(end: f64) -> impl Iterator<Item = f64> {
    (0..24).map(move |k| end * f64::from(k) / 24.0)
}

#[test]
fn directions_of_meshes_by_all_pairs_of_triangles() {
    let bodies = solids();
    let shapes: Vec<_> = bodies.iter().map(|solid| solid.shape(Model::Mesh, 0.0)).collect();
    let mut random = Random(5);
    let mut relations = [0; 6];
    let (mut sharp, mut most) = (0, 0.0_f64);
    for number in 0..140 {
        let (i, j) = (number % 4, number / 4 % 4);
        let away = if number % 3 == 0 { 0.5 * (1.0 + random.signed()) } else { 2.5 };
        let at = random.vec3().normalized() * away;
        let pose = Pose::new(at.to_array(), [1.0, random.signed(), random.signed(), random.signed()]);
        let aim = if number % 2 == 0 { random.vec3() * 0.5 - at } else { random.vec3() };
        let d = aim.normalized();
        let found = along(&shapes[i], &shapes[j], &pose, d);
        let is_free = |t: f64| is_apart(&bodies[i], &bodies[j], &moved(&pose, d * t));
        relations[found.relation as usize] += 1;
        let DirectionalDistance { relation, lower, upper, .. } = found;
        match relation {
            DirectionalRelation::Touches => {
                assert!(before(lower).all(is_free) && (lower < 1e-6 || is_free(lower - 1e-9)), "{number}: {found:?}");
                let there = surface_distance(&bodies[i], &bodies[j], &moved(&pose, d * upper));
                assert!(there[0] <= 1e-10 && upper - lower < 1e-7, "{number}: {found:?} {there:?}");
            }
            DirectionalRelation::Leaves => {
                assert!(is_free(upper + 1e-9) && before(lower).all(|t| !is_free(t)), "{number}: {found:?}");
                assert!(lower > 0.0);
                sharp += usize::from(upper - lower < 1e-9);
                most = most.max(upper - lower);
            }
            DirectionalRelation::Misses => assert!(before(8.0).all(is_free), "{number}: {found:?}"),
            _ => panic!("{number}: {found:?}"),
        }
    }
    let [touches, leaves, _, misses, ..] = relations;
    assert!(touches > 20 && leaves > 20 && misses > 20, "not representative: {relations:?}");
    // The lower end of a way out is loose where no pair of triangles is known to hold the bodies
    // together all the way.
    assert!(sharp * 4 >= leaves, "{sharp} of {leaves} are sharp, the widest is {most:e}");
}

#[test]
fn a_box_of_many_triangles_moves_as_a_box() {
    let (a, b) = (Solid::cuboid([0.6, 0.4, 0.9], 3), Solid::cuboid([0.3, 0.5, 0.2], 2));
    let mut random = Random(62);
    let mut met = [0; 6];
    for offset in [0.0, 0.05] {
        let of = |solid: &Solid, model| solid.shape(model, offset);
        let [mesh_a, mesh_b] = [of(&a, Model::Mesh), of(&b, Model::Mesh)];
        let [hull_a, hull_b] = [of(&a, Model::Hull), of(&b, Model::Hull)];
        for number in 0..60 {
            let at = random.vec3().normalized() * if number % 2 == 0 { 2.5 } else { 0.5 };
            let pose = Pose::new(at.to_array(), [1.0, random.signed(), random.signed(), random.signed()]);
            let d = if number % 4 == 0 { random.vec3() * 0.4 - at } else { random.vec3() };
            let [found, expected] = [along(&mesh_a, &mesh_b, &pose, d), along(&hull_a, &hull_b, &pose, d)];
            assert_eq!(found.relation, expected.relation, "{found:?} {expected:?}");
            met[found.relation as usize] += 1;
            assert!(found.lower <= expected.upper && expected.lower <= found.upper, "{found:?} {expected:?}");
        }
    }
    assert!(met[0] > 15 && met[1] > 40 && met[3] > 10, "not representative: {met:?}");
}

#[test]
fn what_lies_inside_of_a_solid_leaves_it_and_a_hollow_one_is_touched_from_inside() {
    let (block, bead) = (Solid::cuboid([1.0; 3], 2), Solid::ball(0.25, 6, 8, |_| 0.0));
    let shell = Solid::cuboid([1.0; 3], 2).and(&Solid::cuboid([0.75; 3], 2).flipped());
    let [block, shell] = [block, shell].map(|solid| solid.shape(Model::Mesh, 0.0));
    let bead = bead.shape(Model::Mesh, 0.0);
    let (pose, x) = (Pose::new([0.1, 0.05, 0.0], [1.0, 0.0, 0.0, 0.0]), Vec3::new(2.0, 0.0, 0.0));
    let found = along(&block, &bead, &pose, x);
    assert_eq!(found.relation, DirectionalRelation::Leaves);
    assert!(found.upper >= 1.15 - 1e-9 && found.upper < 1.15 + 1e-9 && found.lower > 1.1, "{found:?}");
    let found = along(&shell, &bead, &pose, x);
    assert_eq!(found.relation, DirectionalRelation::Touches);
    assert!((found.value.expect("a value") - 0.4).abs() < 1e-9, "{found:?}");
}
