//! What a run says of its requirement: verdict, exit code, manifest and text alike; what counts as touching; and the
//! numbers of a summary.

#[path = "trajectory_support/mod.rs"]
mod support;

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use support::{Row, Shaping, write};
use tempfile::TempDir;

/// Runs the program, checks its exit code, and returns stdout and stderr.
fn expect(dir: &Path, args: &str, code: i32) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
    command.env_remove("COLUMNS").current_dir(dir).args(args.split_whitespace());
    let done = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&done.stdout), text(&done.stderr));
    assert_eq!(done.status.code(), Some(code), "clearsweep {args}\nstdout: {out}\nstderr: {err}");
    (out, err)
}

fn json(dir: &Path, args: &str, code: i32) -> Value {
    let (out, _) = expect(dir, args, code);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("clearsweep {args}: {error}\n{out}"))
}

/// A body of a scene: a sphere of radius 1 m.
fn sphere(name: &str, keys: &str) -> String {
    format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = 1 }}\n{keys}\n")
}

/// A pose at rest on the x axis.
fn at(x: f64) -> [f64; 7] {
    [x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
}

/// A scene in metres with these keys of `[scene]` and `[query]`, and the rest of its text; `rows` are the poses by
/// run, frame and body. Without rows the trajectories are an empty table, or none where nothing moves.
fn scene(keys: [&str; 2], rest: &str, rows: &[(i64, i64, &str, [f64; 7])]) -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let moves = rest.matches("[[body]]").count() > rest.matches("static = true").count();
    let trajectories = if moves { "trajectories = \"t.parquet\"\n" } else { "" };
    let [head, query] = keys;
    let text = format!("[scene]\nlength_unit = \"m\"\n{trajectories}{head}\n[query]\n{query}\n{rest}");
    fs::write(dir.path().join("scene.toml"), text).expect("written");
    if moves {
        let row = |&(run, frame, body, pose): &(i64, i64, &str, [f64; 7])| Row {
            run,
            frame,
            time: frame as f64 * 0.25,
            body: body.to_owned(),
            pose,
        };
        write(&dir.path().join("t.parquet"), &rows.iter().map(row).collect::<Vec<_>>(), &Shaping::default());
    }
    dir
}

#[test]
fn nothing_looked_at_is_not_clear() {
    let required = "within = 1\nrequire = 0.5";
    let two = sphere("a", "") + &sphere("b", "");
    let poses = [(0, 0, "a", at(0.0)), (0, 0, "b", at(9.0))];
    let apart = [(0, 0, "a", at(0.0)), (0, 1, "b", at(9.0))];
    let ignore = "[[ignore]]\na = \"*\"\n";
    let cases: [(&str, &str, String, &[_]); 6] = [
        ("no-frame", "", two.clone(), &[]),
        ("no-pair", "", sphere("a", ""), &poses[..1]),
        ("no-pair", "", sphere("a", "static = true"), &[]),
        ("all-ignored", "", two.clone() + ignore, &poses),
        ("never-together", "missing = \"absent\"", two.clone(), &apart),
        ("all-ignored", "", sphere("a", "static = true") + &sphere("b", "static = true") + ignore, &[]),
    ];
    for (reason, head, rest, rows) in cases {
        let dir = scene([head, required], &rest, rows);
        let dir = dir.path();
        let summary = json(dir, "run scene.toml --out j --json", 2);
        assert_eq!((&summary["verdict"], &summary["nothing_checked"]), (&"nothing-checked".into(), &reason.into()));
        let manifest: Value =
            serde_json::from_slice(&fs::read(dir.join("j/manifest.json")).expect("read")).expect("JSON");
        assert_eq!(manifest["summary"], summary);
        let (text, _) = expect(dir, "run scene.toml --out o", 2);
        assert!(text.contains("NOTHING CHECKED") && !text.contains("no pair violates"), "{reason}: {text}");
        assert!(expect(dir, "summary o", 0).0.starts_with(&text), "{reason}");
        let warned = json(dir, "check scene.toml --json", 0);
        let kinds: Vec<_> = warned["warnings"].as_array().expect("a list").iter().map(|w| &w["kind"]).collect();
        assert!(kinds.contains(&&"unchecked".into()), "{reason}: {warned}");

        let allowed = json(dir, "run scene.toml --out a --json --allow-empty", 0);
        assert_eq!((&allowed["verdict"], &allowed["nothing_checked"]), (&"clear".into(), &reason.into()));
        let (text, _) = expect(dir, "run scene.toml --out o --force --allow-empty", 0);
        assert!(text.contains("--allow-empty") && !text.contains("NOTHING CHECKED"), "{reason}: {text}");
    }
}

#[test]
fn a_requirement_that_was_looked_at_is_clear() {
    let two = sphere("a", "") + &sphere("b", "");
    let poses = [(0, 0, "a", at(0.0)), (0, 0, "b", at(9.0))];
    let dir = scene(["", "within = 1\nrequire = 0.5"], &two, &poses);
    let summary = json(dir.path(), "run scene.toml --out o --json", 0);
    assert_eq!((&summary["verdict"], &summary["nothing_checked"]), (&"clear".into(), &Value::Null));
    assert_eq!(json(dir.path(), "check scene.toml --json", 0)["warnings"][0]["kind"], "far");
    // Without a requirement there is none to be kept.
    let dir = scene(["", "within = 1"], &sphere("a", ""), &poses[..1]);
    let summary = json(dir.path(), "run scene.toml --out o --json", 0);
    assert_eq!(summary["verdict"], "nothing required");
    assert_eq!(summary["nothing_checked"], "no-pair");
}
