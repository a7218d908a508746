//! Jobs that are divided among machines: what is merged is what one machine writes, byte for byte,
//! over the table of kinds (runs x format x motion x missing rows x rules x number of shards);
//! damage, gaps and mixtures are named.

use clearsweep::{Error, Result};
use clearsweep_engine::{Advance, CancelToken, Job, JobOptions, MergeOptions, Progress, ShardPosition, StoodOrWritten};
use clearsweep_engine::{Merged, compare, run_shard, shard_folder, verify};
use clearsweep_scene::{Scene, SceneOverrides};
use clearsweep_tables::ParquetTables;
use clearsweep_testing::folder::tables;
use clearsweep_testing::random::Random;
use clearsweep_trajectory::{ReadOptions, plan_shards};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Quiet;

impl Progress for Quiet {
    fn advance(&self, _: &Advance) {}
}

pub(super) fn merge(from: &Path, scene: Option<&Scene>, options: &MergeOptions) -> Result<Merged> {
    clearsweep_engine::merge(from, scene, options, &Quiet, &CancelToken::new())
}

/// Which runs an input has: their numbers, first frames, and numbers of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RunKind {
    Short,
    Long,
    Mixed,
    Sparse,
}

impl RunKind {
    const ALL: [Self; 4] = [Self::Short, Self::Long, Self::Mixed, Self::Sparse];

    /// (run, frame) of all samples.
    fn samples(self) -> Vec<(i64, i64)> {
        let runs: Vec<(i64, Vec<i64>)> = match self {
            Self::Short => (-3..37).map(|run| (run, (0..7).collect())).collect(),
            Self::Long => vec![(4, (-70..500).collect())],
            Self::Mixed => {
                vec![(0, (0..20).collect()), (1, (10..420).collect()), (2, (0..300).collect()), (9, (0..5).collect())]
            }
            // Frames that lie apart, with gaps that motion does not cross.
            Self::Sparse => vec![
                (0, (0..400).filter(|frame| frame % 7 < 4 && !(130..200).contains(frame)).collect()),
                (5, vec![3, 4]),
            ],
        };
        runs.into_iter().flat_map(|(run, frames)| frames.into_iter().map(move |frame| (run, frame))).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Format {
    Csv,
    /// Row groups of so many rows.
    Parquet(usize),
}

/// A case of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Case {
    pub(super) runs: RunKind,
    pub(super) format: Format,
    pub(super) between: &'static str,
    pub(super) missing: &'static str,
    pub(super) rules: &'static str,
}

const MOVING: [&str; 5] = ["a", "b", "c", "d", "e"];

const RULES: [(&str, &str); 4] = [
    ("none", ""),
    ("uniform", "require = 0.3\n"),
    (
        "baseline",
        "[[rule]]\nname = \"near\"\na = \"*\"\nb = \"*\"\nrequire = 0.5\nbaseline = \"first\"\nworse_by = 0.01\n[[rule]]\nname = \"floor\"\n\
         a = \"floor\"\nb = \"*\"\nrequire = 0.4\nseverity = \"critical\"\n",
    ),
    ("accepted", "require = 0.3\n[dispositions]\nfile = \"accepted.csv\"\n[report]\ngroup = \"pair\"\n"),
];

fn poses(case: Case, seed: u64) -> String {
    let mut random = Random(seed);
    let (mut text, has_time) = ("run,frame,time_s,body,x,y,z,qw,qx,qy,qz\n".to_owned(), true);
    let mut last = None;
    let phases: Vec<[f64; 4]> = MOVING.iter().map(|_| std::array::from_fn(|_| random.between(0.5, 2.5))).collect();
    for (run, frame) in case.runs.samples() {
        let is_first = last != Some(run);
        last = Some(run);
        for (slot, name) in MOVING.iter().enumerate() {
            // Nothing is held or absent in the first frame of a run, so that each job knows a pose
            // of each body.
            if case.missing != "error" && !is_first && random.chance(0.15) {
                continue;
            }
            let (t, [p, q, r, s]) = (frame as f64 * 0.02 + run as f64, phases[slot]);
            let place = [1.2 * (p * t).sin(), 1.2 * (q * t + s).cos(), 0.8 + 0.5 * (r * t).sin()];
            let (half_sine, half_cosine) = (0.3 * s * t).sin_cos();
            let time = if has_time { format!("{}", frame as f64 * 0.01) } else { String::new() };
            let [x, y, z] = place;
            writeln!(text, "{run},{frame},{time},{name},{x},{y},{z},{half_cosine},0,0,{half_sine}").expect("text");
        }
    }
    text
}

/// Writes the files of a scene.
pub(super) fn write(dir: &Path, case: Case, seed: u64) {
    let csv = poses(case, seed);
    let trajectories = match case.format {
        Format::Csv => {
            fs::write(dir.join("poses.csv"), csv).expect("written");
            "poses.csv"
        }
        Format::Parquet(rows) => {
            parquet(&dir.join("poses.parquet"), &csv, rows);
            "poses.parquet"
        }
    };
    let rules = RULES.iter().find(|(name, _)| *name == case.rules).expect("known").1;
    let (query, more) = rules.strip_prefix("require").map_or(("", rules), |_| rules.split_once('\n').expect("a line"));
    let mut scene = format!(
        "[scene]\nlength_unit = \"m\"\ntrajectories = \"{trajectories}\"\nmissing = \"{}\"\n[query]\nwithin = 0.6\nstatic_pairs = true\n{query}\n\
         [motion]\nbetween = \"{}\"\n",
        case.missing, case.between
    );
    for (name, shape) in MOVING.iter().zip([
        "box = [0.4, 0.3, 0.2]",
        "sphere = 0.2",
        "capsule = [0.1, 0.4]",
        "box = [0.2, 0.2, 0.2]",
        "sphere = 0.15",
    ]) {
        writeln!(scene, "[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}").expect("text");
    }
    for (name, x) in [("floor", 0.0), ("wall", 1.0)] {
        writeln!(scene, "[[body]]\nname = \"{name}\"\nstatic = true\nshape = {{ box = [2.0, 2.0, 0.2] }}\nposition = [{x}, 0.0, 0.0]").expect("text");
    }
    scene.push_str(more);
    fs::write(dir.join("scene.toml"), scene).expect("written");
    fs::write(
        dir.join("accepted.csv"),
        "rule,a,b,accepted,until,by,reason\ndefault,a,b,-1,,me,known\ndefault,gone,b,0.1,,me,old\n",
    )
    .expect("written");
}

/// Writes a table of poses with row groups of `rows` rows.
pub(super) fn parquet(path: &Path, csv: &str, rows: usize) {
    use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
    let lines: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let integers =
        |at: usize| Arc::new(lines.iter().map(|line| line[at].parse::<i64>().ok()).collect::<Int64Array>()) as ArrayRef;
    let numbers = |at: usize| {
        Arc::new(lines.iter().map(|line| line[at].parse::<f64>().ok()).collect::<Float64Array>()) as ArrayRef
    };
    let mut columns = vec![("run", integers(0)), ("frame", integers(1)), ("time_s", numbers(2))];
    columns.push(("body", Arc::new(lines.iter().map(|line| Some(line[3])).collect::<StringArray>())));
    columns.extend(["x", "y", "z", "qw", "qx", "qy", "qz"].into_iter().zip(4..).map(|(name, at)| (name, numbers(at))));
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let properties =
        parquet::file::properties::WriterProperties::builder().set_max_row_group_row_count(Some(rows)).build();
    let file = fs::File::create(path).expect("created");
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

pub(super) fn load(dir: &Path) -> Scene {
    clearsweep_scene::load_scene(&dir.join("scene.toml"), &SceneOverrides::default()).expect("a scene")
}

pub(super) fn one_machine(scene: &Scene, out: &Path) -> Value {
    Job::new(scene).run(&mut ParquetTables::new(out)).expect("a result").manifest
}

pub(super) fn shard(scene: &Scene, (index, count): (u32, u32), into: &Path) -> Result<StoodOrWritten> {
    let options = JobOptions { threads: Some(2), ..JobOptions::default() };
    run_shard(scene, options, ShardPosition { index, count }, into, &Quiet, &CancelToken::new())
}

pub(super) fn shards(scene: &Scene, count: u32, into: &Path, random: &mut Random) {
    let mut order: Vec<u32> = (0..count).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, random.below(at + 1));
    }
    for index in order {
        let done = shard(scene, (index, count), into).expect("a shard");
        assert!(matches!(done, StoodOrWritten::Written(_)));
    }
}

/// The keys of both manifests that tell what was found, without what depends on time and machine.
fn found(manifest: &Value) -> Value {
    let mut summary = manifest["summary"].clone();
    for key in ["seconds", "frames_per_s", "rows_per_s"] {
        summary[key] = Value::Null;
    }
    serde_json::json!([
        summary,
        manifest["rows_digest"],
        manifest["counts"]["by_method"],
        manifest["counts"]["candidate_samples"]
    ])
}

/// The first place in which two values differ, with what either has there.
fn first_difference(one: &Value, other: &Value) -> Option<String> {
    let within =
        |name: String, pair: (&Value, &Value)| first_difference(pair.0, pair.1).map(|inner| format!("{name}/{inner}"));
    match (one, other) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().find_map(|(key, value)| within(key.clone(), (value, &b[key])))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(at, pair)| within(at.to_string(), pair))
        }
        _ => (one != other).then(|| format!("{one} and {other}").chars().take(300).collect()),
    }
}

pub(super) fn assert_same_tables(one: &Path, other: &Path, what: &dyn std::fmt::Debug) {
    let (one, other) = (tables(one), tables(other));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>(), "{what:?}");
    for (name, bytes) in &one {
        assert!(*bytes == other[name], "{what:?}: {} differs", name.display());
    }
}

#[test]
fn merged_shards_are_the_tables_of_one_machine() {
    let mut random = Random(38);
    let mut seen: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let (mut across, mut cases) = (0, 0);
    for runs in RunKind::ALL {
        for (at, (rules, _)) in RULES.iter().enumerate() {
            for between in ["none", "linear"] {
                let format = [Format::Csv, Format::Parquet(97), Format::Parquet(100_000)][random.below(3)];
                let missing = ["error", "absent", "hold"][(at + usize::from(between == "linear")) % 3];
                let case = Case { runs, format, between, missing, rules };
                let dir = tempfile::tempdir().expect("scratch");
                write(dir.path(), case, 7 + at as u64);
                let scene = load(dir.path());
                let one = one_machine(&scene, &dir.path().join("one"));
                // Sixteen cut the most; a smaller number beside them, another one for each case.
                for count in [[1, 2, 5][cases % 3], 16] {
                    let (into, merged) = (dir.path().join(format!("s{count}")), dir.path().join(format!("m{count}")));
                    shards(&scene, count, &into, &mut random);
                    let cut = plan_shards(&scene, &ReadOptions::default(), count).expect("a plan").shards;
                    let cut = cut.iter().filter(|shard| shard.part.is_cut()).count();
                    let done = merge(&into, None, &MergeOptions::new(&merged))
                        .unwrap_or_else(|error| panic!("{case:?}, {count}: {error}"));
                    assert_same_tables(&dir.path().join("one"), &merged, &(case, count));
                    assert_eq!(
                        first_difference(&found(&one), &found(&done.manifest)),
                        None,
                        "{case:?}, {count} shards"
                    );
                    let fast = dir.path().join(format!("f{count}"));
                    merge(&into, None, &MergeOptions { fast: true, ..MergeOptions::new(&fast) }).expect("merged");
                    for other in [&merged, &fast] {
                        assert_eq!(compare(&dir.path().join("one"), other).expect("digests"), [], "{case:?}, {count}");
                        assert_eq!(verify(other, Some(2)).expect("readable"), [], "{case:?}, {count}");
                    }
                    across += cut;
                    seen.entry("cut").or_default().insert(format!("{runs:?} {missing} {}", cut > 0));
                    seen.entry("shards").or_default().insert(format!("{rules} {count}"));
                }
                cases += 1;
                let summary = &one["summary"];
                let there = |key: &str| summary[key].as_u64().is_some_and(|count| count > 0).to_string();
                for key in ["rows", "penetrations", "open", "pairs_ignored"] {
                    seen.entry(key).or_default().insert(format!("{rules} {}", there(key)));
                }
                seen.entry("events").or_default().insert(format!("{rules} {}", summary["events"].is_object()));
                seen.entry("skipped")
                    .or_default()
                    .insert(format!("{runs:?} {}", summary["intervals"]["skipped"].as_u64().is_some_and(|n| n > 0)));
            }
        }
    }
    // Each kind has its cell: without one the comparison says nothing of it.
    let has = |key: &str, cell: &str| assert!(seen[key].contains(cell), "{key} `{cell}` is missing: {seen:?}");
    for (rules, _) in RULES {
        has("rows", &format!("{rules} true"));
        has("penetrations", &format!("{rules} true"));
        has("events", &format!("{rules} {}", rules != "none"));
        [1, 2, 5, 16].into_iter().for_each(|count| has("shards", &format!("{rules} {count}")));
    }
    for rules in ["uniform", "baseline", "accepted"] {
        has("open", &format!("{rules} true"));
    }
    for cell in [
        "Long error true",
        "Long absent true",
        "Long hold false",
        "Mixed error true",
        "Sparse error true",
        "Short error false",
    ] {
        has("cut", cell);
    }
    has("skipped", "Sparse true");
    assert!(across > 60, "{across}");
}

#[test]
fn chosen_runs_and_frames_are_divided_too() {
    let dir = tempfile::tempdir().expect("scratch");
    let case = Case {
        runs: RunKind::Mixed,
        format: Format::Parquet(150),
        between: "linear",
        missing: "error",
        rules: "uniform",
    };
    write(dir.path(), case, 3);
    let scene = load(dir.path());
    for (name, runs, frames) in
        [("runs", Some(1..3), None), ("frames", None, Some(15..260)), ("both", Some(2..i64::MAX), Some(33..i64::MAX))]
    {
        let read = ReadOptions { runs, frames, ..ReadOptions::default() };
        let options = JobOptions { read, ..JobOptions::default() };
        let (one, into) = (dir.path().join(format!("one-{name}")), dir.path().join(format!("s-{name}")));
        Job::new(&scene).options(options.clone()).run(&mut ParquetTables::new(&one)).expect("a result");
        for index in 0..6 {
            run_shard(&scene, options.clone(), ShardPosition { index, count: 6 }, &into, &Quiet, &CancelToken::new())
                .expect("a shard");
        }
        let merged = dir.path().join(format!("m-{name}"));
        merge(&into, None, &MergeOptions::new(&merged)).expect("merged");
        assert_same_tables(&one, &merged, &name);
    }
}

#[test]
fn little_memory_changes_no_byte() {
    let dir = tempfile::tempdir().expect("scratch");
    let case =
        Case { runs: RunKind::Mixed, format: Format::Csv, between: "linear", missing: "absent", rules: "baseline" };
    write(dir.path(), case, 11);
    let scene = load(dir.path());
    one_machine(&scene, &dir.path().join("one"));
    let into = dir.path().join("s");
    for index in 0..7 {
        let options = JobOptions { memory: 300_000, ..JobOptions::default() };
        run_shard(&scene, options, ShardPosition { index, count: 7 }, &into, &Quiet, &CancelToken::new())
            .expect("a shard");
    }
    let options = MergeOptions { memory: 1000, threads: Some(1), ..MergeOptions::new(dir.path().join("merged")) };
    merge(&into, None, &options).expect("merged");
    assert_same_tables(&dir.path().join("one"), &dir.path().join("merged"), &case);
}

/// Shards of a small job, and what one machine writes.
fn small() -> (tempfile::TempDir, Scene, PathBuf) {
    let dir = tempfile::tempdir().expect("scratch");
    let case =
        Case { runs: RunKind::Short, format: Format::Csv, between: "linear", missing: "error", rules: "uniform" };
    write(dir.path(), case, 5);
    let scene = load(dir.path());
    one_machine(&scene, &dir.path().join("one"));
    let into = dir.path().join("s");
    shards(&scene, 3, &into, &mut Random(1));
    (dir, scene, into)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { copy(&path, &target) } else { fs::copy(&path, &target).map(drop).expect("copied") }
    }
}

#[test]
fn a_damaged_bit_is_named_or_changes_nothing() {
    let (dir, _, into) = small();
    let mut random = Random(99);
    let files: Vec<PathBuf> = clearsweep_testing::folder::files(&into).into_keys().collect();
    let (mut named, mut equal) = (BTreeMap::<String, u32>::new(), 0);
    // Keys lie among the first bytes of a table: a run that is another one puts the rows out of
    // order.
    let keys = files.iter().filter(|file| file.ends_with("pairs.parquet") || file.ends_with("runs.parquet"));
    let keys: Vec<(PathBuf, usize)> = keys.flat_map(|file| (28..48).map(|at| (file.clone(), at))).collect();
    for round in 0..160 + keys.len() {
        let (file, at) = match round.checked_sub(160) {
            Some(key) => (&keys[key].0, Some(keys[key].1)),
            None => (&files[round % files.len()], None),
        };
        let broken = dir.path().join("broken");
        copy(&into, &broken);
        let path = broken.join(file);
        let mut bytes = fs::read(&path).expect("read");
        let bit = if at.is_some() { 0 } else { random.below(8) };
        let at = at.unwrap_or_else(|| random.below(bytes.len()));
        bytes[at] ^= 1 << bit;
        fs::write(&path, bytes).expect("written");
        let out = dir.path().join("merged");
        match merge(&broken, None, &MergeOptions { force: true, ..MergeOptions::new(&out) }) {
            Ok(_) => {
                equal += 1;
                assert_same_tables(&dir.path().join("one"), &out, &(file, at));
                fs::remove_dir_all(&out).expect("removed");
            }
            Err(Error { place, problem, remedy, .. }) => {
                assert!(!place.is_empty() && !problem.is_empty() && !remedy.is_empty(), "{place}: {problem}: {remedy}");
                *named.entry(file.file_name().expect("a name").to_string_lossy().into_owned()).or_default() += 1;
                assert!(!out.join("manifest.json").exists(), "{file:?}: an error leaves no result");
            }
        }
        fs::remove_dir_all(&broken).expect("removed");
    }
    assert!(named.contains_key("part-00000.parquet") && named.contains_key("shard.state"), "{named:?}");
    assert!(equal > 5, "events and issues are made anew: {equal}");
}

#[test]
fn damage_of_a_result_is_found_in_its_runs() {
    let (dir, ..) = small();
    let one = dir.path().join("one");
    assert_eq!(verify(&one, None).expect("readable"), []);
    let mut random = Random(17);
    let (mut by_rows, mut by_bytes, mut unreadable) = (BTreeSet::new(), 0, 0);
    for (name, original) in tables(&one) {
        for _ in 0..12 {
            let mut bytes = original.clone();
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
            fs::write(one.join(&name), &bytes).expect("written");
            match verify(&one, Some(1)) {
                Ok(differences) => {
                    assert!(
                        !differences.is_empty(),
                        "{}: byte {at} is another one, and nobody says so",
                        name.display()
                    );
                    assert!(differences.iter().all(|one| one.rows[0].is_some()), "{differences:?}");
                    let of_file = |file: &String| Path::new(file) == name;
                    let is_named = differences.iter().any(|one| one.file.as_ref().is_some_and(of_file));
                    by_bytes += usize::from(is_named);
                    by_rows.extend((!is_named).then(|| name.clone()));
                }
                Err(error) => {
                    assert!(!error.remedy.is_empty(), "{error}");
                    unreadable += 1;
                }
            }
        }
        fs::write(one.join(&name), &original).expect("written");
    }
    assert!(by_rows.len() >= 3 && by_bytes > 3 && unreadable > 3, "{by_rows:?}, {by_bytes}, {unreadable}");
    assert_eq!(verify(&one, None).expect("readable"), []);
}

#[test]
fn gaps_mixtures_and_other_jobs_are_named() {
    let (dir, scene, into) = small();
    let out = dir.path().join("merged");
    let problem = |from: &Path| {
        let error = merge(from, None, &MergeOptions::new(&out)).expect_err("it does not fit");
        assert!(!out.exists(), "nothing is written before the check");
        format!("{error}; {}", error.remedy)
    };
    let broken = dir.path().join("broken");
    copy(&into, &broken);
    fs::remove_dir_all(broken.join("shard-00001-of-00003")).expect("removed");
    let said = problem(&broken);
    assert!(said.contains("lacks 1 of 3 shards: 1/3") && said.contains("--shard"), "{said}");
    shard(&scene, (0, 2), &broken).expect("a shard");
    assert!(problem(&broken).contains("several plans: of 2, of 3"));
    fs::remove_dir_all(broken.join("shard-00000-of-00002")).expect("removed");
    // One shard twice, under the name of another.
    copy(&into.join("shard-00000-of-00003"), &broken.join("shard-00001-of-00003"));
    assert!(problem(&broken).contains("does not begin where"), "{}", problem(&broken));
    fs::remove_dir_all(broken.join("shard-00001-of-00003")).expect("removed");
    // A shard of another job.
    let text = fs::read_to_string(dir.path().join("scene.toml")).expect("read").replace("within = 0.6", "within = 0.5");
    fs::write(dir.path().join("scene.toml"), &text).expect("written");
    let other = load(dir.path());
    shard(&other, (1, 3), &broken).expect("a shard");
    let said = problem(&broken);
    assert!(said.contains("of another job") && said.contains("within"), "{said}");
    // The scene has changed since.
    let said = problem(&into);
    assert!(said.contains("is not the scene") && said.contains("scene"), "{said}");
    // A shard of another job stands where this one is to go.
    let error = shard(&other, (0, 3), &into).expect_err("another job stands there");
    assert!(error.problem.contains("another job") && error.problem.contains("within"), "{error}");
    assert!(problem(&dir.path().join("one")).contains("holds no shard"));
    assert!(problem(&dir.path().join("nowhere")).contains("nowhere"));
}

#[test]
fn a_shard_that_stands_is_left_and_one_of_several_workers_wins() {
    let (dir, scene, into) = small();
    let position = ShardPosition { index: 1, count: 3 };
    let folder = into.join(shard_folder(position));
    let before = clearsweep_testing::folder::files(&folder);
    assert!(matches!(shard(&scene, (1, 3), &into), Ok(StoodOrWritten::Stood(_))));
    assert_eq!(clearsweep_testing::folder::files(&folder), before);
    // The directory of a killed worker goes with the next commit.
    let left = into.join(".shard-00001-of-00003.abcdef");
    fs::create_dir(&left).expect("made");
    fs::write(left.join("x"), "x").expect("written");
    fs::remove_dir_all(&folder).expect("removed");
    let done: Vec<Result<StoodOrWritten>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(|| shard(&scene, (1, 3), &into))).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
    });
    let written = done.iter().filter(|one| matches!(one, Ok(StoodOrWritten::Written(_)))).count();
    assert!(written == 1 && done.iter().all(Result::is_ok), "{done:?}");
    let names: Vec<String> = fs::read_dir(&into)
        .expect("a folder")
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(names.len() == 3 && names.iter().all(|name| name.starts_with("shard-")), "{names:?}");
    merge(&into, None, &MergeOptions::new(dir.path().join("merged"))).expect("merged");
    assert_same_tables(&dir.path().join("one"), &dir.path().join("merged"), &"four workers");
}

#[test]
fn a_merge_that_is_cancelled_leaves_nothing() {
    let (dir, _, into) = small();
    let (token, out) = (CancelToken::new(), dir.path().join("merged"));
    token.cancel();
    let done = clearsweep_engine::merge(&into, None, &MergeOptions::new(&out), &Quiet, &token);
    assert!(done.is_err_and(|error| error.kind == clearsweep::ErrorKind::Cancelled) && !out.exists());
}

#[test]
fn nothing_at_all_is_divided_as_well() {
    let dir = tempfile::tempdir().expect("scratch");
    fs::write(dir.path().join("poses.csv"), "frame,body,x,y,z,qw,qx,qy,qz\n").expect("written");
    let scene = "[scene]\nlength_unit = \"m\"\ntrajectories = \"poses.csv\"\n[query]\nwithin = 1\nrequire = 0.5\n[[body]]\nname = \"a\"\n\
                 shape = { sphere = 1.0 }\n[[body]]\nname = \"b\"\nshape = { sphere = 1.0 }\n";
    fs::write(dir.path().join("scene.toml"), scene).expect("written");
    let scene = load(dir.path());
    let one = one_machine(&scene, &dir.path().join("one"));
    shards(&scene, 3, &dir.path().join("s"), &mut Random(2));
    let merged = merge(&dir.path().join("s"), None, &MergeOptions::new(dir.path().join("merged"))).expect("merged");
    assert_same_tables(&dir.path().join("one"), &dir.path().join("merged"), &"nothing");
    assert_eq!(merged.manifest["summary"]["verdict"], one["summary"]["verdict"]);
    assert_eq!(merged.manifest["summary"]["verdict"], "nothing-checked");
}
