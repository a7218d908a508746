//! Text from files, made fit for a terminal and a page: nothing in it is invisible.

use std::borrow::Cow;

/// A text as it is, but for characters that command a terminal or turn the direction of a line:
/// they are escaped.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if is_hidden(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Whether a character is a control, a line separator, a mark or override of direction, or without
/// width. The joiners of words and emoji (U+200C, U+200D) belong to their writing and stay.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}')
}

/// First characters of a text that a spreadsheet program takes for a formula (OWASP, CSV
/// Injection). `TEXT_MARK` is one of them: it may stand before such a text already.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '\t', '\r', '\n', TEXT_MARK];

/// Character that such programs take for the mark of a text.
const TEXT_MARK: char = '\'';

/// A text, with a mark before it if a spreadsheet program would take it for a formula.
pub fn marked(text: &str) -> Cow<'_, str> {
    if text.starts_with(FORMULA) { Cow::Owned(format!("{TEXT_MARK}{text}")) } else { Cow::Borrowed(text) }
}

/// A text without the mark of [`marked`].
pub fn unmarked(text: &str) -> &str {
    text.strip_prefix(TEXT_MARK).filter(|text| text.starts_with(FORMULA)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_off_again() {
        for text in ["", "a", "'", "'a", "=1", "+1", "-1", "@a", "\ta", "''", "'=1", "a=1", "\u{2212}1"] {
            assert_eq!(unmarked(&marked(text)), text);
            assert!(!marked(text).starts_with(['=', '+', '-', '@', '\t']), "{text}");
        }
        assert_eq!(unmarked("'a"), "'a", "an apostrophe of the name");
    }

    #[test]
    fn hidden_characters_are_escaped() {
        assert_eq!(
            visible("P-101 \u{1f600} \u{e9} \u{645}\u{200c}\u{64a}"),
            "P-101 \u{1f600} \u{e9} \u{645}\u{200c}\u{64a}"
        );
        assert_eq!(visible("a\nb\u{1b}[2J\0"), "a\\nb\\u{1b}[2J\\u{0}");
        assert_eq!(visible("evil\u{202e}gpj.exe\u{2066}\u{2028}"), "evil\\u{202e}gpj.exe\\u{2066}\\u{2028}");
    }
}
