//! `[[bodies]]`: many bodies from the rows of a table.
//!
//! A row is turned into the keys of a `[[body]]` and lowered like one, with the section's own keys as defaults.

mod cells;

use super::body_spec::{self, BODY_KEYS, BodySpec};
use super::digest::read_input;
use super::keys::{Keys, TomlSource};
use super::length::parse_length;
use super::model::{InputDigest, LengthUnit};
use super::row_place::RowPlace;
use crate::error::{Error, Result};
use cells::Cell;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a column holds.
#[derive(Clone, Copy, PartialEq)]
enum BodiesTableFormat {
    Text,
    Number,
    /// A number in the scene's unit, or a text with its own.
    Length,
    Bool,
    Texts,
    /// A table of TOML, such as `{ sphere = 1 }`.
    Table,
}

/// The columns, by the keys of `[[body]]` that they stand for, and what they hold. The first is required.
const COLUMNS: [(&[&str], BodiesTableFormat); 17] = [
    (&["body", "name"], BodiesTableFormat::Text),
    (&["geometry"], BodiesTableFormat::Text),
    (&["shape"], BodiesTableFormat::Table),
    (&["model"], BodiesTableFormat::Text),
    (&["unit"], BodiesTableFormat::Text),
    (&["scale"], BodiesTableFormat::Number),
    (&["up"], BodiesTableFormat::Text),
    (&["offset"], BodiesTableFormat::Length),
    (&["group"], BodiesTableFormat::Texts),
    (&["static"], BodiesTableFormat::Bool),
    (&["x"], BodiesTableFormat::Length),
    (&["y"], BodiesTableFormat::Length),
    (&["z"], BodiesTableFormat::Length),
    (&["qw"], BodiesTableFormat::Number),
    (&["qx"], BodiesTableFormat::Number),
    (&["qy"], BodiesTableFormat::Number),
    (&["qz"], BodiesTableFormat::Number),
];

/// Numbers of the first column of the pose, and of its quaternion, in [`COLUMNS`].
const POSITION: usize = 10;
const ORIENTATION: usize = 13;

/// A value of a row, as TOML is to see it.
enum Written {
    Text(String),
    Texts(Vec<String>),
    /// TOML to be parsed.
    Toml(String),
}

/// Lowers the tables of a scene's `[[bodies]]` sections, in order, and hands each body to `take`.
///
/// # Errors
/// The first key, file or row that does not fit, or the first error of `take`.
pub(super) fn lower(
    source: &TomlSource<'_>,
    top: &Keys<'_>,
    unit: LengthUnit,
    inputs: &mut Vec<InputDigest>,
    take: &mut dyn FnMut(BodySpec) -> Result<()>,
) -> Result<()> {
    for (index, (at, section)) in top.tables("bodies")?.into_iter().enumerate() {
        let defaults = Keys::new(source, format!("[[bodies]] number {}", index + 1), section, at);
        let known = BODY_KEYS.iter().map(|key| if *key == "name" { "table" } else { key });
        defaults.only(&known.collect::<Vec<_>>())?;
        let field = defaults.required("table", "name the table of the bodies: a .parquet or a .csv file")?;
        let path = source.path().parent().unwrap_or(Path::new("")).join(field.text()?);
        let (bytes, digest) = read_input(&path).map_err(|error| {
            let unreadable = Error::unreadable(&path, &error);
            field.error(format!("{} {}", path.display(), unreadable.problem), unreadable.remedy)
        })?;
        inputs.push(digest);
        let names = COLUMNS.map(|(names, _)| names);
        cells::read(&Arc::from(path), bytes, &names, &mut |place, cells| take(body(place, &cells, &defaults, unit)?))?;
    }
    Ok(())
}

/// The body of a row.
fn body(place: RowPlace, cells: &[(usize, Cell)], defaults: &Keys<'_>, unit: LengthUnit) -> Result<BodySpec> {
    let keys = written(&place, cells)?;
    let mut table = DeTable::new();
    for (key, written) in &keys {
        let value = match written {
            Written::Text(text) => DeValue::String(Cow::Borrowed(text)),
            Written::Texts(texts) => {
                let texts = texts.iter().map(|text| Spanned::new(0..0, DeValue::String(Cow::Borrowed(text))));
                DeValue::Array(texts.collect())
            }
            Written::Toml(text) => match DeValue::parse(text) {
                Ok(value) => value.into_inner(),
                Err(error) => {
                    let problem =
                        format!("column `{key}` holds `{text}`, which is not valid TOML: {}", error.message());
                    return Err(Error::input(&place, problem, "write it as in a `[[body]]`, such as `{ sphere = 1 }`"));
                }
            },
        };
        table.insert(Spanned::new(0..0, Cow::Borrowed(*key)), Spanned::new(0..0, value));
    }
    if !table.contains_key("name") {
        return Err(Error::input(&place, "the column `body` is empty", "give the body a unique name"));
    }
    let source = TomlSource::of_row(defaults.source.path(), place);
    body_spec::body(Keys::new(&source, "the row", &table, 0).with_defaults(defaults), unit)
}

/// The keys of a row.
fn written(place: &RowPlace, cells: &[(usize, Cell)]) -> Result<Vec<(&'static str, Written)>> {
    let mut keys = Vec::with_capacity(cells.len());
    let mut pose: [Option<String>; 7] = [const { None }; 7];
    for (number, cell) in cells {
        let (names, kind) = COLUMNS[*number];
        let wrong = |wanted: &str| {
            let problem = format!("column `{}` holds {}, which is not {wanted}", names[0], show(cell));
            Error::input(place, problem, format!("give {wanted}, or leave the cell empty"))
        };
        let written = match (kind, cell) {
            (BodiesTableFormat::Text, Cell::Text(text)) => Written::Text(text.clone()),
            (BodiesTableFormat::Table, Cell::Text(text)) => Written::Toml(text.clone()),
            (BodiesTableFormat::Number | BodiesTableFormat::Length, cell) => {
                let value = match number_of(cell) {
                    Some(value) => toml_number(value),
                    None if kind == BodiesTableFormat::Length => {
                        toml_length(cell).ok_or_else(|| wrong("a length like 0.2 or 50mm"))?
                    }
                    None => return Err(wrong("a number")),
                };
                if *number >= POSITION {
                    pose[*number - POSITION] = Some(value);
                    continue;
                }
                Written::Toml(value)
            }
            (BodiesTableFormat::Bool, cell) => {
                Written::Toml(truth(cell).ok_or_else(|| wrong("true or false"))?.to_string())
            }
            (BodiesTableFormat::Texts, Cell::List(texts)) => Written::Texts(texts.clone()),
            (BodiesTableFormat::Texts, Cell::Text(text)) => Written::Texts(
                text.split(';').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect(),
            ),
            (BodiesTableFormat::Texts, _) => return Err(wrong("a text, or a list of texts")),
            (BodiesTableFormat::Text | BodiesTableFormat::Table, _) => return Err(wrong("a text")),
        };
        // The body's own name is the key `name`.
        keys.push((if *number == 0 { "name" } else { names[0] }, written));
    }
    let (position, orientation) = pose.split_at(ORIENTATION - POSITION);
    if let Some([x, y, z]) = all(place, POSITION, position)?.as_deref() {
        keys.push(("position", Written::Toml(format!("[{x}, {y}, {z}]"))));
    }
    if let Some([w, x, y, z]) = all(place, ORIENTATION, orientation)?.as_deref() {
        keys.push(("orientation", Written::Toml(format!("{{ qw = {w}, qx = {x}, qy = {y}, qz = {z} }}"))));
    }
    Ok(keys)
}

/// Values of neighbouring columns from number `first` on, of which all are there or none.
fn all<'v>(place: &RowPlace, first: usize, values: &'v [Option<String>]) -> Result<Option<Vec<&'v str>>> {
    if values.iter().all(Option::is_none) {
        return Ok(None);
    }
    let names: Vec<&str> = COLUMNS[first..first + values.len()].iter().map(|(names, _)| names[0]).collect();
    match values.iter().position(Option::is_none) {
        None => Ok(Some(values.iter().flatten().map(String::as_str).collect())),
        Some(missing) => {
            let problem = format!("column `{}` is empty, but others of {} are not", names[missing], names.join(", "));
            Err(Error::input(place, problem, "give all of them, or none"))
        }
    }
}

fn number_of(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Number(number) => Some(*number),
        Cell::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn truth(cell: &Cell) -> Option<bool> {
    match cell {
        Cell::Bool(value) => Some(*value),
        Cell::Text(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// A number as TOML writes it; `Debug` of f64 is the shortest text that reads back as the same number.
fn toml_number(value: f64) -> String {
    if value.is_nan() { "nan".to_owned() } else { format!("{value:?}") }
}

/// A length with a unit of its own as TOML writes it; `None`: the cell is none.
fn toml_length(cell: &Cell) -> Option<String> {
    let Cell::Text(text) = cell else { return None };
    // What is a length has no quotes in it.
    parse_length(text, LengthUnit::ALL[0]).ok().map(|_| format!("\"{text}\""))
}

/// A cell for a message.
fn show(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => format!("`{}`", text.chars().take(40).collect::<String>()),
        Cell::Number(number) => format!("the number {number}"),
        Cell::Bool(value) => value.to_string(),
        Cell::List(_) => "a list".to_owned(),
    }
}
