//! The end of the program: exit codes, and errors as a person reads them.

use clearsweep::{Error, ErrorKind};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use std::fmt;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// How a subcommand ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    /// All went well.
    Clear,
    /// The tables are whole, and some row violates `require`.
    Violated,
    /// The tables are whole, some row has no proven bracket, and none violates `require`.
    Uncertified,
}

/// The exit code; prints the error, if it ended with one.
pub(crate) fn code(done: clearsweep::Result<Done>) -> ExitCode {
    match done {
        Ok(Done::Clear) => ExitCode::SUCCESS,
        Ok(Done::Violated) => ExitCode::from(3),
        Ok(Done::Uncertified) => ExitCode::from(4),
        Err(error) => {
            let code = if error.kind == ErrorKind::Usage { 2 } else { 1 };
            // If stderr is gone too, there is nobody left to tell.
            let _ = std::io::stderr().lock().write_all(render(error).as_bytes());
            ExitCode::from(code)
        }
    }
}

/// The error in a frame with colours on a terminal, in plain lines otherwise (logs, pipes, screen readers).
fn render(error: Error) -> String {
    if !std::io::stderr().is_terminal() {
        return plain(&error);
    }
    let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut text = String::new();
    match GraphicalReportHandler::new_themed(theme).render_report(&mut text, &Shown(error)) {
        Ok(()) => text,
        Err(fmt::Error) => "error: the error cannot be shown\n".to_owned(),
    }
}

/// `error: place: problem`, and the remedy on a line of its own.
fn plain(error: &Error) -> String {
    let help = if error.remedy.is_empty() { String::new() } else { format!("  help: {}\n", error.remedy) };
    format!("error: {error}\n{help}")
}

/// An error with its remedy as help.
#[derive(Debug)]
struct Shown(Error);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.0.remedy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_place_problem_and_remedy() {
        let error = || Error::input("scene.toml, line 3", "unknown key `wthin`", "did you mean `within`?");
        assert_eq!(plain(&error()), "error: scene.toml, line 3: unknown key `wthin`\n  help: did you mean `within`?\n");
        let mut text = String::new();
        GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
            .render_report(&mut text, &Shown(error()))
            .expect("rendered");
        assert!(text.contains("wthin") && text.contains("did you mean"), "{text}");
    }
}
