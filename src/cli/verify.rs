//! `clearsweep verify`: whether tables hold the rows that were written, and whether two results
//! hold the same.

use super::args_divided::VerifyArgs;
use super::exit::ProgramEnd;
use super::text::count;
use super::{results, stdout};
use clearsweep::Result;
use clearsweep_engine::{Difference, compare, verify as verify_tables};
use serde_json::{Value, json};

/// Verifies, or compares, and prints what differs.
pub(crate) fn verify(args: &VerifyArgs) -> Result<ProgramEnd> {
    let differences = match &args.other {
        None => verify_tables(&results::one(&args.dir, true)?.dir, args.threads.map(|threads| threads.0))?,
        Some(other) => compare(&results::one(&args.dir, false)?.dir, &results::one(other, false)?.dir)?,
    };
    match args.json {
        true => stdout::print_json(&as_json(&differences))?,
        false => stdout::print(&text(&differences, args.other.is_some()))?,
    }
    Ok(if differences.is_empty() { ProgramEnd::Clear } else { ProgramEnd::Differs })
}

fn as_json(differences: &[Difference]) -> Value {
    let of = |one: &Difference| json!({ "table": one.table, "file": one.file, "rows": one.rows, "runs": one.runs });
    json!({ "equal": differences.is_empty(), "differences": differences.iter().map(of).collect::<Vec<_>>() })
}

fn text(differences: &[Difference], of_two: bool) -> String {
    if differences.is_empty() {
        let problem = if of_two {
            "both manifests tell the same rows in all tables\n"
        } else {
            "all tables hold the rows that were written\n"
        };
        return problem.to_owned();
    }
    let line = |one: &Difference| {
        if let Some(file) = &one.file {
            return format!("{:13} {file}: the rows are those that were written, and other bytes are not\n", one.table);
        }
        let [first, second] = one.rows.map(|rows| rows.map_or_else(|| "no table".to_owned(), count));
        let rows = match first == second {
            true => format!("{first} rows"),
            false => format!("{first} rows, then {second}"),
        };
        let runs = match one.runs {
            Some([first, last]) if first == last => format!("differs in run {first}"),
            Some([first, last]) => format!("differs within runs {first} to {last}"),
            None => "is there once".to_owned(),
        };
        format!("{:13} {runs} ({rows})\n", one.table)
    };
    differences.iter().map(line).collect()
}
