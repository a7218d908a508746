//! Solids of unit cubes that fit without play: they touch, and do not overlap.

use super::{OPTIONS, at};
use clearsweep::Geometry;
use clearsweep_geometry::Pose;
use clearsweep_narrow::{Method, Proximity, Status, query_one};
use clearsweep_scene::{Model, Shape};
use clearsweep_testing::random::Random;
use clearsweep_testing::solids::Solid;
use std::collections::{BTreeMap, BTreeSet};

type Cell = [i64; 3];

const FACES: [(usize, i64); 6] = [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)];

fn beside(cell: Cell, (axis, step): (usize, i64)) -> Cell {
    let mut next = cell;
    next[axis] += step;
    next
}

/// Adds cells beside those that are there, in a box of 4 x 4 x 3 cells, where `free` of others.
fn grow(random: &mut Random, cells: &mut BTreeSet<Cell>, others: &BTreeSet<Cell>, count: usize) {
    for _ in 0..200 {
        if cells.len() >= count {
            return;
        }
        let list: Vec<Cell> = cells.iter().copied().collect();
        let from = list[random.below(list.len())];
        let next = beside(from, FACES[random.below(6)]);
        let is_in_box = next.iter().zip([4, 4, 3]).all(|(&c, n)| (0..n).contains(&c));
        if is_in_box && !others.contains(&next) {
            cells.insert(next);
        }
    }
}

/// The faces of cells that no other cell shares.
fn surface(cells: &BTreeSet<Cell>) -> Solid {
    let (mut solid, mut known) = (Solid::default(), BTreeMap::new());
    for &cell in cells {
        for (axis, step) in FACES.into_iter().filter(|&face| !cells.contains(&beside(cell, face))) {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut corner = |i: i64, j: i64| {
                let mut p = cell;
                p[axis] += i64::from(step > 0);
                (p[u], p[v]) = (p[u] + i, p[v] + j);
                *known.entry(p).or_insert_with(|| {
                    solid.vertices.push(p.map(|c| c as f64));
                    solid.vertices.len() - 1
                })
            };
            let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            solid.triangles.extend(if step > 0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        }
    }
    solid
}

/// Each cell a piece.
fn pieces(cells: &BTreeSet<Cell>) -> Geometry {
    let corners = |cell: &Cell| (0..8).map(|k| [0, 1, 2].map(|i| (cell[i] + (k >> i & 1)) as f64)).collect();
    Geometry::Pieces(cells.iter().map(corners).collect())
}

fn ask(a: &Shape, b: &Shape) -> Proximity {
    query_one(a, b, &Pose::IDENTITY.recentred(a.center), &at(0.0, 0.0, 0.0).recentred(b.center), &OPTIONS)
}

#[test]
fn solids_that_fit_without_play_touch_and_are_not_deep() {
    let mut random = Random(17);
    let mut ways_out = [0; 3];
    for number in 0..150 {
        let mut a = BTreeSet::from([[1, 1, 1]]);
        grow(&mut random, &mut a, &BTreeSet::new(), 5 + number % 9);
        let mut near: Vec<Cell> = a.iter().flat_map(|&cell| FACES.map(|face| beside(cell, face))).collect();
        near.retain(|cell| !a.contains(cell) && cell.iter().zip([4, 4, 3]).all(|(&c, n)| (0..n).contains(&c)));
        let mut b = BTreeSet::from([near[number % near.len()]]);
        grow(&mut random, &mut b, &a, 2 + number % 5);
        let meshes = [&a, &b].map(|cells| surface(cells).shape(Model::Mesh, 0.0));
        let parts = [&a, &b].map(|cells| pieces(cells).shape(0.0).expect("a body"));
        // Beside a ball far away the solid has too many planes to be cut into cells.
        let ball = |z: f64| Solid::ball(0.5, 3, 5, |_| 0.0).moved([0.0, 0.0, z]);
        let whole = [(&a, 50.0), (&b, -50.0)].map(|(cells, z)| surface(cells).and(&ball(z)).shape(Model::Mesh, 0.0));
        for (kind, [x, y]) in [&meshes, &parts, &whole].into_iter().enumerate() {
            for row in [ask(x, y), ask(y, x)] {
                let words = format!("{number} {kind} {row:?}");
                assert_eq!(row.status, Status::Touching, "{words}");
                assert!(row.distance.abs() <= 1e-9 && row.lower <= row.distance, "{words}");
                assert!(row.distance <= row.upper, "{words}");
                ways_out[kind] += usize::from(row.method == Method::Bound && row.lower < -0.5);
            }
        }
    }
    assert!(
        ways_out[..2] == [0; 2] && ways_out[2] > 50,
        "{ways_out:?}: parts leave no way out, a solid as a whole does"
    );
}

#[test]
fn what_lies_flush_within_a_solid_overlaps_it_also_if_it_does_not_close_up() {
    let mut random = Random(23);
    let mut tried = 0;
    for number in 0..150 {
        let mut a = BTreeSet::from([[1, 1, 1]]);
        grow(&mut random, &mut a, &BTreeSet::new(), 4 + number % 9);
        // A part of the solid: faces between it and the rest lie inside.
        let b: BTreeSet<Cell> = a.iter().copied().take(1 + number % (a.len() - 1)).collect();
        let solid = surface(&b);
        let is_inner = |t: &[usize; 3]| {
            let p = t.map(|v| solid.vertices[v]);
            let axis = (0..3).find(|&k| p[0][k] == p[1][k] && p[1][k] == p[2][k]).expect("a face of a cube");
            let low = [0, 1, 2].map(|k: usize| p.iter().map(|c| c[k]).fold(f64::INFINITY, f64::min) as i64);
            let mut below = low;
            below[axis] -= 1;
            a.contains(&low) && a.contains(&below)
        };
        let Some(removed) = solid.triangles.iter().position(|t| !is_inner(t)) else { continue };
        assert!(solid.triangles.iter().any(is_inner), "the solid is connected");
        tried += 1;
        let mut open = solid.clone();
        open.triangles.remove(removed);
        let of_a = surface(&a).shape(Model::Mesh, 0.0);
        for b in [&solid, &open] {
            let b = b.shape(Model::Mesh, 0.0);
            for row in [ask(&of_a, &b), ask(&b, &of_a)] {
                assert!(row.status == Status::Penetrating && row.upper < -0.1, "{number}: {row:?}");
                assert!(row.lower <= row.upper && row.lower >= -4.0, "{number}: {row:?}");
            }
        }
    }
    assert!(tried > 100, "{tried}");
}
