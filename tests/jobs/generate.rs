//! The generated plant, Monte Carlo sweep, shop floor and grid: what they promise, what runs on
//! them find, and the README's two lines.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use clearsweep_scene::{Model, Motion, Scene, SceneOverrides};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use clearsweep_testing::folder::files;

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

#[test]
fn generators_repeat_and_their_seeds_matter() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    for (name, args) in [
        ("pipe-rack", "--frames 30 --seed 5"),
        ("separation", "--runs 4 --frames 30 --seed 5"),
        ("shop-floor", "--poses noisy --frames 30 --seed 5"),
        ("box-grid", "--bodies 20 --frames 3 --seed 5"),
        ("coins", "--bodies 5 --frames 9 --seed 5"),
        ("bowling", "--rate 60 --frames 200 --seed 5"),
        ("part-feeder", "--bodies 5 --rate 20 --frames 90 --seed 5"),
    ] {
        for copy in ["1", "2"] {
            expect(dir, &format!("generate {name} --out {name}-{copy} {args}"), 0);
        }
        let first = files(&dir.join(format!("{name}-1")));
        assert!(first.len() >= 2 && first == files(&dir.join(format!("{name}-2"))), "{name}: the same bytes");
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
    clearsweep_scene::load_scene(&dir.join("plant/scene.toml"), &SceneOverrides::default()).expect("a scene")
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

/// The poses of a data set in the order of its rows, by their bits.
fn poses(set: &Path) -> Vec<[u64; 7]> {
    let file = fs::File::open(set.join("trajectories.parquet")).expect("trajectories");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).and_then(|builder| builder.build()).expect("Parquet");
    let mut poses = Vec::new();
    for batch in reader {
        let batch = batch.expect("a batch");
        let columns = ["x", "y", "z", "qw", "qx", "qy", "qz"]
            .map(|name| batch.column_by_name(name).expect(name).as_primitive::<Float64Type>().values().clone());
        poses.extend((0..batch.num_rows()).map(|row| columns.each_ref().map(|column| column[row].to_bits())));
    }
    poses
}

/// For each box of a shop floor, how long it keeps every bit of its pose: the frames of each
/// stretch of several.
fn stands(poses: &[[u64; 7]]) -> [Vec<usize>; 6] {
    std::array::from_fn(|body| {
        let own: Vec<_> = poses.iter().skip(body).step_by(6).collect();
        own.chunk_by(|a, b| a == b).map(<[_]>::len).filter(|&frames| frames > 1).collect()
    })
}

#[test]
fn boxes_of_the_shop_floor_meet_and_two_of_them_stand_still() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let mut sets = Vec::new();
    for kind in ["aligned", "headings", "noisy"] {
        expect(dir, &format!("generate shop-floor --poses {kind} --out {kind} --seed 3"), 0);
        let poses = poses(&dir.join(kind));
        assert_eq!(poses.len(), 6 * 40_000);
        let [restless @ .., a, b] = stands(&poses);
        assert!(restless.iter().all(Vec::is_empty), "{kind}: {restless:?}");
        for stands in [a, b] {
            let frames: usize = stands.iter().sum();
            assert!((18_000..=21_000).contains(&frames), "{kind}: half of the time: {frames}");
            let (last, others) = stands.split_last().expect("stretches");
            assert!(others.iter().all(|frames| (690..=910).contains(frames)) && *last <= 910, "{kind}: {stands:?}");
        }
        let found = summary(dir, &format!("run {kind}/scene.toml --out {kind}-out"), 0);
        assert_eq!([&found["rows"], &found["uncertified"]], [&Value::from(15 * 40_000), &0.into()], "{kind}");
        let overlaps = found["rows_by_status"]["penetrating"].as_f64().expect("a count") / (15.0 * 40_000.0);
        assert!((0.03..0.1).contains(&overlaps), "{kind}: {overlaps}");
        sets.push(poses);
    }
    // The variants differ in what they say, and in nothing else.
    let [aligned, headings, noisy] = &sets[..] else { panic!("three sets") };
    let one = 1.0_f64.to_bits();
    assert!(aligned.iter().all(|pose| pose[2] == 0.25_f64.to_bits() && pose[3..] == [one, 0, 0, 0]));
    assert!(aligned.iter().zip(headings).all(|(a, b)| a[..3] == b[..3]));
    assert!(headings.iter().all(|pose| pose[4..6].iter().all(|&bits| f64::from_bits(bits) == 0.0)));
    for (body, least) in [(0, 40_000), (3, 40_000), (4, 19_000), (5, 19_000)] {
        let of = |poses: &[[u64; 7]]| poses.iter().skip(body).step_by(6).copied().collect::<Vec<_>>();
        let noise = of(headings).iter().zip(of(noisy)).filter(|(a, b)| *a != b).count();
        assert!((least..=least + 2000).contains(&noise), "box {body}: noise in {noise} frames");
    }
}

#[test]
fn every_box_of_the_grid_has_a_row_with_each_of_its_neighbours() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    expect(dir, "generate box-grid --out g", 0);
    let found = summary(dir, "run g/scene.toml --out o", 0);
    // Of 10 x 10 x 5 boxes, each with 26 neighbours but at the border.
    let pairs = (28 * 28 * 13 - 500) / 2;
    assert_eq!([&found["bodies"], &found["frames"], &found["rows"]], [500, 2, 2 * pairs].map(Value::from).each_ref());
    assert_eq!([&found["pairs_possible"], &found["uncertified"]], [500 * 499 / 2, 0].map(Value::from).each_ref());
    assert!(found["worst"]["distance_m"].as_f64().expect("a distance").abs() < 1e-14, "{found}");
    let poses = poses(&dir.join("g"));
    assert_eq!(poses.len(), 1000);
    assert!(poses.iter().zip(&poses[500..]).all(|(a, b)| a != b), "all boxes move");
    assert!(poses[500..].iter().all(|pose| pose[3..] == poses[500][3..]), "and turn alike");
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
