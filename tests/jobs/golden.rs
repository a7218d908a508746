//! The data sets of `datasets/` give the rows that are kept beside them, bit for bit, by every
//! method of the narrow phase.
//!
//! A golden table is a CSV file: every column of the table, floats in the shortest form that reads
//! back to the same bits. If a change of the rows is meant, write the tables anew and look at the
//! difference before keeping it:
//!
//! ```text
//! cargo test --test jobs -- --ignored golden::rewrite
//! git diff --stat datasets
//! ```
#![allow(clippy::print_stderr)] // the rewriting test says what it wrote

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use clearsweep_datasets::{Coherence, Crowd, Object, PipeRack, Separation};
use clearsweep_engine::{Job, JobOptions};
use clearsweep_scene::SceneOverrides;
use clearsweep_tables::ParquetTables;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The command that writes the golden tables anew.
const REWRITE: &str = "cargo test --test jobs -- --ignored golden::rewrite";
/// The parameters with which `datasets/crowd` was generated; as flags in `datasets/README.md`.
const CROWD: Crowd = Crowd { bodies: 20, frames: 120, runs: 2, density: 0.12, seed: 1 };
/// The parameters with which `datasets/coherence` was generated.
const COHERENCE: Coherence = Coherence { object: Object::Icosahedron, runs: 3, frames: 90, omega: 2.0, seed: 1 };
/// The parameters with which `datasets/pipe-rack` was generated.
const PIPE_RACK: PipeRack = PipeRack { frames: 400, seed: 1 };
/// The parameters with which `datasets/separation` was generated.
const SEPARATION: Separation = Separation { runs: 200, frames: 25, seed: 1 };
/// The data sets that a generator writes; `datasets/contact` was written by hand.
const GENERATED: [&str; 4] = ["crowd", "coherence", "pipe-rack", "separation"];
/// The methods of the narrow phase; the first writes the tables anew.
const METHODS: [&str; 4] = ["auto", "gjk", "vclip", "lin-canny"];
/// Tables that are kept, with the number of leading columns that make a row's key.
const TABLES: [(&str, usize); 3] = [("distances", 5), ("pairs", 3), ("runs", 1)];
/// Differences that are shown.
const SHOWN: usize = 8;

/// The folder of a committed data set.
fn committed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets").join(name)
}

/// Returns the path of a golden table.
fn golden(set: &str, table: &str) -> PathBuf {
    committed(set).join("golden").join(format!("{table}.csv"))
}

fn generate(set: &str, out: &Path) -> Vec<PathBuf> {
    match set {
        "crowd" => CROWD.write(out),
        "coherence" => COHERENCE.write(out),
        "pipe-rack" => PIPE_RACK.write(out),
        "separation" => SEPARATION.write(out),
        _ => panic!("no generator writes {set}"),
    }
    .expect("a data set")
}

/// The tables of a run on a committed data set by a method of the narrow phase, as CSV.
fn computed(set: &str, narrow: &str) -> BTreeMap<&'static str, String> {
    let out = tempfile::tempdir().expect("scratch");
    let scene =
        clearsweep_scene::load_scene(&committed(set).join("scene.toml"), &SceneOverrides::default()).expect("a scene");
    let options = JobOptions { narrow: narrow.to_owned(), ..JobOptions::default() };
    Job::new(&scene).options(options).run(&mut ParquetTables::new(out.path())).expect("a run");
    let file = |table: &str| match table {
        "distances" => out.path().join("distances/part-00000.parquet"),
        _ => out.path().join(format!("{table}.parquet")),
    };
    TABLES.map(|(table, _)| (table, csv(&read(&file(table))))).into()
}

/// A Parquet file as one batch.
fn read(path: &Path) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file")).expect("Parquet");
    let mut batches = builder.with_batch_size(1 << 20).build().expect("a reader");
    let batch = batches.next().expect("rows").expect("a batch");
    assert!(batches.next().is_none(), "{}: more rows than a golden table is meant for", path.display());
    batch
}

/// A cell; floats in the shortest form that reads back to the same bits, a missing value as
/// nothing.
fn cell(column: &dyn Array, row: usize) -> String {
    if column.is_null(row) {
        return String::new();
    }
    match column.data_type() {
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Boolean => column.as_boolean().value(row).to_string(),
        DataType::Float64 => format!("{:?}", column.as_primitive::<Float64Type>().value(row)),
        DataType::Dictionary(..) => {
            let words = column.as_dictionary::<Int32Type>();
            words.values().as_string::<i32>().value(words.keys().value(row) as usize).to_owned()
        }
        other => panic!("no column of a golden table is {other}"),
    }
}

/// A table as CSV. No word of it holds a comma or a quote.
fn csv(batch: &RecordBatch) -> String {
    let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..batch.num_rows() {
        let cells: Vec<String> = batch.columns().iter().map(|column| cell(column.as_ref(), row)).collect();
        assert!(cells.iter().all(|cell| !cell.contains([',', '"', '\n'])), "{cells:?}");
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

/// The rows of a CSV by their key: its first `keys` cells.
fn by_key(text: &str, keys: usize) -> BTreeMap<Vec<&str>, Vec<&str>> {
    let rows = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    rows.map(|cells| (cells[..keys].to_vec(), cells)).collect()
}

/// Describes the differences between two tables, for a person; nothing if they are equal.
fn differences(expected: &str, found: &str, keys: usize) -> Option<String> {
    if expected == found {
        return None;
    }
    let columns: Vec<&str> = expected.lines().next().unwrap_or_default().split(',').collect();
    let header = found.lines().next().unwrap_or_default();
    if columns.join(",") != header {
        return Some(format!("the columns differ:\n  expected {}\n  found    {header}\n", columns.join(",")));
    }
    let (old, new) = (by_key(expected, keys), by_key(found, keys));
    let key = |key: &[&str]| columns.iter().zip(key).map(|(c, k)| format!("{c} {k}")).collect::<Vec<_>>().join(", ");
    let mut lines = Vec::new();
    for row in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        match (old.get(row), new.get(row)) {
            (Some(_), None) => lines.push(format!("  {}: the row is missing", key(row))),
            (None, Some(_)) => lines.push(format!("  {}: the row is new", key(row))),
            (Some(a), Some(b)) if a != b => {
                let mut line = format!("  {}:", key(row));
                for ((column, a), b) in columns.iter().zip(a).zip(b).filter(|((_, a), b)| a != b) {
                    let _ = write!(line, "\n      {column}: expected {a}, found {b}"); // cannot fail
                }
                lines.push(line);
            }
            _ => {}
        }
    }
    let count = lines.len();
    let more = if count > SHOWN { format!("\n  ... and {} more", count - SHOWN) } else { String::new() };
    lines.truncate(SHOWN);
    let order = if count == 0 { "  the rows are equal, but their order is not" } else { "" };
    Some(format!("{count} of {} rows differ:\n{}{order}{more}\n", old.len(), lines.join("\n")))
}

fn holds(set: &str) {
    for (narrow, (table, found)) in
        METHODS.iter().flat_map(|narrow| computed(set, narrow).into_iter().map(move |t| (narrow, t)))
    {
        let path = golden(set, table);
        let expected = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; write it: {REWRITE}", path.display()));
        let keys = TABLES.iter().find(|(name, _)| *name == table).map_or(1, |(_, keys)| *keys);
        if let Some(differences) = differences(&expected, &found, keys) {
            panic!(
                "table `{table}` of datasets/{set} by `--narrow {narrow}` is not the golden one; {differences}\
                 If the change is meant, write the golden tables anew, and look at what changed:\n  {REWRITE}"
            );
        }
    }
}

#[test]
fn the_crowd_gives_its_golden_tables() {
    holds("crowd");
}

#[test]
fn the_coherence_test_gives_its_golden_tables() {
    holds("coherence");
}

#[test]
fn the_pipe_rack_gives_its_golden_tables() {
    holds("pipe-rack");
}

#[test]
fn the_separation_gives_its_golden_tables() {
    holds("separation");
}

#[test]
fn solids_in_contact_give_their_golden_tables() {
    holds("contact");
}

/// How many rows have each value of a column.
fn counts(set: &str, column: &str) -> BTreeMap<String, usize> {
    let text = fs::read_to_string(golden(set, "distances")).expect("a golden table");
    let at = text.lines().next().and_then(|header| header.split(',').position(|name| name == column));
    let at = at.expect("a column");
    let mut counts = BTreeMap::new();
    for line in text.lines().skip(1) {
        *counts.entry(line.split(',').nth(at).expect("a cell").to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn the_golden_tables_are_representative() {
    let status = counts("crowd", "status");
    assert!(status.get("separated") > Some(&200) && status.get("penetrating") > Some(&200), "{status:?}");
    assert_eq!(status.get("uncertified"), None);
    for column in ["feature_a_kind", "feature_b_kind"] {
        let kinds = counts("crowd", column);
        assert!(["vertex", "edge", "face"].iter().all(|kind| kinds.get(*kind) > Some(&50)), "{column}: {kinds:?}");
    }
    assert_eq!(counts("crowd", "run").len(), 2);
    assert!(counts("crowd", "body_a").len() > 8, "many bodies are to meet");
    let methods = counts("contact", "method");
    assert!(methods.get("tie") > Some(&10) && methods.contains_key("strict"), "{methods:?}");
    let status = counts("contact", "status");
    assert!(["separated", "touching", "penetrating"].iter().all(|word| status.get(*word) > Some(&3)), "{status:?}");
    let rows = COHERENCE.runs * COHERENCE.frames;
    assert_eq!(counts("coherence", "status"), [("separated".to_owned(), rows as usize)].into(), "a row a frame");
    let bodies = [counts("pipe-rack", "body_a"), counts("pipe-rack", "body_b")].map(|counts| counts.len());
    assert!(bodies[0] >= 4 && bodies[1] > 15, "crane, skid, truck and fork lift meet many parts: {bodies:?}");
    assert_eq!(counts("pipe-rack", "status").len(), 1, "nothing collides: all rows are separated");
    assert!(counts("separation", "run").len() > 100, "most runs have a row");
}

/// Why the files of two data sets differ; nothing if they hold the same values. Parquet files are
/// compared by value: another version of the writer may lay the same values out in other bytes.
fn other_values(generated: &[PathBuf], root: &Path, committed: &Path) -> Option<String> {
    let differ = |path: &PathBuf| {
        let name = path.strip_prefix(root).expect("below the data set");
        let kept = committed.join(name);
        let equal = match path.extension().and_then(|extension| extension.to_str()) {
            Some("parquet") => kept.exists() && csv(&read(path)) == csv(&read(&kept)),
            _ => fs::read(path).ok() == fs::read(&kept).ok(),
        };
        (!equal).then(|| name.to_string_lossy().into_owned())
    };
    generated.iter().find_map(differ)
}

#[test]
fn generators_still_write_the_committed_data_sets() {
    for set in GENERATED {
        let dir = tempfile::tempdir().expect("scratch");
        let root = dir.path().join(set);
        let files = generate(set, &root);
        assert!(files.len() >= 2);
        if let Some(file) = other_values(&files, &root, &committed(set)) {
            panic!(
                "`generate {set}` with the parameters of datasets/{set} writes other values into {file}: the same \
                 seed is to give the same data set on every platform and in every version.\n\
                 If the change is meant, write data sets and golden tables anew: {REWRITE}"
            );
        }
    }
}

#[test]
fn a_difference_is_explained() {
    let old = "run,frame,distance_m\n0,1,0.5\n0,2,0.25\n0,3,0.125\n";
    assert_eq!(differences(old, old, 2), None);
    let new = "run,frame,distance_m\n0,1,0.5\n0,2,0.25000000000000006\n0,4,0.125\n";
    let text = differences(old, new, 2).expect("they differ");
    for part in [
        "3 of 3 rows differ",
        "run 0, frame 2:\n      distance_m: expected 0.25, found 0.25000000000000006",
        "run 0, frame 3: the row is missing",
        "run 0, frame 4: the row is new",
    ] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    let swapped = "run,frame,distance_m\n0,2,0.25\n0,1,0.5\n0,3,0.125\n";
    assert!(differences(old, swapped, 2).expect("they differ").contains("order"));
    assert!(differences(old, "run,frame\n", 2).expect("they differ").contains("columns"));
}

/// Writes the golden tables anew, and first the data sets where their values changed.
#[test]
#[ignore = "writes into datasets/: see the head of this file"]
fn rewrite() {
    for set in GENERATED {
        let dir = tempfile::tempdir().expect("scratch");
        let root = dir.path().join(set);
        let files = generate(set, &root);
        if other_values(&files, &root, &committed(set)).is_some() {
            for file in &files {
                let to = committed(set).join(file.strip_prefix(&root).expect("below the data set"));
                fs::create_dir_all(to.parent().expect("a folder")).expect("written");
                fs::copy(file, &to).expect("written");
                eprintln!("written {}", to.display());
            }
        }
    }
    for set in ["crowd", "coherence", "contact", "pipe-rack", "separation"] {
        for (table, text) in computed(set, METHODS[0]) {
            let path = golden(set, table);
            fs::create_dir_all(path.parent().expect("a folder")).expect("written");
            fs::write(&path, text).expect("written");
            eprintln!("written {}", path.display());
        }
    }
}
