//! The flags, as typed.

use super::args_audit::AuditArgs;
use super::args_divided::{MergeArgs, PlanArgs, ShardArg, VerifyArgs};
use super::args_generate::GenerateArgs;
use super::args_init::InitArgs;
use super::args_input::{InputArgs, ProgressArg, QUERY};
use super::args_recheck::{ExplainArgs, RecheckArgs};
use super::diagnostics::ErrorsArg;
use super::help;
use super::values::{Bytes, Threads};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Finds clashes and measures clearances of parts, at rest and in motion, each with a proven bound.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 110, after_help = help::PROGRAM)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Colours; auto: on a terminal, unless NO_COLOR is set (CLICOLOR_FORCE: in pipes too)
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = ColorArg::Auto)]
    pub(crate) color: ColorArg,
    /// Errors, warnings and progress on stderr: text, or json, an object on each line [default:
    /// text; json if `--out -` and `--json` send the summary there too]
    #[arg(long, global = true, value_name = "FORM", value_enum, hide_possible_values = true)]
    pub(crate) errors: Option<ErrorsArg>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compute all distances of a scene and write the tables
    Run(RunArgs),
    /// Validate a scene and its trajectories, or a geometry file, without running
    Check(CheckArgs),
    /// Write a first scene for a geometry file
    Init(InitArgs),
    /// Make a scene of IFC or STEP files, by the program of the Python wheel
    Convert(ConvertArgs),
    /// Find what a simulator let pass: contacts between frames, and overlaps that are too deep
    Audit(AuditArgs),
    /// Write a data set: a scene and its trajectories
    Generate(GenerateArgs),
    /// Print what an execution found
    Summary(SummaryArgs),
    /// Accept violations of an execution: write them to a file that later executions read
    Accept(AcceptArgs),
    /// Compare the violations of two executions
    Diff(DiffArgs),
    /// Write what an execution found as HTML, pictures, BCF, GLB, CSV or XLSX
    Report(ReportArgs),
    /// Write the tables of an execution as CSV or NDJSON
    Export(ExportArgs),
    /// Answer one pair
    Query(QueryArgs),
    /// Divide a job into shards of about equal cost, and print or write them
    Plan(PlanArgs),
    /// Put the shards of a job together: the tables of one machine
    Merge(MergeArgs),
    /// Check that tables hold the rows that were written, or that two results hold the same
    Verify(VerifyArgs),
    /// Prove rows of a result again, by code that shares nothing with the engine
    Recheck(RecheckArgs),
    /// Print why a row is proven, in numbers to check by hand
    Explain(ExplainArgs),
    /// Sort trajectories by run and frame, whatever their size, into one Parquet file
    Sort(SortArgs),
    /// Print the columns of the tables, and the schemas of what --json prints
    Schema(SchemaArgs),
    /// List threads, SIMD instruction sets and GPU adapters
    Doctor(DoctorArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print a manual page (roff)
    Man(ManArgs),
}

/// Groups of the options of `run`.
const OUTPUT: &str = "Output";
const SRDF: &str = "SRDF";
const METHOD: &str = "Method (no table depends on it)";
const MACHINE: &str = "Machine (no table depends on it)";

#[derive(Debug, Clone, Args)]
#[command(after_help = help::ACCEPT)]
pub(crate) struct AcceptArgs {
    /// The directory of a finished execution
    pub(crate) dir: PathBuf,
    /// The file of accepted pairs: it is made, or rows are added to it and those of the same pairs
    /// replaced
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
    /// Why they are accepted
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// Who accepts them
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// The last day on which they are accepted (2026-03-31)
    #[arg(long, value_name = "DAY")]
    pub(crate) until: Option<String>,
    /// Accept open violations of this rule
    #[arg(long, value_name = "RULE")]
    pub(crate) rule: Option<String>,
    /// Accept open violations between a body A and a body B: names, or globs in quotes ('pipe*'
    /// 'wall-?')
    #[arg(long, value_names = ["A", "B"], num_args = 2, allow_hyphen_values = true)]
    pub(crate) pair: Option<Vec<String>>,
    /// Accept open violations of this issue
    #[arg(long, value_name = "ISSUE")]
    pub(crate) issue: Option<String>,
    /// Accept all open violations
    #[arg(long, conflicts_with_all = ["rule", "pair", "issue"])]
    pub(crate) all: bool,
    /// Print one JSON object (the number of pairs, the file) instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::DIFF)]
pub(crate) struct DiffArgs {
    /// The directory of the earlier execution, or one that holds several
    pub(crate) old: PathBuf,
    /// The directory of the later execution, likewise
    pub(crate) new: PathBuf,
    /// The greatest difference that is no change, as a length (0.5mm) [default: `touch` of the
    /// scenes]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub(crate) worse_by: Option<String>,
    /// Print one JSON object instead of text
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print CSV instead of text
    #[arg(long)]
    pub(crate) csv: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::RUN)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Treat an empty check (no frame, no pair, all pairs ignored) as passed [default: verdict
    /// nothing-checked, exit code 2]
    #[arg(long, help_heading = QUERY)]
    pub(crate) allow_empty: bool,
    /// Write the tables to this directory, or address of an object store (s3://BUCKET/KEY): new,
    /// empty, or with --force that of an earlier execution. -: write `distances` to stdout as an
    /// Arrow IPC stream, and the summary to stderr
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    /// Columns of `distances`; `distance`: keys, bodies, distance, bracket, status
    #[arg(long, value_enum, default_value_t = ColumnsArg::All, help_heading = OUTPUT)]
    pub(crate) columns: ColumnsArg,
    /// Replace an earlier result in DIR once the new one is whole; a run that fails leaves it as it
    /// is. Inputs of the job, and files that clearsweep did not write, are never replaced
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) force: bool,
    /// An earlier result, which may be the one in DIR that --force replaces: its issues keep their
    /// ids as long as one of their pairs violates, and stay as `resolved` after that
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) previous: Option<PathBuf>,
    /// Go on with an execution of the same job in DIR that was interrupted, failed or was killed;
    /// the tables are those of one that was not
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) resume: bool,
    /// Compute one shard of the job: I/N, its number from 0 and how many there are, or `slurm`,
    /// from the variables of an array (slurm/N: of a part of it). Its tables go to
    /// DIR/shard-IIIII-of-NNNNN; where they stand already, nothing is done
    #[arg(long, value_name = "I/N", conflicts_with_all = ["force", "resume", "report", "previous"], help_heading = OUTPUT)]
    pub(crate) shard: Option<ShardArg>,
    /// Also write a page for people to this file, as `clearsweep report DIR --html FILE` does
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) report: Option<PathBuf>,
    /// Print one JSON object (the manifest's summary) instead of text
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
    /// Progress on stderr; auto: a bar on a terminal, else plain lines
    #[arg(long, value_enum, default_value_t = ProgressArg::Auto, help_heading = OUTPUT)]
    pub(crate) progress: ProgressArg,
    /// Method of the broad phase: auto, brute, hash, tree, grid, coherent-hash, sweep, gpu
    #[arg(long, value_name = "METHOD", default_value = "auto", hide_possible_values = true, help_heading = METHOD,
        value_parser = ["auto", "brute", "hash", "tree", "grid", "coherent-hash", "sweep", "gpu"])]
    pub(crate) broad: String,
    /// Method of the narrow phase: auto, gjk, enhanced-gjk, vclip, lin-canny, cd-dual
    #[arg(long, value_name = "METHOD", default_value = "auto", hide_possible_values = true, help_heading = METHOD,
        value_parser = ["auto", "vclip", "gjk", "enhanced-gjk", "cd-dual", "lin-canny"])]
    pub(crate) narrow: String,
    /// Device of the broad phase: auto, cpu, gpu. auto is the CPU until a GPU that is no software
    /// is measured to search faster
    #[arg(long, value_enum, default_value_t = DeviceArg::Auto, hide_possible_values = true, help_heading = MACHINE)]
    pub(crate) device: DeviceArg,
    /// Use the GPU whose name contains NAME, for --device gpu [default: the first that `clearsweep
    /// doctor` lists, unless it is software]
    #[arg(long, value_name = "NAME", help_heading = MACHINE)]
    pub(crate) adapter: Option<String>,
    /// Most memory of the GPU (500MB, 8GiB) [default: 2GiB]
    #[arg(long, value_name = "BYTES", help_heading = MACHINE)]
    pub(crate) device_memory: Option<Bytes>,
    /// Threads, at most four a core or 64 [default: all cores]
    #[arg(long, value_name = "N", help_heading = MACHINE)]
    pub(crate) threads: Option<Threads>,
    /// Memory for what grows with pairs (500MB, 2GiB), beside the scene and 50 MB of buffers
    /// [default: a quarter of the machine's, at most 2GiB]
    #[arg(long, value_name = "BYTES", help_heading = MACHINE)]
    pub(crate) memory: Option<Bytes>,
}

#[derive(Debug, Args)]
#[command(after_help = help::CHECK)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) srdf: SrdfArgs,
    /// Of a geometry file instead of a scene: the unit of lengths, and of a file that names none
    /// [default: mm]
    #[arg(long, value_name = "UNIT", value_parser = super::args_init::UNITS)]
    pub(crate) unit: Option<String>,
    /// Print one JSON object with all that was found instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// The SRDF that `check` proposes.
#[derive(Debug, Args)]
pub(crate) struct SrdfArgs {
    /// Propose an SRDF for the scene's robot: the pairs of links that need no check, found by
    /// random postures. - is stdout, without the rest
    #[arg(long, value_name = "FILE", conflicts_with_all = ["trajectories", "runs", "frames"], help_heading = SRDF)]
    pub(crate) srdf: Option<PathBuf>,
    /// Random postures [default: 10000]
    #[arg(long, value_name = "N", requires = "srdf", value_parser = clap::value_parser!(u64).range(1..=100_000_000), help_heading = SRDF)]
    pub(crate) srdf_samples: Option<u64>,
    /// Seed of the postures [default: 0]
    #[arg(long, value_name = "N", requires = "srdf", help_heading = SRDF)]
    pub(crate) srdf_seed: Option<u64>,
    /// Replace the file that --srdf names
    #[arg(long, requires = "srdf", help_heading = SRDF)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::SUMMARY)]
pub(crate) struct SummaryArgs {
    /// The output directory of an execution; several, or a directory of them: their joint verdict
    #[arg(required = true)]
    pub(crate) dirs: Vec<PathBuf>,
    /// Print one JSON object (the manifest's summary, the worst pairs, the worst runs) instead of
    /// text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::REPORT)]
pub(crate) struct ReportArgs {
    /// The output directory of an execution; several, or a directory of them: one page under a
    /// joint verdict, with --html
    #[arg(required = true)]
    pub(crate) dirs: Vec<PathBuf>,
    /// Write one page that needs no network: verdict, issues, views, curves
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write a topic for each issue, for coordination tools
    #[arg(long, value_name = "FILE")]
    pub(crate) bcf: Option<PathBuf>,
    /// Version of BCF
    #[arg(long, value_name = "VERSION", default_value = "2.1", value_parser = ["2.1", "3.0"], requires = "bcf")]
    pub(crate) bcf_version: String,
    /// E-mail address of whoever raises the topics
    #[arg(long, value_name = "E-MAIL", requires = "bcf")]
    pub(crate) author: Option<String>,
    /// Write the bodies at the worst moment, coloured by state
    #[arg(long, value_name = "FILE")]
    pub(crate) glb: Option<PathBuf>,
    /// The issue whose worst moment --glb shows [default: the first]
    #[arg(long, value_name = "ISSUE", requires = "glb", conflicts_with = "run")]
    pub(crate) issue: Option<String>,
    /// Write this run as an animation with --glb
    #[arg(long, value_name = "RUN", requires = "glb", allow_negative_numbers = true)]
    pub(crate) run: Option<i64>,
    /// Write a picture of each issue, ISSUE.png, into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) png: Option<PathBuf>,
    /// Write a row for each pair of each issue
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write a workbook: issues, pairs, and what was checked
    #[arg(long, value_name = "FILE")]
    pub(crate) xlsx: Option<PathBuf>,
    /// Issues that are shown in full; the others are rows
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) max_issues: usize,
    /// Leave geometry out, such as where it is no more: no views and no pictures
    #[arg(long)]
    pub(crate) no_views: bool,
    /// Replace files that exist
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON object (the files written) instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = help::EXPORT)]
pub(crate) struct ExportArgs {
    /// The output directory of an execution
    pub(crate) dir: PathBuf,
    /// Write CSV
    #[arg(long, required_unless_present = "ndjson", conflicts_with = "ndjson")]
    pub(crate) csv: bool,
    /// Write NDJSON: a JSON object for each row, on a line of its own
    #[arg(long)]
    pub(crate) ndjson: bool,
    /// Compress each file with gzip: TABLE.csv.gz
    #[arg(long)]
    pub(crate) gzip: bool,
    /// A table; all if left out. May be given several times
    #[arg(long, value_name = "TABLE", value_parser = clearsweep_records::TABLE_NAMES)]
    pub(crate) table: Vec<String>,
    /// The folder for TABLE.csv, or `-`: one table to stdout; the name of DIR with `-csv`
    /// (`-ndjson`) after it, if left out
    #[arg(long, value_name = "PATH")]
    pub(crate) to: Option<PathBuf>,
    /// Write texts as they are, also those that a spreadsheet program takes for a formula
    #[arg(long, conflicts_with = "ndjson")]
    pub(crate) raw: bool,
    /// Print one JSON object (the files written) instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Replace files that exist
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::QUERY)]
pub(crate) struct QueryArgs {
    /// Body A: a shape or a geometry file
    #[arg(allow_hyphen_values = true)]
    pub(crate) a: String,
    /// Body B
    #[arg(allow_hyphen_values = true)]
    pub(crate) b: String,
    /// The pose of B in A: position and quaternion
    #[arg(long, value_name = "x,y,z,qw,qx,qy,qz", default_value = "0,0,0,1,0,0,0", allow_hyphen_values = true)]
    pub(crate) pose: String,
    /// Also tell how far B moves along this vector of A's frame until it touches A, or leaves it
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) direction: Option<String>,
    /// Instead of one pose, the least distance while B moves from one pose to another
    #[arg(long, value_name = "POSE", num_args = 2, allow_hyphen_values = true, conflicts_with_all = ["pose", "explain", "direction"])]
    pub(crate) between: Option<Vec<String>>,
    /// How B moves, for --between: linear (its origin on a line, the shortest rotation), screw
    #[arg(long, value_name = "MOTION", default_value = "linear", hide_possible_values = true, value_parser = ["linear", "screw"])]
    pub(crate) motion: String,
    /// Unit of the shapes, of the position, and of geometry files without one of their own
    #[arg(long, value_name = "UNIT", default_value = "m", value_parser = ["m", "mm", "cm", "km", "in", "ft"])]
    pub(crate) unit: String,
    /// Method of the narrow phase: auto, gjk, enhanced-gjk, vclip, lin-canny, cd-dual
    #[arg(long, value_name = "METHOD", default_value = "auto", hide_possible_values = true,
        value_parser = ["auto", "vclip", "gjk", "enhanced-gjk", "cd-dual", "lin-canny"])]
    pub(crate) narrow: String,
    /// Bytes that a geometry file may have (500MB, 32GiB); 16GiB if left out
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_input: Option<Bytes>,
    /// Also say how: the routes taken, the size and the rounding bound of the pair, and the exact
    /// bracket
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::SORT)]
pub(crate) struct SortArgs {
    /// Trajectories in any order, Parquet, Arrow IPC or CSV: a file, a directory, a glob or a pipe
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The Parquet file to be written
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// A scene whose [columns] name the columns; they keep these names
    #[arg(long, value_name = "SCENE")]
    pub(crate) scene: Option<PathBuf>,
    /// Memory for rows (500MB, 2GiB); a quarter of the machine's, at most 2GiB, if left out
    #[arg(long, value_name = "BYTES")]
    pub(crate) memory: Option<Bytes>,
    /// The directory for temporary files, if they are needed; that of OUT, if left out
    #[arg(long, value_name = "DIR")]
    pub(crate) temp: Option<PathBuf>,
    /// How progress is shown on stderr; auto: a bar on a terminal, else plain lines
    #[arg(long, value_enum, default_value_t = ProgressArg::Auto)]
    pub(crate) progress: ProgressArg,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Replace OUT, if it is a regular file: no link, device or pipe, and none of the files to be
    /// sorted
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::SCHEMA)]
pub(crate) struct SchemaArgs {
    /// A table; all if left out
    #[arg(value_name = "TABLE", value_parser = clearsweep_records::TABLE_NAMES)]
    pub(crate) table: Option<String>,
    /// Instead of tables, the object that this command prints with --json; `errors`: a line of
    /// --errors json
    #[arg(long, value_name = "COMMAND", conflicts_with = "table", value_parser = super::schema::objects())]
    pub(crate) object: Option<String>,
    /// Print JSON instead of text: a list of columns, or a JSON Schema (draft 2020-12)
    #[arg(long)]
    pub(crate) json: bool,
}

/// The words are those of the wheel's program, which reads them in place of this one.
#[derive(Debug, Args)]
#[command(after_help = help::CONVERT)]
pub(crate) struct ConvertArgs {
    /// Files and options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
    _words: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(after_help = help::DOCTOR)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = help::COMPLETIONS)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_help = help::MAN)]
pub(crate) struct ManArgs {
    /// A command, and a command of it (generate crowd); that of the program, if left out
    #[arg(value_name = "COMMAND")]
    pub(crate) names: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArg {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum DeviceArg {
    Auto,
    Cpu,
    Gpu,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ColumnsArg {
    All,
    Distance,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn flags_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn ranges_may_begin_with_a_minus() {
        let cli =
            Cli::try_parse_from(["clearsweep", "run", "s.toml", "--out", "o", "--frames", "-5..-1", "--runs", "2.."]);
        let Ok(Cli { command: Command::Run(args), .. }) = cli else { panic!("{cli:?}") };
        assert_eq!(args.input.frames.map(|span| span.0), Some(-5..-1));
        assert_eq!(args.input.runs.map(|span| span.0), Some(2..i64::MAX));
    }
}
