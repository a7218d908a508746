//! Jobs in which joints carry the bodies have the same bytes however they are cut: into blocks, shards, and frames.

use super::program::expect;
use clearsweep_testing::folder::tables;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Two bodies on a chain of two joints; the first joint is swept at each value of the second.
fn scene(kinds: [&str; 2], steps: u32, path: &str) -> String {
    let [a, b] = kinds;
    format!(
        "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.05\nrequire = 0.01\n\
        [[body]]\nname = \"a\"\nshape = {a}\nposition = [0.1, 0, 0.2]\n\
        [[joint]]\nname = \"ja\"\ntype = \"revolute\"\nchild = \"a\"\naxis = [0.1, 1, 0.2]\nrange = [\"-60deg\", \"60deg\"]\n\
        [[body]]\nname = \"b\"\nshape = {b}\nposition = [0.1, 0, 0.5]\n\
        [[joint]]\nname = \"jb\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\norigin = [0.1, 0, 0.15]\n\
        axis = [1, 0, 0]\nrange = [\"-60deg\", \"60deg\"]\n\
        [[sweep]]\npath = \"{path}\"\nsteps = {steps}\n"
    )
}

const CAPSULE: &str = "{ capsule = [0.05, 0.2] }";
const BOX: &str = "{ box = [0.1, 0.12, 0.25] }";

/// Runs a part of a job, which may hold a violation.
fn run_part(dir: &Path, args: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    let done = command.current_dir(dir).args(args.split_whitespace()).output().expect("it starts");
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code().is_some_and(|code| [0, 3].contains(&code)), "{args}: {told}");
}

/// The rows of a table by frame, as text.
fn rows_of(dir: &Path, out: &str, table: &str, frames: std::ops::Range<i64>) -> BTreeSet<String> {
    let (text, _) = expect(dir, &format!("export {out} --csv --table {table} --to -"), 0);
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().expect("names").split(',').collect();
    let frame = columns.iter().position(|&name| name == "frame").expect("a frame");
    let is_in = |line: &&str| frames.contains(&line.split(',').nth(frame).expect("a cell").parse().expect("a frame"));
    lines.filter(is_in).map(str::to_owned).collect()
}

#[test]
fn blocks_threads_and_shards_do_not_change_a_byte() {
    for kinds in [[CAPSULE, CAPSULE], [BOX, CAPSULE], [BOX, BOX]] {
        let dir = tempfile::tempdir().expect("scratch");
        let dir = dir.path();
        fs::write(dir.join("scene.toml"), scene(kinds, 30, "grid")).expect("written");
        let (told, _) = expect(dir, "run scene.toml --out one --threads 1", 3);
        assert!(told.contains("intervals within"), "{told}");
        let one = tables(&dir.join("one"));
        for (index, options) in
            ["--threads 2", "--memory 1MB", "--memory 1MB --threads 2", "--memory 64MB"].iter().enumerate()
        {
            expect(dir, &format!("run scene.toml --out o{index} {options}"), 3);
            assert!(tables(&dir.join(format!("o{index}"))) == one, "{kinds:?} {options}");
        }
        for count in [2, 3, 5, 7, 16] {
            for index in 0..count {
                run_part(dir, &format!("run scene.toml --shard {index}/{count} --out s{count}"));
            }
            expect(dir, &format!("merge s{count} --out m{count}"), 3);
            expect(dir, &format!("verify one m{count}"), 0);
        }
    }
}

/// The first frame chosen decides where blocks end, so each cut puts the ends of blocks elsewhere.
#[test]
fn rows_and_intervals_of_chosen_frames_are_those_of_all() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let text = scene([CAPSULE, BOX], 200, "together").replace("within = 0.05", "within = 1");
    fs::write(dir.join("scene.toml"), text).expect("written");
    expect(dir, "run scene.toml --out all", 3);
    let mut compared = 0;
    for first in [0, 1, 30, 63, 64, 65, 100] {
        let frames = first..first + 95;
        run_part(dir, &format!("run scene.toml --out part --force --frames {first}..{}", frames.end));
        // The interval after the last frame chosen is not among them.
        for (table, frames) in [("distances", frames.clone()), ("intervals", first..frames.end - 1)] {
            let [all, part] = ["all", "part"].map(|out| rows_of(dir, out, table, frames.clone()));
            let differ: Vec<_> = all.symmetric_difference(&part).take(4).collect();
            assert!(differ.is_empty(), "{table} from {first}: {differ:?}");
            compared += all.len();
        }
    }
    assert!(compared > 1000, "{compared}");
}
