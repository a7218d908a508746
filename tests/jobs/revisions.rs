//! Issues over revisions of a model: ids and topics stay while a pair stays, solved topics are
//! closed, and all files say the same of a pair.

use super::report::{bcf, read};
use super::report_files::{self, Cells, Topics, Written};
use super::rules::{crowd, expect, number, rows};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A cube of one metre: its name, and its centre.
type Cube = (&'static str, [f64; 3]);

const TRAY: Cube = ("tray", [0.0, 0.0, 0.0]);
const A: Cube = ("a", [1.05, 0.0, 0.0]);
const B: Cube = ("b", [-1.03, 0.0, 0.0]);
const FAR_A: Cube = ("a", [5.0, 0.0, 0.0]);
const FAR_B: Cube = ("b", [-5.0, 0.0, 0.0]);

/// Writes a scene of still cubes that requires 60 mm.
fn scene(dir: &TempDir, name: &str, cubes: &[Cube], more: &str) {
    let mut text =
        "[scene]\nlength_unit = \"m\"\n[query]\nwithin = 0.5\nrequire = 0.06\nstatic_pairs = true\n".to_owned() + more;
    for (name, [x, y, z]) in cubes {
        text += &format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ box = [1, 1, 1] }}\nstatic = true\nposition = [{x:?}, {y:?}, {z:?}]\n"
        );
    }
    fs::write(dir.path().join(name), text).expect("written");
}

fn issues(dir: &TempDir, out: &str) -> Vec<Cells> {
    rows(&dir.path().join(out).join("issues.parquet"))
}

/// Runs a scene, and returns its issues.
fn run(dir: &TempDir, args: &str, out: &str, code: i32) -> Vec<Cells> {
    expect(dir.path(), &format!("run {args} --out {out}"), code);
    issues(dir, out)
}

/// The files of the topics of a result, by GUID.
fn topics(dir: &TempDir, out: &str, version: &str) -> Topics {
    expect(dir.path(), &format!("report {out} --bcf t.bcf --bcf-version {version} --author a@b.cd --force"), 0);
    report_files::topics(dir.path(), "t.bcf")
}

#[test]
fn an_issue_keeps_its_id_and_topic_until_it_is_closed_and_after() {
    let dir = tempfile::tempdir().expect("scratch");
    scene(&dir, "first.toml", &[TRAY, A, B], "");
    scene(&dir, "second.toml", &[TRAY, FAR_A, B], "");
    scene(&dir, "third.toml", &[TRAY, FAR_A, FAR_B], "");
    let first = run(&dir, "first.toml", "out", 3);
    assert_eq!((first.len(), first[0]["pairs"].as_str()), (1, "2"));
    let id = first[0]["issue"].clone();
    let old = topics(&dir, "out", "2.1");
    let guid = old.keys().next().expect("a topic").clone();
    // One of two pairs is solved: another body leads, or none.
    let alone = run(&dir, "second.toml", "alone", 3);
    assert_ne!(alone[0]["issue"], id, "without the earlier result");
    let second = run(&dir, "second.toml --force --previous out", "out", 3);
    assert_eq!((second.len(), &second[0]["issue"], second[0]["state"].as_str()), (1, &id, "new"));
    let events = rows(&dir.path().join("out/events.parquet"));
    assert!(events.len() == 1 && events[0]["issue"] == id);
    for version in ["2.1", "3.0"] {
        let topics = topics(&dir, "out", version);
        let markup = &topics[&guid]["markup.bcf"];
        assert!(topics.len() == 1 && markup.contains("TopicStatus=\"Open\""), "{markup}");
        assert!(markup.contains("No violation any more: a / tray."), "{markup}");
    }
    // The same once more changes nothing.
    let again = run(&dir, "second.toml --previous out", "again", 3);
    assert_eq!(again, second);
    // All pairs are solved: the topic is closed, with a picture of the bodies as they stand now.
    let third = run(&dir, "third.toml --force --previous out", "out", 0);
    assert_eq!((third.len(), &third[0]["issue"], third[0]["state"].as_str()), (1, &id, "resolved"));
    assert_eq!((third[0]["events"].as_str(), third[0]["pairs"].as_str()), ("0", "2"));
    let known = rows(&dir.path().join("out/known_pairs.parquet"));
    assert!(
        known.len() == 2 && known.iter().all(|pair| pair["issue"] == id && pair["state"] == "resolved"),
        "{known:?}"
    );
    assert!(known.iter().all(|pair| number(pair, "earlier_upper_m") < 0.06), "{known:?}");
    for version in ["2.1", "3.0"] {
        let topics = topics(&dir, "out", version);
        let topic = &topics[&guid];
        assert!(topic["markup.bcf"].contains("TopicStatus=\"Closed\""), "{}", topic["markup.bcf"]);
        assert!(
            topic["markup.bcf"].contains("none of its 2 pairs violates the rule any more"),
            "{}",
            topic["markup.bcf"]
        );
        assert!(topic.contains_key("snapshot.png") && topic.contains_key("viewpoint.bcfv"), "{:?}", topic.keys());
    }
    // One comes back: the topic is opened again.
    let fourth = run(&dir, "first.toml --force --previous out", "out", 3);
    assert_eq!((fourth.len(), &fourth[0]["issue"], fourth[0]["state"].as_str()), (1, &id, "new"));
    assert!(topics(&dir, "out", "2.1")[&guid]["markup.bcf"].contains("TopicStatus=\"Open\""));
}

#[test]
fn issues_that_are_split_and_joined_share_no_id() {
    let dir = tempfile::tempdir().expect("scratch");
    let (x, y) = (("x", [0.0, 9.0, 0.0]), ("y", [0.0, 10.02, 0.0]));
    let all = [TRAY, A, B, x, y];
    scene(&dir, "rule.toml", &all, "[report]\ngroup = \"rule\"\n");
    scene(&dir, "element.toml", &all, "");
    scene(&dir, "pair.toml", &all, "[report]\ngroup = \"pair\"\n");
    let by_rule = run(&dir, "rule.toml", "rule", 3);
    let split = run(&dir, "element.toml --previous rule", "split", 3);
    let of = |issues: &[Cells], group: &str| issues.iter().find(|row| row["group"] == group).expect("an issue").clone();
    // The id goes to the issue that has most of the pairs.
    assert_eq!((by_rule.len(), split.len()), (1, 2));
    assert_eq!(of(&split, "tray")["issue"], by_rule[0]["issue"]);
    assert_ne!(of(&split, "x / y")["issue"], by_rule[0]["issue"]);
    let single = run(&dir, "pair.toml", "pair", 3);
    let joined = run(&dir, "rule.toml --previous pair", "joined", 3);
    let (open, closed): (Vec<_>, Vec<_>) = joined.iter().partition(|row| row["state"] == "new");
    // Each of three has one pair in common: the one that was listed first stays.
    assert_eq!((open.len(), closed.len(), &open[0]["issue"]), (1, 2, &single[0]["issue"]));
    for issue in closed {
        assert!(single.iter().any(|row| row["issue"] == issue["issue"]), "{issue:?}");
        assert_eq!(issue["note"], format!("its pairs belong to issue {} now", single[0]["issue"]));
    }
    let topics = topics(&dir, "joined", "2.1");
    let closed = topics.values().filter(|topic| topic["markup.bcf"].contains("TopicStatus=\"Closed\"")).count();
    assert_eq!((topics.len(), closed), (3, 2));
    assert!(topics.values().all(|topic| topic.contains_key("snapshot.png")));
    // The next result says the same, and a pair is not said to be solved while it belongs to
    // another issue.
    let again = run(&dir, "rule.toml --previous joined", "joined-again", 3);
    assert_eq!(again, joined);
}

#[test]
fn a_body_that_is_renamed_or_gone_is_named() {
    let dir = tempfile::tempdir().expect("scratch");
    let other = ("a-2", A.1);
    scene(&dir, "two.toml", &[TRAY, A, B], "");
    scene(&dir, "one.toml", &[TRAY, A], "");
    scene(&dir, "two-renamed.toml", &[TRAY, other, B], "");
    scene(&dir, "one-renamed.toml", &[TRAY, other], "");
    let two = run(&dir, "two.toml", "two", 3);
    let renamed = run(&dir, "two-renamed.toml --previous two", "two-renamed", 3);
    assert_eq!((renamed.len(), &renamed[0]["issue"]), (1, &two[0]["issue"]), "the other pair stays");
    let one = run(&dir, "one.toml", "one", 3);
    let renamed = run(&dir, "one-renamed.toml --previous one", "one-renamed", 3);
    assert_eq!((renamed.len(), renamed[0]["state"].as_str(), renamed[1]["state"].as_str()), (2, "new", "stale"));
    assert_eq!(renamed[1]["issue"], one[0]["issue"]);
    assert_eq!(renamed[1]["note"], "no body has the name `a`; is it `a-2` now, which is new and as near?");
    let done = Command::new(env!("CARGO_BIN_EXE_clearsweep"))
        .current_dir(dir.path())
        .args("report one-renamed --bcf r.bcf --author a@b.cd --json".split(' '))
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let id = &one[0]["issue"];
    assert!(
        said.contains(&format!("1 of 2 topics without a snapshot, which BIMcollab and Solibri refuse: {id}")),
        "{said}"
    );
    let printed: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(printed["topics_without_snapshot"], serde_json::json!([id]));
    let closed = topics(&dir, "one-renamed", "2.1").into_values().find(|topic| !topic.contains_key("snapshot.png"));
    assert!(closed.expect("the stale one")["markup.bcf"].contains("TopicStatus=\"Closed\""));
}

#[test]
fn an_accepted_pair_that_is_gone_stays_in_its_issue() {
    let dir = tempfile::tempdir().expect("scratch");
    let rule = "[[rule]]\nname = \"r\"\na = \"*\"\nrequire = 0.06\nseverity = \"minor\"\n";
    scene(&dir, "both.toml", &[TRAY, A, B], rule);
    scene(&dir, "renamed.toml", &[TRAY, ("a-2", A.1), B], rule);
    scene(&dir, "alone.toml", &[TRAY], rule);
    scene(&dir, "without.toml", &[A, B], rule);
    let first = run(&dir, "both.toml", "first", 3);
    expect(dir.path(), "accept first --to accepted.csv --by Anna --reason seal --all", 0);
    // One of two is renamed: its decision stays with the issue, which the other pair holds.
    let second = run(&dir, "renamed.toml --accepted accepted.csv --previous first", "second", 3);
    assert_eq!((second.len(), &second[0]["issue"], second[0]["state"].as_str()), (1, &first[0]["issue"], "new"));
    let known = rows(&dir.path().join("second/known_pairs.parquet"));
    let gone = known.iter().find(|row| row["body_a"] == "a").expect("the old name");
    assert_eq!([&gone["issue"], &gone["state"], &gone["by"]], [&first[0]["issue"], "stale", "Anna"]);
    let note = "no body has the name `a`; is it `a-2` now, which is new and as near?";
    assert_eq!(gone["note"], note);
    let topics = topics(&dir, "second", "2.1");
    let markup = &topics.values().next().expect("a topic")["markup.bcf"];
    assert!(topics.len() == 1 && markup.contains(&format!("No violation any more: a / tray ({note}).")), "{markup}");
    assert!(expect(dir.path(), "summary second", 0).contains(&format!("stale: a and tray (r): {note}")));
    // Without the earlier result it is an issue of its own, of the severity of its rule.
    let own = run(&dir, "renamed.toml --accepted accepted.csv", "own", 3);
    assert_eq!((own.len(), own[1]["state"].as_str(), own[1]["severity"].as_str()), (2, "stale", "minor"));
    // All pairs are gone: the note says why.
    for (scene, note) in [("alone", " (1: no body has the name `a`)"), ("without", ": no body has the name `tray`")] {
        let last = run(&dir, &format!("{scene}.toml --accepted accepted.csv --previous first --allow-empty"), scene, 0);
        let told = ["issue", "state", "pairs"].map(|key| last[0][key].as_str());
        assert_eq!((last.len(), told), (1, [&first[0]["issue"], "stale", "2"]), "{scene}");
        assert_eq!(last[0]["note"], format!("none of its 2 pairs violates the rule any more{note}"));
    }
}

#[test]
fn every_topic_has_a_snapshot_or_is_named() {
    let dir = tempfile::tempdir().expect("scratch");
    let far = |name, y: f64| [(name, [0.0, y, 0.0]), (if name == "c" { "d" } else { "f" }, [1.02, y, 0.0])];
    scene(&dir, "scene.toml", &[&[TRAY, A][..], &far("c", 9.0), &far("e", 19.0)].concat(), "");
    run(&dir, "scene.toml", "out", 3);
    let args = "report out --bcf a.bcf --author a@b.cd --max-issues 1 --force --png pictures --json";
    let said: serde_json::Value = serde_json::from_str(&expect(dir.path(), args, 0)).expect("JSON");
    assert_eq!(said["topics_without_snapshot"], serde_json::json!([]));
    let count = |end: &str| bcf(&read(dir.path(), "a.bcf")).keys().filter(|name| name.ends_with(end)).count();
    assert_eq!((count("markup.bcf"), count("snapshot.png")), (3, 3), "whatever --max-issues says");
    assert_eq!(fs::read_dir(dir.path().join("pictures")).expect("a folder").count(), 1);
    let said: serde_json::Value = serde_json::from_str(&expect(
        dir.path(),
        "report out --bcf a.bcf --author a@b.cd --no-views --force --json",
        0,
    ))
    .expect("JSON");
    assert_eq!(said["topics_without_snapshot"].as_array().map(Vec::len), Some(3));
}

#[test]
fn all_files_say_the_same_of_a_pair() {
    let dir = tempfile::tempdir().expect("scratch");
    scene(&dir, "scene.toml", &[TRAY, A, B], "[dispositions]\nfile = \"accepted.csv\"\n");
    let file = "rule,a,b,accepted,until,by,reason\ndefault,b,tray,0.02,2999-12-31,Anna,seal & gap 4711\n";
    fs::write(dir.path().join("accepted.csv"), file).expect("written");
    let found = run(&dir, "scene.toml", "out", 3);
    assert_eq!(
        (found.len(), found[0]["pairs"].as_str()),
        (1, "2"),
        "an accepted pair, and an open one that is farther apart"
    );
    expect(dir.path(), "report out --html a.html --bcf a.bcf --author a@b.cd --xlsx a.xlsx --csv a.csv", 0);
    let written = Written::read(dir.path(), "a");
    written.agree_with(dir.path(), "out", ("m", 1.0));
    let csv = &written.csv;
    assert_eq!(csv.len(), 2);
    assert!(csv[0]["state"] == "new" && csv[1]["state"] == "approved");
    assert!(number(&csv[1], "at_most_m") < number(&csv[0], "at_most_m"));
    let decided = ["until", "by", "reason"].map(|name| csv[1][name].as_str());
    assert_eq!(decided, ["2999-12-31", "Anna", "seal & gap 4711"]);
    let markup = written.markup(&found[0]["issue"]);
    let decision = "Decision by Anna, until 2999-12-31: seal &amp; gap 4711";
    assert!(
        markup.contains(&format!("{decision} (b / tray)")) || markup.contains(&format!("{decision} (tray / b)")),
        "{markup}"
    );
    assert!(written.article(&found[0]["issue"]).replace("&#38;", "&amp;").contains(decision), "the page");
}

#[test]
fn merged_issues_follow_an_earlier_result_as_those_of_one_machine() {
    let dir = crowd();
    let run = "run c/scene.toml --between linear --within 60mm";
    expect(dir.path(), &format!("{run} --out first --require 50mm"), 3);
    let later = format!("{run} --require 5mm");
    expect(dir.path(), &format!("{later} --out whole --previous first"), 3);
    for shard in ["0/2", "1/2"] {
        expect(dir.path(), &format!("{later} --out shards --shard {shard}"), 0);
    }
    expect(dir.path(), "merge shards --out merged --previous first", 3);
    for table in ["issues.parquet", "events.parquet", "known_pairs.parquet"] {
        let [merged, whole] = ["merged", "whole"].map(|out| read(&dir.path().join(out), table));
        assert!(merged == whole, "{table}");
    }
    let ids = |out: &str| issues(&dir, out).into_iter().map(|row| row["issue"].clone()).collect::<BTreeSet<_>>();
    let (first, whole) = (ids("first"), ids("whole"));
    assert!(first.is_subset(&whole), "no issue is lost");
    assert!(issues(&dir, "whole").iter().any(|row| row["state"] == "resolved"));
    assert_eq!(whole.len(), issues(&dir, "whole").len(), "ids are unique");
    // Solved pairs of bodies that move are shown, too.
    assert!(topics(&dir, "whole", "3.0").values().all(|topic| topic.contains_key("snapshot.png")));
}

#[test]
fn an_earlier_result_has_to_be_one() {
    let dir = tempfile::tempdir().expect("scratch");
    scene(&dir, "scene.toml", &[TRAY, A], "");
    let free = fs::read_to_string(dir.path().join("scene.toml")).expect("read").replace("require = 0.06\n", "");
    fs::write(dir.path().join("free.toml"), free).expect("written");
    run(&dir, "scene.toml", "out", 3);
    expect(dir.path(), "run free.toml --out free", 0);
    let refused = |args: &str, code: i32, words: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clearsweep"));
        let done = command.current_dir(dir.path()).args(args.split(' ')).output().expect("it starts");
        let said = String::from_utf8_lossy(&done.stderr).replace('\n', " ");
        assert!(done.status.code() == Some(code) && said.contains(words), "{args}: {:?} {said}", done.status.code());
        assert!(!Path::new(&dir.path().join("new")).exists(), "{args}: nothing is written");
    };
    refused("run scene.toml --out new --previous nowhere", 1, "nowhere");
    refused("run scene.toml --out new --previous free", 1, "has no table `issues`");
    refused("run free.toml --out new --previous out", 2, "nothing is required");
    refused("run scene.toml --out - --previous out", 2, "--previous");
}
