//! A run of the program that is killed or interrupted, and gone on with: the same bytes.

use clearsweep::SceneOverrides;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use clearsweep_testing::folder::tables;
use clearsweep_testing::late::check_late_starts;

/// Rows of a part of `distances`.
const PART: u64 = 16 << 20;

fn program(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    command.current_dir(dir).args(args).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn done(dir: &Path, args: &[&str]) -> Output {
    let done = program(dir, args).output().expect("it runs");
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    done
}

fn manifest(out: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(out.join("manifest.json")).expect("read")).expect("JSON")
}

/// Few bodies, all near each other: a row for each pair and frame, a little more than a part of
/// them.
const CROWD: [&str; 9] =
    ["generate", "crowd", "--bodies", "150", "--frames", "1600", "--out", "crowd", "--progress=none"];
const RUN: [&str; 9] =
    ["run", "crowd/scene.toml", "--within", "1000m", "--columns", "distance", "--progress", "none", "--out"];

/// Starts a run, and ends it with a signal once its first part is whole.
fn ended(dir: &Path, out: &str, more: &[&str], signal: &str) -> Output {
    let args = [&RUN[..], &[out], more].concat();
    let mut child = program(dir, &args).spawn().expect("it starts");
    let places = [dir.join(out), dir.join(format!(".{out}.clearsweep-new"))];
    let is_whole = || {
        places
            .iter()
            .any(|place| place.join("distances/part-00000.parquet").exists() && !place.join("manifest.json").exists())
    };
    while child.try_wait().expect("asked").is_none() && !is_whole() {
        std::thread::sleep(Duration::from_millis(1));
    }
    // The part has its name a moment before the execution takes note of it.
    std::thread::sleep(Duration::from_millis(20));
    assert!(child.try_wait().expect("asked").is_none(), "it ended before the signal");
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill").success());
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_run_that_is_killed_or_interrupted_is_gone_on_with() {
    let dir = tempfile::tempdir().expect("scratch");
    done(dir.path(), &CROWD);
    done(dir.path(), &[&RUN[..], &["whole"]].concat());
    let (whole, counted) = (tables(&dir.path().join("whole")), manifest(&dir.path().join("whole")));
    let rows = counted["summary"]["rows"].as_u64().expect("a count");
    assert!(rows > PART + PART / 20, "{rows} rows");
    let out = dir.path().join("out");

    // Killed.
    ended(dir.path(), "out", &[], "-KILL");
    let refused = program(dir.path(), &[&RUN[..], &["out"]].concat()).output().expect("it runs");
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--resume"), "{refused:?}");
    let other = program(dir.path(), &[&RUN[..], &["out", "--resume", "--frames", "..1000"]].concat())
        .output()
        .expect("it runs");
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&other.stderr).contains("frames differ"), "{other:?}");
    done(dir.path(), &[&RUN[..], &["out", "--resume"]].concat());
    assert!(tables(&out) == whole, "killed");
    let resumed = manifest(&out);
    let samples = resumed["resumed"]["samples"].as_u64().expect("it was gone on with");
    assert!(samples > 0 && samples < 1600, "{samples}");
    for key in ["rows", "frames", "pairs_within", "rows_by_status", "worst", "violated", "bytes", "verdict"] {
        assert_eq!(resumed["summary"][key], counted["summary"][key], "{key}");
    }
    assert!(counted["resumed"].is_null());
    let nothing = program(dir.path(), &[&RUN[..], &["out", "--resume"]].concat()).output().expect("it runs");
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("nothing to resume"), "{nothing:?}");

    // Interrupted, over the result. A signal that comes before the execution takes note of its part
    // leaves nothing: then once more.
    let kept = |ended: &Output| String::from_utf8_lossy(&ended.stderr).contains("--resume goes on");
    let mut attempts = (0..5).map(|_| ended(dir.path(), "out", &["--force"], "-INT"));
    let interrupted = attempts.find(kept).expect("a part that is whole is kept");
    assert_eq!(interrupted.status.code(), Some(130), "{interrupted:?}");
    assert!(String::from_utf8_lossy(&interrupted.stderr).contains("--resume goes on"), "{interrupted:?}");
    assert!(tables(&out) == whole, "the old result stays");
    done(dir.path(), &[&RUN[..], &["out", "--resume", "--force"]].concat());
    assert!(tables(&out) == whole, "interrupted");
    assert!(manifest(&out)["resumed"]["samples"].as_u64() > Some(0));
    assert!(!dir.path().join(".out.clearsweep-new").exists());
}

#[test]
fn a_job_that_begins_late_gives_the_rows_of_one_that_does_not() {
    let dir = tempfile::tempdir().expect("scratch");
    done(
        dir.path(),
        &["generate", "crowd", "--bodies", "40", "--frames", "700", "--runs", "2", "--out", "crowd", "--progress=none"],
    );
    let scene = clearsweep::SceneBuilder::load(&dir.path().join("crowd/scene.toml"), &SceneOverrides::default())
        .expect("a scene");
    check_late_starts(&scene, [1, 7, 12, 21], 1000);
}
