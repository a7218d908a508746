//! Several reports under one verdict: a page that leads to theirs.

use super::{EARLY, MOST_ROWS, SENTENCE, STYLE, policy, tone_word};
use crate::data::{Tone, Verdict};
use crate::words::{Name, clipped, counted};
use askama::Template;
use clearsweep_base::error::{Error, Result};

/// A result on the page.
#[derive(Debug, Clone)]
pub struct JointEntry {
    /// Its directory.
    pub name: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// Its page, relative to this one.
    pub href: String,
    /// Runs, frames and rows.
    pub checked: String,
    /// Issues that somebody has to work on.
    pub open: u64,
}

#[derive(Template)]
#[template(path = "joint.html", whitespace = "minimize")]
struct JointPage {
    policy: String,
    early: &'static str,
    style: String,
    tone: &'static str,
    word: String,
    sentence: String,
    rows: Vec<JointRow>,
    /// Results that the page does not list.
    unlisted: u64,
}

struct JointRow {
    name: Name,
    tone: &'static str,
    word: String,
    sentence: String,
    href: String,
    checked: String,
    open: String,
}

/// The page of several results under a joint verdict.
///
/// # Errors
/// None that the data can cause.
pub fn joint_html(verdict: &Verdict, entries: &[JointEntry]) -> Result<String> {
    let style = STYLE.replace("\r\n", "\n");
    let row = |entry: &JointEntry| JointRow {
        name: Name::of(&entry.name),
        tone: tone_word(entry.verdict.tone),
        word: clipped(&entry.verdict.word, 60),
        sentence: clipped(&entry.verdict.sentence, SENTENCE),
        href: entry.href.clone(),
        checked: entry.checked.clone(),
        open: counted(entry.open, "open issue"),
    };
    let page = JointPage {
        policy: policy(&style, &[EARLY]),
        early: EARLY,
        style,
        tone: tone_word(verdict.tone),
        word: clipped(&verdict.word, 60),
        sentence: clipped(&verdict.sentence, SENTENCE),
        rows: entries.iter().take(MOST_ROWS).map(row).collect(),
        unlisted: entries.len().saturating_sub(MOST_ROWS) as u64,
    };
    page.render().map_err(|error| Error::internal("the HTML report", error))
}

/// The joint verdict of results, in order of what needs people most: `word` of all of them.
pub fn joint_verdict(word: &str, results: usize, open: usize) -> Verdict {
    let of = counted(results as u64, "result");
    let (tone, sentence) = match word {
        "violated" => (Tone::Bad, format!("{open} of {of} violate what is required")),
        "uncertified" | "undecided" => (
            Tone::Doubtful,
            format!("none of {of} is proven to violate what is required, and not all are proven to keep it"),
        ),
        "nothing-checked" => {
            (Tone::Doubtful, format!("something is required, and of {of} at least one looked at nothing"))
        }
        "nothing required" => (Tone::Doubtful, format!("nothing is required in any of {of}")),
        _ => (Tone::Good, format!("all of {of} keep what is required")),
    };
    Verdict { tone, word: word.to_owned(), sentence }
}
