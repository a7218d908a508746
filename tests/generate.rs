//! The generated plant and Monte Carlo sweep: what they promise, what runs on them find, and the README's two lines.

use clearsweep::bench_support::scene::{Model, Motion, Scene, SceneOverrides};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Runs the program in a folder; its output, if it ends with this code.
fn expect(dir: &Path, args: &str, code: i32) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_clearsweep"))
        .args(args.split(' '))
        .current_dir(dir)
        .output()
        .expect("the program starts");
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "clearsweep {args}\n{out}{err}");
    out
}

fn summary(dir: &Path, args: &str, code: i32) -> Value {
    serde_json::from_str(&expect(dir, &format!("{args} --json"), code)).expect("JSON")
}

/// Every file of a data set, by its path there.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(dir).expect("below").to_owned(), fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

#[test]
fn generators_repeat_and_their_seeds_matter() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    for (name, args) in [("pipe-rack", "--frames 30 --seed 5"), ("separation", "--runs 4 --frames 30 --seed 5")] {
        for copy in ["1", "2"] {
            expect(dir, &format!("generate {name} --out {name}-{copy} {args}"), 0);
        }
        let first = files(&dir.join(format!("{name}-1")));
        assert!(first.len() > 5 && first == files(&dir.join(format!("{name}-2"))), "{name}: the same bytes");
        expect(dir, &format!("generate {name} --out {name}-3 {}", args.replace("seed 5", "seed 6")), 0);
        assert!(first != files(&dir.join(format!("{name}-3"))), "{name}: the seed matters");
        expect(dir, &format!("generate {name} --out {name}-1 {args}"), 1);
        expect(dir, &format!("check {name}-1/scene.toml"), 0);
        expect(dir, &format!("generate {name} --out none --frames 0"), 2);
        assert!(!dir.join("none").exists(), "nothing is left of what was refused");
    }
}

/// A plant of a few frames, loaded.
fn plant(dir: &Path) -> Scene {
    expect(dir, "generate pipe-rack --out plant --frames 3", 0);
    Scene::load(&dir.join("plant/scene.toml"), &SceneOverrides::default()).expect("a scene")
}

#[test]
fn the_plant_has_what_it_promises() {
    let dir = tempfile::tempdir().expect("scratch");
    let scene = plant(dir.path());
    let at_rest: Vec<_> = scene.bodies.iter().filter(|body| matches!(body.motion, Motion::Static(_))).collect();
    assert!((390..=450).contains(&at_rest.len()), "about 400 parts: {}", at_rest.len());
    assert_eq!(scene.bodies.len() - at_rest.len(), 10);
    let of = |group: &str| at_rest.iter().filter(|body| body.groups.iter().any(|name| name == group)).count();
    for (group, least) in [
        ("pipes", 80),
        ("elbows", 20),
        ("tees", 12),
        ("flanges", 70),
        ("valves", 12),
        ("supports", 30),
        ("steel", 50),
        ("trays", 20),
        ("equipment", 25),
        ("road", 10),
        ("pumps", 2),
    ] {
        assert!(of(group) >= least, "{group}: {}", of(group));
    }
    let insulated = at_rest.iter().filter(|body| body.shape.hull().radius > 0.0 && body.shape.vertices > 2).count();
    assert!(insulated > 50, "insulation is an offset: {insulated}");
    // Geometry is shared: few shapes of several pieces for many bodies.
    let pieces: Vec<_> = scene.bodies.iter().filter(|body| body.shape.model == Model::Pieces).collect();
    let mut shapes: Vec<_> = pieces.iter().map(|body| Arc::as_ptr(&body.shape)).collect();
    shapes.sort_unstable();
    shapes.dedup();
    assert!(pieces.len() > 140 && shapes.len() * 3 < pieces.len(), "{} bodies, {} shapes", pieces.len(), shapes.len());
    // Objects, solids and nodes are pieces, whatever the format.
    for (name, count) in [("UA-101-1-E1", 6), ("UA-101-1-V1", 18), ("UA-101-T1", 2), ("P-101B", 11), ("P-101A", 11)] {
        let body = scene.bodies.iter().find(|body| body.name == name).expect(name);
        assert_eq!(body.shape.pieces.len(), count, "{name}");
    }
}

#[test]
fn the_plant_at_rest_is_free_of_clashes() {
    let dir = tempfile::tempdir().expect("scratch");
    plant(dir.path());
    let path = dir.path().join("plant/scene.toml");
    let text = fs::read_to_string(&path).expect("a scene");
    let changed = text.replace("within = 500 ", "within = 1\nstatic_pairs = true\n#");
    assert_ne!(text, changed);
    fs::write(&path, changed).expect("written");
    // What touches by design is ignored, with reasons; nothing else comes within a millimetre.
    let found = summary(dir.path(), "run plant/scene.toml --out out --frames 0..1", 0);
    assert_eq!(found["rows"], 0, "{found}");
    assert!(found["pairs_possible"].as_u64() > Some(80_000) && found["pairs_ignored"].as_u64() > Some(30_000));
    // Without the rules there are many contacts: the check is not blind.
    let text = fs::read_to_string(&path).expect("a scene");
    let rules = text.find("[[ignore]]").expect("rules");
    fs::write(&path, &text[..rules]).expect("written");
    let found = summary(dir.path(), "run plant/scene.toml --out all --frames 0..1", 0);
    assert!(found["rows"].as_u64() > Some(500), "{found}");
}

#[test]
fn what_moves_in_the_plant_passes_closely_and_never_collides() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    for seed in 1..=6 {
        expect(dir, &format!("generate pipe-rack --out p{seed} --frames 1000 --seed {seed}"), 0);
        let found = summary(dir, &format!("run p{seed}/scene.toml --out o{seed} --require 50mm"), 3);
        let status = &found["rows_by_status"];
        assert_eq!([&status["penetrating"], &status["touching"]], [&Value::from(0), &0.into()], "seed {seed}: {found}");
        assert!(found["rows"].as_u64() > Some(2000), "seed {seed}: {found}");
        let nearest = found["worst"]["distance_m"].as_f64().expect("a distance");
        assert!((0.005..0.045).contains(&nearest), "seed {seed}: {nearest}");
    }
}

#[test]
fn a_few_percent_of_the_separations_violate() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    expect(dir, "generate separation --out s --runs 300 --frames 100", 0);
    let found = summary(dir, "run s/scene.toml --out o --require 50mm", 3);
    assert_eq!([&found["runs"], &found["frames"]], [&Value::from(300), &30_000.into()]);
    let [rows, violated] = ["rows", "violated"].map(|key| found[key].as_u64().expect("a count"));
    // A run near enough to violate does so for some frames: few of the frames, and not none.
    assert!(rows > 1000 && violated > 10 && violated < 1000, "{found}");
    assert_eq!(found["uncertified"], 0);
}

#[test]
fn a_run_does_not_depend_on_how_many_there_are() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    for runs in [3, 9] {
        expect(dir, &format!("generate separation --out s{runs} --runs {runs} --frames 40"), 0);
        summary(dir, &format!("run s{runs}/scene.toml --out o{runs} --runs 2..3"), 0);
    }
    let table = |runs: u32| fs::read(dir.join(format!("o{runs}/distances/part-00000.parquet"))).expect("a table");
    assert_eq!(table(3), table(9));
}

/// The command of README.md behind a mark, with other places for the program and its output.
fn readme(mark: &str, out: &Path) -> String {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("README.md");
    let after = text.split(&format!("<!-- ci: {mark} -->\n```sh\n")).nth(1).expect("a marked block");
    let command = after.split("\n```").next().expect("a command");
    let args = command.strip_prefix("cargo run --release --locked -- ").expect("a command of the program");
    args.replace("out/pipe-rack", &out.display().to_string())
}

#[test]
fn the_lines_of_the_readme_end_with_0_and_3() {
    let dir = tempfile::tempdir().expect("scratch");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = dir.path().join("out");
    let first = expect(root, &readme("main-job", &out), 0);
    assert!(first.contains("442 bodies, 10 of them moving") && !first.contains("penetrating"), "{first}");
    let second = expect(root, &readme("violations", &out), 3);
    assert!(second.contains("VIOLATED"), "{second}");
}
