//! Which pairs violate the requirement, when, and in how many runs.

use super::row::Row;
use crate::scene::Sample;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Pairs that the totals list.
const LISTED: usize = 10;

/// A pair with at least one row that violates the requirement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ViolatingPair {
    /// Name of body A.
    pub(crate) body_a: String,
    /// Name of body B.
    pub(crate) body_b: String,
    /// Smallest distance over all runs, metres.
    pub(crate) min_distance_m: f64,
    /// The run of the smallest distance. The fields `spans` to `to_time_s` are of this run.
    pub(crate) run: i64,
    /// The frame of the smallest distance.
    pub(crate) frame: i64,
    /// Rows that violate the requirement, in all runs.
    pub(crate) rows: u64,
    /// Runs with such a row.
    pub(crate) runs: u64,
    /// Spans of consecutive frames with such a row.
    pub(crate) spans: u64,
    /// First frame with such a row.
    pub(crate) from_frame: i64,
    /// Last frame with such a row.
    pub(crate) to_frame: i64,
    /// Time of the first frame with such a row, seconds; `None` where the input has no time.
    pub(crate) from_time_s: Option<f64>,
    /// Time of the last frame with such a row, seconds.
    pub(crate) to_time_s: Option<f64>,
}

/// A sample as it is stored.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Sample")]
struct StoredSample {
    run: i64,
    frame: i64,
    time_s: Option<f64>,
}

/// The violations of a pair in one run.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct InRun {
    distance: f64,
    nearest: i64,
    spans: u64,
    #[serde(with = "StoredSample")]
    first: Sample,
    #[serde(with = "StoredSample")]
    last: Sample,
    /// Number of the last sample, counted over the whole input.
    position: u64,
}

/// The violations of a pair.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct OfPair {
    rows: u64,
    runs: u64,
    /// The run of the smallest distance, among those before the current one. Apart, because most pairs have one run.
    worst: Option<Box<InRun>>,
    current: InRun,
}

impl OfPair {
    /// The run of the smallest distance. Of equal distances the earlier run is kept.
    fn worst(&self) -> InRun {
        let worst = self.worst.as_deref().filter(|worst| worst.distance <= self.current.distance);
        *worst.unwrap_or(&self.current)
    }
}

/// Collects violating rows, in order of (run, frame). A violating pair takes 128 bytes in the map, which may be half empty,
/// and 96 more once it violates in a second run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Violations {
    pairs: FxHashMap<(u32, u32), OfPair>,
    runs: u64,
    last_run: Option<i64>,
}

impl Violations {
    /// Adds those of `rows` whose upper bound is less than `require`. `position` is the number of the first of `samples`,
    /// counted over the whole input.
    pub(super) fn add(&mut self, rows: &[Row], samples: &[Sample], position: u64, require: f64) {
        for row in rows.iter().filter(|row| row.proximity.upper < require) {
            let index = usize::from(row.proximity.sample);
            let sample = samples[index];
            self.runs += u64::from(self.last_run.replace(sample.run) != Some(sample.run));
            let (position, distance) = (position + index as u64, row.proximity.distance);
            let first = InRun { distance, nearest: sample.frame, spans: 1, first: sample, last: sample, position };
            let pair = self.pairs.entry((row.a, row.b));
            let pair = pair.or_insert(OfPair { rows: 0, runs: 1, worst: None, current: first });
            pair.rows += 1;
            if pair.current.last.run != sample.run {
                (pair.worst, pair.current, pair.runs) = (Some(Box::new(pair.worst())), first, pair.runs + 1);
            }
            let current = &mut pair.current;
            if distance < current.distance {
                (current.distance, current.nearest) = (distance, sample.frame);
            }
            current.spans += u64::from(position > current.position + 1);
            (current.last, current.position) = (sample, position);
        }
    }

    /// Number of runs with a violation, number of violating pairs, and the worst of these pairs.
    pub(super) fn finish(self, names: &[String]) -> (u64, u64, Vec<ViolatingPair>) {
        // The least by (distance, pair), in order: that of the map must not reach a user.
        let mut least: Vec<(f64, (u32, u32))> = Vec::with_capacity(LISTED + 1);
        for (&key, of) in &self.pairs {
            let distance = of.worst().distance;
            let is_before = |other: &(f64, (u32, u32))| other.0.total_cmp(&distance).then(other.1.cmp(&key)).is_lt();
            let at = least.partition_point(is_before);
            if at < LISTED {
                least.insert(at, (distance, key));
                least.truncate(LISTED);
            }
        }
        let listed = least.into_iter().map(|(_, (a, b))| {
            let of = &self.pairs[&(a, b)];
            let worst = of.worst();
            ViolatingPair {
                body_a: names[a as usize].clone(),
                body_b: names[b as usize].clone(),
                min_distance_m: worst.distance,
                run: worst.first.run,
                frame: worst.nearest,
                rows: of.rows,
                runs: of.runs,
                spans: worst.spans,
                from_frame: worst.first.frame,
                to_frame: worst.last.frame,
                from_time_s: worst.first.time_s,
                to_time_s: worst.last.time_s,
            }
        });
        (self.runs, self.pairs.len() as u64, listed.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Vec3;
    use crate::narrow::{FeatureKind, Method, Proximity, Status};

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
        };
        Row { a, b, proximity }
    }

    /// The worst pairs of rows (position, run, a, b, distance), all violating 1 m; a block holds 64 samples.
    fn found(rows: &[(u64, i64, u32, u32, f64)]) -> (u64, u64, Vec<ViolatingPair>) {
        let mut violations = Violations::default();
        for &(position, run, a, b, distance) in rows {
            let block = position / 64 * 64;
            let sample =
                |k: u64| Sample { run, frame: (block + k) as i64 * 10, time_s: Some((block + k) as f64 / 4.0) };
            let samples: Vec<Sample> = (0..64).map(sample).collect();
            violations.add(&[row((position % 64) as u8, a, b, distance)], &samples, block, 1.0);
        }
        violations.finish(&["a", "b", "c", "d", "e", "f"].map(str::to_owned))
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
