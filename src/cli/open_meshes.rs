//! Lines of a summary about meshes that do not close up: for which pairs it mattered.

use super::color::{Tone, paint};
use super::text::{count, counted, visible};
use serde_json::Value;

/// Pairs that the text lists; the manifest has more.
const LISTED: usize = 3;

/// The line about them; `None` where there are none.
pub(super) fn line(summary: &Value) -> Option<String> {
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
    let named = &pairs[..pairs.len().min(LISTED)];
    let names: Vec<String> =
        named.iter().map(|pair| format!("{} and {}", text(pair, "body_a"), text(pair, "body_b"))).collect();
    let more = match number("pairs").saturating_sub(named.len() as u64) {
        0 => String::new(),
        more => format!("; and {} more", count(more)),
    };
    let pairs = paint(Tone::Doubtful, &format!("{} NOT DECIDED", counted(number("pairs"), "pair")));
    Some(format!("{bodies}; {pairs}, as one body lies inside: {}{more} (method = 'winding')", names.join("; ")))
}

/// Whether a row, by its bodies, run and frame, is one of those that are listed.
pub(super) fn is_undecided(summary: &Value, row: &Value) -> bool {
    let pairs = summary["open_meshes"]["winding_pairs"].as_array();
    let is_same = |pair: &Value| ["body_a", "body_b", "run", "frame"].iter().all(|key| pair[key] == row[key]);
    pairs.is_some_and(|pairs| pairs.iter().any(is_same))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plain(open: &Value) -> String {
        let line = line(&json!({ "open_meshes": open })).expect("a line");
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
        assert!(line(&json!({ "open_meshes": null })).is_none() && line(&json!({})).is_none());
    }
}
