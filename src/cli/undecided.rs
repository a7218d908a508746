//! Lines of a summary about rows and intervals whose bracket holds what is required: the nearest by name, and how
//! to decide it.

use super::summary_lines::{has_depths, is_undecided};
use super::text::{Lengths, counted, visible};
use clearsweep_records::manifest::{Summary, Undecided};

/// A bracket that is wider has another reason than rounding, metres.
const ROUNDING_M: f64 = 1e-6;

/// The nearest undecided row and the nearest undecided interval, each with a way to decide it.
pub(super) fn lines(summary: &Summary, lengths: Lengths) -> Vec<String> {
    let intervals = summary.intervals.as_ref();
    let interval = intervals.and_then(|intervals| Some((intervals.undecided_interval.as_ref()?, intervals.undecided)));
    let row = summary.undecided_row.as_ref().map(|row| (row, summary.undecided));
    let lines = |((of, count), noun): ((&Undecided, u64), &str)| {
        [line(of, summary.moves(), &counted(count, noun), lengths), way(summary, of, lengths)]
    };
    let found = [row.zip(Some("row")), interval.zip(Some("interval"))];
    found.into_iter().flatten().flat_map(lines).collect()
}

/// `1 row: a and b, run 0, frame 17: 1.999 to 2.001 mm, required 2 mm`.
fn line(of: &Undecided, moves: bool, count: &str, lengths: Lengths) -> String {
    let required = match (of.required_m, &of.rule) {
        (Some(required), Some(rule)) => format!(", {} requires {}", visible(rule), lengths.text(required)),
        (Some(required), None) => format!(", required {}", lengths.text(required)),
        (None, _) => String::new(),
    };
    let when = match of.frame_next {
        _ if !moves => String::new(),
        Some(next) => format!(", run {}, frames {} to {next}", of.run, of.frame),
        None => format!(", run {}, frame {}", of.run, of.frame),
    };
    let (a, b) = (visible(&of.pair.body_a), visible(&of.pair.body_b));
    let nearest = if count.starts_with("1 ") { "" } else { ", the nearest" };
    format!("{count}{nearest}: {a} and {b}{when}: {}{required}", lengths.proven(of.lower_m, of.upper_m))
}

/// What decides it: the first that applies.
fn way(summary: &Summary, of: &Undecided, lengths: Lengths) -> String {
    let (lower, upper) = (of.lower_m.unwrap_or(f64::NEG_INFINITY), of.upper_m.unwrap_or(f64::INFINITY));
    if is_undecided(summary, &of.pair, of.run, of.frame) {
        let way = "close the open mesh (`clearsweep check` names it), or declare it a sheet: inside = 'surface'";
        return format!("to decide it: {way}");
    }
    if !has_depths(summary) && lower < 0.0 {
        return "to decide it: --answer depth".to_owned();
    }
    if of.frame_next.is_some() && (of.required_m.is_none() || upper - lower > ROUNDING_M) {
        return "to decide it: give more frames there, so that bodies turn less from one to the next".to_owned();
    }
    let kept = kept(summary, of, lower, lengths);
    if upper - lower > ROUNDING_M {
        let closer = "a closer geometry (model = 'mesh' in place of a decomposition, a smaller deviation)";
        return format!("to decide it: {closer}, or {kept}");
    }
    format!("to decide it: {kept}; it is at the limit, to within rounding")
}

/// The requirement that the bracket is proven to keep.
fn kept(summary: &Summary, of: &Undecided, lower: f64, lengths: Lengths) -> String {
    let typed = |metres: f64| lengths.at_least(metres).replace(' ', "");
    let Some(rule) = &of.rule else { return format!("--require {}, which it keeps", typed(lower)) };
    let terms = summary.rules.iter().flatten().find(|known| known.terms.rule == *rule).map(|known| &known.terms);
    match terms.map(|terms| (terms.baseline.is_some(), rule.as_str())) {
        Some((true, rule)) => format!("a larger worse_by of rule {}", visible(rule)),
        Some((false, "default")) => format!("--require {}, which it keeps", typed(lower)),
        _ => format!("require = '{}' of rule {}, which it keeps", typed(lower), visible(rule)),
    }
}
