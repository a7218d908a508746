//! Issues say how bodies clash, and where and how much they overlap.

use super::rules::{expect, number, rows};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Bodies that overlap in known ways: a pin in a plate, a nut in a block, a ball in the side of the
/// block, parts that are there twice, at rest and moving, and a sleeve as a mesh through which a
/// rod goes.
fn scene(dir: &Path) {
    let fixed = |name: &str, shape: &str, at: [f64; 3]| {
        format!("[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}\nstatic = true\nposition = {at:?}\n")
    };
    let mut text = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 0.05\nrequire = 0.01\nstatic_pairs = true\n\
        [report]\ngroup = \"pair\"\n"
        .to_owned();
    text += &fixed("plate", "box = [2.0, 2.0, 0.2]", [1e5, 0.0, 0.0]);
    text += &fixed("pin", "box = [0.25, 0.25, 1.0]", [1e5 + 0.5, 0.5, 0.0]);
    text += &fixed("block", "box = [1.0, 1.0, 1.0]", [1e5, 5.0, 0.0]);
    text += &fixed("nut", "box = [0.5, 0.5, 0.5]", [1e5, 5.0, 0.0]);
    text += &fixed("ball", "sphere = 0.2", [1e5 + 0.5, 5.0, 0.0]);
    text += &fixed("twin", "cylinder = [0.2, 0.4, 12]", [1e5, -5.0, 0.0]);
    text += &fixed("twin again", "cylinder = [0.2, 0.4, 12]", [1e5, -5.0, 5e-7]);
    text += "[[body]]\nname = \"cart\"\nshape = { box = [0.3, 0.3, 0.3] }\n";
    text += "[[body]]\nname = \"cart again\"\nshape = { box = [0.3, 0.3, 0.3] }\n";
    text += "[[body]]\nname = \"sheet\"\ngeometry = \"sheet.obj\"\nstatic = true\nposition = [1e5, 10.0, 0.0]\ninside = \"surface\"\n";
    text += &fixed("rod", "box = [0.1, 0.1, 2.0]", [1e5, 10.0, 0.0]);
    text += &fixed("thick", "box = [0.2, 0.2, 0.2]", [1e5, 15.0, 0.0]).replace("static", "deviation = 0.001\nstatic");
    text += &fixed("thin", "box = [0.1, 0.1, 0.5]", [1e5, 15.0, 0.0]);
    fs::write(dir.join("scene.toml"), text).expect("written");
    fs::write(dir.join("sheet.obj"), "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3\nf 1 3 4\n").expect("written");
    let mut t = "frame,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    for frame in 0..4 {
        // They part in the last frame.
        let x = 1e5 + 0.1 * f64::from(frame);
        let other = if frame == 3 { 100.0 } else { -20.0 };
        t += &format!("{frame},cart,{x},-20,0,1,0,0,0\n{frame},cart again,{x},{other},0,1,0,0,0\n");
    }
    fs::write(dir.join("t.csv"), t).expect("written");
}

#[test]
fn kinds_boxes_and_volumes_are_those_of_the_bodies() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    scene(dir);
    expect(dir, "run scene.toml --out out", 3);
    let issues = rows(&dir.join("out/issues.parquet"));
    let of = |group: &str| -> &BTreeMap<String, String> {
        issues.iter().find(|row| row["group"] == group).unwrap_or_else(|| panic!("{group}: {issues:#?}"))
    };
    let ball = 2.0 / 3.0 * std::f64::consts::PI * 0.008;
    for (group, kind, volume, relative) in [
        ("pin / plate", "crossing", 0.25 * 0.25 * 0.2, 1e-9),
        ("block / nut", "inside", 0.125, 1e-9),
        ("ball / block", "crossing", ball, 0.03),
        ("cart / cart again", "coincident", 0.027, 1e-9),
    ] {
        let row = of(group);
        assert_eq!(row["kind"], kind, "{row:?}");
        let [lower, upper] = ["volume_lower_m3", "volume_upper_m3"].map(|column| number(row, column));
        assert!(lower <= volume * (1.0 + 1e-6) && upper >= volume * (1.0 - 1e-6), "{group}: {lower} {upper}");
        assert!(upper - lower <= relative * volume + 1e-13 * 1e5, "{group}: {lower} {upper}");
    }
    let pin = of("pin / plate");
    for (column, expected) in
        [("box_min_x", 1e5 + 0.375), ("box_max_y", 0.625), ("box_min_z", -0.1), ("box_max_z", 0.1)]
    {
        assert!((number(pin, column) - expected).abs() < 1e-9, "{column}: {pin:?}");
    }
    assert_eq!(of("twin / twin again")["kind"], "coincident");
    assert_eq!(of("twin / twin again")["events"], "1");
    // What is there twice comes first.
    assert!(issues[..2].iter().all(|row| row["kind"] == "coincident") && issues.len() > 6, "{issues:#?}");
    // A sheet has no inside, and of what is known up to a deviation nothing is said.
    let sheet = of("rod / sheet");
    assert_eq!((sheet["kind"].as_str(), sheet["volume_upper_m3"].as_str()), ("crossing", "null"), "{sheet:?}");
    assert!(number(sheet, "box_max_x") - number(sheet, "box_min_x") < 0.11);
    let thick = of("thick / thin");
    assert_eq!((thick["volume_lower_m3"].as_str(), thick["box_min_x"].as_str()), ("null", "null"), "{thick:?}");
    // The same bytes for any number of threads.
    let tables = |out: &str| fs::read(dir.join(out).join("issues.parquet")).expect("read");
    expect(dir, "run scene.toml --out one --threads 1", 3);
    assert!(tables("out") == tables("one"));
    let events = rows(&dir.join("out/events.parquet"));
    let carts: Vec<_> = events.iter().filter(|row| row["body_a"] == "cart" && row["body_b"] == "cart again").collect();
    assert!(carts.len() == 1 && carts[0]["kind"] == "coincident" && carts[0]["end_frame"] == "2", "{carts:?}");
}
