//! Lines of a summary about rows and intervals whose bracket holds what is required: the nearest by
//! name, and how to decide it.

use super::summary_lines::{has_depths, is_undecided};
use super::text::{Lengths, counted, visible};
use clearsweep_model::BetweenFrames;
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
    format!("{count}{nearest}: {a} and {b}{when}: {}{required}", lengths.proven_ends([of.lower_m, of.upper_m]))
}

/// The remedy that decides the row or interval: the first that applies.
fn way(summary: &Summary, of: &Undecided, lengths: Lengths) -> String {
    let (lower, upper) = (of.lower_m.unwrap_or(f64::NEG_INFINITY), of.upper_m.unwrap_or(f64::INFINITY));
    if is_undecided(summary, &of.pair, of.run, of.frame) {
        let way = "close the open mesh (`clearsweep check` names it), or declare it a sheet: inside = 'surface'";
        return format!("to decide it: {way}");
    }
    if !has_depths(summary) && lower < 0.0 {
        return "to decide it: --answer depth".to_owned();
    }
    if of.frame_next.is_some() && summary.between.as_deref() == Some(BetweenFrames::Bounded.name()) {
        return "to decide it: give more frames there, or smaller bounds of the motion".to_owned();
    }
    if of.frame_next.is_some() && (of.required_m.is_none() || upper - lower > ROUNDING_M) {
        return "to decide it: give more frames there, so that bodies turn less from one to the next".to_owned();
    }
    let kept = kept(summary, of, lower, lengths);
    if upper - lower > ROUNDING_M && lower < 0.0 {
        let depth = "the depth of bodies that are not convex, or have a deviation, is proven between two ends";
        return format!("to decide it: {kept}; {depth}");
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn lines_of(summary: Value) -> Vec<String> {
        lines(&serde_json::from_value(summary).expect("a summary"), Lengths::of_word("mm"))
    }

    #[test]
    fn each_reason_has_its_way() {
        let row = |lower: f64, upper: f64| {
            json!({ "body_a": "a", "body_b": "b", "run": 2, "frame": 5, "required_m": 0.05,
                "lower_m": lower, "upper_m": upper })
        };
        let of_row =
            |row: Value, answer: &str| lines_of(json!({ "undecided": 3, "undecided_row": row, "answer": answer }));
        let at_limit = of_row(row(0.05 - 1e-12, 0.05), "depth");
        assert_eq!(
            at_limit,
            [
                "3 rows, the nearest: a and b, run 2, frame 5: 49.999 to 50 mm, required 50 mm",
                "to decide it: --require 49.999mm, which it keeps; it is at the limit, to within rounding",
            ]
        );
        let wide = of_row(row(0.048, 0.052), "distance");
        assert!(wide[1].contains("a smaller deviation") && wide[1].contains("or --require 48mm,"), "{wide:?}");
        let deep = of_row(row(-0.1, -0.001), "depth");
        assert!(
            deep[1].contains("--require -100mm, which it keeps; the depth") && !deep[1].contains("model"),
            "{deep:?}"
        );
        let overlap = of_row(row(-0.1, -0.001), "distance");
        assert_eq!(overlap[1], "to decide it: --answer depth");
        let ruled = |baseline: Value| {
            let rules = json!([{ "rule": "r", "require_m": 0.05, "baseline": baseline }]);
            let mut row = row(0.05 - 1e-12, 0.05);
            row["rule"] = "r".into();
            lines_of(json!({ "undecided": 1, "undecided_row": row, "rules": rules }))
        };
        let rule = ruled(Value::Null);
        assert!(rule[0].starts_with("1 row: a and b") && rule[0].ends_with("r requires 50 mm"), "{rule:?}");
        assert!(rule[1].contains("require = '49.999mm' of rule r"), "{rule:?}");
        assert!(ruled("first".into())[1].contains("a larger worse_by of rule r"));
    }

    #[test]
    fn an_interval_is_named_too() {
        let interval = json!({ "body_a": "a", "body_b": "b", "run": 0, "frame": 3, "frame_next": 4,
            "lower_m": null, "upper_m": 0.01 });
        let lines = lines_of(json!({ "intervals": { "undecided": 1, "undecided_interval": interval } }));
        assert_eq!(lines[0], "1 interval: a and b, run 0, frames 3 to 4: at most 10 mm");
        assert!(lines.len() == 2 && lines[1].contains("more frames"), "{lines:?}");
        assert!(lines_of(json!({ "undecided": 0, "undecided_row": null })).is_empty());
    }
}
