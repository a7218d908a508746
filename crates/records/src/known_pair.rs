//! `known_pairs`: if pairs are accepted, or an earlier result is given.

use crate::record::record;
use clearsweep_model::EventState;

record! {
    /// A pair that somebody decided about, or that belongs to an issue of the earlier result and
    /// violates nothing any more.
    KnownPair in "known_pairs", sorted by [];
    /// The issue that it belongs to.
    issue: T => texts(crate::Words::Issues);
    /// The rule.
    rule: T => texts(crate::Words::Issues);
    /// Name of a body.
    body_a: T => texts(crate::Words::Issues);
    /// Name of the other body; both are in the order of their names.
    body_b: T => texts(crate::Words::Issues);
    /// The [state](scene.md#dispositions-accepted-pairs) among its events that needs somebody most;
    /// `resolved` or `stale` without one.
    state: EventState;
    /// Last day on which it is accepted, as the file of accepted pairs has it.
    until: Option<T> => texts(crate::Words::Issues), null;
    /// Who decided, likewise.
    by: Option<T> => texts(crate::Words::Issues), null;
    /// Why, likewise.
    reason: Option<T> => texts(crate::Words::Issues), null;
    /// Bracket of the least distance in the earlier result, lower end.
    earlier_lower_m: Option<f64> => unit("m"), null;
    /// Upper end.
    earlier_upper_m: Option<f64> => unit("m"), null;
    /// Run of the least distance in the earlier result.
    earlier_run: Option<i64> => null;
    /// Its frame; of an interval, the frame before it.
    earlier_frame: Option<i64> => null;
    /// The rule or body that is no more, or that the pair is ignored now.
    note: Option<T> => texts(crate::Words::Issues), null;
}
