//! The fenced blocks of pages, and whether a block shows what was printed.

use std::fs;
use std::path::Path;

/// The language and the text of a fenced block.
pub(crate) type Fenced = (String, String);

/// The fenced blocks of a page.
pub(crate) fn fenced(page: &Path) -> Vec<Fenced> {
    let text = fs::read_to_string(page).expect("a page");
    let (mut blocks, mut open): (Vec<Fenced>, Option<Fenced>) = (Vec::new(), None);
    for line in text.lines() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(language), None) => open = Some((language.to_owned(), String::new())),
            (Some(_), Some(block)) => blocks.push(block),
            (None, None) => {}
            (None, Some((language, block))) => open = Some((language, format!("{block}{line}\n"))),
        }
    }
    assert!(open.is_none(), "{} has a block without an end", page.display());
    blocks
}

/// A line of output without the time that something took at its end.
fn without_time(line: &str) -> &str {
    let line = line.trim_end();
    let is_time = |tail: &str| match tail.split_once(' ') {
        Some((number, "ms" | "s")) => number.parse::<f64>().is_ok(),
        _ => false,
    };
    line.rsplit_once(" in ").filter(|(_, tail)| is_time(tail)).map_or(line, |(line, _)| line)
}

/// Whether a block shows what was printed: its lines in their order, and `...` for others. The
/// first line of the block that is missing, if there is one.
pub(crate) fn missing_line<'b>(block: &'b str, printed: &str) -> Option<&'b str> {
    let mut lines = printed.lines().map(without_time);
    block.lines().filter(|line| line.trim() != "...").find(|line| !lines.any(|printed| printed == without_time(line)))
}
