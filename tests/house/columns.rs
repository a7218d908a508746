//! The columns of docs/reference/tables.md and the keys of docs/reference/manifest.md are those
//! that are declared.

use clearsweep_records::manifest;
use clearsweep_records::{CATALOGUE, RECHECK, TableInfo};
use serde_json::{Value, to_value};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// The variable with which the tables are written anew.
const UPDATE: &str = "CLEARSWEEP_UPDATE_COLUMNS";

/// The columns of a table as Markdown.
fn listed(table: &TableInfo) -> String {
    let mut text = "| column | type | unit | null | meaning |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for column in table.all_columns() {
        let null = if column.nullable { "yes" } else { "no" };
        let (unit, meaning) = (column.unit.unwrap_or(""), column.meaning.trim().trim_end_matches('.'));
        let kind = column.kind.name();
        writeln!(text, "| {} | {kind} | {unit} | {null} | {meaning} |", column.name).expect("a text grows");
    }
    text
}

#[test]
fn the_columns_of_the_reference_are_those_that_are_declared() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/tables.md");
    let kept = std::fs::read_to_string(&path).expect("the reference").replace('\r', "");
    let mut page = kept.clone();
    for table in CATALOGUE.iter().chain([&RECHECK]).filter(|table| !table.columns.is_empty()) {
        let (begin, end) = (format!("<!-- columns: {} -->\n", table.name), "<!-- end -->");
        let from = page.find(&begin).unwrap_or_else(|| panic!("no place for the columns of `{}`", table.name));
        let from = from + begin.len();
        let to = from + page[from..].find(end).expect("an end of the columns");
        page.replace_range(from..to, &listed(table));
    }
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &page).expect("docs/reference/tables.md can be written");
        return;
    }
    let differing = page.lines().zip(kept.lines()).find(|(declared, kept)| declared != kept);
    assert!(
        page == kept,
        "docs/reference/tables.md lists other columns than crates/records declares: {differing:?}\nto write them anew: \
         {UPDATE}=1 cargo test --test house columns::"
    );
}

/// The keys of an object with all that may be in it.
fn keys(value: serde_json::Result<Value>) -> Vec<String> {
    match value {
        Ok(Value::Object(object)) => object.keys().cloned().collect(),
        other => panic!("no object: {other:?}"),
    }
}

#[test]
fn the_reference_names_every_key_of_the_manifest() {
    let page = include_str!("../../docs/reference/manifest.md");
    let words: BTreeSet<&str> = page.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let all = [
        keys(to_value(manifest::Manifest::default())),
        keys(to_value(manifest::Summary::default())),
        keys(to_value(manifest::RuleFindings::default())),
        keys(to_value(manifest::ListedPair::default())),
        keys(to_value(manifest::Worst::default())),
        keys(to_value(manifest::Intervals::default())),
        keys(to_value(manifest::Least::default())),
        keys(to_value(manifest::FirstContact::default())),
        keys(to_value(manifest::SweptJoint::default())),
        keys(to_value(manifest::Hulls::default())),
        keys(to_value(manifest::OpenMeshes::default())),
        keys(to_value(manifest::Dispositions::default())),
        keys(to_value(manifest::SceneEntry::default())),
        keys(to_value(manifest::IgnoreRule::default())),
        keys(to_value(manifest::Options::default())),
        keys(to_value(manifest::Warning::default())),
        keys(to_value(manifest::Resumed::default())),
        keys(to_value(manifest::Input::default())),
        keys(to_value(manifest::Counts::default())),
        keys(to_value(manifest::RowsDigest::default())),
        keys(to_value(manifest::Shard::default())),
        keys(to_value(manifest::Overrides::default())),
        keys(to_value(manifest::Shards::default())),
        keys(to_value(manifest::Device::default())),
        keys(to_value(manifest::TrialTimes::default())),
        keys(to_value(manifest::Adapter::default())),
        keys(to_value(manifest::GpuReport::default())),
        keys(to_value(manifest::Fallback::default())),
    ];
    let unnamed: Vec<&String> = all.iter().flatten().filter(|key| !words.contains(key.as_str())).collect();
    assert!(unnamed.is_empty(), "docs/reference/manifest.md does not name {unnamed:?}");
}
