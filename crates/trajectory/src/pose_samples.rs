//! Poses of the samples, as rows hold them: staged, completed and laid out in blocks.

use super::assemble::{CurrentSample, SampleContent, Step, Stop};
use super::body_index::BodyIndex;
use super::carry::{InputPoses, Posed, StagedSample};
use super::plan::Plan;
use super::rows::{PoseValues, RowKeys};
use super::stage::{READ, Stage, TILE};
use clearsweep_base::error::Error;
use clearsweep_model::{FrameBlock, Missing};
use std::ops::Range;

/// Which bodies the sample has rows of, in the order of the rows.
///
/// In every frame the bodies mostly come in the same order. So rows are compared with the `order`
/// of the sample before, a slice at a time; only from the first row that differs on are they marked
/// one by one.
struct RowOrder {
    /// The bodies of the last sample, without duplicates.
    order: Vec<u32>,
    /// Whether `order` counts up by ones, so that columns can be copied as they are.
    counting: bool,
    /// Rows of this sample that follow `order`; `None` once they do not.
    followed: Option<usize>,
    /// The bodies of this sample, once they do not follow `order`.
    listed: Vec<u32>,
    /// `marks[slot] == mark`: the body is in `listed`.
    marks: Vec<u64>,
    mark: u64,
}

impl RowOrder {
    fn new(slots: usize) -> Self {
        Self {
            order: Vec::new(),
            counting: true,
            followed: Some(0),
            listed: Vec::new(),
            marks: vec![0; slots],
            mark: 0,
        }
    }

    /// Takes the bodies of the next rows. `Ok(true)`: they follow the order, from where the sample
    /// stood. `Err`: which of the rows has a body again.
    fn take(&mut self, slots: &[u32]) -> std::result::Result<bool, usize> {
        if let Some(count) = self.followed {
            if self.order[count..].starts_with(slots) {
                self.followed = Some(count + slots.len());
                return Ok(true);
            }
            self.followed = None;
            self.mark += 1;
            self.listed.clear();
            self.listed.extend_from_slice(&self.order[..count]);
            self.listed.iter().for_each(|&slot| self.marks[slot as usize] = self.mark);
        }
        for (row, &slot) in slots.iter().enumerate() {
            if std::mem::replace(&mut self.marks[slot as usize], self.mark) == self.mark {
                return Err(row);
            }
            self.listed.push(slot);
        }
        Ok(false)
    }

    /// The bodies of this sample.
    fn bodies(&self) -> &[u32] {
        self.followed.map_or(&self.listed, |count| &self.order[..count])
    }

    /// Begins the next sample.
    fn next(&mut self) {
        if self.followed.is_none() {
            std::mem::swap(&mut self.order, &mut self.listed);
            self.counting = self.order.windows(2).all(|pair| pair[1] == pair[0] + 1);
        }
        self.followed = Some(0);
    }
}

/// The last poses of a run, for `hold`.
struct LastPoses {
    run: Option<i64>,
    /// `(component, slot)`.
    values: [Vec<f64>; READ],
    known: Vec<bool>,
}

impl LastPoses {
    fn new(slots: usize) -> Self {
        Self { run: None, values: std::array::from_fn(|_| vec![0.0; slots]), known: vec![false; slots] }
    }

    /// Nothing is held across runs.
    fn enter(&mut self, run: i64) {
        if self.run != Some(run) {
            self.run = Some(run);
            self.known.fill(false);
        }
    }
}

impl InputPoses for LastPoses {
    fn component(&mut self, component: usize) -> &mut [f64] {
        &mut self.values[component]
    }
}

/// Poses of the samples.
pub(super) struct PoseSamples<'a> {
    plan: &'a Plan,
    body_index: &'a BodyIndex,
    /// The samples of the block after the last multiple of [`TILE`].
    stage: Stage,
    order: RowOrder,
    last_poses: Option<LastPoses>,
    posed: Posed,
    /// Samples of the block in which every body has a pose.
    whole: u64,
}

impl<'a> PoseSamples<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        let inputs = plan.body_index.inputs();
        Self {
            plan,
            body_index: &plan.body_index,
            stage: Stage::new(inputs),
            order: RowOrder::new(inputs),
            last_poses: (plan.choice.missing == Missing::Hold).then(|| LastPoses::new(inputs)),
            posed: Posed::new(inputs, &plan.body_index.links),
            whole: 0,
        }
    }

    /// Refuses rows of a sample whose time differs from that of its first row.
    fn check_times(&self, keys: &RowKeys, range: Range<usize>, sample: &CurrentSample) -> Step {
        let time = |row: usize| keys.time_s(row, self.plan.frame_rate);
        let Some(row) = range.into_iter().find(|&row| time(row) != sample.time) else { return Ok(()) };
        let word = |time: Option<f64>| time.map_or_else(|| "null".to_owned(), |time| time.to_string());
        let (run, frame, times) = (sample.run, sample.frame, [sample.time, time(row)].map(word));
        let problem = format!("run {run}, frame {frame} has the times {} and {}", times[0], times[1]);
        Err(keys.error(row, problem, "all rows of a run and frame have the same time").into())
    }

    /// Puts rows of a chosen sample into the stage.
    fn place(
        &mut self,
        keys: &RowKeys,
        values: &PoseValues,
        range: Range<usize>,
        sample: &CurrentSample,
        at: usize,
    ) -> Step {
        let done = self.order.followed.unwrap_or(0);
        let slots = &values.slots[range.clone()];
        let follows = self.order.take(slots).map_err(|row| {
            let (body, CurrentSample { run, frame, .. }) = (self.body_index.name(slots[row]), sample);
            let problem = format!("body `{body}` has a second row in run {run}, frame {frame}");
            let remedy = "keep one row for each run, frame and body; the column `run` tells runs apart";
            keys.error(range.start + row, problem, remedy)
        })?;
        for (component, values) in values.pose.iter().enumerate() {
            let values = &values[range.clone()];
            let row = self.stage.row_mut(at % TILE, component);
            if follows && self.order.counting {
                let first = self.order.order.get(done).map_or(0, |&slot| slot as usize);
                row[first..first + values.len()].copy_from_slice(values);
            } else {
                slots.iter().zip(values).for_each(|(&slot, &value)| row[slot as usize] = value);
            }
        }
        Ok(())
    }

    /// Keeps the poses of rows that are not chosen, if a chosen sample may need them.
    fn hold(&mut self, values: &PoseValues, range: Range<usize>) {
        let Some(last) = &mut self.last_poses else { return };
        let slots = &values.slots[range.clone()];
        for (last, values) in last.values.iter_mut().zip(&values.pose) {
            slots.iter().zip(&values[range.clone()]).for_each(|(&slot, &value)| last[slot as usize] = value);
        }
        slots.iter().for_each(|&slot| last.known[slot as usize] = true);
        self.posed.note(slots);
    }

    /// Marks the bodies with a pose in sample `at`: those with a row, and those that are carried.
    fn mark_present(&mut self, block: &mut FrameBlock, at: usize) {
        let mut mark = |input: usize| {
            if let Some(present) = block.present.get_mut(input) {
                *present |= 1 << at;
            }
        };
        if self.posed.is_used {
            self.posed.note(self.order.bodies());
            let mut sample = StagedSample { stage: &mut self.stage, sample: at % TILE };
            self.posed.carry(&self.body_index.links, &mut sample, mark);
        } else {
            self.order.bodies().iter().for_each(|&input| mark(input as usize));
        }
    }

    /// Fills in the bodies without a pose in sample `at` of the block, as the scene says.
    fn fill_in(&mut self, sample: &CurrentSample, block: &mut FrameBlock, at: usize) -> Step {
        for slot in 0..self.body_index.slots() {
            if block.present[slot] >> at & 1 == 1 {
                continue;
            }
            match (&self.last_poses, self.plan.choice.missing) {
                (_, Missing::Absent) => self.stage.set_identity(at % TILE, slot),
                (Some(last), _) if last.known[slot] => {
                    for (component, values) in last.values.iter().enumerate() {
                        self.stage.row_mut(at % TILE, component)[slot] = values[slot];
                    }
                    block.present[slot] |= 1 << at;
                }
                (last, _) => {
                    let is_carried = self.body_index.is_carried(slot as u32);
                    return Err(missing(sample, self.body_index.name(slot as u32), last.is_some(), is_carried));
                }
            }
        }
        Ok(())
    }

    /// Lays out `count` samples of the stage from sample `first` of the block on.
    fn lay_out(&mut self, block: &mut FrameBlock, first: usize, count: usize) {
        self.stage.lay_out(block, first, count);
        for (slot, to) in &self.body_index.recentred {
            let slot = *slot as usize;
            let mask = block.present[slot] | self.whole;
            self.stage.recentre(block, slot, to, mask, first, count);
        }
    }
}

impl SampleContent for PoseSamples<'_> {
    type Values = PoseValues;

    fn order_remedy(&self) -> String {
        match &self.plan.sort_command {
            Some(command) => {
                format!("rows must be sorted by run, then frame, and files must not interleave: {command}")
            }
            None => "hand the rows over in order of run, then frame".to_owned(),
        }
    }

    fn begin(&mut self, run: i64) {
        if let Some(last) = &mut self.last_poses {
            last.enter(run);
        }
    }

    fn take(
        &mut self,
        keys: &RowKeys,
        values: &PoseValues,
        range: Range<usize>,
        sample: &CurrentSample,
        at: usize,
    ) -> Step {
        self.check_times(keys, range.clone(), sample)?;
        if sample.is_chosen {
            return self.place(keys, values, range, sample, at);
        }
        self.hold(values, range);
        Ok(())
    }

    /// Keeps what the rows of the sample carry, too.
    fn skip(&mut self) {
        let Some(last) = self.last_poses.as_mut().filter(|_| self.posed.is_used) else { return };
        let mut known = Vec::new();
        self.posed.carry(&self.body_index.links, last, |input| known.push(input));
        known.into_iter().for_each(|input| last.known[input] = true);
    }

    fn write(&mut self, sample: &CurrentSample, block: &mut FrameBlock, at: usize) -> Step {
        if self.order.bodies().len() == self.body_index.inputs() {
            self.whole |= 1 << at;
        } else {
            self.mark_present(block, at);
            self.fill_in(sample, block, at)?;
        }
        if let Some(last) = &mut self.last_poses {
            for (component, values) in last.values.iter_mut().enumerate() {
                values.copy_from_slice(self.stage.row(at % TILE, component));
            }
            last.known.fill(true);
        }
        self.order.next();
        if at % TILE == TILE - 1 {
            self.lay_out(block, at + 1 - TILE, TILE);
        }
        Ok(())
    }

    fn complete(&mut self, block: &mut FrameBlock) {
        let samples = block.samples.len();
        let rest = samples % TILE;
        if rest > 0 {
            self.lay_out(block, samples - rest, rest);
        }
        block.present.iter_mut().for_each(|present| *present |= self.whole);
        self.whole = 0;
    }
}

/// A dynamic body has no row in a chosen sample, and the scene does not allow it.
fn missing(sample: &CurrentSample, body: &str, hold: bool, is_carried: bool) -> Stop {
    let CurrentSample { run, frame, label, .. } = sample;
    let (problem, remedy) = if hold {
        (
            "has no row yet, so there is no pose to hold",
            "add its first row, or set `missing = \"absent\"` in [scene]; where rows are out of order, `clearsweep sort` \
             first",
        )
    } else {
        (
            "has no row",
            "add the row, or set `missing = \"absent\"` or `missing = \"hold\"` in [scene]; where rows are out of order, \
             `clearsweep sort` first",
        )
    };
    let place = format!("{}, run {run}, frame {frame}", label.path.display());
    let problem =
        format!("body `{body}` {problem}{}", if is_carried { "; nor has a node that carries it" } else { "" });
    Stop::Missing { run: *run, frame: *frame, error: Error::input(place, problem, remedy) }
}
