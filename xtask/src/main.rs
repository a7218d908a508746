//! Campaigns, inputs of measurements and listings: `cargo xtask NAME ARGUMENTS`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tools report to the person who runs them")]

mod e1;
mod mesh_facts;
mod pair_time;
mod real_scenes;
mod recheck;
mod scale;
mod shuffled;
mod support;
mod two_phase;

use std::process::ExitCode;
use support::Outcome;

/// A tool: takes the arguments after its name.
type Tool = fn(&[String]) -> Outcome<ExitCode>;

/// Every tool, with what it does.
const TOOLS: [(&str, &str, Tool); 8] = [
    ("recheck", "prove millions of rows again, by a verifier that shares no code with the engine", recheck::main),
    ("two-phase", "repeat the experiments of the two-phase paper", two_phase::main),
    ("mesh-facts", "print facts about geometry files as JSON, for comparison with another reader", mesh_facts::main),
    ("e1", "turn case E1 of the peers' harness into a scene", e1::main),
    ("real-scenes", "write scenes of real geometry: robot links, and a box carried through a house", real_scenes::main),
    ("scale", "write a scene of very many bodies, and one of very many runs", scale::main),
    ("pair-time", "time a million queries of one pair, those of python/benches/pair_queries.py", pair_time::main),
    ("shuffled", "write trajectories whose rows are not sorted", shuffled::main),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named =
        arguments.split_first().and_then(|(name, rest)| Some((TOOLS.iter().find(|tool| tool.0 == name)?, rest)));
    let Some(((_, _, tool), rest)) = named else {
        eprintln!("usage: cargo xtask NAME ARGUMENTS");
        TOOLS.iter().for_each(|(name, what, _)| eprintln!("  {name:<12} {what}"));
        return ExitCode::from(2);
    };
    tool(rest).unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}
