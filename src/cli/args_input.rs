//! Flags of several commands: the input of a job, and its progress.

use super::values::{Bytes, Span};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Groups of the options of `run` and `check`.
const INPUT: &str = "Input";
pub(crate) const QUERY: &str = "Query";

/// The scene, the part of its input that is taken, and the query.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// The scene file (TOML)
    pub(crate) scene: PathBuf,
    /// Read these trajectories instead of the scene's: a file, a directory, a glob, an address of
    /// an object store (s3://BUCKET/KEY), a pipe, or - for an Arrow IPC stream on stdin
    #[arg(long, value_name = "PATH", help_heading = INPUT)]
    pub(crate) trajectories: Option<PathBuf>,
    /// Directory for temporary copies: of streams and pipes, and of what comes from or goes to an
    /// object store [default: beside the output, else that of the system]
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub(crate) temp: Option<PathBuf>,
    /// Take only these runs: key values from A to below B, either of which may be left out (3..7,
    /// -2.., ..10), or one run (5)
    #[arg(long, value_name = "A..B", allow_hyphen_values = true, help_heading = INPUT)]
    pub(crate) runs: Option<Span>,
    /// Take only these frames: as for runs
    #[arg(long, value_name = "A..B", allow_hyphen_values = true, help_heading = INPUT)]
    pub(crate) frames: Option<Span>,
    /// Largest size of the scene file, of a table of bodies and of a geometry file, each (500MB,
    /// 32GiB) [default: 16GiB]
    #[arg(long, value_name = "BYTES", help_heading = INPUT)]
    pub(crate) max_input: Option<Bytes>,
    /// Write a row for every pair at most this far apart: in the scene's unit, or with a unit of
    /// its own (50mm)
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true, help_heading = QUERY)]
    pub(crate) within: Option<String>,
    /// Require this clearance, which is at most `within`; -1mm allows an overlap of 1 mm
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true, help_heading = QUERY)]
    pub(crate) require: Option<String>,
    /// Read accepted pairs from this file (CSV: rule, a, b, accepted, until, by, reason) instead of
    /// the scene's
    #[arg(long, value_name = "FILE", help_heading = QUERY)]
    pub(crate) accepted: Option<PathBuf>,
    /// Also compute how far body b of each row moves along this world vector until it touches body
    /// a, or leaves it
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, help_heading = QUERY)]
    pub(crate) direction: Option<String>,
    /// What to compute for each pair: overlap (only whether it touches or overlaps), distance (no
    /// depth), or depth
    #[arg(long, value_name = "ANSWER", hide_possible_values = true, value_parser = ["overlap", "distance", "depth"],
        help_heading = QUERY)]
    pub(crate) answer: Option<String>,
    /// List every region in which bodies touch or overlap, in the table `contacts`: all, or none
    #[arg(long, value_name = "WHICH", hide_possible_values = true, value_parser = ["none", "all"], help_heading = QUERY)]
    pub(crate) contacts: Option<String>,
    /// Assume this motion between frames, and prove distances there too: none, linear, screw, hold,
    /// joint, spline, ballistic, bounded
    #[arg(long, value_name = "MOTION", hide_possible_values = true, value_parser = ["none", "linear", "screw", "hold", "joint", "spline", "ballistic", "bounded"],
        help_heading = QUERY)]
    pub(crate) between: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressArg {
    Auto,
    Bar,
    Plain,
    None,
}
