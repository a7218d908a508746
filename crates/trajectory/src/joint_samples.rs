//! Values of joints: from rows to samples, each of which poses all bodies.

use super::assemble::{CurrentSample, SampleContent, Step};
use super::column_format::JointName;
use super::decode;
use super::file_schema::Column;
use super::joint_columns::{JointColumns, JointSource, joint_named};
use super::plan::Plan;
use super::rows::{Defects, RowKeys, Rows};
use super::source::Source;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_buffer::ScalarBuffer;
use arrow_schema::DataType;
use clearsweep_base::error::{Error, Result};
use clearsweep_geometry::Pose;
use clearsweep_kinematics::{RANGE_SLACK, ValueCurve};
use clearsweep_model::{FrameBlock, SAMPLES, SampleColumn, SceneJoints};
use std::ops::Range;
use std::sync::Arc;

/// Values in the rows: radians or metres.
pub(super) enum JointValues {
    /// By joint; a single value holds for all rows.
    Wide(Vec<JointColumn>),
    /// The joint of each row, and its value.
    Long(Vec<u32>, ScalarBuffer<f64>),
}

pub(super) enum JointColumn {
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

/// The rows of a batch that decoded all columns of values of joints (root indices `projection`,
/// ascending).
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
) -> Result<Rows<JointValues>> {
    let mut defects = Defects::new(source, first_row, batch.num_rows());
    let keys = RowKeys::decode(projection, batch, &mut defects)?;
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
    Ok(Rows { keys: keys.until(defects), values })
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

/// Values of the joints in a sample, which pose all bodies.
pub(super) struct JointSamples<'a> {
    plan: &'a Plan,
    joints: &'a SceneJoints,
    names: Arc<[JointName]>,
    values: Vec<f64>,
    /// Whether a joint has a value in this sample.
    known: Vec<bool>,
    /// Whether the sample has a row.
    has_row: bool,
    /// Poses of the links.
    links: Vec<Pose>,
}

impl<'a> JointSamples<'a> {
    pub(super) fn new(plan: &'a Plan, joints: &'a Arc<SceneJoints>, names: Arc<[JointName]>) -> Self {
        let (values, known) = (vec![0.0; names.len()], vec![false; names.len()]);
        Self { plan, joints, names, values, known, has_row: false, links: Vec::new() }
    }

    /// Refuses a further row of a sample that has its values, or another time.
    fn check_again(&self, keys: &RowKeys, row: usize, is_wide: bool, sample: &CurrentSample) -> Step {
        let CurrentSample { run, frame, time, .. } = sample;
        if is_wide {
            let problem = format!("run {run}, frame {frame} has a second row");
            let remedy = "keep one row for each run and frame; the column `run` tells runs apart";
            return Err(keys.error(row, problem, remedy).into());
        }
        if keys.time_s(row, self.plan.frame_rate) != *time {
            let problem = format!("run {run}, frame {frame} has several times");
            return Err(keys.error(row, problem, "all rows of a run and frame have the same time").into());
        }
        Ok(())
    }
}

impl SampleContent for JointSamples<'_> {
    type Values = JointValues;

    fn order_remedy(&self) -> String {
        "sort the rows by run, then frame".to_owned()
    }

    fn begin(&mut self, _: i64) {
        let postures = self.names.iter().map(|joint| joint.posture.unwrap_or(0.0));
        self.values.iter_mut().zip(postures).for_each(|(value, posture)| *value = posture);
        self.known.fill(false);
        self.has_row = false;
    }

    fn take(
        &mut self,
        keys: &RowKeys,
        values: &JointValues,
        range: Range<usize>,
        sample: &CurrentSample,
        _: usize,
    ) -> Step {
        for row in range {
            if std::mem::replace(&mut self.has_row, true) {
                self.check_again(keys, row, matches!(values, JointValues::Wide(_)), sample)?;
            }
            match values {
                _ if !sample.is_chosen => {}
                JointValues::Wide(columns) => {
                    self.values.iter_mut().zip(columns).for_each(|(value, column)| *value = column.at(row));
                    self.known.fill(true);
                }
                JointValues::Long(joints, values) => {
                    let joint = joints[row] as usize;
                    if std::mem::replace(&mut self.known[joint], true) {
                        let (name, CurrentSample { run, frame, .. }) = (&self.names[joint].name, sample);
                        let problem = format!("joint `{name}` has a second row in run {run}, frame {frame}");
                        return Err(keys.error(row, problem, "keep one row for each run, frame and joint").into());
                    }
                    self.values[joint] = values[row];
                }
            }
        }
        Ok(())
    }

    fn write(&mut self, sample: &CurrentSample, block: &mut FrameBlock, at: usize) -> Step {
        let missing = self.known.iter().zip(&*self.names).find(|(known, joint)| !**known && joint.posture.is_none());
        if let Some((_, joint)) = missing {
            let problem = format!("joint `{}` has no row in run {}, frame {}", joint.name, sample.run, sample.frame);
            let remedy = "add the row, or give the joint a value in [posture]";
            return Err(Error::input(sample.label.row(sample.row), problem, remedy).into());
        }
        block.joints.resize(self.values.len(), SampleColumn::default());
        self.joints.tree.links(&self.values, &mut self.links);
        for slot in 0..self.plan.body_index.slots() {
            block.set(slot, at, &self.joints.tree.body(slot, &self.links));
        }
        block.joints.iter_mut().zip(&self.values).for_each(|(column, &value)| column.0[at] = value);
        if let Some(splines) = &self.plan.splines {
            block.curves.resize(self.values.len() * SAMPLES, ValueCurve::default());
            let motion = splines.of_run(sample.run).zip(usize::try_from(sample.frame).ok());
            for (column, curves) in block.curves.chunks_exact_mut(SAMPLES).enumerate() {
                let curve = motion.and_then(|(motion, frame)| motion.curve(frame, column));
                // No interval begins at the last frame.
                curves[at] = curve.unwrap_or_default();
            }
        }
        Ok(())
    }
}
