//! The worst pairs and runs of a finished execution, from its summaries.

use clearsweep_base::error::Result;
use clearsweep_records::{PairBetween, Table, Text, WorstPair, WorstRun};
use std::path::Path;

/// Returns the `count` worst pairs over all runs, least proven upper end first, from `pairs` of the result `dir`.
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

/// Returns the `count` pairs of least distance between frames over all runs, nearest first by the upper end, from
/// `pairs` of the result `dir`. None has a frame if the execution says nothing about intervals.
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

/// Returns the `count` worst runs, from `runs` of the result `dir`: by number of violations, then by distance, then in
/// the order of the table.
///
/// # Errors
/// As for [`worst_pairs`].
pub fn worst_runs(dir: &Path, count: usize) -> Result<Vec<WorstRun>> {
    let mut runs: Vec<WorstRun> = Vec::with_capacity(count + 1);
    let worse = |a: &WorstRun, b: &WorstRun| {
        let distance = |run: &WorstRun| run.min_distance_m.unwrap_or(f64::INFINITY);
        let violated = |run: &WorstRun| run.violated + run.intervals_violated.unwrap_or(0);
        violated(a) > violated(b) || (violated(a) == violated(b) && is_nearer(distance(a), distance(b)))
    };
    for run in Table::<WorstRun>::open(dir)?.rows() {
        let run = run?;
        let at = runs.partition_point(|known| !worse(&run, known));
        if at < count {
            runs.insert(at, run);
            runs.truncate(count);
        }
    }
    Ok(runs)
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
