//! Lines of a summary about hulls, depths, open meshes and contacts, in the order in which they are
//! printed.

use super::body_lines::{OF_HULLS, hull_line};
use super::color::{Tone, paint};
use super::text::{Lengths, count, counted, visible};
use clearsweep_records::manifest::{Hulls, NamedPair, Summary, Worst};

/// Pairs that the text lists; the manifest has more.
const PAIRS: usize = 3;

/// Returns the line about bodies whose figures are those of hulls; `None` if there are none.
pub(super) fn hulls(summary: &Summary, lengths: Lengths) -> Option<String> {
    let Hulls { bodies, hull_excess_m, body } = summary.hulls.as_ref().filter(|hulls| hulls.bodies > 0)?;
    // If the manifest lacks the number of bodies, there are at least as many as hulls.
    let line = hull_line([*bodies, summary.bodies.max(*bodies)], (*hull_excess_m)?, body, lengths);
    Some(format!("{line}; figures of such bodies are {OF_HULLS}"))
}

/// Returns a proven bracket in words; bodies that are apart are said to be.
pub(super) fn bracket(ends: [Option<f64>; 2], lengths: Lengths) -> String {
    let apart = if ends[0].is_some_and(|lower| lower >= 0.0) { " apart" } else { "" };
    lengths.proven(ends[0], ends[1]) + apart
}

/// Returns the distance of a row in words: its bracket, which an older version did not write.
pub(super) fn distance(summary: &Summary, row: &Worst, lengths: Lengths) -> String {
    let what = match (row.lower_m.or(row.upper_m), row.distance_m) {
        (None, Some(distance)) if distance < 0.0 => lengths.text(-distance) + " deep",
        (None, Some(distance)) => lengths.text(distance) + " apart",
        _ => bracket([row.lower_m, row.upper_m], lengths),
    };
    if is_undecided(summary, &row.pair, row.run, row.frame) { format!("{what}: not decided") } else { what }
}

/// Whether a row, by its bodies, run and frame, is one of the pairs of which a winding number
/// leaves open whether they overlap.
pub(super) fn is_undecided(summary: &Summary, pair: &NamedPair, run: i64, frame: i64) -> bool {
    let mut listed = summary.open_meshes.iter().flat_map(|open| &open.winding_pairs);
    listed.any(|of| (&of.pair, of.run, of.frame) == (pair, run, frame))
}

/// Returns the line that says which depths are not computed; `None` if depths are computed.
pub(super) fn depth(summary: &Summary) -> Option<String> {
    let answer = summary.answer.as_deref().filter(|_| !has_depths(summary))?;
    Some(format!("not computed (answer = {answer}): rows say that bodies overlap, and bound how deep"))
}

/// Whether the depth of bodies that overlap is computed. It is, if the manifest has no such key.
pub(super) fn has_depths(summary: &Summary) -> bool {
    summary.answer.as_deref().is_none_or(|answer| answer == "depth")
}

/// Returns the line about meshes that do not close up, and the pairs for which that mattered;
/// `None` if there are none.
pub(super) fn inside(summary: &Summary) -> Option<String> {
    let open = summary.open_meshes.as_ref()?;
    let bodies = match open.bodies {
        1 => "1 mesh is not closed".to_owned(),
        n => format!("{} meshes are not closed", count(n)),
    };
    if open.pairs == 0 {
        return Some(format!("{bodies}; by the winding number nothing lies inside"));
    }
    let named = &open.winding_pairs[..open.winding_pairs.len().min(PAIRS)];
    let names = named.iter().map(|of| format!("{} and {}", visible(&of.pair.body_a), visible(&of.pair.body_b)));
    let names: Vec<String> = names.collect();
    let more = match open.pairs.saturating_sub(named.len() as u64) {
        0 => String::new(),
        more => format!("; and {} more", count(more)),
    };
    let pairs = paint(Tone::Doubtful, &format!("{} NOT DECIDED", counted(open.pairs, "pair")));
    Some(format!("{bodies}; {pairs}, as one body lies inside: {}{more} (method = 'winding')", names.join("; ")))
}

/// Returns the number of contacts; nothing if they are not asked for.
pub(super) fn contacts(summary: &Summary) -> String {
    summary.contacts.map_or_else(String::new, |count| format!("; {}", counted(count, "contact")))
}

/// Returns the way to rows, if there are none.
pub(super) fn to_more_rows(summary: &Summary) -> &'static str {
    match summary.answer.as_deref() {
        Some("overlap") => "`--answer distance --within LENGTH` shows the nearest pairs",
        _ => "widen `within` (--within) to see the nearest pairs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of_json(summary: Value) -> Summary {
        serde_json::from_value(summary).expect("a summary")
    }

    #[test]
    fn only_rows_of_distances_are_more_with_a_wider_cut_off() {
        assert!(to_more_rows(&of_json(json!({ "answer": "overlap" }))).contains("--answer distance"));
        for summary in [json!({}), json!({ "answer": "distance" }), json!({ "answer": "depth" })] {
            assert!(to_more_rows(&of_json(summary.clone())).starts_with("widen `within`"), "{summary}");
        }
    }

    fn plain(open: &Value) -> String {
        let line = inside(&of_json(json!({ "open_meshes": open }))).expect("a line");
        anstream::adapter::strip_str(&line).to_string()
    }

    #[test]
    fn pairs_are_named_and_the_rest_is_counted() {
        let pair = |a: &str| json!({ "body_a": a, "body_b": "wall" });
        let of = |pairs: u64, listed: &[&str]| {
            let listed: Vec<Value> = listed.iter().map(|name| pair(name)).collect();
            plain(&json!({ "bodies": 413, "rows": 9, "pairs": pairs, "winding_pairs": listed }))
        };
        assert!(of(0, &[]).contains("413 meshes are not closed; by the winding number nothing"), "{}", of(0, &[]));
        let one = of(1, &["pipe"]);
        assert!(
            one.contains("1 pair NOT DECIDED") && one.contains("pipe and wall (") && !one.contains("more"),
            "{one}"
        );
        let many = of(12, &["p", "q", "r", "s"]);
        assert!(many.contains("p and wall; q and wall; r and wall; and 9 more"), "{many}");
        let line = |summary| inside(&of_json(summary));
        assert!(line(json!({ "open_meshes": null })).is_none() && line(json!({})).is_none());
    }
}
