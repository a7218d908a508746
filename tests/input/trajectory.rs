//! Trajectories: what is read equals what a naive oracle makes of the rows that were written.
#![allow(clippy::print_stderr)]

use arrow_schema::DataType;
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_scene::model::LengthUnit;
use clearsweep_scene::{FrameBlock, Missing, Motion, Sample, Scene, SceneHeader};
use clearsweep_testing::random::Random;
use clearsweep_testing::trajectories::oracle::{check, naive_bounds, oracle};
use clearsweep_testing::trajectories::*;
use clearsweep_trajectory::{Bounds, ReadOptions, Reading, Trajectory};
use parquet::basic::Compression;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn options(path: &Path) -> ReadOptions {
    ReadOptions { path: Some(path.to_path_buf()), ..ReadOptions::default() }
}

fn read(scene: &Scene, options: &ReadOptions) -> Vec<FrameBlock> {
    let trajectory = Trajectory::open(scene, options).expect("a good input");
    let progress = trajectory.progress();
    let blocks = trajectory.blocks().collect::<Result<Vec<_>, _>>().expect("good rows");
    assert_eq!(progress.load(Ordering::Relaxed), if blocks_of_nothing(scene, options) { 0 } else { 1000 });
    blocks
}

fn blocks_of_nothing(scene: &Scene, options: &ReadOptions) -> bool {
    scene.trajectories.is_none() && options.path.is_none()
}

fn scene_of(count: usize) -> Scene {
    let names = names(count);
    scene(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Rows of `runs` runs of so many frames; bodies in scene order, or shuffled in every frame; a
/// share left out.
fn rows(random: &mut Random, runs: &[i64], frames: i64, bodies: usize, shuffled: bool, absent: usize) -> Vec<Row> {
    let names = names(bodies);
    let mut rows = Vec::new();
    for &run in runs {
        let mut frame = random.below(5) as i64 - 2;
        for _ in 0..frames {
            let mut order: Vec<usize> = (0..bodies).collect();
            if shuffled {
                (1..bodies).rev().for_each(|i| order.swap(i, random.below(i + 1)));
            }
            for body in order {
                if absent > 0 && random.below(absent) == 0 && body > 0 {
                    continue;
                }
                let time = frame as f64 * 0.25;
                rows.push(Row { run, frame, time, body: names[body].clone(), pose: random_pose(random) });
            }
            frame += 1 + random.below(3) as i64 / 2;
        }
    }
    rows
}

fn dictionary_of(key: DataType, value: DataType) -> DataType {
    DataType::Dictionary(Box::new(key), Box::new(value))
}

#[test]
fn every_type_of_every_column() {
    let directory = tempfile::tempdir().expect("a directory");
    let scene = scene_of(7);
    let rows = rows(&mut Random(1), &[0, 3], 45, 7, false, 0);
    let bodies = [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        dictionary_of(DataType::Int8, DataType::Utf8),
        dictionary_of(DataType::UInt16, DataType::LargeUtf8),
        dictionary_of(DataType::Int64, DataType::Utf8),
    ];
    let keys = [DataType::Int32, DataType::UInt8, DataType::Int16, DataType::UInt64, DataType::Int8, DataType::UInt32];
    let positive: Vec<Row> =
        rows.iter().map(|row| Row { frame: row.frame + 2, time: row.time, ..row.clone() }).collect();
    for (number, body) in bodies.into_iter().enumerate() {
        for dictionary in [true, false] {
            let key = &keys[number % keys.len()];
            let shaping = Shaping {
                run: Some(key.clone()),
                frame: keys[(number + 3) % keys.len()].clone(),
                body: body.clone(),
                dictionary,
                extra: dictionary,
                compression: Compression::SNAPPY,
                ..Shaping::default()
            };
            let path = directory.path().join(format!("{number}-{dictionary}.parquet"));
            write(&path, &positive, &shaping);
            let expected = oracle(&scene, &positive, None, None, &|v| v, true);
            check(&read(&scene, &options(&path)), &expected);
        }
    }
}

#[test]
fn float32_units_and_aliases() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let mut scene = scene_of(3);
    scene.unit = LengthUnit::parse("ft").expect("a unit");
    let mut rows = rows(&mut Random(2), &[5], 10, 3, false, 0);
    rows.iter_mut().flat_map(|row| &mut row.pose).for_each(|value| *value = f64::from(*value as f32));
    let renamed = vec![
        ("run", "run_id"),
        ("frame", "frame_index"),
        ("time_s", "timestamp"),
        ("body", "body_id"),
        ("x", "tx"),
        ("y", "ty"),
        ("z", "tz"),
    ];
    for (word, metadata) in [("ft", false), ("mm", true), ("m", true), ("km", true), ("in", true)] {
        let unit = LengthUnit::parse(word).expect("a unit");
        let units = if metadata { vec![("x", word), ("y", word), ("z", word), ("time_s", "s")] } else { vec![] };
        let shaping = Shaping { float: DataType::Float32, renamed: renamed.clone(), units, ..Shaping::default() };
        write(&path, &rows, &shaping);
        let expected = oracle(&scene, &rows, None, None, &|v| unit.metres(v), true);
        check(&read(&scene, &options(&path)), &expected);
        let bounds = Trajectory::open(&scene, &options(&path)).expect("good").bounds.expect("rows");
        assert_eq!(bounds, naive_bounds(&rows, |v| unit.metres(v)));
    }
    // One axis in another unit than the others.
    let shaping = Shaping { units: vec![("y", "cm")], ..Shaping::default() };
    write(&path, &rows, &shaping);
    let block = &read(&scene, &options(&path))[0];
    assert_eq!(block.pose(0, 0).position.y, rows[0].pose[1] / 100.0);
    assert_eq!(block.pose(0, 0).position.x, rows[0].pose[0] * 3048.0 / 1e4);
}

/// Many random inputs: orders, gaps, ranges, missing modes, ragged row groups, files.
#[test]
fn random_inputs_equal_the_oracle() {
    let directory = tempfile::tempdir().expect("a directory");
    let (mut multi, mut held, mut absent_seen, mut ranged, mut blocks_seen) = (0, 0, 0, 0, 0);
    let mut empty = 0;
    for case in 0..120_u64 {
        let mut random = Random(1000 + case);
        let bodies = 1 + random.below(20);
        let mut scene = scene_of(bodies);
        scene.missing = [Missing::Error, Missing::Absent, Missing::Hold][random.below(3)];
        scene.frame_rate = (random.below(2) == 0).then_some(24.0);
        let absent = if scene.missing == Missing::Error { 0 } else { 4 };
        let runs: Vec<i64> = (0..1 + random.below(6) as i64).map(|run| run * 2 - 3).collect();
        let frames = 1 + random.below(90) as i64;
        let shuffled = random.below(2) == 0;
        let mut rows = rows(&mut random, &runs, frames, bodies, shuffled, absent);
        if scene.missing == Missing::Hold {
            complete_first_frames(&mut rows, bodies);
        }
        let shaping = Shaping {
            time: random.below(2) == 0,
            groups: (0..3).map(|_| 1 + random.below(700)).collect(),
            statistics: random.below(2) == 0,
            dictionary: random.below(2) == 0,
            ..Shaping::default()
        };
        let path = directory.path().join(format!("case-{case}"));
        let files = 1 + random.below(3);
        multi += usize::from(files > 1);
        // Names in reverse: files follow each other by their first key, whatever they are called.
        let cut = rows.len().div_ceil(files);
        for (number, part) in rows.chunks(cut).enumerate() {
            write(&path.join(format!("part-{}.parquet", part_name(number, part, &rows))), part, &shaping);
        }
        let mut read_options = options(&path);
        if random.below(2) == 0 {
            let start = random.below(40) as i64 - 5;
            read_options.frames = Some(start..start + random.below(60) as i64);
            ranged += 1;
        }
        if random.below(3) == 0 {
            read_options.runs = Some(-1..1 + random.below(6) as i64);
        }
        let (runs, frames) = (read_options.runs.as_ref(), read_options.frames.as_ref());
        let expected = oracle(&scene, &rows, runs, frames, &|v| v, shaping.time);
        held += usize::from(scene.missing == Missing::Hold && !rows.len().is_multiple_of(bodies));
        absent_seen += usize::from(expected.iter().any(|e| e.poses.contains(&None)));
        blocks_seen += expected.len().div_ceil(64);
        let trajectory = Trajectory::open(&scene, &read_options).expect("good");
        assert_eq!(trajectory.bounds, Some(naive_bounds(&rows, |v| v)), "case {case}");
        assert_eq!(trajectory.rows, rows.len() as u64);
        if expected.is_empty() {
            let error = trajectory.blocks().find_map(Result::err).expect("a choice of nothing is refused");
            assert!(error.problem.contains("holds no frame"), "{error}");
            empty += 1;
            continue;
        }
        check(&read(&scene, &read_options), &expected);
    }
    assert!(empty > 0 && empty < 30, "{empty} cases chose nothing");
    let seen = (multi, held, absent_seen, ranged, blocks_seen);
    assert!(multi > 30 && held > 15 && absent_seen > 10 && ranged > 30 && blocks_seen > 150, "{seen:?}");
}

/// Names that sort against the order of the keys, unless two parts begin with the same key.
fn part_name(number: usize, part: &[Row], all: &[Row]) -> String {
    let key = |row: &Row| (row.run, row.frame);
    let shared = all.iter().filter(|row| key(row) == key(&part[0])).count()
        > part.iter().filter(|row| key(row) == key(&part[0])).count();
    if shared { format!("{number}") } else { format!("{}", 9 - number) }
}

/// `hold` needs a first row of every body of every run.
fn complete_first_frames(rows: &mut Vec<Row>, bodies: usize) {
    let names = names(bodies);
    let mut complete: Vec<Row> = Vec::new();
    let mut last_run = None;
    for row in rows.drain(..) {
        if last_run.replace(row.run) != Some(row.run) {
            for name in &names {
                complete.push(Row { frame: row.frame - 1, time: row.time - 0.25, body: name.clone(), ..row.clone() });
            }
        }
        complete.push(row);
    }
    *rows = complete;
}

#[test]
fn many_short_runs_share_a_block() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let scene = scene_of(2);
    let runs: Vec<i64> = (0..65).collect();
    let rows = rows(&mut Random(3), &runs, 2, 2, false, 0);
    write(&path, &rows, &Shaping { groups: vec![7, 11, 13], ..Shaping::default() });
    let blocks = read(&scene, &options(&path));
    assert_eq!(blocks.iter().map(|block| block.samples.len()).collect::<Vec<_>>(), [64, 64, 2]);
    assert_eq!(blocks[0].starts_run, 0x5555_5555_5555_5555);
    check(&blocks, &oracle(&scene, &rows, None, None, &|v| v, true));
}

#[test]
fn one_body_and_130_samples() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let scene = scene_of(1);
    let rows = rows(&mut Random(4), &[7], 130, 1, false, 0);
    write(&path, &rows, &Shaping::default());
    let blocks = read(&scene, &options(&path));
    assert_eq!(blocks.iter().map(|block| block.samples.len()).collect::<Vec<_>>(), [64, 64, 2]);
    assert_eq!(blocks.iter().map(|block| block.starts_run).collect::<Vec<_>>(), [1, 0, 0]);
    check(&blocks, &oracle(&scene, &rows, None, None, &|v| v, true));
}

/// Frames larger than a batch of the decoder.
#[test]
fn more_bodies_than_a_batch_has_rows() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let names: Vec<String> = (0..20_000).map(|index| format!("body-{index}")).collect();
    let scene = scene(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut random = Random(5);
    let mut rows = Vec::new();
    for frame in 0..3 {
        for name in names.iter().rev() {
            rows.push(Row { run: 0, frame, time: 1.0, body: name.clone(), pose: random_pose(&mut random) });
        }
    }
    for dictionary in [true, false] {
        write(&path, &rows, &Shaping { dictionary, ..Shaping::default() });
        check(&read(&scene, &options(&path)), &oracle(&scene, &rows, None, None, &|v| v, true));
    }
}

#[test]
fn hive_levels_supply_runs_in_numeric_order() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
    let scene = scene_of(3);
    let all = rows(&mut Random(6), &[-1, 2, 10], 5, 3, false, 0);
    for run in [-1, 2, 10] {
        let part: Vec<Row> = all.iter().filter(|row| row.run == run).cloned().collect();
        let shaping = Shaping { run: (run == 2).then_some(DataType::Int32), ..Shaping::default() };
        write(&root.join(format!("data/run={run}/part.parquet")), &part, &shaping);
    }
    std::fs::write(root.join("data/_SUCCESS"), "").expect("written");
    std::fs::write(root.join("data/run=2/.part.crc"), "x").expect("written");
    let expected = oracle(&scene, &all, None, None, &|v| v, true);
    check(&read(&scene, &options(&root.join("data"))), &expected);
    check(&read(&scene, &options(&root.join("data/run=*/*.parquet"))), &expected);
    check(&read(&scene, &options(&root.join("data/./run=*"))), &expected);
    check(&read(&scene, &options(&root.join("data/**/*.parquet"))), &expected);
    for path in ["data/run=10", "data/run=10/part.parquet"] {
        let ten: Vec<Row> = all.iter().filter(|row| row.run == 10).cloned().collect();
        check(&read(&scene, &options(&root.join(path))), &oracle(&scene, &ten, None, None, &|v| v, true));
    }
    let chosen = ReadOptions { runs: Some(2..11), ..options(&root.join("data")) };
    check(&read(&scene, &chosen), &oracle(&scene, &all, Some(&(2..11)), None, &|v| v, true));
}

/// Row groups outside the ranges are not decoded: bad rows in them go unnoticed, but not with
/// `hold`.
#[test]
fn row_groups_outside_the_ranges_are_skipped() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let mut scene = scene_of(2);
    let mut all = Vec::new();
    for frame in 0..30 {
        for body in names(2) {
            all.push(Row { run: 0, frame, time: 0.0, body, pose: random_pose(&mut Random(frame as u64)) });
        }
    }
    all[3].body = "nobody".to_owned();
    write(&path, &all, &Shaping { groups: vec![20], ..Shaping::default() });
    let chosen = ReadOptions { frames: Some(10..20), ..options(&path) };
    let blocks = read(&scene, &chosen);
    assert_eq!(blocks[0].samples.iter().map(|s| s.frame).collect::<Vec<_>>(), (10..20).collect::<Vec<_>>());
    assert_eq!(blocks[0].starts_run, 1);
    scene.missing = Missing::Hold;
    let error = Trajectory::open(&scene, &chosen).expect("good").blocks().find_map(Result::err);
    assert!(error.expect("a bad row").problem.contains("nobody"));
}

#[test]
fn bounds_from_statistics_and_by_scan_are_equal() {
    let directory = tempfile::tempdir().expect("a directory");
    let scene = scene_of(5);
    let mut all = rows(&mut Random(8), &[0, 1], 40, 5, true, 0);
    all.iter_mut().for_each(|row| row.pose[2] = 0.0);
    let mut found = Vec::new();
    for statistics in [true, false] {
        for float in [DataType::Float64, DataType::Float32] {
            let path = directory.path().join(format!("{statistics}-{float}.parquet"));
            write(&path, &all, &Shaping { statistics, float, groups: vec![17, 90], ..Shaping::default() });
            let chosen = ReadOptions { runs: Some(1..2), ..options(&path) };
            found.push(Trajectory::open(&scene, &chosen).expect("good").bounds.expect("rows"));
        }
    }
    assert_eq!(found[0], found[2]);
    assert_eq!(found[1], found[3]);
    assert_eq!(found[0], naive_bounds(&all, |v| v));
    assert_eq!(found[1], naive_bounds(&all, |v| f64::from(v as f32)));
    let bits = |bounds: &Bounds| [bounds.min, bounds.max].concat().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&found[0]), bits(&found[2]), "signs of zeros too");
}

#[test]
fn recentred_bodies() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let mut scene = scene_of(3);
    scene.missing = Missing::Absent;
    let center = Vec3::new(0.25, -3.0, 1e3);
    scene.bodies[1].shape = point(center);
    let mut all = rows(&mut Random(9), &[0], 21, 3, false, 0);
    all.retain(|row| !(row.body == "b001" && row.frame % 3 == 0));
    write(&path, &all, &Shaping::default());
    let block = read(&scene, &options(&path)).remove(0);
    let (mut seen, mut rests) = (0, 0);
    for (s, sample) in block.samples.iter().enumerate() {
        let row = all.iter().find(|row| row.frame == sample.frame && row.body == "b001");
        let pose = row.map_or(Pose::IDENTITY, |row| {
            let [x, y, z, qw, qx, qy, qz] = row.pose;
            Pose::new([x, y, z], [qw, qx, qy, qz]).recentred(center)
        });
        assert_eq!(block.pose(1, s), pose);
        assert_eq!(block.present[1] >> s & 1 == 1, row.is_some());
        seen += usize::from(row.is_some());
        rests += usize::from(pose.rest != Vec3::ZERO);
    }
    assert!(seen > 10 && seen < 21 && rests > 10);
}

#[test]
fn nothing_moves_or_no_rows() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let still = scene(&["wall-1", "wall-2"]);
    let blocks = read(&still, &ReadOptions::default());
    assert_eq!(blocks.len(), 1);
    assert_eq!(blocks[0].samples, [Sample { run: 0, frame: 0, time_s: None }]);
    assert_eq!((blocks[0].starts_run, blocks[0].lanes.len(), blocks[0].present.len()), (1, 0, 0));
    let beyond = ReadOptions { frames: Some(1..9), ..ReadOptions::default() };
    let error = Trajectory::open(&still, &beyond).expect("good").blocks().find_map(Result::err).expect("an error");
    assert!(error.to_string().contains("--frames 1..9: holds no frame"), "{error}");
    write(&path, &[], &Shaping::default());
    let trajectory = Trajectory::open(&scene_of(2), &options(&path)).expect("good");
    assert_eq!((trajectory.bounds, trajectory.rows), (None, 0));
    assert_eq!(trajectory.blocks().count(), 0);
}

/// An empty result would look like a clear one: a choice that holds nothing is an error that says
/// what there is.
#[test]
fn a_choice_that_holds_nothing_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let mut rows = Vec::new();
    for run in 3..6 {
        for frame in 10..20 {
            rows.push(Row { run, frame, time: 0.0, body: "b000".to_owned(), pose: random_pose(&mut Random(1)) });
        }
    }
    for statistics in [true, false] {
        write(&path, &rows, &Shaping { statistics, groups: vec![7], ..Shaping::default() });
        let error =
            |chosen: ReadOptions| Trajectory::open(&scene_of(1), &chosen).expect("good").blocks().find_map(Result::err);
        for (runs, frames) in
            [(Some(6..9), None), (None, Some(0..10)), (Some(3..4), Some(20..30)), (Some(9..10), Some(12..13))]
        {
            let error = error(ReadOptions { runs, frames, ..options(&path) }).expect("refused").to_string();
            assert!(error.contains("runs 3 to 5 and frames 10 to 19"), "{error}");
        }
        assert!(error(ReadOptions { runs: Some(5..6), frames: Some(19..30), ..options(&path) }).is_none());
    }
}

#[test]
fn static_bodies_take_no_slot() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let mixed = scene(&["wall-1", "b000", "wall-2", "b001"]);
    assert!(matches!(mixed.bodies[3].motion, Motion::Dynamic { slot: 1 }));
    let all = rows(&mut Random(10), &[0], 9, 2, true, 0);
    write(&path, &all, &Shaping::default());
    check(&read(&mixed, &options(&path)), &oracle(&mixed, &all, None, None, &|v| v, true));
}

#[test]
fn digests_are_those_of_the_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    write(&path, &rows(&mut Random(11), &[0], 200, 2, false, 0), &Shaping::default());
    let trajectory = Trajectory::open(&scene_of(2), &options(&path)).expect("good");
    let inputs = trajectory.inputs.clone();
    assert_eq!(trajectory.blocks().filter(|block| block.is_ok()).count(), 4);
    let digests = inputs.digests().expect("readable");
    let bytes = std::fs::read(&path).expect("readable");
    assert_eq!((digests.len(), digests[0].bytes, &digests[0].path), (1, bytes.len() as u64, &path));
    let hex: String = {
        use sha2::Digest;
        sha2::Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    assert_eq!(digests[0].sha256, hex);
    // Without blocks they are found when asked for; a file that changed is noticed.
    let inputs = Trajectory::open(&scene_of(2), &options(&path)).expect("good").inputs;
    std::fs::write(&path, "gone").expect("written");
    assert!(inputs.digests().expect_err("changed").problem.contains("changed while it was read"));
}

#[test]
fn dropping_the_iterator_early_ends_the_thread() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    write(&path, &rows(&mut Random(12), &[0], 3000, 4, false, 0), &Shaping { groups: vec![100], ..Shaping::default() });
    for take in [0, 1, 5] {
        let trajectory = Trajectory::open(&scene_of(4), &options(&path)).expect("good");
        let progress = trajectory.progress();
        let mut blocks = trajectory.blocks();
        assert_eq!(blocks.by_ref().take(take).filter(Result::is_ok).count(), take);
        drop(blocks);
        // The thread held a clone; dropping joins it.
        assert_eq!(Arc::strong_count(&progress), 1);
    }
}

#[test]
fn reading_may_begin_before_the_scene_is_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("t.parquet");
    let all = rows(&mut Random(14), &[0, 3], 900, 30, false, 0);
    write(&path, &all, &Shaping { groups: vec![7000], ..Shaping::default() });
    let scene = scene_of(30);
    let outline = |path: &Path, missing| SceneHeader {
        trajectories: Some(path.to_path_buf()),
        unit: scene.unit,
        missing,
        columns: Default::default(),
    };
    let right = outline(&path, scene.missing);
    for frames in [None, Some(5..60), Some(300..700)] {
        let chosen = ReadOptions { frames, ..options(&path) };
        let expected = read(&scene, &chosen);
        let other = ReadOptions { runs: Some(3..4), ..chosen.clone() };
        let elsewhere = directory.path().join("missing.parquet");
        for begun in [
            None,
            Reading::begin(&right, &ReadOptions { path: None, ..chosen.clone() }),
            Reading::begin(&right, &chosen),
            Reading::begin(&right, &other),
            Reading::begin(&outline(&path, Missing::Hold), &chosen),
            Reading::begin(&outline(&elsewhere, scene.missing), &ReadOptions::default()),
        ] {
            let trajectory = Trajectory::open_begun(&scene, &chosen, begun).expect("a good input");
            let found: Vec<FrameBlock> = trajectory.blocks().map(|block| block.expect("good")).collect();
            assert!(found == expected);
        }
    }
    assert!(Reading::begin(&SceneHeader { trajectories: None, ..right.clone() }, &ReadOptions::default()).is_none());
    // What is wrong is said when the scene is there, in the same words.
    std::fs::write(&path, "nothing that is read").expect("written");
    let begun = Reading::begin(&right, &ReadOptions::default());
    let early = Trajectory::open_begun(&scene, &options(&path), begun).err().expect("no trajectories");
    let late = Trajectory::open(&scene, &options(&path)).err().expect("no trajectories");
    assert_eq!(format!("{early}"), format!("{late}"));
}

#[test]
fn decode_rate() {
    let directory = tempfile::tempdir().expect("a directory");
    for (bodies, frames, shuffled) in [(200, 2000, false), (200, 2000, true), (20_000, 20, false)] {
        let path = directory.path().join(format!("{bodies}-{shuffled}.parquet"));
        let all = rows(&mut Random(13), &[0], frames, bodies, shuffled, 0);
        write(&path, &all, &Shaping { compression: Compression::UNCOMPRESSED, ..Shaping::default() });
        let scene = scene_of(bodies);
        let start = std::time::Instant::now();
        let trajectory = Trajectory::open(&scene, &options(&path)).expect("good");
        let samples: usize = trajectory.blocks().map(|block| block.expect("good").samples.len()).sum();
        let rate = all.len() as f64 / start.elapsed().as_secs_f64() / 1e6;
        assert_eq!(samples as i64, frames);
        eprintln!("{bodies} bodies, shuffled {shuffled}: {rate:.2} M rows/s");
    }
}
