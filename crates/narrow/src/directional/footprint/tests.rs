//! The free length against closed formulas, and against brute force over all facets of the
//! difference.

mod oracle;
mod shapes;

use super::grown::CORNERS;
use super::*;
use crate::certificate::random_bodies::RandomBodies;
use oracle::meeting;
use shapes::{body, cuboid, mesh, moved_points, points, sheet};

const UP: Vec3<f64> = Vec3 { x: 0.0, y: 0.0, z: 1.0 };
const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];
const OPTIONS: QueryOptions = QueryOptions::EVERYTHING;

/// Inner radius of the polygon by the radius of the disk.
fn ratio() -> f64 {
    (std::f64::consts::PI / CORNERS as f64).cos()
}

fn ask(a: &Shape, b: &Shape, poses: [&Pose; 2], direction: Vec3<f64>, radius: f64) -> DirectionalDistance {
    let (mut footprint, mut work) = (Footprint::new(radius), Workspace::default());
    free_length(a, b, poses[0], poses[1], direction, &mut footprint, &OPTIONS, &mut work)
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new([x, y, z], STILL)
}

fn bits(found: &DirectionalDistance) -> [u64; 4] {
    [found.relation as u64, found.value.map_or(1, f64::to_bits), found.lower.to_bits(), found.upper.to_bits()]
}

#[test]
fn head_room_of_a_person_under_a_beam() {
    let (person, beam) = (cuboid([0.25, 0.25, 0.875]), cuboid([0.125, 2.0, 0.125]));
    let stands = at(0.0, 0.0, 0.875);
    let above = |x: f64, radius: f64| ask(&person, &beam, [&stands, &at(x, 0.0, 2.25)], UP, radius);
    for (x, radius) in [(0.0, 0.0), (0.0, 0.3), (0.5, 0.3), (-0.6, 0.3)] {
        let found = above(x, radius);
        assert_eq!(found.relation, DirectionalRelation::Touches, "{x} {radius} {found:?}");
        assert!(found.lower <= 0.375 && found.upper >= 0.375 && found.upper - found.lower < 1e-12, "{found:?}");
    }
    // The beam is 0.125 wide at each side, and the person 0.25: beside each other from 0.375 on.
    assert_eq!(above(0.5, 0.0).relation, DirectionalRelation::Misses);
    assert_eq!(above(0.69, 0.3).relation, DirectionalRelation::Misses);
    let edge = above(0.6755, 0.3);
    assert!(edge.relation == DirectionalRelation::Undecided && (edge.lower - 0.375).abs() < 1e-12, "{edge:?}");
    // In front, along a direction that is turned with the person.
    let (sine, cosine) = 0.35_f64.sin_cos();
    let turned = Pose::new([0.0, 0.0, 0.875], [cosine, 0.0, 0.0, sine]);
    let front = Vec3::new((0.7_f64).cos(), (0.7_f64).sin(), 0.0).scale(3.0);
    let wall = Pose { position: Vec3::new(front.x, front.y, 1.6), ..turned };
    let found = ask(&person, &cuboid([0.5, 0.125, 0.125]), [&turned, &wall], front, 0.5);
    assert!((found.value.expect("a value") - 2.25).abs() < 1e-12 && found.upper - found.lower < 1e-12, "{found:?}");
}

#[test]
fn balls_by_their_formula() {
    let mut random = RandomBodies(5);
    let mut seen = [0; 6];
    for number in 0..600 {
        let radii = [0.5 + 0.2 * random.next(), 0.4 + 0.3 * random.next()];
        let [a, b] = radii.map(|radius| body(&[Vec3::ZERO], radius));
        let between = Vec3::new(random.next(), random.next(), random.next()).scale(1.9);
        let aim = between.scale(f64::from(u8::from(number % 4 > 0)));
        let direction = aim + Vec3::new(random.next(), random.next(), random.next()).scale(1.5);
        let (far, footprint) = (Vec3::new(1e6, -2e6, 3e6), 0.4 + 0.3 * random.next());
        let poses =
            [Pose { position: far, rest: Vec3::ZERO, q: STILL }, Pose { position: far, rest: between, q: STILL }];
        let found = ask(&a, &b, [&poses[0], &poses[1]], direction, footprint);
        let height = between.dot(direction.normalized());
        let aside = (between - direction.normalized().scale(height)).length();
        let reach = radii[0] + radii[1];
        let half = |footprint: f64| {
            let aside = (aside - footprint).max(0.0);
            (aside < reach).then(|| (reach * reach - aside * aside).sqrt())
        };
        let expected = |footprint: f64| {
            half(footprint).map_or([f64::INFINITY, f64::NEG_INFINITY], |half| [height - half, height + half])
        };
        check(&found, [footprint / ratio(), footprint, footprint * ratio()].map(expected), 1e-9);
        seen[found.relation as usize] += 1;
    }
    assert!([0, 2, 3].iter().all(|&k| seen[k] > 40) && seen[1] + seen[5] == 0 && seen[4] < 40, "{seen:?}");
}

/// Checks an answer against the lengths at which bodies meet whose footprint is the largest, the
/// true and the smallest one that polygons stand for. Everything is known to within `off`, metres.
fn check(found: &DirectionalDistance, [outer, exact, inner]: [[f64; 2]; 3], off: f64) {
    let free = |[begin, end]: [f64; 2]| if end < 0.0 { f64::INFINITY } else { begin.max(0.0) };
    let say = || format!("{found:?} {outer:?} {exact:?} {inner:?}");
    // Ends near the start of the motion may be on either side of it.
    let is_near = |ends: [f64; 2]| ends.iter().any(|end| end.abs() < off);
    if is_near(exact) || is_near(outer) || is_near(inner) {
        return;
    }
    assert!(found.lower <= free(exact) + off && found.upper >= free(exact) - off, "holds {}", say());
    assert!(found.lower >= free(outer) - off && found.upper <= free(inner) + off, "is narrow {}", say());
    match found.relation {
        DirectionalRelation::InContact => {
            assert!(
                free(exact) == 0.0 && found.value == Some(0.0) && found.lower == 0.0 && found.upper == 0.0,
                "{}",
                say()
            );
        }
        DirectionalRelation::Misses => assert!(free(exact).is_infinite() && found.lower.is_infinite(), "{}", say()),
        DirectionalRelation::Touches => assert!(found.value.is_some(), "{}", say()),
        DirectionalRelation::Undecided => {
            assert!(free(outer) == 0.0 && free(inner) > 0.0 || free(outer) < free(inner), "{}", say());
        }
        DirectionalRelation::Leaves | DirectionalRelation::Unproven => panic!("{}", say()),
    }
}

#[test]
fn random_polytopes_by_brute_force() {
    let mut random = RandomBodies(9);
    let (mut seen, mut slanted) = ([0; 6], 0);
    for number in 0..200 {
        let [a, b] = [0, 1].map(|_| points(&mut random, 7));
        let q = [0, 1].map(|_| [random.next(), random.next(), random.next(), random.next()]);
        let between =
            Vec3::new(random.next(), random.next(), random.next()).scale(if number % 5 == 0 { 1.0 } else { 3.0 });
        let direction = match number % 4 {
            0 => UP.scale(-1.5),
            1 => Vec3::new(random.next(), random.next(), random.next()),
            _ => between + Vec3::new(random.next(), random.next(), random.next()).scale(1.8),
        };
        let far = if number % 3 == 0 { Vec3::new(1e6, 1e6, -1e6) } else { Vec3::ZERO };
        let first = if number % 8 == 0 { [q[0][0], 0.0, 0.0, q[0][3]] } else { q[0] };
        let poses =
            [Pose { position: far, rest: Vec3::ZERO, q: first }, Pose { position: far, rest: between, q: q[1] }];
        let footprint = 0.35 + 0.3 * random.next();
        let found = ask(&body(&a, 0.0), &body(&b, 0.0), [&poses[0], &poses[1]], direction, footprint);
        let world = [moved_points(&a, first, Vec3::ZERO), moved_points(&b, q[1], between)];
        let lengths = [footprint / ratio(), footprint, footprint * ratio()].map(|radius| {
            meeting(&world[0], &world[1], direction, radius).unwrap_or([f64::INFINITY, f64::NEG_INFINITY])
        });
        check(&found, lengths, 1e-9);
        slanted += usize::from(found.relation == DirectionalRelation::Touches && found.upper - found.lower > 1e-6);
        seen[found.relation as usize] += 1;
    }
    assert!(seen[0] > 40 && seen[2] > 15 && seen[3] > 15 && slanted > 20, "not representative: {seen:?} {slanted}");
}

#[test]
fn without_growth_it_is_the_distance_along_the_direction() {
    let mut random = RandomBodies(11);
    let mut seen = [0; 6];
    for number in 0..300 {
        let [a, b] = [0, 1].map(|_| body(&points(&mut random, 9), 0.0));
        let q = [0, 1].map(|_| [random.next(), random.next(), random.next(), random.next()]);
        let between = Vec3::new(random.next(), random.next(), random.next()).scale(2.0);
        let poses = [Pose::new([0.0; 3], q[0]), Pose::new(between.to_array(), q[1])];
        let direction = between + Vec3::new(random.next(), random.next(), random.next()).scale(f64::from(number % 3));
        let found = ask(&a, &b, [&poses[0], &poses[1]], direction, 0.0);
        let moved = directional_distance(&a, &b, &poses[0], &poses[1], -direction, &OPTIONS, &mut Workspace::default());
        if moved.relation == DirectionalRelation::Leaves {
            assert_eq!(bits(&found), bits(&contact(0.0)));
        } else {
            assert_eq!(bits(&found), bits(&moved));
        }
        // Footprints that are lost in rounding.
        let little = ask(&a, &b, [&poses[0], &poses[1]], direction, 1e-300);
        assert!(little.lower <= found.lower && little.upper >= found.upper, "{little:?} {found:?}");
        assert!(found.value.is_none() || little.upper - little.lower < 1e-10, "{little:?} {found:?}");
        seen[moved.relation as usize] += 1;
    }
    assert!([0, 1, 3].iter().all(|&k| seen[k] > 20), "not representative: {seen:?}");
}

#[test]
fn the_kept_body_answers_in_the_same_bits() {
    let mut random = RandomBodies(13);
    let bodies = [0, 1, 2].map(|_| body(&points(&mut random, 20), 0.0));
    let (mut footprint, mut work) = (Footprint::new(0.25), Workspace::default());
    let (mut built, mut last) = (0, None);
    for number in 0..200 {
        let a = &bodies[usize::from(number % 50 > 40)];
        // Turned about the direction, which keeps the grown body, or any other way.
        let turn = if number % 5 < 4 { [random.next(), 0.0, 0.0, random.next()] } else { [0.0, 0.6, 0.8, 0.3] };
        let position = Vec3::new(random.next(), random.next(), 2.0 * random.next());
        let poses = [Pose::new([0.1, 0.2, 0.3], turn), Pose::new(position.to_array(), [1.0, 0.3, 0.2, 0.1])];
        let found = free_length(a, &bodies[2], &poses[0], &poses[1], UP, &mut footprint, &OPTIONS, &mut work);
        assert_eq!(bits(&found), bits(&ask(a, &bodies[2], [&poses[0], &poses[1]], UP, 0.25)));
        let now = footprint.kept.as_ref().map(|kept| kept.outer[0].pieces[0].core.identity());
        built += usize::from(now != last);
        last = now;
    }
    assert!((60..140).contains(&built), "{built}");
}

#[test]
fn bodies_of_pieces() {
    // A gate: two posts and a lintel. A ball passes through where there is space.
    let block = |c: [f64; 3], half: [f64; 3]| shapes::moved(&shapes::corners(half), Vec3::from(c));
    let gate = shapes::pieces(&[
        block([-1.0, 0.0, 0.0], [0.125, 0.125, 1.0]),
        block([1.0, 0.0, 0.0], [0.125, 0.125, 1.0]),
        block([0.0, 0.0, 1.125], [1.125, 0.125, 0.125]),
    ]);
    let (ball, forward) = (body(&[Vec3::ZERO], 0.25), Vec3::new(0.0, 1.0, 0.0));
    for (radius, is_free) in [(0.3, true), (0.6, true), (0.65, false)] {
        let found = ask(&ball, &gate, [&at(0.0, -3.0, 0.0), &Pose::IDENTITY], forward, radius);
        assert_eq!(found.relation == DirectionalRelation::Misses, is_free, "{radius} {found:?}");
    }
    // The other way round: the gate grows.
    let found = ask(&gate, &ball, [&at(0.0, -3.0, 0.0), &Pose::IDENTITY], forward, 0.7);
    assert!((found.value.expect("a value") - 2.6948).abs() < 0.002 && found.lower < found.upper, "{found:?}");
    let found = ask(&gate, &ball, [&Pose::IDENTITY, &at(0.6, 0.0, 0.0)], forward, 0.1);
    assert_eq!(bits(&found), bits(&contact(0.0)));
}

#[test]
fn meshes_and_what_is_inside_of_them() {
    // A hollow block: an outer and an inner shell. What is in the shell's hollow is outside.
    let hollow = mesh(&[(2.0, 1.0), (1.0, -1.0)], 0.0);
    let small = cuboid([0.0625; 3]);
    let ask_at = |x: f64, z: f64, radius: f64| ask(&hollow, &small, [&Pose::IDENTITY, &at(x, 0.1, z)], UP, radius);
    for radius in [0.0, 0.25] {
        // In the hollow: the floor of it comes up.
        let found = ask_at(0.1, 0.5, radius);
        assert!((found.value.expect("a value") - 1.4375).abs() < 1e-9, "{radius} {found:?}");
        // In the solid part; above; beside.
        assert_eq!(bits(&ask_at(1.5, 0.3, radius)), bits(&contact(0.0)));
        assert!((ask_at(0.1, 3.0, radius).value.expect("a value") - 0.9375).abs() < 1e-9);
        assert_eq!(ask_at(2.5, 0.3, radius).relation, DirectionalRelation::Misses);
    }
    // Within the footprint of the sides.
    let found = ask_at(2.2, 0.3, 0.25);
    assert!(found.relation == DirectionalRelation::InContact && found.upper < 1e-12, "{found:?}");
    let found = ask_at(2.2, 3.0, 0.25);
    assert!((found.value.expect("a value") - 0.9375).abs() < 1e-9, "{found:?}");
    // A flat sheet that grows meets a triangle mesh; a small open mesh in the growth of a mesh
    // touches no surface of it.
    let (open, lid) = (sheet(2.0), mesh(&[(0.03125, 1.0), (0.02, -1.0)], 0.0));
    let found = ask(&open, &lid, [&Pose::IDENTITY, &at(2.2, 0.0, 1.0)], UP, 0.5);
    assert!((found.value.expect("a value") - 0.96875).abs() < 1e-9, "{found:?}");
    let found = ask(&hollow, &lid, [&Pose::IDENTITY, &at(2.1, 0.0, 0.3)], UP, 0.5);
    assert!(found.relation == DirectionalRelation::InContact && found.upper < 1e-12, "{found:?}");
}

/// The answer without a split into convex parts.
fn by_triangles(a: &Shape, b: &Shape, poses: [&Pose; 2], direction: Vec3<f64>, radius: f64) -> DirectionalDistance {
    let line = LineOfMotion::new(poses[0], poses[1], -direction).expect("a direction");
    let (mut footprint, mut work) = (Footprint::new(radius), Workspace::default());
    of_grown(&line, [a, b], direction, &mut footprint, &OPTIONS, &mut work).expect("finite numbers")
}

#[test]
fn triangles_and_convex_parts_of_a_mesh_answer_alike() {
    let hollow = mesh(&[(2.0, 1.0), (1.0, -1.0)], 0.0);
    assert!(exact_parts(&hollow).mesh.is_none());
    let (block, lid) = (cuboid([0.0625, 0.125, 0.1875]), mesh(&[(0.03125, 1.0), (0.02, -1.0)], 0.0));
    // In the growth of a side, without contact with the surface of any piece.
    let beside = by_triangles(&hollow, &lid, [&Pose::IDENTITY, &at(2.1, 0.0, 0.3)], UP, 0.5);
    assert!(beside.relation == DirectionalRelation::InContact && beside.upper < 1e-12, "{beside:?}");
    let mut random = RandomBodies(15);
    let (mut seen, mut different) = ([0; 6], 0);
    for number in 0..160 {
        let b = if number % 4 == 0 { &lid } else { &block };
        let q = [0, 1].map(|_| [random.next(), random.next(), random.next(), random.next()]);
        let from = Vec3::new(random.next(), random.next(), random.next()).scale([1.6, 4.0, 6.0][number % 3]);
        let poses = [Pose::new([0.0; 3], if number % 2 == 0 { STILL } else { q[0] }), Pose::new(from.to_array(), q[1])];
        let aside = Vec3::new(random.next(), random.next(), random.next()).scale(4.0);
        let direction = if number % 2 == 0 { UP } else { from + aside };
        let [parts, triangles] =
            [ask, by_triangles].map(|ask| ask(&hollow, b, [&poses[0], &poses[1]], direction, 0.25));
        let say = || format!("{number}: {parts:?} {triangles:?}");
        assert!(parts.lower <= triangles.upper && triangles.lower <= parts.upper, "{}", say());
        if parts.relation == triangles.relation {
            let ends = [[parts.lower, triangles.lower], [parts.upper, triangles.upper]];
            assert!(ends.iter().all(|[p, q]| p == q || (p - q).abs() < 1e-9), "{}", say());
        }
        different += usize::from(parts.relation != triangles.relation);
        seen[parts.relation as usize] += 1;
    }
    assert!([0, 2, 3].iter().all(|&k| seen[k] > 20) && different < 8, "not representative: {seen:?} {different}");
}

#[test]
fn deviations_widen_the_bracket_and_prove_nothing_of_meshes() {
    let known = Shape { deviation: 0.01, ..cuboid([0.5; 3]) };
    let found = ask(&known, &cuboid([0.5; 3]), [&Pose::IDENTITY, &at(0.9, 0.2, 3.0)], UP, 0.3);
    assert!((found.lower - 1.99).abs() < 1e-12 && (found.upper - 2.01).abs() < 1e-12, "{found:?}");
    let near = ask(&known, &cuboid([0.5; 3]), [&Pose::IDENTITY, &at(1.305, 0.0, 0.0)], UP, 0.3);
    assert!(near.relation == DirectionalRelation::Undecided && near.lower == 0.0, "{near:?}");
    let deep = ask(&known, &cuboid([0.5; 3]), [&Pose::IDENTITY, &at(1.2, 0.0, 0.0)], UP, 0.3);
    assert_eq!(bits(&deep), bits(&contact(0.0)));
    let found = ask(&mesh(&[(0.5, 1.0)], 0.01), &cuboid([0.5; 3]), [&Pose::IDENTITY, &at(0.9, 0.2, 3.0)], UP, 0.3);
    assert!(found.relation == DirectionalRelation::Undecided && (found.lower - 1.99).abs() < 1e-12, "{found:?}");
    assert!(found.upper.is_infinite());
}

#[test]
fn numbers_that_are_none_prove_nothing() {
    let (a, b) = (cuboid([0.5; 3]), cuboid([0.5; 3]));
    let ask = |radius, direction, z| ask(&a, &b, [&Pose::IDENTITY, &at(0.0, 0.0, z)], direction, radius);
    let none = [f64::NAN, f64::INFINITY, -0.25];
    let mut found: Vec<_> = none.iter().map(|&radius| ask(radius, UP, 3.0)).collect();
    found.extend(none[..2].iter().map(|&x| ask(0.25, Vec3::new(x, 0.0, 1.0), 3.0)));
    found.extend(none[..2].iter().map(|&z| ask(0.25, UP, z)));
    found.extend([ask(0.25, Vec3::ZERO, 3.0), ask(1e200, UP, 3.0)]);
    for found in found {
        assert!(found.relation == DirectionalRelation::Unproven && found.lower.is_nan() && found.upper.is_nan());
    }
}
