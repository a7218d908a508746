//! `issues`: where something is required.

use crate::record::record;
use crate::words::EventKind;
use clearsweep_model::{EventState, Severity};

record! {
    /// Events that belong together.
    Issue in "issues", sorted by [];
    /// 12 hexadecimal digits: the id of the [earlier issue](command-line.md#issues-over-revisions)
    /// that it follows, else the SHA-256 of the rule and the names that lead.
    issue: T => texts(crate::Words::Issues);
    /// The name of the body that leads, of both bodies (sorted, with ` / `), of the nodes above
    /// them, or of the rule.
    group: T => texts(crate::Words::Issues);
    /// The rule.
    rule: T => texts(crate::Words::Issues);
    /// Severity of the rule.
    severity: Severity;
    /// The state among its events that needs somebody most.
    state: EventState;
    /// The worst kind among its events.
    kind: Option<EventKind> => null;
    /// Number of events.
    events: i64;
    /// Number of pairs.
    pairs: i64;
    /// Runs with an event, of each pair for itself.
    runs: i64;
    /// Bracket of the least distance, lower end.
    lower_m: Option<f64> => unit("m"), null;
    /// Upper end.
    upper_m: Option<f64> => unit("m"), null;
    /// First frame of its events.
    first_frame: Option<i64> => null;
    /// Last frame.
    last_frame: Option<i64> => null;
    /// Least corner of a box along the axes of the world that contains the deepest overlap of a
    /// sample; null if none overlaps, if a body is known up to a deviation only, and of grown
    /// meshes.
    box_min_x: Option<f64> => unit("m"), null;
    /// See `box_min_x`.
    box_min_y: Option<f64> => unit("m"), null;
    /// See `box_min_x`.
    box_min_z: Option<f64> => unit("m"), null;
    /// Greatest corner of that box.
    box_max_x: Option<f64> => unit("m"), null;
    /// See `box_max_x`.
    box_max_y: Option<f64> => unit("m"), null;
    /// See `box_max_x`.
    box_max_z: Option<f64> => unit("m"), null;
    /// Lower end of the proven bracket of the volume of that overlap, of solids only; else null.
    volume_lower_m3: Option<f64> => unit("m3"), null;
    /// Upper end.
    volume_upper_m3: Option<f64> => unit("m3"), null;
    /// Note of the rule; the reason of a decision that is resolved; the rule or body that is gone of
    /// one that is stale; of an earlier issue without events, what has become of its pairs.
    note: Option<T> => texts(crate::Words::Issues), null;
}
