//! The line of names that a CSV table begins with.

use crate::error::Error;
use std::path::Path;

/// The error of a table that lacks a column, where its names are separated by something else than commas; `None`: they
/// are not.
pub(crate) fn other_separator(path: &Path, names: &[&str]) -> Option<Error> {
    let [line] = names else { return None };
    let separators = [(';', "semicolons"), ('\t', "tabs"), ('|', "vertical bars")];
    let (_, word) = separators.into_iter().find(|(separator, _)| line.contains(*separator))?;
    let remedy = "save it separated by commas, with points in numbers";
    Some(Error::input(path.display(), format!("its columns are separated by {word}, not by commas"), remedy))
}
