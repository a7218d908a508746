//! A building on real data, as docs/guide/building.md tells it: the page's commands are run, and
//! all files of both revisions say the same.

use super::fenced::{fenced, missing_line};
use super::report_files::{Topics, Written, brackets, issue_of, topics};
use super::rules::{expect, rows};
use clearsweep_testing::clone::clone;
use clearsweep_testing::data::{data, repository};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Runs the program in place of its name. Exit code 3: violations.
const SHELL: &str = "set -e; clearsweep() { \"$CLEARSWEEP\" \"$@\" || [ $? = 3 ]; }\n";

/// Runs the commands of the page in a folder, and holds what they print against what it shows.
fn follow(page: &Path, root: &Path) {
    let (mut printed, mut compared) = (String::new(), 0);
    for (language, block) in fenced(page) {
        if language == "sh" {
            let dir = if root.join("review").is_dir() { root.join("review") } else { root.to_owned() };
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(format!("{SHELL}{block}")).current_dir(dir).env_remove("COLUMNS");
            let done = shell.env("CLEARSWEEP", env!("CARGO_BIN_EXE_clearsweep")).output().expect("a shell");
            let [out, err] = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            assert!(done.status.success(), "{block}\n{out}\n{err}");
            printed = out + &err;
        } else if language == "output" {
            let missing = missing_line(&block, &printed);
            assert!(missing.is_none(), "the page shows `{}`, and its commands print\n{printed}", missing.unwrap_or(""));
            compared += 1;
        }
    }
    assert!(compared >= 4, "{compared} blocks were compared");
}

/// The GUID and the status of the topic of each issue.
fn statuses(topics: &Topics) -> BTreeMap<String, (String, String)> {
    let status = |(guid, files): (&String, &BTreeMap<String, String>)| {
        let markup = &files["markup.bcf"];
        let status = markup.split_once("TopicStatus=\"").expect("a status").1.split('"').next().expect("a word");
        (issue_of(markup).to_owned(), (guid.clone(), status.to_owned()))
    };
    topics.iter().map(status).collect()
}

/// The issue of the pairs that two parts of names choose, with an event in a result.
fn issue(dir: &Path, out: &str, a: &str, b: &str) -> String {
    let is_pair = |key: &[String; 4]| {
        let names = [&key[2], &key[3]];
        names.iter().any(|name| name.contains(a)) && names.iter().any(|name| name.contains(b))
    };
    let mut keys: BTreeSet<String> = brackets(dir, out).into_keys().filter(is_pair).map(|[issue, ..]| issue).collect();
    assert_eq!(keys.len(), 1, "{a} and {b} in {out}: {keys:?}");
    keys.pop_first().expect("an issue")
}

#[test]
fn a_building_is_reviewed_and_revised() {
    let Some(duplex) = data("duplex") else { return };
    let root = clone();
    std::os::unix::fs::symlink(duplex, root.path().join("duplex")).expect("linked");
    follow(&repository().join("docs/guide/building.md"), root.path());
    let review = root.path().join("review");
    let dir = review.as_path();
    let [first, second] = ["first", "second"].map(|out| {
        let written = Written::read(dir, out);
        written.agree_with(dir, out, ("mm", 1e-3));
        written
    });
    ids_and_topics_stay(dir, [&first, &second]);
    each_change_is_told(dir, &second);
    decisions_are_in_all_files(&second);
    differences_are_those_of_the_tables(dir);
}

/// A pair that violates in both results has one issue, and an issue one topic.
fn ids_and_topics_stay(dir: &Path, [first, second]: [&Written; 2]) {
    let issues = |out: &str| -> BTreeMap<[String; 3], String> {
        let pairs = brackets(dir, out).into_keys();
        pairs.map(|[issue, rule, a, b]| ([rule, a, b], issue)).collect()
    };
    let (before, after) = (issues("first"), issues("second"));
    let both: Vec<_> = before.keys().filter(|pair| after.contains_key(*pair)).collect();
    assert!(both.len() >= 40, "{} pairs violate in both", both.len());
    for pair in both {
        assert_eq!(before[pair], after[pair], "{pair:?}");
    }
    let (old, new) = (statuses(&first.topics), statuses(&second.topics));
    assert!(old.values().all(|(_, status)| status == "Open"), "{old:?}");
    for (issue, (guid, _)) in &old {
        assert_eq!(new.get(issue).map(|(guid, _)| guid), Some(guid), "the topic of {issue}");
    }
    let states = rows(&dir.join("second/issues.parquet"));
    for row in &states {
        let is_open = ["new", "worse"].contains(&row["state"].as_str());
        assert_eq!(new[&row["issue"]].1, if is_open { "Open" } else { "Closed" }, "{row:?}");
    }
    // BCF 3.0 has the same topics.
    for (out, statuses_2) in [("first", old), ("second", new)] {
        let args = format!("report {out} --bcf {out}-3.bcf --bcf-version 3.0 --author a@b.cd --no-views");
        expect(dir, &args, 0);
        assert_eq!(statuses(&topics(dir, &format!("{out}-3.bcf"))), statuses_2, "{out}");
    }
}

/// Checks that each change of `bodies.py --revised` (move, delete, rename, add) is in the tables
/// and files.
fn each_change_is_told(dir: &Path, second: &Written) {
    let known = rows(&dir.join("second/known_pairs.parquet"));
    let table = rows(&dir.join("second/issues.parquet"));
    let state = |issue: &str| {
        let row = table.iter().find(|row| row["issue"] == issue).expect("an issue");
        (row["state"].as_str(), row["severity"].as_str(), row["note"].as_str())
    };
    // Moved away: all pairs of an issue are solved; of another, one of four.
    let stair = issue(dir, "first", "577808", "Stair");
    assert_eq!(state(&stair), ("resolved", "critical", "none of its 2 pairs violates the rule any more"));
    assert!(second.markup(&stair).contains("none of its 2 pairs violates the rule any more"));
    let door = issue(dir, "first", "203720", "593072");
    assert_eq!(state(&door).0, "new");
    assert!(second.markup(&door).contains("No violation any more: "), "{}", second.markup(&door));
    // Nearer: to a beam, and to a sink unit than was accepted.
    let pair = |out: &str, b: &str| {
        let of = brackets(dir, out).into_iter().find(|(key, _)| key[2].contains(b) || key[3].contains(b));
        of.expect("a pair").1
    };
    assert!(pair("second", "557550")[1] < pair("first", "557550")[0] - 0.009);
    let sink = issue(dir, "second", "205548", "583269");
    assert_eq!((state(&sink).0, issue(dir, "first", "205548", "583269")), ("worse", sink.clone()));
    // Deleted: its issue is stale, and says why.
    let sofa = issue(dir, "first", "167283", "557700");
    assert_eq!((state(&sofa).0, state(&sofa).1), ("stale", "minor"));
    let why = "no body has the name `M_Sofa:1830mm:1830mm:167283/";
    assert!(state(&sofa).2.contains(why) && second.markup(&sofa).contains(why), "{:?}", state(&sofa));
    // Renamed: the old pair stays in its issue, with its decision; the new name is proposed.
    let top = issue(dir, "first", "161165", "600129");
    assert_eq!(issue(dir, "second", "161165", "700129"), top, "the other pair keeps the id");
    let old = known.iter().find(|row| row["body_b"].contains("600129/")).expect("the old name");
    assert_eq!(["issue", "state", "by", "reason"].map(|key| old[key].as_str()), [&top, "stale", "Ben", "cut on site"]);
    let proposal = "is it `Pipe Types:Hot Water:700129/1newHotWaterPipe700129` now";
    assert!(old["note"].contains(proposal) && second.markup(&top).contains(proposal), "{}", second.markup(&top));
    assert!(
        second.page.contains("is it `Pipe Types:Hot Water:700129")
            && expect(dir, "summary second", 0).contains(proposal)
    );
    // Added: an issue of its own.
    let added = issue(dir, "second", "700130", "159734");
    assert_eq!(state(&added).0, "new");
    let before: BTreeSet<String> =
        rows(&dir.join("first/issues.parquet")).iter().map(|row| row["issue"].clone()).collect();
    let later: Vec<&String> = table.iter().map(|row| &row["issue"]).filter(|id| !before.contains(*id)).collect();
    assert_eq!(later, [&added], "no other issue is new");
}

/// Each accepted pair has its reason, by whom and until when, in the page, the topics and the CSV,
/// which is the workbook's text.
fn decisions_are_in_all_files(written: &Written) {
    let mut accepted = BTreeMap::new();
    for row in written.csv.iter().filter(|row| !row["by"].is_empty()) {
        let decided = ["by", "until", "reason"].map(|key| row[key].as_str());
        let words = match decided {
            ["Anna", "2999-12-31", "connection of the sink unit, as drawn"] => {
                "Decision by Anna, until 2999-12-31: connection of the sink unit, as drawn"
            }
            ["Ben", "", "cut on site"] => "Decision by Ben: cut on site",
            _ => panic!("{decided:?}"),
        };
        let issue = row["issue"].as_str();
        assert!(written.article(issue).contains(words) && written.markup(issue).contains(words), "{row:?}");
        *accepted.entry(row["state"].as_str()).or_insert(0) += 1;
    }
    assert_eq!(accepted, BTreeMap::from([("approved", 20), ("worse", 1)]));
}

/// The rule and the bodies, in the order of their names.
fn sorted([rule, a, b]: [String; 3]) -> [String; 3] {
    if a < b { [rule, a, b] } else { [rule, b, a] }
}

/// `diff` has the brackets of both tables, and names the parts.
fn differences_are_those_of_the_tables(dir: &Path) {
    let diff: Value = serde_json::from_str(&expect(dir, "diff first second --json", 0)).expect("JSON");
    let ends = |pair: &Value, side: &str| {
        let of = &pair[side];
        of.is_object().then(|| ["lower_m", "upper_m"].map(|key| of[key].as_f64().expect("a number")))
    };
    let tables = ["first", "second"].map(|out| {
        let brackets = brackets(dir, out).into_iter();
        brackets.map(|([_, rule, a, b], ends)| (sorted([rule, a, b]), ends)).collect::<BTreeMap<_, _>>()
    });
    let mut seen = [0, 0];
    for pair in diff["pairs"].as_array().expect("pairs") {
        let name = sorted(["rule", "a", "b"].map(|key| pair[key].as_str().expect("a name").to_owned()));
        for (side, (table, seen)) in ["old", "new"].into_iter().zip(tables.iter().zip(&mut seen)) {
            assert_eq!(ends(pair, side), table.get(&name).copied(), "{side} of {name:?}");
            *seen += usize::from(table.contains_key(&name));
        }
    }
    assert_eq!(seen, [tables[0].len(), tables[1].len()], "all pairs");
    let counts = ["new", "worse", "same", "better", "resolved"].map(|change| diff["counts"][change].as_u64());
    assert_eq!(counts, [2, 2, 41, 0, 6].map(Some));
    let parts = |key: &str| diff[key].as_array().expect("parts").iter().filter_map(Value::as_str).collect::<Vec<_>>();
    let new =
        ["Pipe Types:Cold Water:700130/1newColdWaterPipe00130", "Pipe Types:Hot Water:700129/1newHotWaterPipe700129"];
    assert_eq!(parts("new_parts"), new);
    let gone = parts("gone_parts");
    assert!(gone.len() == 2 && gone[0].starts_with("M_Sofa:") && gone[1].contains(":600129/"), "{gone:?}");
}
