//! Entries of a manifest about the intervals between frames.

use super::manifest_summary::{required_of, rule_of};
use clearsweep_model::{BetweenFrames, MotionRule, Scene};
use clearsweep_narrow::IntervalStatus;
use clearsweep_tables::{BetweenTotals, FirstContact, LeastBetween, Totals, ViolatingPair, swept_span};
use serde_json::{Map, Value, json};

/// Whether one of two bodies, by name, stands for a mesh that is not convex.
type OfHulls<'a> = &'a dyn Fn([&String; 2]) -> bool;

/// `intervals` of the summary: what was asked and found; null where the scene does not say how bodies move. `skipped`: pairs of
/// neighbouring frames that are farther apart than `max_gap` or `max_gap_s`.
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
        "max_gap_s": max_gap_s(motion),
        "rows": totals.intervals,
        "skipped": skipped,
        "by_status": by_status.map(|(name, count)| ((*name).to_owned(), json!(count))).collect::<Map<_, _>>(),
        "violated": totals.intervals_violated,
        "undecided": totals.intervals_undecided,
        "pairs_violated": pairs_violated,
        "violating_pairs": violating_pairs.iter().map(|pair| violating(scene, pair, of_hulls)).collect::<Vec<_>>(),
        "pairs_contact": pairs_contact,
        "pairs_contact_only": pairs_contact_only,
        "least": least.as_ref().map(|least| least_json(least, of_hulls)),
        "first_contact": first_contact.as_ref().map(|first| first_json(scene, first, of_hulls)),
    })
}

/// The longest time of an interval, seconds; null: many times that of its neighbours.
pub(super) fn max_gap_s(motion: &MotionRule) -> Value {
    match motion.max_gap_s {
        Some(f64::INFINITY) => json!("none"),
        seconds => json!(seconds),
    }
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

fn first_json(scene: &Scene, first: &FirstContact, of_hulls: OfHulls<'_>) -> Value {
    json!({
        "run": first.run,
        "frame": first.frames[0],
        "frame_next": first.frames[1],
        "contact_lo": first.shares[0],
        "contact_hi": first.shares[1],
        "joint": swept_json(scene, first),
        "time_lo_s": first.times_s.map(|times| times[0]),
        "time_hi_s": first.times_s.map(|times| times[1]),
        "body_a": first.body_a,
        "body_b": first.body_b,
        "of_hulls": of_hulls([&first.body_a, &first.body_b]),
    })
}

/// The joint that is swept alone in the run of a first contact, and the values between which that lies; null where it is none.
fn swept_json(scene: &Scene, first: &FirstContact) -> Value {
    let Some((joint, values)) = swept_span(scene, (first.run, first.frames[0]), first.shares) else {
        return Value::Null;
    };
    json!({
        "name": joint.name,
        "unit": if joint.kind.turns() { "rad" } else { "m" },
        "lo": values[0],
        "hi": values[1],
    })
}

/// A pair with intervals that violate the requirement; its distance is the least upper end of a bracket.
fn violating(scene: &Scene, pair: &ViolatingPair, of_hulls: OfHulls<'_>) -> Value {
    json!({
        "body_a": pair.body_a,
        "body_b": pair.body_b,
        "of_hulls": of_hulls([&pair.body_a, &pair.body_b]),
        "rule": rule_of(scene, pair),
        "required_m": required_of(scene, pair),
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

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_model::MotionRule;
    use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder};

    #[test]
    fn intervals_are_reported_where_there_is_motion() {
        let body = BodyBuilder::new("a", Geometry::Sphere(1.0));
        let scene = SceneBuilder::new(1.0).body(body).build().expect("a scene");
        let least = LeastBetween {
            lower_m: f64::NEG_INFINITY,
            upper_m: -0.5,
            run: 3,
            frames: [7, 9],
            body_a: "a".to_owned(),
            body_b: "b".to_owned(),
        };
        let between = BetweenTotals { pairs_contact: 2, least: Some(least), ..BetweenTotals::default() };
        let totals = Totals { intervals: 9, by_interval_status: [5, 3, 1], between, ..Totals::default() };
        let of_hulls = |names: [&String; 2]| names[1] == "b";
        assert_eq!(summary(&scene, &totals, 4, &of_hulls), Value::Null);
        let motion = MotionRule { between: BetweenFrames::Screw, tolerance: 0.25, max_gap: 2, ..MotionRule::default() };
        let found = summary(&Scene { motion, ..scene }, &totals, 4, &of_hulls);
        assert_eq!((&found["tolerance_m"], &found["max_gap"]), (&json!(0.25), &json!(2)));
        assert_eq!((&found["rows"], &found["skipped"], &found["pairs_contact"]), (&json!(9), &json!(4), &json!(2)));
        assert_eq!(found["by_status"], json!({ "clear": 5, "contact": 3, "undecided": 1 }));
        let expected = json!({ "lower_m": null, "upper_m": -0.5, "run": 3, "frame": 7, "frame_next": 9, "body_a": "a",
            "body_b": "b", "of_hulls": true });
        assert_eq!(found["least"], expected);
        assert_eq!(found["first_contact"], Value::Null);
    }
}
