//! Issues and pairs for spreadsheet programs: CSV and XLSX.
//!
//! Bounds are rounded outward to twelve digits of the report's unit: read back in metres,
//! `at_least` is no larger and `at_most` no smaller than the bound that was proven.

use crate::bcf::clean;
use crate::data::{Fact, Finding, Issue, Report};
use clearsweep_base::error::{Error, Result};
use clearsweep_base::text::marked;
use clearsweep_model::LengthUnit;
use rust_xlsxwriter::{Color, DocProperties, ExcelDateTime, Format, FormatAlign, Workbook, Worksheet, XlsxError};
use std::borrow::Cow;

/// Rows of a sheet of Excel without its heading.
const MOST_ROWS: usize = 1_048_575;

/// UTF-16 units of text in a cell of Excel.
const MOST_TEXT: usize = 32_767;

/// Lines that belong to a fact on the sheet `About`.
const MOST_DETAILS: usize = 1000;

/// A cell.
enum Cell<'a> {
    Empty,
    Text(&'a str),
    Whole(i64),
    /// A length of the report's unit.
    Length(f64),
    /// Seconds, or a volume in the cubed unit.
    Number(f64),
}

/// A column: its name, the unit of its numbers, its width in Excel (characters), and its cells.
struct Column<R> {
    name: &'static str,
    unit: Option<String>,
    width: f64,
    cell: for<'a> fn(&Context, &'a R) -> Cell<'a>,
}

/// The properties of a report that cells depend on.
#[derive(Clone, Copy)]
struct Context {
    unit: LengthUnit,
    moves: bool,
}

/// A pair with its issue.
struct PairRow<'r> {
    issue: &'r Issue,
    finding: &'r Finding,
}

/// Returns the pairs of all issues as CSV with a line of column names, a row for each pair that an
/// issue lists.
///
/// Lengths are in the unit of the report, which their column names end with. A text that a
/// spreadsheet program would take for a formula has `'` before it; numbers stay numbers. Without
/// moving bodies, the cells of runs, frames and times are empty.
///
/// # Errors
/// None: writing into memory cannot fail.
pub fn csv(report: &Report) -> Result<String> {
    let context = Context::of(report);
    let columns = pair_columns(report.unit);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: csv::Error| Error::internal("CSV", error);
    let names = columns.iter().map(|column| match &column.unit {
        Some(unit) => format!("{}_{unit}", column.name),
        None => column.name.to_owned(),
    });
    writer.write_record(names).map_err(failed)?;
    for row in pairs(report) {
        let cells = columns.iter().map(|column| csv_cell((column.cell)(&context, &row)));
        writer.write_record(cells.map(|cell| cell.into_owned())).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|error| Error::internal("CSV", error.error()))?;
    String::from_utf8(bytes).map_err(|error| Error::internal("CSV", error))
}

fn csv_cell(cell: Cell<'_>) -> Cow<'_, str> {
    match cell {
        Cell::Empty => "".into(),
        Cell::Text(text) => marked(text),
        Cell::Whole(number) => number.to_string().into(),
        Cell::Length(number) | Cell::Number(number) => number.to_string().into(),
    }
}

/// Returns an Excel workbook: the sheets `Issues`, `Pairs` and `About`. Equal reports give equal
/// bytes.
///
/// A text longer than a cell of Excel is cut, and says so.
///
/// # Errors
/// There are more rows than a sheet has.
pub fn xlsx(report: &Report) -> Result<Vec<u8>> {
    let pairs: Vec<PairRow<'_>> = pairs(report).collect();
    check_rows("issues", report.issues.len())?;
    check_rows("pairs", pairs.len())?;
    let issues: Vec<&Issue> = report.issues.iter().collect();
    let (of_issues, of_pairs) = (issue_columns(report.unit), pair_columns(report.unit));
    let written = || -> std::result::Result<Vec<u8>, XlsxError> {
        let mut book = Workbook::new();
        let properties = DocProperties::new().set_title(clean(&shown(&report.name)));
        // Any fixed date: without one it is the present, and no two files are equal.
        book.set_properties(&properties.set_creation_datetime(&ExcelDateTime::from_ymd(2000, 1, 1)?));
        write_table(book.add_worksheet().set_name("Issues")?, report, &of_issues, &issues)?;
        write_table(book.add_worksheet().set_name("Pairs")?, report, &of_pairs, &pairs)?;
        write_about(book.add_worksheet().set_name("About")?, report)?;
        book.save_to_buffer()
    };
    written().map_err(|error| Error::internal("XLSX", error))
}

fn check_rows(what: &str, count: usize) -> Result<()> {
    if count <= MOST_ROWS {
        return Ok(());
    }
    let problem = format!("{count} {what} do not fit: a sheet of Excel has {MOST_ROWS} rows below its heading");
    Err(Error::output("the XLSX", problem, "write CSV, which has no limit (--csv)"))
}

impl Context {
    fn of(report: &Report) -> Self {
        Self { unit: report.unit, moves: report.moves }
    }

    /// A cell that is empty if nothing moves.
    fn of_motion<'a>(&self, cell: Cell<'a>) -> Cell<'a> {
        if self.moves { cell } else { Cell::Empty }
    }

    fn length(&self, metres: f64) -> Cell<'static> {
        Cell::Length(self.unit.number(metres))
    }

    /// A lower bound of a length.
    fn at_least(&self, metres: Option<f64>) -> Cell<'static> {
        metres.map_or(Cell::Empty, |metres| Cell::Length(outward(self.unit, metres, -1.0)))
    }

    /// An upper bound of a length.
    fn at_most(&self, metres: Option<f64>) -> Cell<'static> {
        metres.map_or(Cell::Empty, |metres| Cell::Length(outward(self.unit, metres, 1.0)))
    }
}

/// A bound in the unit, to twelve digits: read back in metres it lies on the side `sign` of the
/// bound, or on it.
fn outward(unit: LengthUnit, metres: f64, sign: f64) -> f64 {
    let holds = |&number: &f64| (unit.metres(number) - metres) * sign >= 0.0;
    let near = unit.number(metres);
    let last_digit = if near == 0.0 { 0.0 } else { 10f64.powi(near.abs().log10().floor() as i32 - 11) };
    let stepped = format!("{:.11e}", near + sign * last_digit).parse().unwrap_or(near);
    let beyond = if sign < 0.0 { near.next_down() } else { near.next_up() }; // of numbers too small for twelve digits
    [near, stepped].into_iter().find(holds).unwrap_or(beyond)
}

fn pairs(report: &Report) -> impl Iterator<Item = PairRow<'_>> {
    report.issues.iter().flat_map(|issue| issue.findings.iter().map(move |finding| PairRow { issue, finding }))
}

/// A column of texts.
fn text<R>(name: &'static str, width: f64, cell: for<'a> fn(&Context, &'a R) -> Cell<'a>) -> Column<R> {
    Column { name, unit: None, width, cell }
}

/// A column of numbers.
fn number<R>(name: &'static str, unit: &str, cell: for<'a> fn(&Context, &'a R) -> Cell<'a>) -> Column<R> {
    let unit = (!unit.is_empty()).then(|| unit.to_owned());
    Column { name, unit, width: 13.0, cell }
}

fn optional_text(text: Option<&String>) -> Cell<'_> {
    text.map_or(Cell::Empty, |text| Cell::Text(text))
}

fn optional_time(time_s: Option<f64>) -> Cell<'static> {
    time_s.map_or(Cell::Empty, Cell::Number)
}

fn pair_columns<'r>(unit: LengthUnit) -> Vec<Column<PairRow<'r>>> {
    let word = unit.word;
    vec![
        text("issue", 15.0, |_, row| Cell::Text(&row.issue.id)),
        text("state", 11.0, |_, row| Cell::Text(&row.finding.state)),
        text("severity", 11.0, |_, row| Cell::Text(&row.issue.severity)),
        text("rule", 22.0, |_, row| Cell::Text(&row.issue.rule)),
        text("kind", 11.0, |_, row| Cell::Text(&row.finding.kind)),
        text("body_a", 32.0, |_, row| Cell::Text(&row.finding.names[0])),
        text("body_b", 32.0, |_, row| Cell::Text(&row.finding.names[1])),
        number("required", word, |context, row| context.length(row.finding.required_m)),
        number("at_least", word, |context, row| context.at_least(row.finding.bracket_m[0])),
        number("at_most", word, |context, row| context.at_most(row.finding.bracket_m[1])),
        number("run", "", |context, row| context.of_motion(Cell::Whole(row.finding.run))),
        number("begin_frame", "", |context, row| context.of_motion(Cell::Whole(row.finding.span[0].frame))),
        number("begin", "s", |context, row| context.of_motion(optional_time(row.finding.span[0].time_s))),
        number("end_frame", "", |context, row| context.of_motion(Cell::Whole(row.finding.span[1].frame))),
        number("end", "s", |context, row| context.of_motion(optional_time(row.finding.span[1].time_s))),
        number("least_frame", "", |context, row| context.of_motion(Cell::Whole(row.finding.least.frame))),
        number("least", "s", |context, row| context.of_motion(optional_time(row.finding.least.time_s))),
        number("x", word, |context, row| row.finding.place.map_or(Cell::Empty, |place| context.length(place[0]))),
        number("y", word, |context, row| row.finding.place.map_or(Cell::Empty, |place| context.length(place[1]))),
        number("z", word, |context, row| row.finding.place.map_or(Cell::Empty, |place| context.length(place[2]))),
        number("events", "", |_, row| Cell::Whole(row.finding.events as i64)),
        number("runs", "", |_, row| Cell::Whole(row.finding.runs as i64)),
        text("note", 50.0, |_, row| optional_text(row.issue.note.as_ref())),
        text("until", 11.0, |_, row| optional_text(row.finding.decision.until.as_ref())),
        text("by", 15.0, |_, row| optional_text(row.finding.decision.by.as_ref())),
        text("reason", 50.0, |_, row| optional_text(row.finding.decision.reason.as_ref())),
    ]
}

fn issue_columns<'r>(unit: LengthUnit) -> Vec<Column<&'r Issue>> {
    let word = unit.word;
    let cubed = format!("{word}³");
    vec![
        text("issue", 15.0, |_, issue| Cell::Text(&issue.id)),
        text("state", 11.0, |_, issue| Cell::Text(&issue.state)),
        text("severity", 11.0, |_, issue| Cell::Text(&issue.severity)),
        text("rule", 22.0, |_, issue| Cell::Text(&issue.rule)),
        text("group", 32.0, |_, issue| Cell::Text(&issue.group)),
        text("kind", 11.0, |_, issue| {
            optional_text(issue.findings.first().map_or(issue.kind.as_ref(), |worst| Some(&worst.kind)))
        }),
        text("worst_a", 32.0, |_, issue| optional_text(issue.names().map(|names| &names[0]))),
        text("worst_b", 32.0, |_, issue| optional_text(issue.names().map(|names| &names[1]))),
        number("at_least", word, |context, issue| context.at_least(issue.worst_m()[0])),
        number("at_most", word, |context, issue| context.at_most(issue.worst_m()[1])),
        number("overlap_at_least", &cubed, |context, issue| overlap(context.unit, issue, 0)),
        number("overlap_at_most", &cubed, |context, issue| overlap(context.unit, issue, 1)),
        number("pairs", "", |_, issue| Cell::Whole(issue.pairs as i64)),
        number("events", "", |_, issue| Cell::Whole(issue.events as i64)),
        number("runs", "", |_, issue| Cell::Whole(issue.runs as i64)),
        number("first_frame", "", |context, issue| context.of_motion(frame(issue, 0))),
        number("last_frame", "", |context, issue| context.of_motion(frame(issue, 1))),
        text("note", 50.0, |_, issue| optional_text(issue.note.as_ref())),
        text("until", 11.0, |_, issue| optional_text(issue.decision().and_then(|of| of.until.as_ref()))),
        text("by", 15.0, |_, issue| optional_text(issue.decision().and_then(|of| of.by.as_ref()))),
        text("reason", 50.0, |_, issue| optional_text(issue.decision().and_then(|of| of.reason.as_ref()))),
    ]
}

fn frame(issue: &Issue, end: usize) -> Cell<'static> {
    issue.frames.map_or(Cell::Empty, |frames| Cell::Whole(frames[end]))
}

/// A bound of the volume of the worst pair's overlap, empty if the deepest overlap is that of
/// another pair; in the cubed unit: one bit outward for each of its six roundings.
fn overlap(unit: LengthUnit, issue: &Issue, end: usize) -> Cell<'static> {
    const ROUNDINGS: usize = 6;
    let is_of_worst = issue.worst_m()[1] == issue.bracket_m[1];
    let Some(volume) = issue.volume_m3.filter(|_| is_of_worst) else { return Cell::Empty };
    let value = (0..3).fold(volume[end], |value, _| value * unit.denominator / unit.numerator);
    let outward: fn(f64) -> f64 = if end == 0 { f64::next_down } else { f64::next_up };
    let is_exact = value == 0.0 || unit.numerator == unit.denominator;
    Cell::Number(if is_exact { value } else { (0..ROUNDINGS).fold(value, |value, _| outward(value)) })
}

/// The looks of a table.
struct Looks {
    heading: Format,
    length: Format,
    open: Format,
    accepted: Format,
    critical: Format,
    major: Format,
    minor: Format,
}

impl Looks {
    fn of(unit: LengthUnit) -> Self {
        let digits = format!("0.{}", "0".repeat(unit.decimals()));
        let filled = |rgb| Format::new().set_background_color(Color::RGB(rgb));
        Self {
            heading: filled(0xdd_e3_ea).set_bold().set_align(FormatAlign::Top).set_text_wrap(),
            length: Format::new().set_num_format(digits),
            open: filled(0xf8_d0_cc),
            accepted: filled(0xf5_e6_b8),
            critical: filled(0xf0_a8_a0).set_bold(),
            major: filled(0xf9_cf_a6),
            minor: filled(0xfc_f0_c0),
        }
    }

    /// The colour of a word of a state or of a severity.
    fn of_word(&self, column: &str, word: &str) -> Option<&Format> {
        match (column, word) {
            ("state", "worse" | "new" | "expired" | "active") => Some(&self.open),
            ("state", "approved") => Some(&self.accepted),
            ("severity", "critical") => Some(&self.critical),
            ("severity", "major") => Some(&self.major),
            ("severity", "minor") => Some(&self.minor),
            _ => None,
        }
    }
}

/// Writes a heading that stays in view, with filters, and a row for each of `rows`.
fn write_table<R>(
    sheet: &mut Worksheet,
    report: &Report,
    columns: &[Column<R>],
    rows: &[R],
) -> std::result::Result<(), XlsxError> {
    let looks = Looks::of(report.unit);
    let context = Context::of(report);
    for (index, column) in columns.iter().enumerate() {
        let name = column.name.replace('_', " ");
        let name = column.unit.as_ref().map_or(name.clone(), |unit| format!("{name} ({unit})"));
        sheet.write_string_with_format(0, index as u16, name, &looks.heading)?;
        sheet.set_column_width(index as u16, column.width)?;
    }
    for (row_index, row) in rows.iter().enumerate() {
        for (index, column) in columns.iter().enumerate() {
            let (at, index) = (row_index as u32 + 1, index as u16);
            match (column.cell)(&context, row) {
                Cell::Empty => {}
                Cell::Text(text) => write_text(sheet, (at, index), text, looks.of_word(column.name, text))?,
                Cell::Whole(number) => _ = sheet.write_number(at, index, number as f64)?,
                Cell::Length(number) => _ = sheet.write_number_with_format(at, index, number, &looks.length)?,
                Cell::Number(number) => _ = sheet.write_number(at, index, number)?,
            }
        }
    }
    sheet.set_freeze_panes(1, 0)?;
    sheet.autofilter(0, 0, rows.len() as u32, columns.len() as u16 - 1)?;
    Ok(())
}

/// Writes a text that is no formula, whatever it begins with.
fn write_text(
    sheet: &mut Worksheet,
    (row, column): (u32, u16),
    text: &str,
    format: Option<&Format>,
) -> std::result::Result<(), XlsxError> {
    let text = shown(text);
    let text = clean(&text);
    match format {
        Some(format) => sheet.write_string_with_format(row, column, text, format)?,
        None => sheet.write_string(row, column, text)?,
    };
    Ok(())
}

/// A text that fits into a cell: a longer one ends with its length.
fn shown(text: &str) -> Cow<'_, str> {
    let length = text.encode_utf16().count();
    if length <= MOST_TEXT {
        return Cow::Borrowed(text);
    }
    let mark = format!("… (cut: {length} characters)");
    let most = MOST_TEXT - mark.encode_utf16().count();
    let mut used = 0;
    let fits = |c: &char| {
        used += c.len_utf16();
        used <= most
    };
    let kept: String = text.chars().take_while(fits).collect();
    Cow::Owned(kept + &mark)
}

/// The sheet `About`: the verdict, what was checked and what was not.
fn write_about(sheet: &mut Worksheet, report: &Report) -> std::result::Result<(), XlsxError> {
    let name = Format::new().set_bold().set_align(FormatAlign::Top);
    let wrapped = Format::new().set_text_wrap().set_align(FormatAlign::Top);
    sheet.set_column_width(0, 24.0)?;
    sheet.set_column_width(1, 110.0)?;
    for (row, (key, text)) in about(report).into_iter().enumerate() {
        write_text(sheet, (row as u32, 0), &key, Some(&name))?;
        write_text(sheet, (row as u32, 1), &text, Some(&wrapped))?;
    }
    Ok(())
}

fn about(report: &Report) -> Vec<(String, String)> {
    let line = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let mut lines = vec![
        line("Verdict", &report.verdict.sentence),
        line("Scene", &report.name),
        line("Program", &format!("clearsweep {}", report.version)),
        line("Unit of lengths", report.unit.word),
    ];
    let left_out = report.pairs_not_listed();
    if left_out > 0 {
        let most = Issue::MOST_FINDINGS;
        lines.push(line("Pairs", &format!("An issue lists at most {most} pairs: {left_out} pairs are not listed.")));
    }
    for (heading, facts) in [("What was checked", &report.checked), ("What was not checked", &report.unchecked)] {
        lines.push(line("", ""));
        lines.push(line(heading, if facts.is_empty() { "Nothing to say." } else { "" }));
        lines.extend(facts.iter().flat_map(fact_lines));
    }
    lines
}

fn fact_lines(fact: &Fact) -> Vec<(String, String)> {
    let mut lines = vec![(fact.name.clone(), fact.text.clone())];
    lines.extend(fact.details.iter().take(MOST_DETAILS).map(|detail| (String::new(), detail.clone())));
    let more = fact.details.len().saturating_sub(MOST_DETAILS);
    if more > 0 {
        lines.push((String::new(), format!("and {more} more")));
    }
    lines
}

#[cfg(test)]
mod tests;
