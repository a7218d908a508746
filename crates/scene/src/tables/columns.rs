//! The columns of a table of bodies: their names and units, and what they hold.

use crate::columns::name_and_unit;
use crate::keys::Keys;
use clearsweep_base::error::Result;
use clearsweep_model::LengthUnit;

/// The type of the values of a column.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum BodiesTableFormat {
    Text,
    Number,
    /// A number in the scene's unit, or a text with its own.
    Length,
    Bool,
    /// A whole number; any other value is not meant for clearsweep.
    Integer,
    Texts,
}

/// Number of columns that are known.
const COUNT: usize = 25;

/// The columns, by the keys of `[[body]]` that they stand for, and what they hold. The first is
/// required.
pub(super) const COLUMNS: [(&[&str], BodiesTableFormat); COUNT] = [
    (&["body", "name"], BodiesTableFormat::Text),
    (&["geometry"], BodiesTableFormat::Text),
    (&["shape"], BodiesTableFormat::Text),
    (&["matrix"], BodiesTableFormat::Text),
    (&["model"], BodiesTableFormat::Text),
    (&["inside"], BodiesTableFormat::Text),
    (&["unit"], BodiesTableFormat::Text),
    (&["scale"], BodiesTableFormat::Number),
    (&["up"], BodiesTableFormat::Text),
    (&["offset"], BodiesTableFormat::Length),
    (&["deviation"], BodiesTableFormat::Length),
    (&["deviation_source"], BodiesTableFormat::Text),
    (&["pivot"], BodiesTableFormat::Text),
    (&["group"], BodiesTableFormat::Texts),
    (&["class"], BodiesTableFormat::Text),
    (&["level"], BodiesTableFormat::Text),
    (&["static"], BodiesTableFormat::Bool),
    (&["id"], BodiesTableFormat::Integer),
    (&["x"], BodiesTableFormat::Length),
    (&["y"], BodiesTableFormat::Length),
    (&["z"], BodiesTableFormat::Length),
    (&["qw"], BodiesTableFormat::Number),
    (&["qx"], BodiesTableFormat::Number),
    (&["qy"], BodiesTableFormat::Number),
    (&["qz"], BodiesTableFormat::Number),
];

/// The columns `geometry`, `shape` and `matrix` in [`COLUMNS`].
pub(super) const GEOMETRY: usize = 1;
pub(super) const SHAPE: usize = 2;
pub(super) const MATRIX: usize = 3;

/// The column `static`.
pub(super) const STATIC: usize = 16;

/// The column `id`: integers that stand for names.
pub(super) const ID: usize = 17;

/// The first column of the position, and of the orientation.
pub(super) const POSITION: usize = 18;
pub(super) const ORIENTATION: usize = 21;

/// Columns of the pose, which are the last.
pub(super) const POSE_COLUMNS: usize = 7;

const _: () = assert!(POSITION + POSE_COLUMNS == COLUMNS.len(), "the pose comes last");

/// The columns of a section's table by number: their names, and the units of lengths.
pub(super) struct TableColumns {
    /// All names that each column goes by.
    names: [Vec<String>; COUNT],
    /// Whether `columns` of the section names it.
    is_named: [bool; COUNT],
    /// Unit of the numbers of a column that holds lengths.
    pub(super) units: [LengthUnit; COUNT],
}

impl TableColumns {
    /// Lowers `columns` of a section; lengths are in `unit` unless it says in which.
    ///
    /// # Errors
    /// A key or a unit is not known, or a column has two meanings.
    pub(super) fn of(section: &Keys<'_>, unit: LengthUnit) -> Result<Self> {
        let names = COLUMNS.map(|(names, _)| names.iter().map(|&name| name.to_owned()).collect());
        let mut columns = Self { names, is_named: [false; COUNT], units: [unit; COUNT] };
        let Some(field) = section.get("columns") else { return Ok(columns) };
        let (table, keys) = (field.table()?, COLUMNS.map(|(names, _)| names[0]));
        table.only(&keys)?;
        for (number, key) in keys.into_iter().enumerate() {
            let Some(field) = table.get(key) else { continue };
            let (name, word) = name_and_unit(&field, key)?;
            if let Some(word) = word {
                columns.units[number] = match (COLUMNS[number].1, LengthUnit::parse(&word)) {
                    (BodiesTableFormat::Length, Some(unit)) => unit,
                    (BodiesTableFormat::Length, None) => {
                        let remedy = format!("use one of {}", LengthUnit::words());
                        return Err(field.error(format!("`{word}` is no length unit"), remedy));
                    }
                    _ => return Err(field.error("the column holds no lengths", "leave the unit out")),
                };
            }
            let is_taken = |other: &usize| columns.is_named[*other] && columns.names[*other][0] == name;
            if let Some(other) = (0..number).find(is_taken) {
                let problem = format!("is `{name}`, and so is `{}`", keys[other]);
                return Err(field.error(problem, "give each column one meaning"));
            }
            // A column of another key may have one of our names.
            columns.names.iter_mut().for_each(|names| names.retain(|known| *known != name));
            columns.names[number] = vec![name];
            columns.is_named[number] = true;
        }
        Ok(columns)
    }

    /// The names of each column.
    pub(super) fn names(&self) -> [Vec<&str>; COUNT] {
        self.names.each_ref().map(|names| names.iter().map(String::as_str).collect())
    }

    /// The columns that the section names: number, name and key.
    pub(super) fn named(&self) -> impl Iterator<Item = (usize, &str, &'static str)> {
        let named = (0..COUNT).filter(|&number| self.is_named[number]);
        named.map(|number| (number, self.names[number][0].as_str(), COLUMNS[number].0[0]))
    }
}
