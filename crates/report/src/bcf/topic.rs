//! The contents of a topic: title, description, labels. They are the same in both versions.

use super::guid;
use crate::data::{Finding, Issue, Report};
use crate::words::{Lengths, clipped, count, moment, span};
use uuid::Uuid;

/// The words of topics.
pub(super) mod words {
    /// Types: bodies that touch or overlap, and bodies too near to each other.
    pub(crate) const TYPES: [&str; 2] = ["Clash", "Clearance"];
    /// States: somebody has to decide, or nobody has to.
    pub(crate) const STATUSES: [&str; 2] = ["Open", "Closed"];
    /// Priorities, of the severities `info`, `minor`, `major`, `critical`.
    pub(crate) const PRIORITIES: [&str; 4] = ["Low", "Medium", "High", "Critical"];
}

/// Characters of a name in a title or a label, and in a description.
const NAME_IN_TITLE: usize = 60;
const NAME_IN_TEXT: usize = 200;

/// Characters of a note.
const NOTE: usize = 4000;

/// Further pairs that a description lists.
const FURTHER_PAIRS: usize = 10;

/// A topic of any version.
pub(super) struct Topic {
    pub(super) guid: Uuid,
    /// Place of the issue in the report, from 0: worst first.
    pub(super) index: usize,
    pub(super) title: String,
    pub(super) kind: &'static str,
    pub(super) status: &'static str,
    pub(super) priority: &'static str,
    pub(super) labels: Vec<String>,
    pub(super) description: String,
    /// GUID and text.
    pub(super) comment: Option<(Uuid, String)>,
    pub(super) viewpoint: Viewpoint,
}

/// The viewpoint of a topic, as its markup names it.
#[derive(Clone, Copy)]
pub(super) struct Viewpoint {
    pub(super) guid: Uuid,
    pub(super) has_file: bool,
    pub(super) has_snapshot: bool,
}

impl Topic {
    /// The topic of issue `index`, which has findings.
    pub(super) fn new(report: &Report, index: usize, guid: Uuid, has_file: bool, has_snapshot: bool) -> Self {
        let issue = &report.issues[index];
        let lengths = Lengths::to_five_digits(report.unit);
        let worst = &issue.findings[0];
        let is_near = matches!(issue.kind.as_deref(), Some("near") | None);
        let note = issue.note.as_deref().and_then(note_text);
        Self {
            guid,
            index,
            title: title(worst, lengths),
            kind: words::TYPES[usize::from(is_near)],
            status: words::STATUSES[usize::from(!issue.is_open)],
            priority: priority(&issue.severity),
            labels: labels(issue),
            description: description(report, issue, lengths),
            comment: note.map(|note| (super::guid("comment", &[&issue.id, &note]), note)),
            viewpoint: Viewpoint { guid: viewpoint_guid(issue), has_file, has_snapshot },
        }
    }
}

/// GUID of the viewpoint of an issue with findings.
pub(super) fn viewpoint_guid(issue: &Issue) -> Uuid {
    let [a, b] = &issue.findings[0].names;
    guid("viewpoint", &[&issue.id, a, b])
}

/// Labels of a topic: the rule and the group.
pub(super) fn labels(issue: &Issue) -> Vec<String> {
    let mut labels: Vec<String> = [&issue.rule, &issue.group].map(|name| short_name(name, NAME_IN_TITLE)).into();
    labels.dedup();
    labels
}

fn priority(severity: &str) -> &'static str {
    let [low, medium, high, critical] = words::PRIORITIES;
    match severity {
        "info" => low,
        "major" => high,
        "critical" => critical,
        _ => medium,
    }
}

/// For example `pump-1 / tray: 12.3 mm instead of 50 mm`.
fn title(finding: &Finding, lengths: Lengths) -> String {
    let required = finding.required_m;
    let nearness = match finding.bracket_m[1] {
        Some(upper) if upper < 0.0 => format!("overlap {} deep", lengths.at_least(-upper)),
        Some(upper) if required > 0.0 => lengths.at_most(upper),
        _ => finding.kind.clone(),
    };
    let asked = match required {
        required if required > 0.0 => format!(" instead of {}", lengths.required(required)),
        required if required < 0.0 => format!(", {} allowed", lengths.required(-required)),
        _ => String::new(),
    };
    format!("{}: {nearness}{asked}", pair_name(finding, NAME_IN_TITLE))
}

/// Lines that say what was found, where and when.
fn description(report: &Report, issue: &Issue, lengths: Lengths) -> String {
    let worst = &issue.findings[0];
    let [lower, upper] = worst.bracket_m;
    let [rule, group] = [&issue.rule, &issue.group].map(|name| short_name(name, NAME_IN_TEXT));
    let pair = pair_name(worst, NAME_IN_TEXT);
    let mut lines = vec![
        format!("{pair}: {}.", lengths.bracket_sentence(worst.required_m, lower, upper)),
        format!("Kind: {}. State: {}. Severity: {}.", worst.kind, worst.state, issue.severity),
        format!("Rule: {rule}. Group: {group}."),
    ];
    if report.moves {
        lines.push(moments(worst));
    }
    if let Some(place) = worst.place {
        lines.push(format!("Place in the world frame: {}.", lengths.place(place)));
    }
    let [pairs, events, runs] = [issue.pairs, issue.events, issue.runs].map(count);
    lines.push(format!("Pairs: {pairs}. Events: {events}. Runs with an event, summed over pairs: {runs}."));
    lines.extend(further_pairs(issue));
    lines.extend(issue.note.as_deref().and_then(note_text).map(|note| format!("Note: {note}")));
    lines.push(format!("Issue {} of clearsweep {}.", issue.id, report.version));
    lines.join("\n")
}

/// The run and the moments of the worst event.
fn moments(finding: &Finding) -> String {
    let least = moment(finding.least);
    let least =
        if finding.is_between() { format!("between {least} and the next frame") } else { format!("at {least}") };
    format!("Run {}: {}; nearest {least}.", finding.run, span(finding.span))
}

/// The pairs beside the worst one.
fn further_pairs(issue: &Issue) -> Option<String> {
    let listed = issue.findings.iter().skip(1).take(FURTHER_PAIRS);
    let listed: Vec<String> = listed.map(|finding| pair_name(finding, NAME_IN_TITLE)).collect();
    let more = issue.pairs.saturating_sub(1 + listed.len() as u64);
    let more = if more > 0 { format!("; and {} more", count(more)) } else { String::new() };
    (!listed.is_empty()).then(|| format!("Further pairs: {}{more}.", listed.join("; ")))
}

fn pair_name(finding: &Finding, most: usize) -> String {
    finding.names.each_ref().map(|name| short_name(name, most)).join(" / ")
}

/// A name on one line. Escaped characters count as they are shown, so that it is clipped after they are.
fn short_name(name: &str, most: usize) -> String {
    if name.trim().is_empty() { "(no name)".to_owned() } else { clipped(&clipped(name, 2 * most), most) }
}

/// A note with its lines; `None`: it is blank. A long one loses its end.
fn note_text(note: &str) -> Option<String> {
    let note = note.trim();
    let mut kept: String = note.chars().take(NOTE).collect();
    if kept.len() < note.len() {
        kept.push('…');
    }
    let lines: Vec<String> = kept.lines().map(|line| clipped(line, NOTE)).collect();
    (!note.is_empty()).then(|| lines.join("\n"))
}
