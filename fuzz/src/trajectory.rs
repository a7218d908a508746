//! Trajectories: Parquet, Arrow IPC files and streams; their first bytes say which.

use crate::memory;
use clearsweep_scene::{FrameBlock, Scene, SceneOverrides};
use clearsweep_trajectory::{ReadOptions, Trajectory};
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Memory for the decoders: batches of rows, and blocks ahead of their consumer; columns that
/// compress well take many times their bytes.
fn warranted(bytes: usize) -> usize {
    (64 << 20) + 1024 * bytes
}

/// Names of the dynamic bodies of the scenes that the files are read for; `wall` is static.
const BODIES: [&str; 3] = ["a", "b", "box-3"];

/// A file with the input, and a scene for each way to treat missing rows.
fn setting() -> &'static (PathBuf, Vec<Scene>) {
    static SETTING: OnceLock<(PathBuf, Vec<Scene>)> = OnceLock::new();
    SETTING.get_or_init(|| {
        let folder = crate::scratch();
        let mut scenes = Vec::new();
        for missing in ["absent", "hold", "error"] {
            let mut text = format!(
                "[scene]\nlength_unit = \"mm\"\ntrajectories = \"input\"\nmissing = \"{missing}\"\n[query]\nwithin = 1\n\
                 [[body]]\nname = \"wall\"\nshape = {{ sphere = 1 }}\nstatic = true\n"
            );
            for name in BODIES {
                text += &format!("[[body]]\nname = \"{name}\"\nshape = {{ box = [1, 2, 3] }}\n");
            }
            let path = folder.join(format!("{missing}.toml"));
            fs::write(&path, text).expect("a scratch file");
            scenes.push(clearsweep_scene::load_scene(&path, &SceneOverrides::default()).expect("a scene"));
        }
        (folder.join("input"), scenes)
    })
}

/// Reads bytes as a file of trajectories: with every body that is missing left out (twice), held,
/// and refused.
pub fn check(bytes: &[u8]) {
    let (path, scenes) = setting();
    fs::write(path, bytes).expect("a scratch file");
    let everything = ReadOptions::default();
    let absent = read(&scenes[0], &everything, bytes.len());
    assert_eq!(absent, read(&scenes[0], &everything, bytes.len()), "a second read gives something else");
    let held = read(&scenes[1], &everything, bytes.len());
    let strict = read(&scenes[2], &everything, bytes.len());
    if strict.error.is_none() {
        assert_eq!((&strict, &strict), (&absent, &held), "nothing was missing");
    }
    if absent.error.is_some() || absent.blocks.is_empty() || has_statistics(bytes) {
        return;
    }
    if let Some(bounds) = &absent.bounds {
        contained(&absent.blocks, bounds);
    }
    // A choice of frames gives those of the whole.
    let frames: Vec<i64> = absent.samples().map(|(_, frame)| frame).collect();
    let middle = frames[frames.len() / 2];
    let some = ReadOptions { frames: Some(i64::MIN..middle), ..everything };
    let some = read(&scenes[0], &some, bytes.len());
    let expected: Vec<_> = absent.samples().filter(|&(_, frame)| frame < middle).collect();
    match some.error {
        Some(error) => assert!(expected.is_empty(), "{error}"),
        None => assert_eq!(some.samples().collect::<Vec<_>>(), expected),
    }
}

/// Whether the file may say things about its columns that are not so, as only Parquet does. The
/// engine believes them: bounds that lie cost time (the lattice saturates), and a choice of frames
/// may miss row groups.
fn has_statistics(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PAR1")
}

/// The result of reading an input.
#[derive(Debug, PartialEq)]
struct Read {
    blocks: Vec<FrameBlock>,
    bounds: Option<clearsweep_trajectory::Bounds>,
    error: Option<String>,
}

impl Read {
    fn samples(&self) -> impl Iterator<Item = (i64, i64)> {
        self.blocks.iter().flat_map(|block| block.samples.iter().map(|sample| (sample.run, sample.frame)))
    }
}

fn read(scene: &Scene, options: &ReadOptions, bytes: usize) -> Read {
    memory::within(warranted(bytes), || {
        let mut read = Read { blocks: Vec::new(), bounds: None, error: None };
        let opened = Trajectory::open(scene, options);
        let trajectory = match opened {
            Ok(trajectory) => trajectory,
            Err(error) => {
                read.error = Some(words(&error));
                return read;
            }
        };
        read.bounds = trajectory.bounds;
        let mut last = None;
        for block in trajectory.blocks().take(200) {
            match block {
                Ok(block) => {
                    sound(&block, &mut last);
                    read.blocks.push(block);
                }
                Err(error) => read.error = Some(words(&error)),
            }
        }
        read
    })
}

fn words(error: &clearsweep::Error) -> String {
    assert!(!error.problem.is_empty() && !error.remedy.is_empty(), "{error:?}");
    assert!(error.kind != clearsweep::ErrorKind::Internal, "the reader failed: {error:?}");
    error.to_string()
}

/// Keys ascend, and every pose is one.
fn sound(block: &FrameBlock, last: &mut Option<(i64, i64)>) {
    assert!(!block.samples.is_empty() && block.samples.len() <= 64, "{} samples", block.samples.len());
    for (index, sample) in block.samples.iter().enumerate() {
        let key = (sample.run, sample.frame);
        assert!(last.is_none_or(|last| last < key), "{key:?} after {last:?}");
        let begins = last.is_none_or(|last| last.0 != key.0);
        assert_eq!(block.starts_run >> index & 1 == 1, begins, "a run begins where it does");
        *last = Some(key);
        assert!(sample.time_s.is_none_or(f64::is_finite), "{sample:?}");
    }
    for slot in 0..block.present.len() {
        assert_eq!(block.present[slot] & !block.all_samples(), 0, "a body in a sample that is not there");
        for sample in 0..64 {
            let pose = block.pose(slot, sample);
            let norm: f64 = pose.q.iter().map(|c| c * c).sum();
            assert!(pose.position.is_finite() && pose.rest.is_finite(), "{pose:?}");
            assert!((norm - 1.0).abs() < 2.1e-3, "{pose:?}");
        }
    }
}

/// The bounds hold every position; the bodies of these scenes are centred, so nothing was shifted.
fn contained(blocks: &[FrameBlock], bounds: &clearsweep_trajectory::Bounds) {
    for block in blocks {
        for slot in 0..block.present.len() {
            for sample in (0..64).filter(|sample| block.present[slot] >> sample & 1 == 1) {
                let p = block.pose(slot, sample).position.to_array();
                let holds = (0..3).all(|axis| (bounds.min[axis]..=bounds.max[axis]).contains(&p[axis]));
                assert!(holds, "{p:?} lies outside of {bounds:?}");
            }
        }
    }
}
