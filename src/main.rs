//! The program `clearsweep`: the table of contents of its subcommands.

mod cli;

use cli::args::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Cli { command, color: _ } = cli::color::parse();
    let done = match command {
        Command::Run(args) => cli::run::run(args),
        Command::Check(args) => cli::check::check(args),
        Command::Generate(args) => cli::generate::generate(args),
        Command::Summary(args) => cli::summary::summary(&args),
        Command::Query(args) => cli::query::query(&args),
        Command::Sort(args) => cli::sort::sort(&args),
        Command::Doctor(args) => cli::doctor::doctor(&args),
        Command::Completions(args) => cli::shell::completions(&args),
        Command::Man(args) => cli::shell::man(&args),
    };
    cli::exit::code(done)
}
