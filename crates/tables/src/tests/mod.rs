//! Tests that need a smaller layout than that of the contract, or a full disk.

mod intervals;
mod resume;

use crate as lib;
use clearsweep_model::Scene;
#[path = "../../../../tests/support/table_fixture.rs"]
mod fixture;
use std::time::Duration;

use super::layout::TableLayout;
use super::{TableWriter, part_tables};
use clearsweep_base::ErrorKind;
use fixture::{Results, ResultsPlan, files, in_calls, options, results, scene, write_all};
use parquet::file::reader::{FileReader, SerializedFileReader};

const SMALL: TableLayout = TableLayout {
    page: 16,
    row_group: 256,
    groups_per_part: 2,
    least_pairs: 1 << 20,
    checkpoint_after: Duration::from_secs(3600),
    fast_page: Duration::from_secs(3600),
};

const PLAN: ResultsPlan = ResultsPlan { blocks: 5, run_length: 50, pairs: 30, gap: 5, seed: 1 };

/// Writes all results into a new directory with `threads` threads. Returns the files.
fn written(results: &[Results], layout: TableLayout, threads: usize) -> Vec<(String, Vec<u8>)> {
    written_of(&scene(20, true), results, layout, threads)
}

/// Writes the files of another scene.
fn written_of(s: &Scene, results: &[Results], layout: TableLayout, threads: usize) -> Vec<(String, Vec<u8>)> {
    let dir = tempfile::tempdir().expect("dir");
    let out = dir.path().join("out");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
    pool.install(|| {
        let mut writer = TableWriter::with_layout(s, &options(&out), layout).expect("create");
        write_all(&mut writer, results).expect("write");
        let done = writer.finish().expect("finish");
        done.write_manifest(&serde_json::json!({"rows": done.totals.rows})).expect("manifest");
        let list = files(&out);
        let tables = list.iter().filter(|(name, _)| name != "manifest.json");
        assert_eq!(done.totals.bytes, tables.map(|(_, bytes)| bytes.len() as u64).sum::<u64>());
        list
    })
}

#[test]
fn parts_and_row_groups_are_cut_by_row_count() {
    let results = results(&scene(20, true), PLAN);
    let rows: usize = results.iter().map(|r| r.rows.len()).sum();
    assert!(rows > 3 * 512, "{rows}");
    let list = written(&results, SMALL, 2);
    let mut left = rows as i64;
    for (_, bytes) in list.iter().filter(|(name, _)| name.starts_with("distances/")) {
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).expect("parquet");
        let groups: Vec<i64> = reader.metadata().row_groups().iter().map(|g| g.num_rows()).collect();
        let expected = [left.min(256), (left - 256).clamp(0, 256)];
        assert_eq!(groups, expected.into_iter().filter(|&n| n > 0).collect::<Vec<_>>());
        left -= groups.iter().sum::<i64>();
    }
    assert_eq!(left, 0);
    let names: Vec<_> = list.iter().map(|(name, _)| name.as_str()).collect();
    let parts = rows.div_ceil(512);
    assert!(names.contains(&format!("distances/part-{:05}.parquet", parts - 1).as_str()));
    assert!(!names.contains(&format!("distances/part-{parts:05}.parquet").as_str()), "no empty part at the end");
}

#[test]
fn bytes_depend_neither_on_calls_nor_on_threads() {
    let results = results(&scene(20, true), PLAN);
    let whole = written(&results, SMALL, 1);
    assert!(whole.len() > 8);
    for threads in [2, 3, 8] {
        assert!(written(&results, SMALL, threads) == whole, "{threads} threads");
    }
    for samples in [1, 7, 33] {
        assert!(written(&in_calls(&results, samples), SMALL, 2) == whole, "calls of {samples} samples");
    }
}

#[test]
fn spilled_summaries_are_the_same() {
    let results = results(&scene(20, true), ResultsPlan { run_length: 130, pairs: 100, ..PLAN });
    let kept = written(&results, SMALL, 2);
    let dir = tempfile::tempdir().expect("dir");
    let out = dir.path().join("out");
    let tiny = TableLayout { least_pairs: 40, ..SMALL };
    let spilling = super::TableOptions { memory: 0, ..options(&out) };
    let mut writer = TableWriter::with_layout(&scene(20, true), &spilling, tiny).expect("create");
    write_all(&mut writer, &results).expect("write");
    assert!(writer.summary.has_spilled());
    writer.finish().expect("finish").write_manifest(&serde_json::json!({})).expect("manifest");
    let spilled = files(&out);
    // The deferral of pages of `penetrations`, which depends on memory, changes no byte either.
    assert!(part_tables::deferred_pages(1 << 30, SMALL) > 1000 && part_tables::deferred_pages(0, SMALL) == 0);
    let tables = |list: &[(String, Vec<u8>)]| -> Vec<_> {
        list.iter().filter(|(name, _)| name.ends_with(".parquet")).cloned().collect()
    };
    assert!(tables(&kept).len() > 5 && tables(&kept) == tables(&spilled));
}

#[test]
fn a_full_disk_at_any_moment_is_one_clear_error_and_leaves_nothing() {
    let results = results(&scene(20, true), PLAN);
    let total: usize = written(&results, SMALL, 2).iter().map(|(_, bytes)| bytes.len()).sum();
    let (mut failed, mut whole) = (0, 0);
    let steps: Vec<usize> = (0..total + 4000).step_by(total / 25).chain((total - 20..total + 20).step_by(4)).collect();
    for room in steps {
        let dir = tempfile::tempdir().expect("dir");
        let out = dir.path().join("deep/er/out");
        let mut writer = TableWriter::with_layout(&scene(20, true), &options(&out), SMALL).expect("create");
        writer.limit_space(room as u64);
        let result = write_all(&mut writer, &results).and_then(|()| writer.finish());
        match result.and_then(|done| done.write_manifest(&serde_json::json!({"rows": 1}))) {
            Ok(()) => whole += 1,
            Err(error) => {
                failed += 1;
                assert_eq!(error.kind, ErrorKind::Output, "{error}");
                assert!(error.place.contains("out") && error.problem.contains("cannot be written"), "{error}");
                assert!(error.remedy.contains("free space"), "{}", error.remedy);
                assert!(!dir.path().join("deep").exists(), "room for {room}: {:?}", files(dir.path()));
            }
        }
    }
    assert!(failed > 20 && whole > 0, "{failed} {whole}");
}

#[test]
fn dropping_at_any_stage_removes_all_files() {
    let results = results(&scene(20, true), PLAN);
    for stage in 0..4 {
        let dir = tempfile::tempdir().expect("dir");
        let out = dir.path().join("out");
        let mut writer = TableWriter::with_layout(&scene(20, true), &options(&out), SMALL).expect("create");
        if stage > 0 {
            write_all(&mut writer, &results[..2]).expect("write");
        }
        if stage > 1 {
            let done = writer.finish().expect("finish");
            assert!(out.join("pairs.parquet").exists());
            if stage > 2 {
                done.write_manifest(&serde_json::json!({})).expect("manifest");
            }
        } else {
            drop(writer);
        }
        assert_eq!(out.exists(), stage == 3, "stage {stage}");
    }
    // A directory that existed before stays and is empty.
    let dir = tempfile::tempdir().expect("dir");
    drop(TableWriter::with_layout(&scene(3, false), &options(dir.path()), SMALL).expect("create"));
    assert_eq!(files(dir.path()), []);
}

#[test]
fn rows_out_of_order_are_rejected() {
    let dir = tempfile::tempdir().expect("dir");
    let s = scene(20, true);
    let mut results = results(&s, PLAN);
    let mut writer = TableWriter::with_layout(&s, &options(&dir.path().join("out")), SMALL).expect("create");
    results[0].rows.swap(3, 4);
    let error = write_all(&mut writer, &results).expect_err("unsorted");
    assert_eq!(error.kind, ErrorKind::Internal);
}
