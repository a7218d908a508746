//! What a manifest says of the intervals between frames.

use crate::narrow::IntervalStatus;
use crate::scene::{BetweenFrames, Scene};
use crate::table::{BetweenTotals, FirstContact, LeastBetween, Totals, ViolatingPair};
use serde_json::{Map, Value, json};

/// Whether one of two bodies, by name, stands for a mesh that is not convex.
type OfHulls<'a> = &'a dyn Fn([&String; 2]) -> bool;

/// `intervals` of the summary: what was asked and found; null where the scene does not say how bodies move. `skipped`: pairs of
/// neighbouring frames that are farther apart than `max_gap`.
pub(super) fn summary(scene: &Scene, totals: &Totals, skipped: u64, of_hulls: OfHulls<'_>) -> Value {
    let motion = &scene.motion;
    if motion.between == BetweenFrames::None {
        return Value::Null;
    }
    let BetweenTotals { pairs_contact, pairs_contact_only, pairs_violated, violating_pairs, least, first_contact } =
        &totals.between;
    let by_status = IntervalStatus::NAMES.iter().zip(totals.by_interval_status);
    json!({
        "tolerance_m": motion.tolerance,
        "max_gap": motion.max_gap,
        "rows": totals.intervals,
        "skipped": skipped,
        "by_status": by_status.map(|(name, count)| ((*name).to_owned(), json!(count))).collect::<Map<_, _>>(),
        "violated": totals.intervals_violated,
        "undecided": totals.intervals_undecided,
        "pairs_violated": pairs_violated,
        "violating_pairs": violating_pairs.iter().map(|pair| violating(pair, of_hulls)).collect::<Vec<_>>(),
        "pairs_contact": pairs_contact,
        "pairs_contact_only": pairs_contact_only,
        "least": least.as_ref().map(|least| least_json(least, of_hulls)),
        "first_contact": first_contact.as_ref().map(|first| first_json(first, of_hulls)),
    })
}

fn least_json(least: &LeastBetween, of_hulls: OfHulls<'_>) -> Value {
    json!({
        // Infinite: nothing is proven.
        "lower_m": least.lower_m,
        "upper_m": least.upper_m,
        "run": least.run,
        "frame": least.frames[0],
        "frame_next": least.frames[1],
        "body_a": least.body_a,
        "body_b": least.body_b,
        "of_hulls": of_hulls([&least.body_a, &least.body_b]),
    })
}

fn first_json(first: &FirstContact, of_hulls: OfHulls<'_>) -> Value {
    json!({
        "run": first.run,
        "frame": first.frames[0],
        "frame_next": first.frames[1],
        "contact_lo": first.shares[0],
        "contact_hi": first.shares[1],
        "time_lo_s": first.times_s.map(|times| times[0]),
        "time_hi_s": first.times_s.map(|times| times[1]),
        "body_a": first.body_a,
        "body_b": first.body_b,
        "of_hulls": of_hulls([&first.body_a, &first.body_b]),
    })
}

/// A pair with intervals that violate the requirement; its distance is the least upper end of a bracket.
fn violating(pair: &ViolatingPair, of_hulls: OfHulls<'_>) -> Value {
    json!({
        "body_a": pair.body_a,
        "body_b": pair.body_b,
        "of_hulls": of_hulls([&pair.body_a, &pair.body_b]),
        "min_upper_m": pair.min_distance_m,
        "run": pair.run,
        "frame": pair.frame,
        "intervals": pair.rows,
        "runs": pair.runs,
        "spans": pair.spans,
        "from_frame": pair.from_frame,
        "to_frame": pair.to_frame,
        "from_time_s": pair.from_time_s,
        "to_time_s": pair.to_time_s,
    })
}
