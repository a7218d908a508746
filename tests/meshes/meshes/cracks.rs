//! Solids whose triangles do not quite meet, as programs that round write them.

use super::{angle, condition, load};
use crate::hull_solids::Solid;
use crate::program;
use clearsweep::{Model, Shape};
use clearsweep_testing::random::Random;
use std::fmt::Write;

/// ASCII STL: each triangle with corners of its own, moved by up to `noise` along each axis.
fn soup(solid: &Solid, noise: f64, random: &mut Random) -> String {
    let mut text = String::from("solid s\n");
    for triangle in &solid.triangles {
        text += "facet normal 0 0 0\nouter loop\n";
        for &corner in triangle {
            let [x, y, z] = solid.vertices[corner].map(|c| c + noise * random.signed());
            let _ = writeln!(text, "vertex {x:?} {y:?} {z:?}");
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid s\n"
}

/// OBJ, every digit of the coordinates.
fn exact_obj(solid: &Solid) -> String {
    let vertices = solid.vertices.iter().map(|[x, y, z]| format!("v {x:?} {y:?} {z:?}\n"));
    vertices.chain(solid.triangles.iter().map(|t| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1))).collect()
}

/// A wheel with teeth about z: not convex, with caps that are fans.
fn wheel(teeth: usize, random: &mut Random) -> Solid {
    let n = 2 * teeth;
    let at = |k: usize, z: f64, random: &mut Random| {
        let angle = std::f64::consts::TAU * k as f64 / n as f64;
        let radius = if k.is_multiple_of(2) { 1.0 } else { 0.6 + 0.1 * random.signed() };
        [radius * angle.cos(), radius * angle.sin(), z]
    };
    let mut vertices: Vec<[f64; 3]> = (0..n).map(|k| at(k, -0.4, random)).collect();
    vertices.extend((0..n).map(|k| vertices[k]).map(|[x, y, _]| [x, y, 0.4]).collect::<Vec<_>>());
    vertices.extend([[0.0, 0.0, -0.4], [0.0, 0.0, 0.4]]);
    let mut triangles = Vec::new();
    for k in 0..n {
        let next = (k + 1) % n;
        triangles.extend([[2 * n, next, k], [2 * n + 1, n + k, n + next], [k, next, n + next], [k, n + next, n + k]]);
    }
    Solid { vertices, triangles }
}

fn mesh_of(text: &str) -> std::sync::Arc<Shape> {
    load("a.stl", text, Some(Model::Mesh))
}

#[test]
fn cracks_below_a_billionth_of_the_size_are_closed_and_wider_ones_are_not() {
    let mut random = Random(5);
    let (mut closed, mut open) = (0, 0);
    for round in 0..60 {
        let solid = if round % 3 == 0 { angle() } else { wheel(4 + round % 7, &mut random) };
        let size = if round % 3 == 0 { 3.0 } else { 2.9 };
        for exponent in 8..17 {
            let noise = size * 10_f64.powi(-exponent);
            let shape = mesh_of(&soup(&solid, noise, &mut random));
            let found = condition(&shape);
            if exponent >= 10 {
                assert!(found.is_solid() && found.boundary_edges == 0, "round {round}, 1e-{exponent}: {found:?}");
                // Two corners differ by no more than the diagonal of twice the noise, which is
                // rounded to 4.4e-16.
                assert!(found.weld_shift <= 3.5 * (noise + 4.5e-16) && found.components == 1, "{found:?}");
                assert!(shape.deviation == found.weld_shift, "{found:?}");
                assert_eq!(found.degenerate_triangles + found.duplicate_triangles + found.turned_triangles, 0);
                assert_eq!(shape.mesh.as_ref().map(|mesh| mesh.triangles().len()), Some(solid.triangles.len()));
                closed += usize::from(found.weld_shift > 0.0);
            } else if exponent == 8 {
                assert!(!found.is_solid() && found.boundary_edges > 0, "round {round}, 1e-{exponent}: {found:?}");
                open += 1;
            }
        }
    }
    assert!(closed > 300 && open == 60, "not representative: {closed} {open}");
}

#[test]
fn zeros_that_are_not_quite_zero_close_in_binary_and_in_text() {
    let solid = angle();
    let zeros = [0.0, -0.0, 2.2e-16, -1.1e-16, 3e-17];
    let mut turn = 0;
    let mut noisy = |c: f64| {
        turn += 1;
        if c == 0.0 { zeros[turn * 7 % 5] } else { c }
    };
    let corners: Vec<[f64; 3]> = solid.triangles.iter().flatten().map(|&v| solid.vertices[v].map(&mut noisy)).collect();
    let parts =
        Solid { triangles: (0..corners.len() / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(), vertices: corners };
    for (name, bytes) in [("a.stl", parts.stl()), ("a.obj", exact_obj(&parts).into_bytes())] {
        let found = condition(&load(name, bytes, None));
        assert!(found.is_solid() && found.weld_shift > 0.0 && found.weld_shift < 1e-15, "{name}: {found:?}");
    }
}

#[test]
fn what_closes_up_already_is_not_touched() {
    // Two solids closer to each other than cracks may be wide, and a plate thinner than that.
    let mut two = angle();
    let other = angle().moved(|[x, y, z]| [x, y + 1.0 + 3e-10, z]);
    let first = two.vertices.len();
    two.vertices.extend(other.vertices);
    two.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + first)));
    let plate = angle().moved(|[x, y, z]| [x, y * 3e-10, z]);
    for (name, solid, components) in [("two", two, 2), ("plate", plate, 1)] {
        let shape = load("a.obj", exact_obj(&solid), Some(Model::Mesh));
        let found = condition(&shape);
        assert_eq!((found.weld_shift, found.welded_vertices, shape.deviation), (0.0, 0, 0.0), "{name}");
        assert_eq!((found.components, found.boundary_edges), (components, 0), "{name}");
        let mesh = shape.mesh.as_ref().expect("a mesh");
        assert_eq!(mesh.vertices().len(), solid.vertices.len(), "{name}");
    }
}

#[test]
fn no_triangle_is_turned_over_and_no_sheets_are_laid_on_each_other() {
    // Two sheets, open all around, nearer to each other than cracks may be wide.
    let square = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
    let at = |z: f64| square.map(|[x, y]| [x, y, z]);
    let sheets =
        Solid { vertices: [at(0.0), at(1e-10)].concat(), triangles: vec![[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7]] };
    let found = condition(&load("a.obj", exact_obj(&sheets), Some(Model::Mesh)));
    assert_eq!((found.weld_shift, found.duplicate_triangles, found.components), (0.0, 0, 2), "{found:?}");
    // A row of corners of an open edge, each near to the next one, is no crack.
    let row = 40;
    let mut vertices: Vec<[f64; 3]> = (0..row).map(|k| [f64::from(k) * 2e-9, 0.0, 0.0]).collect();
    vertices.push([0.0, 4.0, 0.0]);
    let fan = Solid { triangles: (1..row as usize).map(|k| [k - 1, k, row as usize]).collect(), vertices };
    let found = condition(&load("a.obj", exact_obj(&fan), Some(Model::Mesh)));
    assert_eq!((found.weld_shift, found.degenerate_triangles), (0.0, 0), "{found:?}");
}

#[test]
fn a_bolt_deep_inside_of_a_block_with_cracks_penetrates_and_its_depth_holds() {
    let folder = tempfile::tempdir().expect("scratch");
    let mut random = Random(77);
    // A block of 4 with a notch of 0.5 in one edge; a ball of radius 0.1 in its middle has to go
    // 2.1 to leave it.
    let outline = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.5], [3.5, 3.5], [3.5, 4.0], [0.0, 4.0]];
    let at = |y: f64| outline.map(move |[x, z]| [x, y, z]);
    let mut block = Solid { vertices: [at(0.0), at(4.0)].concat(), triangles: Vec::new() };
    let cap = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    block.triangles.extend(cap);
    block.triangles.extend(cap.map(|[a, b, c]| [a + 6, c + 6, b + 6]));
    for k in 0..6 {
        let next = (k + 1) % 6;
        block.triangles.extend([[k, k + 6, next + 6], [k, next + 6, next]]);
    }
    for (round, noise) in [1e-16, 1e-13, 1e-10, 1e-9].into_iter().enumerate() {
        std::fs::write(folder.path().join("block.stl"), soup(&block, noise, &mut random)).expect("written");
        let (text, _) =
            program::expect(folder.path(), "query mesh:block.stl sphere:0.1 --pose 2,2,2,1,0,0,0 --json", 0);
        let answer: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let [lower, upper] = ["lower_m", "upper_m"].map(|key| answer[key].as_f64().expect("a number"));
        // The truth of the block without noise, which moves no corner by more than 1.8 of it.
        assert!(
            answer["status"] == "penetrating" && lower <= -2.1 + 2.0 * noise && upper >= -2.1 - 2.0 * noise,
            "{text}"
        );
        assert!(upper < -2.0, "round {round}: {text}");
    }
}
