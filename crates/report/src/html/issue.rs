//! An issue as the page shows it: in full as a card, or as a row of a table.

use super::SENTENCE;
use super::payload::Payload;
use crate::chart::{RunMoment, curve_svg, histogram_svg, probability};
use crate::data::{Finding, Issue, Report};
use crate::words::{Clock, Lengths, Name, clipped, count, counted, decision};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clearsweep_base::text::{is_hidden, shell_word};
use std::path::Path;

/// Pairs of all issues in full that are listed; each issue lists five at least.
const MOST_PAIRS: usize = 6_000;
/// Bytes of charts of pairs that are not the nearest of their issue.
const MOST_CHARTS: usize = 400_000;
/// Bytes of the name of a body that stands in a command.
const MOST_OF_NAME: usize = 80;
/// Pairs of an issue with charts.
const CHARTS_OF_ISSUE: usize = 6;

/// The words that cards and rows share.
pub(super) struct Head {
    pub(super) id: String,
    /// Its place in the list, from 1.
    pub(super) rank: String,
    pub(super) rule: Name,
    pub(super) severity: String,
    pub(super) state: String,
    pub(super) kind: String,
    pub(super) is_open: bool,
    pub(super) group: Name,
    /// The names of the worst pair.
    pub(super) pair: Option<[Name; 2]>,
    /// `12 pairs`, if there is more than one.
    pub(super) pairs: String,
    pub(super) when: String,
    pub(super) place: String,
    pub(super) note: String,
    /// Least distance proven, metres, for sorting; empty if there is none.
    pub(super) distance: String,
    /// Time of the least distance, for sorting.
    pub(super) time: String,
    /// Cells of the matrix of groups that its pairs are in: `0-3 1-2`.
    pub(super) between: String,
    /// Levels of the nearest pair: `1, 2`.
    pub(super) level: String,
}

/// An issue in full.
pub(super) struct Card {
    pub(super) head: Head,
    pub(super) sentence: String,
    /// A PNG, base64; empty if there is none.
    pub(super) picture: String,
    /// The number of the view of the nearest pair.
    pub(super) view: Option<usize>,
    pub(super) facts: Vec<(&'static str, String)>,
    /// Why it is an issue.
    pub(super) why: String,
    /// Word of the class of proof; empty if there is none.
    pub(super) proof: String,
    /// The command that prints the proof of the nearest pair; empty if there is none.
    pub(super) command: String,
    /// Properties of A and of B.
    pub(super) elements: Vec<(&'static str, [String; 2])>,
    pub(super) charts: Vec<Charts>,
    pub(super) pairs: Vec<PairRow>,
    /// Pairs that are not listed.
    pub(super) more_pairs: u64,
}

/// The charts of one pair.
pub(super) struct Charts {
    pub(super) finding: usize,
    pub(super) curve: String,
    /// A note on the points that the curve leaves out.
    pub(super) curve_note: String,
    pub(super) histogram: String,
    pub(super) probability: String,
    /// `run 17, frame 120 (30 s)`.
    pub(super) worst: String,
}

/// A pair of an issue.
pub(super) struct PairRow {
    pub(super) number: usize,
    pub(super) view: Option<usize>,
    pub(super) names: [Name; 2],
    pub(super) bracket: String,
    pub(super) required: String,
    pub(super) when: String,
    /// `near, new, 3 events`.
    pub(super) violation: String,
}

/// An issue as a row.
pub(super) struct Row {
    pub(super) head: Head,
    pub(super) bracket: String,
    pub(super) required: String,
}

/// The note of an issue and the decision about its worst pair; the reason of a decision stands
/// once.
fn note(issue: &Issue) -> String {
    let decided = issue.decision().and_then(|of| Some((decision(of)?, &of.reason)));
    let note =
        issue.note.as_ref().filter(|note| decided.as_ref().is_none_or(|(_, reason)| reason.as_ref() != Some(note)));
    let texts = note.cloned().into_iter().chain(decided.map(|(text, _)| text));
    texts.map(|text| clipped(&text, SENTENCE)).collect::<Vec<_>>().join(" · ")
}

/// The report that cards are made of, and the part of the page's size that is left.
pub(super) struct CardContext<'a> {
    report: &'a Report,
    payload: &'a Payload,
    lengths: Lengths,
    clock: Clock,
    pairs_of_issue: usize,
    chart_bytes_left: usize,
}

impl<'a> CardContext<'a> {
    pub(super) fn new(report: &'a Report, payload: &'a Payload, full: usize) -> Self {
        let pairs_of_issue = (MOST_PAIRS / full.max(1)).clamp(5, Issue::MOST_FINDINGS);
        let lengths = Lengths::to_five_digits(report.unit);
        Self { report, payload, lengths, clock: Clock::of(report), pairs_of_issue, chart_bytes_left: MOST_CHARTS }
    }

    /// The card of the issue `index`.
    pub(super) fn card(&mut self, index: usize, issue: &Issue, picture: Option<&[u8]>) -> Card {
        let listed = if issue.pairs > 1 { issue.findings.len().min(self.pairs_of_issue) } else { 0 };
        let pairs = issue.findings[..listed].iter().enumerate();
        Card {
            head: self.head(index, issue),
            sentence: self.sentence(issue),
            picture: picture.map(|png| STANDARD.encode(png)).unwrap_or_default(),
            view: self.payload.view(index, 0),
            facts: self.facts(issue),
            why: issue.findings.first().map(|finding| self.why(finding)).unwrap_or_default(),
            proof: issue.findings.first().and_then(|finding| finding.proof.clone()).unwrap_or_default(),
            command: issue.findings.first().map(|finding| self.command(issue, finding)).unwrap_or_default(),
            elements: issue.findings.first().map(|of| super::plant::elements(self.report, of)).unwrap_or_default(),
            pairs: pairs.map(|(number, finding)| self.pair(index, number, finding)).collect(),
            more_pairs: issue.pairs.saturating_sub(listed.max(1) as u64),
            charts: self.charts(index, issue, listed.max(1)),
        }
    }

    /// The row of the issue `index`.
    pub(super) fn row(&self, index: usize, issue: &Issue) -> Row {
        let first = issue.findings.first();
        let required = first.map(|finding| finding.required_m);
        let [lower, upper] = issue.worst_m();
        Row {
            head: self.head(index, issue),
            bracket: match first {
                Some(_) => self.lengths.bracket(required, lower, upper),
                None => "no violation".to_owned(),
            },
            required: required.map(|metres| self.lengths.required(metres)).unwrap_or_default(),
        }
    }

    fn head(&self, index: usize, issue: &Issue) -> Head {
        let nearest = issue.findings.first();
        let [lower, upper] = issue.worst_m();
        let distance = upper.or(lower).filter(|metres| metres.is_finite());
        let least = nearest.map(|finding| finding.least.time_s.unwrap_or(finding.least.frame as f64));
        let place = nearest.and_then(|finding| finding.place).filter(|place| place.iter().all(|x| x.is_finite()));
        Head {
            id: issue.id.clone(),
            rank: count(index as u64 + 1),
            rule: Name::of(&issue.rule),
            severity: clipped(&issue.severity, 40),
            state: clipped(&issue.state, 40),
            kind: clipped(issue.kind.as_deref().unwrap_or_default(), 40),
            is_open: issue.is_open,
            group: Name::of(&issue.group),
            pair: nearest.map(|finding| [Name::of(&finding.names[0]), Name::of(&finding.names[1])]),
            pairs: if issue.pairs > 1 { counted(issue.pairs, "pair") } else { String::new() },
            when: nearest.map(|finding| self.when(finding)).unwrap_or_default(),
            place: place.map(|place| self.lengths.place(place)).unwrap_or_default(),
            note: note(issue),
            distance: distance.map(|metres| metres.to_string()).unwrap_or_default(),
            between: issue.between.iter().map(|[a, b]| format!("{a}-{b}")).collect::<Vec<_>>().join(" "),
            level: nearest.map(|finding| super::plant::levels(self.report, finding)).unwrap_or_default(),
            time: least.filter(|time| time.is_finite()).map(|time| time.to_string()).unwrap_or_default(),
        }
    }

    /// The requirement and the proven bracket of the first pair.
    fn sentence(&self, issue: &Issue) -> String {
        match issue.findings.first() {
            Some(finding) => {
                self.lengths.bracket_sentence(finding.required_m, finding.bracket_m[0], finding.bracket_m[1])
            }
            None => "no violation in these tables".to_owned(),
        }
    }

    /// The moment of the least distance; empty where nothing moves.
    fn when(&self, finding: &Finding) -> String {
        if !self.report.moves {
            return String::new();
        }
        let run = self.clock.run_of_several(finding.run).map_or_else(String::new, |run| format!("{run}, "));
        run + &match finding.is_between() {
            true => self.clock.interval(finding.run, finding.least),
            false => self.clock.moment(finding.run, finding.least),
        }
    }

    /// What the rule requires, and what is proven instead.
    fn why(&self, finding: &Finding) -> String {
        let Some(upper) = finding.bracket_m[1] else { return String::new() };
        let required = finding.required_m;
        let asked = match required < 0.0 {
            true => format!("an overlap of at most {} is allowed", self.lengths.required(-required)),
            false => format!("{} is required", self.lengths.required(required)),
        };
        let end = self.lengths.upper_end(Some(required), upper);
        match end.strip_prefix('-') {
            Some(depth) => format!("an overlap of at least {depth} is proven, and {asked}"),
            None => format!("at most {end} is proven, and {asked}"),
        }
    }

    /// The command that prints why the row of the least distance is proven. Names that are long, or
    /// have hidden characters, are left to the id of the issue.
    fn command(&self, issue: &Issue, finding: &Finding) -> String {
        let dir = self.report.dir.as_deref().unwrap_or(Path::new("DIR"));
        let of_issue =
            || format!("clearsweep explain {} --issue {}", shell_word(dir), shell_word(Path::new(&issue.id)));
        let is_plain =
            |name: &String| name.len() <= MOST_OF_NAME && !name.contains(is_hidden) && !name.starts_with('-');
        if !finding.names.iter().all(is_plain) {
            return of_issue();
        }
        let [a, b] = finding.names.each_ref().map(|name| shell_word(Path::new(name)));
        let moment = if finding.is_between() { "interval" } else { "frame" };
        format!(
            "clearsweep explain {} --pair {a} {b} --run {} --{moment} {}",
            shell_word(dir),
            finding.run,
            finding.least.frame
        )
    }

    fn facts(&self, issue: &Issue) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        if let Some(finding) = issue.findings.first().filter(|_| self.report.moves) {
            let run = self.clock.run_of_several(finding.run).map_or_else(String::new, |run| format!(" of {run}"));
            facts.push(("Least distance", self.when(finding)));
            facts.push(("Violated", self.clock.span(finding.run, finding.span) + &run));
            if let Some(contact) = &finding.contact {
                facts.push(("First contact", self.clock.contact(finding.run, contact) + &run));
            }
        }
        if let Some(frames) = issue.frames.filter(|_| self.report.moves && issue.events > 1) {
            facts.push(("All events", format!("within frames {} to {}", frames[0], frames[1])));
        }
        let mut extent = vec![counted(issue.pairs, "pair"), counted(issue.events, "event")];
        if self.report.runs > 1 {
            extent.push(format!("{} with an event", counted(issue.runs, "run")));
        }
        facts.push(("Extent", extent.join(", ")));
        if let Some(corners) = issue.overlap_m.filter(|corners| corners.iter().flatten().all(|x| x.is_finite())) {
            facts.push(("Overlap box", self.lengths.edges(corners)));
        }
        if let Some(volume) = issue.volume_m3 {
            facts.push(("Overlap volume", self.lengths.volume(volume)));
        }
        facts
    }

    fn pair(&self, issue: usize, number: usize, finding: &Finding) -> PairRow {
        let [lower, upper] = finding.bracket_m;
        let runs = if self.report.runs > 1 { format!(" in {}", counted(finding.runs, "run")) } else { String::new() };
        let events = counted(finding.events, "event") + &runs;
        PairRow {
            number,
            view: self.payload.view(issue, number),
            names: [Name::of(&finding.names[0]), Name::of(&finding.names[1])],
            bracket: self.lengths.bracket(Some(finding.required_m), lower, upper),
            required: self.lengths.required(finding.required_m),
            when: self.when(finding),
            violation: [clipped(&finding.kind, 40), clipped(&finding.state, 40), events]
                .into_iter()
                .chain(decision(&finding.decision).map(|text| clipped(&text, SENTENCE)))
                .collect::<Vec<_>>()
                .join(", "),
        }
    }

    /// The charts of the nearest pair, and of some others as long as the page stays small.
    fn charts(&mut self, issue: usize, of: &Issue, listed: usize) -> Vec<Charts> {
        let mut charts = Vec::new();
        for (number, finding) in of.findings.iter().take(listed.min(CHARTS_OF_ISSUE)).enumerate() {
            let is_seen = number == 0 || self.payload.view(issue, number).is_some();
            if !is_seen || (finding.curve.is_none() && finding.histogram.is_none()) {
                continue;
            }
            let chart = self.charts_of(number, finding);
            let bytes = chart.curve.len() + chart.histogram.len();
            if number > 0 && bytes > self.chart_bytes_left {
                break;
            }
            self.chart_bytes_left -= if number > 0 { bytes } else { 0 };
            charts.push(chart);
        }
        charts
    }

    fn charts_of(&self, number: usize, finding: &Finding) -> Charts {
        let curve = finding.curve.as_ref();
        let histogram = finding.histogram.as_ref();
        let curve_note = curve.map(|curve| {
            let beyond = format!(
                "where there is no line, the pair is farther apart than {}",
                self.lengths.required(curve.within_m)
            );
            let drawn = curve.points.len() as u64;
            if curve.samples > drawn {
                format!("{} of {} samples, the least of each stretch; {beyond}", count(drawn), count(curve.samples))
            } else {
                beyond
            }
        });
        let least = RunMoment { run: finding.run, moment: finding.least };
        Charts {
            finding: number,
            curve: curve.map(|curve| curve_svg(curve, &least, &self.clock, self.lengths)).unwrap_or_default(),
            curve_note: curve_note.unwrap_or_default(),
            histogram: histogram.map(|histogram| histogram_svg(histogram, self.lengths)).unwrap_or_default(),
            probability: histogram.map(probability).unwrap_or_default(),
            worst: format!("{}, {}", self.clock.run(finding.run), self.clock.moment(finding.run, finding.least)),
        }
    }
}
