//! The program, from outside: exit codes, streams, and tables that do not depend on how they were
//! computed.

use arrow_cast::display::{ArrayFormatter, FormatOptions};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

use clearsweep_testing::folder::{files, tables};

/// The program with arguments separated by blanks.
fn program(dir: &Path, args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    command.current_dir(dir).args(args.split_whitespace());
    command
}

fn output(dir: &Path, args: &str) -> Output {
    program(dir, args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the program, checks its exit code, and returns stdout and stderr.
fn expect(dir: &Path, args: &str, code: i32) -> (String, String) {
    let done = output(dir, args);
    let (out, err) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(done.status.code(), Some(code), "clearsweep {args}\nstdout: {out}\nstderr: {err}");
    (out, err)
}

/// A crowd of 40 bodies, 2 runs of 90 frames, in `c/`.
fn crowd() -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    expect(dir.path(), "generate crowd --out c --bodies 40 --frames 90 --runs 2 --density 0.4 --seed 7", 0);
    dir
}

/// The rows of a table of parts, in order, each as text; floats are written so that no two differ
/// alike.
fn rows(dir: &Path, table: &str) -> (Vec<String>, Vec<String>) {
    let mut parts: Vec<PathBuf> =
        fs::read_dir(dir.join(table)).expect("a table").map(|entry| entry.expect("a part").path()).collect();
    parts.sort();
    assert!(!parts.is_empty(), "no rows: one empty part");
    let (mut columns, mut rows) = (Vec::new(), Vec::new());
    for part in parts {
        let builder = ParquetRecordBatchReaderBuilder::try_new(fs::File::open(part).expect("a file")).expect("Parquet");
        columns = builder.schema().fields().iter().map(|field| field.name().clone()).collect();
        for batch in builder.build().expect("a reader") {
            let batch = batch.expect("a batch");
            let options = FormatOptions::new().with_null("null");
            let cells: Vec<ArrayFormatter<'_>> = batch
                .columns()
                .iter()
                .map(|column| ArrayFormatter::try_new(column.as_ref(), &options).expect("a column"))
                .collect();
            rows.extend((0..batch.num_rows()).map(|row| {
                let row: Vec<String> = cells.iter().map(|cell| cell.value(row).to_string()).collect();
                row.join(" ")
            }));
        }
    }
    (columns, rows)
}

#[test]
fn a_run_is_summed_up_for_people_and_for_programs() {
    let dir = crowd();
    let dir = dir.path();
    let (out, err) = expect(dir, "run c/scene.toml --out o", 0);
    for part in ["40 bodies", "180 frames, 2 runs", "sampled frames only", "duckdb"] {
        assert!(out.contains(part), "`{part}` is missing in:\n{out}");
    }
    assert!(err.is_empty(), "a short run has nothing to say on stderr: {err}");
    assert!(expect(dir, "summary o", 0).0.starts_with(&out), "the summary begins with what the run said");

    let (out, _) = expect(dir, "run c/scene.toml --out j --json --progress none", 0);
    let summary: Value = serde_json::from_str(&out).expect("one JSON object");
    assert_eq!(summary["frames"], 180);
    assert_eq!(summary["pairs_possible"], 780);
    let (columns, rows) = rows(&dir.join("j"), "distances");
    assert!(rows.len() > 300, "the crowd is to be dense enough: {} rows", rows.len());
    assert_eq!(summary["rows"], rows.len());
    assert_eq!(columns[..5], ["run", "frame", "time_s", "a_index", "b_index"]);
    let manifest: Value = serde_json::from_slice(&fs::read(dir.join("j/manifest.json")).expect("read")).expect("JSON");
    assert_eq!(manifest["summary"], summary);
    assert_eq!(manifest["inputs"].as_array().map(Vec::len), Some(2), "the scene and its trajectories, with digests");
}

#[test]
fn rows_are_sorted_and_keep_their_promises() {
    let dir = crowd();
    expect(dir.path(), "run c/scene.toml --out o", 0);
    let (columns, rows) = rows(&dir.path().join("o"), "distances");
    let at = |name: &str| columns.iter().position(|column| column == name).expect("a column");
    let keys = ["run", "frame", "a_index", "b_index"].map(at);
    let [distance, lower, upper] = ["distance_m", "lower_m", "upper_m"].map(at);
    let points = [["a_x", "b_x", "n_x"], ["a_y", "b_y", "n_y"], ["a_z", "b_z", "n_z"]].map(|axis| axis.map(at));
    let mut last = None;
    let (mut near, mut overlapping) = (0, 0);
    for row in &rows {
        let cells: Vec<&str> = row.split(' ').collect();
        let key = keys.map(|column| cells[column].parse::<i64>().expect("a key"));
        assert!(last < Some(key), "rows are sorted: {last:?}, {key:?}");
        last = Some(key);
        let x = |column: usize| cells[column].parse::<f64>().expect("a number");
        assert!(x(lower) <= 0.05 && x(lower) <= x(distance) && x(distance) <= x(upper), "{row}");
        for [a, b, n] in points {
            assert!((x(b) - x(a) - x(distance) * x(n)).abs() < 1e-11, "b = a + distance * n: {row}");
        }
        near += usize::from(x(distance) > 0.0);
        overlapping += usize::from(x(distance) < 0.0);
    }
    assert!(near > 50 && overlapping > 50, "both kinds are to occur: {near}, {overlapping}");
}

#[test]
fn tables_do_not_depend_on_threads_memory_or_method() {
    let dir = crowd();
    let dir = dir.path();
    expect(dir, "run c/scene.toml --out whole", 0);
    let whole = tables(&dir.join("whole"));
    assert!(whole.len() >= 5);
    let ways = [
        "--threads 1",
        "--threads 2",
        "--threads 3",
        "--threads 8",
        "--memory 1kB",
        "--memory 200kB --threads 2",
        "--broad brute",
        "--broad hash --threads 3",
        "--broad coherent-hash --threads 2",
        "--broad sweep",
        "--narrow gjk",
        "--device cpu",
    ];
    for (k, way) in ways.into_iter().enumerate() {
        expect(dir, &format!("run c/scene.toml --out o{k} {way}"), 0);
        let other = tables(&dir.join(format!("o{k}")));
        assert!(whole.keys().eq(other.keys()), "{way}: other files");
        for (name, bytes) in &whole {
            assert!(*bytes == other[name], "{way}: {} differs", name.display());
        }
    }
}

#[test]
fn parts_of_the_input_give_parts_of_the_rows() {
    let dir = crowd();
    let dir = dir.path();
    expect(dir, "run c/scene.toml --out whole", 0);
    for table in ["distances", "penetrations"] {
        assert!(rows(&dir.join("whole"), table).1.len() > 100, "{table}");
    }
    let runs = ["--runs 0", "--runs 1.."];
    // 37 is no multiple of a block.
    let frames = [
        "--runs 0..1 --frames -5..37",
        "--runs 0..1 --frames 37..",
        "--runs 1.. --frames ..37",
        "--runs 1 --frames 37..90",
    ];
    for (name, parts) in [("r", &runs[..]), ("f", &frames[..])] {
        let outs: Vec<PathBuf> = (0..parts.len()).map(|k| dir.join(format!("{name}{k}"))).collect();
        for (part, out) in parts.iter().zip(&outs) {
            expect(dir, &format!("run c/scene.toml --out {} {part}", out.display()), 0);
        }
        for table in ["distances", "penetrations"] {
            let joined: Vec<String> = outs.iter().flat_map(|out| rows(out, table).1).collect();
            assert!(joined == rows(&dir.join("whole"), table).1, "{table} in parts: {parts:?}");
        }
    }
}

#[test]
fn exit_codes_tell_violations_from_clear_runs() {
    let dir = crowd();
    let dir = dir.path();
    let (out, _) = expect(dir, "run c/scene.toml --out v --require 10mm", 3);
    assert!(out.contains("VIOLATED"), "{out}");
    // Apart by the amplitude of the curve: clear.
    expect(dir, "generate coherence --out co --frames 50 --runs 1", 0);
    let (out, _) = expect(dir, "run co/scene.toml --out clear --require 1mm --json", 0);
    let summary: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        [&summary["verdict"], &summary["rows"], &summary["violated"]],
        [&Value::from("clear"), &50.into(), &0.into()]
    );
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let dir = tempfile::tempdir().expect("scratch");
    for (args, hint) in [
        ("", "Usage"),
        ("fly", "unrecognized"),
        ("run", "--out"),
        ("run s.toml", "--out"),
        ("run s.toml --out o --frames five", "A..B"),
        ("run s.toml --out o --frames 7..3", "empty"),
        ("run s.toml --out o --threads 0", "threads"),
        ("run s.toml --out o --memory lots", "500MB"),
        ("run s.toml --out o --broad magic", "hash"),
        ("run s.toml --out o --device cpu --broad gpu", "--device cpu"),
        ("run s.toml --out o --device gpu --broad hash", "on the processor"),
        ("run s.toml --out o --adapter none", "--device gpu"),
        ("run s.toml --out o --columns some", "distance"),
        ("generate", "Usage"),
        ("generate nothing --out o", "unrecognized"),
        ("generate crowd --out o --bodies 0", "one or more"),
        ("generate crowd --out o --density -1", "density"),
        ("query box:1,1 sphere:1", "3 numbers"),
        ("query sphere:1 nowhere.obj", "neither"),
        ("query sphere:1 sphere:1 --pose 1,2", "seven"),
        ("sort a b --memory 10kB", "64MB"),
        ("sort a", "OUT"),
        ("completions", "SHELL"),
        ("completions nutshell", "bash"),
        ("man fly", "is no command"),
        ("doctor --color sometimes", "always"),
        ("convert model.ifc --out o --kernel both", "python -m clearsweep convert"),
    ] {
        let (out, err) = expect(dir.path(), args, 2);
        assert!(err.contains(hint), "clearsweep {args}: `{hint}` is missing in {err}");
        assert!(out.is_empty(), "clearsweep {args}: messages go to stderr");
    }
    assert_eq!(fs::read_dir(dir.path()).expect("listed").count(), 0, "nothing was written");
}

#[test]
fn every_narrow_phase_writes_the_same_tables() {
    let dir = crowd();
    let tables = |narrow: &str| {
        expect(dir.path(), &format!("run c/scene.toml --out {narrow} --narrow {narrow}"), 0);
        let manifest = fs::read_to_string(dir.path().join(narrow).join("manifest.json")).expect("a manifest");
        for (count, method) in [("lin_canny_steps", "lin-canny"), ("duality_arcs", "cd-dual")] {
            let steps = manifest.split(&format!("\"{count}\": ")).nth(1).expect("a count of steps");
            assert_eq!(!steps.starts_with('0'), narrow == method, "who took part");
        }
        let part = dir.path().join(narrow).join("distances/part-00000.parquet");
        fs::read(part).expect("the rows")
    };
    let expected = tables("auto");
    for narrow in ["gjk", "enhanced-gjk", "vclip", "lin-canny", "cd-dual"] {
        assert_eq!(tables(narrow), expected, "{narrow}");
    }
    let (_, err) = expect(dir.path(), "run c/scene.toml --out o --narrow sat", 2);
    assert!(err.contains("lin-canny"), "the methods are named: {err}");
    assert!(!dir.path().join("o").exists(), "nothing was written");
}

#[test]
fn no_way_of_searching_changes_a_row() {
    let dir = crowd();
    let scene = fs::read_to_string(dir.path().join("c/scene.toml")).expect("a scene");
    let run = |name: &str, keys: &str, options: &str| {
        let text = scene.replace("[query]\n", &format!("[query]\n{keys}\n"));
        assert_ne!(text, scene, "the scene has a [query]");
        fs::write(dir.path().join("c/other.toml"), text).expect("written");
        expect(dir.path(), &format!("run c/other.toml --out {name} {options}"), 0);
        let manifest = fs::read_to_string(dir.path().join(name).join("manifest.json")).expect("a manifest");
        (fs::read(dir.path().join(name).join("distances/part-00000.parquet")).expect("the rows"), manifest)
    };
    let (expected, manifest) = run("plain", "", "");
    assert!(!manifest.contains("\"search\""), "nothing was said about searches");
    let ways = [
        ("gjk = { sub_algorithm = \"johnson\" }", "--narrow gjk", "\"sub_algorithm\": \"johnson\""),
        ("gjk = { sub_algorithm = \"johnson-backup\", support = \"climb\" }", "--narrow gjk", "\"support\": \"climb\""),
        ("gjk = { sub_algorithm = \"backup\", start = \"line\" }", "--narrow gjk", "\"start\": \"line\""),
        ("gjk = { support = \"scan\", tolerance = 1e-5 }", "--narrow gjk", "\"tolerance\": 0.00001"),
        ("hash = { alpha = 0.5, beta = 1 }", "--broad hash", "\"alpha\": 0.5"),
        ("hash = { alpha = 0.0625, beta = 0.5 }", "--broad hash", "\"alpha\": 0.0625"),
        ("hash = { alpha = 0.125, beta = 0.25 }", "--broad coherent-hash", "\"beta\": 0.25"),
    ];
    for (index, (keys, options, recorded)) in ways.into_iter().enumerate() {
        let (rows, manifest) = run(&format!("o{index}"), keys, options);
        assert_eq!(rows, expected, "{keys}");
        assert!(manifest.contains(recorded), "{recorded} is not in the manifest");
    }
    let (_, err) = expect(dir.path(), "run c/other.toml --out o", 2);
    assert!(err.contains("--broad auto") && err.contains("hash") && err.contains("remove"), "{err}");
    assert!(!dir.path().join("o").exists(), "nothing was written");
}

#[test]
fn wrong_input_is_exit_code_1_and_leaves_nothing() {
    let dir = crowd();
    let dir = dir.path();
    let (out, err) = expect(dir, "run nowhere.toml --out o", 1);
    assert!(out.is_empty() && err.contains("nowhere.toml") && err.contains("help:"), "{err}");
    assert!(!err.contains('\u{1b}'), "no colours where there is no terminal");
    expect(dir, "run c/scene.toml --out o --trajectories nowhere.parquet", 1);

    let scene = fs::read_to_string(dir.join("c/scene.toml")).expect("read");
    fs::write(dir.join("c/wrong.toml"), scene.replace("within =", "wihtin =")).expect("written");
    let (_, err) = expect(dir, "check c/wrong.toml", 1);
    assert!(err.contains("wihtin") && err.contains("within"), "the nearest key is named: {err}");

    let bytes = fs::read(dir.join("c/trajectories.parquet")).expect("read");
    fs::write(dir.join("c/trajectories.parquet"), &bytes[..bytes.len() / 2]).expect("written");
    let (_, err) = expect(dir, "run c/scene.toml --out o", 1);
    assert!(err.contains("trajectories.parquet"), "{err}");
    assert!(!dir.join("o").exists() || files(&dir.join("o")).is_empty(), "no file that looks whole");
    let (_, err) = expect(dir, "summary c", 1);
    assert!(err.contains("manifest.json"), "{err}");
}

#[test]
fn a_directory_is_replaced_only_by_force_and_only_if_it_is_ours() {
    let dir = crowd();
    let dir = dir.path();
    expect(dir, "run c/scene.toml --out o", 0);
    let before = tables(&dir.join("o"));
    let (_, err) = expect(dir, "run c/scene.toml --out o", 1);
    assert!(err.contains("--force"), "{err}");
    assert!(tables(&dir.join("o")) == before, "a refusal changes nothing");
    expect(dir, "run c/scene.toml --out o --force --runs 0..1", 0);
    let after = tables(&dir.join("o"));
    assert!(after != before && after.keys().eq(before.keys()), "replaced, and nothing is left of the old one");

    fs::write(dir.join("o/notes.txt"), "mine").expect("written");
    expect(dir, "run c/scene.toml --out o --force", 1);
    assert_eq!(fs::read(dir.join("o/notes.txt")).expect("still there"), b"mine");
    fs::remove_file(dir.join("o/notes.txt")).expect("removed");
    assert!(tables(&dir.join("o")) == after, "a refusal changes nothing");
}

#[test]
fn columns_can_be_fewer() {
    let dir = crowd();
    expect(dir.path(), "run c/scene.toml --out all", 0);
    expect(dir.path(), "run c/scene.toml --out few --columns distance", 0);
    let (all, all_rows) = rows(&dir.path().join("all"), "distances");
    let (few, few_rows) = rows(&dir.path().join("few"), "distances");
    let expected = [
        "run",
        "frame",
        "time_s",
        "a_index",
        "b_index",
        "body_a",
        "body_b",
        "distance_m",
        "lower_m",
        "upper_m",
        "status",
    ];
    assert_eq!(few, expected);
    assert!(all.len() > few.len() && all_rows.len() == few_rows.len());
}

#[test]
fn one_body_and_no_near_pair_are_fine() {
    let dir = tempfile::tempdir().expect("scratch");
    expect(dir.path(), "generate crowd --out c --bodies 1 --frames 5", 0);
    let (out, _) = expect(dir.path(), "run c/scene.toml --out o", 0);
    assert!(out.contains("there was nothing to look at"), "{out}");
    assert!(rows(&dir.path().join("o"), "distances").1.is_empty());
    expect(dir.path(), "generate crowd --out d --bodies 2 --frames 5 --density 0.0001", 0);
    let (out, _) = expect(dir.path(), "run d/scene.toml --out p --within 1mm", 0);
    assert!(out.contains("nothing came that near"), "{out}");
    assert!(rows(&dir.path().join("p"), "distances").1.is_empty());
}

#[test]
fn a_scene_without_motion_is_a_clash_check() {
    let dir = tempfile::tempdir().expect("scratch");
    let scene = r#"
        [scene]
        length_unit = "mm"
        [query]
        within = 10
        require = 5
        [[body]]
        name = "low"
        shape = { box = [100, 100, 100] }
        static = true
        [[body]]
        name = "high"
        shape = { box = [100, 100, 100] }
        static = true
        position = [0, 0, 104]
    "#;
    fs::write(dir.path().join("plant.toml"), scene).expect("written");
    let (out, _) = expect(dir.path(), "run plant.toml --out o --json", 3);
    let summary: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!([&summary["frames"], &summary["rows"], &summary["violated"]], [&Value::from(1), &1.into(), &1.into()]);
    let worst = summary["worst"]["distance_m"].as_f64().expect("a distance");
    assert!((worst - 0.004).abs() < 1e-15, "{worst}");
    expect(dir.path(), "run plant.toml --out clear --require 3mm", 0);
}

#[test]
fn a_query_answers_one_pair() {
    let dir = tempfile::tempdir().expect("scratch");
    let json = |args: &str| -> Value {
        serde_json::from_str(&expect(dir.path(), &format!("query {args} --json"), 0).0).expect("JSON")
    };
    let answer = json("box:1,1,1 sphere:0.5 --pose 2,0,0,1,0,0,0");
    assert_eq!(answer["status"], "separated");
    let number = |answer: &Value, key: &str| answer[key].as_f64().expect("a number");
    assert!((number(&answer, "distance_m") - 1.0).abs() < 1e-12);
    assert!((number(&answer, "a_x") - 0.5).abs() < 1e-12 && (number(&answer, "b_x") - 1.5).abs() < 1e-12);
    assert!(number(&answer, "lower_m") <= 1.0 && 1.0 <= number(&answer, "upper_m"));

    let answer = json("box:1,1,1 box:1,1,1 --pose 0.9,0,0,1,0,0,0");
    assert_eq!(answer["status"], "penetrating");
    assert!((number(&answer, "distance_m") + 0.1).abs() < 1e-12);

    let answer = json("capsule:100,200 cylinder:50,100,8 --unit mm --pose 0,0,1000,1,0,0,0");
    assert!((number(&answer, "distance_m") - 0.75).abs() < 1e-12, "{answer}");
    expect(dir.path(), "generate coherence --object icosahedron --out co --frames 1 --runs 1", 0);
    let answer = json("co/object.obj sphere:1 --pose 0,0,5,1,0,0,0");
    assert!(number(&answer, "distance_m") > 3.0 && number(&answer, "distance_m") < 3.3, "{answer}");
    let (out, _) = expect(dir.path(), "query box:1,1,1 sphere:0.5 --pose=-2,0,0,1,0,0,0", 0);
    assert!(out.contains("separated") && out.contains("bracket"), "{out}");
}

#[test]
fn a_check_says_what_it_found_and_writes_nothing() {
    let dir = crowd();
    let before = files(dir.path());
    let (out, _) = expect(dir.path(), "check c/scene.toml --runs 1.. --frames 10..", 0);
    for part in ["40: 40 moving", "780", "7,200 rows in 1 file", "1 run, 80 frames, frames 10 to 89"] {
        assert!(out.contains(part), "`{part}` is missing in:\n{out}");
    }
    assert!(files(dir.path()) == before);
}

#[test]
fn generators_repeat_and_refuse_a_directory_in_use() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    for (name, args) in [
        ("crowd", "crowd --bodies 12 --frames 20 --runs 2 --seed 5"),
        ("coherence", "coherence --object disk --frames 20 --runs 2 --seed 5 --omega -2.5"),
    ] {
        expect(dir, &format!("generate {args} --out {name}-1"), 0);
        expect(dir, &format!("generate {args} --out {name}-2"), 0);
        let first = files(&dir.join(format!("{name}-1")));
        assert!(first.len() >= 2 && first == files(&dir.join(format!("{name}-2"))), "{name}: the same bytes");
        let other = args.replace("--seed 5", "--seed 6");
        expect(dir, &format!("generate {other} --out {name}-3"), 0);
        assert!(first != files(&dir.join(format!("{name}-3"))), "{name}: the seed matters");
        let (_, err) = expect(dir, &format!("generate {args} --out {name}-1"), 1);
        assert!(err.contains("not empty"), "{err}");
        expect(dir, &format!("check {name}-1/scene.toml"), 0);
    }
}

#[test]
fn every_object_of_the_coherence_test_gives_a_row_a_frame() {
    let dir = tempfile::tempdir().expect("scratch");
    for object in ["cube", "icosahedron", "disk", "sphere642"] {
        expect(dir.path(), &format!("generate coherence --object {object} --out {object} --frames 70 --runs 2"), 0);
        let (out, _) = expect(dir.path(), &format!("run {object}/scene.toml --out {object}/out --json"), 0);
        let summary: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(summary["rows_by_status"]["separated"], 140, "{object}: {summary}");
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let dir = crowd();
    let mut child = program(dir.path(), "run c/scene.toml --out o")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let done = child.wait_with_output().expect("the program ends");
    assert_eq!((done.status.code(), text(&done.stderr)), (Some(0), String::new()));
    assert!(dir.path().join("o/manifest.json").exists());
}

#[test]
fn the_doctor_lists_the_machine() {
    let dir = tempfile::tempdir().expect("scratch");
    let (out, _) = expect(dir.path(), "doctor", 0);
    for part in ["threads", "SIMD", "GPU"] {
        assert!(out.contains(part), "{out}");
    }
    let (out, _) = expect(dir.path(), "--help", 0);
    assert!(out.contains("Exit codes") && out.contains("generate"), "{out}");
    assert!(expect(dir.path(), "--version", 0).0.contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_requirement_is_answered_in_its_own_unit() {
    let dir = crowd();
    let dir = dir.path();
    let within = expect(dir, "run c/scene.toml --out o --require 50mm", 3).0;
    assert!(within.contains("required  50 mm: VIOLATED") || within.contains("50 mm: "), "{within}");
    assert!(within.contains(" AS at_most_mm FROM") && !within.contains("0.05 m:"), "{within}");
    assert!(expect(dir, "summary o", 0).0.contains("50 mm: "), "the summary too");
    let manifest: Value = serde_json::from_slice(&fs::read(dir.join("o/manifest.json")).expect("read")).expect("JSON");
    assert_eq!(manifest["summary"]["require_unit"], "mm");
    let (metres, _) = expect(dir, "run c/scene.toml --out m --require 0.05", 3);
    assert!(metres.contains("0.05 m: "), "{metres}");
}

#[test]
fn the_next_command_says_how_to_get_its_program() {
    let dir = crowd();
    let (out, _) = expect(dir.path(), "run c/scene.toml --out o", 0);
    assert!(out.contains("https://duckdb.org") && out.contains("export DIR --csv"), "{out}");
}
