//! Notes of one reader: equal texts are one note with a count.

use crate::model::{Line, Note};
use std::collections::BTreeMap;

/// Texts, each with its first line and its count.
#[derive(Default)]
pub(crate) struct Notes(BTreeMap<String, (usize, usize)>);

impl Notes {
    pub(crate) fn add(&mut self, line: usize, text: impl Into<String>) {
        let (_, count) = self.0.entry(text.into()).or_insert((line, 0));
        *count += 1;
    }

    /// Adds a note on a line, which names the file unless that is the main one.
    pub(crate) fn add_at(&mut self, at: &Line, main: &str, text: &str) {
        let file = if *at.file == *main { String::new() } else { format!(" ({})", at.file) };
        self.add(at.number, format!("{text}{file}"));
    }

    /// The notes, sorted by line.
    pub(crate) fn finish(self) -> Vec<Note> {
        let note = |(text, (line, count)): (String, (usize, usize))| match count {
            1 => Note { line, text },
            _ => Note { line, text: format!("{text} ({count} times; this is the first)") },
        };
        let mut notes: Vec<Note> = self.0.into_iter().map(note).collect();
        notes.sort_by_key(|note| note.line); // stable: texts of one line stay in their order
        notes
    }
}
