//! Results that replace results: whole, in failure, after a kill, and against other processes.

use super::names::{STAGING, beside};
use super::{ClaimMode, JobInputs, OutputDir};
use crate::atomic_file::AtomicFile;
use crate::layout::TableLayout;
use crate::{manifest, writer_properties};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A Parquet file whose footer names a table; `mark` makes its bytes differ.
fn table(name: &str, mark: &str) -> Vec<u8> {
    let schema = Arc::new(Schema::new(vec![Field::new(mark, DataType::Int32, false)]));
    let properties = writer_properties::base_properties(name, &schema, &TableLayout::CONTRACT).build();
    ArrowWriter::try_new(Vec::new(), schema, Some(properties)).and_then(ArrowWriter::into_inner).expect("written")
}

fn write(out: &Arc<OutputDir>, name: &str, bytes: &[u8]) {
    let mut file = AtomicFile::create(out, name).expect("created");
    file.write_all(bytes).expect("written");
    file.finish().expect("finished");
}

fn write_tables(out: &Arc<OutputDir>, mark: &str) {
    for (name, of) in [
        ("distances/part-00000.parquet", "distances"),
        ("penetrations/part-00000.parquet", "penetrations"),
        ("pairs.parquet", "pairs"),
    ] {
        write(out, name, &table(of, mark));
    }
}

fn write_manifest(out: &Arc<OutputDir>, mark: &str) -> clearsweep_base::Result<()> {
    let text = serde_json::json!({"program": "clearsweep", "version": "0", "schema_version": 1, "mark": mark});
    manifest::write(&text, out)
}

fn claim(root: &Path) -> clearsweep_base::Result<Arc<OutputDir>> {
    OutputDir::claim(root, ClaimMode { force: true, resume: false }, &JobInputs::default())
}

/// Writes a whole result.
fn run(root: &Path, mark: &str) -> clearsweep_base::Result<()> {
    let out = claim(root)?;
    write_tables(&out, mark);
    write_manifest(&out, mark)?;
    out.complete()
}

/// All files below a directory.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).expect("listed").map(|entry| entry.expect("an entry").path()) {
        match entry.is_dir() {
            true => found.extend(files(&entry)),
            false => drop(found.insert(entry.clone(), fs::read(&entry).expect("read"))),
        }
    }
    found
}

/// Checks that a directory holds a whole result, and that nothing else lies there or beside it.
fn check_whole(root: &Path, mark: &str) {
    let found = files(root.parent().expect("a parent"));
    let expected =
        ["distances/part-00000.parquet", "manifest.json", "pairs.parquet", "penetrations/part-00000.parquet"];
    assert!(found.keys().eq(expected.map(|name| root.join(name)).iter()), "{:?}", found.keys());
    for (name, of) in [(expected[0], "distances"), (expected[2], "pairs"), (expected[3], "penetrations")] {
        assert!(found[&root.join(name)] == table(of, mark), "{name} is not of {mark}");
    }
    let text = String::from_utf8_lossy(&found[&root.join("manifest.json")]).into_owned();
    assert!(text.contains(&format!("\"mark\": \"{mark}\"")), "{text}");
    assert_eq!(fs::read_dir(root.parent().expect("a parent")).expect("listed").count(), 1);
}

/// Directories that are replaced in one step, and by moves: beside the second no longer name has
/// room.
fn roots(dir: &Path) -> [PathBuf; 2] {
    [dir.join("short/out"), dir.join("long").join("o".repeat(245))]
}

#[test]
fn a_result_stays_until_the_new_one_is_whole() {
    let dir = tempfile::tempdir().expect("scratch");
    for root in roots(dir.path()) {
        run(&root, "one").expect("written");
        check_whole(&root, "one");
        for stage in 0..4 {
            let before = files(&root);
            let out = claim(&root).expect("claimed");
            let whole = || before.iter().all(|(path, bytes)| fs::read(path).is_ok_and(|now| now == *bytes));
            if stage > 0 {
                write_tables(&out, "two");
            }
            if stage > 1 {
                write_manifest(&out, "two").expect("written");
            }
            assert!(whole(), "the old result is there while the new one is written");
            if stage > 2 {
                out.complete().expect("whole");
            }
            drop(out);
            check_whole(&root, if stage > 2 { "two" } else { "one" });
        }
    }
}

#[test]
fn after_a_kill_a_result_is_whole_and_the_next_run_cleans_up() {
    let dir = tempfile::tempdir().expect("scratch");
    for root in roots(dir.path()) {
        run(&root, "one").expect("written");
        let before = files(&root);
        for stage in 0..3 {
            let out = claim(&root).expect("claimed");
            if stage > 0 {
                write_tables(&out, "two");
            }
            if stage > 1 {
                write_manifest(&out, "two").expect("written");
            }
            out.die();
            drop(out);
            assert!(before.iter().all(|(path, bytes)| fs::read(path).is_ok_and(|now| now == *bytes)), "stage {stage}");
            // An execution that fails at once cleans up as well.
            if stage == 1 {
                drop(claim(&root).expect("claimed"));
                check_whole(&root, "one");
            }
        }
        run(&root, "three").expect("written");
        check_whole(&root, "three");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn after_a_kill_behind_the_exchange_the_new_result_is_whole() {
    let dir = tempfile::tempdir().expect("scratch");
    let [root, _] = roots(dir.path());
    run(&root, "one").expect("written");
    let out = claim(&root).expect("claimed");
    write_tables(&out, "two");
    write_manifest(&out, "two").expect("written");
    let (parent, name) = out.place.parent.as_ref().expect("a parent");
    parent.exchange(beside(name), name).expect("exchanged");
    out.die();
    drop(out);
    let text = fs::read_to_string(root.join("manifest.json")).expect("there");
    assert!(text.contains("two") && root.parent().expect("a parent").join(".out.clearsweep-new").exists());
    run(&root, "three").expect("written");
    check_whole(&root, "three");
}

#[test]
fn between_two_moves_there_is_no_manifest_and_a_failure_moves_back() {
    let dir = tempfile::tempdir().expect("scratch");
    let [_, root] = roots(dir.path());
    run(&root, "one").expect("written");
    // A kill between two moves: the old manifest is away, the new one is not there yet.
    let out = claim(&root).expect("claimed");
    write_tables(&out, "two");
    write_manifest(&out, "two").expect("written");
    out.die();
    drop(out);
    fs::create_dir(root.join(STAGING[1])).expect("made");
    fs::rename(root.join("manifest.json"), root.join(STAGING[1]).join("manifest.json")).expect("moved");
    fs::rename(root.join("distances"), root.join(STAGING[1]).join("distances")).expect("moved");
    run(&root, "three").expect("written");
    check_whole(&root, "three");
    // A table of another process in the way.
    let out = claim(&root).expect("claimed");
    write_tables(&out, "four");
    write(&out, "runs.parquet", &table("runs", "four"));
    write_manifest(&out, "four").expect("written");
    fs::write(root.join("runs.parquet"), "mine").expect("written");
    assert!(out.complete().is_err());
    drop(out);
    assert_eq!(fs::read(root.join("runs.parquet")).expect("there"), b"mine");
    fs::remove_file(root.join("runs.parquet")).expect("removed");
    check_whole(&root, "three");
}

#[test]
fn what_someone_adds_meanwhile_stays() {
    let dir = tempfile::tempdir().expect("scratch");
    for root in roots(dir.path()) {
        run(&root, "one").expect("written");
        let out = claim(&root).expect("claimed");
        write_tables(&out, "two");
        fs::write(root.join("notes.txt"), "mine").expect("written");
        write_manifest(&out, "two").expect("written");
        out.complete().expect("whole");
        assert_eq!(fs::read(root.join("notes.txt")).expect("there"), b"mine");
        fs::remove_file(root.join("notes.txt")).expect("removed");
        check_whole(&root, "two");
    }
}

#[cfg(unix)]
#[test]
fn a_lock_that_is_lost_ends_the_execution_without_harm_to_the_other() {
    let dir = tempfile::tempdir().expect("scratch");
    let roots = roots(dir.path());
    for whole_before in [false, true] {
        for root in &roots {
            if whole_before {
                run(root, "one").expect("written");
            }
            let out = claim(root).expect("claimed");
            write_tables(&out, "two");
            // What an execution does that cannot see locks: it replaces the lock file and begins to
            // write.
            fs::remove_file(root.join(super::LOCK)).expect("removed");
            fs::write(root.join(super::LOCK), "process 1\n").expect("written");
            if !whole_before {
                fs::remove_file(root.join("pairs.parquet")).expect("removed");
                fs::write(root.join("pairs.parquet"), "of the other").expect("written");
            }
            let error = write_manifest(&out, "two").expect_err("lost");
            assert!(error.problem.contains("another process"), "{error}");
            drop(out);
            assert_eq!(fs::read_to_string(root.join(super::LOCK)).expect("there"), "process 1\n");
            fs::remove_file(root.join(super::LOCK)).expect("removed");
            if whole_before {
                check_whole(root, "one");
            } else {
                let left = files(root);
                assert_eq!(left.values().collect::<Vec<_>>(), [b"of the other"], "{:?}", left.keys());
                fs::remove_dir_all(root).expect("removed");
            }
        }
    }
}

#[cfg(unix)]
#[cfg(target_os = "linux")]
#[test]
fn a_result_that_is_exchanged_once_more_is_not_taken_for_whole() {
    let dir = tempfile::tempdir().expect("scratch");
    let [root, _] = roots(dir.path());
    run(&root, "one").expect("written");
    let out = claim(&root).expect("claimed");
    write_tables(&out, "two");
    write_manifest(&out, "two").expect("written");
    let staged = out.staged.as_ref().expect("a result is replaced");
    let beside = root.with_file_name(beside(root.file_name().expect("a name")));
    // Another execution, without locks, that puts back what it had exchanged.
    let exchange_back = || {
        let aside = root.with_file_name("aside");
        fs::rename(&root, &aside).and_then(|()| fs::rename(&beside, &root)).expect("renamed");
        fs::rename(&aside, &beside).expect("renamed");
        true
    };
    let error = staged.publish(&out.place, &out.earlier, &exchange_back).expect_err("it is not in its place");
    assert!(error.to_string().contains("exchanged"), "{error}");
    drop(out);
    check_whole(&root, "one");
}

#[test]
fn a_directory_that_is_swapped_for_a_link_harms_nobody() {
    let dir = tempfile::tempdir().expect("scratch");
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("victim")).expect("made");
    for name in ["manifest.json", "pairs.parquet"] {
        fs::write(at("victim").join(name), "precious").expect("written");
    }
    let before = files(&at("victim"));
    let out = claim(&at("out")).expect("claimed");
    write(&out, "distances/part-00000.parquet", &table("distances", "x"));
    fs::rename(at("out"), at("moved")).expect("moved");
    std::os::unix::fs::symlink("victim", at("out")).expect("linked");
    write(&out, "pairs.parquet", &table("pairs", "x"));
    let error = write_manifest(&out, "x").expect_err("swapped");
    assert!(error.problem.contains("moved or replaced"), "{error}");
    drop(out);
    assert!(files(&at("victim")) == before && files(&at("moved")).is_empty());
}

#[test]
fn a_name_beside_that_is_not_ours_is_refused() {
    let dir = tempfile::tempdir().expect("scratch");
    let [root, _] = roots(dir.path());
    run(&root, "one").expect("written");
    let staging = root.parent().expect("a parent").join(beside(OsStr::new("out")));
    fs::create_dir(&staging).expect("made");
    fs::write(staging.join("thesis.txt"), "mine").expect("written");
    let error = run(&root, "two").expect_err("foreign");
    assert!(error.problem.contains("thesis.txt"), "{error}");
    assert_eq!(fs::read(staging.join("thesis.txt")).expect("there"), b"mine");
    fs::remove_dir_all(&staging).expect("removed");
    check_whole(&root, "one");
}
