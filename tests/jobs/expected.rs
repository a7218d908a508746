//! `[expect]` of a scene: inputs of which a part is missing are found before anything is computed.

use crate::program::expect;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A scene of a ball over a floor, and a file of trajectories for each run: 4 runs of 3 frames.
fn job(expected: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let scene = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"poses\"\n[query]\nwithin = 5\n[expect]\n{expected}\n[[body]]\nname = \
         \"ball\"\nshape = {{ sphere = 0.5 }}\n[[body]]\nname = \"floor\"\nstatic = true\nshape = {{ box = [9, 9, 1] }}\n"
    );
    fs::write(dir.path().join("scene.toml"), scene).expect("written");
    for run in 0..4 {
        write_run(dir.path(), run, 3);
    }
    dir
}

fn write_run(dir: &Path, run: i64, frames: i64) {
    let rows = (0..frames).map(|frame| format!("{run},{frame},ball,0,0,{},1,0,0,0\n", 3 + frame));
    let text = "run,frame,body,x,y,z,qw,qx,qy,qz\n".to_owned() + &rows.collect::<String>();
    fs::create_dir_all(dir.join("poses")).expect("a folder");
    fs::write(dir.join(format!("poses/run-{run}.csv")), text).expect("written");
}

#[test]
fn whole_inputs_are_computed() {
    let dir = job("runs = 4\nframes = 3\nbodies = 2");
    expect(dir.path(), "check scene.toml", 0);
    expect(dir.path(), "run scene.toml --out o", 0);
    // The whole input counts, whatever is chosen of it.
    expect(dir.path(), "run scene.toml --runs 1..3 --frames 0 --out part", 0);
    for index in 0..2 {
        expect(dir.path(), &format!("run scene.toml --shard {index}/2 --out s"), 0);
    }
    expect(dir.path(), "merge s --out merged", 0);
    expect(dir.path(), "verify merged o", 0);
}

#[test]
fn runs_that_are_missing_are_named_before_the_job() {
    let dir = job("runs = 4");
    fs::remove_file(dir.path().join("poses/run-2.csv")).expect("removed");
    for args in
        ["check scene.toml", "run scene.toml --out o", "run scene.toml --out o --runs 0", "plan scene.toml --shards 2"]
    {
        let (_, err) = expect(dir.path(), args, 1);
        let expected = "error: poses: holds 3 runs, and the scene expects 4 (`runs` of [expect]); missing: 2\n";
        assert_eq!(err.lines().next().map(|line| format!("{line}\n")), Some(expected.to_owned()), "{args}: {err}");
        assert!(err.contains("help: complete the input"), "{err}");
    }
    for shard in ["0/2", "1/2"] {
        let (_, err) = expect(dir.path(), &format!("run scene.toml --shard {shard} --out s"), 1);
        assert!(err.contains("missing: 2"), "{err}");
    }
    assert!(!dir.path().join("o").exists() && !dir.path().join("s").exists(), "nothing was written");
    let (_, err) = expect(dir.path(), "run scene.toml --out - --trajectories poses/run-1.csv", 1);
    assert!(err.contains("holds 1 run, and the scene expects 4") && err.contains("missing: 0, 2, 3"), "{err}");
    // More than expected is wrong, too, and says no names.
    let more = job("runs = 3");
    let (_, err) = expect(more.path(), "run scene.toml --out o", 1);
    assert!(err.contains("holds 4 runs, and the scene expects 3 (`runs` of [expect])\n"), "{err}");
}

#[test]
fn frames_that_are_missing_are_found_in_each_run() {
    let dir = job("frames = 3");
    write_run(dir.path(), 1, 2);
    write_run(dir.path(), 3, 5);
    let (_, err) = expect(dir.path(), "run scene.toml --out o", 1);
    let problem =
        "run 1 has 2 frames, and the scene expects 3 of each run (`frames` of [expect]), and 1 other run differs too";
    assert!(err.contains(problem), "{err}");
    let (_, err) = expect(dir.path(), "run scene.toml --shard 0/2 --out s", 1);
    assert!(err.contains("run 1 has 2 frames"), "{err}");
}

#[test]
fn bodies_and_counts_are_checked_with_the_scene() {
    let (_, err) = expect(job("bodies = 3").path(), "run scene.toml --out o", 1);
    assert!(
        err.contains("scene.toml:7, key `bodies` of [expect]: the scene has 2 bodies, and 3 are expected"),
        "{err}"
    );
    for (wrong, problem) in
        [("runs = 0", "0 is no count"), ("runs = \"4\"", "whole number"), ("run = 4", "unknown key `run`")]
    {
        let (_, err) = expect(job(wrong).path(), "check scene.toml", 1);
        assert!(err.contains(problem) && err.contains("help:"), "{wrong}: {err}");
    }
    let dir = tempfile::tempdir().expect("scratch");
    let scene = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\n[expect]\nruns = 1\n[[body]]\nname = \"a\"\nstatic = true\nshape = \
                 { sphere = 1 }\n";
    fs::write(dir.path().join("scene.toml"), scene).expect("written");
    let (_, err) = expect(dir.path(), "check scene.toml", 1);
    assert!(err.contains("every body is static"), "{err}");
}
