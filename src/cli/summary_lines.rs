//! Lines of a summary about hulls, depths, open meshes and contacts, in the order in which they are
//! printed.

use super::body_lines::{OF_HULLS, hull_line};
use super::color::{Tone, paint};
use super::text::{Lengths, count, counted, visible};
use serde_json::Value;

/// Pairs that the text lists; the manifest has more.
const PAIRS: usize = 3;

/// Returns the line about bodies whose figures are those of hulls; `None` if there are none.
pub(super) fn hulls(summary: &Value, lengths: Lengths) -> Option<String> {
    let hulls = &summary["hulls"];
    let bodies = hulls["bodies"].as_u64().filter(|&n| n > 0)?;
    let (excess_m, farthest) = (hulls["hull_excess_m"].as_f64()?, hulls["body"].as_str()?);
    let line = hull_line([bodies, summary["bodies"].as_u64().unwrap_or(bodies)], excess_m, farthest, lengths);
    Some(format!("{line}; figures of such bodies are {OF_HULLS}"))
}

/// Returns a signed distance of a row in words.
pub(super) fn distance(summary: &Value, distance: f64, lengths: Lengths) -> String {
    match distance < 0.0 {
        true if has_depths(summary) => lengths.text(-distance) + " deep",
        true => format!("overlap of at most {}", lengths.text(-distance)),
        false => lengths.text(distance) + " apart",
    }
}

/// Whether a row, by its bodies, run and frame, is one of the pairs that are not decided.
pub(super) fn is_undecided(summary: &Value, row: &Value) -> bool {
    let pairs = summary["open_meshes"]["winding_pairs"].as_array();
    let is_same = |pair: &Value| ["body_a", "body_b", "run", "frame"].iter().all(|key| pair[key] == row[key]);
    pairs.is_some_and(|pairs| pairs.iter().any(is_same))
}

/// Returns the line that says which depths are not computed; `None` if depths are computed.
pub(super) fn depth(summary: &Value) -> Option<String> {
    let answer = summary["answer"].as_str().filter(|_| !has_depths(summary))?;
    Some(format!("not computed (answer = {answer}): rows say that bodies overlap, and bound how deep"))
}

/// Whether the depth of bodies that overlap is computed. It is, if the manifest has no such key.
fn has_depths(summary: &Value) -> bool {
    summary["answer"].as_str().is_none_or(|answer| answer == "depth")
}

/// Returns the line about meshes that do not close up, and the pairs for which that mattered;
/// `None` if there are none.
pub(super) fn inside(summary: &Value) -> Option<String> {
    let open = summary["open_meshes"].as_object()?;
    let number = |key: &str| open.get(key).and_then(Value::as_u64).unwrap_or(0);
    let bodies = match number("bodies") {
        1 => "1 mesh is not closed".to_owned(),
        n => format!("{} meshes are not closed", count(n)),
    };
    if number("pairs") == 0 {
        return Some(format!("{bodies}; by the winding number nothing lies inside"));
    }
    let text = |pair: &Value, key: &str| visible(pair[key].as_str().unwrap_or("?")).into_owned();
    let pairs = open.get("winding_pairs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let named = &pairs[..pairs.len().min(PAIRS)];
    let names: Vec<String> =
        named.iter().map(|pair| format!("{} and {}", text(pair, "body_a"), text(pair, "body_b"))).collect();
    let more = match number("pairs").saturating_sub(named.len() as u64) {
        0 => String::new(),
        more => format!("; and {} more", count(more)),
    };
    let pairs = paint(Tone::Doubtful, &format!("{} NOT DECIDED", counted(number("pairs"), "pair")));
    Some(format!("{bodies}; {pairs}, as one body lies inside: {}{more} (method = 'winding')", names.join("; ")))
}

/// Returns the number of contacts; nothing if they are not asked for.
pub(super) fn contacts(summary: &Value) -> String {
    summary["contacts"].as_u64().map_or_else(String::new, |count| format!("; {}", counted(count, "contact")))
}

/// Returns the way to rows, if there are none.
pub(super) fn to_more_rows(summary: &Value) -> &'static str {
    match summary["answer"].as_str() {
        Some("overlap") => "`--answer distance --within LENGTH` shows the nearest pairs",
        _ => "widen `within` (--within) to see the nearest pairs",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_rows_of_distances_are_more_with_a_wider_cut_off() {
        assert!(to_more_rows(&json!({ "answer": "overlap" })).contains("--answer distance"));
        for summary in [json!({}), json!({ "answer": "distance" }), json!({ "answer": "depth" })] {
            assert!(to_more_rows(&summary).starts_with("widen `within`"), "{summary}");
        }
    }

    fn plain(open: &Value) -> String {
        let line = inside(&json!({ "open_meshes": open })).expect("a line");
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
        assert!(inside(&json!({ "open_meshes": null })).is_none() && inside(&json!({})).is_none());
    }
}
