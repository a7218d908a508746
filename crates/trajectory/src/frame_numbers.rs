//! Frames of logs of joints that have no column of frames: the samples of a run are numbered from
//! 0, by their times.

use super::decode;
use super::joint_columns::JointColumns;
use super::rows::Defects;
use super::source::Source;
use super::stream_batch::BATCH_ROWS;
use arrow_buffer::ScalarBuffer;
use clearsweep_base::error::{Error, Result};

/// The frames of the rows of a source.
#[derive(Debug, Clone)]
pub(super) struct FrameNumbers {
    /// The row of the file that they begin with.
    first_row: u64,
    frames: ScalarBuffer<i64>,
    /// The last sample, with which the next batch may go on.
    last: Option<NumberedSample>,
}

#[derive(Debug, Clone, Copy)]
struct NumberedSample {
    run: i64,
    /// Seconds.
    time: f64,
    frame: i64,
}

impl FrameNumbers {
    /// Numbers the samples of a source by the times of its rows. `before`: the numbers of the batch
    /// before it.
    ///
    /// # Errors
    /// A time is missing, or not later than that of the row before; in the long form, earlier.
    pub(super) fn of(source: &Source, before: Option<&Self>) -> Result<Self> {
        let is_long = matches!(source.columns.joints(), Some(JointColumns::Long { .. }));
        let columns = source.columns.keys();
        let mut last = before.and_then(|before| before.last);
        let mut frames = Vec::new();
        for group in &source.groups {
            let mut reader = source.read(group, &columns, BATCH_ROWS)?;
            while let Some((first_row, batch)) = reader.next()? {
                let mut defects = Defects::new(source, first_row, batch.num_rows());
                let runs = decode::runs(source, &columns, &batch, &mut defects)?;
                let times = decode::time(source, &columns, &batch, &mut defects)?;
                if let Some(error) = defects.into_error() {
                    return Err(error);
                }
                let Some(times) = times else {
                    return Err(Error::internal(source.path.display(), "rows without frames have no times"));
                };
                for (row, &time) in times.iter().enumerate() {
                    let sample = next(last, (runs.at(row), time), is_long).map_err(|[problem, remedy]| {
                        Error::input(source.label().row(first_row + row as u64), problem, remedy)
                    })?;
                    frames.push(sample.frame);
                    last = Some(sample);
                }
            }
        }
        let first_row = source.groups.first().map_or(0, |group| group.first_row);
        Ok(Self { first_row, frames: frames.into(), last })
    }

    /// The frames of consecutive rows of the file.
    pub(super) fn rows(&self, first_row: u64, count: usize) -> Option<ScalarBuffer<i64>> {
        let start = usize::try_from(first_row.checked_sub(self.first_row)?).ok()?;
        (start.checked_add(count)? <= self.frames.len()).then(|| self.frames.slice(start, count))
    }

    /// Least and greatest frame of consecutive rows of the file.
    pub(super) fn range(&self, first_row: u64, count: u64) -> Option<(i64, i64)> {
        let frames = self.rows(first_row, usize::try_from(count).ok()?)?;
        Some((*frames.iter().min()?, *frames.iter().max()?))
    }
}

/// The sample of a row, by the sample of the row before it.
fn next(
    before: Option<NumberedSample>,
    (run, time): (i64, f64),
    is_long: bool,
) -> std::result::Result<NumberedSample, [String; 2]> {
    let Some(before) = before.filter(|before| before.run == run) else {
        return Ok(NumberedSample { run, time, frame: 0 });
    };
    match () {
        () if time > before.time => Ok(NumberedSample { run, time, frame: before.frame + 1 }),
        () if time == before.time && is_long => Ok(before),
        () if time == before.time => Err([
            format!("run {run} has the time {time} s in two rows, which have no `frame` and are numbered by time"),
            "keep one row for each time of a run, or add a column `frame`".to_owned(),
        ]),
        () => Err([
            format!(
                "the time {time} s comes after {} s in run {run}, and rows without `frame` are numbered by time",
                before.time
            ),
            "sort the rows by run, then time, or add a column `frame`; a column `run` tells runs apart".to_owned(),
        ]),
    }
}
