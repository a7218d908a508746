//! Names of bodies as numbers: rows are moved about several times, and their names are many and
//! long.

use crate::body_column::with_usual_keys;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Int32Array, StringArray};
use arrow_schema::DataType;
use clearsweep_base::error::{Error, Result};
use clearsweep_input_guard::MAX_NAME;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Bytes that a name takes beside its text: in the table, twice a pointer, and the allocation.
const OVERHEAD: u64 = 96;

/// All names met so far, numbered in the order in which they came.
pub(super) struct BodyNumbers {
    numbers: HashMap<Arc<str>, i32>,
    list: Vec<Arc<str>>,
    /// Bytes that they take, and may take.
    bytes: u64,
    most: u64,
    /// The last dictionary, and the numbers of its values.
    dictionary: Option<(StringArray, Vec<Option<i32>>)>,
    /// All of them as values of a dictionary, as long as no further one came.
    array: Option<ArrayRef>,
}

impl BodyNumbers {
    /// `most`: bytes that they may take.
    pub(super) fn new(most: u64) -> Self {
        Self { numbers: HashMap::new(), list: Vec::new(), bytes: 0, most, dictionary: None, array: None }
    }

    /// All names, as values of a dictionary.
    pub(super) fn array(&mut self) -> ArrayRef {
        let all = || Arc::new(StringArray::from_iter_values(&self.list)) as ArrayRef;
        let known = self.array.take().filter(|array| array.len() == self.list.len()).unwrap_or_else(all);
        self.array = Some(Arc::clone(&known));
        known
    }

    fn number(&mut self, name: &str, path: &Path) -> Result<i32> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        if name.len() > MAX_NAME {
            let problem = format!("the name of a body has {} bytes: `{name}`", name.len());
            return Err(Error::input(path.display(), problem, format!("names have at most {MAX_NAME} bytes")));
        }
        let number = i32::try_from(self.list.len()).unwrap_or(i32::MAX);
        self.bytes += name.len() as u64 + OVERHEAD;
        if self.bytes > self.most || number == i32::MAX {
            return Err(Error::input(
                path.display(),
                format!("names so many different bodies that their names do not fit into memory ({number} so far)"),
                "give more --memory; check that the column `body` holds names and not values",
            ));
        }
        let name: Arc<str> = Arc::from(name);
        self.list.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        Ok(number)
    }

    /// The numbers of a column of names; a null stays one.
    ///
    /// # Errors
    /// The column is none of strings, or there are far too many different names.
    pub(super) fn column(&mut self, array: &ArrayRef, path: &Path) -> Result<Int32Array> {
        let array = &with_usual_keys(array, path)?;
        if let Some(keyed) = array.as_dictionary_opt::<Int32Type>()
            && let Some(values) = keyed.values().as_string_opt::<i32>()
        {
            self.learn(values, path)?;
            let Some((_, numbers)) = &self.dictionary else { return Ok(Int32Array::new_null(array.len())) };
            let number = |key: Option<i32>| numbers.get(usize::try_from(key?).ok()?).copied().flatten();
            return Ok(keyed.keys().iter().map(number).collect());
        }
        let plain = arrow_cast::cast(array, &DataType::Utf8).map_err(|error| {
            Error::input(path.display(), format!("the names of bodies: {error}"), "write names as strings")
        })?;
        let names = plain.as_string::<i32>();
        let mut numbers = Vec::with_capacity(names.len());
        for name in names {
            numbers.push(name.map(|name| self.number(name, path)).transpose()?);
        }
        Ok(numbers.into_iter().collect())
    }

    /// Numbers the values of a dictionary. The batches of a row group share one, so that it is
    /// looked at once.
    fn learn(&mut self, values: &StringArray, path: &Path) -> Result<()> {
        let same = |known: &StringArray| {
            known.len() == values.len()
                && known.offsets().as_ptr() == values.offsets().as_ptr()
                && known.values().as_ptr() == values.values().as_ptr()
                && known.nulls() == values.nulls()
        };
        if self.dictionary.as_ref().is_some_and(|(known, _)| same(known)) {
            return Ok(());
        }
        let mut numbers = Vec::with_capacity(values.len());
        for name in values {
            numbers.push(name.map(|name| self.number(name, path)).transpose()?);
        }
        // The array is kept, so that its address stays its own.
        self.dictionary = Some((values.clone(), numbers));
        Ok(())
    }
}
