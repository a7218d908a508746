//! `clearsweep recheck`: rows of a result, proven again by code that shares nothing with the
//! engine.

use super::args_recheck::RecheckArgs;
use super::exit::{self, ProgramEnd};
use super::files::{check_beside, check_target, keep, temporary};
use super::progress::{Meter, meter};
use super::recheck_state::{Key, State};
use super::text::{count, counted, rate, table, visible};
use super::{interrupt, results, stdout};
use clearsweep::{Error, Result};
use clearsweep_model::Scene;
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{Code, Recheck as Row, RecheckOutcome, RecheckTable, RecheckWhat, Word};
use clearsweep_tables::write_recheck;
use clearsweep_verifier::finding::{Finding, Place, Tally};
use clearsweep_verifier::recheck::{Before, Choice, Looked, Recheck, Watch};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reasons and wrong rows that the text lists.
const LISTED: usize = 8;

/// The file that `--out` names a directory for.
const TABLE: &str = "recheck.parquet";

/// Proves rows again, and prints what came of it.
pub(crate) fn recheck(args: &RecheckArgs) -> Result<ProgramEnd> {
    if !(args.seconds.is_finite() && args.seconds >= 0.0) {
        return Err(Error::usage("--seconds", format!("{} is no time", args.seconds), "give seconds, 0 or more"));
    }
    let place = results::one(&args.dir, true)?;
    let manifest = Manifest::read(&place.dir)?;
    let target = args.out.as_ref().map(|out| out.join(TABLE));
    if let (Some(target), Some(out)) = (&target, &args.out) {
        check_beside(target, &place.dir)?;
        check_target(target, args.force)?;
        std::fs::create_dir_all(out).map_err(|error| Error::unwritable(out, &error))?;
    }
    let recheck = Recheck::open(&place.dir, &manifest)?;
    let pair = args.pair.as_deref().map(|names| pair_of(recheck.scene(), names)).transpose()?;
    let mut choice = Choice {
        pair,
        rows: args.rows,
        all: args.all,
        seconds: args.seconds,
        seed: args.seed,
        before: Before::default(),
    };
    let stopped = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stopped);
    interrupt::at_first(move || asked.store(true, Ordering::Relaxed));
    let mut watching = Watching {
        tally: Tally::default(),
        rows: target.as_ref().map(|_| Vec::new()),
        state: None,
        meter: meter(args.progress),
        frames: 0,
        all_frames: manifest.summary.frames,
        stopped,
    };
    if let (Some(out), true) = (&args.out, args.all) {
        let key = Key::new(&manifest, pair);
        let (state, found) = State::open(&out.join("recheck.state"), &key)?;
        choice.before = state.before();
        watching.frames = choice.before.frames;
        found.iter().for_each(|finding| watching.add(finding));
        watching.state = Some(state);
    }
    let looked = recheck.run_on(args.threads.as_ref().map(|threads| threads.0), &choice, &mut watching)?;
    if watching.stopped.load(Ordering::Relaxed) {
        return Ok(if watching.state.is_some() { ProgramEnd::InterruptedHalfway } else { ProgramEnd::Interrupted });
    }
    if let (Some(target), Some(rows)) = (&target, &watching.rows) {
        write(target, recheck.scene(), rows, args.force)?;
    }
    if let Some(state) = watching.state.take() {
        state.remove()?;
    }
    drop(watching.meter);
    let shown =
        Shown { args, scene: recheck.scene(), tally: &watching.tally, looked: &looked, target: target.as_deref() };
    let printed = match args.json {
        true => stdout::print_json(&shown.json()),
        false => stdout::print(&shown.text()),
    };
    exit::printed(printed, shown.end())
}

/// The indices of two bodies, in the order of the scene.
pub(super) fn pair_of(scene: &Scene, names: &[String]) -> Result<[u32; 2]> {
    let index = |name: &String| {
        let found = scene.bodies.iter().position(|body| body.name == *name);
        found.map(|index| index as u32).ok_or_else(|| {
            let remedy =
                "bodies.parquet has the names of all bodies: clearsweep export DIR --csv --table bodies --to -";
            Error::usage("--pair", format!("no body is named `{}`", visible(name)), remedy)
        })
    };
    let [a, b] = [index(&names[0])?, index(&names[1])?];
    match a.cmp(&b) {
        std::cmp::Ordering::Less => Ok([a, b]),
        std::cmp::Ordering::Greater => Ok([b, a]),
        std::cmp::Ordering::Equal => Err(Error::usage("--pair", "names one body twice", "name two bodies")),
    }
}

/// Writes the table; it appears whole or not at all.
fn write(target: &Path, scene: &Scene, rows: &[Row<Code>], force: bool) -> Result<()> {
    let mut file = temporary(target).map_err(|error| Error::unwritable(target, &error))?;
    write_recheck(scene, rows, file.as_file_mut())?;
    keep(file, target, force)
}

/// Takes findings as they come.
struct Watching {
    tally: Tally,
    rows: Option<Vec<Row<Code>>>,
    state: Option<State>,
    meter: Box<dyn Meter>,
    frames: u64,
    all_frames: u64,
    stopped: Arc<AtomicBool>,
}

impl Watching {
    fn add(&mut self, finding: &Finding) {
        self.tally.add(finding);
        if let Some(rows) = &mut self.rows {
            rows.push(finding.record());
        }
    }
}

impl Watch for Watching {
    fn take(&mut self, findings: Vec<Finding>, whole: Option<Before>) -> Result<bool> {
        findings.iter().for_each(|finding| self.add(finding));
        if let Some(whole) = whole {
            self.frames = whole.frames;
            if let Some(state) = &mut self.state {
                state.append(&findings, whole)?;
            }
        }
        let share = self.frames as f64 / self.all_frames.max(1) as f64;
        let looked: u64 = self.tally.counts.values().map(|counts| counts.looked_at()).sum();
        self.meter.show(share.min(1.0), &|| format!("{} frames  {} statements", count(self.frames), count(looked)));
        Ok(!self.stopped.load(Ordering::Relaxed))
    }
}

/// What is printed.
struct Shown<'a> {
    args: &'a RecheckArgs,
    scene: &'a Scene,
    tally: &'a Tally,
    looked: &'a Looked,
    target: Option<&'a Path>,
}

/// Whether a statement decides whether the result is proven again: all others follow from it, or
/// are no brackets.
fn decides(what: RecheckWhat) -> bool {
    matches!(what, RecheckWhat::Bracket | RecheckWhat::Least | RecheckWhat::Missing)
}

/// A statement in words.
fn statement(table: RecheckTable, what: RecheckWhat) -> String {
    match what {
        RecheckWhat::Missing => format!("{}, pairs without a row", table.name()),
        RecheckWhat::FirstContact => format!("{}, first contact", table.name()),
        _ => format!("{}, {}", table.name(), what.name()),
    }
}

impl Shown<'_> {
    fn is_undecided(&self) -> bool {
        let open = |(&(_, what), counts): (&(RecheckTable, RecheckWhat), &clearsweep_verifier::finding::Counts)| {
            decides(what) && counts.of(RecheckOutcome::Bounded) + counts.of(RecheckOutcome::NotLookedAt) > 0
        };
        self.tally.counts.iter().any(open)
    }

    fn word(&self) -> &'static str {
        match () {
            () if self.tally.all(RecheckOutcome::Wrong) > 0 => "wrong",
            () if self.is_undecided() => "not decided",
            () => "proven again",
        }
    }

    fn end(&self) -> ProgramEnd {
        match self.word() {
            "wrong" => ProgramEnd::Violated,
            "not decided" => ProgramEnd::Uncertified,
            _ => ProgramEnd::Clear,
        }
    }

    fn name(&self, body: u32) -> &str {
        self.scene.bodies.get(body as usize).map_or("?", |body| body.name.as_str())
    }

    fn text(&self) -> String {
        let Looked { frames, rows, intervals, missing, .. } = self.looked;
        let of = |[looked, all]: [u64; 2], noun: &str| format!("{} of {}", count(looked), counted(all, noun));
        let mut lines = vec![("outcome", self.word().to_owned())];
        let mut all = vec![of(*rows, "row")];
        if intervals[1] > 0 {
            all.push(of(*intervals, "interval"));
        }
        all.push(format!("{} without a row", counted(*missing, "pair")));
        all.push(format!("in {}", of(*frames, "frame")));
        lines.push(("looked at", all.join(", ")));
        if !self.args.all {
            lines.push((
                "sample",
                format!("seed {}, the worst rows among it; --all looks at everything", self.args.seed),
            ));
        }
        let speeds = self.looked.speeds.iter().zip(["rows", "pairs", "intervals"]);
        let speeds = speeds.filter(|(speed, _)| speed.count > 0);
        let speeds: Vec<_> = speeds.map(|(s, noun)| rate(s.count as f64 / s.seconds.max(1e-9), noun)).collect();
        lines.push(("speed", format!("{} on a thread", speeds.join(", "))));
        for (&(of, what), counts) in &self.tally.counts {
            let parts: Vec<String> = RecheckOutcome::ALL
                .iter()
                .filter(|outcome| counts.of(**outcome) > 0)
                .map(|outcome| format!("{} {}", count(counts.of(*outcome)), outcome.name().replace('_', " ")))
                .collect();
            lines.push(("", format!("{}: {}", statement(of, what), parts.join(", "))));
        }
        for ((of, what, outcome, why), number) in self.tally.reasons.iter().take(LISTED) {
            let outcome = outcome.name().replace('_', " ");
            lines.push(("why", format!("{}, {} {outcome}: {why}", statement(*of, *what), count(*number))));
        }
        for finding in self.tally.wrong.iter().take(LISTED) {
            lines.push(("wrong", self.wrong_text(finding)));
        }
        let more = self.tally.all(RecheckOutcome::Wrong).saturating_sub(LISTED as u64);
        if more > 0 {
            lines.push(("", format!("and {} more wrong (--out writes all)", count(more))));
        }
        if let Some(target) = self.target {
            lines.push(("written", target.display().to_string()));
        }
        table(&lines)
    }

    /// A wrong row with all that brings it back.
    fn wrong_text(&self, finding: &Finding) -> String {
        let Place { run, frame, pair } = finding.place;
        let mut parts = vec![statement(finding.table, finding.what)];
        parts.extend(run.map(|run| format!("run {run}")));
        parts.extend(frame.map(|frame| format!("frame {frame}")));
        parts.extend(pair.map(|[a, b]| format!("{} and {}", visible(self.name(a)), visible(self.name(b)))));
        let ends = |[lower, upper]: [f64; 2]| format!("{lower:?} .. {upper:?} m");
        if finding.stated.iter().any(|end| end.is_finite()) {
            parts.push(format!("the row says {}", ends(finding.stated)));
        }
        if finding.proven.iter().any(|end| end.is_finite()) {
            parts.push(format!("the verifier {}", ends(finding.proven)));
        }
        let files = pair.map_or_else(String::new, |pair| format!(" ({})", self.files(pair)));
        format!("{}: {}{files}", parts.join(", "), finding.why.as_deref().unwrap_or(""))
    }

    /// The scene and the models of two bodies.
    fn files(&self, pair: [u32; 2]) -> String {
        let models = pair.map(|body| {
            let shape = self.scene.bodies.get(body as usize).map(|body| &body.shape);
            shape.map_or("?", |shape| shape.model.name())
        });
        format!("{}; {} and {}", self.scene.path.display(), models[0], models[1])
    }

    fn json(&self) -> Value {
        let Looked { frames, rows, intervals, missing, speeds, .. } = self.looked;
        let counts = self.tally.counts.iter().map(|(&(table, what), counts)| {
            let mut object = json!({ "table": table.name(), "what": what.name() });
            for outcome in RecheckOutcome::ALL {
                object[outcome.name()] = counts.of(*outcome).into();
            }
            object
        });
        let reasons = self.tally.reasons.iter().map(|((table, what, outcome, why), number)| {
            let outcome = outcome.name();
            json!({ "table": table.name(), "what": what.name(), "outcome": outcome, "why": why, "count": number })
        });
        let of = |[looked, all]: &[u64; 2]| json!({ "looked_at": looked, "all": all });
        let speed = |at: usize| (speeds[at].count > 0).then(|| speeds[at].count as f64 / speeds[at].seconds.max(1e-9));
        json!({
            "outcome": self.word().replace(' ', "_"),
            "seed": self.args.seed,
            "frames": of(frames),
            "rows": of(rows),
            "intervals": of(intervals),
            "pairs_without_row": missing,
            "rows_per_s": speed(0),
            "pairs_per_s": speed(1),
            "intervals_per_s": speed(2),
            "counts": counts.collect::<Vec<_>>(),
            "reasons": reasons.collect::<Vec<_>>(),
            "wrong": self.tally.wrong.iter().map(|finding| self.wrong_json(finding)).collect::<Vec<_>>(),
            "wrong_count": self.tally.all(RecheckOutcome::Wrong),
            "path": self.target.map(|path: &Path| PathBuf::from(path).display().to_string()),
        })
    }

    fn wrong_json(&self, finding: &Finding) -> Value {
        let Place { run, frame, pair } = finding.place;
        let finite = |end: f64| end.is_finite().then_some(end);
        json!({
            "table": finding.table.name(),
            "what": finding.what.name(),
            "run": run,
            "frame": frame,
            "body_a": pair.map(|pair| self.name(pair[0])),
            "body_b": pair.map(|pair| self.name(pair[1])),
            "why": finding.why,
            "stated_lower_m": finite(finding.stated[0]),
            "stated_upper_m": finite(finding.stated[1]),
            "lower_m": finite(finding.proven[0]),
            "upper_m": finite(finding.proven[1]),
        })
    }
}
