//! A naive reading of rows, to compare blocks with.

use super::Row;
use clearsweep_geometry::Pose;
use clearsweep_model::{FrameBlock, Missing, Sample, Scene};
use clearsweep_trajectory::Bounds;
use std::collections::BTreeMap;
use std::ops::Range;

pub type Poses = Vec<Option<[f64; 7]>>;

/// The poses of a sample by name.
type Bodies<'a> = BTreeMap<&'a str, [f64; 7]>;

/// A sample as the oracle sees it: key, time, whether a run starts, and the pose of every slot.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    pub sample: Sample,
    pub starts: bool,
    pub poses: Poses,
}

/// Returns the poses that the contract asks for, sample by sample, without any thought for speed.
pub fn oracle(
    scene: &Scene,
    rows: &[Row],
    runs: Option<&Range<i64>>,
    frames: Option<&Range<i64>>,
    metres: &dyn Fn(f64) -> f64,
    time: bool,
) -> Vec<Expected> {
    let mut samples: BTreeMap<(i64, i64), (f64, Bodies<'_>)> = BTreeMap::new();
    for row in rows {
        let mut pose = row.pose;
        pose[..3].iter_mut().for_each(|v| *v = metres(*v));
        samples.entry((row.run, row.frame)).or_insert((row.time, BTreeMap::new())).1.insert(&row.body, pose);
    }
    let mut held: BTreeMap<(i64, &str), [f64; 7]> = BTreeMap::new();
    let (mut found, mut last_run) = (Vec::new(), None);
    for ((run, frame), (row_time, bodies)) in &samples {
        let mut poses = Vec::new();
        for &index in &scene.dynamic {
            let name = scene.bodies[index as usize].name.as_str();
            if let Some(pose) = bodies.get(name) {
                held.insert((*run, name), *pose);
            }
            poses.push(match scene.missing {
                Missing::Hold => held.get(&(*run, name)).copied(),
                _ => bodies.get(name).copied(),
            });
        }
        if runs.is_some_and(|r| !r.contains(run)) || frames.is_some_and(|r| !r.contains(frame)) {
            continue;
        }
        let time_s = if time { Some(*row_time) } else { scene.frame_rate.map(|rate| *frame as f64 / rate) };
        found.push(Expected {
            sample: Sample { run: *run, frame: *frame, time_s },
            starts: last_run.replace(*run) != Some(*run),
            poses,
        });
    }
    found
}

/// The blocks say what the oracle says, in full blocks but the last.
pub fn check(blocks: &[FrameBlock], expected: &[Expected]) {
    assert_eq!(blocks.len(), expected.len().div_ceil(64));
    let mut samples = expected.iter();
    for (index, block) in blocks.iter().enumerate() {
        assert_eq!(block.index, index as u64);
        assert!(block.samples.len() == 64 || index + 1 == blocks.len());
        assert_eq!(block.starts_run & !block.all_samples(), 0);
        for s in 0..64 {
            let next = if s < block.samples.len() { samples.next() } else { None };
            for slot in 0..block.present.len() {
                let pose = next.and_then(|next| next.poses[slot]);
                assert_eq!(block.present[slot] >> s & 1 == 1, pose.is_some(), "block {index} sample {s} slot {slot}");
                let [x, y, z, qw, qx, qy, qz] = pose.unwrap_or([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
                assert_eq!(
                    block.pose(slot, s),
                    Pose::new([x, y, z], [qw, qx, qy, qz]),
                    "block {index} sample {s} slot {slot}"
                );
            }
            if let Some(next) = next {
                assert_eq!(block.samples[s], next.sample);
                assert_eq!(block.starts_run >> s & 1 == 1, next.starts, "block {index} sample {s}");
            }
        }
    }
    assert!(samples.next().is_none());
}

pub fn naive_bounds(rows: &[Row], metres: impl Fn(f64) -> f64) -> Bounds {
    let fold = |axis: usize, start: f64, pick: fn(f64, f64) -> f64| {
        rows.iter().map(|row| metres(row.pose[axis])).fold(start, pick)
    };
    Bounds {
        min: std::array::from_fn(|axis| fold(axis, f64::INFINITY, f64::min)),
        max: std::array::from_fn(|axis| fold(axis, f64::NEG_INFINITY, f64::max)),
    }
}
