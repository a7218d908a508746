//! The same solid in other words: vertices in another order, points within it, points on its faces.

use super::bodies::{Body, Part, cuboid, lid};
use super::cases::{self, Case};
use super::checks::{allowed, centroid_error};
use super::closest::{difference, length};
use super::rows;
use clearsweep_testing::oracle::Placement;
use clearsweep_testing::oracle::families::Random;

/// How far witness points of the same solid may be apart, of what they may be off the centroid.
const SHARE: f64 = 0.1;

/// A body whose vertices are in another order.
fn shuffled(random: &mut Random, body: &Body) -> Body {
    let count = body.vertices.len();
    let mut place: Vec<usize> = (0..count).collect(); // old number -> new number
    for i in (1..count).rev() {
        place.swap(i, random.below(i + 1));
    }
    let mut vertices = vec![[0.0; 3]; count];
    place.iter().enumerate().for_each(|(old, &new)| vertices[new] = body.vertices[old]);
    let part = match &body.part {
        Part::Face(corners) => Part::Face(corners.iter().map(|&c| place[c]).collect()),
        Part::Edge(ends) => Part::Edge(ends.map(|c| place[c])),
    };
    Body {
        vertices,
        part,
        planes: body.planes.iter().map(|p| p.map(|c| place[c])).collect(),
        edges: body.edges.iter().map(|e| e.map(|c| place[c])).collect(),
        ..body.clone()
    }
}

/// The row of `other` has the distance and the witness points of `case`.
fn same_row(case: &Case, other: &Case) -> Result<(), String> {
    let row = |c: &Case| rows::cold(&rows::shape(&c.a), &c.pa, &rows::shape(&c.b), &c.pb);
    let (one, two) = (row(case), row(other));
    let tie = case.tie().expect("closest points");
    let (size, room) = (case.size(), SHARE * allowed(&tie, case.size()));
    let moved = length(difference(one.point_a.to_array(), two.point_a.to_array()));
    let apart = (one.distance - two.distance).abs();
    if moved > room || apart > 1e-12 * size || one.feature_kind != two.feature_kind || one.method != two.method {
        return Err(format!("moved by {moved:e} of {room:e}, {apart:e}\n  {one:?}\n  {two:?}\n{}", case.recipe()));
    }
    Ok(())
}

#[track_caller]
fn none(wrong: &[String], of: usize) {
    assert!(wrong.is_empty(), "{} of {of}, the first: {}", wrong.len(), wrong[0]);
}

#[test]
fn the_order_of_vertices_moves_no_witness() {
    let mut wrong = Vec::new();
    for number in 0..400 {
        let case = cases::case(30, number);
        let mut random = Random(number as u64);
        let (a, b) = (shuffled(&mut random, &case.a), shuffled(&mut random, &case.b));
        let free = case.kind == cases::Kind::EdgeEdge && case.regime == cases::Regime::Touching;
        if !free {
            let other = Case { a, b, ..case.clone() };
            wrong.extend(same_row(&case, &other).err().map(|e| format!("case {number}: {e}")));
        }
    }
    none(&wrong, 400);
}

#[test]
fn points_within_a_solid_move_no_witness() {
    let mut wrong = Vec::new();
    for number in 0..200 {
        let case = cases::case(31, number);
        let mut random = Random(number as u64);
        let mut other = case.clone();
        for body in [&mut other.a, &mut other.b].into_iter().filter(|b| b.planes.len() > 1) {
            let count = body.vertices.len();
            let middle = [0, 1, 2].map(|k: usize| body.vertices.iter().map(|v| v[k]).sum::<f64>() / count as f64);
            for _ in 0..4 {
                let (v, share) = (body.vertices[random.below(count)], random.between(0.0, 0.9));
                body.vertices.push([0, 1, 2].map(|k: usize| middle[k] + share * (v[k] - middle[k])));
            }
        }
        let free = case.kind == cases::Kind::EdgeEdge && case.regime == cases::Regime::Touching;
        if !free {
            wrong.extend(same_row(&case, &other).err().map(|e| format!("case {number}: {e}")));
        }
    }
    none(&wrong, 200);
}

/// Case 39: a face as one polygon, as a fan about its middle, as a thousand triangles.
#[test]
fn case_39_the_same_face_in_many_triangles() {
    let half = [0.5, 0.375, 0.25];
    let (a, octagon) = (cuboid(half).flipped(), octagon());
    let mut random = Random(39);
    for number in 0..20 {
        let q = if number == 0 { [1.0, 0.0, 0.0, 0.0] } else { random.turn() };
        let pa = Placement::new([0.0; 3], q);
        let t = [random.between(-0.5, 0.5), random.between(-0.4, 0.4), 0.25 + 0.5 + [0.25, 0.0, -0.0625][number % 3]];
        let pb = Placement::new(clearsweep_testing::oracle::out_of_frame(&pa, t), q);
        let tie = super::closest::tie(&a, &pa, &octagon, &pb).expect("they overlap");
        for grid in [1, 2, 22] {
            let (a, b) = (on_faces(&a, half, grid), on_faces(&octagon, [0.25, 0.25, 0.5], grid));
            let row = rows::cold(&rows::shape(&a), &pa, &rows::shape(&b), &pb);
            let (error, allowed) = (centroid_error(&row, &tie, 0.0), allowed(&tie, 2.5));
            assert!(error <= allowed, "grid {grid}, place {number}: {error:e} of {allowed:e}\n  {row:?}\n  {pb:?}");
        }
    }
}

/// A prism over an octagon of dyadic corners.
fn octagon() -> Body {
    let (near, far) = (0.25, 0.5);
    let corners = [
        [far, -near],
        [far, near],
        [near, far],
        [-near, far],
        [-far, near],
        [-far, -near],
        [-near, -far],
        [near, -far],
    ];
    lid(&corners, 0.5)
}

/// More points on both faces across z, exactly: of a grid so fine.
fn on_faces(body: &Body, half: [f64; 3], grid: usize) -> Body {
    let mut more = body.clone();
    let at = |k: usize, i: usize| half[k] * ((i as f64 / grid as f64 * 2.0 - 1.0) * 1024.0).round() / 1024.0;
    for i in 0..=grid {
        for j in 0..=grid {
            more.vertices.extend([half[2], -half[2]].map(|z| [at(0, i), at(1, j), z]));
        }
    }
    more
}
