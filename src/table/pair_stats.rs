//! Statistics per pair of a run, by external merge sort (Knuth, The Art of Computer Programming, vol. 3, section 5.4).
//!
//! Entries arrive sorted by pair, block after block. A stable merge joins the entries of a pair in the order of time,
//! so the result does not depend on which entries were spilled to disk, and when. No hash map is needed.

use super::output_dir::OutputDir;
use super::row::Row;
use crate::error::Result;
use crate::narrow::Status;
use crate::scene::Sample;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

/// Counts of a pair over some samples of a run, and the row of smallest distance among them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PairStat {
    /// Body A.
    pub(super) a: u32,
    /// Body B.
    pub(super) b: u32,
    /// Samples in which the pair was a candidate.
    pub(super) candidate: u64,
    /// Samples with a row.
    pub(super) within: u64,
    /// Rows of status penetrating.
    pub(super) penetrating: u64,
    /// Smallest distance, metres; NaN without rows.
    pub(super) distance: f64,
    /// Lower bound of the distance of that row, metres; NaN if uncertified.
    pub(super) lower: f64,
    /// Upper bound of the distance of that row, metres; NaN if uncertified.
    pub(super) upper: f64,
    /// Frame of that row.
    pub(super) frame: i64,
    /// Time of that row, seconds; NaN if the input has none.
    pub(super) time: f64,
}

/// Whether `new` is less than `old`. NaN counts as greater than every number.
pub(super) fn is_smaller(new: f64, old: f64) -> bool {
    new < old || (old.is_nan() && !new.is_nan())
}

impl PairStat {
    /// Bytes of an entry in a spill file.
    pub(super) const BYTES: usize = 72;

    /// A pair without rows that was a candidate in `candidate` samples.
    pub(super) fn new(a: u32, b: u32, candidate: u64) -> Self {
        let nan = f64::NAN;
        Self { a, b, candidate, within: 0, penetrating: 0, distance: nan, lower: nan, upper: nan, frame: 0, time: nan }
    }

    pub(super) fn pair(&self) -> (u32, u32) {
        (self.a, self.b)
    }

    /// Adds a later row of the pair. Of equal distances the earlier row is kept.
    pub(super) fn add_row(&mut self, row: &Row, sample: &Sample) {
        debug_assert_eq!((row.a, row.b), self.pair());
        let p = &row.proximity;
        if self.within == 0 || is_smaller(p.distance, self.distance) {
            (self.distance, self.lower, self.upper) = (p.distance, p.lower, p.upper);
            (self.frame, self.time) = (sample.frame, sample.time_s.unwrap_or(f64::NAN));
        }
        self.within += 1;
        self.penetrating += u64::from(p.status == Status::Penetrating);
    }

    /// Adds the statistics of later samples of the same pair. Of equal distances the earlier row is kept.
    fn add(&mut self, later: &Self) {
        debug_assert_eq!(later.pair(), self.pair());
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

    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
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

/// Accumulates the entries of one run.
#[derive(Debug)]
pub(super) struct PairAccumulator {
    /// The first `compacted` entries are strictly sorted by pair. Sorted sequences in the order of time follow.
    entries: Vec<PairStat>,
    compacted: usize,
    /// Entries that may stay in memory.
    limit: usize,
    spill: Option<SpillFile>,
    out: Arc<OutputDir>,
}

impl PairAccumulator {
    /// Creates an accumulator. `limit` is the number of entries in memory above which they are spilled to an unnamed
    /// file in `out`.
    pub(super) fn new(limit: usize, out: Arc<OutputDir>) -> Self {
        Self { entries: Vec::new(), compacted: 0, limit, spill: None, out }
    }

    /// Adds entries of later samples.
    ///
    /// # Errors
    /// A spill file cannot be written.
    pub(super) fn extend(&mut self, later: &[PairStat]) -> Result<()> {
        self.entries.extend_from_slice(later);
        // Compaction at twice the size moves each entry a constant number of times on average.
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

    /// Number of entries of [`Self::store`].
    pub(super) fn len(&mut self) -> u64 {
        self.compact();
        self.spill.as_ref().map_or(0, |spill| spill.end / PairStat::BYTES as u64) + self.entries.len() as u64
    }

    /// Writes all entries, sequence after sequence, each sorted by pair.
    ///
    /// # Errors
    /// A spill file cannot be read, or `to` fails.
    pub(super) fn store(&mut self, to: &mut impl Write) -> io::Result<()> {
        if let Some(SpillFile { file, end, .. }) = &mut self.spill {
            file.seek(SeekFrom::Start(0))?;
            io::copy(&mut Read::by_ref(file).take(*end), to)?;
            file.seek(SeekFrom::Start(*end))?;
        }
        self.entries.iter().try_for_each(|entry| to.write_all(&entry.to_bytes()))
    }

    /// Moves all entries to the spill file.
    fn spill(&mut self) -> io::Result<()> {
        let spill = match &mut self.spill {
            Some(spill) => spill,
            none => none.insert(SpillFile { file: self.out.spill_file()?, sequences: Vec::new(), end: 0 }),
        };
        spill.write(&self.entries)?;
        self.entries.clear();
        self.compacted = 0;
        Ok(())
    }

    /// Sorts the entries and joins those of equal pairs.
    fn compact(&mut self) {
        // The stable sort of the standard library detects sorted sequences and merges them, and keeps the entries of a
        // pair in the order of time.
        self.entries.sort_by_key(PairStat::pair);
        self.entries.dedup_by(|later, kept| {
            let same = later.pair() == kept.pair();
            if same {
                kept.add(later);
            }
            same
        });
        self.compacted = self.entries.len();
        debug_assert!(self.entries.is_sorted_by(|one, next| one.pair() < next.pair()));
    }

    /// Passes the entries of all pairs to `each`, sorted, one per pair, and becomes empty.
    ///
    /// # Errors
    /// A spill file cannot be read, or `each` fails.
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

/// Sorted sequences of entries in an unnamed temporary file.
#[derive(Debug)]
struct SpillFile {
    file: File,
    /// Start and end of each sequence, bytes.
    sequences: Vec<(u64, u64)>,
    /// Length of the file, bytes.
    end: u64,
}

/// Number of entries that are read or written at a time.
const BUFFERED_ENTRIES: usize = 4096;

impl SpillFile {
    /// Appends a sorted sequence.
    fn write(&mut self, entries: &[PairStat]) -> io::Result<()> {
        debug_assert!(entries.is_sorted_by(|one, next| one.pair() < next.pair()));
        let mut bytes = Vec::with_capacity(BUFFERED_ENTRIES * PairStat::BYTES);
        for part in entries.chunks(BUFFERED_ENTRIES) {
            bytes.clear();
            part.iter().for_each(|entry| bytes.extend_from_slice(&entry.to_bytes()));
            self.file.write_all(&bytes)?;
        }
        let end = self.end + (entries.len() * PairStat::BYTES) as u64;
        self.sequences.push((self.end, end));
        self.end = end;
        Ok(())
    }

    /// The merge of all sequences and of `last`, the entries of the latest samples.
    fn merge(self, last: Vec<PairStat>) -> MergeReader {
        let mut sources: Vec<MergeSource> = self.sequences.iter().map(|&(at, end)| MergeSource::new(at, end)).collect();
        sources.push(MergeSource { ready: last, next: 0, at: 0, end: 0 });
        MergeReader { file: self.file, sources, heap: None }
    }
}

/// The next pair of a source, and the number of the source.
type HeapEntry = ((u32, u32), usize);

/// The multiway merge of sorted sequences. Entries of equal pairs are joined in the order of time.
struct MergeReader {
    file: File,
    sources: Vec<MergeSource>,
    /// An entry for each source that is not exhausted; `None` before the first call of [`Self::next`].
    heap: Option<BinaryHeap<Reverse<HeapEntry>>>,
}

impl MergeReader {
    /// The next pair in order.
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

/// A sorted sequence that is being read.
struct MergeSource {
    /// Entries in memory, of which the first `next` are consumed.
    ready: Vec<PairStat>,
    next: usize,
    /// Start and end in the spill file of the entries that are not read yet, bytes.
    at: u64,
    end: u64,
}

impl MergeSource {
    fn new(at: u64, end: u64) -> Self {
        Self { ready: Vec::new(), next: 0, at, end }
    }

    /// The next entry; `None` at the end.
    fn peek(&mut self, file: &mut File) -> io::Result<Option<PairStat>> {
        if self.next == self.ready.len() && self.at < self.end {
            let bytes = (self.end - self.at).min((BUFFERED_ENTRIES * PairStat::BYTES) as u64);
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
