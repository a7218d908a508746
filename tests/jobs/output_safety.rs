//! Output never destroys what is not its own: inputs, files of others, and the earlier result until
//! the new one is whole.
#![allow(clippy::print_stderr)] // says which checks were skipped, and why

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

use crate::program::expect;
use clearsweep_testing::folder::{files, tables};

/// Names in a folder.
fn listing(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn write_parquet(path: &Path, columns: Vec<(&str, ArrayRef)>, group_rows: usize) {
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let file = fs::File::create(path).expect("created");
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group_rows)).build();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

/// Two boxes that move past each other for so many frames. `last`: x of the last row.
fn write_trajectories(path: &Path, frames: i64, last: f64) {
    let rows = || (0..frames).flat_map(|frame| [("a", frame), ("b", frame)]);
    let numbers = |of: &dyn Fn((&str, i64)) -> f64| -> ArrayRef { Arc::new(rows().map(of).collect::<Float64Array>()) };
    let x = |(body, frame): (&str, i64)| match body {
        "b" if frame + 1 == frames => last,
        "b" => 1.5 + (frame % 100) as f64 * 0.01,
        _ => 0.0,
    };
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("run", Arc::new(rows().map(|_| 0).collect::<Int64Array>())),
        ("frame", Arc::new(rows().map(|(_, frame)| frame).collect::<Int64Array>())),
        ("body", Arc::new(rows().map(|(body, _)| Some(body)).collect::<StringArray>())),
        ("x", numbers(&x)),
    ];
    columns.extend(["y", "z", "qx", "qy", "qz"].map(|name| (name, numbers(&|_| 0.0))));
    columns.push(("qw", numbers(&|_| 1.0)));
    write_parquet(path, columns, 4096);
}

/// A scene `s.toml` of two boxes, with trajectories at the given path.
fn boxes(trajectories: &str, frames: i64) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let mut text = format!("[scene]\nlength_unit = \"m\"\ntrajectories = \"{trajectories}\"\n[query]\nwithin = 2.0\n");
    for name in ["a", "b"] {
        text += &format!("[[body]]\nname = \"{name}\"\nshape = {{ box = [1, 1, 1] }}\n");
    }
    fs::write(dir.path().join("s.toml"), text).expect("written");
    if !trajectories.contains('*') {
        let path = dir.path().join(trajectories);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        write_trajectories(&path, frames, 2.0);
    }
    dir
}

/// Checks that a run into `out` is refused, with and without `--force`, with this word, and that
/// nothing changes.
#[track_caller]
fn refused(dir: &Path, run: &str, word: &str) {
    let before = files(dir);
    for force in ["", " --force"] {
        let (_, err) = expect(dir, &format!("{run}{force}"), 1);
        assert!(err.contains(word), "{run}{force}: `{word}` is missing in {err}");
        assert!(files(dir) == before, "{run}{force} changed a file");
    }
}

#[test]
fn an_input_in_the_output_directory_is_never_replaced() {
    // Trajectories, by their path and by links of all kinds.
    let dir = boxes("p/runs.parquet", 10);
    let at = |name: &str| dir.path().join(name);
    refused(dir.path(), "run s.toml --out p", "runs.parquet");
    refused(dir.path(), "run s.toml --out ./q/../p/", "runs.parquet");
    symlink(".", at("here")).expect("linked");
    refused(dir.path(), "run s.toml --out here/p", "runs.parquet");
    symlink("p/runs.parquet", at("link.parquet")).expect("linked");
    refused(dir.path(), "run s.toml --out p --trajectories link.parquet", "link.parquet");
    fs::create_dir(at("h")).expect("made");
    fs::hard_link(at("p/runs.parquet"), at("h/pairs.parquet")).expect("linked");
    refused(dir.path(), "run s.toml --out h", "runs.parquet");
    fs::rename(at("p/runs.parquet"), at("t.parquet")).expect("moved");
    symlink("../t.parquet", at("p/runs.parquet")).expect("linked");
    refused(dir.path(), "run s.toml --out p", "runs.parquet");
    // The table of bodies.
    fs::create_dir(at("b")).expect("made");
    let names: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let shapes: ArrayRef = Arc::new(StringArray::from(vec!["{ box = [1, 1, 1] }"; 2]));
    write_parquet(&at("b/bodies.parquet"), vec![("body", names), ("shape", shapes)], 100);
    let text = fs::read_to_string(at("s.toml")).expect("read");
    let head = text.split("[[body]]").next().expect("a head").replace("p/runs.parquet", "t.parquet");
    fs::write(at("table.toml"), format!("{head}[[bodies]]\ntable = \"b/bodies.parquet\"\n")).expect("written");
    refused(dir.path(), "run table.toml --out b", "bodies.parquet");
    refused(dir.path(), "run table.toml --out .", "table.toml");
    expect(dir.path(), "run table.toml --out o", 0);
    // An own result that is an input.
    fs::copy(at("t.parquet"), at("o/t.parquet")).expect("copied");
    refused(dir.path(), "run table.toml --out o --trajectories o/t.parquet", "t.parquet");
    fs::remove_file(at("o/t.parquet")).expect("removed");
    expect(dir.path(), "run table.toml --out o --force", 0);
}

#[test]
fn output_among_the_trajectories_is_refused() {
    let dir = boxes("data/one.parquet", 10);
    expect(dir.path(), "run s.toml --out data/out", 0); // they are this one file
    fs::remove_dir_all(dir.path().join("data/out")).expect("removed");
    symlink("data", dir.path().join("link")).expect("linked");
    for trajectories in ["data", "link", "data/**/*.parquet"] {
        for out in ["data/out", "data/deep/out", "link/out"] {
            refused(dir.path(), &format!("run s.toml --out {out} --trajectories {trajectories}"), "trajectories");
        }
        expect(dir.path(), &format!("run s.toml --out o --trajectories {trajectories}"), 0);
        fs::remove_dir_all(dir.path().join("o")).expect("removed");
    }
    refused(dir.path(), "sort data data/sorted.parquet", "lies in the directory");
    refused(dir.path(), "sort data/*.parquet data/sorted.parquet", "matches the glob");
    assert_eq!(listing(&dir.path().join("data")), ["one.parquet"]);
}

#[test]
fn files_of_others_under_our_names_are_refused() {
    let dir = boxes("t.parquet", 10);
    let at = |name: &str| dir.path().join(name);
    expect(dir.path(), "run s.toml --out ours", 0);
    let own = fs::read(at("ours/runs.parquet")).expect("read");
    let cases: [(&str, &[u8]); 8] = [
        ("manifest.json", br#"{"name": "My web app", "icons": [], "start_url": "/"}"#),
        ("pairs.parquet", b"someone's"),
        ("runs.parquet", b""),
        ("bodies.parquet", &fs::read(at("t.parquet")).expect("read")),
        ("pairs.parquet", &own),
        ("distances/part-00000.parquet", &own),
        (".pairs.parquet.tmp", b"half of something"),
        (".clearsweep.lock", b"locked by my own script"),
    ];
    for (name, bytes) in cases {
        fs::create_dir_all(at("o/distances")).expect("made");
        fs::write(at("o").join(name), bytes).expect("written");
        let before = files(&at("o"));
        let (_, err) = expect(dir.path(), "run s.toml --out o --force", 1);
        assert!(err.contains("clearsweep did not write"), "{name}: {err}");
        assert!(err.contains(name), "{name}: {err}");
        assert!(files(&at("o")) == before, "{name}");
        fs::remove_dir_all(at("o")).expect("removed");
    }
    let fifo = Command::new("mkfifo").arg(at("ours/.clearsweep.lock")).status().expect("mkfifo");
    assert!(fifo.success());
    expect(dir.path(), "run s.toml --out ours --force", 1);
}

#[test]
fn a_failing_run_leaves_the_old_result_as_it_is() {
    let dir = boxes("t.parquet", 30_000);
    let at = |name: &str| dir.path().join(name);
    expect(dir.path(), "run s.toml --out r/o", 0);
    let (before, mode) = (files(&at("r")), 0o750);
    fs::set_permissions(at("r/o"), fs::Permissions::from_mode(mode)).expect("set");
    write_trajectories(&at("nan.parquet"), 30_000, f64::NAN);
    let (_, err) = expect(dir.path(), "run s.toml --out r/o --force --trajectories nan.parquet", 1);
    assert!(err.contains("nan.parquet"), "{err}");
    assert!(files(&at("r")) == before && listing(&at("r")) == ["o"]);
    // A limit on the size of files stands for a full disk.
    for blocks in [0, 4, 64] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks} && exec \"$0\" run s.toml --out r/o --force");
        let bin = env!("CARGO_BIN_EXE_clearsweep");
        let done = Command::new("sh").arg("-c").arg(script).arg(bin).current_dir(dir.path()).output().expect("sh");
        assert_eq!(done.status.code(), Some(1), "{blocks} blocks: {done:?}");
        assert!(files(&at("r")) == before && listing(&at("r")) == ["o"], "{blocks} blocks");
    }
    expect(dir.path(), "run s.toml --out r/o --force --frames ..10", 0);
    assert!(listing(&at("r")) == ["o"] && files(&at("r")) != before);
    assert_eq!(fs::metadata(at("r/o")).expect("there").permissions().mode() & 0o7777, mode, "the mode stays");
}

fn start(dir: &Path, args: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    let command = command.current_dir(dir).args(args.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

#[test]
fn a_killed_run_leaves_the_old_or_the_new_result_whole() {
    let dir = boxes("t.parquet", 40_000);
    let at = |name: &str| dir.path().join(name);
    expect(dir.path(), "run s.toml --out old --frames ..20000", 0);
    expect(dir.path(), "run s.toml --out new", 0);
    let (old, new) = (tables(&at("old")), tables(&at("new")));
    let mut kept = 0;
    for delay in [5, 20, 40, 60, 80, 100, 150, 200, 300, 500] {
        expect(dir.path(), "run s.toml --out r/o --force --frames ..20000", 0);
        let mut child = start(dir.path(), "run s.toml --out r/o --force --threads 1");
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().expect("killed"); // SIGKILL: no destructor runs
        child.wait().expect("reaped");
        let now = tables(&at("r/o"));
        assert!(now == old || now == new, "{delay} ms: {:?}", now.keys());
        kept += usize::from(now == old);
        expect(dir.path(), "summary r/o", 0);
        // The next one cleans up.
        expect(dir.path(), "run s.toml --out r/o --force --frames ..20000", 0);
        assert!(tables(&at("r/o")) == old && listing(&at("r")) == ["o"], "{delay} ms: {:?}", listing(&at("r")));
    }
    assert!(kept > 0, "none was killed in time");
}

#[test]
fn of_four_executions_at_once_each_is_whole_or_fails() {
    let dir = boxes("t.parquet", 3000);
    let at = |name: &str| dir.path().join(name);
    let part = |k: usize| format!("--frames ..{}", 500 * (k + 1));
    let whole: Vec<_> = (0..4)
        .map(|k| {
            expect(dir.path(), &format!("run s.toml --out w{k} {}", part(k)), 0);
            tables(&at(&format!("w{k}")))
        })
        .collect();
    let mut won = 0;
    for round in 0..12 {
        // Into a new directory, and over a whole result; all with `--force`, some with it, none
        // with it.
        if round % 2 == 0 {
            let _ = fs::remove_dir_all(at("r/o"));
        }
        let force = |k: usize| round % 3 == 0 || round % 3 == 1 && k.is_multiple_of(2);
        let args = |k: usize| format!("run s.toml --out r/o {}{}", part(k), if force(k) { " --force" } else { "" });
        let before = at("r/o").exists().then(|| tables(&at("r/o")));
        let children: Vec<Child> = (0..4).map(|k| start(dir.path(), &args(k))).collect();
        let ended: Vec<_> = children.into_iter().map(|child| child.wait_with_output().expect("ended")).collect();
        for done in &ended {
            let err = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(done.status.code() == Some(0) || done.status.code() == Some(1) && err.contains("help:"), "{err}");
        }
        let winners: Vec<usize> = (0..4).filter(|&k| ended[k].status.code() == Some(0)).collect();
        if !at("r/o/manifest.json").exists() {
            assert!(winners.is_empty() && before.is_none(), "round {round}: {winners:?} ended well, with nothing");
            continue;
        }
        let now = tables(&at("r/o"));
        let of_winner = winners.iter().any(|&k| whole[k] == now);
        assert!(of_winner || winners.is_empty() && before.as_ref() == Some(&now), "round {round}: {winners:?}");
        assert!(listing(&at("r")) == ["o"] && !at("r/o/.clearsweep.lock").exists(), "round {round}");
        won += winners.len();
    }
    assert!(won >= 6, "in most rounds one wins: {won}");
}

#[test]
fn a_link_is_refused_with_a_slash_at_its_end_too() {
    let dir = boxes("t.parquet", 5);
    fs::create_dir(dir.path().join("real")).expect("made");
    symlink("real", dir.path().join("link")).expect("linked");
    for out in ["link", "link/", "link//", "link/."] {
        refused(dir.path(), &format!("run s.toml --out {out}"), "symbolic link");
    }
    expect(dir.path(), "run s.toml --out link/o/", 0);
    assert!(dir.path().join("real/o/manifest.json").exists());
}

#[test]
fn the_working_directory_can_be_the_output() {
    let dir = boxes("t.parquet", 5);
    let out = dir.path().join("o");
    fs::create_dir(&out).expect("made");
    for force in ["", " --force", " --force"] {
        let number = || fs::metadata(&out).expect("there").ino();
        let before = number();
        expect(&out, &format!("run ../s.toml --out .{force}"), 0);
        assert_eq!(number(), before, "a shell in that directory would find itself in a removed one");
        assert_eq!(listing(&out).len(), 6, "{:?}", listing(&out));
        assert_eq!(listing(dir.path()), ["o", "s.toml", "t.parquet"]);
    }
}

#[test]
fn a_sort_replaces_regular_files_only() {
    let dir = boxes("t.parquet", 500);
    let at = |name: &str| dir.path().join(name);
    let fifo = Command::new("mkfifo").arg(at("fifo")).status().expect("mkfifo");
    assert!(fifo.success());
    fs::write(at("target"), "mine").expect("written");
    symlink("target", at("link")).expect("linked");
    for (out, word) in [("fifo", "pipe"), ("link", "symbolic link"), (".", "name"), ("s.toml/x", "folder")] {
        for force in ["", " --force"] {
            let (_, err) = expect(dir.path(), &format!("sort t.parquet {out}{force}"), 1);
            assert!(err.contains(word), "{out}: {err}");
        }
    }
    assert!(fs::symlink_metadata(at("fifo")).expect("there").file_type().is_fifo());
    assert_eq!(fs::read(at("target")).expect("there"), b"mine");
    let made = Command::new("mknod").arg(at("device")).args(["c", "1", "3"]).status();
    if made.is_ok_and(|made| made.success()) {
        let (_, err) = expect(dir.path(), "sort t.parquet device --force", 1);
        assert!(err.contains("device"), "{err}");
        assert!(fs::symlink_metadata(at("device")).expect("there").file_type().is_char_device());
    } else {
        eprintln!("skipped: this user may not make a device");
    }
    fs::hard_link(at("t.parquet"), at("twin.parquet")).expect("linked");
    let (_, err) = expect(dir.path(), "sort t.parquet twin.parquet --force", 1);
    assert!(err.contains("one of the files to be sorted"), "{err}");
}

#[test]
fn what_a_killed_sort_left_is_removed_by_the_next() {
    let dir = boxes("t.parquet", 150_000);
    let at = |name: &str| dir.path().join(name);
    let is_left = || listing(dir.path()).iter().any(|name| name.starts_with(".out.parquet.clearsweep-"));
    let mut child = start(dir.path(), "sort t.parquet out.parquet --memory 2MB");
    while !is_left() {
        assert!(child.try_wait().expect("asked").is_none(), "it ended before it was killed");
        std::thread::sleep(Duration::from_micros(200));
    }
    child.kill().expect("killed");
    child.wait().expect("reaped");
    assert!(is_left() && !at("out.parquet").exists());
    fs::write(at(".out.parquet.clearsweep-notes"), "mine").expect("written");
    expect(dir.path(), "sort t.parquet other.parquet", 0);
    assert!(is_left(), "it belongs to another file");
    expect(dir.path(), "sort t.parquet out.parquet", 0);
    let names = [".out.parquet.clearsweep-notes", "other.parquet", "out.parquet", "s.toml", "t.parquet"];
    assert_eq!(listing(dir.path()), names);
}
