//! The report as one HTML file: it loads nothing, and reads without scripts and on paper.
//!
//! `templates/report.html` is the page, `assets/` holds its style and scripts. The head names their
//! hashes, so that a browser runs no other script and fetches nothing, whatever the names in a
//! scene contain.

mod decide;
mod issue;
mod joint;
mod overview;
mod payload;
pub(crate) mod plant;

pub use joint::{JointEntry, joint_html, joint_verdict};

use crate::data::{Fact, Issue, Report, Tone};
use crate::words::{Clock, Name, clipped, count, counted};
use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clearsweep_base::error::{Error, Result};
use decide::Decisions;
use issue::{Card, CardContext, Row};
use overview::Overview;
use payload::Payload;
use plant::{Matrix, RuleRow, Runs};
use sha2::{Digest, Sha256};

/// Issues that the page lists beyond those in full; of more it tells the number.
const MOST_ROWS: usize = 5_000;
/// Lines of detail below a fact.
const MOST_DETAILS: usize = 200;
/// Characters of a sentence or a note.
const SENTENCE: usize = 2_000;
/// Values of a filter.
const MOST_OPTIONS: usize = 200;

const STYLE: &str = include_str!("../../assets/report.css");
const VIEWER: &str = include_str!("../../assets/viewer.js");
const MAP: &str = include_str!("../../assets/overview.js");
const SCRIPT: &str = include_str!("../../assets/report.js");
const DECIDING: &str = include_str!("../../assets/decide.js");
/// Marks the page as one with scripts before it is drawn.
const EARLY: &str = "document.documentElement.className='js'";

/// The report as an HTML file. `pictures[i]` is the PNG of the first finding of issue `i`.
///
/// # Errors
/// None that the data can cause.
pub fn html(report: &Report, pictures: &[Option<Vec<u8>>]) -> Result<String> {
    let payload = Payload::of(report)?;
    let page = Page::of(report, pictures, &payload);
    page.render().map_err(|error| Error::internal("the HTML report", error))
}

#[derive(Template)]
#[template(path = "report.html", whitespace = "minimize")]
struct Page {
    policy: String,
    early: &'static str,
    style: String,
    viewer: String,
    map: String,
    script: String,
    deciding: String,
    name: Name,
    meta: String,
    tone: &'static str,
    word: String,
    sentence: String,
    checked: Vec<FactView>,
    unchecked: Vec<FactView>,
    /// Numbers of issues by state.
    tally: String,
    filters: Vec<Filter>,
    groups: Vec<String>,
    has_time: bool,
    cards: Vec<Card>,
    rows: Vec<Row>,
    /// Number of issues that the page does not list.
    unlisted: u64,
    /// Why there is no issue.
    nothing: String,
    json: String,
    geometry: String,
    /// Whether one of the next four is there.
    has_plant: bool,
    overview: Option<Overview>,
    rules: Vec<RuleRow>,
    matrix: Option<Matrix>,
    runs: Option<Runs>,
    decide: Decisions,
}

/// A fact with details of bounded number and length.
struct FactView {
    name: String,
    text: String,
    details: Vec<Name>,
    /// Number of details that are left out.
    more: u64,
}

/// A choice among the values of a key of the issues.
struct Filter {
    key: &'static str,
    label: &'static str,
    options: Vec<String>,
}

impl Page {
    fn of(report: &Report, pictures: &[Option<Vec<u8>>], payload: &Payload) -> Self {
        let full = report.in_full.min(report.issues.len());
        let rest = &report.issues[full..];
        let mut context = CardContext::new(report, payload, full);
        let picture = |index: usize| pictures.get(index).and_then(Option::as_deref);
        let cards = report.issues[..full].iter().enumerate();
        let cards: Vec<Card> = cards.map(|(index, issue)| context.card(index, issue, picture(index))).collect();
        let listed = report.issues.iter().take(full + MOST_ROWS).filter_map(|issue| issue.findings.first());
        let levels = listed.map(|finding| plant::levels(report, finding)).filter(|levels| !levels.is_empty());
        let levels: Vec<String> =
            levels.flat_map(|levels| levels.split(", ").map(str::to_owned).collect::<Vec<_>>()).collect();
        let rows = rest.iter().take(MOST_ROWS).enumerate().map(|(index, issue)| context.row(full + index, issue));
        let files = [STYLE, VIEWER, MAP, SCRIPT, DECIDING].map(|text| text.replace("\r\n", "\n"));
        let [style, viewer, map, script, deciding] = files;
        let (overview, rules) = (Overview::of(report), plant::rules(report));
        let (matrix, runs) = (plant::matrix(report), plant::runs(report, &Clock::of(report)));
        Self {
            policy: policy(&style, &[EARLY, &viewer, &map, &script, &deciding]),
            early: EARLY,
            style,
            viewer,
            map,
            script,
            deciding,
            name: Name::of(&report.name),
            meta: meta(report),
            tone: tone_word(report.verdict.tone),
            word: clipped(&report.verdict.word, 60),
            sentence: clipped(&report.verdict.sentence, SENTENCE),
            checked: report.checked.iter().map(fact).collect(),
            unchecked: report.unchecked.iter().map(fact).collect(),
            tally: tally(&report.issues),
            filters: filters(&report.issues, &levels),
            groups: distinct(report.issues.iter().map(|issue| issue.group.as_str())),
            has_time: report.moves,
            rows: rows.collect(),
            cards,
            unlisted: rest.len().saturating_sub(MOST_ROWS) as u64,
            nothing: nothing(&report.verdict.word).to_owned(),
            json: payload.json.clone(),
            geometry: payload.geometry.clone(),
            has_plant: overview.is_some() || !rules.is_empty() || matrix.is_some() || runs.is_some(),
            overview,
            rules,
            matrix,
            runs,
            decide: Decisions::of(report, full + MOST_ROWS),
        }
    }

    /// Number of issues that are listed without a view.
    fn in_rows(&self) -> String {
        counted(self.rows.len() as u64, "more issue")
    }
}

/// The content security policy: only the scripts and the style of the page, pictures within it, and
/// nothing else.
fn policy(style: &str, scripts: &[&str]) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let scripts: Vec<String> = scripts.iter().map(|script| hash(script)).collect();
    format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        hash(style),
        scripts.join(" ")
    )
}

/// The class of a verdict's tone.
fn tone_word(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Doubtful => "doubtful",
    }
}

/// Runs, motion between frames, and the version of the program.
fn meta(report: &Report) -> String {
    let motion = match report.between.as_str() {
        _ if !report.moves => "nothing moves".to_owned(),
        "none" => "sampled frames only".to_owned(),
        between => format!("motion between frames: {}", clipped(between, 40)),
    };
    let runs = if report.moves { format!("{} \u{b7} ", counted(report.runs, "run")) } else { String::new() };
    format!("{runs}{motion} \u{b7} clearsweep {}", clipped(&report.version, 40))
}

fn fact(fact: &Fact) -> FactView {
    FactView {
        name: clipped(&fact.name, 60),
        text: clipped(&fact.text, SENTENCE),
        details: fact.details.iter().take(MOST_DETAILS).map(|detail| Name::of(detail)).collect(),
        more: fact.details.len().saturating_sub(MOST_DETAILS) as u64,
    }
}

/// `12 issues, 9 of them open: 8 new, 1 active, 3 approved`.
fn tally(issues: &[Issue]) -> String {
    let mut states: Vec<(&str, u64)> = Vec::new();
    for issue in issues {
        match states.iter().position(|(state, _)| *state == issue.state) {
            Some(place) => states[place].1 += 1,
            None if states.len() < 12 => states.push((&issue.state, 1)),
            None => {}
        }
    }
    let open = issues.iter().filter(|issue| issue.is_open).count() as u64;
    let states: Vec<String> = states.iter().map(|&(state, n)| format!("{} {}", count(n), clipped(state, 40))).collect();
    format!("{}, {} of them open: {}", counted(issues.len() as u64, "issue"), count(open), states.join(", "))
}

fn filters(issues: &[Issue], levels: &[String]) -> Vec<Filter> {
    let filter =
        |key, label, value: fn(&Issue) -> &str| Filter { key, label, options: distinct(issues.iter().map(value)) };
    let mut filters = vec![
        filter("rule", "Rule", |issue| &issue.rule),
        filter("state", "State", |issue| &issue.state),
        filter("severity", "Severity", |issue| &issue.severity),
    ];
    if !levels.is_empty() {
        let options = distinct(levels.iter().map(String::as_str));
        filters.push(Filter { key: "level", label: "Level", options });
    }
    filters
}

/// The values in the order of their first issue, as the page writes them.
fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = rustc_hash::FxHashSet::default();
    values.filter(|value| seen.insert(*value)).take(MOST_OPTIONS).map(|value| Name::of(value).text).collect()
}

/// The reason for an empty list of issues, by the word of the verdict.
fn nothing(word: &str) -> &'static str {
    match word {
        "clear" => "There is no issue: every pair that was checked keeps the clearance required of it.",
        "nothing required" => {
            "There is no issue, because nothing is required: the tables hold distances only. \
             `require` in the scene, or --require, makes a verdict of them."
        }
        "nothing-checked" => "There is no issue, because nothing was checked. This is no proof of a clearance.",
        "undecided" | "uncertified" => {
            "There is no issue, because no violation is proven. Some answers are not proven either: \
             see \u{201c}Not checked\u{201d}."
        }
        _ => "There is no issue: no pair that was checked has a violation.",
    }
}

#[cfg(test)]
mod tests;
