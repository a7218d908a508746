//! Scenes as people write them: lengths with units, orientations of every form, and names that are
//! nearly right.

use clearsweep::Error;
use clearsweep_geometry::Vec3;
use clearsweep_scene::{Motion, Scene, SceneOverrides};
use std::fs;
use std::path::Path;

fn load(folder: &Path, text: &str) -> Result<Scene, Error> {
    let path = folder.join("scene.toml");
    fs::write(&path, text).expect("a scene");
    clearsweep_scene::load_scene(&path, &SceneOverrides::default())
}

fn good(folder: &Path, text: &str) -> Scene {
    load(folder, text).unwrap_or_else(|error| panic!("{error}: {}\n{text}", error.remedy))
}

/// The error of a scene, with its remedy.
fn wrong(folder: &Path, text: &str) -> String {
    let error = load(folder, text).err().unwrap_or_else(|| panic!("no error:\n{text}"));
    format!("{error} ({})", error.remedy)
}

fn body(name: &str, keys: &str) -> String {
    format!("[[body]]\nname = \"{name}\"\nstatic = true\n{keys}\n")
}

#[test]
fn every_length_may_carry_a_unit() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("plain.csv"), "body,shape,offset,x,y,z\nt,{ sphere = 7 },30,1500,-2,1e3\n")
        .expect("a table");
    fs::write(
        folder.path().join("units.csv"),
        "body,shape,offset,x,y,z\nt,{ sphere = \"0.7 cm\" },3cm,1.5m,-2,\" 1000 mm\"\n",
    )
    .expect("a table");
    let scene = |lengths: [&str; 12], table: &str| {
        let [within, require, touch, offset, x, a, b, c, r, h, p, s] = lengths;
        let text = format!(
            "[scene]\nlength_unit = \"mm\"\n[query]\nwithin = {within}\nrequire = {require}\ntouch = {touch}\n{}{}{}{}{}\
             [[bodies]]\ntable = \"{table}\"\nstatic = true\n",
            body("box", &format!("shape = {{ box = [{a}, {b}, {c}] }}\noffset = {offset}\nposition = [{x}, 0, -1.5]")),
            body("ball", &format!("shape = {{ sphere = {s} }}")),
            body("capsule", &format!("shape = {{ capsule = [{r}, {h}] }}")),
            body("cylinder", &format!("shape = {{ cylinder = [{r}, {h}, 12] }}")),
            body("points", &format!("shape = {{ points = [[0.0, 0.0, 0.0], [{p}, 0, 1.5], [0, 1, {p}], [1, 1, 5]] }}")),
        );
        good(folder.path(), &text)
    };
    let plain = scene(["250", "50", "0.5", "30", "1500", "400", "25.4", "200", "10", "304.8", "12", "3"], "plain.csv");
    let units = [
        "\"25cm\"",
        "\"0.05 m\"",
        "\"0.5\"",
        "\"3cm\"",
        "\"1.5m\"",
        "\"40 cm\"",
        "\"1in\"",
        "200",
        "\"1cm\"",
        "\"1ft\"",
        "\"1.2cm\"",
        "\"3mm\"",
    ];
    let units = scene(units, "units.csv");
    assert_eq!((plain.query.within, plain.query.require, plain.query.touch), (0.25, Some(0.05), 0.0005));
    assert_eq!(plain.query, units.query);
    assert_eq!(plain.bodies.len(), 6);
    for (a, b) in plain.bodies.iter().zip(&units.bodies) {
        let vertices = |body: &clearsweep::Body| {
            let core = &body.shape.pieces[0].core;
            [&core.x, &core.y, &core.z].map(|c| c.iter().map(|c| (c * 1e12).round()).collect::<Vec<_>>())
        };
        assert_eq!(vertices(a), vertices(b), "{}", a.name);
        assert!((a.shape.radius - b.shape.radius).abs() < 1e-15, "{}", a.name);
        assert_eq!(a.motion, b.motion, "{}", a.name);
    }
}

/// Returns the place of the point (1, 2, 3) of a body with this orientation.
fn turned(folder: &Path, orientation: &str) -> [f64; 3] {
    let keys = format!("shape = {{ sphere = 1 }}\norientation = {orientation}");
    let scene = good(folder, &format!("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n{}", body("a", &keys)));
    let Motion::Static(pose) = scene.bodies[0].motion else { panic!("the body is static") };
    let point = pose.apply(Vec3::new(1.0, 2.0, 3.0)).to_array();
    point.map(|c| (c * 1e12).round() / 1e12 + 0.0)
}

#[test]
fn an_orientation_may_be_written_in_every_usual_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ("{ qw = 1, qx = 0, qy = 0, qz = 0 }", [1.0, 2.0, 3.0]),
        ("{ rpy = [0, 0, 0] }", [1.0, 2.0, 3.0]),
        ("{ rpy = [90, 0, 0] }", [1.0, -3.0, 2.0]),
        ("{ rpy = [0, 90, 0] }", [3.0, 2.0, -1.0]),
        ("{ rpy = [0, 0, 90] }", [-2.0, 1.0, 3.0]),
        // About the fixed x first, then about the fixed z.
        ("{ rpy = [90, 0, 90] }", [3.0, 1.0, 2.0]),
        ("{ rpy = [\"90deg\", 0.0, \"1.5707963267948966 rad\"] }", [3.0, 1.0, 2.0]),
        ("{ axis = [0, 0, 2], angle = 90 }", [-2.0, 1.0, 3.0]),
        ("{ axis = [1, 1, 1], angle = 120 }", [3.0, 1.0, 2.0]),
        ("{ axis = [0, -1e300, 0], angle = \"-90deg\" }", [3.0, 2.0, -1.0]),
        ("{ matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]] }", [-2.0, 1.0, 3.0]),
        ("{ matrix = [[-1, 0, 0], [0, -1, 0], [0, 0, 1]] }", [-1.0, -2.0, 3.0]),
        ("{ matrix = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] }", [3.0, 1.0, 2.0]),
    ];
    for (orientation, expected) in cases {
        assert_eq!(turned(folder.path(), orientation), expected, "{orientation}");
    }
}

#[test]
fn what_is_no_orientation_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ("{}", &["orientation", "is empty", "rpy", "matrix"][..]),
        ("{ rpy = [0, 0, 0], qw = 1 }", &["several forms", "keep one"]),
        ("{ rpy = [0, 0] }", &["2 values instead of 3", "[roll, pitch, yaw]"]),
        ("{ rpy = [0, 0, \"north\"] }", &["`north` is not an angle", "degrees"]),
        ("{ axis = [0, 0, 1] }", &["`angle` is missing", "give both"]),
        ("{ axis = [0, 0, 0], angle = 3 }", &["no direction"]),
        ("{ axis = [0, 1], angle = 3 }", &["2 values instead of 3"]),
        ("{ matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1] }", &["9 values instead of 3", "three rows"]),
        ("{ matrix = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]] }", &["4 values instead of 3", "`position`"]),
        ("{ matrix = [[2, 0, 0], [0, 2, 0], [0, 0, 2]] }", &["length 2", "`scale`"]),
        ("{ matrix = [[1, 0, 0], [0.5, 0.866025, 0], [0, 0, 1]] }", &["not at right angles"]),
        ("{ matrix = [[-1, 0, 0], [0, 1, 0], [0, 0, 1]] }", &["mirrors", "determinant"]),
        ("{ roll = 3 }", &["unknown key `roll`", "rpy"]),
        ("[1, 0, 0, 0]", &["array instead of a table"]),
    ];
    for (orientation, parts) in cases {
        let keys = format!("shape = {{ sphere = 1 }}\norientation = {orientation}");
        let text = format!("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n{}", body("a", &keys));
        let error = wrong(folder.path(), &text);
        for part in parts.iter().chain(&["scene.toml:9"]) {
            assert!(error.contains(part), "{orientation}: `{part}` is missing in {error}");
        }
    }
}

#[test]
fn names_that_are_nearly_right_are_suggested() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("Duct-1.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n").expect("a file");
    let scene = |query: &str, rest: &str| {
        let sphere = body("Pump-1", "shape = { sphere = 1 }\ngroup = \"HVAC\"");
        format!("[scene]\nlength_unit = \"m\"\n[query]\n{query}\n{sphere}{rest}")
    };
    let cases = [
        (scene("Within = 1", ""), "did you mean `within`"),
        (scene("WITHIN = 1", ""), "did you mean `within`"),
        (scene("within = 1", "[[ignore]]\na = \"PUMP-1\"\n"), "did you mean `Pump-1`"),
        (scene("within = 1", "[[ignore]]\na = \"Pmp-1\"\n"), "did you mean `Pump-1`"),
        // Another number is another body, and no slip.
        (scene("within = 1", "[[ignore]]\na = \"Pump-2\"\n"), "give a body's exact name"),
        (scene("within = 1", "[[ignore]]\na = \"group:hvac\"\n"), "did you mean `group:HVAC`"),
        (scene("within = 1", &body("d", "geometry = \"duct-1.obj\"")), "did you mean `Duct-1.obj`"),
        (scene("within = 1", &body("d", "geometry = \"Dct-1.obj\"")), "did you mean `Duct-1.obj` in the same folder?"),
        (scene("within = 1", &body("d", "geometry = \"Duct-2.obj\"")), "check the path"),
        (scene("within = 1", &body("d", "geometry = \"pipe.obj\"")), "check the path"),
        (scene("within = 1", "[[bodies]]\ntable = \"parts.csv\"\n"), "check the path"),
    ];
    for (text, part) in cases {
        let error = wrong(folder.path(), &text);
        assert!(error.contains(part), "`{part}` is missing in {error}\n{text}");
    }
}

#[test]
fn other_separators_of_tables_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    for (csv, word) in [
        ("body;shape;x\na;{ sphere = 1 };1,5\n", "semicolons"),
        ("body\tshape\na\t{ sphere = 1 }\n", "tabs"),
        ("\"body\"|\"shape\"\na|b\n", "vertical bars"),
    ] {
        fs::write(folder.path().join("p.csv"), csv).expect("a table");
        let text = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n[[bodies]]\ntable = \"p.csv\"\nstatic = true\n";
        let error = wrong(folder.path(), text);
        assert!(error.contains("p.csv: its columns are separated by") && error.contains(word), "{error}");
    }
    fs::write(folder.path().join("p.csv"), "body,shape,x,y,z\na,{ sphere = 1 },5 furlong,0,0\n").expect("a table");
    let text = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n[[bodies]]\ntable = \"p.csv\"\nstatic = true\n";
    let error = wrong(folder.path(), text);
    assert!(error.contains("p.csv:2") && error.contains("`5 furlong`, which is not a length"), "{error}");
}
