//! Distances of pairs over the samples of a run, and over runs.

use super::thinned::Thinned;
use crate::data::{Contact, Curve, CurveBetween, CurvePoint, Finding, Histogram, Issue, Moment};
use clearsweep_base::error::Result;
use clearsweep_base::share::share_with_interval;
use clearsweep_model::{IntervalMethod, IntervalStatus, Method};
use clearsweep_records::manifest::{Manifest, Summary};
use clearsweep_records::{DistanceLine, IntervalLine, OfPair, PairOfRun, RunPair, Table};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

/// Points of a curve, half as many as are kept at most.
const MOST_POINTS: usize = 240;

/// Bins of a histogram.
const BINS: usize = 40;

/// Pairs of an issue that have a curve.
pub(super) const MOST_SHOWN: usize = 6;

/// Findings by their pair and run: the numbers of the issue and of the finding.
type Wanted = FxHashMap<RunPair, Vec<[usize; 2]>>;

/// Rows of the tables that findings have beside their curves.
#[derive(Debug, Default)]
pub(super) struct WorstRows {
    /// Findings that are least at a sample.
    at_sample: FxHashSet<[usize; 2]>,
    /// Witness points and normal of the sample at the frame of the least distance, world frame,
    /// metres.
    pub(super) witness: FxHashMap<[usize; 2], [[f64; 3]; 3]>,
    /// Frames at the ends of the intervals in which findings are least.
    pub(super) next_frames: Vec<i64>,
}

/// A curve that is being read.
struct OpenCurve {
    points: Thinned<CurvePoint>,
    between: Thinned<CurveBetween>,
    /// Whether the rule requires a free length instead of the distance.
    is_directional: bool,
    span: Option<[Moment; 2]>,
    /// Whether an interval so far is undecided.
    is_doubtful: bool,
}

/// Adds curves and histograms to the findings.
pub(super) fn add(dir: &Path, manifest: &Manifest, issues: &mut [Issue]) -> Result<WorstRows> {
    let summary = &manifest.summary;
    let mut rows = WorstRows::default();
    let mut wanted = Wanted::default();
    let mut curves: FxHashMap<[usize; 2], OpenCurve> = FxHashMap::default();
    for (i, issue) in issues.iter().enumerate() {
        for (f, finding) in issue.findings.iter().take(MOST_SHOWN).enumerate() {
            wanted.entry(run_pair(finding)).or_default().push([i, f]);
            let is_directional = requires_free_length(summary, &issue.rule);
            let (points, between) = (Thinned::new(MOST_POINTS), Thinned::new(MOST_POINTS));
            curves.insert([i, f], OpenCurve { points, between, is_directional, span: None, is_doubtful: false });
        }
    }
    let keys: FxHashSet<RunPair> = wanted.keys().copied().collect();
    read_points(dir, (&keys, &wanted), &mut *issues, (&mut curves, &mut rows))?;
    if summary.intervals.is_some() {
        read_between(dir, (&keys, &wanted), issues, (&mut curves, &mut rows))?;
    }
    let within_m = summary.within_m.unwrap_or(0.0);
    for ([i, f], open) in curves {
        let finding = &mut issues[i].findings[f];
        finding.curve = Some(Curve {
            samples: open.points.count,
            points: open.points.into_kept(),
            between: open.between.into_kept(),
            required_m: finding.required_m,
            within_m,
            span: open.span,
        });
    }
    if summary.runs > 1 {
        add_histograms(dir, manifest, issues)?;
    }
    Ok(rows)
}

fn run_pair(finding: &Finding) -> RunPair {
    let [a, b] = indices(finding);
    RunPair { run: finding.run, a, b }
}

/// Whether a rule requires a free length along a direction.
fn requires_free_length(summary: &Summary, rule: &str) -> bool {
    let mut rules = summary.rules.iter().flatten();
    rules.any(|of| of.terms.rule == rule && of.terms.direction.is_some())
}

/// Reads the samples of the wanted pairs, and the witness points of the least ones.
fn read_points(
    dir: &Path,
    (keys, wanted): (&FxHashSet<RunPair>, &Wanted),
    issues: &mut [Issue],
    (curves, rows): (&mut FxHashMap<[usize; 2], OpenCurve>, &mut WorstRows),
) -> Result<()> {
    for line in Table::<DistanceLine>::open(dir)?.of_pairs(keys) {
        let line = line?;
        let moment = Moment { frame: line.frame, time_s: line.time_s };
        let [own_lower, own_upper] = line.bracket_m();
        for &at in &wanted[&line.pair()] {
            let (Some(open), finding) = (curves.get_mut(&at), &mut issues[at[0]].findings[at[1]]) else { continue };
            let [value, lower, upper] = match open.is_directional {
                true => line.directional(),
                false => [Some(line.distance_m), own_lower, own_upper],
            };
            if line.frame == finding.least.frame {
                // An event of samples and intervals is least at a sample if that has the event's
                // own upper end.
                if upper == finding.bracket_m[1] {
                    rows.at_sample.insert(at);
                    finding.proof = line.method.map(|method| Method::NAMES[method as usize].to_owned());
                }
                if let Some(witness) = line.witness() {
                    rows.witness.insert(at, witness);
                }
            }
            let Some(distance_m) = value.or(upper).filter(|value| value.is_finite()) else { continue };
            extend(&mut open.span, moment);
            open.points.push(CurvePoint { moment, distance_m, bracket_m: [lower, upper] }, nearer_point);
        }
    }
    Ok(())
}

/// Reads the intervals of the wanted pairs, and when those are least between whose frames an event
/// is.
fn read_between(
    dir: &Path,
    (keys, wanted): (&FxHashSet<RunPair>, &Wanted),
    issues: &mut [Issue],
    (curves, rows): (&mut FxHashMap<[usize; 2], OpenCurve>, &mut WorstRows),
) -> Result<()> {
    for line in Table::<IntervalLine>::open(dir)?.of_pairs(keys) {
        let line = line?;
        let first = Moment { frame: line.frame, time_s: line.time_s };
        let next = Moment { frame: line.frame_next, time_s: line.time_next_s };
        let bracket_m = line.bracket_m();
        for &at in &wanted[&line.pair()] {
            let (Some(open), finding) = (curves.get_mut(&at), &mut issues[at[0]].findings[at[1]]) else { continue };
            if open.is_directional {
                continue;
            }
            let is_least = first.frame == finding.least.frame && bracket_m[1] == finding.bracket_m[1];
            if is_least && !rows.at_sample.contains(&at) {
                finding.share = Some(line.closest_lo);
                finding.proof = Some(IntervalMethod::NAMES[line.method as usize].to_owned());
                rows.next_frames.push(next.frame);
            }
            if let (None, Some((lo, hi))) = (finding.contact, line.contact_lo.zip(line.contact_hi)) {
                finding.contact = Some(Contact { ends: [first, next], shares: [lo, hi], is_first: !open.is_doubtful });
            }
            open.is_doubtful |= line.status == IntervalStatus::Undecided;
            extend(&mut open.span, first);
            extend(&mut open.span, next);
            open.between.push(CurveBetween { ends: [first, next], bracket_m }, nearer_between);
        }
    }
    Ok(())
}

/// Extends the moments that an axis shows.
fn extend(span: &mut Option<[Moment; 2]>, moment: Moment) {
    let [first, last] = span.unwrap_or([moment; 2]);
    let first = if moment.frame < first.frame { moment } else { first };
    let last = if moment.frame > last.frame { moment } else { last };
    *span = Some([first, last]);
}

/// The nearer of two points.
fn nearer_point(a: CurvePoint, b: CurvePoint) -> CurvePoint {
    if b.distance_m < a.distance_m { b } else { a }
}

/// Both intervals as one, with the bracket of the lesser.
fn nearer_between(a: CurveBetween, b: CurveBetween) -> CurveBetween {
    let lesser = |a: Option<f64>, b: Option<f64>| Some(a?.min(b?));
    let bracket_m = [0, 1].map(|end| lesser(a.bracket_m[end], b.bracket_m[end]));
    CurveBetween { ends: [a.ends[0], b.ends[1]], bracket_m }
}

/// Adds the least distances over all runs to the findings that are shown.
fn add_histograms(dir: &Path, manifest: &Manifest, issues: &mut [Issue]) -> Result<()> {
    let are_draws = manifest.options.runs_are_draws();
    let mut values: FxHashMap<[i32; 2], (u64, [f64; 2])> = FxHashMap::default();
    for finding in issues.iter().flat_map(|issue| issue.findings.iter().take(MOST_SHOWN)) {
        values.insert(indices(finding), (0, [f64::INFINITY, f64::NEG_INFINITY]));
    }
    for row in Table::<PairOfRun>::open(dir)?.rows() {
        let row = row?;
        if let Some(((count, ends), value)) = values.get_mut(&[row.a_index, row.b_index]).zip(row.least_upper_m()) {
            *count += 1;
            *ends = [ends[0].min(value), ends[1].max(value)];
        }
    }
    let mut histograms: FxHashMap<[i32; 2], Vec<([usize; 2], Histogram)>> = FxHashMap::default();
    for (i, issue) in issues.iter().enumerate() {
        for (f, finding) in issue.findings.iter().take(MOST_SHOWN).enumerate() {
            let pair = indices(finding);
            if let (count @ 1.., ends) = values[&pair] {
                let mut histogram = empty_histogram(finding, [count, manifest.summary.runs], ends);
                histogram.share = histogram.share.filter(|_| are_draws);
                histograms.entry(pair).or_default().push(([i, f], histogram));
            }
        }
    }
    for row in Table::<PairOfRun>::open(dir)?.rows() {
        let row = row?;
        if let Some((of, value)) = histograms.get_mut(&[row.a_index, row.b_index]).zip(row.least_upper_m()) {
            for (_, histogram) in of {
                // A bin holds its lower edge; the last one its upper edge too.
                let after = histogram.edges_m.partition_point(|&edge| edge <= value);
                let bin = after.saturating_sub(1).min(histogram.counts.len() - 1);
                histogram.counts[bin] += 1;
            }
        }
    }
    for ([i, f], histogram) in histograms.into_values().flatten() {
        issues[i].findings[f].histogram = Some(histogram);
    }
    Ok(())
}

/// The bins of a pair that comes within reach in `count` of `runs`, between `ends`, without their
/// counts.
fn empty_histogram(finding: &Finding, [count, runs]: [u64; 2], ends: [f64; 2]) -> Histogram {
    let (share, [low, high]) = share_with_interval(finding.runs, runs);
    let edges_m = edges(ends, finding.required_m);
    Histogram {
        counts: vec![0; edges_m.len() - 1],
        edges_m,
        beyond: runs - count.min(runs),
        required_m: finding.required_m,
        violated: [finding.runs, runs],
        share: Some([share, low, high]),
    }
}

fn indices(finding: &Finding) -> [i32; 2] {
    finding.bodies.map(|body| body as i32)
}

/// Edges of equal bins that cover both ends; the requirement is an edge if it lies between them, so
/// that no bin holds runs on both sides.
fn edges([low, high]: [f64; 2], required: f64) -> Vec<f64> {
    let width = ((high - low) / BINS as f64).max(low.abs().max(high.abs()) * 1e-9).max(f64::MIN_POSITIVE);
    let from = if low < required && required < high { required } else { low };
    let below = ((from - low) / width).ceil() as i64;
    let above = ((high - from) / width).ceil().max(1.0) as i64;
    (-below..=above).map(|step| from + step as f64 * width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_cover_all_and_none_spans_the_requirement() {
        let ends = [[0.1, 0.9], [-0.2, 0.3], [5.0, 5.0], [0.0, 0.0], [-1e-9, 1e9], [1e-300, 2e-300]];
        for [low, high] in ends {
            for required in [low - 1.0, low, (low + high) / 2.0, 0.05, high, high + 1.0] {
                let edges = edges([low, high], required);
                assert!(edges.len() >= 2 && edges.len() <= BINS + 3, "{} edges", edges.len());
                assert!(edges.is_sorted_by(|a, b| a < b), "{edges:?}");
                // The first and the last bin take what rounding leaves beyond them.
                let slack = 1e-9 * low.abs().max(high.abs());
                assert!(edges[0] <= low + slack && high <= edges[edges.len() - 1] + slack, "{low} {high} {edges:?}");
                assert!(!(low < required && required < high) || edges.contains(&required));
            }
        }
    }
}
