//! Reading of the events of a finished execution.

use super::report::SummaryReader;
use clearsweep_base::error::Result;
use std::path::Path;

/// An event as its table has it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventLine {
    /// Rule.
    pub rule: String,
    /// The clearance that the rule requires of the pair in that run, metres.
    pub required_m: f64,
    /// Indices of the bodies in the scene.
    pub indices: [u32; 2],
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
    /// Frame and time (seconds) of its first and its last moment.
    pub span: [(i64, Option<f64>); 2],
    /// Samples that violate; 0 of an event between frames only.
    pub samples: u64,
    /// Frame and time (seconds) of the least distance; of an interval, the frame before it, and the first time at which it may be.
    pub least: (i64, Option<f64>),
    /// Bracket of the least distance, metres; `None` where it is not proven.
    pub lower_m: Option<f64>,
    /// See `lower_m`.
    pub upper_m: f64,
    /// The middle of the witness points of the worst sample, world frame, metres.
    pub place_m: Option<[f64; 3]>,
}

/// Hands the events of the output directory `dir` to `each`, in the order of the table.
///
/// # Errors
/// The table is missing (the execution requires nothing), clearsweep did not write it, or `each` fails.
pub fn read_events(dir: &Path, mut each: impl FnMut(EventLine) -> Result<()>) -> Result<()> {
    let texts = ["rule", "body_a", "body_b", "state", "kind", "issue"];
    let numbers = ["run", "frame_of_least", "a_index", "b_index", "begin_frame", "end_frame", "samples"];
    let floats =
        ["lower_m", "upper_m", "required_m", "begin_s", "end_s", "time_of_least_s", "place_x", "place_y", "place_z"];
    let mut table = SummaryReader::open(dir.join("events.parquet"), &numbers, &floats, &texts)?;
    while let Some(batch) = table.next()? {
        for row in 0..batch.rows {
            let text = |column: usize| batch.text(column, row);
            let number = |column: usize| batch.number(column, row);
            let float = |column: usize| batch.optional_float(column, row);
            let place = || Some([float(6)?, float(7)?, float(8)?]);
            each(EventLine {
                rule: text(0)?,
                required_m: batch.float(2).value(row),
                indices: [2, 3].map(|column| number(column) as u32),
                bodies: [text(1)?, text(2)?],
                state: text(3)?,
                kind: text(4)?,
                issue: text(5)?,
                run: number(0),
                span: [(number(4), float(3)), (number(5), float(4))],
                samples: number(6).unsigned_abs(),
                least: (number(1), float(5)),
                lower_m: float(0),
                upper_m: batch.float(1).value(row),
                place_m: place(),
            })?;
        }
    }
    Ok(())
}
