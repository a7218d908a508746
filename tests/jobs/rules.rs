//! Rules: the first that matches a pair says what is required of it, in every table, in the verdict
//! and in the manifest.

use arrow_cast::display::{ArrayFormatter, FormatOptions};
use clearsweep_testing::folder::{files, tables};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Rules of the crowd, in their order: name, `a`, `b`, `require` in metres, severity.
const RULES: [(&str, &str, Option<&str>, f64, &str); 5] = [
    ("overlap allowed", "body-0000?", Some("body-0001?"), -0.01, "minor"),
    ("one", "body-00003", None, 0.04, "critical"),
    ("twenties", "body-0002*", Some("body-0002*"), 0.02, "info"),
    ("never reached", "body-00003", Some("body-00004"), 0.049, "major"),
    ("zero", "group:left", Some("*"), 0.0, "major"),
];

/// Runs the program, checks its exit code, and returns stdout.
pub(super) fn expect(dir: &Path, args: &str, code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    let done =
        command.env_remove("COLUMNS").current_dir(dir).args(args.split_whitespace()).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(done.status.code(), Some(code), "clearsweep {args}\n{out}\n{err}");
    out
}

pub(super) fn manifest(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("manifest.json")).expect("read")).expect("JSON")
}

/// A crowd of 40 bodies in two runs, in `c/`, with a scene of rules and one without.
pub(super) fn crowd() -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    expect(dir.path(), "generate crowd --out c --bodies 40 --frames 70 --runs 2 --density 0.4 --seed 3", 0);
    let path = dir.path().join("c/scene.toml");
    let text = fs::read_to_string(&path).expect("a scene");
    let mut with_group = String::new();
    for part in text.split_inclusive('\n') {
        with_group += part;
        let body =
            part.strip_prefix("name = \"body-").and_then(|rest| rest.get(..5)).and_then(|n| n.parse::<u32>().ok());
        if body.is_some_and(|body| body % 4 == 1) {
            with_group += "group = \"left\"\n";
        }
    }
    fs::write(&path, &with_group).expect("written");
    for (name, a, b, require, severity) in RULES {
        with_group +=
            &format!("[[rule]]\nname = \"{name}\"\na = \"{a}\"\nrequire = {require:?}\nseverity = \"{severity}\"\n");
        with_group += &b.map_or_else(String::new, |b| format!("b = \"{b}\"\n"));
    }
    fs::write(dir.path().join("c/rules.toml"), with_group).expect("written");
    dir
}

/// Index of the rule of a pair, by the words of the contract.
fn rule_of(a: &str, b: &str) -> Option<usize> {
    let number = |body: &str| body["body-".len()..].parse::<u32>().expect("a number");
    let fits = |selector: &str, body: &str| match selector {
        "*" => true,
        "group:left" => number(body) % 4 == 1,
        "body-0000?" => number(body) < 10,
        "body-0001?" => (10..20).contains(&number(body)),
        "body-0002*" => (20..30).contains(&number(body)),
        name => name == body,
    };
    let matches = |(_, first, second, ..): &(&str, &str, Option<&str>, f64, &str)| {
        let second = second.unwrap_or("*");
        (fits(first, a) && fits(second, b)) || (fits(first, b) && fits(second, a))
    };
    RULES.iter().position(matches)
}

/// Rows of Parquet files, as texts by column; without a value `null`.
pub(super) fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let names = if path.is_dir() {
        files(path).into_keys().map(|name| path.join(name)).collect()
    } else {
        vec![path.to_owned()]
    };
    let (options, mut rows) = (FormatOptions::new().with_null("null"), Vec::new());
    for name in names {
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(name).expect("a file")).expect("Parquet");
        for batch in reader.build().expect("a reader") {
            let batch = batch.expect("a batch");
            let schema = batch.schema();
            let cells: Vec<_> =
                batch.columns().iter().map(|c| ArrayFormatter::try_new(c, &options).expect("a column")).collect();
            let row = |row: usize| {
                schema.fields().iter().zip(&cells).map(|(f, c)| (f.name().clone(), c.value(row).to_string())).collect()
            };
            rows.extend((0..batch.num_rows()).map(row));
        }
    }
    rows
}

/// Checks `rule` and `required_m` of rows against the contract; `default`: what is required where
/// no rule matches.
fn check_rules(rows: &[BTreeMap<String, String>], default: &str) -> [u64; RULES.len() + 1] {
    let mut seen = [0; RULES.len() + 1];
    for row in rows {
        let rule = rule_of(&row["body_a"], &row["body_b"]);
        let (name, required) =
            rule.map_or(("default", default.to_owned()), |rule| (RULES[rule].0, format!("{:?}", RULES[rule].3)));
        assert_eq!((row["rule"].as_str(), &row["required_m"]), (name, &required), "{row:?}");
        seen[rule.unwrap_or(RULES.len())] += 1;
    }
    seen
}

pub(super) fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or(f64::NAN)
}

#[test]
fn every_row_interval_and_pair_is_under_its_rule() {
    let dir = crowd();
    let dir = dir.path();
    expect(dir, "run c/scene.toml --out plain --between linear", 0);
    expect(dir, "run c/rules.toml --out ruled --between linear --require 0.03", 3);
    let out = dir.join("ruled");
    let (distances, intervals) = (rows(&out.join("distances")), rows(&out.join("intervals")));
    let pairs = rows(&out.join("pairs.parquet"));
    for (of, table) in [(&distances, "distances"), (&intervals, "intervals"), (&pairs, "pairs")] {
        let seen = check_rules(of, "0.03");
        let empty = RULES.iter().position(|rule| rule.0 == "never reached");
        assert!(seen.iter().enumerate().all(|(rule, &rows)| (rows == 0) == (Some(rule) == empty)), "{table}: {seen:?}");
    }
    // All else is as without rules: the brackets of intervals are finer where a rule needs it.
    let mut bare = distances.clone();
    bare.iter_mut().for_each(|row| row.retain(|column, _| column != "rule" && column != "required_m"));
    assert!(bare == rows(&dir.join("plain/distances")));

    let summary = &manifest(&out)["summary"];
    let violates = |row: &&BTreeMap<String, String>| number(row, "upper_m") < number(row, "required_m");
    let open = |row: &&BTreeMap<String, String>| !violates(row) && number(row, "lower_m") < number(row, "required_m");
    let bodies = |row: &BTreeMap<String, String>| (row["body_a"].clone(), row["body_b"].clone());
    let (mut all, mut all_pairs) = (0, BTreeSet::new());
    for of in summary["rules"].as_array().expect("rules") {
        let here = |rows: &[BTreeMap<String, String>]| -> Vec<BTreeMap<String, String>> {
            rows.iter().filter(|row| of["rule"] == row["rule"].as_str()).cloned().collect()
        };
        let (samples, between) = (here(&distances), here(&intervals));
        let violated: Vec<_> = samples.iter().filter(violates).collect();
        let pairs: BTreeSet<_> = violated.iter().map(|row| bodies(row)).collect();
        assert_eq!(
            (of["rows"].as_u64(), of["violated"].as_u64()),
            (Some(samples.len() as u64), Some(violated.len() as u64))
        );
        assert_eq!(of["undecided"], samples.iter().filter(open).count(), "{of}");
        assert_eq!(of["pairs_violated"], pairs.len(), "{of}");
        let violated_between: Vec<_> = between.iter().filter(violates).collect();
        let pairs_between: BTreeSet<_> = violated_between.iter().map(|row| bodies(row)).collect();
        assert_eq!(
            (of["intervals"].as_u64(), of["intervals_violated"].as_u64()),
            (Some(between.len() as u64), Some(violated_between.len() as u64))
        );
        assert_eq!(of["pairs_violated_between"], pairs_between.len(), "{of}");
        all += violated.len();
        all_pairs.extend(pairs);
    }
    assert_eq!(
        (summary["violated"].as_u64(), summary["pairs_violated"].as_u64()),
        (Some(all as u64), Some(all_pairs.len() as u64))
    );
    assert!(all > 100 && all_pairs.len() > 10, "not representative: {all} rows, {} pairs", all_pairs.len());
    for run in rows(&out.join("runs.parquet")) {
        let here = distances.iter().filter(|row| row["run"] == run["run"]).filter(violates).count();
        assert_eq!(run["violated"], here.to_string());
    }
    for pair in summary["violating_pairs"].as_array().expect("a list") {
        let name = |key: &str| pair[key].as_str().expect("a text");
        let rule = rule_of(name("body_a"), name("body_b"));
        assert_eq!(pair["rule"], rule.map_or("default", |rule| RULES[rule].0));
        assert_eq!(pair["required_m"], rule.map_or(0.03, |rule| RULES[rule].3));
    }
}

#[test]
fn tables_of_rules_depend_on_neither_threads_nor_memory_nor_method() {
    let dir = crowd();
    let dir = dir.path();
    let mut first = None;
    for (number, options) in
        ["", "--threads 1", "--threads 3 --memory 64MiB", "--broad sweep", "--narrow gjk"].iter().enumerate()
    {
        expect(dir, &format!("run c/rules.toml --out o{number} {options}"), 3);
        let found = tables(&dir.join(format!("o{number}")));
        let first = first.get_or_insert_with(|| found.clone());
        assert!(*first == found, "{options}");
    }
}

#[test]
fn a_stream_has_the_columns_of_rules() {
    let dir = crowd();
    let dir = dir.path();
    expect(dir, "run c/rules.toml --out tables --columns distance", 3);
    let done = Command::new(env!("CARGO_BIN_EXE_clearsweep"))
        .current_dir(dir)
        .args("run c/rules.toml --out - --columns distance --progress none".split_whitespace())
        .output()
        .expect("it starts");
    let batches: Vec<_> = arrow_ipc::reader::StreamReader::try_new(&done.stdout[..], None)
        .expect("a stream")
        .collect::<Result<_, _>>()
        .expect("decoded");
    let names: Vec<_> = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
    assert!(names.ends_with(&["rule".to_owned(), "required_m".to_owned()]), "{names:?}");
    let stored = rows(&dir.join("tables/distances"));
    let options = FormatOptions::new().with_null("null");
    let mut at = 0;
    for batch in &batches {
        let cell = |name: &str| {
            ArrayFormatter::try_new(batch.column_by_name(name).expect("a column"), &options).expect("texts")
        };
        let [rule, required] = ["rule", "required_m"].map(cell);
        for row in 0..batch.num_rows() {
            let of = [&stored[at]["rule"], &stored[at]["required_m"]];
            assert_eq!([&rule.value(row).to_string(), &required.value(row).to_string()], of);
            at += 1;
        }
    }
    assert_eq!(at, stored.len());
}

/// Two spheres of radius 1 m at rest, `gap` metres apart, with these lines of `[query]` and these
/// rules.
pub(super) fn spheres(gap: f64, query: &str, rules: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let body = |name: &str, x: f64| {
        format!("[[body]]\nname = \"{name}\"\nstatic = true\nshape = {{ sphere = 1 }}\nposition = [{x:?}, 0, 0]\n")
    };
    let text = format!("[scene]\nlength_unit = \"mm\"\n[query]\n{query}\n").replace("\"mm\"", "\"m\"");
    fs::write(dir.path().join("scene.toml"), text + &body("a", 0.0) + &body("b", 2.0 + gap) + rules).expect("written");
    dir
}

#[test]
fn verdicts_and_exit_codes_follow_the_rules() {
    let rule = |name: &str, b: &str, require: &str| {
        format!("[[rule]]\nname = \"{name}\"\na = \"a\"\nb = \"{b}\"\nrequire = \"{require}\"\n")
    };
    for (gap, query, rules, code, verdict) in [
        (0.05, "", rule("r", "b", "40mm"), 0, "clear"),
        (0.05, "", rule("r", "b", "60mm"), 3, "violated"),
        // The first that matches, whatever those behind it say.
        (0.05, "", rule("r", "b", "40mm") + &rule("s", "*", "60mm"), 0, "clear"),
        (0.05, "", rule("s", "*", "60mm") + &rule("r", "b", "40mm"), 3, "violated"),
        // A rule outranks [query].
        (0.05, "require = 0.06", rule("r", "b", "40mm"), 0, "clear"),
        (0.05, "require = 0.01", rule("r", "b", "60mm"), 3, "violated"),
        // An overlap is allowed, but not a deeper one.
        (-0.002, "within = 0.1", rule("r", "b", "-3mm"), 0, "clear"),
        (-0.004, "within = 0.1", rule("r", "b", "-3mm"), 3, "violated"),
        (-0.004, "", rule("r", "b", "-3mm"), 3, "violated"),
        // A rule that matches nothing requires nothing.
        (0.05, "within = 0.1", rule("r", "nobody", "60mm"), 0, "clear"),
    ] {
        let dir = spheres(gap, query, &rules);
        expect(dir.path(), "run scene.toml --out o", code);
        let manifest = manifest(&dir.path().join("o"));
        assert_eq!(manifest["summary"]["verdict"], verdict, "{gap} {query}\n{rules}");
        let text = expect(dir.path(), "summary o", 0);
        assert_eq!(text.contains("VIOLATED"), code == 3, "{text}");
    }
}

#[test]
fn rules_that_match_nothing_are_warned_of_wherever_one_looks() {
    let rules = "[[rule]]\nname = \"all\"\na = \"*\"\nrequire = 0.01\n[[rule]]\nname = \"late\"\na = \"a\"\nb = \"b\"\nrequire = 0.02\n\
                 [[rule]]\nname = \"typo\"\na = \"group:pips\"\nrequire = 0.02\n";
    let dir = spheres(0.05, "", rules);
    let dir = dir.path();
    let warned = |warnings: &Value| -> Vec<String> {
        let list = warnings.as_array().expect("a list").iter().filter(|warning| warning["kind"] == "rule");
        list.map(|warning| warning["problem"].as_str().expect("a text").to_owned()).collect()
    };
    let checked: Value = serde_json::from_str(&expect(dir, "check scene.toml --json", 0)).expect("JSON");
    expect(dir, "run scene.toml --out o", 0);
    let found = warned(&checked["warnings"]);
    assert_eq!(found, warned(&manifest(&dir.join("o"))["warnings"]));
    assert!(
        matches!(&found[..], [late, typo] if late.contains("`late`") && typo.contains("`typo`") && typo.contains("`pips`")),
        "{found:?}"
    );
    let pairs: Vec<_> =
        checked["rules"].as_array().expect("a list").iter().map(|rule| rule["pairs"].as_u64()).collect();
    assert_eq!(pairs, [Some(1), Some(0), Some(0), Some(0)]);
    let text = expect(dir, "check scene.toml", 0);
    assert!(text.contains("all: 0.01 m, * against everything, major: 1 pair"), "{text}");
    // The rest of a list holds; what of it names nothing is told.
    let list = "[[rule]]\nname = \"list\"\na = [\"a\", \"group:pips\", \"c*\"]\nb = [\"b\"]\nrequire = 0.02\n";
    let dir = spheres(0.05, "", list);
    let checked: Value = serde_json::from_str(&expect(dir.path(), "check scene.toml --json", 0)).expect("JSON");
    let found = warned(&checked["warnings"]);
    let parts = ["`list`, key `a`: no body belongs to the group `pips`", "`list`, key `a`: `c*` matches no body"];
    assert!(found.len() == 2 && found.iter().zip(parts).all(|(found, part)| found.contains(part)), "{found:?}");
    let rule = &checked["rules"][0];
    assert_eq!((&rule["pairs"], rule["a"].as_str()), (&1.into(), Some("[\"a\", \"group:pips\", \"c*\"]")));
}

#[test]
fn pairs_are_reported_a_quarter_beyond_the_largest_requirement() {
    let rule = |require: &str| format!("[[rule]]\nname = \"r\"\na = \"*\"\nrequire = \"{require}\"\n");
    for (rules, query, within) in [
        (rule("40mm"), "", 0.05 + 1e-6),
        (rule("40mm"), "require = 0.08", 0.1 + 1e-6),
        (rule("-2mm"), "", 1e-6),
        (rule("40mm"), "within = 0.3", 0.3),
        (rule("40mm"), "touch = 0.001", 0.051),
        (String::new(), "require = 0.08", 0.1 + 1e-6),
        (String::new(), "require = 0", 1e-6),
    ] {
        let dir = spheres(0.5, query, &rules);
        let checked: Value = serde_json::from_str(&expect(dir.path(), "check scene.toml --json", 0)).expect("JSON");
        let found = checked["within_m"].as_f64().expect("a length");
        assert!((found - within).abs() < 1e-15, "{rules} {query}: {found}");
    }
    // If nothing is required, `within` has to be stated.
    let dir = spheres(0.5, "touch = 0", "");
    expect(dir.path(), "check scene.toml", 1);
    let dir = spheres(0.095, "", "");
    let dir = dir.path();
    // Nearer than a quarter beyond what is required: a row. The output says from what `within`
    // follows.
    for (args, derived) in [("--require 80mm", true), ("--require 80mm --within 100mm", false)] {
        expect(dir, &format!("run scene.toml --out o --force {args}"), 0);
        let manifest = manifest(&dir.join("o"));
        assert_eq!(manifest["summary"]["rows"], 1);
        assert_eq!(manifest["options"]["within_from_require"], if derived { true.into() } else { Value::Null });
        let words = "(follows from what is required)";
        assert_eq!(expect(dir, "summary o", 0).contains(words), derived, "{args}");
        assert_eq!(expect(dir, &format!("check scene.toml {args}"), 0).contains(words), derived, "{args}");
    }
}

#[test]
fn presets_are_rules_of_a_scene() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/presets");
    let presets: Vec<_> = files(&folder).into_iter().collect();
    assert_eq!(presets.len(), 2, "{folder:?}");
    for (name, bytes) in presets {
        let rules = String::from_utf8(bytes).expect("text");
        let dir = spheres(0.05, "", &rules);
        let checked: Value = serde_json::from_str(&expect(dir.path(), "check scene.toml --json", 0)).expect("JSON");
        let found = checked["rules"].as_array().expect("rules").len();
        assert_eq!(found, rules.matches("[[rule]]").count() + 1, "{name:?}");
    }
}

#[test]
fn classes_and_levels_select_bodies() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let parts = "body,shape,x,y,z,class,level\n\
        wall,\"{ box = [1.0, 0.1, 1.0] }\",0,0,0,IfcWall,Level 1\n\
        slab,\"{ box = [1.0, 1.0, 0.1] }\",0,0,0.56,IfcSlab,Level 2\n\
        duct,\"{ box = [0.2, 0.2, 0.2] }\",0,0.16,0,IfcDuctSegment,Level 1\n\
        lamp,\"{ sphere = 0.1 }\",0.2,0.3,0.4,IfcLamp,Level 2\n";
    fs::write(dir.join("parts.csv"), parts).expect("written");
    let rule = |name: &str, a: &str, b: &str| {
        format!("[[rule]]\nname = \"{name}\"\na = \"{a}\"\nb = \"{b}\"\nrequire = 0.05\n")
    };
    let head = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.6\n[[bodies]]\ntable = \"parts.csv\"\nstatic = true\n\
        [[body]]\nname = \"door\"\nclass = \"IfcDoor\"\nlevel = \"Level 1\"\nshape = { box = [0.1, 0.1, 0.1] }\nstatic = true\n\
        position = [0.6, 0.0, 0.0]\n";
    let rules = rule("walls", "class:IfcWall", "class:IfcDuctSegment") + &rule("upper", "level:Level 2", "*");
    fs::write(
        dir.join("scene.toml"),
        head.to_owned() + &rules + &rule("lower", "level:Level 1", "group:level:Level 1"),
    )
    .expect("written");
    expect(dir, "run scene.toml --out out", 3);
    let found: BTreeMap<[String; 2], String> = rows(&dir.join("out/pairs.parquet"))
        .into_iter()
        .map(|row| {
            let mut bodies = ["body_a", "body_b"].map(|body| row[body].clone());
            bodies.sort();
            (bodies, row["rule"].clone())
        })
        .collect();
    let rule_of = |a: &str, b: &str| found.get(&[a.to_owned(), b.to_owned()]).map(String::as_str);
    assert_eq!(rule_of("duct", "wall"), Some("walls"));
    assert_eq!(rule_of("slab", "wall"), Some("upper"));
    assert_eq!(rule_of("door", "wall"), Some("lower"));
    assert_eq!(rule_of("lamp", "slab"), Some("upper"));
    fs::write(dir.join("typo.toml"), head.to_owned() + &rule("walls", "class:IfcWal", "*")).expect("written");
    let checked = expect(dir, "check typo.toml", 0);
    let checked = checked.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(checked.contains("no body is of the class `IfcWal`"), "{checked}");
    assert!(checked.contains("did you mean `class:IfcWall`?"), "{checked}");
}
