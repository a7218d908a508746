//! Rechecks the narrow phase: millions of rows, each proven again by a verifier that shares no code with the engine.
//!
//! `cargo run --release --example recheck -- [--queries N] [--seed S] [--family F] [--ways W] [--px DIR]`: asks `N` queries
//! (10,000,000) of all families, or of one, and prints what they came to. `--px`: the work folder of the peers' harness,
//! whose cases N1 and N2 (with new poses of the same kind) and E1 (with its references) then take part. Ends with 1 if
//! any bracket misses, any row is uncertified, any way to a row gives other bits, or the verifier believes a false row.
//!
//! ```text
//! families.rs, px.rs   what is asked            <- run.rs asks it; drawings.rs: bodies that the engine recentres
//! verify.rs            the verdict on a row      <- place.rs, features.rs, depth.rs, hull.rs
//! ways.rs              cold, warm, stale, foreign; GJK and V-Clip: the same bits
//! tally.rs             the tables
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example reports to the person who runs it")]

#[path = "../../tests/oracle/bridge.rs"]
mod bridge;
mod depth;
mod drawings;
mod families;
mod features;
mod hull;
#[path = "../../tests/oracle/mod.rs"]
mod oracle;
mod place;
mod px;
mod run;
mod solid;
mod tally;
mod verify;
mod ways;

use std::path::PathBuf;
use std::process::ExitCode;

use families::Family;
use run::Run;

struct Arguments {
    queries: u64,
    seed: u64,
    family: Option<String>,
    /// Of so many queries one is asked in every way.
    ways: u64,
    px: Option<PathBuf>,
}

fn arguments() -> Option<Arguments> {
    let mut found = Arguments { queries: 10_000_000, seed: 1, family: None, ways: 1_000, px: None };
    let mut given = std::env::args().skip(1);
    while let Some(flag) = given.next() {
        let value = given.next()?;
        match flag.as_str() {
            "--queries" => found.queries = value.replace('_', "").parse().ok()?,
            "--seed" => found.seed = value.parse().ok()?,
            "--family" => found.family = Some(value),
            "--ways" => found.ways = value.parse().ok()?,
            "--px" => found.px = Some(value.into()),
            _ => return None,
        }
    }
    Some(found)
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("usage: recheck [--queries N] [--seed S] [--family F] [--ways W] [--px DIR]");
        return ExitCode::from(2);
    };
    let mut all = families::own();
    if let Some(work) = &arguments.px {
        match px::families(work) {
            Ok(more) => all.extend(more),
            Err(error) => {
                eprintln!("{}: {error}; is it the harness' folder, after its `inputs`?", work.display());
                return ExitCode::from(2);
            }
        }
    }
    let names: Vec<&str> = all.iter().map(|f| f.name).collect();
    let chosen = |f: &Family| arguments.family.as_deref().is_none_or(|name| name == f.name);
    if !all.iter().any(chosen) {
        eprintln!("there is no such family; there are: {}", names.join(", "));
        return ExitCode::from(2);
    }
    let chosen: Vec<Family> = all.into_iter().filter(chosen).collect();
    // A share above 1 is a number of queries.
    let (fixed, shares) = chosen.iter().fold((0.0, 0.0), |(fixed, shares), f| {
        if f.share > 1.0 { (fixed + f.share, shares) } else { (fixed, shares + f.share) }
    });
    let rest = (arguments.queries as f64 - fixed).max(0.0);
    let mut tallies = Vec::new();
    for family in chosen {
        let part = if family.share > 1.0 { family.share } else { rest * family.share / shares };
        let name = family.name;
        let tally = Run::new(family, arguments.seed, arguments.ways).ask(part.ceil() as u64);
        eprintln!("{name}: {} rows, {} misses, {:.0} s", tally.rows, tally.misses, tally.seconds);
        tallies.push((name, tally));
    }
    tally::print(&tallies);
    ExitCode::from(u8::from(tallies.iter().any(|(_, t)| t.failed())))
}
