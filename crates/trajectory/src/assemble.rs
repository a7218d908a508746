//! From rows to samples to blocks: the order of samples, and which of them are chosen. The content
//! of samples is poses (`pose_samples`) or values of joints (`joint_samples`).

use super::plan::Plan;
use super::row_label::RowLabel;
use super::rows::{RowKeys, Rows};
use clearsweep_base::error::Error;
use clearsweep_model::{FrameBlock, SAMPLES, Sample};
use std::ops::Range;

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

/// A sample whose rows are being read.
pub(super) struct CurrentSample {
    pub(super) run: i64,
    pub(super) frame: i64,
    /// Seconds, by its first row.
    pub(super) time: Option<f64>,
    /// Whether the sample is asked for. If not, its rows only matter to `missing = "hold"`.
    pub(super) is_chosen: bool,
    /// The file of its first row, and that row.
    pub(super) label: RowLabel,
    pub(super) row: u64,
}

/// Content of the samples: it takes the rows of a sample, and writes the sample to its block.
pub(super) trait SampleContent {
    /// Values of rows, beside their keys.
    type Values;

    /// Returns the remedy for rows that are out of order.
    fn order_remedy(&self) -> String;

    /// Begins a sample of a run.
    fn begin(&mut self, run: i64);

    /// Takes rows of a sample. `at`: place of the sample in its block.
    ///
    /// # Errors
    /// The rows contradict each other.
    fn take(
        &mut self,
        keys: &RowKeys,
        values: &Self::Values,
        range: Range<usize>,
        sample: &CurrentSample,
        at: usize,
    ) -> Step;

    /// Ends a sample that is not chosen.
    fn skip(&mut self) {}

    /// Ends a chosen sample, and writes it to place `at` of its block.
    ///
    /// # Errors
    /// A row is missing.
    fn write(&mut self, sample: &CurrentSample, block: &mut FrameBlock, at: usize) -> Step;

    /// Completes a block that has its last sample.
    fn complete(&mut self, block: &mut FrameBlock) {
        let _ = block;
    }
}

/// Puts the rows of samples together, and samples into blocks.
pub(super) struct Assembler<'a, C> {
    plan: &'a Plan,
    content: C,
    current: Option<CurrentSample>,
    block: Option<FrameBlock>,
    /// Blocks given out.
    blocks: u64,
    /// The run of the last chosen sample.
    last_run: Option<i64>,
    /// Whether the sample behind the part that is read was there.
    is_followed: bool,
}

impl<'a, C: SampleContent> Assembler<'a, C> {
    pub(super) fn new(plan: &'a Plan, content: C) -> Self {
        Self { plan, content, current: None, block: None, blocks: 0, last_run: None, is_followed: false }
    }

    /// Takes the next rows.
    ///
    /// # Errors
    /// They are out of order, contradict each other, or leave something out; or the first defect
    /// among them.
    pub(super) fn push(&mut self, rows: Rows<C::Values>, sink: &mut Sink<'_>) -> Step {
        let Rows { keys, values } = rows;
        let mut start = 0;
        while start < keys.len {
            let range = start..keys.end_of_sample(start);
            start = range.end;
            self.enter(&keys, range.start, sink)?;
            let at = self.block.as_ref().map_or(0, |block| block.samples.len());
            if let Some(sample) = &self.current {
                self.content.take(&keys, &values, range, sample, at)?;
            }
        }
        keys.defect.map_or(Ok(()), |error| Err(Stop::Failed(error)))
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
    fn enter(&mut self, keys: &RowKeys, row: usize, sink: &mut Sink<'_>) -> Step {
        let (run, frame) = (keys.run.at(row), keys.frame[row]);
        let before = self.current.as_ref().map(|sample| (sample.run, sample.frame));
        if let Some((last_run, last_frame)) = before.filter(|before| (run, frame) < *before) {
            let problem = format!("run {run}, frame {frame} comes after run {last_run}, frame {last_frame}");
            return Err(keys.error(row, problem, self.content.order_remedy()).into());
        }
        if before == Some((run, frame)) {
            return Ok(());
        }
        self.end_sample(sink)?;
        self.content.begin(run);
        let is_first = before.is_none_or(|(last_run, _)| last_run != run);
        let choice = &self.plan.choice;
        let follows = !self.is_followed && choice.is_followed_by(run, frame, is_first);
        if follows {
            // The sample behind a part is a block of its own.
            self.is_followed = true;
            self.give_out(sink)?;
        }
        self.current = Some(CurrentSample {
            run,
            frame,
            time: keys.time_s(row, self.plan.frame_rate),
            is_chosen: follows || choice.has(run, frame, is_first),
            label: keys.label.clone(),
            row: keys.first_row + row as u64,
        });
        Ok(())
    }

    /// Completes the current sample, and the block if it is the last one of it.
    fn end_sample(&mut self, sink: &mut Sink<'_>) -> Step {
        let Some(sample) = self.current.take() else { return Ok(()) };
        if !sample.is_chosen {
            self.content.skip();
            return Ok(());
        }
        let slots = self.plan.body_index.slots();
        let block = self.block.get_or_insert_with(|| self.plan.block_pool.block(self.blocks, slots));
        let at = block.samples.len();
        self.content.write(&sample, block, at)?;
        block.samples.push(Sample { run: sample.run, frame: sample.frame, time_s: sample.time });
        if self.last_run.replace(sample.run) != Some(sample.run) {
            block.starts_run |= 1 << at;
        }
        if at == SAMPLES - 1 { self.give_out(sink) } else { Ok(()) }
    }

    /// Gives out the block, if it has a sample.
    fn give_out(&mut self, sink: &mut Sink<'_>) -> Step {
        let Some(mut block) = self.block.take() else { return Ok(()) };
        self.content.complete(&mut block);
        self.blocks += 1;
        sink(block)
    }
}
