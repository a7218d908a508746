//! `clearsweep export`: the tables of an execution as CSV, compared with the Parquet files that
//! they come from.

use crate::program::expect;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// An output in `o/`: moving bodies, some of which overlap, and groups.
fn output() -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    expect(dir.path(), "generate crowd --out c --bodies 30 --frames 70 --runs 2 --density 0.4 --seed 7", 0);
    let path = dir.path().join("c/scene.toml");
    let scene = fs::read_to_string(&path).expect("a scene");
    let at = scene.rfind("[[body]]").expect("a body");
    fs::write(
        &path,
        format!("{}[[body]]\ngroup = [\"a, b\", \"c\", \"d;e\", \"f\\\"g\"]{}", &scene[..at], &scene[at + 8..]),
    )
    .expect("written");
    expect(dir.path(), "run c/scene.toml --out o", 0);
    dir
}

/// The rows of a table of an output.
fn batches(dir: &Path, table: &str) -> Vec<RecordBatch> {
    let mut paths: Vec<PathBuf> = match fs::read_dir(dir.join(table)) {
        Ok(entries) => entries.map(|entry| entry.expect("a part").path()).collect(),
        Err(_) => vec![dir.join(format!("{table}.parquet"))],
    };
    paths.sort();
    let read = |path: &PathBuf| {
        let file = fs::File::open(path).expect("a table");
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("a reader");
        reader.map(|batch| batch.expect("decoded")).collect::<Vec<_>>()
    };
    paths.iter().flat_map(read).collect()
}

#[test]
fn every_table_is_the_same_as_csv() {
    let dir = output();
    let dir = dir.path();
    let (out, _) = expect(dir, "export o --csv", 0);
    for table in ["distances", "penetrations", "pairs", "runs", "bodies"] {
        assert!(out.contains(&format!("{table}.csv")), "{out}");
        let mut reader = csv::Reader::from_path(dir.join(format!("o-csv/{table}.csv"))).expect("CSV");
        let header: Vec<String> = reader.headers().expect("names").iter().map(str::to_owned).collect();
        let records: Vec<csv::StringRecord> = reader.records().map(|record| record.expect("a record")).collect();
        let batches = batches(&dir.join("o"), table);
        let names: Vec<String> = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(header, names, "{table}");
        assert_eq!(records.len(), batches.iter().map(RecordBatch::num_rows).sum::<usize>(), "{table}");
        assert!(records.len() > 1, "{table}");
        let mut at = 0;
        for batch in &batches {
            for row in 0..batch.num_rows() {
                for (column, name) in batch.columns().iter().zip(&names) {
                    let cell = &records[at][names.iter().position(|other| other == name).expect("a column")];
                    if column.is_null(row) {
                        assert_eq!(cell, "", "{table}, row {at}, {name}");
                    } else if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
                        let number: f64 = cell.parse().expect("a number");
                        assert_eq!(number.to_bits(), numbers.value(row).to_bits(), "{table}, row {at}, {name}: {cell}");
                    } else {
                        assert!(!cell.is_empty() || name == "groups", "{table}, row {at}, {name}");
                    }
                }
                at += 1;
            }
        }
    }
    let bodies = fs::read_to_string(dir.join("o-csv/bodies.csv")).expect("a table");
    let records: Vec<_> = csv::Reader::from_reader(bodies.as_bytes()).records().map(|r| r.expect("a record")).collect();
    let items = r#"a, b;c;"d;e";"f""g""#;
    assert!(records.last().is_some_and(|record| record.iter().any(|cell| cell == items)), "{bodies}");
    let worst = batches(&dir.join("o"), "pairs");
    let name = worst[0].column_by_name("body_a").expect("names");
    let name = arrow_cast::cast(name, &arrow_schema::DataType::Utf8).expect("texts");
    let pairs = fs::read_to_string(dir.join("o-csv/pairs.csv")).expect("a table");
    assert!(pairs.lines().nth(1).is_some_and(|line| line.contains(name.as_string::<i32>().value(0))));
}

#[test]
fn a_file_or_the_output_itself_is_no_folder_for_csv() {
    let dir = output();
    let dir = dir.path();
    for (to, word) in [("c/scene.toml", "is a file"), ("o", "its tables only"), ("./o/distances", "its tables only")] {
        let (_, err) = expect(dir, &format!("export o --csv --to {to}"), 2);
        assert!(err.contains(&format!("--to {to}")) && err.contains(word), "{err}");
    }
    expect(dir, "run c/scene.toml --out o --force", 0);
}

#[test]
fn one_table_goes_to_stdout_or_to_a_folder() {
    let dir = output();
    let dir = dir.path();
    let (out, err) = expect(dir, "export o --csv --table runs --to -", 0);
    assert!(out.starts_with("run,frames,rows,") && out.lines().count() == 3 && err.is_empty(), "{out}{err}");
    expect(dir, "export o/ --csv --table runs --table pairs --to elsewhere/csv", 0);
    let mut names: Vec<_> =
        fs::read_dir(dir.join("elsewhere/csv")).expect("a folder").map(|e| e.expect("one").file_name()).collect();
    names.sort();
    assert_eq!(names, ["pairs.csv", "runs.csv"]);
    assert_eq!(fs::read_to_string(dir.join("elsewhere/csv/runs.csv")).expect("a table"), out);
    let (json, _) = expect(dir, "export o --csv --table runs --json", 0);
    let json: serde_json::Value = serde_json::from_str(&json).expect("one object");
    assert_eq!((&json["files"][0]["table"], &json["files"][0]["rows"]), (&"runs".into(), &2.into()), "{json}");

    // The output is untouched: a run may still replace it.
    expect(dir, "run c/scene.toml --out o --force", 0);
}

#[test]
fn an_export_that_cannot_be_is_refused() {
    let dir = output();
    let dir = dir.path();
    for (args, code, part) in [
        ("export o", 2, "--csv"),
        (
            "export o --csv --table walls",
            2,
            "distances, penetrations, intervals, contacts, pairs, runs, events, issues, known_pairs, bodies",
        ),
        ("export o --csv --table intervals --to elsewhere", 1, "has no table `intervals`"),
        ("export o --csv --table contacts --to elsewhere", 1, "has no table `contacts`: its scene does not ask"),
        ("export o --csv --table events --to elsewhere", 1, "has no table `events`: its scene requires nothing"),
        ("export o --csv --to -", 2, "takes one table"),
        ("export c --csv", 1, "not the output of a finished execution"),
        ("export nowhere --csv", 1, "not the output of a finished execution"),
    ] {
        let (out, err) = expect(dir, args, code);
        assert!(out.is_empty() && err.contains(part), "clearsweep {args}: {err}");
    }
    expect(dir, "export o --csv --table runs", 0);
    let (_, err) = expect(dir, "export o --csv", 1);
    assert!(err.contains("runs.csv: exists already") && err.contains("--force"), "{err}");
    assert!(!dir.join("o-csv/pairs.csv").exists(), "nothing is written where something is refused");
    expect(dir, "export o --csv --force", 0);
    fs::write(dir.join("o/pairs.parquet"), "PAR1 and no more").expect("written");
    let (_, err) = expect(dir, "export o --csv --table pairs --force", 1);
    assert!(err.contains("pairs.parquet"), "{err}");
}

/// Names that a spreadsheet program takes for formulas, and others.
const FORMULAS: [(&str, &str); 8] = [
    ("=HYPERLINK(\"http://a\")", "'=HYPERLINK(\"http://a\")"),
    ("+1", "'+1"),
    ("-pipe", "'-pipe"),
    ("@sum", "'@sum"),
    ("'=quoted", "''=quoted"),
    ("'", "''"),
    ("a=b", "a=b"),
    ("\ttab", "'\ttab"),
];

#[test]
fn texts_that_begin_as_formulas_are_marked_unless_raw() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let mut scene = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 2\n".to_owned();
    for (number, (name, _)) in FORMULAS.iter().enumerate() {
        let (name, x) = (name.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t"), number as f64 - 3.0);
        scene.push_str(&format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ sphere = 1 }}\nstatic = true\nposition = [{x}, 0, 0]\ngroup = \"{name}\"\n"
        ));
    }
    fs::write(dir.join("s.toml"), scene).expect("written");
    expect(dir, "run s.toml --out o", 0);
    let mut signed = 0;
    for (args, is_raw) in [("", false), (" --raw", true)] {
        expect(dir, &format!("export o --csv --force{args}"), 0);
        let read = |table: &str| -> Vec<csv::StringRecord> {
            let reader = csv::Reader::from_path(dir.join(format!("o-csv/{table}.csv"))).expect("CSV");
            reader.into_records().map(|record| record.expect("a record")).collect()
        };
        let shown = |(name, marked): &(&'static str, &'static str)| if is_raw { *name } else { *marked };
        let all: Vec<&str> = FORMULAS.iter().map(shown).collect();
        let bodies: Vec<String> = read("bodies").iter().map(|record| record[0].to_owned()).collect();
        assert_eq!(bodies, all, "{args}");
        for record in read("distances") {
            assert!(record.iter().filter(|cell| all.contains(cell)).count() >= 2, "both names: {record:?}");
            // Numbers stay numbers.
            signed += record.iter().filter(|cell| cell.starts_with('-') && cell.parse::<f64>().is_ok()).count();
        }
        if !is_raw {
            for record in ["bodies", "distances", "pairs", "runs"].into_iter().flat_map(read) {
                let is_number = |cell: &str| cell.parse::<f64>().is_ok() && !all.contains(&cell);
                let is_safe = |cell: &str| is_number(cell) || !cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
                assert!(record.iter().all(is_safe), "{record:?}");
            }
        }
    }
    assert!(signed > 20, "{signed} negative numbers");
}

#[test]
fn rows_are_objects_of_json_too() {
    let dir = output();
    let dir = dir.path();
    let (out, _) = expect(dir, "export o --ndjson", 0);
    assert!(out.contains("pairs.ndjson"), "{out}");
    for table in ["pairs", "runs", "bodies"] {
        let text = fs::read_to_string(dir.join(format!("o-ndjson/{table}.ndjson"))).expect("NDJSON");
        let rows: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
        let batches = batches(&dir.join("o"), table);
        assert_eq!(rows.len(), batches.iter().map(RecordBatch::num_rows).sum::<usize>(), "{table}");
        let names: Vec<String> = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
        assert!(rows[0].as_object().is_some_and(|row| row.keys().eq(&names)), "{table}");
        let mut at = 0;
        for batch in &batches {
            for row in 0..batch.num_rows() {
                for (column, name) in batch.columns().iter().zip(&names) {
                    let value = &rows[at][name];
                    assert_eq!(value.is_null(), column.is_null(row), "{table}, row {at}, {name}: {value}");
                    if let Some(numbers) = column.as_primitive_opt::<Float64Type>().filter(|_| !value.is_null()) {
                        let number = value.as_f64().expect("a number");
                        assert_eq!(
                            number.to_bits(),
                            numbers.value(row).to_bits(),
                            "{table}, row {at}, {name}: {value}"
                        );
                    }
                }
                at += 1;
            }
        }
    }
    let text = fs::read_to_string(dir.join("o-ndjson/bodies.ndjson")).expect("NDJSON");
    assert!(text.contains(r#"["a, b","c","d;e","f\"g"]"#), "lists are lists");
}

#[test]
fn files_are_compressed_on_request() {
    let dir = output();
    let dir = dir.path();
    expect(dir, "export o --csv --table pairs --table runs", 0);
    let (json, _) = expect(dir, "export o --csv --gzip --table pairs --table runs --json", 0);
    assert!(json.contains("pairs.csv.gz"), "{json}");
    for table in ["pairs", "runs"] {
        let bytes = fs::read(dir.join(format!("o-csv/{table}.csv.gz"))).expect("compressed");
        let mut text = String::new();
        let mut decoder = flate2::read::GzDecoder::new(bytes.as_slice());
        std::io::Read::read_to_string(&mut decoder, &mut text).expect("gzip");
        assert_eq!(text, fs::read_to_string(dir.join(format!("o-csv/{table}.csv"))).expect("CSV"));
    }
    let (_, err) = expect(dir, "export o --csv --ndjson", 2);
    assert!(err.contains("--ndjson"), "{err}");
    expect(dir, "export o --ndjson --raw", 2);
    expect(dir, "export o --gzip", 2);
}
