//! Results that are falsified by program: what `recheck` finds, what it cannot find, and that it
//! takes no true row for a wrong one.

use clearsweep_engine::{Job, JobOptions};
use clearsweep_model::{IntervalStatus, Method, Scene, Status};
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{Distance, RecheckOutcome, RecheckTable, RecheckWhat};
use clearsweep_scene::SceneOverrides;
use clearsweep_tables::ParquetTables;
use clearsweep_testing::falsify;
use clearsweep_testing::oracle::families::Random;
use clearsweep_trajectory::ReadOptions;
use clearsweep_verifier::finding::{Finding, Tally};
use clearsweep_verifier::frames::Frame;
use clearsweep_verifier::pair_truth::PairAt;
use clearsweep_verifier::recheck::{Before, Choice, Recheck, Summing, Watch};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A result of a data set.
pub(super) struct Checked {
    pub(super) recheck: Recheck,
    pub(super) frames: Vec<Frame>,
    _dir: TempDir,
}

pub(super) fn dataset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets").join(name)
}

/// Runs a scene, and opens the result.
pub(super) fn result(scene: &Path, between: Option<&str>, frames: i64) -> (TempDir, Recheck, Manifest) {
    let overrides = SceneOverrides { between: between.map(str::to_owned), ..SceneOverrides::default() };
    let scene = clearsweep_scene::load_scene(scene, &overrides).expect("a scene");
    result_of(&scene, frames)
}

/// Runs a scene that is loaded, and opens the result.
fn result_of(scene: &Scene, frames: i64) -> (TempDir, Recheck, Manifest) {
    let read = ReadOptions { frames: Some(0..frames), runs: Some(0..4), ..ReadOptions::default() };
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    let options = JobOptions { read, ..JobOptions::default() };
    Job::new(scene).options(options).run(&mut ParquetTables::new(&out)).expect("a run");
    let manifest = Manifest::read(&out).expect("a manifest");
    let recheck = Recheck::open(&out, &manifest).expect("the scene again");
    (dir, recheck, manifest)
}

pub(super) fn checked(scene: &Path, between: Option<&str>, frames: i64) -> Checked {
    let (dir, recheck, _) = result(scene, between, frames);
    let mut all = Summing::default();
    recheck.run(&Choice::ALL, &mut all).expect("looked at");
    assert!(all.tally.wrong.is_empty(), "{}: {:?}", scene.display(), all.tally.wrong);
    let mut kept = Vec::new();
    for run in 0..4 {
        for frame in 0..frames {
            let found = recheck.frame(run, frame).ok();
            kept.extend(found.filter(|frame| !frame.rows.is_empty()));
        }
    }
    Checked { recheck, frames: kept, _dir: dir }
}

/// Ways to falsify a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    LowerIn,
    UpperIn,
    EndsOut,
    Status,
    Distance,
    Normal,
    Witness,
    Dropped,
    Depth,
    IntervalDropped,
    IntervalLower,
    IntervalUpper,
    IntervalStatus,
    ContactLate,
}

impl Way {
    const ALL: [Self; 14] = [
        Self::LowerIn,
        Self::UpperIn,
        Self::EndsOut,
        Self::Status,
        Self::Distance,
        Self::Normal,
        Self::Witness,
        Self::Dropped,
        Self::Depth,
        Self::IntervalDropped,
        Self::IntervalLower,
        Self::IntervalUpper,
        Self::IntervalStatus,
        Self::ContactLate,
    ];

    /// Whether no row that was falsified so may be overlooked: of convex bodies without deviation.
    fn is_always_found(self) -> bool {
        !matches!(self, Self::EndsOut)
    }
}

/// A copy of a frame.
fn copied(frame: &Frame, recheck: &Recheck) -> Frame {
    let mut copy = recheck.frame(frame.run, frame.frame).expect("the frame again");
    copy.rows = frame.rows.clone();
    copy
}

/// The size of the pair of a row, metres.
fn size(checked: &Checked, frame: &Frame, row: &Distance) -> f64 {
    let pair = [row.a_index as u32, row.b_index as u32];
    let places = pair.map(|body| frame.places[body as usize].as_ref().expect("it is there"));
    PairAt::new(pair.map(|body| checked.recheck.body(body)), places).size
}

/// Falsifies a row of a frame; `None` where the frame has none for that.
pub(super) fn falsified(checked: &Checked, frame: &Frame, way: Way, random: &mut Random) -> Option<(Frame, [u32; 2])> {
    let mut copy = copied(frame, &checked.recheck);
    let within = checked.recheck.scene().query.within;
    let at = random.below(copy.rows.len());
    let mut pair = [copy.rows[at].a_index as u32, copy.rows[at].b_index as u32];
    let step = 1e-12 * size(checked, frame, &frame.rows[at]);
    let row = &mut copy.rows[at];
    let width = row.upper_m? - row.lower_m?;
    match way {
        // Beyond the other end the bracket holds no length that it held.
        Way::LowerIn => {
            row.lower_m = Some(row.lower_m? + width + step);
            row.upper_m = Some(row.upper_m? + width + 2.0 * step);
            row.distance_m = row.lower_m?;
        }
        Way::UpperIn => {
            row.upper_m = Some(row.upper_m? - width - step);
            row.lower_m = Some(row.lower_m? - width - 2.0 * step);
            row.distance_m = row.upper_m?;
        }
        Way::EndsOut => {
            row.lower_m = Some(row.lower_m? - step);
            row.upper_m = Some(row.upper_m? + step);
        }
        Way::Status => {
            let others = [Status::Separated, Status::Touching, Status::Penetrating];
            let others: Vec<Status> = others.into_iter().filter(|status| *status != row.status).collect();
            row.status = others[random.below(2)];
        }
        Way::Distance => row.distance_m = row.upper_m? + step,
        Way::Normal => row.n_x = Some(row.n_x? + 1e-9 * if row.n_x? > 0.0 { 1.0 } else { -1.0 } + 1e-6),
        Way::Witness => {
            let by = 1e4 * step;
            (row.a_x, row.b_x) = (Some(row.a_x? + by * row.n_x?), Some(row.b_x? + by * row.n_x?));
            (row.a_y, row.b_y) = (Some(row.a_y? + by * row.n_y?), Some(row.b_y? + by * row.n_y?));
            (row.a_z, row.b_z) = (Some(row.a_z? + by * row.n_z?), Some(row.b_z? + by * row.n_z?));
        }
        Way::Dropped => {
            if row.upper_m? >= within {
                return None;
            }
            copy.depths.retain(|depth| [depth.a_index as u32, depth.b_index as u32] != pair);
            copy.rows.remove(at);
        }
        Way::Depth => {
            let count = copy.depths.len();
            let depth = copy.depths.get_mut(random.below(count.max(1)))?;
            pair = [depth.a_index as u32, depth.b_index as u32];
            depth.depth_upper_m += step;
        }
        _ => {
            let count = copy.intervals.len();
            let at = random.below(count.max(1));
            let row = copy.intervals.get_mut(at)?;
            pair = [row.a_index as u32, row.b_index as u32];
            let [lower, upper] = [row.lower_m?, row.upper_m?];
            match way {
                Way::IntervalDropped => {
                    if upper > within - 1e-6 {
                        return None;
                    }
                    copy.intervals.remove(at);
                }
                Way::IntervalLower => {
                    row.lower_m = Some(upper + 1e-6);
                    row.upper_m = Some(upper + 2e-6);
                    row.status = if upper + 1e-6 > 1e-6 && row.contact_hi.is_none() {
                        IntervalStatus::Clear
                    } else {
                        row.status
                    };
                }
                Way::IntervalUpper => {
                    (row.lower_m, row.upper_m) = (Some(lower - 0.02), Some(lower - 0.01));
                }
                Way::IntervalStatus => {
                    row.status = if row.status == IntervalStatus::Clear {
                        IntervalStatus::Contact
                    } else {
                        IntervalStatus::Clear
                    };
                }
                _ => {
                    // In contact at the beginning, and told to be clear for half of the interval.
                    if row.status != IntervalStatus::Contact || row.contact_hi? > 0.0 || row.upper_m? > -1e-3 {
                        return None;
                    }
                    (row.contact_lo, row.contact_hi) = (Some(0.5), Some(0.5));
                }
            }
        }
    }
    Some((copy, pair))
}

pub(super) fn is_wrong(findings: &[Finding], pair: [u32; 2]) -> bool {
    findings.iter().any(|finding| finding.outcome == RecheckOutcome::Wrong && finding.place.pair == Some(pair))
}

#[test]
fn a_thousand_false_rows_are_found() {
    let mut random = Random(7);
    let sets = [
        checked(&dataset("contact/scene.toml"), None, 1),
        checked(&dataset("crowd/scene.toml"), Some("linear"), 12),
        checked(&dataset("coherence/scene.toml"), Some("linear"), 24),
        checked(&dataset("separation/scene.toml"), Some("screw"), 12),
    ];
    let mut counts: BTreeMap<Way, [u32; 2]> = BTreeMap::new();
    let (mut tried, mut turn) = (0, 0);
    while tried < 1_000 {
        turn += 1;
        let set = &sets[turn % sets.len()];
        let way = Way::ALL[random.below(Way::ALL.len())];
        let frame = &set.frames[random.below(set.frames.len())];
        let Some((false_frame, pair)) = falsified(set, frame, way, &mut random) else { continue };
        let findings = set.recheck.check_frame(&false_frame, Some(pair));
        let is_found = is_wrong(&findings, pair);
        let count = counts.entry(way).or_default();
        count[0] += 1;
        count[1] += u32::from(is_found);
        tried += 1;
        let row = frame.rows.iter().find(|row| [row.a_index as u32, row.b_index as u32] == pair);
        let is_bound = row.is_some_and(|row| matches!(row.method, Some(Method::Bound | Method::Round)));
        assert!(is_found || is_bound || !way.is_always_found(), "{way:?} is overlooked: {row:?} {findings:?}");
    }
    for (way, [tried, found]) in &counts {
        eprintln!("| {way:?} | {tried} | {found} |");
    }
    assert_eq!(counts.len(), Way::ALL.len(), "every way is tried");
}

/// A number that a table or the manifest states is changed: the table that is wrong is named.
#[test]
fn counts_that_were_changed_are_found() {
    let scene = dataset("crowd/scene.toml");
    let overrides = SceneOverrides { require: Some("0mm".to_owned()), ..SceneOverrides::default() };
    let scene = clearsweep_scene::load_scene(&scene, &overrides).expect("a scene");
    let (dir, _, manifest) = result_of(&scene, 25);
    let out = dir.path().join("out");
    let wrong_tables = |manifest: &Manifest| {
        let mut all = Summing::default();
        let few = Choice { rows: Some(0), all: false, ..Choice::ALL };
        Recheck::open(&out, manifest).expect("the scene again").run(&few, &mut all).expect("looked at");
        all.tally.wrong.iter().map(|finding| finding.table).collect::<Vec<_>>()
    };
    assert_eq!(wrong_tables(&manifest), []);
    assert!(manifest.summary.violated > 0, "something violates");
    type Change = fn(&mut clearsweep_records::manifest::Summary);
    let changes: [Change; 4] = [
        |summary| summary.rows += 1,
        |summary| summary.violated -= 1,
        |summary| summary.uncertified += 1,
        |summary| summary.verdict = Some("clear".to_owned()),
    ];
    for change in changes {
        let mut other = manifest.clone();
        change(&mut other.summary);
        assert_eq!(wrong_tables(&other), [RecheckTable::Manifest], "{:?}", other.summary);
    }
    let columns = [
        ("pairs.parquet", "frames_within", RecheckTable::Pairs),
        ("pairs.parquet", "upper_m", RecheckTable::Pairs),
        ("runs.parquet", "rows", RecheckTable::Runs),
        ("runs.parquet", "violated", RecheckTable::Runs),
        ("events.parquet", "samples", RecheckTable::Events),
        ("issues.parquet", "events", RecheckTable::Issues),
    ];
    for (file, column, table) in columns {
        let (path, kept) = (out.join(file), std::fs::read(out.join(file)).expect("a table"));
        falsify::number(&path, column, 0, |value| value + 1.0);
        assert_eq!(wrong_tables(&manifest), [table], "{file}, {column}");
        std::fs::write(&path, kept).expect("written");
    }
}

/// An execution that ends after some frames, and goes on, finds what one execution finds.
#[test]
fn everything_goes_on_where_it_ended() {
    struct Stopping {
        left: u32,
        whole: Before,
        kept: Tally,
        open: Vec<Finding>,
    }
    impl Watch for Stopping {
        fn take(&mut self, findings: Vec<Finding>, whole: Option<Before>) -> clearsweep::Result<bool> {
            match whole {
                Some(whole) => {
                    findings.iter().for_each(|finding| self.kept.add(finding));
                    self.whole = whole;
                    self.left = self.left.saturating_sub(1);
                }
                // Found again by the next execution.
                None => self.open.extend(findings),
            }
            Ok(self.left > 0)
        }
    }
    let (_dir, recheck, _) = result(&dataset("crowd/scene.toml"), None, 120);
    let mut whole = Summing::default();
    let at_once = recheck.run(&Choice::ALL, &mut whole).expect("looked at");
    let mut parts = Stopping { left: 1, whole: Before::default(), kept: Tally::default(), open: Vec::new() };
    let mut ends = 0;
    let looked = loop {
        parts.open.clear();
        let looked = recheck.run(&Choice { before: parts.whole, ..Choice::ALL }, &mut parts).expect("looked at");
        if !looked.is_stopped {
            break looked;
        }
        ends += 1;
        parts.left = 1 + ends;
    };
    parts.open.iter().for_each(|finding| parts.kept.add(finding));
    assert!(ends >= 2, "it ended {ends} times");
    assert_eq!(parts.kept.counts, whole.tally.counts);
    assert_eq!((looked.frames, looked.rows, looked.missing), (at_once.frames, at_once.rows, at_once.missing));
}

#[test]
fn an_exchanged_geometry_file_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["scene.toml", "object.obj", "trajectories.parquet"] {
        std::fs::copy(dataset("coherence").join(file), folder.path().join(file)).expect("copied");
    }
    let (dir, _, manifest) = result(&folder.path().join("scene.toml"), None, 8);
    let object = folder.path().join("object.obj");
    let text = std::fs::read_to_string(&object).expect("text");
    std::fs::write(&object, format!("{text}\n# another file\n")).expect("written");
    let error = Recheck::open(&dir.path().join("out"), &manifest).err().expect("another file").to_string();
    assert!(error.contains("object.obj") && error.contains("has changed"), "{error}");
}

#[test]
fn rows_of_all_options_are_not_taken_for_wrong() {
    let sets = [
        ("first-clash-check/scene.toml", None, 1),
        ("meshes/tank.toml", None, 1),
        ("joints/arm.toml", None, 40),
        ("joints/lid.toml", None, 40),
        ("crowd/scene.toml", Some("hold"), 8),
        ("pipe-rack/scene.toml", Some("screw"), 8),
    ];
    for (scene, between, frames) in sets {
        let (_dir, recheck, _) = result(&dataset(scene), between, frames);
        let mut all = Summing::default();
        recheck.run(&Choice::ALL, &mut all).expect("looked at");
        assert!(all.tally.wrong.is_empty(), "{scene}: {:?}", all.tally.wrong);
        let brackets = all.tally.counts.iter().filter(|((_, what), _)| *what == RecheckWhat::Bracket);
        let looked: u64 = brackets.map(|(_, counts)| counts.by_outcome.iter().sum::<u64>()).sum();
        // The arm comes near to nothing.
        assert!(looked > 0 || scene == "joints/arm.toml", "{scene} has rows");
    }
}

#[test]
fn a_sample_is_a_function_of_its_seed() {
    let (_dir, recheck, _) = result(&dataset("crowd/scene.toml"), None, 40);
    let sample = |seed: u64| {
        let mut all = Summing::default();
        let choice = Choice { rows: Some(50), all: false, seconds: 1e3, seed, ..Choice::ALL };
        let looked = recheck.run(&choice, &mut all).expect("looked at");
        (looked.rows, looked.missing, all.tally.counts)
    };
    assert_eq!(sample(3), sample(3));
    assert_eq!(sample(3).0[0], 50, "as many rows as asked");
}
