//! The contents of a topic: title, description, labels. They are the same in both versions.

use super::guid;
use crate::data::{Decision, Finding, Issue, Report, SolvedPair};
use crate::words::{Lengths, clipped, count, counted, decision, moment, span};
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
    /// The topic of issue `index`, which has a pair.
    pub(super) fn new(report: &Report, index: usize, guid: Uuid, has_file: bool, has_snapshot: bool) -> Self {
        let issue = &report.issues[index];
        let lengths = Lengths::to_five_digits(report.unit);
        let is_near = match (issue.kind.as_deref(), issue.solved.first()) {
            (None, Some(pair)) => pair.earlier_m[1].is_none_or(|upper| upper > 0.0),
            (kind, _) => matches!(kind, Some("near") | None),
        };
        let comment = comment(issue);
        Self {
            guid,
            index,
            title: match issue.findings.first() {
                Some(worst) => title(worst, lengths),
                None => solved_title(issue),
            },
            kind: words::TYPES[usize::from(is_near)],
            status: words::STATUSES[usize::from(!issue.is_open)],
            priority: priority(&issue.severity),
            labels: labels(issue),
            description: description(report, issue, lengths),
            comment: comment.map(|text| (super::guid("comment", &[&issue.id, &text]), text)),
            viewpoint: Viewpoint {
                guid: issue.names().map_or(guid, |names| viewpoint_guid(&issue.id, names)),
                has_file,
                has_snapshot,
            },
        }
    }
}

/// GUID of the viewpoint of an issue that shows the pair of these names.
pub(super) fn viewpoint_guid(issue: &str, [a, b]: &[String; 2]) -> Uuid {
    guid("viewpoint", &[issue, a, b])
}

/// For example `pump-1 / tray: no violation any more`.
fn solved_title(issue: &Issue) -> String {
    let pair = issue.names().map(|names| pair_name(names, NAME_IN_TITLE)).unwrap_or_default();
    let more = if issue.pairs > 1 { format!(" and {}", counted(issue.pairs - 1, "more pair")) } else { String::new() };
    format!("{pair}{more}: no violation any more")
}

/// The comment: that the issue is solved, its note, and what was decided about its pairs.
fn comment(issue: &Issue) -> Option<String> {
    let mut lines = Vec::new();
    if issue.findings.is_empty() {
        lines.push("No violation of this issue was found.".to_owned());
    }
    lines.extend(note(issue));
    lines.extend(decisions(issue));
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The note of an issue, unless it is the reason of a decision.
fn note(issue: &Issue) -> Option<String> {
    let is_reason = |decision: &&Decision| decision.reason.is_some() && decision.reason == issue.note;
    match issue.decision().filter(is_reason) {
        Some(_) => None,
        None => issue.note.as_deref().and_then(note_text),
    }
}

/// Lines about the decisions, each with the pairs that it is about if there are several.
fn decisions(issue: &Issue) -> Vec<String> {
    let of_findings = issue.findings.iter().map(|finding| (&finding.names, &finding.decision));
    let all = of_findings.chain(issue.solved.iter().map(|pair| (&pair.names, &pair.decision)));
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for (names, of) in all.take(FURTHER_PAIRS) {
        let Some(text) = decision(of) else { continue };
        let pair = pair_name(names, NAME_IN_TITLE);
        match lines.iter_mut().find(|(known, _)| *known == text) {
            Some((_, pairs)) => pairs.push(pair),
            None => lines.push((text, vec![pair])),
        }
    }
    let line = |(text, pairs): (String, Vec<String>)| {
        let text = note_text(&text)?;
        Some(if issue.pairs > 1 { format!("{text} ({})", pairs.join("; ")) } else { text })
    };
    lines.into_iter().filter_map(line).collect()
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
        Some(upper) if upper < 0.0 => format!("overlap {} deep", lengths.sentence_end(required, finding.bracket_m)),
        Some(_) if required > 0.0 => lengths.sentence_end(required, finding.bracket_m),
        _ => finding.kind.clone(),
    };
    let asked = match required {
        required if required > 0.0 => format!(" instead of {}", lengths.required(required)),
        required if required < 0.0 => format!(", {} allowed", lengths.required(-required)),
        _ => String::new(),
    };
    format!("{}: {nearness}{asked}", pair_name(&finding.names, NAME_IN_TITLE))
}

/// Lines that say what was found, where and when.
fn description(report: &Report, issue: &Issue, lengths: Lengths) -> String {
    let [rule, group] = [&issue.rule, &issue.group].map(|name| short_name(name, NAME_IN_TEXT));
    let mut lines = match (issue.findings.first(), issue.solved.first()) {
        (Some(worst), _) => of_finding(report, issue, worst, lengths),
        (None, pair) => pair.map(|pair| of_solved(issue, pair, lengths)).unwrap_or_default(),
    };
    lines.push(format!("Rule: {rule}. Group: {group}."));
    let [pairs, events, runs] = [issue.pairs, issue.events, issue.runs].map(count);
    lines.push(format!("Pairs: {pairs}. Events: {events}. Runs with an event, summed over pairs: {runs}."));
    lines.extend(further_pairs(issue));
    lines.extend(solved_pairs(issue));
    lines.extend(note(issue).map(|note| format!("Note: {note}")));
    lines.extend(decisions(issue));
    lines.push(format!("Issue {} of clearsweep {}.", issue.id, report.version));
    lines.join("\n")
}

/// Lines about the worst pair.
fn of_finding(report: &Report, issue: &Issue, worst: &Finding, lengths: Lengths) -> Vec<String> {
    let [lower, upper] = worst.bracket_m;
    let pair = pair_name(&worst.names, NAME_IN_TEXT);
    let mut lines = vec![
        format!("{pair}: {}.", lengths.bracket_sentence(worst.required_m, lower, upper)),
        format!("Kind: {}. State: {}. Severity: {}.", worst.kind, worst.state, issue.severity),
    ];
    if report.moves {
        lines.push(moments(worst));
    }
    if let Some(place) = worst.place {
        lines.push(format!("Place in the world frame: {}.", lengths.place(place)));
    }
    lines
}

/// Lines about a pair that violates nothing any more.
fn of_solved(issue: &Issue, pair: &SolvedPair, lengths: Lengths) -> Vec<String> {
    let name = pair_name(&pair.names, NAME_IN_TEXT);
    let mut lines = vec![
        format!("{name}: no violation was found{}.", why(pair)),
        format!("State: {}. Severity: {}.", issue.state, issue.severity),
    ];
    if let [lower, upper @ Some(_)] = pair.earlier_m {
        lines.push(format!("Proven in the earlier result: {}.", lengths.bracket(None, lower, upper)));
    }
    lines
}

/// Why a pair violates nothing, if that is not since its bodies are farther apart.
fn why(pair: &SolvedPair) -> String {
    pair.note.as_deref().map_or_else(String::new, |note| format!(" ({})", clipped(note, NOTE)))
}

/// Pairs of an issue with a violation that have none any more.
fn solved_pairs(issue: &Issue) -> Option<String> {
    let listed = issue.solved.iter().take(FURTHER_PAIRS);
    let listed: Vec<String> = listed.map(|pair| pair_name(&pair.names, NAME_IN_TITLE) + &why(pair)).collect();
    let more = issue.solved.len() - listed.len();
    let more = if more > 0 { format!("; and {} more", count(more as u64)) } else { String::new() };
    (!listed.is_empty() && !issue.findings.is_empty())
        .then(|| format!("No violation any more: {}{more}.", listed.join("; ")))
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
    let solved = issue.solved.iter().filter(|_| issue.findings.is_empty()).map(|pair| &pair.names);
    let listed = issue.findings.iter().map(|finding| &finding.names).chain(solved).skip(1).take(FURTHER_PAIRS);
    let listed: Vec<String> = listed.map(|names| pair_name(names, NAME_IN_TITLE)).collect();
    let more = issue.pairs.saturating_sub(1 + listed.len() as u64);
    let more = if more > 0 { format!("; and {} more", count(more)) } else { String::new() };
    (!listed.is_empty()).then(|| format!("Further pairs: {}{more}.", listed.join("; ")))
}

fn pair_name(names: &[String; 2], most: usize) -> String {
    names.each_ref().map(|name| short_name(name, most)).join(" / ")
}

/// A name on one line. Escaped characters count as they are shown, so that it is clipped after they
/// are.
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
