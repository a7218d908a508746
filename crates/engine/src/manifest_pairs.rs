//! Pairs of bodies in the manifest.

use clearsweep_model::Scene;
use clearsweep_records::manifest::{ListedPair, NamedPair, Undecided};
use clearsweep_tables::{UndecidedRow, ViolatingPair};

/// The pair of these names, and whether one of its bodies stands for a mesh that is not convex.
pub(super) fn named(scene: &Scene, a: &str, b: &str) -> NamedPair {
    let of_hulls = scene.bodies.iter().any(|body| body.shape.is_filled() && [a, b].contains(&body.name.as_str()));
    NamedPair { body_a: a.to_owned(), body_b: b.to_owned(), of_hulls }
}

/// A bound; `None` if it is not proven.
pub(super) fn finite(bound: f64) -> Option<f64> {
    bound.is_finite().then_some(bound)
}

/// A row or an interval that is undecided.
pub(super) fn undecided(scene: &Scene, row: &UndecidedRow) -> Undecided {
    let (requirements, [a, b]) = (scene.requirements(), row.bodies);
    let [name_a, name_b] = [a, b].map(|body| scene.bodies[body as usize].name.as_str());
    let is_by_rule = requirements.uniform().is_none();
    let [lower_m, upper_m] = row.bracket_m.map(finite);
    Undecided {
        pair: named(scene, name_a, name_b),
        rule: is_by_rule.then(|| requirements.name(requirements.rule(a, b)).to_owned()),
        required_m: finite(row.required_m),
        lower_m,
        upper_m,
        run: row.run,
        frame: row.frames[0],
        frame_next: Some(row.frames[1]).filter(|next| *next != row.frames[0]),
    }
}

/// A pair with rows; with rule and requirement if the scene has rules.
pub(super) fn listed(scene: &Scene, pair: &ViolatingPair) -> ListedPair {
    let (requirements, [a, b]) = (scene.requirements(), pair.bodies);
    let is_by_rule = requirements.uniform().is_none();
    let required = Some(requirements.of(pair.run, a, b)).filter(|required| is_by_rule && !required.is_nan());
    ListedPair {
        pair: named(scene, &pair.body_a, &pair.body_b),
        rule: is_by_rule.then(|| requirements.name(requirements.rule(a, b)).to_owned()),
        required_m: required,
        min_distance_m: Some(pair.min_distance_m),
        min_upper_m: None,
        lower_m: finite(pair.bracket_m[0]),
        upper_m: finite(pair.bracket_m[1]),
        run: pair.run,
        frame: pair.frame,
        rows: Some(pair.rows),
        intervals: None,
        runs: pair.runs,
        spans: pair.spans,
        from_frame: pair.from_frame,
        to_frame: pair.to_frame,
        from_time_s: pair.from_time_s,
        to_time_s: pair.to_time_s,
    }
}
