//! What programs read: messages as JSON, streams whose both ends are parsed, and the schemas of all
//! of it.

use crate::program::expect;
use arrow_ipc::reader::StreamReader;
use clearsweep_testing::clone::clone;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

const SEPARATION: &str = "datasets/separation/scene.toml";

/// The objects on the lines of stderr.
fn lines(err: &str) -> Vec<Value> {
    err.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn json(dir: &Path, args: &str, code: i32) -> Value {
    let (out, _) = expect(dir, args, code);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("clearsweep {args}: {error}\n{out}"))
}

fn schema(dir: &Path, name: &str) -> Value {
    json(dir, &format!("schema --object {name} --json"), 0)
}

/// Fails if a value is not as its schema says, or has a key that the schema does not know.
fn validate(root: &Value, schema: &Value, value: &Value, place: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).expect("a definition");
        return validate(root, target, value, place);
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => panic!("{place} has no type in its schema"),
    };
    let fits = allowed.contains(&kind) || (kind == "integer" && allowed.contains(&"number"));
    assert!(fits, "{place} is {kind} and not {allowed:?}: {value}");
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{place} is {value} and none of {words:?}");
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        validate(root, &schema["items"], item, &format!("{place}[{index}]"));
    }
    let Some(object) = value.as_object() else { return };
    for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        assert!(object.contains_key(key), "{place} has no `{key}`");
    }
    for (key, value) in object {
        let known = schema["properties"].get(key).or(schema.get("additionalProperties"));
        let known = known.unwrap_or_else(|| panic!("{place} has `{key}`, which its schema does not know"));
        validate(root, known, value, &format!("{place}.{key}"));
    }
}

/// Validates an object by the schema of this name.
fn check(dir: &Path, name: &str, value: &Value) {
    let schema = schema(dir, name);
    validate(&schema, &schema, value, name);
}

#[test]
fn objects_are_as_their_schemas_say() {
    let dir = clone();
    let dir = dir.path();
    let run = format!("run {SEPARATION} --require 50mm --force --json --out");
    let jobs = [
        ("check", "check datasets/pipe-rack/scene.toml --json".to_owned(), 0),
        ("check", "check datasets/first-clash-check/scene.toml --json".to_owned(), 0),
        ("check", "check datasets/joints/cell.toml --json".to_owned(), 0),
        ("run", format!("{run} new"), 3),
        ("run", format!("{run} old --within 60mm --between linear"), 3),
        ("run", "run datasets/joints/lid.toml --out lid --require 5mm --json".to_owned(), 3),
        ("run", "run datasets/contact/scene.toml --out contact --json".to_owned(), 3),
        ("run-shard", format!("run {SEPARATION} --require 50mm --shard 0/1 --out s --json"), 0),
        ("merge", "merge s --out merged --json".to_owned(), 3),
        ("summary", "summary new --json".to_owned(), 0),
        ("summary", "summary old --json".to_owned(), 0),
        ("summary", "summary lid --json".to_owned(), 0),
        ("summary-several", "summary new old --json".to_owned(), 3),
        ("plan", format!("plan {SEPARATION} --shards 3 --json"), 0),
        ("plan", format!("plan {SEPARATION} --shards 300 --json"), 0),
        ("verify", "verify new --json".to_owned(), 0),
        ("verify", "verify new old --json".to_owned(), 1),
        ("accept", "accept new --to accepted.csv --reason fine --all --json".to_owned(), 0),
        ("run", format!("run {SEPARATION} --require 50mm --accepted accepted.csv --out accepted --json"), 0),
        ("diff", "diff old new --json".to_owned(), 0),
        ("diff", "diff contact new --json".to_owned(), 0),
        ("audit", "audit datasets/simulator-log/scene.toml --allow 1mm --json".to_owned(), 3),
        ("export", "export new --csv --json".to_owned(), 0),
        ("recheck", "recheck old --all --progress none --json".to_owned(), 0),
        ("recheck", "recheck contact --progress none --json".to_owned(), 0),
        ("explain", "explain contact --pair table crate --json".to_owned(), 0),
        ("report", "report new --html page.html --csv issues.csv --json".to_owned(), 0),
        ("report-several", "report new old --html pages.html --json".to_owned(), 3),
        ("query", "query box:1,1,1 sphere:0.5 --pose 2,0,0,1,0,0,0 --explain --direction -1,0,0 --json".to_owned(), 0),
        ("query", "query datasets/pipe-rack/geometry/beam.obj sphere:50 --unit mm --json".to_owned(), 0),
        ("query-between", "query box:1,1,1 sphere:0.5 --between 2,0,4,1,0,0,0 2,0,-4,1,0,0,0 --json".to_owned(), 0),
        ("generate", "generate coherence --out generated --frames 10 --json".to_owned(), 0),
        ("sort", "sort datasets/crowd/trajectories.parquet sorted.parquet --json".to_owned(), 0),
        ("doctor", "doctor --json".to_owned(), 0),
        ("schema", "schema --json".to_owned(), 0),
    ];
    for (name, args, code) in &jobs {
        check(dir, name, &json(dir, args, *code));
    }
    let (help, _) = expect(dir, "schema --help", 0);
    let names = help.split_once("possible values: ").expect("names").1;
    let objects = help.split("possible values: ").nth(2).expect("names");
    assert!(names.contains("distances"), "{help}");
    let known: BTreeSet<&str> = objects.split(']').next().unwrap_or_default().split(',').map(str::trim).collect();
    let tried: BTreeSet<&str> = jobs.iter().map(|(name, ..)| *name).chain(["errors"]).collect();
    assert_eq!(known, tried, "every schema is compared with an object");
}

#[test]
fn the_columns_of_tables_are_printed() {
    let dir = clone();
    let dir = dir.path();
    let whole = json(dir, "schema --json", 0);
    assert_eq!(whole["tables"].as_array().map(Vec::len), Some(11));
    let pairs = json(dir, "schema pairs --json", 0);
    let columns = pairs["tables"][0]["columns"].as_array().expect("columns");
    let least = columns.iter().find(|column| column["name"] == "min_distance_m").expect("a column");
    assert!(least["type"] == "float64" && least["unit"] == "m" && least["nullable"] == true, "{least}");
    let page = fs::read_to_string(clearsweep_testing::data::repository().join("docs/reference/tables.md"));
    let page = page.expect("the reference");
    for column in columns {
        let row =
            format!("| {} | {} |", column["name"].as_str().unwrap_or("?"), column["type"].as_str().unwrap_or("?"));
        assert!(page.contains(&row), "{row}");
    }
    // Rows of a result have no other column.
    expect(dir, &format!("run {SEPARATION} --require 50mm --out o"), 3);
    let (header, _) = expect(dir, "export o --csv --table pairs --to -", 0);
    let names: BTreeSet<&str> = columns.iter().filter_map(|column| column["name"].as_str()).collect();
    assert!(header.lines().next().is_some_and(|line| line.split(',').all(|name| names.contains(name))), "{header}");
    for args in ["schema", "schema pairs", "schema distances", "schema samples", "schema --object run"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
        let done = command.env("COLUMNS", "80").args(args.split(' ')).output().expect("it starts");
        let text = String::from_utf8(done.stdout).expect("text");
        assert!(text.lines().count() > 1 && text.lines().all(|line| line.chars().count() <= 80), "{args}\n{text}");
        assert!(!text.contains("]("), "no links: {text}");
    }
    let (_, err) = expect(dir, "schema walls", 2);
    assert!(err.contains("distances"), "{err}");
}

#[test]
fn messages_are_objects_on_request() {
    let dir = clone();
    let dir = dir.path();
    fs::write(dir.join("wrong.toml"), "[scene]\nlength_unit = \"m\"\n[query]\nwthin = 1\n").expect("written");
    let errors = schema(dir, "errors");
    let one = |args: &str, code: i32| {
        let (out, err) = expect(dir, args, code);
        let lines = lines(&err);
        assert!(out.is_empty() && lines.len() == 1, "clearsweep {args}: {out}{err}");
        validate(&errors, &errors, &lines[0], args);
        assert!(lines[0]["level"] == "error" && lines[0]["exit_code"] == code, "{err}");
        lines[0].clone()
    };
    let found = one("check wrong.toml --errors json", 1);
    assert!(found["kind"] == "input" && found["file"] == "wrong.toml", "{found}");
    assert!(found["place"].as_str().is_some_and(|place| place.starts_with("wrong.toml:")), "{found}");
    assert!(found["help"].as_str().is_some_and(|help| help.contains("`within`")), "{found}");
    let found = one("--errors=json check nowhere.toml --json", 1);
    assert!(found["file"].is_null() && found["place"] == "nowhere.toml", "{found}");
    // The command line itself, too.
    let found = one("check wrong.toml --errors json --jsn", 2);
    assert!(found["kind"] == "usage" && found["help"].as_str().is_some_and(|help| help.contains("--json")), "{found}");
    let found = one("run wrong.toml --errors json", 2);
    assert!(found["message"].as_str().is_some_and(|message| message.contains("--out")), "{found}");
    // Text, unless asked for; help is no error.
    let (_, err) = expect(dir, "check wrong.toml --json", 1);
    assert!(err.starts_with("error: wrong.toml:"), "{err}");
    let (out, err) = expect(dir, "check --help --errors json", 0);
    assert!(out.contains("Usage") && err.is_empty(), "{err}");
    // Warnings.
    let (out, err) = expect(dir, "run datasets/simulator-log/scene.toml --frames 0 --out o --json --errors json", 0);
    serde_json::from_str::<Value>(&out).expect("the summary alone");
    let lines = lines(&err);
    assert!(lines.iter().all(|line| line["level"] == "warning" && line["help"].is_string()), "{err}");
    lines.iter().for_each(|line| validate(&errors, &errors, line, "a warning"));
}

#[test]
fn both_ends_of_a_stream_are_parsed() {
    let dir = clone();
    let dir = dir.path();
    // A size that a unit would explain is a warning.
    let scene = fs::read_to_string(dir.join(SEPARATION)).expect("a scene");
    let body = "\n[[body]]\nname = \"far\"\nstatic = true\nposition = [1e4, 0, 0]\nshape = { sphere = 250 }\n";
    fs::write(dir.join("datasets/separation/large.toml"), scene + body).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    let args = "run datasets/separation/large.toml --require 50mm --out - --json";
    let done = command.current_dir(dir).args(args.split(' ')).output().expect("it starts");
    let err = String::from_utf8(done.stderr).expect("text");
    assert_eq!(done.status.code(), Some(3), "{err}");
    let reader = StreamReader::try_new(done.stdout.as_slice(), None).expect("a stream");
    let rows: usize = reader.map(|batch| batch.expect("a batch").num_rows()).sum();
    let lines = lines(&err);
    let (last, before) = lines.split_last().expect("a summary");
    assert!(before.iter().any(|line| line["level"] == "warning" && line["kind"] == "size"), "{err}");
    assert!(last.get("level").is_none() && last["rows"] == rows, "{err}");
    check(dir, "run", last);
    // An error is a line, too; text if it is asked for.
    let (_, err) = expect(dir, "run nowhere.toml --out - --json", 1);
    assert_eq!(self::lines(&err)[0]["level"], "error");
    let (_, err) = expect(dir, "run nowhere.toml --out - --json --errors text", 1);
    assert!(err.starts_with("error: nowhere.toml"), "{err}");
}
