//! The scenes and the commands that README and docs show, run as they stand there; and what they
//! print, where a block `output` shows it.
//!
//! Snippets of Python and SQL in docs/guide/cookbook.md are run by `docs/run_cookbook.py`.

use super::fenced::{fenced, missing_line};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use clearsweep_testing::clone::clone;
use clearsweep_testing::trajectories::{Row, Shaping, write, write_batch};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// Pages whose commands are not run: (page, reason).
const NOT_RUN: [(&str, &str); 4] = [
    ("building.md", "needs data beside the repository; tests/jobs/duplex.rs runs it"),
    ("benchmarks.md", "long measurements, with placeholders for folders, and one under a profiler"),
    ("two-phase.md", "long measurements, with placeholders for folders"),
    ("readers.md", "needs Python packages and a fuzzer"),
];

/// Folders of pages.
const FOLDERS: [&str; 6] =
    ["docs", "docs/guide", "docs/reference", "docs/evidence", "docs/evidence/log", "docs/papers"];

/// Numbers of a command that would take minutes, and those that are run: nothing else of the
/// command depends on them.
const SHORTER: [(&str, &str); 1] = [("--runs 10000", "--runs 10")];

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("datasets/README.md")];
    let list =
        |folder: &str| fs::read_dir(root.join(folder)).expect("docs").map(|entry| entry.expect("an entry").path());
    let docs = FOLDERS.into_iter().flat_map(list);
    let mut docs: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|kind| kind == "md")).collect();
    docs.sort();
    pages.extend(docs);
    pages
}

/// The code blocks of a page in one of these languages.
fn blocks(page: &Path, languages: &[&str]) -> Vec<String> {
    let wanted = fenced(page).into_iter().filter(|(language, _)| languages.contains(&language.as_str()));
    wanted.map(|(_, block)| block).collect()
}

/// Runs the program, and returns its exit code, stdout and stderr.
fn run_and_print(dir: &Path, args: &str) -> (Option<i32>, [String; 2]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    let done = command.current_dir(dir).args(args.split_whitespace()).output().expect("the program starts");
    (done.status.code(), [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn run(dir: &Path, args: &str) -> (Option<i32>, String) {
    let (code, [_, err]) = run_and_print(dir, args);
    (code, err)
}

/// A cube of side 1.
const CUBE: &str = "o cube\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
                    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

/// The text of a key of a table; `None`: it has none.
fn text<'t>(table: &'t toml::Table, key: &str) -> Option<&'t str> {
    table.get(key).and_then(toml::Value::as_str)
}

/// Writes a glTF file of cubes with the nodes that the sections of documents name, and their table;
/// returns those that move.
fn write_nodes(folder: &Path, file: &str, section: &toml::Table) -> Vec<String> {
    fs::write(folder.join(file), nodes_of_cubes()).expect("written");
    let prefix = text(section, "name").map(|name| format!("{name}/")).unwrap_or_default();
    if let Some(table) = text(section, "table") {
        fs::write(folder.join(table), format!("body,offset\n{prefix}hall-2/pipe-17,0.01\n")).expect("written");
    }
    let moving = section.get("moving").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    moving.iter().filter_map(toml::Value::as_str).map(str::to_owned).collect()
}

/// `crane` with a hook below it, and `hall-2` with a pipe and a bolt.
fn nodes_of_cubes() -> Vec<u8> {
    let corners: Vec<f32> = (0..8_u8).flat_map(|k| [0, 1, 2].map(|axis| f32::from(k >> axis & 1))).collect();
    let quads: [[u16; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<u16> = quads.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
    let bytes: Vec<u8> =
        corners.iter().flat_map(|x| x.to_le_bytes()).chain(triangles.iter().flat_map(|i| i.to_le_bytes())).collect();
    let json = serde_json::json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 2] }],
        "nodes": [
            { "name": "crane", "mesh": 0, "children": [1] },
            { "name": "hook", "mesh": 0, "translation": [0, 0, -5] },
            { "name": "hall-2", "translation": [50, 0, 0], "children": [3, 4] },
            { "name": "pipe-17", "mesh": 0 },
            { "name": "bolt-1", "mesh": 0, "translation": [5, 0, 0] },
        ],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1] },
            { "bufferView": 1, "componentType": 5123, "count": triangles.len(), "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 96 },
            { "buffer": 0, "byteOffset": 96, "byteLength": 2 * triangles.len() },
        ],
        "buffers": [{ "byteLength": bytes.len() }],
    });
    glb(&json.to_string(), &bytes)
}

/// A binary glTF file (version 2.0, section 4.4): its header, the JSON and the bytes.
fn glb(json: &str, bytes: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], content: &[u8], padding: u8| -> Vec<u8> {
        let length = content.len().next_multiple_of(4);
        let mut chunk = [&u32::try_from(length).expect("small").to_le_bytes()[..], kind, content].concat();
        chunk.resize(8 + length, padding);
        chunk
    };
    let chunks = [chunk(b"JSON", json.as_bytes(), b' '), chunk(b"BIN\0", bytes, 0)].concat();
    let length = u32::try_from(12 + chunks.len()).expect("small");
    [b"glTF", &2_u32.to_le_bytes()[..], &length.to_le_bytes()[..], &chunks].concat()
}

/// Writes the files that a scene names: cubes, a table of two of them, and poses of all bodies that
/// move.
fn write_companions(folder: &Path, scene: &str) {
    let scene: toml::Table = toml::from_str(scene).expect("TOML");
    let tables = |key: &str| -> Vec<toml::Table> {
        let list = scene.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        list.into_iter().map(|item| item.as_table().cloned().expect("a table")).collect()
    };
    let cube = |file: &str| {
        assert!(file.ends_with(".obj"), "the test writes OBJ files only: {file}");
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, CUBE).expect("written");
    };
    let mut moving = Vec::new();
    for body in tables("body") {
        text(&body, "geometry").into_iter().for_each(cube);
        if body.get("static").and_then(toml::Value::as_bool) != Some(true) {
            moving.push(text(&body, "name").expect("a name").to_owned());
        }
    }
    for (index, section) in tables("bodies").iter().enumerate() {
        if let Some(file) = text(section, "geometry") {
            assert_eq!(text(section, "each"), Some("node"), "the test has a file of nodes only");
            moving.extend(write_nodes(folder, file, section));
            continue;
        }
        assert_eq!(section.get("static").and_then(toml::Value::as_bool), Some(true), "the test has static parts only");
        let Some(table) = text(section, "table") else { continue };
        cube("part.obj");
        let names: Vec<String> = (0..2).map(|k| format!("part-{index}-{k}")).collect();
        if table.ends_with(".csv") {
            let rows: String = names.iter().map(|name| format!("{name},part.obj\n")).collect();
            fs::write(folder.join(table), format!("body,geometry\n{rows}")).expect("written");
        } else {
            let columns: [(&str, ArrayRef); 2] = [
                ("body", Arc::new(StringArray::from(names))),
                ("geometry", Arc::new(StringArray::from(vec!["part.obj"; 2]))),
            ];
            let batch = RecordBatch::try_from_iter(columns).expect("columns");
            write_batch(&folder.join(table), &batch, &Shaping::default());
        }
    }
    let head = scene.get("scene").and_then(toml::Value::as_table).expect("[scene]");
    let Some(trajectories) = text(head, "trajectories") else { return };
    let rows = (0..3).flat_map(|frame| {
        let pose = move |k: usize| [1e3 * k as f64 + frame as f64, 5.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        let row = move |(k, body): (usize, &String)| Row {
            run: 0,
            frame,
            time: 0.1 * frame as f64,
            body: body.clone(),
            pose: pose(k),
        };
        moving.iter().enumerate().map(row)
    });
    write(&folder.join(trajectories), &rows.collect::<Vec<_>>(), &Shaping::default());
}

#[test]
fn every_scene_runs_as_it_stands() {
    let mut seen = 0;
    for page in pages() {
        for scene in blocks(&page, &["toml"]).into_iter().filter(|block| block.contains("[scene]")) {
            let dir = tempfile::tempdir().expect("scratch");
            fs::write(dir.path().join("scene.toml"), &scene).expect("written");
            write_companions(dir.path(), &scene);
            for args in ["check scene.toml", "run scene.toml --out out --progress none"] {
                let (code, err) = run(dir.path(), args);
                let fine = code == Some(0) || (args.starts_with("run") && code == Some(3));
                assert!(fine, "{}: clearsweep {args}: {code:?}\n{err}\n{scene}", page.display());
            }
            seen += 1;
        }
    }
    assert!(seen >= 2, "docs/guide/scenes.md and docs/reference/scene.md show a scene each");
}

/// The arguments of a line that runs the program.
fn arguments(line: &str) -> Option<String> {
    let line = line.split(" #").next().unwrap_or_default().trim();
    let args = line.strip_prefix("clearsweep ").or_else(|| line.strip_prefix("cargo run --release --locked -- "))?;
    Some(SHORTER.iter().fold(args.to_owned(), |args, (long, short)| args.replace(long, short)))
}

/// The commands of a line: those of a loop of the shell (`for i in 0 1; do ... $i ...; done`) for
/// each of its words.
fn commands(line: &str) -> Vec<String> {
    let in_loop = line.strip_prefix("for ").and_then(|line| {
        let (head, body) = line.split_once("; do ")?;
        let (variable, words) = head.split_once(" in ")?;
        let body = body.split_once("; done")?.0;
        Some(words.split_whitespace().map(|word| body.replace(&format!("${variable}"), word)).collect::<Vec<_>>())
    });
    let lines = in_loop.unwrap_or_else(|| vec![line.to_owned()]);
    lines.iter().filter_map(|line| arguments(line)).collect()
}

#[test]
fn every_command_runs_as_it_stands_and_prints_what_is_shown() {
    let skipped = |page: &Path| NOT_RUN.iter().any(|(name, _)| page.file_name().is_some_and(|file| file == *name));
    let (mut names, mut compared) = (BTreeSet::new(), 0);
    for page in pages().iter().filter(|page| !skipped(page)) {
        let dir = clone();
        let (mut printed, mut before) = (String::new(), String::new());
        for (language, block) in fenced(page) {
            if ["sh", "bash", "console"].contains(&language.as_str()) {
                printed.clear();
                for args in block.lines().flat_map(commands) {
                    let (code, [out, err]) = run_and_print(dir.path(), &args);
                    // 3: done, with violations of what is required, or findings.
                    let is_judged = ["--require", "rules.toml", "arm.toml"].iter().any(|word| args.contains(word))
                        || ["merge ", "audit "].iter().any(|name| args.starts_with(name));
                    let fine = code == Some(0) || (is_judged && code == Some(3));
                    assert!(fine, "{}: clearsweep {args}: {code:?}\n{err}", page.display());
                    names.extend(args.split_whitespace().next().map(str::to_owned));
                    printed += &(out + &err);
                }
            }
            // `docs/run_cookbook.py` looks at what snippets print.
            if language == "output" && !["python", "sql"].contains(&before.as_str()) {
                if let Some(line) = missing_line(&block, &printed) {
                    panic!("{} shows `{line}`, and its commands print\n{printed}", page.display());
                }
                compared += 1;
            }
            before = language;
        }
    }
    for command in ["run", "generate", "query"] {
        assert!(names.contains(command), "no page shows {command}: {names:?}");
    }
    assert!(compared >= 9, "{compared} blocks were compared");
}

#[test]
fn blocks_are_compared_line_by_line() {
    let printed = "one\ntwo in 17 ms\nthree\nfour\n";
    assert_eq!(missing_line("one\n...\nthree\n", printed), None);
    assert_eq!(missing_line("two in 3.5 s\nfour\n", printed), None);
    assert_eq!(missing_line("three\none\n", printed), Some("one"), "in their order");
    assert_eq!(missing_line("on\n", printed), Some("on"));
    assert_eq!(commands("for i in 0 2; do clearsweep x $i/3; done    # both"), ["x 0/3", "x 2/3"]);
}
