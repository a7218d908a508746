//! `clearsweep completions` and `clearsweep man`: made from the flags, so that they are never out of date.

use super::args::{Cli, CompletionsArgs, ManArgs};
use super::exit::ProgramEnd;
use super::stdout;
use crate::{Error, Result};
use clap::CommandFactory;

const PROGRAM: &str = "clearsweep";

/// Prints the completion script of a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<ProgramEnd> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), PROGRAM, &mut script);
    stdout::print_bytes(&script)?;
    Ok(ProgramEnd::Clear)
}

/// Prints the manual page of the program, or of a command.
pub(crate) fn man(args: &ManArgs) -> Result<ProgramEnd> {
    let mut program = Cli::command();
    program.build();
    let command = match &args.name {
        None => program,
        Some(name) => {
            let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
            // Built, it goes by its whole name: clearsweep-run.
            program.find_subcommand(name).cloned().ok_or_else(|| {
                Error::usage(format!("`{name}`"), "is no command", format!("give one of {}", names.join(", ")))
            })?
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| Error::internal("man", format!("the page cannot be made ({error})")))?;
    stdout::print_bytes(&page)?;
    Ok(ProgramEnd::Clear)
}
