//! Reading of the issues of a finished execution.

use super::report::SummaryReader;
use clearsweep_base::error::Result;
use std::path::Path;

/// An issue as its table has it.
#[derive(Debug, Clone, PartialEq)]
pub struct IssueLine {
    /// Its id.
    pub issue: String,
    /// The body, pair, node or rule that leads.
    pub group: String,
    /// Rule.
    pub rule: String,
    /// Word of its severity.
    pub severity: String,
    /// Word of its state.
    pub state: String,
    /// Word of its kind; `None` without an event.
    pub kind: Option<String>,
    /// Numbers of events, of pairs, and of runs with an event.
    pub events: u64,
    /// See `events`.
    pub pairs: u64,
    /// See `events`.
    pub runs: u64,
    /// Bracket of the least distance, metres; an end is `None` where it is not proven.
    pub bracket_m: [Option<f64>; 2],
    /// First and last frame of its events.
    pub frames: Option<[i64; 2]>,
    /// Corners of a box that contains the deepest overlap, world frame, metres.
    pub overlap_m: Option<[[f64; 3]; 2]>,
    /// Bracket of its volume, cubic metres.
    pub volume_m3: Option<[f64; 2]>,
    /// Note of the rule, or reason of a decision.
    pub note: Option<String>,
}

/// Reads the issues of the output directory `dir`, in the order of the table.
///
/// # Errors
/// The table is missing (the execution requires nothing), or clearsweep did not write it.
pub fn read_issues(dir: &Path) -> Result<Vec<IssueLine>> {
    let numbers = ["events", "pairs", "runs", "first_frame", "last_frame"];
    let floats = [
        "lower_m",
        "upper_m",
        "box_min_x",
        "box_min_y",
        "box_min_z",
        "box_max_x",
        "box_max_y",
        "box_max_z",
        "volume_lower_m3",
        "volume_upper_m3",
    ];
    let texts = ["issue", "group", "rule", "severity", "state", "kind", "note"];
    let mut table = SummaryReader::open(dir.join("issues.parquet"), &numbers, &floats, &texts)?;
    let mut issues = Vec::new();
    while let Some(batch) = table.next()? {
        for row in 0..batch.rows {
            let text = |column: usize| batch.text(column, row);
            let optional = |column: usize| Ok(Some(text(column)?).filter(|text| !text.is_empty()));
            let count = |column: usize| batch.number(column, row).unsigned_abs();
            let float = |column: usize| batch.optional_float(column, row);
            let both = |low: Option<f64>, high: Option<f64>| Some([low?, high?]);
            let corner = |first: usize| Some([float(first)?, float(first + 1)?, float(first + 2)?]);
            let corners = || Some([corner(2)?, corner(5)?]);
            let frames = [3, 4].map(|column| batch.optional_number(column, row));
            issues.push(IssueLine {
                issue: text(0)?,
                group: text(1)?,
                rule: text(2)?,
                severity: text(3)?,
                state: text(4)?,
                kind: optional(5)?,
                events: count(0),
                pairs: count(1),
                runs: count(2),
                bracket_m: [float(0), float(1)],
                frames: frames[0].zip(frames[1]).map(|(first, last)| [first, last]),
                overlap_m: corners(),
                volume_m3: both(float(8), float(9)),
                note: optional(6)?,
            });
        }
    }
    Ok(issues)
}
