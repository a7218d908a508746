//! Executions that are killed and gone on with: the tables are those of one that was not.

use super::fixture::{Results, ResultsPlan, Rng, files, moving, options, results, scene, with_intervals, write_all};
use super::{PLAN, SMALL};
use crate::layout::TableLayout;
use crate::{TableOptions, TableWriter};
use clearsweep_base::ErrorKind;
use clearsweep_model::Scene;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Parts that are larger than a block. Those of [`SMALL`] are smaller.
const LONG_PARTS: TableLayout = TableLayout { groups_per_part: 16, ..SMALL };

fn resumable(out: &Path) -> TableOptions {
    TableOptions { resume: true, job: Some("{\"job\":1}".to_owned()), ..options(out) }
}

/// All files but the manifest.
fn tables(out: &Path) -> Vec<(String, Vec<u8>)> {
    files(out).into_iter().filter(|(name, _)| name != "manifest.json").collect()
}

/// The tables of an execution that is not interrupted, and what it counts.
fn uninterrupted(s: &Scene, results: &[Results], layout: TableLayout) -> (Vec<(String, Vec<u8>)>, crate::Totals) {
    let dir = tempfile::tempdir().expect("dir");
    let out = dir.path().join("out");
    let mut writer = TableWriter::with_layout(s, &options(&out), layout).expect("create");
    write_all(&mut writer, results).expect("write");
    let done = writer.finish().expect("finish");
    done.write_manifest(&serde_json::json!({})).expect("manifest");
    (tables(&out), done.totals.clone())
}

/// How an execution ends before its time.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ending {
    Killed,
    Cancelled,
}

/// The events in the executions of a job.
#[derive(Debug, Default)]
struct Met {
    /// Executions that began after the first block.
    resumed: usize,
    /// Most rows that were written twice after one end.
    repeated: u64,
}

/// Runs a job that ends early several times, with `force` over a whole result.
fn interrupted(s: &Scene, results: &[Results], layout: TableLayout, memory: u64, rng: &mut Rng, force: bool) -> Met {
    let (expected, totals) = uninterrupted(s, results, layout);
    let dir = tempfile::tempdir().expect("dir");
    let out = dir.path().join("out");
    let plain = TableOptions { memory, force, resume: false, ..resumable(&out) };
    let again = TableOptions { resume: true, ..plain.clone() };
    if force {
        let mut old = TableWriter::with_layout(s, &options(&out), layout).expect("create");
        write_all(&mut old, &results[..1]).expect("write");
        old.finish()
            .expect("finish")
            .write_manifest(&serde_json::json!({"program": "clearsweep", "version": "0", "schema_version": 1}))
            .expect("manifest");
    }
    let old = if force { files(&out) } else { Vec::new() };
    let mut met = Met::default();
    let before = |block: usize| results[..block].iter().map(|r| r.rows.len() as u64).sum::<u64>();
    let mut at = 0;
    for end in 0..4 {
        let mut writer = TableWriter::with_layout(s, if end == 0 { &plain } else { &again }, layout).expect("create");
        let first = writer.first_block as usize;
        assert!(first <= at && (end > 0 || first == 0));
        met.resumed += usize::from(first > 0);
        met.repeated = met.repeated.max(before(at) - before(first));
        at = (first + 1 + rng.below(results.len() as u64 / 2) as usize).min(results.len());
        write_all(&mut writer, &results[first..at]).expect("write");
        match [Ending::Killed, Ending::Cancelled][rng.below(2) as usize] {
            Ending::Killed => writer.die(),
            Ending::Cancelled => {}
        }
        drop(writer);
        if force {
            let now: Vec<_> = files(&out).into_iter().filter(|(name, _)| name != ".clearsweep.lock").collect();
            assert!(now == old, "the old result stays");
        }
    }
    let mut writer = TableWriter::with_layout(s, &again, layout).expect("create");
    let first = writer.first_block as usize;
    write_all(&mut writer, &results[first..]).expect("write");
    let done = writer.finish().expect("finish");
    done.write_manifest(&serde_json::json!({})).expect("manifest");
    assert_eq!(done.totals, totals);
    assert!(tables(&out) == expected);
    assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 1, "nothing lies beside");
    met
}

#[test]
fn an_execution_that_ends_early_is_gone_on_with() {
    let mut rng = Rng(7);
    let (mut resumed, mut jobs) = (0, 0);
    // Every kind of run with every layout and memory (12 rounds), some of them with `force`, and
    // five executions in each.
    for round in 0..16 {
        let plan =
            ResultsPlan { blocks: 24, run_length: [50, 130, 2000][round % 3], pairs: 30, seed: round as u64, ..PLAN };
        let s = if round % 3 == 1 { moving(scene(20, true)) } else { scene(20, true) };
        let results = match round % 3 {
            1 => with_intervals(results(&s, plan), 20, 40, round as u64),
            _ => results(&s, plan),
        };
        let rows: usize = results.iter().map(|r| r.rows.len()).sum();
        let largest = results.iter().map(|r| r.rows.len()).max().unwrap_or(0) as u64;
        let parts = if round % 4 < 2 { SMALL } else { LONG_PARTS };
        let part = (parts.row_group * parts.groups_per_part) as u64;
        assert!(rows as u64 > 4 * part, "{rows}");
        let spilling = TableLayout { least_pairs: 40, ..parts };
        // With much memory, the encoding of more than a part of `penetrations` would be deferred.
        let (layout, memory) = if round % 2 == 0 { (parts, 100_000) } else { (spilling, 0) };
        let met = interrupted(&s, &results, layout, memory, &mut rng, round % 5 == 3);
        // A part, the blocks ahead of its end, and a part that its thread had not given its name.
        assert!(met.repeated <= 2 * part + 4 * largest, "{met:?}");
        (resumed, jobs) = (resumed + met.resumed, jobs + 4);
    }
    assert!(resumed * 3 > jobs, "{resumed} of {jobs} executions went on");
}

/// A job that is slow: a checkpoint at each block, of parts that are never whole, or now and then.
const SLOW: TableLayout =
    TableLayout { groups_per_part: 1 << 20, checkpoint_after: Duration::ZERO, fast_page: Duration::ZERO, ..SMALL };

#[test]
fn a_slow_execution_is_gone_on_with_before_its_first_part_is_whole() {
    let mut rng = Rng(70);
    let (mut resumed, mut jobs, mut repeated) = (0, 0, 0);
    // Every length of runs, with and without intervals, in every layout and memory (12 rounds),
    // some of them with `force`.
    for round in 0..14 {
        let plan = ResultsPlan { blocks: 24, run_length: [50, 2000][round % 2], pairs: 30, seed: round as u64, ..PLAN };
        let s = if round % 3 == 1 { moving(scene(20, true)) } else { scene(20, true) };
        let results = match round % 3 {
            1 => with_intervals(results(&s, plan), 20, 40, round as u64),
            _ => results(&s, plan),
        };
        // Checkpoints by time and by parts take turns in small parts.
        let layout = [SLOW, TableLayout { groups_per_part: 2, ..SLOW }][round / 2 % 2];
        let met = interrupted(&s, &results, layout, [100_000, 0][round % 2], &mut rng, round % 5 == 3);
        let largest = results.iter().map(|r| r.rows.len()).max().unwrap_or(0) as u64;
        assert!(met.repeated <= 4 * largest + if layout.groups_per_part == 2 { 4 * 512 } else { 0 }, "{met:?}");
        (resumed, jobs, repeated) = (resumed + met.resumed, jobs + 4, repeated + u64::from(met.repeated > 0));
    }
    assert!(resumed * 10 > jobs * 7 && repeated > 0, "{resumed} of {jobs} executions went on");
}

#[test]
fn pages_that_come_fast_are_not_kept() {
    let s = scene(20, true);
    let results = results(&s, ResultsPlan { blocks: 24, ..PLAN });
    let dir = tempfile::tempdir().expect("dir");
    let layout = TableLayout { groups_per_part: 1 << 20, ..SMALL };
    let mut writer = TableWriter::with_layout(&s, &resumable(&dir.path().join("out")), layout).expect("create");
    write_all(&mut writer, &results).expect("write");
    assert!(files(&dir.path().join("out")).iter().all(|(name, _)| !name.contains("distances-")));
    assert!(writer.has_no_slow_pages(), "they were dropped");
}

#[test]
fn an_execution_that_fails_at_its_very_end_is_gone_on_with() {
    let (s, results) = (scene(20, true), results(&scene(20, true), ResultsPlan { blocks: 24, ..PLAN }));
    let (expected, _) = uninterrupted(&s, &results, SMALL);
    for ending in ["the rest is not encoded", "tables are being written", "no manifest"] {
        let dir = tempfile::tempdir().expect("dir");
        let out = dir.path().join("out");
        let mut writer = TableWriter::with_layout(&s, &resumable(&out), SMALL).expect("create");
        write_all(&mut writer, &results).expect("write");
        let is_kept = writer.out.kept();
        match ending {
            "the rest is not encoded" => {
                writer.limit_space(0);
                let error = writer.finish().err().expect("the disk is full");
                assert_eq!(error.kind, ErrorKind::Output, "{error}");
            }
            "tables are being written" => drop(writer.end().expect("encoded")),
            _ => drop(writer.finish().expect("whole")),
        }
        assert!(is_kept.load(Ordering::Relaxed), "{ending}");
        let mut writer = TableWriter::with_layout(&s, &resumable(&out), SMALL).expect("create");
        let first = writer.first_block as usize;
        // A disk that fills hits parts that were still to be written.
        let least = if ending == "the rest is not encoded" { 1 } else { 13 };
        assert!(first >= least, "{ending}: begins at {first}");
        write_all(&mut writer, &results[first..]).expect("write");
        let done = writer.finish().expect("finish");
        done.write_manifest(&serde_json::json!({})).expect("manifest");
        assert!(tables(&out) == expected, "{ending}");
    }
}

#[test]
fn another_job_is_refused_and_destroys_nothing() {
    let dir = tempfile::tempdir().expect("dir");
    let out = dir.path().join("out");
    let (s, results) = (scene(20, true), results(&scene(20, true), ResultsPlan { blocks: 24, ..PLAN }));
    let mut writer = TableWriter::with_layout(&s, &resumable(&out), SMALL).expect("create");
    write_all(&mut writer, &results[..12]).expect("write");
    let is_kept = writer.out.kept();
    drop(writer);
    assert!(is_kept.load(Ordering::Relaxed), "a part is whole");
    let kept = files(&out);
    assert!(!kept.iter().any(|(name, _)| name.contains(".tmp")), "what is not complete goes");
    let other = TableOptions { job: Some("{\"job\":2}".to_owned()), ..resumable(&out) };
    let error = TableWriter::with_layout(&s, &other, SMALL).err().expect("another job");
    assert_eq!(error.kind, ErrorKind::Output);
    assert!(error.problem.contains("job differ") && error.remedy.contains("--force"), "{error}");
    let names = |list: &[(String, Vec<u8>)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&files(&out)), names(&kept));
    let plain = TableOptions { resume: false, ..resumable(&out) };
    let error = TableWriter::with_layout(&s, &plain, SMALL).err().expect("it is asked for");
    assert!(error.remedy.contains("--resume"), "{error}");
    let forced = TableOptions { resume: false, force: true, ..resumable(&out) };
    let writer = TableWriter::with_layout(&s, &forced, SMALL).expect("started over");
    assert_eq!(writer.first_block, 0);
    drop(writer);
    assert_eq!(files(&out), []);
}

#[test]
fn damaged_checkpoints_are_not_believed() {
    let dir = tempfile::tempdir().expect("dir");
    let (s, results) = (scene(20, true), results(&scene(20, true), ResultsPlan { blocks: 24, ..PLAN }));
    let (expected, _) = uninterrupted(&s, &results, SMALL);
    let mut rng = Rng(3);
    let (mut fell_back, mut began_anew) = (0, 0);
    for round in 0..30 {
        let out = dir.path().join(format!("out-{round}"));
        let mut writer = TableWriter::with_layout(&s, &resumable(&out), SMALL).expect("create");
        write_all(&mut writer, &results[..20]).expect("write");
        drop(writer);
        // One byte of a checkpoint or a journal is changed, or the file is cut.
        let folder = out.join(".clearsweep-resume");
        let mut list: Vec<_> =
            std::fs::read_dir(&folder).expect("there").map(|e| e.expect("an entry").path()).collect();
        list.sort();
        let victim = &list[rng.below(list.len() as u64) as usize];
        let mut bytes = std::fs::read(victim).expect("read");
        let at = 19 + rng.below(bytes.len() as u64 - 19) as usize;
        if round % 2 == 0 {
            bytes[at] ^= 1 << rng.below(8)
        } else {
            bytes.truncate(at)
        }
        std::fs::write(victim, bytes).expect("written");
        let mut writer = TableWriter::with_layout(&s, &resumable(&out), SMALL).expect("create");
        fell_back += usize::from(writer.first_block > 0);
        began_anew += usize::from(writer.first_block == 0);
        let first = writer.first_block as usize;
        write_all(&mut writer, &results[first..]).expect("write");
        writer.finish().expect("finish").write_manifest(&serde_json::json!({})).expect("manifest");
        assert!(tables(&out) == expected, "{}", victim.display());
    }
    assert!(fell_back > 0 && began_anew > 0, "{fell_back} {began_anew}");
}
