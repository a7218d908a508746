//! The library without the disk: scenes in code, poses from batches and arrays, rows to sinks,
//! cancelling, and single pairs. Names nothing but what the root of the crate gives out.
#![allow(clippy::print_stderr)]

mod data;

use clearsweep::{
    BatchCollector, BodyBuilder, Bounds, CancelToken, Error, ErrorKind, Geometry, Job, JobOptions, LengthUnit, Missing,
    Model, Outcome, PairOptions, ParquetTables, Pose, PoseSource, Progress, ProximityQuery, ReadOptions, RecordBatch,
    RowBlock, Scene, SceneBuilder, Totals,
};
use data::{DataSet, PoseRow, assert_same, in_code, table};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

const STILL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// The rows of a job as two batches, and what it counted.
fn collected(job: Job<'_>) -> (RecordBatch, RecordBatch, Outcome) {
    let mut rows = BatchCollector::default();
    let outcome = job.run(&mut rows).expect("a job that runs");
    assert_eq!(rows.summary.as_ref(), Some(&outcome.manifest));
    assert!(rows.distances.iter().chain(&rows.penetrations).all(|batch| batch.num_rows() > 0));
    (data::joined(&rows.distances), data::joined(&rows.penetrations), outcome)
}

/// Returns the rows of a job that writes to the disk, and what it counted.
fn written(job: Job<'_>) -> (RecordBatch, RecordBatch, Outcome) {
    let out = tempfile::tempdir().expect("scratch");
    let outcome = job.run(&mut ParquetTables::new(out.path())).expect("a job that runs");
    (table(out.path(), "distances"), table(out.path(), "penetrations"), outcome)
}

/// Returns the totals without what tables add.
fn without_bytes(totals: &Totals) -> Totals {
    let mut totals = totals.clone();
    totals.bytes = 0;
    // Only tables gather events and digest their rows.
    totals.issues = None;
    totals.digests.clear();
    totals
}

/// Small blocks of rows, so that there are many.
fn small() -> JobOptions {
    JobOptions { memory: 100_000, threads: Some(2), ..JobOptions::default() }
}

#[test]
fn batches_of_rows_are_the_tables_bit_for_bit() {
    for set in ["crowd", "separation", "contact", "coherence"] {
        let DataSet { scene, .. } = DataSet::load(set);
        let (distances, penetrations, outcome) = written(Job::new(&scene));
        for options in [JobOptions::default(), small()] {
            let (d, p, other) = collected(Job::new(&scene).options(options));
            assert_same(&distances, &d, set);
            assert_same(&penetrations, &p, set);
            assert_eq!(without_bytes(&other.totals), without_bytes(&outcome.totals), "{set}");
            assert_eq!(other.totals.bytes, 0);
        }
        assert!(distances.num_rows() > 10, "{set}: the test is to have rows");
    }
}

#[test]
fn a_scene_in_code_is_the_scene_of_the_file() {
    for set in ["crowd", "separation", "contact"] {
        let data = DataSet::load(set);
        let built = in_code(&data.folder).build().expect("a scene");
        assert_eq!(built.bodies, data.scene.bodies, "{set}");
        assert_eq!((built.query, built.unit, &built.name), (data.scene.query, data.scene.unit, &data.scene.name));
        let (distances, penetrations, _) = written(Job::new(&data.scene));
        let (d, p, outcome) = collected(Job::new(&built));
        assert_same(&distances, &d, set);
        assert_same(&penetrations, &p, set);
        assert_eq!(outcome.manifest["scene"]["path"], "scene in code");
    }
}

#[test]
fn pieces_in_code_are_the_objects_of_a_file() {
    let dir = tempfile::tempdir().expect("scratch");
    let lists = [-1.0, 0.5].map(|x: f64| -> Vec<[f64; 3]> {
        (0..8_u32).map(|i| [x + f64::from(i & 1), f64::from(i >> 1 & 1), 0.5 * f64::from(i >> 2)]).collect()
    });
    let mut text = String::new();
    for (number, list) in lists.iter().enumerate() {
        text += &format!("o part-{number}\n");
        list.iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
        let faces = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]];
        faces.iter().for_each(|f| text += &format!("f {} {} {} {}\n", f[0] - 9, f[1] - 9, f[2] - 9, f[3] - 9));
    }
    std::fs::write(dir.path().join("two.obj"), text).expect("written");
    let scene = |two: Geometry| {
        let ball = BodyBuilder::new("ball", Geometry::Sphere(0.1)).fixed([0.25, 0.5, 0.2], STILL);
        SceneBuilder::new(1.0).body(BodyBuilder::new("two", two).fixed([0.0; 3], STILL)).body(ball).build()
    };
    let of_file = scene(Geometry::file(dir.path().join("two.obj"), Some(Model::Pieces))).expect("a scene");
    let of_code = scene(Geometry::Pieces(lists.to_vec())).expect("a scene");
    let [(d, p, _), (e, q, _)] = [&of_file, &of_code].map(|scene| collected(Job::new(scene)));
    assert_same(&d, &e, "distances");
    assert_same(&p, &q, "penetrations");
    assert_eq!(d.num_rows(), 1);
}

#[test]
fn batches_of_poses_are_the_file() {
    for set in ["crowd", "separation"] {
        let data = DataSet::load(set);
        let (distances, penetrations, outcome) = written(Job::new(&data.scene));
        let scene = in_code(&data.folder).build().expect("a scene");
        let inside = Bounds { min: [-1e3; 3], max: [1e3; 3] };
        let beside = Bounds { min: [500.0; 3], max: [500.5; 3] };
        for size in [1 << 20, 1000, 7] {
            let batches = data.batches(size);
            let sources = [
                PoseSource::batches(batches.clone()),
                PoseSource::batches(batches.clone()).bounded(inside),
                PoseSource::batches(batches.iter().cloned()).bounded(beside),
                PoseSource::fallible_batches(batches.clone().into_iter().map(Ok)),
                PoseSource::batches(batches.clone()).keeping(2000),
            ];
            for source in sources {
                let (d, p, other) = collected(Job::new(&scene).poses(source));
                assert_same(&distances, &d, set);
                assert_same(&penetrations, &p, set);
                assert_eq!(without_bytes(&other.totals), without_bytes(&outcome.totals));
                assert_eq!(other.manifest["options"]["trajectories"], serde_json::Value::Null);
                assert_eq!(other.manifest["spooled_bytes"], 0);
                assert_eq!(other.manifest["inputs"].as_array().map(Vec::len), Some(scene.inputs.len()));
            }
        }
        // Poses from memory to the disk.
        let (d, p, _) = written(Job::new(&scene).poses(PoseSource::batches(data.batches(100))));
        assert_same(&distances, &d, set);
        assert_same(&penetrations, &p, set);
    }
}

#[test]
fn runs_and_frames_are_chosen_in_memory_too() {
    let data = DataSet::load("crowd");
    let read = ReadOptions { frames: Some(10..20), runs: Some(1..2), ..ReadOptions::default() };
    let options = JobOptions { read, ..JobOptions::default() };
    let (d, _, outcome) = written(Job::new(&data.scene).options(options.clone()));
    let source = || PoseSource::batches(data.batches(333));
    let (e, _, _) = collected(Job::new(&data.scene).options(options.clone()).poses(source()));
    assert_same(&d, &e, "distances");
    assert_eq!(outcome.totals.samples, 10);
    let read = ReadOptions { frames: Some(1000..2000), ..ReadOptions::default() };
    let error = failure(Job::new(&data.scene).options(JobOptions { read, ..options }).poses(source()));
    assert_eq!(error.kind, ErrorKind::Usage);
}

#[cfg(feature = "ndarray")]
mod arrays {
    use super::*;
    use clearsweep::PoseArray;
    use ndarray::Array3;

    /// The names of the second axis (not in the order of the scene), the keys, and the poses.
    struct Poses {
        names: Vec<String>,
        runs: Vec<i64>,
        frames: Vec<i64>,
        times: Vec<f64>,
        values: Array3<f64>,
    }

    fn poses(rows: &[PoseRow]) -> Poses {
        let first = (rows[0].run, rows[0].frame);
        let mut names: Vec<String> =
            rows.iter().take_while(|row| (row.run, row.frame) == first).map(|row| row.body.clone()).collect();
        names.reverse();
        let samples = rows.len() / names.len();
        let of = |sample: usize| &rows[sample * names.len()];
        let values = Array3::from_shape_fn((samples, names.len(), 7), |(sample, body, component)| {
            let rows = &rows[sample * names.len()..][..names.len()];
            rows.iter().find(|row| row.body == names[body]).expect("a whole sample").pose[component]
        });
        Poses {
            runs: (0..samples).map(|sample| of(sample).run).collect(),
            frames: (0..samples).map(|sample| of(sample).frame).collect(),
            times: (0..samples).map(|sample| of(sample).time_s).collect(),
            values,
            names,
        }
    }

    #[test]
    fn an_array_is_the_file_whatever_its_strides() {
        let data = DataSet::load("crowd");
        let (distances, penetrations, _) = written(Job::new(&data.scene));
        let Poses { names, runs, frames, times, values } = poses(&data.rows);
        // The same values with the samples side by side.
        let turned = Array3::from_shape_fn((7, names.len(), runs.len()), |(c, b, s)| values[[s, b, c]]);
        for view in [values.view(), turned.view().reversed_axes()] {
            let array = PoseArray::new(view, &names).runs(runs.clone()).frames(frames.clone()).times(times.clone());
            let (d, p, _) = collected(Job::new(&data.scene).poses(PoseSource::array(array)));
            assert_same(&distances, &d, "distances");
            assert_same(&penetrations, &p, "penetrations");
        }
    }

    #[test]
    fn samples_without_keys_are_frames_of_run_0() {
        let scene = two_balls().frame_rate(10.0).build().expect("a scene");
        let values = Array3::from_shape_fn((100, 2, 7), |(sample, body, component)| match component {
            0 => body as f64 * 0.01 * sample as f64,
            3 => 1.0,
            _ => 0.0,
        });
        let mut keys = Vec::new();
        let mut sink = |rows: &RowBlock<'_>| {
            keys.extend(rows.iter().map(|(key, row)| (key.run, key.frame, key.time_s, row.proximity.distance)));
            Ok(())
        };
        let array = PoseArray::new(values.view(), ["one", "two"]);
        Job::new(&scene).poses(PoseSource::array(array)).run(&mut sink).expect("a job");
        assert_eq!(keys.len(), 71, "centres up to 0.7 m apart, so balls up to 0.5 m");
        for (number, (run, frame, time, distance)) in (0..).zip(&keys) {
            assert_eq!((*run, *frame, *time), (0, number, Some(number as f64 / 10.0)));
            assert!((distance - (0.01 * number as f64 - 0.2)).abs() < 1e-12);
        }
    }

    /// Asserts that an array is refused with these words.
    fn check<'a>(scene: &'a Scene, array: PoseArray<'a>, words: &[&str]) {
        let error = failure(Job::new(scene).poses(PoseSource::array(array)));
        assert_eq!(error.kind, ErrorKind::Input, "{error}");
        let text = format!("{error} / {}", error.remedy);
        assert!(words.iter().all(|word| text.contains(word)), "{text} should say {words:?}");
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let scene = two_balls().build().expect("a scene");
        let good = || {
            Array3::from_shape_fn((3, 2, 7), |(_, body, c)| if c == 3 { 1.0 } else { 0.1 * (body * (c + 7)) as f64 })
        };
        let names = ["one", "two"];
        let short = Array3::zeros((3, 2, 6));
        let mut q = good();
        q.slice_mut(ndarray::s![.., .., 3..]).fill(0.0);
        q.slice_mut(ndarray::s![.., .., 3]).fill(1.0);
        let collect = Job::new(&scene).poses(PoseSource::array(PoseArray::new(q.view(), names)));
        collected(collect);

        check(&scene, PoseArray::new(short.view(), names), &["6 components", "qw"]);
        check(&scene, PoseArray::new(q.view(), ["one"]), &["(3, 2, 7)", "1 bodies are named"]);
        check(&scene, PoseArray::new(q.view(), ["one", "one"]), &["`one` is named twice"]);
        check(
            &scene,
            PoseArray::new(q.view(), ["one", "twoo"]),
            &["sample 0", "`twoo` is not in the scene", "did you mean `two`"],
        );
        check(&scene, PoseArray::new(q.view(), names).frames([0, 1]), &["2 frames are given"]);
        check(
            &scene,
            PoseArray::new(q.view(), names).frames([0, 2, 1]),
            &["sample 2", "frame 1 comes after", "in order of run"],
        );
        check(&scene, PoseArray::new(q.view(), names).times([0.0, 1.0, f64::NAN]), &["sample 2", "time_s", "NaN"]);
        check(&scene, PoseArray::new(q.slice(ndarray::s![.., ..1, ..]), ["one"]), &["body `two` has no row"]);
        q[[2, 1, 1]] = f64::NAN;
        check(&scene, PoseArray::new(q.view(), names), &["sample 2 (from 0), body `two`", "column `y` is NaN"]);
        q[[2, 1, 1]] = 0.0;
        q[[1, 0, 3]] = 1.1;
        check(&scene, PoseArray::new(q.view(), names), &["sample 1 (from 0), body `one`", "norm is 1.1"]);
    }
}

/// Two dynamic balls of radius 0.1 m.
fn two_balls() -> SceneBuilder {
    let ball = |name| BodyBuilder::new(name, Geometry::Sphere(0.1));
    SceneBuilder::new(0.5).body(ball("one")).body(ball("two"))
}

/// The error of a job that must not run.
fn failure(job: Job<'_>) -> Error {
    job.run(&mut BatchCollector::default()).expect_err("an error")
}

#[test]
fn batches_that_do_not_fit_are_refused() {
    let scene = two_balls().build().expect("a scene");
    let row = |frame, body: &str, x| PoseRow {
        run: 0,
        frame,
        time_s: 0.0,
        body: body.to_owned(),
        pose: [x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    };
    let good = || vec![row(0, "one", 0.0), row(0, "two", 0.3), row(1, "one", 0.0), row(1, "two", 0.4)];
    collected(Job::new(&scene).poses(PoseSource::batches([data::batch(&good())])));
    type Change<'a> = &'a dyn Fn(&mut Vec<PoseRow>);
    let cases: [(Change<'_>, &[&str]); 6] = [
        (
            &|rows| rows[3].body = "twoo".to_owned(),
            &["batch 1, row 1", "`twoo` is not in the scene", "did you mean `two`"],
        ),
        (&|rows| rows[2].pose[2] = f64::NAN, &["batch 1, row 0", "column `z` is NaN"]),
        (&|rows| rows[1].pose[3] = 0.9, &["batch 0, row 1", "norm is 0.9"]),
        (&|rows| rows[2].frame = -1, &["batch 1, row 0", "frame -1 comes after", "in order of run"]),
        (&|rows| rows[1].body = "one".to_owned(), &["batch 0, row 1", "`one` has a second row"]),
        (&|rows| drop(rows.pop()), &["body `two` has no row"]),
    ];
    let bounds = Bounds { min: [0.0; 3], max: [1.0; 3] };
    for (change, words) in cases {
        let mut rows = good();
        change(&mut rows);
        let batches = || rows.chunks(2).map(data::batch);
        for source in [PoseSource::batches(batches()), PoseSource::batches(batches()).bounded(bounds)] {
            let error = failure(Job::new(&scene).poses(source));
            assert_eq!(error.kind, ErrorKind::Input, "{error}");
            let text = format!("{error} / {}", error.remedy);
            assert!(words.iter().all(|word| text.contains(word)), "{text} should say {words:?}");
        }
    }
    let whole = data::batch(&good());
    let at = whole.schema().index_of("qw").expect("a column");
    let columns: Vec<usize> = (0..whole.num_columns()).filter(|&column| column != at).collect();
    let lacking = whole.project(&columns).expect("fewer columns");
    let error = failure(Job::new(&scene).poses(PoseSource::batches([whole.clone(), lacking])));
    assert!(error.place == "batch 1" && error.problem.contains("qw"), "{error}");
    let broken = arrow_schema::ArrowError::ComputeError("the reader broke".to_owned());
    let source = PoseSource::fallible_batches([Ok(whole.clone()), Err(broken)]);
    let error = failure(Job::new(&scene).poses(source));
    assert!(error.place == "batch 1" && error.problem.contains("the reader broke"), "{error}");
    let wrong = Bounds { min: [0.0, 1.0, 0.0], max: [1.0, 0.0, f64::NAN] };
    let error = failure(Job::new(&scene).poses(PoseSource::batches([whole.clone()]).bounded(wrong)));
    assert_eq!(error.kind, ErrorKind::Usage, "{error}");
    // No poses at all, and poses for what cannot move.
    assert!(failure(Job::new(&scene)).remedy.contains("hand poses to the job"));
    let still = BodyBuilder::new("one", Geometry::Sphere(0.1)).fixed([0.0; 3], STILL);
    let still = SceneBuilder::new(1.0).body(still).build().expect("a scene");
    assert!(failure(Job::new(&still).poses(PoseSource::batches([whole]))).problem.contains("nothing moves"));
}

#[test]
fn lengths_of_batches_are_in_the_unit_of_the_scene() {
    let mm = LengthUnit::parse("mm").expect("a unit");
    let ball = |name| BodyBuilder::new(name, Geometry::Sphere(100.0));
    let scene = SceneBuilder::new(500.0).length_unit(mm).missing(Missing::Hold).body(ball("one")).body(ball("two"));
    let scene = scene.build().expect("a scene");
    let pose = |x| [x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let row = |frame, body: &str, x| PoseRow { run: 3, frame, time_s: 0.5, body: body.to_owned(), pose: pose(x) };
    let batch = data::batch(&[row(7, "one", 0.0), row(7, "two", 300.0), row(8, "two", 400.0)]);
    let mut found = Vec::new();
    let mut sink = |rows: &RowBlock<'_>| {
        found.extend(rows.iter().map(|(key, row)| (key.run, key.frame, row.a, row.b, row.proximity.distance)));
        Ok(())
    };
    Job::new(&scene).poses(PoseSource::batches([batch])).run(&mut sink).expect("a job");
    let rounded: Vec<_> = found.iter().map(|&(run, frame, a, b, d)| (run, frame, a, b, (d * 1e6).round())).collect();
    assert_eq!(rounded, [(3, 7, 0, 1, 1e5), (3, 8, 0, 1, 2e5)]);
}

/// Whether a folder is empty or not there.
fn is_empty(dir: &Path) -> bool {
    std::fs::read_dir(dir).map_or(true, |mut entries| entries.next().is_none())
}

/// Lets another thread cancel once the job has come so far, and waits for that.
struct CancelElsewhere {
    ask: std::sync::Mutex<mpsc::Sender<()>>,
    token: CancelToken,
    calls: AtomicUsize,
}

impl Progress for CancelElsewhere {
    fn advance(&self, _: &clearsweep::Advance) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.ask.lock().expect("a sender").send(()).expect("a thread that listens");
        while !self.token.is_cancelled() {
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_job_is_cancelled_from_another_thread_and_leaves_nothing() {
    let data = DataSet::load("crowd");
    for options in [JobOptions::default(), JobOptions { memory: 1 << 20, ..JobOptions::default() }] {
        let out = tempfile::tempdir().expect("scratch");
        let dir = out.path().join("tables");
        let token = CancelToken::new();
        let (ask, asked) = mpsc::channel();
        let other = token.clone();
        let canceller = std::thread::spawn(move || {
            asked.recv().expect("progress");
            other.cancel();
        });
        let progress = CancelElsewhere { ask: ask.into(), token: token.clone(), calls: AtomicUsize::new(0) };
        let job = Job::new(&data.scene).options(options).progress(&progress).cancel(&token);
        let error = job.run(&mut ParquetTables::new(&dir)).expect_err("cancelled");
        canceller.join().expect("a thread that ends");
        assert_eq!(error.kind, ErrorKind::Cancelled, "{error}");
        assert_eq!(progress.calls.load(Ordering::Relaxed), 1, "it ends with the block in which it was cancelled");
        assert!(is_empty(&dir), "nothing is left behind");
    }
    // While batches are taken in, of which there are more and more.
    let token = CancelToken::new();
    let batch = data.batches(20).remove(0);
    let endless = std::iter::repeat_with(|| {
        token.cancel();
        batch.clone()
    });
    let error = failure(Job::new(&data.scene).poses(PoseSource::batches(endless)).cancel(&token));
    assert_eq!(error.kind, ErrorKind::Cancelled, "{error}");
}

#[test]
fn an_error_of_the_sink_stops_the_job_and_is_handed_on() {
    let data = DataSet::load("crowd");
    let calls = AtomicUsize::new(0);
    let mut sink = |_: &RowBlock<'_>| match calls.fetch_add(1, Ordering::Relaxed) {
        0 => Ok(()),
        _ => Err(Error::output("my database", "the connection is gone", "connect again")),
    };
    let error = Job::new(&data.scene).options(small()).run(&mut sink).expect_err("the sink's");
    assert_eq!((error.kind, error.place.as_str()), (ErrorKind::Output, "my database"));
    assert_eq!((error.problem.as_str(), error.remedy.as_str()), ("the connection is gone", "connect again"));
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    // A folder with files of somebody else.
    let out = tempfile::tempdir().expect("scratch");
    std::fs::write(out.path().join("mine.txt"), "mine").expect("written");
    let error = Job::new(&data.scene).run(&mut ParquetTables::new(out.path())).expect_err("foreign files");
    assert_eq!(error.kind, ErrorKind::Output, "{error}");
}

#[test]
fn a_warm_pair_answers_as_a_fresh_one_and_as_the_job() {
    let data = DataSet::load("crowd");
    let scene: &Scene = &data.scene;
    let mut rows = Vec::new();
    let mut sink = |block: &RowBlock<'_>| {
        rows.extend(block.iter().map(|(key, row)| (key.run, key.frame, *row)));
        Ok(())
    };
    Job::new(scene).run(&mut sink).expect("a job");
    let (a, b) = (rows[0].2.a, rows[0].2.b);
    let [shape_a, shape_b] = [a, b].map(|body| Arc::clone(&scene.bodies[body as usize].shape));
    let options = PairOptions { within: Some(scene.query.within), ..PairOptions::default() };
    let mut warm = ProximityQuery::new(&shape_a, &shape_b, &options).expect("a query");
    let mut answers = 0;
    for (run, frame) in data.keys() {
        let [at_a, at_b] = [a, b].map(|body| data.pose(run, frame, &scene.bodies[body as usize].name));
        let found = warm.proximity(&at_a, &at_b).expect("an answer");
        let mut fresh = ProximityQuery::new(&shape_a, &shape_b, &options).expect("a query");
        assert_eq!(found, fresh.proximity(&at_a, &at_b).expect("an answer"));
        let row = rows.iter().find(|(r, f, row)| (*r, *f, row.a, row.b) == (run, frame, a, b));
        let row = row.map(|(.., row)| clearsweep::Proximity { sample: 0, ..row.proximity });
        assert_eq!(found, row, "run {run}, frame {frame}");
        answers += usize::from(found.is_some());
        // Without a limit there is an answer at any distance.
        let mut any = ProximityQuery::new(&shape_a, &shape_b, &PairOptions::default()).expect("a query");
        assert!(any.proximity(&at_a, &at_b).expect("an answer").is_some());
    }
    assert!(answers > 1, "the test is to have answers");
    for pose in [Pose::new([f64::NAN, 0.0, 0.0], STILL), Pose::new([0.0; 3], [0.5; 4].map(|c| 1.01 * c))] {
        let error = warm.proximity(&Pose::IDENTITY, &pose).expect_err("a bad pose");
        assert!(error.kind == ErrorKind::Input && error.place == "pose of body B", "{error}");
    }
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        let options = PairOptions { within: Some(wrong), ..PairOptions::default() };
        assert!(ProximityQuery::new(&shape_a, &shape_b, &options).is_err());
    }
    assert!(Geometry::Sphere(-1.0).shape(0.0).is_err());
    let grown = Geometry::Sphere(1.0).shape(0.5).expect("a shape");
    assert!((1.5..1.5 + 1e-12).contains(&grown.radius));
}
