//! The end of the program: exit codes, and errors as a person reads them.

use super::color::{Tone, paint};
use super::diagnostics;
use super::stdout::print_to_stderr;
use super::text::visible;
use super::wrap::{width_of_stderr, wrapped};
use clearsweep::{Error, ErrorKind};

/// How a subcommand ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgramEnd {
    /// All went well.
    Clear,
    /// The tables are whole, and some row or interval violates `require`.
    Violated,
    /// The tables are whole, some row has no proven bracket or some interval is undecided, and none
    /// violates `require`.
    Uncertified,
    /// The tables are whole, and something is required, but nothing was looked at.
    NothingChecked,
    /// Rows are not those that were written, or those of another result.
    Differs,
    /// Ctrl-C, or a request to end; what had been written is gone.
    Interrupted,
    /// An interruption while rows went to stdout: those written are not all.
    InterruptedStream,
    /// The reader of the rows on stdout has closed the pipe.
    BrokenPipe,
    /// An interruption like [`Self::Interrupted`], but what had been written is kept, to go on
    /// with.
    InterruptedAndKept,
    /// An interruption that the same command goes on after.
    InterruptedHalfway,
}

/// The exit code of an interrupted program: 128 and the number of the signal, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// The exit code of a program whose reader has closed the pipe, likewise.
pub(crate) const BROKEN_PIPE: u8 = 141;

/// The exit code; prints the error, if it ended with one.
pub(crate) fn code(done: clearsweep::Result<ProgramEnd>) -> u8 {
    match done {
        Ok(ProgramEnd::Clear) => 0,
        Ok(ProgramEnd::Differs) => 1,
        Ok(ProgramEnd::NothingChecked) => 2,
        Ok(ProgramEnd::Violated) => 3,
        Ok(ProgramEnd::Uncertified) => 4,
        Ok(ProgramEnd::Interrupted) => interrupted("nothing was left behind", ""),
        Ok(ProgramEnd::InterruptedStream) => interrupted("the stream on stdout is not whole", ""),
        Ok(ProgramEnd::BrokenPipe) => BROKEN_PIPE,
        Ok(ProgramEnd::InterruptedAndKept) => {
            interrupted("what was written is kept", "; --resume goes on with it, --force starts over")
        }
        Ok(ProgramEnd::InterruptedHalfway) => {
            interrupted("what was found is kept", "; the same command goes on with it")
        }
        Err(error) => {
            let code = match error.kind {
                ErrorKind::Usage => 2,
                ErrorKind::Cancelled => INTERRUPTED,
                ErrorKind::Input | ErrorKind::Output | ErrorKind::Internal => 1,
            };
            tell(&error, code);
            code
        }
    }
}

/// Tells of an interruption, and returns its exit code. `help` follows the message.
fn interrupted(message: &str, help: &str) -> u8 {
    if diagnostics::are_json() {
        let help = help.trim_start_matches("; ");
        let error =
            Error { kind: ErrorKind::Cancelled, ..Error::usage("the job", format!("interrupted: {message}"), help) };
        diagnostics::error(&error, INTERRUPTED);
    } else {
        print_to_stderr(&format!("interrupted: {message}{help}\n"));
    }
    INTERRUPTED
}

/// Tells of an error; `code`: the exit code.
fn tell(error: &Error, code: u8) {
    if diagnostics::are_json() { diagnostics::error(error, code) } else { print_to_stderr(&render(error)) }
}

/// The end of a subcommand whose tables are whole, with what came of printing: an error of stdout
/// is told, and decides the exit code only where the verdict has none of its own.
pub(crate) fn printed(printed: clearsweep::Result<()>, end: ProgramEnd) -> clearsweep::Result<ProgramEnd> {
    match printed {
        Err(error) if end == ProgramEnd::Clear => Err(error),
        Err(error) => {
            tell(&error, code(Ok(end)));
            Ok(end)
        }
        Ok(()) => Ok(end),
    }
}

/// Returns `error: place: problem`, and the remedy on a line of its own.
fn render(error: &Error) -> String {
    let columns = width_of_stderr();
    let help = match error.remedy.is_empty() {
        true => String::new(),
        false => wrapped(&format!("  help: {}", lines(&error.remedy)), columns, 2) + "\n",
    };
    let problem = format!("{} {}", paint(Tone::Bad, "error:"), lines(&error.to_string()));
    format!("{}\n{help}", wrapped(&problem, columns, 0))
}

/// Text that may quote names of the input: lines stay lines, other control characters are escaped.
fn lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_declares_every_exit_code() {
        let (_, declared) = super::super::help::PROGRAM.split_once("Exit codes: ").expect("a list");
        let declared: Vec<&str> = declared.split("; ").filter_map(|part| part.split(' ').next()).collect();
        let ends = [ProgramEnd::Clear, ProgramEnd::Violated, ProgramEnd::Uncertified, ProgramEnd::NothingChecked];
        let others = [ProgramEnd::Differs, ProgramEnd::BrokenPipe];
        let mut codes: Vec<u8> = ends.into_iter().chain(others).map(|end| code(Ok(end))).collect();
        codes.push(INTERRUPTED);
        codes.sort_unstable();
        assert_eq!(codes.iter().map(ToString::to_string).collect::<Vec<_>>(), declared);
    }

    #[test]
    fn errors_say_place_problem_and_remedy() {
        let error = Error::input("scene.toml, line 3", "unknown key `wthin`", "did you mean `within`?");
        let text = anstream::adapter::strip_str(&render(&error)).to_string();
        assert_eq!(text, "error: scene.toml, line 3: unknown key `wthin`\n  help: did you mean `within`?\n");
    }
}
