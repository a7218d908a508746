//! Numbers that tables and the manifest state, counted again from the rows.

use clearsweep_base::error::Result;
use clearsweep_model::{Requirements, Scene};
use clearsweep_records::manifest::Manifest;
use clearsweep_records::{
    DistanceBracket, Event, Interval, Issue, OfPair, Pair, RecheckOutcome, RecheckTable, RecheckWhat, Run, RunPair,
    Table, has_table,
};
use rustc_hash::FxHashMap;
use std::path::Path;

use crate::finding::{Finding, Place};

/// Rows of a run.
#[derive(Default, Clone, Copy)]
struct OfRun {
    rows: i64,
    violated: i64,
    undecided: i64,
    uncertified: i64,
}

/// Rows of a pair in a run, beside what `pairs` states.
struct OfRows {
    rows: i64,
    /// The least lower end of a row, metres.
    least: f64,
    /// The bracket in the frame that `pairs` names.
    named: Option<[Option<f64>; 2]>,
}

/// A stretch that an event states, and the violating rows found in it.
struct Stretch {
    event: usize,
    frames: [i64; 2],
    stated: i64,
    found: i64,
}

/// Counts rows as they go by.
pub struct Counter {
    requirements: Option<Requirements>,
    runs: FxHashMap<i64, OfRun>,
    pairs: FxHashMap<RunPair, (Pair, OfRows)>,
    stretches: FxHashMap<RunPair, Vec<Stretch>>,
    events: Vec<Event>,
    has_events: bool,
    findings: Vec<Finding>,
}

fn wrong(table: RecheckTable, place: Place, why: String) -> Finding {
    Finding::new(table, RecheckWhat::Count, RecheckOutcome::Wrong, place).because(why)
}

/// Why violations of some scenes are not counted again.
const OTHER_RULES: &str = "violations: rules require free lengths, or have baselines";

fn not_looked_at(table: RecheckTable, why: &str) -> Finding {
    Finding::new(table, RecheckWhat::Count, RecheckOutcome::NotLookedAt, Place::default()).because(why)
}

fn place(pair: RunPair, frame: Option<i64>) -> Place {
    Place { run: Some(pair.run), frame, pair: Some([pair.a as u32, pair.b as u32]) }
}

impl Counter {
    /// Reads the tables of pairs and events.
    ///
    /// # Errors
    /// A table is missing or damaged.
    pub fn new(dir: &Path, scene: &Scene) -> Result<Self> {
        let mut pairs = FxHashMap::default();
        for pair in Table::<Pair>::open(dir)?.rows() {
            let pair = pair?;
            let key = RunPair { run: pair.run, a: pair.a_index, b: pair.b_index };
            pairs.insert(key, (pair, OfRows { rows: 0, least: f64::INFINITY, named: None }));
        }
        let has_events = has_table(dir, "events");
        let events = match has_events {
            true => Table::<Event>::open(dir)?.rows().collect::<Result<Vec<_>>>()?,
            false => Vec::new(),
        };
        let mut stretches: FxHashMap<RunPair, Vec<Stretch>> = FxHashMap::default();
        for (number, event) in events.iter().enumerate() {
            let key = RunPair { run: event.run, a: event.a_index, b: event.b_index };
            let frames = [event.begin_frame, event.end_frame];
            stretches.entry(key).or_default().push(Stretch { event: number, frames, stated: event.samples, found: 0 });
        }
        // What free lengths and baselines require is found while a job runs.
        let is_plain = scene.rules.all().iter().all(|rule| rule.free_length.is_none() && rule.baseline.is_none());
        let requirements = is_plain.then(|| scene.requirements());
        Ok(Self {
            requirements,
            runs: FxHashMap::default(),
            pairs,
            stretches,
            events,
            has_events,
            findings: Vec::new(),
        })
    }

    /// Counts a row of `distances`.
    pub fn add(&mut self, row: &DistanceBracket) {
        let (key, [lower, upper]) = (row.pair(), row.bracket_m());
        let required = self.requirements.as_ref().map_or(f64::NAN, |all| all.of(key.run, key.a as u32, key.b as u32));
        let run = self.runs.entry(key.run).or_default();
        let [low, high] = [lower, upper].map(|end| end.unwrap_or(f64::NAN));
        let is_violated = high < required;
        run.rows += 1;
        run.violated += i64::from(is_violated);
        run.undecided += i64::from(low < required && required <= high);
        run.uncertified += i64::from(lower.is_none());
        match self.pairs.get_mut(&key) {
            Some((pair, rows)) => {
                rows.rows += 1;
                rows.least = rows.least.min(high);
                if pair.frame_of_min == Some(row.frame) {
                    rows.named = Some([lower, upper]);
                }
            }
            None => self.findings.push(wrong(
                RecheckTable::Pairs,
                place(key, Some(row.frame)),
                "has no row of a pair that `distances` has".to_owned(),
            )),
        }
        if is_violated && self.has_events {
            let mut stretches = self.stretches.get_mut(&key).into_iter().flatten();
            match stretches.find(|stretch| (stretch.frames[0]..=stretch.frames[1]).contains(&row.frame)) {
                Some(stretch) => stretch.found += 1,
                None => {
                    let why = "has no event of a row that violates".to_owned();
                    self.findings.push(wrong(RecheckTable::Events, place(key, Some(row.frame)), why));
                }
            }
        }
    }

    /// Compares what was counted with what is stated.
    ///
    /// # Errors
    /// A table is missing or damaged.
    pub fn finish(mut self, dir: &Path, manifest: &Manifest) -> Result<Vec<Finding>> {
        self.check_runs(dir)?;
        self.check_pairs();
        self.check_events();
        self.check_issues(dir)?;
        self.check_manifest(dir, manifest)?;
        Ok(self.findings)
    }

    /// Adds a finding about a number: proven if both are equal.
    fn compare(&mut self, table: RecheckTable, place: Place, differing: Vec<String>) {
        self.findings.push(match differing.is_empty() {
            true => Finding::new(table, RecheckWhat::Count, RecheckOutcome::Proven, place),
            false => wrong(table, place, differing.join("; ")),
        });
    }

    fn check_runs(&mut self, dir: &Path) -> Result<()> {
        let mut stated: Vec<i64> = Vec::new();
        for run in Table::<Run>::open(dir)?.rows() {
            let run = run?;
            let found = self.runs.get(&run.run).copied().unwrap_or_default();
            let mut differing = Vec::new();
            let mut compare = |name: &str, stated: i64, found: i64| {
                if stated != found {
                    differing.push(format!("`{name}` is {stated}, and `distances` has {found}"));
                }
            };
            compare("rows", run.rows, found.rows);
            compare("uncertified", run.uncertified, found.uncertified);
            if self.requirements.is_some() {
                compare("violated", run.violated, found.violated);
                compare("undecided", run.undecided, found.undecided);
            }
            stated.push(run.run);
            self.compare(RecheckTable::Runs, Place { run: Some(run.run), ..Place::default() }, differing);
        }
        let missing: Vec<i64> = self.runs.keys().copied().filter(|run| !stated.contains(run)).collect();
        for run in missing {
            let place = Place { run: Some(run), ..Place::default() };
            self.findings.push(wrong(RecheckTable::Runs, place, "has no row of a run that `distances` has".to_owned()));
        }
        Ok(())
    }

    fn check_pairs(&mut self) {
        let pairs = std::mem::take(&mut self.pairs);
        let mut keys: Vec<RunPair> = pairs.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            let (pair, found) = &pairs[&key];
            let mut differing = Vec::new();
            if pair.frames_within != found.rows {
                differing.push(format!(
                    "`frames_within` is {}, and `distances` has {} rows",
                    pair.frames_within, found.rows
                ));
            }
            match (pair.frame_of_min, found.named) {
                (Some(_), None) => differing.push("`distances` has no row in the frame `frame_of_min`".to_owned()),
                (Some(_), Some(named))
                    if named != [pair.lower_m, pair.upper_m].map(|end| end.filter(|e| e.is_finite())) =>
                {
                    differing.push("its bracket is not that of the row in `frame_of_min`".to_owned());
                }
                _ => {}
            }
            if pair.lower_m.is_some_and(|lower| found.least < lower) {
                differing.push(format!("a row is proven to be nearer: {:.6e} m", found.least));
            }
            self.compare(RecheckTable::Pairs, place(key, pair.frame_of_min), differing);
        }
    }

    fn check_events(&mut self) {
        if self.requirements.is_none() {
            self.findings.push(not_looked_at(RecheckTable::Runs, OTHER_RULES));
            self.findings.push(not_looked_at(RecheckTable::Events, OTHER_RULES));
            return;
        }
        let stretches = std::mem::take(&mut self.stretches);
        let mut stretches: Vec<(RunPair, Stretch)> =
            stretches.into_iter().flat_map(|(pair, list)| list.into_iter().map(move |one| (pair, one))).collect();
        stretches.sort_by_key(|(_, stretch)| stretch.event);
        for (pair, stretch) in stretches {
            let differing = (stretch.stated != stretch.found)
                .then(|| format!("`samples` is {}, and `distances` has {} such rows", stretch.stated, stretch.found));
            self.compare(RecheckTable::Events, place(pair, Some(stretch.frames[0])), differing.into_iter().collect());
        }
    }

    fn check_issues(&mut self, dir: &Path) -> Result<()> {
        if !has_table(dir, "issues") {
            return Ok(());
        }
        let mut of_issue: FxHashMap<&str, i64> = FxHashMap::default();
        self.events.iter().for_each(|event| *of_issue.entry(&event.issue).or_default() += 1);
        let mut found = Vec::new();
        for issue in Table::<Issue>::open(dir)?.rows() {
            let issue = issue?;
            let events = of_issue.remove(&*issue.issue).unwrap_or_default();
            let differs = format!("`events` of issue {} is {}, and `events` has {events}", issue.issue, issue.events);
            found.push((issue.events != events).then_some(differs));
        }
        found.extend(of_issue.keys().map(|issue| Some(format!("has no issue {issue} that an event names"))));
        for differing in found {
            self.compare(RecheckTable::Issues, Place::default(), differing.into_iter().collect());
        }
        Ok(())
    }

    fn check_manifest(&mut self, dir: &Path, manifest: &Manifest) -> Result<()> {
        let all = self.runs.values().fold(OfRun::default(), |sum, run| OfRun {
            rows: sum.rows + run.rows,
            violated: sum.violated + run.violated,
            undecided: sum.undecided + run.undecided,
            uncertified: sum.uncertified + run.uncertified,
        });
        let summary = &manifest.summary;
        let mut differing = Vec::new();
        let mut compare = |name: &str, stated: u64, found: i64| {
            if stated as i64 != found {
                differing.push(format!("`{name}` is {stated}, and the tables have {found}"));
            }
        };
        compare("rows", summary.rows, all.rows);
        compare("uncertified", summary.uncertified, all.uncertified);
        if self.requirements.is_some() {
            compare("violated", summary.violated, all.violated);
            compare("undecided", summary.undecided, all.undecided);
        }
        let between = self.intervals(dir)?;
        if let (Some(stated), Some(found)) = (&summary.intervals, between) {
            compare("intervals.rows", stated.rows, found.rows);
            if self.requirements.is_some() {
                compare("intervals.violated", stated.violated, found.violated);
            }
        }
        let verdict = self.verdict(&all, between, manifest);
        if verdict.is_none() {
            let why = "the verdict: accepted pairs, free lengths, baselines, or nothing that was checked";
            self.findings.push(not_looked_at(RecheckTable::Manifest, why));
        }
        if let Some(verdict) = verdict
            && summary.verdict.as_deref() != Some(verdict)
        {
            differing.push(format!(
                "the verdict is {}, and the rows make it {verdict}",
                summary.verdict.as_deref().unwrap_or("?")
            ));
        }
        self.compare(RecheckTable::Manifest, Place::default(), differing);
        Ok(())
    }

    /// Counts the rows of `intervals`; `uncertified`: those that are undecided.
    fn intervals(&self, dir: &Path) -> Result<Option<OfRun>> {
        if !has_table(dir, "intervals") {
            return Ok(None);
        }
        let mut all = OfRun::default();
        for row in Table::<Interval>::open(dir)?.rows() {
            let row = row?;
            let of = |requirements: &Requirements| requirements.of(row.run, row.a_index as u32, row.b_index as u32);
            let required = self.requirements.as_ref().map_or(f64::NAN, of);
            let [lower, upper] = [row.lower_m, row.upper_m].map(|end| end.unwrap_or(f64::NAN));
            let is_violated = upper < required;
            let is_unproven = row.status == clearsweep_model::IntervalStatus::Undecided;
            all.rows += 1;
            all.violated += i64::from(is_violated);
            all.uncertified += i64::from(is_unproven);
            all.undecided += i64::from(!is_violated && (is_unproven || (lower < required && required <= upper)));
        }
        Ok(Some(all))
    }

    /// The verdict that follows from the rows; `None` where decisions of people, or rules of
    /// another kind, have a part in it.
    fn verdict(&self, rows: &OfRun, between: Option<OfRun>, manifest: &Manifest) -> Option<&'static str> {
        let requirements = self.requirements.as_ref()?;
        let between = between.unwrap_or_default();
        if manifest.summary.dispositions.is_some() || manifest.summary.nothing_checked.is_some() {
            return None;
        }
        Some(match () {
            () if rows.violated + between.violated > 0 => "violated",
            () if rows.uncertified + between.uncertified > 0 => "uncertified",
            () if rows.undecided + between.undecided > 0 && requirements.is_something() => "undecided",
            () if !requirements.is_something() => "nothing required",
            () => "clear",
        })
    }
}
