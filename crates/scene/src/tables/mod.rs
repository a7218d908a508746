//! `[[bodies]]`: many bodies from the rows of a table.
//!
//! A section with `each` makes bodies of a geometry file, and its table says in what some of them
//! differ.
//!
//! The cells of a row are the keys of a `[[body]]`: it is lowered like one, with the section's own
//! keys as defaults.

mod alike;
mod cells;
mod columns;

use super::body_spec::{self, BODY_KEYS, BodySpec, GeometrySpec, LoweredDefaults};
use super::digest::InputReader;
use super::each::{self, EachSection, MadeOfFiles, OWN_KEYS, OverrideRow};
use super::keys::{Field, Keys, SceneSource};
use super::length::parse_length;
use super::readers;
use super::row_place::RowPlace;
use super::values::Value;
use alike::LoweredRow;
use cells::Cell;
use clearsweep_base::error::{Error, Result};
use clearsweep_base::workers::Workers;
use clearsweep_model::LengthUnit;
use columns::{
    BodiesTableFormat, COLUMNS, GEOMETRY, ID, MATRIX, ORIENTATION, POSE_COLUMNS, POSITION, SHAPE, STATIC, TableColumns,
};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;
use toml::de::DeValue;

/// Rows of a table that wait to be lowered together.
const WAITING_ROWS: usize = 1 << 14;

/// Bytes of texts of rows that wait: hostile tables have long ones.
const WAITING_BYTES: u64 = 4 << 20;

/// Rows that a thread takes at a time, and how many times as many are worth its start.
const ROWS_OF_TASK: usize = 256;
const TASKS_OF_THREAD: usize = 4;

/// Lowers a scene's `[[bodies]]` sections, in order, and hands each body to `take`, which says its
/// index; the files that were read and what became of their nodes are added to `read`.
///
/// # Errors
/// The first key, file or row that does not fit, or the first error of `take`.
pub(super) fn lower(
    source: &SceneSource<'_>,
    top: &Keys<'_>,
    unit: LengthUnit,
    read: (&mut InputReader, &mut MadeOfFiles),
    take: &mut dyn FnMut(BodySpec) -> Result<u32>,
) -> Result<()> {
    let (inputs, made) = read;
    for (index, (at, section)) in top.tables("bodies")?.into_iter().enumerate() {
        let keys = Keys::new(source, format!("[[bodies]] number {}", index + 1), section, at);
        let section = EachSection::of(&keys)?;
        // Without `each` every row has a name of its own.
        let known: Vec<&str> = match &section {
            Some(_) => OWN_KEYS.iter().chain(&BODY_KEYS[1..]).copied().collect(),
            None => ["table", "columns"].iter().chain(&BODY_KEYS[1..]).chain(&["each"]).copied().collect(),
        };
        keys.only(&known)?;
        if let Some(section) = section {
            lower_parts(section, unit, (inputs, made), take)?;
            continue;
        }
        let parts = match each::fitting(&keys) {
            Some(each) => format!("say {each} to make bodies of the parts of the `geometry`"),
            None => "add a `geometry` and `each` to make bodies of the parts of that file".to_owned(),
        };
        let remedy = format!("name the table of the bodies: a .parquet or a .csv file; or {parts}");
        let field = keys.required("table", remedy)?;
        let (path, bytes) = open(&field, inputs)?;
        let columns = TableColumns::of(&keys, unit)?;
        let defaults = RowDefaults { keys: &keys, columns, lowered: LoweredDefaults::default() };
        let mut rows = WaitingRows::default();
        let read = cells::read(&Arc::from(path), (bytes, inputs.limit), &defaults.columns, &mut |place, cells| {
            rows.bytes += cells.iter().map(|(_, cell)| cell.bytes()).sum::<u64>();
            rows.rows.push((place, cells));
            let waits = rows.rows.len() < WAITING_ROWS && rows.bytes < WAITING_BYTES;
            if waits { Ok(()) } else { rows.lower(&defaults, unit, take) }
        });
        // An error of a row comes before the errors of later rows.
        rows.lower(&defaults, unit, take)?;
        read?;
    }
    Ok(())
}

/// The keys of a section, which hold for its rows, and the columns of its table.
struct RowDefaults<'a> {
    keys: &'a Keys<'a>,
    columns: TableColumns,
    lowered: LoweredDefaults,
}

/// Rows that are lowered together, on all threads.
#[derive(Default)]
struct WaitingRows {
    rows: Vec<(RowPlace, Vec<(usize, Cell)>)>,
    /// Bytes of their texts.
    bytes: u64,
}

impl WaitingRows {
    /// Lowers the rows, and hands the bodies on in order.
    fn lower(
        &mut self,
        defaults: &RowDefaults<'_>,
        unit: LengthUnit,
        take: &mut dyn FnMut(BodySpec) -> Result<u32>,
    ) -> Result<()> {
        let Self { rows, .. } = std::mem::take(self);
        let tasks: Vec<&[_]> = rows.chunks(ROWS_OF_TASK).collect();
        let workers = Workers::new(defaults.keys.source.threads);
        let lowered = workers.each(tasks.len(), TASKS_OF_THREAD, |task| {
            // The last row that was lowered key by key.
            let mut known: Option<LoweredRow<'_>> = None;
            let rows = tasks[task].iter().map(|(place, cells)| {
                if let Some(body) = known.as_ref().and_then(|known| known.alike(place, cells, &defaults.columns.units))
                {
                    return Ok(body);
                }
                let body = body(place.clone(), cells, defaults, unit)?;
                known = Some(LoweredRow { cells, body: body.clone() });
                Ok(body)
            });
            rows.collect::<Vec<_>>()
        });
        lowered.into_iter().flatten().try_for_each(|body| take(body?).map(|_| ()))
    }
}

/// The path and the bytes of the file that a key names, relative to the scene.
fn open(field: &Field<'_>, inputs: &mut InputReader) -> Result<(PathBuf, Vec<u8>)> {
    let path = field.scene().parent().unwrap_or(Path::new("")).join(field.text()?);
    let bytes = inputs.read(&path).map_err(|error| {
        let unreadable = Error::unreadable_of_scene(&path, &error);
        field.error(format!("{} {}", path.display(), unreadable.problem), unreadable.remedy)
    })?;
    Ok((path, bytes))
}

/// Lowers a section with `each`.
fn lower_parts(
    mut section: EachSection<'_>,
    unit: LengthUnit,
    (inputs, made): (&mut InputReader, &mut MadeOfFiles),
    take: &mut dyn FnMut(BodySpec) -> Result<u32>,
) -> Result<()> {
    let keys = section.keys;
    let geometry = keys.required("geometry", "name the geometry file of which bodies are to be made")?;
    section.stands = Some(body_spec::pose_at(keys, unit)?);
    // Defaults of each body: a part stands where the file has it, unless it is to move.
    let hidden = [&OWN_KEYS[..], &["position", "orientation"]].concat();
    let still = Keys::new(keys.source, "", Value::Table(&[("static", Value::Bool(true))]), keys.at);
    let part_keys = keys.clone().without(&hidden).with_defaults(&still);
    let columns = TableColumns::of(keys, unit)?;
    let defaults = RowDefaults { keys: &part_keys, columns, lowered: LoweredDefaults::default() };
    let name = [("name", Value::Text("part"))];
    let template = Keys::new(keys.source, "", Value::Table(&name), keys.at).with_defaults(&part_keys);
    let template = body_spec::body(template, unit)?;
    let GeometrySpec::File { reading, scene, .. } = &template.geometry else {
        return Err(Error::internal(keys.source.path().display(), "a geometry file was lost"));
    };
    let plant = each::plant_options(keys, &geometry)?;
    let (path, bytes) = open(&geometry, inputs)?;
    let options = (scene.as_ref(), &plant);
    let file = readers::read_parts(&path, bytes, section.each, options, inputs).map_err(|fault| {
        let line = fault.line.map_or(String::new(), |line| format!(":{line}"));
        let used = format!("`geometry` of {}, {}", keys.owner, geometry.place());
        Error::input(format!("{}{line} ({used})", path.display()), fault.problem, fault.remedy)
    })?;
    let rows = match keys.get("table") {
        Some(field) => override_rows(&field, &defaults, unit, inputs)?,
        None if let Some(stray) = keys.get("columns") => {
            let remedy = "add a `table`, or remove the key";
            return Err(stray.error("these are columns of a `table`, and the section has none", remedy));
        }
        None => HashMap::new(),
    };
    each::lower(&section, (&Arc::from(path), &file), (&template, *reading), rows, made, take)
}

/// The rows of a table that says in what some bodies differ, by their names.
fn override_rows(
    field: &Field<'_>,
    defaults: &RowDefaults<'_>,
    unit: LengthUnit,
    inputs: &mut InputReader,
) -> Result<HashMap<String, OverrideRow>> {
    let (path, bytes) = open(field, inputs)?;
    let mut rows: HashMap<String, OverrideRow> = HashMap::new();
    cells::read(&Arc::from(path), (bytes, inputs.limit), &defaults.columns, &mut |place, cells| {
        let has = |numbers: std::ops::Range<usize>| cells.iter().any(|(number, _)| numbers.contains(number));
        let row = OverrideRow {
            spec: body(place.clone(), &cells, defaults, unit)?,
            has_geometry: has(GEOMETRY..SHAPE + 1),
            has_position: has(POSITION..ORIENTATION),
            has_orientation: has(ORIENTATION..COLUMNS.len()),
            is_static: cells.iter().find(|(number, _)| *number == STATIC).and_then(|(_, cell)| truth(cell)),
            place,
        };
        match rows.insert(row.spec.name.clone(), row) {
            None => Ok(()),
            Some(first) => {
                let problem =
                    format!("the body `{}` has two rows, the first of them at {}", first.spec.name, first.place);
                Err(Error::input(field.place(), problem, "keep one row for each body"))
            }
        }
    })?;
    Ok(rows)
}

/// The body of a row.
fn body(place: RowPlace, cells: &[(usize, Cell)], defaults: &RowDefaults<'_>, unit: LengthUnit) -> Result<BodySpec> {
    let mut values = Vec::with_capacity(cells.len() + 2);
    let (mut shape, mut matrix, mut pose) = (None, None, [None; POSE_COLUMNS]);
    for &(number, ref cell) in cells {
        match (number, value(&place, number, cell, &defaults.columns.units)?) {
            (POSITION.., value) => pose[number - POSITION] = Some(value),
            (SHAPE, Value::Text(text)) => shape = Some(text),
            (MATRIX, Value::Text(text)) => matrix = Some(text),
            // A table may have a column of this name for others.
            (ID, Value::Text(_)) => {}
            // The body's own name is the key `name`.
            (0, value) => values.push(("name", value)),
            (_, value) => values.push((COLUMNS[number].0[0], value)),
        }
    }
    let (position, orientation) = pose.split_at(ORIENTATION - POSITION);
    let position = all::<3>(&place, POSITION, position)?;
    let orientation = all::<4>(&place, ORIENTATION, orientation)?;
    let orientation = orientation.map(|[w, x, y, z]| [("qw", w), ("qx", x), ("qy", y), ("qz", z)]);
    let shape = shape.map(|text| toml(&place, SHAPE, text)).transpose()?;
    let matrix = matrix.map(|text| toml(&place, MATRIX, text)).transpose()?;
    values.extend(position.as_ref().map(|position| ("position", Value::List(position))));
    values.extend(orientation.as_ref().map(|orientation| ("orientation", Value::Table(orientation))));
    values.extend(shape.as_ref().map(|shape| ("shape", Value::of(shape))));
    values.extend(matrix.as_ref().map(|matrix| ("matrix", Value::of(matrix))));
    if cells.iter().all(|(number, _)| *number != 0) {
        return Err(Error::input(&place, "the column `body` is empty", "give the body a unique name"));
    }
    let source = SceneSource::of_row(defaults.keys.source.path(), place);
    let keys = Keys::new(&source, "the row", Value::Table(&values), 0).with_defaults(defaults.keys);
    let body = body_spec::body_of_row(keys, unit, &defaults.lowered)?;
    Ok(BodySpec { pose_steps: alike::pose_steps(cells, &defaults.columns.units), ..body })
}

/// The value of a cell in a column of this number; `units`: of lengths, by column.
fn value<'c>(place: &RowPlace, number: usize, cell: &'c Cell, units: &[LengthUnit]) -> Result<Value<'c>> {
    let (names, format) = COLUMNS[number];
    let (value, wanted) = match (format, cell) {
        (BodiesTableFormat::Text, Cell::Text(text)) => return Ok(Value::Text(text)),
        (BodiesTableFormat::Text, _) => (None, "a text"),
        (BodiesTableFormat::Number, cell) => (cell.number().map(Value::Number), "a number"),
        (BodiesTableFormat::Length, cell) => match (cell.number(), cell) {
            (None, Cell::Text(text)) if parse_length(text, LengthUnit::ALL[0]).is_ok() => return Ok(Value::Text(text)),
            (length, _) => (length.map(|length| Value::Length(length, units[number])), "a length like 0.2 or 50mm"),
        },
        (BodiesTableFormat::Bool, cell) => (truth(cell).map(Value::Bool), "true or false"),
        (BodiesTableFormat::Integer, cell) => return Ok(cell.integer().map_or(Value::Text(""), Value::Integer)),
        (BodiesTableFormat::Texts, Cell::List(texts)) => return Ok(Value::Texts(texts)),
        (BodiesTableFormat::Texts, Cell::Text(text)) => return Ok(Value::Words(text)),
        (BodiesTableFormat::Texts, _) => (None, "a text, or a list of texts"),
    };
    value.ok_or_else(|| {
        let problem = format!("column `{}` holds {}, which is not {wanted}", names[0], show(cell));
        Error::input(place, problem, format!("give {wanted}, or leave the cell empty"))
    })
}

/// The value of a cell that holds TOML.
fn toml<'c>(place: &RowPlace, number: usize, text: &'c str) -> Result<DeValue<'c>> {
    DeValue::parse(text).map(Spanned::into_inner).map_err(|error| {
        let name = COLUMNS[number].0[0];
        let problem = format!("column `{name}` holds `{text}`, which is not valid TOML: {}", error.message());
        let remedy = match number {
            MATRIX => "write it as in a `[[body]]`, such as `[[1, 0, 0], [0, 1, 0], [0, 0, 2]]`",
            _ => "write it as in a `[[body]]`, such as `{ sphere = 1 }`",
        };
        Error::input(place, problem, remedy)
    })
}

/// Values of neighbouring columns from number `first` on: all of them, or none.
fn all<'v, const N: usize>(
    place: &RowPlace,
    first: usize,
    values: &[Option<Value<'v>>],
) -> Result<Option<[Value<'v>; N]>> {
    let Some(missing) = values.iter().position(Option::is_none) else {
        return Ok(values.iter().copied().flatten().collect::<Vec<_>>().try_into().ok());
    };
    if values.iter().all(Option::is_none) {
        return Ok(None);
    }
    let names: Vec<&str> = COLUMNS[first..first + values.len()].iter().map(|(names, _)| names[0]).collect();
    let problem = format!("column `{}` is empty, but others of {} are not", names[missing], names.join(", "));
    Err(Error::input(place, problem, "give all of them, or none"))
}

fn truth(cell: &Cell) -> Option<bool> {
    match cell {
        Cell::Bool(value) => Some(*value),
        Cell::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// A cell for a message.
fn show(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => format!("`{}`", text.chars().take(40).collect::<String>()),
        Cell::Number(number) | Cell::Single(number) => format!("the number {number}"),
        Cell::Integer(number) => format!("the number {number}"),
        Cell::Bool(value) => value.to_string(),
        Cell::List(_) => "a list".to_owned(),
    }
}
