//! From rows of joint values to samples to blocks: each sample poses all bodies.

use super::assemble::{Sink, Step, Stop};
use super::columns::{Column, JointName};
use super::decode::{self, Defects, Runs};
use super::joint_columns::{JointColumns, JointSource, joint_named};
use super::plan::Plan;
use super::row_label::RowLabel;
use super::source::Source;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::Pose;
use clearsweep_kinematics::RANGE_SLACK;
use clearsweep_model::{FrameBlock, SAMPLES, Sample, SampleColumn, SceneJoints};
use std::sync::Arc;

/// Checked rows of values of joints.
pub(super) struct JointRows {
    label: RowLabel,
    /// The row of the file it begins with.
    first_row: u64,
    /// Good rows: those before the defect.
    pub(super) len: usize,
    pub(super) run: Runs,
    pub(super) frame: ScalarBuffer<i64>,
    time: Option<ScalarBuffer<f64>>,
    values: JointValues,
    /// The error in the row after the good ones.
    defect: Option<Error>,
}

/// Values in the rows: radians or metres.
enum JointValues {
    /// By joint; a single value holds for all rows.
    Wide(Vec<JointColumn>),
    /// The joint of each row, and its value.
    Long(Vec<u32>, ScalarBuffer<f64>),
}

enum JointColumn {
    Each(ScalarBuffer<f64>),
    Posture(f64),
}

impl JointColumn {
    fn at(&self, row: usize) -> f64 {
        match self {
            Self::Each(values) => values[row],
            Self::Posture(value) => *value,
        }
    }
}

/// The rows of a batch that decoded all columns of values of joints (root indices `projection`, ascending).
///
/// # Errors
/// A column cannot be understood at all; bad rows are in the rows' defect.
pub(super) fn rows(
    source: &Source,
    columns: &JointColumns,
    joints: &[JointName],
    projection: &[usize],
    first_row: u64,
    batch: &RecordBatch,
) -> Result<JointRows> {
    let mut defects = Defects::new(source, first_row, batch.num_rows());
    let run = decode::runs(source, projection, batch, &mut defects)?;
    let frame = decode::frames(source, projection, batch, &mut defects)?;
    let time = decode::time(source, projection, batch, &mut defects)?;
    let values = match columns {
        JointColumns::Wide(sources) => {
            let mut all = Vec::with_capacity(sources.len());
            for (source_of, joint) in sources.iter().zip(joints) {
                all.push(match source_of {
                    JointSource::Posture(value) => JointColumn::Posture(*value),
                    JointSource::Column(column, factor) => {
                        let values = scaled(source, projection, batch, column, |_| *factor, &mut defects)?;
                        check_range(&values, &column.name, |_| joint, &mut defects);
                        JointColumn::Each(values)
                    }
                });
            }
            JointValues::Wide(all)
        }
        JointColumns::Long { joint, value, factors } => {
            let named = named_joints(source, projection, batch, joint, joints, &mut defects)?;
            let of = |row: usize| named.get(row).map_or(0, |&joint| joint as usize);
            let values = scaled(source, projection, batch, value, |row| factors[of(row)], &mut defects)?;
            check_range(&values, &value.name, |row| &joints[of(row)], &mut defects);
            JointValues::Long(named, values)
        }
    };
    let len = defects.good_rows();
    Ok(JointRows { label: source.label(), first_row, len, run, frame, time, values, defect: defects.into_error() })
}

/// The numbers of a column times a factor, finite.
fn scaled(
    source: &Source,
    projection: &[usize],
    batch: &RecordBatch,
    column: &Column,
    factor: impl Fn(usize) -> f64,
    defects: &mut Defects<'_>,
) -> Result<ScalarBuffer<f64>> {
    let values = decode::numbers(source, projection, batch, column, defects)?;
    let is_plain = (0..values.len()).all(|row| factor(row) == 1.0);
    Ok(if is_plain { values } else { values.iter().enumerate().map(|(row, value)| value * factor(row)).collect() })
}

/// Refuses values outside of the ranges of their joints.
fn check_range<'j>(values: &[f64], column: &str, joint: impl Fn(usize) -> &'j JointName, defects: &mut Defects<'_>) {
    let is_outside = |row: usize| {
        let [least, greatest] = joint(row).allowed;
        let slack = RANGE_SLACK * (1.0 + least.abs().max(greatest.abs()));
        values[row] < least - slack || values[row] > greatest + slack
    };
    defects.note(is_outside, |row| {
        let JointName { name, turns, allowed: [least, greatest], .. } = joint(row);
        let unit = if *turns { "rad" } else { "m" };
        let [value, least, greatest] = [values[row], *least, *greatest].map(|value| match value.abs() {
            0.0 | 1e-4..1e7 => format!("{value} {unit}"),
            _ => format!("{value:e} {unit}"),
        });
        let problem =
            format!("column `{column}` is {value}, outside of the range of the joint `{name}`, {least} to {greatest}");
        (problem, "check its unit in [columns] (radians and metres otherwise), or the joint's `range`".to_owned())
    });
}

/// The joints that the rows of a long table name.
fn named_joints(
    source: &Source,
    projection: &[usize],
    batch: &RecordBatch,
    column: &Column,
    joints: &[JointName],
    defects: &mut Defects<'_>,
) -> Result<Vec<u32>> {
    let array = decode::column(column, projection, batch, &source.path)?;
    defects.nulls(array, &column.name);
    let plain: ArrayRef = arrow_cast::cast(array, &DataType::Utf8).map_err(|error| {
        Error::input(source.path.display(), format!("column `{}`: {error}", column.name), "write names of joints")
    })?;
    let texts: &StringArray = plain.as_string();
    let mut known: Option<(&str, Option<usize>)> = None;
    let mut find = |row: usize| {
        let name = if texts.is_null(row) { "" } else { texts.value(row) };
        match known {
            Some((last, found)) if last == name => found,
            _ => {
                let found = joint_named(joints, name);
                known = Some((name, found));
                found
            }
        }
    };
    let found: Vec<Option<usize>> = (0..batch.num_rows()).map(&mut find).collect();
    defects.note(
        |row| found[row].is_none(),
        |row| {
            let names = joints.iter().map(|joint| &*joint.name);
            let remedy = match clearsweep_base::error::nearest(texts.value(row), names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "name a joint of the scene that has a value of its own".to_owned(),
            };
            (format!("`{}` is no joint", texts.value(row)), remedy)
        },
    );
    Ok(found.into_iter().map(|found| found.unwrap_or(0) as u32).collect())
}

/// The sample whose rows are being read.
struct CurrentSample {
    run: i64,
    frame: i64,
    time: Option<f64>,
    is_chosen: bool,
    /// Row of its file, for messages.
    label: RowLabel,
    row: u64,
    /// Which joints have a value.
    known: Vec<bool>,
}

/// Poses all bodies by the values of each sample, and puts samples into blocks.
pub(super) struct JointAssembler<'a> {
    plan: &'a Plan,
    joints: &'a SceneJoints,
    names: Arc<[JointName]>,
    values: Vec<f64>,
    links: Vec<Pose>,
    current: Option<CurrentSample>,
    block: Option<FrameBlock>,
    blocks: u64,
    /// The run of the last chosen sample.
    last_run: Option<i64>,
    /// Whether the sample behind the part that is read was there.
    is_followed: bool,
}

impl<'a> JointAssembler<'a> {
    pub(super) fn new(plan: &'a Plan, joints: &'a Arc<SceneJoints>, names: Arc<[JointName]>) -> Self {
        Self {
            plan,
            joints,
            values: vec![0.0; names.len()],
            names,
            links: Vec::new(),
            current: None,
            block: None,
            blocks: 0,
            last_run: None,
            is_followed: false,
        }
    }

    /// Takes the next rows.
    ///
    /// # Errors
    /// They are out of order, contradict each other, or leave a joint out; or the first defect among them.
    pub(super) fn push(&mut self, rows: JointRows, sink: &mut Sink<'_>) -> Step {
        for row in 0..rows.len {
            self.enter(&rows, row, sink)?;
            let Some(current) = self.current.as_mut().filter(|current| current.is_chosen) else { continue };
            match &rows.values {
                JointValues::Wide(columns) => {
                    self.values.iter_mut().zip(columns).for_each(|(value, column)| *value = column.at(row));
                    current.known.fill(true);
                }
                JointValues::Long(joints, values) => {
                    let joint = joints[row] as usize;
                    if std::mem::replace(&mut current.known[joint], true) {
                        let problem = format!(
                            "joint `{}` has a second row in run {}, frame {}",
                            self.names[joint].name, current.run, current.frame
                        );
                        return Err(rows.error(row, problem, "keep one row for each run, frame and joint"));
                    }
                    self.values[joint] = values[row];
                }
            }
        }
        rows.defect.map_or(Ok(()), |error| Err(Stop::Failed(error)))
    }

    /// Ends the last sample and gives out the last block.
    ///
    /// # Errors
    /// As for [`Self::push`].
    pub(super) fn finish(mut self, sink: &mut Sink<'_>) -> Step {
        self.end_sample(sink)?;
        self.give_out(sink)
    }

    /// Goes on to the sample of a row.
    fn enter(&mut self, rows: &JointRows, row: usize, sink: &mut Sink<'_>) -> Step {
        let (run, frame) = (rows.run.at(row), rows.frame[row]);
        let time = match &rows.time {
            Some(times) => Some(times[row]),
            None => self.plan.frame_rate.map(|rate| frame as f64 / rate),
        };
        let before = self.current.as_ref().map(|current| (current.run, current.frame, current.time));
        if let Some((last_run, last_frame, last_time)) = before {
            if (run, frame) < (last_run, last_frame) {
                let problem = format!("run {run}, frame {frame} comes after run {last_run}, frame {last_frame}");
                return Err(rows.error(row, problem, "sort the rows by run, then frame"));
            }
            if (run, frame) == (last_run, last_frame) {
                if matches!(rows.values, JointValues::Wide(_)) {
                    let problem = format!("run {run}, frame {frame} has a second row");
                    return Err(rows.error(
                        row,
                        problem,
                        "keep one row for each run and frame; the column `run` tells runs apart",
                    ));
                }
                if time != last_time {
                    let problem = format!("run {run}, frame {frame} has several times");
                    return Err(rows.error(row, problem, "all rows of a run and frame have the same time"));
                }
                return Ok(());
            }
        }
        self.end_sample(sink)?;
        let is_first = before.is_none_or(|(last_run, ..)| last_run != run);
        let choice = &self.plan.choice;
        let follows = !self.is_followed && choice.is_followed_by(run, frame, is_first);
        if follows {
            // The sample behind a part is a block of its own.
            self.is_followed = true;
            self.give_out(sink)?;
        }
        let postures = self.names.iter().map(|joint| joint.posture.unwrap_or(0.0));
        self.values.iter_mut().zip(postures).for_each(|(value, posture)| *value = posture);
        let (is_chosen, label) = (follows || self.plan.choice.has(run, frame, is_first), rows.label.clone());
        let row = rows.first_row + row as u64;
        let known = vec![false; self.names.len()];
        self.current = Some(CurrentSample { run, frame, time, is_chosen, label, row, known });
        Ok(())
    }

    /// Poses the bodies of the current sample, and completes the block if it is the last one of it.
    fn end_sample(&mut self, sink: &mut Sink<'_>) -> Step {
        // Its keys stay known: what follows is compared with them.
        let Some(current) = self.current.as_mut().filter(|current| current.is_chosen) else { return Ok(()) };
        let missing = current.known.iter().zip(&*self.names).find(|(known, joint)| !**known && joint.posture.is_none());
        if let Some((_, joint)) = missing {
            let problem = format!("joint `{}` has no row in run {}, frame {}", joint.name, current.run, current.frame);
            let remedy = "add the row, or give the joint a value in [posture]";
            return Err(Stop::Failed(Error::input(current.label.row(current.row), problem, remedy)));
        }
        current.is_chosen = false;
        let slots = self.plan.body_index.slots();
        let block = self.block.get_or_insert_with(|| self.plan.block_pool.block(self.blocks, slots));
        block.joints.resize(self.values.len(), SampleColumn::default());
        let at = block.samples.len();
        self.joints.tree.links(&self.values, &mut self.links);
        for slot in 0..slots {
            block.set(slot, at, &self.joints.tree.body(slot, &self.links));
        }
        block.joints.iter_mut().zip(&self.values).for_each(|(column, &value)| column.0[at] = value);
        block.samples.push(Sample { run: current.run, frame: current.frame, time_s: current.time });
        if self.last_run.replace(current.run) != Some(current.run) {
            block.starts_run |= 1 << at;
        }
        if at == SAMPLES - 1 { self.give_out(sink) } else { Ok(()) }
    }

    /// Gives out the block, if it has a sample.
    fn give_out(&mut self, sink: &mut Sink<'_>) -> Step {
        let Some(block) = self.block.take() else { return Ok(()) };
        self.blocks += 1;
        sink(block)
    }
}

impl JointRows {
    fn error(&self, row: usize, problem: String, remedy: &str) -> Stop {
        Stop::Failed(Error::input(self.label.row(self.first_row + row as u64), problem, remedy))
    }
}
