//! Entries of a manifest about the intervals between frames.

use super::manifest_pairs::{listed, named, undecided};
use clearsweep_model::{BetweenFrames, MotionRule, Scene};
use clearsweep_narrow::IntervalStatus;
use clearsweep_records::manifest::{self, Intervals, ListedPair, MaxGap, SweptJoint};
use clearsweep_tables::{BetweenTotals, FirstContact, LeastBetween, Totals, ViolatingPair, swept_span};

/// Returns `intervals` of the summary; `None` if the scene does not say how bodies move. `skipped`:
/// pairs of neighbouring frames that are farther apart than `max_gap` or `max_gap_s`.
pub(super) fn summary(scene: &Scene, totals: &Totals, skipped: u64) -> Option<Intervals> {
    let motion = &scene.motion;
    let BetweenTotals { pairs_contact, pairs_contact_only, pairs_violated, violating_pairs, least, first_contact } =
        &totals.between;
    (motion.between != BetweenFrames::None).then(|| Intervals {
        tolerance_m: Some(motion.tolerance),
        max_gap: motion.max_gap,
        max_gap_s: Some(max_gap_s(motion)),
        rows: totals.intervals,
        skipped,
        by_status: IntervalStatus::NAMES.into_iter().zip(totals.by_interval_status).collect(),
        violated: totals.intervals_violated,
        undecided: totals.intervals_undecided,
        undecided_interval: totals.undecided_interval.0.as_ref().map(|row| undecided(scene, row)),
        pairs_violated: Some(*pairs_violated),
        violating_pairs: violating_pairs.iter().map(|pair| violating(scene, pair)).collect(),
        pairs_contact: *pairs_contact,
        pairs_contact_only: *pairs_contact_only,
        least: least.as_ref().map(|least| least_entry(scene, least)),
        first_contact: first_contact.as_ref().map(|first| first_entry(scene, first)),
    })
}

/// The longest time of an interval; `None`: many times that of its neighbours.
pub(super) fn max_gap_s(motion: &MotionRule) -> Option<MaxGap> {
    motion.max_gap_s.map(|seconds| match seconds {
        f64::INFINITY => MaxGap::Word("none".to_owned()),
        seconds => MaxGap::Seconds(seconds),
    })
}

fn least_entry(scene: &Scene, least: &LeastBetween) -> manifest::Least {
    manifest::Least {
        // Infinite: nothing is proven.
        lower_m: Some(least.lower_m).filter(|lower| lower.is_finite()),
        upper_m: Some(least.upper_m).filter(|upper| upper.is_finite()),
        run: least.run,
        frame: least.frames[0],
        frame_next: least.frames[1],
        pair: named(scene, &least.body_a, &least.body_b),
    }
}

fn first_entry(scene: &Scene, first: &FirstContact) -> manifest::FirstContact {
    manifest::FirstContact {
        run: first.run,
        frame: first.frames[0],
        frame_next: first.frames[1],
        contact_lo: Some(first.shares[0]),
        contact_hi: Some(first.shares[1]),
        joint: swept(scene, first),
        time_lo_s: first.times_s.map(|times| times[0]),
        time_hi_s: first.times_s.map(|times| times[1]),
        pair: named(scene, &first.body_a, &first.body_b),
    }
}

/// Returns the joint that is swept alone in the run of a first contact, with the values before and
/// after the contact; `None` if no joint is swept alone.
fn swept(scene: &Scene, first: &FirstContact) -> Option<SweptJoint> {
    let (joint, [lo, hi]) = swept_span(scene, (first.run, first.frames[0]), first.shares)?;
    let unit = if joint.kind.turns() { "rad" } else { "m" };
    Some(SweptJoint { name: joint.name.clone(), unit: unit.to_owned(), lo: Some(lo), hi: Some(hi) })
}

/// A pair with intervals that violate the requirement; its distance is the least upper end of a
/// bracket.
fn violating(scene: &Scene, pair: &ViolatingPair) -> ListedPair {
    let of_rows = listed(scene, pair);
    ListedPair {
        min_distance_m: None,
        rows: None,
        min_upper_m: of_rows.min_distance_m,
        intervals: of_rows.rows,
        ..of_rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearsweep_model::{HullFit, MotionRule};
    use clearsweep_records::manifest::Least;
    use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder};
    use serde_json::json;
    use std::sync::Arc;

    #[test]
    fn intervals_are_reported_where_there_is_motion() {
        let body = BodyBuilder::new("b", Geometry::Sphere(1.0));
        let mut scene = SceneBuilder::new(1.0).body(body).build().expect("a scene");
        let fit = HullFit { excess: 0.1, convex: false, hull_volume: 1.0, mesh_volume: None };
        Arc::make_mut(&mut scene.bodies[0].shape).fit = Some(fit);
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
        assert_eq!(summary(&scene, &totals, 4), None);
        let motion = MotionRule { between: BetweenFrames::Screw, tolerance: 0.25, max_gap: 2, ..MotionRule::default() };
        let found = summary(&Scene { motion, ..scene }, &totals, 4).expect("intervals");
        assert_eq!((found.tolerance_m, found.max_gap), (Some(0.25), 2));
        assert_eq!((found.rows, found.skipped, found.pairs_contact), (9, 4, 2));
        let json = serde_json::to_value(&found).expect("JSON");
        assert_eq!(json["by_status"], json!({ "clear": 5, "contact": 3, "undecided": 1 }));
        let expected = json!({ "lower_m": null, "upper_m": -0.5, "run": 3, "frame": 7, "frame_next": 9, "body_a": "a",
            "body_b": "b", "of_hulls": true });
        assert_eq!(json["least"], expected);
        assert_eq!(found.least, serde_json::from_value::<Option<Least>>(expected).expect("a pair"));
        assert_eq!(found.first_contact, None);
    }
}
