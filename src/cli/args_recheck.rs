//! The flags of `recheck` and `explain`, as typed.

use super::args_input::ProgressArg;
use super::help;
use super::values::Threads;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = help::RECHECK)]
pub(crate) struct RecheckArgs {
    /// The output directory of an execution
    pub(crate) dir: PathBuf,
    /// Look at rows of body A and body B only, named as in the scene, in either order
    #[arg(long, value_names = ["A", "B"], num_args = 2, allow_hyphen_values = true)]
    pub(crate) pair: Option<Vec<String>>,
    /// Look at N rows of `distances` at most
    #[arg(long, value_name = "N", conflicts_with = "all")]
    pub(crate) rows: Option<usize>,
    /// Look at everything, however long it takes
    #[arg(long, conflicts_with_all = ["seconds", "seed"])]
    pub(crate) all: bool,
    /// Seconds that a sample takes, beside reading
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    pub(crate) seconds: f64,
    /// Seed of the sample; the worst rows are in every sample
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Write the outcomes to recheck.parquet in this directory. With --all, continue an interrupted
    /// execution
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Replace an earlier recheck.parquet
    #[arg(long, requires = "out")]
    pub(crate) force: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Progress on stderr; auto: a bar on a terminal, else plain lines
    #[arg(long, value_enum, default_value_t = ProgressArg::Auto)]
    pub(crate) progress: ProgressArg,
    /// Threads, at most four a core or 64 [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<Threads>,
}

#[derive(Debug, Args)]
#[command(after_help = help::EXPLAIN)]
pub(crate) struct ExplainArgs {
    /// The output directory of an execution
    pub(crate) dir: PathBuf,
    /// The bodies of the row, named as in the scene, in either order
    #[arg(long, value_names = ["A", "B"], num_args = 2, allow_hyphen_values = true, required_unless_present = "issue")]
    pub(crate) pair: Option<Vec<String>>,
    /// The run [default: that of the worst row]
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(crate) run: Option<i64>,
    /// The frame [default: that of the worst row]
    #[arg(long, value_name = "F", allow_negative_numbers = true, conflicts_with_all = ["interval", "issue"])]
    pub(crate) frame: Option<i64>,
    /// Explain the interval after this frame
    #[arg(long, value_name = "F", allow_negative_numbers = true, conflicts_with = "issue")]
    pub(crate) interval: Option<i64>,
    /// Explain the worst row of this issue
    #[arg(long, value_name = "ISSUE")]
    pub(crate) issue: Option<String>,
    /// Write a picture of the row: both bodies, witness points, and the plane between them; of an
    /// interval in the middle of the times of least distance
    #[arg(long, value_name = "FILE")]
    pub(crate) png: Option<PathBuf>,
    /// Replace that picture
    #[arg(long, requires = "png")]
    pub(crate) force: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
