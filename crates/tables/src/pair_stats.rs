//! Statistics per pair of a run, by external merge sort ([`SpillFile`]).
//!
//! Entries arrive sorted by pair, block after block. A stable merge joins the entries of a pair in
//! the order of time, so the result does not depend on which entries were spilled to disk, and
//! when. No hash map is needed.

use super::output_dir::OutputDir;
use super::resume::entries::{StoredEntries, store_entries};
use super::row::Row;
use super::spill::{MergeReader, SpillEntry, SpillFile, pair_of, pair_word, put_words, words};
use clearsweep_base::error::Result;
use clearsweep_model::{Method, Proximity, Sample, Status};
use std::io::{self, Write};
use std::sync::Arc;

/// Counts of a pair over some samples of a run, and its worst row among them: that of the least
/// [`rank`].
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
    /// Value that the worst row is ranked by, metres; NaN without rows.
    pub(super) rank: f64,
    /// Distance of that row, metres; NaN without rows.
    pub(super) distance: f64,
    /// Lower bound of the distance of that row, metres; NaN if uncertified.
    pub(super) lower: f64,
    /// Upper bound of the distance of that row, metres; NaN if uncertified.
    pub(super) upper: f64,
    /// Frame of that row.
    pub(super) frame: i64,
    /// Time of that row, seconds; NaN if the input has none.
    pub(super) time: f64,
    /// The middle of the witness points of that row, world frame, metres; NaN without rows.
    pub(super) place: [f64; 3],
}

/// Returns the rank of a row, metres: the signed distance, or the proven upper end if the distance
/// is minus an upper bound of a depth.
pub(super) fn rank(p: &Proximity) -> f64 {
    if matches!(p.method, Method::Bound | Method::Winding) { p.upper } else { p.distance }
}

/// Whether `new` is less than `old`. NaN counts as greater than every number.
pub(super) fn is_smaller(new: f64, old: f64) -> bool {
    new < old || (old.is_nan() && !new.is_nan())
}

impl PairStat {
    /// A pair without rows that was a candidate in `candidate` samples.
    pub(super) fn new(a: u32, b: u32, candidate: u64) -> Self {
        let nan = f64::NAN;
        Self {
            a,
            b,
            candidate,
            within: 0,
            penetrating: 0,
            rank: nan,
            distance: nan,
            lower: nan,
            upper: nan,
            frame: 0,
            time: nan,
            place: [nan; 3],
        }
    }

    /// Adds a later row of the pair. Of equal ranks the earlier row is kept.
    pub(super) fn add_row(&mut self, row: &Row, sample: &Sample) {
        debug_assert_eq!((row.a, row.b), self.pair());
        let p = &row.proximity;
        if self.within == 0 || is_smaller(rank(p), self.rank) {
            (self.rank, self.place) = (rank(p), (p.point_a + (p.point_b - p.point_a).scale(0.5)).to_array());
            (self.distance, self.lower, self.upper) = (p.distance, p.lower, p.upper);
            (self.frame, self.time) = (sample.frame, sample.time_s.unwrap_or(f64::NAN));
        }
        self.within += 1;
        self.penetrating += u64::from(p.status == Status::Penetrating);
    }

    /// Whether the bodies are separated in the row of smallest distance, or no row is there.
    /// `touch`: up to which distance bodies touch, metres.
    pub(super) fn is_apart(&self, touch: f64) -> bool {
        self.penetrating == 0 && (self.within == 0 || self.lower > touch)
    }
}

/// The statistics of a pair over a part of a run.
pub(super) trait JoinedEntry: SpillEntry {
    /// Adds what is known of a later part.
    fn add(&mut self, later: &Self);

    /// Whether a later part of the same pair is one with this one; all parts are, unless there may
    /// be several entries of a pair.
    fn goes_on(&self, later: &Self) -> bool {
        let _ = later;
        true
    }
}

impl JoinedEntry for PairStat {
    /// Adds a later part; if the ranks are equal, the earlier row is kept.
    fn add(&mut self, later: &Self) {
        debug_assert_eq!(later.pair(), self.pair());
        let smaller = later.within > 0 && (self.within == 0 || is_smaller(later.rank, self.rank));
        let (candidate, within) = (self.candidate + later.candidate, self.within + later.within);
        let penetrating = self.penetrating + later.penetrating;
        if smaller {
            *self = *later;
        }
        (self.candidate, self.within, self.penetrating) = (candidate, within, penetrating);
    }
}

impl SpillEntry for PairStat {
    const BYTES: usize = 104;

    fn pair(&self) -> (u32, u32) {
        (self.a, self.b)
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        let bracket = [self.rank, self.distance, self.lower, self.upper].map(f64::to_bits);
        let (pair, frame) = (pair_word(self.pair()), self.frame as u64);
        put_words(&[pair, self.candidate, self.within, self.penetrating], bytes);
        put_words(&bracket, bytes);
        put_words(&[frame, self.time.to_bits()], bytes);
        put_words(&self.place.map(f64::to_bits), bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        let [pair, candidate, within, penetrating, rank, distance, lower, upper, frame, time, x, y, z] = words(bytes);
        let ((a, b), frame) = (pair_of(pair), frame as i64);
        let [rank, distance, lower, upper, time] = [rank, distance, lower, upper, time].map(f64::from_bits);
        let place = [x, y, z].map(f64::from_bits);
        Self { a, b, candidate, within, penetrating, rank, distance, lower, upper, frame, time, place }
    }
}

impl<E: JoinedEntry> StoredEntries for PairAccumulator<E> {
    fn count(&mut self) -> u64 {
        self.compact();
        self.spill.as_ref().map_or(0, SpillFile::len) + self.entries.len() as u64
    }

    fn store(&mut self, to: &mut dyn Write) -> io::Result<()> {
        if let Some(spill) = &mut self.spill {
            spill.copy_to(to)?;
        }
        store_entries(self.entries.iter().copied(), to)
    }
}

/// Accumulates the entries of one run.
#[derive(Debug)]
pub(super) struct PairAccumulator<E> {
    /// The first `compacted` entries are strictly sorted by pair. Sorted sequences in the order of
    /// time follow.
    entries: Vec<E>,
    compacted: usize,
    /// Entries that may stay in memory.
    limit: usize,
    spill: Option<SpillFile<E>>,
    out: Arc<OutputDir>,
}

impl<E: JoinedEntry> PairAccumulator<E> {
    /// Creates an accumulator. `limit` is the number of entries in memory above which they are
    /// spilled to an unnamed file in `out`.
    pub(super) fn new(limit: usize, out: Arc<OutputDir>) -> Self {
        Self { entries: Vec::new(), compacted: 0, limit, spill: None, out }
    }

    /// Adds entries of later samples.
    ///
    /// # Errors
    /// A spill file cannot be written.
    pub(super) fn extend(&mut self, later: &[E]) -> Result<()> {
        let length = self.entries.len() + later.len();
        if length > self.entries.capacity() {
            // Doubling, but not beyond what may stay.
            let capacity = (2 * self.entries.capacity()).min(self.limit).max(length);
            self.entries.reserve_exact(capacity - self.entries.len());
        }
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

    /// Moves all entries to the spill file.
    fn spill(&mut self) -> io::Result<()> {
        let spill = match &mut self.spill {
            Some(spill) => spill,
            none => none.insert(SpillFile::new(self.out.spill_file()?)),
        };
        spill.write(self.entries.iter().copied())?;
        self.entries.clear();
        self.compacted = 0;
        Ok(())
    }

    /// Sorts the entries and joins those of equal pairs.
    fn compact(&mut self) {
        // The stable sort of the standard library detects sorted sequences and merges them, and
        // keeps the entries of a pair in the order of time.
        self.entries.sort_by_key(E::pair);
        self.entries.dedup_by(|later, kept| {
            let same = later.pair() == kept.pair() && kept.goes_on(later);
            if same {
                kept.add(later);
            }
            same
        });
        self.compacted = self.entries.len();
        debug_assert!(self.entries.is_sorted_by_key(E::pair));
    }

    /// The entries of all pairs, sorted, one per pair. The accumulator becomes empty.
    pub(super) fn drain(&mut self) -> PairDrain<'_, E> {
        self.compact();
        self.compacted = 0;
        let Some(spill) = self.spill.take() else { return PairDrain::Kept(self.entries.drain(..)) };
        let merge = spill.merge(std::mem::take(&mut self.entries), self.limit);
        PairDrain::Spilled { merge, ahead: None, out: &self.out }
    }
}

/// The entries of an accumulator that is emptied.
pub(super) enum PairDrain<'a, E: SpillEntry> {
    /// They are all in memory.
    Kept(std::vec::Drain<'a, E>),
    /// They are merged from a file; `ahead` is the entry of the pair that is being joined.
    Spilled { merge: MergeReader<E>, ahead: Option<E>, out: &'a OutputDir },
}

impl<E: JoinedEntry> PairDrain<'_, E> {
    /// The next entry.
    ///
    /// # Errors
    /// A spill file cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<E>> {
        let (merge, ahead, out) = match self {
            Self::Kept(entries) => return Ok(entries.next()),
            Self::Spilled { merge, ahead, out } => (merge, ahead, out),
        };
        while let Some(entry) = merge.next().map_err(|error| out.error(out.root(), &error))? {
            match &mut *ahead {
                Some(kept) if kept.pair() == entry.pair() && kept.goes_on(&entry) => kept.add(&entry),
                Some(kept) => return Ok(Some(std::mem::replace(kept, entry))),
                none => *none = Some(entry),
            }
        }
        Ok(ahead.take())
    }
}

/// Passes every pair of either list to `each`, in order, with what each list knows of it.
///
/// # Errors
/// A spill file cannot be read, or `each` fails.
pub(super) fn join<A: JoinedEntry, B: JoinedEntry>(
    mut one: PairDrain<'_, A>,
    mut other: Option<PairDrain<'_, B>>,
    mut each: impl FnMut(Option<&A>, Option<&B>) -> Result<()>,
) -> Result<()> {
    let mut next_of_other = || other.as_mut().map_or(Ok(None), PairDrain::next);
    let (mut a, mut b) = (one.next()?, next_of_other()?);
    loop {
        let (left, right) = match (&a, &b) {
            (None, None) => return Ok(()),
            (Some(_), None) => (true, false),
            (None, Some(_)) => (false, true),
            (Some(a), Some(b)) => (a.pair() <= b.pair(), b.pair() <= a.pair()),
        };
        each(a.as_ref().filter(|_| left), b.as_ref().filter(|_| right))?;
        if left {
            a = one.next()?;
        }
        if right {
            b = next_of_other()?;
        }
    }
}
