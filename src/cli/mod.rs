//! The command line: a file for each subcommand, and what they share.
//!
//! *Architecture invariant*: the only place that prints, exits or asks the machine and the
//! environment. Raw flags are lowered once (`args` to options of the library); nothing below sees a
//! flag.

mod accept;
mod args;
mod args_audit;
mod args_divided;
mod args_generate;
mod args_init;
mod args_input;
mod args_recheck;
mod audit;
mod body_lines;
mod check;
mod color;
mod diagnostics;
mod diff;
mod doctor;
pub mod embed;
mod exit;
mod explain;
mod export;
mod files;
mod first_scene;
mod generate;
mod help;
mod init;
mod interrupt;
mod intervals;
mod machine;
mod merge;
mod notes;
mod pipe;
mod plan;
mod progress;
mod query;
mod recheck;
mod recheck_state;
mod report;
mod results;
mod run;
mod schema;
mod shell;
mod sort;
mod srdf;
mod stdout;
mod summary;
mod summary_lines;
mod summary_tables;
mod text;
mod tree;
mod undecided;
mod values;
mod verify;
mod violations;
mod wrap;

use args::{Cli, Command};
use exit::ProgramEnd;
use std::ffi::OsString;

/// Runs the program: parses the command line, the first word of which is its name, runs the
/// subcommand, and returns the exit code.
pub fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    let Cli { command, color: _, errors: _ } = color::parse(&words.into_iter().collect::<Vec<_>>());
    exit::code(run_command(command))
}

/// Runs a subcommand.
fn run_command(command: Command) -> clearsweep::Result<ProgramEnd> {
    if let Some(level) = std::env::var_os("CLEARSWEEP_SIMD") {
        clearsweep_engine::limit_simd(&level.to_string_lossy())?;
    }
    match command {
        Command::Run(args) => run::run(args),
        Command::Check(args) => check::check(args),
        Command::Init(args) => init::init(&args),
        Command::Convert(_) => Err(clearsweep::Error::usage(
            "convert",
            "is a command of the Python wheel's program, and this is another build",
            "install the wheel (python/README.md), and type `python -m clearsweep convert`",
        )),
        Command::Audit(args) => audit::audit(args),
        Command::Generate(args) => generate::generate(args),
        Command::Summary(args) => summary::summary(&args),
        Command::Accept(args) => accept::accept(&args),
        Command::Diff(args) => diff::diff(&args),
        Command::Report(args) => report::report(&args),
        Command::Export(args) => export::export(&args),
        Command::Query(args) => query::query(&args),
        Command::Plan(args) => plan::plan(args),
        Command::Merge(args) => merge::merge(args),
        Command::Verify(args) => verify::verify(&args),
        Command::Recheck(args) => recheck::recheck(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Sort(args) => sort::sort(&args),
        Command::Schema(args) => schema::schema(&args),
        Command::Doctor(args) => doctor::doctor(&args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    }
}
