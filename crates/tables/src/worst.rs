//! The worst pairs and runs of a finished execution, from its summaries.

use clearsweep_base::error::Result;
use clearsweep_records::{LeastOfEvent, LeastOfPair, PairBetween, Table, Text, WorstPair, WorstRun};
use rustc_hash::FxHashMap;
use std::path::Path;

/// Returns the `count` worst pairs over all runs, least proven upper end first, from `pairs` of the
/// result `dir`.
///
/// # Errors
/// The table is missing, or clearsweep did not write it.
pub fn worst_pairs(dir: &Path, count: usize) -> Result<Vec<WorstPair>> {
    let rank = |pair: &WorstPair| pair.upper_m.or(pair.min_distance_m).unwrap_or(f64::NAN);
    let mut nearest = Nearest::new(count, rank, |pair| [&pair.body_a, &pair.body_b]);
    for pair in Table::<WorstPair>::open(dir)?.rows() {
        let pair = pair?;
        // A pair that comes near between frames only has no distance.
        if pair.min_distance_m.is_some() {
            nearest.add(pair);
        }
    }
    Ok(nearest.pairs)
}

/// Returns the `count` pairs of least distance between frames over all runs, nearest first by the
/// upper end, from `pairs` of the result `dir`. None has a frame if the execution says nothing
/// about intervals.
///
/// # Errors
/// Those of [`worst_pairs`].
pub fn nearest_between(dir: &Path, count: usize) -> Result<Vec<PairBetween>> {
    let rank = |pair: &PairBetween| pair.min_between_upper_m.unwrap_or(f64::NAN);
    let mut nearest = Nearest::new(count, rank, |pair| [&pair.body_a, &pair.body_b]);
    for pair in Table::<PairBetween>::open(dir)?.rows() {
        let pair = pair?;
        if pair.frame_of_min_between.is_some() {
            nearest.add(pair);
        }
    }
    Ok(nearest.pairs)
}

/// The nearest pairs of bodies, each in its worst run.
struct Nearest<P, R, B> {
    /// Nearest first.
    pairs: Vec<P>,
    count: usize,
    rank: R,
    bodies: B,
}

impl<P, R: Fn(&P) -> f64, B: Fn(&P) -> [&Text; 2]> Nearest<P, R, B> {
    fn new(count: usize, rank: R, bodies: B) -> Self {
        Self { pairs: Vec::with_capacity(count + 1), count, rank, bodies }
    }

    /// Adds a pair of a run. Of equal ranks the earlier pair comes first.
    fn add(&mut self, pair: P) {
        let Self { pairs, count, rank, bodies } = self;
        let last = if pairs.len() < *count { None } else { pairs.last() };
        if *count == 0 || last.is_some_and(|last| !is_nearer(rank(&pair), rank(last))) {
            return;
        }
        match pairs.iter().position(|known| bodies(known) == bodies(&pair)) {
            Some(known) if !is_nearer(rank(&pair), rank(&pairs[known])) => return,
            Some(known) => drop(pairs.remove(known)),
            None => {}
        }
        let at = pairs.partition_point(|known| !is_nearer(rank(&pair), rank(known)));
        pairs.insert(at, pair);
        pairs.truncate(*count);
    }
}

/// A run with the pair that comes nearest in it.
#[derive(Debug, Clone)]
pub struct RankedRun {
    /// The run.
    pub run: WorstRun,
    /// The pair; `None` in a run without rows and intervals.
    pub least: Option<LeastOfRun>,
}

/// The pair that comes nearest in a run: of those that violate, if some do.
#[derive(Debug, Clone)]
pub struct LeastOfRun {
    /// Name of body A.
    pub body_a: Text,
    /// Name of body B.
    pub body_b: Text,
    /// Proven bracket, metres; an end is `None` if it is not proven.
    pub bracket_m: [Option<f64>; 2],
    /// Frame; of an interval, the one before it.
    pub frame: i64,
    /// Whether the pair violates what is required, and nobody has accepted it.
    pub violates: bool,
}

/// Returns the `count` worst runs of the result `dir`: first those with an open violation, the
/// least upper end first, then the others, the least distance first. Of equal ones the earlier run
/// comes first. `has_events`: whether the result has the table `events`.
///
/// # Errors
/// As for [`worst_pairs`].
pub fn worst_runs(dir: &Path, count: usize, has_events: bool) -> Result<Vec<RankedRun>> {
    let mut violating = if has_events { violating_runs(dir, count)? } else { Ranking::new(count) };
    let mut others = Ranking::new(count - violating.kept.len());
    let mut runs = FxHashMap::default();
    for run in Table::<WorstRun>::open(dir)?.rows() {
        let run = run?;
        if violating.kept.iter().any(|(_, number, _)| *number == run.run) {
            runs.insert(run.run, run);
        } else {
            let distance = least_of([run.min_distance_m, run.min_between_upper_m]);
            others.add(distance, run.run, run);
        }
    }
    let ranked =
        |(_, number, least): (f64, i64, LeastOfRun)| Some(RankedRun { run: runs.remove(&number)?, least: Some(least) });
    let mut ranked: Vec<RankedRun> = std::mem::take(&mut violating.kept).into_iter().filter_map(ranked).collect();
    let mut least = if others.kept.is_empty() { FxHashMap::default() } else { nearest_of_runs(dir, &others)? };
    let others = others.kept.into_iter().map(|(_, number, run)| RankedRun { run, least: least.remove(&number) });
    ranked.extend(others);
    Ok(ranked)
}

/// The least of some entries by (rank, run).
struct Ranking<T> {
    /// Rank, run and entry, in order.
    kept: Vec<(f64, i64, T)>,
    count: usize,
}

impl<T> Ranking<T> {
    fn new(count: usize) -> Self {
        Self { kept: Vec::with_capacity(count.min(1024) + 1), count }
    }

    /// Adds the entry of a later run.
    fn add(&mut self, rank: f64, run: i64, entry: T) {
        let at = self.kept.partition_point(|(known, ..)| !is_nearer(rank, *known));
        if at < self.count {
            self.kept.insert(at, (rank, run, entry));
            self.kept.truncate(self.count);
        }
    }
}

/// The runs with an open violation of the least upper ends. Events are sorted by run.
fn violating_runs(dir: &Path, count: usize) -> Result<Ranking<LeastOfRun>> {
    let mut ranking = Ranking::new(count);
    let mut current: Option<(f64, i64, LeastOfRun)> = None;
    for event in Table::<LeastOfEvent>::open(dir)?.rows() {
        let event = event?;
        if !event.state.is_open() {
            continue;
        }
        let upper = event.upper_m.unwrap_or(f64::NAN);
        match &current {
            Some((least, run, _)) if *run == event.run && !is_nearer(upper, *least) => continue,
            Some((_, run, _)) if *run == event.run => {}
            _ => current.take().into_iter().for_each(|(rank, run, least)| ranking.add(rank, run, least)),
        }
        let LeastOfEvent { body_a, body_b, lower_m, upper_m, frame_of_least: frame, .. } = event;
        let least = LeastOfRun { body_a, body_b, bracket_m: [lower_m, upper_m], frame, violates: true };
        current = Some((upper, event.run, least));
    }
    current.into_iter().for_each(|(rank, run, least)| ranking.add(rank, run, least));
    Ok(ranking)
}

/// The nearest pair of each of some runs, at frames or between them.
fn nearest_of_runs(dir: &Path, runs: &Ranking<WorstRun>) -> Result<FxHashMap<i64, LeastOfRun>> {
    let mut nearest: FxHashMap<i64, (f64, LeastOfRun)> = FxHashMap::default();
    for pair in Table::<LeastOfPair>::open(dir)?.rows() {
        let pair = pair?;
        if !runs.kept.iter().any(|(_, run, _)| *run == pair.run) {
            continue;
        }
        let rank = least_of([pair.min_distance_m, pair.min_between_upper_m]);
        if nearest.get(&pair.run).is_some_and(|(least, _)| !is_nearer(rank, *least)) {
            continue;
        }
        let at_frame = ([pair.lower_m, pair.upper_m], pair.frame_of_min);
        let between = ([pair.min_between_lower_m, pair.min_between_upper_m], pair.frame_of_min_between);
        let is_between =
            is_nearer(pair.min_between_upper_m.unwrap_or(f64::NAN), pair.min_distance_m.unwrap_or(f64::NAN));
        let (bracket_m, frame) = if is_between { between } else { at_frame };
        let LeastOfPair { run, body_a, body_b, .. } = pair;
        let least = LeastOfRun { body_a, body_b, bracket_m, frame: frame.unwrap_or_default(), violates: false };
        nearest.insert(run, (rank, least));
    }
    Ok(nearest.into_iter().map(|(run, (_, least))| (run, least)).collect())
}

/// The lesser of two lengths; NaN if there is none.
fn least_of(lengths: [Option<f64>; 2]) -> f64 {
    lengths.into_iter().flatten().fold(f64::NAN, f64::min)
}

/// Whether distance `a` is less than `b`. NaN counts as greater than every number.
fn is_nearer(a: f64, b: f64) -> bool {
    a < b || (b.is_nan() && !a.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_without_a_value_come_last() {
        assert!(is_nearer(-1.0, 0.0) && is_nearer(3.0, f64::NAN));
        assert!(!is_nearer(f64::NAN, 3.0) && !is_nearer(f64::NAN, f64::NAN) && !is_nearer(0.0, 0.0));
    }
}
