//! Rechecks the narrow phase: millions of rows, each proven again by a verifier that shares no code
//! with the engine.
//!
//! `cargo xtask recheck [--queries N] [--seed S] [--family F] [--ways W] [--px DIR]`: asks `N`
//! queries (10,000,000) of all families, or of one, and prints what they came to. `--px`: the work
//! folder of the peers' harness, whose cases N1 and N2 (with new poses of the same kind) and E1
//! (with its references) then take part. Ends with 1 if any bracket misses, any row is uncertified,
//! any way to a row gives other bits, or the verifier believes a false row.
//!
//! `recheck --campaign RECORD [--queries N] [--chunk Q] [--seed S] [--threads T] [--hours H]
//! [--commit TEXT]`: the same for many queries (1,000,000,000), in chunks of `Q` (250,000), each
//! with a seed of its own, on `T` threads (2). What is done is added to `RECORD`, a line of JSON
//! for each chunk, and is not asked again: a campaign that was killed goes on when it is called
//! again. `--hours`: no chunk is begun after that. Ends with 1 also where a chunk panicked, or
//! where a family does not reach its shares of rows apart, touching and overlapping. `--summary
//! RECORD` prints what a record says.
//!
//! `recheck --kinds RECORD [--rows N] [--with K,K] [--among K,K]`: every pair of kinds of bodies, `N`
//! rows each, by brute force over triangles, and over directions about round bodies; see `kinds`. `--with`: only
//! pairs that have one of these kinds; `--among`: only pairs of these kinds.
//!
//! ```text
//! families.rs, plant.rs, px.rs   what is asked            <- run.rs asks it; drawings.rs: bodies that the engine recentres
//! verify.rs            the verdict on a row      <- place.rs, features.rs, depth.rs, hull.rs
//! ways.rs              cold, warm, stale, foreign; GJK and V-Clip: the same bits
//! tally.rs             the tables
//! campaign.rs          chunks on threads         <- record.rs, what is done
//! ```
mod px;

use clearsweep_testing::recheck::{campaign, families, kinds, plant, record, run, tally};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::support::Outcome;
use campaign::Plan;
use families::Family;
use record::{Record, Terms};
use run::{Effort, Run};

/// All that is beside the proofs, for so many queries one: a run, and a campaign.
const RUN: Effort = Effort { ways: 1_000, known: 25, deception: 25 };
const CAMPAIGN: Effort = Effort { ways: 10_000, known: 250, deception: 100 };

const USAGE: &str = "usage: recheck [--queries N] [--seed S] [--family F] [--ways W] [--px DIR]
       recheck --campaign RECORD [--queries N] [--chunk Q] [--seed S] [--ways W] [--threads T] [--hours H] [--commit TEXT]
               [--from CHUNK]
       recheck --kinds RECORD [--rows N] [--with K,K] [--among K,K] [--chunk Q] [--seed S] [--threads T] [--hours H] [--commit TEXT]
       recheck --summary RECORD";

#[derive(Default)]
struct Arguments {
    queries: Option<u64>,
    chunk: Option<u64>,
    seed: Option<u64>,
    family: Option<String>,
    /// Number of queries of which one is asked in every way.
    ways: Option<u64>,
    px: Option<PathBuf>,
    campaign: Option<PathBuf>,
    kinds: Option<PathBuf>,
    /// Rows of each pair of kinds.
    rows: Option<u64>,
    /// Kinds of which one is in every pair.
    with: Option<Vec<kinds::make::Kind>>,
    /// Kinds of which both of every pair are.
    among: Option<Vec<kinds::make::Kind>>,
    summary: Option<PathBuf>,
    threads: Option<usize>,
    hours: Option<f64>,
    commit: Option<String>,
    from: Option<u64>,
}

fn parsed(given: &[String]) -> Option<Arguments> {
    let mut found = Arguments::default();
    let mut given = given.iter().cloned();
    while let Some(flag) = given.next() {
        let value = given.next()?;
        let count = || value.replace('_', "").parse().ok().filter(|&n: &u64| n > 0);
        match flag.as_str() {
            "--queries" => found.queries = Some(count()?),
            "--chunk" => found.chunk = Some(count()?),
            "--seed" => found.seed = Some(value.parse().ok()?),
            "--family" => found.family = Some(value),
            "--ways" => found.ways = Some(count()?),
            "--px" => found.px = Some(value.into()),
            "--campaign" => found.campaign = Some(value.into()),
            "--kinds" => found.kinds = Some(value.into()),
            "--rows" => found.rows = Some(count()?),
            "--with" => found.with = Some(kinds_named(&value)?),
            "--among" => found.among = Some(kinds_named(&value)?),
            "--summary" => found.summary = Some(value.into()),
            "--threads" => found.threads = Some(count()? as usize),
            "--hours" => found.hours = Some(value.parse().ok()?),
            "--commit" => found.commit = Some(value),
            "--from" => found.from = Some(value.parse().ok()?),
            _ => return None,
        }
    }
    Some(found)
}

/// Kinds by their names, separated by commas.
fn kinds_named(names: &str) -> Option<Vec<kinds::make::Kind>> {
    let named = |name: &str| kinds::make::Kind::ALL.into_iter().find(|kind| format!("{kind:?}") == name);
    names.split(',').map(named).collect()
}

pub(crate) fn main(arguments: &[String]) -> Outcome<ExitCode> {
    let Some(arguments) = parsed(arguments) else {
        eprintln!("{USAGE}");
        return Ok(ExitCode::from(2));
    };
    Ok(concluded_by(&arguments))
}

/// Runs what the arguments ask for, and ends with its verdict.
fn concluded_by(arguments: &Arguments) -> ExitCode {
    if let Some(record) = &arguments.kinds {
        return of_kinds(arguments, record);
    }
    match (&arguments.campaign, &arguments.summary) {
        (Some(record), _) => concluded(campaign::run(&plan(arguments), record)),
        (None, Some(record)) => concluded(Record::read(record)),
        (None, None) => run_once(arguments),
    }
}

/// Asks all pairs of kinds, prints what a record then says, and ends with its verdict.
fn of_kinds(arguments: &Arguments, record: &Path) -> ExitCode {
    let terms = kinds::tally::Terms {
        seed: arguments.seed.unwrap_or(1),
        chunk: arguments.chunk.unwrap_or(2_000),
        commit: arguments.commit.clone().unwrap_or_else(|| "unknown".into()),
    };
    let (rows, hours) = (arguments.rows.unwrap_or(10_000_000), arguments.hours.unwrap_or(f64::INFINITY));
    let is_asked = |pair: &[kinds::make::Kind; 2]| {
        arguments.with.as_ref().is_none_or(|with| pair.iter().any(|kind| with.contains(kind)))
            && arguments.among.as_ref().is_none_or(|among| pair.iter().all(|kind| among.contains(kind)))
    };
    let pairs: Vec<_> = kinds::tally::pairs().into_iter().filter(is_asked).collect();
    match kinds::campaign(record, terms, &pairs, rows, arguments.threads.unwrap_or(2), hours) {
        Ok(record) => {
            let mut sums = record.sums();
            sums.retain(|(pair, _)| is_asked(pair));
            let wrong = kinds::tally::summary(&sums);
            wrong.iter().for_each(|text| eprintln!("{text}"));
            ExitCode::from(u8::from(!wrong.is_empty()))
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn plan(arguments: &Arguments) -> Plan {
    Plan {
        terms: Terms {
            seed: arguments.seed.unwrap_or(1),
            chunk: arguments.chunk.unwrap_or(250_000),
            commit: arguments.commit.clone().unwrap_or_else(|| "unknown".into()),
        },
        queries: arguments.queries.unwrap_or(1_000_000_000),
        from: arguments.from.unwrap_or(0),
        threads: arguments.threads.unwrap_or(2),
        hours: arguments.hours.unwrap_or(f64::INFINITY),
        effort: Effort { ways: arguments.ways.unwrap_or(CAMPAIGN.ways), ..CAMPAIGN },
    }
}

/// Prints what a record says, and ends with its verdict.
fn concluded(record: Result<Record, String>) -> ExitCode {
    let wrong = match record {
        Ok(record) => campaign::summary(&record),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    wrong.iter().for_each(|text| eprintln!("{text}"));
    ExitCode::from(u8::from(!wrong.is_empty()))
}

fn run_once(arguments: &Arguments) -> ExitCode {
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
    if arguments.family.is_some() {
        all.extend(plant::more());
    }
    let names: Vec<&str> = all.iter().map(|f| f.name).collect();
    let chosen = |f: &Family| arguments.family.as_deref().is_none_or(|name| name == f.name);
    if !all.iter().any(chosen) {
        eprintln!("there is no such family; there are: {}", names.join(", "));
        return ExitCode::from(2);
    }
    let tallies = ask(all.into_iter().filter(chosen).collect(), arguments);
    tally::print(&tallies, true);
    ExitCode::from(u8::from(tallies.iter().any(|(_, t)| t.failed())))
}

fn ask(chosen: Vec<Family>, arguments: &Arguments) -> Vec<(&'static str, tally::Tally)> {
    // A share above 1 is a number of queries.
    let (fixed, shares) = chosen.iter().fold((0.0, 0.0), |(fixed, shares), f| {
        if f.share > 1.0 { (fixed + f.share, shares) } else { (fixed, shares + f.share) }
    });
    let rest = (arguments.queries.unwrap_or(10_000_000) as f64 - fixed).max(0.0);
    let effort = Effort { ways: arguments.ways.unwrap_or(RUN.ways), ..RUN };
    let mut tallies = Vec::new();
    for family in chosen {
        let part = if family.share > 1.0 { family.share } else { rest * family.share / shares };
        let name = family.name;
        let tally = Run::new(family, arguments.seed.unwrap_or(1), effort).ask(part.ceil() as u64);
        eprintln!("{name}: {} rows, {} misses, {:.0} s", tally.rows, tally.misses, tally.seconds);
        tallies.push((name, tally));
    }
    tallies
}
