//! Meshes that do not close up: what lies inside of them by the winding number, and what lies
//! inside of a sheet.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests say what they found, and what they skipped")]

#[cfg(feature = "cli")]
mod program_runs;

use crate::brute_force::surface_distance;
use clearsweep::{BodyBuilder, Geometry, Inside, SceneBuilder};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_narrow::{DirectionalRelation, Method, Proximity, Status, Workspace, directional_distance, query_one};
use clearsweep_scene::{Model, QueryOptions, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;
use std::f64::consts::PI;
use std::sync::Arc;

const IDENTITY: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

fn options(within: f64) -> QueryOptions {
    QueryOptions { within, touch: 1e-6, static_pairs: true, ..QueryOptions::EVERYTHING }
}

fn ask(a: &Shape, b: &Shape, at: &Pose, within: f64) -> Proximity {
    query_one(a, b, &Pose::IDENTITY.recentred(a.center), &at.recentred(b.center), &options(within))
}

/// How often a surface winds about a point: the sum of the solid angles of its triangles, each from
/// the angles between its sides (L'Huilier's theorem), which is another formula than the engine's.
fn winding(solid: &Solid, at: Vec3<f64>) -> f64 {
    let angle = |corners: [Vec3<f64>; 3]| {
        let [a, b, c] = corners.map(|p| (p - at).normalized());
        let between = |p: Vec3<f64>, q: Vec3<f64>| p.cross(q).length().atan2(p.dot(q));
        let [x, y, z] = [between(b, c), between(c, a), between(a, b)];
        let s = 0.5 * (x + y + z);
        let tangents = [s, s - x, s - y, s - z].map(|angle| (0.5 * angle.max(0.0)).tan());
        let excess = 4.0 * tangents.iter().product::<f64>().max(0.0).sqrt().atan();
        if a.dot(b.cross(c)) > 0.0 { excess } else { -excess }
    };
    solid.corners().into_iter().map(angle).sum::<f64>() / (4.0 * PI)
}

/// Closed solids that small bodies fit into, and the sizes of holes.
fn solids() -> Vec<Solid> {
    let bumps = |k: f64| move |d: [f64; 3]| 0.15 * (k * d[0]).sin() * (4.0 * d[1] + k).cos();
    let shell = Solid::cuboid([0.9, 0.8, 0.9], 5).and(&Solid::cuboid([0.75, 0.65, 0.75], 4).flipped());
    vec![
        Solid::cuboid([0.9, 0.7, 0.8], 6),
        Solid::ball(0.9, 12, 15, bumps(5.0)),
        Solid::ring(0.9, 0.4, 24, 14),
        shell,
        Solid::cuboid([0.6, 0.8, 0.6], 7).and(&Solid::cuboid([0.3, 0.3, 0.3], 3).moved([1.2, 0.0, 0.0])),
    ]
}

/// A body of a kind: its surface, and what it is to the engine.
fn small(kind: usize, size: f64) -> (Solid, Arc<Shape>) {
    let block = Solid::cuboid([size, 0.7 * size, 0.5 * size], 1);
    let made = |geometry: Geometry| geometry.shape(0.0).expect("a body");
    match kind {
        0 => (block.clone(), block.shape(Model::Hull, 0.0)),
        1 => (block.clone(), block.shape(Model::Mesh, 0.0)),
        2 => {
            let open = Solid { triangles: block.triangles[1..].to_vec(), ..block };
            (open.clone(), open.shape(Model::Mesh, 0.0))
        }
        3 => {
            let other = Solid::cuboid([0.3 * size; 3], 1).moved([0.0, 0.0, 0.8 * size]);
            let corners = |of: &Solid| of.vertices.clone();
            let pieces = made(Geometry::Pieces(vec![corners(&block), corners(&other)]));
            (block.and(&other), pieces)
        }
        4 => {
            let triangle = Solid { vertices: vec![[0.0; 3]; 3], triangles: vec![[0, 1, 2]] };
            (triangle, made(Geometry::Sphere(0.1 * size)))
        }
        _ => {
            let ends = vec![[0.0, 0.0, -0.5 * size], [0.0, 0.0, 0.5 * size], [0.0, 0.0, 0.5 * size]];
            let segment = Solid { vertices: ends, triangles: vec![[0, 1, 2]] };
            (segment, made(Geometry::Capsule { radius: 0.1 * size, length: size }))
        }
    }
}

/// The growth of a kind of [`small`].
fn radius(kind: usize, size: f64) -> f64 {
    if kind >= 4 { 0.1 * size } else { 0.0 }
}

#[test]
fn brackets_hold_the_answer_of_the_closed_solid_and_that_of_the_sheet() {
    const KINDS: usize = 6;
    let mut random = Random(77);
    // By kind: inside and decided so, outside, crossing.
    let mut seen = [[0; 3]; KINDS];
    let (mut missed, mut far) = (0, 0);
    for (number, closed) in solids().iter().enumerate() {
        let whole = closed.shape(Model::Mesh, 0.0);
        assert_eq!(whole.inside(), Inside::Solid);
        for holes in [1, 2, 5] {
            let mut open = closed.clone();
            for _ in 0..holes {
                let out = random.below(open.triangles.len());
                open.triangles.remove(out);
            }
            let shape = open.shape(Model::Mesh, 0.0);
            assert_eq!(shape.inside(), Inside::Winding);
            for case in 0..32 * KINDS {
                let (kind, size) = (case % KINDS, 0.05 + 0.03 * (case % 4) as f64);
                let (surface, body) = small(kind, size);
                let at = random.pose(if case % 3 == 0 { 1.1 } else { 0.6 });
                let context = format!("solid {number}, {holes} holes, case {case}");
                let swapped = case % 5 == 0;
                let found = match swapped {
                    true => {
                        let pose = [at.recentred(body.center), Pose::IDENTITY.recentred(shape.center)];
                        query_one(&body, &shape, &pose[0], &pose[1], &options(1e9))
                    }
                    false => ask(&shape, &body, &at, 1e9),
                };
                let truth = ask(&whole, &body, &at, 1e9);
                let [low, high] = surface_distance(&open, &surface, &at).map(|end| end - radius(kind, size));
                let corners = || surface.vertices.iter().map(|&v| at.apply(v.into()));
                let around = corners().map(|p| winding(&open, p).abs()).fold(0.0, f64::max);
                let is_near = corners().any(|p| (winding(closed, p).abs() - winding(&open, p).abs()).abs() > 0.3);
                // Both answers are in the bracket: of the closed solid, and of the sheet. What has
                // grown may reach through a hole.
                if kind < 4 || !is_near {
                    // What is outside by the winding number has the row of the sheet: the triangle
                    // that is missing may be the nearest.
                    let is_sheet = found.status == Status::Separated && truth.status == Status::Separated;
                    assert!(is_sheet || found.lower <= truth.upper, "{context}: {found:?} {truth:?}");
                    assert!(truth.lower <= found.upper, "{context}: {found:?} {truth:?}");
                }
                if low <= 0.0 {
                    assert!(found.lower <= 0.0, "{context}: {found:?}");
                    seen[kind][2] += 1;
                    continue;
                }
                assert!(found.lower <= high + 1e-9 && found.upper >= low - 1e-9, "{context}: {found:?} {low} {high}");
                match found.method {
                    Method::Winding => {
                        assert!(around > 0.5 - 1e-9, "{context}: {around}");
                        assert_eq!(found.status, Status::Penetrating);
                        assert!(found.lower < 0.0 && found.upper > 0.0, "{context}: {found:?}");
                        assert!((found.upper - high).abs() < 1e-9, "{context}: {found:?} {high}");
                        assert!(found.distance >= found.lower, "{context}");
                        // The row is there however near it is asked for.
                        let near = ask(&shape, &body, &at, 0.0);
                        let same = swapped || (near.lower, near.upper) == (found.lower, found.upper);
                        assert!(near.method == Method::Winding && same, "{context}: {near:?}");
                        far += usize::from(low > 0.02);
                        seen[kind][0] += 1;
                    }
                    _ => {
                        assert!(found.method == Method::Mesh, "{context}: {found:?}");
                        seen[kind][1] += 1;
                    }
                }
                // The decision is that of the closed solid, where the hole is small seen from
                // there.
                if !is_near && low > 0.01 {
                    let is_inside = corners().any(|p| winding(closed, p) > 0.5);
                    assert_eq!(found.method == Method::Winding, is_inside, "{context}: {around}");
                } else {
                    missed += 1;
                }
            }
        }
    }
    eprintln!("inside, outside, crossing by kind: {seen:?}; near a hole or a surface: {missed}; far inside: {far}");
    for (kind, [inside, outside, crossing]) in seen.iter().enumerate() {
        assert!(*inside > 40 && *outside > 20 && *crossing > 5, "kind {kind}: {seen:?}");
    }
    assert!(missed < 1_000 && far > 200, "{missed} {far}");
}

#[test]
fn the_direction_of_triangles_in_the_file_plays_no_part() {
    let mut random = Random(5);
    let closed = &solids()[1];
    let mut open = closed.clone();
    open.triangles.truncate(open.triangles.len() - 3);
    let (ball, at) = (Geometry::Sphere(0.1).shape(0.0).expect("a ball"), Pose::new([0.1, 0.2, 0.0], IDENTITY));
    let straight = ask(&open.shape(Model::Mesh, 0.0), &ball, &at, 0.0);
    assert_eq!(straight.method, Method::Winding);
    for case in 0..20 {
        let mut mixed = if case % 2 == 0 { open.clone() } else { open.clone().flipped() };
        let share = [0.0, 0.02, 0.3, 0.49, 0.9][case / 4];
        mixed.triangles.iter_mut().for_each(|t| {
            if random.chance(share) {
                t.swap(0, 2);
            }
        });
        let found = ask(&mixed.shape(Model::Mesh, 0.0), &ball, &at, 0.0);
        assert_eq!(found.method, Method::Winding, "case {case}");
        for (one, other) in [(found.lower, straight.lower), (found.upper, straight.upper)] {
            assert!((one - other).abs() < 1e-9, "case {case}: {found:?} {straight:?}");
        }
    }
}

#[test]
fn the_winding_number_is_that_of_all_triangles_one_by_one() {
    // Points near the threshold: over the mouth of a box, along the line through its middle.
    let tray = Solid::cuboid([0.5, 0.6, 0.4], 9).without(|t| t.iter().all(|p| p[2] == 0.4));
    let shape = tray.shape(Model::Mesh, 0.0);
    let speck = Geometry::Sphere(1e-4).shape(0.0).expect("a ball");
    let (mut inside, mut outside) = (0, 0);
    for step in 0..400 {
        let z = -0.39 + 0.002 * f64::from(step);
        let at = Pose::new([0.03, -0.07, z], IDENTITY);
        let around = winding(&tray, Vec3::new(0.03, -0.07, z));
        let found = ask(&shape, &speck, &at, 1e9).method == Method::Winding;
        // Beyond the mouth it is outside of the hull.
        assert_eq!(found, around >= 0.5 - 1e-12 && z <= 0.4, "{z}: {around}");
        (inside, outside) = (inside + usize::from(found), outside + usize::from(!found));
    }
    assert!(inside > 350 && outside > 3, "{inside} {outside}");
}

#[test]
fn nothing_lies_inside_of_a_sheet() {
    let folder = tempfile::tempdir().expect("scratch");
    let closed = Solid::cuboid([1.0, 1.0, 1.0], 2);
    let open = Solid { triangles: closed.triangles[1..].to_vec(), ..closed.clone() };
    for (name, solid) in [("closed.obj", &closed), ("open.obj", &open)] {
        let path = folder.path().join(name);
        std::fs::write(&path, solid.obj()).expect("a file");
        for model in [None, Some(Model::Mesh)] {
            let body = BodyBuilder::new("sheet", Geometry::file(&path, model)).inside(Inside::Surface);
            let scene = SceneBuilder::new(0.1).body(body.fixed([0.0; 3], IDENTITY)).build().expect("a scene");
            let sheet = Arc::clone(&scene.bodies[0].shape);
            assert_eq!((sheet.model, sheet.inside()), (Model::Mesh, Inside::Surface));
            let ball = Geometry::Sphere(0.25).shape(0.0).expect("a ball");
            let found = ask(&sheet, &ball, &Pose::new([0.1, 0.0, 0.0], IDENTITY), 1e9);
            assert_eq!((found.method, found.status), (Method::Mesh, Status::Separated));
            assert!((found.distance - 0.65).abs() < 1e-12, "{found:?}");
            let crossing = ask(&sheet, &ball, &Pose::new([0.9, 0.0, 0.0], IDENTITY), 1e9);
            assert!(crossing.lower < 0.0 && crossing.method == Method::Bound, "{crossing:?}");
        }
    }
}

#[test]
fn a_grown_or_deviating_body_inside_keeps_both_answers() {
    let open = Solid { triangles: Solid::cuboid([1.0; 3], 3).triangles[1..].to_vec(), ..Solid::cuboid([1.0; 3], 3) };
    let folder = tempfile::tempdir().expect("scratch");
    let path = folder.path().join("open.obj");
    std::fs::write(&path, open.obj()).expect("a file");
    let at = Pose::new([0.2, 0.0, 0.0], IDENTITY);
    let shape = |offset: f64, deviation: f64| {
        let body = BodyBuilder::new("open", Geometry::file(&path, None)).offset(offset).deviation(deviation);
        let scene = SceneBuilder::new(0.1).body(body.fixed([0.0; 3], IDENTITY)).build().expect("a scene");
        Arc::clone(&scene.bodies[0].shape)
    };
    let cube = Geometry::Box([0.4; 3]).shape(0.0).expect("a box");
    // The cube is 0.6 m from the nearest side, and leaves by 1 m.
    for (offset, deviation) in [(0.0, 0.0), (0.1, 0.0), (0.0, 0.05), (0.1, 0.05)] {
        let found = ask(&shape(offset, deviation), &cube, &at, 0.0);
        assert_eq!((found.method, found.status), (Method::Winding, Status::Penetrating), "{offset} {deviation}");
        assert!((found.upper - (0.6 - offset + deviation)).abs() < 1e-9, "{offset} {deviation}: {found:?}");
        assert!((found.lower + 1.0 + offset + deviation).abs() < 1e-9, "{offset} {deviation}: {found:?}");
    }
    // Grown so far that the bodies touch, the overlap is proven.
    let found = ask(&shape(0.7, 0.0), &cube, &at, 0.0);
    assert!(found.method == Method::Bound && found.upper < 0.0, "{found:?}");
}

#[test]
fn along_a_direction_nothing_is_decided_inside_of_an_open_mesh() {
    let open = Solid { triangles: Solid::cuboid([1.0; 3], 3).triangles[1..].to_vec(), ..Solid::cuboid([1.0; 3], 3) };
    let (shape, cube) = (open.shape(Model::Mesh, 0.0), Geometry::Box([0.4; 3]).shape(0.0).expect("a box"));
    let mut work = Workspace::default();
    let mut ask = |x: f64, direction: [f64; 3]| {
        let at = Pose::new([x, 0.0, 0.0], IDENTITY);
        directional_distance(&shape, &cube, &Pose::IDENTITY, &at, direction.into(), &options(0.0), &mut work)
    };
    let inside = ask(0.0, [1.0, 0.0, 0.0]);
    assert_eq!((inside.relation, inside.value), (DirectionalRelation::Undecided, None));
    // The sheet is touched after 0.8 m, the solid left after 1.2 m.
    assert!(inside.lower == 0.0 && (inside.upper - 1.2).abs() < 1e-9, "{inside:?}");
    let outside = ask(2.0, [-1.0, 0.0, 0.0]);
    assert_eq!(outside.relation, DirectionalRelation::Touches);
    assert!((outside.value.expect("a length") - 0.8).abs() < 1e-9, "{outside:?}");
}
