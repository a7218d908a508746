//! The tables `events`, `issues` and `known_pairs`, which are written at the end: by then it is
//! known what belongs together.

use super::encoder::{PendingTable, TableEncoder};
use super::events::{EventLog, LoggedEvent};
use super::issue::Issue;
use super::issues::Issues;
use super::known_pairs::KnownPair;
use super::layout::TableLayout;
use super::output_dir::OutputDir;
use super::overlaps::{self, OverlapFound, cells_each};
use super::sources::{JobColumns, finite};
use super::totals::IssueCounts;
use super::vocabularies::Vocabularies;
use clearsweep_base::error::{Error, Result};
use clearsweep_model::{EventState, Scene, Severity};
use clearsweep_records::{
    Code, Event as EventRecord, Issue as IssueRecord, KnownPair as KnownRecord, Record, StoredRecord, table,
};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Events that are filled in at a time.
const TILE: usize = 1024;

/// The texts of issues, each with a number.
#[derive(Default)]
struct Words {
    texts: Vec<Box<str>>,
    numbers: FxHashMap<String, i32>,
}

impl Words {
    fn number(&mut self, text: &str) -> i32 {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let number = self.texts.len() as i32;
        self.texts.push(text.into());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// An issue with the numbers of its texts.
struct IssueRow<'a> {
    issue: &'a Issue,
    id: i32,
    group: i32,
    rule: i32,
    note: Option<i32>,
    overlap: OverlapFound,
}

/// An event as its table has it.
struct EventRow {
    logged: LoggedEvent,
    severity: Severity,
    required: f64,
    state: EventState,
    /// The number of the issue's id.
    issue: i32,
}

/// Inputs and limits from which the tables of issues are made.
pub(super) struct IssueTables<'a> {
    pub(super) scene: &'a Scene,
    pub(super) columns: &'a JobColumns,
    pub(super) strings: &'a Vocabularies,
    pub(super) layout: TableLayout,
    /// The bytes that a job may take.
    pub(super) memory: u64,
    pub(super) out: &'a Arc<OutputDir>,
}

impl IssueTables<'_> {
    /// Writes the tables: what waits for the disk, and the numbers of events and issues.
    ///
    /// # Errors
    /// A spill file cannot be read, or a write failed.
    pub(super) fn write(&self, log: &mut EventLog) -> Result<(Vec<PendingTable>, IssueCounts)> {
        let Self { scene, columns, strings, layout, memory, out } = *self;
        let gathered = Issues::gather(log, scene)?;
        let mut words = Words::default();
        let cells = cells_each(gathered.issues.len());
        let overlaps: Vec<OverlapFound> =
            gathered.issues.par_iter().map(|issue| overlap(issue, scene, cells)).collect();
        let rows: Vec<IssueRow<'_>> = gathered
            .issues
            .iter()
            .zip(overlaps)
            .map(|(issue, overlap)| IssueRow {
                id: words.number(&issue.id),
                group: words.number(&issue.group),
                rule: words.number(&issue.rule_name),
                note: issue.note.as_ref().map(|note| words.number(note)),
                overlap,
                issue,
            })
            .collect();
        let contents = &columns.contents;
        let known = table(<KnownRecord>::TABLE)?.exists(contents).then(|| {
            let record = |pair: &KnownPair| known_record(pair, rows[pair.issue as usize].id, &mut words);
            gathered.known.iter().map(record).collect::<Vec<_>>()
        });
        let strings = strings.with_issues(words.texts);
        let encoder = |name| {
            Ok::<_, Error>(TableEncoder::new(table(name)?, contents, &strings, layout, out)?.within(memory, out))
        };
        let mut events = encoder(<EventRecord>::TABLE)?;
        let (requirements, mut tile) = (scene.requirements(), Vec::with_capacity(TILE));
        log.read(&mut |part| {
            for part in part.chunks(TILE) {
                tile.clear();
                tile.extend(part.iter().map(|&logged| {
                    let (state, issue) = gathered.of(&logged, scene);
                    let rule = requirements.rules().get(logged.rule as usize);
                    let row = EventRow {
                        severity: rule.map_or(Severity::default(), |rule| rule.severity),
                        required: requirements.under(logged.rule as usize, logged.run, logged.event.a, logged.event.b),
                        issue: rows[issue as usize].id,
                        logged,
                        state,
                    };
                    row.record(columns)
                }));
                events.extend(&tile, |columns, rows| EventRecord::extend(rows, |row| *row, contents, columns))?;
            }
            Ok(())
        })?;
        let mut issues = encoder(<IssueRecord>::TABLE)?;
        let records: Vec<IssueRecord<Code>> = rows.iter().map(IssueRow::record).collect();
        issues.extend(&records, |columns, rows| IssueRecord::extend(rows, |row| *row, contents, columns))?;
        let mut pending = vec![events.finish()?, issues.finish()?];
        if let Some(records) = known {
            let mut known = encoder(<KnownRecord>::TABLE)?;
            known.extend(&records, |columns, rows| KnownRecord::extend(rows, |row| *row, contents, columns))?;
            pending.push(known.finish()?);
        }
        Ok((pending, gathered.counts))
    }
}

/// The row of a pair that is known from before, of the issue whose id has the number `issue`.
fn known_record(pair: &KnownPair, issue: i32, words: &mut Words) -> KnownRecord<Code> {
    let mut code = |text: &String| Code(words.number(text));
    let [lower, upper] = pair.earlier.as_ref().map_or([None; 2], |earlier| earlier.bracket_m);
    let least = pair.earlier.as_ref().and_then(|earlier| earlier.least);
    KnownRecord {
        issue: Code(issue),
        rule: code(&pair.rule),
        body_a: code(&pair.bodies[0]),
        body_b: code(&pair.bodies[1]),
        state: pair.state,
        until: pair.decision.until.as_ref().map(&mut code),
        by: pair.decision.by.as_ref().map(&mut code),
        reason: pair.decision.reason.as_ref().map(&mut code),
        earlier_lower_m: lower.and_then(finite),
        earlier_upper_m: upper.and_then(finite),
        earlier_run: least.map(|(run, _)| run),
        earlier_frame: least.map(|(_, frame)| frame),
        note: pair.note.as_ref().map(&mut code),
    }
}

/// The deepest overlap of the events of an issue.
fn overlap(issue: &Issue, scene: &Scene, cells: usize) -> OverlapFound {
    let Some((_, bodies, poses)) = issue.sum.ok().and_then(|sum| sum.deepest) else { return OverlapFound::default() };
    overlaps::found(bodies.map(|body| &*scene.bodies[body as usize].shape), &poses, cells)
}

impl EventRow {
    fn record(&self, columns: &JobColumns) -> EventRecord<Code> {
        let LoggedEvent { run, rule, event, .. } = &self.logged;
        let [joint_lo, joint_hi] = columns.swept_values(event.ends.map(|(frame, _)| (*run, frame)), [0.0; 2]);
        EventRecord {
            rule: Code(*rule as i32),
            severity: self.severity,
            required_m: self.required,
            run: *run,
            a_index: event.a as i32,
            b_index: event.b as i32,
            body_a: Code(event.a as i32),
            body_b: Code(event.b as i32),
            begin_frame: event.ends[0].0,
            begin_s: Some(event.ends[0].1),
            end_frame: event.ends[1].0,
            end_s: Some(event.ends[1].1),
            samples: event.samples as i64,
            intervals: event.intervals as i64,
            lower_m: finite(event.lower),
            upper_m: finite(event.upper),
            frame_of_least: event.least.0,
            time_of_least_s: Some(event.least.1),
            place_x: Some(event.place[0]),
            place_y: Some(event.place[1]),
            place_z: Some(event.place[2]),
            kind: event.kind,
            state: self.state,
            issue: Code(self.issue),
            joint_lo,
            joint_hi,
        }
    }
}

impl IssueRow<'_> {
    fn record(&self) -> IssueRecord<Code> {
        let sum = self.issue.sum.ok();
        let corner = |corner: usize, axis: usize| self.overlap.bounds.map(|bounds| bounds[corner][axis]);
        IssueRecord {
            issue: Code(self.id),
            group: Code(self.group),
            rule: Code(self.rule),
            severity: self.issue.severity,
            state: self.issue.state(),
            kind: sum.map(|sum| sum.kind),
            events: sum.map_or(0, |sum| sum.events as i64),
            pairs: self.issue.pairs as i64,
            runs: sum.map_or(0, |sum| sum.runs as i64),
            lower_m: sum.and_then(|sum| finite(sum.lower)),
            upper_m: sum.and_then(|sum| finite(sum.upper)),
            first_frame: sum.map(|sum| sum.frames[0]),
            last_frame: sum.map(|sum| sum.frames[1]),
            box_min_x: corner(0, 0),
            box_min_y: corner(0, 1),
            box_min_z: corner(0, 2),
            box_max_x: corner(1, 0),
            box_max_y: corner(1, 1),
            box_max_z: corner(1, 2),
            volume_lower_m3: self.overlap.volume.map(|volume| volume[0]),
            volume_upper_m3: self.overlap.volume.map(|volume| volume[1]),
            note: self.note.map(Code),
        }
    }
}
