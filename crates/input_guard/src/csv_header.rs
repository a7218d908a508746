//! The line of names that a CSV table begins with, and the numbers of the lines below it.

use clearsweep_base::error::Error;
use std::path::Path;

/// Numbers the lines of a CSV table as an editor does, from 1. The parser counts the line feed of
/// CRLF with the record behind it, so that it names the line before a record.
#[derive(Debug, Clone, Copy)]
pub struct CsvLines {
    /// Lines that the parser has not counted when it begins a record.
    uncounted: u64,
}

impl CsvLines {
    /// Returns the numbering for a parser that has read the line of names, and nothing behind it.
    pub fn after_names<R: std::io::Read>(reader: &csv::Reader<R>) -> Self {
        Self { uncounted: u64::from(reader.position().line() == 1) }
    }

    /// The line at which a record begins.
    pub fn line(self, record: &csv::Position) -> u64 {
        record.line() + self.uncounted
    }

    /// The error of a record that is not CSV; `None`: of the line of names.
    pub fn not_csv(lines: Option<Self>, path: &Path, error: &csv::Error) -> Error {
        let place = match (error.position(), lines) {
            (Some(position), Some(lines)) => format!("{}:{}", path.display(), lines.line(position)),
            (Some(_), None) => format!("{}:1", path.display()),
            (None, _) => path.display().to_string(),
        };
        let why = match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("a line of {len} cells below {expected_len} names")
            }
            csv::ErrorKind::Io(error) => return super::gzip::unreadable(path, error),
            csv::ErrorKind::Utf8 { .. } => return Error::input(place, "is not UTF-8", "save the file as UTF-8 text"),
            _ => error.to_string(),
        };
        let remedy = "save it as comma-separated UTF-8 text with one line of column names, and as many cells in every \
                      line; numbers have points, not commas";
        Error::input(place, format!("is not valid CSV ({why})"), remedy)
    }
}

/// Problem of a table that a spreadsheet program has saved in its own format.
pub const WORKBOOK: &str = "is a workbook of a spreadsheet program, which is not read";

/// Remedy for a table that is a workbook. Spreadsheet programs offer commas or semicolons,
/// depending on the settings of the system.
pub const WORKBOOK_REMEDY: &str = "save the sheet as a .csv file in UTF-8, separated by commas, with points in numbers";

/// The error of a table that lacks a column, where its names are separated by something else than
/// commas; `None`: they are not.
pub fn other_separator(path: &Path, names: &[&str]) -> Option<Error> {
    let [line] = names else { return None };
    let separators = [(';', "semicolons"), ('\t', "tabs"), ('|', "vertical bars")];
    let (_, word) = separators.into_iter().find(|(separator, _)| line.contains(*separator))?;
    let remedy = "save it separated by commas, with points in numbers";
    Some(Error::input(path.display(), format!("its columns are separated by {word}, not by commas"), remedy))
}
