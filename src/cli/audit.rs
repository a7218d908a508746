//! `clearsweep audit`: what a simulator let pass.

use super::args_audit::AuditArgs;
use super::color::{Tone, paint};
use super::exit::{self, ProgramEnd};
use super::files::{check_beside, check_target, keep, temporary};
use super::run::{Input, compute};
use super::text::{Lengths, columns, count, counted, table, visible};
use super::{machine, notes, stdout};
use clearsweep::{Error, ErrorKind, Result};
use clearsweep_engine::{CancelToken, JobOptions, NothingChecked};
use clearsweep_model::Scene;
use clearsweep_records::manifest::{Manifest, Summary};
use clearsweep_scene::length::parse_length;
use clearsweep_store::local;
use clearsweep_tables::{
    AuditCsv, AuditFinding, AuditSummary, AuditTerms, DistanceColumns, KindSummary, ParquetTables,
};
use serde_json::{Value, json};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The directory of the tables.
enum TablesDir {
    Kept(PathBuf),
    Temporary(TempDir),
}

impl TablesDir {
    /// The directory of `--out`, else a temporary one, which goes with this value.
    fn new(args: &AuditArgs) -> Result<Self> {
        if let Some(out) = &args.out {
            return local(out).map(Self::Kept);
        }
        let parent = args.temp.clone().unwrap_or_else(std::env::temp_dir);
        let made = tempfile::Builder::new().prefix("clearsweep-audit-").tempdir_in(&parent);
        made.map(Self::Temporary).map_err(|error| Error::unwritable(&parent, &error))
    }

    fn path(&self) -> PathBuf {
        match self {
            Self::Kept(path) => path.clone(),
            Self::Temporary(dir) => dir.path().join("tables"),
        }
    }
}

/// A scene whose tables are there, and what was found in them.
struct Audited<'a> {
    args: &'a AuditArgs,
    scene: &'a Scene,
    summary: Summary,
    found: AuditSummary,
}

/// Runs the job, and prints what an audit finds in its tables.
pub(crate) fn audit(args: AuditArgs) -> Result<ProgramEnd> {
    let mut input = Input::new(args.input(), args.out.as_deref())?;
    input.overrides.for_audit = true;
    input.overrides.threads = args.threads.map(|threads| threads.0);
    if let Some(csv) = &args.csv {
        args.out.as_deref().map_or(Ok(()), |out| check_beside(csv, out))?;
        check_target(csv, args.force)?;
    }
    let mut loaded = input.load()?;
    let allow = allowed(&args, &loaded.scene)?;
    let job = JobOptions {
        read: input.read.clone(),
        threads: args.threads.map(|threads| threads.0),
        memory: args.memory.map_or_else(machine::default_memory, |bytes| bytes.0),
        columns: if args.out.is_some() { DistanceColumns::All } else { DistanceColumns::Distance },
        peak_memory: Some(machine::peak_memory),
        ..JobOptions::default()
    };
    let dir = TablesDir::new(&args)?;
    let mut tables = ParquetTables::new(dir.path()).force(args.force);
    let token = CancelToken::new();
    let outcome = match compute(&mut loaded, job, (args.progress, &token), &mut tables) {
        Err(error) if error.kind == ErrorKind::Cancelled => return Ok(ProgramEnd::Interrupted),
        outcome => outcome?,
    };
    let manifest = Manifest::of_json(&outcome.manifest)?;
    notes::of_run(&manifest);
    let terms = AuditTerms { allow, top: args.top };
    let found = find(&args, &dir.path(), &loaded.scene, &terms)?;
    let audited = Audited { args: &args, scene: &loaded.scene, summary: manifest.summary, found };
    let printed = match args.json {
        true => stdout::print_json(&audited.json()),
        false => stdout::print(&audited.text()),
    };
    exit::printed(printed, audited.end())
}

/// The depth that is allowed, metres.
fn allowed(args: &AuditArgs, scene: &Scene) -> Result<f64> {
    let remedy = "give a length of 0 or more, in the scene's unit or with its own: 0.5mm";
    match parse_length(&args.allow, scene.unit) {
        Ok(metres) if metres >= 0.0 => Ok(metres),
        Ok(_) => Err(Error::usage("--allow", format!("`{}` is negative", args.allow), remedy)),
        Err(problem) => Err(Error::usage("--allow", problem, remedy)),
    }
}

/// Audits the tables; all findings go to the file of `--csv`, which appears whole or not at all.
fn find(args: &AuditArgs, dir: &Path, scene: &Scene, terms: &AuditTerms) -> Result<AuditSummary> {
    let Some(target) = &args.csv else { return clearsweep_tables::audit(dir, scene, terms, &mut |_| Ok(())) };
    let mut file = temporary(target).map_err(|error| Error::unwritable(target, &error))?;
    let mut list = AuditCsv::new(BufWriter::new(file.as_file_mut()), scene)?;
    let found = clearsweep_tables::audit(dir, scene, terms, &mut |finding| list.add(finding))?;
    list.finish()?;
    keep(file, target, args.force)?;
    Ok(found)
}

impl Audited<'_> {
    fn end(&self) -> ProgramEnd {
        match () {
            () if self.found.is_found() => ProgramEnd::Violated,
            () if self.nothing_checked().is_some() => ProgramEnd::NothingChecked,
            () if self.found.is_undecided() => ProgramEnd::Uncertified,
            () => ProgramEnd::Clear,
        }
    }

    fn nothing_checked(&self) -> Option<NothingChecked> {
        self.summary.nothing_checked.as_deref().and_then(NothingChecked::of_name)
    }

    /// Neighbouring frames that are too far apart for their interval to be looked at.
    fn gaps(&self) -> u64 {
        self.summary.intervals.as_ref().map_or(0, |intervals| intervals.skipped)
    }

    fn lengths(&self) -> Lengths {
        Lengths::of(self.scene.unit)
    }

    fn name(&self, body: u32) -> &str {
        &self.scene.bodies[body as usize].name
    }

    fn text(&self) -> String {
        let lengths = self.lengths();
        let Summary { frames, runs, .. } = self.summary;
        let motion = format!(
            "{} between frames: {}, contact within {}",
            self.scene.motion.between.name(),
            counted(self.found.intervals, "interval"),
            lengths.at_most(self.scene.query.touch)
        );
        let mut rows = vec![
            ("scene", visible(&self.scene.name).into_owned()),
            ("input", format!("{}, {}", counted(frames, "frame"), counted(runs, "run"))),
            ("motion", motion),
        ];
        let [tunnels, overlaps] = &self.found.kinds;
        rows.push(("tunnels", counts(tunnels, "no contact between frames that both show the bodies apart")));
        let limit = lengths.at_most(self.found.limit_m);
        rows.push(("overlaps", format!("{} deeper than {limit}", counts(overlaps, "none"))));
        let accepted = tunnels.accepted + overlaps.accepted;
        if accepted > 0 {
            let what =
                format!("{} and {}", counted(tunnels.accepted, "interval"), counted(overlaps.accepted, "sample"));
            rows.push(("accepted", format!("{what}, as people decided")));
        }
        rows.extend(std::iter::once("open").chain(std::iter::repeat("")).zip(self.open()));
        let files = [("tables", &self.args.out), ("list", &self.args.csv)];
        rows.extend(files.into_iter().filter_map(|(name, path)| Some((name, path.as_ref()?.display().to_string()))));
        table(&rows) + &self.tunnels_text(tunnels) + &self.overlaps_text(overlaps)
    }

    /// Lines about what is not decided.
    fn open(&self) -> Vec<String> {
        let AuditSummary { intervals_undecided, intervals_limited, rows_uncertified, rows_undecided, .. } = self.found;
        let doubt = |n: u64, noun: &str, rest: &str| (n > 0).then(|| paint(Tone::Doubtful, &counted(n, noun)) + rest);
        let limited = match intervals_limited {
            0 => String::new(),
            n => format!("; {} turn by half a turn, or reach the work limit", count(n)),
        };
        let nothing = self.nothing_checked().map(|why| paint(Tone::Bad, &format!("NOTHING CHECKED: {}", why.reason())));
        let lines = [
            nothing,
            doubt(
                intervals_undecided,
                "interval",
                &format!(" undecided: neither clear nor in contact is proven{limited}"),
            ),
            doubt(self.gaps(), "gap", " between frames not looked at: longer than max_gap or max_gap_s"),
            doubt(rows_uncertified, "sample", " without a proven bracket"),
            doubt(rows_undecided, "sample", " not decided: the proven bracket of the depth holds what is allowed"),
        ];
        lines.into_iter().flatten().collect()
    }

    fn tunnels_text(&self, kind: &KindSummary) -> String {
        let row = |finding: &AuditFinding| {
            let share = finding.contact.map_or(0.0, |[_, to]| to);
            let time = finding.times_s[0].zip(finding.times_s[1]).map(|(from, to)| from + share * (to - from));
            let mut cells = self.cells(finding);
            cells.push(time.map_or_else(|| format!("at {share:.4}"), |time| format!("{time:.6} s")));
            cells
        };
        let titles = ["a", "b", "deep", "at most", "run", "frames", "first contact"];
        listed("tunnel", kind, &titles, kind.worst.iter().map(row).collect())
    }

    fn overlaps_text(&self, kind: &KindSummary) -> String {
        let row = |finding: &AuditFinding| {
            let mut cells = self.cells(finding);
            cells.push(finding.deepest.map_or_else(String::new, |(frame, _)| format!("frame {frame}")));
            cells
        };
        let titles = ["a", "b", "deep", "at most", "run", "frames", "deepest at"];
        listed("overlap", kind, &titles, kind.worst.iter().map(row).collect())
    }

    /// Bodies, depth, run and frames of a finding.
    fn cells(&self, finding: &AuditFinding) -> Vec<String> {
        let AuditFinding { run, bodies, frames: [from, to], depth_m, .. } = finding;
        let lengths = self.lengths();
        let at_most = depth_m.1.map_or_else(|| "-".to_owned(), |depth| lengths.at_most(depth));
        let [a, b] = bodies.map(|body| visible(self.name(body)).into_owned());
        let frames = if from == to { from.to_string() } else { format!("{from} to {to}") };
        vec![a, b, lengths.fixed(depth_m.0), at_most, run.to_string(), frames]
    }

    fn json(&self) -> Value {
        let AuditSummary { intervals_undecided, intervals_limited, rows_uncertified, rows_undecided, .. } = self.found;
        let nothing = self.nothing_checked();
        let verdict = match self.end() {
            ProgramEnd::Violated => "found",
            ProgramEnd::NothingChecked => "nothing-checked",
            ProgramEnd::Uncertified => "undecided",
            _ => "clear",
        };
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let [tunnels, overlaps] = self.found.kinds.each_ref().map(|kind| self.kind_json(kind));
        json!({
            "verdict": verdict,
            "nothing_checked": nothing.map(NothingChecked::name),
            "scene": self.scene.name,
            "runs": self.summary.runs,
            "frames": self.summary.frames,
            "rows": self.found.rows,
            "intervals": self.found.intervals,
            "between": self.scene.motion.between.name(),
            "touch_m": self.scene.query.touch,
            "limit_m": self.found.limit_m,
            "tunnels": tunnels,
            "overlaps": overlaps,
            "undecided": {
                "intervals": intervals_undecided,
                "intervals_limited": intervals_limited,
                "gaps": self.gaps(),
                "rows_uncertified": rows_uncertified,
                "rows": rows_undecided,
            },
            "out": path(&self.args.out),
            "csv": path(&self.args.csv),
        })
    }

    fn kind_json(&self, kind: &KindSummary) -> Value {
        let worst = kind.worst.iter().map(|finding| self.finding_json(finding));
        json!({
            "count": kind.count,
            "pairs": kind.pairs,
            "accepted": kind.accepted,
            "worst": worst.collect::<Vec<_>>(),
        })
    }

    fn finding_json(&self, finding: &AuditFinding) -> Value {
        let AuditFinding { kind, run, bodies, frames, times_s, deepest, depth_m, contact } = finding;
        let [a, b] = bodies.map(|body| self.name(body));
        json!({
            "kind": kind.name(),
            "run": run,
            "body_a": a,
            "body_b": b,
            "frame": frames[0],
            "frame_last": frames[1],
            "time_s": times_s[0],
            "time_last_s": times_s[1],
            "depth_lower_m": depth_m.0,
            "depth_upper_m": depth_m.1,
            "contact_lo": contact.map(|contact| contact[0]),
            "contact_hi": contact.map(|contact| contact[1]),
            "frame_of_depth": deepest.map(|(frame, _)| frame),
            "time_of_depth_s": deepest.and_then(|(_, time)| time),
        })
    }
}

/// Number of findings, and of pairs that have them.
fn counts(kind: &KindSummary, none: &str) -> String {
    match kind.count {
        0 => paint(Tone::Good, none),
        n => paint(Tone::Bad, &count(n)) + &format!(" ({})", counted(kind.pairs, "pair")),
    }
}

/// The worst findings of a kind below a title; nothing if there are none.
fn listed(noun: &str, kind: &KindSummary, titles: &[&str], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let title = match kind.count {
        1 => format!("The {noun}"),
        all if all > rows.len() as u64 => format!("The {} worst of {}", rows.len(), counted(all, noun)),
        all => format!("The {}, worst first", counted(all, noun)),
    };
    let is_right: Vec<bool> = titles.iter().map(|title| !["a", "b"].contains(title)).collect();
    format!("\n{}\n{}", paint(Tone::Title, &title), columns(titles, &is_right, &rows))
}
