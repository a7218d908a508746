//! A decoder that gives up is an answer about a file: its panic must not reach the terminal of
//! whoever asked.
//!
//! The test runs in a process of its own, since the hook that hears panics is the process'.
#![allow(clippy::print_stderr)] // says how many cases were of each kind

use clearsweep_testing::random::Random;
use clearsweep_testing::trajectories::*;
use clearsweep_trajectory::{ReadOptions, Trajectory};
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Set in the process in which the test hears panics.
const ALONE: &str = "CLEARSWEEP_TEST_ALONE";

#[test]
fn decoders_that_give_up_do_so_in_silence() {
    if std::env::var_os(ALONE).is_some() {
        return hear_nothing_of_decoders_that_give_up();
    }
    let name = "readers_silence::decoders_that_give_up_do_so_in_silence";
    let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
    let done = command.env(ALONE, "1").args(["--exact", name, "--nocapture"]).output().expect("it starts");
    let [out, err] = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    eprintln!("{err}");
    assert!(done.status.success() && out.contains("1 passed"), "{out}\n{err}");
}

fn hear_nothing_of_decoders_that_give_up() {
    static HEARD: AtomicUsize = AtomicUsize::new(0);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.parquet");
    let scene = scene(&["a", "b"]);
    let mut random = Random(4);
    let row = |i: i64| Row {
        run: 0,
        frame: i / 2,
        time: 0.0,
        body: ["a", "b"][i as usize % 2].into(),
        pose: random_pose(&mut random),
    };
    let rows: Vec<Row> = (0..40).map(row).collect();
    let options = ReadOptions { path: Some(path.clone()), ..ReadOptions::default() };
    let mut originals = Vec::new();
    for (dictionary, groups) in [(true, vec![7]), (false, vec![1 << 20])] {
        write(&path, &rows, &Shaping { dictionary, groups, ..Shaping::default() });
        originals.push(fs::read(&path).expect("readable"));
    }
    // The hook that users set comes first; the library's is put before it at the first guarded
    // call.
    let next = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |about| {
        HEARD.fetch_add(1, Ordering::Relaxed);
        next(about);
    }));
    let (mut gave_up, mut failed) = (0, 0);
    for seed in 0..6000 {
        let mut random = Random(seed);
        let mut bytes = originals[seed as usize % originals.len()].clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            bytes[at] = [0xff, 0x7f, bytes[at].wrapping_add(1), random.bits() as u8][random.below(4)];
        }
        let _ = fs::remove_file(&path);
        fs::write(&path, &bytes).expect("written");
        let error = match Trajectory::open(&scene, &options) {
            Err(error) => Some(error),
            Ok(trajectory) => trajectory.blocks().find_map(Result::err),
        };
        failed += usize::from(error.is_some());
        gave_up += usize::from(error.is_some_and(|error| error.problem.contains("gave up")));
    }
    eprintln!("{failed} failed, {gave_up} of them by a panic of the decoder");
    assert_eq!(HEARD.load(Ordering::Relaxed), 0, "panics were heard");
    assert!(failed > 1000 && gave_up > 0, "the cases are not representative: {failed} failed, {gave_up} gave up");
}
