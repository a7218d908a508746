//! Messages on stderr as JSON (`--errors json`): an object on each line, and nothing else.

use super::stdout::print_to_stderr;
use clap::ValueEnum;
use clearsweep::{Error, ErrorKind};
use clearsweep_records::manifest::Warning;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// The form of messages on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ErrorsArg {
    Text,
    Json,
}

/// Whether messages are JSON; set before anything is printed.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Whether messages on stderr are JSON.
pub(crate) fn are_json() -> bool {
    IS_JSON.load(Ordering::Relaxed)
}

/// Chooses the form of messages by the words of the command line: that of `--errors`; left out,
/// JSON if a summary in JSON goes to stderr too, and else text.
pub(crate) fn choose(words: &[String]) {
    let form = super::color::value_of(words, "--errors").and_then(|value| ErrorsArg::from_str(&value, false).ok());
    let is_json = match form {
        Some(form) => form == ErrorsArg::Json,
        None => {
            words.iter().any(|word| word == "--json")
                && super::color::value_of(words, "--out").is_some_and(|out| out == "-")
        }
    };
    IS_JSON.store(is_json, Ordering::Relaxed);
}

/// Prints an object on a line of its own.
pub(crate) fn print_line(object: &Value) {
    print_to_stderr(&format!("{object}\n"));
}

/// Prints an error with the exit code of the program.
pub(crate) fn error(error: &Error, code: u8) {
    let Error { kind, place, problem, remedy, .. } = error;
    let kind = match kind {
        ErrorKind::Usage => "usage",
        ErrorKind::Input => "input",
        ErrorKind::Output => "output",
        ErrorKind::Cancelled => "cancelled",
        ErrorKind::Internal => "internal",
    };
    print_line(&json!({
        "level": "error",
        "kind": kind,
        "file": error.file(),
        "place": place,
        "message": problem,
        "help": (!remedy.is_empty()).then_some(remedy),
        "exit_code": code,
    }));
}

/// Prints an error of the command line, as its parser tells it.
pub(crate) fn error_of_words(parsed: &clap::Error, code: u8) {
    let text = parsed.to_string();
    let mut parts = text.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let problem = parts.next().unwrap_or_default();
    let tips: Vec<String> = parts.filter_map(|part| part.strip_prefix("tip: ").map(str::to_owned)).collect();
    let help = if tips.is_empty() { "see `clearsweep COMMAND --help`".to_owned() } else { tips.join("; ") };
    error(&Error::usage("arguments", problem.trim_start_matches("error: "), help), code);
}

/// Prints a warning.
pub(crate) fn warning(Warning { kind, bodies, bodies_count, problem, help }: &Warning) {
    print_line(&json!({
        "level": "warning",
        "kind": kind,
        "bodies": bodies,
        "bodies_count": bodies_count,
        "message": problem,
        "help": help,
    }));
}

/// Prints a note.
pub(crate) fn note(message: &str) {
    print_line(&json!({ "level": "note", "message": message }));
}

/// Prints how far something is, from 0 to 1, and words for it.
pub(crate) fn progress(share: f64, message: &str) {
    print_line(&json!({ "level": "progress", "share": share, "message": message }));
}
