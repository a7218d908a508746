//! `clearsweep completions` and `clearsweep man`: made from the flags, so that they are never out
//! of date.

use super::args::{Cli, CompletionsArgs, ManArgs};
use super::exit::ProgramEnd;
use super::stdout;
use clap::CommandFactory;
use clearsweep::{Error, Result};

const PROGRAM: &str = "clearsweep";

/// Prints the completion script of a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<ProgramEnd> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), PROGRAM, &mut script);
    stdout::print_bytes(&script)?;
    Ok(ProgramEnd::Clear)
}

/// Prints the manual page of the program, of a command, or of a command of a command.
pub(crate) fn man(args: &ManArgs) -> Result<ProgramEnd> {
    let mut program = Cli::command();
    program.build();
    let mut command = &program;
    for name in &args.names {
        let names = || command.get_subcommands().map(clap::Command::get_name).collect::<Vec<_>>().join(", ");
        // Built, it goes by its whole name: clearsweep-run.
        command = command.find_subcommand(name).ok_or_else(|| match names() {
            none if none.is_empty() => {
                let problem = format!("is no command: `{}` has no commands of its own", command.get_name());
                Error::usage(format!("`{name}`"), problem, "leave it out")
            }
            names => Error::usage(format!("`{name}`"), "is no command", format!("give one of {names}")),
        })?;
    }
    let command = command.clone();
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| Error::internal("man", format!("the page cannot be made ({error})")))?;
    stdout::print_bytes(&page)?;
    Ok(ProgramEnd::Clear)
}
