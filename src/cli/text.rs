//! Numbers and lists for people.

use super::color::{Tone, paint};
use std::borrow::Cow;

/// A count with separators: 1,234,567.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 run`, `2 runs`.
pub(crate) fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Bytes in binary units.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (n as f64, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// A length in the unit that suits its size.
pub(crate) fn length(metres: f64) -> String {
    let size = metres.abs();
    if size == 0.0 {
        "0 m".to_owned()
    } else if size >= 1.0 {
        format!("{metres:.4} m")
    } else if size >= 1e-4 {
        format!("{:.3} mm", metres * 1e3)
    } else {
        format!("{metres:.3e} m")
    }
}

/// A duration.
pub(crate) fn seconds(s: f64) -> String {
    if s < 1.0 {
        format!("{:.0} ms", s * 1e3)
    } else if s < 120.0 {
        format!("{s:.1} s")
    } else if s < 7200.0 {
        format!("{:.0} min {:02.0} s", (s / 60.0).floor(), s % 60.0)
    } else {
        format!("{:.0} h {:02.0} min", (s / 3600.0).floor(), (s % 3600.0 / 60.0).floor())
    }
}

/// A rate, three digits.
pub(crate) fn rate(per_second: f64, noun: &str) -> String {
    if per_second >= 1e6 {
        format!("{:.2} M {noun}/s", per_second / 1e6)
    } else if per_second >= 1e3 {
        format!("{:.1} k {noun}/s", per_second / 1e3)
    } else {
        format!("{per_second:.1} {noun}/s")
    }
}

/// A name as it is, but for control characters, which would break lines or command the terminal: they are escaped.
pub(crate) fn visible(name: &str) -> Cow<'_, str> {
    if !name.contains(char::is_control) {
        return Cow::Borrowed(name);
    }
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(name.chars().map(shown).collect())
}

/// Names and values in two columns; a name of none continues the line above.
pub(crate) fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let label = |name: &str| paint(Tone::Label, &format!("{name:width$}"));
    rows.iter().map(|(name, value)| format!("{}  {value}\n", label(name))).collect()
}

/// Columns of cells below their titles, set off by two blanks; numbers are better right-aligned (`right`).
pub(crate) fn columns(titles: &[&str], right: &[bool], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([titles[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..titles.len()).map(width).collect();
    let line = |cells: &[&str]| {
        let padded = cells.iter().zip(&widths).zip(right).map(|((cell, &width), &right)| match right {
            true => format!("{cell:>width$}"),
            false => format!("{cell:width$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let body = rows.iter().map(|row| line(&row.iter().map(String::as_str).collect::<Vec<_>>()) + "\n");
    std::iter::once(paint(Tone::Title, &line(titles)) + "\n").chain(body).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([count(0), count(999), count(1000), count(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([counted(1, "run"), counted(2, "run")], ["1 run", "2 runs"]);
        assert_eq!([bytes(12), bytes(1536), bytes(5 << 30)], ["12 B", "1.5 KiB", "5.0 GiB"]);
        assert_eq!(
            [length(2.5), length(-0.0123), length(1e-9), length(0.0)],
            ["2.5000 m", "-12.300 mm", "1.000e-9 m", "0 m"]
        );
        assert_eq!(
            [seconds(0.25), seconds(12.34), seconds(150.0), seconds(7260.0)],
            ["250 ms", "12.3 s", "2 min 30 s", "2 h 01 min"]
        );
        assert_eq!(rate(2_345_678.0, "rows"), "2.35 M rows/s");
    }

    #[test]
    fn names_do_not_command_the_terminal() {
        assert_eq!(visible("P-101 \u{1f600} \u{e9}"), "P-101 \u{1f600} \u{e9}");
        assert_eq!(visible("a\nb\u{1b}[2J\0"), "a\\nb\\u{1b}[2J\\u{0}");
    }

    #[test]
    fn tables_line_up() {
        let plain = |text: String| anstream::adapter::strip_str(&text).to_string();
        assert_eq!(plain(table(&[("a", "1".to_owned()), ("bcd", "2".to_owned())])), "a    1\nbcd  2\n");
        let rows = [vec!["x".to_owned(), "1".to_owned()], vec!["long".to_owned(), "23".to_owned()]];
        assert_eq!(plain(columns(&["it", "n"], &[false, true], &rows)), "it     n\nx      1\nlong  23\n");
    }
}
