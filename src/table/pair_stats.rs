//! What is counted per pair of a run: sorted lists that are merged, and spilled to disk where they grow too long.
//!
//! No hash map: entries come sorted by pair, block after block, so a stable merge brings equal pairs together in the
//! order of time, and the result is exact whatever was spilled when.

use super::Row;
use super::output_dir::OutputDir;
use crate::error::Result;
use crate::narrow::Status;
use crate::scene::Sample;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

/// The counts of a pair over some samples of a run, and its row of smallest distance among them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PairStat {
    /// Body A.
    pub(super) a: u32,
    /// Body B.
    pub(super) b: u32,
    /// Samples in which the pair was a candidate.
    pub(super) candidate: u64,
    /// Rows.
    pub(super) within: u64,
    /// Rows that penetrate.
    pub(super) penetrating: u64,
    /// Smallest distance, metres; meaningless without rows.
    pub(super) distance: f64,
    /// Bracket of that row, NaN where uncertified.
    pub(super) lower: f64,
    /// See `lower`.
    pub(super) upper: f64,
    /// Frame of that row.
    pub(super) frame: i64,
    /// Time of that row, NaN where the input has none.
    pub(super) time: f64,
}

/// Whether `new` is smaller than `old`: NaN (an uncertified distance) counts as larger than every number.
pub(super) fn is_smaller(new: f64, old: f64) -> bool {
    new < old || (old.is_nan() && !new.is_nan())
}

impl PairStat {
    const BYTES: usize = 72;

    /// A candidate without rows.
    pub(super) fn new(a: u32, b: u32, candidate: u64) -> Self {
        let nan = f64::NAN;
        Self { a, b, candidate, within: 0, penetrating: 0, distance: nan, lower: nan, upper: nan, frame: 0, time: nan }
    }

    fn pair(&self) -> (u32, u32) {
        (self.a, self.b)
    }

    /// Adds a later row of the pair; the earlier row wins ties.
    pub(super) fn add_row(&mut self, row: &Row, sample: &Sample) {
        let p = &row.proximity;
        if self.within == 0 || is_smaller(p.distance, self.distance) {
            (self.distance, self.lower, self.upper) = (p.distance, p.lower, p.upper);
            (self.frame, self.time) = (sample.frame, sample.time_s.unwrap_or(f64::NAN));
        }
        self.within += 1;
        self.penetrating += u64::from(p.status == Status::Penetrating);
    }

    /// Adds what was counted of the same pair later; the earlier row wins ties.
    pub(super) fn add(&mut self, later: &Self) {
        let smaller = later.within > 0 && (self.within == 0 || is_smaller(later.distance, self.distance));
        let (candidate, within) = (self.candidate + later.candidate, self.within + later.within);
        let penetrating = self.penetrating + later.penetrating;
        if smaller {
            *self = *later;
        }
        (self.candidate, self.within, self.penetrating) = (candidate, within, penetrating);
    }

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let pair = u64::from(self.a) << 32 | u64::from(self.b);
        let floats = [self.distance, self.lower, self.upper, self.time].map(f64::to_bits);
        let [distance, lower, upper, time] = floats;
        let words =
            [pair, self.candidate, self.within, self.penetrating, distance, lower, upper, self.frame as u64, time];
        for (slot, word) in bytes.chunks_exact_mut(8).zip(words) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let mut words = [0_u64; Self::BYTES / 8];
        for (word, slot) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = slot.iter().rev().fold(0, |w, &byte| w << 8 | u64::from(byte));
        }
        let [pair, candidate, within, penetrating, distance, lower, upper, frame, time] = words;
        Self {
            a: (pair >> 32) as u32,
            b: pair as u32,
            candidate,
            within,
            penetrating,
            distance: f64::from_bits(distance),
            lower: f64::from_bits(lower),
            upper: f64::from_bits(upper),
            frame: frame as i64,
            time: f64::from_bits(time),
        }
    }
}

/// Entries of one run.
#[derive(Debug)]
pub(super) struct PairStats {
    /// The first `compacted` are sorted, one per pair; then sorted stretches in order of time.
    entries: Vec<PairStat>,
    compacted: usize,
    /// Entries that may stay in memory.
    limit: usize,
    spill: Option<Spill>,
    out: Arc<OutputDir>,
}

impl PairStats {
    /// `limit`: entries kept in memory before they are spilled into an unnamed file in `out`.
    pub(super) fn new(limit: usize, out: Arc<OutputDir>) -> Self {
        Self { entries: Vec::new(), compacted: 0, limit, spill: None, out }
    }

    /// Adds entries of a later time, sorted by pair.
    pub(super) fn extend(&mut self, later: &[PairStat]) -> Result<()> {
        self.entries.extend_from_slice(later);
        // Compacting at twice the size makes every entry move a constant number of times on average.
        if self.entries.len() > (2 * self.compacted + 4096).min(self.limit) {
            self.compact();
            if self.entries.len() * 2 > self.limit {
                self.spill().map_err(|e| self.out.error(self.out.root(), &e))?;
            }
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn has_spilled(&self) -> bool {
        self.spill.is_some()
    }

    fn spill(&mut self) -> io::Result<()> {
        let spill = match &mut self.spill {
            Some(spill) => spill,
            none => none.insert(Spill { file: tempfile::tempfile_in(self.out.root())?, sections: Vec::new(), end: 0 }),
        };
        spill.write(&self.entries)?;
        self.entries.clear();
        self.compacted = 0;
        Ok(())
    }

    fn compact(&mut self) {
        // Stable: entries of a pair stay in order of time. The standard sort finds the sorted stretches and merges.
        self.entries.sort_by_key(PairStat::pair);
        self.entries.dedup_by(|later, kept| {
            let same = later.pair() == kept.pair();
            if same {
                kept.add(later);
            }
            same
        });
        self.compacted = self.entries.len();
    }

    /// Hands out all pairs of the run, sorted, one entry each, and is empty afterwards.
    pub(super) fn drain(&mut self, mut each: impl FnMut(&PairStat) -> Result<()>) -> Result<()> {
        self.compact();
        self.compacted = 0;
        let Some(spill) = self.spill.take() else {
            return self.entries.drain(..).try_for_each(|entry| each(&entry));
        };
        let mut merge = spill.merge(std::mem::take(&mut self.entries));
        while let Some(entry) = merge.next().map_err(|e| self.out.error(self.out.root(), &e))? {
            each(&entry)?;
        }
        Ok(())
    }
}

/// Sorted stretches of entries in an unnamed temporary file.
#[derive(Debug)]
struct Spill {
    file: File,
    /// Start and end of each, bytes.
    sections: Vec<(u64, u64)>,
    end: u64,
}

/// Entries read from a section at a time.
const READ: usize = 4096;

impl Spill {
    fn write(&mut self, entries: &[PairStat]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(READ * PairStat::BYTES);
        for part in entries.chunks(READ) {
            bytes.clear();
            part.iter().for_each(|entry| bytes.extend_from_slice(&entry.to_bytes()));
            self.file.write_all(&bytes)?;
        }
        let end = self.end + (entries.len() * PairStat::BYTES) as u64;
        self.sections.push((self.end, end));
        self.end = end;
        Ok(())
    }

    /// All sections and `last`, the entries of the latest time, to be merged.
    fn merge(self, last: Vec<PairStat>) -> Merge {
        let mut sources: Vec<Source> = self.sections.iter().map(|&(at, end)| Source::new(at, end)).collect();
        sources.push(Source { ready: last, next: 0, at: 0, end: 0 });
        Merge { file: self.file, sources, heap: None }
    }
}

/// A pair and the number of the source that has it first.
type Head = ((u32, u32), usize);

/// The merge of sorted stretches; equal pairs are added in order of time.
struct Merge {
    file: File,
    sources: Vec<Source>,
    /// The first pair of every source that has one left, with the number of the source; filled by the first call.
    heap: Option<BinaryHeap<Reverse<Head>>>,
}

impl Merge {
    fn next(&mut self) -> io::Result<Option<PairStat>> {
        let heap = match &mut self.heap {
            Some(heap) => heap,
            none => {
                let heap = none.insert(BinaryHeap::with_capacity(self.sources.len()));
                for (order, source) in self.sources.iter_mut().enumerate() {
                    heap.extend(source.peek(&mut self.file)?.map(|entry| Reverse((entry.pair(), order))));
                }
                heap
            }
        };
        let mut merged: Option<PairStat> = None;
        while let Some(&Reverse((pair, order))) = heap.peek() {
            if merged.is_some_and(|m| m.pair() != pair) {
                break;
            }
            heap.pop();
            let source = &mut self.sources[order];
            if let Some(entry) = source.peek(&mut self.file)? {
                source.next += 1;
                match &mut merged {
                    Some(kept) => kept.add(&entry),
                    none => *none = Some(entry),
                }
            }
            heap.extend(source.peek(&mut self.file)?.map(|entry| Reverse((entry.pair(), order))));
        }
        Ok(merged)
    }
}

/// A sorted stretch being read.
struct Source {
    ready: Vec<PairStat>,
    next: usize,
    at: u64,
    end: u64,
}

impl Source {
    fn new(at: u64, end: u64) -> Self {
        Self { ready: Vec::new(), next: 0, at, end }
    }

    fn peek(&mut self, file: &mut File) -> io::Result<Option<PairStat>> {
        if self.next == self.ready.len() && self.at < self.end {
            let bytes = (self.end - self.at).min((READ * PairStat::BYTES) as u64);
            let mut buffer = vec![0; bytes as usize];
            file.seek(SeekFrom::Start(self.at))?;
            file.read_exact(&mut buffer)?;
            self.at += bytes;
            self.ready.clear();
            self.ready.extend(buffer.chunks_exact(PairStat::BYTES).map(PairStat::from_bytes));
            self.next = 0;
        }
        Ok(self.ready.get(self.next).copied())
    }
}
