//! Frames of a result that are looked at: the poses of all bodies, and the rows.

use clearsweep_base::error::Result;
use clearsweep_geometry::Pose;
use clearsweep_model::{BetweenFrames, FrameBlock, Motion, SAMPLES, Sample, SampleColumn, Scene};
use clearsweep_records::{Distance, Interval, Penetration, StoredRecord, Table};
use std::collections::BTreeMap;
use std::path::Path;

use crate::joint_motion::ColumnPath;
use crate::placement::Placement;

/// A frame of a run, with the rows about it.
pub struct Frame {
    /// Run.
    pub run: i64,
    /// Frame.
    pub frame: i64,
    /// Whether it is the first frame of the job, which has the rows of pairs of static bodies.
    pub is_first: bool,
    /// Placement of each body; `None`: it is absent.
    pub places: Vec<Option<Placement>>,
    /// The next frame of the run, if the motion to it is looked at, with the placements there.
    pub next: Option<NextFrame>,
    /// Rows of `distances`, sorted by pair.
    pub rows: Vec<Distance>,
    /// Rows of `penetrations`.
    pub depths: Vec<Penetration>,
    /// Rows of `intervals` that begin here.
    pub intervals: Vec<Interval>,
}

/// The frame at the end of an interval.
pub struct NextFrame {
    /// Frame.
    pub frame: i64,
    /// Time from the frame before it, seconds; `None` where the input has none.
    pub seconds: Option<f64>,
    /// Placement of each body.
    pub places: Vec<Option<Placement>>,
    /// Values of joints until then, by column; empty if no joints move the bodies between frames.
    pub paths: Vec<ColumnPath>,
}

impl Frame {
    /// Takes sample `s` of a block.
    pub fn of_block(scene: &Scene, block: &FrameBlock, s: usize) -> Self {
        let sample = block.samples[s];
        let here = |slot: usize| (block.present[slot] >> s & 1 == 1).then(|| block.pose(slot, s));
        let is_last = s + 1 == block.samples.len();
        let following = block.following.as_ref().filter(|_| is_last);
        let follows = !is_last && block.starts_run >> (s + 1) & 1 == 0;
        let is_asked =
            scene.motion.between != BetweenFrames::None && block.intervals(scene.motion.max_gap)[0] >> s & 1 == 1;
        let next = match (is_asked, follows, following) {
            (false, ..) | (true, false, None) => None,
            (true, true, _) => {
                let there = |slot: usize| (block.present[slot] >> (s + 1) & 1 == 1).then(|| block.pose(slot, s + 1));
                let paths = paths(scene, block, s, |column| block.joints[column].0[s + 1]);
                let next = &block.samples[s + 1];
                let seconds = time_between(&sample, next);
                Some(NextFrame { frame: next.frame, seconds, places: places(scene, there), paths })
            }
            (true, false, Some(following)) => {
                let paths = paths(scene, block, s, |column| following.joints[column]);
                let places = places(scene, |slot| following.poses[slot]);
                let next = &following.sample;
                Some(NextFrame { frame: next.frame, seconds: time_between(&sample, next), places, paths })
            }
        };
        Self {
            run: sample.run,
            frame: sample.frame,
            is_first: block.index == 0 && s == 0,
            places: places(scene, here),
            next,
            rows: Vec::new(),
            depths: Vec::new(),
            intervals: Vec::new(),
        }
    }
}

fn time_between(from: &Sample, to: &Sample) -> Option<f64> {
    Some(to.time_s? - from.time_s?)
}

fn places(scene: &Scene, pose: impl Fn(usize) -> Option<Pose>) -> Vec<Option<Placement>> {
    let place = |motion: &Motion| match motion {
        Motion::Static(pose) => Some(Placement::from(pose)),
        Motion::Dynamic { slot } => pose(*slot as usize).as_ref().map(Placement::from),
    };
    scene.bodies.iter().map(|body| place(&body.motion)).collect()
}

/// Values of joints, by column, from a sample of a block to the next one; `next`: at that one.
fn paths(scene: &Scene, block: &FrameBlock, s: usize, next: impl Fn(usize) -> f64) -> Vec<ColumnPath> {
    match scene.motion.between {
        BetweenFrames::Joint => {
            let ends = |(column, values): (usize, &SampleColumn)| ColumnPath::Line([values.0[s], next(column)]);
            block.joints.iter().enumerate().map(ends).collect()
        }
        BetweenFrames::Spline => {
            let curves = block.curves.iter().skip(s).step_by(SAMPLES);
            curves
                .map(|curve| ColumnPath::Spline { controls: curve.controls().to_vec(), error: curve.error() })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// A row of a table that is sorted by run and frame.
pub trait OfFrame: StoredRecord {
    /// Run and frame.
    fn key(&self) -> (i64, i64);
    /// Indices of the bodies.
    fn pair(&self) -> (i32, i32);
    /// The list of such rows in a frame.
    fn rows(frame: &mut Frame) -> &mut Vec<Self>;
}

macro_rules! of_frame {
    ($($record:ident: $field:ident),*) => {
        $(impl OfFrame for $record {
            fn key(&self) -> (i64, i64) {
                (self.run, self.frame)
            }

            fn pair(&self) -> (i32, i32) {
                (self.a_index, self.b_index)
            }

            fn rows(frame: &mut Frame) -> &mut Vec<Self> {
                &mut frame.$field
            }
        })*
    };
}

of_frame!(Distance: rows, Penetration: depths, Interval: intervals);

/// Adds the rows of a table to chosen frames.
///
/// # Errors
/// The table is missing or damaged.
pub fn add_rows<R: OfFrame>(dir: &Path, frames: &mut BTreeMap<(i64, i64), Frame>) -> Result<()> {
    for row in Table::<R>::open(dir)?.rows() {
        let row = row?;
        if let Some(frame) = frames.get_mut(&row.key()) {
            R::rows(frame).push(row);
        }
    }
    Ok(())
}

/// Hands out the rows of a sorted table frame by frame.
pub struct ByFrame<R: OfFrame> {
    rows: std::iter::Peekable<clearsweep_records::Rows<R>>,
}

impl<R: OfFrame> ByFrame<R> {
    /// Opens the table of a result.
    ///
    /// # Errors
    /// The table is missing.
    pub fn open(dir: &Path) -> Result<Self> {
        Ok(Self { rows: Table::<R>::open(dir)?.rows().peekable() })
    }

    /// Moves the rows of a frame to it, and returns the rows before it, which belong to no frame.
    ///
    /// # Errors
    /// The table is damaged.
    pub fn take(&mut self, frame: &mut Frame) -> Result<Vec<R>> {
        let key = (frame.run, frame.frame);
        let mut before = Vec::new();
        while let Some(row) = self.rows.next_if(|row| row.as_ref().map_or(true, |row| row.key() <= key)) {
            let row = row?;
            if row.key() < key { before.push(row) } else { R::rows(frame).push(row) }
        }
        Ok(before)
    }

    /// The remaining rows, which belong to no frame.
    ///
    /// # Errors
    /// The table is damaged.
    pub fn rest(self) -> Result<Vec<R>> {
        self.rows.collect()
    }
}
