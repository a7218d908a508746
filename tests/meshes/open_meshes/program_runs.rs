//! Reports of the program on open meshes: rows, words, verdict and exit codes.

use crate::program::expect;
use clearsweep_testing::folder::tables;
use clearsweep_testing::solids::Solid;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A block of side 4 of which one triangle is missing, and what stands or moves in its middle.
fn plant(query: &str, keys: &str, rest: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let tank = Solid::cuboid([2.0; 3], 3);
    let open = Solid { triangles: tank.triangles[1..].to_vec(), ..tank };
    fs::write(dir.path().join("tank.obj"), open.obj()).expect("written");
    let scene = format!(
        "[scene]\nlength_unit = \"m\"\n{rest}\n[query]\nwithin = 0.5\n{query}\n[[body]]\nname = \"tank\"\n\
         geometry = \"tank.obj\"\nstatic = true\n{keys}\n"
    );
    fs::write(dir.path().join("scene.toml"), scene).expect("written");
    dir
}

fn add(dir: &Path, text: &str) {
    let scene = fs::read_to_string(dir.join("scene.toml")).expect("read");
    fs::write(dir.join("scene.toml"), scene + text).expect("written");
}

const VALVE: &str = "[[body]]\nname = \"valve\"\nshape = { box = [1, 1, 1] }\nstatic = true\n";

fn manifest(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("o/manifest.json")).expect("read")).expect("JSON")
}

/// The cells of a column of a table.
fn column(dir: &Path, table: &str, name: &str) -> Vec<String> {
    let text = expect(dir, &format!("export o --csv --table {table} --to -"), 0).0;
    let mut lines = text.lines();
    let at = lines.next().expect("names").split(',').position(|column| column == name);
    let at = at.unwrap_or_else(|| panic!("no column {name}"));
    lines.map(|line| line.split(',').nth(at).expect("a cell").to_owned()).collect()
}

fn numbers(dir: &Path, table: &str, name: &str) -> Vec<f64> {
    column(dir, table, name).iter().map(|cell| cell.parse().expect("a number")).collect()
}

/// Words without line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_body_inside_of_an_open_mesh_is_undecided_and_named() {
    let dir = plant("require = \"50mm\"", "", "");
    let dir = dir.path();
    add(dir, VALVE);
    let (text, err) = expect(dir, "run scene.toml --out o", 0);
    let (text, err) = (flat(&text), flat(&err));
    let told = "1 mesh is not closed; 1 pair NOT DECIDED, as one body lies inside: tank and valve";
    assert!(text.contains(told) && text.contains("1 row undecided"), "{text}");
    assert!(text.contains("mm deep to 1500") && text.contains(" mm apart: not decided: tank and valve"), "{text}");
    assert!(err.contains("warning: tank: not closed") && err.contains("1 pair is undecided: tank and valve"), "{err}");
    assert!(err.contains("inside = \"surface\""), "{err}");
    assert!(flat(&expect(dir, "summary o", 0).0).contains(told));

    assert_eq!(column(dir, "distances", "method"), ["winding"]);
    assert_eq!(column(dir, "distances", "status"), ["penetrating"]);
    let [lower, upper] = ["lower_m", "upper_m"].map(|name| numbers(dir, "distances", name)[0]);
    assert!((lower + 2.5).abs() < 1e-9 && (upper - 1.5).abs() < 1e-9, "{lower} .. {upper}");
    let [low, high] = ["depth_lower_m", "depth_upper_m"].map(|name| numbers(dir, "penetrations", name)[0]);
    assert!(low == 0.0 && high >= 2.5, "{low} .. {high}");
    assert_eq!(column(dir, "bodies", "inside"), ["winding", "solid"]);

    let manifest = manifest(dir);
    let summary = &manifest["summary"];
    assert_eq!((&summary["verdict"], &summary["undecided"]), (&"undecided".into(), &1.into()));
    let open = &summary["open_meshes"];
    assert_eq!([&open["bodies"], &open["pairs"], &open["rows"]], [&Value::from(1), &1.into(), &1.into()]);
    let pair = &open["winding_pairs"][0];
    assert_eq!((&pair["body_a"], &pair["body_b"]), (&"tank".into(), &"valve".into()));
    let warning = &manifest["warnings"][0];
    assert_eq!((&warning["kind"], &warning["bodies"][0]), (&"open".into(), &"tank".into()));
    let json: Value = serde_json::from_str(&expect(dir, "run scene.toml --out j --json", 0).0).expect("JSON");
    assert_eq!(json["open_meshes"], *open);

    // Nearer than the requirement either way: that is a violation.
    let (text, _) = expect(dir, "run scene.toml --out v --within 3 --require 2", 3);
    assert!(text.contains("VIOLATED by 1 pair"), "{text}");
    let check = flat(&expect(dir, "check scene.toml", 0).0);
    assert!(check.contains("1 of 2 bodies: exact triangles, 107 in 1 mesh; 0 solid, 1 not closed"), "{check}");
    assert!(check.contains("the winding number decides what lies inside"), "{check}");
}

#[test]
fn an_open_mesh_with_nothing_inside_is_told_in_a_line() {
    let dir = plant("require = 0.05", "", "");
    let dir = dir.path();
    add(dir, &format!("{VALVE}position = [2.75, 0, 0]\n"));
    let (text, err) = expect(dir, "run scene.toml --out o", 0);
    assert!(flat(&text).contains("1 mesh is not closed; by the winding number nothing lies inside"), "{text}");
    assert!(flat(&err).contains("tank: not closed: by the winding number nothing lies inside"));
    let manifest = manifest(dir);
    assert_eq!(manifest["summary"]["verdict"], "clear");
    assert_eq!(manifest["summary"]["open_meshes"]["pairs"], 0);
    assert_eq!(column(dir, "distances", "method"), ["mesh"]);
    assert!((numbers(dir, "distances", "distance_m")[0] - 0.25).abs() < 1e-12);
}

#[test]
fn a_sheet_holds_nothing_and_is_not_warned_of() {
    let dir = plant("require = 0.05", "inside = \"surface\"", "");
    let dir = dir.path();
    add(dir, VALVE);
    let (text, err) = expect(dir, "run scene.toml --out o", 0);
    assert!(!err.contains("warning") && !text.contains("not closed"), "{text} {err}");
    let manifest = manifest(dir);
    assert_eq!(manifest["summary"]["verdict"], "clear");
    assert_eq!((&manifest["summary"]["open_meshes"], &manifest["summary"]["rows"]), (&Value::Null, &0.into()));
    assert_eq!(column(dir, "bodies", "inside"), ["surface", "solid"]);
    assert_eq!(column(dir, "bodies", "solid"), ["false", ""]);
    let check = flat(&expect(dir, "check scene.toml", 0).0);
    assert!(check.contains("0 solid, 1 of sheet") && !check.contains("warning: tank"), "{check}");
}

#[test]
fn the_key_may_stand_in_sections_and_tables_and_contradictions_are_refused() {
    let dir = plant("", "", "");
    let dir = dir.path();
    fs::write(dir.join("box.obj"), Solid::cuboid([1.0; 3], 1).obj()).expect("written");
    let scene = |rest: &str| {
        let text = format!("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n{rest}");
        fs::write(dir.join("s.toml"), text).expect("written");
    };
    let table =
        "body,geometry,model,inside\na,tank.obj,,\nb,tank.obj,mesh,winding\nc,box.obj,hull,\nd,box.obj,,solid\n";
    fs::write(dir.join("t.csv"), table).expect("written");
    scene("[[bodies]]\ntable = \"t.csv\"\ninside = \"surface\"\nstatic = true\n");
    expect(dir, "run s.toml --out o", 0);
    assert_eq!(column(dir, "bodies", "inside"), ["surface", "winding", "solid", "solid"]);
    assert_eq!(column(dir, "bodies", "model"), ["mesh", "mesh", "hull", "hull"]);

    scene("[[bodies]]\ngeometry = \"tank.obj\"\neach = \"component\"\ninside = \"surface\"\nstatic = true\n");
    expect(dir, "run s.toml --out o --force", 0);
    assert_eq!(column(dir, "bodies", "inside"), ["surface"]);

    let body = |keys: &str| format!("[[body]]\nname = \"a\"\nstatic = true\n{keys}\n");
    let wrong = [
        ("geometry = \"tank.obj\"\ninside = \"hollow\"", "surface"),
        ("geometry = \"tank.obj\"\ninside = 3", "inside"),
        ("geometry = \"tank.obj\"\nmodel = \"hull\"\ninside = \"surface\"", "model = \"hull\" is solid"),
        ("geometry = \"tank.obj\"\nmodel = \"hull\"\ninside = \"winding\"", "model = \"hull\" is solid"),
        ("geometry = \"tank.obj\"\ninside = \"solid\"", "do not close up: 3 edges have one triangle"),
        ("shape = { sphere = 1 }\ninside = \"surface\"", "a shape is solid"),
    ];
    for (keys, told) in wrong {
        scene(&body(keys));
        let err = flat(&expect(dir, "check s.toml", 1).1);
        assert!(err.contains(told) && err.contains("help:") && err.contains("s.toml"), "{keys}: {err}");
    }
    fs::write(dir.join("t.csv"), "body,geometry,model,inside\na,tank.obj,hull,surface\n").expect("written");
    scene("[[bodies]]\ntable = \"t.csv\"\nstatic = true\n");
    let err = flat(&expect(dir, "check s.toml", 1).1);
    assert!(err.contains("t.csv") && err.contains("is solid"), "{err}");
}

/// Poses of `ball` along z, a frame each, as CSV.
fn along_z(dir: &Path, heights: &[f64]) {
    let mut text = "frame,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    for (frame, z) in heights.iter().enumerate() {
        let _ = writeln!(text, "{frame},ball,0,0,{z:?},1,0,0,0");
    }
    fs::write(dir.join("t.csv"), text).expect("written");
}

/// A box of side 4 without its lid, and a ball that goes down into it and out again, far from all
/// sides.
fn tray(query: &str, motion: &str, heights: &[f64]) -> TempDir {
    let dir = plant(query, "", "trajectories = \"t.csv\"");
    let tray = Solid::cuboid([2.0; 3], 4).without(|t| t.iter().all(|p| p[2] == 2.0));
    fs::write(dir.path().join("tank.obj"), tray.obj()).expect("written");
    add(dir.path(), &format!("[[body]]\nname = \"ball\"\nshape = {{ sphere = 0.1 }}\n{motion}"));
    along_z(dir.path(), heights);
    dir
}

#[test]
fn what_comes_in_through_a_hole_is_found_in_every_frame() {
    // By 0.02 m a frame from above the mouth down to the middle and back, never within 1 m of a
    // side.
    let down: Vec<f64> = (0..200).map(|k| 4.0 - 0.02 * f64::from(k)).collect();
    let heights: Vec<f64> = down.iter().chain(down.iter().rev()).copied().collect();
    let dir = tray("require = 0.05", "", &heights);
    let dir = dir.path();
    expect(dir, "run scene.toml --out o --threads 1", 0);
    let frames = column(dir, "distances", "frame");
    assert!(column(dir, "distances", "method").iter().all(|method| method == "winding"));
    // By the solid angle of the square mouth: the box winds around a point at a depth d below it by
    // 1 - angle / 4 pi.
    let inside = |z: f64| {
        let depth = 2.0 - z;
        depth >= 0.0
            && 4.0 * (4.0 / (depth * (depth * depth + 8.0).sqrt())).atan() / (4.0 * std::f64::consts::PI) <= 0.5
    };
    let expected: Vec<String> =
        heights.iter().enumerate().filter(|(_, z)| inside(**z)).map(|(k, _)| k.to_string()).collect();
    assert_eq!(frames, expected);
    assert!(frames.len() > 150 && frames.len() < 250, "{}", frames.len());
    let summary = &manifest(dir)["summary"];
    assert_eq!((&summary["open_meshes"]["pairs"], &summary["verdict"]), (&1.into(), &"undecided".into()));
    assert_eq!(summary["undecided"], frames.len());

    // Whatever the threads, the memory and the way to search.
    let whole = tables(&dir.join("o"));
    for (k, more) in ["--threads 2", "--memory 32MB --threads 3", "--narrow gjk --broad brute"].iter().enumerate() {
        expect(dir, &format!("run scene.toml --out o{k} {more}"), 0);
        assert!(tables(&dir.join(format!("o{k}"))) == whole, "{more}");
    }
    // And each frame by itself.
    for frame in [100, 101, 150, 199, 260, 299, 300] {
        expect(dir, &format!("run scene.toml --out o --force --frames {frame}"), 0);
        assert_eq!(!column(dir, "distances", "frame").is_empty(), expected.contains(&frame.to_string()), "{frame}");
    }
}

#[test]
fn between_frames_inside_of_an_open_mesh_nothing_is_clear() {
    let motion = "[motion]\nbetween = \"linear\"\n";
    let dir = tray("require = 0.05", motion, &[6.0, 5.5, 1.0, 0.5, 0.0, 0.4, 5.5, 6.0]);
    let dir = dir.path();
    expect(dir, "run scene.toml --out o", 4);
    assert_eq!(column(dir, "intervals", "frame"), ["1", "2", "3", "4", "5"]);
    assert!(column(dir, "intervals", "status").iter().all(|status| status == "undecided"));
    let lower = numbers(dir, "intervals", "lower_m");
    let upper = numbers(dir, "intervals", "upper_m");
    assert!(lower.iter().all(|lower| *lower < 0.0) && upper.iter().all(|upper| *upper > 1.0), "{lower:?} {upper:?}");
    // The lower end of an interval is no higher than that of the rows at its ends.
    let rows: Vec<f64> = numbers(dir, "distances", "lower_m");
    assert_eq!(column(dir, "distances", "frame"), ["2", "3", "4", "5"]);
    for (k, lower) in lower.iter().enumerate() {
        let ends = [k.checked_sub(1), (k < rows.len()).then_some(k)];
        assert!(ends.iter().flatten().all(|&end| *lower <= rows[end]), "{k}: {lower} {rows:?}");
    }
    for between in ["screw", "hold"] {
        expect(dir, &format!("run scene.toml --out o --force --between {between}"), 4);
        assert!(column(dir, "intervals", "status").iter().all(|status| status == "undecided"), "{between}");
    }
}
