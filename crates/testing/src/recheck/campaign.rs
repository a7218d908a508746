//! A campaign: chunks of queries, each of one family and with a seed of its own, on several
//! threads, with a record.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use crate::recheck::families::{self, Family};
use crate::recheck::plant;
use crate::recheck::record::{Chunk, Record, Terms};
use crate::recheck::run::{Effort, Run};
use crate::recheck::tally::{self, Tally};

/// Plan of a campaign.
pub struct Plan {
    pub terms: Terms,
    /// Queries in all; rounded up to whole chunks.
    pub queries: u64,
    /// The first chunk that is asked: another record has those before it.
    pub from: u64,
    pub threads: usize,
    /// Hours after which no chunk is begun.
    pub hours: f64,
    pub effort: Effort,
}

/// Queries of a family from which its shares are judged.
const JUDGED: u64 = 100_000;

/// All families of a campaign.
pub fn families() -> Vec<Family> {
    let mut all = families::own();
    all.extend(plant::more());
    all
}

/// The families of the first chunks, by index: each chunk goes to the family that is most behind
/// its share, so that any beginning of a campaign is representative, and a longer campaign
/// continues a shorter one.
pub fn order(shares: &[f64], chunks: u64) -> Vec<usize> {
    let whole: f64 = shares.iter().sum();
    let mut behind = vec![0.0; shares.len()];
    let next = |_| {
        behind.iter_mut().zip(shares).for_each(|(b, s)| *b += s / whole);
        let most = (0..shares.len()).max_by(|&i, &j| behind[i].total_cmp(&behind[j]).then(j.cmp(&i)));
        let most = most.expect("there is a family");
        behind[most] -= 1.0;
        most
    };
    (0..chunks).map(next).collect()
}

/// The seed of a chunk.
fn seed(campaign: u64, chunk: u64) -> u64 {
    let mixed = (campaign ^ 0xD1B5_4A32_D192_ED03).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(chunk);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ (mixed >> 32)
}

/// Asks all chunks that the record lacks, and returns the record.
pub fn run(plan: &Plan, path: &Path) -> Result<Record, String> {
    let record = Record::open(path, plan.terms.clone())?;
    let shares: Vec<f64> = families().iter().map(|f| f.share).collect();
    let order = order(&shares, plan.queries.div_ceil(plan.terms.chunk));
    let is_left = |chunk: &u64| *chunk >= plan.from && !record.done.contains_key(chunk);
    let left: Vec<(u64, usize)> = (0..).zip(order).filter(|(chunk, _)| is_left(chunk)).collect();
    eprintln!("{} chunks are done, {} are left", record.done.len(), left.len());
    let (next, stop, start) = (AtomicUsize::new(0), AtomicBool::new(false), Instant::now());
    let (record, failure) = (Mutex::new(record), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..plan.threads {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) && start.elapsed().as_secs_f64() < plan.hours * 3600.0 {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&(number, family)) = left.get(at) else { return };
                    let chunk = ask(plan, number, family);
                    report(&chunk, at + 1, left.len(), &start);
                    // Nothing panics while it holds the lock.
                    let added = record.lock().expect("no thread panics here").add(chunk);
                    if let Err(error) = added {
                        stop.store(true, Ordering::Relaxed);
                        *failure.lock().expect("no thread panics here") = Some(error);
                    }
                }
            });
        }
    });
    match failure.into_inner().expect("no thread panics here") {
        Some(error) => Err(format!("{}: {error}; the record holds what was done before", path.display())),
        None => Ok(record.into_inner().expect("no thread panics here")),
    }
}

/// One chunk. A panic is an outcome to be recorded, since a night must not end with it.
fn ask(plan: &Plan, number: u64, family: usize) -> Chunk {
    let family = families().swap_remove(family);
    let (name, seed) = (family.name.to_string(), seed(plan.terms.seed, number));
    let done = catch_unwind(AssertUnwindSafe(|| Run::new(family, seed, plan.effort).ask(plan.terms.chunk)));
    let (tally, panic) = match done {
        Ok(tally) => (tally, None),
        Err(what) => {
            let text = what.downcast_ref::<String>().cloned();
            let text = text.or_else(|| what.downcast_ref::<&str>().map(|s| (*s).to_string()));
            (Tally::default(), Some(text.unwrap_or_else(|| "a panic without a text".into())))
        }
    };
    Chunk { number, family: name, seed, panic, tally }
}

fn report(chunk: &Chunk, done: usize, all: usize, start: &Instant) {
    let hours = start.elapsed().as_secs_f64() / 3600.0;
    let (t, left) = (&chunk.tally, hours * (all - done) as f64 / done as f64);
    eprintln!(
        "chunk {} ({}): {} queries, {} misses, {} uncertified, {:.0} s; {done} of {all}, {left:.2} h left",
        chunk.number, chunk.family, t.queries, t.misses, t.uncertified, t.seconds
    );
}

/// Prints what a record says of all its chunks, and returns what is wrong with it.
pub fn summary(record: &Record) -> Vec<String> {
    let mut sums: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    for chunk in record.done.values() {
        sums.entry(&chunk.family).or_default().add(&chunk.tally);
        if let Some(text) = &chunk.panic {
            wrong.push(format!("chunk {} ({}, seed {}) panicked: {text}", chunk.number, chunk.family, chunk.seed));
        }
    }
    let mut tallies = Vec::new();
    for family in families() {
        let Some(tally) = sums.remove(family.name) else { continue };
        if tally.failed() {
            wrong.push(format!(
                "{}: misses, uncertified rows, other bits, or a false row that was believed",
                family.name
            ));
        }
        if tally.queries >= JUDGED && !tally.representative(family.least) {
            let text = "of rows apart, touching, overlapping are not representative";
            wrong.push(format!(
                "{}: the shares {:?} {text}, at least {:?} %",
                family.name,
                tally.shares(),
                family.least
            ));
        }
        tallies.push((family.name, tally));
    }
    wrong.extend(sums.keys().map(|name| format!("{name}: no family of this name")));
    tally::print(&tallies, false);
    let terms = &record.terms;
    println!("\nseed {}, chunks of {}, commit {}", terms.seed, terms.chunk, terms.commit);
    let (queries, seconds) = tallies.iter().fold((0, 0.0), |(q, s), (_, t)| (q + t.queries, s + t.seconds));
    println!("{} chunks, {queries} queries, {:.2} hours of one core", record.done.len(), seconds / 3600.0);
    println!("{:.0} queries a second and core", queries as f64 / seconds.max(1e-9));
    wrong
}
