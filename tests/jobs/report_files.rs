//! The files of a report, read back: all of them say the same of a pair as the tables do.

use super::report::{bcf, read, text};
use super::rules::{expect, number, rows};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

pub(super) type Cells = BTreeMap<String, String>;

/// The files of the topics of a BCF archive, by GUID.
pub(super) type Topics = BTreeMap<String, BTreeMap<String, String>>;

/// The page, the topics, the workbook and the CSV of a result.
pub(super) struct Written {
    pub(super) page: String,
    pub(super) topics: Topics,
    /// Rows of the sheets of the workbook.
    issues: Vec<Cells>,
    pairs: Vec<Cells>,
    pub(super) csv: Vec<Cells>,
}

/// The unit of a scene: its word, and metres.
pub(super) type Unit = (&'static str, f64);

/// The topics of a BCF file.
pub(super) fn topics(dir: &Path, file: &str) -> Topics {
    let mut topics = Topics::new();
    for (name, text) in bcf(&read(dir, file)) {
        if let Some((guid, file)) = name.split_once('/') {
            topics.entry(guid.to_owned()).or_default().insert(file.to_owned(), text);
        }
    }
    topics
}

/// The id of the issue of a topic.
pub(super) fn issue_of(markup: &str) -> &str {
    let (_, rest) = markup.split_once("\nIssue ").expect("the last line of the description");
    rest.split(' ').next().expect("an id")
}

impl Written {
    /// Reads `NAME.html`, `NAME.bcf`, `NAME.xlsx` and `NAME.csv`.
    pub(super) fn read(dir: &Path, name: &str) -> Self {
        let file = |ending: &str| format!("{name}.{ending}");
        let written = text(dir, &file("csv"));
        let mut reader = csv::Reader::from_reader(written.trim_start_matches('\u{feff}').as_bytes());
        let csv: Vec<Cells> = reader.deserialize().collect::<Result<_, _>>().expect("rows");
        let book = bcf(&read(dir, &file("xlsx")));
        Self {
            page: text(dir, &file("html")),
            topics: topics(dir, &file("bcf")),
            issues: sheet_rows(&sheet(&book, 1)),
            pairs: sheet_rows(&sheet(&book, 2)),
            csv,
        }
    }

    /// The part of the page about an issue.
    pub(super) fn article(&self, issue: &str) -> &str {
        let (_, rest) =
            self.page.split_once(&format!("<article class=\"issue\" id=\"issue-{issue}\"")).expect("an issue");
        rest.split("</article>").next().expect("its end")
    }

    /// The markup of the topic of an issue.
    pub(super) fn markup(&self, issue: &str) -> &str {
        let markups = self.topics.values().map(|files| files["markup.bcf"].as_str());
        markups.into_iter().find(|markup| issue_of(markup) == issue).unwrap_or_else(|| panic!("no topic of {issue}"))
    }

    /// Holds all files against the tables of a result at rest, whose issues are all shown in full,
    /// and against what `summary` prints.
    pub(super) fn agree_with(&self, dir: &Path, out: &str, unit: Unit) {
        let table = rows(&dir.join(out).join("issues.parquet"));
        assert_eq!(self.topics.len(), table.len(), "a topic for each issue");
        assert_eq!(self.issues.len(), table.len(), "a row of the workbook for each issue");
        for (row, issue) in self.issues.iter().zip(&table) {
            assert_eq!([&row["issue"], &row["state"]], [&issue["issue"], &issue["state"]]);
        }
        let events = brackets(dir, out);
        assert_eq!((self.csv.len(), self.pairs.len()), (events.len(), events.len()), "a row for each pair");
        for (row, pair) in self.csv.iter().zip(&self.pairs) {
            let bracket = events[&["issue", "rule", "body_a", "body_b"].map(|name| row[name].clone())];
            same_row(row, pair, bracket, unit);
        }
        for issue in table.iter().filter(|issue| issue["events"] != "0") {
            self.same_issue(&issue["issue"], unit);
        }
        summary_agrees(dir, out, &events, unit);
    }

    /// Holds the page, the topic and the workbook against the rows of an issue.
    fn same_issue(&self, id: &str, unit: Unit) {
        let rows: Vec<&Cells> = self.csv.iter().filter(|row| row["issue"] == id).collect();
        let ends = |row: &Cells| ["at_least", "at_most"].map(|end| number(row, &format!("{end}_{}", unit.0)));
        let sheet = self.issues.iter().find(|row| row["issue"] == id).expect("a row");
        // The issue's numbers are those of the pair that it names: an open one, not the nearest.
        let worst = ["worst a", "worst b"].map(|name| sheet[name].replace("&amp;", "&"));
        assert_eq!([&worst[0], &worst[1]], [&rows[0]["body_a"], &rows[0]["body_b"]], "{id}");
        for (end, at) in ["at least", "at most"].into_iter().zip(ends(rows[0])) {
            assert_eq!(sheet[&format!("{end} ({})", unit.0)].parse(), Ok(at), "{id}: {end}");
        }
        let (article, markup) = (self.article(id), self.markup(id));
        let (_, sentence) = markup.split_once(": required ").expect("a sentence");
        let sentence = sentence.split(".\n").next().expect("a sentence");
        assert!(article.contains(sentence), "{id}: the page has not `{sentence}`");
        let proven = sentence.split_once(", ").expect("what is proven").1;
        let is_deep = proven.starts_with("overlapping by at least");
        let numbers: Vec<f64> = proven.split([' ', ',']).filter_map(|word| word.parse().ok()).collect();
        let [low, high] = if is_deep { [-numbers[1], -numbers[0]] } else { [numbers[0], numbers[1]] };
        let crosses = proven.contains("apart, overlapping");
        outward(id, if crosses { [-high, low] } else { [low, high] }, ends(rows[0]));
        // The title has the upper end of the sentence.
        if let Some((title, _)) = markup.split_once(" instead of ") {
            let number =
                title.rsplit_once(": ").expect("a length").1.trim_start_matches("overlap ").trim_end_matches(" deep");
            assert!(sentence.contains(number), "{id}: {number} in the title, {sentence}");
        }
        if rows.len() == 1 {
            return;
        }
        let listed: Vec<&str> = article.split("<tr data-finding=").skip(1).collect();
        assert_eq!(listed.len(), rows.len(), "{id}: pairs on the page");
        for (row, listed) in rows.iter().zip(listed) {
            let (cell, _) = listed.rsplit_once(&format!(" {}<p", unit.0)).expect("a bracket");
            let cell = cell.rsplit_once("<td>").expect("a cell").1;
            let (low, high) = cell.split_once(" .. ").unwrap_or((cell, cell));
            outward(id, [low, high].map(|end| end.parse().expect("a number")), ends(row));
            assert!(listed.contains(&format!(", {}, ", row["state"])), "{id}: {listed}");
        }
    }
}

/// Whether written ends contain a bracket, and are no wider than rounding to four digits.
fn outward(id: &str, written: [f64; 2], [lower, upper]: [f64; 2]) {
    let place = 1.01e-3 * lower.abs().max(upper.abs()) + 1e-3;
    let holds = (0.0..=place).contains(&(lower - written[0])) && (0.0..=place).contains(&(written[1] - upper));
    assert!(holds, "{id}: {written:?} is written of {lower} to {upper}");
}

/// A row of the CSV, the same row of the workbook, and the bracket of their pair.
fn same_row(row: &Cells, pair: &Cells, bracket: [f64; 2], (unit, metres): Unit) {
    for name in ["issue", "rule", "state", "body_a", "body_b", "until", "by", "reason"] {
        assert_eq!(row[name], pair[&name.replace('_', " ")].replace("&amp;", "&"), "{name}");
    }
    for (end, at) in ["at_least", "at_most"].into_iter().zip(bracket) {
        let written = &row[&format!("{end}_{unit}")];
        assert_eq!(written.parse::<f64>(), pair[&format!("{} ({unit})", end.replace('_', " "))].parse(), "{end}");
        let off = (metres * written.parse::<f64>().expect("a number") - at).abs();
        assert!(off <= 1e-11 * at.abs().max(1.0), "{row:?}: {end} is not {at}");
    }
}

/// The brackets of the pairs with events: by issue, rule and bodies.
pub(super) fn brackets(dir: &Path, out: &str) -> BTreeMap<[String; 4], [f64; 2]> {
    let mut least = BTreeMap::new();
    for event in rows(&dir.join(out).join("events.parquet")) {
        let key = ["issue", "rule", "body_a", "body_b"].map(|column| event[column].clone());
        let ends = ["lower_m", "upper_m"].map(|column| number(&event, column));
        let of: &mut [f64; 2] = least.entry(key).or_insert(ends);
        *of = [of[0].min(ends[0]), of[1].min(ends[1])];
    }
    least
}

/// The pairs that `summary` lists, as JSON and as text.
fn summary_agrees(dir: &Path, out: &str, events: &BTreeMap<[String; 4], [f64; 2]>, (unit, metres): Unit) {
    let json: Value = serde_json::from_str(&expect(dir, &format!("summary {out} --json"), 0)).expect("JSON");
    let printed = expect(dir, &format!("summary {out}"), 0);
    let mut lines = 0;
    for pair in json["violating_pairs"].as_array().expect("pairs") {
        let [rule, a, b] = ["rule", "body_a", "body_b"].map(|key| pair[key].as_str().unwrap_or("default"));
        let is_pair = |key: &&[String; 4]| key[1..] == [rule, a, b];
        let bracket = events[events.keys().find(is_pair).expect("an event of the pair")];
        assert_eq!(["lower_m", "upper_m"].map(|key| pair[key].as_f64()), bracket.map(Some), "{a} and {b}");
        let Some(line) = printed.lines().find(|line| line.contains(&format!(": {a} and {b}"))) else {
            continue;
        };
        let numbers: Vec<f64> = line
            .split(&format!(" {unit}"))
            .next()
            .expect("a length")
            .split(' ')
            .filter_map(|word| word.parse().ok())
            .collect();
        let mut ends = bracket.map(|end| (end / metres).abs());
        ends.sort_by(f64::total_cmp);
        let [low, high] = [numbers[0], *numbers.last().expect("a number")];
        assert!(low - 6e-4 <= ends[0] && ends[1] <= high + 6e-4 && high - low <= ends[1] - ends[0] + 3e-3, "{line}");
        lines += 1;
    }
    assert!(lines > 0, "{printed}");
}

/// The cells of a sheet of a workbook, by their places.
fn sheet(book: &BTreeMap<String, String>, number: usize) -> Cells {
    let strings: Vec<String> = book["xl/sharedStrings.xml"]
        .split("<si>")
        .skip(1)
        .map(|item| {
            item.split("</t>").next().and_then(|item| item.split_once('>')).map_or("", |(_, text)| text).to_owned()
        })
        .collect();
    let xml = &book[&format!("xl/worksheets/sheet{number}.xml")];
    let mut cells = BTreeMap::new();
    for cell in xml.split("<c r=\"").skip(1) {
        let (place, rest) = cell.split_once('"').expect("a place");
        let value = rest.split_once("<v>").and_then(|(_, rest)| rest.split_once("</v>")).map_or("", |(value, _)| value);
        let is_text = rest.split('>').next().is_some_and(|head| head.contains("t=\"s\""));
        let text = if is_text { strings[value.parse::<usize>().expect("a number")].clone() } else { value.to_owned() };
        cells.insert(place.to_owned(), text);
    }
    cells
}

/// Rows of a sheet, by the names of its heading.
fn sheet_rows(cells: &Cells) -> Vec<Cells> {
    let columns: Vec<char> = ('A'..='Z').filter(|column| cells.contains_key(&format!("{column}1"))).collect();
    let row = |row: usize| {
        let cell = |column: &char| {
            let value = cells.get(&format!("{column}{row}")).cloned().unwrap_or_default();
            (cells[&format!("{column}1")].clone(), value)
        };
        columns.iter().map(cell).collect()
    };
    (2..).take_while(|row| cells.contains_key(&format!("A{row}"))).map(row).collect()
}
