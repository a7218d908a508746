//! Logs of joints without numbers of frames.

use super::joints::{GANTRY, manifest};
use super::program::expect;
use clearsweep_testing::folder::tables;
use std::fs;
use std::path::Path;

#[test]
fn logs_without_frames_are_numbered_by_time() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let scene = |joints: &str| {
        format!(
            "[scene]\nname = \"gantry\"\nlength_unit = \"m\"\njoints = \"{joints}\"\n[query]\nrequire = 0.05\n[motion]\n\
             between = \"joint\"\n{GANTRY}"
        )
    };
    let row = |run: i64, at: i64| (run, 5.0 + 0.02 * at as f64, 0.005 * at as f64, 0.01 * (at + run) as f64);
    let rows: Vec<_> =
        [(3, 150), (7, 41)].into_iter().flat_map(|(run, n)| (0..n).map(move |at| row(run, at))).collect();
    let frames: Vec<i64> = (0..150).chain(0..41).collect();
    let with = |line: &dyn Fn(usize) -> String, head: &str| -> String {
        format!("{head}\n{}", (0..rows.len()).map(line).collect::<String>())
    };
    let all = |at: usize| {
        let (run, time, rail, turn) = rows[at];
        format!("{run},{},{time},{rail},{turn}\n", frames[at])
    };
    let unnumbered = |at: usize| {
        let (run, time, rail, turn) = rows[at];
        format!("{run},{time},{rail},{turn}\n")
    };
    let long = |at: usize| {
        let (run, time, rail, turn) = rows[at];
        format!("{run},{time},rail,{rail}\n{run},{time},turn,{turn}\n")
    };
    let files = [
        ("all", with(&all, "run,frame,time_s,rail,turn")),
        ("wide", with(&unnumbered, "run,time_s,rail,turn")),
        ("long", with(&long, "run,time_s,joint,value")),
    ];
    for (name, text) in files {
        fs::write(dir.join(format!("{name}.csv")), text).expect("written");
        fs::write(dir.join(format!("{name}.toml")), scene(&format!("{name}.csv"))).expect("written");
        let code = expect_any(dir, &format!("run {name}.toml --out {name}"));
        assert!([0, 3].contains(&code), "{name}: {code}");
    }
    let of = |name: &str| {
        let mut all = tables(&dir.join(name));
        // The long form rounds all joints by the greatest value.
        all.retain(|table, _| table != "bodies.parquet");
        all
    };
    assert!(of("all") == of("wide") && of("all") == of("long"), "the same tables");
    let told = |name: &str| {
        let warnings = manifest(&dir.join(name))["warnings"].clone();
        warnings.as_array().is_some_and(|all| all.iter().any(|warning| warning["kind"] == "numbered"))
    };
    assert!(!told("all") && told("wide") && told("long"));
    // Chosen frames, shards and checks count as the whole does.
    for name in ["all", "wide"] {
        expect_any(dir, &format!("run {name}.toml --out {name}-some --runs 7 --frames 10..30"));
        for shard in [1, 0, 2] {
            expect(dir, &format!("run {name}.toml --shard {shard}/3 --out {name}-shards"), 0);
        }
        expect_any(dir, &format!("merge {name}-shards --out {name}-merged"));
    }
    assert!(of("all-some") == of("wide-some") && of("all-merged") == of("wide-merged"), "the same parts");
    let (text, _) = expect(dir, "check wide.toml", 0);
    assert!(text.contains("frames 0 to 149, runs 3 to 7") && text.contains("no column `frame`"), "{text}");
    for (csv, parts) in [
        (
            "time_s,rail,turn\n0,0,0\n1,0,0\n1,0,0.1\n",
            ["wide.csv:4: run 0 has the time 1 s in two rows", "keep one row"],
        ),
        (
            "time_s,rail,turn\n1,0,0\n0.5,0,0\n",
            ["wide.csv:3: the time 0.5 s comes after 1 s in run 0", "sort the rows"],
        ),
        ("time_s,rail,turn\n1,0,0\n,0,0\n", ["wide.csv:3: column `time_s` is null", "fill in"]),
        ("time_s,joint,value\n1,rail,0\n1,turn,0\n1,rail,0\n", ["wide.csv:4: joint `rail` has a second row", "help:"]),
        ("rail,turn\n0,0\n", ["no column `frame`, nor `time_s`", "add one of them"]),
        ("Frame,time_s,rail,turn\n0,1,0,0\n", ["has no column `frame`", "rename the column `Frame`"]),
    ] {
        fs::write(dir.join("wide.csv"), csv).expect("written");
        let (_, error) = expect(dir, "run wide.toml --out no", 1);
        assert!(parts.iter().all(|part| error.contains(part)) && !dir.join("no").exists(), "{csv}: {error}");
    }
}

/// Runs the program, and returns its exit code.
fn expect_any(dir: &Path, args: &str) -> i32 {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    let done = command.current_dir(dir).args(args.split_whitespace()).output().expect("the program starts");
    let code = done.status.code().expect("a code");
    assert!([0, 3, 4].contains(&code), "clearsweep {args}: {}", String::from_utf8_lossy(&done.stderr));
    code
}
