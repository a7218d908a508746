//! Which pairs violate the requirement, when, and in how many runs.

use super::output_dir::OutputDir;
use super::pair_stats::rank;
use super::resume::checkpoint::FoundLists;
use super::resume::entries::{StoredEntries, store_entries};
use super::row::Row;
use super::spill::{SpillEntry, SpillFile};
use super::violating_stretch::{InRun, OfPair, ViolationStretch};
use clearsweep_base::error::Result;
use clearsweep_model::Sample;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::hash_map::Entry;
use std::io::{self, Write};
use std::sync::Arc;

/// Pairs that the totals list.
const LISTED: usize = 10;

/// Pairs that stay in memory even if less may be taken.
const LEAST_PAIRS: usize = 1024;

/// A pair with at least one row that violates the requirement.
#[derive(Debug, Clone, PartialEq)]
pub struct ViolatingPair {
    /// Name of body A.
    pub body_a: String,
    /// Name of body B.
    pub body_b: String,
    /// Indices of both bodies.
    pub bodies: [u32; 2],
    /// Smallest distance over all runs, metres.
    pub min_distance_m: f64,
    /// Bracket over all runs of the least distance, or of the least free length where that is
    /// required, metres; an end is infinite if it is not proven.
    pub bracket_m: [f64; 2],
    /// The run of the smallest distance. The fields `spans` to `to_time_s` are of this run.
    pub run: i64,
    /// The frame of the smallest distance.
    pub frame: i64,
    /// Rows that violate the requirement, in all runs.
    pub rows: u64,
    /// Runs with such a row.
    pub runs: u64,
    /// Spans of consecutive frames with such a row.
    pub spans: u64,
    /// First frame with such a row.
    pub from_frame: i64,
    /// Last frame with such a row.
    pub to_frame: i64,
    /// Time of the first frame with such a row, seconds; `None` where the input has no time.
    pub from_time_s: Option<f64>,
    /// Time of the last frame with such a row, seconds.
    pub to_time_s: Option<f64>,
}

/// Collects violating rows, in order of (run, frame). A violating pair takes 152 bytes in the map,
/// which may be half empty, and 104 more once it violates in a second run; where there are too
/// many, they are spilled.
#[derive(Debug)]
pub(super) struct Violations {
    pairs: FxHashMap<(u32, u32), OfPair>,
    runs: u64,
    last_run: Option<i64>,
    /// Pairs that may stay in memory.
    limit: usize,
    /// Directory to which pairs are spilled; `None`: they all stay.
    out: Option<Arc<OutputDir>>,
    spill: Option<SpillFile<ViolationStretch>>,
    /// A run of which a part is spilled. At its end the rest is, too, so that every other stretch
    /// has whole runs.
    cut_run: Option<i64>,
}

/// The state that a checkpoint stores besides the pairs.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct ViolatingRuns {
    runs: u64,
    last_run: Option<i64>,
    has_spilled: bool,
}

impl StoredEntries for Violations {
    fn count(&mut self) -> u64 {
        let stretches = self.pairs.values().map(|of| 1 + u64::from(of.worst.is_some())).sum::<u64>();
        self.spill.as_ref().map_or(0, SpillFile::len) + stretches
    }

    fn store(&mut self, to: &mut dyn Write) -> io::Result<()> {
        if let Some(spill) = &mut self.spill {
            spill.copy_to(to)?;
        }
        let mut sorted: Vec<_> = self.pairs.iter().collect();
        sorted.sort_unstable_by_key(|(pair, _)| **pair);
        store_entries(sorted.into_iter().flat_map(|(pair, of)| of.stretches(*pair)), to)
    }
}

impl Violations {
    /// Returns the state to be stored besides the pairs.
    pub(super) fn state(&self) -> ViolatingRuns {
        ViolatingRuns { runs: self.runs, last_run: self.last_run, has_spilled: self.spill.is_some() }
    }

    /// Goes on from a state and the list of pairs.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn restore(&mut self, state: ViolatingRuns, lists: &mut FoundLists, out: &OutputDir) -> Result<()> {
        (self.runs, self.last_run) = (state.runs, state.last_run);
        let mut spill = match state.has_spilled {
            true => Some(SpillFile::new(out.spill_file().map_err(|error| out.error(out.root(), &error))?)),
            false => None,
        };
        let pairs = &mut self.pairs;
        lists.read(out, &mut |stretches: &[ViolationStretch]| match &mut spill {
            // The list has one sorted sequence after the other.
            Some(spill) => {
                let mut sorted = stretches.chunk_by(|one, next| one.pair() <= next.pair());
                let written = sorted.try_for_each(|part| spill.write(part.iter().copied()));
                written.map_err(|error| out.error(out.root(), &error))
            }
            None => {
                stretches.iter().for_each(|stretch| add_stretch(pairs, stretch));
                Ok(())
            }
        })?;
        // What was in memory is spilled as well, and with it a part of the run in progress.
        self.cut_run = state.last_run.filter(|_| spill.is_some());
        self.spill = spill;
        Ok(())
    }

    /// Adds the state and the list of a later part of the job, which begins at sample `offset` of
    /// the whole input.
    ///
    /// # Errors
    /// The disk failed.
    pub(super) fn append(
        &mut self,
        state: ViolatingRuns,
        lists: &mut FoundLists,
        out: &OutputDir,
        offset: u64,
    ) -> Result<()> {
        let mut first_run = None;
        lists.read(out, &mut |stretches: &[ViolationStretch]| {
            for stretch in stretches {
                let stretch = stretch.moved(offset);
                first_run = first_run.min(Some(stretch.worst.last.run)).or(Some(stretch.worst.last.run));
                add_stretch(&mut self.pairs, &stretch);
                if self.pairs.len() >= self.limit {
                    self.spill()?;
                }
            }
            Ok(())
        })?;
        // A run that goes on is counted once.
        let goes_on = state.runs > 0 && self.last_run.is_some() && self.last_run == first_run;
        self.runs += state.runs - u64::from(goes_on);
        self.last_run = state.last_run.or(self.last_run);
        self.cut_run = self.last_run.filter(|_| self.spill.is_some());
        Ok(())
    }

    /// Returns a collector of any number of pairs.
    pub(super) fn unbounded() -> Self {
        let (pairs, runs, last_run) = Default::default();
        Self { pairs, runs, last_run, limit: usize::MAX, out: None, spill: None, cut_run: None }
    }

    /// Returns a collector whose pairs take about `memory` bytes of memory, and beyond that an
    /// unnamed file in `out`.
    pub(super) fn within(memory: u64, out: &Arc<OutputDir>) -> Self {
        // A map that is half empty beside its predecessor or a sorted list of its pairs, and what a
        // second run takes.
        let each = 3 * size_of::<((u32, u32), OfPair)>() as u64 + size_of::<InRun>() as u64;
        let limit = usize::try_from(memory / each).unwrap_or(usize::MAX).max(LEAST_PAIRS);
        Self { limit, out: Some(Arc::clone(out)), ..Self::unbounded() }
    }

    /// Adds those of `rows` of which `meant` returns the bracket that violates, metres. `position`
    /// is the number of the first of `samples`, counted over the whole input.
    ///
    /// # Errors
    /// A spill file cannot be written.
    pub(super) fn add(
        &mut self,
        rows: &[Row],
        samples: &[Sample],
        position: u64,
        meant: impl Fn(&Row) -> Option<[f64; 2]>,
    ) -> Result<()> {
        for (row, bracket) in rows.iter().filter_map(|row| Some((row, meant(row)?))) {
            let index = usize::from(row.proximity.sample);
            let p = &row.proximity;
            let least = ([rank(p), p.distance], bracket);
            self.add_one((row.a, row.b), least, [samples[index]; 2], position + index as u64)?;
        }
        Ok(())
    }

    /// Adds a violation of a rank, a distance and a bracket (metres) that lasts from one sample to
    /// another of a run; of a row, both are the same. `position` is the number of the first one,
    /// counted over the whole input.
    ///
    /// # Errors
    /// A spill file cannot be written.
    pub(super) fn add_one(
        &mut self,
        (a, b): (u32, u32),
        ([rank, distance], [lower, upper]): ([f64; 2], [f64; 2]),
        [first, last]: [Sample; 2],
        position: u64,
    ) -> Result<()> {
        if self.last_run != Some(first.run) {
            if self.cut_run.is_some() {
                self.spill()?;
                self.cut_run = None;
            }
            (self.runs, self.last_run) = (self.runs + 1, Some(first.run));
        }
        let (spans, nearest) = (1, first.frame);
        let proven = |end: f64, unproven: f64| if end.is_nan() { unproven } else { end };
        let bracket = [proven(lower, f64::NEG_INFINITY), proven(upper, f64::INFINITY)];
        let here = InRun { rank, distance, bracket, nearest, spans, first, last, first_position: position, position };
        add_stretch(&mut self.pairs, &ViolationStretch { a, b, rows: 1, runs: 1, worst: here });
        if self.pairs.len() >= self.limit {
            self.spill()?;
            self.cut_run = Some(first.run);
        }
        Ok(())
    }

    /// Moves all pairs to the spill file, if there is a place for one.
    fn spill(&mut self) -> Result<()> {
        let Some(out) = self.out.clone() else { return Ok(()) };
        let entries = sorted(&mut self.pairs);
        let write = |spill: &mut Option<SpillFile<ViolationStretch>>| {
            let spill = match spill {
                Some(spill) => spill,
                none => none.insert(SpillFile::new(out.spill_file()?)),
            };
            spill.write(entries.iter().flat_map(|(pair, of)| of.stretches(*pair)))
        };
        write(&mut self.spill).map_err(|e| out.error(out.root(), &e))
    }

    /// Number of runs with a violation, number of violating pairs, and the worst of these pairs.
    /// `each` hears of every pair.
    ///
    /// # Errors
    /// A spill file cannot be read.
    pub(super) fn finish(
        mut self,
        names: &[String],
        each: impl FnMut((u32, u32)),
    ) -> Result<(u64, u64, Vec<ViolatingPair>)> {
        let mut worst = WorstPairs { count: 0, least: Vec::new(), each };
        if let (Some(spill), Some(out)) = (self.spill.take(), &self.out) {
            let rest = sorted(&mut self.pairs);
            let rest = rest.iter().flat_map(|(pair, of)| of.stretches(*pair)).collect();
            let mut merge = spill.merge(rest, self.limit);
            let mut merged: Option<((u32, u32), OfPair)> = None;
            while let Some(next) = merge.next().map_err(|e| out.error(out.root(), &e))? {
                match &mut merged {
                    Some((pair, of)) if *pair == next.pair() => of.add(&next),
                    _ => {
                        let ViolationStretch { rows, runs, worst: current, .. } = next;
                        let of = OfPair { rows, runs, worst: None, current };
                        worst.extend(merged.replace((next.pair(), of)));
                    }
                }
            }
            worst.extend(merged);
        } else {
            worst.extend(std::mem::take(&mut self.pairs));
        }
        Ok((self.runs, worst.count, worst.least.into_iter().map(|(pair, of)| of.named(pair, names)).collect()))
    }
}

/// Adds violations of a pair that are later than those in the map.
fn add_stretch(pairs: &mut FxHashMap<(u32, u32), OfPair>, later: &ViolationStretch) {
    match pairs.entry(later.pair()) {
        Entry::Occupied(pair) => pair.into_mut().add(later),
        Entry::Vacant(pair) => {
            pair.insert(OfPair { rows: later.rows, runs: later.runs, worst: None, current: later.worst });
        }
    }
}

/// All pairs of a map, which becomes empty and keeps its memory, sorted.
fn sorted(pairs: &mut FxHashMap<(u32, u32), OfPair>) -> Vec<((u32, u32), OfPair)> {
    let mut sorted: Vec<_> = pairs.drain().collect();
    sorted.sort_unstable_by_key(|(pair, _)| *pair);
    sorted
}

/// The least pairs by (distance, pair), in order: that in which they come, of a map, must not reach
/// a user.
struct WorstPairs<E> {
    count: u64,
    least: Vec<((u32, u32), OfPair)>,
    each: E,
}

impl<E: FnMut((u32, u32))> Extend<((u32, u32), OfPair)> for WorstPairs<E> {
    fn extend<I: IntoIterator<Item = ((u32, u32), OfPair)>>(&mut self, pairs: I) {
        for (pair, of) in pairs {
            self.count += 1;
            (self.each)(pair);
            let rank = of.worst().rank;
            let is_before = |(other, kept): &((u32, u32), OfPair)| {
                kept.worst().rank.total_cmp(&rank).then(other.cmp(&pair)).is_lt()
            };
            let at = self.least.partition_point(is_before);
            if at < LISTED {
                self.least.insert(at, (pair, of));
                self.least.truncate(LISTED);
            }
        }
    }
}

impl OfPair {
    /// Returns the pair as it is listed.
    fn named(&self, (a, b): (u32, u32), names: &[String]) -> ViolatingPair {
        let worst = self.worst();
        ViolatingPair {
            body_a: names[a as usize].clone(),
            body_b: names[b as usize].clone(),
            bodies: [a, b],
            min_distance_m: worst.distance,
            bracket_m: worst.bracket,
            run: worst.first.run,
            frame: worst.nearest,
            rows: self.rows,
            runs: self.runs,
            spans: worst.spans,
            from_frame: worst.first.frame,
            to_frame: worst.last.frame,
            from_time_s: worst.first.time_s,
            to_time_s: worst.last.time_s,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobInputs;
    use crate::output_dir::ClaimMode;
    use clearsweep_geometry::Vec3;
    use clearsweep_model::{FeatureKind, Method, Proximity, Status};
    use std::io::Seek;

    fn row(sample: u8, a: u32, b: u32, distance: f64) -> Row {
        let proximity = Proximity {
            sample,
            status: Status::Separated,
            method: Method::Strict,
            feature_kind: [FeatureKind::Vertex; 2],
            feature: [0; 2],
            part: [0; 2],
            distance,
            lower: distance,
            upper: distance,
            point_a: Vec3::ZERO,
            point_b: Vec3::ZERO,
            normal: Vec3::ZERO,
            protrusion: f64::NAN,
        };
        Row { a, b, proximity, directional: None, stands: false }
    }

    /// A row: position, run, a, b, distance.
    type TestRow = (u64, i64, u32, u32, f64);

    /// The worst pairs of rows, all violating 1 m; a block holds 64 samples.
    fn found(rows: &[TestRow]) -> (u64, u64, Vec<ViolatingPair>) {
        collect(Violations::unbounded(), rows)
    }

    /// The same, as `violations` finds them.
    fn collect(mut violations: Violations, rows: &[TestRow]) -> (u64, u64, Vec<ViolatingPair>) {
        add(&mut violations, rows);
        violations.finish(&["a", "b", "c", "d", "e", "f"].map(str::to_owned), |_| {}).expect("finished")
    }

    fn add(violations: &mut Violations, rows: &[TestRow]) {
        for &(position, run, a, b, distance) in rows {
            let block = position / 64 * 64;
            let sample =
                |k: u64| Sample { run, frame: (block + k) as i64 * 10, time_s: Some((block + k) as f64 / 4.0) };
            let samples: Vec<Sample> = (0..64).map(sample).collect();
            violations
                .add(&[row((position % 64) as u8, a, b, distance)], &samples, block, |row| {
                    let Proximity { lower, upper, .. } = row.proximity;
                    (upper < 1.0).then_some([lower, upper])
                })
                .expect("added");
        }
    }

    /// Stores violations, and restores them into `fresh`.
    fn stored_and_restored(mut violations: Violations, mut fresh: Violations, out: &OutputDir) -> Violations {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&violations.count().to_le_bytes()).expect("written");
        violations.store(&mut file).expect("stored");
        file.rewind().expect("rewound");
        let mut lists = FoundLists::of(file);
        fresh.restore(violations.state(), &mut lists, out).expect("restored");
        fresh
    }

    #[test]
    fn what_is_spilled_changes_nothing() {
        let mut state = 11_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let dir = tempfile::tempdir().expect("scratch");
        let out =
            OutputDir::claim(&dir.path().join("out"), ClaimMode::default(), &JobInputs::default()).expect("claimed");
        for frames in [1, 3, 40, 400] {
            let mut rows: Vec<TestRow> = Vec::new();
            for position in 0..400 {
                for (a, b) in (0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b))) {
                    // Few values, so that some are equal; the last ones keep 1 m.
                    rows.push((position, (position / frames) as i64, a, b, random(60) as f64 / 40.0));
                }
            }
            let expected = found(&rows);
            assert_eq!((expected.0, expected.1, expected.2.len()), (400_u64.div_ceil(frames), 15, LISTED));
            for limit in [1, 2, 7, 14, 15, 16] {
                let spilling = Violations { limit, out: Some(Arc::clone(&out)), ..Violations::unbounded() };
                assert_eq!(collect(spilling, &rows), expected, "runs of {frames} frames, {limit} pairs in memory");
            }
            for limit in [1, 7, 15, 100] {
                let bounded = || Violations { limit, out: Some(Arc::clone(&out)), ..Violations::unbounded() };
                let mut violations = bounded();
                let mut at = 0;
                while at < rows.len() {
                    let next = (at + random(rows.len() as u64 / 5) as usize).min(rows.len());
                    add(&mut violations, &rows[at..next]);
                    violations = stored_and_restored(violations, bounded(), &out);
                    at = next;
                }
                assert_eq!(collect(violations, &[]), expected, "restored, runs of {frames}, {limit} pairs in memory");
            }
        }
    }

    #[test]
    fn spans_go_on_from_block_to_block() {
        let (runs, count, pairs) = found(&[
            (60, 0, 0, 1, 0.5),
            (63, 0, 0, 1, 0.25),
            (64, 0, 0, 1, 0.3),
            (70, 0, 0, 1, 0.9),
            (70, 0, 0, 2, 2.0),
        ]);
        assert_eq!((runs, count, pairs.len()), (1, 1, 1), "2 m keep 1 m");
        let pair = &pairs[0];
        assert_eq!(
            (pair.body_a.as_str(), pair.body_b.as_str(), pair.min_distance_m, pair.frame),
            ("a", "b", 0.25, 630)
        );
        assert_eq!((pair.rows, pair.runs, pair.spans), (4, 1, 3));
        assert_eq!(
            (pair.from_frame, pair.to_frame, pair.from_time_s, pair.to_time_s),
            (600, 700, Some(15.0), Some(17.5))
        );
    }

    #[test]
    fn the_ten_worst_pairs_are_listed_in_order() {
        let all = (0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b)));
        // Distances in fifths, so that some are equal: of these the first pair comes first.
        let row = |(k, (a, b)): (u64, (u32, u32))| (k, 0, a, b, (k * 7 % 15 / 3) as f64 / 5.0);
        let rows: Vec<_> = (0..).zip(all).map(row).collect();
        let (_, count, pairs) = found(&rows);
        let mut sorted = rows;
        sorted.sort_by(|one, other| one.4.total_cmp(&other.4).then((one.2, one.3).cmp(&(other.2, other.3))));
        let name = |body: u32| ["a", "b", "c", "d", "e", "f"][body as usize].to_owned();
        let wanted: Vec<_> = sorted[..LISTED].iter().map(|row| (name(row.2), name(row.3), row.4)).collect();
        let listed: Vec<_> = pairs.into_iter().map(|pair| (pair.body_a, pair.body_b, pair.min_distance_m)).collect();
        assert_eq!((count, listed), (15, wanted));
    }

    #[test]
    fn the_worst_run_of_a_pair_and_the_worst_pairs_come_first() {
        let (runs, count, pairs) = found(&[
            (0, 3, 0, 1, 0.5),
            (1, 4, 0, 1, 0.1),
            (2, 4, 0, 1, 0.2),
            (3, 5, 0, 1, 0.1),
            (3, 5, 1, 2, -0.5),
            (5, 7, 0, 1, 0.7),
        ]);
        assert_eq!((runs, count), (4, 2));
        assert_eq!((pairs[0].body_a.as_str(), pairs[0].run, pairs[0].runs), ("b", 5, 1));
        let second = &pairs[1];
        assert_eq!(
            (second.run, second.runs, second.rows, second.frame),
            (4, 4, 5, 10),
            "the earlier of two equal ones"
        );
        assert_eq!((second.from_frame, second.to_frame, second.spans), (10, 20, 1));
    }
}
