//! Triangles of a mesh that touch or cross each other, against all pairs in exact arithmetic.

use crate::hull_solids::Solid;
use clearsweep::{Geometry, Model, SceneOverrides, Shape};
use clearsweep_scene::MeshCondition;
use clearsweep_testing::random::Random;
use std::fmt::Write;
use std::fs;
use std::sync::Arc;

type Point = [i128; 3];

/// A point over a common denominator, which is positive.
type Rational = (Point, i128);

fn minus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn dot(a: Point, b: Point) -> i128 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn normal([a, b, c]: [Point; 3]) -> Point {
    cross(minus(b, a), minus(c, a))
}

/// `x - a`, times the denominator of `x`.
fn from(a: Point, (x, w): Rational) -> Point {
    minus(x, a.map(|c| c * w))
}

fn is_in(triangle: [Point; 3], x: Rational) -> bool {
    let n = normal(triangle);
    let is_left = |k: usize| {
        let (p, q) = (triangle[k], triangle[(k + 1) % 3]);
        dot(n, cross(minus(q, p), from(p, x))) >= 0
    };
    dot(n, from(triangle[0], x)) == 0 && (0..3).all(is_left)
}

/// `p + (q - p) numerator / denominator`, if that is a point of the segment.
fn on_segment([p, q]: [Point; 2], numerator: i128, denominator: i128) -> Option<Rational> {
    let (n, w) = if denominator < 0 { (-numerator, -denominator) } else { (numerator, denominator) };
    (w > 0 && (0..=w).contains(&n)).then(|| ([0, 1, 2].map(|k| p[k] * w + (q[k] - p[k]) * n), w))
}

/// Points whose hull is what two triangles have in common.
fn common(s: [Point; 3], t: [Point; 3]) -> Vec<Rational> {
    let sides = |of: [Point; 3]| [[of[0], of[1]], [of[1], of[2]], [of[2], of[0]]];
    let mut candidates: Vec<Rational> = s.into_iter().chain(t).map(|corner| (corner, 1)).collect();
    for (own, other) in [(s, t), (t, s)] {
        let n = normal(other);
        let through = |[p, q]: [Point; 2]| on_segment([p, q], dot(n, minus(other[0], p)), dot(n, minus(q, p)));
        candidates.extend(sides(own).into_iter().filter_map(through));
    }
    let n = normal(s);
    for [p, q] in sides(s) {
        for [u, v] in sides(t) {
            let denominator = dot(n, cross(minus(q, p), minus(v, u)));
            candidates.extend(on_segment([p, q], dot(n, cross(minus(u, p), minus(v, u))), denominator));
        }
    }
    candidates.retain(|&x| is_in(s, x) && is_in(t, x));
    candidates
}

/// Whether a point is one of the corners in `shared`, or on the side between two of them.
fn is_on(shared: &[Point], x: Rational) -> bool {
    match *shared {
        [] => false,
        [v] => from(v, x) == [0; 3],
        [p, q] => {
            let (side, to) = (minus(q, p), from(p, x));
            cross(side, to) == [0; 3] && (0..=dot(side, side) * x.1).contains(&dot(side, to))
        }
        _ => unreachable!("triangles that have three corners in common are asked nothing"),
    }
}

/// The number of common corners, and whether two triangles are in contact.
fn contact(s: [Point; 3], t: [Point; 3]) -> (usize, bool) {
    let shared: Vec<Point> = s.into_iter().filter(|corner| t.contains(corner)).collect();
    (shared.len(), shared.len() == 3 || common(s, t).into_iter().any(|x| !is_on(&shared, x)))
}

fn obj(triangles: &[[[f64; 3]; 3]]) -> String {
    let mut text = String::new();
    for [x, y, z] in triangles.as_flattened() {
        let _ = writeln!(text, "v {x:?} {y:?} {z:?}");
    }
    for t in 0..triangles.len() {
        let _ = writeln!(text, "f {} {} {}", 3 * t + 1, 3 * t + 2, 3 * t + 3);
    }
    text
}

fn load(text: impl AsRef<[u8]>) -> Option<Arc<Shape>> {
    let folder = tempfile::tempdir().expect("scratch");
    let path = folder.path().join("a.obj");
    fs::write(&path, text).expect("a file");
    Geometry::file(path, Some(Model::Mesh)).shape(0.0).ok()
}

fn condition(text: impl AsRef<[u8]>) -> MeshCondition {
    load(text).expect("a mesh").condition.expect("a mesh")
}

/// Random triangles with whole coordinates: over few points, so that they share corners; in a plane
/// or in space; near and far.
fn soup(seed: u64) -> Vec<[[i64; 3]; 3]> {
    let random = &mut Random(seed);
    let reach = [3, 4, 6, 700][seed as usize % 4];
    let is_flat = seed.is_multiple_of(3);
    let pool: Vec<[i64; 3]> = (0..6 + random.below(8))
        .map(|_| {
            let [x, y, z] = [0; 3].map(|_| random.below(reach) as i64);
            // A plane that is no plane of axes.
            if is_flat { [x, y, x + 2 * y] } else { [x, y, z] }
        })
        .collect();
    let count = 3 + random.below(10);
    (0..count).map(|_| [0; 3].map(|_| pool[random.below(pool.len())])).collect()
}

#[test]
fn contacts_of_random_triangles_are_those_of_all_pairs_in_exact_arithmetic() {
    let mut seen = [[0_u64; 2]; 4];
    for seed in 0..4000 {
        let soup = soup(seed).into_iter().map(|t| t.map(|p| p.map(|c| c as f64))).collect::<Vec<_>>();
        // None of the triangles may have an area.
        let Some(shape) = load(obj(&soup)) else { continue };
        let mesh = shape.mesh.as_ref().expect("triangles");
        let center = shape.center;
        let corner = |v: u32| (mesh.vertices()[v as usize] + center).to_array().map(|c| c as i128);
        let triangles: Vec<[Point; 3]> = mesh.triangles().iter().map(|t| t.map(corner)).collect();
        let mut expected = 0;
        for (k, &s) in triangles.iter().enumerate() {
            for &t in &triangles[k + 1..] {
                let (shared, touch) = contact(s, t);
                seen[shared][usize::from(touch)] += 1;
                expected += u64::from(touch);
            }
        }
        let found = shape.condition.expect("a mesh");
        assert_eq!((found.self_contacts, found.self_contacts_at_least), (expected, false), "seed {seed}: {soup:?}");
    }
    // By the number of common corners, pairs that are clear and pairs that are in contact.
    let is_seen = seen[..3].iter().flatten().all(|&pairs| pairs > 1000) && seen[3][1] > 100;
    assert!(is_seen && seen[3][0] == 0, "not representative: {seen:?}");
}

#[test]
fn what_touches_itself_is_counted_pair_by_pair() {
    let cube = |at: [f64; 3]| Solid::cuboid([2.0; 3]).moved(move |p| [0, 1, 2].map(|k| p[k] + at[k]));
    let of = |solid: &Solid| {
        let found = condition(solid.obj());
        (found.self_contacts, found.is_solid())
    };
    for solid in [cube([0.0; 3]), Solid::ring(25.0, 60.0, 10.0, 64), cube([0.0; 3]).with(&cube([5.0, 0.0, 0.0]))] {
        assert_eq!(of(&solid), (0, true), "closed and clear");
    }
    // A figure of eight: two prisms that share an edge. Triangles of one that end in that edge and
    // those of the other share a corner or both, and nothing beyond.
    assert_eq!(of(&cube([0.0; 3]).with(&cube([2.0, 2.0, 0.0]))), (0, true));
    assert_eq!(of(&cube([0.0; 3]).with(&cube([2.0, 2.0, 2.0]))), (0, true), "a common corner");
    // A common face: its two triangles on either side, and, where diagonals differ, each with both
    // of the other side.
    let beside = cube([0.0; 3]).with(&cube([2.0, 0.0, 0.0]));
    let (found, pairs) = (condition(beside.obj()), of(&beside).0);
    assert!([2, 4].contains(&pairs) && found.nonmanifold_edges >= 4, "{found:?}");
    // The same with a half of a side between them: corners lie on sides and faces.
    assert!(of(&cube([0.0; 3]).with(&cube([2.0, 1.0, 1.0]))).0 >= 4);
    // One box through another; one that stands on another with a corner inside of its face.
    let (crossing, is_solid) = of(&cube([0.0; 3]).with(&cube([1.0, 0.7, 0.3])));
    assert!(crossing > 6 && is_solid, "{crossing}: solids that cross are solid");
    let needle = [[[0.25, 0.5, 1.0], [0.0, 0.0, 4.0], [1.0, 0.0, 4.0]]];
    let (tip, on_face) = (condition(obj(&needle)), cube([0.0; 3]).obj() + "v 0.3 0.4 1\nv 0 0 4\nv 1 0 4\nf 9 10 11\n");
    assert_eq!((tip.self_contacts, condition(on_face).self_contacts), (0, 1));
}

#[test]
fn folds_and_junctions_in_a_sheet() {
    let sheet = |faces: &[[[f64; 3]; 3]]| condition(obj(faces)).self_contacts;
    let [a, b, c, d] = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
    assert_eq!(sheet(&[[a, b, c], [a, c, d]]), 0, "flat");
    // The second half is folded onto the first one about the diagonal, wholly, in part, and nearly.
    assert_eq!(sheet(&[[a, b, c], [a, c, [1.5, 0.5, 0.0]]]), 1);
    assert_eq!(sheet(&[[a, b, c], [a, c, [1.5, 0.5, 1e-70]]]), 0);
    assert_eq!(sheet(&[[a, b, c], [a, c, [9.0, -7.0, 0.0]]]), 1);
    assert_eq!(sheet(&[[a, b, c], [c, b, a]]), 1, "the two sides of a sheet");
    // About a corner: beside each other, overlapping, through each other, edge on.
    assert_eq!(sheet(&[[a, b, c], [a, d, [-2.0, 2.0, 0.0]]]), 0);
    assert_eq!(sheet(&[[a, b, c], [a, d, [2.0, 1.0, 0.0]]]), 1);
    assert_eq!(sheet(&[[a, b, c], [a, [2.0, 1.0, 1.0], [2.0, 1.0, -1.0]]]), 1);
    assert_eq!(sheet(&[[a, b, c], [a, [-2.0, -1.0, 1.0], [-2.0, -1.0, -1.0]]]), 0, "behind the corner");
    assert_eq!(sheet(&[[a, b, c], [a, [4.0, 2.0, 0.0], [2.0, 1.0, 5.0]]]), 1, "along a side of it");
    // A T-junction: a corner inside of a side. Both triangles of the cut side end in it.
    let middle = [1.0, 1.0, 0.0];
    assert_eq!(sheet(&[[a, b, c], [a, middle, d], [middle, c, d]]), 2);
}

#[test]
fn loading_gives_the_same_mesh_for_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("scratch");
    let mut random = Random(5);
    let mut soup = Vec::new();
    for _ in 0..40_000 {
        let at = [0; 3].map(|_| random.below(120) as f64);
        soup.push([0; 3].map(|_| at.map(|c| c + random.below(7) as f64)));
    }
    let file =
        Solid { vertices: soup.concat(), triangles: (0..soup.len()).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect() };
    fs::write(folder.path().join("soup.stl"), file.stl()).expect("a file");
    fs::write(folder.path().join("ring.obj"), Solid::ring(25.0, 60.0, 10.0, 20_000).obj()).expect("a file");
    let body = |name: &str, file: &str| {
        format!("[[body]]\nname = \"{name}\"\ngeometry = \"{file}\"\nmodel = \"mesh\"\nstatic = true\n")
    };
    let text = format!(
        "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n{}{}",
        body("a", "soup.stl"),
        body("b", "ring.obj")
    );
    let path = folder.path().join("s.toml");
    fs::write(&path, text).expect("a scene");
    let loaded = |threads: usize| {
        let overrides = SceneOverrides { threads: Some(threads), ..SceneOverrides::default() };
        clearsweep::SceneBuilder::load(&path, &overrides).expect("a scene")
    };
    let alone = loaded(1);
    let [soup, ring] = [0, 1].map(|k| alone.bodies[k].shape.condition.expect("a mesh"));
    assert!(soup.self_contacts > 10_000 && soup.welded_vertices > 1000 && soup.degenerate_triangles > 100, "{soup:?}");
    assert!(ring.self_contacts == 0 && ring.is_solid(), "{ring:?}");
    for threads in [2, 5] {
        let other = loaded(threads);
        for (one, same) in alone.bodies.iter().zip(&other.bodies) {
            assert!(one.shape == same.shape, "{}: {threads} threads make another mesh", one.name);
        }
    }
}
