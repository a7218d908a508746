//! The tables `events` and `issues`, which are written at the end: by then it is known what belongs together.

use super::column_buffer::ColumnBuffer;
use super::encoder::{PendingTable, TableEncoder};
use super::events::{Event, EventLog, LoggedEvent};
use super::fill::{ColumnCursor, finite};
use super::issues::{Issue, Issues};
use super::layout::TableLayout;
use super::output_dir::OutputDir;
use super::overlaps::{self, OverlapFound, cells_each};
use super::part_writer::FileNaming;
use super::samples::swept_value;
use super::schema;
use super::totals::IssueCounts;
use super::vocabulary::Vocabularies;
use clearsweep_base::error::Result;
use clearsweep_model::{EventState, Scene, SceneJoints, Severity};
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

/// What both tables are made with.
pub(super) struct IssueTables<'a> {
    pub(super) scene: &'a Scene,
    pub(super) strings: &'a Vocabularies,
    pub(super) layout: TableLayout,
    /// The bytes that a job may take.
    pub(super) memory: u64,
    pub(super) out: &'a Arc<OutputDir>,
}

impl IssueTables<'_> {
    /// Writes both tables: what waits for the disk, and the numbers of events and issues.
    ///
    /// # Errors
    /// A spill file cannot be read, or a write failed.
    pub(super) fn write(&self, log: &mut EventLog) -> Result<([PendingTable; 2], IssueCounts)> {
        let Self { scene, strings, layout, memory, out } = *self;
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
        let strings = strings.with_issues(words.texts);
        let table = |spec, name| TableEncoder::new(&spec, FileNaming::Single(name), &strings, layout, out);
        let kind = schema::TableKind::of(scene);
        let swept = scene.joints.as_deref().filter(|_| kind.sweeps);
        let mut events = table(schema::events(kind), "events.parquet")?.within(memory, out);
        let (requirements, mut tile) = (scene.requirements(), Vec::with_capacity(TILE));
        log.read(&mut |part| {
            for part in part.chunks(TILE) {
                tile.clear();
                tile.extend(part.iter().map(|&logged| {
                    let (state, issue) = gathered.of(&logged, scene);
                    let rule = requirements.rules().get(logged.rule as usize);
                    EventRow {
                        severity: rule.map_or(Severity::default(), |rule| rule.severity),
                        required: requirements.under(logged.rule as usize, logged.run, logged.event.a, logged.event.b),
                        issue: rows[issue as usize].id,
                        logged,
                        state,
                    }
                }));
                events.extend(&tile, |columns, rows| fill_events(columns, rows, swept))?;
            }
            Ok(())
        })?;
        let mut issues = table(schema::issues(), "issues.parquet")?.within(memory, out);
        for rows in rows.chunks(TILE) {
            issues.extend(rows, fill_issues)?;
        }
        Ok(([events.finish()?, issues.finish()?], gathered.counts))
    }
}

/// The deepest overlap of the events of an issue.
fn overlap(issue: &Issue, scene: &Scene, cells: usize) -> OverlapFound {
    let Some((_, bodies, poses)) = issue.sum.ok().and_then(|sum| sum.deepest) else { return OverlapFound::default() };
    overlaps::found(bodies.map(|body| &*scene.bodies[body as usize].shape), &poses, cells)
}

fn fill_events(columns: &mut [ColumnBuffer], rows: &[EventRow], swept: Option<&SceneJoints>) {
    let mut c = ColumnCursor::new(columns);
    let e = || rows.iter().map(|row| &row.logged.event);
    c.next().extend_i32(rows.iter().map(|row| row.logged.rule as i32));
    c.next().extend_i32(rows.iter().map(|row| row.severity as i32));
    c.next().extend_f64(rows.iter().map(|row| row.required));
    c.next().extend_i64(rows.iter().map(|row| row.logged.run));
    c.next().extend_i32(e().map(|e| e.a as i32));
    c.next().extend_i32(e().map(|e| e.b as i32));
    for end in 0..2 {
        c.next().extend_i64(e().map(|e| e.ends[end].0));
        c.next().extend_f64(e().map(|e| e.ends[end].1));
    }
    c.next().extend_i64(e().map(|e| e.samples as i64));
    c.next().extend_i64(e().map(|e| e.intervals as i64));
    let bracket = |of: fn(&Event) -> f64| rows.iter().map(move |row| finite(of(&row.logged.event)));
    c.next().extend_f64(bracket(|e| e.lower));
    c.next().extend_f64(bracket(|e| e.upper));
    c.next().extend_i64(e().map(|e| e.least.0));
    c.next().extend_f64(e().map(|e| e.least.1));
    for axis in 0..3 {
        c.next().extend_f64(e().map(|e| e.place[axis]));
    }
    c.next().extend_i32(e().map(|e| e.kind as i32));
    c.next().extend_i32(rows.iter().map(|row| row.state as i32));
    c.next().extend_i32(rows.iter().map(|row| row.issue));
    if let Some(joints) = swept {
        for end in 0..2 {
            let value = |row: &EventRow| swept_value(joints, (row.logged.run, row.logged.event.ends[end].0), 0.0);
            c.next().extend_f64(rows.iter().map(value));
        }
    }
    c.finish();
}

fn fill_issues(columns: &mut [ColumnBuffer], rows: &[IssueRow<'_>]) {
    let mut c = ColumnCursor::new(columns);
    let sums = || rows.iter().map(|row| row.issue.sum.ok());
    c.next().extend_i32(rows.iter().map(|row| row.id));
    c.next().extend_i32(rows.iter().map(|row| row.group));
    c.next().extend_i32(rows.iter().map(|row| row.rule));
    c.next().extend_i32(rows.iter().map(|row| row.issue.severity as i32));
    c.next().extend_i32(rows.iter().map(|row| row.issue.state() as i32));
    c.next().extend_optional_i32(sums().map(|sum| Some(sum?.kind as i32)));
    c.next().extend_i64(sums().map(|sum| sum.map_or(0, |sum| sum.events as i64)));
    c.next().extend_i64(rows.iter().map(|row| row.issue.pairs as i64));
    c.next().extend_i64(sums().map(|sum| sum.map_or(0, |sum| sum.runs as i64)));
    c.next().extend_f64(sums().map(|sum| sum.map_or(f64::NAN, |sum| finite(sum.lower))));
    c.next().extend_f64(sums().map(|sum| sum.map_or(f64::NAN, |sum| finite(sum.upper))));
    for end in 0..2 {
        c.next().extend_optional_i64(sums().map(|sum| Some(sum?.frames[end])));
    }
    for corner in 0..2 {
        for axis in 0..3 {
            let bounds = rows.iter().map(|row| row.overlap.bounds);
            c.next().extend_f64(bounds.map(|bounds| bounds.map_or(f64::NAN, |bounds| bounds[corner][axis])));
        }
    }
    for end in 0..2 {
        let volumes = rows.iter().map(|row| row.overlap.volume);
        c.next().extend_f64(volumes.map(|volume| volume.map_or(f64::NAN, |volume| volume[end])));
    }
    c.next().extend_optional_i32(rows.iter().map(|row| row.note));
    c.finish();
}
