//! Steps of a run that take many times as long as those beside them: nothing is said of the motion
//! there, and that is told.

use super::program::expect;
use clearsweep_testing::folder::tables;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The last frames before two nights: the first one where shards cut the run.
const NIGHTS: [i64; 2] = [63, 100];

/// A crane that goes slowly, except that it is elsewhere after each night. A straight way there
/// leads through the post.
fn scene(motion: &str) -> TempDir {
    let mut text = "run,frame,time_s,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    for run in 0..3 {
        let (mut time, mut base) = (1000.0, 0.0);
        for frame in 0..140 {
            let x = base + 0.01 * f64::from(frame);
            writeln!(text, "{run},{frame},{time},crane,{x},0,0,1,0,0,0").expect("a line");
            // The last run has no night.
            let is_night = NIGHTS.contains(&i64::from(frame)) && run < 2;
            time += if is_night { 43_200.0 } else { 0.5 };
            base = if is_night { 6.0 - base } else { base };
        }
    }
    let dir = tempfile::tempdir().expect("scratch");
    fs::write(dir.path().join("crane.csv"), text).expect("written");
    let scene = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"crane.csv\"\n[query]\nwithin = 0.5\nrequire = 0.1\n\
         [[body]]\nname = \"crane\"\nshape = {{ box = [0.2, 0.2, 0.2] }}\n\
         [[body]]\nname = \"post\"\nshape = {{ sphere = 0.1 }}\nposition = [3, 0, 0]\nstatic = true\n\
         [motion]\nbetween = \"linear\"\n{motion}\n"
    );
    fs::write(dir.path().join("scene.toml"), scene).expect("written");
    dir
}

fn summary(dir: &Path, out: &str) -> Value {
    let (text, _) = expect(dir, &format!("summary {out} --json"), 0);
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_night_without_samples_is_no_flight() {
    for (motion, code, skipped, told) in [
        ("", 0, 4, "max_gap = 1, or 100 times longer than the steps beside"),
        ("max_gap_s = 43199", 0, 4, "max_gap = 1 or max_gap_s = 43199"),
        ("max_gap_s = 43201", 3, 0, ""),
        ("max_gap_s = \"none\"", 3, 0, ""),
    ] {
        let dir = scene(motion);
        let (text, _) = expect(dir.path(), "run scene.toml --out o", code);
        let found = summary(dir.path(), "o");
        assert_eq!(found["intervals"]["skipped"], skipped, "{motion}: {text}");
        assert_eq!(found["runs_violated"], if code == 0 { 0 } else { 2 }, "{motion}: {text}");
        let line = format!("{skipped} gaps not looked at: longer than {told}");
        assert_eq!(text.contains(&line), skipped > 0, "{motion}: {text}");
    }
    for (motion, part) in [("max_gap_s = 0", "no longest time"), ("max_gap_s = \"never\"", "not known here")] {
        let (_, told) = expect(scene(motion).path(), "check scene.toml", 1);
        assert!(told.contains("max_gap_s") && told.contains(part), "{told}");
    }
}

#[test]
fn gaps_are_the_same_in_all_blocks_and_shards() {
    let dir = scene("");
    let dir = dir.path();
    expect(dir, "run scene.toml --out one --threads 1", 0);
    let one = tables(&dir.join("one"));
    for (index, options) in ["--threads 2", "--memory 1MB"].iter().enumerate() {
        expect(dir, &format!("run scene.toml --out o{index} {options}"), 0);
        assert!(tables(&dir.join(format!("o{index}"))) == one, "{options}");
    }
    for count in [2, 3, 6, 8, 12] {
        for index in 0..count {
            expect(dir, &format!("run scene.toml --shard {index}/{count} --out s{count}"), 0);
        }
        expect(dir, &format!("merge s{count} --out m{count}"), 0);
        expect(dir, &format!("verify one m{count}"), 0);
        assert_eq!(summary(dir, &format!("m{count}"))["intervals"]["skipped"], 4, "{count} shards");
    }
}
