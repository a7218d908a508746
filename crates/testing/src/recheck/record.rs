//! The record of a campaign: a file of lines of JSON, one for each chunk that is done. A kill loses
//! the chunk it interrupts.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::recheck::tally::Tally;

/// Terms common to all chunks of a campaign.
#[derive(Clone, PartialEq, Debug)]
pub struct Terms {
    pub seed: u64,
    /// Queries of a chunk, before it is rounded up to whole walks.
    pub chunk: u64,
    /// Commit of the sources that were asked.
    pub commit: String,
}

impl Terms {
    fn options(&self) -> String {
        format!("--seed {} --chunk {} --commit {}", self.seed, self.chunk, self.commit)
    }
}

/// A chunk that is done.
pub struct Chunk {
    pub number: u64,
    pub family: String,
    /// The seed of its queries.
    pub seed: u64,
    /// The message, if the engine or the verifier panicked: the chunk then counts as failed, and
    /// has no figures.
    pub panic: Option<String>,
    pub tally: Tally,
}

/// The open file, locked against a second campaign, and what it says.
pub struct Record {
    file: File,
    pub terms: Terms,
    pub done: BTreeMap<u64, Chunk>,
}

impl Record {
    /// Opens or creates the record of a campaign. Errors name the line and the remedy.
    pub fn open(path: &Path, terms: Terms) -> Result<Self, String> {
        let at = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(at)?;
        file.try_lock()
            .map_err(|_| format!("{}: another campaign writes it; wait or choose another", path.display()))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(at)?;
        // A line that a kill cut short counts as not written.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(at)?;
            text.truncate(whole);
        }
        let mut record = Self { file, terms, done: BTreeMap::new() };
        for (number, line) in (1..).zip(text.lines()) {
            record.take(line).map_err(|error| format!("{}, line {number}: {error}", path.display()))?;
        }
        Ok(record)
    }

    /// Reads a record, to be summed up; a line that is cut short is left out.
    pub fn read(path: &Path) -> Result<Self, String> {
        let at = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut file = File::open(path).map_err(at)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(at)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let terms = text[..whole].lines().next().and_then(parse).map(|(terms, _)| terms);
        let terms = terms.ok_or_else(|| format!("{}: it holds no chunk", path.display()))?;
        let mut record = Self { file, terms, done: BTreeMap::new() };
        for (number, line) in (1..).zip(text[..whole].lines()) {
            record.take(line).map_err(|error| format!("{}, line {number}: {error}", path.display()))?;
        }
        Ok(record)
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let (of, chunk) = parse(line).ok_or("no chunk; remove the line to repeat it")?;
        if of != self.terms {
            let (of, asked) = (of.options(), self.terms.options());
            return Err(format!("it is of {of}, not of {asked}; give the former, or name another record"));
        }
        let before = self.done.insert(chunk.number, chunk);
        before.map_or(Ok(()), |_| Err("a chunk for the second time; remove the line".into()))
    }

    /// Adds a chunk, in one write, and waits until it is on the disk.
    pub fn add(&mut self, chunk: Chunk) -> Result<(), String> {
        let line = format!("{}\n", line(&self.terms, &chunk));
        self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data()).map_err(|e| e.to_string())?;
        self.done.insert(chunk.number, chunk);
        Ok(())
    }
}

fn line(terms: &Terms, chunk: &Chunk) -> Value {
    let t = &chunk.tally;
    json!({
        "chunk": chunk.number, "family": chunk.family, "seed": chunk.seed, "commit": terms.commit,
        "campaign_seed": terms.seed, "asked": terms.chunk, "panic": chunk.panic,
        "queries": t.queries, "rows": t.rows, "absent": t.absent, "misses": t.misses, "uncertified": t.uncertified,
        "widest_relative": t.widest, "widest_m": t.widest_m,
        "statuses": t.statuses, "methods": t.methods, "lower": t.lower, "upper": t.upper,
        "known": t.known, "worst_relative": t.worst, "false_ends": t.false_ends, "deceived": t.deceived,
        "ways": [t.ways.queries, t.ways.rows, t.ways.different, t.ways.same_counts], "seconds": t.seconds,
    })
}

fn parse(line: &str) -> Option<(Terms, Chunk)> {
    let value: Value = serde_json::from_str(line).ok()?;
    let count = |key: &str| value[key].as_u64();
    let number = |key: &str| value[key].as_f64();
    let text = |key: &str| value[key].as_str().map(str::to_string);
    let mut tally = Tally {
        queries: count("queries")?,
        rows: count("rows")?,
        absent: count("absent")?,
        statuses: counts(&value["statuses"])?,
        methods: counts(&value["methods"])?,
        lower: counts(&value["lower"])?,
        upper: counts(&value["upper"])?,
        widest: number("widest_relative")?,
        widest_m: number("widest_m")?,
        worst: number("worst_relative")?,
        known: count("known")?,
        misses: count("misses")?,
        uncertified: count("uncertified")?,
        false_ends: count("false_ends")?,
        deceived: count("deceived")?,
        seconds: number("seconds")?,
        ..Tally::default()
    };
    let ways = &mut tally.ways;
    [ways.queries, ways.rows, ways.different, ways.same_counts] = counts(&value["ways"])?;
    let terms = Terms { seed: count("campaign_seed")?, chunk: count("asked")?, commit: text("commit")? };
    let (number, family, seed) = (count("chunk")?, text("family")?, count("seed")?);
    Some((terms, Chunk { number, family, seed, panic: text("panic"), tally }))
}

fn counts<const N: usize>(value: &Value) -> Option<[u64; N]> {
    let all: Option<Vec<u64>> = value.as_array()?.iter().map(Value::as_u64).collect();
    all?.try_into().ok()
}
