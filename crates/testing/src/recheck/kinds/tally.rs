//! Counts of verdicts by pair of kinds, place and memory; and the record of a campaign, a line of
//! JSON for each chunk.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use clearsweep_narrow::Proximity;
use serde_json::{Value, json};

use super::judge::{Fault, Place};
use super::make::Kind;
use super::motion::Memory;
use super::promises::Promise;
use super::round::Alignment;

/// The terms that all chunks of a campaign share.
#[derive(Clone, PartialEq, Debug)]
pub struct Terms {
    pub seed: u64,
    /// Rows of a chunk, before it is rounded up to whole motions.
    pub chunk: u64,
    /// Commit of the sources that were asked.
    pub commit: String,
}

/// Counts of verdicts of one pair of kinds.
#[derive(Clone, Default)]
pub struct Tally {
    pub rows: u64,
    /// Rows by place and memory.
    pub cells: [[u64; 3]; 6],
    pub faults: [u64; Fault::ALL.len()],
    /// Number of trials of each promise.
    pub promises: [u64; Promise::ALL.len()],
    pub seconds: f64,
    /// The widest brackets of rows about round bodies, apart and overlapping, in sizes of the pair.
    pub widths: [f64; 2],
    /// Rows about two round bodies by how their axes lie.
    pub axes: [u64; Alignment::ALL.len()],
    /// Searches of the oracle of round bodies that its local search left open.
    pub left_open: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.seconds += other.seconds;
        self.left_open += other.left_open;
        (0..2).for_each(|k| self.widths[k] = self.widths[k].max(other.widths[k]));
        (0..self.axes.len()).for_each(|k| self.axes[k] += other.axes[k]);
        (0..6).for_each(|p| (0..3).for_each(|m| self.cells[p][m] += other.cells[p][m]));
        (0..self.faults.len()).for_each(|f| self.faults[f] += other.faults[f]);
        (0..self.promises.len()).for_each(|p| self.promises[p] += other.promises[p]);
    }

    /// Keeps the width of a row's bracket; `size`: of the pair, metres.
    pub fn widen(&mut self, row: &Proximity, size: f64) {
        let width = (row.upper - row.lower) / size;
        for (k, is_so) in [row.lower > 0.0, row.upper < 0.0].into_iter().enumerate() {
            self.widths[k] = if is_so { self.widths[k].max(width) } else { self.widths[k] };
        }
    }

    /// Rows by place, and what is wrong.
    pub fn line(&self, [a, b]: [Kind; 2]) -> String {
        let places: Vec<String> = self.cells.iter().map(|c| c.map(|n| n.to_string()).join("/")).collect();
        let wrong = Fault::ALL.iter().filter(|&&f| self.faults[f as usize] > 0);
        let wrong: Vec<String> = wrong.map(|&f| format!("{f:?} {}", self.faults[f as usize])).collect();
        format!("| {a:?} - {b:?} | {} | {} | {} |", self.rows, places.join(" | "), wrong.join(", "))
    }
}

/// All unordered pairs of kinds.
pub fn pairs() -> Vec<[Kind; 2]> {
    let count = Kind::ALL.len();
    (0..count).flat_map(move |i| (i..count).map(move |j| [Kind::ALL[i], Kind::ALL[j]])).collect()
}

/// Why bodies of two kinds are never in this place.
pub fn impossible([a, b]: [Kind; 2], place: Place) -> Option<&'static str> {
    match place {
        Place::Inside if !a.is_solid() && !b.is_solid() => Some("neither has an inside"),
        Place::Cavity if !a.is_hollow() && !b.is_hollow() => Some("neither encloses a cavity"),
        _ => None,
    }
}

/// Promises that were not tried though they can be. The cores of balls and capsules do not overlap,
/// so that their depths need no search.
pub fn untried(pair: [Kind; 2], tally: &Tally) -> impl Iterator<Item = Promise> {
    let is_thin = |kind: Kind| matches!(kind, Kind::Sphere | Kind::Capsule);
    let has_depth = !pair.iter().all(|&kind| is_thin(kind) || kind == Kind::Flat) || pair == [Kind::Flat; 2];
    let is_tried = Promise::ALL.map(|promise| tally.promises[promise as usize] > 0);
    Promise::ALL.into_iter().filter(move |&p| !is_tried[p as usize] && (p != Promise::Answer || has_depth))
}

/// Alignments of two round bodies without a row.
pub fn unaligned(pair: [Kind; 2], tally: &Tally) -> impl Iterator<Item = Alignment> {
    let have_axes = pair.iter().all(|kind| matches!(kind, Kind::Round | Kind::Torus));
    let axes = tally.axes;
    Alignment::ALL.into_iter().filter(move |&alignment| have_axes && axes[alignment as usize] == 0)
}

/// Places and memories that should have rows and has none, or has some and should not.
pub fn uncovered(pair: [Kind; 2], tally: &Tally) -> Vec<(Place, Memory)> {
    let cells = Place::ALL.into_iter().flat_map(|place| Memory::ALL.map(|memory| (place, memory)));
    let is_wrong = |&(place, memory): &(Place, Memory)| {
        (tally.cells[place as usize][memory as usize] > 0) == impossible(pair, place).is_some()
    };
    cells.filter(is_wrong).collect()
}

/// The chunks that are done, and the file that holds them.
pub struct Record {
    file: File,
    pub terms: Terms,
    done: BTreeMap<u64, ([Kind; 2], Tally)>,
}

impl Record {
    /// Opens or creates a record. A line that a kill cut short counts as not written.
    pub fn open(path: &Path, terms: Terms) -> Result<Self, String> {
        let at = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(at)?;
        file.try_lock()
            .map_err(|_| format!("{}: another campaign writes it; wait or choose another", path.display()))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(at)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(at)?;
        let mut done = BTreeMap::new();
        for (number, line) in (1..).zip(text[..whole].lines()) {
            let (of, chunk, pair, tally) = parse(line)
                .ok_or_else(|| format!("{}, line {number}: no chunk; remove the line to repeat it", path.display()))?;
            if of != terms {
                return Err(format!(
                    "{}, line {number}: it is of {of:?}, not of {terms:?}; name another record",
                    path.display()
                ));
            }
            done.insert(chunk, (pair, tally));
        }
        Ok(Self { file, terms, done })
    }

    pub fn numbers(&self) -> BTreeSet<u64> {
        self.done.keys().copied().collect()
    }

    /// Adds a chunk in one write.
    pub fn add(&mut self, number: u64, pair: [Kind; 2], tally: Tally) -> Result<(), String> {
        let terms = &self.terms;
        let line = json!({
            "chunk": number, "pair": pair.map(|k| k as usize), "seed": terms.seed, "asked": terms.chunk, "commit": terms.commit,
            "rows": tally.rows, "cells": tally.cells, "faults": tally.faults, "promises": tally.promises,
            "seconds": tally.seconds, "widths": tally.widths, "axes": tally.axes, "left_open": tally.left_open,
        });
        self.file.write_all(format!("{line}\n").as_bytes()).map_err(|e| e.to_string())?;
        self.done.insert(number, (pair, tally));
        Ok(())
    }

    /// Sums by pair of kinds.
    pub fn sums(&self) -> Vec<([Kind; 2], Tally)> {
        let of = |pair: [Kind; 2]| {
            let mut sum = Tally::default();
            self.done.values().filter(|(p, _)| *p == pair).for_each(|(_, tally)| sum.add(tally));
            (pair, sum)
        };
        pairs().into_iter().map(of).collect()
    }
}

fn parse(line: &str) -> Option<(Terms, u64, [Kind; 2], Tally)> {
    let value: Value = serde_json::from_str(line).ok()?;
    let terms = Terms {
        seed: value["seed"].as_u64()?,
        chunk: value["asked"].as_u64()?,
        commit: value["commit"].as_str()?.to_string(),
    };
    let pair: [usize; 2] = serde_json::from_value(value["pair"].clone()).ok()?;
    let tally = Tally {
        rows: value["rows"].as_u64()?,
        cells: serde_json::from_value(value["cells"].clone()).ok()?,
        faults: serde_json::from_value(value["faults"].clone()).ok()?,
        promises: serde_json::from_value(value["promises"].clone()).ok()?,
        seconds: value["seconds"].as_f64()?,
        widths: serde_json::from_value(value["widths"].clone()).ok()?,
        axes: serde_json::from_value(value["axes"].clone()).ok()?,
        left_open: value["left_open"].as_u64()?,
    };
    Some((terms, value["chunk"].as_u64()?, pair.map(|k| Kind::ALL[k]), tally))
}

/// Prints rows by pair, place and memory, and returns what is wrong: faulty rows and empty cells.
pub fn summary(sums: &[([Kind; 2], Tally)]) -> Vec<String> {
    println!("Rows by place, each asked once / moving coherently / at random.\n");
    println!("| kinds | rows | apart | near | touching | overlapping | inside | in a cavity | faults |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let (mut wrong, mut all) = (Vec::new(), Tally::default());
    for (pair, tally) in sums {
        println!("{}", tally.line(*pair));
        all.add(tally);
        for fault in Fault::ALL {
            if tally.faults[fault as usize] > 0 {
                wrong.push(format!("{pair:?}: {} rows with {fault:?}", tally.faults[fault as usize]));
            }
        }
        let untried = untried(*pair, tally);
        wrong.extend(untried.map(|promise| format!("{pair:?}: {promise:?} was never tried")));
        wrong.extend(unaligned(*pair, tally).map(|axes| format!("{pair:?}: no row with axes {axes:?}")));
        wrong.extend(
            uncovered(*pair, tally).into_iter().map(|cell| format!("{pair:?}, {cell:?}: not covered as it should be")),
        );
    }
    println!("\nAbout round bodies: the widest brackets in sizes of the pair, rows by axes, and searches left open.\n");
    println!("| kinds | apart | overlapping | coaxial | parallel | across | general | left open |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for ([a, b], Tally { widths: [apart, overlapping], axes, left_open, .. }) in
        sums.iter().filter(|(_, t)| t.widths != [0.0; 2])
    {
        let axes = axes.map(|n| n.to_string()).join(" | ");
        println!("| {a:?} - {b:?} | {apart:.1e} | {overlapping:.1e} | {axes} | {left_open} |");
    }
    println!("\n{} rows, {:.0} a second and core", all.rows, all.rows as f64 / all.seconds.max(1e-9));
    let total = Fault::ALL.map(|f| format!("{f:?} {}", all.faults[f as usize]));
    println!("faults: {}", total.join(", "));
    let tried = Promise::ALL.map(|p| format!("{p:?} {}", all.promises[p as usize]));
    println!("tried beside: {}", tried.join(", "));
    for (kinds, place) in [("no solid among them", Place::Inside), ("no hollow body among them", Place::Cavity)] {
        println!("impossible: {place:?} with {kinds}");
    }
    wrong
}
