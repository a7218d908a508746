//! Rules of all commands, through the program: help whose examples work, colours, JSON alone on
//! stdout, pipes that close, and names of files that are no text.

use clearsweep_testing::clone::clone;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn program(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    // Mesa's layer that chooses among adapters looks for a display, and where there is none, it
    // says so on stderr.
    command.env("NODEVICE_SELECT", "1");
    command.current_dir(dir).args(args);
    command
}

fn output(dir: &Path, args: &str) -> Output {
    program(dir, &args.split_whitespace().collect::<Vec<_>>()).output().expect("the program starts")
}

/// Runs the program, checks its exit code, and returns stdout and stderr.
fn expect(dir: &Path, args: &str, code: i32) -> (String, String) {
    let done = output(dir, args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(done.status.code(), Some(code), "clearsweep {args}\nstdout: {out}\nstderr: {err}");
    (out, err)
}

fn json(dir: &Path, args: &str, code: i32) -> Value {
    let (out, err) = expect(dir, args, code);
    assert!(err.is_empty(), "clearsweep {args}: {err}");
    let value: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("clearsweep {args}: {error}\n{out}"));
    assert!(value.is_object(), "one object: {value}");
    value
}

/// A scene of three spheres at rest, the first two overlapping.
const SPHERES: &str = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 1\nrequire = 0.8\n\
    [[body]]\nname = \"a\"\nstatic = true\nshape = { sphere = 1 }\n\
    [[body]]\nname = \"b\"\nstatic = true\nshape = { sphere = 1 }\nposition = [1, 0, 0]\n\
    [[body]]\nname = \"c\"\nstatic = true\nshape = { sphere = 1 }\nposition = [0, 2.7, 0]\n";

#[test]
fn the_examples_of_every_help_work_as_printed() {
    for command in ["", "run", "check", "init", "summary", "export", "query", "sort", "doctor", "completions", "man"] {
        let dir = clone();
        let (help, _) = expect(dir.path(), &format!("{command} --help"), 0);
        let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  clearsweep ")).collect();
        assert!(!examples.is_empty(), "{command}: {help}");
        for example in examples {
            let words: Vec<&str> = example.split_whitespace().collect();
            let done = program(dir.path(), &words).output().expect("the program starts");
            let err = String::from_utf8_lossy(&done.stderr).into_owned();
            assert_eq!(done.status.code(), Some(0), "clearsweep {example}\n{err}");
            assert!(!done.stdout.is_empty(), "clearsweep {example}");
        }
        assert!(help.contains("Exit codes") || ["doctor", "completions", "man"].contains(&command), "{help}");
    }
}

#[test]
fn the_help_of_each_command_names_all_of_its_exit_codes() {
    let dir = tempfile::tempdir().expect("scratch");
    for (command, codes) in [
        ("run", "0 1 2 3 4 130 141"),
        ("check", "0 1 2 130"),
        ("audit", "0 1 2 3 4 130"),
        ("generate", "0 1 2 130"),
        ("summary", "0 1 2 3 4"),
        ("accept", "0 1 2"),
        ("diff", "0 1 2"),
        ("report", "0 1 2 3 4"),
        ("export", "0 1 2 130"),
        ("query", "0 1 2 4"),
        ("plan", "0 1 2"),
        ("merge", "0 1 2 3 4 130"),
        ("verify", "0 1 2"),
        ("sort", "0 1 2 130"),
    ] {
        let (help, _) = expect(dir.path(), &format!("{command} --help"), 0);
        let named = help.split("Exit codes:").nth(1).unwrap_or_else(|| panic!("{command}: no exit codes"));
        let numbers: Vec<&str> = named
            .split_whitespace()
            .zip(std::iter::once("").chain(named.split_whitespace()))
            .filter(|(word, before)| {
                word.parse::<u8>().is_ok() && (before.is_empty() || before.ends_with([';', ':', '`']))
            })
            .map(|(word, _)| word)
            .collect();
        let mut distinct: Vec<u8> = numbers.iter().map(|word| word.parse().expect("a number")).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let expected: Vec<u8> = codes.split(' ').map(|word| word.parse().expect("a number")).collect();
        assert_eq!(distinct, expected, "{command}: {named}");
    }
    let (help, _) = expect(dir.path(), "run --help", 0);
    assert!(help.contains("What to compute for each pair: overlap"), "{help}");
}

#[test]
fn json_is_alone_on_stdout() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    fs::write(dir.join("s.toml"), SPHERES).expect("written");
    assert_eq!(json(dir, "run s.toml --out o --json --progress none", 3)["violated"], 2);
    let summary = json(dir, "summary o --json", 0);
    assert_eq!(summary["rows"], 3);
    let pairs = summary["worst_pairs"].as_array().expect("a list");
    let names: Vec<_> = pairs.iter().map(|pair| [&pair["body_a"], &pair["body_b"]]).collect();
    assert_eq!(names, [["a", "b"], ["a", "c"], ["b", "c"]], "nearest first");
    assert_eq!(pairs[0]["min_distance_m"], -1.0);
    assert_eq!(summary["worst_runs"][0]["violated"], 2);
    assert_eq!(json(dir, "check s.toml --json", 0)["bodies"], 3);
    assert_eq!(json(dir, "query sphere:1 sphere:1 --pose 3,0,0,1,0,0,0 --json", 0)["distance_m"], 1.0);
    let doctor = json(dir, "doctor --json", 0);
    assert!(doctor["threads"].as_u64() > Some(0) && doctor["gpu"]["supported"] == cfg!(feature = "gpu"), "{doctor}");
    // Errors are text on stderr, whatever the format of results.
    let (out, err) = expect(dir, "run nowhere.toml --out p --json", 1);
    assert!(out.is_empty() && err.starts_with("error: nowhere.toml"), "{err}");
}

#[test]
fn a_level_of_registers_is_chosen_by_name_and_one_that_is_not_there_is_refused() {
    let doctor = |level: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_clearsweep"));
        command.args(["doctor", "--json"]).env("CLEARSWEEP_SIMD", level).output().expect("the program starts")
    };
    let mut there = Vec::new();
    for level in ["portable", "avx2", "avx512", "avx", "", "Portable"] {
        let done = doctor(level);
        if done.status.success() {
            let said: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
            assert_eq!(said["simd_level"], level);
            there.push(level);
        } else {
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            let remedy = format!("CLEARSWEEP_SIMD={level}: is no level of registers that this processor has");
            assert!(done.status.code() == Some(2) && said.contains(&remedy) && said.contains("portable"), "{said}");
        }
    }
    assert!(there[0] == "portable" && there.iter().all(|level| level.chars().all(|c| !c.is_uppercase())), "{there:?}");
}

#[test]
fn colours_are_asked_for_or_on_a_terminal() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    fs::write(dir.join("s.toml"), SPHERES).expect("written");
    let escape = '\u{1b}';
    let (plain, _) = expect(dir, "run s.toml --out o", 3);
    assert!(plain.contains("VIOLATED by 2 pairs") && !plain.contains(escape), "{plain}");
    let (painted, _) = expect(dir, "summary o --color always", 0);
    assert!(painted.contains("\u{1b}[1m\u{1b}[31mVIOLATED by 2 pairs\u{1b}[0m"), "bold and red: {painted:?}");
    assert!(!painted.contains("38;") && !painted.contains("[34m"), "only colours that every theme shows: {painted:?}");
    let (_, err) = expect(dir, "summary nowhere --color=always", 1);
    assert!(err.contains(escape), "{err:?}");
    let colour = |variable: (&str, &str), args: &[&str]| {
        let done = program(dir, args).env(variable.0, variable.1).output().expect("the program starts");
        String::from_utf8_lossy(&done.stdout).contains(escape)
    };
    assert!(colour(("CLICOLOR_FORCE", "1"), &["summary", "o"]));
    assert!(!colour(("CLICOLOR_FORCE", "1"), &["summary", "o", "--color", "never"]));
    assert!(!colour(("NO_COLOR", "1"), &["summary", "o"]));
    assert!(colour(("NO_COLOR", "1"), &["summary", "o", "--color", "always"]), "what is asked for outranks it");
    let (help, _) = expect(dir, "run --help --color always", 0);
    assert!(help.contains(escape), "help too");
}

#[test]
fn a_summary_lists_pairs_and_runs() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    expect(dir, "generate crowd --out c --bodies 30 --frames 40 --runs 12 --density 0.3 --seed 3", 0);
    expect(dir, "run c/scene.toml --out o --require 1mm", 3);
    let (text, _) = expect(dir, "summary o", 0);
    assert!(text.contains("The 10 nearest pairs, each in its worst run, least `at most` first\n"), "{text}");
    assert!(text.contains(" run-pairs (a pair in one run) came within"), "{text}");
    assert!(text.contains("The 10 worst of 12 runs, least violating distance first\n"), "{text}");
    let summary = json(dir, "summary o --json", 0);
    let list = |key: &str, of: &str| -> Vec<f64> {
        summary[key].as_array().expect("a list").iter().map(|line| line[of].as_f64().expect("a number")).collect()
    };
    let pairs = list("worst_pairs", "min_distance_m");
    assert!(pairs.len() == 10 && pairs.is_sorted(), "{pairs:?}");
    assert_eq!(summary["worst_pairs"][0]["min_distance_m"], summary["worst"]["distance_m"]);
    let violated = list("worst_runs", "violated");
    let runs = summary["worst_runs"].as_array().expect("a list");
    let uppers: Vec<f64> = runs.iter().map(|run| run["least"]["upper_m"].as_f64().expect("a number")).collect();
    assert!(uppers.len() == 10 && uppers.is_sorted(), "by distance, not by rows: {uppers:?}");
    assert!(!violated.is_sorted_by(|a, b| a >= b), "the numbers of rows have another order: {violated:?}");
    assert!(violated.iter().sum::<f64>() <= summary["violated"].as_f64().expect("a number"));

    fs::write(dir.join("o/pairs.parquet"), "PAR1 and no more").expect("written");
    let (_, err) = expect(dir, "summary o", 1);
    assert!(err.contains("pairs.parquet"), "{err}");
}

#[test]
fn a_pipe_may_close_at_any_time() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    fs::write(dir.join("s.toml"), SPHERES).expect("written");
    expect(dir, "run s.toml --out o", 3);
    let export = "export o --csv --table distances --to -";
    for args in [export, "summary o", "summary o --json", "check s.toml", "doctor", "man", "completions zsh", "--help"]
    {
        let words: Vec<&str> = args.split_whitespace().collect();
        let mut child = program(dir, &words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        let done = child.wait_with_output().expect("it ends");
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!((done.status.code(), err.as_str()), (Some(0), ""), "clearsweep {args} | true");
    }
}

#[test]
fn files_and_folders_are_not_taken_for_each_other() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    expect(dir, "generate crowd --out c --bodies 3 --frames 3", 0);
    for (args, part) in [
        ("check c", "directory"),
        ("run c --out o", "directory"),
        ("summary c/scene.toml", "scene.toml"),
        ("summary nowhere", "manifest.json"),
        ("sort nowhere out.parquet", "nowhere"),
        ("sort c/scene.toml out.parquet", "is not a Parquet file"),
        ("sort c/trajectories.parquet c", "is a directory"),
        ("check c/scene.toml --trajectories c/scene.toml", "is not a Parquet file"),
        ("run c/scene.toml --out c/scene.toml", "is a file"),
    ] {
        let (out, err) = expect(dir, args, 1);
        assert!(out.is_empty() && err.contains(part) && err.contains("help:"), "clearsweep {args}: {err}");
    }
    assert!(!dir.join("out.parquet").exists() && !dir.join("o").exists());
}

#[test]
fn a_choice_that_holds_nothing_is_an_error_of_usage() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    expect(dir, "generate crowd --out c --bodies 3 --frames 7 --runs 2", 0);
    for args in ["run c/scene.toml --out o --frames 7..", "check c/scene.toml --runs 2.. --frames ..3"] {
        let (_, err) = expect(dir, args, 2);
        assert!(err.contains("runs 0 to 1 and frames 0 to 6"), "clearsweep {args}: {err}");
    }
    assert!(!dir.join("o").exists(), "nothing was written");
}

#[test]
fn a_scene_is_blamed_before_its_trajectories() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    fs::write(dir.join("t.parquet"), "no rows").expect("written");
    for bodies in [3, 3000] {
        let body = |k: usize| {
            let points = "[[0, 0, 0], [1.5, 0, 0], [0, 1, 0], [0, 0, 1e-1]]";
            format!("[[body]]\nname = \"b{k}\"\nshape = {{ points = {points} }}\n")
        };
        let good: String = (0..bodies).map(body).collect();
        let head = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.parquet\"\n[query]\nwithin = 1\n";
        let lines = good.lines().count() + head.lines().count();
        for (last, part) in [
            ("[[body]]\nname = \"x\"\ngeometry = \"nowhere.obj\"\n", format!("scene.toml:{}", lines + 3)),
            ("[[body]]\nname = \"b1\"\nshape = { sphere = 1 }\n", format!("scene.toml:{}", lines + 1)),
            ("[[body]]\nname = \"x\"\nshape = { points = [[1, 2]] }\n", format!("scene.toml:{}", lines + 3)),
            ("[[body]]\nname = \"x\nshape\n", format!("scene.toml:{}", lines + 3)),
            ("", "t.parquet".to_owned()),
        ] {
            fs::write(dir.join("scene.toml"), format!("{head}{good}{last}")).expect("written");
            let (out, err) = expect(dir, "run scene.toml --out o", 1);
            assert!(out.is_empty() && err.contains(&part), "{bodies} bodies, {part}: {err}");
            assert_eq!(err.contains("t.parquet"), last.is_empty(), "{err}");
        }
    }
    assert!(!dir.join("o").exists(), "nothing was written");
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_files_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    expect(dir, "generate crowd --out c --bodies 8 --frames 5", 0);
    let odd = OsStr::from_bytes(b"caf\xe9");
    fs::rename(dir.join("c"), dir.join(odd)).expect("renamed");
    let run = |args: &[&OsStr]| {
        let done = program(dir, &[]).args(args).output().expect("the program starts");
        let err = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!((done.status.code(), err.as_str()), (Some(0), ""), "{args:?}");
    };
    let scene = Path::new(odd).join("scene.toml");
    let trajectories = Path::new(odd).join("trajectories.parquet");
    let out = OsStr::from_bytes(b"out\xff");
    let sorted = OsStr::from_bytes(b"sorted\xfe.parquet");
    let word = OsStr::new;
    run(&[word("check"), scene.as_os_str()]);
    run(&[word("run"), scene.as_os_str(), word("--out"), out]);
    run(&[word("summary"), out]);
    run(&[word("sort"), trajectories.as_os_str(), sorted]);
    run(&[word("check"), scene.as_os_str(), word("--trajectories"), sorted]);
}

#[test]
fn every_shell_and_every_command_has_its_text() {
    let dir = tempfile::tempdir().expect("scratch");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (script, _) = expect(dir.path(), &format!("completions {shell}"), 0);
        assert!(script.contains("trajectories") && script.contains("doctor"), "{shell}");
    }
    let (page, _) = expect(dir.path(), "man", 0);
    assert!(page.contains(".TH clearsweep 1") && page.contains("EXIT") | page.contains("Exit codes"), "{page}");
    let (page, _) = expect(dir.path(), "man sort", 0);
    assert!(page.contains("clearsweep\\-sort") && page.contains("temporary files"), "{page}");
}

#[test]
fn a_query_explains_itself() {
    let dir = tempfile::tempdir().expect("scratch");
    // Faces in contact: a tie; corners apart: strict.
    let tie = json(dir.path(), "query box:1,1,1 box:1,1,1 --pose 0.25,0,1,1,0,0,0 --explain --json", 0);
    let how = &tie["explained"];
    assert_eq!((how["routes"]["queries"].as_u64(), &tie["method"]), (Some(1), &"tie".into()), "{tie}");
    assert_eq!((how["exact_lower_m"].as_f64(), how["exact_upper_m"].as_f64()), (Some(0.0), Some(0.0)), "{tie}");
    let apart = json(dir.path(), "query sphere:1 box:1,1,1 --pose 3,2,1,1,0,0,0 --explain --json --narrow vclip", 0);
    let x = |key: &str| apart[key].as_f64().unwrap_or(f64::NAN);
    let exact = |key: &str| apart["explained"][key].as_f64().unwrap_or(f64::NAN);
    assert!(x("lower_m") <= exact("exact_lower_m") && exact("exact_upper_m") <= x("upper_m"), "{apart}");
    assert!(exact("bound_m") < 1e-13 * exact("size_m") && exact("size_m") > 4.0, "{apart}");
    let (text, _) = expect(dir.path(), "query box:1,1,1 box:1,1,1 --pose 0.25,0,1,1,0,0,0 --explain", 0);
    assert!(text.contains("routes") && text.contains("exact     0.0 .. 0.0 m"), "{text}");
    let (text, _) = expect(dir.path(), "query box:1,1,1 box:1,1,1", 0);
    assert!(!text.contains("routes"), "{text}");
}
