//! Tables of the whole execution: rules, groups, runs, and the properties of two bodies.

use crate::data::{Element, Finding, Report, RunRow};
use crate::words::{Clock, Lengths, Name, clipped, count};

/// Groups of a body that are named.
const MOST_GROUPS: usize = 8;

/// A rule and its totals.
pub(super) struct RuleRow {
    pub(super) rule: Name,
    pub(super) severity: String,
    pub(super) required: String,
    pub(super) pairs: String,
    pub(super) open: String,
    pub(super) issues: String,
    pub(super) nearest: String,
}

/// The rules of a report.
pub(super) fn rules(report: &Report) -> Vec<RuleRow> {
    let lengths = Lengths::to_five_digits(report.unit);
    let row = |of: &crate::data::RuleTotal| RuleRow {
        rule: Name::of(&of.rule),
        severity: clipped(&of.severity, 40),
        required: of.required_m.map(|metres| lengths.required(metres)).unwrap_or_default(),
        pairs: count(of.pairs),
        open: count(of.open),
        issues: count(of.issues),
        nearest: of.nearest_m.map(|metres| lengths.upper_end(of.required_m, metres)).unwrap_or_default(),
    };
    report.rules.iter().map(row).collect()
}

/// The matrix of groups.
pub(super) struct Matrix {
    /// Names of its columns.
    pub(super) groups: Vec<Name>,
    /// Rows: a name, and a cell for each group up to it.
    pub(super) rows: Vec<(Name, Vec<Cell>)>,
}

/// A cell of the matrix.
pub(super) struct Cell {
    /// `2-5`: the groups.
    pub(super) key: String,
    /// `piping and steel`.
    pub(super) names: String,
    /// `12`; empty if there is none.
    pub(super) pairs: String,
    /// `12 pairs of piping and steel violate, 3 of them open`.
    pub(super) label: String,
    /// 0 to 4: how many of the most.
    pub(super) shade: u64,
}

/// The matrix of a report, if it has more than one group.
pub(super) fn matrix(report: &Report) -> Option<Matrix> {
    let of = &report.matrix;
    let groups: Vec<Name> = of.groups.iter().map(|group| Name::of(group)).collect();
    let most = of.cells.iter().map(|cell| cell.pairs).max()?;
    let cell = |row: usize, column: usize| {
        let key = [row.min(column), row.max(column)];
        let found = of.cells.iter().find(|cell| cell.groups == key);
        let label = found.map(|cell| {
            let pairs = crate::words::counted(cell.pairs, "pair");
            let [a, b] = key.map(|group| &*groups[group].text);
            format!("{pairs} of {a} and {b}, {} open", count(cell.open))
        });
        Cell {
            key: format!("{}-{}", key[0], key[1]),
            names: key.map(|group| groups[group].text.clone()).join(" and "),
            pairs: found.map(|cell| count(cell.pairs)).unwrap_or_default(),
            label: label.unwrap_or_default(),
            shade: found.map_or(0, |cell| (4 * cell.pairs).div_ceil(most.max(1))),
        }
    };
    let rows = (0..groups.len()).map(|row| (groups[row].clone(), (0..=row).map(|column| cell(row, column)).collect()));
    Some(Matrix { rows: rows.collect(), groups: groups.clone() })
}

/// The worst runs.
pub(super) struct Runs {
    /// `The 10 worst of 90 runs`, with what orders them.
    pub(super) title: String,
    pub(super) has_required: bool,
    pub(super) rows: Vec<RunLine>,
}

/// A run.
pub(super) struct RunLine {
    pub(super) run: String,
    pub(super) names: [Name; 2],
    pub(super) distance: String,
    pub(super) required: String,
    pub(super) when: String,
    /// Empty if there is none.
    pub(super) issue: String,
}

/// The worst runs of a report of several.
pub(super) fn runs(report: &Report, clock: &Clock) -> Option<Runs> {
    let listed = report.worst_runs.len();
    let first = report.worst_runs.first()?;
    let order = match first.required_m {
        Some(_) => "the deepest overlap or nearest distance that violates comes first",
        None => "the deepest overlap or nearest distance comes first",
    };
    let which = match listed {
        1 => "The worst".to_owned(),
        _ => format!("The {listed} worst"),
    };
    let lengths = Lengths::to_five_digits(report.unit);
    let line = |row: &RunRow| {
        let [lower, upper] = row.bracket_m;
        RunLine {
            run: clock.run(row.run),
            names: row.names.each_ref().map(|name| Name::of(name)),
            distance: match row.required_m {
                Some(required) => lengths.bracket(Some(required), lower, upper),
                None => upper.map(|metres| lengths.text(metres)).unwrap_or_default(),
            },
            required: row.required_m.map_or_else(String::new, |metres| lengths.required(metres)),
            when: match row.is_between {
                true => clock.interval(row.run, row.least),
                false => clock.moment(row.run, row.least),
            },
            issue: row.issue.clone().unwrap_or_default(),
        }
    };
    let title = format!("{which} of {} runs: {order}", count(report.runs));
    Some(Runs { title, has_required: first.required_m.is_some(), rows: report.worst_runs.iter().map(line).collect() })
}

/// Rows of a table of two bodies: what, of A, of B. Empty if nothing is known of them but their
/// names.
pub(super) fn elements(report: &Report, finding: &Finding) -> Vec<(&'static str, [String; 2])> {
    let none = Element::default();
    let of = finding.bodies.map(|body| report.elements.get(&body).unwrap_or(&none));
    let text = |text: &Option<String>| text.as_deref().map(|text| clipped(text, 80)).unwrap_or_default();
    let groups = |element: &Element| {
        let named = element.groups.iter().take(MOST_GROUPS).map(|group| clipped(group, 80));
        let more = element.groups.len().saturating_sub(MOST_GROUPS);
        named.chain((more > 0).then(|| format!("and {more} more"))).collect::<Vec<_>>().join(", ")
    };
    let rows = [
        ("Class", of.map(|element| text(&element.class))),
        ("Level", of.map(|element| text(&element.level))),
        ("Groups", of.map(groups)),
        ("Checked as", of.map(|element| text(&element.model))),
    ];
    rows.into_iter().filter(|(_, texts)| texts.iter().any(|text| !text.is_empty())).collect()
}

/// The levels of the first pair of an issue: `2`, or `1, 2`.
pub(super) fn levels(report: &Report, finding: &Finding) -> String {
    let level = |body: &u32| report.elements.get(body)?.level.as_deref().map(|level| clipped(level, 80));
    let mut levels: Vec<String> = finding.bodies.iter().filter_map(level).collect();
    levels.dedup();
    levels.join(", ")
}

/// Classes of proof, each with its meaning for people.
pub(super) const PROOFS: [(&str, &str); 12] = [
    ("strict", "the closest features are the only ones, by more than all rounding"),
    ("tie", "several points or directions are as near, within rounding; the bracket holds for all of them"),
    ("exact", "decided in exact arithmetic, where rounding left it open"),
    ("mesh", "the nearest triangles of two meshes, found in a tree of boxes"),
    ("bound", "the depth of bodies that are not convex: proven bounds, not a single value"),
    ("none", "not proven"),
    ("winding", "one body lies inside of an open mesh, by its winding number: no proof of the surface alone"),
    ("direction", "the supporting planes of one direction bound the whole interval between two frames"),
    ("bisection", "the interval between two frames is divided, and planes bound each part"),
    ("motion", "the interval is divided; distances at the ends of a part less the motion in it bound the part"),
    ("hold", "the poses of the frames hold between them"),
    ("limit", "proven, but wider than the tolerance: the limit of work was reached, or the motion is not defined"),
];
