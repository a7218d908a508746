//! The division of an input into parts of about equal cost, which shards of a job take.
//!
//! The cost of a part is its number of poses: the bodies and the query are the same in all of them.
//! Their places are known from the statistics of row groups (Parquet), or else from the keys of
//! all rows. The plan depends on nothing else, so that every machine makes the same.
//!
//! Runs stay whole, unless one is longer than a part: it is cut at frames whose number is a
//! multiple of [`CUT_FRAMES`].

use super::column_format::ColumnFormat;
use super::digest::InputFile;
use super::expected;
use super::group::Group;
use super::open::{InputPlace, open};
use super::plan::{Choice, matters};
use super::read_options::ReadOptions;
use super::read_part::ReadPart;
use super::reading::{each_key, groups, keys};
use super::source::Source;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{BetweenFrames, Missing, Scene, block::CUT_FRAMES};
use std::ops::Range;
use std::path::Path;

/// Most shards of a job.
const MOST_SHARDS: u32 = 100_000;

/// The part of an input that a shard takes.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedShard {
    /// Runs, or frames of one run.
    pub part: ReadPart,
    /// Poses in it, about.
    pub poses: u64,
}

/// How an input is divided.
#[derive(Debug, Clone)]
pub struct ShardPlan {
    /// The parts, in order. Some may hold nothing.
    pub shards: Vec<PlannedShard>,
    /// The files of the input, in reading order.
    pub files: Vec<InputFile>,
}

/// Consecutive rows of the input: their keys, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stretch {
    runs: (i64, i64),
    /// Least and greatest frame, where they are known.
    frames: Option<(i64, i64)>,
    rows: u64,
}

/// Divides the input of `scene` into `shards` parts. Every sample that `options` choose is in one
/// part.
///
/// # Errors
/// Too many shards, or an input that is read once, cannot be opened, or lacks what the scene
/// expects.
pub fn plan_shards(scene: &Scene, options: &ReadOptions, shards: u32) -> Result<ShardPlan> {
    if shards == 0 || shards > MOST_SHARDS {
        return Err(Error::usage(
            "shards",
            format!("{shards} is no number of shards"),
            format!("give 1 to {MOST_SHARDS}"),
        ));
    }
    if options.is_read_once(scene.trajectories.as_deref()) {
        let problem = "a stream is read once, and every shard reads its part of the input";
        return Err(Error::usage("shards", problem, "write the stream to a file, and give that"));
    }
    let choice = Choice::new(scene.missing, options);
    let made = options.made(scene)?;
    let (stretches, files) = match (made, options.path.as_deref().or(scene.trajectories.as_deref())) {
        (Some(made), _) => {
            let sources = [made.source];
            expected::check(scene, &sources)?;
            (stretches(&sources, &choice)?, made.splines.map_or(Vec::new(), |read| read.files))
        }
        (None, Some(path)) => {
            let format = ColumnFormat::of_scene(scene, options);
            let sources = open(&InputPlace::Path(path.to_path_buf()), &format, None, &|| true)?;
            let found = stretches(&sources, &choice)?;
            check_order(&found, path)?;
            expected::check(scene, &sources)?;
            (found, sources.iter().filter_map(Source::file).collect())
        }
        (None, None) => (Vec::new(), Vec::new()),
    };
    let asked = [("--runs", &options.runs), ("--frames", &options.frames)];
    let asked: Vec<&str> = asked.into_iter().filter(|(_, range)| range.is_some()).map(|(flag, _)| flag).collect();
    if stretches.is_empty() && !asked.is_empty() && !files.is_empty() {
        let remedy = "choose others; ranges are half-open, A..B ends before B";
        return Err(Error::usage(asked.join(" "), "holds no frame of the input", remedy));
    }
    let is_followed = scene.motion.between != BetweenFrames::None;
    let follow = if is_followed { scene.motion.max_gap } else { 0 };
    // Poses that are held come from any frame before.
    let can_cut = scene.missing != Missing::Hold;
    Ok(ShardPlan { shards: divide(&stretches, shards, can_cut, follow), files })
}

/// The rows that are chosen, in the order of the input.
fn stretches(sources: &[Source], choice: &Choice) -> Result<Vec<Stretch>> {
    let keyed = groups(sources).map(|(source, group)| (source, group, keys(source, group)));
    let chosen: Vec<_> = keyed.filter(|(_, _, [runs, frames])| matters(choice, *runs, *frames)).collect();
    let one_run = |at: Option<usize>| match chosen.get(at?)?.2[0] {
        Some((low, high)) if low == high => Some(low),
        _ => None,
    };
    // The first part has to hold the first sample that is chosen.
    let is_narrowed = choice.runs.is_some() || choice.frames.is_some();
    let mut found = Vec::new();
    for (at, &(source, group, [runs, frames])) in chosen.iter().enumerate() {
        // The keys of a row group in which a long run begins or ends are read.
        let ends_run = |(low, high): (i64, i64)| {
            low != high && (one_run(at.checked_sub(1)) == Some(low) || one_run(Some(at + 1)) == Some(high))
        };
        match runs {
            Some(runs) if frames.is_some() && !ends_run(runs) && !(is_narrowed && found.is_empty()) => {
                push(&mut found, Stretch { runs, frames, rows: group.rows })
            }
            _ => scan(source, group, choice, &mut found)?,
        }
    }
    Ok(found)
}

/// Fails if runs come again after later ones: a shard would not see that rows are out of order.
fn check_order(stretches: &[Stretch], path: &Path) -> Result<()> {
    let Some(pair) = stretches.windows(2).find(|pair| pair[1].runs.0 < pair[0].runs.1) else { return Ok(()) };
    let problem = format!("run {} comes after run {}", pair[1].runs.0, pair[0].runs.1);
    let remedy = "rows must be sorted by run, then frame, and files must not interleave: `clearsweep sort` does it";
    Err(Error::input(path.display(), problem, remedy))
}

/// Adds rows; those of one run that lie together are one stretch.
fn push(found: &mut Vec<Stretch>, next: Stretch) {
    let is_one_run = |stretch: &Stretch| stretch.runs.0 == stretch.runs.1;
    match found.last_mut() {
        Some(last) if is_one_run(last) && last.runs == next.runs => {
            last.rows += next.rows;
            last.frames = last.frames.zip(next.frames).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
        }
        _ => found.push(next),
    }
}

/// Finds the rows of a group without statistics by its keys.
fn scan(source: &Source, group: &Group, choice: &Choice, found: &mut Vec<Stretch>) -> Result<()> {
    each_key(source, group, |run, frame| {
        if choice.has(run, frame, true) {
            push(found, Stretch { runs: (run, run), frames: Some((frame, frame)), rows: 1 });
        }
    })
}

/// Runs that parts do not cut, or one run that they do.
#[derive(Debug, Clone)]
struct Segment {
    stretches: Range<usize>,
    rows: u64,
    /// Whether it is one run that is cut.
    is_cut: bool,
    /// Most parts that are of use.
    most: u64,
    parts: u64,
}

/// Divides stretches into `shards` parts.
fn divide(stretches: &[Stretch], shards: u32, can_cut: bool, follow: i64) -> Vec<PlannedShard> {
    let total: u64 = stretches.iter().map(|stretch| stretch.rows).sum();
    let share = total.div_ceil(u64::from(shards)).max(1);
    let mut segments = segments(stretches, if can_cut { share } else { u64::MAX });
    if segments.len() > shards as usize {
        segments = self::segments(stretches, u64::MAX);
    }
    allot(&mut segments, u64::from(shards));
    let mut planned: Vec<PlannedShard> = Vec::new();
    let mut next_run = i64::MIN;
    let count = segments.len();
    for (index, segment) in segments.iter().enumerate() {
        let own = &stretches[segment.stretches.clone()];
        // Runs that the input does not have belong to the stretch before them.
        let end = if index + 1 == count { i64::MAX } else { stretches[segment.stretches.end].runs.0 };
        if segment.is_cut {
            cut_run(own[0], next_run..end, segment.parts, follow, &mut planned);
        } else {
            cut_between(own, next_run..end, segment.parts, &mut planned);
        }
        next_run = end;
    }
    if planned.is_empty() {
        planned.push(PlannedShard { part: ReadPart { runs: i64::MIN..i64::MAX, frames: None, follow: 0 }, poses: 0 });
    }
    planned.resize(shards as usize, PlannedShard { part: ReadPart::NOTHING, poses: 0 });
    planned
}

/// Gathers stretches into segments; a run of more than `share` rows whose frames are known is one
/// of its own.
fn segments(stretches: &[Stretch], share: u64) -> Vec<Segment> {
    let mut found: Vec<Segment> = Vec::new();
    for (at, stretch) in stretches.iter().enumerate() {
        let beside = |other: Option<&Stretch>| {
            other.is_none_or(|other| other.runs.0 > stretch.runs.1 || other.runs.1 < stretch.runs.0)
        };
        let is_alone =
            beside(stretches.get(at + 1)) && at.checked_sub(1).is_none_or(|before| beside(stretches.get(before)));
        let blocks = stretch.frames.map_or(1, |(first, last)| blocks_of(first, last));
        let is_cut = stretch.rows > share && stretch.runs.0 == stretch.runs.1 && blocks > 1 && is_alone;
        let runs = stretch.runs.1.abs_diff(stretch.runs.0).saturating_add(1);
        match found.last_mut() {
            Some(last) if !last.is_cut && !is_cut => {
                last.stretches.end = at + 1;
                last.rows += stretch.rows;
                last.most = last.most.saturating_add(runs);
            }
            _ => found.push(Segment {
                stretches: at..at + 1,
                rows: stretch.rows,
                is_cut,
                most: if is_cut { blocks } else { runs },
                parts: 0,
            }),
        }
    }
    found
}

/// Ranges of [`CUT_FRAMES`] frames that the frames of a run lie in.
fn blocks_of(first: i64, last: i64) -> u64 {
    last.div_euclid(CUT_FRAMES).abs_diff(first.div_euclid(CUT_FRAMES)) + 1
}

/// Gives every segment a part, and further ones where most rows are in a part, as long as they are
/// of use.
fn allot(segments: &mut [Segment], shards: u64) {
    segments.iter_mut().for_each(|segment| segment.parts = 1);
    for _ in segments.len() as u64..shards {
        let per_part = |segment: &Segment| segment.rows as f64 / segment.parts as f64;
        let open = segments.iter_mut().filter(|segment| segment.parts < segment.most);
        // The first of equal ones.
        let Some(largest) = open.reduce(|one, other| if per_part(other) > per_part(one) { other } else { one }) else {
            return;
        };
        largest.parts += 1;
    }
}

/// Cuts stretches of whole runs into parts.
fn cut_between(stretches: &[Stretch], runs: Range<i64>, parts: u64, planned: &mut Vec<PlannedShard>) {
    let total: u64 = stretches.iter().map(|stretch| stretch.rows).sum();
    let (mut at, mut before, mut start, mut taken) = (0, 0_u64, runs.start, 0_u64);
    // The first part has a run.
    let first = i128::from(stretches[0].runs.0) + 1;
    for part in 1..=parts {
        let (end, rows) = if part == parts {
            (runs.end, total)
        } else {
            let target = share_of(total, part, parts);
            while at + 1 < stretches.len() && before + stretches[at].rows <= target {
                before += stretches[at].rows;
                at += 1;
            }
            let Stretch { runs: (low, high), rows, .. } = stretches[at];
            let count = i128::from(high) - i128::from(low) + 1;
            let within = i128::from(target - before);
            // The run that is nearest to the target; runs of a stretch have equal numbers of rows,
            // as far as is known.
            let passed = (within * count + i128::from(rows) / 2) / i128::from(rows);
            let cut = (i128::from(low) + passed).clamp(i128::from(start).max(first), i128::from(runs.end)) as i64;
            (cut, before + (passed * i128::from(rows) / count) as u64)
        };
        let is_nothing = start == end && end != i64::MAX;
        let part = if is_nothing { ReadPart::NOTHING } else { ReadPart { runs: start..end, frames: None, follow: 0 } };
        planned.push(PlannedShard { part, poses: if is_nothing { 0 } else { rows.saturating_sub(taken) } });
        if !is_nothing {
            (start, taken) = (end, taken.max(rows));
        }
    }
}

/// Cuts one run into parts of whole ranges of frames.
fn cut_run(run: Stretch, runs: Range<i64>, parts: u64, follow: i64, planned: &mut Vec<PlannedShard>) {
    let (first, last) = run.frames.unwrap_or((0, 0));
    let (origin, blocks) = (first.div_euclid(CUT_FRAMES), blocks_of(first, last));
    let frames = last.abs_diff(first).saturating_add(1);
    let (mut start, mut before, mut taken) = (i64::MIN, 0, 0);
    for part in 1..=parts {
        let (end, rows) = if part == parts {
            (i64::MAX, run.rows)
        } else {
            // The cut that is nearest to where the part would end, of those that leave a range of
            // frames for each other part.
            let target = i128::from(first) + i128::from(share_of(frames, part, parts))
                - i128::from(origin) * i128::from(CUT_FRAMES);
            let nearest = (target + i128::from(CUT_FRAMES) / 2) / i128::from(CUT_FRAMES);
            let cut = nearest.clamp(i128::from(before) + 1, i128::from(blocks - (parts - part))) as u64;
            before = cut;
            let end = (origin + cut as i64).saturating_mul(CUT_FRAMES);
            (end, share_of(run.rows, end.abs_diff(first), frames))
        };
        let frames = Some(start..end);
        planned.push(PlannedShard { part: ReadPart { runs: runs.clone(), frames, follow }, poses: rows - taken });
        (start, taken) = (end, rows);
    }
}

/// `part` of `parts` of a number.
fn share_of(total: u64, part: u64, parts: u64) -> u64 {
    (u128::from(total) * u128::from(part) / u128::from(parts)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(low: i64, high: i64, rows: u64) -> Stretch {
        Stretch { runs: (low, high), frames: Some((0, 99)), rows }
    }

    /// Checks that parts lie end to end, and returns them.
    fn parts(stretches: &[Stretch], shards: u32, can_cut: bool) -> Vec<PlannedShard> {
        let planned = divide(stretches, shards, can_cut, 1);
        assert_eq!(planned.len(), shards as usize);
        let some: Vec<&ReadPart> = planned.iter().map(|shard| &shard.part).filter(|part| !part.is_nothing()).collect();
        assert!(
            some.first().is_some_and(|part| part.is_first()) && some.last().is_some_and(|part| part.is_last()),
            "{planned:?}"
        );
        assert!(some.windows(2).all(|pair| pair[0].meets(pair[1])), "{planned:?}");
        assert_eq!(planned.iter().map(|shard| shard.poses).sum::<u64>(), stretches.iter().map(|s| s.rows).sum::<u64>());
        planned
    }

    #[test]
    fn many_short_runs_are_shared_equally() {
        for shards in [1, 2, 3, 7, 16, 100] {
            let planned = parts(&[stretch(0, 499, 5000), stretch(500, 999, 5000)], shards, true);
            let fair = 10_000 / u64::from(shards);
            assert!(
                planned.iter().all(|shard| shard.poses.abs_diff(fair) <= 20 && shard.part.frames.is_none()),
                "{planned:?}"
            );
        }
    }

    #[test]
    fn a_long_run_is_cut_at_multiples_of_64_frames() {
        let long = Stretch { runs: (5, 5), frames: Some((10, 1000)), rows: 9910 };
        let planned = parts(&[stretch(0, 4, 50), long, stretch(6, 9, 40)], 6, true);
        let cuts: Vec<_> = planned.iter().filter_map(|shard| shard.part.frames.clone()).collect();
        assert_eq!(cuts.len(), 4, "{planned:?}");
        assert!(cuts[1..].iter().all(|frames| frames.start % CUT_FRAMES == 0 && frames.start > 10));
        assert!(planned[1..5].iter().all(|shard| shard.part.follow == 1 && shard.part.runs == (5..6)));
        // Poses that are held come from before: the run stays whole.
        assert!(parts(&[long], 3, false).iter().all(|shard| shard.part.frames.is_none()));
    }

    #[test]
    fn there_may_be_more_shards_than_work() {
        let planned = parts(&[stretch(3, 3, 10)], 5, true);
        assert_eq!(
            planned.iter().filter(|shard| shard.part.is_nothing()).count(),
            3,
            "99 frames are two ranges: {planned:?}"
        );
        assert_eq!(parts(&[stretch(3, 4, 1)], 4, false).iter().filter(|shard| !shard.part.is_nothing()).count(), 2);
        let planned = parts(&[], 3, true);
        assert!(planned[0].part.is_first() && planned[0].part.is_last());
    }

    #[test]
    fn runs_that_come_again_are_named() {
        let order = |stretches: &[Stretch]| check_order(stretches, Path::new("poses.csv"));
        assert!(order(&[stretch(0, 5, 9), stretch(5, 9, 9), stretch(9, 9, 1)]).is_ok(), "a run may go on");
        let error = order(&[stretch(5, 9, 15), stretch(2, 2, 1000)]).expect_err("it comes again");
        assert!(error.problem.contains("run 2 comes after run 9") && error.remedy.contains("sort"), "{error}");
    }

    #[test]
    fn every_sample_is_in_one_part() {
        let mut random = 1_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let mut cut = 0;
        for _ in 0..500 {
            let mut run = -20;
            let stretches: Vec<Stretch> = (0..1 + next(6))
                .map(|_| {
                    let low = run + next(3) as i64;
                    let high = low + if next(2) == 0 { 0 } else { next(40) as i64 };
                    run = high + i64::from(next(2) == 0);
                    let frames = (-(next(200) as i64), next(2000) as i64);
                    Stretch { runs: (low, high), frames: Some(frames), rows: 1 + next(5000) }
                })
                .collect();
            let planned = divide(&stretches, 1 + next(20) as u32, true, 1);
            cut += usize::from(planned.iter().any(|shard| shard.part.is_cut()));
            for run in -30..run + 5 {
                for frame in [i64::MIN, -200, -64, -1, 0, 63, 64, 777, 1999, i64::MAX] {
                    let holders = planned.iter().filter(|shard| shard.part.has(run, frame)).count();
                    assert_eq!(holders, 1, "run {run}, frame {frame}: {planned:?}");
                }
            }
        }
        assert!(cut > 100, "{cut}");
    }
}
