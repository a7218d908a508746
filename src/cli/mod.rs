//! The command line: a file per subcommand, and what they share.
//!
//! *Architecture invariant*: the only place that prints, exits or asks the machine and the environment. Raw flags
//! are lowered once (`args` to options of the library); nothing below sees a flag.

mod args;
mod between;
mod check;
mod color;
mod decompositions;
mod device_note;
mod doctor;
mod exit;
mod export;
mod generate;
mod help;
mod hulls;
mod interrupt;
mod intervals;
mod machine;
mod meshes;
mod open_meshes;
mod pipe;
mod progress;
mod query;
mod run;
mod shell;
mod sort;
mod spool_note;
mod stdout;
mod summary;
mod text;
mod tree;
mod values;
mod violations;
mod warnings;
mod wrap;

use args::{Cli, Command};
use std::process::ExitCode;

/// The program: parses the command line, runs the subcommand and turns what came of it into an exit code.
pub(crate) fn main() -> ExitCode {
    let Cli { command, color: _ } = color::parse();
    let done = match command {
        Command::Run(args) => run::run(args),
        Command::Check(args) => check::check(args),
        Command::Generate(args) => generate::generate(args),
        Command::Summary(args) => summary::summary(&args),
        Command::Export(args) => export::export(&args),
        Command::Query(args) => query::query(&args),
        Command::Sort(args) => sort::sort(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    };
    exit::code(done)
}
