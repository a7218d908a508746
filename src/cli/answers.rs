//! Lines of a summary about what was asked of each pair: `[query] answer` and `contacts`.

use super::text::{Lengths, counted};
use clearsweep_records::manifest::Summary;

/// A signed distance of a row in words.
pub(super) fn distance(summary: &Summary, distance: f64, lengths: Lengths) -> String {
    match distance < 0.0 {
        true if has_depths(summary) => lengths.text(-distance) + " deep",
        true => format!("overlap of at most {}", lengths.text(-distance)),
        false => lengths.text(distance) + " apart",
    }
}

/// The line that says what was not looked at; `None` where depths are computed.
pub(super) fn line(summary: &Summary) -> Option<String> {
    let answer = summary.answer.as_deref().filter(|_| !has_depths(summary))?;
    Some(format!("not computed (answer = {answer}): rows say that bodies overlap, and bound how deep"))
}

/// The number of contacts; nothing where they are not asked for.
pub(super) fn contacts(summary: &Summary) -> String {
    summary.contacts.map_or_else(String::new, |count| format!("; {}", counted(count, "contact")))
}

/// The way to rows where there are none.
pub(super) fn to_more_rows(summary: &Summary) -> &'static str {
    match summary.answer.as_deref() {
        Some("overlap") => "`--answer distance --within LENGTH` shows the nearest pairs",
        _ => "widen `within` (--within) to see the nearest pairs",
    }
}

/// Whether the depth of bodies that overlap is computed. Manifests without the key are of jobs that did.
fn has_depths(summary: &Summary) -> bool {
    summary.answer.as_deref().is_none_or(|answer| answer == "depth")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rows_of_distances_are_more_with_a_wider_cut_off() {
        let more =
            |answer: Option<&str>| to_more_rows(&Summary { answer: answer.map(str::to_owned), ..Summary::default() });
        assert!(more(Some("overlap")).contains("--answer distance"));
        for answer in [None, Some("distance"), Some("depth")] {
            assert!(more(answer).starts_with("widen `within`"), "{answer:?}");
        }
    }
}
