//! Whole jobs that end early and are gone on with, from all kinds of input: the tables are those of
//! a job that was not interrupted.

use crate::table::fixture::files;
use base64::Engine;
use clearsweep::{Error, ErrorKind, Result};
use clearsweep_engine::{Job, JobOptions};
use clearsweep_scene::{BetweenFrames, MotionRule, Scene, SceneOverrides};
use clearsweep_tables::{ParquetTables, RowBlock, RowSink, SinkContext, TableLayout, Totals};
use clearsweep_testing::random::Random;
use clearsweep_trajectory::ReadOptions;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Parts that are a little larger than a block of the job.
pub(super) const PARTS: TableLayout = TableLayout {
    page: 32,
    row_group: 256,
    groups_per_part: 12,
    least_pairs: 20,
    checkpoint_after: Duration::from_secs(3600),
    fast_page: Duration::from_secs(3600),
};

/// Frames of the job, in three runs.
const FRAMES: i64 = 800;

/// Two boxes side by side: pieces of a body that is not convex.
fn two_boxes() -> String {
    let mut text = String::new();
    for (object, [low, high]) in [([0.0, 0.0, 0.0], [2.0, 0.5, 0.5]), ([0.0, 0.5, 0.0], [0.5, 2.0, 0.5])]
        .iter()
        .enumerate()
        .map(|(k, (l, h))| (k, [*l, *h]))
    {
        let _ = writeln!(text, "o box-{object}");
        for corner in 0..8 {
            let [x, y, z] = [0, 1, 2].map(|axis| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] });
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for face in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
            let corners = face.map(|corner| (8 * object + corner + 1).to_string());
            let _ = writeln!(text, "f {}", corners.join(" "));
        }
    }
    text
}

/// A glTF file of three nodes that trajectories move, the last of which carries two more, all with
/// one mesh.
fn nodes() -> String {
    let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let faces = [[0_u16, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let bytes: Vec<u8> = corners.as_flattened().iter().flat_map(|c| c.to_le_bytes()).collect();
    let bytes = [bytes, faces.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect()].concat();
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0,1,2]}}],"nodes":[{{"name":"n0","mesh":0}},
        {{"name":"n1","mesh":0,"scale":[1,2,1]}},{{"name":"n2","mesh":0,"children":[3,4]}},
        {{"name":"left","mesh":0,"translation":[2,0,0]}},{{"name":"right","mesh":0,"translation":[0,2,1]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
        {{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":24}}],
        "buffers":[{{"byteLength":72,"uri":"data:application/octet-stream;base64,{data}"}}]}}"#
    )
}

/// Rows of four bodies and three nodes on circles; of every fourth row but the first of a run there
/// is none.
fn poses() -> String {
    let mut text = "run,frame,body,x,y,z,qw,qx,qy,qz\n".to_owned();
    for frame in 0..FRAMES {
        let run = frame * 3 / FRAMES;
        let is_first = frame == 0 || (frame - 1) * 3 / FRAMES != run;
        for (slot, name) in ["a", "b", "c", "d", "n0", "n1", "n2"].iter().enumerate() {
            if !is_first && (frame * 7 + slot as i64) % 4 == 0 {
                continue;
            }
            let angle = frame as f64 * 0.01 * (1.0 + slot as f64) + slot as f64;
            let [x, y, z] = [2.0 * angle.sin(), 2.0 * angle.cos(), 0.3 * slot as f64];
            let [qw, qz] = [(angle / 3.0).cos(), (angle / 3.0).sin()];
            let _ = writeln!(text, "{run},{frame},{name},{x},{y},{z},{qw},0,0,{qz}");
        }
    }
    text
}

/// Writes the files of the scene, and reads it.
fn scene(folder: &Path) -> Scene {
    let scene = "[scene]\nlength_unit = \"m\"\ntrajectories = \"poses.csv\"\nmissing = \"hold\"\n[query]\nwithin = 50\n\
                 require = 0.05\n[[bodies]]\ntable = \"parts.csv\"\n[[bodies]]\ngeometry = \"nodes.gltf\"\neach = \"node\"\n\
                 moving = [\"n*\"]\n[[ignore]]\na = \"a\"\nb = \"b\"\n";
    let table = "body,geometry,model,static,x,y,z\na,l.obj,pieces,,,,\nb,l.obj,pieces,,,,\nc,l.obj,hull,,,,\n\
                 d,l.obj,pieces,,,,\nfloor,l.obj,piece-hulls,true,0,0,-1\n";
    for (name, text) in [
        ("scene.toml", scene),
        ("parts.csv", table),
        ("l.obj", &two_boxes()),
        ("nodes.gltf", &nodes()),
        ("poses.csv", &poses()),
    ] {
        std::fs::write(folder.join(name), text).expect("written");
    }
    clearsweep_scene::load_scene(&folder.join("scene.toml"), &SceneOverrides::default()).expect("a scene")
}

/// How a job ends before its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ending {
    /// The process is killed.
    Killed,
    /// The job fails, here or elsewhere.
    Failed,
    /// The disk takes so many bytes more, and then none.
    Full(u64),
}

/// Tables whose job ends early.
pub(super) struct EndingTables {
    pub(super) tables: ParquetTables,
    pub(super) ending: Ending,
    /// Blocks that are written before.
    pub(super) blocks: u64,
    /// The first block that was written.
    pub(super) first: Option<u64>,
}

impl RowSink for EndingTables {
    fn begin(&mut self, context: &SinkContext<'_>) -> Result<()> {
        self.tables.begin(context)?;
        if let (Some(writer), Ending::Full(bytes)) = (self.tables.writer(), self.ending) {
            writer.limit_space(bytes);
        }
        Ok(())
    }

    fn rows(&mut self, rows: &RowBlock<'_>) -> Result<()> {
        let first = *self.first.get_or_insert(rows.block().index);
        if !matches!(self.ending, Ending::Full(_)) && rows.block().index >= first + self.blocks {
            return Err(Error::internal("the test", "it ends here"));
        }
        self.tables.rows(rows)
    }

    fn end(&mut self) -> Result<()> {
        self.tables.end()
    }

    fn counts_rows(&self) -> bool {
        self.tables.counts_rows()
    }

    fn totals(&mut self, counted: Totals) -> Result<Totals> {
        self.tables.totals(counted)
    }

    fn summary(&mut self, summary: &serde_json::Value) -> Result<()> {
        self.tables.summary(summary)
    }

    fn abort(&mut self) {
        if let (Some(writer), Ending::Killed) = (self.tables.writer(), self.ending) {
            writer.die();
        }
        self.tables.abort();
    }

    fn resumes_at(&self) -> u64 {
        self.tables.resumes_at()
    }
}

/// Options that change no byte, another choice for each number.
fn options(number: u64) -> JobOptions {
    let at = number as usize;
    JobOptions {
        threads: Some([2, 1, 3][at % 3]),
        memory: [1 << 30, 1, 3 << 20, 1 << 16][at % 4],
        broad: ["auto", "coherent-hash", "sweep", "brute", "grid"][at % 5].to_owned(),
        narrow: ["auto", "vclip", "gjk", "lin-canny"][at / 2 % 4].to_owned(),
        ..JobOptions::default()
    }
}

/// All tables of an output directory.
fn tables(out: &Path) -> Vec<(String, Vec<u8>)> {
    files(out).into_iter().filter(|(name, _)| name.ends_with(".parquet")).collect()
}

/// Executes the job with the options of a number; how many samples an earlier execution had done.
pub(super) fn run(scene: &Scene, number: u64, sink: &mut dyn RowSink) -> Result<u64> {
    let done = Job::new(scene).options(options(number)).run(sink)?;
    Ok(done.manifest["resumed"]["samples"].as_u64().unwrap_or(0))
}

#[test]
fn jobs_of_pieces_nodes_tables_and_held_poses_are_gone_on_with() {
    let dir = tempfile::tempdir().expect("scratch");
    let scene = scene(dir.path());
    let whole = dir.path().join("whole");
    run(&scene, 0, &mut ParquetTables::new(&whole).with_layout(PARTS)).expect("done");
    let expected = tables(&whole);
    let parts = expected.iter().filter(|(name, _)| name.starts_with("distances/")).count();
    let bytes: usize = expected.iter().map(|(_, bytes)| bytes.len()).sum();
    assert!(parts > 5, "{parts} parts");
    let mut random = Random(11);
    let (mut resumed, mut ended, mut full) = (0, 0, 0);
    for round in 0..8 {
        let out = dir.path().join(format!("out-{round}"));
        for end in 0..4 {
            let ending = [Ending::Killed, Ending::Failed, Ending::Full(random.below(bytes) as u64)][random.below(3)];
            let tables = ParquetTables::new(&out).with_layout(PARTS).resume(end > 0);
            let mut sink = EndingTables { tables, ending, blocks: 1 + random.below(5) as u64, first: None };
            match run(&scene, random.below(100) as u64, &mut sink) {
                Ok(_) => break,
                Err(error) => {
                    assert!(matches!(error.kind, ErrorKind::Internal | ErrorKind::Output), "{error}");
                    full += usize::from(matches!(ending, Ending::Full(_)));
                }
            }
            ended += 1;
            resumed += usize::from(sink.first.is_some_and(|first| first > 0));
        }
        if !out.join("manifest.json").exists() {
            let mut sink = ParquetTables::new(&out).with_layout(PARTS).resume(true);
            resumed += usize::from(run(&scene, random.below(100) as u64, &mut sink).expect("done") > 0);
        }
        assert!(tables(&out) == expected, "round {round}");
    }
    assert!(resumed > 8 && ended > 15 && full > 3, "{resumed} of {ended} went on, {full} on a full disk");
}

#[test]
fn another_input_is_another_job() {
    let dir = tempfile::tempdir().expect("scratch");
    let scene = scene(dir.path());
    for run in ["data/run=7", "data/run=9"] {
        std::fs::create_dir_all(dir.path().join(run)).expect("made");
    }
    let poses = poses();
    let rows = poses.lines().map(|line| line.split_once(',').expect("columns"));
    let one_run: Vec<&str> = rows.filter(|(run, _)| ["run", "0"].contains(run)).map(|(_, rest)| rest).collect();
    std::fs::write(dir.path().join("data/run=7/poses.csv"), one_run.join("\n")).expect("written");
    let ended = |scene: &Scene, out: &Path, resume: bool| {
        let read = ReadOptions { path: Some(dir.path().join("data")), ..ReadOptions::default() };
        let tables = ParquetTables::new(out).with_layout(PARTS).resume(resume);
        let blocks = if resume { 1 } else { 3 };
        let mut sink = EndingTables { tables, ending: Ending::Failed, blocks, first: None };
        Job::new(scene).options(JobOptions { read, ..options(0) }).run(&mut sink).expect_err("it ends")
    };
    let out = dir.path().join("out");
    assert_eq!(ended(&scene, &out, false).kind, ErrorKind::Internal);
    let mut others = vec![("frame_rate", Scene { frame_rate: Some(3.0), ..scene.clone() })];
    others.push(("missing", Scene { missing: clearsweep_scene::Missing::Absent, ..scene.clone() }));
    others.push(("length_unit", Scene { unit: clearsweep_scene::model::LengthUnit::ALL[1], ..scene.clone() }));
    let motion = MotionRule { between: BetweenFrames::Hold, ..MotionRule::default() };
    others.push(("motion", Scene { motion, ..scene.clone() }));
    for (what, other) in &others {
        let error = ended(other, &out, true);
        assert!(error.problem.contains("was another job") && error.problem.contains(what), "{what}: {error}");
    }
    // The same file, of the same time, in the folder of another run.
    std::fs::rename(dir.path().join("data/run=7/poses.csv"), dir.path().join("data/run=9/poses.csv")).expect("moved");
    let error = ended(&scene, &out, true);
    assert!(error.problem.contains("trajectories differ"), "{error}");
    std::fs::rename(dir.path().join("data/run=9/poses.csv"), dir.path().join("data/run=7/poses.csv")).expect("moved");
    assert_eq!(ended(&scene, &out, true).kind, ErrorKind::Internal, "the same job goes on");
}

#[test]
fn a_scene_in_code_with_other_bodies_is_another_job() {
    let dir = tempfile::tempdir().expect("scratch");
    let path = dir.path().join("poses.csv");
    let rows: Vec<String> =
        (0..2000).map(|frame| format!("{frame},a,0,0,{},1,0,0,0", f64::from(frame) / 1e3)).collect();
    std::fs::write(&path, format!("frame,body,x,y,z,qw,qx,qy,qz\n{}\n", rows.join("\n"))).expect("written");
    let scene = |radius: f64| {
        let ball = |name: &str| clearsweep_scene::BodyBuilder::new(name, clearsweep_scene::Geometry::Sphere(radius));
        let mut scene = clearsweep_scene::SceneBuilder::new(100.0).trajectories(&path).body(ball("a"));
        for number in 0..20 {
            scene = scene.body(ball(&format!("b{number}")).fixed([f64::from(number), 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
        }
        scene.build().expect("a scene")
    };
    let out = dir.path().join("out");
    let ended = |radius: f64, resume: bool| {
        let tables = ParquetTables::new(&out).with_layout(PARTS).resume(resume);
        let mut sink = EndingTables { tables, ending: Ending::Failed, blocks: 6, first: None };
        Job::new(&scene(radius)).options(options(0)).run(&mut sink).expect_err("it ends")
    };
    assert_eq!(ended(0.5, false).kind, ErrorKind::Internal);
    let error = ended(0.25, true);
    assert!(error.problem.contains("was another job: scene differ"), "{error}");
    assert_eq!(ended(0.5, true).kind, ErrorKind::Internal, "the same job goes on");
}
