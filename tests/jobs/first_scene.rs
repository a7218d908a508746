//! `clearsweep check FILE` and `clearsweep init`: a first scene for a geometry file.

use super::program::expect;
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use tempfile::TempDir;

/// Two unit cubes that overlap, as objects of an OBJ file.
fn two_cubes() -> String {
    let cube = |x: f64, first: usize| {
        let corner = |i: usize| format!("v {} {} {}\n", x + (i & 1) as f64, i >> 1 & 1, i >> 2);
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let face = |quad: [usize; 4]| format!("f {}\n", quad.map(|i| (i + first).to_string()).join(" "));
        (0..8).map(corner).chain(quads.map(face)).collect::<String>()
    };
    format!("o left\n{}o right\n{}", cube(0.0, 1), cube(0.75, 9))
}

/// A folder with the plant of `datasets/first-clash-check` and the file of two cubes.
fn folder() -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let plant = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/first-clash-check/plant.glb");
    fs::copy(plant, dir.path().join("plant.glb")).expect("copied");
    fs::write(dir.path().join("cubes.obj"), two_cubes()).expect("written");
    dir
}

fn json(dir: &Path, args: &str) -> Value {
    serde_json::from_str(&expect(dir, args, 0).0).expect("one JSON object")
}

/// A 3MF file of two tetrahedra that overlap, in inches, and a support.
fn printed() -> Vec<u8> {
    let mesh = "<mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"4\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"4\" z=\"0\"/>\
        <vertex x=\"0\" y=\"0\" z=\"4\"/></vertices><triangles><triangle v1=\"0\" v2=\"2\" v3=\"1\"/><triangle v1=\"0\" v2=\"1\" v3=\"3\"/>\
        <triangle v1=\"1\" v2=\"2\" v3=\"3\"/><triangle v1=\"2\" v2=\"0\" v3=\"3\"/></triangles></mesh>";
    let model = format!(
        "<model xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\" unit=\"inch\"><resources>\
         <object id=\"1\" name=\"jaw\">{mesh}</object><object id=\"2\" name=\"raft\" type=\"support\">{mesh}</object></resources>\
         <build><item objectid=\"1\"/><item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 1 0 0\"/><item objectid=\"2\"/></build></model>"
    );
    let relationships = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship \
        Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\" Target=\"3D/a.model\"/></Relationships>";
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [("_rels/.rels", relationships), ("3D/a.model", &model)] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).expect("a part");
        archive.write_all(text.as_bytes()).expect("memory");
    }
    archive.finish().expect("an archive").into_inner()
}

#[test]
fn a_3mf_file_has_a_first_scene_in_its_own_unit() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    fs::write(dir.join("Grip.3MF"), printed()).expect("written");
    let (text, _) = expect(dir, "check Grip.3MF", 0);
    for part in ["2: 0 moving, 2 static", "the file names its unit", "101.6 mm (jaw", "1 object is a support"] {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
    let found = json(dir, "check Grip.3MF --json");
    assert_eq!(found["geometry_unit"], serde_json::json!({ "unit": "m", "assumed": false }));
    assert_eq!(found["warnings"][0]["kind"], "hidden");
    expect(dir, "init Grip.3MF --out grip.toml", 0);
    assert!(fs::read_to_string(dir.join("grip.toml")).expect("written").contains("each = \"node\""));
    expect(dir, "run grip.toml --out out --progress none", 3);
}

#[test]
fn check_shows_a_scene_for_a_geometry_file() {
    let dir = folder();
    let dir = dir.path();
    let (text, _) = expect(dir, "check plant.glb", 0);
    for part in ["plant (plant.glb), unit mm", "10: 0 moving, 10 static", "as glTF prescribes", "1 of 10 bodies: exact"]
    {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
    let found = json(dir, "check plant.glb --json");
    assert_eq!(found["geometry_unit"], serde_json::json!({ "unit": "m", "assumed": false }));
    // The scene that is shown is the one that init writes, and it leads to what was said of the
    // file.
    let shown = found["scene_file"].as_str().expect("a text");
    assert!(text.ends_with(shown) && text.contains("`clearsweep init plant.glb --out plant.toml` writes it"), "{text}");
    let (told, _) = expect(dir, "init plant.glb --out plant.toml", 0);
    assert!(
        told.contains("written  plant.toml") && told.contains("clearsweep run plant.toml --out plant.out"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(dir.join("plant.toml")).expect("written"), shown);
    let again = json(dir, "check plant.toml --json");
    for key in ["bodies", "pairs_possible", "sizes", "made_of", "within_m", "require_m", "meshes"] {
        assert_eq!(again[key], found[key], "{key}");
    }
    // The pipe runs through the beam. What touches by design overlaps by a rounding, and is no
    // clash.
    expect(dir, "run plant.toml --out plant.out --progress none", 3);
    let (told, _) = expect(dir, "summary plant.out", 0);
    assert!(told.contains("VIOLATED by 1 pair"), "{told}");
    assert!(told.contains("157.494 mm deep: plant/steel/beam-1 and plant/piping/line-200"), "{told}");
    // What is shown is for the folder in which one stands.
    fs::create_dir(dir.join("below")).expect("made");
    let below = json(&dir.join("below"), "check ../plant.glb --json");
    assert!(below["scene_file"].as_str().is_some_and(|text| text.contains("geometry = \"../plant.glb\"")), "{below}");
    // --within and --require hold as they do for a scene.
    let wider = json(dir, "check plant.glb --json --require 50mm");
    assert_eq!((&wider["require_m"], &wider["within_from_require"]), (&0.05.into(), &true.into()));
}

#[test]
fn what_comments_propose_can_be_written() {
    let dir = folder();
    let dir = dir.path();
    for (file, rule) in [("plant.glb", "group:plant/"), ("cubes.obj", "left against right")] {
        expect(dir, &format!("init {file} --out s.toml --force"), 0);
        let text = fs::read_to_string(dir.join("s.toml")).expect("written");
        let is_toml =
            |line: &str| line.starts_with('[') || line.split(" = ").next().is_some_and(|key| !key.contains(' '));
        let open = |line: &str| match line.strip_prefix("# ") {
            Some(toml) if is_toml(toml) && !toml.starts_with("clearsweep") => toml.to_owned(),
            _ => line.to_owned(),
        };
        let mut lines: Vec<String> = text.lines().map(open).collect();
        // In the file of cubes z is up, and nothing else is left if both are excluded.
        lines.retain(|line| !(line.starts_with("exclude") || line.starts_with("up") && file == "cubes.obj"));
        fs::write(dir.join("s.toml"), lines.join("\n")).expect("written");
        let (found, _) = expect(dir, "check s.toml", 0);
        assert!(found.contains("rows within 200 mm") && found.contains(rule) && found.contains("service: "), "{found}");
    }
}

#[test]
fn an_existing_file_is_replaced_only_on_request() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("plant.toml"), "mine").expect("written");
    let (_, error) = expect(dir, "init plant.glb --out plant.toml", 1);
    assert!(error.contains("plant.toml: exists already") && error.contains("--force"), "{error}");
    assert_eq!(fs::read_to_string(dir.join("plant.toml")).expect("there"), "mine");
    expect(dir, "init plant.glb --out plant.toml --force", 0);
    assert_ne!(fs::read_to_string(dir.join("plant.toml")).expect("there"), "mine");
    // The scene finds the geometry from where it lies.
    for (file, out, path) in
        [("plant.glb", "scenes/a/plant.toml", "../../plant.glb"), ("./scenes/../cubes.obj", "cubes.toml", "cubes.obj")]
    {
        let written = json(dir, &format!("init {file} --out {out} --json"));
        assert!(
            written["written"] == out
                && written["scene_file"].as_str().is_some_and(|text| text.contains(&format!("geometry = \"{path}\""))),
            "{written}"
        );
        expect(dir, &format!("check {out}"), 0);
    }
}

#[test]
fn a_unit_that_the_file_does_not_name_is_told() {
    let dir = folder();
    let dir = dir.path();
    let (text, _) = expect(dir, "check cubes.obj", 0);
    assert!(text.contains("is taken to be in mm, as .obj names no unit"), "{text}");
    assert!(text.contains("sizes") && text.contains("1 mm (left) to 1 mm (right)"), "{text}");
    let found = json(dir, "check cubes.obj --unit in --json");
    assert_eq!(found["geometry_unit"], serde_json::json!({ "unit": "in", "assumed": false }));
    assert!((found["sizes"][0]["size_m"].as_f64().expect("a length") - 0.0254).abs() < 1e-15, "{found}");
    expect(dir, "init cubes.obj --unit in --out cubes.toml", 0);
    expect(dir, "run cubes.toml --out o --progress none", 3);
    let rows = expect(dir, "export o --csv --table pairs --to -", 0).0;
    let row: Vec<&str> = rows.lines().nth(1).expect("a row").split(',').collect();
    let at = rows.lines().next().and_then(|names| names.split(',').position(|name| name == "min_distance_m"));
    let depth: f64 = row[at.expect("the column")].parse().expect("a number");
    assert!((depth + 0.25 * 0.0254).abs() < 1e-12, "{rows}");
}

#[test]
fn a_file_of_one_body_has_a_scene_to_which_others_are_added() {
    let dir = folder();
    let dir = dir.path();
    let cube = two_cubes();
    let (left, _) = cube.split_once("o right").expect("two objects");
    fs::write(dir.join("cube.obj"), left).expect("written");
    fs::write(dir.join("t.stl"), "solid t\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid t\n").expect("written");
    for file in ["cube.obj", "t.stl"] {
        let (text, _) = expect(dir, &format!("check {file}"), 0);
        assert!(text.contains("One body is no pair") && text.contains("0 possible"), "{text}");
        // Something is required, and nothing was there to be checked.
        expect(dir, &format!("init {file} --out one.toml --force"), 0);
        expect(dir, "run one.toml --out one --force --progress none", 2);
    }
    let scene = fs::read_to_string(dir.join("one.toml")).expect("written");
    fs::write(dir.join("one.toml"), scene + "[[bodies]]\ngeometry = \"cubes.obj\"\neach = \"object\"\n")
        .expect("written");
    expect(dir, "run one.toml --out one --force --progress none", 3);
}

#[test]
fn what_is_no_geometry_is_told() {
    let dir = folder();
    let dir = dir.path();
    fs::write(dir.join("s.toml"), "[scene]\n").expect("written");
    fs::write(dir.join("bad.obj"), "v 1 2\n").expect("written");
    for (args, code, parts) in [
        ("init s.toml --out t.toml", 1, ["s.toml: `.toml` is no known geometry type", "convert the file"]),
        ("init plant.step --out t.toml", 1, ["`.step` is no known geometry type", "convert the file"]),
        ("init gone.glb --out t.toml", 1, ["gone.glb", "cannot be read"]),
        ("init bad.obj --out t.toml", 1, ["bad.obj:1", "help:"]),
        ("init plant.glb --out cubes.obj --force", 2, ["`cubes.obj` is the name of a geometry file", "scene.toml"]),
        ("check s.toml --unit mm", 2, ["--unit: is the unit of a geometry file", "`length_unit`"]),
        (
            "run plant.glb --out o",
            1,
            ["plant.glb: is a geometry file, and no scene", "clearsweep init plant.glb --out"],
        ),
        ("check plant.glb --trajectories cubes.obj", 2, ["every body of the scene is static", "help:"]),
    ] {
        let (_, error) = expect(dir, args, code);
        for part in parts {
            assert!(error.contains(part), "{args}: `{part}` is not in: {error}");
        }
        assert!(!dir.join("t.toml").exists() && !dir.join("o").exists(), "{args}");
    }
    assert_eq!(fs::read_to_string(dir.join("cubes.obj")).expect("there"), two_cubes());
}
