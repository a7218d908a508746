//! `clearsweep schema`: the columns of tables, and the keys of the objects that `--json` prints.

use super::args::SchemaArgs;
use super::exit::ProgramEnd;
use super::stdout;
use super::text::table;
use super::wrap::{width, wrapped};
use clearsweep::{Error, Result};
use clearsweep_records::manifest::SCHEMA_VERSION;
use clearsweep_records::{CATALOGUE, Column, ColumnType, TableInfo, Words, index_column};
use serde_json::{Map, Value, json};

/// The objects by the command that prints them, each with its JSON Schema.
const OBJECTS: [(&str, &str); 23] = [
    ("accept", include_str!("schema/accept.json")),
    ("audit", include_str!("schema/audit.json")),
    ("check", include_str!("schema/check.json")),
    ("diff", include_str!("schema/diff.json")),
    ("doctor", include_str!("schema/doctor.json")),
    ("errors", include_str!("schema/errors.json")),
    ("explain", include_str!("schema/explain.json")),
    ("export", include_str!("schema/export.json")),
    ("generate", include_str!("schema/generate.json")),
    ("merge", RUN),
    ("plan", include_str!("schema/plan.json")),
    ("query", include_str!("schema/query.json")),
    ("query-between", include_str!("schema/query-between.json")),
    ("recheck", include_str!("schema/recheck.json")),
    ("report", include_str!("schema/report.json")),
    ("report-several", include_str!("schema/report-several.json")),
    (RUN_NAME, RUN),
    ("run-shard", include_str!("schema/run-shard.json")),
    ("schema", include_str!("schema/schema.json")),
    ("sort", include_str!("schema/sort.json")),
    (SUMMARY_NAME, include_str!("schema/summary.json")),
    (SEVERAL_NAME, include_str!("schema/summary-several.json")),
    ("verify", include_str!("schema/verify.json")),
];

/// The summary of a run: also a part of what `summary` prints.
const RUN: &str = include_str!("schema/run.json");
const RUN_NAME: &str = "run";
const SUMMARY_NAME: &str = "summary";
const SEVERAL_NAME: &str = "summary-several";

/// The names of the objects.
pub(super) fn objects() -> [&'static str; OBJECTS.len()] {
    OBJECTS.map(|(name, _)| name)
}

/// Prints a schema.
pub(crate) fn schema(args: &SchemaArgs) -> Result<ProgramEnd> {
    if let Some(name) = &args.object {
        let schema = object(name)?;
        match args.json {
            true => stdout::print_json(&schema)?,
            false => stdout::print(&object_text(&schema))?,
        }
        return Ok(ProgramEnd::Clear);
    }
    let tables: Vec<&TableInfo> =
        CATALOGUE.iter().filter(|table| args.table.as_deref().is_none_or(|name| name == table.name)).collect();
    match (args.json, tables.as_slice()) {
        (true, _) => {
            let tables: Vec<Value> = tables.iter().map(|table| table_json(table)).collect();
            stdout::print_json(&json!({ "schema_version": SCHEMA_VERSION, "tables": tables }))?;
        }
        (false, [table]) => stdout::print(&table_text(table))?,
        (false, tables) => stdout::print(&list_text(tables))?,
    }
    Ok(ProgramEnd::Clear)
}

/// The JSON Schema of an object.
fn object(name: &str) -> Result<Value> {
    let read = |text: &str| serde_json::from_str::<Value>(text).map_err(|error| Error::internal(name, error));
    let text = OBJECTS.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| *text);
    let mut schema = read(text)?;
    if ![SUMMARY_NAME, SEVERAL_NAME].contains(&name) {
        return Ok(schema);
    }
    let mut run = read(RUN)?;
    schema["$defs"] = run["$defs"].take();
    if name == SEVERAL_NAME {
        schema["$defs"]["summary"] =
            json!({ "type": "object", "properties": run["properties"], "required": run["required"] });
        return Ok(schema);
    }
    // The keys of the run come first.
    let lists = schema["properties"].take();
    schema["properties"] = run["properties"].take();
    for (key, value) in lists.as_object().into_iter().flatten() {
        schema["properties"][key] = value.clone();
    }
    let required = [&run["required"], &schema["required"]].into_iter().filter_map(Value::as_array).flatten();
    schema["required"] = required.cloned().collect();
    Ok(schema)
}

/// Where the rows of a table are.
fn place(table: &TableInfo) -> String {
    if table.has_parts { format!("{}/part-*.parquet", table.name) } else { table.file_name() }
}

/// The words of a column that has few.
fn words(column: &Column) -> Option<&'static [&'static str]> {
    match column.kind {
        ColumnType::Text(Words::Fixed(words)) => Some(words),
        _ => None,
    }
}

fn table_json(table: &TableInfo) -> Value {
    let columns = table.all_columns().into_iter().map(|column| {
        json!({
            "name": column.name,
            "type": column.kind.name(),
            "unit": column.unit,
            "nullable": column.nullable,
            "optional": column.is_optional(),
            "values": words(&column),
            "index": index_column(column.name),
            "meaning": plain(column.meaning),
        })
    });
    json!({
        "name": table.name,
        "file": place(table),
        "sorted_by": table.sorted_by(),
        "columns": columns.collect::<Vec<_>>(),
    })
}

/// A line for each table.
fn list_text(tables: &[&TableInfo]) -> String {
    let line = |info: &&TableInfo| {
        let columns = match info.columns.len() {
            0 => "a column for each joint".to_owned(),
            count => format!("{count} columns"),
        };
        (info.name, format!("{}: {columns}{}", place(info), order(info)))
    };
    let text = "clearsweep schema TABLE lists the columns of a table, clearsweep schema --object COMMAND the keys of what a \
                command prints with --json: ";
    let text = format!("{text}{}.", objects().join(", "));
    format!("{}{}\n", table(&tables.iter().map(line).collect::<Vec<_>>()), wrapped(&text, width(), 0))
}

fn order(table: &TableInfo) -> String {
    match table.sorted_by() {
        [] => String::new(),
        names => format!(", sorted by {}", names.join(", ")),
    }
}

/// A line for each column.
fn table_text(info: &TableInfo) -> String {
    let title = format!("{}: {}{}", info.name, place(info), order(info));
    if info.columns.is_empty() {
        let text = "run, frame and time_s, and a column for each joint, under its name";
        return format!("{}\n{}\n", wrapped(&title, width(), 0), wrapped(text, width(), 0));
    }
    let line = |column: &Column| {
        let unit = column.unit.filter(|unit| *unit != "1").map(|unit| format!(" in {unit}")).unwrap_or_default();
        let null = if column.nullable { ", may be null" } else { "" };
        let optional = if column.is_optional() { ", in some results" } else { "" };
        (column.name, format!("{}{unit}{null}{optional}. {}", column.kind.name(), plain(column.meaning)))
    };
    let columns = info.all_columns();
    format!("{}\n{}", wrapped(&title, width(), 0), table(&columns.iter().map(line).collect::<Vec<_>>()))
}

/// A meaning of the reference without its links.
fn plain(meaning: &str) -> String {
    let mut text = meaning.trim().to_owned();
    while let Some(begin) = text.find("](") {
        let (Some(open), Some(end)) = (text[..begin].rfind('['), text[begin..].find(')')) else { break };
        text.replace_range(begin..=begin + end, "");
        text.remove(open);
    }
    text
}

/// A line for each key of an object, those of objects within it below it.
fn object_text(schema: &Value) -> String {
    let mut lines = Vec::new();
    keys(schema, schema, "", &mut lines);
    let title = schema["description"].as_str().unwrap_or_default();
    let lines: Vec<(&str, String)> = lines.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    format!("{}\n{}", wrapped(title, width(), 0), table(&lines))
}

fn keys(root: &Value, schema: &Value, prefix: &str, lines: &mut Vec<(String, String)>) {
    let none = Map::new();
    for (key, value) in schema["properties"].as_object().unwrap_or(&none) {
        let (name, value) = (format!("{prefix}{key}"), resolved(root, value));
        let description = value["description"].as_str().unwrap_or_default();
        let separator = if description.is_empty() { "" } else { ". " };
        lines.push((name.clone(), format!("{}{separator}{description}", kind(value))));
        keys(root, value, &format!("{name}."), lines);
        if value["items"].is_object() {
            keys(root, resolved(root, &value["items"]), &format!("{name}[]."), lines);
        }
    }
}

/// The schema that a reference within `root` leads to.
fn resolved<'v>(root: &'v Value, value: &'v Value) -> &'v Value {
    let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| root.pointer(pointer)).unwrap_or(value)
}

/// The types of a value.
fn kind(value: &Value) -> String {
    match &value["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        kind => kind.as_str().unwrap_or("any").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_lose_their_links() {
        assert_eq!(plain("One of [six](a.md#b), or [two words](d)."), "One of six, or two words.");
        assert_eq!(plain("t in [0, 1)."), "t in [0, 1).");
    }

    #[test]
    fn every_schema_is_read_and_lists_its_keys() {
        for name in objects() {
            let schema = object(name).expect("JSON");
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
            assert!(object_text(&schema).lines().count() > 1, "{name}");
        }
    }
}
