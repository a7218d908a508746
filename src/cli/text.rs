//! Numbers and lists for people.

use super::color::{Tone, paint};
use super::wrap::{width, wrapped};
pub(crate) use clearsweep_base::text::visible;
pub(crate) use clearsweep_report::{Lengths, count, counted, resting_on};

/// Text for a scene in which nothing moves.
pub(crate) const ONCE: &str = "nothing moves: each pair is checked once";

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

/// Names and values in two columns, values broken between words to fit the terminal; a name of none
/// continues the line above.
pub(crate) fn table(rows: &[(&str, String)]) -> String {
    table_within(rows, width())
}

/// Formats like [`table`], in lines of `columns` columns.
fn table_within(rows: &[(&str, String)], columns: Option<usize>) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let label = |name: &str| paint(Tone::Label, &format!("{name:width$}"));
    rows.iter().map(|(name, value)| format!("{}  {}\n", label(name), wrapped(value, columns, width + 2))).collect()
}

/// Columns of cells below their titles, set off by two blanks; numbers are better right-aligned
/// (`right`).
pub(crate) fn columns(titles: &[&str], right: &[bool], rows: &[Vec<String>]) -> String {
    columns_within(titles, right, rows, width())
}

fn columns_within(titles: &[&str], right: &[bool], rows: &[Vec<String>], room: Option<usize>) -> String {
    let column = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([titles[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..titles.len()).map(column).collect();
    let pad = |cells: &[&str], index: usize| {
        let width = widths[index];
        if right[index] { format!("{:>width$}", cells[index]) } else { format!("{:width$}", cells[index]) }
    };
    let joined = |cells: &[&str], indices: &mut dyn Iterator<Item = usize>| {
        indices.map(|index| pad(cells, index)).collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let whole = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
    let fits = room.is_none_or(|room| whole <= room);
    let line = |cells: &[&str]| {
        if fits {
            return joined(cells, &mut (0..cells.len()));
        }
        let texts = (0..cells.len()).filter(|&index| !right[index]).map(|index| cells[index].to_owned() + "\n");
        texts.collect::<String>() + "    " + &joined(cells, &mut (0..cells.len()).filter(|&index| right[index]))
    };
    let body = rows.iter().map(|row| line(&row.iter().map(String::as_str).collect::<Vec<_>>()) + "\n");
    let title = line(titles).lines().map(|line| paint(Tone::Title, line) + "\n").collect::<String>();
    std::iter::once(title).chain(body).collect()
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
            [seconds(0.25), seconds(12.34), seconds(150.0), seconds(7260.0)],
            ["250 ms", "12.3 s", "2 min 30 s", "2 h 01 min"]
        );
        assert_eq!(rate(2_345_678.0, "rows"), "2.35 M rows/s");
    }

    #[test]
    fn names_do_not_command_the_terminal() {
        assert_eq!(visible("P-101 \u{1f600} \u{e9}"), "P-101 \u{1f600} \u{e9}");
        assert_eq!(visible("a\nb\u{1b}[2J\0"), "a\\nb\\u001B[2J\\u0000");
    }

    #[test]
    fn tables_line_up() {
        let plain = |text: String| anstream::adapter::strip_str(&text).to_string();
        assert_eq!(plain(table(&[("a", "1".to_owned()), ("bcd", "2".to_owned())])), "a    1\nbcd  2\n");
        let long = table_within(&[("a", "one two three four five six".to_owned())], Some(24));
        assert_eq!(plain(long), "a  one two three four\n   five six\n");
        let rows = [vec!["x".to_owned(), "1".to_owned()], vec!["long".to_owned(), "23".to_owned()]];
        assert_eq!(plain(columns(&["it", "n"], &[false, true], &rows)), "it     n\nx      1\nlong  23\n");
        let narrow = columns_within(&["it", "n"], &[false, true], &rows, Some(7));
        assert_eq!(plain(narrow), "it\n     n\nx\n     1\nlong\n    23\n");
    }
}
