//! Meshes that are convex but for rounding are convex; those that are not are taken as triangles
//! until their hull is asked for; and then it is told how far the hull reaches beyond the mesh.

use crate::hull_solids::{Solid, placed};
use crate::program::expect;
use clearsweep::{Geometry, HullFit, Model, Shape};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn shape(folder: &Path, name: &str, bytes: impl AsRef<[u8]>, model: Option<Model>) -> Result<Arc<Shape>, String> {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("a file");
    let shape = Geometry::file(path, model).shape(0.0);
    shape.map_err(|error| format!("{} | {} | {}", error.place, error.problem, error.remedy))
}

fn fit(shape: &Shape) -> HullFit {
    shape.fit.expect("there is a mesh")
}

fn json(dir: &Path, args: &str, code: i32) -> Value {
    serde_json::from_str(&expect(dir, args, code).0).expect("JSON")
}

/// A plate with a hole of 25 mm radius, in millimetres.
fn bracket() -> Solid {
    Solid::ring(25.0, 60.0, 10.0, 64)
}

#[test]
fn what_is_convex_but_for_rounding_is_convex() {
    let folder = tempfile::tempdir().expect("scratch");
    let solids = [
        ("box", Solid::cuboid([0.4, 0.3, 0.2])),
        ("fine box", Solid::cuboid([0.4, 0.3, 0.2]).subdivided().subdivided().subdivided()),
        ("cylinder", Solid::cylinder(0.1, 0.5, 32)),
        ("fine cylinder", Solid::cylinder(0.1, 0.5, 500)),
        ("cone", Solid::cone(0.1, 0.5, 32)),
        ("capsule", Solid::capsule(0.1, 0.4, 32)),
    ];
    let (mut rounded, mut cases) = (0, 0);
    for (name, solid) in &solids {
        for seed in 0..5 {
            let turned = solid.moved(placed(seed, 0.3));
            let files = [("a.stl", turned.stl()), ("a.glb", turned.glb()), ("a.obj", turned.obj().into_bytes())];
            for (file, bytes) in files {
                let shape = shape(folder.path(), file, bytes, None);
                let shape = shape.unwrap_or_else(|error| panic!("{name} {seed} {file}: {error}"));
                let fit = fit(&shape);
                let share = fit.excess / solid.size();
                assert!(fit.convex && share < 1e-6 && !shape.is_filled(), "{name} {seed} {file}: {fit:?}");
                // The fine box is made of triangles with vertices of their own: as rounding is the
                // same, they meet.
                let mesh = fit.mesh_volume.unwrap_or_else(|| panic!("{name} {seed} {file} closes up"));
                assert!((fit.hull_volume / mesh - 1.0).abs() < 1e-5, "{name} {seed} {file}: {fit:?}");
                rounded += u32::from(share > 1e-9);
                cases += 1;
            }
        }
    }
    assert!(rounded > cases / 2, "{rounded} of {cases} reach beyond by rounding: not representative");
}

#[test]
fn a_dent_beyond_rounding_makes_a_mesh_and_is_measured() {
    let folder = tempfile::tempdir().expect("scratch");
    // The middle of the top of a fine box, pressed in.
    let size = Solid::cuboid([1.0; 3]).size();
    for (dent, convex) in [(0.5e-6, true), (2e-6, false), (3.2e-3, false)] {
        let solid = Solid::cuboid([1.0; 3]).subdivided().subdivided();
        let pressed =
            solid.moved(|[x, y, z]| if (x, y, z) == (0.0, 0.0, 0.5) { [x, y, z - dent * size] } else { [x, y, z] });
        let asked = shape(folder.path(), "a.obj", pressed.obj(), None);
        let model = if convex { Model::Hull } else { Model::Mesh };
        assert_eq!(asked.expect("a body").model, model, "{dent}");
        let fit = fit(&shape(folder.path(), "a.obj", pressed.obj(), Some(Model::Hull)).expect("a hull"));
        // 8 digits round the dent; the nearest point of the mesh lies on the slope.
        assert!(fit.excess > 0.95 * dent * size && fit.excess < 1.02 * dent * size + 1e-8, "{dent}: {fit:?}");
        assert_eq!(fit.convex, convex, "{dent}");
        let asked = shape(folder.path(), "a.obj", pressed.obj(), Some(Model::Pieces));
        assert_eq!(asked.is_ok(), convex, "{dent}");
        if dent > 1e-3 {
            let error = asked.expect_err("refused");
            for part in
                ["a.obj", "object 0", "not convex", "lies 5.5", "mm inside its hull", "write `model = \"mesh\"`:"]
            {
                assert!(error.contains(part), "`{part}` is missing in {error}");
            }
        }
    }
}

#[test]
fn what_leaves_a_part_of_its_hull_open_is_no_hull() {
    let folder = tempfile::tempdir().expect("scratch");
    let load = |solid: &Solid, model| shape(folder.path(), "a.obj", solid.obj(), model);
    let mesh_and_why = |solid: &Solid| {
        assert_eq!(load(solid, None).expect("a body").model, Model::Mesh);
        load(solid, Some(Model::Pieces)).expect_err("refused")
    };
    let cuboid = Solid::cuboid([1.0, 1.0, 1.0]);
    // Without its lid: all vertices and triangles lie on the hull.
    let mut open = cuboid.clone();
    open.triangles.retain(|t| t.iter().any(|&v| open.vertices[v][2] < 0.0));
    assert_eq!(open.triangles.len(), 10);
    let error = mesh_and_why(&open);
    assert!(error.contains("its hull reaches 500 mm beyond its surface; its triangles do not close up"), "{error}");
    let found = fit(&load(&open, Some(Model::Hull)).expect("a hull"));
    assert!(found.excess >= 0.5 && found.excess < 0.51 && found.mesh_volume.is_none() && !found.convex, "{found:?}");
    // A wall inside: the hull is covered, but the mesh is not its surface.
    let wall = Solid::of_polygons(
        [[0.0, -0.5, -0.5], [0.0, 0.5, -0.5], [0.0, 0.5, 0.5], [0.0, -0.5, 0.5]].to_vec(),
        &[vec![0, 1, 2, 3], vec![3, 2, 1, 0]],
    );
    let walled = cuboid.with(&wall);
    let error = mesh_and_why(&walled);
    assert!(error.contains("triangle 12 lies 500 mm inside its hull)"), "{error}");
    let found = fit(&load(&walled, Some(Model::Hull)).expect("a hull"));
    assert!(found.excess < 1e-9 && !found.convex, "{found:?}");
    // A closed cavity: the volume tells.
    let cavity = Solid::cuboid([0.5; 3]).moved(|[x, y, z]| [-x, y, z]);
    let found = fit(&load(&cuboid.with(&cavity), Some(Model::Hull)).expect("a hull"));
    assert!(found.excess < 1e-9 && !found.convex, "{found:?}");
    assert!((found.mesh_volume.expect("closed") - 0.875).abs() < 1e-6 && (found.hull_volume - 1.0).abs() < 1e-6);
    // A vertex that no triangle uses reaches beyond the mesh too.
    let mut stray = cuboid.clone();
    stray.vertices.push([3.0, 0.0, 0.0]);
    assert_eq!(load(&stray, None).expect("a body").model, Model::Mesh);
    let found = fit(&load(&stray, Some(Model::Hull)).expect("a hull"));
    assert!(found.excess >= 2.5 && found.excess < 2.55 && !found.convex, "{found:?}");
    // Points alone have no surface.
    let points = Solid { vertices: cuboid.vertices.clone(), triangles: vec![] };
    assert!(load(&points, None).expect_err("refused").contains("no triangles"));
    assert_eq!(load(&points, Some(Model::Hull)).expect("a hull").fit, None);
}

#[test]
fn how_triangles_meet_does_not_matter() {
    let folder = tempfile::tempdir().expect("scratch");
    // Sides of a box that meet at T-junctions, and the same triangles twice; nothing closes up.
    let mut solid = Solid::cuboid([0.4, 0.3, 0.2]);
    let fine = Solid { triangles: solid.triangles[..4].to_vec(), ..solid.clone() }.subdivided().subdivided();
    solid.triangles.drain(..4);
    solid.triangles.extend(solid.triangles.clone());
    let solid = solid.with(&fine).moved(placed(7, 0.0));
    let shape_of = shape(folder.path(), "a.stl", solid.stl(), None).expect("convex");
    assert!(fit(&shape_of).convex && fit(&shape_of).excess < 1e-6 * solid.size());
    // A flat sheet, which is its hull.
    let sheet = Solid::of_polygons(
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 2.0, 0.0]].to_vec(),
        &[vec![0, 1, 2, 3]],
    );
    for sheet in [sheet.clone(), sheet.moved(placed(3, 0.0))] {
        assert!(fit(&shape(folder.path(), "a.stl", sheet.stl(), None).expect("convex")).convex);
    }
}

#[test]
fn a_query_of_a_bracket_takes_its_hull_where_that_is_asked_for() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    fs::write(dir.join("bracket.stl"), bracket().stl()).expect("written");
    let (out, err) = expect(dir, "query pieces:bracket.stl sphere:5 --unit mm", 1);
    assert!(out.is_empty());
    assert!(!err.contains("body `a`") && !err.contains("\"mesh\""), "no words of a scene: {err}");
    assert!(err.starts_with("error: bracket.stl: "), "{err}");
    let words = err.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["bracket.stl", "not convex", "inside its hull", "mesh:FILE", "piece-hulls:FILE"] {
        assert!(words.contains(part), "`{part}` is missing in {err}");
    }
    let answer = json(dir, "query hull:bracket.stl sphere:5 --unit mm --json", 0);
    assert!((answer["distance_m"].as_f64().expect("a number") + 0.01).abs() < 1e-9, "{answer}");
    let hull = &answer["hull_a"];
    let excess = hull["hull_excess_m"].as_f64().expect("a number");
    // The hole is a polygon of 64 sides.
    assert!((0.02496..0.0255).contains(&excess) && hull["convex"] == false, "{answer}");
    let ratio = hull["hull_volume_m3"].as_f64().expect("a number") / hull["mesh_volume_m3"].as_f64().expect("a number");
    assert!((ratio - 3600.0 / (3600.0 - 625.0)).abs() < 1e-6, "{ratio}");
    assert_eq!(answer["hull_b"], Value::Null);
    let (out, _) = expect(dir, "query hull:bracket.stl sphere:5 --unit mm", 0);
    for part in [
        "penetrating, of the hulls",
        "(-10 mm, of the hulls)",
        "A is not convex: its hull reaches up to 25",
        "1.210 times",
    ] {
        assert!(out.contains(part), "`{part}` is missing in {out}");
    }
    // Above the hole the hull is 30 mm away; the true distance lies within the excess of it.
    let answer = json(dir, "query hull:bracket.stl sphere:5 --unit mm --pose 0,0,40,1,0,0,0 --json", 0);
    let (lower, truth) = (answer["lower_m"].as_f64().expect("a number"), 0.025_f64.hypot(0.035) - 0.005);
    assert!(lower <= truth && truth <= answer["upper_m"].as_f64().expect("a number") + excess, "{answer}");
    // What is convex needs no word, and is not called a hull.
    fs::write(dir.join("box.stl"), Solid::cuboid([1.0; 3]).moved(placed(1, 0.0)).stl()).expect("written");
    let (out, _) = expect(dir, "query box.stl sphere:1 --pose 3,0,0,1,0,0,0", 0);
    assert!(!out.contains("hull"), "{out}");
    // A file whose name looks like a model, and a model without a file.
    fs::write(dir.join("pieces:box.stl"), Solid::cuboid([1.0; 3]).stl()).expect("written");
    expect(dir, "query pieces:box.stl sphere:1", 0);
    let (_, err) = expect(dir, "query hull:nowhere.stl sphere:1", 2);
    assert!(err.contains("nowhere.stl") && err.contains("hull:FILE"), "{err}");
}

/// A file of two objects: a box, and a bracket beside it.
fn box_and_bracket() -> String {
    let cuboid = Solid::cuboid([10.0; 3]).moved(|[x, y, z]| [x + 200.0, y, z]);
    cuboid.object("block", 0) + &bracket().object("plate", cuboid.vertices.len())
}

#[test]
fn a_piece_that_is_not_convex_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("scratch");
    let load = |text: &str, model| shape(folder.path(), "two.obj", text, Some(model));
    let error = load(&box_and_bracket(), Model::Pieces).expect_err("refused");
    for part in ["object 1 (`plate`)", "not convex", "inside its hull", "model = \"piece-hulls\"", "model = \"mesh\""] {
        assert!(error.contains(part), "`{part}` is missing in {error}");
    }
    let filled = load(&box_and_bracket(), Model::PieceHulls).expect("hulls");
    assert_eq!((filled.model, filled.pieces.len(), filled.is_filled()), (Model::PieceHulls, 2, true));
    assert!(fit(&filled).excess > 24.9 && fit(&filled).excess < 25.5, "{:?}", filled.fit);
    let block = Solid::cuboid([10.0; 3]);
    let other = block.moved(|[x, y, z]| [x + 30.0, y, z]);
    let two = block.object("", 0) + "g right\n" + &other.object("", block.vertices.len());
    let convex = load(&two, Model::Pieces).expect("convex pieces");
    assert!(!convex.is_filled() && fit(&convex).mesh_volume.is_some_and(|v| (v - 2000.0).abs() < 1e-6));
    let several = bracket().object("left", 0) + &bracket().object("right", bracket().vertices.len());
    let error = load(&several, Model::Pieces).expect_err("refused");
    assert!(error.contains("object 0 (`left`)") && error.contains("neither are 1 others of the 2"), "{error}");
}

/// A scene of a bracket as its hull, a ball in its hole, and a box beside both.
fn plant(dir: &Path) {
    fs::write(dir.join("bracket.stl"), bracket().stl()).expect("written");
    let text = "[scene]\nlength_unit = \"mm\"\n[query]\nwithin = 200\nrequire = 5\n\
        [[body]]\nname = \"bracket\"\nstatic = true\ngeometry = \"bracket.stl\"\nmodel = \"hull\"\n\
        [[body]]\nname = \"ball\"\nstatic = true\nshape = { sphere = 5 }\n\
        [[body]]\nname = \"box\"\nstatic = true\nshape = { box = [10, 20, 30] }\nposition = [100, 0, 0]\n";
    fs::write(dir.join("s.toml"), text).expect("written");
}

#[test]
fn tables_and_summaries_say_what_is_of_hulls() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    plant(dir);
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "1 of 3 bodies: the hull of a mesh that is not convex, up to 25";
    let run = flat(expect(dir, "run s.toml --out o", 3).0);
    assert!(run.contains(said) && run.contains("figures of such bodies are of the hulls"), "{run}");
    assert!(run.contains("worst 10 mm deep, of the hulls: bracket and ball"), "{run}");
    assert!(run.contains("VIOLATED by 1 pair 10 mm deep, of the hulls: bracket and ball"), "{run}");
    let summary = flat(expect(dir, "summary o", 0).0);
    assert!(summary.contains("bracket ball -10.001 mm -9.999 mm of the hulls"), "{summary}");
    assert!(summary.contains("ball box 89.999 mm 90.001 mm"), "a pair of shapes is no hull: {summary}");
    let summary = json(dir, "summary o --json", 0);
    assert_eq!((&summary["hulls"]["bodies"], &summary["hulls"]["body"]), (&1.into(), &"bracket".into()));
    assert_eq!(summary["worst"]["of_hulls"], true);
    let of_hulls: Vec<_> = summary["worst_pairs"].as_array().expect("pairs").iter().map(|p| &p["of_hulls"]).collect();
    assert_eq!(of_hulls, [&Value::from(true), &true.into(), &false.into()], "{summary}");
    let check = flat(expect(dir, "check s.toml", 0).0);
    assert!(check.contains(said), "{check}");
    assert_eq!(json(dir, "check s.toml --json", 0)["hulls"][0]["body"], "bracket");

    let file = fs::File::open(dir.join("o/bodies.parquet")).expect("a table");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a table").build().expect("a reader");
    let batch = reader.map(|batch| batch.expect("a batch")).next().expect("a batch");
    let text = |name: &str, row: usize| {
        let column = batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
        arrow_cast::display::array_value_to_string(column, row).expect("a value")
    };
    assert_eq!([0, 1, 2].map(|row| text("convex", row)), ["false", "", ""]);
    let number = |name: &str| text(name, 0).parse::<f64>().expect("a number");
    assert_eq!(Some(number("hull_excess_m")), summary["hulls"]["hull_excess_m"].as_f64());
    assert!((0.02496..0.0255).contains(&number("hull_excess_m")));
    assert!((number("hull_volume_m3") / number("mesh_volume_m3") - 3600.0 / 2975.0).abs() < 1e-6);
    assert_eq!(text("hull_volume_m3", 1), "");
}

#[test]
fn a_size_is_the_extent_wherever_the_origin_is() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    plant(dir);
    // Five times its size away from its own origin.
    let far = Solid::cuboid([10.0, 20.0, 40.0]).moved(|[x, y, z]| [x + 200.0, y, z]);
    fs::write(dir.join("far.stl"), far.stl()).expect("written");
    let body = "[[body]]\nname = \"far\"\nstatic = true\ngeometry = \"far.stl\"\noffset = 1\n";
    let scene = fs::read_to_string(dir.join("s.toml")).expect("a scene");
    fs::write(dir.join("s.toml"), scene + body).expect("written");
    let sizes = json(dir, "check s.toml --json", 0)["sizes"].clone();
    let size = |k: usize| sizes[k]["size_m"].as_f64().expect("a number");
    for (k, expected) in [(0, 0.12), (1, 0.01), (2, 0.03), (3, 0.042)] {
        assert!((size(k) - expected).abs() < 1e-12, "body {k}: {sizes}");
    }
    let extent: Vec<f64> = sizes[3]["extent_m"].as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
    assert!(extent.iter().zip([0.012, 0.022, 0.042]).all(|(a, b)| (a - b).abs() < 1e-12), "{extent:?}");
    let (text, _) = expect(dir, "check s.toml", 0);
    assert!(text.contains("10 mm (ball) to 120 mm (bracket) across"), "{text}");
}
