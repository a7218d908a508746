//! Events, issues and dispositions: what a job leaves for somebody to work off, against the rows
//! themselves.

use super::rules::{crowd, expect, manifest, number, rows, spheres};
use clearsweep_testing::folder::tables;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

type TableRow = BTreeMap<String, String>;

/// An event as the oracle finds it: everything but place, state and issue.
#[derive(Debug, Clone, PartialEq)]
struct Stretch {
    key: (String, String, String, String),
    frames: (i64, i64),
    samples: usize,
    intervals: usize,
    lower: f64,
    upper: f64,
}

fn integer(row: &TableRow, column: &str) -> i64 {
    row[column].parse().expect("an integer")
}

fn violates(row: &TableRow) -> bool {
    number(row, "upper_m") < number(row, "required_m")
}

/// The maximal stretches of violating samples and intervals of each pair in each run. All frames of
/// a run are there, one after the other.
fn stretches(samples: &[TableRow], intervals: &[TableRow]) -> Vec<Stretch> {
    // By pair and place in time, twice the frame; an interval is behind its first frame.
    let mut places: BTreeMap<(String, String, String, String), BTreeMap<i64, &TableRow>> = BTreeMap::new();
    let key = |row: &TableRow| (row["run"].clone(), row["rule"].clone(), row["body_a"].clone(), row["body_b"].clone());
    for (rows, offset) in [(samples, 0), (intervals, 1)] {
        for row in rows.iter().filter(|row| violates(row)) {
            places.entry(key(row)).or_default().insert(2 * integer(row, "frame") + offset, row);
        }
    }
    let mut found = Vec::new();
    for (key, of) in places {
        let mut last = i64::MIN / 2;
        for (place, row) in of {
            let is_sample = place % 2 == 0;
            let (lower, upper) = (number(row, "lower_m"), number(row, "upper_m"));
            let ends = (place / 2, if is_sample { place / 2 } else { integer(row, "frame_next") });
            let joins = place - last == 1 || (place - last == 2 && is_sample);
            match found.last_mut().filter(|_: &&mut Stretch| joins) {
                Some(Stretch { frames, samples, intervals, lower: least, upper: most, .. }) => {
                    if is_sample {
                        *frames = (if *samples == 0 { place / 2 } else { frames.0 }, place / 2);
                    }
                    *samples += usize::from(is_sample);
                    *intervals += usize::from(!is_sample);
                    (*least, *most) = (least.min(lower), most.min(upper));
                }
                None => found.push(Stretch {
                    key: key.clone(),
                    frames: ends,
                    samples: usize::from(is_sample),
                    intervals: usize::from(!is_sample),
                    lower,
                    upper,
                }),
            }
            last = place;
        }
    }
    found
}

/// The events of a table, likewise.
fn events(out: &Path) -> Vec<(Stretch, TableRow)> {
    let of = |row: TableRow| {
        let stretch = Stretch {
            key: (row["run"].clone(), row["rule"].clone(), row["body_a"].clone(), row["body_b"].clone()),
            frames: (integer(&row, "begin_frame"), integer(&row, "end_frame")),
            samples: integer(&row, "samples") as usize,
            intervals: integer(&row, "intervals") as usize,
            lower: number(&row, "lower_m"),
            upper: number(&row, "upper_m"),
        };
        (stretch, row)
    };
    rows(&out.join("events.parquet")).into_iter().map(of).collect()
}

#[test]
fn events_are_the_maximal_stretches_of_violating_rows() {
    let dir = crowd();
    let dir = dir.path();
    let mut seen = [0; 2];
    for (number_of_out, options) in ["", "--between linear", "--between screw --require 0.045"].iter().enumerate() {
        let out = format!("o{number_of_out}");
        expect(dir, &format!("run c/rules.toml --out {out} {options}"), 3);
        let out = dir.join(out);
        let samples = rows(&out.join("distances"));
        let intervals = if options.is_empty() { Vec::new() } else { rows(&out.join("intervals")) };
        let mut expected = stretches(&samples, &intervals);
        let found = events(&out);
        let mut bare: Vec<Stretch> = found.iter().map(|(stretch, _)| stretch.clone()).collect();
        let order = |one: &Stretch| (one.key.clone(), one.frames);
        expected.sort_by_key(order);
        bare.sort_by_key(order);
        assert_eq!(bare.len(), expected.len(), "{options}");
        for (one, other) in bare.iter().zip(&expected) {
            assert_eq!(one, other, "{options}");
        }
        seen[0] += bare.len();
        seen[1] += bare.iter().filter(|event| event.samples > 1).count();
        // The table is in the order of runs, and within a run of rules and bodies.
        let rules: Vec<String> = manifest(&out)["summary"]["rules"]
            .as_array()
            .expect("rules")
            .iter()
            .map(|r| r["rule"].as_str().expect("a name").to_owned())
            .collect();
        let place = |row: &TableRow| {
            let rule = rules.iter().position(|rule| *rule == row["rule"]);
            (integer(row, "run"), rule, integer(row, "a_index"), integer(row, "b_index"), integer(row, "begin_frame"))
        };
        assert!(found.is_sorted_by_key(|(_, row)| place(row)), "{options}");
        for (stretch, row) in &found {
            // The place is that of the worst sample, and the least is in the event.
            assert_eq!(row["place_x"] == "null", stretch.samples == 0, "{row:?}");
            assert!((stretch.frames.0 - 1..=stretch.frames.1).contains(&integer(row, "frame_of_least")), "{row:?}");
            assert_eq!(row["state"], "new");
        }
        let summary = &manifest(&out)["summary"];
        assert_eq!(summary["events"]["new"], found.len());
    }
    assert!(seen[0] > 300 && seen[1] > 100, "not representative: {seen:?}");
}

#[test]
fn dips_between_frames_are_events_of_their_own() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let body = |name: &str, rest: &str| format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = 0.1 }}\n{rest}");
    let head = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 0.5\n[motion]\nbetween = \"linear\"\n";
    let rule = "[[rule]]\nname = \"r\"\na = \"*\"\nrequire = 0.1\n";
    let text = head.to_owned() + &body("still", "static = true\n") + &body("moves", "") + rule;
    fs::write(dir.join("scene.toml"), text).expect("written");
    // Places along a line that passes the body at rest at 0.05 m, between the frames or in one.
    let runs: [&[f64]; 4] = [
        &[-1.5, -0.5, 0.5, 1.5],
        &[-0.5, 0.5, -0.5, 0.5],
        &[-0.5, 0.01, 0.02, 0.5, -0.5],
        &[-0.5, -0.01, 0.5, 0.01, 0.5],
    ];
    let mut rows_of_poses = "run,frame,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    for (run, places) in runs.iter().enumerate() {
        for (frame, x) in places.iter().enumerate() {
            rows_of_poses += &format!("{run},{frame},moves,{x:?},0.25,0.0,1.0,0.0,0.0,0.0\n");
        }
    }
    fs::write(dir.join("t.csv"), rows_of_poses).expect("written");
    expect(dir, "run scene.toml --out o", 3);
    let out = dir.join("o");
    let expected = stretches(&rows(&out.join("distances")), &rows(&out.join("intervals")));
    let found: Vec<Stretch> = events(&out).into_iter().map(|(stretch, _)| stretch).collect();
    assert_eq!(found, expected);
    let shapes: Vec<_> =
        found.iter().map(|event| (event.key.0.as_str(), event.frames, event.samples, event.intervals)).collect();
    let one = |run, from, to| (run, (from, to), 0, 1);
    assert_eq!(
        shapes,
        [
            one("0", 1, 2),
            one("1", 0, 1),
            one("1", 1, 2),
            one("1", 2, 3),
            ("2", (1, 2), 2, 3),
            one("2", 3, 4),
            ("3", (1, 1), 1, 2),
            ("3", (3, 3), 1, 2),
        ]
    );
    for (stretch, row) in events(&out) {
        let least = (number(&row, "lower_m"), number(&row, "upper_m"));
        assert!(least.0 <= 0.0503 && least.1 < 0.0503, "{row:?}");
        assert_eq!(row["kind"], "near", "{stretch:?}");
    }
}

#[test]
fn issues_gather_the_events_and_lead_to_them() {
    let dir = crowd();
    let dir = dir.path();
    let text = fs::read_to_string(dir.join("c/rules.toml")).expect("a scene");
    let mut leading = BTreeMap::new();
    for group in ["element", "pair", "parent", "rule"] {
        fs::write(dir.join("c/scene.toml"), format!("{text}[report]\ngroup = \"{group}\"\n")).expect("written");
        expect(dir, &format!("run c/scene.toml --out {group} --require 0.02"), 3);
        let out = dir.join(group);
        let (events, issues) = (events(&out), rows(&out.join("issues.parquet")));
        let ids: BTreeSet<&String> = issues.iter().map(|issue| &issue["issue"]).collect();
        assert_eq!(ids.len(), issues.len(), "an id is that of one issue");
        assert!(ids.iter().all(|id| id.len() == 12 && id.bytes().all(|byte| byte.is_ascii_hexdigit())));
        for issue in &issues {
            let of: Vec<_> = events.iter().filter(|(_, event)| event["issue"] == issue["issue"]).collect();
            let pairs: BTreeSet<_> = of.iter().map(|(_, event)| (&event["body_a"], &event["body_b"])).collect();
            assert_eq!((integer(issue, "events"), integer(issue, "pairs")), (of.len() as i64, pairs.len() as i64));
            let least = |column: &str| of.iter().map(|(_, event)| number(event, column)).fold(f64::INFINITY, f64::min);
            assert_eq!((number(issue, "lower_m"), number(issue, "upper_m")), (least("lower_m"), least("upper_m")));
            let frames = |column: &'static str| of.iter().map(move |(_, event)| integer(event, column));
            assert_eq!(Some(integer(issue, "first_frame")), frames("begin_frame").min());
            assert_eq!(Some(integer(issue, "last_frame")), frames("end_frame").max());
            assert!(of.iter().all(|(_, event)| event["rule"] == issue["rule"]), "an issue is of one rule");
            match group {
                "rule" => assert_eq!(issue["group"], issue["rule"]),
                "pair" => assert_eq!(pairs.len(), 1),
                // No body of a crowd is below another node: each stands for itself.
                "parent" => assert_eq!(pairs.len(), 1),
                _ if pairs.len() > 1 => {
                    assert!(pairs.iter().all(|(a, b)| [*a, *b].contains(&&issue["group"])), "{issue:?}");
                }
                _ => assert!(issue["group"].contains(" / ")),
            }
        }
        let covered: i64 = issues.iter().map(|issue| integer(issue, "events")).sum();
        assert_eq!(covered as usize, events.len());
        assert_eq!(manifest(&out)["summary"]["issues"]["new"], issues.len());
        leading.insert(group, issues);
    }
    let count = |group: &str| leading[group].len();
    assert!(
        count("rule") < count("element") && count("element") < count("pair"),
        "{} {} {}",
        count("rule"),
        count("element"),
        count("pair")
    );
    // Greedy: the body that leads first is in no fewer pairs of its rule than any other body.
    let pairs = &leading["pair"];
    for issue in leading["element"].iter().filter(|issue| integer(issue, "pairs") > 1) {
        let of_rule = |name: &str| {
            pairs
                .iter()
                .filter(|pair| pair["rule"] == issue["rule"] && pair["group"].split(" / ").any(|body| body == name))
                .count() as i64
        };
        assert!(of_rule(&issue["group"]) >= integer(issue, "pairs"));
    }
}

#[test]
fn tables_of_events_depend_on_neither_threads_nor_memory_and_survive_a_stop() {
    let dir = crowd();
    let dir = dir.path();
    let mut first: Option<BTreeMap<_, _>> = None;
    for (number, options) in
        ["", "--threads 1", "--memory 64MiB --threads 3", "--broad sweep --narrow vclip"].iter().enumerate()
    {
        expect(dir, &format!("run c/rules.toml --between linear --out o{number} {options}"), 3);
        let found = tables(&dir.join(format!("o{number}")));
        assert!(found.contains_key(Path::new("events.parquet")) && found.contains_key(Path::new("issues.parquet")));
        let first = first.get_or_insert_with(|| found.clone());
        assert!(*first == found, "{options}");
    }
}

const RULE: &str = "[[rule]]\nname = \"r\"\na = \"a\"\nb = \"b\"\nrequire = 0.1\n";

/// The states of the events of a run, with its exit code.
fn states(dir: &Path, args: &str, code: i32) -> Vec<String> {
    expect(dir, &format!("run scene.toml --out o --force {args}"), code);
    rows(&dir.join("o/events.parquet")).into_iter().map(|event| event["state"].clone()).collect()
}

#[test]
fn what_is_accepted_counts_no_more_until_it_is_nearer_or_the_day_is_over() {
    let dir = spheres(0.05, "within = 0.5", RULE);
    let dir = dir.path();
    assert_eq!(states(dir, "", 3), ["new"]);
    let said = expect(dir, "accept o --to accepted.csv --reason by-design --by A.B. --rule r", 0);
    assert!(said.contains("1 pair accepted in accepted.csv"), "{said}");
    assert_eq!(states(dir, "--accepted accepted.csv", 0), ["approved"]);
    let summary = &manifest(&dir.join("o"))["summary"];
    assert_eq!(
        (&summary["verdict"], &summary["open"], &summary["violated"]),
        (&"accepted".into(), &0.into(), &1.into())
    );
    let text = expect(dir, "summary o", 0);
    assert!(
        text.contains("all violations are accepted")
            && text.contains("0 open, 1 approved")
            && !text.contains("VIOLATED"),
        "{text}"
    );
    // The scene may name the file, and the order of bodies does not matter.
    let written = fs::read_to_string(dir.join("accepted.csv")).expect("read");
    assert!(
        written.starts_with("rule,a,b,accepted,until,by,reason\nr,a,b,0.0") && written.ends_with(",,A.B.,by-design\n"),
        "{written}"
    );
    let scene = fs::read_to_string(dir.join("scene.toml")).expect("read");
    let file = |rows: &str| {
        fs::write(dir.join("own.csv"), format!("rule,a,b,accepted,until,by,reason\n{rows}")).expect("written")
    };
    fs::write(dir.join("scene.toml"), format!("{scene}[dispositions]\nfile = \"own.csv\"\n")).expect("written");
    for (row, state, code) in [
        ("r,b,a,50mm,,,", "approved", 0),
        ("r,a,b,49.999mm,,,fine", "approved", 0),
        ("r,a,b,51 mm,,,", "worse", 3),
        ("r,a,b,,,,\"seen, not solved\"", "active", 3),
        ("r,a,b,1mm,2001-01-31,,", "expired", 3),
        ("r,a,b,1mm,2999-12-31,,", "approved", 0),
        ("default,a,b,1mm,,,", "new", 3),
        ("other,a,b,1mm,,,", "new", 3),
    ] {
        file(&format!("{row}\n"));
        assert_eq!(states(dir, "", code), [state], "{row}");
    }
    // `--accepted` overrides the file of the scene.
    assert_eq!(states(dir, "--accepted accepted.csv", 0), ["approved"]);
    // A decision about a pair that violates no more is resolved; one of names that are no more is
    // stale, and told.
    file("r,a,b,1mm,,,\ndefault,a,b,1mm,,,done\nr,a,bb,1mm,,,\nrr,a,b,1mm,,,\n");
    assert_eq!(states(dir, "", 0), ["approved"]);
    let issues: Vec<_> = rows(&dir.join("o/issues.parquet"))
        .into_iter()
        .map(|issue| (issue["state"].clone(), issue["note"].clone()))
        .collect();
    let found: Vec<&str> = issues.iter().map(|(state, _)| state.as_str()).collect();
    assert_eq!(found, ["approved", "resolved", "stale", "stale"], "{issues:?}");
    assert!(
        issues[1].1 == "done" && issues[2..].iter().any(|(_, note)| note.contains("no body has the name `bb`")),
        "{issues:?}"
    );
    let text = expect(dir, "summary o", 0);
    assert!(
        text.contains("1 approved, 1 resolved, 2 stale") && text.contains("stale: a and b (rr): no rule"),
        "{text}"
    );
    // A body that has another name now is proposed: it is new, and as near to the same partner.
    file("r,a,was-b,50mm,,,\n");
    assert_eq!(states(dir, "", 3), ["new"]);
    let text = expect(dir, "summary o", 0);
    assert!(text.contains("no body has the name `was-b`; is it `b` now, which is new and as near?"), "{text}");
    // A second acceptance replaces the row of the pair, and keeps the others.
    file("r,a,b,51mm,,,\nr,a,gone,1mm,,,\n");
    assert_eq!(states(dir, "", 3), ["worse"]);
    expect(dir, "accept o --to own.csv --reason again --until 2999-01-01 --all", 0);
    let written = fs::read_to_string(dir.join("own.csv")).expect("read");
    assert!(
        written.contains("r,a,gone,1mm,,,\n")
            && written.contains(",2999-01-01,,again\n")
            && written.lines().count() == 3,
        "{written}"
    );
    assert_eq!(states(dir, "", 0), ["approved"]);
}

#[test]
fn what_cannot_be_accepted_is_one_clear_error_and_writes_nothing() {
    let dir = spheres(0.05, "within = 0.5", RULE);
    let dir = dir.path();
    assert_eq!(states(dir, "", 3), ["new"]);
    let text = |args: &str, code: i32| {
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_clearsweep"))
            .current_dir(dir)
            .args(args.split_whitespace())
            .output()
            .expect("it starts");
        assert_eq!(done.status.code(), Some(code), "{args}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    for (args, code, says) in [
        ("accept o --to x.csv --reason r", 2, "nothing is chosen"),
        ("accept o --to x.csv --reason r --rule other", 1, "no open violation is chosen"),
        ("accept o --to x.csv --reason r --pair a c", 1, "--pair `a` `c` matches none of 1 pair that have one"),
        ("accept o --to x.csv --reason r --pair ? c*", 1, "choose for example --pair 'a' 'b'"),
        ("accept o --to x.csv --reason r --issue 123456789012", 1, "no open violation is chosen"),
        ("accept nowhere --to x.csv --reason r --all", 1, "nowhere"),
        ("accept o --to none/x.csv --reason r --all", 1, "none"),
        ("accept o --to . --reason r --all", 1, "no regular file"),
    ] {
        let said = text(args, code);
        assert!(said.contains(says) && !dir.join("x.csv").exists(), "{args}: {said}");
    }
    let long = format!("rule,a,b,accepted\nr,a,{},1mm\n", "x".repeat(70_000));
    for (file, says) in [
        (&b"rule,a,b\nr,a,b\n"[..], &["no column `accepted`"][..]),
        (b"rule;a;b;accepted\nr;a;b;1mm\n", &["separated by semicolons"]),
        (b"rule,a,b,accepted,why\n", &["unknown column `why`", "rule, a, b, accepted, until, by, reason"]),
        (b"rule,a,b,accepted,a\n", &["column `a` is there twice"]),
        (b"rule,a,b,accepted\nr,a,b,1 inch\n", &["accepted.csv:2, column `accepted`", "inch", "48.2mm"]),
        (b"rule,a,b,accepted\nr,a,b,1mm\nr,b,a,2mm\n", &["accepted.csv:3", "stand on line 2 already"]),
        (
            b"rule,a,b,accepted,until\nr,a,b,1mm,31.12.2027\n",
            &["accepted.csv:2, column `until`", "`31.12.2027` is no day", "2026-03-31"],
        ),
        (b"rule,a,b,accepted\nr,,b,1mm\n", &["accepted.csv:2, column `a`", "is empty"]),
        (b"rule,a,b,accepted\nr,\xff,b,1mm\n", &["accepted.csv:2", "UTF-8"]),
        (b"rule,a,b,accepted\nr,a\n", &["accepted.csv:2"]),
        (b"PK\x03\x04rest", &["accepted.csv"]),
        (long.as_bytes(), &["accepted.csv:2, column `b`", "has 70000 bytes", "65536"]),
        (b"", &["accepted.csv", "no column `rule`"]),
    ] {
        fs::write(dir.join("accepted.csv"), file).expect("written");
        let said = text("run scene.toml --out p --accepted accepted.csv", 1);
        assert!(
            says.iter().all(|part| said.contains(part)) && !dir.join("p").exists(),
            "{:?}: {said}",
            String::from_utf8_lossy(file)
        );
    }
    let said = text("run scene.toml --out p --accepted nowhere.csv", 1);
    assert!(said.contains("nowhere.csv") && said.contains("--accepted"), "{said}");
}

#[test]
fn two_executions_are_compared_by_rules_and_names() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    // Spheres of radius 1 m along x; each pair is apart by its gap, and far from all others.
    let scene = |file: &str, pairs: &[(&str, &str, f64)]| {
        let mut text = "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.5\nrequire = 0.1\n".to_owned();
        for (at, (a, b, gap)) in pairs.iter().enumerate() {
            for (name, x) in [(a, 10.0 * at as f64), (b, 10.0 * at as f64 + 2.0 + gap)] {
                text += &format!(
                    "[[body]]\nname = \"{name}\"\nstatic = true\nshape = {{ sphere = 1 }}\nposition = [{x:?}, 0, 0]\n"
                );
            }
        }
        fs::write(dir.join(file), text).expect("written");
    };
    scene("old.toml", &[("a", "b", 0.05), ("c", "d", 0.05), ("e", "f", 0.05), ("g", "h", 0.05), ("i", "j", 0.3)]);
    // In another order, and with the bodies of a pair swapped.
    scene("new.toml", &[("j", "i", -0.01), ("d", "c", 0.02), ("a", "b", 0.05), ("f", "e", 0.07), ("g", "h", 0.2)]);
    expect(dir, "run old.toml --out old", 3);
    expect(dir, "run new.toml --out new", 3);
    let found: Value = serde_json::from_str(&expect(dir, "diff old new --json", 0)).expect("JSON");
    assert_eq!(found["counts"], serde_json::json!({ "new": 1, "worse": 1, "same": 1, "better": 1, "resolved": 1 }));
    let pairs: Vec<String> = found["pairs"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|pair| {
            format!(
                "{} {} {}",
                pair["change"].as_str().expect("a word"),
                pair["a"].as_str().expect("a name"),
                pair["b"].as_str().expect("a name")
            )
        })
        .collect();
    assert_eq!(pairs, ["new i j", "worse c d", "same a b", "better e f", "resolved g h"]);
    let csv = expect(dir, "diff old new --csv", 0);
    assert!(
        csv.starts_with(
            "change,rule,a,b,old_lower_m,old_upper_m,new_lower_m,new_upper_m,part_a,part_b\nnew,default,i,j,,,-0.01"
        ),
        "{csv}"
    );
    let text = expect(dir, "diff old new", 0);
    for line in [
        "new       1 pair",
        "i and j (default): kept before, 0.01 m deep now",
        "c and d (default): 0.05 m before, 0.02 m now (by 0.03 m)",
        "worse     1 pair by more than 0.000001 m",
        "resolved  1 pair",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let nothing: Value = serde_json::from_str(&expect(dir, "diff old old --json", 0)).expect("JSON");
    assert_eq!(nothing["counts"]["same"], 4);
    // A difference below the threshold is no change: 30 mm of `c` and `d`.
    for (worse_by, expected) in [("29.9mm", "worse"), ("30.1mm", "same"), ("0.0301", "same")] {
        let found: Value =
            serde_json::from_str(&expect(dir, &format!("diff old new --json --worse-by {worse_by}"), 0)).expect("JSON");
        let pairs = found["pairs"].as_array().expect("a list");
        let changed = pairs.iter().find(|pair| pair["a"] == "c").map(|pair| &pair["change"]);
        assert_eq!(changed, Some(&expected.into()), "{worse_by}");
    }
}

#[test]
fn a_difference_within_touch_is_no_change_and_parts_of_one_result_are_named() {
    let dir = tempfile::tempdir().expect("scratch");
    let dir = dir.path();
    let scene = |file: &str, gap: f64, last: &str| {
        let mut text = "[scene]\nlength_unit = \"mm\"\n[query]\nwithin = 100\nrequire = 50\n".to_owned();
        for (name, x) in [("a", 0.0), ("b", 20.0 + gap), (last, -50.0)] {
            text += &format!(
                "[[body]]\nname = \"{name}\"\nstatic = true\nshape = {{ sphere = 10 }}\nposition = [{x:?}, 0, 0]\n"
            );
        }
        fs::write(dir.join(file), text).expect("written");
    };
    scene("old.toml", 15.94, "pump");
    scene("new.toml", 15.94 - 12e-6, "valve");
    expect(dir, "run old.toml --out old", 3);
    expect(dir, "run new.toml --out new", 3);
    let json = |args: &str| -> Value { serde_json::from_str(&expect(dir, args, 0)).expect("JSON") };
    let found = json("diff old new --json");
    assert_eq!(found["counts"], serde_json::json!({ "new": 1, "worse": 0, "same": 1, "better": 0, "resolved": 1 }));
    assert_eq!((&found["threshold_m"], &found["new_parts"][0]), (&1e-6.into(), &"valve".into()));
    assert_eq!(found["gone_parts"], serde_json::json!(["pump"]));
    let part = |pair: &Value| [pair["part_a"].clone(), pair["part_b"].clone()];
    assert_eq!(part(&found["pairs"][0]), [Value::Null, "new".into()], "{found}");
    assert_eq!(part(&found["pairs"][2]), [Value::Null, "gone".into()], "{found}");
    let text = expect(dir, "diff old new", 0);
    for line in [
        "a and valve (new part) (default): not there before, 30 mm now",
        "a and pump (gone part) (default): 30 mm before, not there now",
        "new       1 part: valve",
        "gone      1 part: pump",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(expect(dir, "diff old new --csv", 0).contains(",,new\n"), "CSV names the part");
    // What is asked for is told, with the difference where the digits do not show it.
    assert_eq!(json("diff old new --json --worse-by 0")["counts"]["worse"], 1);
    let text = expect(dir, "diff old new --worse-by 0", 0);
    assert!(text.contains("worse     1 pair by more than 0 mm"), "{text}");
    assert!(text.contains(" (by 1.20e-5 mm)"), "{text}");
}
