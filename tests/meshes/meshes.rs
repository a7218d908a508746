//! Bodies of exact triangles as a scene holds them: what of a file is kept, what is left out, and
//! which side is outside.

mod cracks;

use crate::hull_solids::{Solid, placed};
use crate::program::expect;
use clearsweep::{Body, BodyBuilder, Geometry, Model, SceneBuilder, SceneOverrides, Shape};
use clearsweep_scene::MeshCondition;
use clearsweep_testing::random::Random;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::f64::consts::PI;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// An L: a plate of 2 x 1 x 1 with a leg of 1 x 1 x 1 below its left half.
fn angle() -> Solid {
    let outline = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [0.0, 2.0]];
    let at = |y: f64| outline.map(move |[x, z]| [x, y, z]);
    let mut solid = Solid { vertices: [at(0.0), at(1.0)].concat(), triangles: Vec::new() };
    let cap = [[0, 1, 2], [0, 2, 5], [2, 3, 4], [2, 4, 5]];
    solid.triangles.extend(cap);
    solid.triangles.extend(cap.map(|[a, b, c]| [a + 6, c + 6, b + 6]));
    for k in 0..6 {
        let next = (k + 1) % 6;
        solid.triangles.extend([[k, k + 6, next + 6], [k, next + 6, next]]);
    }
    solid
}

/// ASCII PLY.
fn ply(solid: &Solid) -> String {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        solid.vertices.len(),
        solid.triangles.len()
    );
    for [x, y, z] in &solid.vertices {
        let _ = writeln!(text, "{x:?} {y:?} {z:?}");
    }
    for [a, b, c] in &solid.triangles {
        let _ = writeln!(text, "3 {a} {b} {c}");
    }
    text
}

fn load(name: &str, bytes: impl AsRef<[u8]>, model: Option<Model>) -> Arc<Shape> {
    let folder = tempfile::tempdir().expect("scratch");
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("a file");
    Geometry::file(path, model).shape(0.0).expect("a body")
}

/// The order of triangles is that of their tree.
fn sorted(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers
}

fn condition(shape: &Shape) -> MeshCondition {
    shape.condition.expect("a mesh")
}

/// The volume that triangles enclose.
fn volume(vertices: &[[f64; 3]], triangles: &[[usize; 3]]) -> f64 {
    let tetrahedron = |t: &[usize; 3]| {
        let [[a, b, c], [d, e, f], [g, h, i]] = t.map(|v| vertices[v]);
        (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) / 6.0
    };
    triangles.iter().map(tetrahedron).sum()
}

/// How often a mesh winds about a point, by the solid angles of its triangles (van Oosterom and
/// Strackee 1983).
fn winding(shape: &Shape, at: [f64; 3]) -> f64 {
    let mesh = shape.mesh.as_ref().expect("a mesh");
    let center = shape.center.to_array();
    let corner = |v: u32| {
        let p = mesh.vertices()[v as usize].to_array();
        [0, 1, 2].map(|k| p[k] + center[k] - at[k])
    };
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let angle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(corner);
        let [x, y, z] = [a, b, c].map(|v| dot(v, v).sqrt());
        2.0 * dot(a, cross(b, c)).atan2(x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y)
    };
    mesh.triangles().iter().map(angle).sum::<f64>() / (4.0 * PI)
}

#[test]
fn a_mesh_that_is_not_convex_keeps_the_triangles_of_its_file() {
    let solid = angle();
    assert!((volume(&solid.vertices, &solid.triangles) - 3.0).abs() < 1e-12, "outward");
    let stl_vertices: Vec<[f64; 3]> = solid.triangles.iter().flatten().map(|&v| solid.vertices[v]).collect();
    let files = [
        ("a.obj", solid.obj().into_bytes(), &solid.vertices),
        ("a.stl", solid.stl(), &stl_vertices),
        ("a.ply", ply(&solid).into_bytes(), &solid.vertices),
        ("a.glb", solid.glb(), &solid.vertices),
    ];
    for (name, bytes, vertices) in files {
        for model in [None, Some(Model::Mesh)] {
            let shape = load(name, &bytes, model);
            let mesh = shape.mesh.as_ref().expect("triangles");
            assert_eq!((shape.model, shape.pieces.len(), shape.fit), (Model::Mesh, 1, None), "{name}");
            assert!(!shape.is_filled() && mesh.is_solid() && shape.watertight == Some(true), "{name}");
            assert_eq!((shape.vertices, shape.triangles), (vertices.len() as u64, 20), "{name}");
            let found = condition(&shape);
            let welded = (vertices.len() - 12) as u64;
            let expected =
                MeshCondition { welded_vertices: welded, components: 1, volume: found.volume, ..Default::default() };
            assert_eq!(found, expected, "{name}");
            assert!((found.volume.expect("solid") - 3.0).abs() < 1e-12, "{name}");
            assert_eq!(sorted(mesh.triangle_numbers()), (0..20).collect::<Vec<_>>(), "{name}");
            // The numbers of vertices lead to their positions in the file, and triangles to theirs.
            for (position, &number) in mesh.vertices().iter().zip(mesh.vertex_numbers()) {
                assert_eq!(position.to_array(), vertices[number as usize], "{name}");
                let first = vertices.iter().position(|v| *v == position.to_array());
                assert_eq!(first, Some(number as usize), "{name}: not the first of duplicates");
            }
            for (corners, number) in mesh.triangles().iter().zip(mesh.triangle_numbers()) {
                let of_file = solid.triangles[number as usize].map(|v| solid.vertices[v]);
                assert_eq!(corners.map(|v| mesh.vertices()[v as usize].to_array()), of_file, "{name}");
            }
            assert_eq!(shape.pieces[0].core.count, 10, "{name}: the hull of the L has ten vertices");
        }
    }
}

#[test]
fn a_mesh_far_from_its_origin_is_moved_without_rounding_and_scaled_like_a_hull() {
    let far = angle().moved(|[x, y, z]| [5e6 + x / 3.0, y, z - 7e5]);
    let mut text = String::new();
    for [x, y, z] in &far.vertices {
        let _ = writeln!(text, "v {x:?} {y:?} {z:?}");
    }
    for [a, b, c] in &far.triangles {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    let folder = tempfile::tempdir().expect("scratch");
    let path = folder.path().join("a.obj");
    fs::write(&path, text).expect("a file");
    let shape_of = |model| {
        let geometry = Geometry::File {
            path: path.clone(),
            model,
            unit: Some(clearsweep::LengthUnit::ALL[1]),
            scale: 3.0,
            y_up: true,
        };
        geometry.shape(0.002).expect("a body")
    };
    let (mesh, hull) = (shape_of(None), shape_of(Some(Model::Hull)));
    assert_eq!((mesh.center, mesh.radius), (hull.center, hull.radius));
    assert_eq!((&mesh.pieces[0].core.x, mesh.pieces[0].core.source.len()), (&hull.pieces[0].core.x, 10));
    assert!(mesh.center.x > 14_000.0 && mesh.pieces[0].radius == 0.002, "{:?}", mesh.center);
    let triangles = mesh.mesh.as_ref().expect("triangles");
    for (position, &number) in triangles.vertices().iter().zip(triangles.vertex_numbers()) {
        let [x, y, z] = far.vertices[number as usize].map(|c| c * 3.0 / 1e3);
        // Sums that are exact, as a centre on a coarse grid is subtracted.
        assert_eq!((*position + mesh.center).to_array(), [x, -z, y]);
    }
}

#[test]
fn what_is_wrong_with_a_mesh_is_counted_and_left_out() {
    let mut solid = angle();
    // A vertex again, a triangle over it, and one that is there already, from another corner on.
    let [x, y, z] = solid.vertices[0];
    solid.vertices.extend([[x, y, z], [0.5, 0.0, 0.0], [9.0, 9.0, 9.0]]);
    solid.triangles[1] = [12, 2, 5];
    let [a, b, c] = solid.triangles[5];
    solid.triangles.extend([[b, c, a], [0, 12, 1], [0, 13, 1], [3, 3, 3]]);
    let shape = load("a.obj", solid.obj(), None);
    let found = condition(&shape);
    assert_eq!((shape.model, shape.vertices, shape.triangles), (Model::Mesh, 15, 24));
    let expected = MeshCondition {
        welded_vertices: 1,
        unused_vertices: 2,
        degenerate_triangles: 3,
        duplicate_triangles: 1,
        // The triangle along the edge 0-1: its halves have no other triangle, and the edge has
        // three.
        boundary_edges: 2,
        nonmanifold_edges: 1,
        components: 1,
        ..MeshCondition::default()
    };
    assert_eq!(found, expected);
    let mesh = shape.mesh.as_ref().expect("triangles");
    assert_eq!(sorted(mesh.triangle_numbers()), (0..20).collect::<Vec<_>>());
    assert_eq!(mesh.vertex_numbers(), (0..12).collect::<Vec<_>>());
    assert!(!mesh.is_solid(), "the sides of a triangle without area are loose");
    assert_eq!(shape.pieces[0].core.count, 10, "vertices that no triangle uses are no part of the body");
    // A triangle without area that fills a T-junction closes the mesh: the edge 0-1 in two halves
    // on one side.
    let mut junction = angle();
    junction.vertices.push([0.5, 0.0, 0.0]);
    let at = junction.triangles.iter().position(|t| t.contains(&0) && t.contains(&1)).expect("a triangle");
    let [a, b, c] = junction.triangles[at];
    let apex = [a, b, c].into_iter().find(|v| ![0, 1].contains(v)).expect("a third corner");
    let (from, to) = if [(a, b), (b, c), (c, a)].contains(&(0, 1)) { (0, 1) } else { (1, 0) };
    junction.triangles[at] = [from, 12, apex];
    junction.triangles.extend([[12, to, apex], [from, to, 12]]);
    let found = condition(&load("a.obj", junction.obj(), None));
    assert!(found.is_solid() && found.degenerate_triangles == 1 && found.boundary_edges == 0, "{found:?}");
    assert!((found.volume.expect("solid") - 3.0).abs() < 1e-6);
}

#[test]
fn open_meshes_and_soups_are_bodies_without_an_inside() {
    let mut open = angle();
    open.triangles.pop();
    let found = condition(&load("a.stl", open.stl(), None));
    assert_eq!((found.is_solid(), found.boundary_edges, found.volume), (false, 3, None));
    // Triangles that run this way and that are left as they are where nothing closes up.
    open.triangles[3].swap(0, 1);
    let shape = load("a.ply", ply(&open), None);
    assert_eq!(condition(&shape).turned_triangles, 0);
    let mesh = shape.mesh.as_ref().expect("triangles");
    let third = mesh.triangle_numbers().iter().position(|&number| number == 3).expect("triangle 3");
    assert_eq!(mesh.triangles()[third], open.triangles[3].map(|v| v as u32));
    // A Moebius strip closed by nothing, a sheet of two sides, three quarters of a box.
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.2]].to_vec();
    let two_sided = Solid { vertices: square, triangles: vec![[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]] };
    let found = condition(&load("a.obj", two_sided.obj(), Some(Model::Mesh)));
    let (edges, duplicates) = (found.boundary_edges, found.duplicate_triangles);
    assert_eq!((found.is_solid(), edges, duplicates), (false, 0, 0), "it encloses nothing: {found:?}");
    // A surface without two sides closes up all the same: the projective plane of six vertices.
    let plane =
        [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5], [0, 5, 1], [1, 2, 4], [2, 3, 5], [3, 4, 1], [4, 5, 2], [5, 1, 3]];
    let at = |k: usize| {
        let t = k as f64;
        [(2.0 * t).cos(), (3.1 * t).sin(), (1.7 * t + 0.3).cos()]
    };
    let plane = Solid { vertices: (0..6).map(at).collect(), triangles: plane.to_vec() };
    let found = condition(&load("a.obj", plane.obj(), Some(Model::Mesh)));
    assert_eq!((found.is_solid(), found.boundary_edges, found.nonmanifold_edges), (false, 0, 0), "{found:?}");
}

/// A box that contains others, which are cavities, which contain others, which are solid again.
struct Nest {
    low: [f64; 3],
    high: [f64; 3],
    inner: Vec<Nest>,
}

impl Nest {
    fn new(random: &mut Random, low: [f64; 3], high: [f64; 3], depth: usize) -> Self {
        let mut inner = Vec::new();
        if depth > 0 {
            // Side by side along one axis.
            let (count, axis) = (random.below(3), random.below(3));
            for k in 0..count {
                let (mut from, mut to) = (low, high);
                let step = (high[axis] - low[axis]) / count as f64;
                (from[axis], to[axis]) = (low[axis] + k as f64 * step, low[axis] + (k + 1) as f64 * step);
                let inset = |random: &mut Random, k: usize| (to[k] - from[k]) * (0.05 + 0.2 * random.unit());
                let margins: Vec<[f64; 2]> = (0..3).map(|k| [inset(random, k), inset(random, k)]).collect();
                let from = [0, 1, 2].map(|k| from[k] + margins[k][0]);
                let to = [0, 1, 2].map(|k| to[k] - margins[k][1]);
                inner.push(Self::new(random, from, to, depth - 1));
            }
        }
        Self { low, high, inner }
    }

    /// Its shells, each outward (`is_solid`) or inward.
    fn shells(&self, is_solid: bool, out: &mut Vec<Solid>) {
        let size = [0, 1, 2].map(|k| self.high[k] - self.low[k]);
        let mut solid = Solid::cuboid(size).moved(|p| [0, 1, 2].map(|k| p[k] + 0.5 * (self.low[k] + self.high[k])));
        if !is_solid {
            solid.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        out.push(solid);
        self.inner.iter().for_each(|inner| inner.shells(!is_solid, out));
    }

    /// How many of its boxes a point lies in.
    fn depth(&self, p: [f64; 3]) -> usize {
        let is_in = (0..3).all(|k| self.low[k] < p[k] && p[k] < self.high[k]);
        if is_in { 1 + self.inner.iter().map(|inner| inner.depth(p)).sum::<usize>() } else { 0 }
    }
}

#[test]
fn shells_are_turned_outward_with_the_cavities_that_they_contain() {
    let (mut cavities, mut turned, mut inside) = (0, 0, 0);
    for seed in 0..60 {
        let mut random = Random(seed + 1);
        let count = 1 + random.below(3);
        let place = placed(seed, 0.0);
        let mut whole = Solid::default();
        let mut nests = Vec::new();
        for k in 0..count {
            let nest = Nest::new(&mut random, [3.0 * k as f64, 0.0, 0.0], [3.0 * k as f64 + 2.0, 2.0, 2.0], 3);
            let mut shells = Vec::new();
            nest.shells(true, &mut shells);
            cavities += shells.len() - 1;
            let inside_out = random.below(2) == 1;
            for shell in &mut shells {
                shell.triangles.iter_mut().filter(|_| inside_out).for_each(|t| t.swap(1, 2));
                // A few triangles of a shell run the wrong way, fewer than half of them.
                (0..random.below(5)).for_each(|k| shell.triangles[2 * k].swap(0, 1));
            }
            nests.push(nest);
            whole = shells.iter().fold(whole, |whole, shell| whole.with(shell));
        }
        // The order of triangles is not that of shells.
        for k in (1..whole.triangles.len()).rev() {
            whole.triangles.swap(k, random.below(k + 1));
        }
        let file = whole.moved(&place);
        // A single box is convex.
        let model = Some(Model::Mesh);
        let shape = if seed % 2 == 0 { load("a.stl", file.stl(), model) } else { load("a.ply", ply(&file), model) };
        let found = condition(&shape);
        assert!(found.is_solid(), "{seed}: {found:?}");
        turned += found.turned_triangles;
        for _ in 0..60 {
            let p = [7.0 * random.unit() - 0.5, 2.4 * random.unit() - 0.2, 2.4 * random.unit() - 0.2];
            let depth: usize = nests.iter().map(|nest| nest.depth(p)).sum();
            let expected = (depth % 2) as f64;
            assert!((winding(&shape, place(p)) - expected).abs() < 1e-3, "{seed}: {p:?} at depth {depth}");
            inside += usize::from(depth > 1);
        }
        let mesh = shape.mesh.as_ref().expect("triangles");
        let vertices: Vec<[f64; 3]> = mesh.vertices().iter().map(|v| v.to_array()).collect();
        let triangles: Vec<[usize; 3]> = mesh.triangles().iter().map(|t| t.map(|v| v as usize)).collect();
        let own = volume(&vertices, &triangles);
        assert!((own - found.volume.expect("solid")).abs() < 1e-9, "{seed}");
    }
    assert!(cavities > 60 && turned > 500 && inside > 300, "not representative: {cavities} {turned} {inside}");
}

#[test]
fn shells_that_contradict_each_other_have_no_inside() {
    let cuboid = |side: f64, at: f64| Solid::cuboid([side; 3]).moved(move |[x, y, z]| [x + at, y, z]);
    let inward = |solid: &Solid| {
        let mut solid = solid.clone();
        solid.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        solid
    };
    let is_solid = |solid: &Solid| condition(&load("a.obj", solid.obj(), Some(Model::Mesh))).is_solid();
    let (large, small, least) = (cuboid(4.0, 0.0), cuboid(2.0, 0.0), cuboid(1.0, 0.0));
    assert!(is_solid(&large.with(&inward(&small))), "a cavity");
    assert!(is_solid(&large.with(&small)), "a solid within a solid, as the file says");
    assert!(!is_solid(&large.with(&inward(&small)).with(&inward(&least))), "a cavity in a cavity");
    assert!(is_solid(&large.with(&inward(&small)).with(&least)), "a solid in a cavity");
    // Boxes that cross: both outward is a union; one of them inward is neither within nor without
    // the other.
    assert!(is_solid(&large.with(&cuboid(4.0, 2.1))));
    assert!(!is_solid(&large.with(&inward(&cuboid(4.0, 2.1)))));
    // Boxes that touch along an edge, a vertex or a face, one of them turned the wrong way.
    for shift in [[4.0, 4.0, 0.0], [4.0, 4.0, 4.0], [4.0, 0.0, 0.0]] {
        let beside = large.moved(|[x, y, z]| [x + shift[0], y + shift[1], z + shift[2]]);
        assert!(is_solid(&large.with(&beside)), "{shift:?}");
        let found = condition(&load("a.obj", large.with(&inward(&beside)).obj(), Some(Model::Mesh)));
        if shift != [4.0, 0.0, 0.0] {
            assert!(found.is_solid() && found.turned_triangles == 12, "{shift:?}: {found:?}");
        } else {
            // Their common face is there twice in the same direction: one of the two is left out.
            assert_eq!((found.is_solid(), found.duplicate_triangles), (false, 2), "{found:?}");
        }
    }
}

#[test]
fn bodies_of_a_file_share_its_triangles() {
    let folder = tempfile::tempdir().expect("scratch");
    let path = folder.path().join("a.obj");
    fs::write(&path, angle().obj()).expect("a file");
    let body = |name: &str, model: Option<Model>, offset: f64, deviation: f64| {
        let geometry = Geometry::file(&path, model);
        BodyBuilder::new(name, geometry).offset(offset).deviation(deviation).fixed([0.0; 3], [1.0, 0.0, 0.0, 0.0])
    };
    let scene = SceneBuilder::new(1.0)
        .body(body("a", None, 0.0, 0.0))
        .body(body("b", None, 0.0, 0.0))
        .body(body("c", None, 0.1, 0.0))
        .body(body("d", None, 0.1, 0.01))
        .body(body("e", Some(Model::Mesh), 0.2, 0.0))
        .build()
        .expect("a scene");
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|k| &scene.bodies[k].shape);
    assert!(Arc::ptr_eq(a, b) && !Arc::ptr_eq(a, c) && !Arc::ptr_eq(c, d));
    let mesh = |shape: &Shape| Arc::as_ptr(shape.mesh.as_ref().expect("triangles"));
    assert!([b, c, d, e].iter().all(|shape| mesh(shape) == mesh(a)));
    assert_eq!([a, c, d].map(|shape| shape.pieces[0].radius), [0.0, 0.1, 0.1]);
    assert_eq!([a, c, d].map(|shape| shape.deviation), [0.0, 0.0, 0.01]);
    assert!(c.radius == d.radius && c.radius > a.radius);
}

/// A plant of all sorts: a mesh, a hull, pieces, an open mesh, and parts of a file.
fn plant(dir: &Path) {
    let mut open = angle();
    open.triangles.truncate(18);
    open.triangles[0].swap(0, 1);
    let mut turned = angle().moved(|[x, y, z]| [x, y, z - 5.0]);
    turned.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    fs::write(dir.join("angle.stl"), angle().stl()).expect("written");
    fs::write(dir.join("open.obj"), open.obj()).expect("written");
    fs::write(dir.join("turned.obj"), turned.obj()).expect("written");
    let (box_, l) = (Solid::cuboid([1.0; 3]).moved(|[x, y, z]| [x + 9.0, y, z]), angle());
    fs::write(dir.join("parts.obj"), box_.object("block", 0) + &l.object("angle", 8)).expect("written");
    let table =
        "body,geometry,model,deviation,x,y,z\nrow-mesh,angle.stl,mesh,1mm,0,8,0\nrow-hull,angle.stl,hull,0.25,0,16,0\n";
    fs::write(dir.join("rows.csv"), table).expect("written");
    let fixed = "static = true\n";
    let text = format!(
        "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.01\n\
         [[body]]\nname = \"mesh\"\ngeometry = \"angle.stl\"\n{fixed}\
         [[body]]\nname = \"again\"\ngeometry = \"angle.stl\"\n{fixed}position = [0, -8, 0]\n\
         [[body]]\nname = \"hull\"\ngeometry = \"angle.stl\"\nmodel = \"hull\"\n{fixed}position = [40, 0, 0]\n\
         [[body]]\nname = \"open\"\ngeometry = \"open.obj\"\n{fixed}position = [60, 0, 0]\ndeviation = \"0.1mm\"\n\
         [[body]]\nname = \"turned\"\ngeometry = \"turned.obj\"\n{fixed}position = [80, 0, 0]\n\
         [[body]]\nname = \"ball\"\nshape = {{ sphere = 1 }}\ndeviation = 0.002\n{fixed}position = [0, 50, 0]\n\
         [[bodies]]\ntable = \"rows.csv\"\n{fixed}deviation = 3\n\
         [[bodies]]\ngeometry = \"parts.obj\"\neach = \"object\"\nname = \"parts\"\n{fixed}position = [0, 0, 99]\n"
    );
    fs::write(dir.join("s.toml"), text).expect("written");
}

#[test]
fn scene_files_tables_and_parts_have_meshes_and_deviations() {
    let dir = tempfile::tempdir().expect("scratch");
    plant(dir.path());
    let scene =
        clearsweep::SceneBuilder::load(&dir.path().join("s.toml"), &SceneOverrides::default()).expect("a scene");
    let about = |body: &Body| (body.name.clone(), body.shape.model.name(), body.shape.deviation);
    let expected = [
        ("mesh", "mesh", 0.0),
        ("again", "mesh", 0.0),
        ("hull", "hull", 0.0),
        ("open", "mesh", 1e-4),
        ("turned", "mesh", 0.0),
        ("ball", "hull", 0.002),
        ("row-mesh", "mesh", 0.001),
        ("row-hull", "hull", 0.25),
        ("parts/block", "hull", 0.0),
        ("parts/angle", "mesh", 0.0),
    ];
    let found: Vec<_> = scene.bodies.iter().map(about).collect();
    assert_eq!(found, expected.map(|(name, model, deviation)| (name.to_owned(), model, deviation)));
}

#[test]
fn what_was_found_in_meshes_is_reported() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    plant(dir);
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let check = flat(expect(dir, "check s.toml", 0).0);
    for part in [
        "meshes 6 of 10 bodies: exact triangles, 78 in 4 meshes; 5 solid, 1 not closed",
        "open: open, 4 edges of one triangle",
        "turned: 20 triangles turned outward",
        "hulls 2 of 10 bodies",
        "4 convex pieces",
        "warning: open: the triangles do not close up, so that the winding number decides what lies inside",
    ] {
        assert!(check.contains(part), "`{part}` is missing in {check}");
    }
    assert!(!check.contains("vertices welded"), "every STL repeats its vertices: {check}");
    let json: Value = serde_json::from_str(&expect(dir, "check s.toml --json", 0).0).expect("JSON");
    let meshes = json["meshes"].as_array().expect("a list");
    assert_eq!(meshes[0]["bodies"], serde_json::json!(["mesh", "again", "row-mesh"]));
    assert_eq!([&meshes[0]["solid"], &meshes[1]["solid"]], [&Value::from(true), &false.into()]);
    assert_eq!((&meshes[2]["turned_triangles"], &meshes[0]["welded_vertices"]), (&20.into(), &48.into()));

    expect(dir, "run s.toml --out o", 0);
    let file = fs::File::open(dir.join("o/bodies.parquet")).expect("a table");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a table").build().expect("a reader");
    let batch = reader.map(|batch| batch.expect("a batch")).next().expect("a batch");
    let column = |name: &str| {
        let column = batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
        let text = |row| arrow_cast::display::array_value_to_string(column, row).expect("a value");
        (0..batch.num_rows()).map(text).collect::<Vec<_>>()
    };
    assert_eq!(column("model")[..4], ["mesh", "mesh", "hull", "mesh"]);
    assert_eq!(column("solid"), ["true", "true", "", "false", "true", "", "true", "", "", "true"]);
    assert_eq!(column("convex"), ["", "", "false", "", "", "", "", "false", "true", ""]);
    assert_eq!(column("boundary_edges"), ["0", "0", "", "4", "0", "", "0", "", "", "0"]);
    assert_eq!(column("turned_triangles")[4], "20");
    assert_eq!(column("deviation_m")[3..8], ["0.0001", "0.0", "0.002", "0.001", "0.25"]);
    assert_eq!([0, 3, 4].map(|row| column("mesh_volume_m3")[row].clone()), ["3.0", "", "3.0"]);
    assert!(column("hull_excess_m")[0].is_empty() && !column("hull_excess_m")[2].is_empty());
}

#[test]
fn a_ball_in_a_hole_is_apart_from_the_triangles() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    // A plate with a hole of 25 mm, a polygon of 64 sides.
    fs::write(dir.join("bracket.stl"), Solid::ring(25.0, 60.0, 10.0, 64).stl()).expect("written");
    for file in ["bracket.stl", "mesh:bracket.stl"] {
        let (out, _) = expect(dir, &format!("query {file} sphere:5 --unit mm --json"), 0);
        let answer: Value = serde_json::from_str(&out).expect("JSON");
        let number = |name: &str| answer[name].as_f64().expect("a number");
        let truth = 0.025 * (PI / 64.0).cos() - 0.005;
        // Coordinates are in single precision.
        assert!((number("distance_m") - truth).abs() < 1e-8 && answer["status"] == "separated", "{answer}");
        assert!(number("lower_m") <= number("distance_m") && number("distance_m") <= number("upper_m"), "{answer}");
        assert_eq!((&answer["hull_a"], &answer["mesh_a"]["solid"]), (&Value::Null, &true.into()));
        assert_eq!((&answer["mesh_b"], &answer["mesh_a"]["triangles"]), (&Value::Null, &512.into()));
        let text = expect(dir, &format!("query {file} sphere:5 --unit mm"), 0).0;
        assert!(!text.contains("hull") && !text.contains("meshes"), "{text}");
    }
}
