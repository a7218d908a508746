//! The data of decisions: from it a script writes the file of accepted pairs, as `accept` writes it.

use super::payload::for_script;
use crate::data::{EarlierDecisions, Finding, Issue, Report};
use clearsweep_base::text::{csv_cell, marked};
use clearsweep_model::EventState;
use clearsweep_scene::dispositions::COLUMNS;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

/// Bytes of names and rows that a page holds.
const MOST_BYTES: usize = 1 << 20;

/// Bytes of a name of an issue that is decided on a page.
const LONGEST_NAME: usize = 1_000;

/// The decisions that a page may write.
pub(super) struct Decisions {
    /// JSON for an element `script`; empty if there is nothing to decide.
    pub(super) json: String,
    /// Which rows the file will have beside the new ones.
    pub(super) note: String,
}

/// Cells of CSV, each once.
#[derive(Default)]
struct Cells {
    texts: Vec<String>,
    numbers: FxHashMap<String, usize>,
    bytes: usize,
}

impl Cells {
    fn number(&mut self, text: &str) -> usize {
        let next = self.texts.len();
        *self.numbers.entry(text.to_owned()).or_insert_with(|| {
            let cell = csv_cell(&marked(text));
            self.bytes += cell.len();
            self.texts.push(cell);
            next
        })
    }
}

impl Decisions {
    /// The decisions of the issues that a page lists: the first `listed`.
    pub(super) fn of(report: &Report, listed: usize) -> Self {
        let mut cells = Cells::default();
        let mut rows = Map::new();
        let mut earlier: Vec<Value> = Vec::new();
        let known = report
            .decisions
            .as_ref()
            .filter(|of| of.rows.iter().flatten().map(String::len).sum::<usize>() < MOST_BYTES);
        for row in known.iter().flat_map(|of| &of.rows) {
            let [rule, a, b, accepted, texts @ ..] = row;
            let key = [rule, a, b].map(|text| cells.number(text));
            let texts = texts.each_ref().map(|text| csv_cell(&marked(text))).join(",");
            let rest = format!("{},{texts}", csv_cell(accepted));
            cells.bytes += rest.len();
            earlier.push(json!([key[0], key[1], key[2], rest]));
        }
        let fits = |cells: &Cells| cells.bytes < MOST_BYTES;
        for issue in report.issues.iter().take(listed).filter(|issue| issue.is_open) {
            let entry = if fits(&cells) { pairs(issue, &mut cells) } else { Err("this page holds no more decisions") };
            rows.insert(issue.id.clone(), entry.unwrap_or_else(|why| json!(why)));
        }
        let json = match rows.is_empty() {
            true => String::new(),
            false => json!({ "head": COLUMNS.join(","), "cells": cells.texts, "issues": rows, "earlier": earlier })
                .to_string(),
        };
        Self { json: for_script(&json), note: note(report, known) }
    }
}

/// The pairs of an issue: rule, bodies, and the least distance that is proven; or why they cannot be decided here.
fn pairs(issue: &Issue, cells: &mut Cells) -> Result<Value, &'static str> {
    if issue.pairs > issue.findings.len() as u64 {
        return Err("more pairs than this page lists");
    }
    let names = issue.findings.iter().flat_map(|finding| &finding.names).chain([&issue.rule]);
    if names.map(String::len).any(|bytes| bytes > LONGEST_NAME) {
        return Err("a name is too long for this page");
    }
    let is_open = |word: &str| EventState::ALL.into_iter().any(|state| state.is_open() && state.name() == word);
    let open = issue.findings.iter().filter(|finding| is_open(&finding.state));
    let pair = |finding: &Finding| {
        let [a, b] = &finding.names;
        let lower = finding.bracket_m[0].map(|lower| format!("{lower:?}m"));
        json!([cells.number(&issue.rule), cells.number(a), cells.number(b), lower])
    };
    Ok(open.map(pair).collect())
}

fn note(report: &Report, known: Option<&EarlierDecisions>) -> String {
    match known {
        Some(earlier) => format!(
            "The file holds the {} of {} too, and may take its place.",
            crate::words::counted(earlier.rows.len() as u64, "row"),
            crate::words::clipped(&earlier.path, 200)
        ),
        None if report.has_decisions => {
            "The file holds new decisions only: add its rows to the file of accepted pairs that the run read."
                .to_owned()
        }
        None => "\u{201c}clearsweep run --accepted accepted.csv\u{201d} reads it.".to_owned(),
    }
}
