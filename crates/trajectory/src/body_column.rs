//! The column of bodies: from names, or integers that stand for them, to slots.

use super::body_index::{AMBIGUOUS, BodyIndex, Follower, NULL, SEVERAL, STATIC, UNKNOWN};
use super::rows::Defects;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::DataType;
use clearsweep_base::error::{Error, Result};
use clearsweep_input_guard::MAX_NAME;
use std::path::Path;
use std::sync::Arc;

/// Finds the slots of the rows of columns of bodies; remembers how names map to them.
pub(super) struct BodyColumns<'a> {
    body_index: &'a BodyIndex,
    follower: Follower,
    /// The last dictionary of names, and what its values stand for.
    dictionary: Option<(StringArray, Vec<u32>)>,
}

/// A dictionary of names with the usual types of keys and texts; any other array as it is. Written
/// out, a long name would take its space in every row.
///
/// # Errors
/// There are more keys than an `i32` counts.
pub(super) fn with_usual_keys(array: &ArrayRef, path: &Path) -> Result<ArrayRef> {
    let usual = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    if !matches!(array.data_type(), DataType::Dictionary(..)) || *array.data_type() == usual {
        return Ok(Arc::clone(array));
    }
    arrow_cast::cast(array, &usual).map_err(|error| {
        Error::input(path.display(), format!("the names of bodies: {error}"), "write names as strings")
    })
}

/// A column of integers without its dictionary; `None`: it is one of texts.
///
/// # Errors
/// The dictionary does not decode.
fn plain_integers(array: &ArrayRef, path: &Path) -> Result<Option<ArrayRef>> {
    match array.data_type() {
        kind if kind.is_integer() => Ok(Some(Arc::clone(array))),
        DataType::Dictionary(_, values) if values.is_integer() => {
            let plain = arrow_cast::cast(array, values).map_err(|error| {
                Error::input(
                    path.display(),
                    format!("the names of bodies: {error}"),
                    "write names as strings or integers",
                )
            })?;
            Ok(Some(plain))
        }
        _ => Ok(None),
    }
}

impl<'a> BodyColumns<'a> {
    pub(super) fn new(body_index: &'a BodyIndex) -> Self {
        Self { body_index, follower: Follower::new(body_index.slots(), body_index.inputs()), dictionary: None }
    }

    /// The slots of a column of integers: names in decimal, or ids.
    fn slots_of_integers(&self, array: &ArrayRef, name: &str, defects: &mut Defects<'_>) -> Result<Vec<u32>> {
        let code = |number: Option<i128>| number.map_or(NULL, |number| self.body_index.code_of_number(number));
        let (slots, text): (Vec<u32>, Box<dyn Fn(usize) -> String>) = match array.as_primitive_opt::<UInt64Type>() {
            Some(numbers) => {
                let slots = numbers.iter().map(|number| code(number.map(i128::from))).collect();
                (slots, Box::new(|row| numbers.value(row).to_string()))
            }
            None => {
                let numbers = arrow_cast::cast(array, &DataType::Int64).map_err(|error| {
                    let problem = format!("column `{name}`: {error}");
                    Error::input(defects.source.path.display(), problem, "write names as strings or integers")
                })?;
                let numbers = numbers.as_primitive::<Int64Type>().clone();
                let slots = numbers.iter().map(|number| code(number.map(i128::from))).collect();
                (slots, Box::new(move |row| numbers.value(row).to_string()))
            }
        };
        self.check_slots(&slots, name, defects, text);
        Ok(slots)
    }

    /// The slots of a column of names.
    pub(super) fn slots(&mut self, array: &ArrayRef, name: &str, defects: &mut Defects<'_>) -> Result<Vec<u32>> {
        defects.nulls(array, name);
        if let Some(plain) = plain_integers(array, &defects.source.path)? {
            return self.slots_of_integers(&plain, name, defects);
        }
        let array = &with_usual_keys(array, &defects.source.path)?;
        if let Some(keyed) = array.as_dictionary_opt::<Int32Type>()
            && let Some(names) = keyed.values().as_string_opt::<i32>()
        {
            let codes = self.codes(names);
            let code = |&key: &i32| usize::try_from(key).ok().and_then(|key| codes.get(key)).copied().unwrap_or(NULL);
            let slots: Vec<u32> = keyed.keys().values().iter().map(code).collect();
            let name_at = |row: usize| names.value(keyed.keys().value(row) as usize).to_owned();
            self.check_slots(&slots, name, defects, name_at);
            return Ok(slots);
        }
        let cast;
        let names = match array.as_string_opt::<i32>() {
            Some(names) => names,
            None => {
                cast = arrow_cast::cast(array, &DataType::Utf8).map_err(|error| {
                    Error::input(
                        defects.source.path.display(),
                        format!("column `{name}`: {error}"),
                        "write names as strings",
                    )
                })?;
                cast.as_string::<i32>()
            }
        };
        let (follower, body_index) = (&mut self.follower, self.body_index);
        let mut code = |row: usize| if names.is_null(row) { NULL } else { follower.code(body_index, names.value(row)) };
        let slots: Vec<u32> = (0..names.len()).map(&mut code).collect();
        self.check_slots(&slots, name, defects, |row| names.value(row).to_owned());
        Ok(slots)
    }

    /// Returns the codes of the values of a dictionary. The batches of a row group share one, so it
    /// is looked up once.
    fn codes(&mut self, names: &StringArray) -> &[u32] {
        let same = |known: &StringArray| {
            known.len() == names.len()
                && known.null_count() == 0
                && names.null_count() == 0
                && known.offsets().as_ptr() == names.offsets().as_ptr()
                && known.values().as_ptr() == names.values().as_ptr()
        };
        if !self.dictionary.as_ref().is_some_and(|(known, _)| same(known)) {
            let code = |name: Option<&str>| name.map_or(NULL, |name| self.body_index.code(name));
            // The array is kept, so that its address stays its own.
            self.dictionary = Some((names.clone(), names.iter().map(code).collect()));
        }
        self.dictionary.as_ref().map_or(&[], |(_, codes)| codes)
    }

    /// Refuses rows whose name is no slot. `name_at` is asked for rows of unknown or static bodies
    /// only.
    fn check_slots(&self, slots: &[u32], column: &str, defects: &mut Defects<'_>, name_at: impl Fn(usize) -> String) {
        if slots.iter().all(|&slot| slot < AMBIGUOUS) {
            return;
        }
        let message = |row: usize| {
            match slots[row] {
            UNKNOWN => {
                let name = name_at(row);
                if name.len() > MAX_NAME {
                    let problem = format!("the name of a body has {} bytes: `{name}`", name.len());
                    return (problem, format!("names have at most {MAX_NAME} bytes, as in the scene"));
                }
                let digits = if name.parse::<i128>().is_ok() { "an integer is a name in decimal, or the `id` of a body; " } else { "" };
                let remedy = self.body_index.nearest(&name).map_or_else(
                    || format!("{digits}names must be those of the scene's bodies, such as {}", self.body_index.examples()),
                    |known| format!("did you mean `{known}`? Each body has one row in a frame"),
                );
                (format!("body `{name}` is not in the scene"), remedy)
            }
            AMBIGUOUS => (
                format!("`{}` is the name or the `id` of several bodies", name_at(row)),
                "give each body a name and an `id` of its own".to_owned(),
            ),
            SEVERAL => (
                format!("`{}` names several nodes that move", name_at(row)),
                "write `name = \"...\"` in one of the `[[bodies]]`: it is put before the names of its file, with a slash".to_owned(),
            ),
            STATIC => (
                format!("body `{}` is static in the scene", name_at(row)),
                "leave out the rows of static bodies, or make the body dynamic (of a file with `each`: name it in `moving`)"
                    .to_owned(),
            ),
            _ => (format!("column `{column}` is null"), "fill in the name, or leave out the row".to_owned()),
        }
        };
        defects.note(|row| slots[row] >= AMBIGUOUS, message);
    }
}
