//! The flags of jobs that are divided among machines, as typed.

use super::args_input::{InputArgs, ProgressArg};
use super::help;
use super::values::{Bytes, Threads};
use clap::Args;
use clearsweep_engine::ShardPosition;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

/// Which shard of a job: `I/N`, or the place in an array of jobs of Slurm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShardArg {
    /// `I/N`.
    Position(ShardPosition),
    /// `slurm`, or `slurm/N`: the number of the task is that of the shard.
    Slurm(Option<u32>),
}

impl FromStr for ShardArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shape = || "give I/N, the number of the shard from 0 and how many there are (0/100), or `slurm`".to_owned();
        if text == "slurm" {
            return Ok(Self::Slurm(None));
        }
        let (index, count) = text.split_once('/').ok_or_else(shape)?;
        let count = count.parse::<NonZeroU32>().map_err(|_| shape())?.get();
        if index == "slurm" {
            return Ok(Self::Slurm(Some(count)));
        }
        let index: u32 = index.parse().map_err(|_| shape())?;
        match index < count {
            true => Ok(Self::Position(ShardPosition { index, count })),
            false => Err(format!("shards are numbered from 0: of {count} the last one is {}/{count}", count - 1)),
        }
    }
}

impl ShardArg {
    /// The position; `variable` reads the environment.
    ///
    /// # Errors
    /// The variables of an array of jobs are missing or make no sense.
    pub(crate) fn position(self, variable: impl Fn(&str) -> Option<String>) -> clearsweep::Result<ShardPosition> {
        match self {
            Self::Position(position) => Ok(position),
            Self::Slurm(count) => slurm(variable, count),
        }
    }
}

/// The position in an array of jobs of Slurm (`sbatch --array`); `shards`: how many there are, if
/// the array is a part of them.
fn slurm(variable: impl Fn(&str) -> Option<String>, shards: Option<u32>) -> clearsweep::Result<ShardPosition> {
    let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<u32>().ok());
    let of_array = |name: &str| {
        number(name).ok_or_else(|| {
            let problem = format!("the variable {name} of an array of jobs is not set");
            let remedy = "start the job with `sbatch --array=0-99`, or give --shard I/N";
            clearsweep::Error::usage("--shard slurm", problem, remedy)
        })
    };
    let index = of_array("SLURM_ARRAY_TASK_ID")?;
    if let Some(count) = shards {
        return match index < count {
            true => Ok(ShardPosition { index, count }),
            false => {
                let problem = format!(
                    "the number of the task is {index}, and shards are numbered 0 to {}",
                    count.saturating_sub(1)
                );
                Err(clearsweep::Error::usage("--shard slurm", problem, "start the job with `sbatch --array=0-99`"))
            }
        };
    }
    let [first, last] = [of_array("SLURM_ARRAY_TASK_MIN")?, of_array("SLURM_ARRAY_TASK_MAX")?];
    let count = last.saturating_sub(first).saturating_add(1);
    // A part of an array (`--array=17-18`, `--array=0,3,9`), such as one that runs again what
    // failed, does not say how many shards there are.
    let is_whole = first == 0 && number("SLURM_ARRAY_TASK_COUNT").is_none_or(|tasks| tasks == count);
    match is_whole && index < count {
        true => Ok(ShardPosition { index, count }),
        false => Err(clearsweep::Error::usage(
            "--shard slurm",
            "the array of jobs does not begin with 0 or has gaps, and does not say how many shards there are",
            "give --shard slurm/N with the number of shards",
        )),
    }
}

#[derive(Debug, Args)]
#[command(after_help = help::PLAN)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Number of shards
    #[arg(long, value_name = "N")]
    pub(crate) shards: u32,
    /// Write the plan to this Parquet file, a row for each shard
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON object (all shards) instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::MERGE)]
pub(crate) struct MergeArgs {
    /// The directory that holds the shards, or its address in an object store
    pub(crate) shards: PathBuf,
    /// Write the tables to this directory, or address of an object store: new, empty, or with
    /// --force that of an earlier execution
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Directory for temporary copies, if shards or output are in an object store [default: that of
    /// the system]
    #[arg(long, value_name = "DIR")]
    pub(crate) temp: Option<PathBuf>,
    /// Link or copy the parts of large tables instead of encoding their rows again: same rows,
    /// divided into other files
    #[arg(long)]
    pub(crate) fast: bool,
    /// The scene file, if it is not where the shards found it
    #[arg(long, value_name = "FILE")]
    pub(crate) scene: Option<PathBuf>,
    /// An earlier result: its issues keep their ids, as with `run --previous`
    #[arg(long, value_name = "DIR")]
    pub(crate) previous: Option<PathBuf>,
    /// Replace an earlier result in DIR once the new one is whole
    #[arg(long)]
    pub(crate) force: bool,
    /// Memory for summaries (500MB, 2GiB) [default: a quarter of the machine's, at most 2GiB]
    #[arg(long, value_name = "BYTES")]
    pub(crate) memory: Option<Bytes>,
    /// Threads, at most four a core or 64 [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<Threads>,
    /// Print one JSON object (the manifest's summary) instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Progress on stderr; auto: a bar on a terminal, else plain lines
    #[arg(long, value_enum, default_value_t = ProgressArg::Auto)]
    pub(crate) progress: ProgressArg,
}

#[derive(Debug, Args)]
#[command(after_help = help::VERIFY)]
pub(crate) struct VerifyArgs {
    /// The output directory of an execution
    pub(crate) dir: PathBuf,
    /// Another one: compare the rows of both by what their manifests tell, without reading tables
    pub(crate) other: Option<PathBuf>,
    /// Threads, at most four a core or 64 [default: all cores]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<Threads>,
    /// Print one JSON object (the tables that differ) instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_numbered_from_zero() {
        let at = |index, count| Ok(ShardArg::Position(ShardPosition { index, count }));
        assert_eq!("0/1".parse(), at(0, 1));
        assert_eq!("99/100".parse(), at(99, 100));
        assert_eq!("slurm".parse(), Ok(ShardArg::Slurm(None)));
        assert_eq!("slurm/100".parse(), Ok(ShardArg::Slurm(Some(100))));
        for wrong in ["100/100", "7", "0/0", "slurm/0", "-1/3", "1/x", ""] {
            let error = wrong.parse::<ShardArg>().expect_err(wrong);
            assert!(!error.contains("0/0"), "{wrong}: {error}");
        }
    }

    #[test]
    fn slurm_says_the_place_in_its_array() {
        let of_count = |values: [&str; 4], count: Option<u32>| {
            let names = ["ID", "MIN", "MAX", "COUNT"].map(|name| format!("SLURM_ARRAY_TASK_{name}"));
            ShardArg::Slurm(count).position(|asked| {
                let at = names.iter().position(|name| name == asked)?;
                Some(values[at].to_owned()).filter(|value| !value.is_empty())
            })
        };
        let of = |values| of_count(values, None);
        let at = |index, count| Some(ShardPosition { index, count });
        assert_eq!(of(["7", "0", "99", "100"]).ok(), at(7, 100));
        assert_eq!(of(["0", "0", "0", ""]).ok(), at(0, 1));
        for part in [["3", "0", "9", "3"], ["17", "17", "18", "2"], ["3", "3", "3", "1"]] {
            assert!(of(part).is_err_and(|error| error.remedy.contains("slurm/N")), "{part:?}");
            assert!(of_count(part, Some(100)).is_ok_and(|position| position.count == 100), "{part:?}");
        }
        assert!(of_count(["100", "100", "100", "1"], Some(100)).is_err());
        let error = of(["", "", "", ""]).expect_err("no array");
        assert!(error.problem.contains("SLURM_ARRAY_TASK_ID") && error.remedy.contains("--array"), "{error}");
    }
}
