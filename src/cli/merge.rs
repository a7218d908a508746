//! `clearsweep merge`: the result of a job from those of its shards.

use super::args_divided::MergeArgs;
use super::exit::{self, ProgramEnd};
use super::{interrupt, machine, notes, progress, stdout, summary};
use clearsweep::{ErrorKind, Result};
use clearsweep_engine::{CancelToken, MergeOptions};
use clearsweep_records::manifest::{Manifest, summary_json};

/// Merges, and prints the summary as a run does.
pub(crate) fn merge(args: MergeArgs) -> Result<ProgramEnd> {
    let options = options(&args);
    let token = CancelToken::new();
    let cancelled = token.clone();
    interrupt::at_first(move || cancelled.cancel());
    let shown = progress::shown(args.progress);
    let merged = match clearsweep_engine::merge(&args.shards, None, &options, &shown, &token) {
        Err(error) if error.kind == ErrorKind::Cancelled => return Ok(ProgramEnd::Interrupted),
        merged => merged?,
    };
    drop(shown);
    let manifest = Manifest::of_json(&merged.manifest)?;
    notes::warnings(&manifest);
    let printed = match args.json {
        true => stdout::print_json(summary_json(&merged.manifest)),
        false => stdout::print(&summary::text(&manifest, Some(&args.out))),
    };
    exit::printed(printed, end(manifest.summary.verdict.as_deref()))
}

pub(super) fn options(args: &MergeArgs) -> MergeOptions {
    MergeOptions {
        out: args.out.clone(),
        force: args.force,
        fast: args.fast,
        scene: args.scene.clone(),
        previous: args.previous.clone(),
        temp: args.temp.clone(),
        memory: args.memory.map_or_else(machine::default_memory, |bytes| bytes.0),
        threads: args.threads.map(|threads| threads.0),
    }
}

/// The end of a program that prints a summary of this verdict.
pub(super) fn end(verdict: Option<&str>) -> ProgramEnd {
    match verdict {
        Some("violated") => ProgramEnd::Violated,
        Some("uncertified") => ProgramEnd::Uncertified,
        Some("nothing-checked") => ProgramEnd::NothingChecked,
        _ => ProgramEnd::Clear,
    }
}
