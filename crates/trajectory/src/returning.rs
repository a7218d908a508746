//! Frames that come back: why a body seems to have no row where rows are out of order.

use super::decode;
use super::plan::Plan;
use super::reading::{groups, keys};
use super::rows::Defects;
use super::source::Source;
use super::stream_batch::BATCH_ROWS;
use arrow_array::RecordBatch;
use clearsweep_base::error::{Error, Result};

/// The error of files in which rows of a sample come again after those of other samples; `None`
/// where they do not, or where the rows are not in files. Reads the keys of the files, as far as
/// they may hold the sample.
pub(super) fn returning(plan: &Plan, run: i64, frame: i64) -> Option<Error> {
    let command = plan.sort_command.as_ref()?;
    // Whatever is wrong with the rest of the input, there is an error to report already.
    let at = first_return(plan, run, frame).ok()??;
    Some(Error::input(
        at,
        format!("frame {frame} of run {run} comes back later than its first rows, after other frames"),
        format!("rows must be sorted by run, then frame, and files must not interleave: {command}"),
    ))
}

/// Place at which rows of a sample come again after other rows.
fn first_return(plan: &Plan, run: i64, frame: i64) -> Result<Option<String>> {
    let mut search = Search { run, frame, seen: false, left: false };
    for (source, group) in groups(&plan.sources) {
        let [runs, frames] = keys(source, group);
        let outside = |range: Option<(i64, i64)>, key| range.is_some_and(|(low, high)| key < low || key > high);
        if outside(runs, run) || outside(frames, frame) {
            search.left |= search.seen;
            continue;
        }
        let columns = source.columns.keys();
        let mut reader = source.read(group, &columns, BATCH_ROWS)?;
        while let Some((row, batch)) = reader.next()? {
            if let Some(at) = search.look(source, &columns, row, &batch)? {
                return Ok(Some(source.label().row(row + at as u64)));
            }
        }
    }
    Ok(None)
}

/// The findings about a sample so far.
struct Search {
    run: i64,
    frame: i64,
    /// It was there.
    seen: bool,
    /// Rows of another sample came after it.
    left: bool,
}

impl Search {
    /// The row of a batch at which the sample comes back.
    fn look(&mut self, source: &Source, columns: &[usize], row: u64, batch: &RecordBatch) -> Result<Option<usize>> {
        let mut defects = Defects::new(source, row, batch.num_rows());
        let runs = decode::runs(source, columns, batch, &mut defects)?;
        let frames = decode::frames(source, columns, batch, &mut defects)?;
        for (at, &frame) in frames.iter().enumerate() {
            let same = frame == self.frame && runs.at(at) == self.run;
            if same && self.left {
                return Ok(Some(at));
            }
            self.left |= self.seen && !same;
            self.seen |= same;
        }
        Ok(None)
    }
}
