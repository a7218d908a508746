//! Reports: every issue is in every format, numbers are those of the tables, and nothing is written
//! that the execution did not read.

use super::rules::{crowd, expect, number, rows};
use clearsweep_testing::folder::files;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Runs the program, and returns its exit code and what it wrote to stderr.
fn refused(dir: &Path, args: &str) -> (Option<i32>, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_clearsweep"))
        .current_dir(dir)
        .args(args.split_whitespace())
        .env("COLUMNS", "1000")
        .output()
        .expect("it starts");
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

/// A crowd of 40 bodies in two runs under rules, with motion between frames, in `out`.
fn crowd_out() -> TempDir {
    let dir = crowd();
    expect(dir.path(), "run c/rules.toml --out out --between linear --within 50mm", 3);
    dir
}

pub(super) fn read(dir: &Path, name: &str) -> Vec<u8> {
    fs::read(dir.join(name)).expect("a file")
}

pub(super) fn text(dir: &Path, name: &str) -> String {
    String::from_utf8(read(dir, name)).expect("UTF-8")
}

/// Names whose every character has a meaning somewhere: HTML, XML, JSON, spreadsheets, terminals,
/// right-to-left text.
const HOSTILE: [&str; 4] = [
    "</script><script>alert(1)</script>",
    "=HYPERLINK(\"x\") & 'y' ]]> -->",
    "\u{202e}\u{5e9}\u{5dc}\u{5d5}\u{5dd}\u{2028}",
    "{{ 7*7 }} {% raw %}",
];

/// Two still pairs of overlapping boxes with hostile names, in `h`.
fn hostile() -> TempDir {
    let dir = tempfile::tempdir().expect("scratch");
    let mut scene = "[scene]\nname = \"</title><b>\"\nlength_unit = \"mm\"\n[query]\nwithin = 100\nrequire = 50\nstatic_pairs = true\n".to_owned();
    for (number, name) in HOSTILE.iter().enumerate() {
        let name = serde_json::to_string(name).expect("a text");
        scene += &format!(
            "[[body]]\nname = {name}\nshape = {{ box = [10, 20, 30] }}\nstatic = true\nposition = [{}, 0, 0]\n",
            9 * number
        );
    }
    fs::write(dir.path().join("scene.toml"), scene).expect("written");
    expect(dir.path(), "run scene.toml --out out", 3);
    dir
}

#[test]
fn every_issue_is_on_the_page_and_nothing_is_loaded() {
    let dir = crowd_out();
    expect(dir.path(), "report out --html a.html --max-issues 5", 0);
    expect(dir.path(), "report out --html b.html --max-issues 5", 0);
    let page = text(dir.path(), "a.html");
    assert_eq!(page, text(dir.path(), "b.html"), "the same bytes");
    let issues = rows(&dir.path().join("out/issues.parquet"));
    assert!(issues.len() > 8, "some issues are beyond the limit: {}", issues.len());
    for issue in &issues {
        assert!(page.contains(&format!("issue-{}", issue["issue"])), "issue {}", issue["issue"]);
    }
    for source in ["src=\"http", "href=\"http", "url(http", "@import", "fetch(", "XMLHttpRequest"] {
        assert!(!page.contains(source), "`{source}` loads something");
    }
    assert!(page.contains("default-src 'none'"), "the page may load nothing");
    for missing in ["\"NaN", ",NaN", " NaN", ":NaN", "\"Infinity", ":Infinity", "\"inf\"", "\"-inf"] {
        assert!(!page.contains(missing), "`{missing}` is no number");
    }
}

#[test]
fn hostile_names_are_text_everywhere() {
    let dir = hostile();
    expect(dir.path(), "report out --html a.html --bcf a.bcf --author a@b.cd --csv a.csv --xlsx a.xlsx --glb a.glb", 0);
    let page = text(dir.path(), "a.html");
    for tag in ["<script>alert", "</title><b>", "\u{202e}", "\u{2028}"] {
        assert!(!page.contains(tag), "`{}` stands on the page as it is", tag.escape_debug());
    }
    // Scripts of ours, and the end of each, are all that there are.
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
    let csv = text(dir.path(), "a.csv");
    assert!(csv.contains("'=HYPERLINK"), "a formula is text: {csv}");
    for (name, markup) in bcf(&read(dir.path(), "a.bcf")) {
        if name.ends_with("markup.bcf") {
            assert!(!markup.contains("<script>") && !markup.contains("]]>"), "{markup}");
        }
    }
}

/// The texts of a BCF archive by their names.
pub(super) fn bcf(bytes: &[u8]) -> BTreeMap<String, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut found = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("a file");
        let (name, mut bytes) = (file.name().expect("a name").to_string(), Vec::new());
        file.read_to_end(&mut bytes).expect("read");
        found.insert(name, String::from_utf8_lossy(&bytes).into_owned());
    }
    found
}

#[test]
fn topics_keep_their_guids_over_revisions() {
    let dir = crowd_out();
    let bcf_of = |out: &str, version: &str| {
        let name = format!("{out}-{version}.bcf");
        expect(
            dir.path(),
            &format!("report {out} --bcf {name} --bcf-version {version} --author a@b.cd --max-issues 3"),
            0,
        );
        bcf(&read(dir.path(), &name))
    };
    let topics = |files: &BTreeMap<String, String>| -> BTreeMap<String, String> {
        let markups = files.iter().filter(|(name, _)| name.ends_with("markup.bcf"));
        markups.map(|(name, text)| (name.split('/').next().expect("a folder").to_owned(), text.clone())).collect()
    };
    // A revision: another body, and a tenth of a millimetre more is required by default.
    let scene = text(dir.path(), "c/rules.toml")
        + "[[body]]\nname = \"added\"\nshape = { sphere = 0.01 }\nstatic = true\nposition = [99.0, 0.0, 0.0]\n";
    fs::write(dir.path().join("c/later.toml"), scene).expect("written");
    expect(dir.path(), "run c/later.toml --out later --between linear --within 50mm", 3);
    let of = |out: &str| -> BTreeSet<String> {
        rows(&dir.path().join(out).join("issues.parquet")).iter().map(|row| row["issue"].clone()).collect()
    };
    assert_eq!(of("out"), of("later"), "the same issues");
    for version in ["2.1", "3.0"] {
        let (old, new) = (topics(&bcf_of("out", version)), topics(&bcf_of("later", version)));
        let guids = |topics: &BTreeMap<String, String>| topics.keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(guids(&old), guids(&new));
        assert_eq!(old.len(), of("out").len(), "a topic for every issue, whatever --max-issues says");
    }
}

#[test]
fn rows_of_the_table_are_those_of_the_events() {
    let dir = crowd_out();
    expect(dir.path(), "report out --csv a.csv --max-issues 1", 0);
    let mut least: BTreeMap<[String; 4], (f64, f64)> = BTreeMap::new();
    for event in rows(&dir.path().join("out/events.parquet")) {
        let key = ["issue", "rule", "body_a", "body_b"].map(|column| event[column].clone());
        let (lower, upper) = (number(&event, "lower_m"), number(&event, "upper_m"));
        let of = least.entry(key).or_insert((lower, upper));
        *of = (of.0.min(lower), of.1.min(upper));
    }
    let written = text(dir.path(), "a.csv");
    let mut reader = csv::Reader::from_reader(written.trim_start_matches('\u{feff}').as_bytes());
    let headers: Vec<String> = reader.headers().expect("headers").iter().map(str::to_owned).collect();
    let mut seen = 0;
    for record in reader.records() {
        let record = record.expect("a record");
        let cell = |name: &str| &record[headers.iter().position(|header| header == name).expect("a column")];
        let key = ["issue", "rule", "body_a", "body_b"].map(|column| cell(column).to_owned());
        let (lower, upper) = least[&key];
        for (column, value) in [("at_least_m", lower), ("at_most_m", upper)] {
            let written: f64 = cell(column).parse().expect("a number");
            assert!(
                (written - value).abs() <= 1e-9 * value.abs().max(1.0),
                "{key:?}: {column} is {written}, not {value}"
            );
        }
        seen += 1;
    }
    assert_eq!(seen, least.len(), "a row for every pair of every issue");
}

#[test]
fn pairs_that_no_list_has_are_counted() {
    let dir = tempfile::tempdir().expect("scratch");
    let body = |name: &str, sides: [u32; 3], x: u32| {
        format!("[[body]]\nname = \"{name}\"\nshape = {{ box = {sides:?} }}\nposition = [{x}, 0, 0]\nstatic = true\n")
    };
    let bolts: String = (0..60).map(|i| body(&format!("bolt-{i}"), [20, 20, 60], 100 * i)).collect();
    let head = "[scene]\nlength_unit = \"mm\"\n[query]\nrequire = 0\n";
    let scene = format!("{head}{}{bolts}", body("plate", [14000, 100, 10], 0));
    fs::write(dir.path().join("scene.toml"), scene).expect("written");
    expect(dir.path(), "run scene.toml --out out", 3);
    let said = expect(dir.path(), "report out --csv out.csv --xlsx out.xlsx", 0);
    assert!(said.contains("10 pairs not listed: an issue lists its 50 nearest"), "{said}");
    assert_eq!(text(dir.path(), "out.csv").lines().count(), 1 + 50);
    let json: Value = serde_json::from_str(&expect(dir.path(), "report out --csv again.csv --json", 0)).expect("JSON");
    assert_eq!(json["pairs_not_listed"], 10);
}

#[test]
fn a_scene_of_a_moment_is_read_back_where_it_was() {
    let dir = crowd();
    expect(dir.path(), "run c/rules.toml --out out --within 50mm", 3);
    expect(dir.path(), "report out --glb worst.glb", 0);
    let glb = read(dir.path(), "worst.glb");
    let length = u32::from_le_bytes(glb[12..16].try_into().expect("four bytes")) as usize;
    let json: Value = serde_json::from_slice(&glb[20..20 + length]).expect("JSON");
    let origin: Vec<f64> = json["asset"]["extras"]["origin_m"]
        .as_array()
        .expect("an origin")
        .iter()
        .map(|c| c.as_f64().expect("a number"))
        .collect();
    let [run, frame] = ["run", "frame"].map(|key| json["asset"]["extras"][key].to_string());
    let poses = rows(&dir.path().join("c/trajectories.parquet"));
    let mut compared = 0;
    for node in json["nodes"].as_array().expect("nodes").iter().filter(|node| node["mesh"].is_number()) {
        let of = |row: &&BTreeMap<String, String>| {
            row["run"] == run && row["frame"] == frame && Some(row["body"].as_str()) == node["name"].as_str()
        };
        let pose = poses.iter().find(of).expect("a pose");
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            let placed = node["translation"][axis].as_f64().unwrap_or(0.0) + origin[axis];
            // Bodies are recentred by less than their size.
            assert!((placed - number(pose, name)).abs() < 1.0, "{} {name}: {placed}", node["name"]);
        }
        let turned: f64 = ["qx", "qy", "qz", "qw"]
            .iter()
            .enumerate()
            .map(|(k, name)| node["rotation"][k].as_f64().unwrap_or(f64::from(u8::from(k == 3))) * number(pose, name))
            .sum();
        assert!((turned.abs() - 1.0).abs() < 1e-5, "{}: turned by {turned}", node["name"]);
        compared += 1;
    }
    assert_eq!(compared, 40, "all bodies");
    expect(dir.path(), "report out --glb run.glb --run 1", 0);
    assert!(read(dir.path(), "run.glb").windows(11).any(|part| part == b"\"animations"), "it moves");
    assert_eq!(refused(dir.path(), "report out --glb no.glb --run 77").0, Some(2));
    assert_eq!(refused(dir.path(), "report out --glb no.glb --issue 000000000000").0, Some(2));
}

#[test]
fn pictures_are_the_same_each_time() {
    let dir = crowd_out();
    expect(dir.path(), "report out --png a --max-issues 4", 0);
    expect(dir.path(), "report out --png b --max-issues 4", 0);
    let (a, b) = (files(&dir.path().join("a")), files(&dir.path().join("b")));
    assert_eq!(a.len(), 4);
    assert_eq!(a, b);
    assert!(a.values().all(|bytes| bytes.starts_with(b"\x89PNG")));
}

#[test]
fn an_input_that_has_changed_is_named() {
    let dir = crowd_out();
    let scene = dir.path().join("c/rules.toml");
    let old = fs::read(&scene).expect("read");
    fs::write(&scene, [&old[..], b"# a word\n"].concat()).expect("written");
    let (code, said) = refused(dir.path(), "report out --html a.html");
    assert!(code == Some(1) && said.contains("c/rules.toml") && said.contains("has changed"), "{said}");
    fs::write(&scene, old).expect("written");
    let poses = dir.path().join("c/trajectories.parquet");
    let other = tempfile::tempdir().expect("scratch");
    expect(other.path(), "generate crowd --out c --bodies 40 --frames 70 --runs 2 --density 0.4 --seed 4", 0);
    fs::copy(other.path().join("c/trajectories.parquet"), &poses).expect("copied");
    let (code, said) = refused(dir.path(), "report out --html a.html");
    assert!(code == Some(1) && said.contains("trajectories.parquet") && said.contains("has changed"), "{said}");
    assert!(!dir.path().join("a.html").exists());
    fs::remove_file(&poses).expect("removed");
    assert_eq!(refused(dir.path(), "report out --html a.html").0, Some(1));
    expect(dir.path(), "report out --html a.html --no-views", 0);
    assert!(text(dir.path(), "a.html").contains("issue-"), "the list is there without views");
}

#[test]
fn a_run_writes_its_page_in_one_go() {
    let dir = crowd();
    expect(dir.path(), "run c/rules.toml --out out --within 50mm --report page.html", 3);
    expect(dir.path(), "report out --html same.html", 0);
    assert_eq!(text(dir.path(), "page.html"), text(dir.path(), "same.html"));
    // A page that could not be written is refused before anything is computed.
    for (flags, place) in [("", "exists already"), ("--force --report out/page.html", "holds its tables only")] {
        let report = if flags.is_empty() { "--force-not" } else { flags };
        let args = match report {
            "--force-not" => "run c/rules.toml --out other --within 50mm --report page.html".to_owned(),
            flags => format!("run c/rules.toml --out out --within 50mm {flags}"),
        };
        let (code, said) = refused(dir.path(), &args);
        assert!(code != Some(3) && said.contains(place), "{args}: {said}");
    }
    assert!(!dir.path().join("other").exists());
}

#[test]
fn what_cannot_be_made_is_refused_before_anything_is_read() {
    let dir = crowd_out();
    fs::write(dir.path().join("there.html"), "mine").expect("written");
    let wrong = [
        ("report out", 2, "no file is asked for"),
        ("report out --bcf a.bcf", 2, "--author"),
        ("report out --bcf a.bcf --author nobody", 2, "--author"),
        ("report out --html there.html", 1, "exists already"),
        ("report out --html out/a.html", 2, "holds its tables only"),
        ("report out --html a --csv a", 2, "named for two formats"),
        ("report out --png a --no-views", 2, "--no-views"),
        ("report c --html a.html", 1, "not the output"),
        ("report out --html nowhere/a.html", 1, "cannot be written"),
    ];
    for (args, expected, words) in wrong {
        let (code, said) = refused(dir.path(), args);
        assert!(code == Some(expected) && said.contains(words), "{args}: {code:?} {said}");
    }
    assert_eq!(text(dir.path(), "there.html"), "mine");
    expect(dir.path(), "report out --html there.html --force", 0);
}

#[test]
fn jobs_without_an_issue_have_a_page_too() {
    let dir = hostile();
    let rule = "[[rule]]\nname = \"deep\"\na = \"*\"\nrequire = \"-30mm\"\n";
    fs::write(dir.path().join("deep.toml"), text(dir.path(), "scene.toml") + rule).expect("written");
    for (scene, flags, code, words) in
        [("scene.toml", "--require 0", 3, "nearer than required"), ("deep.toml", "", 0, "No pair comes nearer")]
    {
        expect(dir.path(), &format!("run {scene} --out out --force {flags}"), code);
        expect(dir.path(), "report out --html a.html --force --csv a.csv --xlsx a.xlsx --bcf a.bcf --author a@b.cd", 0);
        assert!(text(dir.path(), "a.html").contains(words), "{scene} {flags}");
    }
    let scene = text(dir.path(), "scene.toml").replace("require = 50\n", "");
    fs::write(dir.path().join("scene.toml"), scene).expect("written");
    expect(dir.path(), "run scene.toml --out out --force", 0);
    expect(dir.path(), "report out --html a.html --force --glb a.glb", 0);
    assert!(text(dir.path(), "a.html").contains("Nothing is required"));
}

#[test]
fn tables_of_another_job_and_damaged_ones_are_refused() {
    let (dir, other) = (crowd_out(), hostile());
    for table in ["events.parquet", "issues.parquet"] {
        fs::copy(other.path().join("out").join(table), dir.path().join("out").join(table)).expect("copied");
    }
    let (code, said) = refused(dir.path(), "report out --html a.html");
    assert!(code == Some(1) && said.contains("events.parquet") && said.contains("not that of the scene"), "{said}");
    let dir = crowd_out();
    for table in ["events.parquet", "issues.parquet", "pairs.parquet", "bodies.parquet", "distances/part-00000.parquet"]
    {
        let path = dir.path().join("out").join(table);
        let whole = fs::read(&path).expect("read");
        for damaged in [&whole[..whole.len() / 2], &[], b"PAR1 no table at all PAR1"] {
            fs::write(&path, damaged).expect("written");
            let (code, said) = refused(dir.path(), "report out --html a.html");
            assert!(code == Some(1) && said.contains(table), "{table}: {code:?} {said}");
        }
        fs::write(&path, whole).expect("written");
    }
    expect(dir.path(), "report out --html a.html --max-issues 0", 0);
    assert!(text(dir.path(), "a.html").contains("issue-"), "all issues are rows");
}

/// A door and a drawer that meet a post, as a grid of both.
const CABINET: &str = r#"
[scene]
length_unit = "mm"
[query]
within = 50
require = 5
[[body]]
name = "door"
shape = { box = [400, 20, 600] }
position = [200, 0, 300]
[[body]]
name = "drawer"
shape = { box = [100, 100, 100] }
position = [-500, 0, 300]
[[body]]
name = "post"
shape = { box = [40, 40, 600] }
static = true
position = [0, 300, 300]
[[joint]]
name = "door-hinge"
type = "revolute"
child = "door"
axis = [0, 0, 1]
range = ["0deg", "120deg"]
[[joint]]
name = "slide"
type = "prismatic"
child = "drawer"
axis = [0, -1, 0]
range = ["0mm", "200mm"]
[[sweep]]
joints = ["door-hinge", "slide"]
path = "grid"
steps = 4
"#;

#[test]
fn a_sweep_speaks_in_values_of_its_joints() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let lid = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/joints/lid.toml");
    expect(dir, &format!("run {} --require 5mm --out lid --report lid.html", lid.display()), 3);
    let page = text(dir, "lid.html");
    for words in [
        "hinge clear to 96.0414 deg, contact by 96.0415 deg",
        "hinge from 0 deg to 110 deg in 37 steps",
        "hinge from 98.1081 deg to 110 deg (frames 33 to 37)",
        ">hinge, deg<",
    ] {
        assert!(page.contains(words), "{words}");
    }
    fs::write(dir.join("scene.toml"), CABINET).expect("written");
    expect(dir, "run scene.toml --out grid --report grid.html", 3);
    let page = text(dir, "grid.html");
    for words in
        ["(slide at 150 mm)", "of 5 runs violate", "worst of 5 runs: the deepest overlap or nearest distance that"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("(95 %:") && !page.contains(" %)"), "runs of a sweep are no draws");
    let alone = CABINET.replace("\"grid\"", "\"one-by-one\"");
    fs::write(dir.join("scene.toml"), alone).expect("written");
    expect(dir, "run scene.toml --out alone --report alone.html", 3);
    assert!(text(dir, "alone.html").contains("run 0 (door-hinge alone)"));
    let crowd = crowd_out();
    expect(crowd.path(), "report out --html a.html", 0);
    assert!(text(crowd.path(), "a.html").contains("(95 %:"), "draws have a probability");
    let told = expect(dir, "summary grid", 0);
    assert!(told.contains(" of 5 runs\n") && !told.contains("95 % interval"), "{told}");
    // Postures that are drawn are draws.
    let drawn = CABINET.replace("path = \"grid\"\nsteps = 4", "path = \"random\"\nsamples = 60\nseed = 3");
    fs::write(dir.join("scene.toml"), drawn).expect("written");
    let told = expect(dir, "run scene.toml --out drawn --report drawn.html", 3);
    assert!(told.contains(" of 60 runs (") && told.contains("95 % interval"), "{told}");
    let page = text(dir, "drawn.html");
    assert!(page.contains("slide from 0 mm to 200 mm, 60 draws at random") && page.contains("(95 %:"), "draws");
}

#[test]
fn times_that_are_dates_are_shown_as_dates() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let scene = "[scene]\nlength_unit = \"m\"\ntrajectories = \"t.csv\"\n[query]\nwithin = 1\nrequire = 0.5\n\
                 [[body]]\nname = \"cart\"\nshape = { sphere = 0.5 }\n\
                 [[body]]\nname = \"post\"\nshape = { sphere = 0.5 }\nstatic = true\nposition = [9, 0, 0]\n";
    fs::write(dir.join("scene.toml"), scene).expect("written");
    let rows = |time: fn(i32) -> String| -> String {
        let row = |k: i32| format!("{k},{},cart,{k},0,0,1,0,0,0\n", time(k));
        "frame,time_s,body,x,y,z,qw,qx,qy,qz\n".to_owned() + &(0..9).map(row).collect::<String>()
    };
    for (time, origin, words) in [
        (
            (|k| format!("2026-03-01T12:00:0{k}.25Z")) as fn(i32) -> String,
            "1970-01-01T00:00:00Z",
            "frame 8 (2026-03-01 12:00:08.25 UTC)",
        ),
        ((|k| format!("{k}.25")) as fn(i32) -> String, "", "frame 8 (8.25 s)"),
    ] {
        fs::write(dir.join("t.csv"), rows(time)).expect("written");
        expect(dir, "run scene.toml --out out --report a.html --force", 3);
        let manifest: Value = serde_json::from_str(&text(dir, "out/manifest.json")).expect("JSON");
        assert_eq!(manifest["options"]["time_origin"].as_str().unwrap_or_default(), origin);
        assert!(text(dir, "a.html").contains(words), "{words}");
    }
}

/// The JSON in an element of a page.
fn data(page: &str, id: &str) -> Value {
    let start = format!("id=\"{id}\">");
    let from = page.find(&start).expect("the element") + start.len();
    let json = &page[from..from + page[from..].find("</script>").expect("its end")];
    serde_json::from_str(json).expect("JSON")
}

/// The file that the page writes if all issues are accepted.
fn accepted_by(page: &str) -> String {
    let data = data(page, "decide-data");
    let cell = |number: &Value| data["cells"][number.as_u64().expect("a number") as usize].as_str().expect("a cell");
    let mut rows = vec![data["head"].as_str().expect("columns").to_owned()];
    for row in data["earlier"].as_array().expect("rows") {
        rows.push(format!("{},{},{},{}", cell(&row[0]), cell(&row[1]), cell(&row[2]), row[3].as_str().expect("a row")));
    }
    for pair in data["issues"].as_object().expect("issues").values().flat_map(|pairs| pairs.as_array().expect("pairs"))
    {
        let lower = pair[3].as_str().expect("a proven distance");
        rows.push(format!("{},{},{},{lower},2099-12-31,me,\"a, b\"", cell(&pair[0]), cell(&pair[1]), cell(&pair[2])));
    }
    rows.join("\n") + "\n"
}

#[test]
fn decisions_of_a_page_are_read_back() {
    let dir = hostile();
    expect(dir.path(), "report out --html a.html", 0);
    fs::write(dir.path().join("accepted.csv"), accepted_by(&text(dir.path(), "a.html"))).expect("written");
    expect(dir.path(), "run scene.toml --out again --accepted accepted.csv --report b.html", 0);
    let page = text(dir.path(), "b.html");
    assert!(page.contains("All violations are accepted") && !page.contains("id=\"decide-data\""));
    // A scene that names its file: the rows of that stay.
    let with = text(dir.path(), "scene.toml") + "[dispositions]\nfile = \"old.csv\"\n";
    fs::write(dir.path().join("with.toml"), with).expect("written");
    fs::write(dir.path().join("old.csv"), "rule,a,b,accepted,reason\ngone,x,y,-1mm,\"'=because\"\n").expect("written");
    expect(dir.path(), "run with.toml --out with --report c.html", 3);
    let file = accepted_by(&text(dir.path(), "c.html"));
    assert!(file.contains("gone,x,y,-1mm,,,'=because\n"), "{file}");
    fs::write(dir.path().join("old.csv"), file).expect("written");
    expect(dir.path(), "run with.toml --out with --force", 0);
}

#[test]
fn a_plant_is_shown_as_a_whole() {
    let scratch = tempfile::tempdir().expect("scratch");
    let dir = scratch.path();
    let mut scene = "[scene]\nlength_unit = \"mm\"\n[query]\nwithin = 50\nstatic_pairs = true\n\
                     [[rule]]\nname = \"ducts\"\na = \"class:Duct\"\nrequire = 20\n\
                     [[rule]]\nname = \"deep\"\na = \"*\"\nrequire = -30\n[report]\ngroup = \"pair\"\n"
        .to_owned();
    // Pairs of a duct and a beam, each a millimetre farther apart, on three levels.
    for k in 0..6 {
        for (name, class, x) in [("duct", "Duct", 0), ("beam", "Beam", 101 + 5 * k)] {
            let id = format!("{k}LIQL2UvjC6xkGKOQxhhVW").replace('4', "0").replace('5', "1");
            scene += &format!(
                "[[body]]\nname = \"{name}-{k}/{id}\"\nclass = \"{class}\"\nlevel = \"L{}\"\nstatic = true\n\
                 shape = {{ box = [100, 100, 100] }}\nposition = [{x}, {}, 0]\n",
                k % 3,
                1000 * k
            );
        }
    }
    fs::write(dir.join("scene.toml"), scene).expect("written");
    expect(dir, "run scene.toml --out out --report a.html", 3);
    let page = text(dir, "a.html");
    let issues = rows(&dir.join("out/issues.parquet"));
    assert_eq!(issues.len(), 4, "1, 6, 11 and 16 mm are less than 20 mm");
    for issue in &issues {
        let mark = format!("<a href=\"#issue-{}\" tabindex=\"-1\"><circle", issue["issue"]);
        assert_eq!(page.matches(&mark).count(), 1, "a mark: {mark}");
    }
    assert!(
        page.contains("aria-label=\"4 pairs of Duct and Beam, 4 open\"")
            || page.contains("aria-label=\"4 pairs of Beam and Duct, 4 open\"")
    );
    for words in [
        "<small class=\"guid\">0LIQL2UvjC6xkGKOQxhhVW</small>",
        "data-level=\"L0\"",
        "12 bodies as boxes",
        "<option>L2</option>",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let boxes = data(&page, "overview-data")["boxes"].as_array().map_or(0, Vec::len);
    assert_eq!(boxes, 12);
    assert!(page.contains("mm is proven, and 20 mm is required"), "each issue says why");
    expect(dir, "report out --html b.html --no-views", 0);
    assert!(!text(dir, "b.html").contains("id=\"overview-data\""), "no geometry, no overview");
}
