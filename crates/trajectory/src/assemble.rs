//! From rows to samples to blocks.

use super::body_index::BodyIndex;
use super::carry::{InputPoses, Posed, StagedSample};
use super::decode::Rows;
use super::plan::{Choice, Plan, is_beyond};
use super::read_part::ReadPart;
use super::stage::{READ, Stage, TILE};
use clearsweep_base::error::Error;
use clearsweep_model::{FrameBlock, Missing, SAMPLES, Sample};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Why reading ends early.
pub(super) enum Stop {
    /// The input is wrong.
    Failed(Error),
    /// A body has no row in a sample, unless the rows of that sample come in several places.
    Missing {
        /// The sample.
        run: i64,
        /// The sample.
        frame: i64,
        /// The error to report if they do not.
        error: Error,
    },
    /// Nobody takes the blocks any more.
    Gone,
}

/// Whether to go on.
pub(super) type Step = std::result::Result<(), Stop>;

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Takes the finished blocks, in order.
pub(super) type Sink<'a> = dyn FnMut(FrameBlock) -> Step + 'a;

/// The sample that is being put together.
struct Current {
    run: i64,
    frame: i64,
    time: Option<f64>,
    /// Whether it is asked for; else its rows only matter to `hold`.
    chosen: bool,
    /// The file of its first row.
    path: Arc<Path>,
}

/// Which bodies the sample has rows of, in the order of the rows.
///
/// In every frame the bodies mostly come in the same order. So rows are compared with the `order` of the sample before,
/// a slice at a time; only from the first row that differs on are they marked one by one.
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

    /// Takes the bodies of the next rows. `Ok(true)`: they follow the order, from where the sample stood.
    /// `Err`: which of the rows has a body again.
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

/// Puts the rows of samples together, and samples into blocks.
pub(super) struct Assembler<'a> {
    plan: &'a Plan,
    body_index: &'a BodyIndex,
    stage: Stage,
    roll: RowOrder,
    held: Option<LastPoses>,
    posed: Posed,
    current: Option<Current>,
    /// The block being filled; the samples after the last multiple of [`TILE`] are in the stage.
    block: Option<FrameBlock>,
    /// Samples of the block in which every body has a pose.
    whole: u64,
    /// Blocks given out.
    blocks: u64,
    /// The run of the last chosen sample.
    last_run: Option<i64>,
    /// Whether the sample behind the part that is read was there.
    is_followed: bool,
}

impl<'a> Assembler<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        let inputs = plan.body_index.inputs();
        Self {
            plan,
            body_index: &plan.body_index,
            stage: Stage::new(inputs),
            roll: RowOrder::new(inputs),
            held: (plan.choice.missing == Missing::Hold).then(|| LastPoses::new(inputs)),
            posed: Posed::new(inputs, &plan.body_index.links),
            current: None,
            block: None,
            whole: 0,
            blocks: 0,
            last_run: None,
            is_followed: false,
        }
    }

    /// Takes the next rows.
    ///
    /// # Errors
    /// They are out of order, contradict each other, or leave a body out; or the first defect among them.
    pub(super) fn push(&mut self, rows: &mut Rows, sink: &mut Sink<'_>) -> Step {
        if let Some(turns) = &self.body_index.rest_turns {
            turns.apply(rows);
        }
        let mut start = 0;
        while start < rows.len {
            let end = rows.end_of_sample(start);
            self.enter(rows, start, end, sink)?;
            if self.current.as_ref().is_some_and(|current| current.chosen) {
                self.place(rows, start..end)?;
            } else {
                self.hold(rows, start..end);
            }
            start = end;
        }
        rows.defect.take().map_or(Ok(()), |error| Err(Stop::Failed(error)))
    }

    /// Ends the last sample and gives out the last block.
    ///
    /// # Errors
    /// As for [`Self::push`].
    pub(super) fn finish(mut self, sink: &mut Sink<'_>) -> Step {
        self.end_sample(sink)?;
        self.give_out(sink)
    }

    /// Goes on to the sample of row `start`, which has the rows until `end`.
    fn enter(&mut self, rows: &Rows, start: usize, end: usize, sink: &mut Sink<'_>) -> Step {
        let (run, frame) = (rows.run.at(start), rows.frame[start]);
        let time = match &rows.time {
            Some(times) => Some(times[start]),
            None => self.plan.frame_rate.map(|rate| frame as f64 / rate),
        };
        let before = self.current.as_ref().map(|current| (current.run, current.frame));
        if let Some((last_run, last_frame)) = before.filter(|before| (run, frame) < *before) {
            return Err(Stop::Failed(rows.error(
                start,
                format!("run {run}, frame {frame} comes after run {last_run}, frame {last_frame}"),
                match &self.plan.sort_command {
                    Some(command) => {
                        format!("rows must be sorted by run, then frame, and files must not interleave: {command}")
                    }
                    None => "hand the rows over in order of run, then frame".to_owned(),
                },
            )));
        }
        if before != Some((run, frame)) {
            self.end_sample(sink)?;
            if let Some(held) = &mut self.held {
                held.enter(run);
            }
            let is_first = before.is_none_or(|(last_run, _)| last_run != run);
            let choice = &self.plan.choice;
            let follows = !self.is_followed && choice.is_followed_by(run, frame, is_first);
            if follows {
                // The sample behind a part is a block of its own.
                self.is_followed = true;
                self.give_out(sink)?;
            }
            let chosen = follows || choice.has(run, frame, is_first);
            self.current = Some(Current { run, frame, time, chosen, path: Arc::clone(&rows.label.path) });
        }
        let expected = self.current.as_ref().and_then(|current| current.time);
        let times = rows.time.as_ref().map(|times| &times[start..end]);
        let differs = match times {
            Some(times) => times.iter().position(|&time| Some(time) != expected),
            None => (time != expected).then_some(0),
        };
        differs.map_or(Ok(()), |row| {
            let word = |time: Option<f64>| time.map_or_else(|| "null".to_owned(), |time| time.to_string());
            let found = times.map_or(time, |times| Some(times[row]));
            Err(Stop::Failed(rows.error(
                start + row,
                format!("run {run}, frame {frame} has the times {} and {}", word(expected), word(found)),
                "all rows of a run and frame have the same time",
            )))
        })
    }

    /// Puts rows of the current sample into the stage.
    fn place(&mut self, rows: &Rows, range: Range<usize>) -> Step {
        let done = self.roll.followed.unwrap_or(0);
        let slots = &rows.slots[range.clone()];
        let follows = self.roll.take(slots).map_err(|row| {
            let (run, frame) = (rows.run.at(range.start), rows.frame[range.start]);
            Stop::Failed(rows.error(
                range.start + row,
                format!("body `{}` has a second row in run {run}, frame {frame}", self.body_index.name(slots[row])),
                "keep one row for each run, frame and body; the column `run` tells runs apart",
            ))
        })?;
        let sample = self.block.as_ref().map_or(0, |block| block.samples.len()) % TILE;
        for (component, values) in rows.pose.iter().enumerate() {
            let values = &values[range.clone()];
            let row = self.stage.row_mut(sample, component);
            if follows && self.roll.counting {
                let first = self.roll.order.get(done).map_or(0, |&slot| slot as usize);
                row[first..first + values.len()].copy_from_slice(values);
            } else {
                slots.iter().zip(values).for_each(|(&slot, &value)| row[slot as usize] = value);
            }
        }
        Ok(())
    }

    /// Remembers the poses of rows that are not chosen, where a chosen sample may need them.
    fn hold(&mut self, rows: &Rows, range: Range<usize>) {
        let Some(held) = &mut self.held else { return };
        let slots = &rows.slots[range.clone()];
        for (held, values) in held.values.iter_mut().zip(&rows.pose) {
            slots.iter().zip(&values[range.clone()]).for_each(|(&slot, &value)| held[slot as usize] = value);
        }
        slots.iter().for_each(|&slot| held.known[slot as usize] = true);
        self.posed.note(slots);
    }

    /// Ends a sample that is not chosen: what its rows carry is remembered too.
    fn hold_carried(&mut self) {
        let Some(held) = self.held.as_mut().filter(|_| self.posed.is_used) else { return };
        let mut known = Vec::new();
        self.posed.carry(&self.body_index.links, held, |input| known.push(input));
        known.into_iter().for_each(|input| held.known[input] = true);
    }

    /// Completes the current sample, and the block if it is the last one of it.
    fn end_sample(&mut self, sink: &mut Sink<'_>) -> Step {
        let Some(current) = self.current.take() else { return Ok(()) };
        if !current.chosen {
            self.hold_carried();
            return Ok(());
        }
        let slots = self.body_index.slots();
        let block = self.block.get_or_insert_with(|| self.plan.block_pool.block(self.blocks, slots));
        let at = block.samples.len();
        if self.roll.bodies().len() == self.body_index.inputs() {
            self.whole |= 1 << at;
        } else {
            let mut mark = |input: usize| {
                if let Some(present) = block.present.get_mut(input) {
                    *present |= 1 << at;
                }
            };
            if self.posed.is_used {
                self.posed.note(self.roll.bodies());
                let mut sample = StagedSample { stage: &mut self.stage, sample: at % TILE };
                self.posed.carry(&self.body_index.links, &mut sample, mark);
            } else {
                self.roll.bodies().iter().for_each(|&input| mark(input as usize));
            }
            self.fill_in(&current, at)?;
        }
        if let Some(held) = &mut self.held {
            for (component, values) in held.values.iter_mut().enumerate() {
                values.copy_from_slice(self.stage.row(at % TILE, component));
            }
            held.known.fill(true);
        }
        self.roll.next();
        let Some(block) = &mut self.block else { return Ok(()) };
        block.samples.push(Sample { run: current.run, frame: current.frame, time_s: current.time });
        if self.last_run.replace(current.run) != Some(current.run) {
            block.starts_run |= 1 << at;
        }
        if at % TILE == TILE - 1 {
            self.lay_out(at + 1 - TILE, TILE);
        }
        if at == SAMPLES - 1 { self.give_out(sink) } else { Ok(()) }
    }

    /// Fills in the bodies without a row in sample `at` of the block, as the scene says.
    fn fill_in(&mut self, current: &Current, at: usize) -> Step {
        let Some(block) = &mut self.block else { return Ok(()) };
        for slot in 0..self.body_index.slots() {
            if block.present[slot] >> at & 1 == 1 {
                continue;
            }
            match (&self.held, self.plan.choice.missing) {
                (_, Missing::Absent) => self.stage.set_identity(at % TILE, slot),
                (Some(held), _) if held.known[slot] => {
                    for (component, values) in held.values.iter().enumerate() {
                        self.stage.row_mut(at % TILE, component)[slot] = values[slot];
                    }
                    block.present[slot] |= 1 << at;
                }
                (held, _) => {
                    let is_carried = self.body_index.is_carried(slot as u32);
                    return Err(missing(current, self.body_index.name(slot as u32), held.is_some(), is_carried));
                }
            }
        }
        Ok(())
    }

    /// Lays out `count` samples of the stage from sample `first` of the block on.
    fn lay_out(&mut self, first: usize, count: usize) {
        let Some(block) = &mut self.block else { return };
        self.stage.lay_out(block, first, count);
        for (slot, to) in &self.body_index.recentred {
            let slot = *slot as usize;
            let mask = block.present[slot] | self.whole;
            self.stage.recentre(block, slot, to, mask, first, count);
        }
    }

    /// Gives out the block, if it has a sample.
    fn give_out(&mut self, sink: &mut Sink<'_>) -> Step {
        let samples = self.block.as_ref().map_or(0, |block| block.samples.len());
        let rest = samples % TILE;
        if rest > 0 {
            self.lay_out(samples - rest, rest);
        }
        let Some(mut block) = self.block.take() else { return Ok(()) };
        block.present.iter_mut().for_each(|present| *present |= self.whole);
        self.whole = 0;
        self.blocks += 1;
        sink(block)
    }
}

/// A dynamic body has no row in a chosen sample, and the scene does not allow it.
fn missing(current: &Current, body: &str, hold: bool, is_carried: bool) -> Stop {
    let Current { run, frame, path, .. } = current;
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
    let place = format!("{}, run {run}, frame {frame}", path.display());
    let problem =
        format!("body `{body}` {problem}{}", if is_carried { "; nor has a node that carries it" } else { "" });
    Stop::Missing { run: *run, frame: *frame, error: Error::input(place, problem, remedy) }
}

/// Whether a row group can hold rows that matter, by the least and greatest keys of its rows where they are known.
pub(super) fn matters(choice: &Choice, runs: Option<(i64, i64)>, frames: Option<(i64, i64)>) -> bool {
    let beyond = |range: Option<&Range<i64>>, keys: Option<(i64, i64)>| match (range, keys) {
        (Some(range), Some((least, _))) => is_beyond(range, least),
        _ => false,
    };
    let before = |range: Option<&Range<i64>>, keys: Option<(i64, i64)>| match (range, keys) {
        (Some(range), Some((_, greatest))) => greatest < range.start,
        _ => false,
    };
    let holds = choice.missing == Missing::Hold;
    let is_outside = |chosen_runs: Option<&Range<i64>>, chosen_frames: Option<&Range<i64>>| {
        beyond(chosen_runs, runs)
            || before(chosen_runs, runs)
            || beyond(chosen_frames, frames)
            // Poses before the frames asked for are held into them.
            || (before(chosen_frames, frames) && !holds)
    };
    let part = choice.part.as_ref();
    let of_part = part.and_then(ReadPart::frames_read);
    !(is_outside(choice.runs.as_ref(), choice.frames.as_ref())
        || part.is_some_and(|part| is_outside(Some(&part.runs), of_part.as_ref())))
}
