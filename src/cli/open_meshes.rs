//! Lines of a summary about meshes that do not close up: for which pairs it mattered.

use super::color::{Tone, paint};
use super::text::{count, counted, visible};
use clearsweep_records::manifest::{Summary, Worst};

/// Pairs that the text lists; the manifest has more.
const LISTED: usize = 3;

/// The line about them; `None` where there are none.
pub(super) fn line(summary: &Summary) -> Option<String> {
    let open = summary.open_meshes.as_ref()?;
    let bodies = match open.bodies {
        1 => "1 mesh is not closed".to_owned(),
        n => format!("{} meshes are not closed", count(n)),
    };
    if open.pairs == 0 {
        return Some(format!("{bodies}; by the winding number nothing lies inside"));
    }
    let named = &open.winding_pairs[..open.winding_pairs.len().min(LISTED)];
    let names = named.iter().map(|of| format!("{} and {}", visible(&of.pair.body_a), visible(&of.pair.body_b)));
    let names: Vec<String> = names.collect();
    let more = match open.pairs.saturating_sub(named.len() as u64) {
        0 => String::new(),
        more => format!("; and {} more", count(more)),
    };
    let pairs = paint(Tone::Doubtful, &format!("{} NOT DECIDED", counted(open.pairs, "pair")));
    Some(format!("{bodies}; {pairs}, as one body lies inside: {}{more} (method = 'winding')", names.join("; ")))
}

/// Whether a row, by its bodies, run and frame, is one of those that are listed.
pub(super) fn is_undecided(summary: &Summary, row: &Worst) -> bool {
    let mut listed = summary.open_meshes.iter().flat_map(|open| &open.winding_pairs);
    listed.any(|of| (&of.pair, of.run, of.frame) == (&row.pair, row.run, row.frame))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn line_of(summary: Value) -> Option<String> {
        line(&serde_json::from_value(summary).expect("a summary"))
    }

    fn plain(open: &Value) -> String {
        let line = line_of(json!({ "open_meshes": open })).expect("a line");
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
        assert!(line_of(json!({ "open_meshes": null })).is_none() && line_of(json!({})).is_none());
    }
}
