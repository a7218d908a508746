//! Reading of the events of a finished execution.

use super::report::SummaryReader;
use arrow_array::Array;
use clearsweep_base::error::Result;
use std::path::Path;

/// An event as its table has it, without its place and its times.
#[derive(Debug, Clone, PartialEq)]
pub struct EventLine {
    /// Rule.
    pub rule: String,
    /// Names of the bodies, in the order of the scene.
    pub bodies: [String; 2],
    /// Word of its state.
    pub state: String,
    /// Word of its kind.
    pub kind: String,
    /// Id of its issue.
    pub issue: String,
    /// Run.
    pub run: i64,
    /// Frame of the least distance.
    pub frame: i64,
    /// Bracket of the least distance, metres; `None` where it is not proven.
    pub lower_m: Option<f64>,
    /// See `lower_m`.
    pub upper_m: f64,
}

/// Hands the events of the output directory `dir` to `each`, in the order of the table.
///
/// # Errors
/// The table is missing (the execution requires nothing), clearsweep did not write it, or `each` fails.
pub fn read_events(dir: &Path, mut each: impl FnMut(EventLine) -> Result<()>) -> Result<()> {
    let texts = ["rule", "body_a", "body_b", "state", "kind", "issue"];
    let path = dir.join("events.parquet");
    let mut table = SummaryReader::open(path, &["run", "frame_of_least"], &["lower_m", "upper_m"], &texts)?;
    while let Some(batch) = table.next()? {
        for row in 0..batch.rows {
            let text = |column: usize| batch.text(column, row);
            each(EventLine {
                rule: text(0)?,
                bodies: [text(1)?, text(2)?],
                state: text(3)?,
                kind: text(4)?,
                issue: text(5)?,
                run: batch.number(0, row),
                frame: batch.number(1, row),
                lower_m: batch.float(0).is_valid(row).then(|| batch.float(0).value(row)),
                upper_m: batch.float(1).value(row),
            })?;
        }
    }
    Ok(())
}
