//! Text from files, made fit for a terminal and a page: nothing in it is invisible.

use std::borrow::Cow;
use std::path::Path;

/// A text as it is, but for characters that command a terminal or turn the direction of a line:
/// they are escaped.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if is_hidden(c) { escaped(c) } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

/// A character as a TOML string in double quotes escapes it (TOML, String).
pub(crate) fn escaped(c: char) -> String {
    match c {
        '\n' | '\r' | '\t' | '"' | '\\' => c.escape_default().to_string(),
        c => format!("\\u{:04X}", u32::from(c)), // hidden characters have four digits at most
    }
}

/// A text as a TOML string with its quotes. Backticks are escaped, as messages quote by them.
pub fn toml_text(text: &str) -> String {
    let is_escaped = |c: char| c == '`' || is_hidden(c);
    if text.contains(['"', '\\']) && !text.contains(|c| c == '\'' || is_escaped(c)) {
        return format!("'{text}'");
    }
    let shown = |c: char| if is_escaped(c) || "\"\\".contains(c) { escaped(c) } else { c.to_string() };
    format!("\"{}\"", text.chars().map(shown).collect::<String>())
}

/// A path as a word of a command line.
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    // A word that begins with a hyphen is an option.
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    let is_plain = |c: char| c.is_alphanumeric() || "/\\._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// A text as an SQL string within double quotes of a shell.
pub fn sql_text(text: &str) -> String {
    let sql = format!("'{}'", text.replace('\'', "''"));
    sql.chars().flat_map(|c| "\\\"$`".contains(c).then_some('\\').into_iter().chain([c])).collect()
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

/// Character that spreadsheet programs take for the mark of a text.
const TEXT_MARK: char = '\'';

/// A text, with a mark before it if a spreadsheet program would take it for a formula.
pub fn marked(text: &str) -> Cow<'_, str> {
    if text.starts_with(FORMULA) { Cow::Owned(format!("{TEXT_MARK}{text}")) } else { Cow::Borrowed(text) }
}

/// A text without the mark of [`marked`].
pub fn unmarked(text: &str) -> &str {
    text.strip_prefix(TEXT_MARK).filter(|text| text.starts_with(FORMULA)).unwrap_or(text)
}

/// A text as a cell of CSV, in quotes if it needs them.
pub fn csv_cell(text: &str) -> String {
    let is_plain = !text.contains([',', '"', '\n', '\r']) && text.trim() == text;
    if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
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
        assert_eq!(visible("a\nb\u{1b}[2J\0"), "a\\nb\\u001B[2J\\u0000");
        assert_eq!(visible("evil\u{202e}gpj.exe\u{2066}\u{2028}"), "evil\\u202Egpj.exe\\u2066\\u2028");
    }

    #[test]
    fn quoted_texts_can_be_copied() {
        let texts = ["x", "it's", "pos\"x", "pos\\x", "it's \"x\"", "le\u{200b}ft\n", "a`b\""].map(toml_text);
        let quoted = [
            r#""x""#,
            r#""it's""#,
            r#"'pos"x'"#,
            r"'pos\x'",
            r#""it's \"x\"""#,
            r#""le\u200Bft\n""#,
            r#""a\u0060b\"""#,
        ];
        assert_eq!(texts, quoted);
        let words = ["t.csv", "my t.csv", "it's", "-t.csv", ""].map(|path| shell_word(Path::new(path)));
        assert_eq!(words, ["t.csv", "'my t.csv'", r"'it'\''s'", "./-t.csv", "''"]);
        assert_eq!(sql_text(r#"it's a "$x" \ `"#), r#"'it''s a \"\$x\" \\ \`'"#);
    }
}
