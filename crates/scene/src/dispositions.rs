//! `accepted.csv`: what people decided about pairs, written by `clearsweep accept` or in a
//! spreadsheet.

use super::digest::InputReader;
use super::foreign;
use clearsweep_model::{Decision, Disposition, Dispositions, LengthUnit, Scene, StaleDisposition};

use super::length::parse_length;
use chrono::{NaiveDate, Utc};
use clearsweep_base::error::{Error, LARGE_INPUT, Result, nearest};
use clearsweep_base::text::unmarked;
use clearsweep_input_guard::MAX_NAME;
use clearsweep_input_guard::csv_cells;
use clearsweep_input_guard::csv_header::{self, CsvLines};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// The columns, in the order in which `accept` writes them. The first four are required.
pub const COLUMNS: [&str; 7] = ["rule", "a", "b", "accepted", "until", "by", "reason"];

/// A row of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct DispositionRow {
    /// Name of the rule.
    pub rule: String,
    /// Names of the bodies.
    pub bodies: [String; 2],
    /// The accepted distance, metres, and as written; `None`: known, not accepted.
    pub accepted: Option<(f64, String)>,
    /// The last day on which it is accepted, as written.
    pub until: Option<String>,
    /// Who decided.
    pub by: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The line on which it begins, from 1.
    pub line: u64,
}

/// Reads the rows of a file; lengths without a unit are in `unit`.
///
/// # Errors
/// It is not CSV in UTF-8, lacks a column, or a cell is no length or day: with its line, and the
/// remedy. Two rows are about one pair under one rule.
pub fn read_rows(path: &Path, bytes: &[u8], unit: LengthUnit) -> Result<Vec<DispositionRow>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Some(foreign) = foreign::format(bytes, "csv") {
        return Err(Error::input(path.display(), format!("is {}, and no CSV", foreign.name), foreign.remedy));
    }
    let mut reader = csv_cells::parser(bytes, 1 << 13);
    let mut names = reader.headers().map_err(|error| CsvLines::not_csv(None, path, &error))?.clone();
    names.trim();
    let lines = CsvLines::after_names(&reader);
    let columns = columns(path, &names.iter().collect::<Vec<_>>())?;
    let (mut rows, mut known) = (Vec::new(), HashMap::new());
    let mut record = csv::StringRecord::new();
    loop {
        csv_cells::begin(&mut reader);
        if !reader.read_record(&mut record).map_err(|error| CsvLines::not_csv(Some(lines), path, &error))? {
            return Ok(rows);
        }
        let cell = |column: usize| {
            let index = columns[column]?;
            let text = csv_cells::text(&reader, record.position(), (index, record.get(index)?));
            Some(text.to_owned()).filter(|text| !text.is_empty())
        };
        let line = record.position().map_or(0, |position| lines.line(position));
        let row = row(path, line, cell, unit)?;
        let [a, b] = &row.bodies;
        let key = (row.rule.clone(), a.min(b).clone(), a.max(b).clone());
        if let Some(first) = known.insert(key, line) {
            let problem = format!("`{a}` and `{b}` under the rule `{}` stand on line {first} already", row.rule);
            return Err(Error::input(format!("{}:{line}", path.display()), problem, "keep one of both rows"));
        }
        rows.push(row);
    }
}

/// The index of each column in the file.
fn columns(path: &Path, names: &[&str]) -> Result<[Option<usize>; COLUMNS.len()]> {
    let mut found = [None; COLUMNS.len()];
    for (index, name) in names.iter().enumerate() {
        let Some(column) = COLUMNS.iter().position(|known| known == name) else {
            let remedy = match nearest(name, COLUMNS.into_iter().filter(|known| !names.contains(known))) {
                Some(near) => format!("did you mean `{near}`? The columns are {}", COLUMNS.join(", ")),
                None => format!("remove it; the columns are {}", COLUMNS.join(", ")),
            };
            let unknown = Error::input(path.display(), format!("unknown column `{name}`"), remedy);
            return Err(csv_header::other_separator(path, names).unwrap_or(unknown));
        };
        if found[column].replace(index).is_some() {
            return Err(Error::input(path.display(), format!("column `{name}` is there twice"), "keep one of them"));
        }
    }
    match found[..4].iter().position(Option::is_none) {
        None => Ok(found),
        Some(missing) => {
            let problem = format!("has no column `{}`", COLUMNS[missing]);
            let remedy = "the first line names the columns: rule,a,b,accepted,until,by,reason";
            let missing = Error::input(path.display(), problem, remedy);
            Err(csv_header::other_separator(path, names).unwrap_or(missing))
        }
    }
}

fn row(path: &Path, line: u64, cell: impl Fn(usize) -> Option<String>, unit: LengthUnit) -> Result<DispositionRow> {
    let wrong = |column: usize, problem: String, remedy: &str| {
        Error::input(format!("{}:{line}, column `{}`", path.display(), COLUMNS[column]), problem, remedy)
    };
    let text = |column: usize| match cell(column) {
        Some(text) if text.len() > MAX_NAME => {
            let problem = format!("has {} bytes", text.len());
            Err(wrong(column, problem, &format!("write a text of at most {MAX_NAME} bytes")))
        }
        text => Ok(text),
    };
    let name = |column: usize| {
        let empty = || wrong(column, "is empty".to_owned(), "write the name as `clearsweep summary` shows it");
        text(column)?.ok_or_else(empty)
    };
    let length = |text: String| match parse_length(&text, unit) {
        Ok(metres) => Ok((metres, text)),
        Err(problem) => {
            Err(wrong(3, problem, "write a length, such as 48.2mm or -2mm (an overlap), or leave it empty"))
        }
    };
    let day = |text: String| match NaiveDate::parse_from_str(&text, "%Y-%m-%d") {
        Ok(_) if text.len() == 10 => Ok(text),
        _ => Err(wrong(4, format!("`{text}` is no day"), "write year, month and day: 2026-03-31")),
    };
    Ok(DispositionRow {
        rule: unmarked(&name(0)?).to_owned(),
        bodies: [unmarked(&name(1)?).to_owned(), unmarked(&name(2)?).to_owned()],
        accepted: text(3)?.map(length).transpose()?,
        until: text(4)?.map(day).transpose()?,
        by: text(5)?.map(|text| unmarked(&text).to_owned()),
        reason: text(6)?.map(|text| unmarked(&text).to_owned()),
        line,
    })
}

/// Reads a file for a scene.
///
/// # Errors
/// As [`read_rows`]; the file cannot be read.
pub(super) fn load(path: &Path, scene: &mut Scene, max_input: u64) -> Result<()> {
    let mut input = InputReader::new(max_input);
    let bytes = input.read(path).map_err(|error| {
        let remedy = match error.kind() {
            ErrorKind::FileTooLarge => LARGE_INPUT,
            _ => "check the path of the accepted pairs: `file` of [dispositions], or --accepted",
        };
        Error::input(path.display(), format!("the accepted pairs cannot be read ({error})"), remedy)
    })?;
    let rows = read_rows(path, &bytes, scene.unit)?;
    scene.inputs.append(&mut input.digests);
    scene.dispositions = Arc::new(lower(rows, scene, Utc::now().date_naive()));
    Ok(())
}

/// The rows by rule and bodies; those that belong to nothing are stale.
fn lower(rows: Vec<DispositionRow>, scene: &Scene, day: NaiveDate) -> Dispositions {
    let day = day.format("%Y-%m-%d").to_string();
    let requirements = scene.requirements();
    let rules: HashMap<&str, u32> =
        (0..requirements.count()).map(|rule| (requirements.name(rule), rule as u32)).collect();
    let bodies: HashMap<&str, u32> =
        scene.bodies.iter().zip(0..).map(|(body, index)| (body.name.as_str(), index)).collect();
    let mut dispositions = Dispositions { day: day.clone(), ..Dispositions::default() };
    for row in rows {
        let [a, b] = &row.bodies;
        // Days are written so that their texts are in order.
        let is_expired = row.until.as_ref().is_some_and(|until| *until < day);
        let decision = Decision { by: row.by, reason: row.reason, until: row.until };
        match (rules.get(row.rule.as_str()), bodies.get(a.as_str()), bodies.get(b.as_str())) {
            (Some(&rule), Some(&a), Some(&b)) => {
                let disposition = Disposition {
                    accepted: row.accepted.map(|(metres, _)| metres - scene.query.touch),
                    is_expired,
                    decision,
                };
                dispositions.by_pair.insert((rule, a.min(b), a.max(b)), disposition);
            }
            (rule, at_a, at_b) => {
                let problem = match (rule, at_a) {
                    (None, _) => format!("no rule has the name `{}`", row.rule),
                    (_, None) => format!("no body has the name `{a}`"),
                    _ => format!("no body has the name `{b}`"),
                };
                let partner = rule.copied().zip(at_a.or(at_b).copied());
                let accepted = row.accepted.map(|(metres, _)| metres);
                let (rule, bodies) = (row.rule, row.bodies);
                dispositions.stale.push(StaleDisposition { rule, bodies, problem, accepted, partner, decision });
            }
        }
    }
    dispositions
}
