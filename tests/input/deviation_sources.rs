//! `deviation_source`: what is said, what follows where nothing is said, and the pairs of a scene by
//! the weaker source of both bodies.

use clearsweep::{BodyBuilder, Geometry, SceneBuilder};
use clearsweep_scene::{Motion, Scene, SceneOverrides};
use clearsweep_testing::random::Random;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const QUERY: &str = "[query]\nwithin = 1\n";

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// Rows of a table: geometry, shape, deviation, what the row says, and the source that follows.
const ROWS: [[&str; 5]; 10] = [
    ["", "{ sphere = 1 }", "", "", "exact"],
    ["", "{ sphere = 1 }", "0.1mm", "", "declared"],
    ["", "{ sphere = 1 }", "0", "", "exact"],
    ["", "{ sphere = 1 }", "0.1mm", "proven", "proven"],
    ["part.obj", "", "", "", "unknown"],
    ["part.obj", "", "", "exact", "exact"],
    ["part.obj", "", "0", "exact", "exact"],
    ["part.obj", "", "0", "", "declared"],
    ["part.obj", "", "0.1mm", "proven", "proven"],
    ["part.obj", "", "0.1mm", "declared", "declared"],
];

fn load(folder: &Path, text: &str) -> Scene {
    let path = folder.join("scene.toml");
    fs::write(folder.join("part.obj"), TETRAHEDRON).expect("a part");
    fs::write(&path, format!("[scene]\nlength_unit = \"m\"\n{text}")).expect("a scene");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The words of all bodies, in the order of the scene.
fn words(scene: &Scene) -> Vec<&'static str> {
    scene.bodies.iter().map(|body| body.deviation_source.name()).collect()
}

#[test]
fn sources_are_as_stated_in_sections_in_tables_and_in_code() {
    let folder = tempfile::tempdir().expect("scratch");
    let expected = ROWS.map(|row| row[4]);
    let mut text = String::new();
    let mut table = "body,geometry,shape,deviation,deviation_source\n".to_owned();
    let still = [1.0, 0.0, 0.0, 0.0];
    let mut built = SceneBuilder::new(1.0);
    for (number, [geometry, shape, deviation, source, _]) in ROWS.into_iter().enumerate() {
        writeln!(text, "[[body]]\nname = \"b{number}\"\nstatic = true").expect("a text grows");
        for (key, value) in [("geometry", geometry), ("deviation", deviation), ("deviation_source", source)] {
            let value = if value.parse::<f64>().is_ok() { value.to_owned() } else { format!("\"{value}\"") };
            writeln!(text, "{}", if value == "\"\"" { String::new() } else { format!("{key} = {value}") })
                .expect("grows");
        }
        writeln!(text, "{}", if shape.is_empty() { String::new() } else { format!("shape = {shape}") }).expect("grows");
        writeln!(table, "b{number},{geometry},{shape},{deviation},{source}").expect("a text grows");
        let own = match geometry {
            "" => Geometry::Sphere(1.0),
            _ => Geometry::file(folder.path().join(geometry), None),
        };
        let mut body = BodyBuilder::new(format!("b{number}"), own).fixed([0.0; 3], still);
        if !deviation.is_empty() {
            body = body.deviation(if deviation == "0" { 0.0 } else { 1e-4 });
        }
        if !source.is_empty() {
            body = body.deviation_source(source);
        }
        built = built.body(body);
    }
    let path = folder.path().join("bodies.csv");
    fs::write(&path, table).expect("a table");
    assert_eq!(words(&load(folder.path(), &format!("{QUERY}{text}"))), expected, "[[body]]");
    assert_eq!(
        words(&load(folder.path(), &format!("{QUERY}[[bodies]]\ntable = \"bodies.csv\"\nstatic = true\n"))),
        expected,
        "[[bodies]]"
    );
    assert_eq!(words(&built.build().expect("a scene")), expected, "the builder");
    // A default of the section, and what some rows say instead.
    fs::write(&path, "body,deviation_source,geometry\na,,part.obj\nb,declared,part.obj\n").expect("a table");
    let defaults = "[[bodies]]\ntable = \"bodies.csv\"\nstatic = true\ndeviation = 1\ndeviation_source = \"proven\"\n";
    assert_eq!(words(&load(folder.path(), &format!("{QUERY}{defaults}"))), ["proven", "declared"]);
}

#[test]
fn pairs_by_source_are_those_that_are_not_ignored() {
    let folder = tempfile::tempdir().expect("scratch");
    let mut random = Random(7);
    for round in 0..40 {
        let mut text = format!("trajectories = \"t.csv\"\n{QUERY}static_pairs = {}\n", round % 2 == 0);
        let bodies = 2 + random.below(9);
        for number in 0..bodies {
            let group = ["a", "b", "c"][random.below(3)];
            let lines = [
                "shape = { sphere = 1 }",
                "geometry = \"part.obj\"\ndeviation = 1\ndeviation_source = \"proven\"",
                "shape = { sphere = 1 }\ndeviation = 0.5",
                "geometry = \"part.obj\"",
            ][if round < 10 { random.below(2) } else { random.below(4) }];
            let is_static = random.below(2) == 0 || number == 0;
            writeln!(text, "[[body]]\nname = \"b{number}\"\ngroup = \"{group}\"\nstatic = {is_static}\n{lines}")
                .expect("grows");
        }
        text.push_str("[[body]]\nname = \"last\"\ngroup = [\"a\", \"b\", \"c\"]\nshape = { sphere = 1 }\n");
        text.push_str("[[ignore]]\na = \"group:a\"\nb = \"group:b\"\n[[ignore]]\na = \"group:c\"\nb = \"group:c\"\n");
        for group in ["a", "b", "c"] {
            writeln!(text, "[[body]]\nname = \"{group}\"\ngroup = \"{group}\"\nshape = {{ sphere = 1 }}")
                .expect("grows");
        }
        let scene = load(folder.path(), &text);
        let mut expected = [0_u64; 4];
        for a in 0..scene.bodies.len() {
            for b in 0..a {
                let pair = [a, b].map(|body| &scene.bodies[body]);
                let both_static = pair.iter().all(|body| matches!(body.motion, Motion::Static(_)));
                if !scene.ignored.contains(a as u32, b as u32) && (scene.query.static_pairs || !both_static) {
                    expected[pair[0].deviation_source.max(pair[1].deviation_source) as usize] += 1;
                }
            }
        }
        assert_eq!(scene.pairs_by_deviation_source(), expected, "{text}");
    }
}
