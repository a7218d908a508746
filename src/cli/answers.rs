//! Lines of a summary about what was asked of each pair: `[query] answer` and `contacts`.

use super::text::{Lengths, counted};
use serde_json::Value;

/// A signed distance of a row in words.
pub(super) fn distance(summary: &Value, distance: f64, lengths: Lengths) -> String {
    match distance < 0.0 {
        true if has_depths(summary) => lengths.text(-distance) + " deep",
        true => format!("overlap of at most {}", lengths.text(-distance)),
        false => lengths.text(distance) + " apart",
    }
}

/// The line that says what was not looked at; `None` where depths are computed.
pub(super) fn line(summary: &Value) -> Option<String> {
    let answer = summary["answer"].as_str().filter(|_| !has_depths(summary))?;
    Some(format!("not computed (answer = {answer}): rows say that bodies overlap, and bound how deep"))
}

/// The number of contacts; nothing where they are not asked for.
pub(super) fn contacts(summary: &Value) -> String {
    summary["contacts"].as_u64().map_or_else(String::new, |count| format!("; {}", counted(count, "contact")))
}

/// The way to rows where there are none.
pub(super) fn to_more_rows(summary: &Value) -> &'static str {
    match summary["answer"].as_str() {
        Some("overlap") => "`--answer distance --within LENGTH` shows the nearest pairs",
        _ => "widen `within` (--within) to see the nearest pairs",
    }
}

/// Whether the depth of bodies that overlap is computed. Manifests without the key are of jobs that did.
fn has_depths(summary: &Value) -> bool {
    summary["answer"].as_str().is_none_or(|answer| answer == "depth")
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
}
