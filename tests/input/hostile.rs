//! The whole program on hostile input and in hostile surroundings: one clear error, the right exit
//! code, no file that looks whole, and never a panic.

#![allow(clippy::print_stderr)] // says which tests were skipped, and why

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

use clearsweep_testing::folder::{files, tables};
use clearsweep_testing::random::Random;

const BIN: &str = env!("CARGO_BIN_EXE_clearsweep");

/// How an invocation ended.
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Asserts the rules of every end: an exit code of the contract (or a signal that we sent), no
/// panic, no backtrace.
fn judged(what: &str, done: &Output) -> Ended {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&done.stdout), text(&done.stderr));
    for noise in ["panicked", "stack backtrace", "RUST_BACKTRACE", "overflow its stack"] {
        assert!(!err.contains(noise) && !out.contains(noise), "{what}: `{noise}` in\n{err}\n{out}");
    }
    let code = done.status.code();
    assert!(code.is_none_or(|code| (0..=4).contains(&code)), "{what}: exit code {code:?}\n{err}");
    if code == Some(1) {
        let errors = err.lines().filter(|line| line.starts_with("error:")).count();
        assert_eq!(errors, 1, "{what}: one error\n{err}");
        assert!(err.contains("help:") && out.is_empty(), "{what}: a remedy, and nothing on stdout\n{err}\n{out}");
    }
    Ended { code, out, err }
}

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BIN);
    command.current_dir(dir).args(args).env("RUST_BACKTRACE", "full");
    command
}

fn run(dir: &Path, args: &[&str]) -> Ended {
    judged(&args.join(" "), &command(dir, args).output().expect("the program starts"))
}

/// Runs, and the exit code must be one of these.
#[track_caller]
fn expect(dir: &Path, args: &[&str], codes: &[i32]) -> Ended {
    let done = run(dir, args);
    assert!(done.code.is_some_and(|code| codes.contains(&code)), "{args:?}: {:?}\n{}{}", done.code, done.err, done.out);
    done
}

#[track_caller]
fn nothing_left(out: &Path) {
    assert!(!out.exists() || files(out).is_empty(), "left in {}: {:?}", out.display(), files(out).keys());
}

/// One row of a trajectory.
struct Row<'a> {
    run: i64,
    frame: i64,
    body: &'a str,
    position: [f64; 3],
    q: [f64; 4],
}

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

fn write_rows(path: &Path, rows: &[Row<'_>]) {
    let numbers = |f: &dyn Fn(&Row<'_>) -> f64| -> ArrayRef { Arc::new(rows.iter().map(f).collect::<Float64Array>()) };
    let keys = |f: &dyn Fn(&Row<'_>) -> i64| -> ArrayRef { Arc::new(rows.iter().map(f).collect::<Int64Array>()) };
    let body: ArrayRef = Arc::new(rows.iter().map(|r| Some(r.body)).collect::<StringArray>());
    let mut columns = vec![("run", keys(&|r| r.run)), ("frame", keys(&|r| r.frame)), ("body", body)];
    for (k, name) in ["x", "y", "z"].into_iter().enumerate() {
        columns.push((name, numbers(&|r| r.position[k])));
    }
    for (k, name) in ["qw", "qx", "qy", "qz"].into_iter().enumerate() {
        columns.push((name, numbers(&|r| r.q[k])));
    }
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let file = fs::File::create(path).expect("created");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

/// A scene of moving boxes of 1 m with these names; trajectories in `t.parquet`.
fn scene(names: &[&str]) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("scratch");
    let mut text = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.parquet\"\n[query]\nwithin = 1.0\n".to_owned();
    for name in names {
        let name = serde_json::to_string(name).expect("a string"); // TOML's basic strings escape as JSON does
        text += &format!("[[body]]\nname = {name}\nshape = {{ box = [1, 1, 1] }}\n");
    }
    fs::write(dir.path().join("s.toml"), text).expect("written");
    let path = dir.path().join("t.parquet");
    (dir, path)
}

fn crowd(bodies: &str, frames: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let args =
        ["generate", "crowd", "--out", "c", "--bodies", bodies, "--frames", frames, "--runs", "2", "--seed", "5"];
    expect(dir.path(), &[&args[..], &["--density", "0.4"]].concat(), &[0]);
    dir
}

fn rows_of(done: &Ended) -> serde_json::Value {
    serde_json::from_str(&done.out).expect("--json prints one object")
}

const RUN: [&str; 4] = ["run", "c/scene.toml", "--out", "o"];
const RUN_S: [&str; 5] = ["run", "s.toml", "--out", "o", "--json"];

#[test]
fn a_trajectory_cut_short_anywhere_is_one_error() {
    let dir = crowd("10", "60");
    let path = dir.path().join("c/trajectories.parquet");
    let whole = fs::read(&path).expect("read");
    for part in 0..20 {
        fs::write(&path, &whole[..whole.len() * part / 20]).expect("written");
        let done = expect(dir.path(), &RUN, &[1]);
        assert!(done.err.contains("trajectories.parquet"), "{}", done.err);
        nothing_left(&dir.path().join("o"));
        expect(dir.path(), &["check", "c/scene.toml"], &[1]);
    }
    for cut in 1..12 {
        fs::write(&path, &whole[..whole.len() - cut]).expect("written");
        expect(dir.path(), &RUN, &[1]);
        nothing_left(&dir.path().join("o"));
    }
    fs::write(&path, &whole).expect("written");
    expect(dir.path(), &RUN, &[0]);
}

#[test]
fn flipped_bytes_never_panic() {
    let dir = crowd("6", "40");
    let path = dir.path().join("c/trajectories.parquet");
    let whole = fs::read(&path).expect("read");
    let mut random = Random(11);
    let mut refused = 0;
    for case in 0..160 {
        let mut bytes = whole.clone();
        // Half of them in the footer, where the structure is.
        let low = if case % 2 == 0 { bytes.len().saturating_sub(3000) } else { 0 };
        for _ in 0..1 + case % 3 {
            let at = low + random.below(bytes.len() - low);
            bytes[at] ^= 1 << random.below(8);
        }
        fs::write(&path, &bytes).expect("written");
        let _ = fs::remove_dir_all(dir.path().join("o"));
        let done = run(dir.path(), &RUN);
        assert!(done.code.is_some(), "case {case}: killed by a signal: {}", done.err);
        if done.code == Some(1) {
            refused += 1;
            nothing_left(&dir.path().join("o"));
        }
    }
    assert!(refused > 40, "the damage is to be noticed mostly: {refused}");
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_one_error_and_leaves_nothing() {
    let dir = crowd("60", "200");
    expect(dir.path(), &["run", "c/scene.toml", "--out", "whole"], &[0]);
    let largest = files(&dir.path().join("whole")).values().map(Vec::len).max().unwrap_or(0);
    let mut failed = 0;
    // Blocks of 512 (or 1024) bytes that a file may have; the signal is ignored, so that a write
    // fails instead.
    for blocks in [0, 1, 4, 16, 64, largest / 2048] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks} && exec \"$0\" \"$@\"");
        let args = ["run", "c/scene.toml", "--out", "o", "--progress", "none"];
        let done = Command::new("sh").arg("-c").arg(script).arg(BIN).args(args).current_dir(dir.path()).output();
        let Ok(done) = done else {
            eprintln!("skipped: there is no sh");
            return;
        };
        let done = judged(&format!("{blocks} blocks"), &done);
        if largest > blocks * 1024 {
            assert_eq!(done.code, Some(1), "{blocks} blocks: {}", done.err);
            failed += 1;
            assert!(done.err.contains("cannot be written") || done.err.contains("cannot be created"), "{}", done.err);
            assert!(!dir.path().join("o").exists(), "{blocks} blocks: {:?}", files(&dir.path().join("o")).keys());
        }
    }
    assert!(failed >= 4, "the limits are to bite: {failed}");
}

#[cfg(unix)]
#[test]
fn unusable_output_directories_are_explained() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = crowd("4", "5");
    let at = dir.path();
    let refuse = |out: &str, hint: &str| {
        let done = expect(at, &["run", "c/scene.toml", "--out", out], &[1]);
        assert!(done.err.contains(hint), "{out}: `{hint}` is missing in {}", done.err);
        let done = expect(at, &["run", "c/scene.toml", "--out", out, "--force"], &[1]);
        assert!(done.err.contains(hint), "--force {out}: `{hint}` is missing in {}", done.err);
    };
    fs::write(at.join("file"), "mine").expect("written");
    refuse("file", "is a file");
    refuse("file/below", "below");
    symlink("nowhere", at.join("dangling")).expect("linked");
    refuse("dangling", "symbolic link");
    assert!(!at.join("nowhere").exists(), "nothing is made behind a link");
    fs::create_dir(at.join("real")).expect("made");
    symlink("real", at.join("link")).expect("linked");
    refuse("link", "symbolic link");
    refuse("c", "c");
    refuse("/proc/none/o", "/proc");
    assert_eq!(fs::read(at.join("file")).expect("there"), b"mine");
    fs::create_dir(at.join("locked")).expect("made");
    fs::set_permissions(at.join("locked"), fs::Permissions::from_mode(0o555)).expect("set");
    if fs::write(at.join("locked/probe"), "").is_ok() {
        eprintln!("skipped: this user may write into read-only directories");
        fs::remove_file(at.join("locked/probe")).expect("removed");
    } else {
        refuse("locked", "permission");
        refuse("locked/o", "permission");
    }
    fs::set_permissions(at.join("locked"), fs::Permissions::from_mode(0o755)).expect("set");
}

#[cfg(unix)]
#[test]
fn a_killed_run_is_explained_and_can_be_repeated() {
    let dir = crowd("150", "1200");
    let at = dir.path();
    let (mut killed, mut explained) = (0, 0);
    for delay in [0, 50, 150, 300] {
        let mut child = command(at, &RUN).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
        let begun = Instant::now();
        while !at.join("o/.clearsweep.lock").exists() && begun.elapsed() < Duration::from_secs(20) {
            assert!(child.try_wait().expect("waited").is_none() || at.join("o/manifest.json").exists());
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().expect("killed"); // SIGKILL: no destructor runs
        child.wait().expect("reaped");
        if at.join("o/manifest.json").exists() && !at.join("o/.clearsweep.lock").exists() {
            fs::remove_dir_all(at.join("o")).expect("removed");
            continue; // it was faster than we
        }
        killed += 1;
        assert!(!at.join("o/manifest.json").exists(), "no manifest: nobody takes it for a whole result");
        expect(at, &["summary", "o"], &[1]);
        // A lock file alone is taken over: there is nothing to go on with.
        if fs::read_dir(at.join("o")).expect("a folder").count() > 1 {
            let done = expect(at, &RUN, &[1]);
            assert!(done.err.contains("--force") && done.err.contains("lock"), "{}", done.err);
            explained += 1;
        }
        expect(at, &[&RUN[..], &["--force", "--frames", "..3"]].concat(), &[0]);
        expect(at, &[&RUN[..3], &["p", "--frames", "..3", "--force"]].concat(), &[0]);
        assert!(tables(&at.join("o")) == tables(&at.join("p")), "as if nothing had happened");
        fs::remove_dir_all(at.join("o")).expect("removed");
    }
    assert!(killed > 0 && explained > 0, "none was killed in time: {killed} {explained}");
}

/// Runs the program with a limit of the shell, such as `ulimit -n 8`.
#[cfg(unix)]
fn limited(dir: &Path, limit: &str, args: &str) -> (Option<i32>, String) {
    let script = format!("{limit} || exit 99; exec \"$0\" {args}");
    let mut command = std::process::Command::new("sh");
    // The standard library waits for itself for ever if it runs out of memory while it prints a
    // backtrace.
    command.env("RUST_BACKTRACE", "0");
    let done =
        command.current_dir(dir).args(["-c", &script, env!("CARGO_BIN_EXE_clearsweep")]).output().expect("a shell");
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

#[cfg(unix)]
#[test]
fn a_run_that_may_open_few_files_leaves_nothing_behind() {
    let dir = crowd("4", "5");
    let at = dir.path();
    let mut failed = 0;
    for limit in 4..20 {
        let (code, err) = limited(at, &format!("ulimit -n {limit}"), "run c/scene.toml --out o --threads 2");
        match code {
            Some(1) => {
                failed += 1;
                nothing_left(&at.join("o"));
                assert!(err.contains("help: "), "{limit}: {err}");
            }
            // The system's loader has no handle left for a library: that depends on the parent.
            Some(127) => assert!(err.contains("shared libraries"), "{limit}: {err}"),
            _ => assert_eq!(code, Some(0), "{limit}: {err}"),
        }
        if code == Some(1) && err.contains("o/") {
            assert!(err.contains("ulimit -n"), "{limit}: {err}");
        }
        expect(at, &["run", "c/scene.toml", "--out", "o", "--force"], &[0]);
        fs::remove_dir_all(at.join("o")).expect("removed");
    }
    assert!(failed >= 5, "the limits are to bite: {failed}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_lock_that_a_run_without_memory_left_does_not_stop_the_next_one() {
    let dir = crowd("40", "70");
    let at = dir.path();
    let mut failed = 0;
    for kilobytes in (50_000..80_000).step_by(3_000) {
        let (code, err) = limited(at, &format!("ulimit -v {kilobytes}"), "run c/scene.toml --out o --threads 2");
        let left = fs::read_dir(at.join("o")).map_or(0, |entries| entries.count());
        failed += u32::from(code != Some(0));
        if code == Some(1) {
            assert!(left == 0 && err.contains("help: "), "{kilobytes}: {err}");
        }
        // What is aborted with more than its lock is asked about, as where it is killed.
        let goes_on = if code == Some(0) || left > 1 { "--force" } else { "--threads=2" };
        expect(at, &["run", "c/scene.toml", "--out", "o", goes_on], &[0]);
        fs::remove_dir_all(at.join("o")).expect("removed");
    }
    assert!(failed > 0, "the limits are to bite");
}

#[test]
fn scenes_and_trajectories_that_are_not_there() {
    let dir = crowd("4", "5");
    let at = dir.path();
    fs::create_dir(at.join("folder.toml")).expect("made");
    expect(at, &["run", "folder.toml", "--out", "o"], &[1]);
    fs::write(at.join("empty.toml"), "").expect("written");
    expect(at, &["run", "empty.toml", "--out", "o"], &[1]);
    fs::write(at.join("bytes.toml"), [0xff, 0xfe, 0, 1, 2]).expect("written");
    expect(at, &["run", "bytes.toml", "--out", "o"], &[1]);
    fs::remove_file(at.join("c/trajectories.parquet")).expect("removed");
    expect(at, &RUN, &[1]);
    fs::create_dir(at.join("c/trajectories.parquet")).expect("made");
    expect(at, &RUN, &[1]);
    fs::remove_file(at.join("c/scene.toml")).expect("removed");
    expect(at, &RUN, &[1]);
    expect(at, &["check", "c/scene.toml"], &[1]);
    nothing_left(&at.join("o"));
}

#[test]
fn extreme_keys_and_many_short_runs() {
    let (dir, path) = scene(&["a", "b"]);
    let pair = |run: i64, frame: i64| {
        ["a", "b"].map(|body| Row {
            run,
            frame,
            body,
            position: [if body == "a" { 0.0 } else { 1.5 }, 0.0, 0.0],
            q: STILL,
        })
    };
    let keys = [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX];
    let rows: Vec<Row<'_>> =
        keys.iter().flat_map(|&run| keys.iter().flat_map(move |&frame| pair(run, frame))).collect();
    write_rows(&path, &rows);
    let done = expect(dir.path(), &RUN_S, &[0]);
    assert_eq!(rows_of(&done)["rows"], 36);
    for range in ["--runs=-9223372036854775808..9223372036854775807", "--frames=-9223372036854775808.."] {
        expect(dir.path(), &[&RUN_S[..], &["--force", range]].concat(), &[0]);
    }
    // One frame a run: blocks end inside, each run is a row of its own.
    let rows: Vec<Row<'_>> = (0..70).flat_map(|run| pair(run, 3 * run)).collect();
    write_rows(&path, &rows);
    let done = expect(dir.path(), &[&RUN_S[..], &["--force"]].concat(), &[0]);
    assert_eq!([&rows_of(&done)["rows"], &rows_of(&done)["frames"]], [70, 70]);
}

#[test]
fn numbers_that_are_none_or_too_large() {
    let (dir, path) = scene(&["a", "b"]);
    let rows = |position: [f64; 3], q: [f64; 4]| {
        let at = |frame: i64, body, position, q| Row { run: 0, frame, body, position, q };
        [
            at(0, "a", [0.0; 3], STILL),
            at(0, "b", [1.2, 0.0, 0.0], STILL),
            at(1, "a", [0.0; 3], STILL),
            at(1, "b", position, q),
        ]
    };
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for k in 0..7 {
            let (mut position, mut q) = ([1.0; 3], STILL);
            if k < 3 {
                position[k] = bad
            } else {
                q[k - 3] = bad
            }
            write_rows(&path, &rows(position, q));
            let done = expect(dir.path(), &RUN_S, &[1]);
            assert!(done.err.contains("t.parquet") && done.err.contains("row"), "{}", done.err);
            nothing_left(&dir.path().join("o"));
        }
    }
    for q in [[0.0; 4], [1e300, 0.0, 0.0, 0.0], [1e-300, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.49]] {
        write_rows(&path, &rows([1.0; 3], q));
        expect(dir.path(), &RUN_S, &[1]);
    }
    for large in [1e15, 1e18, 1e30, 1e100, 1e154, 1e160, 1e300, f64::MAX] {
        for position in [[large, 0.0, 0.0], [-large; 3], [large, -large, large]] {
            write_rows(&path, &rows(position, STILL));
            let done = expect(dir.path(), &[&RUN_S[..], &["--force"]].concat(), &[0, 1, 4]);
            if done.code == Some(0) {
                assert_eq!(rows_of(&done)["rows"], 1, "only frame 0 is near: {large:e}");
            }
        }
    }
    for tiny in [5e-324, 1e-310, 1e-200, -0.0] {
        write_rows(&path, &rows([tiny, -tiny, 1.25], STILL));
        let done = expect(dir.path(), &[&RUN_S[..], &["--force"]].concat(), &[0]);
        assert_eq!(rows_of(&done)["rows"], 2);
    }
}

#[test]
fn both_bodies_far_from_the_origin() {
    let (dir, path) = scene(&["a", "b"]);
    for large in [1e15, 1e18, 1e30, 1e100, 1e154, 1e160, 1e300, f64::MAX] {
        let at = |body, position| Row { run: 0, frame: 0, body, position, q: STILL };
        write_rows(&path, &[at("a", [large, 0.0, 0.0]), at("b", [large, 1.5, 0.0])]);
        let done = expect(dir.path(), &[&RUN_S[..], &["--force"]].concat(), &[0, 1, 4]);
        if done.code == Some(0) {
            assert_eq!(rows_of(&done)["rows"], 1, "they are half a metre apart: {large:e}");
        }
        write_rows(&path, &[at("a", [large, 0.0, 0.0]), at("b", [-large, 1.5, 0.0])]);
        expect(dir.path(), &[&RUN_S[..], &["--force"]].concat(), &[0, 1, 4]);
    }
}

#[test]
fn names_of_any_kind() {
    let names =
        ["Träger 7/a", "\"quoted\" 'twice'", "two\nlines\ttab", "模型 🛰", " ", "a,b;c", "../up", "group:x", "*[?]"];
    let (dir, path) = scene(&names);
    let row = |(k, body): (usize, &&'static str)| Row {
        run: 0,
        frame: 0,
        body,
        position: [1.2 * k as f64, 0.0, 0.0],
        q: STILL,
    };
    write_rows(&path, &names.iter().enumerate().map(row).collect::<Vec<_>>());
    let done = run(dir.path(), &RUN_S);
    if done.code == Some(0) {
        assert_eq!(rows_of(&done)["rows"], names.len() - 1);
        expect(dir.path(), &["summary", "o"], &[0]);
    } else {
        assert_eq!(done.code, Some(1), "{}", done.err);
    }
    let mut rows: Vec<Row<'_>> = names.iter().enumerate().map(row).collect();
    rows[3].body = "no such\nbody";
    write_rows(&path, &rows);
    let done = expect(dir.path(), &[&RUN_S[..], &["--force"]].concat(), &[1]);
    assert!(done.err.contains("t.parquet") && done.err.contains("row 3"), "{}", done.err);
}

#[test]
fn nearly_nothing_to_do() {
    let (dir, path) = scene(&["a"]);
    write_rows(&path, &[Row { run: 0, frame: 0, body: "a", position: [0.0; 3], q: STILL }]);
    let done = expect(dir.path(), &RUN_S, &[0]);
    assert_eq!(rows_of(&done)["rows"], 0);
    write_rows(&path, &[]);
    let done = expect(dir.path(), &[&RUN_S[..], &["--force"]].concat(), &[0, 1]);
    eprintln!("no rows at all: {:?} {}", done.code, done.err);
    if done.code == Some(0) {
        expect(dir.path(), &["summary", "o"], &[0]);
    }
}

#[test]
fn identical_static_bodies_clash() {
    let dir = tempfile::tempdir().expect("scratch");
    for (shape, depth) in [("box = [1, 1, 1]", 1.0), ("sphere = 0.5", 1.0), ("capsule = [0.5, 2]", 1.0)] {
        let body = |name: &str| format!("[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}\nstatic = true\n");
        let text =
            format!("[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\nrequire = 0.1\n{}{}", body("a"), body("b"));
        fs::write(dir.path().join("s.toml"), text).expect("written");
        let done = expect(dir.path(), &[&RUN_S[..], &["--force"]].concat(), &[3]);
        let summary = rows_of(&done);
        assert_eq!([&summary["rows"], &summary["violated"]], [1, 1], "{shape}");
        let found = summary["worst"]["distance_m"].as_f64().expect("a distance");
        assert!((found + depth).abs() < 1e-12, "{shape}: {found}");
    }
}

#[test]
fn control_characters_of_a_file_do_not_reach_the_terminal() {
    let (dir, path) = scene(&["a", "b"]);
    write_rows(&path, &[Row { run: 0, frame: 0, body: "no\u{1b}[31m such\n\u{0}body", position: [0.0; 3], q: STILL }]);
    let done = expect(dir.path(), &RUN_S, &[1]);
    assert!(!done.err.contains('\u{1b}') && !done.err.contains('\u{0}'), "{:?}", done.err);
}
