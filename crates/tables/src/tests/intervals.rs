//! Tables of jobs with a motion between frames.

use super::fixture::Rng;
use super::fixture::{
    Results, ResultsPlan, files, in_calls, interval, moving, options, results, scene, with_intervals, write_all,
};
use super::{PLAN, SMALL, written, written_of};
use crate::SortedRows;
use crate::counter::RowCounter;
use crate::layout::TableLayout;
use crate::row::{IntervalRow, Row};
use crate::{BatchCollector, BatchMaker, DistanceColumns, RowBlock, RowSink, TableOptions, TableWriter, Totals};
use clearsweep_base::ErrorKind;
use clearsweep_model::{IntervalStatus, Scene};
use std::collections::BTreeMap;

/// A scene with motion, and results with intervals: of short runs and of one that spans blocks.
fn job(run_length: usize) -> (Scene, Vec<Results>) {
    let s = moving(scene(20, true));
    let results = results(&s, ResultsPlan { run_length, ..PLAN });
    let results = with_intervals(results, 20, 30, 9);
    (s, results)
}

fn tables(list: Vec<(String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
    list.into_iter().filter(|(name, _)| name.ends_with(".parquet")).collect()
}

fn totals(s: &Scene, results: &[Results], options: &TableOptions, layout: TableLayout) -> Totals {
    let mut writer = TableWriter::with_layout(s, options, layout).expect("create");
    write_all(&mut writer, results).expect("write");
    let done = writer.finish().expect("finish");
    done.write_manifest(&serde_json::json!({})).expect("manifest");
    done.totals.clone()
}

#[test]
fn bytes_depend_neither_on_calls_nor_on_threads_nor_on_memory() {
    for run_length in [7, 50, 1000] {
        let (s, results) = job(run_length);
        let whole = written_of(&s, &results, SMALL, 1);
        let parts = whole.iter().filter(|(name, _)| name.starts_with("intervals/")).count();
        assert!(parts > 4, "{parts} parts");
        assert!(written_of(&s, &results, SMALL, 3) == whole);
        for samples in [1, 7, 33] {
            assert!(written_of(&s, &in_calls(&results, samples), SMALL, 2) == whole, "calls of {samples} samples");
        }
        let dir = tempfile::tempdir().expect("dir");
        let out = dir.path().join("out");
        let spilling = TableOptions { memory: 0, ..options(&out) };
        totals(&s, &results, &spilling, TableLayout { least_pairs: 40, ..SMALL });
        assert!(tables(files(&out)) == tables(whole), "runs of {run_length}");
    }
}

#[test]
fn without_motion_nothing_of_intervals_is_written() {
    let results = results(&scene(20, true), PLAN);
    assert!(written(&results, SMALL, 2).iter().all(|(name, _)| !name.starts_with("intervals")));
    let (_, with) = job(50);
    let dir = tempfile::tempdir().expect("dir");
    let out = dir.path().join("out");
    let mut writer = TableWriter::with_layout(&scene(20, true), &options(&out), SMALL).expect("create");
    let error = write_all(&mut writer, &with).expect_err("there is no motion");
    assert_eq!(error.kind, ErrorKind::Internal);
}

#[test]
fn intervals_out_of_order_are_rejected() {
    let (s, results) = job(50);
    let mut rng = Rng(1);
    let last = results[0].block.samples.len() - 1;
    type Damage<'a> = (&'a str, Box<dyn Fn(&mut Results) + 'a>);
    let of_last_sample = interval(&mut rng, 0, 1, 49);
    let of_no_sample = interval(&mut rng, 0, 1, last + 1);
    let of_no_body = interval(&mut rng, 0, 20, 0);
    let damages: [Damage<'_>; 5] = [
        ("swapped", Box::new(|r| r.intervals.swap(3, 4))),
        ("twice", Box::new(|r| r.intervals.insert(1, r.intervals[0]))),
        ("after the last sample of a run", Box::new(|r| r.intervals = vec![of_last_sample])),
        ("after no sample", Box::new(|r| r.intervals = vec![of_no_sample])),
        ("of no body", Box::new(|r| r.intervals = vec![of_no_body])),
    ];
    for (what, damage) in damages {
        let dir = tempfile::tempdir().expect("dir");
        let mut writer = TableWriter::with_layout(&s, &options(&dir.path().join("out")), SMALL).expect("create");
        let mut damaged = results[..1].to_vec();
        damage(&mut damaged[0]);
        let error = write_all(&mut writer, &damaged).expect_err(what);
        assert_eq!(error.kind, ErrorKind::Internal, "{what}");
    }
}

/// Calls of a sink.
fn each_block(s: &Scene, results: &[Results], mut each: impl FnMut(&RowBlock<'_>)) {
    let maker = BatchMaker::new(s, DistanceColumns::All);
    for r in results {
        let (rows, intervals): (Vec<&Row>, Vec<&IntervalRow>) = (r.rows.iter().collect(), r.intervals.iter().collect());
        let sorted = SortedRows { rows: &rows, intervals: &intervals, ..SortedRows::default() };
        each(&RowBlock::new(&r.block, &r.candidates, sorted, &maker));
    }
}

#[test]
fn totals_are_the_same_with_and_without_tables() {
    for run_length in [7, 50, 1000] {
        let (s, results) = job(run_length);
        let dir = tempfile::tempdir().expect("dir");
        let written = totals(&s, &results, &options(&dir.path().join("out")), SMALL);
        let mut counter = RowCounter::new(&s);
        each_block(&s, &in_calls(&results, 9), |rows| counter.add(rows).expect("counted"));
        let counted = counter.finish().expect("finished");
        assert!(written.intervals > 1000 && written.between.pairs_contact > 20);
        assert!(written.between.pairs_contact_only > 0 || run_length == 1000, "{written:?}");
        // Only tables gather events; what violates and is open is counted in any case.
        let events: u64 = written.issues.iter().flat_map(|counts| counts.events).sum();
        assert!(events > 100 && counted.issues.is_none() && counted.open == written.violated, "{events}");
        let Totals { bytes, issues, digests, .. } = written.clone();
        assert_eq!(Totals { bytes, issues, digests, ..counted }, written);
    }
}

#[test]
fn totals_are_those_of_the_rows() {
    let (s, results) = job(50);
    let dir = tempfile::tempdir().expect("dir");
    let found = totals(&s, &results, &options(&dir.path().join("out")), SMALL);
    let require = s.query.require.expect("a requirement");
    let all = || results.iter().flat_map(|r| r.intervals.iter().map(move |row| (r, row)));
    let count = |which: &dyn Fn(&IntervalRow) -> bool| all().filter(|(_, row)| which(row)).count() as u64;
    assert_eq!(found.intervals, count(&|_| true));
    for status in [IntervalStatus::Clear, IntervalStatus::Contact, IntervalStatus::Undecided] {
        assert_eq!(found.by_interval_status[status as usize], count(&|row| row.interval.status == status));
    }
    assert_eq!(found.by_interval_method.iter().sum::<u64>(), found.intervals);
    let is_violated = |row: &IntervalRow| row.interval.upper < require;
    assert_eq!(found.intervals_violated, count(&is_violated));
    let holds = |row: &IntervalRow| row.interval.lower < require && row.interval.upper >= require;
    let is_open = |row: &IntervalRow| row.interval.status == IntervalStatus::Undecided && !is_violated(row);
    assert_eq!(found.intervals_undecided, count(&|row| holds(row) || is_open(row)));
    assert!(found.intervals_violated > 100 && found.intervals_undecided > 100, "{found:?}");
    let mut violating: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for (_, row) in all().filter(|(_, row)| is_violated(row)) {
        let least = violating.entry((row.a, row.b)).or_insert(f64::INFINITY);
        *least = least.min(row.interval.upper);
    }
    assert_eq!(found.between.pairs_violated, violating.len() as u64);
    let least = violating.values().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(found.between.violating_pairs[0].min_distance_m, least);
    let nearest = found.between.least.as_ref().expect("intervals");
    assert_eq!(nearest.upper_m, least);
    // Both ends are those of one pair in one run, and others reach deeper.
    let of_pair = |r: &Results, row: &IntervalRow| {
        let names = [row.a, row.b].map(|body| format!("body-{body:04}"));
        let run = r.block.samples[usize::from(row.interval.sample)].run;
        run == nearest.run && names == [nearest.body_a.clone(), nearest.body_b.clone()]
    };
    let lower = all().filter(|(r, row)| of_pair(r, row)).map(|(_, row)| row.interval.lower);
    assert_eq!(nearest.lower_m, lower.fold(f64::INFINITY, f64::min));
    let of_all = all().map(|(_, row)| row.interval.lower).fold(f64::INFINITY, f64::min);
    assert!(of_all < nearest.lower_m, "not representative: {of_all} {}", nearest.lower_m);
    // The first contact: the earliest sample, and in it the one that is proven first.
    let contacts = all().filter(|(_, row)| row.interval.status == IntervalStatus::Contact);
    let position = |r: &Results, row: &IntervalRow| (r.block.index, row.interval.sample);
    let first = contacts.clone().map(|(r, row)| position(r, row)).min().expect("a contact");
    let in_first = contacts.filter(|(r, row)| position(r, row) == first);
    let (r, row) = in_first.min_by(|x, y| x.1.interval.contact[1].total_cmp(&y.1.interval.contact[1])).expect("one");
    let contact = found.between.first_contact.expect("a contact");
    assert_eq!(contact.shares, row.interval.contact);
    assert_eq!((contact.body_a, contact.body_b), (format!("body-{:04}", row.a), format!("body-{:04}", row.b)));
    let sample = r.block.samples[usize::from(row.interval.sample)];
    assert_eq!((contact.run, contact.frames), (sample.run, [sample.frame, sample.frame + 1]));
    let [low, high] = contact.times_s.expect("times");
    let time = |share: f64| sample.time_s.expect("a time") + share / 100.0;
    let [from, to] = row.interval.contact.map(time);
    assert!(low <= from && from - low < 1e-12 && to <= high && high - to < 1e-12, "{low} {from} {to} {high}");
}

#[test]
fn batches_hold_the_rows_of_the_table() {
    let (s, results) = job(50);
    let mut sink = BatchCollector::default();
    each_block(&s, &results, |rows| sink.rows(rows).expect("taken"));
    let intervals = results.iter().map(|r| r.intervals.len()).sum::<usize>();
    assert_eq!(sink.intervals.iter().map(arrow_array::RecordBatch::num_rows).sum::<usize>(), intervals);
    let maker = BatchMaker::new(&s, DistanceColumns::All);
    let schema = maker.intervals_schema().expect("there is motion");
    assert!(sink.intervals.iter().all(|batch| batch.schema() == schema));
    assert_eq!(BatchMaker::new(&scene(3, true), DistanceColumns::All).intervals_schema(), None);
    // Without motion the batch is there, and empty.
    let still = scene(20, true);
    each_block(&still, &super::results(&still, PLAN), |rows| {
        assert_eq!(rows.intervals().expect("a batch").num_rows(), 0);
    });
}

/// The summaries as they are read back.
#[test]
fn what_is_written_is_read_back() {
    use crate::{ExportFormat, RankedRun, export, nearest_between, worst_pairs, worst_runs};
    let (s, results) = job(50);
    let dir = tempfile::tempdir().expect("dir");
    let out = dir.path().join("out");
    let found = totals(&s, &results, &options(&out), SMALL);
    let least_of = |which: &dyn Fn(&IntervalRow) -> f64| {
        let mut least: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for row in results.iter().flat_map(|r| &r.intervals) {
            let of = least.entry((row.a, row.b)).or_insert(f64::INFINITY);
            *of = of.min(which(row));
        }
        least
    };
    let uppers = least_of(&|row| row.interval.upper);
    let nearest = nearest_between(&out, 10).expect("read");
    let mut sorted: Vec<f64> = uppers.values().copied().collect();
    sorted.sort_by(f64::total_cmp);
    assert_eq!(nearest.iter().map(|pair| pair.min_between_upper_m.expect("proven")).collect::<Vec<_>>(), sorted[..10]);
    let names: Vec<(String, String)> =
        uppers.keys().map(|(a, b)| (format!("body-{a:04}"), format!("body-{b:04}"))).collect();
    let all = nearest_between(&out, 1000).expect("read");
    let mut listed: Vec<_> = all.iter().map(|pair| (pair.body_a.to_string(), pair.body_b.to_string())).collect();
    listed.sort();
    assert_eq!(listed, names, "each pair once");
    assert!(all.iter().any(|pair| pair.contact_frame.is_none()) && all.iter().any(|pair| pair.contact_frame.is_some()));
    assert!(all.iter().any(|pair| pair.min_between_lower_m.is_none()), "of some nothing is proven from below");
    // Pairs without a row have no distance, and are not among the nearest at frames.
    let pairs = worst_pairs(&out, 1000).expect("read");
    let mut with_rows: Vec<(u32, u32)> = results.iter().flat_map(|r| r.rows.iter().map(|row| (row.a, row.b))).collect();
    with_rows.sort_unstable();
    with_rows.dedup();
    assert_eq!(pairs.len(), with_rows.len());
    assert!(with_rows.len() < uppers.len(), "some pairs have intervals only");
    let runs = worst_runs(&out, 1000, true).expect("read");
    assert_eq!(
        runs.iter().map(|of| of.run.intervals_violated.expect("counted") as u64).sum::<u64>(),
        found.intervals_violated
    );
    let order = |of: &RankedRun| {
        let least = of.least.as_ref().expect("a pair");
        (!least.violates, least.bracket_m[1].expect("proven"))
    };
    assert!(runs.is_sorted_by(|one, next| order(one) <= order(next)), "violations first, each kind by distance");
    assert!(runs.iter().all(|of| order(of).0 == (of.run.violated + of.run.intervals_violated.expect("counted") == 0)));
    let mut csv = Vec::new();
    export(&out, "intervals", (ExportFormat::Csv { is_raw: false }, false), &mut csv, &|| true).expect("exported");
    let csv = String::from_utf8(csv).expect("text");
    assert_eq!(csv.lines().count() as u64, 1 + found.intervals);
    assert!(csv.starts_with("run,frame,frame_next,time_s,time_next_s,a_index,b_index,body_a,body_b,lower_m,upper_m,"));
    assert!(
        clearsweep_records::has_table(&out, "intervals") && !clearsweep_records::has_table(dir.path(), "intervals")
    );
}
