//! Tables of a scene that says how bodies move between frames.

use super::fixture::with_intervals;
use super::*;
use clearsweep_narrow::{IntervalMethod, IntervalStatus};
use clearsweep_tables::IntervalRow;

/// Results with intervals, written to a directory.
fn written_with_intervals(dir: &Path) -> (Scene, Vec<Results>, Totals) {
    let s = moving(scene(20, true));
    let results = with_intervals(results(&s, PLAN), 20, 20, 5);
    let totals = write(&s, &options(dir), &results).totals.clone();
    (s, results, totals)
}

#[test]
fn the_columns_with_motion_are_those_of_the_contract() {
    let dir = tempfile::tempdir().expect("dir");
    written_with_intervals(dir.path());
    assert_eq!(
        described(&dir.path().join("intervals/part-00000.parquet")),
        "run:i64 frame:i64 frame_next:i64 time_s:f64?:s time_next_s:f64?:s a_index:i32 b_index:i32 body_a:dict body_b:dict \
         lower_m:f64?:m upper_m:f64?:m closest_lo:f64:1 closest_hi:f64:1 contact_lo:f64?:1 contact_hi:f64?:1 status:dict \
         method:dict"
    );
    assert_eq!(
        described(&dir.path().join("pairs.parquet")),
        "run:i64 a_index:i32 b_index:i32 body_a:dict body_b:dict frames_candidate:i64 frames_within:i64 \
         frames_penetrating:i64 min_distance_m:f64?:m lower_m:f64?:m upper_m:f64?:m frame_of_min:i64? \
         time_of_min_s:f64?:s place_x:f64?:m place_y:f64?:m place_z:f64?:m max_step_m:f64:m min_between_lower_m:f64?:m min_between_upper_m:f64?:m \
         frame_of_min_between:i64? contact_frame:i64? contact_lo:f64?:1 contact_hi:f64?:1 contact_time_lo_s:f64?:s \
         contact_time_hi_s:f64?:s"
    );
    assert_eq!(
        described(&dir.path().join("runs.parquet")),
        "run:i64 frames:i64 rows:i64 pairs_possible:i64 pairs_ignored:i64 pairs_candidate:i64 min_distance_m:f64?:m \
         a_index:i32? b_index:i32? body_a:dict? body_b:dict? frame_of_min:i64? violated:i64 violates:bool? undecided:i64 \
         uncertified:i64 min_between_lower_m:f64?:m min_between_upper_m:f64?:m intervals:i64 intervals_contact:i64 \
         intervals_undecided:i64 intervals_violated:i64 contact_frame:i64? contact_a_index:i32? contact_b_index:i32? \
         contact_body_a:dict? contact_body_b:dict?"
    );
    let m = metadata(&dir.path().join("intervals/part-00000.parquet"));
    let sorting = m.row_group(0).sorting_columns().expect("sorted").iter().map(|c| c.column_idx).collect::<Vec<_>>();
    assert_eq!(sorting, [0, 1, 5, 6], "run, frame, a_index, b_index");
}

#[test]
fn intervals_are_written_as_they_are() {
    let dir = tempfile::tempdir().expect("dir");
    let (_, results, totals) = written_with_intervals(dir.path());
    let table = read(&dir.path().join("intervals/part-00000.parquet"));
    let rows: Vec<(&Results, &IntervalRow)> =
        results.iter().flat_map(|r| r.intervals.iter().map(move |row| (r, row))).collect();
    assert_eq!((table.num_rows(), totals.intervals), (rows.len(), rows.len() as u64));
    let sample = |r: &Results, row: &IntervalRow| r.block.samples[usize::from(row.interval.sample)];
    let next = |r: &Results, row: &IntervalRow| match r.block.samples.get(usize::from(row.interval.sample) + 1) {
        Some(next) => *next,
        None => r.block.following.as_ref().expect("an end").sample,
    };
    let int =
        |f: &dyn Fn(&Results, &IntervalRow) -> i64| rows.iter().map(|(r, row)| Some(f(r, row))).collect::<Vec<_>>();
    assert_eq!(ints(&table, "run"), int(&|r, row| sample(r, row).run));
    assert_eq!(ints(&table, "frame"), int(&|r, row| sample(r, row).frame));
    assert_eq!(ints(&table, "frame_next"), int(&|r, row| next(r, row).frame));
    assert!(rows.iter().any(|(r, row)| usize::from(row.interval.sample) + 1 == r.block.samples.len()), "across blocks");
    let real =
        |f: &dyn Fn(&Results, &IntervalRow) -> Option<f64>| rows.iter().map(|(r, row)| f(r, row)).collect::<Vec<_>>();
    assert_eq!(f64s(&table, "time_s"), real(&|r, row| sample(r, row).time_s));
    assert_eq!(f64s(&table, "time_next_s"), real(&|r, row| next(r, row).time_s));
    assert_eq!(f64s(&table, "lower_m"), real(&|_, row| Some(row.interval.lower).filter(|lower| lower.is_finite())));
    assert!(f64s(&table, "lower_m").iter().any(Option::is_none), "nothing is proven of some");
    assert_eq!(f64s(&table, "upper_m"), real(&|_, row| Some(row.interval.upper)));
    for (end, name) in ["closest_lo", "closest_hi"].into_iter().enumerate() {
        assert_eq!(f64s(&table, name), real(&|_, row| Some(row.interval.closest[end])));
    }
    for (end, name) in ["contact_lo", "contact_hi"].into_iter().enumerate() {
        assert_eq!(f64s(&table, name), real(&|_, row| Some(row.interval.contact[end]).filter(|share| !share.is_nan())));
    }
    let word = |f: &dyn Fn(&IntervalRow) -> String| rows.iter().map(|(_, row)| Some(f(row))).collect::<Vec<_>>();
    assert_eq!(words(&table, "body_b"), word(&|row| format!("body-{:04}", row.b)));
    assert_eq!(words(&table, "status"), word(&|row| IntervalStatus::NAMES[row.interval.status as usize].to_owned()));
    assert_eq!(words(&table, "method"), word(&|row| IntervalMethod::NAMES[row.interval.method as usize].to_owned()));
}

/// Computes the columns of `pairs` and `runs` about intervals, from all intervals of a run and a
/// pair, or of a run.
fn summary_of(intervals: &[(&Results, &IntervalRow)]) -> [Option<f64>; 5] {
    let end = |f: fn(&IntervalRow) -> f64| intervals.iter().map(|(_, row)| f(row)).min_by(f64::total_cmp);
    let [lower, upper] = [end(|row| row.interval.lower), end(|row| row.interval.upper)];
    let frame = |(r, row): &(&Results, &IntervalRow)| r.block.samples[usize::from(row.interval.sample)].frame as f64;
    let of_upper = intervals.iter().find(|(_, row)| Some(row.interval.upper) == upper).map(&frame);
    let contact = intervals.iter().find(|(_, row)| row.interval.status == IntervalStatus::Contact);
    [
        lower.filter(|m| m.is_finite()),
        upper,
        of_upper,
        contact.map(&frame),
        contact.map(|(_, row)| row.interval.contact[0]),
    ]
}

#[test]
fn summaries_know_intervals() {
    let dir = tempfile::tempdir().expect("dir");
    let (s, results, totals) = written_with_intervals(dir.path());
    /// The intervals of a pair, each with the results it is of.
    type OfPair<'a> = Vec<(&'a Results, &'a IntervalRow)>;
    let mut by_pair: BTreeMap<(i64, u32, u32), OfPair<'_>> = BTreeMap::new();
    let mut by_run: BTreeMap<i64, Vec<(&Results, &IntervalRow)>> = BTreeMap::new();
    let mut with_rows = std::collections::BTreeSet::new();
    for r in &results {
        let run = |sample: u8| r.block.samples[usize::from(sample)].run;
        with_rows.extend(r.rows.iter().map(|row| (run(row.proximity.sample), row.a, row.b)));
        for row in &r.intervals {
            by_pair.entry((run(row.interval.sample), row.a, row.b)).or_default().push((r, row));
            by_run.entry(run(row.interval.sample)).or_default().push((r, row));
        }
    }
    let pairs = read(&dir.path().join("pairs.parquet"));
    let keys: Vec<(i64, u32, u32)> = (0..pairs.num_rows())
        .map(|k| ["run", "a_index", "b_index"].map(|name| ints(&pairs, name)[k].expect("a key")))
        .map(|[run, a, b]| (run, a as u32, b as u32))
        .collect();
    let expected: std::collections::BTreeSet<_> = with_rows.iter().copied().chain(by_pair.keys().copied()).collect();
    assert!(keys.iter().copied().eq(expected.iter().copied()), "rows or intervals, sorted");
    assert!(expected.len() > with_rows.len() && by_pair.len() < expected.len(), "each kind of pair is there");
    let real = |table: &RecordBatch, name: &str| -> Vec<Option<f64>> {
        match table[name].data_type() {
            DataType::Float64 => f64s(table, name),
            _ => ints(table, name).into_iter().map(|n| n.map(|n| n as f64)).collect(),
        }
    };
    let columns = ["min_between_lower_m", "min_between_upper_m", "frame_of_min_between", "contact_frame", "contact_lo"];
    for (at, name) in columns.into_iter().enumerate() {
        let found = real(&pairs, name);
        for (key, found) in keys.iter().zip(found) {
            let expected = by_pair.get(key).and_then(|intervals| summary_of(intervals)[at]);
            assert_eq!(found, expected, "{name} of {key:?}");
        }
    }
    let frames = ints(&pairs, "frame_of_min");
    let distances = f64s(&pairs, "min_distance_m");
    for ((key, frame), distance) in keys.iter().zip(frames).zip(distances) {
        assert_eq!(
            (frame.is_some(), distance.is_some()),
            (with_rows.contains(key), with_rows.contains(key)),
            "{key:?}"
        );
    }
    assert_eq!(totals.pairs, keys.len() as u64);

    let runs = read(&dir.path().join("runs.parquet"));
    let require = s.query.require.expect("a requirement");
    let of_run: Vec<&[(&Results, &IntervalRow)]> = ints(&runs, "run")
        .into_iter()
        .map(|run| by_run.get(&run.expect("a key")).map_or(&[][..], Vec::as_slice))
        .collect();
    assert!(of_run.len() > 3);
    for (at, name) in columns.into_iter().enumerate().take(2) {
        assert_eq!(real(&runs, name), of_run.iter().map(|of| summary_of(of)[at]).collect::<Vec<_>>(), "{name}");
    }
    assert_eq!(real(&runs, "contact_frame"), of_run.iter().map(|of| summary_of(of)[3]).collect::<Vec<_>>());
    let count = |which: &dyn Fn(&IntervalRow) -> bool| {
        of_run.iter().map(|of| Some(of.iter().filter(|(_, row)| which(row)).count() as i64)).collect::<Vec<_>>()
    };
    assert_eq!(ints(&runs, "intervals"), count(&|_| true));
    assert_eq!(ints(&runs, "intervals_contact"), count(&|row| row.interval.status == IntervalStatus::Contact));
    assert_eq!(ints(&runs, "intervals_violated"), count(&|row| row.interval.upper < require));
    assert_eq!(
        words(&runs, "contact_body_a").iter().map(Option::is_some).collect::<Vec<_>>(),
        ints(&runs, "contact_a_index").iter().map(Option::is_some).collect::<Vec<_>>()
    );
    assert_eq!(totals.runs_violated, runs["violates"].as_boolean().true_count() as u64);
}
