//! Lines no longer than the terminal is wide, broken between words.

use anstream::adapter::strip_str;

/// Columns of the terminal that stdout is, else what COLUMNS says; `None`: lines may be of any
/// length.
pub(crate) fn width() -> Option<usize> {
    columns_of(terminal_size::terminal_size_of(std::io::stdout()))
}

/// Returns [`width`] for stderr.
pub(crate) fn width_of_stderr() -> Option<usize> {
    columns_of(terminal_size::terminal_size_of(std::io::stderr()))
}

fn columns_of(terminal: Option<(terminal_size::Width, terminal_size::Height)>) -> Option<usize> {
    if cfg!(test) {
        return None; // what unit tests compare must not depend on where they run
    }
    let terminal = terminal.map(|(width, _)| usize::from(width.0));
    let said = || std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    terminal.or_else(said).filter(|&columns| columns > 0)
}

/// Breaks the lines of `text` between words, so that none is longer than `width` columns. The first
/// line begins in column `indent`, and so does every line that is continued. Words that are longer
/// than a line are not broken.
pub(crate) fn wrapped(text: &str, width: Option<usize>, indent: usize) -> String {
    // Below this a column of words is no text any more.
    const NARROWEST: usize = 20;
    let Some(room) = width.map(|width| width.saturating_sub(indent).max(NARROWEST)) else { return text.to_owned() };
    let lines: Vec<String> = text.split('\n').map(|line| wrapped_line(line, room, indent)).collect();
    lines.join("\n")
}

fn wrapped_line(line: &str, room: usize, indent: usize) -> String {
    let columns = |text: &str| strip_str(text).to_string().chars().count();
    if columns(line) <= room {
        return line.to_owned();
    }
    let (mut out, mut used) = (String::with_capacity(line.len() + 32), 0);
    for (index, word) in words(line).into_iter().enumerate() {
        let length = columns(word);
        if index > 0 && used + 1 + length > room && used > 0 {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            used = 0;
        } else if index > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += length;
    }
    out
}

/// The words of a line. A number and its unit are one word, and so are a path in single quotes and
/// text between backticks.
fn words(line: &str) -> Vec<&str> {
    const UNITS: [&str; 14] = ["m", "mm", "cm", "km", "in", "ft", "s", "ms", "min", "h", "%", "KiB", "MiB", "GiB"];
    let (mut words, mut start, mut from) = (Vec::new(), 0, 0);
    while let Some(blank) = line[from..].find(' ').map(|at| from + at) {
        let next = line[blank + 1..].split(' ').next().unwrap_or_default();
        let unit = next.trim_end_matches([',', ';', ':', '.', ')']);
        let word = &line[start..blank];
        let is_number = word.ends_with(|c: char| c.is_ascii_digit()) && UNITS.contains(&unit);
        let is_open = word.starts_with('\'') && word.matches('\'').count() % 2 == 1 && line[blank..].contains('\'');
        let is_quoted = word.matches('`').count() % 2 == 1 && line[blank..].contains('`');
        if !is_number && !is_open && !is_quoted {
            words.push(word);
            start = blank + 1;
        }
        from = blank + 1;
    }
    words.push(&line[start..]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let text = "the quick brown fox jumps over the lazy dog";
        assert_eq!(wrapped(text, None, 4), text);
        assert_eq!(wrapped(text, Some(80), 4), text);
        assert_eq!(wrapped(text, Some(28), 4), "the quick brown fox\n    jumps over the lazy dog");
        let word = "a/path/that/is/longer/than/any/line";
        assert_eq!(wrapped(&format!("to {word} from"), Some(22), 2), format!("to\n  {word}\n  from"));
        let lengths = "nearer than 50 mm: from 1.4 s to 2.25 s, in 3 spans";
        assert_eq!(wrapped(lengths, Some(35), 2), "nearer than 50 mm: from 1.4 s to\n  2.25 s, in 3 spans");
        assert_eq!(words(lengths).join(" "), lengths);
        assert_eq!(words(" a  1 b "), ["", "a", "", "1", "b", ""], "blanks are kept");
        assert_eq!(words("FROM 'my out/O''Brien p' LIMIT 1"), ["FROM", "'my out/O''Brien p'", "LIMIT", "1"]);
        assert_eq!(words("(`sort 'my t' s` does it) a `b"), ["(`sort 'my t' s`", "does", "it)", "a", "`b"]);
        assert_eq!(words("'tis no quote"), ["'tis", "no", "quote"]);
        assert_eq!(wrapped("one\ntwo", Some(30), 2), "one\ntwo", "lines stay lines");
        let painted = "\u{1b}[31mfour words in red\u{1b}[0m";
        assert_eq!(wrapped(painted, Some(20), 0), painted, "colours take no room");
        assert!(wrapped(text, Some(1), 60).lines().all(|line| line.trim().chars().count() <= 20), "a narrow terminal");
    }
}
