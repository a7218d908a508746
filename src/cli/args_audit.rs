//! The flags of `audit`, as typed.

use super::args_input::{InputArgs, ProgressArg};
use super::help;
use super::values::{Bytes, Span, Threads};
use clap::Args;
use std::path::PathBuf;

const INPUT: &str = "Input";
const QUERY: &str = "Query";
const OUTPUT: &str = "Output";
const MACHINE: &str = "Machine (no finding depends on it)";

#[derive(Debug, Args)]
#[command(after_help = help::AUDIT)]
pub(crate) struct AuditArgs {
    /// The scene file (TOML)
    scene: PathBuf,
    /// Read these trajectories instead of the scene's, as `run` does: a file, a directory, a glob,
    /// a pipe, or - for stdin
    #[arg(long, value_name = "PATH", help_heading = INPUT)]
    trajectories: Option<PathBuf>,
    /// Directory for temporary files: tables that are not kept, and copies of streams [default:
    /// that of the system]
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub(super) temp: Option<PathBuf>,
    /// Take only these runs: key values from A to below B (3..7, ..10), or one run (5)
    #[arg(long, value_name = "A..B", allow_hyphen_values = true, help_heading = INPUT)]
    runs: Option<Span>,
    /// Take only these frames: as for runs
    #[arg(long, value_name = "A..B", allow_hyphen_values = true, help_heading = INPUT)]
    frames: Option<Span>,
    /// Largest size of the scene file, of a table of bodies and of a geometry file, each (500MB,
    /// 32GiB) [default: 16GiB]
    #[arg(long, value_name = "BYTES", help_heading = INPUT)]
    max_input: Option<Bytes>,
    /// Allow overlaps of this depth: in the scene's unit, or with a unit of its own (0.5mm)
    #[arg(long, value_name = "LENGTH", default_value = "0", allow_hyphen_values = true, help_heading = QUERY)]
    pub(super) allow: String,
    /// Read accepted pairs from this file instead of the scene's
    #[arg(long, value_name = "FILE", help_heading = QUERY)]
    accepted: Option<PathBuf>,
    /// Assume this motion between frames: linear, screw, hold, joint, spline, ballistic,
    /// bounded [default: that of the scene, else screw, or joint if it has joints]
    #[arg(long, value_name = "MOTION", hide_possible_values = true, value_parser = ["linear", "screw", "hold", "joint", "spline", "ballistic", "bounded"], help_heading = QUERY)]
    between: Option<String>,
    /// Findings of each kind that are printed, worst first
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = OUTPUT)]
    pub(super) top: usize,
    /// Keep the tables of the run in this directory: new, empty, or with --force that of an earlier
    /// execution
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(super) out: Option<PathBuf>,
    /// Write all findings to this file as CSV
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(super) csv: Option<PathBuf>,
    /// Replace an earlier result in DIR, and FILE
    #[arg(long, help_heading = OUTPUT)]
    pub(super) force: bool,
    /// Print one JSON object instead of text
    #[arg(long, help_heading = OUTPUT)]
    pub(super) json: bool,
    /// Progress on stderr; auto: a bar on a terminal, else plain lines
    #[arg(long, value_enum, default_value_t = ProgressArg::Auto, help_heading = OUTPUT)]
    pub(super) progress: ProgressArg,
    /// Threads, at most four a core or 64 [default: all cores]
    #[arg(long, value_name = "N", help_heading = MACHINE)]
    pub(super) threads: Option<Threads>,
    /// Memory for what grows with pairs (500MB, 2GiB), as for `run`
    #[arg(long, value_name = "BYTES", help_heading = MACHINE)]
    pub(super) memory: Option<Bytes>,
}

impl AuditArgs {
    /// The input as `run` takes it: depths are asked for, and no lists of contacts.
    pub(super) fn input(&self) -> InputArgs {
        InputArgs {
            scene: self.scene.clone(),
            trajectories: self.trajectories.clone(),
            temp: self.temp.clone(),
            runs: self.runs.clone(),
            frames: self.frames.clone(),
            max_input: self.max_input,
            within: None,
            require: None,
            accepted: self.accepted.clone(),
            direction: None,
            answer: Some("depth".to_owned()),
            contacts: Some("none".to_owned()),
            between: self.between.clone(),
        }
    }
}
